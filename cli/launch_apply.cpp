// Gives the values of a launch file to a launch image.
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

}  // namespace

bool apply_launch(const LaunchFile& launch, abi::LaunchImage& image, Diagnostics& diagnostics) {
  const Kernel& kernel = image.kernel();
  bool good = image.set_range(launch.range, diagnostics);
  if (launch.cl2) {
    diagnostics.report(Code::LaunchFileValue, {}, fmt::format("kernel '{}' is no CL2 kernel", kernel.name), "cl2");
    good = false;
  }
  if (launch.hsa) {
    diagnostics.report(Code::LaunchFileValue, {}, fmt::format("kernel '{}' is of no code object", kernel.name), "hsa");
    good = false;
  }
  good &= image.set_printf(launch.printf, diagnostics);
  good &= image.set_data_segment(launch.data_segment, diagnostics);
  good &= image.set_rings(launch.rings, diagnostics);
  for (const auto& [number, buffer] : launch.constant_data)
    good &= image.set_constant_data(number, buffer, diagnostics);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const LaunchFile::Entry& entry = launch.arguments[i];
    if (entry.name && i < kernel.arguments.size() && *entry.name != kernel.arguments[i].name) {
      diagnostics.report(Code::LaunchFileValue, kernel.arguments[i].where,
                         fmt::format("argument {} of kernel '{}' is '{}', not '{}'", i, kernel.name,
                                     kernel.arguments[i].name, *entry.name),
                         fmt::format("arguments[{}].name", i));
      good = false;
      continue;
    }
    struct Setter {
      abi::LaunchImage& image;
      std::size_t index;
      Diagnostics& diagnostics;
      bool operator()(const LaunchFile::Null&) const { return image.set_null(index, diagnostics); }
      bool operator()(const std::vector<std::byte>& bytes) const { return image.set_bytes(index, bytes, diagnostics); }
      bool operator()(const abi::Buffer& buffer) const { return image.set_buffer(index, buffer, diagnostics); }
      bool operator()(const LaunchFile::Local& local) const { return image.set_local(index, local.bytes, diagnostics); }
      bool operator()(const abi::ImageValue& value) const { return image.set_image(index, value, diagnostics); }
      bool operator()(const LaunchFile::SamplerWord& sampler) const {
        return image.set_sampler(index, sampler.word, diagnostics);
      }
      bool operator()(const LaunchFile::Object&) const {
        diagnostics.report(Code::LaunchFileValue, {}, "only CL2 kernels read objects",
                           fmt::format("arguments[{}].object", index));
        return false;
      }
    };
    good &= std::visit(Setter{image, i, diagnostics}, entry.value);
  }
  return image.build(diagnostics) && good;
}

bool apply_launch(const LaunchFile& launch, abi::Cl2LaunchImage& image, Diagnostics& diagnostics) {
  const Kernel& kernel = image.kernel();
  bool good = true;
  const auto refuse = [&](std::string path, std::string message) {
    diagnostics.report(Code::LaunchFileValue, {}, std::move(message), std::move(path));
    good = false;
  };
  const auto only_cl1 = [&](bool given, const char* key) {
    if (given) refuse(key, fmt::format("kernel '{}' is a CL2 kernel, which has no use for this", kernel.name));
  };
  only_cl1(launch.printf.has_value(), "printf");
  only_cl1(launch.data_segment.has_value(), "data_segment");
  only_cl1(launch.rings.has_value(), "rings");
  only_cl1(!launch.constant_data.empty(), "constant_data");
  only_cl1(launch.options.profile != abi::Profile::Amd, "profile");
  only_cl1(launch.options.arguments != abi::ArgumentProfile::Amd, "argument_profile");
  only_cl1(launch.options.image_layout != abi::ImageLayout::R8xx, "image_layout");
  only_cl1(launch.hsa.has_value(), "hsa");
  good &= image.set_range(launch.range, diagnostics);
  good &= image.set_environment(launch.cl2.value_or(abi::Cl2Environment{}), diagnostics);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const LaunchFile::Entry& entry = launch.arguments[i];
    const std::size_t index = image.first_argument() + i;
    const std::string path = fmt::format("arguments[{}]", i);
    if (entry.name && index < kernel.arguments.size() && *entry.name != kernel.arguments[index].name) {
      refuse(path + ".name", fmt::format("argument {} of kernel '{}' is '{}', not '{}'", i, kernel.name,
                                         kernel.arguments[index].name, *entry.name));
      continue;
    }
    if (const auto* buffer = std::get_if<abi::Buffer>(&entry.value); buffer != nullptr && buffer->base != 0) {
      refuse(path + ".base", "CL2 kernels read whole addresses");
      continue;
    }
    struct Setter {
      abi::Cl2LaunchImage& image;
      std::size_t index;
      Diagnostics& diagnostics;
      bool operator()(const LaunchFile::Null&) const { return image.set_null(index, diagnostics); }
      bool operator()(const std::vector<std::byte>& bytes) const { return image.set_bytes(index, bytes, diagnostics); }
      bool operator()(const abi::Buffer& buffer) const {
        return image.set_address(index, buffer.address, buffer.size, diagnostics);
      }
      bool operator()(const LaunchFile::Local& local) const { return image.set_local(index, local.bytes, diagnostics); }
      bool operator()(const abi::ImageValue& value) const { return image.set_image(index, value, diagnostics); }
      bool operator()(const LaunchFile::SamplerWord& sampler) const {
        return image.set_sampler(index, sampler.word, diagnostics);
      }
      bool operator()(const LaunchFile::Object& object) const {
        return image.set_object(index, object.bytes, diagnostics);
      }
    };
    good &= std::visit(Setter{image, index, diagnostics}, entry.value);
  }
  return image.build(diagnostics) && good;
}

