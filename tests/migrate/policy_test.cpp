// Policies: TOML files, their errors, and what stands for "the same".
#include <gtest/gtest.h>

#include <policy.hpp>

namespace amdcompat::migrate::policy_test {
namespace {

TEST(Policy, EveryKeyIsRead) {
  Policy policy;
  Diagnostics findings;
  ASSERT_TRUE(read_policy(R"(
layout = "in-place"
code-object = 5
metadata = "json"
compiler = "clang"
lift = true
prove = true
seed = 7
strict = true
scan = true
archives = false
[targets]
verde = "gfx602"
gfx803 = "gfx803"
"*" = "gfx906:xnack+"
[limits]
program-bytes = 1000
archive-bytes = 2000
archive-ratio = 3
archive-members = 4
archive-depth = 5
proof-instructions = 6
all-proof-instructions = 7
)",
                          policy, findings));
  EXPECT_EQ(findings.all().size(), 0u);
  EXPECT_EQ(canonical_policy(policy),
            R"({"layout":"in-place","code_object":5,"targets":{"*":"gfx906:xnack+","capeverde":"gfx602",)"
            R"("gfx803":"gfx803"},"metadata":"json","compiler":"none","lift":true,"prove":true,"seed":7,"strict":true,)"
            R"("scan":true,"archives":false,"limits":{"program_bytes":1000,"archive_bytes":2000,"archive_ratio":3,)"
            R"("archive_members":4,"archive_depth":5,"proof_instructions":6,"all_proof_instructions":7}})");
  EXPECT_EQ(policy.compiler, "clang");
  EXPECT_EQ(target_for(policy, "capeverde")->target->name, "gfx602");
  EXPECT_EQ(target_for(policy, "tahiti")->target->name, "gfx906");
  EXPECT_FALSE(target_for({}, "tahiti"));
  // An empty file asks for the defaults, which are what they are without one.
  Policy untouched;
  EXPECT_TRUE(read_policy("", untouched, findings));
  EXPECT_EQ(canonical_policy(untouched), canonical_policy({}));
}

TEST(Policy, ErrorsNameTheirPlace) {
  struct Case {
    std::string_view toml, at, message;
  };
  const Case cases[] = {
      {"layuot = \"auto\"", "\"auto\"", "'layuot' is no key"},
      {"layout = \"fast\"", "\"fast\"", "one of auto, in-place, natural"},
      {"layout = 1", "1", "one of auto"},
      {"code-object = 2", "2", "from 3 to 6"},
      {"prove = 1", "1", "true or false"},
      {"seed = -1", "-1", "from 0 to 4294967295"},
      {"# ä\n[targets]\nvoodoo = \"gfx600\"", "\"gfx600\"", "'voodoo' is no device"},
      {"[targets]\ntahiti = \"gfx1\"", "\"gfx1\"", "'gfx1' is no target"},
      {"[targets]\ntahiti = 600", "600", "no string"},
      {"targets = 1", "1", "is a table"},
      {"[limits]\nprogram-bytes = 0", "0", "from 1 to 1073741824"},
      {"[limits]\nspeed = 1", "1", "no limit"},
      {"layout = ", "", ""},
  };
  for (const auto& [toml, at, message] : cases) {
    Policy policy;
    Diagnostics findings;
    EXPECT_FALSE(read_policy(toml, policy, findings)) << toml;
    ASSERT_EQ(findings.all().size(), 1u) << toml;
    EXPECT_EQ(findings.all()[0].code, Code::PolicyInvalid);
    EXPECT_NE(findings.all()[0].message.find(message), std::string::npos) << findings.all()[0].message;
    EXPECT_TRUE(at.empty() || findings.all()[0].where.begin == toml.rfind(at)) << toml;
  }
}

TEST(Policy, TargetsOfTheCommandLineAreCheckedAsInAFile) {
  Policy policy;
  Diagnostics findings;
  EXPECT_TRUE(add_target("gfx900", policy, findings));
  EXPECT_TRUE(add_target("Tahiti=gfx600", policy, findings) || add_target("tahiti=gfx600", policy, findings));
  EXPECT_EQ(target_for(policy, "tahiti")->target->name, "gfx600");
  EXPECT_EQ(target_for(policy, "hawaii")->target->name, "gfx900");
  for (const char* wrong : {"", "=", "gfx", "voodoo=gfx600", "tahiti=", "tahiti=gfx1"})
    EXPECT_FALSE(add_target(wrong, policy, findings)) << wrong;
}

}  // namespace
}  // namespace amdcompat::migrate::policy_test
