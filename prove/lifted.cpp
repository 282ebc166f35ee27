// Machine code against the OpenCL C that was lifted from it: the interpreter on one side, an OpenCL device on the
// other.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include <amdcompat/gcn_checks.hpp>
#include <amdcompat/lift.hpp>

#include "difference.hpp"
#include "old_side.hpp"
#include "runtime/images.hpp"

namespace amdcompat::emulate {
namespace {

template <class Is>
bool has_instruction(const OldCode& code, gcn::Generation gfx, const Is& is) {
  const auto inside = [&](u32 begin, u32 end) {
    for (u64 at = begin; at + 4 <= end;) {
      const gcn::Instruction instruction = gcn::decode(code.bytes.first(end), static_cast<u32>(at), gfx);
      if (is(instruction)) return true;
      at += instruction.dwords * u64{4};
    }
    return false;
  };
  return inside(code.begin, code.end) ||
         std::ranges::any_of(code.functions, [&](const auto& one) { return inside(one.first, one.second); });
}
// Atomic operations that tell what they found: who comes first decides.
bool tells_order(const gcn::Instruction& instruction) {
  if (instruction.row == nullptr) return false;
  const std::string_view name = gcn::info(instruction.opcode).name;
  if (name.starts_with("ds_")) return name.find("_rtn") != name.npos || name == "ds_append" || name == "ds_consume";
  return instruction.glc && name.find("_atomic_") != name.npos;
}

bool stores(const gcn::Instruction& instruction) {
  return instruction.row != nullptr && gcn::info(instruction.opcode).name.find("_store_") != std::string_view::npos;
}

opencl::Launch launch_of(const Kernel& kernel, const Trial& trial) {
  opencl::Launch out{.kernel = kernel.name, .dimensions = trial.range.dimensions};
  for (std::size_t d = 0; d < 3; ++d) {
    out.global[d] = trial.range.global[d];
    out.local[d] = (*trial.range.local)[d];
    out.offset[d] = trial.range.offset[d];
  }
  for (std::size_t i = 0; i < trial.values.size(); ++i) {
    const Argument& argument = kernel.arguments[i];
    if (std::holds_alternative<Hidden>(argument.kind)) continue;  // the runtime's own
    const Trial::Value& value = trial.values[i];
    const auto buffer = std::ranges::find(trial.buffers, value.address, &Trial::Buffer::address);
    if (std::holds_alternative<ByValue>(argument.kind)) {
      out.arguments.emplace_back(opencl::Value{value.bytes});
    } else if (value.image) {
      const auto& image = std::get<Image>(argument.kind);
      opencl::Image& to =
          std::get<opencl::Image>(out.arguments.emplace_back(opencl::image_of(*value.image, image.dim, image.access)));
      to.bytes = buffer->bytes;
    } else if (value.sampler) {
      out.arguments.emplace_back(*opencl::sampler_of(*value.sampler));
    } else if (value.local != 0) {

      out.arguments.emplace_back(opencl::Local{value.local});
    } else if (buffer != trial.buffers.end()) {
      out.arguments.emplace_back(opencl::Buffer{buffer->bytes});
    }
  }
  return out;
}

class LiftProver {
 public:
  LiftProver(const Program& program, std::size_t index, std::string_view source, const LiftProofOptions& options)
      : program_(program), index_(index), kernel_(program.kernels[index]), source_(source), options_(options) {}

  LiftProof prove() {
    static_cast<Proof&>(out_) = judged();
    out_.local_zeros = local_zeros_;
    return std::move(out_);
  }

