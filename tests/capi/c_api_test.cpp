// The C interface: what it hands over is what the C++ interface says, and wrong calls change nothing.
#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include <amdcompat/amdcompat.h>
#include <amdcompat/cl2_launch.hpp>
#include <amdcompat/code_object.hpp>
#include <amdcompat/open.hpp>

#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace c_api_test {
namespace {

using namespace amdcompat_test;

// A name that is no UTF-8, a value, a data segment, printf.
const char kText[] =
    ";ARGSTART:__OpenCL_k\xff_kernel\n;version:3:1:111\n;device:tahiti\n;uniqueid:1024\n;memory:hwlocal:16\n"
    ";memory:datareqd\n;pointer:p:float:1:1:0:uav:12:4:RW:0:0\n;value:n:u32:1:1:16\n;pointer:l:float:1:1:32:hl:1:16:RW:"
    "0:0\n;value:i:struct:8:1:48\n;constarg:1:n\n;function:1:1030\n;uavid:11\n;printfid:9\n;cbid:10\n"
    ";printf_fmt:0:1:4:5:n %d\\n;\n;reflection:0:float*\n;reflection:1:uint\n;ARGEND:__OpenCL_k\xff_kernel\n"
    ";#DATASTART:8\n;#i32:0:2:1:2\n;#DATAEND\n";

// A structure with its size, as C's `{.size = sizeof x}` makes it.
template <class T>
T make() {
  T out{};
  out.size = sizeof out;
  return out;
}

class CApi : public testing::Test {
 protected:
  CApi() {
    EXPECT_EQ(amdcompat_open(kText, sizeof kText - 1, 0, &file), AMDCOMPAT_OK);
    EXPECT_EQ(amdcompat_launch_create(file, 0, nullptr, &launch), AMDCOMPAT_OK);
  }
  ~CApi() override {
    amdcompat_launch_free(launch);
    amdcompat_file_free(file);
  }
  static std::string last(const amdcompat_diagnostics* list) {
    auto found = make<amdcompat_diagnostic>();
    const std::size_t count = amdcompat_diagnostics_count(list);
    if (count == 0 || amdcompat_diagnostics_get(list, count - 1, &found) != AMDCOMPAT_OK) return {};
    EXPECT_NE(*found.message, 0);
    return std::to_string(found.code) + " " + found.path;
  }
  // Gives every argument a value and builds.
  void build() {
    auto range = make<amdcompat_range>();
    range.dimensions = 1;
    range.global[0] = 128;
    range.local[0] = 64;
    auto buffer = make<amdcompat_buffer>();
    buffer.address = 0x2040;
    buffer.base = 0x2000;
    buffer.byte_count = 64;
    EXPECT_EQ(amdcompat_launch_set_range(launch, &range), AMDCOMPAT_OK);
    EXPECT_EQ(amdcompat_launch_set_buffer(launch, 0, &buffer), AMDCOMPAT_OK);
    EXPECT_EQ(amdcompat_launch_set_bytes(launch, 1, "abcd", 4), AMDCOMPAT_OK);
    EXPECT_EQ(amdcompat_launch_set_local(launch, 2, 100), AMDCOMPAT_OK);
    EXPECT_EQ(amdcompat_launch_set_bytes(launch, 3, "ABCDEFGH", 8), AMDCOMPAT_OK);
    EXPECT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_OK);
  }
  std::string image(std::uint32_t number) {
    std::size_t size = 0;
    const void* const bytes = amdcompat_launch_image(launch, number, &size);
    return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
  }
  std::uint32_t cb0_dword(std::size_t index) {
    std::uint32_t out = 0;
    std::memcpy(&out, image(0).data() + 4 * index, 4);
    return out;
  }
  amdcompat_file* file = nullptr;
  amdcompat_launch* launch = nullptr;
};

TEST_F(CApi, ShowsKernelsArgumentsAndDataSegments) {
  EXPECT_EQ(amdcompat_c_version(), AMDCOMPAT_C_VERSION);
  ASSERT_EQ(amdcompat_kernel_count(file), 1u);
  auto kernel = make<amdcompat_kernel>();
  ASSERT_EQ(amdcompat_kernel_get(file, 0, &kernel), AMDCOMPAT_OK);
  EXPECT_STREQ(kernel.name, "k\xEF\xBF\xBD") << "no UTF-8 in the file, but here";
  EXPECT_STREQ(kernel.device, "tahiti");
  EXPECT_EQ(kernel.family, std::uint32_t{AMDCOMPAT_FAMILY_TEXT});
  EXPECT_EQ(kernel.address_bits, 32u);
  EXPECT_EQ(kernel.flags, AMDCOMPAT_KERNEL_COMPLETE | AMDCOMPAT_KERNEL_PRINTF | AMDCOMPAT_KERNEL_DATA_SEGMENT);
  EXPECT_EQ(kernel.argument_count, 4u);
  EXPECT_EQ(kernel.required_group[0], 0u);
  EXPECT_EQ(kernel.max_group, 256u);
  EXPECT_EQ(kernel.local_bytes, 16u);
  std::size_t found = 7;
  EXPECT_EQ(amdcompat_kernel_find(file, kernel.name, &found), AMDCOMPAT_OK);
  EXPECT_EQ(found, 0u);
  EXPECT_EQ(amdcompat_kernel_find(file, "other", &found), AMDCOMPAT_NOT_FOUND);
  EXPECT_EQ(amdcompat_argument_find(file, 0, "n", &found), AMDCOMPAT_OK);
  EXPECT_EQ(found, 1u);
  auto argument = make<amdcompat_argument>();
  ASSERT_EQ(amdcompat_argument_get(file, 0, 0, &argument), AMDCOMPAT_OK);
  EXPECT_STREQ(argument.name, "p");
  EXPECT_STREQ(argument.type_name, "float*");
  EXPECT_EQ(argument.kind, std::uint32_t{AMDCOMPAT_GLOBAL_POINTER});
  EXPECT_EQ(argument.align, 4u);
  ASSERT_EQ(amdcompat_argument_get(file, 0, 1, &argument), AMDCOMPAT_OK);
  EXPECT_STREQ(argument.name, "n");
  EXPECT_EQ(argument.kind, std::uint32_t{AMDCOMPAT_VALUE});
  EXPECT_EQ(argument.flags, AMDCOMPAT_ARGUMENT_CONST);
  EXPECT_EQ(argument.value_bytes, 4u);
  EXPECT_EQ(argument.buffer, 1u);
  EXPECT_EQ(argument.offset, 16u);
  ASSERT_EQ(amdcompat_argument_get(file, 0, 2, &argument), AMDCOMPAT_OK);
  EXPECT_EQ(argument.kind, std::uint32_t{AMDCOMPAT_LOCAL_POINTER});
  ASSERT_EQ(amdcompat_data_segment_count(file), 1u);
  auto data = make<amdcompat_data_segment>();
  ASSERT_EQ(amdcompat_data_segment_get(file, 0, &data), AMDCOMPAT_OK);
  EXPECT_EQ(data.constant_buffer, 0u);
  ASSERT_EQ(data.byte_count, 8u);
  EXPECT_EQ(std::memcmp(data.bytes, "\1\0\0\0\2\0\0\0", 8), 0);
}

