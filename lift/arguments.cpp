// Arguments of kernels whose file lists none: what the machine code reads of its kernarg segment.
//
// Code objects of versions 1 and 2 may come without metadata, as those of the first assemblers and of AMD's HSAIL
// finalizer do; the header in front of the code still says how many bytes the segment has. An address is a pointer that
// is loaded whole from a multiple of eight bytes, to which the code only adds [S1 «Code Object Metadata»: pointers have
// eight bytes and their alignment]; every other word that has a use is a number.
#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

constexpr u64 kMostBytes = 4096;  // of a segment, far above what compilers make

class Reader {
 public:
  // `work`: what is left for all kernels of the file.
  Reader(const Program& program, const Kernel& kernel, gcn::Generation generation, u64& work)
      : program_(program), kernel_(kernel), code_(kernel_code(program, kernel)), generation_(generation), work_(work),
        bytes_(kernel.kernarg()->bytes) {}

  [[nodiscard]] u32 instructions() const { return instructions_; }

  std::vector<Argument> run() {
    // First everything may be an address, then what is not one is words.
    std::set<u64> pointers;
    for (u64 at = 0; at + 8 <= bytes_; at += 8) pointers.insert(at);
    std::set<u64> addresses;
    look(pointers, [&](const Graph& g, const Kernel& guess) { addresses = find_addresses(g, guess); });
    std::set<u64> words;
    look(addresses, [&](const Graph& g, const Kernel&) { words = find_words(g); });
    std::vector<Argument> out;
    for (const Argument& argument : list(addresses))
      if (const u64 at = argument.in_kernarg()->offset; addresses.contains(at) || words.contains(at))
        out.push_back(argument);
    for (std::size_t n = 0; n < out.size(); ++n) out[n].name = fmt::format("arg{}", n);
    return out;
  }

 private:
  // A list that covers the segment.
  std::vector<Argument> list(const std::set<u64>& pointers) const {
    std::vector<Argument> out;
    for (u64 at = 0; at + 4 <= bytes_;) {
      Argument& argument = out.emplace_back();
      argument.where = kernel_.where;
      if (pointers.contains(at)) {
        GlobalPointer pointer;
        pointer.memory = MemoryKind::Global;
        argument.kind = pointer;
        argument.slot = KernargSlot{at, 8};
        at += 8;
      } else {
        argument.kind = ByValue{ScalarType::Struct, 4};
        argument.type_name = "uint";
        argument.slot = KernargSlot{at, 4};
        at += 4;
      }
    }
    return out;
  }
  template <class Look>
  void look(const std::set<u64>& pointers, const Look& with) {
    Kernel guess = kernel_;
    guess.arguments = list(pointers);
    std::get<KernargLaunch>(guess.launch).arguments_known = true;
    Decoder decoder(program_, guess, code_, generation_);
    const Source source{.program = program_,
                        .kernel = guess,
                        .code = code_,
                        .generation = generation_,
                        .decoder = decoder,
                        .work = &work_};
    u32 count = 0;
    Graph graph = build(source, false, {}, count);
    instructions_ += count;
    // What is refused already is so whatever the arguments are.
    if (!graph.refusal) settle(graph, source);
    if (!graph.refusal) settle_addresses(graph);
    if (!graph.refusal) graph.simplify(false);
    if (!graph.refusal) with(graph, guess);
    source.charge(graph);
  }
  // Places of pointers that addresses are made of.
  static std::set<u64> find_addresses(const Graph& g, const Kernel& guess) {
    std::set<u64> out;
    const std::vector<bool> live = g.live();
    for (const BasicBlock& block : g.blocks)
      for (const Id id : block.effects) {
        const Node& n = g.nodes[id];
        if (n.forward != kNone || n.op == Op::Barrier || !live[id]) continue;
        Seen seen;
        const bool scalar = g.accesses[n.access].room == Room::Scalar && n.args.size() == 4;
        if (!scalar && g.accesses[n.access].room != Room::Generic) continue;
        for (const u64 number : pointers_of(g, n.args[scalar ? 2 : 1], seen))
          out.insert(guess.arguments[number].in_kernarg()->offset);
      }
    return out;
  }
  // What sums start with: of several pointers in one the first, as the others are distances. `words`: of one half of an
  // address, to which distances are added as well.
  static std::set<u64> pointers_of(const Graph& g, Id id, Seen& seen, bool words = false, u32 depth = 0) {
    constexpr u32 kDeepest = 200;
    id = g.resolve(id);
    if (depth == kDeepest || !seen.insert(id) || !g.spend()) return {};
    const Node& n = g.nodes[id];
    const auto of = [&](std::size_t k) { return pointers_of(g, n.args[k], seen, words, depth + 1); };
    std::set<u64> out;
    switch (n.op) {
      case Op::Pointer: return {n.imm};
      case Op::Sub64: return of(0);
      case Op::Add64: {
        out = of(0);
        std::set<u64> other = of(1);
        return out.empty() || (!other.empty() && *other.begin() < *out.begin()) ? other : out;
      }
      case Op::Join: {
        if (words) break;
        // Loops count the halves of an address on their own. A distance of 32 bits is in the lower one only.
        Seen of_low, of_high;
        const std::set<u64> low = pointers_of(g, n.args[0], of_low, true, depth + 1);
        const std::set<u64> high = pointers_of(g, n.args[1], of_high, true, depth + 1);
        std::ranges::set_intersection(low, high, std::inserter(out, out.end()));
        return out;
      }
      case Op::Add:
        if (!words) return out;
        break;
      case Op::Select:
      case Op::SelectWide:
      case Op::Low:
      case Op::High:
      case Op::Phi:
      case Op::PhiWide: break;
      default: return out;
    }
    for (std::size_t k = Graph::select(n.op) ? 1 : 0; k < n.args.size(); ++k) out.merge(of(k));
    return out;
  }
  static std::set<u64> find_words(const Graph& g) {
    std::set<u64> out;
    const std::vector<bool> live = g.live();
    for (Id id = 0; id < g.nodes.size(); ++id)
      if (live[id] && g.nodes[id].forward == kNone && g.nodes[id].op == Op::ArgumentWord) out.insert(g.nodes[id].imm);
    return out;
  }

  const Program& program_;
  const Kernel& kernel_;
  std::span<const std::byte> code_;
  gcn::Generation generation_;
  u64& work_;
  u64 bytes_;
  u32 instructions_ = 0;
};

bool wants_arguments(const Kernel& kernel) {
  const KernargLaunch* const launch = kernel.kernarg();
  return launch != nullptr && !launch->arguments_known && !launch->arguments_read && kernel.code && kernel.complete &&
         launch->bytes <= kMostBytes;
}

}  // namespace

std::optional<Program> with_arguments_read(const Program& program) {
  const std::optional<gcn::Generation> generation = lifted_generation(program);
  if (!generation || std::ranges::none_of(program.kernels, wants_arguments)) return std::nullopt;
  Program out = program;
  u64 instructions = 0, work = kMostFileWork;
  for (Kernel& kernel : out.kernels) {
    if (!wants_arguments(kernel)) continue;
    KernargLaunch& launch = std::get<KernargLaunch>(kernel.launch);
    launch.arguments_read = true;
    if (instructions > kMostFileInstructions || work == 0) continue;
    Reader reader(program, kernel, *generation, work);
    std::vector<Argument> arguments = reader.run();
    instructions += reader.instructions();
    if (work == 0) continue;  // not all of them
    kernel.arguments = std::move(arguments);
    launch.arguments_known = true;
  }
  return out;
}

}  // namespace amdcompat::lift
