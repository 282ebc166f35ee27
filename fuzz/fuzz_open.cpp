// CL1 and CL2 containers: classify, open, write back, convert.
#include <algorithm>
#include <span>
#include <string>

#include <amdcompat/convert.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/xml.hpp>

#include "property.hpp"

using namespace amdcompat;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > fuzz::kMostBytes) return 0;
  const std::string_view input = fuzz::text_of(data, size);
  const FileKind kind = identify(std::as_bytes(std::span(data, size)));
  // Texts have a target of their own.
  if (kind == FileKind::AmdilText || kind == FileKind::HsailText) return 0;

  Diagnostics diagnostics(fuzz::mode_of(input));
  OpenOptions options;
  options.text.limits.segment_bytes = 1u << 20;
  const std::optional<File> file = open(std::string(input), diagnostics, options);
  if (!file) {
    require(diagnostics.has_errors(), "a refusal has a reason");
    fuzz::check_findings(diagnostics, input, {});
    return 0;
  }
  require(file->view() == input, "the file's bytes are kept");
  const std::vector<std::byte> again = file->cl2() ? cl2::write(*file->cl2()) : cl1::write(*file->cl1());
  require(std::ranges::equal(again, std::as_bytes(std::span(data, size))), "an unmodified container writes back");
  for (const MetadataText& part : file->texts)
    require(text::print(part.document) ==
                (part.rebuilt ? part.document.source() : input.substr(part.where.begin, part.where.size)),
            "the text of each symbol prints back");
  // Less of it: the same kernels without checks, which `check` makes up for; and one kernel of them.
  options.checks = false;
  Diagnostics apart(diagnostics.mode());
  const std::optional<File> unchecked = open(std::string(input), apart, options);
  require(unchecked && unchecked->program.kernels == file->program.kernels, "checks change nothing of the kernels");
  check(*unchecked, apart);
  for (const Severity severity : {Severity::Note, Severity::Warning, Severity::Error})
    require(apart.count(severity) == diagnostics.count(severity), "checks that are made later find what they found");
  if (!file->program.kernels.empty()) {
    options.checks = true;
    options.kernel = file->program.kernels.back().name;
    Diagnostics about_one(diagnostics.mode());
    const std::optional<File> one = open(std::string(input), about_one, options);
    require(one && std::ranges::find(one->program.kernels, options.kernel, &Kernel::name) != one->program.kernels.end(),
            "a kernel that is wanted is read");
    fuzz::check_findings(about_one, input, one->regions);
  }
  const convert::Conversion conversion = convert::to_metadata(file->program, diagnostics);
  // What the images say of registers is passed on and judged, not repaired; the judgement is among the findings.
  Diagnostics verdict;
  hsa::verify(conversion.metadata, verdict, {.version = hsa::CodeObjectVersion::V3, .allow_duplicate_kernels = true});
  if (!diagnostics.has_errors()) fuzz::require_no_errors(verdict, "what is converted without an error is valid");
  require(!hsa::to_yaml(conversion.metadata).empty(), "what is converted prints");
  require(!to_xml(*file).empty(), "the texts print as XML");
  fuzz::check_findings(diagnostics, input, file->regions);
  return 0;
}
