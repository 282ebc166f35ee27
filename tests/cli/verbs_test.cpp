// Verbs that belong together behave together: help, misspelt words, outputs, names of GPUs, and what they end with.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <amdcompat/diagnostic.hpp>

#include "launch_values.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace verbs_test {
namespace {

using namespace amdcompat_test;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const fs::path kSamples = fs::path(AMDCOMPAT_SAMPLES) / "bin";

ProcessResult tool(const std::string& arguments, const fs::path& directory = kSamples) {
  return run(fmt::format("cd '{}' && ('{}' {} < /dev/null)", directory.string(), AMDCOMPAT_TOOL, arguments));
}
std::string output(const std::string& arguments, const fs::path& directory = kSamples) {
  return tool(arguments + " 2>/dev/null", directory).output;
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::vector<std::string> listed(const std::string& help, const std::string& title) {
  std::vector<std::string> out;
  std::istringstream in(help);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == title)
      inside = true;
    else if (inside && line.empty())
      break;
    else if (inside && line.starts_with("  ") && line[2] != ' ')
      out.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return out;
}
std::vector<std::string> verbs() { return listed(output("--help"), "Subcommands:"); }

struct FileVerb {
  const char* name;
  const char* more = "";  // arguments that it needs besides the file
};
// Verbs that read program files.
constexpr FileVerb kFileVerbs[] = {{"doctor", "--gpu cpu"},
                                   {"inspect"},
                                   {"check"},
                                   {"convert"},
                                   {"roundtrip"},
                                   {"layout"},
                                   {"pack", "--template"},
                                   {"extract", "-o parts"},
                                   {"lift"},
                                   {"stub", "--api hsa"},
                                   {"run", "--launch launch.json"},
                                   {"launch", "--launch launch.json"},
                                   {"printf", "--buffer buffer"},
                                   {"verify"}};

TEST(Verbs, NoArgumentsShowWhatThereIs) {
  const ProcessResult shown = tool("");
  EXPECT_EQ(shown.status, 2);
  EXPECT_TRUE(has(shown.output, "Subcommands:")) << shown.output;
  EXPECT_EQ(shown.output, output("--help"));
  for (const char* verb : {"explain", "migrate", "opencl", "manual", "pack"}) EXPECT_EQ(tool(verb).status, 2) << verb;
}

TEST(Verbs, HelpFitsInEightyColumns) {
  std::vector<std::string> all = verbs();
  all.emplace_back();
  for (const std::string& verb : all) {
    std::istringstream lines(output(verb + " --help"));
    for (std::string line; std::getline(lines, line);) {
      const auto columns = std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; });
      EXPECT_LE(columns, 80) << verb << ": " << line;
      EXPECT_FALSE(line.ends_with(' ')) << verb << ": " << line;
    }
  }
}

TEST(Verbs, VersionHasAShortName) {
  EXPECT_EQ(output("-V"), output("--version"));
  EXPECT_EQ(tool("-V").status, 0);
}

TEST(Verbs, AMisspeltVerbGetsTheNearestOne) {
  for (const auto& [given, meant] : std::vector<std::pair<std::string, std::string>>{{"covnert", "convert"},
                                                                                     {"inpsect", "inspect"},
                                                                                     {"doctr", "doctor"},
                                                                                     {"chekc", "check"},
                                                                                     {"--versoin", "--version"}}) {
    const ProcessResult answer = tool(given + " tahiti-923.clo");
    EXPECT_EQ(answer.status, 2) << given;
    EXPECT_TRUE(has(answer.output, fmt::format("did you mean {}?", meant))) << answer.output;
  }
  const ProcessResult far = tool("xyzzy");
  EXPECT_EQ(far.status, 2);
  EXPECT_TRUE(has(far.output, "'xyzzy' is no verb (see --help)")) << far.output;
}

// Two letters of every long option of every verb swapped.
TEST(Verbs, AMisspeltOptionGetsTheNearestOne) {
  std::size_t tried = 0;
  for (const std::string& verb : verbs())
    for (const std::string& entry : listed(output(verb + " --help"), "Options:")) {
      const std::size_t at = entry.find("--");
      if (at == std::string::npos) continue;
      std::string name = entry.substr(at, entry.find_first_of(",{", at) - at);
      if (name.size() < 7 || name[4] == name[5]) continue;
      std::string wrong = name;
      std::swap(wrong[4], wrong[5]);
      const ProcessResult answer = tool(fmt::format("{} {} tahiti-923.clo", verb, wrong));
      EXPECT_EQ(answer.status, 2) << verb << ' ' << wrong;
      EXPECT_TRUE(has(answer.output, "did you mean --")) << verb << ' ' << wrong << '\n' << answer.output;
      ++tried;
    }
  EXPECT_GT(tried, 80u);
}

