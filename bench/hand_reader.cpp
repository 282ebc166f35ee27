#include "hand_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <ranges>

namespace amdcompat::hand {

namespace {

using namespace text;

constexpr std::uint32_t kMostListItems = 1u << 16;  // text::Limits::list_items
constexpr int kMostDigits = 15;                     // longer numbers overrun AMD's runtime; the library reports them

// One line's fields.
struct Line {
  const char* at;
  const char* end;
  std::vector<std::uint32_t>& ids;
  bool canonical = true;

  [[nodiscard]] bool done() const { return at == end; }

  bool key(std::string_view keyword) {
    if (static_cast<std::size_t>(end - at) < keyword.size() || std::memcmp(at, keyword.data(), keyword.size()) != 0)
      return false;
    at += keyword.size();
    return true;
  }
  bool colon() {
    if (at == end || *at != ':') return false;
    ++at;
    return true;
  }
  bool number(std::uint32_t& out) {
    const auto [next, error] = std::from_chars(at, end, out);
    if (error != std::errc{} || (next != end && *next != ':')) return false;
    if (*at == '0' && next - at > 1) {
      if (next - at > kMostDigits) return false;
      canonical = false;
    }
    at = next;
    return true;
  }
  // A field of any characters but `;`, blank and carriage return; never empty.
  bool word(std::string_view& out) {
    const char* next = at;
    for (bool more = true; more && next != end;) switch (*next) {
        case ':': more = false; break;
        case ';':
        case ' ':
        case '\r': return false;
        default: ++next;
      }
    if (next == at) return false;
    out = {at, static_cast<std::size_t>(next - at)};
    at = next;
    return true;
  }
  bool bit(std::optional<bool>& out) {
    if (at == end || (*at != '0' && *at != '1') || (at + 1 != end && at[1] != ':')) return false;
    out = *at == '1';
    ++at;
    return true;
  }
  std::string_view rest() {
    const std::string_view out(at, static_cast<std::size_t>(end - at));
    at = end;
    return out;
  }
  bool list(std::uint32_t& stored) {
    while (at != end) {
      std::uint32_t value = 0;
      if (stored == kMostListItems || !colon() || !number(value)) return false;
      ids.push_back(value);
      ++stored;
    }
    return true;
  }
};

bool scalar(std::string_view text, ScalarType& out) {
  const auto is = [&](std::string_view spelling, ScalarType type) { return text == spelling && (out = type, true); };
  if (text.empty()) return false;
  switch (text[0]) {
    case 'f': return is("float", ScalarType::Float);
    case 'u':
      return is("u32", ScalarType::U32) || is("u8", ScalarType::U8) || is("u16", ScalarType::U16) ||
             is("u64", ScalarType::U64) || is("union", ScalarType::Union);
    case 'i':
      return is("i32", ScalarType::I32) || is("i8", ScalarType::I8) || is("i16", ScalarType::I16) ||
             is("i64", ScalarType::I64) || is("i1", ScalarType::I1);
    case 's': return is("struct", ScalarType::Struct) || is("sampler", ScalarType::Sampler);
    case 'd': return is("double", ScalarType::Double);
    case 'h': return is("half", ScalarType::Half);
    case 'o': return is("opaque", ScalarType::Unsized);
    case 'e': return is("event", ScalarType::Event);
    default: return false;
  }
}

bool memory_kind(std::string_view text, MemoryKind& out) {
  const auto take = [&](MemoryKind kind) { return out = kind, true; };
  if (text.size() == 1) switch (text[0]) {
      case 'g': return take(MemoryKind::Global);
      case 'p': return take(MemoryKind::EmulatedPrivate);
      case 'l': return take(MemoryKind::EmulatedLocal);
      case 'c': return take(MemoryKind::Constant);
      case 'r': return take(MemoryKind::EmulatedRegion);
      default: return false;
    }
  if (text == "uav") return take(MemoryKind::Uav);
  if (text.size() == 2 && text[0] == 'h') switch (text[1]) {
      case 'l': return take(MemoryKind::HardwareLocal);
      case 'p': return take(MemoryKind::HardwarePrivate);
      case 'c': return take(MemoryKind::HardwareConstant);
      case 'r': return take(MemoryKind::HardwareRegion);
      default: return false;
    }
  if (text == "up") return take(MemoryKind::UavPrivate);
  if (text == "uc") return take(MemoryKind::UavConstant);
  return text == "flat" && take(MemoryKind::Flat);
}

bool access(std::string_view text, Access& out) {
  if (text == "RO") return out = Access::ReadOnly, true;
  if (text == "RW") return out = Access::ReadWrite, true;
  if (text == "WO") return out = Access::WriteOnly, true;
  return false;
}

bool dimension(std::string_view text, ImageDim& out) {
  const auto is = [&](std::string_view spelling, ImageDim dim) { return text == spelling && (out = dim, true); };
  return is("2D", ImageDim::D2) || is("3D", ImageDim::D3) || is("1D", ImageDim::D1) || is("1DA", ImageDim::D1Array) ||
         is("1DB", ImageDim::D1Buffer) || is("2DA", ImageDim::D2Array) || is("2DDepth", ImageDim::D2Depth) ||
         is("2DADepth", ImageDim::D2ArrayDepth);
}

bool read_pointer(Line& line, PointerArg& out) {
  std::string_view word;
  if (!line.word(out.name) || !line.colon() || !line.word(out.type_text) || !line.colon() ||
      !line.number(out.elements) || !line.colon() || !line.number(out.cb) || !line.colon() ||
      !line.number(out.offset) || !line.colon() || !line.word(word) || !memory_kind(word, out.memory) ||
      !line.colon() || !line.number(out.buffer))
    return false;
  if (!scalar(out.type_text, out.type)) out.type = ScalarType::Other;
  if (line.done()) return out.memory == MemoryKind::Global;
  if (!line.colon() || !line.number(out.align.emplace())) return false;
  if (line.done()) return true;
  if (!line.colon() || !line.word(word) || !access(word, out.access)) return false;
  if (line.done()) return true;
  if (!line.colon() || !line.bit(out.is_volatile) || !line.colon() || !line.bit(out.is_restrict)) return false;
  if (line.done()) return true;
  return line.colon() && line.bit(out.is_pipe) && line.done();
}

bool read_value(Line& line, ValueArg& out) {
  std::string_view type;
  return line.word(out.name) && line.colon() && line.word(type) && scalar(type, out.type) && line.colon() &&
         line.number(out.elements) && line.colon() && line.number(out.cb) && line.colon() && line.number(out.offset) &&
         line.done();
}

bool read_image(Line& line, ImageArg& out) {
  std::string_view dim, kind;
  return line.word(out.name) && line.colon() && line.word(dim) && dimension(dim, out.dim) && line.colon() &&
         line.word(kind) && access(kind, out.access) && line.colon() && line.number(out.id) && line.colon() &&
         line.number(out.cb) && line.colon() && line.number(out.offset) && line.done();
}

bool read_sampler(Line& line, SamplerDef& out) {
  return line.word(out.name) && line.colon() && line.number(out.id) && line.colon() && line.number(out.location) &&
         line.colon() && line.number(out.value) && line.done();
}

bool read_counter(Line& line, CounterArg& out) {
  std::string_view bits;
  if (!line.word(out.name) || !line.colon() || !line.word(bits) || (bits != "32" && bits != "64")) return false;
  out.bits = bits == "32" ? 32 : 64;
  return line.colon() && line.number(out.id) && line.colon() && line.number(out.cb) && line.colon() &&
         line.number(out.offset) && line.done();
}

bool read_semaphore(Line& line, SemaphoreArg& out) {
  return line.word(out.name) && line.colon() && line.number(out.id) && line.colon() && line.number(out.cb) &&
         line.colon() && line.number(out.offset) && line.done();
}

bool read_queue(Line& line, QueueArg& out) {
  std::string_view memory;
  return line.word(out.name) && line.colon() && line.word(out.type) && line.colon() && line.number(out.elements) &&
         line.colon() && line.number(out.cb) && line.colon() && line.number(out.offset) && line.colon() &&
         line.word(memory) && (memory == "uav" || memory == "hp" || memory == "p") && memory_kind(memory, out.memory) &&
         line.done();
}

bool read_memory(Line& line, Directive& out) {
  std::string_view word;
  if (!line.word(word)) return false;
  const auto space = [&](MemorySpace value) {
    auto& size = out.emplace<MemorySize>();
    size.space = value;
    return line.colon() && line.number(size.bytes) && line.done();
  };
  const auto flag = [&](MemoryFlag value) {
    out.emplace<MemoryFlagged>().flag = value;
    return line.done();
  };
  switch (word[0]) {
    case 'h':
      if (word == "hwlocal") return space(MemorySpace::HwLocal);
      if (word == "hwregion") return space(MemorySpace::HwRegion);
      return word == "hwprivate" && space(MemorySpace::HwPrivate);
    case 'u': return word == "uavprivate" && space(MemorySpace::UavPrivate);
    case 'p':
      if (word == "private") return space(MemorySpace::Private);
      return word == "packedreg" && flag(MemoryFlag::PackedReg);
    case 'l': return word == "local" && space(MemorySpace::Local);
    case 'r': return word == "region" && space(MemorySpace::Region);
    case 'c': return word == "compilerwrite" && flag(MemoryFlag::CompilerWrite);
    case 'd': return word == "datareqd" && flag(MemoryFlag::DataRequired);
    case '6': return word == "64bitABI" && flag(MemoryFlag::Abi64);
    case 'g': return word == "gws" && flag(MemoryFlag::Gws);
    case 's': return word == "swgws" && flag(MemoryFlag::SwGws);
    default: return false;
  }
}

bool read_number(Line& line, NumberKey key, Directive& out) {
  auto& number = out.emplace<Number>();
  number.key = key;
  return line.number(number.value) && line.done();
}

bool read_group(Line& line, GroupKey key, Directive& out) {
  auto& group = out.emplace<GroupSize>();
  group.key = key;
  return line.number(group.x) && line.colon() && line.number(group.y) && line.colon() && line.number(group.z) &&
         line.done();
}

bool read_list(Line& line, IdListKey key, Directive& out) {
  auto& list = out.emplace<IdList>();
  list.key = key;
  list.first = static_cast<std::uint32_t>(line.ids.size());
  return line.number(list.count) && line.list(list.stored);
}

bool read_indexed(Line& line, ConstArg& out) {
  return line.number(out.index) && line.colon() && line.word(out.name) && line.done();
}

bool read_indexed(Line& line, Reflection& out) {
  if (!line.number(out.index) || !line.colon()) return false;
  out.type = line.rest();
  return true;
}

bool read_text(Line& line, std::string_view& out) {
  out = line.rest();
  return !out.empty();
}

bool read_message(Line& line, MessageKey key, Directive& out) {
  auto& message = out.emplace<Message>();
  message.key = key;
  message.text = line.rest();
  return true;
}

bool read_printf(Line& line, PrintfFmt& out) {
  if (!line.number(out.id) || !line.colon() || !line.number(out.count)) return false;
  if (out.count > kMostListItems) return false;
  out.first = static_cast<std::uint32_t>(line.ids.size());
  for (; out.stored != out.count; ++out.stored) {
    std::uint32_t size = 0;
    if (!line.colon() || !line.number(size)) return false;
    line.ids.push_back(size);
  }
  if (!line.colon() || !line.number(out.length) || !line.colon()) return false;
  // The line ends in `;`; between there must be as many characters as announced, an escape being one.
  if (line.done() || line.end[-1] != ';') return false;
  out.escaped = {line.at, static_cast<std::size_t>(line.end - line.at - 1)};
  line.at = line.end;
  std::size_t characters = 0;
  for (std::size_t i = 0; i < out.escaped.size(); ++i, ++characters)
    if (out.escaped[i] == '\\' && i + 1 < out.escaped.size()) switch (out.escaped[i + 1]) {
        case 'n':
        case 'r':
        case 'a':
        case 'b':
        case 'f':
        case 'v': ++i; break;
        default: break;
      }
  return characters == out.length;
}

bool directive_of(Line& line, Directive& out) {
  if (line.done()) return false;
  switch (*line.at) {
    case 'p':
      if (line.key("pointer:")) return read_pointer(line, out.emplace<PointerArg>());
      if (line.key("printfid:")) return read_number(line, NumberKey::PrintfId, out);
      if (line.key("privateid:")) return read_number(line, NumberKey::PrivateId, out);
      return line.key("printf_fmt:") && read_printf(line, out.emplace<PrintfFmt>());
    case 'v':
      if (line.key("value:")) return read_value(line, out.emplace<ValueArg>());
      if (line.key("version:")) {
        auto& version = out.emplace<Version>();
        return line.number(version.major) && line.colon() && line.number(version.minor) && line.colon() &&
               line.number(version.revision) && line.done();
      }
      return line.key("vth:") && read_text(line, out.emplace<VectorTypeHint>().type);
    case 'r': return line.key("reflection:") && read_indexed(line, out.emplace<Reflection>());
    case 'm':
      if (line.key("memory:")) return read_memory(line, out);
      return line.key("membound:") && read_number(line, NumberKey::Membound, out);
    case 'c':
      if (line.key("constarg:")) return read_indexed(line, out.emplace<ConstArg>());
      if (line.key("cbid:")) return read_number(line, NumberKey::CbId, out);
      if (line.key("cws:")) return read_group(line, GroupKey::Cws, out);
      if (line.key("crs:")) return read_group(line, GroupKey::Crs, out);
      return line.key("counter:") && read_counter(line, out.emplace<CounterArg>());
    case 'u':
      if (line.key("uniqueid:")) return read_number(line, NumberKey::UniqueId, out);
      return line.key("uavid:") && read_number(line, NumberKey::UavId, out);
    case 'f': return line.key("function:") && read_list(line, IdListKey::Function, out);
    case 'd': return line.key("device:") && read_text(line, out.emplace<DeviceName>().name);
    case 'i':
      if (line.key("image:")) return read_image(line, out.emplace<ImageArg>());
      return line.key("intrinsic:") && read_list(line, IdListKey::Intrinsic, out);
    case 's':
      if (line.key("sampler:")) return read_sampler(line, out.emplace<SamplerDef>());
      return line.key("sema:") && read_semaphore(line, out.emplace<SemaphoreArg>());
    case 'l':
      if (line.key("lws:")) return read_number(line, NumberKey::Lws, out);
      out.emplace<LimitGroupSize>();
      return line.key("limitgroupsize") && line.done();
    case 'w':
      if (line.key("wsh:")) return read_group(line, GroupKey::Wsh, out);
      return line.key("warning:") && read_message(line, MessageKey::Warning, out);
    case 'e':
      if (line.key("error:")) return read_message(line, MessageKey::Error, out);
      return line.key("enqueue_kernel:") && read_number(line, NumberKey::EnqueueKernel, out);
    case 'k': return line.key("kernel_index:") && read_number(line, NumberKey::KernelIndex, out);
    case 'q': return line.key("queue:") && read_queue(line, out.emplace<QueueArg>());
    case 'W': return line.key("WavesPerSimdHint:") && read_number(line, NumberKey::WavesPerSimdHint, out);
    default: return false;
  }
}

}  // namespace

bool read_directive(std::string_view text, Directive& out, std::vector<std::uint32_t>& ids, bool& canonical) {
  Line line{text.data(), text.data() + text.size(), ids};
  if (!directive_of(line, out)) return false;
  canonical = canonical && line.canonical;
  return true;
}

Reading read(std::string_view source) {
  Reading out;
  out.source = std::make_unique_for_overwrite<char[]>(source.size());
  out.size = source.size();
  if (!source.empty()) std::memcpy(out.source.get(), source.data(), source.size());
  const char* const begin = out.source.get();
  const char* const end = begin + source.size();
  const auto offset = [begin](const char* at) { return static_cast<std::uint32_t>(at - begin); };
  out.elements.reserve(std::min<std::size_t>(source.size() / 16 + 8, 1u << 16));

  Block* block = nullptr;
  bool may_grow = false;  // the last element is a run of IL
  for (const char* at = begin; at != end;) {
    const auto* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    const char* const next = newline == nullptr ? end : newline + 1;
    const char* stop = newline == nullptr ? end : newline;
    LineEnd line_end = newline == nullptr ? LineEnd::None : LineEnd::Lf;
    if (newline != nullptr && stop != at && stop[-1] == '\r') {
      --stop;
      line_end = LineEnd::CrLf;
    }
    const std::string_view text(at, static_cast<std::size_t>(stop - at));
    const bool starts = text.starts_with(";ARGSTART:");
    if (block == nullptr && !starts && may_grow) {
      out.elements.back().where.size += static_cast<std::uint32_t>(next - at);
      out.elements.back().line_end = line_end;
      at = next;
      continue;
    }
    // All arguments, as in the library: emplace_back() would zero the whole element first.
    Element& element = out.elements.emplace_back(SourceRange{offset(at), static_cast<std::uint32_t>(next - at)},
                                                 offset(at), 0u, ElementKind::Il, line_end, true, false, Unknown{});
    const auto index = static_cast<std::uint32_t>(out.elements.size() - 1);
    may_grow = false;
    if (starts) {
      if (block != nullptr) {
        block->last = index - 1;
        block->closed = block->complete = false;
        block->where.size = element.where.begin - block->where.begin;
      }
      element.kind = ElementKind::BlockStart;
      element.body += 10;
      element.length = static_cast<std::uint32_t>(text.size() - 10);
      block = &out.blocks.emplace_back();
      block->name = text.substr(10);
      block->first = index;
      block->where = element.where;
    } else if (block == nullptr) {
      may_grow = true;
    } else if (text.starts_with(";ARGEND:")) {
      element.kind = ElementKind::BlockEnd;
      element.body += 8;
      element.length = static_cast<std::uint32_t>(text.size() - 8);
      if (text.substr(8) != block->name) out.rejected.push_back(index);
      block->last = index;
      block->where.size = offset(next) - block->where.begin;
      block = nullptr;
    } else {
      element.kind = ElementKind::Metadata;
      if (text.empty() || text[0] != ';') {
        element.canonical = false;
        out.rejected.push_back(index);
      } else {
        element.body += 1;
        element.length = static_cast<std::uint32_t>(text.size() - 1);
        Line line{at + 1, stop, out.ids};
        if (directive_of(line, element.directive)) {
          element.canonical = line.canonical;
        } else {
          element.directive.emplace<Unknown>();
          element.canonical = false;
          out.rejected.push_back(index);
        }
      }
    }
    at = next;
  }
  if (block != nullptr) {
    block->last = static_cast<std::uint32_t>(out.elements.size() - 1);
    block->closed = block->complete = false;
    block->where.size = offset(end) - block->where.begin;
  }
  return out;
}

// --- comparing -------------------------------------------------------------------------------------------

namespace {

using Ids = std::span<const std::uint32_t>;

// `a` and `b` hold the same alternative.
struct Same {
  const Directive& other;
  const std::vector<std::uint32_t>& ids;
  const Document& document;

