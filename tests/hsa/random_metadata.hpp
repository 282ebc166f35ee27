// Random documents for property tests, made by walking the key tables. RapidCheck prints the seed of a failure;
// RC_PARAMS=seed=... repeats it.
#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include <rapidcheck.h>

#include "hsa_samples.hpp"

namespace random_metadata {

using namespace amdcompat::hsa;

// Valid UTF-8, rich in what needs quoting, tags or escapes. Without unassigned code points, whose escapes depend
// on the Unicode version of a judge.
inline rc::Gen<std::string> text() {
  static const std::vector<std::string> kPieces = {"n",
                                                   "y",
                                                   "no",
                                                   "true",
                                                   "null",
                                                   "~",
                                                   "0",
                                                   "1",
                                                   "08",
                                                   "0x1f",
                                                   "-",
                                                   ".",
                                                   "e5",
                                                   ".inf",
                                                   "nan",
                                                   "inf",
                                                   " ",
                                                   "\t",
                                                   ":",
                                                   ": ",
                                                   " #",
                                                   "'",
                                                   "\"",
                                                   "\\",
                                                   "\\72",
                                                   "%d",
                                                   "[",
                                                   "]",
                                                   "{",
                                                   "}",
                                                   ",",
                                                   "&a",
                                                   "*",
                                                   "!",
                                                   "|",
                                                   ">",
                                                   "@",
                                                   "`",
                                                   "\n",
                                                   "\r",
                                                   "\x01",
                                                   "\x1B",
                                                   std::string(1, '\0'),
                                                   "/",
                                                   "float*",
                                                   "kernel",
                                                   "_Z1k",
                                                   "\xC3\xA9",
                                                   "\xC2\x85",
                                                   "\xC2\xA0",
                                                   "\xE2\x80\xA8",
                                                   "\xE2\x82\xAC",
                                                   "\xEF\xBB\xBF",
                                                   "\xF0\x9F\x98\x80",
                                                   "---",
                                                   "...",
                                                   "=",
                                                   "<<",
                                                   "?"};
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kPieces)),
                      [](const std::vector<std::string>& pieces) {
                        std::string out;
                        for (const std::string& piece : pieces) out += piece;
                        return out;
                      });
}

inline rc::Gen<std::uint64_t> number() {
  return rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(0, 300), rc::gen::arbitrary<std::uint64_t>(),
                        rc::gen::element<std::uint64_t>(65535, 65536, 0xFFFFFFFF, 0x100000000));
}

// Keys a YAML parser can take for one: libyaml looks for a colon in the first 1024 characters.
inline Node node(int depth) {
  const int kind = *rc::gen::inRange(0, depth > 0 ? 9 : 7);
  switch (kind) {
    case 0: return {Node::Nil{}, {}};
    case 1: return {*rc::gen::arbitrary<bool>(), {}};
    case 2: return {*number(), {}};
    case 3: return {*rc::gen::inRange(std::numeric_limits<std::int64_t>::min(), std::int64_t{0}), {}};
    case 4: return {*rc::gen::arbitrary<double>(), {}};
    case 7: {
      Node::Array items;
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) items.push_back(node(depth - 1));
      return {std::move(items), {}};
    }
    case 8: {
      Node::Map entries;
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) entries.push_back({(*text()).substr(0, 100), node(depth - 1)});
      std::erase_if(entries, [](const NodeEntry& entry) {
        return !entry.key.empty() && (static_cast<unsigned char>(entry.key.back()) & 0x80) != 0;
      });
      std::ranges::stable_sort(entries, {}, &NodeEntry::key);
      const auto rest = std::ranges::unique(entries, {}, &NodeEntry::key);
      entries.erase(rest.begin(), rest.end());
      return {std::move(entries), {}};
    }
    default: return {*text(), {}};
  }
}

template <class Record>
void fill(Record& record, std::span<const Key<Record>> keys);

inline void value(std::uint64_t& out) { out = *number(); }
inline void value(bool& out) { out = *rc::gen::arbitrary<bool>(); }
inline void value(std::string& out) { out = *text(); }
inline void value(ValueKind& out) {
  out = (*rc::gen::elementOf(std::vector(all_value_kinds().begin(), all_value_kinds().end()))).kind;
}
inline void value(AddressSpace& out) {
  out = (*rc::gen::elementOf(std::vector(all_address_spaces().begin(), all_address_spaces().end()))).value;
}
inline void value(AccessQualifier& out) {
  out = (*rc::gen::elementOf(std::vector(all_access_qualifiers().begin(), all_access_qualifiers().end()))).value;
}
inline void value(MetadataArgument& out) { fill(out, argument_keys()); }
inline void value(MetadataKernel& out) { fill(out, kernel_keys()); }
template <std::size_t Size>
void value(std::array<std::uint64_t, Size>& out) {
  for (std::uint64_t& each : out) value(each);
}

template <class T>
void field(std::optional<T>& out) {
  if (*rc::gen::arbitrary<bool>()) value(out.emplace());
}
template <class T>
void field(std::vector<T>& out) {
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) value(out.emplace_back());
}

template <class Record>
void fill(Record& record, std::span<const Key<Record>> keys) {
  for (const Key<Record>& row : keys) std::visit([&](auto member) { field(record.*member); }, row.field);
  for (int i = *rc::gen::inRange(0, 3) - 1; i > 0; --i) record.unknown.push_back({"zz." + std::to_string(i), node(3)});
  std::ranges::sort(record.unknown, {}, &NodeEntry::key);
}

inline Metadata metadata() {
  Metadata out;
  fill(out, root_keys());
  return out;
}

}  // namespace random_metadata
