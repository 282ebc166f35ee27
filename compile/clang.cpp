// Compiling with an installed clang, and with AMD's device libraries.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <amdcompat/lift.hpp>

#include "child.hpp"
#include "tool.hpp"

namespace amdcompat::compile {
namespace {

namespace fs = std::filesystem;

constexpr int kNewest = 30, kOldest = 15;  // versions that are looked for by name; the oldest has opaque pointers
constexpr std::array<const char*, 3> kLibraries{"opencl", "ocml",
                                                "ockl"};  // in the order in which they need each other
constexpr const char* kTriple = "--target=amdgcn-amd-amdhsa";

bool has_libraries(const fs::path& directory) {
  return std::ranges::all_of(kLibraries, [&](const char* name) {
    std::error_code ignored;
    return fs::is_regular_file(directory / (std::string(name) + ".bc"), ignored);
  });
}

// Where installations have AMD's device libraries, in the order in which they are looked for: beside the compiler, in
// Debian's package, in ROCm's.
std::vector<fs::path> library_places(const fs::path& resources) {
  std::vector<fs::path> out{resources / "lib/amdgcn/bitcode"};
  std::error_code error;
  for (fs::directory_iterator entry("/usr/lib", error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    if (entry->path().filename().string().ends_with("-linux-gnu")) out.push_back(entry->path() / "amdgcn/bitcode");
  for (const char* place : {"/usr/lib64/amdgcn/bitcode", "/usr/amdgcn/bitcode", "/opt/rocm/amdgcn/bitcode"})
    out.emplace_back(place);
  return out;
}

// The processor as a number of the device libraries: gfx90a is 9010, gfx1030 10300. A generic target counts as the
// first of its family. [DEVLIBS]
unsigned isa_number(std::string_view processor) {
  processor.remove_prefix(std::min<std::size_t>(processor.size(), 3));
  if (const std::size_t generic = processor.find("-generic"); generic != std::string_view::npos) {
    const std::string_view family = processor.substr(0, generic);
    unsigned major = 0, minor = 0;
    const auto end = std::from_chars(family.data(), family.data() + family.size(), major).ptr;
    if (end != family.data() + family.size()) std::from_chars(end + 1, family.data() + family.size(), minor);
    return major * 1000 + minor * 100;
  }
  if (processor.size() < 3) return 0;
  unsigned major = 0, minor = 0, step = 0;
  const std::string_view last = processor.substr(processor.size() - 2);
  std::from_chars(processor.data(), last.data(), major);
  std::from_chars(last.data(), last.data() + 1, minor, 16);
  std::from_chars(last.data() + 1, last.data() + 2, step, 16);
  return major * 1000 + minor * 100 + step;
}

bool write_file(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  return static_cast<bool>(file.write(text.data(), static_cast<std::streamsize>(text.size())).flush());
}

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

class Clang final : public Compiler::Tool {
 public:
  explicit Clang(std::string program) : program_(std::move(program)) {}

  // Why it cannot be used; empty: it can.
  std::string describe() {
    const Ran version = run({"--version"});
    if (version.status != 0) return version.how.empty() ? first_line(version.printed) : version.how;
    constexpr std::string_view kVersion = "clang version ";
    const std::size_t at = version.printed.find(kVersion);
    if (at == std::string::npos) return "it is no clang";
    const std::string number = version.printed.substr(
        at + kVersion.size(), version.printed.find_first_of(" \n", at + kVersion.size()) - at - kVersion.size());
    name = "clang " + number;
    std::from_chars(number.data(), number.data() + number.size(), major_);
    if (major_ < kOldest) return fmt::format("{} is too old; {} is not", name, kOldest);
    constexpr int kSixth = 19;  // the first with V6
    last = major_ >= kSixth ? hsa::CodeObjectVersion::V6 : hsa::CodeObjectVersion::V5;
    const Ran processors = run({kTriple, "-nogpulib", "-print-supported-cpus"});
    for (std::string_view left = processors.printed; !left.empty();) {
      const std::size_t end = std::min(left.find('\n'), left.size());
      std::string_view line = left.substr(0, end);
      left.remove_prefix(std::min(end + 1, left.size()));
      if (!line.starts_with('\t')) continue;
      line.remove_prefix(1);
      if (line.starts_with("gfx")) targets.emplace_back(line);
    }
    if (targets.empty()) return fmt::format("{} knows no GPUs of AMD", name);
    const Ran resources = run({"-print-resource-dir"});
    return find_libraries(first_line(resources.printed));
  }

  [[nodiscard]] Result<std::string> compile(std::string_view source, const Settings& settings) const override {
    const TemporaryDirectory directory;
    const fs::path place(directory.path());
    const fs::path text = place / "lifted.cl", object = place / "lifted.hsaco";
    const auto failed = [&](std::string_view why, std::string_view log) {
      return std::unexpected(compiler_failed(name, why, log));
    };
    if (directory.path().empty() || !write_file(text, source)) return failed("no place for temporary files", {});
    const Result<std::string> control = control_of(settings);
    if (!control) return std::unexpected(control.error());
    std::vector<std::string> words = usual_words(settings, source);
    words.push_back(fmt::format("-mcode-object-version={}", static_cast<int>(settings.version)));
    if (settings.flush_denormals) words.emplace_back("-cl-denorms-are-zero");
    const auto link = [&](const fs::path& library) {
      for (const std::string& word :
           {std::string("-Xclang"), std::string("-mlink-builtin-bitcode"), std::string("-Xclang"), library.string()})
        words.push_back(word);
    };
    for (const char* library : kLibraries) link(libraries_ / (std::string(library) + ".bc"));
    link(*control);
    words.insert(words.end(), {"-O3", text.string(), "-o", object.string()});
    const Ran ran = run(words, settings.seconds, directory.path());
    if (ran.status != 0) return failed(ran.how.empty() ? "it refuses the source" : ran.how, ran.printed);
    std::optional<std::string> bytes = read_file(object);
    if (!bytes || bytes->empty()) return failed("it wrote nothing", ran.printed);
    return std::move(*bytes);
  }

 private:
  Ran run(std::vector<std::string> words, double seconds = kSecondsToAnswer, const std::string& directory = {}) const {
    words.insert(words.begin(), program_);
    return run_program(words, directory.empty() ? own_.path() : directory, seconds);
  }

  [[nodiscard]] static std::vector<std::string> usual_words(const Settings& settings, std::string_view source) {
    return {"-x",
            "cl",
            std::string(lift::build_options(source)),
            "-cl-kernel-arg-info",
            "-Xclang",
            "-finclude-default-header",
            "-w",
            kTriple,
            "-mcpu=" + target_text(settings.target),
            "-nogpulib"};
  }

  // Why there are none; empty: there are.
  std::string find_libraries(const fs::path& resources) {
    for (const fs::path& place : library_places(resources))
      if (has_libraries(place)) {
        libraries_ = place;
        return {};
      }
    if (!own_.path().empty() && unpack_device_libraries(own_.path()) && has_libraries(own_.path())) {
      libraries_ = own_.path();
      return {};
    }
    return fmt::format("{} has no device libraries of AMD (Debian's packages are rocm-device-libs and libamd-comgr2)",
                       name);
  }

  // What the device libraries ask of the target and of options, which would be files of their own for each answer.
  // Newer targets than those of the libraries are answered for too.
  [[nodiscard]] Result<std::string> control_of(const Settings& settings) const {
    const std::string target = target_text(settings.target);
    const int version = static_cast<int>(settings.version) * 100;
    const fs::path file = fs::path(own_.path()) /
                          fmt::format("{}-{}-{}.bc", target, version, settings.flush_denormals ? "flush" : "keep");
    const std::lock_guard lock(mutex_);
    std::error_code ignored;
    if (fs::exists(file, ignored)) return file.string();
    const bool wave64 = settings.target.target->generation < Generation::Gfx10_1;
    std::string text;
    const auto add = [&](const char* type, const char* what, unsigned value) {
      text += fmt::format("extern const __constant {0} {1};\nconst __constant {0} {1} = {2};\n", type, what, value);
    };
    add("int", "__oclc_ISA_version", isa_number(settings.target.target->name));
    add("int", "__oclc_ABI_version", static_cast<unsigned>(version));
    add("uchar", "__oclc_wavefrontsize64", wave64 ? 1 : 0);
    add("uchar", "__oclc_daz_opt", settings.flush_denormals ? 1 : 0);
    for (const char* const off :
         {"__oclc_finite_only_opt", "__oclc_unsafe_math_opt", "__oclc_correctly_rounded_sqrt32"})
      add("uchar", off, 0);
    const fs::path source = fs::path(file).replace_extension(".cl"), whole = fs::path(file).replace_extension(".part");
    if (!write_file(source, text)) return std::unexpected(compiler_failed(name, "no place for temporary files", {}));
    std::vector<std::string> words = usual_words(settings, text);
    // The unit itself says its version; two modules that do must agree.
    words.insert(words.end(),
                 {"-Xclang", "-mcode-object-version=none", "-emit-llvm", "-c", source.string(), "-o", whole.string()});
    const Ran ran = run(words);
    fs::rename(whole, file, ignored);
    if (ran.status != 0 || ignored)
      return std::unexpected(compiler_failed(name, ran.how.empty() ? "it cannot be used" : ran.how, ran.printed));
    return file.string();
  }

  std::string program_;
  TemporaryDirectory own_;
  fs::path libraries_;
  int major_ = 0;
  mutable std::mutex mutex_;  // of the files in `own_`
};

Diagnostic missing(std::string text) { return make_diagnostic(Code::CompilerMissing, {}, std::move(text)); }

}  // namespace

Result<std::unique_ptr<Compiler::Tool>> find_clang(const std::string& program) {
  std::vector<std::string> candidates;
  if (!program.empty()) {
    if (const std::string found = find_program(program); !found.empty()) candidates.push_back(found);
    if (candidates.empty())
      return std::unexpected(missing(fmt::format("'{}' is no compiler that can be run", program)));
  } else {
    for (int version = kNewest; version >= kOldest; --version)
      if (const std::string found = find_program(fmt::format("clang-{}", version)); !found.empty())
        candidates.push_back(found);
    if (const std::string found = find_program("clang"); !found.empty()) candidates.push_back(found);
  }
  std::string why;
  for (const std::string& candidate : candidates) {
    auto clang = std::make_unique<Clang>(candidate);
    const std::string problem = clang->describe();
    if (problem.empty()) return clang;
    if (why.empty()) why = fmt::format("{}: {}", candidate, problem);
  }
  return std::unexpected(missing(candidates.empty() ? "no clang is installed (Debian's package is clang)"
                                                    : fmt::format("no clang can be used: {}", why)));
}

}  // namespace amdcompat::compile
