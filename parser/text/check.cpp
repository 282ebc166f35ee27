// Findings that need more than one line of a text.
#include <algorithm>
#include <charconv>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "directives.hpp"
#include "spellings.hpp"

namespace amdcompat::text {

namespace {

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

// Bytes of constant buffer the compiler reserves for a value: whole slots of 16 bytes. Lanes under 32 bits take
// one slot for four of them; wider types are truncated to whole slots, which is why a 64-bit vector of three
// has only one. [BE AMDILKernelManager.cpp; BIN alltypes]
std::uint64_t value_bytes(const ValueArg& value) {
  const std::uint64_t width = scalar_size(value.type);
  if (value.type == ScalarType::Struct || value.type == ScalarType::Union)
    return std::max<std::uint64_t>(align_up(value.elements, 16), 16);
  if (width < 4) return std::max<std::uint64_t>(1, value.elements / 4) * 16;
  return std::max<std::uint64_t>(1, value.elements * width / 16) * 16;
}

bool is_vec3_of_64(const ValueArg& value) { return value.elements == 3 && scalar_size(value.type) == 8; }

constexpr std::uint32_t kSlot = 16;                     // bytes; [SPEC «Dynamic Locations»]
constexpr std::uint32_t kConstantBufferBytes = 0x10000; // 4096 vectors
// [BE AMDIL.h]
constexpr std::uint32_t kSamplers = 16, kCounters = 8, kSemaphores = 16, kReadImages = 128, kWriteImages = 8;
constexpr std::uint32_t kUavs = 1024;  // [RT gpudefs.hpp MaxUavArguments]

DiagnosticScope in_block(const Block& block, Diagnostics& diagnostics) {
  return {diagnostics, {.block = block.name, .kernel = kernel_name(block.name).value_or("")}};
}

struct ArgumentRef {
  std::string_view name;
  std::uint32_t cb = 0;
  std::uint64_t begin = 0, end = 0;  // bytes in the constant buffer
  bool vec3_of_64 = false;
  bool is_value = false;
  SourceRange where;  // the directive
  std::string_view body;  // its text
  std::size_t offset_field = 0;  // number of the field
};

class BlockCheck {
 public:
  BlockCheck(const Document& document, const Block& block, const ReadOptions& options, Diagnostics& diagnostics)
      : document_(document), block_(block), options_(options), diagnostics_(diagnostics) {}

  void run() {
    const DiagnosticScope scope = in_block(block_, diagnostics_);
    is_kernel_ = kernel_name(block_.name).has_value();
    const auto directives = document_.directives(block_);
    // Indices refer to arguments anywhere in the block; count them first.
    for (const Element& element : directives) argument_total_ += is_argument(block_.dialect, element.directive);
    for (const Element& element : directives) {
      where_ = {element.body, element.length};
      body_ = document_.body(element);
      std::visit(*this, element.directive);
    }
    if (block_.closed) {
      if (is_kernel_ && !has_version_)
        report_block(Code::MissingVersion,
                     "a kernel without version: AMD's runtime reads no access and qualifier fields");
      if (!unique_id_) report_block(Code::MissingUniqueId, "a function without uniqueid");
    }
    arguments();
    groups();
  }

  void operator()(const Unknown&) {}
  void operator()(const Malformed&) {}

