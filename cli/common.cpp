#include "common.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <amdcompat/gpu.hpp>

#include <archive.hpp>

namespace amdcompat::cli {

namespace {

// In the form of a finding, for what no finding's file is open for.
void complain(Code code, std::string_view path, std::string_view what, std::string_view why) {
  fmt::print(stderr, "{}: error[{}]: cannot {} the file: {}\n", visible(path), code_label(code), what, why);
}

// Everything of a descriptor. The size of a file is looked at first: what is larger than any reader takes is not read.
std::optional<std::string> read_all(int descriptor, const std::string& path) {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // docs/limits.md
  const auto too_large = [&](std::string_view what) {
    complain(Code::FileUnreadable, path, "read", fmt::format("{}, and 1 GiB is the most that is read", what));
    return std::nullopt;
  };
  std::string bytes;
  struct stat file = {};
  if (::fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode)) {
    if (static_cast<std::uint64_t>(file.st_size) > kMost)
      return too_large(fmt::format("it has {} bytes", file.st_size));
    bytes.resize(static_cast<std::size_t>(file.st_size) + 1);  // one more, so that its end is seen
  }
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) bytes.resize(std::clamp<std::size_t>(bytes.size() * 2, 1u << 16, kMost + 1));
    const ssize_t got = ::read(descriptor, bytes.data() + filled, bytes.size() - filled);
    if (got < 0) {
      if (errno == EINTR) continue;
      complain(Code::FileUnreadable, path, "read", std::strerror(errno));
      return std::nullopt;
    }
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled > kMost) return too_large("it goes on");
  }
  bytes.resize(filled);
  return bytes;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
    if (put < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace

OpenOptions Common::open_options() const {
  OpenOptions options;
  if (spec_decimal) options.text.data_numbers = text::DataNumbers::SpecDecimal;
  return options;
}

std::optional<std::string> read_input(const std::string& path) {
  if (path == "-") return read_all(STDIN_FILENO, "standard input");
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    complain(Code::FileUnreadable, path, "open", std::strerror(errno));
    return std::nullopt;
  }
  auto bytes = read_all(descriptor, path);
  ::close(descriptor);
  return bytes;
}

SourceView Input::source() const {
  return {bytes, file ? std::span<const TextRegion>(file->regions) : std::span<const TextRegion>{}};
}

std::optional<Input> read_file(const std::string& path, const Common& options) {
  std::error_code ignored;
  if (path != "-" && std::filesystem::is_directory(path, ignored)) {
    complain(Code::FileUnreadable, path, "read",
             "it is a directory; `amdcompat migrate DIR --out NEW` takes whole trees");
    return std::nullopt;
  }
  std::optional<std::string> bytes = read_input(path);
  if (!bytes) return std::nullopt;
  Input out{path, std::move(*bytes), Diagnostics(options.mode()), std::nullopt, {}};
  out.diagnostics.set_file(path);
  return out;
}

void open(Input& input, const Common& options, std::string_view target, std::string_view kernel) {
  OpenOptions opening = options.open_options();
  opening.bundle_entry = target;
  opening.kernel = kernel;
  input.file = amdcompat::open(std::as_bytes(std::span(input.bytes)), input.diagnostics, opening);
  if (!input.file && migrate::is_archive(input.bytes))
    input.hints.push_back({Code::FileKindUnknown, "it is an archive, which only migrate looks into"});
}

bool has_target(Input& input, std::string_view wanted) {
  if (wanted.empty() || !input.file || hsa::is_bundle(input.bytes)) return true;
  const auto spec = hsa::parse_target(wanted);
  const Target* const own = input.file->program.target;
  if (spec && (own == nullptr || own == spec->target)) return true;
  if (spec)
    input.diagnostics.report(Code::TargetDiffers, {},
                             fmt::format("the code is for {}, not for {}", own->name, spec->target->name));
  else
    input.diagnostics.report(Code::UnknownTarget, {},
                             fmt::format("'{}' is no target of the device table{}", wanted, did_you_mean_gpu(wanted)));
  return false;
}

void settle(Input& input) {
  if (!input.file || input.file->object() == nullptr) return;
  hsa::Metadata metadata = input.file->object()->metadata;
  hsa::settle_metadata(*input.file->object(), metadata, input.diagnostics);
}

