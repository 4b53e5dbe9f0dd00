// Markdown to elements. Text only ever becomes text nodes, so whatever a model writes stays text.

const INLINE =
  /(`+)(.+?)\1|\$([^$\n]+)\$|\*\*(.+?)\*\*|(?<![\p{L}\p{N}*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\p{L}\p{N}*])|\[([^\]]+)\]\((https?:\/\/(?:[^\s()]|\([^\s()]*\))+)\)/u;
const SYMBOLS = {
  times: "×", cdot: "·", div: "÷", to: "→", leq: "≤", geq: "≥", neq: "≠", approx: "≈", pm: "±",
  pi: "π", alpha: "α", beta: "β", theta: "θ", Delta: "Δ", infty: "∞", sqrt: "√",
};

/** Shows Markdown that grows in `element`; a block that has not changed is left as it is. */
export class Prose {
  #element;
  #shown = [];

  constructor(element) {
    this.#element = element;
  }

  /** `growing`: more is to come, so its last marks may be open. */
  show(markdown, growing = false) {
    const blocks = split(growing ? settle(markdown) : markdown);
    blocks.forEach((block, at) => {
      if (block === this.#shown[at]) return;
      const made = render(block);
      if (at < this.#shown.length) this.#element.children[at].replaceWith(made);
      else this.#element.append(made);
    });
    while (this.#element.children.length > blocks.length) this.#element.lastElementChild.remove();
    this.#shown = blocks;
  }
}

/** The text with its open marks closed; a formula waits until it is whole. */
function settle(text) {
  const fences = text.match(/^```/gm)?.length ?? 0;
  if (fences % 2) return text;
  const bare = text.replace(/[*`]+$/, "").trimEnd();
  const line = bare.slice(bare.lastIndexOf("\n") + 1).replace(/^\s*\* /, "");
  const isOpen = (mark, where) => where.split(mark).length % 2 === 0;
  if (isOpen("$", line)) return bare.slice(0, bare.lastIndexOf("$"));
  const closing = [
    isOpen("`", line) ? "`" : "",
    isOpen("*", line.replaceAll("**", "")) ? "*" : "",
    isOpen("**", line) ? "**" : "",
  ];
  return bare + closing.join("");
}

/** Any element: `make("p", "note", "text or", element, …)`. */
export function make(tag, className = "", ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

// Blocks: fences, headings, lists, quotes, paragraphs ---------------------------------------------

function split(markdown) {
  const blocks = [];
  let open = "";
  let kind = "";
  const close = () => {
    if (open) blocks.push(open);
    open = kind = "";
  };
  for (const line of markdown.split("\n")) {
    if (kind === "fence") {
      open += `\n${line}`;
      if (line.startsWith("```")) close();
      continue;
    }
    const found = kindOf(line, kind);
    if (found !== kind || found === "heading") close();
    kind = found;
    if (found) open += open ? `\n${line}` : line;
  }
  close();
  return blocks;
}

function kindOf(line, before) {
  if (line.startsWith("```")) return "fence";
  if (/^#{1,6} /.test(line)) return "heading";
  if (/^\s*[-*] /.test(line)) return "bullets";
  if (/^\s*\d+[.)] /.test(line)) return "numbers";
  if (/^>/.test(line)) return "quote";
  if (!line.trim()) return "";
  return /^\s+/.test(line) && (before === "bullets" || before === "numbers") ? before : "text";
}

function render(block) {
  const lines = block.split("\n");
  switch (kindOf(lines[0], "")) {
    case "fence":
      return make("pre", "", make("code", "", block.replace(/^```.*\n?/, "").replace(/\n?```$/, "")));
    case "heading": {
      const [, marks, title] = /^(#+) +(.*)$/.exec(lines[0]) ?? ["", "##", lines[0]];
      return make(`h${Math.min(5, marks.length + 1)}`, "", ...inline(title));
    }
    case "bullets":
      return make("ul", "", ...items(lines));
    case "numbers": {
      const list = make("ol", "", ...items(lines));
      list.start = parseInt(lines[0], 10);
      return list;
    }
    case "quote":
      return make("blockquote", "", ...inline(block.replace(/^> ?/gm, "")));
    default:
      return make("p", "", ...inline(block));
  }
}

function items(lines) {
  const texts = [];
  for (const line of lines) {
    if (/^\s*([-*]|\d+[.)]) /.test(line)) texts.push(line.replace(/^\s*([-*]|\d+[.)]) /, ""));
    else texts[texts.length - 1] += ` ${line.trim()}`;
  }
  return texts.map((text) => make("li", "", ...inline(text)));
}

// Inside a block ---------------------------------------------------------------------------------

function inline(text) {
  const nodes = [];
  let rest = text;
  for (let match = INLINE.exec(rest); match; match = INLINE.exec(rest)) {
    nodes.push(rest.slice(0, match.index), styled(match));
    rest = rest.slice(match.index + match[0].length);
  }
  return [...nodes, rest].filter(Boolean);
}

function styled([, , code, math, bold, italic, label, url]) {
  if (code) return make("code", "", code);
  if (math) return make("span", "math", ...formula(math));
  if (bold) return make("strong", "", ...inline(bold));
  if (italic) return make("em", "", ...inline(italic));
  const link = make("a", "", ...inline(label));
  link.href = url;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  return link;
}

/** School mathematics: fractions, powers, indices, roots and some symbols. */
function formula(text) {
  const nodes = [];
  const PIECE = /\\frac\{([^{}]*)\}\{([^{}]*)\}|([\^_])(?:\{([^{}]*)\}|(\S))|\\([A-Za-z]+)/;
  let rest = text;
  for (let match = PIECE.exec(rest); match; match = PIECE.exec(rest)) {
    const [whole, over, under, mark, group, single, symbol] = match;
    nodes.push(rest.slice(0, match.index).replace(/[{}]/g, ""));
    if (mark) nodes.push(make(mark === "^" ? "sup" : "sub", "", ...formula(group ?? single)));
    else if (symbol) nodes.push(SYMBOLS[symbol] ?? symbol);
    else nodes.push(fraction(over, under));
    rest = rest.slice(match.index + whole.length);
  }
  return [...nodes, rest.replace(/[{}]/g, "")].filter(Boolean);
}

function fraction(over, under) {
  const bar = make("span", "hidden", "/");
  return make("span", "fraction", make("span", "", ...formula(over)), bar, make("span", "", ...formula(under)));
}
