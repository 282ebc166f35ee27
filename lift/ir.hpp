// The intermediate form: values of one lane in static single assignment over the blocks of the machine code.
//
// A register pair may hold a lane mask or a number of 64 bits, and only uses tell which. So every pair is followed in
// both ways at once: as words, and as a mask of which a value is this lane's bit (`Bool`). What is not used falls away.
// Values without effects float; loads, stores and barriers stand in their block in order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <amdcompat/code_object.hpp>
#include <amdcompat/gcn.hpp>
#include <amdcompat/lift.hpp>

#include "ids.hpp"

namespace amdcompat::lift {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

// Types of values as C has them; `Any` is 32 bits whose type its uses decide.
enum class Type : u8 { None, Bool, Any, Uint, Int, Float, Ulong, Long, Double };
[[nodiscard]] constexpr bool wide(Type type) {
  return type == Type::Ulong || type == Type::Long || type == Type::Double;
}

using enum Type;

// Binding strength of a C expression, strongest last.
enum Strength : u8 {
  kComma,
  kChoice,
  kOrElse,
  kAndAlso,
  kBitOr,
  kBitXor,
  kBitAnd,
  kEqual,
  kLess,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kAtom
};

// AMDCOMPAT_LIFT_OP(name, result, argument types, text, strength). `%0` is the first argument. Without text the
// emitter writes it.
// clang-format off
#define AMDCOMPAT_LIFT_OPS(X) \
  X(Const, Any, "", "", kAtom) \
  X(Const64, Ulong, "", "", kAtom) \
  X(True, Bool, "", "true", kAtom) \
  X(False, Bool, "", "false", kAtom) \
  X(Undefined, Any, "", "0", kAtom) \
  X(ArgumentWord, Any, "", "", kAtom) /* imm: byte offset of the constant buffer or argument block */ \
  X(ValueWord, Uint, "", "", kAtom) /* word imm & 0xffff of the struct whose address is argument imm >> 16 */ \
  X(LaunchWord, Uint, "", "", kAtom) /* imm: dword of constant buffer 0 */ \
  X(GroupId, Uint, "", "", kAtom) /* imm: dimension */ \
  X(LocalId, Uint, "", "", kAtom) \
  X(GlobalId, Uint, "", "", kAtom) /* with the offset */ \
  X(Resource, Any, "", "", kAtom) /* word imm & 7 of descriptor imm >> 8, of kind imm >> 4 & 15 */ \
  X(Table, Any, "", "", kAtom) /* half imm & 1 of the address of a table of kind imm >> 4 */ \
  X(Aperture, Uint, "", "", kAtom) /* the upper word of addresses of local memory */ \
  X(MaskWord, Any, "b", "", kAtom) /* imm: half */ \
  X(MaskOfWords, Bool, "uu", "", kAtom) \
  X(AnyLane, Bool, "b", "%0", kAtom) \
  X(NonZero, Bool, "buu", "", kAtom) /* of a pair that is a mask or a number */ \
  X(Phi, Any, "", "", kAtom) \
  X(PhiBool, Bool, "", "", kAtom) \
  X(PhiWide, Ulong, "", "", kAtom) \
  X(SelectWide, Ulong, "b**", "%0 ? %1 : %2", kChoice) \
  X(Select, Any, "b**", "%0 ? %1 : %2", kChoice) \
  X(Array, Any, "", "", kAtom) /* of its arguments */ \
  X(ArrayWide, Ulong, "", "", kAtom) \
  X(Element, Any, "*u", "", kAtom) /* of array %0, which has so many */ \
  X(ElementWide, Ulong, "*u", "", kAtom) \
  X(SelectBool, Bool, "bbb", "%0 ? %1 : %2", kChoice) \
  X(BoolAnd, Bool, "bb", "%0 && %1", kAndAlso) \
  X(BoolOr, Bool, "bb", "%0 || %1", kOrElse) \
  X(BoolNot, Bool, "b", "!%0", kUnary) \
  X(BoolXor, Bool, "bb", "%0 != %1", kEqual) \
  X(ToWord, Uint, "b", "", kAtom) \
  X(Join, Ulong, "uu", "", kAtom) \
  X(Low, Uint, "U", "(uint)%0", kUnary) \
  X(High, Uint, "U", "(uint)(%0 >> 32)", kUnary) \
  X(Add, Uint, "uu", "%0 + %1", kSum) \
  X(Sub, Uint, "uu", "%0 - %1", kSum) \
  X(Mul, Uint, "uu", "%0 * %1", kProduct) \
  X(DivU, Uint, "uu", "%0 / %1", kProduct) \
  X(RemU, Uint, "uu", "%0 % %1", kProduct) \
  X(QuotientU, Uint, "uu", "quotient(%0, %1)", kAtom) /* mended in both directions */ \
  X(QuotientBelowU, Uint, "uu", "quotient_from_below(%0, %1)", kAtom) \
  X(QuotientByFloats, Uint, "uu", "quotient_by_floats(%0, %1)", kAtom) \
  X(RemainderU, Uint, "uu", "rest_of_division(%0, %1)", kAtom) \
  X(And, Uint, "uu", "%0 & %1", kBitAnd) \
  X(Or, Uint, "uu", "%0 | %1", kBitOr) \
  X(Xor, Uint, "uu", "%0 ^ %1", kBitXor) \
  X(Not, Uint, "u", "~%0", kUnary) \
  X(Shl, Uint, "uu", "%0 << %1", kShift) \
  X(Shr, Uint, "uu", "%0 >> %1", kShift) \
  X(Sar, Int, "iu", "%0 >> %1", kShift) \
  X(CarryOfAdd, Bool, "uu", "%0 + %1 < %0", kLess) \
  X(CarryOfAddc, Bool, "uub", "(((ulong)%0 + %1 + (%2 ? 1u : 0u)) >> 32) != 0", kEqual) \
  X(BorrowOfSubb, Bool, "uub", "(ulong)%1 + (%2 ? 1u : 0u) > %0", kLess) \
  X(OverflowOfAdd, Bool, "uu", "((~(%0 ^ %1) & (%0 ^ (%0 + %1))) >> 31) != 0", kEqual) \
  X(OverflowOfSub, Bool, "uu", "(((%0 ^ %1) & (%0 ^ (%0 - %1))) >> 31) != 0", kEqual) \
  X(MulHighU, Uint, "uu", "mul_hi(%0, %1)", kAtom) \
  X(MulHighI, Int, "ii", "mul_hi(%0, %1)", kAtom) \
  X(Low24U, Uint, "u", "low24_u(%0)", kAtom) \
  X(Low24I, Int, "i", "low24_i(%0)", kAtom) \
  X(MinI, Int, "ii", "min(%0, %1)", kAtom) \
  X(MaxI, Int, "ii", "max(%0, %1)", kAtom) \
  X(MinU, Uint, "uu", "min(%0, %1)", kAtom) \
  X(MaxU, Uint, "uu", "max(%0, %1)", kAtom) \
  X(BitFieldU, Uint, "uuu", "bit_field_u(%0, %1, %2)", kAtom) \
  X(BitFieldI, Int, "iuu", "bit_field_i(%0, %1, %2)", kAtom) \
  X(BitSelect, Uint, "uuu", "bitselect(%2, %1, %0)", kAtom) \
  X(AlignBit, Uint, "uuu", "align_bit(%0, %1, %2)", kAtom) \
  X(Rotate, Uint, "uu", "rotate(%0, %1)", kAtom) /* to the left */ \
  X(PopCount, Uint, "u", "popcount(%0)", kAtom) \
  X(FirstHigh, Uint, "u", "first_bit_high(%0)", kAtom) \
  X(FirstLow, Uint, "u", "first_bit_low(%0)", kAtom) \
  X(FirstHighI, Uint, "i", "first_bit_high_i(%0)", kAtom) \
  X(ReverseBits, Uint, "u", "reverse_bits(%0)", kAtom) \
  X(SignExtend8, Int, "i", "(int)(char)%0", kUnary) \
  X(SignExtend16, Int, "i", "(int)(short)%0", kUnary) \
  X(AbsI, Uint, "i", "abs_i(%0)", kAtom) \
  X(AbsDifferenceI, Uint, "uu", "abs_difference_i(%0, %1)", kAtom) \
  X(AbsDifferenceU, Uint, "uu", "abs_diff(%0, %1)", kAtom) \
  X(SadU8, Uint, "uu", "sad_u8(%0, %1)", kAtom) \
  X(SadU8Masked, Uint, "uu", "sad_u8_masked(%0, %1)", kAtom) \
  X(SadU16, Uint, "uu", "sad_u16(%0, %1)", kAtom) \
  X(FourSadsU8, Ulong, "UuU", "four_sads_u8(%0, %1, %2)", kAtom) \
  X(FourSadsU8Masked, Ulong, "UuU", "four_sads_u8_masked(%0, %1, %2)", kAtom) \
  X(LerpU8, Uint, "uuu", "lerp_u8(%0, %1, %2)", kAtom) \
  X(PermBytes, Uint, "uuu", "perm_bytes(%0, %1, %2)", kAtom) \
  X(MulWideU, Ulong, "uu", "(ulong)%0 * %1", kProduct) \
  X(MulWideI, Long, "ii", "(long)%0 * %1", kProduct) \
  X(PopCount64, Uint, "U", "(uint)popcount(%0)", kUnary) \
  X(FirstHigh64, Uint, "U", "first_bit_high_64(%0)", kAtom) \
  X(FirstLow64, Uint, "U", "first_bit_low_64(%0)", kAtom) \
  X(BitField64U, Ulong, "Uuu", "bit_field_u_64(%0, %1, %2)", kAtom) \
  X(BitField64I, Long, "Luu", "bit_field_i_64(%0, %1, %2)", kAtom) \
  X(Add64, Ulong, "UU", "%0 + %1", kSum) \
  X(Sub64, Ulong, "UU", "%0 - %1", kSum) \
  X(Mul64, Ulong, "UU", "%0 * %1", kProduct) \
  X(And64, Ulong, "UU", "%0 & %1", kBitAnd) \
  X(Or64, Ulong, "UU", "%0 | %1", kBitOr) \
  X(Xor64, Ulong, "UU", "%0 ^ %1", kBitXor) \
  X(Not64, Ulong, "U", "~%0", kUnary) \
  X(Shl64, Ulong, "Uu", "%0 << %1", kShift) \
  X(Shr64, Ulong, "Uu", "%0 >> %1", kShift) \
  X(Sar64, Long, "Lu", "%0 >> %1", kShift) \
  X(EqU, Bool, "uu", "%0 == %1", kEqual) \
  X(NeU, Bool, "uu", "%0 != %1", kEqual) \
  X(LtU, Bool, "uu", "%0 < %1", kLess) \
  X(LeU, Bool, "uu", "%0 <= %1", kLess) \
  X(LtI, Bool, "ii", "%0 < %1", kLess) \
  X(LeI, Bool, "ii", "%0 <= %1", kLess) \
  X(EqU64, Bool, "UU", "%0 == %1", kEqual) \
  X(NeU64, Bool, "UU", "%0 != %1", kEqual) \
  X(LtU64, Bool, "UU", "%0 < %1", kLess) \
  X(LeU64, Bool, "UU", "%0 <= %1", kLess) \
  X(LtI64, Bool, "LL", "%0 < %1", kLess) \
  X(LeI64, Bool, "LL", "%0 <= %1", kLess) \
  X(EqF, Bool, "ff", "%0 == %1", kEqual) \
  X(NeF, Bool, "ff", "%0 != %1", kEqual) \
  X(LtF, Bool, "ff", "%0 < %1", kLess) \
  X(LeF, Bool, "ff", "%0 <= %1", kLess) \
  X(LgF, Bool, "ff", "islessgreater(%0, %1)", kAtom) \
  X(OrderedF, Bool, "ff", "isordered(%0, %1)", kAtom) \
  X(EqD, Bool, "dd", "%0 == %1", kEqual) \
  X(NeD, Bool, "dd", "%0 != %1", kEqual) \
  X(LtD, Bool, "dd", "%0 < %1", kLess) \
  X(LeD, Bool, "dd", "%0 <= %1", kLess) \
  X(LgD, Bool, "dd", "islessgreater(%0, %1)", kAtom) \
  X(OrderedD, Bool, "dd", "isordered(%0, %1)", kAtom) \
  X(ClassF, Bool, "uu", "class_f(%0, %1)", kAtom) \
  X(ClassH, Bool, "uu", "class_h(%0, %1)", kAtom) \
  X(ClassD, Bool, "Uu", "class_d(%0, %1)", kAtom) \
  X(AddF, Float, "ff", "%0 + %1", kSum) \
  X(SubF, Float, "ff", "%0 - %1", kSum) \
  X(MulF, Float, "ff", "%0 * %1", kProduct) \
  X(MulLegacyF, Float, "ff", "mul_legacy(%0, %1)", kAtom) \
  X(FmaF, Float, "fff", "fma(%0, %1, %2)", kAtom) \
  X(NegF, Float, "f", "-%0", kUnary) \
  X(AbsF, Float, "f", "fabs(%0)", kAtom) \
  X(ClampF, Float, "f", "clamp01(%0)", kAtom) \
  X(FlushF, Float, "f", "flush_f(%0)", kAtom) \
  X(MinF, Float, "ff", "min_f(%0, %1)", kAtom) \
  X(MaxF, Float, "ff", "max_f(%0, %1)", kAtom) \
  X(MinLegacyF, Float, "ff", "%0 < %1 ? %0 : %1", kChoice) \
  X(MaxLegacyF, Float, "ff", "%0 >= %1 ? %0 : %1", kChoice) \
  X(RcpF, Float, "f", "rcp(%0)", kAtom) \
  X(RsqF, Float, "f", "rsq(%0)", kAtom) \
  X(SqrtF, Float, "f", "sqrt_f(%0)", kAtom) \
  X(Exp2F, Float, "f", "exp2_f(%0)", kAtom) \
  X(Log2F, Float, "f", "log2_f(%0)", kAtom) \
  X(FiniteF, Float, "f", "finite_f(%0)", kAtom) \
  X(SinF, Float, "f", "sin_turns(%0)", kAtom) \
  X(CosF, Float, "f", "cos_turns(%0)", kAtom) \
  X(TruncF, Float, "f", "trunc(%0)", kAtom) \
  X(CeilF, Float, "f", "ceil(%0)", kAtom) \
  X(RintF, Float, "f", "rint(%0)", kAtom) \
  X(FloorF, Float, "f", "floor(%0)", kAtom) \
  X(FractF, Float, "f", "fract_f(%0)", kAtom) \
  X(MedF, Float, "fff", "med_f(%0, %1, %2)", kAtom) \
  X(DivScaleF, Float, "fff", "div_scale_f(%0, %1, %2)", kAtom) \
  X(DivScaledF, Bool, "fff", "div_scaled_f(%0, %1, %2)", kAtom) \
  X(DivFmasF, Float, "fffb", "div_fmas_f(%0, %1, %2, %3)", kAtom) \
  X(DivFixupF, Float, "fff", "div_fixup_f(%0, %1, %2)", kAtom) \
  X(DivF, Float, "ff", "divide(%0, %1)", kAtom) \
  X(HalfOfFloat, Uint, "f", "half_of_float(%0)", kAtom) \
  X(HalfTowardZero, Uint, "f", "half_toward_zero(%0)", kAtom) \
  X(FloatOfHalf, Float, "u", "float_of_half(%0)", kAtom) \
  X(HalfOfDouble, Uint, "d", "half_of_double(%0)", kAtom) \
  X(LdexpF, Float, "fi", "ldexp(%0, %1)", kAtom) \
  X(FrexpExpF, Int, "f", "frexp_exp_f(%0)", kAtom) \
  X(FrexpMantF, Float, "f", "frexp_mant_f(%0)", kAtom) \
  X(IntOfFloat, Int, "f", "int_of_float(%0)", kAtom) \
  X(ByteOfFloat, Uint, "f", "byte_of_float(%0)", kAtom) \
  X(UintOfFloat, Uint, "f", "uint_of_float(%0)", kAtom) \
  X(FloatOfInt, Float, "i", "(float)%0", kUnary) \
  X(FloatOfUint, Float, "u", "(float)%0", kUnary) \
  X(AddD, Double, "dd", "%0 + %1", kSum) \
  X(MulD, Double, "dd", "%0 * %1", kProduct) \
  X(FmaD, Double, "ddd", "fma(%0, %1, %2)", kAtom) \
  X(NegD, Double, "d", "-%0", kUnary) \
  X(AbsD, Double, "d", "fabs(%0)", kAtom) \
  X(ClampD, Double, "d", "clamp01_d(%0)", kAtom) \
  X(MinD, Double, "dd", "min_d(%0, %1)", kAtom) \
  X(MaxD, Double, "dd", "max_d(%0, %1)", kAtom) \
  X(RcpD, Double, "d", "1.0 / %0", kProduct) \
  X(DivD, Double, "dd", "%0 / %1", kProduct) \
  X(RsqD, Double, "d", "rsq_d(%0)", kAtom) \
  X(SqrtD, Double, "d", "sqrt(%0)", kAtom) \
  X(TruncD, Double, "d", "trunc(%0)", kAtom) \
  X(CeilD, Double, "d", "ceil(%0)", kAtom) \
  X(RintD, Double, "d", "rint(%0)", kAtom) \
  X(FloorD, Double, "d", "floor(%0)", kAtom) \
  X(FractD, Double, "d", "fract_d(%0)", kAtom) \
  X(LdexpD, Double, "di", "ldexp(%0, %1)", kAtom) \
  X(FrexpExpD, Int, "d", "frexp_exp_d(%0)", kAtom) \
  X(FrexpMantD, Double, "d", "frexp_mant_d(%0)", kAtom) \
  X(TrigPreopD, Double, "du", "trig_preop_d(%0, %1)", kAtom) \
  X(IntOfDouble, Int, "d", "int_of_double(%0)", kAtom) \
  X(UintOfDouble, Uint, "d", "uint_of_double(%0)", kAtom) \
  X(DoubleOfInt, Double, "i", "(double)%0", kUnary) \
  X(DoubleOfUint, Double, "u", "(double)%0", kUnary) \
  X(FloatOfDouble, Float, "d", "(float)%0", kUnary) \
  X(DoubleOfFloat, Double, "f", "(double)%0", kUnary) \
  X(DivScaleD, Double, "ddd", "div_scale_d(%0, %1, %2)", kAtom) \
  X(DivScaledD, Bool, "ddd", "div_scaled_d(%0, %1, %2)", kAtom) \
  X(DivFmasD, Double, "dddb", "div_fmas_d(%0, %1, %2, %3)", kAtom) \
  X(DivFixupD, Double, "ddd", "div_fixup_d(%0, %1, %2)", kAtom) \
  X(Load, Any, "b*", "", kAtom) \
  X(Store, None, "b*", "", kAtom) \
  X(Atomic, Any, "b*", "", kAtom) \
  X(Loaded, Any, "*", "", kAtom) /* component imm of a load of several */ \
  X(Barrier, None, "", "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)", kAtom) \
  X(Leave, None, "b", "", kAtom) /* the wavefront is done if it holds: of any lane, with imm */ \
  X(FirstLane, Any, "b*", "", kAtom) \
  X(LaneId, Uint, "", "", kAtom) /* the number of the lane in its wavefront */ \
  X(Present, Bool, "", "", kAtom) /* the lane is one of a work-item */ \
  X(LanesBelow, Uint, "", "", kAtom) /* half imm of a mask: the bits of lanes with smaller numbers */ \
  X(ReadLane, Any, "*u", "", kAtom) /* %0 of lane %1, enabled or not; 0 of one that is not there */ \
  X(WriteLane, Any, "*u*", "", kAtom) /* %0 in lane %1, in the others %2 */ \
  X(ImageInfo, Int, "", "", kAtom) /* what imm & 255 says (`Info`) of the image that is argument imm >> 8 */ \
  X(ImageScale, Float, "", "", kProduct) /* one by that */ \
  X(Pointer, Ulong, "", "", kAtom) /* the address of argument imm */ \
  X(Arguments, Ulong, "", "", kAtom) /* the address of all arguments, as they lie in memory */ \
  X(Data, Ulong, "", "", kAtom) /* the address of data segment or section imm */ \
  X(Held, Uint, "u", "", kAtom) /* a number that compilers read anew each time: they do not know that it stays */ \
  X(HeldChoice, Bool, "b", "", kAtom) /* the same of a condition */ \
  X(ScratchStart, Uint, "", "", kAtom) /* where the wavefront's part of scratch memory begins */
// clang-format on

enum class Op : u8 {
#define X(name, result, arguments, text, strength) name,
  AMDCOMPAT_LIFT_OPS(X)
#undef X
};
struct OpInfo {
  std::string_view name;
  Type result;
  std::string_view arguments;
  std::string_view text;
  u8 strength;
};
[[nodiscard]] const OpInfo& info(Op op);
// What an operation makes of two numbers of 32 bits; nothing: it is none of those that are counted here.
[[nodiscard]] std::optional<u32> calculate(Op op, u32 a, u32 b);
// What a comparison says of two numbers; nothing: it is none.
[[nodiscard]] std::optional<bool> compare(Op op, u32 a, u32 b);
// Whether lanes have values of their own of it, whatever it is made of.
[[nodiscard]] constexpr bool of_a_lane(Op op) {
  switch (op) {
    case Op::LocalId:
    case Op::GlobalId:
    case Op::LaneId:
    case Op::Present:
    case Op::LanesBelow:
    case Op::ReadLane:
    case Op::WriteLane:
    case Op::Atomic:
    case Op::MaskWord:
    case Op::MaskOfWords:
    case Op::ScratchStart:
    case Op::Resource:
    case Op::NonZero: return true;
    default: return false;
  }
}
// Whether what one lane has goes to others by it.
[[nodiscard]] constexpr bool goes_to_others(Op op) {
  switch (op) {
    case Op::AnyLane:
    case Op::NonZero:
    case Op::MaskWord:
    case Op::MaskOfWords:
    case Op::FirstLane:
    case Op::ReadLane:
    case Op::WriteLane:
    case Op::LanesBelow:
    case Op::Leave: return true;
    default: return false;
  }
}

// Kinds of descriptors and of what user registers address.
enum Kind : u8 {
  kConstantBuffers,
  kUavs,
  kImages,
  kSamplers,
  kScratch,
  kImageArguments,  // objects; the slot is the argument's number
  kSamplerArguments,
  kSamplerObjects,  // of the program, by number
  kKernarg = 8,
  kPacket,
  kOther,
  kPrintf,  // the buffer for what is printed
  kCounters,  // the range of GDS that has them
  kQueue  // what the runtime says of the queue
};

// The lower word of the kernarg segment's address, and the upper one, as `imm` of `Table`; and what the address is a
// multiple of, in bytes. [S1 «Kernel Dispatch»]
inline constexpr u64 kKernargLow = u64{kKernarg} << 4, kKernargHigh = kKernargLow | 1;
inline constexpr u32 kKernargAlignment = 16;
// `imm` of `Table` for the dwords that a work-item of OpenCL 1.x has in its region of the printf buffer.
inline constexpr u64 kPrintfRoom = u64{kPrintf} << 4 | 2;
// A word of which no document tells what it is: nobody may use it.
inline constexpr u64 kUnknown = u64{kOther} << 4 | 15;

// Dwords of constant buffer 0, of three dimensions each.
inline constexpr u32 kGlobalSize = 0, kWorkDim = 3, kLocalSize = 4, kGroups = 8, kFloats = 20, kOffset = 24,
                     kGroupOffset = 28;
// Whether one of those is what `first` is of x: of x, y or z.
[[nodiscard]] constexpr bool is_of_axis(u64 dword, u32 first) { return dword >= first && dword < first + 3; }

// Of the mode, as FLOAT_MODE and the MODE register have it: how floats and doubles are rounded, 0 to the nearest; for
// each of both whether denormals are taken as operands, and made as results. [SIA, CIA: MODE, FP_ROUND, FP_DENORM]
inline constexpr u32 kModeRounding = 0x0f, kModeFloats = 0x30, kModeDoubles = 0xc0;

// `imm` of a selection by EXEC: lanes that are off keep what their register holds.
inline constexpr u64 kRegisterWrite = 1;
// Of one that chooses a register by an index.
inline constexpr u64 kRegisterChoice = 2;
// `imm` of `Data` and `Access::data`: a data segment of the program, or from here on a section of its code.
inline constexpr u32 kSections = 1 << 16;

inline constexpr Id kNone = 0xffffffff;

// Where memory instructions go.
inline constexpr u32 kLanes = 64;  // of a wavefront of GFX6 to GFX9
enum class Room : u8 {
  Uav,
  ConstantBuffer,
  Local,
  Flat,  // by a 64-bit address through the descriptor of a UAV
  Generic,  // by a 64-bit address alone
  Scratch,  // a lane's own
  Image,
  Scalar,
  Arguments,  // at a place that is chosen when the kernel runs: of argument `slot` - 1, or of all, with 0
  Gds,  // of counters: behind the address the range that M0 holds
  Print  // no memory: `imm` is the number of the format in `Program::printf`, and all data are values that it takes
};
// Of an access to an image.
struct ImageAccess {
  u8 coordinates = 0;  // words of the address
  bool level = false;  // another word: of the mip level
  bool sampled = false;  // by floats and a sampler, else by numbers of texels
  bool whole = false;  // sampled where the floats are whole numbers: the words are those
  bool array = false;  // as the instruction says
  bool unnormalized = false;  // as the instruction says
  bool size = false;  // asks for the size, not for a texel
  bool buffer = false;  // by the instructions and the descriptor of a buffer
  i32 sampler = -1;  // once it is known: the word of a constant one, or -2 - the argument's number
  friend auto operator<=>(const ImageAccess&, const ImageAccess&) = default;
};
// What the components of a texel are. `Bits`: what the image itself says.
enum class Texel : u8 { Bits, Floats, Ints, Uints };
// What OpenCL C tells of an image; the last two in the numbers of OpenCL 2.0 objects.
enum class Info : u8 { Width, Height, Depth, DataType, Order, ArraySize, ObjectType, ObjectOrder };
// What an access is: of `components` elements of `bytes` bytes each, loads of less than a dword extended.
struct Access {
  Room room = Room::Uav;
  u32 slot = 0;  // of the UAV or constant buffer; of `Arguments`
  u8 bytes = 4;
  u8 components = 1;
  bool is_signed = false;
  std::string_view atomic{};  // "add", "cmpxchg", …
  i32 argument = -1;  // index, once it is known whose memory it is
  i32 data = -1;  // of the data segment or section (`kSections`), instead
  bool is_volatile = false;  // a load past the first cache; in the end, of what is declared so (`find_volatile`)
  bool fenced = false;  // behind a fence for all of the device (`find_fences`)
  ImageAccess image{};
  friend auto operator<=>(const Access&, const Access&) = default;
};

// An argument of `Load`, `Store` and `Atomic` is the mask of enabled lanes, then the byte address, then data. Those of
// images have coordinates instead of the address, and their `imm` is a `Texel`. Those by a descriptor of a buffer that
// is not known yet have more in front of the data:
struct BufferArgument {
  enum : std::size_t { kDistance = 1, kIndex = 2, kWords = 3, kRest = 7 };
};
struct Node {
  Op op = Op::Undefined;
  Type type = Type::Any;
  u32 block = 0;  // phis, effects; and selections, whose meaning facts of the block may simplify
  u32 offset = 0;  // of the machine instruction
  u64 imm = 0;
  Ids args{};
  u32 access = 0;  // index into `Graph::accesses`
  Id forward = kNone;  // replaced by
  bool scalar = false;  // a phi of a scalar register, a scalar load: the same in all lanes of a wavefront
};

struct BlockEnd {
  enum class Kind : u8 { Return, Jump, Branch } kind = Kind::Return;
  Id condition = kNone;  // Branch: to `yes` where it holds
  bool lanes = false;  // the condition is a mask: the branch is taken when any lane has it
  u32 yes = 0, no = 0;  // Jump: `yes`
  bool walked = false;  // Jump: a branch that a wavefront without lanes would take, which is not taken
  u32 offset = 0;
};

struct BasicBlock {
  std::vector<u32> predecessors, successors;
  std::vector<Id> phis;
  std::vector<Id> effects;  // in order
  BlockEnd end;
  Id exec = kNone;  // the lanes that are enabled at its end
  u32 first = 0;  // offset in the code
  bool made = false;  // it has no code of its own
  // Where wavefronts wait at one barrier that had several (`meet_at_one_barrier`): the number of the one that the
  // wavefront waits at from this block's end on, the one that the block's branch asks for, and the one behind which the
  // block is.
  u32 waits = kNone, asks = kNone, behind = kNone;
};

// Why a kernel is not lifted: a predicate of it ("has a barrier …"), and where in its code.
struct Refusal {
  Code code{};
  u32 offset = 0;
  std::string message;
};

// Values by what they are made of: a table of their numbers and hashes. Asked for every value that is made, mostly for
// one that is there.
class Shared {
 public:
  struct Entry {
    u32 hash = 0;
    Id id = kNone;  // `kNone`: free
  };
  // The entry of the value for which `same` holds, or a free one with the hash, for the caller to set. Good until the
  // next call.
  template <class Same>
  [[nodiscard]] Entry& find(u32 hash, Same&& same) {
    if ((count_ + 1) * 2 > table_.size()) grow();
    std::size_t at = place(hash);
    for (; table_[at].id != kNone; at = (at + 1) & (table_.size() - 1))
      if (table_[at].hash == hash && same(table_[at].id)) return table_[at];
    ++count_;
    table_[at].hash = hash;
    return table_[at];
  }
  [[nodiscard]] static u32 hash_of(Op op, u64 imm, u32 block, std::span<const Id> args) {
    constexpr u64 kMix = 0x9e3779b97f4a7c15;
    u64 out = static_cast<u64>(op) + imm * kMix + block * 0x85ebca6bu;
    for (const Id id : args) out = (out ^ id) * kMix + (out >> 29);
    return static_cast<u32>(out * kMix >> 32);
  }
  // Forgets all, with room for so many.
  void clear(std::size_t expected) {
    table_.assign(std::bit_ceil(std::max<std::size_t>(expected * 2, kLeast)), {});
    count_ = 0;
  }

