// `roundtrip`: prints every metadata block again from its parsed fields and compares it with the input. With --all
// every other form of the file too: each is written, read and written again in every form there is.
#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/pipeline.hpp>
#include <amdcompat/xml.hpp>

#include <metadata_json.hpp>
#include <program.hpp>

#include "forms.hpp"
#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

// Elements [first, last] of the document; true when they print back identically.
bool compare(const std::string& path, std::string_view name, const text::Document& document, std::size_t first,
             std::size_t last) {
  const SourceRange begin = document.elements[first].where;
  const SourceRange end = document.elements[last].where;
  const std::string_view before = document.slice({begin.begin, end.begin + end.size - begin.begin});
  const std::string after = text::reprint(document, first, last);
  if (before == after) {
    fmt::print("{}: {}: identical\n", visible(path), visible(name));
    return true;
  }
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(before, after).in1 - before.begin());
  fmt::print("{}: {}: differs at byte {} (+{:#x} of the file)\n", visible(path), visible(name), at, begin.begin + at);
  return false;
}

// --- --all ---------------------------------------------------------------------------------------------------

// The first place where two documents differ, as a path such as `amdhsa.kernels[0].args[2].offset`; empty: none.
std::string first_difference(const hsa::Node& a, const hsa::Node& b, const std::string& path) {
  if (a == b) return {};
  const auto* a_map = std::get_if<hsa::Node::Map>(&a.value);
  const auto* b_map = std::get_if<hsa::Node::Map>(&b.value);
  if (a_map != nullptr && b_map != nullptr) {
    // Both are sorted by key.
    for (auto left = a_map->begin(), right = b_map->begin(); left != a_map->end() || right != b_map->end();) {
      const bool only_left = right == b_map->end() || (left != a_map->end() && left->key < right->key);
      const bool only_right = left == a_map->end() || (right != b_map->end() && right->key < left->key);
      const std::string& key = only_right ? right->key : left->key;
      const std::string inside = path.empty() || key.starts_with('.') ? path + key : path + '.' + key;
      if (only_left || only_right) return inside;
      if (std::string found = first_difference(left->value, right->value, inside); !found.empty()) return found;
      ++left;
      ++right;
    }
    return path;
  }
  const auto* a_array = std::get_if<hsa::Node::Array>(&a.value);
  const auto* b_array = std::get_if<hsa::Node::Array>(&b.value);
  if (a_array != nullptr && b_array != nullptr) {
    for (std::size_t i = 0; i < std::max(a_array->size(), b_array->size()); ++i) {
      const std::string inside = fmt::format("{}[{}]", path, i);
      if (i >= a_array->size() || i >= b_array->size()) return inside;
      if (std::string found = first_difference((*a_array)[i], (*b_array)[i], inside); !found.empty()) return found;
    }
  }
  return path;
}

// The same of two models. Only one kernel at a time becomes a tree, which takes many times the bytes of its model.
std::string first_difference(const hsa::Metadata& a, const hsa::Metadata& b) {
  if (a == b) return {};
  constexpr std::string_view kKernels = "amdhsa.kernels";
  const auto rest = [](const hsa::Metadata& metadata) {
    return hsa::to_node(hsa::Metadata{.version = metadata.version,
                                      .target = metadata.target,
                                      .printf = metadata.printf,
                                      .kernels = {},
                                      .unknown = metadata.unknown,
                                      .where = {}});
  };
  std::string found = first_difference(rest(a), rest(b), "");
  if (!found.empty() && found < kKernels) return found;
  const auto alone = [](const hsa::MetadataKernel& kernel) {
    hsa::Metadata out;
    out.kernels.push_back(kernel);
    return hsa::to_node(out);
  };
  for (std::size_t i = 0; i < std::max(a.kernels.size(), b.kernels.size()); ++i) {
    const std::string element = fmt::format("{}[{}]", kKernels, i);
    if (i >= a.kernels.size() || i >= b.kernels.size()) return element;
    if (a.kernels[i] == b.kernels[i]) continue;
    const std::string inside = first_difference(alone(a.kernels[i]), alone(b.kernels[i]), "");
    if (!inside.empty()) return element + inside.substr(kKernels.size() + 3);  // behind "[0]"
  }
  return found;
}

constexpr std::string_view kV2Form = "v2-yaml";

// A form of metadata: writer and reader. A writer may refuse (V2 cannot say everything); its form is then left out.
struct MetadataForm {
  std::string_view name;
  std::function<std::optional<std::string>(const hsa::Metadata&)> write;
  std::function<std::optional<hsa::Metadata>(std::string_view, Diagnostics&)> read;
};