TEST_F(CApi, SaysWhatTheMetadataSaysOfAProgramAndItsArguments) {
  auto program = make<amdcompat_program>();
  ASSERT_EQ(amdcompat_program_get(file, &program), AMDCOMPAT_OK);
  EXPECT_STREQ(program.kind, "AMDIL text");
  EXPECT_EQ(program.family, std::uint32_t{AMDCOMPAT_FAMILY_TEXT});
  for (const char* text : {program.target, program.driver, program.compile_options}) EXPECT_STREQ(text, "");
  auto argument = make<amdcompat_argument>();
  ASSERT_EQ(amdcompat_argument_get(file, 0, 0, &argument), AMDCOMPAT_OK);
  EXPECT_STREQ(argument.element, "float");
  EXPECT_STREQ(argument.memory, "uav");
  EXPECT_STREQ(argument.access, "RW");
  EXPECT_STREQ(argument.dimension, "");
  EXPECT_STREQ(argument.hidden, "");
  EXPECT_EQ(argument.id, 12u);
  EXPECT_EQ(argument.elements, 0u);
  ASSERT_EQ(amdcompat_argument_get(file, 0, 3, &argument), AMDCOMPAT_OK);
  EXPECT_STREQ(argument.element, "struct");
  EXPECT_STREQ(argument.access, "") << "a value has none";
  EXPECT_EQ(argument.elements, 8u);
}

TEST_F(CApi, TheMapCoversWhatABuildWrites) {
  std::size_t count = 0;
  auto entry = make<amdcompat_map_entry>();
  EXPECT_EQ(amdcompat_launch_map_get(launch, 0, &entry), AMDCOMPAT_BAD_CALL) << "no map was made";
  ASSERT_EQ(amdcompat_launch_map(launch, &count), AMDCOMPAT_OK);
  ASSERT_EQ(amdcompat_launch_map_get(launch, count - 3, &entry), AMDCOMPAT_OK);
  EXPECT_STREQ(entry.name, "n");
  EXPECT_STREQ(entry.value, "") << "nothing was built";
  EXPECT_STREQ(entry.evidence, "documented");
  EXPECT_EQ(entry.argument, 1);
  EXPECT_EQ(entry.buffer, 1u);
  EXPECT_EQ(entry.offset, 16u);
  EXPECT_EQ(entry.byte_count, 4u);
  build();
  ASSERT_EQ(amdcompat_launch_map(launch, &count), AMDCOMPAT_OK);
  std::array<std::string, 2> left{image(0), image(1)};
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(amdcompat_launch_map_get(launch, i, &entry), AMDCOMPAT_OK);
    EXPECT_NE(*entry.source, 0);
    left.at(entry.buffer).replace(entry.offset, entry.byte_count, entry.byte_count, '\0');
  }
  for (const std::string& bytes : left) EXPECT_EQ(bytes.find_first_not_of('\0'), std::string::npos);
  EXPECT_EQ(amdcompat_launch_map_get(launch, count, &entry), AMDCOMPAT_BAD_CALL);
}

TEST_F(CApi, OpensTheEntryOfABundleThatIsAskedFor) {
  const std::string object = read_file(AMDCOMPAT_SAMPLES "/bin/object-gfx906.hsaco");
  const auto quad = [](std::uint64_t value) { return std::string(reinterpret_cast<const char*>(&value), 8); };
  std::string bundle = "__CLANG_OFFLOAD_BUNDLE__" + quad(2);
  for (const std::string id : {"hip-amdgcn-amd-amdhsa--gfx906", "hip-amdgcn-amd-amdhsa--gfx803"})
    bundle += quad(id.ends_with("906") ? 4096 : 4096 + object.size()) + quad(object.size()) + quad(id.size()) + id;
  bundle.resize(4096);
  bundle += object + object;
  const auto kernels = [&](const char* entry) {
    amdcompat_file* opened = nullptr;
    const auto status = amdcompat_open_entry(bundle.data(), bundle.size(), 0, entry, &opened);
    const std::string found = last(amdcompat_file_diagnostics(opened));
    const std::size_t count = amdcompat_kernel_count(opened);
    amdcompat_file_free(opened);
    return std::to_string(status) + ": " + std::to_string(count) + (status == AMDCOMPAT_OK ? "" : "; " + found);
  };
  EXPECT_EQ(kernels("gfx906"), "0: 1");
  EXPECT_EQ(kernels(nullptr).substr(0, 4), "1: 0") << "there are two";
  EXPECT_EQ(kernels("gfx90a").substr(0, 4), "1: 0");
}

TEST_F(CApi, BuildsImagesAndReportsWrongValues) {
  const amdcompat_diagnostics* const found = amdcompat_launch_diagnostics(launch);
  EXPECT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_REFUSED);
  EXPECT_EQ(amdcompat_diagnostics_count(found), 5u) << "no sizes and four arguments";
  amdcompat_launch_clear_diagnostics(launch);
  EXPECT_EQ(amdcompat_diagnostics_count(found), 0u);
  auto buffer = make<amdcompat_buffer>();
  buffer.address = 0x2002;
  EXPECT_EQ(amdcompat_launch_set_buffer(launch, 0, &buffer), AMDCOMPAT_REFUSED);
  EXPECT_EQ(last(found), "3044 arguments[0]");
  EXPECT_EQ(amdcompat_launch_set_bytes(launch, 1, "ab", 2), AMDCOMPAT_REFUSED);
  EXPECT_EQ(last(found), "3043 arguments[1]");
  EXPECT_EQ(amdcompat_launch_set_local(launch, 4, 1), AMDCOMPAT_REFUSED);
  EXPECT_EQ(last(found), "3040 arguments[4]");
  EXPECT_EQ(amdcompat_launch_set_sampler(launch, 0, 0x10), AMDCOMPAT_REFUSED);
  EXPECT_EQ(last(found), "3042 arguments[0]");
  const auto texture = make<amdcompat_image>();
  EXPECT_EQ(amdcompat_launch_set_image(launch, 1, &texture), AMDCOMPAT_REFUSED);
  EXPECT_EQ(last(found), "3042 arguments[1]");
  build();
  EXPECT_EQ(image(1),
            std::string("\x40\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0abcd\0\0\0\0\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\0\0\0\0\0"
                        "\0\0\0ABCDEFGH\0\0\0\0\0\0\0\0",
                        64));
  EXPECT_EQ(image(0).size(), 160u);
  EXPECT_EQ(cb0_dword(0), 128u);
  EXPECT_EQ(cb0_dword(4), 64u);
  EXPECT_EQ(amdcompat_launch_image(launch, 5, nullptr), nullptr);
  std::uint32_t local[3] = {};
  amdcompat_launch_local_size(launch, local);
  EXPECT_EQ(local[0], 64u);
  EXPECT_EQ(local[1], 1u);
  EXPECT_EQ(amdcompat_launch_local_bytes(launch), 116u);
}

TEST_F(CApi, AReusedLaunchSaysWhatChangedAndKeepsTheLastGoodBytes) {
  build();
  std::size_t begin = 1, end = 0;
  amdcompat_launch_changed(launch, 1, &begin, &end);
  EXPECT_EQ(begin, 0u);
  EXPECT_EQ(end, 56u);
  const void* const place = amdcompat_launch_image(launch, 1, nullptr);
  EXPECT_EQ(amdcompat_launch_set_bytes(launch, 1, "efgh", 4), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_OK);
  amdcompat_launch_changed(launch, 1, &begin, &end);
  EXPECT_EQ(begin, 16u);
  EXPECT_EQ(end, 20u);
  amdcompat_launch_changed(launch, 0, &begin, &end);
  EXPECT_EQ(begin, end);
  const std::string good = image(1);
  EXPECT_EQ(amdcompat_launch_set_bytes(launch, 1, "xy", 2), AMDCOMPAT_REFUSED);
  EXPECT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_REFUSED);
  EXPECT_EQ(image(1), good);
  EXPECT_EQ(amdcompat_launch_image(launch, 1, nullptr), place);
  // The file is not needed any more.
  amdcompat_file_free(file);
  file = nullptr;
  EXPECT_EQ(amdcompat_launch_set_null(launch, 0), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_set_bytes(launch, 1, "xyzw", 4), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_OK);
  EXPECT_EQ(image(1).substr(0, 20), std::string(16, '\0') + "xyzw");
}

