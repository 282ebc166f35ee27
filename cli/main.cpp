// The command line: verbs, options and their checks.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <optional>
#include <sstream>

#include <malloc.h>
#include <unistd.h>

#include <fmt/format.h>

#include <amdcompat/gpu.hpp>
#include <amdcompat/version.hpp>

#include "manual.hpp"
#include "posed_devices.hpp"
#include "verbs.hpp"

namespace {

using namespace amdcompat::cli;

constexpr const char* kExitCodes =
    "Exit status: 0 what was asked for is done; 1 errors in the input, or something that was asked for was not made; "
    "2 wrong usage; 3 a file could not be read or written.\n"
    "FILE is AMDIL or HSAIL text, an AMD OpenCL 1.x or 2.0 binary, an HSA code object or a bundle; '-' is standard "
    "input.";

// Help of 80 columns, whatever the terminal is: names on the left, what they mean from column 30 on.
class Help : public CLI::Formatter {
 public:
  Help() { column_width(kLeft); }
  [[nodiscard]] std::string make_description(const CLI::App* app) const override {
    return folded(Formatter::make_description(app), kColumns, 0);
  }
  [[nodiscard]] std::string make_usage(const CLI::App* app, std::string name) const override {
    return folded(Formatter::make_usage(app, std::move(name)), kColumns, 4);
  }
  [[nodiscard]] std::string make_footer(const CLI::App* app) const override {
    return folded(Formatter::make_footer(app), kColumns, 0);
  }
  [[nodiscard]] std::string make_subcommand(const CLI::App* verb) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, verb->get_display_name(true), folded(verb->get_description(), kRight, 0), kLeft);
    return out.str();
  }
  // Names and what they take may be wider than their column.
  [[nodiscard]] std::string make_option(const CLI::Option* option, bool positional) const override {
    return folded(Formatter::make_option(option, positional), kColumns, 4);
  }
  [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override {
    return folded(Formatter::make_option_desc(option), kRight, 0);
  }

 private:
  static constexpr std::size_t kColumns = 80, kLeft = 30, kRight = kColumns - kLeft;
};

void add_common(CLI::App& verb, Common& options) {
  verb.add_option("FILE", options.files, "Files to read; '-' or none: standard input");
  auto* strict = verb.add_flag("--strict", options.strict, "Report every departure from the grammar as an error");
  bool* const strict_value = &options.strict;
  verb.add_flag_callback(
          "--lenient", [strict_value] { *strict_value = false; },
          "Warn about departures AMD's own runtime tolerated (default)")
      ->excludes(strict);
  verb.add_option("--kernel", options.kernel, "Only the kernel of this name")->type_name("NAME");
  verb.add_option("--color,--colour", options.colour, "Colour in findings")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  verb.add_flag("-v,--verbose", options.verbose, "Show notes too");
  verb.add_flag("-q,--quiet", options.quiet, "Show errors only");
  verb.add_flag("--spec-decimal", options.spec_decimal,
                "Integers of data segments are decimal, as in the 2009 specification's examples");
}

void add_format(CLI::App& verb, Common& options, const char* help) {
  verb.add_option_function<std::string>(
          "--format", [&options](const std::string& format) { options.json = format == "json"; }, help)
      ->check(CLI::IsMember({"text", "json"}))
      ->default_str("text");
}

// `to`: a Layout, or an optional one.
template <class To>
CLI::Option* add_layout(CLI::App& verb, To& to, const char* help) {
  std::vector<std::string> names;
  for (const auto layout : amdcompat::pipeline::kLayouts) names.emplace_back(amdcompat::pipeline::layout_name(layout));
  return verb
      .add_option_function<std::string>(
          "--layout", [&to](const std::string& name) { to = *amdcompat::pipeline::find_layout(name); }, help)
      ->check(CLI::IsMember(names));
}

void add_proof_instructions(CLI::App& verb, std::uint64_t& to) {
  verb.add_option("--proof-instructions", to, "Budget of the proofs of a file, in lane instructions")
      ->capture_default_str();
}

void add_version(CLI::App& verb, std::optional<amdcompat::hsa::CodeObjectVersion>& to, const char* help) {
  verb.add_option_function<int>(
          "--code-object", [&to](int version) { to = static_cast<amdcompat::hsa::CodeObjectVersion>(version); }, help)
      ->check(CLI::Range(3, 6))
      ->type_name("N");
}

