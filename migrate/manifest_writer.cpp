// Records as lines of JSON.
#include <algorithm>
#include <concepts>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <amdcompat/pipeline.hpp>

#include "manifest.hpp"

namespace amdcompat::migrate {

namespace {

using Json = nlohmann::ordered_json;

bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

// The text of a record, as nlohmann's `dump` gives it of a tree, which would take most of the time of a manifest.
class Text {
 public:
  void write(std::string_view text) {
    if (is_plain(text)) {
      text_ += '"';
      text_ += text;
      text_ += '"';
    } else {
      text_ += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
    }
  }
  void write(const std::string& text) { write(std::string_view(text)); }
  void write(std::unsigned_integral auto number) { fmt::format_to(std::back_inserter(text_), "{}", number); }
  void write(bool truth) { text_ += truth ? "true" : "false"; }
  template <class T>
  void write(const std::vector<T>& items) {
    text_ += '[';
    for (std::size_t n = 0; n < items.size(); ++n) {
      if (n != 0) text_ += ',';
      write(items[n]);
    }
    text_ += ']';
  }
  // Anything else: an object, whose members `write_members` puts.
  template <class T>
    requires requires(Text& text, const T& record) { write_members(text, record); }
  void write(const T& record) {
    object([&] { write_members(*this, record); });
  }
  template <class Members>
  void object(const Members& members) {
    text_ += '{';
    first_ = true;
    members();
    text_ += '}';
    first_ = false;
  }

  // A member of the object that is written; keys are plain.
  void key(std::string_view name) {
    if (!first_) text_ += ',';
    first_ = false;
    text_ += '"';
    text_ += name;
    text_ += "\":";
  }
  template <class T>
  void member(std::string_view name, const T& value) {
    key(name);
    write(value);
  }
  // Nothing where the value says nothing.
  void maybe(std::string_view name, const std::string& value) {
    if (!value.empty()) member(name, value);
  }
  void maybe(std::string_view name, std::uint64_t value) {
    if (value != 0) member(name, value);
  }
  template <class T>
  void maybe(std::string_view name, const std::optional<T>& value) {
    if (value) member(name, *value);
  }
  // A path, whose bytes need not be UTF-8.
  void path(const std::string& name, const std::string& path) {
    member(name, path);
    if (is_plain(path)) return;
    const Json plain = path;
    const std::string shown = plain.dump(-1, ' ', false, Json::error_handler_t::replace);
    const std::string exact = plain.dump(-1, ' ', false, Json::error_handler_t::ignore);
    if (shown != exact) member(name + "_bytes", hex(path));
  }
  // What is JSON already.
  void raw(std::string_view json) { text_ += json; }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
  bool first_ = true;
};

void write_members(Text& out, const Finding& finding) {
  out.member("code", finding.code);
  out.member("severity", severity_name(finding.severity));
  out.member("offset", finding.offset);
  out.member("size", finding.size);
  out.maybe("line", finding.line);
  out.maybe("column", finding.column);
  out.maybe("text", finding.text);
  out.maybe("block", finding.block);
  out.maybe("kernel", finding.kernel);
  out.maybe("argument", finding.argument);
  out.maybe("path", finding.path);
  out.member("message", finding.message);
}
void write_members(Text& out, const ManifestArgument& argument) {
  out.member("name", argument.name);
  out.maybe("type", argument.type);
  out.maybe("kind", argument.kind);
  out.maybe("buffer", argument.buffer);
  out.maybe("from", argument.from);
  out.maybe("to", argument.to);
  out.maybe("size", argument.size);
}
void write_members(Text& out, const ManifestProof& proof) {
  out.member("verdict", proof.verdict);
  out.member("launches", proof.launches);
  out.maybe("alone_in_group", proof.alone_in_group);
  out.maybe("alone_in_launch", proof.alone_in_launch);
  out.maybe("local_zeros", proof.local_zeros);
  out.member("reached", proof.reached);
  out.member("instructions", proof.instructions);
  out.maybe("reason", proof.reason);
  out.maybe("device", proof.device);
}
void write_members(Text& out, const ManifestLift& lift) {
  out.member("result", lift.result);
  out.maybe("form", lift.form);
  out.maybe("statements", lift.statements);
  out.maybe("reason", lift.reason);
  out.maybe("proof", lift.proof);
}
void write_members(Text& out, const ManifestOutput& output) {
  out.member("path", output.path);
  out.member("form", output.form);
  out.member("layout", output.layout);
  out.maybe("target", output.target);
  out.maybe("code_object", output.code_object);
  out.member("size", output.size);
  out.member("sha256", output.sha256);
}
void write_members(Text& out, const ProgramPlace& place) {
  out.member("sha256", place.sha256);
  out.member("offset", place.offset);
  out.member("size", place.size);
  out.maybe("entry", place.entry);
}
void write_members(Text& out, const FileOutput& output) {
  out.member("path", output.path);
  out.member("object", output.object);
}
void write_members(Text& out, const ManifestSegment& segment) {
  out.member("layout", segment.layout);
  out.member("kernarg_bytes", segment.kernarg_bytes);
  out.member("arguments", segment.arguments);
}
void write_members(Text& out, const ManifestKernel& kernel) {
  out.member("name", kernel.name);
  out.maybe("version", kernel.version);
  out.member("result", outcome_name(kernel.outcome));
  out.maybe("layout", kernel.layout);
  out.maybe("kernarg_bytes", kernel.kernarg_bytes);
  out.member("arguments", kernel.arguments);
  out.maybe("other", kernel.other);
  if (kernel.machine_code) out.member("machine_code", true);
  out.maybe("proof", kernel.proof);
  out.maybe("lift", kernel.lift);
}
void write_members(Text& out, const Shard& shard) {
  out.member("index", shard.index);
  out.member("count", shard.count);
}
void write_members(Text& out, const ProofShare& share) {
  out.member("programs", share.programs);
  out.member("instructions", share.instructions);
}

void write_counts(Text& out, std::string_view name, const OutcomeCounts& counts, bool kernels) {
  out.key(name);
  out.object([&] {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const auto outcome = static_cast<Outcome>(i);
      const bool never = outcome == Outcome::None || outcome == Outcome::Partial || outcome == Outcome::Failed;
      if (!kernels || !never) out.member(outcome_name(outcome), counts[i]);
    }
  });
}

// A line, whose first member says what record it is.
template <class Members>
std::string line(std::string_view record, const Members& members) {
  Text out;
  out.object([&] {
    out.member("record", record);
    members(out);
  });
  out.raw("\n");
  return out.take();
}

}  // namespace

