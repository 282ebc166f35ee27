// `doctor`: one screen a file: what it is, which ways lead to a GPU, what each costs, and the command to type.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <amdcompat/gpu.hpp>
#include <amdcompat/ways.hpp>

#include "machine.hpp"
#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using pipeline::Way;
using pipeline::WayLoss;
using pipeline::WayResult;
using pipeline::Ways;

constexpr std::size_t kIndent = 13;  // of what stands behind a label
constexpr std::size_t kMostLosses = 3;

std::string lines(std::string_view label, std::string_view text) { return labelled(label, text, kIndent); }

// A command for people, broken as a shell takes it.
std::string command_lines(std::string_view command) {
  std::string out, line = "    ";
  while (!command.empty()) {
    // Quoted words have spaces.
    std::size_t end = 0;
    for (bool quoted = false; end < command.size() && (quoted || command[end] != ' '); ++end)
      if (command[end] == '\'') quoted = !quoted;
    if (line.size() + end + 3 > kTextWidth && line.find_first_not_of(' ') != std::string::npos) {
      out += line + " \\\n";
      line = "      ";
    }
    line += (line.back() == ' ' ? "" : " ") + std::string(command.substr(0, end));
    command.remove_prefix(std::min(end + 1, command.size()));
  }
  return out + line + '\n';
}