  template <class T>
  [[nodiscard]] const T& theirs() const {
    return std::get<T>(other);
  }
  [[nodiscard]] bool lists(std::uint32_t first, std::uint32_t stored, std::uint32_t their_first,
                           std::uint32_t their_stored) const {
    return std::ranges::equal(Ids(ids).subspan(first, stored), document.ids(their_first, their_stored));
  }

  bool operator()(const Unknown&) const { return true; }
  bool operator()(const Malformed& a) const { return a.essential == theirs<Malformed>().essential; }
  bool operator()(const Version& a) const {
    return static_cast<const MetadataVersion&>(a) == static_cast<const MetadataVersion&>(theirs<Version>());
  }
  bool operator()(const DeviceName& a) const { return a.name == theirs<DeviceName>().name; }
  bool operator()(const Number& a) const {
    const auto& b = theirs<Number>();
    return a.key == b.key && a.value == b.value;
  }
  bool operator()(const MemorySize& a) const {
    const auto& b = theirs<MemorySize>();
    return a.space == b.space && a.bytes == b.bytes;
  }
  bool operator()(const MemoryFlagged& a) const { return a.flag == theirs<MemoryFlagged>().flag; }
  bool operator()(const GroupSize& a) const {
    const auto& b = theirs<GroupSize>();
    return a.key == b.key && a.x == b.x && a.y == b.y && a.z == b.z;
  }
  bool operator()(const VectorTypeHint& a) const { return a.type == theirs<VectorTypeHint>().type; }
  bool operator()(const LimitGroupSize&) const { return true; }
  bool operator()(const IdList& a) const {
    const auto& b = theirs<IdList>();
    return a.key == b.key && a.count == b.count && lists(a.first, a.stored, b.first, b.stored);
  }
  bool operator()(const Message& a) const {
    const auto& b = theirs<Message>();
    return a.key == b.key && a.text == b.text;
  }
  bool operator()(const ConstArg& a) const {
    const auto& b = theirs<ConstArg>();
    return a.index == b.index && a.name == b.name;
  }
  bool operator()(const Reflection& a) const {
    const auto& b = theirs<Reflection>();
    return a.index == b.index && a.type == b.type;
  }
  bool operator()(const ValueArg& a) const {
    const auto& b = theirs<ValueArg>();
    return a.name == b.name && a.type == b.type && a.elements == b.elements && a.cb == b.cb && a.offset == b.offset;
  }
  bool operator()(const PointerArg& a) const {
    const auto& b = theirs<PointerArg>();
    return a.name == b.name && a.type == b.type && a.type_text == b.type_text && a.elements == b.elements &&
           a.cb == b.cb && a.offset == b.offset && a.memory == b.memory && a.buffer == b.buffer && a.align == b.align &&
           a.access == b.access && a.is_volatile == b.is_volatile && a.is_restrict == b.is_restrict &&
           a.is_pipe == b.is_pipe;
  }
  bool operator()(const ImageArg& a) const {
    const auto& b = theirs<ImageArg>();
    return a.name == b.name && a.dim == b.dim && a.access == b.access && a.id == b.id && a.cb == b.cb &&
           a.offset == b.offset;
  }
  bool operator()(const SamplerDef& a) const {
    const auto& b = theirs<SamplerDef>();
    return a.name == b.name && a.id == b.id && a.location == b.location && a.value == b.value;
  }
  bool operator()(const CounterArg& a) const {
    const auto& b = theirs<CounterArg>();
    return a.name == b.name && a.bits == b.bits && a.id == b.id && a.cb == b.cb && a.offset == b.offset;
  }
  bool operator()(const SemaphoreArg& a) const {
    const auto& b = theirs<SemaphoreArg>();
    return a.name == b.name && a.id == b.id && a.cb == b.cb && a.offset == b.offset;
  }
  bool operator()(const QueueArg& a) const {
    const auto& b = theirs<QueueArg>();
    return a.name == b.name && a.type == b.type && a.elements == b.elements && a.cb == b.cb && a.offset == b.offset &&
           a.memory == b.memory;
  }
  bool operator()(const PrintfFmt& a) const {
    const auto& b = theirs<PrintfFmt>();
    return a.id == b.id && a.count == b.count && a.length == b.length && a.escaped == b.escaped &&
           lists(a.first, a.stored, b.first, b.stored);
  }
};

}  // namespace

bool same(const Directive& a, const std::vector<std::uint32_t>& ids_a, const Directive& b, const Document& document_b) {
  return a.index() == b.index() && std::visit(Same{b, ids_a, document_b}, a);
}

std::string difference(const Reading& reading, const Document& document) {
  if (std::string_view(reading.source.get(), reading.size) != document.source()) return "the sources differ";
  if (reading.elements.size() != document.elements.size())
    return std::to_string(reading.elements.size()) + " elements by hand, " + std::to_string(document.elements.size()) +
           " in the document";
  for (std::size_t i = 0; i < reading.elements.size(); ++i) {
    const Element& a = reading.elements[i];
    const Element& b = document.elements[i];
    if (a.where != b.where || a.body != b.body || a.length != b.length || a.kind != b.kind ||
        a.line_end != b.line_end || a.canonical != b.canonical || a.edited != b.edited ||
        !same(a.directive, reading.ids, b.directive, document))
      return "element " + std::to_string(i) + " differs: '" + std::string(document.slice(b.where)) + "'";
  }
  if (reading.blocks.size() != document.blocks.size())
    return std::to_string(reading.blocks.size()) + " blocks by hand, " + std::to_string(document.blocks.size()) +
           " in the document";
  for (std::size_t i = 0; i < reading.blocks.size(); ++i) {
    const Block& a = reading.blocks[i];
    const Block& b = document.blocks[i];
    if (a.name != b.name || a.first != b.first || a.last != b.last || a.closed != b.closed ||
        a.complete != b.complete || a.unit != b.unit || a.dialect != b.dialect || a.where != b.where)
      return "block '" + std::string(b.name) + "' differs";
  }
  return {};
}

}  // namespace amdcompat::hand