  void operator()(const Version& version) {
    once(Keyword::Version);
    if (version.major < 1 || version.major > 3)
      report_field(1, Code::UnknownVersion,
                   fmt::format("version {}.{}.{}: compilers wrote majors 1 to 3", version.major, version.minor,
                               version.revision));
    if (pointers_ != 0 && !has_version_)
      report(Code::LateVersion,
             fmt::format("version after {} pointer(s): AMD's runtime read them as version 0.0.0", pointers_));
    has_version_ = true;
    version_ = version;
  }
  void operator()(const DeviceName&) { once(Keyword::Device); }
  void operator()(const VectorTypeHint&) { once(Keyword::Vth); }
  void operator()(const LimitGroupSize&) {
    once(Keyword::LimitGroupSize);
    one_wavefront_ = where_;
  }
  void operator()(const Number& number) {
    once(find_keyword(number_key_name(number.key)));
    if (number.key == NumberKey::UavId && block_.dialect == Dialect::Amdil && number.value >= kUavs)
      report_field(1, Code::IdOverLimit, fmt::format("uavid {}; AMD's runtime has room for {}", number.value, kUavs));
    if (number.key == NumberKey::UniqueId) unique_id_ = number.value;
    if (number.key == NumberKey::Lws) {
      lws_ = number.value;
      if (number.value == 0) report_field(1, Code::ZeroGroupSize, "a largest work-group size of 0");
    }
    if (block_.dialect == Dialect::Amdil &&
        (number.key == NumberKey::EnqueueKernel || number.key == NumberKey::KernelIndex))
      report(Code::DialectMismatch, fmt::format("{} belongs to the HSAIL dialect", number_key_name(number.key)));
  }
  void operator()(const MemorySize& size) {
    const auto bit = 1u << static_cast<unsigned>(size.space);
    if ((spaces_ & bit) != 0)
      report(Code::RepeatedMemory,
             fmt::format("memory:{} stands twice; the last one counts", memory_space_name(size.space)));
    spaces_ |= bit;
  }
  void operator()(const MemoryFlagged& flag) {
    const auto bit = 1u << static_cast<unsigned>(flag.flag);
    if ((flags_ & bit) != 0)
      report(Code::RepeatedDirective, fmt::format("memory:{} stands twice", memory_flag_name(flag.flag)));
    flags_ |= bit;
  }
  void operator()(const GroupSize& size) {
    once(find_keyword(group_key_name(size.key)));
    if (size.key == GroupKey::Cws) {
      if (size.x == 0 || size.y == 0 || size.z == 0)
        report(Code::ZeroGroupSize, fmt::format("cws {}x{}x{}", size.x, size.y, size.z));
      cws_ = size;
      cws_where_ = where_;
    }
  }
  void operator()(const IdList& list) {
    if (list.count != list.stored)
      report_field(1, Code::ListCount, fmt::format("{} ids announced, {} given", list.count, list.stored));
  }
  void operator()(const Message& message) {
    if (message.text.size() > 32)
      report(Code::LongMessage,
             fmt::format("a message of {} characters; the specification allows 32", message.text.size()));
    const std::string_view text = message.text.substr(0, 200);
    if (message.key == MessageKey::Error)
      report(Code::CompilerError, fmt::format("the compiler recorded: {}", text));
    else
      report(Code::CompilerWarning, fmt::format("the compiler recorded: {}", text));
  }
  void operator()(const ConstArg& arg) {
    if (index("constarg", arg.index) && arg.name != arguments_[arg.index].name)
      report_field(2, Code::ConstArgName,
                   fmt::format("constarg {} names '{}', but argument {} is '{}'", arg.index, arg.name, arg.index,
                               arguments_[arg.index].name));
  }
  void operator()(const Reflection& reflection) {
    if (reflection.type.empty())
      report(Code::MissingField, "reflection: expected the type in the source, found nothing");
    index("reflection", reflection.index);
  }

  void operator()(const ValueArg& value) {
    const bool blob = value.type == ScalarType::Struct || value.type == ScalarType::Union;
    if (blob ? value.elements == 0 : !is_vector_size(value.elements))
      report_field(3, Code::ElementCount,
                   blob ? "a struct of 0 bytes"
                        : fmt::format("{} elements; vectors have 1, 2, 3, 4, 8 or 16", value.elements));
    switch (value.type) {
      case ScalarType::I1:
      case ScalarType::Half:
      case ScalarType::Event:
      case ScalarType::Unsized:
      case ScalarType::Sampler:
      case ScalarType::Other:
        report_field(2, Code::UnsupportedValueType,
                     fmt::format("a value of type {}: AMD's runtime cannot pass it", scalar_name(value.type)));
        break;
      default: break;
    }
    add(4, value.name, value.cb, value.offset, value.offset + value_bytes(value), is_vec3_of_64(value), true);
  }

