// Tables of boards, of what takes code for a target, of PCI ids and of drivers, and the look-ups in them.
//
// A board's row says which chip it has. Generations reuse the names of series ("HD 7700" is two chips), so rows are
// models; where a name was given to two chips, the row has the one that its source gives.
#include <amdcompat/gpu.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include <fmt/format.h>

namespace amdcompat {
namespace {

constexpr std::string_view kLu = "LU Processors";
constexpr std::string_view kIds = "IDS; LINUX amdgpu_drv.c";

constexpr std::array kBoards{
    // VLIW: no text at hand gives the chips of these models.
    Board{"Radeon HD 2900 XT", "r600", "r600", kNotVerified},
    Board{"Radeon HD 2400 XT", "rv610", "rs880", kNotVerified},
    Board{"Radeon HD 2600 XT", "rv630", "r600", kNotVerified},
    Board{"Radeon HD 3870", "rv670", "rv670", kNotVerified},
    Board{"Radeon HD 4870", "rv770", "rv770", kNotVerified},
    Board{"Radeon HD 4850", "rv770", "rv770", kNotVerified},
    Board{"Radeon HD 4350", "rv710", "rv710", kNotVerified},
    Board{"Radeon HD 4670", "rv730", "rv730", kNotVerified},
    Board{"Radeon HD 5870", "cypress", "cypress", kNotVerified},
    Board{"Radeon HD 5850", "cypress", "cypress", kNotVerified},
    Board{"Radeon HD 5970", "cypress", "cypress", kNotVerified},
    Board{"Radeon HD 5770", "juniper", "juniper", kNotVerified},
    Board{"Radeon HD 5750", "juniper", "juniper", kNotVerified},
    Board{"Radeon HD 5670", "redwood", "redwood", kNotVerified},
    Board{"Radeon HD 5450", "cedar", "cedar", kNotVerified},
    Board{"Radeon HD 6550D", "sumo", "sumo", kNotVerified},
    Board{"Radeon HD 6410D", "supersumo", "sumo", kNotVerified},
    Board{"Radeon HD 6310", "wrestler", "cedar", kNotVerified},
    Board{"Radeon HD 6970", "cayman", "cayman", kNotVerified},
    Board{"Radeon HD 6950", "cayman", "cayman", kNotVerified},
    Board{"Radeon HD 6990", "cayman", "cayman", kNotVerified},
    Board{"Radeon HD 6870", "barts", "barts", kNotVerified},
    Board{"Radeon HD 6850", "barts", "barts", kNotVerified},
    Board{"Radeon HD 6670", "turks", "turks", kNotVerified},
    Board{"Radeon HD 6450", "caicos", "caicos", kNotVerified},
    Board{"Radeon HD 7660D", "devastator", "cayman", kNotVerified},
    Board{"Radeon HD 7660G", "scrapper", "cayman", kNotVerified},
    // GCN 1.
    Board{"Radeon HD 7970", "tahiti", "gfx600", "IDS «HD 7900 Series»; LINUX amdgpu_drv.c"},
    Board{"Radeon HD 7950", "tahiti", "gfx600", "IDS «HD 7900 Series»; LINUX amdgpu_drv.c"},
    Board{"Radeon R9 280X", "tahiti", "gfx600", "IDS «R9 200 / HD 7900 Series»; LINUX amdgpu_drv.c"},
    Board{"FirePro W9000", "tahiti", "gfx600", kIds},
    Board{"FirePro W8000", "tahiti", "gfx600", kIds},
    Board{"Radeon HD 7870", "pitcairn", "gfx601", "IDS «HD 7800 Series»; LINUX amdgpu_drv.c"},
    Board{"Radeon HD 7850", "pitcairn", "gfx601", "IDS «HD 7800 Series»; LINUX amdgpu_drv.c"},
    Board{"Radeon HD 7970M", "pitcairn", "gfx601", kIds},
    Board{"Radeon R9 270X", "pitcairn", "gfx601", kNotVerified},
    Board{"Radeon R9 370", "pitcairn", "gfx601", kIds},
    Board{"FirePro W7000", "pitcairn", "gfx601", kIds},
    Board{"FirePro W5000", "pitcairn", "gfx601", kIds},
    Board{"Radeon HD 7770", "capeverde", "gfx601", "IDS «HD 7700 Series»; LINUX amdgpu_drv.c"},
    Board{"Radeon HD 7750", "capeverde", "gfx601", "IDS «HD 7700 Series»; LINUX amdgpu_drv.c"},
    Board{"Radeon R9 M360", "capeverde", "gfx601", kIds},
    Board{"FirePro W600", "capeverde", "gfx601", kIds},
    Board{"FirePro W4100", "capeverde", "gfx601", kIds},
    Board{"Radeon R7 240", "oland", "gfx602", kIds},
    Board{"Radeon R7 350", "oland", "gfx602", kIds},
    Board{"Radeon HD 8790M", "oland", "gfx602", kIds},
    Board{"FirePro W2100", "oland", "gfx602", kIds},
    Board{"Radeon HD 8500M", "hainan", "gfx602", kIds},
    Board{"Radeon R5 M330", "hainan", "gfx602", kIds},
    Board{"Radeon R5 M230", "hainan", "gfx602", kIds},
    // GCN 2.
    Board{"Radeon HD 7790", "bonaire", "gfx704", kLu},
    Board{"Radeon HD 8770", "bonaire", "gfx704", kLu},
    Board{"Radeon R7 260", "bonaire", "gfx704", kLu},
    Board{"Radeon R7 260X", "bonaire", "gfx704", kLu},
    Board{"Radeon R7 360", "bonaire", "gfx704", kIds},
    Board{"FirePro W5100", "bonaire", "gfx704", kIds},
    Board{"A10-7300", "spectre", "gfx700", kLu},
    Board{"A10-7400P", "spectre", "gfx700", kLu},
    Board{"FX-7500", "spectre", "gfx700", kLu},
    Board{"FX-7600P", "spectre", "gfx700", kLu},
    Board{"A6-7000", "spooky", "gfx700", "LU Processors; which of kaveri's two chips is not verified"},
    Board{"A8-7100", "spooky", "gfx700", "LU Processors; which of kaveri's two chips is not verified"},
    Board{"Radeon HD 8400", "kalindi", "gfx703", kIds},
    Board{"Radeon HD 8330", "kalindi", "gfx703", kIds},
    Board{"A4-5000", "kalindi", "gfx703", kLu},
    Board{"E1-2100", "kalindi", "gfx703", kLu},
    Board{"Radeon R3 Mullins", "mullins", "gfx703", kNotVerified},
    Board{"Radeon R2 Godavari", "godavari", "gfx705", kNotVerified},
    Board{"Radeon R9 290", "hawaii", "gfx702", kLu},
    Board{"Radeon R9 290X", "hawaii", "gfx702", kLu},
    Board{"Radeon R9 390", "hawaii", "gfx702", "LU Processors «R390»"},
    Board{"Radeon R9 390X", "hawaii", "gfx702", "LU Processors «R390x»"},
    Board{"FirePro W8100", "hawaii", "gfx701", kLu},
    Board{"FirePro W9100", "hawaii", "gfx701", kLu},
    Board{"FirePro S9150", "hawaii", "gfx701", kLu},
    Board{"FirePro S9170", "hawaii", "gfx701", kLu},
    // GCN 3 and 4.
    Board{"Radeon R7 M260", "iceland", "gfx802", kIds},
    Board{"Radeon R7 M340", "iceland", "gfx802", kIds},
    Board{"Radeon 530", "iceland", "gfx802", kIds},
    Board{"Radeon R9 285", "tonga", "gfx802", kLu},
    Board{"Radeon R9 380", "tonga", "gfx802", kLu},
    Board{"Radeon R9 385", "tonga", "gfx802", kLu},
    Board{"FirePro S7150", "tongapro", "gfx805", kLu},
    Board{"FirePro S7100", "tongapro", "gfx805", kLu},
    Board{"FirePro W7100", "tongapro", "gfx805", kLu},
    Board{"Radeon R9 Nano", "fiji", "gfx803", kLu},
    Board{"Radeon R9 Fury", "fiji", "gfx803", kLu},
    Board{"Radeon R9 Fury X", "fiji", "gfx803", kLu},
    Board{"Radeon Pro Duo", "fiji", "gfx803", kLu},
    Board{"FirePro S9300 x2", "fiji", "gfx803", kLu},
    Board{"Radeon Instinct MI8", "fiji", "gfx803", kLu},
    Board{"A10-8700P", "carrizo", "gfx801", kLu},
    Board{"FX-8800P", "carrizo", "gfx801", kLu},
    Board{"A12-9800", "carrizo", "gfx801", kNotVerified},
    Board{"Radeon RX 470", "ellesmere", "gfx803", kLu},
    Board{"Radeon RX 480", "ellesmere", "gfx803", kLu},
    Board{"Radeon RX 570", "ellesmere", "gfx803", kIds},
    Board{"Radeon RX 580", "ellesmere", "gfx803", kIds},
    Board{"Radeon RX 590", "ellesmere", "gfx803", kIds},
    Board{"Radeon Pro WX 7100", "ellesmere", "gfx803", kIds},
    Board{"Radeon Pro WX 5100", "ellesmere", "gfx803", kIds},
    Board{"Radeon Instinct MI6", "ellesmere", "gfx803", kLu},
    Board{"Radeon RX 460", "baffin", "gfx803", kLu},
    Board{"Radeon RX 560", "baffin", "gfx803", kIds},
    Board{"Radeon Pro WX 4100", "baffin", "gfx803", kIds},
    Board{"Radeon R5 Stoney", "stoney", "gfx810", kNotVerified},
    Board{"Radeon RX 550", "lexa", "gfx803", kIds},
    Board{"Radeon 540", "lexa", "gfx803", kIds},
    Board{"Radeon RX 640", "lexa", "gfx803", kIds},
    Board{"Radeon Pro WX 3100", "lexa", "gfx803", kIds},
    Board{"Radeon RX Vega M GH", "polaris22", "gfx803", kIds},
    Board{"Radeon RX Vega M GL", "polaris22", "gfx803", kIds},
    // GCN 5.
    Board{"Radeon Vega Frontier Edition", "greenland", "gfx900", kLu},
    Board{"Radeon RX Vega 56", "greenland", "gfx900", kLu},
    Board{"Radeon RX Vega 64", "greenland", "gfx900", kLu},
    Board{"Radeon Instinct MI25", "greenland", "gfx900", kLu},
    Board{"Radeon Pro WX 9100", "greenland", "gfx900", kIds},
    Board{"Ryzen 3 2200G", "raven", "gfx902", kLu},
    Board{"Ryzen 5 2400G", "raven", "gfx902", kLu},
    Board{"Radeon Vega 3 Raven2", "raven2", "gfx902", kNotVerified},
    Board{"Radeon Pro Vega 20", "vega12", "gfx904", kNotVerified},
    Board{"Radeon VII", "vega20", "gfx906", kLu},
    Board{"Radeon Pro VII", "vega20", "gfx906", kLu},
    Board{"Radeon Instinct MI50", "vega20", "gfx906", kLu},
    Board{"Radeon Instinct MI60", "vega20", "gfx906", kLu},
    Board{"Ryzen 3 4300G", "renoir", "gfx90c", kLu},
    Board{"Ryzen 5 4600G", "renoir", "gfx90c", kLu},
    Board{"Ryzen 7 4700G", "renoir", "gfx90c", kLu},
    // CDNA.
    Board{"Instinct MI100", "", "gfx908", kLu},
    Board{"Instinct MI210", "", "gfx90a", kLu},
    Board{"Instinct MI250", "", "gfx90a", kLu},
    Board{"Instinct MI250X", "", "gfx90a", kLu},
    Board{"Instinct MI300A", "", "gfx942", "ROCM6"},
    Board{"Instinct MI300X", "", "gfx942", "ROCM6"},
    Board{"Instinct MI350X", "", "gfx950", kNotVerified},
    Board{"Instinct MI355X", "", "gfx950", kNotVerified},
    // RDNA 1.
    Board{"Radeon RX 5700", "", "gfx1010", kLu},
    Board{"Radeon RX 5700 XT", "", "gfx1010", kLu},
    Board{"Radeon RX 5600 XT", "", "gfx1010", kIds},
    Board{"Radeon Pro W5700", "", "gfx1010", kIds},
    Board{"Radeon Pro V520", "", "gfx1011", kLu},
    Board{"Radeon Pro 5600M", "", "gfx1011", "IDS; LINUX amdgpu_drv.c; LU has it under gfx1010"},
    Board{"Radeon RX 5500", "", "gfx1012", kLu},
    Board{"Radeon RX 5500 XT", "", "gfx1012", kLu},
    Board{"Radeon RX 5300", "", "gfx1012", kIds},
    Board{"Radeon Pro W5500", "", "gfx1012", kIds},
    // RDNA 2.
    Board{"Radeon RX 6800", "", "gfx1030", kLu},
    Board{"Radeon RX 6800 XT", "", "gfx1030", kLu},
    Board{"Radeon RX 6900 XT", "", "gfx1030", kLu},
    Board{"Radeon RX 6950 XT", "", "gfx1030", kIds},
    Board{"Radeon Pro W6800", "", "gfx1030", "ROCM56"},
    Board{"Radeon Pro V620", "", "gfx1030", "ROCM56"},
    Board{"Radeon RX 6700 XT", "", "gfx1031", kLu},
    Board{"Radeon RX 6750 XT", "", "gfx1031", kIds},
    Board{"Radeon RX 6700M", "", "gfx1031", kIds},
    Board{"Radeon RX 6800M", "", "gfx1031", kIds},
    Board{"Radeon RX 6600", "", "gfx1032", kIds},
    Board{"Radeon RX 6600 XT", "", "gfx1032", kIds},
    Board{"Radeon RX 6650 XT", "", "gfx1032", kIds},
    Board{"Radeon Pro W6600", "", "gfx1032", kIds},
    Board{"Steam Deck", "", "gfx1033", kNotVerified},
    Board{"Radeon RX 6500 XT", "", "gfx1034", kIds},
    Board{"Radeon RX 6400", "", "gfx1034", kIds},
    Board{"Radeon Pro W6400", "", "gfx1034", kIds},
    Board{"Radeon 680M", "", "gfx1035", kIds},
    Board{"Radeon 660M", "", "gfx1035", kIds},
    Board{"Radeon 610M", "", "gfx1036", kNotVerified},
    // RDNA 3.
    Board{"Radeon RX 7900 XTX", "", "gfx1100", "GENTOO"},
    Board{"Radeon RX 7900 XT", "", "gfx1100", kLu},
    Board{"Radeon RX 7900 GRE", "", "gfx1100", kLu},
    Board{"Radeon Pro W7900", "", "gfx1100", "GENTOO"},
    Board{"Radeon Pro W7800", "", "gfx1100", "GENTOO"},
    Board{"Radeon RX 7800 XT", "", "gfx1101", kLu},
    Board{"Radeon RX 7700 XT", "", "gfx1101", kLu},
    Board{"Radeon RX 7700", "", "gfx1101", kLu},
    Board{"Radeon RX 7600", "", "gfx1102", kLu},
    Board{"Radeon RX 7600 XT", "", "gfx1102", kLu},
    Board{"Radeon Pro W7600", "", "gfx1102", "GENTOO"},
    Board{"Radeon Pro W7500", "", "gfx1102", "GENTOO"},
    Board{"Radeon 780M", "", "gfx1103", "GENTOO"},
    Board{"Radeon 760M", "", "gfx1103", kNotVerified},
    Board{"Radeon 740M", "", "gfx1103", kNotVerified},
    Board{"Radeon 890M", "", "gfx1150", kLu},
    Board{"Radeon 8060S", "", "gfx1151", kLu},
    Board{"Radeon 860M", "", "gfx1152", kLu},
    // RDNA 4.
    Board{"Radeon RX 9060", "", "gfx1200", kLu},
    Board{"Radeon RX 9060 XT", "", "gfx1200", kLu},
    Board{"Radeon RX 9070", "", "gfx1201", kLu},
    Board{"Radeon RX 9070 XT", "", "gfx1201", kLu},
    Board{"Radeon RX 9070 GRE", "", "gfx1201", kLu},
};

constexpr std::string_view kRocr = "ROCr 5.2.3";
constexpr std::string_view kHsart = "HSART";
constexpr std::string_view kNoHsa = "LLVM lists no HSA runtime for it";
constexpr std::array kSupport{
    TargetSupport{"gfx600", "GCN 1", "", kNotVerified, kNoHsa},
    TargetSupport{"gfx601", "GCN 1", "", kNotVerified, kNoHsa},
    TargetSupport{"gfx602", "GCN 1", "", kNotVerified, kNoHsa},
    TargetSupport{"gfx700", "GCN 2", kRocr, kHsart, ""},
    TargetSupport{"gfx701", "GCN 2", "ROCm 3.3", "ROCM33", "enabled there, not supported"},
    TargetSupport{"gfx702", "GCN 2", "ROCm 3.3", "ROCM33", "enabled there, not supported"},
    TargetSupport{"gfx703", "GCN 2", kRocr, kHsart, "LLVM lists runtimes of Windows alone"},
    TargetSupport{"gfx704", "GCN 2", kRocr, kHsart, "LLVM lists runtimes of Windows alone"},
    TargetSupport{"gfx705", "GCN 2", kRocr, kHsart, "LLVM lists runtimes of Windows alone"},
    TargetSupport{"gfx801", "GCN 3", "ROCm 3.3", "ROCM33", "OpenCL only"},
    TargetSupport{"gfx802", "GCN 3", kRocr, kHsart, "not supported by ROCm 3.3"},
    TargetSupport{"gfx803", "GCN 3 and 4", "ROCm 2.0", "ROCM20", ""},
    TargetSupport{"gfx805", "GCN 3", kRocr, kHsart, ""},
    TargetSupport{"gfx810", "GCN 3", kRocr, kHsart, ""},
    TargetSupport{"gfx900", "GCN 5", "ROCm 2.0", "ROCM20", ""},
    TargetSupport{"gfx902", "GCN 5", "ROCm 3.3", "ROCM33", "OpenCL only"},
    TargetSupport{"gfx904", "GCN 5", kRocr, kHsart, "not supported by ROCm 3.3"},
    TargetSupport{"gfx906", "GCN 5", "ROCm 3.3", "ROCM33", ""},
    TargetSupport{"gfx908", "CDNA 1", kRocr, kHsart, ""},
    TargetSupport{"gfx909", "GCN 5", kRocr, kHsart, ""},
    TargetSupport{"gfx90a", "CDNA 2", kRocr, kHsart, ""},
    TargetSupport{"gfx90c", "GCN 5", kRocr, kHsart, ""},
    TargetSupport{"gfx940", "CDNA 3", "", kNotVerified, "no longer taken by ROCm 7.0"},
    TargetSupport{"gfx941", "CDNA 3", "", kNotVerified, "no longer taken by ROCm 7.0"},
    TargetSupport{"gfx942", "CDNA 3", "ROCm 6.0", "ROCM6", ""},
    TargetSupport{"gfx950", "CDNA 4", "ROCm 7.0", "ROCM70", ""},
    TargetSupport{"gfx1010", "RDNA 1", kRocr, kHsart, ""},
    TargetSupport{"gfx1011", "RDNA 1", kRocr, kHsart, ""},
    TargetSupport{"gfx1012", "RDNA 1", kRocr, kHsart, ""},
    TargetSupport{"gfx1013", "RDNA 1", kRocr, kHsart, ""},
    TargetSupport{"gfx1030", "RDNA 2", kRocr, kHsart, ""},
    TargetSupport{"gfx1031", "RDNA 2", kRocr, kHsart, ""},
    TargetSupport{"gfx1032", "RDNA 2", kRocr, kHsart, ""},
    TargetSupport{"gfx1033", "RDNA 2", kRocr, kHsart, ""},
    TargetSupport{"gfx1034", "RDNA 2", kRocr, kHsart, ""},
    TargetSupport{"gfx1035", "RDNA 2", kRocr, kHsart, ""},
    TargetSupport{"gfx1036", "RDNA 2", "", kNotVerified, "not yet in ROCr 5.2.3"},
    TargetSupport{"gfx1100", "RDNA 3", "ROCm 6.0", "ROCM6", "not yet in ROCr 5.2.3"},
    TargetSupport{"gfx1101", "RDNA 3", "", kNotVerified, "not yet in ROCr 5.2.3"},
    TargetSupport{"gfx1102", "RDNA 3", "", kNotVerified, "not yet in ROCr 5.2.3"},
    TargetSupport{"gfx1103", "RDNA 3", "", kNotVerified, "not yet in ROCr 5.2.3"},
    TargetSupport{"gfx1150", "RDNA 3.5", "", kNotVerified, ""},
    TargetSupport{"gfx1151", "RDNA 3.5", "", kNotVerified, ""},
    TargetSupport{"gfx1152", "RDNA 3.5", "", kNotVerified, ""},
    TargetSupport{"gfx1153", "RDNA 3.5", "", kNotVerified, ""},
    TargetSupport{"gfx1200", "RDNA 4", "ROCm 6.4.1", "ROCM641", ""},
    TargetSupport{"gfx1201", "RDNA 4", "ROCm 6.4.1", "ROCM641", ""},
    TargetSupport{"gfx9-generic", "GCN 5", "", kNotVerified, "code objects V6 only"},
    TargetSupport{"gfx9-4-generic", "CDNA 3", "", kNotVerified, "code objects V6 only"},
    TargetSupport{"gfx10-1-generic", "RDNA 1", "", kNotVerified, "code objects V6 only"},
    TargetSupport{"gfx10-3-generic", "RDNA 2", "", kNotVerified, "code objects V6 only"},
    TargetSupport{"gfx11-generic", "RDNA 3", "", kNotVerified, "code objects V6 only"},
    TargetSupport{"gfx12-generic", "RDNA 4", "", kNotVerified, "code objects V6 only"},
};

// [LINUX amdgpu_drv.c pciidlist]: ids of one chip that follow each other with no other chip's in between are one range.
// Chips after these have no list: the driver asks the card, and so does the kernel driver for compute.
constexpr std::array kPci{
    PciRange{0x1304, 0x131d, "gfx700", "Kaveri"},         PciRange{0x13fe, 0x13fe, "gfx1013", "Cyan Skillfish"},
    PciRange{0x15d8, 0x15d8, "gfx902", "Raven"},          PciRange{0x15dd, 0x15dd, "gfx902", "Raven"},
    PciRange{0x15e7, 0x15e7, "gfx90c", "Renoir"},         PciRange{0x1636, 0x1638, "gfx90c", "Renoir"},
    PciRange{0x163f, 0x163f, "gfx1033", "Van Gogh"},      PciRange{0x164c, 0x164c, "gfx90c", "Renoir"},
    PciRange{0x164d, 0x164d, "gfx1035", "Yellow Carp"},   PciRange{0x1681, 0x1681, "gfx1035", "Yellow Carp"},
    PciRange{0x6600, 0x6631, "gfx602", "Oland"},          PciRange{0x6640, 0x665f, "gfx704", "Bonaire"},
    PciRange{0x6660, 0x666f, "gfx602", "Hainan"},         PciRange{0x66a0, 0x66af, "gfx906", "Vega 20"},
    PciRange{0x6780, 0x679f, "gfx600", "Tahiti"},         PciRange{0x67a0, 0x67aa, "gfx701", "Hawaii"},
    PciRange{0x67b0, 0x67be, "gfx702", "Hawaii"},         PciRange{0x67c0, 0x67df, "gfx803", "Polaris 10"},
    PciRange{0x67e0, 0x67ff, "gfx803", "Polaris 11"},     PciRange{0x6800, 0x6819, "gfx601", "Pitcairn"},
    PciRange{0x6820, 0x683f, "gfx601", "Cape Verde"},     PciRange{0x6860, 0x687f, "gfx900", "Vega 10"},
    PciRange{0x6900, 0x6907, "gfx802", "Topaz"},          PciRange{0x6920, 0x6939, "gfx802", "Tonga"},
    PciRange{0x694c, 0x694f, "gfx803", "Vega M"},         PciRange{0x6980, 0x699f, "gfx803", "Polaris 12"},
    PciRange{0x69a0, 0x69af, "gfx904", "Vega 12"},        PciRange{0x6fdf, 0x6fdf, "gfx803", "Polaris 10"},
    PciRange{0x7300, 0x730f, "gfx803", "Fiji"},           PciRange{0x7310, 0x731f, "gfx1010", "Navi 10"},
    PciRange{0x7340, 0x734f, "gfx1012", "Navi 14"},       PciRange{0x7360, 0x7362, "gfx1011", "Navi 12"},
    PciRange{0x7388, 0x7390, "gfx908", "Arcturus"},       PciRange{0x73a0, 0x73bf, "gfx1030", "Sienna Cichlid"},
    PciRange{0x73c0, 0x73df, "gfx1031", "Navy Flounder"}, PciRange{0x73e0, 0x73ff, "gfx1032", "Dimgrey Cavefish"},
    PciRange{0x7408, 0x7410, "gfx90a", "Aldebaran"},      PciRange{0x7420, 0x743f, "gfx1034", "Beige Goby"},
    PciRange{0x9830, 0x983f, "gfx703", "Kabini"},         PciRange{0x9850, 0x985f, "gfx703", "Mullins"},
    PciRange{0x9870, 0x9877, "gfx801", "Carrizo"},        PciRange{0x98e4, 0x98e4, "gfx810", "Stoney"},
};

// Builds of the OpenCL runtime in releases of Catalyst. [BIN: names of CLRX's test files; JTR for 1642]
struct Release {
  std::uint32_t build;
  std::string_view name;
  std::uint16_t year;  // releases are called YEAR.MONTH
};
constexpr std::array kReleases{
    Release{1016, "12.10", 2012},
    Release{1124, "13.4", 2013},
    Release{1348, "13.12", 2013},
    Release{1642, "14.12", 2014},
};

constexpr bool is_target(std::string_view name) {
  // all_targets() is no constant expression; `kSupport` has them all, which a test holds against it.
  return std::ranges::find(kSupport, name, &TargetSupport::target) != kSupport.end();
}
static_assert(std::ranges::all_of(kPci, [](const PciRange& row) { return is_target(row.target); }));
static_assert(std::ranges::adjacent_find(kPci,
                                         [](const PciRange& a, const PciRange& b) {
                                           return a.first > a.last || a.last >= b.first;
                                         }) == kPci.end(),
              "PCI ranges are ascending and disjoint");

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Letters and digits of a board's name without the words that people leave out or add.
std::string board_key(std::string_view name) {
  static constexpr std::string_view kIgnored[] = {"amd",    "ati", "radeon", "instinct",   "graphics",
                                                  "series", "gpu", "tm",     "accelerator"};
  std::string out, word;
  const auto end_word = [&] {
    if (std::ranges::find(kIgnored, word) == std::end(kIgnored)) out += word;
    word.clear();
  };
  for (const char given : name.substr(0, 200)) {
    const char c = lower(given);
    if (is_letter_or_digit(c))
      word += c;
    else
      end_word();
  }
  end_word();
  return out;
}

// Optimal string alignment; both words are short.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t other = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + other});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  return cost[a.size()][b.size()];
}

}  // namespace