std::optional<Input> open_input(const std::string& path, const Common& options, std::string_view target) {
  std::optional<Input> out = read_file(path, options);
  if (out) open(*out, options, target);
  return out;
}

int read_launch(const std::string& path, const Common& options, std::optional<LaunchFile>& out) {
  const std::optional<std::string> json = read_input(path);
  if (!json) return kInputOutput;
  Diagnostics diagnostics(options.mode());
  diagnostics.set_file(path);
  bool unreadable = false;
  out = parse_launch(*json, diagnostics, [&](const std::string& name) {
    auto contents = read_input(name);
    unreadable = unreadable || !contents;
    return contents;
  });
  const TextRegion whole{{0, static_cast<std::uint32_t>(std::min<std::size_t>(json->size(), 0xffffffffu))}};
  show(diagnostics, {*json, std::span(&whole, 1)}, options);
  return unreadable ? kInputOutput : out ? kDone : kInputErrors;
}

namespace {

// What an output is written to: a new file beside it, whose name `temporary` becomes; or a device or pipe itself, which
// cannot be replaced by a rename. Negative: errno says why not.
int open_output(const std::string& path, std::string& temporary) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  temporary.clear();
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  // mkostemp's template ends in six letters, which it replaces; in one literal they read as a note of unfinished work.
  temporary = path + "." + std::string(6, 'X');
  const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) temporary.clear();
  return descriptor;
}
// mkostemp makes the file private; an output has the mode any other new file would have.
bool give_usual_mode(int descriptor) {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return ::fchmod(descriptor, 0666 & ~mask) == 0;
}

}  // namespace

bool write_output(const std::string& path, std::string_view bytes) {
  if (path == "-") return write_stdout(bytes);
  std::string temporary;
  const int descriptor = open_output(path, temporary);
  const auto fail = [&](const char* what) {
    complain(Code::FileUnwritable, path, what, std::strerror(errno));
    if (!temporary.empty()) ::unlink(temporary.c_str());
    return false;
  };
  if (descriptor < 0) return fail("create");
  const char* const problem = !write_all(descriptor, bytes)                        ? "write"
                              : !temporary.empty() && !give_usual_mode(descriptor) ? "set the mode of"
                                                                                   : nullptr;
  if (problem != nullptr) {
    const int error = errno;
    ::close(descriptor);
    errno = error;
    return fail(problem);
  }
  if (::close(descriptor) != 0) return fail("write");
  if (!temporary.empty() && std::rename(temporary.c_str(), path.c_str()) != 0) return fail("create");
  return true;
}

std::string target_named(const std::string& name) {
  if (hsa::parse_target(name)) return name;
  const std::size_t colon = std::min(name.find(':'), name.size());
  const auto gpu = find_gpu(name.substr(0, colon));
  return gpu ? std::string(gpu->target->name) + name.substr(colon) : name;
}

std::string problem_of_target(const std::string& name) {
  const std::string target = target_named(name);
  // Entries of bundles may be for processors newer than the table; whoever needs to know them reports AC4011.
  const std::string_view processor = std::string_view(target).substr(0, target.find(':'));
  const bool like_one = processor.starts_with("gfx") && processor.size() > 3;
  if (like_one || hsa::parse_target(target)) return {};
  return fmt::format("'{}' is no target, device or GPU{}", name, did_you_mean_gpu(name));
}

std::string did_you_mean_gpu(std::string_view name) {
  const std::string near = nearest_gpu(name.substr(0, std::min(name.find(':'), name.size())));
  return near.empty() ? std::string(" (amdcompat devices lists them)") : fmt::format("; did you mean '{}'?", near);
}

OutputFile::OutputFile(const std::string& path) : path_(path) {
  const int file = open_output(path, temporary_);
  if (file < 0) {
    complain(Code::FileUnwritable, path, "create", std::strerror(errno));
    return;
  }
  std::fflush(stdout);
  saved_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (saved_ >= 0) ::dup2(file, STDOUT_FILENO);
  ::close(file);
}