TEST_F(CApi, LaunchWideValuesReachConstantBuffer0) {
  auto printf = make<amdcompat_printf_buffer>();
  printf.address = 0x3010;
  printf.base = 0x3000;
  printf.dwords_per_item = 64;
  auto data = make<amdcompat_buffer>();
  data.address = 0x4000;
  auto rings = make<amdcompat_rings>();
  rings.private_offset = 0x100;
  rings.private_bytes = 8;
  rings.local_offset = 0x200;
  rings.local_bytes = 12;
  auto range = make<amdcompat_range>();
  range.dimensions = 1;
  range.flags = AMDCOMPAT_RANGE_SPLIT;
  range.global[0] = 256;
  range.offset[0] = 5;
  range.split_global[0] = 128;
  range.split_offset[0] = 5 + 128;
  range.split_group_offset[0] = 2;
  build();
  range.local[0] = 64;
  EXPECT_EQ(amdcompat_launch_set_range(launch, &range), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_set_printf(launch, &printf), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_set_data_segment(launch, &data), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_set_rings(launch, &rings), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_OK);
  const std::pair<std::size_t, std::uint32_t> words[] = {{0, 256},     {8, 4},     {12, 0x100}, {13, 8},
                                                         {16, 0x200},  {17, 12},   {24, 133},   {28, 2},
                                                         {32, 0x4000}, {33, 0x10}, {34, 64},    {36, 5}};
  for (const auto& [index, value] : words) EXPECT_EQ(cb0_dword(index), value) << "dword " << index;
  EXPECT_EQ(amdcompat_launch_set_printf(launch, nullptr), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_set_data_segment(launch, nullptr), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_set_rings(launch, nullptr), AMDCOMPAT_OK);
  range.flags = AMDCOMPAT_RANGE_TASK;
  EXPECT_EQ(amdcompat_launch_set_range(launch, &range), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_OK);
  for (const std::size_t index : {12u, 13u, 16u, 17u, 24u, 28u, 32u, 33u, 34u, 36u}) EXPECT_EQ(cb0_dword(index), 0u);
  EXPECT_EQ(cb0_dword(0), 1u);
  // There is no data segment for constant buffer 2.
  EXPECT_EQ(amdcompat_launch_set_constant_data(launch, 2, &data), AMDCOMPAT_REFUSED);
}

TEST_F(CApi, OptionsChooseProfilesLimitsAndStrictness) {
  auto options = make<amdcompat_launch_options>();
  options.flags = AMDCOMPAT_STRICT;
  options.profile = AMDCOMPAT_PROFILE_SPEC;
  options.max_local_bytes = 64;
  amdcompat_launch_free(launch);
  ASSERT_EQ(amdcompat_launch_create(file, 0, &options, &launch), AMDCOMPAT_OK);
  auto range = make<amdcompat_range>();
  range.flags = AMDCOMPAT_RANGE_TASK;
  EXPECT_EQ(amdcompat_launch_set_range(launch, &range), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_set_null(launch, 0), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_set_bytes(launch, 1, "abcd", 4), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_set_local(launch, 2, 49), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_set_bytes(launch, 3, "ABCDEFGH", 8), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_REFUSED);
  EXPECT_EQ(last(amdcompat_launch_diagnostics(launch)), "3032 arguments");
  EXPECT_EQ(amdcompat_launch_set_local(launch, 2, 48), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_OK);
  EXPECT_EQ(cb0_dword(3), 0u) << "a task has no dimensions in the specification";
  amdcompat_launch* small = nullptr;
  options.max_constant_buffer = 32;
  EXPECT_EQ(amdcompat_launch_create(file, 0, &options, &small), AMDCOMPAT_REFUSED);
  EXPECT_EQ(last(amdcompat_launch_diagnostics(small)), "3004 arguments[2]");
  EXPECT_EQ(amdcompat_launch_build(small), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_launch_image(small, 0, nullptr), nullptr);
  amdcompat_launch_free(small);
}

TEST_F(CApi, ListsWhatToBind) {
  build();
  auto binding = make<amdcompat_binding>();
  ASSERT_EQ(amdcompat_launch_binding_count(launch), 6u);
  ASSERT_EQ(amdcompat_launch_binding(launch, 0, &binding), AMDCOMPAT_OK);
  EXPECT_STREQ(binding.what, "cb0");
  EXPECT_EQ(binding.kind, std::uint32_t{AMDCOMPAT_BIND_CONSTANT_BUFFER});
  EXPECT_EQ(binding.argument, -1);
  ASSERT_EQ(amdcompat_launch_binding(launch, 2, &binding), AMDCOMPAT_OK);
  EXPECT_STREQ(binding.what, "p");
  EXPECT_EQ(binding.kind, std::uint32_t{AMDCOMPAT_BIND_UAV});
  EXPECT_EQ(binding.slot, 12u);
  EXPECT_EQ(binding.argument, 0);
  EXPECT_EQ(binding.address, 0x2000u);
  EXPECT_EQ(binding.byte_count, 128u);
  EXPECT_EQ(binding.descriptor_words, 4u);
  EXPECT_EQ(binding.descriptor[0], 0x2000u);
  EXPECT_EQ(binding.descriptor[3], 0x00027facu);
  EXPECT_EQ(amdcompat_launch_binding(launch, 6, &binding), AMDCOMPAT_BAD_CALL);
}

TEST_F(CApi, DecodesPrintfBuffers) {
  auto layout = make<amdcompat_printf_layout>();
  layout.dwords_per_item = 4;
  char buffer[32];
  std::memset(buffer, 0x55, sizeof buffer);
  ASSERT_EQ(amdcompat_printf_reset(buffer, sizeof buffer, 4), AMDCOMPAT_OK);
  EXPECT_EQ(std::memcmp(buffer + 16, "\1\0\0\0\x55", 5), 0);
  std::memcpy(buffer, "\3\0\0\0\0\0\0\0\7\0\0\0", 12);
  amdcompat_text* text = nullptr;
  ASSERT_EQ(amdcompat_printf_decode(file, 0, buffer, sizeof buffer, &layout, &text), AMDCOMPAT_OK);
  std::size_t size = 0;
  EXPECT_STREQ(amdcompat_text_bytes(text, &size), "n 7\n");
  EXPECT_EQ(size, 4u);
  EXPECT_EQ(amdcompat_diagnostics_count(amdcompat_text_diagnostics(text)), 0u);
  amdcompat_text_free(text);
  layout.kind = AMDCOMPAT_PRINTF_HSA;
  ASSERT_EQ(amdcompat_printf_decode(file, 0, "\10\0\0\0\10\0\0\0\0\0\0\0\11\0\0", 16, &layout, &text), AMDCOMPAT_OK);
  EXPECT_STREQ(amdcompat_text_bytes(text, nullptr), "n 9\n");
  amdcompat_text_free(text);
  layout.kind = AMDCOMPAT_PRINTF_LEGACY;
  layout.dwords_per_item = 1;
  ASSERT_EQ(amdcompat_printf_decode(file, 0, buffer, sizeof buffer, &layout, &text), AMDCOMPAT_REFUSED);
  EXPECT_STREQ(amdcompat_text_bytes(text, &size), "");
  EXPECT_EQ(last(amdcompat_text_diagnostics(text)).substr(0, 4), "3070");
  amdcompat_text_free(text);
}