TEST(Verbs, EndWithTheSameStatusForTheSameEvent) {
  const TemporaryDirectory work;
  fs::copy(kSamples / "tahiti-923.clo", work / "good.clo");
  write_file(work / "nonsense", "nonsense\n");
  write_file(work / "buffer", std::string(8, '\1'));
  fs::create_directory(work / "tree");
  ASSERT_EQ(tool("pack --template -o launch.json good.clo", work / "").status, 0);
  for (const FileVerb& verb : kFileVerbs) {
    const auto status = [&](const std::string& file) {
      return tool(fmt::format("{} {} {}", verb.name, verb.more, file), work / "");
    };
    EXPECT_EQ(status("no-such-file").status, 3) << verb.name;
    const ProcessResult tree = status("tree");
    EXPECT_EQ(tree.status, 3) << verb.name;
    EXPECT_TRUE(has(tree.output, "`amdcompat migrate DIR --out NEW`")) << verb.name << ": " << tree.output;
    EXPECT_EQ(status("nonsense").status, 1) << verb.name;
    EXPECT_EQ(status("--no-such-option good.clo").status, 2) << verb.name;
    EXPECT_EQ(status("--kernel no_such_kernel good.clo").status, std::string_view(verb.name) == "roundtrip" ? 2 : 1)
        << verb.name;
  }
  for (const char* verb : {"check", "convert", "lift", "stub --api hsa", "verify", "migrate --out new"}) {
    const ProcessResult answer = tool(fmt::format("{} --target 'RX 6880' good.clo", verb), work / "");
    EXPECT_EQ(answer.status, 2) << verb;
    EXPECT_TRUE(has(answer.output, "did you mean 'Radeon RX 6800'?")) << verb << ": " << answer.output;
  }
}

TEST(Verbs, WriteToAFileWhatTheyPrint) {
  const TemporaryDirectory work;
  fs::copy(kSamples, work / "in", fs::copy_options::recursive);
  write_file(work / "in/buffer", std::string("\1\0\0\0\0\0\0\0", 8));
  ASSERT_EQ(tool("pack --template -o launch.json pitcairn-scale.clo", work / "in").status, 0);
  for (const char* command : {"doctor --compiler none --gpu gfx1030 tahiti-923.clo", "inspect tahiti-923.clo",
                              "inspect --format json tahiti-923.clo", "inspect --explain", "check tahiti-923.clo",
                              "check --format json tahiti-923.clo", "roundtrip tahiti-923.clo", "layout tahiti-923.clo",
                              "convert tahiti-923.clo", "lift pitcairn-scale.clo", "stub --api hsa pitcairn-scale.clo",
                              "verify pitcairn-scale.clo pitcairn-scale.clo", "printf --buffer buffer printf.amdil",
                              "run --launch launch.json pitcairn-scale.clo", "devices", "devices --boards",
                              "explain AC4303", "explain --list"}) {
    const ProcessResult printed = tool(fmt::format("{} 2>/dev/null", command), work / "in");
    const ProcessResult silent = tool(fmt::format("{} -o out 2>/dev/null", command), work / "in");
    EXPECT_EQ(silent.output, "") << command;
    EXPECT_EQ(silent.status, printed.status) << command;
    ASSERT_TRUE(fs::exists(work / "in/out")) << command;
    EXPECT_EQ(read_file(work / "in/out"), printed.output) << command;
    fs::remove(work / "in/out");
    const ProcessResult failed = tool(fmt::format("{} -o no-such-directory/out", command), work / "in");
    EXPECT_EQ(failed.status, 3) << command << '\n' << failed.output;
    EXPECT_TRUE(has(failed.output, "error[AC0002]")) << command << '\n' << failed.output;
  }
  // What could not be read leaves no file behind.
  EXPECT_EQ(tool("inspect -o out no-such-file", work / "in").status, 3);
  for (const auto& entry : fs::directory_iterator(work / "in"))
    EXPECT_FALSE(entry.path().filename().string().starts_with("out")) << entry.path();
}

