// What the OpenCL layer adds to the time in which an old program loads its kernels.
//
//   amdcompat_opencl_load [FILE…]      containers of OpenCL 1.x; some of the real corpus are the default
//
// Each program is made in processes of its own, in turns: from the old binary through the layer, without and with a
// cache of lifted programs, and from the source that the lift wrote, without the layer. Processor time of
// clCreateProgramWithBinary or …WithSource and of clBuildProgram, the runtime's own cache being empty; medians of the
// rounds, behind a first program, which starts the runtime's compiler. The layer, which is the one of this build, has
// its work in the first of the two calls: the share is of that.
#include <dlfcn.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <fmt/format.h>

#include <amdcompat/lift.hpp>
#include <amdcompat/open.hpp>

namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 7;
constexpr const char* kOptions = "-cl-fp32-correctly-rounded-divide-sqrt";  // as the layer builds

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

double processor_ms() {
  rusage now{};
  getrusage(RUSAGE_SELF, &now);
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return ms(now.ru_utime) + ms(now.ru_stime);
}

// In a process of its own: prints the milliseconds of both calls.
int load(const std::string& bytes, bool is_source, const char* options) {
  void* const library = ::dlopen("libOpenCL.so.1", RTLD_NOW);
  if (library == nullptr) return 1;
#define AMDCOMPAT_FUNCTION(name) const auto name##_ = reinterpret_cast<decltype(&name)>(::dlsym(library, #name))
  AMDCOMPAT_FUNCTION(clGetPlatformIDs);
  AMDCOMPAT_FUNCTION(clGetDeviceIDs);
  AMDCOMPAT_FUNCTION(clCreateContext);
  AMDCOMPAT_FUNCTION(clCreateProgramWithBinary);
  AMDCOMPAT_FUNCTION(clCreateProgramWithSource);
  AMDCOMPAT_FUNCTION(clBuildProgram);
#undef AMDCOMPAT_FUNCTION
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_int error = CL_SUCCESS;
  if (clGetPlatformIDs_(1, &platform, nullptr) != CL_SUCCESS ||
      clGetDeviceIDs_(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS)
    return 1;
  const cl_context context = clCreateContext_(nullptr, 1, &device, nullptr, nullptr, &error);
  // What the runtime does once is no cost of a program.
  const char* first = "__kernel void first(__global int* out) { *out = 1; }";
  const cl_program warm = clCreateProgramWithSource_(context, 1, &first, nullptr, &error);
  if (warm == nullptr || clBuildProgram_(warm, 1, &device, "", nullptr, nullptr) != CL_SUCCESS) return 1;
  const std::size_t size = bytes.size();
  const auto* const binary = reinterpret_cast<const unsigned char*>(bytes.data());
  const char* const source = bytes.data();
  const double begin = processor_ms();
  const cl_program program =
      is_source ? clCreateProgramWithSource_(context, 1, const_cast<const char**>(&source), &size, &error)
                : clCreateProgramWithBinary_(context, 1, &device, &size, const_cast<const unsigned char**>(&binary),
                                             nullptr, &error);
  const double made = processor_ms();
  if (program == nullptr || clBuildProgram_(program, 1, &device, options, nullptr, nullptr) != CL_SUCCESS) return 1;
  std::printf("%f %f\n", made - begin, processor_ms() - made);
  return 0;
}

std::string quoted(const fs::path& path) { return "'" + path.string() + "'"; }

struct Times {
  std::vector<double> create, build;
};
// False: it failed.
bool run(const std::string& self, const fs::path& directory, const fs::path& file, bool is_source,
         const std::string& cache, Times& out) {
  const std::string layer = is_source ? "-u OPENCL_LAYERS" : "OPENCL_LAYERS='" AMDCOMPAT_OPENCL_LAYER "'";
  const std::string command =
      fmt::format("env {} POCL_KERNEL_CACHE=0 POCL_CACHE_DIR={} AMDCOMPAT_OPENCL_CACHE={} '{}' --load-{} {}", layer,
                  quoted(directory / "pocl"), cache, self, is_source ? "source" : "binary", quoted(file));
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return false;
  double create = 0, build = 0;
  const bool read = std::fscanf(pipe, "%lf %lf", &create, &build) == 2;
  if (::pclose(pipe) != 0 || !read) return false;
  out.create.push_back(create);
  out.build.push_back(build);
  return true;
}

double median(std::vector<double> of) {
  std::ranges::nth_element(of, of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2));
  return of[of.size() / 2];
}

int compare(const std::string& self, const std::vector<fs::path>& files) {
  const fs::path directory = fs::temp_directory_path() / fmt::format("amdcompat-opencl-load-{}", ::getpid());
  fs::create_directories(directory);
  std::printf(
      "| program | clBuildProgram, ms | lift, ms | share | from the cache, ms |\n| --- | --- | --- | --- | --- |\n");
  double worst = 0, slowest = 0;
  int done = 0;
  for (const fs::path& file : files) {
    amdcompat::Diagnostics diagnostics;
    const auto opened = amdcompat::open(read_file(file), diagnostics);
    if (!opened) continue;
    const fs::path source = directory / "unit.cl";
    const std::string cache = quoted(directory / "cache");
    std::ofstream(source, std::ios::binary) << amdcompat::lift::lift(opened->program, {}, diagnostics).source;
    Times from_source, from_binary, from_cache, first;
    bool built = run(self, directory, file, false, cache, first);
    for (int round = 0; round < kRounds && built; ++round)
      built = run(self, directory, source, true, "off", from_source) &&
              run(self, directory, file, false, "off", from_binary) &&
              run(self, directory, file, false, cache, from_cache);
    if (!built) {
      std::printf("| %s | not built | | | |\n", file.filename().c_str());
      continue;
    }
    const double build = median(from_source.build), none = median(from_source.create);
    const double lifted = median(from_binary.create) - none, cached = median(from_cache.create) - none;
    std::printf("| %s | %.0f | %.1f | %.1f %% | %.2f |\n", file.filename().c_str(), build, lifted, 100 * lifted / build,
                cached);
    worst = std::max(worst, lifted / build);
    slowest = std::max(slowest, cached);
    ++done;
  }
  fs::remove_all(directory);
  if (done == 0) return 1;
  std::printf("%d programs: the lift takes at most %.1f %% of clBuildProgram, the cache at most %.2f ms\n", done,
              100 * worst, slowest);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 2 && arguments[0] == "--load-binary") return load(read_file(arguments[1]), false, "");
  if (arguments.size() == 2 && arguments[0] == "--load-source") return load(read_file(arguments[1]), true, kOptions);
  std::vector<fs::path> files(arguments.begin(), arguments.end());
  const fs::path samples = fs::path(AMDCOMPAT_REAL_CORPUS) / "corpus" / "Multi2Sim+m2s-bench-amdsdk-2.5";
  for (const char* const name :
       {"MatrixTranspose", "SobelFilter", "BinomialOption", "FFT", "MersenneTwister", "MonteCarloAsianDP", "RadixSort"})
    if (const fs::path file = samples / name / fmt::format("{}_Kernels.bin", name);
        arguments.empty() && fs::exists(file))
      files.push_back(file);
  if (files.empty()) {
    std::fputs("amdcompat_opencl_load: no file is given, and there is no real corpus (AMDCOMPAT_REAL_CORPUS)\n",
               stderr);
    return 2;
  }
  return compare(fs::canonical(argv[0]).string(), files);
}
