// The plan of a launch image: where every argument goes, which share bytes, and what there is to bind.
#include <bit>
#include <compare>
#include <map>
#include <type_traits>

#include <fmt/format.h>

#include "launch_impl.hpp"
#include "slots.hpp"

namespace amdcompat::abi {
namespace {

constexpr std::uint32_t kMostBuffers = 16;  // cb0 to cb15 in AMDIL

bool is_64_bit_vec3(const Argument& argument) {
  const auto* value = std::get_if<ByValue>(&argument.kind);
  return value != nullptr && value->elements == 3 && lane_bytes(value->type) == 8;
}

}  // namespace

class LaunchImage::Impl::Planner : PlannerCore<Impl> {
 public:
  Planner(Impl& out, Diagnostics& diagnostics) : PlannerCore(out, diagnostics), ids_(resource_ids(kernel_)) {}

  bool run(std::span<const DataSegment> data) {
    if (kernel_.constant_buffers() == nullptr)
      return refuse(
          Code::LaunchOtherAbi,
          fmt::format("kernel '{}' reads {}, not constant buffers", kernel_.name,
                      kernel_.argument_block() != nullptr ? "an OpenCL 2.0 argument block" : "a kernarg segment"));
    if (!kernel_.complete) return refuse_incomplete();
    for (std::size_t i = 0; i < kernel_.arguments.size(); ++i)
      if (!add(i)) return false;
    if (!check_kept()) return false;
    size_images();
    find_overlaps();
    out_.count_slots();
    add_bindings(data);
    choose_rows();
    const RangeRules rules = range_rules(kernel_, kSpace32);
    out_.max_group_ = rules.max_group;
    out_.group_fixed_ = rules.group_fixed;
    out_.dirty_.reserve(out_.slots_.size());
    return true;
  }

 private:
  static Form form_of(const Argument& argument) {
    struct Visitor {
      Form operator()(const ByValue&) const { return Form::Value; }
      Form operator()(const GlobalPointer&) const { return Form::Pointer; }
      Form operator()(const ConstantPointer& p) const {
        return p.memory == MemoryKind::HardwareConstant ? Form::ConstantPointer : Form::Pointer;
      }
      Form operator()(const LocalPointer& p) const {
        return p.memory == MemoryKind::HardwareLocal ? Form::LocalPointer : Form::Nothing;
      }
      Form operator()(const RegionPointer&) const { return Form::Nothing; }
      Form operator()(const PrivatePointer&) const { return Form::Nothing; }
      Form operator()(const amdcompat::Image&) const { return Form::Image; }
      Form operator()(const amdcompat::Sampler&) const { return Form::Sampler; }
      Form operator()(const Counter&) const { return Form::Handle; }
      Form operator()(const Semaphore&) const { return Form::Handle; }
      Form operator()(const Queue&) const { return Form::Nothing; }
      Form operator()(const Pipe&) const { return Form::Nothing; }
      Form operator()(const Hidden&) const { return Form::Nothing; }
    };
    return std::visit(Visitor{}, argument.kind);
  }

  std::uint32_t image_of(std::uint32_t number) {
    const auto found = std::ranges::find(out_.images_, number, &Image::number);
    if (found != out_.images_.end()) return static_cast<std::uint32_t>(found - out_.images_.begin());
    out_.images_.push_back({number, {}});
    return static_cast<std::uint32_t>(out_.images_.size() - 1);
  }

