// Whatever the signature and values: what goes in comes out where the metadata says.
#include <algorithm>

#include <rapidcheck.h>

#include <amdcompat/printf.hpp>

#include "kernels.hpp"

namespace amdcompat::properties_test {
namespace {

using namespace test;

// Of the argument at `index`, so that pointers have numbers of their own: those with one number need one base.
ArgumentKind any_kind(std::size_t index) {
  const auto type = *rc::gen::element(ScalarType::I8, ScalarType::U16, ScalarType::I32, ScalarType::U64,
                                      ScalarType::Half, ScalarType::Float, ScalarType::Double, ScalarType::I1);
  switch (*rc::gen::inRange(0, 9)) {
    case 0: return ByValue{*rc::gen::element(ScalarType::Struct, ScalarType::Union), *rc::gen::inRange(1u, 200u)};
    case 1: return global_pointer(static_cast<std::uint32_t>(12 + index), 1u << *rc::gen::inRange(0, 8));
    case 2: return constant_buffer_pointer(*rc::gen::inRange(2u, 16u));
    case 3: return local_pointer(1u << *rc::gen::inRange(0, 5));
    case 4:
      return Image{*rc::gen::element(ImageDim::D1, ImageDim::D2, ImageDim::D3, ImageDim::D2Array),
                   *rc::gen::element(Access::ReadOnly, Access::WriteOnly), 1};
    case 5: return Sampler{*rc::gen::inRange(0u, 16u)};
    case 6: return Counter{32, *rc::gen::inRange(0u, 8u)};
    default: return ByValue{type, *rc::gen::element(1u, 2u, 3u, 4u, 8u, 16u)};
  }
}

std::vector<Argument> any_signature() {
  std::vector<Argument> out;
  const auto count = *rc::gen::inRange<std::size_t>(0, 24);
  for (std::size_t i = 0; i < count; ++i) out.push_back(argument("a" + std::to_string(i), any_kind(i), 0));
  return out;
}

// Sets an argument to a random value; returns the bytes expected at its offset (of the first copy, if spread).
std::vector<std::byte> set_any(abi::LaunchImage& image, std::size_t index, Diagnostics& findings) {
  const Kernel& k = image.kernel();
  const std::size_t word = k.address_bits == AddressBits::Bits64 ? 8 : 4;
  const auto pack = [](std::uint64_t value, std::size_t size) {
    std::vector<std::byte> out;
    for (std::size_t i = 0; i < size; ++i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
    return out;
  };
  const ArgumentKind& kind = k.arguments[index].kind;
  if (const auto* value = std::get_if<ByValue>(&kind)) {
    const std::size_t size = *abi::host_bytes(*value);
    const auto raw = *rc::gen::container<std::vector<std::uint8_t>>(size, rc::gen::arbitrary<std::uint8_t>());
    std::vector<std::byte> bytes(size);
    std::ranges::transform(raw, bytes.begin(), [](std::uint8_t b) { return std::byte{b}; });
    RC_ASSERT(image.set_bytes(index, bytes, findings));
    if (value->type == ScalarType::I1)
      for (std::size_t i = 0; i < size; ++i) bytes[i] &= i % 4 == 0 ? std::byte{1} : std::byte{0};
    return bytes;
  }
  if (std::holds_alternative<GlobalPointer>(kind)) {
    const std::uint64_t base = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 40) * 256;
    const std::uint64_t distance = *rc::gen::inRange<std::uint64_t>(0, 1 << 23) * 256;
    RC_ASSERT(image.set_buffer(index, {.address = base + distance, .base = base, .size = 64}, findings));
    return pack(distance, word);
  }
  if (std::holds_alternative<ConstantPointer>(kind)) {
    RC_ASSERT(image.set_buffer(index, {.address = 0x4000, .base = 0, .size = 64}, findings));
    return pack(1, word);
  }
  if (std::holds_alternative<LocalPointer>(kind)) {
    RC_ASSERT(image.set_local(index, *rc::gen::inRange<std::uint64_t>(1, 1000), findings));
    return {};
  }
  if (std::holds_alternative<Image>(kind)) {
    const auto width = *rc::gen::inRange(1u, 16384u);
    RC_ASSERT(image.set_image(
        index, {.width = width, .height = 1, .depth = 1, .channel_order = 0x10b5, .channel_type = 0x10d2}, findings));
    return pack(width, 4);
  }
  if (std::holds_alternative<Sampler>(kind)) {
    RC_ASSERT(image.set_sampler(index, 0x21, findings));
    return pack(0x21, 4);
  }
  RC_ASSERT(image.set_null(index, findings));
  return {};
}

// Bytes of an argument read back from CB1, in the order the host gave them.
std::vector<std::byte> unpack(const abi::LaunchImage& image, std::size_t index, std::size_t size) {
  const Argument& a = image.kernel().arguments[index];
  std::size_t piece = size;
  if (const auto* value = std::get_if<ByValue>(&a.kind)) {
    const std::uint32_t lane = value->type == ScalarType::I1 ? 4 : scalar_size(value->type);
    if (lane != 0 && lane < 4 && value->elements > 4) piece = 4 * lane;
  }
  std::vector<std::byte> out;
  for (std::size_t i = 0; out.size() < size; ++i) {
    const auto part = image.cb1().subspan(std::get<ConstantBufferSlot>(a.slot).offset + 16 * i, piece);
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

bool spills(const Argument& a) {
  const auto* value = std::get_if<ByValue>(&a.kind);
  return value != nullptr && value->elements == 3 && scalar_size(value->type) == 8;
}

TEST(LaunchProperties, AnySignatureThatTheAssignerLaysOutPacksAndUnpacks) {
  EXPECT_TRUE(rc::check([] {
    const auto bits = *rc::gen::element(AddressBits::Bits32, AddressBits::Bits64);
    const Kernel k = kernel(any_signature(), bits);
    Diagnostics findings;
    abi::LaunchImage image = make_image(k, findings);
    RC_ASSERT(image.set_range({}, findings));
    // Several launches with one object: only the last values count.
    const auto launches = *rc::gen::inRange(1, 4);
    std::vector<std::vector<std::byte>> given(k.arguments.size());
    for (int launch = 0; launch < launches; ++launch) {
      for (std::size_t i = 0; i < k.arguments.size(); ++i)
        if (launch == 0 || *rc::gen::arbitrary<bool>()) given[i] = set_any(image, i, findings);
      RC_ASSERT(image.build(findings));
    }
    RC_ASSERT(!findings.has_errors());
    RC_ASSERT(!findings.contains(Code::LaunchArgumentsOverlap));
    RC_ASSERT(image.cb1().size() % 16 == 0);
    for (std::size_t i = 0; i < k.arguments.size(); ++i) {
      if (given[i].empty()) continue;
      std::size_t size = given[i].size();
      if (spills(k.arguments[i]) && i + 1 < k.arguments.size()) {
        RC_ASSERT(findings.contains(Code::LaunchVec3Spills));
        size = 16;
      }
      const auto back = unpack(image, i, size);
      RC_ASSERT(std::equal(back.begin(), back.end(), given[i].begin()));
    }
  }));
}

TEST(LaunchProperties, AReusedImageEqualsAFreshOneWhateverTheMetadataOverlaps) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Argument> signature;
    const auto count = *rc::gen::inRange<std::size_t>(1, 12);
    for (std::size_t i = 0; i < count; ++i)
      signature.push_back(argument("a" + std::to_string(i),
                                   ByValue{*rc::gen::element(ScalarType::U8, ScalarType::U32, ScalarType::I64),
                                           *rc::gen::element(1u, 3u, 8u, 16u)},
                                   *rc::gen::inRange(0u, 12u) * 16));
    Kernel k = kernel(signature);
    for (std::size_t i = 0; i < count; ++i)
      k.arguments[i].slot =
          ConstantBufferSlot{*rc::gen::inRange(1u, 3u), std::get<ConstantBufferSlot>(signature[i].slot).offset};
    const auto profile = *rc::gen::element(abi::ArgumentProfile::Amd, abi::ArgumentProfile::Safe);
    Diagnostics findings;
    abi::LaunchImage used = make_image(k, findings, {.arguments = profile});
    abi::LaunchImage fresh = make_image(k, findings, {.arguments = profile});
    RC_ASSERT(used.set_range({}, findings) && fresh.set_range({}, findings));
    std::vector<std::vector<std::byte>> last(count);
    for (std::size_t i = 0; i < count; ++i) last[i] = set_any(used, i, findings);
    RC_ASSERT(used.build(findings));
    for (auto changes = *rc::gen::inRange(0, 8); changes > 0; --changes) {
      const auto i = *rc::gen::inRange<std::size_t>(0, count);
      last[i] = set_any(used, i, findings);
      if (*rc::gen::arbitrary<bool>()) RC_ASSERT(used.build(findings));
    }
    RC_ASSERT(used.build(findings));
    for (std::size_t i = 0; i < count; ++i) RC_ASSERT(fresh.set_bytes(i, last[i], findings));
    RC_ASSERT(fresh.build(findings));
    for (const std::uint32_t number : {0u, 1u, 2u})
      RC_ASSERT(std::ranges::equal(used.buffer(number), fresh.buffer(number)));
  }));
}

