// The YAML of V2: its spellings, its three dialects, and hostile forms of it.
#include <algorithm>
#include <map>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <amdcompat/code_object.hpp>

#include "support/process.hpp"
#include "support/real_corpus.hpp"
#include "v2_tree_reader.hpp"

namespace hsa = amdcompat::hsa;
using amdcompat::Code;
using amdcompat::Diagnostics;

namespace v2_yaml_test {
namespace {

hsa::Metadata read(std::string_view yaml) {
  Diagnostics diagnostics;
  auto metadata = hsa::read_v2_yaml(yaml, diagnostics);
  EXPECT_TRUE(metadata);
  for (const auto& finding : diagnostics.all()) ADD_FAILURE() << finding.path << " " << finding.message;
  return metadata.value_or(hsa::Metadata{});
}

// One entry for every key of V2, made from the tables.
std::string leaf(std::string_view name, std::string_view type) {
  if (name == "ValueKind") return "GlobalBuffer";
  if (name == "AddrSpaceQual") return "Constant";
  if (name == "AccQual" || name == "ActualAccQual") return "WriteOnly";
  if (name == "ValueType") return "F32";
  if (type == "text") return "n";  // not a boolean here
  if (type == "flag") return "true";
  if (type == "two") return "[ 1, 2 ]";
  if (type == "three") return "[ 4, 5, 6 ]";
  return "64";
}
template <class Record>
std::string_view type_of(const hsa::Field<Record>& field) {
  if (std::holds_alternative<std::optional<std::string> Record::*>(field)) return "text";
  if (std::holds_alternative<std::optional<bool> Record::*>(field)) return "flag";
  if (std::holds_alternative<std::optional<std::array<std::uint64_t, 2>> Record::*>(field)) return "two";
  if (std::holds_alternative<std::optional<std::array<std::uint64_t, 3>> Record::*>(field)) return "three";
  return "number";
}

TEST(V2Yaml, HasAPlaceForEveryKeyOfTheTables) {
  std::string kernel, groups, argument;
  std::map<std::string, std::string> members;
  for (const auto& row : hsa::kernel_keys()) {
    const std::string name(row.v2_name);
    if (name.empty() || name == "Args") continue;
    const std::size_t dot = name.find('.');
    const std::string value = leaf(name, type_of(row.field));
    if (dot == std::string::npos)
      kernel += "    " + name + ": " + value + "\n";
    else
      members[name.substr(0, dot)] += "      " + name.substr(dot + 1) + ": " + value + "\n";
  }
  for (const auto& [group, text] : members) groups += "    " + group + ":\n" + text;
  for (const auto& row : hsa::argument_keys())
    if (!row.v2_name.empty())
      argument += "        " + std::string(row.v2_name) + ": " + leaf(row.v2_name, type_of(row.field)) + "\n";
  const hsa::Metadata metadata = read("Version: [ 1, 0 ]\nPrintf: [ '1:0:x' ]\nKernels:\n  -\n" + kernel + groups +
                                      "    Args:\n      -\n" + argument);
  ASSERT_EQ(metadata.kernels.size(), 1u);
  ASSERT_EQ(metadata.kernels[0].args.size(), 1u);
  EXPECT_TRUE(metadata.unknown.empty() && metadata.kernels[0].unknown.empty());
  EXPECT_TRUE(metadata.kernels[0].args[0].unknown.empty());
  // Every field that V2 has is set.
  const auto set = [](const auto& record, const auto& row) {
    return std::visit(
        [&](auto member) {
          if constexpr (requires { (record.*member).has_value(); })
            return (record.*member).has_value();
          else
            return !(record.*member).empty();
        },
        row.field);
  };
  for (const auto& row : hsa::kernel_keys())
    EXPECT_TRUE(row.v2_name.empty() || set(metadata.kernels[0], row)) << row.v2_name;
  for (const auto& row : hsa::argument_keys())
    EXPECT_TRUE(row.v2_name.empty() || set(metadata.kernels[0].args[0], row)) << row.v2_name;
  EXPECT_EQ(metadata.kernels[0].name, "n") << "text, whatever it looks like";
  EXPECT_EQ(metadata.kernels[0].args[0].value_type, "f32");
  EXPECT_EQ(metadata.kernels[0].args[0].address_space, hsa::AddressSpace::Constant);
}

TEST(V2Yaml, HasEveryValueKindInBothSpellings) {
  for (const hsa::ValueKindInfo& row : hsa::all_value_kinds())
    for (const std::string_view name : {row.v2_name, row.v2_alias}) {
      if (name.empty()) continue;
      const hsa::Metadata metadata = read("Version: [1, 0]\nKernels:\n  - Name: k\n    Args:\n      - Size: 8\n"
                                          "        Align: 8\n        ValueKind: " +
                                          std::string(name) + "\n");
      EXPECT_EQ(metadata.kernels.at(0).args.at(0).value_kind, row.kind) << name;
    }
}

TEST(V2Yaml, PlacesArgumentsByTheirAlignments) {
  const hsa::Metadata metadata = read(R"(---
Version: [ 1, 0 ]
Kernels:
  - Name: k
    SymbolName: 'k@kd'
    Args:
      - { Size: 1, Align: 1, ValueKind: ByValue, AccQual: Default }
      - { Size: 12, Align: 16, ValueKind: ByValue }
      - { Size: 4, Align: 4, ValueKind: DynamicSharedPointer, PointeeAlign: 4 }
      - { Size: 8, Align: 8, ValueKind: HiddenGlobalOffsetX }
...
)");
  std::vector<std::uint64_t> offsets;
  for (const auto& argument : metadata.kernels.at(0).args) offsets.push_back(*argument.offset);
  EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 16, 28, 32}));
  EXPECT_EQ(metadata.kernels[0].symbol, "k.kd");
  EXPECT_FALSE(metadata.kernels[0].args[0].access);
  // And back: the alignments are found again.
  const auto text = hsa::to_v2_yaml(metadata);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(read(*text), metadata);
  EXPECT_NE(text->find("k@kd"), std::string::npos);
}

