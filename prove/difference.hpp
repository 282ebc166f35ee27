// Where buffers of two sides differ: numbers as bits, and as what they stand for.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <variant>

#include <amdcompat/program.hpp>

namespace amdcompat::emulate {

inline constexpr std::size_t kNoPlace = ~std::size_t{0};

template <class Number>
struct Numbers {
  std::span<const std::byte> bytes;
  [[nodiscard]] std::size_t size() const { return bytes.size() / sizeof(Number); }
  [[nodiscard]] Number operator[](std::size_t n) const {
    Number out;
    std::memcpy(&out, bytes.data() + n * sizeof(Number), sizeof(Number));
    return out;
  }
};

// The same bits, or two NaNs.
template <class Number>
[[nodiscard]] bool is_same_number(Number x, Number y) {
  return std::isnan(x) ? std::isnan(y) : x == y && std::signbit(x) == std::signbit(y);
}

// The first byte that is another one, or `kNoPlace`.
[[nodiscard]] inline std::size_t first_other(std::span<const std::byte> wanted, std::span<const std::byte> got) {
  const auto at = std::ranges::mismatch(wanted, got).in1;
  return at == wanted.end() ? kNoPlace : static_cast<std::size_t>(at - wanted.begin());
}

// The byte of the first number that differs by more than `tolerance` of the largest finite one in `wanted`, a NaN
// being as good as another. `error` becomes the largest difference in that measure, if it was smaller.
template <class Number>
[[nodiscard]] std::size_t first_other_number(std::span<const std::byte> wanted, std::span<const std::byte> got,
                                             double tolerance, double& error) {
  const Numbers<Number> a{wanted}, b{got};
  double largest = 0, found = 0;
  for (std::size_t n = 0; n < a.size(); ++n)
    if (std::isfinite(a[n])) largest = std::max(largest, std::fabs(double{a[n]}));
  for (std::size_t n = 0; n < a.size(); ++n) {
    const Number x = a[n], y = b[n];
    if (is_same_number(x, y)) continue;
    const double difference = std::fabs(double{x} - double{y});
    if (tolerance == 0 || !(difference <= tolerance * largest)) return n * sizeof(Number);
    found = std::max(found, difference / largest);
  }
  error = std::max(error, found);
  return kNoPlace;
}

// Whether two numbers of a buffer of which nothing says what it holds are floats that differ by at most `tolerance`: of
// themselves, or where they are as large as numbers usually are, of the largest such one. Other words seldom look so.
template <class Number>
struct Near {
  static constexpr double kSmall = 0x1p-40, kLarge = 0x1p40;
  double tolerance, largest = 0;
  Near(std::span<const std::byte> wanted, double allowed) : tolerance(allowed) {
    const Numbers<Number> all{wanted};
    for (std::size_t n = 0; tolerance != 0 && n < all.size(); ++n)
      if (is_usual(all[n])) largest = std::max(largest, std::fabs(double{all[n]}));
  }
  [[nodiscard]] bool operator()(Number x, Number y, double& error) const {
    if (is_same_number(x, y)) return true;
    const double a = std::fabs(double{x}), b = std::fabs(double{y}), difference = std::fabs(double{x} - double{y});
    const double of = is_usual(x) && is_usual(y) ? largest : std::min(a, b);
    if (tolerance == 0 || !std::isfinite(a) || !std::isfinite(b) || !(difference <= tolerance * of)) return false;
    error = std::max(error, difference / of);
    return true;
  }
  static bool is_usual(Number x) {
    const double size = std::fabs(double{x});
    return size == 0 || (size >= kSmall && size <= kLarge);
  }
};

// The byte of the first word that is another one, or `kNoPlace`. What is a NaN as a float may be one, and with
// `doubles` what is one as a double. Only floats may differ by `tolerance`.
[[nodiscard]] inline std::size_t first_other_word(std::span<const std::byte> wanted, std::span<const std::byte> got,
                                                  bool doubles, double tolerance, double& error) {
  const Numbers<float> a{wanted}, b{got};
  const Numbers<double> wide_a{wanted}, wide_b{got};
  const Near<float> is_near(wanted, tolerance);
  const Near<double> are_near(wanted, doubles ? tolerance : 0);
  double found = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    if (is_near(a[n], b[n], found)) continue;
    const std::size_t wide = n / 2;
    if (!doubles || wide >= wide_a.size() || !are_near(wide_a[wide], wide_b[wide], found)) return n * sizeof(float);
  }
  const std::size_t whole = a.size() * sizeof(float), rest = first_other(wanted.subspan(whole), got.subspan(whole));
  if (rest != kNoPlace) return whole + rest;
  error = std::max(error, found);
  return kNoPlace;
}

