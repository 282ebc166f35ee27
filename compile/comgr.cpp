// Compiling with AMD's code object manager, in child processes.
#include "comgr.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include <fmt/format.h>

#include <amdcompat/lift.hpp>

#include "child.hpp"
#include "tool.hpp"

namespace amdcompat::compile {
namespace {

// By name for every version, then where an installation of ROCm has them that the loader does not know of.
constexpr const char* kComgrNames[] = {"libamd_comgr.so.2", "libamd_comgr.so.3", "/opt/rocm/lib/libamd_comgr.so.2",
                                       "/opt/rocm/lib/libamd_comgr.so.3"};
constexpr std::string_view kOk = "ok", kFailed = "failed";
// A request and its answers:
//   describe                                -> ok, version, processors with spaces between | failed, why
//   libraries DIRECTORY                     -> ok | failed
//   compile ISA VERSION [flush] STD SOURCE      -> ok, object, what the process occupies | failed, log
constexpr std::string_view kDescribe = "describe", kLibrariesTo = "libraries", kCompile = "compile";
constexpr std::string_view kIsaPrefix = "amdgcn-amd-amdhsa--";

// --- the child ---------------------------------------------------------------------------------------------------

struct Functions {
  using Status = comgr::Status;
  using Data = comgr::Data;
  using DataSet = comgr::DataSet;
  using ActionInfo = comgr::ActionInfo;
#define AMDCOMPAT_FUNCTION(name, result, parameters) result(*name) parameters = nullptr;
  AMDCOMPAT_COMGR_FUNCTIONS(AMDCOMPAT_FUNCTION)
#undef AMDCOMPAT_FUNCTION
  std::size_t major = 0, minor = 0;
  comgr::Actions actions{};

  // Why they cannot be had; empty: they can.
  std::string load(const std::string& wanted) {
    void* library = nullptr;
    std::string why;
    const auto open = [&](const char* name) {
      library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr && why.empty()) why = ::dlerror();
      return library != nullptr;
    };
    if (wanted.empty())
      static_cast<void>(std::ranges::any_of(kComgrNames, open));
    else
      open(wanted.c_str());
    if (library == nullptr) return why;
    std::string missing;
    const auto find = [&](auto& to, const char* name) {
      void* const found = ::dlsym(library, name);
      if (found == nullptr) missing = fmt::format("it has no {}", name);
      std::memcpy(&to, &found, sizeof(to));
    };
#define AMDCOMPAT_FUNCTION(name, result, parameters) find(name, "amd_comgr_" #name);
    AMDCOMPAT_COMGR_FUNCTIONS(AMDCOMPAT_FUNCTION)
#undef AMDCOMPAT_FUNCTION
    if (!missing.empty()) return missing;
    get_version(&major, &minor);
    if (major != 2 && major != 3) return fmt::format("version {}.{} of its interface is not known here", major, minor);
    actions = major == 2 ? comgr::kActions2 : comgr::kActions3;
    return {};
  }
};

// What belongs to one action, and goes with it.
class Set {
 public:
  explicit Set(const Functions& f) : f_(f) { good_ = f_.create_data_set(&set_) == 0; }
  ~Set() {
    if (good_) f_.destroy_data_set(set_);
  }
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;
  [[nodiscard]] comgr::DataSet get() const { return set_; }

  bool add_source(const std::string& bytes) {
    comgr::Data data{};
    if (f_.create_data(comgr::kDataSource, &data) != 0) return false;
    const bool good = f_.set_data(data, bytes.size(), bytes.data()) == 0 && f_.set_data_name(data, "lifted.cl") == 0 &&
                      f_.data_set_add(set_, data) == 0;
    f_.release_data(data);
    return good;
  }
  // Calls `take` with every part of the kind.
  template <class Take>
  void each(int kind, const Take& take) const {
    std::size_t count = 0;
    f_.action_data_count(set_, kind, &count);
    for (std::size_t n = 0; n < count; ++n) {
      comgr::Data data{};
      if (f_.action_data_get_data(set_, kind, n, &data) != 0) continue;
      std::size_t size = 0, length = 0;
      f_.get_data(data, &size, nullptr);
      std::string bytes(size, '\0');
      f_.get_data(data, &size, bytes.data());
      f_.get_data_name(data, &length, nullptr);
      std::string name(length, '\0');
      f_.get_data_name(data, &length, name.data());
      f_.release_data(data);
      take(std::string(name.c_str()), std::move(bytes));
    }
  }

