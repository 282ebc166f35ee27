#include "small_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <regex>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace amdcompat_test::small {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct Type {
  std::string_view name;
  Element element;
  u32 bytes;
  [[nodiscard]] bool is_float() const { return element >= Element::F16; }
  [[nodiscard]] bool is_signed() const { return !is_float() && static_cast<unsigned>(element) % 2 == 0; }
};
constexpr Type kTypes[] = {
    {"char", Element::I8, 1},  {"uchar", Element::U8, 1},  {"short", Element::I16, 2},  {"ushort", Element::U16, 2},
    {"int", Element::I32, 4},  {"uint", Element::U32, 4},  {"long", Element::I64, 8},   {"ulong", Element::U64, 8},
    {"half", Element::F16, 2}, {"float", Element::F32, 4}, {"double", Element::F64, 8},
};
const Type* type_named(std::string_view name) {
  if (name == "size_t") name = "ulong";
  if (name == "bool") name = "uchar";
  if (name == "ptrdiff_t") name = "long";
  const auto found = std::ranges::find(kTypes, name, &Type::name);
  return found == std::end(kTypes) ? nullptr : found;
}

constexpr u32 kNumbers = 2080;  // of a buffer

// Numbers of one type, of a kind that a parameter's name asks for.
class Numbers {
 public:
  explicit Numbers(u64 seed) : random_(seed * 0x9e37'79b9'7f4a'7c15 + 7) {}

  std::vector<std::byte> bytes(const Type& type, std::string_view name, u32 count) {
    std::vector<std::byte> out(std::size_t{count} * type.bytes);
    for (u32 n = 0; n < count; ++n) {
      const u64 bits = number(type, name);
      std::memcpy(out.data() + std::size_t{n} * type.bytes, &bits, type.bytes);
    }
    return out;
  }

 private:
  u64 below(u64 n) { return (random_() >> 16) % n; }

  u64 number(const Type& type, std::string_view name) {
    if (name.starts_with("zero_")) return 0;
    const std::size_t line = name.find('_');
    const Type* const within = line == std::string_view::npos ? nullptr : type_named(name.substr(0, line));
    if (name.starts_with("small_")) return whole(type, static_cast<double>(below(32)));
    if (name.starts_with("index_")) return whole(type, static_cast<double>(below(64)));
    if (type.is_float()) {
      if (name.starts_with("unit_")) return real(type, static_cast<double>(below(2'000'001)) / 1e6 - 1);
      if (within != nullptr && !within->is_float()) return real(type, inside(*within, type));
      return name.starts_with("plain_") ? real(type, usual()) : special(type);
    }
    u64 value = integer(type);
    if (name.starts_with("in24_")) {
      value &= 0xffffff;
      if (type.is_signed() && (value & 0x800000) != 0) value |= ~u64{0xffffff};
    }
    return value;
  }
  static u64 whole(const Type& type, double value) {
    return type.is_float() ? real(type, value) : static_cast<u64>(value);
  }
  static u64 real(const Type& type, double value) {
    u64 bits = 0;
    if (type.element == Element::F64) {
      std::memcpy(&bits, &value, 8);
    } else if (type.element == Element::F32) {
      const float single = static_cast<float>(value);
      std::memcpy(&bits, &single, 4);
    } else {
      const _Float16 half = static_cast<_Float16>(value);
      std::memcpy(&bits, &half, 2);
    }
    return bits;
  }
  double usual() {
    const double value = static_cast<double>(below(2'000'001)) - 1e6;
    return value / static_cast<double>(u64{1} << below(24));
  }
  // A float that converts to an integer type with a defined result, halves and neighbours of halves among them.
  double inside(const Type& type, const Type& stored) {
    const u32 bits = type.bytes * 8;
    const double top = std::ldexp(1.0, static_cast<int>(bits) - (type.is_signed() ? 1 : 0));
    const double lowest = type.is_signed() ? -top : 0.0;
    double value = 0;
    switch (below(6)) {
      case 0: value = static_cast<double>(below(41)) / 4 - 5; break;
      case 1: value = static_cast<double>(below(2001)) / 2 - 500; break;
      case 2: value = lowest; break;
      case 3: value = (static_cast<double>(below(1u << 20)) / (1u << 20)) * top; break;
      case 4: value = -(static_cast<double>(below(1u << 20)) / (1u << 20)) * top; break;
      default: value = std::ldexp(static_cast<double>(below(1u << 24)), -static_cast<int>(below(24))); break;
    }
    // One of fewer bits must not become the first that is too large; nor may rounding up.
    const double room = stored.element == Element::F64 ? std::ldexp(top, -50) : std::ldexp(top, -10);
    return std::clamp(value, lowest, top - std::max(1.0, room));
  }
  u64 special(const Type& type) {
    const int mantissa = type.element == Element::F64 ? 52 : type.element == Element::F32 ? 23 : 10;
    const int exponent = type.element == Element::F64 ? 11 : type.element == Element::F32 ? 8 : 5;
    const u64 one = u64{1} << mantissa, infinity = ((u64{1} << exponent) - 1) << mantissa;
    const u64 sign = below(2) << (mantissa + exponent);
    switch (below(16)) {
      case 0:
        return sign |
               std::array<u64, 12>{0,       0,   infinity,     infinity,    infinity | (one >> 1), 1,
                                   one - 1, one, infinity - 1, one / 2 + 1, infinity - one,        one + 1}[below(12)];
      case 1:
        return real(type, std::array{0.5, -0.5, 1.0, -1.0, 1.5, -1.5, 2.0, 2.5, -2.5, 3.0, 0.25, 10.0, 100.0,
                                     -100.0}[below(14)]);
      case 2: return real(type, static_cast<double>(below(201)) - 100);
      case 3: return real(type, std::ldexp(1.0, static_cast<int>(below(24)) - 12));
      case 4: return real(type, (static_cast<double>(below(401)) - 200) * 0.78539816339744831);
      case 5: return sign | (below(infinity >> mantissa) << mantissa) | (random_() & (one - 1));
      default: return real(type, usual());
    }
  }
  u64 integer(const Type& type) {
    const u32 bits = type.bytes * 8;
    const u64 top = u64{1} << (bits - 1);
    switch (below(6)) {
      case 0: return std::array<u64, 10>{0, 1, ~u64{0}, top, top - 1, top + 1, 2, 3, 0x55, 7}[below(10)];
      case 1: return u64{1} << below(bits);
      case 2: return below(256) - 128;
      case 3: return random_() >> below(64);
      default: return random_();
    }
  }

  std::mt19937_64 random_;
};

u64 hash(std::string_view text) {
  u64 value = 0xcbf2'9ce4'8422'2325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3;
  return value;
}

std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>>& by) {
  for (const auto& [from, to] : by)
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  return text;
}

struct Parameter {
  std::string space;  // "" of a value
  std::string type, name;
  u32 width = 1;
  bool pointer = false, constant = false;
};

std::vector<Parameter> parameters_of(const std::string& list) {
  std::vector<Parameter> out;
  std::istringstream in(list);
  for (std::string one; std::getline(in, one, ',');) {
    Parameter p;
    p.pointer = one.find('*') != std::string::npos;
    std::ranges::replace(one, '*', ' ');
    std::istringstream words(one);
    std::vector<std::string> kept;
    for (std::string word; words >> word;) {
      if (word == "__global" || word == "global")
        p.space = "global";
      else if (word == "__local" || word == "local")
        p.space = "local";
      else if (word == "__constant" || word == "constant")
        p.space = "constant";
      else if (word == "const")
        p.constant = true;
      else if (word != "restrict" && word != "volatile" && word != "struct" && word != "read_only" &&
               word != "write_only")
        kept.push_back(word);
    }
    if (kept.size() != 2) {
      ADD_FAILURE() << one;
      continue;
    }
    p.type = kept[0];
    p.name = kept[1];
    const std::size_t digits = p.type.find_first_of("0123456789");
    if (digits != std::string::npos && !p.type.starts_with("image") &&
        type_named(p.type.substr(0, digits)) != nullptr) {
      p.width = static_cast<u32>(std::stoul(p.type.substr(digits)));
      p.type.resize(digits);
    }
    out.push_back(p);
  }
  return out;
}

}  // namespace

