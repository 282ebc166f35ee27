// The C interface: checks pointers, indices and sizes, keeps exceptions inside, and makes text fit for C.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <type_traits>
#include <variant>

#include <amdcompat/cl2_launch.hpp>
#include <amdcompat/kernarg_launch.hpp>
#include <amdcompat/launch_image.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/printf.hpp>
#include <amdcompat/version.hpp>

#include "handles.hpp"

struct amdcompat_launch {
  amdcompat_diagnostics found;
  std::variant<std::monostate, amdcompat::abi::LaunchImage, amdcompat::abi::Cl2LaunchImage,
               amdcompat::abi::KernargImage>
      image;  // none: refused
  std::vector<amdcompat::abi::MapEntry> map;  // as amdcompat_launch_map made it; its texts are fit for C
};

struct amdcompat_text {
  amdcompat_diagnostics found;
  std::string bytes;
};

namespace amdcompat {
namespace {

using abi::Cl2LaunchImage;
using abi::KernargImage;
using abi::LaunchImage;

// The image of a launch; null when it was refused or is of the other family.
template <class Image>
const Image* image_of(const amdcompat_launch* launch) {
  return launch == nullptr ? nullptr : std::get_if<Image>(&launch->image);
}

// Calls `body(image, findings)` of a launch that was not refused and that `body` can be called with. A launch of the
// other family has no such value: that is reported.
template <class F>
amdcompat_status with_image(amdcompat_launch* launch, F body) {
  if (launch == nullptr) return AMDCOMPAT_BAD_CALL;
  return guard([&] {
    Diagnostics& found = launch->found.sink;
    const amdcompat_status result = std::visit(
        [&]<class Image>(Image& image) {
          if constexpr (std::is_invocable_v<F, Image&, Diagnostics&>) {
            return status(body(image, found));
          } else if constexpr (!std::is_same_v<Image, std::monostate>) {
            constexpr bool cl2 = std::is_same_v<Image, Cl2LaunchImage>;
            constexpr bool hsa = std::is_same_v<Image, KernargImage>;
            found.report(Code::LaunchOtherAbi, image.kernel().where,
                         "kernel '" + image.kernel().name +
                             (hsa   ? "' is a code object's, which has no use for this"
                              : cl2 ? "' is a CL2 kernel, which has no use for this"
                                    : "' is no CL2 kernel"));
            return status(false);
          } else {
            return amdcompat_status{AMDCOMPAT_BAD_CALL};
          }
        },
        launch->image);
    launch->found.take();
    return result;
  });
}

// For setters that those families have whose images and samplers are objects in memory, that those have that read a
// packet, and that all have.
template <class Image>
concept ObjectImage = std::is_same_v<Image, KernargImage> || std::is_same_v<Image, Cl2LaunchImage>;
template <class Image>
concept PacketImage = std::is_same_v<Image, KernargImage> || std::is_same_v<Image, Cl2LaunchImage>;
template <class Image>
concept AnyImage = std::is_same_v<Image, LaunchImage> || PacketImage<Image>;
// Constant buffers, and trailing arguments that take their place.
template <class Image>
concept DataImage = std::is_same_v<Image, LaunchImage> || std::is_same_v<Image, KernargImage>;

const Kernel* kernel_at(const amdcompat_file* file, std::size_t index) {
  return file == nullptr || index >= file->program.kernels.size() ? nullptr : &file->program.kernels[index];
}

// Index of the first of that name.
template <class T>
amdcompat_status find_name(const std::vector<T>& list, const char* name, std::size_t* index) {
  if (name == nullptr || index == nullptr) return AMDCOMPAT_BAD_CALL;
  const auto found = std::ranges::find(list, std::string_view(name), &T::name);
  if (found == list.end()) return AMDCOMPAT_NOT_FOUND;
  *index = static_cast<std::size_t>(found - list.begin());
  return AMDCOMPAT_OK;
}

// Null: the argument is no pointer.
PointerInfo* pointer_info(Argument& argument) {
  return std::visit(
      [](auto& kind) -> PointerInfo* {
        if constexpr (std::is_base_of_v<PointerInfo, std::remove_cvref_t<decltype(kind)>>) return &kind;
        return nullptr;
      },
      argument.kind);
}

void make_c_texts(Program& program) {
  for (std::string* text : {&program.device, &program.driver, &program.compile_options}) *text = c_text(*text);
  for (Kernel& kernel : program.kernels) {
    for (std::string* text : {&kernel.name, &kernel.device}) *text = c_text(*text);
    for (Argument& argument : kernel.arguments) {
      for (std::string* text : {&argument.name, &argument.type_name}) *text = c_text(*text);
      if (PointerInfo* const pointer = pointer_info(argument)) pointer->pointee_name = c_text(pointer->pointee_name);
    }
    for (ConstantSampler& sampler : kernel.samplers) sampler.name = c_text(sampler.name);
  }
  for (DataSegment& segment : program.data) segment.section = c_text(segment.section);
}

// LLVM's name of what the machine code is for; empty where that is not known.
std::string target_of(const File& file) {
  const hsa::CodeObject* const object = file.object();
  if (object != nullptr && object->target != nullptr) return hsa::target_text(*object->target, object->features);
  return file.program.target == nullptr ? std::string() : std::string(file.program.target->name);
}

amdcompat_status open_bytes(std::unique_ptr<amdcompat_file> file, std::string bytes, amdcompat_file** out,
                            const char* entry = nullptr) {
  OpenOptions options;
  if (entry != nullptr) options.bundle_entry = entry;
  std::optional<File> opened = open(std::move(bytes), file->found.sink, options);
  file->found.take();
  const bool good = opened.has_value();
  if (good) {
    MachineCode code = std::move(opened->program.code);  // not twice
    opened->program.code = {};
    file->program = opened->program;
    opened->program.code = std::move(code);
    make_c_texts(file->program);
    file->target = c_text(target_of(*opened));
    file->file = std::move(opened);
  }
  *out = file.release();
  return status(good);
}

// No more than `open` accepts, and a byte to refuse it for.
std::optional<std::string> read_path(const char* path, Diagnostics& diagnostics) {
  const OpenOptions options;
  const std::uint64_t most = std::max(options.cl1.max_file_bytes, options.cl2.max_file_bytes);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "rb"), std::fclose);
  std::string bytes;
  std::size_t filled = 0;
  while (file && filled <= most) {
    bytes.resize(std::max<std::size_t>(filled * 2, 1u << 16));
    const std::size_t got = std::fread(bytes.data() + filled, 1, bytes.size() - filled, file.get());
    filled += got;
    if (got == 0) break;
  }
  if (!file || std::ferror(file.get()) != 0) {
    const int error = errno;
    diagnostics.report(Code::FileUnreadable, {},
                       std::string("cannot read the file: ") + std::generic_category().message(error));
    return std::nullopt;
  }
  bytes.resize(filled);
  return bytes;
}

