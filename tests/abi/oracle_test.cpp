// The images against what AMD's own runtime wrote, and what real kernels ran with.
#include <algorithm>
#include <map>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <amdcompat/launch_image.hpp>
#include <amdcompat/open.hpp>

#include "support/real_corpus.hpp"

// In amdcompat, because libstdc++ has a global name `abi` too.
namespace amdcompat::oracle_test {
namespace {

using namespace amdcompat_test;
using Json = nlohmann::json;

std::vector<std::byte> from_hex(std::string_view text) {
  std::vector<std::byte> out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    out.push_back(static_cast<std::byte>(std::stoul(std::string(text.substr(i, 2)), nullptr, 16)));
  return out;
}

std::string to_hex(std::span<const std::byte> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const std::byte b : bytes) {
    out += kDigits[std::to_integer<unsigned>(b) >> 4];
    out += kDigits[std::to_integer<unsigned>(b) & 15];
  }
  return out;
}

std::uint64_t number(const std::string& text) { return std::stoull(text, nullptr, 0); }

class Corpus {
 public:
  const File* file(const std::string& path) {
    auto found = files_.find(path);
    if (found == files_.end()) {
      Diagnostics diagnostics;
      std::optional<File> file = open(read_file(real_root() / "corpus" / path), diagnostics);
      if (!file) return nullptr;
      found = files_.emplace(path, std::move(*file)).first;
    }
    return &found->second;
  }
  static const Kernel* kernel(const File& file, const std::string& name) {
    const auto& all = file.program.kernels;
    const auto found = std::ranges::find(all, name, &Kernel::name);
    return found == all.end() ? nullptr : &*found;
  }

 private:
  std::map<std::string, File> files_;
};

bool set_value(abi::LaunchImage& image, std::size_t index, const std::string& value, Diagnostics& diagnostics) {
  const std::size_t colon = value.find(':');
  const std::string kind = value.substr(0, colon), rest = value.substr(colon + 1);
  if (kind == "hex") return image.set_bytes(index, from_hex(rest), diagnostics);
  if (kind == "buf") return image.set_buffer(index, {.address = number(rest)}, diagnostics);
  if (kind == "local") return image.set_local(index, number(rest), diagnostics);
  if (kind == "sampler") return image.set_sampler(index, static_cast<std::uint32_t>(number(rest)), diagnostics);
  std::vector<std::uint32_t> n;
  std::istringstream fields(rest);
  for (std::string field; std::getline(fields, field, ',');) n.push_back(static_cast<std::uint32_t>(number(field)));
  return image.set_image(
      index, {.width = n.at(0), .height = n.at(1), .depth = n.at(2), .channel_order = n.at(3), .channel_type = n.at(4)},
      diagnostics);
}

abi::Range range_of(const Json& launch) {
  abi::Range range;
  range.dimensions = launch["dim"];
  range.local = {1, 1, 1};
  for (std::size_t d = 0; d < launch["global"].size(); ++d) {
    range.global[d] = launch["global"][d];
    (*range.local)[d] = launch["local"][d];
    range.offset[d] = launch["offset"][d];
  }
  return range;
}

TEST(AmdRuntimeOracle, Cb0Cb1AndLocalMemoryOfEveryKernelEqualWhatAmdsRuntimeWrote) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::istringstream lines(read_file(real_root() / "oracle/amd-runtime.jsonl"));
  Corpus corpus;
  std::size_t kernels = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json oracle = Json::parse(line);
    const std::string path = oracle["file"];
    std::string name = oracle["symbol"];
    name = name.substr(9, name.size() - 9 - 9);  // __OpenCL_ … _metadata
    SCOPED_TRACE(path + " " + name);
    const File* file = corpus.file(path);
    ASSERT_NE(file, nullptr);
    const Kernel* kernel = Corpus::kernel(*file, name);
    ASSERT_NE(kernel, nullptr);
    Diagnostics diagnostics;
    auto image = abi::LaunchImage::create(*kernel, diagnostics, {}, file->program.data);
    ASSERT_TRUE(image) << kernel->name;
    ASSERT_TRUE(image->set_range(range_of(oracle["launch"]), diagnostics));
    for (std::size_t i = 0; i < oracle["values"].size(); ++i)
      ASSERT_TRUE(set_value(*image, i, oracle["values"][i], diagnostics));
    ASSERT_TRUE(image->build(diagnostics));
    EXPECT_FALSE(diagnostics.has_errors());
    EXPECT_EQ(to_hex(image->cb0()), oracle["cb0"]);
    const std::string cb1 = oracle["cb1"];
    EXPECT_EQ(to_hex(image->cb1()).substr(0, cb1.size()), cb1);
    EXPECT_EQ(image->cb1().size() % 16, 0u);
    EXPECT_EQ(image->local_bytes(), oracle["ldsBytes"]);
    for (std::size_t d = 0; d < oracle["localUsed"].size(); ++d)
      EXPECT_EQ(image->local_size()[d], oracle["localUsed"][d]);
    ++kernels;
  }
  EXPECT_EQ(kernels, 291u);
}