  bool add(std::size_t index) {
    const Argument& argument = kernel_.arguments[index];
    const ConstantBufferSlot* const place = argument.in_constant_buffer();
    if (find_argument_rule(argument) == nullptr || place == nullptr)
      return refuse(index, Code::LaunchArgumentUnsupported,
                    fmt::format("argument '{}' of kernel '{}' is of a kind that CL1 kernels cannot have", argument.name,
                                kernel_.name));
    if (place->buffer == 0 || place->buffer >= kMostBuffers)
      return refuse(index, Code::LaunchBufferNumber,
                    fmt::format("argument '{}' is in constant buffer {}; expected 1 to {}", argument.name,
                                place->buffer, kMostBuffers - 1));
    if (place->offset % kSlot != 0)
      out_.report_argument(
          index, Code::LaunchSlotUnaligned,
          fmt::format("argument '{}' is at {}, which is no multiple of 16", argument.name, place->offset),
          diagnostics_);
    Slot& slot = out_.slots_.emplace_back();
    slot.form = form_of(argument);
    slot.image = image_of(place->buffer);
    slot.offset = place->offset;
    slot.reserved = slot_bytes(argument);
    const std::uint32_t word = kernel_.address_bits == AddressBits::Bits64 ? 8 : 4;
    switch (slot.form) {
      case Form::Value: {
        const auto& value = std::get<ByValue>(argument.kind);
        slot.host = *host_bytes(value);
        slot.copied = slot.host;
        if (out_.options_.arguments == ArgumentProfile::Safe && is_64_bit_vec3(argument)) slot.copied = 24;
        const std::uint32_t lane = lane_bytes(value.type);
        slot.spread = lane != 0 && lane < 4 && value.elements > 4;
        slot.align = lane;
        break;
      }
      case Form::Pointer:
      case Form::ConstantPointer:
        slot.host = slot.copied = word;
        slot.align = pointer_align(argument);
        break;
      case Form::LocalPointer:
        slot.host = slot.copied = 4;
        slot.align = pointer_align(argument);
        break;
      case Form::Image: slot.host = slot.copied = 32; break;
      case Form::Sampler: slot.host = slot.copied = 4; break;
      case Form::Handle:
      case Form::Nothing: break;
    }
    slot.extent = extent(slot);
    if (std::uint64_t{slot.offset} + std::max(slot.extent, slot.reserved) > out_.options_.max_constant_buffer)
      return refuse(index, Code::LaunchBufferTooLarge,
                    fmt::format("argument '{}' ends at byte {} of constant buffer {}; the limit is {}", argument.name,
                                std::uint64_t{slot.offset} + std::max(slot.extent, slot.reserved), place->buffer,
                                out_.options_.max_constant_buffer));
    slot.kept = static_cast<std::uint32_t>(std::min(kept_, kMost32));  // check_kept refuses more
    kept_ += slot.host;
    return true;
  }

  static std::uint32_t pointer_align(const Argument& argument) {
    return std::visit(
        [](const auto& kind) -> std::uint32_t {
          if constexpr (std::is_base_of_v<PointerInfo, std::remove_cvref_t<decltype(kind)>>)
            return usable_alignment(kind.align);
          return 1;
        },
        argument.kind);
  }

  static std::uint32_t extent(const Slot& slot) {
    if (!slot.spread) return slot.copied;
    const std::uint32_t piece = 4 * slot.align;
    const std::uint32_t pieces = slot.copied / piece;
    return pieces == 0 ? 0 : (pieces - 1) * kSlot + piece;
  }

  // A limit of its own on what all arguments keep: many arguments may claim the same bytes.
  bool check_kept() {
    const std::uint64_t most = std::min(std::uint64_t{kMostBuffers} * out_.options_.max_constant_buffer, kMost32);
    std::uint64_t kept = 0;
    for (std::size_t i = 0; i < out_.slots_.size(); ++i) {
      kept += out_.slots_[i].host;
      if (kept > most)
        return refuse(i, Code::LaunchBufferTooLarge,
                      fmt::format("the arguments of kernel '{}' take more than {} bytes together", kernel_.name, most));
    }
    out_.kept_.resize(kept);
    return true;
  }

  void size_images() {
    for (const Slot& slot : out_.slots_) {
      std::vector<std::byte>& bytes = out_.images_[slot.image].bytes;
      const std::uint64_t end = align_up(std::uint64_t{slot.offset} + std::max(slot.extent, slot.reserved), kSlot);
      if (end > bytes.size()) bytes.resize(end);
    }
  }