Kernel kernel_of(std::string source, bool exact) {
  Kernel out{.name = {}, .source = std::move(source), .launch = {}, .buffers = {}, .exact = exact};
  std::smatch found;
  static const std::regex signature(R"(k(?:ernel)\s[^{;]*?\bvoid\s+(\w+)\s*\(([^{]*)\)\s*\{)");
  if (!std::regex_search(out.source, found, signature)) {
    ADD_FAILURE() << out.source;
    return out;
  }
  out.name = found[1];
  std::string list = found[2];
  std::ranges::replace(list, '\n', ' ');
  opencl::Launch& launch = out.launch;
  launch.kernel = out.name;
  launch.global = {128, 1, 1};
  launch.local = {64, 1, 1};
  static const std::regex shape(R"(// global ([0-9 ]+)local ([0-9 ]+)(?:offset ([0-9 ]+))?)");
  if (std::smatch sizes; std::regex_search(out.source, sizes, shape)) {
    const auto numbers = [&](const std::string& text, std::array<std::size_t, 3>& to) {
      std::istringstream in(text);
      u32 n = 0;
      while (n < 3 && in >> to[n]) ++n;
      return n;
    };
    launch.dimensions = numbers(sizes[1], launch.global);
    numbers(sizes[2], launch.local);
    if (sizes[3].matched) numbers(sizes[3], launch.offset);
  }
  std::map<std::string, u32> structs;
  static const std::regex sizes_of(R"(// struct (\w+) (\d+))");
  for (std::sregex_iterator it(out.source.begin(), out.source.end(), sizes_of), end; it != end; ++it)
    structs[(*it)[1]] = static_cast<u32>(std::stoul((*it)[2]));
  Numbers numbers(hash(out.source));
  const std::size_t items = launch.local[0] * launch.local[1] * launch.local[2];
  for (const Parameter& p : parameters_of(list)) {
    const auto own = structs.find(p.type);
    const Type* const type = own != structs.end() ? type_named("int") : type_named(p.type);
    if (type == nullptr) {
      ADD_FAILURE() << p.type << "\n" << out.source;
      continue;
    }
    const u32 width = own != structs.end() ? own->second / 4 : p.width == 3 ? 4 : p.width;
    if (p.space == "local") {
      launch.arguments.emplace_back(opencl::Local{items * width * type->bytes});
    } else if (p.pointer) {
      const u32 count = std::max(kNumbers, 128 * width + 16);
      launch.arguments.emplace_back(
          opencl::Buffer{numbers.bytes(*type, p.name, count), p.constant || p.space == "constant"});
      out.buffers.push_back(type->element);
    } else {
      launch.arguments.emplace_back(opencl::Value{numbers.bytes(*type, p.name, width)});
    }
  }
  return out;
}

namespace {

constexpr u32 kWidths[] = {1, 2, 3, 4, 8, 16};

std::string wide(std::string_view type, u32 width) {
  return width == 1 ? std::string(type) : fmt::format("{}{}", type, width);
}
std::string load(std::string_view name, u32 width) {
  return width == 3 ? fmt::format("vload3(i, {})", name) : fmt::format("{}[i]", name);
}

class List {
 public:
  std::vector<Kernel> take() { return std::move(kernels_); }

  // What was once lifted wrongly is of every run.
  void add_always(std::string source) {
    add(std::move(source));
    kernels_.back().always = true;
  }
  void add(std::string source, bool exact = true) {
    // Helpers have names of their own in each kernel, so that many make one unit.
    static const std::regex helpers(
        R"(\b(node|both|twice|often|swap_two|inner|outer|entry|table|part|times|complex_t)\b)");
    source = std::regex_replace(source, helpers, "NAME_$1");
    source = replaced(std::move(source), {{"NAME", fmt::format("k{}", kernels_.size())}});
    kernels_.push_back(kernel_of(std::move(source), exact));
  }
  struct Input {
    std::string_view type;
    std::string name;
    u32 width = 0;  // 0: as the result
  };
  // out[i] = expression of `a`, `b`, `c`
  void elementwise(std::string_view what, std::string_view result, u32 width, const std::vector<Input>& inputs,
                   const std::string& expression, bool exact = true) {
    const auto pointed = [](std::string_view type, u32 n) { return n == 3 ? std::string(type) : wide(type, n); };
    std::string parameters, loads, names;
    char letter = 'a';
    for (const Input& input : inputs) {
      const u32 n = input.width == 0 ? width : input.width;
      const std::string name = fmt::format("{}in_{}", input.name.empty() ? "" : input.name + "_", letter);
      parameters += fmt::format(", __global const {}* {}", pointed(input.type, n), name);
      loads += fmt::format("  {} {} = {};\n", wide(input.type, n), letter, load(name, n));
      ++letter;
    }
    add(fmt::format("// {}\n__kernel void NAME(__global {}* out{}) {{\n  size_t i = get_global_id(0);\n{}  {}\n}}\n",
                    what, pointed(result, width), parameters, loads,
                    width == 3 ? fmt::format("vstore3({}, i, out);", expression)
                               : fmt::format("out[i] = {};", expression)),
        exact);
  }
  u32 next_width() { return kWidths[1 + turn_++ % 5]; }

