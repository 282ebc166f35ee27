// Values and blocks as OpenCL C.
//
// A value without effects is written where it is used when it is used once, else it is a variable where all uses can
// see it, as late as possible but in no deeper loop [C. Click, "Global Code Motion / Global Value Numbering", 1995].
// Blocks become statements by their dominators [N. Ramsey, "Beyond Relooper", 2022]; a jump to what follows anyway is
// none.
#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <functional>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

#include "ir.hpp"
#include "lines.hpp"
#include "prints.hpp"

namespace amdcompat::lift {
namespace {

struct Phrase {
  std::string text;
  u8 strength = kAtom;
  Type type = Uint;
  bool narrow = false;  // the name of a parameter of 8 or 16 bits, which has this type as an operand
};

std::string_view type_text(Type type) {
  switch (type) {
    case Bool: return "bool";
    case Int: return "int";
    case Float: return "float";
    case Ulong: return "ulong";
    case Long: return "long";
    case Double: return "double";
    default: return "uint";
  }
}
Type type_of(char c) {
  switch (c) {
    case 'b': return Bool;
    case 'u': return Uint;
    case 'i': return Int;
    case 'f': return Float;
    case 'U': return Ulong;
    case 'L': return Long;
    case 'd': return Double;
    default: return Any;
  }
}

std::string float_text(u32 bits) {
  const float value = std::bit_cast<float>(bits);
  if (std::isnan(value)) return fmt::format("as_float(0x{:08x}u)", bits);
  if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}
std::string double_text(u64 bits) {
  const double value = std::bit_cast<double>(bits);
  if (std::isnan(value)) return fmt::format("as_double(0x{:016x}ul)", bits);
  // OpenCL's infinity is a float, with which no function of several types would know its own.
  if (std::isinf(value)) return value < 0 ? "(double)-INFINITY" : "(double)INFINITY";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}
std::string number_text(u32 value) {
  const bool round = std::popcount(value) <= 1 || value < 1024 || value % 100 == 0;
  std::string out = round && value < 0x10000000 ? fmt::format_int(value).str() : fmt::format("0x{:x}", value);
  return out += 'u';
}

// A zero of which no compiler knows. pocl 3.1 goes wrong over a loop without an exit among barriers, though nobody
// comes there: it gets one that is never taken.
constexpr std::string_view kNever = "never";

// Words of the language.
bool is_keyword(std::string_view name) {
  static const std::set<std::string_view> kWords{
      "auto",     "break",     "case",       "char",       "const",   "continue", "default", "do",      "double",
      "else",     "enum",      "extern",     "float",      "for",     "goto",     "if",      "inline",  "int",
      "long",     "register",  "restrict",   "return",     "short",   "signed",   "sizeof",  "static",  "struct",
      "switch",   "typedef",   "union",      "unsigned",   "void",    "volatile", "while",   "kernel",  "global",
      "local",    "constant",  "private",    "bool",       "uchar",   "ushort",   "uint",    "ulong",   "half",
      "true",     "false",     "image2d_t",  "sampler_t",  "event_t", "generic",  "pipe",    "complex", "imaginary",
      "vec_step", "read_only", "write_only", "read_write",
  };
  return kWords.contains(name);
}
// Names that a variable or parameter must not take: of the language, and of the builtins that are used here.
bool reserved(std::string_view name) {
  return is_keyword(name) || is_builtin(name) || in_prelude(name) || name.starts_with("data_");
}
// Functions of the language that the text may call: a variable must not hide one. The host names kernels, and theirs
// may be like these.
bool hides(std::string_view name) {
  return name.starts_with("as_") || name.starts_with("get_") || name.starts_with("__") || name.starts_with("atomic_") ||
         name.starts_with("vload") || name.starts_with("vstore") || name.starts_with("read_image") ||
         name.starts_with("write_image") || name.starts_with("sampler_") || name.starts_with("CLK_") ||
         name == "TEXEL_KIND" || name == "SIGNED_TEXELS" || name == "UNSIGNED_TEXELS";
}
std::string identifier(std::string_view name) {
  std::string out;
  for (const char c : name)
    out += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ? c : '_';
  if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out = "_" + out;
  if (reserved(out) || hides(out)) out += "_";
  return out;
}
// Whether a kernel can have this name: an identifier that is no word of the language.
bool can_be_kernel(std::string_view name) {
  const auto word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::ranges::all_of(name, word) && !is_keyword(name);
}

struct Element {
  std::string_view name;
  u32 bytes;
  Type type;
};
std::optional<Element> element(ScalarType type) {
  switch (type) {
    case ScalarType::I8: return Element{"char", 1, Int};
    case ScalarType::U8: return Element{"uchar", 1, Uint};
    case ScalarType::I16: return Element{"short", 2, Int};
    case ScalarType::U16: return Element{"ushort", 2, Uint};
    case ScalarType::I32: return Element{"int", 4, Int};
    case ScalarType::U32: return Element{"uint", 4, Uint};
    case ScalarType::I64: return Element{"long", 8, Long};
    case ScalarType::U64: return Element{"ulong", 8, Ulong};
    case ScalarType::Float: return Element{"float", 4, Float};
    case ScalarType::Double: return Element{"double", 8, Double};
    default: return std::nullopt;
  }
}
// The element that the source names, where it is of the same size: the metadata of OpenCL 2.0 has no signs.
Element named(const Argument& argument, const Element& own) {
  std::string_view type = argument.type_name;
  for (const std::string_view word : {"const ", "volatile "})
    if (type.starts_with(word)) type.remove_prefix(word.size());
  for (const ScalarType scalar :
       {ScalarType::I8, ScalarType::U8, ScalarType::I16, ScalarType::U16, ScalarType::I32, ScalarType::U32,
        ScalarType::I64, ScalarType::U64, ScalarType::Float, ScalarType::Double}) {
    const Element one = *element(scalar);
    if (one.bytes != own.bytes || !type.starts_with(one.name)) continue;
    const std::string_view rest = type.substr(one.name.size());
    if (rest.find_first_not_of("0123456789*") == std::string_view::npos) return one;
  }
  return own;
}
// What a value is that the metadata knows by its type's name and its size only; empty: a struct, or a name of its own.
struct ValueType {
  Element element;
  u32 vector = 1;
};
std::optional<ValueType> value_type(std::string_view name, u64 bytes) {
  for (const std::string_view word : {"const ", "volatile "})
    if (name.starts_with(word)) name.remove_prefix(word.size());
  constexpr std::array<ScalarType, 10> kTypes{ScalarType::I8,    ScalarType::U8,    ScalarType::I16, ScalarType::U16,
                                              ScalarType::I32,   ScalarType::U32,   ScalarType::I64, ScalarType::U64,
                                              ScalarType::Float, ScalarType::Double};
  for (const ScalarType type : kTypes) {
    const Element one = *element(type);
    if (!name.starts_with(one.name)) continue;
    const std::string_view rest = name.substr(one.name.size());
    if (rest.empty() && bytes == one.bytes) return ValueType{one, 1};
    for (const u32 n : {2u, 3u, 4u, 8u, 16u})
      if (rest == fmt::format("{}", n) && bytes == u64{one.bytes} * (n == 3 ? 4 : n)) return ValueType{one, n};
  }
  for (const ScalarType type : {ScalarType::U8, ScalarType::U16, ScalarType::U32, ScalarType::U64})
    if (bytes == scalar_size(type)) return ValueType{*element(type), 1};
  return std::nullopt;
}
// The element that a pointer's type is named after; empty: none of ours.
std::optional<Element> pointee_of(std::string_view name) {
  for (const std::string_view word : {"const ", "volatile "})
    if (name.starts_with(word)) name.remove_prefix(word.size());
  for (const ScalarType type :
       {ScalarType::I8, ScalarType::U8, ScalarType::I16, ScalarType::U16, ScalarType::I32, ScalarType::U32,
        ScalarType::I64, ScalarType::U64, ScalarType::Float, ScalarType::Double}) {
    const Element one = *element(type);
    if (!name.starts_with(one.name)) continue;
    const std::string_view rest = name.substr(one.name.size());
    if (rest.ends_with("*") && rest.find_first_not_of("0123456789*") == std::string_view::npos) return one;
  }
  return std::nullopt;
}
// "float4*" as the source had it, where it is a vector of the element.
u32 vector_of(const Argument& argument, std::string_view element) {
  std::string_view type = argument.type_name;
  for (const std::string_view word : {"const ", "volatile ", "unsigned "})
    if (type.starts_with(word)) type.remove_prefix(word.size());
  if (!type.starts_with(element)) return 1;
  type.remove_prefix(element.size());
  for (const u32 n : {2u, 3u, 4u, 8u, 16u})
    if (type == fmt::format("{}*", n) || type == fmt::format("{}", n)) return n;
  return 1;
}

struct Parameter {
  std::string name, declaration;
  Element element{"uint", 4, Uint};
  u32 vector = 1;  // elements of a value, or of what a pointer points to
  std::string space;  // of a pointer: "__global"
  bool is_const = false;
  bool is_volatile = false;
  u64 struct_bytes = 0;  // of a value that is declared as a struct: `element` many times, or 0
};

struct Stmt {
  enum class Kind : u8 { Block, If, Loop, Label, Break, Continue, Return, Copies, Never } kind = Kind::Block;
  u32 block = 0;  // Block; Loop, Label, Break, Continue: the label; Copies: from
  u32 to = 0;  // Copies
  Id condition = kNone;
  std::vector<Stmt> body{}, other{};
};
using Stmts = std::vector<Stmt>;

class Emitter {
 public:
  Emitter(Graph& graph, const Source& source, const Options& options) : g_(graph), source_(source), options_(options) {}

  Text run() {
    if (!can_be_kernel(source_.kernel.name)) {
      g_.refuse(Code::LiftArgument, 0, "has a name that OpenCL C does not take");
      return {};
    }
    if (!parameters()) return {};
    narrow_threes();
    find_wide(g_, long_elements());
    find_constant_divisors(g_);
    find_elements(g_);
    live_ = g_.live();
    find_uses();
    find_types();
    if (std::ranges::any_of(g_.accesses, is_own_local)) {
      find_local();
      find_types();
    }
    find_places();
    find_inline();
    find_local_vectors();
    Stmts all;
    tree(0, all);
    simplify(all, {});
    // A variable whose braces end before its last use stands in front of all; which ones do the text itself tells.
    u32 passes = 0;
    const std::size_t count = g_.nodes.size();
    outlives_.assign(count, false);
    needless_.assign(count, false);
    variables_.assign(count, nullptr);
    made_.assign(count, nullptr);
    for (std::size_t before = kNone; before != set_apart_ && !g_.refusal;) {
      if (++passes > 32) g_.refuse(Code::LiftFlow, 0, "has variables that find no place");
      before = set_apart_;
      if (std::exchange(written_anew_, false)) made_.assign(count, nullptr);
      used_.assign(count, false);
      named_.clear();
      text_.clear();
      flag_names_.clear();
      declared_.assign(count, kNone);
      flags_.clear();
      scopes_ = {0};
      closed_ = {false};
      statements(all, {}, true);
      for (Id id = 0; id < count; ++id)
        if (declared_[id] != kNone && !used_[id] && !needless_[id]) {
          needless_[id] = true;
          ++set_apart_;
        }
    }
    if (g_.refusal) return {};
    const std::vector<Early> early = early_variables();
    Text out;
    out.texels = texels();
    Lines lines(text_);
    const std::string body = with_literals(tidy(lines, early, std::move(opposites_), bounds()));
    out.statements = count_statements(lines);
    const Names named = lines.named();  // in the end: parts of the text may have gone
    const std::string& own = source_.kernel.name;
    if (named.contains(own) && (is_builtin(own) || own.starts_with("data_"))) {
      g_.refuse(Code::LiftArgument, 0, "has the name of something that its source needs");
      return {};
    }
    for (const std::string& name : prelude_)
      if (!in_prelude(name) || named.contains(name)) out.prelude.push_back(name);
    std::string& k = out.kernel;
    k += types_text_ + "__kernel";
    const auto& size = source_.kernel.limits.required_group_size;
    if (size[0] != 0) k += fmt::format(" __attribute__((reqd_work_group_size({}, {}, {})))", size[0], size[1], size[2]);
    k += fmt::format("\nvoid {}(", source_.kernel.name);
    for (std::size_t n = 0; n < parameters_.size(); ++n) k += (n == 0 ? "" : ", ") + parameters_[n].declaration;
    k += ") {\n" + unused(named) + local_arrays(named) + body + "}\n";
    return out;
  }

 private:
  // Places of work-items in groups of a known size.
  Bounds bounds() const {
    Bounds out;
    for (Id id = 0; id < variables_.size(); ++id)
      // Variables that are declared in front of all may be counters too (`join_variables`).
      if (const Node& n = g_.nodes[id];
          n.op == Op::LocalId && variables_[id] != nullptr && !outlives_[id] && g_.required[n.imm] != 0)
        out.emplace(*variables_[id], g_.required[n.imm] - 1);
    return out;
  }
  // What the source takes the texels of images for.
  std::vector<TexelKind> texels() const {
    std::vector<TexelKind> out;
    for (const BasicBlock& block : g_.blocks)
      for (const Id id : block.effects) {
        const Node& n = g_.nodes[id];
        if ((n.op != Op::Load && n.op != Op::Store) || n.forward != kNone || (n.op == Op::Load && !live_[id])) continue;
        const Access& a = g_.accesses[n.access];
        if (a.room != Room::Image || a.image.size || a.argument < 0) continue;
        out.resize(source_.kernel.arguments.size(), TexelKind::Any);
        constexpr TexelKind kOf[] = {TexelKind::Any, TexelKind::Floats, TexelKind::Signed, TexelKind::Unsigned};
        TexelKind& known = out[static_cast<std::size_t>(a.argument)];
        const TexelKind now = kOf[n.imm];  // a `Texel`
        if (known == TexelKind::Any || (now != TexelKind::Any && now < known)) known = now;
      }
    return out;
  }
  // --- parameters ----------------------------------------------------------------------------------------------------

