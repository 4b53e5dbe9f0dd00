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

/** The nodes of Telegram's RichBlocks or RichText (https://core.telegram.org/bots/api#richblock). */
export function fromRich(rich) {
  if (Array.isArray(rich)) return rich.flatMap(fromRich);
  return [typeof rich === "string" ? rich : richElement(rich)];
}

const RICH_BLOCKS = {
  paragraph: ({ text }) => make("p", "", ...fromRich(text)),
  heading: ({ text, size }) => make(`h${size}`, "", ...fromRich(text)),
  pre: ({ text }) => make("pre", "", ...fromRich(text)),
  divider: () => make("hr"),
  blockquote: ({ blocks }) => make("blockquote", "", ...fromRich(blocks)),
  details: ({ summary, blocks }) =>
    make("details", "", make("summary", "", ...fromRich(summary)), ...fromRich(blocks)),
  list: richList,
  table: ({ cells }) => make("table", "", ...cells.map((row) => make("tr", "", ...row.map(richCell)))),
  mathematical_expression: ({ expression, block }) => formula(expression, Boolean(block)),
  url: ({ text, url }) => anchor(url, fromRich(text)),
};

function richElement(rich) {
  const draw = RICH_BLOCKS[rich.type];
  return draw ? draw(rich) : make(TAGS[rich.type] ?? "span", "", ...fromRich(rich.text));
}

function richList({ items }) {
  const first = Number.parseInt(items[0]?.label, 10);
  const list = make(first ? "ol" : "ul", "", ...items.map(richItem));
  if (first) list.start = first;
  return list;
}

/** An item of a list; its only paragraph is shown as plain text. */
function richItem({ blocks, has_checkbox: hasBox, is_checked: isChecked }) {
  const box = hasBox ? [`${isChecked ? "☑" : "☐"} `] : [];
  const isTight = blocks.filter(({ type }) => type === "paragraph").length === 1;
  const parts = blocks.map((block) => (isTight && block.type === "paragraph" ? block.text : block));
  return make("li", "", ...box, ...fromRich(parts));
}

function richCell({ text, is_header: isHeader, align }) {
  const cell = make(isHeader ? "th" : "td", "", ...fromRich(text));
  cell.style.textAlign = align;
  return cell;
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
