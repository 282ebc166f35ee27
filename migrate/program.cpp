#include "program.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <amdcompat/pipeline.hpp>

#include "metadata_json.hpp"

namespace amdcompat::migrate {

namespace {

constexpr std::size_t kMostFindingText = 200;  // bytes of a source line

// Bytes from the start of what the old code reads it from.
std::uint64_t place_of(const Argument& argument) {
  return std::visit([](const auto& slot) { return std::uint64_t{slot.offset}; }, argument.slot);
}
void take_place(const Argument& old, ManifestArgument& to) {
  if (const ConstantBufferSlot* const slot = old.in_constant_buffer()) to.buffer = slot->buffer;
  to.from = place_of(old);
}

// Arguments as the metadata lists them; `source` gives the old place of each, by its index in that list.
template <class Source>
std::vector<ManifestArgument> arguments_of(const hsa::MetadataKernel& kernel, const Source& source) {
  std::vector<ManifestArgument> out;
  for (std::size_t i = 0; i < kernel.args.size(); ++i) {
    const hsa::MetadataArgument& from = kernel.args[i];
    ManifestArgument& to = out.emplace_back();
    to.name = from.name.value_or("");
    to.type = from.type_name.value_or("");
    if (from.value_kind) to.kind = hsa::spelling(*from.value_kind);
    to.to = from.offset;
    to.size = from.size.value_or(0);
    if (const Argument* const old = source(i)) {
      if (to.type.empty()) to.type = old->type_name;
      take_place(*old, to);
    }
  }
  return out;
}

class Migration {
 public:
  Migration(std::string bytes, const Digest& digest, const Policy& policy, lift::Cache* lifted)
      : bytes_(std::move(bytes)), policy_(policy), cache_(lifted), diagnostics_(mode(), 10'000) {
    out_.record.sha256 = to_hex(digest);
    out_.record.size = bytes_.size();
    out_.record.kind = kind_name(identify(std::as_bytes(std::span(bytes_))));
  }

  Migrated run() {
    file_ = open(FileBytes::borrowed(std::as_bytes(std::span(bytes_))), diagnostics_);
    if (file_) convert_file();
    finish();
    return std::move(out_);
  }

 private:
  [[nodiscard]] Mode mode() const { return policy_.strict ? Mode::Strict : Mode::Lenient; }

  void convert_file() {
    const Program& program = file_->program;
    out_.record.device = program.device;
    out_.record.driver = program.driver;
    if (program.device.empty() && !program.kernels.empty()) out_.record.device = program.kernels.front().device;
    const bool gcn_target = program.target != nullptr && gcn::generation_of(*program.target);
    for (const Kernel& kernel : program.kernels) {
      ManifestKernel& row = out_.record.kernels.emplace_back();
      row.name = kernel.name;
      row.machine_code = gcn_target && kernel.code;
      if (kernel.metadata_version != std::array<std::uint32_t, 3>{})
        row.version = fmt::format("{}", fmt::join(kernel.metadata_version, ":"));
      for (const Argument& argument : kernel.arguments) {  // what a refused kernel shows
        ManifestArgument& to = row.arguments.emplace_back();
        to.name = argument.name;
        to.type = argument.type_name;
        take_place(argument, to);
      }
    }
    unread_ = program.refused;
    if (program.kernels.empty()) return;
    pipeline::Request request = policy_.request;
    request.object.target = target_for(policy_, out_.record.device);
    request.lift.cache = cache_;
    pipeline::Conversion conversion = pipeline::convert(*file_, request, diagnostics_);
    for (const pipeline::KernelResult& kernel : conversion.kernels) take_kernel(conversion, kernel);
    if (!file_->object()) add_other_layouts(conversion, request);
    const std::string_view object_layout = file_->object() ? "kept" : "in-place";
    if (conversion.object) add_object(*conversion.object, object_layout, std::move(conversion.bytes));
    if (conversion.compiled) add_object(*conversion.compiled, "compiled", std::move(conversion.compiled_bytes));
    if (conversion.natural && !conversion.natural->metadata.kernels.empty())
      add_metadata(conversion.natural->metadata, file_->object() ? "kept" : "natural");
    // Source and objects are proved within one budget.
    const std::uint64_t all = policy_.request.proof_instructions;
    if (policy_.lift && has_machine_code()) lift_file(all - std::min(all, conversion.proof_instructions));
  }

  [[nodiscard]] bool has_machine_code() const {
    return std::ranges::any_of(out_.record.kernels, &ManifestKernel::machine_code);
  }

