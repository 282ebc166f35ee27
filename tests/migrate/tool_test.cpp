// `amdcompat migrate` from outside: whole runs over trees that are made for the test.
#include <csignal>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <spawn.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <manifest.hpp>
#include <output.hpp>
#include <program.hpp>

#include "support/process.hpp"
#include "support/real_corpus.hpp"
#include "vault.hpp"

extern char** environ;

namespace amdcompat::migrate::tool_test {
namespace {

using namespace amdcompat_test;
namespace fs = std::filesystem;

// Arguments without blanks or quotes only.
ProcessResult migrate(const std::string& arguments) { return run("'" AMDCOMPAT_TOOL "' migrate " + arguments); }

std::vector<Record> records(const fs::path& output) {
  std::vector<Record> out;
  Diagnostics findings;
  EXPECT_TRUE(read_manifest(
      output / "manifest.jsonl", [&](Record&& r) { return out.push_back(std::move(r)), true; }, findings));
  for (const Diagnostic& finding : findings.all()) ADD_FAILURE() << finding.message;
  return out;
}
template <class T>
std::vector<T> all(const fs::path& output) {
  std::vector<T> out;
  for (Record& record : records(output))
    if (T* const one = std::get_if<T>(&record)) out.push_back(std::move(*one));
  return out;
}
FileRecord file_of(const fs::path& output, const fs::path& path) {
  for (FileRecord& record : all<FileRecord>(output))
    if (record.path == path.string()) return record;
  ADD_FAILURE() << path << " is not in the manifest";
  return {};
}

// Every file below a directory but the tool's own records, with its contents.
std::map<std::string, std::string> contents(const fs::path& directory) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const std::string name = fs::relative(entry.path(), directory).string();
    if (entry.is_regular_file() && !name.starts_with(".amdcompat")) out[name] = read_file(entry.path());
  }
  return out;
}
// Compared by name and hash, so that a failure does not print megabytes.
void expect_same(const fs::path& left, const fs::path& right) {
  const auto a = contents(left), b = contents(right);
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, bytes] : a) {
    const auto other = b.find(name);
    ASSERT_NE(other, b.end()) << name;
    EXPECT_TRUE(bytes == other->second) << name;
  }
}

void make_vault(const fs::path& directory, std::uint32_t count) {
  for (std::uint32_t number = 0; number < count; ++number) {
    const fs::path below = directory / fmt::format("d{}", number % 7);
    fs::create_directories(below);
    write_file(below / fmt::format("p{}.bin", number), corpus::vault_program(number));
  }
}

// A ZIP with members as they are, and where the parts of each stand.
struct Zip {
  std::string bytes;
  std::vector<std::size_t> headers, contents;
};
Zip make_zip(const std::vector<std::pair<std::string, std::string>>& members) {
  Zip out;
  std::string directory;
  const auto add = [](std::string& to, std::uint32_t value, int bytes) {
    for (; bytes > 0; --bytes, value >>= 8) to += static_cast<char>(value & 0xff);
  };
  for (const auto& [name, bytes] : members) {
    std::uint32_t crc = ~0u;
    for (const char byte : bytes) {
      crc ^= static_cast<unsigned char>(byte);
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1) * 0xedb88320;
    }
    // Version, flags, method, date and time; checksum, sizes; lengths of the name and of what is extra.
    std::string common("\x0a\0\0\0\0\0\0\0\x21\0", 10);
    add(common, ~crc, 4);
    for (int i = 0; i < 2; ++i) add(common, static_cast<std::uint32_t>(bytes.size()), 4);
    add(common, static_cast<std::uint32_t>(name.size()), 4);
    out.headers.push_back(out.bytes.size());
    directory += "PK\1\2" + std::string("\x0a\0", 2) + common + std::string(10, '\0');
    add(directory, static_cast<std::uint32_t>(out.bytes.size()), 4);
    directory += name;
    out.bytes += "PK\3\4" + common + name;
    out.contents.push_back(out.bytes.size());
    out.bytes += bytes;
  }
  const auto count = static_cast<std::uint32_t>(members.size());
  const auto at = static_cast<std::uint32_t>(out.bytes.size());
  out.bytes += directory + std::string("PK\5\6\0\0\0\0", 8);
  add(out.bytes, count, 2);
  add(out.bytes, count, 2);
  add(out.bytes, static_cast<std::uint32_t>(directory.size()), 4);
  add(out.bytes, at, 4);
  add(out.bytes, 0, 2);
  return out;
}

// --- one tree ------------------------------------------------------------------------------------------------

TEST(Migrate, WritesOutputsThatTheManifestDescribes) {
  const TemporaryDirectory scratch;
  make_vault(scratch / "in", 16);
  fs::create_directories(scratch / "in/copies");
  write_file(scratch / "in/copies/again.bin", corpus::vault_program(4));
  write_file(scratch / "in/readme.txt", "nothing of interest\n");
  const ProcessResult result =
      migrate(fmt::format("{} --out {}", (scratch / "in").string(), (scratch / "out").string()));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_NE(result.output.find("18 files: 1 without kernels, 11 converted, 6 described only"), std::string::npos)
      << result.output;
  EXPECT_EQ(all<FileRecord>(scratch / "out").size(), 18u);
  const std::vector<ProgramRecord> programs = all<ProgramRecord>(scratch / "out");
  EXPECT_EQ(programs.size(), 16u);  // the copy is no program of its own
  std::size_t outputs = 0;
  for (const ProgramRecord& program : programs)
    for (const ManifestOutput& output : program.outputs) {
      const std::string bytes = read_file(scratch / "out" / output.path);
      EXPECT_EQ(bytes.size(), output.size);
      EXPECT_EQ(to_hex(sha256(bytes)), output.sha256);
      ++outputs;
    }
  // Manifest and report; and a name for each of the 17 files with a program.
  EXPECT_EQ(outputs, 16u);
  EXPECT_EQ(contents(scratch / "out").size(), outputs + 17 + 2);
  EXPECT_NE(result.output.find("runs on gfx802: 6 kernels of 2 programs (6 converted)"), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("described only: 9 kernels, whose code has to be compiled again"), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("16 outputs in "), std::string::npos) << result.output;
  EXPECT_EQ(file_of(scratch / "out", scratch / "in/readme.txt").outcome, Outcome::None);
  // What `convert` makes of the same program: both have the defaults of one request.
  write_file(scratch / "one.bin", corpus::vault_program(4));
  ASSERT_EQ(run(fmt::format("'{}' convert --to elf {} -o {}", AMDCOMPAT_TOOL, (scratch / "one.bin").string(),
                            (scratch / "one.hsaco").string()))
                .status,
            0);
  const std::string digest = to_hex(sha256(corpus::vault_program(4)));
  EXPECT_TRUE(read_file(scratch / "one.hsaco") ==
              read_file(scratch / "out" / fmt::format("objects/{}/{}.hsaco", digest.substr(0, 2), digest)));
}

