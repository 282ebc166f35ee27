// The CAL image: an ELF file inside the .text of a CL1 container, one per kernel.
//
//   ELF header           32 bits, EI_OSABI 0x64, e_machine 0x7d, whatever the class of the container
//   program headers      encoding dictionary; then for each encoding its notes (PT_NOTE) and code (PT_LOAD)
//   dictionary           20 bytes for each encoding: machine, type, offset, size, flags
//   .shstrtab, section headers
//   encodings            notes, .text, .data, .symtab, .strtab, unaligned and without gaps
//
// Many images hold two encodings, IL first and machine code second, with sections of the same names: a look-up by
// name finds the IL. So the encoding is chosen by its machine code, and only what lies inside it is taken. Numbers of
// registers are in the PROGINFO note as {address, value} pairs, where an address is a hardware register or one of
// AMD's own (0x8000….). [BIN; CLRX AmdBinGen.cpp; M2S Binary.cc]
#include <amdcompat/cl1.hpp>

#include <algorithm>
#include <array>
#include <limits>

#include "describe.hpp"
#include <elf/elf_view.hpp>
#include <elf/little_endian.hpp>

namespace amdcompat::cl1 {
namespace {

using elf::inside;
using elf::load;

constexpr std::array kNoteTypes{
    CalNoteType{1, "PROGINFO", "pairs of address and value", "M2S Binary.cc; CLRX AmdBinGen.cpp"},
    CalNoteType{2, "INPUTS", "resource ids", "M2S Binary.cc; CLRX AmdBinGen.cpp"},
    CalNoteType{3, "OUTPUTS", "empty in every real file", "M2S Binary.cc"},
    CalNoteType{4, "CONDOUT", "one word", "M2S Binary.cc; CLRX AmdBinGen.cpp"},
    CalNoteType{5, "FLOAT32CONSTS", "pairs of offset and size", "M2S Binary.cc"},
    CalNoteType{6, "INT32CONSTS", "pairs of offset and size", "M2S Binary.cc"},
    CalNoteType{7, "BOOL32CONSTS", "pairs of offset and size", "M2S Binary.cc"},
    CalNoteType{8, "EARLYEXIT", "one word", "M2S Binary.cc; CLRX AmdBinGen.cpp"},
    CalNoteType{9, "GLOBAL_BUFFERS", "empty in every real file", "M2S Binary.cc"},
    CalNoteType{10, "CONSTANT_BUFFERS", "pairs of buffer and size in float4; the size is garbage since driver 1124",
                "M2S Binary.cc; CLRX AmdBinGen.cpp; BIN"},
    CalNoteType{11, "INPUT_SAMPLERS", "pairs of input and sampler", "M2S Binary.cc; CLRX AmdBinGen.cpp"},
    CalNoteType{12, "PERSISTENT_BUFFERS", "empty in every real file", "M2S Binary.cc"},
    CalNoteType{13, "SCRATCH_BUFFERS", "dwords", "M2S Binary.cc; CLRX AmdBinGen.cpp"},
    CalNoteType{14, "SUB_CONSTANT_BUFFERS", "empty in every real file", "M2S Binary.cc"},
    CalNoteType{15, "UAV_MAILBOX_SIZE", "one word", "M2S Binary.cc; CLRX AmdBinGen.cpp"},
    CalNoteType{16, "UAV", "four words for each UAV: id, two flags, type", "M2S Binary.cc; CLRX AmdBinGen.cpp"},
    CalNoteType{17, "UAV_OP_MASK", "bit mask of 128 bytes", "M2S Binary.cc; CLRX AmdBinGen.cpp"},
};

using enum ProgramInfoFamily;
using enum Evidence;
constexpr std::string_view kBoth = "M2S; CLRX AmdBinGen.cpp; BIN";
constexpr std::string_view kScr = "M2S; RT14 gpuscr800.cpp; BIN: two Cypress images";
constexpr std::string_view kM2sOnly = "M2S binary_prog_info_map";

// Ascending by address; runs do not overlap, but two families may have the same one. Rows of `Common` hold for both.
constexpr std::array kFields{
    ProgramInfoField{0x00002301, 1, Vliw, "SQ_GPR_RESOURCE_MGMT_1", "register", Observed, kScr, nullptr},
    ProgramInfoField{0x00002303, 1, Vliw, "SQ_GPR_RESOURCE_MGMT_3", "register", Observed, kScr, nullptr},
    ProgramInfoField{0x00002306, 1, Vliw, "SQ_THREAD_RESOURCE_MGMT", "register", Observed, kScr, nullptr},
    ProgramInfoField{0x00002307, 1, Vliw, "SQ_THREAD_RESOURCE_MGMT_2", "register", Observed, kScr, nullptr},
    ProgramInfoField{0x00002363, 1, Vliw, "SQ_DYN_GPR_CNTL_PS_FLUSH_REQ", "register", Observed, kScr, nullptr},
    ProgramInfoField{0x00002e13, 1, Gcn, "COMPUTE_PGM_RSRC2", "register", Documented, kBoth, &ProgramInfo::rsrc2},
    ProgramInfoField{0x0000a1b2, 1, Vliw, "SPI_THREAD_GROUPING", "register", Observed, kScr, nullptr},
    ProgramInfoField{0x0000a1ba, 1, Vliw, "SPI_COMPUTE_INPUT_CNTL", "register", Observed, kScr, nullptr},
    ProgramInfoField{0x0000a1be, 1, Vliw, "SPI_GPR_MGMT", "register", Observed, kScr, nullptr},
    ProgramInfoField{0x0000a1c1, 1, Vliw, "SPI_WAVE_MGMT_1", "register", Observed, kScr, nullptr},
    ProgramInfoField{0x0000a1c2, 1, Vliw, "SPI_WAVE_MGMT_2", "register", Observed, kScr, nullptr},
    ProgramInfoField{0x0000a234, 1, Vliw, "SQ_PGM_START_LS", "register", Observed, kScr, nullptr},
    // Bits 7:0 and 15:8 repeat the registers and the stack entries of 0x80000080 and 0x80000084 [BIN: Cypress].
    ProgramInfoField{0x0000a235, 1, Vliw, "SQ_PGM_RESOURCES_LS", "register", Observed, kScr, nullptr},
    ProgramInfoField{0x0000a236, 1, Vliw, "SQ_PGM_RESOURCES_2_LS", "register", Observed, kScr, nullptr},
    ProgramInfoField{0x0000a23a, 1, Vliw, "SQ_LDS_ALLOC", "register", Observed, kScr, nullptr},
    ProgramInfoField{0x80000002, 1, Vliw, "largest number of scratch registers", "registers of 16 bytes", Inferred,
                     "M2S; RT14 gpuscr800.cpp; BIN: 0 in both Cypress images, so the unit is not verified",
                     &ProgramInfo::scratch_registers},
    ProgramInfoField{0x80000003, 1, Vliw, "shared registers, user", "registers", Observed, kScr, nullptr},
    ProgramInfoField{0x80000004, 1, Vliw, "shared registers, total", "registers", Observed, kScr, nullptr},
    ProgramInfoField{0x80000005, 1, Vliw, "ECS set-up mode", "", Documented, kM2sOnly, nullptr},
    ProgramInfoField{0x80000006, 1, Vliw, "threads per group", "work-items", Observed, kScr, nullptr},
    ProgramInfoField{0x80000007, 1, Vliw, "thread groups in total", "groups", Observed, kScr, nullptr},
    ProgramInfoField{0x80000009, 1, Vliw, "largest number of wavefronts per SIMD", "wavefronts", Documented, kM2sOnly,
                     nullptr},
    ProgramInfoField{0x8000000a, 1, Common, "wavefronts per SIMD", "wavefronts", Observed, kBoth,
                     &ProgramInfo::waves_per_simd},
    ProgramInfoField{0x8000000b, 1, Vliw, "wavefronts per SIMD is the largest number", "flag", Observed, kScr, nullptr},
    ProgramInfoField{0x8000000c, 1, Vliw, "buffer set for the number of groups", "flag", Observed, kScr, nullptr},
    ProgramInfoField{0x80000010, 12, Vliw, "buffer set for the UAV return buffer", "flag", Observed, kScr, nullptr},
    // 256, 0, 0 without a required group size on GCN; 0, 0, 0 in both Cypress images [BIN].
    ProgramInfoField{0x8000001c, 1, Common, "threads per group X", "work-items", Observed, kBoth,
                     &ProgramInfo::group_size_x},
    ProgramInfoField{0x8000001d, 1, Common, "threads per group Y", "work-items", Observed, kBoth,
                     &ProgramInfo::group_size_y},
    ProgramInfoField{0x8000001e, 1, Common, "threads per group Z", "work-items", Observed, kBoth,
                     &ProgramInfo::group_size_z},
    ProgramInfoField{0x8000001f, 1, Common, "UAVs used", "bit mask", Observed, kBoth, nullptr},
    ProgramInfoField{0x80000020, 1, Vliw, "UAVs with atomic operations", "bit mask", Observed, kScr, nullptr},
    ProgramInfoField{0x80000021, 1, Vliw, "global return buffer", "flag", Observed, kScr, nullptr},
    ProgramInfoField{0x80000022, 1, Vliw, "global UAVs", "count", Observed, kScr, nullptr},
    ProgramInfoField{0x80000023, 1, Vliw, "global return buffers", "count", Observed, kScr, nullptr},
    ProgramInfoField{0x80000024, 3, Vliw, "sizes of the global return buffers (dword, short, byte)", "", Observed, kScr,
                     nullptr},
    ProgramInfoField{0x80000027, 1, Vliw, "extended caching", "flag", Observed, kScr, nullptr},
    ProgramInfoField{0x80000030, 12, Vliw, "offset to the UAV", "", Observed, kScr, nullptr},
    ProgramInfoField{0x80000040, 12, Vliw, "uncached fetch constant of the UAV", "slot", Observed, kScr, nullptr},
    ProgramInfoField{0x80000050, 12, Vliw, "cached fetch constant of the UAV", "slot", Observed, kScr, nullptr},
    ProgramInfoField{0x80000060, 8, Vliw, "fetch constant of the global return buffer", "slot", Observed, kScr,
                     nullptr},
    ProgramInfoField{0x80000070, 8, Vliw, "type of the global return buffer", "", Observed, kScr, nullptr},
    ProgramInfoField{0x80000078, 1, Common, "wavefront size", "work-items", Observed, kBoth,
                     &ProgramInfo::wavefront_size},
    ProgramInfoField{0x80000079, 1, Vliw, "registers available", "registers", Observed, kScr,
                     &ProgramInfo::vgprs_available},
    // Equal to NUM_GPRS of SQ_PGM_RESOURCES_LS in both Cypress images.
    ProgramInfoField{0x80000080, 1, Vliw, "registers used", "registers", Observed, kScr, &ProgramInfo::vgprs},
    ProgramInfoField{0x80000081, 1, Common, "LDS available", "bytes", Observed, kBoth, &ProgramInfo::lds_available},
    ProgramInfoField{0x80000082, 1, Gcn, "LDS used", "bytes", Observed,
                     "CLRX AmdBinGen.cpp; BIN: the LDS field of RSRC2 times 256 on GCN 1.0", &ProgramInfo::lds_used},
    // RT14 stores SQ_LDS_ALLOC.SIZE here. A Cypress kernel with two `hl` arguments, which gets all of the LDS, has
    // 0x2000 of 0x8000 bytes available, so the unit is a dword.
    ProgramInfoField{0x80000082, 1, Vliw, "LDS used", "dwords", Observed, kScr, &ProgramInfo::lds_used},
    ProgramInfoField{0x80000083, 1, Vliw, "stack available", "entries", Observed, kScr, nullptr},
    ProgramInfoField{0x80000084, 1, Vliw, "stack used", "entries", Observed, kScr, &ProgramInfo::stack_used},
    ProgramInfoField{0x80000090, 12, Vliw, "cached 64-bit fetch constant of the UAV", "slot", Observed, kScr, nullptr},
    ProgramInfoField{0x800000a0, 12, Vliw, "cached 128-bit fetch constant of the UAV", "slot", Observed, kScr, nullptr},
    ProgramInfoField{0x80001000, 1, Gcn, "user elements", "count", Observed, kBoth, &ProgramInfo::user_elements},
    ProgramInfoField{0x80001001, 64, Gcn, "user element: class, slot, first register, registers", "4 words each",
                     Observed, kBoth, nullptr},
    ProgramInfoField{0x80001041, 1, Gcn, "vector registers used", "registers", Observed, kBoth, &ProgramInfo::vgprs},
    ProgramInfoField{0x80001042, 1, Gcn, "scalar registers used", "registers", Observed, kBoth, &ProgramInfo::sgprs},
    ProgramInfoField{0x80001043, 1, Gcn, "FLOAT_MODE", "bit field", Observed, kBoth, &ProgramInfo::float_mode},
    ProgramInfoField{0x80001044, 1, Gcn, "IEEE_MODE", "flag", Observed, kBoth, &ProgramInfo::ieee_mode},
    ProgramInfoField{0x80001045, 1, Gcn, "scratch size", "dwords per work-item", Observed, kBoth,
                     &ProgramInfo::scratch_dwords},
    ProgramInfoField{0x80001046, 1, Gcn, "position float location", "", Documented, kM2sOnly, nullptr},
    ProgramInfoField{0x80001047, 1, Gcn, "export patch", "", Documented, kM2sOnly, nullptr},
    ProgramInfoField{0x80001800, 1, Gcn, "vertex shader semantics", "", Documented, kM2sOnly, nullptr},
    ProgramInfoField{0x80001840, 1, Gcn, "cube mask", "bit mask", Documented, kM2sOnly, nullptr},
    ProgramInfoField{0x80001841, 1, Gcn, "ordered append enable", "flag", Observed, kBoth, nullptr},
    ProgramInfoField{0x80001842, 1, Gcn, "VGPR component count", "count", Documented, kM2sOnly, nullptr},
    ProgramInfoField{0x80001843, 32, Gcn, "UAV resource mask", "bit mask", Observed, kBoth, nullptr},
    ProgramInfoField{0x80001863, 1, Gcn, "scalar registers available", "registers", Observed, kBoth,
                     &ProgramInfo::sgprs_available},
    ProgramInfoField{0x80001864, 1, Gcn, "vector registers available", "registers", Observed, kBoth,
                     &ProgramInfo::vgprs_available},
};

constexpr std::uint32_t kMostEncodings = 16;          // real images have one or two
constexpr std::uint32_t kMostSections = 1'024;

// Collects what one image holds; `image_` is where its ranges begin.
class ImageReader {
 public:
  ImageReader(const elf::ElfView& view, SourceRange image, const Device* device, Diagnostics& diagnostics)
      : view_(view), image_(image), device_(device), diagnostics_(diagnostics) {}

