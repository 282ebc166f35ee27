// What a CL2 kernel reads when it is launched: its argument block, the AQL packet and the objects they point to.
//
// AMD's OpenCL 2.0 compilers pass arguments in one block of memory. Behind it AMD's runtime put the 64-byte AQL
// packet, whose address the kernel gets as «kernel setup» and which tells it the launch sizes. The block holds numbers
// and addresses; structs, images and samplers stand elsewhere and the block points to them. `Cl2LaunchImage` makes all
// of that as one piece of memory:
//
//   std::optional<abi::Cl2LaunchImage> image = abi::Cl2LaunchImage::create(kernel, diagnostics);
//   const std::size_t first = image->first_argument();
//   bool ok = image->set_environment({.memory = 0x200000, .kernel_object = 0x300000}, diagnostics)
//          && image->set_range({.dimensions = 1, .global = {1024}, .local = {{64}}}, diagnostics)
//          && image->set_address(first, 0x100000, 4096, diagnostics)
//          && image->set_bytes(first + 1, std::as_bytes(std::span(&n, 1)), diagnostics)
//          && image->build(diagnostics);
//   upload(image->memory());  // to 0x200000
//
//   memory():  argument block | AQL packet | copies of structs, image objects, sampler objects, queue words
//              0                block_bytes()
//
// A runtime that puts the packet into a queue copies its bytes 4 to 63 first and stores `packet_header()`, the first
// dword, last and atomically: it makes the packet valid. [AQL]
//
// CL1 kernels are launched with `LaunchImage` (launch_image.hpp); not a byte is the same. docs/cl2.md explains the
// block; keys such as [RT] are resolved in docs/sources.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/diagnostic.hpp>
#include <amdcompat/export.h>
#include <amdcompat/launch_image.hpp>
#include <amdcompat/program.hpp>

