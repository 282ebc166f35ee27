// HSA code objects -> neutral Program; offload bundles -> the one object that is wanted.
#include "open_hsa.hpp"

#include <map>
#include <set>

#include <fmt/format.h>

namespace amdcompat {

namespace {

// The metadata as loaders and runtimes take it; names of kernels for which they cannot go to `refused`. The file's own
// stays as it is, and whoever judges the object reports what was settled.
hsa::Metadata loaded_metadata(const hsa::CodeObject& object, std::set<std::string>& refused) {
  hsa::Metadata metadata = object.metadata;
  Diagnostics findings;
  hsa::settle_metadata(object, metadata, findings);
  for (const Diagnostic& finding : findings.all())
    if (finding.severity == Severity::Error) refused.insert(finding.kernel);
  return metadata;
}

void lower(const hsa::CodeObject& object, Program& program) {
  std::set<std::string> refused;
  const hsa::Metadata metadata = loaded_metadata(object, refused);
  program.family = Family::Hsa;
  if (object.target != nullptr) program.device = object.target->name;
  program.target = object.target;
  program.code = object.code;
  std::map<std::string_view, const hsa::CodeKernel*> code;
  for (const hsa::CodeKernel& kernel : object.kernels) code.emplace(kernel.name, &kernel);
  for (const hsa::MetadataKernel& from : metadata.kernels) {
    Kernel& kernel = program.kernels.emplace_back(hsa::to_kernel(from, object.version));
    if (refused.contains(kernel.name)) kernel.complete = false;
    kernel.device = program.device;
    std::string_view symbol = from.symbol ? std::string_view(*from.symbol) : std::string_view(kernel.name);
    if (symbol.ends_with(".kd")) symbol.remove_suffix(3);
    if (const auto found = code.find(symbol); found != code.end()) {
      kernel.code = found->second->code;
      if (found->second->descriptor)
        kernel.entry = *found->second->descriptor;
      else if (found->second->legacy)
        kernel.entry = *found->second->legacy;
    }
  }
  for (const std::string& text : metadata.printf) {
    const auto decoded = hsa::decode_printf(text);
    if (!decoded || decoded->hostcall) continue;
    PrintfFormat& format = program.printf.emplace_back();
    format.id = decoded->id;
    format.sizes = decoded->sizes;
    format.format = decoded->format;
  }
}

// The entry of a bundle that is wanted, as a range of the file.
std::optional<SourceRange> choose_entry(std::string_view bytes, Diagnostics& diagnostics, std::string_view wanted) {
  std::vector<hsa::BundleEntry> objects;
  for (hsa::BundleEntry& entry : hsa::read_bundle(bytes, diagnostics))
    if (!hsa::bundle_target(entry.id).empty()) objects.push_back(std::move(entry));
  std::vector<const hsa::BundleEntry*> fitting;
  std::string names;
  for (const hsa::BundleEntry& entry : objects) {
    const std::string_view target = hsa::bundle_target(entry.id);
    names += fmt::format("{}{}", names.empty() ? "" : ", ", target);
    // A processor alone means it with whatever features.
    if (wanted.empty() || target == wanted || target.substr(0, target.find(':')) == wanted) fitting.push_back(&entry);
  }
  if (fitting.size() == 1) return fitting.front()->where;
  if (objects.empty()) {
    diagnostics.report(Code::BundleEmpty, {}, "the bundle holds no code object for a GPU");
    return std::nullopt;
  }
  diagnostics.report(
      Code::BundleChoice, {},
      wanted.empty() ? fmt::format("the bundle holds {} code objects: {}", objects.size(), names)
                     : fmt::format("{} entries of the bundle fit '{}'; it holds {}", fitting.size(), wanted, names));
  return std::nullopt;
}

}  // namespace

bool open_hsa(File& file, std::string bytes, Diagnostics& diagnostics, const OpenOptions& options) {
  std::string_view part = bytes;
  hsa::CodeObjectOptions read = options.hsa;
  if (hsa::is_bundle(part)) {
    const auto entry = choose_entry(part, diagnostics, options.bundle_entry);
    if (!entry) return false;
    part = part.substr(entry->begin, entry->size);
    read.base = entry->begin;
  }
  std::optional<hsa::CodeObject> object = hsa::read_code_object(part, diagnostics, read);
  if (!object) return false;
  lower(*object, file.program);
  file.content = ObjectFile{std::move(bytes), std::move(*object)};
  return true;
}

}  // namespace amdcompat