  CalImage read() {
    CalImage result;
    result.where = image_;
    if (!read_dictionary(result)) return result;
    for (Encoding& encoding : result.encodings) {
      if (encoding.where.size == 0) continue;
      read_sections(encoding);
      read_notes(encoding);
    }
    result.chosen = choose(result.encodings);
    if (result.chosen) read_registers(result.encodings[*result.chosen], result.registers);
    return result;
  }

 private:
  bool read_dictionary(CalImage& result) {
    const auto& segments = view_.segments();
    const auto segment = std::ranges::find(segments, kEncodingDictionary, &elf::Segment::type);
    if (segment == segments.end()) {
      diagnostics_.report(Code::CalDictionaryBroken, image_,
                          fmt::format("no program header of type 0x{:x} (encoding dictionary)", kEncodingDictionary));
      return false;
    }
    if (segment->outside || segment->filesz < kDictionaryEntrySize) {
      diagnostics_.report(Code::CalDictionaryBroken, image_,
                          fmt::format("the encoding dictionary of {} bytes at 0x{:x} is outside the image or too small",
                                      segment->filesz, segment->offset));
      return false;
    }
    const SourceRange table = segment->contents;
    if (table.size % kDictionaryEntrySize != 0)
      diagnostics_.report(Code::CalDictionaryBroken, table,
                          fmt::format("an encoding dictionary of {} bytes is no whole number of {}-byte entries",
                                      table.size, kDictionaryEntrySize));
    std::uint32_t count = table.size / kDictionaryEntrySize;
    if (count > kMostEncodings) {
      diagnostics_.report(Code::CalDictionaryBroken, table,
                          fmt::format("{} encodings; the first {} are read", count, kMostEncodings));
      count = kMostEncodings;
    }
    const auto bytes = view_.view(table);
    std::uint64_t total = 0;
    result.encodings.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::size_t at = std::size_t{i} * kDictionaryEntrySize;
      Encoding encoding;
      encoding.entry = {table.begin + i * kDictionaryEntrySize, kDictionaryEntrySize};
      encoding.machine = load<std::uint32_t>(bytes, at);
      encoding.type = load<std::uint32_t>(bytes, at + 4);
      encoding.offset = load<std::uint32_t>(bytes, at + 8);
      encoding.size = load<std::uint32_t>(bytes, at + 12);
      encoding.flags = load<std::uint32_t>(bytes, at + 16);
      total += encoding.size;
      // Encodings that share bytes would make the model larger than the file; real ones follow one another.
      if (inside(encoding.offset, encoding.size, image_.size) && total <= image_.size)
        encoding.where = {image_.begin + encoding.offset, encoding.size};
      else
        diagnostics_.report(Code::CalEncodingOutside, encoding.entry,
                            fmt::format("encoding {} (machine 0x{:x}): {} bytes at 0x{:x} lie outside the image of {} "
                                        "bytes, or in another encoding",
                                        i, encoding.machine, encoding.size, encoding.offset, image_.size));
      result.encodings.push_back(std::move(encoding));
    }
    return true;
  }

