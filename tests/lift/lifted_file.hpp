// Files that clang 19 compiles of sources of these tests, and kernels of a file, lifted one by one as users lift them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/open.hpp>
#include <amdcompat/pipeline.hpp>

#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat_test {

// Of a source in this directory, for a device, with bench/kernels/device.h. Empty: that failed, which is said.
inline std::optional<amdcompat::File> compiled_by_clang(std::string_view source, std::string_view target) {
  const TemporaryDirectory directory;
  const std::string object = (directory / "unit.o").string();
  const ProcessResult compiled =
      run(fmt::format("clang-19 -x cl -cl-std=CL1.2 -O2 -target amdgcn-amd-amdhsa -mcpu={0} -nogpulib -Xclang "
                      "-finclude-default-header -include '{1}/bench/kernels/device.h' '{1}/tests/lift/{2}' -o '{3}' "
                      "2>&1",
                      target, AMDCOMPAT_SOURCE_DIR, source, object));
  EXPECT_EQ(compiled.status, 0) << compiled.output;
  if (compiled.status != 0) return std::nullopt;
  amdcompat::Diagnostics diagnostics;
  auto file = amdcompat::open(read_file(object), diagnostics);
  EXPECT_TRUE(file);
  return file ? std::optional(*std::move(file)) : std::nullopt;
}

// That a kernel is lifted, in the work-item form where that is asked for, and `proved` where that is, which takes a
// device a second.
struct Lifting {
  bool proved = false, work_item = true;
  std::optional<amdcompat::lift::Form> form{};
};
inline void expect_lifted(const amdcompat::File& file, const std::string& kernel, const Lifting& wanted) {
  SCOPED_TRACE(kernel);
  amdcompat::pipeline::LiftRequest request;
  request.lift.kernel = kernel;
  request.lift.form = wanted.form;
  request.prove = wanted.proved;
  amdcompat::Diagnostics diagnostics;
  const amdcompat::pipeline::Lifted lifted = amdcompat::pipeline::lift_file(file, request, diagnostics);
  ASSERT_EQ(lifted.kernels.size(), 1u);
  const amdcompat::pipeline::LiftResult& one = lifted.kernels[0];
  ASSERT_TRUE(one.kernel.lifted) << (one.kernel.refusal ? one.kernel.refusal->message : "");
  if (wanted.work_item) {
    EXPECT_EQ(one.kernel.form, amdcompat::lift::Form::WorkItem)
        << (one.kernel.fallback ? one.kernel.fallback->message : "");
  }
  if (wanted.proved) {
    EXPECT_EQ(one.outcome, amdcompat::pipeline::LiftOutcome::Proved)
        << (one.proof ? one.proof->reason : "") << lifted.source;
  }
}

}  // namespace amdcompat_test
