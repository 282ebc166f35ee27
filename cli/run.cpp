// `run`: a kernel of a container or a code object on the interpreter, with the launch of a launch file.
#include <algorithm>

#include <fmt/format.h>

#include <amdcompat/emulate.hpp>

#include "launch_file.hpp"
#include "launch_input.hpp"
#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

// Prints each instruction once the next one begins, when what it changed is known.
class Tracer : public emulate::Observer {
 public:
  explicit Tracer(gcn::Generation gfx) : gfx_(gfx) {}
  [[nodiscard]] bool printed() const { return printed_; }  // false: standard output failed
  void before(const gcn::Instruction& instruction, const View& view) override {
    State& state = states_[{view.group, view.wave}];
    if (!state.text.empty()) finish(state, view);
    state.sgprs.assign(view.sgprs.begin(), view.sgprs.end());
    state.vgprs.assign(view.vgprs.begin(), view.vgprs.end());
    state.scc = view.scc;
    state.text = fmt::format("group {},{},{} wave {} {:6x}  {}", view.group[0], view.group[1], view.group[2], view.wave,
                             instruction.offset, gcn::disassemble(instruction, gfx_));
    if (instruction.opcode == gcn::Opcode::s_endpgm) {
      print(state.text + "\n");
      states_.erase({view.group, view.wave});
    }
  }

 private:
  struct State {
    std::string text;
    std::vector<std::uint32_t> sgprs;
    std::vector<std::array<std::uint32_t, 64>> vgprs;
    bool scc = false;
  };
  void print(const std::string& text) { printed_ = printed_ && write_page(text); }
  void finish(State& state, const View& view) {
    std::string changes;
    for (std::size_t n = 0; n < view.sgprs.size(); ++n)
      if (view.sgprs[n] != state.sgprs[n]) changes += fmt::format(" s{}={:08x}", n, view.sgprs[n]);
    if (view.scc != state.scc) changes += fmt::format(" scc={}", view.scc ? 1 : 0);
    for (std::size_t n = 0; n < view.vgprs.size(); ++n) {
      const auto& now = view.vgprs[n];
      std::size_t count = 0, first = 0;
      for (std::size_t lane = now.size(); lane-- > 0;)
        if (now[lane] != state.vgprs[n][lane]) ++count, first = lane;
      if (count != 0) changes += fmt::format(" v{}[{}]={:08x} ({} lanes)", n, first, now[first], count);
    }
    print(fmt::format("{}{}{}\n", state.text, changes.empty() ? "" : "  ->", changes));
  }
  gcn::Generation gfx_;
  bool printed_ = true;
  std::map<std::pair<std::array<std::uint32_t, 3>, std::uint32_t>, State> states_;
};

// Where a launch file leaves open where things are.
constexpr std::uint64_t kKernarg = 0x7d00'0000'0000;
constexpr std::uint64_t kPacket = 0x7d01'0000'0000;
constexpr std::uint64_t kCode = 0x7f00'0000'0000, kSamplers = 0x7e80'0000'0000;
constexpr std::uint64_t kLowBlock = 0x1000'0000, kLowSamplers = 0x1300'0000, kLowCode = 0x1400'0000;  // of 32 bits
constexpr std::uint64_t kImages = 0x7c00'0000'0000, kImageDistance = 0x1'0000'0000;
constexpr std::uint64_t kMostZeros = std::uint64_t{1} << 30;  // bytes of a buffer or an image

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

class Runner {
 public:
  Runner(const RunOptions& options, const File& file, LaunchFile& launch, Diagnostics& diagnostics)
      : options_(options), file_(file), launch_(launch), diagnostics_(diagnostics) {}

