// The conversion half of the C interface.
#include <memory>

#include <amdcompat/pipeline.hpp>

#include "handles.hpp"

struct amdcompat_conversion {
  struct Kernel {
    std::string name, reason_text, proof_text;
    amdcompat_kernel_outcome value{};
  };
  amdcompat_diagnostics found;
  std::string object, yaml, msgpack;
  std::vector<Kernel> kernels;
};

namespace amdcompat {
namespace {

void take_proof(const emulate::Proof& proof, amdcompat_conversion::Kernel& out) {
  out.proof_text = c_text(proof.reason);
  out.value.proof = static_cast<std::uint32_t>(proof.verdict) + 1;
  out.value.launches = proof.compared;
  out.value.reached = proof.coverage.reached;
  out.value.instructions = proof.coverage.instructions;
}
static_assert(static_cast<int>(emulate::Verdict::Proved) + 1 == AMDCOMPAT_PROOF_PROVED);
static_assert(static_cast<int>(emulate::Verdict::Differs) + 1 == AMDCOMPAT_PROOF_DIFFERS);
static_assert(static_cast<int>(pipeline::Outcome::Converted) == AMDCOMPAT_OUTCOME_CONVERTED);
static_assert(static_cast<int>(pipeline::Outcome::AsItIs) == AMDCOMPAT_OUTCOME_AS_IT_IS);
static_assert(static_cast<int>(pipeline::Layout::Natural) == AMDCOMPAT_LAYOUT_NATURAL);

emulate::ProofOptions proof_options(std::uint32_t seed, std::uint32_t launches, std::uint32_t attempts) {
  emulate::ProofOptions out;
  if (seed != 0) out.seed = seed;
  if (launches != 0) out.launches = launches;
  if (attempts != 0) out.attempts = attempts;
  return out;
}

// False: a choice that does not exist.
bool read_options(const amdcompat_convert_options& given, pipeline::Request& out) {
  if (given.layout > AMDCOMPAT_LAYOUT_NATURAL ||
      (given.flags & ~(AMDCOMPAT_CONVERT_PROVE | AMDCOMPAT_CONVERT_UNVERIFIED)) != 0 ||
      (given.code_object != 0 && (given.code_object < 3 || given.code_object > 6)))
    return false;
  out.layout = static_cast<pipeline::Layout>(given.layout);
  out.prove = (given.flags & AMDCOMPAT_CONVERT_PROVE) != 0;
  out.verify = (given.flags & AMDCOMPAT_CONVERT_UNVERIFIED) == 0;
  out.proof = proof_options(given.seed, given.launches, given.attempts);
  if (given.code_object != 0) out.object.version = static_cast<hsa::CodeObjectVersion>(given.code_object);
  return true;
}

// `file` is there, and so is what `options` choose.
void convert_into(const File& file, const pipeline::Request& request, amdcompat_conversion& out) {
  pipeline::Conversion made = pipeline::convert(file, request, out.found.sink);
  for (const pipeline::KernelResult& from : made.kernels) {
    amdcompat_conversion::Kernel& to = out.kernels.emplace_back();
    to.name = c_text(file.program.kernels[from.kernel].name);
    to.value.outcome = static_cast<std::uint32_t>(from.outcome);
    const hsa::Metadata* const metadata = pipeline::has_code(from.outcome)               ? &made.object->metadata
                                          : from.outcome == pipeline::Outcome::Described ? &made.natural->metadata
                                                                                         : nullptr;
    if (metadata != nullptr) to.value.kernarg_bytes = metadata->kernels[from.at].kernarg_segment_size.value_or(0);
    if (from.reason) {
      to.value.reason = static_cast<std::uint32_t>(from.reason->code);
      to.reason_text = c_text(from.reason->message);
    }
    if (from.proof) take_proof(*from.proof, to);
  }
  out.object = std::move(made.bytes);
  if (made.natural && !made.natural->metadata.kernels.empty()) {
    out.yaml = hsa::to_yaml(made.natural->metadata);
    out.msgpack = hsa::to_msgpack(made.natural->metadata);
  }
}

// Null, and 0 bytes, for none.
const void* bytes_of(const std::string& bytes, std::size_t* byte_count) {
  if (byte_count != nullptr) *byte_count = bytes.size();
  return bytes.empty() ? nullptr : bytes.data();
}

std::uint32_t mode_flags(const amdcompat_file& file) {
  return file.found.sink.mode() == Mode::Strict ? AMDCOMPAT_STRICT : 0;
}

}  // namespace
}  // namespace amdcompat

using namespace amdcompat;

