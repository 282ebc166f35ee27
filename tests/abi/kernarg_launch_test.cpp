// Kernarg segments and packets of code objects' kernels, against a model of its own that knows nothing of the library:
// what every hidden argument gets, by its name, is written down here again.
#include <amdcompat/kernarg_launch.hpp>

#include <cstring>

#include <gtest/gtest.h>

#include <amdcompat/code_object.hpp>
#include <amdcompat/open.hpp>

#include "hsa/hsa_samples.hpp"
#include "support/real_corpus.hpp"
#include "whose.hpp"

namespace amdcompat::kernarg_launch_test {
namespace {

using Bytes = std::vector<std::byte>;
constexpr std::byte kFill{0xcc};

std::string errors(const Diagnostics& findings) {
  std::string out;
  for (const Diagnostic& d : findings.all())
    if (d.severity == Severity::Error) out += code_label(d.code) + " " + d.path + ": " + sentence(d) + "\n";
  return out;
}

std::uint64_t number(std::span<const std::byte> bytes, std::uint64_t at, std::uint64_t size) {
  std::uint64_t out = 0;
  for (std::uint64_t i = size; i-- > 0;) out = out << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  return out;
}

// Three dimensions, each with a partial work-group.
constexpr std::array<std::uint64_t, 3> kGlobal{100, 7, 5}, kOffset{3, 4, 5};
constexpr std::array<std::uint32_t, 3> kLocal{64, 2, 2};
abi::Range range() { return {.dimensions = 3, .global = kGlobal, .local = kLocal, .offset = kOffset}; }
abi::KernargEnvironment environment() {
  return {.memory = 0x7000'0000'1000,
          .kernel_object = 0x7000'0000'2040,
          .completion_signal = 0x7000'0000'3000,
          .queue = 0x7000'0000'4000,
          .printf_buffer = 0x7000'0000'5000,
          .hostcall_buffer = 0x7000'0000'6000,
          .default_queue = 0x7000'0000'7000,
          .completion_action = 0x7000'0000'8000,
          .multigrid_sync = 0x7000'0000'9000,
          .heap = 0x7000'0000'a000,
          .local_aperture = 0x1234'0000,
          .scratch_aperture = 0x5678'0000};
}

// The model: the spelling of a hidden kind -> its value, for the range and environment above, `dynamic` bytes of LDS.
std::uint64_t model(std::string_view kind, std::uint64_t dynamic) {
  static const std::map<std::string_view, std::uint64_t> kValues{{"hidden_global_offset_x", 3},
                                                                 {"hidden_global_offset_y", 4},
                                                                 {"hidden_global_offset_z", 5},
                                                                 {"hidden_printf_buffer", 0x7000'0000'5000},
                                                                 {"hidden_hostcall_buffer", 0x7000'0000'6000},
                                                                 {"hidden_default_queue", 0x7000'0000'7000},
                                                                 {"hidden_completion_action", 0x7000'0000'8000},
                                                                 {"hidden_multigrid_sync_arg", 0x7000'0000'9000},
                                                                 {"hidden_block_count_x", 1},
                                                                 {"hidden_block_count_y", 3},
                                                                 {"hidden_block_count_z", 2},
                                                                 {"hidden_group_size_x", 64},
                                                                 {"hidden_group_size_y", 2},
                                                                 {"hidden_group_size_z", 2},
                                                                 {"hidden_remainder_x", 36},
                                                                 {"hidden_remainder_y", 1},
                                                                 {"hidden_remainder_z", 1},
                                                                 {"hidden_grid_dims", 3},
                                                                 {"hidden_heap_v1", 0x7000'0000'a000},
                                                                 {"hidden_private_base", 0x5678'0000},
                                                                 {"hidden_shared_base", 0x1234'0000},
                                                                 {"hidden_queue_ptr", 0x7000'0000'4000}};
  return kind == "hidden_dynamic_lds_size" ? dynamic : kValues.at(kind);
}

// Checks every hidden argument of the metadata against the model.
void expect_hidden(const hsa::MetadataKernel& metadata, std::span<const std::byte> segment, std::uint64_t dynamic,
                   std::byte fill) {
  for (const hsa::MetadataArgument& argument : metadata.args) {
    const std::string_view kind = hsa::spelling(*argument.value_kind);
    if (!kind.starts_with("hidden_")) continue;
    ASSERT_LE(*argument.offset + *argument.size, segment.size()) << kind;
    if (kind == "hidden_none") {
      for (std::uint64_t i = 0; i < *argument.size; ++i) EXPECT_EQ(segment[*argument.offset + i], fill);
      continue;
    }
    EXPECT_EQ(number(segment, *argument.offset, std::min<std::uint64_t>(*argument.size, 8)), model(kind, dynamic))
        << kind << " at " << *argument.offset;
  }
}

void expect_packet(std::span<const std::byte> packet, std::uint64_t lds, std::uint64_t scratch) {
  ASSERT_EQ(packet.size(), 64u);
  EXPECT_EQ(number(packet, 0, 2), 0x0d02u);
  EXPECT_EQ(number(packet, 2, 2), 3u);
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_EQ(number(packet, 4 + 2 * d, 2), kLocal[d]);
    EXPECT_EQ(number(packet, 12 + 4 * d, 4), kGlobal[d]);
  }
  EXPECT_EQ(number(packet, 24, 4), scratch);
  EXPECT_EQ(number(packet, 28, 4), lds);
  EXPECT_EQ(number(packet, 32, 8), 0x7000'0000'2040u);
  EXPECT_EQ(number(packet, 40, 8), 0x7000'0000'1000u);
  EXPECT_EQ(number(packet, 48, 8), 0u);
  EXPECT_EQ(number(packet, 56, 8), 0x7000'0000'3000u);
}

// One argument of every explicit kind, then every hidden kind that the version has.
hsa::MetadataKernel every_argument(hsa::CodeObjectVersion version) {
  using hsa::ValueKind;
  hsa::MetadataKernel out = samples::kernel("every");
  std::uint64_t at = 0;
  const auto add = [&](std::string name, ValueKind kind, std::uint64_t size) {
    at = (at + size - 1) / size * size;
    out.args.push_back(samples::argument(std::move(name), kind, at, size));
    at += size;
  };
  add("buffer", ValueKind::GlobalBuffer, 8);
  add("local", ValueKind::DynamicSharedPointer, 4);
  out.args.back().pointee_align = 64;
  add("n", ValueKind::ByValue, 4);
  add("image", ValueKind::Image, 8);
  add("sampler", ValueKind::Sampler, 8);
  add("pipe", ValueKind::Pipe, 8);
  add("queue", ValueKind::Queue, 8);
  for (const hsa::ValueKindInfo& info : hsa::all_value_kinds())
    if (info.hidden && info.since <= version) add("", info.kind, info.size == 0 ? 8 : info.size);
  out.kernarg_segment_size = at + 5;
  out.kernarg_segment_align = 64;
  out.group_segment_fixed_size = 100;
  out.private_segment_fixed_size = 24;
  return out;
}

// Sets each argument of `every_argument` by its kind.
bool set_all(abi::KernargImage& image, Diagnostics& findings) {
  constexpr std::uint32_t kNumber = 0x01020304;
  bool good = image.set_range(range(), findings) && image.set_environment(environment(), findings);
  for (const std::size_t index : image.host_arguments()) {
    const ArgumentKind& kind = image.kernel().arguments[index].kind;
    if (const auto* value = std::get_if<ByValue>(&kind); value != nullptr && value->elements == 4)
      good &= image.set_bytes(index, std::as_bytes(std::span(&kNumber, 1)), findings);
    else if (value != nullptr)
      good &= image.set_bytes(index, Bytes(value->elements, std::byte{0x5a}), findings);
    else if (std::holds_alternative<LocalPointer>(kind))
      good &= image.set_local(index, 40, findings);
    else
      good &= image.set_address(index, 0x10'0000 + 0x1000 * index, 0, findings);
  }
  return good;
}

TEST(KernargLaunch, FillsEveryArgumentOfEveryVersion) {
  for (const hsa::VersionInfo& version : hsa::all_code_object_versions()) {
    const hsa::MetadataKernel metadata = every_argument(version.version);
    Diagnostics findings;
    auto image = abi::KernargImage::create(hsa::to_kernel(metadata, version.version), findings, {.fill = kFill});
    ASSERT_TRUE(image) << errors(findings);
    ASSERT_TRUE(set_all(*image, findings) && image->build(findings)) << version.name << errors(findings);
    const auto segment = image->segment();
    ASSERT_EQ(segment.size(), *metadata.kernarg_segment_size);
    EXPECT_EQ(image->memory_align(), 64u);
    EXPECT_EQ(number(segment, 0, 8), 0x10'0000u) << version.name;
    EXPECT_EQ(number(segment, 8, 4), 128u) << "behind 100 static bytes, on 64";
    EXPECT_EQ(number(segment, 12, 4), 0x01020304u);
    for (std::size_t i = 3; i < 7; ++i) EXPECT_EQ(number(segment, 16 + 8 * (i - 3), 8), 0x10'0000 + 0x1000 * i);
    EXPECT_EQ(image->local_bytes(), 168u);
    expect_hidden(metadata, segment, 68, kFill);
    for (std::size_t i = segment.size() - 5; i < segment.size(); ++i) EXPECT_EQ(segment[i], kFill) << "no argument's";
    expect_packet(image->packet(), 168, 24);
    EXPECT_EQ(image->packet_header(), 0x0003'0d02u);
    EXPECT_EQ(image->host_arguments().size(), 7u);
    EXPECT_EQ(image->required(), 7u);
  }
}

TEST(KernargLaunch, RowsOfTheMapAreDisjointAndInsideAndNameASource) {
  for (const hsa::VersionInfo& version : hsa::all_code_object_versions()) {
    Diagnostics findings;
    auto image = abi::KernargImage::create(hsa::to_kernel(every_argument(version.version), version.version), findings);
    ASSERT_TRUE(image && set_all(*image, findings));
    const auto before = image->map();
    ASSERT_TRUE(image->build(findings));
    const auto after = image->map();
    ASSERT_EQ(before.size(), after.size());
    std::vector<bool> covered(image->memory().size());
    for (const abi::MapEntry& entry : after) {
      ASSERT_LE(std::uint64_t{entry.offset} + entry.size, covered.size()) << entry.name;
      for (std::uint32_t i = 0; i < entry.size; ++i) {
        EXPECT_FALSE(covered[entry.offset + i]) << entry.name << " covers what another row covers";
        covered[entry.offset + i] = true;
      }
      EXPECT_FALSE(entry.name.empty() || entry.what.empty() || entry.source.empty()) << entry.offset;
    }
    for (std::size_t i = 0; i < covered.size(); ++i) EXPECT_TRUE(covered[i] || image->memory()[i] == std::byte{0}) << i;
  }
}

// A kernel as an in-place conversion of 32-bit code leaves it.
hsa::MetadataKernel in_place_kernel() {
  using hsa::ValueKind;
  hsa::MetadataKernel out = samples::kernel("scale");
  out.args = {samples::argument("out", ValueKind::GlobalBuffer, 0, 8),
              samples::argument("factor", ValueKind::ByValue, 16, 4),
              samples::argument("amdcompat.cb0", ValueKind::ByValue, 32, 160),
              samples::argument("amdcompat.uavs", ValueKind::ByValue, 192, 64),
              samples::argument("amdcompat.data", ValueKind::GlobalBuffer, 256, 8),
              samples::argument("amdcompat.printf", ValueKind::GlobalBuffer, 264, 8),
              samples::argument("amdcompat.constants2", ValueKind::GlobalBuffer, 272, 8)};
  out.args[2].type_name = "amdcompat_cb0_32";
  out.kernarg_segment_size = 288;
  return out;
}

TEST(KernargLaunch, TrailingArgumentsOfAnInPlaceConversionAreFilled) {
  Diagnostics findings;
  auto image = abi::KernargImage::create(hsa::to_kernel(in_place_kernel(), hsa::CodeObjectVersion::V3), findings);
  ASSERT_TRUE(image) << errors(findings);
  EXPECT_EQ(image->host_arguments().size(), 7u);
  EXPECT_EQ(image->required(), 2u);
  const std::uint32_t factor = 3;
  const auto set = [&](std::uint64_t out) {
    return image->set_range(range(), findings) && image->set_address(0, out, 4096, findings) &&
           image->set_bytes(1, std::as_bytes(std::span(&factor, 1)), findings) &&
           image->set_printf(abi::PrintfBuffer{0x7'0000'2000, 0, 64, 0}, findings) &&
           image->set_data_segment(abi::Buffer{0x7'0000'3000, 0, 0}, findings) &&
           image->set_constant_data(2, {0x7'0000'4000, 0, 0}, findings);
  };
  ASSERT_TRUE(set(0x7'0000'1000) && image->build(findings)) << errors(findings);
  const auto segment = image->segment();
  EXPECT_EQ(number(segment, 0, 8), 0x7'0000'1000u);
  EXPECT_EQ(number(segment, 16, 4), 3u);
  EXPECT_EQ(number(segment, 256, 8), 0x7'0000'3000u);
  EXPECT_EQ(number(segment, 264, 8), 0x7'0000'2000u);
  EXPECT_EQ(number(segment, 272, 8), 0x7'0000'4000u);
  for (const std::uint64_t entry : {192u, 224u}) {  // a descriptor whose base is the upper half of every address
    EXPECT_EQ(number(segment, entry, 8), 0x7'0000'0000u);
    EXPECT_EQ(number(segment, entry + 8, 4), 0xffff'ffffu);
    EXPECT_EQ(number(segment, entry + 12, 4), 0x0002'7facu);
  }
  // Constant buffer 0 is that of a CL1 kernel with the same launch.
  Kernel old;
  old.name = "scale";
  old.needs_data_segment = old.uses_printf = true;
  auto legacy = abi::LaunchImage::create(old, findings);
  ASSERT_TRUE(legacy && legacy->set_range(range(), findings) &&
              legacy->set_data_segment(abi::Buffer{0x7'0000'3000, 0x7'0000'0000, 0}, findings) &&
              legacy->set_printf(abi::PrintfBuffer{0x7'0000'2000, 0x7'0000'0000, 64, 0}, findings) &&
              legacy->build(findings));
  EXPECT_TRUE(std::ranges::equal(segment.subspan(32, abi::kCb0Bytes), legacy->cb0()));

  // A table with one upper half cannot serve two ranges; the caller's own can.
  findings = Diagnostics();
  ASSERT_TRUE(set(0x8'0000'1000));
  ASSERT_FALSE(image->build(findings));
  ASSERT_FALSE(findings.all().empty());
  EXPECT_EQ(findings.all().back().code, Code::InPlaceKernarg);
  ASSERT_TRUE(image->set_bytes(3, Bytes(64, std::byte{0x77}), findings) && image->build(findings));
  EXPECT_EQ(number(image->segment(), 192, 8), 0x7777'7777'7777'7777u);
  EXPECT_EQ(number(image->segment(), 0, 8), 0x8'0000'1000u);
}

TEST(KernargLaunch, ImagesAndSamplersArePlacedAsTheTargetsDescriptors) {
  const std::size_t image_argument = 3, sampler_argument = 4;
  hsa::MetadataKernel metadata = every_argument(hsa::CodeObjectVersion::V3);
  metadata.args[image_argument].type_name = "image3d_t";
  const abi::ImageValue picture{
      .width = 7, .height = 5, .depth = 3, .channel_order = 0x10b5, .channel_type = 0x10da, .address = 0x12'3456'7800};
  const std::uint32_t word = 0x15;
  for (const char* device : {"gfx700", "gfx803", "gfx900"}) {
    SCOPED_TRACE(device);
    const auto form = device == std::string_view("gfx900") ? abi::ImageForm::Gfx9 : abi::ImageForm::Gfx6;
    Kernel kernel = hsa::to_kernel(metadata, hsa::CodeObjectVersion::V3);
    kernel.device = device;
    Diagnostics findings;
    auto image = abi::KernargImage::create(kernel, findings);
    ASSERT_TRUE(image && set_all(*image, findings));
    ASSERT_TRUE(image->set_image(image_argument, picture, findings) &&
                image->set_sampler(sampler_argument, word, findings) && image->build(findings))
        << findings.all().front().message;
    const std::uint64_t objects = image->environment().memory + image->block_bytes() + abi::kPacketBytes;
    const auto at = [&](std::size_t argument) {
      return number(image->segment(), kernel.arguments[argument].in_kernarg()->offset, 8) - objects;
    };
    const auto wanted = abi::image_object(picture, ImageDim::D3, form);
    ASSERT_TRUE(wanted);
    EXPECT_TRUE(std::ranges::equal(image->objects().subspan(at(image_argument), wanted->size()), *wanted));
    EXPECT_TRUE(std::ranges::equal(image->objects().subspan(at(sampler_argument), 32), abi::sampler_object(word)));
    const auto map = image->map();
    EXPECT_TRUE(std::ranges::any_of(map, [&](const abi::MapEntry& row) {
      return row.buffer == static_cast<std::uint32_t>(abi::KernargPart::Objects) && row.argument == image_argument;
    }));
    // Bytes of the caller's, and an address of the caller's.
    ASSERT_TRUE(image->set_object(sampler_argument, Bytes(32, std::byte{9}), findings) &&
                image->set_address(image_argument, 0x5000, 48, findings) && image->build(findings));
    EXPECT_EQ(image->objects()[at(sampler_argument)], std::byte{9});
    EXPECT_EQ(at(image_argument) + objects, 0x5000u);
    EXPECT_EQ(findings.count(Severity::Error), 0u);
    EXPECT_FALSE(image->set_object(image_argument, Bytes(32), findings));
    EXPECT_FALSE(image->set_image(sampler_argument, picture, findings));
    EXPECT_FALSE(image->set_sampler(image_argument, word, findings));
    EXPECT_FALSE(image->build(findings));
  }
  for (const char* device : {"gfx1030", ""}) {
    Kernel kernel = hsa::to_kernel(metadata, hsa::CodeObjectVersion::V3);
    kernel.device = device;
    Diagnostics findings;
    auto image = abi::KernargImage::create(kernel, findings);
    ASSERT_TRUE(image);
    EXPECT_FALSE(image->set_image(image_argument, picture, findings));
    EXPECT_FALSE(image->set_sampler(sampler_argument, word, findings));
    ASSERT_EQ(findings.all().size(), 2u);
    for (const Diagnostic& found : findings.all()) EXPECT_EQ(found.code, Code::LaunchObjectUnknown);
  }
}

TEST(KernargLaunch, RegistersHoldWhatTheEnvironmentSays) {
  using Row = std::tuple<std::uint32_t, std::uint32_t, bool, std::uint64_t>;  // first, count, known, first two words
  const auto rows_of = [](const EntryState& entry, const abi::KernargEnvironment& where) {
    Kernel kernel = hsa::to_kernel(every_argument(hsa::CodeObjectVersion::V5), hsa::CodeObjectVersion::V5);
    kernel.entry = entry;
    Diagnostics findings;
    auto image = abi::KernargImage::create(kernel, findings);
    EXPECT_TRUE(image && image->set_environment(where, findings));
    std::vector<Row> out;
    for (const abi::UserRegisterValue& row : image->user_registers())
      out.emplace_back(row.first, row.count, row.known, row.words[0] | std::uint64_t{row.words[1]} << 32);
    return std::pair(out, image->environment().memory + image->block_bytes());
  };
  hsa::KernelDescriptor descriptor;
  descriptor.properties = 0x7f | 1u << 10;  // all that a descriptor names, and wavefronts of 32
  const auto [rows, packet] = rows_of(descriptor, environment());
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[0], Row(0, 4, false, 0));  // scratch memory
  EXPECT_EQ(rows[1], Row(4, 2, true, packet));
  EXPECT_EQ(rows[2], Row(6, 2, true, 0x7000'0000'4000));
  EXPECT_EQ(rows[3], Row(8, 2, true, 0x7000'0000'1000));
  EXPECT_EQ(rows[4], Row(10, 2, false, 0));  // dispatch id
  EXPECT_EQ(rows[5], Row(12, 2, false, 0));  // flat scratch
  EXPECT_EQ(std::get<0>(rows[6]), 14u);
  // V1 and V2 say it in `amd_kernel_code_t`. A queue that is not given is not known.
  KernelCode setup;
  setup.user_registers = kSgprQueuePtr | kSgprKernargPtr;
  EXPECT_EQ(rows_of(setup, {.memory = 0x1000, .kernel_object = 0x2000}).first,
            (std::vector<Row>{{0, 2, false, 0}, {2, 2, true, 0x1000}}));
  EXPECT_TRUE(rows_of({}, environment()).first.empty());
}

TEST(KernargLaunch, NamesOfTrailingArgumentsReadBack) {
  for (const abi::TrailingKind kind :
       {abi::TrailingKind::ConstantBuffer0, abi::TrailingKind::UavTable, abi::TrailingKind::Data,
        abi::TrailingKind::Printf, abi::TrailingKind::Constants}) {
    const auto read = abi::trailing_argument(abi::trailing_name({kind, 7}));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->kind, kind);
    EXPECT_EQ(read->number, kind == abi::TrailingKind::Constants ? 7u : 0u);
  }
  for (const char* name : {"amdcompat.cb01", "amdcompat.constants", "amdcompat.constants2x", "amdcompat", "out", ""})
    EXPECT_FALSE(abi::trailing_argument(name)) << name;
  for (const AddressBits bits : {AddressBits::Bits32, AddressBits::Bits64})
    EXPECT_EQ(abi::cb0_bits(abi::cb0_type_name(bits)), bits);
  EXPECT_FALSE(abi::cb0_bits("float"));
}

struct Refusal {
  const char* what;
  Code code;
  void (*change)(hsa::MetadataKernel&);
};

TEST(KernargLaunch, KernelsThatCannotBeLaunchedAreRefused) {
  const Refusal refusals[] = {
      {"no list of arguments", Code::LaunchKernelIncomplete,
       [](hsa::MetadataKernel& k) {
         k.args.clear();
         k.args_absent = true;
       }},
      {"an argument of no kind", Code::LaunchKernelIncomplete,
       [](hsa::MetadataKernel& k) { k.args[0].value_kind = {}; }},
      {"an argument without a place", Code::LaunchKernelIncomplete,
       [](hsa::MetadataKernel& k) { k.args[0].offset = {}; }},
      {"an argument outside", Code::LaunchBlockBroken, [](hsa::MetadataKernel& k) { k.kernarg_segment_size = 20; }},
      {"a place that wraps", Code::LaunchBlockBroken,
       [](hsa::MetadataKernel& k) { k.args[0].offset = ~std::uint64_t{0}; }},
      {"arguments that overlap", Code::LaunchBlockBroken, [](hsa::MetadataKernel& k) { k.args[1].offset = 4; }},
      {"a huge segment", Code::LaunchBlockBroken,
       [](hsa::MetadataKernel& k) { k.kernarg_segment_size = std::uint64_t{1} << 40; }},
      {"a constant buffer 0 of no ABI", Code::InPlaceKernarg,
       [](hsa::MetadataKernel& k) { k = in_place_kernel(), k.args[2].type_name = "char"; }},
  };
  for (const Refusal& refusal : refusals) {
    hsa::MetadataKernel metadata = every_argument(hsa::CodeObjectVersion::V3);
    refusal.change(metadata);
    Diagnostics findings;
    const Kernel kernel = hsa::to_kernel(metadata, hsa::CodeObjectVersion::V3);
    ASSERT_FALSE(abi::KernargImage::create(kernel, findings)) << refusal.what;
    test::expect_names(kernel, findings);
    ASSERT_EQ(findings.all().size(), 1u) << refusal.what;
    EXPECT_EQ(findings.all().front().code, refusal.code) << refusal.what;
  }
  // Each image refuses the kernels of the other two.
  Diagnostics findings;
  const Kernel kernel = hsa::to_kernel(every_argument(hsa::CodeObjectVersion::V5), hsa::CodeObjectVersion::V5);
  EXPECT_FALSE(abi::LaunchImage::create(kernel, findings));
  EXPECT_FALSE(abi::Cl2LaunchImage::create(kernel, findings));
  EXPECT_FALSE(abi::KernargImage::create(Kernel{}, findings));
  ASSERT_EQ(findings.all().size(), 3u);
  for (const Diagnostic& found : findings.all()) EXPECT_EQ(found.code, Code::LaunchOtherAbi);
}

TEST(KernargLaunch, WrongValuesAreRefusedAndKeepTheMemoryAsItWas) {
  const Kernel kernel = hsa::to_kernel(every_argument(hsa::CodeObjectVersion::V5), hsa::CodeObjectVersion::V5);
  const struct {
    const char* what;
    Code code;
    bool (*set)(abi::KernargImage&, Diagnostics&);
  } wrong[] = {
      {"too many bytes", Code::LaunchWrongSize, [](auto& i, auto& d) { return i.set_bytes(2, Bytes(5), d); }},
      {"bytes for a pointer", Code::LaunchWrongKind, [](auto& i, auto& d) { return i.set_bytes(0, Bytes(8), d); }},
      {"an address for a value", Code::LaunchWrongKind, [](auto& i, auto& d) { return i.set_address(2, 4, 0, d); }},
      {"a value for a hidden one", Code::LaunchWrongKind, [](auto& i, auto& d) { return i.set_bytes(7, Bytes(8), d); }},
      {"an address past 57 bits", Code::LaunchAddressTooLarge,
       [](auto& i, auto& d) { return i.set_address(0, std::uint64_t{1} << 57, 0, d); }},
      {"no local memory", Code::LaunchLocalSizeZero, [](auto& i, auto& d) { return i.set_local(1, 0, d); }},
      {"too much local memory", Code::LaunchLocalMemory,
       [](auto& i, auto& d) { return i.set_local(1, 1u << 20, d) && i.build(d); }},
      {"no such argument", Code::LaunchNoSuchArgument, [](auto& i, auto& d) { return i.set_null(99, d); }},
      {"a part of a range", Code::LaunchSplitUnsupported,
       [](auto& i, auto& d) { return i.set_range({.local = {{1, 1, 1}}, .split = abi::Split{}}, d); }},
      {"too large a group", Code::LaunchGroupTooLarge,
       [](auto& i, auto& d) { return i.set_range({.global = {512}, .local = {{512, 1, 1}}}, d); }},
      {"an unaligned segment", Code::LaunchAddressUnaligned,
       [](auto& i, auto& d) { return i.set_environment({.memory = 0x1001}, d); }},
  };
  for (const auto& c : wrong) {
    Diagnostics findings;
    auto image = abi::KernargImage::create(kernel, findings);
    ASSERT_TRUE(image && set_all(*image, findings) && image->build(findings)) << errors(findings);
    const Bytes before(image->memory().begin(), image->memory().end());
    Diagnostics found;
    EXPECT_FALSE(c.set(*image, found)) << c.what;
    ASSERT_FALSE(found.all().empty()) << c.what;
    EXPECT_EQ(found.all().front().code, c.code) << c.what;
    test::expect_names(kernel, found);
    EXPECT_TRUE(std::ranges::equal(image->memory(), before)) << c.what;
  }
  Diagnostics findings;
  auto image = abi::KernargImage::create(kernel, findings);
  ASSERT_TRUE(image);
  EXPECT_FALSE(image->build(findings));
  EXPECT_EQ(findings.all().size(), 8u) << "the range and seven arguments";
  test::expect_names(kernel, findings);
}

TEST(KernargLaunch, LocalMemoryIsLimitedByTheTargetOrTheCaller) {
  Kernel kernel = hsa::to_kernel(every_argument(hsa::CodeObjectVersion::V5), hsa::CodeObjectVersion::V5);
  kernel.segments = {};
  const auto largest = [&](std::string_view device, const abi::KernargOptions& options = {}) {
    kernel.device = device;
    std::uint64_t most = 0;
    for (const std::uint64_t bytes : {std::uint64_t{1'000}, std::uint64_t{32'768}, std::uint64_t{65'536},
                                      std::uint64_t{163'840}, std::uint64_t{200'000}}) {
      Diagnostics findings;
      auto image = abi::KernargImage::create(kernel, findings, options);
      if (image && set_all(*image, findings) && image->set_local(1, bytes, findings) && image->build(findings))
        most = image->local_bytes();
      else
        EXPECT_TRUE(findings.contains(Code::LaunchLocalMemory));
    }
    return most;
  };
  EXPECT_EQ(largest("gfx601"), 32'768u);
  EXPECT_EQ(largest("gfx906"), 65'536u);
  EXPECT_EQ(largest("gfx90a"), 65'536u);
  EXPECT_EQ(largest("gfx950"), 163'840u);
  EXPECT_EQ(largest("gfx1100"), 65'536u);
  EXPECT_EQ(largest("no target"), 65'536u);
  EXPECT_EQ(largest("gfx906", {.max_local_bytes = 1'000}), 1'000u);
}

// Every kernel of every real code object: the values of the model, no argument on another's bytes.
TEST(KernargLaunch, RealCodeObjectsAreFilledAsTheModelSays) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::size_t kernels = 0, files = 0;
  for (const amdcompat_test::RealFile& real : amdcompat_test::real_files("hsaco")) {
    Diagnostics opening;
    auto file = open(amdcompat_test::read_file(amdcompat_test::real_root() / "corpus" / real.path), opening);
    ASSERT_TRUE(file && file->object()) << real.path;
    ++files;
    ASSERT_EQ(file->program.kernels.size(), file->object()->metadata.kernels.size());
    for (std::size_t n = 0; n < file->program.kernels.size(); ++n) {
      const hsa::MetadataKernel& metadata = file->object()->metadata.kernels[n];
      Kernel kernel = file->program.kernels[n];
      if (metadata.args_absent) continue;
      kernel.limits.required_group_size = {};
      kernel.limits.max_group_size = 1024;
      Diagnostics findings;
      auto image = abi::KernargImage::create(kernel, findings, {.fill = kFill});
      ASSERT_TRUE(image) << real.path << " " << kernel.name << ": " << errors(findings);
      ASSERT_TRUE(set_all(*image, findings) && image->build(findings)) << real.path << " " << kernel.name << "\n"
                                                                       << errors(findings);
      expect_hidden(metadata, image->segment(), image->local_bytes() - metadata.group_segment_fixed_size.value_or(0),
                    kFill);
      expect_packet(image->packet(), image->local_bytes(), metadata.private_segment_fixed_size.value_or(0));
      std::vector<bool> covered(image->memory().size());
      for (const abi::MapEntry& entry : image->map())
        for (std::uint32_t i = 0; i < entry.size; ++i) {
          EXPECT_FALSE(covered[entry.offset + i]) << real.path << " " << entry.name;
          covered[entry.offset + i] = true;
        }
      ++kernels;
    }
  }
  EXPECT_GE(files, 45u);
  EXPECT_GE(kernels, 45u);
}

}  // namespace
}  // namespace amdcompat::kernarg_launch_test
