"""Read the blocks of a Markdown text as a tree, with figures and callouts; shared by all documents.

The grammar is that of `bot.markdown`, with these additions for documents:

- `2*3*4` is arithmetic and `__init__` a name: neither is emphasis.
- `H~2~O` has a subscript, `m^2^` and `^14^C` a superscript.
- `<br>` is a line break (models write it into cells of tables); `<b>`, `<i>`, `<u>` and
  `\\textbf{…}` are read.
- `==text==` is bold; tags that only lay out (`<div align="center">`) and comments are left out.
- `\\newpage` or an empty `<div>` with a page break, on a line of its own, begins a new page.
- A picture may be a file of the person's library, `![Carte](file:ID)`, and a name with spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.common.normalize_url import normalizeLink, validateLink
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from bot.documents.characters import LOWERED, SCRIPT, clean_markdown
from bot.documents.document_request import ALERTS
from bot.i18n import fold
from bot.markdown import CHECKBOXES, NAME, make_parser
from bot.typography import PHONE, polish_tokens

_TERMINATORS = re.compile(r"[\n!$&*<\[\]\\^_`~]|==|\bhttps?://")
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)
_TAGGED = re.compile(r"<(b|strong|i|em|u)>([^<\n]{1,500})</\1>", re.IGNORECASE)
_HIGHLIGHTED = re.compile(r"==(?=[^\s=])(?P<text>[^=\n]{1,500})(?<=\S)==(?![\w=])")
_LAID_OUT = re.compile(
    r"<(?P<tag>div|span|p|font|center|small|big|mark)(?P<how>\s[^<>\n]{1,200})?>"
    r"(?P<text>(?:(?!</?(?P=tag)[\s>])[^\n]){1,500})</(?P=tag)>",
    re.IGNORECASE,
)
"""Text in a tag that only says what it looks like."""
_LOOKS: Final = ("center", "small", "big", "mark")
"""Tags that say so without attributes."""
_LAYOUT_LINE = re.compile(
    r"</?(?:div|span|p|font|center|section)(?:\s[^<>\n]{1,200})?>|<!--(?:(?!-->).)*-->",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"<!--(?:(?!-->)[^\n])*-->")
_STYLED = re.compile(r"\\(textbf|textit|emph|underline)\{((?:[^{}\n]|\{[^{}\n]*\}){1,500})\}")
_PAGE_BREAK = re.compile(
    r"\\(?:newpage|pagebreak|clearpage)|<div[^<>]{0,80}page-break[^<>]{0,80}>\s*</div>"
    r"|<!-- ?page-?break ?-->",
    re.IGNORECASE,
)
_SPACED_IMAGE = re.compile(
    r"!\[(?P<alt>[^\[\]\n]{0,500})\]\("
    r"(?P<name>[^()<>\n\"]{0,200}\s[^()<>\n\"]{0,200}\.(?:png|jpe?g|webp|gif))\)",
    re.IGNORECASE,
)
_CHOICE: Final = re.compile(r"\(?(?P<letter>[A-Ha-h])[).]\s")
"""The label of a choice at the beginning of a line."""
_OWN_FILE = re.compile(r"file:[^/\\]")


@cache
def parser() -> MarkdownIt:
    """Return the one parser of the process, which holds no state between calls."""
    md = make_parser(normalizeLink)
    md.validateLink = lambda address: validateLink(address) or bool(_OWN_FILE.match(address))  # type: ignore[method-assign]
    md.block.ruler.before("hr", "page_break", _read_page_break, {"alt": ["paragraph"]})
    md.block.ruler.before("hr", "layout", _skip_layout, {"alt": ["paragraph"]})
    md.inline.ruler.before("escape", "break", _read_break)
    md.inline.ruler.before("escape", "layout", _read_layout)
    md.inline.ruler.before("escape", "tag", _read_tag)
    md.inline.ruler.before("image", "spaced_image", _read_spaced_image)
    md.inline.ruler.before("emphasis", "sign", _read_sign)
    md.inline.ruler.before("strikethrough", "script", _read_script)
    md.inline.terminator_re = _TERMINATORS
    return md


def _read_spaced_image(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "!":
        return False
    found = _SPACED_IMAGE.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        token = state.push("image", "img", 0)
        token.content = found["alt"]
        token.children = []
        token.attrs = {"src": normalizeLink(found["name"].strip()), "alt": ""}
    state.pos = found.end()
    return True


def _read_break(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "<":
        return False
    found = _BREAK.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        state.push("hardbreak", "br", 0)
    state.pos = found.end()
    return True


def _read_tag(state: StateInline, silent: bool) -> bool:
    """Read `<b>…</b>` and `\\textbf{…}` as bold, and what is underlined as emphasis."""
    pattern = _STYLED if state.src[state.pos] == "\\" else _TAGGED
    found = pattern.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        name = "strong" if found[1].lower() in ("b", "strong", "textbf") else "em"
        state.push(f"{name}_open", name, 1)
        end = state.posMax
        state.pos, state.posMax = found.span(2)
        state.md.inline.tokenize(state)
        state.posMax = end
        state.push(f"{name}_close", name, -1)
    state.pos = found.end()
    return True


def _read_layout(state: StateInline, silent: bool) -> bool:
    """Read the text in a tag of layout without the tag, `==…==` as bold, and no comment. A tag that
    a text speaks of, `<p>`, has no attributes, and stays."""
    src, start = state.src, state.pos
    if found := _COMMENT.match(src, start, state.posMax):
        state.pos = found.end()
        return True
    bold = (
        None if src[start - 1 : start].isalnum() else _HIGHLIGHTED.match(src, start, state.posMax)
    )
    found = bold or _LAID_OUT.match(src, start, state.posMax)
    if not found or not (bold or found["how"] or found["tag"].lower() in _LOOKS):
        return False
    if not silent:
        if bold:
            state.push("strong_open", "strong", 1)
        end = state.posMax
        state.pos, state.posMax = found.span("text")
        state.md.inline.tokenize(state)
        state.posMax = end
        if bold:
            state.push("strong_close", "strong", -1)
    state.pos = found.end()
    return True


def _skip_layout(state: StateBlock, line: int, _: int, silent: bool) -> bool:
    """Skip a line that holds only a tag of layout or a comment."""
    start = state.bMarks[line] + state.tShift[line]
    if not _LAYOUT_LINE.fullmatch(state.src[start : state.eMarks[line]].rstrip()):
        return False
    if not silent:
        state.line = line + 1
    return True


def _read_page_break(state: StateBlock, line: int, _: int, silent: bool) -> bool:
    """Read a page break, which may stand in nothing else."""
    start = state.bMarks[line] + state.tShift[line]
    is_break = _PAGE_BREAK.fullmatch(state.src[start : state.eMarks[line]].rstrip())
    if not is_break or state.level:
        return False
    if not silent:
        state.push("page_break", "", 0)
        state.line = line + 1
    return True


def _read_sign(state: StateInline, silent: bool) -> bool:
    """Read a star between two digits, and a name between underscores, as text."""
    marker, start = state.src[state.pos], state.pos
    before = state.src[start - 1 : start]
    text = ""
    if marker == "*" and before.isdigit() and state.src[start + 1 : start + 2].isdigit():
        text = "*"
    elif marker == "_" and not (before.isalnum() or before == "_"):
        name = NAME.match(state.src, start, state.posMax)
        text = name[0] if name else ""
    if text and not silent:
        state.pending += text
    state.pos += len(text)
    return bool(text)


def _read_script(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "~^<":
        return False
    found = SCRIPT.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        kind = found.lastgroup or ""
        name = "sub" if kind in LOWERED else "sup"
        state.push(f"{name}_open", name, 1)
        state.push("text", "", 0).content = found[kind]
        state.push(f"{name}_close", name, -1)
    state.pos = found.end()
    return True


LINE_BREAKS: Final = ("softbreak", "hardbreak")
"""Types of the tokens that end a line."""
_WITH_TEXT = frozenset(("text", "code_inline", "maths", "image"))


_LEAST_WRITING_LINE = 8
"""Underscores of a line to write on."""


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, paragraph, list, item, quote, table, row, cell, rule, piece of code or formula."""

    kind: str
    """markdown-it's type, without `_open`."""
    token: Token
    line: Sequence[Token] = ()
    """The inline tokens of a heading, a paragraph or a cell."""
    children: list[Block] = field(default_factory=list["Block"])

    @property
    def words(self) -> str:
        """Its text, without that of its children."""
        return " ".join(to_text(self.line).split())

    @property
    def level(self) -> int:
        """1 to 6 for a heading, 0 for anything else."""
        return int(self.token.tag[1]) if self.kind == "heading" else 0

    @property
    def is_writing_line(self) -> bool:
        """Whether it is a line of underscores to write on; one of three is a rule."""
        return self.kind == "hr" and self.token.markup.startswith("_" * _LEAST_WRITING_LINE)

    def with_line(self, line: Sequence[Token]) -> Block:
        return replace(self, line=line)


