// What kernels print: records of the runtime's buffer become calls of printf.
//
// Compilers of AMD have each call of printf ask for room in a buffer (its first word counts the bytes that are taken,
// its second one says how many there are), and store there the number of a format and what is printed, in words. [LP;
// RC: rocprintf.cpp] To a work-item the buffer looks as if it were empty and without an end each time: it gets what it
// asks for at once, its records begin at the first byte, and whatever is made of where that lies is a number.
//
// In the buffer of OpenCL 1.x each work-item has a region of its own, whose first dword is the number of the first one
// that is free. A call stores the number of its format and each argument behind each other, and after each of them that
// first dword again, all of it only where the region, whose size constant buffer 0 has, has room. [RT: gpuprintf.cpp;
// BE: AMDILPrintfConvert.cpp; BET: the functions of the device library] To a work-item the region has no end.
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
bool is_of_buffer(const Node& n) { return n.op == Op::Table && (n.imm >> 4 & 15) == kPrintf; }
bool asks_for_buffer(const Graph& g) {
  return std::ranges::any_of(g.nodes, [](const Node& n) { return n.forward == kNone && is_of_buffer(n); });
}

// Whether a part of an address is the buffer's.
bool is_made_of_buffer(const Graph& g, Id address) {
  Seen seen;
  std::vector<Id> open{g.resolve(address)};
  while (!open.empty()) {
    const Id id = open.back();
    open.pop_back();
    if (!seen.insert(id) || !g.spend()) continue;
    const Node& n = g.nodes[id];
    if (is_of_buffer(n)) return true;
    if (g.effect(n.op) || info(n.op).result == Bool) continue;
    for (const Id arg : n.args) open.push_back(g.resolve(arg));
  }
  return false;
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
        if (n.forward != kNone || !accesses || !is_made_of_buffer(g_, n.args[1])) {
          effects.push_back(id);
          continue;
        }
        if (n.op != Op::Store) return refuse(n.offset, "reads its printf buffer otherwise than to ask for room");
        const auto place = printf_place(g_, g_.at(n.args[1]));
        if (!place || *place < kRecords || *place % 4 != 0 || g_.accesses[n.access].bytes != 4)
          return refuse(n.offset, "prints something of a size that is known only when it runs");
        // The next one, where a word has been stored already.
        if (record.words.contains(*place - kRecords) && !close(record, b, effects)) return;
        if (!take(n, *place - kRecords, record)) return refuse(n.offset, kParts);
        record.at = effects.size();
      }
      if (!record.words.empty() && !close(record, b, effects)) return;
      g_.blocks[b].effects = std::move(effects);
    }
  }

  // Of OpenCL 1.x.
  void run_regions() {
    for (u32 b = 0; b < g_.blocks.size() && !g_.refusal; ++b) {
      if (follows_only(b)) continue;
      // Blocks that always come behind each other: between them was the question whether there is room.
      std::vector<u32> chain{b};
      while (g_.blocks[chain.back()].end.kind == BlockEnd::Kind::Jump && follows_only(g_.blocks[chain.back()].end.yes))
        chain.push_back(g_.blocks[chain.back()].end.yes);
      print_chain(chain);
    }
  }

 private:
  static constexpr const char* kParts = "prints in several parts";
  // A sum of values, each so often, and of a number: of 64 bits where none of its parts is expected to be beyond 32.
  struct Sum {
    std::map<Id, u64> parts;
    u64 number = 0;
    void add(const Sum& other, u64 times) {
      number += other.number * times;
      for (const auto& [id, count] : other.parts)
        if ((parts[id] += count * times) == 0) parts.erase(id);
    }
    friend bool operator==(const Sum&, const Sum&) = default;
  };

  void refuse(u32 offset, std::string why) { g_.refuse(Code::LiftAddress, offset, std::move(why)); }
  // The first format of the number that is stored for it; the end: it is none of the file.
  std::vector<PrintfFormat>::const_iterator format_of(Id word) const {
    const auto id = g_.value(word);
    const auto& formats = source_.program.printf;
    return id ? std::ranges::find(formats, *id, &PrintfFormat::id) : formats.end();
  }
  // Whether it goes through the descriptor of the printf buffer.
  bool is_of_region(const Node& n) const {
    if ((n.op != Op::Load && n.op != Op::Store && n.op != Op::Atomic) || n.args.size() < BufferArgument::kRest)
      return false;
    const Room room = g_.accesses[n.access].room;
    if (room != Room::Uav && room != Room::Flat) return false;
    const auto from = descriptor(g_, std::span(n.args).subspan(BufferArgument::kWords, 4));
    return from && from->kind == kUavs && from->slot == printf_slot(source_) && g_.value(n.args[2]) == 0u;
  }
  // Distances in the buffer are short: those of 32 bits that are made longer are what they are.
  Sum sum_of(Id id) const {
    constexpr u32 kMostSteps = 64;
    Sum out;
    std::vector<std::pair<Id, u64>> open{{g_.resolve(id), 1}};
    for (u32 steps = 0; !open.empty(); ++steps) {
      const auto [part, times] = open.back();
      open.pop_back();
      const Node& n = g_.nodes[part];
      const auto number = [&](std::size_t k) {
        const auto wide = g_.value64(n.args[k]);
        return wide ? wide : g_.value(n.args[k]) ? std::optional<u64>(*g_.value(n.args[k])) : std::nullopt;
      };
      const auto go_on = [&](std::size_t k, u64 factor) { open.emplace_back(g_.resolve(n.args[k]), times * factor); };
      const bool whole = steps < kMostSteps && g_.spend();
      if (n.op == Op::Const)
        out.number += static_cast<u64>(static_cast<i64>(static_cast<i32>(n.imm))) * times;
      else if (n.op == Op::Const64)
        out.number += n.imm * times;
      else if (whole && (n.op == Op::Add || n.op == Op::Add64))
        go_on(0, 1), go_on(1, 1);
      else if (whole && (n.op == Op::Sub || n.op == Op::Sub64))
        go_on(0, 1), go_on(1, ~u64{0});
      else if (whole && (n.op == Op::Shl || n.op == Op::Shl64) && number(1) && *number(1) < 32)
        go_on(0, u64{1} << *number(1));
      else if (whole && n.op == Op::Mul && number(1))
        go_on(0, static_cast<u64>(static_cast<i64>(static_cast<i32>(*number(1)))));
      else if (whole && n.op == Op::Join && is_extended(n))
        go_on(0, 1);
      else
        out.add({.parts = {{part, 1}}}, times);
    }
    return out;
  }
  // Whether the upper word is what a number of 32 bits has there.
  bool is_extended(const Node& join) const {
    const Node& high = g_.at(join.args[1]);
    if (high.op == Op::Const) return high.imm == 0;
    return high.op == Op::Sar && g_.value(high.args[1]) == 31u && g_.resolve(high.args[0]) == g_.resolve(join.args[0]);
  }
  // A dword that is stored in a region.
  struct Part {
    Id mask, value;
    Sum at;
    u32 offset;  // in the code
    std::size_t block, effects;  // of the chain; in front of it in the block
    [[nodiscard]] Sum end() const {
      Sum out = at;
      out.number += 4;
      return out;
    }
  };
  // Whether the only way into a block is a jump of one in front of it.
  bool follows_only(u32 block) const {
    const auto& from = g_.blocks[block].predecessors;
    return from.size() == 1 && from[0] < block && g_.blocks[from[0]].end.kind == BlockEnd::Kind::Jump;
  }
  void print_chain(std::span<const u32> chain) {
    std::vector<std::vector<Id>> effects(chain.size());
    std::vector<Part> parts;  // that the same lanes store
    for (std::size_t b = 0; b < chain.size(); ++b)
      for (const Id id : g_.blocks[chain[b]].effects) {
        const Node n = g_.nodes[id];
        if (n.forward != kNone || !is_of_region(n)) {
          effects[b].push_back(id);
          continue;
        }
        if (n.op != Op::Store) return refuse(n.offset, "reads its printf buffer");
        if (g_.accesses[n.access].bytes != 4) return refuse(n.offset, kParts);
        const Id mask = g_.resolve(n.args[0]);
        if (!parts.empty() && parts[0].mask != mask && !print_regions(parts, chain, effects)) return;
        Sum at = sum_of(n.args[1]);
        const u32 count = g_.accesses[n.access].components;
        for (std::size_t k = n.args.size() - count; k < n.args.size(); ++k, at.number += 4)
          parts.push_back({mask, g_.resolve(n.args[k]), at, n.offset, b, effects[b].size()});
      }
    if (!parts.empty() && !print_regions(parts, chain, effects)) return;
    for (std::size_t b = 0; b < chain.size(); ++b) g_.blocks[chain[b]].effects = std::move(effects[b]);
  }
  // Whether all that goes to `start` says where a part ends, counted in dwords from there.
  bool counts(std::span<const Part> parts, const Sum& start) const {
    if (!g_.spend(parts.size())) return false;
    return std::ranges::all_of(parts, [&](const Part& count) {
      if (count.at != start) return count.at.parts != start.parts || count.at.number > start.number;
      Sum next = start;
      next.add(sum_of(count.value), 4);
      return g_.spend(parts.size()) &&
             std::ranges::any_of(parts, [&](const Part& one) { return one.at != start && one.end() == next; });
    });
  }
  // Calls for what the same lanes store. Where a region begins and which of its dwords is free is not known: the
  // region's first dword is the one whose stores say where the others end. `parts` is empty after it.
  bool print_regions(std::vector<Part>& parts, std::span<const u32> chain, std::vector<std::vector<Id>>& effects) {
    const auto several = [&] { return refuse(parts[0].offset, kParts), false; };
    const auto first = std::ranges::find_if(parts, [&](const Part& one) { return counts(parts, one.at); });
    if (first == parts.end()) return several();
    const Sum start = first->at;
    std::erase_if(parts, [&](const Part& one) { return one.at == start; });
    std::ranges::stable_sort(parts, {}, [](const Part& one) { return static_cast<i64>(one.at.number); });
    Record record;
    std::pair<std::size_t, std::size_t> last{};  // the place behind which the record is
    std::size_t added = 0;  // calls in that place's block
    for (std::size_t n = 0; n < parts.size(); ++n) {
      if (n > 0 && parts[n - 1].end() != parts[n].at) return several();
      if (record.words.empty()) record.mask = parts[n].mask, record.offset = parts[n].offset;
      record.words.emplace(4 * static_cast<u32>(record.words.size()), parts[n].value);
      if (const std::pair place(parts[n].block, parts[n].effects); place > last) {
        if (place.first != last.first) added = 0;
        last = place;
      }
      if (!is_whole(record) && n + 1 != parts.size()) continue;
      record.at = last.second + added++;
      if (!close(record, chain[last.first], effects[last.first])) return false;
    }
    parts.clear();
    return true;
  }
  // Whether a record has all that its format takes.
  bool is_whole(const Record& record) const {
    const auto format = format_of(record.words.begin()->second);
    if (format == source_.program.printf.end()) return true;
    u64 words = 1;
    for (const u32 bytes : format->sizes) words += (u64{bytes} + 3) / 4;
    return record.words.size() >= words;
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
    if (first == record.words.end()) return refused(kParts);
    const auto format = format_of(first->second);
    const auto& formats = source_.program.printf;
    if (format == formats.end()) return refused("prints by a format that is not in the file");
    if (std::find_if(format + 1, formats.end(), [&](const PrintfFormat& one) { return one.id == format->id; }) !=
        formats.end())
      return refused("prints by a format of which the file has several");
    const std::optional<std::vector<PrintPiece>> pieces = print_pieces(*format);
    if (!pieces) return refused("prints by a format of which it is not certain what it takes");
    if (record.words.rbegin()->first != 4 * (record.words.size() - 1)) return refused(kParts);
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
  // How many words of a record, from `at` on, each piece has: its size says so, but of a string whose end would be a
  // word of its own LLVM stores the characters only. [LP] `ways`: how many are possible, of which `found` is the last.
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

// What is asked of the buffer: how much of it is taken, how much there is, and room in it.
class Asks {
 public:
  explicit Asks(Graph& graph) : g_(graph) {}

  // Answers all of them. Whether there were any.
  bool answer() {
    std::vector<std::pair<Id, Id>> answers;
    const std::size_t count = g_.nodes.size();
    for (Id id = 0; id < count; ++id) {
      const Node n = g_.nodes[id];
      const bool part = n.op == Op::Loaded;
      if (n.forward != kNone || (!part && n.op != Op::Load && n.op != Op::Atomic)) continue;
      const Node access = part ? g_.at(n.args[0]) : n;
      const Access& what = g_.accesses[access.access];
      const auto place = place_of(access);
      if (!place || what.bytes != 4 || (!part && what.components != 1)) continue;
      g_.origin = n.offset;
      std::optional<Id> found;
      if (n.op != Op::Atomic)
        found = word(*place + (part ? 4 * n.imm : 0));
      else if (*place == 0 && what.atomic == "add")
        found = g_.constant(0);
      else if (*place == 0 && what.atomic == "cmpxchg")
        found = g_.resolve(n.args[2]);  // as if nothing were there but what is expected
      if (found) answers.emplace_back(id, *found);
    }
    g_.origin = 0;
    // Selections by EXEC that stay would be uses of what registers held before: such a graph is not written.
    if (!g_.keep_writes && !answers.empty()) check(answers);
    if (g_.refusal) return false;
    for (const auto& [id, now] : answers) g_.nodes[id].forward = now;
    return !answers.empty();
  }

 private:
  // Empty, and without an end.
  std::optional<Id> word(u64 at) {
    if (at == 0) return g_.constant(0);
    if (at == 4) return g_.constant(~0u);
    return std::nullopt;
  }
  std::optional<u64> place_of(const Node& access) const {
    if (g_.accesses[access.access].room == Room::Scalar) {  // the address is two words, behind the distance
      const auto distance = access.args.size() == 4 ? g_.value(access.args[1]) : std::nullopt;
      const bool buffer = distance && is_table(g_, access.args[2], 0) && is_table(g_, access.args[3], 1);
      return buffer ? std::optional<u64>(*distance) : std::nullopt;
    }
    if (access.args.size() < 2) return std::nullopt;
    const auto place = printf_place(g_, g_.at(access.args[1]));
    return place ? std::optional<u64>(*place) : std::nullopt;
  }
  // What is made of the answers may be compared, and be a place in the buffer: all else would tell what it holds.
  void check(std::span<const std::pair<Id, Id>> answers) {
    const std::vector<bool> live = g_.live();
    std::vector<bool> made(g_.nodes.size());
    for (const auto& [id, now] : answers) made[id] = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (Id id = 0; id < live.size(); ++id) {
        const Node& n = g_.nodes[id];
        if (!live[id] || n.forward != kNone || made[id] || g_.effect(n.op) || info(n.op).result == Bool) continue;
        made[id] = std::ranges::any_of(n.args, [&](Id arg) { return made[g_.resolve(arg)]; });
        changed = changed || made[id];
        if (made[id] && !g_.spend()) return;
      }
    }
    for (Id id = 0; id < live.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (!live[id] || n.forward != kNone || !g_.effect(n.op)) continue;
      for (std::size_t k = 1; k < n.args.size(); ++k) {
        if (!made[g_.resolve(n.args[k])]) continue;
        // Another question, or a place; one that is in the buffer otherwise is refused as a record.
        if ((n.op != Op::Atomic && k != 1) || !is_made_of_buffer(g_, n.args[1]))
          return g_.refuse(Code::LiftAddress, n.offset,
                           "uses what its printf buffer holds otherwise than to ask for room");
      }
    }
  }

  Graph& g_;
};