TEST_F(CApi, RefusesWhatIsNoLegacyFileAndSaysWhy) {
  amdcompat_file* other = nullptr;
  ASSERT_EQ(amdcompat_open("\x7f"
                           "ELF",
                           4, 0, &other),
            AMDCOMPAT_REFUSED);
  EXPECT_EQ(amdcompat_kernel_count(other), 0u);
  EXPECT_NE(last(amdcompat_file_diagnostics(other)), "");
  amdcompat_file_free(other);
  for (const char* path : {"/nowhere/at/all", "/"}) {
    ASSERT_EQ(amdcompat_open_path(path, 0, &other), AMDCOMPAT_REFUSED) << path;
    EXPECT_EQ(last(amdcompat_file_diagnostics(other)), "1 ") << path;
    amdcompat_file_free(other);
  }
  // An unknown directive is an error in strict mode only.
  const std::string odd = std::string(kText).insert(std::string(kText).find(";uavid"), ";novelty:1\n");
  for (const std::uint32_t flags : {0u, AMDCOMPAT_STRICT}) {
    ASSERT_EQ(amdcompat_open(odd.data(), odd.size(), flags, &other), AMDCOMPAT_OK);
    auto found = make<amdcompat_diagnostic>();
    ASSERT_EQ(amdcompat_diagnostics_get(amdcompat_file_diagnostics(other), 0, &found), AMDCOMPAT_OK);
    EXPECT_EQ(found.severity, std::uint32_t(flags == 0 ? AMDCOMPAT_WARNING : AMDCOMPAT_ERROR));
    EXPECT_EQ(odd.substr(found.offset, 7), "novelty");
    EXPECT_STREQ(found.block, "__OpenCL_k\xEF\xBF\xBD_kernel");
    amdcompat_file_free(other);
  }
}

