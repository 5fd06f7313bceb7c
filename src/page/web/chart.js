/* chart - what all charts share: the figure around a drawing, its legend, axes, the words beside a pointer, and the same data as
 * a table. A drawing is SVG: it is sharp in print and takes its colours from the page's style (series 0 to 7 are classes s0 to
 * s7, the palette of Okabe and Ito). Marks differ by shape and dash too, so that no colour is needed to tell them apart. */

const SERIES = 8, GREY = 7;
const SHAPES = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolCross, d3.symbolStar,
  d3.symbolWye, d3.symbolCircle];
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "4 2", "12 3", "1 2", "6 2 1 2"];
const seriesClass = (k) => `s${k % SERIES}`;

/* A text of at most `most` characters. */
const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/* -- words beside the pointer ---------------------------------------------------------------------------------------------- */

const tip = el("div", { class: "tip", hidden: true, "aria-hidden": "true" });
document.addEventListener("pointermove", (event) => {
  const mark = event.target.closest && event.target.closest("[data-tip]");
  tip.hidden = !mark;
  if (!mark) return;
  tip.textContent = mark.getAttribute("data-tip");
  const box = tip.getBoundingClientRect();
  const x = Math.min(event.clientX + 14, document.documentElement.clientWidth - box.width - 6);
  const y = event.clientY + 16 + box.height > window.innerHeight ? event.clientY - box.height - 10 : event.clientY + 16;
  tip.style.transform = `translate(${Math.max(4, x)}px, ${y}px)`;
});

/* -- the figure ------------------------------------------------------------------------------------------------------------ */

function legendOf(series, hasMarks) {
  if (series.length < 2) return null;
  return el("ul", { class: "legend" }, ...series.map(({ name, colour }, i) => {
    const k = colour ?? i;
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "0 0 14 14");
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", hasMarks ? d3.symbol().type(SHAPES[k % SERIES]).size(80)() : "M-6-6H6V6H-6Z");
    path.setAttribute("transform", "translate(7,7)");
    path.setAttribute("class", `${seriesClass(k)} fill`);
    svg.append(path);
    return el("li", {}, svg, outside(name));
  }));
}

/* model: {title, note, describe, legend: [{name, colour}], hasMarks, table: () => ({columns, rows}), draw(svg, width)}; draw returns the
 * height. The figure draws itself when it is on the page, and again when its width changes. */
function figureOf(model) {
  const plot = el("div", { class: "plot" });
  const id = freshId("chart");
  const node = el("figure", { class: "chart", "aria-labelledby": id },
    el("figcaption", {}, el("h3", { id }, visible(model.title)), model.note ? el("p", {}, visible(model.note)) : null), plot,
    model.legend ? legendOf(model.legend, model.hasMarks) : null, dataOf(model));
  let width = 0;
  const redraw = () => {
    const room = Math.floor(plot.clientWidth);
    if (!room || Math.abs(room - width) < 2) return;
    width = room;
    const svg = d3.create("svg:svg").attr("role", "img").attr("aria-labelledby", `${id}-title ${id}-desc`);
    svg.append("title").attr("id", `${id}-title`).text(visible(model.title));
    svg.append("desc").attr("id", `${id}-desc`).text(visible(model.describe || ""));
    const height = model.draw(svg.append("g").attr("aria-hidden", "true"), width);
    svg.attr("viewBox", `0 0 ${width} ${height}`);
    plot.replaceChildren(svg.node());
  };
  new ResizeObserver(redraw).observe(plot);
  node.redraw = redraw;
  return node;
}

/* "Data as a table", made when it is opened. */
function dataOf(model) {
  if (!model.table) return null;
  const details = el("details", { class: "data" }, el("summary", {}, "Data as a table"));
  details.addEventListener("toggle", () => {
    if (!details.open || details.children.length > 1) return;
    const { columns, rows } = model.table();
    details.append(new Table({ caption: model.title, count: rows.length,
      columns: columnsOfRows({ columns, rows }) }).node);
  });
  return details;
}

/* -- axes ------------------------------------------------------------------------------------------------------------------ */

/* A continuous axis over `values`: {scale, ticks, format, label}. `spec`: {label, unit, isLog, isZero}. */
function axisOf(spec, values, range) {
  let [low, high] = extent(values);
  if (!(low <= high)) [low, high] = [0, 1];
  const isLog = spec.isLog && low > 0;
  const shown = scaleOf(spec.unit, Math.max(Math.abs(low), Math.abs(high)));
  if (!isLog && spec.isZero) [low, high] = [Math.min(0, low), Math.max(0, high)];
  if (low === high) [low, high] = isLog ? [low / 2, high * 2] : [low - Math.abs(low || 1) / 2, high + Math.abs(high || 1) / 2];
  const f = shown.factor;
  const scale = (isLog ? d3.scaleLog() : d3.scaleLinear()).domain([low * f, high * f]).range(range);
  if (isLog) scale.domain([low * f / 1.2, high * f * 1.2]);
  else if (!spec.isTight) scale.nice(5);
  const ticks = ticksOf(scale, isLog, spec.at && spec.at.map((x) => x * f), Math.abs(range[1] - range[0]));
  return { scale: (x) => scale(x * f), ticks, at: scale, format: tickFormat(ticks, isLog), label: withUnit(spec.label, shown.unit), isLog };
}