std::span<const Board> all_boards() { return kBoards; }
std::span<const TargetSupport> all_target_support() { return kSupport; }
std::span<const PciRange> all_pci_ranges() { return kPci; }

std::optional<Gpu> find_gpu(std::string_view name) {
  std::string plain;
  for (const char c : name.substr(0, 200)) plain += lower(c);
  if (const Target* const target = find_target(plain); target != nullptr) return Gpu{.target = target};
  if (const Device* const device = find_device(plain); device != nullptr) {
    const Target* const target = find_target(device->target);
    return target == nullptr ? std::nullopt : std::optional(Gpu{.target = target, .device = device});
  }
  const std::string key = board_key(name);
  if (key.empty()) return std::nullopt;
  for (const Board& board : kBoards)
    if (board_key(board.name) == key) {
      const Target* const target = find_target(board.target);
      if (target != nullptr) return Gpu{target, find_device(board.device), &board};
    }
  return std::nullopt;
}

std::string nearest_gpu(std::string_view name) {
  // By what is compared, and then by what it is called.
  std::vector<std::pair<std::string, std::string_view>> names;
  const auto add = [&](std::string_view known) { names.emplace_back(known, known); };
  for (const Target& target : all_targets()) add(target.name);
  for (const Device& device : all_devices()) add(device.name);
  for (const DeviceAlias& alias : all_device_aliases()) add(alias.alias);
  for (const Board& board : kBoards) names.emplace_back(board_key(board.name), board.name);
  std::vector<std::string_view> words;
  for (const auto& [word, shown] : names) words.push_back(word);
  const std::string key = board_key(name);
  const std::string_view near = nearest_word(key, words);
  for (const auto& [word, shown] : names)
    if (!near.empty() && word == near) return std::string(shown);
  return {};
}