TEST(V2Yaml, ReadsTheNamesAndLogarithmsOfLlvm5) {
  const hsa::Metadata metadata = read(R"(Version: [ 1, 0 ]
Kernels:
  - Name: k
    CodeProps:
      KernargSegmentSize: 24
      WorkgroupGroupSegmentSize: 4096
      WorkitemPrivateSegmentSize: 16
      WavefrontNumSGPRs: 12
      WorkitemNumVGPRs: 33
      KernargSegmentAlign: 4
      GroupSegmentAlign: 4
      WavefrontSize: 6
)");
  const hsa::MetadataKernel& kernel = metadata.kernels.at(0);
  EXPECT_EQ(kernel.symbol, "k.kd");
  EXPECT_EQ(kernel.group_segment_fixed_size, 4096u);
  EXPECT_EQ(kernel.private_segment_fixed_size, 16u);
  EXPECT_EQ(kernel.sgpr_count, 12u);
  EXPECT_EQ(kernel.vgpr_count, 33u);
  EXPECT_EQ(kernel.kernarg_segment_align, 16u);
  EXPECT_EQ(kernel.wavefront_size, 64u);
  ASSERT_EQ(kernel.unknown.size(), 1u);
  EXPECT_TRUE(hsa::is_v2_only_key(kernel.unknown[0].key)) << kernel.unknown[0].key;
}

