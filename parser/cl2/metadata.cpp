// Binary metadata of a kernel: what AMD's compiler library serialised from its structure `aclMetadata`.
//
//   header        sizes, limits, memory amounts, ids; three lengths, each compiler generation added members at its end
//   kernel name, device name [, hinted vector type]      each with its NUL
//   argument records, one more than there are arguments  the last one all zero
//   name and type string of each argument                each with its NUL
//   printf records, one more than there are              the last one all zero
//   sizes and format of each printf record
//
// Words are as wide as the outer ELF; pointers of the compiler's memory are stored as 0. One description of each record
// (`walk_header`, `walk_argument`, `walk_printf`) serves the reader, the writer and the table of offsets, so that they
// cannot disagree. Lengths of strings and counts of records stand in the file twice, once as numbers and once as what
// follows; the reader insists that both agree and the model keeps only what follows.
// [ACL aclStructs.h, if_acl.cpp deserializeCLMetadata; BIN]
#include <amdcompat/cl2.hpp>

#include <algorithm>
#include <limits>

#include "bytes.hpp"

namespace amdcompat::cl2 {
namespace {

// The numbers of a header that the model keeps as what they count.
struct HeaderSizes {
  std::uint64_t struct_size = 0;
  std::uint64_t kernel_name = 0;
  std::uint64_t device_name = 0;
  std::uint64_t vector_type = 0;
  std::uint64_t arguments = 0;
  std::uint64_t printf = 0;
};

// `Visitor` is a Cursor, an Appender or a FieldLister; `Model` a Metadata, const for writing.
template <class Visitor, class Model, class Sizes>
void walk_header(Visitor& v, Model& m, Sizes& sizes, HeaderSize parts) {
  v.word("struct_size", sizes.struct_size);
  v.word("data_size", m.data_size);
  v.field("version", m.version);
  v.field("gpu_caps", m.gpu_caps);
  v.field("function_id", m.function_id);
  v.field("resources", m.resources);
  v.word("required_group_size", m.required_group_size);
  v.field("required_region_size", m.required_region_size);
  if (v.wide()) v.field("padding", m.padding);
  v.word("kernel_name_size", sizes.kernel_name);
  v.word("device_name_size", sizes.device_name);
  v.word("memory", m.memory);
  v.word("argument_count", sizes.arguments);
  v.word("printf_count", sizes.printf);
  v.word("pointers", m.pointers);
  v.field("enqueue_kernel", m.enqueue_kernel);
  v.raw("enqueue_padding", m.enqueue_padding);
  v.field("kernel_index", m.kernel_index);
  if (parts == HeaderSize::Base) return;
  v.field("hidden_arguments", m.hidden_arguments);
  if (v.wide()) v.field("hidden_padding", m.hidden_padding);
  if (parts == HeaderSize::Hidden) return;
  v.word("waves_per_simd_hint", m.waves_per_simd_hint);
  v.word("group_size_hint", m.group_size_hint);
  v.word("vector_type_size", sizes.vector_type);
  v.word("vector_type_pointer", m.vector_type_pointer);
}

struct StringSizes {
  std::uint64_t name = 0;
  std::uint64_t type_name = 0;
};

template <class Visitor, class Record, class Sizes>
void walk_argument(Visitor& v, Record& record, Sizes& sizes) {
  v.word("struct_size", record.struct_size);
  v.word("name_size", sizes.name);
  v.word("type_name_size", sizes.type_name);
  v.word("pointers", record.pointers);
  v.field("words", record.words);
  v.field("type", record.type);
  v.field("is_const", record.is_const);
  v.raw("padding", std::span(record.padding).first(v.wide() ? record.padding.size() : 3));
}

struct PrintfSizes {
  std::uint64_t count = 0;
  std::uint64_t format = 0;
};

template <class Visitor, class Record, class Sizes>
void walk_printf(Visitor& v, Record& record, Sizes& sizes) {
  v.word("struct_size", record.struct_size);
  v.field("id", record.id);
  if (v.wide()) v.field("padding", record.padding);
  v.word("size_count", sizes.count);
  v.word("format_size", sizes.format);
  v.word("pointers", record.pointers);
}

class FieldLister {
 public:
  explicit FieldLister(bool wide) : wide_(wide) {}
  [[nodiscard]] bool wide() const { return wide_; }
  template <std::unsigned_integral T>
  void field(std::string_view name, const T& /*value*/) {
    add(name, sizeof(T));
  }
  template <std::unsigned_integral T, std::size_t N>
  void field(std::string_view name, const std::array<T, N>& /*values*/) {
    add(name, sizeof(T) * N);
  }
  void raw(std::string_view name, std::span<const std::byte> bytes) { add(name, bytes.size()); }
  void word(std::string_view name, const std::uint64_t& /*value*/) { add(name, wide_ ? 8 : 4); }
  template <std::size_t N>
  void word(std::string_view name, const std::array<std::uint64_t, N>& /*values*/) {
    add(name, N * (wide_ ? 8 : 4));
  }
  std::vector<HeaderField> fields;

