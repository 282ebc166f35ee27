#include "small_program.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <gtest/gtest.h>

#include <amdcompat/launch_image.hpp>

#include "code_program.hpp"

namespace amdcompat_test::lifted {

namespace {

using namespace amdcompat;

// Places of the buffers: each behind the base of its descriptor by what its slot says.
constexpr u64 kInBase = 0x1000'0000, kOutBase = 0x2000'0000;
constexpr u64 kInstructions = 100'000'000;  // of a run
constexpr u32 kInAt = 0x100, kOutAt = 0x340;

std::vector<std::byte> bytes_of(std::span<const u32> words) {
  std::vector<std::byte> out(words.size_bytes());
  std::memcpy(out.data(), words.data(), out.size());
  return out;
}

}  // namespace

Words words_of(std::span<const std::byte> bytes) {
  Words out(bytes.size() / 4);
  std::memcpy(out.data(), bytes.data(), out.size() * 4);
  return out;
}

const gcn::Row* row_of(Opcode opcode, Generation generation) {
  const auto rows = gcn::rows();
  const auto found =
      std::ranges::find_if(rows, [&](const gcn::Row& row) { return row.opcode == opcode && row.on(generation); });
  return found == rows.end() ? nullptr : &*found;
}

Instruction Code::make(Opcode opcode) const {
  Instruction i;
  i.row = row_of(opcode, generation_);
  i.opcode = opcode;
  EXPECT_NE(i.row, nullptr) << gcn::info(opcode).name;
  if (i.row != nullptr) i.format = i.row->format;
  i.scalar_destination = kVccCode;
  return i;
}
Code& Code::add(const Instruction& instruction) {
  const auto encoded = gcn::encode(instruction, generation_);
  if (!encoded) {
    ADD_FAILURE() << encoded.error().message;
    return *this;
  }
  words_.insert(words_.end(), encoded->words.begin(), encoded->words.begin() + encoded->dwords);
  return *this;
}
Code& Code::op(Opcode opcode, u16 destination, u16 source0, u16 source1, u32 literal) {
  Instruction i = make(opcode);
  i.destination = destination;
  i.sources[0] = source0;
  i.sources[1] = source1;
  i.literal = literal;
  return add(i);
}
Code& Code::k(Opcode opcode, u16 destination, std::int32_t immediate) {
  Instruction i = make(opcode);
  i.destination = destination;
  i.immediate = immediate;
  return add(i);
}
Code& Code::scalar_load(Opcode opcode, u16 destination, u16 from, u32 bytes) {
  Instruction i = make(opcode);
  i.destination = destination;
  i.resource = from;
  i.immediate_offset = true;
  i.immediate = static_cast<std::int32_t>(bytes);
  return add(i);
}
Code& Code::buffer(Opcode opcode, u16 data, u16 address, u16 resource, u32 offset) {
  Instruction i = make(opcode);
  i.data = data;
  i.address = address;
  i.offen = true;
  i.resource = resource;
  i.sources[1] = number(0);
  i.offset0 = offset;
  return add(i);
}
Code& Code::lds(Opcode opcode, u16 address, u16 data, u16 destination, u32 offset0, u32 offset1, u16 data1) {
  Instruction i = make(opcode);
  i.address = address;
  i.data = data;
  i.data1 = data1;
  i.destination = destination;
  i.offset0 = offset0;
  i.offset1 = offset1;
  return add(i);
}
Code& Code::word(u32 raw) {
  words_.push_back(raw);
  return *this;
}
Code& Code::prologue(u32 group) {
  constexpr u32 kEntry = 32;  // bytes of the table
  scalar_load(Opcode::s_load_dwordx4, kIn, kTable, 10 * kEntry);
  scalar_load(Opcode::s_load_dwordx4, kOut, kTable, 11 * kEntry);
  scalar_load(Opcode::s_buffer_load_dword, kInSlot, kCb1, 0);
  scalar_load(Opcode::s_buffer_load_dword, kOutSlot, kCb1, 16);
  op(Opcode::s_lshl_b32, 26, kGroup, number(static_cast<u32>(std::countr_zero(group))));
  op(Opcode::v_add_co_u32, kLane, 26, v(0));
  return op(Opcode::s_mov_b32, kM0Code, kMinusOne);
}
Code& Code::place(u16 to, u16 slot, u32 dwords) {
  op(Opcode::s_mov_b32, 26, kLiteralCode, 0, dwords * 4);
  op(Opcode::v_mul_lo_u32, to, v(kLane), 26);
  return op(Opcode::v_add_co_u32, to, slot, v(to));
}
std::size_t Code::branch(Opcode opcode, std::optional<std::size_t> target) {
  const std::size_t at = words_.size();
  k(opcode, 0, target ? static_cast<std::int32_t>(*target) - static_cast<std::int32_t>(at) - 1 : 0);
  return at;
}
void Code::land(std::size_t branch) {
  words_[branch] = (words_[branch] & 0xffff0000) | static_cast<u32>(words_.size() - branch - 1);
}

Program program_of(std::span<const Small> kernels) {
  std::vector<corpus::CodeKernel> codes;
  for (const Small& small : kernels) codes.push_back({small.name, small.code.words(), small.lds_bytes, small.flushes});
  return corpus::program_of_code(codes, kernels.front().code.generation());
}

Ran interpret(const Program& program, std::size_t kernel, const Data& run, u32 lanes, u32 group) {
  Ran out;
  emulate::Memory memory;
  EXPECT_TRUE(memory.map(kInBase + kInAt, bytes_of(run.in), "in"));
  EXPECT_TRUE(memory.map(kOutBase + kOutAt, bytes_of(run.out), "out"));
  const u32 groups = lanes / group;
  Words cb0(40), cb1(8 + 4 * kValues);
  cb0[0] = lanes;
  cb0[1] = cb0[2] = cb0[3] = cb0[5] = cb0[6] = cb0[9] = cb0[10] = 1;
  cb0[4] = group;
  cb0[8] = groups;
  cb1[0] = kInAt;
  cb1[4] = kOutAt;
  for (u32 n = 0; n < kValues; ++n) cb1[8 + 4 * n] = run.values[n];
  emulate::CalBindings bindings;
  bindings.cb0 = bytes_of(cb0);
  bindings.cb1 = bytes_of(cb1);
  const auto bind = [&](u32 slot, u64 base, std::size_t bytes) {
    const auto words = amdcompat::abi::buffer_descriptor(base, static_cast<u32>(bytes), 0);
    bindings.uavs.push_back({slot, {words.begin(), words.end()}});
  };
  bind(10, kInBase, kInAt + run.in.size() * 4);
  bind(11, kOutBase, kOutAt + run.out.size() * 4);
  auto launch =
      emulate::kernel_launch(program, kernel, bindings, program.kernels[kernel].segments.hardware_local, memory);
  if (!launch) {
    out.problem = launch.error().message;
    return out;
  }
  launch->global = {lanes, 1, 1};
  launch->local = {group, 1, 1};
  Diagnostics diagnostics;
  const emulate::Report report = emulate::run(*launch, memory, {.lane_instructions = kInstructions}, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) out.problem += d.message + "\n";
  for (const auto& p : report.poison) out.problem += "reads " + p.what + " unset at " + std::to_string(p.offset) + "\n";
  for (const auto& o : report.outside) out.problem += "accesses what is outside at " + std::to_string(o.offset) + "\n";
  if (out.problem.empty() && !report.clean()) out.problem = "does not end";
  out.out_of_range = report.out_of_range != 0;
  out.out = words_of(memory.view(kOutBase + kOutAt, run.out.size() * 4));
  return out;
}

opencl::Launch launch_of(const std::string& kernel, const Data& run, u32 lanes, u32 group) {
  opencl::Launch out{.kernel = kernel, .global = {lanes, 1, 1}, .local = {group, 1, 1}};
  out.arguments.emplace_back(opencl::Buffer{bytes_of(run.in)});
  out.arguments.emplace_back(opencl::Buffer{bytes_of(run.out)});
  for (const u32 value : run.values) out.arguments.emplace_back(opencl::Value{bytes_of(std::span(&value, 1))});
  return out;
}

}  // namespace amdcompat_test::lifted
