// One directory out of those of all shards.
#include <cstdint>
#include <set>
#include <variant>

#include <fcntl.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include "migrate.hpp"
#include "names.hpp"
#include "output.hpp"
#include "read_some.hpp"
#include "state.hpp"
#include "write_manifest.hpp"

namespace amdcompat::migrate {

std::optional<RunResult> merge(const std::vector<std::string>& directories, const std::string& output, bool durable,
                               unsigned jobs, Diagnostics& diagnostics) {
  if (!make_directory(output, diagnostics)) return std::nullopt;
  const auto refuse = [&](Code code, std::string why) {
    diagnostics.report(code, {}, std::move(why));
    return std::nullopt;
  };
  // All headers first: nothing is written for manifests that do not belong together.
  std::optional<HeaderRecord> common;
  std::set<std::uint32_t> shards;
  for (const std::string& directory : directories) {
    std::optional<HeaderRecord> header;
    const std::string path = fmt::format("{}/{}", directory, kManifestName);
    const auto first = [&](Record&& record) {
      header = std::get<HeaderRecord>(record);
      return false;
    };
    if (!read_manifest(path, first, diagnostics)) return std::nullopt;
    if (!header->complete) return refuse(Code::MergeIncomplete, fmt::format("{}: the run was interrupted", path));
    if (!header->shard) header->shard = Shard{};
    if (!common) common = header;
    common->base = common_directory({common->base, header->base});
    if (header->tool != common->tool || header->policy != common->policy || header->proofs != common->proofs ||
        header->shard->count != common->shard->count)
      return refuse(Code::ManifestConflict,
                    fmt::format("{}: tool, policy, share of proofs or number of shards differ from {}/{}", path,
                                directories.front(), kManifestName));
    if (!shards.insert(header->shard->index).second)
      return refuse(Code::MergeIncomplete, fmt::format("{}: shard {} is there twice", path, header->shard->index));
  }
  if (!common) return refuse(Code::MergeIncomplete, "no directories to merge");
  for (std::uint32_t index = 1; index <= common->shard->count; ++index)
    if (!shards.contains(index))
      return refuse(Code::MergeIncomplete, fmt::format("shard {}/{} is missing", index, common->shard->count));

  auto state = State::open(output, recipe_of(common->tool, common->policy, common->proofs), durable);
  if (!state) {
    diagnostics.add(state.error());
    return std::nullopt;
  }
  for (const std::string& directory : directories) {
    std::optional<Diagnostic> failed;
    const auto take = [&](Record&& record) {
      if (auto* const file = std::get_if<FileRecord>(&record)) {
        file->outputs.clear();  // named anew, among all
        (*state)->put(*file, file->root.empty());
      }
      if (const auto* const program = std::get_if<ProgramRecord>(&record)) {
        for (const ManifestOutput& wanted : program->outputs) {
          const std::string from = fmt::format("{}/{}", directory, wanted.path);
          std::string bytes;
          const FileDescriptor file(
              is_output_path(wanted.path) ? ::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1);
          struct stat status{};
          if (file.get() < 0 || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
              static_cast<std::uint64_t>(status.st_size) != wanted.size ||
              !read_up_to(read_from(file.get()), wanted.size + 1, wanted.size, bytes) ||
              to_hex(sha256(bytes)) != wanted.sha256)
            failed = make_diagnostic(Code::ManifestConflict, {}, fmt::format("{} is not what its manifest says", from));
          else
            failed = copy_output(file.get(), from, (*state)->root(), wanted.path, durable);
          if (failed) return false;
        }
        if (const auto digest = digest_from_hex(program->sha256)) (*state)->put(row_of(*program, *digest));
      }
      return (*state)->error().empty();
    };
    if (!read_manifest(fmt::format("{}/{}", directory, kManifestName), take, diagnostics)) return std::nullopt;
    if (failed) {
      diagnostics.add(*failed);
      return std::nullopt;
    }
  }
  (*state)->forget_unseen_files();
  RunResult out;
  common->shard.reset();
  if (!write_manifest(**state, *common, output, false, durable, jobs, out.summary, diagnostics)) return std::nullopt;
  return out;
}

}  // namespace amdcompat::migrate