  bool refuse_argument(const Argument& argument, std::string_view what) {
    g_.refuse(Code::LiftArgument, 0, fmt::format("has the argument '{}', {}", argument.name, what));
    return false;
  }
  bool parameters() {
    for (const Argument& argument : source_.kernel.arguments) {
      if (std::holds_alternative<Hidden>(argument.kind)) {  // the runtime's, not the host's
        index_.push_back(-1);
        continue;
      }
      index_.push_back(static_cast<i32>(parameters_.size()));
      arguments_.push_back(&argument);
      Parameter p;
      p.name = unique(identifier(name_of(argument)));
      if (const auto* const value = std::get_if<ByValue>(&argument.kind);
          value != nullptr && (value->type == ScalarType::Struct || value->type == ScalarType::Union)) {
        if (!struct_parameter(argument, value->elements, p)) return false;
      } else if (value != nullptr) {
        const auto type = element(value->type);
        if (!type) return refuse_argument(argument, "a value of a type that is not lifted");
        p.element = named(argument, *type);
        p.vector = value->elements;
        p.declaration =
            fmt::format("{}{} {}", p.element.name, p.vector == 1 ? "" : fmt::format("{}", p.vector), p.name);
      } else if (const auto* const image = std::get_if<Image>(&argument.kind)) {
        const std::string_view type = image_type(*image);
        const bool writes = image->access == amdcompat::Access::WriteOnly;
        const bool both = image->access == amdcompat::Access::ReadWrite;
        if (type.empty() || (!writes && !both && image->access != amdcompat::Access::ReadOnly) ||
            (both && is_accessed(index_.size() - 1)))
          return refuse_argument(argument, "an image that OpenCL C 1.2 does not have");
        if (writes && image->dim == ImageDim::D3) prelude_.insert("extension:cl_khr_3d_image_writes");
        if (both) prelude_.insert("language:read_write images");
        p.space = type;
        p.declaration = fmt::format("{} {} {}",
                                    both     ? "read_write"
                                    : writes ? "write_only"
                                             : "read_only",
                                    type, p.name);
      } else if (std::holds_alternative<Sampler>(argument.kind)) {
        p.space = "sampler_t";
        p.declaration = fmt::format("sampler_t {}", p.name);
      } else if (std::holds_alternative<Pipe>(argument.kind)) {
        p.element = accessed(parameters_.size());
        p.space = "__global";
        p.is_volatile = true;
        p.declaration = fmt::format("__global volatile {}* {}", p.element.name, p.name);
        types_text_ += fmt::format(
            "// '{}' is a pipe to the old host, here a buffer: numbers of 64 bits for the packets read, the packets\n"
            "// written and the packets it has room for, and from byte 128 on the packets.\n",
            p.name);
      } else if (const auto* const counter = std::get_if<Counter>(&argument.kind)) {
        p.element = counter->bits == 64 ? Element{"ulong", 8, Ulong} : Element{"uint", 4, Uint};
        p.space = "__global";
        p.declaration = fmt::format("__global {}* {}", p.element.name, p.name);
        types_text_ += fmt::format("// '{}' is a counter to the old host, here a buffer of one number.\n", p.name);
      } else if (std::holds_alternative<Queue>(argument.kind)) {
        p.space = "queue_t";
        p.declaration = fmt::format("queue_t {}", p.name);
        prelude_.insert("language:queue_t");
      } else {
        const PointerInfo* pointer = nullptr;
        if (const auto* const global = std::get_if<GlobalPointer>(&argument.kind)) {
          pointer = global;
          p.space = "__global";
        } else if (const auto* const constant = std::get_if<ConstantPointer>(&argument.kind)) {
          pointer = constant;
          p.space = "__constant";
        } else if (const auto* const local = std::get_if<LocalPointer>(&argument.kind)) {
          pointer = local;
          p.space = "__local";
        }
        if (pointer == nullptr) return refuse_argument(argument, "which is not lifted: a semaphore or the like");
        const std::optional<Element> known =
            argument.in_kernarg() != nullptr ? pointee_of(argument.type_name) : element(pointer->pointee);
        p.element = named(argument, known.value_or(accessed(parameters_.size())));
        p.vector = known ? vector_of(argument, p.element.name) : 1;
        p.is_const = argument.is_const || p.space == "__constant";
        p.is_volatile = argument.is_volatile || any_access([&](const Access& a) {
                          return a.argument == static_cast<i32>(index_.size() - 1) && a.is_volatile;
                        });
        p.declaration = fmt::format(
            "{}{}{} {}{}* {}{}", p.space, argument.is_const && p.space != "__constant" ? " const" : "",
            p.is_volatile ? " volatile" : "", p.element.name, p.vector == 1 ? "" : fmt::format("{}", p.vector),
            argument.is_restrict ? "restrict " : "", p.name);
      }
      parameters_.push_back(std::move(p));
    }
    return true;
  }
  // A vector of three words is loaded and stored with a fourth one that is no part of it, in which machine code leaves
  // what a register holds [OpenCL 1.2 §6.1.5]: without it, where nothing is made of it, or it is not made as the third.
  void narrow_threes() {
    constexpr std::size_t kFirst = 2, kFourth = 5;  // of a store's arguments: what is stored
    std::vector<Id> loads;
    for (const BasicBlock& block : g_.blocks)
      for (const Id id : block.effects) {
        if (is_three_and_more(id, Op::Load)) loads.push_back(id);
        if (!is_three_and_more(id, Op::Store)) continue;
        const auto three = std::span(g_.nodes[id].args).subspan(kFirst, 3);
        const Id fourth = g_.resolve(g_.nodes[id].args[kFourth]);
        const Op op = g_.nodes[fourth].op;
        const bool again = std::ranges::any_of(three, [&](Id one) { return g_.resolve(one) == fourth; });
        const bool made_so = op == Op::Const || (!again && op == g_.at(three.back()).op);
        if (made_so && !is_no_value(fourth)) continue;
        narrow_to_three(id);
        g_.nodes[id].args.pop_back();
      }
    if (loads.empty()) return;
    const std::vector<bool> live = g_.live();
    std::set<Id> whole;
    for (Id id = 0; id < live.size(); ++id)
      if (const Node& n = g_.nodes[id]; live[id] && n.forward == kNone && n.op == Op::Loaded && n.imm == 3)
        whole.insert(g_.resolve(n.args[0]));
    for (const Id id : loads)
      if (!whole.contains(id)) narrow_to_three(id);
  }
  bool is_three_and_more(Id id, Op op) {
    const Node& n = g_.nodes[id];
    if (n.op != op || n.forward != kNone) return false;
    const Access a = g_.accesses[n.access];
    const Parameter* const memory = a.argument >= 0 ? &parameter(a) : nullptr;
    if (memory == nullptr || memory->vector != 3 || memory->element.bytes != 4) return false;
    const auto vector = a.bytes == 4 && a.components == 4 ? vector_of_parameter(a, n.args[1]) : std::nullopt;
    return vector && vector->first == 0;
  }
  void narrow_to_three(Id id) {
    Access a = g_.accesses[g_.nodes[id].access];
    a.components = 3;
    g_.nodes[id].access = g_.access(a);
  }
  // Whether a value is made of an address, of a fourth component, or of what nothing has set.
  bool is_no_value(Id id, u32 steps = 8) {
    const Node n = g_.at(id);
    if (n.op == Op::Undefined || n.op == Op::Pointer || n.op == Op::Data) return true;
    if (n.op == Op::Loaded) return n.imm == 3 && is_three_and_more(g_.resolve(n.args[0]), Op::Load);
    if (steps == 0 || Graph::phi(n.op) || g_.effect(n.op)) return false;
    return std::ranges::any_of(n.args, [&](Id arg) { return is_no_value(arg, steps - 1); });
  }
  // By argument, how many numbers of 64 bits stand side by side where it points to; 0: it does not point to such.
  std::vector<u32> long_elements() const {
    std::vector<u32> out;
    for (const i32 index : index_) {
      const Parameter* const p = index < 0 ? nullptr : &parameters_[static_cast<std::size_t>(index)];
      out.push_back(p != nullptr && p->space.starts_with("__") && p->element.bytes == 8 ? p->vector : 0);
    }
    return out;
  }
  // Where metadata has no names, the value kind stands for one.
  std::string name_of(const Argument& argument) const {
    const std::string& name = argument.name;
    if (argument.in_kernarg() != nullptr &&
        (name == "by_value" || name == "global_buffer" || name == "dynamic_shared_pointer"))
      return fmt::format("arg{}", parameters_.size());
    return name;
  }
  // A value of which its size is known: a number or vector by the name of its type, or a struct of that size.
  bool struct_parameter(const Argument& argument, u64 bytes, Parameter& p) {
    if (bytes == 0 || bytes > 4096) return refuse_argument(argument, fmt::format("a value of {} bytes", bytes));
    if (argument.in_kernarg() != nullptr)
      if (const auto type = value_type(argument.type_name, bytes)) {
        p.element = type->element;
        p.vector = type->vector;
        p.declaration =
            fmt::format("{}{} {}", p.element.name, p.vector == 1 ? "" : fmt::format("{}", p.vector), p.name);
        return true;
      }
    p.struct_bytes = bytes;
    p.element = bytes % 4 == 0 ? Element{"uint", 4, Uint} : Element{"uchar", 1, Uint};
    const std::string type = fmt::format("{}_{}", source_.kernel.name, p.name);
    types_text_ += fmt::format("// As the old host passes it: {} bytes.\nstruct {} {{\n  {} part[{}];\n}};\n", bytes,
                               type, p.element.name, bytes / p.element.bytes);
    p.declaration = fmt::format("struct {} {}", type, p.name);
    return true;
  }
  template <class Is>
  bool any_access(Is&& is) const {
    return std::ranges::any_of(g_.accesses, is);
  }
  bool is_accessed(std::size_t argument) const {
    return any_access([&](const Access& a) { return a.argument == static_cast<i32>(argument); });
  }
  // The element of an argument's accesses where all are of one size; bytes otherwise.
  Element accessed(std::size_t parameter) const {
    u32 bytes = 0;
    for (const Access& a : g_.accesses) {
      if (a.argument < 0 || index_.size() <= static_cast<std::size_t>(a.argument)) continue;
      if (index_[static_cast<std::size_t>(a.argument)] != static_cast<i32>(parameter)) continue;
      if (bytes != 0 && bytes != a.bytes) return {"uchar", 1, Uint};
      bytes = a.bytes;
    }
    return bytes == 4 ? Element{"uint", 4, Uint} : bytes == 2 ? Element{"ushort", 2, Uint} : Element{"uchar", 1, Uint};
  }
  std::string unique(std::string name) {
    while (!names_.insert(name).second) name += "_";
    return name;
  }
  // Parameters that nothing reads.
  std::string unused(const Names& named) const {
    std::string out;
    for (std::size_t n = 0; n < parameters_.size(); ++n)
      if (!named.contains(parameters_[n].name) && !in_words_.contains(parameters_[n].name))
        out += fmt::format("  (void){};\n", parameters_[n].name);
    return out;
  }
  std::string local_arrays(const Names& named) const {
    std::string out;
    for (const auto& [slot, words] : words_)
      if (named.contains(words.name)) out += words.declaration;
    const u64 bytes = std::max<u64>({4, g_.local_bytes, (source_.kernel.segments.local_bytes() + 3) / 4 * 4});
    const bool longs = std::ranges::any_of(
        g_.accesses, [](const Access& a) { return a.room == Room::Local && a.bytes == 8 && !a.atomic.empty(); });
    if (local_ && named.contains(local_->name)) {
      const u64 each = u64{local_->element.bytes} * local_->vector;
      out += fmt::format("  {}{} {}{} {}[{}]{};\n", local_->space, local_->is_volatile ? " volatile" : "",
                         local_->element.name, local_->vector == 1 ? "" : fmt::format("{}", local_->vector),
                         local_->name, (bytes + each - 1) / each, longs ? " __attribute__((aligned(8)))" : "");
    }
    if (scratch_used_ && named.contains("scratch"))
      out += fmt::format("  uint scratch[{}];\n", std::max<u64>(1, (g_.scratch_bytes + 3) / 4));
    if (named.contains(kNever))
      out += fmt::format("  volatile uint {} = 0u;  // pocl goes wrong where it knows too much\n", kNever);
    return out;
  }
  // Bytes of a value that is no struct, or of an element of what a parameter points to.
  static u32 size_of(const Parameter& p) { return p.element.bytes * (p.vector == 3 ? 4 : p.vector); }
  // Bytes `first` to `first + count` of a value as it lies in memory, for elements of 8 and 16 bits; a struct's too.
  std::string bytes_of(const Parameter& p, u32 first, u32 count) {
    constexpr std::string_view kHex = "0123456789abcdef";
    if (p.struct_bytes != 0 && p.element.bytes == 4) return fmt::format("{}.part[{}]", p.name, first / 4);
    const u32 from = first / p.element.bytes, parts = std::max(count / p.element.bytes, 1u);
    if (p.struct_bytes != 0) {
      std::string list;
      for (u32 n = 0; n < parts; ++n) list += fmt::format("{}{}.part[{}]", n == 0 ? "" : ", ", p.name, from + n);
      if (parts == 1) return list;
      return parts == 4 ? fmt::format("as_uint((uchar4)({}))", list) : fmt::format("as_ushort((uchar2)({}))", list);
    }
    if (p.vector == 1) return p.element.type == Int ? fmt::format("(u{}){}", p.element.name, p.name) : p.name;
    std::string list = p.name + ".s";
    for (u32 n = from; n < from + parts; ++n) list += kHex[std::min(n, p.vector - 1)];
    const bool is_signed = p.element.type == Int;
    if (parts == 1) return is_signed ? fmt::format("(u{}){}", p.element.name, list) : list;
    return count == 4 ? fmt::format("as_uint({})", list) : fmt::format("as_ushort({})", list);
  }
  // A word of a block of arguments as it lies in memory, where values of less than a word may share one; and of a
  // struct wherever it is. Empty: it is part of something else.
  std::optional<Phrase> block_word(u32 offset) {
    struct Piece {
      std::size_t parameter;
      u32 first, count, shift;
    };
    std::vector<Piece> pieces;
    bool starts = false;  // with an argument of its own: those above are words of theirs
    for (std::size_t n = 0; n < parameters_.size(); ++n) {
      const auto place = lift::place_of(*arguments_[n]);
      const Parameter& p = parameters_[n];
      if (!place || !p.space.empty() || by_reference(*arguments_[n])) continue;
      if (p.struct_bytes == 0 && (p.element.bytes >= 4 || arguments_[n]->in_constant_buffer() != nullptr)) continue;
      const u64 bytes = p.struct_bytes != 0 ? p.struct_bytes : size_of(p);
      const u64 from = std::max<u64>(*place, offset), to = std::min<u64>(*place + bytes, u64{offset} + 4);
      if (from >= to || (!pieces.empty() && starts)) continue;
      starts = *place == offset;
      // Whole halves and bytes: three bytes are two pieces.
      for (u64 at = from; at < to;) {
        const u64 count = at % 4 == 0 && to - at >= 4 ? 4 : at % 2 == 0 && to - at >= 2 ? 2 : 1;
        pieces.push_back(
            {n, static_cast<u32>(at - *place), static_cast<u32>(count), static_cast<u32>(at - offset) * 8});
        at += count;
      }
    }
    if (pieces.empty()) return std::nullopt;
    const Parameter& only = parameters_[pieces[0].parameter];
    // Alone, with bytes above that nobody gives: its own sign is as good as any.
    if (pieces.size() == 1 && pieces[0].shift == 0) {
      if (only.vector == 1 && only.struct_bytes == 0)
        return Phrase{only.name, kAtom, only.element.type, only.element.bytes < 4};
      const std::string text = bytes_of(only, pieces[0].first, pieces[0].count);
      return pieces[0].count == 4 ? Phrase{text, kAtom, Uint} : Phrase{"(uint)" + text, kUnary, Uint};
    }
    std::string text;
    for (const Piece& piece : pieces) {
      const std::string part = "(uint)" + bytes_of(parameters_[piece.parameter], piece.first, piece.count);
      text += (text.empty() ? "" : " | ") + (piece.shift == 0 ? part : fmt::format("{} << {}", part, piece.shift));
    }
    return Phrase{"(" + text + ")", kAtom, Uint};
  }
  // A word of a struct that the machine code has the address of.
  Phrase value_word(const Parameter& p, u32 offset) {
    const u64 bytes = std::min<u64>(p.struct_bytes - offset, 4);
    if (bytes == 4) return {bytes_of(p, offset, 4), kAtom, Uint};
    if (bytes == 2) return {fmt::format("(uint){}", bytes_of(p, offset, 2)), kUnary, Uint};
    std::string text = fmt::format("(uint){}", bytes_of(p, offset, 1));
    if (bytes == 3)
      text = fmt::format("((uint){} | (uint){} << 16)", bytes_of(p, offset, 2), bytes_of(p, offset + 2, 1));
    return {text, bytes == 3 ? kAtom : kUnary, Uint};
  }
  // Some elements of a value.
  static std::string part_of(const Parameter& p, u32 first, u32 count) {
    constexpr std::string_view kHex = "0123456789abcdef";
    if (p.vector == 1) return p.name;
    std::string out = p.name + (p.vector <= 4 && count == 1 ? "." : ".s");
    for (u32 c = first; c < first + count; ++c)
      out += p.vector <= 4 && count == 1 ? "xyzw"[c] : kHex[std::min(c, p.vector - 1)];
    return out;
  }
  // A word of an argument's slot.
  Phrase argument_word(u32 offset) {
    if (auto word = block_word(offset)) return *std::move(word);
    for (std::size_t n = 0; n < parameters_.size(); ++n) {
      const Argument& argument = *arguments_[n];
      const auto place = lift::place_of(argument);
      const Parameter& p = parameters_[n];
      if (!place || !p.space.empty() || offset < *place) continue;
      const u32 at = offset - static_cast<u32>(*place);
      if (p.struct_bytes != 0) continue;
      const u32 lanes = p.vector == 3 ? 4 : p.vector;
      const auto part = [&](u32 first, u32 count) { return part_of(p, first, count); };
      if (p.element.bytes == 4) {
        if (at / 4 >= lanes) continue;
        if (at / 4 >= p.vector) return {"0", kAtom, Uint};
        return {part(at / 4, 1), kAtom, p.element.type};
      }
      if (p.element.bytes == 8) {
        if (at / 8 >= lanes) continue;
        if (p.vector == 3 && argument.in_kernarg() == nullptr)
          refuse_argument(argument, "of which the old runtime overwrites a part");
        const std::string whole =
            p.element.type == Double ? fmt::format("as_ulong({})", part(at / 8, 1)) : part(at / 8, 1);
        if (at % 8 == 0) return {"(uint)" + whole, kUnary, Uint};
        return {fmt::format("(uint)({}{} >> 32)", p.element.type == Long ? "(ulong)" : "", whole), kUnary, Uint};
      }
      if (argument.in_constant_buffer() == nullptr) continue;
      // Elements of 8 and 16 bits: up to four together, then the next slot. A lone one has no defined bits above.
      const u32 group = at / 16, inside = at % 16, count = 4 / p.element.bytes;
      const u32 first = group * 4 + inside / p.element.bytes;
      if (inside >= 4 * p.element.bytes || first >= lanes) continue;
      if (p.vector == 1) return {p.name, kAtom, Int, true};
      if (lanes < count) return {fmt::format("(uint)as_ushort({})", part(first, 2)), kUnary, Uint};
      return {fmt::format("as_uint({})", part(first, count)), kAtom, Uint};
    }
    for (std::size_t n = 0; n < parameters_.size(); ++n)
      if (parameters_[n].space == "__local" && lift::place_of(*arguments_[n]) == offset) {
        return {fmt::format("(uint)(size_t){}", parameters_[n].name), kUnary, Uint};
      }
    g_.refuse(Code::LiftArgument, 0, fmt::format("reads byte {} of its arguments, which is none's", offset));
    return {"0", kAtom, Uint};
  }

  // A number of 64 bits that is an argument, by its words.
  std::optional<Phrase> whole_argument(Id low, Id high) const {
    const Node &first = g_.at(low), &second = g_.at(high);
    if (first.op != Op::ArgumentWord || second.op != Op::ArgumentWord || second.imm != first.imm + 4)
      return std::nullopt;
    for (std::size_t n = 0; n < parameters_.size(); ++n) {
      const Parameter& p = parameters_[n];
      const auto place = lift::place_of(*arguments_[n]);
      if (!place || !p.space.empty() || p.struct_bytes != 0 || p.element.bytes != 8 || first.imm < *place) continue;
      const u64 part = (first.imm - *place) / 8;
      if ((first.imm - *place) % 8 != 0 || part >= p.vector || p.vector == 3) continue;
      return Phrase{part_of(p, static_cast<u32>(part), 1), kAtom, p.element.type};
    }
    return std::nullopt;
  }
  // One that is two parts of a vector.
  std::optional<Phrase> whole_parts(Id low, Id high) {
    const Node &first = g_.at(low), &second = g_.at(high);
    if (first.op != Op::Loaded || second.op != Op::Loaded || second.imm != first.imm + 1) return std::nullopt;
    const Id from = g_.resolve(first.args[0]);
    if (from != g_.resolve(second.args[0]) || inline_[from] || load_element(g_.nodes[from]).bytes != 4)
      return std::nullopt;
    use(from);
    const bool all = g_.accesses[g_.nodes[from].access].components == 2;
    std::string text = "as_ulong(" + variable(from);
    if (!all) text += fmt::format(".{}{}", "xyzw"[first.imm & 3], "xyzw"[second.imm & 3]);
    return Phrase{text + ")", kAtom, Ulong};
  }

  // --- arguments by index --------------------------------------------------------------------------------------------

