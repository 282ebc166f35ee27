// The prologue, the layout of the kernarg segment, and the code object around them.
//
// A wavefront of the new kernel starts with the kernarg pointer in s[0:1] and its work-group ids behind it. The old
// code wants user data in its first USER_SGPR registers and the ids behind those. So the prologue keeps the pointer in
// VCC, which nothing has set yet, moves the ids, and fills the registers of each user-data element. It is
// position-independent and changes nothing but scalar registers that the old code has of its own. The old code follows
// at the distance that hardware asks for. [RUN; SIA]
#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/gcn_checks.hpp>
#include <amdcompat/in_place.hpp>

#include "facts.hpp"
#include "retarget.hpp"

namespace amdcompat::convert {
namespace {

using u32 = std::uint32_t;

constexpr u32 kWord3 = 0x00027fac;  // of every buffer descriptor: selects x, y, z, w; 32-bit float [RUN]
constexpr u32 kAll = 0xffffffff;  // num_records: the application's buffers bound the accesses
constexpr u32 kUavEntry = abi::kUavEntryBytes;
constexpr u32 kConstantStride = 16;  // of constant buffers from 2 on [RUN]
constexpr u32 kVccLow = 106, kVccHigh = 107;
constexpr u32 kZero = 128, kMinusOne = 193;

using gcn::Opcode;
constexpr PrologueInstruction kInstructions[] = {
    {Opcode::s_mov_b32, "constants, work-group ids"},
    {Opcode::s_mov_b64, "keeps the kernarg pointer"},
    {Opcode::s_add_u32, "addresses, low half"},
    {Opcode::s_addc_u32, "addresses, high half"},
    {Opcode::s_sub_u32, "address of constants, low half"},
    {Opcode::s_subb_u32, "address of constants, high half"},
    {Opcode::s_or_b32, "stride of a descriptor"},
    {Opcode::s_getpc_b64, "address of the constant UAV table, and of constants"},
    {Opcode::s_load_dword, "high half of a buffer's address"},
    {Opcode::s_load_dwordx2, "a buffer's address"},
    {Opcode::s_waitcnt, "end of the loads"},
    {Opcode::s_nop, "waits where GFX6 does not, and fills up to the old code"},
};

// Instructions of the prologue for GFX6 and GFX7, which encode all of them alike.
class Assembler {
 public:
  void mov(u32 to, u32 source) { put(Opcode::s_mov_b32, to, {source}); }
  void keep_pointer() {
    put(Opcode::s_mov_b64, kVccLow, {0u});
    since_pointer_ = 0;
  }
  // A constant, inline where it has a code.
  void set(u32 to, u32 value) {
    if (value <= 64)
      mov(to, kZero + value);
    else if (value == kAll)
      mov(to, kMinusOne);
    else
      put(Opcode::s_mov_b32, to, {gcn::kLiteral}, value);
  }
  void add(u32 to, u32 a, u32 value) { put(Opcode::s_add_u32, to, {a, gcn::kLiteral}, value); }
  void carry(u32 to, u32 a) { put(Opcode::s_addc_u32, to, {a, kZero}); }
  void set_bits(u32 to, u32 value) { put(Opcode::s_or_b32, to, {to, gcn::kLiteral}, value); }
  void get_pc(u32 to) { put(Opcode::s_getpc_b64, to, {}); }
  // The address of what lies `before` bytes in front of the prologue.
  void address(u32 to, u32 before) {
    get_pc(to);
    const u32 distance = before + static_cast<u32>(words.size() * 4);
    put(Opcode::s_sub_u32, to, {to, gcn::kLiteral}, distance);
    put(Opcode::s_subb_u32, to + 1, {to + 1, kZero});
  }
  // From `offset` bytes behind the kernarg pointer in VCC. Larger offsets than 8 bits of dwords go through `to`.
  void load(Opcode what, u32 to, u32 offset) {
    gcn::Instruction i = start(what, to);
    i.resource = kVccLow;
    i.immediate_offset = offset / 4 < 256;
    if (i.immediate_offset) {
      i.immediate = static_cast<std::int32_t>(offset);
    } else {
      set(to, offset);
      i.sources[1] = static_cast<std::uint16_t>(to);
    }
    constexpr u32 kWait = 4;  // of GFX6, between a scalar write and a scalar load: rule smrd-after-salu
    if (since_pointer_ < kWait) nop(kWait - since_pointer_);
    put(i);
    loads = true;
  }
  // lgkmcnt(0), the other counters at their largest values.
  void wait() {
    if (loads) immediate(Opcode::s_waitcnt, 0x007f);
    loads = false;
  }
  void pad(std::size_t to) {
    if (words.size() % to == 0) return;
    nop(1);
    for (const u32 one = words.back(); words.size() % to != 0; words.push_back(one)) {
      starts_.push_back(static_cast<u32>(words.size()));
      ++idle;
    }
  }
  void nop(u32 wait_states) { immediate(Opcode::s_nop, static_cast<std::int32_t>(wait_states - 1)); }

