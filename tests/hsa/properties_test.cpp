// Whatever the document: written and read it is the same, in every form.
#include <gtest/gtest.h>

#include "random_metadata.hpp"

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
