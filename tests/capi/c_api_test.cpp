// The C interface: what it hands over is what the C++ interface says, and wrong calls change nothing.
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

#include <amdcompat/amdcompat.h>

#include "support/process.hpp"
#include "support/real_corpus.hpp"

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

// --- examples/launch.c -----------------------------------------------------------------------------------------

// 160 bytes as the example prints them: a launch of `groups` work-groups of 64 in one dimension.
std::string printed_cb0(const char* global, const char* groups) {
  const std::string zeros = "  00000000 00000000 00000000 00000000\n";
  return std::string("cb0\n  ") + global + " 01000000 01000000 01000000\n  40000000 01000000 01000000 00000000\n  " +
         groups + " 01000000 01000000 00000000\n" + zeros + zeros + "  00000000 0000003f 0000803f 00000040\n" + zeros +
         zeros + zeros + zeros;
}

TEST(CExample, PrintsTheConstantBuffersOfASample) {
  const ProcessResult result = run("'" AMDCOMPAT_EXAMPLE "' '" AMDCOMPAT_SAMPLES "/bin/pitcairn-1702.clo' fill 256 64");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, printed_cb0("00010000", "04000000") +
                               "cb1\n  00001000 00000000 00000000 00000000\n  00010203 04050607 08090a0b 0c0d0e0f\n"
                               "0 bytes of local memory, 4 bindings\n");
}

TEST(CExample, SaysWhatIsWrong) {
  const std::string sample = "'" AMDCOMPAT_EXAMPLE "' '" AMDCOMPAT_SAMPLES "/bin/pitcairn-1702.clo' ";
  EXPECT_EQ(run(sample + "other 256 64").output, "launch: not found\n");
  const ProcessResult result = run(sample + "fill 256 1000");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.output.find("AC3023 range "), std::string::npos) << result.output;
}

TEST(CExample, PrintsTheConstantBuffersOfARealKernel) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  const auto file =
      real_root() / "corpus/Multi2Sim+m2s-bench-amdsdk-2.5/MatrixMultiplication/MatrixMultiplication_Kernels.bin";
  const ProcessResult result = run("'" AMDCOMPAT_EXAMPLE "' '" + file.string() + "' mmmKernel_local 192 64");
  EXPECT_EQ(result.status, 0);
  const std::string rest = " 00000000 00000000 00000000\n";
  EXPECT_EQ(result.output, printed_cb0("c0000000", "03000000") + "cb1\n  00001000" + rest + "  00001100" + rest +
                               "  00001200" + rest + "  00010203" + rest + "  00000000" + rest +
                               "256 bytes of local memory, 5 bindings\n");
}

}  // namespace
