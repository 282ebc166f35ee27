// `layout`: the map of what a kernel reads (CB0 and CB1, or a CL2 argument block and what follows it) and of the
// kernarg segments that its old machine code and a recompiled kernel have, as a table or as a drawing.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <pugixml.hpp>

#include <amdcompat/cl2_launch.hpp>
#include <amdcompat/convert.hpp>
#include <amdcompat/in_place.hpp>
#include <amdcompat/kernarg_launch.hpp>
#include <amdcompat/launch_image.hpp>

#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};

// One byte range of one area, whatever the area is.
struct Part {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  // written
  std::uint64_t reserved = 0;  // of its slots, at least `size`
  std::string name;
  std::string what;
  std::string source;
  std::string label;           // in a drawing
  bool overlaps = false;       // shares bytes with another part
  bool constant = false;       // the same for every launch
  std::uint64_t from = 0;      // bytes in front of this are taken by parts before
  std::uint64_t until = kNever; // bytes from this on are taken by the next part
};

struct Area {
  std::string title;
  std::uint64_t size = 0;
  std::vector<Part> parts;  // ascending by offset
};

void mark_overlaps(Area& area) {
  std::uint64_t end = 0;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < area.parts.size(); ++i) {
    Part& part = area.parts[i];
    part.from = end;
    if (i + 1 < area.parts.size()) part.until = area.parts[i + 1].offset;
    if (i != 0 && part.offset < end) part.overlaps = area.parts[longest].overlaps = true;
    const std::uint64_t own = part.offset + std::max(part.size, part.reserved);
    if (own > end) {
      end = own;
      longest = i;
    }
  }
}

Part to_part(const abi::MapEntry& entry) {
  Part part;
  part.offset = entry.offset;
  part.size = entry.size;
  part.reserved = std::max(entry.reserved, entry.size);
  part.name = entry.name;
  part.what = entry.what;
  part.source = fmt::format("{}: {}", evidence_name(entry.evidence), entry.source);
  // Without the type: "width (u32)".
  part.label =
      entry.part.empty() ? entry.name : fmt::format("{}: {}", entry.name, entry.part.substr(0, entry.part.find(" (")));
  if (entry.size == 0) part.label += " (not written)";
  return part;
}

std::vector<Area> legacy_areas(const abi::LaunchImage& image) {
  std::vector<Area> out;
  std::optional<std::uint32_t> buffer;
  for (const abi::MapEntry& entry : image.map()) {
    if (buffer != entry.buffer) {
      buffer = entry.buffer;
      out.push_back({fmt::format("constant buffer {}", entry.buffer), image.buffer(entry.buffer).size(), {}});
    }
    Part part = to_part(entry);
    part.constant = entry.buffer == 0 && (entry.name == "zero" || entry.name.ends_with('f'));
    out.back().parts.push_back(std::move(part));
  }
  for (Area& area : out) mark_overlaps(area);
  return out;
}

// Offsets count from the start of each part.
std::vector<Area> cl2_areas(const abi::Cl2LaunchImage& image) {
  const std::uint64_t block = image.block_bytes(), objects = block + abi::kPacketBytes;
  std::vector<Area> out{{std::string(abi::cl2_part_name(abi::Cl2Part::Block)), block, {}},
                        {std::string(abi::cl2_part_name(abi::Cl2Part::Packet)), abi::kPacketBytes, {}},
                        {std::string(abi::cl2_part_name(abi::Cl2Part::Objects)), image.memory().size() - objects, {}}};
  const std::array<std::uint64_t, 3> starts{0, block, objects};
  for (const abi::MapEntry& entry : image.map()) {
    Part part = to_part(entry);
    part.offset -= starts[entry.buffer];
    out[entry.buffer].parts.push_back(std::move(part));
  }
  if (out.back().parts.empty()) out.pop_back();
  for (Area& area : out) mark_overlaps(area);
  return out;
}

std::vector<Area> kernarg_areas(const abi::KernargImage& image) {
  std::vector<Area> out{{std::string(abi::kernarg_part_name(abi::KernargPart::Segment)), image.segment().size(), {}},
                        {std::string(abi::kernarg_part_name(abi::KernargPart::Packet)), abi::kPacketBytes, {}},
                        {std::string(abi::kernarg_part_name(abi::KernargPart::Objects)), image.objects().size(), {}}};
  const std::array<std::uint64_t, 3> starts{0, image.block_bytes(), image.block_bytes() + abi::kPacketBytes};
  for (const abi::MapEntry& entry : image.map()) {
    Part part = to_part(entry);
    part.offset -= starts[entry.buffer];
    out[entry.buffer].parts.push_back(std::move(part));
  }
  if (out.back().parts.empty()) out.pop_back();
  for (Area& area : out) mark_overlaps(area);
  return out;
}

