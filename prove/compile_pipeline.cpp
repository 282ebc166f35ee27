#include "compile_pipeline.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace amdcompat::pipeline {
namespace {

// Whether the old code flushed denormal floats of 32 bits: FP_DENORM of the mode that it starts with [SIA, CIA]. Where
// a container of OpenCL 1.x does not say, as AMD's compilers had it.
bool flushes_denormals(const Kernel& kernel) {
  std::uint32_t mode = 0xc0;
  if (const auto* const state = std::get_if<cl1::CalState>(&kernel.entry)) mode = state->info.float_mode.value_or(mode);
  if (const auto* const code = std::get_if<KernelCode>(&kernel.entry)) mode = code->rsrc1 >> 12 & 0xff;
  if (const auto* const word = std::get_if<hsa::KernelDescriptor>(&kernel.entry)) mode = word->rsrc1 >> 12 & 0xff;
  return (mode >> 4 & 3) == 0;
}

constexpr std::string_view kStandIn = "gfx803";
// Runs of a compiler that only look for the kernels it refuses, of one file (docs/limits.md).
constexpr std::size_t kMostTries = 64;

class UnitCompiler {
 public:
  UnitCompiler(const File& file, const Program& program, const Request& request, Proofs& proofs,
               Diagnostics& diagnostics)
      : file_(file), program_(program), request_(request), proofs_(proofs), diagnostics_(diagnostics) {}

  CompiledUnit run() {
    settings_.target = *request_.object.target;
    settings_.version = request_.object.version.value_or(compile::kUsualVersion);
    settings_.seconds = request_.compiler_seconds;
    settings_.flush_denormals = std::ranges::all_of(program_.kernels, flushes_denormals);
    if (auto refused = request_.compiler->refusal(settings_.target, settings_.version)) {
      diagnostics_.add(std::move(*refused));
      return std::move(out_);
    }
    promise();
    promised_at_ = by_name(promised_);
    lift::Unit unit = lift::lift(program_, request_.lift, diagnostics_);
    std::set<std::string> good;
    for (lift::KernelOutcome& kernel : unit.kernels) {
      if (!kernel.lifted) continue;
      good.insert(kernel.name);
      lifted_.emplace(kernel.name, std::move(kernel));
    }
    // Each turn makes the unit with less kernels, or ends.
    for (std::string source = std::move(unit.source); !good.empty(); source = source_of(good)) {
      const std::set<std::string> bad = attempt(source, good);
      if (bad.empty()) {
        out_.source = std::move(source);
        break;
      }
      for (const std::string& name : bad) good.erase(name);
    }
    take(good);
    return std::move(out_);
  }

 private:
  using Places = std::unordered_map<std::string_view, std::size_t>;
  // Where the metadata has each kernel: the first of a name.
  static Places by_name(const hsa::Metadata& metadata) {
    Places out;
    for (std::size_t at = 0; at < metadata.kernels.size(); ++at)
      if (metadata.kernels[at].name) out.try_emplace(*metadata.kernels[at].name, at);
    return out;
  }

  // What the metadata has to say, by name of the kernel.
  void promise() {
    if (file_.object()) {
      promised_ = file_.object()->metadata;
      return;
    }
    Diagnostics again;
    promised_ = convert::to_metadata(program_, again, request_.natural).metadata;
  }
  [[nodiscard]] const hsa::MetadataKernel* promised(std::string_view name) const {
    const auto found = promised_at_.find(name);
    return found == promised_at_.end() ? nullptr : &promised_.kernels[found->second];
  }

  [[nodiscard]] std::string source_of(const std::set<std::string>& names) const {
    Program less = program_;
    keep_kernels(less, [&](const Kernel& kernel) { return names.contains(kernel.name); });
    Diagnostics again;
    return lift::lift(less, request_.lift, again).source;
  }

  void refuse(const std::string& kernel, Code code, std::string predicate) {
    const DiagnosticScope scope(diagnostics_, {.kernel = kernel});
    diagnostics_.report_on(Subject::Kernel, code, {}, std::move(predicate));
  }

  // The kernels that are not as they should be, each with a finding; none: `out_` has the object.
  std::set<std::string> attempt(const std::string& source, const std::set<std::string>& names) {
    Result<std::string> bytes = request_.compiler->compile(source, settings_);
    if (!bytes) return blame(bytes.error(), names);
    Diagnostics findings;
    std::optional<hsa::CodeObject> object = hsa::read_code_object(*bytes, findings);
    if (object) static_cast<void>(convert::check_object(*object, findings));
    const auto error = std::ranges::find(findings.all(), Severity::Error, &Diagnostic::severity);
    if (!object || error != findings.all().end()) {
      const std::string why = error == findings.all().end() ? std::string("it cannot be read") : sentence(*error);
      for (const std::string& name : names)
        refuse(name, Code::CompilerFailed, fmt::format("was compiled to a code object that is broken: {}", why));
      return names;
    }
    std::set<std::string> bad = misplaced(*object, names);
    if (bad.empty() && request_.prove) bad = wrong(*object, source, names);
    if (bad.empty()) {
      out_.object = std::move(object);
      out_.bytes = std::move(*bytes);
    }
    return bad;
  }