  int run() {
    const Program& program = file_.program;
    const auto has_code = [&](const Kernel& kernel) { return !kernel_code(program, kernel).empty(); };
    const bool only = std::ranges::count_if(program.kernels, has_code) == 1;
    const std::string& name = options_.common.kernel.empty() ? launch_.kernel : options_.common.kernel;
    const auto kernel = std::ranges::find_if(program.kernels, [&](const Kernel& candidate) {
      return has_code(candidate) && (candidate.name == name || (name.empty() && only));
    });
    if (kernel == program.kernels.end()) {
      diagnostics_.report(Code::KernelNotFound, {}, fmt::format("no kernel '{}' with machine code", name));
      return kInputErrors;
    }
    if (program.target == nullptr || !emulate::runnable(*program.target)) {
      diagnostics_.report(Code::EmulateLaunch, {}, "only code for GFX6 to GFX9 is executed here");
      return kInputErrors;
    }
    if (file_.cl1()) return run_cl1(*kernel);
    const auto only_cl1 = [&](bool given, std::string_view what) {
      if (given)
        diagnostics_.report(Code::LaunchFileValue, {}, fmt::format("{} is for OpenCL 1.x containers", what),
                            std::string(what));
      return given;
    };
    if (only_cl1(!launch_.uavs.empty(), "uav") || only_cl1(!launch_.constant_buffers.empty(), "constant_buffers") ||
        only_cl1(!options_.cb0.empty(), "--cb0") || only_cl1(!options_.cb1.empty(), "--cb1"))
      return kInputErrors;
    return file_.object() ? run_object(*kernel) : run_cl2(*kernel);
  }

 private:
  int run_cl1(const Kernel& kernel) {
    auto image = abi::LaunchImage::create(kernel, diagnostics_, launch_.options, file_.program.data);
    if (!image) return kInputErrors;
    place_images();
    if (!apply_launch(launch_, *image, diagnostics_)) return kInputErrors;
    emulate::Memory memory;
    if (const int failed = map_memory(kernel, all_arguments(kernel), memory); failed != kDone) return failed;
    emulate::CalBindings bindings = bind(kernel, *image);
    for (const auto& [path, bytes] : {std::pair{&options_.cb0, &bindings.cb0}, {&options_.cb1, &bindings.cb1}}) {
      if (path->empty()) continue;
      const auto contents = read_input(*path);
      if (!contents) return kInputOutput;
      *bytes = bytes_of(*contents);
    }
    auto launch =
        emulate::kernel_launch(file_.program, index_of(kernel), std::move(bindings), image->local_bytes(), memory);
    return execute(kernel, std::move(launch), image->local_size(), memory);
  }

  // --- kernels with an argument block ---

  int run_cl2(const Kernel& kernel) {
    auto image = abi::Cl2LaunchImage::create(kernel, diagnostics_);
    if (!image) return kInputErrors;
    // What the file leaves open: where the block is.
    if (!launch_.cl2) launch_.cl2.emplace();
    const bool low = kernel.address_bits == AddressBits::Bits32;
    if (launch_.cl2->memory == 0) launch_.cl2->memory = low ? kLowBlock : kKernarg;
    place_images();
    if (!apply_launch(launch_, *image, diagnostics_)) return kInputErrors;
    const std::uint64_t block = launch_.cl2->memory;
    emulate::Memory memory;
    if (const int failed = map_memory(kernel, all_arguments(kernel, image->first_argument()), memory); failed != kDone)
      return failed;
    const auto bytes = image->memory();
    if (!memory.map(block, {bytes.begin(), bytes.end()}, "argument block")) return overlap(block);
    std::uint64_t queue = 0;
    for (const abi::UserRegisterValue& row : image->user_registers())
      if (row.known && row.name == queue_name()) queue = row.words[0] | std::uint64_t{row.words[1]} << 32;
    const emulate::ObjectBindings bindings{.kernarg = block,
                                           .packet = block + image->block_bytes(),
                                           .queue = queue,
                                           .samplers = low ? kLowSamplers : kSamplers};
    return execute(kernel,
                   emulate::kernel_launch(file_.program, index_of(kernel), bindings, image->local_bytes(), memory,
                                          low ? kLowCode : kCode),
                   image->local_size(), memory);
  }