std::optional<std::vector<Area>> areas_of(const Kernel& kernel, const LayoutOptions& options,
                                          std::span<const DataSegment> data, Diagnostics& diagnostics) {
  if (kernel.kernarg() != nullptr) {
    auto image = abi::KernargImage::create(kernel, diagnostics);
    if (!image) return std::nullopt;
    return kernarg_areas(*image);
  }
  if (kernel.argument_block() != nullptr) {
    auto image = abi::Cl2LaunchImage::create(kernel, diagnostics);
    if (!image) return std::nullopt;
    return cl2_areas(*image);
  }
  abi::LaunchOptions wanted;
  if (options.profile == "spec") wanted.profile = abi::Profile::Spec;
  auto image = abi::LaunchImage::create(kernel, diagnostics, wanted, data);
  if (!image) return std::nullopt;
  return legacy_areas(*image);
}

// Where a launch of today puts the arguments, as the metadata of a new code object lists them.
Area segment_area(std::string title, const hsa::MetadataKernel& from, std::string_view source) {
  Area area{std::move(title), from.kernarg_segment_size.value_or(0), {}};
  for (const hsa::MetadataArgument& argument : from.args) {
    Part part;
    part.offset = argument.offset.value_or(0);
    part.size = part.reserved = argument.size.value_or(0);
    const std::string kind(argument.value_kind ? hsa::value_kind_info(*argument.value_kind).name : "?");
    part.name = part.label = argument.name.value_or(kind);
    part.what = argument.type_name ? fmt::format("{}, {}", *argument.type_name, kind) : kind;
    part.source = source;
    area.parts.push_back(std::move(part));
  }
  mark_overlaps(area);
  return area;
}

std::optional<Area> natural_area(const Program& program, const Kernel& kernel) {
  Program one;
  one.family = program.family;
  one.device = program.device;
  one.printf = program.printf;
  one.kernels.push_back(kernel);
  Diagnostics unused;  // `convert` reports them; here only the layout counts
  const convert::Conversion conversion = convert::to_metadata(one, unused);
  if (conversion.metadata.kernels.empty()) return std::nullopt;
  return segment_area("natural kernarg segment (of a recompiled kernel)", conversion.metadata.kernels.front(),
                      "documented: natural layout, docs/natural-layout.md");
}

// By index into the program's kernels, of OpenCL 1.x containers: those whose machine code can be kept.
std::map<std::size_t, Area> in_place_areas(const Program& program) {
  std::map<std::size_t, Area> out;
  if (program.target == nullptr) return out;
  Diagnostics unused;  // as above
  const auto made = convert::to_in_place(program, unused);
  if (!made) return out;
  for (std::size_t i = 0; i < made->kernels.size() && i < made->object.metadata.kernels.size(); ++i)
    out.emplace(made->kernels[i].kernel,
                segment_area("in-place kernarg segment (of the old machine code)", made->object.metadata.kernels[i],
                             "documented: in-place layout, docs/in-place.md"));
  return out;
}

void put_area(std::string& out, const Area& area) {
  out += fmt::format("\n{}, {} bytes\n", area.title, area.size);
  if (area.parts.empty()) return;
  const auto to = std::back_inserter(out);
  std::size_t name_width = 4, what_width = 4;  // characters, of what is not unusually long
  for (const Part& part : area.parts) {
    if (part.name.size() <= 32) name_width = std::max(name_width, part.name.size());
    if (part.what.size() <= 64) what_width = std::max(what_width, part.what.size());
  }
  const auto row = [&](std::string_view name, std::string_view what, std::string_view source) {
    fmt::format_to(to, "  {:<{}}  {:<{}}  {}\n", name, name_width, what, what_width, source);
  };
  fmt::format_to(to, "  {:>6} {:>6}", "offset", "size");
  row("name", "what", "source");
  std::uint64_t end = 0;
  const auto gap = [&](std::uint64_t until) {
    if (end < until) fmt::format_to(to, "  {:>6} {:>6}  -\n", end, until - end);  // padding
  };
  for (const Part& part : area.parts) {
    gap(part.offset);
    fmt::format_to(to, "  {:>6} {:>6}", part.offset, part.size);
    row(part.name, part.what, part.overlaps ? part.source + "  (overlap)" : part.source);
    end = std::max(end, part.offset + part.size);
  }
  gap(area.size);
}

// --- drawing -------------------------------------------------------------------------------------------------

constexpr const char* kNext = "#dcefd5";  // of every other value, so that neighbours can be told apart
constexpr unsigned kByte = 40;  // width of a byte
constexpr unsigned kRow = 30;  // height of a row of 16 bytes
constexpr unsigned kLeft = 64;  // room for offsets
constexpr unsigned kPictureWidth = kLeft + 16 * kByte + 16;

