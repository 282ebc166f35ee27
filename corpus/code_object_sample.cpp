#include "code_object_sample.hpp"

namespace corpus {

using namespace amdcompat;

hsa::CodeObject code_object_sample() {
  hsa::CodeObject object;
  object.version = hsa::CodeObjectVersion::V5;
  object.target = find_target("gfx906");
  object.features = {hsa::FeatureSetting::Off, hsa::FeatureSetting::Any};
  CodeSection text;
  text.name = ".text";
  text.align = 256;
  text.executable = true;
  for (const unsigned byte : {0x00u, 0x00u, 0x81u, 0xbfu, 0x00u, 0x00u, 0x81u, 0xbfu})
    text.bytes.push_back(std::byte(byte));
  CodeSection data;
  data.name = ".data";
  data.address = 4096;
  data.align = 8;
  data.writable = true;
  data.bytes.resize(32, std::byte{7});
  object.code.sections = {text, data};
  object.code.symbols = {{"variable", CodePlace{1, 0, 8}, false}};
  object.code.relocations = {{{1, 8, 8}, hsa::kRelocationRelative64, std::nullopt, 0, 0}};
  hsa::CodeKernel kernel;
  kernel.name = "k";
  kernel.code = {0, 0, 8};
  hsa::KernelDescriptor& d = kernel.descriptor.emplace();
  d.group_segment_fixed_size = 128;
  d.kernarg_size = 24;
  d.rsrc1 = 0x00ac0041;
  d.rsrc2 = 6 << 1 | 1 << 7 | 1;
  d.private_segment_fixed_size = 16;
  d.properties = kSgprPrivateBuffer | kSgprKernargPtr;
  object.kernels = {kernel};
  object.metadata.version = {1, 2};
  object.metadata.target = "amdgcn-amd-amdhsa--gfx906:xnack-";
  object.metadata.printf = {"1:0:hello"};
  hsa::MetadataKernel& m = object.metadata.kernels.emplace_back();
  m.name = "k";
  m.symbol = "k.kd";
  m.kernarg_segment_size = 24;
  m.kernarg_segment_align = 8;
  m.group_segment_fixed_size = 128;
  m.private_segment_fixed_size = 16;
  m.wavefront_size = 64;
  m.sgpr_count = 16;
  m.vgpr_count = 8;
  m.max_flat_workgroup_size = 256;
  const auto add = [&](const char* name, std::uint64_t offset, std::uint64_t size, hsa::ValueKind kind) {
    hsa::MetadataArgument& a = m.args.emplace_back();
    a.name = name;
    a.offset = offset;
    a.size = size;
    a.value_kind = kind;
    a.type_name = "T";
  };
  add("p", 0, 8, hsa::ValueKind::GlobalBuffer);
  m.args[0].address_space = hsa::AddressSpace::Global;
  add("n", 8, 4, hsa::ValueKind::ByValue);
  add("q", 16, 8, hsa::ValueKind::GlobalBuffer);
  m.args[2].address_space = hsa::AddressSpace::Global;
  return object;
}

}  // namespace corpus