std::string quoted(const std::string& word) {
  const auto plain = [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 0x80 ||
           std::string_view("-_./+=:,@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Where a file is to run.
struct Destination {
  std::optional<hsa::TargetSpec> target;  // absent: an OpenCL device that is no GPU of AMD
  std::string name;
  bool asked = false;  // by --gpu
  bool opencl = true;  // whether there may be an OpenCL device for it
};

std::string support_text(const Target& target) {
  const TargetSupport* const support = find_target_support(target.name);
  if (support == nullptr) return {};
  std::string out = fmt::format(", {}", support->family);
  if (!support->runtime.empty())
    out += fmt::format("; {} loads code for it", support->runtime);
  else
    out += "; which runtime loads code for it is not verified";
  if (!support->remark.empty()) out += fmt::format(" ({})", support->remark);
  return out;
}

std::string gpu_text(const MachineGpu& gpu) {
  std::string out = gpu.name.empty() ? std::string("GPU of AMD") : gpu.name;
  if (gpu.id != 0) out += fmt::format(", 1002:{:04x}", gpu.id);
  if (gpu.target != nullptr)
    out += fmt::format(", {} by {}", gpu.target->name, gpu.source);
  else
    out += ", target not known: name it with --gpu";
  return fmt::format("{} at {}", out, gpu.place);
}

std::string machine_page(const Machine& machine, const Destination& destination) {
  std::string out = "this machine\n";
  for (const MachineGpu& gpu : machine.gpus) out += lines("GPU", visible(gpu_text(gpu)));
  if (machine.gpus.empty()) out += lines("GPU", "none of AMD");
  bool any = false;
  for (const opencl::SurveyedPlatform& platform : machine.opencl.platforms)
    for (const opencl::SurveyedDevice& device : platform.devices) {
      out += lines("OpenCL", visible(fmt::format("{}, {}, {}", device.name, device.type, platform.name)));
      any = true;
    }
  if (!machine.opencl.missing.empty())
    out += lines("OpenCL", visible(machine.opencl.missing));
  else if (!any)
    out += lines("OpenCL", "no device (pocl-opencl-icd has one for the CPU)");
  out +=
      lines("looked for", fmt::format("{}{}", destination.name, destination.asked ? "" : "; --gpu names another one"));
  return out + '\n';
}

Json machine_json(const Machine& machine) {
  Json gpus = Json::array(), devices = Json::array();
  for (const MachineGpu& gpu : machine.gpus) {
    Json row{{"place", gpu.place}, {"id", fmt::format("1002:{:04x}", gpu.id)}};
    if (!gpu.name.empty()) row["name"] = gpu.name;
    if (gpu.target != nullptr) row.update(Json{{"target", gpu.target->name}, {"source", gpu.source}});
    gpus.push_back(std::move(row));
  }
  for (const opencl::SurveyedPlatform& platform : machine.opencl.platforms)
    for (const opencl::SurveyedDevice& device : platform.devices)
      devices.push_back({{"name", device.name}, {"type", device.type}, {"platform", platform.name}});
  Json out{{"gpus", std::move(gpus)}, {"opencl", std::move(devices)}};
  if (!machine.opencl.missing.empty()) out["opencl_missing"] = machine.opencl.missing;
  return out;
}

// --- the next command ---------------------------------------------------------------------------------------------

struct Next {
  std::string command;
  std::string says;  // what it does
  std::string other{};  // instead of it
  int status = kDone;  // that it ends with
};

class Chooser {
 public:
  Chooser(const std::string& path, const File& file, const Ways& ways, const Destination& destination,
          const std::string& compiler)
      : path_(path), file_(file), ways_(ways), destination_(destination), compiler_(compiler) {}

  [[nodiscard]] Next run() const {
    for (const WayResult& way : ways_)
      if (way.way != Way::Described && way.whole()) return of(way);
    const WayResult* most = nullptr;
    for (const WayResult& way : ways_)
      if (way.way != Way::Described && way.kernels != 0 && (most == nullptr || way.kernels > most->kernels))
        most = &way;
    if (most != nullptr) return of(*most);
    return of(result(Way::Described));
  }

 private:
  [[nodiscard]] const WayResult& result(Way way) const { return ways_[static_cast<std::size_t>(way)]; }
  // Name of an output beside the user's other files, which is never that of the input.
  [[nodiscard]] std::string output(std::string_view ending) const {
    const std::string stem = path_ == "-" ? std::string("stdin") : fs::path(path_).stem().string();
    std::string out = stem + std::string(ending);
    std::error_code ignored;
    if (fs::equivalent(out, path_, ignored)) out = stem + "-new" + std::string(ending);
    return quoted(out.starts_with('-') ? "./" + out : out);
  }
  [[nodiscard]] std::string input() const {
    return path_ != "-" && path_.starts_with('-') ? quoted("./" + path_) : quoted(path_);
  }

  [[nodiscard]] Next of(const WayResult& way) const {
    Next out;
    const std::string target = destination_.target ? std::string(destination_.target->target->name) : "";
    switch (way.way) {
      case Way::AsItIs:
        out = {fmt::format("amdcompat stub --api hip -o {} {}", output(".cpp"), input()),
               "write a host program that loads and launches it"};
        break;
      case Way::InPlace:
        out = {fmt::format("amdcompat convert --to elf --target {} -o {} {}", target, output("-" + target + ".hsaco"),
                           input()),
               "write the code object (--prove runs old and new code)"};
        break;
      case Way::Compiled:
        out = {fmt::format("amdcompat convert --layout natural --to elf --target {}{} -o {} {}", target,
                           compiler_ == "comgr" ? "" : " --compiler " + quoted(compiler_),
                           output("-" + target + ".hsaco"), input()),
               "write the code object (--prove runs old and new code)"};
        break;
      case Way::Lifted:
        out = {fmt::format("amdcompat lift -o {} {}", output(".cl"), input()),
               "write the source (--prove runs it beside the machine code)"};
        if (destination_.opencl) out.other = "leave the host program as it is: amdcompat opencl -- HOST ARGS";
        break;
      case Way::Described:
        if (way.of == 0)
          return {fmt::format("amdcompat inspect {}", input()), "there are no kernels; see what the file holds"};
        if (way.kernels == 0) {
          out = {fmt::format("amdcompat check -v {}", input()), "see what stands against it", {}, kInputErrors};
          return out;
        }
        if (!pipeline::source_parts(file_).empty())
          out = {fmt::format("amdcompat extract -o {} {}", output(".parts"), input()),
                 "take the parts out of the file"};
        else
          out = {fmt::format("amdcompat convert -o {} {}", output(".yaml"), input()), "write the metadata"};
        break;
    }
    if (!way.whole() && way.way != Way::Described) {
      out.status = kInputErrors;
      out.says += fmt::format("; it ends with status 1: {} left out", plural(way.of - way.kernels, "kernel"));
    }
    return out;
  }

  const std::string& path_;
  const File& file_;
  const Ways& ways_;
  const Destination& destination_;
  const std::string& compiler_;
};

// --- one file -----------------------------------------------------------------------------------------------------

std::string_view way_label(Way way) {
  switch (way) {
    case Way::AsItIs: return "as it is";
    case Way::InPlace: return "in place";
    case Way::Compiled: return "compiled";
    case Way::Lifted: return "lifted";
    case Way::Described: return "described";
  }
  return "";
}

std::string what_it_gives(Way way, const std::string& compiler) {
  switch (way) {
    case Way::AsItIs: return "loaded as it is";
    case Way::InPlace: return "the old machine code in a code object";
    case Way::Compiled: return fmt::format("compiled again by {}", compiler);
    case Way::Lifted: return "OpenCL C for every OpenCL device";
    case Way::Described: return "metadata, to compile the source again";
  }
  return "";
}

std::string loss_text(const WayLoss& loss) {
  std::string out;
  if (loss.kernels != 0)
    out = fmt::format("{}{}: ", loss.kernel, loss.kernels > 1 ? fmt::format(" and {} more", loss.kernels - 1) : "");
  if (loss.code) out += fmt::format("{}: ", code_label(*loss.code));
  // Lists of whole disassemblies are for `check`.
  constexpr std::size_t kLongest = 200;
  out += loss.message.size() > kLongest ? loss.message.substr(0, kLongest - 3) + "..." : loss.message;
  return out;
}

std::string way_lines(const WayResult& way, const std::string& compiler) {
  if (!way.tried)
    return lines(way_label(way.way), "no: " + (way.losses.empty() ? std::string() : way.losses.front().message));
  const std::string_view answer = way.kernels == 0 ? "no" : way.whole() ? "yes" : "in part";
  std::string text = fmt::format("{}: {} of {}", answer, way.kernels, plural(way.of, "kernel"));
  if (way.kernels != 0) text += ", " + what_it_gives(way.way, compiler);
  std::string out = lines(way_label(way.way), text);
  for (std::size_t n = 0; n < std::min(way.losses.size(), kMostLosses); ++n)
    out += lines("", "- " + visible(loss_text(way.losses[n])));
  if (way.losses.size() > kMostLosses)
    out += lines(
        "", fmt::format("- and {} (--format json has all)", plural(way.losses.size() - kMostLosses, "other reason")));
  return out;
}

// "tahiti (as Radeon HD 7970), GCN 1.0, gfx600".
std::string origin_text(const File& file) {
  const Program& program = file.program;
  std::string out = program.device.empty() ? std::string() : program.device;
  const Device* const device = find_device(program.device);
  if (device != nullptr) {
    const auto board = std::ranges::find(all_boards(), device->name, &Board::device);
    if (board != all_boards().end()) out += fmt::format(" (such as {})", board->name);
    out += fmt::format(", {}", isa_name(device->isa));
  }
  if (program.target != nullptr && program.target->name != program.device)
    out += fmt::format("{}{}", out.empty() ? "" : ", ", program.target->name);
  return out.empty() ? "not said" : out;
}

std::string kernels_text(const Program& program) {
  std::string out = plural(program.kernels.size() + program.refused, "kernel");
  constexpr std::size_t kMost = 6;
  for (std::size_t n = 0; n < std::min(program.kernels.size(), kMost); ++n)
    out += (n == 0 ? ": " : ", ") + program.kernels[n].name;
  if (program.kernels.size() > kMost) out += fmt::format(" and {} more", program.kernels.size() - kMost);
  return out;
}

// The driver and the years that it was current in, as far as they are known.
std::string driver_text(const File& file) {
  std::string name = file.program.driver;
  if (name.starts_with("@(#) ")) name.erase(0, 5);
  name = name.substr(0, 120);
  while (name.ends_with(' ')) name.pop_back();
  if (const auto release = driver_release(file.program.driver))
    return fmt::format("{}{}", fmt::format("AMD-APP {}, ", release->build), driver_period(*release));
  if (file.cl2() != nullptr) return "of the OpenCL 2.0 compilers: Catalyst 15.7 or newer, 2015 or newer";
  return name.empty() ? "not said" : name + ", year not said";
}

Json file_json(const std::string& path, const File& file, const Ways& ways, const Destination& destination,
               const Next& next) {
  const Program& program = file.program;
  Json out{{"file", path}, {"kind", kind_name(file.kind)}};
  if (!program.driver.empty()) out["driver"] = program.driver;
  if (const auto release = driver_release(program.driver)) {
    out["build"] = release->build;
    out["period"] = driver_period(*release);
    if (release->first_year != 0) out["first_year"] = release->first_year;
    if (release->last_year != 0) out["last_year"] = release->last_year;
  }
  if (!program.device.empty()) out["device"] = program.device;
  if (program.target != nullptr) out["target"] = program.target->name;
  Json kernels = Json::array();
  for (const Kernel& kernel : program.kernels) kernels.push_back(kernel.name);
  out["kernels"] = std::move(kernels);
  if (program.refused != 0) out["unreadable_kernels"] = program.refused;
  Json to{{"name", destination.name}};
  if (destination.target) to["target"] = destination.target->target->name;
  out["gpu"] = std::move(to);
  Json list = Json::array();
  for (const WayResult& way : ways) {
    Json losses = Json::array();
    for (const WayLoss& loss : way.losses) {
      Json row;
      if (loss.kernels != 0) row = {{"kernels", loss.kernels}, {"kernel", loss.kernel}};
      if (loss.code) row["code"] = code_label(*loss.code);
      row["message"] = loss.message;
      losses.push_back(std::move(row));
    }
    list.push_back({{"way", pipeline::way_name(way.way)},
                    {"tried", way.tried},
                    {"kernels", way.kernels},
                    {"of", way.of},
                    {"losses", std::move(losses)}});
  }
  out["ways"] = std::move(list);
  out["next"] = {{"command", next.command}, {"does", next.says}, {"status", next.status}};
  if (!next.other.empty()) out["next"]["or"] = next.other;
  return out;
}

class Doctor {
 public:
  explicit Doctor(const DoctorOptions& options) : options_(options) {}

  int run() {
    if (!choose_destination()) return kUsage;
    find_compiler();
    if (!options_.common.json && machine_ && !write_page(machine_page(*machine_, destination_))) return kInputOutput;
    int result = kDone;
    bool first = true;
    for (const std::string& path : options_.common.files) {
      const int status = one(path, first);
      result = std::max(result, status);
      first = false;
    }
    return result;
  }

 private:
  bool choose_destination() {
    if (options_.gpu == "cpu") {
      destination_ = {{}, "an OpenCL device, such as the CPU", true, true};
      return true;
    }
    if (!options_.gpu.empty()) {
      destination_.target = hsa::parse_target(target_named(options_.gpu));
      if (!destination_.target) {
        fmt::print(stderr, "amdcompat: --gpu '{}': no such GPU{}\n", visible(options_.gpu),
                   did_you_mean_gpu(options_.gpu));
        return false;
      }
      const auto known = find_gpu(options_.gpu);
      destination_.name = known && known->board != nullptr ? std::string(known->board->name) : options_.gpu;
      destination_.asked = true;
      return true;
    }
    machine_ = look_at_machine();
    destination_.opencl = std::ranges::any_of(machine_->opencl.platforms,
                                              [](const opencl::SurveyedPlatform& one) { return !one.devices.empty(); });
    const auto gpu = std::ranges::find_if(machine_->gpus, [](const MachineGpu& one) { return one.target != nullptr; });
    if (gpu != machine_->gpus.end()) {
      destination_.target = hsa::TargetSpec{gpu->target, {}};
      destination_.name = gpu->name.empty() ? std::string(gpu->target->name) : gpu->name;
    } else {
      destination_.name = "an OpenCL device, such as the CPU";
    }
    return true;
  }

  void find_compiler() {
    if (!destination_.target || options_.compiler == "none") return;
    auto found = compile::Compiler::find(options_.compiler);
    if (found)
      compiler_.emplace(std::move(*found));
    else
      compiler_missing_ = found.error().message;
  }

  int one(const std::string& path, bool first) {
    std::optional<Input> input = read_file(path, options_.common);
    if (!input) return kInputOutput;
    // Of a bundle the entry for this GPU, where there is one.
    std::string entry;
    if (hsa::is_bundle(input->bytes) && destination_.target) {
      Input trial{input->path, input->bytes, Diagnostics(options_.common.mode()), std::nullopt, {}};
      open(trial, options_.common, destination_.target->target->name);
      if (trial.file) entry = destination_.target->target->name;
    }
    open(*input, options_.common, entry);
    if (select_kernel(*input, options_.common)) {
      const File& file = *input->file;
      pipeline::WayRequest request{.target = destination_.target};
      if (compiler_) request.compiler = &*compiler_;
      Ways ways = pipeline::find_ways(file, request);
      WayResult& compiled = ways[static_cast<std::size_t>(Way::Compiled)];
      if (!compiler_missing_.empty() && !compiled.tried) compiled.losses = {{0, {}, {}, compiler_missing_}};
      const Next next = Chooser(path, file, ways, destination_, options_.compiler).run();
      if (options_.common.json) {
        Json out = file_json(path, file, ways, destination_, next);
        if (machine_) out["machine"] = machine_json(*machine_);
        if (!write_stdout(out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n")) return kInputOutput;
      } else if (!write_page((first ? "" : "\n") + page(path, file, ways, next))) {
        return kInputOutput;
      }
    }
    std::fflush(stdout);
    // What is wrong with the file is for `check`; that it is none at all is said here.
    if (!input->file || input->diagnostics.has_errors()) show(*input, options_.common);
    return input->result();
  }

  [[nodiscard]] std::string page(const std::string& path, const File& file, const Ways& ways, const Next& next) const {
    std::string out = visible(path) + '\n';
    out += lines("what", fmt::format("{}, {}", kind_name(file.kind), visible(kernels_text(file.program))));
    out += lines("driver", visible(driver_text(file)));
    out += lines("made for", visible(origin_text(file)));
    std::string to = visible(destination_.name);
    if (destination_.target) {
      const Target& target = *destination_.target->target;
      if (destination_.name != target.name) to += fmt::format(", {}", target.name);
      to += support_text(target);
    }
    out += lines("wanted for", to) + '\n';
    const std::string compiler = compiler_ ? visible(compiler_->name()) : std::string();
    for (const WayResult& way : ways) out += way_lines(way, compiler);
    out += '\n' + lines("next", next.says + ":") + command_lines(visible(next.command));
    if (!next.other.empty()) out += lines("or", next.other);
    return out;
  }

  const DoctorOptions& options_;
  Destination destination_;
  std::optional<Machine> machine_;  // only where no GPU is named
  std::optional<compile::Compiler> compiler_;
  std::string compiler_missing_;
};

}  // namespace

int run_doctor(const DoctorOptions& options) { return Doctor(options).run(); }

}  // namespace amdcompat::cli
