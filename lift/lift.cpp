// A program as one unit of OpenCL C.
#include <amdcompat/lift.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cache.hpp"
#include "ir.hpp"
#include "lines.hpp"

namespace amdcompat::lift {
namespace {

// Why a graph is refused: of one that has spent what it may, nothing else is known.
std::optional<Refusal> refusal_of(const Graph& graph) {
  if (graph.budget == 0) return Refusal{Code::LiftFlow, 0, std::string(kTooMuchWork)};
  return graph.refusal;
}

// OpenCL C rounds floats to the nearest.
void refuse_rounding(Graph& graph, const Source& source) {
  if (!source.rounds_otherwise || graph.refusal) return;
  const std::vector<bool> live = graph.live();
  for (Id id = 0; id < live.size(); ++id) {
    const Node& n = graph.nodes[id];
    const bool rounds = info(n.op).result == Float || info(n.op).result == Double || n.op == Op::HalfOfFloat ||
                        n.op == Op::HalfOfDouble || n.op == Op::ByteOfFloat;
    if (live[id] && n.forward == kNone && rounds)
      return graph.refuse(Code::LiftOpcode, n.offset, "rounds floats otherwise than to the nearest");
  }
}

// Offsets of instructions that make words of masks which something is made of.
std::set<u32> mask_words(const Graph& graph) {
  std::set<u32> out;
  const std::vector<bool> live = graph.live();
  for (Id id = 0; id < live.size(); ++id)
    if (const Node& n = graph.nodes[id]; live[id] && n.forward == kNone && n.op == Op::MaskWord) out.insert(n.offset);
  return out;
}
// A work-item has no mask of its wavefront. `idle`: of which `check_lanes` has shown that nobody looks at them: for a
// register that one way leaves unset, compilers take any.
void forget_mask_words(Graph& graph, const std::set<u32>& idle) {
  const std::set<u32> left = mask_words(graph);
  if (left.empty()) return;
  for (const u32 offset : left)
    if (!idle.contains(offset)) return graph.refuse(Code::LiftLanes, offset, "uses a lane mask as a number");
  const Id unset = graph.make(Op::Undefined);
  for (Node& n : graph.nodes)
    if (n.forward == kNone && n.op == Op::MaskWord) n.forward = unset;
  graph.simplify(true);
}

// What all lanes write is the value itself.
void forget_writes(Graph& graph) {
  graph.keep_writes = false;
  for (Node& n : graph.nodes)
    if (n.forward == kNone && n.imm == kRegisterWrite && Graph::select(n.op) && graph.is(n.args[0], Op::True))
      n.forward = graph.resolve(n.args[1]);
}

// Whether no lane is ever off, and none asks what others have.
bool is_whole(const Graph& graph) {
  return std::ranges::none_of(graph.blocks, [](const BasicBlock& block) { return block.end.lanes; }) &&
         std::ranges::none_of(graph.nodes, [&](const Node& n) {
           const bool write = n.imm == kRegisterWrite && Graph::select(n.op);
           return n.forward == kNone && (n.op == Op::FirstLane || (write && !graph.is(n.args[0], Op::True)));
         });
}

// Every work-item computes its own lane. `first`: the graph of all branches as they are, which is gone once that is
// shown.
std::optional<Refusal> lift_lanes(const Source& source, const Options& options, Graph& first, Lifted& out) {
  // A barrier behind a branch that a whole wavefront may take: lanes that are off go along, as far as that is right.
  Flow flow;
  constexpr std::size_t kMostSkipped = 16;
  u32 again = 0;
  Graph graph;
  const bool turns = turns_lanes(source), whole = !turns && is_whole(first);
  if (whole) forget_writes(first);
  bool narrow = false, around = false;
  const auto again_around = [&] {
    const bool loops = std::ranges::any_of(graph.loop, [](u32 header) { return header != kNone; });
    return !whole && loops && graph.refusal->code == Code::LiftLanes && !std::exchange(around, true);
  };
  const auto again_narrow = [&] { return !whole && graph.asks_masks && !std::exchange(narrow, true); };
  do {
    if (whole)
      graph = std::exchange(first, {});
    else
      graph = flow.skipped.empty() ? first : build(source, false, flow, again);
    if (!graph.refusal) settle(graph, source);
    if (!graph.refusal) find_descriptors(graph);
    if (!graph.refusal) open_waterfalls(graph);
    if (!graph.refusal) graph.ask_scalars();
    if (!graph.refusal) open_reservations(graph, source);
    if (!graph.refusal) open_first_lanes(graph);
    if (!graph.refusal) give_room_to_print(graph);
    if (!graph.refusal && narrow) graph.narrow_masks();
    if (!graph.refusal) open_masks(graph);
    if (!graph.refusal) check_others(graph);
    if (!graph.refusal) check_lanes(graph, source, around);
    source.charge(graph);
  } while ((graph.skippable && flow.skipped.size() < kMostSkipped && flow.skipped.insert(*graph.skippable).second) ||
           (graph.refusal && (again_narrow() || again_around())));
  if (const auto refusal = refusal_of(graph)) return refusal;
  const std::set<u32> idle = mask_words(graph);
  // Each lane is a program of its own now, and what is the same to it may be written otherwise.
  if (!whole) {
    if (flow.skipped.empty() && !turns) {
      graph = std::move(first);
    } else {
      graph = build(source, true, flow, again);
    }
    forget_writes(graph);
    first = {};
    if (!graph.refusal) settle(graph, source);
    if (!graph.refusal) find_descriptors(graph);
    if (!graph.refusal) open_waterfalls(graph);
    if (!graph.refusal) graph.ask_scalars();
    if (!graph.refusal) open_reservations(graph, source);
    if (!graph.refusal) open_first_lanes(graph);
    if (!graph.refusal) give_room_to_print(graph);
    if (!graph.refusal) open_masks(graph);
  }
  if (!graph.refusal) graph.compact();
  if (!graph.refusal) settle_lanes(graph, source);
  if (!graph.refusal) go_along(graph);
  if (!graph.refusal) graph.simplify(true);
  if (!graph.refusal) graph.settle_turns();
  if (!graph.refusal) settle_late(graph, source);
  if (!graph.refusal) forget_mask_words(graph, idle);
  if (!graph.refusal) graph.narrow_products();
  if (!graph.refusal) find_prints(graph, source);
  if (!graph.refusal) find_divisions(graph, options.exact);
  if (!graph.refusal) find_counters(graph);
  if (!graph.refusal) find_memory(graph, source);
  if (!graph.refusal) graph.sum_bits();
  StepOutcome step;
  if (!graph.refusal) step = keep_in_step(graph, source);
  if (step.exchange)
    graph.refuse(Code::LiftLanes, *step.exchange, "exchanges values through memory within one wavefront, in step");
  if (!graph.refusal) find_volatile(graph, source);
  if (!graph.refusal) find_fences(graph, source);
  refuse_rounding(graph, source);
  source.charge(graph);
  if (const auto refusal = refusal_of(graph)) return refusal;
  out.text = emit(graph, source, options);
  if (!graph.refusal && graph.reserves_apart)
    out.text.kernel =
        "// Work-items reserve packets each for itself, which old wavefronts did for all their lanes at once.\n" +
        out.text.kernel;
  if (!graph.refusal && step.open)
    out.text.kernel =
        "// Reads and writes local memory between the same barriers, which the old wavefronts did in step: right if\n"
        "// work-items do so at different places, as OpenCL demands; else lift it to the wave form.\n" +
        out.text.kernel;
  return graph.refusal;
}

// FLOAT_MODE, with which the kernel starts; where a container of OpenCL 1.x does not say, as AMD's compilers had it.
u32 float_mode(const EntryState& entry) {
  constexpr u32 kUsual = 0xc0;
  if (const auto* const state = std::get_if<cl1::CalState>(&entry)) return state->info.float_mode.value_or(kUsual);
  if (const auto* const code = std::get_if<KernelCode>(&entry)) return code->rsrc1 >> 12 & 0xff;
  if (const auto* const descriptor = std::get_if<hsa::KernelDescriptor>(&entry)) return descriptor->rsrc1 >> 12 & 0xff;
  return kUsual;
}

// Whether a lane that no work-item has may be written to and read, as compilers do that put scalar registers away
// there.
bool writes_any_lane(const Graph& graph) {
  const u64 size = graph.required_size();
  if (size != 0 && size % kLanes == 0) return false;
  const std::vector<bool> live = graph.live();
  for (Id id = 0; id < graph.nodes.size(); ++id)
    if (live[id] && graph.nodes[id].forward == kNone && graph.nodes[id].op == Op::WriteLane) return true;
  return false;
}

// One work-item for each wavefront. `first`: as above, if it is still there.
std::optional<Refusal> lift_wave(const Source& source, const Options& options, Graph& first, Lifted& out) {
  // Wavefronts that part and meet different barriers meet at one.
  Flow flow;
  constexpr std::size_t kMostParted = 4;
  u32 again = 0;
  Graph graph;
  const auto settled = [&](Graph machine) {
    forget_writes(machine);
    machine.wave = true;
    if (!machine.refusal) settle(machine, source);
    return machine;
  };
  do {
    Graph machine = settled(first.blocks.empty() ? build(source, false, flow, again) : std::exchange(first, {}));
    if (!machine.refusal && !flow.some_present && writes_any_lane(machine)) {
      flow.some_present = true;
      machine = settled(build(source, false, flow, again));
    }
    if (!machine.refusal) find_descriptors(machine);
    if (!machine.refusal) open_waterfalls(machine);
    if (!machine.refusal) machine.ask_scalars();
    if (!machine.refusal) find_divisions(machine, options.exact);
    if (!machine.refusal) find_memory(machine, source);
    if (!machine.refusal) find_volatile(machine, source);
    if (!machine.refusal) find_fences(machine, source);
    refuse_rounding(machine, source);
    if (machine.refusal) {
      source.charge(machine);
      return refusal_of(machine);
    }
    graph = to_wave(machine, source.kernel.segments.local_bytes());
    source.charge(graph);  // what `machine` took is among it
  } while (graph.parted && flow.parted.size() < kMostParted && flow.parted.insert(*graph.parted).second);
  if (const auto refusal = refusal_of(graph)) return refusal;
  out.text = emit(graph, source, options);
  if (!graph.refusal && !flow.parted.empty())
    out.text.kernel =
        "// Wavefronts of the machine code wait at different barriers where work-items here meet at one.\n" +
        out.text.kernel;
  return graph.refusal;
}

// With its offset in the machine code.
std::optional<Refusal> placed(const Source& source, std::optional<Refusal> refusal) {
  if (refusal) refusal->offset = source.decoder.place(refusal->offset);
  return refusal;
}

// `first`: the graph of all branches as they are.
std::optional<Refusal> lift_graph(const Source& source, const Options& options, Graph first, Lifted& out) {
  std::optional<Refusal> lanes;
  if (options.form != Form::Wave) {
    lanes = placed(source, lift_lanes(source, options, first, out));
    // What lanes do together is no matter of the other form, nor what it takes to show that they do nothing; all else
    // that is refused is one of both.
    if (!lanes || options.form == Form::WorkItem) return lanes;
    if (lanes->code != Code::LiftLanes && lanes->message != kTooMuchWork) return lanes;
  }
  if (const auto wave = placed(source, lift_wave(source, options, first, out))) return lanes ? lanes : wave;
  out.form = Form::Wave;
  out.fallback = lanes;
  out.text.kernel =
      "// One work-item of each wavefront of 64 computes all its lanes" +
      (lanes ? fmt::format(": the machine code {} (code offset {})", lanes->message, offset_text(lanes->offset))
             : std::string()) +
      ".\n" + out.text.kernel;
  return std::nullopt;
}

std::optional<Refusal> lift_kernel(const Source& source, const Options& options, Lifted& out) {
  Graph first = build(source, false, {}, out.instructions);
  if (auto places = private_places(first, source); !places.empty()) {
    source.charge(first);
    source.decoder.set_private_places(std::move(places));
    Lifted with = out;
    if (!lift_graph(source, options, build(source, false, {}, with.instructions), with)) {
      out = std::move(with);
      return std::nullopt;
    }
    source.decoder.set_private_places({});
  }
  return lift_graph(source, options, std::move(first), out);
}

// A kernel by itself. `work`: what is left for the kernels of its file.
Lifted lift_one(const Program& program, const Kernel& kernel, std::span<const std::byte> code,
                gcn::Generation generation, const Options& options, u64& work) {
  const u32 mode = float_mode(kernel.entry), floats = mode & kModeFloats, doubles = mode & kModeDoubles;
  Decoder decoder(program, kernel, code, generation);
  const Source source{.program = program,
                      .kernel = kernel,
                      .code = code,
                      .generation = generation,
                      .decoder = decoder,
                      .exact = options.exact,
                      .flush = options.exact && floats == 0,
                      .flush_doubles = options.exact && doubles != kModeDoubles,
                      .ignores_output_modifiers = floats != 0,
                      .rounds_otherwise = (mode & kModeRounding) != 0,
                      .work = &work};
  Lifted out;
  const bool mixed = options.exact && floats != 0 && floats != kModeFloats;
  out.refusal = mixed ? Refusal{Code::LiftOpcode, 0, "keeps denormals as operands or as results only"}
                      : lift_kernel(source, options, out);
  return out;
}

using Answer = std::shared_ptr<const CachedKernels::Answer>;

bool is_asked_for(const Kernel& kernel, const Options& options) {
  return options.kernel.empty() || options.kernel == kernel.name;
}

// By kernel, what the cache has, or has now; null: it is not asked for or is lifted without the cache. What others are
// lifting at the moment comes last: files with the same kernels often are next to each other.
std::vector<Answer> lift_with_cache(const Program& program, gcn::Generation generation, const Options& options) {
  CachedKernels& kernels = options.cache->kernels();
  std::vector<Answer> out(program.kernels.size());
  const std::shared_ptr<const Program> shared = CachedKernels::without_code(program);
  u64 left = kMostFileWork, instructions = 0;
  for (const bool last : {false, true})
    for (std::size_t n = 0; n < out.size() && left >= Graph::kMostWork && instructions <= kMostFileInstructions; ++n) {
      const Kernel& kernel = program.kernels[n];
      if (out[n] || !kernel.code || !kernel.complete || !is_asked_for(kernel, options)) continue;
      if (!CachedKernels::can_hold(program, kernel)) continue;
      CachedKernels::Question question = CachedKernels::question(program, kernel, options, shared);
      out[n] = kernels.find(question);
      if (!out[n]) {
        const CachedKernels::Claim claim(kernels, question);
        if (!claim.mine() && !last) continue;
        u64 own = kMostFileWork;
        Lifted lifted = lift_one(*question.program, question.kernel, question.code, generation, options, own);
        if (own < Graph::kMostWork) continue;  // what is left had a say
        out[n] = std::make_shared<const CachedKernels::Answer>(std::move(lifted), kMostFileWork - own);
        kernels.add(question, out[n]);
      }
      left -= std::min(left, out[n]->work);
      instructions += out[n]->lifted.instructions;
    }
  return out;
}

std::string data_array(const Program& program, u32 data) {
  const bool section = data >= kSections;
  const std::vector<std::byte>& bytes =
      section ? program.code.sections[data - kSections].bytes : program.data[data].bytes;
  const u64 zeros = section ? program.code.sections[data - kSections].zero_bytes : program.data[data].zero_bytes;
  const std::size_t words = std::max<std::size_t>((bytes.size() + zeros + 3) / 4, 1);
  std::string out = fmt::format("{} uint {}[{}] = {{", writable(program, data) ? "__global" : "__constant",
                                data_name(program, data), words);
  for (std::size_t n = 0; n < words; ++n) {
    u32 word = 0;
    for (std::size_t b = 0; b < 4; ++b)
      if (4 * n + b < bytes.size()) word |= std::to_integer<u32>(bytes[4 * n + b]) << 8 * b;
    out += fmt::format("{}0x{:x}", n % 8 == 0 ? "\n    " : " ", word);
    if (n + 1 < words) out += ",";
  }
  return out + "};\n\n";
}

std::string samplers(const std::set<std::string>& used) {
  std::string out;
  for (u32 value = 0; value < 64; ++value)
    if (used.contains(fmt::format("sampler:{}", value))) out += sampler_declaration(value);
  return out.empty() ? out : out + "\n";
}

// One line of a comment: nothing of a file can end it.
std::string comment(std::string_view text) {
  std::string out = visible(text);
  std::ranges::replace(out, '\\', '/');
  return "// " + out + "\n";
}

// Where parameters come from that no metadata lists.
std::string arguments_read(const Kernel& kernel) {
  const KernargLaunch* const launch = kernel.kernarg();
  if (launch == nullptr || !launch->arguments_read || !launch->arguments_known) return {};
  std::string places;
  for (const Argument& argument : kernel.arguments)
    places += fmt::format("{}{}", places.empty() ? "" : ", ", argument.in_kernarg()->offset);
  return fmt::format(
      "// The file lists no arguments: these are what the machine code reads of its kernarg segment{}{}.\n",
      places.empty() ? "" : ", at bytes ", places);
}

// Of the kernels of a file together (docs/limits.md).
constexpr std::size_t kMostText = std::size_t{64} << 20;

// The functions of a unit and its kernels, where no function has the name of a kernel any more: the host knows those.
std::string without_helpers_of(const Program& program, std::string text) {
  for (const Kernel& kernel : program.kernels) {
    if (!in_prelude(kernel.name)) continue;
    std::string other = kernel.name + "_of_lift", out;
    while (text.find(other) != std::string::npos) other += '_';
    constexpr std::string_view kKernel = "\nvoid ";
    std::size_t done = 0;
    each_name(text, [&](std::size_t at, std::string_view name) {
      const bool is_kernel = at >= kKernel.size() && text.compare(at - kKernel.size(), kKernel.size(), kKernel) == 0;
      if (name != kernel.name || is_kernel) return;
      out.append(text, done, at - done).append(other);
      done = at + name.size();
    });
    text = out.append(text, done);
  }
  return text;
}

Unit lift_program(const Program& program, const Options& options, Diagnostics& diagnostics) {
  Unit out;
  std::string kernels, last;  // those with the name of a function that the others may call
  std::set<std::string> used;
  u64 instructions = 0, work = kMostFileWork;
  const std::optional<gcn::Generation> generation = lifted_generation(program);
  std::vector<Answer> known;
  if (options.cache != nullptr && generation) known = lift_with_cache(program, *generation, options);
  for (std::size_t n = 0; n < program.kernels.size(); ++n) {
    const Kernel& kernel = program.kernels[n];
    if (!is_asked_for(kernel, options)) continue;
    KernelOutcome outcome{.name = kernel.name, .index = n};
    const auto finding = [&](const Refusal& why) {
      return make_diagnostic(why.code, {kernel.where.begin, 0}, {.block = kernel.block, .kernel = kernel.name},
                             why.message, "code offset " + offset_text(why.offset));
    };
    const auto refuse = [&](Code code, u32 offset, std::string predicate) {
      outcome.refusal = finding({code, offset, std::move(predicate)});
    };
    if (!kernel.code) {
      refuse(Code::LiftNoCode, 0, "has no machine code");
    } else if (!generation) {
      refuse(Code::LiftDevice, 0, "has machine code of a device that is not lifted: only GFX6 to GFX9 are");
    } else if (instructions > kMostFileInstructions || work == 0 || kernels.size() > kMostText) {
      refuse(Code::LiftFlow, 0, "stands behind as many kernels of its file as are lifted");
    } else if (!kernel.complete) {
      refuse(Code::LiftArgument, 0, "has arguments that could not be read");
    } else {
      // What is left decides nothing as long as there is enough for any graph.
      Answer answer = known.empty() ? nullptr : known[n];
      if (answer && work >= answer->work && work - answer->work >= Graph::kMostWork) {
        work -= answer->work;
      } else {
        Lifted anew =
            lift_one(program, without_place(kernel), kernel_code(program, kernel), *generation, options, work);
        answer = std::make_shared<const CachedKernels::Answer>(std::move(anew), 0);
      }
      const Lifted& lifted = answer->lifted;
      outcome.instructions = lifted.instructions;
      instructions += lifted.instructions;
      if (lifted.refusal) {
        refuse(lifted.refusal->code, lifted.refusal->offset, lifted.refusal->message);
      } else {
        outcome.lifted = true;
        outcome.form = lifted.form;
        if (lifted.fallback) outcome.fallback = finding(*lifted.fallback);
        outcome.statements = lifted.text.statements;
        outcome.texels = lifted.text.texels;
        used.insert(lifted.text.prelude.begin(), lifted.text.prelude.end());
        (is_builtin(kernel.name) ? last : kernels) += "\n" + arguments_read(kernel) + lifted.text.kernel;
      }
    }
    if (outcome.refusal) diagnostics.add(*outcome.refusal);
    out.kernels.push_back(std::move(outcome));
  }
  kernels += last;
  if (kernels.empty()) return out;
  std::string& s = out.source;
  s += comment(fmt::format("Lifted from machine code{}{}", options.file.empty() ? "" : " of ", options.file));
  s += comment(fmt::format("device {}; driver {}", program.device, program.driver));
  s += fmt::format("// Every work-item computes its own lane, if nothing else is said. Denormal floats are {}.\n",
                   options.exact ? "zeros where the machine code had them so" : "left to the device");
  for (const std::string& remark : options.remarks) s += comment(remark);
  for (const std::string& name : used)
    if (name.starts_with("language:"))
      s += comment(fmt::format("{} (-cl-std=CL2.0): {}", kNeedsOpenCl20, name.substr(9)));
  s += "#pragma OPENCL FP_CONTRACT OFF\n";
  for (const std::string& name : used)
    if (name.starts_with("extension:")) s += fmt::format("#pragma OPENCL EXTENSION {} : enable\n", name.substr(10));
  s += "\n";
  s += samplers(used);
  for (u32 n = 0; n < program.data.size(); ++n)
    if (used.contains(fmt::format("data:{}", n))) s += data_array(program, n);
  for (u32 n = kSections; n < kSections + program.code.sections.size(); ++n)
    if (used.contains(fmt::format("data:{}", n))) s += data_array(program, n);
  s += without_helpers_of(program, prelude({used.begin(), used.end()}) + kernels.substr(1));
  return out;
}

}  // namespace

Unit lift(const Program& program, const Options& options, Diagnostics& diagnostics) {
  const std::optional<Program> read = with_arguments_read(program);
  return lift_program(read ? *read : program, options, diagnostics);
}

std::string_view build_options(std::string_view source) {
  constexpr std::string_view kComment = "// ";
  while (source.starts_with(kComment.substr(0, 2))) {
    const std::string_view line = source.substr(0, source.find('\n'));
    if (line.starts_with(kComment) && line.substr(kComment.size()).starts_with(kNeedsOpenCl20)) return "-cl-std=CL2.0";
    source.remove_prefix(std::min(line.size() + 1, source.size()));
  }
  return "-cl-std=CL1.2";
}

std::map<std::string_view, std::string_view> kernel_sources(std::string_view unit) {
  constexpr std::string_view kKernel = "__kernel", kVoid = "void ";
  std::map<std::string_view, std::string_view> out;
  std::size_t last = 0;  // end of the definition before
  for (std::size_t at = unit.find(kKernel); at != unit.npos; at = unit.find(kKernel, std::max(last, at + 1))) {
    if (at != 0 && unit[at - 1] != '\n') continue;
    const std::size_t open = unit.find('{', at), end = unit.find("\n}", at);
    if (open == unit.npos || end == unit.npos) break;
    // "__kernel __attribute__((…))\nvoid name(…"
    const std::string_view head = unit.substr(at, open - at);
    const std::size_t type = head.find(kVoid);
    if (type == head.npos) continue;
    const std::size_t name = type + kVoid.size(), paren = std::min(head.find('(', name), head.size());
    std::size_t begin = at;
    while (begin > last + 1) {  // comments right above belong to it
      const std::size_t line = unit.rfind('\n', begin - 2) + 1;
      if (line < last || !unit.substr(line).starts_with("//")) break;
      begin = line;
    }
    last = end + 2;
    out.emplace(head.substr(name, paren - name), unit.substr(begin, last - begin));
  }
  return out;
}

}  // namespace amdcompat::lift
