// The bytes a CL1 kernel reads: constant buffers 0 and 1, local memory, and what must be bound where.
//
// AMD's OpenCL 1.x compilers pass everything through constant buffers. Buffer 0 ("CB0", 160 bytes) holds the launch
// sizes and a few addresses; buffer 1 ("CB1") one or more 16-byte slots for each argument, at the offsets that the
// metadata gives. A runtime fills both before each launch. `LaunchImage` does that:
//
//   std::optional<abi::LaunchImage> image = abi::LaunchImage::create(kernel, diagnostics);
//   bool ok = image->set_range({.dimensions = 1, .global = {1024}, .local = {{64}}}, diagnostics)
//          && image->set_buffer(0, {.address = 0x100000, .size = 4096}, diagnostics)
//          && image->set_bytes(1, std::as_bytes(std::span(&n, 1)), diagnostics)
//          && image->build(diagnostics);
//   upload(image->cb0(), image->cb1());
//
// What each byte means and where we know it from is data: `cb0_fields`, `argument_rules`, `image_constant_fields`,
// `descriptor_fields`. docs/cb0-cb1.md explains it in prose; keys such as [RT] are resolved in docs/sources.md.
//
// libstdc++ has a global namespace alias `abi`: after `using namespace amdcompat` write `amdcompat::abi`.
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
#include <amdcompat/evidence.hpp>
#include <amdcompat/export.h>
#include <amdcompat/program.hpp>