  static bool holds(const Encoding& encoding, SourceRange part) {
    return part.begin >= encoding.where.begin &&
           inside(part.begin - encoding.where.begin, part.size, encoding.where.size);
  }

  void read_sections(Encoding& encoding) {
    const std::array<std::pair<std::string_view, SourceRange*>, 4> wanted{{{".text", &encoding.text},
                                                                           {".data", &encoding.data},
                                                                           {".symtab", &encoding.symbols},
                                                                           {".strtab", &encoding.strings}}};
    for (const elf::Section& section : view_.sections()) {
      if (section.contents.size == 0 || !holds(encoding, section.contents)) continue;
      const std::string_view name = view_.text(section.name);
      for (const auto& [known, range] : wanted)
        if (name == known && range->size == 0) *range = section.contents;
    }
  }

  void read_notes(Encoding& encoding) {
    std::uint64_t total = 0;
    for (const elf::Segment& segment : view_.segments()) {
      if (segment.type != elf::kSegmentNote || segment.contents.size == 0 || !holds(encoding, segment.contents))
        continue;
      // Note segments that overlap would make the model larger than the file.
      total += segment.contents.size;
      if (total > encoding.size) {
        diagnostics_.report(Code::CalNoteBroken, segment.contents, "note segments overlap; this one is left out");
        return;
      }
      const elf::Notes notes = view_.notes(segment.contents);
      if (encoding.notes.empty()) encoding.notes.reserve(notes.notes.size());
      for (const elf::Note& note : notes.notes) read_note(encoding, note);
      if (notes.rest.size != 0)
        diagnostics_.report(Code::CalNoteBroken, notes.rest,
                            fmt::format("{} bytes that are no complete note", notes.rest.size));
    }
  }

