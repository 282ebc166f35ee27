#include <amdcompat/pipeline.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "compile_pipeline.hpp"

namespace amdcompat::pipeline {
namespace {

using u64 = std::uint64_t;

// A conversion's own warning of low addresses has a place in the file.
bool is_of_proof(const Diagnostic& finding) {
  const Code code = finding.code;
  return code == Code::InPlaceProved || code == Code::InPlaceUnproved || code == Code::InPlaceDiffers ||
         (code == Code::InPlaceLowAddresses && finding.where.size == 0);
}

// The findings of proofs; those of the conversion come again.
Diagnostics proofs_alone(const Diagnostics& findings) {
  Diagnostics out(findings.mode());
  for (const Diagnostic& finding : findings.all())
    if (is_of_proof(finding)) out.add(finding);
  return out;
}

bool is_vliw_container(const File& file) {
  return file.cl1() && (file.cl1()->device == nullptr || is_vliw(file.cl1()->device->isa));
}

// What stands against a kernel may stand against its description too: it is said once.
std::vector<Diagnostic> not_among(const std::vector<Diagnostic>& findings, std::span<const Diagnostic> others) {
  struct Key {
    Code code;
    std::uint32_t begin;
    std::string kernel, path, message;
    auto operator<=>(const Key&) const = default;
  };
  const auto key = [](const Diagnostic& of) { return Key{of.code, of.where.begin, of.kernel, of.path, of.message}; };
  std::set<Key> said;
  for (const Diagnostic& other : others) said.insert(key(other));
  std::vector<Diagnostic> out;
  for (const Diagnostic& finding : findings)
    if (!said.contains(key(finding))) out.push_back(finding);
  return out;
}

class Converter {
 public:
  Converter(const File& file, const Request& request, Diagnostics& diagnostics)
      : file_(file), request_(request), diagnostics_(diagnostics) {}

  Conversion run() {
    const Program& program = file_.program;
    for (std::size_t n = 0; n < program.kernels.size(); ++n) {
      out_.kernels.emplace_back().kernel = n;
      by_name_[program.kernels[n].name].push_back(n);
    }
    if (request_.layout == Layout::Natural) {
      compile_left();
      describe_others();
    } else if (request_.layout == Layout::Auto && !has_code_for_today()) {
      for (const Kernel& kernel : program.kernels) explain_left(kernel);
      describe(program);
      if (code_is_wanted() && !program.kernels.empty())
        diagnostics_.report(Code::NoMachineCode, {}, "code for a target of today was asked for, and there is none");
    } else {
      Diagnostics attempt(diagnostics_.mode());
      carry(attempt);
      take_reasons(attempt);
      const std::size_t before = diagnostics_.all().size();
      if (request_.layout == Layout::Auto) compile_left();
      const bool overcome = (request_.layout == Layout::Auto && describe_others() && !code_is_wanted()) ||
                            (out_.compiled && std::ranges::all_of(out_.kernels, has_new_code));
      const std::set<std::string_view> compiled = compiled_kernels();
      for (Diagnostic& finding : not_among(attempt.all(), std::span(diagnostics_.all()).subspan(before))) {
        if (overcome || compiled.contains(finding.kernel)) finding.severity = severity_if_overcome(finding);
        diagnostics_.add(std::move(finding));
      }
    }
    if (request_.prove) report_unproved();
    // Strict takes no departure: an input with errors gives no output.
    if (diagnostics_.mode() == Mode::Strict && diagnostics_.has_errors()) withdraw();
    out_.proof_instructions = proofs_.spent();
    return std::move(out_);
  }

 private:
  // Who names a target wants code for it: metadata will not do.
  [[nodiscard]] bool code_is_wanted() const { return request_.object.target.has_value(); }

  static bool has_new_code(const KernelResult& kernel) { return has_code(kernel.outcome); }
  [[nodiscard]] std::set<std::string_view> compiled_kernels() const {
    std::set<std::string_view> out;
    for (const KernelResult& kernel : out_.kernels)
      if (kernel.compiled) out.insert(file_.program.kernels[kernel.kernel].name);
    return out;
  }