TEST_F(CApi, WrongCallsAreNoticedAndTouchNothing) {
  amdcompat_file* other = file;
  EXPECT_EQ(amdcompat_open("x", 1, 0, nullptr), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_open(nullptr, 1, 0, &other), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(amdcompat_open("x", 1, 2, &other), AMDCOMPAT_BAD_CALL) << "an unknown flag";
  EXPECT_EQ(amdcompat_open_path(nullptr, 0, &other), AMDCOMPAT_BAD_CALL);
  amdcompat_file_free(nullptr);
  amdcompat_launch_free(nullptr);
  amdcompat_text_free(nullptr);
  amdcompat_launch_clear_diagnostics(nullptr);
  EXPECT_EQ(amdcompat_diagnostics_count(nullptr), 0u);
  EXPECT_EQ(amdcompat_launch_binding_count(nullptr), 0u);
  EXPECT_EQ(amdcompat_launch_local_bytes(nullptr), 0u);
  EXPECT_STREQ(amdcompat_text_bytes(nullptr, nullptr), "");
  auto kernel = make<amdcompat_kernel>();
  EXPECT_EQ(amdcompat_kernel_get(file, 0, nullptr), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_kernel_get(file, 1, &kernel), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_kernel_get(nullptr, 0, &kernel), AMDCOMPAT_BAD_CALL);
  kernel.size = 0;
  EXPECT_EQ(amdcompat_kernel_get(file, 0, &kernel), AMDCOMPAT_BAD_CALL);
  std::size_t index = 3;
  EXPECT_EQ(amdcompat_kernel_find(file, nullptr, &index), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_argument_find(file, 1, "p", &index), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_argument_find(file, 0, "q", &index), AMDCOMPAT_NOT_FOUND);
  EXPECT_EQ(index, 3u);
  EXPECT_EQ(amdcompat_launch_set_range(launch, nullptr), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_launch_set_buffer(launch, 0, nullptr), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_launch_set_bytes(launch, 1, nullptr, 4), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_launch_build(nullptr), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_launch_map(nullptr, &index), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_launch_map(launch, nullptr), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_launch_map_get(nullptr, 0, nullptr), AMDCOMPAT_BAD_CALL);
  auto program = make<amdcompat_program>();
  EXPECT_EQ(amdcompat_program_get(nullptr, &program), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_program_get(file, nullptr), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_open_entry("x", 1, 0, nullptr, nullptr), AMDCOMPAT_BAD_CALL);
  amdcompat_launch* none = launch;
  EXPECT_EQ(amdcompat_launch_create(file, 1, nullptr, &none), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(none, nullptr);
  auto options = make<amdcompat_launch_options>();
  options.profile = 9;
  EXPECT_EQ(amdcompat_launch_create(file, 0, &options, &none), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_printf_reset(nullptr, 4, 4), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_diagnostics_count(amdcompat_launch_diagnostics(launch)), 0u);
  EXPECT_STRNE(amdcompat_status_text(AMDCOMPAT_BAD_CALL), amdcompat_status_text(99));
}

// What a caller compiled with an older header has, and one with a newer header.
TEST_F(CApi, StructuresOfOtherVersionsAreReadAndFilledAsFarAsBothSidesKnowThem) {
  amdcompat_kernel kernel;
  std::memset(&kernel, 0x5a, sizeof kernel);
  kernel.size = offsetof(amdcompat_kernel, argument_count);
  ASSERT_EQ(amdcompat_kernel_get(file, 0, &kernel), AMDCOMPAT_OK);
  EXPECT_EQ(kernel.address_bits, 32u);
  EXPECT_EQ(kernel.argument_count, 0x5a5a5a5au);
  EXPECT_EQ(kernel.size, offsetof(amdcompat_kernel, argument_count));

  struct Newer {
    amdcompat_range known;
    std::uint64_t unknown;
  } newer{};
  newer.known.size = sizeof newer;
  newer.known.dimensions = 1;
  newer.known.global[0] = 64;
  EXPECT_EQ(amdcompat_launch_set_range(launch, &newer.known), AMDCOMPAT_OK);
  newer.unknown = 1;
  EXPECT_EQ(amdcompat_launch_set_range(launch, &newer.known), AMDCOMPAT_BAD_CALL);
  newer.known.size = offsetof(amdcompat_range, offset);  // as if `offset` and all behind it did not exist
  newer.known.offset[0] = ~std::uint64_t{0};
  EXPECT_EQ(amdcompat_launch_set_range(launch, &newer.known), AMDCOMPAT_OK);
}

TEST_F(CApi, SeveralThreadsReadOneFileAndLaunchOnTheirOwn) {
  std::vector<std::thread> threads;
  for (unsigned n = 0; n < 4; ++n)
    threads.emplace_back([this, n] {
      for (unsigned round = 0; round < 50; ++round) {
        amdcompat_launch* own = nullptr;
        ASSERT_EQ(amdcompat_launch_create(file, 0, nullptr, &own), AMDCOMPAT_OK);
        const std::string value(4, static_cast<char>('a' + n));
        auto range = make<amdcompat_range>();
        range.flags = AMDCOMPAT_RANGE_TASK;
        EXPECT_EQ(amdcompat_launch_set_range(own, &range), AMDCOMPAT_OK);
        EXPECT_EQ(amdcompat_launch_set_null(own, 0), AMDCOMPAT_OK);
        EXPECT_EQ(amdcompat_launch_set_bytes(own, 1, value.data(), 4), AMDCOMPAT_OK);
        EXPECT_EQ(amdcompat_launch_set_local(own, 2, 4), AMDCOMPAT_OK);
        EXPECT_EQ(amdcompat_launch_set_bytes(own, 3, "ABCDEFGH", 8), AMDCOMPAT_OK);
        EXPECT_EQ(amdcompat_launch_build(own), AMDCOMPAT_OK);
        const void* const bytes = amdcompat_launch_image(own, 1, nullptr);
        EXPECT_EQ(std::memcmp(static_cast<const char*>(bytes) + 16, value.data(), 4), 0);
        amdcompat_launch_free(own);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

// --- CL2 -------------------------------------------------------------------------------------------------------

const std::string kCl2Samples = AMDCOMPAT_SAMPLES "/bin/";

class Cl2CApi : public testing::Test {
 protected:
  ~Cl2CApi() override {
    amdcompat_launch_free(launch);
    amdcompat_file_free(file);
  }
  void load(const std::string& name, const char* kernel) {
    ASSERT_EQ(amdcompat_open_path((kCl2Samples + name).c_str(), 0, &file), AMDCOMPAT_OK);
    std::size_t index = 0;
    ASSERT_EQ(amdcompat_kernel_find(file, kernel, &index), AMDCOMPAT_OK);
    ASSERT_EQ(amdcompat_kernel_get(file, index, &about), AMDCOMPAT_OK);
    ASSERT_EQ(amdcompat_launch_create(file, index, nullptr, &launch), AMDCOMPAT_OK);
  }
  static amdcompat_range range() {
    auto out = make<amdcompat_range>();
    out.dimensions = 1;
    out.global[0] = 256;
    out.local[0] = 64;
    out.offset[0] = 5;
    return out;
  }
  // Of all the memory.
  [[nodiscard]] std::string bytes() const {
    auto memory = make<amdcompat_memory>();
    EXPECT_EQ(amdcompat_launch_memory(launch, &memory), AMDCOMPAT_OK);
    return {static_cast<const char*>(memory.bytes), memory.byte_count};
  }
  [[nodiscard]] std::string last() const {
    const amdcompat_diagnostics* const list = amdcompat_launch_diagnostics(launch);
    auto found = make<amdcompat_diagnostic>();
    const std::size_t count = amdcompat_diagnostics_count(list);
    if (count == 0 || amdcompat_diagnostics_get(list, count - 1, &found) != AMDCOMPAT_OK) return {};
    return std::to_string(found.code) + " " + found.path;
  }
  amdcompat_file* file = nullptr;
  amdcompat_launch* launch = nullptr;
  amdcompat_kernel about = make<amdcompat_kernel>();
};

TEST_F(Cl2CApi, BuildsBlockPacketAndRegisters) {
  load("cl2-tonga-attributes.clo", "hinted");
  EXPECT_EQ(about.family, std::uint32_t{AMDCOMPAT_FAMILY_CL2});
  ASSERT_EQ(about.hidden_arguments, 6u);
  ASSERT_EQ(about.argument_count, 7u);
  auto memory = make<amdcompat_memory>();
  ASSERT_EQ(amdcompat_launch_memory(launch, &memory), AMDCOMPAT_OK);
  EXPECT_EQ(memory.block_bytes, 64u);
  EXPECT_EQ(memory.byte_count, 128u);
  EXPECT_EQ(memory.align, 16u);
  const void* const place = memory.bytes;
  auto environment = make<amdcompat_environment>();
  environment.memory = 0x20000;
  environment.printf_buffer = 0x30000;
  environment.kernel_object = 0x40000;
  auto buffer = make<amdcompat_buffer>();
  buffer.address = 0x123400;
  buffer.byte_count = 4096;
  const auto sizes = range();
  EXPECT_EQ(amdcompat_launch_set_environment(launch, &environment), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_set_range(launch, &sizes), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_set_buffer(launch, 6, &buffer), AMDCOMPAT_OK);
  ASSERT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_OK);
  std::string expected(128, '\0');
  const auto put = [&](std::size_t at, const char* text, std::size_t size) { expected.replace(at, size, text, size); };
  put(0, "\5", 1);            // global offset
  put(24, "\0\0\3", 3);      // printf buffer
  put(48, "\0\x34\x12", 3);  // the argument
  put(64, "\x02\x0d\1\0\x40\0\1\0\1\0\0\0\0\1\0\0\1\0\0\0\1", 21);  // header, dimensions, group, grid
  put(64 + 32, "\0\0\4", 3);  // kernel object
  put(64 + 40, "\0\0\2", 3);  // argument block
  EXPECT_EQ(bytes(), expected);
  ASSERT_EQ(amdcompat_launch_memory(launch, &memory), AMDCOMPAT_OK);
  EXPECT_EQ(memory.bytes, place);
  EXPECT_EQ(memory.packet_header, 0x10d02u);
  std::uint32_t local[3];
  amdcompat_launch_local_size(launch, local);
  EXPECT_EQ(local[0], 64u);
  auto row = make<amdcompat_register>();
  ASSERT_EQ(amdcompat_launch_register_count(launch), 3u);
  ASSERT_EQ(amdcompat_launch_register(launch, 1, &row), AMDCOMPAT_OK);
  EXPECT_STREQ(row.name, "dispatch pointer");
  EXPECT_EQ(row.first, 4u);
  EXPECT_EQ(row.count, 2u);
  EXPECT_EQ(row.known, 1u);
  EXPECT_EQ(row.words[0], 0x20000u + 64);
  ASSERT_EQ(amdcompat_launch_register(launch, 2, &row), AMDCOMPAT_OK);
  EXPECT_EQ(row.words[0], 0x20000u);
  EXPECT_EQ(amdcompat_launch_register(launch, 3, &row), AMDCOMPAT_BAD_CALL);
  // Another address: only pointers to the block change.
  environment.memory = 0x50000;
  EXPECT_EQ(amdcompat_launch_set_environment(launch, &environment), AMDCOMPAT_OK);
  ASSERT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_OK);
  ASSERT_EQ(amdcompat_launch_memory(launch, &memory), AMDCOMPAT_OK);
  EXPECT_EQ(memory.changed_begin, 64u + 40);
  EXPECT_EQ(memory.changed_end, 64u + 48);
  EXPECT_EQ(amdcompat_launch_set_environment(launch, nullptr), AMDCOMPAT_OK);
  ASSERT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_OK);
  EXPECT_EQ(bytes().substr(64 + 32, 16), std::string(16, '\0'));
  EXPECT_EQ(bytes().substr(24, 8), std::string(8, '\0'));
  EXPECT_EQ(amdcompat_diagnostics_count(amdcompat_launch_diagnostics(launch)), 0u);
}

// --- code objects ------------------------------------------------------------------------------------------------

TEST_F(Cl2CApi, BuildsTheKernargSegmentOfACodeObject) {
  // The sample, with hidden arguments behind its own.
  amdcompat::Diagnostics findings;
  auto object = amdcompat::hsa::read_code_object(read_file(kCl2Samples + "object-gfx906.hsaco"), findings);
  ASSERT_TRUE(object);
  amdcompat::hsa::MetadataKernel& metadata = object->metadata.kernels.at(0);
  const auto add = [&](amdcompat::hsa::ValueKind kind, std::uint64_t offset, std::uint64_t size) {
    amdcompat::hsa::MetadataArgument& argument = metadata.args.emplace_back();
    argument.value_kind = kind;
    argument.offset = offset;
    argument.size = size;
  };
  add(amdcompat::hsa::ValueKind::HiddenBlockCountX, 24, 4);
  add(amdcompat::hsa::ValueKind::HiddenHostcallBuffer, 32, 8);
  add(amdcompat::hsa::ValueKind::HiddenGlobalOffsetX, 40, 8);
  metadata.kernarg_segment_size = 48;
  object->kernels.at(0).descriptor->kernarg_size = 48;
  object->kernels.at(0).descriptor->properties =
      amdcompat::kSgprPrivateBuffer | amdcompat::kSgprDispatchPtr | amdcompat::kSgprKernargPtr;
  object->kernels.at(0).descriptor->rsrc2 |= 8 << 1;  // user registers
  const auto written = amdcompat::hsa::write_code_object(*object);
  ASSERT_TRUE(written) << written.error().message;
  ASSERT_EQ(amdcompat_open(written->data(), written->size(), 0, &file), AMDCOMPAT_OK);
  ASSERT_EQ(amdcompat_kernel_get(file, 0, &about), AMDCOMPAT_OK);
  EXPECT_EQ(about.family, std::uint32_t{AMDCOMPAT_FAMILY_HSA});
  ASSERT_EQ(about.argument_count, 6u);
  EXPECT_EQ(about.hidden_arguments, 0u);
  const std::uint32_t offsets[] = {0, 8, 16, 24, 32, 40};
  for (std::size_t i = 0; i < 6; ++i) {
    auto argument = make<amdcompat_argument>();
    ASSERT_EQ(amdcompat_argument_get(file, 0, i, &argument), AMDCOMPAT_OK);
    EXPECT_EQ(argument.kernarg_offset, offsets[i]);
    EXPECT_EQ((argument.flags & AMDCOMPAT_ARGUMENT_HIDDEN) != 0, i > 2) << i;
    EXPECT_EQ(argument.flags & AMDCOMPAT_ARGUMENT_KERNARG, AMDCOMPAT_ARGUMENT_KERNARG);
  }
  ASSERT_EQ(amdcompat_launch_create(file, 0, nullptr, &launch), AMDCOMPAT_OK);
  auto environment = make<amdcompat_environment>();
  environment.memory = 0x20000;
  environment.kernel_object = 0x40000;
  environment.hostcall_buffer = 0x50000;
  auto buffer = make<amdcompat_buffer>();
  buffer.address = 0x123400;
  const std::uint32_t n = 7;
  const auto sizes = range();
  EXPECT_EQ(amdcompat_launch_set_environment(launch, &environment), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_set_range(launch, &sizes), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_set_buffer(launch, 0, &buffer), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_set_bytes(launch, 1, &n, sizeof n), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_REFUSED) << "one argument is missing";
  EXPECT_EQ(last(), "3041 arguments[2]");
  EXPECT_EQ(amdcompat_launch_set_null(launch, 2), AMDCOMPAT_OK);
  ASSERT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_OK);
  auto memory = make<amdcompat_memory>();
  ASSERT_EQ(amdcompat_launch_memory(launch, &memory), AMDCOMPAT_OK);
  EXPECT_EQ(memory.block_bytes, 48u);
  EXPECT_EQ(memory.packet_header, 0x10d02u);
  std::string expected(48 + 64, '\0');
  const auto put = [&](std::size_t at, const char* text, std::size_t size) { expected.replace(at, size, text, size); };
  put(0, "\0\x34\x12", 3);
  put(8, "\7", 1);
  put(24, "\4", 1);        // 256 / 64 work-groups
  put(32, "\0\0\5", 3);  // hostcall buffer
  put(40, "\5", 1);        // global offset
  put(48, "\x02\x0d\1\0\x40\0\1\0\1\0\0\0\0\1\0\0\1\0\0\0\1", 21);
  put(48 + 24, "\x10\0\0\0\x80", 5);  // 16 bytes of scratch, 128 of LDS
  put(48 + 32, "\0\0\4", 3);          // kernel object
  put(48 + 40, "\0\0\2", 3);          // kernarg segment
  EXPECT_EQ(bytes(), expected);
  EXPECT_EQ(amdcompat_launch_local_bytes(launch), 128u);
  ASSERT_EQ(amdcompat_launch_register_count(launch), 3u);
  auto row = make<amdcompat_register>();
  ASSERT_EQ(amdcompat_launch_register(launch, 0, &row), AMDCOMPAT_OK);
  EXPECT_EQ(std::tuple(row.first, row.count, row.known, row.words[0]), std::tuple(0u, 4u, 0u, 0u)) << "the runtime's";
  ASSERT_EQ(amdcompat_launch_register(launch, 1, &row), AMDCOMPAT_OK);
  EXPECT_EQ(std::tuple(row.first, row.count, row.known, row.words[0]), std::tuple(4u, 2u, 1u, 0x20030u))
      << "the packet";
  ASSERT_EQ(amdcompat_launch_register(launch, 2, &row), AMDCOMPAT_OK);
  EXPECT_EQ(std::tuple(row.first, row.count, row.known, row.words[0]), std::tuple(6u, 2u, 1u, 0x20000u)) << row.name;
  EXPECT_EQ(amdcompat_launch_register(launch, 3, &row), AMDCOMPAT_BAD_CALL);
  buffer.base = 16;
  EXPECT_EQ(amdcompat_launch_set_buffer(launch, 0, &buffer), AMDCOMPAT_BAD_CALL) << "there is no descriptor";
  EXPECT_EQ(amdcompat_launch_set_rings(launch, nullptr), AMDCOMPAT_REFUSED);
  EXPECT_EQ(last(), "3008 ");
  EXPECT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_set_sampler(launch, 0, 0x10), AMDCOMPAT_REFUSED);
  EXPECT_EQ(last(), "3042 arguments[0]") << "it is a buffer";
  EXPECT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_REFUSED);
}