 private:
  std::vector<Kernel> kernels_;
  u32 turn_ = 0;
};

bool integer(const Type& t) { return !t.is_float(); }
std::string unsigned_of(std::string_view t) { return t.starts_with("u") ? std::string(t) : fmt::format("u{}", t); }
std::string signed_of(std::string_view t) { return std::string(t.starts_with("u") ? t.substr(1) : t); }

void integers(List& list) {
  struct Function {
    const char* expression;
    u32 inputs;
    const char* result = "T";
    bool exact = true;  // abs_diff of AMD's library subtracts signed numbers, which compilers may do in their own ways
  };
  // W: the vector type of the operands.
  static constexpr Function kFunctions[] = {
      {"abs(a)", 1, "U"},
      {"abs_diff(a, b)", 2, "U", false},
      {"add_sat(a, b)", 2},
      {"sub_sat(a, b)", 2},
      {"hadd(a, b)", 2},
      {"rhadd(a, b)", 2},
      {"clamp(a, min(b, c), max(b, c))", 3},
      {"clz(a)", 1},
      {"mad_hi(a, b, c)", 3},
      {"mad_sat(a, b, c)", 3},
      {"max(a, b)", 2},
      {"min(a, b)", 2},
      {"mul_hi(a, b)", 2},
      {"rotate(a, b)", 2},
      {"popcount(a)", 1},
      {"a + b", 2},
      {"a - b", 2},
      {"a * b", 2},
      {"a & ~b | c", 3},
      {"a ^ b", 2},
      {"-a", 1},
      {"bitselect(a, b, c)", 3},
      {"max(a, (W)(5)) - min(b, (W)(7))", 2},
  };
  for (const Type& t : kTypes)
    if (integer(t)) {
      const auto one = [&](u32 width, const Function& f) {
        std::vector<List::Input> in(f.inputs, {t.name, "", 0});
        list.elementwise(f.expression, f.result[0] == 'U' ? unsigned_of(t.name) : std::string(t.name), width, in,
                         replaced(f.expression, {{"W", wide(t.name, width)}}), f.exact);
      };
      for (const Function& f : kFunctions) {
        one(1, f);
        one(list.next_width(), f);
      }
      const u32 bits = t.bytes * 8;
      for (const u32 width : {1u, list.next_width()}) {
        const std::string w = wide(t.name, width);
        list.elementwise("shift left", t.name, width, {{t.name, ""}, {t.name, ""}},
                         fmt::format("a << (b & ({})({}))", w, bits - 1));
        list.elementwise("shift right", t.name, width, {{t.name, ""}, {t.name, ""}},
                         fmt::format("a >> (b & ({})({}))", w, bits - 1));
        list.elementwise("division", t.name, width, {{t.name, ""}, {t.name, ""}},
                         fmt::format("a / ((b & ({0})(0x3f)) | ({0})(1))", w));
        list.elementwise("remainder", t.name, width, {{t.name, ""}, {t.name, ""}},
                         fmt::format("a % ((b & ({0})(0x3f)) | ({0})(1))", w));
        list.elementwise("division by a constant", t.name, width, {{t.name, ""}},
                         fmt::format("a / ({0})(7) + a % ({0})(10)", w));
        for (const char* op : {"==", "!=", "<", "<=", ">", ">="})
          list.elementwise(op, width == 1 ? "int" : signed_of(t.name), width, {{t.name, ""}, {t.name, ""}},
                           fmt::format("a {} b", op));
        list.elementwise("logic", width == 1 ? "int" : signed_of(t.name), width, {{t.name, "small"}, {t.name, ""}},
                         "(a && b) || !a");
        list.elementwise("choice", t.name, width, {{t.name, ""}, {t.name, ""}}, "a > b ? a - b : b");
        list.elementwise("select", t.name, width, {{t.name, ""}, {t.name, ""}, {unsigned_of(t.name), ""}},
                         "select(a, b, c)");
        list.elementwise("select", t.name, width, {{t.name, ""}, {t.name, ""}, {signed_of(t.name), ""}},
                         "select(a, b, c)");
        list.elementwise("any, all", "int", 1, {{signed_of(t.name), "", width}, {signed_of(t.name), "", width}},
                         "any(a) * 4 + all(b) * 2 + any(a & b)");
      }
    }
  for (const char* t : {"int", "uint"})
    for (const u32 width : kWidths) {
      list.elementwise("mul24", t, width, {{t, "in24"}, {t, "in24"}}, "mul24(a, b)");
      list.elementwise("mad24", t, width, {{t, "in24"}, {t, "in24"}, {t, ""}}, "mad24(a, b, c)");
    }
  static constexpr std::array<std::array<const char*, 3>, 6> kUpsampled{{{"char", "uchar", "short"},
                                                                         {"uchar", "uchar", "ushort"},
                                                                         {"short", "ushort", "int"},
                                                                         {"ushort", "ushort", "uint"},
                                                                         {"int", "uint", "long"},
                                                                         {"uint", "uint", "ulong"}}};
  for (const auto& [high, low, result] : kUpsampled)
    for (const u32 width : {1u, list.next_width()})
      list.elementwise("upsample", result, width, {{high, ""}, {low, ""}}, "upsample(a, b)");
}

void conversions(List& list) {
  for (const Type& from : kTypes)
    for (const Type& to : kTypes) {
      if (from.element == Element::F16 || to.element == Element::F16) continue;
      const bool to_integer = from.is_float() && integer(to);
      const std::string range = to_integer ? std::string(to.name) : "";
      const auto one = [&](const char* suffix, const std::string& kind, u32 width) {
        const std::string call = fmt::format("convert_{}{}", wide(to.name, width), suffix);
        // What is no number should become 0, and need not [OpenCL 1.2 §6.2.3.3].
        const bool exact = !from.is_float() || std::string_view(suffix).find("_sat") == std::string_view::npos;
        list.elementwise(call, to.name, width, {{from.name, kind}}, call + "(a)", exact);
      };
      one("", range, 1);
      one("", range, list.next_width());
      if (integer(to)) {
        one("_sat", "", 1);
        one("_sat", "", list.next_width());
      }
      if (from.is_float() || to.is_float())
        for (const char* mode : {"_rte", "_rtz", "_rtp", "_rtn"}) {
          one(mode, range, 1);
          if (to_integer) one(fmt::format("_sat{}", mode).c_str(), "", list.next_width());
        }
      if (from.bytes == to.bytes && from.element != to.element) {
        const u32 width = list.next_width();
        list.elementwise("as_type", to.name, width, {{from.name, ""}}, fmt::format("as_{}(a)", wide(to.name, width)));
      }
    }
  list.elementwise("as_type", "ushort", 4, {{"uint", "", 2}}, "as_ushort4(a)");
  list.elementwise("as_type", "uchar", 4, {{"float", "", 1}}, "as_uchar4(a)");
  list.elementwise("as_type", "uint", 2, {{"double", "", 1}}, "as_uint2(a)");
  list.elementwise("as_type", "ulong", 2, {{"int", "", 4}}, "as_ulong2(a)");
}

void reals(List& list) {
  struct Function {
    const char* expression;
    u32 inputs;
    bool exact = false;
    bool double_too = true;
    const char* kind = "";
  };
  static constexpr Function kFunctions[] = {
      {"acos(a)", 1, false, true, "unit"},
      {"acosh(a)", 1},
      {"acospi(a)", 1, false, true, "unit"},
      {"asin(a)", 1, false, true, "unit"},
      {"asinh(a)", 1},
      {"asinpi(a)", 1, false, true, "unit"},
      {"atan(a)", 1},
      {"atan2(a, b)", 2},
      {"atanh(a)", 1, false, true, "unit"},
      {"atanpi(a)", 1},
      {"atan2pi(a, b)", 2},
      {"cbrt(a)", 1},
      {"ceil(a)", 1, true},
      {"copysign(a, b)", 2, true},
      {"cos(a)", 1},
      {"cosh(a)", 1},
      {"cospi(a)", 1},
      {"erfc(a)", 1},
      {"erf(a)", 1},
      {"exp(a)", 1},
      {"exp2(a)", 1},
      {"exp10(a)", 1},
      {"expm1(a)", 1},
      {"fabs(a)", 1, true},
      {"fdim(a, b)", 2, true},
      {"floor(a)", 1, true},
      {"fma(a, b, c)", 3, true},
      {"fmax(a, b)", 2, true},
      {"fmin(a, b)", 2, true},
      {"fmod(a, b)", 2, true},
      {"hypot(a, b)", 2},
      {"lgamma(a)", 1},
      {"log(a)", 1},
      {"log2(a)", 1},
      {"log10(a)", 1},
      {"log1p(a)", 1},
      {"logb(a)", 1, true},
      {"mad(a, b, c)", 3},
      {"maxmag(a, b)", 2},
      {"minmag(a, b)", 2},
      {"nextafter(a, b)", 2, true},
      {"pow(a, b)", 2},
      {"powr(a, b)", 2},
      {"remainder(a, b)", 2, true},
      {"rint(a)", 1, true},
      {"round(a)", 1, true},
      {"rsqrt(a)", 1},
      {"sin(a)", 1},
      {"sinh(a)", 1},
      {"sinpi(a)", 1},
      {"sqrt(a)", 1},
      {"tan(a)", 1},
      {"tanh(a)", 1},
      {"tanpi(a)", 1},
      {"tgamma(a)", 1},
      {"trunc(a)", 1, true},
      {"half_cos(a)", 1, false, false, "unit"},
      {"half_divide(a, b)", 2, false, false},
      {"half_exp(a)", 1, false, false},
      {"half_exp2(a)", 1, false, false},
      {"half_exp10(a)", 1, false, false},
      {"half_log(a)", 1, false, false},
      {"half_log2(a)", 1, false, false},
      {"half_log10(a)", 1, false, false},
      {"half_powr(a, b)", 2, false, false},
      {"half_recip(a)", 1, false, false},
      {"half_rsqrt(a)", 1, false, false},
      {"half_sin(a)", 1, false, false, "unit"},
      {"half_sqrt(a)", 1, false, false},
      {"half_tan(a)", 1, false, false, "unit"},
      {"native_cos(a)", 1, false, false, "unit"},
      {"native_divide(a, b)", 2, false, false},
      {"native_exp(a)", 1, false, false},
      {"native_exp2(a)", 1, false, false},
      {"native_exp10(a)", 1, false, false},
      {"native_log(a)", 1, false, false},
      {"native_log2(a)", 1, false, false},
      {"native_log10(a)", 1, false, false},
      {"native_powr(a, b)", 2, false, false},
      {"native_recip(a)", 1, false, false},
      {"native_rsqrt(a)", 1, false, false},
      {"native_sin(a)", 1, false, false, "unit"},
      {"native_sqrt(a)", 1, false, false},
      {"native_tan(a)", 1, false, false, "unit"},
      {"clamp(a, fmin(b, c), fmax(b, c))", 3},
      {"degrees(a)", 1},
      {"max(a, b)", 2},
      {"min(a, b)", 2},
      {"mix(a, b, c)", 3},
      {"radians(a)", 1},
      {"step(a, b)", 2, true},
      {"smoothstep(fmin(a, b), fmax(a, b) + 1, c)", 3},
      {"sign(a)", 1, true},
      {"a + b", 2, true},
      {"a - b", 2, true},
      {"a * b", 2, true},
      {"a / b", 2},
      {"-a", 1, true},
      {"a * b + c", 3, true},
      {"1.0f / a", 1},
      {"a > b ? a : b", 2, true},
  };
  for (const Function& f : kFunctions)
    for (const char* t : {"float", "double"}) {
      if (t[0] == 'd' && !f.double_too) continue;
      const bool exact =
          f.exact ||
          (t[0] == 'd' && (std::string_view(f.expression) == "a / b" || std::string_view(f.expression) == "sqrt(a)"));
      const std::vector<List::Input> in(f.inputs, {t, f.kind});
      list.elementwise(f.expression, t, 1, in, f.expression, exact);
      list.elementwise(f.expression, t, list.next_width(), in, f.expression, exact);
    }
  for (const char* t : {"float", "double"})
    for (const u32 width : {1u, list.next_width(), list.next_width()}) {
      const std::string w = wide(t, width);
      const std::string s2 = width == 3 ? "vstore3(r, i, out); vstore3(q, i, more);" : "out[i] = r; more[i] = q;";
      const auto pointed = [&](std::string_view type) { return width == 3 ? std::string(type) : wide(type, width); };
      const auto pair = [&](const char* call, std::string_view second, bool b, const char* kind, bool exact) {
        list.add(fmt::format(
                     "// {}\n__kernel void NAME(__global {}* out, __global {}* more, __global const {}* {}in_a{}) {{\n"
                     "  size_t i = get_global_id(0);\n  {} a = {};\n{}  {} q;\n  {} r = {};\n  {}\n}}\n",
                     call, pointed(t), pointed(second), pointed(t), kind,
                     b ? fmt::format(", __global const {}* in_b", pointed(t)) : "", w,
                     load(fmt::format("{}in_a", kind), width),
                     b ? fmt::format("  {} b = {};\n", w, load("in_b", width)) : "", wide(second, width), w, call, s2),
                 exact);
      };
      pair("fract(a, &q)", t, false, "", true);
      pair("modf(a, &q)", t, false, "", true);
      pair("frexp(a, &q)", "int", false, "", true);
      pair("remquo(a, b, &q)", "int", true, "", false);
      pair("lgamma_r(a, &q)", "int", false, "", false);
      pair("sincos(a, &q)", t, false, "", false);
      list.elementwise("ldexp", t, width, {{t, ""}, {"int", "small"}}, "ldexp(a, b - 16)", true);
      list.elementwise("ldexp", t, width, {{t, ""}, {"int", ""}}, "ldexp(a, b)", true);
      if (width != 1) list.elementwise("ldexp", t, width, {{t, ""}, {"int", "small", 1}}, "ldexp(a, b)", true);
      list.elementwise("pown", t, width, {{t, ""}, {"int", "small"}}, "pown(a, b - 8)", false);
      list.elementwise("rootn", t, width, {{t, ""}, {"int", "small"}}, "rootn(a, b - 8)", false);
      list.elementwise("ilogb", "int", width, {{t, ""}}, "ilogb(a)", true);
      list.elementwise("nan", t, width, {{t[0] == 'f' ? "uint" : "ulong", ""}}, "nan(a)", true);
      const std::string mask = t[0] == 'f' ? "int" : width == 1 ? "int" : "long";
      for (const char* f : {"isequal(a, b)", "isnotequal(a, b)", "isgreater(a, b)", "isgreaterequal(a, b)",
                            "isless(a, b)", "islessequal(a, b)", "islessgreater(a, b)", "isordered(a, b)",
                            "isunordered(a, b)", "a == b", "a != b", "a < b", "a <= b", "a > b", "a >= b"})
        list.elementwise(f, mask, width, {{t, ""}, {t, ""}}, f);
      for (const char* f : {"isfinite(a)", "isinf(a)", "isnan(a)", "isnormal(a)", "signbit(a)", "!a"})
        list.elementwise(f, mask, width, {{t, ""}}, f);
      list.elementwise("select", t, width, {{t, ""}, {t, ""}, {t[0] == 'f' ? "int" : "long", ""}}, "select(a, b, c)");
      list.elementwise("bitselect", t, width, {{t, ""}, {t, ""}, {t, ""}}, "bitselect(a, b, c)");
      if (width <= 4) {
        list.elementwise("dot", t, 1, {{t, "", width}, {t, "", width}}, "dot(a, b)", false);
        list.elementwise("length", t, 1, {{t, "plain", width}}, "length(a)", false);
        list.elementwise("distance", t, 1, {{t, "plain", width}, {t, "plain", width}}, "distance(a, b)", false);
        list.elementwise("normalize", t, width, {{t, "plain", width}}, "normalize(a)", false);
        if (t[0] == 'f') {
          list.elementwise("fast_length", t, 1, {{t, "plain", width}}, "fast_length(a)", false);
          list.elementwise("fast_distance", t, 1, {{t, "plain", width}, {t, "plain", width}}, "fast_distance(a, b)",
                           false);
          list.elementwise("fast_normalize", t, width, {{t, "plain", width}}, "fast_normalize(a)", false);
        }
      }
      if (width != 1) {
        list.elementwise("mix", t, width, {{t, ""}, {t, ""}, {t, "", 1}}, "mix(a, b, c)", false);
        list.elementwise("step", t, width, {{t, "", 1}, {t, ""}}, "step(a, b)", true);
        list.elementwise("clamp", t, width, {{t, ""}, {t, "unit", 1}}, "clamp(a, b - 2, b + 2)", false);
        list.elementwise("fmax", t, width, {{t, ""}, {t, "", 1}}, "fmax(a, b) + fmin(a, b)", false);
      }
    }
  for (const char* t : {"float", "double"}) {
    list.elementwise("normalize", t, 3, {{t, "plain"}}, "normalize(a)", false);
    list.elementwise("normalize", t, 4, {{t, "plain"}}, "normalize(a)", false);
    list.elementwise("length", t, 1, {{t, "plain", 3}}, "length(a)", false);
    list.elementwise("length", t, 1, {{t, "plain", 4}}, "length(a)", false);
    list.elementwise("dot", t, 1, {{t, "plain", 4}, {t, "plain", 4}}, "dot(a, b)", false);
    list.elementwise("cross", t, 3, {{t, ""}, {t, ""}}, "cross(a, b)", false);
    list.elementwise("cross", t, 4, {{t, ""}, {t, ""}}, "cross(a, b)", false);
  }
}

void memory(List& list) {
  for (const Type& t : kTypes) {
    if (t.element == Element::F16) continue;
    for (const u32 n : {2u, 3u, 4u, 8u, 16u})
      list.add(fmt::format("// vload{1}, vstore{1} where no vector is aligned\n"
                           "__kernel void NAME(__global {0}* out, __global const {0}* in) {{\n"
                           "  size_t i = get_global_id(0);\n"
                           "  if (i >= 120) return;\n"
                           "  vstore{1}(vload{1}(i, in + 1), i, out + 3);\n}}\n",
                           t.name, n));
    list.add(fmt::format(
        "// memory of a group\n__kernel void NAME(__global {0}4* out, __global const {0}4* in, __local {0}4* tile) {{\n"
        "  size_t i = get_global_id(0), l = get_local_id(0);\n"
        "  tile[l] = in[i];\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  out[i] = tile[63 - l].wzyx;\n}}\n",
        t.name));
    list.add(fmt::format(
        "// memory of a group, unaligned\n__kernel void NAME(__global {0}* out, __global const {0}* in) {{\n"
        "  __local {0} tile[64 * 3 + 1];\n"
        "  size_t i = get_global_id(0), l = get_local_id(0);\n"
        "  vstore3(vload3(i, in), l, tile + 1);\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  vstore3(vload3(63 - l, tile + 1).zxy, i, out);\n}}\n",
        t.name));
    list.add(fmt::format("// a private array\n__kernel void NAME(__global {0}* out, __global const {0}* in, __global "
                         "const int* index_) {{\n"
                         "  size_t i = get_global_id(0);\n  {0} own[16];\n"
                         "  for (int n = 0; n < 16; ++n) own[n] = in[i + n];\n"
                         "  own[index_[i] & 15] = in[0];\n"
                         "  out[i] = own[index_[i + 1] & 15] ;\n}}\n",
                         t.name));
    list.add(fmt::format(
        "// components\n__kernel void NAME(__global {0}4* out, __global const {0}4* in) {{\n"
        "  size_t i = get_global_id(0);\n  {0}4 v = in[i];\n  {0}8 w = ({0}8)(v.wx, v, v.yy);\n"
        "  v.s02 = w.odd.xy;\n  v.lo = v.hi.yx;\n  w.even = v;\n  out[i] = w.s1234;\n  out[i].y = w.s7;\n}}\n",
        t.name));
    list.add(fmt::format(
        "// one component stored\n__kernel void NAME(__global {0}4* out, __global const {0}* in, {0}3 value) {{\n"
        "  size_t i = get_global_id(0);\n  out[i].z = in[i];\n  out[i].x = value.y;\n}}\n",
        t.name));
    for (const u32 n : {2u, 3u, 4u, 8u, 16u})
      list.add(fmt::format("// value of a vector\n__kernel void NAME(__global {0}* out, {0}{1} value, {0} other, "
                           "__global const {0}* in) {{\n"
                           "  size_t i = get_global_id(0);\n  {0}{1} v = value;\n  v.s0 = other;\n  vstore{1}(v, i, "
                           "out + 1);\n  out[0] = in[0];\n}}\n",
                           t.name, n));
    const std::string u = t.is_float() ? (t.bytes == 4 ? "uint" : "ulong") : unsigned_of(t.name);
    list.add(fmt::format(
        "// shuffle\n__kernel void NAME(__global {0}4* out, __global const {0}4* in, __global const {1}4* m) {{\n"
        "  size_t i = get_global_id(0);\n  out[i] = shuffle(in[i], m[i]);\n}}\n",
        t.name, u));
    list.add(fmt::format(
        "// shuffle2\n__kernel void NAME(__global {0}8* out, __global const {0}4* in, __global const {1}8* m) {{\n"
        "  size_t i = get_global_id(0);\n  out[i] = shuffle2(in[i], in[i + 1], m[i]);\n}}\n",
        t.name, u));
    list.add(fmt::format("// a table\n__constant {0} table[11] = {{1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29}};\n"
                         "__kernel void NAME(__global {0}* out, __global const uint* n) {{\n"
                         "  size_t i = get_global_id(0);\n  out[i] = table[n[i] % 11];\n}}\n",
                         t.name));
    list.add(
        fmt::format("// constant memory\n__kernel void NAME(__global {0}* out, __constant {0}* in, __constant {0}2* "
                    "pairs, int small_) {{\n"
                    "  size_t i = get_global_id(0);\n  out[i] = in[127 - i] ;\n  out[i + 128] = pairs[small_].y;\n}}\n",
                    t.name));
    list.add(fmt::format(
        "// async copies\n__kernel void NAME(__global {0}* out, __global const {0}* in, __local {0}* tile) {{\n"
        "  size_t l = get_local_id(0), g = get_group_id(0) * 64;\n"
        "  event_t e = async_work_group_copy(tile, in + g, 64, 0);\n  wait_group_events(1, &e);\n"
        "  {0} v = tile[63 - l];\n  barrier(CLK_LOCAL_MEM_FENCE);\n  tile[l] = v;\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  e = async_work_group_copy(out + g, tile, 64, 0);\n  wait_group_events(1, &e);\n}}\n",
        t.name));
    list.add(fmt::format("// prefetch, vec_step\n__kernel void NAME(__global {0}* out, __global const {0}* in) {{\n"
                         "  size_t i = get_global_id(0);\n  prefetch(in + i, 4);\n  out[i] = in[i] ;\n  out[i + 128] = "
                         "({0})vec_step({0}3);\n}}\n",
                         t.name));
  }
  for (const char* t : {"float", "double"}) {
    for (const char* mode : {"", "_rte", "_rtz", "_rtp", "_rtn"}) {
      list.add(fmt::format("// vstore_half{1}\n__kernel void NAME(__global half* out, __global const {0}* in) {{\n"
                           "  size_t i = get_global_id(0);\n  vstore_half{1}(in[i], i, out);\n}}\n",
                           t, mode));
      for (const u32 n : {2u, 3u, 4u, 8u, 16u}) {
        if (mode[0] != 0 && n != 2 && n != 3) continue;
        list.add(fmt::format("// vstore_half{2}{1}\n__kernel void NAME(__global half* out, __global const {0}* in) {{\n"
                             "  size_t i = get_global_id(0);\n  vstore_half{2}{1}(vload{2}(i, in), i, out + 1);\n}}\n",
                             t, mode, n));
        list.add(
            fmt::format("// vstorea_half{2}{1}\n__kernel void NAME(__global half* out, __global const {0}* in) {{\n"
                        "  size_t i = get_global_id(0);\n  vstorea_half{2}{1}(vload{2}(i, in), i, out);\n}}\n",
                        t, mode, n));
      }
    }
  }
  list.add("// vload_half\n__kernel void NAME(__global float* out, __global const half* in) {\n  size_t i = "
           "get_global_id(0);\n  out[i] = vload_half(i, in);\n}\n");
  for (const u32 n : {2u, 3u, 4u, 8u, 16u}) {
    list.add(fmt::format("// vload_half{0}\n__kernel void NAME(__global float* out, __global const half* in) {{\n  "
                         "size_t i = get_global_id(0);\n  vstore{0}(vload_half{0}(i, in + 1), i, out);\n}}\n",
                         n));
    list.add(fmt::format("// vloada_half{0}\n__kernel void NAME(__global float* out, __global const half* in) {{\n  "
                         "size_t i = get_global_id(0);\n  vstore{0}(vloada_half{0}(i, in), i, out);\n}}\n",
                         n));
  }
}

void flow(List& list) {
  // T: the type
  static constexpr const char* kSources[] = {
      R"(// if
__kernel void NAME(__global T* out, __global const T* plain_in, int small_n) {
  int i = get_global_id(0);
  if (plain_in[i] > (T)small_n) out[i] = plain_in[i + 1];
}
)",
      R"(// if, else, else
__kernel void NAME(__global T* out, __global const T* plain_in, T x) {
  int i = get_global_id(0);
  T v = plain_in[i];
  if (v > x) v = v - x;
  else if (v == (T)0) v = x;
  else if (v < (T)10) { v = v + v; if (i & 1) v = plain_in[i + 7]; }
  else v = plain_in[i + 1];
  out[i] = v;
}
)",
      R"(// early return
__kernel void NAME(__global T* out, __global const T* plain_in, uint small_n) {
  uint i = get_global_id(0);
  if (i < small_n) return;
  out[i] = plain_in[i - small_n];
  if (i % 3 == 0) return;
  out[i + 128] = plain_in[i];
}
)",
      R"(// for with break and continue