  // Of the last instructions, as many as `count`.
  [[nodiscard]] std::span<const u32> last(std::size_t count) const {
    const std::span<const u32> all = words;
    return starts_.size() <= count ? all : all.subspan(starts_[starts_.size() - count]);
  }

  std::vector<u32> words;
  u32 idle = 0;  // wait states at the end in which nothing is done
  bool loads = false;
  bool complete = true;  // every instruction could be encoded

 private:
  static gcn::Instruction start(Opcode opcode, u32 to) {
    gcn::Instruction out;
    auto row = std::ranges::lower_bound(gcn::rows(), opcode, {}, &gcn::Row::opcode);
    while (row != gcn::rows().end() && row->opcode == opcode && !row->on(gcn::Generation::Gfx6)) ++row;
    if (row == gcn::rows().end() || row->opcode != opcode) return out;
    out.row = &*row;
    out.opcode = opcode;
    out.format = row->format;
    out.destination = static_cast<std::uint16_t>(to);
    return out;
  }
  void put(Opcode opcode, u32 to, std::initializer_list<u32> sources, u32 literal = 0) {
    gcn::Instruction i = start(opcode, to);
    std::ranges::transform(sources, i.sources.begin(), [](u32 code) { return static_cast<std::uint16_t>(code); });
    i.literal = literal;
    put(i);
  }
  void immediate(Opcode opcode, std::int32_t value) {
    gcn::Instruction i = start(opcode, 0);
    i.immediate = value;
    put(i);
  }
  void put(const gcn::Instruction& instruction) {
    const Result<gcn::Encoded> out = gcn::encode(instruction, gcn::Generation::Gfx6);
    complete = complete && out.has_value();
    const u32 waits = instruction.opcode == Opcode::s_nop ? static_cast<u32>(instruction.immediate) + 1 : 0;
    since_pointer_ += std::max(waits, 1u);
    idle = waits == 0 ? 0 : idle + waits;
    starts_.push_back(static_cast<u32>(words.size()));
    // A word even then, so that what follows keeps its place and padding ends.
    if (!out) return words.push_back(0);
    words.insert(words.end(), out->words.begin(), out->words.begin() + out->dwords);
  }

  u32 since_pointer_ = 0;  // wait states since VCC was written
  std::vector<u32> starts_;  // of each instruction, its first word
};

u32 align_up(u32 value, u32 to) { return (value + to - 1) / to * to; }
void put_word(std::vector<std::byte>& bytes, std::size_t at, u32 word) {
  for (u32 n = 0; n < 4; ++n) bytes[at + n] = static_cast<std::byte>(word >> (8 * n) & 255);
}

const PointerInfo* global_pointer(const Argument& argument) {
  if (const auto* p = std::get_if<GlobalPointer>(&argument.kind)) return p;
  return std::get_if<ConstantPointer>(&argument.kind);
}
// Buffer 0, where no argument is, for those that no constant buffer holds.
ConstantBufferSlot slot_of(const Argument& argument) {
  const ConstantBufferSlot* const slot = argument.in_constant_buffer();
  return slot == nullptr ? ConstantBufferSlot{0, 0} : *slot;
}
bool in_constant_buffer(const PointerInfo& pointer) { return pointer.memory == MemoryKind::HardwareConstant; }

void report_refusal(const Kernel& kernel, Code code, std::string_view why, Diagnostics& diagnostics) {
  const DiagnosticScope scope(diagnostics, {.kernel = kernel.name});
  diagnostics.report_on(Subject::Kernel, code, kernel.where, fmt::format("cannot be converted in place: {}", why));
}

bool is_global(const DataSegment& data) { return !data.constant_buffer; }

// Constants of the file that the object carries: how many bytes in front of the prologue, by constant buffer.
using Carried = std::map<u32, u32>;

// One kernel: what its arguments become, its prologue and its descriptor.
class KernelMaker {
 public:
  KernelMaker(const Program& program, std::size_t kernel, gcn::Generation generation, const Carried& carried,
              hsa::MetadataKernel metadata, Diagnostics& diagnostics)
      : index_(kernel), kernel_(program.kernels[kernel]), state_(std::get_if<cl1::CalState>(&kernel_.entry)),
        code_(kernel_code(program, kernel_)), generation_(generation), carried_(carried),
        global_data_(program.data.empty() || std::ranges::any_of(program.data, is_global)), ids_(resource_ids(kernel_)),
        metadata_(std::move(metadata)), diagnostics_(diagnostics) {}

  bool make() {
    if (!check() || !place_arguments() || !write_prologue() || !count_scalars()) return false;
    describe();
    warn_of_short_offsets();
    return true;
  }

