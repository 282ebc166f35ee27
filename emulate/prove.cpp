// Random launches for a kernel of which only the signature is known, run on both sides.
//
// Pointers get buffers of equal size, values small numbers, so that most kernels stay inside their buffers; a launch
// that does not is thrown away and another one is tried. The old side splits an address as AMD's old runtime may have
// done (all of it in the descriptor), the new side as the conversion does, and 32-bit kernels get buffers above 4 GiB.
#include <algorithm>
#include <cstring>
#include <random>

#include <fmt/format.h>

#include <amdcompat/cl2_launch.hpp>
#include <amdcompat/dispatch.hpp>
#include <amdcompat/prove.hpp>

#include "opcode.hpp"

namespace amdcompat::emulate {
namespace {

constexpr u64 kFirstBuffer = 0x1'2000'0000;
constexpr u64 kBufferDistance = 0x10'0000;
constexpr u64 kKernarg = 0x7d00'0000'0000;
constexpr u64 kPacket = 0x7d01'0000'0000;
constexpr u64 kQueue = 0x7d02'0000'0000;
constexpr u64 kKernelObject = 0x7d03'0000'0000;  // nothing is there: code has no use for it
constexpr u64 kCode = 0x7f00'0000'0000;
// Upper halves of addresses at which nothing is: local and scratch memory are not reached by FLAT instructions here.
constexpr u32 kLocalAperture = 0x7b00, kScratchAperture = 0x7b01;
constexpr std::size_t kBufferBytes = 0x8000;

// One launch: sizes, values and buffers; the same for both sides.
struct Trial {
  abi::Range range;
  struct Value {
    std::vector<std::byte> bytes;  // by-value arguments
    u64 address = 0;  // buffers
    u64 local = 0;
  };
  std::vector<Value> values;
  struct Buffer {
    u64 address;
    std::vector<std::byte> bytes;
    std::string name;
  };
  std::vector<Buffer> buffers;
  u64 data = 0;
  u64 printf = 0;
  std::vector<std::pair<u32, u64>> constants;  // number, address
};

class Maker {
 public:
  // `data`: segments that the launch has to place. `rsrc2`: COMPUTE_PGM_RSRC2, for the number of dimensions.
  Maker(const Kernel& kernel, std::span<const DataSegment> data, u32 rsrc2, std::uint32_t seed)
      : data_(data), kernel_(kernel), rsrc2_(rsrc2), random_(seed) {}

  Trial make(std::uint32_t attempt) {
    attempt_ = attempt;
    Trial out;
    out.range = range();
    next_ = kFirstBuffer;
    for (const Argument& argument : kernel_.arguments) out.values.push_back(value(argument, out));
    // CL1's printf buffer is a UAV, which the images of that ABI bind.
    if (kernel_.uses_printf &&
        std::ranges::any_of(kernel_.arguments, [](const Argument& a) { return a.kernarg.has_value(); }))
      out.printf = place(out, std::vector<std::byte>(kBufferBytes), "printf buffer");
    for (const DataSegment& segment : data_) {
      const u64 at = place(out, segment.bytes, "constant data");
      if (segment.constant_buffer)
        out.constants.emplace_back(*segment.constant_buffer, at);
      else
        out.data = at;
    }
    return out;
  }

 private:
  u32 below(u32 n) { return static_cast<u32>(random_() % n); }