namespace amdcompat::abi {

// --- facts -------------------------------------------------------------------------------------------------

// One member of a structure that a kernel or the hardware reads.
struct ObjectField {
  std::uint32_t offset = 0;  // bytes
  std::uint32_t size = 0;    // bytes
  std::string_view name;
  std::string_view meaning;
  Evidence evidence = Evidence::Documented;
  std::string_view source;
};
// Each ascending by offset, disjoint, and without the bytes that are always 0.
[[nodiscard]] AMDCOMPAT_API std::span<const ObjectField> packet_fields();
[[nodiscard]] AMDCOMPAT_API std::span<const ObjectField> image_object_fields();
[[nodiscard]] AMDCOMPAT_API std::span<const ObjectField> sampler_object_fields();
[[nodiscard]] AMDCOMPAT_API std::span<const ObjectField> queue_fields();  // what kernels read of the queue they run on
inline constexpr std::uint32_t kPacketBytes = 64;
inline constexpr std::uint32_t kImageObjectBytes = 48;
inline constexpr std::uint32_t kSamplerObjectBytes = 32;
inline constexpr std::uint32_t kQueueBytes = 128;
// In the queue: apertures of local memory and, behind it, of scratch memory, 4 bytes each. [S2 amd_queue_t]
inline constexpr std::uint32_t kQueueApertures = 64;

// Header of the packet as AMD's runtime wrote it: a kernel dispatch (2) that waits for the packets before it (bit 8),
// acquires for the system (2 at bit 9) and releases for the device (1 at bit 11). [RT kDispatchPacketHeader]
inline constexpr std::uint16_t kDispatchHeader = 2u | 1u << 8 | 2u << 9 | 1u << 11;

// Channel numbers of image objects, which are not OpenCL's. [CLRX AmdCl2Abi; ELFH]
struct ObjectChannel {
  std::uint32_t value = 0;  // in the object
  std::uint32_t cl = 0;  // OpenCL's number
};
// Ascending by `value`, from 0 without gaps.
[[nodiscard]] AMDCOMPAT_API std::span<const ObjectChannel> object_channel_types();
[[nodiscard]] AMDCOMPAT_API std::span<const ObjectChannel> object_channel_orders();

// What the block gets of an argument, by kind.
[[nodiscard]] AMDCOMPAT_API std::span<const ArgumentRule> cl2_argument_rules();
// The rule for an argument; null for kinds that CL2 kernels cannot have.
[[nodiscard]] AMDCOMPAT_API const ArgumentRule* find_cl2_argument_rule(const Argument& argument);

// V# of scratch memory: swizzled, so that the elements of 64 work-items lie next to each other. `element_size`: 0 to 3
// for elements of 2 to 16 bytes (bits 1-2 of the setup's `features`). The bits are those of `descriptor_fields`; no
// legacy file or run shows this descriptor.
[[nodiscard]] AMDCOMPAT_API std::array<std::uint32_t, 4> scratch_descriptor(std::uint64_t base, std::uint32_t size,
                                                                            std::uint32_t element_size);

// The objects that arguments of images and samplers point to, as AMD's runtimes make them for kernels with an argument
// block and for those with a kernarg segment. No image object: as `image_descriptor`, or its format has no number in
// `object_channel_types` or `object_channel_orders`. `word`: see `sampler_fields`; its lowest six bits count.
[[nodiscard]] AMDCOMPAT_API std::optional<std::array<std::byte, kImageObjectBytes>>
image_object(const ImageValue& image, ImageDim dim, ImageForm form = ImageForm::Gfx6);
[[nodiscard]] AMDCOMPAT_API std::array<std::byte, kSamplerObjectBytes> sampler_object(std::uint32_t word);

// --- values ------------------------------------------------------------------------------------------------

struct Cl2LaunchOptions {
  std::uint32_t max_block_bytes = 65'536;  // of the argument block; real ones have up to 1,312 bytes
  std::uint32_t max_memory_bytes = 1u << 20;  // of all
  std::uint32_t max_local_bytes = 32'768;  // local memory a work-group may have
  std::uint16_t packet_header = kDispatchHeader;
};

// Where things are and what the launch runs on. Addresses have at most 48 bits, 32 in kernels with 32-bit addresses;
// 0 is «none».
struct Cl2Environment {
  std::uint64_t memory = 0;  // where `memory()` will lie, a multiple of `memory_align()`; 0: the block points
      // to its objects by their offsets
  std::uint64_t printf_buffer = 0;  // hidden argument
  std::uint64_t default_queue = 0;  // hidden argument: the device queue that enqueueing kernels use
  std::uint64_t aql_wrap = 0;  // hidden argument: AMD's parent wrap of enqueueing kernels
  std::uint64_t kernel_object = 0;  // of the kernel's setup in device memory, a multiple of 64
  std::uint64_t completion_signal = 0;  // AMD's OpenCL runtime used none
  std::uint64_t queue = 0;  // the queue the kernel runs on; 0: queue words of our own are placed in memory
  // Upper halves of the addresses at which FLAT instructions see local and scratch memory; for our own queue words.
  std::uint32_t local_aperture = 0;
  std::uint32_t scratch_aperture = 0;
  std::uint64_t scratch = 0;  // base of scratch memory
  std::uint32_t scratch_bytes = 0;  // of all of it
  std::uint32_t scratch_offset = 0;  // GFX7 and GFX8: from the hidden private base to `scratch`, a multiple of 256
  friend bool operator==(const Cl2Environment&, const Cl2Environment&) = default;
};

// A user register group that the kernel's setup enables, and what it holds.
struct UserRegisterValue {
  std::uint32_t first = 0;  // s[first]
  std::uint32_t count = 0;
  std::string_view name;
  std::string_view meaning;
  std::array<std::uint32_t, 4> words{};  // `count` of them
  bool known = true;  // false: only the hardware queue knows it, and the words are 0
  Evidence evidence = Evidence::Documented;
  std::string_view source;
};

// The parts of `memory()`; `MapEntry::buffer` of the image's map.
enum class Cl2Part : std::uint8_t { Block, Packet, Objects };
[[nodiscard]] AMDCOMPAT_API std::string_view cl2_part_name(Cl2Part part);

// --- the image ---------------------------------------------------------------------------------------------

// Builds the memory of one kernel, any number of times, under the same rules as `LaunchImage`: setters keep what they
// were given, a setter that returns false has reported an error and keeps `build` from succeeding until the value is
// set again, nothing allocates unless there is something to report. The kernel need not outlive it. One object must
// not be used by two threads at a time.
class AMDCOMPAT_API Cl2LaunchImage {
 public:
  // A moved-from image can only be assigned to or destroyed.
  Cl2LaunchImage(Cl2LaunchImage&& other) noexcept;
  Cl2LaunchImage& operator=(Cl2LaunchImage&& other) noexcept;
  ~Cl2LaunchImage();

