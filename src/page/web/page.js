/* page - puts the data on the page: head, facts, contents, sections; a live page again and again. */

const SCHEMA = "orrery.page/1";

/* -- light and dark --------------------------------------------------------------------------------------------------------- */

const THEMES = [["", "Automatic"], ["light", "Light"], ["dark", "Dark"]];

function themeChoice() {
  const root = document.documentElement;
  const set = (value) => (value ? root.setAttribute("data-theme", value) : root.removeAttribute("data-theme"));
  return choice("Colours", THEMES, root.getAttribute("data-theme") || "", set);
}

/* -- the page --------------------------------------------------------------------------------------------------------------- */

function factOf(fact) {
  const value = fact.text === undefined ? quantity(fact.value, fact.unit) : visible(fact.text);
  return el("div", { class: "fact" }, el("dt", {}, visible(fact.label)), el("dd", {}, el("strong", {}, el("bdi", {}, value)),
    el("span", { class: "source" }, visible(fact.source))));
}

function headOf(data, facts) {
  const kind = { run: "Run", study: "Study" }[data.kind] || "";
  return [el("div", { class: "bar" }, el("p", { class: "brand" }, `orrery ${visible(data.version ?? "")} · ${kind}`), themeChoice()),
    el("h1", {}, outside(data.title)), data.subtitle ? el("p", { class: "subtitle" }, visible(data.subtitle)) : null,
    progressOf(data.progress), el("dl", { class: "facts" }, ...facts.map(factOf))].filter(Boolean);
}

const contentsOf = (sections) => el("ul", {}, ...sections.map((section) =>
  el("li", {}, el("a", { href: `#${section.id}` }, section.querySelector("h2").textContent))));

/* -- a study ---------------------------------------------------------------------------------------------------------------- */

function pointsOf(data) {
  const columns = data.points.columns.map((raw) => {
    const column = columnOf({ ...raw, unit: raw.unit || unitOf(raw) }, raw.cells, { isPlain: true });
    column.isSwitch = Boolean(raw.values) && raw.values.every((pair) => ["true", "false"].includes(pair[0]));
    if (raw.role === "axis") column.shownUnit = "";
    return column;
  });
  return { count: data.points.count, columns, note: data.points.note };
}

/* The unit of an axis whose values carry one: their numbers are in ns, bytes, bytes/s or flop/s (sweep/quantity.h). */
function unitOf(raw) {
  if (raw.role !== "axis") return "";
  const kinds = [[/^[\d.eE+-]+ *([pnuµm]?s|min|h)$/, "ns"], [/^[\d.eE+-]+ *[KMGTP]?i?(B\/s|bps)$/, "B/s"],
    [/^[\d.eE+-]+ *[KMGTP]?i?B$/, "B"], [/^[\d.eE+-]+ *[KMGTP]?FLOPS?$/i, "flop/s"]];
  const found = kinds.find(([form]) => raw.values.length && raw.values.every((pair) => form.test(pair[0])));
  return found ? found[1] : "";
}

/* The best point by each of the usual measures. */
function bestFacts(points) {
  const state = points.columns.find((c) => c.role === "state");
  const ok = d3.range(points.count).filter((row) => state.text(row) === "ok");
  return ["time_s", "tokens_per_s", "mfu", "cost"].map((key) => points.columns.find((c) => c.key === key)).filter(Boolean).map((column) => {
    const rows = ok.filter((row) => !Number.isNaN(column.number(row)));
    if (!rows.length) return null;
    const sign = column.better === "most" ? -1 : 1;
    const best = rows.reduce((a, b) => (sign * column.number(b) < sign * column.number(a) ? b : a));
    return { label: `${column.better} ${column.label}`, value: column.number(best), unit: column.unit, source: `point ${points.columns[0].number(best)}` };
  }).filter(Boolean);
}

/* Why points failed, most frequent first. */
function failuresOf(points) {
  const [state, reason] = ["state", "reason"].map((role) => points.columns.find((c) => c.role === role));
  const groups = new Map();
  for (const row of d3.range(points.count).filter((r) => !["ok", "pending"].includes(state.text(r)))) {
    const key = JSON.stringify([state.text(row), reason.text(row)]);
    groups.set(key, [...(groups.get(key) || []), points.columns[0].number(row)]);
  }
  if (!groups.size) return null;
  const rows = [...groups].map(([key, list]) => [...JSON.parse(key), list.length, short(list.join(", "), 60)]).sort((a, b) => b[2] - a[2]);
  const columns = [["state", "what became of the points", "text"], ["reason", "as the program said it", "text"],
    ["points", "how many", "number"], ["which", "their numbers", "text"]].map(([key, source, kind]) => ({ key, label: key, unit: "", source, kind }));
  return sectionOf({ id: "failures", title: "Failures", intro: "Points that have a reason instead of figures.",
    blocks: [{ type: "table", caption: "Failed points by reason", columns, rows }] });
}