 private:
  [[nodiscard]] std::size_t place(u32 hash) const { return hash & (table_.size() - 1); }
  void grow() {
    std::vector<Entry> old(std::max(table_.size() * 2, kLeast));
    old.swap(table_);
    for (const Entry& one : old) {
      if (one.id == kNone) continue;
      std::size_t at = place(one.hash);
      while (table_[at].id != kNone) at = (at + 1) & (table_.size() - 1);
      table_[at] = one;
    }
  }
  static constexpr std::size_t kLeast = 256;
  std::vector<Entry> table_;
  std::size_t count_ = 0;
};

class Graph {
 public:
  std::vector<Node> nodes;
  std::vector<Access> accesses;
  std::vector<BasicBlock> blocks;  // in reverse postorder; 0 is the entry
  std::vector<u32> idom;
  std::vector<u32> depth;  // of the dominator tree
  std::vector<u32> loop;  // innermost loop's header, or kNone
  std::vector<u32> loop_depth;
  std::vector<u32> outer;  // of a header: the header of the loop around it, or kNone
  std::optional<Refusal> refusal;
  // Masks of branches that are not taken, so that lanes without a bit go along.
  std::vector<Id> going_along;
  // Where a barrier is all that is wrong with a branch on EXECZ: its offset. The code behind it does nothing for lanes
  // that are off, so that they may go along to the barrier.
  std::optional<u32> skippable;
  bool asks_masks = false;  // what masks say of lanes that they are not for was in the way
  bool reserves_apart = false;  // each lane reserves packets of pipes that the first one reserved for all
  // Of a branch at which wavefronts part and then meet different barriers: its offset.
  std::optional<u32> parted;
  std::array<u32, 3> required{};  // work-group size that the source requires; 0: none
  // Work-items of that size; 0: none is required.
  [[nodiscard]] u64 required_size() const { return u64{required[0]} * required[1] * required[2]; }
  u64 scratch_bytes = 0;  // of a lane
  u64 local_bytes = 0;  // of local memory, where that is more than the machine code has
  bool complete = false;  // all phis have their arguments
  void completed() {
    complete = true;
    ++epoch_;
  }
  bool wave = false;  // of whole wavefronts: branches say nothing of a lane
  // Selections by EXEC stay, also where all lanes are enabled: `check_lanes` must see every write.
  bool keep_writes = false;

