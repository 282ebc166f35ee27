// Hosts in the manner of the samples of AMD's SDK 2.5, with the binaries that came with those: each verifies its own
// results. hosts/sdk has the hosts; the binaries are real files, which are not part of the project.
//
// AMDCOMPAT_OPENCL_SDK=all runs them at larger sizes too, AMDCOMPAT_OPENCL_SDK=simulator at small ones on oclgrind.
// Two run at a time, as a runtime compiles on one core.
#include <algorithm>
#include <cstdlib>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "host_process.hpp"
#include "opencl_runner.hpp"
#include "support/real_corpus.hpp"
#include "support/wants_all.hpp"

namespace amdcompat_test::opencl_layer::sdk_test {
namespace {

struct Program {
  const char* sample;  // its directory among the real files
  const char* host;
  std::vector<const char*> larger;  // what -x says; some hosts count repetitions by it
  // The same on oclgrind 21.10; none: it takes a switch of AESDecrypt the wrong way, cannot be divided, does not know
  // llvm.usub.sat, which its compiler makes of x < y ? 0 : y - x, or takes minutes.
  const char* simulated = nullptr;
};
const std::vector<Program>& programs() {
  static const std::vector<Program> all{
      {"AESEncryptDecrypt", "aes_encrypt_decrypt", {"512", "1024"}},
      {"BinarySearch", "binary_search", {"65536", "16777216"}, "65536"},
      {"BinomialOption", "binomial_option", {"1024", "4096"}, "8"},
      {"BitonicSort", "bitonic_sort", {"262144", "1048576"}, "512"},
      {"BlackScholes", "black_scholes", {"256", "1024"}, "16"},
      {"BoxFilter", "box_filter", {"512", "1024"}},
      {"DCT", "dct", {"512", "2048"}, "16"},
      {"DeviceFission", "device_fission", {"100000", "4194304"}},
      {"DwtHaar1D", "dwt_haar_1d", {"65536", "1048576"}, "1024"},
      {"EigenValue", "eigen_value", {"1024", "4096"}, "32"},
      {"FFT", "fft", {"100", "1000"}, "1"},
      {"FastWalshTransform", "fast_walsh_transform", {"65536", "1048576"}, "512"},
      {"FloydWarshall", "floyd_warshall", {"128", "512"}, "16"},
      {"Histogram", "histogram", {"2048", "4096"}, "256"},
      {"HistogramAtomics", "histogram_atomics", {"1024", "3072"}, "64"},
      {"MatrixMulImage", "matrix_mul_image", {"256", "512"}, "64"},
      {"MatrixMultiplication", "matrix_multiplication", {"256", "512"}, "64"},
      {"MatrixTranspose", "matrix_transpose", {"512", "2048"}, "32"},
      {"MemoryOptimizations", "memory_optimizations", {"10", "50"}},
      {"MersenneTwister", "mersenne_twister", {"256", "512"}, "16"},
      {"MonteCarloAsian", "monte_carlo_asian", {"512", "1024"}, "16"},
      {"MonteCarloAsianDP", "monte_carlo_asian_dp", {"512", "1024"}},
      {"PrefixSum", "prefix_sum", {"256", "512"}, "128"},
      {"QuasiRandomSequence", "quasi_random_sequence", {"512", "4096"}, "2"},
      {"RadixSort", "radix_sort", {"32768", "65536"}, "16384"},
      {"RecursiveGaussian", "recursive_gaussian", {"512", "1024"}, "256"},
      {"Reduction", "reduction", {"65536", "4194304"}, "512"},
      {"ScanLargeArrays", "scan_large_arrays", {"65536", "4194304"}, "1024"},
      {"SimpleConvolution", "simple_convolution", {"512", "2048"}},
      {"SimpleImage", "simple_image", {"512", "2048"}, "32"},
      {"SobelFilter", "sobel_filter", {"512", "2048"}, "256"},
      {"URNG", "urng", {"512", "2048"}, "64"},
  };
  return all;
}

bool wants(std::string_view what) {
  const char* const value = std::getenv("AMDCOMPAT_OPENCL_SDK");
  return value != nullptr && value == what;
}

std::string binary_of(const Program& program) {
  return (real_root() / "corpus" / "Multi2Sim+m2s-bench-amdsdk-2.5" / program.sample /
          fmt::format("{}_Kernels.bin", program.sample))
      .string();
}

// What one start did: the command line in words, and its result.
struct Start {
  std::string how;
  ProcessResult result;
};
struct Outcome {
  std::vector<Start> starts;
  bool kept = false;  // the second start took the lifted program from the disk
  std::string dumped;  // CL_PROGRAM_BINARIES, as the host wrote it to a file
};

HostRun start_of(const Program& program) {
  return {.host = fmt::format("{}/sdk/{}", AMDCOMPAT_OPENCL_HOSTS, program.host),
          .arguments = {"--load", binary_of(program)},
          .environment = {{"AMDCOMPAT_OPENCL_POSE", "tahiti"}},
          .seconds = 300};
}

Outcome outcome_of(const Program& program) {
  Outcome out;
  const TemporaryDirectory directory;
  HostRun run = start_of(program);
  if (wants("simulator")) {
    if (program.simulated == nullptr) return out;
    run.runtime = Runtime::Simulator;
    run.arguments.insert(run.arguments.end(), {"-x", program.simulated});
    out.starts.push_back({"on the simulator", run_host(run)});
    return out;
  }
  run.environment["AMDCOMPAT_OPENCL_CACHE"] = (directory / "lifted").string();
  out.starts.push_back({"its own size", run_host(run)});
  out.kept = std::filesystem::exists(directory / "lifted") && !std::filesystem::is_empty(directory / "lifted");
  run.arguments.insert(run.arguments.end(), {"--dump", (directory / "dumped.bin").string()});
  out.starts.push_back({"its own size, from the cache", run_host(run)});
  out.dumped = read_file(directory / "dumped.bin");
  if (!wants("all")) return out;
  for (const char* const size : program.larger) {
    HostRun larger = start_of(program);
    larger.arguments.insert(larger.arguments.end(), {"-x", size});
    out.starts.push_back({fmt::format("-x {}", size), run_host(larger)});
  }
  return out;
}

// Outcomes of the programs that are asked for, made by two threads.
class Outcomes {
 public:
  explicit Outcomes(std::vector<const Program*> wanted) : wanted_(std::move(wanted)) {
    for (const Program* const program : wanted_) outcomes_[program->sample] = promises_[program->sample].get_future();
    for (int n = 0; n < 2; ++n) threads_.emplace_back([this] { work(); });
  }
  Outcome get(const Program& program) { return outcomes_.at(program.sample).get(); }

