// Lines of JSON as records.
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <simdjson.h>

#include <amdcompat/pipeline.hpp>

#include "manifest.hpp"

namespace amdcompat::migrate {

namespace {

namespace dom = simdjson::dom;

// Takes members out of an object; the first that has another type or range is remembered.
class Reader {
 public:
  Reader(dom::element json, std::string& problem) : problem_(problem) {
    dom::object object;
    if (json.get(object) == simdjson::SUCCESS)
      object_ = object;
    else
      fail("an object is expected");
  }

  std::string text(std::string_view key, bool needed = false) {
    const auto value = find(key, needed);
    std::string_view out;
    if (value && value->get(out) != simdjson::SUCCESS) fail(fmt::format("'{}' is no string", key));
    return std::string(out);
  }
  template <class T = std::uint64_t>
  T number(std::string_view key, bool needed = false) {
    const auto value = find(key, needed);
    return value ? number_of<T>(key, *value) : T{};
  }
  template <class T>
  std::optional<T> maybe(std::string_view key) {
    const auto value = find(key, false);
    return value ? std::optional(number_of<T>(key, *value)) : std::nullopt;
  }
  bool boolean(std::string_view key) {
    const auto value = find(key, true);
    bool out = false;
    if (value && value->get(out) != simdjson::SUCCESS) fail(fmt::format("'{}' is neither true nor false", key));
    return out;
  }
  std::string digest(std::string_view key, bool needed) {
    std::string value = text(key, needed);
    if (!value.empty() && !digest_from_hex(value)) fail(fmt::format("'{}' is no SHA-256 digest", key));
    return value;
  }
  std::string path(const std::string& key, bool needed) {
    std::string shown = text(key, needed);
    const std::string exact = text(key + "_bytes");
    if (exact.empty()) return shown;
    auto bytes = from_hex(exact);
    if (!bytes) fail(fmt::format("'{}_bytes' is not hexadecimal", key));
    return bytes.value_or(std::string());
  }
  Outcome outcome() {
    const std::string name = text("result", true);
    const auto value = outcome_from_name(name);
    if (!value) fail(fmt::format("result '{}' is not known", name));
    return value.value_or(Outcome::None);
  }
  template <class T>
  std::vector<T> list(std::string_view key, T (*read)(dom::element, std::string&)) {
    std::vector<T> out;
    const auto value = find(key, true);
    if (!value) return out;
    dom::array items;
    if (value->get(items) != simdjson::SUCCESS) return fail(fmt::format("'{}' is no list", key)), out;
    out.reserve(items.size());
    for (const dom::element item : items) out.push_back(read(item, problem_));
    return out;
  }
  std::optional<dom::element> find(std::string_view key, bool needed) {
    dom::element out;
    if (object_ && object_->at_key(key).get(out) == simdjson::SUCCESS) return out;
    if (needed) fail(fmt::format("'{}' is missing", key));
    return std::nullopt;
  }
  // The members where an object is; none, and the problem remembered, where it is not.
  [[nodiscard]] const std::optional<dom::object>& members() const { return object_; }
  void fail(std::string what) {
    if (problem_.empty()) problem_ = std::move(what);
  }

 private:
  template <class T>
  T number_of(std::string_view key, dom::element value) {
    std::uint64_t out = 0;
    if (value.get(out) == simdjson::SUCCESS && out <= std::numeric_limits<T>::max()) return static_cast<T>(out);
    return fail(fmt::format("'{}' is no number from 0 to {}", key, std::numeric_limits<T>::max())), T{};
  }