  InPlaceKernel layout;
  hsa::KernelDescriptor descriptor;
  std::vector<std::byte> text;  // prologue, old code, table
  [[nodiscard]] hsa::MetadataKernel take_metadata() { return std::move(metadata_); }

 private:
  bool refuse(Code code, std::string why) {
    report_refusal(kernel_, code, why, diagnostics_);
    return false;
  }
  [[nodiscard]] bool wide() const { return kernel_.address_bits == AddressBits::Bits64; }

  bool check() {
    if (state_ == nullptr || code_.empty()) return refuse(Code::InPlaceNoCode, "no machine code for the device");
    const cl1::ProgramInfo& info = state_->info;
    if (!info.rsrc2 || !info.vgprs || !info.sgprs)
      return refuse(Code::InPlaceNoCode, "the image does not say which registers the code uses");
    if (*info.vgprs > 256 || *info.sgprs > 104 || user_registers() > 16)
      return refuse(Code::InPlaceNoCode,
                    fmt::format("{} vector, {} scalar and {} user registers are more than any device has", *info.vgprs,
                                *info.sgprs, user_registers()));
    if (info.scratch_dwords.value_or(0) != 0 || kernel_.segments.emulated_private != 0)
      return refuse(Code::InPlaceScratch, fmt::format("{} bytes of scratch memory for a work-item",
                                                      std::max<std::uint64_t>(info.scratch_dwords.value_or(0) * u32{4},
                                                                              kernel_.segments.emulated_private)));
    if (kernel_.compiler_write) return refuse(Code::InPlaceUserData, "it writes to the old runtime's dummy page");
    // The object could carry the bytes, but only a store could put their address where the code loads it from. GFX6
    // and GFX7 have no scalar stores [SIA; CIA], and nothing keeps the scalar cache coherent with vector stores.
    // [LU «Memory Model GFX6-GFX9»]
    if (global_data_ && (kernel_.needs_data_segment || (ids_.constants && immediate_uav(*ids_.constants))))
      return refuse(Code::InPlaceUserData,
                    "it takes the address of its global data segment out of constant buffer 0, which is part of the "
                    "kernarg segment: no prologue can put the address of the object's data there");
    return true;
  }
  [[nodiscard]] u32 user_registers() const { return *state_->info.rsrc2 >> 1 & 31; }

  bool count_scalars() {
    sgprs_ = std::max(scalar_registers(code_, *state_->info.sgprs, generation_, true), 16u);
    if (sgprs_ <= 104) return true;
    return refuse(Code::InPlaceNoCode,
                  fmt::format("{} scalar registers with VCC, of 104 that a wavefront can have", sgprs_));
  }

  // The new descriptors have base 0, so an offset of 32 bits reaches the first 4 GiB.
  void warn_of_short_offsets() {
    if (!wide() || !may_have_short_offsets()) return;
    for (const gcn::Block& block : gcn::control_flow(code_, 0, generation_).blocks)
      for (const u32 at : block.instructions) {
        const gcn::Instruction i = gcn::decode(code_, at, generation_);
        if (!has_short_offset(i)) continue;
        const DiagnosticScope scope(diagnostics_, {.kernel = kernel_.name});
        diagnostics_.report_on(
            Subject::Kernel, Code::InPlaceLowAddresses, kernel_.where,
            fmt::format("addresses a buffer with an offset of 32 bits, {} at +0x{:x}: buffers must lie below 4 GiB",
                        i.row->name, at));
        return;
      }
  }

  // Whether that is such an access.
  static bool has_short_offset(const gcn::Instruction& i) {
    const bool buffer = i.format == gcn::Format::Mubuf || i.format == gcn::Format::Mtbuf;
    return buffer && !i.addr64 && (i.offen || i.idxen);
  }
  // Whether some dword would be one if an instruction began there: most code has none, and its ways need not be found.
  [[nodiscard]] bool may_have_short_offsets() const {
    std::vector<gcn::FormatInfo> buffers;
    std::ranges::copy_if(gcn::formats(generation_), std::back_inserter(buffers), [](const gcn::FormatInfo& f) {
      return f.format == gcn::Format::Mubuf || f.format == gcn::Format::Mtbuf;
    });
    const auto is_buffer = [&](u32 word) {
      return std::ranges::any_of(buffers, [&](const gcn::FormatInfo& f) { return (word & f.mask) == f.value; });
    };
    for (u32 at = 0; at + 4 <= code_.size(); at += 4) {
      u32 word = 0;
      std::memcpy(&word, code_.data() + at, sizeof word);
      if (is_buffer(word) && has_short_offset(gcn::decode(code_, at, generation_))) return true;
    }
    return false;
  }

  // --- arguments ---