TEST(V2Yaml, ReadsTheKeysAndNumbersOfLlvm4) {
  const hsa::Metadata metadata = read(
      "{ amd.MDVersion: [ 2, 1 ], amd.PrintfInfo: [ '1:1:4:%d' ], amd.Kernels:\n"
      "  - { amd.KernelName: t, amd.Language: OpenCL C, amd.LanguageVersion: [ 2, 0 ],\n"
      "      amd.ReqdWorkGroupSize: [ 1, 2, 4 ], amd.Args:\n"
      "      - { amd.ArgSize: 8, amd.ArgAlign: 8, amd.ArgKind: 1, amd.ArgValueType: 8, amd.ArgTypeName: 'float*',\n"
      "          amd.ArgName: a, amd.ArgAddrQual: 1, amd.ArgAccQual: 0, amd.ArgIsConst: 1 }\n"
      "      - { amd.ArgSize: 8, amd.ArgAlign: 8, amd.ArgKind: 11, amd.ArgValueType: 1, amd.ArgAddrQual: 1 } } }\n");
  EXPECT_EQ(metadata.version, (std::array<std::uint64_t, 2>{1, 0}));
  ASSERT_EQ(metadata.kernels.size(), 1u);
  const hsa::MetadataKernel& kernel = metadata.kernels[0];
  EXPECT_EQ(kernel.reqd_workgroup_size, (std::array<std::uint64_t, 3>{1, 2, 4}));
  ASSERT_EQ(kernel.args.size(), 2u);
  EXPECT_EQ(kernel.args[0].value_kind, hsa::ValueKind::GlobalBuffer);
  EXPECT_EQ(kernel.args[0].value_type, "f32");
  EXPECT_EQ(kernel.args[0].is_const, true);
  EXPECT_EQ(kernel.args[1].value_kind, hsa::ValueKind::HiddenPrintfBuffer);
  EXPECT_EQ(kernel.args[1].offset, 8u);
}

TEST(V2Yaml, KeepsUnknownKeysAndRefusesWhatItCannotWrite) {
  const hsa::Metadata metadata =
      read("Version: [1, 0]\nKernels:\n  - Name: k\n    Surprise: 1\n    DebugProps: { ReservedNumVGPRs: 2 }\n");
  ASSERT_EQ(metadata.kernels.at(0).unknown.size(), 2u);
  EXPECT_EQ(metadata.kernels[0].unknown[0].key, "DebugProps.ReservedNumVGPRs");
  EXPECT_TRUE(metadata.kernels[0].args_absent);
  hsa::Metadata later = metadata;
  hsa::MetadataArgument& argument = later.kernels[0].args.emplace_back();
  argument.size = 4;
  argument.offset = 0;
  argument.value_kind = hsa::ValueKind::HiddenBlockCountX;
  EXPECT_FALSE(hsa::to_v2_yaml(later));
  argument.value_kind = hsa::ValueKind::ByValue;
  argument.offset = 12288;
  EXPECT_FALSE(hsa::to_v2_yaml(later)) << "no alignment up to 4096 leads there";
}

TEST(V2Yaml, ReportsAlignmentsThatAreNoneAndSurvivesHugeSizes) {
  Diagnostics diagnostics;
  const auto metadata = hsa::read_v2_yaml(
      "Version: [1, 0]\nKernels:\n  - Name: k\n    Args:\n      - { Size: 18446744073709551615, Align: 3 }\n"
      "      - { Size: 18446744073709551615, Align: 4096 }\n      - { Size: x, Align: y }\n",
      diagnostics);
  ASSERT_TRUE(metadata);
  EXPECT_TRUE(diagnostics.contains(Code::HsaWrongType));
  EXPECT_EQ(metadata->kernels.at(0).args.size(), 3u);
}

TEST(V2Yaml, OfRealFilesWritesAndReadsTheSame) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::size_t count = 0;
  for (const auto& file : amdcompat_test::real_files("hsaco-v2")) {
    Diagnostics diagnostics;
    const auto object = hsa::read_code_object(amdcompat_test::read_real(file), diagnostics);
    ASSERT_TRUE(object) << file.path;
    if (!object->has_metadata) continue;
    const hsa::Metadata metadata = read(object->metadata_bytes);
    const auto text = hsa::to_v2_yaml(metadata);
    ASSERT_TRUE(text) << file.path << " " << text.error().message;
    EXPECT_EQ(read(*text), metadata) << file.path;
    ++count;
  }
  EXPECT_EQ(count, 26u);
}

