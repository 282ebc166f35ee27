// The verbs layout, pack and printf, run as a user runs them. Golden files hold what they print for samples of our own,
// real_hashes.tsv hashes of what they print for real files. AMDCOMPAT_REBASE=1 rewrites both, and the difference is
// reviewed.
#include <cstdlib>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <amdcompat/emulate.hpp>
#include <amdcompat/open.hpp>

#include "refused_launches.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace tool_test {
namespace {

using namespace amdcompat_test;
using Json = nlohmann::json;

const std::filesystem::path kGolden = std::filesystem::path(AMDCOMPAT_SOURCE_DIR) / "tests/abi/golden";
const std::filesystem::path kClrx = "CLRX+CLRX-mirror/tests/amdbin/amdbins";
const std::filesystem::path kSdk = "Multi2Sim+m2s-bench-amdsdk-2.5";

std::string shell_word(const std::filesystem::path& path) { return "'" + path.string() + "'"; }
// Standard output only: findings name the path of the file.
ProcessResult tool(const std::string& arguments) { return run("('" AMDCOMPAT_TOOL "' " + arguments + " 2>/dev/null)"); }

void expect_golden(const std::string& name, const std::string& actual) {
  const std::filesystem::path path = kGolden / name;
  if (std::getenv("AMDCOMPAT_REBASE") != nullptr) write_file(path, actual);
  EXPECT_EQ(actual, read_file(path)) << name;
}

// What the tool prints about a kernel and its launch.
struct Printed {
  std::string layout, drawing, explanation, summary;
};

// `launch` is a file, or empty for the template that the tool makes.
Printed print(const std::filesystem::path& file, const std::string& kernel, std::filesystem::path launch) {
  Printed out;
  TemporaryDirectory made;
  const std::string input = shell_word(file) + " --kernel " + kernel;
  const auto output = [&](const std::string& arguments) {
    const ProcessResult result = tool(arguments);
    EXPECT_EQ(result.status, 0) << arguments;
    return result.output;
  };
  if (launch.empty()) output("pack " + input + " --template -o " + shell_word(launch = made / "launch.json"));
  out.layout = output("layout " + input);
  out.drawing = output("layout " + input + " --svg");
  out.explanation = output("pack " + input + " --launch " + shell_word(launch) + " -o " +
                           shell_word(made / "made/here") + " --explain");
  out.summary = read_file(made / "made/here/launch-summary.json");
  EXPECT_EQ(read_file(made / "made/here/cb0.bin").size(), 160u);
  const Json summary = Json::parse(out.summary, nullptr, false);
  EXPECT_TRUE(summary.is_object()) << file;
  for (const Json& written : summary.value("files", Json::array()))
    EXPECT_EQ(std::filesystem::file_size(made / ("made/here/" + std::string(written["name"]))), written["size"]);
  return out;
}

TEST(Tool, LayoutAndPackOfSamplesAreAsReviewed) {
  constexpr std::pair<const char*, const char*> kSamples[] = {
      {"values", "values-32.amdil"},  // every by-value type, an overlap
      {"gather", "pointers-64.amdil"},  // 64-bit pointers, local memory
      {"resample", "images.amdil"},  // images, samplers, a split dispatch
      {"blend", "spec-2009-arguments.amdil"},  // structures, emulated memory, counters; HD 4000 images
      {"trace", "printf.amdil"},  // printf buffer
      {"palette", "constants-hc.amdil"},  // hardware constant buffers
  };
  for (const auto& [kernel, file] : kSamples) {
    const std::string name = kernel;
    const Printed printed = print(std::filesystem::path(AMDCOMPAT_SOURCE_DIR) / "corpus/texts" / file, kernel,
                                  kGolden / (name + ".launch.json"));
    expect_golden(name + ".layout.txt", printed.layout);
    expect_golden(name + ".svg", printed.drawing);
    expect_golden(name + ".explain.txt", printed.explanation);
    expect_golden(name + ".summary.json", printed.summary);
  }
}

TEST(Tool, LayoutAndPackOfRealKernelsAreAsReviewed) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  const std::pair<const char*, std::filesystem::path> samples[] = {
      {"myKernel", kClrx / "alltypes.clo"},
      {"myKernel1", kClrx / "structkernel2_64.clo"},
      {"image2dCopy", kSdk / "SimpleImage/SimpleImage_Kernels.bin"},
      {"mmmKernel_local", kSdk / "MatrixMultiplication/MatrixMultiplication_Kernels.bin"},
  };
  std::string now =
      "# hash of layout, of its drawing, of pack --explain, of launch-summary.json (template); kernel; file\n";
  for (const auto& [kernel, file] : samples) {
    const Printed printed = print(real_root() / "corpus" / file, kernel, {});
    for (const std::string* text : {&printed.layout, &printed.drawing, &printed.explanation, &printed.summary})
      now += content_hash(*text) + "\t";
    now += std::string(kernel) + "\t" + file.string() + "\n";
  }
  expect_golden("../real_hashes.tsv", now);
}