std::uint32_t kind_of(const Argument& argument) {
  struct Visitor {
    bool cl2;
    std::uint32_t operator()(const ByValue&) const { return AMDCOMPAT_VALUE; }
    std::uint32_t operator()(const GlobalPointer&) const { return AMDCOMPAT_GLOBAL_POINTER; }
    std::uint32_t operator()(const LocalPointer& p) const {
      return cl2 || p.memory == MemoryKind::HardwareLocal ? AMDCOMPAT_LOCAL_POINTER : AMDCOMPAT_OTHER;
    }
    std::uint32_t operator()(const ConstantPointer&) const { return AMDCOMPAT_CONSTANT_POINTER; }
    std::uint32_t operator()(const RegionPointer&) const { return AMDCOMPAT_OTHER; }
    std::uint32_t operator()(const PrivatePointer&) const { return AMDCOMPAT_OTHER; }
    std::uint32_t operator()(const Image&) const { return AMDCOMPAT_IMAGE; }
    std::uint32_t operator()(const Sampler&) const { return AMDCOMPAT_SAMPLER; }
    std::uint32_t operator()(const Counter&) const { return AMDCOMPAT_COUNTER; }
    std::uint32_t operator()(const Semaphore&) const { return AMDCOMPAT_SEMAPHORE; }
    std::uint32_t operator()(const Queue&) const { return AMDCOMPAT_QUEUE; }
    std::uint32_t operator()(const Pipe&) const { return AMDCOMPAT_PIPE; }
    std::uint32_t operator()(const Hidden&) const { return AMDCOMPAT_OTHER; }
  };
  return std::visit(Visitor{argument.in_constant_buffer() == nullptr}, argument.kind);
}

// Of a table of literals, which end with a NUL; names that do not exist have no characters.
const char* literal(std::string_view name) { return name.empty() ? "" : name.data(); }

// What the metadata says of an argument's kind.
void put_kind(const Argument& argument, amdcompat_argument& out) {
  out.element = out.memory = out.dimension = out.access = out.hidden = "";
  struct Visitor {
    amdcompat_argument& out;
    void operator()(const ByValue& value) const {
      out.element = literal(scalar_name(value.type));
      out.elements = value.elements;
    }
    void operator()(const PointerInfo& pointer) const {
      out.element = pointer.pointee_name.empty() ? literal(scalar_name(pointer.pointee)) : pointer.pointee_name.c_str();
      out.memory = literal(memory_kind_name(pointer.memory));
      out.access = literal(text::access_name(pointer.access));
      out.align = pointer.align;
      out.id = pointer.buffer;
    }
    void operator()(const Image& image) const {
      out.dimension = literal(image_dim_name(image.dim));
      out.access = literal(text::access_name(image.access));
      out.id = image.id;
    }
    void operator()(const Sampler& sampler) const { out.id = sampler.id; }
    void operator()(const Counter& counter) const { out.id = counter.id; }
    void operator()(const Semaphore& semaphore) const { out.id = semaphore.id; }
    void operator()(const Queue& queue) const { out.memory = literal(memory_kind_name(queue.memory)); }
    void operator()(const Pipe& pipe) const { out.access = literal(text::access_name(pipe.access)); }
    void operator()(const Hidden& hidden) const { out.hidden = literal(hidden_kind_name(hidden.what)); }
  };
  std::visit(Visitor{out}, argument.kind);
}