 private:
  const Functions& f_;
  comgr::DataSet set_{};
  bool good_ = false;
};

constexpr std::string_view k20 = "-cl-std=CL2.0";

class Action {
 public:
  Action(const Functions& f, const std::string& isa, int language = comgr::kLanguageOpenCl12) : f_(f) {
    good_ = f_.create_action_info(&info_) == 0 && f_.action_info_set_isa_name(info_, isa.c_str()) == 0 &&
            f_.action_info_set_language(info_, language) == 0 && f_.action_info_set_logging(info_, true) == 0;
  }
  ~Action() { f_.destroy_action_info(info_); }
  Action(const Action&) = delete;
  Action& operator=(const Action&) = delete;

  bool run(int kind, std::vector<const char*> options, const Set& in, const Set& out) {
    return good_ && f_.action_info_set_option_list(info_, options.data(), options.size()) == 0 &&
           f_.do_action(kind, info_, in.get(), out.get()) == 0;
  }

 private:
  const Functions& f_;
  comgr::ActionInfo info_{};
  bool good_ = false;
};

class Worker {
 public:
  Worker(int socket, const std::string& library) : socket_(socket), problem_(f_.load(library)) {}

  void work() {
    while (const std::optional<Words> request = receive(socket_))
      if (!send(socket_, answer(*request))) return;
  }

 private:
  Words answer(const Words& request) {
    if (!problem_.empty()) return {std::string(kFailed), problem_};
    if (request.size() == 1 && request[0] == kDescribe) return describe();
    if (request.size() == 2 && request[0] == kLibrariesTo) return unpack(request[1]);
    if (request.size() == 6 && request[0] == kCompile) return compile(request);
    return {std::string(kFailed), "no such request"};
  }

  Words describe() const {
    std::string processors;
    std::size_t count = 0;
    f_.get_isa_count(&count);
    for (std::size_t n = 0; n < count; ++n) {
      const char* name = nullptr;
      if (f_.get_isa_name(n, &name) != 0 || name == nullptr) continue;
      std::string_view isa(name);
      if (!isa.starts_with(kIsaPrefix)) continue;
      isa.remove_prefix(kIsaPrefix.size());
      processors += fmt::format("{} ", isa.substr(0, isa.find(':')));
    }
    return {std::string(kOk), fmt::format("{}.{}", f_.major, f_.minor), processors};
  }

  Words unpack(const std::string& directory) const {
    if (f_.actions.add_device_libraries == comgr::kNoAction) return {std::string(kFailed)};
    const Set in(f_), out(f_);
    // Any processor will do: what is for one of them alone is left out.
    Action action(f_, fmt::format("{}gfx900", kIsaPrefix));
    if (!action.run(f_.actions.add_device_libraries, {}, in, out)) return {std::string(kFailed)};
    std::size_t good = 0;
    out.each(comgr::kDataBitcode, [&](const std::string& name, const std::string& bytes) {
      for (const char* const library : {"opencl", "ocml", "ockl"})
        if (name.starts_with(library)) {
          std::ofstream file(fmt::format("{}/{}.bc", directory, library), std::ios::binary);
          good += file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush() ? 1 : 0;
        }
    });
    return {std::string(good == 3 ? kOk : kFailed)};
  }

  Words compile(const Words& request) {
    const std::string version = "-mcode-object-version=" + request[2];
    std::vector<const char*> options{"-O3", request[4].c_str(), "-cl-kernel-arg-info", version.c_str()};
    if (request[3] == "flush") options.push_back("-cl-denorms-are-zero");
    Set source(f_), with_headers(f_), bitcode(f_), relocatable(f_), executable(f_);
    Action action(f_, request[1], request[4] == k20 ? comgr::kLanguageOpenCl20 : comgr::kLanguageOpenCl12);
    std::string log;
    const auto note = [&](const Set& of) {
      of.each(comgr::kDataLog, [&](const std::string&, const std::string& text) { log += text.c_str(); });
    };
    const auto step = [&](int kind, std::vector<const char*> with, const Set& in, const Set& out) {
      const bool good = action.run(kind, std::move(with), in, out);
      note(out);
      return good;
    };
    bool good = source.add_source(request[5]);
    // Read once and for all, which saves a third of the time.
    const bool headers = good && f_.actions.add_precompiled_headers != comgr::kNoAction &&
                         step(f_.actions.add_precompiled_headers, {}, source, with_headers);
    good = good && step(f_.actions.source_to_bitcode, options, headers ? with_headers : source, bitcode) &&
           step(f_.actions.to_relocatable, {"-O3", version.c_str()}, bitcode, relocatable) &&
           step(f_.actions.to_executable, {}, relocatable, executable);
    std::string object;
    executable.each(comgr::kDataExecutable, [&](const std::string&, std::string bytes) { object = std::move(bytes); });
    if (!good || object.empty()) return {std::string(kFailed), log};
    return {std::string(kOk), std::move(object), fmt::format("{}", occupied())};
  }

