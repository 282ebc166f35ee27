#include "code.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <amdcompat/gcn.hpp>
#include <amdcompat/launch_image.hpp>

namespace amdcompat::cli {

namespace {

std::uint32_t word(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t n = 0; n < 4; ++n) out |= std::to_integer<std::uint32_t>(bytes[at + n]) << (8 * n);
  return out;
}

// Which scalar registers hold the descriptors of constant buffers 0 and 1 at this point of the listing, by what was
// written on the way there in the order of the text.
class Annotator {
 public:
  explicit Annotator(const Kernel& kernel) : kernel_(kernel) {
    const auto* const state = std::get_if<cl1::CalState>(&kernel.entry);
    if (state == nullptr) return;
    for (const cl1::UserElement& e : state->user_elements) {
      if (e.data_class == cl1::kClassConstantBuffer && e.slot <= 1) at_[e.slot] = e.first;
      if (e.data_class == cl1::kClassUavTable) table_ = e.first;
    }
  }

  std::string note(const gcn::Instruction& i) {
    std::string out;
    if (i.row == nullptr) return out;
    const std::uint32_t dwords = gcn::shape_dwords(gcn::info(i.opcode).destination);
    if (i.format == gcn::Format::Smrd && i.immediate_offset) {
      const auto offset = static_cast<std::uint32_t>(i.immediate);
      const bool constant = i.row->name.starts_with("s_buffer_load");
      if (constant && at_[0] == i.resource)
        out = cb0(offset, dwords);
      else if (constant && at_[1] == i.resource)
        out = cb1(offset, dwords);
      else if (!constant && table_ == i.resource)
        out = fmt::format("UAV {}", offset / 32);
    }
    if (i.format <= gcn::Format::Smrd && dwords != 0 && i.format != gcn::Format::Sopp) {
      const auto overwritten = [&](std::optional<std::uint32_t>& first, std::uint32_t count) {
        if (first && i.destination < *first + count && *first < i.destination + dwords) first.reset();
      };
      overwritten(at_[0], 4);
      overwritten(at_[1], 4);
      overwritten(table_, 2);
    }
    return out;
  }

 private:
  std::string cb0(std::uint32_t offset, std::uint32_t dwords) const {
    std::string out;
    const bool wide = kernel_.address_bits == AddressBits::Bits64;
    for (const abi::Cb0Field& field : abi::cb0_fields())
      if (field.amd && (wide ? field.abi64 : field.abi32) && field.dword * 4u < offset + dwords * 4 &&
          offset < (field.dword + field.dwords) * 4u)
        out += fmt::format("{}{}", out.empty() ? "cb0: " : ", ", field.name);
    return out;
  }
  std::string cb1(std::uint32_t offset, std::uint32_t dwords) const {
    std::string out;
    for (const Argument& argument : kernel_.arguments) {
      const ConstantBufferSlot* const slot = argument.in_constant_buffer();
      if (slot == nullptr) continue;
      const std::uint32_t begin = slot->offset, size = std::max(abi::slot_bytes(argument), 16u);
      if (begin < offset + dwords * 4 && offset < begin + size)
        out += fmt::format("{}{}{}", out.empty() ? "cb1: " : ", ", argument.name,
                           offset > begin ? fmt::format("+{}", offset - begin) : "");
    }
    return out;
  }

  const Kernel& kernel_;
  std::array<std::optional<std::uint32_t>, 2> at_;
  std::optional<std::uint32_t> table_;
};

// What the branches of a listing say: where labels stand, and how deep each instruction is in what they span.
class Branches {
 public:
  // Of the first `end` bytes of `code`, as they are listed: one instruction after the other.
  Branches(std::span<const std::byte> code, std::size_t end, const Target& target)
      : size_(code.size()), begins_(end / 4), depth_(end / 4 + 1) {
    struct Span {
      std::size_t first = 0, last = 0;
    };
    std::map<std::size_t, Span> forward, backward;  // by the target
    std::vector<std::pair<std::size_t, std::int64_t>> found;  // behind a branch, and where it goes
    for (std::size_t at = 0; at + 4 <= end;) {
      const gcn::Instruction i = gcn::decode(code, static_cast<std::uint32_t>(at), target);
      begins_[at / 4] = true;
      const std::size_t next = at + i.dwords * std::size_t{4};
      if (const auto to = gcn::branch_target(i)) found.emplace_back(next, *to);
      at = next;
    }
    for (const auto& [next, to] : found) {
      if (!has_label(to)) continue;
      const auto label = static_cast<std::size_t>(to);
      labels_.insert(label);
      auto& spans = label >= next ? forward : backward;
      const auto span = spans.try_emplace(label, label >= next ? Span{next, label} : Span{label, next}).first;
      span->second.first = std::min(span->second.first, label >= next ? next : label);
      span->second.last = std::max(span->second.last, label >= next ? label : next);
    }
    // What all branches to one label span together is one step.
    for (const auto* const spans : {&forward, &backward})
      for (const auto& [label, span] : *spans) {
        ++depth_[std::min(span.first / 4, depth_.size() - 1)];
        --depth_[std::min(span.last / 4, depth_.size() - 1)];
      }
    for (std::size_t n = 1; n < depth_.size(); ++n) depth_[n] += depth_[n - 1];
  }