TEST(Tool, ATemplateOfEveryRealKernelPacksAsItIs) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::size_t kernels = 0;
  for (const RealFile& real : real_files("amdcl1")) {
    if (real.path.find("CLRX") == std::string::npos && real.path.find("amdsdk") == std::string::npos) continue;
    if (real.path.find("_cpu") != std::string::npos) continue;  // x86 code
    const std::string file = shell_word(real_root() / "corpus" / real.path);
    std::istringstream names(real.kernels);
    for (std::string name; std::getline(names, name, ',');) {
      TemporaryDirectory out;
      const std::string kernel = " --kernel " + shell_word(name);
      ASSERT_EQ(tool("pack " + file + kernel + " --template -o " + shell_word(out / "launch.json")).status, 0)
          << real.path << " " << name;
      const ProcessResult packed = run("'" AMDCOMPAT_TOOL "' pack " + file + kernel + " --launch " +
                                       shell_word(out / "launch.json") + " -o " + shell_word(out / "out"));
      EXPECT_EQ(packed.status, 0) << real.path << " " << name << "\n" << packed.output;
      ++kernels;
      if (kernels % 4 != 0) break;  // one of each file, all of some
    }
  }
  EXPECT_GT(kernels, 40u);
}

// What the tool says of every real CL2 file, held to stored hashes; and templates that pack as they are.
TEST(Tool, OutputsForRealCl2FilesAreAsReviewed) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::string hashes =
      "# inspect --registers, layout, pack --template and --explain of the first kernel; inventory path\n";
  std::size_t files = 0;
  for (const RealFile& real : real_files("amdcl2")) {
    TemporaryDirectory out;
    ++files;
    // Findings and titles name the file as it was given.
    const auto here = [&](const std::string& arguments) {
      const ProcessResult result =
          run("(cd " + shell_word(real_root() / "corpus") + " && '" AMDCOMPAT_TOOL "' " + arguments + ")");
      EXPECT_EQ(result.status, 0) << arguments << "\n" << result.output;
      return result.output;
    };
    const std::string file = shell_word(real.path);
    amdcompat::Diagnostics ignored;
    const auto opened = amdcompat::open(read_real(real), ignored);
    ASSERT_TRUE(opened) << real.path;
    hashes += content_hash(here("inspect --registers " + file));
    if (opened->program.kernels.empty()) {
      hashes += "\t-\t-\t" + real.path + "\n";
      continue;
    }
    const std::string kernel = " --kernel " + shell_word(opened->program.kernels.front().name);
    hashes += "\t" + content_hash(here("layout " + file));
    const std::string launch = here("pack " + file + kernel + " --template 2>/dev/null");
    write_file(out / "launch.json", launch);
    hashes += "\t" + content_hash(launch + here("pack " + file + kernel + " --explain --launch " +
                                                shell_word(out / "launch.json") + " -o " + shell_word(out / "out")));
    hashes += "\t" + real.path + "\n";
    const Json summary = Json::parse(read_file(out / "out/launch-summary.json"));
    const std::string memory = read_file(out / "out/kernarg.bin");
    ASSERT_EQ(memory.size(), summary["memory"]["size"]) << real.path;
    EXPECT_EQ(memory.substr(summary["memory"]["packet_offset"], 64), read_file(out / "out/aql.bin")) << real.path;
  }
  EXPECT_EQ(files, 72u);
  expect_golden("../cl2_real_hashes.tsv", hashes);
}