TEST(Verbs, TakeAGpuByAnyOfItsNames) {
  const TemporaryDirectory work;
  fs::copy(kSamples / "pitcairn-scale-64.clo", work / "old.clo");
  for (const char* name : {"gfx600", "tahiti", "'HD 7970'", "'Radeon HD 7970'", "HD-7970"}) {
    ASSERT_EQ(tool(fmt::format("convert --to elf --target {} -o new.hsaco old.clo", name), work / "").status, 0)
        << name;
    EXPECT_TRUE(has(output("inspect new.hsaco", work / ""), "gfx600")) << name;
    EXPECT_EQ(tool(fmt::format("check --for in-place --target {} old.clo", name), work / "").status, 0) << name;
  }
  EXPECT_EQ(tool("migrate -q --target 'pitcairn=HD 7970' -o new old.clo", work / "").status, 0);
  EXPECT_TRUE(has(read_file(work / "new/manifest.jsonl"), "gfx600")) << read_file(work / "new/manifest.jsonl");
}

TEST(Explain, TakesCodesInEverySpellingAndSuggestsOne) {
  const std::string page = output("explain AC4303");
  EXPECT_TRUE(page.starts_with("AC4303 InPlaceUserData (error)\n")) << page;
  for (const char* word : {"4303", "ac4303", "InPlaceUserData", "inplaceuserdata"})
    EXPECT_EQ(output(fmt::format("explain {}", word)), page) << word;
  const ProcessResult wrong = tool("explain AC4330 AC4303");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(has(wrong.output, "did you mean AC430")) << wrong.output;
  EXPECT_TRUE(has(wrong.output, "AC4303 InPlaceUserData")) << "what is known is explained";
}

TEST(Explain, HasMeaningCauseRemedyAndExampleOfEveryCode) {
  for (const amdcompat::CodeInfo& info : amdcompat::all_codes()) {
    const std::string label = amdcompat::code_label(info.code);
    const Json row = Json::parse(output(fmt::format("explain --format json {}", label)));
    for (const char* key : {"meaning", "cause", "remedy"}) EXPECT_FALSE(row[key].get<std::string>().empty()) << label;
    ASSERT_TRUE(row.contains("example")) << label;
    EXPECT_TRUE(has(row["example"]["output"].get<std::string>(), label)) << label << row.dump(2);
  }
}

TEST(Findings, OneRowOfBytesAFileUnlessAllAreAskedFor) {
  const TemporaryDirectory work;
  // Two symbols and a header that are wrong: findings in binary data.
  std::string bytes = read_file(kSamples / "cl2-hawaii-code.clo");
  ASSERT_FALSE(bytes.empty());
  const auto rows = [&](const std::string& options) {
    std::size_t n = 0;
    std::istringstream in(tool(fmt::format("check {} broken.bin", options), work / "").output);
    for (std::string line; std::getline(in, line);) n += line.starts_with("  0000") ? 1 : 0;
    return n;
  };
  for (std::size_t at = 0x100; at < bytes.size(); at += 97) bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
  write_file(work / "broken.bin", bytes);
  EXPECT_LE(rows(""), 1u);
  EXPECT_GE(rows("-v"), rows(""));
}

// --- values of launch files ---

std::string bytes_of(const char* json, const char* type, bool whole = true) {
  const auto element = amdcompat::cli::element_type(type);
  if (!element) return "no type";
  const auto bytes = amdcompat::cli::encode_value(Json::parse(json), *element, whole);
  if (!bytes) return "refused";
  std::string out;
  for (const std::byte byte : *bytes) out += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return out;
}

