// GCN and RDNA machine code: its instructions as a table, taken apart, put together, and as text.
//
// The table holds facts about encodings only: which instruction exists on which generation, under which number and
// name. What an instruction does is no concern of this module.
//
//   const gcn::Instruction i = gcn::decode(code, 0, gcn::Generation::Gfx7);
//   if (i.row != nullptr) std::puts(gcn::disassemble(i, gcn::Generation::Gfx7).c_str());
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/device.hpp>
#include <amdcompat/diagnostic.hpp>
#include <amdcompat/export.h>

namespace amdcompat::gcn {

using amdcompat::Generation;
inline constexpr std::size_t kGenerations = 8;
[[nodiscard]] AMDCOMPAT_API std::string_view generation_name(Generation generation);  // "gfx6", "gfx10.3"
// Empty for VLIW devices.
[[nodiscard]] AMDCOMPAT_API std::optional<Generation> generation_of(Isa isa);
// Empty for VLIW targets, and for those with `unified_registers`, whose instructions no row here describes.
[[nodiscard]] AMDCOMPAT_API std::optional<Generation> generation_of(const Target& target);

// Encodings. A row of `Vop1`, `Vop2` and `Vopc` can also be encoded as `Vop3` where it has the form `E64`.
enum class Format : std::uint8_t {
  Sop2,
  Sopk,
  Sop1,
  Sopc,
  Sopp,
  Smrd,  // SMEM from GFX8 on
  Vop2,
  Vop1,
  Vopc,
  Vop3,
  Vintrp,
  Ds,
  Mubuf,
  Mtbuf,
  Mimg,  // VIMAGE on GFX12
  Exp,
  Flat,
  Global,  // FLAT with the segment of that name, from GFX9 on
  Scratch,
  Vop3p,  // packed operands, from GFX9 on
  Vinterp,  // from GFX11 on
  Ldsdir,  // from GFX11 on
  Vsample,  // GFX12: images by a sampler, MIMG before
  Vopd,  // two operations in one instruction, from GFX11 on, in wavefronts of 32 lanes
};
inline constexpr std::size_t kFormats = static_cast<std::size_t>(Format::Vopd) + 1;
struct FormatInfo {
  Format format;
  std::string_view name;  // "SOP2"
  std::uint32_t mask;  // of the first dword
  std::uint32_t value;
  std::uint8_t opcode_bit;  // lowest bit of the opcode in the first dword
  std::uint8_t opcode_width;
  std::uint8_t dwords;  // without a literal
  Generation first, last;
  std::string_view section;  // in the instruction chapter of the ISA manuals
};
// In the order in which they must be tried: a later mask may cover an earlier one.
[[nodiscard]] AMDCOMPAT_API std::span<const FormatInfo> formats(Generation generation);

// What an operand is: how many dwords, and whether floating-point modifiers apply.
enum class Shape : std::uint8_t { None, B32, F32, B64, F64, B96, B128, B256, B512, B16, F16, B1024 };
[[nodiscard]] constexpr std::uint32_t shape_dwords(Shape shape) {
  constexpr std::uint8_t kDwords[] = {0, 1, 1, 2, 2, 3, 4, 8, 16, 1, 1, 32};
  return kDwords[static_cast<std::size_t>(shape)];
}

// What the operands of an opcode have besides shapes; bits of a set.
enum class Property : std::uint32_t {
  Plain = 0,
  MaskOut = 1 << 0,  // writes a lane mask: VCC, or a pair of scalar registers in VOP3
  MaskIn = 1 << 1,  // reads a lane mask
  ReadsDestination = 1 << 2,  // as well as writing it
  Literal = 1 << 3,  // a literal always follows (v_madmk_f32)
  ScalarDestination = 1 << 4,  // of a vector instruction (v_readlane_b32)
  SourceDestination = 1 << 5,  // the destination field is only read (s_cmpk_eq_i32)
  // Registers that no field names. Lane masks in VCC are MaskIn and MaskOut, and that vector and memory instructions
  // read EXEC goes without saying, as that those of LDS read M0 up to GFX8.
  ReadsScc = 1 << 6,
  WritesScc = 1 << 7,
  ReadsVcc = 1 << 8,
  ReadsExec = 1 << 9,
  WritesExec = 1 << 10,
  ReadsM0 = 1 << 11,
  WritesM0 = 1 << 12,
  ReadsMode = 1 << 13,
  WritesMode = 1 << 14,
  // What memory instructions do; atomic operations do both.
  Load = 1 << 15,
  Store = 1 << 16,
};
[[nodiscard]] constexpr Property operator|(Property a, Property b) {
  return static_cast<Property>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
// Further encodings that a row stands for, and what its encodings can say; bits of a set.
enum class Form : std::uint64_t {
  Only = 0,
  E64 = 1 << 0,  // VOP3, suffix _e64
  Sdwa = 1 << 1,
  Dpp = 1 << 2,
  Dpp8 = 1 << 3,
  E64Dpp = 1 << 4,  // DPP of VOP3
  E64Dpp8 = 1 << 5,
  Bare = 1 << 6,  // text without _e32
  Suffix = 1 << 7,  // a row of VOP3 with _e64 in its text
  NoMask = 1 << 8,  // a comparison that writes EXEC instead of a mask
  Mod0 = 1 << 9,  // VOP3: source 0 can be negated and made absolute
  Mod1 = 1 << 10,
  Mod2 = 1 << 11,
  Clamp = 1 << 12,  // VOP3
  Omod = 1 << 13,  // VOP3: output modifier
  OpSel = 1 << 14,  // VOP3, VOP3P: which half of a register is meant
  OpSelHi = 1 << 15,  // VOP3P: the same for the high result
  NegHi = 1 << 16,  // VOP3P: negation, for each half
  ByteSel = 1 << 17,  // VOP3: which byte
  Vgpr0 = 1 << 18,  // source 0 is a vector register and nothing else
  Vgpr1 = 1 << 19,
  Vgpr2 = 1 << 20,
  Sgpr0 = 1 << 21,  // source 0 is scalar
  Sgpr1 = 1 << 22,
  Sgpr2 = 1 << 23,
  Attribute = 1 << 24,  // VOP3: interpolates
  Two = 1 << 25,  // DS: two offsets of 8 bits
  NoAddress = 1 << 26,  // DS, GLOBAL, SCRATCH
  NoOffset = 1 << 27,  // DS
  Gds = 1 << 28,  // DS: may be of GDS
  GdsOnly = 1 << 29,  // DS: is of GDS
  Lds = 1 << 30,  // MUBUF, GLOBAL, SCRATCH: may load into LDS
  LdsOnly = std::uint64_t{1} << 31,
  Tfe = std::uint64_t{1} << 32,
  NoImmediate = std::uint64_t{1} << 34,  // SOPP
  Unpacked = std::uint64_t{1} << 35,  // data of 16 bits that takes a register each, but on gfx810
  Half0 = std::uint64_t{1} << 36,  // in wavefronts of 64 lanes source 0 has half of its registers
  Half1 = std::uint64_t{1} << 37,
  Half2 = std::uint64_t{1} << 38,
  HalfD = std::uint64_t{1} << 39,  // the same for the destination
  Matrix = std::uint64_t{1} << 40,  // VOP3P: of a wavefront's matrices
  Accumulators = std::uint64_t{1} << 41,  // VOP3P of gfx908: uses accumulation registers
};
[[nodiscard]] constexpr Form operator|(Form a, Form b) {
  return static_cast<Form>(static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b));
}
// Processors of a generation that have a row; the others do not.
enum class Subset : std::uint8_t {
  Any,
  Gfx900,  // gfx900, gfx902, gfx909, gfx90c
  Gfx904,  // gfx904, gfx906, gfx908
  Gfx906,  // gfx906, gfx908
  Gfx908,
  Gfx1011,  // gfx1011, gfx1012
  Gfx1013,
  Gfx1150,  // gfx1150 to gfx1153
};

// One operation: what it is called by whatever name a generation gives it. Enumerators are spelled like AMD's mnemonic
// without _e32 or _e64; where generations differ, like the oldest one that means nothing else anywhere. Those of
// matrices that have other operands on GFX12 end in _gfx12.
enum class Opcode : std::uint16_t {
  none,
#define AMDCOMPAT_OPCODE(name, destination, source0, source1, source2, properties) name,
#define AMDCOMPAT_ROW(opcode, first, last, format, number, name, subset, forms)
#include <amdcompat/gcn_opcodes.def>
#undef AMDCOMPAT_OPCODE
#undef AMDCOMPAT_ROW
  count,
};
inline constexpr std::size_t kOpcodes = static_cast<std::size_t>(Opcode::count);  // `none` is one of them

struct OpcodeInfo {
  std::string_view name;  // the enumerator
  Shape destination = Shape::None;
  std::array<Shape, 3> sources{};
  Property properties = Property::Plain;
  [[nodiscard]] constexpr bool is(Property one) const {
    return (static_cast<std::uint32_t>(properties) & static_cast<std::uint32_t>(one)) != 0;
  }
};
// Of `none`: no operands.
[[nodiscard]] AMDCOMPAT_API const OpcodeInfo& info(Opcode opcode);

// One encoding of an opcode on generations that follow each other. A generation without a row does not have it.
struct Row {
  Opcode opcode = Opcode::none;
  Generation first = Generation::Gfx6, last = Generation::Gfx6;
  Format format = Format::Sop2;
  std::uint16_t number = 0;
  std::string_view name;  // AMD's mnemonic without _e32/_e64, as LLVM spells it
  Subset subset = Subset::Any;
  Form forms = Form::Only;
  [[nodiscard]] constexpr bool has(Form form) const {
    return (static_cast<std::uint64_t>(forms) & static_cast<std::uint64_t>(form)) != 0;
  }
  [[nodiscard]] constexpr bool on(Generation generation) const { return first <= generation && generation <= last; }
};
// Rows of an opcode follow each other, in the order of the enumeration.
[[nodiscard]] AMDCOMPAT_API std::span<const Row> rows();
// Whether a processor has a row. A generic target has what all of its processors have.
[[nodiscard]] AMDCOMPAT_API bool exists(const Row& row, const Target& target);

// What stands in the place of source 0 of a vector instruction, and in one dword more.
enum class Variant : std::uint8_t { Plain, Sdwa, Dpp, Dpp8 };

struct Instruction {
  const Row* row = nullptr;  // null: no row has this encoding
  const Row* second = nullptr;  // VOPD: of the second operation; `row` is that of the first
  Opcode opcode = Opcode::none;  // the row's
  Format format = Format::Sop2;  // how it is encoded here: Vop3 for a row of Vop2 with suffix _e64
  std::uint8_t dwords = 1;
  std::uint32_t offset = 0;  // bytes from the start of the code
  Variant variant = Variant::Plain;
  std::array<std::uint32_t, 5> words{};

