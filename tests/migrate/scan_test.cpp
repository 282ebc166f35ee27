// Programs inside other files: found at their exact places, and nothing else.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include <amdcompat/code_object.hpp>

#include <program.hpp>
#include <scan.hpp>

#include "vault.hpp"

namespace amdcompat::migrate::scan_test {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 24;

std::string random_bytes(std::mt19937_64& random, std::size_t size) {
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(random());
  return out;
}

std::vector<Carved> scan(std::string_view bytes, std::size_t piece = std::size_t{1} << 20, std::uint64_t most = kMost) {
  ReadSome all = read_from(bytes);
  Scanner scanner([&](char* to, std::size_t size) { return all(to, std::min(size, piece)); }, most);
  std::vector<Carved> out;
  while (auto found = scanner.next()) out.push_back(std::move(*found));
  EXPECT_FALSE(scanner.broken());
  return out;
}

// A code object of the vault's programs, for what OpenCL containers cannot show.
std::string code_object(std::uint32_t number) {
  for (;; ++number) {
    const std::string bytes = corpus::vault_program(number);
    Migrated done = migrate_program(bytes, sha256(bytes), {});
    if (!done.outputs.empty() && done.record.outputs[0].form == "elf") return done.outputs[0];
  }
}

TEST(Scan, FindsEveryProgramAtItsOddOffset) {
  std::mt19937_64 random(1);
  std::string image;
  std::vector<std::pair<std::uint64_t, std::string>> expected;
  for (std::uint32_t number = 0; number < 60; ++number) {
    image += random_bytes(random, random() % 40'000 | 1);
    if (image.size() % 2 == 0) image += 'x';
    image += '\0';  // a text is not preceded by text
    if (image.size() % 2 == 0) image += '\0';
    std::string program = number % 7 == 6 ? code_object(number) : corpus::vault_program(number);
    expected.emplace_back(image.size(), program);
    image += program;
    image += '\0';
  }
  for (const std::size_t piece : {std::size_t{1} << 20, std::size_t{4099}}) {
    const std::vector<Carved> found = scan(image, piece);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].offset, expected[i].first) << i;
      EXPECT_TRUE(found[i].bytes == expected[i].second) << i;
    }
  }
}

TEST(Scan, FindsNothingInRandomBytesAndInMagicsAlone) {
  std::mt19937_64 random(2);
  std::string noise = random_bytes(random, 4u << 20);
  for (std::size_t at = 0; at + 64 < noise.size(); at += 997 + random() % 5000) {
    static constexpr std::string_view kMagics[] = {"\x7f"
                                                   "ELF\x01\x01\x01",
                                                   "\x7f"
                                                   "ELF\x02\x01\x01",
                                                   "__CLANG_OFFLOAD_BUNDLE__",
                                                   ";ARGSTART:__OpenCL_k_kernel\n",
                                                   "il_cs_2_0\n",
                                                   "mdef("};
    const std::string_view magic = kMagics[random() % std::size(kMagics)];
    noise.replace(at, magic.size(), magic);
  }
  EXPECT_EQ(scan(noise).size(), 0u);
}

TEST(Scan, FindsTheEntriesOfABundle) {
  const std::string first = code_object(4), second = code_object(12);
  const std::string ids[] = {"host-x86_64-unknown-linux", "hipv4-amdgcn-amd-amdhsa--gfx601",
                             "hipv4-amdgcn-amd-amdhsa--gfx600"};
  const auto number = [](std::uint64_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const std::uint64_t at = 4096, sizes[] = {0, first.size(), second.size()};
  std::string bundle = "__CLANG_OFFLOAD_BUNDLE__" + number(3);
  std::uint64_t offset = at;
  for (std::size_t i = 0; i < 3; ++i) {
    bundle += number(offset) + number(sizes[i]) + number(ids[i].size()) + ids[i];
    offset += sizes[i];
  }
  bundle.resize(at);
  bundle += first + second;
  const std::vector<Carved> found = scan("123" + bundle + "456");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].offset, 3 + at);
  EXPECT_EQ(found[0].entry, ids[1]);
  EXPECT_TRUE(found[0].bytes == first);
  EXPECT_EQ(found[1].offset, 3 + at + first.size());
  EXPECT_EQ(found[1].entry, ids[2]);
  EXPECT_TRUE(found[1].bytes == second);
}

TEST(Scan, CutAndChangedImagesAreNeverReadPastTheirEnd) {
  const std::string program = corpus::vault_program(5);
  // The metadata inside is a text that can be found by itself.
  const auto has_image = [](std::string_view bytes, std::uint64_t most = kMost) {
    return std::ranges::any_of(scan(bytes, 1u << 20, most),
                               [](const Carved& found) { return found.bytes.starts_with("\x7f"); });
  };
  for (std::size_t size = 0; size < program.size(); size += 1 + size / 16)
    EXPECT_FALSE(has_image(program.substr(0, size))) << size;
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string changed = program;
    // The header and the tables at the end decide.
    const std::size_t place = random() % 2 == 0 ? random() % 64 : changed.size() - 1 - random() % 400;
    changed[place] = static_cast<char>(random());
    for (const Carved& found : scan(changed)) EXPECT_LE(found.offset + found.bytes.size(), changed.size());
  }
  EXPECT_FALSE(has_image(program, program.size() - 1));  // larger than allowed
}

TEST(Scan, HostileHeadersDoNotTakeForEver) {
  // Every 64 bytes a header that announces a table of 65,535 sections.
  std::string header = corpus::vault_program(5).substr(0, 52);
  header.resize(64);
  header[48] = header[49] = static_cast<char>(0xff);
  header[32] = 64;
  header[33] = header[34] = header[35] = 0;
  std::string image;
  while (image.size() < (6u << 20)) image += header;
  EXPECT_EQ(scan(image).size(), 0u);
}

TEST(Scan, TextIsTakenFromItsHeaderToItsLastBlock) {
  const std::string block = corpus::vault_program(2);
  const std::string program = "il_cs_2_0\nfunc 1024\nret\nendfunc\n" + block + "\nend\n";
  const auto found = scan("\1\2garbage;" + program + "garbage\n; more\n\3" + block.substr(0, block.size() / 2));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].offset, 10u);
  EXPECT_EQ(found[0].bytes, program);
}

}  // namespace
}  // namespace amdcompat::migrate::scan_test