// Null when absent; false when the structure cannot be read.
bool read_buffer(const amdcompat_buffer* given, std::optional<abi::Buffer>& out) {
  amdcompat_buffer buffer{};
  if (given == nullptr) return true;
  if (!read_struct(given, buffer)) return false;
  out = abi::Buffer{buffer.address, buffer.base, buffer.byte_count};
  return true;
}

static_assert(static_cast<int>(Severity::Error) == AMDCOMPAT_ERROR);
static_assert(static_cast<int>(Family::Cl2) == AMDCOMPAT_FAMILY_CL2);
static_assert(static_cast<int>(Family::Hsa) == AMDCOMPAT_FAMILY_HSA);
static_assert(static_cast<int>(abi::Profile::Spec) == AMDCOMPAT_PROFILE_SPEC);
static_assert(static_cast<int>(abi::ArgumentProfile::Safe) == AMDCOMPAT_ARGUMENTS_SAFE);
static_assert(static_cast<int>(abi::ImageLayout::R7xx) == AMDCOMPAT_IMAGES_R7XX);
static_assert(static_cast<int>(abi::BindingKind::Semaphore) == AMDCOMPAT_BIND_SEMAPHORE);

}  // namespace
}  // namespace amdcompat

using namespace amdcompat;

uint32_t amdcompat_c_version(void) { return AMDCOMPAT_C_VERSION; }
const char* amdcompat_library_version(void) { return AMDCOMPAT_VERSION; }

const char* amdcompat_status_text(amdcompat_status status) {
  switch (status) {
    case AMDCOMPAT_OK: return "done";
    case AMDCOMPAT_REFUSED: return "refused, see the diagnostics";
    case AMDCOMPAT_NOT_FOUND: return "not found";
    case AMDCOMPAT_BAD_CALL: return "wrong use of a function";
    case AMDCOMPAT_NO_MEMORY: return "out of memory";
    case AMDCOMPAT_DEFECT: return "a defect of the library";
    default: return "no status of this library";
  }
}

// --- diagnostics ---------------------------------------------------------------------------------------------

size_t amdcompat_diagnostics_count(const amdcompat_diagnostics* list) {
  return list == nullptr ? 0 : list->list.size();
}

amdcompat_status amdcompat_diagnostics_get(const amdcompat_diagnostics* list, size_t index, amdcompat_diagnostic* out) {
  if (index >= amdcompat_diagnostics_count(list)) return AMDCOMPAT_BAD_CALL;
  const Diagnostic& from = list->list[index];
  amdcompat_diagnostic value{};
  value.code = static_cast<std::uint32_t>(from.code);
  value.severity = static_cast<std::uint32_t>(from.severity);
  value.offset = from.where.begin;
  value.length = from.where.size;
  value.block = from.block.c_str();
  value.path = from.path.c_str();
  value.message = from.message.c_str();
  value.kernel = from.kernel.c_str();
  value.argument = from.argument.c_str();
  return write_struct(value, out);
}

// --- files and kernels -----------------------------------------------------------------------------------------

amdcompat_status amdcompat_open(const void* bytes, size_t byte_count, uint32_t flags, amdcompat_file** out) {
  return amdcompat_open_entry(bytes, byte_count, flags, nullptr, out);
}

amdcompat_status amdcompat_open_entry(const void* bytes, size_t byte_count, uint32_t flags, const char* entry,
                                      amdcompat_file** out) {
  if (out == nullptr) return AMDCOMPAT_BAD_CALL;
  *out = nullptr;
  if ((bytes == nullptr && byte_count != 0) || (flags & ~AMDCOMPAT_STRICT) != 0) return AMDCOMPAT_BAD_CALL;
  return guard([&] {
    auto file = std::make_unique<amdcompat_file>(amdcompat_diagnostics(flags));
    return open_bytes(std::move(file), std::string(static_cast<const char*>(bytes), byte_count), out, entry);
  });
}

amdcompat_status amdcompat_open_path(const char* path, uint32_t flags, amdcompat_file** out) {
  if (out == nullptr) return AMDCOMPAT_BAD_CALL;
  *out = nullptr;
  if (path == nullptr || (flags & ~AMDCOMPAT_STRICT) != 0) return AMDCOMPAT_BAD_CALL;
  return guard([&] {
    auto file = std::make_unique<amdcompat_file>(amdcompat_diagnostics(flags));
    std::optional<std::string> bytes = read_path(path, file->found.sink);
    if (bytes) return open_bytes(std::move(file), std::move(*bytes), out);
    file->found.take();
    *out = file.release();
    return status(false);
  });
}

void amdcompat_file_free(amdcompat_file* file) { delete file; }

const amdcompat_diagnostics* amdcompat_file_diagnostics(const amdcompat_file* file) {
  return file == nullptr ? nullptr : &file->found;
}

amdcompat_status amdcompat_program_get(const amdcompat_file* file, amdcompat_program* out) {
  if (file == nullptr || !file->file) return AMDCOMPAT_BAD_CALL;
  amdcompat_program value{};
  value.kind = literal(kind_name(file->file->kind));  // of a table of literals
  value.device = file->program.device.c_str();
  value.target = file->target.c_str();
  value.driver = file->program.driver.c_str();
  value.compile_options = file->program.compile_options.c_str();
  value.refused = file->program.refused;
  value.family = static_cast<std::uint32_t>(file->program.family);
  return write_struct(value, out);
}

