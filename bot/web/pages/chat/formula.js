// LaTeX to MathML Core, as far as school needs it.

import {
  bar, blank, changeLetter, gap, group, isDigit, large, make, named, ord, pad, sign,
  space, styled, tall, text, upright,
} from "./mathml.js";
import {
  ACCENTS, ALPHABETS, BRACKETS, CHARACTERS, DRAWN, FUNCTIONS, IGNORED, LETTERS, LIMITS, LINES,
  MATRICES, NEGATED, OPERATIONS, RELATIONS, RULES, SIZES, SPACES, STRETCHED, STYLES, SWITCHES,
  SYMBOLS, TEXTS, TRANSPARENT, Tokens, Unreadable, VARIANTS, WIDE, isBlank,
} from "./notation.js";

const DEEPEST = 40;
const LONGEST = 4000;
const CAPITALS = /^[Α-Ω]$/u;

const CHEMISTRY = /\\ce\{((?:[^{}]|\{[^{}]*\})*)\}/g;
const SIGNS = { "->": "\\to", "<=>": "\\rightleftharpoons", "+": "+", "?": "\\text{?}" };

/** The chemistry of `\ce{…}` in LaTeX: formulas with their numbers and charges, and arrows. */
const readChemistry = (_, source) => source.trim().split(/\s+/).map((part) => SIGNS[part] ?? part
  .replace(/([A-Za-z)\]])(\d+)/g, "$1_{$2}")
  .replace(/\^?\{?(\d*[+-])\}?$/, "^{$1}")
  .replace(/[A-Za-z]+/g, "\\mathrm{$&}")).join("\\,");

/** The formula as an element; as it was typed, if it holds what is not known here. */
export function showFormula(latex, displayed = false) {
  const box = document.createElement("span");
  box.className = displayed ? "maths block" : "maths";
  try {
    box.append(toMathML(latex.replace(CHEMISTRY, readChemistry), displayed));
  } catch {
    const typed = document.createElement("code");
    typed.className = "tex";
    typed.textContent = latex.trim();
    box.append(typed);
  }
  return box;
}

/** What can be read already of a displayed formula that is still being written: whole rows; else "". */
export function readableBeginning(latex) {
  const [begun, ...more] = latex.matchAll(/\\begin\{(\w+\*?)\}/g);
  const end = latex.lastIndexOf("\\\\");
  if (!begun || more.length || latex.includes("\\end") || end < begun.index) return "";
  const whole = `${latex.slice(0, end)}\\end{${begun[1]}}`;
  try {
    toMathML(whole, true);
    return whole;
  } catch {
    return "";
  }
}

/** What stands for an escape within words. */
function unescape(found, char) {
  if (found === "~") return "\u00a0";
  return ",;: \\".includes(char ?? "x") ? " " : (char ?? "");
}

function toMathML(latex, displayed) {
  if (latex.length > LONGEST) throw new Unreadable();
  const math = make("math", { alttext: latex.trim().replace(/\s+/g, " ") });
  if (displayed) math.setAttribute("display", "block");
  const reader = new Reader(latex);
  const rows = reader.rows("");
  const isOneCell = rows.length === 1 && rows[0].length === 1;
  if (isOneCell && !rows[0][0].length) throw new Unreadable();
  math.append(isOneCell ? reader.row(rows[0][0]) : lines(rows, reader));
  return math;
}

// Reading ------------------------------------------------------------------------------------------

/** Reads atoms: `{node, kind}`, and of operators with limits `limits: true`. */
class Reader extends Tokens {
  #depth = 0;
  #stops = [];
  #variant = "";
  #isScript = false;

  constructor(latex, depth = 0) {
    super(latex);
    this.#depth = depth;
  }