  void operator()(const PointerArg& pointer) {
    if (pointer.elements != 1)
      report_field(3, Code::ElementCount, fmt::format("a pointer of {} elements; expected 1", pointer.elements));
    if (pointer.type == ScalarType::Other)
      report_field(2, Code::UnknownSpelling,
                   fmt::format("a pointer to elements of an unknown type '{}'", pointer.type_text.substr(0, 200)));
    if (pointer.align && *pointer.align != usable_alignment(*pointer.align))
      report_field(8, Code::AlignmentNotPowerOfTwo,
                   fmt::format("an alignment of {} bytes; {} is used where a power of two is needed", *pointer.align,
                               usable_alignment(*pointer.align)));
    if (block_.dialect == Dialect::Amdil) {
      gates(pointer);
      runtime_buffer(pointer);
    }
    ++pointers_;
    add(4, pointer.name, pointer.cb, pointer.offset, std::uint64_t{pointer.offset} + kSlot);
  }

  void operator()(const ImageArg& image) {
    const bool reads = image.access == Access::ReadOnly;
    const std::uint32_t limit = reads ? kReadImages : kWriteImages;
    if (image.id >= limit)
      report_field(4, Code::IdOverLimit,
                   fmt::format("image id {}; {} images have ids up to {}", image.id, reads ? "read-only" : "written",
                               limit - 1));
    if (block_.dialect == Dialect::Amdil && (image.dim == ImageDim::D2Depth || image.dim == ImageDim::D2ArrayDepth))
      report_field(2, Code::DialectMismatch, "depth images belong to the HSAIL dialect");
    add(5, image.name, image.cb, image.offset, std::uint64_t{image.offset} + 2 * kSlot);
  }
  void operator()(const SamplerDef& sampler) {
    if (sampler.id >= kSamplers)
      report_field(2, Code::IdOverLimit, fmt::format("sampler id {}; at most {}", sampler.id, kSamplers - 1));
    if (block_.dialect != Dialect::Amdil) {
      add(3, sampler.name, sampler.location, sampler.value, std::uint64_t{sampler.value} + kSlot);
      return;
    }
    if (sampler.location > 1)
      report_field(3, Code::ReadOnlyWritten,
                   fmt::format("sampler location {}; 0 is an argument, 1 is defined in the kernel", sampler.location));
    if (sampler.location != 0) return;
    if (sampler.value != 0)
      report_field(4, Code::ReadOnlyWritten,
                   fmt::format("an argument sampler with state {}; expected 0", sampler.value));
    const bool known =
        std::ranges::any_of(arguments_, [&](const ArgumentRef& a) { return a.is_value && a.name == sampler.name; });
    if (!known)
      report_field(1, Code::SamplerWithoutValue,
                   fmt::format("no value argument '{}' before its sampler line", sampler.name));
  }
  void operator()(const CounterArg& counter) {
    if (counter.id >= kCounters)
      report_field(3, Code::IdOverLimit, fmt::format("counter id {}; at most {}", counter.id, kCounters - 1));
    add(4, counter.name, counter.cb, counter.offset, std::uint64_t{counter.offset} + kSlot);
  }
  void operator()(const SemaphoreArg& semaphore) {
    if (semaphore.id >= kSemaphores)
      report_field(2, Code::IdOverLimit, fmt::format("semaphore id {}; at most {}", semaphore.id, kSemaphores - 1));
    add(3, semaphore.name, semaphore.cb, semaphore.offset, std::uint64_t{semaphore.offset} + kSlot);
  }
  void operator()(const QueueArg& queue) {
    if (block_.dialect == Dialect::Amdil) report(Code::DialectMismatch, "queue arguments belong to the HSAIL dialect");
    add(4, queue.name, queue.cb, queue.offset, std::uint64_t{queue.offset} + kSlot);
  }
  void operator()(const PrintfFmt& format) {
    if (format.id > options_.limits.printf_id)
      report_field(1, Code::PrintfIdTooLarge,
                   fmt::format("printf id {}; at most {}", format.id, options_.limits.printf_id));
    std::size_t at = 2;
    for (const std::uint32_t size : document_.ids(format.first, format.stored))
      // Strings have 0; double16 is the largest; a vector of three counts as four. [RT gpuprintf.cpp]
      if (++at; size > 128 || (size & (size - 1)) != 0) {
        report_field(at, Code::PrintfArgumentSize,
                     fmt::format("a printf argument of {} bytes; expected 0 or a power of two up to 128", size));
        break;
      }
  }