  void find_overlaps() {
    std::vector<std::uint32_t> order(out_.slots_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {},
                             [&](std::uint32_t i) { return std::pair(out_.slots_[i].image, out_.slots_[i].offset); });
    // Where the next argument of the same buffer starts, for each.
    std::vector<std::uint32_t> next(order.size(), kNone);
    for (std::size_t i = order.size(); i-- > 1;) {
      const Slot &left = out_.slots_[order[i - 1]], &right = out_.slots_[order[i]];
      if (left.image != right.image) continue;
      next[order[i - 1]] = left.offset == right.offset ? next[order[i]] : right.offset;
    }
    for (std::uint32_t i = 0; i < out_.slots_.size(); ++i) {
      Slot& slot = out_.slots_[i];
      if (next[i] == kNone) continue;
      const std::uint32_t room = next[i] - slot.offset;
      const Argument& argument = kernel_.arguments[i];
      if (is_64_bit_vec3(argument) && room < 24)
        out_.report_argument(
            i, Code::LaunchVec3Spills,
            fmt::format("'{}' has three 64-bit elements but the next argument follows after {} bytes: {}",
                        argument.name, room,
                        out_.options_.arguments == ArgumentProfile::Amd
                            ? "its end is overwritten by that argument, as with AMD's runtime"
                            : "it is cut off there"),
            diagnostics_);
      if (slot.form != Form::Value || out_.options_.arguments == ArgumentProfile::Amd || room >= slot.extent) continue;
      slot.copied = slot.spread ? std::min(slot.copied, (room + kSlot - 1) / kSlot * 4 * slot.align)
                                : std::min(slot.copied, room);
      slot.extent = extent(slot);
    }
    std::uint64_t declared_end = 0, written_end = 0;
    std::uint32_t image = kNone, before = kNone, cluster_first = kNone;
    for (const std::uint32_t i : order) {
      Slot& slot = out_.slots_[i];
      if (slot.image != image) {
        image = slot.image;
        declared_end = written_end = 0;
      }
      if (slot.offset < declared_end)
        out_.report_argument(i, Code::LaunchArgumentsOverlap,
                             fmt::format("'{}' at {} shares bytes with '{}'", kernel_.arguments[i].name, slot.offset,
                                         kernel_.arguments[before].name),
                             diagnostics_);
      if (slot.extent != 0 && slot.offset < written_end) {
        Slot& first = out_.slots_[cluster_first];
        if (first.cluster == kNone) {
          first.cluster = static_cast<std::uint32_t>(out_.clusters_.size());
          out_.clusters_.push_back({cluster_first});
        }
        slot.cluster = first.cluster;
        out_.clusters_[slot.cluster].push_back(i);
      } else if (slot.extent != 0) {
        cluster_first = i;
      }
      const std::uint64_t declared = slot.offset + std::uint64_t{slot.reserved};
      if (declared > declared_end) {
        declared_end = declared;
        before = i;
      }
      written_end = std::max(written_end, slot.offset + std::uint64_t{slot.extent});
    }
    for (std::vector<std::uint32_t>& cluster : out_.clusters_) std::ranges::sort(cluster);  // argument order
  }

  Binding& bind(BindingKind kind, std::uint32_t slot, std::string what, std::string_view source) {
    Binding& binding = out_.bindings_.emplace_back();
    binding.kind = kind;
    binding.slot = slot;
    binding.what = std::move(what);
    binding.source = source;
    return binding;
  }

  void bind_argument(std::size_t index, BindingKind kind, std::uint32_t number, std::uint32_t stride,
                     std::string_view source) {
    out_.slots_[index].binding = static_cast<std::uint32_t>(out_.bindings_.size());
    Binding& binding = bind(kind, number, kernel_.arguments[index].name, source);
    binding.argument = index;
    binding.stride = stride;
  }

  // Pointers with one number share its descriptor: real kernels for Evergreen have all of theirs in the raw UAV.
  void bind_pointer(std::size_t index, BindingKind kind, std::uint32_t number, std::uint32_t stride,
                    std::string_view source) {
    const auto [found, alone] = pointers_.try_emplace(Place{kind, number}, index);
    if (alone) return bind_argument(index, kind, number, stride, source);
    Slot &first = out_.slots_[found->second], &slot = out_.slots_[index];
    if (first.shared == kNone) {
      first.shared = static_cast<std::uint32_t>(out_.shared_.size());
      out_.shared_.push_back({static_cast<std::uint32_t>(found->second)});
    }
    slot.shared = first.shared;
    slot.binding = first.binding;
    out_.shared_[slot.shared].push_back(static_cast<std::uint32_t>(index));
    out_.bindings_[slot.binding].what += ", " + kernel_.arguments[index].name;
  }