 private:
  Proof judged() {
    const std::optional<OldCode> code = old_code(program_, kernel_);
    if (!code || program_.target == nullptr || !runnable(*program_.target))
      return not_executed("no machine code of a device that is executed here");
    const gcn::Generation gfx = *runnable(*program_.target);
    if (!can_be_given(kernel_)) return not_executed(kCannotBeGiven);
    // Variables of a program keep their values from launch to launch, where the interpreter begins anew.
    if (lift::build_options(source_) != lift::build_options({}))
      return not_executed("it needs OpenCL C 2.0, whose variables of programs keep their values");
    const opencl::Device device = opencl::find_device(opencl::Runtime::Device, options_.device);
    out_.no_device = !device.missing.empty();
    if (out_.no_device) return not_executed(device.missing);
    out_.device = device.name;
    out_.approximate = has_instruction(*code, gfx, gcn::is_approximation);
    told_order_ = has_instruction(*code, gfx, tells_order);
    keep_denormals_ = device.keeps_denormals && !options_.exact;
    TrialMaker maker = trials_of_source(program_, kernel_, options_.proof.seed);
    doubles_ = source_.find("double") != source_.npos;
    filtered_ = has_linear_sampler(program_, kernel_) || source_.find("CLK_FILTER_LINEAR") != source_.npos;
    maker.set_texels(options_.proof.texels, filtered_, keeps_bits());
    return judge(
        std::move(maker), options_.proof, *code, gfx,
        // Compilers copy and combine what nothing has set on ways that do not need it.
        [&](const Trial& trial, Memory& memory, Report& report, Budget& budget) {
          questions_ = {.unset = true};
          std::string problem =
              run_old(program_, index_, trial, {budget, memory, report, keep_denormals_, &flushes_, questions_});
          if (!problem.empty() && is_of_one_group(trial) && uses_unset_local(report)) {
            questions_.local_zeros = true;
            memory = memory_of(trial);
            problem =
                run_old(program_, index_, trial, {budget, memory, report, keep_denormals_, &flushes_, questions_});
          }
          reached_ = report.reached;
          unset_ = report.poison.empty() ? std::string() : first_problem(report, Diagnostics());
          odd_samples_ = report.odd_samples != 0;
          return problem;
        },
        [&](const Trial& trial, const Memory& old_memory, Budget& budget) {
          return run_source(trial, old_memory, budget);
        });
  }

  Comparison run_source(const Trial& trial, const Memory& expected, Budget& budget) {
    using enum Comparison::What;
    // A launch takes a device a second, mostly for its compiler.
    if (compared_ >= options_.proof.launches && !reaches_more()) return {Skipped, "it reaches no other instructions"};
    const opencl::Result result = opencl::run(request(trial, opencl::Runtime::Device));
    if (result.build != opencl::Status::Ok)
      return {Ended, fmt::format("the device does not take the source: {}",
                                 one_line(result.build == opencl::Status::BuildFailed ? result.log : result.message))};
    const opencl::LaunchResult& launch = result.launches.front();
    if (launch.status != opencl::Status::Ok)
      return {Ended,
              fmt::format("on the device: {}: {}", opencl::status_name(launch.status), one_line(launch.message))};
    std::string difference = difference_of(trial, expected, launch.buffers, kLiftTolerance);
    if (!difference.empty() && filters(trial))
      difference = difference_of(trial, expected, launch.buffers, kFilterTolerance);
    if (!difference.empty() && odd_samples_) return {Skipped, "it samples an image at coordinates that are no numbers"};
    // A device leaves there what it likes, of which those that were tried are few.
    if (!difference.empty() && !unset_.empty())
      return {questions_.local_zeros ? Skipped : Ended, fmt::format("{}; {}", unset_, difference)};
    if (!difference.empty() && is_of_last_places(trial, expected, launch.buffers, budget))
      return {Skipped, "what differs depends on how the device approximates; " + difference};
    if (!difference.empty()) return explained(trial, expected, difference, budget);
    ++compared_;
    if (questions_.local_zeros) ++local_zeros_;
    take_reached();
    note_denormals(trial, expected, budget);
    return Comparison(std::string());
  }