  // What a load of arguments at a chosen place goes to: the parts of a struct, or an array of words that is made of
  // arguments. What is no value in it (padding, images, what the runtime adds) is 0 there: no index means it.
  struct Words {
    std::string name, declaration;  // none: it is a parameter's
    u32 count = 0;
  };
  // The argument that an access stays in wherever it is, and the place in it; nothing: it may be in several.
  std::optional<std::pair<u32, Id>> argument_around(Id offset, u32 bytes) {
    // A sum with a constant, maybe in elements.
    u32 start = 0, log = 0;
    Id more = g_.resolve(offset);
    if (const Node& n = g_.at(more);
        n.op == Op::Shl && g_.is(n.args[0], Op::Add) && g_.value(n.args[1]).value_or(32) < 8) {
      log = *g_.value(n.args[1]);
      more = g_.resolve(n.args[0]);
    }
    if (const Node& sum = g_.at(more); sum.op == Op::Add && g_.value(sum.args[1]).value_or(~0u) >> 24 == 0) {
      start = *g_.value(sum.args[1]) << log;
      more = g_.resolve(sum.args[0]);
    }
    const u64 end = start + (u64{g_.mask_of(more, 8)} << log) + bytes;
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
      const auto place = lift::place_of(*arguments_[k]);
      if (!place || *place % 4 != 0 || start < *place || end > end_of(k, *place)) continue;
      if (!parameters_[k].space.empty() || by_reference(*arguments_[k])) continue;
      const u32 distance = start - static_cast<u32>(*place);
      if (log != 0) more = fresh(Op::Shl, {more, fresh(Op::Const, {}, log)});
      if (distance != 0) more = fresh(Op::Add, {more, fresh(Op::Const, {}, distance)});
      return std::pair(static_cast<u32>(k), more);
    }
    return std::nullopt;
  }
  // Where the value of a parameter ends that begins at `place`.
  u64 end_of(std::size_t n, u64 place) const {
    const Parameter& p = parameters_[n];
    if (!p.space.empty()) return place + (source_.kernel.address_bits == AddressBits::Bits32 ? 4 : 8);
    if (p.struct_bytes != 0) return place + p.struct_bytes;
    if (p.element.bytes < 4 && arguments_[n]->in_constant_buffer() != nullptr)
      return place + u64{16} * ((p.vector + 3) / 4);
    return place + size_of(p);
  }
  const Words& words_of(u32 slot) {
    Words& out = words_[slot];
    if (out.count != 0) return out;
    std::vector<std::string> list;
    if (slot != 0) {
      const Parameter& p = parameters_[slot - 1];
      const u64 place = lift::place_of(*arguments_[slot - 1]).value_or(0);
      const bool refers = by_reference(*arguments_[slot - 1]);
      out.count = static_cast<u32>(((refers ? p.struct_bytes : end_of(slot - 1, place) - place) + 3) / 4);
      if (p.struct_bytes != 0 && p.element.bytes == 4) {
        out.name = p.name + ".part";
        return out;
      }
      for (u32 n = 0; n < out.count; ++n)
        list.push_back(refers ? value_word(p, 4 * n).text : any_word(static_cast<u32>(place) + 4 * n));
      out.name = unique(p.name + "_words");
      in_words_.insert(p.name);
    } else {
      u64 end = 4;
      for (std::size_t n = 0; n < parameters_.size(); ++n)
        if (const auto place = lift::place_of(*arguments_[n])) end = std::max(end, end_of(n, *place));
      out.count = static_cast<u32>((end + 3) / 4);
      for (u32 n = 0; n < out.count; ++n) list.push_back(any_word(4 * n));
      out.name = unique("arguments");
    }
    out.declaration = fmt::format("  const uint {}[{}] = {{{}}};\n", out.name, out.count, fmt::join(list, ", "));
    return out;
  }
  // A word of the arguments' memory, whatever is there.
  std::string any_word(u32 offset) {
    bool value = false;
    for (std::size_t n = 0; n < parameters_.size(); ++n) {
      const auto place = lift::place_of(*arguments_[n]);
      const Parameter& p = parameters_[n];
      if (!place || offset + 4 <= *place || offset >= end_of(n, *place) || by_reference(*arguments_[n])) continue;
      if (p.space == "__global" || p.space == "__constant") {
        in_words_.insert(p.name);
        return offset == *place ? fmt::format("(uint)(ulong){}", p.name)
                                : fmt::format("(uint)((ulong){} >> 32)", p.name);
      }
      if (!p.space.empty()) continue;
      in_words_.insert(p.name);
      value = true;
    }
    return value ? convert(argument_word(offset), Uint).text : "0";
  }

  // --- who uses what -------------------------------------------------------------------------------------------------

  struct Use {
    Id user;  // kNone: the end of the block
    u32 block;  // where a phi's or the block's end has it; else the user's own place counts
    bool fixed;
  };
  void find_uses() {
    const auto each = [&](auto&& use) {
      for (Id id = 0; id < g_.nodes.size(); ++id) {
        const Node& n = g_.nodes[id];
        if (!live_[id] || n.forward != kNone) continue;
        for (std::size_t k = 0; k < n.args.size(); ++k) {
          if (Graph::phi(n.op))
            use(g_.resolve(n.args[k]), Use{id, g_.blocks[n.block].predecessors[k], true});
          else
            use(g_.resolve(n.args[k]), Use{id, n.block, g_.effect(n.op)});
        }
      }
      for (u32 b = 0; b < g_.blocks.size(); ++b)
        if (g_.blocks[b].end.kind == BlockEnd::Kind::Branch)
          use(g_.resolve(g_.blocks[b].end.condition), Use{kNone, b, true});
    };
    // Counted first: the uses of a value stand side by side.
    uses_begin_.assign(g_.nodes.size() + 1, 0);
    each([&](Id id, const Use&) { ++uses_begin_[id + 1]; });
    for (std::size_t n = 1; n < uses_begin_.size(); ++n) uses_begin_[n] += uses_begin_[n - 1];
    all_uses_.resize(uses_begin_.back());
    std::vector<u32> next(uses_begin_.begin(), uses_begin_.end() - 1);
    each([&](Id id, const Use& use) { all_uses_[next[id]++] = use; });
  }
  // What was made for the text has none.
  std::span<const Use> uses(Id id) const {
    if (id + 1 >= uses_begin_.size()) return {};
    return std::span(all_uses_).subspan(uses_begin_[id], uses_begin_[id + 1] - uses_begin_[id]);
  }

  // --- types ---------------------------------------------------------------------------------------------------------

  static bool is_array(Op op) { return op == Op::Array || op == Op::ArrayWide; }
  static bool is_element(Op op) { return op == Op::Element || op == Op::ElementWide; }
  // Whether a value is one of its arguments, or all of them.
  static bool hands_on(Op op) { return Graph::merge(op) || is_array(op) || is_element(op); }
  bool free_type(const Node& n) const {
    return hands_on(n.op) || n.op == Op::Loaded || ((n.op == Op::Load || n.op == Op::Atomic) && n.type == Any);
  }
  void find_types() {
    types_.assign(g_.nodes.size(), Any);
    for (Id id = 0; id < g_.nodes.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (!live_[id] || n.forward != kNone) continue;
      if (!free_type(n))
        types_[id] = n.op == Op::ArgumentWord                   ? argument_word(static_cast<u32>(n.imm)).type
                     : n.op == Op::Const || n.op == Op::Const64 ? Any
                                                                : n.type;
      if (n.op == Op::Join)
        if (const auto whole = whole_argument(n.args[0], n.args[1])) types_[id] = whole->type;
      const Node& load = n.op == Op::Loaded ? g_.at(n.args[0]) : n;
      if (load.op == Op::Load || load.op == Op::Atomic) {
        const Access& a = g_.accesses[load.access];
        if (a.room == Room::Image)
          types_[id] = load_element(load).type;
        else if (a.bytes < 4)
          types_[id] = a.is_signed ? Int : Uint;
        else if (a.bytes == 8)
          types_[id] = access_element(a).type;
        else if (const Parameter* const memory = memory_of(a); memory != nullptr && memory->element.bytes == 4)
          types_[id] = memory->element.type;
        else if (load.op == Op::Atomic)
          types_[id] = a.is_signed ? Int : Uint;
      }
    }
    // Those that only hold and hand on are what their sources or users are.
    std::vector<Id> open;
    for (Id id = 0; id < g_.nodes.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (live_[id] && n.forward == kNone && free_type(n) && types_[id] == Any) open.push_back(id);
    }
    for (u32 pass = 0; pass < 8; ++pass) {
      bool changed = false;
      for (const Id id : open) {
        if (types_[id] != Any) continue;
        const Node& n = g_.nodes[id];
        std::array<u32, 9> votes{};
        const bool is_wide = info(n.op).result == Ulong;
        const auto vote = [&](Type type) {
          if (is_wide ? wide(type) : type == Uint || type == Int || type == Float)
            ++votes[static_cast<std::size_t>(type)];
        };
        if (hands_on(n.op)) {
          const std::size_t count = is_element(n.op) ? 1 : n.args.size();  // an index is no value
          for (std::size_t k = Graph::select(n.op) ? 1 : 0; k < count; ++k) vote(types_[g_.resolve(n.args[k])]);
        }
        for (const Use& use : uses(id)) {
          if (use.user == kNone) continue;
          const Node& user = g_.nodes[use.user];
          if (hands_on(user.op)) {
            vote(is_element(user.op) && !is_array(n.op) ? Uint : types_[use.user]);
          } else if (user.op == Op::Store || user.op == Op::Atomic) {
            const Access& a = g_.accesses[user.access];
            if (a.room == Room::Image)
              vote(image_vote(user, id));
            else if (a.room == Room::Print)
              vote(print_vote(user, id));
            else if (const Parameter* const memory = memory_of(a); memory != nullptr && memory->element.bytes >= 4 &&
                                                                   memory->element.bytes == a.bytes &&
                                                                   g_.resolve(user.args[1]) != id)
              vote(memory->element.type);
          } else {
            for (std::size_t k = 0; k < user.args.size() && k < info(user.op).arguments.size(); ++k)
              if (g_.resolve(user.args[k]) == id) vote(type_of(info(user.op).arguments[k]));
          }
        }
        const auto most = std::ranges::max_element(votes);
        if (*most == 0) continue;
        types_[id] = static_cast<Type>(most - votes.begin());
        changed = true;
      }
      if (!changed) break;
    }
    for (Id id = 0; id < g_.nodes.size(); ++id)
      if (types_[id] == Any && g_.nodes[id].op != Op::Const)
        types_[id] = info(g_.nodes[id].op).result == Ulong ? Ulong : Uint;
    for (Id id = 0; id < g_.nodes.size(); ++id)
      if (live_[id] && is_element(g_.nodes[id].op)) types_[id] = types_[g_.resolve(g_.nodes[id].args[0])];
  }
  const Parameter& parameter(const Access& access) const {
    return parameters_[static_cast<std::size_t>(index_[static_cast<std::size_t>(access.argument)])];
  }
  static bool is_own_local(const Access& a) { return a.room == Room::Local && a.argument < 0 && a.data < 0; }
  // The parameter or array that an access goes to, as far as its element is known; null: none has one.
  const Parameter* memory_of(const Access& a) const {
    if (a.argument >= 0) return &parameter(a);
    return local_ && is_own_local(a) ? &*local_ : nullptr;
  }
  // Accesses of the machine code's own local memory.
  std::vector<Id> own_local() const {
    std::vector<Id> out;
    for (const BasicBlock& block : g_.blocks)
      for (const Id id : block.effects) {
        const Node& n = g_.nodes[id];
        const bool memory = n.op == Op::Load || n.op == Op::Store || n.op == Op::Atomic;
        if (memory && n.forward == kNone && (n.op != Op::Load || live_[id]) && is_own_local(g_.accesses[n.access]))
          out.push_back(id);
      }
    return out;
  }
  // It is an array of what most of it is used for.
  void find_local() {
    const std::vector<Id> all = own_local();
    if (all.empty()) return;
    local_.emplace();
    local_->name = "lds";
    local_->space = "__local";
    local_->is_volatile = any_access([](const Access& a) { return is_own_local(a) && a.is_volatile; });
    const u8 bytes = g_.accesses[g_.nodes[all.front()].access].bytes;
    std::array<u32, 9> votes{};
    const auto vote = [&](Type type) { ++votes[static_cast<std::size_t>(type)]; };
    const auto count = [&](Type type) { return votes[static_cast<std::size_t>(type)]; };
    for (const Id id : all) {
      const Node& n = g_.nodes[id];
      const Access& a = g_.accesses[n.access];
      if (a.bytes != bytes || n.op == Op::Atomic) return;
      if (n.op == Op::Load && a.components == 1) vote(types_[id]);
      if (n.op == Op::Load && a.components > 1)
        for (const Use& use : uses(id)) vote(use.user == kNone ? Any : types_[use.user]);
      for (std::size_t k = 2; n.op == Op::Store && k < n.args.size(); ++k) vote(types_[g_.resolve(n.args[k])]);
    }
    if (bytes < 4) local_->element = access_element({.bytes = bytes});
    if (bytes != 4) return;
    if (count(Float) > count(Int) + count(Uint)) local_->element = {"float", 4, Float};
    if (count(Int) > count(Float) + count(Uint)) local_->element = {"int", 4, Int};
  }
  // Of vectors where all accesses are of whole ones.
  void find_local_vectors() {
    u32 components = 0;
    for (const Id id : own_local()) {
      const Node n = g_.nodes[id];
      const Access& a = g_.accesses[n.access];
      if (components == 0) components = a.components;
      if (a.bytes != 4 || a.components != components || !a.atomic.empty() || (components != 2 && components != 4) ||
          !divided(n.args[1], 4 * components))
        return;
    }
    if (local_) local_->vector = std::max(components, 1u);
  }

  // --- places --------------------------------------------------------------------------------------------------------

  bool placed(const Node& n) const { return Graph::phi(n.op) || g_.effect(n.op); }
  // What a work-item asks the runtime for.
  static bool launch(Op op) { return op == Op::LaunchWord || op == Op::GroupId || op == Op::LocalId; }
  static bool leaf(Op op) {
    return op == Op::Const || op == Op::Const64 || op == Op::True || op == Op::False || op == Op::Undefined ||
           op == Op::ArgumentWord || op == Op::Loaded || op == Op::Pointer || op == Op::ImageInfo || launch(op);
  }
  void find_places() {
    early_.assign(g_.nodes.size(), kNone);
    place_.assign(g_.nodes.size(), kNone);
    order_ = g_.in_order(live_);
    for (const Id id : order_) early(id);
    for (std::size_t n = order_.size(); n-- > 0;) place(order_[n]);
  }
  // The first block in which all arguments are known.
  u32 early(Id id) {
    id = g_.resolve(id);
    if (early_[id] != kNone) return early_[id];
    const Node& n = g_.nodes[id];
    if (placed(n)) return early_[id] = n.block;
    u32 out = 0;
    for (const Id arg : n.args) {
      const u32 at = early(arg);
      if (g_.depth[at] > g_.depth[out]) out = at;
    }
    return early_[id] = out;
  }
  u32 meet(u32 a, u32 b) const {
    while (a != b)
      if (g_.depth[a] >= g_.depth[b])
        a = g_.idom[a];
      else
        b = g_.idom[b];
    return a;
  }
  u32 place(Id id) {
    id = g_.resolve(id);
    if (place_[id] != kNone) return place_[id];
    const Node& n = g_.nodes[id];
    if (placed(n)) return place_[id] = n.block;
    u32 late = kNone;
    for (const Use& use : uses(id)) {
      const u32 at = use.fixed ? use.block : place(use.user);
      late = late == kNone ? at : meet(late, at);
    }
    if (late == kNone) late = early_[id];
    u32 best = late;
    for (u32 b = late; b != early_[id] && b != 0;) {
      b = g_.idom[b];
      if (g_.loop_depth[b] < g_.loop_depth[best]) best = b;
    }
    return place_[id] = best;
  }

  static constexpr u32 kTall = 8;  // expressions that a reader still follows

  // --- what needs no variable ----------------------------------------------------------------------------------------

