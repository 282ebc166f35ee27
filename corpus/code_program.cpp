#include "code_program.hpp"

#include <cstring>

#include <amdcompat/cl1.hpp>
#include <amdcompat/device.hpp>

namespace corpus {

using namespace amdcompat;

Program program_of_code(std::span<const CodeKernel> kernels, gcn::Generation generation) {
  Program out;
  const bool old = generation == gcn::Generation::Gfx6;
  out.family = Family::Cl1;
  out.device = old ? "pitcairn" : "bonaire";
  out.driver = "none";
  const bool later = generation > gcn::Generation::Gfx7;  // which no such container has, for instructions alone
  out.target = find_target(old                                   ? "gfx601"
                           : !later                              ? "gfx700"
                           : generation == gcn::Generation::Gfx8 ? "gfx803"
                                                                 : "gfx900");
  CodeSection section;
  section.name = ".text";
  for (const CodeKernel& from : kernels) {
    Kernel kernel;
    kernel.name = from.name;
    const auto add = [&](std::string name, const char* type, ArgumentKind kind, std::uint32_t offset) {
      Argument& argument = kernel.arguments.emplace_back();
      argument.name = std::move(name);
      argument.type_name = type;
      argument.kind = std::move(kind);
      argument.slot = ConstantBufferSlot{1, offset};
    };
    const auto pointer = [&](const char* name, std::uint32_t offset, std::uint32_t uav) {
      GlobalPointer kind;
      kind.pointee = ScalarType::U32;
      kind.buffer = uav;
      kind.align = 4;
      kind.access = Access::ReadWrite;
      add(name, "uint*", kind, offset);
    };
    pointer("in", 0, 10);
    pointer("out", 16, 11);
    for (std::uint32_t n = 0; n < kCodeValues; ++n)
      add("p" + std::to_string(n), "uint", ByValue{ScalarType::U32, 1}, 32 + 16 * n);
    kernel.segments.hardware_local = from.lds_bytes;
    cl1::CalState state;
    state.info.vgprs = 80;
    state.info.sgprs = 100;
    state.info.float_mode = from.flushes ? 0xc0 : 0xf0;
    state.info.user_elements = 3;
    state.user_elements = {{cl1::kClassUavTable, 0, kCodeTable, 2},
                           {cl1::kClassConstantBuffer, 0, kCodeCb0, 4},
                           {cl1::kClassConstantBuffer, 1, kCodeCb1, 4}};
    state.info.rsrc2 = std::uint32_t{kCodeGroup} << 1 | 1u << 7;
    kernel.entry = state;
    const auto bytes = std::as_bytes(std::span(from.words));
    kernel.code = CodePlace{0, section.bytes.size(), bytes.size()};
    section.bytes.insert(section.bytes.end(), bytes.begin(), bytes.end());
    out.kernels.push_back(std::move(kernel));
  }
  out.code.sections.push_back(std::move(section));
  return out;
}

}  // namespace corpus