size_t amdcompat_kernel_count(const amdcompat_file* file) { return file == nullptr ? 0 : file->program.kernels.size(); }

amdcompat_status amdcompat_kernel_get(const amdcompat_file* file, size_t kernel, amdcompat_kernel* out) {
  const Kernel* const from = kernel_at(file, kernel);
  if (from == nullptr) return AMDCOMPAT_BAD_CALL;
  amdcompat_kernel value{};
  value.name = from->name.c_str();
  value.device = from->device.c_str();
  value.family = static_cast<std::uint32_t>(file->program.family);
  value.address_bits = static_cast<std::uint32_t>(from->address_bits);
  value.flags = (from->complete ? AMDCOMPAT_KERNEL_COMPLETE : 0) | (from->uses_printf ? AMDCOMPAT_KERNEL_PRINTF : 0) |
                (from->needs_data_segment ? AMDCOMPAT_KERNEL_DATA_SEGMENT : 0) |
                (from->uses_images ? AMDCOMPAT_KERNEL_IMAGES : 0) |
                (from->compiler_write ? AMDCOMPAT_KERNEL_PRIVATE_RING : 0) |
                (from->device_enqueue ? AMDCOMPAT_KERNEL_ENQUEUES : 0);
  value.argument_count = static_cast<std::uint32_t>(from->arguments.size());
  std::ranges::copy(from->limits.required_group_size, value.required_group);
  value.max_group = max_flat_group_size(*from);
  value.local_bytes = from->segments.local_bytes();
  value.private_bytes = from->segments.private_bytes();
  if (const ArgumentBlockLaunch* const facts = from->argument_block())
    value.hidden_arguments = std::min(facts->hidden_arguments, static_cast<std::uint32_t>(from->arguments.size()));
  return write_struct(value, out);
}

amdcompat_status amdcompat_kernel_find(const amdcompat_file* file, const char* name, size_t* kernel) {
  return file == nullptr ? AMDCOMPAT_BAD_CALL : find_name(file->program.kernels, name, kernel);
}

amdcompat_status amdcompat_argument_get(const amdcompat_file* file, size_t kernel, size_t argument,
                                        amdcompat_argument* out) {
  const Kernel* const owner = kernel_at(file, kernel);
  if (owner == nullptr || argument >= owner->arguments.size()) return AMDCOMPAT_BAD_CALL;
  const Argument& from = owner->arguments[argument];
  amdcompat_argument value{};
  value.name = from.name.c_str();
  value.type_name = from.type_name.c_str();
  value.kind = kind_of(from);
  value.flags = (from.is_const ? AMDCOMPAT_ARGUMENT_CONST : 0) | (from.is_volatile ? AMDCOMPAT_ARGUMENT_VOLATILE : 0) |
                (from.is_restrict ? AMDCOMPAT_ARGUMENT_RESTRICT : 0) |
                (from.in_constant_buffer() == nullptr ? AMDCOMPAT_ARGUMENT_KERNARG : 0) |
                (std::holds_alternative<Hidden>(from.kind) ? AMDCOMPAT_ARGUMENT_HIDDEN : 0) |
                (from.in_kernarg() != nullptr && abi::trailing_argument(from.name) ? AMDCOMPAT_ARGUMENT_OPTIONAL : 0);
  const ArgumentBlockSlot* const block = from.in_block();
  if (const auto* by_value = std::get_if<ByValue>(&from.kind))
    value.value_bytes = block != nullptr && by_value->type == ScalarType::Half
                            ? static_cast<std::uint32_t>(block->size)  // all of its slot: cl2_launch.hpp
                            : abi::host_bytes(*by_value).value_or(0);
  put_kind(from, value);
  const ConstantBufferSlot* const declared = block != nullptr ? &block->declared : from.in_constant_buffer();
  if (declared != nullptr) {
    value.buffer = declared->buffer;
    value.offset = declared->offset;
  }
  if (block != nullptr) {
    value.kernarg_offset = block->offset;
    value.kernarg_bytes = block->size;
  } else if (const KernargSlot* const slot = from.in_kernarg()) {
    value.kernarg_offset = slot->offset;
    value.kernarg_bytes = slot->size;
  }
  return write_struct(value, out);
}

amdcompat_status amdcompat_argument_find(const amdcompat_file* file, size_t kernel, const char* name,
                                         size_t* argument) {
  const Kernel* const owner = kernel_at(file, kernel);
  return owner == nullptr ? AMDCOMPAT_BAD_CALL : find_name(owner->arguments, name, argument);
}

size_t amdcompat_data_segment_count(const amdcompat_file* file) {
  return file == nullptr ? 0 : file->program.data.size();
}

amdcompat_status amdcompat_data_segment_get(const amdcompat_file* file, size_t segment, amdcompat_data_segment* out) {
  if (segment >= amdcompat_data_segment_count(file)) return AMDCOMPAT_BAD_CALL;
  const DataSegment& from = file->program.data[segment];
  amdcompat_data_segment value{};
  value.section = from.section.c_str();
  value.bytes = from.bytes.empty() ? nullptr : from.bytes.data();
  value.byte_count = from.bytes.size();
  value.zero_bytes = from.zero_bytes;
  value.constant_buffer = from.constant_buffer.value_or(0);
  return write_struct(value, out);
}

