#include "walk.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <dirent.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include "state.hpp"

namespace amdcompat::migrate {

namespace {

std::string below(const std::string& directory, std::string_view name) {
  return directory.ends_with('/') ? fmt::format("{}{}", directory, name) : fmt::format("{}/{}", directory, name);
}

Diagnostic unreadable(std::string_view what) {
  return make_diagnostic(Code::FileUnreadable, {}, fmt::format("cannot {}: {}", what, std::strerror(errno)));
}

}  // namespace

std::string tidy_path(std::string_view path) {
  if (path.empty()) return {};
  std::string out;
  const bool absolute = path.starts_with('/');
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (!out.empty() || absolute) out += '/';
    out += part;
  }
  return out.empty() ? (absolute ? "/" : ".") : out;
}

Walker::Walker(std::vector<std::string> inputs, const std::string& output) : inputs_(std::move(inputs)) {
  for (std::string& input : inputs_) input = tidy_path(input);
  std::ranges::sort(inputs_, std::greater<>{});
  const auto repeated = std::ranges::unique(inputs_);
  inputs_.erase(repeated.begin(), repeated.end());
  named_.insert(inputs_.begin(), inputs_.end());
  struct stat status{};
  if (::stat(output.c_str(), &status) == 0) output_ = FileId(status.st_dev, status.st_ino);
}

std::optional<WalkEntry> Walker::next() {
  for (;;) {
    std::optional<WalkEntry> found;
    if (!levels_.empty()) {
      Level& level = levels_.back();
      if (level.names.empty()) {
        levels_.pop_back();
        continue;
      }
      std::string path = level.path == "." ? level.names.back() : below(level.path, level.names.back());
      level.names.pop_back();
      if (named_.contains(path)) continue;  // has its turn as an input
      found = look(std::move(path), false);
    } else if (!inputs_.empty()) {
      std::string path = std::move(inputs_.back());
      inputs_.pop_back();
      found = look(std::move(path), true);
    } else {
      return std::nullopt;
    }
    if (found) return found;
  }
}

// Nothing: a directory that was entered, or is passed over.
std::optional<WalkEntry> Walker::look(std::string path, bool named) {
  WalkEntry out{std::move(path), named, 0, std::nullopt};
  if (out.path.empty()) {
    out.problem = make_diagnostic(Code::FileUnreadable, {}, "an input has no name");
    return out;
  }
  struct stat own{}, status{};
  bool found = ::lstat(out.path.c_str(), &own) == 0;
  if (found && S_ISLNK(own.st_mode))
    found = ::stat(out.path.c_str(), &status) == 0;
  else
    status = own;
  if (!found) {
    out.problem = unreadable("find it");
    return out;
  }
  if (S_ISDIR(status.st_mode)) {
    if (output_ == FileId(status.st_dev, status.st_ino)) {
      if (!named) return std::nullopt;
      out.problem = make_diagnostic(Code::InputIsOutput, {}, "it is the directory that this migration writes to");
      return out;
    }
    if (S_ISLNK(own.st_mode) && !named) {
      out.problem = make_diagnostic(Code::LinkNotFollowed, {}, "a symbolic link to a directory is not followed");
      return out;
    }
    return enter(std::move(out.path), named);
  }
  if (!S_ISREG(status.st_mode)) {
    out.problem =
        make_diagnostic(named ? Code::FileUnreadable : Code::FileSpecial, {}, "a device, pipe or socket is not read");
    return out;
  }
  out.size = static_cast<std::uint64_t>(status.st_size);
  return out;
}

std::optional<WalkEntry> Walker::enter(std::string path, bool named) {
  struct stat status{};
  if (::stat(below(path, kStateDirectory).c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    Diagnostic why =
        make_diagnostic(Code::InputIsOutput, {}, "a migration writes to this directory, so it is not looked into");
    return WalkEntry{std::move(path), named, 0, std::move(why)};
  }
  DIR* const directory = ::opendir(path.c_str());
  if (directory == nullptr) return WalkEntry{std::move(path), named, 0, unreadable("open the directory")};
  Level level{std::move(path), {}};
  errno = 0;
  while (const dirent* const entry = ::readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") level.names.emplace_back(name);
    errno = 0;
  }
  std::optional<WalkEntry> broken;
  if (errno != 0) broken = WalkEntry{level.path, named, 0, unreadable("list the directory")};
  ::closedir(directory);
  std::ranges::sort(level.names, std::greater<>{});
  levels_.push_back(std::move(level));
  return broken;
}

}  // namespace amdcompat::migrate