TEST(LaunchValues, AreNumbersBitsAndLists) {
  EXPECT_EQ(bytes_of("64", "uint"), "40000000");
  EXPECT_EQ(bytes_of("-2", "int"), "feffffff");
  EXPECT_EQ(bytes_of("-2", "char"), "fe");
  EXPECT_EQ(bytes_of("1.5", "float"), "0000c03f");
  EXPECT_EQ(bytes_of("1.5", "double"), "000000000000f83f");
  EXPECT_EQ(bytes_of("\"0x3f800000\"", "float"), "0000803f");
  EXPECT_EQ(bytes_of("\"-inf\"", "float"), "000080ff");
  EXPECT_EQ(bytes_of("\"0xff\"", "unsigned char"), "ff");
  EXPECT_EQ(bytes_of("[1, 2]", "ushort2"), "01000200");
  EXPECT_EQ(bytes_of("[1, 2, 3]", "uchar3"), "01020300") << "three lanes are stored as four";
  EXPECT_EQ(bytes_of("7", "char4"), "07070707") << "one number for all lanes";
  EXPECT_EQ(bytes_of("[1, 2, 3]", "float", false), "0000803f0000004000004040");
  EXPECT_EQ(bytes_of("[]", "float", false), "");
  EXPECT_EQ(bytes_of("true", "bool"), "01000000");
  EXPECT_EQ(bytes_of("18446744073709551615", "size_t"), "ffffffffffffffff");
  EXPECT_EQ(bytes_of("1", "u16"), "0100");
}

TEST(LaunchValues, HalvesAreRoundedToTheNearest) {
  for (const auto& [number, bits] : std::vector<std::pair<const char*, const char*>>{{"1", "003c"},
                                                                                     {"-2", "00c0"},
                                                                                     {"65504", "ff7b"},
                                                                                     {"65519.9", "ff7b"},
                                                                                     {"65520", "007c"},
                                                                                     {"6.103515625e-05", "0004"},
                                                                                     {"5.960464477539063e-08", "0100"},
                                                                                     {"2.9e-08", "0000"},
                                                                                     {"0.1", "662e"},
                                                                                     {"2048.5", "0068"},
                                                                                     {"2049", "0068"},
                                                                                     {"2051", "0268"},
                                                                                     {"0", "0000"},
                                                                                     {"-0.0", "0080"},
                                                                                     {"1.9999", "0040"}})
    EXPECT_EQ(bytes_of(number, "half"), bits) << number;
}

TEST(LaunchValues, ThatDoNotFitAreRefused) {
  EXPECT_EQ(bytes_of("256", "uchar"), "refused");
  EXPECT_EQ(bytes_of("-1", "uint"), "refused");
  EXPECT_EQ(bytes_of("128", "char"), "refused");
  EXPECT_EQ(bytes_of("-129", "char"), "refused");
  EXPECT_EQ(bytes_of("1.5", "int"), "refused");
  EXPECT_EQ(bytes_of("\"0x100\"", "uchar"), "refused");
  EXPECT_EQ(bytes_of("\"12\"", "float"), "refused") << "a string of a float is its bits, in hexadecimal";
  EXPECT_EQ(bytes_of("[1, 2, 3]", "float2"), "refused");
  EXPECT_EQ(bytes_of("{}", "float"), "refused");
  for (const char* type : {"float5", "struct s", "float*", "", "image2d_t"}) EXPECT_EQ(bytes_of("1", type), "no type");
}

// The same launch, its values written in four ways.
TEST(LaunchValues, ReachTheKernelHoweverTheyAreWritten) {
  const TemporaryDirectory work;
  fs::copy(kSamples / "pitcairn-scale.clo", work / "k.clo");
  write_file(work / "factor", std::string("\3\0\0\0", 4));
  write_file(work / "data", std::string("\5\0\0\0\6\0\0\0", 8));
  ASSERT_EQ(tool("pack --template -o launch.json k.clo", work / "").status, 0);
  const Json plain = Json::parse(read_file(work / "launch.json"));
  const auto dump = [&](const std::function<void(Json&)>& edit) {
    Json launch = plain;
    launch["global"] = {2};
    launch["local"] = {2};
    edit(launch);
    write_file(work / "l.json", launch.dump());
    const std::string address = launch["arguments"][0]["buffer"];
    const ProcessResult ran = tool(fmt::format("run --launch l.json --dump {}:8:out k.clo", address), work / "");
    EXPECT_EQ(ran.status, 0) << launch.dump(2) << ran.output;
    return read_file(work / "out");
  };
  const auto value = [&](Json& launch, const Json& argument, const Json& memory) {
    Json& entry = launch["arguments"][1];
    entry.erase("bytes");
    entry.update(argument);
    Json part{{"address", launch["arguments"][0]["buffer"]}};
    part.update(memory);
    launch["memory"] = {part};
  };
  const std::string expected = std::string("\17\0\0\0\22\0\0\0", 8);  // 15 and 18
  EXPECT_EQ(dump([&](Json& l) { value(l, {{"bytes", "03000000"}}, {{"bytes", "0500000006000000"}}); }), expected);
  EXPECT_EQ(dump([&](Json& l) { value(l, {{"type", "uint"}, {"value", 3}}, {{"type", "uint"}, {"value", {5, 6}}}); }),
            expected);
  EXPECT_EQ(dump([&](Json& l) {
              value(l, {{"type", "uint"}, {"value", "0x3"}}, {{"type", "uint"}, {"value", {"0x5", "0x6"}}});
            }),
            expected);
  EXPECT_EQ(dump([&](Json& l) { value(l, {{"bytes", "@factor"}}, {{"bytes", "@data"}}); }), expected);
  Json missing = plain;
  value(missing, {{"bytes", "@no-such-file"}}, {{"bytes", ""}});
  write_file(work / "l.json", missing.dump());
  EXPECT_EQ(tool("run --launch l.json k.clo", work / "").status, 3) << "a file that cannot be read, as everywhere";
}