// --- launches ----------------------------------------------------------------------------------------------------

amdcompat_status amdcompat_launch_create(const amdcompat_file* file, size_t kernel,
                                         const amdcompat_launch_options* options, amdcompat_launch** out) {
  if (out == nullptr) return AMDCOMPAT_BAD_CALL;
  *out = nullptr;
  const Kernel* const from = kernel_at(file, kernel);
  amdcompat_launch_options given{};
  if (from == nullptr || (options != nullptr && !read_struct(options, given))) return AMDCOMPAT_BAD_CALL;
  if (given.profile > AMDCOMPAT_PROFILE_SPEC || given.arguments > AMDCOMPAT_ARGUMENTS_SAFE ||
      given.image_layout > AMDCOMPAT_IMAGES_R7XX || (given.flags & ~AMDCOMPAT_STRICT) != 0 ||
      given.packet_header > 0xffff || given.reserved != 0)
    return AMDCOMPAT_BAD_CALL;
  return guard([&] {
    auto launch = std::make_unique<amdcompat_launch>(amdcompat_diagnostics(given.flags));
    const auto keep = [&]<class Image>(std::optional<Image> image) {
      if (image) launch->image.emplace<Image>(std::move(*image));
      launch->found.take();
      return status(image.has_value());
    };
    amdcompat_status result = AMDCOMPAT_OK;
    if (from->kernarg() != nullptr) {
      abi::KernargOptions wanted;
      if (given.max_block_bytes != 0) wanted.max_segment_bytes = given.max_block_bytes;
      if (given.max_local_bytes != 0) wanted.max_local_bytes = given.max_local_bytes;
      if (given.packet_header != 0) wanted.packet_header = static_cast<std::uint16_t>(given.packet_header);
      result = keep(KernargImage::create(*from, launch->found.sink, wanted));
    } else if (from->argument_block() != nullptr) {
      abi::Cl2LaunchOptions wanted;
      if (given.max_block_bytes != 0) wanted.max_block_bytes = given.max_block_bytes;
      if (given.max_memory_bytes != 0) wanted.max_memory_bytes = given.max_memory_bytes;
      if (given.max_local_bytes != 0) wanted.max_local_bytes = given.max_local_bytes;
      if (given.packet_header != 0) wanted.packet_header = static_cast<std::uint16_t>(given.packet_header);
      result = keep(Cl2LaunchImage::create(*from, launch->found.sink, wanted));
    } else {
      abi::LaunchOptions wanted;
      wanted.profile = static_cast<abi::Profile>(given.profile);
      wanted.arguments = static_cast<abi::ArgumentProfile>(given.arguments);
      wanted.image_layout = static_cast<abi::ImageLayout>(given.image_layout);
      if (given.max_constant_buffer != 0) wanted.max_constant_buffer = given.max_constant_buffer;
      if (given.max_local_bytes != 0) wanted.max_local_bytes = given.max_local_bytes;
      result = keep(LaunchImage::create(*from, launch->found.sink, wanted, file->program.data));
    }
    *out = launch.release();
    return result;
  });
}

void amdcompat_launch_free(amdcompat_launch* launch) { delete launch; }

const amdcompat_diagnostics* amdcompat_launch_diagnostics(const amdcompat_launch* launch) {
  return launch == nullptr ? nullptr : &launch->found;
}

void amdcompat_launch_clear_diagnostics(amdcompat_launch* launch) {
  if (launch == nullptr) return;
  launch->found.sink = Diagnostics(launch->found.sink.mode());
  launch->found.list.clear();
}

amdcompat_status amdcompat_launch_set_range(amdcompat_launch* launch, const amdcompat_range* range) {
  amdcompat_range given{};
  if (!read_struct(range, given) || (given.flags & ~(AMDCOMPAT_RANGE_TASK | AMDCOMPAT_RANGE_SPLIT)) != 0)
    return AMDCOMPAT_BAD_CALL;
  abi::Range value;
  value.dimensions = given.dimensions;
  value.task = (given.flags & AMDCOMPAT_RANGE_TASK) != 0;
  std::ranges::copy(given.global, value.global.begin());
  std::ranges::copy(given.offset, value.offset.begin());
  if (std::ranges::any_of(given.local, [](std::uint32_t n) { return n != 0; }))
    std::ranges::copy(given.local, value.local.emplace().begin());
  if ((given.flags & AMDCOMPAT_RANGE_SPLIT) != 0) {
    abi::Split& split = value.split.emplace();
    std::ranges::copy(given.split_global, split.global.begin());
    std::ranges::copy(given.split_offset, split.offset.begin());
    std::ranges::copy(given.split_group_offset, split.group_offset.begin());
  }
  return with_image(launch, [&](AnyImage auto& image, Diagnostics& found) { return image.set_range(value, found); });
}

amdcompat_status amdcompat_launch_set_bytes(amdcompat_launch* launch, size_t argument, const void* bytes,
                                            size_t byte_count) {
  if (bytes == nullptr && byte_count != 0) return AMDCOMPAT_BAD_CALL;
  const std::span value(static_cast<const std::byte*>(bytes), byte_count);
  return with_image(launch,
                    [&](AnyImage auto& image, Diagnostics& found) { return image.set_bytes(argument, value, found); });
}

