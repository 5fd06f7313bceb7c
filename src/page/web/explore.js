/* explore - the charts of a study: curves, Pareto front, heat map, distribution, over the points that the filter leaves. The
 * reader chooses the columns; the choices outlive new data of a live page. */

class Explorer {
  /* points: {count, columns, note}; kept: what earlier data's explorer had chosen. */
  constructor(points, kept) {
    this.points = points;
    this.chosen = kept || {};
    this.plain = points.columns.filter((c) => c.role !== "identity" && c.role !== "reason");
    this.state = points.columns.find((c) => c.role === "state");
    this.rows = this.ok = d3.range(points.count);
    this.isOk = (row) => this.state.text(row) === "ok";
    const all = this.rows.filter(this.isOk);
    this.varies = new Map(points.columns.map((c) => [c.key, distinct(all.map((row) => (c.kind === "number" ? c.number(row) : c.text(row)))).length]));
    this.axes = points.columns.filter((c) => c.role === "axis" && this.varies.get(c.key) > 1);
    this.measures = points.columns.filter((c) => c.role === "measure");
    this.changing = this.measures.filter((c) => this.varies.get(c.key) > 1);
    this.parts = [];
  }

  column(key) {
    return this.points.columns.find((c) => c.key === key);
  }

  /* What was chosen under a name, or the first of `keys` that there is. */
  pick(name, keys, among) {
    const known = among.map((c) => c.key);
    if (!known.includes(this.chosen[name])) this.chosen[name] = keys.find((key) => known.includes(key)) ?? known[0] ?? "";
    return this.chosen[name];
  }

  /* Shows these rows in all charts. */
  choose(rows) {
    this.rows = rows;
    this.ok = rows.filter(this.isOk);
    this.parts.forEach((fill) => fill());
  }

  /* A chart below its choices: [[name, label, pairs]], drawn by draw(). */
  part(title, id, intro, choices, draw) {
    const place = el("div");
    const fill = () => place.replaceChildren(...[draw()].flat());
    const bar = el("div", { class: "choices" }, ...choices.map(([name, label, pairs]) =>
      choice(label, pairs, this.chosen[name], (value) => { this.chosen[name] = value; fill(); })));
    this.parts.push(fill);
    fill();
    return el("section", { id, "aria-labelledby": `${id}-head` }, el("h2", { id: `${id}-head` }, title), el("p", { class: "intro" }, intro), bar, place);
  }

  nothing() {
    return el("p", { class: "nothing" }, "No point that is ok has values for this.");
  }

  tipOf(row, ...keys) {
    const axes = this.axes.slice(0, 6).map((c) => `${c.key} ${c.text(row)}`);
    return visible([`point ${this.points.columns[0].number(row)}`, ...keys.map((c) => `${c.key} ${c.kind === "number" ? quantity(c.number(row), c.unit) : c.text(row)}`), ...axes].join("\n"));
  }

  /* Rows by the text of a column, in the order of its numbers or else of its texts; at most eight groups, the rest one. */
  groups(rows, column) {
    if (!column) return [["", rows]];
    const byName = d3.group ? d3.group(rows, (row) => column.text(row)) : rows.reduce((map, row) => {
      const name = column.text(row);
      return map.set(name, [...(map.get(name) || []), row]);
    }, new Map());
    const groups = this.ordered(column, [...byName.keys()]).map((name) => [name, byName.get(name)]);
    return groups.length <= SERIES ? groups : [...groups.slice(0, SERIES - 1), [`${groups.length - SERIES + 1} others`, groups.slice(SERIES - 1).flatMap((g) => g[1])]];
  }

  ordered(column, names) {
    const pairs = new Map((column.values || []).map((pair) => (Array.isArray(pair) ? pair : [pair, null])));
    return column.isNumber ? names.sort((a, b) => pairs.get(a) - pairs.get(b)) : names.sort(d3.ascending);
  }

  /* Is a column an axis of numbers, or of names? */
  isNumeric(column) {
    return column.isNumber && !column.isSwitch;
  }

  pairs(columns, none) {
    return [...(none ? [["", none]] : []), ...columns.map((c) => [c.key, c.label])];
  }

  /* -- curves -------------------------------------------------------------------------------------------------------------- */

