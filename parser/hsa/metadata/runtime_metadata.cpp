// The metadata of note AMD/7: pairs of a key, one byte, and its value. Compilers of 2016 wrote it, before LLVM 4.
//
//   KernelBegin, KernelName "k", ArgBegin, ArgSize 8, ArgAlign 8, ArgKind 1, ..., ArgEnd, ..., KernelEnd, ...
//
// Texts have their length in front, 32 bits; numbers are little-endian. The same facts stood in note AMD/8 later, as
// YAML with the keys `amd.…`: this reader makes that document's tree, and one decoder serves both.
// [LLVM before 4.0, AMDGPURuntimeMetadata.h and AMDGPUTargetStreamer.cpp; ROCR amdgpu_metadata.cpp]
//
// No length tells how to pass over an unknown key, so that reading ends there. Keys 25 to 31 changed their meaning
// while the format was made; compilers wrote none of them but the printf strings, whose key 30 is not verified.
#include <new>
#include <utility>

#include <fmt/format.h>

#include <amdcompat/hsa.hpp>

#include <elf/bytes.hpp>

#include "schema.hpp"

namespace amdcompat::hsa {
namespace {

using elf::get;

enum class Level : std::uint8_t { Program, Kernel, Argument };
enum class Form : std::uint8_t { None, U8, U16, U32, Text, Sizes };

struct RuntimeKey {
  std::uint8_t number;
  Level level;
  Form form;
  std::string_view name;
};
constexpr RuntimeKey kKeys[] = {
    {2, Level::Program, Form::U8, "amd.Language"},
    {3, Level::Program, Form::U16, "amd.LanguageVersion"},
    {6, Level::Kernel, Form::Text, "amd.KernelName"},
    {9, Level::Argument, Form::U32, "amd.ArgSize"},
    {10, Level::Argument, Form::U32, "amd.ArgAlign"},
    {11, Level::Argument, Form::Text, "amd.ArgTypeName"},
    {12, Level::Argument, Form::Text, "amd.ArgName"},
    {13, Level::Argument, Form::U8, "amd.ArgKind"},
    {14, Level::Argument, Form::U16, "amd.ArgValueType"},
    {15, Level::Argument, Form::U8, "amd.ArgAddrQual"},
    {16, Level::Argument, Form::U8, "amd.ArgAccQual"},
    {17, Level::Argument, Form::None, "amd.ArgIsConst"},
    {18, Level::Argument, Form::None, "amd.ArgIsRestrict"},
    {19, Level::Argument, Form::None, "amd.ArgIsVolatile"},
    {20, Level::Argument, Form::None, "amd.ArgIsPipe"},
    {21, Level::Kernel, Form::Sizes, "amd.ReqdWorkGroupSize"},
    {22, Level::Kernel, Form::Sizes, "amd.WorkGroupSizeHint"},
    {23, Level::Kernel, Form::Text, "amd.VecTypeHint"},
    {24, Level::Kernel, Form::U32, "amd.KernelIndex"},
    {30, Level::Program, Form::Text, "amd.PrintfInfo"},
    {32, Level::Argument, Form::U32, "amd.ArgPointeeAlign"},
};
constexpr std::uint8_t kNull = 0, kVersion = 1, kKernelBegin = 4, kKernelEnd = 5, kArgumentBegin = 7, kArgumentEnd = 8;
constexpr std::string_view kLanguages[] = {"OpenCL C", "HCC", "OpenMP", "OpenCL C++"};

class RuntimeMetadataReader {
 public:
  RuntimeMetadataReader(std::string_view bytes, Diagnostics& diagnostics, const ReadOptions& options)
      : bytes_(bytes), diagnostics_(diagnostics), options_(options) {}

  // What was read up to the first mistake.
  Node::Map run() {
    while (at_ < bytes_.size() && pair()) {
    }
    if (level_ != Level::Program && !stopped_) stop(bytes_.size(), "the metadata ends inside a kernel");
    Node::Map root;
    root.push_back({"amd.Kernels", {std::move(kernels_), {}}});
    root.push_back({"amd.MDVersion", {Node::Array{{std::uint64_t{1}, {}}, {std::uint64_t{0}, {}}}, {}}});
    if (!printf_.empty()) root.push_back({"amd.PrintfInfo", {std::move(printf_), {}}});
    return root;
  }

 private:
  bool stop(std::size_t at, std::string what) {
    stopped_ = true;
    diagnostics_.report(Code::HsaDocumentTruncated, {options_.base + static_cast<std::uint32_t>(at), 0},
                        fmt::format("{}; what follows is not read", what));
    return false;
  }