  bool place_arguments() {
    u32 end = 0;
    for (std::size_t i = 0; i < kernel_.arguments.size(); ++i)
      if (!place_argument(i, end)) return false;
    layout.kernel = index_;
    layout.cb1_bytes = align_up(std::max(end, 16u), 16);
    // Trailing arguments have no counterpart in the old kernel.
    u32 at = layout.cb1_bytes;
    cb0_at_ = at;
    trail(abi::TrailingKind::ConstantBuffer0, 0, at, abi::kCb0Bytes);
    trailing_.back().type_name = abi::cb0_type_name(kernel_.address_bits);
    if (!wide() && uses(cl1::kClassUavTable) && !used_uavs().empty()) {
      const std::vector<u32> slots = used_uavs();
      layout.first_uav = slots.front();
      // The table pointer is that of slot 0, and must not be below the segment.
      at = std::max(at, layout.first_uav * kUavEntry);
      table_at_ = at;
      trail(abi::TrailingKind::UavTable, 0, at, (slots.back() - slots.front() + 1) * kUavEntry);
    }
    if (kernel_.uses_printf) printf_at_ = trail(abi::TrailingKind::Printf, 0, at, 8);
    for (const cl1::UserElement& element : state_->user_elements)
      if (element.data_class == cl1::kClassConstantBuffer && element.slot > 1 && !constant_argument(element.slot) &&
          !carried_.contains(element.slot))
        constants_at_.emplace_back(element.slot, trail(abi::TrailingKind::Constants, element.slot, at, 8));
    layout.kernarg_bytes = align_up(at, 16);
    return true;
  }

  bool place_argument(std::size_t i, u32& end) {
    const Argument& argument = kernel_.arguments[i];
    hsa::MetadataArgument& out = metadata_.args[i];
    const ConstantBufferSlot slot = slot_of(argument);
    const u32 offset = slot.offset;
    const DiagnosticScope scope(diagnostics_, {.argument = argument.name});
    if (slot.buffer != 1 || offset > 0x10000)
      return refuse(Code::InPlaceArgument,
                    fmt::format("argument {} is in constant buffer {} at {}", argument.name, slot.buffer, offset));
    u32 size = 0;
    if (const auto* value = std::get_if<ByValue>(&argument.kind)) {
      const std::optional<u32> bytes = abi::host_bytes(*value);
      const u32 reserved = abi::slot_bytes(argument);
      if (!bytes || *bytes == 0 || *bytes > reserved)
        return refuse(Code::InPlaceArgument, fmt::format("argument {}: the host's value is not what its {} bytes hold",
                                                         argument.name, reserved));
      if (value->elements > 4 && scalar_size(value->type) < 4 && scalar_size(value->type) != 0)
        return refuse(
            Code::InPlaceArgument,
            fmt::format("argument {}: the old runtime spread its elements over several slots", argument.name));
      size = *bytes;
    } else if (std::holds_alternative<LocalPointer>(argument.kind)) {
      size = 4;
    } else if (global_pointer(argument) != nullptr) {
      size = 8;
    } else {
      return refuse(
          Code::InPlaceArgument,
          fmt::format("argument {} is an image, a sampler or a counter, which runtimes of today pass in another form",
                      argument.name));
    }
    if (offset < end && i > 0 && overlaps(offset, size))
      return refuse(Code::InPlaceArgument, fmt::format("argument {} overlaps another one", argument.name));
    out.offset = offset;
    out.size = size;
    layout.arguments.push_back({std::nullopt, static_cast<u32>(i), offset, size});
    end = std::max(end, offset + align_up(size, 16));
    return true;
  }
  [[nodiscard]] bool overlaps(u32 offset, u32 size) const {
    return std::ranges::any_of(layout.arguments, [&](const InPlaceArgument& other) {
      return offset < other.offset + other.size && other.offset < offset + size;
    });
  }
  u32 trail(abi::TrailingKind kind, u32 index, u32& at, u32 size) {
    const u32 offset = at;
    hsa::MetadataArgument& out = trailing_.emplace_back();
    out.name = abi::trailing_name({kind, index});
    out.offset = offset;
    out.size = size;
    const bool address = kind != abi::TrailingKind::ConstantBuffer0 && kind != abi::TrailingKind::UavTable;
    out.value_kind = address ? hsa::ValueKind::GlobalBuffer : hsa::ValueKind::ByValue;
    if (address) out.address_space = hsa::AddressSpace::Global;
    layout.arguments.push_back({kind, index, offset, size});
    at = offset + size;
    return offset;
  }

  // --- where descriptors come from ---

