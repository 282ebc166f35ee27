#include "manifest.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace amdcompat::migrate {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 6> kOutcomes{"none", "converted", "described", "partial", "refused", "failed"};
constexpr std::size_t kMostLineBytes = std::size_t{256} << 20;

char hex_digit(unsigned nibble) { return "0123456789abcdef"[nibble & 15]; }

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    out += hex_digit(static_cast<unsigned char>(c) >> 4);
    out += hex_digit(static_cast<unsigned char>(c));
  }
  return out;
}

std::optional<unsigned> nibble(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  return std::nullopt;
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const auto high = nibble(text[i]), low = nibble(text[i + 1]);
    if (!high || !low) return std::nullopt;
    out += static_cast<char>(*high << 4 | *low);
  }
  return out;
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

// --- writing: members that say nothing are left out ------------------------------------------------------

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
  if (kernel.proof) out["proof"] = to_json(*kernel.proof);
  return out;
}
Json counts(const OutcomeCounts& counts, bool kernels) {
  Json out;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (!kernels || (i != 0 && i != 3 && i != 5)) out[kOutcomes[i]] = counts[i];
  return out;
}

// --- reading ---------------------------------------------------------------------------------------------

// Takes members out of an object; the first that has another type or range is remembered.
class Reader {
 public:
  Reader(const Json& json, std::string& problem) : json_(json), problem_(problem) {
    if (!json.is_object()) fail("an object is expected");
  }