  abi::Range range() {
    abi::Range out;
    const u32 by_groups = (rsrc2_ >> 9 & 1) != 0 ? 3 : (rsrc2_ >> 8 & 1) != 0 ? 2 : 1;
    out.dimensions = std::clamp(std::max(by_groups, (rsrc2_ >> 11 & 3) + 1), 1u, 3u);
    std::array<u32, 3> local{1, 1, 1};
    const auto& required = kernel_.limits.required_group_size;
    if (required[0] != 0) {
      for (std::size_t d = 0; d < 3; ++d) local[d] = std::max(required[d], 1u);
      if (local[2] > 1)
        out.dimensions = 3;
      else if (local[1] > 1)
        out.dimensions = std::max(out.dimensions, 2u);
    } else if (out.dimensions == 1) {
      constexpr u32 kSizes[] = {64, 128, 32, 256, 16, 4};
      local[0] = kSizes[attempt_ % std::size(kSizes)];
    } else if (out.dimensions == 2) {
      constexpr std::array<u32, 2> kSizes[] = {{8, 8}, {16, 16}, {4, 4}, {64, 1}, {16, 4}, {2, 2}};
      local[0] = kSizes[attempt_ % std::size(kSizes)][0];
      local[1] = kSizes[attempt_ % std::size(kSizes)][1];
    } else {
      local = {4, 4, 4};
    }
    while (u64{local[0]} * local[1] * local[2] > max_flat_group_size(kernel_)) *std::ranges::max_element(local) /= 2;
    for (u32 d = 0; d < out.dimensions; ++d) {
      out.global[d] = u64{local[d]} * (1 + below(3));
      if (attempt_ % 4 == 3) out.offset[d] = below(3);
    }
    out.local = local;
    groups_ = out.global[0];
    local_ = local[0];
    return out;
  }

  // A number that loops, sizes and shifts can live with.
  u32 number() {
    switch ((attempt_ + below(2)) % 6) {
      case 0: return 1 + below(4);
      case 1: return 1u << below(5);
      case 2: return static_cast<u32>(groups_);
      case 3: return local_;
      case 4: return 1 + below(16);
      default: return below(3);
    }
  }
  float real() { return 0.25f + static_cast<float>(below(64)) / 32.0f; }

  Trial::Value value(const Argument& argument, Trial& trial) {
    Trial::Value out;
    if (const auto* by_value = std::get_if<ByValue>(&argument.kind)) {
      const bool half = by_value->type == ScalarType::Half && argument.kernarg;  // a float each
      out.bytes.resize(half ? argument.kernarg->size : abi::host_bytes(*by_value).value_or(0));
      const u32 size = scalar_size(by_value->type);
      for (std::size_t at = 0; at < out.bytes.size(); at += std::max(size, 4u)) {
        u64 bits = number();
        if (by_value->type == ScalarType::Float) bits = std::bit_cast<u32>(real());
        // Bounds that nothing passes, as the targets of searches are.
        if ((by_value->type == ScalarType::U64 || by_value->type == ScalarType::I64) && attempt_ % 2 == 1)
          bits = ~u64{0};
        if (by_value->type == ScalarType::Double) bits = std::bit_cast<u64>(static_cast<double>(real()));
        std::memcpy(out.bytes.data() + at, &bits, std::min<std::size_t>(std::max(size, 4u), out.bytes.size() - at));
      }
      if (argument.kernarg && argument.kernarg->by_reference) out.address = place(trial, out.bytes, argument.name);
    } else if (std::holds_alternative<LocalPointer>(argument.kind)) {
      out.local = 4096;
    } else if (std::holds_alternative<GlobalPointer>(argument.kind) ||
               std::holds_alternative<ConstantPointer>(argument.kind)) {
      const auto* const global = std::get_if<GlobalPointer>(&argument.kind);
      const PointerInfo& pointer =
          global != nullptr ? static_cast<const PointerInfo&>(*global) : std::get<ConstantPointer>(argument.kind);
      out.address = place(trial, contents(pointer), argument.name);
    }
    return out;
  }
  std::vector<std::byte> contents(const PointerInfo& pointer) {
    std::vector<std::byte> out(kBufferBytes);
    const bool reals = pointer.pointee == ScalarType::Float, doubles = pointer.pointee == ScalarType::Double;
    const u32 kind = attempt_ % 3;
    for (std::size_t at = 0; at < out.size(); at += 8) {
      std::array<u32, 2> words{below(8), below(8)};
      if (kind == 1 && !reals) words = {below(256), below(256)};
      if (kind == 2 && !reals) words = {static_cast<u32>(random_()), static_cast<u32>(random_())};
      if (reals) words = {std::bit_cast<u32>(real()), std::bit_cast<u32>(real())};
      if (doubles) words = std::bit_cast<std::array<u32, 2>>(static_cast<double>(real()));
      std::memcpy(out.data() + at, words.data(), 8);
    }
    return out;
  }
  u64 place(Trial& trial, std::vector<std::byte> bytes, std::string name) {
    const u64 at = next_;
    next_ += std::max<u64>(kBufferDistance, (bytes.size() + kBufferDistance) / kBufferDistance * kBufferDistance);
    if (!bytes.empty()) trial.buffers.push_back({at, std::move(bytes), std::move(name)});
    return at;
  }

