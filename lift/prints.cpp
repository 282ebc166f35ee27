// What kernels print: records of the runtime's buffer become calls of printf.
//
// Compilers of AMD have each call of printf ask for room in a buffer (its first word counts the bytes that are taken, its
// second one says how many there are), and store there the number of a format and what is printed, in words. [LP; RC:
// rocprintf.cpp] To a work-item the buffer looks as if it were empty and without an end each time: it gets what it asks
// for at once, its records begin at the first byte, and whatever is made of where that lies is a number.
#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "prints.hpp"

namespace amdcompat::lift {
namespace {

constexpr u32 kRecords = 8;  // where they begin: bytes from the start of the buffer

bool is_table(const Graph& g, Id id, u32 word) {
  const Node& n = g.at(id);
  return n.op == Op::Table && n.imm == (u64{kPrintf} << 4 | word);
}
bool asks_for_buffer(const Graph& g) {
  return std::ranges::any_of(
      g.nodes, [](const Node& n) { return n.op == Op::Table && n.forward == kNone && (n.imm >> 4 & 15) == kPrintf; });
}

// What one record is made of, by its words from the start, as far as they are known.
struct Record {
  std::map<u32, Id> words;  // by their place: bytes
  Id mask = kNone;
  u32 offset = 0;  // in the code
  std::size_t at = 0;  // behind which of a block's effects its last store is
};

class Prints {
 public:
  Prints(Graph& graph, const Source& source) : g_(graph), source_(source) {}

  void run() {
    for (u32 b = 0; b < g_.blocks.size() && !g_.refusal; ++b) {
      std::vector<Id> effects;
      Record record;
      for (const Id id : g_.blocks[b].effects) {
        const Node n = g_.nodes[id];
        const bool accesses = n.op == Op::Load || n.op == Op::Store || n.op == Op::Atomic;
        if (n.forward != kNone || !accesses || !in_buffer(g_.at(n.args[1]))) {
          effects.push_back(id);
          continue;
        }
        if (n.op != Op::Store) return refuse(n.offset, "reads its printf buffer otherwise than to ask for room");
        const auto place = printf_place(g_, g_.at(n.args[1]));
        if (!place || *place < kRecords || *place % 4 != 0 || g_.accesses[n.access].bytes != 4)
          return refuse(n.offset, "prints something of a size that is known only when it runs");
        // The next one, where a word has been stored already.
        if (record.words.contains(*place - kRecords) && !close(record, b, effects)) return;
        if (!take(n, *place - kRecords, record)) return refuse(n.offset, "prints in several parts");
        record.at = effects.size();
      }
      if (!record.words.empty() && !close(record, b, effects)) return;
      g_.blocks[b].effects = std::move(effects);
    }
  }

 private:
  void refuse(u32 offset, std::string why) { g_.refuse(Code::LiftAddress, offset, std::move(why)); }

