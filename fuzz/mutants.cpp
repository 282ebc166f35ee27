#include "mutants.hpp"

#include <algorithm>
#include <optional>
#include <span>

namespace amdcompat::fuzz {
namespace {

using u32 = std::uint32_t;

class Mutator {
 public:
  Mutator(Words code, gcn::Generation generation, std::mt19937& random)
      : words_(std::move(code)), generation_(generation), random_(random) {}

  Words run() {
    for (u32 changes = 1 + below(4); changes > 0 && !words_.empty(); --changes) change();
    return std::move(words_);
  }

 private:
  [[nodiscard]] u32 below(std::size_t n) { return n == 0 ? 0 : static_cast<u32>(random_() % n); }

  void change() {
    std::vector<std::size_t> begins;  // of instructions
    for (std::size_t at = 0; at < words_.size(); at += decode(at).dwords) begins.push_back(at);
    const std::size_t at = begins[below(begins.size())], from = begins[below(begins.size())];
    switch (below(8)) {
      case 0: return replace(at, random_instruction());
      case 1:
      case 2: return replace(at, with_other_operands(at));
      case 3: return erase(at);
      case 4: return insert(at, instruction_at(from));
      case 5: return insert(at, random_instruction());
      case 6: return jump_elsewhere(at);
      default: words_[at] ^= u32{1} << below(32);
    }
  }

  [[nodiscard]] gcn::Instruction decode(std::size_t at) const {
    return gcn::decode(std::as_bytes(std::span(words_)), static_cast<u32>(at * 4), generation_);
  }
  [[nodiscard]] Words instruction_at(std::size_t at) const {
    const auto first = words_.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t dwords = std::min<std::size_t>(decode(at).dwords, words_.size() - at);
    return {first, first + static_cast<std::ptrdiff_t>(dwords)};
  }
  void erase(std::size_t at) {
    const auto first = words_.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t dwords = std::min<std::size_t>(decode(at).dwords, words_.size() - at);
    words_.erase(first, first + static_cast<std::ptrdiff_t>(dwords));
  }
  void insert(std::size_t at, const Words& what) {
    words_.insert(words_.begin() + static_cast<std::ptrdiff_t>(at), what.begin(), what.end());
  }
  void replace(std::size_t at, const Words& what) {
    if (what.empty()) return;
    erase(at);
    insert(at, what);
  }
  // Branches count dwords from the next instruction on.
  void jump_elsewhere(std::size_t at) {
    gcn::Instruction i = decode(at);
    if (i.format != gcn::Format::Sopp) return;
    i.immediate += static_cast<std::int32_t>(below(17)) - 8;
    replace(at, encoded(i));
  }

  // Registers that kernels use, and constants.
  [[nodiscard]] std::uint16_t scalar() {
    constexpr std::uint16_t kSpecial[] = {106, 107, 124, 126, 127};
    return below(8) == 0 ? kSpecial[below(std::size(kSpecial))] : static_cast<std::uint16_t>(below(48));
  }
  [[nodiscard]] std::uint16_t source(bool vector) {
    switch (below(vector ? 4 : 2)) {
      case 0: return static_cast<std::uint16_t>(128 + below(65 + 16));
      case 1: return scalar();
      default: return static_cast<std::uint16_t>(256 + below(24));
    }
  }
  [[nodiscard]] static bool is_vector(gcn::Format format) {
    return format == gcn::Format::Vop1 || format == gcn::Format::Vop2 || format == gcn::Format::Vop3 ||
           format == gcn::Format::Vopc;
  }
  void give_operands(gcn::Instruction& i) {
    const bool vector = is_vector(i.format);
    switch (below(vector ? 6 : 4)) {
      case 0: i.destination = vector ? static_cast<std::uint16_t>(below(24)) : scalar(); break;
      case 1: i.sources[0] = source(vector); break;
      case 2:
        i.sources[1] = i.format == gcn::Format::Vop2 || i.format == gcn::Format::Vopc
                           ? static_cast<std::uint16_t>(256 + below(24))
                           : source(vector);
        break;
      case 3: i.sources[2] = source(vector); break;
      case 4: i.negate = static_cast<std::uint8_t>(below(8)); break;
      default: i.clamp = !i.clamp;
    }
  }
  [[nodiscard]] Words with_other_operands(std::size_t at) {
    gcn::Instruction i = decode(at);
    if (i.row == nullptr) return {};
    give_operands(i);
    return encoded(i);
  }
  [[nodiscard]] Words random_instruction() {
    const auto rows = gcn::rows();
    for (u32 tries = 0; tries < 64; ++tries) {
      const gcn::Row& row = rows[below(rows.size())];
      if (!row.on(generation_)) continue;
      gcn::Instruction i;
      i.row = &row;
      i.opcode = row.opcode;
      i.format = row.format;
      i.scalar_destination = 106;
      if (is_vector(row.format) && row.format != gcn::Format::Vop3)
        i.sources[1] = static_cast<std::uint16_t>(256 + below(24));
      for (u32 n = 0; n < 6; ++n) give_operands(i);
      if (Words out = encoded(i); !out.empty()) return out;
    }
    return {};
  }
  // Empty: it has no encoding.
  [[nodiscard]] Words encoded(const gcn::Instruction& instruction) const {
    const auto out = gcn::encode(instruction, generation_);
    if (!out) return {};
    return {out->words.begin(), out->words.begin() + out->dwords};
  }

  Words words_;
  gcn::Generation generation_;
  std::mt19937& random_;
};

}  // namespace

Words mutate(Words code, gcn::Generation generation, std::size_t most, std::mt19937& random) {
  Words out = Mutator(std::move(code), generation, random).run();
  if (out.size() > most) out.resize(most);
  return out;
}

}  // namespace amdcompat::fuzz
