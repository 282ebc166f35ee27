// Memory amounts and flags combined over `function:` edges. Iterative: the depth is the input's choice.
#include <algorithm>
#include <unordered_map>

#include <amdcompat/text.hpp>

namespace amdcompat::text {

namespace {

std::uint64_t& amount(Segments& segments, MemorySpace space) {
  switch (space) {
    case MemorySpace::Private: return segments.emulated_private;
    case MemorySpace::HwPrivate: return segments.hardware_private;
    case MemorySpace::UavPrivate: return segments.uav_private;
    case MemorySpace::Local: return segments.emulated_local;
    case MemorySpace::HwLocal: return segments.hardware_local;
    case MemorySpace::Region: return segments.emulated_region;
    case MemorySpace::HwRegion: return segments.hardware_region;
  }
  return segments.hardware_local;
}

constexpr MemorySpace kSpaces[] = {MemorySpace::Private, MemorySpace::HwPrivate, MemorySpace::UavPrivate,
                                   MemorySpace::Local,   MemorySpace::HwLocal,   MemorySpace::Region,
                                   MemorySpace::HwRegion};
bool is_private(MemorySpace space) {
  return space == MemorySpace::Private || space == MemorySpace::HwPrivate || space == MemorySpace::UavPrivate;
}

constexpr std::uint64_t kMost = 0xffffffffu;

struct Node {
  std::vector<std::uint32_t> callees;  // node indices, ascending, each once; never the node itself
  std::uint32_t next = 0;              // callee to visit next
  enum class State : std::uint8_t { New, Open, Done } state = State::New;
};

// Ids are unique within a compilation unit only.
using Ids = decltype(CallTable::by_id);
std::uint64_t key(std::uint32_t unit, std::uint32_t id) { return (std::uint64_t{unit} << 32) | id; }

Ids ids_of(std::span<const Document* const> documents) {
  Ids ids;
  std::uint32_t index = 0;
  for (const Document* document : documents)
    for (const Block& block : document->blocks) {
      for (const Element& element : document->directives(block))
        if (const auto* number = std::get_if<Number>(&element.directive);
            number != nullptr && number->key == NumberKey::UniqueId)
          ids.try_emplace(key(block.unit, number->value), index);
      ++index;
    }
  return ids;
}

// The function's own amounts and flags; its callees go to `callees`.
CallTotals own_totals(const Document& document, const Block& block, const Ids& ids,
                      std::vector<std::uint32_t>& callees) {
  CallTotals own;
  own.incomplete = !block.complete;
  for (const Element& element : document.directives(block)) {
    if (const auto* size = std::get_if<MemorySize>(&element.directive)) {
      amount(own.segments, size->space) = size->bytes;
    } else if (const auto* flag = std::get_if<MemoryFlagged>(&element.directive)) {
      own.compiler_write |= flag->flag == MemoryFlag::CompilerWrite;
      own.data_required |= flag->flag == MemoryFlag::DataRequired;
    } else if (std::holds_alternative<PrintfFmt>(element.directive)) {
      own.prints = true;
    } else if (const auto* message = std::get_if<Message>(&element.directive)) {
      own.failed |= message->key == MessageKey::Error;
    } else if (const auto* list = std::get_if<IdList>(&element.directive);
               list != nullptr && list->key == IdListKey::Function) {
      for (const std::uint32_t id : document.ids(list->first, list->stored))
        if (const auto found = ids.find(key(block.unit, id)); found != ids.end()) callees.push_back(found->second);
    }
  }
  // A function listed twice is still one function.
  std::ranges::sort(callees);
  const auto repeated = std::ranges::unique(callees);
  callees.erase(repeated.begin(), repeated.end());
  return own;
}

// Adds what the callees need: the largest private amounts, the sum of the others.
void add_callees(CallTotals& own, std::span<const std::uint32_t> callees, std::span<const CallTotals> totals) {
  Segments theirs;
  for (const std::uint32_t callee : callees) {
    const CallTotals& other = totals[callee];
    own.cyclic |= other.cyclic;
    own.too_large |= other.too_large;
    own.incomplete |= other.incomplete;
    own.failed |= other.failed;
    own.compiler_write |= other.compiler_write;
    own.data_required |= other.data_required;
    own.prints |= other.prints;
    Segments segments = other.segments;
    for (const MemorySpace space : kSpaces) {
      std::uint64_t& most = amount(theirs, space);
      most = is_private(space) ? std::max(most, amount(segments, space))
                               : std::min(most + amount(segments, space), kMost + 1);
    }
  }
  for (const MemorySpace space : kSpaces) {
    std::uint64_t& sum = amount(own.segments, space);
    sum += amount(theirs, space);
    if (sum > kMost) {
      sum = kMost;
      own.too_large = true;
    }
  }
}

}  // namespace

CallTable call_table(const Document& document) {
  const Document* const one[] = {&document};
  return call_table(one);
}

CallTotals call_totals(const Document& document, const Block& block, const CallTable& functions) {
  std::vector<std::uint32_t> callees;
  CallTotals own = own_totals(document, block, functions.by_id, callees);
  add_callees(own, callees, functions.totals);
  return own;
}

CallTable call_table(std::span<const Document* const> documents) {
  CallTable table{{}, ids_of(documents)};
  const Ids& ids = table.by_id;
  std::vector<CallTotals>& totals = table.totals;
  std::vector<Node> nodes;
  std::size_t blocks = 0;
  for (const Document* document : documents) blocks += document->blocks.size();
  nodes.reserve(blocks);
  totals.reserve(blocks);
  for (const Document* document : documents)
    for (const Block& block : document->blocks) {
      const auto self = static_cast<std::uint32_t>(nodes.size());
      Node& node = nodes.emplace_back();
      totals.push_back(own_totals(*document, block, ids, node.callees));
      // CLRX wrote the function's own id as its callee; it needs its memory once. [BIN *.reconf]
      std::erase(node.callees, self);
    }
  const auto count = static_cast<std::uint32_t>(nodes.size());

  std::vector<std::uint32_t> stack;
  for (std::uint32_t root = 0; root < count; ++root) {
    if (nodes[root].state != Node::State::New) continue;
    stack.push_back(root);
    nodes[root].state = Node::State::Open;
    while (!stack.empty()) {
      const std::uint32_t at = stack.back();
      Node& node = nodes[at];
      if (node.next < node.callees.size()) {
        const std::uint32_t callee = node.callees[node.next++];
        if (nodes[callee].state == Node::State::Open) {
          totals[at].cyclic = true;
        } else if (nodes[callee].state == Node::State::New) {
          nodes[callee].state = Node::State::Open;
          stack.push_back(callee);
        }
        continue;
      }
      stack.pop_back();
      node.state = Node::State::Done;
      add_callees(totals[at], node.callees, totals);
    }
  }
  // A circle is found at the edge that closes it; every function that reaches it is cyclic too, also those
  // that were finished before the edge was seen.
  for (std::uint32_t i = 0; i < count; ++i)
    if (totals[i].cyclic) stack.push_back(i);
  if (stack.empty()) return table;
  std::vector<std::vector<std::uint32_t>> callers(count);
  for (std::uint32_t i = 0; i < count; ++i)
    for (const std::uint32_t callee : nodes[i].callees) callers[callee].push_back(i);
  while (!stack.empty()) {
    const std::uint32_t at = stack.back();
    stack.pop_back();
    for (const std::uint32_t caller : callers[at]) {
      if (totals[caller].cyclic) continue;
      totals[caller].cyclic = true;
      stack.push_back(caller);
    }
  }
  return table;
}

}  // namespace amdcompat::text