class Drawing {
 public:
  Drawing() {
    svg_ = document_.append_child("svg");
    svg_.append_attribute("xmlns") = "http://www.w3.org/2000/svg";
    svg_.append_attribute("font-family") = "sans-serif";
    svg_.append_attribute("font-size") = "11";
    pugi::xml_node pattern = svg_.append_child("defs").append_child("pattern");
    pattern.append_attribute("id") = "padding";
    pattern.append_attribute("width") = "6";
    pattern.append_attribute("height") = "6";
    pattern.append_attribute("patternUnits") = "userSpaceOnUse";
    pattern.append_attribute("patternTransform") = "rotate(45)";
    pugi::xml_node line = pattern.append_child("line");
    line.append_attribute("y2") = "6";
    line.append_attribute("stroke") = "#b8b8b8";
    line.append_attribute("stroke-width") = "2";
    pugi::xml_node ground = svg_.append_child("rect");
    ground.append_attribute("width") = "100%";
    ground.append_attribute("height") = "100%";
    ground.append_attribute("fill") = "white";
    legend();
  }

  void heading(const std::string& title, unsigned size) {
    y_ += size + 14;
    text(16, y_ - 4, title, "#202020").append_attribute("font-size") = size;
    y_ += 4;
  }

  void area(const Area& area) {
    heading(fmt::format("{}, {} bytes", area.title, area.size), 13);
    if (area.size == 0) return;
    for (unsigned byte = 0; byte < 16; byte += 4)
      text(kLeft + byte * kByte, y_ + 10, fmt::format("+{}", byte), "#808080");
    y_ += 14;
    const unsigned top = y_;
    const std::uint64_t rows = (area.size + 15) / 16;
    for (std::uint64_t row = 0; row < rows; ++row) {
      const unsigned at = top + static_cast<unsigned>(row) * kRow;
      text(16, at + kRow / 2 + 4, fmt::format("{}", row * 16), "#606060");
      const auto bytes = static_cast<unsigned>(std::min<std::uint64_t>(16, area.size - row * 16));
      box(kLeft, at, bytes * kByte, "url(#padding)", "#d0d0d0");
    }
    std::size_t index = 0;
    const Part* before = nullptr;
    for (const Part& part : area.parts) {
      // The pieces of one value have one colour.
      if (before != nullptr && before->name != part.name) ++index;
      before = &part;
      pugi::xml_node group = svg_.append_child("g");
      group.append_child("title").text() =
          fmt::format("{} at {}, {} bytes: {} [{}]", part.name, part.offset, part.size, part.what, part.source).c_str();
      pieces(group, part, std::max(part.reserved, part.size), top, index, "none", "#a0a0a0");
      pieces(group, part, part.size, top, index, part.constant ? "#eeeeee" : colour(part, index), "#505050");
    }
    y_ = top + static_cast<unsigned>(rows) * kRow + 8;
  }

  std::string finish() {
    svg_.append_attribute("width") = kPictureWidth;
    svg_.append_attribute("height") = y_ + 16;
    svg_.append_attribute("viewBox") = fmt::format("0 0 {} {}", kPictureWidth, y_ + 16).c_str();
    std::ostringstream out;
    document_.save(out, " ", pugi::format_default, pugi::encoding_utf8);
    return std::move(out).str();
  }

 private:
  static const char* colour(const Part& part, std::size_t index) {
    static constexpr std::array<const char*, 2> kColours{"#cfe3f7", kNext};
    return part.overlaps ? "#fbd9d3" : kColours[index % 2];
  }

  pugi::xml_node text(unsigned x, unsigned y, const std::string& content, const char* fill) {
    pugi::xml_node node = svg_.append_child("text");
    node.append_attribute("x") = x;
    node.append_attribute("y") = y;
    node.append_attribute("fill") = fill;
    node.text() = content.c_str();
    return node;
  }

  static pugi::xml_node rectangle(pugi::xml_node parent, unsigned x, unsigned y, unsigned width, unsigned height,
                                  const char* fill, const char* stroke) {
    pugi::xml_node node = parent.append_child("rect");
    node.append_attribute("x") = x;
    node.append_attribute("y") = y;
    node.append_attribute("width") = width;
    node.append_attribute("height") = height;
    node.append_attribute("fill") = fill;
    node.append_attribute("stroke") = stroke;
    return node;
  }
  void box(unsigned x, unsigned y, unsigned width, const char* fill, const char* stroke) {
    rectangle(svg_, x, y, width, kRow, fill, stroke);
  }