  [[nodiscard]] bool uses(u32 data_class) const {
    return std::ranges::any_of(state_->user_elements,
                               [&](const cl1::UserElement& e) { return e.data_class == data_class; });
  }
  [[nodiscard]] bool immediate_uav(u32 slot) const {
    return std::ranges::any_of(state_->user_elements, [&](const cl1::UserElement& e) {
      return e.data_class == cl1::kClassUav && e.slot == slot;
    });
  }
  // Slots that pointers, data and printf use, ascending.
  [[nodiscard]] std::vector<u32> used_uavs() const {
    std::vector<u32> out;
    for (const Argument& argument : kernel_.arguments)
      if (const PointerInfo* const p = global_pointer(argument); p != nullptr && !in_constant_buffer(*p))
        out.push_back(p->buffer);
    if (kernel_.uses_printf && ids_.printf) out.push_back(*ids_.printf);
    if (const auto raw = effective_raw_uav(kernel_)) out.push_back(*raw);
    std::erase_if(out, [](u32 slot) { return slot >= 256; });
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
  }
  // Offset of the argument whose buffer is in that UAV, or of the trailing address that is.
  [[nodiscard]] std::optional<u32> uav_address(u32 slot) const {
    for (const Argument& argument : kernel_.arguments)
      if (const PointerInfo* const p = global_pointer(argument);
          p != nullptr && !in_constant_buffer(*p) && p->buffer == slot)
        return slot_of(argument).offset;
    return slot == ids_.printf ? printf_at_ : std::nullopt;
  }
  [[nodiscard]] std::optional<u32> constant_argument(u32 slot) const {
    for (const Argument& argument : kernel_.arguments)
      if (const PointerInfo* const p = global_pointer(argument);
          p != nullptr && in_constant_buffer(*p) && p->buffer == slot)
        return slot_of(argument).offset;
    return std::nullopt;
  }

  // --- the prologue ---

