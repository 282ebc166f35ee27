#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "samples.hpp"
#include <elf/elf_view.hpp>
#include <elf/little_endian.hpp>

namespace amdcompat::elf_view_test {
namespace {

using elf::load;
using test::Bytes;

// A second reader of the same tables, by hand and without libelf: what it finds must be what the view finds.
struct HandSection {
  std::string name;
  std::uint32_t type;
  std::uint64_t offset;
  std::uint64_t size;
};
struct HandSymbol {
  std::string name;
  std::uint64_t value;
  std::uint64_t size;
  std::uint16_t section;
};

std::string string_at(const Bytes& bytes, std::uint64_t table, std::uint32_t offset) {
  return reinterpret_cast<const char*>(bytes.data() + table + offset);
}

std::vector<HandSection> hand_sections(const Bytes& bytes) {
  const bool is_64 = bytes[4] == std::byte{2};
  const std::uint64_t shoff = is_64 ? load<std::uint64_t>(bytes, 40) : load<std::uint32_t>(bytes, 32);
  const auto count = load<std::uint16_t>(bytes, is_64 ? 60 : 48);
  const auto names = load<std::uint16_t>(bytes, is_64 ? 62 : 50);
  const std::uint64_t entry = is_64 ? 64 : 40;
  const auto offset_of = [&](std::uint64_t at) {
    return is_64 ? load<std::uint64_t>(bytes, at + 24) : load<std::uint32_t>(bytes, at + 16);
  };
  std::vector<HandSection> sections;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = shoff + i * entry;
    sections.push_back({string_at(bytes, offset_of(shoff + names * entry), load<std::uint32_t>(bytes, at)),
                        load<std::uint32_t>(bytes, at + 4), offset_of(at),
                        is_64 ? load<std::uint64_t>(bytes, at + 32) : load<std::uint32_t>(bytes, at + 20)});
  }
  return sections;
}

std::vector<HandSymbol> hand_symbols(const Bytes& bytes, const HandSection& table, const HandSection& strings) {
  const bool is_64 = bytes[4] == std::byte{2};
  std::vector<HandSymbol> symbols;
  for (std::uint64_t at = table.offset; at < table.offset + table.size; at += is_64 ? 24 : 16) {
    const std::string name = string_at(bytes, strings.offset, load<std::uint32_t>(bytes, at));
    if (is_64)
      symbols.push_back({name, load<std::uint64_t>(bytes, at + 8), load<std::uint64_t>(bytes, at + 16),
                         load<std::uint16_t>(bytes, at + 6)});
    else
      symbols.push_back({name, load<std::uint32_t>(bytes, at + 4), load<std::uint32_t>(bytes, at + 8),
                         load<std::uint16_t>(bytes, at + 14)});
  }
  return symbols;
}

void expect_same_as_by_hand(const Bytes& bytes) {
  const auto view = elf::ElfView::open(bytes);
  ASSERT_TRUE(view) << view.error().message;
  const auto by_hand = hand_sections(bytes);
  ASSERT_EQ(view->sections().size(), by_hand.size());
  for (std::size_t i = 0; i < by_hand.size(); ++i) {
    const elf::Section& section = view->sections()[i];
    EXPECT_EQ(view->text(section.name), by_hand[i].name);
    EXPECT_EQ(section.type, by_hand[i].type);
    EXPECT_EQ(section.offset, by_hand[i].offset);
    EXPECT_EQ(section.size, by_hand[i].size);
    if (section.type != elf::kSectionSymbols) continue;
    const auto symbols = view->symbols(section);
    ASSERT_TRUE(symbols) << symbols.error().message;
    const auto expected = hand_symbols(bytes, by_hand[i], by_hand[section.link]);
    ASSERT_EQ(symbols->size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_EQ(view->text((*symbols)[k].name), expected[k].name);
      EXPECT_EQ((*symbols)[k].value, expected[k].value);
      EXPECT_EQ((*symbols)[k].size, expected[k].size);
      EXPECT_EQ((*symbols)[k].section, expected[k].section);
    }
  }
}

TEST(ElfView, AgreesWithAWalkByHand) {
  expect_same_as_by_hand(test::build(test::container(AddressBits::Bits32)));
  expect_same_as_by_hand(test::build(test::container(AddressBits::Bits64)));
  expect_same_as_by_hand(test::image({test::il_encoding(), test::encoding(0x1b)}));
}

TEST(ElfView, NotesAgreeWithAWalkByHand) {
  const Bytes bytes = test::image({test::encoding(0x1b)});
  const auto view = elf::ElfView::open(bytes);
  ASSERT_TRUE(view);
  ASSERT_EQ(view->segments().size(), 3u);
  const SourceRange range = view->segments()[1].contents;
  const elf::Notes notes = view->notes(range);
  EXPECT_EQ(notes.rest.size, 0u);
  std::uint32_t at = range.begin;
  for (const elf::Note& note : notes.notes) {
    const auto name_size = load<std::uint32_t>(bytes, at);
    const auto size = load<std::uint32_t>(bytes, at + 4);
    EXPECT_EQ(note.type, load<std::uint32_t>(bytes, at + 8));
    EXPECT_EQ(note.name, (SourceRange{at + 12, name_size}));
    EXPECT_EQ(note.description, (SourceRange{at + 12 + (name_size + 3) / 4 * 4, size}));
    at = note.description.begin + (size + 3) / 4 * 4;
    EXPECT_EQ(note.where.begin + note.where.size, at);
  }
  EXPECT_EQ(at, range.begin + range.size);
}

TEST(ElfView, RangesCountFromTheStartOfTheFile) {
  const Bytes bytes = test::image({test::encoding(0x1b)});
  const auto view = elf::ElfView::open(bytes, 1000);
  ASSERT_TRUE(view);
  const elf::Section& text = view->sections()[2];
  EXPECT_EQ(view->text(text.name), ".text");
  EXPECT_EQ(text.contents.begin, 1000 + text.offset);
  EXPECT_EQ(view->view(text.contents).size(), 4u);
  EXPECT_EQ(view->view(text.contents).data(), bytes.data() + text.offset);
  EXPECT_TRUE(view->view({0, 4}).empty());
  const elf::Notes notes = view->notes(view->segments()[1].contents);
  EXPECT_EQ(view->text(notes.notes.at(0).name), std::string("ATI CAL") + '\0');
}

TEST(ElfView, ReadsAtAnyAlignment) {
  const Bytes bytes = test::build(test::container(AddressBits::Bits64));
  for (std::size_t shift = 0; shift < 8; ++shift) {
    Bytes shifted(shift);
    shifted.insert(shifted.end(), bytes.begin(), bytes.end());
    const auto view = elf::ElfView::open(std::span(shifted).subspan(shift));
    ASSERT_TRUE(view) << shift;
    const auto symbols = view->symbols(view->sections()[3]);
    ASSERT_TRUE(symbols) << shift;
    EXPECT_EQ(view->text(symbols->at(1).name), "__OpenCL_compile_options");
  }
}

TEST(ElfView, NeverWritesTheCallersBytes) {
  const Bytes bytes = test::build(test::container());
  const std::size_t size = (bytes.size() + 4095) / 4096 * 4096;
  void* const page = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  std::memcpy(page, bytes.data(), bytes.size());
  ASSERT_EQ(mprotect(page, size, PROT_READ), 0);  // a write would be a segmentation fault
  {
    const auto view = elf::ElfView::open({static_cast<const std::byte*>(page), bytes.size()});
    ASSERT_TRUE(view);
    for (const elf::Section& section : view->sections()) {
      if (section.type == elf::kSectionSymbols) {
        EXPECT_TRUE(view->symbols(section));
      }
      EXPECT_LE(view->notes(section.contents).rest.size, section.contents.size);
    }
  }
  munmap(page, size);
}

// libelf is not built with sanitizers: bytes that end where the next page is forbidden show what it reads.
TEST(ElfView, NeverReadsPastTheCallersBytesWhateverIsInThem) {
  const Bytes bytes = test::image({test::encoding(0x1b)});
  constexpr std::size_t kPage = 4096;
  const std::size_t size = (bytes.size() + kPage - 1) / kPage * kPage;
  void* const pages = mmap(nullptr, size + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(static_cast<std::byte*>(pages) + size, kPage, PROT_NONE), 0);
  const std::span<std::byte> at_end{static_cast<std::byte*>(pages) + size - bytes.size(), bytes.size()};
  std::ranges::copy(bytes, at_end.begin());
  std::size_t opened = 0;
  std::size_t tables = 0;
  std::size_t notes = 0;
  const auto use = [&](std::span<const std::byte> file) {
    const auto view = elf::ElfView::open(file);
    if (!view) return;
    ++opened;
    for (const elf::Section& section : view->sections()) {
      if (section.type == elf::kSectionSymbols) tables += view->symbols(section).has_value();
      notes += view->notes(section.contents).notes.size();
    }
    for (const elf::Segment& segment : view->segments()) notes += view->notes(segment.contents).notes.size();
  };
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      at_end[at] ^= static_cast<std::byte>(1u << bit);
      use(at_end);
      at_end[at] ^= static_cast<std::byte>(1u << bit);
    }
    const std::byte saved = std::exchange(at_end[at], std::byte{0xff});
    use(at_end);
    at_end[at] = saved;
  }
  EXPECT_GT(opened, bytes.size());
  EXPECT_GT(tables, bytes.size());
  EXPECT_GT(notes, bytes.size());
  munmap(pages, size + kPage);
}