std::vector<MetadataForm> metadata_forms(const Target* target, bool v2) {
  std::vector<MetadataForm> out{
      {"yaml", hsa::to_yaml, [](std::string_view text, Diagnostics& d) { return hsa::read_yaml(text, d); }},
      {"json", migrate::metadata_json, migrate::read_metadata_json},
      {"msgpack", hsa::to_msgpack, [](std::string_view bytes, Diagnostics& d) { return hsa::read_msgpack(bytes, d); }},
      {"note", hsa::to_note, [](std::string_view bytes, Diagnostics& d) { return hsa::read_note(bytes, d); }},
  };
  if (target != nullptr)
    out.push_back({"elf",
                   [target](const hsa::Metadata& metadata) -> std::optional<std::string> {
                     const auto version = metadata.version ? hsa::version_of_metadata(*metadata.version) : std::nullopt;
                     if (!version || *version < hsa::CodeObjectVersion::V3) return std::nullopt;
                     Result<std::string> elf = hsa::to_note_elf(metadata, *target, *version);
                     return elf ? std::optional(std::move(*elf)) : std::nullopt;
                   },
                   [](std::string_view bytes, Diagnostics& d) -> std::optional<hsa::Metadata> {
                     auto elf = hsa::read_note_elf(bytes, d);
                     return elf ? std::optional(std::move(elf->metadata)) : std::nullopt;
                   }});
  if (v2)
    out.push_back({kV2Form,
                   [](const hsa::Metadata& metadata) -> std::optional<std::string> {
                     Result<std::string> text = hsa::to_v2_yaml(metadata);
                     return text ? std::optional(std::move(*text)) : std::nullopt;
                   },
                   [](std::string_view text, Diagnostics& d) { return hsa::read_v2_yaml(text, d); }});
  return out;
}