  void report_unproved() {
    const std::size_t unproved = out_.count(Outcome::Converted);
    if (unproved == 0) return;
    const KernelResult& first = *std::ranges::find(out_.kernels, Outcome::Converted, &KernelResult::outcome);
    diagnostics_.report(Code::ProofMissing, {},
                        unproved_text("converted", unproved, unproved + out_.count(Outcome::Proved),
                                      file_.program.kernels[first.kernel].name,
                                      first.proof ? first.proof->reason : std::string()));
  }

  void withdraw() {
    Conversion none;
    for (const KernelResult& kernel : out_.kernels) {
      KernelResult& refused = none.kernels.emplace_back();
      refused.kernel = kernel.kernel;
      refused.proof = kernel.proof;
    }
    out_ = std::move(none);
    take_reasons(diagnostics_);
    const auto error = std::ranges::find(diagnostics_.all(), Severity::Error, &Diagnostic::severity);
    for (KernelResult& kernel : out_.kernels)  // what stands against another kernel stands against the file
      if (!kernel.reason && error != diagnostics_.all().end()) kernel.reason = *error;
  }

  // Whether the kernels' machine code is there at all and of a family that code objects exist for.
  [[nodiscard]] bool has_code_for_today() const {
    return file_.object() || file_.cl2() || (file_.cl1() && !is_vliw_container(file_));
  }

  void explain_left(const Kernel& kernel) {
    if (!file_.cl1() && !file_.cl2()) return;  // a text has none
    const DiagnosticScope scope(diagnostics_, {.kernel = kernel.name});
    diagnostics_.report_on(Subject::Kernel, Code::MachineCodeLeft, {kernel.where.begin, 0},
                           "is described only: its machine code is not carried over");
  }

  // --- with the old machine code ---

  struct Made {
    hsa::CodeObject object;
    std::vector<convert::InPlaceKernel> in_place;
  };

  std::optional<Made> make(const Program& program, Diagnostics& attempt) const {
    Made out;
    if (file_.object() || file_.cl2()) {
      auto object = file_.object() ? convert::to_version(*file_.object(), attempt, request_.object)
                                   : convert::to_code_object(program, attempt, request_.object);
      if (!object) return std::nullopt;
      out.object = std::move(*object);
    } else if (file_.cl1()) {
      convert::InPlaceOptions options;
      options.target = request_.object.target;
      if (request_.object.version) options.version = *request_.object.version;
      auto object = convert::to_in_place(program, attempt, options);
      if (!object) return std::nullopt;
      out.object = std::move(object->object);
      out.in_place = std::move(object->kernels);
    } else {
      attempt.report(Code::NoMachineCode, {}, "metadata text has no machine code to carry over");
      return std::nullopt;
    }
    if (request_.verify && !convert::check_object(out.object, attempt)) return std::nullopt;
    return out;
  }

  // Empty, with a finding: it cannot be written, or would not run as before.
  std::optional<std::string> write(const Program& program, const Made& made, Diagnostics& attempt) const {
    // An in-place conversion has other arguments and other code than its origin: proofs compare them.
    if (request_.verify && !file_.cl1()) {
      const bool refused = !file_.object() && made.object.kernels.size() < program.kernels.size();
      return convert::write_compared(made.object,
                                     file_.object() ? convert::load_view(*file_.object()) : convert::load_view(program),
                                     refused, attempt);
    }
    Result<std::string> bytes = hsa::write_code_object(made.object);
    if (bytes) return std::move(*bytes);
    attempt.add(std::move(bytes.error()));
    return std::nullopt;
  }

  // Names of the kernels that are known to be wrong.
  std::set<std::string> prove(const Program& program, const Made& made, Diagnostics& attempt) {
    std::set<std::string> wrong;
    const auto take = [&](const std::string& name, const emulate::Proof& proof) {
      report_proof(name, proof, attempt);
      if (proof.verdict == emulate::Verdict::Differs) wrong.insert(name);
      if (const auto same = by_name_.find(name); same != by_name_.end())
        for (const std::size_t n : same->second) out_.kernels[n].proof = proof;
    };
    if (file_.cl1()) {
      const convert::InPlaceObject object{made.object, made.in_place, 0};
      for (std::size_t n = 0; n < object.kernels.size(); ++n)
        take(object.object.kernels[n].name, proofs_([&](const emulate::ProofOptions& options) {
               return emulate::prove_in_place(program, object, n, options);
             }));
      return wrong;
    }
    std::set<std::string_view> there;
    for (const hsa::MetadataKernel& kernel : made.object.metadata.kernels)
      if (kernel.name) there.insert(*kernel.name);
    for (std::size_t n = 0; n < program.kernels.size(); ++n)
      if (there.contains(program.kernels[n].name))
        take(program.kernels[n].name, proofs_([&](const emulate::ProofOptions& options) {
               return emulate::prove_object(program, n, made.object, options);
             }));
    return wrong;
  }

