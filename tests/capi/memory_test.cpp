// When memory runs out, at whatever allocation: a status, no exception, and handles that still work. A program of its
// own, because it replaces operator new.
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include <gtest/gtest.h>

#include <amdcompat/amdcompat.h>

namespace {
std::size_t left = std::numeric_limits<std::size_t>::max();  // allocations that succeed

void* allocate(std::size_t size) {
  if (left == 0) return nullptr;
  --left;
  return std::malloc(size == 0 ? 1 : size);
}
}  // namespace

void* operator new(std::size_t size) {
  if (void* const memory = allocate(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
// gcc sees a deallocation of what `new` returned, but not that this `new` is malloc.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

const char kText[] =
    ";ARGSTART:__OpenCL_a_kernel_with_a_long_name_kernel\n;version:3:1:111\n;device:tahiti\n;uniqueid:1024\n"
    ";memory:datareqd\n;pointer:p:float:1:1:0:uav:12:4:RW:0:0\n;value:n:double:3:1:16\n;value:m:u32:1:1:32\n"
    ";pointer:l:float:1:1:48:hl:1:16:RW:0:0\n;uavid:11\n;printfid:9\n;cbid:10\n;novelty\n"
    ";printf_fmt:0:1:4:5:n %d\\n;\n;reflection:0:float*\n;ARGEND:__OpenCL_a_kernel_with_a_long_name_kernel\n"
    ";#DATASTART:8\n;#i32:0:2:1:2\n;#DATAEND\n";

// All that a caller does; the first status that is not what it would be with enough memory.
amdcompat_status use() {
  amdcompat_file* file = nullptr;
  amdcompat_launch* launch = nullptr;
  amdcompat_text* text = nullptr;
  amdcompat_range range{};
  range.size = sizeof range;
  range.dimensions = 1;
  range.global[0] = 100;  // with groups of 64: a finding
  range.local[0] = 64;
  amdcompat_buffer buffer{};
  buffer.size = sizeof buffer;
  buffer.address = 0x1000;
  amdcompat_printf_layout layout{};
  layout.size = sizeof layout;
  layout.dwords_per_item = 4;
  const char printed[] = "\3\0\0\0\0\0\0\0\7\0\0\0\0\0\0";
  amdcompat_status status = AMDCOMPAT_OK;
  const auto step = [&](amdcompat_status got, amdcompat_status wanted = AMDCOMPAT_OK) {
    if (status == AMDCOMPAT_OK && got != wanted) status = got;
    return status == AMDCOMPAT_OK;
  };
  const char bytes[32] = {};
  const bool all =
      step(amdcompat_open(kText, sizeof kText - 1, 0, &file)) &&
      step(amdcompat_launch_create(file, 0, nullptr, &launch)) &&
      step(amdcompat_launch_build(launch), AMDCOMPAT_REFUSED) && step(amdcompat_launch_set_range(launch, &range)) &&
      step(amdcompat_launch_set_buffer(launch, 0, &buffer)) &&
      step(amdcompat_launch_set_bytes(launch, 1, bytes, 5), AMDCOMPAT_REFUSED) &&
      step(amdcompat_launch_set_bytes(launch, 1, bytes, 32)) && step(amdcompat_launch_set_bytes(launch, 2, bytes, 4)) &&
      step(amdcompat_launch_set_local(launch, 3, 4)) && step(amdcompat_launch_build(launch)) &&
      step(amdcompat_printf_decode(file, 0, printed, 16, &layout, &text)) &&
      std::strcmp(amdcompat_text_bytes(text, nullptr), "n 7\n") == 0;
  // Whatever happened, what exists can be looked at, used again and freed.
  for (std::size_t i = 0; i < amdcompat_diagnostics_count(amdcompat_launch_diagnostics(launch)); ++i) {
    amdcompat_diagnostic found{};
    found.size = sizeof found;
    amdcompat_diagnostics_get(amdcompat_launch_diagnostics(launch), i, &found);
  }
  amdcompat_launch_clear_diagnostics(launch);
  amdcompat_launch_build(launch);
  amdcompat_text_free(text);
  amdcompat_launch_free(launch);
  amdcompat_file_free(file);
  EXPECT_EQ(all, status == AMDCOMPAT_OK);
  return status;
}

// The same for a CL2 kernel with one pointer.
amdcompat_status use_cl2() {
  amdcompat_file* file = nullptr;
  amdcompat_launch* launch = nullptr;
  amdcompat_range range{};
  range.size = sizeof range;
  range.dimensions = 1;
  range.global[0] = 100;
  range.local[0] = 64;
  amdcompat_buffer buffer{};
  buffer.size = sizeof buffer;
  buffer.address = 0x1000;
  amdcompat_environment environment{};
  environment.size = sizeof environment;
  environment.memory = 0x20000;
  amdcompat_register row{};
  row.size = sizeof row;
  amdcompat_status status = AMDCOMPAT_OK;
  const auto step = [&](amdcompat_status got, amdcompat_status wanted = AMDCOMPAT_OK) {
    if (status == AMDCOMPAT_OK && got != wanted) status = got;
    return status == AMDCOMPAT_OK;
  };
  const bool all = step(amdcompat_open_path(AMDCOMPAT_SAMPLES "/bin/cl2-tonga-attributes.clo", 0, &file)) &&
                   step(amdcompat_launch_create(file, 1, nullptr, &launch)) &&
                   step(amdcompat_launch_build(launch), AMDCOMPAT_REFUSED) &&
                   step(amdcompat_launch_set_range(launch, &range)) &&
                   step(amdcompat_launch_set_environment(launch, &environment)) &&
                   step(amdcompat_launch_set_object(launch, 6, "", 0), AMDCOMPAT_REFUSED) &&
                   step(amdcompat_launch_set_rings(launch, nullptr), AMDCOMPAT_REFUSED) &&
                   step(amdcompat_launch_set_buffer(launch, 6, &buffer)) && step(amdcompat_launch_build(launch)) &&
                   step(amdcompat_launch_register(launch, 0, &row));
  amdcompat_launch_clear_diagnostics(launch);
  amdcompat_launch_build(launch);
  amdcompat_launch_free(launch);
  amdcompat_file_free(file);
  EXPECT_EQ(all, status == AMDCOMPAT_OK);
  return status;
}

class CApiWithoutMemory : public testing::TestWithParam<amdcompat_status (*)()> {};
INSTANTIATE_TEST_SUITE_P(Families, CApiWithoutMemory, testing::Values(use, use_cl2));

TEST_P(CApiWithoutMemory, EveryAllocationMayFail) {
  ASSERT_EQ(GetParam()(), AMDCOMPAT_OK);
  std::size_t allocations = 0;
  for (;; ++allocations) {
    left = allocations;
    const amdcompat_status status = GetParam()();
    left = std::numeric_limits<std::size_t>::max();
    if (status == AMDCOMPAT_OK) break;
    ASSERT_EQ(status, AMDCOMPAT_NO_MEMORY) << "at allocation " << allocations;
  }
  EXPECT_GT(allocations, 100u);
}

}  // namespace