  void refuse(Code code, u32 offset, std::string message) {
    if (!refusal) refusal = Refusal{code, offset, std::move(message)};
  }
  [[nodiscard]] Id resolve(Id id) const {
    while (nodes[id].forward != kNone) id = nodes[id].forward;
    return id;
  }
  [[nodiscard]] const Node& at(Id id) const { return nodes[resolve(id)]; }
  [[nodiscard]] bool is(Id id, Op op) const { return at(id).op == op; }

  // The machine instruction that values are made for.
  u32 origin = 0;
  // A value without effects: folded, and shared with an equal one.
  Id make(Op op, std::span<const Id> args = {}, u64 imm = 0, u32 block = 0);
  Id make(Op op, std::initializer_list<Id> args, u64 imm = 0, u32 block = 0) {
    return make(op, std::span(args.begin(), args.size()), imm, block);
  }
  Id constant(u32 value) { return make(Op::Const, {}, value); }
  Id constant64(u64 value) { return make(Op::Const64, {}, value); }
  Id boolean(bool value) { return make(value ? Op::True : Op::False); }
  [[nodiscard]] std::optional<u32> value(Id id) const {
    const Node& n = at(id);
    return n.op == Op::Const ? std::optional(static_cast<u32>(n.imm)) : std::nullopt;
  }
  [[nodiscard]] std::optional<u64> value64(Id id) const {
    const Node& n = at(id);
    return n.op == Op::Const64 ? std::optional(n.imm) : std::nullopt;
  }
  u32 access(const Access& what) {
    const auto at = std::ranges::find(accesses, what);
    if (at != accesses.end()) return static_cast<u32>(at - accesses.begin());
    accesses.push_back(what);
    return static_cast<u32>(accesses.size() - 1);
  }
  // A phi, an effect: never shared.
  // A value that nothing else is said of yet.
  Node& append(Op op) {
    names_data_ |= op == Op::Data;
    Node& out = nodes.emplace_back();
    out.op = op;
    return out;
  }
  Id add(Node node) {
    append(node.op) = std::move(node);
    return static_cast<Id>(nodes.size() - 1);
  }
  [[nodiscard]] bool dominates(u32 a, u32 b) const {
    while (depth[b] > depth[a]) b = idom[b];
    return a == b;
  }
  // Whether a loop can be entered by an edge backwards and otherwise.
  [[nodiscard]] bool is_second_entry(u32 from, u32 to) const { return to <= from && to != 0 && !dominates(to, from); }
  [[nodiscard]] bool in_loop(u32 block, u32 header) const {
    for (u32 h = loop[block]; h != kNone; h = outer[h])
      if (h == header) return true;
    return false;
  }
  // Whether a value is the same in every turn of a loop.
  [[nodiscard]] bool stable(Id id, u32 header) const;
  // Whether a value may be another one in each turn of a loop that `block` is in.
  [[nodiscard]] bool changes(Id id, u32 block) const;
  // Whether all lanes of a launch have a value alike that come to where it is made, whatever way they came.
  [[nodiscard]] bool same_for_launch(Id id) const;
  [[nodiscard]] static bool held(Op op) { return op == Op::Held || op == Op::HeldChoice; }
  [[nodiscard]] bool effect(Op op) const {
    return op == Op::Load || op == Op::Store || op == Op::Atomic || op == Op::Barrier || op == Op::Leave;
  }
  // Whether one holds exactly where the other does not, by their form: `make` writes !(a < b) as b <= a.
  [[nodiscard]] bool opposite(Id a, Id b) const;
  [[nodiscard]] bool contradict(Id a, Id b) const;
  [[nodiscard]] bool outside(Id mask, Id what, u32 steps) const;
  [[nodiscard]] bool only_these(Id mask, Id what, u32 steps = 8) const;
  [[nodiscard]] static bool phi(Op op) { return op == Op::Phi || op == Op::PhiBool || op == Op::PhiWide; }
  // One of two words, or numbers of 64 bits; and one of several that ways or lanes bring along, from `first_merged` on.
  [[nodiscard]] static bool select(Op op) { return op == Op::Select || op == Op::SelectWide; }
  [[nodiscard]] static bool merge(Op op) { return op == Op::Phi || op == Op::PhiWide || select(op); }
  [[nodiscard]] static std::size_t first_merged(Op op) { return phi(op) ? 0 : 1; }

