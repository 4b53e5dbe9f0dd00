// Text as each channel shows it: Telegram's entities, WhatsApp's markers, bare links by SMS.
// What comes in is text, never markup: only nodes are made.

const TAGS = {
  bold: "strong", italic: "em", underline: "u", strikethrough: "s", code: "code", pre: "pre",
  blockquote: "blockquote", expandable_blockquote: "blockquote", spoiler: "span",
};
const LINK = /https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]]/g;
const MARKS = /(\*|_|~|```|`)(?=\S)([\s\S]*?\S)\1(?![\p{L}\p{N}])/u;
const MARK_TAGS = { "*": "strong", _: "em", "~": "s", "```": "pre", "`": "code" };

export function make(tag, className = "", ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

const BLOCKS = new Set(["PRE", "BLOCKQUOTE"]);

/** The nodes, without the line end after each block: on a phone it ends the block's last line. */
function tidy(nodes) {
  return nodes.map((node, index) => {
    const follows = BLOCKS.has(nodes[index - 1]?.tagName) && typeof node === "string";
    return follows ? node.replace(/^\n/, "") : node;
  });
}

/** `text` with Telegram's entities: offsets count UTF-16 units, as JavaScript does. */
export function fromEntities(text, entities) {
  const sorted = [...entities].sort((a, b) => a.offset - b.offset || b.length - a.length);
  return tidy(within(text, 0, text.length, sorted));
}

function within(text, start, end, entities) {
  const nodes = [];
  let at = start;
  while (entities.length && entities[0].offset < end) {
    const entity = entities.shift();
    if (entity.offset < at) continue;
    nodes.push(...linked(text.slice(at, entity.offset)));
    at = Math.min(entity.offset + entity.length, end);
    nodes.push(wrap(entity, within(text, entity.offset, at, entities)));
  }
  nodes.push(...linked(text.slice(at, end)));
  return nodes;
}

function wrap(entity, children) {
  if (entity.type === "text_link") return anchor(entity.url, children);
  return make(TAGS[entity.type] ?? "span", "", ...children);
}

const RICH_TAGS = new Set(`h1 h2 h3 h4 h5 h6 p pre hr ul ol li blockquote table tr th td details summary
  b i u s code br`.split(/\s+/));

/** The nodes of one of Telegram's rich messages: texts, or `[tag, attributes, nodes]`. */
export function fromRich(nodes) {
  return nodes.map((node) => (typeof node === "string" ? node : richElement(...node)));
}

function richElement(tag, attributes, nodes) {
  if (tag.startsWith("tg-math")) return formula(nodes.join(""), tag === "tg-math-block");
  if (tag === "a") return anchor(attributes.href ?? "", fromRich(nodes));
  if (tag === "input") return `${"checked" in attributes ? "☑" : "☐"} `;
  const element = make(RICH_TAGS.has(tag) ? tag : "span", "", ...fromRich(nodes));
  if (attributes.align) element.style.textAlign = attributes.align;
  if (attributes.start) element.start = Number(attributes.start);
  return element;
}

/** Its source until what sets it is loaded, with the first formula; then it says `drawn`. */
function formula(source, onItsOwn) {
  const place = make("span", "", source);
  import("/demo/phones/formula.js").then(({ showFormula }) => {
    place.replaceChildren(showFormula(source, onItsOwn));
    place.dispatchEvent(new Event("drawn", { bubbles: true }));
  });
  return place;
}

/** `text` with WhatsApp's markers. */
export function fromMarkers(text) {
  return tidy(marked(text));
}

function marked(text) {
  const found = MARKS.exec(text);
  if (!found || /[\p{L}\p{N}]/u.test(text[found.index - 1] ?? "")) {
    if (!found) return linked(text);
    const end = found.index + found[1].length;
    return [...linked(text.slice(0, end)), ...marked(text.slice(end))];
  }
  const [whole, mark, inner] = found;
  const plain = mark.startsWith("`");
  const children = plain ? [inner] : marked(inner);
  return [
    ...linked(text.slice(0, found.index)),
    make(MARK_TAGS[mark], "", ...children),
    ...marked(text.slice(found.index + whole.length)),
  ];
}

/** `text` with its links. */
export function linked(text) {
  const nodes = [];
  let at = 0;
  for (const found of text.matchAll(LINK)) {
    nodes.push(text.slice(at, found.index), anchor(found[0], [found[0]]));
    at = found.index + found[0].length;
  }
  nodes.push(text.slice(at));
  return nodes.filter((node) => node !== "");
}

function anchor(url, children) {
  if (!/^https?:\/\//.test(url)) return make("span", "", ...children);
  const link = make("a", "", ...children);
  Object.assign(link, { href: url, target: "_blank", rel: "noreferrer" });
  return link;
}
