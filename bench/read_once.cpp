// One piece of work over the benchmark's input, once, for bench/instructions.
//
//   amdcompat_read_once WORK
//
// Prints what one call of measured() does the work for: lines or files, and arguments or kernels.
#include <array>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/convert.hpp>
#include <amdcompat/in_place.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/text.hpp>

#include "hand_reader.hpp"
#include "workload.hpp"

using namespace amdcompat;

namespace {

struct Counts {
  std::size_t parts = 0;
  std::size_t items = 0;
};

struct Work {
  std::string_view name;
  std::string_view parts;  // what the counts are of
  std::string_view items;
  // Loads the input and returns the work itself.
  std::function<Counts()> (*prepare)();
};

std::function<Counts()> parse_text(bool by_hand) {
  return [work = bench::load(), by_hand] {
    Diagnostics diagnostics;
    const std::size_t found =
        by_hand ? hand::read(work.text).elements.size() : text::parse(work.text, diagnostics).elements.size();
    return found == 0 ? Counts{} : Counts{work.lines, work.arguments};
  };
}

std::optional<File> open_in_place(const std::string& bytes, Diagnostics& diagnostics, const OpenOptions& options = {}) {
  return open(FileBytes::borrowed(std::as_bytes(std::span(bytes))), diagnostics, options);
}

std::function<Counts()> open_files(std::initializer_list<FileKind> kinds, const OpenOptions& options = {}) {
  return [files = bench::load_files(kinds), options] {
    Counts out;
    for (const std::string& bytes : files) {
      Diagnostics diagnostics;
      const auto file = open_in_place(bytes, diagnostics, options);
      if (!file) continue;
      ++out.parts;
      for (const Kernel& kernel : file->program.kernels) out.items += kernel.arguments.size();
    }
    return out;
  };
}

OpenOptions without_checks() {
  OpenOptions out;
  out.checks = false;
  return out;
}

// The last kernel of each file that has several.
std::function<Counts()> open_one_kernel(FileKind kind) {
  std::vector<std::pair<std::string, OpenOptions>> wanted;
  for (std::string& bytes : bench::load_files({kind})) {
    Diagnostics diagnostics;
    const auto file = open_in_place(bytes, diagnostics);
    if (!file || file->program.kernels.size() < 2) continue;
    OpenOptions options;
    options.kernel = file->program.kernels.back().name;
    wanted.emplace_back(std::move(bytes), std::move(options));
  }
  return [wanted = std::move(wanted)] {
    Counts out;
    for (const auto& [bytes, options] : wanted) {
      Diagnostics diagnostics;
      const auto file = open_in_place(bytes, diagnostics, options);
      if (!file) continue;
      ++out.parts;
      out.items += file->program.kernels.size();
    }
    return out;
  };
}

std::function<Counts()> write_cl2() {
  return [files = bench::load_files({FileKind::Cl2, FileKind::HsaV1, FileKind::HsaV2})] {
    Counts out;
    for (const std::string& bytes : files) {
      Diagnostics diagnostics;
      const auto file = open_in_place(bytes, diagnostics);
      if (!file) continue;
      auto object = file->object() ? convert::to_version(*file->object(), diagnostics)
                                   : convert::to_code_object(file->program, diagnostics);
      if (!object || !hsa::check_code_object(*object, diagnostics)) continue;
      const std::size_t kernels = object->kernels.size();
      const auto before = file->object() ? convert::load_view(*file->object()) : convert::load_view(file->program);
      if (!convert::write_compared(std::move(*object), before, true, diagnostics)) continue;
      ++out.parts;
      out.items += kernels;
    }
    return out;
  };
}

std::function<Counts()> write_in_place() {
  return [files = bench::load_files({FileKind::Cl1Gpu})] {
    Counts out;
    for (const std::string& bytes : files) {
      Diagnostics diagnostics;
      const auto file = open_in_place(bytes, diagnostics);
      if (!file) continue;
      auto object = convert::to_in_place(file->program, diagnostics);
      if (!object || !hsa::check_code_object(object->object, diagnostics)) continue;
      const std::size_t kernels = object->kernels.size();
      if (!hsa::write_code_object(std::move(object->object))) continue;
      ++out.parts;
      out.items += kernels;
    }
    return out;
  };
}

std::function<Counts()> read_v2_yaml(bool events_only) {
  return [text = bench::v2_yaml(), events_only] {
    if (events_only) return Counts{bench::yaml_events(text), bench::kYamlArguments};
    Diagnostics diagnostics;
    const auto metadata = hsa::read_v2_yaml(text, diagnostics);
    return metadata ? Counts{metadata->kernels.size(), bench::kYamlArguments} : Counts{};
  };
}

std::function<Counts()> read_v3_msgpack(bool verify) {
  return [bytes = bench::v3_msgpack(), verify] {
    Diagnostics diagnostics;
    const auto metadata = hsa::read_msgpack(bytes, diagnostics);
    if (!metadata || (verify && !hsa::verify(*metadata, diagnostics))) return Counts{};
    return Counts{metadata->kernels.size(), bench::kYamlArguments};
  };
}

constexpr std::array kWork{
    Work{"parse", "lines", "arguments", [] { return parse_text(false); }},
    Work{"hand", "lines", "arguments", [] { return parse_text(true); }},
    Work{"open-cl1", "files", "arguments", [] { return open_files({FileKind::Cl1Gpu}); }},
    Work{"open-cl2", "files", "arguments", [] { return open_files({FileKind::Cl2}); }},
    Work{"facts-cl1", "files", "arguments", [] { return open_files({FileKind::Cl1Gpu}, without_checks()); }},
    Work{"facts-cl2", "files", "arguments", [] { return open_files({FileKind::Cl2}, without_checks()); }},
    Work{"one-cl1", "files", "kernels", [] { return open_one_kernel(FileKind::Cl1Gpu); }},
    Work{"one-cl2", "files", "kernels", [] { return open_one_kernel(FileKind::Cl2); }},
    Work{"yaml-events", "events", "arguments", [] { return read_v2_yaml(true); }},
    Work{"yaml-v2", "kernels", "arguments", [] { return read_v2_yaml(false); }},
    Work{"msgpack-v3", "kernels", "arguments", [] { return read_v3_msgpack(false); }},
    Work{"verify-v3", "kernels", "arguments", [] { return read_v3_msgpack(true); }},
    Work{"write-object", "files", "kernels", write_cl2},
    Work{"write-in-place", "files", "kernels", write_in_place},
};

}  // namespace

// A name that callgrind's --toggle-collect can be given: all that is counted happens inside.
extern "C" [[gnu::noinline]] void measured(const std::function<Counts()>& work, Counts& out) { out = work(); }

int main(int argc, char** argv) {
  for (const Work& work : kWork)
    if (argc == 2 && work.name == argv[1]) {
      const auto run = work.prepare();
      Counts counts;
      measured(run, counts);
      if (counts.items == 0) return 3;
      std::printf("%zu %.*s %zu %.*s\n", counts.parts, static_cast<int>(work.parts.size()), work.parts.data(),
                  counts.items, static_cast<int>(work.items.size()), work.items.data());
      return 0;
    }
  std::fputs("usage: amdcompat_read_once WORK, which is one of:", stderr);
  for (const Work& work : kWork) std::fprintf(stderr, " %.*s", static_cast<int>(work.name.size()), work.name.data());
  std::fputs("\n", stderr);
  return 2;
}
