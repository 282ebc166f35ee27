// Programs made in memory, instruction by instruction: lifted and run by OpenCL, and run by the interpreter.
//
// Every kernel has the parameters of code_program.hpp. A work-group has 64 work-items, if nothing else is said.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/emulate.hpp>
#include <amdcompat/gcn.hpp>
#include <amdcompat/lift.hpp>
#include <amdcompat/program.hpp>

#include "code_program.hpp"
#include "opencl_runner.hpp"

namespace amdcompat_test::lifted {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using amdcompat::gcn::Format;
using amdcompat::gcn::Generation;
using amdcompat::gcn::Instruction;
using amdcompat::gcn::Opcode;
using Words = std::vector<u32>;

inline constexpr u32 kValues = corpus::kCodeValues;  // p0 and up
inline constexpr u32 kLanes = 64;  // of a work-group, and of a wavefront

// Registers at the start: the table of UAVs, constant buffers, the group's number; then v0.
inline constexpr u16 kTable = corpus::kCodeTable, kCb0 = corpus::kCodeCb0, kCb1 = corpus::kCodeCb1,
                     kGroup = corpus::kCodeGroup;
// What `prologue` sets: descriptors, the words of the pointers' slots; the number of the lane in the launch.
inline constexpr u16 kIn = 16, kOut = 20, kInSlot = 24, kOutSlot = 25, kLane = 1;
// Codes of operands.
[[nodiscard]] constexpr u16 v(u32 n) { return static_cast<u16>(256 + n); }
[[nodiscard]] constexpr u16 number(u32 n) { return static_cast<u16>(128 + n); }  // 0 to 64
inline constexpr u16 kMinusOne = 193, kVccCode = 106, kM0Code = 124, kExecCode = 126, kLiteralCode = 255;

// The row of an opcode on a generation; null: it has none.
[[nodiscard]] const amdcompat::gcn::Row* row_of(Opcode opcode, Generation generation);

class Code {
 public:
  explicit Code(Generation generation = Generation::Gfx7) : generation_(generation) {}

  [[nodiscard]] Generation generation() const { return generation_; }
  [[nodiscard]] Instruction make(Opcode opcode) const;
  Code& add(const Instruction& instruction);  // fails the test where it cannot be encoded
  // Any SOP1, SOP2, SOPC, VOP1, VOP2, VOPC and VOP3, by the operands of their words; `literal` of a source 255.
  Code& op(Opcode opcode, u16 destination, u16 source0 = 0, u16 source1 = 0, u32 literal = 0);
  Code& k(Opcode opcode, u16 destination, std::int32_t immediate);  // SOPK; SOPP with destination 0
  Code& scalar_load(Opcode opcode, u16 destination, u16 from, u32 bytes);
  Code& buffer(Opcode opcode, u16 data, u16 address, u16 resource, u32 offset = 0);
  Code& lds(Opcode opcode, u16 address, u16 data, u16 destination = 0, u32 offset0 = 0, u32 offset1 = 0, u16 data1 = 0);
  Code& word(u32 raw);
  // Descriptors, slots and the lane, of work-groups of so many work-items (a power of two).
  Code& prologue(u32 group = kLanes);
  // v[to] = the byte offset of `dwords` per lane in `slot`'s buffer.
  Code& place(u16 to, u16 slot, u32 dwords);
  Code& end() { return k(Opcode::s_endpgm, 0, 0); }

  // Branches: forwards `const auto at = code.branch(...); …; code.land(at)`, backwards `branch(…, target)`.
  std::size_t branch(Opcode opcode, std::optional<std::size_t> target = std::nullopt);
  void land(std::size_t branch);
  [[nodiscard]] std::size_t here() const { return words_.size(); }
  [[nodiscard]] const Words& words() const { return words_; }

 private:
  Generation generation_;
  Words words_;
};

struct Small {
  std::string name;
  Code code;
  u32 lds_bytes = 0;
  bool flushes = false;  // denormal floats, which else are kept as an OpenCL device for CPUs keeps them
};
[[nodiscard]] amdcompat::Program program_of(std::span<const Small> kernels);

struct Data {
  Words in{}, out{};  // before the launch
  std::array<u32, kValues> values{};
};
struct Ran {
  std::string problem;  // empty: it ran to its end
  bool out_of_range = false;  // accesses were beyond a buffer, which its descriptor stopped
  Words out;
};
// One launch of as many groups as needed for `lanes` lanes.
[[nodiscard]] Ran interpret(const amdcompat::Program& program, std::size_t kernel, const Data& run, u32 lanes,
                            u32 group = kLanes);
[[nodiscard]] opencl::Launch launch_of(const std::string& kernel, const Data& run, u32 lanes, u32 group = kLanes);
[[nodiscard]] Words words_of(std::span<const std::byte> bytes);

}  // namespace amdcompat_test::lifted