  void read_note(Encoding& encoding, const elf::Note& note) {
    if (view_.text(note.name) != kCalOwner) {
      diagnostics_.report(Code::CalNoteBroken, note.where,
                          fmt::format("a note of type {} whose owner is not \"ATI CAL\"", note.type));
      return;
    }
    encoding.notes.push_back({note.type, note.where, note.description});
    const auto bytes = view_.view(note.description);
    const auto word = [&](std::size_t at) { return load<std::uint32_t>(bytes, at); };
    const auto each = [&](std::string_view what, std::uint32_t entry, auto add) {
      if (bytes.size() % entry != 0)
        diagnostics_.report(
            Code::CalNoteBroken, note.where,
            fmt::format("{} of {} bytes is no whole number of {}-byte entries", what, bytes.size(), entry));
      for (std::size_t at = 0; at + entry <= bytes.size(); at += entry) add(at);
    };
    CalLists& lists = encoding.lists;
    switch (note.type) {
      case kCalNoteProgramInfo:
        if (encoding.entries.empty()) encoding.entries.reserve(bytes.size() / 8);
        return each("program information", 8, [&](auto at) { encoding.entries.push_back({word(at), word(at + 4)}); });
      case kCalNoteInputs: return each("a list of inputs", 4, [&](auto at) { lists.inputs.push_back(word(at)); });
      case kCalNoteConstantBuffers:
        return each("a list of constant buffers", 8, [&](auto at) { lists.constant_buffers.push_back(word(at)); });
      case kCalNoteSamplers:
        return each("a list of samplers", 8, [&](auto at) { lists.samplers.push_back({word(at), word(at + 4)}); });
      case kCalNoteScratch: return each("a scratch size", 4, [&](auto at) { lists.scratch_dwords = word(at); });
      case kCalNoteUavs:
        return each("a list of UAVs", 16,
                    [&](auto at) { lists.uavs.push_back({word(at), word(at + 4), word(at + 8), word(at + 12)}); });
      default: return;
    }
  }

