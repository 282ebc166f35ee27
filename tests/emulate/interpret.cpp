#include "interpret.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <amdcompat/emulate.hpp>
#include <amdcompat/kernarg_launch.hpp>
#include <amdcompat/launch_image.hpp>

#include "runtime/images.hpp"

namespace amdcompat_test {
namespace {

using amdcompat::Diagnostics;
using amdcompat::Kernel;
using amdcompat::Program;
namespace emulate = amdcompat::emulate;

constexpr std::uint64_t kSegment = 0x7d00'0000'0000, kPacket = 0x7d01'0000'0000, kQueue = 0x7d02'0000'0000;
constexpr std::uint64_t kPrintf = 0x7d03'0000'0000, kPrintfBytes = 0x10000;
constexpr std::uint64_t kFirstBuffer = 0x1'2000'0000, kBetween = 0x1000'0000;

class Interpreter {
 public:
  // `unset`: what registers and memory hold that nothing has set.
  Interpreter(const Program& program, const opencl::Launch& launch, std::uint32_t unset)
      : program_(program), launch_(launch), contents_(unset) {}

  Interpreted run() {
    Interpreted out;
    out.problem = problem();
    out.unset = unset_;
    if (!out.problem.empty()) return out;
    for (const auto& [address, size] : buffers_) {
      const auto bytes = memory_.view(address, size);
      out.buffers.emplace_back(bytes.begin(), bytes.end());
    }
    const auto printed = memory_.view(kPrintf, kPrintfBytes);
    out.printf_buffer.assign(printed.begin(), printed.end());
    return out;
  }

