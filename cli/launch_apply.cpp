// Gives the values of a launch file to a launch image.
#include <type_traits>

#include <fmt/format.h>

#include "launch_file.hpp"

namespace amdcompat::cli {

namespace {

// What the file says in its own section, and where that is silent in the one of CL2 kernels.
abi::KernargEnvironment kernarg_environment(const LaunchFile& launch) {
  abi::KernargEnvironment out = launch.hsa.value_or(abi::KernargEnvironment{});
  if (!launch.cl2) return out;
  const auto fall_back = [](auto& to, auto from) {
    if (to == 0) to = from;
  };
  fall_back(out.memory, launch.cl2->memory);
  fall_back(out.kernel_object, launch.cl2->kernel_object);
  fall_back(out.completion_signal, launch.cl2->completion_signal);
  fall_back(out.queue, launch.cl2->queue);
  fall_back(out.printf_buffer, launch.cl2->printf_buffer);
  fall_back(out.default_queue, launch.cl2->default_queue);
  fall_back(out.completion_action, launch.cl2->aql_wrap);
  fall_back(out.local_aperture, launch.cl2->local_aperture);
  fall_back(out.scratch_aperture, launch.cl2->scratch_aperture);
  return out;
}

// Gives one image what a file says, and goes on after a refusal, so that all that is wrong is said.
template <class Image>
struct Applier {
  const LaunchFile& launch;
  Image& image;
  Diagnostics& diagnostics;
  const Kernel& kernel = image.kernel();
  bool good = true;

  bool refuse(std::string path, std::string message, SourceRange where = {}) {
    diagnostics.report(Code::LaunchFileValue, where, std::move(message), std::move(path));
    return good = false;
  }
  // What kernels of that kind have no use for.
  void refuse_given(bool given, const char* key, std::string_view kind) {
    if (given) refuse(key, fmt::format("kernel '{}' is {}, which has no use for this", kernel.name, kind));
  }
  void constant_data() {
    for (const auto& [number, buffer] : launch.constant_data)
      good &= image.set_constant_data(number, buffer, diagnostics);
  }
  // Whether entry `i` of the file may be the kernel's argument `index`, as far as names go.
  bool check_name(std::size_t i, std::size_t index) {
    const std::optional<std::string>& name = launch.arguments[i].name;
    if (!name || index >= kernel.arguments.size() || *name == kernel.arguments[index].name) return true;
    return refuse(fmt::format("arguments[{}].name", i),
                  fmt::format("argument {} of kernel '{}' is '{}', not '{}'", i, kernel.name,
                              kernel.arguments[index].name, *name),
                  kIsCl1 ? kernel.arguments[index].where : SourceRange{});
  }

  // Gives the kernel's argument `index` the value of entry `i`.
  void set(std::size_t i, std::size_t index) {
    struct Setter {
      Applier& all;
      std::size_t i, index;
      bool operator()(const LaunchFile::Null&) const { return all.image.set_null(index, all.diagnostics); }
      bool operator()(const std::vector<std::byte>& bytes) const {
        return all.image.set_bytes(index, bytes, all.diagnostics);
      }
      bool operator()(const LaunchFile::Local& local) const {
        return all.image.set_local(index, local.bytes, all.diagnostics);
      }
      bool operator()(const abi::Buffer& buffer) const {
        // The base of a descriptor is no matter of the other ABIs: the code gets the whole address.
        if constexpr (kIsCl1)
          return all.image.set_buffer(index, buffer, all.diagnostics);
        else
          return all.image.set_address(index, buffer.address, buffer.size, all.diagnostics);
      }
      bool operator()(const abi::ImageValue& value) const { return all.image.set_image(index, value, all.diagnostics); }
      bool operator()(const LaunchFile::SamplerWord& sampler) const {
        return all.image.set_sampler(index, sampler.word, all.diagnostics);
      }
      bool operator()(const LaunchFile::Object& object) const {
        if constexpr (kIsCl1)
          return all.refuse(fmt::format("arguments[{}].object", i), "kernels of OpenCL 1.x read no objects");
        else
          return all.image.set_object(index, object.bytes, all.diagnostics);
      }
    };
    good &= std::visit(Setter{*this, i, index}, launch.arguments[i].value);
  }

