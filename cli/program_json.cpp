// The neutral model as JSON: every fact of a Program, one object a file.
#include <unordered_map>

#include <nlohmann/json.hpp>

#include <json_text.hpp>
#include <metadata_json.hpp>

#include "common.hpp"

namespace amdcompat::cli {

namespace {

using Json = nlohmann::ordered_json;

struct KindJson {
  Json operator()(const ByValue& v) const {
    return {{"kind", "value"}, {"type", scalar_name(v.type)}, {"elements", v.elements}};
  }
  Json pointer(const PointerInfo& p, const char* kind) const {
    Json out{{"kind", kind},
             {"pointee", p.pointee_name.empty() ? scalar_name(p.pointee) : std::string_view(p.pointee_name)},
             {"memory", memory_kind_name(p.memory)},
             {"buffer", p.buffer},
             {"align", p.align}};
    if (p.access != Access::Unspecified) out["access"] = text::access_name(p.access);
    return out;
  }
  Json operator()(const GlobalPointer& p) const { return pointer(p, "global_pointer"); }
  Json operator()(const LocalPointer& p) const { return pointer(p, "local_pointer"); }
  Json operator()(const ConstantPointer& p) const { return pointer(p, "constant_pointer"); }
  Json operator()(const RegionPointer& p) const { return pointer(p, "region_pointer"); }
  Json operator()(const PrivatePointer& p) const { return pointer(p, "private_pointer"); }
  Json operator()(const Image& i) const {
    return {
        {"kind", "image"}, {"dimension", image_dim_name(i.dim)}, {"access", text::access_name(i.access)}, {"id", i.id}};
  }
  Json operator()(const Sampler& s) const { return {{"kind", "sampler"}, {"id", s.id}}; }
  Json operator()(const Counter& c) const { return {{"kind", "counter"}, {"bits", c.bits}, {"id", c.id}}; }
  Json operator()(const Semaphore& s) const { return {{"kind", "semaphore"}, {"id", s.id}}; }
  Json operator()(const Queue& q) const { return {{"kind", "queue"}, {"memory", memory_kind_name(q.memory)}}; }
  Json operator()(const Pipe& p) const {
    return {{"kind", "pipe"}, {"align", p.align}, {"access", text::access_name(p.access)}};
  }
  Json operator()(const Hidden& h) const { return {{"kind", "hidden"}, {"what", hidden_kind_name(h.what)}}; }
};

Json kernel_json(const Kernel& kernel) {
  Json out{{"name", kernel.name},
           {"block", kernel.block},
           {"device", kernel.device},
           {"unit", kernel.unit},
           {"metadata_version", kernel.metadata_version},
           {"unique_id", kernel.unique_id},
           {"address_bits", static_cast<unsigned>(kernel.address_bits)},
           {"complete", kernel.complete}};
  Json& arguments = out["arguments"] = Json::array();
  for (const Argument& argument : kernel.arguments) {
    Json entry{{"name", argument.name}, {"type_name", argument.type_name}};
    const ArgumentBlockSlot* const block = argument.in_block();
    const ConstantBufferSlot* const declared = block != nullptr ? &block->declared : argument.in_constant_buffer();
    if (declared != nullptr) entry.update({{"constant_buffer", declared->buffer}, {"offset", declared->offset}});
    entry.update(std::visit(KindJson{}, argument.kind));
    if (block != nullptr && block->align != 0) {
      entry["kernarg"] = {{"offset", block->offset}, {"size", block->size}, {"align", block->align}};
      if (block->by_reference) entry["kernarg"]["by_reference"] = true;
    }
    if (const KernargSlot* const slot = argument.in_kernarg())
      entry["kernarg"] = {{"offset", slot->offset}, {"size", slot->size}};
    if (argument.is_const) entry["const"] = true;
    if (argument.is_volatile) entry["volatile"] = true;
    if (argument.is_restrict) entry["restrict"] = true;
    arguments.push_back(std::move(entry));
  }
  Json& samplers = out["samplers"] = Json::array();
  for (const ConstantSampler& s : kernel.samplers)
    samplers.push_back({{"name", s.name}, {"id", s.id}, {"value", s.value}});
  const Segments& s = kernel.segments;
  out["segments"] = {{"private", s.emulated_private}, {"hwprivate", s.hardware_private}, {"uavprivate", s.uav_private},
                     {"local", s.emulated_local},     {"hwlocal", s.hardware_local},     {"region", s.emulated_region},
                     {"hwregion", s.hardware_region}};
  const auto size = [&out](const char* name, const std::array<std::uint32_t, 3>& value) {
    if (value != std::array<std::uint32_t, 3>{}) out[name] = value;
  };
  size("required_group_size", kernel.limits.required_group_size);
  size("group_size_hint", kernel.limits.group_size_hint);
  size("required_region_size", kernel.limits.required_region_size);
  out["max_flat_group_size"] = max_flat_group_size(kernel);
  if (kernel.limits.one_wavefront) out["one_wavefront"] = true;
  if (!kernel.limits.vector_type_hint.empty()) out["vector_type_hint"] = kernel.limits.vector_type_hint;
  const auto optional = [&out](const char* name, const std::optional<std::uint32_t>& value) {
    if (value) out[name] = *value;
  };
  optional("waves_per_simd_hint", kernel.limits.waves_per_simd_hint);
  const ResourceIds ids = resource_ids(kernel);
  optional("uavid", ids.raw_uav);
  optional("effective_raw_uav", effective_raw_uav(kernel));
  optional("cbid", ids.constants);
  optional("printfid", ids.printf);
  optional("privateid", ids.priv);
  optional("kernel_index", kernel.kernel_index);
  out["flags"] = {{"printf", kernel.uses_printf},
                  {"data_segment", kernel.needs_data_segment},
                  {"compiler_write", kernel.compiler_write},
                  {"images", kernel.uses_images},
                  {"image_writes", kernel.writes_images},
                  {"device_enqueue", kernel.device_enqueue}};
  if (const ArgumentBlockLaunch* const facts = kernel.argument_block()) {
    Json& cl2 = out["cl2"] = {{"generation", facts->nested ? "nested" : "separate"},
                              {"argument_bytes", facts->argument_bytes},
                              {"hidden_arguments", facts->hidden_arguments}};
    if (const KernelCode* const setup = setup_of(kernel))
      for (const cl2::KernelCodeField& field : cl2::kernel_code_fields(*setup))
        if (field.size <= 8) cl2["setup"][std::string(field.name)] = field.value;
  }
  if (kernel.registers.known)
    out["registers"] = {{"vgprs", kernel.registers.vgprs},
                        {"sgprs", kernel.registers.sgprs},
                        {"scratch_bytes", kernel.registers.scratch_bytes},
                        {"lds_bytes", kernel.registers.lds_bytes},
                        {"wavefront_size", kernel.registers.wavefront_size}};
  return out;
}

std::string hex(const std::vector<std::byte>& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const std::byte b : bytes) {
    out += kDigits[std::to_integer<unsigned>(b) >> 4];
    out += kDigits[std::to_integer<unsigned>(b) & 15];
  }
  return out;
}

// Standard output in large pieces.
class Output {
 public:
  ~Output() { flush(); }
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void put(std::string_view piece) {
    waiting_ += piece;
    if (waiting_.size() >= kPiece) flush();
  }
  bool flush() {
    good_ = good_ && write_stdout(waiting_);
    waiting_.clear();
    return good_;
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::string waiting_;
  bool good_ = true;
};

// By the kernel's name; of several of one name, the last in the place of the first.
void put_descriptors(migrate::JsonText& out, const hsa::CodeObject& object) {
  std::unordered_map<std::string_view, const hsa::CodeKernel*> last;
  for (const hsa::CodeKernel& kernel : object.kernels)
    if (kernel.descriptor) last[kernel.name] = &kernel;
  out.open("descriptors", '{');
  for (const hsa::CodeKernel& kernel : object.kernels) {
    const auto found = kernel.descriptor ? last.find(kernel.name) : last.end();
    if (found == last.end()) continue;
    const auto bytes = hsa::write_descriptor(*found->second->descriptor);
    out.member(kernel.name, hex({bytes.begin(), bytes.end()}));
    last.erase(found);
  }
  out.close();
}

}  // namespace

bool print_program_json(const std::string& name, const File& file) {
  const Program& program = file.program;
  Output output;
  migrate::JsonText out([&output](std::string_view piece) { output.put(piece); });
  out.open('{');
  out.member("file", name);
  out.member("kind", kind_name(file.kind));
  out.member("device", program.device);
  out.member("driver", program.driver);
  out.member("compile_options", program.compile_options);
  out.open("kernels", '[');
  for (const Kernel& kernel : program.kernels) out.element(kernel_json(kernel));
  out.close();
  out.open("data", '[');
  for (const DataSegment& segment : program.data) {
    Json entry;
    if (segment.constant_buffer) entry["constant_buffer"] = *segment.constant_buffer;
    if (!segment.section.empty()) entry["section"] = segment.section;
    if (segment.zero_bytes != 0) entry["zero_bytes"] = segment.zero_bytes;
    entry["size"] = segment.bytes.size();
    entry["bytes"] = hex(segment.bytes);
    out.element(entry);
  }
  out.close();
  // Only CL2 containers can have them; other files keep the form they had.
  if (!program.samplers.empty()) {
    out.open("samplers", '[');
    for (const SamplerObject& sampler : program.samplers)
      out.element({{"name", sampler.name},
                   {"section", sampler.section},
                   {"offset", sampler.offset},
                   {"normalized", sampler.normalized},
                   {"linear", sampler.linear},
                   {"addressing", sampler.addressing}});
    out.close();
  }
  out.open("printf", '[');
  for (const PrintfFormat& format : program.printf)
    out.element({{"id", format.id}, {"unit", format.unit}, {"sizes", format.sizes}, {"format", format.format}});
  out.close();
  if (file.object()) {
    const hsa::CodeObject& object = *file.object();
    out.open("code_object", '{');
    out.member("version", hsa::version_info(object.version).name);
    if (object.target != nullptr)
      if (const auto id = hsa::target_id(*object.target, object.version, object.features)) out.member("target", *id);
    migrate::put_metadata_json(out, "metadata", object.metadata);
    put_descriptors(out, object);
    out.close();
  }
  out.close();
  output.put("\n");
  return output.flush();
}

}  // namespace amdcompat::cli
