#include "random_program.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <random>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

namespace amdcompat_test::random {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

enum Type : std::uint8_t { I8, U8, I16, U16, I32, U32, I64, U64, F32, F64 };
constexpr Type kTypes[] = {I8, U8, I16, U16, I32, U32, I64, U64, F32, F64};
constexpr std::string_view kNames[] = {"char", "uchar", "short", "ushort", "int",
                                       "uint", "long",  "ulong", "float",  "double"};
constexpr u32 kBytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
std::string_view name_of(Type type) { return kNames[type]; }
bool is_float(Type type) { return type >= F32; }
bool is_signed(Type type) { return type < F32 && type % 2 == 0; }
u32 bits_of(Type type) { return kBytes[type] * 8; }

constexpr u32 kElements = 256;  // of each input
constexpr u32 kOutputs = 8;  // of a work-item in each output
constexpr u32 kCounters = 64;
constexpr u32 kTexelsIn = 16, kTexelsOut = 64;  // in a row

struct Variable {
  std::string name;
  Type type;
  u32 vector = 1;
  bool constant = false;  // not to be assigned: loop counters, parameters
};

struct Array {
  std::string name;
  Type type;
  u32 size;  // elements
};

class Maker {
 public:
  Maker(u64 seed, std::string name)
      : random_(seed * 0x9e37'79b9'7f4a'7c15 + 1), name_(std::move(name)), wide_(seed >= kFirstWide) {}

  Program run(u64 seed) {
    Program out{.seed = seed, .name = name_, .source = {}, .parameters = {}, .launch = {.kernel = name_}};
    shape(out.launch);
    const auto add = [&](std::string text) { out.parameters.push_back(std::move(text)); };
    for (const Type type : {U32, U64, U16, U8, F32, F64}) {
      if (type != U32 && !chance(3)) continue;
      const std::string text = fmt::format("out_{}", name_of(type));
      add(fmt::format("__global {}* {}", name_of(type), text));
      outputs_.push_back({text, type});
      out.launch.arguments.emplace_back(opencl::Buffer{bytes(items_ * kOutputs * kBytes[type], U32)});
    }
    for (const Type type : kTypes) {
      if (type != U32 && !chance(3)) continue;
      const u32 vector = chance(4) ? (chance(2) ? 4 : 2) : 1;
      const std::string text = fmt::format("in_{}", name_of(type));
      add(fmt::format("__global const {}{}* {}", name_of(type), vector == 1 ? "" : fmt::format("{}", vector), text));
      inputs_.push_back({text, type, vector, true});
      out.launch.arguments.emplace_back(opencl::Buffer{bytes(kElements * vector * kBytes[type], type), true});
    }
    if (chance(3)) {
      add("__global uint* counters");
      counters_ = true;
      out.launch.arguments.emplace_back(opencl::Buffer{bytes(kCounters * 4, U32)});
    }
    if (chance(4)) {
      add("__local uint* dynamic");
      dynamic_ = true;
      out.launch.arguments.emplace_back(opencl::Local{group_ * 4});
    }
    if (chance(4)) images(out);
    const u32 values = 1 + below(5);
    for (u32 n = 0; n < values; ++n) {
      const Type type = pick(kTypes);
      const u32 vector = chance(4) ? (chance(3) ? 4 : chance(2) ? 3 : 2) : 1;
      const std::string text = fmt::format("p{}", n);
      add(fmt::format("{}{} {}", name_of(type), vector == 1 ? "" : fmt::format("{}", vector), text));
      variables_.push_back({text, type, vector, true});
      out.launch.arguments.emplace_back(opencl::Value{bytes((vector == 3 ? 4 : vector) * kBytes[type], type)});
    }
    if (wide_) surroundings(out);
    const u32 functions = below(2);
    for (u32 n = 0; n < functions; ++n) function(n);
    line(fmt::format("__kernel {}void {}(OWN {}) {{", required_, name_, fmt::join(out.parameters, ", ")));
    ++indent_;
    if (tile_) {
      line(fmt::format("__local uint tile[{}];", group_));
      out.lds_bytes = 4 * group_;
    }
    line("const uint gid = item_id();");
    line("const uint lid = local_item();");
    variables_.push_back({"gid", U32, 1, true});
    variables_.push_back({"lid", U32, 1, true});
    const u32 declared = 2 + below(3);
    for (u32 n = 0; n < declared; ++n) declare();
    if (wide_) arrays(out);
    if (chance(6)) {  // in scratch memory, or in registers that are chosen
      line(fmt::format("uint own[8] = {{{}, {}}};", expression(U32, 1), expression(U32, 1)));
      array_ = "own";
    }
    const u32 sections = 1 + below(2);
    for (u32 n = 0; n < sections; ++n) {
      last_section_ = n + 1 == sections;
      statements(1 + below(4), 0);
      if (!last_section_ && (tile_ || dynamic_)) exchange();
      if (!last_section_ && wide_) together();
    }
    const u32 stores = 1 + below(4);
    for (u32 n = 0; n < stores; ++n) store(n);
    if (things_) store_thing();
    if (!written_.empty()) {
      line(fmt::format("write_{0}({0}_out, gid & {1}u, gid / {2}u, ({0}4)({3}, {4}, {5}, {6}));", written_,
                       kTexelsOut - 1, kTexelsOut, seen(written_), seen(written_), seen(written_), seen(written_)));
    }
    --indent_;
    line("}");
    out.source = functions_ + text_;
    return out;
  }

 private:
  u32 below(u32 n) { return static_cast<u32>(random_() >> 33) % n; }
  bool chance(u32 n) { return below(n) == 0; }
  template <class List>
  auto pick(const List& list) -> std::remove_cvref_t<decltype(list[0])> {
    return list[below(static_cast<u32>(std::size(list)))];
  }
  void line(const std::string& text) { text_ += std::string(indent_ * 2, ' ') + text + "\n"; }

  void shape(opencl::Launch& launch) {
    constexpr std::array<std::array<u32, 3>, 5> kGroups{{{64, 1, 1}, {128, 1, 1}, {16, 8, 1}, {64, 2, 1}, {8, 4, 4}}};
    const auto local = pick(kGroups);
    group_ = local[0] * local[1] * local[2];
    dimensions_ = local[2] > 1 ? 3 : local[1] > 1 ? 2 : 1;
    launch.dimensions = dimensions_;
    items_ = group_;
    for (u32 d = 0; d < 3; ++d) {
      const u32 groups = d < dimensions_ && (d == 0 || chance(3)) ? 1 + below(2) : 1;
      launch.local[d] = local[d];
      launch.global[d] = local[d] * groups;
      items_ *= groups;
    }
    if (chance(4)) {
      launch.offset[0] = below(5) * 3;
      offset_ = true;
    }
    if (chance(4)) {
      required_ = fmt::format("__attribute__((reqd_work_group_size({}, {}, {}))) ", local[0], local[1], local[2]);
    }
    tile_ = chance(2);
  }
  // Random bytes that make numbers of all sizes; floats of a middling size, now and then a special one.
  std::vector<std::byte> bytes(u32 count, Type type) {
    std::vector<std::byte> out(count);
    if (is_float(type)) {
      for (u32 at = 0; at + kBytes[type] <= count; at += kBytes[type]) {
        double value = (static_cast<double>(below(20001)) - 10000) / (1 + below(64));
        if (chance(16)) value = pick(std::array{0.0, -0.0, 1.0, 1e30, -1e-30, 0.5, 65536.0});
        const float single = static_cast<float>(value);
        if (type == F32)
          std::memcpy(out.data() + at, &single, 4);
        else
          std::memcpy(out.data() + at, &value, 8);
      }
      return out;
    }
    for (u32 at = 0; at < count; at += kBytes[type]) {
      u64 value = random_();
      if (chance(3)) value >>= below(64);
      if (chance(8)) value = ~value;
      for (u32 n = 0; n < kBytes[type] && at + n < count; ++n) out[at + n] = static_cast<std::byte>(value >> 8 * n);
    }
    return out;
  }

  // One of integers and one of floats to read, and one to write, of integers or floats: work-items have a texel each.
  void images(Program& out) {
    for (const Type type : {U32, F32}) {
      pictures_ = true;
      out.parameters.push_back(fmt::format("READ_IMAGE {}_in", name_of(type)));
      out.launch.arguments.emplace_back(picture(type, kTexelsIn, kTexelsIn, false));
    }
    out.parameters.emplace_back("SAMPLER nearest");
    out.launch.arguments.emplace_back(opencl::Sampler{
        false, static_cast<u32>(chance(2) ? CL_ADDRESS_CLAMP : CL_ADDRESS_CLAMP_TO_EDGE), CL_FILTER_NEAREST});
    written_ = name_of(chance(2) ? U32 : F32);
    out.parameters.push_back(fmt::format("WRITE_IMAGE {}_out", written_));
    out.launch.arguments.emplace_back(picture(written_ == "uint" ? U32 : F32, kTexelsOut, items_ / kTexelsOut, true));
  }
  opencl::Image picture(Type type, u32 width, u32 height, bool written) {
    constexpr u32 kComponents = 4;
    return {.kind = opencl::Image::Kind::D2,
            .size = {width, height, 1},
            .order = CL_RGBA,
            .type = static_cast<u32>(type == U32 ? CL_UNSIGNED_INT32 : CL_FLOAT),
            .bytes = bytes(width * height * kComponents * 4, type),
            .written = written};
  }
  // A component of a texel, now and then of one outside.
  std::string texel(Type type) {
    const Type held = chance(2) ? U32 : F32;
    const auto at = [&] {
      return fmt::format("({}) & {}u", chance(3) ? "gid" : expression(U32, 1),
                         chance(4) ? kTexelsIn * 2 - 1 : kTexelsIn - 1);
    };
    const std::string_view name = name_of(held);
    const std::string x = at(), y = at();
    const std::string read = chance(2) ? fmt::format("sample_{0}({0}_in, nearest, {1}, {2})", name, x, y)
                                       : fmt::format("load_{0}({0}_in, {1}, {2})", name, x, y);
    return converted(fmt::format("{}.{}", read, "xyzw"[below(4)]), held, type);
  }
  std::string seen(std::string_view type) {
    return type == "uint" ? expression(U32, 2) : fmt::format("same_float({})", expression(F32, 2));
  }

  // --- expressions ---------------------------------------------------------------------------------------------------

  std::string constant(Type type) {
    if (is_float(type)) {
      const std::string_view text = pick(std::array<std::string_view, 10>{"0.0", "1.0", "-1.0", "0.5", "2.0", "3.25",
                                                                          "-0.75", "100.5", "1e6", "1e-3"});
      return type == F32 ? fmt::format("{}f", text) : std::string(text);
    }
    u64 value = random_();
    const u32 bits = bits_of(type);
    switch (below(4)) {
      case 0: value = below(8); break;
      case 1:
        value = pick(std::array<u64, 10>{~0ull, 1ull << (bits - 1), (1ull << (bits - 1)) - 1, 255, 256, 31, 32, 63,
                                         0xffff, 0x80000000});
        break;
      case 2: value >>= below(64); break;
      default: break;
    }
    if (bits < 64) value &= (u64{1} << bits) - 1;
    return fmt::format("({})0x{:x}{}", name_of(type), value, bits == 64 ? "ul" : "u");
  }
  std::string converted(const std::string& text, Type from, Type to) {
    if (from == to) return text;
    if (!is_float(from) || is_float(to)) return fmt::format("({})({})", name_of(to), text);
    const std::string whole = fmt::format("{}_of_{}({})", is_signed(to) ? "long" : "ulong", name_of(from), text);
    return fmt::format("({}){}", name_of(to), whole);
  }
  std::string component(const Variable& v) {
    if (v.vector == 1) return v.name;
    return fmt::format("{}.{}", v.name, "xyzw"[below(v.vector)]);
  }
  std::string leaf(Type type) {
    if (!array_.empty() && chance(5))
      return converted(fmt::format("{}[({}) & 7u]", array_, chance(2) ? "lid" : expression(U32, 1)), U32, type);
    if (pictures_ && !in_function_ && chance(8)) return texel(type);
    if (wide_ && !in_function_ && chance(4)) return wide_leaf(type);
    switch (below(5)) {
      case 0: return constant(type);
      case 1:
        if (!inputs_.empty()) {
          const Variable in = pick(inputs_);
          const std::string index = fmt::format("({}) & {}u", chance(2) ? "gid" : expression(U32, 1), kElements - 1);
          const Variable element{fmt::format("{}[{}]", in.name, index), in.type, in.vector, true};
          return converted(component(element), in.type, type);
        }
        [[fallthrough]];
      default: {
        std::vector<Variable> same;
        for (const Variable& v : variables_)
          if (v.type == type) same.push_back(v);
        const Variable v = !same.empty() && !chance(4) ? pick(same) : pick(variables_);
        return converted(component(v), v.type, type);
      }
    }
  }
  std::string condition(u32 depth) {
    if (depth > 0 && chance(4))
      return fmt::format("({} {} {})", condition(depth - 1), chance(2) ? "&&" : "||", condition(depth - 1));
    if (chance(8)) return fmt::format("!{}", condition(depth == 0 ? 0 : depth - 1));
    const Type type = pick(kTypes);
    constexpr std::array<std::string_view, 6> kCompare{"<", "<=", ">", ">=", "==", "!="};
    return fmt::format("({} {} {})", expression(type, depth), pick(kCompare), expression(type, depth));
  }
  std::string expression(Type type, u32 depth) {
    if (depth == 0) return leaf(type);
    if (chance(6)) {
      const Type from = pick(kTypes);
      return converted(expression(from, depth - 1), from, type);
    }
    if (chance(8))
      return fmt::format("({} ? {} : {})", condition(depth - 1), expression(type, depth - 1),
                         expression(type, depth - 1));
    if (is_float(type)) return float_expression(type, depth);
    if (wide_ && chance(6)) return quotient(type, depth);
    if (chance(10) && !calls_.empty()) return call(type, depth);
    const std::string_view name = name_of(type);
    const bool wide = bits_of(type) == 64;
    // Signed numbers wrap as unsigned ones do.
    const std::string_view word = wide ? "ulong" : "uint";
    const auto a = [&] { return fmt::format("({})({})", word, expression(type, depth - 1)); };
    const std::string count = fmt::format("(({}) & {}u)", expression(U32, depth - 1), bits_of(type) - 1);
    switch (below(19)) {
      case 0:
      case 1:
      case 2: return fmt::format("({})({} + {})", name, a(), a());
      case 3:
      case 4: return fmt::format("({})({} - {})", name, a(), a());
      case 5:
      case 6: return fmt::format("({})({} * {})", name, a(), a());
      case 7: return fmt::format("({})({} & {})", name, a(), a());
      case 8: return fmt::format("({})({} | {})", name, a(), a());
      case 9: return fmt::format("({})({} ^ {})", name, a(), a());
      case 10: return fmt::format("({})({} << {})", name, a(), count);
      case 11: return fmt::format("({})(({})({}) >> {})", name, name, expression(type, depth - 1), count);
      case 12: {
        const bool remainder = chance(2);
        if (is_signed(type))
          return fmt::format("({})(({})({}) {} (({} & 0x7f) | 1))", name, name, expression(type, depth - 1),
                             remainder ? "%" : "/", expression(I32, depth - 1));
        // Without their highest bit: clang 19 divides numbers that were made longer by their sign as if they were
        // short, which is right for signed ones only (getDivNumBits of AMDGPUCodeGenPrepare).
        return fmt::format("({0})(({1} & {3}) {4} (({2} & {3}) | 1u))", name, a(), a(),
                           wide ? "0x7ffffffffffffffful" : "0x7fffffffu", remainder ? "%" : "/");
      }
      case 13: return fmt::format("({})~{}", name, a());
      case 14: {
        const std::string x = expression(type, depth - 1), y = expression(type, depth - 1);
        return fmt::format("({0})({1} {3} {2} ? {1} : {2})", name, x, y, chance(2) ? "<" : ">");
      }
      case 15:
        return fmt::format("({})bits_of_{}({})", name, wide ? "double" : "float",
                           expression(wide ? F64 : F32, depth - 1));
      case 16: return fmt::format("({})popcount_32((uint)({}))", name, expression(type, depth - 1));
      case 17:
        return fmt::format("({})mul_high((uint)({}), (uint)({}))", name, expression(U32, depth - 1),
                           expression(U32, depth - 1));
      default:
        if (chance(2)) return fmt::format("({})leading_zeros((uint)({}) | 1u)", name, expression(U32, depth - 1));
        return fmt::format("({})rotate_left({}, {}u)", name, expression(U32, depth - 1), 1 + below(31));
    }
  }
  std::string float_expression(Type type, u32 depth) {
    const auto a = [&] { return expression(type, depth - 1); };
    const std::string_view name = name_of(type);
    switch (below(10)) {
      case 0:
      case 1: return fmt::format("({} + {})", a(), a());
      case 2:
      case 3: return fmt::format("({} - {})", a(), a());
      case 4:
      case 5: return fmt::format("({} * {})", a(), a());
      case 6: return fmt::format("fma_{}({}, {}, {})", name, a(), a(), a());
      case 7: return fmt::format("(-({}))", a());
      case 8: return fmt::format("abs_{}({})", name, a());
      default:
        if (type == F64 && chance(2)) return fmt::format("({} / {})", a(), a());
        return fmt::format("floor_{}({})", name, a());
    }
  }
  std::string call(Type type, u32 depth) {
    const auto function = pick(calls_);
    std::string arguments;
    for (const Type parameter : function.parameters)
      arguments += (arguments.empty() ? "" : ", ") + expression(parameter, depth - 1);
    return converted(fmt::format("{}({})", function.name, arguments), function.result, type);
  }

  // --- statements ----------------------------------------------------------------------------------------------------

  void function(u32 n) {
    const std::vector<Variable> outside = std::move(variables_), inputs = std::move(inputs_);
    variables_.clear();
    inputs_.clear();
    std::swap(functions_, text_);
    Function f{.name = fmt::format("{}_f{}", name_, n), .result = pick(kTypes), .parameters = {}};
    std::string parameters;
    const u32 count = 1 + below(3);
    for (u32 k = 0; k < count; ++k) {
      f.parameters.push_back(pick(kTypes));
      variables_.push_back({fmt::format("a{}", k), f.parameters.back(), 1, false});
      parameters += fmt::format("{}{} a{}", k == 0 ? "" : ", ", name_of(f.parameters.back()), k);
    }
    const char* const how = wide_ && chance(3) ? "CALLED" : "INLINE";
    line(fmt::format("{} {} {}({}) {{", how, name_of(f.result), f.name, parameters));
    ++indent_;
    in_function_ = true;
    const std::string value = expression(f.result, 2);
    if (chance(2)) line(fmt::format("if ({}) return {};", condition(1), value));
    statements(1 + below(2), 1);
    line(fmt::format("return {};", expression(f.result, 2)));
    in_function_ = false;
    --indent_;
    line("}");
    std::swap(functions_, text_);
    variables_ = outside;
    inputs_ = inputs;
    calls_.push_back(std::move(f));
  }
  void declare() {
    const Type type = pick(kTypes);
    const u32 vector = chance(5) ? (chance(2) ? 4 : 2) : 1;
    const std::string name = fmt::format("v{}", ++names_);
    if (vector == 1) {
      line(fmt::format("{} {} = {};", name_of(type), name, expression(type, 2)));
    } else {
      std::string list;
      for (u32 n = 0; n < vector; ++n) list += (n == 0 ? "" : ", ") + expression(type, 1);
      line(fmt::format("{0}{1} {2} = ({0}{1})({3});", name_of(type), vector, name, list));
    }
    variables_.push_back({name, type, vector, false});
  }
  void assign() {
    if (!array_.empty() && chance(4))
      return line(fmt::format("{}[({}) & 7u] = {};", array_, expression(U32, 1), expression(U32, 2)));
    std::vector<Variable> open;
    for (const Variable& v : variables_)
      if (!v.constant) open.push_back(v);
    if (open.empty()) return declare();
    const Variable v = pick(open);
    if (v.vector > 1 && chance(2)) {
      const std::string_view op = is_float(v.type) || !is_signed(v.type) ? "+" : "^";
      const std::string other = expression(v.type, 1);
      return line(fmt::format("{0} = {0} {1} ({2}{3})({4});", v.name, op, name_of(v.type), v.vector, other));
    }
    line(fmt::format("{} = {};", component(v), expression(v.type, 2)));
  }
  void statements(u32 count, u32 depth) {
    const std::size_t scope = variables_.size();
    for (u32 n = 0; n < count; ++n) statement(depth);
    if (depth > 0) variables_.resize(scope);
  }
  void body(u32 depth) {
    ++indent_;
    statements(1 + below(2), depth + 1);
    --indent_;
  }
  void statement(u32 depth) {
    if (wide_ && !in_function_ && chance(3)) return wide_statement(depth);
    const u32 kind = below(14);
    if (depth < 2 && kind < 3) {
      line(fmt::format("if ({}) {{", condition(1)));
      body(depth);
      if (chance(2)) {
        line("} else {");
        body(depth);
      }
      return line("}");
    }
    if (depth < 2 && kind == 3) return loop(depth);
    if (depth < 2 && kind == 4) return choice(depth);
    if (depth == 0 && kind == 5 && last_section_ && !in_function_ && chance(2))
      return line(fmt::format("if ({}) return;", condition(1)));
    if (kind == 6 && !in_function_) return store(below(kOutputs));
    if (kind == 7 && counters_ && !in_function_) return atomic();
    if (kind == 8) return declare();
    assign();
  }
  void loop(u32 depth) {
    const std::string i = fmt::format("i{}", ++names_);
    const std::string limit = chance(2)   ? fmt::format("{}u", 1 + below(6))
                              : chance(2) ? fmt::format("(({}) & 7u)", expression(U32, 2))
                                          : fmt::format("({} & 3u)", uniform());
    const bool backwards = chance(4);
    if (in_function_)
      line(fmt::format("for (uint {0} = 0; {0} < {1}u; ++{0}) {{", i, 1 + below(4)));
    else if (backwards)
      line(fmt::format("for (uint {0} = {1}; {0} > 0u; --{0}) {{", i, limit));
    else
      line(fmt::format("for (uint {0} = 0, {0}_end = {1}; {0} < {0}_end; ++{0}) {{", i, limit));
    variables_.push_back({i, U32, 1, true});
    ++indent_;
    if (chance(3)) line(fmt::format("if ({}) {};", condition(1), chance(2) ? "break" : "continue"));
    --indent_;
    body(depth);
    if (chance(4)) {
      ++indent_;
      line(fmt::format("if ({}) break;", condition(1)));
      --indent_;
    }
    variables_.pop_back();
    line("}");
  }
  // A number that is the same for all work-items.
  std::string uniform() const {
    const auto p0 = std::ranges::find(variables_, "p0", &Variable::name);
    if (p0 == variables_.end() || is_float(p0->type)) return "global_size(x)";
    return fmt::format("(uint)p0{}", p0->vector > 1 ? ".x" : "");
  }
  void choice(u32 depth) {
    const u32 cases = 2 + below(4);
    line(fmt::format("switch (({}) & 7u) {{", expression(U32, 1)));
    ++indent_;
    for (u32 n = 0; n < cases; ++n) {
      line(fmt::format("case {}: {{", n));
      body(depth);
      line(chance(4) ? "}" : "} break;");
    }
    line("default: {");
    body(depth);
    line("}");
    --indent_;
    line("}");
  }
  void store(u32 slot) {
    const Variable out = pick(outputs_);
    const std::string value = expression(out.type, 2);
    const std::string index =
        chance(4) ? fmt::format("(({}) & {}u)", expression(U32, 1), kOutputs - 1) : fmt::format("{}u", slot % kOutputs);
    const std::string seen = is_float(out.type) ? fmt::format("same_{}({})", name_of(out.type), value) : value;
    line(fmt::format("{}[gid * {}u + {}] = {};", out.name, kOutputs, index, seen));
  }
  void atomic() {
    // One operation for all: they commute.
    static constexpr std::array<std::string_view, 6> kOperations{"add", "sub", "min", "max", "or", "xor"};
    if (operation_.empty()) operation_ = pick(kOperations);
    if (operation_ == "sub") operation_ = "add";
    line(fmt::format("atomic_{}_32(&counters[({}) & {}u], {});", operation_,
                     chance(2) ? "gid" : fmt::format("gid + {}", expression(U32, 1)), kCounters - 1,
                     expression(U32, 2)));
  }
  // Values of others through local memory.
  void exchange() {
    const std::string memory = tile_ && (!dynamic_ || chance(2)) ? "tile" : "dynamic";
    line(fmt::format("{}[lid] = {};", memory, expression(U32, 2)));
    line("group_barrier();");
    const std::string name = fmt::format("v{}", ++names_);
    line(fmt::format("uint {} = {}[({}) & {}u];", name, memory,
                     chance(2) ? fmt::format("lid + {}u", 1 + below(64)) : expression(U32, 2), group_ - 1));
    line("group_barrier();");
    variables_.push_back({name, U32, 1, false});
  }

  // --- of the wider grammar ------------------------------------------------------------------------------------------

  // What stands outside of the kernel: a table, a structure and a buffer of such.
  void surroundings(Program& out) {
    if (chance(2)) {
      const Type type = pick(std::array{U8, U16, U32, U64, F32});
      const u32 size = pick(kSizes);
      std::string list;
      for (u32 n = 0; n < size; ++n) list += (n == 0 ? "" : ", ") + constant(type);
      table_ = {fmt::format("{}_table", name_), type, size};
      functions_ += fmt::format("__constant {} {}[{}] = {{{}}};\n", name_of(type), table_->name, size, list);
    }
    if (!chance(2)) return;
    constexpr u32 kThing = 24;  // bytes
    things_ = true;
    functions_ += fmt::format("struct {}_thing {{ uint a; float b; ulong c; uchar4 d; short e[2]; }};\n", name_);
    out.parameters.push_back(fmt::format("__global struct {}_thing* things", name_));
    std::vector<std::byte> all = bytes(items_ * kThing, U32);
    for (u32 n = 0; n < items_; ++n) std::ranges::copy(bytes(4, F32), all.begin() + n * kThing + 4);
    out.launch.arguments.emplace_back(opencl::Buffer{std::move(all)});
  }
  // Those of a work-item, and one of the group.
  void arrays(Program& out) {
    const u32 count = below(3);
    for (u32 n = 0; n < count; ++n) {
      const Array array{fmt::format("own{}", n), pick(std::array{U8, I16, U32, U32, U64, F32, F32}), pick(kSizes)};
      const u32 given = 1 + below(4);  // the others are zeros
      std::string list;
      for (u32 k = 0; k < given; ++k) list += (k == 0 ? "" : ", ") + expression(array.type, 1);
      line(fmt::format("{} {}[{}] = {{{}}};", name_of(array.type), array.name, array.size, list));
      arrays_.push_back(array);
    }
    if (chance(2)) {
      const Type type = pick(std::array{U8, U16, U32, U32, U64, F32});
      shared_ = type;
      line(fmt::format("__local {} shared[{}];", name_of(type), group_));
      out.lds_bytes += group_ * kBytes[type];
    }
  }
  std::string index_in(u32 size) {
    const std::string index = chance(3) ? (chance(2) ? "lid" : "gid") : expression(U32, 1);
    if (std::has_single_bit(size) && chance(2)) return fmt::format("({}) & {}u", index, size - 1);
    return fmt::format("({}) % {}u", index, size);
  }
  std::string element(const Array& array, Type type) {
    return converted(fmt::format("{}[{}]", array.name, index_in(array.size)), array.type, type);
  }
  std::string wide_leaf(Type type) {
    const u32 kind = below(4);
    if (kind == 0 && table_) return element(*table_, type);
    if (kind < 2 && things_) {
      constexpr std::array<std::pair<std::string_view, Type>, 6> kMembers{
          {{"a", U32}, {"b", F32}, {"c", U64}, {"d.z", U8}, {"e[0]", I16}, {"e[lid & 1u]", I16}}};
      const auto [member, of] = pick(kMembers);
      return converted(fmt::format("things[gid].{}", member), of, type);
    }
    return arrays_.empty() ? constant(type) : element(pick(arrays_), type);
  }
  // By constants and by others; nothing divides by zero, and no quotient is too large.
  std::string quotient(Type type, u32 depth) {
    const Type in = chance(3) ? U64 : chance(2) ? U32 : I32;
    const std::string_view name = name_of(in), op = chance(2) ? "/" : "%";
    // Compilers of LLVM 19 and before divide too few bits of unsigned numbers of which they know that all upper bits
    // are set.
    std::string a = fmt::format("({})({})", name, expression(type, depth - 1));
    if (in != I32) a = fmt::format("(rotate_left((uint){}, 9u) >> 1)", a);
    if (in == U64) a = fmt::format("((ulong){} << 32 | {})", a, expression(U32, depth - 1));
    std::string by = fmt::format("({}){}u", name, 2 + (chance(3) ? below(1u << 30) : below(100)));
    if (chance(4)) by = fmt::format("((({})({}) & ({})0x7fffu) + 1u)", name, expression(in, depth - 1), name);
    // `I32` with an unsigned number would be unsigned.
    if (in == I32) by = fmt::format("(int)({})", by);
    return converted(fmt::format("({} {} {})", a, op, by), in, type);
  }
  void wide_statement(u32 depth) {
    const u32 kind = below(depth < 2 ? 6 : 3);
    if (kind == 0 && !arrays_.empty()) {
      const Array array = pick(arrays_);
      return line(fmt::format("{}[{}] = {};", array.name, index_in(array.size), expression(array.type, 2)));
    }
    if (kind < 2) return choose_buffer();
    if (kind == 2) return change_places();
    if (kind == 3 && !arrays_.empty()) return fill(depth);
    count_down(depth);
  }
  // A pointer to one of the halves of a buffer.
  void choose_buffer() {
    if (inputs_.empty()) return assign();
    const Variable in = pick(inputs_);
    const std::string p = fmt::format("q{}", ++names_), name = fmt::format("v{}", names_);
    const Variable element{fmt::format("{}[({}) & {}u]", p, expression(U32, 1), kElements / 2 - 1), in.type, in.vector,
                           true};
    line(fmt::format("__global const {}{}* {} = {} ? {} : {} + {};", name_of(in.type),
                     in.vector == 1 ? "" : fmt::format("{}", in.vector), p, condition(1), in.name, in.name,
                     kElements / 2));
    line(fmt::format("{} {} = {};", name_of(in.type), name, component(element)));
    variables_.push_back({name, in.type, 1, false});
  }
  void change_places() {
    const Type type = pick(std::array{U32, F32, U8, U16});
    const std::string name = fmt::format("v{}", ++names_);
    std::string list;
    for (u32 n = 0; n < 4; ++n) list += (n == 0 ? "" : ", ") + expression(type, 1);
    constexpr std::array<std::string_view, 4> kOrders{"wzyx", "yxwz", "xxzw", "zwxy"};
    line(fmt::format("{0}4 {1} = ({0}4)({2}).{3};", name_of(type), name, list, pick(kOrders)));
    if (chance(2))
      line(
          fmt::format("{0} = ({0}.{1} + {0}) * ({2}4)({3});", name, pick(kOrders), name_of(type), expression(type, 1)));
    variables_.push_back({name, type, 4, false});
  }
  void fill(u32 depth) {
    const Array array = pick(arrays_);
    const std::string i = fmt::format("i{}", ++names_);
    line(fmt::format("for (uint {0} = 0; {0} < {1}u; ++{0}) {{", i, array.size));
    variables_.push_back({i, U32, 1, true});
    ++indent_;
    const std::string from = chance(2) ? i : fmt::format("{} - 1u - {}", array.size, i);
    line(fmt::format("{}[{}] = {};", array.name, from, expression(array.type, 2)));
    if (chance(2)) body(depth);
    --indent_;
    variables_.pop_back();
    line("}");
  }
  // A loop whose turns a number decides that changes in each.
  void count_down(u32 depth) {
    const std::string i = fmt::format("i{}", ++names_), x = fmt::format("v{}", names_);
    line(fmt::format("uint {} = {};", x, expression(U32, 1)));
    variables_.push_back({x, U32, 1, true});
    const bool tested = chance(2);
    line(tested ? fmt::format("for (uint {0} = 0; {0} < 12u && {1}; ++{0}) {{", i, condition(1))
                : fmt::format("for (uint {0} = 0; {1} > 2u && {0} < 40u; ++{0}) {{", i, x));
    ++indent_;
    line(fmt::format("{0} = {0} & 1u ? {0} * 3u + 1u : {0} >> {1};", x, 1 + below(3)));
    --indent_;
    body(depth);
    line("}");
  }
  void store_thing() {
    line(fmt::format("things[gid].{};", chance(2)   ? fmt::format("a = {}", expression(U32, 2))
                                        : chance(2) ? fmt::format("b = same_float({})", expression(F32, 2))
                                                    : fmt::format("c = {}", expression(U64, 2))));
    if (chance(3)) line(fmt::format("things[gid].d = (uchar4)({0}, {1}, {0}, {1});", "gid", expression(U8, 1)));
    if (chance(3)) line(fmt::format("things[gid].e[{}] = {};", chance(2) ? "1" : "gid & 1u", expression(I16, 1)));
  }
  // What a group does by means of local memory.
  void together() {
    if (!shared_) return;
    const Type type = *shared_;
    const std::string name = fmt::format("v{}", ++names_);
    const std::string_view of = name_of(type);
    switch (below(type == U32 ? 3 : 2)) {
      case 0: {  // a sum by halves, or a maximum
        line(fmt::format("shared[lid] = {};",
                         is_float(type) ? fmt::format("same_float({})", expression(type, 1)) : expression(type, 2)));
        line("group_barrier();");
        line(fmt::format("for (uint s = {}u; s > 0u; s >>= 1) {{", group_ / 2));
        const bool most = chance(2);
        const std::string a = "shared[lid]", b = "shared[lid + s]";
        line("  if (lid < s)");
        line(most ? fmt::format("    {0} = {0} > {1} ? {0} : {1};", a, b) : fmt::format("    {0} += {1};", a, b));
        line("  group_barrier();");
        line("}");
        line(fmt::format("{} {} = shared[{}];", of, name, chance(2) ? "0" : "lid & 3u"));
        line("group_barrier();");
        break;
      }
      case 1: {  // rounds
        line(fmt::format("{} {} = {};", of, name, expression(type, 1)));
        line(fmt::format("for (uint s = 0; s < ({} & 3u) + 1u; ++s) {{", uniform()));
        ++indent_;
        line(fmt::format("shared[lid] = {};", name));
        line("group_barrier();");
        line(fmt::format("{0} = shared[(lid + s * {1}u + 1u) % {2}u];", name, 1 + below(5), group_));
        if (chance(2)) line(fmt::format("if ({}) {} = {};", condition(1), name, expression(type, 1)));
        line("group_barrier();");
        --indent_;
        line("}");
        break;
      }
      default:  // numbers of kinds
        line("shared[lid] = 0u;");
        line("group_barrier();");
        line(fmt::format("if ({}) atomic_add_32(&shared[({}) % {}u], {});", condition(1), expression(U32, 1), group_,
                         chance(2) ? "1u" : expression(U32, 1)));
        line("group_barrier();");
        line(fmt::format("{} {} = shared[lid];", of, name));
        line("group_barrier();");
    }
    variables_.push_back({name, type, 1, false});
  }

  static constexpr std::array<u32, 6> kSizes{3, 4, 5, 8, 16, 20};
  struct Function {
    std::string name;
    Type result;
    std::vector<Type> parameters;
  };
  std::mt19937_64 random_;
  std::string name_, text_, functions_, required_, operation_, array_;
  std::string written_;  // the type of the texels that are
  std::vector<Variable> variables_, inputs_, outputs_;
  std::vector<Function> calls_;
  u32 indent_ = 0, names_ = 0, group_ = 64, items_ = 64, dimensions_ = 1;
  bool counters_ = false, dynamic_ = false, tile_ = false, offset_ = false, in_function_ = false;
  bool last_section_ = false, pictures_ = false, wide_ = false, things_ = false;
  std::vector<Array> arrays_;
  std::optional<Array> table_;
  std::optional<Type> shared_;  // of the elements of the group's array
};

}  // namespace

const char* random_header() {
  return R"(#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define INLINE static inline __attribute__((always_inline))
#define CALLED static __attribute__((noinline))
#ifdef OWN_IDS
#define OWN uint4 own_group, uint4 own_local, uint4 own_size, uint4 own_global,
#define local_id(d) own_local.d
#define local_size(d) own_size.d
#define group_id(d) own_group.d
#define global_size(d) own_global.d
#define READ_IMAGE uint8
#define WRITE_IMAGE uint8
#define SAMPLER uint4
#define RESOURCE(image) (image)
#define STATE(sampler) (sampler)
#else
#define OWN
#define READ_IMAGE read_only image2d_t
#define WRITE_IMAGE write_only image2d_t
#define SAMPLER sampler_t
#define RESOURCE(image) (*__builtin_astype(image, const __constant uint8*))
#define STATE(sampler) (*__builtin_astype(sampler, const __constant uint4*))
#endif
#ifdef __AMDGCN__
#ifndef OWN_IDS
#define local_id(d) __builtin_amdgcn_workitem_id_##d()
#define local_size(d) __builtin_amdgcn_workgroup_size_##d()
#define group_id(d) __builtin_amdgcn_workgroup_id_##d()
#define global_size(d) __builtin_amdgcn_grid_size_##d()
#endif
INLINE void group_barrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#define atomic_add_32(p, v) __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define atomic_min_32(p, v) __atomic_fetch_min(p, v, __ATOMIC_RELAXED)
#define atomic_max_32(p, v) __atomic_fetch_max(p, v, __ATOMIC_RELAXED)
#define atomic_or_32(p, v) __atomic_fetch_or(p, v, __ATOMIC_RELAXED)
#define atomic_xor_32(p, v) __atomic_fetch_xor(p, v, __ATOMIC_RELAXED)
#define fma_float __builtin_fmaf
#define fma_double __builtin_fma
#define floor_float __builtin_floorf
#define floor_double __builtin_floor
#define abs_float __builtin_fabsf
#define abs_double __builtin_fabs
float4 image_load(uint components, uint x, uint y, uint8 image, int, int) __asm("llvm.amdgcn.image.load.2d.v4f32.i32");
float4 image_sample(uint components, float x, float y, uint8 image, uint4 sampler, bool unnormalized, int, int)
    __asm("llvm.amdgcn.image.sample.lz.2d.v4f32.f32");
void image_store(float4 texel, uint components, uint x, uint y, uint8 image, int, int)
    __asm("llvm.amdgcn.image.store.2d.v4f32.i32");
#define load_float(image, x, y) image_load(15, x, y, RESOURCE(image), 0, 0)
#define sample_float(image, sampler, x, y) \
  image_sample(15, (float)((x) & 255u), (float)((y) & 255u), RESOURCE(image), STATE(sampler), false, 0, 0)
#define load_uint(image, x, y) as_uint4(load_float(image, x, y))
#define sample_uint(image, sampler, x, y) as_uint4(sample_float(image, sampler, x, y))
#define write_float(image, x, y, texel) image_store(texel, 15, x, y, RESOURCE(image), 0, 0)
#define write_uint(image, x, y, texel) write_float(image, x, y, as_float4(texel))
#else
const sampler_t zero_outside = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
#define AT(x, y) (int2)((int)(x), (int)(y))
#define load_float(image, x, y) read_imagef(image, zero_outside, AT(x, y))
#define sample_float(image, sampler, x, y) read_imagef(image, sampler, AT(x, y))
#define load_uint(image, x, y) read_imageui(image, zero_outside, AT(x, y))
#define sample_uint(image, sampler, x, y) read_imageui(image, sampler, AT(x, y))
#define write_float(image, x, y, texel) write_imagef(image, AT(x, y), texel)
#define write_uint(image, x, y, texel) write_imageui(image, AT(x, y), texel)
#define DIMENSION_x 0
#define DIMENSION_y 1
#define DIMENSION_z 2
#define local_id(d) ((uint)get_local_id(DIMENSION_##d))
#define local_size(d) ((uint)get_local_size(DIMENSION_##d))
#define group_id(d) ((uint)get_group_id(DIMENSION_##d))
#define global_size(d) ((uint)get_global_size(DIMENSION_##d))
#define group_barrier() barrier(CLK_LOCAL_MEM_FENCE)
#define atomic_add_32(p, v) atomic_add(p, v)
#define atomic_min_32(p, v) atomic_min(p, v)
#define atomic_max_32(p, v) atomic_max(p, v)
#define atomic_or_32(p, v) atomic_or(p, v)
#define atomic_xor_32(p, v) atomic_xor(p, v)
#define fma_float fma
#define fma_double fma
#define floor_float floor
#define floor_double floor
#define abs_float fabs
#define abs_double fabs
#endif
#define local_item() ((local_id(z) * local_size(y) + local_id(y)) * local_size(x) + local_id(x))
#define item_in(d) (group_id(d) * local_size(d) + local_id(d))
#define item_id() ((item_in(z) * global_size(y) + item_in(y)) * global_size(x) + item_in(x))
INLINE float same_float(float x) { return x != x ? as_float(0x7fc00000u) : x; }
INLINE double same_double(double x) { return x != x ? as_double(0x7ff8000000000000ul) : x; }
INLINE uint bits_of_float(float x) { return as_uint(same_float(x)); }
INLINE ulong bits_of_double(double x) { return as_ulong(same_double(x)); }
INLINE long long_of_float(float x) { return x > -1e9f && x < 1e9f ? (long)(int)x : 0; }
INLINE ulong ulong_of_float(float x) { return x >= 0.0f && x < 4e9f ? (ulong)(uint)x : 0; }
INLINE long long_of_double(double x) { return x > -1e9 && x < 1e9 ? (long)(int)x : 0; }
INLINE ulong ulong_of_double(double x) { return x >= 0.0 && x < 4e9 ? (ulong)(uint)x : 0; }
INLINE uint popcount_32(uint x) { return (uint)__builtin_popcount(x); }
INLINE uint leading_zeros(uint x) { return (uint)__builtin_clz(x); }
INLINE uint mul_high(uint a, uint b) { return (uint)(((ulong)a * b) >> 32); }
INLINE uint rotate_left(uint x, uint n) { return x << n | x >> (32u - n); }
)";
}

Program random_program(u64 seed, const std::string& name) { return Maker(seed, name).run(seed); }

}  // namespace amdcompat_test::random
