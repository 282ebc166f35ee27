// Writes a launch file to fill in.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <amdcompat/device.hpp>

#include "launch_file.hpp"

namespace amdcompat::cli {

namespace {

using Json = nlohmann::ordered_json;

// Made-up addresses, 64 KiB apart.
class Places {
 public:
  std::string operator()() { return fmt::format("{:#x}", std::exchange(next_, next_ + 0x1'0000)); }

 private:
  std::uint64_t next_ = 0x10'0000;
};

Json with_sizes(const Kernel& kernel) {
  Json out{{"kernel", kernel.name}};
  const auto& required = kernel.limits.required_group_size;
  const bool fixed = std::ranges::any_of(required, [](std::uint32_t n) { return n != 0; });
  std::size_t dimensions = 1;
  for (std::size_t d = 1; fixed && d < 3; ++d)
    if (required[d] > 1) dimensions = d + 1;
  Json global = Json::array(), local = Json::array(), offset = Json::array();
  for (std::size_t d = 0; d < dimensions; ++d) {
    const std::uint32_t size = fixed ? std::max(required[d], 1u) : std::min(64u, max_flat_group_size(kernel));
    local.push_back(size);
    global.push_back(std::uint64_t{size} * (d == 0 ? 4 : 1));
    offset.push_back(0);
  }
  out["dim"] = dimensions;
  out["global"] = std::move(global);
  out["local"] = std::move(local);
  out["offset"] = std::move(offset);
  return out;
}

std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

// What CL1 kernels need besides arguments, and kernels that were converted from them.
void put_data(Json& out, bool wants_segment, std::span<const DataSegment> data, Places& place) {
  const bool global_data = std::ranges::any_of(data, [](const DataSegment& s) { return !s.constant_buffer; });
  if (wants_segment && global_data) out["data_segment"] = place();
  Json constants = Json::object();
  for (const DataSegment& segment : data)
    if (segment.constant_buffer) constants[std::to_string(*segment.constant_buffer)] = place();
  if (!constants.empty()) out["constant_data"] = std::move(constants);
}

Json some_image(ImageDim dim) {
  const bool line = dim == ImageDim::D1 || dim == ImageDim::D1Array || dim == ImageDim::D1Buffer;
  return {{"width", 64},
          {"height", line ? 1 : 64},
          {"depth", dim == ImageDim::D3 ? 4 : 1},
          {"order", "0x10b5"},
          {"type", "0x10d2"}};
}

std::string kernarg_template(const Kernel& kernel) {
  // Objects of images and samplers are made for the targets whose descriptors are known (kernarg_launch.hpp).
  const Target* const target = find_target(kernel.device);
  const bool describes = target != nullptr && target->generation && abi::image_form(*target->generation);
  Json out = with_sizes(kernel);
  Places place;
  Json& arguments = out["arguments"] = Json::array();
  Json environment{{"memory", place()}, {"kernel_object", place()}};
  Json trailing = Json::object();
  for (const Argument& argument : kernel.arguments) {
    if (const auto* hidden = std::get_if<Hidden>(&argument.kind)) {
      struct Row {
        HiddenKind kind;
        const char* key;
      };
      static constexpr Row kAddresses[] = {{HiddenKind::PrintfBuffer, "printf_buffer"},
                                           {HiddenKind::HostcallBuffer, "hostcall_buffer"},
                                           {HiddenKind::DefaultQueue, "default_queue"},
                                           {HiddenKind::CompletionAction, "completion_action"},
                                           {HiddenKind::MultigridSyncArg, "multigrid_sync"},
                                           {HiddenKind::HeapV1, "heap"},
                                           {HiddenKind::QueuePtr, "queue"}};
      const auto row = std::ranges::find(kAddresses, hidden->what, &Row::kind);
      if (row != std::end(kAddresses)) environment[row->key] = place();
      if (hidden->what == HiddenKind::SharedBase) environment["local_aperture"] = "0x1000";
      if (hidden->what == HiddenKind::PrivateBase) environment["scratch_aperture"] = "0x2000";
      continue;
    }
    const bool own = std::holds_alternative<ByValue>(argument.kind) ||
                     std::holds_alternative<GlobalPointer>(argument.kind) ||
                     std::holds_alternative<ConstantPointer>(argument.kind);
    if (const auto found = own ? abi::trailing_argument(argument.name) : std::nullopt) {
      if (found->kind == abi::TrailingKind::Printf)
        trailing["printf"] = {{"address", place()}, {"dwords_per_item", 256}};
      if (found->kind == abi::TrailingKind::Data) trailing["data_segment"] = place();
      if (found->kind == abi::TrailingKind::Constants)
        trailing["constant_data"][std::to_string(found->number)] = place();
      continue;
    }
    Json entry{{"name", argument.name}};
    if (!argument.type_name.empty()) entry["type"] = argument.type_name;
    const KernargSlot* const slot = argument.in_kernarg();
    if (std::holds_alternative<ByValue>(argument.kind)) {
      entry["bytes"] = std::string(slot == nullptr ? 0 : 2 * std::min<std::uint64_t>(slot->size, 1u << 20), '0');
    } else if (std::holds_alternative<LocalPointer>(argument.kind)) {
      entry["local"] = 1024;
    } else if (const auto* image = std::get_if<Image>(&argument.kind);
               describes && image != nullptr && image->dim != ImageDim::D1Buffer) {
      entry["image"] = some_image(image->dim);
      entry["image"]["address"] = place();
    } else if (describes && std::holds_alternative<Sampler>(argument.kind)) {
      entry["sampler"] = "0x10";
    } else {
      entry["buffer"] = place();
      if (std::holds_alternative<GlobalPointer>(argument.kind) ||
          std::holds_alternative<ConstantPointer>(argument.kind))
        entry["size"] = 0x1'0000;
    }
    arguments.push_back(std::move(entry));
  }
  out.update(trailing);
  out["hsa"] = std::move(environment);
  return text_of(out);
}

}  // namespace

std::string launch_template(const Kernel& kernel, std::span<const DataSegment> data) {
  if (kernel.kernarg() != nullptr) return kernarg_template(kernel);
  Json out = with_sizes(kernel);
  const ArgumentBlockLaunch* const facts = kernel.argument_block();
  if (facts == nullptr) out["profile"] = "amd";

  Places place;
  Json& arguments = out["arguments"] = Json::array();
  const std::size_t hidden = facts != nullptr ? facts->hidden_arguments : 0;
  for (std::size_t i = hidden; i < kernel.arguments.size(); ++i) {
    const Argument& argument = kernel.arguments[i];
    Json entry{{"name", argument.name}};
    if (!argument.type_name.empty()) entry["type"] = argument.type_name;
    struct Filler {
      Json& entry;
      Places& place;
      const ArgumentBlockSlot* kernarg;  // CL2 only
      void buffer() const {
        entry["buffer"] = place();
        if (!kernarg) entry["base"] = "0x0";
        entry["size"] = 0x1'0000;
      }
      void handle() const {
        if (kernarg)
          entry["buffer"] = place();
        else
          entry["null"] = true;
      }
      void operator()(const ByValue& v) const {
        const std::size_t half = kernarg && v.type == ScalarType::Half ? static_cast<std::size_t>(kernarg->size) : 0;
        entry["bytes"] = std::string(2 * (half != 0 ? half : abi::host_bytes(v).value_or(0)), '0');
      }
      void operator()(const GlobalPointer&) const { buffer(); }
      void operator()(const ConstantPointer&) const { buffer(); }
      void operator()(const LocalPointer&) const { entry["local"] = 1024; }
      void operator()(const RegionPointer&) const { entry["null"] = true; }
      void operator()(const PrivatePointer&) const { entry["null"] = true; }
      void operator()(const Image& image) const {
        if (kernarg && image.dim == ImageDim::D1Buffer) return handle();
        entry["image"] = some_image(image.dim);
        if (kernarg) entry["image"]["address"] = place();
      }
      void operator()(const Sampler&) const { entry["sampler"] = "0x10"; }
      void operator()(const Counter&) const { entry["buffer"] = place(); }
      void operator()(const Semaphore&) const { handle(); }
      void operator()(const Queue&) const { handle(); }
      void operator()(const Pipe&) const { handle(); }
      void operator()(const Hidden&) const { entry["null"] = true; }
    };
    std::visit(Filler{entry, place, argument.in_block()}, argument.kind);
    arguments.push_back(std::move(entry));
  }
  if (facts != nullptr) {
    Json& cl2 = out["cl2"] = {{"memory", place()}, {"kernel_object", place()}};
    if (kernel.uses_printf) cl2["printf_buffer"] = place();
    if (kernel.device_enqueue) {
      cl2["default_queue"] = place();
      cl2["aql_wrap"] = place();
    }
    const std::uint16_t used = setup_of(kernel) != nullptr ? setup_of(kernel)->user_registers : 0;
    if ((used & kSgprQueuePtr) != 0) cl2["queue"] = place();
    if (kernel.segments.private_bytes() != 0) {
      cl2["scratch"] = place();
      cl2["scratch_bytes"] = 0x1'0000;
    }
    return text_of(out);
  }
  if (kernel.uses_printf) out["printf"] = {{"address", place()}, {"dwords_per_item", 256}};
  put_data(out, kernel.needs_data_segment, data, place);
  return text_of(out);
}

}  // namespace amdcompat::cli