// Where two byte strings differ first.
std::size_t first_byte(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

// Prints a line of the report; true when nothing differs.
bool say(const std::string& path, std::string_view what, const std::string& difference, std::string_view detail = {}) {
  if (difference.empty())
    fmt::print("{}: {}: identical{}\n", visible(path), what, detail);
  else
    fmt::print("{}: {}: {}\n", visible(path), what, visible(difference));
  return difference.empty();
}

// Why a form cannot hold what is there: text that no YAML holds, a key that V2 does not have. Empty: it should.
std::string cannot_hold(const MetadataForm& form, const hsa::Metadata& metadata, std::string_view at) {
  Diagnostics findings;
  hsa::verify(metadata, findings);
  for (const Diagnostic& finding : findings.all()) {
    if (finding.path != at) continue;
    if (finding.code == Code::HsaNotUtf8) return finding.message;
    const bool foreign = finding.code == Code::HsaUnknownKey || finding.code == Code::HsaMisspeltKey;
    if (foreign && form.name == kV2Form) return "it is no key of V2";
  }
  return {};
}

// What became of metadata in its forms.
struct FormsReport {
  std::string difference;  // empty: none
  std::string names;  // of the forms
};

// The metadata through every form and from each into every other.
FormsReport all_metadata_forms(const hsa::Metadata& metadata, const Target* target, bool v2) {
  const std::vector<MetadataForm> forms = metadata_forms(target, v2);
  FormsReport out;
  std::vector<std::optional<std::string>> written(forms.size());
  // Texts are made when they are asked for: most files need no two of them at a time.
  std::vector<bool> tried(forms.size());
  const auto text = [&](std::size_t form) -> std::optional<std::string>& {
    if (!tried[form]) written[form] = forms[form].write(metadata);
    tried[form] = true;
    return written[form];
  };
  for (std::size_t from = 0; from < forms.size() && out.difference.empty(); ++from) {
    if (!text(from)) continue;
    out.names += (out.names.empty() ? "" : ", ") + std::string(forms[from].name);
    Diagnostics findings;
    const std::optional<hsa::Metadata> again = forms[from].read(*text(from), findings);
    if (!again) {
      out.difference = fmt::format("{} cannot be read again", forms[from].name);
      break;
    }
    if (const std::string at = first_difference(metadata, *again); !at.empty()) {
      const std::string reason = cannot_hold(forms[from], metadata, at);
      out.difference = reason.empty() ? fmt::format("{} differs at {}", forms[from].name, at)
                                      : fmt::format("{} cannot hold {}: {}", forms[from].name, at, reason);
      break;
    }
    // Of equal models every writer makes the same: each writes once more what it read itself. Models that are told
    // apart although they mean the same go into every form.
    const bool equal = *again == metadata;
    for (std::size_t to = equal ? from : 0; to < (equal ? from + 1 : forms.size()); ++to) {
      if (!text(to)) continue;
      const std::optional<std::string> bytes = forms[to].write(*again);
      if (bytes && *bytes == *text(to)) continue;
      out.difference = fmt::format("{} -> {} differs at byte {}", forms[from].name, forms[to].name,
                                   bytes ? first_byte(*bytes, *text(to)) : 0);
      break;
    }
    if (equal) {
      written[from].reset();
      tried[from] = false;
    }
  }
  return out;
}

bool say(const std::string& path, std::string_view what, const FormsReport& report) {
  return say(path, what, report.difference, fmt::format(" ({})", report.names));
}

// Where the model differs after it was written, read and written again; empty: nowhere. `bytes` is set to the size of
// its file. Models are as large as files are: none is kept longer than it is compared.
std::string object_difference(hsa::CodeObject object, std::size_t& bytes) {
  hsa::CodeObject again;
  {
    const Result<std::string> elf = hsa::write_code_object(object, &again);
    if (!elf) return "cannot be written: " + sentence(elf.error());
    bytes = elf->size();
  }
  Diagnostics differences;
  if (!convert::compare(convert::load_view(object), convert::load_view(again), differences)) {
    const auto first = std::ranges::find(differences.all(), Severity::Error, &Diagnostic::severity);
    return fmt::format("elf differs at {}: {}", first->path, first->message);
  }
  if (const std::string at = first_difference(object.metadata, again.metadata); !at.empty())
    return fmt::format("elf differs at {}", at);
  // A file does not say where 256 bytes of a former header lie, so the first model holds more than what is read; from
  // then on nothing may change.
  object = {};
  hsa::CodeObject last;
  const Result<std::string> second = hsa::write_code_object(again, &last);
  if (!second) return "elf cannot be read again";
  if (again != last) return "elf -> elf differs";
  again = {};
  const Result<std::string> third = hsa::write_code_object(std::move(last));
  if (!third || *third != *second)
    return fmt::format("elf -> elf differs at byte {}", third ? first_byte(*second, *third) : 0);
  return {};
}

// `metadata`: what became of the same metadata elsewhere; null: not known.
bool all_object_forms(const std::string& path, std::string_view what, hsa::CodeObject object,
                      const FormsReport* metadata) {
  const FormsReport report =
      metadata != nullptr ? *metadata : all_metadata_forms(object.metadata, object.target, false);
  std::size_t bytes = 0;
  const std::string difference = object_difference(std::move(object), bytes);
  const bool same = say(path, what, difference, fmt::format(" (elf, {} bytes)", bytes));
  if (bytes == 0) return false;
  return say(path, fmt::format("metadata of the {}", what), report) && same;
}

// The texts as XML, and in canonical form.
bool all_text_forms(const std::string& path, const File& file) {
  if (file.texts.empty()) return true;
  std::string difference;
  const Result<std::vector<XmlText>> again = from_xml(to_xml(file));
  if (!again)
    difference = fmt::format("cannot be read again: {}: {}", again.error().path, sentence(again.error()));
  else if (again->size() != file.texts.size())
    difference = fmt::format("differs: {} texts of {}", again->size(), file.texts.size());
  for (std::size_t i = 0; again && difference.empty() && i < file.texts.size(); ++i) {
    const std::string_view before = file.texts[i].document.source(), after = (*again)[i].text;
    if (file.texts[i].symbol != (*again)[i].symbol)
      difference = fmt::format("/amdcompat-text/text[{}]/@symbol differs", i + 1);
    else if (before != after)
      difference = fmt::format("/amdcompat-text/text[{}] differs at byte {}", i + 1, first_byte(before, after));
  }
  bool same = say(path, "xml", difference, fmt::format(" ({})", plural(file.texts.size(), "text")));

  difference.clear();
  for (std::size_t i = 0; i < file.texts.size() && difference.empty(); ++i) {
    constexpr text::MetadataVersion kVersion{3, 1, 111};
    const std::string once = canonical_text(file.texts[i].document, kVersion, "");
    Diagnostics findings;
    const std::string twice = canonical_text(text::parse(once, findings), kVersion, "");
    if (once != twice) difference = fmt::format("text {} differs at byte {}", i + 1, first_byte(once, twice));
  }
  return say(path, "canonical text", difference) && same;
}

// Every form of the code object that `convert` makes of the file. Not every container's code can be carried over; a
// code object that no loader can serve is an input with errors. `metadata`: what became of the input's own.
bool all_converted_forms(const std::string& path, const File& file, const FormsReport* metadata) {
  Diagnostics findings;
  pipeline::Request request;
  request.layout = pipeline::Layout::InPlace;
  std::optional<hsa::CodeObject> object = pipeline::convert(file, request, findings).object;
  if (object) {
    const bool known = metadata != nullptr && file.object()->version != hsa::CodeObjectVersion::V2 &&
                       object->target == file.object()->target && object->metadata == file.object()->metadata;
    return all_object_forms(path, "code object", std::move(*object), known ? metadata : nullptr);
  }
  const auto error = std::ranges::find(findings.all(), Severity::Error, &Diagnostic::severity);
  fmt::print("{}: code object: not converted{}\n", visible(path),
             error == findings.all().end() ? std::string() : ": " + visible(sentence(*error)));
  return !file.object() || file.object()->kernels.empty() || error == findings.all().end();
}

FormsReport object_metadata_forms(const hsa::CodeObject& object) {
  return all_metadata_forms(object.metadata, object.target, object.version == hsa::CodeObjectVersion::V2);
}

bool all_forms(const std::string& path, const File& file) {
  bool same = all_text_forms(path, file);
  if (file.object()) {
    const FormsReport metadata = object_metadata_forms(*file.object());
    same &= say(path, "metadata", metadata);
    return all_converted_forms(path, file, &metadata) && same;
  }
  Diagnostics findings;
  pipeline::Request request;
  request.layout = pipeline::Layout::Natural;
  std::optional<convert::Conversion> natural = pipeline::convert(file, request, findings).natural;
  if (!natural || natural->kernels.empty()) {
    fmt::print("{}: natural metadata: no kernel is converted\n", visible(path));
  } else {
    const Result<const Target*> target = convert::choose_target(file.program, "");
    same &= say(path, "natural metadata", all_metadata_forms(natural->metadata, target ? *target : nullptr, false));
  }
  if (!file.cl1() && !file.cl2()) return same;  // a text has no code
  natural.reset();
  return all_converted_forms(path, file, nullptr) && same;
}

}  // namespace