int OutputFile::finish(int status) const {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    complain(Code::FileUnwritable, path_, "write", std::strerror(errno));
    return kInputOutput;
  }
  if (status == kInputOutput || status == kUsage || temporary_.empty()) return status;
  if (give_usual_mode(STDOUT_FILENO) && std::rename(temporary_.c_str(), path_.c_str()) == 0) return status;
  complain(Code::FileUnwritable, path_, "create", std::strerror(errno));
  return kInputOutput;
}

OutputFile::~OutputFile() {
  if (saved_ < 0) return;
  std::fflush(stdout);
  ::dup2(saved_, STDOUT_FILENO);
  ::close(saved_);
  // Renamed, it is not there any more.
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

bool make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fmt::print(stderr, "amdcompat: cannot create '{}': {}\n", visible(path), error.message());
  return !error;
}

std::string output_name(const std::string& path, std::string_view extension, std::map<std::string, int>& used) {
  std::string name = path == "-" ? "stdin" : std::filesystem::path(path).filename().string();
  const int n = used[name]++;
  if (n != 0) name += fmt::format(".{}", n);
  return name + std::string(extension);
}

bool write_stdout(std::string_view bytes) {
  std::fflush(stdout);
  if (write_all(STDOUT_FILENO, bytes)) return true;
  fmt::print(stderr, "amdcompat: cannot write to standard output: {}\n", std::strerror(errno));
  return false;
}