  std::span<const DataSegment> data_;
  const Kernel& kernel_;
  u32 rsrc2_;
  std::mt19937 random_;
  std::uint32_t attempt_ = 0;
  u64 next_ = 0;
  u64 groups_ = 1;
  u32 local_ = 1;
};

// The images of a trial; `split` gives the descriptor's base of an address.
template <class Split>
std::optional<abi::LaunchImage> image_of(const Program& program, const Kernel& kernel, const Trial& trial,
                                         Split&& split, Diagnostics& diagnostics) {
  auto image = abi::LaunchImage::create(kernel, diagnostics, {}, program.data);
  if (!image || !image->set_range(trial.range, diagnostics)) return std::nullopt;
  // No size: a descriptor would hide accesses behind the buffer's end, which the new side has nothing to stop.
  const auto buffer = [&](u64 address) { return abi::Buffer{address, split(address), 0}; };
  for (std::size_t i = 0; i < trial.values.size(); ++i) {
    const Trial::Value& value = trial.values[i];
    bool good = true;
    if (value.address != 0)
      good = image->set_buffer(i, buffer(value.address), diagnostics);
    else if (value.local != 0)
      good = image->set_local(i, value.local, diagnostics);
    else
      good = image->set_bytes(i, value.bytes, diagnostics);
    if (!good) return std::nullopt;
  }
  if (trial.data != 0 && !image->set_data_segment(buffer(trial.data), diagnostics)) return std::nullopt;
  for (const auto& [number, address] : trial.constants)
    if (!image->set_constant_data(number, {address, address, 0}, diagnostics)) return std::nullopt;
  if (!image->build(diagnostics)) return std::nullopt;
  return std::move(*image);
}

Memory memory_of(const Trial& trial) {
  Memory out;
  for (const Trial::Buffer& buffer : trial.buffers) out.map(buffer.address, buffer.bytes, buffer.name);
  return out;
}

std::string first_problem(const Report& report, const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::Error) return d.message;
  if (!report.poison.empty())
    return fmt::format("uses {} at +0x{:x}, which nothing has set", report.poison[0].what, report.poison[0].offset);
  if (!report.outside.empty())
    return fmt::format("{} 0x{:x} at +0x{:x}, which is not listed",
                       report.outside[0].store ? "writes to" : "reads from", report.outside[0].address,
                       report.outside[0].offset);
  return {};
}

// Runs trials on both sides until enough of them could be compared. `run_old(trial, memory, report)` gives what was
// wrong with the run, or nothing; `run_new(trial, memory)` in what it differs from what the old one left in memory.
template <class Old, class New>
Proof judge(Maker maker, const ProofOptions& options, std::span<const std::byte> code, u32 begin, Gfx gfx,
            Old&& run_old, New&& run_new) {
  Proof out;
  std::vector<Report> reports;
  std::string last;
  for (std::uint32_t attempt = 0; attempt < options.attempts; ++attempt) {
    const Trial trial = maker.make(attempt);
    Report report;
    Memory after = memory_of(trial);
    last = run_old(trial, after, report);
    if (last.empty() && report.stores == 0) last = "nothing was written";
    if (!last.empty()) continue;
    const std::string difference = run_new(trial, after);
    if (!difference.empty()) {
      out.verdict = Verdict::Differs;
      out.reason = difference;
      return out;
    }
    reports.push_back(std::move(report));
    ++out.compared;
    out.coverage = coverage(code, begin, gfx, reports);
    if (out.compared >= options.launches && out.coverage.reached * 5 >= out.coverage.instructions * 4) {
      out.verdict = Verdict::Proved;
      return out;
    }
  }
  out.verdict = out.compared == 0 ? Verdict::NotExecutable : Verdict::Unproved;
  out.reason = out.compared < options.launches
                   ? fmt::format("{} of {} launches could be compared; the last other one: {}", out.compared,
                                 options.launches, last)
                   : fmt::format("{} of {} instructions were reached", out.coverage.reached, out.coverage.instructions);
  return out;
}

void set_sizes(Launch& launch, const Trial& trial, const std::array<u32, 3>& local) {
  for (std::size_t d = 0; d < 3; ++d) {
    launch.global[d] = static_cast<u32>(trial.range.global[d]);
    launch.local[d] = local[d];
  }
}

// Empty when the buffers of the trial are the same on both sides.
std::string difference_of(const Trial& trial, const Memory& before, const Memory& after) {
  for (const Trial::Buffer& buffer : trial.buffers) {
    const auto a = before.view(buffer.address, buffer.bytes.size());
    const auto b = after.view(buffer.address, buffer.bytes.size());
    const auto at = std::ranges::mismatch(a, b).in1;
    if (at != a.end()) return fmt::format("buffer {} differs from byte {} on", buffer.name, at - a.begin());
  }
  return {};
}

class Prover {
 public:
  Prover(const cl1::Binary& binary, const Program& program, const convert::InPlaceObject& converted, std::size_t index,
         const ProofOptions& options)
      : binary_(binary), program_(program), converted_(converted), index_(index), layout_(converted.kernels[index]),
        kernel_(program.kernels[layout_.kernel]), options_(options) {}