  curves() {
    const xs = [...this.axes, ...this.changing];
    const numeric = this.axes.filter((c) => this.isNumeric(c)).sort((a, b) => this.varies.get(b.key) - this.varies.get(a.key));
    this.pick("x", [this.changing.some((c) => c.key === "devices") ? "devices" : "", ...numeric.map((c) => c.key)], xs);
    this.pick("y", ["tokens_per_s", "time_s"], this.measures);
    const few = this.axes.filter((c) => c.key !== this.chosen.x && this.varies.get(c.key) <= SERIES);
    if (this.chosen.by === undefined) this.chosen.by = (few.find((c) => !this.isNumeric(c)) || few[0] || { key: "" }).key;
    this.chosen.reduce = this.chosen.reduce || "best";
    this.chosen.xScale = this.chosen.xScale || this.usualScale();
    this.chosen.yScale = this.chosen.yScale || "linear";
    const scales = [["linear", "linear"], ["log", "logarithmic"]];
    return this.part("Scaling", "scaling", "A line joins, for each value across, the best (or the median) of the points there; faint marks are all points.",
      [["x", "Across", this.pairs(xs)], ["y", "Up", this.pairs(this.measures)], ["by", "Lines by", this.pairs(this.axes, "nothing")],
        ["reduce", "Line through", [["best", "the best"], ["median", "the median"]]], ["xScale", "Across is", scales], ["yScale", "Up is", scales]],
      () => this.drawCurves());
  }

  usualScale() {
    const x = this.column(this.chosen.x);
    const [low, high] = x ? extent(this.rows.map((row) => x.number(row)).filter((n) => !Number.isNaN(n))) : [1, 1];
    return low > 0 && high / low > 7 ? "log" : "linear";
  }

  drawCurves() {
    const { x, y, by } = { x: this.column(this.chosen.x), y: this.column(this.chosen.y), by: this.column(this.chosen.by) };
    if (!x || !y) return this.nothing();
    const isNumeric = this.isNumeric(x);
    const rows = this.ok.filter((row) => !Number.isNaN(y.number(row)) && (!isNumeric || !Number.isNaN(x.number(row))));
    if (!rows.length) return this.nothing();
    const place = (row) => (isNumeric ? x.number(row) : x.text(row));
    const best = (list) => list.reduce((a, b) => ((y.better === "most" ? y.number(b) > y.number(a) : y.number(b) < y.number(a)) ? b : a));
    const reduce = this.chosen.reduce === "best" ? best
      : (list) => list.slice().sort((a, b) => y.number(a) - y.number(b))[(list.length - 1) >> 1];
    const point = (row) => ({ x: place(row), y: y.number(row), tip: this.tipOf(row, y) });
    const groups = this.groups(rows, by);
    const order = isNumeric ? distinct(rows.map(place)).sort((a, b) => a - b) : this.ordered(x, distinct(rows.map(place)));
    const series = groups.map(([name, list]) => ({ name: by ? `${by.key} ${name}` : y.label,
      points: order.map((at) => list.filter((row) => place(row) === at)).filter((some) => some.length).map((some) => point(reduce(some))) }));
    const dots = groups.flatMap(([, list], k) => list.map((row) => ({ ...point(row), series: k })));
    const { kept, note } = sampled(dots);
    return xyChart({ title: `${y.label} over ${x.label}`, note, series, dots: kept,
      x: { label: x.label, unit: x.unit, isLog: this.chosen.xScale === "log", names: isNumeric ? null : order, at: order },
      y: { label: y.label, unit: y.unit, isLog: this.chosen.yScale === "log", isZero: true } });
  }

  /* -- Pareto front -------------------------------------------------------------------------------------------------------- */

  pareto() {
    this.pick("px", ["time_s"], this.measures);
    this.pick("py", (this.varies.get("devices") > 1 ? ["cost", "devices", "memory_bytes"] : ["memory_bytes", "bytes_sent"]).filter((key) => this.varies.get(key) > 1), this.measures.filter((c) => c.key !== this.chosen.px));
    this.chosen.pby = this.chosen.pby ?? "";
    return this.part("Pareto front", "pareto", "Points that no other beats: none is at least as good in both and better in one.",
      [["px", "Across", this.pairs(this.measures)], ["py", "Up", this.pairs(this.measures)], ["pby", "Marks by", this.pairs(this.axes, "nothing")]],
      () => this.drawPareto());
  }

  drawPareto() {
    const { x, y, by } = { x: this.column(this.chosen.px), y: this.column(this.chosen.py), by: this.column(this.chosen.pby) };
    const rows = x && y ? this.ok.filter((row) => !Number.isNaN(x.number(row)) && !Number.isNaN(y.number(row))) : [];
    if (!rows.length) return this.nothing();
    const front = frontOf(rows, x, y);
    const point = (row) => ({ x: x.number(row), y: y.number(row), tip: this.tipOf(row, x, y) });
    const groups = this.groups(rows, by);
    const { kept, note } = sampled(groups.flatMap(([, list], k) => list.map((row) => ({ ...point(row), series: by ? k + 1 : GREY }))));
    const words = { least: "low", most: "high" };
    const named = by ? groups.map(([name]) => ({ name: `${by.key} ${name}`, points: [] })) : [{ name: "other points", points: [], colour: GREY }];
    const chart = xyChart({ title: `${y.label} against ${x.label}`, isStep: true, dots: kept,
      note: [`${x.label}: ${words[x.better]} is better, ${y.label}: ${words[y.better]} is better.`, note].filter(Boolean).join(" "),
      series: [{ name: `front, ${countOf(front.length, "point")}`, points: front.map(point) }, ...named],
      x: { label: x.label, unit: x.unit, isLog: isWide(rows, x) }, y: { label: y.label, unit: y.unit, isLog: isWide(rows, y) } });
    const columns = [this.points.columns[0], ...this.axes, x, y];
    const table = new Table({ caption: `The front: ${y.label} against ${x.label}`, count: this.points.count, columns, hasFilter: false, heads: "key" });
    table.count = front.length;
    table.choose(front);
    return [chart, table.node];
  }

