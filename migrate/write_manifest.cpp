#include "write_manifest.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "output.hpp"
#include "read_some.hpp"

namespace amdcompat::migrate {

bool write_manifest(State& state, const HeaderRecord& header, const std::string& directory, bool dry_run, bool durable,
                    unsigned jobs, SummaryRecord& summary, Diagnostics& diagnostics) {
  if (dry_run) return state.list(header.base, jobs, [](std::string_view) { return true; }, summary);
  const OutputRoot root(directory);
  OutputFile file(root, std::string(kManifestName));
  file.write(to_line(header));
  const bool listed = state.list(header.base, jobs, [&](std::string_view line) { return file.write(line); }, summary);
  if (!listed && !state.error().empty()) {
    diagnostics.report(Code::StateBroken, {}, fmt::format("cannot read what is done: {}", state.error()));
    return false;
  }
  // Names by the thousand cost less together than one by one.
  if (const FileDescriptor all(durable ? ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1);
      all.get() >= 0)
    ::syncfs(all.get());
  file.write(to_line(summary));
  if (const auto failed = file.finish(true)) {
    diagnostics.add(*failed);
    return false;
  }
  state.drop_old_names();
  if (!state.link_failure()) return true;
  diagnostics.add(*state.link_failure());
  return false;
}

}  // namespace amdcompat::migrate
