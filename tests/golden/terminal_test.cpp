// What a terminal gets: nothing that a file or an argument holds acts on it. A pipe gets the bytes as they are.
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/process.hpp"
#include "transcript.hpp"

namespace golden::terminal_test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPicture = "\xe2\x90\x9b";  // U+241B

// Standard output and error of the tool, run in `directory`.
std::string piped(const fs::path& directory, const std::string& arguments) {
  return amdcompat_test::run(fmt::format("cd '{}' && '{}' {}", directory.string(), AMDCOMPAT_CLI, arguments)).output;
}

// The same with a terminal for both.
std::string shown(const fs::path& directory, const std::string& arguments) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) {
    ADD_FAILURE() << "no pseudo terminal";
    return {};
  }
  const std::string name = ::ptsname(terminal);
  // Held open, so that what was written stays there to be read.
  const int held = ::open(name.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  const std::string command =
      fmt::format("cd '{}' && '{}' {} > {} 2>&1 < /dev/null", directory.string(), AMDCOMPAT_CLI, arguments, name);
  ::fcntl(terminal, F_SETFL, O_NONBLOCK);
  // A terminal holds little that nobody has read.
  auto tool = std::async(std::launch::async, [&] { return std::system(command.c_str()); });
  std::string out;
  std::array<char, 4096> buffer;
  for (bool ended = false;;) {
    const ssize_t got = ::read(terminal, buffer.data(), buffer.size());
    if (got > 0)
      out.append(buffer.data(), static_cast<std::size_t>(got));
    else if (ended)
      break;
    else
      ended = tool.wait_for(std::chrono::milliseconds(10)) == std::future_status::ready;
  }
  EXPECT_NE(tool.get(), -1);
  ::close(held);
  ::close(terminal);
  return out;
}

TEST(Terminal, IsNotToldWhatToDoByTheFormsOfAFile) {
  const amdcompat_test::TemporaryDirectory scratch;
  std::string container = read_file(samples_directory() / "bin" / "tahiti-923.clo");
  const std::size_t at = container.find("reflection:0:float");
  ASSERT_NE(at, std::string::npos);
  container[at + 13] = '\x1b';
  write_file(scratch / "escape.clo", container);
  for (const std::string form : {"text", "yaml", "json", "xml"}) {
    const std::string page = shown(scratch / "", "convert -q --colour never --to " + form + " escape.clo");
    EXPECT_NE(page.find("factors"), std::string::npos) << form << "\n" << page;
    EXPECT_EQ(page.find('\x1b'), std::string::npos) << form << "\n" << page;
  }
  EXPECT_NE(shown(scratch / "", "convert -q --to text escape.clo").find(std::string(kPicture) + "loat"),
            std::string::npos);
  // Byte for byte where a file is made of it.
  EXPECT_NE(piped(scratch / "", "convert -q --to text escape.clo").find("\x1bloat"), std::string::npos);
}

TEST(Terminal, IsNotToldWhatToDoByAKernelsPrintf) {
  const amdcompat_test::TemporaryDirectory scratch;
  // One item of five dwords: how many they are, format 3 ("%c %hd %x \a\f\n"), and its arguments.
  write_file(scratch / "dump", std::string("\5\0\0\0\3\0\0\0\x1b\0\0\0\7\0\0\0\x9\0\0\0", 20));
  const fs::path samples = samples_directory() / "bin";
  const std::string arguments =
      fmt::format("printf printf.amdil --buffer '{}' --dwords-per-item 5", (scratch / "dump").string());
  const std::string page = shown(samples, arguments);
  EXPECT_EQ(piped(samples, arguments), "\x1b 7 9 \a\f\n");
  EXPECT_EQ(page, std::string(kPicture) + " 7 9 \xe2\x90\x87\xe2\x90\x8c\r\n");  // the terminal makes CR LF of LF
}

// Tables are as wide as what stands in them; where nobody says how wide a terminal is, it has 80 columns.
TEST(Terminal, LinesThatAreWiderGoOnInTheNextAndAPipeGetsThemAsTheyAre) {
  const fs::path samples = samples_directory() / "bin";
  for (const std::string arguments : {"layout pitcairn-scale-64.clo", "devices", "devices --boards",
                                      "devices --targets", "inspect object-gfx906.hsaco"}) {
    std::string page = shown(samples, arguments), whole = piped(samples, arguments);
    std::size_t columns = 0;
    for (const char c : page)
      if (c == '\n')
        columns = 0;
      else if (c != '\r' && (c & 0xc0) != 0x80) {
        ASSERT_LE(++columns, 80u) << page;
      }
    // The same words.
    for (std::string* text : {&page, &whole})
      std::erase_if(*text, [](char c) { return c == ' ' || c == '\n' || c == '\r'; });
    EXPECT_EQ(page, whole) << arguments;
  }
}

TEST(Terminal, LinesGoOnBehindAWordThatIsWiderThanAllOfThem) {
  const amdcompat_test::TemporaryDirectory scratch;
  const std::string name = std::string(100, 'n') + ".hsaco";
  fs::copy_file(samples_directory() / "bin/object-gfx906.hsaco", scratch / name);
  std::istringstream lines(shown(scratch / "", "inspect -q " + name));
  std::size_t wide = 0;
  for (std::string line; std::getline(lines, line);) {
    while (line.ends_with('\r') || line.ends_with(' ')) line.pop_back();
    if (line.size() <= 80) continue;
    ++wide;
    EXPECT_EQ(line.find(' ', line.find_first_not_of(' ')), std::string::npos) << line;
  }
  EXPECT_GE(wide, 1u);
}

// Messages are for people wherever they go.
TEST(Terminal, IsNotToldWhatToDoByWrongArguments) {
  const fs::path samples = samples_directory() / "bin";
  for (const std::string arguments : {"convert --to \"$(printf 'a\\033[2Jb')\" printf.amdil",
                                      "convert --struct-align \"$(printf 'a\\033[2Jb')\" printf.amdil",
                                      "convert --to text --metadata-version \"$(printf 'a\\033[2Jb')\" printf.amdil",
                                      "inspect \"--$(printf 'a\\033[2Jb')\" printf.amdil",
                                      "run --launch x --dump \"$(printf 'a\\033[2Jb')\" printf.amdil",
                                      "migrate --shard \"$(printf 'a\\033[2Jb')\" --out x printf.amdil",
                                      "extract -o \"$(printf '/dev/null/a\\033[2Jb')\" printf.amdil"}) {
    const std::string out = piped(samples, arguments);
    EXPECT_EQ(out.find('\x1b'), std::string::npos) << out;
    EXPECT_NE(out.find("a" + std::string(kPicture) + "[2Jb"), std::string::npos) << arguments << "\n" << out;
  }
}

}  // namespace
}  // namespace golden::terminal_test