  // Whether an address begins with the buffer's.
  bool in_buffer(const Node& address) const {
    return printf_place(g_, address).has_value() ||
           (address.op == Op::Add64 &&
            std::ranges::any_of(address.args, [&](Id arg) { return in_buffer(g_.at(arg)); }));
  }
  // Adds what a store writes. False: it is of another record.
  bool take(const Node& store, u32 place, Record& record) const {
    const Id mask = g_.resolve(store.args[0]);
    if (record.words.empty()) {
      record.mask = mask;
      record.offset = store.offset;
    }
    const u32 count = g_.accesses[store.access].components;
    const std::size_t data = store.args.size() - count;
    for (u32 k = 0; k < count; ++k)
      if (mask != record.mask || !record.words.try_emplace(place + 4 * k, store.args[data + k]).second) return false;
    return true;
  }
  // The call of which a record is, behind its last store. False: it is refused.
  bool close(Record& record, u32 block, std::vector<Id>& effects) {
    const auto refused = [&](std::string why) {
      refuse(record.offset, std::move(why));
      return false;
    };
    const auto first = record.words.find(0);
    if (first == record.words.end()) return refused("prints in several parts");
    const auto id = g_.value(first->second);
    const auto& formats = source_.program.printf;
    const auto format = !id ? formats.end() : std::ranges::find(formats, *id, &PrintfFormat::id);
    if (format == formats.end()) return refused("prints by a format that is not in the file");
    const std::optional<std::vector<PrintPiece>> pieces = print_pieces(*format);
    if (!pieces) return refused("prints by a format of which it is not certain what it takes");
    if (record.words.rbegin()->first != 4 * (record.words.size() - 1)) return refused("prints in several parts");
    std::vector<u32> counts;
    u32 ways = 0;
    std::vector<u32> found;
    share(record, *pieces, 4, counts, ways, found);
    if (ways != 1) return refused("prints other than its format says");
    Ids args{record.mask, g_.constant(0)};
    u32 at = 4;
    for (std::size_t k = 0; k < pieces->size(); ++k) {
      const bool is_long = (*pieces)[k].is_long();
      const u32 count = found[k];
      for (u32 n = 0; n < count; n += is_long ? 2 : 1) {
        const Id word = record.words[at + 4 * n];
        args.push_back(is_long ? g_.make(Op::Join, {word, record.words[at + 4 * n + 4]}) : word);
      }
      for (u32 n = count; n < (*pieces)[k].words(); ++n) args.push_back(g_.constant(0));
      at += count * 4;
    }
    const Id out = g_.add({.op = Op::Store,
                           .block = block,
                           .offset = record.offset,
                           .imm = static_cast<u64>(format - formats.begin()),
                           .args = std::move(args),
                           .access = g_.access({.room = Room::Print})});
    effects.insert(effects.begin() + static_cast<std::ptrdiff_t>(record.at), out);
    record = {};
    return true;
  }
  // How many words of a record, from `at` on, each piece has: its size says so, but of a string whose end would be a word
  // of its own LLVM stores the characters only. [LP] `ways`: how many are possible, of which `found` is the last one.
  void share(const Record& record, std::span<const PrintPiece> pieces, u32 at, std::vector<u32>& counts, u32& ways,
             std::vector<u32>& found) const {
    constexpr u32 kMostWays = 2;
    if (ways >= kMostWays || !g_.spend()) return;
    if (counts.size() == pieces.size()) {
      if (at != 4 * record.words.size()) return;
      ++ways;
      found = counts;
      return;
    }
    const PrintPiece& piece = pieces[counts.size()];
    const u32 whole = piece.words();
    for (const u32 count : {whole, whole - 1}) {
      if (count == 0 || at + 4 * count > 4 * record.words.size()) continue;
      if (count != whole && piece.kind != PrintPiece::Kind::Text) continue;
      if (piece.kind == PrintPiece::Kind::Text && !is_text(record, at, count, count == whole)) continue;
      counts.push_back(count);
      share(record, pieces, at + 4 * count, counts, ways, found);
      counts.pop_back();
    }
  }
  // Whether words are a string that ends in the last one of them, or has no end.
  bool is_text(const Record& record, u32 at, u32 count, bool ends) const {
    for (u32 n = 0; n < count; ++n) {
      const auto word = g_.value(record.words.at(at + 4 * n));
      if (!word) return true;  // refused as it is written
      bool end = false;
      for (u32 byte = 0; byte < 4; ++byte) end = end || (*word >> 8 * byte & 255) == 0;
      if (end != (ends && n + 1 == count)) return false;
    }
    return true;
  }

