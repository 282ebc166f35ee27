// A kernel whose arguments are in one block, before and after a conversion to another code object version.
#include <algorithm>
#include <cstring>
#include <functional>

#include <fmt/format.h>

#include <amdcompat/cl2_launch.hpp>
#include <amdcompat/kernarg_launch.hpp>

#include "judge.hpp"

namespace amdcompat::emulate {
namespace {

constexpr u64 kKernarg = 0x7d00'0000'0000;
constexpr u64 kPacket = 0x7d01'0000'0000;
constexpr u64 kQueue = 0x7d02'0000'0000;
constexpr u64 kKernelObject = 0x7d03'0000'0000;  // nothing is there: code has no use for it
constexpr u64 kCode = 0x7f00'0000'0000;
// Upper halves of addresses at which nothing is: local and scratch memory are not reached by FLAT instructions here.
constexpr u32 kLocalAperture = 0x7b00, kScratchAperture = 0x7b01;

// The kernel of that name, which is likely to be at `index`; null: there is none.
const hsa::MetadataKernel* named(const hsa::Metadata& metadata, std::string_view name, std::size_t index) {
  const auto& kernels = metadata.kernels;
  if (index < kernels.size() && kernels[index].name == name) return &kernels[index];
  const auto found = std::ranges::find_if(kernels, [&](const hsa::MetadataKernel& k) { return k.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

class ObjectProver {
 public:
  ObjectProver(const Program& program, std::size_t kernel, const hsa::CodeObject& after, const ProofOptions& options)
      : program_(program), kernel_(program.kernels[kernel]), index_(kernel), after_(after), options_(options),
        new_metadata_(named(after.metadata, kernel_.name, kernel)) {}

  Proof prove() {
    const std::optional<std::size_t> code = code_of(after_, new_metadata_);
    if (!code) return not_executed("only one of the files has it");
    new_index_ = *code;
    const std::optional<gcn::Generation> gfx = after_.target == nullptr ? std::nullopt : runnable(*after_.target);
    const MachineCode& old_code = program_.code;
    const std::optional<CodePlace>& place = kernel_.code;
    if (!gfx) return not_executed("code of this target is not executed here");
    if (!place || place->section >= old_code.sections.size()) return not_executed("no machine code in the old file");
    const auto cannot_be_given = [](const Argument& argument) { return !std::visit(Given{}, argument.kind); };
    if (std::ranges::any_of(kernel_.arguments, cannot_be_given))
      return not_executed("it takes an image, a sampler, a queue, a pipe or a counter");
    // Code and data at the same addresses on both sides: pointers to them are then equal.
    const CodePlace& after = after_.kernels[new_index_].code;
    if (after.section >= after_.code.sections.size()) return not_executed("the new code lies in no section");
    new_base_ = kCode + old_code.sections[place->section].address + place->offset -
                after_.code.sections[after.section].address - after.offset;
    const std::span<const std::byte> bytes(old_code.sections[place->section].bytes);
    const u64 end = std::min<u64>(bytes.size(), place->offset + std::min<u64>(place->size, bytes.size()));
    const Kernel lowered = hsa::to_kernel(*new_metadata_, after_.version);
    return judge(
        TrialMaker(kernel_, {}, entry_rsrc2(kernel_.entry), options_.seed), options_, bytes.first(end),
        static_cast<u32>(std::min<u64>(place->offset, ~u32{0})), *gfx,
        [&](const Trial& trial, Memory& memory, Report& report, Budget& budget) {
          const Room room{budget, memory, report};
          if (kernel_.kernarg() == nullptr) return run_cl2(trial, room);
          return run(kernel_, trial, room, [&](const ObjectBindings& bindings, u64 lds_bytes) {
            return kernel_launch(program_, index_, bindings, lds_bytes, memory, kCode);
          });
        },
        [&](const Trial& trial, const Memory& old_memory, Budget& budget) {
          Memory memory = memory_of(trial);
          Report report;
          const std::string problem =
              run(lowered, trial, {budget, memory, report}, [&](const ObjectBindings& bindings, u64 lds_bytes) {
                return object_launch(after_, new_index_, bindings, lds_bytes, memory, new_base_);
              });
          if (!problem.empty()) return "the new code " + problem;
          if (report.out_of_range != 0) return std::string("the new code reads past what a descriptor can reach");
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

  static std::optional<std::size_t> code_of(const hsa::CodeObject& object, const hsa::MetadataKernel* metadata) {
    if (metadata == nullptr) return std::nullopt;
    std::string_view symbol =
        metadata->symbol ? std::string_view(*metadata->symbol) : std::string_view(*metadata->name);
    if (symbol.ends_with(".kd")) symbol.remove_suffix(3);
    const auto index = static_cast<std::size_t>(metadata - object.metadata.kernels.data());
    if (index < object.kernels.size() && object.kernels[index].name == symbol) return index;
    const auto found = std::ranges::find(object.kernels, symbol, &hsa::CodeKernel::name);
    if (found == object.kernels.end()) return std::nullopt;
    return static_cast<std::size_t>(found - object.kernels.begin());
  }

  static bool map_queue(Memory& memory) {
    std::vector<std::byte> queue(abi::kQueueBytes);
    std::memcpy(queue.data() + 64, &kLocalAperture, 4);
    std::memcpy(queue.data() + 68, &kScratchAperture, 4);
    return memory.map(kQueue, std::move(queue), "queue");
  }

  // What a run has, and where it leaves what it did.
  struct Room {
    Budget& budget;
    Memory& memory;
    Report& report;
  };

  // Empty when the run ended clean, else what was wrong.
  static std::string finish(Result<Launch> launch, const Trial& trial, const Room& room) {
    if (!launch) return sentence(launch.error());
    return run_trial(*std::move(launch), trial, *trial.range.local, room.budget, room.memory, room.report);
  }

  std::string run_cl2(const Trial& trial, const Room& room) const {
    Memory& memory = room.memory;
    Diagnostics diagnostics;
    auto image = abi::Cl2LaunchImage::create(kernel_, diagnostics);
    if (!image) return "no launch: " + first_problem({}, diagnostics);
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
    const ObjectBindings bindings{.kernarg = kKernarg, .packet = kKernarg + image->block_bytes(), .queue = kQueue};
    return finish(kernel_launch(program_, index_, bindings, image->local_bytes(), memory, kCode), trial, room);
  }

  // With a kernarg segment that only the arguments of `lowered` fill; `start` gives the launch.
  std::string run(const Kernel& lowered, const Trial& trial, const Room& room,
                  const std::function<Result<Launch>(const ObjectBindings&, u64 lds_bytes)>& start) const {
    Memory& memory = room.memory;
    // The pattern between arguments shows code that reads it.
    constexpr std::byte kPattern{0xa5};
    Diagnostics diagnostics;
    auto image = abi::KernargImage::create(lowered, diagnostics, {.fill = kPattern});
    if (!image) return first_problem({}, diagnostics);
    abi::KernargEnvironment environment;
    environment.memory = kKernarg;
    environment.printf_buffer = trial.printf;
    environment.queue = kQueue;
    bool good = image->set_environment(environment, diagnostics) && image->set_range(trial.range, diagnostics);
    const std::span<const std::size_t> host = image->host_arguments();
    std::size_t next = 0;
    for (std::size_t i = 0; good && i < trial.values.size(); ++i) {
      const Argument& argument = kernel_.arguments[i];
      if (std::holds_alternative<Hidden>(argument.kind)) continue;
      if (next == host.size()) return fmt::format("no place for argument {}", argument.name);
      const std::size_t index = host[next++];
      const Trial::Value& value = trial.values[i];
      if (value.local != 0) {
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
    const auto segment = image->segment(), packet = image->packet();
    // Loads of several registers take the pattern along. Code that uses it gives other results than the old one, for
    // which it is zero.
    if (!memory.map(kPacket, {packet.begin(), packet.end()}, "packet") || !map_queue(memory) ||
        (!segment.empty() && !memory.map(kKernarg, {segment.begin(), segment.end()}, "kernarg segment")))
      return "no place for the kernarg segment";
    return finish(start({.kernarg = kKernarg, .packet = kPacket, .queue = kQueue}, image->local_bytes()), trial, room);
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
  const Kernel& kernel_;
  std::size_t index_;
  const hsa::CodeObject& after_;
  const ProofOptions& options_;
  const hsa::MetadataKernel* new_metadata_;
  std::size_t new_index_ = 0;
  u64 new_base_ = kCode;
};

}  // namespace

Proof prove_object(const Program& program, std::size_t kernel, const hsa::CodeObject& after,
                   const ProofOptions& options) {
  return ObjectProver(program, kernel, after, options).prove();
}

}  // namespace amdcompat::emulate
