// The layer over a runtime of ours: what it asks of it, what it answers itself, and what goes through untouched.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <CL/cl_ext.h>
#include <CL/cl_layer.h>
#include <gtest/gtest.h>

namespace table_test {
namespace {

namespace fs = std::filesystem;

// --- a runtime with two devices ------------------------------------------------------------------------------------

struct Runtime {
  std::string source;  // of the last program
  std::size_t sources = 0, binaries = 0;  // programs made of each
  bool apart = false;  // every program has a handle of its own
  std::vector<std::pair<std::vector<cl_device_id>, std::string>> builds;  // devices and options
  std::vector<cl_program> built;  // the programs of these
  std::vector<std::size_t> local;  // of the last launch; empty: the runtime was to choose
  cl_mem_flags flags = 0;  // of the last buffer
  std::map<void*, int> references;
};
Runtime runtime;

template <class Handle>
Handle handle(std::uintptr_t n) {
  return reinterpret_cast<Handle>(n);  // never looked into
}
const auto kPlatform = handle<cl_platform_id>(0x100);
const auto kContext = handle<cl_context>(0x200);
const cl_device_id kDevices[] = {handle<cl_device_id>(0x301), handle<cl_device_id>(0x302)};
const auto kStranger = handle<cl_device_id>(0x3ff);
const auto kProgram = handle<cl_program>(0x400);
const auto kKernel = handle<cl_kernel>(0x500);

cl_int put(const void* data, std::size_t size, std::size_t room, void* value, std::size_t* size_ret) {
  if (size_ret != nullptr) *size_ret = size;
  if (value != nullptr && room >= size) std::memcpy(value, data, size);
  return CL_SUCCESS;
}
cl_int put(const char* text, std::size_t room, void* value, std::size_t* size_ret) {
  return put(text, std::strlen(text) + 1, room, value, size_ret);
}

cl_icd_dispatch table_of_runtime() {
  cl_icd_dispatch t{};
  t.clGetPlatformIDs = [](cl_uint room, cl_platform_id* out, cl_uint* count) -> cl_int {
    if (out != nullptr && room != 0) out[0] = kPlatform;
    if (count != nullptr) *count = 1;
    return CL_SUCCESS;
  };
  t.clGetPlatformInfo = [](cl_platform_id, cl_platform_info, std::size_t room, void* value, std::size_t* size) {
    return put("a platform of today", room, value, size);
  };
  t.clGetDeviceIDs = [](cl_platform_id, cl_device_type type, cl_uint room, cl_device_id* out,
                        cl_uint* count) -> cl_int {
    if ((type & CL_DEVICE_TYPE_CPU) == 0) return CL_DEVICE_NOT_FOUND;
    if (count != nullptr) *count = 2;
    for (cl_uint i = 0; out != nullptr && i < std::min(room, 2u); ++i) out[i] = kDevices[i];
    return CL_SUCCESS;
  };
  t.clGetDeviceInfo = [](cl_device_id device, cl_device_info what, std::size_t room, void* value,
                         std::size_t* size) -> cl_int {
    const std::size_t sizes[3] = {4096, 4096, 4096}, group = 4096;
    const cl_device_type type = CL_DEVICE_TYPE_CPU;
    const cl_device_id none = nullptr;
    const cl_uint parts = 2;
    const cl_ulong local = 16384;
    switch (what) {
      case CL_DEVICE_NAME: return put(device == kDevices[0] ? "first" : "second", room, value, size);
      case CL_DEVICE_EXTENSIONS: return put("cl_khr_fp64 cl_khr_spir", room, value, size);
      case CL_DEVICE_TYPE: return put(&type, sizeof type, room, value, size);
      case CL_DEVICE_PARENT_DEVICE: return put(&none, sizeof none, room, value, size);
      case CL_DEVICE_PARTITION_MAX_SUB_DEVICES: return put(&parts, sizeof parts, room, value, size);
      case CL_DEVICE_MAX_WORK_GROUP_SIZE: return put(&group, sizeof group, room, value, size);
      case CL_DEVICE_MAX_WORK_ITEM_SIZES: return put(sizes, sizeof sizes, room, value, size);
      case CL_DEVICE_LOCAL_MEM_SIZE: return put(&local, sizeof local, room, value, size);
      default: return CL_INVALID_VALUE;
    }
  };
  t.clCreateSubDevices = [](cl_device_id, const cl_device_partition_property* p, cl_uint, cl_device_id*,
                            cl_uint* count) -> cl_int {
    if (count != nullptr)
      *count = p[0] == CL_DEVICE_PARTITION_BY_COUNTS && p[1] == 3 && p[2] == 5 && p[3] == 0 && p[4] == 0;
    return CL_SUCCESS;
  };
  t.clRetainDevice = [](cl_device_id) -> cl_int { return CL_SUCCESS; };
  t.clReleaseDevice = [](cl_device_id) -> cl_int { return CL_SUCCESS; };
  t.clCreateContext = [](const cl_context_properties*, cl_uint, const cl_device_id*,
                         void(CL_CALLBACK*)(const char*, const void*, std::size_t, void*), void*,
                         cl_int*) { return kContext; };
  t.clGetContextInfo = [](cl_context, cl_context_info, std::size_t room, void* value, std::size_t* size) {
    return put(kDevices, sizeof kDevices, room, value, size);
  };
  t.clCreateProgramWithSource = [](cl_context, cl_uint, const char** text, const std::size_t* length, cl_int* error) {
    runtime.source.assign(text[0], length[0]);
    const auto out = runtime.apart ? handle<cl_program>(0x400 + runtime.sources) : kProgram;
    ++runtime.sources;
    runtime.references[out] = 1;
    if (error != nullptr) *error = CL_SUCCESS;
    return out;
  };
  t.clCreateProgramWithBinary = [](cl_context, cl_uint, const cl_device_id*, const std::size_t*, const unsigned char**,
                                   cl_int* status, cl_int* error) -> cl_program {
    ++runtime.binaries;
    if (status != nullptr) *status = 1234;
    if (error != nullptr) *error = -1234;
    return nullptr;
  };
  t.clRetainProgram = [](cl_program program) -> cl_int {
    ++runtime.references[program];
    return CL_SUCCESS;
  };
  t.clReleaseProgram = [](cl_program program) -> cl_int {
    --runtime.references[program];
    return CL_SUCCESS;
  };
  t.clBuildProgram = [](cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                        void(CL_CALLBACK*)(cl_program, void*), void*) -> cl_int {
    runtime.builds.push_back({{devices, devices + count}, options == nullptr ? "(null)" : options});
    runtime.built.push_back(program);
    return CL_SUCCESS;
  };
  t.clCompileProgram = [](cl_program, cl_uint, const cl_device_id*, const char*, cl_uint, const cl_program*,
                          const char**, void(CL_CALLBACK*)(cl_program, void*), void*) -> cl_int { return CL_SUCCESS; };
  t.clLinkProgram = [](cl_context, cl_uint, const cl_device_id*, const char*, cl_uint, const cl_program*,
                       void(CL_CALLBACK*)(cl_program, void*), void*, cl_int*) { return kProgram; };
  t.clGetProgramInfo = [](cl_program, cl_program_info, std::size_t, void*, std::size_t*) -> cl_int { return -4321; };
  t.clGetProgramBuildInfo = [](cl_program, cl_device_id, cl_program_build_info, std::size_t room, void* value,
                               std::size_t* size) { return put("log", room, value, size); };
  t.clCreateKernel = [](cl_program, const char*, cl_int* error) {
    runtime.references[kKernel] = 1;
    if (error != nullptr) *error = CL_SUCCESS;
    return kKernel;
  };
  t.clCreateKernelsInProgram = [](cl_program, cl_uint, cl_kernel* out, cl_uint* count) -> cl_int {
    if (out != nullptr) out[0] = kKernel;
    if (count != nullptr) *count = 1;
    return CL_SUCCESS;
  };
  t.clRetainKernel = [](cl_kernel) -> cl_int { return CL_SUCCESS; };
  t.clReleaseKernel = [](cl_kernel) -> cl_int { return CL_SUCCESS; };
  t.clGetKernelInfo = [](cl_kernel, cl_kernel_info, std::size_t room, void* value, std::size_t* size) {
    return put("scale", room, value, size);
  };
  t.clGetKernelWorkGroupInfo = [](cl_kernel, cl_device_id, cl_kernel_work_group_info, std::size_t room, void* value,
                                  std::size_t* size) {
    const std::size_t n = 4096;
    return put(&n, sizeof n, room, value, size);
  };
  t.clGetKernelArgInfo = [](cl_kernel, cl_uint, cl_kernel_arg_info, std::size_t, void*, std::size_t*) -> cl_int {
    return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
  };
  t.clGetCommandQueueInfo = [](cl_command_queue, cl_command_queue_info, std::size_t room, void* value,
                               std::size_t* size) { return put(&kDevices[0], sizeof kDevices[0], room, value, size); };
  t.clEnqueueNDRangeKernel = [](cl_command_queue, cl_kernel, cl_uint dimensions, const std::size_t*, const std::size_t*,
                                const std::size_t* local, cl_uint, const cl_event*, cl_event*) -> cl_int {
    runtime.local.assign(local, local == nullptr ? nullptr : local + dimensions);
    return CL_SUCCESS;
  };
  t.clCreateBuffer = [](cl_context, cl_mem_flags flags, std::size_t, void*, cl_int*) -> cl_mem {
    runtime.flags = flags;
    return nullptr;
  };
  t.clGetExtensionFunctionAddress = [](const char*) -> void* { return nullptr; };
  return t;
}
constexpr cl_uint kEntries = sizeof(cl_icd_dispatch) / sizeof(void*);

// --- the layer over it ---------------------------------------------------------------------------------------------

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class TheLayer : public testing::Test {
 protected:
  TheLayer() {
    directory_ = fs::path(testing::TempDir()) /
                 ("layer-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(directory_);
    set("AMDCOMPAT_OPENCL_CACHE", "off");
    for (const char* const name : {"POSE", "DEVICE", "LOG", "EXACT", "CACHE_MIB"})
      ::unsetenv((std::string("AMDCOMPAT_OPENCL_") + name).c_str());
    runtime = {};
  }
  ~TheLayer() override { fs::remove_all(directory_); }

  static void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }
  // The table that a host's calls go to.
  const cl_icd_dispatch& start(cl_uint entries = kEntries, const cl_icd_dispatch& below = table_of_runtime()) {
    const cl_icd_dispatch* out = nullptr;
    EXPECT_EQ(clInitLayer(entries, &below, &entries_, &out), CL_SUCCESS);
    return *out;
  }

  // What the host has in its hands.
  struct Created {
    cl_program program = nullptr;
    cl_int error = 77;
    std::vector<cl_int> status;
  };
  static Created create(const cl_icd_dispatch& cl, const std::vector<std::string>& binaries,
                        std::vector<cl_device_id> devices = {}) {
    if (devices.empty()) devices.assign(kDevices, kDevices + binaries.size());
    std::vector<const unsigned char*> pointers;
    std::vector<std::size_t> lengths;
    for (const std::string& binary : binaries) {
      pointers.push_back(binary.empty() ? nullptr : reinterpret_cast<const unsigned char*>(binary.data()));
      lengths.push_back(binary.size());
    }
    Created out;
    out.status.resize(binaries.size(), 77);
    out.program = cl.clCreateProgramWithBinary(kContext, static_cast<cl_uint>(binaries.size()), devices.data(),
                                               lengths.data(), pointers.data(), out.status.data(), &out.error);
    return out;
  }
  static std::string sample(const std::string& name) {
    std::string out = contents(fs::path(AMDCOMPAT_SAMPLES) / name);
    EXPECT_FALSE(out.empty()) << name;
    return out;
  }
  const std::string scale_ = sample("pitcairn-scale.clo"), other_ = sample("tahiti-923.clo");
  cl_uint entries_ = 0;
  fs::path directory_;
};

TEST_F(TheLayer, SaysItsVersionAndName) {
  cl_layer_api_version version = 0;
  std::size_t size = 0;
  EXPECT_EQ(clGetLayerInfo(CL_LAYER_API_VERSION, sizeof version, &version, &size), CL_SUCCESS);
  EXPECT_EQ(version, static_cast<cl_layer_api_version>(CL_LAYER_API_VERSION_100));
  EXPECT_EQ(size, sizeof version);
  char name[100] = {};
  EXPECT_EQ(clGetLayerInfo(CL_LAYER_NAME, sizeof name, name, nullptr), CL_SUCCESS);
  EXPECT_NE(std::string(name).find("amdcompat"), std::string::npos);
  EXPECT_EQ(clGetLayerInfo(CL_LAYER_NAME, 2, name, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetLayerInfo(1, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

TEST_F(TheLayer, LeavesATableThatIsSmallerAsSmall) {
  cl_icd_dispatch below = table_of_runtime();
  // Up to the functions of OpenCL 1.0.
  const cl_uint few = offsetof(cl_icd_dispatch, clSetEventCallback) / sizeof(void*);
  const cl_icd_dispatch& cl = start(few, below);
  EXPECT_EQ(entries_, few);
  EXPECT_EQ(cl.clCompileProgram, nullptr);
  EXPECT_NE(create(cl, {scale_}).program, nullptr);
  below.clCreateProgramWithSource = nullptr;
  EXPECT_EQ(start(few, below).clCreateProgramWithBinary, below.clCreateProgramWithBinary);
  EXPECT_EQ(clInitLayer(few, nullptr, &entries_, nullptr), CL_INVALID_VALUE);
}

TEST_F(TheLayer, LeavesWhatItDoesNotNeedToSeeAsItIs) {
  const cl_icd_dispatch below = table_of_runtime();
  const cl_icd_dispatch& cl = start();
  EXPECT_EQ(cl.clCreateBuffer, below.clCreateBuffer);
  EXPECT_EQ(cl.clGetDeviceIDs, below.clGetDeviceIDs);
  EXPECT_EQ(cl.clCreateContext, below.clCreateContext);
}

TEST_F(TheLayer, GivesOtherBinariesToTheRuntime) {
  const cl_icd_dispatch& cl = start();
  for (const std::string& binary : {std::string("not a binary"), sample("object-gfx906.hsaco"), std::string()}) {
    const Created made = create(cl, {binary});
    EXPECT_EQ(made.error, -1234);
    EXPECT_EQ(made.status[0], 1234);
  }
  EXPECT_EQ(runtime.binaries, 3u);
  EXPECT_EQ(runtime.sources, 0u);
}

TEST_F(TheLayer, MakesAProgramOfAnOldBinary) {
  const cl_icd_dispatch& cl = start();
  const Created made = create(cl, {scale_, scale_});
  EXPECT_EQ(made.error, CL_SUCCESS);
  EXPECT_EQ(made.program, kProgram);
  EXPECT_EQ(made.status, (std::vector<cl_int>{CL_SUCCESS, CL_SUCCESS}));
  EXPECT_NE(runtime.source.find("void scale(__global uint* data, uint factor)"), std::string::npos);
  EXPECT_EQ(runtime.sources, 1u);
  // Options of the old compiler mean nothing to the new one.
  EXPECT_EQ(cl.clBuildProgram(kProgram, 0, nullptr, "-g -fno-alias -cl-std=CL2.0", nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(runtime.builds.size(), 1u);
  EXPECT_EQ(runtime.builds[0].first.size(), 2u);
  EXPECT_EQ(runtime.builds[0].second, "-cl-std=CL1.2");
  char options[100] = {};
  EXPECT_EQ(cl.clGetProgramBuildInfo(kProgram, kDevices[1], CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, nullptr),
            CL_SUCCESS);
  EXPECT_STREQ(options, "-g -fno-alias -cl-std=CL2.0");
  EXPECT_EQ(cl.clGetProgramBuildInfo(kProgram, kStranger, CL_PROGRAM_BUILD_LOG, 0, nullptr, nullptr),
            CL_INVALID_DEVICE);
}

TEST_F(TheLayer, GivesTheOldBytesBack) {
  const cl_icd_dispatch& cl = start();
  ASSERT_EQ(create(cl, {scale_, other_}).error, CL_SUCCESS);
  std::size_t sizes[2] = {}, size = 0;
  ASSERT_EQ(cl.clGetProgramInfo(kProgram, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, &size), CL_SUCCESS);
  EXPECT_EQ(size, sizeof sizes);
  EXPECT_EQ(sizes[0], scale_.size());
  EXPECT_EQ(sizes[1], other_.size());
  std::string second(sizes[1], '\0');
  unsigned char* to[2] = {nullptr, reinterpret_cast<unsigned char*>(second.data())};  // null: not wanted
  ASSERT_EQ(cl.clGetProgramInfo(kProgram, CL_PROGRAM_BINARIES, sizeof to, static_cast<void*>(to), nullptr), CL_SUCCESS);
  EXPECT_EQ(second, other_);
  EXPECT_EQ(cl.clGetProgramInfo(kProgram, CL_PROGRAM_BINARIES, 8, static_cast<void*>(to), nullptr), CL_INVALID_VALUE);
  char text[4] = "xyz";
  EXPECT_EQ(cl.clGetProgramInfo(kProgram, CL_PROGRAM_SOURCE, sizeof text, text, &size), CL_SUCCESS);
  EXPECT_EQ(size, 1u);
  EXPECT_EQ(cl.clGetProgramInfo(kProgram, CL_PROGRAM_CONTEXT, 0, nullptr, nullptr), -4321);
}

TEST_F(TheLayer, BuildsForEachDeviceWhatItsOwnBinaryHas) {
  const cl_icd_dispatch& cl = start();
  runtime.apart = true;
  ASSERT_EQ(create(cl, {scale_, other_}).error, CL_SUCCESS);
  EXPECT_EQ(runtime.sources, 2u);
  ASSERT_EQ(cl.clBuildProgram(kProgram, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(runtime.builds.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(runtime.builds[i].first, std::vector<cl_device_id>{kDevices[i]});
    EXPECT_EQ(runtime.builds[i].second, "-cl-std=CL1.2");
    EXPECT_EQ(runtime.built[i], handle<cl_program>(0x400 + i));
  }
  EXPECT_EQ(cl.clReleaseProgram(kProgram), CL_SUCCESS);
  EXPECT_EQ(runtime.references[kProgram], 0);
  EXPECT_EQ(runtime.references[handle<cl_program>(0x401)], 0);
  runtime.apart = false;
  // It is a program of one device where the host named one.
  ASSERT_EQ(create(cl, {scale_}, {kDevices[1]}).error, CL_SUCCESS);
  cl_uint count = 0;
  EXPECT_EQ(cl.clGetProgramInfo(kProgram, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, nullptr), CL_SUCCESS);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(cl.clBuildProgram(kProgram, 1, &kDevices[0], nullptr, nullptr, nullptr), CL_INVALID_DEVICE);
}

TEST_F(TheLayer, CallsBackWhenItHasBuilt) {
  const cl_icd_dispatch& cl = start();
  ASSERT_EQ(create(cl, {scale_}).error, CL_SUCCESS);
  int calls = 0;
  const auto notify = [](cl_program program, void* data) { *static_cast<int*>(data) += program == kProgram ? 1 : 100; };
  EXPECT_EQ(cl.clBuildProgram(kProgram, 0, nullptr, nullptr, notify, &calls), CL_SUCCESS);
  EXPECT_EQ(calls, 1);
}

TEST_F(TheLayer, RefusesWhatItCannotLiftWithTheErrorsOfBinaries) {
  const cl_icd_dispatch& cl = start();
  Created made = create(cl, {scale_.substr(0, scale_.size() / 2)});
  EXPECT_EQ(made.program, nullptr);
  EXPECT_EQ(made.error, CL_INVALID_BINARY);
  EXPECT_EQ(made.status[0], CL_INVALID_BINARY);
  made = create(cl, {sample("cypress-1800.clo")});  // VLIW
  EXPECT_EQ(made.error, CL_INVALID_BINARY);
  made = create(cl, {scale_, "something else"});
  EXPECT_EQ(made.error, CL_INVALID_BINARY);
  EXPECT_EQ(made.status, (std::vector<cl_int>{CL_SUCCESS, CL_INVALID_BINARY}));
  made = create(cl, {scale_, ""});
  EXPECT_EQ(made.error, CL_INVALID_VALUE);
  EXPECT_EQ(made.status, (std::vector<cl_int>{CL_SUCCESS, CL_INVALID_VALUE}));
  EXPECT_EQ(create(cl, {scale_}, {kStranger}).error, CL_INVALID_DEVICE);
  EXPECT_EQ(runtime.sources, 0u);
  // Neither statuses nor an error are asked for.
  const unsigned char* const binary = reinterpret_cast<const unsigned char*>(scale_.data());
  const unsigned char* binaries[] = {binary};
  const std::size_t lengths[] = {scale_.size() / 2};
  EXPECT_EQ(cl.clCreateProgramWithBinary(kContext, 1, kDevices, lengths, binaries, nullptr, nullptr), nullptr);
}

TEST_F(TheLayer, NeitherCompilesNorLinksWhatHasNoSource) {
  const cl_icd_dispatch& cl = start();
  ASSERT_EQ(create(cl, {scale_}).error, CL_SUCCESS);
  EXPECT_EQ(cl.clCompileProgram(kProgram, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_OPERATION);
  cl_int error = 0;
  EXPECT_EQ(cl.clLinkProgram(kContext, 0, nullptr, "", 1, &kProgram, nullptr, nullptr, &error), nullptr);
  EXPECT_EQ(error, CL_INVALID_OPERATION);
}

TEST_F(TheLayer, AnswersForKernelsAsCatalystDid) {
  const cl_icd_dispatch& cl = start();
  ASSERT_EQ(create(cl, {scale_}).error, CL_SUCCESS);
  ASSERT_EQ(cl.clCreateKernel(kProgram, "scale", nullptr), kKernel);
  std::size_t size = 0;
  EXPECT_EQ(cl.clGetKernelWorkGroupInfo(kKernel, kDevices[0], CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(size, 256u);
  char text[40] = {};
  EXPECT_EQ(cl.clGetKernelArgInfo(kKernel, 1, CL_KERNEL_ARG_NAME, sizeof text, text, nullptr), CL_SUCCESS);
  EXPECT_STREQ(text, "factor");
  cl_kernel_arg_address_qualifier space = 0;
  EXPECT_EQ(cl.clGetKernelArgInfo(kKernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(space, static_cast<cl_uint>(CL_KERNEL_ARG_ADDRESS_GLOBAL));
  EXPECT_EQ(cl.clGetKernelArgInfo(kKernel, 2, CL_KERNEL_ARG_NAME, sizeof text, text, nullptr), CL_INVALID_ARG_INDEX);
}

TEST_F(TheLayer, LaunchesNoMoreWorkItemsInAGroupThanTheCodeWasMadeFor) {
  const cl_icd_dispatch& cl = start();
  ASSERT_EQ(create(cl, {scale_}).error, CL_SUCCESS);
  ASSERT_EQ(cl.clCreateKernel(kProgram, "scale", nullptr), kKernel);
  const auto launch = [&](std::vector<std::size_t> global, const std::size_t* local) {
    return cl.clEnqueueNDRangeKernel(nullptr, kKernel, static_cast<cl_uint>(global.size()), nullptr, global.data(),
                                     local, 0, nullptr, nullptr);
  };
  EXPECT_EQ(launch({4096}, nullptr), CL_SUCCESS);
  EXPECT_EQ(runtime.local, (std::vector<std::size_t>{256}));
  EXPECT_EQ(launch({100, 6}, nullptr), CL_SUCCESS);
  EXPECT_EQ(runtime.local, (std::vector<std::size_t>{100, 2}));
  EXPECT_EQ(launch({257}, nullptr), CL_SUCCESS);  // a prime
  EXPECT_EQ(runtime.local, (std::vector<std::size_t>{1}));
  const std::size_t many[] = {512}, some[] = {128};
  EXPECT_EQ(launch({4096}, many), CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(launch({4096}, some), CL_SUCCESS);
  EXPECT_EQ(runtime.local, (std::vector<std::size_t>{128}));
}

TEST_F(TheLayer, ForgetsHandlesThatAreReleasedAndKeepsThoseThatKernelsNeed) {
  const cl_icd_dispatch& cl = start();
  ASSERT_EQ(create(cl, {scale_}).error, CL_SUCCESS);
  std::size_t size = 0;
  const auto known = [&] {
    return cl.clGetProgramInfo(kProgram, CL_PROGRAM_BINARY_SIZES, 0, nullptr, &size) == CL_SUCCESS;
  };
  EXPECT_EQ(cl.clRetainProgram(kProgram), CL_SUCCESS);
  EXPECT_EQ(cl.clReleaseProgram(kProgram), CL_SUCCESS);
  EXPECT_TRUE(known());
  ASSERT_EQ(cl.clCreateKernelsInProgram(kProgram, 1, nullptr, nullptr), CL_SUCCESS);
  cl_kernel kernel = nullptr;
  ASSERT_EQ(cl.clCreateKernelsInProgram(kProgram, 1, &kernel, nullptr), CL_SUCCESS);
  EXPECT_EQ(cl.clReleaseProgram(kProgram), CL_SUCCESS);
  EXPECT_TRUE(known());  // the kernel holds it
  EXPECT_EQ(cl.clReleaseKernel(kernel), CL_SUCCESS);
  EXPECT_FALSE(known());
  EXPECT_EQ(cl.clGetKernelWorkGroupInfo(kernel, kDevices[0], CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(size, 4096u);
}

TEST_F(TheLayer, KeepsLiftsOnDiskAndBelievesNoneThatIsNotWhole) {
  set("AMDCOMPAT_OPENCL_CACHE", directory_.string());
  set("AMDCOMPAT_OPENCL_LOG", (directory_.string() + ".log"));
  const cl_icd_dispatch& cl = start();
  const auto entries = [&] {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(directory_)) out.push_back(entry.path());
    return out;
  };
  const auto from_cache = [&] {
    const std::string log = contents(directory_.string() + ".log");
    fs::resize_file(directory_.string() + ".log", 0);
    return log.find("from the cache") != std::string::npos;
  };
  ASSERT_EQ(create(cl, {scale_}).error, CL_SUCCESS);
  EXPECT_FALSE(from_cache());
  ASSERT_EQ(entries().size(), 1u);
  const std::string lifted = runtime.source, entry = contents(entries()[0]);
  ASSERT_EQ(create(cl, {scale_}).error, CL_SUCCESS);
  EXPECT_TRUE(from_cache());
  EXPECT_EQ(runtime.source, lifted);
  std::string changed = entry;
  changed[changed.size() - 3] ^= 1;
  for (const std::string& broken : {entry.substr(0, entry.size() / 2), entry.substr(0, 10), std::string(), changed}) {
    std::ofstream(entries()[0], std::ios::binary) << broken;
    ASSERT_EQ(create(cl, {scale_}).error, CL_SUCCESS);
    EXPECT_FALSE(from_cache());
    EXPECT_EQ(runtime.source, lifted);
    EXPECT_EQ(contents(entries()[0]), entry);
  }
  fs::remove(directory_.string() + ".log");
}

TEST_F(TheLayer, KeepsNoMoreOnDiskThanItMay) {
  set("AMDCOMPAT_OPENCL_CACHE", directory_.string());
  set("AMDCOMPAT_OPENCL_CACHE_MIB", "1");
  const cl_icd_dispatch& cl = start();
  fs::create_directories(directory_);
  const fs::path old = directory_ / "0000.lift", foreign = directory_ / "notes.txt";
  std::ofstream(old) << std::string(1u << 20, 'x');
  std::ofstream(foreign) << std::string(1u << 20, 'x');
  ASSERT_EQ(create(cl, {scale_}).error, CL_SUCCESS);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(foreign));  // not ours
}

TEST_F(TheLayer, WorksWithoutACacheWhereNoneCanBeMade) {
  set("AMDCOMPAT_OPENCL_CACHE", "/dev/null/nowhere");
  EXPECT_EQ(create(start(), {scale_}).error, CL_SUCCESS);
}

// --- posing --------------------------------------------------------------------------------------------------------

std::string text_of(const cl_icd_dispatch& cl, cl_device_id device, cl_device_info what) {
  char out[2000] = {};
  EXPECT_EQ(cl.clGetDeviceInfo(device, what, sizeof out, out, nullptr), CL_SUCCESS);
  return out;
}

TEST_F(TheLayer, PosesAsAnOldDevice) {
  set("AMDCOMPAT_OPENCL_POSE", "Tahiti");
  set("AMDCOMPAT_OPENCL_DEVICE", "second");
  const cl_icd_dispatch& cl = start();
  char vendor[100] = {};
  EXPECT_EQ(cl.clGetPlatformInfo(kPlatform, CL_PLATFORM_VENDOR, sizeof vendor, vendor, nullptr), CL_SUCCESS);
  EXPECT_STREQ(vendor, "Advanced Micro Devices, Inc.");
  cl_device_id device = nullptr;
  cl_uint count = 0;
  EXPECT_EQ(cl.clGetDeviceIDs(kPlatform, CL_DEVICE_TYPE_GPU, 1, &device, &count), CL_SUCCESS);
  EXPECT_EQ(device, kDevices[1]);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(text_of(cl, device, CL_DEVICE_NAME), "Tahiti");
  EXPECT_EQ(text_of(cl, device, CL_DEVICE_BOARD_NAME_AMD), "AMD Radeon HD 7900 Series");
  EXPECT_EQ(text_of(cl, kDevices[0], CL_DEVICE_NAME), "first");
  const std::string extensions = text_of(cl, device, CL_DEVICE_EXTENSIONS);
  for (const char* const name : {"cl_khr_fp64", "cl_amd_fp64", "cl_ext_device_fission", "cl_amd_media_ops"})
    EXPECT_NE(extensions.find(name), std::string::npos) << name;
  std::size_t group = 0;
  EXPECT_EQ(cl.clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, nullptr), CL_SUCCESS);
  EXPECT_EQ(group, 256u);
  cl_ulong local = 0;  // the smaller of both
  EXPECT_EQ(cl.clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, nullptr), CL_SUCCESS);
  EXPECT_EQ(local, 16384u);
  EXPECT_EQ(cl.clCreateBuffer(kContext, CL_MEM_READ_ONLY | cl_mem_flags{1} << 6, 16, nullptr, nullptr), nullptr);
  EXPECT_EQ(runtime.flags, cl_mem_flags{CL_MEM_READ_WRITE});  // whatever kernels were said to do
  constexpr cl_mem_flags kWrong = CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
  EXPECT_EQ(cl.clCreateBuffer(kContext, kWrong, 16, nullptr, nullptr), nullptr);
  EXPECT_EQ(runtime.flags, kWrong);  // the runtime says so
}

TEST_F(TheLayer, DividesADevicesByTheExtensionAsTheCoreDoes) {
  set("AMDCOMPAT_OPENCL_POSE", "pitcairn");
  const cl_icd_dispatch& cl = start();
  const auto divide =
      reinterpret_cast<cl_api_clCreateSubDevicesEXT>(cl.clGetExtensionFunctionAddress("clCreateSubDevicesEXT"));
  ASSERT_NE(divide, nullptr);
  const cl_device_partition_property_ext properties[] = {
      CL_DEVICE_PARTITION_BY_COUNTS_EXT, 3, 5, CL_PARTITION_BY_COUNTS_LIST_END_EXT, CL_PROPERTIES_LIST_END_EXT};
  cl_uint count = 0;
  EXPECT_EQ(divide(kDevices[0], properties, 0, nullptr, &count), CL_SUCCESS);
  EXPECT_EQ(count, 1u);  // the core's list was as it should be
  const cl_device_partition_property_ext strange[] = {0x1234, 1, CL_PROPERTIES_LIST_END_EXT};
  EXPECT_EQ(divide(kDevices[0], strange, 0, nullptr, &count), CL_INVALID_VALUE);
  EXPECT_EQ(divide(kDevices[0], nullptr, 0, nullptr, &count), CL_INVALID_VALUE);
}

TEST_F(TheLayer, PosesAsNothingThatItDoesNotKnow) {
  set("AMDCOMPAT_OPENCL_POSE", "voodoo");
  const cl_icd_dispatch below = table_of_runtime();
  const cl_icd_dispatch& cl = start();
  EXPECT_EQ(cl.clGetDeviceIDs, below.clGetDeviceIDs);
  EXPECT_EQ(text_of(cl, kDevices[0], CL_DEVICE_NAME), "first");
}

}  // namespace
}  // namespace table_test