 private:
  static bool is_vector_size(std::uint32_t n) { return n == 1 || n == 2 || n == 3 || n == 4 || n == 8 || n == 16; }
  void report(Code code, std::string message) { diagnostics_.report(code, where_, std::move(message)); }
  // At field `n` of the line; the keyword is field 0.
  void report_field(std::size_t n, Code code, std::string message) {
    diagnostics_.report(code, field(n), std::move(message));
  }
  // Of the directive that is being looked at.
  [[nodiscard]] SourceRange field(std::size_t n) const {
    std::size_t begin = 0;
    for (; n != 0; --n) {
      const std::size_t colon = body_.find(':', begin);
      if (colon == std::string_view::npos) return where_;
      begin = colon + 1;
    }
    const std::size_t end = std::min(body_.find_first_of(":;", begin), body_.size());
    return {where_.begin + static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin)};
  }
  void report_argument(const ArgumentRef& argument, std::size_t n, Code code, std::string message) {
    where_ = argument.where;
    body_ = argument.body;
    report_field(n, code, std::move(message));
  }
  void report_block(Code code, std::string message) {
    diagnostics_.report(code, document_.elements[block_.first].where, std::move(message));
  }
  void once(Keyword keyword) {
    const auto bit = std::uint64_t{1} << static_cast<unsigned>(keyword);
    if ((seen_ & bit) != 0)
      report(Code::RepeatedDirective,
             fmt::format("{} stands twice; the last one counts", directive_info(keyword).keyword));
    seen_ |= bit;
  }
  // True when the index names an argument that stands before this line.
  bool index(std::string_view what, std::uint32_t at) {
    if (at < arguments_.size()) return true;
    if (at < argument_total_)
      report_field(1, Code::IndexBeforeArgument, fmt::format("{} {} stands before argument {}", what, at, at));
    else
      report_field(1, Code::IndexOutOfRange,
                   fmt::format("{} {}: the block has {} argument(s)", what, at, argument_total_));
    return false;
  }
  // `cb_field` is the field of the constant buffer number; the offset's follows it.
  void add(std::size_t cb_field, std::string_view name, std::uint32_t cb, std::uint64_t begin, std::uint64_t end,
           bool vec3_of_64 = false, bool is_value = false) {
    const ArgumentRef argument{name, cb, begin, end, vec3_of_64, is_value, where_, body_, cb_field + 1};
    if (arguments_.size() == options_.limits.arguments)
      report(Code::TooManyArguments, fmt::format("more than {} arguments", options_.limits.arguments));
    if (argument.cb != 1)
      report_field(cb_field, Code::ConstantBufferNumber, fmt::format("constant buffer {}; expected 1", argument.cb));
    if (argument.begin % kSlot != 0)
      report_field(cb_field + 1, Code::MisalignedArgument,
                   fmt::format("offset {} is no multiple of 16", argument.begin));
    if (argument.end > kConstantBufferBytes)
      report_field(
          cb_field + 1, Code::OffsetTooLarge,
          fmt::format("the argument ends at byte {}; a constant buffer has {}", argument.end, kConstantBufferBytes));
    arguments_.push_back(argument);
  }

