#include "names.hpp"

#include <algorithm>
#include <array>
#include <sys/stat.h>

#include <fmt/format.h>

#include "digest.hpp"
#include "utf8.hpp"
#include "walk.hpp"

namespace amdcompat::migrate {

namespace {

constexpr std::size_t kMostPart = 180;  // bytes of a part, so that 255 hold it with the longest suffix
constexpr std::size_t kMostName = 1024;  // bytes of all directories and the file's own name
constexpr std::array<std::string_view, 5> kOutputEndings{".hsaco", ".cl", ".yaml", ".json", ".msgpack"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string digits(std::string_view text, std::size_t count) { return to_hex(sha256(text)).substr(0, count); }

// Length of the character at the front that may stand in a name; 0: its first byte is escaped.
std::size_t plain_character(std::string_view text) {
  const auto [size, point] = utf8_at(text);
  if (point < 0x80)
    return point >= 0x20 && point != 0x7f && std::string_view("<>:\"\\|?*%/").find(text.front()) == text.npos ? 1 : 0;
  // Controls of ISO 6429, and marks that turn the direction of what follows them or have no width.
  const bool hidden = point < 0xa0 || (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
                      (point >= 0x2060 && point <= 0x206f) || point == 0xfeff;
  return hidden || (point & 0xfffe) == 0xfffe ? 0 : size;
}

void escape(std::string& out, char byte) { out += fmt::format("%{:02X}", static_cast<unsigned char>(byte)); }

// The Windows API takes these for devices, whatever follows a dot.
bool is_device_name(std::string_view part) {
  std::string name(part.substr(0, std::min(part.find('.'), part.size())));
  std::ranges::transform(name, name.begin(), lower);
  if (name == "con" || name == "prn" || name == "aux" || name == "nul") return true;
  return name.size() == 4 && (name.starts_with("com") || name.starts_with("lpt")) && name[3] >= '1' && name[3] <= '9';
}

bool ends_like_an_output(std::string_view part) {
  const std::string key = name_key(part);
  return std::ranges::any_of(kOutputEndings, [&](std::string_view ending) { return key.ends_with(ending); });
}

// At most so many bytes of a part, cut between characters; what is escaped is three of them.
std::string_view cut_part(std::string_view part, std::size_t size) {
  if (part.size() <= size) return part;
  std::size_t cut = size;
  while (cut > 0 && (static_cast<unsigned char>(part[cut]) & 0xc0) == 0x80) --cut;
  for (std::size_t back = 1; back <= 2 && back <= cut; ++back)
    if (part[cut - back] == '%') cut -= back;
  return part.substr(0, cut);
}

// A part of a path as a part of a name; never empty, "." or "..".
std::string safe_part(std::string_view part, bool directory) {
  std::string out;
  const std::size_t last_dot = directory && ends_like_an_output(part) ? part.rfind('.') : part.npos;
  for (std::size_t i = 0; i < part.size();) {
    const std::size_t size = plain_character(part.substr(i));
    const bool ends_badly = i + 1 == part.size() && (part[i] == '.' || part[i] == ' ');
    if (size == 0 || ends_badly || i == last_dot || (i == 0 && is_device_name(part)))
      escape(out, part[i]), ++i;
    else
      out += part.substr(i, size), i += size;
    if (out.size() > kMostPart && i < part.size())
      return fmt::format("{}~{}", cut_part(out, kMostPart - 20), digits(part, 16));
  }
  return out.empty() ? "~" : out;
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end != 0) out.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return out;
}

// What is left of a path below `base`.
std::string_view below(std::string_view path, std::string_view base) {
  if (base.empty() || !path.starts_with(base)) return path;
  if (base.ends_with('/')) return path.substr(base.size());
  if (path.size() > base.size() && path[base.size()] == '/') return path.substr(base.size() + 1);
  return path;
}

}  // namespace

std::string common_directory(const std::vector<std::string>& directories) {
  if (directories.empty()) return {};
  std::string out = directories.front();
  for (const std::string& other : directories) {
    while (!out.empty() && other != out && !other.starts_with(out.ends_with('/') ? out : out + '/')) {
      const std::size_t slash = out.rfind('/');
      const bool root = slash == 0 && out.size() > 1;
      out.resize(root ? 1 : slash == out.npos || out.size() == 1 ? 0 : slash);
    }
  }
  return out;
}

std::string directory_of_inputs(const std::vector<std::string>& inputs) {
  std::vector<std::string> directories;
  for (const std::string& input : inputs) {
    std::string path = tidy_path(input);
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
      const std::size_t slash = path.rfind('/');
      path.resize(slash == path.npos ? 0 : std::max<std::size_t>(slash, 1));
    }
    if (path == ".") path.clear();  // what lies below is named without it
    directories.push_back(std::move(path));
  }
  return common_directory(directories);
}

std::string output_suffix(const ManifestOutput& output) {
  std::string out;
  if (!output.target.empty()) out += "." + output.target;
  std::ranges::replace(out, ':', '_');
  if (output.layout == "compiled") out += ".compiled";
  return out + "." + (output.form == "elf" ? "hsaco" : output.form);
}

std::string output_name(const FileRecord& file, const ProgramPlace& place, std::string_view base,
                        std::string_view suffix, unsigned attempt) {
  std::vector<std::string_view> parts = parts_of(below(file.path, base));
  std::string own = parts.empty() ? "~" : safe_part(parts.back(), false);
  if (attempt > 1) own.resize(cut_part(own, kMostPart - 60).size());  // more digits follow
  std::string directories;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    directories += safe_part(parts[i], true) + '/';
    if (directories.size() > kMostName) break;
  }
  if (directories.size() + own.size() > kMostName)
    directories = fmt::format("~{}/", digits(below(file.path, base), 16));
  std::string out = fmt::format("{}/{}{}", kNamesDirectory, directories, own);
  if (attempt != 0) {
    // Ordinals tell members of one name apart. Whoever chose the inputs' names may have taken these too: the next
    // attempt has other digits.
    std::string whose = fmt::format("{}\n{}\n{}", file.ordinal, place.offset, file.path);
    if (attempt > 2) whose += fmt::format("\n{}", attempt);
    out += "~" + digits(whose, attempt == 1 ? 8 : 48);
  }
  if (place.offset != 0 || place.size != file.size || !place.entry.empty()) out += fmt::format(".{:#x}", place.offset);
  return out.append(suffix);
}

std::string name_key(std::string_view name) {
  std::string out(name);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

bool is_output_name(std::string_view path) {
  const std::vector<std::string_view> parts = parts_of(path);
  if (parts.size() < 2 || parts.front() != kNamesDirectory || path.size() > kMostName + 200) return false;
  std::string again;
  for (const std::string_view part : parts) {
    if (part == "." || part == ".." || part.ends_with('.') || part.size() > 255) return false;
    for (std::size_t i = 0; i < part.size();) {
      const std::size_t size = part[i] == '%' ? 1 : plain_character(part.substr(i));
      if (size == 0) return false;
      i += size;
    }
    again += again.empty() ? "" : "/";
    again += part;
  }
  return again == path && ends_like_an_output(path);
}

}  // namespace amdcompat::migrate