TEST(Migrate, OutputsHaveNamesThatMirrorTheInputs) {
  const TemporaryDirectory scratch;
  const fs::path in = scratch / "in", out = scratch / "out";
  make_vault(in, 8);
  fs::create_directories(in / "Copies");
  fs::create_directories(in / "copies");
  write_file(in / "Copies/again.bin", corpus::vault_program(4));
  write_file(in / "copies/Again.bin", corpus::vault_program(4));
  ASSERT_EQ(
      run(fmt::format("cd {} && tar cf t.tar d4 && printf 'MZ-' | cat - d4/p4.bin > app.exe", in.string())).status, 0);
  const std::string command = fmt::format("{} --scan --out {}", in.string(), out.string());
  ASSERT_EQ(migrate(command).status, 0);
  const ino_t object = [&] {
    struct stat status{};
    const std::string digest = to_hex(sha256(corpus::vault_program(4)));
    EXPECT_EQ(::stat((out / fmt::format("objects/{}/{}.hsaco", digest.substr(0, 2), digest)).c_str(), &status), 0);
    return status.st_ino;
  }();
  const auto names = [&] {
    std::set<std::string> found;
    for (const auto& [name, bytes] : contents(out))
      if (name.starts_with("files/")) found.insert(name);
    return found;
  };
  const auto same_file = [&](const std::string& name) {
    struct stat status{};
    return ::stat((out / name).c_str(), &status) == 0 && status.st_ino == object;
  };
  // Duplicates are one file; where capitals do not count, the second of two equal names has a number.
  for (const char* name : {"files/d4/p4.bin.gfx601.hsaco", "files/Copies/again.bin.gfx601.hsaco",
                           "files/t.tar!/d4/p4.bin.gfx601.hsaco", "files/app.exe.0x3.gfx601.hsaco"})
    EXPECT_TRUE(same_file(name)) << name;
  const std::string numbered = file_of(out, in / "copies/Again.bin").outputs.at(0).path;
  EXPECT_TRUE(numbered.starts_with("files/copies/Again.bin~")) << numbered;
  EXPECT_TRUE(same_file(numbered));
  // The manifest has every name, and every name is there.
  std::set<std::string> listed;
  for (const FileRecord& record : all<FileRecord>(out))
    for (const FileOutput& output : record.outputs) listed.insert(output.path);
  EXPECT_EQ(names(), listed);
  EXPECT_EQ(all<HeaderRecord>(out).at(0).base, in.string());

  // Names go with their inputs, come back when they are lost, and do not change what they do not have to.
  fs::remove(in / "Copies/again.bin");
  fs::remove(out / "files/d4/p4.bin.gfx601.hsaco");
  write_file(out / "files/mine.txt", "not this tool's");
  ASSERT_EQ(migrate(command).status, 0);
  EXPECT_FALSE(fs::exists(out / "files/Copies"));
  EXPECT_TRUE(same_file("files/d4/p4.bin.gfx601.hsaco"));
  EXPECT_TRUE(same_file("files/copies/Again.bin.gfx601.hsaco"));  // it is the first now
  EXPECT_FALSE(fs::exists(out / numbered));
  EXPECT_TRUE(fs::exists(out / "files/mine.txt"));
  fs::remove(out / "files/mine.txt");
  ASSERT_EQ(migrate(fmt::format("{} --scan --out {}", in.string(), (scratch / "fresh").string())).status, 0);
  expect_same(scratch / "fresh", out);
  // Another target, another name.
  ASSERT_EQ(migrate(command + " --target pitcairn=gfx600").status, 0);
  EXPECT_FALSE(fs::exists(out / "files/d4/p4.bin.gfx601.hsaco"));
}

// A name and its object are one file, so damage that keeps the size is in both.
TEST(Migrate, DamagedOutputsAreMadeAnewUnderBothNames) {
  const TemporaryDirectory scratch;
  const fs::path in = scratch / "in", out = scratch / "out";
  make_vault(in, 5);
  const std::string command = fmt::format("{} --out {}", in.string(), out.string());
  ASSERT_EQ(migrate(command).status, 0);
  const fs::path name = out / "files/d4/p4.bin.gfx601.hsaco";
  const std::string before = read_file(name);
  {
    std::fstream file(name, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);
    file.put(static_cast<char>(~before.at(100)));
  }
  ASSERT_NE(read_file(name), before);
  ASSERT_EQ(migrate(command).status, 0);
  EXPECT_EQ(read_file(name), before);
  const std::string digest = to_hex(sha256(corpus::vault_program(4)));
  EXPECT_EQ(read_file(out / fmt::format("objects/{}/{}.hsaco", digest.substr(0, 2), digest)), before);
}

TEST(Migrate, NamesOfHostileMembersStayInTheOutputDirectory) {
  const TemporaryDirectory scratch;
  const std::string program = corpus::vault_program(4);
  fs::create_directories(scratch / "in");
  write_file(scratch / "in/evil.zip", make_zip({{"../../../escaped", program},
                                                {"/absolute", corpus::vault_program(1)},
                                                {"a", program},
                                                {"a", program},
                                                {"A", program},
                                                {"a.gfx601.hsaco/b", program},
                                                {"bad\x1b]0;x\x07\n", program},
                                                {std::string(400, 'n'), program}})
                                          .bytes);
  const fs::path out = scratch / "out";
  const ProcessResult result = migrate(fmt::format("{} --out {}", (scratch / "in").string(), out.string()));
  EXPECT_EQ(result.status, 0) << result.output;
  std::size_t names = 0;
  for (const auto& [name, bytes] : contents(scratch / "")) {
    if (name.starts_with("in/")) continue;
    EXPECT_TRUE(name.starts_with("out/")) << name;
    if (!name.starts_with("out/files/")) continue;
    EXPECT_TRUE(name.starts_with("out/files/evil.zip!/")) << name;
    for (const char c : name) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
    ++names;
  }
  EXPECT_EQ(names, 8u);
}

TEST(Migrate, ProofsAreInTheManifest) {
  const TemporaryDirectory scratch;
  write_file(scratch / "p.bin", corpus::vault_program(4));
  EXPECT_EQ(
      migrate(fmt::format("{} --prove --out {}", (scratch / "p.bin").string(), (scratch / "out").string())).status, 0);
  const ProgramRecord program = all<ProgramRecord>(scratch / "out").at(0);
  ASSERT_EQ(program.kernels.size(), 1u);
  ASSERT_TRUE(program.kernels[0].proof);
  EXPECT_EQ(program.kernels[0].proof->verdict, "proved");
  EXPECT_EQ(program.kernels[0].proof->reached, program.kernels[0].proof->instructions);
  ASSERT_FALSE(program.kernels[0].arguments.empty());
  EXPECT_EQ(program.kernels[0].arguments[1].name, "factor");
  EXPECT_EQ(program.kernels[0].arguments[1].from, 16u);
  EXPECT_EQ(program.kernels[0].arguments[1].to, 16u);
}

TEST(Migrate, TheLayoutThatWasNotMadeIsInTheManifestToo) {
  const TemporaryDirectory scratch;
  write_file(scratch / "p.bin", corpus::vault_program(4));
  const std::pair<std::string, std::string> both[] = {{"in-place", "natural"}, {"natural", "in-place"}};
  std::map<std::string, std::uint64_t> bytes;
  for (const auto& [made, other] : both) {
    const fs::path out = scratch / made;
    ASSERT_EQ(migrate(fmt::format("{} --layout {} --out {}", (scratch / "p.bin").string(), made, out.string())).status,
              0);
    const ManifestKernel kernel = all<ProgramRecord>(out).at(0).kernels.at(0);
    EXPECT_EQ(kernel.layout, made);
    ASSERT_TRUE(kernel.other) << made;
    EXPECT_EQ(kernel.other->layout, other);
    ASSERT_FALSE(kernel.other->arguments.empty());
    EXPECT_EQ(kernel.other->arguments[1].name, "factor");
    EXPECT_EQ(kernel.other->arguments[1].to, other == "natural" ? 8u : 16u);
    // What one run makes is what the other run draws.
    EXPECT_EQ(bytes.emplace(made, kernel.kernarg_bytes).first->second, kernel.kernarg_bytes);
    EXPECT_EQ(bytes.emplace(other, kernel.other->kernarg_bytes).first->second, kernel.other->kernarg_bytes);
  }
}

