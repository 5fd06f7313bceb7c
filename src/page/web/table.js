/* table - columns of figures and texts that are sorted, filtered and turned page by page.
 *
 * A column: {key, label, unit, kind, source, number(row), text(row), shown(row), link(row), factor, base, isNumber}: number() is in `unit`;
 * a shown figure is number * factor in shownUnit; base is what one `unit` is of the SI unit. */

const PAGE_ROWS = 25, LONG_TEXT = 40;

/* A figure with the decimals of its column, or more, so that two digits of it are there. */
function inColumn(number, decimals) {
  const size = Math.abs(number);
  if (Number.isNaN(number) || number === 0 || size >= 1e9 || size < 1e-6) return figure(number);
  const places = size * 10 ** decimals < 10 && !(Number.isInteger(number) && decimals === 0) ? Math.min(9, 1 - Math.floor(Math.log10(size))) : decimals;
  return number.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });
}

function columnOf(raw, cells, options) {
  const values = raw.values;
  const pairs = values && Array.isArray(values[0]);
  const number = raw.kind === "number" ? (row) => cells[row] ?? NaN : pairs ? (row) => values[cells[row]][1] ?? NaN : () => NaN;
  const text = raw.kind === "number" ? (row) => (cells[row] === null || cells[row] === undefined ? null : figure(cells[row]))
    : pairs ? (row) => values[cells[row]][0] : values ? (row) => values[cells[row]] : (row) => cells[row];
  let most = 0;
  for (const x of raw.kind === "number" ? cells : []) if (x !== null && Math.abs(x) > most) most = Math.abs(x);
  const isWhole = raw.kind === "number" && cells.every((x) => x === null || x === undefined || Number.isInteger(x));
  const scale = options && options.isPlain ? { factor: 1, unit: raw.unit } : scaleOf(raw.unit, most);
  const decimals = isWhole && scale.factor === 1 ? 0 : Math.min(9, Math.max(0, 3 - Math.floor(Math.log10(most * scale.factor || 1))));
  return {
    ...raw, number, text, factor: scale.factor, shownUnit: scale.unit, base: (SCALES[raw.unit] || { base: 1 }).base,
    isNumber: raw.kind === "number" || (pairs && values.every((pair) => pair[1] !== null)),
    shown: raw.kind === "number" ? (row) => inColumn(number(row) * scale.factor, decimals) : text,
  };
}

/* Columns of a table whose cells are given by rows. */
const columnsOfRows = (block) => block.columns.map((raw, k) => columnOf(raw, block.rows.map((row) => row[k])));