  // Bytes of memory of this process.
  static std::uint64_t occupied() {
    std::uint64_t all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  }

  int socket_;
  Functions f_;
  std::string problem_;
};

// --- the parent --------------------------------------------------------------------------------------------------

class Comgr final : public Compiler::Tool {
 public:
  explicit Comgr(std::string library) : library_(std::move(library)) {}

  // Why it cannot be used; empty: it can.
  std::string describe() {
    std::string how;
    Child child = start();
    const std::optional<Words> answer = child.ask({std::string(kDescribe)}, kSecondsToAnswer, how);
    if (!answer || answer->size() < 2) return how.empty() ? std::string("it gave no answer") : how;
    if (answer->front() != kOk || answer->size() != 3) return (*answer)[1];
    name = "comgr " + (*answer)[1];
    const bool old = (*answer)[1] < std::string_view("2.5");  // of LLVM 15 and before
    first = old ? hsa::CodeObjectVersion::V3 : hsa::CodeObjectVersion::V4;
    std::string_view left = (*answer)[2];
    for (std::size_t end = 0; (end = left.find(' ')) != std::string_view::npos; left.remove_prefix(end + 1)) {
      const std::string processor(left.substr(0, end));
      if (std::ranges::find(targets, processor) == targets.end()) targets.push_back(processor);
    }
    keep(std::move(child));
    return {};
  }

  bool unpack(const std::string& directory) const {
    std::string how;
    Child child = start();
    const std::optional<Words> answer = child.ask({std::string(kLibrariesTo), directory}, kSecondsToAnswer, how);
    return answer && !answer->empty() && answer->front() == kOk;
  }

  [[nodiscard]] Result<std::string> compile(std::string_view source, const Settings& settings) const override {
    Child child = take();
    std::string how;
    std::optional<Words> answer =
        child.ask({std::string(kCompile), std::string(kIsaPrefix) + target_text(settings.target),
                   std::to_string(static_cast<int>(settings.version)), settings.flush_denormals ? "flush" : "",
                   std::string(lift::build_options(source)), std::string(source)},
                  settings.seconds, how);
    if (!answer || answer->size() < 2) return std::unexpected(compiler_failed(name, how, child.printed()));
    if (answer->front() != kOk) {
      keep(std::move(child));
      return std::unexpected(compiler_failed(name, "it refuses the source", (*answer)[1]));
    }
    std::uint64_t occupied = 0;
    const std::string& number = answer->back();
    std::from_chars(number.data(), number.data() + number.size(), occupied);
    if (occupied < kMostMemory) keep(std::move(child));
    return std::move((*answer)[1]);
  }

 private:
  // A process that has grown beyond this is not used again.
  static constexpr std::uint64_t kMostMemory = std::uint64_t{512} << 20;
  static constexpr std::size_t kMostIdle = 64;

  Child start() const {
    return Child([this](int socket) {
      ::setenv("TMPDIR", directory_.path().c_str(), 1);
      Worker(socket, library_).work();
    });
  }
  Child take() const {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        Child out = std::move(idle_.back());
        idle_.pop_back();
        return out;
      }
    }
    return start();
  }
  void keep(Child child) const {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMostIdle) idle_.push_back(std::move(child));
  }

  std::string library_;
  TemporaryDirectory directory_;
  mutable std::mutex mutex_;
  mutable std::vector<Child> idle_;
};

}  // namespace

Result<std::unique_ptr<Compiler::Tool>> find_comgr(const std::string& library) {
  auto out = std::make_unique<Comgr>(library);
  if (const std::string why = out->describe(); !why.empty())
    return std::unexpected(make_diagnostic(
        Code::CompilerMissing, {},
        library.empty()
            ? fmt::format("comgr, AMD's code object manager, cannot be used: {} (Debian's package is libamd-comgr2)",
                          why)
            : fmt::format("'{}' cannot be used as comgr: {}", library, why)));
  return out;
}

bool unpack_device_libraries(const std::string& directory) { return Comgr({}).unpack(directory); }

}  // namespace amdcompat::compile
