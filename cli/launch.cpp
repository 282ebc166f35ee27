// `launch`: a kernel of an old binary, lifted, on an OpenCL device of this machine, with the launch of a launch file.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <amdcompat/lift.hpp>

#include <runtime/images.hpp>

#include "launch_file.hpp"
#include "launch_input.hpp"
#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

class Launcher {
 public:
  Launcher(const DeviceLaunchOptions& options, const File& file, LaunchFile& launch, Diagnostics& diagnostics)
      : options_(options), file_(file), launch_(launch), diagnostics_(diagnostics) {}

  int run() {
    read_ = lift::with_arguments_read(file_.program);
    const Program& program = read_ ? *read_ : file_.program;
    const std::string& name = options_.common.kernel.empty() ? launch_.kernel : options_.common.kernel;
    const auto kernel = std::ranges::find_if(program.kernels, [&](const Kernel& candidate) {
      return candidate.name == name || (name.empty() && program.kernels.size() == 1);
    });
    if (kernel == program.kernels.end()) {
      diagnostics_.report(Code::KernelNotFound, {},
                          name.empty() ? std::string("several kernels: which one?")
                                       : fmt::format("no kernel '{}'", name));
      return kInputErrors;
    }
    kernel_ = &*kernel;
    lift::Options lifting = options_.lift;
    lifting.kernel = kernel->name;
    const lift::Unit unit = lift::lift(program, lifting, diagnostics_);
    if (unit.kernels.empty() || !unit.kernels.front().lifted) return kInputErrors;  // the finding says why
    if (!read_memory(launch_)) return kInputOutput;
    if (!take_range() || !take_arguments()) return kInputErrors;
    // What a user waits for is his kernel: half an hour is an endless one.
    constexpr double kSeconds = 1800;
    opencl::Request request{.source = unit.source, .launches = {call_}, .seconds = kSeconds};
    request.options = lift::build_options(unit.source);
    request.device = options_.device;
    request.all_cores = true;
    const opencl::Device device = opencl::find_device(opencl::Runtime::Device, options_.device, true);
    if (!device.missing.empty()) return failed(device.missing);
    const opencl::Result result = opencl::run(request);
    if (result.build == opencl::Status::BuildFailed)
      return failed(fmt::format("{} does not take the lifted source:\n{}", device.name, result.log));
    if (result.build != opencl::Status::Ok) return failed(fmt::format("{}: {}", device.name, result.message));
    const opencl::LaunchResult& ran = result.launches.front();
    if (ran.status != opencl::Status::Ok)
      return failed(fmt::format("{}: {}: {}", device.name, opencl::status_name(ran.status), ran.message));
    return finish(device.name, ran, result.build_seconds);
  }

 private:
  // One object of the device, and where it is in the launch file's memory.
  struct Object {
    std::string name;
    std::uint64_t address = 0;
    std::size_t argument = 0;
    std::uint32_t row = 0, row_pitch = 0,
                  rows = 1;  // of an image: bytes of a row, from one to the next, rows of a slice
    std::uint32_t slice_pitch = 0;
    std::vector<std::byte> before{}, after{};
  };

  static int failed(std::string_view why) {
    fmt::print(stderr, "amdcompat: {}\n", visible(std::string(why), true));
    return kInputOutput;
  }
  bool wrong(std::size_t argument, std::string what) {
    diagnostics_.report(Code::LaunchFileValue, {}, std::move(what), fmt::format("arguments[{}]", argument));
    return false;
  }
  bool not_here(bool given, std::string_view what) {
    if (given)
      diagnostics_.report(Code::LaunchFileValue, {}, fmt::format("{}: an OpenCL runtime decides that itself", what),
                          std::string(what));
    return given;
  }

  bool take_range() {
    const abi::Range& range = launch_.range;
    if (not_here(range.split.has_value(), "split") || not_here(!launch_.uavs.empty(), "uav") ||
        not_here(!launch_.constant_buffers.empty(), "constant_buffers"))
      return false;
    call_.kernel = kernel_->name;
    call_.dimensions = range.task ? 1 : range.dimensions;
    if (range.task) {
      call_.local = {1, 1, 1};
      return true;
    }
    const std::array<std::uint32_t, 3> local = range.local ? *range.local : abi::choose_local_size(*kernel_, range);
    for (std::size_t d = 0; d < 3; ++d) {
      call_.global[d] = d < range.dimensions ? range.global[d] : 1;
      call_.offset[d] = d < range.dimensions ? range.offset[d] : 0;
      call_.local[d] = d < range.dimensions ? local[d] : 1;
    }
    std::uint64_t items = 1;
    for (const std::size_t size : call_.local) items *= std::min<std::size_t>(size, 1u << 16);
    if (items > max_flat_group_size(*kernel_)) {
      diagnostics_.report(Code::LaunchFileValue, {},
                          fmt::format("{} work-items in a group; the code was made for at most {}", items,
                                      max_flat_group_size(*kernel_)),
                          "local");
      return false;
    }
    return true;
  }

