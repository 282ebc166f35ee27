// Fills CB0, CB1 and the list of bindings, and fills them again.
//
// `create` turns the metadata into a plan: for every argument where its bytes are kept, where they go and how. Setters
// check a value, compare it with what is kept, and remember the argument when it differs. `build` copies the arguments
// remembered. So a launch that changes two of seventy arguments costs two comparisons and two copies, and nothing
// is allocated after `create`.
//
// Arguments may share bytes, because AMD's compilers reserved one slot for long3 while AMD's runtime copied two, in
// argument order. Arguments that touch each other form a cluster; when one changes the whole cluster is written again
// in argument order, which gives the bytes a first build would have given.
#include <amdcompat/launch_image.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "range.hpp"
#include "slots.hpp"

namespace amdcompat::abi {
namespace {

constexpr std::uint32_t kSlot = 16;                            // bytes
constexpr std::uint32_t kMostBuffers = 16;                     // cb0 to cb15 in AMDIL
constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kIds = std::uint64_t{1} << 32;         // work-item ids are 32-bit
constexpr std::uint64_t kAddresses = std::uint64_t{1} << 48;   // base of a V#

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

template <class T>
void store(std::byte* at, T value) {
  static_assert(std::is_unsigned_v<T>);
  for (std::size_t i = 0; i < sizeof(T); ++i) at[i] = static_cast<std::byte>(value >> (8 * i));
}

bool is_64_bit_vec3(const Argument& argument) {
  const auto* value = std::get_if<ByValue>(&argument.kind);
  return value != nullptr && value->elements == 3 && lane_bytes(value->type) == 8;
}

void widen(ChangedBytes& changed, std::uint32_t begin, std::uint32_t end) {
  if (begin == end) return;
  if (changed.begin == changed.end)
    changed = {begin, end};
  else
    changed = {std::min(changed.begin, begin), std::max(changed.end, end)};
}

// OpenCL's numbers of each kind are consecutive.
bool is_one_of(std::span<const ClName> rows, std::uint32_t value) {
  return value >= rows.front().value && value <= rows.back().value;
}

// Comparing and copying with sizes known to the compiler for those that arguments have.
bool same_bytes(const std::byte* a, const std::byte* b, std::size_t size) {
  switch (size) {
    case 4: return std::memcmp(a, b, 4) == 0;
    case 8: return std::memcmp(a, b, 8) == 0;
    case 16: return std::memcmp(a, b, 16) == 0;
    case 32: return std::memcmp(a, b, 32) == 0;
    default: return std::memcmp(a, b, size) == 0;
  }
}
void copy_bytes(std::byte* to, const std::byte* from, std::size_t size) {
  switch (size) {
    case 4: std::memcpy(to, from, 4); break;
    case 8: std::memcpy(to, from, 8); break;
    case 16: std::memcpy(to, from, 16); break;
    case 32: std::memcpy(to, from, 32); break;
    default: std::memcpy(to, from, size);
  }
}

std::string argument_path(std::size_t index) { return fmt::format("arguments[{}]", index); }

}  // namespace

// --- the plan ----------------------------------------------------------------------------------------------

class LaunchImage::Planner {
 public:
  Planner(LaunchImage& out, Diagnostics& diagnostics)
      : out_(out), kernel_(out.kernel_), ids_(resource_ids(kernel_)), diagnostics_(diagnostics) {}

  Result<void> run(std::span<const DataSegment> data) {
    if (kernel_.constant_buffers() == nullptr)
      return std::unexpected(make_diagnostic(
          Code::LaunchOtherGeneration, kernel_.where,
          fmt::format("kernel '{}' reads {}, not constant buffers", kernel_.name,
                      kernel_.argument_block() != nullptr ? "an OpenCL 2.0 argument block" : "a kernarg segment")));
    if (!kernel_.complete)
      return std::unexpected(
          make_diagnostic(Code::LaunchKernelIncomplete, kernel_.where,
                          fmt::format("the metadata of kernel '{}' could not be read completely", kernel_.name)));
    for (std::size_t i = 0; i < kernel_.arguments.size(); ++i)
      if (Result<void> added = add(i); !added) return added;
    if (Result<void> kept = check_kept(); !kept) return kept;
    size_images();
    find_overlaps();
    for (std::uint32_t i = 0; i < out_.slots_.size(); ++i) {
      if (out_.slots_[i].form != Form::Nothing) ++out_.unset_;
      if (out_.slots_[i].form == Form::LocalPointer) out_.local_slots_.push_back(i);
    }
    add_bindings(data);
    choose_rows();
    const RangeRules rules = range_rules(kernel_, kIds);
    out_.max_group_ = rules.max_group;
    out_.group_fixed_ = rules.group_fixed;
    out_.dirty_.reserve(out_.slots_.size());
    return {};
  }

