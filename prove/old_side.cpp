#include "old_side.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include <amdcompat/cl2_launch.hpp>
#include <amdcompat/gcn_checks.hpp>
#include <amdcompat/in_place.hpp>
#include <amdcompat/kernarg_launch.hpp>

namespace amdcompat::emulate {
namespace {

constexpr u64 kPacket = 0x7d01'0000'0000;
constexpr u64 kQueue = 0x7d02'0000'0000;
constexpr u64 kKernelObject = 0x7d03'0000'0000;  // nothing is there: code has no use for it

// Arguments that a launch of random values can give.
struct Given {
  bool operator()(const ByValue&) const { return true; }
  bool operator()(const GlobalPointer&) const { return true; }
  bool operator()(const ConstantPointer&) const { return true; }
  bool operator()(const LocalPointer&) const { return true; }
  bool operator()(const Hidden&) const { return true; }
  bool operator()(const Image& image) const {
    constexpr ImageDim kDims[] = {ImageDim::D1, ImageDim::D1Array, ImageDim::D2, ImageDim::D2Array, ImageDim::D3};
    return image.access != Access::ReadWrite && std::ranges::find(kDims, image.dim) != std::end(kDims);
  }
  bool operator()(const Sampler&) const { return true; }
  bool operator()(const Pipe&) const { return true; }
  bool operator()(const Counter&) const { return true; }
  bool operator()(const auto&) const { return false; }
};

// Of kernels with addresses of 32 bits.
constexpr u64 kLowBlock = 0x1000'0000, kLowQueue = 0x1100'0000, kLowKernelObject = 0x1200'0000;
constexpr u64 kLowSamplers = 0x1300'0000, kLowCode = 0x1400'0000;
constexpr u64 kSamplers = 0x7e80'0000'0000;

bool map_queue(Memory& memory, u64 at = kQueue) {
  std::vector<std::byte> queue(abi::kQueueBytes);
  std::memcpy(queue.data() + abi::kQueueApertures, &kLocalAperture, 4);
  std::memcpy(queue.data() + abi::kQueueApertures + 4, &kScratchAperture, 4);
  return memory.map(at, std::move(queue), "queue");
}

// Empty when the run ended clean, else what was wrong.
std::string finish(Result<Launch> launch, const Trial& trial, const std::array<u32, 3>& local, const Room& room) {
  if (!launch) return sentence(launch.error());
  constexpr std::uint8_t kFloatDenormals = 0x30;  // as operands and results [SIA, CIA: MODE, FP_DENORM]
  if (room.flushes != nullptr) *room.flushes = (launch->float_mode & kFloatDenormals) != kFloatDenormals;
  launch->keep_denormals = room.keep_denormals;
  if (room.keep_denormals) launch->float_mode |= kFloatDenormals;
  return run_trial(*std::move(launch), trial, local, room.budget, room.memory, room.report, room.questions);
}

bool bound(const std::vector<CalBindings::Slot>& slots, u32 slot) {
  return std::ranges::find(slots, slot, &CalBindings::Slot::slot) != slots.end();
}

// Whether code reaches buffers of several arguments through one descriptor.
bool shares_descriptors(const Kernel& kernel) {
  std::set<u32> slots;
  return std::ranges::any_of(kernel.arguments, [&](const Argument& argument) {
    const auto* const pointer = std::get_if<GlobalPointer>(&argument.kind);
    return pointer != nullptr && !slots.insert(pointer->buffer).second;
  });
}

// An address is all in the descriptor, as AMD's old runtime may have split it, or what all have in common.
std::string run_cal(const Program& program, std::size_t index, const Trial& trial, const Room& room) {
  Diagnostics diagnostics;
  const bool shared = shares_descriptors(program.kernels[index]);
  const auto image = cal_image(
      program, program.kernels[index], trial,
      [&](u64 address) {
        return shared ? convert::in_place_base(address, program.kernels[index].address_bits) : address;
      },
      diagnostics);
  if (!image) return "no launch: " + first_problem({}, diagnostics);
  CalBindings bindings;
  bindings.cb0.assign(image->cb0().begin(), image->cb0().end());
  bindings.cb1.assign(image->cb1().begin(), image->cb1().end());
  for (const abi::Binding& binding : image->bindings()) {
    if (binding.kind == abi::BindingKind::Counter && binding.argument)
      if (const auto* const counter = std::get_if<Counter>(&program.kernels[index].arguments[*binding.argument].kind))
        bindings.counters.push_back({counter->id, counter->bits, binding.address});
    if (binding.words == 0) continue;
    const CalBindings::Slot slot{binding.slot,
                                 {binding.descriptor.begin(), binding.descriptor.begin() + binding.words}};
    if (binding.kind == abi::BindingKind::Uav && !bound(bindings.uavs, slot.slot)) bindings.uavs.push_back(slot);
    if (binding.kind == abi::BindingKind::Resource) bindings.resources.push_back(slot);
    if (binding.kind == abi::BindingKind::Sampler && !bound(bindings.samplers, slot.slot))
      bindings.samplers.push_back(slot);
    if (binding.kind == abi::BindingKind::ConstantBuffer && slot.slot > 1 &&
        !bound(bindings.constant_buffers, slot.slot))
      bindings.constant_buffers.push_back(slot);
  }
  auto launch = kernel_launch(program, index, std::move(bindings), image->local_bytes(), room.memory);
  return finish(std::move(launch), trial, image->local_size(), room);
}
std::string run_cl2(const Program& program, std::size_t index, const Trial& trial, const Room& room) {
  const Kernel& kernel = program.kernels[index];
  Memory& memory = room.memory;
  Diagnostics diagnostics;
  auto image = abi::Cl2LaunchImage::create(kernel, diagnostics);
  if (!image) return "no launch: " + first_problem({}, diagnostics);
  const bool low = kernel.address_bits == AddressBits::Bits32;
  const u64 block = low ? kLowBlock : kKernargAddress, queue = low ? kLowQueue : kQueue;
  abi::Cl2Environment environment;
  environment.memory = block;
  environment.printf_buffer = trial.printf;
  environment.kernel_object = low ? kLowKernelObject : kKernelObject;
  environment.queue = queue;
  bool good = image->set_environment(environment, diagnostics) && image->set_range(trial.range, diagnostics);
  for (std::size_t i = image->first_argument(); good && i < trial.values.size(); ++i) {
    const Trial::Value& value = trial.values[i];
    good = value.image          ? image->set_image(i, *value.image, diagnostics)
           : value.sampler      ? image->set_sampler(i, *value.sampler, diagnostics)
           : value.address != 0 ? image->set_address(i, value.address, 0, diagnostics)
           : value.local != 0   ? image->set_local(i, value.local, diagnostics)
                                : image->set_bytes(i, value.bytes, diagnostics);
  }
  if (!good || !image->build(diagnostics)) return "no launch: " + first_problem({}, diagnostics);
  const auto bytes = image->memory();
  if (!memory.map(block, {bytes.begin(), bytes.end()}, "argument block") || !map_queue(memory, queue))
    return "no place for the argument block";
  ObjectBindings bindings{.kernarg = block, .packet = block + image->block_bytes(), .queue = queue};
  // Others have no use for handles, whose values no two runtimes have in common.
  const auto is_image = [](const Argument& argument) { return std::holds_alternative<Image>(argument.kind); };
  if (std::ranges::any_of(kernel.arguments, is_image)) bindings.samplers = low ? kLowSamplers : kSamplers;
  const u64 code = low ? kLowCode : kCodeAddress;  // data sections are there too
  return finish(kernel_launch(program, index, bindings, image->local_bytes(), memory, code), trial, *trial.range.local,
                room);
}

TrialMaker trials_of(const Program& program, const Kernel& kernel, std::uint32_t seed, Values values) {
  const bool cal = kernel.argument_block() == nullptr && kernel.kernarg() == nullptr;
  // An argument block has room for an address, whereas CL1's descriptors have more than 32 bits.
  const bool low = !cal && kernel.address_bits == AddressBits::Bits32;
  return {kernel,
          cal ? std::span<const DataSegment>(program.data) : std::span<const DataSegment>(),
          entry_rsrc2(kernel.entry),
          seed,
          low ? kFirstLowBuffer : kFirstBuffer,
          values};
}

}  // namespace

std::optional<abi::LaunchImage> cal_image(const Program& program, const Kernel& kernel, const Trial& trial,
                                          const std::function<u64(u64)>& split, Diagnostics& diagnostics) {
  auto image = abi::LaunchImage::create(kernel, diagnostics, {}, program.data);
  if (!image || !image->set_range(trial.range, diagnostics)) return std::nullopt;
  // No size: a descriptor would hide accesses behind the buffer's end, which the new side has nothing to stop.
  const auto buffer = [&](u64 address) { return abi::Buffer{address, split(address), 0}; };
  for (std::size_t i = 0; i < trial.values.size(); ++i) {
    const Trial::Value& value = trial.values[i];
    bool good = true;
    if (value.image)
      good = image->set_image(i, *value.image, diagnostics);
    else if (value.sampler)
      good = image->set_sampler(i, *value.sampler, diagnostics);
    else if (value.address != 0)
      good = image->set_buffer(i, buffer(value.address), diagnostics);
    else if (value.local != 0)
      good = image->set_local(i, value.local, diagnostics);
    else
      good = image->set_bytes(i, value.bytes, diagnostics);
    if (!good) return std::nullopt;
  }
  if (trial.data != 0 && !image->set_data_segment(buffer(trial.data), diagnostics)) return std::nullopt;
  if (trial.printf != 0 &&
      !image->set_printf(abi::PrintfBuffer{trial.printf, split(trial.printf), trial.printf_dwords, 0}, diagnostics))
    return std::nullopt;
  for (const auto& [number, address] : trial.constants)
    if (!image->set_constant_data(number, {address, address, 0}, diagnostics)) return std::nullopt;
  if (!image->build(diagnostics)) return std::nullopt;
  return image;
}

std::string run_kernarg(const Kernel& kernel, const Kernel& lowered, const Trial& trial, const Room& room,
                        const std::function<Result<Launch>(const ObjectBindings&, u64 lds_bytes)>& start) {
  Memory& memory = room.memory;
  // The pattern between arguments shows code that reads it.
  constexpr std::byte kPattern{0xa5};
  Diagnostics diagnostics;
  auto image = abi::KernargImage::create(lowered, diagnostics, {.fill = kPattern});
  if (!image) return first_problem({}, diagnostics);
  abi::KernargEnvironment environment;
  environment.memory = kKernargAddress;
  environment.printf_buffer = trial.printf;
  environment.queue = kQueue;
  environment.local_aperture = kLocalAperture;
  environment.scratch_aperture = kScratchAperture;
  bool good = image->set_environment(environment, diagnostics) && image->set_range(trial.range, diagnostics);
  if (trial.printf_dwords != 0)
    good =
        good && image->set_printf(abi::PrintfBuffer{trial.printf, trial.printf, trial.printf_dwords, 0}, diagnostics);
  const std::span<const std::size_t> host = image->host_arguments();
  std::size_t next = 0;
  for (std::size_t i = 0; good && i < trial.values.size(); ++i) {
    const Argument& argument = kernel.arguments[i];
    if (std::holds_alternative<Hidden>(argument.kind)) continue;
    if (next == host.size()) return fmt::format("no place for argument {}", argument.name);
    const std::size_t index = host[next++];
    const Trial::Value& value = trial.values[i];
    if (value.image) {
      good = image->set_image(index, *value.image, diagnostics);
    } else if (value.sampler) {
      good = image->set_sampler(index, *value.sampler, diagnostics);
    } else if (value.local != 0) {
      good = image->set_local(index, value.local, diagnostics);
    } else if (!std::holds_alternative<ByValue>(lowered.arguments[index].kind)) {
      good = image->set_address(index, value.address, 0, diagnostics);
    } else {
      // The host's fourth element of a vector of three is cut off.
      const std::size_t size = lowered.arguments[index].in_kernarg()->size;
      good = image->set_bytes(index, std::span(value.bytes).first(std::min(value.bytes.size(), size)), diagnostics);
    }
  }
  if (!good || !image->build(diagnostics)) return first_problem({}, diagnostics);
  const auto segment = image->segment(), packet = image->packet(), objects = image->objects();
  const u64 objects_address = kKernargAddress + image->block_bytes() + abi::kPacketBytes;
  // Loads of several registers take the pattern along. Code that uses it gives other results than the old one, for
  // which it is zero.
  if (!memory.map(kPacket, {packet.begin(), packet.end()}, "packet") || !map_queue(memory) ||
      (!segment.empty() && !memory.map(kKernargAddress, {segment.begin(), segment.end()}, "kernarg segment")) ||
      (!objects.empty() && !memory.map(objects_address, {objects.begin(), objects.end()}, "objects")))
    return "no place for the kernarg segment";
  return finish(start({.kernarg = kKernargAddress, .packet = kPacket, .queue = kQueue}, image->local_bytes()), trial,
                *trial.range.local, room);
}

bool can_be_given(const Kernel& kernel) {
  return std::ranges::all_of(kernel.arguments,
                             [&](const Argument& argument) { return std::visit(Given{}, argument.kind); });
}

namespace {

// Code outside of a kernel's own that it calls.
void find_functions(OldCode& code, const Target& target) {
  const auto calls = [](const gcn::Instruction& i) { return gcn::flow(i.opcode) == gcn::Flow::Call; };
  gcn::Reachable reachable(code.bytes, target);
  const std::vector<gcn::Instruction> all = reachable.from(code.begin);
  if (std::ranges::none_of(all, calls)) return;
  for (const gcn::Instruction& i : all) {
    const u32 end = i.offset + 4u * i.dwords;
    if ((i.offset >= code.begin && i.offset < code.end) || end > code.bytes.size()) continue;
    if (!code.functions.empty() && code.functions.back().second == i.offset)
      code.functions.back().second = end;
    else
      code.functions.emplace_back(i.offset, end);
  }
}

}  // namespace

std::optional<OldCode> old_code(const Program& program, const Kernel& kernel) {
  if (!kernel.code) return std::nullopt;
  if (kernel.argument_block() == nullptr && kernel.kernarg() == nullptr)
    return OldCode{kernel_code(program, kernel), 0, static_cast<u32>(kernel_code(program, kernel).size())};
  if (kernel.code->section >= program.code.sections.size()) return std::nullopt;
  const CodePlace& place = *kernel.code;
  const std::span<const std::byte> bytes(program.code.sections[place.section].bytes);
  const u64 end = std::min<u64>(bytes.size(), place.offset + std::min<u64>(place.size, bytes.size()));
  const u64 begin = std::min<u64>(place.offset, end);
  OldCode out{bytes, static_cast<u32>(begin), static_cast<u32>(end)};
  if (program.target != nullptr && gcn::generation_of(*program.target)) find_functions(out, *program.target);
  return out;
}

TrialMaker trials_of_source(const Program& program, const Kernel& kernel, std::uint32_t seed) {
  return trials_of(program, kernel, seed, Values::Fitting);
}
TrialMaker trials_of_code(const Program& program, const Kernel& kernel, std::uint32_t seed) {
  return trials_of(program, kernel, seed, Values::Any);
}

std::string run_old(const Program& program, std::size_t kernel, const Trial& trial, const Room& room) {
  const Kernel& what = program.kernels[kernel];
  if (what.argument_block() != nullptr) return run_cl2(program, kernel, trial, room);
  if (what.kernarg() == nullptr) return run_cal(program, kernel, trial, room);
  return run_kernarg(what, what, trial, room, [&](const ObjectBindings& bindings, u64 lds_bytes) {
    return kernel_launch(program, kernel, bindings, lds_bytes, room.memory, kCodeAddress);
  });
}

std::optional<Race> race_of_old(const Program& program, std::size_t kernel, const Trial& trial, Budget& budget,
                                bool keep_denormals, const std::function<bool(const Race&)>& counts) {
  Memory memory = memory_of(trial);
  Report report;
  static_cast<void>(run_old(program, kernel, trial,
                            {.budget = budget,
                             .memory = memory,
                             .report = report,
                             .keep_denormals = keep_denormals,
                             .questions = {.races = true}}));
  const auto found = std::ranges::find_if(report.races, counts);
  return found == report.races.end() ? std::nullopt : std::optional(*found);
}

std::string race_text(const Race& race) {
  return fmt::format("{} race for {}: +0x{:x} stores over what +0x{:x} accesses",
                     race.between == Race::Between::Groups ? "work-groups" : "work-items",
                     race.lds ? "local memory" : "a buffer", race.stores ? race.offset : race.other,
                     race.stores ? race.other : race.offset);
}

const hsa::MetadataKernel* metadata_of(const hsa::Metadata& metadata, std::string_view name, std::size_t index) {
  const auto& kernels = metadata.kernels;
  if (index < kernels.size() && kernels[index].name == name) return &kernels[index];
  const auto found = std::ranges::find_if(kernels, [&](const hsa::MetadataKernel& k) { return k.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

std::optional<std::size_t> code_of(const hsa::CodeObject& object, const hsa::MetadataKernel* metadata) {
  if (metadata == nullptr) return std::nullopt;
  std::string_view symbol = metadata->symbol ? std::string_view(*metadata->symbol) : std::string_view(*metadata->name);
  if (symbol.ends_with(".kd")) symbol.remove_suffix(3);
  const auto index = static_cast<std::size_t>(metadata - object.metadata.kernels.data());
  if (index < object.kernels.size() && object.kernels[index].name == symbol) return index;
  const auto found = std::ranges::find(object.kernels, symbol, &hsa::CodeKernel::name);
  if (found == object.kernels.end()) return std::nullopt;
  return static_cast<std::size_t>(found - object.kernels.begin());
}

}  // namespace amdcompat::emulate