  Proof prove() {
    const auto source = std::ranges::find(binary_.kernels, kernel_.name, &cl1::Kernel::name);
    if (source == binary_.kernels.end() || !source->cal.chosen || binary_.device == nullptr ||
        !gfx_of(binary_.device->isa)) {
      Proof out;
      out.reason = "no machine code for the device";
      return out;
    }
    const cl1::Encoding& encoding = source->cal.encodings[*source->cal.chosen];
    return judge(
        Maker(kernel_, program_.data, encoding.info.rsrc2.value_or(0), options_.seed), options_,
        binary_.view(encoding.text), 0, *gfx_of(binary_.device->isa),
        [&](const Trial& trial, Memory& memory, Report& report) { return run_old(*source, trial, memory, report); },
        [&](const Trial& trial, const Memory& memory) { return run_new(trial, memory); });
  }

 private:
  [[nodiscard]] Limits limits() const { return {.instructions = options_.instructions}; }

  // Empty when the run ended clean, else what was wrong.
  std::string run_old(const cl1::Kernel& source, const Trial& trial, Memory& memory, Report& report) {
    Diagnostics diagnostics;
    const auto image = image_of(program_, kernel_, trial, [](u64 address) { return address; }, diagnostics);
    if (!image) return "no launch: " + first_problem({}, diagnostics);
    CalBindings bindings;
    bindings.cb0.assign(image->cb0().begin(), image->cb0().end());
    bindings.cb1.assign(image->cb1().begin(), image->cb1().end());
    for (const abi::Binding& binding : image->bindings()) {
      if (binding.words == 0) continue;
      const CalBindings::Slot slot{binding.slot,
                                   {binding.descriptor.begin(), binding.descriptor.begin() + binding.words}};
      if (binding.kind == abi::BindingKind::Uav && !bound(bindings.uavs, slot.slot)) bindings.uavs.push_back(slot);
      if (binding.kind == abi::BindingKind::ConstantBuffer && slot.slot > 1 &&
          !bound(bindings.constant_buffers, slot.slot))
        bindings.constant_buffers.push_back(slot);
    }
    auto launch = cal_launch(binary_.bytes, source.cal, binary_.device->isa, bindings, image->local_bytes(), memory);
    if (!launch) return launch.error().message;
    set_sizes(*launch, trial, image->local_size());
    report = run(*launch, memory, limits(), diagnostics);
    if (!report.clean()) return first_problem(report, diagnostics);
    return report.out_of_range != 0 ? "reads past what a descriptor can reach" : "";
  }
  static bool bound(const std::vector<CalBindings::Slot>& slots, u32 slot) {
    return std::ranges::find(slots, slot, &CalBindings::Slot::slot) != slots.end();
  }

