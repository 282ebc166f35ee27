// What libamd-comgr lists in an ELF file.
#pragma once

#ifdef AMDCOMPAT_HAS_COMGR

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <amd_comgr.h>

namespace amdcompat_test {

class Comgr {
 public:
  explicit Comgr(const std::string& elf) {
    ok_ = amd_comgr_create_data(AMD_COMGR_DATA_KIND_EXECUTABLE, &data_) == AMD_COMGR_STATUS_SUCCESS &&
          amd_comgr_set_data(data_, elf.size(), elf.data()) == AMD_COMGR_STATUS_SUCCESS &&
          amd_comgr_get_data_metadata(data_, &root_) == AMD_COMGR_STATUS_SUCCESS;
  }
  ~Comgr() {
    if (ok_) amd_comgr_destroy_metadata(root_);
    amd_comgr_release_data(data_);
  }
  Comgr(const Comgr&) = delete;
  Comgr& operator=(const Comgr&) = delete;
  [[nodiscard]] bool ok() const { return ok_; }

  // name(argument name@offset+size …) of every kernel.
  std::vector<std::string> kernels() const {
    std::vector<std::string> out;
    const auto list = look_up(root_, "amdhsa.kernels");
    for_each(list, [&](amd_comgr_metadata_node_t kernel) {
      std::string line = text(kernel, ".name") + "(";
      const auto arguments = look_up(kernel, ".args");
      for_each(arguments, [&](amd_comgr_metadata_node_t argument) {
        line += text(argument, ".name") + "@" + text(argument, ".offset") + "+" + text(argument, ".size") + ":" +
                text(argument, ".value_kind") + " ";
      });
      if (arguments) amd_comgr_destroy_metadata(*arguments);
      out.push_back(line + ")");
    });
    if (list) amd_comgr_destroy_metadata(*list);
    return out;
  }

 private:
  static std::optional<amd_comgr_metadata_node_t> look_up(amd_comgr_metadata_node_t node, const char* key) {
    amd_comgr_metadata_node_t value;
    if (amd_comgr_metadata_lookup(node, key, &value) != AMD_COMGR_STATUS_SUCCESS) return std::nullopt;
    return value;
  }
  template <class F>
  static void for_each(std::optional<amd_comgr_metadata_node_t> list, F f) {
    std::size_t size = 0;
    if (!list || amd_comgr_get_metadata_list_size(*list, &size) != AMD_COMGR_STATUS_SUCCESS) return;
    for (std::size_t i = 0; i < size; ++i) {
      amd_comgr_metadata_node_t item;
      if (amd_comgr_index_list_metadata(*list, i, &item) != AMD_COMGR_STATUS_SUCCESS) continue;
      f(item);
      amd_comgr_destroy_metadata(item);
    }
  }
  static std::string text(amd_comgr_metadata_node_t node, const char* key) {
    const auto value = look_up(node, key);
    if (!value) return {};
    std::size_t size = 0;
    amd_comgr_get_metadata_string(*value, &size, nullptr);
    std::string out(size, '\0');
    amd_comgr_get_metadata_string(*value, &size, out.data());
    amd_comgr_destroy_metadata(*value);
    while (!out.empty() && out.back() == '\0') out.pop_back();
    return out;
  }
  amd_comgr_data_t data_{};
  amd_comgr_metadata_node_t root_{};
  bool ok_ = false;
};

}  // namespace amdcompat_test

#endif  // AMDCOMPAT_HAS_COMGR