  // The first `size` bytes of a part, one piece for each row they touch. Where two parts share bytes, one has the upper
  // and the other the lower half of the row.
  static void pieces(pugi::xml_node group, const Part& part, std::uint64_t size, unsigned top, std::size_t index,
                     const char* fill, const char* stroke) {
    for (std::uint64_t done = 0; done < size;) {
      const std::uint64_t offset = part.offset + done;
      const auto column = static_cast<unsigned>(offset % 16);
      const auto length = static_cast<unsigned>(std::min<std::uint64_t>(size - done, 16 - column));
      const bool shared = part.overlaps && (offset < part.from || offset + length > part.until);
      const unsigned height = shared ? kRow / 2 : kRow;
      const unsigned x = kLeft + column * kByte;
      const unsigned y = top + static_cast<unsigned>(offset / 16) * kRow + (shared && index % 2 != 0 ? height : 0);
      rectangle(group, x, y, length * kByte, height, fill, part.overlaps ? "#c00000" : stroke);
      // A part that is only reserved has its name in its padding.
      if (size == part.size || part.size == 0) {
        pugi::xml_node node = group.append_child("text");
        node.append_attribute("x") = x + 4;
        node.append_attribute("y") = y + height / 2 + 4;
        node.append_attribute("fill") = part.size == 0 ? "#707070" : "#202020";
        node.text() = fitting(done == 0 ? part.label : "… " + part.label, length * kByte).c_str();
      }
      done += length;
    }
  }

  // The text, cut so that it takes at most `width` units; about 6 for a letter.
  static std::string fitting(std::string text, unsigned width) {
    const std::size_t room = std::max(width / 6, 3u) - 1;
    if (text.size() <= room) return text;
    std::size_t cut = room - 1;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;  // not inside a character
    text.resize(cut);
    return text + "…";
  }

  void legend() {
    struct Key {
      const char* fill;
      const char* stroke;
      const char* meaning;
    };
    static constexpr std::array<Key, 4> kKeys{{{"#cfe3f7", "#505050", "value"},
                                               {"#eeeeee", "#505050", "constant"},
                                               {"url(#padding)", "#d0d0d0", "padding"},
                                               {"#fbd9d3", "#c00000", "overlap"}}};
    unsigned x = kLeft;
    for (const Key& key : kKeys) {
      rectangle(svg_, x, 10, 24, 14, key.fill, key.stroke);
      if (&key == &kKeys.front()) rectangle(svg_, x + 12, 10, 12, 14, kNext, key.stroke);
      text(x + 30, 21, key.meaning, "#202020");
      x += 120;
    }
    y_ = 28;
  }

  pugi::xml_document document_;
  pugi::xml_node svg_;
  unsigned y_ = 0;
};

}  // namespace

int run_layout(const LayoutOptions& options) {
  int result = kDone;
  std::string out;
  Drawing drawing;
  for (const std::string& path : options.common.files) {
    std::optional<Input> input = open_input(path, options.common);
    if (!input) {
      result = kInputOutput;
      continue;
    }
    settle(*input);
    if (select_kernel(*input, options.common)) {
      const File& file = *input->file;
      Diagnostics& diagnostics = input->diagnostics;
      std::map<std::size_t, Area> in_place = in_place_areas(file.program);
      for (const Kernel& kernel : file.program.kernels) {
        std::optional<std::vector<Area>> made = areas_of(kernel, options, file.program.data, diagnostics);
        if (!made) continue;
        std::vector<Area> areas = std::move(*made);
        const auto index = static_cast<std::size_t>(&kernel - file.program.kernels.data());
        if (const auto kept = in_place.find(index); kept != in_place.end() && kernel.argument_block() == nullptr)
          areas.push_back(std::move(kept->second));
        if (std::optional<Area> natural =
                kernel.kernarg() == nullptr ? natural_area(file.program, kernel) : std::nullopt)
          areas.push_back(std::move(*natural));
        const std::string title =
            fmt::format("kernel {}, {}-bit ABI", kernel.name, static_cast<unsigned>(kernel.address_bits));
        if (options.svg) {
          drawing.heading(title, 16);
          for (const Area& area : areas) drawing.area(area);
        } else {
          out += fmt::format("{}{}\n", out.empty() ? "" : "\n", title);
          for (const Area& area : areas) put_area(out, area);
        }
      }
    }
    show(*input, options.common);
    result = std::max(result, input->result());
  }
  if (options.svg) out = drawing.finish();
  if (out.empty()) return result;
  const bool done =
      options.output.empty() ? (options.svg ? write_form(out) : write_page(out)) : write_output(options.output, out);
  return done ? result : kInputOutput;
}

}  // namespace amdcompat::cli
