// The model of SDWA and DPP: see vectors_sdwa_dpp.hpp.
#include "vectors_sdwa_dpp.hpp"

#include <algorithm>

namespace amdcompat::emulate::vectors {
namespace {

// Which bytes of a register a selection means, the lowest first.
const std::vector<u32>& bytes_of(u32 select) {
  static const std::array<std::vector<u32>, 7> all{std::vector<u32>{0}, {1}, {2}, {3}, {0, 1}, {2, 3}, {0, 1, 2, 3}};
  return all.at(select);
}
u32 byte_of(u32 value, u32 n) { return value / (1u << (8 * n)) % 256; }
u32 joined_bytes(const std::array<u32, 4>& bytes) {
  u32 out = 0;
  for (u32 n = 4; n-- > 0;) out = out * 256 + bytes[n];
  return out;
}

// By row, bank and place in its bank, each below 4.
struct Place {
  u32 row, bank, item;
  explicit Place(u32 lane) : row(lane / 16), bank(lane / 4 % 4), item(lane % 4) {}
  [[nodiscard]] i32 in_row() const { return static_cast<i32>(bank * 4 + item); }
  [[nodiscard]] u32 at(i32 in_row) const { return row * 16 + static_cast<u32>(in_row); }
};

std::optional<u32> read_lane(u32 control, u32 lane) {
  const Place p(lane);
  const i32 here = p.in_row(), by = static_cast<i32>(control % 16), wave = static_cast<i32>(lane);
  const auto within = [&](i32 place) { return place >= 0 && place <= 15 ? std::optional(p.at(place)) : std::nullopt; };
  switch (control / 16) {
    case 0x10: return within(here + by);
    case 0x11: return within(here - by);
    case 0x12: return p.at(here >= by ? here - by : here - by + 16);
    default: break;
  }
  switch (control) {
    case 0x130: return wave == 63 ? std::nullopt : std::optional(lane + 1);
    case 0x134: return wave == 63 ? 0 : lane + 1;
    case 0x138: return wave == 0 ? std::nullopt : std::optional(lane - 1);
    case 0x13c: return wave == 0 ? 63 : lane - 1;
    case 0x140: return p.at(15 - here);
    case 0x141: return p.at(here < 8 ? 7 - here : 23 - here);
    case 0x142: return p.row == 0 ? std::nullopt : std::optional(p.row * 16 - 1);
    case 0x143: return p.row < 2 ? std::nullopt : std::optional(31u);
    default: break;
  }
  const std::array<u32, 4> quad{control % 4, control / 4 % 4, control / 16 % 4, control / 64 % 4};
  return p.at(static_cast<i32>(p.bank * 4 + quad[p.item]));
}

}  // namespace

u32 selected(const Instruction& i, u32 n, u32 value) {
  const auto& bytes = bytes_of(n == 0 ? i.select0 : i.select1);
  const bool negative = byte_of(value, bytes.back()) >= 128 && (i.sign_extend >> n) % 2 != 0;
  std::array<u32, 4> out{};
  out.fill(negative ? 255 : 0);
  for (u32 k = 0; k < bytes.size(); ++k) out[k] = byte_of(value, bytes[k]);
  return joined_bytes(out);
}

u32 placed(const Instruction& i, u32 result, u32 old) {
  const auto& bytes = bytes_of(i.destination_select);
  const u32 sign = byte_of(result, static_cast<u32>(bytes.size()) - 1) >= 128 ? 255 : 0;
  std::array<u32, 4> out{};
  for (u32 n = 0; n < 4; ++n) {
    const auto found = std::ranges::find(bytes, n);
    if (found != bytes.end())
      out[n] = byte_of(result, static_cast<u32>(found - bytes.begin()));
    else if (i.destination_unused == 1)
      out[n] = n > bytes.back() ? sign : 0;
    else
      out[n] = i.destination_unused == 2 ? byte_of(old, n) : 0;
  }
  return joined_bytes(out);
}

void choose_parts(Maker& m, Instruction& i) {
  const auto part = [&] { return static_cast<u8>(m.chance(25) ? 6 : m.below(7)); };
  i.variant = gcn::Variant::Sdwa;
  i.select0 = part();
  i.select1 = part();
  i.destination_select = part();
  i.destination_unused = static_cast<u8>(m.below(3));
  i.sign_extend = static_cast<u8>(m.below(4));
  if (i.format != Format::Vopc || m.gfx() < Generation::Gfx9) return;
  // Comparisons have the place of the mask there instead.
  i.destination_select = i.destination_unused = 0;
  i.scalar_mask = m.chance(50);
  if (i.scalar_mask) i.scalar_destination = static_cast<u16>(48 + 2 * m.below(8));
}

Partner partner(const Instruction& i, u32 lane, u64 exec) {
  const Place p(lane);
  const auto has = [](u64 mask, u32 n) { return mask / (u64{1} << n) % 2 != 0; };
  std::optional<u32> from = read_lane(i.dpp_control, lane);
  if (from && !has(exec, *from)) from.reset();
  return {has(exec, lane) && has(i.row_mask, p.row) && has(i.bank_mask, p.bank) && (from || i.bound_control), from};
}

void choose_partners(Maker& m, Instruction& i, bool all) {
  static constexpr u16 kWave[] = {0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143};
  i.variant = gcn::Variant::Dpp;
  switch (m.below(5)) {
    case 0: i.dpp_control = static_cast<u16>(m.below(256)); break;
    case 1:
    case 2: i.dpp_control = static_cast<u16>(0x101 + 0x10 * m.below(3) + m.below(15)); break;
    default: i.dpp_control = kWave[m.below(8)]; break;
  }
  i.bound_control = all || m.chance(50);
  const auto mask = [&] { return static_cast<u8>(all || m.chance(50) ? 15 : m.below(16)); };
  i.row_mask = mask();
  i.bank_mask = mask();
}

}  // namespace amdcompat::emulate::vectors