 private:
  void add(std::string_view name, std::size_t size) {
    fields.push_back({name, at_, static_cast<std::uint32_t>(size)});
    at_ += static_cast<std::uint32_t>(size);
  }
  std::uint32_t at_ = 0;
  bool wide_;
};

// A record or a member of it; its path is made for findings only.
struct Path {
  std::string_view list;
  std::size_t index = 0;
  std::string_view member;
  [[nodiscard]] std::string text() const {
    return list.empty() ? std::string() : fmt::format("{}[{}]{}", list, index, member);
  }
};

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, std::uint32_t base, AddressBits bits, Diagnostics& diagnostics)
      : bytes_(bytes), base_(base), wide_(bits == AddressBits::Bits64), diagnostics_(diagnostics),
        cursor_(bytes, wide_) {
    metadata_.bits = bits;
  }

  std::optional<Metadata> run() {
    HeaderSizes sizes;
    if (!read_header(sizes)) return std::nullopt;
    if (!read_string(metadata_.kernel_name, sizes.kernel_name, "kernel name") ||
        !read_string(metadata_.device_name, sizes.device_name, "device name"))
      return std::nullopt;
    if (metadata_.header == HeaderSize::Hints &&
        !read_string(metadata_.vector_type_hint, sizes.vector_type, "hinted vector type"))
      return std::nullopt;
    if (!read_arguments(sizes.arguments) || !read_printf(sizes.printf)) return std::nullopt;
    if (cursor_.left() != 0) {
      diagnostics_.report(Code::Cl2MetadataTrailing, here(cursor_.left()),
                          fmt::format("{} bytes after the last record", cursor_.left()));
      const auto rest = cursor_.bytes(cursor_.left());
      metadata_.rest.assign(rest.begin(), rest.end());
    }
    return std::move(metadata_);
  }

 private:
  // Bytes from the cursor on, as far as there are any.
  SourceRange here(std::uint64_t size = 0) const { return range(cursor_.at(), size); }
  SourceRange range(std::size_t at, std::uint64_t size) const {
    return {static_cast<std::uint32_t>(base_ + at),
            static_cast<std::uint32_t>(std::min<std::uint64_t>(size, bytes_.size() - at))};
  }
  bool broken(SourceRange where, std::string message, std::string path = {}) {
    diagnostics_.report(Code::Cl2MetadataBroken, where, std::move(message), std::move(path));
    return false;
  }