/* Ticks with as many digits as tell one from the next: 334.95 and 335, not 335 twice. */
function tickFormat(ticks, isLog) {
  const step = isLog || ticks.length < 2 ? 0 : d3.min(d3.pairs(ticks), ([a, b]) => Math.abs(b - a));
  const most = d3.max(ticks, Math.abs) || 1;
  const digits = step > 0 ? Math.min(15, Math.max(3, Math.floor(Math.log10(most)) - Math.floor(Math.log10(step) + 1e-9) + 1)) : 3;
  return (x) => figure(Number(x.toPrecision(Math.max(6, digits))), digits);
}

/* The values themselves where they are few; powers of ten, with their halves and fifths, on a log axis. */
function ticksOf(scale, isLog, at, room) {
  if (at && at.length <= room / 45) {
    const places = at.map((x) => scale(x)).sort((a, b) => a - b);
    if (places.every((x, i) => !i || x - places[i - 1] > 30)) return at;
  }
  if (!isLog) return scale.ticks(Math.max(2, Math.min(8, room / 60)));
  const all = scale.ticks(20).filter((x) => [1, 2, 5].includes(Math.round(x / 10 ** Math.floor(Math.log10(x) + 1e-9))));
  const powers = all.filter((x) => Math.abs(Math.log10(x) - Math.round(Math.log10(x))) < 1e-9);
  return powers.length > 3 ? powers : all;
}

/* A band or point axis over texts. */
function namesAxis(names, label, range, isBand) {
  const scale = (isBand ? d3.scaleBand().paddingInner(0.02) : d3.scalePoint().padding(0.5)).domain(names).range(range);
  return { scale, ticks: names, at: scale, format: (name) => name, label };
}

function drawBottom(g, axis, box, room) {
  const names = typeof axis.ticks[0] === "string";
  const each = (box.right - box.left) / Math.max(1, axis.ticks.length);
  const isTurned = names && axis.ticks.some((name) => name.length * 6.5 > each);
  const axisG = g.append("g").attr("class", "axis").attr("transform", `translate(0,${box.bottom})`);
  if (!axis.at.bandwidth) axisG.append("line").attr("class", "rule").attr("x1", box.left).attr("x2", box.right);
  for (const tick of axis.ticks) {
    const x = axis.at(tick) + (axis.at.bandwidth ? axis.at.bandwidth() / 2 : 0);
    const label = axisG.append("text").text(short(visible(axis.format(tick)), isTurned ? 22 : 40)).attr("data-tip", visible(axis.format(tick)));
    if (isTurned) label.attr("transform", `translate(${x},12) rotate(-35)`).attr("text-anchor", "end");
    else label.attr("x", x).attr("y", 17).attr("text-anchor", "middle");
  }
  axisG.append("text").attr("class", "label").attr("x", (box.left + box.right) / 2).attr("y", room - 4)
    .attr("text-anchor", "middle").text(visible(axis.label));
}

/* How much room the labels of drawBottom() need below. */
function bottomRoom(axis, width) {
  if (typeof axis.ticks[0] !== "string") return 42;
  const longest = Math.max(...axis.ticks.map((name) => Math.min(22, name.length)));
  return longest * 6.5 > width / axis.ticks.length || axis.ticks.some((name) => name.length * 6.5 > width / axis.ticks.length)
    ? 36 + longest * 4.2 : 42;
}

function drawLeft(g, axis, box) {
  const axisG = g.append("g").attr("class", "axis");
  for (const tick of axis.ticks) {
    const y = axis.at(tick) + (axis.at.bandwidth ? axis.at.bandwidth() / 2 : 0);
    if (typeof tick === "number")
      axisG.append("line").attr("class", "grid").attr("x1", box.left).attr("x2", box.right).attr("y1", y).attr("y2", y);
    axisG.append("text").attr("x", box.left - 8).attr("y", y).attr("dy", "0.32em").attr("text-anchor", "end")
      .text(short(visible(axis.format(tick)), 26)).attr("data-tip", visible(axis.format(tick)));
  }
  axisG.append("text").attr("class", "label").attr("x", box.labelLeft ?? 0).attr("y", box.top - 12).text(visible(axis.label));
}