  // Fields; those an encoding lacks are 0. Sources are 9-bit codes: 0 to 127 scalar registers, 128 to 254 constants
  // and special values, 255 the literal, 256 and up vector registers. A `destination` of vector instructions is a
  // vector register's number unless the opcode has `ScalarDestination`.
  std::uint16_t destination = 0;
  std::uint16_t scalar_destination = 0;  // lane mask of VOP3b, VCC (106) else
  std::array<std::uint16_t, 3> sources{};
  std::uint32_t literal = 0;
  std::int32_t immediate = 0;  // SIMM16, the byte offset of SMRD, the offset of FLAT
  std::uint8_t negate = 0;  // bit n: source n
  std::uint8_t absolute = 0;
  std::uint8_t output_modifier = 0;  // 1: x2, 2: x4, 3: /2
  bool clamp = false;
  std::uint8_t op_sel = 0;  // bit n: source n, bit 3: destination
  std::uint8_t op_sel_hi = 0;
  std::uint8_t negate_hi = 0;
  std::uint8_t attribute = 0, channel = 0, wait = 0;  // interpolation
  bool high = false, wait_vsrc = false;
  std::uint16_t second_destination = 0;  // VOPD; the first one is odd where this is even, and the other way round
  std::array<std::uint16_t, 2> second_sources{};
  // SDWA: 0 to 3 a byte, 4 and 5 a word, 6 the dword; unused bits 0 padded, 1 sign-extended, 2 kept
  std::uint8_t destination_select = 0, destination_unused = 0, select0 = 0, select1 = 0;
  std::uint8_t sign_extend = 0;  // bit n: source n
  bool scalar_mask = false;  // VOPC: the mask goes to `scalar_destination`, not to VCC
  // DPP
  std::uint16_t dpp_control = 0;
  std::uint8_t row_mask = 0, bank_mask = 0;
  bool bound_control = false, fetch_inactive = false;
  std::uint32_t lanes = 0;  // DPP8: eight numbers of 3 bits
  // Memory instructions
  std::uint16_t address = 0;  // first vector register of the address
  std::uint16_t data = 0;  // first vector register
  std::uint16_t data1 = 0;  // DS only
  std::uint16_t resource = 0;  // first scalar register; FLAT: the scalar address
  std::uint16_t sampler = 0;  // first scalar register
  std::uint32_t offset0 = 0;  // bytes; DS: the 16-bit offset, or the first of two 8-bit ones
  std::uint32_t offset1 = 0;
  std::uint8_t data_format = 0;
  std::uint8_t number_format = 0;
  std::uint8_t mask = 0;  // MIMG, EXP: enabled components
  std::uint8_t temporal = 0, scope = 0;  // GFX12: TH, SCOPE
  bool immediate_offset = false;  // SMRD
  bool scalar_offset = false;  // SMEM of GFX9: `sources[1]` as well
  bool offen = false, idxen = false, addr64 = false, glc = false, slc = false, tfe = false, lds = false, gds = false;
  bool dlc = false, nv = false, sve = false;
  // Images from GFX10 on. `dimension`: 1D, 2D, 3D, cube, 1D array, 2D array, 2D multisampled, array of such. Where
  // addresses need not follow each other, `more_addresses` are the registers after `address`, in `address_dwords`
  // dwords (GFX10, GFX11).
  std::uint8_t dimension = 0, address_dwords = 0;
  std::array<std::uint8_t, 12> more_addresses{};
  bool a16 = false;
  // MIMG and EXP only, for the disassembler.
  bool d16 = false, row_enable = false;
  // GFX8: components of 16 bits lie in pairs in the registers, as gfx810 has it; set by `decode` for that target.
  bool packed_halves = false;
  bool unorm = false, da = false, r128 = false, lwe = false, done = false, compressed = false, valid_mask = false;

