// What stands within a line of Markdown: emphasis, code, links, formulas.

import { showFormula } from "./formula.js";

const TEXT = /^[^\\`$*_~[\]!<&\nh]+/;
const CODE = /^(`+)(?!`)([^]*?[^`])\1(?!`)/;
const MATHS = [
  /^\$\$([^$]{1,4000})\$\$/,
  /^\$((?!\s)(?:[^$\\\n]|\\.){1,1000}(?<![\s\\]))\$(?![\w$])/,
  /^\\\(((?:[^\\]|\\[^()[\]]){1,1000})\\\)/,
  /^\\\[((?:[^\\]|\\[^()[\]]){1,4000})\\\]/,
];
const LABEL = /^(!?)\[((?:[^[\]\\]|\\.|\[(?:[^[\]\\]|\\.)*\])*)\]/;
const ADDRESS = /\(\s*<?((?:[^\s()<>\\]|\\.|\((?:[^\s()\\]|\\.)*\))*)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/;
const LINK = new RegExp(LABEL.source + ADDRESS.source);
const DEEPEST = 8; // marks that are open at once
const LONGEST_OPEN = 400; // characters of a formula that may be hidden until it is whole
const URL_ = /^https?:\/\/[^\s<>`"]+/;
const BRACKETED = /^<(https?:\/\/[^\s<>]*|mailto:[^\s<>]+|[\w.+-]+@[\w-]+\.[\w.-]+)>/;
const ENTITY = /^&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]\w{1,30});/;
const NAME = /^__[^\W_]\w*?__(?!\w)/;
const FORMULA = /[\\^_=<>{}]/;
const SIGN = /(\p{L}{2,})?\s*[-+×÷·*/:;,|]\s*(?!\p{L}{2})/gu;
const PROSE = /[^\W\d_]{2,}\s|\s[^\W\d_]{2,}|\s\d|\d\s/u;
const TALK = /^\d[\d.,]*(?:\s|$)(?!\s*[\\+=<>*/^_-])|(?:^|\s)[\p{L}’']{2,}\s+[\p{L}’']{2,}\s/u;
const CLINGING = /^(?:[,;.:!?)\]»”’…%]|[\u00a0\u202f][;:!?»%])+/;
const OPENING = /[([«“‘]\u202f?\u00a0?$/;
const PICTURE = /\.(?:png|jpe?g|webp|gif|svg)(?:$|\?)/i;
const TAGS = { "*": ["em", "strong"], _: ["em", "strong"], "~": ["", "s"] };

/** Nodes; `isOpen`: more is to come, so that marks may be still open. */
export function inline(text, isOpen = false, isLink = false) {
  const pieces = []; // strings, nodes, and runs of marks: `{char, count, opens, closes}`
  for (let at = 0; at < text.length; ) at += read(text, at, pieces, isOpen, isLink);
  return glue(emphasise(pieces, isOpen));
}

/** Read what stands at `at` into `pieces`; how many characters that were. */
function read(text, at, pieces, isOpen, isLink) {
  const rest = text.slice(at);
  const plain = TEXT.exec(rest);
  if (plain) return put(pieces, plain[0], plain[0].length);
  const before = text.slice(Math.max(0, at - 2), at);
  const char = rest[0];
  const length = READERS[char]?.(rest, before, pieces, isOpen, isLink) ?? (TAGS[char] && readMarks(rest, before, pieces));
  return length || put(pieces, char, 1);
}

function put(pieces, piece, length) {
  if (typeof piece === "string" && typeof pieces.at(-1) === "string") pieces[pieces.length - 1] += piece;
  else pieces.push(piece);
  return length;
}

function readMaths(rest, before, pieces, isOpen) {
  for (const pattern of MATHS) {
    const found = pattern.exec(rest);
    if (found && isMaths(found, before)) {
      const displayed = /^(?:\$\$|\\\[)/.test(found[0]);
      return put(pieces, showFormula(found[1].trim(), displayed), found[0].length);
    }
  }
  // A formula that is still being written is not shown, unless this is money after all.
  const body = /^(?:\$\$?|\\[([])([^]*)$/.exec(rest)?.[1] ?? "";
  if (!isOpen || body.length > LONGEST_OPEN) return 0;
  if (/^\$[^$]/.test(rest) && (/[\p{L}\d$]$/u.test(before) || /^\s|[\n$]/.test(body))) return 0;
  return !TALK.test(body.replace(/\\text\w*\{[^}]*\}?/g, "")) ? rest.length : 0;
}

/** Not money, not a shell variable: `$…$` without an operator holds a number or one term. */
function isMaths([whole, body], before) {
  if (!body.trim()) return false;
  if (/^(?:\$\$|\\)/.test(whole)) return true;
  if (/[\p{L}\d$]$/u.test(before)) return false;
  if (FORMULA.test(body)) return !body.includes("`");
  return !PROSE.test(body.replace(SIGN, (found, word) => (word ? found : "+")));
}

function readEscape(rest, before, pieces, isOpen, isLink) {
  const length = /^\\[([]/.test(rest) ? readMaths(rest, before, pieces, isOpen, isLink) : 0;
  if (length) return length;
  if (rest[1] === "\n") return put(pieces, document.createElement("br"), 2);
  if (rest.length === 1 && isOpen) return 1;
  return /^\\[!-/:-@[-`{-~]/.test(rest) ? put(pieces, rest[1], 2) : 0;
}

function readCode(rest, _before, pieces, isOpen) {
  const found = CODE.exec(rest);
  const open = !found && isOpen ? /^(`+)([^`]*)/.exec(rest) : null;
  if (!found && !open) return put(pieces, /^`+/.exec(rest)[0], /^`+/.exec(rest)[0].length);
  const content = (found ?? open)[2].replaceAll("\n", " ");
  const code = element("code", / \S[^]* $/.test(content) && content[0] === " " ? content.slice(1, -1) : content);
  return content ? put(pieces, code, (found ?? open)[0].length) : open[0].length;
}

function readLink(rest, before, pieces, isOpen, isLink) {
  const found = LINK.exec(rest);
  if (found) {
    const address = found[3].replace(/\\([!-/:-@[-`{-~])/g, "$1");
    if (found[1]) return put(pieces, picture(found[2], address), found[0].length);
    return put(pieces, isLink ? found[2] : link(address, inline(found[2], false, true)), found[0].length);
  }
  const open = isOpen && /^(!?)\[([^[\]]*)(?:\](?:\([^)\s]*)?)?$/.exec(rest);
  if (!open || (open[1] === "" && rest[0] === "!")) return 0;
  if (!open[1]) for (const node of inline(open[2], true, true)) put(pieces, node, 0);
  return rest.length;
}

function readTag(rest, before, pieces) {
  const broken = /^<br ?\/?>/i.exec(rest);
  if (broken) return put(pieces, document.createElement("br"), broken[0].length);
  const script = /^<(sub|sup)>([^<>\n]{1,30})<\/\1>/.exec(rest);
  if (script) return put(pieces, element(script[1], script[2]), script[0].length);
  const styled = /^<(b|strong|i|em|u)>([^<\n]{1,500})<\/\1>/i.exec(rest);
  if (styled) {
    const tag = /^(?:b|strong)$/i.test(styled[1]) ? "strong" : "em";
    return put(pieces, element(tag, ...inline(styled[2])), styled[0].length);
  }
  const found = BRACKETED.exec(rest);
  if (!found) return 0;
  const address = /^(?:https?|mailto):/.test(found[1]) ? found[1] : `mailto:${found[1]}`;
  return put(pieces, link(address, [found[1]]), found[0].length);
}

function readEntity(rest, before, pieces) {
  const found = ENTITY.exec(rest);
  if (!found) return 0;
  const decoder = document.createElement("textarea"); // its content is text, whatever stands in it
  decoder.innerHTML = found[0];
  return put(pieces, decoder.value, found[0].length);
}

function readUrl(rest, before, pieces, isOpen, isLink) {
  const found = isLink ? null : URL_.exec(rest);
  if (!found) return 0;
  const address = trim(found[0]);
  return put(pieces, link(address, [address]), address.length);
}

/** Without the punctuation of the sentence, and brackets that close what is outside. */
function trim(found) {
  const count = (text, char) => text.split(char).length - 1;
  let url = found.split(/\*\*|~~|\|/)[0];
  for (;;) {
    const last = url.at(-1);
    const pair = { ")": "()", "]": "[]" }[last];
    const isOutside = pair && count(url, pair[0]) < count(url, pair[1]);
    if (!".,;:!?'*_~»”’…".includes(last) && !isOutside) return url;
    url = url.slice(0, -1);
  }
}

function readBreak(rest, before, pieces) {
  // Lines stay lines, as in the other chats.
  if (typeof pieces.at(-1) === "string") pieces[pieces.length - 1] = pieces.at(-1).trimEnd();
  return put(pieces, document.createElement("br"), /^\n[ \t]*/.exec(rest)[0].length);
}

// Emphasis (CommonMark, 6.2) -----------------------------------------------------------------------

function readMarks(rest, before, pieces) {
  const char = rest[0];
  const name = char === "_" && !/[\p{L}\d_]$/u.test(before) ? NAME.exec(rest) : null;
  if (name) return put(pieces, name[0], name[0].length);
  const count = new RegExp(`^\\${char}+`).exec(rest)[0].length;
  const left = before.slice(-1) || " ";
  const right = rest[count] ?? " ";
  const isProduct = char === "*" && count === 1 && /[\p{L}\d]/u.test(left) && /[\p{L}\d]/u.test(right);
  if (isProduct) return put(pieces, char, 1);
  const isSpace = (sign) => /\s/u.test(sign);
  const isPoint = (sign) => /[\p{P}\p{S}]/u.test(sign);
  const faces = (inner, outer) => !isSpace(inner) && (!isPoint(inner) || isSpace(outer) || isPoint(outer));
  const [isLeft, isRight] = [faces(right, left), faces(left, right)];
  const isWord = char === "_";
  const opens = isLeft && (!isWord || !isRight || isPoint(left));
  const closes = isRight && (!isWord || !isLeft || isPoint(right));
  pieces.push({ char, count, opens, closes, both: isLeft && isRight });
  return count;
}

function emphasise(pieces, isOpen) {
  if (isOpen) closeOpen(pieces);
  for (let closer = 0; closer < pieces.length; closer += 1) {
    const end = pieces[closer];
    if (!end?.closes) continue;
    const opener = findOpener(pieces, closer);
    if (opener < 0) continue;
    const start = pieces[opener];
    const width = start.char === "~" ? 2 : Math.min(2, start.count, end.count);
    const content = pieces.splice(opener + 1, closer - opener - 1).map(asText);
    const tag = TAGS[start.char][width - 1];
    pieces.splice(opener + 1, 0, element(tag, ...glue(content)));
    start.count -= width;
    end.count -= width;
    if (!end.count) pieces.splice(opener + 2, 1);
    if (!start.count) pieces.splice(opener, 1);
    closer = opener + (start.count ? 1 : 0); // what is left of the closer is looked at again
  }
  return pieces.map(asText);
}

function findOpener(pieces, closer) {
  const end = pieces[closer];
  for (let at = closer - 1; at >= 0; at -= 1) {
    const start = pieces[at];
    if (!start.opens || start.char !== end.char) continue;
    const isOdd = (start.both || end.both) && (start.count + end.count) % 3 === 0 && (start.count % 3 || end.count % 3);
    if (end.char === "~" ? start.count >= 2 && end.count >= 2 : !isOdd) return at;
  }
  return -1;
}

/** Close what is still open, as it will be by what is to come. */
function closeOpen(pieces) {
  if (pieces.at(-1)?.char) pieces.pop(); // it may be half of a mark; what it closes is closed below
  const open = [];
  for (const piece of pieces) {
    if (!piece.char) continue;
    const at = piece.closes ? open.findLastIndex((each) => each.char === piece.char) : -1;
    if (at >= 0) open.splice(at);
    else if (piece.opens) open.push(piece);
  }
  for (const { char, count } of open.slice(-DEEPEST).reverse()) pieces.push({ char, count, opens: false, closes: true, both: false });
}

const asText = (piece) => (piece.char ? piece.char.repeat(piece.count) : piece);

// Nodes --------------------------------------------------------------------------------------------

/** Keep the signs beside a formula in its line: no comma stands alone in the next. */
function glue(pieces) {
  const nodes = [];
  for (const piece of pieces) {
    const before = nodes.at(-1);
    if (typeof piece === "string" && isFormula(before)) {
      const signs = CLINGING.exec(piece)?.[0] ?? "";
      if (signs) nodes[nodes.length - 1] = element("span", before, signs);
      if (signs) nodes.at(-1).className = "glued";
      nodes.push(piece.slice(signs.length));
    } else if (isFormula(piece) && typeof before === "string" && OPENING.test(before)) {
      const [sign] = OPENING.exec(before);
      nodes[nodes.length - 1] = before.slice(0, -sign.length);
      nodes.push(element("span", sign, piece));
      nodes.at(-1).className = "glued";
    } else nodes.push(piece);
  }
  return nodes.filter((node) => node !== "");
}

function isFormula(node) {
  return node?.className === "maths" || (node?.className === "glued" && node.lastChild.className === "maths");
}

function element(tag, ...children) {
  const made = document.createElement(tag);
  made.append(...children);
  return made;
}

function link(address, label) {
  if (!/^(?:https?:\/\/|mailto:|\/(?!\/))/i.test(address)) return element("span", ...label);
  const made = element("a", ...(label.length ? label : [address]));
  made.href = address;
  made.target = "_blank";
  made.rel = "noopener noreferrer";
  return made;
}

/** A picture of ours is shown; others are a link, because loading them would tell strangers who reads. */
function picture(label, address) {
  const url = URL.parse?.(address, location.href) ?? null;
  if (url?.origin !== location.origin || !PICTURE.test(url.pathname)) return link(address, [label || address]);
  const image = document.createElement("img");
  image.className = "picture";
  image.src = url.href;
  image.alt = label;
  image.loading = "lazy";
  return image;
}

const READERS = {
  $: readMaths,
  "\\": readEscape,
  "`": readCode,
  "[": readLink,
  "!": readLink,
  "<": readTag,
  "&": readEntity,
  h: readUrl,
  "\n": readBreak,
};