  void carry(Diagnostics& attempt) {
    if (file_.object() && is_current()) {
      const bool good = !request_.verify || convert::check_object(*file_.object(), attempt);
      if (!good) return;
      accept({*file_.object(), {}}, std::string(file_.view()));
      for (KernelResult& kernel : out_.kernels)
        if (kernel.outcome == Outcome::Converted) kernel.outcome = Outcome::AsItIs;
      return;
    }
    std::optional<Program> less;  // without what is withheld
    for (;;) {
      const Program& program = less ? *less : file_.program;
      std::optional<Made> made = make(program, attempt);
      if (!made) return;
      std::optional<std::string> bytes = write(program, *made, attempt);
      if (!bytes) return;
      const std::set<std::string> wrong =
          request_.prove && !less ? prove(program, *made, attempt) : std::set<std::string>();
      if (wrong.empty()) return accept(std::move(*made), std::move(*bytes));
      // What is known to be wrong is not delivered: once more without it. A code object cannot lose a kernel.
      if (file_.object()) return;
      less = file_.program;
      keep_kernels(*less, [&](const Kernel& kernel) { return !wrong.contains(kernel.name); });
      if (less->kernels.empty()) return;
      attempt = proofs_alone(attempt);
    }
  }

  // A code object that a loader takes as it is, and of which nothing else is wanted.
  [[nodiscard]] bool is_current() const {
    return file_.object()->version >= hsa::CodeObjectVersion::V3 && !file_.object()->relocatable &&
           !request_.object.version && !request_.object.target && !hsa::is_bundle(file_.view());
  }

  void accept(Made made, std::string bytes) {
    set_outcomes(made.object.metadata, Outcome::Converted);
    out_.object = std::move(made.object);
    out_.in_place = std::move(made.in_place);
    out_.bytes = std::move(bytes);
  }

  // --- compiled again ---

  static bool is_left(const KernelResult& kernel) { return kernel.outcome == Outcome::Refused; }

  // The program with the kernels that nothing has been made of.
  [[nodiscard]] Program left_over() const {
    std::set<std::string_view> left;
    for (const KernelResult& kernel : out_.kernels)
      if (is_left(kernel)) left.insert(file_.program.kernels[kernel.kernel].name);
    Program out = file_.program;
    keep_kernels(out, [&](const Kernel& kernel) { return left.contains(kernel.name); });
    return out;
  }

  void compile_left() {
    if (request_.compiler == nullptr || !code_is_wanted() || !has_code_for_today() ||
        std::ranges::none_of(out_.kernels, is_left))
      return;
    const std::size_t before = diagnostics_.all().size();
    const Program program = left_over();
    CompiledUnit unit = compile_program(file_, program, request_, proofs_, diagnostics_);
    for (CompiledUnit::Kernel& made : unit.kernels) {
      const std::size_t n = by_name_[program.kernels[made.kernel].name].front();
      KernelResult& kernel = out_.kernels[n];
      if (made.proof) kernel.proof = std::move(made.proof);
      if (!made.at) continue;
      kernel.compiled = true;
      kernel.at = *made.at;
      const bool proved = kernel.proof && kernel.proof->verdict == emulate::Verdict::Proved;
      kernel.outcome = proved ? Outcome::Proved : Outcome::Converted;
      kernel.reason.reset();
    }
    out_.compiled = std::move(unit.object);
    out_.compiled_bytes = std::move(unit.bytes);
    out_.source = std::move(unit.source);
    take_reasons(std::span(diagnostics_.all()).subspan(before));
  }

  // --- metadata alone ---

  // Kernels that are in no code object. True: nothing is refused any more.
  bool describe_others() {
    const bool natural = request_.layout == Layout::Natural;
    if ((file_.object() && !natural) || (!out_.kernels.empty() && std::ranges::none_of(out_.kernels, is_left)))
      return false;
    const Program program = left_over();
    if (!natural)
      for (const Kernel& kernel : program.kernels) explain_left(kernel);
    describe(program);
    return std::ranges::none_of(out_.kernels, is_left);
  }

