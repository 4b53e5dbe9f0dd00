// Markdown to elements: CommonMark's blocks and tables, as documents read them (bot/markdown.py). Text
// only ever becomes text nodes, so whatever a model writes stays text.

import { readableBeginning, showFormula } from "./formula.js";
import { inline } from "./inline.js";
import { say } from "./words.js";

const DEEPEST = 8; // quotes and lists within each other
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`\s]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?=([ \t]+)(\S)|[ \t]*$)/;
const QUOTE = /^ {0,3}> ?/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const DELIMITER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const BAR = /(?<!\\)\|/g;
const BARRED = /(?<!`)(`+)(?!`)[^`]+\1|\$\$[^$]+\$\$|\$(?!\s)(?:[^$\\]|\\.)+(?<!\s)\$|\\\(.+?\\\)/g; // may hold bars
const NUMBER = /^[−+-]?\d[\d\s.,]*(?:%|€|\$|F|FCFA|F CFA|XOF)?$|^[–—-]?$/;
const LONG = 24; // characters of a cell above which it needs more than a narrow column
const MATHS = { "$$": "$$", "\\[": "\\]" };

/** Shows Markdown that grows in `element`; a block that has not changed is left as it is. */
export class Prose {
  #element;
  #top;
  #shown = [];

  /** `top`: the level of the first heading; the others follow without a gap. */
  constructor(element, top = 2) {
    this.#element = element;
    this.#top = top;
  }

  /** `growing`: more is to come, so its last marks may be open. */
  show(markdown, growing = false) {
    const lines = markdown.replace(/\r\n?/g, "\n").replaceAll("\0", "\ufffd").split("\n");
    const blocks = split(growing ? holdBack(lines) : lines, { depth: 0, growing });
    const open = []; // the levels of the headings that we are under
    const changed = [];
    blocks.forEach((block, at) => {
      const isOpen = growing && at === blocks.length - 1;
      const level = block.level ? this.#place(block.level, open) : 0;
      const key = `${isOpen}${level}${block.lines.join("\n")}`;
      if (key === this.#shown[at]) return;
      this.#shown[at] = key;
      const made = block.make({ isOpen, level, depth: 0 });
      if (at < this.#element.children.length) this.#element.children[at].replaceWith(made);
      else this.#element.append(made);
      changed.push(made);
    });
    while (this.#element.children.length > blocks.length) this.#element.lastElementChild.remove();
    this.#shown.length = blocks.length;
    fit(...changed);
  }

  #place(level, open) {
    while (open.at(-1) >= level) open.pop();
    open.push(level);
    return Math.min(6, this.#top + open.length - 1);
  }
}

/** Make what is wider than its place scroll, and let the keyboard reach it. */
export function fit(...elements) {
  const all = (names) => elements.flatMap((each) => [...(each.matches(names) ? [each] : []), ...each.querySelectorAll(names)]);
  // All is measured before anything changes, so that the page is laid out once.
  const formulas = all(".maths:not(.block)").map((maths) => maths.closest(".glued") ?? maths);
  for (const box of formulas) box.classList.remove("wide");
  const wide = formulas.filter((box) => {
    const place = box.closest("p, li, td, th, h2, h3, h4, h5, h6, .prose");
    return place?.clientWidth && box.offsetWidth > place.clientWidth;
  });
  for (const box of wide) box.classList.add("wide");
  const boxes = all("pre, .scroll, .maths.block, .wide");
  const scrolling = boxes.filter((box) => box.scrollWidth > box.clientWidth + 1);
  for (const box of boxes) box.removeAttribute("tabindex");
  for (const box of scrolling) box.tabIndex = 0;
}

/** Any element: `make("p", "note", "text or", element, …)`. */
export function make(tag, className = "", ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

// Blocks -------------------------------------------------------------------------------------------

/** The lines without a last one that may still become something else, such as a table's beginning. */
function holdBack(lines) {
  const last = lines.at(-1);
  const isMark = /^\s*(?:#{1,6}|[-*+=_~`|:>\s]+|\d{1,9}[.)]?|\\\[?|\$\$?)\s*$/.test(last) && !isFenced(lines);
  const kept = isMark || last === "" ? lines.slice(0, -1) : lines;
  const header = kept.at(-1) ?? "";
  const isTable = kept.length > 1 && kept.at(-2).includes("|");
  const isHeader = /^ {0,3}\|/.test(header) && !isTable && !isFenced(kept);
  return isHeader ? kept.slice(0, -1) : kept;
}

function isFenced(lines) {
  return lines.filter((line) => FENCE.test(line)).length % 2 === 1;
}

/** `[{lines, make({isOpen, level, depth}), level?}]`; `place`: `{depth, growing}`. */
function split(lines, place) {
  const blocks = [];
  for (let at = 0; at < lines.length; ) {
    if (!lines[at].trim()) {
      at += 1;
      continue;
    }
    const readers = place.depth > DEEPEST ? [readParagraph] : READERS;
    let block = null;
    for (const read of readers) if ((block = read(lines, at, place))) break;
    blocks.push({ ...block, lines: lines.slice(at, block.end) });
    at = block.end;
  }
  return blocks;
}