  // AMD's runtime decides by the version read so far which fields follow. [RT gpukernel.cpp BufType]
  void gates(const PointerArg& pointer) {
    if (pointer.is_pipe) report_field(12, Code::DialectMismatch, "a pipe field belongs to the HSAIL dialect");
    const bool has_access = pointer.access != Access::Unspecified;
    if (pointer.memory == MemoryKind::Global) {
      if (pointer.align || has_access)
        report_field(8, Code::GlobalPointerFields, "a pointer of kind g: AMD's runtime reads only its buffer number");
      return;
    }
    if (!has_version_) return;  // reported once, as a missing or late version
    const auto version = fmt::format("{}.{}.{}", version_.major, version_.minor, version_.revision);
    if (has_access && version_ < kAccessSince)
      report_field(9, Code::FieldBeforeVersion,
                   fmt::format("an access qualifier in version {}; it came with 2.0.88", version));
    else if (!has_access && version_ >= kAccessSince)
      report(Code::FieldMissingForVersion, fmt::format("no access qualifier; version {} has one", version));
    if (pointer.is_volatile && version_ < kQualifiersSince)
      report_field(10, Code::FieldBeforeVersion,
                   fmt::format("volatile and restrict in version {}; they came with 3.1.103", version));
    else if (has_access && !pointer.is_volatile && version_ >= kQualifiersSince)
      report(Code::FieldMissingForVersion, fmt::format("no volatile and restrict; version {} has them", version));
  }

  // AMD's runtime knows eight kinds, and counts references of buffers in a table without looking at its size.
  // [RT gpukernel.cpp BufType, parseArguments uavRefCount]
  void runtime_buffer(const PointerArg& pointer) {
    switch (pointer.memory) {
      case MemoryKind::Global:
      case MemoryKind::Uav:
      case MemoryKind::Constant:
      case MemoryKind::EmulatedLocal:
      case MemoryKind::EmulatedPrivate:
        if (pointer.buffer >= kUavs)
          report_field(7, Code::IdOverLimit,
                       fmt::format("buffer number {}; AMD's runtime has room for {}", pointer.buffer, kUavs));
        break;
      case MemoryKind::HardwareLocal:
      case MemoryKind::HardwarePrivate:
      case MemoryKind::HardwareConstant: break;
      case MemoryKind::EmulatedRegion:
      case MemoryKind::HardwareRegion:
      case MemoryKind::UavPrivate:
      case MemoryKind::UavConstant:
      case MemoryKind::Flat:
        report_field(6, Code::MemoryKindRuntime,
                     fmt::format("memory kind {}: AMD's runtime takes the pointer for one to global memory",
                                 memory_kind_name(pointer.memory)));
    }
  }

  void arguments() {
    std::vector<std::uint32_t> order(arguments_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::uint32_t i) { return std::pair(arguments_[i].name, i); });
    for (std::size_t i = 1; i < order.size(); ++i) {
      const ArgumentRef& a = arguments_[order[i]];
      if (a.name != arguments_[order[i - 1]].name) continue;
      report_argument(a, 1, Code::DuplicateArgument, fmt::format("a second argument '{}'", a.name));
    }
    std::ranges::sort(order, {}, [&](std::uint32_t i) { return std::tuple(arguments_[i].cb, arguments_[i].begin, i); });
    std::size_t widest = 0;  // of the arguments so far in this buffer, the one that reaches furthest
    for (std::size_t i = 1; i < order.size(); ++i) {
      const ArgumentRef& a = arguments_[order[i]];
      const ArgumentRef& before = arguments_[order[widest]];
      if (before.cb == a.cb && a.begin < before.end)
        report_argument(a, a.offset_field, Code::OverlappingArguments,
                        fmt::format("'{}' at {} overlaps '{}' at {} to {}", a.name, a.begin, before.name, before.begin,
                                    before.end));
      else if (before.cb == a.cb && before.vec3_of_64 && a.begin < before.begin + 24)
        report_argument(a, a.offset_field, Code::SharedVec3Slot,
                        fmt::format("'{}' shares bytes with the third lane of '{}'", a.name, before.name));
      if (before.cb != a.cb || a.end > before.end) widest = i;
    }
  }