  Graph& g_;
  const Source& source_;
};

// Whether anything asked for room.
bool give_room(Graph& g) {
  bool changed = false;
  const std::size_t count = g.nodes.size();
  for (Id id = 0; id < count; ++id) {
    const Node n = g.nodes[id];
    const bool part = n.op == Op::Loaded;
    if (n.forward != kNone || (!part && n.op != Op::Load && n.op != Op::Atomic)) continue;
    const Node access = part ? g.at(n.args[0]) : n;
    const auto place = access.args.size() > 1 ? printf_place(g, g.at(access.args[1])) : std::nullopt;
    const Access& what = g.accesses[access.access];
    if (!place || what.bytes != 4 || (!part && what.components != 1)) continue;
    g.origin = n.offset;
    const std::optional<Id> found = n.op != Op::Atomic     ? printf_word(g, *place + (part ? 4 * n.imm : 0))
                                    : *place != 0          ? std::nullopt
                                    : what.atomic == "add" ? std::optional(g.constant(0))
                                    // As if nothing were there but what is expected.
                                    : what.atomic == "cmpxchg" ? std::optional(g.resolve(n.args[2]))
                                                               : std::nullopt;
    if (!found) continue;
    g.nodes[id].forward = *found;
    changed = true;
  }
  g.origin = 0;
  return changed;
}

// A number in a format, from `at` on.
u32 number(std::string_view format, std::size_t& at) {
  constexpr u32 kMost = 1 << 16;
  u32 out = 0;
  for (; at < format.size() && format[at] >= '0' && format[at] <= '9'; ++at)
    out = std::min(out * 10 + static_cast<u32>(format[at] - '0'), kMost);
  return out;
}

}  // namespace

std::optional<u32> printf_place(const Graph& g, const Node& address) {
  constexpr u64 kMost = 1 << 16;
  if (address.op == Op::Join)
    return is_table(g, address.args[0], 0) && is_table(g, address.args[1], 1) ? std::optional(0u) : std::nullopt;
  if (address.op != Op::Add64) return std::nullopt;
  const auto more = g.value64(address.args[1]);
  const auto from = more && *more < kMost ? printf_place(g, g.at(address.args[0])) : std::nullopt;
  return from ? std::optional(*from + static_cast<u32>(*more)) : std::nullopt;
}

std::optional<std::vector<PrintPiece>> print_pieces(const PrintfFormat& format) {
  const std::string_view text = format.format;
  std::vector<PrintPiece> out;
  std::size_t next = 0;  // of the sizes
  const auto take = [&](PrintPiece piece) {
    if (next == format.sizes.size()) return false;
    piece.bytes = format.sizes[next++];
    const u32 each = piece.elements == 0 ? 0 : piece.bytes / (piece.elements == 3 ? 4 : piece.elements);
    const bool fits = piece.kind == PrintPiece::Kind::Text ||
                      (piece.elements == 1 ? each == 4 || each == 8 : each == 1 || each == 2 || each == 4 || each == 8);
    if (!fits || piece.bytes == 0 || piece.bytes > 4096 || (piece.kind == PrintPiece::Kind::Float && each < 4))
      return false;
    out.push_back(piece);
    return true;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') continue;
    if (++at < text.size() && text[at] == '%') continue;
    while (at < text.size() && std::string_view("-+ #0").contains(text[at])) ++at;
    for (const bool precision : {false, true}) {
      if (precision && (at >= text.size() || text[at] != '.')) break;
      at += precision ? 1 : 0;
      if (at < text.size() && text[at] == '*') {
        if (!take({.kind = PrintPiece::Kind::Signed})) return std::nullopt;
        ++at;
      } else {
        number(text, at);
      }
    }
    PrintPiece piece;
    if (at < text.size() && text[at] == 'v') {
      piece.elements = number(text, ++at);
      constexpr u32 kWidths[] = {2, 3, 4, 8, 16};
      if (std::ranges::find(kWidths, piece.elements) == std::end(kWidths)) return std::nullopt;
    }
    for (; at < text.size() && std::string_view("hlLjzt").contains(text[at]); ++at) piece.halvings += text[at] == 'h';
    if (at >= text.size()) return std::nullopt;
    switch (text[at]) {
      case 'd':
      case 'i':
      case 'c': piece.kind = PrintPiece::Kind::Signed; break;
      case 'u':
      case 'o':
      case 'x':
      case 'X': piece.kind = PrintPiece::Kind::Unsigned; break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A': piece.kind = PrintPiece::Kind::Float; break;
      case 'p': piece.kind = PrintPiece::Kind::Pointer; break;
      case 's': piece.kind = PrintPiece::Kind::Text; break;
      default: return std::nullopt;
    }
    if (piece.kind == PrintPiece::Kind::Text && piece.elements != 1) return std::nullopt;
    if (!take(piece)) return std::nullopt;
  }
  return next == format.sizes.size() ? std::optional(std::move(out)) : std::nullopt;
}

std::string text_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      case '"':
      case '\\': (out += '\\') += c; break;
      default:
        if (c >= ' ' && c <= '~')
          out += c;
        else
          out += fmt::format("\\{:03o}", static_cast<u8>(c));
    }
  }
  return out + "\"";
}

std::optional<Id> printf_word(Graph& g, u64 at) {
  if (at == 0) return g.constant(0);
  if (at == 4) return g.constant(~0u);
  return std::nullopt;
}

void give_room_to_print(Graph& g) {
  if (!asks_for_buffer(g)) return;
  settle_addresses(g);
  if (give_room(g)) g.simplify(false);
}

void find_prints(Graph& graph, const Source& source) {
  if (!asks_for_buffer(graph)) return;
  // What branches say of masks may have shown where an address is.
  settle_addresses(graph);
  if (give_room(graph)) graph.simplify(true);
  Prints(graph, source).run();
}

}  // namespace amdcompat::lift
