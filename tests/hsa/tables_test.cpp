// The tables of HSA metadata: every row is well-formed and every row is used.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "hsa_samples.hpp"

namespace tables_test {
namespace {

using namespace amdcompat;
using namespace amdcompat::hsa;

template <class Record>
void expect_good_keys(std::span<const Key<Record>> keys, std::string_view prefix) {
  std::set<std::string_view> v2_names;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    SCOPED_TRACE(keys[i].name);
    EXPECT_TRUE(keys[i].name.starts_with(prefix));
    EXPECT_FALSE(keys[i].source.empty());
    if (i > 0) {
      EXPECT_LT(keys[i - 1].name, keys[i].name);
    }
    if (!keys[i].v2_name.empty()) {
      EXPECT_TRUE(v2_names.insert(keys[i].v2_name).second);
    }
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_NE(keys[k].field, keys[i].field) << "shares a member with " << keys[k].name;
  }
}

TEST(HsaTables, KeysAreSortedUniqueAndHaveASource) {
  expect_good_keys(root_keys(), "amdhsa.");
  expect_good_keys(kernel_keys(), ".");
  expect_good_keys(argument_keys(), ".");
}

TEST(HsaTables, TheTextOfATargetIsReadAsTheTarget) {
  for (const char* text : {"gfx601", "gfx803", "gfx906", "gfx906:xnack-", "gfx906:sramecc-:xnack+", "gfx1030"}) {
    const auto target = parse_target(text);
    ASSERT_TRUE(target) << text;
    EXPECT_EQ(target_text(*target->target, target->features), text);
  }
  // Features that the target does not have are no reason to say nothing.
  EXPECT_EQ(target_text(*find_target("gfx601"), {.xnack = FeatureSetting::On}), "gfx601");
}

TEST(HsaTables, ValueKindSpellingsAreUniqueAndReadBackInBothVersions) {
  std::set<std::string_view> names;
  for (const ValueKindInfo& row : all_value_kinds()) {
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(names.insert(row.name).second);
    EXPECT_EQ(spelling(row.kind), row.name);
    EXPECT_EQ(find_value_kind(row.name), row.kind);
    EXPECT_EQ(&value_kind_info(row.kind), &row);
    EXPECT_EQ(row.hidden, row.name.starts_with("hidden_"));
    EXPECT_EQ(row.v2_name.empty(), row.since > CodeObjectVersion::V2);
    EXPECT_FALSE(row.source.empty());
    if (!row.v2_name.empty()) {
      EXPECT_EQ(find_value_kind(row.v2_name, CodeObjectVersion::V2), row.kind);
    }
    if (!row.v2_alias.empty()) {
      EXPECT_EQ(find_value_kind(row.v2_alias, CodeObjectVersion::V2), row.kind);
    }
  }
  EXPECT_EQ(find_value_kind(""), std::nullopt);
  EXPECT_EQ(find_value_kind("", CodeObjectVersion::V2), std::nullopt);
  EXPECT_EQ(find_value_kind("ByValue"), std::nullopt);
  EXPECT_EQ(find_value_kind("by_value", CodeObjectVersion::V2), std::nullopt);
}

TEST(HsaTables, HiddenArgumentsOfTheV5BlockDoNotOverlapAndAreAligned) {
  std::vector<const ValueKindInfo*> rows;
  for (const ValueKindInfo& row : all_value_kinds())
    if (row.offset) rows.push_back(&row);
  std::ranges::sort(rows, {}, [](const ValueKindInfo* row) { return *row->offset; });
  ASSERT_FALSE(rows.empty());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(rows[i]->name);
    EXPECT_EQ(*rows[i]->offset % rows[i]->size, 0);
    EXPECT_LE(*rows[i]->offset + rows[i]->size, 256);
    if (i > 0) {
      EXPECT_GE(*rows[i]->offset, *rows[i - 1]->offset + rows[i - 1]->size);
    }
  }
}

TEST(HsaTables, AddressSpacesAndAccessQualifiersHaveOneSpellingEach) {
  std::set<std::string_view> names;
  for (const auto& row : all_address_spaces()) {
    EXPECT_TRUE(names.insert(row.name).second);
    EXPECT_EQ(spelling(row.value), row.name);
    EXPECT_FALSE(row.v2_name.empty());
  }
  for (const auto& row : all_access_qualifiers()) {
    EXPECT_TRUE(names.insert(row.name).second);
    EXPECT_EQ(spelling(row.value), row.name);
    EXPECT_FALSE(row.v2_name.empty());
  }
}