  // The next `count` bytes; nothing behind the end.
  std::optional<std::string_view> take(std::size_t count) {
    if (count > bytes_.size() - at_) {
      stop(at_, fmt::format("a value of {} bytes, {} are left", count, bytes_.size() - at_));
      return std::nullopt;
    }
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

  std::optional<std::uint64_t> number(std::size_t size) {
    const auto bytes = take(size);
    if (!bytes) return std::nullopt;
    return size == 1   ? get<std::uint8_t>(*bytes, 0)
           : size == 2 ? get<std::uint16_t>(*bytes, 0)
                       : get<std::uint32_t>(*bytes, 0);
  }

  bool pair() {
    const std::size_t begin = at_;
    if (++pairs_ > options_.max_values) return stop(begin, fmt::format("more than {} values", options_.max_values));
    const auto key = static_cast<std::uint8_t>(bytes_[at_++]);
    switch (key) {
      case kNull: return true;
      case kVersion: return number(2).has_value();  // its revision, then its version
      case kKernelBegin:
        kernel_ = language_;
        arguments_.clear();
        return enter(begin, Level::Program, Level::Kernel);
      case kKernelEnd:
        if (!enter(begin, Level::Kernel, Level::Program)) return false;
        kernel_.push_back({"amd.Args", {std::move(arguments_), {}}});
        arguments_ = {};
        kernels_.push_back(node(std::move(kernel_), kernel_begin_));
        kernel_ = {};
        return true;
      case kArgumentBegin: argument_.clear(); return enter(begin, Level::Kernel, Level::Argument);
      case kArgumentEnd:
        if (!enter(begin, Level::Argument, Level::Kernel)) return false;
        arguments_.push_back(node(std::move(argument_), argument_begin_));
        argument_ = {};
        return true;
      default: break;
    }
    for (const RuntimeKey& row : kKeys)
      if (row.number == key) return value(row, begin);
    return stop(begin, fmt::format("key {} is not known", key));
  }

  bool enter(std::size_t begin, Level from, Level to) {
    if (level_ != from)
      return stop(begin, fmt::format("key {} stands where it cannot", static_cast<unsigned>(bytes_[begin])));
    if (to == Level::Kernel && from == Level::Program) kernel_begin_ = begin;
    if (to == Level::Argument) argument_begin_ = begin;
    level_ = to;
    return true;
  }

  [[nodiscard]] Node node(Node::Value value, std::size_t begin) const {
    return {std::move(value),
            {{options_.base + static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_ - begin)}}};
  }

  bool value(const RuntimeKey& row, std::size_t begin) {
    if (row.level != level_) return stop(begin, fmt::format("{} stands where it cannot", row.name));
    Node::Value value;
    switch (row.form) {
      case Form::None: value = true; break;
      case Form::U8:
      case Form::U16:
      case Form::U32: {
        const auto read = number(row.form == Form::U8 ? 1 : row.form == Form::U16 ? 2 : 4);
        if (!read) return false;
        value = *read;
        break;
      }
      case Form::Text: {
        const auto size = number(4);
        const auto text = size ? take(*size) : std::nullopt;
        if (!text) return false;
        value = std::string(*text);
        break;
      }
      case Form::Sizes: {
        Node::Array sizes;
        for (int i = 0; i < 3; ++i) {
          const auto size = number(4);
          if (!size) return false;
          sizes.push_back({*size, {}});
        }
        value = std::move(sizes);
        break;
      }
    }
    if (row.name == "amd.PrintfInfo") {
      printf_.push_back(node(std::move(value), begin));
      return true;
    }
    if (row.level == Level::Program) {  // for the kernels that follow
      if (const auto* n = std::get_if<std::uint64_t>(&value)) value = language(row, *n);
      if (!std::holds_alternative<Node::Nil>(value))
        language_.push_back({std::string(row.name), node(std::move(value), begin)});
      return true;
    }
    (level_ == Level::Kernel ? kernel_ : argument_).push_back({std::string(row.name), node(std::move(value), begin)});
    return true;
  }

  // Versions are 100 times the major and 10 times the minor one.
  static Node::Value language(const RuntimeKey& row, std::uint64_t number) {
    if (row.form == Form::U16) return Node::Array{{number / 100, {}}, {number % 100 / 10, {}}};
    if (number < std::size(kLanguages)) return std::string(kLanguages[number]);
    return Node::Nil{};
  }

  std::string_view bytes_;
  Diagnostics& diagnostics_;
  const ReadOptions& options_;
  std::size_t at_ = 0, pairs_ = 0;
  std::size_t kernel_begin_ = 0, argument_begin_ = 0;
  Level level_ = Level::Program;
  bool stopped_ = false;
  Node::Map language_, kernel_, argument_;
  Node::Array kernels_, arguments_, printf_;
};

}  // namespace

std::optional<Metadata> read_runtime_metadata(std::string_view bytes, Diagnostics& diagnostics,
                                              const ReadOptions& options) {
  try {
    if (bytes.size() > options.max_bytes) {
      diagnostics.report(Code::HsaTooLarge, {options.base, 0},
                         fmt::format("{} bytes, the limit is {}", bytes.size(), options.max_bytes));
      return std::nullopt;
    }
    const SourceRange where{options.base, static_cast<std::uint32_t>(bytes.size())};
    const Node tree{RuntimeMetadataReader(bytes, diagnostics, options).run(), {where}};
    return decode_v2(to_document(tree), {}, diagnostics, options.base);
  } catch (const std::bad_alloc&) {
    diagnostics.report(Code::HsaTooLarge, {options.base, 0}, "not enough memory for the document");
    return std::nullopt;
  }
}

}  // namespace amdcompat::hsa
