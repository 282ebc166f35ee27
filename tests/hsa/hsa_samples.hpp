// Documents the tests of this directory share.
#pragma once

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>

#include <amdcompat/hsa.hpp>

#include "support/print_finding.hpp"

namespace amdcompat::hsa {
inline void PrintTo(const Metadata& metadata, std::ostream* out) { *out << '\n' << to_yaml(metadata); }
}  // namespace amdcompat::hsa

namespace samples {

using namespace amdcompat;

inline hsa::MetadataArgument argument(std::string name, hsa::ValueKind kind, std::uint64_t offset, std::uint64_t size) {
  hsa::MetadataArgument out;
  if (!name.empty()) out.name = std::move(name);
  out.value_kind = kind;
  out.offset = offset;
  out.size = size;
  return out;
}

inline hsa::MetadataArgument hidden(hsa::ValueKind kind, std::uint64_t offset) {
  return argument("", kind, offset, hsa::value_kind_info(kind).size);
}

inline hsa::MetadataKernel kernel(std::string name) {
  hsa::MetadataKernel out;
  out.symbol = name + ".kd";
  out.name = std::move(name);
  out.language = "OpenCL C";
  out.language_version = {1, 2};
  out.kernarg_segment_size = 64;
  out.kernarg_segment_align = 8;
  out.group_segment_fixed_size = 0;
  out.private_segment_fixed_size = 0;
  out.wavefront_size = 64;
  out.sgpr_count = 0;
  out.vgpr_count = 0;
  out.max_flat_workgroup_size = 256;
  return out;
}

// A document the verifier has nothing to say about; every explicit kind and the V3 hidden list are in it.
inline hsa::Metadata clean() {
  using hsa::ValueKind;
  hsa::Metadata out;
  out.version = {1, 0};
  out.printf = {"1:1:4:value %d\\n", "2:0:done\\n"};
  hsa::MetadataKernel first = kernel("saxpy");
  hsa::MetadataArgument x = argument("x", ValueKind::GlobalBuffer, 0, 8);
  x.type_name = "float*";
  x.address_space = hsa::AddressSpace::Global;
  x.is_const = true;
  x.is_restrict = true;
  hsa::MetadataArgument scratch = argument("scratch", ValueKind::DynamicSharedPointer, 8, 4);
  scratch.address_space = hsa::AddressSpace::Local;
  scratch.pointee_align = 16;
  hsa::MetadataArgument a = argument("a", ValueKind::ByValue, 12, 4);
  a.type_name = "float";
  first.args = {x,
                scratch,
                a,
                hidden(ValueKind::HiddenGlobalOffsetX, 16),
                hidden(ValueKind::HiddenGlobalOffsetY, 24),
                hidden(ValueKind::HiddenGlobalOffsetZ, 32),
                hidden(ValueKind::HiddenPrintfBuffer, 40),
                hidden(ValueKind::HiddenNone, 48)};
  first.reqd_workgroup_size = {16, 16, 1};
  first.sgpr_spill_count = 0;
  first.vgpr_spill_count = 3;
  hsa::MetadataKernel second = kernel("blit");
  hsa::MetadataArgument image = argument("src", ValueKind::Image, 0, 8);
  image.type_name = "image2d_t";
  image.access = hsa::AccessQualifier::ReadOnly;
  hsa::MetadataArgument sampler = argument("s", ValueKind::Sampler, 8, 8);
  sampler.type_name = "sampler_t";
  hsa::MetadataArgument triple = argument("v", ValueKind::ByValue, 16, 12);
  second.args = {image, sampler, triple};
  second.workgroup_size_hint = {64, 1, 1};
  second.vec_type_hint = "float4";
  out.kernels = {first, second};
  return out;
}

inline hsa::Metadata clean_v5() {
  using hsa::ValueKind;
  hsa::Metadata out;
  out.version = {1, 2};
  out.target = "amdgcn-amd-amdhsa--gfx906";
  hsa::MetadataKernel only = kernel("k");
  only.kernarg_segment_size = 264;
  only.uses_dynamic_stack = false;
  only.args = {argument("n", ValueKind::ByValue, 0, 4)};
  for (const hsa::ValueKindInfo& row : hsa::all_value_kinds())
    if (row.offset) only.args.push_back(hidden(row.kind, 8u + *row.offset));
  std::ranges::sort(only.args, {}, [](const hsa::MetadataArgument& each) { return *each.offset; });
  out.kernels = {only};
  return out;
}

}  // namespace samples
