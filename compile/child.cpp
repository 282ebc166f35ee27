#include "child.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

namespace amdcompat::compile {
namespace {

constexpr std::uint64_t kMostWords = 16;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;  // of a word
constexpr int kMilliseconds = 50;  // between two looks at the time

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

bool send_all(int socket, const void* bytes, std::size_t size) {
  for (const char* at = static_cast<const char*>(bytes); size != 0;) {
    const ssize_t put = ::send(socket, at, size, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put;
    size -= static_cast<std::size_t>(put);
  }
  return true;
}

// `ready` waits until there is something to read; false: no longer.
template <class Ready>
bool receive_all(int socket, void* bytes, std::size_t size, const Ready& ready) {
  for (char* at = static_cast<char*>(bytes); size != 0;) {
    if (!ready()) return false;
    const ssize_t got = ::recv(socket, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

template <class Ready>
std::optional<Words> receive_words(int socket, const Ready& ready) {
  std::uint64_t count = 0;
  if (!receive_all(socket, &count, sizeof(count), ready) || count > kMostWords) return std::nullopt;
  Words out(count);
  for (std::string& word : out) {
    std::uint64_t size = 0;
    if (!receive_all(socket, &size, sizeof(size), ready) || size > kMostBytes) return std::nullopt;
    word.resize(size);
    if (!receive_all(socket, word.data(), word.size(), ready)) return std::nullopt;
  }
  return out;
}

std::string ending_of(int status) {
  if (WIFSIGNALED(status)) return fmt::format("it was ended by signal {}", ::strsignal(WTERMSIG(status)));
  return fmt::format("it ended with status {}", WEXITSTATUS(status));
}

// As exec takes them; it changes none.
std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

// That of this process, with another directory for temporary files.
std::vector<std::string> environment_with(const std::string& directory) {
  std::vector<std::string> out{"TMPDIR=" + directory};
  for (char** value = environ; value != nullptr && *value != nullptr; ++value)  // none after clearenv
    if (!std::string_view(*value).starts_with("TMPDIR=")) out.emplace_back(*value);
  return out;
}

void end_files_from(int first) {
  if (::close_range(static_cast<unsigned>(first), ~0U, 0) == 0) return;
  const long most = ::sysconf(_SC_OPEN_MAX);  // kernels before 5.9
  for (int file = first; file < std::min(most, 65'536L); ++file) ::close(file);
}

}  // namespace

Handle::~Handle() {
  if (number_ >= 0) ::close(number_);
}

std::optional<Words> receive(int socket) {
  return receive_words(socket, [] { return true; });
}

bool send(int socket, const Words& words) {
  const std::uint64_t count = words.size();
  if (!send_all(socket, &count, sizeof(count))) return false;
  return std::ranges::all_of(words, [&](const std::string& word) {
    const std::uint64_t size = word.size();
    return send_all(socket, &size, sizeof(size)) && send_all(socket, word.data(), word.size());
  });
}

Child::Child(const std::function<void(int socket)>& work) : words_(::memfd_create("amdcompat", MFD_CLOEXEC)) {
  int ends[2] = {-1, -1};
  if (!words_ || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  socket_ = Handle(ends[0]);
  const Handle other(ends[1]);
  pid_ = ::fork();
  if (pid_ != 0) return;
  constexpr int kSocket = 3;
  ::setpgid(0, 0);
  constexpr rlimit kNone{};
  ::setrlimit(RLIMIT_CORE, &kNone);
  ::dup2(words_.get(), STDOUT_FILENO);
  ::dup2(words_.get(), STDERR_FILENO);
  const int socket = ::fcntl(other.get(), F_DUPFD_CLOEXEC, kSocket + 1);
  ::dup2(socket, kSocket);
  ::fcntl(kSocket, F_SETFD, FD_CLOEXEC);
  end_files_from(kSocket + 1);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::close(nothing);
  work(kSocket);
  ::_exit(0);
}

Child::Child(Child&& other) noexcept
    : socket_(std::move(other.socket_)), words_(std::move(other.words_)), pid_(std::exchange(other.pid_, -1)) {}

Child::~Child() { kill(); }

void Child::kill() {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);  // where it has not come to make its group yet
  ::waitpid(std::exchange(pid_, -1), nullptr, 0);
}

double Child::processor_seconds() const {
  clockid_t clock{};
  return ::clock_getcpuclockid(pid_, &clock) == 0 ? seconds_of(clock) : 0;
}

std::optional<Words> Child::ask(const Words& request, double seconds, std::string& how) {
  if (pid_ <= 0) {
    how = "no child process could be made";
    return std::nullopt;
  }
  const double processor = processor_seconds() + seconds, clock = seconds_of(CLOCK_MONOTONIC) + 10 * seconds;
  bool late = false;
  const auto ready = [&] {
    for (;;) {
      pollfd socket{socket_.get(), POLLIN, 0};
      if (::poll(&socket, 1, kMilliseconds) > 0) return true;
      if (processor_seconds() <= processor && seconds_of(CLOCK_MONOTONIC) <= clock) continue;
      late = true;
      return false;
    }
  };
  if (send(socket_.get(), request))
    if (auto answer = receive_words(socket_.get(), ready)) return answer;
  if (late) {
    how = fmt::format("it took more than {} s", seconds);
    kill();
    return std::nullopt;
  }
  // It has closed its end of the socket: it has ended, or is about to.
  int status = 0;
  how = ::waitpid(std::exchange(pid_, -1), &status, 0) < 0 ? "it ended" : ending_of(status);
  return std::nullopt;
}

std::optional<int> Child::wait(double seconds, std::string& how) {
  if (pid_ <= 0) {
    how = "no child process could be made";
    return std::nullopt;
  }
  // Its socket closes with it, or already when it becomes another program.
  const double clock = seconds_of(CLOCK_MONOTONIC) + 10 * seconds, processor = seconds;
  for (int milliseconds = 1;; milliseconds = std::min(milliseconds * 2, kMilliseconds)) {
    int status = 0;
    const double spent = processor_seconds();
    const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == pid_) {
      ::kill(-std::exchange(pid_, -1), SIGKILL);  // programs that it has left behind
      if (WIFEXITED(status)) return WEXITSTATUS(status);
      how = ending_of(status);
      return std::nullopt;
    }
    if (ended < 0 || spent > processor || seconds_of(CLOCK_MONOTONIC) > clock) {
      how = fmt::format("it took more than {} s", seconds);
      kill();
      return std::nullopt;
    }
    ::poll(nullptr, 0, milliseconds);
  }
}

std::string Child::printed() const {
  std::array<char, 4000> text{};
  const ssize_t got = words_ ? ::pread(words_.get(), text.data(), text.size(), 0) : 0;
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

Ran run_program(const std::vector<std::string>& words, const std::string& directory, double seconds) {
  // All memory is had here: a child that only becomes another program needs no heap that works after a fork.
  const std::vector<std::string> values = environment_with(directory);
  const std::vector<char*> arguments = pointers_to(words), environment = pointers_to(values);
  // A compiler's own children count for themselves.
  const rlimit limit{static_cast<rlim_t>(seconds) + 1, static_cast<rlim_t>(seconds) + 2};
  constexpr int kNotRun = 127;  // as shells have it
  Child child([&](int) {
    ::setrlimit(RLIMIT_CPU, &limit);
    ::execve(arguments[0], arguments.data(), environment.data());
    ::_exit(kNotRun);
  });
  Ran out;
  const std::optional<int> status = child.wait(seconds, out.how);
  out.printed = child.printed();
  if (status == kNotRun)
    out.how = "it cannot be run";
  else if (status)
    out.status = *status;
  return out;
}

std::string find_program(std::string_view name) {
  if (name.contains('/')) return ::access(std::string(name).c_str(), X_OK) == 0 ? std::string(name) : std::string();
  const char* const path = std::getenv("PATH");
  std::string_view left = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(':'), left.size());
    const std::string candidate = fmt::format("{}/{}", left.substr(0, end), name);
    if (end != 0 && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return {};
}

}  // namespace amdcompat::compile