  friend bool operator==(const Instruction&, const Instruction&) = default;
};

// Codes of scalar operands.
inline constexpr std::uint32_t kVcc = 106;
inline constexpr std::uint32_t kM0 = 124;  // 125 from GFX11 on
inline constexpr std::uint32_t kExec = 126;
inline constexpr std::uint32_t kLiteral = 255;
inline constexpr std::uint32_t kFirstVector = 256;
// FLAT_SCRATCH, two registers, of GFX7 to GFX9. [CIA; VIA: table of source operands]
[[nodiscard]] constexpr std::uint32_t flat_scratch(Generation generation) {
  return generation == Generation::Gfx7 ? 104 : 102;
}
// Of FLAT, GLOBAL and SCRATCH instructions from GFX9 on: what stands for no scalar address.
[[nodiscard]] constexpr std::uint32_t no_scalar_address(Generation generation) {
  if (generation >= Generation::Gfx11) return 124;
  return generation >= Generation::Gfx10_1 ? 125 : 127;
}

// The instruction at `offset` (bytes, a multiple of 4). Code that ends in the middle of it, and every encoding without
// a row, gives one dword without a row. `offset` must lie inside `code`.
[[nodiscard]] AMDCOMPAT_API Instruction decode(std::span<const std::byte> code, std::uint32_t offset,
                                               Generation generation);
// The same with the rows that exist on `target`, which must be of a generation (`generation_of`). Where processors of
// one generation give a number different meanings (v_mad_mix_f32, v_fma_mix_f32), only this tells which is meant.
[[nodiscard]] AMDCOMPAT_API Instruction decode(std::span<const std::byte> code, std::uint32_t offset,
                                               const Target& target);
// Dwords of an encoded instruction.
struct Encoded {
  std::array<std::uint32_t, 5> words{};
  std::uint8_t dwords = 0;
};
// The words of an instruction with `row`, `format`, `variant` and fields. Refused: a row that the generation does not
// have, a form that the row does not have, a field with a value that its bits cannot hold. What `decode` makes of the
// words has the same fields; `offset`, `dwords` and `words` are not looked at.
[[nodiscard]] AMDCOMPAT_API Result<Encoded> encode(const Instruction& instruction, Generation generation);
// Text in the syntax that LLVM's assembler reads; an unknown encoding as `.long 0x...`. Lane masks are of `wave_size`
// lanes: 32, which GFX10 and later can have, or 64.
[[nodiscard]] AMDCOMPAT_API std::string disassemble(const Instruction& instruction, Generation generation,
                                                    std::uint32_t wave_size = 64);

// --- operands ------------------------------------------------------------------------------------------------------

enum class File : std::uint8_t {
  Scalar,  // by the codes of scalar operands: VCC is 106, EXEC 126, M0 124 (125 from GFX11 on)
  Vector,
  Accumulator,  // of gfx908
  Scc,  // the scalar condition code
  Mode,  // the mode register: rounding, denormals, exceptions, relative addressing of GFX8 and GFX9
  FlatScratch,  // where flat scratch is no scalar register
};
// Registers that follow each other and are read or written as one value.
struct Operand {
  File file = File::Scalar;
  std::uint16_t first = 0;
  std::uint16_t dwords = 0;
  bool read = false;
  bool written = false;
  bool lane_mask = false;  // one bit a lane
  bool implicit = false;  // no field of the instruction names it
  // Some of these registers, which the instruction alone does not say: M0 does (v_movrels_b32), or the dimension of an
  // image, which is not encoded before GFX10. Registers written in this way may keep their value.
  bool some = false;
  friend bool operator==(const Operand&, const Operand&) = default;
};
enum class Space : std::uint8_t { None, Scalar, Buffer, Image, Flat, Global, Scratch, Lds, Gds, Export, Message };
struct Operands {
  std::array<Operand, 24> list{};
  std::uint8_t count = 0;
  // Memory that is accessed, and how. Loads with `lds` also store to LDS: `lds_store`.
  Space space = Space::None;
  bool loads = false, stores = false;
  bool lds_store = false;
  [[nodiscard]] constexpr const Operand* begin() const { return list.data(); }
  [[nodiscard]] constexpr const Operand* end() const { return list.data() + count; }
};
// Everything that an instruction reads and writes, in the order in which text names it: destinations, sources, then
// what is implicit. Empty for an instruction without a row. A wavefront has `wave_size` lanes: 32 or 64, which is the
// width of lane masks. EXEC counts as read by every instruction that acts on lanes, VCC by branches on it. Between
// s_set_gpr_idx_on and s_set_gpr_idx_off (GFX8, GFX9) vector registers are relative to M0, which this does not follow.
[[nodiscard]] AMDCOMPAT_API Operands operands(const Instruction& instruction, Generation generation,
                                              std::uint32_t wave_size = 64);

// --- control flow --------------------------------------------------------------------------------------------------

// Where an instruction goes on.
enum class Flow : std::uint8_t {
  Next,
  End,  // s_endpgm
  Branch,  // to a distance that it holds
  Conditional,  // there, or to the next instruction; s_subvector_loop_begin and _end too
  Computed,  // to an address in registers: s_setpc_b64, s_rfe_b64
  Call,  // to an address in registers or a distance, from where it may come back (s_swappc_b64, s_call_b64)
  Fork,  // s_cbranch_g_fork, s_cbranch_i_fork, s_cbranch_join: both ways, by a stack
  Trap,  // s_trap: to the trap handler and back
};
[[nodiscard]] AMDCOMPAT_API Flow flow(Opcode opcode);
// Where a branch with a distance goes: bytes from the start of the code; it may lie outside of the code. Empty for
// other instructions.
[[nodiscard]] AMDCOMPAT_API std::optional<std::int64_t> branch_target(const Instruction& instruction);

// Instructions that are always executed one after another.
struct Block {
  std::uint32_t first = 0;  // bytes from the start of the code
  std::uint32_t end = 0;  // of the last instruction
  std::vector<std::uint32_t> instructions;  // where each begins, ascending
  Flow flow = Flow::Next;  // of the last instruction
  // Indices of blocks, ascending and distinct: where it may go on, and where it may come from.
  std::vector<std::uint32_t> successors, predecessors;
};
struct AMDCOMPAT_API ControlFlow {
  std::vector<Block> blocks;  // ascending by address; none where there is no code at the entry
  std::uint32_t entry = 0;  // index of the block that begins at the entry
  // Offsets of reachable instructions, ascending:
  std::vector<std::uint32_t> computed;  // whose targets are not known (Computed, Call, Fork)
  std::vector<std::uint32_t> unknown;  // encodings without a row; the path ends there
  std::vector<std::uint32_t>
      leaving;  // after which the code ends, or whose target lies outside of it or between dwords
  // The block that holds the instruction at `offset`; empty where none is reachable.
  [[nodiscard]] std::optional<std::uint32_t> block_at(std::uint32_t offset) const;
};
// The code that is reachable from `entry` (bytes, a multiple of 4), by branches and by running on. Code behind an end
// or a branch is not looked at unless something goes there. After a call the next instruction is reachable. The
// targets of computed jumps are not known, `computed` names them: where there are some, more code may be reachable than
// what is here. Instructions may overlap only in code that jumps into the middle of one; then so do blocks.
[[nodiscard]] AMDCOMPAT_API ControlFlow control_flow(std::span<const std::byte> code, std::uint32_t entry,
                                                     Generation generation);
// The same; `visit` gets each reachable instruction once, in no order: who needs them need not decode them again.
[[nodiscard]] AMDCOMPAT_API ControlFlow control_flow(std::span<const std::byte> code, std::uint32_t entry,
                                                     Generation generation,
                                                     std::function<void(const Instruction&)> visit);

}  // namespace amdcompat::gcn
