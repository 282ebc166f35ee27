// The plan of a CL2 launch: what stands where in its memory.
#include <bit>

#include <fmt/format.h>

#include <amdcompat/device.hpp>

#include "cl2_impl.hpp"

namespace amdcompat::abi {
namespace {

constexpr std::uint32_t kObjectAlign = 16;  // [RT HsaImageObjectAlignment, HsaSamplerObjectAlignment]
constexpr std::uint32_t kQueueAlign = 64;  // bytes
constexpr std::uint32_t kMostObjectAlign = 128;  // of a double16 in a struct

}  // namespace

class Cl2LaunchImage::Impl::Planner : PlannerCore<Impl> {
 public:
  using PlannerCore::PlannerCore;

  bool run() {
    const ArgumentBlockLaunch* const facts = kernel_.argument_block();
    if (facts == nullptr)
      return refuse(Code::LaunchOtherAbi, fmt::format("kernel '{}' has no OpenCL 2.0 argument block", kernel_.name));
    if (!kernel_.complete) return refuse_incomplete();
    out_.hidden_.fill(kNoSlot);
    // Compilers reserve what the arguments take; assemblers reserved more. [BIN]
    std::uint64_t block = facts->argument_bytes;
    if (const KernelCode* const setup = setup_of(kernel_)) block = std::max(block, setup->kernarg_bytes);
    if (block > out_.options_.max_block_bytes)
      return refuse(Code::LaunchBlockBroken,
                    fmt::format("the argument block of kernel '{}' has {} bytes; the limit is {}", kernel_.name, block,
                                out_.options_.max_block_bytes));
    out_.block_bytes_ = static_cast<std::uint32_t>(align_up(block, 16));
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < kernel_.arguments.size(); ++i)
      if (!add(i, end)) return false;
    out_.first_argument_ = std::min<std::size_t>(facts->hidden_arguments, kernel_.arguments.size());
    if (!place_objects()) return false;
    const RangeRules rules = range_rules(kernel_, 0);
    out_.max_group_ = rules.max_group;
    out_.group_fixed_ = rules.group_fixed;
    const Device* const device = find_device(kernel_.device);
    out_.gfx9_ = device != nullptr && device->isa == Isa::Gcn1_4;
    out_.count_slots();
    out_.packet_.header = out_.options_.packet_header;
    out_.packet_.private_bytes = std::min(kernel_.segments.private_bytes(), kMost32);
    return true;
  }

 private:
  struct FormOf {
    Form operator()(const ByValue& v) const {
      return v.type == ScalarType::Struct || v.type == ScalarType::Union ? Form::Struct : Form::Value;
    }
    Form operator()(const LocalPointer&) const { return Form::LocalPointer; }
    Form operator()(const amdcompat::Image&) const { return Form::Image; }
    Form operator()(const amdcompat::Sampler&) const { return Form::Sampler; }
    Form operator()(const Hidden&) const { return Form::Hidden; }
    template <class Other>
    Form operator()(const Other&) const {
      return Form::Address;
    }
  };
  struct AlignOf {
    std::uint32_t operator()(const Pipe& pipe) const { return usable_alignment(pipe.align); }
    std::uint32_t operator()(const amdcompat::Image&) const { return kObjectAlign; }
    std::uint32_t operator()(const amdcompat::Sampler&) const { return kObjectAlign; }
    template <class Other>
    std::uint32_t operator()(const Other& other) const {
      if constexpr (std::is_base_of_v<PointerInfo, Other>) return usable_alignment(other.align);
      return 1;
    }
  };

