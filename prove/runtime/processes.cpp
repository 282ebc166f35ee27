#include "processes.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "requests.hpp"

namespace amdcompat::opencl {

namespace {

constexpr off_t kLastWords = 2000;  // bytes
constexpr int kMilliseconds = 1000;  // of a second

// No child holds the writing end of another one's pipe, whose end would then not be seen.
std::mutex& forking() {
  static std::mutex one;
  return one;
}

// Where Debian and its own installation have it; a loader takes a library in place of a directory of names.
constexpr const char* kSimulators[] = {"/usr/lib/oclgrind/liboclgrind-rt-icd.so",
                                       "/usr/local/lib/liboclgrind-rt-icd.so"};
const char* simulator() {
  const auto* const found =
      std::ranges::find_if(kSimulators, [](const char* path) { return ::access(path, R_OK) == 0; });
  return found == std::end(kSimulators) ? kSimulators[0] : *found;
}

// pocl's device of one core runs kernels on the stack of who asks for it, with the variables of a whole work-group,
// which is more than a thread of a pool has.
template <class Work>
void on_large_stack(Work work) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;  // which only those that use it take
  pthread_attr_t attributes;
  pthread_t thread{};
  const auto begin = [](void* to) -> void* {
    (*static_cast<Work*>(to))();
    return nullptr;
  };
  const bool made = ::pthread_attr_init(&attributes) == 0 && ::pthread_attr_setstacksize(&attributes, kBytes) == 0 &&
                    ::pthread_create(&thread, &attributes, begin, &work) == 0;
  if (made)
    ::pthread_join(thread, nullptr);
  else
    work();
}

// pocl's compiler touches a hundred megabytes as it starts, page by page, in an arena that grows page by page where its
// thread is not the first one. With one heap for all threads, of large pages where the system has them for those who
// ask, a proof of a small kernel took 1.4 s instead of 1.9 s, and twelve by two at once 12 s instead of 14 s.
void prepare_heap() {
#ifdef __GLIBC__
  constexpr int kReserved = 128 << 20, kPiece = 16 << 20;  // bytes of addresses
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_MMAP_THRESHOLD, 2 * kPiece);  // the largest that there is
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  ::mallopt(M_TOP_PAD, kReserved);
  void* const first = std::malloc(kPiece);
  ::mallopt(M_TOP_PAD, kPiece);
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(first) + page - 1) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(::sbrk(0)) / page * page;
  // Not where the heap could not grow, or is not that of the C library.
  if (first != nullptr && begin < end && end - begin <= kReserved + 2 * std::uintptr_t{kPiece})
    ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  std::free(first);
#endif
}

// In a new child of this process.
void settle(std::FILE* words, const std::string& cache, bool all_cores) {
  ::setpgid(0, 0);  // pocl starts a linker
  constexpr rlimit kNone{};
  ::setrlimit(RLIMIT_CORE, &kNone);
  prepare_heap();
  ::dup2(::fileno(words), STDOUT_FILENO);
  ::dup2(::fileno(words), STDERR_FILENO);
  ::setenv("POCL_CACHE_DIR", cache.c_str(), 1);
  if (all_cores) return;
  ::setenv("POCL_DEVICES", "basic", 0);
  // Work-items one after the other in loops that are not made vectors: half the time of the compiler.
  ::setenv("POCL_WORK_GROUP_METHOD", "loops", 0);
}

// A child and what it started.
void kill_all(pid_t child) {
  ::kill(-child, SIGKILL);
  ::kill(child, SIGKILL);  // where it has not come to make its group yet
}
std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return std::string("signal ") + ::strsignal(WTERMSIG(status));
  return "exit status " + std::to_string(WEXITSTATUS(status));
}

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
double clock_seconds() { return seconds_of(CLOCK_MONOTONIC); }

bool is_ready(int file, int milliseconds) {
  pollfd one{file, POLLIN, 0};
  return ::poll(&one, 1, milliseconds) > 0;
}