  std::string text(const char* key, bool needed = false) {
    const Json* const value = find(key, needed);
    if (value == nullptr) return {};
    if (value->is_string()) return value->get<std::string>();
    return fail(fmt::format("'{}' is no string", key)), std::string();
  }
  template <class T = std::uint64_t>
  T number(const char* key, bool needed = false) {
    const Json* const value = find(key, needed);
    if (value == nullptr) return 0;
    if (value->is_number_unsigned() && value->get<std::uint64_t>() <= std::numeric_limits<T>::max())
      return value->get<T>();
    return fail(fmt::format("'{}' is no number from 0 to {}", key, std::numeric_limits<T>::max())), T{};
  }
  template <class T>
  std::optional<T> maybe(const char* key) {
    return json_.is_object() && json_.contains(key) ? std::optional(number<T>(key)) : std::nullopt;
  }
  bool boolean(const char* key) {
    const Json* const value = find(key, true);
    if (value == nullptr || value->is_boolean()) return value != nullptr && value->get<bool>();
    return fail(fmt::format("'{}' is neither true nor false", key)), false;
  }
  std::string digest(const char* key, bool needed) {
    std::string value = text(key, needed);
    if (!value.empty() && !digest_from_hex(value)) fail(fmt::format("'{}' is no SHA-256 digest", key));
    return value;
  }
  std::string path(const std::string& key, bool needed) {
    std::string shown = text(key.c_str(), needed);
    const std::string exact = text((key + "_bytes").c_str());
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
  std::vector<T> list(const char* key, T (*read)(const Json&, std::string&)) {
    std::vector<T> out;
    const Json* const value = find(key, true);
    if (value == nullptr) return out;
    if (!value->is_array()) return fail(fmt::format("'{}' is no list", key)), out;
    for (const Json& item : *value) out.push_back(read(item, problem_));
    return out;
  }
  const Json* find(const char* key, bool needed) {
    if (json_.is_object())
      if (const auto found = json_.find(key); found != json_.end()) return &*found;
    if (needed) fail(fmt::format("'{}' is missing", key));
    return nullptr;
  }
  void fail(std::string what) {
    if (problem_.empty()) problem_ = std::move(what);
  }

 private:
  const Json& json_;
  std::string& problem_;
};

Finding read_finding(const Json& json, std::string& problem) {
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
  out.path = in.text("path");
  out.message = in.text("message", true);
  return out;
}
ManifestArgument read_argument(const Json& json, std::string& problem) {
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
ManifestOutput read_output(const Json& json, std::string& problem) {
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
ManifestKernel read_kernel(const Json& json, std::string& problem) {
  Reader in(json, problem);
  ManifestKernel out;
  out.name = in.text("name", true);
  out.version = in.text("version");
  out.outcome = in.outcome();
  out.layout = in.text("layout");
  out.kernarg_bytes = in.number("kernarg_bytes");
  out.arguments = in.list<ManifestArgument>("arguments", read_argument);
  if (const Json* const proof = in.find("proof", false)) {
    Reader from(*proof, problem);
    ManifestProof& to = out.proof.emplace();
    to.verdict = from.text("verdict", true);
    to.launches = from.number<std::uint32_t>("launches", true);
    to.reached = from.number<std::uint32_t>("reached", true);
    to.instructions = from.number<std::uint32_t>("instructions", true);
    to.reason = from.text("reason");
  }
  return out;
}
ProgramPlace read_place(const Json& json, std::string& problem) {
  Reader in(json, problem);
  ProgramPlace out;
  out.sha256 = in.digest("sha256", true);
  out.offset = in.number("offset", true);
  out.size = in.number("size", true);
  out.entry = in.text("entry");
  return out;
}
HeaderRecord read_header(const Json& json, std::string& problem) {
  Reader in(json, problem);
  HeaderRecord out;
  out.schema = in.number<std::uint32_t>("schema", true);
  if (out.schema != kManifestSchema) in.fail(fmt::format("schema {} is not known; {} is", out.schema, kManifestSchema));
  out.tool = in.text("tool", true);
  if (const Json* const policy = in.find("policy", true))
    out.policy = policy->dump(-1, ' ', false, Json::error_handler_t::replace);
  out.complete = in.boolean("complete");
  if (const Json* const shard = in.find("shard", false)) {
    Reader from(*shard, problem);
    out.shard = Shard{from.number<std::uint32_t>("index", true), from.number<std::uint32_t>("count", true)};
    if (out.shard->index == 0 || out.shard->index > out.shard->count) in.fail("a shard that is none of its count");
  }
  return out;
}
FileRecord read_file(const Json& json, std::string& problem) {
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
  return out;
}
ProgramRecord read_program(const Json& json, std::string& problem) {
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
SummaryRecord read_summary(const Json& json, std::string& problem) {
  Reader in(json, problem);
  SummaryRecord out;
  const auto read_counts = [&](const char* key, OutcomeCounts& to) {
    const Json* const from = in.find(key, true);
    if (from == nullptr) return;
    Reader numbers(*from, problem);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = numbers.number(kOutcomes[i].data());
  };
  read_counts("files", out.files);
  read_counts("programs", out.programs);
  read_counts("kernels", out.kernels);
  out.outputs = in.number("outputs", true);
  out.proved = in.number("proved", true);
  return out;
}

// Whether brackets outside of strings nest deeper than any record's: JSON is written by recursion.
bool is_too_deep(std::string_view line) {
  constexpr int kMostDepth = 64;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMostDepth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

// What orders records of one kind, and kinds. Paths are compared as bytes.
struct Order {
  std::size_t kind = 0;
  std::string first;
  std::uint64_t second = 0;
  auto operator<=>(const Order&) const = default;
};
Order order_of(const Record& record) {
  Order out{record.index(), {}, 0};
  if (const auto* const file = std::get_if<FileRecord>(&record)) {
    out.first = file->root.empty() ? file->path : file->root;
    out.second = file->ordinal;
  } else if (const auto* const program = std::get_if<ProgramRecord>(&record)) {
    out.first = program->sha256;
  }
  return out;
}

// A line without its end, of at most kMostLineBytes: a longer one is cut there.
bool read_line(std::istream& in, std::string& line) {
  line.clear();
  std::array<char, 1u << 16> part;
  for (;;) {
    in.getline(part.data(), part.size());
    const auto got = static_cast<std::size_t>(in.gcount());
    if (in.eof()) {
      line.append(part.data(), got);
      return !line.empty();
    }
    if (!in.fail()) {
      line.append(part.data(), got - 1);  // the line end counts
      return true;
    }
    if (in.bad() || got == 0) return false;
    line.append(part.data(), got);
    if (line.size() > kMostLineBytes) return true;
    in.clear();
  }
}

}  // namespace

std::string to_hex(const Digest& digest) { return hex({reinterpret_cast<const char*>(digest.data()), digest.size()}); }

std::optional<Digest> digest_from_hex(std::string_view text) {
  Digest out;
  const auto bytes = from_hex(text);
  if (!bytes || bytes->size() != out.size()) return std::nullopt;
  std::memcpy(out.data(), bytes->data(), out.size());
  return out;
}

std::string_view outcome_name(Outcome outcome) { return kOutcomes[static_cast<std::size_t>(outcome)]; }

std::optional<Outcome> outcome_from_name(std::string_view name) {
  const auto found = std::ranges::find(kOutcomes, name);
  if (found == kOutcomes.end()) return std::nullopt;
  return static_cast<Outcome>(found - kOutcomes.begin());
}

std::string to_line(const HeaderRecord& record) {
  Json out;
  out["record"] = "manifest";
  out["schema"] = record.schema;
  out["tool"] = record.tool;
  out["policy"] = Json::parse(record.policy, nullptr, false);
  out["complete"] = record.complete;
  if (record.shard) out["shard"] = {{"index", record.shard->index}, {"count", record.shard->count}};
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
  return dump(out);
}

Result<Record> parse_line(std::string_view line) {
  const auto refuse = [](std::string why) { return make_diagnostic(Code::ManifestBroken, {}, std::move(why)); };
  if (is_too_deep(line)) return std::unexpected(refuse("the line nests too deeply"));
  const Json json = Json::parse(line, nullptr, false);
  if (json.is_discarded()) return std::unexpected(refuse("the line is no JSON"));
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

bool read_manifest(const std::string& path, const std::function<bool(Record&&)>& visit, Diagnostics& diagnostics) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    diagnostics.report(Code::FileUnreadable, {}, fmt::format("cannot open {}: {}", path, std::strerror(errno)));
    return false;
  }
  const auto fail = [&](std::uint64_t number, std::string_view why) {
    diagnostics.report(Code::ManifestBroken, {}, fmt::format("{}:{}: {}", path, number, why));
    return false;
  };
  Order last;
  std::string line;
  std::uint64_t number = 0;
  while (read_line(in, line)) {
    ++number;
    if (line.size() > kMostLineBytes) return fail(number, "the line is too long");
    Result<Record> record = parse_line(line);
    if (!record) return fail(number, record.error().message);
    Order order = order_of(*record);
    if (number == 1 ? order.kind != 0 : order <= last) return fail(number, "the record is out of order");
    last = std::move(order);
    if (!visit(std::move(*record))) return true;
  }
  if (last.kind != std::variant_size_v<Record> - 1) return fail(number, "the manifest ends before its summary");
  return true;
}

}  // namespace amdcompat::migrate