TEST(Migrate, TheSummarySaysWhatLiftingDoesForKernelsThatAreDescribedOnly) {
  const TemporaryDirectory scratch;
  fs::create_directories(scratch / "code");
  fs::create_directories(scratch / "text");
  write_file(scratch / "code/p.bin", corpus::vault_program(4));
  write_file(scratch / "text/t.il",
             "il_cs_2_0\n;ARGSTART:__OpenCL_k_kernel\n;version:3:1:111\n;device:pitcairn\n;uniqueid:1024\n"
             ";pointer:out:float:1:1:0:uav:12:4:RW:0:0\n;ARGEND:__OpenCL_k_kernel\nend\n");
  const auto described = [&](const std::string& arguments) {
    const std::string said = migrate(arguments + " --layout natural --out " + (scratch / "out").string()).output;
    const std::size_t at = said.find("described only: ");
    return at == std::string::npos ? said : said.substr(at, said.find('\n', at) - at);
  };
  const std::string code = (scratch / "code").string(), text = (scratch / "text").string();
  const std::string start = "described only: 1 kernel, whose code has to be compiled again";
  EXPECT_EQ(described(code), start + "; --lift tries to carry 1 of them as OpenCL C");
  EXPECT_EQ(described("--lift " + code), start + "; --lift carries 1 of them as OpenCL C");
  EXPECT_EQ(described(text), start) << "there is no machine code";
  EXPECT_EQ(described("--lift " + text), start);
}

// Somebody else may write to the output directory, too.
TEST(Migrate, LinksInPlaceOfDirectoriesLeadNothingOutOfTheOutputDirectory) {
  const TemporaryDirectory scratch;
  for (const char* part : {"in/d", "out/files", "elsewhere"}) fs::create_directories(scratch / part);
  write_file(scratch / "in/d/p.bin", corpus::vault_program(4));
  write_file(scratch / "in/q.bin", corpus::vault_program(8));
  const std::string command = fmt::format("{} --out {}", (scratch / "in").string(), (scratch / "out").string());
  fs::create_directory_symlink(scratch / "elsewhere", scratch / "out/files/d");
  const auto refused = migrate(command);
  EXPECT_EQ(refused.status, 3) << refused.output;
  EXPECT_NE(refused.output.find("error[AC0002]"), std::string::npos) << refused.output;
  EXPECT_TRUE(fs::is_empty(scratch / "elsewhere"));
  // Names that are no longer given are removed, but not through a link.
  fs::remove(scratch / "out/files/d");
  ASSERT_EQ(migrate(command).status, 0);
  std::string name;
  for (const auto& entry : fs::directory_iterator(scratch / "out/files/d")) name = entry.path().filename().string();
  fs::rename(scratch / "out/files/d", scratch / "out/files/moved");
  write_file(scratch / "elsewhere" / name, "precious");
  fs::create_directory_symlink(scratch / "elsewhere", scratch / "out/files/d");
  fs::remove(scratch / "in/d/p.bin");
  ASSERT_EQ(migrate(command).status, 0);
  EXPECT_EQ(read_file(scratch / "elsewhere" / name), "precious");
  // Nor are objects written through one.
  fs::remove_all(scratch / "out/objects");
  fs::create_directory_symlink(scratch / "elsewhere", scratch / "out/objects");
  EXPECT_EQ(migrate(command).status, 3);
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch / "elsewhere"), fs::directory_iterator()), 1);
}

TEST(Migrate, ALinkInPlaceOfADirectoryIsNamed) {
  const TemporaryDirectory scratch;
  write_file(scratch / "p.bin", corpus::vault_program(4));
  for (const char* part : {"out", "elsewhere"}) fs::create_directories(scratch / part);
  fs::create_directory_symlink("../elsewhere", scratch / "out/objects");
  const fs::path out = scratch / "out";
  const ProcessResult refused = migrate(fmt::format("{} --out {}", (scratch / "p.bin").string(), out.string()));
  EXPECT_EQ(refused.status, 3) << refused.output;
  EXPECT_NE(refused.output.find((out / "objects").string() + " is a symbolic link, which is not followed"),
            std::string::npos)
      << refused.output;
}

TEST(Migrate, RecordsBehindALinkAreNeitherReadNorEmptied) {
  const TemporaryDirectory scratch;
  write_file(scratch / "p.bin", corpus::vault_program(4));
  const auto refused = [&](const char* name) {
    const ProcessResult result =
        migrate(fmt::format("{} --out {}", (scratch / "p.bin").string(), (scratch / "out").string()));
    EXPECT_EQ(result.status, 3) << name << result.output;
    EXPECT_NE(result.output.find("error[AC6051]"), std::string::npos) << name << result.output;
    EXPECT_NE(result.output.find(fmt::format("{} is a symbolic link", name)), std::string::npos) << result.output;
    fs::remove_all(scratch / "out");
  };
  fs::create_directories(scratch / "victim/tmp");
  write_file(scratch / "victim/tmp/precious", "precious");
  fs::create_directories(scratch / "out");
  fs::create_directory_symlink("../victim", scratch / "out/.amdcompat");
  refused("/out/.amdcompat");
  fs::create_directories(scratch / "out/.amdcompat");
  fs::create_directory_symlink("../../victim/tmp", scratch / "out/.amdcompat/tmp");
  refused("/out/.amdcompat/tmp");
  fs::create_directories(scratch / "out/.amdcompat");
  fs::create_symlink("../../victim/database", scratch / "out/.amdcompat/state.sqlite");
  refused("/out/.amdcompat/state.sqlite");
  EXPECT_EQ(contents(scratch / "victim"), (std::map<std::string, std::string>{{"tmp/precious", "precious"}}));
}

TEST(Migrate, RecordsNameNothingOutsideTheOutputDirectory) {
  const TemporaryDirectory scratch;
  write_file(scratch / "p.bin", corpus::vault_program(4));
  const std::string command = fmt::format("{} --out {}", (scratch / "p.bin").string(), (scratch / "out").string());
  ASSERT_EQ(migrate(command).status, 0);
  const auto before = contents(scratch / "out");
  write_file(scratch / "precious", "p");
  for (const std::string path : {"../precious", "objects/../../precious", "manifest.jsonl", ""}) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((scratch / "out/.amdcompat/state.sqlite").c_str(), &database), SQLITE_OK);
    const std::string sql =
        fmt::format("UPDATE program SET outputs='{} 1 {} .x'", path, to_hex(sha256(std::string_view("p"))));
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
    EXPECT_EQ(migrate(command).status, 0) << path;
    EXPECT_TRUE(fs::exists(scratch / "precious")) << path;
    EXPECT_EQ(contents(scratch / "out"), before) << path;  // made anew
  }
  // Whoever asks.
  const OutputRoot out(scratch / "out");
  using namespace std::string_view_literals;
  for (const std::string_view path : {""sv, "x/"sv, "/x"sv, "."sv, "./x"sv, ".."sv, "../x"sv, "objects/.."sv,
                                      "objects/../x"sv, "files//x"sv, "..\0/x"sv})
    EXPECT_LT(open_parent(out, path, false).descriptor.get(), 0) << path;
  EXPECT_GE(open_parent(out, "objects/..x", false).descriptor.get(), 0);
}

TEST(Migrate, OutputsAreNotWrittenThroughWhatHasTheirTemporaryNames) {
  const TemporaryDirectory scratch;
  const fs::path temporary = scratch / "out/.amdcompat/tmp", precious = scratch / "precious";
  fs::create_directories(temporary);
  write_file(precious, "precious");
  for (int name = 0; name < 50; ++name)
    if (name % 2 == 0)
      fs::create_hard_link(precious, temporary / std::to_string(name));
    else
      fs::create_symlink(precious, temporary / std::to_string(name));
  const auto failed = write_output(OutputRoot(scratch / "out"), "objects/x", "bytes", false);
  EXPECT_FALSE(failed) << failed->message;
  EXPECT_EQ(read_file(precious), "precious");
  EXPECT_EQ(fs::hard_link_count(scratch / "out/objects/x"), 1u);
  EXPECT_EQ(read_file(scratch / "out/objects/x"), "bytes");
}

