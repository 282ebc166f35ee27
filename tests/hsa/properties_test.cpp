// Whatever the document: written and read it is the same, in every form.
#include <gtest/gtest.h>

#include "random_metadata.hpp"

namespace properties_test {
namespace {

using namespace amdcompat;
using namespace amdcompat::hsa;

TEST(HsaProperties, MessagePackKeepsEveryDocument) {
  EXPECT_TRUE(rc::check([] {
    const Metadata metadata = random_metadata::metadata();
    const std::string bytes = to_msgpack(metadata);
    Diagnostics findings(Mode::Strict);
    RC_ASSERT(read_msgpack(bytes, findings) == metadata);
    RC_ASSERT(findings.all().empty());
    RC_ASSERT(to_msgpack(*read_msgpack(bytes, findings)) == bytes);
  }));
}

// Documents as compilers write them are read straight into the model; under a limit of 7 levels, which these keep to,
// all are read by way of tokens.
TEST(HsaProperties, TheShortWayThroughMessagePackGivesWhatTheLongOneGives) {
  const auto places = [](const Metadata& metadata) {
    std::vector<SourceRange> out{metadata.where.range};
    for (const MetadataKernel& kernel : metadata.kernels) {
      out.push_back(kernel.where.range);
      for (const MetadataArgument& argument : kernel.args) out.push_back(argument.where.range);
    }
    return out;
  };
  EXPECT_TRUE(rc::check([&] {
    Metadata metadata = random_metadata::metadata();
    if (*rc::gen::arbitrary<bool>()) {  // or most would have something for the long way only
      metadata.unknown.clear();
      for (MetadataKernel& kernel : metadata.kernels) {
        kernel.unknown.clear();
        for (MetadataArgument& argument : kernel.args) argument.unknown.clear();
      }
    }
    std::string bytes = to_msgpack(metadata);
    for (auto mutations = *rc::gen::inRange(0, 4); mutations > 0; --mutations)
      bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
    const std::uint32_t base = *rc::gen::element(0u, 1000u);
    Diagnostics short_findings, long_findings;
    const auto short_way = read_msgpack(bytes, short_findings, {.base = base});
    const auto long_way = read_msgpack(bytes, long_findings, {.base = base, .max_depth = 7});
    if (long_findings.contains(Code::HsaTooDeep)) return;
    RC_ASSERT(short_way == long_way);
    // RapidCheck's macro evaluates both sides of `||`.
    if (short_way) RC_ASSERT(places(*short_way) == places(*long_way));
    RC_ASSERT(short_findings.all().size() == long_findings.all().size());
    for (std::size_t i = 0; i < short_findings.all().size(); ++i)
      RC_ASSERT(sentence(short_findings.all()[i]) == sentence(long_findings.all()[i]));
  }));
}

TEST(HsaProperties, YamlKeepsEveryDocument) {
  EXPECT_TRUE(rc::check([] {
    const Metadata metadata = random_metadata::metadata();
    const std::string yaml = to_yaml(metadata);
    RC_LOG() << yaml;
    Diagnostics findings(Mode::Strict);
    const auto read = read_yaml(yaml, findings);
    if (!findings.all().empty()) RC_LOG() << testing::PrintToString(findings.all());
    RC_ASSERT(read == metadata);
    RC_ASSERT(findings.all().empty());
    RC_ASSERT(to_yaml(*read) == yaml);
  }));
}

TEST(HsaProperties, NoteAndElfKeepEveryDocument) {
  const Target target{.name = "gfx600", .mach = 0x20};
  EXPECT_TRUE(rc::check([&] {
    Metadata metadata = random_metadata::metadata();
    metadata.version = {1, 0};
    Diagnostics findings(Mode::Strict);
    RC_ASSERT(read_note(to_note(metadata), findings) == metadata);
    const auto file = to_note_elf(metadata, target, CodeObjectVersion::V3);
    RC_ASSERT(file.has_value());
    RC_ASSERT(read_note_elf(*file, findings)->metadata == metadata);
  }));
}

TEST(HsaProperties, TheVerifierJudgesTheModelNotTheForm) {
  EXPECT_TRUE(rc::check([] {
    const Metadata metadata = random_metadata::metadata();
    Diagnostics direct;
    Diagnostics read;
    const bool good = verify(metadata, direct);
    RC_ASSERT(good == verify(*read_msgpack(to_msgpack(metadata), read), read));
    RC_ASSERT(direct.all().size() == read.all().size());
    for (std::size_t i = 0; i < direct.all().size(); ++i) {
      RC_ASSERT(direct.all()[i].code == read.all()[i].code);
      RC_ASSERT(direct.all()[i].path == read.all()[i].path);
    }
  }));
}

}  // namespace
}  // namespace properties_test