  void find_inline() {
    inline_.assign(g_.nodes.size(), false);
    std::vector<bool> may_move(g_.nodes.size());  // loads
    bool loads = false;
    std::vector<u32> height(g_.nodes.size());  // of the expression that a value would be written in
    for (const Id id : order_) {
      const Node& n = g_.nodes[id];
      for (const Id arg : n.args)
        if (const Id from = g_.resolve(arg); inline_[from]) height[id] = std::max(height[id], height[from] + 1);
      if (leaf(n.op)) {
        inline_[id] = !launch(n.op) || uses(id).size() == 1;
        continue;
      }
      if (n.op == Op::Join && whole_argument(n.args[0], n.args[1])) {
        inline_[id] = true;
        continue;
      }
      if (Graph::phi(n.op) || n.op == Op::Atomic || n.op == Op::Store || n.op == Op::Barrier || Graph::held(n.op))
        continue;
      if (n.op == Op::Load) {
        may_move[id] = uses(id).size() == g_.accesses[n.access].components && height[id] <= kTall;
        loads = loads || may_move[id];
        continue;
      }
      const Use* const only = only_use(id);
      if (only == nullptr || n.op == Op::GlobalId || height[id] > kTall) continue;
      const Use& use = *only;
      const u32 at = use.fixed ? use.block : place_[use.user];
      if (g_.loop_depth[at] > g_.loop_depth[place_[id]] && !is_cheap(n)) continue;
      if (use.user != kNone && repeats(g_.nodes[use.user], id)) continue;
      inline_[id] = true;
    }
    if (!loads) return;
    // A load moves to its use where nothing is stored in between. Users first: a load that moves takes those along that
    // its address is made of, and no walk is deep.
    written_.assign(g_.nodes.size(), kUnasked);
    at_effect_.assign(g_.nodes.size(), 0);
    for (const BasicBlock& block : g_.blocks)
      for (std::size_t n = 0; n < block.effects.size(); ++n) at_effect_[block.effects[n]] = n;
    for (std::size_t n = order_.size(); n-- > 0;) {
      const Id id = order_[n];
      if (may_move[id])
        inline_[id] = moves(id);
      else if (!placed(g_.nodes[id]) && !inline_[id])
        static_cast<void>(written(id));
    }
  }
  // Whether a load may be written where its value is used.
  bool moves(Id id) {
    const Node& n = g_.nodes[id];
    if (g_.accesses[n.access].components != 1 && !goes_whole(id)) return false;
    const auto to = position(uses(id).front());
    if (!to || to->first != n.block) return false;
    const auto& effects = g_.blocks[n.block].effects;
    for (std::size_t k = at_effect_[id] + 1; k < to->second && k < effects.size(); ++k) {
      const Node& between = g_.nodes[effects[k]];
      if (between.forward == kNone && between.op != Op::Load && may_change(between, n)) return false;
    }
    const Node* const user = uses(id).front().user == kNone ? nullptr : &g_.nodes[uses(id).front().user];
    return user == nullptr || !repeats(*user, id);
  }
  // The one place where a value is written; null: there are more, or none. A number that is made longer with its sign
  // is written once, though two things are made of it.
  const Use* only_use(Id id) const {
    const auto all = uses(id);
    if (all.size() == 1) return &all[0];
    if (all.size() != 2) return nullptr;
    for (const std::size_t k : {0u, 1u}) {
      const Id sign = all[k].user, join = all[1 - k].user;
      if (sign == kNone || join == kNone || !g_.is(join, Op::Join) || uses(sign).size() != 1) continue;
      const Node& n = g_.nodes[join];
      if (g_.resolve(n.args[0]) == id && g_.resolve(n.args[1]) == sign && is_sign_of(sign, id)) return &all[1 - k];
    }
    return nullptr;
  }
  // What a loop may as well compute anew: compilers take it out of there.
  bool is_cheap(const Node& n) const {
    switch (n.op) {
      case Op::Add:
      case Op::Sub:
      case Op::And:
      case Op::Or:
      case Op::Xor:
      case Op::Shl:
      case Op::Shr: break;
      default: return false;
    }
    bool number = false;
    for (const Id arg : n.args) {
      if (inline_[g_.resolve(arg)] && !leaf(g_.at(arg).op)) return false;
      number = number || g_.value(arg);
    }
    return number;
  }
  // Whether a vector is loaded to be stored as it is, in the same type.
  bool goes_whole(Id load) const {
    const Access& from = g_.accesses[g_.nodes[load].access];
    Id store = kNone;
    for (const Use& use : uses(load)) {
      if (use.user == kNone || !g_.is(use.user, Op::Loaded) || uses(use.user).size() != 1) return false;
      const Id user = uses(use.user).front().user;
      if (user == kNone || !g_.is(user, Op::Store) || (store != kNone && user != store)) return false;
      if (g_.accesses[g_.at(user).access].room == Room::Print) return false;
      store = user;
    }
    const Node& n = g_.nodes[store];
    const Access& to = g_.accesses[n.access];
    const auto dwords = [&](const Access& a) {
      if (a.room == Room::Image || a.bytes != 4) return false;
      const Parameter* const memory = memory_of(a);
      return memory == nullptr || memory->element.bytes == 4;
    };
    if (!dwords(from) || !dwords(to) || to.components != from.components || bytes_off(to, n.args[1]) != 0) return false;
    return load_of(std::span(n.args).subspan(2), access_element(to).name) == load;
  }
  // Whether an effect in front of a load may make it give something else. Local and scratch memory are nobody else's,
  // and nothing stores to constants; any other two accesses may be of the same bytes.
  bool may_change(const Node& effect, const Node& load) const {
    enum class Where : u8 { Constant, Local, Scratch, Anywhere };
    const auto where = [&](const Access& a) {
      if (a.room == Room::ConstantBuffer || a.room == Room::Arguments) return Where::Constant;
      return a.room == Room::Local ? Where::Local : a.room == Room::Scratch ? Where::Scratch : Where::Anywhere;
    };
    const Where from = where(g_.accesses[load.access]);
    if (from == Where::Constant) return false;
    if (effect.op == Op::Barrier) return from != Where::Scratch;
    // Who waits for what an atomic says reads behind it.
    if (effect.op == Op::Atomic) return from != Where::Scratch;
    if (effect.op != Op::Store) return true;
    const Access& a = g_.accesses[effect.access];
    const Where to = where(a);
    if (from == Where::Scratch && to == from && are_apart(effect, load)) return false;
    return from == to || (a.room == Room::Generic) || g_.accesses[load.access].room == Room::Generic;
  }
  // Whether two accesses, of one word each, are so many bytes off the same place that they have none in common.
  bool are_apart(const Node& a, const Node& b) const {
    const auto parts = [&](Id id) {
      const Node& sum = g_.at(id);
      const auto number = sum.op == Op::Add ? g_.value(sum.args[1]) : std::nullopt;
      return number ? std::pair(g_.resolve(sum.args[0]), *number) : std::pair(g_.resolve(id), u32{0});
    };
    const auto [a_base, a_number] = parts(a.args[1]);
    const auto [b_base, b_number] = parts(b.args[1]);
    const u32 distance = a_number - b_number;
    const auto is_word = [&](const Node& n) {
      const Access& access = g_.accesses[n.access];
      return access.components == 1 && access.bytes <= 4;
    };
    return a_base == b_base && distance >= 4 && distance <= 0u - 4 && is_word(a) && is_word(b);
  }
  // Whether the text of an operation has an argument twice, or the emitter does.
  bool repeats(const Node& user, Id id) const {
    // Coordinates that are looked at, then used.
    const bool loads = user.op == Op::Load && g_.accesses[user.access].image.buffer;
    if (loads || (user.op == Op::Store && g_.accesses[user.access].room == Room::Image))
      for (u32 k = 1; k <= g_.accesses[user.access].image.coordinates; ++k)
        if (g_.resolve(user.args[k]) == id) return true;
    const std::string_view text = info(user.op).text;
    for (std::size_t k = 0; k < user.args.size(); ++k) {
      if (g_.resolve(user.args[k]) != id) continue;
      const std::array<char, 2> digits{'%', static_cast<char>('0' + k)};
      const std::string_view name(digits.data(), digits.size());
      const std::size_t first = text.find(name);
      if (first != std::string_view::npos && text.find(name, first + 1) != std::string_view::npos) return true;
    }
    return false;
  }
  // The block and effect at which a use is written.
  std::optional<std::pair<u32, std::size_t>> position(const Use& use) {
    if (use.user == kNone) return std::pair(use.block, g_.blocks[use.block].effects.size());
    const Node& n = g_.nodes[use.user];
    if (Graph::phi(n.op)) return std::pair(use.block, g_.blocks[use.block].effects.size());
    if (g_.effect(n.op)) {
      if (n.op == Op::Load && inline_[use.user]) return position(uses(use.user).front());
      return std::pair(n.block, at_effect_[use.user]);
    }
    if (inline_[use.user]) return position(uses(use.user).front());
    // Addresses are written by the parts of what they are made of, also where that has a variable: once each. None is
    // made of floats.
    const Type of = info(n.op).result;
    if (of != Float && of != Double && of != Bool) return std::nullopt;
    const std::size_t at = written(use.user);
    return at == kNowhere ? std::nullopt : std::optional(std::pair(place_[use.user], at));
  }
  // In front of which effect of its block a variable's text is written at the latest: where it is first used there, or
  // at the block's end for others. `kNowhere`: that is not known.
  std::size_t written(Id id) {
    if (written_[id] != kUnasked) return written_[id];
    written_[id] = kNowhere;  // where a walk comes back to it
    const u32 b = place_[id];
    std::size_t out = used_behind(id, b) ? g_.blocks[b].effects.size() : kNowhere;
    for (const Use& use : uses(id))
      if (const auto at = position(use); at && at->first == b) out = std::min(out, at->second);
    return written_[id] = out;
  }

  // --- expressions ---------------------------------------------------------------------------------------------------

  static Phrase bracket(Phrase p, u8 strength) {
    if (p.strength >= strength) return p;
    p.text.insert(p.text.begin(), '(');
    p.text += ')';
    p.strength = kAtom;
    return p;
  }
  static Phrase convert(Phrase p, Type want) {
    if (p.type == want || want == Any || want == None) return p;
    if (want == Bool) return {bracket(std::move(p), kEqual + 1).text + " != 0", kEqual, Bool};
    if (p.type == Bool) return {bracket(std::move(p), kChoice + 1).text + " ? 1u : 0u", kChoice, Uint};
    std::string out;
    if (want == Double && p.type == Int && p.text == "0") return {"0.0", kAtom, Double};  // that nothing has set
    if (want == Float || want == Double || p.type == Float || p.type == Double) {
      out.append("as_").append(type_text(want)).append(p.narrow ? "((int)" : "(").append(p.text) += ')';
      return {std::move(out), kAtom, want};
    }
    out.append("(").append(type_text(want)).append(")").append(bracket(std::move(p), kUnary).text);
    return {std::move(out), kUnary, want};
  }
  Phrase constant(u32 value, Type want) const {
    switch (want) {
      case Float: {
        std::string text = float_text(value);
        const bool negative = text[0] == '-';
        return {std::move(text), negative ? static_cast<u8>(kUnary) : static_cast<u8>(kAtom), Float};
      }
      case Int: {
        const i32 number = static_cast<i32>(value);
        if (number == std::numeric_limits<i32>::min()) return {"INT_MIN", kAtom, Int};
        return {fmt::format_int(number).str(), number < 0 ? static_cast<u8>(kUnary) : static_cast<u8>(kAtom), Int};
      }
      default: return {number_text(value), kAtom, Uint};
    }
  }
  Phrase value(Id id, Type want) { return convert(value_as_it_is(id, want), want); }
  // In the type that it has; of a number in the one that is wanted.
  Phrase value_as_it_is(Id id, Type want) {
    id = g_.resolve(id);
    const Node& n = g_.nodes[id];
    if (n.op == Op::Const)
      return want == Bool ? Phrase{n.imm != 0 ? "true" : "false", kAtom, Bool}
                          : constant(static_cast<u32>(n.imm), want);
    if (n.op == Op::Const64) {
      if (want == Double) {
        std::string text = double_text(n.imm);
        const bool number = text[0] != '-' && text[0] != '(';
        return {std::move(text), number ? static_cast<u8>(kAtom) : static_cast<u8>(kUnary), Double};
      }
      return {n.imm < 1024 ? fmt::format("{}ul", n.imm) : fmt::format("0x{:x}ul", n.imm), kAtom, Ulong};
    }
    if (!inline_[id]) {
      use(id);
      return {variable(id), kAtom, variable_type(id)};
    }
    return expand(id);
  }
  static constexpr u32 kMostNested = 32;
  u32 nested_ = 0;  // declarations that wait for those of what they are made of
  void use(Id id) {
    named_.push_back(id);
    used_[id] = true;
    declare(id);
    if (declared_[id] == kNone || outlives_[id] || !closed_[declared_[id]]) return;
    ++set_apart_;
    // No variable of several values is set anew: they are written where one of them is used, and all texts once more.
    const bool array = is_array(g_.nodes[id].op);
    inline_[id] = array;
    outlives_[id] = !array;
    written_anew_ = written_anew_ || array;
  }
  Type variable_type(Id id) const {
    const Node& n = g_.nodes[id];
    if (info(n.op).result == Bool) return Bool;
    return types_[id] == Any ? Uint : types_[id];
  }
  static constexpr std::string_view kAxes[] = {"x", "y", "z"};
  const std::string& variable(Id id) {
    if (variables_[id] != nullptr) return *variables_[id];
    std::string& name = variable_names_.emplace_back();
    variables_[id] = &name;
    const Node& n = g_.nodes[id];
    if (std::string own = launch_name(n); !own.empty()) return name = unique(std::move(own));
    std::string_view stem = "n";
    switch (variable_type(id)) {
      case Bool: stem = "is"; break;
      case Int: stem = "i"; break;
      case Float: stem = "f"; break;
      case Double: stem = "d"; break;
      case Ulong:
      case Long: stem = "w"; break;
      default: break;
    }
    if (n.op == Op::Load && g_.accesses[n.access].components > 1) stem = "v";
    if (is_array(n.op)) stem = "array";
    return name = unique(std::string(stem).append(fmt::format_int(++numbers_[stem]).c_str()));
  }
  static std::string launch_name(const Node& n) {
    const auto of = [&](std::string_view what, u64 dimension) { return fmt::format("{}_{}", what, kAxes[dimension]); };
    switch (n.op) {
      case Op::GlobalId: return of("gid", n.imm);
      case Op::LocalId: return of("lid", n.imm);
      case Op::GroupId: return of("group", n.imm);
      case Op::LaunchWord:
        if (n.imm < 3) return of("global_size", n.imm);
        if (is_of_axis(n.imm, kLocalSize)) return of("local_size", n.imm - kLocalSize);
        if (is_of_axis(n.imm, kGroups)) return of("groups", n.imm - kGroups);
        if (is_of_axis(n.imm, kOffset)) return of("offset", n.imm - kOffset);
        return {};
      default: return {};
    }
  }
  void use_prelude(std::string_view text) {
    const std::size_t end = text.find('(');
    if (end != std::string_view::npos && end > 0) prelude_.insert(std::string(text.substr(0, end)));
  }
  // The high half of a number that is made longer with its sign.
  bool is_sign_of(Id high, Id low) const {
    const Node& n = g_.at(high);
    return n.op == Op::Sar && g_.value(n.args[1]) == 31u && g_.resolve(n.args[0]) == g_.resolve(low);
  }
  // The value's own text.
  Phrase expand(Id id) {
    const Node n = g_.nodes[id];
    switch (n.op) {
      case Op::Undefined: return {"0", kAtom, Int};
      case Op::ArgumentWord: return argument_word(static_cast<u32>(n.imm));
      case Op::ValueWord:
        return value_word(parameters_[static_cast<std::size_t>(index_[n.imm >> 16])],
                          static_cast<u32>(n.imm & 0xffff) * 4);
      case Op::LaunchWord: return launch_word(static_cast<u32>(n.imm));
      case Op::Held: return value(n.args[0], Uint);
      case Op::HeldChoice: return value(n.args[0], Bool);
      case Op::GroupId: return builtin("get_group_id", n.imm);
      case Op::LocalId: return builtin("get_local_id", n.imm);
      case Op::GlobalId: return builtin("get_global_id", n.imm);
      case Op::ToWord: return {bracket(value(n.args[0], Bool), kChoice + 1).text + " ? 1u : 0u", kChoice, Uint};
      case Op::Pointer: {
        const i32 index = index_[n.imm];
        return {fmt::format("(ulong){}", parameters_[static_cast<std::size_t>(index)].name), kUnary, Ulong};
      }
      case Op::ImageInfo:
        if (static_cast<Info>(n.imm & 255) == Info::ArraySize) return {"(int)" + image_info(n.imm), kUnary, Int};
        return {image_info(n.imm), kAtom, Int};
      case Op::ImageScale: return {fmt::format("1.0f / (float){}", image_info(n.imm)), kProduct, Float};
      case Op::Join: {
        if (g_.value(n.args[1]) == 0u) return {"(ulong)" + bracket(value(n.args[0], Uint), kUnary).text, kUnary, Ulong};
        if (is_sign_of(n.args[1], n.args[0]))
          return {"(long)" + bracket(value(n.args[0], Int), kUnary).text, kUnary, Long};
        if (auto whole = whole_argument(n.args[0], n.args[1])) return *std::move(whole);
        if (auto parts = whole_parts(n.args[0], n.args[1])) return *std::move(parts);
        // What they use is declared in this order.
        const Phrase low = value(n.args[0], Uint), high = value(n.args[1], Uint);
        return {fmt::format("as_ulong((uint2)({}, {}))", low.text, high.text), kAtom, Ulong};
      }
      case Op::Load: return load(id);
      case Op::Loaded: {
        const Id from = g_.resolve(n.args[0]);
        use(from);
        return {fmt::format("{}.{}", variable(from), "xyzw"[n.imm & 3]), kAtom, load_element(g_.nodes[from]).type};
      }
      case Op::Array:
      case Op::ArrayWide:
        return {fmt::format("(({}[]){})", type_text(types_[id]), elements(n, types_[id])), kAtom, types_[id]};
      case Op::Element:
      case Op::ElementWide: {
        const std::string array = value_as_it_is(n.args[0], Any).text;
        return {fmt::format("{}[{}]", array, value(n.args[1], Uint).text), kAtom, types_[id]};
      }
      case Op::Phi:
      case Op::PhiWide:
      case Op::PhiBool: return {variable(id), kAtom, variable_type(id)};
      default: break;
    }
    const OpInfo& op = info(n.op);
    if (op.text.empty()) {
      g_.refuse(Code::LiftLanes, n.offset, fmt::format("needs {}, which has no text", op.name));
      return {"0", kAtom, Uint};
    }
    use_prelude(op.text);
    const Type own = op.result == Any || n.op == Op::SelectWide ? types_[id] : op.result;
    std::array<Phrase, 4> args;
    // Signed and unsigned numbers mix without casts where only the bits count.
    const bool bits_only =
        n.op == Op::Add || n.op == Op::Sub || n.op == Op::Mul || n.op == Op::And || n.op == Op::Or || n.op == Op::Xor;
    const bool mixed = bits_only && (natural(n.args[0]) == Int) != (natural(n.args[1]) == Int);
    for (std::size_t k = 0; k < n.args.size(); ++k) {
      Type want = type_of(op.arguments[k]);
      if (want == Any) want = own;
      if (mixed && natural(n.args[k]) == Int) want = Int;
      if (k != 0 && loads_where_chosen(n, k)) chosen_ = g_.resolve(n.args[k]);
      args[k] = value(n.args[k], want);
      chosen_ = kNone;
    }
    std::string text;
    for (std::size_t c = 0; c < op.text.size(); ++c) {
      if (op.text[c] != '%' || op.text[c + 1] == ' ') {  // the operator
        const std::size_t from = c;
        while (c + 1 < op.text.size() && op.text[c + 1] != '%') ++c;
        text += op.text.substr(from, c + 1 - from);
        continue;
      }
      const std::size_t k = static_cast<std::size_t>(op.text[++c] - '0');
      const bool in_call = c >= 2 && op.strength == kAtom;
      // Left sides bind as the operator does, right sides stronger; shifts and bits among sums get brackets for -Wall.
      u8 needed =
          in_call ? static_cast<u8>(kChoice)
                  : static_cast<u8>(
                        op.strength +
                        (k == 0 && op.strength != kChoice && op.strength != kEqual && op.strength != kLess ? 0 : 1));
      if (!in_call &&
          (op.strength == kShift || op.strength == kBitAnd || op.strength == kBitOr || op.strength == kBitXor) &&
          args[k].strength < kUnary && !(k == 0 && args[k].strength == op.strength))
        needed = kUnary;
      if (op.strength == kAndAlso || op.strength == kOrElse)
        needed = args[k].strength == op.strength ? op.strength : static_cast<u8>(kBitOr);
      // A cast is of all of it; and what carries is a sum of whole operands.
      const bool is_cast = c >= 2 && op.text[c - 2] == ')';
      const bool carries =
          (op.strength == kEqual || op.strength == kLess) &&
          (op.text.find(" + ") != std::string_view::npos || op.text.find(" - ") != std::string_view::npos);
      if (is_cast || carries) needed = std::max<u8>(needed, is_cast ? kUnary : kProduct);
      if (text == "-" && args[k].text.starts_with('-')) args[k].strength = kComma;  // not `--`
      text += bracket(args[k], needed).text;
    }
    // x + 0xffffffff is x - 1.
    if (const auto number = n.op == Op::Add ? g_.value(n.args[1]) : std::nullopt; number && *number >= 0xfff00000)
      text = fmt::format("{} - {}", bracket(std::move(args[0]), kSum).text, number_text(0 - *number));
    return {std::move(text), op.strength, own};
  }
  std::string elements(const Node& array, Type type) {
    std::vector<std::string> list;
    for (const Id arg : array.args) list.push_back(g_.is(arg, Op::Undefined) ? "0" : value(arg, type).text);
    return fmt::format("{{{}}}", fmt::join(list, ", "));
  }
  Type natural(Id id) const {
    id = g_.resolve(id);
    const Node& n = g_.nodes[id];
    if (n.op == Op::Const || n.op == Op::Undefined) return Uint;
    if (!inline_[id]) return variable_type(id);
    if (n.op == Op::Load || n.op == Op::Loaded || n.op == Op::ArgumentWord) return types_[id];
    return info(n.op).result == Any || n.op == Op::SelectWide ? types_[id] : info(n.op).result;
  }
  Phrase builtin(std::string_view name, u64 dimension) const {
    return {fmt::format("(uint){}({})", name, dimension), kUnary, Uint};
  }
  Phrase launch_word(u32 n) {
    if (n < 3) return builtin("get_global_size", n);
    if (n == kWorkDim) return {"get_work_dim()", kAtom, Uint};
    if (is_of_axis(n, kLocalSize)) return builtin("get_local_size", n - kLocalSize);
    if (is_of_axis(n, kGroups)) return builtin("get_num_groups", n - kGroups);
    if (is_of_axis(n, kOffset)) return builtin("get_global_offset", n - kOffset);
    g_.refuse(Code::LiftUserData, 0,
              fmt::format("reads dword {} of constant buffer 0, which has no place in OpenCL C", n));
    return {"0", kAtom, Uint};
  }

  // --- memory --------------------------------------------------------------------------------------------------------