class Table {
  /* options: {id, caption, note, count, columns, hasFilter, chosen()} */
  constructor(options) {
    Object.assign(this, { hasFilter: true, sorted: -1, isDown: false, first: 0, pageRows: PAGE_ROWS }, options);
    this.keep = d3.range(this.count);
    this.head = el("tr", {}, ...this.columns.map((column, k) => this.heading(column, k)));
    this.body = el("tbody");
    this.status = el("p", { class: "status", role: "status" });
    this.turn = el("p", { class: "turn" });
    const caption = el("caption", {}, visible(this.caption));
    this.node = el("div", { class: "table", id: this.id }, this.hasFilter && this.count > 5 ? this.filterBox() : null,
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": visible(this.caption) },
        el("table", {}, caption, el("thead", {}, this.head), this.body)),
      el("div", { class: "under" }, this.status, this.turn), this.note ? el("p", { class: "note" }, visible(this.note)) : null);
    this.arrange();
  }

  heading(column, k) {
    const unit = column.shownUnit ? el("span", { class: "unit" }, column.shownUnit) : null;
    const sort = button("", { title: visible(column.source || column.label) }, () => this.sort(k));
    sort.append(outside(this.heads === "key" ? column.key : column.label), unit ? " " : "", unit ?? "", el("span", { class: "arrow", "aria-hidden": "true" }));
    return el("th", { scope: "col", class: column.kind === "number" ? "number" : null, "aria-sort": "none" }, sort);
  }

  filterBox() {
    const id = freshId("filter");
    const input = el("input", { id, type: "search", autocomplete: "off", spellcheck: "false", placeholder: this.example() });
    const message = el("span", { class: "mistake", role: "alert", id: `${id}-says` });
    input.setAttribute("aria-describedby", message.id);
    input.addEventListener("input", () => {
      try {
        const holds = filterOf(input.value, this.columns);
        this.choose(d3.range(this.count).filter(holds));
        message.textContent = "";
        input.removeAttribute("aria-invalid");
      } catch (error) {
        if (!(error instanceof FilterError)) throw error;
        message.textContent = `${visible(error.message)}: not applied`;
        input.setAttribute("aria-invalid", "true");
      }
    });
    this.input = input;
    return el("div", { class: "filter" }, el("label", { for: id }, "Filter"), input, message);
  }

  example() {
    const number = this.columns.find((c) => c.kind === "number");
    return number ? `words, or: ${number.key} > 10` : "words";
  }

  /* Shows these rows alone. */
  choose(keep) {
    this.keep = keep;
    this.first = 0;
    this.arrange();
  }

  sort(k) {
    this.isDown = this.sorted === k ? !this.isDown : this.columns[k].kind === "number" && this.columns[k].better === "most";
    this.sorted = k;
    this.first = 0;
    this.arrange();
  }

  arrange() {
    const column = this.columns[this.sorted];
    this.order = this.keep.slice();
    if (column) {
      const turn = this.isDown ? -1 : 1;
      const rank = (row) => column.number(row);
      const byNumber = (a, b) => (rank(a) < rank(b) ? -turn : rank(a) > rank(b) ? turn : a - b);
      const byText = (a, b) => turn * d3.ascending(column.text(a), column.text(b)) || a - b;
      const isEmpty = column.isNumber ? (row) => Number.isNaN(rank(row)) : (row) => !column.text(row);
      const compare = column.isNumber ? byNumber : byText;
      this.order.sort((a, b) => isEmpty(a) - isEmpty(b) || (isEmpty(a) ? a - b : compare(a, b)));
    }
    this.fill();
  }

  fill() {
    [...this.head.children].forEach((th, k) =>
      th.setAttribute("aria-sort", k !== this.sorted ? "none" : this.isDown ? "descending" : "ascending"));
    const rows = this.order.slice(this.first, this.first + this.pageRows);
    this.body.replaceChildren(...rows.map((row) => el("tr", {}, ...this.columns.map((column, k) => this.cell(column, k, row)))));
    const last = this.first + rows.length;
    const all = this.keep.length === this.count ? "" : ` (filtered from ${figure(this.count)})`;
    this.status.textContent = rows.length === 0 ? `no rows${all}` : rows.length === this.keep.length ? `${countOf(last, "row")}${all}`
      : `rows ${figure(this.first + 1)} to ${figure(last)} of ${figure(this.keep.length)}${all}`;
    this.fillTurn(last);
  }

  cell(column, k, row) {
    const shown = column.shown(row);
    const tag = k === 0 ? "th" : "td";
    const kind = column.kind === "number" ? "number" : shown && shown.length > LONG_TEXT ? "long" : null;
    const text = column.kind === "number" ? shown : outside(shown ?? "");
    return el(tag, { class: kind, scope: k === 0 ? "row" : null }, column.link ? el("a", { href: column.link(row) }, text) : text);
  }

  fillTurn(last) {
    if (this.keep.length <= PAGE_ROWS) return this.turn.replaceChildren();
    const go = (first) => { this.first = Math.max(0, first); this.fill(); };
    const more = this.pageRows === PAGE_ROWS;
    const toggle = () => { this.pageRows = more ? 500 : PAGE_ROWS; go(0); };
    this.turn.replaceChildren(
      button("Previous", { disabled: this.first === 0 }, () => go(this.first - this.pageRows)),
      button("Next", { disabled: last >= this.keep.length }, () => go(last)),
      button(more ? "Up to 500 rows a page" : `${PAGE_ROWS} rows a page`, {}, toggle));
  }
}
