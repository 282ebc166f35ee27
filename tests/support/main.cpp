// main() of the test programs. A program holds several ctests: with `--ctest=NAME --file=SOURCE...` it runs the cases
// that these sources have, and names the file of results after that ctest. Without them, or with --gtest_filter, it is
// as any program of GoogleTest.
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace {

struct Chosen {
  std::string name;
  std::vector<std::string> files;
};

// Takes our options out of the arguments.
Chosen take_options(int& argc, char** argv) {
  constexpr std::string_view kName = "--ctest=";
  constexpr std::string_view kFile = "--file=";
  Chosen chosen;
  const auto end = std::remove_if(argv + 1, argv + argc, [&](const std::string_view argument) {
    if (argument.starts_with(kName)) {
      chosen.name = argument.substr(kName.size());
    } else if (argument.starts_with(kFile)) {
      chosen.files.emplace_back(argument.substr(kFile.size()));
    } else {
      return false;
    }
    return true;
  });
  argc = static_cast<int>(end - argv);
  return chosen;
}

// The cases that the files have, as a filter; "" when there are none.
std::string filter_of(const std::vector<std::string>& files) {
  std::string filter;
  const ::testing::UnitTest& tests = *::testing::UnitTest::GetInstance();
  for (int suite = 0; suite < tests.total_test_suite_count(); ++suite) {
    const ::testing::TestSuite& cases = *tests.GetTestSuite(suite);
    for (int n = 0; n < cases.total_test_count(); ++n) {
      const ::testing::TestInfo& info = *cases.GetTestInfo(n);
      const std::string_view path = info.file();
      const std::string_view file = path.substr(path.find_last_of('/') + 1);
      if (std::ranges::find(files, file) == files.end()) continue;
      filter += std::string(filter.empty() ? "" : ":") + cases.name() + '.' + info.name();
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  const Chosen chosen = take_options(argc, argv);
  // GoogleTest names a file in a directory after the program, of which several may run.
  if (const std::string output = GTEST_FLAG_GET(output); !chosen.name.empty() && output.ends_with('/'))
    GTEST_FLAG_SET(output, output + chosen.name + ".xml");
  ::testing::InitGoogleTest(&argc, argv);
  if (!chosen.files.empty() && GTEST_FLAG_GET(filter) == "*") {
    const std::string filter = filter_of(chosen.files);
    if (filter.empty()) {
      std::fprintf(stderr, "%s: no test is in the files of %s\n", argv[0], chosen.name.c_str());
      return 2;
    }
    GTEST_FLAG_SET(filter, filter);
  }
  return RUN_ALL_TESTS();
}