  [[nodiscard]] bool labelled(std::size_t at) const { return labels_.contains(at); }
  [[nodiscard]] std::size_t depth(std::size_t at) const {
    return static_cast<std::size_t>(std::clamp(depth_[at / 4], 0, 8));
  }
  static std::string name(std::size_t at) { return fmt::format("label_{:04x}", at); }

  // The label in the place of a branch's distance; where there is none, what is said of the target.
  void put(std::string& text, std::string& note, std::int64_t to) const {
    const std::size_t distance = text.rfind(' ');
    if (has_label(to)) {
      if (distance != text.npos) text.replace(distance + 1, text.npos, name(static_cast<std::size_t>(to)));
      return;
    }
    const bool inside = to >= 0 && static_cast<std::uint64_t>(to) < size_;
    if (!inside)
      note = fmt::format("to {:x}, outside of this code", to);
    else if (static_cast<std::uint64_t>(to) / 4 >= begins_.size())
      note = fmt::format("to {:x}, which is not listed here", to);
    else
      note = fmt::format("to {:x}, into the middle of an instruction", to);
  }

 private:
  [[nodiscard]] bool has_label(std::int64_t to) const {
    return to >= 0 && to % 4 == 0 && static_cast<std::uint64_t>(to) / 4 < begins_.size() &&
           begins_[static_cast<std::size_t>(to) / 4];
  }

  std::size_t size_;
  std::vector<bool> begins_;  // an instruction, by dwords
  std::vector<int> depth_;
  std::set<std::size_t> labels_;
};

// Notes whose payload is printed entry by entry.
bool listed(std::uint32_t note) {
  return note == cl1::kCalNoteProgramInfo || note == cl1::kCalNoteInputs || note == cl1::kCalNoteConstantBuffers ||
         note == cl1::kCalNoteSamplers || note == cl1::kCalNoteScratch || note == cl1::kCalNoteUavs;
}

}  // namespace

std::string isa_text(const Program& program, const Kernel& kernel, ShownCode& shown, bool encoding) {
  const std::span<const std::byte> code = kernel_code(program, kernel);
  std::string out = fmt::format("\nkernel {}: {} bytes of machine code", visible(kernel.name), code.size());
  const auto gfx = program.target == nullptr ? std::nullopt : gcn::generation_of(*program.target);
  if (!gfx) return out + ", for a GPU whose instructions are not known\n";
  // Only from GFX10 on are there two sizes.
  const std::uint32_t lanes = *gfx >= Generation::Gfx10_1 && kernel.registers.wavefront_size == 32 ? 32 : 64;
  out += fmt::format(" for {}\n", gcn::generation_name(*gfx));
  const auto to = std::back_inserter(out);
  Annotator annotator(kernel);
  const std::byte* const first = code.data();
  auto other = shown.upper_bound(first);  // the next part, or the one that this code begins in
  if (other != shown.begin() && std::prev(other)->second.end > first) --other;
  const bool meets = other != shown.end() && other->first < first + code.size();
  const std::size_t end = !meets ? code.size() : static_cast<std::size_t>(std::max(other->first, first) - first);
  const std::size_t there = meets && other->first < first ? static_cast<std::size_t>(first - other->first) : 0;
  const std::string_view name = meets ? other->second.kernel : std::string_view{};
  if (end != 0) shown.emplace(first, ShownPart{first + end, kernel.name});
  const Branches branches(code, end, *program.target);
  for (std::size_t at = 0; at + 4 <= end;) {
    const gcn::Instruction i = gcn::decode(code, static_cast<std::uint32_t>(at), *program.target);
    std::string text = gcn::disassemble(i, *gfx, lanes);
    std::string note = annotator.note(i);
    if (const auto place = gcn::branch_target(i)) branches.put(text, note, *place);
    if (branches.labelled(at)) fmt::format_to(to, "{}:\n", Branches::name(at));
    text.insert(0, 2 * branches.depth(at), ' ');
    fmt::format_to(to, "  {:6x}  ", at);
    if (encoding) {
      std::string words;
      for (std::size_t n = 0; n < i.dwords && at + 4 * n + 4 <= end; ++n)
        fmt::format_to(std::back_inserter(words), "{}{:08x}", n == 0 ? "" : " ", word(code, at + 4 * n));
      fmt::format_to(to, "{:<17}  ", words);
    }
    if (note.empty())
      fmt::format_to(to, "{}\n", text);
    else
      fmt::format_to(to, "{:<56} ; {}\n", text, note);
    at += i.dwords * std::size_t{4};
  }
  if (meets) fmt::format_to(to, "  {:6x}  as kernel {} from {:x} on\n", end, visible(name), there);
  return out;
}

