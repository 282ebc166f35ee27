// docs/launch.schema.json accepts what `pack` reads, and nothing else. Judged by python3-jsonschema: golden launch
// files, templates, refused files, and every small change of two files that have all fields.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <amdcompat/open.hpp>

#include "launch_file.hpp"
#include "refused_launches.hpp"
#include "support/json_schema.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"
#include "support/wants_all.hpp"

namespace launch_schema_test {
namespace {

using namespace amdcompat_test;
using Json = nlohmann::ordered_json;
using Pointer = Json::json_pointer;

const std::filesystem::path kSource = AMDCOMPAT_SOURCE_DIR;
const std::filesystem::path kSchema = kSource / "docs/launch.schema.json";

// The tool and the schema must agree about each document; returns how many they accept.
std::size_t compare(const std::vector<std::string>& documents) {
  const std::vector<std::string> verdicts = judge_by_schema("launch.schema.json", documents);
  std::size_t valid = 0;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    amdcompat::Diagnostics found;
    const bool accepted = amdcompat::cli::parse_launch(documents[i], found).has_value();
    EXPECT_EQ(verdicts[i] == "valid", accepted)
        << documents[i] << "\nschema: " << verdicts[i] << "\ntool: "
        << (found.all().empty() ? "valid" : found.all().front().path + ": " + found.all().front().message);
    valid += accepted ? 1 : 0;
  }
  return valid;
}

std::string one_line(const std::string& json) { return Json::parse(json, nullptr, true, true).dump(); }

// --- documents with every field ------------------------------------------------------------------------------

const char* const kAllFields[] = {
    // CL1
    R"({"kernel": "k", "dim": 2, "global": [64, "0x40"], "local": [8, 8], "offset": [0, "18446744073709551615"],
        "task": false, "profile": "spec", "argument_profile": "safe", "image_layout": "7xx", "strict": true,
        "arguments": [{"name": "v", "type": "uint4", "bytes": "0011AAff"},
                      {"buffer": "0x2000", "base": "0X1000", "size": 4096}, {"null": true}, {"local": 16},
                      {"image": {"width": 64, "height": 64, "depth": 1, "order": "0x10b5", "type": "0x10d2",
                                 "address": 256, "row_pitch": 256, "slice_pitch": 16384, "array_size": 1,
                                 "offset": 0}},
                      {"sampler": 16}],
        "split": {"global": [32, 64], "offset": [32, 0], "group_offset": [4, 0]},
        "printf": {"address": 4096, "base": 0, "dwords_per_item": 64, "size": 65536},
        "data_segment": {"address": 1, "base": 0, "size": 2}, "constant_data": {"2": "0x1000", "3": {"address": 1}},
        "rings": {"private_offset": 0, "private_bytes": 1, "local_offset": 2, "local_bytes": 3, "math_table": 4},
        "memory": [{"address": 1, "bytes": "00"}, {"address": "0x10", "file": "f"}],
        "uav": [{"slot": 11, "address": "0x1000", "size": 16, "stride": 4}],
        "constant_buffers": [{"slot": 2, "address": 4096, "size": 16}]})",
    // CL2
    R"({"global": [64, 1, 1], "local": null, "offset": null, "split": null, "printf": null, "data_segment": null,
        "constant_data": null, "rings": null, "arguments": [{"object": "00"}],
        "cl2": {"memory": "0x1000", "printf_buffer": 1, "default_queue": 2, "aql_wrap": 3, "kernel_object": 64,
                "completion_signal": 5, "queue": 6, "local_aperture": 7, "scratch_aperture": 8, "scratch": 9,
                "scratch_bytes": 10, "scratch_offset": 256}})",
    // Code objects
    R"({"global": [64], "arguments": [{"bytes": "00"}],
        "hsa": {"memory": "0x1000", "kernel_object": 64, "completion_signal": 1, "queue": 2, "printf_buffer": 3,
                "hostcall_buffer": 4, "default_queue": 5, "completion_action": 6, "multigrid_sync": 7, "heap": 8,
                "local_aperture": 9, "scratch_aperture": 10}})",
    R"({"task": true, "hsa": null, "dim": "0x1", "global": "ignored", "local": {}, "offset": 1,
        "split": {"no": "field"}, "cl2": null})"};

