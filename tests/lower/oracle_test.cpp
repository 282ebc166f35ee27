// The neutral model against what AMD's own runtime made of the same metadata blocks (oracle/amd-runtime.jsonl).
#include <algorithm>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <amdcompat/open.hpp>

#include "support/real_corpus.hpp"

using namespace amdcompat;
using namespace amdcompat_test;
using Json = nlohmann::json;

namespace oracle_test {
namespace {

// The runtime's names of argument types.
struct RuntimeArgument {
  std::string type;
  std::uint64_t size = 0;
  std::string buf;
  std::uint64_t index = 0;
  std::uint64_t alignment = 1;
  std::string access;
  std::uint64_t address = 0x119E;  // CL_KERNEL_ARG_ADDRESS_PRIVATE
  std::uint64_t image_access = 0x11A3;  // CL_KERNEL_ARG_ACCESS_NONE
};

struct ToRuntime {
  static std::string value_name(ScalarType type) {
    switch (type) {
      case ScalarType::I8: return "Char";
      case ScalarType::I16: return "Short";
      case ScalarType::I32: return "Int";
      case ScalarType::I64: return "Long";
      case ScalarType::U8: return "UChar";
      case ScalarType::U16: return "UShort";
      case ScalarType::U32: return "UInt";
      case ScalarType::U64: return "ULong";
      case ScalarType::Float: return "Float";
      case ScalarType::Double: return "Double";
      case ScalarType::Struct: return "Struct";
      case ScalarType::Union: return "Union";
      default: return "?";
    }
  }
  RuntimeArgument operator()(const ByValue& v) const {
    return {.type = value_name(v.type), .size = v.elements, .buf = {}, .access = {}};
  }
  RuntimeArgument pointer(const PointerInfo& p, std::string type, std::uint64_t address) const {
    return {.type = std::move(type),
            .size = 1,
            .buf = std::string(memory_kind_name(p.memory)),
            .index = p.buffer,
            .alignment = p.align,
            .access = std::string(text::access_name(p.access)),
            .address = address};
  }
  RuntimeArgument operator()(const GlobalPointer& p) const { return pointer(p, "PointerGlobal", 0x119B); }
  RuntimeArgument operator()(const LocalPointer& p) const {
    return pointer(p, p.memory == MemoryKind::HardwareLocal ? "PointerHwLocal" : "PointerLocal", 0x119C);
  }
  RuntimeArgument operator()(const ConstantPointer& p) const {
    return pointer(p, p.memory == MemoryKind::HardwareConstant ? "PointerHwConst" : "PointerConst", 0x119D);
  }
  RuntimeArgument operator()(const RegionPointer& p) const { return pointer(p, "PointerRegion", 0x119B); }
  RuntimeArgument operator()(const PrivatePointer& p) const { return pointer(p, "PointerPrivate", 0x119E); }
  RuntimeArgument operator()(const Image& i) const {
    static const std::map<ImageDim, std::string> kNames{
        {ImageDim::D1, "Image1D"}, {ImageDim::D1Array, "Image1DA"}, {ImageDim::D1Buffer, "Image1DB"},
        {ImageDim::D2, "Image2D"}, {ImageDim::D2Array, "Image2DA"}, {ImageDim::D3, "Image3D"}};
    const std::uint64_t access = i.access == Access::ReadOnly    ? 0x11A0
                                 : i.access == Access::WriteOnly ? 0x11A1
                                                                 : 0x11A2;
    return {.type = kNames.at(i.dim),
            .size = 0,
            .buf = {},
            .index = i.id,
            .access = std::string(text::access_name(i.access)),
            .address = 0x119B,
            .image_access = access};
  }
  RuntimeArgument operator()(const Sampler& s) const {
    return {.type = "Sampler", .size = 0, .buf = {}, .index = s.id, .access = {}};
  }
  RuntimeArgument operator()(const Counter& c) const {
    return {.type = "Counter", .size = c.bits, .buf = {}, .index = c.id, .access = {}};
  }
  RuntimeArgument operator()(const Semaphore&) const { return {}; }
  RuntimeArgument operator()(const Queue&) const { return {}; }
  RuntimeArgument operator()(const Pipe&) const { return {}; }
  RuntimeArgument operator()(const Hidden&) const { return {}; }
};

Json argument_json(const Argument& argument) {
  const RuntimeArgument r = std::visit(ToRuntime{}, argument.kind);
  const unsigned qualifiers =
      (argument.is_const ? 1u : 0u) | (argument.is_restrict ? 2u : 0u) | (argument.is_volatile ? 4u : 0u);
  return {{"name", argument.name},
          {"type", r.type},
          {"size", r.size},
          {"cbIdx", std::get<ConstantBufferSlot>(argument.slot).buffer},
          {"cbPos", std::get<ConstantBufferSlot>(argument.slot).offset},
          {"buf", r.buf},
          {"index", r.index},
          {"alignment", r.alignment},
          {"typeName", argument.type_name},
          {"typeQualifier", qualifiers},
          {"addressQualifier", r.address},
          {"accessQualifier", r.image_access},
          {"access", r.access}};
}

// The kernel as the oracle spells it, launch values aside.
Json kernel_json(const Kernel& kernel) {
  constexpr std::uint32_t kNone = 65535;
  const unsigned flags = (kernel.limits.one_wavefront ? 1u : 0u) | (kernel.uses_printf ? 2u : 0u) |
                         (kernel.compiler_write ? 4u : 0u) | (kernel.address_bits == AddressBits::Bits64 ? 8u : 0u) |
                         (kernel.uses_images ? 64u : 0u) | (kernel.writes_images ? 128u : 0u);
  Json out{{"abi64", kernel.address_bits == AddressBits::Bits64},
           {"flags", flags},
           {"compileSize", kernel.limits.required_group_size},
           {"compileSizeHint", kernel.limits.group_size_hint},
           {"vecTypeHint", kernel.limits.vector_type_hint},
           // The runtime's field ignores cws.
           {"workGroupSize", kernel.limits.one_wavefront ? 64 : kernel.limits.max_group_size.value_or(256)},
           {"uavRaw", effective_raw_uav(kernel).value_or(kNone)},
           {"cbId", resource_ids(kernel).constants.value_or(kNone)},
           {"printfId", resource_ids(kernel).printf.value_or(kNone)},
           {"hwLocal", kernel.segments.hardware_local},
           {"hwPrivate", kernel.segments.hardware_private + kernel.segments.uav_private}};
  Json& args = out["args"] = Json::array();
  for (const Argument& argument : kernel.arguments) args.push_back(argument_json(argument));
  Json& samplers = out["samplers"] = Json::array();
  for (const ConstantSampler& s : kernel.samplers)
    samplers.push_back({{"name", s.name}, {"index", s.id}, {"cbPos", s.value}});
  return out;
}

TEST(AmdRuntimeOracle, EveryFieldOfEveryKernelEqualsWhatAmdsRuntimeRead) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::istringstream lines(read_file(real_root() / "oracle/amd-runtime.jsonl"));
  std::map<std::string, File> files;
  std::size_t kernels = 0, arguments = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json oracle = Json::parse(line);
    const std::string path = oracle["file"];
    auto found = files.find(path);
    if (found == files.end()) {
      Diagnostics diagnostics;
      std::optional<File> file = open(read_file(real_root() / "corpus" / path), diagnostics);
      ASSERT_TRUE(file) << path;
      ASSERT_FALSE(diagnostics.has_errors()) << path;
      found = files.emplace(path, std::move(*file)).first;
    }
    std::string name = oracle["symbol"];
    name = name.substr(9, name.size() - 9 - 9);  // __OpenCL_ … _metadata
    const auto& all = found->second.program.kernels;
    const auto kernel = std::ranges::find(all, name, &Kernel::name);
    ASSERT_NE(kernel, all.end()) << path << " " << name;
    const Json ours = kernel_json(*kernel);
    for (const auto& [key, value] : ours.items()) {
      if (key == "args" || key == "samplers") continue;
      EXPECT_EQ(value, oracle[key]) << path << " " << name << " " << key;
    }
    ASSERT_EQ(ours["args"].size(), oracle["args"].size()) << path << " " << name;
    for (std::size_t i = 0; i < ours["args"].size(); ++i) {
      EXPECT_EQ(ours["args"][i], oracle["args"][i]) << path << " " << name << " argument " << i;
      ++arguments;
    }
    ASSERT_EQ(ours["samplers"].size(), oracle["samplers"].size()) << path << " " << name;
    // The runtime keeps a constant sampler's state word in cbPos.
    for (std::size_t i = 0; i < ours["samplers"].size(); ++i)
      for (const auto& [key, value] : ours["samplers"][i].items())
        EXPECT_EQ(value, oracle["samplers"][i][key]) << path << " " << name << " sampler " << i;
    ++kernels;
  }
  EXPECT_EQ(kernels, 291u);
  EXPECT_EQ(arguments, 1061u);
}

}  // namespace
}  // namespace oracle_test