  int run_object(const Kernel& kernel) {
    // What no argument takes is not zero by accident: code that reads it shows.
    constexpr std::byte kPattern{0xa5};
    auto image = abi::KernargImage::create(kernel, diagnostics_, {.fill = kPattern});
    if (!image) return kInputErrors;
    if (!launch_.hsa) launch_.hsa.emplace();
    if (launch_.hsa->memory == 0) launch_.hsa->memory = kKernarg;
    place_images();
    if (!apply_launch(launch_, *image, diagnostics_)) return kInputErrors;
    emulate::Memory memory;
    if (const int failed = map_memory(kernel, image->host_arguments(), memory); failed != kDone) return failed;
    const std::uint64_t address = launch_.hsa->memory;
    const auto segment = image->segment(), packet = image->packet();
    if (!segment.empty() && !memory.map(address, {segment.begin(), segment.end()}, "kernarg segment"))
      return overlap(address);
    const auto objects = image->objects();
    const std::uint64_t objects_address = address + image->block_bytes() + abi::kPacketBytes;
    if (!objects.empty() && !memory.map(objects_address, {objects.begin(), objects.end()}, "objects"))
      return overlap(objects_address);
    if (!memory.map(kPacket, {packet.begin(), packet.end()}, "packet")) return overlap(kPacket);
    const emulate::ObjectBindings bindings{.kernarg = address, .packet = kPacket, .queue = image->environment().queue};
    return execute(kernel,
                   emulate::kernel_launch(file_.program, index_of(kernel), bindings, image->local_bytes(), memory),
                   image->local_size(), memory);
  }

  [[nodiscard]] std::size_t index_of(const Kernel& kernel) const {
    return static_cast<std::size_t>(&kernel - file_.program.kernels.data());
  }
  static std::string_view queue_name() {
    return std::ranges::find(user_register_table(), kSgprQueuePtr, &UserRegister::mask)->name;
  }

  int execute(const Kernel& kernel, Result<emulate::Launch> launch, const std::array<std::uint32_t, 3>& local,
              emulate::Memory& memory) {
    if (!launch) {
      diagnostics_.add(launch.error());
      return kInputErrors;
    }
    const abi::Range& range = launch_.range;
    for (std::size_t d = 0; d < 3; ++d) {
      launch->local[d] = local[d];
      const std::uint64_t items = range.task || d >= range.dimensions ? 1
                                  : range.split                       ? range.split->global[d]
                                                                      : range.global[d];
      launch->global[d] = static_cast<std::uint32_t>(items);
    }
    Tracer tracer(launch->gfx);
    const emulate::Report report = emulate::run(
        *launch, memory, {.lane_instructions = options_.instructions, .threads = 0, .races = options_.races},
        diagnostics_, options_.trace ? &tracer : nullptr);
    if (!tracer.printed()) return kInputOutput;
    return finish(kernel, *launch, report, memory);
  }

  void place_images() {
    for (std::size_t i = 0; i < launch_.arguments.size(); ++i)
      if (auto* const image = std::get_if<abi::ImageValue>(&launch_.arguments[i].value);
          image != nullptr && image->address == 0)
        image->address = kImages + i * kImageDistance;
  }
  static std::vector<std::size_t> all_arguments(const Kernel& kernel, std::size_t first = 0) {
    std::vector<std::size_t> out;
    for (std::size_t i = first; i < kernel.arguments.size(); ++i) out.push_back(i);
    return out;
  }

