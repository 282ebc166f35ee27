// Faithful text model -> neutral Kernel.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <amdcompat/open.hpp>

#include "lowering.hpp"
#include <text/directives.hpp>

namespace amdcompat {

std::optional<HiddenKind> find_hidden_kind(std::string_view name) {
  struct Row {
    std::string_view name;
    HiddenKind kind;
  };
  static constexpr Row kRows[] = {
      {"global_offset_0", HiddenKind::GlobalOffsetX}, {"global_offset_1", HiddenKind::GlobalOffsetY},
      {"global_offset_2", HiddenKind::GlobalOffsetZ}, {"printf_buffer", HiddenKind::PrintfBuffer},
      {"vqueue_pointer", HiddenKind::DefaultQueue},   {"aqlwrap_pointer", HiddenKind::CompletionAction}};
  for (const Row& row : kRows)
    if (row.name == name) return row.kind;
  return std::nullopt;
}

namespace {

// Compilers spell the prefix of hidden arguments `_.`, `__` or not at all. [BIN; HLC]
std::optional<HiddenKind> hidden_kind(std::string_view name) {
  if (name.starts_with("_.") || name.starts_with("__")) name.remove_prefix(2);
  return find_hidden_kind(name);
}

PointerInfo pointer_info(const text::PointerArg& pointer) {
  PointerInfo info;
  info.pointee = pointer.type;
  if (pointer.type == ScalarType::Other) info.pointee_name = pointer.type_text;
  info.memory = pointer.memory;
  info.buffer = pointer.buffer;
  info.align = pointer.align.value_or(1);
  info.access = pointer.access;
  return info;
}

ArgumentKind pointer_kind(const text::PointerArg& pointer) {
  const PointerInfo info = pointer_info(pointer);
  if (pointer.is_pipe.value_or(false)) return Pipe{info.align, info.access};
  switch (pointer.memory) {
    case MemoryKind::Global:
    case MemoryKind::Uav:
    case MemoryKind::Flat: return GlobalPointer{info};
    case MemoryKind::Constant:
    case MemoryKind::HardwareConstant:
    case MemoryKind::UavConstant: return ConstantPointer{info};
    case MemoryKind::EmulatedLocal:
    case MemoryKind::HardwareLocal: return LocalPointer{info};
    case MemoryKind::EmulatedRegion:
    case MemoryKind::HardwareRegion: return RegionPointer{info};
    case MemoryKind::EmulatedPrivate:
    case MemoryKind::HardwarePrivate:
    case MemoryKind::UavPrivate: return PrivatePointer{info};
  }
  return GlobalPointer{info};
}

class KernelBuilder {
 public:
  KernelBuilder(const text::Document& document, const text::Block& block, const text::CallTotals& totals)
      : document_(document), block_(block) {
    kernel_.block = block.name;
    kernel_.name = text::kernel_name(document, block).value_or(block.name);
    kernel_.unit = block.unit;
    kernel_.where = block.where;
    kernel_.segments = totals.segments;
    kernel_.uses_printf = totals.prints;
    kernel_.needs_data_segment = totals.data_required;
    kernel_.compiler_write = totals.compiler_write;
    kernel_.complete = !totals.incomplete && !totals.failed && !totals.cyclic && !totals.too_large;
  }

  Kernel build() && {
    kernel_.arguments.reserve(static_cast<std::size_t>(
        std::ranges::count_if(document_.directives(block_), [this](const text::Element& element) {
          return text::is_argument(block_.dialect, element.directive);
        })));
    for (const text::Element& element : document_.directives(block_)) {
      where_ = {element.body, element.length};
      std::visit(*this, element.directive);
    }
    for (Argument& argument : kernel_.arguments) {
      // Constant memory counts as const, and const makes any pointer read-only. [RT gpukernel.cpp parseArguments]
      if (std::holds_alternative<ConstantPointer>(argument.kind)) argument.is_const = true;
      if (argument.is_const)
        std::visit(
            [](auto& kind) {
              if constexpr (std::is_base_of_v<PointerInfo, std::remove_cvref_t<decltype(kind)>>)
                kind.access = Access::ReadOnly;
            },
            argument.kind);
      if (const auto* image = std::get_if<Image>(&argument.kind)) {
        kernel_.uses_images = true;
        kernel_.writes_images |= image->access != Access::ReadOnly;
      }
    }
    return std::move(kernel_);
  }

