// Records as lines of JSON.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <amdcompat/pipeline.hpp>

#include "manifest.hpp"

namespace amdcompat::migrate {

namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

// Members that say nothing are left out.
void put(Json& json, const char* key, const std::string& value) {
  if (!value.empty()) json[key] = value;
}
void put(Json& json, const char* key, std::uint64_t value) {
  if (value != 0) json[key] = value;
}
template <class T>
void put(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}
// A path, whose bytes need not be UTF-8.
void put_path(Json& json, const std::string& key, const std::string& path) {
  const Json plain = path;
  const std::string shown = plain.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string exact = plain.dump(-1, ' ', false, Json::error_handler_t::ignore);
  json[key] = path;
  if (shown != exact) json[key + "_bytes"] = hex(path);
}

Json to_json(const Finding& finding) {
  Json out;
  out["code"] = finding.code;
  out["severity"] = severity_name(finding.severity);
  out["offset"] = finding.offset;
  out["size"] = finding.size;
  put(out, "line", finding.line);
  put(out, "column", finding.column);
  put(out, "text", finding.text);
  put(out, "block", finding.block);
  put(out, "kernel", finding.kernel);
  put(out, "argument", finding.argument);
  put(out, "path", finding.path);
  out["message"] = finding.message;
  return out;
}
Json to_json(const ManifestArgument& argument) {
  Json out;
  out["name"] = argument.name;
  put(out, "type", argument.type);
  put(out, "kind", argument.kind);
  put(out, "buffer", argument.buffer);
  put(out, "from", argument.from);
  put(out, "to", argument.to);
  put(out, "size", argument.size);
  return out;
}
Json to_json(const ManifestProof& proof) {
  Json out;
  out["verdict"] = proof.verdict;
  out["launches"] = proof.launches;
  out["reached"] = proof.reached;
  out["instructions"] = proof.instructions;
  put(out, "reason", proof.reason);
  put(out, "device", proof.device);
  return out;
}
Json to_json(const ManifestLift& lift) {
  Json out;
  out["result"] = lift.result;
  put(out, "form", lift.form);
  put(out, "statements", lift.statements);
  put(out, "reason", lift.reason);
  if (lift.proof) out["proof"] = to_json(*lift.proof);
  return out;
}
Json to_json(const ManifestOutput& output) {
  Json out;
  out["path"] = output.path;
  out["form"] = output.form;
  out["layout"] = output.layout;
  put(out, "target", output.target);
  put(out, "code_object", output.code_object);
  out["size"] = output.size;
  out["sha256"] = output.sha256;
  return out;
}
Json to_json(const ProgramPlace& place) {
  Json out;
  out["sha256"] = place.sha256;
  out["offset"] = place.offset;
  out["size"] = place.size;
  put(out, "entry", place.entry);
  return out;
}
Json to_json(const FileOutput& output) { return {{"path", output.path}, {"object", output.object}}; }
Json to_json(const ManifestKernel& kernel);
template <class T>
Json list(const std::vector<T>& items) {
  Json out = Json::array();
  for (const T& item : items) out.push_back(to_json(item));
  return out;
}
Json to_json(const ManifestKernel& kernel) {
  Json out;
  out["name"] = kernel.name;
  put(out, "version", kernel.version);
  out["result"] = outcome_name(kernel.outcome);
  put(out, "layout", kernel.layout);
  put(out, "kernarg_bytes", kernel.kernarg_bytes);
  out["arguments"] = list(kernel.arguments);
  if (kernel.other)
    out["other"] = {{"layout", kernel.other->layout},
                    {"kernarg_bytes", kernel.other->kernarg_bytes},
                    {"arguments", list(kernel.other->arguments)}};
  if (kernel.machine_code) out["machine_code"] = true;
  if (kernel.proof) out["proof"] = to_json(*kernel.proof);
  if (kernel.lift) out["lift"] = to_json(*kernel.lift);
  return out;
}
Json counts(const OutcomeCounts& counts, bool kernels) {
  Json out;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    const bool never = outcome == Outcome::None || outcome == Outcome::Partial || outcome == Outcome::Failed;
    if (!kernels || !never) out[outcome_name(outcome)] = counts[i];
  }
  return out;
}

}  // namespace

std::string to_line(const HeaderRecord& record) {
  Json out;
  out["record"] = "manifest";
  out["schema"] = record.schema;
  out["tool"] = record.tool;
  out["policy"] = Json::parse(record.policy, nullptr, false);
  out["complete"] = record.complete;
  if (record.shard) out["shard"] = {{"index", record.shard->index}, {"count", record.shard->count}};
  if (record.proofs)
    out["proofs"] = {{"programs", record.proofs->programs}, {"instructions", record.proofs->instructions}};
  if (!record.base.empty()) put_path(out, "base", record.base);
  return dump(out);
}

std::string to_line(const FileRecord& record) {
  Json out;
  out["record"] = "file";
  put_path(out, "path", record.path);
  if (!record.root.empty()) put_path(out, "root", record.root);
  put(out, "ordinal", record.ordinal);
  out["size"] = record.size;
  put(out, "sha256", record.sha256);
  put(out, "kind", record.kind);
  out["result"] = outcome_name(record.outcome);
  out["programs"] = list(record.programs);
  out["findings"] = list(record.findings);
  if (!record.outputs.empty()) out["outputs"] = list(record.outputs);
  return dump(out);
}

std::string to_line(const ProgramRecord& record) {
  Json out;
  out["record"] = "program";
  out["sha256"] = record.sha256;
  out["size"] = record.size;
  out["kind"] = record.kind;
  put(out, "device", record.device);
  put(out, "driver", record.driver);
  out["result"] = outcome_name(record.outcome);
  out["outputs"] = list(record.outputs);
  out["kernels"] = list(record.kernels);
  out["findings"] = list(record.findings);
  put(out, "findings_left_out", record.findings_left_out);
  return dump(out);
}

std::string to_line(const SummaryRecord& record) {
  Json out;
  out["record"] = "summary";
  out["files"] = counts(record.files, false);
  out["programs"] = counts(record.programs, false);
  out["kernels"] = counts(record.kernels, true);
  out["outputs"] = record.outputs;
  out["proved"] = record.proved;
  if (record.lifted != decltype(record.lifted){})
    for (const pipeline::LiftOutcome outcome : pipeline::kLiftOutcomes)
      out["lifted"][pipeline::outcome_name(outcome)] = record.lifted[static_cast<std::size_t>(outcome)];
  if (record.described_code != 0)
    out["described"] = {{"machine_code", record.described_code}, {"lifted", record.described_lifted}};
  for (const auto& [target, counts] : record.targets) {
    Json& to = out["targets"][target];
    to["programs"] = counts.programs;
    for (const Outcome outcome : kRunning)
      to[outcome_name(outcome)] = counts.kernels[static_cast<std::size_t>(outcome)];
  }
  return dump(out);
}

}  // namespace amdcompat::migrate