TEST(ElfView, MovesWithoutLosingItsPlace) {
  const Bytes bytes = test::build(test::container());
  auto opened = elf::ElfView::open(bytes);
  ASSERT_TRUE(opened);
  const elf::ElfView view = std::move(*opened);
  EXPECT_EQ(view.symbols(view.sections()[3])->size(), 1u + 2 + 1 + 2 * 3 + 1);
}

TEST(ElfView, NotesThatEndTooSoonLeaveARest) {
  Bytes bytes = test::image({test::encoding(0x1b)});
  const auto good = elf::ElfView::open(bytes);
  ASSERT_TRUE(good);
  SourceRange range = good->segments()[1].contents;
  for (std::uint32_t cut = 1; cut < 12; ++cut) {
    const elf::Notes notes = good->notes({range.begin, range.size - cut});
    EXPECT_EQ(notes.notes.size(), 16u) << cut;
    EXPECT_EQ(notes.rest.begin + notes.rest.size, range.begin + range.size - cut);
  }
  elf::store(std::span(bytes), range.begin + 4, std::uint32_t{0xffffffff});
  const auto bad = elf::ElfView::open(bytes);
  EXPECT_TRUE(bad->notes(range).notes.empty());
  EXPECT_EQ(bad->notes(range).rest, range);
}

}  // namespace
}  // namespace amdcompat::elf_view_test