TEST(Migrate, TheReportIsNotWrittenThroughALink) {
  const TemporaryDirectory scratch;
  write_file(scratch / "p.bin", corpus::vault_program(4));
  const std::string out = scratch / "out";
  ASSERT_EQ(migrate(fmt::format("{} --out {}", (scratch / "p.bin").string(), out)).status, 0);
  const std::string before = read_file(scratch / "out/report.xhtml");
  write_file(scratch / "precious", "precious");
  for (const bool has_state : {true, false}) {
    if (!has_state) fs::remove_all(scratch / "out/.amdcompat");
    // The tool has the process number of the shell that becomes it.
    const ProcessResult result =
        run(fmt::format("ln -s {}/precious {}/{}.report-$$; exec '{}' migrate --report {}", (scratch / "").string(),
                        out, has_state ? ".amdcompat/tmp/" : "", AMDCOMPAT_TOOL, out));
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_EQ(read_file(scratch / "precious"), "precious");
    EXPECT_FALSE(fs::is_symlink(scratch / "out/report.xhtml"));
    EXPECT_TRUE(read_file(scratch / "out/report.xhtml") == before);
  }
}

TEST(Migrate, MergedOutputsAreFilesWhereAShardHasLinks) {
  const TemporaryDirectory scratch;
  write_file(scratch / "p.bin", corpus::vault_program(4));
  const fs::path shard = scratch / "shard", merged = scratch / "merged";
  ASSERT_EQ(migrate(fmt::format("{} --out {}", (scratch / "p.bin").string(), shard.string())).status, 0);
  const std::string object = all<ProgramRecord>(shard).at(0).outputs.at(0).path;
  fs::rename(shard / object, shard / "moved");
  fs::create_symlink("../../moved", shard / object);
  const ProcessResult result = migrate(fmt::format("--merge {} --out {}", shard.string(), merged.string()));
  EXPECT_EQ(result.status, 0) << result.output;
  for (const auto& entry : fs::recursive_directory_iterator(merged)) EXPECT_FALSE(entry.is_symlink()) << entry.path();
  EXPECT_TRUE(read_file(merged / object) == read_file(shard / "moved"));
  EXPECT_TRUE(read_file(merged / "files/p.bin.gfx601.hsaco") == read_file(shard / "moved"));
}

TEST(Migrate, TheHelpFillsItsLines) {
  const std::string help = migrate("--help").output;
  const std::size_t from = help.find("Exit status:"), to = help.find("\nThe same command");
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos) << help;
  const std::string text = help.substr(from, to - from);
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin)) {
    const std::size_t word = std::min(text.find_first_of(" \n", end + 1), text.size()) - (end + 1);
    EXPECT_GE(end - begin + 1 + word, 80u) << text;
  }
}