// --- hostile ------------------------------------------------------------------------------------------------------

TEST(HostileObjects, CutOrChangedAnywhereAreReadWithinBounds) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::mt19937 random(20240229);
  std::size_t written = 0;
  for (const char* format : {"hsaco-v1", "hsaco-v2", "hsaco-v3", "hsaco-v5", "hsaco-v6"}) {
    const auto files = amdcompat_test::real_files(format);
    const std::string whole = amdcompat_test::read_real(files.back());
    for (int i = 0; i < 400; ++i) {
      std::string bytes = whole;
      if (i % 4 == 0) bytes.resize(random() % bytes.size());
      for (int k = 0; k < 8 && !bytes.empty(); ++k) {
        // Half of the changes hit the headers.
        const std::size_t range = k % 2 == 0 ? std::min<std::size_t>(bytes.size(), 1024) : bytes.size();
        const std::size_t at = k % 4 == 1 ? bytes.size() - 1 - random() % range : random() % range;
        bytes[at] = static_cast<char>(k % 3 == 0 ? 0xff : random());
      }
      Diagnostics diagnostics;
      const auto object = hsa::read_code_object(bytes, diagnostics);
      for (const auto& finding : diagnostics.all())
        ASSERT_LE(std::uint64_t{finding.where.begin} + finding.where.size, std::max<std::size_t>(bytes.size(), 64));
      if (!object) {
        EXPECT_TRUE(diagnostics.has_errors());
        continue;
      }
      Diagnostics findings;
      hsa::check_code_object(*object, findings);
      if (object->version >= hsa::CodeObjectVersion::V3 && hsa::write_code_object(*object)) ++written;
    }
  }
  EXPECT_GT(written, 100u) << "most changes leave an object that can be written again";
}

std::string quad(std::uint64_t value) {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

TEST(Bundles, ListTheirEntriesAndSurviveDamage) {
  std::string bundle = "__CLANG_OFFLOAD_BUNDLE__";
  const std::string ids[] = {"host-x86_64-unknown-linux--", "hipv4-amdgcn-amd-amdhsa--gfx906:xnack-",
                             "openmp-amdgcn-amd-amdhsa--gfx90a"};
  bundle += quad(3);
  std::uint64_t offset = 1000;
  for (const std::string& id : ids) bundle += quad(std::exchange(offset, offset + 8)) + quad(8) + quad(id.size()) + id;
  bundle.resize(offset, 'x');
  Diagnostics diagnostics;
  const auto entries = hsa::read_bundle(bundle, diagnostics);
  EXPECT_TRUE(diagnostics.all().empty());
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[1].where.begin, 1008u);
  EXPECT_EQ(hsa::bundle_target(entries[0].id), "");
  EXPECT_EQ(hsa::bundle_target(entries[1].id), "gfx906:xnack-");
  EXPECT_EQ(hsa::bundle_target(entries[2].id), "gfx90a");
  for (std::size_t size = 0; size < bundle.size(); ++size) {
    Diagnostics cut;
    EXPECT_LE(hsa::read_bundle(std::string_view(bundle).substr(0, size), cut).size(), 3u);
    EXPECT_TRUE(cut.contains(Code::BundleBroken)) << size;
  }
  bundle[24] = '\xff';
  bundle[31] = '\xff';
  Diagnostics huge;
  EXPECT_EQ(hsa::read_bundle(bundle, huge).size(), 3u);
  EXPECT_TRUE(huge.contains(Code::BundleBroken));
}