__kernel void NAME(__global T* out, __global const T* plain_in, __global const int* small_count) {
  int i = get_global_id(0);
  T sum = (T)0;
  for (int n = 0; n < small_count[i]; ++n) {
    if (n == 3) continue;
    if (plain_in[n] == (T)0) break;
    sum += plain_in[i + n];
  }
  out[i] = sum;
}
)",
      R"(// while
__kernel void NAME(__global T* out, __global const T* plain_in, int small_n) {
  int i = get_global_id(0), n = i;
  T last = (T)0;
  while (n > 0) { last = plain_in[n]; n = (n >> 1) - (n & small_n & 1); }
  out[i] = last;
}
)",
      R"(// do
__kernel void NAME(__global T* out, __global const T* plain_in) {
  int i = get_global_id(0), n = i & 15;
  T sum = (T)1;
  do { sum += plain_in[n] * (T)3; n -= 2; } while (n >= 0);
  out[i] = sum;
}
)",
      R"(// nested loops
__kernel void NAME(__global T* out, __global const T* plain_in, int small_x, int small_y) {
  int i = get_global_id(0);
  T sum = (T)0;
  for (int y = 0; y < small_y; ++y) {
    for (int x = 0; x < small_x; ++x) {
      if (x > i) break;
      for (int z = x; z < 4; z++) { if (z == y) goto next; sum += plain_in[z + x]; }
      next:;
    }
    if (sum == plain_in[y]) break;
  }
  out[i] = sum;
}
)",
      R"(// several exits