  bool write_prologue() {
    const cl1::ProgramInfo& info = state_->info;
    const u32 rsrc2 = *info.rsrc2;
    const u32 user = user_registers();
    u32 ids = 0;
    for (u32 bit = 7; bit <= 10; ++bit) ids += rsrc2 >> bit & 1;
    Assembler a;
    // Ids first, the highest one first: their places may overlap upwards.
    constexpr u32 kNewUser = 2;
    if (!state_->user_elements.empty()) a.keep_pointer();
    if (user > kNewUser)
      for (u32 n = ids; n-- > 0;) a.mov(user + n, kNewUser + n);
    std::vector<std::pair<std::size_t, u32>> table_words;  // where the distance to the table is to be put
    std::vector<u32> strided;  // descriptors that get a stride when their address is there
    for (const cl1::UserElement& e : state_->user_elements) {
      const cl1::UserDataClass* const row = cl1::find_user_data_class(e.data_class);
      const auto what = [&] {
        return fmt::format("{} {} in s{} to s{}", row != nullptr ? row->name : "an unknown class", e.slot, e.first,
                           e.first + e.count - 1);
      };
      const bool known = row != nullptr && row->registers == e.count && e.count != 0;
      if (!known || e.first % 2 != 0 || e.first > user || e.count > user - e.first)
        return refuse(Code::InPlaceUserData, fmt::format("user data {}, with {} user registers", what(), user));
      if (e.data_class == cl1::kClassConstantBuffer && e.slot <= 1) {
        const u32 at = e.slot == 0 ? cb0_at_ : 0;
        a.add(e.first, kVccLow, at);
        a.carry(e.first + 1, kVccHigh);
        a.set(e.first + 2, e.slot == 0 ? abi::kCb0Bytes : layout.cb1_bytes);
        a.set(e.first + 3, kWord3);
      } else if (e.data_class == cl1::kClassConstantBuffer) {
        std::optional<u32> at = constant_argument(e.slot);
        for (const auto& [slot, offset] : constants_at_)
          if (slot == e.slot) at = offset;
        if (at)
          a.load(Opcode::s_load_dwordx2, e.first, *at);
        else
          a.address(e.first, carried_.at(e.slot));
        strided.push_back(e.first + 1);
        a.set(e.first + 2, kAll);
        a.set(e.first + 3, kWord3);
      } else if (e.data_class == cl1::kClassUav) {
        const std::optional<u32> at = uav_address(e.slot);
        if (!at && e.slot != effective_raw_uav(kernel_) && !wide())
          return refuse(Code::InPlaceUserData, fmt::format("user data {}: no argument is bound there", what()));
        if (wide() || !at)
          a.set(e.first + 1, 0);
        else
          a.load(Opcode::s_load_dword, e.first + 1, *at + 4);
        a.set(e.first, 0);
        a.set(e.first + 2, kAll);
        a.set(e.first + 3, kWord3);
      } else if (e.data_class == cl1::kClassUavTable && wide()) {
        a.get_pc(e.first);
        table_words.emplace_back(a.words.size() + 1, static_cast<u32>(a.words.size()));
        a.add(e.first, e.first, 0);
        a.carry(e.first + 1, e.first + 1);
      } else if (e.data_class == cl1::kClassUavTable) {
        a.add(e.first, kVccLow, table_at_ - layout.first_uav * kUavEntry);
        a.carry(e.first + 1, kVccHigh);
      } else {
        return refuse(Code::InPlaceUserData, fmt::format("user data {}: {}", what(), row->meaning));
      }
    }
    a.wait();
    for (const u32 reg : strided) a.set_bits(reg, kConstantStride << 16);
    if (user < kNewUser)
      for (u32 n = 0; n < ids; ++n) a.mov(user + n, kNewUser + n);
    a.pad(16);  // the code begins on a cache line, as it did
    u32 wait = missing_at_joint(a);
    if (wait != 0) {
      a.nop(wait);
      a.pad(16);
      wait = missing_at_joint(a);
    }
    if (!a.complete || wait != 0) return refuse(Code::InternalError, "the prologue cannot be encoded");
    layout.prologue_bytes = static_cast<u32>(a.words.size() * 4);
    if (user + ids > *info.sgprs && user + ids > kNewUser + ids)
      return refuse(Code::InPlaceUserData, fmt::format("{} registers for user data and ids, of {} that the code has",
                                                       user + ids, *info.sgprs));

    const u32 table = align_up(layout.prologue_bytes + static_cast<u32>(code_.size()), 64);
    for (const auto& [word, pc] : table_words) a.words[word] = table - pc * 4;
    text.resize(table_words.empty() ? layout.prologue_bytes + code_.size() : table);
    for (std::size_t n = 0; n < a.words.size(); ++n) put_word(text, n * 4, a.words[n]);
    std::ranges::copy(code_, text.begin() + layout.prologue_bytes);
    if (!table_words.empty()) append_table();
    return true;
  }
  // Wait states that lack between the prologue and the old code. Of both only what is near enough to the joint for any
  // rule is looked at: an instruction takes a wait state or more.
  [[nodiscard]] u32 missing_at_joint(const Assembler& prologue) const {
    static const u32 window = std::ranges::max(gcn::hazard_rules(), {}, &gcn::HazardRule::wait_states).wait_states;
    if (prologue.idle >= window) return 0;
    const std::span<const u32> end = prologue.last(window);
    std::vector<std::byte> all(end.size() * 4);
    for (std::size_t n = 0; n < end.size(); ++n) put_word(all, n * 4, end[n]);
    const std::size_t joint = all.size();
    const std::span<const std::byte> first = first_instructions(window);
    all.insert(all.end(), first.begin(), first.end());
    u32 out = 0;
    for (const gcn::Hazard& hazard : gcn::hazards(all, 0, generation_))
      if (hazard.first < joint) out = std::max<u32>(out, hazard.rule->wait_states - hazard.wait_states);
    return out;
  }
  // So many of the old code. All of it where one of them may go elsewhere.
  [[nodiscard]] std::span<const std::byte> first_instructions(u32 count) const {
    u32 end = 0;
    for (u32 n = 0; n < count && end < code_.size(); ++n) {
      const gcn::Instruction i = gcn::decode(code_, end, generation_);
      if (i.row == nullptr || gcn::flow(i.opcode) != gcn::Flow::Next) return code_;
      end += i.dwords * u32{4};
    }
    return code_.first(end);
  }
  // Base 0, everything in range: pointers are whole addresses.
  void append_table() {
    const std::vector<u32> slots = used_uavs();
    const std::size_t begin = text.size();
    text.resize(begin + (slots.empty() ? 0 : slots.back() + 1) * kUavEntry);
    for (const u32 slot : slots)
      for (u32 n = 0; n < 4; ++n) put_word(text, begin + slot * kUavEntry + 4 * n, abi::uav_entry(0)[n]);
  }

  // --- descriptor and metadata ---

  void describe() {
    const cl1::ProgramInfo& info = state_->info;
    const u32 rsrc2 = *info.rsrc2;
    const u32 vgprs = std::max(*info.vgprs, 1u);
    constexpr u32 kDx10Clamp = 1u << 21;
    descriptor.rsrc1 = (align_up(vgprs, 4) / 4 - 1) | (gcn::allocated_scalars(sgprs_, generation_) / 8 - 1) << 6 |
                       (info.float_mode.value_or(0xc0) & 0xff) << 12 | kDx10Clamp |
                       (info.ieee_mode.value_or(0) & 1) << 23;
    // Two user registers; ids of work-groups and work-items as before; scratch, traps and LDS are the loader's.
    constexpr u32 kIds = 0x7u << 7 | 1u << 10 | 3u << 11;
    descriptor.rsrc2 = 2u << 1 | (rsrc2 & kIds);
    descriptor.properties = kSgprKernargPtr;
    descriptor.kernarg_size = layout.kernarg_bytes;
    descriptor.group_segment_fixed_size = static_cast<u32>(kernel_.segments.local_bytes());
    metadata_.args.resize(kernel_.arguments.size());  // hidden ones go
    metadata_.args.insert(metadata_.args.end(), trailing_.begin(), trailing_.end());
    metadata_.kernarg_segment_size = layout.kernarg_bytes;
    metadata_.kernarg_segment_align = 16;
    metadata_.group_segment_fixed_size = descriptor.group_segment_fixed_size;
    metadata_.private_segment_fixed_size = 0;
    metadata_.wavefront_size = 64;
    metadata_.sgpr_count = sgprs_;
    metadata_.vgpr_count = vgprs;
  }

