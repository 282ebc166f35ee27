// Writes the binary seeds: small containers and MessagePack documents made by the library itself.
//
//   fuzz_make_seeds fuzz/corpus
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include <amdcompat/convert.hpp>
#include <amdcompat/hsa.hpp>
#include <amdcompat/open.hpp>
#include <cl1_builder.hpp>

#include "cl2_samples.hpp"
#include <cl2_builder.hpp>

using namespace amdcompat;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kKernel =
    ";ARGSTART:__OpenCL_k_kernel\n;version:3:1:111\n;device:pitcairn\n;uniqueid:1024\n;memory:uavprivate:0\n"
    ";memory:hwlocal:64\n;pointer:out:float:1:1:0:uav:12:4:RW:0:0\n;value:n:u32:1:1:16\n;image:i:2D:RO:0:1:32\n"
    ";value:s:u32:1:1:64\n;counter:c:32:0:1:80\n;constarg:1:n\n;function:1:1025\n;sampler:s:0:0:0\n;uavid:11\n"
    ";reflection:0:float*\n;reflection:1:uint\n;ARGEND:__OpenCL_k_kernel\n";
constexpr std::string_view kFunction =
    ";ARGSTART:__k_fn\n;uniqueid:1025\n;memory:hwlocal:16\n;printf_fmt:0:1:4:4:%d\\n;\n;ARGEND:__k_fn\n";

