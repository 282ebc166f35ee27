#include "cache.hpp"

#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

namespace amdcompat::lift {
namespace {

std::size_t hash_of(std::span<const std::byte> code, std::string_view name) {
  const std::hash<std::string_view> hash;
  return hash({reinterpret_cast<const char*>(code.data()), code.size()}) ^ hash(name);
}

// Whether code may ask where it is, as constants behind the code of an assembler are reached. A literal may look like
// it. [SIA, VIA: SOP1, S_GETPC_B64]
bool may_ask_where_it_is(std::span<const std::byte> code) {
  for (std::size_t at = 0; at + 4 <= code.size(); at += 4) {
    u32 word = 0;
    std::memcpy(&word, code.data() + at, sizeof word);
    const u32 opcode = word >> 8 & 0xff;
    if (word >> 23 == 0x17d && (opcode == 0x1f || opcode == 0x1c)) return true;
  }
  return false;
}
// Whether it may go on outside of its own bytes, as it calls functions. [SIA, VIA: SOP1, S_SETPC_B64, S_SWAPPC_B64;
// VEGA: S_CALL_B64]
bool may_call(std::span<const std::byte> code) {
  for (std::size_t at = 0; at + 4 <= code.size(); at += 4) {
    u32 word = 0;
    std::memcpy(&word, code.data() + at, sizeof word);
    const u32 opcode = word >> 8 & 0xff;
    if (word >> 23 == 0x17d && (opcode >= 0x1d && opcode <= 0x21 && opcode != 0x1f)) return true;
    if (word >> 23 == 0x175) return true;
  }
  return false;
}

bool same(const CachedKernels::Question& a, const CachedKernels::Question& b) {
  return a.form == b.form && a.exact == b.exact && a.annotate == b.annotate && a.code == b.code &&
         a.kernel == b.kernel && (a.program == b.program || *a.program == *b.program);
}

std::size_t bytes_of(const Program& program) {
  std::size_t bytes = sizeof program;
  for (const DataSegment& data : program.data) bytes += sizeof data + data.bytes.size();
  for (const CodeSection& section : program.code.sections) bytes += sizeof section + section.bytes.size();
  for (const PrintfFormat& format : program.printf)
    bytes += sizeof format + format.format.size() + format.sizes.size() * sizeof(std::uint32_t);
  return bytes + program.samplers.size() * sizeof(SamplerObject) + program.code.symbols.size() * sizeof(CodeSymbol) +
         program.code.relocations.size() * sizeof(CodeRelocation);
}

}  // namespace

Kernel without_place(const Kernel& kernel) {
  Kernel out = kernel;
  out.block.clear();
  out.device.clear();
  out.unit = 0;
  out.metadata_version = {};
  out.unique_id = 0;
  out.kernel_index.reset();
  out.where = {};
  for (Argument& argument : out.arguments) argument.where = {};
  if (auto* const launch = std::get_if<ArgumentBlockLaunch>(&out.launch)) launch->setup_bytes = launch->code = {};
  if (auto* const state = std::get_if<cl1::CalState>(&out.entry)) state->where = {};
  return out;
}

bool CachedKernels::can_hold(const Program& program, const Kernel& kernel) {
  const std::span<const std::byte> code = kernel_code(program, kernel);
  return !may_call(code) && (program.family != Family::Cl1 || !may_ask_where_it_is(code));
}

std::shared_ptr<const Program> CachedKernels::without_code(const Program& program) {
  auto out = std::make_shared<Program>();
  out->family = program.family;
  out->xnack = program.xnack;
  out->target = program.target;
  out->data = program.data;
  for (DataSegment& data : out->data) data.where = {};
  out->samplers = program.samplers;
  out->printf = program.printf;
  for (PrintfFormat& format : out->printf) {
    format.unit = 0;
    format.where = {};
  }
  if (program.family == Family::Cl1) {
    // Code of OpenCL 1.x is loaded by itself, and reads no section unless it asks where it is: see `can_hold`.
    out->code.sections.emplace_back().executable = true;
    return out;
  }
  out->code.symbols = program.code.symbols;
  out->code.relocations = program.code.relocations;
  for (const CodeSection& section : program.code.sections)
    if (section.executable)
      out->code.sections.push_back({.name = section.name,
                                    .address = section.address,
                                    .bytes = {},
                                    .zero_bytes = section.size(),
                                    .align = section.align,
                                    .writable = section.writable,
                                    .executable = true});
    else
      out->code.sections.push_back(section);
  return out;
}

CachedKernels::Question CachedKernels::question(const Program& program, const Kernel& kernel, const Options& options,
                                                std::shared_ptr<const Program> shared) {
  const std::span<const std::byte> code = kernel_code(program, kernel);
  Question out{.program = std::move(shared),
               .kernel = without_place(kernel),
               .code = {code.begin(), code.end()},
               .form = options.form,
               .exact = options.exact,
               .annotate = options.annotate,
               .hash = hash_of(code, kernel.name)};
  if (program.family == Family::Cl1 && out.kernel.code) out.kernel.code->section = 0;
  return out;
}

std::shared_ptr<const CachedKernels::Answer> CachedKernels::find(Question& question) {
  const std::scoped_lock lock(mutex_);
  for (Entries* const entries : {&recent_, &old_}) {
    for (auto [at, end] = entries->equal_range(question.hash); at != end; ++at) {
      if (!same(at->second.question, question)) continue;
      question.program = at->second.question.program;  // whose bytes need not be compared for the next kernel
      auto answer = at->second.answer;
      if (entries == &old_) {
        Entry entry = std::move(at->second);
        old_bytes_ -= entry.bytes;
        old_.erase(at);
        keep(std::move(entry));
      }
      return answer;
    }
  }
  return nullptr;
}

void CachedKernels::add(const Question& question, std::shared_ptr<const Answer> answer) {
  const Lifted& lifted = answer->lifted;
  std::size_t bytes = sizeof(Entry) + sizeof(Answer) + lifted.text.kernel.size() + question.code.size() +
                      question.kernel.arguments.size() * sizeof(Argument);
  // Of kernels that share a program the first one counts it.
  if (question.program.use_count() <= 2) bytes += bytes_of(*question.program);
  const std::scoped_lock lock(mutex_);
  keep({question, std::move(answer), bytes});
}

CachedKernels::Claim::Claim(CachedKernels& kernels, const Question& question)
    : kernels_(kernels), hash_(question.hash) {
  const std::scoped_lock lock(kernels_.mutex_);
  mine_ = kernels_.claimed_.insert(hash_).second;
}

CachedKernels::Claim::~Claim() {
  if (!mine_) return;
  const std::scoped_lock lock(kernels_.mutex_);
  kernels_.claimed_.erase(hash_);
}

void CachedKernels::keep(Entry entry) {
  if (entry.bytes > most_ / 2) return;
  if (recent_bytes_ + entry.bytes > most_ / 2) {
    old_ = std::exchange(recent_, {});
    old_bytes_ = std::exchange(recent_bytes_, 0);
  }
  recent_bytes_ += entry.bytes;
  const std::size_t hash = entry.question.hash;
  recent_.emplace(hash, std::move(entry));
}

std::size_t CachedKernels::size() const {
  const std::scoped_lock lock(mutex_);
  return recent_bytes_ + old_bytes_;
}

Cache::Cache(std::size_t most_bytes) : kernels_(std::make_unique<CachedKernels>(most_bytes)) {}
Cache::~Cache() = default;
std::size_t Cache::size() const { return kernels_->size(); }

}  // namespace amdcompat::lift