  // `program`: those of the file's kernels that are wanted.
  void describe(const Program& program) {
    const std::size_t before = diagnostics_.all().size();
    out_.natural.emplace();
    if (file_.object()) {  // its own metadata is what a compiler of today made
      out_.natural->metadata = file_.object()->metadata;
    } else {
      *out_.natural = convert::to_metadata(program, diagnostics_, request_.natural);
    }
    set_outcomes(out_.natural->metadata, Outcome::Described);
    out_.natural->kernels.clear();
    for (const KernelResult& kernel : out_.kernels)
      if (kernel.outcome == Outcome::Described) out_.natural->kernels.push_back(kernel.kernel);
    take_reasons(std::span(diagnostics_.all()).subspan(before));
  }

  // --- outcomes ---

  // Of each kernel of the metadata: the first one of its name that nothing has been made of.
  void set_outcomes(const hsa::Metadata& metadata, Outcome outcome) {
    for (std::size_t at = 0; at < metadata.kernels.size(); ++at) {
      const std::optional<std::string>& name = metadata.kernels[at].name;
      const auto same = name ? by_name_.find(*name) : by_name_.end();
      if (same == by_name_.end()) continue;
      const auto row =
          std::ranges::find(same->second, Outcome::Refused, [&](std::size_t n) { return out_.kernels[n].outcome; });
      if (row == same->second.end()) continue;
      KernelResult& kernel = out_.kernels[*row];
      const bool proved = kernel.proof && kernel.proof->verdict == emulate::Verdict::Proved;
      kernel.outcome = outcome == Outcome::Converted && proved ? Outcome::Proved : outcome;
      kernel.at = at;
    }
  }

  void take_reasons(const Diagnostics& findings) { take_reasons(findings.all()); }
  void take_reasons(std::span<const Diagnostic> findings) {
    std::unordered_map<std::string_view, const Diagnostic*> first;  // error about a kernel; about the file: of no name
    for (const Diagnostic& finding : findings)
      if (finding.severity == Severity::Error) first.try_emplace(finding.kernel, &finding);
    for (KernelResult& kernel : out_.kernels) {
      if (kernel.outcome != Outcome::Refused || kernel.reason) continue;
      auto found = first.find(file_.program.kernels[kernel.kernel].name);
      if (found == first.end()) found = first.find(std::string_view());
      if (found != first.end()) kernel.reason = *found->second;
    }
  }

  const File& file_;
  const Request& request_;
  Diagnostics& diagnostics_;
  Proofs proofs_{request_.proof, request_.proof_instructions};  // of the old machine code, then of what is compiled
  Conversion out_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_name_;  // indices of the file's kernels
};

// --- two files ---------------------------------------------------------------------------------------------------

class Verifier {
 public:
  Verifier(const File& before, const File& after, const VerifyRequest& request, Diagnostics& diagnostics)
      : before_(before), after_(after), request_(request), diagnostics_(diagnostics) {}

  Verification run() {
    const std::size_t errors = diagnostics_.count(Severity::Error);
    out_.kernels_before = count(before_.program.kernels);
    out_.kernels_after = count(after_.program.kernels);
    if (request_.execute)
      execute();
    else
      compare();
    const auto proved = static_cast<std::size_t>(std::ranges::count_if(
        out_.proofs, [](const auto& kernel) { return kernel.proof.verdict == emulate::Verdict::Proved; }));
    if (request_.execute && (proved != out_.kernels_before || proved == 0))
      diagnostics_.report(Code::ProofMissing, {},
                          fmt::format("{} of {} kernels are proved to run as before", proved, out_.kernels_before));
    out_.same = diagnostics_.count(Severity::Error) == errors;
    return std::move(out_);
  }

 private:
  void compare() {
    for (const File* side : {&before_, &after_})
      if (!side->object() && !side->cl2()) {
        Diagnostics findings(diagnostics_.mode());
        findings.report(Code::NoMachineCode, {}, "only OpenCL 2.0 files and code objects hold code to compare");
        return side == &before_ ? take_of_before(findings) : take(findings);
      }
    const auto view = [](const File& file) {
      return file.object() ? convert::load_view(*file.object()) : convert::load_view(file.program);
    };
    convert::LoadView old_view = view(before_), new_view = view(after_);
    for (convert::LoadView* const side : {&old_view, &new_view})
      std::erase_if(side->kernels, [&](const auto& kernel) { return !wanted(kernel.name); });
    if (old_view.kernels.empty() && !request_.kernel.empty()) return not_found();
    out_.kernels_before = old_view.kernels.size();
    out_.kernels_after = new_view.kernels.size();
    convert::compare(old_view, new_view, diagnostics_);
  }

