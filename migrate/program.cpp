#include "program.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <amdcompat/convert.hpp>
#include <fmt/format.h>

#include "metadata_json.hpp"

namespace amdcompat::migrate {

namespace {

constexpr std::size_t kMostFindingText = 200;  // bytes of a source line

bool is_hidden(const hsa::MetadataArgument& argument) {
  return argument.value_kind && hsa::value_kind_info(*argument.value_kind).hidden;
}

std::string target_text(const Target* target, const hsa::TargetFeatures& features) {
  if (target == nullptr) return {};
  const auto id = hsa::target_id(*target, hsa::CodeObjectVersion::V6, features);
  const std::size_t processor = id ? id->find("--") : std::string::npos;
  return processor == std::string::npos ? std::string(target->name) : id->substr(processor + 2);
}

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
  Migration(std::string bytes, const Digest& digest, const Policy& policy)
      : bytes_(std::move(bytes)), policy_(policy), diagnostics_(mode(), 10'000) {
    out_.record.sha256 = to_hex(digest);
    out_.record.size = bytes_.size();
    out_.record.kind = cl1::kind_name(cl1::classify(std::as_bytes(std::span(bytes_))));
  }

  Migrated run() {
    file_ = open(bytes_, diagnostics_);
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
    for (const Kernel& kernel : program.kernels) {
      ManifestKernel& row = out_.record.kernels.emplace_back();
      row.name = kernel.name;
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
    wanted_.target = target_for(policy_, out_.record.device);
    if (policy_.code_object != 0) wanted_.version = static_cast<hsa::CodeObjectVersion>(policy_.code_object);

    if (policy_.layout == Layout::Natural) {
      describe();
      return;
    }
    if (policy_.layout == Layout::Auto && !has_code_for_today()) {
      for (const Kernel& kernel : program.kernels) explain_left(kernel);
      describe();
      return;
    }
    // What stands against the machine code of a kernel is an error only where nothing else can be had.
    Diagnostics attempt(mode(), 10'000);
    carry_code(attempt);
    const bool all = std::ranges::all_of(out_.record.kernels, &is_done);
    const bool fall_back = !all && policy_.layout == Layout::Auto && !file_->hsa;
    std::set<std::string, std::less<>> described;
    if (fall_back) {
      for (const ManifestKernel& kernel : out_.record.kernels)
        if (!is_done(kernel)) described.insert(kernel.name);
      for (const Kernel& kernel : program.kernels)
        if (described.contains(kernel.name)) explain_left(kernel);
      keep_kernels(file_->program, [&](const Kernel& kernel) { return described.contains(kernel.name); });
      describe();
    }
    const bool solved = fall_back && std::ranges::all_of(out_.record.kernels, &is_done);
    for (Diagnostic finding : attempt.all()) {
      if (solved) finding.severity = severity_if_overcome(finding);
      diagnostics_.add(std::move(finding));
    }
  }

  static bool is_done(const ManifestKernel& kernel) { return kernel.outcome != Outcome::Refused; }

  // Whether the kernels' machine code is there at all and of a family that code objects exist for.
  [[nodiscard]] bool has_code_for_today() const {
    if (file_->hsa) return true;
    if (file_->cl2) return true;
    return file_->container && file_->container->device != nullptr && !is_vliw(file_->container->device->isa);
  }

  void explain_left(const Kernel& kernel) {
    if (!file_->container && !file_->cl2) return;  // a text has none
    const DiagnosticScope scope(diagnostics_, {.kernel = kernel.name});
    diagnostics_.report_on(Subject::Kernel, Code::MachineCodeLeft, {kernel.where.begin, 0},
                           "is described only: its machine code is not carried over");
  }

  // --- with the old machine code ---

  void carry_code(Diagnostics& attempt) {
    if (file_->hsa) {
      carry_hsa(attempt);
    } else if (file_->cl2) {
      auto object = convert::to_code_object(file_->program, attempt, wanted_);
      if (object) deliver(std::move(*object), "in-place", attempt);
    } else if (file_->container) {
      carry_cl1(attempt);
    } else {
      attempt.report(Code::NoMachineCode, {}, "metadata text has no machine code to carry over");
    }
  }

  void carry_hsa(Diagnostics& attempt) {
    const hsa::CodeObject& own = *file_->hsa;
    const bool current = own.version >= hsa::CodeObjectVersion::V3 && !own.relocatable;
    if (current && !wanted_.version && !wanted_.target) {
      if (hsa::check_code_object(own, attempt)) add_object(own, "kept", bytes_);
      return;
    }
    auto object = convert::to_version(own, attempt, wanted_);
    if (object) deliver(std::move(*object), "kept", attempt);
  }

  // True: the proof found a difference.
  bool keep_proof(const std::string& name, const emulate::Proof& proof) {
    proofs_[name] = {std::string(emulate::verdict_name(proof.verdict)), proof.compared, proof.coverage.reached,
                     proof.coverage.instructions, proof.reason};
    return proof.verdict == emulate::Verdict::Differs;
  }

  // Checks, compares and proves what was made, and takes it; not at all when a kernel of it is known to be wrong.
  void deliver(hsa::CodeObject object, std::string_view layout, Diagnostics& attempt) {
    if (!hsa::check_code_object(object, attempt)) return;
    const bool refused = !file_->hsa && object.kernels.size() < file_->program.kernels.size();
    auto bytes = convert::write_compared(
        object, file_->hsa ? convert::load_view(*file_->hsa) : convert::load_view(file_->program), refused, attempt);
    if (!bytes) return;
    bool wrong = false;
    if (policy_.prove)
      for (const ProvedKernel& kernel :
           prove_kernels(file_->program, file_->hsa ? &*file_->hsa : nullptr, object, policy_.seed, attempt))
        wrong |= keep_proof(kernel.name, kernel.proof);
    if (!wrong) add_object(object, layout, std::move(*bytes));
  }

  void carry_cl1(Diagnostics& attempt) {
    convert::InPlaceOptions options;
    options.target = wanted_.target;
    options.retarget = emulate::check_retarget;
    if (wanted_.version) options.version = *wanted_.version;
    Program program = file_->program;  // less what is withheld
    for (;;) {
      const auto object = convert::to_in_place(program, attempt, options);
      if (!object || !hsa::check_code_object(object->object, attempt)) return;
      auto bytes = hsa::write_code_object(object->object);
      if (!bytes) {
        attempt.add(bytes.error());
        return;
      }
      if (policy_.prove && proofs_.empty()) {
        std::set<std::string, std::less<>> withheld;
        const auto proofs = prove_kernels(program, *object, policy_.seed, attempt);
        for (const ProvedKernel& kernel : proofs)
          if (keep_proof(kernel.name, kernel.proof)) withheld.insert(kernel.name);
        // What is known to be wrong is not delivered: once more without it.
        if (!withheld.empty()) {
          keep_kernels(program, [&](const Kernel& kernel) { return !withheld.contains(kernel.name); });
          if (program.kernels.empty()) return;
          attempt = without_repeats(attempt);
          continue;
        }
      }
      add_object(object->object, "in-place", std::move(*bytes), &*object);
      return;
    }
  }

  // The findings of the proof; those of the conversion come again.
  static Diagnostics without_repeats(const Diagnostics& attempt) {
    Diagnostics out(attempt.mode(), 10'000);
    for (const Diagnostic& finding : attempt.all())
      if (finding.code == Code::InPlaceProved || finding.code == Code::InPlaceUnproved ||
          finding.code == Code::InPlaceDiffers)
        out.add(finding);
    return out;
  }

  void add_object(const hsa::CodeObject& object, std::string_view layout, std::string bytes,
                  const convert::InPlaceObject* in_place = nullptr) {
    for (std::size_t n = 0; n < object.metadata.kernels.size(); ++n) {
      const hsa::MetadataKernel& kernel = object.metadata.kernels[n];
      const auto old = std::ranges::find(file_->program.kernels, kernel.name.value_or(""), &Kernel::name);
      const auto source = [&](std::size_t i) -> const Argument* {
        if (old == file_->program.kernels.end()) return nullptr;
        if (in_place != nullptr) {
          const convert::InPlaceArgument& argument = in_place->kernels[n].arguments[i];
          const bool own = argument.kind == convert::InPlaceKind::Argument && argument.index < old->arguments.size();
          return own ? &old->arguments[argument.index] : nullptr;
        }
        const auto at = std::ranges::find_if(old->arguments, [&](const Argument& candidate) {
          return candidate.in_constant_buffer() == nullptr && kernel.args[i].offset == place_of(candidate);
        });
        return at == old->arguments.end() ? nullptr : &*at;
      };
      set_kernel(kernel, Outcome::Converted, layout, arguments_of(kernel, source));
    }
    add_output({{},
                "elf",
                std::string(layout),
                target_text(object.target, object.features),
                static_cast<std::uint32_t>(object.version),
                0,
                {}},
               ".hsaco", std::move(bytes));
  }

  // --- metadata alone ---

  void describe() {
    if (file_->hsa) {  // its own metadata is what a compiler of today made
      const hsa::Metadata& metadata = file_->hsa->metadata;
      for (const hsa::MetadataKernel& kernel : metadata.kernels)
        set_kernel(kernel, Outcome::Described, "kept", arguments_of(kernel, [](std::size_t) { return nullptr; }));
      if (!metadata.kernels.empty()) add_metadata(metadata, "kept");
      return;
    }
    const convert::Conversion conversion = convert::to_metadata(file_->program, diagnostics_);
    for (std::size_t n = 0; n < conversion.kernels.size(); ++n) {
      const hsa::MetadataKernel& kernel = conversion.metadata.kernels[n];
      const Kernel& old = file_->program.kernels[conversion.kernels[n]];
      // Explicit arguments keep their order; what the compiler had added goes, and other hidden ones come.
      std::vector<const Argument*> explicit_ones;
      for (const Argument& argument : old.arguments)
        if (!std::holds_alternative<Hidden>(argument.kind)) explicit_ones.push_back(&argument);
      std::size_t shown = 0;
      const auto source = [&](std::size_t i) -> const Argument* {
        return is_hidden(kernel.args[i]) || shown == explicit_ones.size() ? nullptr : explicit_ones[shown++];
      };
      set_kernel(kernel, Outcome::Described, "natural", arguments_of(kernel, source));
    }
    if (!conversion.kernels.empty()) add_metadata(conversion.metadata, "natural");
  }

  void add_metadata(const hsa::Metadata& metadata, std::string_view layout) {
    const std::uint32_t version = file_->hsa ? static_cast<std::uint32_t>(file_->hsa->version) : 3;
    add_output({{}, policy_.metadata, std::string(layout), {}, std::max(version, 3u), 0, {}}, "." + policy_.metadata,
               metadata_bytes(metadata, policy_.metadata));
  }

  // --- the record ---

  // The first kernel of that name that nothing has been made of.
  void set_kernel(const hsa::MetadataKernel& kernel, Outcome outcome, std::string_view layout,
                  std::vector<ManifestArgument> arguments) {
    const std::string name = kernel.name.value_or("");
    const auto row = std::ranges::find_if(out_.record.kernels, [&](const ManifestKernel& candidate) {
      return candidate.name == name && !is_done(candidate);
    });
    if (row == out_.record.kernels.end()) return;
    row->outcome = outcome;
    row->layout = layout;
    row->kernarg_bytes = kernel.kernarg_segment_size.value_or(0);
    row->arguments = std::move(arguments);
  }

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
    if (policy_.strict && diagnostics_.has_errors()) {
      for (ManifestKernel& kernel : record.kernels) {
        kernel.outcome = Outcome::Refused;
        kernel.layout.clear();
        kernel.kernarg_bytes = 0;
      }
      record.outputs.clear();
      out_.outputs.clear();
    }
    std::array<std::size_t, 6> counts{};
    for (ManifestKernel& kernel : record.kernels) {
      ++counts[static_cast<std::size_t>(kernel.outcome)];
      if (const auto proof = proofs_.find(kernel.name); proof != proofs_.end()) kernel.proof = proof->second;
    }
    const std::size_t refused = counts[static_cast<std::size_t>(Outcome::Refused)] + unread_;
    const std::size_t converted = counts[static_cast<std::size_t>(Outcome::Converted)];
    const std::size_t described = counts[static_cast<std::size_t>(Outcome::Described)];
    record.outcome = !file_ || (refused != 0 && converted + described == 0) ? Outcome::Refused
                     : refused != 0                                         ? Outcome::Partial
                     : described != 0                                       ? Outcome::Described
                     : converted != 0                                       ? Outcome::Converted
                                                                            : Outcome::None;
    const SourceView source{bytes_,
                            file_ ? std::span<const TextRegion>(file_->regions) : std::span<const TextRegion>{}};
    record.findings = findings_of(diagnostics_, source);
    record.findings_left_out = diagnostics_.dropped();
    if (record.findings.size() > kMostFindings) {
      // Errors first: they are what is looked for.
      std::ranges::stable_sort(record.findings, std::greater<>{}, &Finding::severity);
      record.findings_left_out += record.findings.size() - kMostFindings;
      record.findings.resize(kMostFindings);
      std::ranges::stable_sort(record.findings, {}, &Finding::offset);
    }
  }

  std::string bytes_;
  const Policy& policy_;
  Diagnostics diagnostics_;
  std::optional<File> file_;
  convert::ObjectOptions wanted_;
  std::size_t unread_ = 0;  // kernels that the container names and that could not be read
  std::map<std::string, ManifestProof, std::less<>> proofs_;
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

Migrated migrate_program(std::string bytes, const Digest& digest, const Policy& policy) {
  return Migration(std::move(bytes), digest, policy).run();
}

namespace {

void report_proof(const ProvedKernel& kernel, Diagnostics& diagnostics) {
  const emulate::Proof& proof = kernel.proof;
  const Code code = proof.verdict == emulate::Verdict::Proved    ? Code::InPlaceProved
                    : proof.verdict == emulate::Verdict::Differs ? Code::InPlaceDiffers
                                                                 : Code::InPlaceUnproved;
  const DiagnosticScope scope(diagnostics, {.kernel = kernel.name});
  diagnostics.report(code, {},
                     fmt::format("kernel {}: {}; launches compared: {}, instructions reached: {} of {}{}{}",
                                 kernel.name, emulate::verdict_name(proof.verdict), proof.compared,
                                 proof.coverage.reached, proof.coverage.instructions, proof.reason.empty() ? "" : ": ",
                                 proof.reason));
}

}  // namespace

std::vector<ProvedKernel> prove_kernels(const Program& program, const convert::InPlaceObject& object,
                                        std::uint32_t seed, Diagnostics& diagnostics) {
  std::vector<ProvedKernel> out;
  for (std::size_t n = 0; n < object.kernels.size(); ++n) {
    out.push_back({object.object.kernels[n].name, emulate::prove_in_place(program, object, n, {.seed = seed})});
    report_proof(out.back(), diagnostics);
  }
  return out;
}

std::vector<ProvedKernel> prove_kernels(const Program& program, const hsa::CodeObject* before,
                                        const hsa::CodeObject& after, std::uint32_t seed, Diagnostics& diagnostics) {
  std::vector<ProvedKernel> out;
  for (std::size_t n = 0; n < program.kernels.size(); ++n) {
    const Kernel& kernel = program.kernels[n];
    if (std::ranges::none_of(after.metadata.kernels, [&](const auto& k) { return k.name == kernel.name; })) continue;
    out.push_back({kernel.name, emulate::prove_object(program, n, before == nullptr ? nullptr : &before->metadata,
                                                      after, {.seed = seed})});
    report_proof(out.back(), diagnostics);
  }
  return out;
}

std::string metadata_bytes(const hsa::Metadata& metadata, std::string_view form) {
  if (form == "msgpack") return hsa::to_msgpack(metadata);
  if (form == "note") return hsa::to_note(metadata);
  if (form == "json") return metadata_json(metadata);
  return hsa::to_yaml(metadata);
}

void keep_kernels(Program& program, const std::function<bool(const Kernel&)>& wanted) {
  std::erase_if(program.kernels, [&](const Kernel& kernel) { return !wanted(kernel); });
  program.refused = 0;
  // Formats of other compilation units belong to other kernels.
  std::erase_if(program.printf, [&](const PrintfFormat& format) {
    return std::ranges::none_of(program.kernels, [&](const Kernel& kernel) { return kernel.unit == format.unit; });
  });
}

}  // namespace amdcompat::migrate