  [[nodiscard]] opencl::Request request(const Trial& trial, opencl::Runtime runtime) const {
    opencl::Request out{.source = source_, .launches = {launch_of(kernel_, trial)}, .seconds = options_.seconds};
    out.runtime = runtime;
    if (runtime == opencl::Runtime::Device) {
      out.device = options_.device;
      out.options = lift::build_options(source_);
      // As the interpreter has it where the old code uses that; else what is easily seen in a result.
      if (unset_.empty()) out.unset_local = kOdd;
    } else {
      // It does not know all intrinsic functions of optimised code.
      out.options = fmt::format("{} -cl-opt-disable", lift::build_options(source_));
      out.seconds *= kSlowdown;
      const auto is_image = [](const Argument& argument) { return std::holds_alternative<Image>(argument.kind); };
      out.unset_values =
          std::ranges::none_of(kernel_.arguments, is_image);  // it crashes of that, or takes sizes for some
    }
    return out;
  }

  // What oclgrind says of a launch; nothing where it is not there or not wanted.
  std::string simulated(const Trial& trial) {
    if (!simulator_) simulator_ = options_.simulator && opencl::find_device(opencl::Runtime::Simulator).missing.empty();
    return *simulator_ ? opencl::run(request(trial, opencl::Runtime::Simulator)).launches.front().said : std::string();
  }
  static bool says(std::string_view said, std::string_view what) { return said.find(what) != std::string_view::npos; }
  static bool goes_beyond(std::string_view said) { return says(said, "Invalid read") || says(said, "Invalid write"); }

