// Machine code as OpenCL C through the C interface.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <amdcompat/pipeline.hpp>

#include "handles.hpp"

struct amdcompat_lifted {
  struct Kernel {
    std::string name, reason_text, proof_text, device;
    amdcompat_lift_outcome value{};
  };
  amdcompat_diagnostics found;
  std::string source;
  std::vector<Kernel> kernels;
};

namespace amdcompat {
namespace {

static_assert(static_cast<int>(pipeline::LiftOutcome::Lifted) == AMDCOMPAT_LIFT_LIFTED);
static_assert(static_cast<int>(pipeline::LiftOutcome::Proved) == AMDCOMPAT_LIFT_PROVED);
static_assert(static_cast<int>(lift::Form::WorkItem) + 1 == AMDCOMPAT_FORM_WORK_ITEM);
static_assert(static_cast<int>(lift::Form::Wave) + 1 == AMDCOMPAT_FORM_WAVE);

std::string text_of(const char* text) { return text == nullptr ? std::string() : std::string(text); }

// False: a choice that does not exist.
bool read_options(const amdcompat_lift_options& given, pipeline::LiftRequest& out) {
  constexpr std::uint32_t kFlags = AMDCOMPAT_LIFT_PROVE | AMDCOMPAT_LIFT_EXACT | AMDCOMPAT_LIFT_ANNOTATE;
  if (given.form > AMDCOMPAT_FORM_WAVE || (given.flags & ~kFlags) != 0 || given.reserved != 0) return false;
  out.lift.kernel = text_of(given.kernel);
  out.lift.file = text_of(given.file);
  if (given.form != AMDCOMPAT_FORM_AUTO) out.lift.form = static_cast<lift::Form>(given.form - 1);
  out.lift.exact = (given.flags & AMDCOMPAT_LIFT_EXACT) != 0;
  out.lift.annotate = (given.flags & AMDCOMPAT_LIFT_ANNOTATE) != 0;
  out.prove = (given.flags & AMDCOMPAT_LIFT_PROVE) != 0;
  out.proof.device = text_of(given.device);
  if (given.seed != 0) out.proof.proof.seed = given.seed;
  if (given.launches != 0) out.proof.proof.launches = given.launches;
  if (given.attempts != 0) out.proof.proof.attempts = given.attempts;
  return true;
}

void take_proof(const emulate::LiftProof& proof, amdcompat_lifted::Kernel& out) {
  out.proof_text = c_text(proof.reason);
  out.device = c_text(proof.device);
  out.value.proof = static_cast<std::uint32_t>(proof.verdict) + 1;
  out.value.launches = proof.compared;
  out.value.reached = proof.coverage.reached;
  out.value.instructions = proof.coverage.instructions;
  out.value.flags = (proof.approximate ? AMDCOMPAT_LIFT_APPROXIMATE : 0u) |
                    (proof.denormals ? AMDCOMPAT_LIFT_DENORMALS : 0u) |
                    (proof.alone_in_group + proof.alone_in_launch != 0 ? AMDCOMPAT_LIFT_ALONE : 0u) |
                    (proof.local_zeros != 0 ? AMDCOMPAT_LIFT_LOCAL_ZEROS : 0u);
  out.value.error = static_cast<std::uint32_t>(std::ceil(proof.error * 1e9));
}

void lift_into(const File& file, const pipeline::LiftRequest& request, amdcompat_lifted& out) {
  pipeline::Lifted made = pipeline::lift_file(file, request, out.found.sink);
  for (const pipeline::LiftResult& from : made.kernels) {
    amdcompat_lifted::Kernel& to = out.kernels.emplace_back();
    to.name = c_text(from.kernel.name);
    to.value.outcome = static_cast<std::uint32_t>(from.outcome);
    if (from.kernel.lifted) {
      to.value.form = static_cast<std::uint32_t>(from.kernel.form) + 1;
      to.value.statements = from.kernel.statements;
    }
    if (from.kernel.refusal) {
      to.value.reason = static_cast<std::uint32_t>(from.kernel.refusal->code);
      to.reason_text = c_text(sentence(*from.kernel.refusal));
    }
    if (from.proof) take_proof(*from.proof, to);
  }
  out.source = std::move(made.source);
}

}  // namespace
}  // namespace amdcompat

using namespace amdcompat;

amdcompat_status amdcompat_lift(const amdcompat_file* file, const amdcompat_lift_options* options,
                                amdcompat_lifted** out) {
  if (out == nullptr) return AMDCOMPAT_BAD_CALL;
  *out = nullptr;
  amdcompat_lift_options given{};
  if (file == nullptr || (options != nullptr && !read_struct(options, given))) return AMDCOMPAT_BAD_CALL;
  return guard([&]() -> amdcompat_status {
    pipeline::LiftRequest request;
    if (!read_options(given, request)) return AMDCOMPAT_BAD_CALL;
    const bool strict = file->found.sink.mode() == Mode::Strict;
    auto lifted = std::make_unique<amdcompat_lifted>(amdcompat_diagnostics(strict ? AMDCOMPAT_STRICT : 0));
    Diagnostics& found = lifted->found.sink;
    // Strict mode takes no departure, those that opening found included.
    for (const Diagnostic& finding : file->found.sink.all())
      if (strict) found.add(finding);
    const auto named = [&](const Kernel& kernel) { return kernel.name == request.lift.kernel; };
    if (file->file && !request.lift.kernel.empty() && std::ranges::none_of(file->file->program.kernels, named))
      return AMDCOMPAT_NOT_FOUND;
    if (file->file) lift_into(*file->file, request, *lifted);
    lifted->found.take();
    const bool good = file->file && !found.has_errors();
    *out = lifted.release();
    return status(good);
  });
}

void amdcompat_lifted_free(amdcompat_lifted* lifted) { delete lifted; }

const amdcompat_diagnostics* amdcompat_lifted_diagnostics(const amdcompat_lifted* lifted) {
  return lifted == nullptr ? nullptr : &lifted->found;
}

const char* amdcompat_lifted_source(const amdcompat_lifted* lifted, size_t* byte_count) {
  if (byte_count != nullptr) *byte_count = lifted == nullptr ? 0 : lifted->source.size();
  return lifted == nullptr ? "" : lifted->source.c_str();
}

size_t amdcompat_lifted_kernel_count(const amdcompat_lifted* lifted) {
  return lifted == nullptr ? 0 : lifted->kernels.size();
}

amdcompat_status amdcompat_lifted_kernel(const amdcompat_lifted* lifted, size_t index, amdcompat_lift_outcome* out) {
  if (index >= amdcompat_lifted_kernel_count(lifted)) return AMDCOMPAT_BAD_CALL;
  const amdcompat_lifted::Kernel& from = lifted->kernels[index];
  amdcompat_lift_outcome value = from.value;
  value.name = from.name.c_str();
  value.reason_text = from.reason_text.c_str();
  value.proof_text = from.proof_text.c_str();
  value.device = from.device.c_str();
  return write_struct(value, out);
}