amdcompat_status amdcompat_launch_set_buffer(amdcompat_launch* launch, size_t argument,
                                             const amdcompat_buffer* buffer) {
  std::optional<abi::Buffer> value;
  if (!read_buffer(buffer, value) || !value) return AMDCOMPAT_BAD_CALL;
  if (value->base != 0 && image_of<LaunchImage>(launch) == nullptr) return AMDCOMPAT_BAD_CALL;
  return with_image(launch, [&]<AnyImage Image>(Image& image, Diagnostics& found) {
    if constexpr (PacketImage<Image>)
      return image.set_address(argument, value->address, value->size, found);
    else
      return image.set_buffer(argument, *value, found);
  });
}

amdcompat_status amdcompat_launch_set_null(amdcompat_launch* launch, size_t argument) {
  return with_image(launch, [&](AnyImage auto& image, Diagnostics& found) { return image.set_null(argument, found); });
}

amdcompat_status amdcompat_launch_set_local(amdcompat_launch* launch, size_t argument, uint64_t byte_count) {
  return with_image(
      launch, [&](AnyImage auto& image, Diagnostics& found) { return image.set_local(argument, byte_count, found); });
}

amdcompat_status amdcompat_launch_set_image(amdcompat_launch* launch, size_t argument, const amdcompat_image* image) {
  amdcompat_image given{};
  if (!read_struct(image, given)) return AMDCOMPAT_BAD_CALL;
  abi::ImageValue value;
  value.width = given.width;
  value.height = given.height;
  value.depth = given.depth;
  value.channel_order = given.channel_order;
  value.channel_type = given.channel_type;
  value.address = given.address;
  value.row_pitch = given.row_pitch;
  value.slice_pitch = given.slice_pitch;
  value.array_size = given.array_size;
  value.offset = given.offset;
  return with_image(launch,
                    [&](AnyImage auto& out, Diagnostics& found) { return out.set_image(argument, value, found); });
}

amdcompat_status amdcompat_launch_set_sampler(amdcompat_launch* launch, size_t argument, uint32_t word) {
  return with_image(launch,
                    [&](AnyImage auto& image, Diagnostics& found) { return image.set_sampler(argument, word, found); });
}

amdcompat_status amdcompat_launch_set_object(amdcompat_launch* launch, size_t argument, const void* bytes,
                                             size_t byte_count) {
  if (bytes == nullptr && byte_count != 0) return AMDCOMPAT_BAD_CALL;
  const std::span value(static_cast<const std::byte*>(bytes), byte_count);
  return with_image(
      launch, [&](ObjectImage auto& image, Diagnostics& found) { return image.set_object(argument, value, found); });
}

amdcompat_status amdcompat_launch_set_environment(amdcompat_launch* launch, const amdcompat_environment* environment) {
  amdcompat_environment given{};
  if (environment != nullptr && !read_struct(environment, given)) return AMDCOMPAT_BAD_CALL;
  const auto take_common = [&](auto& value) {
    value.memory = given.memory;
    value.kernel_object = given.kernel_object;
    value.completion_signal = given.completion_signal;
    value.queue = given.queue;
    value.printf_buffer = given.printf_buffer;
    value.default_queue = given.default_queue;
    value.local_aperture = given.local_aperture;
    value.scratch_aperture = given.scratch_aperture;
  };
  if (image_of<KernargImage>(launch) != nullptr) {
    abi::KernargEnvironment value;
    take_common(value);
    value.hostcall_buffer = given.hostcall_buffer;
    value.completion_action = given.aql_wrap;
    value.multigrid_sync = given.multigrid_sync;
    value.heap = given.heap;
    return with_image(launch,
                      [&](KernargImage& image, Diagnostics& found) { return image.set_environment(value, found); });
  }
  abi::Cl2Environment value;
  take_common(value);
  value.aql_wrap = given.aql_wrap;
  value.scratch = given.scratch;
  value.scratch_bytes = given.scratch_bytes;
  value.scratch_offset = given.scratch_offset;
  return with_image(launch,
                    [&](Cl2LaunchImage& image, Diagnostics& found) { return image.set_environment(value, found); });
}

amdcompat_status amdcompat_launch_set_printf(amdcompat_launch* launch, const amdcompat_printf_buffer* buffer) {
  std::optional<abi::PrintfBuffer> value;
  if (buffer != nullptr) {
    amdcompat_printf_buffer given{};
    if (!read_struct(buffer, given)) return AMDCOMPAT_BAD_CALL;
    value = abi::PrintfBuffer{given.address, given.base, given.dwords_per_item, given.byte_count};
  }
  return with_image(launch, [&](DataImage auto& image, Diagnostics& found) { return image.set_printf(value, found); });
}

amdcompat_status amdcompat_launch_set_data_segment(amdcompat_launch* launch, const amdcompat_buffer* buffer) {
  std::optional<abi::Buffer> value;
  if (!read_buffer(buffer, value)) return AMDCOMPAT_BAD_CALL;
  return with_image(launch,
                    [&](DataImage auto& image, Diagnostics& found) { return image.set_data_segment(value, found); });
}

