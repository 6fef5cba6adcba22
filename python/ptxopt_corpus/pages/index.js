// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The overview.  KERNELS (data.js) has a row for each kernel, in the order of COLUMNS.
"use strict";
const COLUMNS = ["kernel", "file", "barriers", "instructions", "registers", "code"];
const [NAME, FILE, PAGE] = [0, 1, 2];  // then pairs of before and after, in the order of COLUMNS from 2 on
const HEIGHT = 32;  // pixels of a row, as .row has them

const before = (row, column) => row[3 + 2 * (column - 2)];
const after = (row, column) => row[4 + 2 * (column - 2)];
const change = (row, column) => before(row, column) === null ? null : after(row, column) - before(row, column);

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// ---- the table: only the rows in sight are in the page ------------------------------------------

const table = document.getElementById("table");
const search = document.getElementById("search");
const count = document.getElementById("count");
const body = element("div", {style: "position: relative"});
let shown = KERNELS, sortedBy = 2, isDown = false;

function pair(row, column) {
  const cell = element("span", {className: "n"});
  const moved = change(row, column);
  if (moved === null) return cell;
  cell.textContent = moved === 0 ? String(before(row, column)) : `${before(row, column)} → ${after(row, column)}`;
  cell.classList.add(moved < 0 ? "less" : moved > 0 ? "more" : "same");
  return cell;
}

function rowOf(row, at) {
  const made = element("div", {className: "row", role: "row"},
    element("a", {href: row[PAGE], textContent: row[NAME], title: row[NAME]}),
    element("span", {textContent: FILES[row[FILE]], title: FILES[row[FILE]]}),
    ...[2, 3, 4, 5].map((column) => pair(row, column)));
  made.style.cssText = `position: absolute; top: ${at * HEIGHT}px; left: 0; right: 0`;
  return made;
}

function draw() {
  const first = Math.max(0, Math.floor(table.scrollTop / HEIGHT) - 10);
  const last = Math.min(shown.length, first + Math.ceil(table.clientHeight / HEIGHT) + 20);
  body.style.height = `${shown.length * HEIGHT}px`;
  body.replaceChildren(...shown.slice(first, last).map((row, k) => rowOf(row, first + k)));
}

function keyOf(row) {
  if (sortedBy < 2) return sortedBy === 0 ? row[NAME] : FILES[row[FILE]];
  const moved = change(row, sortedBy);
  return moved === null ? Infinity : moved;
}

function update() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  shown = KERNELS.filter((row) => {
    const text = `${row[NAME]} ${FILES[row[FILE]]}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const keys = new Map(shown.map((row) => [row, keyOf(row)]));
  const sign = isDown ? -1 : 1;
  shown.sort((a, b) => sign * (keys.get(a) < keys.get(b) ? -1 : keys.get(a) > keys.get(b) ? 1 : 0));
  count.textContent = `${shown.length} of ${KERNELS.length} kernels`;
  table.scrollTop = 0;
  draw();
}

table.append(element("div", {className: "row head", role: "row"}, ...COLUMNS.map((name, k) => {
  const button = element("button", {type: "button", textContent: name, title: `sort by ${name}`});
  button.onclick = () => {
    isDown = sortedBy === k && !isDown;
    sortedBy = k;
    update();
  };
  return element("span", {className: k < 2 ? "" : "n"}, button);
})), body);
table.addEventListener("scroll", draw);
window.addEventListener("resize", draw);
search.addEventListener("input", update);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
  }
});

// ---- plots --------------------------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, TALL, EDGE] = [320, 240, 48];

function shape(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function plot(title, describe, fill) {
  const svg = shape("svg", {viewBox: `0 0 ${WIDTH} ${TALL}`, role: "img", "aria-label": describe});
  fill(svg);
  document.getElementById("plots").append(element("figure", {}, element("figcaption", {textContent: title}), svg));
}

function label(svg, x, y, text, anchor = "middle") {
  svg.append(shape("text", {x, y, "text-anchor": anchor}, text));
}

// Before against after; what lies below the line became less.  Equal points are drawn once.
function scatter(title, column) {
  const rows = KERNELS.filter((row) => change(row, column) !== null);
  if (rows.length === 0) return;
  plot(title, `${title}: before and after for ${rows.length} kernels`, (svg) => {
    const most = rows.reduce((sum, row) => Math.max(sum, before(row, column), after(row, column)), 1);
    const x = (value) => EDGE + (WIDTH - EDGE - 10) * value / most;
    const y = (value) => TALL - EDGE + 8 - (TALL - EDGE - 10) * value / most;
    svg.append(shape("line", {class: "axis", x1: x(0), y1: y(0), x2: x(most), y2: y(most)}));
    svg.append(shape("line", {class: "axis", x1: x(0), y1: y(0), x2: x(most), y2: y(0)}));
    svg.append(shape("line", {class: "axis", x1: x(0), y1: y(0), x2: x(0), y2: y(most)}));
    const seen = new Set();
    for (const row of rows) {
      const key = `${before(row, column)} ${after(row, column)}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const dot = shape("circle", {class: "dot", cx: x(before(row, column)), cy: y(after(row, column)), r: 3});
      dot.append(shape("title", {}, `${row[NAME]}: ${before(row, column)} → ${after(row, column)}`));
      svg.append(dot);
    }
    label(svg, x(most), TALL - 14, most.toLocaleString("en"), "end");
    label(svg, x(most / 2), TALL - 14, "before");
    label(svg, EDGE - 4, y(most) + 8, most.toLocaleString("en"), "end");
    label(svg, EDGE - 4, y(most / 2), "after", "end");
  });
}

function bars(title, describe, values) {
  if (values.length === 0) return;
  plot(title, describe, (svg) => {
    const most = Math.max(...values.map(([, value]) => value)) || 1;
    const step = Math.min(34, (TALL - 10) / values.length);
    const longest = Math.min(28, Math.max(18, ...values.map(([name]) => name.length)));  // letters
    const left = 7 * longest + 4;
    values.forEach(([name, value, text], k) => {
      const top = 4 + k * step;
      const width = Math.max(1, (WIDTH - left - 80) * value / most);
      svg.append(shape("rect", {class: "bar", x: left, y: top, width,
                                height: Math.min(14, step - 3)}));
      label(svg, left - 6, top + Math.min(11, step - 5),
            name.length > longest ? "…" + name.slice(1 - longest) : name, "end");
      label(svg, left + 4 + width, top + Math.min(11, step - 5), text, "start");
    });
  });
}

function removedBarriers() {
  const counts = new Map();
  for (const row of KERNELS) {
    const gone = -change(row, 2);
    if (gone > 0) counts.set(gone, (counts.get(gone) || 0) + 1);
  }
  const values = [...counts].sort((a, b) => a[0] - b[0]).slice(0, 12);
  bars("Barriers that went", "how many kernels lost how many barriers",
       values.map(([gone, kernels]) => [`${gone} of a kernel`, kernels, kernels === 1 ? "1 kernel" : `${kernels} kernels`]));
}

scatter("Registers", 4);
scatter("Bytes of code", 5);
removedBarriers();
bars("Barriers that stay", "why, or which two accesses each of them orders", KEPT);
bars("Slowest files", "what ptxopt takes for them", SLOWEST);
update();
