// The table of errata before LLVM's own lists of features.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <amdcompat/device.hpp>
#include <amdcompat/gcn_checks.hpp>

#include "llvm_judge.hpp"

namespace amdcompat::gcn::errata_test {
namespace {

using Features = std::set<std::string>;

// What LLVM calls them: a processor of an erratum has all of these, any other one none.
const std::map<std::string_view, Features> kNames = {
    {"sgpr-init", {"sgpr-init-bug"}},
    {"gfx10.1",
     {"flat-segment-offset-bug", "inst-fwd-prefetch-bug", "lds-branch-vmem-war-hazard", "lds-misaligned-bug",
      "negative-unaligned-scratch-offset-bug", "nsa-clause-bug", "nsa-to-vmem-bug", "offset-3f-bug",
      "smem-to-vector-write-hazard", "vcmpx-exec-war-hazard", "vmem-to-scalar-write-hazard"}},
    {"user-sgpr-init16", {"user-sgpr-init16-bug"}},
    {"gfx11.0", {"mad-intra-fwd-bug", "msaa-load-dst-sel-bug", "priv-enabled-trap2-nop-bug", "valu-trans-use-hazard"}},
    {"export-priority", {"required-export-priority"}},
};

// No matter of carrying code over: gfx810's layout of 16-bit data makes its instructions other ones
// (`same_instructions`), and code for another processor than gfx908 has no matrix instruction.
const Features kOthers = {"image-gather4-d16-bug", "image-store-d16-bug", "mfma-inline-literal-bug"};

bool is_trouble(const std::string& feature) {
  return feature.ends_with("-bug") || feature.ends_with("-hazard") || feature.starts_with("required-");
}

// Those that LLVM 19 knows, and their features.
std::map<const Target*, Features> known_targets() {
  std::map<const Target*, Features> out;
  for (const Target& target : all_targets())
    if (generation_of(target))
      if (Features features = amdcompat_test::llvm_features(std::string(target.name)); !features.empty())
        out.emplace(&target, std::move(features));
  return out;
}

TEST(Errata, AreThoseOfLlvmsProcessors) {
  const auto targets = known_targets();
  EXPECT_GT(targets.size(), 35u);
  for (const Erratum& erratum : errata()) {
    const auto names = kNames.find(erratum.name);
    ASSERT_NE(names, kNames.end()) << erratum.name;
    std::size_t with = 0;
    for (const auto& [target, features] : targets) {
      with += has_erratum(erratum, *target) ? 1 : 0;
      for (const std::string& feature : names->second)
        EXPECT_EQ(features.contains(feature), has_erratum(erratum, *target)) << target->name << " " << feature;
    }
    EXPECT_GT(with, 0u) << erratum.name;
  }
  EXPECT_EQ(errata().size(), kNames.size());
}

// Whatever LLVM works around on one processor and not on another of its generation is in the table.
TEST(Errata, StandBetweenProcessorsThatLlvmTellsApart) {
  const auto targets = known_targets();
  for (const auto& [from, had] : targets)
    for (const auto& [to, has] : targets) {
      if (generation_of(*from) != generation_of(*to)) continue;
      const bool asks = std::ranges::any_of(has, [&](const std::string& feature) {
        return is_trouble(feature) && !had.contains(feature) && !kOthers.contains(feature);
      });
      EXPECT_EQ(asks, unmet_erratum(*from, *to) != nullptr) << from->name << " to " << to->name;
    }
}

TEST(Errata, NameProcessorsOfTheTable) {
  for (const Erratum& erratum : errata()) {
    std::string_view names = erratum.targets;
    while (!names.empty()) {
      const std::string_view name = names.substr(0, names.find(' '));
      names.remove_prefix(std::min(name.size() + 1, names.size()));
      EXPECT_NE(find_target(name), nullptr) << name;
    }
  }
}

}  // namespace
}  // namespace amdcompat::gcn::errata_test