// Values of a type: how many of them it has and what it holds is for the tool to say, not for the schema.
const char* const kTypedFields[] = {
    R"({"global": [64], "arguments": [{"name": "v", "type": "float4", "value": [1, 2.5, "0x3f800000", "-inf"]},
                                      {"type": "uint", "value": 3}, {"type": "uchar3", "value": "0x2"}],
        "memory": [{"address": 1, "type": "short", "value": [1, -2, "3"]}]})"};

// Every value in the document, itself included.
void collect(const Json& value, const Pointer& at, std::vector<Pointer>& out) {
  out.push_back(at);
  if (value.is_object())
    for (const auto& [key, member] : value.items()) collect(member, at / key, out);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], at / i, out);
}

// Integers at the limits, spellings of integers, and one value of every other type.
const char* const kOtherValues[] = {"null",
                                    "true",
                                    "false",
                                    "0",
                                    "1",
                                    "2",
                                    "3",
                                    "4",
                                    "-1",
                                    "1.5",
                                    "4294967295",
                                    "4294967296",
                                    "18446744073709551615",
                                    "18446744073709551616",
                                    "[]",
                                    "{}",
                                    "[1]",
                                    "[1, 2]",
                                    "[1, 2, 3]",
                                    "[1, 2, 3, 4]",
                                    "[4294967296, 4294967296]",
                                    R"({"address": 0})",
                                    R"({"address": 0, "dwords_per_item": 0})",
                                    R"({"null": true})",
                                    R"([{"null": true}])",
                                    R"({"2": 0})",
                                    R"({"-1": 0})",
                                    R"({"4294967296": 0})",
                                    R"({"width": 1, "order": 1, "type": 1})",
                                    R"("")",
                                    R"("0")",
                                    R"("003")",
                                    R"("0x2")",
                                    R"("00")",
                                    R"("0f1")",
                                    R"("0g")",
                                    R"("0x")",
                                    R"("-1")",
                                    R"("+1")",
                                    R"(" 1")",
                                    R"("1e3")",
                                    R"("4294967295")",
                                    R"("4294967296")",
                                    R"("0xffffffff")",
                                    R"("0x100000000")",
                                    R"("9999999999")",
                                    R"("18446744073709551615")",
                                    R"("18446744073709551616")",
                                    R"("18446744073709551609")",
                                    R"("018446744073709551599")",
                                    R"("19000000000000000000")",
                                    R"("100000000000000000000")",
                                    R"("0x0ffffffffffffffff")",
                                    R"("0x10000000000000000")",
                                    R"("amd")",
                                    R"("safe")",
                                    R"("strict")",
                                    R"("8xx")"};

TEST(LaunchSchema, AgreesWithTheToolAboutEverySmallChange) {
  NEEDS_VALIDATOR();
  std::vector<std::string> documents;
  for (const char* const text : kAllFields) {
    const Json all = Json::parse(text);
    documents.push_back(all.dump());
    EXPECT_EQ(compare({all.dump()}), 1u);
    std::vector<Pointer> places;
    collect(all, Pointer(), places);
    for (const Pointer& place : places) {
      for (const char* const other : kOtherValues) {
        Json changed = all;
        changed[place] = Json::parse(other);
        documents.push_back(changed.dump());
      }
      if (place.empty()) continue;
      Json less = all;
      Json& parent = less[place.parent_pointer()];
      if (parent.is_array())
        parent.erase(std::stoul(place.back()));
      else
        parent.erase(place.back());
      documents.push_back(less.dump());
      Json more = all;
      if (more[place].is_object()) more[place]["novelty"] = 0;
      documents.push_back(more.dump());
    }
  }
  EXPECT_GT(documents.size(), 6000u);
  const std::size_t part = amdcompat_test::one_of(4);
  std::vector<std::string> some;
  for (std::size_t n = 0; n < documents.size(); n += part) some.push_back(std::move(documents[n]));
  const std::size_t valid = compare(some);
  EXPECT_GT(valid, 1000u / part);
  EXPECT_LT(valid, some.size() - 1000 / part);
}