  // What the launch file says of these addresses; zeros where it says nothing.
  std::vector<std::byte> memory_at(std::uint64_t address, std::size_t size) const {
    std::vector<std::byte> out(size);
    for (const LaunchFile::Memory& part : launch_.memory) {
      const std::uint64_t begin = std::max(address, part.address);
      const std::uint64_t end = std::min(address + size, part.address + part.bytes.size());
      if (begin < end)
        std::memcpy(out.data() + (begin - address), part.bytes.data() + (begin - part.address), end - begin);
    }
    return out;
  }
  // As far as memory goes from there.
  std::uint64_t size_from(std::uint64_t address) const {
    for (const LaunchFile::Memory& part : launch_.memory)
      if (address >= part.address && address - part.address < part.bytes.size())
        return part.bytes.size() - (address - part.address);
    return 0;
  }

  bool take_arguments() {
    std::vector<const Argument*> arguments;
    for (const Argument& argument : kernel_->arguments)
      if (!std::holds_alternative<Hidden>(argument.kind)) arguments.push_back(&argument);
    if (launch_.arguments.size() != arguments.size()) {
      diagnostics_.report(
          Code::LaunchFileValue, {},
          fmt::format("{} arguments; kernel {} has {}", launch_.arguments.size(), kernel_->name, arguments.size()),
          "arguments");
      return false;
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const LaunchFile::Entry& entry = launch_.arguments[i];
      if (entry.name && *entry.name != arguments[i]->name)
        return wrong(i, fmt::format("named '{}'; the kernel's argument is '{}'", *entry.name, arguments[i]->name));
      if (!take(*arguments[i], entry, i)) return false;
    }
    return true;
  }

  bool take(const Argument& argument, const LaunchFile::Entry& entry, std::size_t i) {
    const bool value = std::holds_alternative<ByValue>(argument.kind);
    const bool local = std::holds_alternative<LocalPointer>(argument.kind);
    const auto* const image = std::get_if<Image>(&argument.kind);
    const bool sampler = std::holds_alternative<Sampler>(argument.kind);
    const bool buffer = !value && !local && image == nullptr && !sampler;
    if (const auto* const bytes = std::get_if<std::vector<std::byte>>(&entry.value)) {
      if (!value) return wrong(i, "a value, where the kernel has none");
      call_.arguments.emplace_back(opencl::Value{*bytes});
      return true;
    }
    if (const auto* const size = std::get_if<LaunchFile::Local>(&entry.value)) {
      if (!local) return wrong(i, "local memory, where the kernel has none");
      call_.arguments.emplace_back(opencl::Local{size->bytes});
      return true;
    }
    if (const auto* const word = std::get_if<LaunchFile::SamplerWord>(&entry.value)) {
      const auto made = opencl::sampler_of(word->word);
      if (!sampler || !made) return wrong(i, sampler ? "no sampler of OpenCL" : "a sampler, where the kernel has none");
      call_.arguments.emplace_back(*made);
      return true;
    }
    if (const auto* const given = std::get_if<abi::ImageValue>(&entry.value)) {
      if (image == nullptr) return wrong(i, "an image, where the kernel has none");
      return take_image(argument, *image, *given, i);
    }
    if (std::holds_alternative<LaunchFile::Null>(entry.value)) {
      if (!buffer) return wrong(i, "null, where the kernel has no pointer to a buffer");
      call_.arguments.emplace_back(opencl::NullBuffer{});
      return true;
    }
    if (const auto* const given = std::get_if<abi::Buffer>(&entry.value)) {
      if (!buffer) return wrong(i, "a buffer, where the kernel has none");
      return take_buffer(argument, *given, i);
    }
    return wrong(i, "descriptors are of the old hardware: give the image or the sampler");
  }

  bool take_buffer(const Argument& argument, const abi::Buffer& given, std::size_t i) {
    const std::uint64_t size = given.size != 0 ? given.size : size_from(given.address);
    if (size == 0) return wrong(i, "a buffer of no size, at an address without memory");
    if (size > kMostBytes) return wrong(i, fmt::format("a buffer of {} bytes; at most 1 GiB is taken", size));
    for (const Object& other : objects_) {
      const std::uint64_t other_size = other.before.size();
      if (given.address >= other.address + other_size || other.address >= given.address + size) continue;
      if (given.address != other.address || size != other_size || other.row != 0)
        return wrong(i, fmt::format("overlaps {}: objects of a device are the same, or apart", other.name));
      call_.arguments.emplace_back(opencl::SameBuffer{other.argument});
      return true;
    }
    Object object{.name = argument.name, .address = given.address, .argument = i};
    object.before = memory_at(given.address, size);
    call_.arguments.emplace_back(opencl::Buffer{object.before});
    objects_.push_back(std::move(object));
    return true;
  }