TEST(Migrate, ProofsOfAllProgramsShareABudgetWhoeverRunsThem) {
  const TemporaryDirectory scratch;
  const fs::path in = scratch / "in";
  make_vault(in, 36);
  fs::create_directories(in / "copies");
  write_file(in / "copies/again.bin", corpus::vault_program(4));
  ASSERT_EQ(run(fmt::format("cd {} && tar czf t.tgz d1 d2", in.string())).status, 0);
  const auto with_budget = [&](std::uint64_t all) {
    write_file(scratch / "policy.toml", fmt::format("prove = true\n[limits]\nall-proof-instructions = {}\n", all));
    return fmt::format("{} --policy {}", in.string(), (scratch / "policy.toml").string());
  };
  const auto proofs_of = [&](const fs::path& out) {
    std::map<std::string, int> verdicts;
    for (const ProgramRecord& program : all<ProgramRecord>(out))
      for (const ManifestKernel& kernel : program.kernels)
        if (kernel.proof) ++verdicts[kernel.proof->verdict + ": " + kernel.proof->reason];
    return verdicts;
  };
  // Enough for everything: nothing is divided, and nothing said.
  const fs::path rich = scratch / "rich";
  const ProcessResult enough = migrate(fmt::format("{} --out {}", with_budget(1ull << 40), rich.string()));
  EXPECT_EQ(enough.output.find("AC6061"), std::string::npos) << enough.output;
  EXPECT_FALSE(all<HeaderRecord>(rich).at(0).proofs);
  const auto undivided = proofs_of(rich);
  EXPECT_GT(undivided.at("proved: "), 10);
  for (const auto& [verdict, count] : undivided) EXPECT_FALSE(verdict.contains("budget")) << verdict;

  const std::string command = with_budget(64'000);
  const fs::path one = scratch / "one", four = scratch / "four", merged = scratch / "merged";
  const ProcessResult poor = migrate(fmt::format("{} --jobs 1 --out {}", command, one.string()));
  EXPECT_EQ(poor.status, 4);
  EXPECT_NE(poor.output.find("warning[AC6061]: 36 programs share 64000 instructions for proofs "
                             "(limits.all-proof-instructions): 1000 for each"),
            std::string::npos)
      << poor.output;
  EXPECT_EQ(all<HeaderRecord>(one).at(0).proofs, (ProofShare{36, 1000}));
  const auto verdicts = proofs_of(one);
  EXPECT_EQ(verdicts.size(), 1u);
  EXPECT_TRUE(verdicts.contains("unproved: the budget of 1000 instructions for the proofs of a file was spent"));

  migrate(fmt::format("{} -q --jobs 4 --out {}", command, four.string()));
  expect_same(one, four);
  std::string shards;
  for (int i = 1; i <= 3; ++i) {
    const std::string shard = scratch / fmt::format("shard-{}", i);
    migrate(fmt::format("{} -q --shard {}/3 --out {}", command, i, shard));
    shards += shard + " ";
  }
  EXPECT_EQ(migrate(fmt::format("--merge {} --out {}", shards, merged.string())).status, 4);
  expect_same(one, merged);

  // Programs that come later take nothing from the others until there are twice as many.
  write_file(in / "later.bin", corpus::vault_program(200));
  const std::string object = all<ProgramRecord>(four).at(3).outputs.at(0).path;
  const auto before = fs::last_write_time(four / object);
  migrate(fmt::format("{} -q --out {}", command, four.string()));
  EXPECT_EQ(all<HeaderRecord>(four).at(0).proofs, (ProofShare{37, 1000}));
  EXPECT_EQ(fs::last_write_time(four / object), before);
  const fs::path fresh = scratch / "fresh";
  migrate(fmt::format("{} -q --out {}", command, fresh.string()));
  expect_same(four, fresh);
}

TEST(Migrate, MachineCodeAsSourceStandsBesideTheOtherOutputs) {
  const TemporaryDirectory scratch;
  write_file(scratch / "gcn.bin", corpus::vault_program(4));
  write_file(scratch / "vliw.bin", corpus::vault_program(1));
  const std::string lift = fmt::format("{} {} --lift --out {}", (scratch / "gcn.bin").string(),
                                       (scratch / "vliw.bin").string(), (scratch / "out").string());
  const auto first = migrate(lift);
  EXPECT_EQ(first.status, 0) << first.output;
  EXPECT_NE(first.output.find("as OpenCL C: 1 kernel: 1 lifted"), std::string::npos) << first.output;
  const std::string digest = to_hex(sha256(corpus::vault_program(4)));
  const fs::path source = scratch / "out" / fmt::format("objects/{}/{}.cl", digest.substr(0, 2), digest);
  const std::string bytes = read_file(source);
  EXPECT_NE(bytes.find("(__global uint* data, uint factor"), std::string::npos) << bytes;
  EXPECT_NE(bytes.find(digest), std::string::npos) << "the source names no program";
  for (const ProgramRecord& program : all<ProgramRecord>(scratch / "out"))
    for (const ManifestKernel& kernel : program.kernels) {
      EXPECT_EQ(kernel.lift.has_value(), program.sha256 == digest);  // nothing is said of VLIW code
      if (!kernel.lift) continue;
      EXPECT_EQ(kernel.lift->result, "lifted");
      EXPECT_EQ(kernel.lift->form, "work-item");
    }
  EXPECT_NE(read_file(scratch / "out" / "report.xhtml").find("Machine code as OpenCL C: 1 kernel: 1 lifted."),
            std::string::npos);
  // What is lost comes again, what is there stays, and without --lift it goes.
  fs::remove(source);
  EXPECT_EQ(migrate(lift).status, 0);
  EXPECT_EQ(read_file(source), bytes);
  EXPECT_EQ(migrate(lift + " --no-lift").status, 0);
  EXPECT_FALSE(fs::exists(source));
}

TEST(Migrate, LayoutsAndStrictnessAreAsAskedFor) {
  const TemporaryDirectory scratch;
  write_file(scratch / "gcn.bin", corpus::vault_program(4));
  write_file(scratch / "vliw.bin", corpus::vault_program(1));
  const auto outcomes = [&](const std::string& options) {
    const fs::path out = scratch / "out";
    const int status = migrate(fmt::format("{} {} --out {} {}", (scratch / "gcn.bin").string(),
                                           (scratch / "vliw.bin").string(), out.string(), options))
                           .status;
    return fmt::format("{} {} {}", outcome_name(file_of(out, scratch / "gcn.bin").outcome),
                       outcome_name(file_of(out, scratch / "vliw.bin").outcome), status);
  };
  EXPECT_EQ(outcomes(""), "converted described 0");
  EXPECT_EQ(outcomes("--layout natural --metadata json"), "described described 0");
  // What the other layout had made of the same programs is gone.
  std::set<std::string> extensions;
  for (const auto& [name, bytes] : contents(scratch / "out")) extensions.insert(fs::path(name).extension());
  EXPECT_EQ(extensions, (std::set<std::string>{".json", ".jsonl", ".xhtml"}));
  EXPECT_EQ(outcomes("--layout in-place"), "converted refused 4");
  EXPECT_EQ(outcomes("--target tahiti=gfx601 --code-object 5"), "converted described 0");
  EXPECT_EQ(outcomes("--layout in-place --target gfx906"), "refused refused 4");
  // Code for a target was asked for, and its metadata is not that.
  EXPECT_EQ(outcomes("--target gfx1030 --compiler none"), "partial partial 4");
  EXPECT_EQ(all<ProgramRecord>(scratch / "out").at(0).kernels.at(0).outcome, Outcome::Described);
  EXPECT_EQ(outcomes("--prove"), "proved described 0");
  // A code object of today stays what it is.
  ASSERT_EQ(run(fmt::format("'{}' convert -o {} {}", AMDCOMPAT_TOOL, (scratch / "o.hsaco").string(),
                            (scratch / "gcn.bin").string()))
                .status,
            0);
  EXPECT_EQ(migrate(fmt::format("{} --out {}", (scratch / "o.hsaco").string(), (scratch / "kept").string())).status, 0);
  EXPECT_EQ(file_of(scratch / "kept", scratch / "o.hsaco").outcome, Outcome::AsItIs);
}

TEST(Migrate, AnErrorAmongTheFindingsDecidesTheStatus) {
  const TemporaryDirectory scratch;
  // The kernel is described; the data segment, whose end is missing, is lost.
  write_file(scratch / "t.amdil", ";ARGSTART:__OpenCL_k_kernel\n;version:3:1:111\n;device:pitcairn\n;uniqueid:1024\n"
                                  ";value:a:u32:1:1:0\n;ARGEND:__OpenCL_k_kernel\n;#DATASTART:16\n;#i32:0:4:1:2:3:4\n");
  const ProcessResult result =
      migrate(fmt::format("{} --out {}", (scratch / "t.amdil").string(), (scratch / "out").string()));
  EXPECT_EQ(result.status, 4) << result.output;
  EXPECT_NE(result.output.find("partial: error[AC1080]"), std::string::npos) << result.output;
  EXPECT_EQ(file_of(scratch / "out", scratch / "t.amdil").outcome, Outcome::Partial);
}

TEST(Migrate, InputsThatCannotBeReadAreErrors) {
  const TemporaryDirectory scratch;
  make_vault(scratch / "in", 3);
  const std::string in = (scratch / "in").string();
  const auto refused = [&](const std::string& input, const std::string& output, std::string_view code) {
    const ProcessResult result = migrate(fmt::format("{} --out {}", input, output));
    EXPECT_EQ(result.status, 1) << input << result.output;
    EXPECT_NE(result.output.find(code), std::string::npos) << input << result.output;
  };
  refused(in, in, "AC6013");
  ASSERT_EQ(migrate(fmt::format("{} --out {}", in, (scratch / "out").string())).status, 0);
  refused((scratch / "out").string(), (scratch / "other").string(), "AC6013");
  refused((scratch / "").string(), (scratch / "third").string(), "AC6013");
  refused("''", (scratch / "fourth").string(), "AC0001");
  refused("/dev/null", (scratch / "fifth").string(), "AC0001");
  ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
  refused((scratch / "pipe").string(), (scratch / "sixth").string(), "AC0001");
}

TEST(Migrate, NamesDoNotActOnATerminal) {
  const TemporaryDirectory scratch;
  write_file(scratch / "a\x1b]0;x\a.bin", corpus::vault_program(4).substr(0, 3000));
  const ProcessResult result =
      migrate(fmt::format("{} --out {}", (scratch / "*.bin").string(), (scratch / "out").string()));
  EXPECT_EQ(result.status, 4) << result.output;
  EXPECT_EQ(result.output.find('\x1b'), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("a\u241b]0;x\u2407.bin: refused"), std::string::npos) << result.output;
}

TEST(Migrate, AnOutputThatWasChangedIsMadeAgain) {
  const TemporaryDirectory scratch;
  write_file(scratch / "p.bin", corpus::vault_program(4));
  const std::string arguments = fmt::format("{} --out {}", (scratch / "p.bin").string(), (scratch / "out").string());
  ASSERT_EQ(migrate(arguments).status, 0);
  const fs::path output = scratch / "out" / all<ProgramRecord>(scratch / "out").at(0).outputs.at(0).path;
  const std::string before = read_file(output);
  std::string changed = before;
  changed[changed.size() / 2] ^= 1;
  write_file(output, changed);
  ASSERT_EQ(migrate(arguments).status, 0);
  EXPECT_TRUE(read_file(output) == before);
}

TEST(Migrate, OutputThatCannotBeWrittenIsStatus3) {
  const TemporaryDirectory scratch;
  write_file(scratch / "p.bin", corpus::vault_program(4));
  const std::string in = (scratch / "p.bin").string();
  for (const std::string& command : std::vector<std::string>{
           fmt::format("migrate {} --out {}", in, (scratch / "out").string()), "check " + in, "inspect " + in,
           "convert --summary " + in, "convert " + in, "roundtrip --all " + in, "layout " + in, "devices", "--help",
           "verify --execute " + in + " " + in, "extract -o " + (scratch / "x").string() + " " + in,
           "pack --template " + in, "inspect --explain"})
    EXPECT_EQ(run(fmt::format("'{}' {} > /dev/full", AMDCOMPAT_TOOL, command)).status, 3) << command;
}

TEST(Migrate, HostileTreesAreReadToTheirEnd) {
  const TemporaryDirectory scratch;
  const fs::path in = scratch / "in", out = in / "below/out";
  make_vault(in, 8);
  fs::create_directories(in / "below/loop");
  fs::create_directory_symlink(in, in / "below/loop/back");
  fs::create_symlink("nowhere", in / "dangling");
  fs::create_symlink("self", in / "self");
  fs::create_symlink("d4/p4.bin", in / "link.bin");
  ASSERT_EQ(::mkfifo((in / "pipe").c_str(), 0600), 0);
  write_file(in / "empty", "");
  write_file(in / "broken.bin", corpus::vault_program(5).substr(0, 3000));
  write_file(in / "name-\xff\n.bin", corpus::vault_program(6));
  fs::create_directories(in / "other/.amdcompat");
  write_file(in / "other/hidden.bin", corpus::vault_program(7));
  for (const char* round : {"first", "second"}) {
    const ProcessResult result = migrate(fmt::format("{0}/./ {0} --out {1}", in.string(), out.string()));
    EXPECT_EQ(result.status, 1) << round << result.output;
    EXPECT_EQ(file_of(out, in / "below/loop/back").findings.at(0).code, "AC6010");
    EXPECT_EQ(file_of(out, in / "dangling").outcome, Outcome::Failed);
    EXPECT_EQ(file_of(out, in / "self").findings.at(0).code, "AC0001");
    EXPECT_EQ(file_of(out, in / "link.bin").outcome, Outcome::Converted);
    EXPECT_EQ(file_of(out, in / "pipe").findings.at(0).code, "AC6011");
    EXPECT_EQ(file_of(out, in / "empty").outcome, Outcome::None);
    EXPECT_EQ(file_of(out, in / "broken.bin").outcome, Outcome::Refused);
    EXPECT_EQ(file_of(out, in / "name-\xff\n.bin").outcome, Outcome::Converted);
    EXPECT_EQ(file_of(out, in / "other").findings.at(0).code, "AC6013");
    EXPECT_EQ(all<FileRecord>(out).size(), 17u);  // neither the outputs nor what lies beside another's records
  }
  EXPECT_EQ(migrate(fmt::format("{} --out {}", (in / "empty").string(), (scratch / "named").string())).status, 4);
  EXPECT_EQ(file_of(scratch / "named", in / "empty").findings.at(0).code, "AC6060");
  // An input below another one is an input once.
  EXPECT_EQ(migrate(fmt::format("{0}/d4 {0}/d4/p4.bin {0}/d4/../empty {0}/empty --out {1}", in.string(),
                                (scratch / "twice").string()))
                .status,
            4);
  EXPECT_EQ(all<FileRecord>(scratch / "twice").size(), 3u);
  EXPECT_EQ(migrate(fmt::format("{} --out {}", (in / "gone").string(), (scratch / "gone").string())).status, 1);
}

TEST(Migrate, WhatCannotBeWrittenIsSaid) {
  const TemporaryDirectory scratch;
  write_file(scratch / "p.bin", corpus::vault_program(4));
  write_file(scratch / "file", "");
  const std::string in = (scratch / "p.bin").string();
  const ProcessResult result = migrate(fmt::format("{} --out {}", in, (scratch / "file/out").string()));
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.output.find("error[AC0002]"), std::string::npos) << result.output;
  fs::create_directories(scratch / "bad/.amdcompat");
  write_file(scratch / "bad/.amdcompat/state.sqlite", "no database at all, and long enough to be looked at as one");
  const ProcessResult broken = migrate(fmt::format("{} --out {}", in, (scratch / "bad").string()));
  EXPECT_EQ(broken.status, 3);
  EXPECT_NE(broken.output.find("error[AC6051]"), std::string::npos) << broken.output;
  // A directory stands where the output belongs.
  const std::string digest = to_hex(sha256(corpus::vault_program(4)));
  fs::create_directories(scratch / "blocked" / fmt::format("objects/{}/{}.hsaco/x", digest.substr(0, 2), digest));
  const ProcessResult blocked = migrate(fmt::format("{} --out {}", in, (scratch / "blocked").string()));
  EXPECT_EQ(blocked.status, 3) << blocked.output;
  EXPECT_NE(blocked.output.find("error[AC0002]"), std::string::npos) << blocked.output;
  // One where its name belongs: everything else is done, and the manifest does not have the name.
  fs::create_directories(scratch / "named/files/p.bin.gfx601.hsaco/x");
  const ProcessResult unnamed = migrate(fmt::format("{} --out {}", in, (scratch / "named").string()));
  EXPECT_EQ(unnamed.status, 3) << unnamed.output;
  EXPECT_NE(unnamed.output.find("error[AC0002]"), std::string::npos) << unnamed.output;
  EXPECT_TRUE(file_of(scratch / "named", in).outputs.empty());
  EXPECT_EQ(all<ProgramRecord>(scratch / "named").at(0).outputs.size(), 1u);
}

