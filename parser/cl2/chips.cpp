// Chip ids: which device e_flags means, and which ISA version its code has.
//
// The id is an index into the table of the compiler that made the file, and that table changed with nearly every
// driver.
// The file does not name its driver, so an id alone is ambiguous; the ISA note of the inner ELF is not, up to devices
// that share a version. Both together nearly always leave one LLVM target.
#include <amdcompat/cl2.hpp>

#include <algorithm>
#include <limits>

namespace amdcompat::cl2 {
namespace {

constexpr std::uint32_t kFirst = 0;
constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kNestedSince = 191205;  // drivers from here on write Nested containers

// Common ids first, then by range of drivers. Rows of one range are together. [CLRX cl2CodeTables]
constexpr std::array kRows{
    ChipRow{1, "spectre", false, kFirst, kLast},     ChipRow{2, "spooky", false, kFirst, kLast},
    ChipRow{3, "kalindi", false, kFirst, kLast},     ChipRow{4, "mullins", false, kFirst, kLast},
    ChipRow{5, "bonaire", false, kFirst, kLast},  // revision A0
    ChipRow{6, "bonaire", false, kFirst, kLast},     ChipRow{7, "hawaii", false, kFirst, kLast},
    ChipRow{8, "iceland", false, kFirst, kLast},     ChipRow{9, "tonga", false, kFirst, kLast},
    ChipRow{15, "carrizo", false, kFirst, 191204},   ChipRow{16, "fiji", false, kFirst, 191204},
    ChipRow{16, "carrizo", false, 191205, 200405},   ChipRow{17, "fiji", false, 191205, 200405},
    ChipRow{12, "ellesmere", false, 200406, 203602},  // named "horse" there
    ChipRow{13, "baffin", false, 200406, 203602},  // "goose"
    ChipRow{15, "carrizo", false, 200406, 203602},   ChipRow{16, "fiji", false, 200406, 203602},
    ChipRow{17, "stoney", false, 200406, 203602},    ChipRow{13, "carrizo", false, 203603, 223599},
    ChipRow{14, "fiji", false, 203603, 223599},      ChipRow{15, "stoney", false, 203603, 223599},
    ChipRow{16, "baffin", false, 203603, 223599},    ChipRow{17, "ellesmere", false, 203603, 223599},
    ChipRow{12, "carrizo", false, 223600, 226399},   ChipRow{13, "fiji", false, 223600, 226399},
    ChipRow{14, "stoney", false, 223600, 226399},    ChipRow{15, "baffin", false, 223600, 226399},
    ChipRow{16, "ellesmere", false, 223600, 226399}, ChipRow{17, "gfx900", false, 223600, 226399},
    ChipRow{18, "gfx804", false, 223600, 226399},    ChipRow{13, "carrizo", false, 226400, 234799},
    ChipRow{14, "fiji", false, 226400, 234799},      ChipRow{15, "stoney", false, 226400, 234799},
    ChipRow{16, "baffin", false, 226400, 234799},    ChipRow{17, "ellesmere", false, 226400, 234799},
    ChipRow{18, "gfx804", false, 226400, 234799},    ChipRow{19, "gfx900", false, 226400, 234799},
    ChipRow{14, "carrizo", false, 234800, 244199},   ChipRow{15, "fiji", false, 234800, 244199},
    ChipRow{16, "stoney", false, 234800, 244199},    ChipRow{17, "baffin", false, 234800, 244199},
    ChipRow{18, "ellesmere", false, 234800, 244199}, ChipRow{19, "gfx804", false, 234800, 244199},
    ChipRow{20, "gfx900", false, 234800, 244199},    ChipRow{21, "gfx900", true, 234800, 244199},
    ChipRow{12, "carrizo", false, 244200, 248199},   ChipRow{13, "fiji", false, 244200, 248199},
    ChipRow{14, "stoney", false, 244200, 248199},    ChipRow{15, "baffin", false, 244200, 248199},
    ChipRow{16, "ellesmere", false, 244200, 248199}, ChipRow{17, "gfx900", false, 244200, 248199},
    ChipRow{18, "gfx804", false, 244200, 248199},    ChipRow{19, "gfx900", true, 244200, 248199},
    ChipRow{12, "carrizo", false, 248200, kLast},    ChipRow{13, "fiji", false, 248200, kLast},
    ChipRow{14, "stoney", false, 248200, kLast},     ChipRow{16, "baffin", false, 248200, kLast},
    ChipRow{18, "ellesmere", false, 248200, kLast},  ChipRow{19, "gfx900", false, 248200, 252699},
    ChipRow{20, "gfx804", false, 248200, 252699},    ChipRow{21, "gfx900", true, 248200, 252699},
    ChipRow{20, "gfx900", false, 252700, kLast},     ChipRow{21, "gfx804", false, 252700, kLast},
    ChipRow{23, "gfx900", true, 252700, kLast},      ChipRow{24, "gfx902", false, 252700, kLast},
    ChipRow{25, "gfx902", true, 252700, kLast},      ChipRow{26, "gfx904", false, 252700, kLast},
    ChipRow{27, "gfx904", true, 252700, kLast},      ChipRow{28, "gfx906", false, 258000, kLast},
    ChipRow{29, "gfx906", true, 258000, kLast}};

// [CLRX GPUId amdCL2GpuArchVersionTbl; BIN for 7.0.0, 8.0.0, 8.0.4 and 9.0.1]
constexpr std::array kVersions{ChipVersion{"bonaire", false, 7, 0, 0}, ChipVersion{"spectre", false, 7, 0, 0},
                               ChipVersion{"spooky", false, 7, 0, 0},  ChipVersion{"kalindi", false, 7, 0, 0},
                               ChipVersion{"mullins", false, 7, 0, 0}, ChipVersion{"hawaii", false, 7, 0, 1},
                               ChipVersion{"iceland", false, 8, 0, 0}, ChipVersion{"tonga", false, 8, 0, 0},
                               ChipVersion{"carrizo", false, 8, 0, 1}, ChipVersion{"fiji", false, 8, 0, 4},
                               ChipVersion{"baffin", false, 8, 0, 4},  ChipVersion{"ellesmere", false, 8, 0, 4},
                               ChipVersion{"gfx804", false, 8, 0, 4},  ChipVersion{"stoney", false, 8, 1, 0},
                               ChipVersion{"gfx900", false, 9, 0, 0},  ChipVersion{"gfx900", true, 9, 0, 1},
                               ChipVersion{"gfx902", false, 9, 0, 2},  ChipVersion{"gfx902", true, 9, 0, 3},
                               ChipVersion{"gfx904", false, 9, 0, 4},  ChipVersion{"gfx904", true, 9, 0, 5},
                               ChipVersion{"gfx906", false, 9, 0, 6},  ChipVersion{"gfx906", true, 9, 0, 7}};

bool has_version(const ChipRow& row, const IsaNote& isa) {
  return std::ranges::any_of(kVersions, [&](const ChipVersion& version) {
    return version.device == row.device && version.xnack == row.xnack && version.major == isa.major &&
           version.minor == isa.minor && version.stepping == isa.stepping;
  });
}

}  // namespace

std::span<const ChipRow> chip_rows() { return kRows; }
std::span<const ChipVersion> chip_versions() { return kVersions; }

ChipChoice choose_chip(std::uint32_t chip, const std::optional<IsaNote>& isa, std::optional<CodeStorage> storage,
                       std::uint32_t driver) {
  const auto possible = [&](const ChipRow& row) {
    if (driver != 0 && (driver < row.first || driver > row.last)) return false;
    if (storage == CodeStorage::Separate) return row.first < kNestedSince;
    if (storage == CodeStorage::Nested) return row.last >= kNestedSince;
    return true;
  };
  ChipChoice choice;
  const auto take = [&](std::string_view device, bool xnack) {
    const Device* const found = find_device(device);
    if (choice.device != nullptr && (found != choice.device || xnack != choice.xnack)) choice.ambiguous = true;
    choice.device = found;
    choice.xnack = xnack;
  };
  // Rows run from old drivers to new ones, so that the last match is the newest.
  for (const ChipRow& row : kRows)
    if (row.chip == chip && possible(row) && (!isa || has_version(row, *isa))) take(row.device, row.xnack);
  if (choice.device != nullptr || !isa) return choice;
  // The note alone: the first device of that version stands for all of them.
  for (const ChipVersion& version : kVersions) {
    if (version.major != isa->major || version.minor != isa->minor || version.stepping != isa->stepping) continue;
    if (choice.device != nullptr) {
      choice.ambiguous = true;
      continue;
    }
    choice.device = find_device(version.device);
    choice.xnack = version.xnack;
  }
  choice.contradicts = choice.device != nullptr;
  return choice;
}

}  // namespace amdcompat::cl2
