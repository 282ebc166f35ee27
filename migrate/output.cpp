#include "output.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>

#include "state.hpp"

namespace amdcompat::migrate {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 18;
constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

Diagnostic unwritable(const std::string& path, std::string_view why) {
  return make_diagnostic(Code::FileUnwritable, {}, fmt::format("cannot write {}: {}", path, why));
}

// Another name each time, below an output directory; State empties the directory when a run starts.
std::string temporary_name() {
  static std::atomic<std::uint64_t> count{0};
  return fmt::format("{}/tmp/{}", kStateDirectory, count++);
}

// Renames, making the directories on the way when they are missing; empty, or what is wrong. With `durable` the name is
// on the disk, too.
std::string rename_into(const std::string& from, const OutputRoot& directory, const std::string& to, bool durable) {
  Parent parent = open_parent(directory, to, true);
  if (parent.descriptor.get() < 0) return std::move(parent.problem);
  if (::renameat(directory.descriptor(), from.c_str(), parent.descriptor.get(), parent.name.c_str()) != 0)
    return std::strerror(errno);
  if (durable) ::fsync(parent.descriptor.get());
  return {};
}

// Whether a path, part by part, leads nowhere but further down.
bool stays_below(std::string_view path) {
  if (path.contains('\0')) return false;  // the system would see less of it
  while (true) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    if (part.empty() || part == "." || part == "..") return false;
    if (end == path.size()) return true;
    path.remove_prefix(end + 1);
  }
}

// Opens a directory below another one without following links; -1: that is not possible.
int open_below(int directory, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  return static_cast<int>(::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how));
}

