// Kernarg segments as [LS emitHiddenKernelArgs] and ROCclr fill them.
#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include <amdcompat/dispatch.hpp>
#include <amdcompat/in_place.hpp>

#include "opcode.hpp"

namespace amdcompat::emulate {
namespace {

constexpr std::byte kPattern{0xa5};
constexpr u64 kMostSegment = 1u << 20;

std::unexpected<Diagnostic> refuse(std::string why) {
  return std::unexpected(make_diagnostic(Code::EmulateLaunch, {}, std::move(why)));
}
void put(std::span<std::byte> out, u64 value) {
  for (std::size_t n = 0; n < out.size(); ++n)
    out[n] = n < 8 ? static_cast<std::byte>(value >> (8 * n) & 255) : std::byte{0};
}
u64 align_up(u64 value, u64 to) { return (value + to - 1) / to * to; }

class Filler {
 public:
  Filler(const hsa::MetadataKernel& kernel, const Dispatch& dispatch) : kernel_(kernel), dispatch_(dispatch) {}

  Result<KernargSegment> run() {
    if (kernel_.args_absent) return refuse("the file does not say what arguments the kernel takes");
    if (!dispatch_.range.local) return refuse("no local size");
    const u64 size = kernel_.kernarg_segment_size.value_or(0);
    if (size > kMostSegment) return refuse(fmt::format("a kernarg segment of {} bytes", size));
    out_.bytes.assign(size, kPattern);
    out_.local_bytes = kernel_.group_segment_fixed_size.value_or(0);
    std::vector<std::span<std::byte>> trailing(kernel_.args.size());
    for (std::size_t n = 0; n < kernel_.args.size(); ++n) {
      const hsa::MetadataArgument& argument = kernel_.args[n];
      if (!argument.value_kind || !argument.offset || !argument.size || *argument.offset > size ||
          *argument.size > size - *argument.offset)
        return refuse(fmt::format("argument {} has no place in the kernarg segment", n));
      const auto where = std::span(out_.bytes).subspan(*argument.offset, *argument.size);
      if (hsa::value_kind_info(*argument.value_kind).hidden)
        hidden(*argument.value_kind, where);
      else if (next_ == dispatch_.arguments.size() && convert::trailing_argument(argument))
        trailing[n] = where;
      else if (std::string problem = explicit_argument(argument, where); !problem.empty())
        return refuse(std::move(problem));
    }
    if (next_ != dispatch_.arguments.size())
      return refuse(fmt::format("{} values for {} arguments", dispatch_.arguments.size(), next_));
    for (std::size_t n = 0; n < trailing.size(); ++n)
      if (!trailing[n].empty())
        if (std::string problem = fill_trailing(kernel_.args[n], trailing[n]); !problem.empty())
          return refuse(std::move(problem));
    return std::move(out_);
  }

