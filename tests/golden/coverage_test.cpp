// The samples cover everything the text model can say. Each test walks a table or the whole range of an
// enumeration, so that a new directive, type or spelling without a sample fails here.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/amdcompat.hpp>

#include "transcript.hpp"

namespace golden::coverage_test {
namespace {

namespace text = amdcompat::text;
namespace cl1 = amdcompat::cl1;
using amdcompat::Access;
using amdcompat::ImageDim;
using amdcompat::MemoryKind;
using amdcompat::ScalarType;

// Everything seen in the samples, by name.
struct Seen {
  std::set<std::string> keywords, directives, elements, value_types, pointee_types, data_types, data_lanes,
      memory_kinds, queue_kinds, accesses, dimensions, image_access, spaces, flags, numbers, groups, lists, messages,
      dialects, line_ends, versions, arguments, hidden, tails, file_kinds, roles, elf_bits, isas, header_flags;
};

template <class Variant>
constexpr std::size_t kAlternatives = std::variant_size_v<Variant>;

std::string number_name(std::size_t n) { return fmt::format("{}", n); }

struct DirectiveCollector {
  Seen& seen;
  text::Dialect dialect;

  void operator()(const text::Unknown&) {}
  void operator()(const text::Malformed&) {}
  void operator()(const text::Version& v) {
    seen.versions.insert(fmt::format("{}:{}:{}", v.major, v.minor, v.revision));
  }
  void operator()(const text::DeviceName&) {}
  void operator()(const text::Number& n) { seen.numbers.insert(std::string(text::number_key_name(n.key))); }
  void operator()(const text::MemorySize& m) { seen.spaces.insert(std::string(text::memory_space_name(m.space))); }
  void operator()(const text::MemoryFlagged& m) { seen.flags.insert(std::string(text::memory_flag_name(m.flag))); }
  void operator()(const text::GroupSize& g) { seen.groups.insert(std::string(text::group_key_name(g.key))); }
  void operator()(const text::VectorTypeHint&) {}
  void operator()(const text::LimitGroupSize&) {}
  void operator()(const text::IdList& l) { seen.lists.insert(number_name(static_cast<std::size_t>(l.key))); }
  void operator()(const text::Message& m) { seen.messages.insert(number_name(static_cast<std::size_t>(m.key))); }
  void operator()(const text::ConstArg&) {}
  void operator()(const text::Reflection&) {}
  void operator()(const text::ValueArg& v) { seen.value_types.insert(std::string(scalar_name(v.type))); }
  void operator()(const text::PointerArg& p) {
    seen.pointee_types.insert(std::string(scalar_name(p.type)));
    seen.memory_kinds.insert(std::string(memory_kind_name(p.memory)));
    seen.accesses.insert(std::string(text::access_name(p.access)));
    // Which optional fields stand behind the buffer number.
    seen.tails.insert(fmt::format("{}{}{}{}", p.align ? "align " : "", p.access != Access::Unspecified ? "access " : "",
                                  p.is_volatile ? "qualifiers " : "", p.is_pipe ? "pipe" : ""));
  }
  void operator()(const text::ImageArg& i) {
    seen.dimensions.insert(std::string(image_dim_name(i.dim)));
    seen.image_access.insert(std::string(text::access_name(i.access)));
  }
  void operator()(const text::SamplerDef&) {}
  void operator()(const text::CounterArg&) {}
  void operator()(const text::SemaphoreArg&) {}
  void operator()(const text::QueueArg& q) { seen.queue_kinds.insert(std::string(memory_kind_name(q.memory))); }
  void operator()(const text::PrintfFmt&) {}
};

void collect(const text::Document& document, Seen& seen) {
  for (const text::Element& element : document.elements) {
    seen.elements.insert(number_name(static_cast<std::size_t>(element.kind)));
    seen.line_ends.insert(number_name(static_cast<std::size_t>(element.line_end)));
  }
  for (const text::Block& block : document.blocks) {
    seen.dialects.insert(number_name(static_cast<std::size_t>(block.dialect)));
    for (const text::Element& element : document.directives(block)) {
      if (element.kind != text::ElementKind::Metadata) continue;
      const std::string_view body = document.body(element);
      seen.keywords.insert(std::string(body.substr(0, body.find(':'))));
      seen.directives.insert(number_name(element.directive.index()));
      std::visit(DirectiveCollector{seen, block.dialect}, element.directive);
    }
  }
  for (const text::Segment& segment : document.segments)
    for (const text::DataWords& line : segment.lines) {
      seen.data_types.insert(std::string(scalar_name(line.type)));
      seen.data_lanes.insert(number_name(line.lanes));
      if (line.uninitialised) seen.data_lanes.insert("uninitialised");
    }
}

void collect(const amdcompat::File& file, Seen& seen) {
  seen.file_kinds.insert(std::string(kind_name(file.kind)));
  for (const amdcompat::MetadataText& part : file.texts) collect(part.document, seen);
  for (const amdcompat::Kernel& kernel : file.program.kernels)
    for (const amdcompat::Argument& argument : kernel.arguments) {
      seen.arguments.insert(number_name(argument.kind.index()));
      if (const auto* hidden = std::get_if<amdcompat::Hidden>(&argument.kind))
        seen.hidden.insert(number_name(static_cast<std::size_t>(hidden->what)));
    }
  if (!file.cl1()) return;
  const cl1::Binary& binary = *file.cl1();
  seen.elf_bits.insert(number_name(static_cast<std::size_t>(binary.elf_bits)));
  if (binary.device != nullptr) seen.isas.insert(std::string(isa_name(binary.device->isa)));
  for (const cl1::Symbol& symbol : binary.symbols)
    seen.roles.insert(number_name(static_cast<std::size_t>(symbol.role)));
  for (const cl1::Global& global : binary.globals) seen.roles.insert(fmt::format("global {}", global.index));
  for (const cl1::Kernel& kernel : binary.kernels)
    seen.roles.insert(fmt::format("{} encodings", kernel.cal.encodings.size()));
}

const Seen& seen() {
  static const Seen all = [] {
    Seen out;
    for (const char* directory : {"bin", "refused"})
      for (const std::string& name : files_in(samples_directory() / directory)) {
        amdcompat::Diagnostics ignored;
        const auto file = amdcompat::open(read_file(samples_directory() / directory / name), ignored);
        EXPECT_TRUE(file) << name;
        if (file) collect(*file, out);
      }
    return out;
  }();
  return all;
}

// Every value of an enumeration up to `last` by its spelling.
template <class Enum>
void expect_all(const std::set<std::string>& found, Enum last, std::string_view (*spelling)(Enum),
                const std::set<std::string>& but = {}) {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
    const std::string name(spelling(static_cast<Enum>(i)));
    EXPECT_TRUE(found.contains(name) || but.contains(name)) << "'" << name << "' is in no sample";
  }
}
// Every value by its number.
template <class Enum>
void expect_all(const std::set<std::string>& found, Enum last) {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i)
    EXPECT_TRUE(found.contains(number_name(i))) << "enumerator " << i << " is in no sample";
}