  // Refused: kernels of other containers, incomplete ones, arguments that CL2 kernels cannot have, blocks over the
  // limits or with arguments that overlap.
  [[nodiscard]] static std::optional<Cl2LaunchImage> create(const Kernel& kernel, Diagnostics& diagnostics,
                                                            const Cl2LaunchOptions& options = {});

  bool set_environment(const Cl2Environment& value, Diagnostics& diagnostics);
  // Also the hidden global offsets. Parts of a range (`split`) are refused: a packet cannot say which group is first.
  bool set_range(const Range& range, Diagnostics& diagnostics);

  // `index` counts the kernel's arguments from 0, the hidden ones included; those come from range and environment.
  // By-value arguments: the host's bytes, vectors of three count as four. Structs too: the copy is placed in memory.
  bool set_bytes(std::size_t index, std::span<const std::byte> value, Diagnostics& diagnostics);
  // Pointers, pipes, queues; and structs, images and samplers whose bytes the caller placed: the block gets `address`.
  // `size` (0: not known) is only checked.
  bool set_address(std::size_t index, std::uint64_t address, std::uint64_t size, Diagnostics& diagnostics);
  bool set_null(std::size_t index, Diagnostics& diagnostics);  // pointers, pipes, queues
  bool set_local(std::size_t index, std::uint64_t bytes, Diagnostics& diagnostics);  // pointers to local memory
  // An object made of public hardware facts and placed in memory. Needs `address`; buffer images, depth formats and
  // GFX9 devices have no descriptor here, for them there is `set_object`.
  bool set_image(std::size_t index, const ImageValue& value, Diagnostics& diagnostics);
  bool set_sampler(std::size_t index, std::uint32_t word, Diagnostics& diagnostics);  // see `sampler_fields`
  // The bytes of an image (48) or sampler (32) object as the caller's driver makes them.
  bool set_object(std::size_t index, std::span<const std::byte> bytes, Diagnostics& diagnostics);

  // The first argument that is not hidden; the number of arguments when there is none.
  [[nodiscard]] std::size_t first_argument() const;
  // Index of an argument; the first one of that name.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

  // Brings the memory up to date. False (with findings) when something is missing or was refused; the memory then
  // keeps the bytes of the last successful build.
  bool build(Diagnostics& diagnostics);

  [[nodiscard]] std::span<const std::byte> memory() const;
  [[nodiscard]] std::span<const std::byte> block() const { return memory().first(block_bytes()); }
  [[nodiscard]] std::span<const std::byte> packet() const { return memory().subspan(block_bytes(), kPacketBytes); }
  // First dword of the packet: header and number of dimensions.
  [[nodiscard]] std::uint32_t packet_header() const;
  [[nodiscard]] std::uint32_t block_bytes() const;  // a multiple of 16
  [[nodiscard]] std::uint32_t memory_align() const;  // what `Cl2Environment::memory` needs
  // Bytes of `memory()` outside which the last build changed nothing.
  [[nodiscard]] ChangedBytes changed() const;

  // The rest is valid after a successful build.
  [[nodiscard]] std::uint64_t local_bytes() const;  // LDS of a work-group, in all
  [[nodiscard]] std::array<std::uint32_t, 3> local_size() const;
  // Empty when the container has no setup for the kernel.
  [[nodiscard]] std::vector<UserRegisterValue> user_registers() const;
  // Also useful before a build: then without values. Offsets count from the start of `memory()`.
  [[nodiscard]] std::vector<MapEntry> map() const;

  [[nodiscard]] const Kernel& kernel() const;
  [[nodiscard]] const Cl2LaunchOptions& options() const;
  [[nodiscard]] const Cl2Environment& environment() const;

 private:
  class Impl;
  explicit Cl2LaunchImage(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace amdcompat::abi
