// What a code object's kernel reads when it is launched: its kernarg segment and the AQL packet.
//
// A loader of today puts arguments at the offsets that the metadata lists, with hidden arguments among them that the
// runtime fills from the sizes and addresses of the launch. `KernargImage` does that for any version of code objects,
// from the neutral model alone:
//
//   std::optional<abi::KernargImage> image = abi::KernargImage::create(kernel, diagnostics);
//   bool ok = image->set_environment({.memory = 0x200000, .kernel_object = 0x300000}, diagnostics)
//          && image->set_range({.dimensions = 1, .global = {1024}, .local = {{64}}}, diagnostics)
//          && image->set_address(0, 0x100000, 4096, diagnostics)
//          && image->set_bytes(1, std::as_bytes(std::span(&n, 1)), diagnostics)
//          && image->build(diagnostics);
//   upload(image->segment());  // to 0x200000
//
// Kernels that were converted in place (in_place.hpp) have trailing arguments that no runtime knows: the old constant
// buffer 0, the UAV table, and addresses of old data. They too are filled here, unless the caller gives them.
//
// CL1 kernels are launched with `LaunchImage` (launch_image.hpp), CL2 kernels with `Cl2LaunchImage` (cl2_launch.hpp).
// Keys such as [S1] are resolved in docs/sources.md.
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

#include <amdcompat/cl2_launch.hpp>
#include <amdcompat/diagnostic.hpp>
#include <amdcompat/export.h>
#include <amdcompat/launch_image.hpp>
#include <amdcompat/program.hpp>

namespace amdcompat::abi {

// --- facts -------------------------------------------------------------------------------------------------

// What a hidden argument gets.
struct HiddenRule {
  HiddenKind kind;
  std::uint8_t bytes;  // that runtimes write; 0: none
  std::string_view written;
  Evidence evidence;
  std::string_view source;
};
// The row of kind n is row n.
[[nodiscard]] AMDCOMPAT_API std::span<const HiddenRule> hidden_rules();

// What the kernarg segment gets of an argument, by kind.
[[nodiscard]] AMDCOMPAT_API std::span<const ArgumentRule> kernarg_argument_rules();
// The rule for an argument; null for kinds that code objects cannot have.
[[nodiscard]] AMDCOMPAT_API const ArgumentRule* find_kernarg_argument_rule(const Argument& argument);

// --- arguments of kernels that were converted in place -----------------------------------------------------

// What a trailing argument is; no runtime fills it.
enum class TrailingKind : std::uint8_t {
  ConstantBuffer0,
  UavTable,
  Data,  // address of the data segment; objects of earlier conversions have it
  Printf,  // address of the printf buffer
  Constants,  // address of the data of a constant buffer
};
struct TrailingArgument {
  TrailingKind kind = TrailingKind::ConstantBuffer0;
  std::uint32_t number = 0;  // Constants: of the constant buffer
};
// What an argument is by its name: "amdcompat.cb0", "amdcompat.constants2". Empty: an argument of the old kernel.
[[nodiscard]] AMDCOMPAT_API std::optional<TrailingArgument> trailing_argument(std::string_view name);
// And back.
[[nodiscard]] AMDCOMPAT_API std::string trailing_name(const TrailingArgument& argument);
// The type name of "amdcompat.cb0" says whose constant buffer 0 it is: dwords 32 to 39 differ.
[[nodiscard]] AMDCOMPAT_API std::string_view cb0_type_name(AddressBits bits);
[[nodiscard]] AMDCOMPAT_API std::optional<AddressBits> cb0_bits(std::string_view type_name);

// Base of a buffer's descriptor: what a 32-bit kernel cannot hold of its address.
[[nodiscard]] constexpr std::uint64_t in_place_base(std::uint64_t address, AddressBits bits) {
  return bits == AddressBits::Bits64 ? 0 : address & ~std::uint64_t{0xffffffff};
}
inline constexpr std::uint32_t kUavEntryBytes = 32;
// An entry of "amdcompat.uavs" for buffers with that base: a descriptor in the first four words. [RUN]
[[nodiscard]] AMDCOMPAT_API std::array<std::uint32_t, 8> uav_entry(std::uint64_t base);

// --- values ------------------------------------------------------------------------------------------------

struct KernargOptions {
  std::uint32_t max_segment_bytes = 1u << 20;  // of the kernarg segment; real ones have up to 304 bytes
  // Local memory a work-group may have. Absent: `local_memory_bytes` of the kernel's device; 65,536 where unknown.
  std::optional<std::uint32_t> max_local_bytes{};
  std::uint16_t packet_header = kDispatchHeader;
  // Bytes that no argument takes, and those of `hidden_none`: no runtime says what is there.
  std::byte fill{0};
};

// Where things are and what the launch runs on. 0 is «none».
struct KernargEnvironment {
  std::uint64_t memory = 0;  // where the segment will lie, a multiple of `memory_align()`
  std::uint64_t kernel_object = 0;  // address of the kernel's descriptor, a multiple of 64
  std::uint64_t completion_signal = 0;
  std::uint64_t queue = 0;  // the queue the kernel runs on
  // Addresses for hidden arguments.
  std::uint64_t printf_buffer = 0;
  std::uint64_t hostcall_buffer = 0;
  std::uint64_t default_queue = 0;  // the device queue that enqueueing kernels use
  std::uint64_t completion_action = 0;
  std::uint64_t multigrid_sync = 0;
  std::uint64_t heap = 0;
  // Bits 32 to 63 of the addresses at which FLAT instructions see local and scratch memory.
  std::uint32_t local_aperture = 0;
  std::uint32_t scratch_aperture = 0;
  friend bool operator==(const KernargEnvironment&, const KernargEnvironment&) = default;
};

// The parts of `memory()`; `MapEntry::buffer` of the image's map.
enum class KernargPart : std::uint8_t { Segment, Packet, Objects };
[[nodiscard]] AMDCOMPAT_API std::string_view kernarg_part_name(KernargPart part);

// --- the image ---------------------------------------------------------------------------------------------

// Builds the memory of one kernel, any number of times, under the same rules as `LaunchImage`: setters keep what they
// were given, a setter that returns false has reported an error and keeps `build` from succeeding until the value is
// set again, nothing allocates unless there is something to report. The kernel need not outlive it. One object must
// not be used by two threads at a time.
class AMDCOMPAT_API KernargImage {
 public:
  // Refused: kernels of other containers, incomplete ones, those whose arguments the file does not list, segments over
  // the limit or with arguments that overlap or reach outside.
  [[nodiscard]] static std::optional<KernargImage> create(const Kernel& kernel, Diagnostics& diagnostics,
                                                          const KernargOptions& options = {});
  // A moved-from image can only be assigned to or destroyed.
  KernargImage(KernargImage&& other) noexcept;
  KernargImage& operator=(KernargImage&& other) noexcept;
  ~KernargImage();