// A number in a format, from `at` on. False: it is none that a person writes.
bool skip_number(std::string_view format, std::size_t& at) {
  constexpr std::size_t kMostDigits = 3;
  const std::size_t begin = at;
  while (at < format.size() && format[at] >= '0' && format[at] <= '9') ++at;
  return at - begin <= kMostDigits;
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
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') continue;
    PrintPiece piece{.begin = at};
    if (++at < text.size() && text[at] == '%') continue;
    while (at < text.size() && std::string_view("-+ #0").contains(text[at])) ++at;
    if (!skip_number(text, at)) return std::nullopt;
    if (at < text.size() && text[at] == '.' && !skip_number(text, ++at)) return std::nullopt;
    piece.type = at;
    if (at < text.size() && text[at] == 'v') {
      const std::string_view rest = text.substr(++at);
      for (const u32 width : {16u, 8u, 4u, 3u, 2u})
        if (const std::string digits = std::to_string(width); piece.elements == 1 && rest.starts_with(digits)) {
          piece.elements = width;
          at += digits.size();
        }
      if (piece.elements == 1) return std::nullopt;
    }
    const std::size_t lengths = at;
    while (at < text.size() && std::string_view("hl").contains(text[at])) ++at;
    if (at >= text.size()) return std::nullopt;
    const std::string_view length = text.substr(lengths, at - lengths);
    constexpr std::string_view kOfIntegers = "diouxXc", kOfFloats = "eEfgGaA";
    if (kOfIntegers.contains(text[at]))
      piece.kind =
          text[at] == 'd' || text[at] == 'i' || text[at] == 'c' ? PrintPiece::Kind::Signed : PrintPiece::Kind::Unsigned;
    else if (kOfFloats.contains(text[at]))
      piece.kind = PrintPiece::Kind::Float;
    else if (text[at] == 'p')
      piece.kind = PrintPiece::Kind::Pointer;
    else if (text[at] == 's')
      piece.kind = PrintPiece::Kind::Text;
    else
      return std::nullopt;
    piece.end = at + 1;
    constexpr u32 kMostBytes = 4096;
    if (out.size() == format.sizes.size()) return std::nullopt;
    piece.bytes = format.sizes[out.size()];
    if (piece.bytes == 0 || piece.bytes > kMostBytes) return std::nullopt;
    if (piece.elements == 1) {
      const bool number = piece.kind != PrintPiece::Kind::Text;
      if (number && piece.bytes != 4 && piece.bytes != 8) return std::nullopt;
      if (piece.kind == PrintPiece::Kind::Signed || piece.kind == PrintPiece::Kind::Unsigned) {
        if (length == "h" || length == "hh") piece.halvings = static_cast<u32>(length.size());
        if (text[at] == 'c' && !length.empty()) return std::nullopt;
      }
      if (piece.halvings != 0 && piece.bytes != 4) return std::nullopt;
    } else {
      // Their elements have the size that the format says, or they are not as a source has them: LLVM makes numbers of
      // 32 bits of those of some vectors.
      const u32 each = length == "hh" ? 1 : length == "h" ? 2 : length == "hl" ? 4 : length == "l" ? 8 : 0;
      const bool number = piece.kind == PrintPiece::Kind::Float
                              ? each >= 4
                              : piece.kind != PrintPiece::Kind::Pointer && piece.kind != PrintPiece::Kind::Text;
      if (each == 0 || !number || text[at] == 'c' || piece.bytes != each * (piece.elements == 3 ? 4 : piece.elements))
        return std::nullopt;
    }
    out.push_back(piece);
  }
  return out.size() == format.sizes.size() ? std::optional(std::move(out)) : std::nullopt;
}

