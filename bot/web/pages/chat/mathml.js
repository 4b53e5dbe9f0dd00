// Elements of MathML Core (https://www.w3.org/TR/mathml-core/), and TeX's spaces between them (The
// TeXbook, chapter 18). Browsers guess spaces from the place in the row alone: `= -b` would be a
// subtraction.

import { words } from "./notation.js";

const NAMESPACE = "http://www.w3.org/1998/Math/MathML";
const BEFORE_UNARY = words("start bin op rel open punct");
const AFTER_SIGN = words("rel close punct end");

/** Nodes with TeX's spaces between them; of scripts only the least. */
export function space(atoms, isScript) {
  const kinds = atoms.map(({ kind }) => kind);
  const near = (index, step) => {
    while (kinds[index] === "gap") index += step;
    return kinds[index] ?? (step < 0 ? "start" : "end");
  };
  kinds.forEach((kind, index) => {
    if (kind !== "bin") return;
    const isSign = BEFORE_UNARY.has(near(index - 1, -1)) || AFTER_SIGN.has(near(index + 1, 1));
    if (isSign) kinds[index] = "ord";
  });
  const nodes = [];
  atoms.forEach(({ node }, index) => {
    const width = index ? between(kinds[index - 1], kinds[index], isScript) : 0;
    if (width) nodes.push(blank(width));
    nodes.push(node);
  });
  return nodes;
}

/** Ems between two kinds of atoms. */
function between(left, right, isScript) {
  if (left === "gap" || right === "gap") return 0;
  const pair = [left, right];
  if (left === "op" || right === "op") {
    if (left === "open" || right === "open" || right === "close" || right === "punct") return 0;
    if (!pair.includes("rel") && !pair.includes("bin") && left !== "punct") return 0.1667;
  }
  if (isScript || left === "open" || right === "close" || right === "punct") return 0;
  if (pair.includes("bin")) return 0.2222;
  if (pair.includes("rel")) return left === right ? 0 : left === "punct" ? 0.1667 : 0.2778;
  if (left === "punct" || (pair.includes("inner") && !pair.includes("open") && !pair.includes("close"))) return 0.1667;
  return 0;
}

// Elements -----------------------------------------------------------------------------------------

export const ord = (node) => ({ node, kind: "ord" });
export const gap = (width) => ({ node: blank(width), kind: "gap" });
export const isDigit = (token) => /^\d$/.test(token);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) if (value) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function text(tag, content, className = "") {
  const element = make(tag, { class: className });
  element.textContent = content;
  return element;
}

export const upright = (char) => {
  const node = text("mi", char);
  node.setAttribute("mathvariant", "normal");
  return node;
};
export const blank = (width) => make("mspace", { width: `${width}em` });
export const group = (nodes) => (nodes.length === 1 ? nodes[0] : make("mrow", {}, ...nodes));
export const pad = (node) => make("mrow", {}, blank(0.4), node, blank(0.4));
export const styled = (displayed, level, node) =>
  make("mstyle", { displaystyle: String(displayed), scriptlevel: String(level) }, node);
export const tall = (char) => (char ? sign(char, { stretchy: "true" }) : make("mrow"));
export const named = (name, kind) => ({ node: text("mi", name), kind });

export function sign(char, attributes = {}) {
  const element = make("mo", { stretchy: "false", lspace: "0", rspace: "0", ...attributes });
  element.textContent = char;
  return element;
}

export function large(char) {
  const element = make("mo", { largeop: "true", movablelimits: "true", lspace: "0", rspace: "0" });
  element.textContent = char;
  return element;
}

/** A bar: it opens where something has to follow, else it closes. */
export function bar(char, atoms) {
  const before = atoms.at(-1)?.kind ?? "start";
  const isEven = atoms.filter((atom) => atom.char === char).length % 2 === 0;
  const kind = BEFORE_UNARY.has(before) || (before === "gap" && isEven) ? "open" : "close";
  return { node: sign(char, { form: kind === "open" ? "prefix" : "postfix" }), kind, char };
}

/** A formula as one line of text, for names that are read aloud: `(a+1)/2`, `√28`, `x^2`. */
export function spell(node) {
  const parts = [...node.children].map(spell);
  if (!parts.length) return node.textContent;
  const [base, ...rest] = parts;
  const [first, second] = rest.map(bracket);
  switch (node.localName) {
    case "mfrac": return `${bracket(base)}/${first}`;
    case "msqrt": return `√${bracket(parts.join(""))}`;
    case "mroot": return `${first}√${bracket(base)}`;
    case "msup": return `${bracket(base)}^${first}`;
    case "msub": case "munder": return `${base}_${first}`;
    case "msubsup": case "munderover": return `${base}_${first}^${second}`;
    case "mtr": return parts.join(", ");
    case "mtable": return parts.join(" ; ");
    default: return parts.join("");
  }
}

const bracket = (text) => (/^[\p{L}\p{N}.,]*$/u.test(text) ? text : `(${text})`);

/** A letter of another alphabet, of those in Unicode's block of mathematical letters. */
export function changeLetter(char, [start, exceptions]) {
  const index = exceptions.indexOf(char);
  if (index >= 0 && index % 2 === 0) return exceptions[index + 1];
  const code = char.codePointAt(0);
  if (code >= 65 && code <= 90) return String.fromCodePoint(start + code - 65);
  if (code >= 97 && code <= 122) return String.fromCodePoint(start + 26 + code - 97);
  return char;
}