  // `arguments`: the kernel's arguments that those of the launch file are for.
  int map_memory(const Kernel& kernel, std::span<const std::size_t> arguments, emulate::Memory& memory) {
    if (!read_memory(launch_)) return kInputOutput;
    for (LaunchFile::Memory& part : launch_.memory) {
      if (!memory.map(part.address, std::move(part.bytes), "memory")) return overlap(part.address);
    }
    // Buffers, images and data segments that no memory was given for: zeros, and the program's own bytes.
    const auto add = [&](std::uint64_t address, std::vector<std::byte> bytes, const std::string& name) {
      return memory.view(address, 1).empty() && !bytes.empty() && !memory.map(address, std::move(bytes), name);
    };
    for (const DataSegment& segment : file_.program.data) {
      const auto at =
          segment.constant_buffer ? launch_.constant_data.find(*segment.constant_buffer) : launch_.constant_data.end();
      if (at != launch_.constant_data.end() && add(at->second.address, segment.bytes, "constant data"))
        return overlap(at->second.address);
      if (!segment.constant_buffer && launch_.data_segment &&
          add(launch_.data_segment->address, segment.bytes, "data segment"))
        return overlap(launch_.data_segment->address);
    }
    for (std::size_t i = 0; i < launch_.arguments.size(); ++i) {
      const Argument* const argument = i < arguments.size() ? &kernel.arguments[arguments[i]] : nullptr;
      const auto [address, size] = place_of(launch_.arguments[i], argument);
      if (size == 0 || size > kMostZeros) continue;
      const std::string name = argument != nullptr ? argument->name : fmt::format("argument {}", i);
      if (add(address, std::vector<std::byte>(size), name)) return overlap(address);
    }
    return kDone;
  }
  // 0: it is none.
  static std::uint32_t counter_bits(const Argument& argument) {
    const auto* const counter = std::get_if<Counter>(&argument.kind);
    return counter != nullptr ? counter->bits : 0;
  }
  // Address and bytes of a buffer or an image.
  static std::pair<std::uint64_t, std::uint64_t> place_of(const LaunchFile::Entry& entry, const Argument* argument) {
    if (const auto* const buffer = std::get_if<abi::Buffer>(&entry.value)) {
      const std::uint64_t least = argument != nullptr ? counter_bits(*argument) / 8 : 0;
      return {buffer->address, std::max(buffer->size, least)};
    }
    const auto* const value = std::get_if<abi::ImageValue>(&entry.value);
    const auto* const image = argument != nullptr ? std::get_if<Image>(&argument->kind) : nullptr;
    if (value == nullptr || image == nullptr) return {};
    return {value->address, abi::image_bytes(*value, image->dim)};
  }
  int overlap(std::uint64_t address) {
    diagnostics_.report(Code::EmulateLaunch, {},
                        fmt::format("memory at 0x{:x} is empty, or overlaps other memory", address));
    return kInputErrors;
  }

  emulate::CalBindings bind(const Kernel& kernel, const abi::LaunchImage& image) const {
    emulate::CalBindings out;
    out.cb0.assign(image.cb0().begin(), image.cb0().end());
    out.cb1.assign(image.cb1().begin(), image.cb1().end());
    const auto add = [](std::vector<emulate::CalBindings::Slot>& to, std::uint32_t slot,
                        std::span<const std::uint32_t> words) {
      if (std::ranges::find(to, slot, &emulate::CalBindings::Slot::slot) == to.end())
        to.push_back({slot, {words.begin(), words.end()}});
    };
    // Bindings of the launch file come first: they are what the case fixes.
    for (const LaunchFile::Slot& s : launch_.uavs)
      add(out.uavs, s.slot, abi::buffer_descriptor(s.address, s.size, s.stride));
    for (const LaunchFile::Slot& s : launch_.constant_buffers)
      add(out.constant_buffers, s.slot, abi::buffer_descriptor(s.address, s.size, s.stride));
    for (const abi::Binding& b : image.bindings()) {
      const auto words = std::span(b.descriptor).first(b.words);
      if (words.empty()) continue;
      if (b.kind == abi::BindingKind::Uav) add(out.uavs, b.slot, words);
      if (b.kind == abi::BindingKind::ConstantBuffer && b.slot > 1) add(out.constant_buffers, b.slot, words);
      if (b.kind == abi::BindingKind::Resource) add(out.resources, b.slot, words);
      if (b.kind == abi::BindingKind::Sampler) add(out.samplers, b.slot, words);
    }
    for (const abi::Binding& b : image.bindings())
      if (b.kind == abi::BindingKind::Counter && b.argument)
        out.counters.push_back({b.slot, counter_bits(kernel.arguments[*b.argument]), b.address});
    return out;
  }