  // Whether nothing is lost above 32 bits in what `divided` takes apart.
  bool is_exact(Id id, u32 depth = 3) const {
    const Node& n = g_.at(id);
    if (n.op == Op::Const) return static_cast<i32>(n.imm) >= 0;
    if (depth == 0) return false;
    const auto most = [&](std::size_t k) { return u64{g_.mask_of(n.args[k])}; };
    switch (n.op) {
      case Op::Shl:
        return g_.value(n.args[1]) && *g_.value(n.args[1]) < 32 && most(0) << *g_.value(n.args[1]) >> 32 == 0;
      case Op::Mul: return g_.value(n.args[1]) && most(0) * *g_.value(n.args[1]) >> 32 == 0;
      case Op::Add:
        return (most(0) + most(1)) >> 32 == 0 && is_exact(n.args[0], depth - 1) && is_exact(n.args[1], depth - 1);
      default: return false;
    }
  }
  // A byte offset in units of `by` bytes; empty: it is no multiple by its form.
  std::optional<Id> divided(Id id, u32 by, u32 depth = 3) {
    id = g_.resolve(id);
    if (depth == 0) return std::nullopt;
    if (by == 1) return id;
    const Node n = g_.nodes[id];
    const u32 log = static_cast<u32>(std::countr_zero(by));
    switch (n.op) {
      case Op::Const64: {
        const i64 number = static_cast<i64>(n.imm);
        if (number % static_cast<i64>(by) != 0) return std::nullopt;
        return fresh(Op::Const64, {}, static_cast<u64>(number / static_cast<i64>(by)));
      }
      case Op::Shl64: {
        const auto count = g_.value(n.args[1]);
        if (!count || *count < log) return std::nullopt;
        if (*count == log) return g_.resolve(n.args[0]);
        return fresh(Op::Shl64, {g_.resolve(n.args[0]), fresh(Op::Const, {}, *count - log)});
      }
      case Op::Join: {  // of 32 bits, the high half of which is zero
        if (g_.value(n.args[1]) != 0u) return std::nullopt;
        const auto low = divided(n.args[0], by, depth);
        if (!low || !(g_.is(n.args[0], Op::Const) || is_exact(n.args[0]))) return std::nullopt;
        return low;
      }
      case Op::Add64: {
        const auto a = divided(n.args[0], by, depth - 1), b = divided(n.args[1], by, depth - 1);
        if (!a || !b) return std::nullopt;
        return fresh(Op::Add64, {*a, *b});
      }
      case Op::Const: {
        const i32 number = static_cast<i32>(n.imm);
        if (number % static_cast<i32>(by) != 0) return std::nullopt;
        return fresh(Op::Const, {}, static_cast<u32>(number / static_cast<i32>(by)));
      }
      case Op::Shl: {
        const auto count = g_.value(n.args[1]);
        if (!count || *count < log) return std::nullopt;
        if (*count == log) return g_.resolve(n.args[0]);
        return fresh(Op::Shl, {g_.resolve(n.args[0]), fresh(Op::Const, {}, *count - log)});
      }
      case Op::Mul: {
        const auto factor = g_.value(n.args[1]);
        if (!factor || *factor % by != 0) return std::nullopt;
        if (*factor == by) return g_.resolve(n.args[0]);
        return fresh(Op::Mul, {g_.resolve(n.args[0]), fresh(Op::Const, {}, *factor / by)});
      }
      case Op::Add: {
        const auto a = divided(n.args[0], by, depth - 1), b = divided(n.args[1], by, depth - 1);
        if (!a || !b) return std::nullopt;
        return fresh(Op::Add, {*a, *b});
      }
      default: return std::nullopt;
    }
  }
  // A value for one place of the text only, whose arguments are there already.
  Id fresh(Op op, Ids args, u64 imm = 0) {
    const Id id = g_.add({.op = op, .type = info(op).result, .imm = imm, .args = std::move(args)});
    inline_.push_back(true);
    live_.push_back(true);
    types_.push_back(op == Op::Const ? Any : info(op).result);
    early_.push_back(0);
    place_.push_back(0);
    return id;
  }
  struct Place {
    std::string pointer;  // to elements of `element`, or an expression that is one
    Element element;
    std::string index;  // of an element; empty: `pointer` is there already
    std::string space;
    bool is_const = false;
    [[nodiscard]] std::string at() const { return index.empty() ? "*" + pointer : pointer + "[" + index + "]"; }
    [[nodiscard]] std::string address() const {
      return index.empty() ? pointer : index == "0" ? pointer : pointer + " + " + index;
    }
  };
  // Element type of an access of `bytes` bytes.
  Element access_element(const Access& a) const {
    if (a.bytes == 1) return a.is_signed ? Element{"char", 1, Int} : Element{"uchar", 1, Uint};
    if (a.bytes == 2) return a.is_signed ? Element{"short", 2, Int} : Element{"ushort", 2, Uint};
    if (const Parameter* const memory = memory_of(a);
        memory != nullptr && a.bytes >= 4 && memory->element.bytes == a.bytes && (a.bytes == 4 || a.atomic.empty()))
      return memory->element;
    if (a.bytes == 8) return a.is_signed ? Element{"long", 8, Long} : Element{"ulong", 8, Ulong};
    return {"uint", 4, Uint};
  }
  Element load_element(const Node& n) const {
    const Access& a = g_.accesses[n.access];
    return a.room == Room::Image ? texel_element(n) : access_element(a);
  }
  // Whether a number of 32 bits may be below 0 by its form, as the place of a neighbour to the left is. The machine
  // code adds distances modulo 2^32, so what it reads there is just before the memory; as an unsigned index it would
  // be gigabytes behind it.
  bool goes_below(Id id, u32 depth = 12) {
    id = g_.resolve(id);
    if (const auto number = g_.value(id)) return *number >> 31 != 0;
    if (below_.size() <= id) below_.resize(g_.nodes.size(), 0);
    if (below_[id] != 0 || depth == 0) return below_[id] == 2;
    below_[id] = 1;  // where a loop comes back to it
    const Node& n = g_.nodes[id];
    const auto any_from = [&](std::size_t first) {
      for (std::size_t k = first; k < n.args.size(); ++k)
        if (goes_below(n.args[k], depth - 1)) return true;
      return false;
    };
    bool out = false;
    switch (n.op) {
      case Op::Sub:
      case Op::MulHighI: out = true; break;
      case Op::ArgumentWord: out = natural(id) == Int; break;
      case Op::Add:
      case Op::Phi:
      case Op::MinI: out = any_from(0); break;
      case Op::Mul:  // widths of rows are ints to many a kernel, and never below 0
        for (const Id arg : n.args) out = out || (!g_.is(arg, Op::ArgumentWord) && goes_below(arg, depth - 1));
        break;
      case Op::MaxI: out = goes_below(n.args[0], depth - 1) && goes_below(n.args[1], depth - 1); break;
      case Op::Select: out = any_from(1); break;
      case Op::Shl:
      case Op::Sar: out = goes_below(n.args[0], depth - 1); break;
      default: break;
    }
    below_[id] = out ? 2 : 1;
    return out;
  }
  // Whether an index has bits that its place in bytes, modulo 2^32, is without: compilers take away what clears, sets
  // or changes those alone, as of (random & 0x7fffffff) % n, and leave it where the quotient needs it.
  bool has_bits_above(Id id) const {
    constexpr std::size_t kMost = 64;
    constexpr int kIndexBits = 24;  // constants with one of these say something else
    const auto is_above = [](u32 bits) { return bits != 0 && std::countr_zero(bits) > kIndexBits; };
    std::vector<Id> parts{g_.resolve(id)};
    for (std::size_t k = 0; k < parts.size(); ++k) {
      for (const Use& use : uses(parts[k])) {
        const Op op = use.user == kNone ? Op::Undefined : g_.nodes[use.user].op;
        if (op != Op::And && op != Op::Or && op != Op::Xor && op != Op::Add) continue;
        const u32 number = g_.value(g_.nodes[use.user].args[1]).value_or(0);
        if (number != 0 && is_above(op == Op::And ? ~number : number)) return true;
      }
      if (is_above(g_.value(parts[k]).value_or(0))) return true;
      const Node& n = g_.nodes[parts[k]];
      switch (n.op) {
        case Op::Add:
        case Op::Sub:
        case Op::Mul:
        case Op::Shl:
        case Op::And:
        case Op::Or:
        case Op::Xor:
        case Op::Select:
        case Op::Phi:
          for (const Id arg : n.args)
            if (const Id one = g_.resolve(arg); parts.size() < kMost && std::ranges::find(parts, one) == parts.end())
              parts.push_back(one);
          break;
        default: break;
      }
    }
    return false;
  }
  // Whether a number comes out of memory that others may write.
  bool is_from_memory(Id id) const {
    const Node& n = g_.at(id);
    const Node& load = n.op == Op::Loaded ? g_.at(n.args[0]) : n;
    return (load.op == Op::Load || load.op == Op::Atomic) && g_.accesses[load.access].room != Room::Scratch;
  }
  // Of elements of `bytes`.
  std::string index_text(Id id, u32 bytes, int strength) {
    const auto number = g_.value(id);
    if (number) return fmt::format_int(static_cast<i32>(*number)).str();
    if (g_.is(id, Op::Const64)) return fmt::format_int(static_cast<i64>(g_.at(id).imm)).str();
    // A number of 32 bits made longer is an index as it is.
    if (const Node& n = g_.at(id); n.op == Op::Join && inline_[g_.resolve(id)]) {
      if (g_.value(n.args[1]) == 0u) return bracket(value(n.args[0], Uint), static_cast<u8>(strength)).text;
      if (is_sign_of(n.args[1], n.args[0])) return bracket(value(n.args[0], Int), static_cast<u8>(strength)).text;
    }
    Type want = natural(id);
    if (bytes > 1 && !wide(want) && has_bits_above(id)) {
      const int log = std::countr_zero(bytes);
      const std::string place = fmt::format("{} << {}u", bracket(value(id, Uint), kSum + 1).text, log);
      return bracket(Phrase{fmt::format("(int)({}) >> {}", place, log), kShift, Int}, static_cast<u8>(strength)).text;
    }
    // Numbers out of memory may have flags there, of which compilers take the mask away.
    if (const u32 mask = ~0u >> std::countr_zero(bytes);
        !wide(want) && is_from_memory(id) && (g_.mask_of(id) & ~mask) != 0)
      return bracket(Phrase{fmt::format("{} & 0x{:x}u", bracket(value(id, Uint), kBitAnd).text, mask), kBitAnd, Uint},
                     static_cast<u8>(strength))
          .text;
    if (want != Int && !wide(want)) want = goes_below(id) ? Int : Uint;
    return bracket(value(id, want == Double ? Ulong : want), static_cast<u8>(strength)).text;
  }
  // An index that is not beyond the last one.
  std::string below(Id index, u32 last) { return fmt::format("min({}, {}u)", value(index, Uint).text, last); }
  Place place_of(const Access& a, Id offset) {
    Place out;
    out.element = access_element(a);
    std::string base;
    Element own{"uint", 4, Uint};
    u32 vector = 1;
    std::optional<u32> last;  // byte that the access may begin at, where that is not shown
    // OpenCL's vector loads and stores take no volatile pointers.
    const bool is_volatile = a.is_volatile && a.components == 1;
    bool is_cast = false;  // as it is declared the name does not fit
    if (const Parameter* const memory = memory_of(a)) {
      const Parameter& p = *memory;
      base = p.name;
      own = p.element;
      is_cast = p.is_volatile && a.components > 1 && a.atomic.empty();
      vector = p.vector;
      out.space = p.space;
      out.is_const = p.is_const;
    } else if (a.data >= 0) {
      base = data_name(source_.program, static_cast<u32>(a.data));
      prelude_.insert(fmt::format("data:{}", a.data));
      const bool writable = lift::writable(source_.program, static_cast<u32>(a.data));
      if (writable) prelude_.insert("language:variables of the program keep their values");
      out.space = writable ? "__global" : "__constant";
      out.is_const = !writable;
      is_cast = is_volatile;
    } else if (a.room == Room::Generic || a.room == Room::Flat) {
      // A whole address.
      out.space = "__global";
      out.pointer = fmt::format("(__global{} {}*){}", is_volatile ? " volatile" : "", alias(out.element, {}),
                                bracket(value(offset, Ulong), kUnary).text);
      return out;
    } else if (a.room == Room::Arguments) {
      const u32 bytes = u32{a.bytes} * a.components;
      u32 slot = a.slot == 0 ? 0 : static_cast<u32>(index_[a.slot - 1]) + 1;
      const auto inside = slot == 0 ? argument_around(offset, bytes) : std::nullopt;
      if (inside) std::tie(slot, offset) = std::pair(inside->first + 1, inside->second);
      const Words& words = words_of(slot);
      base = words.name;
      out.space = "__private";
      out.is_const = true;
      if (bytes > 4 * words.count) {
        g_.refuse(Code::LiftArgument, 0, fmt::format("reads {} bytes of {} of arguments", bytes, 4 * words.count));
        return out;
      }
      if (const auto at = g_.value(offset); at && u64{*at} + bytes > u64{4} * words.count)
        g_.refuse(Code::LiftArgument, 0, fmt::format("reads byte {} of its arguments, which is none's", *at));
      if (!inside && u64{g_.mask_of(offset, 8)} + bytes > u64{4} * words.count) last = 4 * words.count - bytes;
    } else {
      base = "scratch";
      out.space = "__private";
      scratch_used_ = true;
    }
    const std::string qualified = fmt::format(
        "{}{}{}", out.space, out.is_const && out.space != "__constant" ? " const" : "", is_volatile ? " volatile" : "");
    const bool same = own.bytes == out.element.bytes && own.name == out.element.name && vector == 1 && !is_cast;
    if (const auto index = divided(offset, out.element.bytes)) {
      out.pointer = same ? base : fmt::format("(({} {}*){})", qualified, alias(out.element, own), base);
      const bool plain = a.components == 1;
      out.index = last ? below(*index, *last / out.element.bytes)
                       : index_text(*index, out.element.bytes, plain ? kComma : kSum + 1);
    } else {
      out.pointer = fmt::format("({} {}*)(({} uchar*){} + {})", qualified, alias(out.element, own), qualified, base,
                                last ? below(offset, *last) : index_text(offset, 1, kSum + 1));
    }
    return out;
  }
  // The power of two, as far as 2^4, that an address can be shown to be off: 2^n divides what it is made of, no more.
  // Of what comes from elsewhere (arguments, memory) nothing is shown: 2^4. `factor`: it is one of a product.
  u32 zeros_shown(Id id, bool factor = false, u32 depth = 12) const {
    constexpr u32 kMost = 4;
    id = g_.resolve(id);
    const Node& n = g_.nodes[id];
    const u32 unknown = factor ? 0 : kMost;
    if (depth == 0) return unknown;
    const auto of = [&](std::size_t k) { return zeros_shown(n.args[k], factor, depth - 1); };
    const auto more = [&](u32 zeros, u64 by) { return std::min<u64>(zeros + by, kMost); };
    switch (n.op) {
      case Op::Const:
      case Op::Const64: return std::min<u32>(static_cast<u32>(std::countr_zero(n.imm)), kMost);
      case Op::LocalId:
      case Op::GlobalId:
      case Op::GroupId: return 0;
      case Op::Add:
      case Op::Add64:
      case Op::Sub:
      case Op::Sub64: return std::min(of(0), of(1));
      case Op::Select:
      case Op::SelectWide: return std::min(of(1), of(2));
      case Op::Join:
      case Op::Low: return of(0);
      case Op::Shl:
      case Op::Shl64: {
        const auto count = g_.value(n.args[1]);
        return static_cast<u32>(more(zeros_shown(n.args[0], true, depth - 1), count.value_or(kMost)));
      }
      case Op::Mul:
      case Op::MulWideU:
      case Op::MulWideI:
        return static_cast<u32>(more(zeros_shown(n.args[0], true, depth - 1), zeros_shown(n.args[1], true, depth - 1)));
      case Op::Phi:
      case Op::PhiWide: {
        u32 out = kMost;
        for (std::size_t k = 0; k < n.args.size(); ++k) out = std::min(out, zeros_shown(n.args[k], factor, depth / 2));
        return out;
      }
      default: return unknown;
    }
  }
  // Machine code may load and store by addresses what does not lie where OpenCL's types must, from GFX9 on also in
  // local and scratch memory [LLVM: FeatureUnalignedDSAccess, FeatureUnalignedScratchAccess]: bytes then. How many, or
  // 0: not so.
  u32 bytes_off(const Access& a, Id offset) const {
    const bool own = a.room == Room::Local || a.room == Room::Scratch || a.room == Room::Arguments;
    if (a.room != Room::Generic && !(own && source_.generation == gcn::Generation::Gfx9)) return 0;
    const u32 bytes = u32{a.bytes} * a.components;
    const bool can = bytes == 12 || (bytes <= 16 && std::has_single_bit(bytes));
    return can && a.bytes > 1 && zeros_shown(offset) < static_cast<u32>(std::countr_zero(a.bytes)) ? bytes : 0;
  }
  // OpenCL's vector loads take no volatile pointers: each component by itself.
  std::string volatile_vector(Access a, Id offset) {
    const u32 components = std::exchange(a.components, 1);
    const Place place = place_of(a, offset);
    const std::string first = place.index.empty() ? place.pointer : "&" + place.at();
    std::string parts;
    for (u32 n = 0; n < components; ++n) parts += fmt::format("{}({})[{}]", n == 0 ? "" : ", ", first, n);
    return fmt::format("({}{})({})", place.element.name, components, parts);
  }
  std::string byte_pointer(Access a, Id offset) {
    a.bytes = 1;
    a.is_signed = false;
    a.components = 2;  // an address
    return place_of(a, offset).address();
  }
  std::string load_bytes(const Access& a, Id offset, u32 bytes) {
    const std::string from = byte_pointer(a, offset);
    const std::string_view name = access_element(a).name;
    if (bytes == 12) return fmt::format("({0}3)(as_{0}2(vload8(0, {1})), as_{0}(vload4(2, {1})))", name, from);
    return fmt::format("as_{}{}(vload{}(0, {}))", name, a.components == 1 ? "" : fmt::format_int(a.components).str(),
                       bytes, from);
  }
  std::string store_bytes(const Node& n, const Access& a, u32 bytes) {
    const std::string to = byte_pointer(a, n.args[1]);
    const Element element = access_element(a);
    const auto part = [&](u32 first, u32 count, u32 from) {
      std::string data;
      for (u32 k = first; k < first + count; ++k)
        data += (k == first ? "" : ", ") + value(n.args[2 + k], a.bytes < 4 ? Uint : element.type).text;
      if (count > 1 || a.bytes < 4)
        data = fmt::format("({}{})({})", element.name, count > 1 ? fmt::format_int(count).str() : "", data);
      const u32 size = count * a.bytes;
      return fmt::format("vstore{}(as_uchar{}({}), {}, {});", size, size, data, from, to);
    };
    return bytes == 12 ? fmt::format("{{ {} {} }}", part(0, 2, 0), part(2, 1, 2)) : part(0, a.components, 0);
  }
  // An access to whole vectors of the parameter: which one; or to the first components of one (`first`).
  struct Vector {
    Id index = kNone;
    u32 first = 0;
  };
  std::optional<Vector> vector_of_parameter(const Access& a, Id offset) {
    const Parameter* const memory = memory_of(a);
    if (memory == nullptr || !a.atomic.empty()) return std::nullopt;
    const Parameter& p = *memory;
    if (p.vector == 1 || (a.bytes != 4 && (a.bytes != 8 || p.element.bytes != 8))) return std::nullopt;
    const u32 bytes = size_of(p), accessed = u32{a.bytes} * a.components;
    const bool dwords = p.element.bytes == 4 && a.components <= p.vector;
    if (!dwords && accessed != bytes) return std::nullopt;
    // What stands before and behind the vector is a sum with a constant.
    u32 rest = 0;
    const Node n = g_.at(offset);
    const bool sum = n.op == Op::Add || n.op == Op::Add64;
    const auto number = [&](Id id) -> std::optional<u64> {
      if (g_.is(id, Op::Const)) return *g_.value(id);
      return g_.value64(id);
    };
    if (const auto constant = sum ? number(n.args[1]) : number(offset)) {
      rest = static_cast<u32>(*constant % bytes);
      if (rest != 0) {
        const Op op = n.op == Op::Add || n.op == Op::Const ? Op::Const : Op::Const64;
        const u64 before = op == Op::Const ? static_cast<u32>(*constant - rest) : *constant - rest;
        offset = !sum          ? fresh(op, {}, before)
                 : before == 0 ? g_.resolve(n.args[0])
                               : fresh(n.op, {n.args[0], fresh(op, {}, before)});
      }
    }
    if (rest % 4 != 0 || rest + accessed > bytes) return std::nullopt;
    const auto index = divided(offset, bytes);
    if (!index) return std::nullopt;
    return Vector{*index, rest / 4};
  }
  // The vector's elements as dwords: one, or all.
  std::optional<Phrase> vector_load(const Access& a, Id offset) {
    const auto vector = vector_of_parameter(a, offset);
    if (!vector) return std::nullopt;
    const Parameter& p = *memory_of(a);
    const bool whole = p.element.bytes == a.bytes && a.components == p.vector;
    // A part of what others may be writing to is read alone.
    if (!whole && p.element.bytes == 4 && (!p.is_const || vector->first + a.components > p.vector)) return std::nullopt;
    std::string text = fmt::format("{}[{}]", p.name, index_text(vector->index, size_of(p), kComma));
    if (whole) return Phrase{std::move(text), kAtom, p.element.type};
    if (p.element.bytes != 4) {
      if (a.components > 4) return std::nullopt;
      return Phrase{a.components == 1 ? fmt::format("as_uint({})", text)
                                      : fmt::format("as_uint{}({})", a.components, text),
                    kAtom, Uint};
    }
    constexpr std::string_view kHex = "0123456789abcdef";
    text += p.vector <= 4 ? "." : ".s";
    for (u32 n = vector->first; n < vector->first + a.components; ++n) text += p.vector <= 4 ? "xyzw"[n] : kHex[n];
    return Phrase{std::move(text), kAtom, p.element.type};
  }
  std::optional<std::string> vector_store(const Node& n) {
    const Access a = g_.accesses[n.access];
    const auto vector = vector_of_parameter(a, n.args[1]);
    if (!vector) return std::nullopt;
    const Parameter& p = *memory_of(a);
    const bool of_elements = p.element.bytes == a.bytes;
    if (of_elements && a.components != p.vector) return std::nullopt;
    if (!of_elements && a.components > 4) return std::nullopt;
    const Type want = of_elements ? p.element.type : Uint;
    const std::string place = fmt::format("{}[{}]", p.name, index_text(vector->index, size_of(p), kComma));
    std::string data;
    if (a.components == 1) {
      data = value(n.args[2], want).text;
    } else {
      const std::string element(of_elements ? p.element.name : std::string_view("uint"));
      data = whole_load(std::span(n.args).subspan(2), of_elements ? p.element.name : std::string_view("uint"));
      if (data.empty()) {
        for (u32 k = 0; k < a.components; ++k) data += (k == 0 ? "" : ", ") + value(n.args[2 + k], want).text;
        data = fmt::format("({}{})({})", element, a.components, data);
      }
    }
    if (!of_elements) data = fmt::format("as_{}{}({})", p.element.name, p.vector, data);
    return fmt::format("{} = {};", place, data);
  }
  // The variable whose components are stored as they were loaded; empty: they are others.
  std::string whole_load(std::span<const Id> parts, std::string_view element) {
    const Id load = load_of(parts, element);
    if (load == kNone) return {};
    if (inline_[load]) return this->load(load).text;
    use(load);
    return variable(load);
  }
  // The load whose components these are, all in their order; `kNone`: there is none.
  Id load_of(std::span<const Id> parts, std::string_view element) const {
    const Node& first = g_.at(parts[0]);
    if (first.op != Op::Loaded) return kNone;
    const Id load = g_.resolve(first.args[0]);
    if (!g_.is(load, Op::Load) || g_.accesses[g_.nodes[load].access].components != parts.size()) return kNone;
    if (load_element(g_.nodes[load]).name != element) return kNone;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Node& part = g_.at(parts[k]);
      if (part.op != Op::Loaded || g_.resolve(part.args[0]) != load || part.imm != k) return kNone;
    }
    return load;
  }
  // Accesses by another type than the memory has must not mislead the compiler.
  std::string alias(const Element& want, const Element& own) {
    if (want.name == own.name || want.bytes == 1) return std::string(want.name);
    const std::string name = fmt::format("{}_alias", want.name);
    prelude_.insert(name);
    return name;
  }
  // Whether side `k` of a choice is a load for just the lanes that the choice takes that side for.
  bool loads_where_chosen(const Node& choice, std::size_t k) const {
    const Node& load = g_.at(choice.args[k]);
    if (choice.op != Op::Select && choice.op != Op::SelectWide) return false;
    if (load.op != Op::Load || !inline_[g_.resolve(choice.args[k])]) return false;
    const Id mask = g_.resolve(load.args[0]), condition = g_.resolve(choice.args[0]);
    return k == 1 ? mask == condition : g_.opposite(mask, condition);
  }
  Phrase load(Id id) {
    const Node n = g_.nodes[id];
    const Access a = g_.accesses[n.access];
    const bool chosen = std::exchange(chosen_, kNone) == id;
    if (a.room == Room::Image) return read_image(n);
    auto vector = vector_load(a, n.args[1]);
    const u32 off = vector ? 0 : bytes_off(a, n.args[1]);
    const Place place = vector || off != 0 ? Place{{}, access_element(a), {}, {}, false} : place_of(a, n.args[1]);
    Phrase out;
    out.type = place.element.type;
    if (vector) {
      out = std::move(*vector);
      if (out.type != place.element.type) out = convert(std::move(out), place.element.type);
    } else if (off != 0) {
      out = {load_bytes(a, n.args[1], off), kAtom, place.element.type};
      if (a.bytes < 4)
        out = {fmt::format("({}){}", a.is_signed ? "int" : "uint", out.text), kUnary, place.element.type};
    } else if (a.components == 1) {
      out = {place.at(), place.index.empty() ? static_cast<u8>(kUnary) : static_cast<u8>(kAtom), place.element.type};
      if (a.bytes < 4)
        out = {fmt::format("({}){}", a.is_signed ? "int" : "uint", bracket(out, kUnary).text), kUnary,
               place.element.type};
    } else {
      out = {a.is_volatile ? volatile_vector(a, n.args[1])
                           : fmt::format("vload{}(0, {})", a.components, place.address()),
             kAtom, place.element.type};
    }
    if (!chosen && !g_.is(n.args[0], Op::True)) {
      const std::string zero = a.components == 1 ? "0" : fmt::format("({}{})0", place.element.name, a.components);
      out = {fmt::format("{} ? {} : {}", bracket(value(n.args[0], Bool), kChoice + 1).text, out.text, zero), kChoice,
             place.element.type};
    }
    return out;
  }
  std::string store(const Node& n) {
    const Access a = g_.accesses[n.access];
    if (a.room == Room::Image) return write_image(n);
    if (a.room == Room::Print) return print(n);
    if (auto vector = vector_store(n)) return std::move(*vector);
    if (const u32 off = bytes_off(a, n.args[1]); off != 0) return store_bytes(n, a, off);
    const Place place = place_of(a, n.args[1]);
    const Type want = place.element.bytes < 4 ? Uint : place.element.type;
    if (a.components == 1) {
      Phrase data = value(n.args[2], want);
      if (place.element.bytes < 4)
        data = {fmt::format("({}){}", place.element.name, bracket(data, kUnary).text), kUnary, want};
      return fmt::format("{} = {};", place.at(), data.text);
    }
    std::string data = whole_load(std::span(n.args).subspan(2), place.element.name);
    if (data.empty()) {
      for (u32 k = 0; k < a.components; ++k) data += (k == 0 ? "" : ", ") + value(n.args[2 + k], want).text;
      data = fmt::format("({}{})({})", place.element.name, a.components, data);
    }
    return fmt::format("vstore{}({}, 0, {});", a.components, data, place.address());
  }
  // Texts of the source have a number in its statements until these are as they stay: a name in a text is none.
  std::string literal(std::string_view text) {
    literals_.push_back(text_literal(text));
    return fmt::format("\"{}\"", literals_.size() - 1);
  }
  std::string with_literals(std::string body) const {
    if (literals_.empty()) return body;
    std::string out;
    for (std::size_t at = 0;;) {
      const std::size_t open = body.find('"', at), close = open == body.npos ? open : body.find('"', open + 1);
      out.append(body, at, open - at);
      if (close == body.npos) return out;
      std::size_t number = 0;
      for (std::size_t n = open + 1; n < close; ++n) number = number * 10 + static_cast<std::size_t>(body[n] - '0');
      out += literals_[number];
      at = close + 1;
    }
  }
  // Types that a format takes values as.
  static Type print_type(const PrintPiece& piece) {
    switch (piece.kind) {
      case PrintPiece::Kind::Signed: return piece.is_long() ? Long : Int;
      case PrintPiece::Kind::Float: return piece.is_long() ? Double : Float;
      default: return piece.is_long() ? Ulong : Uint;
    }
  }
  std::string print(const Node& n) {
    const PrintfFormat& format = source_.program.printf[n.imm];
    const std::vector<PrintPiece> pieces = print_pieces(format).value_or(std::vector<PrintPiece>());
    std::string out = "printf(" + literal(print_format(format.format, pieces));
    std::size_t k = 2;  // behind the mask and the address
    for (const PrintPiece& piece : pieces) {
      const std::span<const Id> values = std::span(n.args).subspan(k, piece.values());
      k += piece.values();
      out += ", " + (piece.kind == PrintPiece::Kind::Text ? printed_text(values, n.offset) : printed(piece, values));
    }
    return out + ");";
  }
  std::string printed(const PrintPiece& piece, std::span<const Id> values) {
    const Type type = print_type(piece);
    const bool is_signed = piece.kind == PrintPiece::Kind::Signed;
    const auto narrow = [&](bool bytes) -> std::string_view {
      return bytes ? (is_signed ? "char" : "uchar") : (is_signed ? "short" : "ushort");
    };
    if (piece.elements == 1) {
      const Phrase one = value(values[0], type);
      if (piece.kind == PrintPiece::Kind::Pointer)
        return fmt::format("(__global void*)({}){}", type_text(type), bracket(one, kUnary).text);
      if (piece.halvings == 0) return one.text;
      return fmt::format("({}){}", narrow(piece.halvings > 1), bracket(one, kUnary).text);
    }
    const bool whole = piece.element_bytes() >= 4;
    std::string all;
    for (const Id id : values) all += (all.empty() ? "" : ", ") + value(id, whole ? type : Uint).text;
    if (!whole && values.size() > 1) all = fmt::format("(uint{})({})", values.size(), all);
    // Of three elements, which have room for four.
    const u32 count = piece.elements == 3 ? 4 : piece.elements;
    const std::string vector = whole ? fmt::format("({}{})({})", type_text(type), count, all)
                                     : fmt::format("as_{}{}({})", narrow(piece.element_bytes() == 1), count, all);
    return piece.elements == 3 ? fmt::format("({}).xyz", vector) : vector;
  }
  // A string of the source, whose bytes the machine code stores.
  std::string printed_text(std::span<const Id> words, u32 offset) {
    std::string out;
    for (const Id id : words) {
      const auto word = g_.value(id);
      if (!word) {
        g_.refuse(Code::LiftAddress, offset, "prints a string that is known only when it runs");
        return out;
      }
      for (u32 byte = 0; byte < 4; ++byte) out += static_cast<char>(*word >> 8 * byte & 255);
    }
    return literal(std::string_view(out).substr(0, out.find('\0')));
  }
  // The first part of the name of the prelude's functions for an atomic operation that OpenCL C does not have.
  static std::string_view atomic_loop(std::string_view atomic) {
    if (atomic == "inc") return "count_to";
    if (atomic == "dec") return "count_down_from";
    if (atomic == "rsub") return "take_from";
    if (atomic == "fadd") return "add_float";
    if (atomic == "fmin") return "min_float";
    return atomic == "fmax" ? "max_float" : std::string_view();
  }
  std::string atomic(const Node& n) {
    const Access a = g_.accesses[n.access];
    Access whole = a;
    whole.components = 2;  // an address
    const Place place = place_of(whole, n.args[1]);
    const bool is_signed = a.is_signed, whole_word = a.bytes == 8;
    const Type data_type = whole_word ? (is_signed ? Long : Ulong) : is_signed ? Int : Uint;
    const std::string_view type = type_text(data_type);
    std::string pointer = place.element.name == type
                              ? place.address()
                              : fmt::format("(volatile {} {}*)({})", place.space, type, place.address());
    std::string data = value(n.args[2], data_type).text;
    // Those of 64 bits have another name, and need an extension of OpenCL 1.x.
    const bool base = a.atomic == "add" || a.atomic == "sub" || a.atomic == "xchg" || a.atomic == "cmpxchg" ||
                      !atomic_loop(a.atomic).empty();
    if (whole_word) prelude_.insert(fmt::format("extension:cl_khr_int64_{}_atomics", base ? "base" : "extended"));
    const std::string_view call = whole_word ? "atom" : "atomic";
    // Up to a limit; without one they are OpenCL's.
    if ((a.atomic == "inc" || a.atomic == "dec") && !whole_word && g_.value(n.args[2]) == ~0u)
      return fmt::format("atomic_{}({})", a.atomic, pointer);
    if (const std::string_view name = atomic_loop(a.atomic); !name.empty()) {
      std::string text =
          fmt::format("{}_{}{}({}, {})", name, place.space.substr(2), whole_word ? "_64" : "", pointer, data);
      use_prelude(text);
      return text;
    }
    if (a.atomic == "cmpxchg") data += ", " + value(n.args[3], whole_word ? data_type : Uint).text;
    return fmt::format("{}_{}({}, {})", call, a.atomic, pointer, data);
  }