const TargetSupport* find_target_support(std::string_view target) {
  const auto* const row = std::ranges::find(kSupport, target, &TargetSupport::target);
  return row == kSupport.end() ? nullptr : row;
}

const PciRange* find_pci(std::uint16_t device_id) {
  const auto* const row = std::ranges::find_if(
      kPci, [&](const PciRange& range) { return range.first <= device_id && device_id <= range.last; });
  return row == kPci.end() ? nullptr : row;
}

const Target* find_target_by_version(std::uint32_t version) {
  return find_target(fmt::format("gfx{}{:x}{:x}", version / 10'000, version / 100 % 100, version % 100));
}

std::optional<DriverRelease> driver_release(std::string_view driver) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  // "AMD-APP (1124.2)"; of the compiler library of OpenCL 2.0 the number in brackets is its own.
  constexpr std::string_view kLead = "AMD-APP (";
  const std::size_t lead = driver.find(kLead);
  if (lead == std::string_view::npos) return std::nullopt;
  driver.remove_prefix(lead + kLead.size());
  std::size_t end = 0;
  while (end < driver.size() && (is_digit(driver[end]) || driver[end] == '.')) ++end;
  DriverRelease out;
  out.build = std::string(driver.substr(0, end));
  std::uint32_t build = 0;
  if (std::from_chars(driver.data(), driver.data() + end, build).ec != std::errc{}) return std::nullopt;
  for (const Release& release : kReleases) {
    if (release.build < build) {
      out.after = release.name;
      out.first_year = release.year;
    } else if (release.build == build) {
      out.at = release.name;
      out.after = out.before = {};
      out.first_year = out.last_year = release.year;
      return out;
    } else if (out.before.empty()) {
      out.before = release.name;
      out.last_year = release.year;
    }
  }
  return out;
}

std::string driver_period(const DriverRelease& release) {
  if (!release.at.empty()) return fmt::format("Catalyst {}, {}", release.at, release.first_year);
  if (release.after.empty()) return fmt::format("before Catalyst {}: {} or older", release.before, release.last_year);
  if (release.before.empty()) return fmt::format("after Catalyst {}: {} or newer", release.after, release.first_year);
  const std::string years = release.first_year == release.last_year
                                ? fmt::format("{}", release.first_year)
                                : fmt::format("{} or {}", release.first_year, release.last_year);
  return fmt::format("between Catalyst {} and {}: {}", release.after, release.before, years);
}

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> words) {
  if (word.empty() || word.size() > 40) return {};
  const auto in_common = [&](std::string_view other) {
    std::size_t n = 0;
    while (n < std::min(word.size(), other.size()) && lower(word[n]) == lower(other[n])) ++n;
    return n;
  };
  std::string_view best;
  // A third of the letters may be wrong, but of a short word one. Of words as near, the one that begins alike.
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : words) {
    if (candidate.size() > 40) continue;
    const std::size_t found = distance(word, candidate);
    if (found < least || (found == least && !best.empty() && in_common(candidate) > in_common(best))) {
      least = found;
      best = candidate;
    }
  }
  return best;
}

}  // namespace amdcompat