  /* -- heat map ------------------------------------------------------------------------------------------------------------ */

  pivot() {
    if (this.axes.length < 2) return null;
    const order = this.axes.slice().sort((a, b) => this.isNumeric(a) - this.isNumeric(b));
    this.pick("down", [order[0].key], this.axes);
    this.pick("across", [order[1].key], this.axes);
    this.pick("value", ["tokens_per_s", "time_s"], this.measures);
    this.chosen.of = this.chosen.of || "best";
    return this.part("Heat map", "heat-map", "Two axes against each other; where several points meet, the best, the mean or their number.",
      [["down", "Down", this.pairs(this.axes)], ["across", "Across", this.pairs(this.axes)], ["value", "Cells", this.pairs(this.measures)],
        ["of", "Of several", [["best", "the best"], ["mean", "the mean"], ["worst", "the worst"], ["count", "how many"]]]], () => this.drawPivot());
  }

  drawPivot() {
    const { down, across, value } = { down: this.column(this.chosen.down), across: this.column(this.chosen.across), value: this.column(this.chosen.value) };
    const rows = this.ok.filter((row) => !Number.isNaN(value.number(row)));
    if (!rows.length) return this.nothing();
    const names = (c) => this.ordered(c, distinct(rows.map((row) => c.text(row))));
    const cells = new Map();
    for (const row of rows) {
      const key = JSON.stringify([down.text(row), across.text(row)]);
      cells.set(key, [...(cells.get(key) || []), value.number(row)]);
    }
    const isMost = (value.better === "most") === (this.chosen.of === "best");
    const reduce = { mean: d3.mean, count: (list) => list.length }[this.chosen.of] || (isMost ? d3.max : d3.min);
    const [downs, acrosses] = [names(down).slice(0, 60), names(across).slice(0, 60)];
    const isCount = this.chosen.of === "count";
    return heatChart({ title: `${isCount ? "Number of points" : `${value.label}, ${this.chosen.of}`}`, down: { label: down.label, names: downs },
      across: { label: across.label, names: acrosses }, value: { label: isCount ? "points" : value.label, unit: isCount ? "" : value.unit },
      cells: downs.map((a) => acrosses.map((b) => (cells.has(JSON.stringify([a, b])) ? reduce(cells.get(JSON.stringify([a, b]))) : NaN))) });
  }

  /* -- distribution -------------------------------------------------------------------------------------------------------- */

  distribution() {
    this.pick("of-column", ["time_s"], this.measures);
    return this.part("Distribution", "distribution", "How many points have which value.", [["of-column", "Of", this.pairs(this.measures)]], () => {
      const column = this.column(this.chosen["of-column"]);
      const values = column ? this.ok.map((row) => column.number(row)).filter((n) => !Number.isNaN(n)) : [];
      return values.length ? histogramChart({ title: `Distribution of ${column.label}`, axis: { label: column.label, unit: column.unit }, values }) : this.nothing();
    });
  }
}

/* Over a factor of 30, and above 0: an axis reads better as a logarithm. */
function isWide(rows, column) {
  const [low, high] = extent(rows.map((row) => column.number(row)));
  return low > 0 && high > 30 * low;
}

/* At most so many marks are drawn, every k-th, which is said. */
const MOST_DOTS = 3000;
function sampled(dots) {
  if (dots.length <= MOST_DOTS) return { kept: dots, note: null };
  const step = Math.ceil(dots.length / MOST_DOTS);
  return { kept: dots.filter((_, i) => i % step === 0), note: `Of ${figure(dots.length)} points every ${step}th is drawn; lines and fronts are of all.` };
}

/* The rows that no other beats in two columns, by the first; equal ones are all kept. */
function frontOf(rows, x, y) {
  const sign = (column) => (column.better === "most" ? -1 : 1);
  const [a, b] = [(row) => sign(x) * x.number(row), (row) => sign(y) * y.number(row)];
  let best = Infinity, bestX = NaN;
  return rows.slice().sort((p, q) => a(p) - a(q) || b(p) - b(q) || p - q).filter((row) => {
    const isKept = b(row) < best || (b(row) === best && a(row) === bestX);
    if (isKept) [best, bestX] = [b(row), a(row)];
    return isKept;
  });
}