// The texts of registers are handed out without a copy.
TEST_F(Cl2CApi, TextsOfRegistersEndWithNul) {
  for (const amdcompat::UserRegister& row : amdcompat::user_register_table())
    for (const std::string_view text : {row.name, row.meaning})
      EXPECT_EQ(std::strlen(text.data()), text.size()) << text;
}

// Every kind of argument, by what the C interface says of it.
TEST_F(Cl2CApi, EverySampleGetsTheBytesOfTheCppInterface) {
  namespace abi = amdcompat::abi;
  std::set<std::uint32_t> kinds;
  std::size_t objects = 0, registers = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kCl2Samples)) {
    if (!entry.path().filename().string().starts_with("cl2-")) continue;
    amdcompat::Diagnostics findings;
    const auto opened = amdcompat::open(read_file(entry.path()), findings);
    amdcompat_file* sample = nullptr;
    ASSERT_EQ(amdcompat_open_path(entry.path().c_str(), 0, &sample), AMDCOMPAT_OK);
    for (std::size_t k = 0; k < amdcompat_kernel_count(sample); ++k) {
      SCOPED_TRACE(entry.path().filename().string() + " " + opened->program.kernels[k].name);
      auto kernel = make<amdcompat_kernel>();
      ASSERT_EQ(amdcompat_kernel_get(sample, k, &kernel), AMDCOMPAT_OK);
      amdcompat_launch* own = nullptr;
      ASSERT_EQ(amdcompat_launch_create(sample, k, nullptr, &own), AMDCOMPAT_OK);
      auto image = abi::Cl2LaunchImage::create(opened->program.kernels[k], findings);
      ASSERT_TRUE(image);
      ASSERT_EQ(kernel.hidden_arguments, image->first_argument());

      auto environment = make<amdcompat_environment>();
      environment.memory = 0x10000;
      environment.printf_buffer = 0x20000;
      environment.default_queue = 0x30000;
      environment.aql_wrap = 0x40000;
      environment.kernel_object = 0x50000;
      environment.completion_signal = 0x60000;
      environment.queue = 0x70000;
      environment.scratch = 0x80000;
      environment.scratch_bytes = 0x10000;
      environment.scratch_offset = 0x100;
      environment.local_aperture = 1;
      environment.scratch_aperture = 2;
      EXPECT_EQ(amdcompat_launch_set_environment(own, &environment), AMDCOMPAT_OK);
      EXPECT_TRUE(image->set_environment({.memory = 0x10000,
                                          .printf_buffer = 0x20000,
                                          .default_queue = 0x30000,
                                          .aql_wrap = 0x40000,
                                          .kernel_object = 0x50000,
                                          .completion_signal = 0x60000,
                                          .queue = 0x70000,
                                          .local_aperture = 1,
                                          .scratch_aperture = 2,
                                          .scratch = 0x80000,
                                          .scratch_bytes = 0x10000,
                                          .scratch_offset = 0x100},
                                         findings));
      auto sizes = make<amdcompat_range>();
      sizes.flags = AMDCOMPAT_RANGE_TASK;
      if (kernel.required_group[0] != 0) {
        sizes.flags = 0;
        sizes.dimensions = 3;
        std::ranges::copy(kernel.required_group, sizes.local);
        std::ranges::copy(kernel.required_group, sizes.global);
      }
      abi::Range same{.dimensions = 3, .task = sizes.flags != 0};
      if (sizes.flags == 0) {
        std::ranges::copy(sizes.global, same.global.begin());
        std::ranges::copy(sizes.local, same.local.emplace().begin());
      }
      EXPECT_EQ(amdcompat_launch_set_range(own, &sizes), AMDCOMPAT_OK);
      EXPECT_TRUE(image->set_range(same, findings));

      for (std::size_t i = kernel.hidden_arguments; i < kernel.argument_count; ++i) {
        auto argument = make<amdcompat_argument>();
        ASSERT_EQ(amdcompat_argument_get(sample, k, i, &argument), AMDCOMPAT_OK);
        kinds.insert(argument.kind);
        EXPECT_TRUE(argument.flags & AMDCOMPAT_ARGUMENT_KERNARG);
        const std::string value(argument.kind == AMDCOMPAT_IMAGE ? 48 : argument.value_bytes,
                                static_cast<char>('a' + i));
        const auto as_bytes = std::as_bytes(std::span(value));
        switch (argument.kind) {
          case AMDCOMPAT_VALUE:
            EXPECT_EQ(amdcompat_launch_set_bytes(own, i, value.data(), value.size()), AMDCOMPAT_OK) << i;
            EXPECT_TRUE(image->set_bytes(i, as_bytes, findings));
            break;
          case AMDCOMPAT_LOCAL_POINTER:
            EXPECT_EQ(amdcompat_launch_set_local(own, i, 100), AMDCOMPAT_OK);
            EXPECT_TRUE(image->set_local(i, 100, findings));
            break;
          case AMDCOMPAT_IMAGE:
            ++objects;
            EXPECT_EQ(amdcompat_launch_set_object(own, i, value.data(), value.size()), AMDCOMPAT_OK);
            EXPECT_TRUE(image->set_object(i, as_bytes, findings));
            break;
          case AMDCOMPAT_SAMPLER:
            EXPECT_EQ(amdcompat_launch_set_sampler(own, i, 0x14), AMDCOMPAT_OK);
            EXPECT_TRUE(image->set_sampler(i, 0x14, findings));
            break;
          case AMDCOMPAT_GLOBAL_POINTER:
          case AMDCOMPAT_CONSTANT_POINTER:
          case AMDCOMPAT_QUEUE:
          case AMDCOMPAT_PIPE: {
            auto buffer = make<amdcompat_buffer>();
            buffer.address = 0x100000 * (i + 1);
            EXPECT_EQ(amdcompat_launch_set_buffer(own, i, &buffer), AMDCOMPAT_OK);
            EXPECT_TRUE(image->set_address(i, buffer.address, 0, findings));
            break;
          }
          default: ADD_FAILURE() << "argument " << i << " of kind " << argument.kind;
        }
      }
      ASSERT_EQ(amdcompat_launch_build(own), AMDCOMPAT_OK);
      ASSERT_TRUE(image->build(findings));
      auto memory = make<amdcompat_memory>();
      ASSERT_EQ(amdcompat_launch_memory(own, &memory), AMDCOMPAT_OK);
      ASSERT_EQ(memory.byte_count, image->memory().size());
      EXPECT_EQ(std::memcmp(memory.bytes, image->memory().data(), memory.byte_count), 0);
      EXPECT_EQ(memory.block_bytes, image->block_bytes());
      EXPECT_EQ(memory.align, image->memory_align());
      EXPECT_EQ(memory.packet_header, image->packet_header());
      EXPECT_EQ(amdcompat_launch_local_bytes(own), image->local_bytes());
      const auto expected = image->user_registers();
      ASSERT_EQ(amdcompat_launch_register_count(own), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i, ++registers) {
        auto row = make<amdcompat_register>();
        ASSERT_EQ(amdcompat_launch_register(own, i, &row), AMDCOMPAT_OK);
        EXPECT_EQ(row.name, expected[i].name);
        EXPECT_EQ(row.meaning, expected[i].meaning);
        EXPECT_EQ(row.first, expected[i].first);
        EXPECT_EQ(row.count, expected[i].count);
        EXPECT_EQ(row.known != 0, expected[i].known);
        EXPECT_TRUE(std::ranges::equal(row.words, expected[i].words));
      }
      std::size_t rows = 0;
      ASSERT_EQ(amdcompat_launch_map(own, &rows), AMDCOMPAT_OK);
      const std::vector<abi::MapEntry> map = image->map();
      ASSERT_EQ(rows, map.size());
      for (std::size_t i = 0; i < rows; ++i) {
        auto row = make<amdcompat_map_entry>();
        ASSERT_EQ(amdcompat_launch_map_get(own, i, &row), AMDCOMPAT_OK);
        EXPECT_EQ(row.name, map[i].name);
        EXPECT_EQ(row.value, map[i].value);
        EXPECT_EQ(row.source, map[i].source) << "a literal, which ends with a NUL";
        EXPECT_EQ(row.buffer, map[i].buffer);
        EXPECT_EQ(row.offset, map[i].offset);
        EXPECT_EQ(row.byte_count, map[i].size);
        EXPECT_EQ(row.reserved_bytes, map[i].reserved);
        EXPECT_EQ(row.argument, map[i].argument ? static_cast<std::int64_t>(*map[i].argument) : -1);
      }
      amdcompat_launch_free(own);
    }
    amdcompat_file_free(sample);
  }
  EXPECT_EQ(kinds, (std::set<std::uint32_t>{AMDCOMPAT_VALUE, AMDCOMPAT_GLOBAL_POINTER, AMDCOMPAT_CONSTANT_POINTER,
                                            AMDCOMPAT_LOCAL_POINTER, AMDCOMPAT_IMAGE, AMDCOMPAT_SAMPLER,
                                            AMDCOMPAT_QUEUE, AMDCOMPAT_PIPE}));
  EXPECT_GT(objects, 0u);
  EXPECT_GT(registers, 20u);
}