TEST(HsaTables, VersionsAreKnownByTheirPairAndAbiVersion) {
  EXPECT_EQ(version_of_metadata({1, 0}), CodeObjectVersion::V3);
  EXPECT_EQ(version_of_metadata({1, 1}), CodeObjectVersion::V4);
  EXPECT_EQ(version_of_metadata({1, 2}), CodeObjectVersion::V5);
  EXPECT_EQ(version_of_metadata({2, 0}), std::nullopt);
  std::uint8_t abi = 0;
  for (const VersionInfo& row : all_code_object_versions()) {
    EXPECT_EQ(&version_info(row.version), &row);
    EXPECT_EQ(row.abi_version, abi++);
  }
}

// One key at a time: a value of its type is read without a finding and written back; a value of another type is
// reported at the key and kept.
template <class Record>
Node wrap(Node record) {
  if constexpr (std::is_same_v<Record, Metadata>) {
    return record;
  } else if constexpr (std::is_same_v<Record, MetadataKernel>) {
    return {Node::Map{{"amdhsa.kernels", {Node::Array{std::move(record)}, {}}}}, {}};
  } else {
    return wrap<MetadataKernel>({Node::Map{{".args", {Node::Array{std::move(record)}, {}}}}, {}});
  }
}

Node number(std::uint64_t value) { return {value, {}}; }
Node text(std::string value) { return {std::move(value), {}}; }

template <class T>
Node good_value() {
  if constexpr (std::is_same_v<T, std::optional<std::uint64_t>>)
    return number(8);
  else if constexpr (std::is_same_v<T, std::optional<bool>>)
    return {true, {}};
  else if constexpr (std::is_same_v<T, std::optional<std::string>>)
    return text("words");
  else if constexpr (std::is_same_v<T, std::optional<ValueKind>>)
    return text("by_value");
  else if constexpr (std::is_same_v<T, std::optional<AddressSpace>>)
    return text("global");
  else if constexpr (std::is_same_v<T, std::optional<AccessQualifier>>)
    return text("read_only");
  else if constexpr (std::is_same_v<T, std::optional<std::array<std::uint64_t, 2>>>)
    return {Node::Array{number(1), number(0)}, {}};
  else if constexpr (std::is_same_v<T, std::optional<std::array<std::uint64_t, 3>>>)
    return {Node::Array{number(1), number(2), number(3)}, {}};
  else if constexpr (std::is_same_v<T, std::vector<std::string>>)
    return {Node::Array{text("1:0:x")}, {}};
  else
    return {Node::Array{Node{Node::Map{}, {}}}, {}};
}

template <class Record>
void expect_every_key_is_read_and_judged(std::span<const Key<Record>> keys, std::string_view path) {
  for (const Key<Record>& row : keys) {
    SCOPED_TRACE(row.name);
    const Node good = std::visit([]<class T>(T Record::*) { return good_value<T>(); }, row.field);
    for (const bool right : {true, false}) {
      Node record{Node::Map{{std::string(row.name), right ? good : Node{-1.5, {}}}}, {}};
      Diagnostics findings;
      const auto read = from_node(wrap<Record>(record), findings);
      ASSERT_TRUE(read);
      const auto is_type = [](const Diagnostic& each) { return each.code == Code::HsaWrongType; };
      const auto found = std::ranges::find_if(findings.all(), is_type);
      if (right) {
        EXPECT_EQ(found, findings.all().end());
      } else {
        ASSERT_NE(found, findings.all().end());
        EXPECT_EQ(found->path, std::string(path) + std::string(row.name));
      }
      Diagnostics again;
      EXPECT_EQ(from_node(to_node(*read), again), read) << "a value is lost";
    }
  }
}

TEST(HsaTables, EveryKeyIsReadWrittenAndJudgedByItsType) {
  expect_every_key_is_read_and_judged(root_keys(), "");
  expect_every_key_is_read_and_judged(kernel_keys(), "amdhsa.kernels[0]");
  expect_every_key_is_read_and_judged(argument_keys(), "amdhsa.kernels[0].args[0]");
}

}  // namespace
}  // namespace tables_test