std::string print_format(std::string_view text, std::span<const PrintPiece> pieces) {
  std::string out;
  std::size_t done = 0;
  for (const PrintPiece& piece : pieces) {
    const std::string_view vector = piece.elements == 1 ? "" : text.substr(piece.type, piece.elements == 16 ? 3 : 2);
    constexpr std::string_view kVectors[] = {"", "hh", "h", "", "hl", "", "", "", "l"}, kHalves[] = {"", "h", "hh"};
    const bool integer = piece.kind == PrintPiece::Kind::Signed || piece.kind == PrintPiece::Kind::Unsigned;
    const std::string_view length = piece.elements != 1           ? kVectors[piece.element_bytes()]
                                    : integer && piece.bytes == 8 ? "l"
                                                                  : kHalves[piece.halvings];
    out.append(text.substr(done, piece.type - done)).append(vector).append(length) += text[piece.end - 1];
    done = piece.end;
  }
  return out.append(text.substr(done));
}

std::string text_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      case '?':  // two would begin a trigraph
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

std::optional<u32> printf_slot(const Source& source) {
  const auto* const launch = std::get_if<ConstantBufferLaunch>(&source.kernel.launch);
  return launch != nullptr ? launch->ids.printf : std::nullopt;
}

void give_room_to_print(Graph& g) {
  if (!g.keep_writes || !asks_for_buffer(g)) return;
  settle_addresses(g);
  if (Asks(g).answer()) g.simplify(false);
}

void find_prints(Graph& graph, const Source& source) {
  if (!asks_for_buffer(graph)) return;
  if (source.program.family == Family::Cl1) return Prints(graph, source).run_regions();
  settle_addresses(graph);
  if (Asks(graph).answer()) {
    graph.simplify(true);
    graph.settle_turns();
  }
  if (!graph.refusal) Prints(graph, source).run();
}

}  // namespace amdcompat::lift
