// Random launches for a kernel of which only the signature is known: the same for both sides of a proof.
//
// Pointers get buffers of equal size, values small numbers, so that most kernels stay inside their buffers; a launch
// that does not is thrown away and another one is tried.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <amdcompat/emulate.hpp>
#include <amdcompat/launch_image.hpp>
#include <amdcompat/program.hpp>

#include "images.hpp"

namespace amdcompat::emulate {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// One launch: sizes, values and buffers; the same for both sides.
struct Trial {
  abi::Range range;
  struct Value {
    std::vector<std::byte> bytes;  // by-value arguments
    u64 address = 0;  // buffers and images
    u64 local = 0;
    std::optional<abi::ImageValue> image{};
    std::optional<u32> sampler{};  // its word
  };
  std::vector<Value> values;
  struct Buffer {
    u64 address;
    std::vector<std::byte> bytes;
    std::string name;
  };
  std::vector<Buffer> buffers;
  u64 data = 0;
  u64 printf = 0;
  u32 printf_dwords = 0;  // of a work-item's region in it; 0: it has none
  std::vector<std::pair<u32, u64>> constants;  // number, address
};
// The buffers of a trial, as both sides find them.
[[nodiscard]] Memory memory_of(const Trial& trial);

inline constexpr u64 kFirstBuffer = 0x1'2000'0000, kFirstLowBuffer = 0x2000'0000;

// `Any`: values that loops, sizes and shifts can live with. `Fitting`: every other launch has fewer dimensions than the
// kernel has ids for, and its integers are the sizes of the launch, as they are of matrices and images; with others,
// work-items race for buffers, which no two devices do in the same way.
enum class Values : std::uint8_t { Any, Fitting };

// Whether work-items have no others to race with: `InGroup`, none in their work-groups; `InLaunch`, none at all.
enum class Alone : std::uint8_t { No, InGroup, InLaunch };

// What launches before one asked for.
struct Manner {
  bool brief = false;  // numbers are 1 or 2: with others it did not end
  bool blank = false;  // memory that is not only read holds zeros, as hosts leave it: with others nothing was written
  Alone alone = Alone::No;  // of a kernel that allows it
  bool apart = false;  // no number is a global id in two dimensions: work-items raced for what they index by either
  bool deep = false;  // numbers are also multiples of the work-group's size: others reached too little
  // Two launches of three have one work-group: what local memory held that nothing had set made a difference, and it is
  // known for the first group alone.
  bool one_group = false;
};

class TrialMaker {
 public:
  // `data`: segments that the launch has to place. `rsrc2`: COMPUTE_PGM_RSRC2, for the number of dimensions. `first`:
  // the address of the first buffer.
  TrialMaker(const Kernel& kernel, std::span<const DataSegment> data, u32 rsrc2, std::uint32_t seed,
             u64 first = kFirstBuffer, Values values = Values::Any)
      : data_(data), kernel_(kernel), rsrc2_(rsrc2), first_(first), values_(values), random_(seed), odd_ones_(seed) {}

  // What the texels of images have to be, by argument; else they are of one kind in a launch, floats if `filtered`, or
  // that of another image.
  // `exact`: such that all devices read them as the same numbers.
  void set_texels(std::vector<Texels> texels, bool filtered, bool exact = false) {
    texels_ = std::move(texels);
    filtered_ = filtered;
    exact_texels_ = exact;
  }
  [[nodiscard]] Trial make(std::uint32_t attempt, Manner manner = {});
  [[nodiscard]] bool can_be_alone() const { return kernel_.limits.required_group_size[0] == 0; }
  // Of a kernel whose work-groups have a required size.
  [[nodiscard]] bool can_be_apart() const {
    return kernel_.limits.required_group_size[1] > 1 || kernel_.limits.required_group_size[2] > 1;
  }

 private:
  [[nodiscard]] u32 below(u32 n) { return static_cast<u32>(random_() % n); }
  [[nodiscard]] bool fits() const { return values_ == Values::Fitting && attempt_ % 2 == 0; }
  [[nodiscard]] abi::Range range();
  void place_printf(Trial& trial);
  [[nodiscard]] u32 number();
  [[nodiscard]] float real();
  [[nodiscard]] Trial::Value value(const Argument& argument, Trial& trial);
  [[nodiscard]] std::vector<std::byte> contents(const PointerInfo& pointer);
  [[nodiscard]] std::vector<std::byte> counter();
  [[nodiscard]] std::vector<std::byte> packets();
  [[nodiscard]] abi::ImageValue image(ImageDim dim, Texels texels);
  [[nodiscard]] std::vector<std::byte> contents(const ImageFormat& format, std::size_t bytes);
  [[nodiscard]] u32 sampler();
  [[nodiscard]] u64 place(Trial& trial, std::vector<std::byte> bytes, std::string name);

  std::span<const DataSegment> data_;
  const Kernel& kernel_;
  u32 rsrc2_;
  u64 first_;
  Values values_;
  std::vector<Texels> texels_;
  bool filtered_ = false, exact_texels_ = false;
  Manner manner_;
  std::mt19937 random_;
  std::mt19937 odd_ones_;  // for numbers that are other ones in some launches
  std::uint32_t attempt_ = 0;
  u64 next_ = 0;
  u64 groups_ = 1;
  u32 local_ = 1;
  std::array<u64, 3> global_{1, 1, 1};
  u32 dimensions_ = 1;
  u32 integers_ = 0;  // that the trial has so far
};

}  // namespace amdcompat::emulate