amdcompat_status amdcompat_convert(const amdcompat_file* file, const amdcompat_convert_options* options,
                                   amdcompat_conversion** out) {
  if (out == nullptr) return AMDCOMPAT_BAD_CALL;
  *out = nullptr;
  amdcompat_convert_options given{};
  if (file == nullptr || (options != nullptr && !read_struct(options, given))) return AMDCOMPAT_BAD_CALL;
  return guard([&]() -> amdcompat_status {
    pipeline::Request request;
    if (!read_options(given, request)) return AMDCOMPAT_BAD_CALL;
    auto conversion = std::make_unique<amdcompat_conversion>(amdcompat_diagnostics(mode_flags(*file)));
    Diagnostics& found = conversion->found.sink;
    // Strict mode takes no departure, those that opening found included.
    for (const Diagnostic& finding : file->found.sink.all())
      if (found.mode() == Mode::Strict) found.add(finding);
    bool good = file->file.has_value();
    if (given.target != nullptr && *given.target != '\0') {
      request.object.target = hsa::parse_target(given.target);
      if (!request.object.target)
        found.report(Code::UnknownTarget, {},
                     std::string("'").append(given.target).append("' is no target of the device table"));
      good = good && request.object.target;
    }
    if (good) convert_into(*file->file, request, *conversion);
    good = good && !found.has_errors();
    conversion->found.take();
    good = good && std::ranges::none_of(conversion->kernels, [](const amdcompat_conversion::Kernel& kernel) {
             return kernel.value.outcome == AMDCOMPAT_OUTCOME_REFUSED;
           });
    *out = conversion.release();
    return status(good);
  });
}

void amdcompat_conversion_free(amdcompat_conversion* conversion) { delete conversion; }

const amdcompat_diagnostics* amdcompat_conversion_diagnostics(const amdcompat_conversion* conversion) {
  return conversion == nullptr ? nullptr : &conversion->found;
}

const void* amdcompat_conversion_object(const amdcompat_conversion* conversion, size_t* byte_count) {
  static const std::string none;
  return bytes_of(conversion == nullptr ? none : conversion->object, byte_count);
}

const void* amdcompat_conversion_metadata(const amdcompat_conversion* conversion, uint32_t form, size_t* byte_count) {
  static const std::string none;
  return bytes_of(conversion == nullptr                ? none
                  : form == AMDCOMPAT_METADATA_YAML    ? conversion->yaml
                  : form == AMDCOMPAT_METADATA_MSGPACK ? conversion->msgpack
                                                       : none,
                  byte_count);
}

size_t amdcompat_conversion_kernel_count(const amdcompat_conversion* conversion) {
  return conversion == nullptr ? 0 : conversion->kernels.size();
}

amdcompat_status amdcompat_conversion_kernel(const amdcompat_conversion* conversion, size_t index,
                                             amdcompat_kernel_outcome* out) {
  if (index >= amdcompat_conversion_kernel_count(conversion)) return AMDCOMPAT_BAD_CALL;
  const amdcompat_conversion::Kernel& from = conversion->kernels[index];
  amdcompat_kernel_outcome value = from.value;
  value.name = from.name.c_str();
  value.reason_text = from.reason_text.c_str();
  value.proof_text = from.proof_text.c_str();
  return write_struct(value, out);
}

amdcompat_status amdcompat_verify(const amdcompat_file* before, const amdcompat_file* after,
                                  const amdcompat_verify_options* options, amdcompat_conversion** out) {
  if (out == nullptr) return AMDCOMPAT_BAD_CALL;
  *out = nullptr;
  amdcompat_verify_options given{};
  if (before == nullptr || after == nullptr || (options != nullptr && !read_struct(options, given)) ||
      (given.flags & ~AMDCOMPAT_VERIFY_EXECUTE) != 0)
    return AMDCOMPAT_BAD_CALL;
  return guard([&]() -> amdcompat_status {
    auto result = std::make_unique<amdcompat_conversion>(amdcompat_diagnostics(mode_flags(*before)));
    bool same = before->file && after->file;
    if (same) {
      pipeline::VerifyRequest request;
      request.execute = (given.flags & AMDCOMPAT_VERIFY_EXECUTE) != 0;
      request.proof = proof_options(given.seed, given.launches, given.attempts);
      const pipeline::Verification verification =
          pipeline::verify(*before->file, *after->file, request, result->found.sink);
      same = verification.same;
      for (const pipeline::Verification::Kernel& from : verification.proofs) {
        amdcompat_conversion::Kernel& to = result->kernels.emplace_back();
        to.name = c_text(from.name);
        to.value.outcome = from.proof.verdict == emulate::Verdict::Differs  ? AMDCOMPAT_OUTCOME_REFUSED
                           : from.proof.verdict == emulate::Verdict::Proved ? AMDCOMPAT_OUTCOME_PROVED
                                                                            : AMDCOMPAT_OUTCOME_CONVERTED;
        take_proof(from.proof, to);
      }
    }
    result->found.take();
    *out = result.release();
    return status(same);
  });
}