  void lift_file(std::uint64_t proof_instructions) {
    pipeline::LiftRequest request;
    request.lift.file = "the file with SHA-256 " + out_.record.sha256;  // paths may be many
    request.lift.cache = cache_;
    request.prove = policy_.request.prove;
    request.proof.proof.seed = policy_.request.proof.seed;
    request.proof_instructions = proof_instructions;
    pipeline::Lifted lifted = pipeline::lift_file(*file_, request, diagnostics_);
    for (const pipeline::LiftResult& result : lifted.kernels) {
      ManifestLift& row = out_.record.kernels[result.kernel.index].lift.emplace();
      row.result = pipeline::outcome_name(result.outcome);
      if (result.kernel.lifted) {
        row.form = lift::form_name(result.kernel.form);
        row.statements = result.kernel.statements;
      }
      if (result.kernel.refusal) row.reason = code_label(result.kernel.refusal->code);
      if (result.proof) {
        row.proof = manifest_proof(*result.proof);
        row.proof->device = result.proof->device;
      }
    }
    if (!lifted.source.empty()) add_output({{}, "cl", "lifted", {}, 0, 0, {}}, ".cl", std::move(lifted.source));
  }

  static ManifestProof manifest_proof(const emulate::Proof& proof) {
    return {std::string(emulate::verdict_name(proof.verdict)),
            proof.compared,
            proof.alone_in_group,
            proof.alone_in_launch,
            proof.local_zeros,
            proof.coverage.reached,
            proof.coverage.instructions,
            proof.reason,
            {}};
  }

  static bool is_hidden(const hsa::MetadataArgument& argument) {
    return argument.value_kind && hsa::value_kind_info(*argument.value_kind).hidden;
  }

  void take_kernel(const pipeline::Conversion& conversion, const pipeline::KernelResult& result) {
    ManifestKernel& row = out_.record.kernels[result.kernel];
    if (result.proof) row.proof = manifest_proof(*result.proof);
    if (result.outcome == pipeline::Outcome::Refused) return;
    const Kernel& old = file_->program.kernels[result.kernel];
    const bool converted = pipeline::has_code(result.outcome);
    const hsa::Metadata& metadata = result.compiled ? conversion.compiled->metadata
                                    : converted     ? conversion.object->metadata
                                                    : conversion.natural->metadata;
    const hsa::MetadataKernel& kernel = metadata.kernels[result.at];
    row.outcome = *outcome_from_name(pipeline::outcome_name(result.outcome));
    row.layout = result.compiled ? "compiled" : file_->object() ? "kept" : converted ? "in-place" : "natural";
    row.kernarg_bytes = kernel.kernarg_segment_size.value_or(0);
    if (!converted || result.compiled)
      row.arguments = described_arguments(kernel, old);
    else if (!conversion.in_place.empty())
      row.arguments = arguments_of(kernel, [&](std::size_t i) -> const Argument* {
        const convert::InPlaceArgument& argument = conversion.in_place[result.at].arguments[i];
        const bool own = !argument.trailing && argument.index < old.arguments.size();
        return own ? &old.arguments[argument.index] : nullptr;
      });
    else
      row.arguments = arguments_of(kernel, [&](std::size_t i) -> const Argument* {
        const auto at = std::ranges::find_if(old.arguments, [&](const Argument& candidate) {
          return candidate.in_constant_buffer() == nullptr && kernel.args[i].offset == place_of(candidate);
        });
        return at == old.arguments.end() ? nullptr : &*at;
      });
  }

  // Explicit arguments keep their order; what the compiler had added goes, and other hidden ones come. A code object's
  // own metadata says where its arguments are, and code that is compiled again has them there too.
  [[nodiscard]] std::vector<ManifestArgument> described_arguments(const hsa::MetadataKernel& kernel,
                                                                  const Kernel& old) const {
    std::vector<const Argument*> explicit_ones;
    if (!file_->object())
      for (const Argument& argument : old.arguments)
        if (!std::holds_alternative<Hidden>(argument.kind)) explicit_ones.push_back(&argument);
    std::size_t shown = 0;
    return arguments_of(kernel, [&](std::size_t i) -> const Argument* {
      return is_hidden(kernel.args[i]) || shown == explicit_ones.size() ? nullptr : explicit_ones[shown++];
    });
  }

  // What the report draws beside the layout that was made: the natural one of old machine code, and that of the
  // machine code of kernels that are compiled again. Whether code can be kept for its own device was tried above
  // already, unless something else was asked for.
  void add_other_layouts(const pipeline::Conversion& conversion, const pipeline::Request& request) {
    const auto has = [&](std::string_view layout) {
      return std::ranges::any_of(out_.record.kernels, [&](const ManifestKernel& row) { return row.layout == layout; });
    };
    Diagnostics unused;  // none of it is made
    if (conversion.object && has("in-place")) {
      const convert::Conversion natural = convert::to_metadata(file_->program, unused, request.natural);
      for (std::size_t i = 0; i < natural.kernels.size(); ++i)
        if (ManifestKernel& row = out_.record.kernels[natural.kernels[i]]; row.layout == "in-place")
          row.other = segment("natural", natural.metadata.kernels[i]);
    }
    if (!has_machine_code() || (request.layout == pipeline::Layout::Auto && !request.object.target)) return;
    if (!has("natural") && !has("compiled")) return;
    pipeline::Request kept;
    kept.layout = pipeline::Layout::InPlace;
    kept.verify = false;
    const pipeline::Conversion in_place = pipeline::convert(*file_, kept, unused);
    for (const pipeline::KernelResult& kernel : in_place.kernels) {
      ManifestKernel& row = out_.record.kernels[kernel.kernel];
      if (pipeline::has_code(kernel.outcome) && (row.layout == "natural" || row.layout == "compiled"))
        row.other = segment("in-place", in_place.object->metadata.kernels[kernel.at]);
    }
  }
  static ManifestSegment segment(std::string_view layout, const hsa::MetadataKernel& kernel) {
    return {std::string(layout), kernel.kernarg_segment_size.value_or(0),
            arguments_of(kernel, [](std::size_t) -> const Argument* { return nullptr; })};
  }

