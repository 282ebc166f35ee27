#include "directives.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "spellings.hpp"

namespace amdcompat::text {

namespace {

constexpr auto D = Evidence::Documented;
constexpr auto O = Evidence::Observed;
constexpr auto I = Evidence::Inferred;

// keyword, fields, meaning, what AMD's runtime does, source, evidence, essential, repeats
constexpr DirectiveInfo kTable[] = {
    {"version", "major:minor:revision", "metadata version", "decides which pointer fields are read",
     "SPEC «Metadata Version Number»; RT MetadataVersion", D, true, false},
    {"device", "name", "device compiled for", "ignored", "SPEC «Device name»", D, false, false},
    {"uniqueid", "id", "id of the function in call, func and function:", "read in the call-graph pass",
     "SPEC «Unique Kernel ID»", D, false, false},
    {"memory", "space:bytes | flag", "memory amounts and capabilities, combined over the call graph",
     "hwlocal, private kinds and three flags", "SPEC «Local/Private Memory»; BE printKernelArgs", D, true, true},
    {"cws", "x:y:z", "required work-group size, work-items", "compileSize", "SPEC «Per Kernel Local Group Size»", D,
     true, false},
    {"crs", "x:y:z", "required region size", "ignored", "BE printKernelArgs", O, false, false},
    {"wsh", "x:y:z", "work-group size hint, work-items", "compileSizeHint", "BET; RT parseArguments", O, false, false},
    {"vth", "type", "vector type hint", "stored", "BET; RT parseArguments", O, false, false},
    {"lws", "n", "largest flat work-group size, work-items", "work-group size", "SPEC «Compiler Specified Group Size»",
     D, true, false},
    {"limitgroupsize", "", "work-groups of one wavefront only", "work-group size becomes the wavefront size",
     "SPEC «Compiler Specified Group Size»", D, true, false},
    {"WavesPerSimdHint", "n", "occupancy hint", "stored", "BIN; RT parseArguments", O, false, false},
    {"membound", "n", "compiler hint: bound by memory", "ignored", "ROCm-OpenCL-Runtime amdilUtils.cpp", O, false,
     false},
    {"function", "n:id…", "functions this one calls", "call graph", "SPEC «Function Metadata»", D, true, true},
    {"intrinsic", "n:id…", "library functions to append", "call graph", "SPEC «Intrinsic Metadata»", D, false, true},
    {"error", "text", "the compiler failed", "build fails with the text", "SPEC «Error Token»", D, true, true},
    {"warning", "text", "the compiler warned", "appended to the build log", "SPEC «Warning Token»", D, false, true},
    {"printf_fmt", "id:n:size…:length:format;", "a printf call site", "program-wide table",
     "SPEC «Printf information»; RT parseFuncMetadata", D, true, true},
    {"value", "name:type:n:cb:offset", "by-value argument", "argument", "SPEC «Pass by value arguments»; BIN", D, true,
     true},
    {"pointer", "name:type:1:cb:offset:memory:buffer:align[:access[:volatile:restrict[:pipe]]]", "pointer argument",
     "argument", "SPEC «Pass by pointer arguments»; RT BufType; BIN", D, true, true},
    {"image", "name:dim:access:id:cb:offset", "image argument, two slots", "argument",
     "SPEC «Image Kernel Arguments»; BIN", D, true, true},
    {"sampler", "name:id:location:value", "sampler, of the kernel (1) or an argument (0)", "argument or constant",
     "SPEC «Sampler Arguments»; BIN", D, true, true},
    {"counter", "name:bits:id:cb:offset", "atomic counter in GDS", "bound by index, no value written",
     "SPEC «Counter kernel arguments»; BIN", D, true, true},
    {"sema", "name:id:cb:offset", "semaphore", "unknown, skipped", "BE; MDP", O, true, true},
    {"queue", "name:type:1:cb:offset:memory", "OpenCL 2.0 queue (HSAIL dialect)", "unknown, skipped",
     "HLC processArgMetadata; BIN", O, true, true},
    {"uavid", "n", "raw UAV when no argument supplies one", "pseudo argument", "SPEC «Raw UAV ID number»", D, false,
     false},
    {"printfid", "n", "UAV of the printf buffer", "stored", "BE; BIN", O, false, false},
    {"cbid", "n", "UAV of the global constant data", "stored", "BE; BIN", O, false, false},
    {"privateid", "n", "UAV of private memory", "ignored", "BE; BIN", O, false, false},
    {"constarg", "index:name", "the argument is const", "forces read-only", "BIN; RT parseArguments", O, false, true},
    {"reflection", "index:type", "source type of an argument", "stored for clGetKernelArgInfo",
     "BIN; RT parseArguments", O, false, true},
    {"enqueue_kernel", "0|1", "the kernel enqueues kernels (HSAIL dialect)", "not in this runtime", "HLC; BIN", O,
     false, false},
    {"kernel_index", "n", "index among the kernels (HSAIL dialect)", "not in this runtime", "HLC; BIN", I, false,
     false},
};
static_assert(std::size(kTable) == kKeywords);

// Open addressing over a power of two; the hash needs only the length and two characters.
constexpr std::size_t kSlots = 128;
constexpr std::size_t slot_of(std::string_view word) {
  return (word.size() * 11 + static_cast<unsigned char>(word.front()) * 5 +
          static_cast<unsigned char>(word.back()) * 3) %
         kSlots;
}
constexpr auto kHash = [] {
  std::array<std::uint8_t, kSlots> slots{};
  slots.fill(static_cast<std::uint8_t>(kKeywords));
  for (std::size_t i = 0; i < kKeywords; ++i) {
    std::size_t at = slot_of(kTable[i].keyword);
    while (slots[at] != kKeywords) at = (at + 1) % kSlots;
    slots[at] = static_cast<std::uint8_t>(i);
  }
  return slots;
}();

// For keyword_before_colon: `keyword:` as two words of eight bytes, found by its first two characters. At most three
// keywords share them (printf_fmt, printfid, privateid).
using Words = std::array<std::uint64_t, 2>;
constexpr Words words_of(std::string_view text, bool mask) {
  std::array<unsigned char, 16> bytes{};
  for (std::size_t i = 0; i < text.size(); ++i) bytes[i] = mask ? 0xff : static_cast<unsigned char>(text[i]);
  if (text.size() < bytes.size()) bytes[text.size()] = mask ? 0xff : ':';
  return std::bit_cast<Words>(bytes);
}
struct Candidate {
  Words words{}, mask{};
  std::uint8_t size = 0;  // with the colon
  Keyword keyword = Keyword::None;
};
constexpr std::size_t kPairs = 256;
constexpr std::size_t pair_of(const char* word) {
  return (static_cast<unsigned char>(word[0]) * 7u + static_cast<unsigned char>(word[1]) * 37u) % kPairs;
}
constexpr auto kByPair = [] {
  std::array<std::array<Candidate, 3>, kPairs> pairs{};
  for (std::size_t i = 0; i < kKeywords; ++i) {
    const std::string_view keyword = kTable[i].keyword;
    // Left to find_keyword: WavesPerSimdHint, which with its colon is too long, and the one keyword that has none.
    if (keyword.size() > 15 || static_cast<Keyword>(i) == Keyword::LimitGroupSize) continue;
    auto& pair = pairs[pair_of(keyword.data())];
    std::size_t n = 0;
    while (pair[n].keyword != Keyword::None) ++n;  // out of bounds, thus no constant expression, when too many share
    pair[n] = {words_of(keyword, false), words_of(keyword, true), static_cast<std::uint8_t>(keyword.size() + 1),
               static_cast<Keyword>(i)};
  }
  return pairs;
}();

}  // namespace

Keyword keyword_before_colon(const char*& line) {
  Words words;
  std::memcpy(words.data(), line, sizeof words);
  for (const Candidate& candidate : kByPair[pair_of(line)]) {
    if (candidate.keyword == Keyword::None) break;
    if ((((words[0] ^ candidate.words[0]) & candidate.mask[0]) |
         ((words[1] ^ candidate.words[1]) & candidate.mask[1])) == 0) {
      line += candidate.size;
      return candidate.keyword;
    }
  }
  return Keyword::None;
}

std::span<const DirectiveInfo> directive_table() { return kTable; }

const DirectiveInfo& directive_info(Keyword keyword) { return kTable[static_cast<std::size_t>(keyword)]; }

Keyword find_keyword(std::string_view word) {
  if (word.empty()) return Keyword::None;
  for (std::size_t at = slot_of(word); kHash[at] != kKeywords; at = (at + 1) % kSlots)
    if (kTable[kHash[at]].keyword == word) return static_cast<Keyword>(kHash[at]);
  return Keyword::None;
}

std::string_view number_key_name(NumberKey key) { return spelling_of(kNumberKeys, key); }
std::string_view memory_space_name(MemorySpace space) { return spelling_of(kMemorySpaces, space); }
std::string_view memory_flag_name(MemoryFlag flag) { return spelling_of(kMemoryFlags, flag); }
std::string_view group_key_name(GroupKey key) { return spelling_of(kGroupKeys, key); }
std::string_view access_name(Access access) { return spelling_of(kAccesses, access); }

}  // namespace amdcompat::text