  // The same for the new side, and compared with the memory that the old one left.
  std::string run_new(const Trial& trial, const Memory& old_memory) {
    Diagnostics diagnostics;
    const auto image = image_of(
        program_, kernel_, trial, [&](u64 address) { return convert::in_place_base(address, kernel_.address_bits); },
        diagnostics);
    if (!image) return "no launch of the new code: " + first_problem({}, diagnostics);
    const auto kernarg = convert::kernarg_image(layout_, *image);
    if (!kernarg) return kernarg.error().message;
    Memory memory = memory_of(trial);
    // Only what the metadata lists is there.
    for (const convert::InPlaceArgument& argument : layout_.arguments) {
      const auto part = std::span(*kernarg).subspan(argument.offset, argument.size);
      memory.map(kKernarg + argument.offset, {part.begin(), part.end()}, "kernarg segment");
    }
    auto launch = object_launch(converted_.object, index_, {.kernarg = kKernarg}, image->local_bytes(), memory);
    if (!launch) return launch.error().message;
    set_sizes(*launch, trial, image->local_size());
    const Report report = run(*launch, memory, limits(), diagnostics);
    if (!report.clean()) return "the new code " + first_problem(report, diagnostics);
    return difference_of(trial, old_memory, memory);
  }

  const cl1::Binary& binary_;
  const Program& program_;
  const convert::InPlaceObject& converted_;
  std::size_t index_;
  const convert::InPlaceKernel& layout_;
  const Kernel& kernel_;
  const ProofOptions& options_;
};

// A kernel whose arguments are in one block, before and after a conversion to another code object version.
class ObjectProver {
  [[nodiscard]] auto named(const hsa::CodeObject& object) const {
    return std::ranges::find_if(object.metadata.kernels, [&](const hsa::MetadataKernel& k) { return k.name == name_; });
  }

 public:
  ObjectProver(const Program& program, const hsa::CodeObject* before, const hsa::CodeObject& after,
               std::string_view kernel, const ProofOptions& options)
      : program_(program), before_(before), after_(after), name_(kernel), options_(options) {}

  Proof prove() {
    Proof out;
    const auto kernel = std::ranges::find(program_.kernels, name_, &Kernel::name);
    const auto metadata = named(after_);
    const std::optional<std::size_t> code = code_of(after_, metadata);
    if (kernel == program_.kernels.end() || !code) {
      out.reason = "only one of the files has it";
      return out;
    }
    kernel_ = &*kernel;
    new_metadata_ = &*metadata;
    new_index_ = *code;
    old_index_ = static_cast<std::size_t>(kernel - program_.kernels.begin());
    u32 rsrc2 = kernel_->cl2 && kernel_->cl2->setup ? kernel_->cl2->setup->rsrc2 : 0;
    if (before_ != nullptr) {
      const auto old = named(*before_);
      const std::optional<std::size_t> index = code_of(*before_, old);
      if (!index) {
        out.reason = "the old file has no code of it";
        return out;
      }
      old_metadata_ = &*old;
      old_index_ = *index;
      const hsa::CodeKernel& from = before_->kernels[*index];
      rsrc2 = from.descriptor ? from.descriptor->rsrc2 : from.legacy ? from.legacy->rsrc2 : 0;
    }
    const std::optional<Gfx> gfx = after_.target == nullptr ? std::nullopt : gfx_of(*after_.target);
    const MachineCode& old_code = before_ != nullptr ? before_->code : program_.code;
    const std::optional<CodePlace> place =
        before_ != nullptr ? std::optional(before_->kernels[old_index_].code) : kernel_->code;
    if (!gfx || !place || place->section >= old_code.sections.size()) {
      out.reason = gfx ? "no machine code in the old file" : "code of this target is not executed here";
      return out;
    }
    if (std::ranges::any_of(kernel_->arguments,
                            [](const Argument& argument) { return !std::visit(Given{}, argument.kind); })) {
      out.reason = "it takes an image, a sampler, a queue, a pipe or a counter";
      return out;
    }
    // Code and data at the same addresses on both sides: pointers to them are then equal.
    const CodePlace& after = after_.kernels[new_index_].code;
    if (after.section >= after_.code.sections.size()) {
      out.reason = "the new code lies in no section";
      return out;
    }
    new_base_ = kCode + old_code.sections[place->section].address + place->offset -
                after_.code.sections[after.section].address - after.offset;
    const std::span<const std::byte> bytes(old_code.sections[place->section].bytes);
    const u64 end = std::min<u64>(bytes.size(), place->offset + std::min<u64>(place->size, bytes.size()));
    return judge(
        Maker(*kernel_, {}, rsrc2, options_.seed), options_, bytes.first(end),
        static_cast<u32>(std::min<u64>(place->offset, ~u32{0})), *gfx,
        [&](const Trial& trial, Memory& memory, Report& report) {
          return before_ != nullptr ? run(*before_, old_index_, *old_metadata_, kCode, trial, memory, report)
                                    : run_cl2(trial, memory, report);
        },
        [&](const Trial& trial, const Memory& old_memory) {
          Memory memory = memory_of(trial);
          Report report;
          if (const std::string problem = run(after_, new_index_, *new_metadata_, new_base_, trial, memory, report);
              !problem.empty())
            return "the new code " + problem;
          if (std::string difference = difference_of(trial, old_memory, memory); !difference.empty()) return difference;
          return sections_differ(old_code, old_memory, memory);
        });
  }

