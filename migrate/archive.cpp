#include "archive.hpp"

#include <algorithm>
#include <array>

#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

namespace amdcompat::migrate {

namespace {

constexpr std::uint64_t kFreeBytes = std::uint64_t{64} << 20;  // before the ratio counts
constexpr std::size_t kArchiveBlock = 65'536;
constexpr std::uint64_t kTarBlock = 512;  // the format whose reader looks on behind a damaged header

struct Magic {
  std::size_t at;
  std::string_view bytes;
};
using namespace std::string_view_literals;
// First bytes, as the formats' own documents and file(1) have them.
constexpr std::array kMagics{
    Magic{0, "PK\x03\x04"sv},
    Magic{0, "PK\x05\x06"sv},
    Magic{0, "7z\xbc\xaf\x27\x1c"sv},
    Magic{0, "\x1f\x8b"sv},
    Magic{0, "\xfd"
             "7zXZ\0"sv},
    Magic{0, "BZh"sv},
    Magic{0, "\x28\xb5\x2f\xfd"sv},
    Magic{0, "\x04\x22\x4d\x18"sv},
    Magic{0, "LZIP"sv},
    Magic{0, "\x1f\x9d"sv},
    Magic{257, "ustar"sv},
    Magic{0, "070701"sv},
    Magic{0, "070702"sv},
    Magic{0, "070707"sv},
    Magic{0, "Rar!\x1a\x07"sv},
    Magic{0, "MSCF"sv},
    Magic{0, "!<arch>\n"sv},
    Magic{32769, "CD001"sv},
};

}  // namespace

bool is_archive(std::string_view head) {
  return std::ranges::any_of(kMagics, [&](const Magic& magic) {
    return head.size() > magic.at && head.substr(magic.at).starts_with(magic.bytes);
  });
}

ArchiveReader::ArchiveReader(int descriptor, std::uint64_t packed, const Limits& limits, ArchiveBudget& budget)
    : descriptor_(descriptor), limits_(limits), budget_(budget), packed_(packed) {
  prepare();
  if (archive_ != nullptr && !open()) fail(Code::ArchiveBroken, "cannot be opened");
}

ArchiveReader::ArchiveReader(std::string_view bytes, const Limits& limits, ArchiveBudget& budget)
    : memory_(bytes), limits_(limits), budget_(budget), packed_(bytes.size()) {
  prepare();
  if (archive_ != nullptr && !open()) fail(Code::ArchiveBroken, "cannot be opened");
}

bool ArchiveReader::open() {
  if (descriptor_ < 0) return archive_read_open_memory(archive_, memory_.data(), memory_.size()) == ARCHIVE_OK;
  return ::lseek(descriptor_, 0, SEEK_SET) == 0 &&
         archive_read_open_fd(archive_, descriptor_, kArchiveBlock) == ARCHIVE_OK;
}

// The directory of a ZIP leads to members by their places, and where there is no header the reader gives up. Without
// the directory it looks for the next header instead.
bool ArchiveReader::read_zip_in_order() {
  if (in_order_ || archive_format(archive_) != ARCHIVE_FORMAT_ZIP || archive_filter_count(archive_) != 1) return false;
  in_order_ = true;
  archive* const other = archive_read_new();
  if (other == nullptr) return false;
  damage_ = problem_of(Code::ArchiveBroken, "a member is damaged and lost");
  archive_read_free(archive_);
  archive_ = other;
  archive_read_support_format_zip_streamable(archive_);
  if (!open()) return false;
  archive_entry* entry = nullptr;
  for (std::uint64_t i = 0; i < headers_; ++i)
    if (archive_read_next_header(archive_, &entry) < ARCHIVE_WARN) return false;
  return true;
}

ArchiveReader::~ArchiveReader() {
  if (archive_ != nullptr) archive_read_free(archive_);
}

// Formats one by one: `mtree` would read other files of the machine, and some filters start programs.
void ArchiveReader::prepare() {
  archive_ = archive_read_new();
  if (archive_ == nullptr) return fail(Code::ArchiveBroken, "cannot be opened: out of memory");
  for (const auto support :
       {archive_read_support_format_tar,     archive_read_support_format_gnutar,  archive_read_support_format_zip,
        archive_read_support_format_7zip,    archive_read_support_format_cpio,    archive_read_support_format_ar,
        archive_read_support_format_rar,     archive_read_support_format_rar5,    archive_read_support_format_cab,
        archive_read_support_format_iso9660, archive_read_support_format_empty,   archive_read_support_format_raw,
        archive_read_support_filter_gzip,    archive_read_support_filter_bzip2,   archive_read_support_filter_xz,
        archive_read_support_filter_lzma,    archive_read_support_filter_lzip,    archive_read_support_filter_zstd,
        archive_read_support_filter_lz4,     archive_read_support_filter_compress})
    support(archive_);
}

void ArchiveReader::fail(Code code, std::string_view what) {
  problem_ = problem_of(code, what);
  broken_ = true;
}

Diagnostic ArchiveReader::problem_of(Code code, std::string_view what) const {
  const char* const why = archive_ != nullptr ? archive_error_string(archive_) : nullptr;
  return make_diagnostic(code, {}, fmt::format("{}{}{}", what, why != nullptr ? ": " : "", why != nullptr ? why : ""));
}

// Counts what was unpacked; false: that is too much.
bool ArchiveReader::take(std::uint64_t bytes) {
  own_bytes_ += bytes;
  budget_.bytes += bytes;
  const bool ratio = own_bytes_ > kFreeBytes && own_bytes_ / limits_.archive_ratio > packed_;
  if (budget_.bytes <= limits_.archive_bytes && !ratio) return true;
  archive_clear_error(archive_);
  fail(Code::ArchiveLimit,
       ratio ? fmt::format("the archive unpacks to more than {} times its size", limits_.archive_ratio)
             : fmt::format("the archive unpacks to more than {} bytes", limits_.archive_bytes));
  return false;
}

std::optional<std::string> ArchiveReader::next() {
  while (!broken_) {
    problem_.reset();
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(archive_, &entry);
    if (status == ARCHIVE_EOF) {
      problem_ = damage_;
      return std::nullopt;
    }
    if (status == ARCHIVE_RETRY) {
      // No member but a block where one's header should be; the next call looks at the block behind it.
      if (!damage_) damage_ = problem_of(Code::ArchiveBroken, "a member is damaged and lost");
      if (!take(kTarBlock)) return std::nullopt;
      continue;
    }
    if (status < ARCHIVE_WARN) {
      if (read_zip_in_order()) continue;
      fail(Code::ArchiveBroken, "the archive cannot be read on");
      return std::nullopt;
    }
    ++headers_;
    if (++budget_.members > limits_.archive_members) {
      archive_clear_error(archive_);
      fail(Code::ArchiveLimit, fmt::format("the archive has more than {} members", limits_.archive_members));
      return std::nullopt;
    }
    const auto type = archive_entry_filetype(entry);
    // A raw stream's entry has no type of its own.
    if (type != AE_IFREG && type != 0) continue;
    if (archive_entry_hardlink(entry) != nullptr) continue;  // its contents came with another name
    // UTF-8 first: the other form depends on the locale of the process.
    const char* name = archive_entry_pathname_utf8(entry);
    if (name == nullptr) name = archive_entry_pathname(entry);
    return name != nullptr && *name != '\0' ? std::string(name) : fmt::format("member-{}", budget_.members);
  }
  return std::nullopt;
}

std::uint64_t ArchiveReader::position() const {
  const la_int64_t bytes = archive_ != nullptr ? archive_filter_bytes(archive_, -1) : 0;
  return bytes < 0 ? 0 : static_cast<std::uint64_t>(bytes);
}

std::ptrdiff_t ArchiveReader::read(char* to, std::size_t size) {
  if (broken_) return -1;
  const la_ssize_t got = archive_read_data(archive_, to, size);
  if (got < 0) {
    // Whether the archive goes on behind it, the next header says.
    problem_ = problem_of(Code::ArchiveMemberUnread, "the member cannot be read");
    return -1;
  }
  return take(static_cast<std::uint64_t>(got)) ? static_cast<std::ptrdiff_t>(got) : -1;
}

}  // namespace amdcompat::migrate