TEST(ExecutionOracle, Cb0Cb1AndBindingsOfEveryCaseEqualThoseThatRealKernelsRanWith) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::istringstream lines(read_file(real_root() / "oracle/exec.jsonl"));
  Corpus corpus;
  std::size_t cases = 0, bindings = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json oracle = Json::parse(line);
    SCOPED_TRACE(std::string(oracle["file"]) + " " + std::string(oracle["kernel"]) + " " +
                 std::string(oracle["pointers"]));
    const File* file = corpus.file(oracle["file"]);
    ASSERT_NE(file, nullptr);
    const Kernel* kernel = Corpus::kernel(*file, oracle["kernel"]);
    ASSERT_NE(kernel, nullptr);
    Diagnostics diagnostics;
    auto image = abi::LaunchImage::create(*kernel, diagnostics, {}, file->program.data);
    ASSERT_TRUE(image) << kernel->name;
    ASSERT_TRUE(image->set_range(range_of(oracle), diagnostics));
    const bool exact = oracle["pointers"] == "desc" || oracle["pointers"] == "cb1";
    ASSERT_EQ(oracle["arguments"].size(), kernel->arguments.size());
    for (std::size_t i = 0; i < oracle["arguments"].size(); ++i) {
      const Json& value = oracle["arguments"][i];
      if (value["kind"] == "value") {
        ASSERT_TRUE(image->set_bytes(i, from_hex(std::string(value["bytes"])), diagnostics));
      } else if (value["kind"] == "local") {
        ASSERT_TRUE(image->set_local(i, value["size"], diagnostics));
      } else {
        abi::Buffer buffer{.address = value["address"], .base = 0, .size = value["size"]};
        // The base of the descriptor the case ran with.
        std::uint32_t slot = 0;
        if (const auto* g = std::get_if<GlobalPointer>(&kernel->arguments[i].kind)) slot = g->buffer;
        if (const auto* c = std::get_if<ConstantPointer>(&kernel->arguments[i].kind)) slot = c->buffer;
        for (const Json& uav : oracle["uav"])
          if (uav["slot"] == slot) buffer.base = uav["address"];
        ASSERT_TRUE(image->set_buffer(i, buffer, diagnostics));
      }
    }
    const auto cb0 = from_hex(std::string(oracle["cb0"]));
    std::uint32_t data = 0;
    for (unsigned b = 0; b < 4; ++b) data |= std::to_integer<std::uint32_t>(cb0[128 + b]) << (8 * b);
    if (data != 0) {
      const auto constants = std::ranges::find(oracle["uav"], Json(*resource_ids(*kernel).constants),
                                               [](const Json& uav) { return uav["slot"]; });
      ASSERT_NE(constants, oracle["uav"].end());
      const std::uint64_t base = (*constants)["address"], size = (*constants)["size"];
      ASSERT_TRUE(
          image->set_data_segment(abi::Buffer{.address = base + data, .base = base, .size = size - data}, diagnostics));
    }
    for (const Json& buffer : oracle["constant_buffers"]) {
      const bool argument = std::ranges::any_of(image->bindings(), [&](const abi::Binding& b) {
        return b.kind == abi::BindingKind::ConstantBuffer && b.slot == buffer["slot"] && b.argument;
      });
      if (argument) continue;
      ASSERT_TRUE(image->set_constant_data(buffer["slot"], {.address = buffer["address"], .size = buffer["size"]},
                                           diagnostics));
    }
    ASSERT_TRUE(image->build(diagnostics));
    EXPECT_FALSE(diagnostics.has_errors());
    EXPECT_EQ(to_hex(image->cb0()), oracle["cb0"]);
    EXPECT_EQ(to_hex(image->cb1()), oracle["cb1"]);
    EXPECT_EQ(image->local_bytes(), oracle["lds_bytes"]);
    const auto bound = [&](const Json& expected, abi::BindingKind kind) {
      for (const abi::Binding& b : image->bindings()) {
        if (b.kind != kind || b.slot != expected["slot"] || b.address != expected["address"]) continue;
        if (exact || kind == abi::BindingKind::ConstantBuffer) {
          EXPECT_EQ(b.size, expected["size"]) << b.what;
          EXPECT_EQ(b.descriptor[2], expected["size"]) << b.what;
        }
        EXPECT_EQ(b.stride, expected["stride"]) << b.what;
        EXPECT_EQ(b.descriptor[3], 0x00027facu) << b.what;
        ++bindings;
        return true;
      }
      return false;
    };
    for (const Json& uav : oracle["uav"]) EXPECT_TRUE(bound(uav, abi::BindingKind::Uav)) << uav;
    for (const Json& buffer : oracle["constant_buffers"])
      EXPECT_TRUE(bound(buffer, abi::BindingKind::ConstantBuffer)) << buffer;
    ++cases;
  }
  EXPECT_EQ(cases, 191u);
  EXPECT_GT(bindings, 191u);
}

// The layout assigner knows nothing but the signature; the metadata says where AMD's compilers really put things.
TEST(LayoutAssigner, AgreesWithTheMetadataOfEveryRealFile) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::size_t kernels = 0, whole = 0;
  for (const RealFile& real : real_files("amdcl1")) {
    Diagnostics diagnostics;
    const auto file = open(read_real(real), diagnostics);
    if (!file) continue;
    for (const Kernel& kernel : file->program.kernels) {
      std::vector<std::uint32_t> offsets;
      for (const Argument& argument : kernel.arguments)
        offsets.push_back(std::get<ConstantBufferSlot>(argument.slot).offset);
      const auto assigned = abi::assign_layout(kernel.arguments);
      ASSERT_TRUE(assigned) << real.path << " " << kernel.name;
      if (*assigned != offsets) {
        EXPECT_EQ(abi::assign_layout(kernel.arguments, true), offsets) << real.path << " " << kernel.name;
        ++whole;
      }
      ++kernels;
    }
  }
  EXPECT_GE(kernels, 291u);
  // amd1.clo and amd1-diffdims.clo, assembled by CLRX.
  std::printf("%zu kernels, %zu of them with whole vectors of three\n", kernels, whole);
}

}  // namespace
}  // namespace amdcompat::oracle_test