TEST(LaunchProperties, SharedBytesAreReportedAndOnlyThose) {
  EXPECT_TRUE(rc::check([] {
    Kernel k = kernel(any_signature());
    for (Argument& a : k.arguments) std::get<ConstantBufferSlot>(a.slot).offset = *rc::gen::inRange(0u, 60u) * 16;
    Diagnostics findings;
    const abi::LaunchImage image = make_image(k, findings);
    bool shared = false;
    for (std::size_t i = 0; i < k.arguments.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const std::uint32_t a = std::get<ConstantBufferSlot>(k.arguments[i].slot).offset,
                            b = std::get<ConstantBufferSlot>(k.arguments[j].slot).offset;
        shared |= a < b + abi::slot_bytes(k.arguments[j]) && b < a + abi::slot_bytes(k.arguments[i]);
      }
    RC_ASSERT(findings.contains(Code::LaunchArgumentsOverlap) == shared);
  }));
}

TEST(LaunchProperties, TheChosenLocalSizeDividesTheRangeAndFitsTheKernel) {
  EXPECT_TRUE(rc::check([] {
    Kernel k = kernel();
    k.limits.max_group_size = *rc::gen::inRange(1u, 2000u);
    k.limits.one_wavefront = *rc::gen::arbitrary<bool>();
    abi::Range range;
    range.dimensions = *rc::gen::inRange(1u, 4u);
    for (std::uint32_t d = 0; d < range.dimensions; ++d) range.global[d] = *rc::gen::inRange<std::uint64_t>(1, 5000);
    const auto local = abi::choose_local_size(k, range);
    for (std::uint32_t d = 0; d < 3; ++d) RC_ASSERT(local[d] != 0 && range.global[d] % local[d] == 0);
    RC_ASSERT(local[0] * local[1] * local[2] <= max_flat_group_size(k));
    Diagnostics findings;
    abi::LaunchImage image = make_image(k, findings);
    RC_ASSERT(image.set_range(range, findings));
    RC_ASSERT(findings.all().empty());
  }));
}

