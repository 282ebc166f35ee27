// What a browser makes of pages: their size, what lies on what, and pictures. Tests that use it need chromium.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "support/process.hpp"

namespace amdcompat_test {

// A script's function `findings(page)`: what is wrong with a document as it is laid out, a line each. Nothing may be
// wider than the page, but what can be moved in a frame of its own, and no words may lie on other words.
inline constexpr std::string_view kFindings = R"js(
  const findings = (page) => {
    const out = [], root = page.documentElement, view = page.defaultView;
    const clipped = (rect, element) => {
      let {left, right, top, bottom} = rect;
      for (; element && element !== page.body; element = element.parentElement) {
        if (view.getComputedStyle(element).overflowX === 'visible' || element instanceof view.SVGElement) continue;
        const frame = element.getBoundingClientRect();
        left = Math.max(left, frame.left), right = Math.min(right, frame.right);
        top = Math.max(top, frame.top), bottom = Math.min(bottom, frame.bottom);
      }
      return {left, right, top, bottom};
    };
    if (root.scrollWidth > root.clientWidth) {
      out.push(`${root.scrollWidth} pixels wide in ${root.clientWidth}`);
      for (const element of page.body.querySelectorAll('*')) {
        const {left, right, top, bottom} = element.getBoundingClientRect();
        if (clipped({left, right, top, bottom}, element.parentElement).right > root.clientWidth + 0.1)
          out.push(`  ${element.tagName} ${element.className} ${element.textContent.trim().slice(0, 40)}`);
      }
    }
    // What is seen of each line of words.
    const words = [], walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const owner = node.parentElement, closed = owner.closest('details:not([open])');
      if (!node.data.trim() || /^(script|style|option|title)$/i.test(owner.tagName)) continue;
      if (closed && owner.closest('summary')?.parentElement !== closed) continue;  // has a place and is not seen
      const range = page.createRange();
      range.selectNodeContents(node);
      for (const rect of range.getClientRects()) {
        const seen = clipped(rect, node.parentElement);
        if (seen.right - seen.left > 1 && seen.bottom - seen.top > 1) words.push({...seen, text: node.data.trim()});
      }
    }
    words.sort((a, b) => a.top - b.top);
    for (let i = 0; i < words.length && out.length < 20; ++i)
      for (let j = i + 1; j < words.length && words[j].top < words[i].bottom - 4; ++j) {
        const wide = Math.min(words[i].right, words[j].right) - Math.max(words[i].left, words[j].left);
        if (wide > 2) out.push(`'${words[i].text.slice(0, 30)}' lies on '${words[j].text.slice(0, 30)}'`);
      }
    return out;
  };
)js";

// The browser in a window of that size, without a screen; `scratch` is for its own files.
inline std::string chromium(const std::filesystem::path& scratch, unsigned width, unsigned height) {
  return "chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars "
         "--allow-file-access-from-files "
         "--user-data-dir='" +
         (scratch / "profile").string() + "' --window-size=" + std::to_string(width) + "," + std::to_string(height);
}

// Writes a picture of a page as a window of that size shows it.
inline bool photograph(const std::filesystem::path& scratch, const std::filesystem::path& page, unsigned width,
                       unsigned height, const std::filesystem::path& picture) {
  std::filesystem::create_directories(picture.parent_path());
  std::filesystem::remove(picture);
  run(chromium(scratch, width, height) + " --screenshot='" + picture.string() + "' 'file://" + page.string() + "'");
  // Width and height stand behind the signature and the head of the first chunk.
  std::ifstream in(picture, std::ios::binary);
  const std::string head{std::istreambuf_iterator<char>(in), {}};
  const auto number = [&](std::size_t at) {
    unsigned out = 0;
    for (std::size_t i = 0; i < 4; ++i) out = out << 8 | static_cast<unsigned char>(head[at + i]);
    return out;
  };
  return head.size() > 24 && number(16) == width && number(20) == height;
}

// The title that the page's scripts leave.
inline std::string title_of(const std::filesystem::path& scratch, const std::filesystem::path& page, unsigned width,
                            unsigned height) {
  const std::string dom = run(chromium(scratch, width, height) + " --virtual-time-budget=20000 --dump-dom 'file://" +
                              page.string() + "' 2> /dev/null")
                              .output;
  const std::size_t at = dom.find("<title>");
  if (at == std::string::npos) return "no title";
  return dom.substr(at + 7, dom.find("</title>", at) - at - 7);
}

// What is wrong with pages in a window of that width, with all that can be opened closed and opened: lines of
// `findings`, each behind its page's name. They are shown in frames, since the window of a browser without a screen is
// never narrow. Empty: nothing.
inline std::string look_at(const std::filesystem::path& scratch, const std::vector<std::filesystem::path>& pages,
                           unsigned width, unsigned height) {
  std::string list;
  for (const std::filesystem::path& page : pages) list += "'file://" + page.string() + "',";
  write_file(scratch / "frames.html", R"html(<!DOCTYPE html><meta charset="utf-8"><title></title><body><script>
    document.title = 'not done';
    const pages = [)html" + list + "], width = " +
                                          std::to_string(width) + ", height = " + std::to_string(height) + ";" +
                                          std::string(kFindings) + R"html(
    const out = [];
    const show = (index) => {
      if (index === pages.length) { document.title = out.join('; '); return; }
      const frame = document.createElement('iframe');
      frame.width = width; frame.height = height; frame.style.border = '0'; frame.src = pages[index];
      frame.onload = () => {
        const page = frame.contentDocument, name = pages[index].replace(/.*\//, '');
        for (const line of findings(page)) out.push(`${name}: ${line}`);
        for (const details of page.querySelectorAll('details')) details.open = true;
        setTimeout(() => {
          for (const line of findings(page)) out.push(`${name}, opened: ${line}`);
          frame.remove();
          show(index + 1);
        }, 50);
      };
      document.body.append(frame);
    };
    show(0);
    </script>)html");
  return title_of(scratch, scratch / "frames.html", 1400, 1000);
}

}  // namespace amdcompat_test