  std::optional<dom::object> object_;
  std::string& problem_;
};

Finding read_finding(dom::element json, std::string& problem) {
  Reader in(json, problem);
  Finding out;
  out.code = in.text("code", true);
  const std::string severity = in.text("severity", true);
  if (severity == severity_name(Severity::Note))
    out.severity = Severity::Note;
  else if (severity == severity_name(Severity::Warning))
    out.severity = Severity::Warning;
  else if (severity != severity_name(Severity::Error))
    in.fail(fmt::format("severity '{}' is not known", severity));
  out.offset = in.number("offset", true);
  out.size = in.number("size", true);
  out.line = in.number<std::uint32_t>("line");
  out.column = in.number<std::uint32_t>("column");
  out.text = in.text("text");
  out.block = in.text("block");
  out.kernel = in.text("kernel");
  out.argument = in.text("argument");
  out.path = in.text("path");
  out.message = in.text("message", true);
  return out;
}
ManifestArgument read_argument(dom::element json, std::string& problem) {
  Reader in(json, problem);
  ManifestArgument out;
  out.name = in.text("name", true);
  out.type = in.text("type");
  out.kind = in.text("kind");
  out.buffer = in.maybe<std::uint32_t>("buffer");
  out.from = in.maybe<std::uint64_t>("from");
  out.to = in.maybe<std::uint64_t>("to");
  out.size = in.number("size");
  return out;
}
ManifestOutput read_output(dom::element json, std::string& problem) {
  Reader in(json, problem);
  ManifestOutput out;
  out.path = in.text("path", true);
  out.form = in.text("form", true);
  out.layout = in.text("layout", true);
  out.target = in.text("target");
  out.code_object = in.number<std::uint32_t>("code_object");
  out.size = in.number("size", true);
  out.sha256 = in.digest("sha256", true);
  return out;
}
ManifestProof read_proof(dom::element json, std::string& problem) {
  Reader in(json, problem);
  ManifestProof out;
  out.verdict = in.text("verdict", true);
  out.launches = in.number<std::uint32_t>("launches", true);
  out.alone_in_group = in.number<std::uint32_t>("alone_in_group");
  out.alone_in_launch = in.number<std::uint32_t>("alone_in_launch");
  out.local_zeros = in.number<std::uint32_t>("local_zeros");
  out.reached = in.number<std::uint32_t>("reached", true);
  out.instructions = in.number<std::uint32_t>("instructions", true);
  out.reason = in.text("reason");
  out.device = in.text("device");
  return out;
}
ManifestLift read_lift(dom::element json, std::string& problem) {
  Reader in(json, problem);
  ManifestLift out;
  out.result = in.text("result", true);
  out.form = in.text("form");
  out.statements = in.number<std::uint32_t>("statements");
  out.reason = in.text("reason");
  if (const auto proof = in.find("proof", false)) out.proof = read_proof(*proof, problem);
  return out;
}
ManifestKernel read_kernel(dom::element json, std::string& problem) {
  Reader in(json, problem);
  ManifestKernel out;
  out.name = in.text("name", true);
  out.version = in.text("version");
  out.outcome = in.outcome();
  out.layout = in.text("layout");
  out.kernarg_bytes = in.number("kernarg_bytes");
  out.arguments = in.list<ManifestArgument>("arguments", read_argument);
  if (const auto other = in.find("other", false)) {
    Reader from(*other, problem);
    out.other = ManifestSegment{from.text("layout", true), from.number("kernarg_bytes", true),
                                from.list<ManifestArgument>("arguments", read_argument)};
  }
  if (in.find("machine_code", false)) out.machine_code = in.boolean("machine_code");
  if (const auto proof = in.find("proof", false)) out.proof = read_proof(*proof, problem);
  if (const auto lift = in.find("lift", false)) out.lift = read_lift(*lift, problem);
  return out;
}
ProgramPlace read_place(dom::element json, std::string& problem) {
  Reader in(json, problem);
  ProgramPlace out;
  out.sha256 = in.digest("sha256", true);
  out.offset = in.number("offset", true);
  out.size = in.number("size", true);
  out.entry = in.text("entry");
  return out;
}
FileOutput read_file_output(dom::element json, std::string& problem) {
  Reader in(json, problem);
  return {in.text("path", true), in.text("object", true)};
}
// As `to_line` wrote it.
std::string canonical(dom::element json) {
  using Json = nlohmann::ordered_json;
  return Json::parse(simdjson::minify(json), nullptr, false).dump(-1, ' ', false, Json::error_handler_t::replace);
}
HeaderRecord read_header(dom::element json, std::string& problem) {
  Reader in(json, problem);
  HeaderRecord out;
  out.schema = in.number<std::uint32_t>("schema", true);
  if (out.schema != kManifestSchema) in.fail(fmt::format("schema {} is not known; {} is", out.schema, kManifestSchema));
  out.tool = in.text("tool", true);
  if (const auto policy = in.find("policy", true)) out.policy = canonical(*policy);
  out.complete = in.boolean("complete");
  if (const auto shard = in.find("shard", false)) {
    Reader from(*shard, problem);
    out.shard = Shard{from.number<std::uint32_t>("index", true), from.number<std::uint32_t>("count", true)};
    if (out.shard->index == 0 || out.shard->index > out.shard->count) in.fail("a shard that is none of its count");
  }
  if (const auto proofs = in.find("proofs", false)) {
    Reader from(*proofs, problem);
    out.proofs = ProofShare{from.number("programs", true), from.number("instructions", true)};
  }
  out.base = in.path("base", false);
  return out;
}
FileRecord read_file(dom::element json, std::string& problem) {
  Reader in(json, problem);
  FileRecord out;
  out.path = in.path("path", true);
  out.root = in.path("root", false);
  out.ordinal = in.number("ordinal");
  out.size = in.number("size", true);
  out.sha256 = in.digest("sha256", false);
  out.kind = in.text("kind");
  out.outcome = in.outcome();
  out.programs = in.list<ProgramPlace>("programs", read_place);
  out.findings = in.list<Finding>("findings", read_finding);
  if (in.find("outputs", false)) out.outputs = in.list<FileOutput>("outputs", read_file_output);
  return out;
}
ProgramRecord read_program(dom::element json, std::string& problem) {
  Reader in(json, problem);
  ProgramRecord out;
  out.sha256 = in.digest("sha256", true);
  out.size = in.number("size", true);
  out.kind = in.text("kind", true);
  out.device = in.text("device");
  out.driver = in.text("driver");
  out.outcome = in.outcome();
  out.outputs = in.list<ManifestOutput>("outputs", read_output);
  out.kernels = in.list<ManifestKernel>("kernels", read_kernel);
  out.findings = in.list<Finding>("findings", read_finding);
  out.findings_left_out = in.number("findings_left_out");
  return out;
}
SummaryRecord read_summary(dom::element json, std::string& problem) {
  Reader in(json, problem);
  SummaryRecord out;
  const auto read_counts = [&](std::string_view key, OutcomeCounts& to) {
    const auto from = in.find(key, true);
    if (!from) return;
    Reader numbers(*from, problem);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = numbers.number(outcome_name(static_cast<Outcome>(i)));
  };
  read_counts("files", out.files);
  read_counts("programs", out.programs);
  read_counts("kernels", out.kernels);
  out.outputs = in.number("outputs", true);
  out.proved = in.number("proved", true);
  if (const auto lifted = in.find("lifted", false)) {
    Reader numbers(*lifted, problem);
    for (const pipeline::LiftOutcome outcome : pipeline::kLiftOutcomes)
      out.lifted[static_cast<std::size_t>(outcome)] = numbers.number(pipeline::outcome_name(outcome));
  }
  if (const auto described = in.find("described", false)) {
    Reader numbers(*described, problem);
    out.described_code = numbers.number("machine_code", true);
    out.described_lifted = numbers.number("lifted", true);
  }
  if (const auto targets = in.find("targets", false)) {
    const Reader by_name(*targets, problem);
    if (!by_name.members()) return out;
    for (const auto [target, counts] : *by_name.members()) {
      Reader numbers(counts, problem);
      TargetCounts& to = out.targets[std::string(target)];
      to.programs = numbers.number("programs", true);
      for (const Outcome outcome : kRunning)
        to.kernels[static_cast<std::size_t>(outcome)] = numbers.number(outcome_name(outcome));
    }
  }
  return out;
}

// One for each thread, which keeps its memory from line to line.
dom::parser& parser() {
  constexpr std::size_t kBytes = 4096, kMostDepth = 64;  // no record nests as deeply
  thread_local dom::parser out = [] {
    dom::parser made;
    if (made.allocate(kBytes, kMostDepth) != simdjson::SUCCESS) throw std::bad_alloc();
    return made;
  }();
  return out;
}

}  // namespace

Result<Record> parse_line(std::string_view line) {
  const auto refuse = [](std::string why) { return make_diagnostic(Code::ManifestBroken, {}, std::move(why)); };
  dom::element json;
  switch (parser().parse(line.data(), line.size()).get(json)) {
    case simdjson::SUCCESS: break;
    case simdjson::DEPTH_ERROR: return std::unexpected(refuse("the line nests too deeply"));
    case simdjson::MEMALLOC: return std::unexpected(refuse("there is no memory for the line"));
    default: return std::unexpected(refuse("the line is no JSON"));
  }
  std::string problem;
  const std::string kind = Reader(json, problem).text("record", true);
  std::optional<Record> out;
  if (kind == "manifest")
    out = read_header(json, problem);
  else if (kind == "file")
    out = read_file(json, problem);
  else if (kind == "program")
    out = read_program(json, problem);
  else if (kind == "summary")
    out = read_summary(json, problem);
  else if (problem.empty())
    problem = fmt::format("record '{}' is not known", kind);
  if (!problem.empty()) return std::unexpected(refuse(std::move(problem)));
  return std::move(*out);
}

}  // namespace amdcompat::migrate