  void add_bindings(std::span<const DataSegment> data) {
    bind(BindingKind::ConstantBuffer, 0, "cb0", "RT; RUN").size = kCb0Bytes;
    for (const Image& image : out_.images_)
      bind(BindingKind::ConstantBuffer, image.number, fmt::format("cb{}", image.number), "RT; RUN").size =
          image.bytes.size();
    for (std::size_t i = 0; i < kernel_.arguments.size(); ++i) {
      const Argument& argument = kernel_.arguments[i];
      struct Visitor {
        Planner& plan;
        std::size_t index;
        void operator()(const ByValue&) const {}
        void operator()(const GlobalPointer& p) const {
          plan.bind_pointer(index, BindingKind::Uav, p.buffer, 0, "RUN; CLRX AmdAbi.md");
        }
        void operator()(const ConstantPointer& p) const {
          if (p.memory == MemoryKind::HardwareConstant)
            plan.bind_pointer(index, BindingKind::ConstantBuffer, p.buffer, kSlot, "RUN");
          else
            plan.bind_pointer(index, BindingKind::Uav, p.buffer, 0, "RUN; CLRX AmdAbi.md");
        }
        void operator()(const LocalPointer&) const {}
        void operator()(const RegionPointer&) const {}
        void operator()(const PrivatePointer&) const {}
        void operator()(const amdcompat::Image& image) const {
          plan.bind_argument(index, image.access == Access::ReadOnly ? BindingKind::Resource : BindingKind::Uav,
                             image.id, 0, "CLRX AmdAbi.md; RT siCreate");
        }
        void operator()(const amdcompat::Sampler& s) const {
          plan.bind_argument(index, BindingKind::Sampler, s.id, 0, "CLRX AmdAbi.md");
        }
        void operator()(const Counter& c) const {
          plan.bind_argument(index, BindingKind::Counter, c.id, 0, "RT ArgumentCounter");
        }
        void operator()(const Semaphore& s) const {
          plan.bind_argument(index, BindingKind::Semaphore, s.id, 0, "not verified");
        }
        void operator()(const Queue&) const {}
        void operator()(const Pipe&) const {}
        void operator()(const Hidden&) const {}
      };
      std::visit(Visitor{*this, i}, argument.kind);
    }
    for (const ConstantSampler& sampler : kernel_.samplers) {
      Binding& binding = bind(BindingKind::Sampler, sampler.id, sampler.name, "CLRX AmdAbi.md");
      const auto words = sampler_descriptor(sampler.value);
      std::ranges::copy(words, binding.descriptor.begin());
      binding.words = 4;
    }
    if (kernel_.uses_printf && ids_.printf) {
      out_.printf_binding_ = static_cast<std::uint32_t>(out_.bindings_.size());
      bind(BindingKind::Uav, *ids_.printf, "printf buffer", "RUN; CLRX AmdAbi.md");
    }
    for (const DataSegment& segment : data) {
      if (!segment.constant_buffer) {
        if (!kernel_.needs_data_segment || out_.wants_data_) continue;
        out_.wants_data_ = true;
        if (!ids_.constants) continue;
        out_.data_binding_ = static_cast<std::uint32_t>(out_.bindings_.size());
        bind(BindingKind::Uav, *ids_.constants, "data segment", "RUN; CLRX AmdAbi.md").size = segment.bytes.size();
      } else if (!has(BindingKind::ConstantBuffer, *segment.constant_buffer)) {
        Binding& binding = bind(BindingKind::ConstantBuffer, *segment.constant_buffer,
                                fmt::format("data segment {}", *segment.constant_buffer), "SPEC Data Segment");
        binding.size = segment.bytes.size();
        binding.stride = kSlot;
      }
    }
    if (const auto raw = effective_raw_uav(kernel_); raw && !has(BindingKind::Uav, *raw))
      bind(BindingKind::Uav, *raw, "raw UAV (global heap)", "RT initParameters; CLRX AmdAbi.md");
    if (kernel_.segments.uav_private != 0 && ids_.priv)
      bind(BindingKind::Uav, *ids_.priv, "private memory", "CLRX AmdAbi.md");
  }

  [[nodiscard]] bool has(BindingKind kind, std::uint32_t number) const {
    return std::ranges::any_of(out_.bindings_, [&](const Binding& b) { return b.kind == kind && b.slot == number; });
  }

  void choose_rows() {
    const bool bits64 = kernel_.address_bits == AddressBits::Bits64;
    const bool spec = out_.options_.profile == Profile::Spec;
    const auto fields = cb0_fields();
    out_.cb0_place_.fill(kCb0Bytes / 4);
    for (std::size_t i = 0; i < fields.size(); ++i)
      if ((bits64 ? fields[i].abi64 : fields[i].abi32) && (spec ? fields[i].spec : fields[i].amd)) {
        out_.cb0_rows_.push_back(static_cast<std::uint8_t>(i));
        if (fields[i].value == Cb0Value::Zero) continue;  // in many places, and never written
        const auto value = static_cast<std::size_t>(fields[i].value);
        out_.cb0_place_[value] = fields[i].dword;
        if (fields[i].dwords == 2) out_.cb0_wide_ |= std::uint64_t{1} << value;
      }
    const auto real = [&](Cb0Value field, float value) { out_.put(field, std::bit_cast<std::uint32_t>(value)); };
    real(Cb0Value::ConstHalf, 0.5f);
    real(Cb0Value::ConstOne, 1.0f);
    real(Cb0Value::ConstTwo, 2.0f);
  }

  const ResourceIds ids_;
  std::uint64_t kept_ = 0;
  // A class of its own: a pair of a scoped enumeration would be visible outside a library that links this one.
  struct Place {
    BindingKind kind;
    std::uint32_t number;
    auto operator<=>(const Place&) const = default;
  };
  std::map<Place, std::size_t> pointers_;  // first argument with that number
};

std::optional<LaunchImage> LaunchImage::create(const Kernel& kernel, Diagnostics& diagnostics,
                                               const LaunchOptions& options, std::span<const DataSegment> data) {
  auto impl = std::make_unique<Impl>(kernel, options);
  if (!Impl::Planner(*impl, diagnostics).run(data)) return std::nullopt;
  return LaunchImage(std::move(impl));
}

}  // namespace amdcompat::abi