  /** One element of the atoms, with the spaces between them. */
  row(atoms) {
    return group(space(atoms, this.#isScript));
  }

  /** Rows of cells, each an array of atoms, up to and with `end`; a row's `rule`: it has a line above. */
  rows(end) {
    const rows = [];
    for (let stop = "\\\\"; stop !== end; stop = this.take()) {
      if (stop === "\\\\") {
        if (rows.length) this.skipGap();
        rows.push([]);
        while (RULES.has(this.peekVisible())) rows.at(-1).rule = Boolean(this.takeVisible());
      }
      rows.at(-1).push(this.#sequence("&", "\\\\", end));
    }
    return rows;
  }

  /** The atoms before one of `stops`, which is not taken; "" stands for the end. */
  #sequence(...stops) {
    if (++this.#depth > DEEPEST) throw new Unreadable();
    this.#stops.push(stops);
    const atoms = [];
    while (this.peek() && !stops.includes(this.peek())) this.#read(this.take(), atoms);
    if (!stops.includes(this.peek())) throw new Unreadable();
    this.#stops.pop();
    this.#depth -= 1;
    return atoms;
  }

  #read(token, atoms) {
    if (["}", "&", "\\", "\\\\", "$"].includes(token)) throw new Unreadable();
    if (token === "{") atoms.push(this.#group());
    else if ("^_'".includes(token)) this.#attach(token, atoms);
    else if (token === "~" || token === "\\ ") atoms.push(gap(SPACES["~"]));
    else if (token[0] === "\\") this.#command(token.slice(1), atoms);
    else if (isDigit(token)) atoms.push(ord(text("mn", this.#number(token))));
    else if (!isBlank(token)) atoms.push(this.#character(token, atoms));
  }

  #group() {
    const atoms = this.until("}");
    // A sign alone between braces is one without spaces around it.
    if (atoms.length === 1) return { ...atoms[0], kind: atoms[0].limits ? atoms[0].kind : "ord" };
    return ord(this.row(atoms));
  }

  until(end) {
    const atoms = this.#sequence(end);
    this.take();
    return atoms;
  }

  /** The atoms in the next braces, or a single one. */
  atoms() {
    const token = this.takeVisible();
    if (token === "{") return this.until("}");
    if (!token || "^_'".includes(token)) throw new Unreadable();
    if (isDigit(token)) return [ord(text("mn", token))];
    if (++this.#depth > DEEPEST) throw new Unreadable();
    const atoms = [];
    this.#read(token, atoms);
    this.#depth -= 1;
    return atoms;
  }

  argument() {
    return this.row(this.atoms());
  }

  script() {
    const before = this.#isScript;
    this.#isScript = true;
    const node = this.argument();
    this.#isScript = before;
    return node;
  }

  /** What the next square brackets hold; null if there are none. */
  optional() {
    if (this.peekVisible() !== "[") return null;
    this.expect("[");
    return this.row(this.until("]"));
  }

  /** A number whole, with its point or comma: `2,5` and `2{,}5` stay closed up. */
  #number(digits) {
    for (;;) {
      const isBraced = this.peek() === "{" && ",.".includes(this.peek(1)) && this.peek(2) === "}";
      if (isDigit(this.peek())) digits += this.take();
      else if (".,".includes(this.peek() || " ") && isDigit(this.peek(1))) digits += this.take();
      else if (isBraced && isDigit(this.peek(3))) {
        digits += [this.take(), this.take(), this.take()][1];
      } else return digits;
    }
  }

  #character(char, atoms) {
    if (LETTERS.test(char)) return this.#letter(char);
    if (char === "|") return bar(char, atoms);
    if (char === "[" || char === "]") return { node: sign(char), kind: this.#side(char, atoms), char };
    const known = CHARACTERS[char];
    if (known) return { node: sign(known[0]), kind: known[1] };
    if (RELATIONS.has(char)) return { node: sign(char), kind: "rel" };
    if (OPERATIONS.has(char)) return { node: sign(char), kind: "bin" };
    if (/[\p{C}]/u.test(char)) throw new Unreadable();
    return ord(/[\p{S}\p{P}]/u.test(char) ? sign(char) : text("mi", char));
  }

  /** `]0 ; 1[` is an interval: which bracket opens is seen by what stands before it. */
  #side(char, atoms) {
    const brackets = atoms.filter((atom) => atom.char === "[" || atom.char === "]");
    const open = brackets.reduce((count, { kind }) => count + (kind === "open" ? 1 : -1), 0);
    const isClosing = open > 0 || (char === "]" && brackets.some((atom) => atom.char === "["));
    return isClosing ? "close" : "open";
  }

  #letter(char) {
    const variant = this.#variant;
    const alphabet = ALPHABETS[variant];
    if (alphabet) return ord(text("mi", changeLetter(char, alphabet)));
    let name = char;
    if (variant.startsWith("normal")) while (LETTERS.test(this.peek())) name += this.take();
    const node = text("mi", name);
    if (variant.startsWith("normal") && name.length === 1) node.setAttribute("mathvariant", "normal");
    const names = variant.replace(/normal-?|italic/, "");
    if (names) node.setAttribute("class", names);
    return ord(node);
  }

  #command(name, atoms) {
    const isPlace = name === "limits" || name === "nolimits";
    if (isPlace && atoms.length) atoms.at(-1).limits = name === "limits" ? "always" : false;
    else if (name in STYLES || SWITCHES.has(name)) atoms.push(this.#switch(name));
    else if (name in SPACES) atoms.push(gap(SPACES[name]));
    else if (!IGNORED.has(name)) atoms.push(this.#word(name, atoms) ?? this.#built(name));
  }

  #switch(name) {
    if (name in STYLES) return ord(styled(...STYLES[name], this.row(this.#sequence(...this.#stops.at(-1)))));
    return this.#within(VARIANTS[name], () => ord(this.row(this.#sequence(...this.#stops.at(-1)))));
  }

  #within(variant, read) {
    const before = this.#variant;
    this.#variant = variant;
    const found = read();
    this.#variant = before;
    return found;
  }

  /** A command without arguments; null if it is none. */
  #word(name, atoms) {
    if (FUNCTIONS.has(name)) return named(name, "op");
    if (name === "bmod") return named("mod", "bin");
    if (LIMITS.has(name)) return { ...named(name.replace(/^lim(?=.)/, "lim\u2009"), "op"), limits: "always" };
    const [char, kind] = SYMBOLS.get(name) ?? [];
    if (!char) return null;
    if (kind === "sum" || kind === "int") return { node: large(char), kind: "op", limits: kind === "sum" };
    if (name === "vert" || name === "|" || name === "Vert") return bar(char, atoms);
    if (kind !== "ord" || !LETTERS.test(char)) return { node: sign(char), kind };
    const isUpright = this.#variant.startsWith("normal") || CAPITALS.test(char);
    return ord(isUpright ? upright(char) : text("mi", char));
  }

  /** A command with arguments. */
  #built(name) {
    if (name in VARIANTS) return this.#varied(VARIANTS[name]);
    if (name in ACCENTS) return ord(this.#accent(ACCENTS[name], WIDE.has(name)));
    if (name in DRAWN) return ord(make("mrow", { class: DRAWN[name] }, this.argument()));
    if (name in TEXTS) return ord(this.words(TEXTS[name].replace("upright", "")));
    if (name in TRANSPARENT) return { node: this.argument(), kind: TRANSPARENT[name] };
    if (name in STRETCHED) return this.#arrow(STRETCHED[name]);
    const size = SIZES[name.replace(/[lrm]$/, "")];
    if (size) return this.#sized(size, name.at(-1));
    if (!Object.hasOwn(BUILDERS, name)) throw new Unreadable();
    return BUILDERS[name](this);
  }

  #varied(variant) {
    return this.#within(variant, () => {
      const atoms = this.atoms();
      return atoms.length === 1 ? atoms[0] : ord(this.row(atoms));
    });
  }

  #accent(mark, isWide) {
    const base = this.argument();
    const isLong = base.textContent.length > 1;
    if (isWide && isLong && mark === "^") return make("mrow", { class: "hatted" }, base);
    const over = make("mo", { stretchy: String(isWide || (isLong && mark === "→")), lspace: "0", rspace: "0" });
    over.textContent = mark;
    return make("mover", { accent: "true" }, base, over);
  }

  #arrow(char) {
    const below = this.optional();
    const before = this.#isScript;
    this.#isScript = true;
    const above = pad(this.argument());
    this.#isScript = before;
    const arrow = make("mo", { stretchy: "true", lspace: "0", rspace: "0" });
    arrow.textContent = char;
    const node = below ? make("munderover", {}, arrow, pad(below), above) : make("mover", {}, arrow, above);
    return { node, kind: "rel" };
  }