  int finish(const Kernel& kernel, const emulate::Launch& launch, const emulate::Report& report,
             const emulate::Memory& memory) {
    const std::size_t end = std::min(launch.code.size(), launch.entry + kernel_code(file_.program, kernel).size());
    const emulate::Coverage reached =
        emulate::coverage(launch.code.first(end), launch.entry, launch.gfx, std::span(&report, 1));
    constexpr std::string_view kOutcomes[] = {"ended", "stopped", "out of instructions (--instructions allows more)",
                                              "not started"};
    std::string text = fmt::format(
        "kernel {}: {}; {} wavefront instructions, {} lane instructions, {} stores; {} of {} instructions reached\n",
        kernel.name, kOutcomes[static_cast<std::size_t>(report.outcome)], report.instructions, report.lane_instructions,
        report.stores, reached.reached, reached.instructions);
    for (const emulate::PoisonRead& poison : report.poison)
      text += fmt::format("  +0x{:x} uses {}, which nothing has set\n", poison.offset, poison.what);
    for (const emulate::OutsideAccess& access : report.outside)
      text += fmt::format("  +0x{:x} {} {} bytes at {}0x{:x}, which are not listed\n", access.offset,
                          access.store ? "writes" : "reads", access.size, access.lds ? "LDS " : "", access.address);
    text += races_of(report);
    for (const emulate::Memory::Range& range : memory.ranges())
      if (range.written != 0)
        text += fmt::format("  {} at 0x{:x}: {} bytes, {} stores\n", range.name, range.address, range.bytes.size(),
                            range.written);
    if (!write_page(text)) return kInputOutput;
    for (const std::string& spec : options_.dumps) {
      const MemoryDump dump = *parse_dump(spec);
      const auto bytes = memory.view(dump.address, dump.size);
      if (bytes.size() != dump.size) {
        diagnostics_.report(Code::EmulateLaunch, {},
                            fmt::format("no {} bytes of memory at 0x{:x} to dump", dump.size, dump.address));
        return kInputErrors;
      }
      if (!write_output(dump.file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()})) return kInputOutput;
    }
    return report.clean() ? kDone : kInputErrors;
  }

  std::string races_of(const emulate::Report& report) const {
    if (!options_.races) return {};
    constexpr std::string_view kOthers[] = {"work-item, with no barrier between",
                                            "work-item of the wavefront, with no barrier between", "work-group"};
    std::string out = fmt::format(
        "  bytes that work-items race for: {} in a group, {} in a wavefront, which goes in step, {} between groups\n",
        report.races_found[0], report.races_found[1], report.races_found[2]);
    for (const emulate::Race& race : report.races)
      out += fmt::format("  +0x{:x} {} {}0x{:x}, which +0x{:x} {} in another {}\n", race.offset,
                         race.stores ? "stores to" : "loads from", race.lds ? "LDS " : "", race.address, race.other,
                         race.stores ? "accesses" : "stores to", kOthers[static_cast<std::size_t>(race.between)]);
    if (report.races_missed) out += "  the launch accesses more memory than is watched for races\n";
    return out;
  }

  const RunOptions& options_;
  const File& file_;
  LaunchFile& launch_;
  Diagnostics& diagnostics_;
};

}  // namespace

int run_run(const RunOptions& options) {
  return with_launch(options.common, options.launch, options.dumps,
                     [&](const File& file, LaunchFile& launch, Diagnostics& diagnostics) {
                       return Runner(options, file, launch, diagnostics).run();
                     });
}

}  // namespace amdcompat::cli
