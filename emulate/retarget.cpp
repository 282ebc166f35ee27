// Code for one generation on another: the same instruction with the same operands, wherever the program gets to.
#include <fmt/format.h>

#include "opcode.hpp"

namespace amdcompat::emulate {

Result<void> check_retarget(std::span<const std::byte> code, const Target& from, const Target& to) {
  const auto refuse = [](std::string why) {
    return std::unexpected(make_diagnostic(Code::InPlaceOpcode, {}, std::move(why)));
  };
  const auto old_gfx = runnable(from), new_gfx = runnable(to);
  if (!old_gfx || !new_gfx)
    return refuse(fmt::format("instructions of {} and {} cannot be compared here", from.name, to.name));
  std::vector<bool> seen((code.size() + 3) / 4);
  std::vector<u64> open{0};
  while (!open.empty()) {
    u64 at = open.back();
    open.pop_back();
    while (at + 4 <= code.size() && !seen[at / 4]) {
      seen[at / 4] = true;
      const Instruction before = gcn::decode(code, static_cast<u32>(at), *old_gfx);
      const Instruction after = gcn::decode(code, static_cast<u32>(at), *new_gfx);
      const std::string old_text = gcn::disassemble(before, *old_gfx), new_text = gcn::disassemble(after, *new_gfx);
      if (before.row == nullptr)
        return refuse(fmt::format("no {} instruction has the encoding 0x{:08x} at +0x{:x}",
                                  gcn::generation_name(*old_gfx), before.words[0], at));
      if (after.opcode != before.opcode || after.dwords != before.dwords || new_text != old_text)
        return refuse(fmt::format("'{}' at +0x{:x} is {} on {}", old_text, at,
                                  after.row == nullptr ? "nothing" : fmt::format("'{}'", new_text), to.name));
      const u64 next = at + before.dwords * u64{4};
      if (before.opcode == Opcode::s_endpgm) break;
      if (before.opcode == Opcode::s_setpc_b64 || before.opcode == Opcode::s_swappc_b64 ||
          before.opcode == Opcode::s_rfe_b64)
        for (u64 any = 0; any + 4 <= code.size();
             any += gcn::decode(code, static_cast<u32>(any), *old_gfx).dwords * u64{4})
          if (!seen[any / 4]) open.push_back(any);
      if (before.format == Format::Sopp && before.row->name.find("branch") != std::string_view::npos) {
        const i64 to_offset = static_cast<i64>(next) + i64{before.immediate} * 4;
        if (to_offset >= 0 && static_cast<u64>(to_offset) < code.size()) open.push_back(static_cast<u64>(to_offset));
        if (before.opcode == Opcode::s_branch) break;
      }
      at = next;
    }
  }
  return {};
}

}  // namespace amdcompat::emulate
