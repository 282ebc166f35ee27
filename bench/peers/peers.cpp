// Reading and writing beside other libraries that do the same, as a table for docs/benchmarks.md.
//
//   amdcompat_peers SECONDS
//
// Every row has its own work and, where there is one, a peer's work over the same input. Both run in turns for SECONDS
// (2 unless given), so that what else the machine does meets both; the ratio is the median over the turns of the peer's
// processor time by ours, above 1 where ours is faster. Peers that are not installed are named, without figures.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <msgpack.hpp>

#include <amdcompat/convert.hpp>
#include <amdcompat/in_place.hpp>
#include <amdcompat/open.hpp>

#include "../workload.hpp"
#ifdef AMDCOMPAT_HAS_COMGR
#include <amd_comgr.h>
#endif
#ifdef AMDCOMPAT_HAS_CLRX
#include "clrx.hpp"
#endif
#ifdef AMDCOMPAT_HAS_LLVM
#include "llvm_document.hpp"
#endif

namespace amdcompat::bench {
namespace {

double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

using Work = std::function<bool()>;  // whether it went well

void run(const Work& work, std::size_t times) {
  for (std::size_t n = 0; n < times; ++n)
    if (!work()) {
      std::fputs("a row's work failed\n", stderr);
      std::exit(1);
    }
}
double time_of(const Work& work, std::size_t times) {
  const double begin = processor_time();
  run(work, times);
  return (processor_time() - begin) / static_cast<double>(times);
}

// How often the work fits into a turn.
std::size_t times_of(const Work& work) {
  constexpr double kTurn = 0.01;
  run(work, 2);  // caches and allocators are warm
  return static_cast<std::size_t>(std::max(1.0, kTurn / std::max(time_of(work, 1), 1e-7)));
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

class Table {
 public:
  explicit Table(double seconds) : seconds_(seconds) {
    std::puts(
        "| work | a unit | ours, µs | peer | peer, µs | ratio, peer / ours |\n| --- | --- | --- | --- | --- | --- |");
  }

  // `units`: what one run of the work does.
  void row(std::string_view name, std::string_view unit, std::size_t units, const Work& ours,
           std::string_view peer = {}, const Work& theirs = {}) const {
    const std::size_t times = times_of(ours), their_times = theirs ? times_of(theirs) : 0;
    std::vector<double> our_times, peer_times, ratios;
    const double end = processor_time() + seconds_;
    do {
      our_times.push_back(time_of(ours, times));
      if (!theirs) continue;
      peer_times.push_back(time_of(theirs, their_times));
      ratios.push_back(peer_times.back() / our_times.back());
    } while (processor_time() < end);
    const double scale = 1e6 / static_cast<double>(units);
    std::printf("| %.*s | %.*s | %.3f | ", static_cast<int>(name.size()), name.data(), static_cast<int>(unit.size()),
                unit.data(), median(our_times) * scale);
    if (theirs)
      std::printf("%.*s | %.3f | %.2f |\n", static_cast<int>(peer.size()), peer.data(), median(peer_times) * scale,
                  median(ratios));
    else
      std::printf("%s | | |\n", peer.empty() ? "" : std::string(peer).c_str());
    std::fflush(stdout);
  }

 private:
  double seconds_;
};

// Nobody's copy: the peers read where the files are, too.
FileBytes bytes_of(const std::string& file) { return FileBytes::borrowed(std::as_bytes(std::span(file))); }

Work opening(std::span<const std::string> files) {
  return [files] {
    bool good = true;
    for (const std::string& file : files) {
      Diagnostics diagnostics;
      good &= open(bytes_of(file), diagnostics).has_value();
    }
    return good;
  };
}

// What CLRX has of a container too: its tables, and of each kernel name and arguments.
Work reading(std::span<const std::string> files, FileKind kind) {
  return [files, kind] {
    bool good = true;
    for (const std::string& file : files) {
      Diagnostics diagnostics;
      if (kind == FileKind::Cl2) {
        good &= cl2::read(bytes_of(file), diagnostics).has_value();
        continue;
      }
      const auto binary = cl1::read(bytes_of(file), diagnostics);
      good &= binary.has_value();
      if (!binary) continue;
      for (const cl1::Kernel& kernel : binary->kernels)
        good &= !text::parse(binary->text(kernel.metadata), diagnostics).blocks.empty();
    }
    return good;
  };
}

// `files` is reordered: those that CLRX reads too are in front.
void opening_rows(const Table& table, const std::string& kind_name, FileKind kind, std::vector<std::string>& files) {
  if (files.empty()) return;
  const std::string open_name = "open a " + kind_name + " file, all findings";
  const std::string read_name = "read a " + kind_name + " file: tables, kernels and their arguments";
#ifdef AMDCOMPAT_HAS_CLRX
  const auto unread = std::ranges::stable_partition(
      files, [](std::string& file) { return clrx_kernels(file, ClrxDepth::Everything) != 0; });
  const std::span<std::string> both(files.begin(), unread.begin());
  if (!unread.empty()) std::printf("%zu of %zu files: CLRX finds no kernel\n", unread.size(), files.size());
  if (both.empty()) return;
  const auto theirs = [&](ClrxDepth depth) {
    return [both, depth] {
      return std::ranges::all_of(both, [&](std::string& file) { return clrx_kernels(file, depth) != 0; });
    };
  };
  table.row(read_name, "file", both.size(), reading(both, kind), "CLRX, kernels and their arguments",
            theirs(ClrxDepth::Kernels));
  table.row(open_name, "file", both.size(), opening(both), "CLRX, everything", theirs(ClrxDepth::Everything));
#else
  constexpr std::string_view kNone = "CLRX is not measured: AMDCOMPAT_CLRX names none";
  table.row(read_name, "file", files.size(), reading(files, kind), kNone);
  table.row(open_name, "file", files.size(), opening(files), kNone);
#endif
}

// From the bytes of a file to those of a code object that was read back and compared; the number of kernels.
std::size_t convert_file(const std::string& bytes) {
  Diagnostics diagnostics;
  const auto file = open(bytes_of(bytes), diagnostics);
  if (!file) return 0;
  if (file->cl1()) {
    auto made = convert::to_in_place(file->program, diagnostics);
    if (!made || !hsa::check_code_object(made->object, diagnostics)) return 0;
    return hsa::write_code_object(std::move(made->object)) ? made->kernels.size() : 0;
  }
  convert::ObjectOptions options;
  options.version = hsa::CodeObjectVersion::V5;
  auto object = convert::to_code_object(file->program, diagnostics, options);
  if (!object || !hsa::check_code_object(*object, diagnostics)) return 0;
  const std::size_t kernels = object->kernels.size();
  return convert::write_compared(std::move(*object), convert::load_view(file->program), true, diagnostics) ? kernels
                                                                                                           : 0;
}

void convert_row(const Table& table, std::string_view name, const std::vector<std::string>& files) {
  std::vector<std::string> converting;
  std::size_t kernels = 0;
  for (const std::string& file : files)
    if (const std::size_t count = convert_file(file); count != 0) {
      kernels += count;
      converting.push_back(file);
    }
  if (kernels == 0) return;
  table.row(name, "kernel", kernels, [&] {
    std::size_t done = 0;
    for (const std::string& file : converting) done += convert_file(file);
    return done == kernels;
  });
}

#ifdef AMDCOMPAT_HAS_COMGR
bool comgr_reads(const std::string& file) {
  amd_comgr_data_t data;
  if (amd_comgr_create_data(AMD_COMGR_DATA_KIND_EXECUTABLE, &data) != AMD_COMGR_STATUS_SUCCESS) return false;
  amd_comgr_metadata_node_t root;
  const bool good = amd_comgr_set_data(data, file.size(), file.data()) == AMD_COMGR_STATUS_SUCCESS &&
                    amd_comgr_get_data_metadata(data, &root) == AMD_COMGR_STATUS_SUCCESS;
  if (good) amd_comgr_destroy_metadata(root);
  amd_comgr_release_data(data);
  return good;
}
#endif

void metadata_rows(const Table& table) {
  const std::string yaml = v2_yaml();
  table.row(
      "metadata of V2, YAML", "argument", kYamlArguments,
      [&] {
        Diagnostics diagnostics;
        return hsa::read_v2_yaml(yaml, diagnostics).has_value() && diagnostics.all().empty();
      },
      "libyaml, events alone", [&] { return yaml_events(yaml) != 0; });

  const std::string msgpack = v3_msgpack();
  const auto read = [&](bool verify) {
    return [&msgpack, verify] {
      Diagnostics findings;
      const auto document = hsa::read_msgpack(msgpack, findings);
      return document && (!verify || hsa::verify(*document, findings)) && findings.all().empty();
    };
  };
  constexpr std::string_view kName = "metadata of V3, MessagePack, read", kVerified = "the same, read and verified";
  table.row(kName, "argument", kYamlArguments, read(false), "msgpack-cxx, its own objects", [&] {
    const msgpack::object_handle handle = msgpack::unpack(msgpack.data(), msgpack.size());
    return handle.get().type == msgpack::type::MAP;
  });
  table.row(kVerified, "argument", kYamlArguments, read(true), "msgpack-cxx, its own objects", [&] {
    const msgpack::object_handle handle = msgpack::unpack(msgpack.data(), msgpack.size());
    return handle.get().type == msgpack::type::MAP;
  });
#ifdef AMDCOMPAT_HAS_LLVM
  table.row(kName, "argument", kYamlArguments, read(false), "LLVM 19, its document",
            [&] { return llvm_reads(msgpack, false); });
  table.row(kVerified, "argument", kYamlArguments, read(true), "LLVM 19, document and verifier",
            [&] { return llvm_reads(msgpack, true); });
#else
  table.row(kVerified, "argument", kYamlArguments, read(true), "LLVM 19 is not installed");
#endif
#ifdef AMDCOMPAT_HAS_COMGR
  const Target* const target = find_target("gfx900");
  Diagnostics diagnostics;
  const auto metadata = hsa::read_msgpack(msgpack, diagnostics);
  const auto note = hsa::to_note_elf(metadata.value_or(hsa::Metadata{}), *target, hsa::CodeObjectVersion::V3);
  if (!note) return;
  table.row(
      "a code object's metadata, with its ELF file", "argument", kYamlArguments,
      [&] {
        Diagnostics findings;
        return hsa::read_note_elf(*note, findings).has_value() && !findings.has_errors();
      },
      "comgr", [&] { return comgr_reads(*note); });
#else
  table.row(kVerified, "argument", kYamlArguments, read(true), "comgr is not installed");
#endif
}

}  // namespace
}  // namespace amdcompat::bench

int main(int argc, char** argv) {
  using namespace amdcompat;
  using namespace amdcompat::bench;
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 2;
  const auto openable = [](FileKind kind) {
    std::vector<std::string> files = load_files({kind});
    std::erase_if(files, [](const std::string& file) {
      Diagnostics diagnostics;
      return !open(bytes_of(file), diagnostics);
    });
    return files;
  };
  std::vector<std::string> cl1 = openable(FileKind::Cl1Gpu), cl2 = openable(FileKind::Cl2);
  const Table table(seconds);
  opening_rows(table, "CL1", FileKind::Cl1Gpu, cl1);
  opening_rows(table, "CL2", FileKind::Cl2, cl2);
  metadata_rows(table);
  convert_row(table, "CL2 to an object of V5: open, write, read back, compare", cl2);
  convert_row(table, "CL1 to an in-place object: open, prologue, write, read back", cl1);
  return 0;
}