  bool take_image(const Argument& argument, const Image& kind, const abi::ImageValue& given, std::size_t i) {
    const std::uint64_t texel = abi::texel_bytes(given.channel_order, given.channel_type);
    if (texel == 0) return wrong(i, "an image format that no device has");
    opencl::Image image = opencl::image_of(given, kind.dim, kind.access);
    const std::uint64_t row = texel * image.size[0];
    const std::uint64_t pitch = given.row_pitch != 0 ? given.row_pitch : row;
    const std::uint64_t slice = given.slice_pitch != 0 ? given.slice_pitch : pitch * image.size[1];
    if (row == 0 || pitch < row || slice < pitch * (image.size[1] - 1) + row || slice * image.size[2] > kMostBytes)
      return wrong(i, "image sizes and pitches that do not fit together, or more than 1 GiB");
    Object object{.name = argument.name, .address = given.address, .argument = i};
    object.row = static_cast<std::uint32_t>(row);
    object.row_pitch = static_cast<std::uint32_t>(pitch);
    object.rows = static_cast<std::uint32_t>(image.size[1]);
    object.slice_pitch = static_cast<std::uint32_t>(slice);
    object.before = memory_at(given.address, static_cast<std::size_t>(slice * image.size[2]));
    image.bytes.resize(static_cast<std::size_t>(row * image.size[1] * image.size[2]));
    for_rows(object, image.bytes,
             [](std::byte* tight, std::byte* pitched, std::size_t n) { std::memcpy(tight, pitched, n); });
    call_.arguments.emplace_back(std::move(image));
    objects_.push_back(std::move(object));
    return true;
  }
  // Each row as it stands without gaps, and in the object's memory.
  static void for_rows(Object& object, std::vector<std::byte>& tight, auto work) {
    std::vector<std::byte>& pitched = object.after.empty() ? object.before : object.after;
    for (std::size_t at = 0, n = 0; at < tight.size(); at += object.row, ++n)
      work(tight.data() + at,
           pitched.data() + n / object.rows * object.slice_pitch + n % object.rows * object.row_pitch, object.row);
  }

  int finish(const std::string& device, const opencl::LaunchResult& ran, double build_seconds) {
    std::vector<std::vector<std::byte>> results = ran.buffers;
    std::string text = fmt::format("kernel {}: ended on {}; launch {:.3f} ms, build {:.0f} ms\n", kernel_->name, device,
                                   ran.seconds * 1e3, build_seconds * 1e3);
    for (std::size_t n = 0; n < objects_.size() && n < results.size(); ++n) {
      Object& object = objects_[n];
      object.after = object.before;
      if (object.row == 0)
        object.after = std::move(results[n]);
      else
        for_rows(object, results[n],
                 [](std::byte* tight, std::byte* pitched, std::size_t size) { std::memcpy(pitched, tight, size); });
      std::size_t changed = 0;
      for (std::size_t at = 0; at < object.after.size(); ++at) changed += object.after[at] != object.before[at] ? 1 : 0;
      if (changed != 0)
        text += fmt::format("  {} at 0x{:x}: {} bytes, {} changed\n", object.name, object.address, object.after.size(),
                            changed);
    }
    if (!write_page(text)) return kInputOutput;
    // What the kernel printed.
    if (!ran.said.empty() && !write_page(ran.said)) return kInputOutput;
    for (const std::string& spec : options_.dumps)
      if (const int status = write_dump(*parse_dump(spec)); status != kDone) return status;
    return kDone;
  }

  int write_dump(const MemoryDump& dump) {
    for (const Object& object : objects_)
      if (dump.address >= object.address && dump.address - object.address <= object.after.size() &&
          dump.size <= object.after.size() - (dump.address - object.address)) {
        const auto bytes = std::span(object.after).subspan(dump.address - object.address, dump.size);
        return write_output(dump.file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}) ? kDone
                                                                                                    : kInputOutput;
      }
    diagnostics_.report(Code::EmulateLaunch, {},
                        fmt::format("no {} bytes of one buffer at 0x{:x} to dump", dump.size, dump.address));
    return kInputErrors;
  }

  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
  const DeviceLaunchOptions& options_;
  const File& file_;
  std::optional<Program> read_;  // with arguments that the file does not list
  LaunchFile& launch_;
  Diagnostics& diagnostics_;
  const Kernel* kernel_ = nullptr;
  opencl::Launch call_;
  std::vector<Object> objects_;
};

}  // namespace

int run_launch(const DeviceLaunchOptions& options) {
  return with_launch(options.common, options.launch, options.dumps,
                     [&](const File& file, LaunchFile& launch, Diagnostics& diagnostics) {
                       return Launcher(options, file, launch, diagnostics).run();
                     });
}

}  // namespace amdcompat::cli
