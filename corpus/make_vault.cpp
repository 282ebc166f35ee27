// Writes a tree of programs to measure a migration with: amdcompat_make_vault DIR COUNT
//
// The programs are those of corpus/vault.hpp, a thousand in each directory, so that anybody can make the same tree.
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "vault.hpp"

int main(int argc, char** argv) {
  std::uint32_t count = 0;
  const std::string_view text = argc == 3 ? argv[2] : "";
  if (argc != 3 || std::from_chars(text.data(), text.data() + text.size(), count).ec != std::errc{}) {
    std::fputs("usage: amdcompat_make_vault DIR COUNT\n", stderr);
    return 2;
  }
  std::uint64_t bytes = 0;
  for (std::uint32_t number = 0; number < count; ++number) {
    const std::filesystem::path directory = std::filesystem::path(argv[1]) / fmt::format("{:04}", number / 1000);
    if (number % 1000 == 0) std::filesystem::create_directories(directory);
    const std::string program = corpus::vault_program(number);
    std::ofstream out(directory / fmt::format("program-{:07}.bin", number), std::ios::binary);
    if (!out.write(program.data(), static_cast<std::streamsize>(program.size())).flush()) {
      fmt::print(stderr, "cannot write to {}\n", directory.string());
      return 3;
    }
    bytes += program.size();
  }
  fmt::print("{} programs, {} bytes\n", count, bytes);
}
