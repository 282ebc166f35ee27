// Real kernels on the interpreter: constant buffers from LaunchImage, memory afterwards as an independent emulator left
// it. Wrong constant buffers must change the results.
#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include <amdcompat/emulate.hpp>
#include <amdcompat/launch_image.hpp>

#include "support/exec_oracle.hpp"

namespace amdcompat::exec_test {
namespace {

using namespace amdcompat_test;

// The images of a case, made from its launch and arguments.
struct Images {
  std::vector<std::byte> cb0, cb1;
  std::uint64_t lds_bytes = 0;
};
Images images_of(const Json& c, const File& file) {
  const std::string name = c["kernel"];
  const auto kernel = std::ranges::find(file.program.kernels, name, &Kernel::name);
  Diagnostics diagnostics;
  auto image = abi::LaunchImage::create(*kernel, diagnostics, {}, file.program.data);
  EXPECT_TRUE(image);
  abi::Range range;
  range.dimensions = c["dim"];
  range.local = {1, 1, 1};
  for (std::size_t d = 0; d < 3; ++d) {
    range.global[d] = c["global"][d];
    (*range.local)[d] = c["local"][d];
    range.offset[d] = c["offset"][d];
  }
  EXPECT_TRUE(image->set_range(range, diagnostics));
  // The split of an address between descriptor and CB1 is the case's choice: CB1 holds what it says.
  const std::vector<std::byte> given = from_hex(c["cb1"].get<std::string>());
  for (std::size_t i = 0; i < c["arguments"].size(); ++i) {
    const Json& a = c["arguments"][i];
    if (a["kind"] == "value") {
      EXPECT_TRUE(image->set_bytes(i, from_hex(a["bytes"].get<std::string>()), diagnostics));
    } else if (a["kind"] == "local") {
      EXPECT_TRUE(image->set_local(i, a["size"], diagnostics));
    } else {
      std::uint64_t in_cb1 = 0;
      std::memcpy(&in_cb1, given.data() + std::get<ConstantBufferSlot>(kernel->arguments[i].slot).offset,
                  c["abi64"] ? 8 : 4);
      const std::uint64_t address = a["address"];
      EXPECT_LE(in_cb1, address);
      EXPECT_TRUE(image->set_buffer(i, {.address = address, .base = address - in_cb1, .size = a["size"]}, diagnostics));
    }
  }
  // Programs with a data segment in a UAV find its offset in CB0.
  std::uint32_t data = 0;
  std::memcpy(&data, from_hex(c["cb0"].get<std::string>()).data() + 128, 4);
  if (data != 0) {
    EXPECT_TRUE(image->set_data_segment(abi::Buffer{.address = data}, diagnostics));
  }
  EXPECT_TRUE(image->build(diagnostics));
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::Error) ADD_FAILURE() << d.message;
  return {{image->cb0().begin(), image->cb0().end()}, {image->cb1().begin(), image->cb1().end()}, image->local_bytes()};
}

struct Outcome {
  emulate::Report report;
  emulate::Memory memory;
  std::string problems;
};

Outcome run_case(const Json& c, const File& file, const Images& images) {
  Outcome out;
  for (const Json& buffer : c["memory_before"])
    EXPECT_TRUE(out.memory.map(buffer["address"], from_hex(buffer["bytes"].get<std::string>()), "buffer"));
  emulate::CalBindings bindings;
  bindings.cb0 = images.cb0;
  bindings.cb1 = images.cb1;
  const auto add = [](const Json& list, std::vector<emulate::CalBindings::Slot>& to) {
    for (const Json& b : list) {
      const auto words = abi::buffer_descriptor(b["address"], b["size"], b["stride"]);
      to.push_back({b["slot"], {words.begin(), words.end()}});
    }
  };
  add(c["uav"], bindings.uavs);
  add(c["constant_buffers"], bindings.constant_buffers);
  const auto& kernels = file.program.kernels;
  const auto kernel = std::ranges::find(kernels, c["kernel"].get<std::string>(), &Kernel::name);
  auto launch = emulate::kernel_launch(file.program, static_cast<std::size_t>(kernel - kernels.begin()), bindings,
                                       images.lds_bytes, out.memory);
  if (!launch) {
    out.problems = launch.error().message;
    return out;
  }
  for (std::size_t d = 0; d < 3; ++d) {
    launch->global[d] = c["global"][d];
    launch->local[d] = c["local"][d];
  }
  // The oracle's emulator keeps denormals, whatever the mode says.
  launch->float_mode = 0xf0;
  Diagnostics diagnostics;
  out.report = emulate::run(*launch, out.memory, {}, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) out.problems += d.message + "\n";
  for (const auto& p : out.report.poison) out.problems += "poison " + p.what + " at " + std::to_string(p.offset) + "\n";
  for (const auto& o : out.report.outside)
    out.problems += "outside " + std::to_string(o.address) + " at " + std::to_string(o.offset) + "\n";
  return out;
}

// How many words differ from what the case says.
std::size_t differences(const Json& c, const emulate::Memory& memory) {
  std::size_t count = 0;
  for (const Json& buffer : c["memory_after"]) {
    const auto expected = from_hex(buffer["bytes"].get<std::string>());
    count += differing_words(c, expected, memory.view(buffer["address"], expected.size())).size();
  }
  return count;
}

TEST(ExecOracle, EveryCaseGivesTheMemoryThatTheOtherEmulatorLeft) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  ExecFiles corpus;
  std::size_t number = 0;
  for (const Json& c : exec_cases()) {
    SCOPED_TRACE(std::to_string(++number) + " " + c["file"].get<std::string>() + " " + c["kernel"].get<std::string>());
    const File& file = corpus.file(c["file"]);
    const Images images = images_of(c, file);
    EXPECT_EQ(images.cb0, from_hex(c["cb0"].get<std::string>()));
    EXPECT_EQ(images.cb1, from_hex(c["cb1"].get<std::string>()));
    const Outcome result = run_case(c, file, images);
    EXPECT_TRUE(result.report.clean()) << result.problems;
    EXPECT_EQ(differences(c, result.memory), expected_differences(c));
    EXPECT_EQ(result.report.instructions, c["instructions"]);
  }
  EXPECT_GE(number, 191u);
}

// Each of these words decides which work-item does what; a kernel that ran with it wrong must not agree.
TEST(ExecOracle, OneWrongWordOfConstantBuffer0ChangesResults) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  ExecFiles corpus;
  struct Control {
    std::size_t dword;
    std::uint32_t value;
    const char* what;
  };
  std::size_t changed = 0;
  for (const Control& control :
       {Control{4, 1, "local size x"}, Control{24, 5, "global offset x"}, Control{5, 3, "local size y"}}) {
    std::size_t here = 0, words = 0;
    for (const Json& c : exec_cases()) {
      const File& file = corpus.file(c["file"]);
      Images images = images_of(c, file);
      std::uint32_t right = 0;
      std::memcpy(&right, images.cb0.data() + control.dword * 4, 4);
      if (right == control.value) continue;
      std::memcpy(images.cb0.data() + control.dword * 4, &control.value, 4);
      const Outcome result = run_case(c, file, images);
      const std::size_t different = differences(c, result.memory);
      if (different > expected_differences(c) || !result.report.clean()) ++here;
      words += different;
    }
    EXPECT_GT(here, control.dword == 5 ? 10u : 100u) << control.what;
    EXPECT_GT(words, 500u) << control.what;
    changed += here;
  }
  EXPECT_GT(changed, 200u);
}

}  // namespace
}  // namespace amdcompat::exec_test