__kernel void NAME(__global T* out, __global const T* plain_in) {
  int i = get_global_id(0), n = 0;
  T found = (T)0;
  for (;;) {
    T v = plain_in[i + n];
    if (v > (T)90) { found = v; break; }
    if (++n > 20) { found = (T)1; break; }
    if (v == (T)0) { out[i] = (T)2; return; }
  }
  out[i] = found;
  out[i + 128] = (T)(n & 15);
}
)",
      R"(// switch
__kernel void NAME(__global T* out, __global const T* plain_in, __global const uint* which) {
  int i = get_global_id(0);
  T v = plain_in[i];
  switch (which[i] % 9) {
    case 0: v = v + (T)1; break;
    case 1: v = v * (T)2;
    case 2: v = v - (T)3; break;
    case 4: case 5: v = plain_in[i + 1]; break;
    case 7: out[i] = v; return;
    default: v = (T)0;
  }
  out[i] = v;
}
)",
      R"(// switch plain_in a loop
__kernel void NAME(__global T* out, __global const T* plain_in, __global const uint* which) {
  int i = get_global_id(0);
  T v = (T)0;
  for (int n = 0; n < 10; ++n) {
    switch (which[i + n] & 7) {
      case 0: continue;
      case 1: v += plain_in[n]; break;
      case 2: v -= plain_in[i]; break;
      case 3: v = -v; break;
      case 6: n += 2; break;
      default: break;
    }
    if (v == (T)5) break;
  }
  out[i] = v;
}
)",
      R"(// choices
__kernel void NAME(__global T* out, __global const T* plain_in, T x, T y) {
  int i = get_global_id(0);
  out[i] = plain_in[i] < x ? (plain_in[i] < y ? x : y) : (i & 1 ? plain_in[i] : plain_in[i + 1]);
  out[i + 128] = (plain_in[i] > x && plain_in[i] < y) || plain_in[i + 1] == plain_in[i] ? x : plain_in[i];
}
)",
      R"(// pointers that are chosen
__kernel void NAME(__global T* out, __global const T* plain_a, __global const T* plain_b, int small_n) {
  int i = get_global_id(0);
  __global const T* from = (i & 1) ? plain_a : plain_b;
  __global T* to = out + 64;
  from += small_n;
  to[i] = *from;
  *(to + i + 128) = from[i];
  for (__global const T* p = plain_a; p < plain_a + small_n; ++p) if (*p == plain_a[i]) to[i + 256] = *p + (T)small_n;
}
)",
      R"(// a switch on what is the same for all
__kernel void NAME(__global T* out, __global const T* plain_in, uint small_n) {
  int i = get_global_id(0);
  switch (small_n & 3) {
    case 0: out[i] = plain_in[i]; break;
    case 1: out[i] = plain_in[i + 1]; break;
    case 2: out[i] = plain_in[127 - i]; break;
    case 3: out[i] = (T)0; break;
  }
}
)",
      R"(// functions
T twice(T x) { return x + x; }
__attribute__((noinline)) T often(T x, int n) { for (int k = 0; k < n; ++k) x = twice(x) - (T)1; return x; }
__kernel void NAME(__global T* out, __global const T* plain_in) {
  int i = get_global_id(0);
  out[i] = often(plain_in[i], i & 7) + twice(plain_in[i + 1]);
}
)",
      R"(// functions with pointers to private memory
void swap_two(T* a, T* b) { T t = *a; *a = *b; *b = t; }
__kernel void NAME(__global T* out, __global const T* plain_in) {
  int i = get_global_id(0);
  T v[4] = {plain_in[i], plain_in[i + 1], plain_in[i + 2], plain_in[i + 3]};
  for (int n = 0; n < 3; ++n) if (v[n] > v[n + 1]) swap_two(&v[n], &v[n + 1]);
  if (i & 4) swap_two(v + (i & 3), v);
  for (int n = 0; n < 4; ++n) out[i * 4 + n] = v[n];
}
)",
      R"(// bubble sort plain_in a private array
__kernel void NAME(__global T* out, __global const T* plain_in) {
  int i = get_global_id(0);
  T v[8];
  for (int n = 0; n < 8; ++n) v[n] = plain_in[i * 8 + n];
  for (int a = 0; a < 7; ++a)
    for (int b = 0; b < 7 - a; ++b)
      if (v[b] > v[b + 1]) { T t = v[b]; v[b] = v[b + 1]; v[b + 1] = t; }
  for (int n = 0; n < 8; ++n) out[i * 8 + n] = v[n];
}
)",
      R"(// a table in private memory
__kernel void NAME(__global T* out, __global const uint* which) {
  int i = get_global_id(0);
  const T table[7] = {3, 1, 4, 1, 5, 9, 2};
  T copy[7];
  for (int n = 0; n < 7; ++n) copy[n] = table[6 - n];
  copy[which[i] % 7] += (T)1;
  out[i] = table[which[i + 1] % 7] + copy[which[i + 2] % 7];
}
)",
      R"(// sum of a group
__kernel void NAME(__global T* out, __global const T* plain_in, __local T* part) {
  uint l = get_local_id(0);
  part[l] = plain_in[get_global_id(0)];
  for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < step) part[l] += part[l + step];
  }
  if (l == 0) out[get_group_id(0)] = part[0];
}
)",
      R"(// sum of a larger group