 private:
  std::string problem() {
    const auto kernel = std::ranges::find(program_.kernels, launch_.kernel, &Kernel::name);
    if (kernel == program_.kernels.end()) return "no such kernel";
    const auto index = static_cast<std::size_t>(kernel - program_.kernels.begin());
    return std::holds_alternative<amdcompat::ConstantBufferLaunch>(kernel->launch) ? constant_buffers(index)
                                                                                   : kernarg_segment(index);
  }
  [[nodiscard]] amdcompat::abi::Range range() const {
    amdcompat::abi::Range out{.dimensions = launch_.dimensions};
    out.local.emplace();
    for (std::size_t d = 0; d < 3; ++d) {
      out.global[d] = launch_.global[d];
      out.offset[d] = launch_.offset[d];
      (*out.local)[d] = static_cast<std::uint32_t>(std::max<std::size_t>(launch_.local[d], 1));
    }
    return out;
  }
  // The descriptors have the addresses of the buffers, without a limit.
  std::string constant_buffers(std::size_t kernel) {
    auto image = amdcompat::abi::LaunchImage::create(program_.kernels[kernel], diagnostics_, {}, program_.data);
    if (!image || !image->set_range(range(), diagnostics_)) return first_finding();
    for (std::size_t n = 0; n < launch_.arguments.size(); ++n) {
      const opencl::Argument& argument = launch_.arguments[n];
      bool good = false;
      if (const auto* const value = std::get_if<opencl::Value>(&argument)) {
        good = image->set_bytes(n, value->bytes, diagnostics_);
      } else if (const auto* const local = std::get_if<opencl::Local>(&argument)) {
        good = image->set_local(n, local->size, diagnostics_);
      } else if (const auto* const buffer = std::get_if<opencl::Buffer>(&argument)) {
        const std::uint64_t address = next_address();
        good = place(address, buffer->bytes) && image->set_buffer(n, {address, address, 0}, diagnostics_);
      } else if (const auto* const picture = std::get_if<opencl::Image>(&argument)) {
        const std::uint64_t address = next_address();
        good = place(address, picture->bytes) && image->set_image(n, value_of(*picture, address), diagnostics_);
      } else if (const auto* const sampler = std::get_if<opencl::Sampler>(&argument)) {
        good = image->set_sampler(n, word_of(*sampler), diagnostics_);
      }
      if (!good) return first_finding();
    }
    if (!image->build(diagnostics_)) return first_finding();
    emulate::CalBindings bindings;
    bindings.cb0.assign(image->cb0().begin(), image->cb0().end());
    bindings.cb1.assign(image->cb1().begin(), image->cb1().end());
    for (const amdcompat::abi::Binding& binding : image->bindings()) {
      if (binding.words == 0) continue;
      using enum amdcompat::abi::BindingKind;
      auto* const to = binding.kind == Uav        ? &bindings.uavs
                       : binding.kind == Resource ? &bindings.resources
                       : binding.kind == Sampler  ? &bindings.samplers
                                                  : nullptr;
      if (to != nullptr)
        to->push_back({binding.slot, {binding.descriptor.begin(), binding.descriptor.begin() + binding.words}});
    }
    return ended(emulate::kernel_launch(program_, kernel, std::move(bindings), image->local_bytes(), memory_),
                 image->local_size());
  }
  std::string kernarg_segment(std::size_t kernel) {
    auto image =
        amdcompat::abi::KernargImage::create(program_.kernels[kernel], diagnostics_, {.fill = std::byte{0xa5}});
    if (!image) return first_finding();
    amdcompat::abi::KernargEnvironment environment;
    environment.memory = kSegment;
    environment.queue = kQueue;
    environment.printf_buffer = kPrintf;
    environment.local_aperture = emulate::kLocalAperture;
    environment.scratch_aperture = emulate::kScratchAperture;
    if (!image->set_environment(environment, diagnostics_) || !image->set_range(range(), diagnostics_))
      return first_finding();
    const auto host = image->host_arguments();
    for (std::size_t n = 0; n < launch_.arguments.size(); ++n)
      if (n >= host.size() || !give(*image, host[n], launch_.arguments[n])) return first_finding();
    if (!image->build(diagnostics_)) return first_finding();

    std::vector<std::byte> queue(amdcompat::abi::kQueueBytes);
    std::memcpy(queue.data() + amdcompat::abi::kQueueApertures, &emulate::kLocalAperture, 4);
    std::memcpy(queue.data() + amdcompat::abi::kQueueApertures + 4, &emulate::kScratchAperture, 4);
    // What was written so far, and what there is room for. [RC]
    std::vector<std::byte> printed(kPrintfBytes);
    constexpr std::uint32_t kRoom = kPrintfBytes - 8;
    std::memcpy(printed.data() + 4, &kRoom, 4);
    memory_.map(kPrintf, std::move(printed), "printf buffer");
    const auto segment = image->segment(), packet = image->packet(), objects = image->objects();
    memory_.map(kSegment + image->block_bytes() + amdcompat::abi::kPacketBytes, {objects.begin(), objects.end()},
                "objects");
    memory_.map(kQueue, std::move(queue), "queue");
    memory_.map(kPacket, {packet.begin(), packet.end()}, "packet");
    memory_.map(kSegment, {segment.begin(), segment.end()}, "kernarg segment");
    return ended(emulate::kernel_launch(program_, kernel, emulate::ObjectBindings{kSegment, kPacket, kQueue},
                                        image->local_bytes(), memory_),
                 image->local_size());
  }
  std::string ended(amdcompat::Result<emulate::Launch> launch, const std::array<std::uint32_t, 3>& local) {
    if (!launch) return sentence(launch.error());
    launch->local = local;
    for (std::size_t d = 0; d < 3; ++d) launch->global[d] = static_cast<std::uint32_t>(launch_.global[d]);
    const emulate::Report report = emulate::run(*launch, memory_, {.unset = contents_}, diagnostics_);
    if (report.outcome != emulate::Outcome::Ended) return first_finding();
    if (!report.poison.empty())
      unset_ = fmt::format("uses {} at +0x{:x}, which nothing has set", report.poison[0].what, report.poison[0].offset);
    if (report.outside_accesses != 0)
      return fmt::format("goes outside of memory at +0x{:x}: {:x}", report.outside[0].offset,
                         report.outside[0].address);
    return {};
  }

