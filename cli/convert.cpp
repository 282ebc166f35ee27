// `convert`: legacy kernels to HSA V3 metadata and the other forms of --to.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <set>
#include <string_view>

#include <unistd.h>

#include <fmt/format.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/pipeline.hpp>
#include <amdcompat/xml.hpp>

#include <program.hpp>

#include "forms.hpp"
#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

constexpr std::string_view kForms[] = {"yaml", "msgpack", "note", "elf", "asm", "json", "xml", "text"};

bool is_binary(std::string_view form) { return form == "msgpack" || form == "note" || form == "elf"; }

std::string_view extension(std::string_view form) {
  return form == "text"   ? ".amdil"
         : form == "elf"  ? ".hsaco"
         : form == "asm"  ? ".s"
         : form == "yaml" ? ".yaml"
         : form == "json" ? ".json"
         : form == "xml"  ? ".xml"
         : form == "note" ? ".note"
                          : ".msgpack";
}

std::optional<text::MetadataVersion> parse_version(std::string_view spelling) {
  text::MetadataVersion version;
  const char* at = spelling.data();
  const char* const end = at + spelling.size();
  for (std::uint32_t* part : {&version.major, &version.minor, &version.revision}) {
    const auto [next, error] = std::from_chars(at, end, *part);
    if (error != std::errc{}) return std::nullopt;
    at = next;
    if (part != &version.revision && (at == end || *at++ != ':')) return std::nullopt;
  }
  return at == end ? std::optional(version) : std::nullopt;
}

std::optional<convert::Options> conversion_options(const ConvertOptions& options) {
  convert::Options out;
  for (const std::string& entry : options.struct_align) {
    const std::size_t equals = entry.rfind('=');
    std::uint32_t bytes = 0;
    const char* const end = entry.data() + entry.size();
    const bool number =
        equals != std::string::npos && equals != 0 &&
        std::from_chars(entry.data() + equals + 1, end, bytes) == std::from_chars_result{end, std::errc{}};
    if (!number || bytes == 0 || bytes > 128 || usable_alignment(bytes) != bytes) {
      fmt::print(stderr, "amdcompat: --struct-align '{}': expected NAME=BYTES with 1, 2, 4 … 128 bytes\n",
                 visible(entry));
      return std::nullopt;
    }
    out.struct_align[entry.substr(0, equals)] = bytes;
  }
  return out;
}

// Kernels whose metadata is no text: CL2 containers hold binary metadata, and only some of them text in a BRIG module.
// Reports them and returns how many there are.
std::size_t report_textless(const File& file, Diagnostics& diagnostics) {
  std::set<std::string_view> with_text;
  for (const MetadataText& part : file.texts)
    for (const text::Block& block : part.document.blocks)
      if (const auto name = text::kernel_name(part.document, block)) with_text.insert(*name);
  std::size_t out = 0;
  for (const Kernel& kernel : file.program.kernels) {
    if (with_text.contains(kernel.name)) continue;
    diagnostics.report(Code::KernelWithoutText, kernel.where,
                       fmt::format("the file has no metadata text of kernel '{}'", kernel.name));
    ++out;
  }
  return out;
}

struct Produced {
  std::string bytes;
  OutcomeCounts kernels{};
  std::size_t arguments = 0;

  void count(const File& file, const pipeline::Conversion& conversion) { kernels = count_outcomes(file, conversion); }
  [[nodiscard]] std::size_t refused() const { return kernels[static_cast<std::size_t>(pipeline::Outcome::Refused)]; }
  [[nodiscard]] std::size_t made() const { return std::reduce(kernels.begin(), kernels.end()) - refused(); }
};

std::size_t explicit_arguments(const hsa::Metadata& metadata) {
  std::size_t out = 0;
  for (const hsa::MetadataKernel& kernel : metadata.kernels)
    out += static_cast<std::size_t>(std::ranges::count_if(kernel.args, [](const hsa::MetadataArgument& a) {
      return !a.value_kind || !hsa::value_kind_info(*a.value_kind).hidden;
    }));
  return out;
}