TEST(PrintfProperties, AnyBytesDecodeWithoutReadingOutside) {
  EXPECT_TRUE(rc::check([] {
    std::vector<PrintfFormat> formats(*rc::gen::inRange<std::size_t>(0, 4));
    for (std::size_t i = 0; i < formats.size(); ++i) {
      formats[i].id = static_cast<std::uint32_t>(i);
      formats[i].sizes = *rc::gen::container<std::vector<std::uint32_t>>(
          rc::gen::element(0u, 1u, 2u, 3u, 4u, 8u, 16u, 32u, 64u, 0xffffffffu));
      formats[i].format = *rc::gen::container<std::string>(
          rc::gen::element('%', 'd', 's', 'f', 'v', '2', '3', '4', '1', '6', 'h', 'l', 'c', ' ', '.', '-', 'n', 'x'));
    }
    // Small numbers make records; exact-size heap memory makes a read outside visible to the sanitizers.
    const auto words = *rc::gen::container<std::vector<std::uint32_t>>(
        rc::gen::oneOf(rc::gen::inRange(0u, 5u), rc::gen::arbitrary<std::uint32_t>()));
    std::vector<std::byte> buffer(words.size() * 4);
    for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<std::byte>(words[i / 4] >> (8 * (i % 4)));
    Diagnostics findings;
    const abi::PrintfLimits limits{.record_bytes = 10'000, .total_bytes = 100'000};
    const auto dwords_per_item = *rc::gen::inRange(0u, 20u);
    for (const abi::PrintfRecord& record :
         abi::decode_legacy_printf(formats, buffer, {dwords_per_item, 0}, findings, limits))
      RC_ASSERT(record.offset + 4 <= buffer.size());
    for (const abi::PrintfRecord& record : abi::decode_hsa_printf(formats, buffer, findings, limits))
      RC_ASSERT(record.offset + 4 <= buffer.size());
  }));
}

}  // namespace
}  // namespace amdcompat::properties_test