  std::optional<std::size_t> choose(const std::vector<Encoding>& encodings) {
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < encodings.size(); ++i) {
      if (encodings[i].where.size == 0) continue;
      if (device_ != nullptr && device_->inner_machine == encodings[i].machine) return i;
      if (!is_il_encoding(encodings[i].machine)) last = i;
    }
    const std::string used = last ? fmt::format("machine 0x{:x} is used", encodings[*last].machine)
                                  : std::string("the image has only IL, so the registers are not known");
    if (device_ != nullptr && device_->inner_machine)
      diagnostics_.report(
          Code::CalNoEncodingForDevice, image_,
          fmt::format("no encoding for {} (machine 0x{:x}); {}", device_->name, *device_->inner_machine, used));
    else
      diagnostics_.report(Code::CalDeviceCodeUnknown, image_,
                          fmt::format("the machine code of {} is not known; {}",
                                      device_ != nullptr ? device_->name : std::string_view("an unknown device"),
                                      used));
    return last;
  }

  // Without a device the addresses themselves tell: these two count registers in one family only.
  ProgramInfoFamily family_of(const Encoding& encoding) const {
    if (device_ != nullptr) return is_vliw(device_->isa) ? Vliw : Gcn;
    const bool gcn = std::ranges::any_of(encoding.entries,
                                         [](const ProgramInfoEntry& entry) { return entry.address == 0x80001041; });
    return gcn ? Gcn : Vliw;
  }

