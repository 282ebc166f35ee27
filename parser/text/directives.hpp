// Keywords of the metadata, and the row of the public directive table that belongs to each.
#pragma once

#include <string_view>

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
// Whether it is an argument of the kernel. A sampler line is one in the HSAIL dialects only.
[[nodiscard]] inline bool is_argument(Dialect dialect, const Directive& directive) {
  return std::holds_alternative<ValueArg>(directive) || std::holds_alternative<PointerArg>(directive) ||
         std::holds_alternative<ImageArg>(directive) || std::holds_alternative<CounterArg>(directive) ||
         std::holds_alternative<SemaphoreArg>(directive) || std::holds_alternative<QueueArg>(directive) ||
         (dialect != Dialect::Amdil && std::holds_alternative<SamplerDef>(directive));
}
// Whether a line of this keyword can be one: the quick question of the parser.
[[nodiscard]] constexpr bool may_be_argument(Keyword keyword) {
  static_assert(kKeywords < 64);
  std::uint64_t mask = 0;
  for (const Keyword one : {Keyword::Value, Keyword::Pointer, Keyword::Image, Keyword::Sampler, Keyword::Counter,
                            Keyword::Sema, Keyword::Queue})
    mask |= std::uint64_t{1} << static_cast<unsigned>(one);
  return (mask >> static_cast<unsigned>(keyword) & 1) != 0;
}

}  // namespace amdcompat::text
