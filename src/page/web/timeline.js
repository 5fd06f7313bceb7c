/* timeline - what each rank did when: rows of spans, zoomed and moved by pointer, wheel with Ctrl, buttons or keys. Spans of one
 * colour are one path, and those that are less than a pixel apart one span of it, so that very many draw quickly. */

const ROW = 15, GAP = 9;

/* Slices of each track, in order of begin. */
function tracksOf(block) {
  const place = new Map(block.processes.map((process) => [process.pid, process]));
  const tracks = block.tracks.map((track, number) => ({ ...track, number, process: place.get(track.pid), slices: [] }));
  block.slices.track.forEach((track, i) => tracks[track].slices.push(i));
  return tracks.filter((track) => track.slices.length)
    .sort((a, b) => a.process.place - b.process.place || a.place - b.place || a.number - b.number);
}

class Timeline {
  constructor(block) {
    Object.assign(this, { block, from: 0, to: block.end, chosen: null });
    this.tracks = tracksOf(block);
    this.isShown = new Map(distinct(this.tracks.map((t) => t.process)).map((p) => [p, true]));
    this.plot = el("div", { class: "plot timeline", tabindex: "0", role: "application", "aria-roledescription": "timeline",
      "aria-label": "Timeline: left and right move, plus and minus zoom, 0 shows all, up and down choose a row, Enter the next operation in it" });
    this.says = el("p", { class: "status", role: "status" });
    const press = (text, label, act) => button(text, { "aria-label": label, title: label }, act);
    const bar = el("div", { class: "choices" }, press("−", "Zoom out", () => this.zoom(2)), press("+", "Zoom in", () => this.zoom(0.5)),
      press("←", "Earlier", () => this.move(-0.25)), press("→", "Later", () => this.move(0.25)), press("All", "Show all", () => this.show(0, block.end)));
    const id = freshId("timeline");
    this.node = el("figure", { class: "chart", "aria-labelledby": id }, el("figcaption", {}, el("h3", { id }, visible(block.title)),
      el("p", {}, visible(block.note))), bar, this.plot, legendOf(block.categories.map((name) => ({ name })), false), this.says, this.data());
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  time(ns, digits) {
    return quantity(ns, "ns", digits);
  }

  name(i) {
    return visible(this.block.names[this.block.slices.name[i]]);
  }

  describe(i) {
    const { begin, length, category } = this.block.slices;
    return `${this.name(i)}\n${visible(this.block.categories[category[i]])}, ${this.time(length[i])}\nfrom ${this.time(begin[i], 6)} to ${this.time(begin[i] + length[i], 6)}`;
  }

  /* -- what is shown ------------------------------------------------------------------------------------------------------- */

  show(from, to) {
    const length = Math.min(this.block.end, Math.max(to - from, 4));
    this.from = Math.max(0, Math.min(from, this.block.end - length));
    this.to = this.from + length;
    this.width = 0;
    this.draw();
  }

  zoom(factor, share = 0.5) {
    const at = this.from + share * (this.to - this.from);
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  move(share) {
    const step = share * (this.to - this.from);
    this.show(this.from + step, this.to + step);
  }

  /* -- drawing ------------------------------------------------------------------------------------------------------------- */

  draw() {
    const width = Math.floor(this.plot.clientWidth);
    if (!width || width === this.width) return;
    this.width = width;
    const left = Math.min(150, width * 0.28), right = width - 8;
    this.x = d3.scaleLinear().domain([this.from, this.to]).range([left, right]);
    const svg = d3.create("svg:svg").attr("aria-hidden", "true");
    const groups = d3.range(this.block.categories.length).map(() => []);
    const labels = [];
    let y = 6, before = null;
    this.rows = [];
    for (const track of this.tracks) {
      if (track.process !== before) {
        y += before ? GAP + 14 : 10;
        labels.push({ x: 0, y: y - 3, text: visible(this.block.names[track.process.name]), kind: "process" });
      }
      before = track.process;
      labels.push({ x: left - 8, y: y + ROW / 2, text: visible(this.block.names[track.name]), kind: "row" });
      this.rows.push({ track, y });
      this.drawTrack(track, y, groups, labels);
      y += ROW;
    }
    const bottom = y + 6;
    const axis = axisOf({ label: "time", unit: this.block.unit, isTight: true }, [this.from, this.to], [left, right]);
    for (const tick of axis.ticks)
      svg.append("line").attr("class", "grid").attr("x1", axis.at(tick)).attr("x2", axis.at(tick)).attr("y1", 4).attr("y2", bottom);
    groups.forEach((parts, k) => svg.append("path").attr("class", `${seriesClass(k)} fill`).attr("d", parts.join("")));
    for (const label of labels)
      svg.append("text").attr("class", label.kind).attr("x", label.x).attr("y", label.y).attr("dy", label.kind === "process" ? 0 : "0.32em")
        .text(short(label.text, label.most || Math.floor(left / 6.4)));
    drawBottom(svg, axis, { left, right, bottom }, 42);
    svg.append("rect").attr("class", "choice-mark");
    svg.attr("viewBox", `0 0 ${width} ${bottom + 42}`);
    this.plot.replaceChildren(svg.node());
    this.mark();
  }

  drawTrack(track, y, groups, labels) {
    const { begin, length, category } = this.block.slices;
    const open = groups.map(() => null);
    const put = (k) => open[k] && groups[k].push(`M${open[k][0].toFixed(2)} ${y + 1}H${Math.max(open[k][1], open[k][0] + 0.4).toFixed(2)}v${ROW - 2}H${open[k][0].toFixed(2)}z`);
    for (const i of track.slices) {
      if (begin[i] + length[i] < this.from || begin[i] > this.to) continue;
      const a = this.x(Math.max(begin[i], this.from)), b = this.x(Math.min(begin[i] + length[i], this.to));
      const k = category[i];
      if (open[k] && a - open[k][1] < 0.3 && b - a < 1.5) open[k][1] = Math.max(b, open[k][1]);
      else {
        put(k);
        open[k] = [a, b - a > 3 ? b - 0.6 : b];
      }
      if (b - a > 56 && labels.length < 900)
        labels.push({ x: a + 4, y: y + ROW / 2, text: this.name(i), kind: `in c${k}`, most: Math.floor((b - a - 8) / 6.2) });
    }
    open.forEach((_, k) => put(k));
  }

  /* -- pointer and keys ---------------------------------------------------------------------------------------------------- */

  at(event) {
    const box = this.plot.firstChild.getBoundingClientRect();
    const scale = this.width / box.width;
    const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    const row = this.rows.find((r) => y >= r.y && y < r.y + ROW);
    if (!row) return null;
    const ns = this.x.invert(x), slack = this.x.invert(x + 1) - ns;
    const { begin, length } = this.block.slices;
    const found = row.track.slices.filter((i) => begin[i] - slack <= ns && begin[i] + length[i] + slack >= ns);
    return found.length ? { row, slice: found[found.length - 1] } : null;
  }

  listen() {
    this.plot.addEventListener("pointermove", (event) => {
      const found = this.drag ? null : this.at(event);
      if (found) this.plot.setAttribute("data-tip", this.describe(found.slice));
      else this.plot.removeAttribute("data-tip");
      if (!this.drag) return;
      const step = (this.drag.x - event.clientX) / (this.width * 0.85) * (this.drag.to - this.drag.from);
      this.show(this.drag.from + step, this.drag.to + step);
    });
    this.plot.addEventListener("pointerdown", (event) => {
      const found = this.at(event);
      if (found) this.choose(found.row.track, found.slice);
      this.drag = { x: event.clientX, from: this.from, to: this.to };
      this.plot.setPointerCapture(event.pointerId);
    });
    for (const name of ["pointerup", "pointercancel"]) this.plot.addEventListener(name, () => { this.drag = null; });
    this.plot.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const box = this.plot.getBoundingClientRect();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, Math.max(0, Math.min(1, ((event.clientX - box.left) / box.width - 0.13) / 0.87)));
    }, { passive: false });
    const keys = { ArrowLeft: () => this.move(-0.2), ArrowRight: () => this.move(0.2), "+": () => this.zoom(0.5), "=": () => this.zoom(0.5),
      "-": () => this.zoom(2), 0: () => this.show(0, this.block.end), ArrowUp: () => this.step(-1), ArrowDown: () => this.step(1), Enter: () => this.next() };
    this.plot.addEventListener("keydown", (event) => {
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      keys[event.key]();
    });
  }

  choose(track, slice) {
    this.chosen = { track, slice };
    const where = `${visible(this.block.names[track.process.name])}, ${visible(this.block.names[track.name])}`;
    this.says.textContent = slice === null ? where : `${where}: ${this.describe(slice).replace(/\n/g, ", ")}`;
    this.mark();
  }

  /* Puts the frame around what is chosen. */
  mark() {
    const frame = d3.select(this.plot).select(".choice-mark");
    const row = this.chosen && this.rows.find((r) => r.track === this.chosen.track);
    if (!row) return void frame.attr("visibility", "hidden");
    const { begin, length } = this.block.slices;
    const i = this.chosen.slice;
    const [from, to] = i === null ? [this.from, this.to] : [Math.max(begin[i], this.from), Math.min(begin[i] + length[i], this.to)];
    frame.attr("visibility", to < from ? "hidden" : "visible").attr("x", this.x(from) - 1).attr("width", Math.max(3, this.x(to) - this.x(from) + 2))
      .attr("y", row.y).attr("height", ROW);
  }

  step(by) {
    const now = this.chosen ? this.tracks.indexOf(this.chosen.track) : by > 0 ? -1 : 0;
    this.choose(this.tracks[(now + by + this.tracks.length) % this.tracks.length], null);
  }

  next() {
    const { begin, length } = this.block.slices;
    const track = this.chosen ? this.chosen.track : this.tracks[0];
    const at = this.chosen && this.chosen.slice !== null ? track.slices.indexOf(this.chosen.slice) + 1
      : Math.max(0, track.slices.findIndex((i) => begin[i] + length[i] > this.from));
    const slice = track.slices[Math.min(at, track.slices.length - 1)];
    if (begin[slice] < this.from || begin[slice] > this.to) this.show(begin[slice], begin[slice] + this.to - this.from);
    this.choose(track, slice);
  }

  /* The operations in view, as a table. */
  data() {
    const rowsOf = () => {
      const { begin, length, category } = this.block.slices;
      return this.tracks.flatMap((track) => track.slices.filter((i) => begin[i] + length[i] >= this.from && begin[i] <= this.to)
        .map((i) => [this.block.names[track.process.name], this.block.names[track.name], this.block.names[this.block.slices.name[i]],
          this.block.categories[category[i]], begin[i], length[i]]));
    };
    const columns = [["rank", "", "text"], ["row", "", "text"], ["operation", "", "text"], ["kind", "", "text"], ["begin", "ns", "number"], ["length", "ns", "number"]]
      .map(([key, unit, kind]) => ({ key, label: key, unit, kind, source: "of the timeline, in view when this was opened" }));
    return dataOf({ title: "Operations in view", table: () => ({ columns, rows: rowsOf() }) });
  }
}

const timelineOf = (block) => new Timeline(block).node;
