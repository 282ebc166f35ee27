// `lift`: machine code as OpenCL C.
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr Hint kLiftHints[] = {
    {Code::BundleChoice, "choose with --target"},
};

Json proof_json(const emulate::LiftProof& proof) {
  Json out{{"verdict", emulate::verdict_name(proof.verdict)},
           {"launches", proof.compared},
           {"reached", proof.coverage.reached},
           {"instructions", proof.coverage.instructions}};
  if (proof.alone_in_group != 0) out["alone_in_group"] = proof.alone_in_group;
  if (proof.alone_in_launch != 0) out["alone_in_launch"] = proof.alone_in_launch;
  if (proof.local_zeros != 0) out["local_zeros"] = proof.local_zeros;
  if (!proof.device.empty()) out["device"] = proof.device;
  if (proof.approximate) out["error"] = proof.error;
  if (proof.denormals) out["denormals"] = true;
  if (!proof.reason.empty()) out["reason"] = proof.reason;
  return out;
}

Json finding_json(const Diagnostic& finding) {
  return {{"code", code_label(finding.code)},
          {"offset", finding.where.begin},
          {"path", finding.path},
          {"message", sentence(finding)}};
}

Json kernel_json(const pipeline::LiftResult& result) {
  const lift::KernelOutcome& kernel = result.kernel;
  Json out{{"name", kernel.name}, {"result", pipeline::outcome_name(result.outcome)}};
  if (kernel.lifted) {
    out["form"] = lift::form_name(kernel.form);
    out["instructions"] = kernel.instructions;
    out["statements"] = kernel.statements;
  }
  if (kernel.fallback) out["fallback"] = finding_json(*kernel.fallback);
  if (kernel.refusal) out["refusal"] = finding_json(*kernel.refusal);
  if (result.proof) out["proof"] = proof_json(*result.proof);
  return out;
}

// One object on one line.
std::string json_line(const std::string& path, const pipeline::Lifted& unit) {
  Json kernels = Json::array();
  for (const pipeline::LiftResult& kernel : unit.kernels) kernels.push_back(kernel_json(kernel));
  const Json out{{"file", path}, {"kernels", std::move(kernels)}, {"source", unit.source}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

int run_lift(const LiftOptions& options) {
  const Common& common = options.common;
  if (common.files.size() > 1 && options.output_dir.empty() && (!common.json || !options.output.empty())) {
    fmt::print(stderr, "amdcompat: several inputs need --out-dir: a unit is of one program\n");
    return kUsage;
  }
  if (!options.output.empty() && !options.output_dir.empty()) {
    fmt::print(stderr, "amdcompat: -o and --out-dir exclude each other\n");
    return kUsage;
  }
  if (!options.output_dir.empty() && !make_directory(options.output_dir)) return kInputOutput;

  int result = kDone;
  const auto worse = [&result](int code) { result = std::max(result, code); };
  std::map<std::string, int> used;
  lift::Cache cache;
  for (const std::string& path : common.files) {
    std::optional<Input> input = open_input(path, common, options.target);
    if (!input) {
      worse(kInputOutput);
      continue;
    }
    if (options.target.empty()) input->hints.insert(input->hints.end(), std::begin(kLiftHints), std::end(kLiftHints));
    Diagnostics& diagnostics = input->diagnostics;
    std::optional<pipeline::Lifted> unit;
    if (has_target(*input, options.target) && select_kernel(*input, common)) {
      const Program& program = input->file->program;
      if (program.kernels.empty()) diagnostics.report(Code::NoKernels, {}, "no kernels");
      const std::string name = path == "-" ? "standard input" : std::filesystem::path(path).filename().string();
      pipeline::LiftRequest request = options.request;
      request.lift.file = name;
      request.lift.cache = &cache;
      unit = pipeline::lift_file(*input->file, request, diagnostics);
      if (unit->count(pipeline::LiftOutcome::Refused) != 0) worse(kInputErrors);
      // Source without any of the file's kernels is of no use; and strict takes no departure.
      if (!common.json && unit->source.empty() && !unit->kernels.empty()) unit.reset();
      if (common.strict && diagnostics.has_errors()) unit.reset();
    }
    std::fflush(stdout);
    show(*input, common);
    worse(input->result());
    if (!unit) continue;
    const std::string bytes = common.json ? json_line(path, *unit) : unit->source;
    const bool written = !options.output_dir.empty()
                             ? write_output((std::filesystem::path(options.output_dir) /
                                             output_name(path, common.json ? ".json" : ".cl", used))
                                                .string(),
                                            bytes)
                         : !options.output.empty() ? write_output(options.output, bytes)
                                                   : write_stdout(bytes);
    if (!written) worse(kInputOutput);
  }
  return result;
}

}  // namespace amdcompat::cli