  std::size_t index_;
  const Kernel& kernel_;
  const cl1::CalState* state_;  // null: the file has none
  std::span<const std::byte> code_;
  gcn::Generation generation_;  // of the target
  const Carried& carried_;
  bool global_data_;  // the code may look for data where constant buffer 0 says
  const ResourceIds ids_;
  hsa::MetadataKernel metadata_;  // arguments and sizes replaced by `make`
  Diagnostics& diagnostics_;
  std::vector<hsa::MetadataArgument> trailing_;
  std::optional<u32> printf_at_;
  std::vector<std::pair<u32, u32>> constants_at_;  // slot, offset
  u32 sgprs_ = 0;  // with VCC and what else lies behind the numbered ones
  u32 cb0_at_ = 0;
  u32 table_at_ = 0;
};

// Constant buffers beyond 0 and 1 that user data of the kernel describes.
std::vector<u32> constant_slots(const Kernel& kernel) {
  std::vector<u32> out;
  if (const auto* const state = std::get_if<cl1::CalState>(&kernel.entry))
    for (const cl1::UserElement& e : state->user_elements)
      if (e.data_class == cl1::kClassConstantBuffer && e.slot > 1) out.push_back(e.slot);
  return out;
}

}  // namespace

std::span<const PrologueInstruction> prologue_instructions() { return kInstructions; }

std::optional<InPlaceObject> to_in_place(const Program& program, Diagnostics& diagnostics,
                                         const InPlaceOptions& options) {
  InPlaceObject out;
  hsa::CodeObject& object = out.object;
  object.version = options.version;
  if (options.target) {
    object.target = options.target->target;
    object.features = options.target->features;
  } else {
    const Result<const Target*> target = choose_target(program, {});
    if (!target) {
      diagnostics.add(target.error());
      return std::nullopt;
    }
    object.target = *target;
  }
  const auto generation = object.target == nullptr ? std::nullopt : object.target->generation;
  if (!generation || *generation > Generation::Gfx7) {
    diagnostics.report(
        Code::InPlaceDevice, {},
        fmt::format("{} does not run code of OpenCL 1.x kernels: only GFX6 and GFX7 have the scalar loads "
                    "by which it reads its arguments",
                    object.target == nullptr ? "the device" : object.target->name));
    return std::nullopt;
  }
  object.metadata.version = hsa::version_info(options.version).metadata;
  if (options.version >= hsa::CodeObjectVersion::V4) {
    const auto id = hsa::target_id(*object.target, options.version, object.features);
    if (!id) {
      diagnostics.add(id.error());
      return std::nullopt;
    }
    object.metadata.target = *id;
  }
  // The generation that the code was made for, as far as the container says.
  const Device* const device = find_device(program.device);
  if (device != nullptr && is_vliw(device->isa)) {
    diagnostics.report(Code::InPlaceDevice, {}, fmt::format("{} code is no code for GFX6 or GFX7", device->name));
    return std::nullopt;
  }
  const Target* const made_for = device == nullptr ? nullptr : find_target(device->target);
  const bool retarget = made_for != nullptr && made_for->generation != generation;
  CodeSection text;
  text.name = ".text";
  text.align = 256;
  text.executable = true;
  std::map<u32, std::size_t> placed;  // constants in the section: constant buffer, bytes from its start
  for (std::size_t n = 0; n < program.kernels.size(); ++n) {
    const Kernel& source = program.kernels[n];
    // Names, types and qualifiers as for recompiled code; places are ours.
    Program one;
    one.family = program.family;
    one.device = program.device;
    one.kernels.push_back(source);
    Conversion natural = to_metadata(one, diagnostics);
    if (natural.metadata.kernels.empty()) {
      ++out.refused;
      continue;
    }
    const Result<void> same =
        retarget ? check_retarget(kernel_code(program, source), *made_for, *object.target) : Result<void>();
    if (!same) {
      report_refusal(source, same.error().code, same.error().message, diagnostics);
      ++out.refused;
      continue;
    }
    // Constants of the file stand once, in front of the first kernel that uses them.
    const std::size_t before = text.bytes.size();
    const std::map<u32, std::size_t> placed_before = placed;
    const auto align = [&] { text.bytes.resize((text.bytes.size() + 255) / 256 * 256); };
    for (const u32 slot : constant_slots(source))
      for (const DataSegment& segment : program.data) {
        if (segment.constant_buffer != slot || placed.contains(slot)) continue;
        align();
        placed[slot] = text.bytes.size();
        text.bytes.insert(text.bytes.end(), segment.bytes.begin(), segment.bytes.end());
      }
    align();
    Carried carried;
    for (const auto& [slot, at] : placed) carried[slot] = static_cast<u32>(text.bytes.size() - at);
    KernelMaker maker(program, n, *generation, carried, std::move(natural.metadata.kernels.front()), diagnostics);
    if (!maker.make()) {
      ++out.refused;
      text.bytes.resize(before);
      placed = placed_before;
      continue;
    }
    hsa::CodeKernel& kernel = object.kernels.emplace_back();
    kernel.name = source.name;
    kernel.descriptor = maker.descriptor;
    kernel.code = {0, text.bytes.size(), maker.text.size()};
    text.bytes.insert(text.bytes.end(), maker.text.begin(), maker.text.end());
    object.metadata.kernels.push_back(maker.take_metadata());
    out.kernels.push_back(std::move(maker.layout));
  }
  if (object.kernels.empty()) return std::nullopt;
  object.has_metadata = true;
  object.code.sections.push_back(std::move(text));
  return out;
}

Result<std::vector<std::byte>> kernarg_image(const InPlaceKernel& layout, const abi::LaunchImage& image) {
  const Kernel& kernel = image.kernel();
  std::vector<std::byte> out(layout.kernarg_bytes);
  const auto copy = [&](std::span<const std::byte> bytes, u32 at, u32 most) {
    std::ranges::copy(bytes.first(std::min<std::size_t>(bytes.size(), most)), out.begin() + at);
  };
  const auto refuse = [](std::string why) {
    return std::unexpected(make_diagnostic(Code::InPlaceKernarg, {}, std::move(why)));
  };
  copy(image.cb1(), 0, layout.cb1_bytes);
  for (const InPlaceArgument& argument : layout.arguments) {
    if (argument.trailing == abi::TrailingKind::ConstantBuffer0) copy(image.cb0(), argument.offset, argument.size);
  }
  const auto put_address = [&](u32 at, std::uint64_t address) {
    put_word(out, at, static_cast<u32>(address));
    put_word(out, at + 4, static_cast<u32>(address >> 32));
  };
  std::vector<std::uint64_t> high(256);
  std::vector<bool> known(256);
  for (const abi::Binding& binding : image.bindings()) {
    const auto find = [&](abi::TrailingKind kind) {
      return std::ranges::find_if(layout.arguments, [&](const InPlaceArgument& a) {
        return a.trailing == kind && (kind != abi::TrailingKind::Constants || a.index == binding.slot);
      });
    };
    if (binding.kind == abi::BindingKind::ConstantBuffer && binding.slot > 1) {
      // The code takes the address from where a runtime puts it.
      if (binding.argument)
        put_address(slot_of(kernel.arguments[*binding.argument]).offset, binding.address);
      else if (const auto a = find(abi::TrailingKind::Constants); a != layout.arguments.end())
        put_address(a->offset, binding.address);
    }
    if (binding.kind != abi::BindingKind::Uav) continue;
    if (binding.address != in_place_base(binding.address, kernel.address_bits) ||
        (kernel.address_bits == AddressBits::Bits64 && binding.address != 0))
      return refuse(
          fmt::format("{}: the descriptor's base is 0x{:x}, not that of in_place_base", binding.what, binding.address));
    if (binding.slot >= high.size()) continue;
    if (known[binding.slot] && high[binding.slot] != binding.address)
      return refuse(fmt::format("{}: two buffers of one UAV are in different ranges of 4 GiB", binding.what));
    known[binding.slot] = true;
    high[binding.slot] = binding.address;
    if (binding.argument && kernel.address_bits == AddressBits::Bits32)
      put_word(out, slot_of(kernel.arguments[*binding.argument]).offset + 4u, static_cast<u32>(binding.address >> 32));
  }
  for (const InPlaceArgument& argument : layout.arguments) {
    if (argument.trailing != abi::TrailingKind::UavTable) continue;
    for (u32 at = 0; at + kUavEntry <= argument.size; at += kUavEntry) {
      const u32 slot = layout.first_uav + at / kUavEntry;
      const auto words = abi::uav_entry(slot < high.size() ? high[slot] : 0);
      for (u32 n = 0; n < words.size(); ++n) put_word(out, argument.offset + at + 4 * n, words[n]);
    }
  }
  return out;
}

}  // namespace amdcompat::convert