// The code object, or its metadata, in the wanted form.
std::optional<Produced> object_form(const File& file, const ConvertOptions& options, pipeline::Conversion conversion,
                                    Diagnostics& diagnostics) {
  if (!conversion.object && !conversion.compiled) return std::nullopt;
  const hsa::CodeObject& object = conversion.object ? *conversion.object : *conversion.compiled;
  Produced out;
  out.count(file, conversion);
  out.arguments = explicit_arguments(object.metadata);
  if (options.to == "elf") {
    out.bytes = std::move(conversion.object ? conversion.bytes : conversion.compiled_bytes);
  } else if (options.to == "asm") {
    Result<std::string> text = hsa::to_assembly(object);
    if (!text) {
      diagnostics.add(text.error());
      return std::nullopt;
    }
    out.bytes = std::move(*text);
  } else {
    out.bytes = migrate::metadata_bytes(object.metadata, options.to);
  }
  return out;
}

// An ELF with a note and no code.
std::optional<std::string> note_elf(const File& file, const hsa::Metadata& metadata,
                                    const convert::ObjectOptions& wanted, Diagnostics& diagnostics) {
  const Result<const Target*> chosen =
      convert::choose_target(file.program, wanted.target ? wanted.target->target->name : std::string_view{});
  if (!chosen) {
    diagnostics.add(chosen.error());
    return std::nullopt;
  }
  if (wanted.version.value_or(hsa::CodeObjectVersion::V3) != hsa::CodeObjectVersion::V3) {
    diagnostics.report(Code::ConversionRefused, {}, "metadata without code is written as V3");
    return std::nullopt;
  }
  Result<std::string> elf = hsa::to_note_elf(metadata, **chosen, hsa::CodeObjectVersion::V3,
                                             wanted.target ? wanted.target->features : hsa::TargetFeatures{});
  if (elf) return std::move(*elf);
  diagnostics.add(elf.error());
  return std::nullopt;
}

// What is made of this file. A code object has the layout that it has; --to elf and asm ask for code.
pipeline::Layout layout_of(const File& file, const ConvertOptions& options) {
  using pipeline::Layout;
  if (file.object() || options.request.layout == Layout::InPlace) return Layout::InPlace;
  const bool code = options.to == "elf" || options.to == "asm";
  return code && !options.metadata_only && options.request.layout != Layout::Natural ? Layout::InPlace
                                                                                     : Layout::Natural;
}

// Whether code is asked for that a compiler makes: its target is named, and there is machine code to lift.
bool is_compiled(const ConvertOptions& options) {
  return (options.to == "elf" || options.to == "asm") && !options.metadata_only && !options.target.empty() &&
         options.request.layout == pipeline::Layout::Natural;
}
bool has_code(const File& file) {
  return file.program.target != nullptr && gcn::generation_of(*file.program.target) &&
         std::ranges::any_of(file.program.kernels, [](const Kernel& kernel) { return kernel.code.has_value(); });
}

// The compiler, looked for when the first file needs it.
class CompilerOfAll {
 public:
  explicit CompilerOfAll(const std::string& which) : which_(which) {}

  // Nothing, with a finding: there is none, or it does not know the target.
  const compile::Compiler* get(const pipeline::Request& request, Diagnostics& diagnostics) {
    if (!found_) found_.emplace(compile::Compiler::find(which_));
    if (!*found_) {
      diagnostics.add(found_->error());
      return nullptr;
    }
    auto refused = (*found_)->refusal(*request.object.target, request.object.version.value_or(compile::kUsualVersion));
    if (!refused) return &**found_;
    diagnostics.add(std::move(*refused));
    return nullptr;
  }

 private:
  const std::string& which_;
  std::optional<Result<compile::Compiler>> found_;
};

// What helps where code was asked for that is not there.
constexpr Hint kCodeHints[] = {
    {Code::NoMachineCode, "--layout natural writes the metadata alone"},
};
// What helps where no --target was given.
constexpr Hint kConvertHints[] = {
    {Code::BundleChoice, "choose with --target"},
    {Code::MixedDevices, "choose with --kernel or --target"},
    {Code::UnknownTarget, "name one with --target"},
    {Code::AddressWidth, "--layout natural --to yaml describes them"},
};
// What helps where a compiler does not do it.
constexpr Hint kCompilerHints[] = {
    {Code::CompilerMissing, "--compiler names another one"},
    {Code::CompilerTarget, "--compiler names another one"},
};