  bool set_environment(const KernargEnvironment& value, Diagnostics& diagnostics);
  // Parts of a range (`split`) are refused: a packet cannot say which group is first.
  bool set_range(const Range& range, Diagnostics& diagnostics);

  // `index` counts the kernel's arguments from 0, hidden ones included; those come from range and environment.
  // By-value arguments: the host's bytes, at most as many as the argument has; zeros follow.
  bool set_bytes(std::size_t index, std::span<const std::byte> value, Diagnostics& diagnostics);
  // Pointers, pipes, queues; and images and samplers, whose objects the runtime makes: of the object. `size` (0: not
  // known) is only checked.
  bool set_address(std::size_t index, std::uint64_t address, std::uint64_t size, Diagnostics& diagnostics);
  bool set_null(std::size_t index, Diagnostics& diagnostics);  // the same
  // Objects made of public hardware facts and placed in memory, on GFX6 to GFX9: later generations have descriptors of
  // their own (AC3051). Images need `address`; buffer images, depth formats and formats without a hardware form are
  // refused with the same code.
  bool set_image(std::size_t index, const ImageValue& value, Diagnostics& diagnostics);
  bool set_sampler(std::size_t index, std::uint32_t word, Diagnostics& diagnostics);  // see `sampler_fields`
  // The bytes of an image (48) or sampler (32) object as the caller's driver makes them.
  bool set_object(std::size_t index, std::span<const std::byte> bytes, Diagnostics& diagnostics);
  bool set_local(std::size_t index, std::uint64_t bytes, Diagnostics& diagnostics);  // pointers to local memory

  // What trailing arguments of an in-place conversion get; for other kernels nothing happens, but that the printf
  // buffer's address is also the hidden argument's where the environment has none. Absent: zeros. `base` does not
  // count: the code gets all of an address.
  bool set_printf(const std::optional<PrintfBuffer>& value, Diagnostics& diagnostics);
  bool set_data_segment(const std::optional<Buffer>& value, Diagnostics& diagnostics);
  bool set_constant_data(std::uint32_t number, const Buffer& value, Diagnostics& diagnostics);

  // Arguments that the host gives, in their order: all but the hidden ones. The trailing ones of an in-place conversion
  // come last and need no value; `required` is the number of those before them.
  [[nodiscard]] std::span<const std::size_t> host_arguments() const;
  [[nodiscard]] std::size_t required() const;
  // Index of an argument; the first one of that name.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

  // Brings the memory up to date. False (with findings) when something is missing or was refused; the memory then
  // keeps the bytes of the last successful build.
  bool build(Diagnostics& diagnostics);

  // Segment, bytes up to a multiple of 16, packet, objects. A host copies segment and packet to where they belong;
  // objects keep their distance from the segment, which points to them.
  [[nodiscard]] std::span<const std::byte> memory() const;
  [[nodiscard]] std::span<const std::byte> segment() const;
  [[nodiscard]] std::span<const std::byte> packet() const { return memory().subspan(block_bytes(), kPacketBytes); }
  // Of images and samplers; empty where no argument is one.
  [[nodiscard]] std::span<const std::byte> objects() const { return memory().subspan(block_bytes() + kPacketBytes); }
  // First dword of the packet: header and number of dimensions.
  [[nodiscard]] std::uint32_t packet_header() const;
  [[nodiscard]] std::uint32_t block_bytes() const;  // offset of the packet, a multiple of 16
  [[nodiscard]] std::uint32_t memory_align() const;  // what `KernargEnvironment::memory` needs
  // Bytes of `memory()` outside which the last build changed nothing.
  [[nodiscard]] ChangedBytes changed() const;

  // The rest is valid after a successful build.
  [[nodiscard]] std::uint64_t local_bytes() const;  // LDS of a work-group, in all
  [[nodiscard]] std::array<std::uint32_t, 3> local_size() const;
  // The scalar registers that the code asks for by name, and what they hold when it starts, the packet being where
  // `memory()` puts it. Not known: what the environment does not say, scratch memory's. Words of the segment that the
  // hardware loads into the registers behind them (`KernelDescriptor::preload`) are not listed.
  [[nodiscard]] std::vector<UserRegisterValue> user_registers() const;
  // Also useful before a build: then without values. Offsets count from the start of `memory()`.
  [[nodiscard]] std::vector<MapEntry> map() const;

  [[nodiscard]] const Kernel& kernel() const;
  [[nodiscard]] const KernargOptions& options() const;
  [[nodiscard]] const KernargEnvironment& environment() const;

 private:
  class Impl;
  explicit KernargImage(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace amdcompat::abi