  void read_registers(Encoding& encoding, Registers& registers) {
    const ProgramInfoFamily family = family_of(encoding);
    const ProgramInfoField* field = nullptr;
    for (const ProgramInfoEntry& entry : encoding.entries) {
      // Most entries belong to the row of the entry before.
      if (field == nullptr || entry.address - field->address >= field->count)
        field = find_program_info_field(entry.address, family);
      if (field != nullptr && field->member != nullptr) encoding.info.*field->member = entry.value;
    }
    if (family == Gcn) read_user_elements(encoding);
    const ProgramInfo& info = encoding.info;
    if (!info.vgprs) {
      diagnostics_.report(Code::CalNoProgramInfo, encoding.where,
                          "the image does not say how many registers the kernel uses");
      return;
    }
    registers.known = true;
    registers.vgprs = *info.vgprs;
    registers.sgprs = info.sgprs.value_or(0);
    registers.scratch_bytes =
        family == Vliw ? scaled(info.scratch_registers.value_or(0), 16) : scaled(info.scratch_dwords.value_or(0), 4);
    registers.lds_bytes = family == Vliw ? scaled(info.lds_used.value_or(0), 4) : info.lds_used.value_or(0);
    registers.wavefront_size = info.wavefront_size.value_or(0);
  }

  void read_user_elements(Encoding& encoding) {
    constexpr std::uint32_t kFirst = 0x80001001;
    std::array<UserElement, kMostUserElements> all{};
    for (const ProgramInfoEntry& entry : encoding.entries) {
      if (entry.address < kFirst || entry.address - kFirst >= 4 * kMostUserElements) continue;
      UserElement& element = all[(entry.address - kFirst) / 4];
      std::uint32_t* const words[] = {&element.data_class, &element.slot, &element.first, &element.count};
      *words[(entry.address - kFirst) % 4] = entry.value;
    }
    // Old drivers list 16 sets whatever the number.
    const std::uint32_t count = std::min(encoding.info.user_elements.value_or(0), kMostUserElements);
    encoding.user_elements.assign(all.begin(), all.begin() + count);
  }