  // Why the results of a launch may differ that are no fault of the source; else that they do.
  Comparison explained(const Trial& trial, const Memory& expected, std::string difference, Budget& budget) {
    using enum Comparison::What;
    const std::string said = simulated(trial);
    if (goes_beyond(said)) return {Ended, fmt::format("{}; {}", kBeyond, difference)};
    if (tells_addresses(trial, expected, budget)) return {Ended, fmt::format("{}; {}", kAddresses, difference)};
    // Barriers of the lift order work-items that nothing orders in the old code. A wavefront alone has an order: what
    // the source has no barrier for there is its own fault.
    const std::optional<Race> race =
        race_of_old(program_, index_, trial, budget, keep_denormals_, [&](const Race& one) { return excuses(one); });
    // Where nobody says whether the source races too: what the old code leaves is nobody's promise, however it is.
    const bool buffers = *simulator_ ? says(said, "data race at global memory") : race && !race->lds;
    if (race && buffers) return {Raced, kRaceForBuffer};
    if (race) return {race->lds ? RacedInGroup : Ended, fmt::format("{}; {}", race_text(*race), difference)};
    // The old code has an order that the source may have lost: work-items alone would not show that.
    if (!of_one_wavefront() && says(said, "data race at local memory"))
      return {Ended, "work-items race for local memory; " + difference};
    const std::span<const u64, 3> global = trial.range.global;
    // Of packets that were reserved, a launch of one work-item would show nothing.
    if (told_order_ && global[0] * global[1] * global[2] != 1) return {takes_pipe() ? Ended : Ordered, kOrder};
    if (!buffers && is_of_optimiser(trial, expected)) return {Ended, fmt::format("{}; {}", kOptimiser, difference)};
    if (of_one_wavefront()) return difference;
    if (buffers) return {++lost_ == kMostLost ? Ended : Skipped, kRaceForBuffer};
    return *simulator_ ? difference : difference + " (without oclgrind, which would know of a race of the source)";
  }
  // Whether the machine code leaves something else where its buffers lie elsewhere: a register that the source has not
  // set may hold an address, and a device has its own.
  [[nodiscard]] bool tells_addresses(const Trial& trial, const Memory& expected, Budget& budget) const {
    if (trial.buffers.empty()) return false;
    // Further on, and twice as far from each other.
    const u64 first = trial.buffers.front().address;
    const auto elsewhere = [&](u64 address) {
      constexpr u64 kFurther = u64{1} << 20;
      return address == 0 ? 0 : address + kFurther + (address - first);
    };
    Trial moved = trial;
    for (Trial::Buffer& buffer : moved.buffers) buffer.address = elsewhere(buffer.address);
    for (Trial::Value& value : moved.values) {
      value.address = elsewhere(value.address);
      if (value.image) value.image->address = elsewhere(value.image->address);
    }
    for (u64* const address : {&moved.data, &moved.printf}) *address = elsewhere(*address);
    for (auto& [number, address] : moved.constants) address = elsewhere(address);
    Memory memory = memory_of(moved);
    Report report;
    if (!run_old(program_, index_, moved, {budget, memory, report, keep_denormals_, nullptr, questions_}).empty())
      return false;
    return std::ranges::any_of(trial.buffers, [&](const Trial::Buffer& buffer) {
      return !std::ranges::equal(memory.view(elsewhere(buffer.address), buffer.bytes.size()),
                                 expected.view(buffer.address, buffer.bytes.size()));
    });
  }
  // Whether all that differs does so for the machine code too if its approximations are other ones: numbers are rounded
  // and ways chosen by their last places.
  [[nodiscard]] bool is_of_last_places(const Trial& trial, const Memory& expected,
                                       std::vector<std::vector<std::byte>> got, Budget& budget) {
    const bool images = std::ranges::any_of(trial.values, [](const auto& value) { return value.image.has_value(); });
    if (!out_.approximate && !images) return false;
    std::vector<Memory> moved;
    for (const std::int32_t places : {4, -4}) {
      Memory& memory = moved.emplace_back(memory_of(trial));
      Report report;
      Questions questions = questions_;
      questions.last_places = places;
      if (!run_old(program_, index_, trial, {budget, memory, report, keep_denormals_, nullptr, questions}).empty())
        moved.pop_back();
    }
    constexpr std::size_t kBlock = 16;  // bytes: the longest texel
    const double tolerance = filters(trial) ? kFilterTolerance : kLiftTolerance;
    const double error = out_.error;  // of launches that are compared
    bool out = true;
    for_buffers(trial, got, [&](std::size_t n, std::vector<std::byte>& buffer) {
      const u64 address = trial.values[n].address;
      const auto wanted = expected.view(address, buffer.size());
      std::vector<std::byte> other(wanted.begin(), wanted.end());
      for (std::size_t turns = 0; out && turns <= buffer.size() / kBlock; ++turns) {
        const std::size_t at = first_other_of(trial, n, wanted, buffer, tolerance);
        if (at == kNoPlace) return true;
        const std::size_t from = at / kBlock * kBlock, size = std::min(kBlock, buffer.size() - from);
        const auto put = [&](std::span<const std::byte> bytes, std::vector<std::byte>& to) {
          std::ranges::copy(bytes.subspan(from, size), to.begin() + static_cast<std::ptrdiff_t>(from));
        };
        out = std::ranges::any_of(moved, [&](const Memory& memory) {
          put(memory.view(address, buffer.size()), other);
          return first_other_of(trial, n, wanted, other, tolerance) != kNoPlace;
        });
        put(wanted, other);
        put(wanted, buffer);
      }
      return out;
    });
    out_.error = error;
    return out;
  }
  // Whether the device's compiler makes something else of the source when it does not optimise, and that is what the
  // machine code does: nobody knows then whether the source or the optimiser is wrong.
  [[nodiscard]] bool is_of_optimiser(const Trial& trial, const Memory& expected) {
    opencl::Request asked = request(trial, opencl::Runtime::Device);
    asked.options += " -cl-opt-disable";
    const opencl::Result result = opencl::run(asked);
    if (result.build != opencl::Status::Ok || result.launches.front().status != opencl::Status::Ok) return false;
    return difference_of(trial, expected, result.launches.front().buffers,
                         filters(trial) ? kFilterTolerance : kLiftTolerance)
        .empty();
  }
  // Whether what is made of a source may do otherwise where its machine code's work-items race so: what wavefronts do
  // in step is the lift's affair too, but for stores to buffers between which the source had no barrier.
  [[nodiscard]] bool excuses(const Race& race) const {
    if (race.between != Race::Between::ItemsInStep) return true;
    if (race.lds || !race.stores || race.other > race.offset || !barriers_wait_for_stores(program_)) return false;
    const std::optional<OldCode> code = old_code(program_, kernel_);
    const gcn::Generation gfx = *runnable(*program_.target);
    const auto at = [&](u32 offset) { return gcn::decode(code->bytes.first(code->end), offset, gfx); };
    if (!stores(at(race.other))) return false;
    for (u32 offset = race.other; offset < race.offset;) {
      const gcn::Instruction instruction = at(offset);
      if (gcn::waits_for_vector_memory(instruction, gfx)) return false;
      offset += instruction.dwords * 4;
    }
    return true;
  }
  static bool is_of_one_group(const Trial& trial) { return std::ranges::equal(trial.range.global, *trial.range.local); }
  [[nodiscard]] bool takes_pipe() const {
    return std::ranges::any_of(kernel_.arguments,
                               [](const Argument& argument) { return std::holds_alternative<Pipe>(argument.kind); });
  }
  [[nodiscard]] bool of_one_wavefront() const {
    constexpr u32 kLanes = 64;  // of GFX6 to GFX9, which alone are executed here
    return max_flat_group_size(kernel_) <= kLanes;
  }