int run_roundtrip(const RoundtripOptions& wanted) {
  const Common& options = wanted.common;
  int result = kDone;
  const auto worse = [&result](int code) { result = std::max(result, code); };
  for (const std::string& path : options.files) {
    const std::optional<Input> input = open_input(path, options);
    if (!input) {
      worse(kInputOutput);
      continue;
    }
    const std::optional<File>& file = input->file;
    std::fflush(stdout);
    show(*input, options);
    worse(input->result());
    if (!file) {
      worse(kInputErrors);
      continue;
    }
    for (const MetadataText& part : file->texts) {
      const text::Document& document = part.document;
      for (const text::Block& block : document.blocks)
        if (!compare(path, block.name, document, block.first, block.last)) worse(kInputErrors);
      for (const text::Segment& segment : document.segments) {
        const std::string name =
            segment.constant_buffer ? fmt::format("#DATASTART:{}", *segment.constant_buffer) : "#DATASTART";
        if (!compare(path, name, document, segment.first, segment.last)) worse(kInputErrors);
      }
      // What lies between the blocks, and the text as a whole.
      const std::string again = text::print(document);
      const std::string_view before = document.source();
      if (again != before) {
        const auto at = static_cast<std::size_t>(std::ranges::mismatch(before, again).in1 - before.begin());
        fmt::print("{}: text outside blocks: differs at byte {}\n", visible(path), at);
        worse(kInputErrors);
      }
    }
    if (file->cl1() || file->cl2()) {
      const std::vector<std::byte> again = file->cl2() ? cl2::write(*file->cl2()) : cl1::write(*file->cl1());
      const auto before = std::as_bytes(std::span(input->bytes));
      if (!std::ranges::equal(before, again)) {
        const auto at = static_cast<std::size_t>(std::ranges::mismatch(before, again).in1 - before.begin());
        fmt::print("{}: container: differs at byte {}\n", visible(path), at);
        worse(kInputErrors);
      } else if (file->cl2()) {
        // Binary metadata and setups were written from their fields; text blocks, if any, are listed above.
        for (const cl2::Kernel& kernel : file->cl2()->kernels)
          if (kernel.metadata)
            fmt::print("{}: binary metadata of {}: identical ({} bytes)\n", visible(path), visible(kernel.name),
                       kernel.metadata_bytes.size);
      }
    }
    if (wanted.all && !all_forms(path, *file)) worse(kInputErrors);
    if (!wanted.all && file->object() && !say(path, "metadata", object_metadata_forms(*file->object())))
      worse(kInputErrors);
  }
  return result;
}

}  // namespace amdcompat::cli
