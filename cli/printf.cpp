// `printf`: the text that a kernel's printf calls left in a buffer.
#include <algorithm>
#include <bit>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <amdcompat/hsa.hpp>
#include <amdcompat/printf.hpp>

#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

using Json = nlohmann::ordered_json;

bool is_hsa(std::string_view bytes) {
  switch (identify(std::as_bytes(std::span(bytes)))) {
    case FileKind::HsaV2:
    case FileKind::HsaV3:
    case FileKind::HsaV4:
    case FileKind::HsaV5:
    case FileKind::HsaV6: return true;
    default: return bytes.starts_with("---");  // V3 metadata as YAML
  }
}

std::vector<PrintfFormat> hsa_formats(std::string_view bytes, Diagnostics& diagnostics) {
  std::optional<hsa::Metadata> metadata;
  if (bytes.starts_with("---")) {
    metadata = hsa::read_yaml(bytes, diagnostics);
  } else if (std::optional<hsa::NoteElf> note = hsa::read_note_elf(bytes, diagnostics)) {
    metadata = std::move(note->metadata);
  }
  std::vector<PrintfFormat> out;
  if (!metadata) return out;
  for (const std::string& entry : metadata->printf)
    if (Result<PrintfFormat> format = abi::hsa_printf_format(entry))
      out.push_back(std::move(*format));
    else
      diagnostics.add(std::move(format.error()));
  return out;
}

std::string json_lines(std::span<const abi::PrintfRecord> records) {
  std::string out;
  for (const abi::PrintfRecord& record : records) {
    const Json line{{"item", record.item}, {"offset", record.offset}, {"id", record.id}, {"text", record.text}};
    out += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return out;
}

}  // namespace

int run_printf(const PrintfOptions& options) {
  std::optional<Input> input = read_file(options.common.files.front(), options.common);
  const std::optional<std::string> dump = input ? read_input(options.buffer) : std::nullopt;
  if (!dump) return kInputOutput;
  const auto buffer = std::as_bytes(std::span(*dump));
  Diagnostics& diagnostics = input->diagnostics;
  std::vector<PrintfFormat> formats;
  bool hsa = options.abi == "hsa";
  bool opened = true;
  if (is_hsa(input->bytes)) {  // formats need no more than the metadata, which may stand alone
    hsa = options.abi != "legacy";
    formats = hsa_formats(input->bytes, diagnostics);
    opened = !diagnostics.has_errors();
  } else {
    open(*input, options.common);
    std::optional<File>& file = input->file;
    opened = file.has_value();
    if (file) {
      std::optional<std::size_t> unit;  // units of one file number their formats on their own
      if (!options.common.kernel.empty()) {
        opened = select_kernel(*input, options.common);
        if (opened) unit = file->program.kernels.front().unit;
      }
      for (PrintfFormat& format : file->program.printf)
        if (!unit || format.unit == *unit) formats.push_back(std::move(format));
    }
  }
  int result = kDone;
  if (opened) {
    std::vector<abi::PrintfRecord> records;
    if (hsa) {
      records = abi::decode_hsa_printf(formats, buffer, diagnostics);
    } else {
      abi::LegacyPrintf geometry{options.dwords_per_item, options.items};
      if (geometry.dwords_per_item == 0)
        geometry.dwords_per_item =
            abi::printf_dwords_per_item(buffer.size(), std::max<std::uint64_t>(options.items, 1));
      records = abi::decode_legacy_printf(formats, buffer, geometry, diagnostics);
    }
    const bool written =
        options.common.json ? write_stdout(json_lines(records)) : write_form(abi::printf_text(records));
    if (!written) result = kInputOutput;
  }
  show(*input, options.common);
  return std::max(result, input->result());
}

}  // namespace amdcompat::cli