function showAll(lines, { isOpen, depth }) {
  const blocks = split(lines, { depth: depth + 1, growing: isOpen });
  return blocks.map((block, at) => block.make({ isOpen: isOpen && at === blocks.length - 1, level: 0, depth: depth + 1 }));
}

function readFence(lines, at) {
  const [, marks, language] = FENCE.exec(lines[at]) ?? [];
  if (!marks) return null;
  const closing = new RegExp(`^ {0,3}${marks[0]}{${marks.length},}[ \\t]*$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end])) end += 1;
  const indent = lines[at].search(/\S/);
  const content = lines.slice(at + 1, end).map((line) => line.slice(Math.min(indent, line.search(/\S|$/)))).join("\n");
  return { end: Math.min(end + 1, lines.length), make: () => showCode(content, language) };
}

function readCode(lines, at) {
  if (!/^(?: {4}|\t)/.test(lines[at])) return null;
  let end = at;
  while (end < lines.length && (/^(?: {4}|\t)/.test(lines[end]) || !lines[end].trim())) end += 1;
  const content = lines.slice(at, end).map((line) => line.replace(/^(?: {4}|\t| +$)/, "")).join("\n");
  return { end, make: () => showCode(content.trimEnd(), "") };
}

function showCode(content, language) {
  const pre = make("pre", "", make("code", "", content));
  const copy = copyButton(() => content);
  const name = make("span", "", language);
  return make("div", "code", make("div", "code-bar", name, ...(copy ? [copy] : [])), pre);
}

/** A button that copies `text()`; null where browsers forbid it. */
export function copyButton(text) {
  if (!navigator.clipboard) return null;
  const button = make("button", "small", say("copy"));
  button.type = "button";
  button.addEventListener("click", async () => {
    const done = await navigator.clipboard.writeText(text()).then(() => "copied", () => "notCopied");
    button.textContent = say(done);
    setTimeout(() => (button.textContent = say("copy")), 2000);
  });
  return button;
}

function readMaths(lines, at, { growing }) {
  const first = lines[at].trim();
  const closing = MATHS[first.slice(0, 2)];
  if (!closing) return null;
  let text = first.slice(2).trimEnd();
  let end = at;
  while (!text.endsWith(closing)) {
    if (text.includes(closing)) return null;
    end += 1;
    if (end >= lines.length) break;
    text = lines[end].trimEnd();
  }
  const body = lines.slice(at, end + 1).join("\n").trim().slice(2);
  if (end < lines.length) {
    const latex = body.slice(0, -2).trim();
    return latex ? { end: end + 1, make: () => showFormula(latex, true) } : null;
  }
  if (!growing || /\n\s*\n/.test(body)) return null;
  // It is still being written.
  const beginning = readableBeginning(body);
  return { end, make: () => (beginning ? showFormula(beginning, true) : make("span", "maths block")) };
}

function readHeading(lines, at) {
  const found = HEADING.exec(lines[at]);
  if (!found) return null;
  return { end: at + 1, level: found[1].length, make: ({ level, isOpen }) => showHeading(level, found[2] ?? "", isOpen) };
}

/** A heading; within lists and quotes it is a line in bold, which parts nothing else. */
function showHeading(level, title, isOpen = false) {
  const content = inline(title, isOpen);
  return level ? make(`h${level}`, "", ...content) : make("p", "", make("strong", "", ...content));
}

function readRule(lines, at) {
  return RULE.test(lines[at]) ? { end: at + 1, make: () => make("hr") } : null;
}

function readQuote(lines, at, place) {
  if (!QUOTE.test(lines[at])) return null;
  let end = at + 1;
  while (end < lines.length && (QUOTE.test(lines[end]) || (lines[end].trim() && !begins(lines, end, place)))) end += 1;
  const content = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return { end, make: (place) => make("blockquote", "", ...showAll(content, place)) };
}

function readTable(lines, at, place) {
  const header = lines[at];
  const delimiter = lines[at + 1] ?? "";
  if (!header.includes("|") || !DELIMITER.test(delimiter) || /^ {4}/.test(header)) return null;
  const sides = cells(delimiter).map((cell) => (cell.endsWith(":") ? (cell.startsWith(":") ? "center" : "right") : ""));
  const names = cells(header, sides.length, true);
  if (names.length !== sides.length || !delimiter.includes("|") && names.length > 1) return null;
  let end = at + 2;
  while (end < lines.length && lines[end].trim() && !begins(lines, end, place, true)) end += 1;
  const rows = lines.slice(at + 2, end).map((line) => {
    const row = cells(line, sides.length);
    return names.map((_, x) => row[x] ?? "");
  });
  return { end, make: ({ isOpen }) => showTable(names, sides, rows, isOpen) };
}

function showTable(names, sides, rows, isOpen) {
  const isNumeric = (x) => x > 0 && rows.length > 0 && rows.every((row) => NUMBER.test(row[x]));
  const classes = sides.map((side, x) => side || (isNumeric(x) ? "right" : ""));
  const show = (tag, row, isLast) =>
    make("tr", "", ...row.map((cell, x) => {
      const className = classes[x] || (cell.length > LONG ? "long" : "");
      return make(tag, className, ...inline(cell, isOpen && isLast));
    }));
  const head = make("thead", "", show("th", names, false));
  for (const cell of head.querySelectorAll("th")) cell.scope = "col";
  const body = make("tbody", "", ...rows.map((row, y) => show("td", row, y === rows.length - 1)));
  return make("div", "scroll", make("table", "", head, body));
}

/**
 * The cells of a row. Where there are more than `columns`, bars in code and in formulas end none;
 * what is left over belongs to the last one, but in a header.
 */
function cells(line, columns = Infinity, isHeader = false) {
  const row = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  let found = row.split(BAR);
  if (found.length > columns) {
    const hidden = row.replace(BARRED, (text) => text.replaceAll(BAR, "\0"));
    found = hidden.split(BAR).map((cell) => cell.replaceAll("\0", "|"));
    if (!isHeader) found.push(found.splice(columns - 1).join("|"));
  }
  return found.map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function readList(lines, at, place) {
  const first = ITEM.exec(lines[at]);
  if (!first) return null;
  const isNumbered = /\d/.test(first[2]);
  const mark = first[2].at(-1);
  const items = [];
  let end = at;
  let isLoose = false;
  while (end < lines.length) {
    const found = ITEM.exec(lines[end]);
    if (!found || found[2].at(-1) !== mark || /\d/.test(found[2]) !== isNumbered || RULE.test(lines[end])) break;
    const gap = found[3] && found[3].length < 5 ? found[3].length : 1;
    const indent = found[1].length + found[2].length + gap;
    const content = [lines[end].slice(indent)];
    const after = readItem(lines, end + 1, indent, content, place);
    const isParted = !content.at(-1).trim() && content.length > 1;
    while (content.length > 1 && !content.at(-1).trim()) content.pop();
    items.push(content);
    end = after;
    isLoose ||= (isParted && ITEM.test(lines[end] ?? "")) || content.some((line, i) => !line.trim() && i > 0);
  }
  const made = (there) => {
    const list = make(isNumbered ? "ol" : "ul", "", ...items.map((item, i) =>
      showItem(item, { ...there, isOpen: there.isOpen && i === items.length - 1 }, isLoose)));
    if (isNumbered && parseInt(first[2], 10) !== 1) list.start = parseInt(first[2], 10);
    return list;
  };
  return { end, make: made };
}

/** Put the lines that belong to the item into `content`; the number of the first that does not. */
function readItem(lines, start, indent, content, place) {
  let at = start;
  while (at < lines.length) {
    const line = lines[at];
    const isBlank = !line.trim();
    const isInside = line.search(/\S/) >= indent;
    const isOther = ITEM.test(line) || !content.at(-1).trim() || begins(lines, at, place);
    if (!isBlank && !isInside && isOther) break;
    content.push(isBlank ? "" : line.slice(Math.min(indent, line.search(/\S/))));
    at += 1;
  }
  return at;
}

function showItem(lines, place, isLoose) {
  const [, task, rest] = /^\[([ xX])\] (.*)$/.exec(lines[0]) ?? [];
  const content = task ? [rest, ...lines.slice(1)] : lines;
  const shown = showAll(content, place);
  if (task) shown[0]?.prepend(task === " " ? "☐ " : "☑ ");
  const loosened = isLoose ? shown : shown.flatMap((child) => (child.localName === "p" ? [...child.childNodes] : [child]));
  return make("li", task ? "task" : "", ...loosened);
}

function readParagraph(lines, at, place) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim()) {
    const underline = UNDERLINE.exec(lines[end]);
    if (underline && place.depth <= DEEPEST) {
      const title = lines.slice(at, end).map((line) => line.trim()).join("\n");
      return { end: end + 1, level: underline[1][0] === "=" ? 1 : 2, make: ({ level }) => showHeading(level, title) };
    }
    if (begins(lines, end, place)) break;
    end += 1;
  }
  const text = lines.slice(at, end).map((line) => line.replace(/^\s+/, "")).join("\n").trimEnd();
  return { end, make: ({ isOpen }) => make("p", "", ...inline(text, isOpen)) };
}

/** Whether something else than more of a paragraph begins in this line. */
function begins(lines, at, place, isTable = false) {
  const item = ITEM.exec(lines[at]);
  if (item && (isTable || (item[4] && !/^(?:\d{2,}|[02-9])/.test(item[2])))) return true;
  const readers = [readFence, readMaths, readHeading, readRule, readQuote, ...(isTable ? [] : [readTable])];
  return readers.some((read) => read(lines, at, place));
}

const READERS = [readFence, readMaths, readCode, readHeading, readRule, readQuote, readTable, readList, readParagraph];
