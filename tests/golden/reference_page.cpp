// docs/reference.md and docs/reference/: every table of formats and layouts that the library works by, row by row.
#include <fmt/format.h>

#include <amdcompat/amdcompat.hpp>
#include <amdcompat/gcn.hpp>
#include <amdcompat/gpu.hpp>
#include <amdcompat/in_place.hpp>

#include "support/markdown.hpp"
#include "transcript.hpp"

namespace golden {

namespace {

using namespace amdcompat;

std::string word(Evidence evidence) { return std::string(evidence_name(evidence)); }

class Table {
 public:
  Table(std::string_view title, std::string_view about, std::initializer_list<std::string_view> columns)
      : out_(fmt::format("## {}\n\n{}\n\n|", title, about)) {
    for (const std::string_view column : columns) out_ += fmt::format(" {} |", column);
    out_ += "\n|";
    for (std::size_t i = 0; i < columns.size(); ++i) out_ += " --- |";
    out_ += '\n';
  }
  Table& row(std::initializer_list<std::string> cells) {
    out_ += '|';
    for (const std::string& cell : cells) {
      out_ += ' ';
      for (const char c : cell) out_ += c == '|' ? "\\|" : c == '<' ? "&lt;" : c == '*' ? "\\*" : std::string(1, c);
      out_ += cell.empty() ? "|" : " |";
    }
    out_ += '\n';
    return *this;
  }
  [[nodiscard]] std::string text() const { return out_ + '\n'; }