  void add_object(const hsa::CodeObject& object, std::string_view layout, std::string bytes) {
    add_output({{},
                "elf",
                std::string(layout),
                object.target == nullptr ? std::string() : hsa::target_text(*object.target, object.features),
                static_cast<std::uint32_t>(object.version),
                0,
                {}},
               layout == "compiled" ? ".compiled.hsaco" : ".hsaco", std::move(bytes));
  }
  void add_metadata(const hsa::Metadata& metadata, std::string_view layout) {
    const std::uint32_t version = file_->object() ? static_cast<std::uint32_t>(file_->object()->version) : 3;
    add_output({{}, policy_.metadata, std::string(layout), {}, std::max(version, 3u), 0, {}}, "." + policy_.metadata,
               metadata_bytes(metadata, policy_.metadata));
  }

  // --- the record ---

  void add_output(ManifestOutput output, std::string_view extension, std::string bytes) {
    const std::string& name = out_.record.sha256;
    output.path = fmt::format("objects/{}/{}{}", std::string_view(name).substr(0, 2), name, extension);
    output.size = bytes.size();
    output.sha256 = to_hex(sha256(bytes));
    out_.record.outputs.push_back(std::move(output));
    out_.outputs.push_back(std::move(bytes));
  }

  void finish() {
    ProgramRecord& record = out_.record;
    bool bad = !file_ || unread_ != 0 || diagnostics_.has_errors(), good = false;
    for (const ManifestKernel& kernel : record.kernels) {
      (kernel.outcome == Outcome::Refused ? bad : good) = true;
      record.outcome = std::max(record.outcome, kernel.outcome);
    }
    if (bad) record.outcome = good ? Outcome::Partial : Outcome::Refused;
    const SourceView source{bytes_,
                            file_ ? std::span<const TextRegion>(file_->regions) : std::span<const TextRegion>{}};
    record.findings = findings_of(diagnostics_, source);
    record.findings_left_out = diagnostics_.dropped();
    if (record.findings.size() > kMostFindings) {
      // Errors first: they are what is looked for.
      std::ranges::stable_sort(record.findings, std::greater<>{}, &Finding::severity);
      record.findings_left_out += record.findings.size() - kMostFindings;
      record.findings.resize(kMostFindings);
    }
  }

  const std::string bytes_;  // what `file_` refers to
  const Policy& policy_;
  lift::Cache* const cache_;
  Diagnostics diagnostics_;
  std::optional<File> file_;
  std::size_t unread_ = 0;  // kernels that the container names and that could not be read
  Migrated out_;
};

}  // namespace

std::vector<Finding> findings_of(const Diagnostics& diagnostics, const SourceView& source) {
  std::vector<std::optional<LineTable>> tables(source.text.size());
  std::vector<Finding> out;
  for (const Diagnostic& from : diagnostics.all()) {
    Finding& to = out.emplace_back();
    to.code = code_label(from.code);
    to.severity = from.severity;
    to.offset = from.where.begin;
    to.size = from.where.size;
    to.block = from.block;
    to.kernel = from.kernel;
    to.argument = from.argument;
    to.path = from.path;
    to.message = sentence(from);
    // The last part that begins at or before the place, if it reaches there.
    const auto after =
        std::ranges::upper_bound(source.text, from.where.begin, {}, [](const TextRegion& r) { return r.where.begin; });
    if (after == source.text.begin()) continue;
    const TextRegion& region = *std::prev(after);
    const std::uint32_t at = from.where.begin - region.where.begin;
    if (at > region.where.size || region.where.begin + std::uint64_t{region.where.size} > source.bytes.size()) continue;
    auto& table = tables[static_cast<std::size_t>(std::prev(after) - source.text.begin())];
    if (!table) table.emplace(source.bytes.substr(region.where.begin, region.where.size));
    const LineTable::Position position = table->position(at);
    to.line = position.line;
    to.column = position.column;
    to.text = table->line(position.line).substr(0, kMostFindingText);
  }
  std::ranges::stable_sort(out, {}, &Finding::offset);
  return out;
}

Migrated migrate_program(std::string bytes, const Digest& digest, const Policy& policy, lift::Cache* lifted) {
  return Migration(std::move(bytes), digest, policy, lifted).run();
}

std::string metadata_bytes(const hsa::Metadata& metadata, std::string_view form) {
  if (form == "msgpack") return hsa::to_msgpack(metadata);
  if (form == "note") return hsa::to_note(metadata);
  if (form == "json") return metadata_json(metadata);
  return hsa::to_yaml(metadata);
}

}  // namespace amdcompat::migrate
