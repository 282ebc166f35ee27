// Child processes: one that answers requests in this program's own code, and one that runs another program.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include <process/temporary_directory.hpp>

namespace amdcompat::compile {

using process::TemporaryDirectory;

inline constexpr double kSecondsToAnswer = 60;  // the limit of a child that compiles no kernel

// Texts that processes send each other.
using Words = std::vector<std::string>;

// A file descriptor.
class Handle {
 public:
  explicit Handle(int number = -1) : number_(number) {}
  ~Handle();
  Handle(Handle&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

// A child made by fork, from any thread: glibc makes its heap and its loader usable in a child again. AddressSanitizer
// does not do so with its own [seen with GCC 12 and clang 19: a child waits for the mutex of a size class, or of the
// list of threads, that another thread held], so a test of many threads may wait for a child there. It has no files of
// its parent open, no core, and a process group of its own, which ends with this object.
class Child {
 public:
  // `work` runs in the child, which then ends; what it prints on standard output and error is kept.
  explicit Child(const std::function<void(int socket)>& work);
  ~Child();
  Child(Child&&) noexcept;
  Child& operator=(Child&&) = delete;

  // The answer; or nothing, with `how` it ended instead. The limit is of processor time; ten times as much by the
  // clock.
  std::optional<Words> ask(const Words& request, double seconds, std::string& how);
  // Waits for its end. The exit status; or nothing, with `how` it ended instead.
  std::optional<int> wait(double seconds, std::string& how);
  // The first of what it printed.
  [[nodiscard]] std::string printed() const;

 private:
  [[nodiscard]] double processor_seconds() const;
  void kill();

  Handle socket_, words_;
  pid_t pid_ = -1;
};

// For the work of a child. Nothing: the parent has no more requests.
[[nodiscard]] std::optional<Words> receive(int socket);
bool send(int socket, const Words& words);

// Runs a program found in the path, in the environment of this process but for TMPDIR. That is read here: as for
// getenv, no other thread may change it meanwhile by setenv or putenv (ISO C17 §7.22.4.6; POSIX.1-2017), which a host
// that loads this library has to see to. `status` -1: it could not be run or did not end by itself, and `how` says why.
struct Ran {
  int status = -1;
  std::string how;
  std::string printed;  // the first of it
};
[[nodiscard]] Ran run_program(const std::vector<std::string>& words, const std::string& directory, double seconds);

// A program of that name in the path, or a path itself; empty: there is none. It reads the environment too.
[[nodiscard]] std::string find_program(std::string_view name);

}  // namespace amdcompat::compile