 private:
  std::string out_;
};

std::string code(std::string_view text) { return text.empty() ? "" : fmt::format("`{}`", text); }
std::string str(std::string_view text) { return std::string(text); }

std::string directives() {
  Table out("Metadata directives", "Fields stand in this order, `:` in between. `inspect --explain` prints the same.",
            {"keyword", "fields", "meaning", "what AMD's runtime does", "evidence", "source"});
  for (const text::DirectiveInfo& row : text::directive_table())
    out.row(
        {code(row.keyword), code(row.fields), str(row.meaning), str(row.runtime), word(row.evidence), str(row.source)});
  return out.text();
}

std::string cb0() {
  Table out("Constant buffer 0",
            "160 bytes, dword by dword. Columns say in which ABI and in which profile a row holds: amd as the runtimes "
            "since 2014 wrote it, spec as in the 2009 specification.",
            {"dwords", "name", "meaning", "32-bit", "64-bit", "amd", "spec", "evidence", "source"});
  const auto mark = [](bool yes) { return std::string(yes ? "x" : ""); };
  for (const amdcompat::abi::Cb0Field& row : amdcompat::abi::cb0_fields())
    out.row(
        {row.dwords == 1 ? fmt::format("{}", row.dword) : fmt::format("{}-{}", row.dword, row.dword + row.dwords - 1),
         code(row.name), str(row.meaning), mark(row.abi32), mark(row.abi64), mark(row.amd), mark(row.spec),
         word(row.evidence), str(row.source)});
  return out.text();
}

std::string arguments() {
  Table cl1("Arguments in constant buffer 1", "A slot is 16 bytes.",
            {"argument", "slots", "what is written", "evidence", "source"});
  for (const amdcompat::abi::ArgumentRule& row : amdcompat::abi::argument_rules())
    cl1.row({str(row.kind), str(row.slots), str(row.written), word(row.evidence), str(row.source)});
  Table images("Image constants in constant buffer 1", "By offset in bytes into the argument's two slots.",
               {"offset", "Evergreen and later", "HD 4000", "source"});
  for (const amdcompat::abi::ImageConstantField& row : amdcompat::abi::image_constant_fields())
    images.row({fmt::format("{}", row.offset), str(row.r8xx), str(row.r7xx), str(row.source)});
  Table cl2("Arguments in the block of an OpenCL 2.0 kernel", "",
            {"argument", "slots", "what is written", "evidence", "source"});
  for (const auto& row : amdcompat::abi::cl2_argument_rules())
    cl2.row({str(row.kind), str(row.slots), str(row.written), word(row.evidence), str(row.source)});
  Table hsa("Arguments in the kernarg segment of a code object's kernel", "",
            {"argument", "size", "what is written", "evidence", "source"});
  for (const auto& row : amdcompat::abi::kernarg_argument_rules())
    hsa.row({str(row.kind), str(row.slots), str(row.written), word(row.evidence), str(row.source)});
  Table hidden("Hidden arguments of a code object's kernel", "Value kinds, without their `hidden_`.",
               {"argument", "bytes written", "what is written", "evidence", "source"});
  for (const auto& row : amdcompat::abi::hidden_rules())
    hidden.row({code(hidden_kind_name(row.kind)), fmt::format("{}", row.bytes), str(row.written), word(row.evidence),
                str(row.source)});
  return cl1.text() + images.text() + cl2.text() + hsa.text() + hidden.text();
}

std::string objects() {
  std::string out;
  const auto table = [&](std::string_view title, std::span<const amdcompat::abi::ObjectField> rows) {
    Table part(title, "By offset in bytes.", {"offset", "size", "name", "meaning", "evidence", "source"});
    for (const amdcompat::abi::ObjectField& row : rows)
      part.row({fmt::format("{}", row.offset), fmt::format("{}", row.size), code(row.name), str(row.meaning),
                word(row.evidence), str(row.source)});
    out += part.text();
  };
  table("AQL packet", amdcompat::abi::packet_fields());
  table("Image object of OpenCL 2.0 kernels", amdcompat::abi::image_object_fields());
  table("Sampler object of OpenCL 2.0 kernels", amdcompat::abi::sampler_object_fields());
  return out;
}

std::string descriptors() {
  static constexpr std::string_view kNames[] = {"V# (buffer)", "T# (image)", "T# of GFX6 to GFX8", "T# of GFX9",
                                                "S# (sampler)"};
  Table hardware("Hardware descriptors of GCN", "Bit n is bit n mod 32 of dword n / 32.",
                 {"descriptor", "bits", "name", "meaning", "evidence", "source"});
  for (const amdcompat::abi::HardwareDescriptorField& row : amdcompat::abi::descriptor_fields())
    hardware.row({str(kNames[static_cast<std::size_t>(row.descriptor)]),
                  fmt::format("{}-{}", row.bit, row.bit + row.width - 1), code(row.name), str(row.meaning),
                  word(row.evidence), str(row.source)});
  Table kernel("Kernel descriptor and amd_kernel_code_t",
               "Words that both structures have, and what becomes of a field in a descriptor.",
               {"word", "bits", "name", "generations", "fate", "source"});
  static constexpr const char* kFiles[] = {"", ", separate registers", ", unified registers"};
  static constexpr std::string_view kFates[] = {"copied", "cleared", "refused when set", "said elsewhere", "not there"};
  for (const hsa::KernelDescriptorField& row : hsa::kernel_descriptor_fields())
    kernel.row({str(hsa::word_name(row.word)), fmt::format("{}-{}", row.bit, row.bit + row.width - 1), code(row.name),
                (row.first == row.last
                     ? str(gcn::generation_name(row.first))
                     : fmt::format("{} to {}", gcn::generation_name(row.first), gcn::generation_name(row.last))) +
                    kFiles[static_cast<std::size_t>(row.registers)],
                str(kFates[static_cast<std::size_t>(row.fate)]), str(row.source)});
  return hardware.text() + kernel.text();
}

std::string containers() {
  static constexpr std::string_view kFamilies[] = {"all", "VLIW", "GCN"};
  Table roles("Symbols of OpenCL 1.x containers", "", {"prefix", "suffix", "version of the format", "source"});
  for (const cl1::RoleSpelling& row : cl1::role_spellings())
    roles.row({code(row.prefix), code(row.suffix), str(row.bif), str(row.source)});
  Table notes("Notes of CAL images", "", {"type", "name", "payload", "source"});
  for (const cl1::CalNoteType& row : cl1::cal_note_types())
    notes.row({fmt::format("{}", row.type), code(row.name), str(row.payload), str(row.source)});
  Table info("Program information of CAL images", "",
             {"address", "count", "devices", "name", "unit", "evidence", "source"});
  for (const cl1::ProgramInfoField& row : cl1::program_info_fields())
    info.row({fmt::format("{:#x}", row.address), fmt::format("{}", row.count),
              str(kFamilies[static_cast<std::size_t>(row.family)]), code(row.name), str(row.unit), word(row.evidence),
              str(row.source)});
  Table data("User data of GCN kernels", "Registers are those of one element; 0: no real file shows it.",
             {"class", "name", "registers", "meaning"});
  for (const cl1::UserDataClass& row : cl1::user_data_classes())
    data.row({fmt::format("{:#x}", row.number), code(row.name), fmt::format("{}", row.registers), str(row.meaning)});
  Table relocations("Relocations of OpenCL 2.0 containers", "", {"type", "name", "bytes", "meaning"});
  for (const cl2::RelocationType& row : cl2::relocation_types())
    relocations.row({fmt::format("{}", row.type), code(row.name), fmt::format("{}", row.bytes), str(row.meaning)});
  return roles.text() + notes.text() + info.text() + data.text() + relocations.text();
}

template <class Record>
std::string keys(std::string_view title, std::span<const hsa::Key<Record>> rows) {
  Table out(title, "", {"key", "in V2", "required", "since", "source"});
  for (const hsa::Key<Record>& row : rows)
    out.row({code(row.name), code(row.v2_name), row.required ? "x" : "", str(hsa::version_info(row.since).name),
             str(row.source)});
  return out.text();
}

std::string metadata() {
  Table versions("Code object versions", "", {"version", "amdhsa.version", "EI_ABIVERSION", "source"});
  for (const hsa::VersionInfo& row : hsa::all_code_object_versions())
    versions.row({str(row.name), fmt::format("{}.{}", row.metadata[0], row.metadata[1]),
                  fmt::format("{}", row.abi_version), str(row.source)});
  Table kinds("Value kinds", "Places of hidden kinds: number in the list of V3 and V4, byte in the block of V5 and V6.",
              {"kind", "in V2", "since", "bytes", "V3, V4", "V5, V6", "source"});
  for (const hsa::ValueKindInfo& row : hsa::all_value_kinds())
    kinds.row({code(row.name), code(row.v2_name), str(hsa::version_info(row.since).name),
               row.size == 0 ? "" : fmt::format("{}", row.size), row.slot ? fmt::format("{}", *row.slot) : "",
               row.offset ? fmt::format("{}", *row.offset) : "", str(row.source)});
  return versions.text() + keys("Keys of HSA metadata", hsa::root_keys()) +
         keys("Keys of a kernel", hsa::kernel_keys()) + keys("Keys of an argument", hsa::argument_keys()) +
         kinds.text();
}

std::string devices() {
  Table out("Devices", "`amdcompat devices` prints the same, with aliases.",
            {"device", "e_machine", "family", "target", "remark", "source"});
  for (const Device& row : all_devices())
    out.row({code(row.name), fmt::format("{}", row.e_machine), str(isa_name(row.isa)), code(row.target),
             str(row.remark), str(row.source)});
  return out.text();
}

std::string gpus() {
  Table boards("GPUs as they are sold",
               "What `--gpu` and `--target` take besides targets and devices; `amdcompat devices --boards` prints the "
               "same.",
               {"sold as", "device", "target", "source"});
  for (const Board& row : all_boards())
    boards.row({str(row.name), code(row.device), code(row.target), str(row.source)});
  Table support("What takes code for a target",
                "The oldest release that a source at hand names; older ones may take it too. `amdcompat devices "
                "--targets` prints the same.",
                {"target", "family", "oldest runtime", "source", "remark"});
  for (const TargetSupport& row : all_target_support())
    support.row({code(row.target), str(row.family), str(row.runtime), str(row.source), str(row.remark)});
  Table pci("PCI ids", "Of vendor 0x1002, as `amdcompat doctor` knows GPUs by them.",
            {"first", "last", "target", "chip"});
  for (const PciRange& row : all_pci_ranges())
    pci.row({fmt::format("0x{:04x}", row.first), fmt::format("0x{:04x}", row.last), code(row.target), str(row.chip)});
  return boards.text() + support.text() + pci.text();
}

std::string prologue() {
  Table out("Prologue of in-place conversion", "The instructions it is made of.", {"instruction", "use"});
  for (const convert::PrologueInstruction& row : convert::prologue_instructions())
    out.row({code(gcn::info(row.opcode).name), str(row.use)});
  return out.text();
}

// The tables of a page, as the index lists them.
std::string headings(std::string_view page, std::string_view text) {
  std::string out;
  for (std::size_t at = text.find("## "); at != std::string_view::npos; at = text.find("\n## ", at)) {
    at = text.find("## ", at) + 3;
    const std::string_view title = text.substr(at, text.find('\n', at) - at);
    out +=
        fmt::format("{}[{}](reference/{}.md#{})", out.empty() ? "" : "; ", title, page, amdcompat_test::anchor(title));
  }
  return out;
}

}  // namespace

std::vector<Page> reference_pages() {
  struct Area {
    std::string_view page, title;
    std::string tables;
  };
  const Area areas[] = {
      {"text", "Metadata text", directives()},
      {"launch", "Launches: constant buffers, arguments, packets", cb0() + arguments() + objects()},
      {"descriptors", "Descriptors of hardware and kernels", descriptors()},
      {"containers", "Containers of OpenCL 1.x and 2.0", containers()},
      {"metadata", "HSA metadata and code object versions", metadata()},
      {"devices", "Devices, GPUs and targets", devices() + gpus()},
      {"in-place", "In-place conversion", prologue()},
  };
  std::string index =
      "# Reference of formats and layouts\n\n"
      "The tables that the library reads and writes by, printed from them: `golden_test --rebase` writes these pages. "
      "Keys of\nsources are explained in [sources.md](sources.md). *documented*: a document or a header says so; "
      "*observed*: real files show\nit; *inferred*: it follows from these; *not verified*: said somewhere, shown by "
      "nothing.\n\n| page | tables |\n| --- | --- |\n";
  std::vector<Page> out(1);
  for (const Area& area : areas) {
    std::string text = fmt::format(
        "# {}\n\n[All tables](../reference.md), with what their words mean; keys of sources are explained in "
        "[sources.md](../sources.md).\n\n{}",
        area.title, area.tables);
    while (text.ends_with("\n\n")) text.pop_back();
    index += fmt::format("| [{}](reference/{}.md) | {} |\n", area.title, area.page, headings(area.page, area.tables));
    out.push_back({fmt::format("reference/{}.md", area.page), std::move(text)});
  }
  out.front() = {"reference.md", std::move(index)};
  return out;
}

}  // namespace golden
