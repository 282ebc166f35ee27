// Reads MessagePack with msgpack-cxx's event parser, which allocates nothing for what it is told.
//
// The library gives events without positions. Each event stands for exactly one encoded value, whose first byte
// says how long its head is, so the visitor walks along: `at_` is always the first byte of the next value.
// A list of four billion elements in five bytes is refused here, before anything is built: every element needs
// at least one byte of the rest.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <msgpack.hpp>

#include <amdcompat/hsa.hpp>

#include "document.hpp"
#include "schema.hpp"

namespace amdcompat::hsa {
namespace {

class Visitor : public msgpack::null_visitor {
 public:
  Visitor(std::string_view bytes, DocumentBuilder& tree) : bytes_(bytes), tree_(tree) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  // A reason to stop was reported, here or by the tree.
  [[nodiscard]] bool reported() const { return reported_; }

  bool visit_nil() { return scalar(Token::Kind::Nil, 0); }
  bool visit_boolean(bool value) { return scalar(Token::Kind::Boolean, value ? 1 : 0); }
  bool visit_positive_integer(std::uint64_t value) { return scalar(Token::Kind::Unsigned, value); }
  // The signed formats can hold positive numbers.
  bool visit_negative_integer(std::int64_t value) {
    return scalar(value >= 0 ? Token::Kind::Unsigned : Token::Kind::Negative, static_cast<std::uint64_t>(value));
  }
  bool visit_float32(float value) { return visit_float64(static_cast<double>(value)); }
  bool visit_float64(double value) { return scalar(Token::Kind::Real, std::bit_cast<std::uint64_t>(value)); }
  // The text stands in the input, which outlives the document.
  bool visit_str(const char* text, std::uint32_t size) {
    const std::size_t begin = at_;
    at_ += head() + size;
    return noted(tree_.text(size == 0 ? std::string_view{} : std::string_view(text, size), begin, at_));
  }
  bool visit_bin(const char*, std::uint32_t size) { return unsupported("a binary value", size); }
  bool visit_ext(const char*, std::uint32_t size) { return unsupported("an extension value", size); }

  bool start_array(std::uint32_t count) { return fits(count, 1) && entered(tree_.begin_list(at_)); }
  bool start_map(std::uint32_t count) { return fits(count, 2) && entered(tree_.begin_map(at_)); }
  bool end_array() { return noted(tree_.end(at_)); }
  bool end_map() { return noted(tree_.end(at_)); }

  void parse_error(std::size_t, std::size_t) {}
  void insufficient_bytes(std::size_t, std::size_t) {}

 private:
  [[nodiscard]] std::size_t head() const { return msgpack_head_size(static_cast<unsigned char>(bytes_[at_])); }

  bool noted(bool more) {
    reported_ = reported_ || !more;
    return more;
  }

  bool entered(bool more) {
    at_ += head();
    return noted(more);
  }

  bool scalar(Token::Kind kind, std::uint64_t bits) {
    const std::size_t begin = at_;
    at_ += head();
    return noted(tree_.scalar(kind, bits, begin, at_));
  }

  bool unsupported(const char* what, std::size_t size) {
    tree_.report(Code::HsaUnsupportedValue, at_, at_ + head() + size, fmt::format("{} has no meaning here", what));
    return noted(false);
  }

  bool fits(std::uint32_t count, std::size_t least) {
    const std::size_t rest = bytes_.size() - at_ - head();
    if (count <= rest / least) return true;
    tree_.report(Code::HsaLengthBeyondInput, at_, at_ + head(),
                 fmt::format("{} elements announced, {} bytes left", count, rest));
    return noted(false);
  }

  std::string_view bytes_;
  DocumentBuilder& tree_;
  std::size_t at_ = 0;
  bool reported_ = false;
};

std::optional<Document> parse(std::string_view bytes, Diagnostics& diagnostics, const ReadOptions& options) {
  DocumentBuilder tree(diagnostics, options);
  if (bytes.size() > options.max_bytes) {
    tree.report(Code::HsaTooLarge, 0, 0, fmt::format("{} bytes, the limit is {}", bytes.size(), options.max_bytes));
    return std::nullopt;
  }
  constexpr std::size_t kBytesOfValue = 8, kMostReserved = 8192;  // keys and texts of compilers' documents included
  tree.reserve(std::min(bytes.size() / kBytesOfValue, kMostReserved));
  Visitor visitor(bytes, tree);
  std::size_t parsed = 0;
  try {
    if (!bytes.empty()) msgpack::parse(bytes.data(), bytes.size(), parsed, visitor);
  } catch (const msgpack::unpack_error& problem) {
    // A length the library itself cannot hold.
    tree.report(Code::HsaMessagePackMalformed, visitor.at(), visitor.at(), problem.what());
    return std::nullopt;
  }
  if (visitor.reported()) return std::nullopt;
  if (!tree.finished()) {
    const std::size_t at = visitor.at();
    constexpr char kUnused = '\xC1';  // the one byte that begins no value
    if (at < bytes.size() && bytes[at] == kUnused)
      tree.report(Code::HsaMessagePackMalformed, at, at + 1, "the byte 0xC1 begins no value");
    else
      tree.report(Code::HsaDocumentTruncated, at, bytes.size(), "the document ends inside a value");
    return std::nullopt;
  }
  if (visitor.at() < bytes.size())
    tree.report(Code::HsaTrailingBytes, visitor.at(), bytes.size(),
                fmt::format("{} bytes after the document", bytes.size() - visitor.at()));
  return tree.take();
}

}  // namespace

std::optional<Metadata> read_msgpack(std::string_view bytes, Diagnostics& diagnostics, const ReadOptions& options) {
  try {
    if (auto plain = read_plain_msgpack(bytes, options)) return plain;
    const auto document = parse(bytes, diagnostics, options);
    if (!document) return std::nullopt;
    return decode(*document, diagnostics);
  } catch (const std::bad_alloc&) {
    diagnostics.report(Code::HsaTooLarge, {options.base, 0}, "not enough memory for the document");
    return std::nullopt;
  }
}

}  // namespace amdcompat::hsa