  // Empty: the buffers of pointers are as they should be. `got` has them in the order of the arguments.
  std::string difference_of(const Trial& trial, const Memory& expected, const std::vector<std::vector<std::byte>>& got,
                            double tolerance) {
    std::string out;
    for_buffers(trial, got, [&](std::size_t n, const std::vector<std::byte>& buffer) {
      const auto wanted = expected.view(trial.values[n].address, buffer.size());
      if (const std::size_t at = first_other_of(trial, n, wanted, buffer, tolerance); at != kNoPlace)
        out = fmt::format("{} {} differs from byte {} on", trial.values[n].image ? "image" : "buffer",
                          kernel_.arguments[n].name, at);
      return out.empty();
    });
    return out;
  }
  // The byte of what an argument points to that is another one, or `kNoPlace`.
  std::size_t first_other_of(const Trial& trial, std::size_t argument, std::span<const std::byte> wanted,
                             std::span<const std::byte> got, double tolerance) {
    const double allowed = out_.approximate || approximates(trial) ? tolerance : 0;
    const auto& image = trial.values[argument].image;
    std::vector<std::byte> other;
    if (const std::size_t element = element_of_threes(kernel_.arguments[argument]); element != 0)
      got = other = with_fourths_of(wanted, got, element);
    return image ? first_other_texel(format_of(*image), wanted, got, allowed, out_.error)
                 : first_other_value(kernel_.arguments[argument], wanted, got, doubles_, allowed, out_.error);
  }
  // Calls `to` with the number of each argument that has a buffer and with that buffer, until it is false.
  template <class Buffers, class To>
  void for_buffers(const Trial& trial, Buffers& buffers, const To& to) const {
    std::size_t next = 0;
    for (std::size_t n = 0; n < kernel_.arguments.size() && next < buffers.size(); ++n)
      if (trial.values[n].address != 0 && !std::holds_alternative<ByValue>(kernel_.arguments[n].kind))
        if (!to(n, buffers[next++])) return;
  }
  // Whether texels may come to buffers of which nothing says that they hold floats: an error of theirs would be one.
  [[nodiscard]] bool keeps_bits() const {
    return std::ranges::any_of(kernel_.arguments, [](const Argument& argument) {
      const auto* const pointer = std::get_if<GlobalPointer>(&argument.kind);
      return pointer != nullptr && pointer->access != Access::ReadOnly &&
             element_of(argument, *pointer) != ScalarType::Float;
    });
  }
  // Whether devices may make other floats of texels, or other texels of floats: where they are normalized integers or
  // halves, or filtered. [OpenCL 1.2 §8.2, §8.3.1]
  [[nodiscard]] bool approximates(const Trial& trial) const {
    return filters(trial) || std::ranges::any_of(trial.values, [](const Trial::Value& value) {
             return value.image && !is_exact(format_of(*value.image));
           });
  }
  [[nodiscard]] bool filters(const Trial& trial) const {
    return filtered_ || std::ranges::any_of(trial.values, [](const Trial::Value& value) {
             return value.sampler && *value.sampler >> 4 == 2;
           });
  }
  // Runs the old code again in the other mode.
  void note_denormals(const Trial& trial, const Memory& expected, Budget& budget) {
    if (!flushes_ || out_.denormals) return;
    Memory memory = memory_of(trial);
    Report report;
    const std::string problem =
        run_old(program_, index_, trial, {budget, memory, report, !keep_denormals_, nullptr, questions_});
    out_.denormals = !problem.empty() || !emulate::difference_of(trial, expected, memory).empty();
  }