  bool read_header(HeaderSizes& sizes) {
    const std::uint64_t struct_size = bytes_.size() < 8 ? 0
                                      : wide_           ? elf::load<std::uint64_t>(bytes_, 0)
                                                        : elf::load<std::uint32_t>(bytes_, 0);
    if (struct_size < header_bytes(HeaderSize::Base, metadata_.bits) || struct_size > bytes_.size())
      return broken(range(0, wide_ ? 8 : 4),
                    fmt::format("a header of {} bytes in metadata of {}; the least is {}", struct_size, bytes_.size(),
                                header_bytes(HeaderSize::Base, metadata_.bits)),
                    "struct_size");
    metadata_.header = HeaderSize::Base;
    for (const HeaderSize size : {HeaderSize::Hidden, HeaderSize::Hints})
      if (struct_size >= header_bytes(size, metadata_.bits)) metadata_.header = size;
    walk_header(cursor_, metadata_, sizes, metadata_.header);
    if (struct_size != cursor_.at()) {
      diagnostics_.report(Code::Cl2MetadataSize, range(0, wide_ ? 8 : 4),
                          fmt::format("a header of {} bytes is none of a known compiler; its last {} bytes are kept",
                                      struct_size, struct_size - cursor_.at()),
                          "struct_size");
      const auto rest = cursor_.bytes(static_cast<std::size_t>(struct_size) - cursor_.at());
      metadata_.header_rest.assign(rest.begin(), rest.end());
    }
    if (metadata_.data_size != bytes_.size())
      diagnostics_.report(
          Code::Cl2MetadataSize, range(wide_ ? 8 : 4, wide_ ? 8 : 4),
          fmt::format("the metadata says it has {} bytes, its symbol {}", metadata_.data_size, bytes_.size()),
          "data_size");
    return true;
  }

  bool read_string(std::string& out, std::uint64_t size, std::string_view what, const Path& path = {}) {
    const SourceRange where = here(size);
    if (size >= cursor_.left())
      return broken(where, fmt::format("a {} of {} bytes, but only {} are left", what, size, cursor_.left()),
                    path.text());
    out = as_text(cursor_.bytes(static_cast<std::size_t>(size)));
    if (out.find('\0') != std::string::npos || cursor_.bytes(1)[0] != std::byte{0})
      return broken(where, fmt::format("the {} is not the {} bytes before its NUL that its size says", what, size),
                    path.text());
    return true;
  }

  // Whether `count` records and their terminator are there.
  bool fits(std::uint64_t count, std::uint32_t record, std::string_view what) {
    if (count < cursor_.left() / record) return true;
    return broken(here(), fmt::format("{} {} records of {} bytes and a terminator do not fit into the {} bytes left",
                                      count, what, record, cursor_.left()));
  }

  void check_size(std::uint64_t struct_size, std::uint32_t expected, SourceRange where, const Path& path) {
    if (struct_size != expected)
      diagnostics_.report(Code::Cl2ArgumentRecord, where,
                          fmt::format("a record says it has {} bytes, its place has {}", struct_size, expected),
                          path.text());
  }

  bool read_arguments(std::uint64_t count) {
    const std::uint32_t size = argument_bytes(wide_);
    if (!fits(count, size, "argument")) return false;
    metadata_.arguments.resize(static_cast<std::size_t>(count));
    std::vector<StringSizes> strings(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      ArgumentRecord& record = metadata_.arguments[i];
      record.where = here(size);
      walk_argument(cursor_, record, strings[i]);
      check_size(record.struct_size, size, record.where, {"args", i, {}});
    }
    StringSizes end;
    metadata_.argument_end.where = here(size);
    walk_argument(cursor_, metadata_.argument_end, end);
    if (end.name != 0 || end.type_name != 0)
      return broken(metadata_.argument_end.where, "the record after the last argument has a name");
    const ArgumentRecord& last = metadata_.argument_end;
    if (last.struct_size != 0 || last.type != 0 || last.is_const != 0 || last.words != ArgumentRecord{}.words ||
        last.pointers != ArgumentRecord{}.pointers || last.padding != ArgumentRecord{}.padding)
      diagnostics_.report(Code::Cl2ArgumentRecord, last.where, "the record after the last argument is not zero");
    for (std::size_t i = 0; i < count; ++i)
      if (!read_string(metadata_.arguments[i].name, strings[i].name, "argument name", {"args", i, ".name"}) ||
          !read_string(metadata_.arguments[i].type_name, strings[i].type_name, "type string",
                       {"args", i, ".type_name"}))
        return false;
    return true;
  }

