#include "cache.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <amdcompat/lift.hpp>
#include <amdcompat/version.hpp>

#include <digest.hpp>

namespace amdcompat::layer {
namespace {

namespace fs = std::filesystem;
using migrate::sha256;
using migrate::to_hex;

// The mapped object that holds `address`, and its build id.
struct BuildId {
  std::uintptr_t address = 0;
  std::string bytes{};
};

std::string id_of_notes(const char* notes, std::size_t size) {
  std::size_t at = 0;
  while (size - at >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof note);
    const std::size_t name = at + sizeof note, data = name + ((note.n_namesz + 3u) & ~3u);
    if (data > size || note.n_descsz > size - data) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes + name, "GNU", 4) == 0)
      return {notes + data, note.n_descsz};
    at = data + ((note.n_descsz + 3u) & ~3u);
    if (at > size) break;
  }
  return {};
}

int look_for_build_id(dl_phdr_info* object, std::size_t, void* out) {
  BuildId& id = *static_cast<BuildId*>(out);
  const std::span headers(object->dlpi_phdr, object->dlpi_phnum);
  const bool here = std::ranges::any_of(headers, [&](const ElfW(Phdr) & header) {
    const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
    return header.p_type == PT_LOAD && id.address >= begin && id.address - begin < header.p_memsz;
  });
  if (!here) return 0;
  for (const ElfW(Phdr) & header : headers)
    if (header.p_type == PT_NOTE && id.bytes.empty())
      // The place where the loader mapped the segment.
      id.bytes = id_of_notes(reinterpret_cast<const char*>(object->dlpi_addr + header.p_vaddr), header.p_memsz);
  return 1;
}

// Another build may lift otherwise: its entries are not ours. Empty where the linker wrote no id.
std::string build_id(const void* inside) {
  BuildId id{reinterpret_cast<std::uintptr_t>(inside)};
  dl_iterate_phdr(look_for_build_id, &id);
  return id.bytes;
}

// Entries begin with a line of this and the hash of the rest, so that half a file is no entry.
constexpr std::string_view kMagic = "amdcompat-lift 1 ";
constexpr std::size_t kHeader = kMagic.size() + 64 + 1;
constexpr std::string_view kEnding = ".lift";

std::optional<std::string> read_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string out;
  struct stat info{};
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode)) {
    out.resize(static_cast<std::size_t>(info.st_size));
    std::size_t at = 0;
    while (at < out.size()) {
      const ssize_t got = read(file, out.data() + at, out.size() - at);
      if (got <= 0) break;
      at += static_cast<std::size_t>(got);
    }
    out.resize(at);
  }
  // When it was last used decides what goes first.
  futimens(file, nullptr);
  close(file);
  return out;
}

bool write_file(const std::string& path, std::string_view head, std::string_view body) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return false;
  bool good = true;
  for (std::string_view part : {head, body})
    while (good && !part.empty()) {
      const ssize_t done = write(file, part.data(), part.size());
      good = done > 0;
      if (good) part.remove_prefix(static_cast<std::size_t>(done));
    }
  return close(file) == 0 && good;
}

}  // namespace

Cache::Cache(std::string directory, std::uint64_t limit) : directory_(std::move(directory)), limit_(limit) {
  if (directory_.empty()) return;
  std::error_code error;
  fs::create_directories(directory_, error);
  if (!fs::is_directory(directory_, error)) directory_.clear();
}

std::string Cache::key(std::string_view binary, std::string_view options) const {
  if (directory_.empty()) return {};
  // The lifter may be in a library of its own.
  static const int inside = 0;
  static const std::string build = build_id(&inside) + build_id(reinterpret_cast<const void*>(&lift::lift));
  // A library without an id cannot tell its entries from another's.
  if (build.empty()) return {};
  migrate::Sha256 hash;
  hash.add(fmt::format("{} {}:{} {}:", AMDCOMPAT_VERSION, build.size(), build, options.size()));
  hash.add(options);
  hash.add(binary);
  return to_hex(hash.finish());
}

std::string Cache::path_of(const std::string& key) const { return fmt::format("{}/{}{}", directory_, key, kEnding); }

std::optional<std::string> Cache::find(const std::string& key) const {
  if (key.empty()) return std::nullopt;
  std::optional<std::string> entry = read_file(path_of(key));
  if (!entry || entry->size() < kHeader || !entry->starts_with(kMagic)) return std::nullopt;
  const std::string_view body = std::string_view(*entry).substr(kHeader);
  if (std::string_view(*entry).substr(kMagic.size(), 64) != to_hex(sha256(body))) return std::nullopt;
  entry->erase(0, kHeader);
  return entry;
}

void Cache::keep(const std::string& key, std::string_view source) const {
  if (key.empty() || kHeader + source.size() > limit_) return;
  make_room(kHeader + source.size());
  static std::atomic<unsigned> count = 0;
  const std::string temporary = fmt::format("{}/{}.{}.{}.new", directory_, key, getpid(), count++);
  const std::string head = fmt::format("{}{}\n", kMagic, to_hex(sha256(source)));
  if (!write_file(temporary, head, source) || rename(temporary.c_str(), path_of(key).c_str()) != 0)
    unlink(temporary.c_str());
}

// Those that were used longest ago go first. What another process removed or added meanwhile makes the sum wrong for
// once, which the next one mends; half-written files of processes that were killed go after a day.
void Cache::make_room(std::uint64_t bytes) const {
  struct Entry {
    fs::path path;
    std::uint64_t bytes;
    fs::file_time_type used;
  };
  std::vector<Entry> entries;
  std::uint64_t total = bytes;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator it(directory_, error), end; !error && it != end; it.increment(error)) {
    std::error_code bad;
    Entry entry{it->path(), it->file_size(bad), it->last_write_time(bad)};
    if (bad) continue;
    if (entry.path.extension() == ".new") {
      if (now - entry.used > std::chrono::hours(24)) fs::remove(entry.path, bad);
    } else if (entry.path.extension() == kEnding) {
      total += entry.bytes;
      entries.push_back(std::move(entry));
    }
  }
  if (total <= limit_) return;
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (total <= limit_) break;
    std::error_code bad;
    if (fs::remove(entry.path, bad)) total -= entry.bytes;
  }
}

}  // namespace amdcompat::layer