  // Dominators and loops of `blocks`. False: irreducible.
  bool order();
  // No bit of a value from this one on is set, by its form.
  [[nodiscard]] u32 bits_of(Id id, u32 steps = 6) const;
  // The same of a variable that a loop counts up between constants; 32: it is none.
  [[nodiscard]] u32 counter_bits(const Node& phi) const;
  [[nodiscard]] u32 mask_of(Id id, u32 steps = 4) const;  // those that may be set
  // Whether a number of 64 bits is one of 32 that is shifted no further than those.
  [[nodiscard]] bool stays_low(Id id) const;
  // Sums with a product of which nobody wants more than 32 bits: compilers have one instruction for both of 64.
  void narrow_products();
  [[nodiscard]] Id low_of_product(Id id, u32 steps);
  // Bits that are joined and have no place in common are added, as sources do and compilers understand.
  void sum_bits();
  // Values that something visible needs.
  [[nodiscard]] std::vector<bool> live() const;
  // Phis of words that have become one of numbers are halves of that, if it is needed.
  void forget_halves();
  // Live values, arguments before what is made of them; phis and effects come in no order. Without recursion: chains
  // are as long as the code.
  [[nodiscard]] std::vector<Id> in_order(const std::vector<bool>& live) const;
  // Work that may be done on forms that grow faster than the code; none is left: the kernel is refused.
  static constexpr u64 kMostWork = 20'000'000;
  static constexpr std::size_t kMostBlocks = 2048;
  mutable u64 budget = kMostWork;
  [[nodiscard]] bool spend(u64 steps = 1) const {
    budget -= std::min(budget, steps);
    return budget != 0;
  }
  // Makes room for so many values.
  void expect(std::size_t values) {
    nodes.reserve(values);
    shared_.clear(values);
  }
  // Takes away values that nobody needs or that are others now. Numbers of values from before mean nothing any more.
  void compact();
  // Choices are where all that uses them is, so that what is known there counts.
  void sink();
  [[nodiscard]] static bool choice(Op op);
  // Whether every lane of `mask` is one of `what`, by their form. `assumed`: phis for which that is being shown.
  [[nodiscard]] bool implies(Id mask, Id what, Ids& assumed) const;
  // Whether a value has no word of a mask in it.
  [[nodiscard]] bool is_number(Id id) const {
    return every(id, [](const Node& n) { return n.op != Op::MaskWord; });
  }
  // Whether a wavefront without a lane of `mask` does not come to a block.
  [[nodiscard]] bool some_lane(Id mask, u32 block, u32 loops = 0) const;
  // A value as lanes of a mask have it.
  Id for_lanes(Id id, Id mask);
  Id bit_for_lanes(Id id, Id mask, u32 terms);  // what those choose by; only so deep
  // Whether that looks at the ways that lead to where registers are merged, too: it takes longer.
  void look_closely(bool closely);
  // The mask of whose lanes another one has the first; `kNone`: it is none.
  [[nodiscard]] Id first_of(Id mask);
  // Branches on a mask ask what all its lanes agree on, where that is the same in the whole launch; and the first lane
  // is asked for what lanes that are on have.
  void ask_scalars();
  // Masks among other masks become without what they say of lanes that are not the others': compilers leave that in
  // scalar registers.
  void narrow_masks();
  // Takes away branches whose condition is known, and simplifies.
  void cut();
  // Blocks where those meet that part at the end of block `b`.
  [[nodiscard]] std::set<u32> joins(u32 b) const;
  // `if (c) { first; second }` becomes `if (c) { first } if (c) { second }`, where the second begins with an effect of
  // the block `arm`: the block between the two, or `kNone` where that cannot be.
  u32 part_arm(u32 arm, std::size_t effect);
  // Takes away conditions that loops begin with and keep in every turn.
  void settle_turns();
  // Blocks that end with the same question go to one that asks it once.
  void merge_tails();
  // Simplifies until nothing changes. With `facts`, what branches say of masks is used too.
  void simplify(bool facts);