  void operator()(const text::Unknown&) {}
  void operator()(const text::Malformed&) {}
  void operator()(const text::Version& v) { kernel_.metadata_version = {v.major, v.minor, v.revision}; }
  void operator()(const text::DeviceName& d) { kernel_.device = d.name; }
  void operator()(const text::MemorySize&) {}  // in the totals
  void operator()(const text::MemoryFlagged& m) {
    if (m.flag == text::MemoryFlag::Abi64) kernel_.address_bits = AddressBits::Bits64;
  }
  void operator()(const text::GroupSize& g) {
    const std::array<std::uint32_t, 3> size{g.x, g.y, g.z};
    switch (g.key) {
      case text::GroupKey::Cws: kernel_.limits.required_group_size = size; break;
      case text::GroupKey::Crs: kernel_.limits.required_region_size = size; break;
      case text::GroupKey::Wsh: kernel_.limits.group_size_hint = size; break;
    }
  }
  void operator()(const text::VectorTypeHint& v) { kernel_.limits.vector_type_hint = v.type; }
  void operator()(const text::LimitGroupSize&) { kernel_.limits.one_wavefront = true; }
  void operator()(const text::IdList&) {}
  void operator()(const text::Message&) {}
  void operator()(const text::PrintfFmt&) {}
  void operator()(const text::Number& n) {
    switch (n.key) {
      case text::NumberKey::UniqueId: kernel_.unique_id = n.value; break;
      case text::NumberKey::Lws: kernel_.limits.max_group_size = n.value; break;
      case text::NumberKey::WavesPerSimdHint: kernel_.limits.waves_per_simd_hint = n.value; break;
      case text::NumberKey::Membound: break;
      case text::NumberKey::UavId: ids_.raw_uav = n.value; break;
      case text::NumberKey::PrivateId: ids_.priv = n.value; break;
      case text::NumberKey::PrintfId: ids_.printf = n.value; break;
      case text::NumberKey::CbId: ids_.constants = n.value; break;
      case text::NumberKey::EnqueueKernel: kernel_.device_enqueue = n.value != 0; break;
      case text::NumberKey::KernelIndex: kernel_.kernel_index = n.value; break;
    }
  }
  void operator()(const text::ConstArg& c) {
    if (c.index < kernel_.arguments.size()) kernel_.arguments[c.index].is_const = true;
  }
  void operator()(const text::Reflection& r) {
    if (r.index < kernel_.arguments.size()) kernel_.arguments[r.index].type_name = r.type;
  }
  void operator()(const text::ValueArg& v) {
    add(v.name, v.cb, v.offset, ByValue{v.type, v.elements});
    values_.emplace_back(v.name, kernel_.arguments.size() - 1);
  }
  void operator()(const text::PointerArg& p) {
    Argument& argument = add(p.name, p.cb, p.offset, pointer_kind(p));
    argument.is_volatile = p.is_volatile.value_or(false);
    argument.is_restrict = p.is_restrict.value_or(false);
  }
  void operator()(const text::ImageArg& i) { add(i.name, i.cb, i.offset, Image{i.dim, i.access, i.id}); }
  void operator()(const text::SamplerDef& s) {
    if (block_.dialect != text::Dialect::Amdil) {
      // Here the line declares the argument itself: NAME:ID:CB:OFFSET. [HLC processArgMetadata]
      add(s.name, s.location, s.value, Sampler{s.id});
      return;
    }
    if (s.location != 0) {
      kernel_.samplers.push_back({std::string(s.name), s.id, s.value});
      return;
    }
    // The value line of the same name becomes the sampler. [RT gpukernel.cpp parseArguments]
    for (; indexed_ < values_.size(); ++indexed_) {
      const auto& [name, at] = values_[indexed_];
      by_name_.insert_or_assign(name, at);
    }
    if (const auto found = by_name_.find(s.name); found != by_name_.end())
      kernel_.arguments[found->second].kind = Sampler{s.id};
    else
      kernel_.complete = false;
  }
  void operator()(const text::CounterArg& c) { add(c.name, c.cb, c.offset, Counter{c.bits, c.id}); }
  void operator()(const text::SemaphoreArg& s) { add(s.name, s.cb, s.offset, Semaphore{s.id}); }
  void operator()(const text::QueueArg& q) { add(q.name, q.cb, q.offset, Queue{q.memory}); }

