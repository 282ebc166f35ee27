// Machine code: decoder, disassembler and interpreter. Input: a byte of launch options, then the code.
#include <amdcompat/emulate.hpp>

#include <vector>

#include "property.hpp"

using namespace amdcompat;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 5 || size > 4096) return 0;
  const std::uint8_t choice = data[0];
  const auto raw = std::as_bytes(std::span(data + 1, size - 1));
  const std::vector<std::byte> code(raw.begin(), raw.end());

  emulate::Launch launch;
  launch.gfx = static_cast<gcn::Generation>(choice % 3);
  launch.code = code;
  launch.user_sgprs = {0x10000u, 0u, 256u, 0x00027facu, 0x20000u, 0u};
  launch.group_id = {true, (choice & 4) != 0, (choice & 8) != 0};
  launch.local_ids = choice >> 4 & 1;
  launch.lds_bytes = (choice & 32) != 0 ? 256 : 0;
  launch.global = {130, 1, 1};
  launch.local = {(choice & 64) != 0 ? 130u : 32u, 1, 1};
  emulate::Memory memory;
  require(memory.map(0x10000, std::vector<std::byte>(256)), "memory is mapped");
  require(memory.map(0x20000, std::vector<std::byte>(64)), "memory is mapped");
  const emulate::Limits limits{.lane_instructions = 2000};
  Diagnostics diagnostics;
  const emulate::Report report = emulate::run(launch, memory, limits, diagnostics);
  // The last instruction may pass it: 64 lanes of which each looks for four dwords in vain.
  constexpr std::uint64_t kMostOfOne = 8 + 64 * 4 * (1 + 6);
  require(report.lane_instructions < limits.lane_instructions + kMostOfOne, "the budget holds");
  require(report.poison.size() <= limits.findings && report.outside.size() <= limits.findings, "findings are bounded");
  require(report.outcome == emulate::Outcome::Ended || diagnostics.has_errors(), "a run that does not end says why");
  // Every generation can be decoded, not only those that run.
  const auto generation = static_cast<gcn::Generation>(choice % gcn::kGenerations);
  for (std::size_t at = 0; at < code.size(); at += 4) {
    const auto instruction = gcn::decode(code, static_cast<std::uint32_t>(at), generation);
    require(instruction.dwords >= 1 && instruction.dwords <= 5, "instructions have 1 to 5 dwords");
    require(!gcn::disassemble(instruction, generation).empty(), "every instruction has a text");
    if (instruction.row == nullptr) continue;
    require(at + instruction.dwords * 4u <= code.size(), "instructions end in the code");
    require(gcn::encode(instruction, generation).has_value(), "what is decoded can be encoded");
  }
  return 0;
}
