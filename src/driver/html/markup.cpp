// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/html/markup.h"

#include <fmt/format.h>

namespace ptxopt::driver {

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string document(std::string_view title, std::string_view style, std::string_view body) {
  return fmt::format(
      "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>{}</title>"
      "<meta name='viewport' content='width=device-width, initial-scale=1'>{}</head>\n"
      "<body><main>\n{}</main></body></html>\n",
      escaped(title), style, body);
}

std::string_view styleSheet() {
  return R"css(:root {
  color-scheme: light dark;
  --back: #ffffff; --text: #1b1f24; --dim: #59636e; --line: #d1d9e0; --mark: #0b62c4; --panel: #f6f8fa;
  --gone: #ffe3e0; --came: #dcf5e3; --bad: #b3261e; --good: #1a6b34;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0f1318; --text: #e3e8ee; --dim: #9aa6b2; --line: #303a45; --mark: #6cb2ff; --panel: #181e25;
    --gone: #4a2220; --came: #1b3d28; --bad: #ff8a80; --good: #6fd08c;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 82rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; margin: .5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
section + section { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; }
a { color: var(--mark); }
:focus-visible { outline: 2px solid var(--mark); outline-offset: 1px; }
.dim { color: var(--dim); overflow-wrap: anywhere; }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .5rem; padding: 0; margin: 1rem 0; list-style: none; }
.numbers li { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .8rem; }
.numbers b { display: block; font-size: 1.3rem; font-variant-numeric: tabular-nums; }
.less { color: var(--good); } .more { color: var(--bad); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.code { font: 12.5px/1.45 ui-monospace, monospace; white-space: pre; tab-size: 4; }
.code td { padding: 0 .6rem; border: 0; white-space: pre; }
.code tr.gone td { background: var(--gone); } .code tr.came td { background: var(--came); }
.code td.n { color: var(--dim); user-select: none; }
.code tr:target td { outline: 2px solid var(--mark); }
.code td.of { color: var(--dim); border-left: 1px solid var(--line); width: 45%; max-width: 40rem; overflow: hidden; text-overflow: ellipsis; }
.code td.of b { color: var(--text); font-weight: 600; }
.bare td.of { display: none; }
.why { white-space: pre-line; overflow-wrap: anywhere; }
.flow { padding: .8rem; max-height: 80vh; overflow: auto; }
.flow svg { display: block; height: auto; max-width: none; }
.flow text { fill: var(--dim); font-size: 11px; }
.flow a { text-decoration: none; }
.flow .box { fill: var(--panel); stroke: var(--line); }
.flow a:focus-visible .box, .flow a:hover .box { stroke: var(--mark); stroke-width: 2; }
.flow .name { fill: var(--text); font: 600 13px ui-monospace, monospace; }
.flow .edge { fill: none; stroke: var(--dim); stroke-width: 1.3; }
.flow .edge.back { stroke: var(--mark); }
.flow .tip { fill: var(--dim); }
.flow .region text { fill: #10151a; font-weight: 600; }
.r0 rect { fill: #8dd3c7; } .r1 rect { fill: #ffd166; } .r2 rect { fill: #bebada; } .r3 rect { fill: #fb9a8f; }
.r4 rect { fill: #80b1d3; } .r5 rect { fill: #fdb462; } .r6 rect { fill: #b3de69; } .r7 rect { fill: #fccde5; }
)css";
}

}  // namespace ptxopt::driver