  #sized(size, side) {
    const char = this.bracket();
    const height = `${size}em`;
    const node = sign(char, { stretchy: "true", minsize: height, maxsize: height });
    return { node, kind: { l: "open", r: "close", m: "rel" }[side] ?? "ord" };
  }

  /** A bracket; "" for the dot that stands for none. */
  bracket() {
    const token = this.takeVisible();
    if (token === ".") return "";
    const char = { "<": "⟨", ">": "⟩" }[token] ?? (token[0] === "\\" ? SYMBOLS.get(token.slice(1))?.[0] : token);
    if (!char || !BRACKETS.includes(char)) throw new Unreadable();
    return char;
  }

  /** Upright text, in which mathematics may stand between dollar signs. */
  words(className) {
    const parts = this.raw().split(/(?<!\\)\$/);
    if (parts.length % 2 === 0) throw new Unreadable();
    return group(parts.map((part, index) => {
      if (index % 2) {
        const reader = new Reader(part, this.#depth + 1);
        return reader.row(reader.rows("").flat(2));
      }
      if (/\\[A-Za-z\d]/.test(part)) throw new Unreadable();
      // A browser drops spaces at the ends of words.
      const written = part.replace(/\\(.)|[{}]|~/g, unescape).replace(/^\s+|\s+$/g, "\u00a0");
      return part ? text("mtext", written, className) : null;
    }).filter(Boolean));
  }

  /** All that is raised and lowered at the last atom; or, if there is none, at the next. */
  #attach(mark, atoms) {
    let base = atoms.pop();
    if (base && base.kind === "gap") {
      atoms.push(base);
      base = null;
    }
    let primes = "";
    const scripts = {};
    while (mark) {
      if (mark === "'") primes += "′";
      else if (scripts[mark]) throw new Unreadable();
      else scripts[mark] = this.script();
      const next = this.peekVisible();
      mark = next && "^_'".includes(next) ? this.takeVisible() : "";
    }
    if (primes) scripts["^"] = group([sign(primes), scripts["^"]].filter(Boolean));
    const isEmpty = !base || (base.node.localName === "mrow" && !base.node.childNodes.length);
    const next = this.peekVisible();
    if (isEmpty && (/^\p{L}$/u.test(next) || next.slice(1) in TEXTS || next.slice(1) in VARIANTS)) {
      const before = [scripts._, scripts["^"]].map((script) => script ?? make("mrow"));
      return atoms.push(ord(make("mmultiscripts", {}, this.argument(), make("mprescripts"), ...before)));
    }
    return atoms.push(this.#scripted(base ?? ord(make("mrow")), scripts._, scripts["^"]));
  }

  #scripted(base, below, above) {
    const places = [below, above].filter(Boolean);
    const names = base.limits ? ["munder", "mover", "munderover"] : ["msub", "msup", "msubsup"];
    const node = make(names[below && above ? 2 : below ? 0 : 1], {}, base.node, ...places);
    if (base.limits === "always") base.node.setAttribute("movablelimits", "false");
    return { node, kind: base.kind };
  }
}