// What `send` wrote, without its length; nothing: the other side has closed.
std::optional<std::string> receive_all(int from) {
  const auto read_all = [from](void* to, std::size_t size) {
    for (char* at = static_cast<char*>(to); size != 0;) {
      const ssize_t got = ::read(from, at, size);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  };
  std::uint64_t length = 0;
  if (!read_all(&length, sizeof(length))) return std::nullopt;
  std::string out(length, '\0');
  if (!read_all(out.data(), out.size())) return std::nullopt;
  return out;
}
// To a socket, of which the other side may have gone: no signal.
bool send_all(int to, std::string_view bytes) {
  const std::uint64_t length = bytes.size();
  std::string all(reinterpret_cast<const char*>(&length), sizeof(length));
  all += bytes;
  for (std::string_view rest = all; !rest.empty();) {
    const ssize_t sent = ::send(to, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// --- the worker's process ----------------------------------------------------------------------------------

constexpr int kIdle = 30;  // seconds without a request, after which a worker ends
constexpr std::uint32_t kMostServed = 200;  // requests, of which each leaves some 50 KB of compiled code

int process_file(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

// Threads of this process; that from which it was made has one that waits.
std::size_t threads() {
  std::error_code error;
  const std::filesystem::directory_iterator all("/proc/self/task", error);
  return error ? 0 : static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

class Server {
 public:
  Server(int control, int data, int words) : control_(control), data_(data), words_(words) {}

  void serve() {
    const std::string why = warm();
    send(control_, message_of(ready_.cl, ready_.device, why));
    while (why.empty() && is_ready(control_, kIdle * kMilliseconds)) {
      const std::optional<std::string> request = receive_all(control_);
      if (!request) return;
      if (!request->empty() && !answer(*request)) return;  // empty: to end a child that has ended meanwhile
    }
  }

 private:
  // Loads what programs are built with. Why there can be no children of this process; empty: there can.
  std::string warm() {
    constexpr std::size_t kOwnThreads = 2;
    const int self = process_file(::getpid());
    if (self < 0) return "no file of a process";
    ::close(self);
    if (std::string why = ready_.prepare({}); !why.empty()) return why;
    if (!ready_.device.is_pocl) return "not pocl";
    constexpr const char* kSource = "__kernel void warm(__global float *out) { out[0] = exp(out[0]); }";
    const std::size_t length = std::strlen(kSource);
    const char* text = kSource;
    cl_int error = 0;
    const cl_program program = ready_.cl.CreateProgramWithSource(ready_.context, 1, &text, &length, &error);
    if (error != CL_SUCCESS ||
        ready_.cl.BuildProgram(program, 1, &ready_.device.device, "", nullptr, nullptr) != CL_SUCCESS)
      return "no program can be built";
    ready_.declarations = Declarations::of_pocl();
    return threads() == kOwnThreads ? "" : "it has threads";
  }

  // False: nobody waits for the answer.
  bool answer(const std::string& bytes) {
    if (::ftruncate(words_, 0) != 0 || ::lseek(words_, 0, SEEK_SET) != 0) return false;
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      ::setpgid(0, 0);
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::signal(SIGPIPE, SIG_DFL);
      ::close(control_);
      Request request;
      std::size_t first = 0;
      if (unpack(bytes, request, first)) work(data_, request, first, ready_);
      ::_exit(0);
    }
    const int ended = child > 0 ? process_file(child) : -1;
    bool heard =
        ended >= 0 && send_all(control_, std::string_view(reinterpret_cast<const char*>(&child), sizeof child));
    std::array<pollfd, 2> either{{{ended, POLLIN, 0}, {control_, POLLIN, 0}}};
    while (heard && either[0].revents == 0) {
      if (::poll(either.data(), either.size(), -1) < 0 && errno != EINTR) break;
      if (either[1].revents == 0) continue;
      heard = receive_all(control_).has_value();
      if (heard) kill_all(child);
    }
    if (ended >= 0) ::close(ended);
    if (child <= 0) return false;
    kill_all(child);
    int status = 0;
    ::waitpid(child, &status, 0);
    return heard && send_all(control_, how_it_ended(status));
  }

  int control_, data_, words_;
  Ready ready_;
};

// All files of the process that this one was forked from but those, which become `kFirst` and the next one: who waits
// for the end of a pipe of it would wait for this process.
constexpr int kFirst = 3;
void keep_files(int control, int data) {
  const int none = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(none, STDIN_FILENO);
  constexpr int kAbove = 16;
  const int high_control = ::fcntl(control, F_DUPFD, kAbove), high_data = ::fcntl(data, F_DUPFD, kAbove);
  ::dup2(high_control, kFirst);
  ::dup2(high_data, kFirst + 1);
  for (const int file : {kFirst, kFirst + 1}) ::fcntl(file, F_SETFD, FD_CLOEXEC);
  ::close_range(kFirst + 2, ~0u, 0);
}

[[noreturn]] void be_worker(int control, int data, std::FILE* words) {
  {
    const TemporaryDirectory cache;
    settle(words, cache.path(), false);
    ::signal(SIGPIPE, SIG_IGN);
    keep_files(control, data);
    on_large_stack([] { Server(kFirst, kFirst + 1, STDERR_FILENO).serve(); });
  }
  ::_exit(0);
}

}  // namespace

std::unique_ptr<Worker> Worker::start() {
  constexpr int kLoading = 60;  // seconds
  std::unique_ptr<Worker> out(new Worker);
  out->words_ = std::tmpfile();
  int control[2] = {-1, -1}, data[2] = {-1, -1};
  {
    const std::lock_guard lock(forking());
    if (out->words_ == nullptr || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) != 0) return nullptr;
    out->control_ = control[0];
    const bool piped = ::pipe2(data, O_CLOEXEC) == 0;
    if (piped) {
      std::fflush(nullptr);
      out->data_ = data[0];
      out->maker_ = ::getpid();
      out->pid_ = ::fork();
      if (out->pid_ == 0) be_worker(control[1], data[1], out->words_);
      ::close(data[1]);
    }
    ::close(control[1]);
    if (out->pid_ <= 0) return nullptr;
  }
  if (!is_ready(out->control_, kLoading * kMilliseconds)) return nullptr;
  const std::optional<std::string> bytes = receive_all(out->control_);
  const std::optional<Message> hello = bytes ? opencl::unpack(*bytes) : std::nullopt;
  if (!hello) return nullptr;
  out->device_ = device_of(*hello);
  return out->device_.missing.empty() ? std::move(out) : nullptr;
}

Worker::~Worker() {
  constexpr int kEnding = 5;  // seconds
  if (control_ >= 0) ::close(control_);
  // Another process that was forked from the maker has no child to wait for.
  if (pid_ > 0 && maker_ == ::getpid()) {
    if (!is_ready(data_, kEnding * kMilliseconds)) ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (data_ >= 0) ::close(data_);
  if (words_ != nullptr) std::fclose(words_);
}

bool Worker::is_fresh() const { return served_ < kMostServed && maker_ == ::getpid() && !is_ready(control_, 0); }

pid_t Worker::begin(const std::string& request) {
  ++served_;
  if (!send_all(control_, request)) return -1;
  const std::optional<std::string> bytes = receive_all(control_);
  pid_t out = -1;
  if (bytes && bytes->size() == sizeof(out)) std::memcpy(&out, bytes->data(), sizeof(out));
  return out;
}

std::string Worker::end() {
  send_all(control_, {});
  std::string how = receive_all(control_).value_or("ended");
  // What it had not said in full, or nobody heard.
  std::array<char, 4096> rest{};
  while (is_ready(data_, 0) && ::read(data_, rest.data(), rest.size()) > 0) {
  }
  return how;
}

namespace {
struct Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<Worker>> idle;
  bool none = false;  // can be made
};
Pool& pool() {
  static Pool one;
  return one;
}
}  // namespace

std::unique_ptr<Worker> take_worker() {
  {
    const std::lock_guard lock(pool().mutex);
    if (pool().none) return nullptr;
    while (!pool().idle.empty()) {
      std::unique_ptr<Worker> out = std::move(pool().idle.back());
      pool().idle.pop_back();
      if (out->is_fresh()) return out;
    }
  }
  std::unique_ptr<Worker> out = Worker::start();
  if (!out) {
    const std::lock_guard lock(pool().mutex);
    pool().none = true;
  }
  return out;
}

void give_back(std::unique_ptr<Worker> worker) {
  if (!worker || !worker->is_fresh()) return;
  const std::lock_guard lock(pool().mutex);
  pool().idle.push_back(std::move(worker));
}

// --- who waits ---------------------------------------------------------------------------------------------

Running::Running(Runtime runtime, bool unset_values, bool all_cores, const std::function<void(int to)>& work)
    : cache_(std::in_place), words_(std::tmpfile()) {
  const std::lock_guard lock(forking());
  int ends[2] = {-1, -1};
  if (words_ == nullptr || ::pipe2(ends, O_CLOEXEC) != 0) return;
  std::fflush(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    settle(words_, cache_->path(), all_cores);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (runtime == Runtime::Simulator) {
      ::setenv("OCL_ICD_VENDORS", simulator(), 1);
      for (const char* check : {"OCLGRIND_DATA_RACES", "OCLGRIND_CHECK_API"}) ::setenv(check, "1", 1);
      if (unset_values) ::setenv("OCLGRIND_UNINITIALIZED", "1", 1);
    }
    on_large_stack([&] { work(ends[1]); });
    ::_exit(0);
  }
  ::close(ends[1]);
  from_ = ends[0];
}

Running::Running(Worker& worker, const std::string& request)
    : worker_(&worker), words_(worker.words()), pid_(worker.begin(request)), from_(worker.data()) {}

Running::~Running() {
  if (pid_ > 0) kill();
  if (worker_ != nullptr) return;
  if (from_ >= 0) ::close(from_);
  if (words_ != nullptr) std::fclose(words_);
}

Message Running::next(double seconds) {
  if (pid_ <= 0) return {Status::Died, "no child process could be made"};
  const Limit limit{processor_seconds() + seconds, clock_seconds() + 10 * seconds};
  std::uint64_t length = 0;
  std::string bytes;
  Status status = receive(&length, sizeof(length), limit);
  if (status == Status::Ok) {
    bytes.resize(length);
    status = receive(bytes.data(), bytes.size(), limit);
  }
  if (status == Status::Ok) {
    if (auto message = opencl::unpack(bytes)) return std::move(*message);
    status = Status::Died;
  }
  const std::string how = status == Status::TimedOut ? std::to_string(static_cast<int>(seconds)) + " s" : wait();
  kill();
  return {status, how + last_words()};
}

// Of the child, until now.
double Running::processor_seconds() const {
  clockid_t clock{};
  return ::clock_getcpuclockid(pid_, &clock) == 0 ? seconds_of(clock) : 0;
}

Status Running::receive(void* to, std::size_t size, const Limit& limit) {
  constexpr int kBetweenLooks = 100;  // milliseconds
  std::array<pollfd, 2> either{{{from_, POLLIN, 0}, {worker_ != nullptr ? worker_->control() : -1, POLLIN, 0}}};
  for (char* at = static_cast<char*>(to); size != 0;) {
    if (::poll(either.data(), either.size(), kBetweenLooks) == 0) {
      if (processor_seconds() > limit.processor || clock_seconds() > limit.clock) return Status::TimedOut;
      continue;
    }
    if (either[0].revents == 0) {
      if (either[1].revents != 0) return Status::Died;
      continue;
    }
    const ssize_t got = ::read(from_, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Status::Died;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return Status::Ok;
}

// The child has closed its end of the pipe, or its worker says that it has ended: it has, or is about to.
std::string Running::wait() {
  int status = 0;
  const pid_t child = std::exchange(pid_, -1);
  if (worker_ != nullptr) return worker_->end();
  return ::waitpid(child, &status, 0) < 0 ? "ended" : how_it_ended(status);
}
void Running::kill() {
  if (pid_ <= 0) return;
  const pid_t child = std::exchange(pid_, -1);
  if (worker_ != nullptr) {
    worker_->end();
    return;
  }
  kill_all(child);
  ::waitpid(child, nullptr, 0);
}
std::string Running::last_words() {
  const std::string words = words_of(::fileno(words_), 0, kLastWords);
  return words.empty() ? words : ": " + words;
}

}  // namespace amdcompat::opencl