 private:
  Argument& add(std::string_view name, std::uint32_t cb, std::uint32_t offset, ArgumentKind kind) {
    Argument& argument = kernel_.arguments.emplace_back();
    argument.name = name;
    argument.kind = std::move(kind);
    argument.slot = ConstantBufferSlot{cb, offset};
    argument.where = where_;
    // Hidden arguments come first; a source argument may well be called printf_buffer.
    only_hidden_ = only_hidden_ && block_.dialect != text::Dialect::Amdil && hidden_kind(name).has_value();
    if (only_hidden_) argument.kind = Hidden{*hidden_kind(name)};
    return argument;
  }

  const text::Document& document_;
  const text::Block& block_;
  Kernel kernel_;
  ResourceIds& ids_ = std::get<ConstantBufferLaunch>(kernel_.launch).ids;
  SourceRange where_;
  bool only_hidden_ = true;
  std::vector<std::pair<std::string_view, std::size_t>> values_;  // value arguments: name, index
  std::size_t indexed_ = 0;  // how many of them are in `by_name_`, which only samplers need
  std::unordered_map<std::string_view, std::size_t> by_name_;
};

}  // namespace

Kernel lower_kernel(const text::Document& document, const text::Block& block, const text::CallTotals& totals) {
  return KernelBuilder(document, block, totals).build();
}

std::vector<DataSegment> lower_data(const text::Document& document, std::uint64_t max_bytes) {
  std::vector<DataSegment> out;
  for (const text::Segment& segment : document.segments) {
    std::uint64_t size = segment.size;
    for (const text::DataWords& line : segment.lines) size = std::max(size, line.offset + text::data_bytes(line));
    if (!segment.complete || size > max_bytes || segment.constant_buffer.value_or(2) < 2) continue;
    max_bytes -= size;
    DataSegment& data = out.emplace_back();
    data.constant_buffer = segment.constant_buffer;
    data.where = segment.where;
    data.bytes.resize(size);
    for (const text::DataWords& line : segment.lines) {
      const std::uint32_t width = text::data_width(line);
      std::byte* at = data.bytes.data() + line.offset;
      for (const std::uint64_t word : document.words(line))
        for (std::uint32_t i = 0; i < width; ++i) *at++ = static_cast<std::byte>(word >> (8 * i));
    }
  }
  return out;
}

void lower_printf(const text::Document& document, std::vector<PrintfFormat>& out) {
  // The same call may stand in several functions; one id is one format. [BE; HLC printf map]
  std::unordered_set<std::uint64_t> seen;
  for (const PrintfFormat& format : out) seen.insert((std::uint64_t{format.unit} << 32) | format.id);
  for (const text::Block& block : document.blocks)
    for (const text::Element& element : document.directives(block)) {
      const auto* line = std::get_if<text::PrintfFmt>(&element.directive);
      if (line == nullptr || !seen.insert((std::uint64_t{block.unit} << 32) | line->id).second) continue;
      PrintfFormat& format = out.emplace_back();
      format.id = line->id;
      const auto sizes = document.ids(line->first, line->stored);
      format.sizes.assign(sizes.begin(), sizes.end());
      format.format = text::decode_printf(line->escaped);
      format.unit = block.unit;
      format.where = {element.body, element.length};
    }
}

Program lower(const text::Document& document, std::uint64_t max_data_bytes) {
  Program program;
  program.family = Family::Text;
  const text::CallTable calls = text::call_table(document);
  for (std::size_t i = 0; i < document.blocks.size(); ++i) {
    const text::Block& block = document.blocks[i];
    if (!text::kernel_name(document, block)) continue;
    program.kernels.push_back(lower_kernel(document, block, calls.totals[i]));
  }
  if (!program.kernels.empty()) program.device = program.kernels.front().device;
  program.data = lower_data(document, max_data_bytes);
  lower_printf(document, program.printf);
  return program;
}

}  // namespace amdcompat