bool is_regular(int file) {
  struct stat status{};
  return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

OutputRoot::OutputRoot(std::string path) : path_(std::move(path)), descriptor_(::open(path_.c_str(), kDirectoryFlags)) {
  if (descriptor_.get() < 0) error_ = errno;
}

Parent open_parent(const OutputRoot& directory, std::string_view path, bool make) {
  if (!stays_below(path)) return {FileDescriptor(-1), {}, fmt::format("'{}' is no path of an output", path)};
  const std::string_view whole = path;
  if (directory.descriptor() < 0) return {FileDescriptor(-1), std::string(path), std::strerror(directory.error())};
  // All of the way at once, where the system can [openat2(2): Linux 5.6], and all of it is there.
  if (const std::size_t last = path.rfind('/'); last != path.npos)
    if (const int parent = open_below(directory.descriptor(), std::string(path.substr(0, last)), kDirectoryFlags);
        parent >= 0)
      return {FileDescriptor(parent), std::string(path.substr(last + 1)), {}};
  int at = ::openat(directory.descriptor(), ".", kDirectoryFlags);
  std::string problem = at < 0 ? std::strerror(errno) : "";
  for (std::size_t slash = path.find('/'); at >= 0 && slash != path.npos; slash = path.find('/')) {
    const std::string part(path.substr(0, slash));
    path.remove_prefix(slash + 1);
    int next = ::openat(at, part.c_str(), kDirectoryFlags | O_NOFOLLOW);
    // Another thread may make it at the same time.
    if (next < 0 && errno == ENOENT && make && (::mkdirat(at, part.c_str(), 0777) == 0 || errno == EEXIST))
      next = ::openat(at, part.c_str(), kDirectoryFlags | O_NOFOLLOW);
    if (next < 0) {
      problem = std::strerror(errno);
      struct stat status{};
      if (::fstatat(at, part.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode))
        problem = fmt::format("{}/{} is a symbolic link, which is not followed", directory.path(),
                              whole.substr(0, whole.size() - path.size() - 1));
    }
    ::close(at);
    at = next;
  }
  return {FileDescriptor(at), std::string(path), std::move(problem)};
}

void remove_output(const OutputRoot& directory, std::string_view path, bool directories) {
  const auto remove = [&](int flags) {
    const Parent parent = open_parent(directory, path, false);
    return parent.descriptor.get() >= 0 && ::unlinkat(parent.descriptor.get(), parent.name.c_str(), flags) == 0;
  };
  remove(0);
  while (directories && path.contains('/')) {
    path = path.substr(0, path.rfind('/'));
    if (!path.contains('/') || !remove(AT_REMOVEDIR)) break;
  }
}

OutputFile::OutputFile(const OutputRoot& directory, std::string path)
    : directory_(directory), path_(std::move(path)), temporary_(temporary_name()) {
  if (directory_.descriptor() < 0) {
    error_ = directory_.error();
    return;
  }
  // Never what is there already: the name can be guessed, and what a link leads to would be written over.
  constexpr int kAttempts = 100;
  for (int attempt = 1; descriptor_ < 0 && attempt <= kAttempts; ++attempt) {
    if (attempt > 1) temporary_ = temporary_name();
    descriptor_ = ::openat(directory_.descriptor(), temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) break;
  }
  if (descriptor_ < 0) error_ = errno;
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlinkat(directory_.descriptor(), temporary_.c_str(), 0);
}

bool OutputFile::flush() {
  std::string_view rest = buffer_;
  while (error_ == 0 && !rest.empty()) {
    const ssize_t put = ::write(descriptor_, rest.data(), rest.size());
    if (put >= 0)
      rest.remove_prefix(static_cast<std::size_t>(put));
    else if (errno != EINTR)
      error_ = errno;
  }
  buffer_.clear();
  return error_ == 0;
}

bool OutputFile::write(std::string_view bytes) {
  buffer_ += bytes;
  return error_ == 0 && (buffer_.size() < kBuffer || flush());
}

std::optional<Diagnostic> OutputFile::finish(bool durable) {
  const auto failed = [&](std::string_view why) {
    return unwritable(fmt::format("{}/{}", directory_.path(), path_), why);
  };
  if (descriptor_ < 0) return failed(std::strerror(error_));
  flush();
  if (error_ == 0 && durable && ::fsync(descriptor_) != 0) error_ = errno;
  if (::close(descriptor_) != 0 && error_ == 0) error_ = errno;
  descriptor_ = -1;
  const std::string problem =
      error_ == 0 ? rename_into(temporary_, directory_, path_, durable) : std::string(std::strerror(error_));
  if (problem.empty()) return std::nullopt;
  ::unlinkat(directory_.descriptor(), temporary_.c_str(), 0);
  return failed(problem);
}

bool is_output_path(std::string_view path) {
  constexpr std::string_view kStart = "objects/";
  if (!path.starts_with(kStart)) return false;
  path.remove_prefix(kStart.size());
  if (path.size() < 3 + 64 + 1 || path[2] != '/' || path.substr(0, 2) != path.substr(3, 2)) return false;
  const std::string_view extension = path.substr(3 + 64);
  return digest_from_hex(path.substr(3, 64)) &&
         (extension == ".hsaco" || extension == ".compiled.hsaco" || extension == ".cl" || extension == ".yaml" ||
          extension == ".json" || extension == ".msgpack");
}

std::optional<Diagnostic> write_output(const OutputRoot& directory, const std::string& path, std::string_view bytes,
                                       bool durable) {
  OutputFile file(directory, path);
  file.write(bytes);
  return file.finish(durable);
}

FileDescriptor open_output(const OutputRoot& directory, std::string_view path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW;
  int file = stays_below(path) && directory.descriptor() >= 0
                 ? open_below(directory.descriptor(), std::string(path), kFlags)
                 : -1;
  if (file >= 0) {
    if (is_regular(file)) return FileDescriptor(file);
    ::close(file);
    return FileDescriptor(-1);
  }
  const Parent parent = open_parent(directory, path, false);
  if (parent.descriptor.get() < 0) return FileDescriptor(-1);
  file = ::openat(parent.descriptor.get(), parent.name.c_str(), kFlags);
  if (file < 0 || is_regular(file)) return FileDescriptor(file);
  ::close(file);
  return FileDescriptor(-1);
}

std::optional<Diagnostic> copy_output(int opened, const std::string& from, const OutputRoot& directory,
                                      const std::string& path, bool durable) {
  const auto failed = [&](std::string_view why) {
    return unwritable(fmt::format("{}/{}", directory.path(), path), why);
  };
  struct stat wanted{}, linked{};
  if (::fstat(opened, &wanted) != 0 || !S_ISREG(wanted.st_mode))
    return failed(fmt::format("{} is no file that can be read", from));
  // Mostly there is nothing of that name yet, and the system says what the opened file is [proc(5), /proc/pid/fd].
  if (!durable)
    if (const Parent parent = open_parent(directory, path, true); parent.descriptor.get() >= 0)
      if (const std::string itself = fmt::format("/proc/self/fd/{}", opened);
          ::linkat(AT_FDCWD, itself.c_str(), parent.descriptor.get(), parent.name.c_str(), AT_SYMLINK_FOLLOW) == 0)
        return std::nullopt;
  const int root = directory.descriptor();
  const std::string temporary = temporary_name();
  // A link at `from` is followed as it was when the file was opened; another file there is not the one that is wanted.
  if (::linkat(AT_FDCWD, from.c_str(), root, temporary.c_str(), AT_SYMLINK_FOLLOW) == 0) {
    if (::fstatat(root, temporary.c_str(), &linked, AT_SYMLINK_NOFOLLOW) == 0 && linked.st_dev == wanted.st_dev &&
        linked.st_ino == wanted.st_ino) {
      if (durable) ::fsync(opened);
      const std::string problem = rename_into(temporary, directory, path, durable);
      ::unlinkat(root, temporary.c_str(), 0);  // still there when both names were the same file already
      if (problem.empty()) return std::nullopt;
      return failed(problem);
    }
    ::unlinkat(root, temporary.c_str(), 0);
  }
  OutputFile file(directory, path);
  std::string buffer(kBuffer, '\0');
  for (off_t at = 0; at < wanted.st_size;) {
    const ssize_t got = ::pread(opened, buffer.data(), buffer.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return failed(fmt::format("{} cannot be read", from));
    if (!file.write(std::string_view(buffer).substr(0, static_cast<std::size_t>(got)))) break;
    at += got;
  }
  return file.finish(durable);
}

bool make_directory(const std::string& directory, Diagnostics& diagnostics) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (!failed) return true;
  diagnostics.report(Code::FileUnwritable, {}, fmt::format("cannot create {}: {}", directory, failed.message()));
  return false;
}

}  // namespace amdcompat::migrate
