#include "write_manifest.hpp"

#include <fmt/format.h>

#include "output.hpp"

namespace amdcompat::migrate {

bool write_manifest(State& state, const HeaderRecord& header, const std::string& directory, bool dry_run,
                    SummaryRecord& summary, Diagnostics& diagnostics) {
  if (dry_run) return state.list([](std::string_view) { return true; }, summary);
  OutputFile file(directory, std::string(kManifestName));
  file.write(to_line(header));
  if (!state.list([&](std::string_view line) { return file.write(line); }, summary) && !state.error().empty()) {
    diagnostics.report(Code::StateBroken, {}, fmt::format("cannot read what is done: {}", state.error()));
    return false;
  }
  file.write(to_line(summary));
  if (const auto failed = file.finish(true)) {
    diagnostics.add(*failed);
    return false;
  }
  return true;
}

}  // namespace amdcompat::migrate