TEST(Migrate, PoliciesComeFromAFileAndErrorsHaveTheirPlace) {
  const TemporaryDirectory scratch;
  write_file(scratch / "p.bin", corpus::vault_program(4));
  write_file(scratch / "good.toml", "layout = \"natural\"\nmetadata = \"msgpack\"\n");
  write_file(scratch / "bad.toml", "# what\nlayout = \"natural\"\nscan = 1\n");
  const std::string rest = fmt::format(" {} --out {}", (scratch / "p.bin").string(), (scratch / "out").string());
  EXPECT_EQ(migrate("--policy " + (scratch / "good.toml").string() + rest).status, 0);
  EXPECT_EQ(all<ProgramRecord>(scratch / "out").at(0).outputs.at(0).form, "msgpack");
  EXPECT_EQ(migrate("--policy " + (scratch / "good.toml").string() + " --metadata yaml" + rest).status, 0);
  EXPECT_EQ(all<ProgramRecord>(scratch / "out").at(0).outputs.at(0).form, "yaml");
  const ProcessResult bad = migrate("--policy " + (scratch / "bad.toml").string() + rest);
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.output.find("bad.toml:3:8: error[AC6001]: 'scan' is true or false"), std::string::npos) << bad.output;
  EXPECT_EQ(migrate("--policy " + (scratch / "none.toml").string() + rest).status, 3);
  EXPECT_EQ(migrate("--shard 3/2" + rest).status, 2);
  EXPECT_EQ(migrate("--target gfx1" + rest).status, 2);
}

TEST(Migrate, DryRunWritesNothing) {
  const TemporaryDirectory scratch;
  make_vault(scratch / "in", 8);
  const ProcessResult result =
      migrate(fmt::format("{} --dry-run --out {}", (scratch / "in").string(), (scratch / "out").string()));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_NE(result.output.find("8 outputs, not written"), std::string::npos) << result.output;
  EXPECT_FALSE(fs::exists(scratch / "out"));
}

// --- archives and scanning -----------------------------------------------------------------------------------

TEST(Migrate, ArchivesAreUnpackedAndNestedOnesToo) {
  const TemporaryDirectory scratch;
  make_vault(scratch / "in", 8);
  const std::string base = scratch / "";
  ASSERT_EQ(run(fmt::format("cd {} && tar cf inner.tar in/d1 in/d2 && gzip inner.tar && cp inner.tar.gz in/ && "
                            "tar cJf vault.tar.xz in && gzip -c in/d3/p3.bin > single.gz && "
                            "head -c 2000 vault.tar.xz > cut.tar.xz && mkdir packed && mv *.gz *.xz packed",
                            base))
                .status,
            0);
  const fs::path out = scratch / "out";
  const ProcessResult result = migrate(fmt::format("{} --out {}", (scratch / "packed").string(), out.string()));
  EXPECT_EQ(result.status, 1) << result.output;  // the archive that was cut
  EXPECT_EQ(file_of(out, scratch / "packed/cut.tar.xz").findings.at(0).code, "AC6020");
  const FileRecord nested = file_of(out, scratch / "packed/vault.tar.xz!/in/inner.tar.gz!/in/d1/p1.bin");
  EXPECT_EQ(nested.root, (scratch / "packed/vault.tar.xz").string());
  EXPECT_EQ(nested.outcome, Outcome::Described);
  EXPECT_EQ(nested.programs.at(0).sha256, to_hex(sha256(corpus::vault_program(1))));
  EXPECT_EQ(file_of(out, scratch / "packed/single.gz").kind, "archive");
  EXPECT_EQ(all<ProgramRecord>(out).size(), 8u);
  // Once more: nothing is left to do, and the same is said.
  const std::string before = read_file(out / "manifest.jsonl");
  EXPECT_EQ(migrate(fmt::format("{} --out {}", (scratch / "packed").string(), out.string())).status, 1);
  EXPECT_TRUE(before == read_file(out / "manifest.jsonl"));
}

