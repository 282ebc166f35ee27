// Names of outputs: they mirror the inputs and can stand in any file system.
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <names.hpp>

namespace amdcompat::migrate::names_test {
namespace {

FileRecord file(std::string path, std::uint64_t size = 10, std::uint64_t ordinal = 0) {
  FileRecord out;
  out.path = std::move(path);
  out.size = size;
  out.ordinal = ordinal;
  return out;
}
ProgramPlace whole(std::uint64_t size = 10) { return {std::string(64, 'a'), 0, size, {}}; }
std::string name(const std::string& path, const std::string& base = "", unsigned attempt = 0) {
  return output_name(file(path), whole(), base, ".gfx600.hsaco", attempt);
}

TEST(Names, MirrorTheInputsBelowTheDirectoryOfAllInputs) {
  EXPECT_EQ(name("/vault/d4/p4.bin", "/vault"), "files/d4/p4.bin.gfx600.hsaco");
  EXPECT_EQ(name("vault/d4/p4.bin"), "files/vault/d4/p4.bin.gfx600.hsaco");
  EXPECT_EQ(name("/vault/t.tgz!/a/b.bin", "/vault"), "files/t.tgz!/a/b.bin.gfx600.hsaco");
  EXPECT_EQ(name("/p.bin", "/"), "files/p.bin.gfx600.hsaco");
  EXPECT_EQ(name("/vaults/p.bin", "/vault"), "files/vaults/p.bin.gfx600.hsaco");  // another directory
  EXPECT_EQ(name("/spiele/Ünï ✓.bin", "/spiele"), "files/Ünï ✓.bin.gfx600.hsaco");
  // One of several programs in a file, or one that was carved out.
  EXPECT_EQ(output_name(file("a/app.exe", 90'000), {std::string(64, 'a'), 0x1a40, 10, {}}, "a", ".yaml", 0),
            "files/app.exe.0x1a40.yaml");
  EXPECT_EQ(output_name(file("a/app.exe", 90'000), {std::string(64, 'a'), 0, 10, {}}, "a", ".yaml", 0),
            "files/app.exe.0x0.yaml");
}

TEST(Names, TheDirectoryOfAllInputsIsTheLongestThatTheyShare) {
  using List = std::vector<std::string>;
  EXPECT_EQ(common_directory(List{"/a/b", "/a/b/c"}), "/a/b");
  EXPECT_EQ(common_directory(List{"/a/bc", "/a/b"}), "/a");
  EXPECT_EQ(common_directory(List{"/a", "/b"}), "/");
  EXPECT_EQ(common_directory(List{"a/b", "a/c", "a/b"}), "a");
  EXPECT_EQ(common_directory(List{"a", "b"}), "");
  EXPECT_EQ(common_directory(List{"/a", "b"}), "");
  EXPECT_EQ(common_directory(List{"", "/b"}), "");
  EXPECT_EQ(common_directory(List{}), "");
  EXPECT_EQ(directory_of_inputs(List{"nowhere/x/./p.bin", "nowhere/x//q.bin"}), "nowhere/x");
  EXPECT_EQ(directory_of_inputs(List{"/nowhere.bin"}), "/");
  EXPECT_EQ(directory_of_inputs(List{"."}), "");
}

TEST(Names, EveryAttemptHasAnotherNameThatFileSystemsTake) {
  const std::string own = std::string(150, 'p') + "/" + std::string(400, 'q') + ".bin";
  std::set<std::string> all;
  for (unsigned attempt = 0; attempt < kNameAttempts; ++attempt) {
    for (const std::string& path : {own, std::string("a/") + std::string(178, 'x'), std::string(100, '\x01')}) {
      const std::string made = output_name(file(path), {std::string(64, 'a'), ~std::uint64_t{0}, 10, {}}, "",
                                           ".gfx90a_sramecc-_xnack+.compiled.hsaco", attempt);
      EXPECT_TRUE(all.insert(made).second) << made;
      EXPECT_TRUE(is_output_name(made)) << made;
      EXPECT_LE(made.size() - made.rfind('/') - 1, 255u) << made;
    }
  }
}

TEST(Names, SuffixesTellTheOutputsOfAProgramApart) {
  const auto suffix = [](const char* form, const char* layout, const char* target) {
    ManifestOutput output;
    output.form = form;
    output.layout = layout;
    output.target = target;
    return output_suffix(output);
  };
  EXPECT_EQ(suffix("elf", "in-place", "gfx600"), ".gfx600.hsaco");
  EXPECT_EQ(suffix("elf", "compiled", "gfx1030"), ".gfx1030.compiled.hsaco");
  EXPECT_EQ(suffix("elf", "kept", "gfx90a:sramecc+:xnack-"), ".gfx90a_sramecc+_xnack-.hsaco");
  EXPECT_EQ(suffix("cl", "lifted", ""), ".cl");
  EXPECT_EQ(suffix("yaml", "natural", ""), ".yaml");
}

TEST(Names, WhateverAnInputIsCalledTheNameStaysBelowAndCanBeMade) {
  std::string every;
  for (int byte = 1; byte < 256; ++byte) every += static_cast<char>(byte);
  const std::string hostile[] = {"../../etc/passwd",
                                 "a/../../b",
                                 "/",
                                 "a//./b",
                                 "...",
                                 "dir./file ",
                                 "con/aux.bin",
                                 "LPT1",
                                 "a\\..\\b",
                                 "c:\\x",
                                 "a\nb\x1b[2J",
                                 "\u202etxt.exe",
                                 "\xff\xfe",
                                 "\xc2\x9b",
                                 std::string(500, 'x'),
                                 std::string(500, '\x01') + "y",
                                 std::string(170, 'x') + std::string(100, '%'),
                                 std::string(177, 'x') + "äääääää",
                                 every,
                                 ""};
  std::set<std::string> names;
  for (const std::string& path : hostile)
    for (const std::string& full : {path, "t.tgz!/" + path, path + "/p.bin"}) {
      const std::string made = name(full);
      EXPECT_TRUE(is_output_name(made)) << made;
      EXPECT_TRUE(made.starts_with("files/")) << made;
      std::size_t begin = 0;
      while (begin <= made.size()) {
        const std::size_t end = std::min(made.find('/', begin), made.size());
        EXPECT_LE(end - begin, 255u) << made;
        begin = end + 1;
      }
      for (const char c : made) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << made;
      names.insert(made);
    }
  EXPECT_GT(names.size(), 50u);  // what is escaped stays apart
  EXPECT_EQ(name("a/../b"), "files/a/.%2E/b.gfx600.hsaco");
  EXPECT_EQ(name("con/aux.bin"), "files/%63on/%61ux.bin.gfx600.hsaco");
  EXPECT_EQ(name("100%.bin"), "files/100%25.bin.gfx600.hsaco");
  // Deeper than any file system goes: the directories give way, the name stays.
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "d/";
  EXPECT_TRUE(is_output_name(name(deep + "p.bin")));
  EXPECT_TRUE(name(deep + "p.bin").ends_with("/p.bin.gfx600.hsaco"));
  EXPECT_NE(name(deep + "p.bin"), name(deep + "d/p.bin"));
}

TEST(Names, NoOutputStandsWhereADirectoryHasTo) {
  EXPECT_EQ(name("p.bin"), "files/p.bin.gfx600.hsaco");
  EXPECT_EQ(name("p.bin.gfx600.hsaco/q"), "files/p.bin.gfx600%2Ehsaco/q.gfx600.hsaco");
  EXPECT_EQ(name("p.JSON/q"), "files/p%2EJSON/q.gfx600.hsaco");
}

TEST(Names, ATakenNameGetsANumberOfItsOwn) {
  const std::string first = name("a/P.bin", "", 1), longer = name("a/P.bin", "", 2);
  EXPECT_EQ(name_key(name("a/P.bin")), name_key(name("A/p.BIN")));
  EXPECT_NE(first, name("A/p.BIN", "", 1));
  EXPECT_TRUE(first.starts_with("files/a/P.bin~") && first.ends_with(".gfx600.hsaco")) << first;
  EXPECT_GT(longer.size(), first.size());
  // Members of one name.
  EXPECT_NE(output_name(file("t!/a", 10, 1), whole(), "", ".cl", 1),
            output_name(file("t!/a", 10, 2), whole(), "", ".cl", 1));
}

TEST(Names, PathsThatAManifestFromElsewhereNamesAreTold) {
  for (const char* bad : {"files", "files/", "files//a.cl", "files/../a.cl", "files/a/./b.cl", "/files/a.cl",
                          "objects/a.cl", "files/a.exe", "files/a\x1b.cl", "files/a\\b.cl", "files/a.cl/", ""})
    EXPECT_FALSE(is_output_name(bad)) << bad;
  EXPECT_TRUE(is_output_name("files/a b/%41.cl"));
  EXPECT_FALSE(is_output_name("files/" + std::string(300, 'a') + ".cl"));
}

}  // namespace
}  // namespace amdcompat::migrate::names_test