// global 512 local 256
__kernel void NAME(__global T* out, __global const T* plain_in) {
  __local T part[256];
  uint l = get_local_id(0);
  part[l] = plain_in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 1; step < 256; step *= 2) {
    if (l % (2 * step) == 0) part[l] += part[l + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = part[0];
}
)",
      R"(// two arrays of a group
// global 512 local 128
__kernel void NAME(__global T* out, __global const T* plain_in, __local T* third) {
  __local T first[128];
  __local T second[128];
  uint l = get_local_id(0), i = get_global_id(0);
  first[l] = plain_in[i];
  second[127 - l] = plain_in[i + 1];
  third[l] = plain_in[i + 2];
  barrier(CLK_LOCAL_MEM_FENCE);
  __local T* p = (l & 1) ? first : second;
  out[i] = p[l ^ 5] + third[l ^ 1];
}
)",
      R"(// a matrix
// global 16 16 local 8 8
__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void NAME(__global T* out, __global const T* plain_in) {
  __local T a[8][8], b[8][9];
  int x = get_local_id(0), y = get_local_id(1), gx = get_global_id(0), gy = get_global_id(1);
  T sum = (T)0;
  for (int t = 0; t < 2; ++t) {
    a[y][x] = plain_in[gy * 16 + t * 8 + x];
    b[y][x] = plain_in[(t * 8 + y) * 16 + gx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 8; ++k) sum += a[y][k] * b[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[gy * 16 + gx] = sum;
}
)",
      R"(// prefix sums
__kernel void NAME(__global T* out, __global const T* plain_in, __local T* a, __local T* b) {
  uint l = get_local_id(0), i = get_global_id(0);
  a[l] = plain_in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 1; d < 64; d <<= 1) {
    b[l] = l >= d ? a[l] + a[l - d] : a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    __local T* t = a; a = b; b = t;
  }
  out[i] = a[l];
}
)",
      R"(// transposed
// global 32 32 local 16 16
__kernel void NAME(__global T* out, __global const T* plain_in) {
  __local T tile[16][17];
  uint x = get_group_id(0) * 16 + get_local_id(0), y = get_group_id(1) * 16 + get_local_id(1);
  tile[get_local_id(1)][get_local_id(0)] = plain_in[y * 32 + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * 16 + get_local_id(0);
  y = get_group_id(0) * 16 + get_local_id(1);
  out[y * 32 + x] = tile[get_local_id(0)][get_local_id(1)];
}
)",
      R"(// what is not used
__kernel void NAME(__global T* out, T unused, __global T* other, __global const T* plain_in, char small_a, T3 three,
                   short small_b, __local T* tile) {
  out[get_global_id(0)] = plain_in[get_global_id(0)] + three.z + (T)(small_a - small_b);
}
)",
      R"(// many parameters
__kernel void NAME(__global T* o0, __global T* o1, __global T* o2, __global T* o3, T a, T2 b, T3 c, T4 d, T8 e, T16 f,
                   char g, short h, int k, long l, float plain_m, uchar n, ushort o, uint p, ulong q,
                   __global const T* plain_in) {
  uint i = get_global_id(0);
  o0[i] = a + b.y + c.z + d.w;
  o1[i] = e.s7 - f.sf + plain_in[i];
  o2[i] = (T)((g + h + k + n + o + p) & 63);
  o3[i] = (T)((l ^ q) & 31) + (T)(plain_m > 0);
}
)",
      R"(// a loop over what each work-item takes
__kernel void NAME(__global T* out, __global const T* plain_in, uint zero_n) {
  for (uint i = get_global_id(0); i < 500 + zero_n; i += get_global_size(0)) out[i] = plain_in[i] + plain_in[i + 1];
}
)",
      R"(// a struct
typedef struct { T a; int b; T2 c; } node;
__kernel void NAME(__global T* out, __global const T* plain_in) {
  int i = get_global_id(0);
  node n[3];
  for (int k = 0; k < 3; ++k) { n[k].a = plain_in[i + k]; n[k].b = k * i; n[k].c = (T2)(plain_in[k], plain_in[i]); }
  node m = n[i % 3];
  out[i] = m.a + m.c.y + (T)(m.b & 7);
}
)",
      R"(// structs in memory
typedef struct { char tag; T a; short b[3]; T4 v; } node;
__kernel void NAME(__global int* out, __global const int* in, __global T* more) {
  int i = get_global_id(0);
  __global const node* n = (__global const node*)in + (i & 15);
  out[i] = n->tag + n->b[i % 3];
  more[i] = n->v.z;
  __local node shared[64];
  shared[get_local_id(0)].a = n->a;
  barrier(CLK_LOCAL_MEM_FENCE);
  more[i + 128] = shared[63 - get_local_id(0)].a;
}
)",
      R"(// a union
typedef union { T t; uchar bytes[sizeof(T)]; } both;
__kernel void NAME(__global T* out, __global const T* plain_in) {
  int i = get_global_id(0);
  both b;
  b.t = plain_in[i];
  for (int n = 0; n < (int)sizeof(T) / 2; ++n) {
    uchar c = b.bytes[n]; b.bytes[n] = b.bytes[sizeof(T) - 1 - n]; b.bytes[sizeof(T) - 1 - n] = c; }
  out[i] = b.t;
}
)",
      R"(// a binary search
__kernel void NAME(__global int* out, __global const T* plain_in, __global const T* plain_keys) {
  int i = get_global_id(0), low = 0, high = 127;
  while (low < high) {
    int middle = (low + high) / 2;
    if (plain_in[middle] < plain_keys[i]) low = middle + 1; else high = middle;
  }
  out[i] = low;
}
)",
      R"(// exits decided by the group
__kernel void NAME(__global T* out, __global const T* plain_in) {
  __local int done;
  int l = get_local_id(0), i = get_global_id(0), n = 0;
  T v = plain_in[i];
  do {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) done = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (n < (i & 7)) { v += plain_in[n]; done = 0; }
    ++n;
    barrier(CLK_LOCAL_MEM_FENCE);
  } while (!done);
  out[i] = v;
}
)",
      R"(// a two-dimensional index
// global 16 8 local 16 4 offset 3 1
__kernel void NAME(__global T* out, __global const T* plain_in, int width) {
  int x = get_global_id(0), y = get_global_id(1), at = y * 24 + x;
  if (x == 0 || x >= 16 || y >= 7) { out[at] = (T)1; return; }
  out[at] = plain_in[at - 1] + plain_in[at + 1] + plain_in[at - 24] + plain_in[at + 24];
}
)",
      R"(// a stencil of a group with edges
// global 128 local 64
__kernel void NAME(__global T* out, __global const T* plain_in) {
  __local T t[66];
  int l = get_local_id(0), i = get_global_id(0);
  t[l + 1] = plain_in[i + 1];
  if (l == 0) t[0] = plain_in[i];
  else if (l == 63) t[65] = plain_in[i + 2];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = t[l] - t[l + 1] + t[l + 2];
}
)",
      R"(// loops that go backwards and by two counters
__kernel void NAME(__global T* out, __global const T* plain_in, uint small_n) {
  int i = get_global_id(0);
  T a = (T)0;
  for (int n = (int)small_n, m = 0; n >= m; n -= 1, m += 2) a = a * (T)3 + plain_in[n + m];
  for (uint n = small_n; n-- > 0;) if ((n ^ i) & 1) a += plain_in[n];
  out[i] = a;
}
)",
      R"(// volatile private
__kernel void NAME(__global T* out, __global const T* plain_in) {
  int i = get_global_id(0);
  volatile T v = plain_in[i];
  v += (T)1;
  v += v;
  out[i] = v;
}
)",
  };
  for (const char* source : kSources)
    for (const char* t : {"int", "float", "uchar", "long", "double", "ushort"}) {
      std::string text = std::regex_replace(source, std::regex(R"(\bT(2|3|4|8|16)\b)"), std::string(t) + "$1");
      list.add(std::regex_replace(text, std::regex(R"(\bT\b)"), t));
    }
}