TEST(Migrate, ADamagedMemberLosesNothingBehindIt) {
  const TemporaryDirectory scratch;
  make_vault(scratch / "in", 8);
  ASSERT_EQ(run(fmt::format("cd {} && tar --format=ustar -cf bad.tar in/d1/p1.bin in/d2/p2.bin in/d3/p3.bin && "
                            "tar --format=ustar -cf bad2.tar in/d4/p4.bin in/d5/p5.bin",
                            (scratch / "").string()))
                .status,
            0);
  // The second header's checksum is wrong.
  std::string tar = read_file(scratch / "bad.tar");
  const std::size_t second = tar.find("in/d2/p2.bin");
  ASSERT_NE(second, std::string::npos);
  tar[second] = 'X';
  fs::create_directories(scratch / "packed");
  write_file(scratch / "packed/bad.tar", tar);
  const fs::path out = scratch / "out";
  const ProcessResult result = migrate(fmt::format("{} --out {}", (scratch / "packed").string(), out.string()));
  EXPECT_EQ(result.status, 1) << result.output;
  const std::string archive = (scratch / "packed/bad.tar").string();
  EXPECT_EQ(file_of(out, archive).findings.at(0).code, "AC6020");
  std::vector<std::string> members;
  for (const FileRecord& record : all<FileRecord>(out))
    if (!record.root.empty()) members.push_back(record.path.substr(archive.size()));
  EXPECT_EQ(members, (std::vector<std::string>{"!/in/d1/p1.bin", "!/in/d3/p3.bin"}));
}

TEST(Migrate, ADamagedMemberOfAZipLosesNothingBehindIt) {
  const Zip zip =
      make_zip({{"a", corpus::vault_program(1)}, {"b", corpus::vault_program(2)}, {"c", corpus::vault_program(3)}});
  // Outcomes of what the manifest has, by the end of its path; with the first finding.
  const auto migrated = [](std::string bytes, int status) {
    const TemporaryDirectory scratch;
    write_file(scratch / "bad.zip", bytes);
    const ProcessResult result =
        migrate(fmt::format("{} --out {}", (scratch / "bad.zip").string(), (scratch / "out").string()));
    EXPECT_EQ(result.status, status) << result.output;
    std::string out;
    for (const FileRecord& record : all<FileRecord>(scratch / "out"))
      out += fmt::format("{} {}{}\n", record.path.substr(record.path.rfind('/') + 1), outcome_name(record.outcome),
                         record.findings.empty() ? "" : " " + record.findings[0].code);
    return out;
  };
  EXPECT_EQ(migrated(zip.bytes, 0), "bad.zip none\na described\nb described\nc described\n");
  std::string contents = zip.bytes;
  contents[zip.contents[1] + 100] ^= 1;
  EXPECT_EQ(migrated(contents, 1), "bad.zip none\na described\nb failed AC6022\nc described\n");
  // Its name stands in the header that is none.
  std::string header = zip.bytes;
  header[zip.headers[1]] = 'X';
  EXPECT_EQ(migrated(header, 1), "bad.zip failed AC6020\na described\nc described\n");
}

TEST(Migrate, ArchivesThatGrowTooMuchAreLeft) {
  const TemporaryDirectory scratch;
  fs::create_directories(scratch / "in");
  ASSERT_EQ(run(fmt::format("cd {} && yes | head -c 100000000 | gzip -9 > bomb.gz && gzip -c bomb.gz > two.gz && "
                            "tar cf many.tar . ",
                            (scratch / "in").string()))
                .status,
            0);
  write_file(scratch / "policy.toml",
             "[limits]\narchive-ratio = 100\narchive-members = 3\narchive-depth = 1\nprogram-bytes = 1000000\n");
  const fs::path out = scratch / "out";
  const ProcessResult result = migrate(fmt::format("{} --policy {} --out {}", (scratch / "in").string(),
                                                   (scratch / "policy.toml").string(), out.string()));
  EXPECT_EQ(result.status, 1) << result.output;
  for (const char* name : {"bomb.gz!/", "two.gz!/", "many.tar"}) {
    bool found = false;
    for (const FileRecord& record : all<FileRecord>(out))
      if (record.path.starts_with((scratch / "in" / name).string()))
        for (const Finding& finding : record.findings) found |= finding.code == "AC6021";
    EXPECT_TRUE(found) << name << read_file(out / "manifest.jsonl");
  }
}

TEST(Migrate, ScanFindsProgramsInApplicationsAndCaches) {
  const TemporaryDirectory scratch;
  std::mt19937_64 random(4);
  std::string image = "MZ\x90";
  std::vector<ProgramPlace> expected;
  for (std::uint32_t number = 0; number < 24; ++number) {
    const std::string program = corpus::vault_program(number);
    for (std::size_t n = random() % 9000 * 2 + 1 - image.size() % 2; n != 0; --n)
      image += static_cast<char>(random() % 32);
    expected.push_back({to_hex(sha256(program)), image.size(), program.size(), {}});
    image += program + '\0';
  }
  write_file(scratch / "app.exe", image);
  const fs::path out = scratch / "out";
  const std::string rest = fmt::format(" {} --out {}", (scratch / "app.exe").string(), out.string());
  EXPECT_EQ(migrate(rest).status, 4);
  EXPECT_EQ(file_of(out, scratch / "app.exe").outcome, Outcome::Refused);
  EXPECT_EQ(migrate("--scan" + rest).status, 0);
  EXPECT_EQ(file_of(out, scratch / "app.exe").programs, expected);
  EXPECT_EQ(all<ProgramRecord>(out).size(), expected.size());
  // A file larger than any program may be is searched as it passes by.
  write_file(scratch / "small.toml", "scan = true\n[limits]\nprogram-bytes = 100000\n");
  const std::string before = read_file(out / "manifest.jsonl");
  EXPECT_EQ(migrate("--policy " + (scratch / "small.toml").string() + rest).status, 0);
  EXPECT_EQ(file_of(out, scratch / "app.exe").programs, expected);
}

// --- again, killed, shared -----------------------------------------------------------------------------------

TEST(Migrate, DoesOnlyWhatChanged) {
  const TemporaryDirectory scratch;
  const fs::path in = scratch / "in", out = scratch / "out";
  make_vault(in, 24);
  const std::string command = fmt::format("{} --out {}", in.string(), out.string());
  ASSERT_EQ(migrate(command).status, 0);
  const auto times = [&] {
    std::map<std::string, fs::file_time_type> found;
    for (const auto& entry : fs::recursive_directory_iterator(out / "objects"))
      if (entry.is_regular_file()) found[entry.path().filename()] = entry.last_write_time();
    return found;
  };
  const auto first = times();
  const std::string lost = all<ProgramRecord>(out).at(3).outputs.at(0).path;
  write_file(in / "d0/p0.bin", corpus::vault_program(100));  // other contents
  fs::remove(in / "d1/p1.bin");
  fs::remove(out / lost);
  ASSERT_EQ(migrate(command).status, 0);
  auto second = times();
  std::size_t same = 0;
  for (const auto& [name, time] : first) same += second.contains(name) && second[name] == time ? 1 : 0;
  EXPECT_EQ(same, first.size() - 1);  // the lost one was made again
  EXPECT_TRUE(fs::exists(out / lost));
  // The manifest is that of a run that knows nothing of the past.
  ASSERT_EQ(migrate(fmt::format("{} --out {}", in.string(), (scratch / "fresh").string())).status, 0);
  EXPECT_TRUE(read_file(out / "manifest.jsonl") == read_file(scratch / "fresh/manifest.jsonl"));
}