def read_tokens(markdown: str, language: str) -> list[Token]:
    """Parse a text into markdown-it's tokens, cleaned and typeset for `language`."""
    tokens = parser().parse(clean_markdown(markdown))
    polish_tokens(tokens, language)
    for token in tokens:
        _part_choices(token.children or ())
    return tokens


_WRAPPED: Final = 60
"""Least characters to which a text would be wrapped."""
_LABEL = re.compile(r"[*_ ]*[^\W\d_][^:\n]{0,30}:")
"""The beginning of a line such as `Nom : Koné`."""


def read_page(markdown: str, language: str) -> list[Block]:
    """Return the blocks of a document's text, with the lines that were ended on purpose, and lines
    of dots as lines to write on; headings and tables of nothing are left out."""
    tokens = read_tokens(markdown, language)
    for token in tokens:
        _keep_lines(token)
    return _draw_dots([block for block in to_blocks(tokens) if not _is_void(block)])


def _is_void(block: Block) -> bool:
    """Return whether a block is a heading without text, or a table with nothing but an empty
    header."""
    if block.kind == "table":
        (header, *rows) = read_rows(block)
        return not rows and not any(cell.words for cell in header)
    return (
        bool(block.level) and all(token.type == "text" for token in block.line) and not block.words
    )


_LEAST_DOTS: Final = 16
"""Characters of a line of dots to write on; an ellipsis counts for three."""


