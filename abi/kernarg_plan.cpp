// The plan of a kernarg segment: where each argument stands and who fills it.
#include <bit>

#include <fmt/format.h>

#include <amdcompat/device.hpp>

#include "kernarg_impl.hpp"

namespace amdcompat::abi {
namespace {

constexpr std::uint32_t kMostAlign = 4096;         // a page; larger ones are no alignment of a segment
constexpr std::uint32_t kDefaultGroup = 1024;      // work-items, where the metadata has no limit [S1]
constexpr std::uint32_t kMostLocal = 65'536;         // bytes, of a target that is not known
constexpr std::uint32_t kMostPointeeAlign = 65'536;  // all of local memory

}  // namespace

class KernargImage::Impl::Planner : PlannerCore<Impl> {
 public:
  using PlannerCore::PlannerCore;

  bool run() {
    const KernargLaunch* const launch = kernel_.kernarg();
    if (launch == nullptr)
      return refuse(Code::LaunchOtherAbi, fmt::format("kernel '{}' has no kernarg segment", kernel_.name));
    if (!kernel_.complete) return refuse_incomplete();
    if (!launch->arguments_known)
      return refuse(Code::LaunchKernelIncomplete,
                    fmt::format("the file does not say what arguments kernel '{}' takes", kernel_.name));
    if (launch->bytes > out_.options_.max_segment_bytes)
      return refuse(Code::LaunchBlockBroken,
                    fmt::format("the kernarg segment of kernel '{}' has {} bytes; the limit is {}", kernel_.name,
                                launch->bytes, out_.options_.max_segment_bytes));
    out_.segment_bytes_ = static_cast<std::uint32_t>(launch->bytes);
    out_.block_bytes_ = static_cast<std::uint32_t>(align_up(launch->bytes, 16));
    const bool usable = std::has_single_bit(launch->align) && launch->align <= kMostAlign;
    out_.memory_align_ = std::max(usable ? static_cast<std::uint32_t>(launch->align) : 16u, 16u);
    for (std::size_t i = 0; i < kernel_.arguments.size(); ++i)
      if (!add(i)) return false;
    if (!check_overlaps()) return false;
    out_.count_slots();
    const RangeRules rules = range_rules(kernel_, 0);
    out_.group_fixed_ = rules.group_fixed;
    out_.max_group_ =
        !rules.group_fixed && kernel_.limits.max_group_size.value_or(0) == 0 ? kDefaultGroup : rules.max_group;
    std::vector<std::byte> memory(place_objects());
    std::fill_n(memory.begin(), out_.segment_bytes_, out_.options_.fill);
    out_.memory_.start(std::move(memory));
    const Target* const target = find_target(kernel_.device);
    out_.max_local_bytes_ =
        out_.options_.max_local_bytes.value_or(target == nullptr ? kMostLocal : local_memory_bytes(*target));
    if (target != nullptr && target->generation) out_.image_form_ = image_form(*target->generation);
    out_.packet_.header = out_.options_.packet_header;
    out_.packet_.private_bytes = std::min(kernel_.segments.private_bytes(), kMost32);
    return make_cb0();
  }

 private:
  struct FormOf {
    Form operator()(const ByValue&) const { return Form::Value; }
    Form operator()(const LocalPointer&) const { return Form::LocalPointer; }
    Form operator()(const amdcompat::Image&) const { return Form::Image; }
    Form operator()(const amdcompat::Sampler&) const { return Form::Sampler; }
    Form operator()(const Hidden&) const { return Form::Hidden; }
    template <class Other>
    Form operator()(const Other&) const {
      return Form::Address;
    }
  };