  void groups() {
    if (!cws_) return;
    const std::uint64_t product =
        std::uint64_t{cws_->x} * cws_->y > 0xffffffff ? 0xffffffffffull : std::uint64_t{cws_->x} * cws_->y * cws_->z;
    where_ = cws_where_;
    // AMD's runtime fails the build when cws exceeds one wavefront under limitgroupsize.
    if (one_wavefront_ && product > 64)
      report(Code::GroupSizeContradiction,
             fmt::format("cws of {} work-items with limitgroupsize (one wavefront of 64)", product));
    if (lws_ && product > *lws_)
      report(Code::GroupSizeContradiction, fmt::format("cws of {} work-items, lws allows {}", product, *lws_));
  }

  const Document& document_;
  const Block& block_;
  const ReadOptions& options_;
  Diagnostics& diagnostics_;
  SourceRange where_;         // the directive being looked at
  std::string_view body_;     // its text
  bool is_kernel_ = false;
  bool has_version_ = false;
  MetadataVersion version_;
  std::optional<std::uint32_t> unique_id_;
  std::optional<std::uint32_t> lws_;
  std::optional<GroupSize> cws_;
  SourceRange cws_where_;
  std::optional<SourceRange> one_wavefront_;
  std::uint64_t seen_ = 0;
  std::uint32_t spaces_ = 0, flags_ = 0;
  std::uint32_t pointers_ = 0;
  std::size_t argument_total_ = 0;
  std::vector<ArgumentRef> arguments_;
};

class DocumentCheck {
 public:
  DocumentCheck(const Document& document, const ReadOptions& options, Diagnostics& diagnostics)
      : document_(document), options_(options), diagnostics_(diagnostics) {}

  void run() {
    for (const Block& block : document_.blocks) BlockCheck(document_, block, options_, diagnostics_).run();
    functions();
    calls();
    printf_ids();
    std::unordered_set<std::uint64_t> seen;
    for (const Segment& segment : document_.segments) {
      if (!seen.insert(key(segment.unit, segment.constant_buffer.value_or(0))).second)
        diagnostics_.report(Code::DuplicateSegment, document_.elements[segment.first].where,
                            "a second data segment for the same buffer");
      data(segment);
    }
  }

 private:
  static std::uint64_t key(std::uint32_t unit, std::uint32_t id) { return (std::uint64_t{unit} << 32) | id; }

  // Scopes cost, and findings are rare.
  void report(const Block& block, Code code, SourceRange where, std::string message) {
    const DiagnosticScope scope = in_block(block, diagnostics_);
    diagnostics_.report(code, where, std::move(message));
  }

  void functions() {
    std::unordered_map<std::string_view, std::uint32_t> names;
    std::uint32_t unit = 0;
    for (std::uint32_t i = 0; i < document_.blocks.size(); ++i) {
      const Block& block = document_.blocks[i];
      if (block.unit != unit) names.clear();
      unit = block.unit;
      if (!names.try_emplace(block.name, i).second)
        report(block, Code::DuplicateBlock, document_.elements[block.first].where,
               fmt::format("a second block '{}'", block.name.substr(0, 200)));
      for (const Element& element : document_.directives(block)) {
        const auto* number = std::get_if<Number>(&element.directive);
        if (number == nullptr || number->key != NumberKey::UniqueId) continue;
        const auto [at, fresh] = blocks_by_id_.try_emplace(key(block.unit, number->value), i);
        if (!fresh && at->second != i)
          report(block, Code::DuplicateUniqueId, {element.body, element.length},
                 fmt::format("uniqueid {} belongs to '{}' already", number->value,
                             document_.blocks[at->second].name.substr(0, 200)));
      }
    }
  }