// The same of halves. With a tolerance, which is less than their last bit, that bit may be another one.
[[nodiscard]] inline std::size_t first_other_half(std::span<const std::byte> wanted, std::span<const std::byte> got,
                                                  double tolerance, double& error) {
  constexpr double kLastBit = 0x1p-10;
  const Numbers<std::uint16_t> a{wanted}, b{got};
  const auto is_nan = [](std::uint16_t half) { return (half & 0x7fff) > 0x7c00; };
  double found = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    if (a[n] == b[n] || (is_nan(a[n]) && is_nan(b[n]))) continue;
    const bool next = std::abs(a[n] - b[n]) == 1 && !is_nan(a[n]) && !is_nan(b[n]);
    if (tolerance == 0 || !next) return n * sizeof(std::uint16_t);
    found = kLastBit;
  }
  error = std::max(error, found);
  return kNoPlace;
}

// The scalar that the name of a type begins with, before its number of elements; `Other`: no such.
[[nodiscard]] inline ScalarType scalar_named(std::string_view name) {
  struct Named {
    std::string_view name;
    ScalarType type;
  };
  constexpr Named kNames[] = {
      {"float", ScalarType::Float}, {"double", ScalarType::Double}, {"char", ScalarType::I8},
      {"uchar", ScalarType::U8},    {"short", ScalarType::I16},     {"ushort", ScalarType::U16},
      {"int", ScalarType::I32},     {"uint", ScalarType::U32},      {"long", ScalarType::I64},
      {"ulong", ScalarType::U64},   {"half", ScalarType::Half},
  };
  const auto found = std::ranges::find(kNames, name.substr(0, name.find_first_of("0123456789*")), &Named::name);
  return found == std::end(kNames) ? ScalarType::Other : found->type;
}
// What the elements are that a pointer points to; `Other`: nothing says it. Of code objects the name of the type does.
[[nodiscard]] inline ScalarType element_of(const Argument& argument, const PointerInfo& pointer) {
  return argument.in_kernarg() == nullptr ? pointer.pointee : scalar_named(argument.type_name);
}

// As the argument's element type takes them: numbers as numbers. `doubles`: what has no type may be of doubles.
// Vectors of three have a fourth component that is no value. [OpenCL 1.2 §6.1.5] Bytes of an element of theirs, where a
// buffer has such; else 0.
[[nodiscard]] inline std::size_t element_of_threes(const Argument& argument) {
  const bool threes = std::holds_alternative<GlobalPointer>(argument.kind) && argument.type_name.ends_with("3*");
  return threes ? scalar_size(scalar_named(argument.type_name)) : 0;
}
// A buffer whose fourth components are those of another one.
[[nodiscard]] inline std::vector<std::byte> with_fourths_of(std::span<const std::byte> from,
                                                            std::span<const std::byte> buffer, std::size_t element) {
  std::vector<std::byte> out(buffer.begin(), buffer.end());
  for (std::size_t at = 3 * element; at + element <= out.size(); at += 4 * element)
    std::ranges::copy(from.subspan(at, element), out.begin() + static_cast<std::ptrdiff_t>(at));
  return out;
}

[[nodiscard]] inline std::size_t first_other_value(const Argument& argument, std::span<const std::byte> wanted,
                                                   std::span<const std::byte> got, bool doubles, double tolerance,
                                                   double& error) {
  if (const auto* const pointer = std::get_if<GlobalPointer>(&argument.kind)) {
    const ScalarType element = element_of(argument, *pointer);
    if (element == ScalarType::Float) return first_other_number<float>(wanted, got, tolerance, error);
    if (element == ScalarType::Double) return first_other_number<double>(wanted, got, tolerance, error);
    if (element == ScalarType::Half) return first_other_half(wanted, got, tolerance, error);
    if (element == ScalarType::Other) return first_other_word(wanted, got, doubles, tolerance, error);
  }
  return first_other(wanted, got);
}

}  // namespace amdcompat::emulate