amdcompat_status amdcompat_launch_set_rings(amdcompat_launch* launch, const amdcompat_rings* rings) {
  std::optional<abi::Rings> value;
  if (rings != nullptr) {
    amdcompat_rings given{};
    if (!read_struct(rings, given)) return AMDCOMPAT_BAD_CALL;
    value =
        abi::Rings{given.private_offset, given.private_bytes, given.local_offset, given.local_bytes, given.math_table};
  }
  return with_image(launch, [&](LaunchImage& image, Diagnostics& found) { return image.set_rings(value, found); });
}

amdcompat_status amdcompat_launch_set_constant_data(amdcompat_launch* launch, uint32_t number,
                                                    const amdcompat_buffer* buffer) {
  std::optional<abi::Buffer> value;
  if (!read_buffer(buffer, value) || !value) return AMDCOMPAT_BAD_CALL;
  return with_image(launch, [&](DataImage auto& image, Diagnostics& found) {
    return image.set_constant_data(number, *value, found);
  });
}

amdcompat_status amdcompat_launch_build(amdcompat_launch* launch) {
  return with_image(launch, [](AnyImage auto& image, Diagnostics& found) { return image.build(found); });
}

const void* amdcompat_launch_image(const amdcompat_launch* launch, uint32_t number, size_t* byte_count) {
  std::span<const std::byte> bytes;
  if (const auto* image = image_of<LaunchImage>(launch)) bytes = image->buffer(number);
  if (byte_count != nullptr) *byte_count = bytes.size();
  return bytes.empty() ? nullptr : bytes.data();
}

void amdcompat_launch_changed(const amdcompat_launch* launch, uint32_t number, size_t* begin, size_t* end) {
  std::size_t first = 0, last = 0;
  if (const auto* image = image_of<LaunchImage>(launch)) {
    if (number < 2) {
      const abi::ChangedBytes changed = number == 0 ? image->cb0_changed() : image->cb1_changed();
      first = changed.begin;
      last = changed.end;
    } else {
      last = image->buffer(number).size();
    }
  }
  if (begin != nullptr) *begin = first;
  if (end != nullptr) *end = last;
}

uint64_t amdcompat_launch_local_bytes(const amdcompat_launch* launch) {
  if (const auto* image = image_of<LaunchImage>(launch)) return image->local_bytes();
  if (const auto* image = image_of<Cl2LaunchImage>(launch)) return image->local_bytes();
  if (const auto* image = image_of<KernargImage>(launch)) return image->local_bytes();
  return 0;
}

void amdcompat_launch_local_size(const amdcompat_launch* launch, uint32_t local[3]) {
  if (local == nullptr) return;
  std::array<std::uint32_t, 3> size{};
  if (const auto* image = image_of<LaunchImage>(launch)) size = image->local_size();
  if (const auto* image = image_of<Cl2LaunchImage>(launch)) size = image->local_size();
  if (const auto* image = image_of<KernargImage>(launch)) size = image->local_size();
  std::ranges::copy(size, local);
}

amdcompat_status amdcompat_launch_memory(const amdcompat_launch* launch, amdcompat_memory* out) {
  if (image_of<LaunchImage>(launch) != nullptr) return AMDCOMPAT_NOT_FOUND;
  const auto fill = [&](const auto& image) {
    amdcompat_memory value{};
    value.bytes = image.memory().data();
    value.byte_count = image.memory().size();
    value.block_bytes = image.block_bytes();
    value.changed_begin = image.changed().begin;
    value.changed_end = image.changed().end;
    value.align = image.memory_align();
    value.packet_header = image.packet_header();
    return write_struct(value, out);
  };
  if (const auto* const image = image_of<Cl2LaunchImage>(launch)) return fill(*image);
  if (const auto* const image = image_of<KernargImage>(launch)) return fill(*image);
  return AMDCOMPAT_BAD_CALL;
}

size_t amdcompat_launch_register_count(const amdcompat_launch* launch) {
  std::uint16_t enabled = 0;
  if (const auto* const image = image_of<Cl2LaunchImage>(launch)) enabled = entry_user_registers(image->kernel().entry);
  if (const auto* const image = image_of<KernargImage>(launch)) enabled = entry_user_registers(image->kernel().entry);
  return static_cast<std::size_t>(
      std::ranges::count_if(user_register_table(), [&](const UserRegister& row) { return (enabled & row.mask) != 0; }));
}

amdcompat_status amdcompat_launch_register(const amdcompat_launch* launch, size_t index, amdcompat_register* out) {
  if (index >= amdcompat_launch_register_count(launch)) return AMDCOMPAT_BAD_CALL;
  return guard([&] {
    const auto* const cl2 = image_of<Cl2LaunchImage>(launch);
    const abi::UserRegisterValue from =
        (cl2 != nullptr ? cl2->user_registers() : image_of<KernargImage>(launch)->user_registers()).at(index);
    amdcompat_register value{};
    value.name = from.name.data();  // of a table of literals, as is the meaning
    value.meaning = from.meaning.data();
    value.first = from.first;
    value.count = from.count;
    value.known = from.known ? 1 : 0;
    std::ranges::copy(from.words, value.words);
    return write_struct(value, out);
  });
}