void items(List& list) {
  static constexpr const char* kFunctions[] = {"get_global_id",    "get_local_id",   "get_group_id",
                                               "get_global_size",  "get_local_size", "get_num_groups",
                                               "get_global_offset"};
  static constexpr const char* kShapes[] = {"// global 128 local 64",      "// global 128 local 32 offset 5",
                                            "// global 16 8 local 8 4",    "// global 8 4 4 local 4 2 2 offset 1 2 3",
                                            "// global 6 4 2 local 3 2 1", "// global 60 local 20"};
  for (const char* f : kFunctions)
    for (const char* shape : kShapes)
      list.add(fmt::format("{0}\n__kernel void NAME(__global uint* out, uint small_d) {{\n"
                           "  uint i = ((get_group_id(2) * get_local_size(2) + get_local_id(2)) * get_global_size(1) + "
                           "get_group_id(1) * get_local_size(1) + get_local_id(1)) * get_global_size(0) + "
                           "get_group_id(0) * get_local_size(0) + get_local_id(0);\n"
                           "  out[i * 4] = {1}(0);\n  out[i * 4 + 1] = {1}(1);\n  out[i * 4 + 2] = {1}(2);\n  out[i * "
                           "4 + 3] = {2};\n}}\n",
                           shape, f,
                           std::string_view(f).ends_with("size") || std::string_view(f).ends_with("groups")
                               ? "0"
                               : fmt::format("{}(3)", f)));
  for (const char* f : kFunctions)
    for (const int d : {0, 1, 2})
      list.add(fmt::format(
          "// {0}({1})\n// global 8 4 4 local 4 2 2 offset 1 2 3\n__kernel void NAME(__global ulong* out) {{\n"
          "  size_t i = (get_global_id(2) - 3) * 32 + (get_global_id(1) - 2) * 8 + get_global_id(0) - 1;\n  out[i] = "
          "{0}({1});\n}}\n",
          f, d));
  for (const char* shape : kShapes) {
    list.add(fmt::format(
        "{}\n__kernel void NAME(__global uint* out) {{\n  uint i = get_group_id(0) * get_local_size(0) + "
        "get_local_id(0);\n"
        "  if (get_local_id(1) == 0 && get_local_id(2) == 0 && get_group_id(1) == 0 && get_group_id(2) == 0) out[i] = "
        "get_work_dim() * 1000 + get_num_groups(0) * get_num_groups(1) * get_num_groups(2);\n}}\n",
        shape));
    list.add(fmt::format("{}\n__kernel void NAME(__global uint* out, __global uint* more, uint small_d) {{\n  uint i = "
                         "(get_global_id(2) - get_global_offset(2)) * 64 + (get_global_id(1) - get_global_offset(1)) * "
                         "16 + get_global_id(0) - get_global_offset(0);\n"
                         "  uint d = small_d % 3;\n  out[i] = get_global_id(d) * 1000 + get_local_id(d);\n  more[i] = "
                         "get_local_size(d) * 100 + get_num_groups(d) + get_group_id(d);\n}}\n",
                         shape));
  }
  list.add("// required size\n// global 64 local 16\n__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void "
           "NAME(__global uint* out) {\n  out[get_global_id(0)] = get_local_size(0) + get_num_groups(0) * 100 + "
           "get_global_size(0) * 10000;\n}\n");
  list.add("// required size\n// global 8 8 2 local 2 2 2\n__kernel __attribute__((reqd_work_group_size(2, 2, 2))) "
           "void NAME(__global uint* out) {\n  size_t x = get_global_id(0), y = get_global_id(1), z = "
           "get_global_id(2);\n  out[(z * 8 + y) * 8 + x] = get_local_size(0) + get_local_size(1) * 10 + "
           "get_local_size(2) * 100 + get_local_id(2);\n}\n");
  list.add(
      "// local memory and a required size of 64\n__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void "
      "NAME(__global uint* out, __global const uint* in) {\n  __local uint t[64];\n  uint l = get_local_id(0);\n  t[l] "
      "= in[get_global_id(0)];\n  barrier(CLK_LOCAL_MEM_FENCE);\n  out[get_global_id(0)] = t[(l + 1) & 63];\n}\n");
  list.add("// memory fences\n__kernel void NAME(__global uint* out, __global const uint* in) {\n  uint i = "
           "get_global_id(0);\n  out[i] = in[i];\n  mem_fence(CLK_GLOBAL_MEM_FENCE);\n  "
           "read_mem_fence(CLK_GLOBAL_MEM_FENCE);\n  write_mem_fence(CLK_LOCAL_MEM_FENCE);\n  out[i] += 1;\n  "
           "barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);\n  out[i] *= 3;\n}\n");
}

void atomics(List& list) {
  for (const char* t : {"int", "uint", "long", "ulong"}) {
    const bool is_long = t[0] == 'l' || t[1] == 'l';
    const char* prefix = is_long ? "atom_" : "atomic_";
    const char* pragma = is_long ? "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n#pragma OPENCL "
                                   "EXTENSION cl_khr_int64_extended_atomics : enable\n"
                                 : "";
    for (const char* f : {"add", "sub", "xchg", "min", "max", "and", "or", "xor", "inc", "dec", "cmpxchg"}) {
      const std::string_view name = f;
      const bool none = name == "inc" || name == "dec", compare = name == "cmpxchg";
      // Every work-item a place of its own, and its old value.
      const std::string rest = none ? "" : compare ? ", in[i] & 1, in[i + 1]" : ", in[i]";
      list.add(fmt::format("// {2}{3}\n{1}__kernel void NAME(__global {0}* out, __global {0}* to, __global const {0}* "
                           "in) {{\n  uint i = get_global_id(0);\n  out[i] = {2}{3}(&to[i]{4});\n}}\n",
                           t, pragma, prefix, f, rest));
      if (name != "xchg" && !compare) {
        list.add(fmt::format("// {2}{3} by all\n{1}__kernel void NAME(__global {0}* to, __global const {0}* in) {{\n  "
                             "uint i = get_global_id(0);\n  {2}{3}(&to[i % 7]{4});\n  {2}{3}(&to[9]{5});\n}}\n",
                             t, pragma, prefix, f, none ? "" : ", in[i]", none ? "" : ", in[3]"));
      }
      {
        list.add(fmt::format("// {2}{3} in local memory\n{1}__kernel void NAME(__global {0}* out, __global const {0}* "
                             "in) {{\n  __local {0} t[64];\n  uint i = get_global_id(0), l = get_local_id(0);\n  t[l] "
                             "= in[i];\n  barrier(CLK_LOCAL_MEM_FENCE);\n  {0} old = {2}{3}(&t[63 - l]{4});\n  "
                             "barrier(CLK_LOCAL_MEM_FENCE);\n  out[i] = t[l] + old * 3;\n}}\n",
                             t, pragma, prefix, f, rest));
        if (name != "xchg" && !compare)
          list.add(fmt::format("// {2}{3} of a group\n{1}__kernel void NAME(__global {0}* out, __global const {0}* in, "
                               "__local {0}* t) {{\n  uint i = get_global_id(0), l = get_local_id(0);\n  if (l < 8) "
                               "t[l] = 5;\n  barrier(CLK_LOCAL_MEM_FENCE);\n  {2}{3}(&t[l & 7]{4});\n  "
                               "barrier(CLK_LOCAL_MEM_FENCE);\n  if (l < 8) out[get_group_id(0) * 8 + l] = t[l];\n}}\n",
                               t, pragma, prefix, f, none ? "" : ", in[i]"));
      }
    }
  }
  list.add("// atomic_xchg of floats\n__kernel void NAME(__global float* out, __global float* to, __global const "
           "float* in) {\n  uint i = get_global_id(0);\n  out[i] = atomic_xchg(&to[i], in[i]);\n}\n");
  list.add("// atomic_xchg of floats in local memory\n__kernel void NAME(__global float* out, __global const float* "
           "in) {\n  __local float t[64];\n  uint i = get_global_id(0), l = get_local_id(0);\n  t[l] = in[i];\n  "
           "barrier(CLK_LOCAL_MEM_FENCE);\n  out[i] = atomic_xchg(&t[63 - l], 1.0f);\n}\n");
  list.add("// a loop of atomic_cmpxchg\n__kernel void NAME(__global float* zero_to, __global const int* small_in) {\n "
           " uint i = get_global_id(0);\n  volatile __global uint* p = (volatile __global uint*)(zero_to + (i & 3));\n "
           " uint old, next;\n  do { old = *p; next = as_uint(as_float(old) + (float)small_in[i]); } while "
           "(atomic_cmpxchg(p, old, next) != old);\n}\n");
  list.add("// a loop of atomic_cmpxchg in local memory\n__kernel void NAME(__global float* out, __global const int* "
           "small_in) {\n  __local uint sum;\n  if (get_local_id(0) == 0) sum = 0;\n  barrier(CLK_LOCAL_MEM_FENCE);\n  "
           "uint old, next;\n  do { old = sum; next = as_uint(as_float(old) + (float)small_in[get_global_id(0)]); } "
           "while (atomic_cmpxchg((volatile __local uint*)&sum, old, next) != old);\n  barrier(CLK_LOCAL_MEM_FENCE);\n "
           " out[get_global_id(0)] = as_float(sum);\n}\n");
  list.add("// a histogram\n__kernel void NAME(__global uint* zero_out, __global const uchar* in) {\n  __local uint "
           "bins[256];\n  uint l = get_local_id(0);\n  for (uint n = l; n < 256; n += 64) bins[n] = 0;\n  "
           "barrier(CLK_LOCAL_MEM_FENCE);\n  for (uint n = 0; n < 8; ++n) atomic_inc(&bins[in[get_global_id(0) * 8 + "
           "n]]);\n  barrier(CLK_LOCAL_MEM_FENCE);\n  for (uint n = l; n < 256; n += 64) atomic_add(&zero_out[n], "
           "bins[n]);\n}\n");
  list.add("// places from a counter\n__kernel void NAME(__global uint* out, __global uint* zero_count, __global const "
           "int* in) {\n  uint i = get_global_id(0);\n  if (in[i] > 0) atomic_inc(zero_count);\n  out[i] = in[i] > 0 ? "
           "1 : 2;\n}\n");
}

