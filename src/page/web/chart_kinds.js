/* chart_kinds - the kinds of charts: bars (stacked), lines and points, heat, histogram. Each takes a model as data and gives a
 * figure; figures in a model are in the unit of its axis. */

const HEIGHT = 340;

/* -- bars: one per name, of parts that add up ------------------------------------------------------------------------------- */

/* model: {title, note, names: [..], series: [{name, values: [..]}], axis: {label, unit}} */
function barsChart(model) {
  const totals = model.names.map((_, i) => d3.sum(model.series, (s) => s.values[i] || 0));
  const columns = [{ key: "what", label: "", unit: "", kind: "text" },
    ...model.series.map((s) => ({ key: s.name, label: s.name, unit: model.axis.unit, kind: "number" }))];
  const rows = model.names.map((name, i) => [name, ...model.series.map((s) => s.values[i])]);
  const draw = (svg, width) => {
    const longest = Math.max(...model.names.map((name) => name.length));
    const left = Math.min(Math.max(40, Math.min(30, longest) * 6.8 + 12), width * 0.4);
    const most = Math.floor((left - 8) / 7);
    const each = model.names.length > 30 ? 18 : 26;
    const box = { left, right: width - 56, top: 8, bottom: 8 + each * model.names.length };
    const axis = axisOf({ ...model.axis, isZero: true }, totals, [box.left, box.right]);
    const y = d3.scaleBand().domain(d3.range(model.names.length)).range([box.top, box.bottom]).padding(0.25);
    const shown = scaleOf(model.axis.unit, Math.max(...totals));
    for (const tick of axis.ticks)
      svg.append("line").attr("class", "grid").attr("y1", box.top).attr("y2", box.bottom).attr("x1", axis.at(tick)).attr("x2", axis.at(tick));
    model.names.forEach((name, i) => {
      let from = 0;
      const label = visible(name);
      svg.append("text").attr("class", "name").attr("x", left - 8).attr("y", y(i) + y.bandwidth() / 2).attr("dy", "0.32em")
        .attr("text-anchor", "end").attr("data-tip", label).text(short(label, most));
      model.series.forEach((series, k) => {
        const value = series.values[i] || 0;
        if (value <= 0) return;
        const share = model.isPart || model.series.length > 1 ? ` (${figure(100 * value / (model.whole || totals[i]), 3)} %)` : "";
        svg.append("rect").attr("class", `${seriesClass(series.colour ?? k)} fill mark`).attr("x", axis.scale(from)).attr("y", y(i))
          .attr("width", Math.max(0.5, axis.scale(from + value) - axis.scale(from))).attr("height", y.bandwidth())
          .attr("data-tip", `${label}${model.series.length > 1 ? `: ${visible(series.name)}` : ""}: ${quantity(value, model.axis.unit)}${share}`);
        from += value;
      });
      svg.append("text").attr("class", "value").attr("x", axis.scale(from) + 6).attr("y", y(i) + y.bandwidth() / 2).attr("dy", "0.32em")
        .text(figure(totals[i] * shown.factor, 3));
    });
    drawBottom(svg, axis, box, 42);
    return box.bottom + 42;
  };
  return figureOf({ ...model, legend: model.series, draw, table: () => ({ columns, rows }),
    describe: `${model.names.length} bars of ${model.series.length} parts: ${model.axis.label}.` });
}

/* -- lines and points over two axes ----------------------------------------------------------------------------------------- */

/* model: {title, note, x: {label, unit, isLog, names?}, y, series: [{name, points: [{x, y, tip}]}], dots: [{x, y, series, tip}],
 *         isStep}. With x.names x is a text. */
function xyChart(model) {
  const points = model.series.flatMap((s) => s.points).concat(model.dots || []);
  const draw = (svg, width) => {
    const ys = points.map((p) => p.y);
    const box = { left: 64, right: width - 16, top: 26 };
    const makeX = () => (model.x.names ? namesAxis(model.x.names, model.x.label, [box.left, box.right], false)
      : axisOf(model.x, points.map((p) => p.x), [box.left, box.right]));
    const room = bottomRoom(makeX(), box.right - box.left);
    box.bottom = HEIGHT - room;
    const y = axisOf(model.y, ys, [box.bottom, box.top]);
    box.left = Math.max(44, 14 + 7 * Math.max(...y.ticks.map((tick) => y.format(tick).length)));
    const x = makeX();
    drawLeft(svg, y, box);
    drawBottom(svg, x, box, room);
    const at = (p) => [x.scale(p.x), y.scale(p.y)];
    const symbol = (k, size) => d3.symbol().type(SHAPES[k % SERIES]).size(size)();
    for (const dot of model.dots || [])
      svg.append("path").attr("class", `${seriesClass(dot.series)} fill dot`).attr("d", symbol(dot.series, 28))
        .attr("transform", `translate(${at(dot)})`).attr("data-tip", dot.tip);
    model.series.forEach((series, i) => {
      const k = series.colour ?? i;
      const line = d3.line().curve(model.isStep ? d3.curveStepAfter : d3.curveLinear);
      svg.append("path").attr("class", `${seriesClass(k)} line`).attr("stroke-dasharray", DASHES[k % SERIES]).attr("d", line(series.points.map(at)));
      for (const p of series.points)
        svg.append("path").attr("class", `${seriesClass(k)} fill mark`).attr("d", symbol(k, 48))
          .attr("transform", `translate(${at(p)})`).attr("data-tip", p.tip);
    });
    return HEIGHT;
  };
  const columns = [{ key: "line", label: "line", unit: "", kind: "text" },
    { key: "x", label: model.x.label, unit: model.x.names ? "" : model.x.unit, kind: model.x.names ? "text" : "number" },
    { key: "y", label: model.y.label, unit: model.y.unit, kind: "number" }];
  const rows = model.series.flatMap((s) => s.points.map((p) => [s.name, p.x, p.y]));
  return figureOf({ ...model, legend: model.series, hasMarks: true, draw, table: () => ({ columns, rows }),
    describe: `${model.y.label} over ${model.x.label}, ${model.series.length} lines.` });
}