CLI::Option* add_compiler(CLI::App& verb, std::string& to, const char* help) {
  return verb.add_option("--compiler", to, help)->type_name("NAME");
}

// For verbs that print: the page goes to a file instead.
void add_output(CLI::App& verb, Common& options) {
  verb.add_option("-o,--output", options.output, "Write to FILE instead of standard output")->type_name("FILE");
}

// A target by any name that there is for it; those that are no names at all are wrong usage.
CLI::Option* add_target(CLI::App& verb, std::string& to, const char* help) {
  return verb
      .add_option_function<std::string>(
          "--target", [&to](const std::string& name) { to = target_named(name); }, help)
      ->check([](const std::string& name) { return problem_of_target(name); })
      ->type_name("GPU");
}

// Reads standard input when no file is named and something is piped in; a person is shown what the verb takes.
bool complete(const CLI::App& verb, Common& options) {
  if (!options.files.empty()) return true;
  if (::isatty(STDIN_FILENO) != 0) {
    fmt::print("{}", verb.help("amdcompat"));
    return false;
  }
  options.files.emplace_back("-");
  return true;
}

// What is like a word that no verb or option is called; empty: nothing is.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> words(names.begin(), names.end());
  const std::string_view near = amdcompat::nearest_word(word, words);
  return near.empty() ? std::string() : fmt::format("; did you mean {}?", near);
}

// Words of the command line that are neither a verb nor an option of one. Empty: it is something else that is wrong.
std::string explain_extras(const CLI::App& app, int argc, char** argv) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  if (parsed.empty()) {
    std::vector<std::string> names;
    for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    if (argc < 2) return {};
    const std::string_view word = argv[1];
    const std::string what = word.starts_with('-') ? "option" : "verb";
    if (std::ranges::find(names, word) != names.end()) return {};
    return fmt::format("amdcompat: '{}' is no {}{} (see --help)\n", word, what, did_you_mean(word, names));
  }
  const CLI::App& verb = *parsed.front();
  for (const std::string& extra : app.remaining(true)) {
    if (!extra.starts_with('-') || extra.size() < 2) continue;
    std::vector<std::string> names;
    for (const CLI::Option* option : verb.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    const std::string word = extra.substr(0, extra.find('='));
    return fmt::format("amdcompat: {} has no option {}{} (see amdcompat {} --help)\n", verb.get_name(), word,
                       did_you_mean(word, names), verb.get_name());
  }
  return {};
}

// Runs a verb whose standard output goes to a file, which is there whole or not at all.
int with_output(const std::string& path, const std::function<int()>& verb) {
  if (path.empty()) return verb();
  std::fflush(stdout);
  const amdcompat::cli::OutputFile file(path);
  if (!file.good()) return kInputOutput;
  const int status = verb();
  return file.finish(status);
}