 private:
  std::unexpected<Diagnostic> refuse(std::size_t index, Code code, std::string message) const {
    return std::unexpected(
        make_diagnostic(code, kernel_.arguments[index].where, std::move(message), argument_path(index)));
  }

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

  Result<void> add(std::size_t index) {
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
      diagnostics_.report(
          Code::LaunchSlotUnaligned, argument.where,
          fmt::format("argument '{}' is at {}, which is no multiple of 16", argument.name, place->offset),
          argument_path(index));
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
    return {};
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
  Result<void> check_kept() {
    const std::uint64_t most = std::min(std::uint64_t{kMostBuffers} * out_.options_.max_constant_buffer, kMost32);
    std::uint64_t kept = 0;
    for (std::size_t i = 0; i < out_.slots_.size(); ++i) {
      kept += out_.slots_[i].host;
      if (kept > most)
        return refuse(i, Code::LaunchBufferTooLarge,
                      fmt::format("the arguments of kernel '{}' take more than {} bytes together", kernel_.name, most));
    }
    out_.kept_.resize(kept);
    return {};
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
        diagnostics_.report(
            Code::LaunchVec3Spills, argument.where,
            fmt::format("'{}' has three 64-bit elements but the next argument follows after {} bytes: {}",
                        argument.name, room,
                        out_.options_.arguments == ArgumentProfile::Amd
                            ? "its end is overwritten by that argument, as with AMD's runtime"
                            : "it is cut off there"),
            argument_path(i));
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
        diagnostics_.report(Code::LaunchArgumentsOverlap, kernel_.arguments[i].where,
                            fmt::format("'{}' at {} shares bytes with '{}'", kernel_.arguments[i].name, slot.offset,
                                        kernel_.arguments[before].name),
                            argument_path(i));
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
    const auto [found, alone] = pointers_.try_emplace({kind, number}, index);
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

  LaunchImage& out_;
  const Kernel& kernel_;
  const ResourceIds ids_;
  Diagnostics& diagnostics_;
  std::uint64_t kept_ = 0;
  std::map<std::pair<BindingKind, std::uint32_t>, std::size_t> pointers_;  // first argument with that number
};

Result<LaunchImage> LaunchImage::create(const Kernel& kernel, Diagnostics& diagnostics, const LaunchOptions& options,
                                        std::span<const DataSegment> data) {
  LaunchImage image;
  image.kernel_ = kernel;
  image.options_ = options;
  if (Result<void> planned = Planner(image, diagnostics).run(data); !planned)
    return std::unexpected(std::move(planned.error()));
  return image;
}

// --- argument values -----------------------------------------------------------------------------------------

std::optional<std::size_t> LaunchImage::find(std::string_view name) const {
  const auto found = std::ranges::find(kernel_.arguments, name, &Argument::name);
  if (found == kernel_.arguments.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kernel_.arguments.begin());
}

void LaunchImage::accept(Slot& slot) {
  if (slot.state != State::Set) --unset_;
  slot.state = State::Set;
}

bool LaunchImage::reject(Slot& slot) {
  if (slot.state == State::Set && slot.form != Form::Nothing) ++unset_;
  slot.state = State::Refused;
  return false;
}

bool LaunchImage::refuse(std::size_t index, Code code, std::string message, Diagnostics& diagnostics) {
  diagnostics.report(code, kernel_.arguments[index].where, std::move(message), argument_path(index));
  return reject(slots_[index]);
}

// The slot when it takes a value of this form; null (reported) otherwise.
LaunchImage::Slot* LaunchImage::slot(std::size_t index, Form form, std::string_view given, Diagnostics& diagnostics) {
  if (index >= slots_.size()) {
    diagnostics.report(
        Code::LaunchNoSuchArgument, kernel_.where,
        fmt::format("kernel '{}' has {} arguments; there is none with index {}", kernel_.name, slots_.size(), index),
        argument_path(index));
    return nullptr;
  }
  Slot& found = slots_[index];
  if (found.form == form) return &found;
  refuse(index, Code::LaunchWrongKind,
         fmt::format("'{}' is a {}, not a {}", kernel_.arguments[index].name,
                     find_argument_rule(kernel_.arguments[index])->kind, given),
         diagnostics);
  return nullptr;
}

void LaunchImage::mark(std::size_t index) {
  Slot& slot = slots_[index];
  if (slot.dirty) return;
  slot.dirty = true;
  dirty_.push_back(static_cast<std::uint32_t>(index));
}

// Keeps the bytes of an argument; marks it when they differ from what the image holds.
bool LaunchImage::keep(std::size_t index, std::span<const std::byte> bytes) {
  Slot& slot = slots_[index];
  std::byte* const kept = kept_.data() + slot.kept;
  if (slot.state != State::Set)
    accept(slot);
  else if (same_bytes(kept, bytes.data(), bytes.size()))
    return true;
  copy_bytes(kept, bytes.data(), bytes.size());
  mark(index);
  return true;
}

bool LaunchImage::set_bytes(std::size_t index, std::span<const std::byte> value, Diagnostics& diagnostics) {
  const Slot* const target = slot(index, Form::Value, "by-value argument", diagnostics);
  if (target == nullptr) return false;
  if (value.size() != target->host)
    return refuse(
        index, Code::LaunchWrongSize,
        fmt::format("'{}' has {} bytes; expected {}", kernel_.arguments[index].name, value.size(), target->host),
        diagnostics);
  const auto& type = std::get<ByValue>(kernel_.arguments[index].kind);
  if (type.type != ScalarType::I1) return keep(index, value);
  // Kernels look at the whole lane, the language at its lowest bit. [SPEC Scalar Arguments]
  std::array<std::byte, 64> lanes{};
  for (std::size_t i = 0; i < value.size(); i += 4) lanes[i] = value[i] & std::byte{1};
  return keep(index, std::span(lanes).first(value.size()));
}

// What `check_address` asks, in one expression: the way that is taken all the time.
bool LaunchImage::fits(const Buffer& value, std::uint32_t align) const {
  const std::uint64_t most = kernel_.address_bits == AddressBits::Bits32 ? kMost32 : kAddresses;
  return value.address >= value.base && value.address < kAddresses && value.size <= kAddresses - value.address &&
         value.address - value.base <= most && (value.address & (align - 1)) == 0;
}

bool LaunchImage::check_address(std::optional<std::size_t> index, std::string_view what, const Buffer& value,
                                std::uint32_t align, Diagnostics& diagnostics) const {
  const auto fail = [&](Code code, std::string message) {
    diagnostics.report(code, index ? kernel_.arguments[*index].where : kernel_.where, std::move(message),
                       index ? argument_path(*index) : std::string(what));
    return false;
  };
  if (value.address < value.base)
    return fail(
        Code::LaunchAddressBelowBase,
        fmt::format("the address {:#x} of '{}' is below its descriptor's base {:#x}", value.address, what, value.base));
  if (value.address >= kAddresses)
    return fail(Code::LaunchAddressTooLarge,
                fmt::format("the address {:#x} of '{}' has more than 48 bits", value.address, what));
  if (value.size > kAddresses - value.address)
    return fail(Code::LaunchAddressTooLarge,
                fmt::format("'{}' with {} bytes from {:#x} on ends past 48 bits", what, value.size, value.address));
  if (kernel_.address_bits == AddressBits::Bits32 && value.address - value.base > kMost32)
    return fail(Code::LaunchAddressTooLarge,
                fmt::format("'{}' is {:#x} bytes from its descriptor's base; this kernel's pointers have 32 bits", what,
                            value.address - value.base));
  if ((value.address & (align - 1)) != 0)
    return fail(Code::LaunchAddressUnaligned,
                fmt::format("the address {:#x} of '{}' is no multiple of {}", value.address, what, align));
  return true;
}

// A buffer whose size is not known gets a descriptor that reaches as far as it can; a NULL buffer one of no bytes.
void LaunchImage::bind(std::uint32_t index, std::uint64_t base, std::uint64_t size, bool null) {
  if (index == kNone) return;
  Binding& binding = bindings_[index];
  const auto records = static_cast<std::uint32_t>(size == 0 && !null ? kMost32 : std::min(size, kMost32));
  if (binding.words != 0 && binding.address == base && binding.size == size && binding.descriptor[2] == records) return;
  binding.address = base;
  binding.size = size;
  const auto words = buffer_descriptor(base, records, binding.stride);
  std::copy(words.begin(), words.end(), binding.descriptor.begin());
  binding.words = 4;
}

// The descriptor of a pointer; one that several pointers share is made when all are known.
void LaunchImage::place(Slot& slot, std::uint64_t base, std::uint64_t size, bool null) {
  if (slot.shared == kNone) return bind(slot.binding, base, size, null);
  slot.base = base;
  slot.size = size;
  slot.null = null;
  shared_dirty_ = true;
}

bool LaunchImage::bind_shared(Diagnostics& diagnostics) {
  bool good = true;
  for (const std::vector<std::uint32_t>& members : shared_) {
    const Slot* lead = nullptr;
    std::uint64_t size = 0;
    for (const std::uint32_t i : members) {
      const Slot& slot = slots_[i];
      if (slot.null) continue;
      if (lead == nullptr) {
        lead = &slot;
        size = slot.size;
      } else if (slot.base != lead->base) {
        diagnostics.report(
            Code::LaunchSharedBase, kernel_.arguments[i].where,
            fmt::format("'{}' is relative to {:#x} and '{}' to {:#x}, but the kernel reaches both through "
                        "the descriptor in slot {}",
                        kernel_.arguments[i].name, slot.base,
                        kernel_.arguments[static_cast<std::size_t>(lead - slots_.data())].name, lead->base,
                        bindings_[slot.binding].slot),
            argument_path(i));
        good = false;
      }
      size = size == 0 || slot.size == 0 ? 0 : std::max(size, slot.size);
    }
    bind(slots_[members.front()].binding, lead == nullptr ? 0 : lead->base, size, lead == nullptr);
  }
  shared_dirty_ = !good;
  return good;
}

bool LaunchImage::set_buffer(std::size_t index, const Buffer& value, Diagnostics& diagnostics) {
  if (index < slots_.size()) {
    Slot& target = slots_[index];
    switch (target.form) {
      case Form::Nothing: return true;
      case Form::Handle:
        if (!check_address(index, kernel_.arguments[index].name, value, 4, diagnostics)) return reject(target);
        accept(target);
        bindings_[target.binding].address = value.address;
        bindings_[target.binding].size = value.size;
        return true;
      case Form::Pointer:
      case Form::ConstantPointer: {
        if (!fits(value, target.align) &&
            !check_address(index, kernel_.arguments[index].name, value, target.align, diagnostics))
          return reject(target);
        const bool constant = target.form == Form::ConstantPointer;
        std::array<std::byte, 8> bytes;
        store(bytes.data(), constant ? std::uint64_t{1} : value.address - value.base);
        const std::uint64_t base = constant ? value.address : value.base;
        place(target, base, value.size == 0 ? 0 : value.address - base + value.size, false);
        return keep(index, std::span(bytes).first(target.host));
      }
      default: break;
    }
  }
  return slot(index, Form::Pointer, "buffer", diagnostics) != nullptr;
}

bool LaunchImage::set_null(std::size_t index, Diagnostics& diagnostics) {
  if (index < slots_.size()) {
    Slot& target = slots_[index];
    switch (target.form) {
      case Form::Nothing: return true;
      case Form::Handle:
        accept(target);
        bindings_[target.binding].address = bindings_[target.binding].size = 0;
        return true;
      case Form::Pointer:
      case Form::ConstantPointer: {
        static constexpr std::array<std::byte, 8> kNull{};
        place(target, 0, 0, true);
        return keep(index, std::span(kNull).first(target.host));
      }
      default: break;
    }
  }
  return slot(index, Form::Pointer, "NULL buffer", diagnostics) != nullptr;
}

bool LaunchImage::set_local(std::size_t index, std::uint64_t bytes, Diagnostics& diagnostics) {
  if (index < slots_.size() && slots_[index].form == Form::Nothing) return true;
  Slot* const target = slot(index, Form::LocalPointer, "size of local memory", diagnostics);
  if (target == nullptr) return false;
  if (bytes == 0)
    return refuse(index, Code::LaunchLocalSizeZero,
                  fmt::format("'{}' is local memory of no bytes", kernel_.arguments[index].name), diagnostics);
  if (target->state != State::Set) {
    accept(*target);
    mark(index);
  } else if (target->local_bytes == bytes) {
    return true;
  }
  target->local_bytes = bytes;
  local_dirty_ = true;
  return true;
}

bool LaunchImage::set_image(std::size_t index, const ImageValue& value, Diagnostics& diagnostics) {
  const Slot* const target = slot(index, Form::Image, "image", diagnostics);
  if (target == nullptr) return false;
  const std::string& name = kernel_.arguments[index].name;
  if (value.width == 0 || value.height == 0 || value.depth == 0)
    return refuse(index, Code::LaunchImageSize,
                  fmt::format("image '{}' is {} x {} x {}; every size is at least 1", name, value.width, value.height,
                              value.depth),
                  diagnostics);
  if (!is_one_of(channel_orders(), value.channel_order) || !is_one_of(channel_types(), value.channel_type))
    return refuse(index, Code::LaunchImageFormat,
                  fmt::format("image '{}' has channel order {:#x} and type {:#x}, which OpenCL does not have", name,
                              value.channel_order, value.channel_type),
                  diagnostics);
  const std::uint64_t row = value.row_pitch != 0
                                ? value.row_pitch
                                : std::uint64_t{value.width} * texel_bytes(value.channel_order, value.channel_type);
  const std::uint64_t slice = value.slice_pitch != 0 ? value.slice_pitch : std::min(row, kMost32) * value.height;
  const bool pitches = options_.image_layout == ImageLayout::R7xx;
  if (pitches && (row == 0 || row > kMost32 || slice > kMost32))
    return refuse(
        index, Code::LaunchImageSize,
        fmt::format("the pitches of image '{}' must be given: they do not follow from its sizes and format", name),
        diagnostics);
  Binding& binding = bindings_[target->binding];
  binding.address = value.address;
  binding.words = 0;
  binding.descriptor = {};
  const ImageDim dim = std::get<amdcompat::Image>(kernel_.arguments[index].kind).dim;
  if (value.address != 0 && dim != ImageDim::D1Buffer) {
    const auto words = image_descriptor(value, dim);
    if (!words)
      return refuse(index, Code::LaunchImageSize,
                    fmt::format("image '{}' cannot be described to the hardware: its address, pitch, sizes or format "
                                "do not fit a descriptor",
                                name),
                    diagnostics);
    binding.descriptor = *words;
    binding.words = 8;
  }
  std::array<std::byte, 32> bytes;
  const auto real = [](std::uint32_t n) { return std::bit_cast<std::uint32_t>(1.0f / static_cast<float>(n)); };
  std::array<std::uint32_t, 8> words{value.width,       value.height,       value.depth,       value.channel_type,
                                     real(value.width), real(value.height), real(value.depth), value.channel_order};
  if (pitches) {
    words = {value.width, value.height, value.depth, value.offset, value.channel_type, value.channel_order};
    words[6] = static_cast<std::uint32_t>(row);
    words[7] = static_cast<std::uint32_t>(slice);
  }
  for (std::size_t i = 0; i < words.size(); ++i) store(bytes.data() + 4 * i, words[i]);
  return keep(index, bytes);
}

bool LaunchImage::set_sampler(std::size_t index, std::uint32_t word, Diagnostics& diagnostics) {
  const Slot* const target = slot(index, Form::Sampler, "sampler", diagnostics);
  if (target == nullptr) return false;
  const bool known = (word & ~0x3fu) == 0 && (word & 0x0e) <= 0x08 && ((word & 0x30) == 0x10 || (word & 0x30) == 0x20);
  const bool repeat = target->state == State::Set && bindings_[target->binding].words != 0;
  std::array<std::byte, 4> bytes;
  store(bytes.data(), word);
  if (repeat && std::memcmp(kept_.data() + target->kept, bytes.data(), bytes.size()) == 0) return true;
  if (!known) {
    std::string message =
        fmt::format("the sampler word {:#x} of '{}' has undefined bits", word, kernel_.arguments[index].name);
    if (diagnostics.is_error(Code::LaunchSamplerWord))
      return refuse(index, Code::LaunchSamplerWord, std::move(message), diagnostics);
    diagnostics.report(Code::LaunchSamplerWord, kernel_.arguments[index].where, std::move(message),
                       argument_path(index));
  }
  Binding& binding = bindings_[target->binding];
  const auto words = sampler_descriptor(word);
  std::copy(words.begin(), words.end(), binding.descriptor.begin());
  binding.words = 4;
  return keep(index, bytes);
}

// --- launch-wide values -----------------------------------------------------------------------------------------

bool LaunchImage::set_range(const Range& range, Diagnostics& diagnostics) {
  if (range_state_ == State::Set && range == given_) return true;
  range_state_ = State::Refused;
  const auto fail = [&](Code code, std::string message) {
    diagnostics.report(code, kernel_.where, std::move(message), "range");
    return false;
  };
  Range used;
  std::array<std::uint32_t, 3> local{};
  if (!resolve_range(kernel_, {max_group_, group_fixed_, kIds}, range, used, local, diagnostics)) return false;
  const std::uint32_t dimensions = used.dimensions;

  if (used.split) {
    Split& split = *used.split;
    for (std::uint32_t d = dimensions; d < 3; ++d) split.global[d] = 1, split.offset[d] = 0, split.group_offset[d] = 0;
    for (std::uint32_t d = 0; d < dimensions; ++d) {
      if (split.global[d] == 0)
        return fail(Code::LaunchSizeZero, fmt::format("the part's global size of dimension {} is 0", d));
      if (split.global[d] > kMost32 || split.offset[d] > kMost32 || split.offset[d] + split.global[d] > kIds)
        return fail(Code::LaunchSizeTooLarge,
                    fmt::format("offset {} and size {} of the part do not fit 32-bit work-item ids", split.offset[d],
                                split.global[d]));
      const bool inside =
          split.offset[d] >= used.offset[d] && split.offset[d] + split.global[d] <= used.offset[d] + used.global[d];
      if (!inside || split.offset[d] - used.offset[d] != std::uint64_t{split.group_offset[d]} * local[d]) {
        std::string message = fmt::format(
            "dimension {}: a part of {} work-items from {} on, after {} groups of {}, of a range of {} from {} on", d,
            split.global[d], split.offset[d], split.group_offset[d], local[d], used.global[d], used.offset[d]);
        fail(Code::LaunchSplitOutside, std::move(message));
        if (diagnostics.is_error(Code::LaunchSplitOutside)) return false;
      }
    }
  }

  const bool spec = options_.profile == Profile::Spec;
  const auto nth = [](Cb0Value first, std::uint32_t d) {
    return static_cast<Cb0Value>(static_cast<std::uint32_t>(first) + d);
  };
  std::uint32_t spawn_flat = 1, group_flat = 1;  // 32-bit as in the buffer
  bool partial = false;
  for (std::uint32_t d = 0; d < 3; ++d) {
    // All sizes and offsets were found to fit 32 bits, which divide faster.
    const auto global = static_cast<std::uint32_t>(used.global[d]);
    const auto part = used.split ? static_cast<std::uint32_t>(used.split->global[d]) : global;
    const auto spawn = static_cast<std::uint32_t>(used.split ? used.split->offset[d] : used.offset[d]);
    const std::uint32_t group = used.split ? used.split->group_offset[d] : 0;
    const std::uint32_t groups = d < dimensions ? global / local[d] : 1;
    const bool rest = used.split ? part % local[d] != 0 : groups * local[d] != global;
    partial |= rest;
    part_[d] = part;
    put(nth(Cb0Value::GlobalX, d), global);
    put(nth(Cb0Value::LocalX, d), local[d]);
    put(nth(Cb0Value::GroupsX, d), groups + (!spec && rest ? 1 : 0));
    put(nth(Cb0Value::SpawnX, d), spawn);
    put(nth(Cb0Value::GroupX, d), group);
    put(nth(Cb0Value::RangeX, d), used.offset[d]);
    if (spec || d < dimensions) {
      spawn_flat *= spawn;
      group_flat *= group;
    }
  }
  put(Cb0Value::WorkDim, used.task && spec ? 0 : dimensions);
  put(Cb0Value::SpawnFlat, spawn_flat);
  put(Cb0Value::GroupFlat, group_flat);
  if (partial)
    diagnostics.report(
        Code::LaunchPartialGroup, kernel_.where,
        fmt::format("the local size {} x {} x {} does not divide the global size", local[0], local[1], local[2]),
        "range");
  local_size_ = local;
  given_ = range;
  range_state_ = State::Set;
  cb0_dirty_ = true;
  return true;
}

bool LaunchImage::set_printf(const std::optional<PrintfBuffer>& value, Diagnostics& diagnostics) {
  if (printf_state_ == State::Set && value == printf_) return true;
  const PrintfBuffer buffer = value.value_or(PrintfBuffer{});
  printf_state_ = State::Refused;
  if (!check_address(std::nullopt, "printf", {buffer.address, buffer.base, buffer.size}, 4, diagnostics)) return false;
  printf_state_ = State::Set;
  printf_ = value;
  put(Cb0Value::PrintfAddress, buffer.address - buffer.base);
  put(Cb0Value::PrintfDwords, buffer.dwords_per_item);
  bind(printf_binding_, buffer.base, buffer.size == 0 ? 0 : buffer.address - buffer.base + buffer.size);
  cb0_dirty_ = true;
  return true;
}

bool LaunchImage::set_data_segment(const std::optional<Buffer>& value, Diagnostics& diagnostics) {
  if (data_state_ == State::Set && value == data_) return true;
  const Buffer buffer = value.value_or(Buffer{});
  data_state_ = State::Refused;
  // Vectors in the segment are aligned to their size from its start on. [SPEC Data Segment]
  if (!check_address(std::nullopt, "data_segment", buffer, 16, diagnostics)) return false;
  data_state_ = State::Set;
  data_ = value;
  put(Cb0Value::DataSegment, buffer.address - buffer.base);
  bind(data_binding_, buffer.base, buffer.size == 0 ? 0 : buffer.address - buffer.base + buffer.size);
  cb0_dirty_ = true;
  return true;
}

bool LaunchImage::set_rings(const std::optional<Rings>& value, Diagnostics& diagnostics) {
  if (rings_state_ == State::Set && value == rings_) return true;
  const Rings rings = value.value_or(Rings{});
  rings_state_ = State::Refused;
  if (!check_address(std::nullopt, "rings.private", {rings.private_offset, 0, 0}, 4, diagnostics)) return false;
  if (!check_address(std::nullopt, "rings.local", {rings.local_offset, 0, 0}, 4, diagnostics)) return false;
  rings_state_ = State::Set;
  rings_ = value;
  put(Cb0Value::PrivateRing, rings.private_offset);
  put(Cb0Value::PrivateBytes, rings.private_bytes);
  put(Cb0Value::LocalRing, rings.local_offset);
  put(Cb0Value::LocalBytes, rings.local_bytes);
  put(Cb0Value::MathTable, rings.math_table);
  cb0_dirty_ = true;
  return true;
}

bool LaunchImage::set_constant_data(std::uint32_t number, const Buffer& value, Diagnostics& diagnostics) {
  for (std::uint32_t i = 0; i < bindings_.size(); ++i) {
    const Binding& binding = bindings_[i];
    if (binding.kind != BindingKind::ConstantBuffer || binding.slot != number || binding.stride != kSlot ||
        binding.argument)
      continue;
    // All of the address is in the descriptor.
    const Buffer whole{value.address, value.address, value.size};
    if (!check_address(std::nullopt, binding.what, whole, kSlot, diagnostics)) return false;
    bind(i, value.address, value.size == 0 ? binding.size : value.size);
    return true;
  }
  diagnostics.report(Code::LaunchNoSuchArgument, kernel_.where,
                     fmt::format("there is no data segment for constant buffer {}", number), "constant_data");
  return false;
}

// --- building -------------------------------------------------------------------------------------------------

std::span<const std::byte> LaunchImage::buffer(std::uint32_t number) const {
  if (number == 0) return cb0_;
  for (const Image& image : images_)
    if (image.number == number) return image.bytes;
  return {};
}

std::vector<std::uint32_t> LaunchImage::buffers() const {
  std::vector<std::uint32_t> numbers;
  for (const Image& image : images_) numbers.push_back(image.number);
  std::ranges::sort(numbers);
  return numbers;
}

// LDS: static memory first, then the pointers in argument order. [RT setArgument; SPEC Hardware Local Memory Usage]
bool LaunchImage::place_local_pointers(Diagnostics& diagnostics) {
  std::uint64_t top = kernel_.segments.hardware_local;
  const auto over = [&](std::uint64_t bytes) { return bytes > options_.max_local_bytes; };
  for (const std::uint32_t i : local_slots_) {
    if (over(top)) break;
    Slot& slot = slots_[i];
    top = (top + slot.align - 1) & ~std::uint64_t{slot.align - 1};
    std::array<std::byte, 4> bytes;
    store(bytes.data(), static_cast<std::uint32_t>(top));
    if (std::memcmp(kept_.data() + slot.kept, bytes.data(), bytes.size()) != 0) {
      std::memcpy(kept_.data() + slot.kept, bytes.data(), bytes.size());
      mark(i);
    }
    top = over(slot.local_bytes) ? kIds : top + slot.local_bytes;
  }
  if (over(top)) {
    diagnostics.report(
        Code::LaunchLocalMemory, kernel_.where,
        fmt::format("static local memory and the arguments take more than the {} bytes a work-group may have",
                    options_.max_local_bytes),
        "arguments");
    return false;
  }
  local_bytes_ = top;
  local_dirty_ = false;
  return true;
}

bool LaunchImage::complete(Diagnostics& diagnostics) const {
  bool good = true;
  if (range_state_ == State::Unset) {
    diagnostics.report(Code::LaunchNotSet, kernel_.where,
                       fmt::format("no launch sizes were set for kernel '{}'", kernel_.name), "range");
    good = false;
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].state != State::Unset || slots_[i].form == Form::Nothing) continue;
    diagnostics.report(Code::LaunchArgumentMissing, kernel_.arguments[i].where,
                       fmt::format("argument '{}' has no value", kernel_.arguments[i].name), argument_path(i));
    good = false;
  }
  return good && unset_ == 0 && range_state_ == State::Set && printf_state_ == State::Set &&
         data_state_ == State::Set && rings_state_ == State::Set;
}

void LaunchImage::report_missing(Diagnostics& diagnostics) {
  const auto report = [&](Code code, std::string message) {
    diagnostics.report(code, kernel_.where, std::move(message));
  };
  if (kernel_.uses_printf && printf_) {
    const bool several = part_[0] > local_size_[0] || part_[1] > local_size_[1] || part_[2] > local_size_[2];
    if (several)
      report(Code::LaunchPrintfManyGroups, fmt::format("kernel '{}' prints and is dispatched with more than one "
                                                       "work-group, whose regions of the printf buffer are the same",
                                                       kernel_.name));
  }
  if (std::exchange(warned_, true)) return;
  if (kernel_.uses_printf && !printf_)
    report(Code::LaunchPrintfMissing, fmt::format("kernel '{}' prints, but there is no printf buffer", kernel_.name));
  if (wants_data_ && !data_)
    report(Code::LaunchDataMissing,
           fmt::format("kernel '{}' needs its data segment, but no address was given", kernel_.name));
  if (kernel_.compiler_write && (!rings_ || rings_->private_offset == 0))
    report(Code::LaunchRingMissing,
           fmt::format("kernel '{}' writes to a dummy page, but no private ring was given", kernel_.name));
}

void LaunchImage::put(Cb0Value field, std::uint64_t value) {
  const auto index = static_cast<std::size_t>(field);
  std::byte* const at = next_cb0_.data() + 4 * std::size_t{cb0_place_[index]};
  store(at, static_cast<std::uint32_t>(value));
  if (((cb0_wide_ >> index) & 1) != 0) store(at + 4, static_cast<std::uint32_t>(value >> 32));
}

void LaunchImage::write_cb0() {
  constexpr std::uint32_t kStep = 8;
  std::uint32_t first = 0, last = kCb0Bytes;
  const auto same = [&](std::uint32_t at) { return std::memcmp(cb0_.data() + at, next_cb0_.data() + at, kStep) == 0; };
  while (first < kCb0Bytes && same(first)) first += kStep;
  if (first == kCb0Bytes) return;
  while (same(last - kStep)) last -= kStep;
  std::memcpy(cb0_.data() + first, next_cb0_.data() + first, last - first);
  cb0_changed_ = {first, last};
}

void LaunchImage::write(const Slot& slot) {
  Image& image = images_[slot.image];
  std::byte* const to = image.bytes.data() + slot.offset;
  const std::byte* const from = kept_.data() + slot.kept;
  if (slot.spread) {
    const std::uint32_t piece = 4 * slot.align;
    for (std::uint32_t at = 0, i = 0; at < slot.copied; at += piece, ++i)
      copy_bytes(to + std::size_t{kSlot} * i, from + at, piece);
  } else {
    copy_bytes(to, from, slot.copied);
  }
  if (image.number == 1) widen(cb1_changed_, slot.offset, slot.offset + slot.extent);
}

bool LaunchImage::build(Diagnostics& diagnostics) {
  cb0_changed_ = cb1_changed_ = {};
  if (unset_ != 0 || range_state_ != State::Set || printf_state_ != State::Set || data_state_ != State::Set ||
      rings_state_ != State::Set)
    return complete(diagnostics);
  if (shared_dirty_ && !bind_shared(diagnostics)) return false;
  if (local_dirty_ && !place_local_pointers(diagnostics)) return false;
  if (cb0_dirty_) {
    report_missing(diagnostics);
    write_cb0();
    cb0_dirty_ = false;
  }
  for (const std::uint32_t index : dirty_) {
    Slot& slot = slots_[index];
    if (!slot.dirty) continue;  // written with its cluster
    if (slot.cluster == kNone) {
      slot.dirty = false;
      write(slot);
      continue;
    }
    for (const std::uint32_t member : clusters_[slot.cluster]) {
      slots_[member].dirty = false;
      write(slots_[member]);
    }
  }
  dirty_.clear();
  built_ = true;
  return true;
}

}  // namespace amdcompat::abi