  bool give(amdcompat::abi::KernargImage& image, std::size_t index, const opencl::Argument& argument) {
    if (const auto* const value = std::get_if<opencl::Value>(&argument))
      return image.set_bytes(index, value->bytes, diagnostics_);
    if (const auto* const local = std::get_if<opencl::Local>(&argument))
      return image.set_local(index, local->size, diagnostics_);
    if (const auto* const sampler = std::get_if<opencl::Sampler>(&argument))
      return image.set_sampler(index, word_of(*sampler), diagnostics_);
    const std::uint64_t address = next_address();
    if (const auto* const picture = std::get_if<opencl::Image>(&argument))
      return place(address, picture->bytes) && image.set_image(index, value_of(*picture, address), diagnostics_);
    const auto* const buffer = std::get_if<opencl::Buffer>(&argument);
    return buffer != nullptr && place(address, buffer->bytes) &&
           image.set_address(index, address, buffer->bytes.size(), diagnostics_);
  }
  [[nodiscard]] std::uint64_t next_address() const { return kFirstBuffer + kBetween * buffers_.size(); }
  bool place(std::uint64_t address, const std::vector<std::byte>& bytes) {
    buffers_.emplace_back(address, bytes.size());
    return memory_.map(address, bytes, fmt::format("buffer {}", buffers_.size() - 1));
  }
  static std::uint32_t word_of(const opencl::Sampler& sampler) {
    for (std::uint32_t word = 0; word < 64; ++word)
      if (const auto one = opencl::sampler_of(word); one && one->normalized == sampler.normalized &&
                                                     one->addressing == sampler.addressing &&
                                                     one->filter == sampler.filter)
        return word;
    return 0;
  }
  static amdcompat::abi::ImageValue value_of(const opencl::Image& picture, std::uint64_t address) {
    using enum opencl::Image::Kind;
    amdcompat::abi::ImageValue out{.width = static_cast<std::uint32_t>(picture.size[0]),
                                   .channel_order = picture.order,
                                   .channel_type = picture.type,
                                   .address = address};
    const auto second = static_cast<std::uint32_t>(picture.size[1]),
               third = static_cast<std::uint32_t>(picture.size[2]);
    if (picture.kind == D1Array) out.array_size = second;
    if (picture.kind == D2 || picture.kind == D2Array || picture.kind == D3) out.height = second;
    if (picture.kind == D2Array) out.array_size = third;
    if (picture.kind == D3) out.depth = third;
    return out;
  }

  [[nodiscard]] std::string first_finding() const {
    return diagnostics_.all().empty() ? "an argument that is not given here" : sentence(diagnostics_.all().front());
  }

  const Program& program_;
  const opencl::Launch& launch_;
  std::uint32_t contents_;
  Diagnostics diagnostics_;
  std::string unset_;
  emulate::Memory memory_;
  std::vector<std::pair<std::uint64_t, std::size_t>> buffers_;
};

}  // namespace

Interpreted interpret(const Program& program, const opencl::Launch& launch) {
  Interpreted out = Interpreter(program, launch, 0).run();
  if (out.unset.empty() || !out.problem.empty()) return out;
  // Compilers begin masks of loops with whatever is there, and look at the bits of their own alone.
  constexpr std::uint32_t kOthers[] = {1, 2, 3};
  if (std::ranges::all_of(kOthers, [&](std::uint32_t unset) {
        const Interpreted other = Interpreter(program, launch, unset).run();
        return other.problem.empty() && other.buffers == out.buffers && other.printf_buffer == out.printf_buffer;
      }))
    out.unset.clear();
  return out;
}

}  // namespace amdcompat_test
