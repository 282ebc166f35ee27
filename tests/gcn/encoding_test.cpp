// The table of instructions against LLVM's assembler: for each row, what the disassembler prints must assemble to the
// bytes it was printed from.
#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/gcn.hpp>

#include "code_samples.hpp"
#include "support/process.hpp"

namespace amdcompat::gcn {
namespace {

using amdcompat_test::ProcessResult;
using amdcompat_test::TemporaryDirectory;
using amdcompat_test::write_file;

struct Sample {
  const Row* row;
  Format format;
  std::vector<std::uint32_t> words;
  std::string text;
};

std::span<const std::byte> bytes_of(const std::vector<std::uint32_t>& words) { return std::as_bytes(std::span(words)); }

// Random fields around the row's opcode; kept are those whose fields all show in the text, which is what decoding the
// same words without them would lose: reserved bits are cleared by trying.
class Maker {
 public:
  explicit Maker(Generation gfx) : gfx_(gfx), random_(7) {}

  std::vector<Sample> make() {
    std::vector<Sample> out;
    for (const FormatInfo& format : formats(gfx_))
      for (const Row& row : rows())
        for (const auto& [name, number] : numbers(row))
          if (name == format.format)
            for (int n = 0; n < 4; ++n) out.push_back(sample(row, format, number));
    return out;
  }