/* -- heat: a cell per pair of texts ----------------------------------------------------------------------------------------- */

/* From pale to dark of one hue: told apart by lightness alone. */
const heatColour = d3.interpolateRgbBasis(["#f1f6fb", "#b9d4ea", "#6aaed6", "#2b7bba", "#0b3d73"]);

/* model: {title, note, down, across: {label, names}, value: {label, unit}, cells: [row][column]} */
function heatChart(model) {
  const all = model.cells.flat().filter((x) => !Number.isNaN(x) && x !== null);
  const [low, high] = extent(all);
  const shown = scaleOf(model.value.unit, Math.max(Math.abs(low), Math.abs(high)));
  const draw = (svg, width) => {
    const longest = Math.max(...model.down.names.map((name) => Math.min(26, name.length)));
    const box = { left: Math.min(longest * 6.8 + 14, width * 0.4), right: width - 4, top: 40, labelLeft: 0 };
    const across = namesAxis(model.across.names, model.across.label, [box.left, box.right], true);
    const room = bottomRoom(across, box.right - box.left);
    box.bottom = box.top + 30 * model.down.names.length;
    const down = namesAxis(model.down.names, model.down.label, [box.top, box.bottom], true);
    drawLeft(svg, { ...down, label: `${down.label} ↓` }, box);
    drawBottom(svg, across, box, room);
    model.down.names.forEach((rowName, i) => model.across.names.forEach((columnName, k) => {
      const value = model.cells[i][k];
      const isThere = value !== null && !Number.isNaN(value);
      const share = !isThere ? 0 : high > low ? (value - low) / (high - low) : 0.5;
      const rect = svg.append("rect").attr("x", across.at(columnName)).attr("y", down.at(rowName)).attr("width", across.at.bandwidth())
        .attr("height", down.at.bandwidth()).attr("class", isThere ? "cell mark" : "cell none")
        .attr("data-tip", `${visible(rowName)}, ${visible(columnName)}: ${quantity(value, model.value.unit)}`);
      if (!isThere) return;
      rect.attr("fill", heatColour(share));
      const text = figure(value * shown.factor, 3);
      if (text.length * 6.5 < across.at.bandwidth())
        svg.append("text").attr("class", share > 0.55 ? "on-dark" : "on-light").attr("x", across.at(columnName) + across.at.bandwidth() / 2)
          .attr("y", down.at(rowName) + down.at.bandwidth() / 2).attr("dy", "0.32em").attr("text-anchor", "middle").text(text);
    }));
    return box.bottom + room;
  };
  const columns = [{ key: "down", label: model.down.label, unit: "", kind: "text" }, ...model.across.names.map((name, k) =>
    ({ key: `c${k}`, label: name, unit: model.value.unit, kind: "number" }))];
  const rows = model.down.names.map((name, i) => [name, ...model.cells[i]]);
  return figureOf({ ...model, draw, table: () => ({ columns, rows }), note: `${model.note || ""} ${withUnit(model.value.label, shown.unit)}; dark is high`.trim(),
    describe: `${model.value.label} by ${model.down.label} and ${model.across.label}.` });
}

/* -- histogram --------------------------------------------------------------------------------------------------------------- */

/* model: {title, note, axis: {label, unit}, values: [..]} */
function histogramChart(model) {
  const [low, high] = extent(model.values);
  const bins = d3.histogram().domain(low < high ? [low, high] : [low - 0.5, high + 0.5])
    .thresholds(d3.ticks(low, high, Math.max(8, Math.min(40, Math.sqrt(model.values.length)))))(model.values);
  const draw = (svg, width) => {
    const box = { left: 52, right: width - 16, top: 26, bottom: HEIGHT - 42 };
    const x = axisOf({ ...model.axis, isTight: true }, bins.flatMap((bin) => [bin.x0, bin.x1]), [box.left, box.right]);
    const y = axisOf({ label: model.count || "points", unit: "", isZero: true }, bins.map((bin) => bin.length), [box.bottom, box.top]);
    drawLeft(svg, y, box);
    drawBottom(svg, x, box, 42);
    for (const bin of bins.filter((b) => b.length))
      svg.append("rect").attr("class", "s0 fill mark").attr("x", x.scale(bin.x0) + 0.5).attr("y", y.scale(bin.length))
        .attr("width", Math.max(0.5, x.scale(bin.x1) - x.scale(bin.x0) - 1)).attr("height", y.scale(0) - y.scale(bin.length))
        .attr("data-tip", `${quantity(bin.x0, model.axis.unit)} to ${quantity(bin.x1, model.axis.unit)}: ${bin.length}`);
    return HEIGHT;
  };
  const columns = [["from", model.axis.unit], ["to", model.axis.unit], ["count", ""]].map(([key, unit]) => ({ key, label: key, unit, kind: "number" }));
  return figureOf({ ...model, draw, table: () => ({ columns, rows: bins.map((bin) => [bin.x0, bin.x1, bin.length]) }),
    describe: `How many points have which ${model.axis.label}.` });
}

const CHARTS = { bars: barsChart, xy: xyChart, heat: heatChart, histogram: histogramChart };