  // Which kernels stop the compiler: found by halves, as a file may have thousands and each try is a run of a compiler.
  std::set<std::string> blame(const Diagnostic& error, const std::set<std::string>& names) {
    std::set<std::string> bad;
    blame(error, {names.begin(), names.end()}, bad);
    return bad;
  }

  void blame(const Diagnostic& error, const std::vector<std::string>& names, std::set<std::string>& bad) {
    const std::size_t before = bad.size();
    if (names.size() > 1 && tries_ >= 2) {
      const auto middle = names.begin() + static_cast<std::ptrdiff_t>(names.size() / 2);
      for (const std::vector<std::string>& half :
           {std::vector(names.begin(), middle), std::vector(middle, names.end())}) {
        if (tries_ == 0) {
          blame(error, half, bad);
          continue;
        }
        --tries_;
        if (const Result<std::string> part =
                request_.compiler->compile(source_of({half.begin(), half.end()}), settings_);
            !part)
          blame(part.error(), half, bad);
      }
    }
    if (bad.size() != before) return;
    for (const std::string& name : names) {  // one alone, or all of them together
      const std::string with = names.size() > 1 ? fmt::format(" with {} others", names.size() - 1) : std::string();
      refuse(name, error.code, fmt::format("is not compiled{}: {}", with, error.message));
      bad.insert(name);
    }
  }

  std::set<std::string> misplaced(const hsa::CodeObject& object, const std::set<std::string>& names) {
    std::set<std::string> bad;
    const Places places = by_name(object.metadata);
    for (const std::string& name : names) {
      const auto found = places.find(name);
      const hsa::MetadataKernel* const wanted = promised(name);
      const std::string difference = found == places.end() ? "is not in the code object"
                                     : wanted == nullptr
                                         ? "has no natural layout"
                                         : natural_difference(*wanted, object.metadata.kernels[found->second]);
      if (difference.empty()) continue;
      refuse(name, Code::CompiledLayout,
             fmt::format("is compiled, and not as the natural layout says: {}", difference));
      bad.insert(name);
    }
    return bad;
  }

  // The same source by the same compiler for the newest target that is executed here, where that of the object is not:
  // what is wrong with it is wrong with the source.
  std::optional<hsa::CodeObject> stand_in(const hsa::CodeObject& object, const std::string& source) const {
    if (object.target == nullptr || emulate::runnable(*object.target)) return std::nullopt;
    compile::Settings settings = settings_;
    settings.target = {find_target(kStandIn), {}};
    settings.version = compile::kUsualVersion;
    const Result<std::string> bytes = request_.compiler->compile(source, settings);
    Diagnostics again;
    return bytes ? hsa::read_code_object(*bytes, again) : std::nullopt;
  }

  // Proves what has no proof yet.
  std::set<std::string> wrong(const hsa::CodeObject& object, const std::string& source,
                              const std::set<std::string>& names) {
    std::set<std::string> bad;
    const std::optional<hsa::CodeObject> other = stand_in(object, source);
    for (std::size_t n = 0; n < program_.kernels.size(); ++n) {
      const std::string& name = program_.kernels[n].name;
      if (!names.contains(name) || proofs_of_.contains(name)) continue;
      emulate::Proof proof = proofs_([&](emulate::ProofOptions options) {
        options.texels = lifted_[name].texels;
        return emulate::prove_compiled(program_, n, other ? *other : object, options);
      });
      if (other && proof.verdict == emulate::Verdict::Proved) {
        proof.verdict = emulate::Verdict::Unproved;
        proof.reason = fmt::format("code of {} is not executed here; the same source compiled for {} is proved",
                                   object.target->name, kStandIn);
      } else if (other && !proof.reason.empty()) {
        proof.reason = fmt::format("compiled for {}: {}", kStandIn, proof.reason);
      }
      report_proof(name, proof, diagnostics_, true);
      if (proof.verdict == emulate::Verdict::Differs) bad.insert(name);
      proofs_of_.emplace(name, proof);
    }
    return bad;
  }

  void take(const std::set<std::string>& good) {
    const Places places = out_.object ? by_name(out_.object->metadata) : Places();
    for (std::size_t n = 0; n < program_.kernels.size(); ++n) {
      const std::string& name = program_.kernels[n].name;
      CompiledUnit::Kernel& row = out_.kernels.emplace_back();
      row.kernel = n;
      if (const auto proof = proofs_of_.find(name); proof != proofs_of_.end()) row.proof = proof->second;
      if (!out_.object || !good.contains(name)) continue;
      row.at = places.at(name);
    }
  }

  const File& file_;
  const Program& program_;
  const Request& request_;
  Proofs& proofs_;
  Diagnostics& diagnostics_;
  compile::Settings settings_;
  std::size_t tries_ = kMostTries;
  hsa::Metadata promised_;
  Places promised_at_;
  std::map<std::string, emulate::Proof> proofs_of_;
  std::map<std::string, lift::KernelOutcome> lifted_;
  CompiledUnit out_;
};

}  // namespace

CompiledUnit compile_program(const File& file, const Program& program, const Request& request, Proofs& proofs,
                             Diagnostics& diagnostics) {
  if (const std::optional<Program> read = lift::with_arguments_read(program))
    return UnitCompiler(file, *read, request, proofs, diagnostics).run();
  return UnitCompiler(file, program, request, proofs, diagnostics).run();
}

}  // namespace amdcompat::pipeline