 private:
  std::vector<std::pair<Format, std::uint32_t>> numbers(const Row& row) const {
    std::vector<std::pair<Format, std::uint32_t>> out;
    if (!row.on(gfx_)) return out;
    const std::uint32_t n = row.number;
    out.emplace_back(row.format, n);
    if (!row.has(Form::E64)) return out;
    if (row.format == Format::Vopc) out.emplace_back(Format::Vop3, n);
    if (row.format == Format::Vop2) out.emplace_back(Format::Vop3, n + 0x100);
    if (row.format == Format::Vop1) out.emplace_back(Format::Vop3, n + (gfx_ == Generation::Gfx8 ? 0x140 : 0x180));
    return out;
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  // Registers that exist and are aligned for every width.
  std::uint32_t sgpr() { return below(16) * 4; }
  std::uint32_t vgpr() { return below(48) * 4; }
  std::uint32_t vector_source() { return below(4) == 0 ? 128 + below(60) : 256 + vgpr(); }

  Sample sample(const Row& row, const FormatInfo& format, std::uint32_t number) {
    const OpcodeInfo& op = info(row.opcode);
    const bool vi = gfx_ == Generation::Gfx8;
    const auto has = [&](std::size_t n) { return op.sources[n] != Shape::None; };
    std::uint32_t a = format.value | number << format.opcode_bit, b = 0;
    switch (format.format) {
      case Format::Sop2: a |= sgpr() | (has(1) ? 128 + below(60) : 0) << 8 | sgpr() << 16; break;
      case Format::Sop1:
        if (has(0)) a |= sgpr();
        if (op.destination != Shape::None) a |= sgpr() << 16;
        break;
      case Format::Sopc: a |= sgpr() | (128 + below(60)) << 8; break;
      case Format::Sopk: a |= below(0x10000) | (op.is(Property::Literal) ? 0 : sgpr() << 16); break;
      case Format::Sopp:
        // Immediates of these have forms of their own, or are reserved.
        if (row.name != "s_endpgm" && row.name != "s_barrier" && row.name != "s_icache_inv" &&
            row.name != "s_ttracedata")
          a |= below(16);
        break;
      case Format::Smrd:
        if (op.destination == Shape::None) break;
        if (op.sources[0] == Shape::None) {
          a |= vi ? sgpr() << 6 : sgpr() << 15;
        } else if (vi) {
          a |= sgpr() / 2 | sgpr() << 6 | 1u << 17;
          b = below(1 << 20);
        } else if (below(2) == 0) {
          a |= below(256) | 1u << 8 | sgpr() / 2 << 9 | sgpr() << 15;
        } else {
          a |= sgpr() | sgpr() / 2 << 9 | sgpr() << 15;
        }
        break;
      case Format::Vop2:
        a |= (row.name == "v_writelane_b32"        ? 128 + below(60)
              : op.is(Property::ScalarDestination) ? 256 + vgpr()
                                                   : vector_source());
        a |= (op.is(Property::ScalarDestination) || row.name == "v_writelane_b32" ? sgpr() : vgpr()) << 9;
        a |= (op.is(Property::ScalarDestination) ? sgpr() : vgpr()) << 17;
        if (op.is(Property::Literal)) b = 0x41020304 + below(1000);
        break;
      case Format::Vop1:
        if (has(0))
          a |= op.is(Property::ScalarDestination) || row.name.starts_with("v_movrel") ? 256 + vgpr() : vector_source();
        if (op.destination != Shape::None) a |= (op.is(Property::ScalarDestination) ? sgpr() : vgpr()) << 17;
        break;
      case Format::Vopc: a |= vector_source() | vgpr() << 9; break;
      case Format::Vop3: {
        const bool b_form = op.is(Property::MaskOut) && row.format != Format::Vopc;
        if (row.format == Format::Vopc)
          a |= sgpr();
        else if (op.destination != Shape::None)
          a |= op.is(Property::ScalarDestination) ? sgpr() : vgpr();
        if (b_form) a |= sgpr() << 8;
        for (std::uint32_t n = 0; n < 3; ++n)
          if (has(n)) b |= (256 + vgpr()) << (9 * n);
        if (row.name == "v_readlane_b32") b = (256 + vgpr()) | sgpr() << 9;
        if (row.name == "v_writelane_b32") b = sgpr() | (128 + below(60)) << 9;
        if (op.is(Property::MaskIn) && row.format != Format::Vop3) b |= sgpr() << 18;
        for (std::uint32_t n = 0; n < 3; ++n) {
          const bool real = op.sources[n] == Shape::F32 || op.sources[n] == Shape::F64;
          if (real && below(2) == 0) b |= 1u << (29 + n);
          if (real && !b_form && below(2) == 0) a |= 1u << (8 + n);
        }
        break;
      }
      case Format::Ds:
        if (row.name.find("2") != row.name.npos &&
            (row.name.find("read2") != row.name.npos || row.name.find("write2") != row.name.npos))
          a |= below(0x10000);
        else if (row.name != "ds_swizzle_b32")
          a |= below(0x10000);
        if (row.name != "ds_append" && row.name != "ds_consume") b |= vgpr();
        if (has(0)) b |= vgpr() << 8;
        if (has(1)) b |= vgpr() << 16;
        if (op.destination != Shape::None) b |= vgpr() << 24;
        break;
      case Format::Mtbuf: a |= (1 + below(5)) << 19 | below(8) << 23; [[fallthrough]];
      case Format::Mubuf: {
        if (op.destination == Shape::None && !has(0)) break;
        a |= below(4096);
        const std::uint32_t mode = below(vi ? 4 : 5);
        if (mode == 4)
          a |= 1u << 15;
        else
          a |= mode << 12;
        b |= (mode == 0 ? 0 : vgpr()) | vgpr() << 8 | sgpr() / 4 << 16 | (sgpr() + 1) << 24;
        if (below(2) == 0 && !row.name.starts_with("buffer_wb")) a |= 1u << 14;
        break;
      }
      case Format::Flat: {
        const bool atomic = op.destination != Shape::None && has(0);
        const bool glc = below(2) == 0;
        a |= glc ? 1u << 16 : 0;
        b |= vgpr();
        if (has(0)) b |= vgpr() << 8;
        if (op.destination != Shape::None && (!atomic || glc)) b |= vgpr() << 24;
        break;
      }
      case Format::Mimg: a |= (1 + below(15)) << 8; break;
      case Format::Exp:
      case Format::Vintrp: break;
    }
    Sample out{&row, format.format, {a}, {}};
    if (format.dwords == 2 || op.is(Property::Literal)) out.words.push_back(b);
    const Instruction decoded = decode(bytes_of(out.words), 0, gfx_);
    EXPECT_EQ(decoded.row, &row) << row.name;
    EXPECT_EQ(decoded.dwords, out.words.size()) << row.name;
    if (decoded.row != nullptr) out.text = disassemble(decoded, gfx_);
    return out;
  }

  Generation gfx_;
  std::mt19937 random_;
};

// One run for all lines; a line that is refused stands in the errors by its number.
std::map<std::size_t, std::vector<std::uint8_t>> assemble(const std::vector<Sample>& samples, const char* cpu,
                                                          std::string& errors) {
  TemporaryDirectory directory;
  std::string source;
  for (const Sample& sample : samples) source += sample.text + "\n";
  write_file(directory / "all.s", source);
  const ProcessResult result =
      amdcompat_test::run(fmt::format("llvm-mc-19 -triple=amdgcn-amd-amdhsa -mcpu={} -show-encoding -o {} {}", cpu,
                                      (directory / "out").string(), (directory / "all.s").string()));
  std::set<std::size_t> refused;
  std::map<std::size_t, std::vector<std::uint8_t>> out;
  std::vector<std::vector<std::uint8_t>> encodings;
  std::istringstream messages(result.output);
  for (std::string line; std::getline(messages, line);)
    if (const auto at = line.find(": error:"); at != line.npos) {
      const std::size_t column = line.rfind(':', at - 1), number = line.rfind(':', column - 1);
      const std::size_t n = std::stoul(line.substr(number + 1, column - number - 1));
      if (refused.insert(n - 1).second) errors += samples[n - 1].text + "   " + line.substr(at) + "\n";
    }
  std::ifstream printed(directory / "out");
  for (std::string line; std::getline(printed, line);) {
    const auto at = line.find("encoding: [");
    if (at == line.npos) continue;
    std::vector<std::uint8_t>& bytes = encodings.emplace_back();
    for (std::size_t p = at + 11; p < line.size() && line[p] != ']'; p += 5)
      bytes.push_back(static_cast<std::uint8_t>(std::stoul(line.substr(p, 4), nullptr, 16)));
  }
  std::size_t next = 0;
  for (std::size_t n = 0; n < samples.size(); ++n)
    if (!refused.contains(n) && next < encodings.size()) out[n] = encodings[next++];
  return out;
}

class Encodings : public testing::TestWithParam<std::pair<Generation, const char*>> {};

TEST_P(Encodings, TextOfEveryRowAssemblesToTheSameBytes) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-19", "llvm-19");
  const auto& [gfx, cpu] = GetParam();
  const std::vector<Sample> samples = Maker(gfx).make();
  ASSERT_GT(samples.size(), 1500u);
  std::string refused;
  const auto encodings = assemble(samples, cpu, refused);
  EXPECT_EQ(refused, "");
  std::size_t equal = 0;
  for (const auto& [n, bytes] : encodings) {
    const Sample& sample = samples[n];
    std::vector<std::uint8_t> expected(sample.words.size() * 4);
    std::memcpy(expected.data(), sample.words.data(), expected.size());
    EXPECT_EQ(bytes, expected) << sample.text << fmt::format(" {:08x}", sample.words[0]);
    ++equal;
  }
  EXPECT_EQ(equal, samples.size());
}

INSTANTIATE_TEST_SUITE_P(All, Encodings,
                         testing::Values(std::pair{Generation::Gfx6, "tahiti"}, std::pair{Generation::Gfx7, "hawaii"},
                                         std::pair{Generation::Gfx8, "tonga"}),
                         [](const auto& tested) { return std::string(generation_name(tested.param.first)); });

// The machine code of our own samples: listed without a gap, and the assembler makes the same of the listing.
TEST(OwnCode, IsWhatTheAssemblerMakesOfItsListing) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-19", "llvm-19");
  const std::vector<std::byte> scale_32 = corpus::scale_32().encoding.text, scale_64 = corpus::scale_64().encoding.text;
  const std::tuple<std::span<const std::byte>, Generation, const char*> codes[] = {
      {scale_32, Generation::Gfx6, "pitcairn"},
      {scale_64, Generation::Gfx6, "pitcairn"},
      {std::as_bytes(corpus::axpy_code()), Generation::Gfx8, "tonga"},
      {std::as_bytes(corpus::histogram_code()), Generation::Gfx8, "tonga"},
      {std::as_bytes(corpus::reverse_code()), Generation::Gfx7, "hawaii"}};
  for (const auto& [code, gfx, cpu] : codes) {
    std::vector<Sample> samples;
    for (std::uint32_t at = 0; at < code.size();) {
      const Instruction i = decode(code, at, gfx);
      ASSERT_NE(i.row, nullptr) << cpu << " +" << at;
      samples.push_back({i.row, i.format, {i.words.begin(), i.words.begin() + i.dwords}, disassemble(i, gfx)});
      at += i.dwords * 4u;
    }
    std::string refused;
    const auto encodings = assemble(samples, cpu, refused);
    EXPECT_EQ(refused, "");
    ASSERT_EQ(encodings.size(), samples.size());
    for (const auto& [n, bytes] : encodings) {
      std::vector<std::uint8_t> expected(samples[n].words.size() * 4);
      std::memcpy(expected.data(), samples[n].words.data(), expected.size());
      EXPECT_EQ(bytes, expected) << samples[n].text;
    }
  }
}

TEST(Table, RowsOfOneGenerationHaveDistinctEncodings) {
  for (const Generation gfx : {Generation::Gfx6, Generation::Gfx7, Generation::Gfx8}) {
    std::map<std::pair<Format, std::uint16_t>, std::string_view> seen;
    for (const Row& row : rows()) {
      if (!row.on(gfx)) continue;
      const auto [at, fresh] = seen.emplace(std::pair{row.format, row.number}, row.name);
      EXPECT_TRUE(fresh) << row.name << " and " << at->second;
    }
  }
}

}  // namespace
}  // namespace amdcompat::gcn