bool apply_launch(const LaunchFile& launch, abi::KernargImage& image, Diagnostics& diagnostics) {
  const Kernel& kernel = image.kernel();
  bool good = true;
  const auto refuse = [&](std::string path, std::string message) {
    diagnostics.report(Code::LaunchFileValue, {}, std::move(message), std::move(path));
    good = false;
  };
  const auto useless = [&](bool given, const char* key) {
    if (given) refuse(key, fmt::format("kernel '{}' is a code object's, which has no use for this", kernel.name));
  };
  useless(launch.rings.has_value(), "rings");
  useless(launch.options.profile != abi::Profile::Amd, "profile");
  useless(launch.options.arguments != abi::ArgumentProfile::Amd, "argument_profile");
  useless(launch.options.image_layout != abi::ImageLayout::R8xx, "image_layout");
  good &= image.set_range(launch.range, diagnostics);
  good &= image.set_environment(kernarg_environment(launch), diagnostics);
  good &= image.set_printf(launch.printf, diagnostics);
  good &= image.set_data_segment(launch.data_segment, diagnostics);
  for (const auto& [number, buffer] : launch.constant_data)
    good &= image.set_constant_data(number, buffer, diagnostics);
  const std::span<const std::size_t> host = image.host_arguments();
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const LaunchFile::Entry& entry = launch.arguments[i];
    const std::string path = fmt::format("arguments[{}]", i);
    if (i >= host.size()) {
      refuse(path, fmt::format("kernel '{}' takes {} arguments from the host", kernel.name, host.size()));
      break;
    }
    const std::string& name = kernel.arguments[host[i]].name;
    if (entry.name && *entry.name != name) {
      refuse(path + ".name",
             fmt::format("argument {} of kernel '{}' is '{}', not '{}'", i, kernel.name, name, *entry.name));
      continue;
    }
    struct Setter {
      abi::KernargImage& image;
      std::size_t index;
      const std::string& path;
      Diagnostics& diagnostics;
      bool operator()(const LaunchFile::Null&) const { return image.set_null(index, diagnostics); }
      bool operator()(const std::vector<std::byte>& bytes) const { return image.set_bytes(index, bytes, diagnostics); }
      // The base of a descriptor is no matter of this ABI: the code gets the whole address.
      bool operator()(const abi::Buffer& buffer) const {
        return image.set_address(index, buffer.address, buffer.size, diagnostics);
      }
      bool operator()(const LaunchFile::Local& local) const { return image.set_local(index, local.bytes, diagnostics); }
      bool operator()(const abi::ImageValue&) const { return object(); }
      bool operator()(const LaunchFile::SamplerWord&) const { return object(); }
      bool operator()(const LaunchFile::Object&) const { return object(); }
      bool object() const {
        diagnostics.report(Code::LaunchFileValue, {},
                           "the objects of images and samplers are made by the runtime: give their address as 'buffer'",
                           path);
        return false;
      }
    };
    good &= std::visit(Setter{image, host[i], path, diagnostics}, entry.value);
  }
  return image.build(diagnostics) && good;
}

}  // namespace amdcompat::cli