  // --- images --------------------------------------------------------------------------------------------------------

  std::string image_name(u32 argument) {
    const i32 index = index_[argument];
    return parameters_[static_cast<std::size_t>(index)].name;
  }
  std::string image_info(u64 imm) {
    constexpr std::string_view kNames[] = {"width",         "height",    "depth", "channel_data_type",
                                           "channel_order", "array_size"};
    const auto what = static_cast<Info>(imm & 255);
    const std::string name = image_name(static_cast<u32>(imm >> 8));
    if (what == Info::ObjectType || what == Info::ObjectOrder) {
      const std::string_view function = what == Info::ObjectType ? "object_channel_type" : "object_channel_order";
      prelude_.insert(std::string(function));
      return fmt::format("{}({})", function, name);
    }
    return fmt::format("get_image_{}({})", kNames[imm & 255], name);
  }
  static Element texel_element(const Node& n) {
    switch (static_cast<Texel>(n.imm)) {
      case Texel::Floats: return {"float", 4, Float};
      case Texel::Ints: return {"int", 4, Int};
      default: return {"uint", 4, Uint};
    }
  }
  // The type that a format takes a value as.
  Type print_vote(const Node& user, Id id) const {
    std::size_t k = 2;
    for (const PrintPiece& piece : print_pieces(source_.program.printf[user.imm]).value_or(std::vector<PrintPiece>()))
      for (u32 n = 0; n < piece.values(); ++n, ++k)
        if (g_.resolve(user.args[k]) == id && piece.kind != PrintPiece::Kind::Text && piece.element_bytes() >= 4)
          return print_type(piece);
    return Any;
  }
  // The type that a store to an image, or a load from one, wants a value to be of.
  Type image_vote(const Node& user, Id id) const {
    const ImageAccess& image = g_.accesses[user.access].image;
    for (u32 k = 1; k <= image.coordinates; ++k)
      if (g_.resolve(user.args[k]) == id) return image.sampled && !image.whole ? Float : Int;
    return texel_element(user).type;
  }
  // "_imagef" and so on; empty: what the image says when the kernel runs.
  static std::string_view texel_suffix(const Node& n) {
    switch (static_cast<Texel>(n.imm)) {
      case Texel::Floats: return "f";
      case Texel::Ints: return "i";
      case Texel::Uints: return "ui";
      default: return "";
    }
  }
  // --- texels at once ------------------------------------------------------------------------------------------------