TEST(Completion, OffersGpusWhereTheyAreTaken) {
  const TemporaryDirectory pages;
  ASSERT_EQ(tool(fmt::format("manual -o '{}'", (pages / "").string())).status, 0);
  for (const char* file : {"bash/amdcompat", "zsh/_amdcompat", "fish/amdcompat.fish"}) {
    const std::string text = read_file(pages / file);
    for (const char* name : {"gfx1030", "tahiti", "RX-6800"}) EXPECT_TRUE(has(text, name)) << file << ' ' << name;
  }
}

// --- machine code --------------------------------------------------------------------------------------------------

// The listing of a kernel that has one branch, at byte 24 over the bytes up to 70, with another distance of it.
std::string listing(const TemporaryDirectory& work, std::int16_t distance) {
  std::string bytes = read_file(kSamples / "cl2-hawaii-code.clo");
  const std::size_t at = bytes.find("\x12\x00\x88\xbf", 0, 4);  // s_cbranch_execz
  EXPECT_NE(at, std::string::npos);
  bytes[at] = static_cast<char>(distance & 0xff);
  bytes[at + 1] = static_cast<char>(distance >> 8 & 0xff);
  write_file(work / "one.clo", bytes);
  return output("inspect --isa --kernel reverse one.clo", work / "");
}

TEST(Outputs, ADashIsTheStandardOutput) {
  const TemporaryDirectory work;
  fs::copy(kSamples / "tahiti-923.clo", work / "old.clo");
  for (const char* const verb : {"lift", "convert --to yaml", "layout"}) {
    const std::string plain = output(fmt::format("{} old.clo", verb), work / "");
    EXPECT_FALSE(plain.empty()) << verb;
    EXPECT_EQ(output(fmt::format("{} old.clo -o -", verb), work / ""), plain) << verb;
    EXPECT_FALSE(fs::exists(work / "-")) << verb;
  }
}

TEST(Inspect, ALabelStandsWhereABranchGoesAndWhatItSpansIsIndented) {
  const TemporaryDirectory work;
  const std::string forward = listing(work, 0x12);
  EXPECT_TRUE(has(forward, "      24  s_cbranch_execz label_0070\n")) << forward;
  EXPECT_TRUE(has(forward, "      20  s_and_saveexec_b64")) << forward;
  EXPECT_TRUE(has(forward, "      28    v_mov_b32_e32 v1, 0\n")) << forward;
  EXPECT_TRUE(has(forward, "      68    flat_store_dword")) << forward;
  EXPECT_TRUE(has(forward, "\nlabel_0070:\n      70  s_endpgm\n")) << forward;
  // A loop, with the branch that goes back in it.
  const std::string back = listing(work, -4);
  EXPECT_TRUE(has(back, "\nlabel_0018:\n      18    v_add")) << back;
  EXPECT_TRUE(has(back, "      24    s_cbranch_execz label_0018\n      28  v_mov")) << back;
  EXPECT_EQ(back.find("label_0070"), std::string::npos) << back;
}

TEST(Inspect, WhereNoInstructionBeginsThereIsNoLabelAndTheListingSaysSo) {
  const TemporaryDirectory work;
  for (const auto& [distance, said] : {std::pair{std::int16_t{2}, "; to 30, into the middle of an instruction\n"},
                                       {std::int16_t{0x7fff}, "; to 20024, outside of this code\n"},
                                       {std::int16_t{-0x20}, "; to -58, outside of this code\n"}}) {
    const std::string text = listing(work, distance);
    EXPECT_TRUE(has(text, said)) << text;
    EXPECT_EQ(text.find("label_"), std::string::npos) << text;
    EXPECT_TRUE(has(text, "      28  v_mov_b32_e32 v1, 0\n")) << text;  // and nothing is indented
  }
}