  void calls() {
    std::unordered_set<std::uint64_t> in_il;
    std::vector<bool> has_il(document_.units);
    for (const Function& function : document_.functions) {
      in_il.insert(key(function.unit, function.id));
      has_il[function.unit] = true;
    }
    const std::unordered_set<std::uint32_t> macros = macro_ids();
    const std::vector<CallTotals> totals = call_table(document_).totals;
    for (std::uint32_t i = 0; i < document_.blocks.size(); ++i) {
      const Block& block = document_.blocks[i];
      const SourceRange where = document_.elements[block.first].where;
      if (totals[i].cyclic)
        report(block, Code::CallCycle, where, "calls that lead back to themselves: no sum of memory exists");
      if (totals[i].too_large && !totals[i].cyclic)
        report(block, Code::SumTooLarge, where, "memory over the call graph exceeds 32 bits");
      for (const Element& element : document_.directives(block)) {
        const auto* list = std::get_if<IdList>(&element.directive);
        if (list == nullptr) continue;
        const SourceRange line{element.body, element.length};
        if (list->key == IdListKey::Intrinsic) {
          if (macros.empty() && !has_il[block.unit] && list->stored != 0)
            report(block, Code::IntrinsicsUnseen, line,
                   fmt::format("{} {} in the compiler's library, which is not here", list->stored,
                               list->stored == 1 ? "macro has its IL" : "macros have their IL"));
          for (const std::uint32_t id : document_.ids(list->first, list->stored))
            if ((!macros.empty() || has_il[block.unit]) && !macros.contains(id) && !in_il.contains(key(block.unit, id)))
              report(block, Code::UnknownCallee, line, fmt::format("intrinsic {} has no IL", id));
          continue;
        }
        for (const std::uint32_t id : document_.ids(list->first, list->stored)) {
          const auto callee = blocks_by_id_.find(key(block.unit, id));
          if (callee != blocks_by_id_.end() && callee->second == i)
            report(block, Code::SelfCall, line, fmt::format("function {} lists itself", id));
          else if (callee == blocks_by_id_.end() && has_il[block.unit] && !in_il.contains(key(block.unit, id)))
            report(block, Code::UnknownCallee, line, fmt::format("function {} has neither a block nor IL", id));
        }
      }
    }
  }

  // Of the macros that the text defines: `mdef(100)_out(1)_in(2)`. [SPEC «Macros»]
  [[nodiscard]] std::unordered_set<std::uint32_t> macro_ids() const {
    std::unordered_set<std::uint32_t> out;
    for (const Element& element : document_.elements) {
      if (element.kind != ElementKind::Macro) continue;
      const std::string_view line = document_.slice(element.where);
      const std::size_t digits = line.find('(') + 1;
      std::uint32_t id = 0;
      if (std::from_chars(line.data() + digits, line.data() + line.size(), id).ec == std::errc{}) out.insert(id);
    }
    return out;
  }

  // One table a compilation unit. The same format may be printed from several functions. [BE; HLC printf map]
  void printf_ids() {
    std::unordered_map<std::uint64_t, const PrintfFmt*> seen;
    for (const Block& block : document_.blocks) {
      for (const Element& element : document_.directives(block)) {
        const auto* format = std::get_if<PrintfFmt>(&element.directive);
        if (format == nullptr) continue;
        const auto [at, fresh] = seen.try_emplace(key(block.unit, format->id), format);
        if (fresh) continue;
        const PrintfFmt& other = *at->second;
        if (other.escaped != format->escaped ||
            !std::ranges::equal(document_.ids(other.first, other.stored), document_.ids(format->first, format->stored)))
          report(block, Code::DuplicatePrintfId, {element.body, element.length},
                 fmt::format("printf id {} stands for another format already", format->id));
      }
    }
  }