 private:
  // Arguments that a launch of random values can give.
  struct Given {
    bool operator()(const ByValue&) const { return true; }
    bool operator()(const GlobalPointer&) const { return true; }
    bool operator()(const ConstantPointer&) const { return true; }
    bool operator()(const LocalPointer&) const { return true; }
    bool operator()(const Hidden&) const { return true; }
    bool operator()(const auto&) const { return false; }
  };

  template <class Iterator>
  static std::optional<std::size_t> code_of(const hsa::CodeObject& object, Iterator metadata) {
    if (metadata == object.metadata.kernels.end()) return std::nullopt;
    std::string_view symbol =
        metadata->symbol ? std::string_view(*metadata->symbol) : std::string_view(*metadata->name);
    if (symbol.ends_with(".kd")) symbol.remove_suffix(3);
    const auto found = std::ranges::find(object.kernels, symbol, &hsa::CodeKernel::name);
    if (found == object.kernels.end()) return std::nullopt;
    return static_cast<std::size_t>(found - object.kernels.begin());
  }

  [[nodiscard]] Limits limits() const { return {.instructions = options_.instructions}; }
  static bool map_queue(Memory& memory) {
    std::vector<std::byte> queue(abi::kQueueBytes);
    std::memcpy(queue.data() + 64, &kLocalAperture, 4);
    std::memcpy(queue.data() + 68, &kScratchAperture, 4);
    return memory.map(kQueue, std::move(queue), "queue");
  }

  // Empty when the run ended clean, else what was wrong.
  std::string finish(Result<Launch> launch, const Trial& trial, Memory& memory, Report& report) const {
    if (!launch) return launch.error().message;
    set_sizes(*launch, trial, *trial.range.local);
    Diagnostics diagnostics;
    report = emulate::run(*launch, memory, limits(), diagnostics);
    if (!report.clean()) return first_problem(report, diagnostics);
    return report.out_of_range != 0 ? "reads past what a descriptor can reach" : "";
  }

