// Whatever the document: printed and parsed it is the same; whatever the bytes: they print back.
#include <rapidcheck.h>

#include <amdcompat/open.hpp>

#include "hand_reader.hpp"
#include "text/text_samples.hpp"

namespace amdcompat::text::properties_test {
namespace {

using namespace test;

// Text of `characters`, at least `least` of them.
std::string word(std::string_view characters, std::size_t least = 1) {
  auto size = *rc::gen::inRange<std::size_t>(least, 12);
  std::string out;
  while (size-- > 0) out += *rc::gen::elementOf(std::string(characters));
  return out;
}
std::string name() { return word("abcxyz_019.$%&\t*-"); }
std::string rest() { return word("abc 09:;\\n\"'*<>,%d\t", 0); }
std::uint32_t number() {
  return *rc::gen::oneOf(rc::gen::inRange<std::uint32_t>(0, 70), rc::gen::arbitrary<std::uint32_t>(),
                         rc::gen::element<std::uint32_t>(0, 0xffffffff, 0x10000, 4294967290));
}
bool coin() { return *rc::gen::arbitrary<bool>(); }
template <class Enum>
Enum any(Enum last) {
  return static_cast<Enum>(*rc::gen::inRange(0, static_cast<int>(last) + 1));
}
Access access() { return *rc::gen::element(Access::ReadOnly, Access::WriteOnly, Access::ReadWrite); }
ScalarType scalar() { return any(ScalarType::Sampler); }

// A model to be printed: what directives refer to is kept by an empty document.
struct Model {
  Document document;
  std::vector<std::uint32_t> ids;

  std::string_view keep(std::string text) { return document.keep(std::move(text)); }

  std::string list(std::uint32_t count) {
    std::string out;
    for (std::uint32_t i = 0; i < count; ++i) {
      ids.push_back(number());
      out += ":" + std::to_string(ids.back());
    }
    return out;
  }