TEST_F(Cl2CApi, OptionsAndWrongValuesAreThoseOfTheCppInterface) {
  load("cl2-tonga-attributes.clo", "hinted");
  auto options = make<amdcompat_launch_options>();
  options.packet_header = 0x1502;
  options.profile = AMDCOMPAT_PROFILE_SPEC;  // not read
  amdcompat_launch_free(launch);
  ASSERT_EQ(amdcompat_launch_create(file, 1, &options, &launch), AMDCOMPAT_OK);
  const auto one = range();
  EXPECT_EQ(amdcompat_launch_set_range(launch, &one), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_set_null(launch, 6), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_OK);
  auto memory = make<amdcompat_memory>();
  ASSERT_EQ(amdcompat_launch_memory(launch, &memory), AMDCOMPAT_OK);
  EXPECT_EQ(memory.packet_header, 0x11502u);
  for (std::uint32_t amdcompat_launch_options::* limit :
       {&amdcompat_launch_options::max_block_bytes, &amdcompat_launch_options::max_memory_bytes}) {
    auto tight = make<amdcompat_launch_options>();
    tight.*limit = 16;
    amdcompat_launch* small = nullptr;
    EXPECT_EQ(amdcompat_launch_create(file, 1, &tight, &small), AMDCOMPAT_REFUSED);
    EXPECT_EQ(amdcompat_launch_memory(small, &memory), AMDCOMPAT_BAD_CALL);
    EXPECT_EQ(amdcompat_launch_build(small), AMDCOMPAT_BAD_CALL);
    amdcompat_launch_free(small);
  }
  amdcompat_launch* none = nullptr;
  options.packet_header = 0x10000;
  EXPECT_EQ(amdcompat_launch_create(file, 1, &options, &none), AMDCOMPAT_BAD_CALL);
  auto buffer = make<amdcompat_buffer>();
  buffer.address = 0x1000;
  buffer.base = 0x1000;
  EXPECT_EQ(amdcompat_launch_set_buffer(launch, 6, &buffer), AMDCOMPAT_BAD_CALL) << "whole addresses";
  buffer.base = 0;
  buffer.address = 0x1001;
  EXPECT_EQ(amdcompat_launch_set_buffer(launch, 6, &buffer), AMDCOMPAT_REFUSED);
  EXPECT_EQ(last(), "3044 arguments[6]");
  EXPECT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_REFUSED);
  EXPECT_EQ(amdcompat_launch_set_object(launch, 6, "x", 1), AMDCOMPAT_REFUSED);
  EXPECT_EQ(last(), "3042 arguments[6]");
  EXPECT_EQ(amdcompat_launch_set_object(launch, 6, nullptr, 1), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_launch_set_bytes(launch, 0, "12345678", 8), AMDCOMPAT_REFUSED) << "a hidden argument";
  auto environment = make<amdcompat_environment>();
  environment.memory = 8;
  EXPECT_EQ(amdcompat_launch_set_environment(launch, &environment), AMDCOMPAT_REFUSED);
  EXPECT_EQ(last(), "3044 memory");
  environment.size = 0;
  EXPECT_EQ(amdcompat_launch_set_environment(launch, &environment), AMDCOMPAT_BAD_CALL);
  auto sizes = range();
  sizes.flags = AMDCOMPAT_RANGE_SPLIT;
  EXPECT_EQ(amdcompat_launch_set_range(launch, &sizes), AMDCOMPAT_REFUSED);
  EXPECT_EQ(last(), "3034 range");
}