const fraction = (read) => ord(make("mfrac", {}, read.argument(), read.argument()));
const binomial = (read) => {
  const node = make("mfrac", { linethickness: "0" }, read.argument(), read.argument());
  return ord(make("mrow", {}, tall("("), node, tall(")")));
};
const asStyle = (displayed) => (read) => ord(styled(displayed, 0, fraction(read).node));
const brace = (tag, char, mark) => (read) => {
  const base = read.argument();
  const line = make("mo", { stretchy: "true", lspace: "0", rspace: "0" });
  line.textContent = char;
  const braced = make(tag, {}, base, line);
  if (read.peekVisible() !== mark) return ord(braced);
  read.takeVisible();
  return ord(make(tag, {}, braced, read.script()));
};
const stacked = (tag) => (read) => {
  const note = read.script();
  const [base] = read.atoms();
  if (!base) throw new Unreadable();
  return { node: make(tag, {}, base.node, note), kind: base.kind };
};

const BUILDERS = {
  frac: fraction,
  dfrac: asStyle(true),
  cfrac: asStyle(true),
  tfrac: asStyle(false),
  binom: binomial,
  dbinom: binomial,
  tbinom: binomial,
  sqrt: (read) => {
    const degree = read.optional();
    return ord(degree ? make("mroot", {}, read.argument(), degree) : make("msqrt", {}, read.argument()));
  },
  left: (read) => {
    const opening = read.bracket();
    const atoms = read.until("\\right");
    const closing = read.bracket();
    return { node: make("mrow", {}, tall(opening), read.row(atoms), tall(closing)), kind: "inner" };
  },
  middle: (read) => ({ node: tall(read.bracket()), kind: "rel" }),
  begin: (read) => environment(read),
  substack: (read) => {
    read.expect("{");
    return ord(table("stacked", read.rows("}"), read));
  },
  not: (read) => {
    const token = read.takeVisible();
    const char = NEGATED[token[0] === "\\" ? SYMBOLS.get(token.slice(1))?.[0] : token];
    if (!char) throw new Unreadable();
    return { node: sign(char), kind: "rel" };
  },
  pmod: (read) => ord(group([blank(1), sign("("), text("mi", "mod"), blank(0.333), read.argument(), sign(")")])),
  operatorname: (read) => ({ node: read.words(), kind: "op" }),
  "operatorname*": (read) => ({ node: read.words(), kind: "op", limits: "always" }),
  mathop: (read) => ({ node: read.argument(), kind: "op", limits: "always" }),
  overset: stacked("mover"),
  stackrel: stacked("mover"),
  underset: stacked("munder"),
  overbrace: brace("mover", "⏞", "^"),
  underbrace: brace("munder", "⏟", "_"),
  color: (read) => (read.raw(), ord(make("mrow"))),
  label: (read) => (read.raw(), ord(make("mrow"))),
  textcolor: (read) => (read.raw(), ord(read.argument())),
  hspace: (read) => (read.raw(), gap(1)),
  tag: (read) => ord(group([blank(1), text("mtext", `(${read.raw()})`)])),
};