  [[nodiscard]] bool reaches_more() const {
    for (std::size_t n = 0; n < reached_.size(); ++n)
      if (reached_[n] && (n >= all_reached_.size() || !all_reached_[n])) return true;
    return false;
  }
  void take_reached() {
    all_reached_.resize(std::max(all_reached_.size(), reached_.size()));
    for (std::size_t n = 0; n < reached_.size(); ++n) all_reached_[n] = all_reached_[n] || reached_[n];
  }

  static std::string one_line(std::string_view text) {
    constexpr std::size_t kMost = 200;
    std::string out(text.substr(0, kMost));
    std::ranges::replace(out, '\n', ' ');
    return out;
  }

  static constexpr const char* kBeyond =
      "the source goes beyond a buffer, where addresses of the old code came back into one or were not used";
  static constexpr std::uint8_t kOdd = 0x7b;  // a large integer and float of any size
  static constexpr double kSlowdown = 6;  // of the simulator
  static constexpr const char* kRaceForBuffer = "work-items race for a buffer";
  static constexpr const char* kAddresses = "what the machine code leaves depends on where its buffers lie";
  static constexpr const char* kOptimiser =
      "the device's compiler makes something else of the source if it does not optimise";
  static constexpr const char* kOrder = "what atomic operations find depends on who comes first";
  static constexpr std::uint32_t kMostLost = 12;  // launches with a race of the source alone, after which none is tried
  const Program& program_;
  std::size_t index_;
  const Kernel& kernel_;
  std::string source_;
  const LiftProofOptions& options_;
  LiftProof out_;
  bool keep_denormals_ = false, flushes_ = false;
  std::optional<bool> simulator_;  // whether it is there
  std::uint32_t compared_ = 0, lost_ = 0, local_zeros_ = 0;
  std::vector<bool> reached_, all_reached_;  // by the last launch of the old code, and by those that were compared
  bool filtered_ = false;  // by a sampler of the program or of its code
  bool doubles_ = false;  // the source computes with some
  bool told_order_ = false;  // the machine code has atomic operations whose result it takes
  bool odd_samples_ = false;  // in the last launch of the old code
  std::string unset_;  // what it used there that nothing has set
  Questions questions_;  // that the old code was asked
};

}  // namespace

LiftProof prove_lifted(const Program& program, std::size_t kernel, std::string_view source,
                       const LiftProofOptions& options) {
  if (const std::optional<Program> read = lift::with_arguments_read(program))
    return LiftProver(*read, kernel, source, options).prove();
  return LiftProver(program, kernel, source, options).prove();
}

}  // namespace amdcompat::emulate