TEST(LaunchSchema, AcceptsEveryTypedValueThatTheToolAccepts) {
  NEEDS_VALIDATOR();
  std::vector<std::string> documents;
  for (const char* const text : kTypedFields) {
    const Json all = Json::parse(text);
    EXPECT_EQ(compare({all.dump()}), 1u);
    std::vector<Pointer> places;
    collect(all, Pointer(), places);
    for (const Pointer& place : places)
      for (const char* const other : kOtherValues) {
        Json changed = all;
        changed[place] = Json::parse(other);
        documents.push_back(changed.dump());
      }
  }
  const std::vector<std::string> verdicts = judge_by_schema("launch.schema.json", documents);
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    amdcompat::Diagnostics found;
    if (!amdcompat::cli::parse_launch(documents[i], found)) continue;
    EXPECT_EQ(verdicts[i], "valid") << documents[i];
    ++accepted;
  }
  EXPECT_GT(accepted, 100u);
}

// So that no field of the schema escapes the tests above.
TEST(LaunchSchema, EveryFieldOfTheSchemaIsTested) {
  std::set<std::string> used, known;
  const auto use = [&](const char* text) {
    std::vector<Pointer> places;
    collect(Json::parse(text), Pointer(), places);
    for (const Pointer& place : places)
      if (!place.empty()) used.insert(place.back());
  };
  std::ranges::for_each(kAllFields, use);
  std::ranges::for_each(kTypedFields, use);
  const Json schema = Json::parse(read_file(kSchema));
  std::vector<Pointer> places;
  collect(schema, Pointer(), places);
  for (const Pointer& place : places)
    if (!place.empty() && place.parent_pointer() != Pointer() && place.parent_pointer().back() == "properties") {
      known.insert(place.back());
      EXPECT_TRUE(used.contains(place.back())) << place.to_string();
    }
  EXPECT_GT(known.size(), 50u);
}

// --- real launch files ---------------------------------------------------------------------------------------

TEST(LaunchSchema, AcceptsTheGoldenLaunchFilesAndTheTemplatesOfEverySample) {
  NEEDS_VALIDATOR();
  std::vector<std::string> documents;
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "tests/abi/golden"))
    if (entry.path().string().ends_with(".launch.json")) documents.push_back(one_line(read_file(entry.path())));
  EXPECT_GE(documents.size(), 6u);
  for (const auto& entry : std::filesystem::directory_iterator(AMDCOMPAT_SAMPLES "/bin")) {
    amdcompat::Diagnostics ignored;
    const auto file = amdcompat::open(read_file(entry.path()), ignored);
    if (!file) continue;
    for (const amdcompat::Kernel& kernel : file->program.kernels)
      documents.push_back(one_line(amdcompat::cli::launch_template(kernel, file->program.data)));
  }
  EXPECT_GT(documents.size(), 40u);
  EXPECT_EQ(compare(documents), documents.size());
}

// Those refused for the kernel's sake are valid files: the tool's own reader says which.
TEST(LaunchSchema, RefusesTheLaunchFilesThatTheToolRefusesForTheirForm) {
  NEEDS_VALIDATOR();
  std::vector<std::string> documents;
  for (const RefusedLaunch& refused : kRefusedLaunches) documents.push_back(refused.launch);
  for (const RefusedFields& refused : kRefusedCl2Fields) documents.push_back(around_fields(refused.fields));
  EXPECT_LT(compare(documents), documents.size() - 25);
}

}  // namespace
}  // namespace launch_schema_test