TEST(Coverage, EveryDirectiveOfTheTable) {
  for (const text::DirectiveInfo& row : text::directive_table())
    EXPECT_TRUE(seen().keywords.contains(std::string(row.keyword))) << row.keyword;
}

TEST(Coverage, EveryAlternativeOfTheModel) {
  for (std::size_t i = 0; i < kAlternatives<text::Directive>; ++i)
    EXPECT_TRUE(seen().directives.contains(number_name(i))) << "alternative " << i << " of Directive";
  for (std::size_t i = 0; i < kAlternatives<amdcompat::ArgumentKind>; ++i)
    EXPECT_TRUE(seen().arguments.contains(number_name(i))) << "alternative " << i << " of ArgumentKind";
  expect_all(seen().elements, text::ElementKind::EndMacro);
  expect_all(seen().hidden, amdcompat::HiddenKind::CompletionAction);
}

TEST(Coverage, EveryDialectAndLineEnd) {
  expect_all(seen().dialects, text::Dialect::HsailPragma);
  expect_all(seen().line_ends, text::LineEnd::CrLf);
  for (const char* version : {"1:4:53", "2:1:88", "3:1:104", "3:1:111"})
    EXPECT_TRUE(seen().versions.contains(version)) << version;
}

TEST(Coverage, EverySpelling) {
  expect_all(seen().value_types, ScalarType::Sampler, amdcompat::scalar_name);
  expect_all(seen().memory_kinds, MemoryKind::Flat, amdcompat::memory_kind_name);
  expect_all(seen().accesses, Access::ReadWrite, text::access_name);
  expect_all(seen().dimensions, ImageDim::D2ArrayDepth, amdcompat::image_dim_name);
  expect_all(seen().image_access, Access::ReadWrite, text::access_name, {""});
  expect_all(seen().spaces, text::MemorySpace::HwRegion, text::memory_space_name);
  expect_all(seen().flags, text::MemoryFlag::PackedReg, text::memory_flag_name);
  expect_all(seen().numbers, text::NumberKey::KernelIndex, text::number_key_name);
  expect_all(seen().groups, text::GroupKey::Wsh, text::group_key_name);
  expect_all(seen().lists, text::IdListKey::Intrinsic);
  expect_all(seen().messages, text::MessageKey::Warning);
  // A pointee is never one of these.
  expect_all(seen().pointee_types, ScalarType::Other, amdcompat::scalar_name,
             {"i1", "union", "event", "sampler", "i16", "u16", "i64"});
  for (const char* kind : {"uav", "hp", "p"}) EXPECT_TRUE(seen().queue_kinds.contains(kind)) << kind;
}

TEST(Coverage, EveryFormOfAPointer) {
  for (const char* tail : {"", "align ", "align access ", "align access qualifiers ", "align access qualifiers pipe"})
    EXPECT_TRUE(seen().tails.contains(tail)) << "'" << tail << "'";
}

TEST(Coverage, EveryDataType) {
  expect_all(seen().data_types, ScalarType::Union, amdcompat::scalar_name, {"i1"});
  for (const char* lanes : {"1", "2", "3", "4", "8", "16", "uninitialised"})
    EXPECT_TRUE(seen().data_lanes.contains(lanes)) << lanes;
}

TEST(Coverage, EveryPartOfAContainer) {
  using enum cl1::Role;
  for (const cl1::Role role :
       {CompileOptions, LinkerOptions, KernelMetadata, KernelHeader, KernelImage, KernelIl, FunctionMetadata, Global})
    EXPECT_TRUE(seen().roles.contains(number_name(static_cast<std::size_t>(role)))) << static_cast<int>(role);
  for (const char* what : {"global 0", "global 2", "1 encodings", "2 encodings"})
    EXPECT_TRUE(seen().roles.contains(what)) << what;
  for (const char* bits : {"32", "64"}) EXPECT_TRUE(seen().elf_bits.contains(bits)) << bits;
  for (const amdcompat::Isa isa : {amdcompat::Isa::Vliw5, amdcompat::Isa::Gcn1_0, amdcompat::Isa::Gcn1_1})
    EXPECT_TRUE(seen().isas.contains(std::string(isa_name(isa)))) << isa_name(isa);
  for (const char* kind : {"AMDIL text", "HSAIL text", "CL1 GPU container"})
    EXPECT_TRUE(seen().file_kinds.contains(kind)) << kind;
}

}  // namespace
}  // namespace golden::coverage_test
