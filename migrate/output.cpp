#include "output.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "state.hpp"

namespace amdcompat::migrate {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 18;

Diagnostic unwritable(const std::string& path, int error) {
  return make_diagnostic(Code::FileUnwritable, {}, fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

// Another name each time; State empties the directory when a run starts.
std::string temporary_name(const std::string& directory) {
  static std::atomic<std::uint64_t> count{0};
  return fmt::format("{}/{}/tmp/{}", directory, kStateDirectory, count++);
}

// Renames, making the directories on the way when they are missing; 0 or the error. With `durable` the name is on the
// disk, too.
int rename_into(const std::string& from, const std::string& directory, const std::string& to, bool durable) {
  const Parent parent = open_parent(directory, to, true);
  if (parent.descriptor.get() < 0) return parent.error;
  if (::renameat(AT_FDCWD, from.c_str(), parent.descriptor.get(), parent.name.c_str()) != 0) return errno;
  if (durable) ::fsync(parent.descriptor.get());
  return 0;
}

}  // namespace

Parent open_parent(const std::string& directory, std::string_view path, bool make) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  int at = ::open(directory.c_str(), kFlags), error = errno;
  for (std::size_t slash = path.find('/'); at >= 0 && slash != path.npos; slash = path.find('/')) {
    const std::string part(path.substr(0, slash));
    path.remove_prefix(slash + 1);
    int next = ::openat(at, part.c_str(), kFlags | O_NOFOLLOW);
    // Another thread may make it at the same time.
    if (next < 0 && errno == ENOENT && make && (::mkdirat(at, part.c_str(), 0777) == 0 || errno == EEXIST))
      next = ::openat(at, part.c_str(), kFlags | O_NOFOLLOW);
    error = errno;
    ::close(at);
    at = next;
  }
  return {FileDescriptor(at), std::string(path), at < 0 ? error : 0};
}

bool remove_output(const std::string& directory, std::string_view path, bool directories) {
  const auto remove = [&](int flags) {
    const Parent parent = open_parent(directory, path, false);
    return parent.descriptor.get() >= 0 && ::unlinkat(parent.descriptor.get(), parent.name.c_str(), flags) == 0;
  };
  const bool was_there = remove(0);
  while (directories) {
    const std::size_t slash = path.rfind('/');
    if (slash == path.npos) break;
    path = path.substr(0, slash);
    if (path.find('/') == path.npos || !remove(AT_REMOVEDIR)) break;
  }
  return was_there;
}

OutputFile::OutputFile(std::string directory, std::string path)
    : directory_(std::move(directory)), path_(std::move(path)), temporary_(temporary_name(directory_)) {
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor_ < 0) error_ = errno;
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
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
  const std::string path = fmt::format("{}/{}", directory_, path_);
  flush();
  if (error_ == 0 && durable && ::fsync(descriptor_) != 0) error_ = errno;
  if (descriptor_ >= 0 && ::close(descriptor_) != 0 && error_ == 0) error_ = errno;
  descriptor_ = -1;
  if (error_ == 0) error_ = rename_into(temporary_, directory_, path_, durable);
  if (error_ != 0) {
    ::unlink(temporary_.c_str());
    return unwritable(path, error_);
  }
  return std::nullopt;
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

std::optional<Diagnostic> write_output(const std::string& directory, const std::string& path, std::string_view bytes,
                                       bool durable) {
  OutputFile file(directory, path);
  file.write(bytes);
  return file.finish(durable);
}

std::optional<Diagnostic> copy_output(const std::string& from, const std::string& directory, const std::string& path,
                                      bool durable) {
  const std::string temporary = temporary_name(directory), to = fmt::format("{}/{}", directory, path);
  std::error_code failed;
  if (::link(from.c_str(), temporary.c_str()) != 0) std::filesystem::copy_file(from, temporary, failed);
  if (failed) return unwritable(to, failed.value());
  if (durable) {
    const int descriptor = ::open(temporary.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) {
      ::fsync(descriptor);
      ::close(descriptor);
    }
  }
  const int error = rename_into(temporary, directory, path, durable);
  ::unlink(temporary.c_str());  // still there when both names were the same file already
  if (error != 0) return unwritable(to, error);
  return std::nullopt;
}

bool make_directory(const std::string& directory, Diagnostics& diagnostics) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (!failed) return true;
  diagnostics.report(Code::FileUnwritable, {}, fmt::format("cannot create {}: {}", directory, failed.message()));
  return false;
}

}  // namespace amdcompat::migrate