def _draw_dots(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with each line of dots alone as a line to write on."""
    drawn: list[Block] = []
    for block in blocks:
        lines = to_text(block.line).split() if block.kind == "paragraph" else []
        if lines and all(map(_is_dotted, lines)):
            rule = Token("hr", "hr", 0, markup="_" * _LEAST_WRITING_LINE)
            drawn += [Block("hr", rule) for _ in lines]
        else:
            drawn.append(replace(block, children=_draw_dots(block.children)))
    return drawn


def _is_dotted(line: str) -> bool:
    return not line.strip(".…") and len(line.replace("…", "...")) >= _LEAST_DOTS


def _keep_lines(token: Token) -> None:
    """Keep the lines of a paragraph that were ended on purpose, as those of an address, of a
    signature or of a list of particulars.

    A line was ended on purpose if the next word would have fit into it. The line ends of a text
    that was wrapped at a width become spaces.
    """
    lines = token.content.split("\n") if token.type == "inline" else []
    breaks = [part for part in token.children or () if part.type in LINE_BREAKS]
    if len(lines) < 2 or len(breaks) != len(lines) - 1:
        return
    width = max(_WRAPPED, *map(len, lines))
    ended = [
        len(line) + 1 + len(following.split(maxsplit=1)[0]) <= width
        for line, following in pairwise(lines)
        if following.strip()
    ]
    if 2 * sum(ended) >= len(lines) or all(ended) or all(map(_LABEL.match, lines)):
        for part in breaks:
            part.type = "hardbreak"


_SIDE_GAP = re.compile("[ \u00a0]{6,}")
"""Spaces between what stands side by side, such as the names under two signatures."""
_MOST_SIDES: Final = 3
_WIDEST_ROW: Final = 80
"""Characters of a row, within which each side has its share."""


def split_sides(line: Sequence[Token]) -> list[list[list[Token]]]:
    """Return the rows of a paragraph in which short texts stand side by side, parted by many
    spaces, and the texts of each row; nothing for another paragraph."""
    rows: list[list[list[Token]]] = [[[]]]
    depth = 0
    for token in line:
        depth += token.nesting
        if token.type == "hardbreak":
            rows.append([[]])
            continue
        parts = _SIDE_GAP.split(token.content) if token.type == "text" and not depth else [""]
        for number, part in enumerate(parts):
            if number:
                rows[-1].append([])
            if len(parts) == 1 or part:
                rows[-1][-1].append(token if len(parts) == 1 else token.copy(content=part))
    sides = max(map(len, rows))
    fits = all(len(to_text(cell)) <= _WIDEST_ROW / sides for row in rows for cell in row)
    has_gaps = 2 * sum(len(row) > 1 for row in rows) >= len(rows)
    return rows if 1 < sides <= _MOST_SIDES and fits and has_gaps else []


def _part_choices(line: Sequence[Token]) -> None:
    """Keep the lines of a paragraph from its first choice on (`a) 8 cm`), if it has several."""
    labels = {
        at: label["letter"]
        for at, token in enumerate(line)
        if (at == 0 or line[at - 1].type == "softbreak") and (label := _CHOICE.match(token.content))
    }
    first = min(labels, default=0)
    if len(labels) > 1 and labels[first] in "aA":
        for token in line[max(first - 1, 0) :]:
            if token.type == "softbreak":
                token.type = "hardbreak"


def to_blocks(tokens: Iterable[Token]) -> list[Block]:
    """Return the blocks of the top level; the others are their children."""
    root = Block("root", Token("root", "", 0))
    open_blocks = [root]
    for token in tokens:
        if token.nesting > 0:
            block = Block(token.type.removesuffix("_open"), token)
            open_blocks[-1].children.append(block)
            open_blocks.append(block)
        elif token.nesting < 0:
            open_blocks.pop()
        elif token.type == "inline":
            inner = open_blocks.pop().with_line(token.children or ())
            open_blocks[-1].children[-1] = inner
            open_blocks.append(inner)
        else:
            open_blocks[-1].children.append(Block(token.type, token))
    return root.children


def walk(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield all blocks, each before those within it."""
    for block in blocks:
        yield block
        yield from walk(block.children)


def to_text(line: Iterable[Token]) -> str:
    """Return the text of inline tokens."""
    return "".join(
        token.content if token.type in _WITH_TEXT else " " * (token.type in LINE_BREAKS)
        for token in line
    )


def drop_title(blocks: Sequence[Block], title: str) -> list[Block]:
    """Return the blocks without a first heading that repeats the title: the same words, regardless
    of case, accents and punctuation. A heading with only a part of the title stays."""
    first = blocks[0] if blocks else None
    if (
        first
        and first.level
        and (words := _fold_words(first.words))
        and words == _fold_words(title)
    ):
        return list(blocks[1:])
    return list(blocks)


def extract_title(blocks: Sequence[Block], title: str) -> tuple[str, list[Block]]:
    """Return the title, or the first heading if the title is empty, and the blocks without that
    heading."""
    if not title and blocks and blocks[0].level:
        title = blocks[0].words
    return title, drop_title(blocks, title)


def normalize_headings(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with heading levels renumbered from 1 without gaps, in the same
    hierarchy."""
    levels = sorted({block.level for block in blocks if block.level})
    for block in blocks:
        if block.level:
            block.token.tag = f"h{levels.index(block.level) + 1}"
    return list(blocks)


def _fold_words(words: str) -> list[str]:
    return re.findall(r"[^\W_]+", fold(words))


DIAGRAMS: Final = frozenset({"mermaid", "plantuml", "puml", "graphviz", "dot", "d2"})


def split_figures(blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks with every picture of a paragraph as a `figure` of its own, between the
    text before and after it. Its caption is the line in italics under it, or its title, or its
    description."""
    parted = [part for block in blocks for part in _part_block(block)]
    return _take_captions(parted)


def get_code_language(code: Block) -> str:
    """Return the language of a piece of code from its first line; "" if it names none."""
    return (code.token.info.split() or [""])[0].strip("{}.").lower()


def note_diagrams(blocks: Iterable[Block]) -> Iterator[str]:
    """Yield a note for the model about diagrams that are shown as text."""
    found = sorted({get_code_language(block) for block in walk(blocks)} & DIAGRAMS)
    if found:
        name = found[0].capitalize()
        yield (
            f"{name} is not drawn: the diagram stands as plain text. Give it as a list or a table "
            "instead, or as a picture."
        )


def read_checkbox(block: Block) -> tuple[bool, Block] | None:
    """Return whether the task of a list item is done, and its paragraph without the mark `[ ]` or
    `[x]`; None if it begins with neither."""
    first = block.line[0] if block.line else None
    done = CHECKBOXES.get(first.content[:4]) if first and first.type == "text" else None
    if first is None or done is None:
        return None
    return done, block.with_line([first.copy(content=first.content[4:]), *block.line[1:]])


def draw_checkboxes(items: Iterable[Block], gap: str) -> tuple[list[list[Block]], int]:
    """Return the blocks of each list item, with ☐ or ☑ and `gap` for `[ ]` and `[x]`, and the
    number of items that are such tasks."""
    drawn: list[list[Block]] = []
    tasks = 0
    for item in items:
        blocks = list(item.children)
        if blocks and (task := read_checkbox(blocks[0])):
            done, (first, *others) = task[0], task[1].line
            sign = "☑" if done else "☐"
            line = [first.copy(content=f"{sign}{gap}{first.content}"), *others]
            blocks[0] = blocks[0].with_line(line)
            tasks += 1
        drawn.append(blocks)
    return drawn, tasks


def get_image_source(token: Token) -> str:
    """Return the source of the picture that an `image` token shows."""
    return str(token.attrs.get("src", ""))


def _part_block(block: Block) -> list[Block]:
    if block.kind == "table" or not (block.children or block.kind == "paragraph"):
        return [block]
    if block.children:
        return [replace(block, children=split_figures(block.children))]
    return list(_part_paragraph(block))


def _part_paragraph(paragraph: Block) -> Iterable[Block]:
    if all(token.type != "image" for token in paragraph.line):
        return [paragraph]
    parts: list[Block] = []
    rest: list[Token] = []
    depth = 0
    for token in paragraph.line:
        depth += token.nesting
        if token.type == "image" and depth == 0:
            parts += _paragraph_of(paragraph, rest)
            parts.append(Block("figure", token, _caption_of(token)))
            rest = []
        else:
            rest.append(token)
    return [*parts, *_paragraph_of(paragraph, rest)]


def _paragraph_of(paragraph: Block, line: Sequence[Token]) -> list[Block]:
    """Return the rest of a paragraph, without the breaks around a picture; empty if it is blank."""
    kept = list(line)
    while kept and _is_gap(kept[0]):
        del kept[0]
    while kept and _is_gap(kept[-1]):
        del kept[-1]
    if kept and kept[0].type == "text":
        kept[0] = kept[0].copy(content=kept[0].content.lstrip())
    if kept and kept[-1].type == "text":
        kept[-1] = kept[-1].copy(content=kept[-1].content.rstrip())
    return [paragraph.with_line(kept)] if kept else []


def _is_gap(token: Token) -> bool:
    return token.type in LINE_BREAKS or (token.type == "text" and not token.content.strip())


def _caption_of(token: Token) -> list[Token]:
    said = str(token.attrs.get("title", "")) or token.content
    return [Token("text", "", 0, content=said)] if said.strip() else []


def _take_captions(blocks: Sequence[Block]) -> list[Block]:
    kept: list[Block] = []
    for block in blocks:
        if kept and kept[-1].kind == "figure" and _is_in_italics(block):
            kept[-1] = kept[-1].with_line(block.line[1:-1])
        else:
            kept.append(block)
    return kept


def _is_in_italics(block: Block) -> bool:
    types = [token.type for token in block.line]
    return (
        block.kind == "paragraph"
        and types[:1] == ["em_open"]
        and types[-1:] == ["em_close"]
        and types.count("em_open") == 1
    )


_LABELS: Final = {
    "definition": "définitions? definitions? théorèmes? theorems? propriétés? propert(?:y|ies) "
    "règles? rules? réciproques? converses? lemmes? lemmas? formules? formulas? lois? laws? "
    "propositions? vocabulaire vocabulary",
    "example": "exemples? examples? illustrations? applications? cas",
    "key": "retenir essentiel bilan résumé key remember takeaways? summary objectifs? objectives? "
    "aims? goals? compétences? pré-?requis prerequisites?",
    "warning": "attention danger warning caution prudence pièges? erreurs?",
    "remark": "remarques? remarks? notes? astuces? conseils? tips? rappels? reminders? "
    "important méthodes? methods? info",
}
_BEFORE_LABEL = (
    r"\W*(?:[\dIVX]+[.)]\s*)?"
    r"(?:(?:ce qu[’']il faut|points?|les?|la|l[’']|nos|en|à|the|to|our)\b\W*)*"
)
_KINDS: Final = {
    kind: re.compile(rf"{_BEFORE_LABEL}(?:{'|'.join(words.split())})\b", re.IGNORECASE)
    for kind, words in _LABELS.items()
}
_ALERT = re.compile(rf"\[!({'|'.join(ALERTS)})\][ \u00a0\u202f]*", re.IGNORECASE)
"""First line of a quote: https://docs.github.com/en/get-started/writing-on-github."""
_ALERT_KINDS: Final = {
    "NOTE": "note",
    "TIP": "tip",
    "IMPORTANT": "key",
    "WARNING": "warning",
    "CAUTION": "warning",
}
_MARKS: Final = " :.—–-\u00a0\u202f"
"""Characters between a label and its text."""
_GAPS: Final = ("text", *LINE_BREAKS)


@dataclass(frozen=True, slots=True)
class Callout:
    """A box with a label."""

    kind: str
    """definition, example, key, remark, note, tip or warning."""
    label: Block
    """A paragraph."""
    content: list[Block]


def find_callout(quote: Block, words: Mapping[str, str] | None = None) -> Callout | None:
    """Return the box for a quote that begins with a label in bold, `**Définition** : …`, or with
    `[!NOTE]`, `[!TIP]`, `[!IMPORTANT]`, `[!WARNING]`, `[!CAUTION]`; None for another quote.

    Args:
        words: translations of `ALERTS`.
    """
    first = quote.children[0] if quote.children else None
    if first is None or first.kind != "paragraph":
        return None
    if alert := _read_alert(first, quote.children[1:], words or {}):
        return alert
    label, rest = _split_label(first)
    kind = match_callout_kind(to_text(label.line))
    if not kind:
        return None
    return Callout(kind, label, ([rest] if rest.line else []) + quote.children[1:])


def _read_alert(paragraph: Block, others: list[Block], words: Mapping[str, str]) -> Callout | None:
    """Return the box of a quote whose first line is `[!NOTE]`, perhaps with a title. If no text
    follows that line, its words are the text, not a title."""
    line = list(paragraph.line)
    found = _ALERT.match(line[0].content) if line and line[0].type == "text" else None
    if found is None:
        return None
    named = found[1].upper()
    line[0] = line[0].copy(content=line[0].content[found.end() :])
    end = next((index for index, token in enumerate(line) if token.type in LINE_BREAKS), len(line))
    title, rest = line[:end], line[end + 1 :]
    if not rest and not others:
        title, rest = [], title
    if not to_text(title).strip():
        said = words.get(ALERTS[named], ALERTS[named])
        title = [Token("text", "", 0, content=said)]
    content = [paragraph.with_line(rest)] if rest else []
    return Callout(_ALERT_KINDS[named], paragraph.with_line(title), content + others)


def match_callout_kind(label: str) -> str:
    """Return the kind of box that a label names; "" if none."""
    return next((kind for kind, pattern in _KINDS.items() if pattern.match(label)), "")


def _split_label(paragraph: Block) -> tuple[Block, Block]:
    """Return the bold beginning of a paragraph, and the rest, without the marks between them."""
    line = [token for token in paragraph.line if token.content.strip() or token.type != "text"]
    types = [token.type for token in line]
    if types[:1] != ["strong_open"] or "strong_close" not in types:
        return paragraph.with_line(()), paragraph
    end = types.index("strong_close")
    label, rest = line[1:end], line[end + 1 :]
    if label and label[-1].type == "text":
        label[-1] = label[-1].copy(content=label[-1].content.rstrip(_MARKS))
    while rest and rest[0].type in _GAPS and not rest[0].content.strip(_MARKS):
        del rest[0]
    if rest and rest[0].type == "text":
        text = rest[0].content.lstrip(_MARKS)
        rest[0] = rest[0].copy(content=text[:1].upper() + text[1:])
    return paragraph.with_line(label), paragraph.with_line(rest)


_NUMBER = re.compile(r"[−+-]?\d[\d\s.,]*(?:%|€|\$|F|FCFA|F CFA|XOF)?|[–—-]?")
_SIDES: Final = {"text-align:right": "right", "text-align:center": "center"}


def read_rows(table: Block) -> Iterator[list[Block]]:
    """Yield the cells of each row, the header first."""
    for part in table.children:
        for row in part.children:
            yield row.children


def choose_alignment(index: int, cells: Sequence[Block]) -> str:
    """Choose the alignment of a column: its own, or right if it holds numbers and is not the first
    one.

    Args:
        index: the column's number in the table, from 0.
        cells: its cells; the first one is its header.
    """
    side = _SIDES.get(str(cells[0].token.attrs.get("style", "")), "left")
    said = [cell.words for cell in cells[1:]]
    numbers = (
        index > 0
        and any(said)
        and all(_NUMBER.fullmatch(each) and not PHONE.fullmatch(each) for each in said)
    )
    return "right" if numbers and side == "left" else side