std::string to_line(const HeaderRecord& record) {
  return line("manifest", [&](Text& out) {
    out.member("schema", record.schema);
    out.member("tool", record.tool);
    out.key("policy");
    out.raw(Json::parse(record.policy, nullptr, false).dump(-1, ' ', false, Json::error_handler_t::replace));
    out.member("complete", record.complete);
    out.maybe("shard", record.shard);
    out.maybe("proofs", record.proofs);
    if (!record.base.empty()) out.path("base", record.base);
  });
}

std::string to_line(const FileRecord& record) {
  return line("file", [&](Text& out) {
    out.path("path", record.path);
    if (!record.root.empty()) out.path("root", record.root);
    out.maybe("ordinal", record.ordinal);
    out.member("size", record.size);
    out.maybe("sha256", record.sha256);
    out.maybe("kind", record.kind);
    out.member("result", outcome_name(record.outcome));
    out.member("programs", record.programs);
    out.member("findings", record.findings);
    if (!record.outputs.empty()) out.member("outputs", record.outputs);
  });
}

std::string to_line(const ProgramRecord& record) {
  return line("program", [&](Text& out) {
    out.member("sha256", record.sha256);
    out.member("size", record.size);
    out.member("kind", record.kind);
    out.maybe("device", record.device);
    out.maybe("driver", record.driver);
    out.member("result", outcome_name(record.outcome));
    out.member("outputs", record.outputs);
    out.member("kernels", record.kernels);
    out.member("findings", record.findings);
    out.maybe("findings_left_out", record.findings_left_out);
  });
}

std::string to_line(const SummaryRecord& record) {
  return line("summary", [&](Text& out) {
    write_counts(out, "files", record.files, false);
    write_counts(out, "programs", record.programs, false);
    write_counts(out, "kernels", record.kernels, true);
    out.member("outputs", record.outputs);
    out.member("proved", record.proved);
    if (record.lifted != decltype(record.lifted){}) {
      out.key("lifted");
      out.object([&] {
        for (const pipeline::LiftOutcome outcome : pipeline::kLiftOutcomes)
          out.member(pipeline::outcome_name(outcome), record.lifted[static_cast<std::size_t>(outcome)]);
      });
    }
    if (record.described_code != 0) {
      out.key("described");
      out.object([&] {
        out.member("machine_code", record.described_code);
        out.member("lifted", record.described_lifted);
      });
    }
    if (record.targets.empty()) return;
    out.key("targets");
    out.object([&] {
      for (const auto& [target, counts] : record.targets) {
        out.key(target);
        out.object([&] {
          out.member("programs", counts.programs);
          for (const Outcome outcome : kRunning)
            out.member(outcome_name(outcome), counts.kernels[static_cast<std::size_t>(outcome)]);
        });
      }
    });
  });
}

}  // namespace amdcompat::migrate
