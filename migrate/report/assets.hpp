// Style and script of the report.
#pragma once

#include <string_view>

namespace amdcompat::migrate {

// Colours follow the reader's preference; the contrast of all text is at least 4.5 to 1 in both.
inline constexpr std::string_view kReportStyle = R"css(
:root { color-scheme: light dark; --back: #ffffff; --fore: #1b1f24; --soft: #57606a; --line: #d0d7de; --tint: #f3f5f8;
  --link: #0550ae; --good: #116329; --fair: #7d4e00; --bad: #a40e26; --box: #e6effb; --focus: #0969da; }
@media (prefers-color-scheme: dark) {
  :root { --back: #0f1318; --fore: #e6edf3; --soft: #9aa4b0; --line: #323941; --tint: #1a2028; --link: #79b8ff;
    --good: #56d364; --fair: #e3b341; --bad: #ff7b72; --box: #1c2c42; --focus: #58a6ff; }
}
* { box-sizing: border-box; }
html { background: var(--back); color: var(--fore); font: 15px/1.5 system-ui, sans-serif;
  -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; padding: 1.25rem clamp(0.75rem, 3vw, 2rem) 4rem; max-width: 82rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 0.25rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
p { margin: 0.25rem 0; max-width: 70ch; }
.soft { color: var(--soft); }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
code, pre, .mono { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 0.86em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding: 0 0 0.3rem; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem; }
#kernels th, #kernels td { overflow-wrap: anywhere; }
.counts tbody th { overflow-wrap: break-word; }
caption span { display: block; max-width: min(70ch, calc(100vw - 1.6rem)); }
#kernels caption span { max-width: none; }
thead th { border-bottom: 2px solid var(--line); font-weight: 600; }
.counts td, .counts thead th:not(:first-child) { text-align: right; white-space: nowrap; }
.counts td.text, .counts thead th.text { text-align: left; white-space: normal; }
.counts .code { white-space: nowrap; }
.counts tbody tr { border-bottom: 1px solid var(--line); }
.counts tbody th { font-weight: 400; }
.wide { overflow-x: auto; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 25rem), 1fr)); gap: 0 2.5rem; }
.bar { display: block; width: 100%; height: 0.9rem; margin: 0.6rem 0 0.3rem; border-radius: 0.2rem; }
.bar .as-it-is, .bar .proved, .bar .converted { fill: var(--good); }
.bar .described { fill: var(--fair); } .bar .refused { fill: var(--bad); }
.key { display: inline-block; margin-right: 1.2rem; }
.bar rect { stroke: var(--back); stroke-width: 2; vector-effect: non-scaling-stroke; }
.legend { max-width: none; }
.matrix tbody th { overflow-wrap: anywhere; min-width: 9rem; max-width: 30rem; }
.mark { font-weight: 600; white-space: nowrap; }
.mark.as-it-is, .mark.proved, .mark.converted { color: var(--good); }
.mark.described { color: var(--fair); } .mark.refused { color: var(--bad); }
.k { font-weight: 700; } .t { text-decoration: underline; text-decoration-color: var(--soft); color: var(--link); }
.c { font-style: italic; color: var(--soft); } .p { color: var(--fair); } .n { color: var(--good); }
.s { color: var(--bad); }
.place { border: 1px solid var(--soft); padding: 0 0.4rem; font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
span.place.pointer { background: var(--box); } span.place.value { background: var(--tint); }
span.place.object { background: var(--line); } span.place.added { border-style: dashed; }
pre.source { max-height: 30rem; overflow-y: auto; }
.controls { display: none; }
.js .controls { display: flex; flex-wrap: wrap; gap: 0.6rem; align-items: end; margin: 0.5rem 0; }
.controls label { display: flex; flex-direction: column; font-size: 0.85rem; color: var(--soft); max-width: 100%; }
.controls label.search { flex: 1 1 14rem; }
input, select, button { font: inherit; color: var(--fore); background: var(--tint); border: 1px solid var(--line);
  border-radius: 0.3rem; padding: 0.3rem 0.5rem; min-height: 2.2rem; max-width: 100%; }
.more-rows { display: none; }
.js .more-rows { display: block; margin: 0.75rem 0; }
#kernels { width: 100%; table-layout: fixed; }
#kernels thead th { position: sticky; top: 0; background: var(--back); padding: 0; z-index: 1; }
#kernels thead th > span, #kernels thead button { display: block; padding: 0.4rem 0.6rem; }
#kernels thead button { width: 100%; text-align: left; border: 0; background: none; font-weight: 600; cursor: pointer; }
#kernels thead button::after { content: " \2195"; color: var(--soft); }
#kernels thead th[aria-sort="ascending"] button::after { content: " \2191"; color: var(--fore); }
#kernels thead th[aria-sort="descending"] button::after { content: " \2193"; color: var(--fore); }
#kernels tbody { border-bottom: 1px solid var(--line); scroll-margin-top: 3rem; }
#kernels tbody:target { background: var(--tint); }
#kernels tbody th { font-weight: 600; }
.c-kernel { width: 19%; } .c-device { width: 10%; } .c-driver { width: 16%; } .c-result { width: 11rem; }
.c-proof { width: 9rem; } .c-found { width: 7.5rem; }
#kernels tr.more td { padding-top: 0; }
.narrow-only { display: none; }
.js:not(.ready) #kernels tbody:nth-of-type(n+101) { display: none; }
.result { white-space: nowrap; font-weight: 600; }
.result.as-it-is, .result.proved, .result.converted { color: var(--good); }
.result.described, .result.partial { color: var(--fair); }
.result.refused, .result.failed { color: var(--bad); } .result.none { color: var(--soft); }
summary { cursor: pointer; width: fit-content; max-width: 100%; }
details > div { padding: 0.25rem 0 0.75rem; }
details h3 { font-size: 0.95rem; margin: 0.8rem 0 0.2rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: 0.3rem 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
pre { background: var(--tint); border-radius: 0.3rem; padding: 0.5rem 0.75rem; margin: 0.25rem 0; overflow-x: auto; }
svg.layout { display: block; max-width: 46rem; width: 100%; height: auto;
  font: 12px ui-monospace, "DejaVu Sans Mono", monospace; }
svg.layout text { fill: var(--fore); } svg.layout .head { fill: var(--soft); }
svg.layout .box { fill: var(--box); stroke: var(--soft); }
svg.layout .gap { fill: none; stroke: var(--soft); stroke-dasharray: 2 3; }
svg.layout .place { stroke: var(--soft); } svg.layout .pointer { fill: var(--box); }
svg.layout .value { fill: var(--tint); } svg.layout .object { fill: var(--line); }
svg.layout .added { fill: none; stroke-dasharray: 4 2; }
svg.layout .way { fill: none; stroke: var(--soft); stroke-width: 1.5; }
@media (max-width: 52rem) {
  th, td { padding: 0.3rem 0.4rem; }
  .c-driver, .c-proof, #kernels .driver, #kernels .proof, #kernels .found, .c-found { display: none; }
  #kernels .result { white-space: normal; overflow-wrap: normal; }
  /* The row below a kernel spans all columns, so those that are left have to fill the table. */
  .c-kernel { width: 30%; } .c-file { width: 32%; } .c-device { width: 18%; } .c-result { width: 20%; }
}
@media (max-width: 30rem) {
  .counts { font-size: 0.85rem; } .counts th, .counts td { padding: 0.3rem 0.3rem; }
  #kernels .file, .wide-only { display: none; } .narrow-only { display: inline; }
  .c-file { display: none; } .c-kernel { width: 42%; } .c-device { width: 26%; }
  .c-result { width: 32%; } dl { grid-template-columns: 1fr; }
  dt:not(:first-of-type) { margin-top: 0.3rem; } svg.layout { min-width: 34rem; } .picture { overflow-x: auto; }
}
@media print {
  :root { --back: #ffffff; --fore: #000000; --soft: #444444; --line: #999999; --tint: #f4f4f4; --box: #eeeeee;
    --good: #000000; --fair: #000000; --bad: #000000; --link: #000000; }
  .js .controls, .js .more-rows { display: none; } #kernels thead th { position: static; }
  #kernels tbody, tr { break-inside: avoid; } body { max-width: none; padding: 0; } pre { white-space: pre-wrap; }
}
)css";

inline constexpr std::string_view kReportScript = R"js(
(() => {
  'use strict';
  const first = 100;  // rows at first; the style says so too
  const byId = (id) => document.getElementById(id);
  const table = byId('kernels');
  const heads = Array.from(table.tHead.rows[0].cells);
  const search = byId('search');
  const selects = ['result', 'device', 'driver'].map(byId);
  const status = byId('status');
  const button = byId('more');
  const collator = new Intl.Collator(undefined, { numeric: true });
  // In the order of the page: what is sorted anew is sorted among equals as it was.
  let rows = Array.from(table.tBodies);
  let matching = rows;
  let shown = first;
  let texts = null;  // of each row, for the search

  const cell = (row, index) => row.rows[0].cells[index].textContent;
  const textOf = (row) => {
    if (!texts) texts = new Map(rows.map((each) => [each, each.textContent.toLowerCase()]));
    return texts.get(row);
  };

  function show() {
    const visible = new Set(matching.slice(0, shown));
    for (const row of rows) row.hidden = !visible.has(row);
    const count = Math.min(shown, matching.length);
    status.textContent = `${count} of ${matching.length} ${matching.length === 1 ? 'row' : 'rows'} shown` +
      (matching.length === rows.length ? '' : `, ${rows.length} in all`);
    button.hidden = count === matching.length;
  }

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const columns = selects.map((select) => heads.findIndex((head) => head.dataset.key === select.id));
    matching = rows.filter((row) =>
      selects.every((select, i) => !select.value || cell(row, columns[i]).trim() === select.value) &&
      (words.length === 0 || words.every((word) => textOf(row).includes(word))));
    shown = first;
    show();
  }

  function sort(head) {
    const index = heads.indexOf(head);
    const down = head.getAttribute('aria-sort') === 'ascending';
    for (const other of heads) other.setAttribute('aria-sort', 'none');
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const keys = new Map(rows.map((row) => [row, cell(row, index)]));
    rows.sort((a, b) => collator.compare(keys.get(a), keys.get(b)) * (down ? -1 : 1));
    const fragment = document.createDocumentFragment();
    for (const row of rows) fragment.append(row);
    table.append(fragment);
    filter();
  }

  for (const head of heads) {
    const label = head.firstElementChild;
    const control = document.createElementNS('http://www.w3.org/1999/xhtml', 'button');
    control.type = 'button';
    control.textContent = label.textContent;
    control.addEventListener('click', () => sort(head));
    label.replaceWith(control);
    head.setAttribute('aria-sort', 'none');
  }
  let waiting = 0;
  search.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 120);
  });
  for (const select of selects) select.addEventListener('change', filter);
  byId('reset').addEventListener('click', () => {
    search.value = '';
    for (const select of selects) select.value = '';
    filter();
    search.focus();
  });
  button.addEventListener('click', () => {
    shown += 500;
    show();
  });
  // Pictures of a long report are drawn when they are wanted.
  table.addEventListener('toggle', (event) => {
    const stored = event.target.open && event.target.querySelector('script[type="image/svg+xml"]');
    if (!stored) return;
    const drawn = new DOMParser().parseFromString(stored.textContent, 'image/svg+xml').documentElement;
    stored.parentNode.replaceChildren(document.adoptNode(drawn));
  }, true);
  // A link to a row shows it, whatever is filtered; a reason of refusal shows all its rows.
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[data-find]');
    if (!link) return;
    event.preventDefault();
    search.value = link.dataset.find;
    for (const select of selects) select.value = '';
    filter();
    search.focus();
    search.scrollIntoView({ block: 'start' });
  });
  const reveal = () => {
    const row = byId(location.hash.slice(1));
    if (!row || row.parentNode !== table) return;
    row.hidden = false;
    row.querySelector('details').open = true;
    row.scrollIntoView();
  };
  window.addEventListener('hashchange', reveal);
  window.addEventListener('beforeprint', () => {
    shown = matching.length;
    show();
  });
  show();
  document.documentElement.classList.add('ready');
  if (location.hash) reveal();
})();
)js";

}  // namespace amdcompat::migrate