  // A hostile count saturates: the largest value is refused wherever a limit is checked, a wrapped one is not.
  static std::uint32_t scaled(std::uint32_t count, std::uint32_t unit) {
    constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
    return count > kMost / unit ? kMost : count * unit;
  }

  const elf::ElfView& view_;
  SourceRange image_;
  const Device* device_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::span<const CalNoteType> cal_note_types() { return kNoteTypes; }

const CalNoteType* find_cal_note_type(std::uint32_t type) {
  const auto row = std::ranges::find(kNoteTypes, type, &CalNoteType::type);
  return row == kNoteTypes.end() ? nullptr : &*row;
}

std::span<const ProgramInfoField> program_info_fields() { return kFields; }

const ProgramInfoField* find_program_info_field(std::uint32_t address, ProgramInfoFamily family) {
  // Containers have dozens of entries for each kernel: only the rows that can reach the address are looked at.
  static_assert(std::ranges::adjacent_find(kFields, [](const ProgramInfoField& a, const ProgramInfoField& b) {
                  return b.address < a.address || (b.address != a.address && b.address - a.address < a.count);
                }) == kFields.end());
  const auto* const end = std::ranges::upper_bound(kFields, address, {}, &ProgramInfoField::address);
  const auto* row = end;
  while (row != kFields.begin() && std::prev(row)->address == std::prev(end)->address) --row;
  for (; row != end; ++row)
    if (address - row->address < row->count && (row->family == family || row->family == Common || family == Common))
      return row;
  return nullptr;
}

CalImage read_cal_image(std::span<const std::byte> file, SourceRange where, const Device* device,
                        Diagnostics& diagnostics) {
  CalImage nothing;
  nothing.where = where;
  if (!inside(where.begin, where.size, file.size())) {
    diagnostics.report(Code::CalImageBroken, where, "the image lies outside the file");
    return nothing;
  }
  const auto view = elf::ElfView::open(file.subspan(where.begin, where.size), where.begin, {.sections = kMostSections});
  if (!view) {
    diagnostics.report(Code::CalImageBroken, view.error().where, fmt::format("no CAL image: {}", view.error().message));
    return nothing;
  }
  if (view->header().is_64() || view->header().machine != kCalMachine) {
    diagnostics.report(Code::CalImageBroken, where,
                       fmt::format("no CAL image: a {}-bit ELF file for machine 0x{:x}, expected 32 bits and 0x{:x}",
                                   view->header().is_64() ? 64 : 32, view->header().machine, kCalMachine));
    return nothing;
  }
  return ImageReader(*view, where, device, diagnostics).read();
}

}  // namespace amdcompat::cl1