  std::string run_cl2(const Trial& trial, Memory& memory, Report& report) const {
    Diagnostics diagnostics;
    auto image = abi::Cl2LaunchImage::create(*kernel_, diagnostics);
    if (!image) return "no launch: " + image.error().message;
    abi::Cl2Environment environment;
    environment.memory = kKernarg;
    environment.printf_buffer = trial.printf;
    environment.kernel_object = kKernelObject;
    environment.queue = kQueue;
    bool good = image->set_environment(environment, diagnostics) && image->set_range(trial.range, diagnostics);
    for (std::size_t i = image->first_argument(); good && i < trial.values.size(); ++i) {
      const Trial::Value& value = trial.values[i];
      good = value.address != 0 ? image->set_address(i, value.address, 0, diagnostics)
             : value.local != 0 ? image->set_local(i, value.local, diagnostics)
                                : image->set_bytes(i, value.bytes, diagnostics);
    }
    if (!good || !image->build(diagnostics)) return "no launch: " + first_problem({}, diagnostics);
    const auto bytes = image->memory();
    if (!memory.map(kKernarg, {bytes.begin(), bytes.end()}, "argument block") || !map_queue(memory))
      return "no place for the argument block";
    return finish(cl2_launch(program_, old_index_,
                             {.kernarg = kKernarg, .packet = kKernarg + image->block_bytes(), .queue = kQueue},
                             image->local_bytes(), memory, kCode),
                  trial, memory, report);
  }

  std::string run(const hsa::CodeObject& object, std::size_t kernel, const hsa::MetadataKernel& metadata, u64 base,
                  const Trial& trial, Memory& memory, Report& report) const {
    Dispatch dispatch;
    dispatch.range = trial.range;
    dispatch.printf_buffer = trial.printf;
    dispatch.queue = kQueue;
    for (std::size_t i = 0; i < trial.values.size(); ++i) {
      const Argument& argument = kernel_->arguments[i];
      if (std::holds_alternative<Hidden>(argument.kind)) continue;
      const Trial::Value& value = trial.values[i];
      ArgumentValue& out = dispatch.arguments.emplace_back();
      out.address = value.address;
      out.local_bytes = value.local;
      if (value.address == 0) out.bytes = value.bytes;
      // The host's fourth element of a vector of three.
      if (argument.kernarg && out.bytes.size() > argument.kernarg->size) out.bytes.resize(argument.kernarg->size);
    }
    const Result<KernargSegment> segment = kernarg_segment(metadata, dispatch);
    if (!segment) return segment.error().message;
    const auto packet = aql_packet(trial.range, segment->local_bytes, kKernarg);
    // The pattern between arguments is there too: loads of several registers take it along. Code that uses it gives
    // other results than the old one, for which it is zero.
    if (!memory.map(kPacket, {packet.begin(), packet.end()}, "packet") || !map_queue(memory) ||
        (!segment->bytes.empty() && !memory.map(kKernarg, segment->bytes, "kernarg segment")))
      return "no place for the kernarg segment";
    return finish(object_launch(object, kernel, {.kernarg = kKernarg, .packet = kPacket, .queue = kQueue},
                                segment->local_bytes, memory, base),
                  trial, memory, report);
  }

  // Variables of the program: the sections are at the same addresses.
  static std::string sections_differ(const MachineCode& code, const Memory& before, const Memory& after) {
    for (const CodeSection& section : code.sections) {
      if (!section.writable || section.size() == 0) continue;
      const auto a = before.view(kCode + section.address, section.size());
      const auto b = after.view(kCode + section.address, section.size());
      if (!std::ranges::equal(a, b)) return fmt::format("section {} differs", section.name);
    }
    return {};
  }

  const Program& program_;
  const hsa::CodeObject* before_;
  const hsa::CodeObject& after_;
  std::string_view name_;
  const ProofOptions& options_;
  const Kernel* kernel_ = nullptr;
  const hsa::MetadataKernel* old_metadata_ = nullptr;
  const hsa::MetadataKernel* new_metadata_ = nullptr;
  std::size_t old_index_ = 0, new_index_ = 0;
  u64 new_base_ = kCode;
};

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  constexpr std::string_view kNames[] = {"proved", "unproved", "not executable here", "differs"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Proof prove_in_place(const cl1::Binary& binary, const Program& program, const convert::InPlaceObject& converted,
                     std::size_t index, const ProofOptions& options) {
  return Prover(binary, program, converted, index, options).prove();
}

Proof prove_object(const Program& program, const hsa::CodeObject* before, const hsa::CodeObject& after,
                   std::string_view kernel, const ProofOptions& options) {
  return ObjectProver(program, before, after, kernel, options).prove();
}

}  // namespace amdcompat::emulate
