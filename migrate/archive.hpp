// Members of archives (tar, zip, 7z, cpio, rar, cab, iso, ar, and single files packed by gzip, bzip2, xz, zstd, lz4 …).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <amdcompat/diagnostic.hpp>

#include "policy.hpp"

struct archive;

namespace amdcompat::migrate {

// Whether a file that begins with these bytes (512 are enough; an ISO image shows only after 32 KiB) is an archive.
[[nodiscard]] bool is_archive(std::string_view head);

// What an archive and all that is nested in it have used of the limits.
struct ArchiveBudget {
  std::uint64_t bytes = 0;  // unpacked
  std::uint64_t members = 0;
};

class ArchiveReader {
 public:
  // From the descriptor's beginning, which stays the caller's; or from bytes that outlive the reader.
  ArchiveReader(int descriptor, std::uint64_t packed, const Limits& limits, ArchiveBudget& budget);
  ArchiveReader(std::string_view bytes, const Limits& limits, ArchiveBudget& budget);
  ~ArchiveReader();
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  // Name of the next member that is a file; nothing at the end, or when the rest cannot be read (see `problem`).
  [[nodiscard]] std::optional<std::string> next();
  // Contents of the member, as `ReadSome`.
  [[nodiscard]] std::ptrdiff_t read(char* to, std::size_t size);
  // How much of the packed bytes was read so far, about.
  [[nodiscard]] std::uint64_t position() const;
  // Why the last call of `read` failed while the archive may go on; at the end, why it was not read to its end or which
  // damage was passed over.
  [[nodiscard]] const std::optional<Diagnostic>& problem() const { return problem_; }
  // The archive as a whole cannot be read on.
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  void prepare();
  [[nodiscard]] bool open();
  [[nodiscard]] bool read_zip_in_order();
  void fail(Code code, std::string_view what);
  [[nodiscard]] Diagnostic problem_of(Code code, std::string_view what) const;
  [[nodiscard]] bool take(std::uint64_t bytes);

  archive* archive_ = nullptr;
  int descriptor_ = -1;  // negative: it is in `memory_`
  std::string_view memory_;
  const Limits& limits_;
  ArchiveBudget& budget_;
  std::uint64_t packed_ = 0, own_bytes_ = 0;
  std::uint64_t headers_ = 0;  // that were read
  bool in_order_ = false;  // a ZIP, without its directory
  std::optional<Diagnostic> problem_;
  std::optional<Diagnostic> damage_;  // of the first member that was lost
  bool broken_ = false;
};

}  // namespace amdcompat::migrate
