// The oracle of executions: launches of real CL1 kernels, with the memory that an independent emulator left
// (oracle/exec.jsonl and its description exec-README.md).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <amdcompat/open.hpp>

#include "support/real_corpus.hpp"

namespace amdcompat_test {

using Json = nlohmann::json;

inline std::vector<std::byte> from_hex(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::vector<std::byte> out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    out.push_back(static_cast<std::byte>(digit(text[i]) * 16 + digit(text[i + 1])));
  return out;
}

inline std::vector<Json> exec_cases() {
  std::vector<Json> out;
  std::istringstream lines(read_file(real_root() / "oracle/exec.jsonl"));
  for (std::string line; std::getline(lines, line);) out.push_back(Json::parse(line));
  return out;
}

// The files that the cases name, each opened once.
class ExecFiles {
 public:
  const amdcompat::File& file(const std::string& path) {
    auto found = files_.find(path);
    if (found == files_.end()) {
      amdcompat::Diagnostics diagnostics;
      found = files_.emplace(path, *amdcompat::open(read_file(real_root() / "corpus" / path), diagnostics)).first;
    }
    return found->second;
  }

 private:
  std::map<std::string, amdcompat::File> files_;
};

// Which words of a buffer are not what the case says; words of floating point within a relative tolerance where it has
// one. Words of 32 bits, counted from 0; buffers of two sizes differ in a word past every end.
inline std::vector<std::size_t> differing_words(const Json& c, std::span<const std::byte> expected,
                                                std::span<const std::byte> got) {
  if (got.size() != expected.size()) return {std::size_t{1} << 20};
  const bool tolerant = c["model"].get<std::string>().starts_with("tolerance");
  // The oracle's description gives this floor of the denominator.
  const std::string kernel = c["kernel"];
  const float floor = kernel == "kfft" ? 100.0f : kernel == "compute_step_factor" ? 1e-3f : 1.0f;
  std::vector<std::size_t> out;
  for (std::size_t at = 0; at < expected.size(); at += 4) {
    const std::size_t size = std::min<std::size_t>(4, expected.size() - at);
    if (std::ranges::equal(got.subspan(at, size), expected.subspan(at, size))) continue;
    float a = 0, b = 0;
    std::memcpy(&a, got.data() + at, size);
    std::memcpy(&b, expected.data() + at, size);
    if (!tolerant || !(std::fabs(a - b) <= 1e-5f * std::max(floor, std::fabs(b)))) out.push_back(at / 4);
  }
  return out;
}

// Words in which a right result of this case differs. The oracle's emulator converts negative numbers to unsigned as a
// C cast does on its host, where v_cvt_u32_f32 gives 0 here, the nearest number there is: too large ones give the
// largest, and NaN gives 0 [CLRX GcnInstrsVop1]. No document at hand says it of negative numbers in words, and
// exec-README.md, which lists the kernels whose results need a tolerance, does not mention this one. It shows in one
// byte of one case.
inline std::size_t expected_differences(const Json& c) {
  return c["kernel"] == "RecursiveGaussian_kernel" && c["global"][0] == 32 && c["local"][0] == 16 ? 1 : 0;
}

}  // namespace amdcompat_test