  // Four values that are computed alike are a vector's. Each is a component of the same texel, or the same value for
  // all, or the same operation of such.
  using Texel4 = std::array<Id, 4>;
  static bool for_vectors(Op op, Type type) {
    if (type == Float) return op == Op::AddF || op == Op::SubF || op == Op::MulF || op == Op::NegF;
    return op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::And || op == Op::Or || op == Op::Xor ||
           op == Op::Shl || op == Op::Shr;
  }
  bool alike(Id a, Id b) const {
    const Node &x = g_.at(a), &y = g_.at(b);
    return x.op == y.op && x.imm == y.imm && (x.op != Op::Loaded || g_.resolve(x.args[0]) == g_.resolve(y.args[0]));
  }
  // Argument `n` of four operations, in the order of the first one's where that does not matter.
  Texel4 argument_of(const Texel4& of, std::size_t n) const {
    const Node& first = g_.at(of[0]);
    const bool either = first.op == Op::AddF || first.op == Op::MulF || first.op == Op::Add || first.op == Op::Mul ||
                        first.op == Op::And || first.op == Op::Or || first.op == Op::Xor;
    Texel4 out{};
    for (std::size_t k = 0; k < 4; ++k) {
      const Node& one = g_.at(of[k]);
      const auto same = [&](Id a, Id b) { return g_.at(a).op == Op::Loaded ? g_.is(b, Op::Loaded) : alike(a, b); };
      const bool swap = either && k > 0 && !(same(first.args[0], one.args[0]) && same(first.args[1], one.args[1])) &&
                        same(first.args[0], one.args[1]) && same(first.args[1], one.args[0]);
      out[k] = g_.resolve(one.args[swap ? 1 - n : n]);
    }
    return out;
  }
  // `moved`: written elsewhere than where its variable would stand, so that no variable of a loop may be in it.
  bool is_vector(Texel4 of, Type type, u32 depth = 6, bool moved = false) const {
    for (Id& id : of) id = g_.resolve(id);
    const Node& first = g_.nodes[of[0]];
    if (std::ranges::all_of(of, [&](Id id) { return id == of[0]; })) {
      if (depth == 6) return false;
      return leaf(first.op) || (!inline_[of[0]] && !Graph::phi(first.op)) || !moved;
    }
    if (load_of(of, type == Float ? "float" : "uint") != kNone) return true;
    if (depth == 0 || !for_vectors(first.op, type)) return false;
    for (const Id id : of) {
      if (g_.nodes[id].op != first.op) return false;
      moved = moved || !inline_[id];
    }
    // A number is not shifted by a vector.
    const bool shift = first.op == Op::Shl || first.op == Op::Shr;
    const Texel4 shifted = argument_of(of, 0);
    if (shift && std::ranges::all_of(shifted, [&](Id id) { return id == shifted[0]; })) return false;
    for (std::size_t n = 0; n < first.args.size(); ++n)
      if (!is_vector(argument_of(of, n), type, depth - 1, moved)) return false;
    return true;
  }
  Phrase vector(Texel4 of, Type type) {
    for (Id& id : of) id = g_.resolve(id);
    const Node first = g_.nodes[of[0]];
    if (std::ranges::all_of(of, [&](Id id) { return id == of[0]; })) return value(of[0], type);
    if (const std::string whole = whole_load(of, type == Float ? "float" : "uint"); !whole.empty())
      return {whole, kAtom, type};
    const OpInfo& op = info(first.op);
    std::vector<Phrase> args;
    for (std::size_t n = 0; n < first.args.size(); ++n) args.push_back(vector(argument_of(of, n), type));
    if (first.op == Op::NegF) return {"-" + bracket(args[0], kAtom).text, kUnary, type};
    const bool bits = type != Float && op.strength != kSum && op.strength != kProduct;
    const auto side = [&](std::size_t n) {
      const bool tight = bits && args[n].strength < kUnary;
      return bracket(args[n], tight ? u8{kAtom} : static_cast<u8>(op.strength + n)).text;
    };
    std::string right = side(1);
    std::string_view sign = op.text.substr(2, op.text.size() - 4);  // of "%0 + %1"
    if (first.op == Op::AddF && right.starts_with("-") && args[1].strength == kUnary) {
      right.erase(0, 1);
      sign = " - ";
    }
    return {side(0) + std::string(sign) + right, op.strength, type};
  }

  // The coordinates of an access, one by one.
  std::vector<std::string> coordinates(const Node& n) {
    const ImageAccess& image = g_.accesses[n.access].image;
    std::vector<std::string> out;
    for (u32 k = 1; k <= image.coordinates; ++k) {
      const bool floats = image.sampled && !image.whole;
      const bool plain = !floats && !g_.is(n.args[k], Op::Const) && natural(n.args[k]) == Uint;
      out.push_back(value(n.args[k], floats ? Float : plain ? Uint : Int).text);
    }
    return out;
  }
  std::string coordinate(const Node& n, const std::vector<std::string>& parts) const {
    const ImageAccess& image = g_.accesses[n.access].image;
    const bool floats = image.sampled && !image.whole;
    const std::string_view type = floats ? "float" : "int";
    if (parts.size() == 1) return floats ? parts[0] : fmt::format("(int)({})", parts[0]);
    std::string text = fmt::format("({}{})({}", type, parts.size() == 2 ? 2 : 4, parts[0]);
    for (std::size_t k = 1; k < parts.size(); ++k) text += ", " + parts[k];
    if (parts.size() == 3) text += floats ? ", 0.0f" : ", 0";
    return text + ")";
  }
  // Whole numbers that are made floats, both at once; empty: they are others.
  std::string converted(const Node& n) {
    const ImageAccess& image = g_.accesses[n.access].image;
    if (!image.sampled || image.whole || image.coordinates != 2) return {};
    for (const std::size_t k : {1u, 2u}) {
      const Node& one = g_.at(n.args[k]);
      if (one.op != Op::FloatOfInt) return {};
      const Id from = g_.resolve(one.args[0]);
      const bool stays = !inline_[from] && !Graph::phi(g_.nodes[from].op);
      if (!inline_[g_.resolve(n.args[k])] && !stays && !leaf(g_.nodes[from].op)) return {};
    }
    std::string out;
    for (const std::size_t k : {1u, 2u}) {
      const Id from = g_.at(n.args[k]).args[0];
      out += (k == 1 ? "" : ", ") + value(from, natural(from) == Uint && !g_.is(from, Op::Const) ? Uint : Int).text;
    }
    return fmt::format("convert_float2((int2)({}))", out);
  }
  std::string sampler_text(const ImageAccess& image) {
    if (!image.sampled) {  // what is outside reads as the border
      constexpr u32 kBorder = 0x16;
      prelude_.insert(fmt::format("sampler:{}", kBorder));
      return sampler_name(kBorder);
    }
    if (image.sampler < 0) return image_name(static_cast<u32>(-2 - image.sampler));
    prelude_.insert(fmt::format("sampler:{}", image.sampler));
    return sampler_name(static_cast<u32>(image.sampler));
  }
  Phrase read_image(const Node& n) {
    const Access a = g_.accesses[n.access];
    const Element element = texel_element(n);
    const std::string_view suffix = texel_suffix(n);
    std::string call = suffix.empty() ? std::string("read_texel") : fmt::format("read_image{}", suffix);
    if (suffix.empty()) prelude_.insert(a.image.buffer ? "read_element" : "read_texel");
    if (a.image.buffer) return read_buffer(n, call);
    std::string at = converted(n);
    if (at.empty()) at = coordinate(n, coordinates(n));
    Phrase out{fmt::format("{}({}, {}, {})", call, image_name(static_cast<u32>(a.argument)), sampler_text(a.image), at),
               kAtom, element.type};
    if (!g_.is(n.args[0], Op::True))
      out = {
          fmt::format("{} ? {} : ({}4)(0)", bracket(value(n.args[0], Bool), kChoice + 1).text, out.text, element.name),
          kChoice, element.type};
    return out;
  }
  // Of a buffer that is an image: without a sampler; what is outside reads 0.
  Phrase read_buffer(const Node& n, std::string_view call) {
    const Access a = g_.accesses[n.access];
    const Element element = texel_element(n);
    const std::string name = image_name(static_cast<u32>(a.argument));
    const std::vector<std::string> parts = coordinates(n);
    prelude_.insert("inside_1d");
    std::string condition = fmt::format("inside_1d({}, {})", name, parts[0]);
    if (!g_.is(n.args[0], Op::True)) condition = bracket(value(n.args[0], Bool), kAndAlso).text + " && " + condition;
    return {fmt::format("{} ? {}({}, {}) : ({}4)(0)", condition, call == "read_texel" ? "read_element" : call, name,
                        coordinate(n, parts), element.name),
            kChoice, element.type};
  }
  // What is outside of the image is not written.
  std::string write_image(const Node& n) {
    const Access a = g_.accesses[n.access];
    const Element element = texel_element(n);
    const std::string_view suffix = texel_suffix(n);
    const std::string name = image_name(static_cast<u32>(a.argument));
    const std::vector<std::string> parts = coordinates(n);
    const std::size_t first = 1 + a.image.coordinates;
    const Texel4 components{n.args[first], n.args[first + 1], n.args[first + 2], n.args[first + 3]};
    std::string texel;
    if (is_vector(components, element.type)) {
      texel = vector(components, element.type).text;
    } else {
      for (u32 k = 0; k < 4; ++k) texel += (k == 0 ? "" : ", ") + value(n.args[first + k], element.type).text;
      texel = fmt::format("({}4)({})", element.name, texel);
    }
    constexpr std::string_view kTests[] = {"inside_1d", "inside_1d_array", "inside_2d", "inside_2d_array", "inside_3d"};
    const auto& image = std::get<Image>(source_.kernel.arguments[static_cast<std::size_t>(a.argument)].kind);
    const std::string_view test = kTests[a.image.coordinates == 1         ? 0
                                         : image.dim == ImageDim::D1Array ? 1
                                         : image.dim == ImageDim::D2      ? 2
                                         : image.dim == ImageDim::D2Array ? 3
                                                                          : 4];
    prelude_.insert(std::string(test));
    if (suffix.empty()) prelude_.insert("write_texel");
    std::string condition = fmt::format("{}({}", test, name);
    for (const std::string& part : parts) condition += ", " + part;
    condition += ")";
    if (!g_.is(n.args[0], Op::True)) condition = bracket(value(n.args[0], Bool), kAndAlso).text + " && " + condition;
    return fmt::format("if ({})\n{}{}({}, {}, {});", condition, std::string(indent_ * 2 + 2, ' '),
                       suffix.empty() ? "write_texel" : fmt::format("write_image{}", suffix), name,
                       coordinate(n, parts), texel);
  }
  // --- variables in the text -----------------------------------------------------------------------------------------

  void line(std::string_view text) { line_of({text}); }
  void line_of(std::initializer_list<std::string_view> parts) {
    text_.append(indent_ * 2, ' ');
    for (const std::string_view part : parts) text_ += part;
    text_ += '\n';
  }
  std::string note(const Node& n) const {
    return options_.annotate && n.offset != 0 ? "  // " + source_.decoder.place_text(n.offset) : std::string();
  }
  // Writes what a variable's first use needs, where the block has come to it.
  void declare(Id id) {
    const Node n = g_.nodes[id];
    if (Graph::phi(n.op) || declared_[id] != kNone) return;
    if (g_.effect(n.op)) return;  // stands in its block in order
    if (nested_ == kMostNested) return declare_in_order(id);
    ++nested_;
    const Type type = variable_type(id);
    if (is_array(n.op)) {
      const std::string& list = once(id, [&] { return elements(n, type); });
      declared_[id] = scopes_.back();
      line_of({"const ", type_text(type), " ", variable(id), fmt::format("[{}] = ", n.args.size()), list, ";"});
    } else {
      declaration(id, type_text(type), once(id, [&] { return convert(expand(id), type).text; }));
    }
    --nested_;
  }
  // What a value is made of comes first, so that a chain of values as long as the code takes no stack.
  void declare_in_order(Id id) {
    const u32 nested = std::exchange(nested_, 0);
    Seen seen;
    std::vector<std::pair<Id, std::size_t>> open{{id, 0}};
    while (!open.empty()) {
      const Id one = open.back().first;
      const Ids& args = g_.nodes[one].args;
      if (open.back().second == args.size()) {
        open.pop_back();
        if (!inline_[one]) declare(one);
        continue;
      }
      const Id arg = g_.resolve(args[open.back().second++]);
      const Node& n = g_.nodes[arg];
      if (!Graph::phi(n.op) && !g_.effect(n.op) && declared_[arg] == kNone && seen.insert(arg))
        open.emplace_back(arg, 0);
    }
    nested_ = nested;
  }
  void declaration(Id id, std::string_view type, std::string_view text) {
    declared_[id] = scopes_.back();
    const std::string_view before = outlives_[id]                  ? std::string_view()
                                    : Graph::held(g_.nodes[id].op) ? "volatile "
                                                                   : "const ";
    line_of({before, outlives_[id] ? std::string_view() : type, outlives_[id] ? "" : " ", variable(id), " = ", text,
             ";", note(g_.nodes[id])});
  }
  void open(const std::string& text) {
    line(text);
    begin();
  }
  void begin() {
    ++indent_;
    scopes_.push_back(static_cast<u32>(closed_.size()));
    closed_.push_back(false);
  }
  void close(const std::string& text) {
    --indent_;
    closed_[scopes_.back()] = true;
    scopes_.pop_back();
    line(text);
  }
  // Of an atomic operation whose result something needs.
  std::string atomic_value(Id id, const Node& n) {
    const std::string text = atomic(n);
    const Access& a = g_.accesses[n.access];
    const Type is = a.bytes == 8 ? (a.is_signed ? Long : Ulong) : a.is_signed ? Int : Uint;
    std::string out = convert({text, kAtom, is}, variable_type(id)).text;
    if (g_.is(n.args[0], Op::True)) return out;
    return fmt::format("{} ? {} : 0", bracket(value(n.args[0], Bool), kChoice + 1).text, out);
  }
  // The text of a statement, which is the same each time that all of the text is made. What it names is declared in
  // front of it, if it is not yet.
  template <class Make>
  const std::string& once(Id id, Make&& make) {
    if (const Made* const known = made_[id]) {
      for (u32 n = 0; n < known->count; ++n) use(all_named_[known->first + n]);
      return known->text;
    }
    const std::size_t around = named_.size();  // of statements for which this one is made
    Made& out = all_made_.emplace_back();
    out.text = make();
    out.first = static_cast<u32>(all_named_.size());
    out.count = static_cast<u32>(named_.size() - around);
    all_named_.insert(all_named_.end(), named_.begin() + static_cast<std::ptrdiff_t>(around), named_.end());
    named_.resize(around);
    made_[id] = &out;
    return out.text;
  }
  void block(u32 b) {
    std::set<Id> loads;  // since a barrier
    for (const Id id : g_.blocks[b].effects) {
      const Node n = g_.nodes[id];
      if (n.forward != kNone || !live_[id]) continue;
      if (n.op != Op::Barrier && n.op != Op::Leave && g_.accesses[n.access].fenced) {
        prelude_.insert("fence");
        line("fence();");
      }
      if (inline_[id] && n.op == Op::Load) continue;
      if (n.op == Op::Load) loads.insert(id);
      if (n.op == Op::Barrier) {
        compute_of(loads, b);
        loads.clear();
        line("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);" + note(n));
      } else if (n.op == Op::Load) {
        declaration(id, declared_type(id), once(id, [&] {
                      const bool one = g_.accesses[n.access].components == 1;
                      Phrase text = load(id);
                      return one ? convert(std::move(text), types_[id]).text : std::move(text.text);
                    }));
      } else if (n.op == Op::Atomic && !uses(id).empty()) {
        declaration(id, type_text(variable_type(id)), once(id, [&] { return atomic_value(id, n); }));
      } else {
        line(once(id, [&] {
          std::string text = n.op == Op::Store ? store(n) : atomic(n) + ";";
          const bool asks = g_.accesses[n.access].room == Room::Image;  // by itself
          if (!g_.is(n.args[0], Op::True) && !asks) text = fmt::format("if ({}) {}", value(n.args[0], Bool).text, text);
          return text + note(n);
        }));
      }
    }
    // Variables of this block that only others use; and those that are first named in braces which end before a later
    // use: what lies between them may be written by its parts wherever it stands, so that it names none.
    for (const Id id : variables_of(b))
      if ((outlives_[id] || used_behind(id, b)) && !needless_[id] && !inline_[id]) declare(id);
  }
  const std::vector<Id>& variables_of(u32 b) {
    if (by_place_.empty()) {
      by_place_.resize(g_.blocks.size());
      for (Id id = 0; id < place_.size(); ++id)
        if (live_[id] && g_.nodes[id].forward == kNone && !inline_[id] && !placed(g_.nodes[id]))
          by_place_[place_[id]].push_back(id);
    }
    return by_place_[b];
  }
  // Work-items keep what they need behind a barrier. What several loads in front of it are for is computed there,
  // whatever order the machine code has: registers cost it nothing.
  void compute_of(const std::set<Id>& loads, u32 b) {
    constexpr std::size_t kFewest = 2;
    if (loads.size() < kFewest) return;
    for (const Id id : made_of(loads, b)) {
      if (declared_[id] != kNone || needless_[id]) continue;
      std::set<Id> cone, found;
      if (!is_ready(id, b, cone, found)) continue;
      const auto only_here = [&](Id load) {
        return std::ranges::all_of(uses(load),
                                   [&](const Use& use) { return use.user != kNone && cone.contains(use.user); });
      };
      std::erase_if(found, [&](Id load) { return !loads.contains(load) || !only_here(load); });
      if (found.size() >= kFewest) declare(id);
    }
  }
  // Variables of a block that are made of some of its loads.
  std::set<Id> made_of(const std::set<Id>& loads, u32 b) const {
    constexpr std::size_t kMost = 4096;
    std::set<Id> seen, out;
    std::vector<Id> open(loads.begin(), loads.end());
    while (!open.empty() && seen.size() < kMost) {
      const Id one = open.back();
      open.pop_back();
      for (const Use& use : uses(one)) {
        if (use.user == kNone || placed(g_.nodes[use.user]) || place_[use.user] != b || !seen.insert(use.user).second)
          continue;
        if (!inline_[use.user]) out.insert(use.user);
        open.push_back(use.user);
      }
    }
    return out;
  }
  // Whether a value of a block is made of what has been written already; `cone`: of which values, `found`: and loads.
  bool is_ready(Id id, u32 b, std::set<Id>& cone, std::set<Id>& found) const {
    constexpr std::size_t kMost = 512;
    std::vector<Id> open{id};
    while (!open.empty()) {
      const Id one = g_.resolve(open.back());
      open.pop_back();
      const Node& n = g_.nodes[one];
      if (g_.effect(n.op)) {
        if (n.block == b && declared_[one] == kNone) return false;
        found.insert(one);
      } else if (!Graph::phi(n.op) && declared_[one] == kNone && cone.insert(one).second) {
        if (cone.size() > kMost) return false;
        for (const Id arg : n.args) open.push_back(arg);
      }
    }
    return true;
  }
  bool used_behind(Id id, u32 b) const {
    return std::ranges::any_of(uses(id), [&](const Use& use) {
      const u32 at = use.fixed ? use.block : place_[use.user];
      return at != b || use.user == kNone || (use.fixed && Graph::phi(g_.nodes[use.user].op));
    });
  }
  void copies(u32 from, u32 to) {
    const auto& before = g_.blocks[to].predecessors;
    const std::size_t k = static_cast<std::size_t>(std::ranges::find(before, from) - before.begin());
    struct Copy {
      Id phi;
      std::string text;
      std::set<Id> reads;
    };
    std::vector<Copy> list;
    for (const Id id : g_.blocks[to].phis) {
      const Node& phi = g_.nodes[id];
      if (phi.forward != kNone || !live_[id]) continue;
      const Id arg = g_.resolve(phi.args[k]);
      if (arg == id || g_.nodes[arg].op == Op::Undefined) continue;
      Copy copy{id, value(arg, variable_type(id)).text, {}};
      reads(arg, copy.reads);
      list.push_back(std::move(copy));
    }
    // All are read before any is written.
    while (!list.empty()) {
      const auto free = std::ranges::find_if(list, [&](const Copy& copy) {
        return std::ranges::none_of(
            list, [&](const Copy& other) { return &other != &copy && other.reads.contains(copy.phi); });
      });
      if (free != list.end()) {
        line(fmt::format("{} = {};", variable(free->phi), free->text));
        list.erase(free);
        continue;
      }
      // One that another waits for: every one of them has another that reads what it sets.
      Copy& first = *std::ranges::find_if(list, [&](const Copy& copy) {
        return std::ranges::any_of(
            list, [&](const Copy& other) { return &other != &copy && copy.reads.contains(other.phi); });
      });
      const std::string name = unique(fmt::format("t{}", ++numbers_["t"]));
      line(fmt::format("const {} {} = {};", type_text(variable_type(first.phi)), name, first.text));
      first.text = name;
      first.reads.clear();
    }
  }
  // Variables of phis that a value's text names. An address is written by parts of what it is made of, also where that
  // has a variable.
  void reads(Id id, std::set<Id>& out, bool address = false) const {
    id = g_.resolve(id);
    const Node& n = g_.nodes[id];
    if (Graph::phi(n.op)) {
      out.insert(id);
      return;
    }
    if (!inline_[id] && (!address || g_.effect(n.op))) return;
    const bool places = address || n.op == Op::Load;
    for (const Id arg : n.args) reads(arg, out, places);
  }