// A kernel of a code object, from its template to files and to the interpreter. `executed`: its code is for a target
// that runs here. Returns the summary.
Json expect_launch(const std::string& file, const std::string& kernel, bool executed) {
  TemporaryDirectory out;
  const std::string input = shell_word(file) + " --kernel " + shell_word(kernel);
  const std::string launch = shell_word(out / "launch.json");
  const std::string about = file + " " + kernel;
  EXPECT_EQ(tool("pack " + input + " --template -o " + launch).status, 0) << about;
  const ProcessResult packed = run("'" AMDCOMPAT_TOOL "' pack " + input + " --launch " + launch + " -o " +
                                   shell_word(out / "out") + " --explain");
  EXPECT_EQ(packed.status, 0) << about << "\n" << packed.output;
  EXPECT_EQ(packed.output.find("shares bytes"), std::string::npos) << about;
  const Json summary = Json::parse(read_file(out / "out/launch-summary.json"), nullptr, false);
  EXPECT_TRUE(summary.is_object()) << about;
  if (!summary.is_object()) return {};
  EXPECT_EQ(read_file(out / "out/kernarg.bin").size(), summary["kernarg"]["size"]) << about;
  EXPECT_EQ(read_file(out / "out/aql.bin").size(), 64u) << about;
  EXPECT_FALSE(std::filesystem::exists(out / "out/cb0.bin")) << about;
  for (const char* form : {"", " --svg"}) {
    const ProcessResult layout = tool("layout " + input + form);
    EXPECT_EQ(layout.status, 0) << about;
    EXPECT_EQ(layout.output.find("(overlap)"), std::string::npos) << about;
    EXPECT_NE(layout.output.find("kernarg segment"), std::string::npos) << about;
  }
  const ProcessResult ran = run("'" AMDCOMPAT_TOOL "' run " + input + " --launch " + launch + " --instructions 2000");
  if (executed)  // what the kernel does with zeros is its own business
    EXPECT_NE(ran.output.find("kernel " + kernel + ": "), std::string::npos) << about << "\n" << ran.output;
  else
    EXPECT_NE(ran.output.find("only code for GFX6 to GFX9"), std::string::npos) << about << "\n" << ran.output;
  EXPECT_EQ(ran.output.find("AC3"), std::string::npos) << about << "\n" << ran.output;
  return summary;
}

TEST(Tool, CodeObjectsOfOurOwnAreLaunchedWithTheirTemplates) {
  const std::string bin = AMDCOMPAT_SAMPLES "/bin/";
  expect_launch(bin + "object-gfx906.hsaco", "k", true);
  TemporaryDirectory made;
  for (const char* version : {"3", "4", "5", "6"}) {
    const auto convert = [&](const std::string& sample, const std::string& options) {
      const std::string to = (made / (sample + version)).string();
      EXPECT_EQ(tool("convert -q " + options + " --to elf --code-object " + version + " -o " + shell_word(to) + " " +
                     shell_word(bin + sample))
                    .status,
                0)
          << sample << version;
      return to;
    };
    const std::string name = "V" + std::string(version);
    EXPECT_EQ(expect_launch(convert("cl2-tonga-code.clo", ""), "axpy", true)["code_object"], name);
    EXPECT_EQ(expect_launch(convert("pitcairn-scale.clo", "--layout in-place"), "scale", true)["code_object"], name);
    EXPECT_EQ(expect_launch(convert("pitcairn-scale-64.clo", "--layout in-place"), "scale", true)["code_object"], name);
  }
}

TEST(Tool, EveryRealKernelOfACodeObjectIsLaunchedWithItsTemplate) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::size_t kernels = 0, executed = 0;
  std::set<std::string> versions;
  for (const RealFile& real : real_files("hsaco")) {
    const std::filesystem::path path = real_root() / "corpus" / real.path;
    amdcompat::Diagnostics findings;
    const auto file = amdcompat::open(read_file(path), findings);
    ASSERT_TRUE(file && file->object()) << real.path;
    for (const amdcompat::Kernel& kernel : file->program.kernels) {
      if (kernel.kernarg() == nullptr || !kernel.kernarg()->arguments_known) continue;
      const amdcompat::Target* const target = file->program.target;
      const bool runs = target != nullptr && amdcompat::emulate::runnable(*target).has_value();
      const Json summary = expect_launch(path.string(), kernel.name, runs && kernel.code);
      if (summary.is_object()) versions.insert(summary.value("code_object", ""));
      ++kernels;
      executed += runs ? 1 : 0;
    }
  }
  EXPECT_GE(kernels, 45u);
  EXPECT_GE(executed, 20u);
  EXPECT_EQ(versions.size(), 5u) << "V2 (which V1 is read as) to V6";
}