  [[nodiscard]] bool wanted(std::string_view kernel) const {
    return request_.kernel.empty() || kernel == request_.kernel;
  }
  [[nodiscard]] std::size_t count(const std::vector<Kernel>& kernels) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(kernels, [&](const Kernel& kernel) { return wanted(kernel.name); }));
  }

  void take(const Diagnostics& findings) {
    for (const Diagnostic& finding : findings.all()) diagnostics_.add(finding);
  }
  void take_of_before(const Diagnostics& findings) {
    for (Diagnostic finding : findings.all()) {
      finding.file = request_.before_name;
      diagnostics_.add(std::move(finding));
    }
  }

  void not_found() {
    Diagnostics findings(diagnostics_.mode());
    findings.report(Code::KernelNotFound, {}, fmt::format("no kernel '{}' in this file", request_.kernel));
    take_of_before(findings);
  }

  void execute() {
    if (out_.kernels_before == 0 && !request_.kernel.empty()) return not_found();
    if (!after_.object() || after_.object()->target == nullptr) {
      diagnostics_.report(Code::NoMachineCode, {}, "what is executed is an old file and the code object made of it");
      return;
    }
    if (before_.cl1()) {
      execute_in_place();
    } else if (after_.object()->version >= hsa::CodeObjectVersion::V3) {
      execute_object(*after_.object());
    } else {
      hsa::CodeObject loaded = *after_.object();
      Diagnostics findings(diagnostics_.mode());
      const bool possible = hsa::settle_metadata(*after_.object(), loaded.metadata, findings);
      if (possible) return execute_object(loaded);
      for (const Diagnostic& finding : findings.all())
        if (finding.severity == Severity::Error) diagnostics_.add(finding);
    }
  }

  void take_proof(const std::string& name, emulate::Proof proof) {
    report_proof(name, proof, diagnostics_);
    out_.proofs.push_back({name, std::move(proof)});
  }

  // A CL2 container or an older code object, and the code object that it was converted to.
  void execute_object(const hsa::CodeObject& after) {
    std::unordered_set<std::string_view> names;
    for (const hsa::MetadataKernel& kernel : after.metadata.kernels)
      if (kernel.name) names.insert(*kernel.name);
    const auto there = [&](const Kernel& kernel) { return names.contains(kernel.name); };
    const auto& kernels = before_.program.kernels;
    for (const Kernel& kernel : kernels)
      if (wanted(kernel.name) && !there(kernel))
        diagnostics_.report(Code::InPlaceDiffers, {}, fmt::format("kernel {} is missing", kernel.name));
    for (std::size_t n = 0; n < kernels.size(); ++n)
      if (wanted(kernels[n].name) && there(kernels[n]))
        take_proof(kernels[n].name, proofs_([&](const emulate::ProofOptions& options) {
                     return emulate::prove_object(before_.program, n, after, options);
                   }));
  }

  // Places in the kernarg segment are those of a conversion made here; code and descriptors those of the file.
  void execute_in_place() {
    convert::InPlaceOptions options;
    options.version = after_.object()->version;
    options.target = hsa::TargetSpec{after_.object()->target, after_.object()->features};
    Diagnostics findings(diagnostics_.mode());
    const auto made = convert::to_in_place(before_.program, findings, options);
    take_of_before(findings);
    if (!made) return;
    std::unordered_map<std::string_view, const hsa::CodeKernel*> kernels;
    for (const hsa::CodeKernel& kernel : after_.object()->kernels) kernels.try_emplace(kernel.name, &kernel);
    std::unordered_map<std::string_view, const hsa::MetadataKernel*> described;
    for (const hsa::MetadataKernel& kernel : after_.object()->metadata.kernels)
      if (kernel.name) described.try_emplace(*kernel.name, &kernel);
    convert::InPlaceObject object;
    object.object = *after_.object();
    object.object.kernels.clear();
    for (std::size_t n = 0; n < made->kernels.size(); ++n) {
      const std::string& name = made->object.kernels[n].name;
      if (!wanted(name)) continue;
      const auto kernel = kernels.find(name);
      const auto metadata = described.find(name);
      if (kernel == kernels.end() || metadata == described.end() ||
          metadata->second->args != made->object.metadata.kernels[n].args) {
        diagnostics_.report(Code::InPlaceDiffers, {},
                            fmt::format("kernel {} is missing, or its arguments have other places", name));
        continue;
      }
      object.kernels.push_back(made->kernels[n]);
      object.object.kernels.push_back(*kernel->second);
    }
    for (std::size_t n = 0; n < object.kernels.size(); ++n)
      take_proof(object.object.kernels[n].name, proofs_([&](const emulate::ProofOptions& proof) {
                   return emulate::prove_in_place(before_.program, object, n, proof);
                 }));
  }

