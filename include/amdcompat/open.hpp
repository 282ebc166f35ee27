// From the bytes of a file to its faithful models and the neutral Program.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <amdcompat/cl1.hpp>
#include <amdcompat/cl2.hpp>
#include <amdcompat/code_object.hpp>
#include <amdcompat/diagnostic.hpp>
#include <amdcompat/export.h>
#include <amdcompat/file_bytes.hpp>
#include <amdcompat/identify.hpp>
#include <amdcompat/program.hpp>
#include <amdcompat/text.hpp>

namespace amdcompat {

struct OpenOptions {
  text::ReadOptions text;  // `base` is set by open
  cl1::ReadOptions cl1;
  cl2::ReadOptions cl2;
  hsa::CodeObjectOptions hsa;
  // Which entry of an offload bundle to open: a processor, with or without features ("gfx906", "gfx906:xnack-"). Empty:
  // the only code object; a bundle with several is then refused with a list.
  std::string bundle_entry;
  // The kernel that is wanted: of a container of OpenCL 1.x or 2.0 only its metadata, code and printf formats are read,
  // those of functions and the data of the program besides; findings about other kernels are not made. Names of others
  // are in `content`. Empty, or a name that no kernel has: all are read. Text and code objects are one document each,
  // which is read whole.
  std::string kernel{};
  // Whether what a file says twice is compared (CL1: text, header and CAL image; CL2: the BRIG text, which is read for
  // nothing else) and texts are checked beyond what reading them takes. Without, `File::unchecked` says so, and `check`
  // does the rest; conversions do it by themselves.
  bool checks = true;
};

// One text of metadata: a whole text file, or one symbol of a container.
struct MetadataText {
  std::string symbol;  // symbol name in the container; empty for a text file
  SourceRange where;  // in the file
  text::Document document;  // offsets count from the start of the file
  // The text was put together from strings of a BRIG module in `where`: offsets count from the text's own start.
  bool rebuilt = false;
};

// What was opened, as faithful as it can be had.
struct TextFile {
  std::string bytes;
};
struct ObjectFile {
  std::string bytes;  // the whole file, also of a bundle
  hsa::CodeObject object;  // of the bundle, the entry that was chosen
};
using FileContent = std::variant<TextFile, cl1::Binary, cl2::Binary, ObjectFile>;

// An opened file. Movable; the documents own copies of their texts.
struct AMDCOMPAT_API File {
  FileKind kind{};
  FileContent content;
  std::vector<MetadataText> texts;  // kernels in the container's order, then functions and data segments
  Program program;
  std::vector<TextRegion> regions;  // the file's text parts, for rendering diagnostics
  std::optional<OpenOptions> unchecked{};  // with what it was opened without checks; absent: all checks were made

  // The alternatives of `content`; null when it is another one.
  [[nodiscard]] const cl1::Binary* cl1() const { return std::get_if<cl1::Binary>(&content); }
  [[nodiscard]] const cl2::Binary* cl2() const { return std::get_if<cl2::Binary>(&content); }
  [[nodiscard]] const hsa::CodeObject* object() const {
    const auto* const file = std::get_if<ObjectFile>(&content);
    return file == nullptr ? nullptr : &file->object;
  }
  // The file's bytes; valid while the file lives.
  [[nodiscard]] std::string_view view() const {
    const auto bytes = [](const auto& part) { return std::as_bytes(std::span(part.bytes)); };
    const std::span<const std::byte> all = std::visit(bytes, content);
    return {reinterpret_cast<const char*>(all.data()), all.size()};
  }
};

// Opens AMDIL text, HSAIL text with AMD RTI pragmas, CL1 GPU containers, CL2 containers, HSA code objects of V1 to V6
// and offload bundles of the latter. Every finding goes to `diagnostics`.
// Empty when the file as a whole is refused (a CPU binary, another format, not readable at all): the reason is
// among the findings. A container without kernels opens with none.
[[nodiscard]] AMDCOMPAT_API std::optional<File> open(std::string bytes, Diagnostics& diagnostics,
                                                     const OpenOptions& options = {});
// The same; bytes that are refused for their kind are not copied.
[[nodiscard]] AMDCOMPAT_API std::optional<File> open(std::span<const std::byte> bytes, Diagnostics& diagnostics,
                                                     const OpenOptions& options = {});
// The same; containers are not copied but shared, or referred to where the bytes are borrowed.
[[nodiscard]] AMDCOMPAT_API std::optional<File> open(FileBytes bytes, Diagnostics& diagnostics,
                                                     const OpenOptions& options = {});

// Makes the checks that `open` was told to leave out: reports what it would have reported besides. Reads the bytes
// again; costs nothing where no check was left out.
AMDCOMPAT_API void check(const File& file, Diagnostics& diagnostics);

// The text's kernels, data segments and printf formats in neutral form. Kernels that cannot be built from have
// `complete` false; the reason is reported by parse and check.
[[nodiscard]] AMDCOMPAT_API Program lower(const text::Document& document, std::uint64_t max_data_bytes = 256u << 20);
// One kernel block with the totals of its call graph.
[[nodiscard]] AMDCOMPAT_API Kernel lower_kernel(const text::Document& document, const text::Block& block,
                                                const text::CallTotals& totals);
// Data segments of a text. A segment that would make all of them together more than `max_bytes` (reported by check) is
// left out: a few letters may announce any size. So is one for constant buffer 0 or 1, which hold the launch.
[[nodiscard]] AMDCOMPAT_API std::vector<DataSegment> lower_data(const text::Document& document,
                                                                std::uint64_t max_bytes = 256u << 20);

}  // namespace amdcompat