// Environments -------------------------------------------------------------------------------------

function environment(read) {
  const name = read.raw();
  const plain = name.replace(/\*$/, "");
  let columns = "";
  if (plain === "array" || plain === "alignedat") {
    read.optional();
    columns = read.raw();
  }
  const rows = read.rows("\\end");
  const last = rows.at(-1);
  if (!last.rule && !last.some((cell) => cell.length)) rows.pop(); // a last `\\\\` leaves a blank row
  if (read.raw() !== name) throw new Unreadable();
  if (plain in MATRICES) {
    const [opening, closing] = MATRICES[plain];
    const node = table(columns ? "array" : "matrix", rows, read, columns);
    return opening !== "." ? { node: make("mrow", {}, tall(opening), node, tall(closing)), kind: "inner" } : ord(node);
  }
  if (plain === "cases" || plain === "dcases" || plain === "rcases") {
    const node = table("cases", rows, read);
    if (plain === "dcases") node.setAttribute("displaystyle", "true");
    return { node: make("mrow", {}, ...(plain === "rcases" ? [node, tall("}")] : [tall("{"), node])), kind: "inner" };
  }
  if (LINES.has(plain)) return ord(lines(rows, read, /^(gather|equation|displaymath|math)/.test(plain)));
  throw new Unreadable();
}

/** Lines under each other, flush at their `&`. */
function lines(rows, reader, isCentred = false) {
  const node = table(isCentred || rows.every((row) => row.length === 1) ? "gathered" : "aligned", rows, reader);
  node.setAttribute("displaystyle", "true");
  return node;
}

function table(className, rows, reader, columns = "") {
  const sides = columns.replace(/[^lcr]/g, "");
  const upright = [...columns.matchAll(/\|/g)].map((found) => columns.slice(0, found.index).replace(/[^lcr]/g, "").length);
  if (!rows.length) throw new Unreadable();
  const width = Math.max(...rows.map((row) => row.length));
  const last = rows.at(-1);
  const isClosed = last.rule && last.every((cell) => !cell.length);
  const shown = isClosed ? rows.slice(0, -1) : rows;
  const made = shown.map((row, y) => {
    const cells = row.map((atoms, x) => {
      const names = [{ l: "left", r: "right" }[sides[x]], row.rule && "above", isClosed && y === shown.length - 1 && "below"];
      if (upright.includes(x)) names.push("before");
      if (x === width - 1 && upright.includes(width)) names.push("after");
      // The sign in the second cell of a line has its space although nothing stands before it.
      const isContinued = className === "aligned" && x % 2 === 1;
      const content = reader.row(isContinued ? [ord(make("mrow")), ...atoms] : atoms);
      return make("mtd", { class: names.filter(Boolean).join(" ") }, content);
    });
    return make("mtr", {}, ...cells);
  });
  if (!made.length) throw new Unreadable();
  return make("mtable", { class: className }, ...made);
}