namespace amdcompat::abi {

// --- choices ---------------------------------------------------------------------------------------------

// `Amd`: what AMD's production runtime (2014 and later) wrote. `Spec`: the table of the 2009 specification, which
// differs in three things: a task has work_dim 0, group counts are plain quotients and flat offsets are products of
// all three components (so 0 in one dimension); and it has no cb0[9].
enum class Profile : std::uint8_t { Amd, Spec };
// `Amd` copies by-value arguments as AMD's runtime did: the whole host value, even where the compiler reserved too
// little (long3, ulong3, double3 spill into the next argument). `Safe` cuts a value off where the next one starts,
// and copies three elements of such vectors, not four.
enum class ArgumentProfile : std::uint8_t { Amd, Safe };
// Two layouts of the 32 bytes of an image argument: R8xx for Evergreen and later (every GCN device), R7xx for HD 4000.
enum class ImageLayout : std::uint8_t { R8xx, R7xx };

struct LaunchOptions {
  Profile profile = Profile::Amd;
  ArgumentProfile arguments = ArgumentProfile::Amd;
  ImageLayout image_layout = ImageLayout::R8xx;
  // Largest constant buffer, bytes. Hardware has 4096 vectors of 16 bytes; real files use up to 2 KiB.
  std::uint32_t max_constant_buffer = 65'536;
  // Local memory a work-group may have, bytes: what GCN devices offered to OpenCL 1.x (LDS_AVAIL 0x8000 of PROGINFO).
  std::uint32_t max_local_bytes = 32'768;
};

// --- launch values -----------------------------------------------------------------------------------------

// One part of a range that a runtime dispatches in several parts.
struct Split {
  std::array<std::uint64_t, 3> global{1, 1, 1};  // work-items of this part
  std::array<std::uint64_t, 3> offset{};  // id of its first work-item, the range's own offset included:
      // the value of cb0[6] (AMD's runtime gets it in this form too)
  std::array<std::uint32_t, 3> group_offset{};  // work-groups before this part: the value of cb0[7]
  friend bool operator==(const Split&, const Split&) = default;
};

// Sizes of a launch. Components from `dimensions` on are ignored (sizes count as 1, offsets as 0).
struct Range {
  std::uint32_t dimensions = 1;  // 1, 2 or 3
  std::array<std::uint64_t, 3> global{1, 1, 1};  // work-items; each below 2^32
  std::optional<std::array<std::uint32_t, 3>> local{};  // work-items of a group; absent: `choose_local_size`
  std::array<std::uint64_t, 3> offset{};  // the NDRange offset; offset + global at most 2^32
  bool task = false;  // clEnqueueTask: one work-item; all else here is ignored
  std::optional<Split> split{};  // absent: the whole range in one dispatch
  friend bool operator==(const Range&, const Range&) = default;
};

// The part of `range` that is work-group (x, y, z) alone, for kernels that print [RT gpuprintf.cpp]. `local` is the
// size really used (`LaunchImage::local_size`).
[[nodiscard]] AMDCOMPAT_API Split single_group(const Range& range, const std::array<std::uint32_t, 3>& local,
                                               const std::array<std::uint32_t, 3>& group);

// A local size for a launch that names none. `cws` of the metadata if there is one, cut to the range's dimensions;
// otherwise a rule of ours, which no source prescribes: each dimension takes the largest divisor of its global size
// that is not over a cap; caps are 256, 16 x 16 or 8 x 8 x 4, the largest one halved until their product is within
// the kernel's limit. So groups are never partial, and common sizes make whole wavefronts of 64.
[[nodiscard]] AMDCOMPAT_API std::array<std::uint32_t, 3> choose_local_size(const Kernel& kernel, const Range& range);

// A buffer argument. The kernel adds the CB1 value to the base of the descriptor it loads [RUN], so any split of the
// address between the two works: CB1 gets address - base.
struct Buffer {
  std::uint64_t address = 0;  // of the buffer's first byte; at most 48 bits
  std::uint64_t base = 0;  // of its descriptor; not above `address`
  std::uint64_t size = 0;  // bytes; 0: not known, the descriptor then reaches as far as it can
  friend bool operator==(const Buffer&, const Buffer&) = default;
};

// An image argument. The first five members are the image constants in CB1; the others are only for the hardware
// descriptor, which is made when `address` is not 0, and for ImageLayout::R7xx.
struct ImageValue {
  std::uint32_t width = 1;  // elements; height and depth are 1 where the image has none
  std::uint32_t height = 1;
  std::uint32_t depth = 1;
  std::uint32_t channel_order = 0;  // CL_RGBA = 0x10B5, ... see `channel_orders`
  std::uint32_t channel_type = 0;  // CL_FLOAT = 0x10DE, ... see `channel_types`
  std::uint64_t address = 0;  // a multiple of 256
  std::uint32_t row_pitch = 0;  // bytes; 0: width x element size
  std::uint32_t slice_pitch = 0;  // bytes; 0: height x row pitch
  std::uint32_t array_size = 0;  // layers of an array image
  std::uint32_t offset = 0;  // R7xx: `offset` of the image constants
  friend bool operator==(const ImageValue&, const ImageValue&) = default;
};

// Where the printf buffer is, and how large one work-item's region. See printf.hpp for its contents.
struct PrintfBuffer {
  std::uint64_t address = 0;
  std::uint64_t base = 0;  // of the descriptor in UAV slot `printfid`
  std::uint32_t dwords_per_item = 0;
  std::uint64_t size = 0;  // bytes of the whole buffer; 0: not known
  friend bool operator==(const PrintfBuffer&, const PrintfBuffer&) = default;
};

// Memory rings of kernels with emulated private or local memory (HD 4000), and the dummy page that AMD's runtime
// passes as private ring to kernels with `memory:compilerwrite`. Written as given, whatever the kernel says of itself.
struct Rings {
  std::uint64_t private_offset = 0;
  std::uint32_t private_bytes = 0;  // per work-item
  std::uint64_t local_offset = 0;
  std::uint32_t local_bytes = 0;  // per work-group
  std::uint32_t math_table = 0;  // cb0[4].w, profile Spec only: AMD's runtimes never wrote it
  friend bool operator==(const Rings&, const Rings&) = default;
};

// --- facts ---------------------------------------------------------------------------------------------------

// What a CB0 field holds.
enum class Cb0Value : std::uint8_t {
  Zero,
  GlobalX,
  GlobalY,
  GlobalZ,
  WorkDim,
  LocalX,
  LocalY,
  LocalZ,
  GroupsX,
  GroupsY,
  GroupsZ,
  PrivateRing,
  PrivateBytes,
  LocalRing,
  LocalBytes,
  MathTable,
  ConstZero,
  ConstHalf,
  ConstOne,
  ConstTwo,
  SpawnX,
  SpawnY,
  SpawnZ,
  SpawnFlat,
  GroupX,
  GroupY,
  GroupZ,
  GroupFlat,
  DataSegment,
  PrintfAddress,
  PrintfDwords,
  RangeX,
  RangeY,
  RangeZ,
};
struct Cb0Field {
  std::uint8_t dword;  // bytes 4 x dword
  std::uint8_t dwords;  // 1, or 2: low dword first
  bool abi32;  // in kernels of the 32-bit ABI
  bool abi64;
  bool amd;  // in profile Amd
  bool spec;  // in profile Spec
  Cb0Value value;
  std::string_view name;
  std::string_view meaning;
  Evidence evidence;
  std::string_view source;
};
// Ascending by dword; for each ABI and profile the rows are disjoint and cover all 40 dwords.
[[nodiscard]] AMDCOMPAT_API std::span<const Cb0Field> cb0_fields();
inline constexpr std::uint32_t kCb0Bytes = 160;

// What CB1 gets of an argument, by kind.
struct ArgumentRule {
  std::string_view kind;  // "pointer to global memory", ...
  std::string_view slots;  // in words
  std::string_view written;
  Evidence evidence;
  std::string_view source;
};
[[nodiscard]] AMDCOMPAT_API std::span<const ArgumentRule> argument_rules();
// The rule for an argument; null for kinds that CL1 kernels cannot have.
[[nodiscard]] AMDCOMPAT_API const ArgumentRule* find_argument_rule(const Argument& argument);

struct ImageConstantField {
  std::uint8_t offset;  // bytes into the argument's two slots
  std::string_view r8xx;  // what AMD's runtime wrote; Evergreen and later
  std::string_view r7xx;  // HD 4000
  std::string_view source;
};
[[nodiscard]] AMDCOMPAT_API std::span<const ImageConstantField> image_constant_fields();

// OpenCL's own numbers [Khronos CL/cl.h].
struct ClName {
  std::uint32_t value;
  std::string_view name;  // without "CL_"
};
[[nodiscard]] AMDCOMPAT_API std::span<const ClName> channel_orders();
[[nodiscard]] AMDCOMPAT_API std::span<const ClName> channel_types();
// Bytes of one element of an image of that order and type, 1 to 16; 0: a format that this library has no size for.
// [OpenCL 1.2 §5.3.1.1]
[[nodiscard]] AMDCOMPAT_API std::uint32_t texel_bytes(std::uint32_t channel_order, std::uint32_t channel_type);

struct SamplerField {
  std::uint32_t mask;
  std::uint32_t value;
  std::string_view meaning;
  std::string_view source;
};
[[nodiscard]] AMDCOMPAT_API std::span<const SamplerField> sampler_fields();

// Hardware descriptors of GCN: V# (buffers, 4 dwords), T# (images, 8 dwords), S# (samplers, 4 dwords). A few fields of
// images are others before GFX9 than on it.
enum class DescriptorKind : std::uint8_t { Buffer, Image, ImageGfx6, ImageGfx9, Sampler };
// Which of them a T# has: those of GFX6 to GFX8, or those of GFX9.
enum class ImageForm : std::uint8_t { Gfx6, Gfx9 };
// Of a generation; empty: its T# has fields that are not known here.
[[nodiscard]] constexpr std::optional<ImageForm> image_form(Generation generation) {
  if (generation > Generation::Gfx9) return std::nullopt;
  return generation == Generation::Gfx9 ? ImageForm::Gfx9 : ImageForm::Gfx6;
}
struct HardwareDescriptorField {
  DescriptorKind descriptor;
  std::uint16_t bit;  // lowest bit; bit n is bit n mod 32 of dword n / 32
  std::uint8_t width;  // bits
  std::string_view name;
  std::string_view meaning;
  Evidence evidence;
  std::string_view source;
};
// By descriptor, ascending by bit.
[[nodiscard]] AMDCOMPAT_API std::span<const HardwareDescriptorField> descriptor_fields();

// V# as in every successful run of real machine code [RUN]: 32-bit float format, selects x, y, z, w.
// `base` is cut to 48 bits. `size` is put into num_records in bytes, whatever the stride.
[[nodiscard]] AMDCOMPAT_API std::array<std::uint32_t, 4> buffer_descriptor(std::uint64_t base, std::uint32_t size,
                                                                           std::uint32_t stride);
// The word of a sampler that a loader makes, whose modes have numbers of their own. [amd_hsa_elf.h]
[[nodiscard]] constexpr std::uint32_t sampler_word(const SamplerObject& sampler) {
  constexpr std::uint32_t kModes[] = {0, 2, 3, 1, 4};
  return (sampler.normalized ? 1u : 0u) | kModes[sampler.addressing % 5] << 1 | (sampler.linear ? 2u : 1u) << 4;
}
// S# of a sampler word. Clamp and filter values are those of public hardware headers; no legacy file shows them.
[[nodiscard]] AMDCOMPAT_API std::array<std::uint32_t, 4> sampler_descriptor(std::uint32_t word);
// T# of a linear image. Empty: the format has no hardware form here, or a size does not fit. Formats, type and tiling
// index are those of public hardware headers; no legacy file shows them.
[[nodiscard]] AMDCOMPAT_API std::optional<std::array<std::uint32_t, 8>> image_descriptor(
    const ImageValue& image, ImageDim dim, ImageForm form = ImageForm::Gfx6);
// Bytes that an image takes from its address on; 0: its format has no size known here.
[[nodiscard]] AMDCOMPAT_API std::uint64_t image_bytes(const ImageValue& image, ImageDim dim);

// What descriptors say, by the rows of `descriptor_fields`; bits without a row count for nothing. Sizes
// are in elements, `select` as in `dst_sel`, other numbers as they stand there.
struct HardwareBuffer {
  std::uint64_t base = 0;
  std::uint32_t stride = 0;
  bool swizzled = false;
  std::uint32_t records = 0;
  std::array<std::uint32_t, 4> select{};
  std::uint32_t number_format = 0, data_format = 0;
  std::uint32_t element_size = 0, index_stride = 0;
  bool add_thread = false;
  std::uint32_t type = 0;
  friend bool operator==(const HardwareBuffer&, const HardwareBuffer&) = default;
};
// The tiling index of linear images whose rows are aligned. [Mesa sid.h: not verified]
inline constexpr std::uint32_t kLinearTiles = 8;
struct HardwareImage {
  std::uint64_t address = 0;  // bytes
  std::uint32_t data_format = 0, number_format = 0;
  std::uint32_t width = 1, height = 1, depth = 1;
  std::array<std::uint32_t, 4> select{};
  std::uint32_t base_level = 0, last_level = 0;
  std::uint32_t tiling = 0;  // the tiling index, on GFX9 sw_mode
  std::uint32_t type = 0;
  std::uint32_t pitch = 1;
  std::uint32_t base_layer = 0, last_layer = 0;
  friend bool operator==(const HardwareImage&, const HardwareImage&) = default;
};
struct HardwareSampler {
  std::array<std::uint32_t, 3> clamp{};
  bool unnormalized = false;
  std::uint32_t filter_mode = 0;
  std::uint32_t magnified = 0, minified = 0, z_filter = 0;
  std::uint32_t border = 0;
  friend bool operator==(const HardwareSampler&, const HardwareSampler&) = default;
};
[[nodiscard]] AMDCOMPAT_API HardwareBuffer decode_buffer_descriptor(std::span<const std::uint32_t, 4> words);
[[nodiscard]] AMDCOMPAT_API HardwareImage decode_image_descriptor(std::span<const std::uint32_t, 8> words,
                                                                  ImageForm form = ImageForm::Gfx6);
// Whether texels follow each other row by row.
[[nodiscard]] constexpr bool is_linear(const HardwareImage& image, ImageForm form = ImageForm::Gfx6) {
  return image.tiling == (form == ImageForm::Gfx9 ? 0 : kLinearTiles);
}
[[nodiscard]] AMDCOMPAT_API HardwareSampler decode_sampler_descriptor(std::span<const std::uint32_t, 4> words);

// --- layout ----------------------------------------------------------------------------------------------------

// Bytes of an argument in CB1 by AMD's compilers' rule: a multiple of 16. 0 for kinds that CL1 kernels cannot have.
// `whole_vec3`: three 64-bit elements take two slots (CLRX, and AMD's HSAIL compilers since 15.11), not one.
[[nodiscard]] AMDCOMPAT_API std::uint32_t slot_bytes(const Argument& argument, bool whole_vec3 = false);
// Bytes of a by-value argument as the host passes it (clSetKernelArg): vectors of three count as four. Empty for
// types that have no such size.
[[nodiscard]] AMDCOMPAT_API std::optional<std::uint32_t> host_bytes(const ByValue& value);

// Layout assigner: CB1 offsets for a signature without metadata, in argument order, first at 0. Empty when an argument
// is of a kind that CL1 kernels cannot have, or the offsets do not fit 32 bits. Agrees with every real file.
[[nodiscard]] AMDCOMPAT_API std::optional<std::vector<std::uint32_t>> assign_layout(std::span<const Argument> arguments,
                                                                                    bool whole_vec3 = false);

// --- the image -------------------------------------------------------------------------------------------------

enum class BindingKind : std::uint8_t { Uav, ConstantBuffer, Resource, Sampler, Counter, Semaphore };
[[nodiscard]] AMDCOMPAT_API std::string_view binding_kind_name(BindingKind kind);

// Something the runtime has to bind before the launch.
struct Binding {
  BindingKind kind = BindingKind::Uav;
  std::uint32_t slot = 0;  // in the table of its kind
  std::optional<std::size_t> argument;  // index, of the first where several share it; absent: not an argument
  std::uint64_t address = 0;  // base of the descriptor; 0: the caller places it
  std::uint64_t size = 0;  // bytes from `address` on; 0: not known
  std::uint32_t stride = 0;  // bytes; 16 for constant buffers that kernels index [RUN]
  std::uint32_t words = 0;  // dwords of `descriptor` that count: 0, 4 or 8
  std::array<std::uint32_t, 8> descriptor{};
  std::string what;  // argument name, several joined by ", ", or "printf buffer", "cb0", ...
  std::string_view source;
};

// One row of the map of an image: what `layout` and `pack --explain` print.
struct MapEntry {
  std::uint32_t buffer = 0;  // constant buffer number
  std::uint32_t offset = 0;  // bytes
  std::uint32_t size = 0;  // bytes really written; 0: the slot is reserved only
  std::uint32_t reserved = 0;  // bytes of its slots; 0 in CB0
  std::optional<std::size_t> argument;
  std::string name;
  std::string what;
  std::string part;  // "elements 0 to 3", "width (u32)", where an argument has several rows; also in `what`
  std::string value;  // empty until the image was built
  Evidence evidence = Evidence::Documented;
  std::string_view source;
};

// Bytes [begin, end) of an image, outside which nothing changed; empty when begin == end.
struct ChangedBytes {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// Builds the images of one kernel, any number of times. Setters and `build` keep what they were given, write only
// what changed since the last build, and allocate nothing unless they have something to report. The kernel need not
// outlive it. One object must not be used by two threads at a time.
class AMDCOMPAT_API LaunchImage {
 public:
  // A moved-from image can only be assigned to or destroyed.
  LaunchImage(LaunchImage&& other) noexcept;
  LaunchImage& operator=(LaunchImage&& other) noexcept;
  ~LaunchImage();

