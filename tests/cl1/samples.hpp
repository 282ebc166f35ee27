// Containers and images of our own for the tests of cl1: small, complete, and easy to break.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/cl1.hpp>
#include <amdcompat/identify.hpp>

#include <cl1_builder.hpp>

#include "support/print_finding.hpp"

namespace amdcompat {

// GoogleTest prints it by name instead of as a number.
inline void PrintTo(FileKind kind, std::ostream* out) { *out << kind_name(kind); }

namespace test {

using Bytes = std::vector<std::byte>;

inline Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

inline std::string metadata_of(std::string_view name, std::string_view device = "pitcairn") {
  return fmt::format(";ARGSTART:__OpenCL_{0}_kernel\n;version:3:1:111\n;device:{1}\n;uniqueid:1024\n;memory:uavprivate:"
                     "0\n;memory:hwlocal:512\n"
                     ";memory:hwregion:0\n;pointer:out:float:1:1:0:uav:12:4:RW:0:0\n;value:n:u32:1:1:16\n;function:1:"
                     "1028\n;uavid:11\n;printfid:9\n"
                     ";cbid:10\n;privateid:8\n;reflection:0:float*\n;reflection:1:uint\n;ARGEND:__OpenCL_{0}_kernel\n",
                     name, device);
}

inline const Registers kRegisters{
    .known = true, .vgprs = 7, .sgprs = 14, .scratch_bytes = 64, .lds_bytes = 512, .wavefront_size = 64};

inline cl1::EncodingSpec encoding(std::uint32_t machine, Isa isa = Isa::Gcn1_0) {
  cl1::EncodingSpec spec;
  spec.machine = machine;
  spec.program_info = cl1::program_info_for(kRegisters, isa);
  spec.text = bytes_of(std::string_view("\0\0\x81\xbf", 4));  // s_endpgm
  spec.data = Bytes(16);  // real images have 4736 bytes; short ones keep tests quick
  spec.symbols = {{"uav12", 0, 0x10}, {"cb1", 0, 0xa}, {"cb0", 1, 0xa}};
  return spec;
}

inline cl1::EncodingSpec il_encoding(std::uint32_t machine = 0x19) {
  cl1::EncodingSpec spec = encoding(machine);
  spec.program_info.clear();
  spec.text = bytes_of("IL text of this encoding");
  return spec;
}

inline Bytes image(std::vector<cl1::EncodingSpec> encodings) {
  auto built = cl1::build_cal_image(encodings);
  EXPECT_TRUE(built) << built.error().message;
  return built.value_or(Bytes{});
}

inline constexpr std::uint16_t kPitcairn = 0x3fe;
inline constexpr std::uint32_t kPitcairnCode = 0x1b;
inline constexpr std::string_view kDriver = "@(#) OpenCL 1.2 AMD-APP (1702.3).  Driver version: 1702.3 (VM)";

inline cl1::KernelSpec kernel(std::string name) {
  cl1::KernelSpec spec;
  spec.metadata = metadata_of(name);
  spec.header = cl1::KernelHeader{.hardware_local_size = 512, .flags = cl1::kHeaderPrintf};
  spec.image = image({encoding(kPitcairnCode)});
  spec.name = std::move(name);
  return spec;
}

// Two kernels, a function, a data segment and both kinds of options.
inline cl1::ContainerSpec container(AddressBits bits = AddressBits::Bits32) {
  cl1::ContainerSpec spec;
  spec.elf_bits = bits;
  spec.machine = kPitcairn;
  spec.kernels = {kernel("fill"), kernel("scale_kernel")};
  spec.functions = {{"helper", ";ARGSTART:helper\n;uniqueid:1028\n;ARGEND:helper\n"}};
  spec.globals = {{0, bytes_of(";#DATASTART:16\n;#DATAEND:0\n")}};
  spec.compile_options = "-O2 ";
  spec.linker_options = "-link";
  spec.driver = kDriver;
  return spec;
}

inline Bytes build(const cl1::ContainerSpec& spec) {
  auto built = cl1::build(spec);
  EXPECT_TRUE(built) << built.error().message;
  return built.value_or(Bytes{});
}

// Reads what must be readable.
inline cl1::Binary read_good(Bytes bytes, Diagnostics& diagnostics) {
  auto read = cl1::read(std::move(bytes), diagnostics);
  EXPECT_TRUE(read) << diagnostics.all().back().message;
  return read ? std::move(*read) : cl1::Binary{};
}

inline std::string listing(const Diagnostics& diagnostics) {
  std::ostringstream out;
  for (const Diagnostic& finding : diagnostics.all()) {
    PrintTo(finding, &out);
    out << '\n';
  }
  return out.str();
}

inline Bytes read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return bytes_of(text);
}

}  // namespace test
}  // namespace amdcompat
