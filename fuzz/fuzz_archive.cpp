// Files as migrations read them: archives, archives in archives, bundles, and anything else that is searched for
// programs. The input is such a file.
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <variant>

#include <sys/mman.h>
#include <unistd.h>

#include <manifest.hpp>
#include <migrate.hpp>
#include <queue.hpp>
#include <read_inputs.hpp>
#include <state.hpp>

#include "property.hpp"

namespace {

using namespace amdcompat;
using namespace amdcompat::migrate;
using fuzz::require;

// Nothing is ever put into it.
State* state() {
  static const auto out = State::open({}, recipe_of("fuzz", ""), false);
  require(out.has_value(), "a database in memory opens");
  return out->get();
}

void check_file(const FileRecord& file, const std::string& path, const migrate::Limits& limits,
                const std::set<std::string>& programs) {
  if (file.root.empty()) {
    require(file.path == path, "the file itself is named");
  } else {
    require(file.root == path && file.path.starts_with(path + "!/"), "members are named after their archive");
    require(file.ordinal <= limits.archive_members, "archives have no more members than are allowed");
    require(file.size <= limits.archive_bytes, "members are no larger than all of an archive may be");
  }
  for (const ProgramPlace& place : file.programs)
    require(programs.contains(place.sha256), "programs come before the files that hold them");
  require(file.outcome != Outcome::Failed || !file.findings.empty(), "what fails has a finding");
  const std::string line = to_line(file);
  const auto again = parse_line(line);
  require(again && std::visit([](const auto& one) { return to_line(one); }, *again) == line, "what is written is read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > fuzz::kMostBytes) return 0;
  static const int file = ::memfd_create("input", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  require(::ftruncate(file, 0) == 0 && ::pwrite(file, data, size, 0) == static_cast<ssize_t>(size), "there is memory");

  Options options;
  options.inputs = {path};
  options.policy.scan = size % 2 != 0;
  // Small, so that inputs of a few bytes come across them.
  options.policy.limits = {1u << 15, 1u << 18, 100, 50, 3};
  migrate::Queue queue(nullptr, 1, 4);
  Shared shared;
  shared.state = state();
  std::jthread reading([&] { require(read_inputs(options, queue, shared), "nobody interrupts it"); });
  std::set<std::string> programs;
  int files = 0;
  for (Batch batch = queue.pop(); !batch.empty(); batch = queue.pop()) {
    for (const auto& item : batch) {
      if (item->file) {
        check_file(*item->file, path, options.policy.limits, programs);
        if (item->file->root.empty()) ++files;
        require(files == 0 || item->file->root.empty(), "members come before their archive");
      } else {
        require(item->bytes.size() <= options.policy.limits.program_bytes, "no program is larger than is allowed");
        require(sha256(item->bytes) == item->digest, "a program is known by its hash");
        require(programs.insert(to_hex(item->digest)).second, "each program comes once");
      }
    }
    queue.release(batch);
  }
  require(files == 1, "the file has a record");
  return 0;
}