 private:
  class Simplifier;  // simplify.cpp
  Id fold(Op op, std::span<Id> args, u64 imm, u32 block);
  // The same operation of other arguments, or of ones that are others now: itself, or what is simpler or there already.
  Id renew(Id id, std::span<Id> args, bool& other);
  [[nodiscard]] bool is_local_size(Id id) const;
  [[nodiscard]] bool is_shift(Id id) const;
  // Whether it is an address in the printf buffer, by its form.
  [[nodiscard]] bool is_in_printf_buffer(Id id) const;
  // Whether it is how much room to print is left: more than anything that is not.
  [[nodiscard]] bool is_room_to_print(Id id, u32 steps = 4) const;
  Id where(Id id, Id mask, u32 block, u32 steps = 8);
  Id alike(Id phi);
  // Two words as the address of the arguments, or of what is in the 16 bytes from a multiple of 16 on: the kernarg
  // segment begins at such a multiple [S1 «Kernel Dispatch»], so that compilers set low bits where they add. `kNone`:
  // other words.
  Id argument_address(Id low, Id high);
  Id folded_join(Id low, Id high);
  Id wide_sum(Id low, Id high);
  [[nodiscard]] bool has_address(Id id, u32 steps) const;
  [[nodiscard]] bool has_product(Id id, u32 steps) const;
  Id address_with_high(Id low, Id high);
  Id without_high(Id id, Id of, u32 steps);
  Id wide_choice(Id low, Id high);
  Id global_id(Id first, Id second);
  [[nodiscard]] bool implied(Id mask, Id what, Ids& assumed, u32& steps) const;
  [[nodiscard]] bool known_at(Id mask, u32 block) const;
  // A mask with the same bits of those lanes.
  [[nodiscard]] Id bits_for(Id id, Id lanes, std::map<Id, Id>& known, u32 steps);
  // Takes away branches whose condition is known, and what nothing leads to any more.
  void prune();
  void skip_empty();
  bool dominators();
  void insert_block(u32 at);
  [[nodiscard]] Shared::Entry& entry_of(Op op, u64 imm, u32 block, std::span<const Id> args);
  void share_anew();
  [[nodiscard]] bool made_before(Id mask, u32 block) const;
  bool names_data_ = false;  // some node is an `Op::Data`
  bool forwards_others_ = false;  // `make` has made another value than its own one with another number
  // By halves: what they are together, and when that was looked at.
  std::unordered_map<u64, std::pair<Id, u32>> joined_;
  u32 epoch_ = 0, join_depth_ = 0;
  std::map<std::pair<Id, Id>, Id> wide_;
  std::unordered_map<u64, Id> of_lanes_;  // by value and mask
  bool closely_ = false;
  // Values that one walk has seen: those with the walk's number.
  void next_mark() const {
    ++walk_;
    if (marks_.size() < nodes.size()) marks_.resize(nodes.size() + nodes.size() / 2);
  }
  [[nodiscard]] bool mark(Id id) const { return std::exchange(marks_[id], walk_) != walk_; }
  // Whether something holds for a value and for all that it is made of; not where there is no time to look.
  template <class Holds>
  [[nodiscard]] bool every(Id id, Holds&& holds) const {
    next_mark();
    std::vector<Id>& open = to_walk_;
    open.assign({resolve(id)});
    while (!open.empty()) {
      const Id one = open.back();
      open.pop_back();
      if (!mark(one)) continue;
      if (!spend() || !holds(nodes[one])) return false;
      for (const Id arg : nodes[one].args) open.push_back(resolve(arg));
    }
    return true;
  }
  mutable std::vector<Id> to_walk_;  // of one such walk, none of which begins another
  mutable std::vector<u32> marks_;
  mutable u32 walk_ = 0;
  Shared shared_;
};

// Where a kernel finds an argument: bytes from the start of constant buffer 1 or of the argument block.
[[nodiscard]] std::optional<u64> place_of(const Argument& argument);
// Whether an argument is the address of memory: a pointer, a pipe, which is a buffer to its machine code, or a struct
// that lies elsewhere.
[[nodiscard]] bool is_address(const Argument& argument);

// Whether a kernel finds the address of a value where its argument should be.
[[nodiscard]] bool by_reference(const Argument& argument);

// Machine code that several walks read: each instruction is decoded once. Functions that are called are put in
// (calls.cpp): offsets are then numbers of their own, and `place` says which they are in the machine code.
class Decoder {
 public:
  Decoder(const Program& program, const Kernel& kernel, std::span<const std::byte> code, gcn::Generation generation)
      : program_(program), kernel_(kernel), code_(code), generation_(generation) {}
  // Of bytes from the start of the code.
  const gcn::Instruction& at(u32 offset) {
    u32& number = number_of(offset);
    if (number == 0) keep(number, gcn::decode(code_, offset, generation_));
    return instructions_[(number - 1) / kTogether][(number - 1) % kTogether];
  }
  const gcn::ControlFlow& flow() {
    if (flow_) return *flow_;
    flow_ = gcn::control_flow(code_, 0, generation_, [this](const gcn::Instruction& one) {
      if (u32& number = number_of(one.offset); number == 0) keep(number, one);
    });
    if (!flow_->computed.empty() || keeps_lanes_on_stack()) put_in_calls();
    return *flow_;
  }
  // Why calls could not be put in.
  [[nodiscard]] const std::optional<Refusal>& refusal() const { return refusal_; }
  // Whether functions were put in, or jumps by register followed.
  [[nodiscard]] bool has_calls() const { return !runs_.empty(); }
  [[nodiscard]] u32 calls() const { return calls_; }
  // Bytes from the start of the kernel's code, in two's complement: functions may stand in front of it.
  [[nodiscard]] u32 place(u32 offset) const {
    if (runs_.empty()) return offset;
    const auto run = std::ranges::upper_bound(runs_, offset, {}, &std::pair<u32, u32>::first);
    return run == runs_.begin() ? offset : std::prev(run)->second + (offset - std::prev(run)->first);
  }
  // "0x1c", or "-0x1c".
  [[nodiscard]] std::string place_text(u32 offset) const;
  // The number of the place on the stack where an instruction puts a register of all lanes, or takes it from.
  [[nodiscard]] std::optional<u32> slot(u32 offset) const {
    const auto found = slots_.find(offset);
    return found == slots_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] const std::map<u32, u32>& slots() const { return slots_; }
  // Accesses of scratch memory at known places, by offset: bytes from the start of a lane's. Its words are variables
  // then; without any it is memory.
  [[nodiscard]] const std::map<u32, u32>& private_places() const { return private_places_; }
  void set_private_places(std::map<u32, u32> places) { private_places_ = std::move(places); }

