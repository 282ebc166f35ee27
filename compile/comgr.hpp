// What this library calls of comgr: types, numbers and signatures as the ABI of libamd_comgr.so.2 and of
// libamd_comgr.so.3 has them [COMGR]. The functions are looked up at run time, in a child process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace amdcompat::comgr {

using Status = int;  // 0: success
struct Data {
  std::uint64_t handle;
};
struct DataSet {
  std::uint64_t handle;
};
struct ActionInfo {
  std::uint64_t handle;
};

inline constexpr int kLanguageOpenCl12 = 1, kLanguageOpenCl20 = 2;
inline constexpr int kDataSource = 1, kDataLog = 5, kDataBitcode = 6, kDataExecutable = 8;

// Numbers of actions, which version 3 of the interface gave anew.
struct Actions {
  int add_precompiled_headers, add_device_libraries, source_to_bitcode, to_relocatable, to_executable;
};
inline constexpr int kNoAction = -1;
inline constexpr Actions kActions2{1, 3, 0xf, 6, 9};
inline constexpr Actions kActions3{kNoAction, kNoAction, 0xc, 4, 7};

// X(name, result, parameters): of `amd_comgr_name`.
// clang-format off
#define AMDCOMPAT_COMGR_FUNCTIONS(X) \
  X(get_version, void, (std::size_t*, std::size_t*)) \
  X(get_isa_count, Status, (std::size_t*)) \
  X(get_isa_name, Status, (std::size_t, const char**)) \
  X(create_data, Status, (int, Data*)) \
  X(release_data, Status, (Data)) \
  X(set_data, Status, (Data, std::size_t, const char*)) \
  X(set_data_name, Status, (Data, const char*)) \
  X(get_data, Status, (Data, std::size_t*, char*)) \
  X(get_data_name, Status, (Data, std::size_t*, char*)) \
  X(create_data_set, Status, (DataSet*)) \
  X(destroy_data_set, Status, (DataSet)) \
  X(data_set_add, Status, (DataSet, Data)) \
  X(action_data_count, Status, (DataSet, int, std::size_t*)) \
  X(action_data_get_data, Status, (DataSet, int, std::size_t, Data*)) \
  X(create_action_info, Status, (ActionInfo*)) \
  X(destroy_action_info, Status, (ActionInfo)) \
  X(action_info_set_isa_name, Status, (ActionInfo, const char*)) \
  X(action_info_set_language, Status, (ActionInfo, int)) \
  X(action_info_set_option_list, Status, (ActionInfo, const char**, std::size_t)) \
  X(action_info_set_logging, Status, (ActionInfo, bool)) \
  X(do_action, Status, (int, ActionInfo, DataSet, DataSet))
// clang-format on

}  // namespace amdcompat::comgr
