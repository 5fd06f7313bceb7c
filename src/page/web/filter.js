/* filter - conditions over the columns of a table, as `orrery results --where` has them:
 *
 *     plan.tp <= 4 and (time_s < 2.5ms or state != 'ok')
 *
 * or and not == = != < <= > >= ~ ( ) number 'text' name. `~` is true if the text is in the cell. A number may carry a unit;
 * without one it is in the unit of the column's head. Text that is no condition is looked for in all cells. A comparison with a
 * cell that has no value is false. */

const FACTORS = (() => {
  const factors = { ps: 1e-12, ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, "%": 0.01 };
  ["", "K", "M", "G", "T", "P", "E"].forEach((prefix, i) => {
    factors[prefix + "B"] = factors[prefix + "B/s"] = 1000 ** i;
    factors[prefix + "bps"] = 1000 ** i / 8;
    if (i) {
      factors[prefix + "iB"] = factors[prefix + "iB/s"] = 1024 ** i;
      factors[prefix + "flop"] = factors[prefix + "flop/s"] = 1000 ** i;
    }
  });
  factors.kB = factors["kB/s"] = 1e3;
  return factors;
})();

class FilterError extends Error {}

const TOKEN = /\s*(?:(<=|>=|==|!=|[<>=~()])|(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)([A-Za-zµ%][A-Za-z/]*)?|'([^']*)'|"([^"]*)"|([A-Za-z_][\w.-]*(?:\[\d+\])?(?:[.][\w.-]+)*)|(-))/y;

function tokens(text) {
  const list = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) throw new FilterError(`cannot read “${text.slice(at, at + 20).trim()}”`);
    const [, sign, number, unit, single, double, name, minus] = found;
    if (sign) list.push({ sign: sign === "=" ? "==" : sign });
    else if (minus) list.push({ minus: true });
    else if (number) {
      if (unit && !(unit in FACTORS)) throw new FilterError(`there is no unit “${unit}”`);
      list.push({ number: Number(number), factor: unit ? FACTORS[unit] : null });
    } else if (name) list.push(["and", "or", "not"].includes(name) ? { word: name } : { name });
    else list.push({ text: single ?? double });
  }
  return list;
}

/* What a comparison of a column with a constant is of one row. */
function comparison(column, sign, constant) {
  const number = constant.number === undefined ? NaN
    : constant.number * (constant.factor === null ? 1 / column.factor : constant.factor / column.base);
  const wanted = constant.text ?? constant.name;
  const text = (wanted ?? "").toLowerCase();
  if (sign === "~") {
    const part = text || String(constant.number);
    return (row) => (column.text(row) ?? "").toLowerCase().includes(part);
  }
  if (wanted === undefined && !column.isNumber) throw new FilterError(`${column.key} is text: write ${column.key} ${sign} '..'`);
  if (wanted !== undefined && column.kind === "number") throw new FilterError(`${column.key} is a number`);
  const compare = { "==": (a, b) => a === b, "!=": (a, b) => a !== b, "<": (a, b) => a < b, "<=": (a, b) => a <= b,
    ">": (a, b) => a > b, ">=": (a, b) => a >= b }[sign];
  if (wanted !== undefined) return (row) => column.text(row) !== null && compare(column.text(row).toLowerCase(), text);
  return (row) => !Number.isNaN(column.number(row)) && compare(column.number(row), number);
}

function parser(list, columns) {
  let at = 0;
  const peek = () => list[at] || {};
  const constant = () => {
    const negative = peek().minus ? (at++, -1) : 1;
    const token = list[at++];
    if (token && token.number !== undefined) return { ...token, number: negative * token.number };
    if (token && negative === 1 && (token.text !== undefined || token.name)) return token;
    throw new FilterError("a number or a 'text' is missing after the comparison");
  };
  const one = () => {
    if (peek().word === "not") return at++, ((inner) => (row) => !inner(row))(one());
    if (peek().sign === "(") {
      at++;
      const inner = either();
      if (peek().sign !== ")") throw new FilterError("a ) is missing");
      return at++, inner;
    }
    const name = list[at++];
    if (!name || !name.name) throw new FilterError("a column's name is expected");
    const column = columns.find((c) => c.key === name.name) ||
      columns.find((c) => [c.key, c.label].some((known) => known.toLowerCase() === name.name.toLowerCase()));
    if (!column) throw new FilterError(`there is no column “${name.name}”`);
    const sign = peek().sign;
    if (!sign || "()".includes(sign)) throw new FilterError(`a comparison is expected after ${name.name}`);
    return at++, comparison(column, sign, constant());
  };
  const both = () => {
    let left = one();
    while (peek().word === "and") {
      at++;
      const a = left, b = one();
      left = (row) => a(row) && b(row);
    }
    return left;
  };
  const either = () => {
    let left = both();
    while (peek().word === "or") {
      at++;
      const a = left, b = both();
      left = (row) => a(row) || b(row);
    }
    return left;
  };
  const whole = either();
  if (at < list.length) throw new FilterError("“and” or “or” is expected between conditions");
  return whole;
}

/* A function of a row's number. Throws a FilterError that says what is wrong. */
function filterOf(text, columns) {
  text = text.trim();
  if (!text) return () => true;
  if (!/[<>=~]/.test(text)) {
    const words = text.toLowerCase().split(/\s+/);
    return (row) => words.every((word) => columns.some((c) => (c.shown(row) ?? "").toLowerCase().includes(word)));
  }
  return parser(tokens(text), columns);
}