  bool read_printf(std::uint64_t count) {
    const std::uint32_t size = printf_bytes(wide_);
    if (!fits(count, size, "printf")) return false;
    metadata_.printf.resize(static_cast<std::size_t>(count));
    std::vector<PrintfSizes> sizes(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      PrintfRecord& record = metadata_.printf[i];
      record.where = here(size);
      walk_printf(cursor_, record, sizes[i]);
      check_size(record.struct_size, size, record.where, {"printf", i, {}});
    }
    PrintfSizes end;
    metadata_.printf_end.where = here(size);
    walk_printf(cursor_, metadata_.printf_end, end);
    const PrintfRecord& last = metadata_.printf_end;
    if (end.count != 0 || end.format != 0)
      return broken(last.where, "the record after the last printf record has a format");
    if (last.struct_size != 0 || last.id != 0 || last.padding != 0 || last.pointers != PrintfRecord{}.pointers)
      diagnostics_.report(Code::Cl2ArgumentRecord, last.where, "the record after the last printf record is not zero");
    for (std::size_t i = 0; i < count; ++i) {
      if (sizes[i].count > cursor_.left() / 4)
        return broken(here(),
                      fmt::format("{} argument sizes, but only {} bytes are left", sizes[i].count, cursor_.left()),
                      fmt::format("printf[{}]", i));
      metadata_.printf[i].sizes.resize(static_cast<std::size_t>(sizes[i].count));
      for (std::uint32_t& value : metadata_.printf[i].sizes) cursor_.field("size", value);
      if (!read_string(metadata_.printf[i].format, sizes[i].format, "printf format", {"printf", i, ".format"}))
        return false;
    }
    return true;
  }

  std::span<const std::byte> bytes_;
  std::uint32_t base_;
  bool wide_;
  Diagnostics& diagnostics_;
  Cursor cursor_;
  Metadata metadata_;
};

// [ACL aclEnums.h aclGPUCaps]
constexpr std::array kCapabilityBits{
    CapabilityBit{0x1, "COMPILER_WRITE"}, CapabilityBit{0x2, "DATA_SECTION"}, CapabilityBit{0x4, "WGS"},
    CapabilityBit{0x8, "LIMIT_WGS"},      CapabilityBit{0x10, "PACKED_REGS"}, CapabilityBit{0x20, "64BIT_ABI"},
    CapabilityBit{0x40, "PRINTF"},        CapabilityBit{0x80, "ARENA_UAV"},   CapabilityBit{0x100, "LRP_MEM"},
    CapabilityBit{0x200, "INDEX_TEMPS"},  CapabilityBit{0x400, "WRS"},        CapabilityBit{0x800, "GWS"},
    CapabilityBit{0x1000, "SWGWS"}};

// By code, from 1 on. f80 and f128 are in no OpenCL language. [ACL aclEnums.h aclArgDataType]
constexpr std::array<std::optional<ScalarType>, 19> kScalars{
    std::nullopt,       ScalarType::I1,    ScalarType::I8,     ScalarType::I16,    ScalarType::I32,
    ScalarType::I64,    ScalarType::U8,    ScalarType::U16,    ScalarType::U32,    ScalarType::U64,
    ScalarType::Half,   ScalarType::Float, ScalarType::Double, std::nullopt,       std::nullopt,
    ScalarType::Struct, ScalarType::Union, ScalarType::Event,  ScalarType::Unsized};

struct ImageTypeRow {
  std::string_view name;
  ImageDim dim;
};
constexpr std::array kImageTypes{ImageTypeRow{"image1d_t", ImageDim::D1},
                                 ImageTypeRow{"image1d_array_t", ImageDim::D1Array},
                                 ImageTypeRow{"image1d_buffer_t", ImageDim::D1Buffer},
                                 ImageTypeRow{"image2d_t", ImageDim::D2},
                                 ImageTypeRow{"image2d_array_t", ImageDim::D2Array},
                                 ImageTypeRow{"image3d_t", ImageDim::D3},
                                 ImageTypeRow{"image2d_depth_t", ImageDim::D2Depth},
                                 ImageTypeRow{"image2d_array_depth_t", ImageDim::D2ArrayDepth}};