TEST(Tool, LaunchFilesOfTheOtherGenerationAreExplained) {
  TemporaryDirectory out;
  const std::filesystem::path sample = AMDCOMPAT_SAMPLES "/bin/cl2-tonga-attributes.clo";
  const auto pack = [&](const std::filesystem::path& file, const std::string& fields) {
    write_file(out / "launch.json", around_fields(fields));
    return run("'" AMDCOMPAT_TOOL "' pack " + shell_word(file) + " --launch " + shell_word(out / "launch.json") +
               " -o " + shell_word(out / "out") + (file == sample ? " --kernel hinted" : ""));
  };
  for (const RefusedFields& c : kRefusedCl2Fields) {
    const ProcessResult result = pack(sample, c.fields);
    EXPECT_EQ(result.status, 1) << c.fields << "\n" << result.output;
    EXPECT_NE(result.output.find(c.expected), std::string::npos) << c.fields << "\n" << result.output;
    EXPECT_FALSE(std::filesystem::exists(out / "out/kernarg.bin")) << c.fields;
  }
  EXPECT_EQ(pack(sample, R"("arguments": [{"buffer": "0x100000"}], "cl2": {"memory": "0x10"})").status, 0);
  write_file(out / "cl1.txt",
             ";ARGSTART:__OpenCL_k_kernel\n;version:3:1:111\n;device:tahiti\n;uniqueid:1024\n;memory:uavprivate:0\n"
             ";image:i:2D:RO:0:1:0\n;function:1:1030\n;uavid:11\n;reflection:0:image2d_t\n;ARGEND:__OpenCL_k_kernel\n");
  const ProcessResult other = pack(out / "cl1.txt", R"("arguments": [{"object": "00"}], "cl2": {})");
  EXPECT_EQ(other.status, 1);
  EXPECT_NE(other.output.find("no CL2 kernel"), std::string::npos) << other.output;
  EXPECT_NE(other.output.find("arguments[0].object"), std::string::npos) << other.output;
}

const char kText[] =
    ";ARGSTART:__OpenCL_k_kernel\n;version:3:1:111\n;device:tahiti\n;uniqueid:1024\n;memory:uavprivate:0\n;memory:"
    "hwlocal:0\n"
    ";memory:datareqd\n;pointer:p:float:1:1:0:uav:12:4:RW:0:0\n;value:n:u32:1:1:16\n;function:1:1030\n;uavid:11\n;"
    "printfid:9\n;cbid:10\n"
    ";printf_fmt:0:2:4:4:9:p %d %f\\n\\n;\n;reflection:0:float*\n;reflection:1:uint\n;ARGEND:__OpenCL_k_kernel\n"
    ";#DATASTART:16\n;#i32:0:4:1:2:3:4\n;#DATAEND\n";

class ToolOnText : public testing::Test {
 protected:
  ToolOnText() { write_file(text, kText); }
  ProcessResult pack(const std::string& launch, const std::string& options = "") {
    write_file(directory / "launch.json", launch);
    return run("'" AMDCOMPAT_TOOL "' pack " + shell_word(text) + " --launch " + shell_word(directory / "launch.json") +
               " -o " + shell_word(directory / "out") + " " + options);
  }
  TemporaryDirectory directory;
  const std::filesystem::path text = directory / "k.txt";
};