// The file in the wanted form; nothing when it cannot be given (the reason is among the findings).
std::optional<Produced> produce(File& file, const ConvertOptions& options, const convert::Options& natural,
                                CompilerOfAll& compiler, Diagnostics& diagnostics) {
  pipeline::Request request = options.request;
  request.natural = natural;
  if (!options.target.empty()) {
    request.object.target = hsa::parse_target(options.target);
    if (!request.object.target) {
      diagnostics.report(
          Code::UnknownTarget, {},
          fmt::format("'{}' is no target of the device table{}", options.target, did_you_mean_gpu(options.target)));
      return std::nullopt;
    }
  }
  const bool text_form = options.to == "xml" || options.to == "text";
  if (file.object() && text_form) {
    diagnostics.report(
        Code::ConversionRefused, {},
        fmt::format("a code object holds no text metadata: --to {} is for OpenCL 1.x and 2.0 files", options.to));
    return std::nullopt;
  }
  if (is_compiled(options) && has_code(file)) {
    request.compiler = compiler.get(request, diagnostics);
    if (request.compiler == nullptr) return std::nullopt;
    return object_form(file, options, pipeline::convert(file, request, diagnostics), diagnostics);
  }
  if (is_compiled(options) && options.to == "asm") {
    diagnostics.report(Code::NoMachineCode, {}, "there is no machine code that could be compiled again");
    return std::nullopt;
  }
  request.layout = layout_of(file, options);
  // Every form goes through the conversion: it says which kernels can be used at all.
  pipeline::Conversion conversion = pipeline::convert(file, request, diagnostics);
  if (request.layout == pipeline::Layout::InPlace)
    return object_form(file, options, std::move(conversion), diagnostics);
  Produced out;
  out.count(file, conversion);
  if (conversion.natural) out.arguments = conversion.natural->arguments;
  if (options.to == "xml") {
    out.bytes = to_xml(file);
    return out;
  }
  if (options.to == "text") {
    const std::size_t textless = report_textless(file, diagnostics);
    if (textless != 0 && textless == file.program.kernels.size()) return std::nullopt;
    const text::MetadataVersion version = *parse_version(options.metadata_version);
    for (const MetadataText& part : file.texts)
      out.bytes += canonical_text(part.document, version, options.common.kernel);
    return out;
  }
  if (!conversion.natural || (out.made() == 0 && out.refused() != 0)) return std::nullopt;
  const hsa::Metadata& metadata = conversion.natural->metadata;
  if (options.to != "elf") {
    out.bytes = migrate::metadata_bytes(metadata, options.to);
    return out;
  }
  auto elf = note_elf(file, metadata, request.object, diagnostics);
  if (!elf) return std::nullopt;
  out.bytes = std::move(*elf);
  return out;
}

// "alltypes.clo: 1 kernel: 1 described only; 71 arguments (1 warning)"
std::string summary_line(const std::string& path, const Produced* produced, const Diagnostics& diagnostics) {
  const std::string counts = count_text(diagnostics);
  const std::string tail = counts.empty() ? "" : fmt::format(" ({})", counts);
  if (produced == nullptr)
    return fmt::format("{}: {}{}\n", visible(path), outcome_text(pipeline::Outcome::Refused), tail);
  return fmt::format("{}: {}; {}{}\n", visible(path), outcomes_text(produced->kernels),
                     plural(produced->arguments, "argument"), tail);
}

// The form that the extension of an output's name stands for; empty: none.
std::string_view form_of_name(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (ending == ".co" || ending == ".o" || ending == ".so" || ending == ".elf") return "elf";
  if (ending == ".yml") return "yaml";
  const auto* const form = std::ranges::find(kForms, ending, extension);
  return form == std::end(kForms) ? std::string_view{} : *form;
}

}  // namespace