 private:
  u32& number_of(u32 offset) {
    if (offset / 4 >= numbers_.size()) numbers_.resize(offset / 2 + 1);
    return numbers_[offset / 4];
  }
  void keep(u32& number, const gcn::Instruction& instruction) {
    if (count_ % kTogether == 0) instructions_.emplace_back().reserve(kTogether);
    instructions_.back().push_back(instruction);
    number = ++count_;
  }

  void put_in_calls();
  [[nodiscard]] bool keeps_lanes_on_stack();

  const Program& program_;
  const Kernel& kernel_;
  std::span<const std::byte> code_;
  gcn::Generation generation_;
  std::vector<u32> numbers_;  // one more than the number of what begins at a dword, 0 where that is not decoded yet
  // Some at a time, which stay where they are.
  static constexpr u32 kTogether = 64;
  std::vector<std::vector<gcn::Instruction>> instructions_;
  u32 count_ = 0, calls_ = 0;
  std::optional<gcn::ControlFlow> flow_;
  std::optional<Refusal> refusal_;
  std::vector<std::pair<u32, u32>> runs_;  // where instructions that follow each other begin, here and in the code
  std::map<u32, u32> slots_, private_places_;
};

// "0x1c", of bytes from the start of the kernel's code; "-0x1c" in front of it.
[[nodiscard]] std::string offset_text(u32 offset);

// What the lifts of a file may take together (docs/limits.md): kernels may share their code.
constexpr u64 kMostFileInstructions = 1'000'000;
constexpr u64 kMostFileWork = 10 * Graph::kMostWork;

// Of its machine code; nothing: none that is lifted.
[[nodiscard]] inline std::optional<gcn::Generation> lifted_generation(const Program& program) {
  const auto out = program.target == nullptr ? std::nullopt : gcn::generation_of(*program.target);
  return out && *out <= gcn::Generation::Gfx9 ? out : std::nullopt;
}

// What a kernel reads at its start.
struct Source {
  const Program& program;
  const Kernel& kernel;
  std::span<const std::byte> code;
  gcn::Generation generation;
  Decoder& decoder;
  bool exact = false;  // denormals are what the machine code's mode has them
  bool flush = false;  // denormal floats are zeros, by statements of the source
  bool flush_doubles = false;  // so are those of 64 bits, for which there are no statements
  bool ignores_output_modifiers = false;  // of floats: its mode keeps denormals [OMOD]
  bool rounds_otherwise = false;  // floats, than to the nearest
  u64* work = nullptr;  // what is left for all kernels of the file; null: enough