  std::string declared_type(Id id) const {
    const Node& n = g_.nodes[id];
    const u32 components = n.op == Op::Load ? g_.accesses[n.access].components : 1;
    if (Graph::held(n.op)) return n.op == Op::Held ? "volatile uint" : "volatile bool";
    return components == 1 ? std::string(type_text(variable_type(id)))
                           : fmt::format("{}{}", load_element(n).name, components);
  }
  // Variables that several edges set, and those that outlive their block.
  std::vector<Early> early_variables() {
    std::vector<Early> out;
    for (const std::string& flag : flag_names_) out.push_back({flag, "bool", true});
    for (Id id = 0; id < variables_.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (variables_[id] == nullptr || (!Graph::phi(n.op) && !outlives_[id])) continue;
      // Without a value to begin with nothing is set in front of the loop.
      const bool open = Graph::phi(n.op) && is_header(n.block) &&
                        std::ranges::any_of(n.args, [&](Id arg) { return g_.is(arg, Op::Undefined); });
      out.push_back({*variables_[id], declared_type(id), open});
    }
    return out;
  }

  // --- statements ----------------------------------------------------------------------------------------------------

  bool is_header(u32 b) const { return g_.loop[b] == b; }
  // Whether nothing leads out of a loop: compilers leave such where they know that nobody comes.
  bool is_endless(u32 header) const {
    for (u32 b = header; b < g_.blocks.size(); ++b) {
      if (!g_.in_loop(b, header)) continue;
      const BasicBlock& block = g_.blocks[b];
      if (block.end.kind == BlockEnd::Kind::Return ||
          std::ranges::any_of(block.successors, [&](u32 to) { return !g_.in_loop(to, header); }))
        return false;
    }
    return true;
  }
  // Behind a loop stands what a block of it dominates without being of it.
  void tree(u32 b, Stmts& out) {
    if (children_.empty()) {
      children_.resize(g_.blocks.size());
      behind_.resize(g_.blocks.size());
      for (u32 n = 1; n < g_.blocks.size(); ++n) {
        const u32 parent = g_.idom[n];
        u32 left = kNone;  // the outermost loop of the dominator that this block is not of
        for (u32 h = g_.loop[parent]; h != kNone; h = g_.outer[h])
          if (!g_.in_loop(n, h)) left = h;
        if (left != kNone)
          behind_[left].push_back(n);
        else
          children_[parent].push_back(n);
      }
    }
    if (!is_header(b)) return inside(b, out);
    wrap(behind_[b], out, [&](Stmts& into) {
      Stmt loop{.kind = Stmt::Kind::Loop, .block = b};
      if (is_endless(b)) loop.body.push_back({.kind = Stmt::Kind::Never});
      inside(b, loop.body);
      into.push_back(std::move(loop));
    });
  }
  // { { { first } 1 } 2 }: the last one outermost.
  void wrap(const std::vector<u32>& targets, Stmts& out, const std::function<void(Stmts&)>& first) {
    Stmts now;
    first(now);
    for (const u32 target : targets) {
      Stmt label{.kind = Stmt::Kind::Label, .block = target, .body = std::move(now)};
      now.clear();
      now.push_back(std::move(label));
      tree(target, now);
    }
    std::ranges::move(now, std::back_inserter(out));
  }
  bool merges(u32 b) const {
    u32 forward = 0;
    for (const u32 p : g_.blocks[b].predecessors) forward += p < b ? 1 : 0;
    return forward > 1;
  }
  void inside(u32 b, Stmts& out) {
    std::vector<u32> targets;
    for (const u32 child : children_[b])
      if (merges(child)) targets.push_back(child);
    wrap(targets, out, [&](Stmts& into) {
      into.push_back({.kind = Stmt::Kind::Block, .block = b});
      const BlockEnd& end = g_.blocks[b].end;
      switch (end.kind) {
        case BlockEnd::Kind::Return: into.push_back({.kind = Stmt::Kind::Return}); break;
        case BlockEnd::Kind::Jump: go(b, end.yes, into); break;
        case BlockEnd::Kind::Branch: {
          Stmt branch{.kind = Stmt::Kind::If, .block = b, .condition = end.condition};
          go(b, end.yes, branch.body);
          go(b, end.no, branch.other);
          into.push_back(std::move(branch));
        }
      }
    });
  }
  void go(u32 from, u32 to, Stmts& out) {
    out.push_back({.kind = Stmt::Kind::Copies, .block = from, .to = to});
    if (to <= from) return out.push_back({.kind = Stmt::Kind::Continue, .block = to});
    const bool left = g_.loop[from] != kNone && !g_.in_loop(to, g_.loop[from]);
    if (merges(to) || left) return out.push_back({.kind = Stmt::Kind::Break, .block = to});
    tree(to, out);
  }

  static bool jumps(const Stmts& list) {
    if (list.empty()) return false;
    const Stmt& last = list.back();
    if (last.kind == Stmt::Kind::If) return jumps(last.body) && jumps(last.other);
    return last.kind == Stmt::Kind::Break || last.kind == Stmt::Kind::Continue || last.kind == Stmt::Kind::Return;
  }
  bool has_copies(u32 from, u32 to) const {
    const auto& before = g_.blocks[to].predecessors;
    const std::size_t k = static_cast<std::size_t>(std::ranges::find(before, from) - before.begin());
    return std::ranges::any_of(g_.blocks[to].phis, [&](Id id) {
      const Node& phi = g_.nodes[id];
      return phi.forward == kNone && live_[id] && g_.resolve(phi.args[k]) != id && !g_.is(phi.args[k], Op::Undefined);
    });
  }
  // A place in the text: what falling off the end of it, or of what is around it, reaches.
  using Ends = std::set<std::pair<Stmt::Kind, u32>>;
  void simplify(Stmts& list, const Ends& ends) {
    std::erase_if(list, [&](const Stmt& s) { return s.kind == Stmt::Kind::Copies && !has_copies(s.block, s.to); });
    for (std::size_t n = list.size(); n-- > 0;) {
      const bool last = n + 1 == list.size();
      Stmt& s = list[n];
      const Ends here = last ? ends : Ends{};
      switch (s.kind) {
        case Stmt::Kind::If:
          simplify(s.body, here);
          simplify(s.other, here);
          break;
        case Stmt::Kind::Loop: simplify(s.body, {{Stmt::Kind::Continue, s.block}}); break;
        case Stmt::Kind::Label: {
          Ends inner = here;
          inner.insert({Stmt::Kind::Break, s.block});
          simplify(s.body, inner);
          if (!mentions(s.body, s.block)) {
            Stmts body = std::move(s.body);
            list.erase(list.begin() + static_cast<std::ptrdiff_t>(n));
            list.insert(list.begin() + static_cast<std::ptrdiff_t>(n), std::make_move_iterator(body.begin()),
                        std::make_move_iterator(body.end()));
          }
          break;
        }
        case Stmt::Kind::Break:
        case Stmt::Kind::Continue:
          if (here.contains({s.kind, s.block})) list.pop_back();
          break;
        default: break;
      }
    }
  }
  static bool mentions(const Stmts& list, u32 label) {
    return std::ranges::any_of(list, [&](const Stmt& s) {
      return (s.kind == Stmt::Kind::Break && s.block == label) || mentions(s.body, label) || mentions(s.other, label);
    });
  }

  // What `break` leaves: a loop, or the braces of a label.
  struct Frame {
    bool loop;
    u32 label;  // of the loop: `continue` goes there
    std::set<u32> reaches;  // labels that falling off its end reaches
    std::set<u32> flagged;  // labels that are left further by a flag behind it
  };
  void jump(const Stmt& s) {
    if (s.kind == Stmt::Kind::Continue) {
      if (!frames_.empty() && frames_.back().loop && frames_.back().label == s.block) return line("continue;");
      return g_.refuse(Code::LiftFlow, g_.blocks[s.block].first, "goes on with an outer loop out of an inner one");
    }
    if (frames_.empty())
      return g_.refuse(Code::LiftFlow, g_.blocks[s.block].first, "has jumps that no statement makes");
    if (frames_.back().reaches.contains(s.block)) return line("break;");
    // Out of several at once: a flag says so behind each.
    std::string& flag = flags_[s.block];
    if (flag.empty()) {
      flag = unique(fmt::format("leave_{}", flags_.size()));
      flag_names_.push_back(flag);
    }
    if (std::ranges::none_of(frames_, [&](const Frame& frame) { return frame.reaches.contains(s.block); }))
      return g_.refuse(Code::LiftFlow, g_.blocks[s.block].first, "has jumps that no statement makes");
    line(flag + " = true;");
    line("break;");
    for (std::size_t n = frames_.size(); n-- > 0 && !frames_[n].reaches.contains(s.block);)
      frames_[n].flagged.insert(s.block);
  }
  void frame(Frame what, std::string_view begin, std::string_view end, const Stmts& body, const std::set<u32>& inner) {
    open(std::string(begin));
    frames_.push_back(std::move(what));
    statements(body, inner, false);
    const std::set<u32> flagged = frames_.back().flagged;
    frames_.pop_back();
    close(std::string(end));
    for (const u32 label : flagged) {
      if (!frames_.empty() && frames_.back().reaches.contains(label)) {
        open(fmt::format("if ({}) {{", flags_[label]));
        line(flags_[label] + " = false;");
        line("break;");
        close("}");
      } else {
        line(fmt::format("if ({}) break;", flags_[label]));
      }
    }
  }
  // Whether all jumps to a label are ones out of a loop that the label follows at once.
  static bool only_from_last_loop(const Stmts& list, u32 label) {
    for (std::size_t n = 0; n < list.size(); ++n) {
      const Stmt& s = list[n];
      const bool last = n + 1 == list.size();
      if (s.kind == Stmt::Kind::Break && s.block == label) return false;
      if (s.kind == Stmt::Kind::Loop) {
        if (!last && mentions(s.body, label)) return false;
        continue;
      }
      if (s.kind == Stmt::Kind::If) {
        if (!last && (mentions(s.body, label) || mentions(s.other, label))) return false;
        if (!only_from_last_loop(s.body, label) || !only_from_last_loop(s.other, label)) return false;
      } else if (s.kind == Stmt::Kind::Label) {
        if (!last && mentions(s.body, label)) return false;
        if (!only_from_last_loop(s.body, label)) return false;
      }
    }
    return true;
  }
  // `ends`: labels that falling off the end of the list reaches.
  void statements(const Stmts& list, const std::set<u32>& ends, bool outermost) {
    for (std::size_t n = 0; n < list.size() && !g_.refusal; ++n) {
      const Stmt& s = list[n];
      const bool last = n + 1 == list.size();
      const std::set<u32> here = last ? ends : std::set<u32>{};
      switch (s.kind) {
        case Stmt::Kind::Block:
          phis(s.block);
          block(s.block);
          break;
        case Stmt::Kind::Copies: copies(s.block, s.to); break;
        case Stmt::Kind::Return:
          if (!(last && outermost)) line("return;");
          break;
        case Stmt::Kind::Break:
        case Stmt::Kind::Continue: jump(s); break;
        case Stmt::Kind::Never: line(fmt::format("if ({} != 0u) break;", kNever)); break;
        case Stmt::Kind::Loop: frame({true, s.block, here, {}}, "for (;;) {", "}", s.body, {}); break;
        case Stmt::Kind::Label: {
          std::set<u32> inner = here;
          inner.insert(s.block);
          if (only_from_last_loop(s.body, s.block)) {
            statements(s.body, inner, false);
          } else {
            frame({false, kNone, inner, {}}, "do {", "} while (false);", s.body, inner);
          }
          break;
        }
        case Stmt::Kind::If: choice(s, here, last && outermost); break;
      }
    }
  }
  // The comparison that holds where this one does not; for floats there is none, because of NaN.
  std::optional<Id> opposite(Id id) {
    id = g_.resolve(id);
    const Node n = g_.nodes[id];
    if (!inline_[id]) return std::nullopt;
    switch (n.op) {
      case Op::EqU: return fresh(Op::NeU, n.args);
      case Op::NeU: return fresh(Op::EqU, n.args);
      case Op::LtU: return fresh(Op::LeU, {n.args[1], n.args[0]});
      case Op::LeU: return fresh(Op::LtU, {n.args[1], n.args[0]});
      case Op::LtI: return fresh(Op::LeI, {n.args[1], n.args[0]});
      case Op::LeI: return fresh(Op::LtI, {n.args[1], n.args[0]});
      case Op::BoolNot: return g_.resolve(n.args[0]);
      default: return std::nullopt;
    }
  }
  void choice(const Stmt& s, const std::set<u32>& ends, bool outermost) {
    if (s.body.empty() && s.other.empty()) return;
    const bool negate = s.body.empty();
    const auto condition = [&](bool inverted) {
      const auto other = opposite(s.condition);
      const Phrase p = value(s.condition, Bool);
      if (!other) return inverted ? "!" + bracket(p, kUnary).text : p.text;
      std::string opposite = value(*other, Bool).text;
      opposites_[inverted ? opposite : p.text] = inverted ? p.text : opposite;
      return inverted ? opposite : p.text;
    };
    if (negate || s.other.empty()) {
      open(fmt::format("if ({}) {{", condition(negate)));
      statements(negate ? s.other : s.body, ends, outermost);
      return close("}");
    }
    // An arm that goes elsewhere needs no `else` behind it.
    const bool other_first = jumps(s.other) && !jumps(s.body), hoist = other_first || jumps(s.body);
    open(fmt::format("if ({}) {{", condition(other_first)));
    statements(other_first ? s.other : s.body, hoist ? std::set<u32>{} : ends, outermost && !hoist);
    if (other_first || jumps(s.body)) {
      close("}");
      return statements(other_first ? s.body : s.other, ends, outermost);
    }
    close("} else {");
    begin();
    statements(s.other, ends, outermost);
    close("}");
  }
  // Variables that several edges set are declared in front of all; where it matters they are set before.
  void phis(u32 b) {
    for (const Id id : g_.blocks[b].phis) {
      if (g_.nodes[id].forward == kNone && live_[id]) static_cast<void>(variable(id));
    }
  }

  Graph& g_;
  const Source& source_;
  const Options& options_;
  std::vector<Parameter> parameters_;
  std::vector<const Argument*> arguments_;  // of the parameters
  std::vector<i32> index_;  // of the parameter, by argument of the kernel; -1: none
  std::vector<std::string> literals_;
  std::set<std::string> names_{"lds", "scratch", "t", std::string(kNever)};
  std::string types_text_;  // of structs that parameters are
  bool scratch_used_ = false;
  std::map<u32, Words> words_;  // by the number of the parameter, from 1 on; of all: 0
  std::set<std::string> in_words_;  // names of parameters that they are made of
  std::optional<Parameter> local_{};
  Id chosen_ = kNone;  // the load that is written next, where it needs no condition of its own
  std::vector<bool> live_, inline_;
  static constexpr std::size_t kNowhere = ~std::size_t{0}, kUnasked = kNowhere - 1;
  std::vector<std::size_t> written_, at_effect_;  // by value; of effects, their number in their block
  std::vector<Use> all_uses_;
  std::vector<u32> uses_begin_;  // in those, by value
  std::vector<Type> types_;
  std::vector<u32> early_, place_;
  std::vector<Id> order_;
  std::vector<std::vector<Id>> by_place_;
  std::vector<const std::string*> variables_;  // their names, by value
  std::deque<std::string> variable_names_;
  std::map<std::string_view, u32> numbers_;  // of names that begin so
  struct Made {
    std::string text{};
    u32 first = 0, count = 0;  // of `all_named_`: values whose variables it names, in order
  };
  std::deque<Made> all_made_;  // statements
  std::vector<const Made*> made_;  // by value
  bool written_anew_ = false;  // texts name what has no variable any more
  std::vector<Id> all_named_, named_;  // the latter: of statements that are being made
  std::vector<u32> declared_;  // in which braces
  std::vector<bool> outlives_, used_;
  std::vector<u8> below_;  // `goes_below`, by value: 0 not known, 1 no, 2 yes
  std::vector<bool> needless_;  // what the text names in other words
  std::size_t set_apart_ = 0;  // variables that outlive their braces, or are needless
  std::vector<u32> scopes_{0};  // braces that are open
  std::vector<bool> closed_{false};  // by number of the braces
  std::set<std::string> prelude_;
  std::vector<std::vector<u32>> children_, behind_;
  std::vector<Frame> frames_;
  std::map<u32, std::string> flags_;
  std::vector<std::string> flag_names_;
  Opposites opposites_;
  std::string text_;
  u32 indent_ = 1;
};

}  // namespace

bool is_builtin(std::string_view name) {
  static const std::set<std::string_view> kFunctions{"min",    "max",       "fma",   "fabs",     "floor",   "ceil",
                                                     "trunc",  "rint",      "sqrt",  "ldexp",    "rotate",  "barrier",
                                                     "mul_hi", "bitselect", "clamp", "abs_diff", "popcount"};
  return kFunctions.contains(name);
}

bool writable(const Program& program, u32 data) {
  return data >= kSections && program.code.sections[data - kSections].writable;
}

std::string data_name(const Program& program, u32 data) {
  if (data >= kSections) return "data" + identifier(program.code.sections[data - kSections].name);
  const DataSegment& segment = program.data[data];
  return segment.constant_buffer ? fmt::format("data_cb{}", *segment.constant_buffer) : "data_global";
}

Text emit(Graph& graph, const Source& source, const Options& options) { return Emitter(graph, source, options).run(); }

}  // namespace amdcompat::lift