  // The directive, and its text as the specification writes it. Lists cannot be put into a document from outside, so
  // their text is made here; all others come from the printer.
  std::pair<Directive, std::string> directive() {
    Directive out;
    const auto first = static_cast<std::uint32_t>(ids.size());
    switch (*rc::gen::inRange(0, 19)) {
      case 0: out = Version{{number(), number(), number()}}; break;
      case 1: out = DeviceName{keep(rest() + "x")}; break;
      case 2: out = Number{any(NumberKey::KernelIndex), number()}; break;
      case 3: out = MemorySize{any(MemorySpace::HwRegion), number()}; break;
      case 4: out = MemoryFlagged{any(MemoryFlag::PackedReg)}; break;
      case 5: out = GroupSize{any(GroupKey::Wsh), number(), number(), number()}; break;
      case 6: out = VectorTypeHint{keep(rest() + "4")}; break;
      case 7: out = LimitGroupSize{}; break;
      case 8: {
        const auto key = any(IdListKey::Intrinsic);
        const auto stored = *rc::gen::inRange<std::uint32_t>(0, 5);
        const std::uint32_t count = coin() ? stored : number();
        const std::string text =
            (key == IdListKey::Function ? "function:" : "intrinsic:") + std::to_string(count) + list(stored);
        return {IdList{key, count, first, stored}, text};
      }
      case 9: out = Message{any(MessageKey::Warning), keep(rest())}; break;
      case 10: out = ConstArg{number(), keep(name())}; break;
      case 11: out = Reflection{number(), keep(rest())}; break;
      case 12: out = ValueArg{keep(name()), scalar(), number(), number(), number()}; break;
      case 13: {
        PointerArg pointer;
        pointer.name = keep(name());
        pointer.elements = number();
        pointer.cb = number();
        pointer.offset = number();
        pointer.memory = any(MemoryKind::Flat);
        pointer.buffer = number();
        pointer.type = coin() ? scalar() : ScalarType::Other;
        pointer.type_text = pointer.type == ScalarType::Other ? keep("T" + name()) : scalar_name(pointer.type);
        if (pointer.memory != MemoryKind::Global || coin()) {
          pointer.align = number();
          if (coin()) {
            pointer.access = access();
            if (coin()) {
              pointer.is_volatile = coin();
              pointer.is_restrict = coin();
              if (coin()) pointer.is_pipe = coin();
            }
          }
        }
        out = pointer;
        break;
      }
      case 14: out = ImageArg{keep(name()), any(ImageDim::D2ArrayDepth), access(), number(), number(), number()}; break;
      case 15: out = SamplerDef{keep(name()), number(), number(), number()}; break;
      case 16: out = CounterArg{keep(name()), coin() ? 32u : 64u, number(), number(), number()}; break;
      case 17: out = SemaphoreArg{keep(name()), number(), number(), number()}; break;
      default: {
        if (coin()) {
          const auto memory =
              *rc::gen::element(MemoryKind::Uav, MemoryKind::HardwarePrivate, MemoryKind::EmulatedPrivate);
          out = QueueArg{keep(name()), keep(name()), number(), number(), number(), memory};
          break;
        }
        PrintfFmt format;
        format.id = number();
        format.first = first;
        format.count = format.stored = *rc::gen::inRange<std::uint32_t>(0, 5);
        format.escaped = keep(encode_printf(word("ab:; %d\n\r\t", 0)));
        format.length = static_cast<std::uint32_t>(decode_printf(format.escaped).size());
        std::string text =
            "printf_fmt:" + std::to_string(format.id) + ":" + std::to_string(format.count) + list(format.count);
        text += ":" + std::to_string(format.length) + ":" + std::string(format.escaped) + ";";
        return {format, text};
      }
    }
    return {out, print_directive(document, out)};
  }
};

TEST(TextProperties, EveryModelPrintsAndParsesBackEqual) {
  EXPECT_TRUE(rc::check([] {
    Model model;
    std::vector<Directive> directives;
    std::string source = ";ARGSTART:f\n";
    const auto count = *rc::gen::inRange(0, 12);
    for (int i = 0; i < count; ++i) {
      auto [directive, text] = model.directive();
      directives.push_back(directive);
      source += ";" + text + "\n";
    }
    source += ";ARGEND:f\n";
    RC_LOG() << source;
    const Parsed text = parsed(source);
    if (!text.diagnostics.all().empty()) RC_LOG() << testing::PrintToString(text.diagnostics.all());
    RC_ASSERT(text.diagnostics.all().empty());
    RC_ASSERT(text.document.elements.size() == directives.size() + 2);
    for (std::size_t i = 0; i < directives.size(); ++i) {
      RC_ASSERT(hand::same(directives[i], model.ids, text.document.elements[i + 1].directive, text.document));
      RC_ASSERT(text.document.elements[i + 1].canonical);
    }
    RC_ASSERT(print(text.document) == source);
    RC_ASSERT(reprint(text.document, 0, text.document.elements.size() - 1) == source);
    // The other reader agrees with all of it.
    RC_ASSERT(hand::difference(hand::read(source), text.document).empty());
  }));
}

TEST(TextProperties, EveryDataSegmentPrintsAndParsesBackEqual) {
  EXPECT_TRUE(rc::check([] {
    const auto type =
        *rc::gen::element(ScalarType::I8, ScalarType::I16, ScalarType::I32, ScalarType::I64, ScalarType::U8,
                          ScalarType::U16, ScalarType::U32, ScalarType::U64, ScalarType::Half, ScalarType::Float,
                          ScalarType::Double, ScalarType::Struct, ScalarType::Union, ScalarType::I1);
    const std::uint32_t width = data_width({.type = type});
    const auto words = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::arbitrary<std::uint64_t>());
    std::string source = ";#DATASTART:" + std::to_string(words.size() * width) + "\n;#" +
                         std::string(scalar_name(type)) + ":0:" + std::to_string(words.size());
    std::vector<std::byte> bytes;
    for (std::uint64_t word : words) {
      if (width < 8) word &= (std::uint64_t{1} << (8 * width)) - 1;
      char digits[17];
      std::snprintf(digits, sizeof digits, "%llx", static_cast<unsigned long long>(word));
      source += ":" + std::string(digits);
      for (std::uint32_t i = 0; i < width; ++i) bytes.push_back(static_cast<std::byte>(word >> (8 * i)));
    }
    source += "\n;#DATAEND\n";
    RC_LOG() << source;
    const Parsed text = parsed(source);
    RC_ASSERT(text.diagnostics.all().empty());
    RC_ASSERT(reprint(text.document, 0, text.document.elements.size() - 1) == source);
    const auto data = lower_data(text.document);
    RC_ASSERT(data.size() == 1u);
    RC_ASSERT(data[0].bytes == bytes);
  }));
}

// Any bytes at all, but made of what the grammars look at.
TEST(TextProperties, EveryTextPrintsBackByteForByte) {
  static const std::vector<std::string> kPieces = {";",
                                                   ":",
                                                   "\n",
                                                   "\r\n",
                                                   "\r",
                                                   " ",
                                                   "\t",
                                                   "0",
                                                   "1",
                                                   "4294967296",
                                                   "-",
                                                   "x",
                                                   "\\n",
                                                   "\"",
                                                   std::string(1, '\0'),
                                                   ";ARGSTART:__OpenCL_k_kernel\n",
                                                   ";ARGEND:__OpenCL_k_kernel\n",
                                                   "ARGSTART:f\n",
                                                   "ARGEND:f\n",
                                                   "pragma \"AMD RTI\", \"",
                                                   "\";\n",
                                                   "version:3:1:111",
                                                   "pointer:p:u8:1:1:0:uav:11:1:RW:0:0",
                                                   "value:v:i32:1:1:0",
                                                   "memory:hwlocal:4",
                                                   "memory:64bitABI",
                                                   "limitgroupsize",
                                                   "function:1:2",
                                                   "printf_fmt:0:1:4:2:%d;",
                                                   "uavid:7",
                                                   ";#DATASTART:8\n",
                                                   ";#DATASTART:2:8\n",
                                                   ";#i32:0:2:1:2\n",
                                                   ";#DATAEND\n",
                                                   ";#DATAEND:2\n",
                                                   ";DEBUGSTART\n",
                                                   ";DEBUGEND\n",
                                                   ";$$$$$$$$$$\n",
                                                   "func 1 ; f\n",
                                                   "endfunc\n",
                                                   "mdef(1)_out(1)\n",
                                                   "mend\n",
                                                   "il_cs_2_0\n",
                                                   " <uninitalized constant>",
                                                   ";ARG:"};
  EXPECT_TRUE(rc::check([] {
    std::string source;
    for (const std::size_t piece :
         *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, kPieces.size())))
      source += kPieces[piece];
    RC_LOG() << source;
    const Parsed text = checked(source);
    RC_ASSERT(print(text.document) == source);
    if (!text.document.elements.empty())
      RC_ASSERT(reprint(text.document, 0, text.document.elements.size() - 1) == source);
    for (const Diagnostic& finding : text.diagnostics.all())
      RC_ASSERT(std::uint64_t{finding.where.begin} + finding.where.size <= source.size());
    const Program program = lower(text.document);
    RC_ASSERT(program.kernels.size() <= text.document.blocks.size());
  }));
}

}  // namespace
}  // namespace amdcompat::text::properties_test
