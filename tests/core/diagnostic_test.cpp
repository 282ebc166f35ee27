#include <amdcompat/diagnostic.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace amdcompat::diagnostic_test {
namespace {

using namespace std::literals;

// One finding at `where`, rendered.
std::string render(std::string_view bytes, std::span<const TextRegion> text, SourceRange where,
                   std::string_view block = {}, RenderOptions options = {}) {
  Diagnostics sink;
  sink.set_file("a.il");
  const DiagnosticScope scope(sink, {.block = block});
  sink.report(Code::InternalError, where, "something");
  return render_text(sink, {bytes, text}, options);
}

std::string render_file(std::string_view text, SourceRange where) {
  const TextRegion whole[] = {{{0, static_cast<std::uint32_t>(text.size())}}};
  return render(text, whole, where);
}

TEST(Codes, AreAscendingAndFound) {
  const auto codes = all_codes();
  ASSERT_FALSE(codes.empty());
  EXPECT_TRUE(
      std::is_sorted(codes.begin(), codes.end(), [](const CodeInfo& a, const CodeInfo& b) { return a.code < b.code; }));
  for (const CodeInfo& row : codes) {
    EXPECT_EQ(&code_info(row.code), &row);
    EXPECT_FALSE(row.name.empty());
    EXPECT_FALSE(row.meaning.empty());
  }
}

TEST(Codes, ANumberOutsideTheTableIsADefect) { EXPECT_EQ(code_info(static_cast<Code>(0)).code, Code::InternalError); }

TEST(Codes, LabelHasFourDigits) {
  EXPECT_EQ(code_label(Code::InternalError), "AC9001");
  EXPECT_EQ(code_label(Code::FileUnreadable), "AC0001");
}

TEST(Sink, SeverityFollowsTableAndMode) {
  for (const CodeInfo& row : all_codes()) {
    Diagnostics lenient(Mode::Lenient);
    Diagnostics strict(Mode::Strict);
    lenient.report(row.code, {}, "m");
    strict.report(row.code, {}, "m");
    EXPECT_EQ(lenient.all().front().severity, row.lenient) << row.name;
    EXPECT_EQ(strict.all().front().severity, row.strict) << row.name;
    EXPECT_EQ(make_diagnostic(row.code, {}, "m").severity, row.strict) << row.name;
  }
}

TEST(Sink, StampsFileBlockKernelAndArgumentOfItsScopes) {
  Diagnostics sink;
  sink.set_file("f");
  {
    const DiagnosticScope block(sink, {.block = "b", .kernel = "k"});
    {
      const DiagnosticScope argument(sink, {.argument = "a"});
      sink.report(Code::InternalError, {1, 2}, "m", "p");
    }
    sink.add(make_diagnostic(Code::InternalError, {}, "from a result"));
    sink.add(make_diagnostic(Code::InternalError, {}, DiagnosticContext{.kernel = "other"}, "has its own"));
  }
  sink.report(Code::InternalError, {}, "m");
  ASSERT_EQ(sink.all().size(), 4u);
  EXPECT_EQ(sink.all()[0].kernel, "k");
  EXPECT_EQ(sink.all()[0].argument, "a");
  EXPECT_EQ(sink.all()[1].kernel, "k");
  EXPECT_EQ(sink.all()[1].argument, "");
  EXPECT_EQ(sink.all()[2].kernel, "other");
  EXPECT_EQ(sink.all()[2].block, "b");
  EXPECT_EQ(sink.all()[3].kernel, "");
  EXPECT_EQ(sink.all()[0].file, "f");
  EXPECT_EQ(sink.all()[0].block, "b");
  EXPECT_EQ(sink.all()[0].path, "p");
  EXPECT_EQ(sink.all()[0].where, (SourceRange{1, 2}));
  EXPECT_EQ(sink.all()[1].file, "f");
  EXPECT_EQ(sink.all()[1].block, "b");
  EXPECT_EQ(sink.all()[3].block, "");
}

TEST(Sink, SaysBeforehandWhetherACodeIsAnError) {
  for (const CodeInfo& row : all_codes()) {
    EXPECT_EQ(Diagnostics(Mode::Strict).is_error(row.code), row.strict == Severity::Error) << row.name;
    EXPECT_EQ(Diagnostics(Mode::Lenient).is_error(row.code), row.lenient == Severity::Error) << row.name;
  }
}

TEST(Severities, ErrorsThatAnotherWayOvercameAreNotesButForCodeThatDiffers) {
  for (const CodeInfo& row : all_codes()) {
    const Severity severity = severity_if_overcome(make_diagnostic(row.code, {}, "m"));
    if (row.code == Code::InPlaceDiffers)
      EXPECT_EQ(severity, Severity::Error);
    else
      EXPECT_EQ(severity, row.strict == Severity::Error ? Severity::Note : row.strict) << row.name;
  }
}

TEST(Rendering, ShowsAsManyRowsOfBytesAsAreAskedFor) {
  Diagnostics findings;
  findings.set_file("f");
  for (const std::uint32_t at : {0u, 4u, 8u}) findings.report(Code::ElfHeaderBroken, {at, 1}, "m" + std::to_string(at));
  const std::string bytes(16, 'a');
  const auto rows = [&](RenderOptions options) {
    const std::string text = render_text(findings, {bytes, {}}, options);
    std::size_t n = 0;
    for (std::size_t at = 0; (at = text.find("|aaaa", at)) != std::string::npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(rows({}), 3u);
  EXPECT_EQ(rows({.byte_rows = 1}), 1u);
  EXPECT_EQ(rows({.byte_rows = 0}), 0u);
}

TEST(Sentences, BeginWithWhatThePredicateIsAbout) {
  EXPECT_EQ(sentence(make_diagnostic(Code::InternalError, {}, "a sentence")), "a sentence");
  EXPECT_EQ(sentence(make_diagnostic(Code::InternalError, {}, DiagnosticContext{.kernel = "k"}, "has no code")),
            "kernel 'k' has no code");
  EXPECT_EQ(sentence(make_diagnostic(Code::InternalError, {}, DiagnosticContext{.kernel = "k", .argument = "a"},
                                     "has no value")),
            "argument 'a' has no value");
}

TEST(Sink, CountsWhatItDoesNotKeep) {
  Diagnostics sink(Mode::Lenient, 2);
  for (int i = 0; i < 5; ++i) sink.report(Code::InternalError, {}, "m");
  EXPECT_EQ(sink.all().size(), 2u);
  EXPECT_EQ(sink.dropped(), 3u);
  EXPECT_EQ(sink.count(Severity::Error), 5u);
  EXPECT_TRUE(sink.has_errors());
  EXPECT_TRUE(sink.contains(Code::InternalError));
  EXPECT_FALSE(sink.contains(Code::FileUnwritable));
}

TEST(Lines, ArePositionedByBytes) {
  const LineTable table("ab\n\ncd\r\ne");
  const auto at = [&](std::uint32_t offset) {
    const auto p = table.position(offset);
    return std::pair(p.line, p.column);
  };
  EXPECT_EQ(at(0), std::pair(1u, 1u));
  EXPECT_EQ(at(2), std::pair(1u, 3u));  // the line end belongs to its line
  EXPECT_EQ(at(3), std::pair(2u, 1u));
  EXPECT_EQ(at(4), std::pair(3u, 1u));
  EXPECT_EQ(at(8), std::pair(4u, 1u));
  EXPECT_EQ(at(9), std::pair(4u, 2u));
  EXPECT_EQ(at(4000), std::pair(4u, 2u));  // past the end counts as the end
  EXPECT_EQ(table.line(1), "ab");
  EXPECT_EQ(table.line(2), "");
  EXPECT_EQ(table.line(3), "cd");
  EXPECT_EQ(table.line(4), "e");
  EXPECT_EQ(table.line(0), "");
  EXPECT_EQ(table.line(5), "");
}

TEST(Lines, ATextWithoutLinesHasOne) {
  const LineTable table("");
  EXPECT_EQ(table.position(0).line, 1u);
  EXPECT_EQ(table.position(7).column, 1u);
  EXPECT_EQ(table.line(1), "");
  EXPECT_EQ(LineTable("x\n").line(2), "");
}

TEST(Text, ShowsLineAndCaret) {
  EXPECT_EQ(render_file(";version:3\n;value:v:XX:1\n", {20, 2}), "a.il:2:10: error[AC9001]: something\n"
                                                                 "  ;value:v:XX:1\n"
                                                                 "           ^~\n");
}

TEST(Text, CaretMayStandAtTheEndOfTheLine) {
  EXPECT_EQ(render_file("abc\r\nd", {4, 1}), "a.il:1:5: error[AC9001]: something\n"
                                             "  abc\n"
                                             "     ^\n");
  EXPECT_EQ(render_file("ab", {2, 0}), "a.il:1:3: error[AC9001]: something\n"
                                       "  ab\n"
                                       "    ^\n");
}

TEST(Text, KeepsTabsUnderTabs) {
  EXPECT_EQ(render_file("\tx\tyz", {3, 2}), "a.il:1:4: error[AC9001]: something\n"
                                            "  \tx\tyz\n"
                                            "  \t \t^~\n");
}

TEST(Text, CountsACharacterOfManyBytesAsOneColumn) {
  EXPECT_EQ(render_file("\xC3\xA9\xE2\x82\xAC:x", {6, 1}), "a.il:1:7: error[AC9001]: something\n"
                                                           "  \xC3\xA9\xE2\x82\xAC:x\n"
                                                           "     ^\n");
  // An offset inside a character marks that character.
  EXPECT_EQ(render_file("a\xE2\x82\xAC"
                        "b",
                        {2, 1}),
            "a.il:1:3: error[AC9001]: something\n"
            "  a\xE2\x82\xAC"
            "b\n"
            "   ^\n");
}

TEST(Text, MakesControlsAndBrokenUtf8Visible) {
  EXPECT_EQ(render_file("\x1b[2J\xff:\x7f\xe2\x80\xaex", {5, 1}),
            "a.il:1:6: error[AC9001]: something\n"
            "  \xE2\x90\x9B[2J\xEF\xBF\xBD:\xE2\x90\xA1\xEF\xBF\xBDx\n"
            "       ^\n");
}

TEST(Text, NeverPrintsControlsOfNamesAndMessages) {
  Diagnostics sink;
  sink.set_file("a\x1b]0;b\n");
  const DiagnosticScope scope(sink, {.block = "k\x07"});
  sink.report(Code::InternalError, {6, 1}, "found '\x1b[31m\x00'"s, "p\r[0]");
  const TextRegion region[] = {{{4, 8}}};
  const std::string out = render_text(sink, {"....textabcd", region}, {});
  for (const char c : out) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << int{c};
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 3);
}

TEST(Text, WindowsLongLinesAroundTheColumn) {
  const std::string line = std::string(5000, 'a') + "X" + std::string(5000, 'b');
  const std::string out = render_file(line, {5000, 1});
  const std::size_t first = out.find('\n') + 1;
  const std::size_t second = out.find('\n', first) + 1;
  const std::string source = out.substr(first, second - first - 1);
  const std::string caret = out.substr(second, out.size() - second - 1);
  EXPECT_EQ(source.size(), 2u + 3 + 120 + 3);  // margin, ellipsis, text, ellipsis
  EXPECT_EQ(source.substr(2, 3), "\xE2\x80\xA6");
  EXPECT_EQ(source.find('X') - 2, caret.find('^'));  // the ellipsis is one column in three bytes
  // At the ends of a line the window is as wide.
  const std::string at_end = render_file(line, {10000, 1});
  EXPECT_NE(at_end.find("\xE2\x80\xA6" + std::string(119, 'b') + "b\n"), std::string::npos);
}

TEST(Text, StaysCheapAndSafeInsideBrokenContinuationBytes) {
  const std::string line(100'000, '\x80');
  for (const std::uint32_t at : {0u, 1u, 480u, 481u, 482u, 50'000u, 99'999u, 100'000u})
    EXPECT_LT(render_file(line, {at, 3}).size(), 1000u) << at;
}

TEST(Text, BlocksOfABinaryCountTheirOwnLines) {
  const std::string bytes = "\x7f"
                            "ELF;a\n;bc\n\x01\x02"s;
  const TextRegion regions[] = {{{4, 7}}};
  EXPECT_EQ(render(bytes, regions, {8, 2}, "__OpenCL_k_kernel"),
            "a.il:+0x8(__OpenCL_k_kernel:2:2): error[AC9001]: something\n"
            "  ;bc\n"
            "   ^~\n");
  EXPECT_EQ(render(bytes, regions, {4, 1}).substr(0, 15), "a.il:+0x4(1:1):");
  // A position at the end of the text belongs to it, a byte there does not.
  EXPECT_EQ(render(bytes, regions, {11, 0}).substr(0, 15), "a.il:+0xb(3:1):");
  EXPECT_EQ(render(bytes, regions, {11, 1}).substr(0, 10), "a.il:+0xb:");
}

TEST(Binary, ShowsAHexWindow) {
  std::string bytes;
  for (int i = 0; i < 64; ++i) bytes += static_cast<char>(i + 32);
  EXPECT_EQ(render(bytes, {}, {0x16, 1}),
            "a.il:+0x16: error[AC9001]: something\n"
            "  00000010  30 31 32 33 34 35 36 37  38 39 3a 3b 3c 3d 3e 3f  |0123456789:;<=>?|\n"
            "                              ^~\n");
  EXPECT_EQ(render(bytes, {}, {0x16, 4}),
            "a.il:+0x16: error[AC9001]: something\n"
            "  00000010  30 31 32 33 34 35 36 37  38 39 3a 3b 3c 3d 3e 3f  |0123456789:;<=>?|\n"
            "                              ^~~~~~~~~~~~\n");
}

TEST(Binary, HexWindowEndsWithTheFile) {
  EXPECT_EQ(render("\x01\x02\x03"sv, {}, {3, 0}),
            "a.il:+0x3: error[AC9001]: something\n"
            "  00000000  01 02 03                                          |...|\n"
            "                     ^\n");
  EXPECT_EQ(render("\x01\x02\x03"sv, {}, {1, 400}),
            "a.il:+0x1: error[AC9001]: something\n"
            "  00000000  01 02 03                                          |...|\n"
            "               ^~~~~\n");
  // An offset past the end has no window.
  EXPECT_EQ(render("\x01"sv, {}, {77, 1}), "a.il:+0x4d: error[AC9001]: something\n");
}

TEST(Binary, AFindingAboutAnUnreadFileHasNoOffset) {
  EXPECT_EQ(render({}, {}, {}), "a.il: error[AC9001]: something\n");
  EXPECT_EQ(render({}, {}, {5, 0}), "a.il:+0x5: error[AC9001]: something\n");
}

TEST(Render, PutsThePathBeforeTheMessage) {
  Diagnostics sink;
  sink.set_file("f");
  sink.report(Code::InternalError, {}, "m", "amdhsa.kernels[2]");
  EXPECT_EQ(render_text(sink, {}, {}), "f: error[AC9001]: amdhsa.kernels[2]: m\n");
}

TEST(Render, CapsTextAndSaysSo) {
  Diagnostics sink(Mode::Lenient, 60);
  for (int i = 0; i < 51; ++i) sink.report(Code::DuplicateKernelName, {}, "m" + std::to_string(i));
  const RenderOptions options{.rest_hint = "ask for all"};
  const std::string one_more = render_text(sink, {}, options);
  EXPECT_EQ(std::count(one_more.begin(), one_more.end(), '\n'), 51);
  EXPECT_TRUE(one_more.ends_with("\xE2\x80\xA6 and 1 more finding (ask for all)\n")) << one_more;
  for (int i = 51; i < 70; ++i) sink.report(Code::DuplicateKernelName, {}, "m" + std::to_string(i));
  EXPECT_TRUE(render_text(sink, {}, options)
                  .ends_with("\xE2\x80\xA6 and 20 more findings (ask for all); 10 of them only counted\n"));
  const std::string all = render_text(sink, {}, {.limit = 0});
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 61);
  EXPECT_TRUE(all.ends_with("\xE2\x80\xA6 and 10 more findings; 10 of them only counted\n"));
}

TEST(Render, ShowsErrorsFirstWhenItCannotShowAll) {
  Diagnostics sink(Mode::Lenient, 60);
  for (int i = 0; i < 70; ++i) sink.report(Code::DuplicateKernelName, {}, "m" + std::to_string(i));
  sink.report(Code::InternalError, {}, "the error");
  const std::string text = render_text(sink, {}, {});
  EXPECT_TRUE(text.starts_with("<input>: error[AC9001]: the error\n")) << text;
  EXPECT_EQ(sink.count(Severity::Error), 1u);
  EXPECT_EQ(sink.dropped(), 11u);
  for (int i = 0; i < 100; ++i) sink.report(Code::InternalError, {}, "e" + std::to_string(i));
  EXPECT_EQ(std::ranges::count(sink.all(), Severity::Error, &Diagnostic::severity), 60);
  const std::string rest = "\xE2\x80\xA6 and 121 more findings, 51 errors among them; 111 of them only counted\n";
  EXPECT_TRUE(render_text(sink, {}, {}).ends_with(rest)) << render_text(sink, {}, {});
}

TEST(Render, WhatIsSaidOfManyKernelsIsOneLineAndACount) {
  Diagnostics sink;
  for (int i = 0; i < 3000; ++i) {
    const std::string name = "k" + std::to_string(i);
    const DiagnosticScope scope(sink, {.kernel = name});
    sink.report_on(Subject::Kernel, Code::DuplicateKernelName, {}, "stands twice");
    sink.report(Code::LinkNotFollowed, {}, "kernel " + name + " is linked");
  }
  EXPECT_EQ(render_text(sink, {}, {}), "<input>: warning[AC4007]: kernel 'k0' stands twice (2999 more like it)\n"
                                       "<input>: note[AC6010]: kernel k0 is linked (2999 more like it)\n");
}

TEST(Visible, NothingActsOnATerminal) {
  EXPECT_EQ(visible("a\x1b[2J\n\t\x7f"), "a\u241b[2J\u240a\u2409\u2421");
  EXPECT_EQ(visible("a\x1b\n\t", true), "a\u241b\n\t");
  EXPECT_EQ(visible("\xc2\x9b\xff\u202e"), "\ufffd\ufffd\ufffd");
}

TEST(Render, ColourWrapsOnlyWhenAsked) {
  EXPECT_EQ(render("x", {}, {0, 1}).find('\x1b'), std::string::npos);
  const std::string coloured = render("x", {}, {0, 1}, {}, {.colour = true});
  EXPECT_NE(coloured.find("\x1b[1;31merror[AC9001]:\x1b[0m"), std::string::npos);
}

TEST(Json, HasTheDocumentedKeysInOrder) {
  Diagnostics sink;
  sink.set_file("f");
  const DiagnosticScope scope(sink, {.block = "b", .kernel = "k", .argument = "a"});
  sink.report(Code::InternalError, {5, 2}, "m", "p");
  sink.report(Code::InternalError, {0, 1}, "m");
  const TextRegion region[] = {{{4, 4}}};
  EXPECT_EQ(render_json_lines(sink, {"....ab\nc", region}),
            R"({"code":"AC9001","severity":"error","file":"f","offset":5,"size":2,"block":"b","line":1,"column":2,)"
            R"("kernel":"k","argument":"a","path":"p","message":"m"})"
            "\n"
            R"({"code":"AC9001","severity":"error","file":"f","offset":0,"size":1,"kernel":"k","argument":"a",)"
            R"("message":"m"})"
            "\n");
}

TEST(Json, ListsAllAndOmitsAnEmptyBlock) {
  Diagnostics sink;
  for (int i = 0; i < 200; ++i) sink.report(Code::InternalError, {0, 1}, "m");
  const TextRegion region[] = {{{0, 1}}};
  const std::string out = render_json_lines(sink, {"x", region});
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 200);
  EXPECT_EQ(out.find("\"block\""), std::string::npos);
  EXPECT_NE(out.find("\"line\":1,\"column\":1"), std::string::npos);
}

TEST(Json, ReplacesWhatIsNoUtf8) {
  Diagnostics sink;
  sink.set_file("\xff");
  sink.report(Code::InternalError, {}, "cut \xC3", "\x80\n");
  const std::string out = render_json_lines(sink, {});
  const auto object = nlohmann::json::parse(out);
  EXPECT_EQ(object["message"], "cut \xEF\xBF\xBD");
  EXPECT_EQ(object["path"], "\xEF\xBF\xBD\n");
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 1);
}

// All bytes, all pairs, and the starts of longer sequences followed by each of the bytes that end them or do not.
TEST(Json, WritesEveryByteAsAnotherWriterDoes) {
  std::vector<std::string> texts;
  std::string every;
  for (int first = 0; first < 256; ++first) {
    every += static_cast<char>(first);
    std::string pairs;
    for (int second = 0; second < 256; ++second) pairs += {static_cast<char>(first), static_cast<char>(second), '.'};
    texts.push_back(pairs);
  }
  texts.push_back(every);
  for (const std::string_view start : {"\xE0\xA0", "\xE1\x80", "\xED\x9F", "\xEF\xBF", "\xF0\x90", "\xF0\x90\x80",
                                       "\xF1\x80\xBF", "\xF4\x8F", "\xF4\x8F\xBF"}) {
    for (int last = 0; last < 256; ++last) texts.push_back(std::string(start) + static_cast<char>(last) + "x");
    texts.emplace_back(start);
  }
  for (const std::string& text : texts) {
    Diagnostics sink;
    sink.report(Code::InternalError, {}, text);
    const nlohmann::ordered_json expected{{"code", "AC9001"}, {"severity", "error"}, {"file", ""},
                                          {"offset", 0},      {"size", 0},           {"message", text}};
    ASSERT_EQ(render_json_lines(sink, {}),
              expected.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  }
}

}  // namespace
}  // namespace amdcompat::diagnostic_test