 private:
  // Empty, or what is wrong.
  std::string explicit_argument(const hsa::MetadataArgument& argument, std::span<std::byte> where) {
    const std::string name = argument.name.value_or(std::to_string(next_));
    if (next_ == dispatch_.arguments.size()) return fmt::format("no value for argument {}", name);
    const ArgumentValue& value = dispatch_.arguments[next_++];
    switch (*argument.value_kind) {
      case hsa::ValueKind::ByValue:
        if (value.bytes.size() > where.size())
          return fmt::format("{} bytes for argument {}, which has {}", value.bytes.size(), name, where.size());
        std::ranges::fill(where, std::byte{0});
        std::ranges::copy(value.bytes, where.begin());
        return {};
      case hsa::ValueKind::DynamicSharedPointer: {
        const u64 align = argument.pointee_align.value_or(1);
        out_.local_bytes = align_up(out_.local_bytes, std::has_single_bit(align) ? std::min<u64>(align, 65'536) : 1);
        put(where, out_.local_bytes);
        out_.local_bytes += std::min<u64>(value.local_bytes, kMostSegment);
        return {};
      }
      default:
        if (value.address != 0) high_.push_back(value.address >> 32);
        put(where, value.address);
        return {};
    }
  }

  void hidden(hsa::ValueKind kind, std::span<std::byte> where) {
    const abi::Range& range = dispatch_.range;
    const auto sized = [&](std::size_t d, auto what) { put(where, what(range.global[d], (*range.local)[d])); };
    const auto blocks = [](u64 global, u64 local) { return local == 0 ? 0 : global / local; };
    const auto remainder = [](u64 global, u64 local) { return local == 0 ? 0 : global % local; };
    const auto group = [](u64, u64 local) { return local; };
    using enum hsa::ValueKind;
    switch (kind) {
      case HiddenNone: return;
      case HiddenGlobalOffsetX: return put(where, range.offset[0]);
      case HiddenGlobalOffsetY: return put(where, range.offset[1]);
      case HiddenGlobalOffsetZ: return put(where, range.offset[2]);
      case HiddenPrintfBuffer: return put(where, dispatch_.printf_buffer);
      case HiddenDefaultQueue: return put(where, dispatch_.default_queue);
      case HiddenCompletionAction: return put(where, dispatch_.completion_action);
      case HiddenBlockCountX: return sized(0, blocks);
      case HiddenBlockCountY: return sized(1, blocks);
      case HiddenBlockCountZ: return sized(2, blocks);
      case HiddenGroupSizeX: return sized(0, group);
      case HiddenGroupSizeY: return sized(1, group);
      case HiddenGroupSizeZ: return sized(2, group);
      case HiddenRemainderX: return sized(0, remainder);
      case HiddenRemainderY: return sized(1, remainder);
      case HiddenRemainderZ: return sized(2, remainder);
      case HiddenGridDims: return put(where, range.dimensions);
      case HiddenQueuePtr: return put(where, dispatch_.queue);
      default: return put(where, 0);
    }
  }

  std::string fill_trailing(const hsa::MetadataArgument& argument, std::span<std::byte> where) {
    const auto trailing = convert::trailing_argument(argument);
    if (!trailing) return fmt::format("argument {} is not known", *argument.name);
    switch (trailing->kind) {
      case convert::InPlaceKind::ConstantBuffer0: return constant_buffer0(argument, where);
      case convert::InPlaceKind::UavTable: return uav_table(where);
      case convert::InPlaceKind::Data: put(where, dispatch_.data_segment.value_or(0)); return {};
      case convert::InPlaceKind::Printf: put(where, dispatch_.printf_buffer); return {};
      case convert::InPlaceKind::Constants: {
        const auto found = dispatch_.constants.find(trailing->index);
        put(where, found == dispatch_.constants.end() ? 0 : found->second);
        return {};
      }
      case convert::InPlaceKind::Argument: break;
    }
    return {};
  }
  std::string constant_buffer0(const hsa::MetadataArgument& argument, std::span<std::byte> where) {
    const auto bits = convert::cb0_bits(argument);
    if (!bits || where.size() != abi::kCb0Bytes)
      return fmt::format("argument {} does not say which constant buffer 0 it is", *argument.name);
    Kernel kernel;
    kernel.complete = true;
    kernel.address_bits = *bits;
    kernel.uses_printf = dispatch_.printf_buffer != 0;
    kernel.needs_data_segment = dispatch_.data_segment.has_value();
    kernel.limits.max_group_size = 1024;
    Diagnostics diagnostics;
    auto image = abi::LaunchImage::create(kernel, diagnostics);
    const auto base = [&](u64 address) { return convert::in_place_base(address, *bits); };
    bool good = image && image->set_range(dispatch_.range, diagnostics);
    if (good && dispatch_.data_segment)
      good =
          image->set_data_segment(abi::Buffer{*dispatch_.data_segment, base(*dispatch_.data_segment), 0}, diagnostics);
    if (good && dispatch_.printf_buffer != 0)
      good = image->set_printf(
          abi::PrintfBuffer{dispatch_.printf_buffer, base(dispatch_.printf_buffer), dispatch_.printf_dwords, 0},
          diagnostics);
    if (!good || !image->build(diagnostics)) {
      for (const Diagnostic& d : diagnostics.all())
        if (d.severity == Severity::Error) return sentence(d);
      return image ? "no constant buffer 0" : sentence(image.error());
    }
    std::ranges::copy(image->cb0(), where.begin());
    return {};
  }
  // Which slot is whose is not in the metadata, so one upper half has to do for all.
  std::string uav_table(std::span<std::byte> where) const {
    std::vector<u64> high = high_;
    for (const u64 address : {dispatch_.data_segment.value_or(0), dispatch_.printf_buffer})
      if (address != 0) high.push_back(address >> 32);
    if (std::ranges::any_of(high, [&](u64 h) { return h != high.front(); }))
      return "buffers in different ranges of 4 GiB: amdcompat.uavs must be given";
    for (std::size_t at = 0; at + convert::kUavEntryBytes <= where.size(); at += convert::kUavEntryBytes) {
      const auto words = convert::uav_entry(high.empty() ? 0 : high.front() << 32);
      for (std::size_t n = 0; n < words.size(); ++n) put(where.subspan(at + 4 * n, 4), words[n]);
    }
    return {};
  }

  const hsa::MetadataKernel& kernel_;
  const Dispatch& dispatch_;
  KernargSegment out_;
  std::size_t next_ = 0;  // value
  std::vector<u64> high_;  // upper halves of the buffers' addresses
};

}  // namespace

Result<KernargSegment> kernarg_segment(const hsa::MetadataKernel& kernel, const Dispatch& dispatch) {
  return Filler(kernel, dispatch).run();
}

std::array<std::byte, 64> aql_packet(const abi::Range& range, std::uint64_t local_bytes, std::uint64_t kernarg) {
  std::array<std::byte, 64> out{};
  const auto at = [&](std::size_t offset, std::size_t size, u64 value) {
    put(std::span(out).subspan(offset, size), value);
  };
  constexpr u16 kDispatchHeader = 2u | 1u << 8 | 2u << 9 | 1u << 11;  // as abi::kDispatchHeader [RT]
  at(0, 2, kDispatchHeader);
  at(2, 2, range.dimensions);
  for (std::size_t d = 0; d < 3; ++d) {
    const bool used = d < range.dimensions;
    at(4 + 2 * d, 2, used && range.local ? (*range.local)[d] : 1);
    at(12 + 4 * d, 4, used ? range.global[d] : 1);
  }
  at(28, 4, local_bytes);
  at(40, 8, kernarg);
  return out;
}

}  // namespace amdcompat::emulate