constexpr std::array<std::string_view, 8> kArgumentTypes{"error", "sampler", "image",     "counter",
                                                         "value", "pointer", "semaphore", "queue"};

struct Encoder {
  ArgumentRecord& record;
  void put(ArgumentType type, std::array<std::uint32_t, 9> words) {
    record.type = static_cast<std::uint32_t>(type);
    record.words = words;
  }
  static std::uint32_t bytes(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) {
    return a | std::uint32_t{b} << 8 | std::uint32_t{c} << 16 | std::uint32_t{d} << 24;
  }
  void operator()(std::monostate) {}
  void operator()(const ValueWords& w) {
    put(ArgumentType::Value, {w.elements, w.constant_buffer, w.virtual_offset, w.data});
  }
  void operator()(const PointerWords& w) {
    put(ArgumentType::Pointer, {w.elements, w.constant_buffer, w.virtual_offset, w.buffer, w.align, w.data, w.memory,
                                w.access, bytes(w.is_volatile, w.is_restrict, w.is_pipe, w.unused)});
  }
  void operator()(const ImageWords& w) {
    put(ArgumentType::Image, {w.resource, w.constant_buffer, w.virtual_offset, w.access,
                              bytes(w.flags[0], w.flags[1], w.flags[2], w.flags[3])});
  }
  void operator()(const SamplerWords& w) { put(ArgumentType::Sampler, {w.id, w.defined_in_kernel, w.virtual_offset}); }
  void operator()(const CounterWords& w) {
    put(ArgumentType::Counter, {w.is_32_bits, w.resource, w.constant_buffer, w.virtual_offset});
  }
  void operator()(const SemaphoreWords& w) {
    put(ArgumentType::Semaphore, {w.resource, w.constant_buffer, w.virtual_offset});
  }
  void operator()(const QueueWords& w) {
    put(ArgumentType::Queue, {w.elements, w.constant_buffer, w.virtual_offset, w.data, w.memory});
  }
};

}  // namespace

std::span<const CapabilityBit> capability_bits() { return kCapabilityBits; }

std::string_view argument_type_name(ArgumentType type) {
  const auto index = static_cast<std::size_t>(type);
  return index < kArgumentTypes.size() ? kArgumentTypes[index] : std::string_view("unknown");
}

std::optional<ScalarType> find_scalar(std::uint32_t code) {
  return code < kScalars.size() ? kScalars[code] : std::nullopt;
}

// The codes are those of the metadata parser's list, which MemoryKind follows. [ACL aclEnums.h aclMemoryType; MDP]
std::optional<MemoryKind> find_memory(std::uint32_t code) {
  static_assert(static_cast<unsigned>(MemoryKind::Uav) == 3 && static_cast<unsigned>(MemoryKind::UavConstant) == 11);
  if (code < 1 || code > 12) return std::nullopt;
  return static_cast<MemoryKind>(code - 1);
}

std::optional<Access> find_access(std::uint32_t code) {
  switch (code) {
    case 1: return Access::ReadOnly;
    case 2: return Access::WriteOnly;
    case 3: return Access::ReadWrite;
    default: return std::nullopt;
  }
}

std::optional<ImageDim> find_image_type(std::string_view type_name) {
  for (const ImageTypeRow& row : kImageTypes)
    if (row.name == type_name) return row.dim;
  return std::nullopt;
}