 private:
  static constexpr bool kIsCl1 = std::is_same_v<Image, abi::LaunchImage>;
};

}  // namespace

bool apply_launch(const LaunchFile& launch, abi::LaunchImage& image, Diagnostics& diagnostics) {
  Applier<abi::LaunchImage> to{launch, image, diagnostics};
  to.good = image.set_range(launch.range, diagnostics);
  if (launch.cl2) to.refuse("cl2", fmt::format("kernel '{}' is no CL2 kernel", to.kernel.name));
  if (launch.hsa) to.refuse("hsa", fmt::format("kernel '{}' is of no code object", to.kernel.name));
  to.good &= image.set_printf(launch.printf, diagnostics);
  to.good &= image.set_data_segment(launch.data_segment, diagnostics);
  to.good &= image.set_rings(launch.rings, diagnostics);
  to.constant_data();
  for (std::size_t i = 0; i < launch.arguments.size(); ++i)
    if (to.check_name(i, i)) to.set(i, i);
  return image.build(diagnostics) && to.good;
}

bool apply_launch(const LaunchFile& launch, abi::Cl2LaunchImage& image, Diagnostics& diagnostics) {
  Applier<abi::Cl2LaunchImage> to{launch, image, diagnostics};
  constexpr std::string_view kKind = "a CL2 kernel";
  to.refuse_given(launch.printf.has_value(), "printf", kKind);
  to.refuse_given(launch.data_segment.has_value(), "data_segment", kKind);
  to.refuse_given(launch.rings.has_value(), "rings", kKind);
  to.refuse_given(!launch.constant_data.empty(), "constant_data", kKind);
  to.refuse_given(launch.options.profile != abi::Profile::Amd, "profile", kKind);
  to.refuse_given(launch.options.arguments != abi::ArgumentProfile::Amd, "argument_profile", kKind);
  to.refuse_given(launch.options.image_layout != abi::ImageLayout::R8xx, "image_layout", kKind);
  to.refuse_given(launch.hsa.has_value(), "hsa", kKind);
  to.good &= image.set_range(launch.range, diagnostics);
  to.good &= image.set_environment(launch.cl2.value_or(abi::Cl2Environment{}), diagnostics);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const std::size_t index = image.first_argument() + i;
    if (!to.check_name(i, index)) continue;
    if (const auto* buffer = std::get_if<abi::Buffer>(&launch.arguments[i].value); buffer && buffer->base != 0)
      to.refuse(fmt::format("arguments[{}].base", i), "CL2 kernels read whole addresses");
    else
      to.set(i, index);
  }
  return image.build(diagnostics) && to.good;
}

bool apply_launch(const LaunchFile& launch, abi::KernargImage& image, Diagnostics& diagnostics) {
  Applier<abi::KernargImage> to{launch, image, diagnostics};
  constexpr std::string_view kKind = "a code object's";
  to.refuse_given(launch.rings.has_value(), "rings", kKind);
  to.refuse_given(launch.options.profile != abi::Profile::Amd, "profile", kKind);
  to.refuse_given(launch.options.arguments != abi::ArgumentProfile::Amd, "argument_profile", kKind);
  to.refuse_given(launch.options.image_layout != abi::ImageLayout::R8xx, "image_layout", kKind);
  to.good &= image.set_range(launch.range, diagnostics);
  to.good &= image.set_environment(kernarg_environment(launch), diagnostics);
  to.good &= image.set_printf(launch.printf, diagnostics);
  to.good &= image.set_data_segment(launch.data_segment, diagnostics);
  to.constant_data();
  const std::span<const std::size_t> host = image.host_arguments();
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    if (i >= host.size()) {
      to.refuse(fmt::format("arguments[{}]", i),
                fmt::format("kernel '{}' takes {} arguments from the host", to.kernel.name, host.size()));
      break;
    }
    if (to.check_name(i, host[i])) to.set(i, host[i]);
  }
  return image.build(diagnostics) && to.good;
}

}  // namespace amdcompat::cli