// Small files that would be many large ones.
TEST(Bundles, EntriesThatShareBytesAreReportedAndTheFirstIsTaken) {
  struct Row {
    std::uint64_t offset, size;
    std::string_view id;
  };
  const auto bundle = [&](std::span<const Row> rows) {
    std::string out = "__CLANG_OFFLOAD_BUNDLE__" + quad(rows.size());
    for (const Row& row : rows) out += quad(row.offset) + quad(row.size) + quad(row.id.size()) + std::string(row.id);
    out.resize(std::max<std::size_t>(out.size(), 2000));
    return out;
  };
  constexpr Row kRows[] = {{1400, 100, "a"}, {1499, 1, "b"},   {1500, 0, "c"}, {1300, 101, "d"},
                           {1300, 100, "e"}, {1300, 700, "f"}, {1410, 0, "g"}, {20, 40, "h"},
                           {0, 0, "i"},      {1500, 500, ""},  {1999, 1, "k"}, {1990, 11, "l"}};
  Diagnostics findings;
  std::string taken;
  for (const hsa::BundleEntry& entry : hsa::read_bundle(bundle(kRows), findings))
    taken += entry.id.empty() ? "-" : entry.id;
  EXPECT_EQ(taken, "acegi-");
  std::string messages;
  for (const amdcompat::Diagnostic& finding : findings.all()) messages += finding.message + "\n";
  EXPECT_EQ(messages, "entry 'b': 1 bytes at 1499 share some with entry 'a'\n"
                      "entry 'd': 101 bytes at 1300 share some with entry 'a'\n"
                      "entry 'f': 700 bytes at 1300 share some with entry 'e'\n"
                      "entry 'h': 40 bytes at 20 share some with the table\n"
                      "entry 'k': 1 bytes at 1999 share some with entry ''\n"
                      "entry 'l': 11 bytes at 1990 lie outside the file\n");
  // 4096 entries over the same bytes are one.
  std::vector<Row> many;
  for (std::uint64_t i = 0; i < 4096; ++i) many.push_back({300'000 + i, 100'000, "hip-amdgcn-amd-amdhsa--gfx906"});
  Diagnostics of_many;
  EXPECT_EQ(hsa::read_bundle(bundle(many).append(400'000, '\0'), of_many).size(), 1u);
  EXPECT_EQ(of_many.all().size(), 4095u);
}

// --- note 7 -------------------------------------------------------------------------------------------------------

std::string word(std::uint32_t value, std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}
std::string key(int number) { return std::string(1, static_cast<char>(number)); }
std::string pair(int number, std::uint32_t value, std::size_t bytes) { return key(number) + word(value, bytes); }
std::string pair(int number, std::string_view text) {
  return key(number) + word(static_cast<std::uint32_t>(text.size()), 4) + std::string(text);
}

// A kernel with a global pointer, a value and a hidden word.
std::string note7() {
  std::string out = pair(1, 0x0100, 2) + pair(2, 0, 1) + pair(3, 120, 2) + pair(30, "1:1:4:%d");
  out += key(4) + pair(6, "saxpy") + pair(21, 64, 4) + word(2, 4) + word(1, 4) + pair(23, "float4");
  out += key(7) + pair(9, 8, 4) + pair(10, 8, 4) + pair(11, "float*") + pair(12, "x") + key(17) + pair(13, 1, 1) +
         pair(14, 8, 2) + pair(15, 1, 1) + key(8);
  out += key(7) + pair(9, 4, 4) + pair(10, 4, 4) + pair(11, "float") + pair(12, "a") + pair(13, 0, 1) + pair(14, 8, 2) +
         key(8);
  out += key(7) + pair(9, 8, 4) + pair(10, 8, 4) + pair(13, 7, 1) + pair(14, 9, 2) + key(8);
  return out + key(0) + key(5);
}

TEST(RuntimeMetadata, IsReadAsTheYamlThatFollowedIt) {
  Diagnostics diagnostics;
  const auto metadata = hsa::read_runtime_metadata(note7(), diagnostics);
  ASSERT_TRUE(metadata);
  for (const auto& finding : diagnostics.all()) ADD_FAILURE() << finding.path << " " << finding.message;
  EXPECT_EQ(*metadata, read(R"(---
{ amd.MDVersion: [ 2, 1 ], amd.PrintfInfo: [ '1:1:4:%d' ], amd.Kernels:
    - { amd.KernelName: saxpy, amd.Language: OpenCL C, amd.LanguageVersion: [ 1, 2 ],
        amd.ReqdWorkGroupSize: [ 64, 2, 1 ], amd.VecTypeHint: float4, amd.Args:
        - { amd.ArgSize: 8, amd.ArgAlign: 8, amd.ArgKind: 1, amd.ArgValueType: 8, amd.ArgTypeName: 'float*',
            amd.ArgName: x, amd.ArgAddrQual: 1, amd.ArgIsConst: 1 }
        - { amd.ArgSize: 4, amd.ArgAlign: 4, amd.ArgKind: 0, amd.ArgValueType: 8, amd.ArgTypeName: float,
            amd.ArgName: a }
        - { amd.ArgSize: 8, amd.ArgAlign: 8, amd.ArgKind: 7, amd.ArgValueType: 9 } } }
...
)"));
  ASSERT_EQ(metadata->kernels.size(), 1u);
  EXPECT_EQ(metadata->kernels[0].args[2].offset, 16u);
}

TEST(RuntimeMetadata, IsReadUpToTheFirstMistake) {
  const std::string whole = note7();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Diagnostics diagnostics;
    const auto metadata = hsa::read_runtime_metadata(whole.substr(0, size), diagnostics, {.base = 100});
    ASSERT_TRUE(metadata) << size;
    const bool inside = size > 0 && metadata->kernels.empty() && size >= whole.find("saxpy");
    EXPECT_TRUE(!inside || diagnostics.contains(Code::HsaDocumentTruncated)) << size;
  }
  struct Case {
    std::string bytes;
    std::uint32_t at;
    std::size_t kernels;
  };
  for (const Case& c :
       {Case{note7() + key(25) + word(8, 4), static_cast<std::uint32_t>(whole.size()), 1}, Case{key(5), 0, 0},
        Case{key(4) + key(4), 1, 0}, Case{key(4) + key(8), 1, 0}, Case{key(9), 0, 0},
        Case{key(4) + pair(9, 8, 4), 1, 0}, Case{key(4) + key(6) + word(0xffffffff, 4), 6, 0}}) {
    Diagnostics diagnostics;
    const auto metadata = hsa::read_runtime_metadata(c.bytes, diagnostics, {.base = 100});
    ASSERT_TRUE(metadata);
    EXPECT_EQ(metadata->kernels.size(), c.kernels);
    ASSERT_TRUE(diagnostics.contains(Code::HsaDocumentTruncated));
    const auto found = std::ranges::find(diagnostics.all(), Code::HsaDocumentTruncated, &amdcompat::Diagnostic::code);
    EXPECT_EQ(found->where.begin, 100 + c.at) << found->message;
  }
}

// --- the other reader ---------------------------------------------------------------------------------------

std::string said(const Diagnostics& findings) {
  std::string out;
  for (const amdcompat::Diagnostic& finding : findings.all())
    out += amdcompat::code_label(finding.code) + " +" + std::to_string(finding.where.begin) + "," +
           std::to_string(finding.where.size) + " " + finding.path + ": " + finding.message + "\n";
  return out;
}

// What a document's positions are good for: the findings about it.
std::string judged(const std::optional<hsa::Metadata>& metadata) {
  if (!metadata) return {};
  Diagnostics findings;
  static_cast<void>(hsa::verify(*metadata, findings));
  std::string out = said(findings);
  for (const hsa::MetadataKernel& kernel : metadata->kernels) {
    out += "kernel +" + std::to_string(kernel.where.range.begin) + "\n";
    for (const hsa::MetadataArgument& argument : kernel.args)
      out += "argument +" + std::to_string(argument.where.range.begin) + "\n";
  }
  return out;
}

// Whether the other reader could read it.
bool agrees(std::string_view yaml) {
  Diagnostics findings, others;
  const auto metadata = hsa::read_v2_yaml(yaml, findings);
  const auto other = hsa::read_v2_tree(yaml, others);
  if (!other) return false;
  EXPECT_EQ(metadata, *other) << yaml;
  EXPECT_EQ(said(findings), said(others)) << yaml;
  EXPECT_EQ(judged(metadata), judged(*other)) << yaml;
  return true;
}

// Documents that are nearly right: keys of every dialect in places where they may or may not stand, some twice, with
// values of any type.
class Writer {
 public:
  explicit Writer(unsigned seed) : random_(seed) {}

  std::string document() {
    runtime_ = one_of(6);
    return map({"Version", "Kernels", "Kernels", "Kernels", "Printf", "amd.MDVersion", "amd.Kernels", "Other"}, 0) +
           "\n";
  }

 private:
  bool one_of(unsigned n) { return random_() % n == 0; }
  std::string_view any(std::span<const std::string_view> of) { return of[random_() % of.size()]; }

  std::string map(std::initializer_list<std::string_view> keys, int level) {
    std::string out = "{";
    const std::size_t count = random_() % (keys.size() + 2);
    for (std::size_t n = 0; n < count; ++n) {
      const std::string_view key = any(keys);
      if (key.starts_with("amd.") != runtime_ && !one_of(8)) continue;
      out += (out.size() > 1 ? ", " : " ");
      // Text beyond ASCII: characters and bytes are counted apart from here on.
      if (one_of(60)) out += "\u00fc: '\u00e4\u4e16', ";
      out += std::string(key) + ": " + value(key, level);
    }
    return out + " }";
  }
  std::string value(std::string_view key, int level) {
    if (one_of(12) || level > 4) return std::string(any(kScalars));
    if (key == "Kernels" || key == "amd.Kernels") return list(level, [&] { return kernel(level + 1); });
    if (key == "Args" || key == "amd.Args" || key == ".args") return list(level, [&] { return argument(level + 1); });
    if (key == "Attrs" || key == "CodeProps" || key == "DebugProps") return group(level + 1);
    if (key.ends_with("Version") || key.ends_with("Size") || key == "Printf" || one_of(20))
      if (!one_of(3)) return list(level, [&] { return std::string(any(kScalars)); });
    return std::string(any(kScalars));
  }
  template <class Make>
  std::string list(int level, Make make) {
    std::string out = "[";
    for (std::size_t n = random_() % 4; n > 0; --n)
      out += (out.size() > 1 ? ", " : " ") + (one_of(15) ? value("Other", level + 1) : make());
    return out + " ]";
  }
  std::string kernel(int level) {
    return map({"Name",
                "SymbolName",
                "Language",
                "LanguageVersion",
                "Args",
                "Args",
                "Args",
                "Attrs",
                "CodeProps",
                "CodeProps",
                "DebugProps",
                ".symbol",
                ".args",
                ".sgpr_count",
                "amd.KernelName",
                "amd.Args",
                "amd.KernelIndex",
                "amd.ReqdWorkGroupSize",
                "amd.VecTypeHint",
                "CodeProps.NumSGPRs"},
               level);
  }
  std::string group(int level) {
    return map({"ReqdWorkGroupSize", "VecTypeHint", "KernargSegmentSize", "GroupSegmentFixedSize", "NumSGPRs",
                "NumVGPRs", "WavefrontSize", "KernargSegmentAlign", "WavefrontNumSGPRs", "WorkitemNumVGPRs",
                "IsDynamicCallStack", "ReservedNumVGPRs", "Other"},
               level);
  }
  std::string argument(int level) {
    return map({"Name",
                "TypeName",
                "Size",
                "Size",
                "Align",
                "Align",
                "ValueKind",
                "ValueType",
                "PointeeAlign",
                "AddrSpaceQual",
                "AccQual",
                "ActualAccQual",
                "IsConst",
                "IsPipe",
                ".offset",
                ".size",
                "amd.ArgSize",
                "amd.ArgAlign",
                "amd.ArgKind",
                "amd.ArgValueType",
                "amd.ArgAddrQual",
                "amd.ArgAccQual",
                "amd.ArgIsConst"},
               level);
  }

  static constexpr std::string_view kScalars[] = {"0",
                                                  "1",
                                                  "4",
                                                  "6",
                                                  "8",
                                                  "16",
                                                  "3",
                                                  "4097",
                                                  "18446744073709551615",
                                                  "-1",
                                                  "1.5",
                                                  "n",
                                                  "yes",
                                                  "~",
                                                  "true",
                                                  "''",
                                                  "'k@kd'",
                                                  "saxpy@kd",
                                                  "saxpy",
                                                  "'it''s'",
                                                  "\"a\\tb\"",
                                                  "GlobalBuffer",
                                                  "ByValue",
                                                  "HiddenNone",
                                                  "Default",
                                                  "ReadOnly",
                                                  "Global",
                                                  "Constant",
                                                  "F32",
                                                  "I64",
                                                  "Struct",
                                                  "!str 12",
                                                  "!int 7",
                                                  "!int x",
                                                  "OpenCL C",
                                                  "'float*'",
                                                  "[ 1, 0 ]",
                                                  "{ a: 1, a: 2 }",
                                                  "{ Name: b, Align: 3 }",
                                                  "HiddenGlobalOffsetX",
                                                  "DynamicSharedPointer",
                                                  "hostcall"};

  std::mt19937 random_;
  bool runtime_ = false;
};

TEST(V2Yaml, IsReadAsTheReaderOfTreesReadsIt) {
  std::size_t compared = 0;
  for (unsigned seed = 1; seed <= 6'000; ++seed) {
    compared += agrees(Writer(seed).document());
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(compared, 4'500u);
}

// Lines go, come twice and change places, which keeps most of the text YAML, and characters change.
TEST(V2Yaml, OfRealFilesIsReadAsTheReaderOfTreesReadsItAlsoWhenChanged) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  constexpr unsigned kSeed = 20261123;
  std::mt19937 random(kSeed);
  std::size_t compared = 0;
  for (const auto& file : amdcompat_test::real_files("hsaco-v2")) {
    Diagnostics diagnostics;
    const auto object = hsa::read_code_object(amdcompat_test::read_real(file), diagnostics);
    ASSERT_TRUE(object) << file.path;
    if (!object->has_metadata) continue;
    std::vector<std::string> lines;
    std::istringstream in{std::string(object->metadata_bytes)};
    for (std::string line; std::getline(in, line);) lines.push_back(line + "\n");
    for (int round = 0; round < 60; ++round) {
      std::vector<std::string> changed = lines;
      for (int n = 0; n < round % 6 && !changed.empty(); ++n) {
        std::string& line = changed[random() % changed.size()];
        const std::string copy = line;
        switch (random() % 4) {
          case 0: line.clear(); break;
          case 1: line += copy; break;
          case 2: std::swap(line, changed[random() % changed.size()]); break;
          default:
            if (!line.empty()) line[random() % line.size()] = "x0:-'{\xc3 "[random() % 8];
            break;
        }
      }
      std::string text;
      for (const std::string& line : changed) text += line;
      compared += agrees(text);
      ASSERT_FALSE(HasFailure()) << file.path << ", round " << round << ", seed " << kSeed;
    }
  }
  EXPECT_GT(compared, 1000u);
}

}  // namespace
}  // namespace v2_yaml_test