ArgumentWords decode(const ArgumentRecord& record) {
  const auto& w = record.words;
  const auto byte = [&](std::size_t word, unsigned index) { return static_cast<std::uint8_t>(w[word] >> (8 * index)); };
  switch (static_cast<ArgumentType>(record.type)) {
    case ArgumentType::Value: return ValueWords{w[0], w[1], w[2], w[3]};
    case ArgumentType::Pointer:
      return PointerWords{w[0], w[1], w[2],       w[3],       w[4],       w[5],
                          w[6], w[7], byte(8, 0), byte(8, 1), byte(8, 2), byte(8, 3)};
    case ArgumentType::Image:
      return ImageWords{w[0], w[1], w[2], w[3], {byte(4, 0), byte(4, 1), byte(4, 2), byte(4, 3)}};
    case ArgumentType::Sampler: return SamplerWords{w[0], w[1], w[2]};
    case ArgumentType::Counter: return CounterWords{w[0], w[1], w[2], w[3]};
    case ArgumentType::Semaphore: return SemaphoreWords{w[0], w[1], w[2]};
    case ArgumentType::Queue: return QueueWords{w[0], w[1], w[2], w[3], w[4]};
    case ArgumentType::Error: break;
  }
  return {};
}

void encode(ArgumentRecord& record, const ArgumentWords& words) { std::visit(Encoder{record}, words); }

std::uint32_t header_bytes(HeaderSize size, AddressBits bits) {
  static constexpr std::array<std::array<std::uint32_t, 2>, 3> kBytes{{{0x88, 0xd8}, {0x8c, 0xe0}, {0xa4, 0x110}}};
  return kBytes[static_cast<std::size_t>(size)][bits == AddressBits::Bits64 ? 1 : 0];
}

std::vector<HeaderField> header_fields(AddressBits bits) {
  FieldLister lister(bits == AddressBits::Bits64);
  const Metadata metadata;
  const HeaderSizes sizes;
  walk_header(lister, metadata, sizes, HeaderSize::Hints);
  return std::move(lister.fields);
}

std::optional<Metadata> read_metadata(std::span<const std::byte> file, SourceRange where, AddressBits bits,
                                      Diagnostics& diagnostics) {
  return Reader(part(file, where), where.begin, bits, diagnostics).run();
}

std::vector<std::byte> write_metadata(const Metadata& m) {
  Appender out(m.bits == AddressBits::Bits64);
  const HeaderSizes sizes{header_bytes(m.header, m.bits) + m.header_rest.size(),
                          m.kernel_name.size(),
                          m.device_name.size(),
                          m.vector_type_hint.size(),
                          m.arguments.size(),
                          m.printf.size()};
  const auto put_string = [&](std::string_view text) {
    out.put_text(text);
    out.put(std::uint8_t{0});
  };
  walk_header(out, m, sizes, m.header);
  out.put_bytes(m.header_rest);
  put_string(m.kernel_name);
  put_string(m.device_name);
  if (m.header == HeaderSize::Hints) put_string(m.vector_type_hint);
  for (const ArgumentRecord& record : m.arguments) {
    const StringSizes strings{record.name.size(), record.type_name.size()};
    walk_argument(out, record, strings);
  }
  const StringSizes no_strings;
  walk_argument(out, m.argument_end, no_strings);
  for (const ArgumentRecord& record : m.arguments) {
    put_string(record.name);
    put_string(record.type_name);
  }
  for (const PrintfRecord& record : m.printf) {
    const PrintfSizes counts{record.sizes.size(), record.format.size()};
    walk_printf(out, record, counts);
  }
  const PrintfSizes no_sizes;
  walk_printf(out, m.printf_end, no_sizes);
  for (const PrintfRecord& record : m.printf) {
    for (const std::uint32_t size : record.sizes) out.put(size);
    put_string(record.format);
  }
  out.put_bytes(m.rest);
  return std::move(out.bytes());
}

std::size_t hidden_argument_count(const Metadata& metadata) {
  if (metadata.header != HeaderSize::Base)
    return std::min<std::size_t>(metadata.hidden_arguments, metadata.arguments.size());
  const auto first = std::ranges::find_if(metadata.arguments,
                                          [](const ArgumentRecord& record) { return !record.name.starts_with("_."); });
  return static_cast<std::size_t>(first - metadata.arguments.begin());
}

}  // namespace amdcompat::cl2