 private:
  void work() {
    for (;;) {
      const Program* program = nullptr;
      {
        const std::scoped_lock lock(mutex_);
        if (next_ == wanted_.size()) return;
        program = wanted_[next_++];
      }
      promises_.at(program->sample).set_value(outcome_of(*program));
    }
  }
  std::vector<const Program*> wanted_;
  std::map<std::string, std::promise<Outcome>> promises_;
  std::map<std::string, std::future<Outcome>> outcomes_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  std::vector<std::jthread> threads_;
};

class Samples : public testing::TestWithParam<Program> {
 protected:
  static void SetUpTestSuite() {
    if (!can_run()) return;
    const testing::TestSuite& suite = *testing::UnitTest::GetInstance()->current_test_suite();
    std::vector<const Program*> wanted;
    for (int n = 0; n < suite.total_test_count(); ++n) {
      const testing::TestInfo& test = *suite.GetTestInfo(n);
      const std::string_view name = test.name();
      const auto at = std::ranges::find(programs(), name.substr(name.rfind('/') + 1), &Program::sample);
      if (test.should_run() && at != programs().end()) wanted.push_back(&*at);
    }
    outcomes_ = std::make_unique<Outcomes>(std::move(wanted));
  }
  static void TearDownTestSuite() { outcomes_.reset(); }
  static bool can_run() { return has_real_corpus() && has_layer() && opencl_missing().empty(); }

  static std::unique_ptr<Outcomes> outcomes_;
};
std::unique_ptr<Outcomes> Samples::outcomes_;

TEST_P(Samples, VerifyTheirResultsFromTheirOldBinariesAtEachStart) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  AMDCOMPAT_NEEDS_OPENCL();
  AMDCOMPAT_NEEDS_LAYER();
  if (wants("simulator")) AMDCOMPAT_NEEDS_SIMULATOR();
  const Outcome outcome = outcomes_->get(GetParam());
  for (const auto& [how, result] : outcome.starts) {
    EXPECT_EQ(result.status, 0) << how << ":\n" << result.output;
    EXPECT_NE(result.output.find("Passed!"), std::string::npos) << how << ":\n" << result.output;
    EXPECT_NE(result.output.find("Device 0 : Tahiti"), std::string::npos) << how << ":\n" << result.output;
  }
  if (wants("simulator")) {
    if (outcome.starts.empty()) GTEST_SKIP() << "not on oclgrind: Program says why";
    return;
  }
  EXPECT_TRUE(outcome.kept);
  EXPECT_TRUE(outcome.dumped == read_file(binary_of(GetParam()))) << "CL_PROGRAM_BINARIES are not the old bytes";
}

INSTANTIATE_TEST_SUITE_P(Sdk, Samples, testing::ValuesIn(part_of(programs(), 4)),
                         [](const auto& test) { return std::string(test.param.sample); });

}  // namespace
}  // namespace amdcompat_test::opencl_layer::sdk_test