  bool add(std::size_t index) {
    const Argument& argument = kernel_.arguments[index];
    const KernargSlot* const place = argument.in_kernarg();
    if (find_kernarg_argument_rule(argument) == nullptr || place == nullptr)
      return refuse(index, Code::LaunchArgumentUnsupported,
                    fmt::format("argument '{}' of kernel '{}' is of a kind that code objects cannot have",
                                argument.name, kernel_.name));
    if (place->offset > out_.segment_bytes_ || place->size > out_.segment_bytes_ - place->offset)
      return refuse(index, Code::LaunchBlockBroken,
                    fmt::format("argument '{}' has {} bytes from {} on, of a kernarg segment of {} bytes",
                                argument.name, place->size, place->offset, out_.segment_bytes_));
    Slot& slot = out_.slots_.emplace_back();
    slot.offset = static_cast<std::uint32_t>(place->offset);
    slot.size = static_cast<std::uint32_t>(place->size);
    slot.form = std::visit(FormOf{}, argument.kind);
    // Of buffers the metadata seldom says it; what it says of local memory decides where that lies.
    if (const auto* local = std::get_if<LocalPointer>(&argument.kind))
      slot.align = std::min(std::has_single_bit(local->align) ? local->align : 1u, kMostPointeeAlign);
    const bool own = slot.form == Form::Value || slot.form == Form::Address;
    if (const auto trailing = own ? trailing_argument(argument.name) : std::nullopt) {
      slot.form = Form::Trailing;
      slot.trailing = *trailing;
      slot.state = ValueState::Set;
      out_.has_trailing_ = true;
      if (const auto bits = cb0_bits(argument.type_name)) out_.old_bits_ = *bits;
      if (trailing->kind == TrailingKind::ConstantBuffer0 && (!cb0_bits(argument.type_name) || slot.size != kCb0Bytes))
        return refuse(index, Code::InPlaceKernarg,
                      fmt::format("argument '{}' does not say which constant buffer 0 it is", argument.name));
    }
    if (slot.form == Form::Hidden) return true;
    if (slot.form != Form::Trailing) out_.required_ = out_.host_.size() + 1;
    out_.host_.push_back(index);
    return true;
  }

  // Bytes of memory with the objects.
  std::size_t place_objects() {
    std::size_t at = std::size_t{out_.block_bytes_} + kPacketBytes;
    for (Slot& slot : out_.slots_) {
      if (slot.form != Form::Image && slot.form != Form::Sampler) continue;
      slot.object = static_cast<std::uint32_t>(at);
      at += slot.form == Form::Image ? kImageObjectBytes : kSamplerObjectBytes;
    }
    return at;
  }

  bool check_overlaps() {
    std::vector<std::size_t> order(out_.slots_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return out_.slots_[i].offset; });
    for (std::size_t i = 1; i < order.size(); ++i) {
      const Slot &before = out_.slots_[order[i - 1]], &slot = out_.slots_[order[i]];
      if (slot.size != 0 && slot.offset < before.offset + before.size)
        return refuse(order[i], Code::LaunchBlockBroken,
                      fmt::format("argument '{}' at {} shares bytes with '{}'", kernel_.arguments[order[i]].name,
                                  slot.offset, kernel_.arguments[order[i - 1]].name));
    }
    return true;
  }

  // The old constant buffer 0 is what a CL1 kernel without arguments would read.
  bool make_cb0() {
    const auto wanted = [](const Slot& slot) {
      return slot.form == Form::Trailing && slot.trailing.kind == TrailingKind::ConstantBuffer0;
    };
    if (std::ranges::none_of(out_.slots_, wanted)) return true;
    Kernel old;
    old.name = kernel_.name;
    old.where = kernel_.where;
    old.address_bits = out_.old_bits_;
    old.limits.max_group_size = static_cast<std::uint32_t>(kMost32);  // the range was checked before
    std::optional<LaunchImage> image = LaunchImage::create(old, diagnostics_);
    if (!image) return false;
    out_.cb0_.emplace(std::move(*image));
    return true;
  }
};

std::optional<KernargImage> KernargImage::create(const Kernel& kernel, Diagnostics& diagnostics,
                                                 const KernargOptions& options) {
  auto impl = std::make_unique<Impl>(kernel, options);
  if (!Impl::Planner(*impl, diagnostics).run()) return std::nullopt;
  return KernargImage(std::move(impl));
}

}  // namespace amdcompat::abi