  // Refused: incomplete kernels, arguments that CL1 kernels cannot
  // have, offsets over the limits. Overlaps and other oddities of the metadata are reported here, once.
  // `data` are the program's data segments; they decide what `build` says about a missing data segment address.
  [[nodiscard]] static std::optional<LaunchImage> create(const Kernel& kernel, Diagnostics& diagnostics,
                                                         const LaunchOptions& options = {},
                                                         std::span<const DataSegment> data = {});

  // Every setter returns false when it reported an error; the image then has no valid value for it and `build` fails
  // until it is set again. `index` counts the kernel's arguments from 0.
  //
  // Uses the required work-group size (`cws`) where the kernel has one; a local size that contradicts it is an error
  // in strict mode and a warning otherwise.
  bool set_range(const Range& range, Diagnostics& diagnostics);
  bool set_bytes(std::size_t index, std::span<const std::byte> value, Diagnostics& diagnostics);  // by-value arguments
  bool set_buffer(std::size_t index, const Buffer& value, Diagnostics& diagnostics);  // pointers, counters, semaphores
  bool set_null(std::size_t index, Diagnostics& diagnostics);  // the same: a NULL buffer
  bool set_local(std::size_t index, std::uint64_t bytes, Diagnostics& diagnostics);  // pointers to local memory
  bool set_image(std::size_t index, const ImageValue& value, Diagnostics& diagnostics);
  bool set_sampler(std::size_t index, std::uint32_t word, Diagnostics& diagnostics);  // see `sampler_fields`
  // Launch-wide values; absent: zeros.
  bool set_printf(const std::optional<PrintfBuffer>& value, Diagnostics& diagnostics);
  bool set_data_segment(const std::optional<Buffer>& value, Diagnostics& diagnostics);
  bool set_rings(const std::optional<Rings>& value, Diagnostics& diagnostics);
  // Address of the data segment that goes into hardware constant buffer `number` (2 and up); only a binding.
  bool set_constant_data(std::uint32_t number, const Buffer& value, Diagnostics& diagnostics);

