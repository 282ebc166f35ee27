// What both hosts share: a container of OpenCL 1.x, its kernel `scale` converted in place, and its kernarg segment.
// data[i] *= factor; corpus/code_samples.cpp has the machine code.
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <amdcompat/amdcompat.hpp>
#include <amdcompat/in_place.hpp>

class Scale {
 public:
  // Empty when the file cannot be read, or its kernel not be converted.
  static std::optional<Scale> load(const char* path) {
    std::ifstream in(path, std::ios::binary);
    Scale out;
    auto file = amdcompat::open({std::istreambuf_iterator<char>(in), {}}, out.findings_);
    if (!file || file->program.kernels.empty()) return std::nullopt;
    out.file_ = std::move(*file);
    auto converted = amdcompat::convert::to_in_place(out.file_.program, out.findings_);
    if (!converted) return std::nullopt;
    out.converted_ = std::move(*converted);
    const auto bytes = amdcompat::hsa::write_code_object(out.converted_.object);
    if (!bytes) return std::nullopt;
    out.object_ = *bytes;
    return out;
  }

  // The code object, for a loader.
  [[nodiscard]] const std::string& object() const { return object_; }

  // The kernarg segment of a launch of `items` work-items in groups of 64; `data`: address on the device. Empty when
  // the launch is not possible.
  [[nodiscard]] std::vector<std::byte> kernarg(std::uint64_t data, std::uint32_t factor, std::uint32_t items) {
    namespace abi = amdcompat::abi;
    const amdcompat::Kernel& kernel = file_.program.kernels[0];
    auto image = abi::LaunchImage::create(kernel, findings_, {}, file_.program.data);
    abi::Range range;
    range.global[0] = items;
    range.local = {{64, 1, 1}};
    const std::uint64_t base = amdcompat::convert::in_place_base(data, kernel.address_bits);
    if (!image || !image->set_range(range, findings_) || !image->set_buffer(0, {data, base, 0}, findings_) ||
        !image->set_bytes(1, std::as_bytes(std::span(&factor, 1)), findings_) || !image->build(findings_))
      return {};
    return amdcompat::convert::kernarg_image(converted_.kernels[0], *image).value_or(std::vector<std::byte>());
  }

 private:
  amdcompat::Diagnostics findings_;
  amdcompat::File file_;
  amdcompat::convert::InPlaceObject converted_;
  std::string object_;
};