  void data(const Segment& segment) {
    const SourceRange start = document_.elements[segment.first].where;
    if (segment.constant_buffer && *segment.constant_buffer < 2)
      diagnostics_.report(
          Code::DataConstantBuffer, start,
          fmt::format("constant buffer {} is reserved; data goes to 2 and up", *segment.constant_buffer));
    if (segment.size == 0) diagnostics_.report(Code::ZeroDataSize, start, "a data segment of size 0");
    std::vector<const DataWords*> order;
    order.reserve(segment.lines.size());
    std::uint64_t end = 0;
    for (const DataWords& line : segment.lines) {
      const Element& element = document_.elements[line.element];
      const SourceRange where{element.body, element.length};
      const std::uint32_t width = data_width(line);
      if (line.uninitialised) {
        diagnostics_.report(Code::UninitialisedData, where,
                            fmt::format("{} words marked as not initialised: zeros", line.count));
      } else if (line.count != line.stored) {
        diagnostics_.report(Code::DataCount, where,
                            fmt::format("{} words announced, {} given; those given count", line.count, line.stored));
      }
      if (line.offset % (segment.constant_buffer ? kSlot : width) != 0)
        diagnostics_.report(
            Code::DataMisaligned, where,
            fmt::format("offset {} is no multiple of {}", line.offset, segment.constant_buffer ? kSlot : width));
      if (line.type == ScalarType::U8 || line.type == ScalarType::U16 || line.type == ScalarType::Half)
        diagnostics_.report(Code::DataTypeRuntime, where,
                            fmt::format("data of type {}: AMD's runtime cannot read it", scalar_name(line.type)));
      end = std::max(end, line.offset + data_bytes(line));
      order.push_back(&line);
    }
    if (segment.complete && end != segment.size && align_up(end, kSlot) != segment.size)
      diagnostics_.report(Code::DataSize, start,
                          fmt::format("{} bytes declared, the lines hold {}", segment.size, end));
    const std::uint64_t bytes = std::max<std::uint64_t>(segment.size, end);
    const std::uint64_t left = options_.limits.segment_bytes - data_bytes_;
    if (bytes > left)
      diagnostics_.report(Code::DataTooLarge, start,
                          fmt::format("a data segment of {} bytes; at most {}", bytes, left));
    else if (segment.complete)
      data_bytes_ += bytes;
    std::ranges::sort(order, {}, [](const DataWords* line) { return std::pair(line->offset, line->element); });
    for (std::size_t i = 1; i < order.size(); ++i)
      if (order[i]->offset < order[i - 1]->offset + data_bytes(*order[i - 1])) {
        const Element& element = document_.elements[order[i]->element];
        diagnostics_.report(Code::DataOverlap, {element.body, element.length},
                            fmt::format("bytes from {} are given twice", order[i]->offset));
      }
  }

  const Document& document_;
  const ReadOptions& options_;
  Diagnostics& diagnostics_;
  std::unordered_map<std::uint64_t, std::uint32_t> blocks_by_id_;
  std::uint64_t data_bytes_ = 0;  // of all segments within the limit
};

}  // namespace

std::uint32_t data_width(const DataWords& line) {
  return line.type == ScalarType::Struct || line.type == ScalarType::Union ? 1 : scalar_size(line.type);
}

std::uint64_t data_bytes(const DataWords& line) {
  return std::uint64_t{line.uninitialised ? line.count : line.stored} * data_width(line);
}

bool check(const Document& document, Diagnostics& diagnostics, const ReadOptions& options) {
  const std::size_t errors = diagnostics.count(Severity::Error);
  DocumentCheck(document, options, diagnostics).run();
  return diagnostics.count(Severity::Error) == errors;
}

}  // namespace amdcompat::text