  // Index of an argument; the first one of that name.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

  // Brings the images up to date. False (with findings) when something is missing or was refused; the images then
  // keep the bytes of the last successful build.
  bool build(Diagnostics& diagnostics);

  // Bytes of constant buffer 0, 1, or another number the metadata names; empty for a number without arguments.
  [[nodiscard]] std::span<const std::byte> cb0() const;
  [[nodiscard]] std::span<const std::byte> cb1() const { return buffer(1); }
  [[nodiscard]] std::span<const std::byte> buffer(std::uint32_t number) const;
  // Numbers of the constant buffers with arguments, ascending.
  [[nodiscard]] std::vector<std::uint32_t> buffers() const;
  // What the last build changed; of buffers other than 0 and 1 everything counts as changed.
  [[nodiscard]] ChangedBytes cb0_changed() const;
  [[nodiscard]] ChangedBytes cb1_changed() const;

  // The rest is valid after a successful build.
  [[nodiscard]] std::uint64_t local_bytes() const;  // LDS of a work-group, in all
  [[nodiscard]] std::array<std::uint32_t, 3> local_size() const;  // used, cws included
  [[nodiscard]] std::span<const Binding> bindings() const;
  // Also useful before a build: then without values.
  [[nodiscard]] std::vector<MapEntry> map() const;

  [[nodiscard]] const Kernel& kernel() const;
  [[nodiscard]] const LaunchOptions& options() const;

 private:
  class Impl;
  explicit LaunchImage(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace amdcompat::abi
