// One reader over the benchmark's input, for bench/instructions.
//
//   amdcompat_read_once parse|hand
//
// Prints the numbers of lines and arguments that one call of measured() reads.
#include <cstdio>
#include <string_view>

#include <amdcompat/text.hpp>

#include "hand_reader.hpp"
#include "workload.hpp"

using namespace amdcompat;

// A name that callgrind's --toggle-collect can be given: all that is counted happens inside.
extern "C" [[gnu::noinline]] std::size_t measured(const bench::Workload& work, bool by_hand) {
  if (by_hand) return hand::read(work.text).elements.size();
  Diagnostics diagnostics;
  return text::parse(work.text, diagnostics).elements.size();
}

int main(int argc, char** argv) {
  const std::string_view reader = argc == 2 ? argv[1] : "";
  if (reader != "parse" && reader != "hand") {
    std::fputs("usage: amdcompat_read_once parse|hand\n", stderr);
    return 2;
  }
  const bench::Workload work = bench::load();
  if (work.empty() || measured(work, reader == "hand") == 0) return 3;
  std::printf("%zu %zu\n", work.lines, work.arguments);
  return 0;
}