int run(int argc, char** argv) {
  CLI::App app{"Loads kernels of AMD's Catalyst OpenCL compilers into today's runtimes", "amdcompat"};
  app.set_version_flag("-V,--version", "amdcompat " AMDCOMPAT_VERSION);
  app.formatter(std::make_shared<Help>());  // of all verbs, which take it over
  app.require_subcommand(1);
  app.footer(kExitCodes);

  DoctorOptions doctor;
  auto* doctor_verb = app.add_subcommand(
      "doctor", "Say what a file is, which ways lead to a GPU, what is lost on each, and what to type next");
  add_common(*doctor_verb, doctor.common);
  add_output(*doctor_verb, doctor.common);
  add_format(*doctor_verb, doctor.common, "Output as text or as one JSON object a file");
  doctor_verb
      ->add_option("--gpu", doctor.gpu,
                   "GPU to run on: as it is sold (\"RX 6800\"), a target (gfx1030), a device of Catalyst, or cpu "
                   "(default: what is in this machine)")
      ->type_name("GPU");
  doctor_verb->add_option("--compiler", doctor.compiler, "Compiler to try: comgr, clang, the path of either, or none")
      ->type_name("NAME")
      ->capture_default_str();

  ExplainOptions explain;
  auto* explain_verb =
      app.add_subcommand("explain", "Say what the code of a finding means, its cause, what to do, and an example");
  explain_verb->add_option("CODE", explain.codes, "Codes of findings, such as AC4303");
  explain_verb->add_flag("--list", explain.list, "All codes, a line each");
  explain_verb
      ->add_option_function<std::string>(
          "--format", [&explain](const std::string& format) { explain.json = format == "json"; },
          "Output as text or as one JSON object a code")
      ->check(CLI::IsMember({"text", "json"}))
      ->default_str("text");
  explain_verb->add_option("-o,--output", explain.output, "Write to FILE instead of standard output")
      ->type_name("FILE");

  InspectOptions inspect;
  auto* inspect_verb = app.add_subcommand("inspect", "Show what a file holds: kernels, arguments, segments, ids");
  add_common(*inspect_verb, inspect.common);
  add_output(*inspect_verb, inspect.common);
  add_format(*inspect_verb, inspect.common, "Output as text or as one JSON object a file");
  inspect_verb->add_flag("--registers", inspect.registers,
                         "List what each register holds when a CL2 kernel starts (text output)");
  inspect_verb->add_flag("--isa", inspect.isa,
                         "Disassemble machine code of GFX6 to GFX12, with labels and what it reads");
  inspect_verb->add_flag("--encoding", inspect.encoding, "With --isa: the words of each instruction too");
  inspect_verb->add_flag("--lift", inspect.lift, "Show each kernel's machine code as OpenCL C, below its listing");
  inspect_verb->add_flag("--cal", inspect.cal, "Show the CAL images of OpenCL 1.x containers");
  inspect_verb->add_flag("--explain", inspect.explain, "List every directive, its fields and where we know it from");

  CheckOptions check;
  auto* check_verb = app.add_subcommand("check", "Report everything wrong or doubtful in a file");
  add_common(*check_verb, check.common);
  add_output(*check_verb, check.common);
  check_verb
      ->add_option("--for", check.use,
                   "What the kernels are wanted for: describe (metadata), in-place (their old machine code), object (a "
                   "code object), lift (source); default: the best that can be had")
      ->check(CLI::IsMember({"describe", "in-place", "object", "lift"}));
  add_target(*check_verb, check.target, "GPU for the machine code; of a bundle: the entry");
  add_format(*check_verb, check.common, "Findings as text (standard error) or as JSON Lines (standard output)");

  ConvertOptions convert;
  auto* convert_verb =
      app.add_subcommand("convert", "Convert kernels to HSA metadata (natural layout) or to whole code objects");
  add_common(*convert_verb, convert.common);
  add_format(*convert_verb, convert.common, "Findings as text or as JSON Lines (standard error)");
  convert_verb
      ->add_option("--to", convert.to,
                   "yaml, msgpack, note, json: metadata; elf: code object; asm: its assembly; xml: the parsed text; "
                   "text: canonical metadata text (default: by the extension of -o, else yaml)")
      ->check(CLI::IsMember({"yaml", "msgpack", "note", "elf", "asm", "json", "xml", "text"}));
  convert_verb->add_option("-o,--output", convert.output, "Write to FILE instead of standard output")
      ->type_name("FILE");
  convert_verb->add_option("--out-dir", convert.output_dir, "Write one file an input into DIR")->type_name("DIR");
  convert_verb->add_flag("--summary", convert.summary, "Print a line an input and totals");
  add_layout(
      *convert_verb, convert.request.layout,
      "auto: --to elf and asm carry the old machine code, other forms are natural; in-place: the first; natural: "
      "metadata for recompiled code, and with --target, --to elf and asm compile it")
      ->default_str(std::string(amdcompat::pipeline::layout_name(convert.request.layout)));
  convert_verb->add_flag("--prove", convert.request.prove,
                         "Run old and new code on random launches and compare all memory");
  convert_verb->add_option("--seed", convert.request.proof.seed, "Seed of --prove")->capture_default_str();
  add_proof_instructions(*convert_verb, convert.request.proof_instructions);
  add_target(*convert_verb, convert.target,
             "GPU of a code object: a target (gfx906:xnack+), a device, or as it is sold (default: by the kernels' "
             "device); of a bundle: the entry");
  add_version(*convert_verb, convert.request.object.version,
              "Version of a code object, 3 to 6 (default: 3 before gfx9, else 5; code objects of 3 and later keep it; "
              "compiled ones: 4)");
  add_compiler(*convert_verb, convert.compiler,
               "Of --layout natural with --target: comgr, clang, or the path of either (docs/objects.md)")
      ->capture_default_str();
  convert_verb
      ->add_option("--compiler-seconds", convert.request.compiler_seconds, "Processor time that it may take for a file")
      ->check(CLI::Range(1, 86'400))
      ->capture_default_str();
  convert_verb->add_flag("--metadata-only", convert.metadata_only,
                         "--to elf: the natural metadata in a file without code");
  convert_verb->add_flag("!--no-verify", convert.request.verify, "Do not compare a code object with the input");
  convert_verb
      ->add_option("--struct-align", convert.struct_align,
                   "Alignment of struct arguments, which legacy metadata lacks: KERNEL.ARG=N, TYPE=N or *=N")
      ->type_name("NAME=BYTES")
      ->allow_extra_args(false);
  convert_verb->add_option("--metadata-version", convert.metadata_version, "Version of --to text")
      ->type_name("A:B:C")
      ->capture_default_str();

  RoundtripOptions roundtrip;
  auto* roundtrip_verb =
      app.add_subcommand("roundtrip", "Print every metadata block again from its fields and compare");
  add_common(*roundtrip_verb, roundtrip.common);
  add_output(*roundtrip_verb, roundtrip.common);
  roundtrip_verb->remove_option(roundtrip_verb->get_option("--kernel"));  // files are compared as a whole
  add_format(*roundtrip_verb, roundtrip.common, "Findings as text or as JSON Lines (standard error)");
  roundtrip_verb->add_flag("--all", roundtrip.all,
                           "Write every form (text, XML, YAML, JSON, MessagePack, ELF), read it and compare");

  LayoutOptions layout;
  auto* layout_verb = app.add_subcommand(
      "layout", "Show what a kernel reads where: constant buffers, argument block or kernarg segment");
  add_common(*layout_verb, layout.common);
  layout_verb->add_flag("--svg", layout.svg, "Draw it as SVG");
  layout_verb
      ->add_option("--profile", layout.profile,
                   "Constant buffer 0 as AMD's runtime wrote it, or as in the 2009 specification")
      ->check(CLI::IsMember({"amd", "spec"}))
      ->capture_default_str();
  layout_verb->add_option("-o,--output", layout.output, "Write to FILE instead of standard output")->type_name("FILE");

  PackOptions pack;
  auto* pack_verb = app.add_subcommand(
      "pack", "Write the bytes of one launch: constant buffers, argument block or kernarg segment, and a summary");
  add_common(*pack_verb, pack.common);
  pack_verb->get_option("FILE")->expected(1);
  auto* launch_option =
      pack_verb->add_option("--launch", pack.launch, "Launch sizes and argument values (docs/launch-image.md)")
          ->type_name("JSON");
  pack_verb
      ->add_option("-o,--output", pack.output, "Directory for the files, made when missing; with --template: a file")
      ->type_name("DIR");
  pack_verb->add_flag("--explain", pack.explain, "Print every byte range with its value and where we know it from");
  auto* template_option =
      pack_verb->add_flag("--template", pack.make_template, "Write a launch file for the kernel that can be filled in");
  template_option->excludes(launch_option);

  ExtractOptions extract;
  auto* extract_verb = app.add_subcommand("extract", "Write machine code, IL, LLVM IR, source and data of a container");
  add_common(*extract_verb, extract.common);
  extract_verb->get_option("FILE")->expected(1);
  extract_verb->add_option("-o,--output", extract.output, "Directory for the files, made when missing")
      ->type_name("DIR")
      ->required();

  LiftOptions lift;
  auto* lift_verb = app.add_subcommand("lift", "Write GCN machine code as OpenCL C, which every runtime compiles");
  add_common(*lift_verb, lift.common);
  add_format(*lift_verb, lift.common,
             "Output as OpenCL C, or as one JSON object a file with what became of each kernel");
  lift_verb->add_option("-o,--output", lift.output, "Write to FILE instead of standard output")->type_name("FILE");
  lift_verb->add_option("--out-dir", lift.output_dir, "Write one file an input into DIR")->type_name("DIR");
  lift_verb
      ->add_option_function<std::string>(
          "--form",
          [&lift](const std::string& form) {
            lift.request.lift.form.reset();
            for (const auto one : {amdcompat::lift::Form::WorkItem, amdcompat::lift::Form::Wave})
              if (form == amdcompat::lift::form_name(one)) lift.request.lift.form = one;
          },
          "How kernels are written: every work-item computes its lane, or one those of its wavefront; auto: the first "
          "where it can be shown to be right")
      ->check(CLI::IsMember({"auto", "work-item", "wave"}))
      ->default_str("auto");
  lift_verb->add_flag("--exact", lift.request.lift.exact,
                      "Denormal floats count as zeros where the old code's mode says so, whatever the device does");
  lift_verb->add_flag("--annotate", lift.request.lift.annotate, "Offsets of the machine code in comments");
  lift_verb->add_flag("--prove", lift.request.prove,
                      "Run machine code and source on random launches; a kernel that differs is not written");
  lift_verb
      ->add_option("--device", lift.request.proof.device,
                   "OpenCL device of --prove, by a part of its name (default: pocl where it is, else the first)")
      ->type_name("NAME");
  lift_verb->add_option("--seed", lift.request.proof.proof.seed, "Seed of --prove")->capture_default_str();
  add_target(*lift_verb, lift.target, "Entry of an offload bundle");

  StubOptions stub;
  auto* stub_verb =
      app.add_subcommand("stub", "Write the source of a host program that launches the kernels of a file");
  add_common(*stub_verb, stub.common);
  stub_verb->get_option("FILE")->expected(1);
  stub_verb
      ->add_option("--api", stub.api,
                   "What the program calls: opencl (loads lifted source or a binary), hip or hsa (load a code object)")
      ->check(CLI::IsMember({"opencl", "hip", "hsa"}))
      ->required();
  stub_verb->add_option("-o,--output", stub.output, "Write to FILE instead of standard output")->type_name("FILE");
  add_target(*stub_verb, stub.target, "Entry of an offload bundle");

  RunOptions execute;
  auto* run_verb = app.add_subcommand("run", "Run a kernel of a container or code object on the built-in interpreter");
  add_common(*run_verb, execute.common);
  add_output(*run_verb, execute.common);
  run_verb->get_option("FILE")->expected(1);
  run_verb->add_option("--launch", execute.launch, "Launch sizes, argument values and memory (docs/emulate.md)")
      ->type_name("JSON")
      ->required();
  run_verb->add_option("--cb0", execute.cb0, "Constant buffer 0 from FILE")->type_name("FILE");
  run_verb->add_option("--cb1", execute.cb1, "Constant buffer 1 from FILE")->type_name("FILE");
  run_verb->add_option("--dump", execute.dumps, "Write memory after the run: ADDRESS:SIZE:FILE")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  run_verb->add_flag("--trace", execute.trace, "Print every instruction with the registers it changed");
  run_verb->add_flag("--races", execute.races, "Report work-items that access the same bytes with no barrier between");
  run_verb->add_option("--instructions", execute.instructions, "Stop after so many lane instructions")
      ->capture_default_str();

  DeviceLaunchOptions launch;
  auto* launch_verb = app.add_subcommand("launch", "Run a kernel, lifted, on an OpenCL device of this machine");
  add_common(*launch_verb, launch.common);
  add_output(*launch_verb, launch.common);
  launch_verb->get_option("FILE")->expected(1);
  launch_verb->add_option("--launch", launch.launch, "Launch sizes, argument values and memory (docs/emulate.md)")
      ->type_name("JSON")
      ->required();
  launch_verb
      ->add_option("--device", launch.device,
                   "OpenCL device, by a part of its name (default: pocl where it is, else the first)")
      ->type_name("NAME");
  launch_verb->add_option("--dump", launch.dumps, "Write memory after the launch: ADDRESS:SIZE:FILE")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  launch_verb->add_flag("--exact", launch.lift.exact,
                        "Denormal floats count as zeros where the old code's mode says so, whatever the device does");

  OpenClOptions host;
  auto* opencl_verb =
      app.add_subcommand("opencl", "Start an old OpenCL program so that its binaries work on the devices of today");
  opencl_verb->add_option("HOST", host.host, "Program and its arguments, behind --")->type_name("HOST ARGS...");
  opencl_verb->add_option("--pose", host.pose, "Answer like this device of Catalyst, for programs that look for one")
      ->type_name("DEVICE")
      ->check([](const std::string& name) {
        return amdcompat::layer::find_posed(name) != nullptr ? std::string()
                                                             : "no device of Catalyst is called " + name;
      });
  opencl_verb
      ->add_option("--device", host.device, "Device that poses, by a part of its name (default: a GPU, else the first)")
      ->type_name("NAME");
  opencl_verb->add_option("--log", host.log, "Add what the layer does to FILE; -: to standard error")
      ->type_name("FILE");
  opencl_verb->add_option("--cache", host.cache, "Directory of lifted programs, or off (default: below ~/.cache)")
      ->type_name("DIR");
  opencl_verb->add_flag("--exact", host.exact,
                        "Denormal floats count as zeros where the old code's mode says so, whatever the device does");
  opencl_verb->add_flag("--list", host.list, "Show the layer and the devices of this machine");
  opencl_verb
      ->add_option_function<std::string>(
          "--format", [&host](const std::string& format) { host.json = format == "json"; },
          "Output of --list as text or as JSON")
      ->check(CLI::IsMember({"text", "json"}))
      ->default_str("text");

  PrintfOptions print;
  auto* printf_verb = app.add_subcommand("printf", "Print what a kernel's printf calls left in a buffer");
  add_common(*printf_verb, print.common);
  add_output(*printf_verb, print.common);
  printf_verb->get_option("FILE")->expected(1);
  add_format(*printf_verb, print.common, "Output as text, or as one JSON object a printf call");
  printf_verb->add_option("--buffer", print.buffer, "File with the buffer's bytes")->type_name("DUMP")->required();
  printf_verb->add_option("--dwords-per-item", print.dwords_per_item,
                          "Legacy buffers: dwords of a work-item (default: the buffer divided by --items)");
  printf_verb->add_option(
      "--items", print.items,
      "Legacy buffers: work-items (default: as many as there is room for; without --dwords-per-item: 1)");
  printf_verb->add_option("--abi", print.abi, "Kind of buffer (default: by FILE)")
      ->check(CLI::IsMember({"auto", "legacy", "hsa"}))
      ->capture_default_str();

  VerifyOptions verify;
  auto* verify_verb = app.add_subcommand("verify", "Compare two files kernel by kernel: does NEW run as OLD did?");
  add_common(*verify_verb, verify.common);
  add_output(*verify_verb, verify.common);
  verify_verb->add_flag("--execute", verify.request.execute,
                        "Run the kernels of both on random launches, and compare all memory");
  verify_verb->add_option("--seed", verify.request.proof.seed, "Seed of --execute")->capture_default_str();
  add_proof_instructions(*verify_verb, verify.request.proof_instructions);
  verify_verb->get_option("FILE")->expected(1, 2)->description("OLD and NEW; one file alone is checked by itself");
  add_format(*verify_verb, verify.common, "Findings as text or as JSON Lines (standard error)");
  add_target(*verify_verb, verify.target, "Entry of an offload bundle");

  MigrateOptions migrate;
  auto* migrate_verb =
      app.add_subcommand("migrate", "Convert trees, archives and applications into a directory with a manifest");
  migrate_verb->add_option("IN", migrate.common.files, "Files and directories; with --merge: directories of shards");
  migrate_verb->add_option("-o,--out", migrate.output, "Directory for outputs, manifest and report, made when missing")
      ->type_name("DIR");
  migrate_verb->add_option("--policy", migrate.policy, "What to make, as a TOML file (docs/migrate.md); options win")
      ->type_name("TOML");
  const auto tristate = [](CLI::App& verb, const std::string& names, std::optional<bool>& to, const char* help) {
    verb.add_flag_function(names, [&to](std::int64_t times) { to = times > 0; }, help);
  };
  tristate(*migrate_verb, "--scan,!--no-scan", migrate.scan, "Search files that are no program for programs");
  tristate(*migrate_verb, "--archives,!--no-archives", migrate.archives, "Look into archives (default)");
  tristate(*migrate_verb, "--prove,!--no-prove", migrate.prove,
           "Run old and new machine code of each kernel; what differs is not delivered");
  tristate(*migrate_verb, "--lift,!--no-lift", migrate.lift,
           "Write GCN machine code as OpenCL C too; with --prove, run against the machine code on an OpenCL device");
  tristate(*migrate_verb, "--strict,!--lenient", migrate.strict, "Refuse programs with any departure from the grammar");
  migrate_verb->add_option("--seed", migrate.seed, "Seed of --prove");
  add_layout(*migrate_verb, migrate.layout,
             "auto: old machine code where possible, else metadata; in-place: the first; natural: the second");
  migrate_verb
      ->add_option_function<std::vector<std::string>>(
          "--target",
          [&migrate](const std::vector<std::string>& names) {
            for (const std::string& name : names) {
              const std::size_t equals = name.find('=') == std::string::npos ? 0 : name.find('=') + 1;
              migrate.targets.push_back(name.substr(0, equals) + target_named(name.substr(equals)));
            }
          },
          "GPU for a device, or for all: a target, a device, or as it is sold")
      ->check([](const std::string& name) { return problem_of_target(name.substr(name.find('=') + 1)); })
      ->type_name("[DEVICE=]GPU")
      ->allow_extra_args(false);
  add_version(*migrate_verb, migrate.code_object, "Version of code objects, 3 to 6");
  add_compiler(*migrate_verb, migrate.compiler,
               "What compiles lifted kernels for --target where their old code cannot be kept: comgr (default), clang, "
               "the path of either, or none");
  migrate_verb->add_option("--metadata", migrate.metadata, "Form of metadata that stands alone")
      ->check(CLI::IsMember({"yaml", "json", "msgpack"}));
  migrate_verb
      ->add_option("-j,--jobs", migrate.jobs,
                   "Threads that convert (default: one for each core; fewer where address space is limited)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  auto* shard_option =
      migrate_verb->add_option("--shard", migrate.shard, "Only this share of the files, 1/4 to 4/4")->type_name("I/N");
  auto* dry_run_flag = migrate_verb->add_flag("--dry-run", migrate.dry_run, "Do everything but write");
  migrate_verb->add_flag("--fsync", migrate.fsync, "Outputs reach the disk before they are recorded");
  migrate_verb
      ->add_flag("--merge", migrate.merge, "Put the outputs of all shards together, as one machine would have done")
      ->excludes(shard_option)
      ->excludes(dry_run_flag);
  migrate_verb->add_flag("!--no-report", migrate.report, "Do not write report.xhtml");
  migrate_verb->add_option("--report", migrate.report_of, "Only write the report again, from the manifest in DIR")
      ->type_name("DIR");
  migrate_verb->add_option("--color,--colour", migrate.common.colour, "Colour in findings")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  migrate_verb->add_flag("-q,--quiet", migrate.common.quiet, "Show the counts and errors of the run only");

  DevicesOptions devices;
  auto* devices_verb = app.add_subcommand(
      "devices", "List the devices of Catalyst and their targets, GPUs as they are sold, or what runs each target");
  auto* boards_flag = devices_verb->add_flag("--boards", devices.boards, "GPUs as they are sold, with their targets");
  devices_verb->add_flag("--targets", devices.targets, "Targets, with the oldest runtime that takes code for them")
      ->excludes(boards_flag);
  devices_verb
      ->add_option_function<std::string>(
          "--format", [&devices](const std::string& format) { devices.json = format == "json"; }, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->default_str("text");
  devices_verb->add_option("-o,--output", devices.output, "Write to FILE instead of standard output")
      ->type_name("FILE");

  std::string manual_directory;
  auto* manual_verb = app.add_subcommand("manual", "Write the man pages and shell completions of this tool");
  manual_verb->add_option("-o,--output", manual_directory, "Directory for the files, made when missing")
      ->type_name("DIR")
      ->required();

  for (CLI::App* verb :
       {doctor_verb, explain_verb, manual_verb, extract_verb, lift_verb, stub_verb, run_verb, launch_verb, inspect_verb,
        check_verb, convert_verb, roundtrip_verb, layout_verb, pack_verb, printf_verb, verify_verb, devices_verb})
    verb->footer(kExitCodes);
  opencl_verb->footer("Exit status: that of HOST; 2 wrong usage; 3 HOST or the layer cannot be found.");
  migrate_verb->footer(
      "Exit status: 0 what was asked for is done; 1 a file could not be read to its end, or the run was interrupted; "
      "2 wrong usage; 3 the output directory cannot be used; 4 something that was asked for was not made.\n"
      "The same command again does what is left or has changed.");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (argc == 1) {  // what there is, for who does not know yet
      fmt::print("{}", app.help());
      return kUsage;
    }
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) ||
        error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError))
      if (const std::string why = explain_extras(app, argc, argv); !why.empty()) {
        fmt::print(stderr, "{}", amdcompat::visible(why, true));
        return kUsage;
      }
    std::ostringstream page, problem;  // which quotes the arguments
    const int status = app.exit(error, page, problem);
    fmt::print("{}", page.str());
    fmt::print(stderr, "{}", amdcompat::visible(problem.str(), true));
    return status == 0 ? kDone : kUsage;
  }
  if (doctor_verb->parsed())
    return complete(*doctor_verb, doctor.common) ? with_output(doctor.common.output, [&] { return run_doctor(doctor); })
                                                 : kUsage;
  if (explain_verb->parsed()) {
    if (explain.codes.empty() && !explain.list) {
      fmt::print("{}", explain_verb->help());
      return kUsage;
    }
    return run_explain(explain);
  }
  if (inspect_verb->parsed())
    return inspect.explain || complete(*inspect_verb, inspect.common)
               ? with_output(inspect.common.output, [&] { return run_inspect(inspect); })
               : kUsage;
  if (check_verb->parsed())
    return complete(*check_verb, check.common) ? with_output(check.common.output, [&] { return run_check(check); })
                                               : kUsage;
  if (convert_verb->parsed()) return complete(*convert_verb, convert.common) ? run_convert(convert) : kUsage;
  if (layout_verb->parsed()) return complete(*layout_verb, layout.common) ? run_layout(layout) : kUsage;
  if (pack_verb->parsed()) {
    if (pack.launch.empty() && !pack.make_template) {
      std::fputs("amdcompat: pack needs --launch JSON, or --template (see --help)\n", stderr);
      return kUsage;
    }
    if (pack.output.empty() && !pack.make_template && !pack.explain) {
      std::fputs("amdcompat: pack needs -o DIR or --explain (see --help)\n", stderr);
      return kUsage;
    }
    return complete(*pack_verb, pack.common) ? run_pack(pack) : kUsage;
  }
  if (extract_verb->parsed()) return complete(*extract_verb, extract.common) ? run_extract(extract) : kUsage;
  if (lift_verb->parsed()) return complete(*lift_verb, lift.common) ? run_lift(lift) : kUsage;
  if (stub_verb->parsed()) return complete(*stub_verb, stub.common) ? run_stub(stub) : kUsage;
  if (run_verb->parsed())
    return complete(*run_verb, execute.common) ? with_output(execute.common.output, [&] { return run_run(execute); })
                                               : kUsage;
  if (launch_verb->parsed())
    return complete(*launch_verb, launch.common) ? with_output(launch.common.output, [&] { return run_launch(launch); })
                                                 : kUsage;
  if (opencl_verb->parsed()) return run_opencl(host);
  if (printf_verb->parsed())
    return complete(*printf_verb, print.common) ? with_output(print.common.output, [&] { return run_printf(print); })
                                                : kUsage;
  if (verify_verb->parsed())
    return complete(*verify_verb, verify.common) ? with_output(verify.common.output, [&] { return run_verify(verify); })
                                                 : kUsage;
  if (manual_verb->parsed()) return run_manual(app, manual_directory);
  if (migrate_verb->parsed()) {
    if (migrate.report_of.empty() && (migrate.common.files.empty() || migrate.output.empty())) {
      std::fputs("amdcompat: migrate needs IN and --out DIR, or --report DIR (see --help)\n", stderr);
      return kUsage;
    }
    return run_migrate(migrate);
  }
  if (devices_verb->parsed()) return run_devices(devices);
  return complete(*roundtrip_verb, roundtrip.common)
             ? with_output(roundtrip.common.output, [&] { return run_roundtrip(roundtrip); })
             : kUsage;
}

}  // namespace

int main(int argc, char** argv) {
#ifdef __GLIBC__
  // Documents of large files are made and given back several times: memory that goes back to the system each time has
  // to be cleared by it each time, which took a quarter of `roundtrip --all` of such a file.
  constexpr int kKept = 1 << 30;  // bytes
  mallopt(M_MMAP_THRESHOLD, kKept);
  mallopt(M_TRIM_THRESHOLD, kKept);
#endif
  int status = kInputOutput;
  try {
    status = run(argc, argv);
  } catch (const std::exception& error) {  // out of memory, or an output that takes no more
    std::fprintf(stderr, "amdcompat: %s\n", amdcompat::visible(error.what()).c_str());
  }
  // What was printed is written here at the latest.
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
    std::fputs("amdcompat: cannot write to standard output\n", stderr);
    status = kInputOutput;
  }
  return status;
}