std::string cal_text(const File& file, const cl1::Kernel& kernel) {
  std::string out = fmt::format("\nCAL image of {}: {} bytes at +0x{:x}\n", kernel.name, kernel.cal.where.size,
                                kernel.cal.where.begin);
  const auto to = std::back_inserter(out);
  const bool vliw = file.cl1()->device != nullptr && is_vliw(file.cl1()->device->isa);
  const auto family = vliw ? cl1::ProgramInfoFamily::Vliw : cl1::ProgramInfoFamily::Gcn;
  for (std::size_t n = 0; n < kernel.cal.encodings.size(); ++n) {
    const cl1::Encoding& e = kernel.cal.encodings[n];
    fmt::format_to(to, "  encoding {}{}: machine 0x{:x}, type {}, {} bytes at 0x{:x}, flags 0x{:x}{}\n", n,
                   kernel.cal.chosen == n ? " (used)" : "", e.machine, e.type, e.size, e.offset, e.flags,
                   is_il_encoding(e.machine) ? ", IL" : "");
    fmt::format_to(to, "    .text {} bytes, .data {} bytes, .symtab {} bytes, .strtab {} bytes\n", e.text.size,
                   e.data.size, e.symbols.size, e.strings.size);
    for (const cl1::CalNote& note : e.notes) {
      const cl1::CalNoteType* const type = cl1::find_cal_note_type(note.type);
      fmt::format_to(to, "    note {} {}: {} bytes", note.type, type != nullptr ? type->name : "unknown",
                     note.description.size);
      const auto bytes = file.cl1()->view(note.description);
      if (!listed(note.type))
        for (std::size_t at = 0; at + 4 <= bytes.size() && at < 64; at += 4)
          fmt::format_to(to, " {:x}", word(bytes, at));
      out += '\n';
    }
    for (const cl1::CalUav& uav : e.lists.uavs)
      fmt::format_to(to, "    UAV {}: {} (kind {}, flags {}, type {})\n", uav.id,
                     uav.kind == 4   ? "buffer"
                     : uav.kind == 2 ? "image"
                                     : "raw",
                     uav.kind, uav.flags, uav.type);
    for (const std::uint32_t number : e.lists.constant_buffers) fmt::format_to(to, "    constant buffer {}\n", number);
    for (const cl1::CalSampler& sampler : e.lists.samplers)
      fmt::format_to(to, "    sampler {}, input {}\n", sampler.sampler, sampler.input);
    for (const std::uint32_t id : e.lists.inputs) fmt::format_to(to, "    image {}\n", id);
    if (e.lists.scratch_dwords) fmt::format_to(to, "    {} dwords of scratch memory\n", *e.lists.scratch_dwords);
    for (const cl1::ProgramInfoEntry& entry : e.entries) {
      const cl1::ProgramInfoField* const field = cl1::find_program_info_field(entry.address, family);
      if (field != nullptr && field->count > 1 && entry.value == 0) continue;  // lists of which most are unused
      fmt::format_to(to, "    {:08x} = {:08x}  {}", entry.address, entry.value,
                     field != nullptr ? field->name : "unknown");
      if (field != nullptr && field->count > 1) fmt::format_to(to, " [{}]", entry.address - field->address);
      out += '\n';
    }
    for (const cl1::UserElement& u : e.user_elements) {
      const cl1::UserDataClass* const row = cl1::find_user_data_class(u.data_class);
      fmt::format_to(to, "    s[{}:{}] = {} {}{}\n", u.first, std::uint64_t{u.first} + u.count - 1,
                     row != nullptr ? row->name : fmt::format("class 0x{:x}", u.data_class), u.slot,
                     row != nullptr ? fmt::format(": {}", row->meaning) : "");
    }
  }
  return out;
}

}  // namespace amdcompat::cli