  bool add(std::size_t index, std::uint64_t& end) {
    const Argument& argument = kernel_.arguments[index];
    const ArgumentBlockSlot* const found = argument.in_block();
    if (find_cl2_argument_rule(argument) == nullptr || found == nullptr || found->align == 0)
      return refuse(index, Code::LaunchArgumentUnsupported,
                    fmt::format("argument '{}' of kernel '{}' is of a kind that CL2 kernels cannot have", argument.name,
                                kernel_.name));
    const ArgumentBlockSlot& place = *found;
    if (place.offset < end || place.size > out_.block_bytes_ || place.offset > out_.block_bytes_ - place.size)
      return refuse(index, Code::LaunchBlockBroken,
                    fmt::format("argument '{}' has bytes {} to {} of an argument block of {} bytes, and the one before "
                                "ends at {}",
                                argument.name, place.offset, place.offset + place.size, out_.block_bytes_, end));
    end = place.offset + place.size;
    Slot& slot = out_.slots_.emplace_back();
    slot.form = std::visit(FormOf{}, argument.kind);
    slot.offset = static_cast<std::uint32_t>(place.offset);
    slot.size = static_cast<std::uint32_t>(place.size);
    slot.align = std::visit(AlignOf{}, argument.kind);
    // What a hidden argument of a compiler unknown here gets is 0, as from AMD's runtime. [RT2 HIDDEN_NONE]
    if (index < kernel_.argument_block()->hidden_arguments) slot.form = Form::Hidden;
    if (const auto* hidden = std::get_if<Hidden>(&argument.kind))
      out_.hidden_[static_cast<std::size_t>(hidden->what)] = static_cast<std::uint32_t>(index);
    if (const auto* value = std::get_if<ByValue>(&argument.kind)) {
      // A half takes four bytes and nobody knows which two count: the host gives all of them.
      const std::optional<std::uint32_t> bytes =
          value->type == ScalarType::Half ? std::optional(slot.size) : host_bytes(*value);
      if (!bytes || (slot.form == Form::Value && slot.size > *bytes))
        return refuse(index, Code::LaunchBlockBroken,
                      fmt::format("argument '{}' has {} bytes in the argument block, more than its type", argument.name,
                                  slot.size));
      slot.host = *bytes;
    }
    return true;
  }

  bool place_objects() {
    std::uint64_t at = std::uint64_t{out_.block_bytes_} + kPacketBytes;
    std::uint32_t most = kObjectAlign;
    const auto place = [&](std::uint64_t bytes, std::uint32_t align) {
      at = align_up(at, align);
      most = std::max(most, align);
      return static_cast<std::uint32_t>(std::min(std::exchange(at, at + bytes), kMost32));
    };
    for (std::size_t i = 0; i < out_.slots_.size(); ++i) {
      Slot& slot = out_.slots_[i];
      if (slot.form == Form::Struct) {
        // The metadata does not give a struct's alignment, but that divides its size.
        const auto low = static_cast<std::uint32_t>(std::uint64_t{1} << std::countr_zero(slot.host));
        slot.object = place(slot.host, std::clamp(low, kObjectAlign, kMostObjectAlign));
      } else if (slot.form == Form::Image) {
        slot.object = place(kImageObjectBytes, kObjectAlign);
      } else if (slot.form == Form::Sampler) {
        slot.object = place(kSamplerObjectBytes, kObjectAlign);
      }
      if (at > out_.options_.max_memory_bytes)
        return refuse(i, Code::LaunchBlockBroken,
                      fmt::format("the arguments of kernel '{}' take more than {} bytes together", kernel_.name,
                                  out_.options_.max_memory_bytes));
    }
    const KernelCode* const setup = setup_of(kernel_);
    const bool wants_queue = setup && (setup->user_registers & kSgprQueuePtr) != 0;
    if (wants_queue) out_.queue_ = place(kQueueBytes, kQueueAlign);
    out_.memory_.start(std::vector<std::byte>(align_up(at, 16)));
    if (setup) {
      // A logarithm in theory; 2^8 is what AMD's runtime aligned its buffers to.
      const std::uint8_t align = setup->kernarg_align;
      if (align <= 8) most = std::max(most, 1u << align);
    }
    out_.memory_align_ = most;
    return true;
  }
};

std::optional<Cl2LaunchImage> Cl2LaunchImage::create(const Kernel& kernel, Diagnostics& diagnostics,
                                                     const Cl2LaunchOptions& options) {
  auto impl = std::make_unique<Impl>(kernel, options);
  if (!Impl::Planner(*impl, diagnostics).run()) return std::nullopt;
  return Cl2LaunchImage(std::move(impl));
}

}  // namespace amdcompat::abi
