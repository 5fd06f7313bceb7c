"use strict";
/* words - elements, figures with units, and texts that come from outside. Nothing here or elsewhere
 * puts text into a page as HTML: it is always a text node. */

const SVG = "http://www.w3.org/2000/svg";

/* el("p", {class: "note"}, "text", element, ..): an element; null children are left out. */
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/* Controls and marks that turn the direction of writing, as what they are: "[U+202E]". */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
function visible(text) {
  return String(text).replace(HIDDEN, (c) => `[U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
}

/* A text from outside in a <bdi>, so that its direction stays its own. */
const outside = (text) => el("bdi", {}, visible(text));

/* A step of each scale: at how many of the unit it begins, and its name. Decimal prefixes. */
const TIMES = [[1e-12, "ps"], [1e-9, "ns"], [1e-6, "µs"], [1e-3, "ms"], [1, "s"]];
const prefixed = (unit) => [[1, unit], [1e3, "k" + unit], [1e6, "M" + unit], [1e9, "G" + unit], [1e12, "T" + unit],
  [1e15, "P" + unit], [1e18, "E" + unit]];
const SCALES = {
  ps: { base: 1e-12, steps: TIMES },
  ns: { base: 1e-9, steps: TIMES },
  s: { base: 1, steps: TIMES },
  B: { base: 1, steps: prefixed("B") },
  "B/s": { base: 1, steps: prefixed("B/s") },
  flop: { base: 1, steps: prefixed("flop") },
  "flop/s": { base: 1, steps: prefixed("flop/s") },
  J: { base: 1, steps: prefixed("J") },
};

/* How figures of up to `most` of a unit are shown: {factor, unit}; shown = figure * factor. */
function scaleOf(unit, most) {
  const scale = SCALES[unit];
  if (!scale || !(most > 0)) return { factor: 1, unit };
  const size = most * scale.base;
  let step = scale.steps[0];
  for (const next of scale.steps) if (size >= next[0]) step = next;
  return { factor: scale.base / step[0], unit: step[1] };
}

/* A figure of at most `digits` significant digits; whole numbers as they are. */
function figure(number, digits = 4) {
  if (number === null || number === undefined || Number.isNaN(number)) return "–";
  const size = Math.abs(number);
  if (Number.isInteger(number) && size < 1e15) return number.toLocaleString("en-US");
  if (size < 1e-3 || size >= 1e9) return number.toExponential(digits - 1);
  return number.toLocaleString("en-US", { maximumSignificantDigits: Math.max(digits, Math.floor(Math.log10(size)) + 1) });
}

/* A figure with its unit: "1.234 ms". */
function quantity(number, unit, digits = 4) {
  if (number === null || number === undefined || Number.isNaN(number)) return "–";
  const scale = scaleOf(unit, Math.abs(number));
  const text = figure(number * scale.factor, digits);
  if (!scale.unit) return text;
  return scale.unit === "$" ? `$ ${text}` : `${text} ${scale.unit}`;
}

/* "1 row", "2 rows". */
const countOf = (number, word) => `${figure(number)} ${word}${number === 1 ? "" : "s"}`;

const withUnit = (label, unit) => (unit ? `${label} (${unit})` : label);

let lastId = 0;
const freshId = (stem) => `${stem}-${++lastId}`;

/* A labelled <select> of [value, text] pairs. */
function choice(label, pairs, value, change) {
  const id = freshId("choice");
  const select = el("select", { id }, ...pairs.map(([key, text]) => {
    const option = el("option", { value: key }, visible(text));
    option.selected = key === value;
    return option;
  }));
  select.addEventListener("change", () => change(select.value));
  return el("span", { class: "choice" }, el("label", { for: id }, label), select);
}

function button(text, attributes, press) {
  const node = el("button", { type: "button", ...attributes }, text);
  node.addEventListener("click", press);
  return node;
}

const extent = (list) => list.reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [Infinity, -Infinity]);
const distinct = (list) => [...new Set(list)];