bool save(const fs::path& path, std::span<const std::byte> bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return out.good();
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Built container(AddressBits bits, std::string_view metadata) {
  cl1::EncodingSpec encoding;
  encoding.machine = 0x1b;
  encoding.program_info = cl1::program_info_for({.known = true, .vgprs = 4, .sgprs = 8}, Isa::Gcn1_0);
  encoding.text = bytes_of("code");
  encoding.data.resize(4);
  encoding.symbols = {{"uav12", 0, 0x10}};
  auto image = cl1::build_cal_image({&encoding, 1});
  if (!image) return image;
  cl1::ContainerSpec spec;
  spec.elf_bits = bits;
  spec.machine = 0x3fe;
  spec.kernels.push_back(
      {"k", std::string(metadata), cl1::KernelHeader{.hardware_local_size = 80}, std::move(*image), {}});
  spec.functions.push_back({"fn", std::string(kFunction)});
  spec.globals.push_back({0, bytes_of(";#DATASTART:8\n;#i32:0:2:1:2\n;#DATAEND\n")});
  spec.compile_options = "-O2";
  spec.driver = "@(#) OpenCL 1.2 AMD-APP (1702.3).  Driver version: 1702.3 (VM)";
  return cl1::build(spec);
}

// One kernel of the samples, without text: a generation each.
bool save_cl2_containers(const fs::path& root) {
  bool ok = true;
  for (corpus::Cl2Sample& sample : corpus::cl2_samples()) {
    sample.spec.kernels.resize(1);
    sample.spec.brig.clear();
    const bool separate = sample.spec.storage == cl2::CodeStorage::Separate;
    if (!separate && sample.spec.samplers.empty()) continue;
    const auto built = cl2::build(sample.spec);
    ok = ok && built && save(root / (separate ? "cl2-separate" : "cl2-nested"), *built);
  }
  return ok;
}

// For fuzz_cl2: a byte of choices in front of the metadata of each kernel, and of a BRIG module.
bool save_cl2_metadata(const fs::path& root) {
  bool ok = true;
  const auto put = [&](const std::string& name, unsigned choices, std::span<const std::byte> bytes) {
    std::vector<std::byte> seed{static_cast<std::byte>(choices)};
    seed.insert(seed.end(), bytes.begin(), bytes.end());
    ok = ok && save(root / name, seed);
  };
  for (const corpus::Cl2Sample& sample : corpus::cl2_samples()) {
    const unsigned choices = (sample.spec.bits == AddressBits::Bits64 ? 1u : 0) |
                             (sample.spec.storage == cl2::CodeStorage::Separate ? 2u : 0);
    for (const cl2::KernelSpec& kernel : sample.spec.kernels)
      put(kernel.name, choices, write_metadata(kernel.metadata));
    if (!sample.spec.brig.empty()) put("brig", 4, sample.spec.brig);
  }
  return ok;
}

// A code object of one kernel, a word of data and a relocation.
bool save_object(const fs::path& directory) {
  hsa::CodeObject object;
  object.version = hsa::CodeObjectVersion::V5;
  object.target = find_target("gfx803");
  CodeSection text{".text", 0, bytes_of(std::string_view("\0\0\x81\xbf", 4)), 0, 256, false, true};
  CodeSection data{".data", 4096, std::vector<std::byte>(8), 0, 8, true, false};
  object.code.sections = {std::move(text), std::move(data)};
  object.code.symbols = {{"variable", CodePlace{1, 0, 8}, false}};
  object.code.relocations = {{{1, 0, 8}, hsa::kRelocationRelative64, std::nullopt, 0, 0}};
  hsa::CodeKernel kernel;
  kernel.name = "k";
  kernel.code = {0, 0, 4};
  kernel.descriptor.emplace();
  object.kernels.push_back(std::move(kernel));
  object.metadata.version = {1, 2};
  hsa::MetadataKernel& metadata = object.metadata.kernels.emplace_back();
  metadata.name = "k";
  metadata.symbol = "k.kd";
  const auto elf = hsa::write_code_object(object);
  return elf && save(directory / "object", std::as_bytes(std::span(*elf)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: fuzz_make_seeds CORPUS-DIRECTORY\n", stderr);
    return 2;
  }
  const fs::path root = argv[1];
  bool ok = true;
  for (const AddressBits bits : {AddressBits::Bits32, AddressBits::Bits64}) {
    const auto built = container(bits, kKernel);
    ok = ok && built && save(root / "open" / (bits == AddressBits::Bits32 ? "container-32" : "container-64"), *built);
  }
  ok = save_cl2_containers(root / "open") && save_cl2_metadata(root / "cl2") && ok;
  Diagnostics diagnostics;
  const text::Document document = text::parse(std::string(kKernel) + std::string(kFunction), diagnostics);
  const hsa::Metadata metadata = convert::to_metadata(lower(document), diagnostics).metadata;
  const auto save_text = [&](const char* path, std::string_view text) {
    ok = ok && save(root / path, std::as_bytes(std::span(text)));
  };
  save_text("hsa_msgpack/document", hsa::to_msgpack(metadata));
  save_text("hsa_msgpack/note", hsa::to_note(metadata));
  if (const Target* target = find_target("gfx600"); target != nullptr) {
    const Result<std::string> elf = hsa::to_note_elf(metadata, *target, hsa::CodeObjectVersion::V3);
    ok = ok && elf;
    if (elf) save_text("hsa_msgpack/elf", *elf);
  }
  save_text("hsa_yaml/document", hsa::to_yaml(metadata));
  if (const auto v2 = hsa::to_v2_yaml(metadata)) save_text("hsa_v2_yaml/document", *v2);
  save_text("hsa_v2_yaml/llvm4",
            "{ amd.MDVersion: [ 2, 1 ], amd.Kernels:\n  - { amd.KernelName: k, amd.Args:\n"
            "      - { amd.ArgSize: 8, amd.ArgAlign: 8, amd.ArgKind: 1, amd.ArgAddrQual: 1 } } }\n");
  save_text("hsa_v2_yaml/llvm5",
            "Version: [ 1, 0 ]\nKernels:\n  - Name: k\n    CodeProps:\n      WavefrontNumSGPRs: 8\n"
            "      KernargSegmentAlign: 4\n      WavefrontSize: 6\n");
  using namespace std::string_view_literals;
  save_text("hsa_v2_yaml/note7",
            "\x01\x00\x01\x04\x06\x01\x00\x00\x00k\x07\x09\x08\x00\x00\x00\x0A\x08\x00\x00\x00\x0D\x01\x08\x05"sv);
  ok = ok && save_object(root / "code_object");
  return ok ? 0 : 3;
}