TEST_F(Cl2CApi, CallsForTheOtherFamilyAreRefusedAndChangeNothing) {
  load("cl2-tonga-attributes.clo", "hinted");
  const auto sizes = range();
  EXPECT_EQ(amdcompat_launch_set_range(launch, &sizes), AMDCOMPAT_OK);
  EXPECT_EQ(amdcompat_launch_set_null(launch, 6), AMDCOMPAT_OK);
  ASSERT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_OK);
  auto buffer = make<amdcompat_buffer>();
  auto printf = make<amdcompat_printf_buffer>();
  auto rings = make<amdcompat_rings>();
  EXPECT_EQ(amdcompat_launch_set_printf(launch, &printf), AMDCOMPAT_REFUSED);
  EXPECT_EQ(last(), "3008 ");
  EXPECT_EQ(amdcompat_launch_set_data_segment(launch, &buffer), AMDCOMPAT_REFUSED);
  EXPECT_EQ(amdcompat_launch_set_rings(launch, &rings), AMDCOMPAT_REFUSED);
  EXPECT_EQ(amdcompat_launch_set_constant_data(launch, 2, &buffer), AMDCOMPAT_REFUSED);
  EXPECT_EQ(amdcompat_diagnostics_count(amdcompat_launch_diagnostics(launch)), 4u);
  EXPECT_EQ(amdcompat_launch_build(launch), AMDCOMPAT_OK);
  std::size_t size = 1;
  EXPECT_EQ(amdcompat_launch_image(launch, 0, &size), nullptr);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(amdcompat_launch_binding_count(launch), 0u);

  amdcompat_launch* cl1 = nullptr;
  amdcompat_file* text = nullptr;
  ASSERT_EQ(amdcompat_open(kText, sizeof kText - 1, 0, &text), AMDCOMPAT_OK);
  ASSERT_EQ(amdcompat_launch_create(text, 0, nullptr, &cl1), AMDCOMPAT_OK);
  const auto environment = make<amdcompat_environment>();
  auto memory = make<amdcompat_memory>();
  EXPECT_EQ(amdcompat_launch_set_environment(cl1, &environment), AMDCOMPAT_REFUSED);
  EXPECT_EQ(amdcompat_launch_set_object(cl1, 0, "x", 1), AMDCOMPAT_REFUSED);
  EXPECT_EQ(amdcompat_diagnostics_count(amdcompat_launch_diagnostics(cl1)), 2u);
  EXPECT_EQ(amdcompat_launch_memory(cl1, &memory), AMDCOMPAT_NOT_FOUND);
  EXPECT_EQ(amdcompat_launch_register_count(cl1), 0u);
  EXPECT_EQ(amdcompat_launch_register_count(nullptr), 0u);
  EXPECT_EQ(amdcompat_launch_memory(nullptr, &memory), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_launch_memory(launch, nullptr), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_launch_set_environment(nullptr, &environment), AMDCOMPAT_BAD_CALL);
  amdcompat_launch_free(cl1);
  amdcompat_file_free(text);
}

// --- examples/launch.c -----------------------------------------------------------------------------------------

// 160 bytes as the example prints them: a launch of `groups` work-groups of 64 in one dimension.
std::string printed_cb0(const char* global, const char* groups) {
  const std::string zeros = "  00000000 00000000 00000000 00000000\n";
  return std::string("cb0\n  ") + global + " 01000000 01000000 01000000\n  40000000 01000000 01000000 00000000\n  " +
         groups + " 01000000 01000000 00000000\n" + zeros + zeros + "  00000000 0000003f 0000803f 00000040\n" + zeros +
         zeros + zeros + zeros;
}

TEST(CExample, PrintsTheConstantBuffersOfASample) {
  const ProcessResult result =
      run("'" AMDCOMPAT_LAUNCH_EXAMPLE "' '" AMDCOMPAT_SAMPLES "/bin/pitcairn-1702.clo' fill 256 64");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, printed_cb0("00010000", "04000000") +
                               "cb1\n  00001000 00000000 00000000 00000000\n  00010203 04050607 08090a0b 0c0d0e0f\n"
                               "0 bytes of local memory, 4 bindings\n");
}

TEST(CExample, PrintsBlockPacketAndRegistersOfACl2Sample) {
  const ProcessResult result =
      run("'" AMDCOMPAT_LAUNCH_EXAMPLE "' '" AMDCOMPAT_SAMPLES "/bin/cl2-tonga-attributes.clo' hinted 256 64");
  EXPECT_EQ(result.status, 0);
  const std::string zeros = " 00000000 00000000";
  EXPECT_EQ(result.output, "block\n  00000000 00000000" + zeros +
                               "\n  00000000 00000000 00000600 00000000\n  00000000" + zeros +
                               " 00000000\n  00001600 00000000" + zeros +
                               "\npacket\n  020d0100 40000100 01000000 00010000\n  01000000 01000000" + zeros +
                               "\n  00000500 00000000 00000400 00000000\n  00000000 00000000" + zeros +
                               "\ns0 private segment buffer" + zeros + zeros +
                               "\ns4 dispatch pointer 00040040 00000000\n"
                               "s6 kernarg pointer 00040000 00000000\n0 bytes of local memory\n");
}

TEST(CExample, SaysWhatIsWrong) {
  const std::string sample = "'" AMDCOMPAT_LAUNCH_EXAMPLE "' '" AMDCOMPAT_SAMPLES "/bin/pitcairn-1702.clo' ";
  EXPECT_EQ(run(sample + "other 256 64").output, "launch: not found\n");
  const ProcessResult result = run(sample + "fill 256 1000");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.output.find("AC3023 range "), std::string::npos) << result.output;
}

TEST(CExample, PrintsTheConstantBuffersOfARealKernel) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  const auto file =
      real_root() / "corpus/Multi2Sim+m2s-bench-amdsdk-2.5/MatrixMultiplication/MatrixMultiplication_Kernels.bin";
  const ProcessResult result = run("'" AMDCOMPAT_LAUNCH_EXAMPLE "' '" + file.string() + "' mmmKernel_local 192 64");
  EXPECT_EQ(result.status, 0);
  const std::string rest = " 00000000 00000000 00000000\n";
  EXPECT_EQ(result.output, printed_cb0("c0000000", "03000000") + "cb1\n  00001000" + rest + "  00001100" + rest +
                               "  00001200" + rest + "  00010203" + rest + "  00000000" + rest +
                               "256 bytes of local memory, 5 bindings\n");
}

}  // namespace
}  // namespace c_api_test