bool write_page(std::string_view text) {
  const std::string page = visible(text, true);
  if (::isatty(STDOUT_FILENO) == 0) return write_stdout(page);
  struct winsize window{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col >= 40;
  return write_stdout(folded(page, known ? window.ws_col : 80, 4));
}

bool write_form(std::string_view text) {
  return ::isatty(STDOUT_FILENO) != 0 ? write_stdout(visible(text, true)) : write_stdout(text);
}

Diagnostics sorted(const Diagnostics& diagnostics, std::span<const Hint> hints) {
  // Findings of one place stay in the order they were made.
  std::vector<std::pair<std::uint32_t, std::size_t>> order;
  for (const Diagnostic& diagnostic : diagnostics.all()) order.emplace_back(diagnostic.where.begin, order.size());
  std::ranges::sort(order);
  Diagnostics out(diagnostics.mode(), order.size());
  out.set_file(diagnostics.file());
  for (const auto& [begin, index] : order) {
    Diagnostic finding = diagnostics.all()[index];
    if (const auto hint = std::ranges::find(hints, finding.code, &Hint::code); hint != hints.end())
      finding.message += fmt::format("; {}", hint->text);
    out.add(std::move(finding));
  }
  return out;
}

namespace {

// Those that are printed. Each error is one that stands in the way; of many warnings of one code a few say what the
// others do. `left_out`: how many warnings are not among them, by code.
Diagnostics chosen(const Diagnostics& ordered, const Common& options, std::map<Code, std::size_t>& left_out) {
  constexpr std::size_t kMostOfACode = 3;  // one more is printed rather than counted
  const Severity least = options.quiet ? Severity::Error : options.verbose ? Severity::Note : Severity::Warning;
  std::map<Code, std::size_t> all, printed;
  const auto counts = [&](const Diagnostic& one) { return one.severity == Severity::Warning && !options.verbose; };
  for (const Diagnostic& one : ordered.all())
    if (counts(one)) ++all[one.code];
  Diagnostics out(ordered.mode(), ordered.all().size());
  out.set_file(ordered.file());
  for (const Diagnostic& one : ordered.all()) {
    if (one.severity < least) continue;
    if (counts(one) && all[one.code] > kMostOfACode + 1 && ++printed[one.code] > kMostOfACode)
      ++left_out[one.code];
    else
      out.add(one);
  }
  return out;
}

}  // namespace

void show(const Input& input, const Common& options) { show(input.diagnostics, input.source(), options, input.hints); }

void show(const Diagnostics& diagnostics, const SourceView& source, const Common& options,
          std::span<const Hint> hints) {
  const Diagnostics ordered = sorted(diagnostics, hints);
  if (options.json) {
    fmt::print(stderr, "{}", render_json_lines(ordered, source));
    return;
  }
  std::map<Code, std::size_t> left_out;
  const Diagnostics shown = chosen(ordered, options, left_out);
  fmt::print(stderr, "{}",
             render_text(shown, source,
                         {.colour = use_colour(options, STDERR_FILENO),
                          .rest_hint = "use --format json for all",
                          // One picture of bytes says what kind of place it is; offsets say the rest.
                          .byte_rows = options.verbose ? static_cast<std::size_t>(-1) : 1}));
  for (const auto& [code, count] : left_out)
    fmt::print(stderr, "{}: {} more warnings of {} (-v prints them)\n", visible(ordered.file()), count,
               code_label(code));
}

std::string plural(std::size_t n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

OutcomeCounts count_outcomes(const File& file, const pipeline::Conversion& conversion) {
  OutcomeCounts out{};
  for (const pipeline::KernelResult& kernel : conversion.kernels) ++out[static_cast<std::size_t>(kernel.outcome)];
  out[static_cast<std::size_t>(pipeline::Outcome::Refused)] += file.program.refused;
  return out;
}

std::size_t count_lifted(const lift::Unit& unit) {
  return static_cast<std::size_t>(std::ranges::count_if(unit.kernels, &lift::KernelOutcome::lifted));
}

std::string outcomes_text(const OutcomeCounts& counts) {
  std::size_t all = 0;
  std::string parts;
  for (const pipeline::Outcome outcome : pipeline::kOutcomes) {
    const std::size_t n = counts[static_cast<std::size_t>(outcome)];
    all += n;
    if (n != 0) parts += fmt::format("{}{} {}", parts.empty() ? ": " : ", ", n, outcome_text(outcome));
  }
  return plural(all, "kernel") + parts;
}

std::string count_text(const Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.count(Severity::Error), warnings = diagnostics.count(Severity::Warning);
  if (errors != 0 && warnings != 0) return plural(errors, "error") + ", " + plural(warnings, "warning");
  if (errors != 0) return plural(errors, "error");
  if (warnings != 0) return plural(warnings, "warning");
  return {};
}

bool use_colour(const Common& options, int descriptor) {
  if (options.colour == "always") return true;
  if (options.colour == "never") return false;
  return ::isatty(descriptor) != 0 && std::getenv("NO_COLOR") == nullptr;
}

bool select_kernel(Program& program, const Common& options, Diagnostics& diagnostics) {
  if (options.kernel.empty()) return true;
  pipeline::keep_kernels(program, [&](const Kernel& kernel) { return kernel.name == options.kernel; });
  if (!program.kernels.empty()) return true;
  diagnostics.report(Code::KernelNotFound, {}, fmt::format("no kernel '{}' in this file", options.kernel));
  return false;
}

bool select_kernel(Input& input, const Common& options) {
  return input.file && select_kernel(input.file->program, options, input.diagnostics);
}

std::string folded(std::string_view text, std::size_t columns, std::size_t hang) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    std::size_t indent = 0;  // of what goes on
    for (;;) {
      // The last blank between words in front of what does not fit; where a word alone is wider, the one behind it.
      std::size_t column = indent, blank = line.npos;
      const std::size_t first = line.find_first_not_of(' ');
      for (std::size_t at = 0; at < line.size() && (column <= columns || blank == line.npos); ++at) {
        if ((static_cast<unsigned char>(line[at]) & 0xc0) == 0x80) continue;  // of a character that is counted
        if (line[at] == ' ' && first < at) blank = at;
        ++column;
      }
      if (column <= columns || blank == line.npos) break;
      const std::string_view part = line.substr(0, blank);
      out += std::string(indent, ' ');
      out += part.substr(0, part.find_last_not_of(' ') + 1);
      out += '\n';
      line.remove_prefix(line.find_first_not_of(' ', blank));
      indent = std::min(begin + hang, columns / 2);
    }
    out += std::string(indent, ' ');
    out += line;
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string join(std::span<const std::string> words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

std::string labelled(std::string_view label, std::string_view text, std::size_t indent) {
  std::string out = fmt::format("  {:<{}}", label, indent - 2);
  for (const char c : folded(text, kTextWidth - indent, 0)) {
    out += c;
    if (c == '\n') out += std::string(indent, ' ');
  }
  return out + '\n';
}

}  // namespace amdcompat::cli