/* Columns, units and meanings. */
function columnsSection(points) {
  const columns = ["column", "unit", "meaning", "better"].map((key) => ({ key, label: key, unit: "", kind: "text" }));
  const rows = points.columns.map((c) => [c.key, c.unit || "", c.source, { least: "low", most: "high" }[c.better] || ""]);
  return { type: "table", caption: "Columns of the points", columns, rows };
}

function studySections(data, kept) {
  const points = pointsOf(data);
  const explorer = new Explorer(points, kept.chosen);
  kept.chosen = explorer.chosen;
  if (kept.pointsAt) points.columns[0].link = (row) => kept.pointsAt + points.columns[0].number(row);
  const shown = points.columns.filter((c) => c.role !== "identity" && !(c.role === "reason" && c.values.every((text) => !text)));
  const { sorted, isDown, pageRows } = kept.table ?? {};
  const table = new Table({ id: "table-of-points", caption: "Points of the study", count: points.count, columns: shown, note: points.note, heads: "key",
    ...(kept.table && { sorted, isDown, pageRows }) });
  kept.table = table;
  const box = table.input ? table.node.querySelector(".filter") : null;
  const count = el("span", { class: "count", role: "status" });
  if (box) {
    const choose = table.choose;
    table.choose = (keep) => {
      choose.call(table, keep);
      explorer.choose(keep);
      count.textContent = `${figure(keep.length)} of ${countOf(points.count, "point")}`;
      kept.filter = table.input.value;
    };
    box.querySelector("label").textContent = "Filter points";
    box.classList.add("all");
    box.append(count);
  }
  const head = { facts: [...data.facts, ...bestFacts(points)] };
  const parts = points.columns.some((c) => c.role === "measure")
    ? [explorer.curves(), explorer.pareto(), explorer.pivot(), explorer.distribution()] : [];
  const all = el("section", { id: "points", "aria-labelledby": "points-head" }, el("h2", { id: "points-head" }, "Points"),
    el("p", { class: "intro" }, "Every point of the study; click a head to sort. The filter above the charts holds here too."), table.node);
  const study = data.sections.map((section) => sectionOf({ ...section, blocks: [...section.blocks, columnsSection(points)] }));
  if (box && kept.filter) {
    table.input.value = kept.filter;
    table.input.dispatchEvent(new Event("input"));
  }
  if (box) count.textContent = count.textContent || countOf(points.count, "point");
  return { ...head, box, sections: [...parts, all, failuresOf(points), ...study].filter(Boolean) };
}

/* -- showing ---------------------------------------------------------------------------------------------------------------- */

function show(data, kept) {
  if (data.schema_version !== SCHEMA) throw new Error(`the data is ${data.schema_version}, this page reads ${SCHEMA}`);
  document.title = `${visible(data.title)} · orrery`;
  const page = data.kind === "study" ? studySections(data, kept) : { facts: data.facts, sections: data.sections.map(sectionOf) };
  document.getElementById("top").replaceChildren(...headOf(data, page.facts));
  document.getElementById("contents").replaceChildren(contentsOf(page.sections));
  document.getElementById("main").replaceChildren(...[page.box, ...page.sections].filter(Boolean));
  document.getElementById("end").replaceChildren(el("p", {}, `Made by orrery ${visible(data.version ?? "")}${data.program ? ` (${visible(data.program)})` : ""}, schema ${SCHEMA}. `,
    "Charts are drawn with d3 (BSD licence, © Mike Bostock), which is in this file. Colours: Okabe and Ito."));
  document.body.dataset.sections = page.sections.length;
}

function fail(error) {
  const text = `This page cannot show its data: ${visible(error.message)}`;
  document.getElementById("main").replaceChildren(el("p", { class: "mistake", role: "alert" }, text));
  document.body.dataset.failed = text;
}

/* -- beginning -------------------------------------------------------------------------------------------------------------- */

document.body.append(tip);
(() => {
  const source = document.getElementById("data");
  const kept = {};
  if (source.dataset.from) return void new Live(source, kept);
  try {
    show(JSON.parse(source.textContent), kept);
  } catch (error) {
    fail(error);
    throw error;
  }
})();