void structs(List& list) {
  list.add("// a struct by value\n// struct part 16\nstruct part { int a; uint b; short c; char d; char e; uint f; "
           "};\n__kernel void NAME(__global int* out, struct part p) {\n  out[get_global_id(0)] = p.a + (int)p.b * 3 + "
           "p.c * 5 + p.d * 7 + p.e + (int)p.f;\n}\n");
  list.add("// nested structs by value\n// struct outer 64\ntypedef struct { int x, y; } inner;\ntypedef struct { "
           "inner p[4]; uint4 v; long l; inner q; } outer;\n__kernel void NAME(__global int* out, outer s, uint "
           "small_n) {\n  uint i = get_global_id(0);\n  out[i] = s.p[1].x + s.p[3].y * 3 + (int)s.v.z + (int)s.l + "
           "s.q.y;\n  out[i + 128] = s.p[small_n & 3].y;\n}\n");
  list.add("// a struct by value with an index of a work-item\n// struct table 64\ntypedef struct { int v[16]; } "
           "table;\n__kernel void NAME(__global int* out, table t) {\n  uint i = get_global_id(0);\n  out[i] = t.v[i & "
           "15];\n}\n");
  list.add("// structs of structs in memory\ntypedef struct { int x; short y[2]; } inner;\ntypedef struct { inner "
           "p[2]; uchar c[4]; ushort2 s; } outer;\n__kernel void NAME(__global int* out, __global int* in) {\n  uint i "
           "= get_global_id(0);\n  __global outer* o = (__global outer*)in + i;\n  out[i] = o->p[1].x + o->p[i & "
           "1].y[1] + o->c[i & 3] + o->s.y;\n  o->c[2] = 7;\n  o->p[0].y[1] = (short)i;\n  outer copy = *o;\n  "
           "copy.s.x = 9;\n  ((__global outer*)in)[i] = copy;\n}\n");
  list.add("// packed\ntypedef struct __attribute__((packed)) { char a; int b; short c; double d; } node;\n__kernel "
           "void NAME(__global double* out, __global int* in, __global int* more) {\n  uint i = get_global_id(0);\n  "
           "__global node* n = (__global node*)in + i;\n  more[i] = n->b + n->c + n->a;\n  n->b = (int)i;\n  out[i] = "
           "n->d > 0 ? 1 : 0;\n}\n");
  list.add("// a list in memory\ntypedef struct { int next; int value; } node;\n__kernel void NAME(__global int* out, "
           "__global const uint* in) {\n  uint i = get_global_id(0), n = i;\n  int sum = 0;\n  __global const node* "
           "nodes = (__global const node*)in;\n  for (int k = 0; k < 10; ++k) { sum += nodes[n].value; n = "
           "(uint)nodes[n].next & 255; if (n == 7) break; }\n  out[i] = sum;\n}\n");
  list.add("// tables of a program\n__constant float2 NAME_pairs[4] = {(float2)(1, 2), (float2)(3, 4), (float2)(5, 6), "
           "(float2)(7, 8)};\n__constant char NAME_text[] = \"hello, world\";\n__constant int NAME_rows[3][4] = {{1, "
           "2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};\n__kernel void NAME(__global int* out, __global const uint* in) "
           "{\n  uint i = get_global_id(0);\n  out[i] = NAME_rows[in[i] % 3][i & 3] + NAME_text[in[i] % 12] + "
           "(int)NAME_pairs[i & 3].y;\n}\n");
  list.add("// a table of structs\ntypedef struct { uchar a; ushort b; int c; } entry;\n__constant entry NAME_table[5] "
           "= {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}, {200, 65535, -5}};\n__kernel void NAME(__global int* "
           "out, __global const uint* in) {\n  uint i = get_global_id(0);\n  out[i] = NAME_table[in[i] % 5].a + "
           "NAME_table[in[i] % 5].b * 3 + NAME_table[4].c;\n}\n");
  list.add("// a generator of numbers\n__kernel void NAME(__global uint* out, uint seed) {\n  uint i = "
           "get_global_id(0), s = seed ^ i * 2654435761u;\n  for (int n = 0; n < 20; ++n) { s ^= s << 13; s ^= s >> "
           "17; s ^= s << 5; }\n  ulong w = ((ulong)s << 32 | i) * 6364136223846793005ul + 1442695040888963407ul;\n  "
           "out[i] = (uint)(w >> 33) ^ rotate(s, 7u);\n}\n");
  list.add("// a checksum\n__kernel void NAME(__global uint* out, __global const uchar* in) {\n  uint i = "
           "get_global_id(0), c = ~0u;\n  for (int n = 0; n < 8; ++n) { c ^= in[i * 8 + n]; for (int k = 0; k < 8; "
           "++k) c = (c >> 1) ^ (0xedb88320u & (0u - (c & 1))); }\n  out[i] = ~c;\n}\n");
  list.add("// a block of a hash\n__kernel void NAME(__global uint* out, __global const uint* in) {\n  uint i = "
           "get_global_id(0), a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;\n  for (uint n = 0; n < "
           "16; ++n) { uint f = bitselect(d, c, b), t = d; d = c; c = b; b = b + rotate(a + f + in[(i + n) & 1023] + n "
           "* 0x5a827999u, n % 4 * 5 + 7); a = t; }\n  out[i * 4] = a; out[i * 4 + 1] = b; out[i * 4 + 2] = c; out[i * "
           "4 + 3] = d;\n}\n");
  list.add("// a Mandelbrot set\n// global 16 8 local 16 4\n__kernel void NAME(__global int* out) {\n  float cx = "
           "get_global_id(0) * 0.1875f - 2.0f, cy = get_global_id(1) * 0.25f - 1.0f, x = 0, y = 0;\n  int n = 0;\n  "
           "while (n < 60 && x * x + y * y < 4.0f) { float t = x * x - y * y + cx; y = 2 * x * y + cy; x = t; ++n; }\n "
           " out[get_global_id(1) * 16 + get_global_id(0)] = n;\n}\n");
  list.add("// bytes of a word\n__kernel void NAME(__global uchar4* out, __global const uint* in) {\n  uint i = "
           "get_global_id(0);\n  uchar4 v = as_uchar4(in[i]);\n  out[i] = (uchar4)(v.w, v.z, v.y, v.x);\n  ((__global "
           "uchar*)out)[i + 1024] = (uchar)(in[i] >> 5);\n}\n");
  list.add("// colours\n__kernel void NAME(__global uchar4* out, __global const uchar4* in) {\n  uint i = "
           "get_global_id(0);\n  float4 f = convert_float4(in[i]) * 0.5f + 3.0f;\n  out[i] = convert_uchar4_sat_rte(f "
           "* f * 0.125f);\n  uint4 u = convert_uint4(in[i + 1]);\n  out[i + 128] = convert_uchar4((u * 77u + u.yzwx * "
           "150u) >> 8);\n}\n");
  list.add("// complex numbers\ntypedef float2 complex_t;\ncomplex_t times(complex_t a, complex_t b) { return "
           "(complex_t)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }\n__kernel void NAME(__global float2* out, "
           "__global const float2* unit_in) {\n  uint i = get_global_id(0);\n  float2 z = unit_in[i];\n  for (int n = "
           "0; n < 5; ++n) z = times(z, unit_in[n]);\n  out[i] = z;\n}\n");
}

void regressions(List& list) {
  list.add_always(
      "// a vector of bytes in front of other values\n__kernel void NAME(__global uint* out, uchar16 a, float plain_b, "
      "ulong c) {\n  uint i = get_global_id(0);\n  out[i] = a.sf + (plain_b > 0) + (uint)c;\n}\n");
  list.add_always("// small quotients of large numbers\n__kernel void NAME(__global double* out, __global const "
                  "double* in) {\n  uint i = get_global_id(0);\n  out[i] = in[i] / (1.5e308 + in[i] * 0.0);\n  out[i + "
                  "128] = 1.0 / ldexp(1.0 + (int)i, 1017);\n}\n");
  list.add_always(
      "// a table that a loop goes through backwards\n__constant uint NAME_table[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, "
      "5, 8};\n__kernel void NAME(__global uint* out, __global const uint* in) {\n  uint i = get_global_id(0), sum = "
      "in[i];\n#pragma nounroll\n  for (int n = 11; n >= 0; --n) sum = sum * 3 + NAME_table[n];\n  out[i] = sum;\n}\n");
  list.add_always("// bytes of a table that a loop goes through backwards\n__constant uchar NAME_table[12] = {3, 1, 4, "
                  "1, 5, 9, 2, 6, 5, 3, 5, 8};\n__kernel void NAME(__global uint* out, __global const uint* in) {\n  "
                  "uint i = get_global_id(0), sum = in[i];\n#pragma nounroll\n  for (int n = 11; n >= 0; --n) sum = "
                  "sum * 3 + NAME_table[n];\n  out[i] = sum;\n}\n");
  list.add_always("// a table in whose place two numbers are chosen\n__constant int NAME_rows[3][4] = {{1, 2, 3, 4}, "
                  "{5, 6, 7, 8}, {9, 10, 11, 12}};\n__constant char NAME_text[] = \"hello, world\";\n__kernel void "
                  "NAME(__global int* out, __global const uint* in) {\n  uint i = get_global_id(0);\n  out[i] = "
                  "NAME_rows[in[i] % 3][i & 3] + NAME_text[in[i] % 12];\n}\n");
}

}  // namespace

std::vector<Kernel> small_kernels() {
  List list;
  regressions(list);
  structs(list);
  flow(list);
  items(list);
  atomics(list);
  memory(list);
  conversions(list);
  integers(list);
  reals(list);
  return list.take();
}

}  // namespace amdcompat_test::small