TEST(Inspect, CodeOfEveryGenerationIsListed) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  const TemporaryDirectory work;
  write_file(work / "k.cl",
             "kernel void k(global uint* p, uint n) { for (uint i = 0; i < n; ++i) p[i * 3] = p[i] * 7u + i; }\n");
  for (const auto& [processor, load] : {std::pair{"gfx900", "global_load_dword "},
                                        {"gfx1030", "global_load_dword "},
                                        {"gfx1100", "global_load_b32 "},
                                        {"gfx1200", "global_load_b32 "}}) {
    const ProcessResult made = run(fmt::format(
        "cd '{}' && clang-19 -x cl -Xclang -finclude-default-header --target=amdgcn-amd-amdhsa -mcpu={} -nogpulib -O2 "
        "k.cl -o k.o",
        (work / "").string(), processor));
    ASSERT_EQ(made.status, 0) << made.output;
    const std::string text = output("inspect --isa k.o", work / "");
    EXPECT_TRUE(has(text, load)) << text;
    EXPECT_TRUE(has(text, "\nlabel_0034:\n")) << text;  // the loop
    EXPECT_TRUE(has(text, " label_0034\n")) << text;
    EXPECT_FALSE(has(text, ".long")) << text;
  }
}

TEST(Inspect, LiftedSourceStandsBelowEachListingOrTheReasonWhyNot) {
  const std::string all = output("inspect --isa --lift cl2-hawaii-code.clo");
  const std::size_t code = all.find("\nkernel reverse: "),
                    source = all.find("\nkernel reverse as OpenCL C, work-item form\n");
  EXPECT_LT(code, source) << all;
  EXPECT_TRUE(has(all.substr(std::min(source, all.size())), "void reverse(")) << all;
  // One kernel gives the bytes that `lift` gives.
  const std::string unit = output("lift pitcairn-scale.clo --annotate"),
                    shown = output("inspect --lift pitcairn-scale.clo");
  const std::size_t kernel = unit.find("__kernel");
  ASSERT_NE(kernel, std::string::npos) << unit;
  EXPECT_TRUE(has(shown, unit.substr(kernel))) << shown;
  EXPECT_FALSE(has(shown, "machine code\n")) << shown;
  const TemporaryDirectory work;
  listing(work, 0x7fff);
  const std::string refused = output("inspect --lift --kernel reverse one.clo", work / "");
  EXPECT_TRUE(has(refused, "\nkernel reverse as OpenCL C: refused, AC")) << refused;
}

// Assembled by clang with the processor that the text names.
void expect_assembled(const fs::path& file, std::size_t& assembled) {
  const TemporaryDirectory work;
  run(fmt::format("'{}' convert -q --to asm -o {} '{}'", AMDCOMPAT_TOOL, (work / "k.s").string(), file.string()));
  if (!fs::exists(work / "k.s")) return;  // no machine code, or none that can be kept
  const std::string text = read_file(work / "k.s");
  constexpr std::string_view kTarget = "amdgcn-amd-amdhsa--";
  const std::size_t at = text.find(kTarget) + kTarget.size();
  const ProcessResult result =
      run(fmt::format("clang-19 -x assembler --target=amdgcn-amd-amdhsa -mcpu={} -c {} -o {}",
                      text.substr(at, text.find('"', at) - at), (work / "k.s").string(), (work / "k.o").string()));
  EXPECT_EQ(result.status, 0) << file << "\n" << result.output.substr(0, 1000);
  ++assembled;
}

TEST(Convert, AssemblyOfEverySampleAssemblesWithClang) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  std::size_t assembled = 0;
  for (const auto& entry : fs::directory_iterator(kSamples)) expect_assembled(entry.path(), assembled);
  EXPECT_GE(assembled, 10u);
}

TEST(Convert, AssemblyOfRealOpenCl1BinariesAssemblesWithClang) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  std::size_t assembled = 0;
  for (const RealFile& file : real_files("amdcl1")) expect_assembled(real_root() / "corpus" / file.path, assembled);
  EXPECT_GE(assembled, 20u);
}

}  // namespace
}  // namespace verbs_test
