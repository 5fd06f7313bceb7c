/* blocks - a section of the data and what stands in it. */

const BLOCKS = {
  table: (block) => new Table({ id: block.id, caption: block.caption, note: block.note, count: block.rows.length, columns: columnsOfRows(block) }).node,
  chart: (block) => CHARTS[block.kind](block),
  code: (block) => el("details", { class: "code" }, el("summary", {}, visible(block.caption)), el("pre", { tabindex: "0" }, outside(block.text ?? ""))),
  text: (block) => el("p", {}, visible(block.text)),
  drawing: (block) => drawingOf(block),
  timeline: (block) => timelineOf(block),
};

function sectionOf(section) {
  return el("section", { id: section.id, "aria-labelledby": `${section.id}-head` }, el("h2", { id: `${section.id}-head` }, visible(section.title)),
    section.intro ? el("p", { class: "intro" }, visible(section.intro)) : null, ...section.blocks.map((block) => BLOCKS[block.type](block)));
}

/* A drawing of ours (report/draw_svg.c): its <style> stays behind, the page has the same classes. */
function drawingOf(block) {
  const parsed = new DOMParser().parseFromString(block.svg.replace(/<style>[^]*?<\/style>/, ""), "image/svg+xml").documentElement;
  const svg = document.importNode(parsed, true);
  const [, , width, height] = svg.getAttribute("viewBox").split(/\s+/).map(Number);
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  for (const title of svg.querySelectorAll("g > title")) {
    title.parentNode.setAttribute("data-tip", title.textContent.trim());
    title.remove();
  }
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", block.describe);
  const plot = el("div", { class: "plot scroll", tabindex: "0", role: "region", "aria-label": block.describe });
  plot.append(svg);
  svg.style.maxWidth = `${Math.min(1400, width)}px`;
  svg.style.minWidth = `${Math.min(520, width)}px`;
  svg.style.aspectRatio = `${width} / ${height}`;
  return el("figure", { class: "chart fabric" }, el("figcaption", {}, el("h3", {}, visible(block.title)), block.note ? el("p", {}, visible(block.note)) : null), plot);
}
