// Kernels of a file, lifted one by one as users lift them.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include <amdcompat/open.hpp>
#include <amdcompat/pipeline.hpp>

namespace amdcompat_test {

// That a kernel is lifted, in the work-item form where that is asked for, and `proved` where that is, which takes a
// device a second.
struct Lifting {
  bool proved = false, work_item = true;
};
inline void expect_lifted(const amdcompat::File& file, const std::string& kernel, const Lifting& wanted) {
  SCOPED_TRACE(kernel);
  amdcompat::pipeline::LiftRequest request;
  request.lift.kernel = kernel;
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