  // What a graph of this source may spend, from now on.
  [[nodiscard]] u64 budget() const { return work == nullptr ? Graph::kMostWork : std::min(Graph::kMostWork, *work); }
  // Once for each graph, before the next one is built.
  void charge(const Graph& graph) const {
    if (work != nullptr) *work -= std::min(*work, budget() - std::min(budget(), graph.budget));
  }
};

// A word of the kernarg segment of a code object's kernel: what the runtime puts into it, or `kNone` where that has no
// place in OpenCL C. Empty: it is of an argument that the host gives.
[[nodiscard]] std::optional<Id> kernarg_word(Graph& graph, const Source& source, u32 at);

// Buffers whose descriptor is an address in registers become accesses by that address.
void settle_addresses(Graph& graph);

// Machine code as a graph. `Graph::refusal` is set where that is not possible.
// `by_path`: blocks in which EXEC is turned into its complement are there once for each way that leads to them, so that
// `if` and `else` are what they were. Only for a graph that `check_lanes` has shown to be one of lanes.
struct Flow {
  std::set<u32> skipped;  // offsets of branches on EXECZ that are not taken, so that lanes that are off go along
  std::set<u32> parted;  // offsets of branches behind which wavefronts meet one barrier instead of several
  bool some_present = false;  // a wavefront may have lanes of no work-item, whose registers hold something
};
[[nodiscard]] Graph build(const Source& source, bool by_path, const Flow& flow, u32& instructions);
// The places of all accesses of scratch memory, by offset of the instruction, if all are known; else none. `graph`: as
// it was built.
[[nodiscard]] std::map<u32, u32> private_places(Graph graph, const Source& source);
// Whether EXEC is turned into its complement anywhere.
[[nodiscard]] bool turns_lanes(const Source& source);
// Offsets of the instructions of blocks, by their first one.
using BlockCode = std::map<u32, std::vector<u32>>;
// Makes a block's last instructions one of its own, to which it leads on: its number.
u32 cut_end(Graph& graph, u32 block, std::size_t count, BlockCode& code);
// Whether an instruction writes EXEC, as far as its opcode and its destination say.
[[nodiscard]] bool writes_exec(const gcn::Instruction& instruction);
// Two blocks that end with the same instructions and go on to the same blocks share that end, if one of them jumps
// backwards to a block that can be come to without it. False: there are none.
[[nodiscard]] bool share_test(Graph& graph, const Source& source, BlockCode& code);
// The same for all blocks of one loop whose common end writes EXEC and does not go back. The blocks have no order then.
[[nodiscard]] bool share_ends(Graph& graph, const Source& source, BlockCode& code);
inline constexpr std::string_view kTooMuchWork = "takes more work than a lift may";
inline constexpr std::string_view kParted = "has a barrier that not all wavefronts of a group reach";
// Gives wavefronts one barrier behind branches at which they part, wherever theirs are. Blocks only, before they hold
// values; false: that is not possible, and the graph is of no use any more.
[[nodiscard]] bool meet_at_one_barrier(Graph& graph, const std::set<u32>& branches, BlockCode& code,
                                       const std::function<bool(u32)>& is_barrier);
// What scalar loads give, and what pairs are: as far as addresses are known. Simplifies.
void settle(Graph& graph, const Source& source);
// Again, if loads are left whose address is known only since each lane is a program of its own.
void settle_late(Graph& graph, const Source& source);
// The last part of it: accesses that may be to local memory (generic.cpp).
void split_generic(Graph& graph);
// Sequences that divide become one operation; `exact`: but those of floats of 32 bits.
void find_divisions(Graph& graph, bool exact);
// Variables that a loop advances together become functions of one counter. Of a graph whose lanes are settled.
void find_counters(Graph& graph);
// Descriptors that ways of a branch each have moved to vector registers. Simplifies.
void find_descriptors(Graph& graph);
// The same for words among the arguments of an access, as those lanes have them that make it.
void find_descriptor_words(Graph& graph, Id access, std::size_t first, std::size_t count);
// Makes loops over the values that lanes have, one value a turn, what a lane does.
void open_waterfalls(Graph& graph);
// Whether something visible needs how many lanes come before one.
[[nodiscard]] bool asks_lanes_below(const Graph& graph);
// Whether a value is how many lanes of a mask there are, or come before a lane.
[[nodiscard]] bool counts_lanes(const Graph& graph, Id id, Id mask, bool below);
// Packets of pipes that the first lane reserves for all become each lane's own.
void open_reservations(Graph& graph, const Source& source);
// Atomic operations that the first lane does for all become each lane's own.
void open_first_lanes(Graph& graph);
// A call of printf gets the room that it asks for, at the start of the buffer: in a graph that only shows what lanes
// do.
void give_room_to_print(Graph& graph);
// What is stored in the printf buffer becomes calls of printf, or is refused. Of a graph whose branches are settled.
void find_prints(Graph& graph, const Source& source);
// Masks that are made of numbers are a bit for each lane. What is left in registers that are masks later on is one.
void open_masks(Graph& graph);
// Refuses what other lanes have or are, which nothing that is shown of branches gives a work-item.
void check_others(Graph& graph);
// Shows that every lane can be computed by itself, or refuses. Selections by EXEC must not have been simplified by
// facts yet. `around`: a wavefront that is in a loop has a lane of the loop's mask, which takes the branches on it.
// That shows more of some loops and less of others, whose ways are fewer then.
void check_lanes(Graph& graph, const Source& source, bool around);
// Values of lanes that go along where a branch is left out (`skipped`).
void go_along(Graph& graph);
// What was shown to be the same for all lanes is each lane's own.
void settle_lanes(Graph& graph, const Source& source);
// The slot of a descriptor whose words these are, from the first one on; empty: they are of none.
struct Descriptor {
  u32 kind, slot;
};
[[nodiscard]] std::optional<Descriptor> descriptor(const Graph& graph, std::span<const Id> words);

// --- images (images.cpp) ---------------------------------------------------------------------------------------------

// Words of an address that may be coordinates: as many as the image with the most dimensions has.
[[nodiscard]] u32 most_coordinates(const Source& source);
// A word of the 32 bytes that the old runtime wrote for an image argument; `kNone`: it is not told in OpenCL C.
[[nodiscard]] Id image_constant(Graph& graph, const Source& source, u32 argument, u32 word);
// What a value is of an image, where it is a word of a descriptor or a size in it; `kNone`: it is not.
[[nodiscard]] Id image_part(Graph& graph, const Source& source, const Node& node);
// A word of the object that an image argument of OpenCL 2.0 points to; `kNone`: it is not known what it holds.
[[nodiscard]] Id image_object(Graph& graph, u32 argument, u64 at);
// Half of the handle of a sampler that the source defines, out of the data `at` bytes behind an address; `kNone`: there
// is none.
[[nodiscard]] Id sampler_handle(Graph& graph, const Source& source, Id low, Id high, u32 at);
// Makes accesses to one of several images accesses to one each.
void open_image_choices(Graph& graph);
// Decides which image and sampler an access has, or refuses.
void place_image(Graph& graph, const Source& source, Id access);
// Coordinates that AMD's device library has rounded for samplers without filter are what they were before.
void forget_rounding(Graph& graph);
// What the components of texels are, by what is done with them.
void find_texels(Graph& graph, const Source& source);
// "image2d_t"; empty: a kind of image that is not lifted.
[[nodiscard]] std::string_view image_type(const Image& image);
// A sampler's name in the unit, and its declaration, by the word of the old metadata.
[[nodiscard]] std::string sampler_name(u32 value);
[[nodiscard]] std::string sampler_declaration(u32 value);

// Whose memory each access goes to: addresses become offsets from arguments.
void find_memory(Graph& graph, const Source& source);
// The wave form: one work-item of each wavefront computes all its lanes. Of a graph that `find_memory` has settled.
// `local_bytes`: of the machine code's local memory.
[[nodiscard]] Graph to_wave(Graph& graph, u64 local_bytes);
// What was done about memory that lanes of a wavefront accessed in step. `keep_in_step` puts barriers where work-items
// might be in each other's way, as far as all of a group come there: for local memory, and for global memory too where
// a group is one wavefront.
struct StepOutcome {
  u32 barriers = 0;
  // Where lanes exchange values, surely or, in a group that is one wavefront, as far as is known, and no barrier can
  // be: offset in the code.
  std::optional<u32> exchange{};
  bool open = false;  // some of it is read and another place of it written where no barrier can be
};
[[nodiscard]] StepOutcome keep_in_step(Graph& graph, const Source& source);
// Which accesses are of memory that the source declares volatile.
void find_volatile(Graph& graph, const Source& source);
// Which accesses come next behind a fence.
void find_fences(Graph& graph, const Source& source);
// Halves that are numbers of 64 bits together become those. `long_elements`: by argument, how many such numbers a value
// has that it points to; 0: it points to others.
void find_wide(Graph& graph, const std::vector<u32>& long_elements);
// Products that compilers make of unsigned divisions by constants become divisions and remainders.
void find_constant_divisors(Graph& graph);
// Choices among values by number become elements of an array.
void find_elements(Graph& graph);
// The kernel's text; adds what it uses of the prelude.
struct Text {
  std::string kernel;
  std::vector<std::string> prelude;  // names of functions, in no order
  u32 statements = 0;
  std::vector<TexelKind> texels;  // by argument of the kernel; empty: no image is accessed
};
// A variable that is set in more than one place.
struct Early {
  std::string name, type;
  bool in_front = false;  // of all: a loop may read it before it is set in the text
};
// Conditions that hold where others do not.
using Opposites = std::map<std::string, std::string>;
// The largest number that a variable may be, where that is known.
using Bounds = std::map<std::string, u32>;
[[nodiscard]] Text emit(Graph& graph, const Source& source, const Options& options);
// Whether kernels may write to a data segment or section.
[[nodiscard]] bool writable(const Program& program, u32 data);
// The name of the array in the unit that holds a data segment or section.
[[nodiscard]] std::string data_name(const Program& program, u32 data);
// Functions by these names and those that they call, in an order that compiles.
[[nodiscard]] bool in_prelude(std::string_view name);
// Functions of the language that the text of any kernel may call: behind a kernel of that name nothing can.
[[nodiscard]] bool is_builtin(std::string_view name);
[[nodiscard]] std::string prelude(const std::vector<std::string>& names);

}  // namespace amdcompat::lift