TEST_F(ToolOnText, PackWritesImagesDataAndSummary) {
  const ProcessResult result = pack(R"({"global": [128], "local": ["0x40"], "offset": [3],
    "arguments": [{"name": "p", "buffer": "0x200040", "base": 2097152, "size": 64}, {"bytes": "2a000000"}],
    "printf": {"address": "0x300000", "dwords_per_item": 64}, "data_segment": "0x400000"})");
  EXPECT_EQ(result.status, 0) << result.output;
  const std::string cb0 = read_file(directory / "out/cb0.bin"), cb1 = read_file(directory / "out/cb1.bin");
  ASSERT_EQ(cb0.size(), 160u);
  EXPECT_EQ(cb0.substr(0, 4), std::string("\x80\0\0\0", 4));
  EXPECT_EQ(cb0.substr(128, 12), std::string("\0\0\x40\0\0\0\x30\0\x40\0\0\0", 12));
  EXPECT_EQ(cb1, std::string("\x40\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x2a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 32));
  EXPECT_EQ(read_file(directory / "out/data.0.bin"), std::string("\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0", 16));
  const Json summary = Json::parse(read_file(directory / "out/launch-summary.json"));
  EXPECT_EQ(summary["lds_bytes"], 0);
  EXPECT_EQ(summary["local"], Json({64, 1, 1}));
  EXPECT_EQ(summary["bindings"][2]["address"], 0x200000);
  EXPECT_EQ(summary["bindings"][2]["size"], 128);
}

TEST_F(ToolOnText, WrongLaunchFilesAreExplainedAndWriteNothing) {
  const std::string good_arguments = R"("arguments": [{"null": true}, {"bytes": "00000000"}])";
  for (const RefusedLaunch& c : kRefusedLaunches) {
    const ProcessResult result = pack(c.launch);
    EXPECT_EQ(result.status, 1) << c.launch << "\n" << result.output;
    EXPECT_NE(result.output.find(c.code), std::string::npos) << c.launch << "\n" << result.output;
    EXPECT_NE(result.output.find(c.path), std::string::npos) << c.launch << "\n" << result.output;
    EXPECT_FALSE(std::filesystem::exists(directory / "out/cb0.bin")) << c.launch;
  }
  EXPECT_EQ(pack(R"({"global": [64], "printf": {"address": 0, "dwords_per_item": 1}, "data_segment": 0, )" +
                 good_arguments + "}")
                .status,
            0);
  // A deep document must not overflow the stack.
  EXPECT_EQ(pack(std::string(100'000, '[')).status, 1);
  EXPECT_EQ(pack(R"({"global": )" + std::string(50'000, '[') + std::string(50'000, ']') + "}").status, 1);
}

// Lines and columns as an editor counts them.
TEST_F(ToolOnText, WrongValuesAreShownWhereTheyStand) {
  const ProcessResult result =
      pack("\xEF\xBB\xBF// \"global\": 1\n"
           "{ /* { */ \"glo\\u0062al\":[64 , -1/**/,\n"
           "  2.5],\n"
           "  \"arguments\" : [ [], {\"bytes\": \"\\\"]\"},\n"
           "    {\"image\": {\"width\": [[{\"width\": 1}]], \"order\": 1}}, true],\n"
           "  \"constant_data\": {\"2\": 1, \"3\":{\n"
           "    \"base\": 0}, \"x\": 2},\n"
           "  \"strict\": 1, \"strict\":\n"
           "    2, \"novel\": {\"a\": 1}, \"cl2\": {\"memory\": \"\\ud83d\\ude00\",\"queue\":\n"
           "null}}");
  EXPECT_EQ(result.status, 1);
  std::set<std::string> found;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t at = line.find("launch.json:"); at != std::string::npos) {
      const std::size_t code = line.find(": error[AC3061]: "), rest = code + 17;
      ASSERT_NE(code, std::string::npos) << line;
      found.insert(line.substr(at + 12, code - at - 12) + " " + line.substr(rest, line.find(": ", rest) - rest));
    }
  EXPECT_EQ(found,
            (std::set<std::string>{"2:31 global[1]", "3:3 global[2]", "4:19 arguments[0]", "4:33 arguments[1].bytes",
                                   "5:15 arguments[2].image", "5:25 arguments[2].image.width", "5:57 arguments[3]",
                                   "6:33 constant_data[3]", "7:22 constant_data[x]", "9:5 strict", "9:17 novel",
                                   "9:45 cl2.memory", "10:1 cl2.queue"}))
      << result.output;
}

// The JSON library ends comments and documents in its own way.
TEST_F(ToolOnText, WrongValuesAreShownBehindOddLineEndsToo) {
  using namespace std::string_literals;
  for (const std::string& launch :
       {"{\"global\": [1], // \"\r\"strict\": 1}"s, "{\"global\": [1], // \"\0\"strict\": 1}"s,
        "{\"global\":[1],\"a\":{},\"strict\": 1}\0{}\"x\":\"\xFF"s}) {
    const ProcessResult result = pack(launch);
    EXPECT_EQ(result.status, 1);
    const std::size_t at = launch.rfind("1}");
    ASSERT_NE(result.output.find("strict: expected true"), std::string::npos) << result.output;
    const amdcompat::TextRegion whole{{0, static_cast<std::uint32_t>(launch.size())}};
    amdcompat::Diagnostics same;
    same.set_file((directory / "launch.json").string());
    same.report(amdcompat::Code::LaunchFileValue, {static_cast<std::uint32_t>(at), 0},
                "expected true or false, found 1", "strict");
    EXPECT_NE(result.output.find(render_text(same, {launch, std::span(&whole, 1)}, {})), std::string::npos)
        << result.output;
  }
}

// Places are looked for in one pass, whatever the document is like.
TEST_F(ToolOnText, WrongValuesInLargeDocumentsAreShownSoon) {
  std::string many =
      R"({"global": [1], "novel": )" + std::string(50'000, '[') + std::string(50'000, ']') + R"(, "arguments": [0)";
  for (int i = 0; i < 100'000; ++i) many += ",{}";
  EXPECT_EQ(pack(many + "]}").status, 1);
}

TEST_F(ToolOnText, OneOfSeveralKernelsMustBeChosen) {
  std::string two = kText;
  std::string second = kText;
  second.replace(second.find("_k_"), 3, "_m_");
  second.replace(second.rfind("_k_"), 3, "_m_");
  second.erase(second.find(";#DATASTART"));
  write_file(text, two + second);
  const ProcessResult result = run("'" AMDCOMPAT_TOOL "' pack " + shell_word(text) + " --template");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.output.find("AC3062"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("k, m"), std::string::npos) << result.output;
  EXPECT_EQ(run("'" AMDCOMPAT_TOOL "' pack " + shell_word(text) + " --template --kernel m").status, 0);
}

TEST_F(ToolOnText, WrongUsageAndMissingFiles) {
  EXPECT_EQ(run("'" AMDCOMPAT_TOOL "' pack " + shell_word(text)).status, 2);
  EXPECT_EQ(run("'" AMDCOMPAT_TOOL "' pack " + shell_word(text) + " --launch x.json").status, 2);
  EXPECT_EQ(run("'" AMDCOMPAT_TOOL "' pack " + shell_word(text) + " --launch " + shell_word(directory / "none.json") +
                " --explain")
                .status,
            3);
  EXPECT_EQ(run("'" AMDCOMPAT_TOOL "' printf " + shell_word(text)).status, 2);
  EXPECT_EQ(
      run("'" AMDCOMPAT_TOOL "' printf " + shell_word(text) + " --buffer " + shell_word(directory / "none")).status, 3);
}

TEST_F(ToolOnText, PrintfDecodesALegacyDump) {
  const std::string dump("\4\0\0\0\0\0\0\0\xff\xff\xff\xff\0\0\xc0\x3f\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 32);
  write_file(directory / "dump", dump);
  const std::string base = "printf " + shell_word(text) + " --buffer " + shell_word(directory / "dump");
  EXPECT_EQ(tool(base + " --dwords-per-item 4").output, "p -1 1.500000\n\n");
  EXPECT_EQ(tool(base + " --items 2").output, "p -1 1.500000\n\n");
  EXPECT_EQ(tool(base + " --items 2 --format json").output,
            "{\"item\":0,\"offset\":4,\"id\":0,\"text\":\"p -1 1.500000\\n\\n\"}\n");
  const ProcessResult broken = run("'" AMDCOMPAT_TOOL "' " + base + " --dwords-per-item 1");
  EXPECT_EQ(broken.status, 1);
  EXPECT_NE(broken.output.find("AC3070"), std::string::npos);
}

TEST_F(ToolOnText, PrintfDecodesAnHsaDumpWithTheFormatsOfACodeObject) {
  write_file(directory / "v3.yaml",
             "---\namdhsa.kernels: []\namdhsa.printf:\n  - '1:1:4:a\\72b %d'\namdhsa.version:\n  - 1\n  - 0\n...\n");
  write_file(directory / "dump", std::string("\x08\0\0\0\x40\0\0\0\1\0\0\0\7\0\0\0", 16));
  const ProcessResult result =
      tool("printf " + shell_word(directory / "v3.yaml") + " --buffer " + shell_word(directory / "dump"));
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "a:b 7\n");
}

TEST_F(ToolOnText, LayoutShowsPaddingAndOverlaps) {
  std::string overlapping = kText;
  overlapping.replace(overlapping.find(":1:1:16"), 7, ":1:1:0\n;");
  overlapping.erase(overlapping.find("\n;\n"), 2);
  write_file(text, overlapping);
  const ProcessResult result = run("'" AMDCOMPAT_TOOL "' layout " + shell_word(text));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_NE(result.output.find("AC3005"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("(overlap)"), std::string::npos) << result.output;
  const ProcessResult spec = tool("layout " + shell_word(text) + " --profile spec");
  EXPECT_NE(spec.output.find("math table"), std::string::npos);
}

}  // namespace
}  // namespace tool_test