pid_t start(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{AMDCOMPAT_TOOL, "migrate", "-q"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {1, 2}) ::posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", 1, 0);
  pid_t out = -1;
  EXPECT_EQ(::posix_spawn(&out, AMDCOMPAT_TOOL, &actions, nullptr, pointers.data(), environ), 0);
  ::posix_spawn_file_actions_destroy(&actions);
  return out;
}
// Exit status; -1: killed.
int wait_for(pid_t process) {
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Migrate, KilledTenTimesItEndsWithTheSameBytes) {
  const TemporaryDirectory scratch;
  const std::string in = scratch / "in", whole = scratch / "whole", killed = scratch / "killed";
  make_vault(in, 700);
  ASSERT_EQ(wait_for(start({in, "--out", whole, "--jobs", "1"})), 0);
  std::mt19937_64 random(std::random_device{}());
  int kills = 0;
  std::size_t parts = 0;
  for (int round = 0; round < 10; ++round) {
    const pid_t process = start({in, "--out", killed});
    const auto delay = random() % 60'000 + 5'000;
    ::usleep(static_cast<useconds_t>(delay));
    ::kill(process, SIGKILL);
    kills += wait_for(process) == -1 ? 1 : 0;
    if (fs::exists(fs::path(killed) / "objects")) ++parts;
  }
  EXPECT_GT(kills, 0);
  ASSERT_EQ(wait_for(start({in, "--out", killed})), 0);
  expect_same(whole, killed);
  EXPECT_TRUE(fs::is_empty(fs::path(killed) / ".amdcompat/tmp"));
  std::printf("%d kills took effect, %zu of them after outputs had been written\n", kills, parts);
}

TEST(Migrate, InterruptedItLeavesAManifestOfWhatIsDone) {
  const TemporaryDirectory scratch;
  const std::string in = scratch / "in", out = scratch / "out", whole = scratch / "whole";
  make_vault(in, 700);
  ASSERT_EQ(wait_for(start({in, "--out", whole})), 0);
  const pid_t process = start({in, "--out", out});
  // Something is done by then, and much is left.
  for (int n = 0; n < 500 && !fs::exists(fs::path(out) / "objects"); ++n) ::usleep(2000);
  ::kill(process, SIGINT);
  const int status = wait_for(process);
  const HeaderRecord header = all<HeaderRecord>(out).at(0);
  const std::size_t files = all<FileRecord>(out).size();
  EXPECT_EQ(status, header.complete ? 0 : 1);
  EXPECT_FALSE(header.complete);
  EXPECT_LT(files, 700u);
  for (const ProgramRecord& program : all<ProgramRecord>(out))
    for (const ManifestOutput& output : program.outputs) EXPECT_TRUE(fs::exists(fs::path(out) / output.path));
  EXPECT_EQ(migrate(fmt::format("--merge {} --out {}", out, (scratch / "merged").string())).status, 1);
  ASSERT_EQ(wait_for(start({in, "--out", out})), 0);
  expect_same(whole, out);
}

TEST(Migrate, TwoRunsDoNotShareADirectory) {
  const TemporaryDirectory scratch;
  ASSERT_EQ(::mkfifo((scratch / "never").c_str(), 0600), 0);
  const std::string in = scratch / "in", out = scratch / "out";
  make_vault(in, 1500);
  const pid_t first = start({in, "--out", out, "--jobs", "1"});
  for (int n = 0; n < 500 && !fs::exists(fs::path(out) / "objects"); ++n) ::usleep(2000);
  const ProcessResult second = migrate(fmt::format("{} --out {}", in, out));
  EXPECT_EQ(wait_for(first), 0);
  EXPECT_EQ(second.status, 3);
  EXPECT_NE(second.output.find("error[AC6050]"), std::string::npos) << second.output;
}

TEST(Migrate, MergedShardsAreWhatOneMachineMakes) {
  const TemporaryDirectory scratch;
  const std::string in = scratch / "in", whole = scratch / "whole", merged = scratch / "merged";
  make_vault(in, 60);
  fs::create_directories(fs::path(in) / "copies");
  for (std::uint32_t number = 0; number < 8; ++number)
    write_file(fs::path(in) / fmt::format("copies/c{}", number), corpus::vault_program(number));
  ASSERT_EQ(run(fmt::format("cd {} && tar czf t.tgz d1 d2", in)).status, 0);
  ASSERT_EQ(migrate(fmt::format("{} --out {}", in, whole)).status, 0);
  const std::string shard =
      fmt::format("'{}' migrate -q {} --shard {{}}/4 --out {}/shard-{{}}", AMDCOMPAT_TOOL, in, (scratch / "").string());
  const bool has_parallel = has_program("parallel");
  const ProcessResult shards =
      run(has_parallel
              ? fmt::format("parallel --will-cite -j2 \"{}\" ::: 1 2 3 4", shard)
              : fmt::format("for i in 1 2 3 4; do sh -c \"$(echo \"{}\" | sed s/{{}}/$i/g)\" || exit; done", shard));
  ASSERT_EQ(shards.status, 0) << shards.output;
  for (int i = 1; i <= 4; ++i) {
    EXPECT_GT(all<FileRecord>(scratch / fmt::format("shard-{}", i)).size(), 0u);
    EXPECT_EQ(all<HeaderRecord>(scratch / fmt::format("shard-{}", i)).at(0).shard->count, 4u);
  }
  const auto merge = [&](const std::string& shards_wanted) {
    std::string directories;
    for (const char i : shards_wanted) directories += (scratch / fmt::format("shard-{} ", i)).string();
    return migrate(fmt::format("--merge {} --out {}", directories, merged));
  };
  const ProcessResult missing = merge("124");
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.output.find("error[AC6032]: shard 3/4 is missing"), std::string::npos) << missing.output;
  EXPECT_EQ(merge("11234").status, 1);
  const ProcessResult good = merge("3142");
  EXPECT_EQ(good.status, 0) << good.output;
  expect_same(whole, merged);
  // The merged directory is one to go on from.
  ASSERT_EQ(migrate(fmt::format("{} --out {}", in, merged)).status, 0);
  expect_same(whole, merged);

  // Sources too.
  const std::string lifted = scratch / "lifted";
  ASSERT_EQ(migrate(fmt::format("{} --lift --out {}", in, lifted)).status, 0);
  const ProcessResult sources = migrate(fmt::format("--merge {} --out {}", lifted, (scratch / "sources").string()));
  EXPECT_EQ(sources.status, 0) << sources.output;
  expect_same(lifted, scratch / "sources");

  // Outputs and manifests that were tampered with are not taken.
  const std::string object = all<ProgramRecord>(scratch / "shard-2").at(0).outputs.at(0).path;
  write_file(scratch / "shard-2" / object, "x");
  const ProcessResult changed = merge("1234");
  EXPECT_EQ(changed.status, 1);
  EXPECT_NE(changed.output.find("error[AC6030]"), std::string::npos) << changed.output;
  ASSERT_EQ(migrate(fmt::format("{} --shard 2/4 --strict --out {}", in, (scratch / "shard-2").string())).status, 0);
  EXPECT_NE(merge("1234").output.find("differ"), std::string::npos);
  write_file(scratch / "shard-2/manifest.jsonl", "{}\n");
  EXPECT_NE(merge("1234").output.find("error[AC6031]"), std::string::npos);
}

// --- real files ----------------------------------------------------------------------------------------------

TEST(Migrate, TheWholeRealCorpusGoesThrough) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  const TemporaryDirectory scratch;
  const fs::path out = scratch / "out";
  const ProcessResult result = migrate(fmt::format("-q {} --out {}", (real_root() / "corpus").string(), out.string()));
  EXPECT_EQ(result.status, 4) << result.output;
  std::set<std::string> listed;
  for (const FileRecord& file : all<FileRecord>(out)) {
    listed.insert(file.path);
    EXPECT_NE(file.outcome, Outcome::Failed) << file.path;
  }
  for (const auto& entry : fs::recursive_directory_iterator(real_root() / "corpus"))
    EXPECT_TRUE(!entry.is_regular_file() || listed.contains(entry.path().string())) << entry.path();
  const SummaryRecord summary = all<SummaryRecord>(out).at(0);
  // Code objects at least for what the other tests know to be convertible: 29 of V1 and V2, 65 of OpenCL 2.0.
  EXPECT_GE(summary.files[static_cast<std::size_t>(Outcome::Converted)], 94u);
  EXPECT_EQ(summary.kernels[static_cast<std::size_t>(Outcome::Refused)], 0u);
}

}  // namespace
}  // namespace amdcompat::migrate::tool_test