size_t amdcompat_launch_binding_count(const amdcompat_launch* launch) {
  const auto* const image = image_of<LaunchImage>(launch);
  return image == nullptr ? 0 : image->bindings().size();
}

amdcompat_status amdcompat_launch_binding(const amdcompat_launch* launch, size_t index, amdcompat_binding* out) {
  if (index >= amdcompat_launch_binding_count(launch)) return AMDCOMPAT_BAD_CALL;
  const abi::Binding& from = image_of<LaunchImage>(launch)->bindings()[index];
  amdcompat_binding value{};
  value.what = from.what.c_str();
  value.kind = static_cast<std::uint32_t>(from.kind);
  value.slot = from.slot;
  value.argument = from.argument ? static_cast<std::int64_t>(*from.argument) : -1;
  value.address = from.address;
  value.byte_count = from.size;
  value.stride = from.stride;
  value.descriptor_words = from.words;
  std::ranges::copy(from.descriptor, value.descriptor);
  return write_struct(value, out);
}

amdcompat_status amdcompat_launch_map(amdcompat_launch* launch, size_t* count) {
  if (launch == nullptr || count == nullptr) return AMDCOMPAT_BAD_CALL;
  *count = 0;
  return guard([&] {
    std::vector<abi::MapEntry> map;
    if (const auto* image = image_of<LaunchImage>(launch)) map = image->map();
    if (const auto* image = image_of<Cl2LaunchImage>(launch)) map = image->map();
    if (const auto* image = image_of<KernargImage>(launch)) map = image->map();
    for (abi::MapEntry& entry : map)
      for (std::string* text : {&entry.name, &entry.part, &entry.what, &entry.value}) *text = c_text(*text);
    launch->map = std::move(map);
    *count = launch->map.size();
    return launch->image.index() == 0 ? amdcompat_status{AMDCOMPAT_BAD_CALL} : amdcompat_status{AMDCOMPAT_OK};
  });
}

amdcompat_status amdcompat_launch_map_get(const amdcompat_launch* launch, size_t index, amdcompat_map_entry* out) {
  if (launch == nullptr || index >= launch->map.size()) return AMDCOMPAT_BAD_CALL;
  const abi::MapEntry& from = launch->map[index];
  amdcompat_map_entry value{};
  value.name = from.name.c_str();
  value.part = from.part.c_str();
  value.what = from.what.c_str();
  value.value = from.value.c_str();
  value.evidence = literal(evidence_name(from.evidence));  // of a table of literals, as is the source
  value.source = literal(from.source);
  value.argument = from.argument ? static_cast<std::int64_t>(*from.argument) : -1;
  value.buffer = from.buffer;
  value.offset = from.offset;
  value.byte_count = from.size;
  value.reserved_bytes = from.reserved;
  return write_struct(value, out);
}

// --- printf --------------------------------------------------------------------------------------------------------

amdcompat_status amdcompat_printf_reset(void* bytes, size_t byte_count, uint32_t dwords_per_item) {
  if ((bytes == nullptr && byte_count != 0) || dwords_per_item == 0) return AMDCOMPAT_BAD_CALL;
  abi::reset_legacy_printf({static_cast<std::byte*>(bytes), byte_count}, dwords_per_item);
  return AMDCOMPAT_OK;
}

amdcompat_status amdcompat_printf_decode(const amdcompat_file* file, size_t kernel, const void* bytes,
                                         size_t byte_count, const amdcompat_printf_layout* layout,
                                         amdcompat_text** out) {
  if (out == nullptr) return AMDCOMPAT_BAD_CALL;
  *out = nullptr;
  const Kernel* const from = kernel_at(file, kernel);
  amdcompat_printf_layout given{};
  if (from == nullptr || (bytes == nullptr && byte_count != 0) || !read_struct(layout, given) ||
      given.kind > AMDCOMPAT_PRINTF_HSA)
    return AMDCOMPAT_BAD_CALL;
  return guard([&] {
    std::vector<PrintfFormat> formats;  // units of one file number their formats on their own
    for (const PrintfFormat& format : file->program.printf)
      if (format.unit == from->unit) formats.push_back(format);
    const std::span buffer(static_cast<const std::byte*>(bytes), byte_count);
    auto text = std::make_unique<amdcompat_text>(amdcompat_diagnostics(0));
    Diagnostics& found = text->found.sink;
    const abi::LegacyPrintf geometry{given.dwords_per_item, given.items};
    text->bytes = abi::printf_text(given.kind == AMDCOMPAT_PRINTF_LEGACY
                                       ? abi::decode_legacy_printf(formats, buffer, geometry, found)
                                       : abi::decode_hsa_printf(formats, buffer, found));
    text->found.take();
    const bool good = !found.has_errors();
    *out = text.release();
    return status(good);
  });
}

const char* amdcompat_text_bytes(const amdcompat_text* text, size_t* byte_count) {
  if (byte_count != nullptr) *byte_count = text == nullptr ? 0 : text->bytes.size();
  return text == nullptr ? "" : text->bytes.c_str();
}

const amdcompat_diagnostics* amdcompat_text_diagnostics(const amdcompat_text* text) {
  return text == nullptr ? nullptr : &text->found;
}

void amdcompat_text_free(amdcompat_text* text) { delete text; }
