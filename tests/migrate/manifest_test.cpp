// Records of a manifest: written, read again, refused; docs/manifest.schema.json.
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <manifest.hpp>
#include <program.hpp>

#include "support/json_schema.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat::migrate::manifest_test {
namespace {

using namespace amdcompat_test;
using Json = nlohmann::ordered_json;

const std::string kDigest(64, 'a');
const std::filesystem::path kSource = AMDCOMPAT_SOURCE_DIR;

Finding full_finding() {
  return {"AC4302", Severity::Warning, 5, 6, 7, 8, ";line", "block", "k", "a", "a.b[1]", "why"};
}

// Every member of every record says something.
HeaderRecord full_header() { return {1, "0.1.0", canonical_policy({}), true, Shard{2, 3}, ProofShare{4, 5}, "in\xfd"}; }
FileRecord full_file() {
  FileRecord out{"vault.zip!/a\xff",
                 "vault.zip\xfe",
                 3,
                 99,
                 kDigest,
                 "archive",
                 Outcome::Partial,
                 {},
                 {full_finding()},
                 {{"files/vault.zip!/a.gfx600.hsaco", "objects/aa/" + kDigest + ".hsaco"}}};
  out.programs.push_back({kDigest, 1, 2, "hipv4-amdgcn-amd-amdhsa--gfx906"});
  return out;
}
ProgramRecord full_program() {
  ProgramRecord out{kDigest, 10, "CL1 GPU container", "tahiti", "driver", Outcome::Partial,
                    {},      {}, {full_finding()},    4};
  out.outputs.push_back({"objects/aa/" + kDigest + ".hsaco", "elf", "in-place", "gfx600", 3, 100, kDigest});
  ManifestKernel kernel{"k", "3:1:111", Outcome::Converted, "in-place", 64, {}, {}, false, {}, {}};
  kernel.arguments.push_back({"a", "float*", "global_buffer", 1, 16, 32, 8});
  kernel.machine_code = true;
  kernel.other = ManifestSegment{"natural", 40, {{"a", "float*", "global_buffer", {}, {}, 8, 8}}};
  kernel.proof = ManifestProof{"unproved", 3, 1, 2, 1, 2, 3, "reason", "device"};
  kernel.lift = ManifestLift{"refused", "work-item", 4, "AC4406", kernel.proof};
  out.kernels.push_back(kernel);
  return out;
}
SummaryRecord full_summary() {
  return {{1, 2, 3, 4, 5, 6},
          {1, 2, 3, 4, 5, 0},
          {0, 2, 3, 0, 5, 0},
          7,
          8,
          {1, 2, 3},
          2,
          1,
          {{"gfx600", {4, {0, 1, 2, 3}}}}};
}

TEST(Manifest, EveryRecordIsReadAsItWasWritten) {
  EXPECT_EQ(std::get<HeaderRecord>(parse_line(to_line(full_header())).value()), full_header());
  EXPECT_EQ(std::get<FileRecord>(parse_line(to_line(full_file())).value()), full_file());
  EXPECT_EQ(std::get<ProgramRecord>(parse_line(to_line(full_program())).value()), full_program());
  EXPECT_EQ(std::get<SummaryRecord>(parse_line(to_line(full_summary())).value()), full_summary());
  EXPECT_EQ(std::get<FileRecord>(parse_line(to_line(FileRecord{})).value()), FileRecord{});
  EXPECT_EQ(to_line(full_program()).find('\n'), to_line(full_program()).size() - 1);
}

TEST(Manifest, LinesThatAreNoRecordAreRefusedWithTheReason) {
  const std::string file = to_line(full_file());
  const auto with = [&](const char* key, const Json& value) {
    Json json = Json::parse(file);
    json[key] = value;
    return json.dump();
  };
  const std::pair<std::string, std::string> cases[] = {
      {"", "no JSON"},
      {"{", "no JSON"},
      {"[]", "an object is expected"},
      {std::string(1'000'000, '['), "no JSON"},
      {std::string(1'000'000, '[') + std::string(1'000'000, ']'), "nests too deeply"},
      {R"({"record":"other"})", "record 'other' is not known"},
      {R"({"record":"file"})", "'path' is missing"},
      {with("size", -1), "'size' is no number"},
      {with("size", "1"), "'size' is no number"},
      {with("sha256", "00"), "'sha256' is no SHA-256 digest"},
      {with("result", "fine"), "result 'fine' is not known"},
      {with("programs", 1), "'programs' is no list"},
      {with("findings", Json::array({1})), "an object is expected"},
      {with("path_bytes", "0g"), "'path_bytes' is not hexadecimal"},
      {R"({"record":"manifest","schema":2,"tool":"1","policy":{},"complete":true})", "schema 2 is not known"},
      {R"({"record":"manifest","schema":1,"tool":"1","policy":{},"complete":1})", "neither true nor false"},
  };
  for (const auto& [line, reason] : cases) {
    const auto record = parse_line(line);
    ASSERT_FALSE(record) << line;
    EXPECT_EQ(record.error().code, Code::ManifestBroken);
    EXPECT_NE(record.error().message.find(reason), std::string::npos) << line << ": " << record.error().message;
  }
}

TEST(Manifest, IsReadInOrderOrRefused) {
  const TemporaryDirectory directory;
  const std::string path = directory / "manifest.jsonl";
  const auto read = [&](const std::string& text) {
    write_file(path, text);
    Diagnostics findings;
    std::size_t records = 0;
    const bool good = read_manifest(path, [&](Record&&) { return ++records != 0; }, findings);
    EXPECT_NE(good, findings.contains(Code::ManifestBroken));
    return good ? static_cast<int>(records) : -1;
  };
  const std::string header = to_line(full_header()), file = to_line(full_file()), program = to_line(full_program()),
                    summary = to_line(full_summary());
  EXPECT_EQ(read(header + file + program + summary), 4);
  EXPECT_EQ(read(header + summary), 2);
  EXPECT_EQ(read(""), -1);
  EXPECT_EQ(read(file + summary), -1);
  EXPECT_EQ(read(header + program + file + summary), -1);
  EXPECT_EQ(read(header + file + file + summary), -1);
  EXPECT_EQ(read(header + file + program), -1);
  EXPECT_EQ(read(header + file + program + summary + summary), -1);
  EXPECT_EQ(read(header + std::string(1, '\0') + summary), -1);
  Diagnostics findings;
  EXPECT_FALSE(read_manifest(directory / "none", [](Record&&) { return true; }, findings));
  EXPECT_TRUE(findings.contains(Code::FileUnreadable));
}

TEST(Manifest, SchemaTakesWhatIsWrittenAndNothingElse) {
  NEEDS_VALIDATOR();
  std::vector<std::string> good, bad;
  HeaderRecord whole = full_header();
  whole.shard.reset();
  whole.proofs.reset();
  for (std::string line : {to_line(full_header()), to_line(full_file()), to_line(full_program()),
                           to_line(full_summary()), to_line(FileRecord{}), to_line(whole)}) {
    ASSERT_TRUE(line.ends_with('\n'));
    line.pop_back();
    good.push_back(line);
    Json json = Json::parse(line);
    json["novelty"] = 1;
    bad.push_back(json.dump());
    json.erase("novelty");
    json.erase("record");
    bad.push_back(json.dump());
  }
  for (const std::string& verdict : judge_by_schema("manifest.schema.json", good)) EXPECT_EQ(verdict, "valid");
  for (const std::string& verdict : judge_by_schema("manifest.schema.json", bad)) EXPECT_NE(verdict, "valid");
}

// So that no field of the schema escapes the tests above.
TEST(Manifest, EveryFieldOfTheSchemaIsWritten) {
  std::set<std::string> used, known;
  const std::function<void(const Json&, bool)> collect = [&](const Json& value, bool schema) {
    if (value.is_object())
      for (const auto& [key, member] : value.items()) {
        if (!schema) used.insert(key);
        if (schema && key == "properties")
          for (const auto& [name, ignored] : member.items()) known.insert(name);
        collect(member, schema);
      }
    if (value.is_array())
      for (const Json& member : value) collect(member, schema);
  };
  for (const std::string& line :
       {to_line(full_header()), to_line(full_file()), to_line(full_program()), to_line(full_summary())})
    collect(Json::parse(line), false);
  collect(Json::parse(read_file(kSource / "docs/manifest.schema.json")), true);
  EXPECT_GT(known.size(), 60u);
  for (const std::string& name : known) EXPECT_TRUE(used.contains(name)) << name << " is never written";
}

}  // namespace
}  // namespace amdcompat::migrate::manifest_test