  const File& before_;
  const File& after_;
  const VerifyRequest& request_;
  Diagnostics& diagnostics_;
  Proofs proofs_{request_.proof, request_.proof_instructions};
  Verification out_;
};

}  // namespace

std::string_view layout_name(Layout layout) {
  constexpr std::string_view kNames[] = {"auto", "in-place", "natural"};
  return kNames[static_cast<std::size_t>(layout)];
}

std::optional<Layout> find_layout(std::string_view name) {
  const auto* const found = std::ranges::find(kLayouts, name, layout_name);
  return found == std::end(kLayouts) ? std::nullopt : std::optional(*found);
}

std::string_view outcome_name(Outcome outcome) {
  constexpr std::string_view kNames[] = {"refused", "described", "converted", "proved", "as-it-is"};
  return kNames[static_cast<std::size_t>(outcome)];
}

std::string_view outcome_text(Outcome outcome) {
  constexpr std::string_view kTexts[] = {"refused", "described only", "converted", "converted and proved",
                                         "runs as it is"};
  return kTexts[static_cast<std::size_t>(outcome)];
}

std::size_t Conversion::count(Outcome outcome) const {
  return static_cast<std::size_t>(std::ranges::count(kernels, outcome, &KernelResult::outcome));
}

Conversion convert(const File& file, const Request& request, Diagnostics& diagnostics) {
  check(file, diagnostics);
  return Converter(file, request, diagnostics).run();
}

void keep_kernels(Program& program, const std::function<bool(const Kernel&)>& wanted) {
  std::erase_if(program.kernels, [&](const Kernel& kernel) { return !wanted(kernel); });
  program.refused = 0;
  // Formats of other compilation units belong to other kernels.
  std::erase_if(program.printf, [&](const PrintfFormat& format) {
    return std::ranges::none_of(program.kernels, [&](const Kernel& kernel) { return kernel.unit == format.unit; });
  });
}

void report_proof(std::string_view kernel, const emulate::Proof& proof, Diagnostics& diagnostics, bool compiled) {
  const DiagnosticScope scope(diagnostics, {.kernel = kernel});
  const auto pick = [&](Code in_place, Code of_compiled) { return compiled ? of_compiled : in_place; };
  const Code code = proof.verdict == emulate::Verdict::Proved    ? pick(Code::InPlaceProved, Code::CompiledProved)
                    : proof.verdict == emulate::Verdict::Differs ? pick(Code::InPlaceDiffers, Code::CompiledDiffers)
                                                                 : pick(Code::InPlaceUnproved, Code::CompiledUnproved);
  diagnostics.report(code, {},
                     fmt::format("kernel {}: {}; launches compared: {}, instructions reached: {} of {}{}{}", kernel,
                                 emulate::verdict_name(proof.verdict), proof.compared, proof.coverage.reached,
                                 proof.coverage.instructions, proof.reason.empty() ? "" : ": ", proof.reason));
  const auto said = [&](const Diagnostic& finding) {
    return finding.code == Code::InPlaceLowAddresses && finding.kernel == kernel;
  };
  if (proof.low_addresses && std::ranges::none_of(diagnostics.all(), said))
    diagnostics.report(
        Code::InPlaceLowAddresses, {},
        fmt::format("kernel {}: its buffers must lie below 4 GiB, or it computes something else", kernel));
}

Verification verify(const File& before, const File& after, const VerifyRequest& request, Diagnostics& diagnostics) {
  return Verifier(before, after, request, diagnostics).run();
}

}  // namespace amdcompat::pipeline