int run_convert(const ConvertOptions& given) {
  ConvertOptions options = given;
  const std::string_view by_name = form_of_name(options.output);
  if (!options.to.empty() && !by_name.empty() && options.to != by_name) {
    fmt::print(stderr, "amdcompat: --to {} and the name of -o {} do not agree: it is one of {}\n", options.to,
               visible(options.output), by_name);
    return kUsage;
  }
  if (options.to.empty()) options.to = by_name.empty() ? "yaml" : by_name;
  const auto conversion = conversion_options(options);
  if (!conversion) return kUsage;
  if (options.to == "text" && !parse_version(options.metadata_version)) {
    fmt::print(stderr, "amdcompat: --metadata-version '{}': expected MAJOR:MINOR:REVISION\n",
               visible(options.metadata_version));
    return kUsage;
  }
  const bool object_form = options.to == "elf" || options.to == "asm";
  const pipeline::Layout layout = options.request.layout;
  if (layout == pipeline::Layout::InPlace && !object_form && options.to != "yaml" && options.to != "msgpack") {
    fmt::print(stderr, "amdcompat: --layout in-place goes with --to elf, asm, yaml and msgpack\n");
    return kUsage;
  }
  if (layout == pipeline::Layout::Natural && options.to == "asm" && !is_compiled(options)) {
    fmt::print(stderr, "amdcompat: --layout natural has machine code for --to asm only with --target\n");
    return kUsage;
  }
  if (options.request.prove && layout != pipeline::Layout::InPlace && !is_compiled(options) &&
      (!object_form || options.metadata_only || layout == pipeline::Layout::Natural)) {
    fmt::print(stderr, "amdcompat: --prove goes with --layout in-place, and with code: --to elf and asm\n");
    return kUsage;
  }
  const auto& files = options.common.files;
  if (files.size() > 1 && options.output_dir.empty() && (is_binary(options.to) || !options.output.empty())) {
    fmt::print(stderr, "amdcompat: several inputs need --out-dir for --to {}\n", options.to);
    return kUsage;
  }
  if (!options.output.empty() && !options.output_dir.empty()) {
    fmt::print(stderr, "amdcompat: -o and --out-dir exclude each other\n");
    return kUsage;
  }
  if (is_binary(options.to) && options.output.empty() && options.output_dir.empty() && ::isatty(STDOUT_FILENO) != 0) {
    fmt::print(stderr, "amdcompat: --to {} is binary; use -o FILE or redirect standard output\n", options.to);
    return kUsage;
  }
  if (!options.output_dir.empty() && !make_directory(options.output_dir)) return kInputOutput;

  int result = kDone;
  const auto worse = [&result](int code) { result = std::max(result, code); };
  std::map<std::string, int> used;
  std::size_t files_done = 0, files_refused = 0, arguments = 0, warnings = 0;
  OutcomeCounts kernels{};
  CompilerOfAll compiler(options.compiler);
  for (const std::string& path : files) {
    std::optional<Input> input = open_input(path, options.common, options.target);
    if (!input) {
      worse(kInputOutput);
      ++files_refused;
      continue;
    }
    if (options.target.empty())
      input->hints.insert(input->hints.end(), std::begin(kConvertHints), std::end(kConvertHints));
    if (object_form && layout == pipeline::Layout::Auto)
      input->hints.insert(input->hints.end(), std::begin(kCodeHints), std::end(kCodeHints));
    if (is_compiled(options))
      input->hints.insert(input->hints.end(), std::begin(kCompilerHints), std::end(kCompilerHints));
    Diagnostics& diagnostics = input->diagnostics;
    std::optional<Produced> produced;
    if (select_kernel(*input, options.common))
      produced = produce(*input->file, options, *conversion, compiler, diagnostics);
    // Strict takes no departure: an input with errors gives no output.
    if (options.common.strict && diagnostics.has_errors()) produced.reset();

    if (options.summary) fmt::print("{}", summary_line(path, produced ? &*produced : nullptr, diagnostics));
    std::fflush(stdout);
    show(*input, options.common);
    if (diagnostics.has_errors() || !produced || produced->refused() != 0) worse(kInputErrors);
    warnings += diagnostics.count(Severity::Warning);
    if (!produced) {
      ++files_refused;
      continue;
    }
    bool written = true;
    if (!options.output_dir.empty())
      written = write_output(
          (std::filesystem::path(options.output_dir) / output_name(path, extension(options.to), used)).string(),
          produced->bytes);
    else if (!options.output.empty())
      written = write_output(options.output, produced->bytes);
    else if (!options.summary)
      written = write_form(produced->bytes);
    if (!written) worse(kInputOutput);
    ++files_done;
    for (std::size_t i = 0; i < kernels.size(); ++i) kernels[i] += produced->kernels[i];
    arguments += produced->arguments;
  }
  if (options.summary)
    fmt::print("{} written, {} refused; {}; {}, {}\n", plural(files_done, "file"), files_refused,
               outcomes_text(kernels), plural(arguments, "argument"), plural(warnings, "warning"));
  return result;
}

}  // namespace amdcompat::cli
