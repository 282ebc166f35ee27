// Keywords of the metadata, and the row of the public directive table that belongs to each.
#pragma once

#include <string_view>
#include <type_traits>
#include <variant>

#include <amdcompat/text.hpp>

namespace amdcompat::text {

// In the order of directive_table().
enum class Keyword : std::uint8_t {
  Version, Device, UniqueId, Memory, Cws, Crs, Wsh, Vth, Lws, LimitGroupSize, WavesPerSimdHint, Membound,
  Function, Intrinsic, Error, Warning, PrintfFmt, Value, Pointer, Image, Sampler, Counter, Sema, Queue,
  UavId, PrintfId, CbId, PrivateId, ConstArg, Reflection, EnqueueKernel, KernelIndex,
  None
};
inline constexpr std::size_t kKeywords = static_cast<std::size_t>(Keyword::None);

// Keyword::None when the word is no directive.
[[nodiscard]] Keyword find_keyword(std::string_view word);
// The keyword at `line`, if a `:` follows it; `line` then goes behind that. None does not mean that there is none:
// this is the quick look for good lines, find_keyword decides. Reads kKeywordBytes bytes, whatever they are; a line
// that ends earlier cannot match, as no keyword has a line end or quote in it.
inline constexpr std::size_t kKeywordBytes = 16;
[[nodiscard]] Keyword keyword_before_colon(const char*& line);
[[nodiscard]] const DirectiveInfo& directive_info(Keyword keyword);
// A bit of each alternative of `Directive` that is an argument whatever the dialect.
template <class... Of>
[[nodiscard]] consteval std::uint64_t argument_bits(const std::variant<Of...>*) {
  const auto is = []<class T>(std::type_identity<T>) {
    return std::is_same_v<T, ValueArg> || std::is_same_v<T, PointerArg> || std::is_same_v<T, ImageArg> ||
           std::is_same_v<T, CounterArg> || std::is_same_v<T, SemaphoreArg> || std::is_same_v<T, QueueArg>;
  };
  std::uint64_t bits = 0, bit = 1;
  ((bits |= is(std::type_identity<Of>{}) ? bit : 0, bit <<= 1), ...);
  return bits;
}
// Whether it is an argument of the kernel. A sampler line is one in the HSAIL dialects only.
[[nodiscard]] inline bool is_argument(Dialect dialect, const Directive& directive) {
  static_assert(std::variant_size_v<Directive> < 64);
  constexpr std::uint64_t kBits = argument_bits(static_cast<const Directive*>(nullptr));
  return (kBits >> directive.index() & 1) != 0 ||
         (dialect != Dialect::Amdil && std::holds_alternative<SamplerDef>(directive));
}

}  // namespace amdcompat::text
