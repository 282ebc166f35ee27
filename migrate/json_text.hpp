// JSON that is written as it is made: the text that nlohmann's `dump(2)` gives of a document, of which only one element
// at a time is a tree. A tree takes many times the bytes that it stands for, and a file may hold 65,000 kernels.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace amdcompat::migrate {

class JsonText {
 public:
  using Json = nlohmann::ordered_json;

  // `put` is given the text in pieces.
  explicit JsonText(std::function<void(std::string_view)> put) : put_(std::move(put)) {}

  // '{' or '[', as the whole document or as an element of a list; with a key, as a member.
  void open(char bracket) {
    next();
    start(bracket);
  }
  void open(std::string_view key, char bracket) {
    name(key);
    start(bracket);
  }
  void close() {
    const Level level = levels_.back();
    levels_.pop_back();
    if (!level.empty) put_(line());
    put_(level.bracket == '{' ? "}" : "]");
  }
  void element(const Json& value) {
    next();
    tree(value);
  }
  void member(std::string_view key, const Json& value) {
    name(key);
    tree(value);
  }

 private:
  struct Level {
    char bracket;
    bool empty = true;
  };

  static std::string dump(const Json& value) { return value.dump(2, ' ', false, Json::error_handler_t::replace); }

  [[nodiscard]] std::string line() const { return '\n' + std::string(2 * levels_.size(), ' '); }

  void start(char bracket) {
    put_({&bracket, 1});
    levels_.push_back({bracket});
  }

  void next() {
    if (levels_.empty()) return;
    if (!levels_.back().empty) put_(",");
    levels_.back().empty = false;
    put_(line());
  }

  void name(std::string_view key) {
    next();
    put_(dump(key));
    put_(": ");
  }

  // Line feeds stand between the parts of a tree only: texts have them as `\n`.
  void tree(const Json& value) {
    const std::string text = dump(value), feed = line();
    std::size_t at = 0;
    for (std::size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
      put_(std::string_view(text).substr(at, end - at));
      put_(feed);
    }
    put_(std::string_view(text).substr(at));
  }

  std::function<void(std::string_view)> put_;
  std::vector<Level> levels_;
};

}  // namespace amdcompat::migrate
