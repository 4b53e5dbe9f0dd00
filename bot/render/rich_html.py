"""Write Markdown as the HTML of rich messages: headings, tables, details, formulas.

Pure. Tags and limits: https://core.telegram.org/bots/api#rich-html-style. Formulas go as LaTeX
where apps set them (`bot/formulas/native.py`), else as a line of text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, NamedTuple

from markdown_it.token import Token

from bot.contracts.channels import RichLimits
from bot.formulas.line_text import to_line
from bot.formulas.native import to_native
from bot.markdown import CHECKBOXES
from bot.render.formula_pictures import needs_picture
from bot.render.markdown import LINKABLE, clean, parse_tokens

_STYLES: Final = {"strong": "b", "em": "i", "s": "s"}
_BLOCK_TAG = re.compile(
    r"<(/?)(p|h[1-6]|pre|hr|ul|ol|li|blockquote|table|tr|details|tg-math-block)\b"
)
_LONE: Final = frozenset(("hr",))
_LANGUAGE = re.compile(r"[\w+#.-]+")
_ALIGN = re.compile(r"text-align:(left|center|right)")
_DOUBLE_SPACE = re.compile(r"(?<= ) ")
_WORKED = re.compile(
    r"\b(?:solutions?|corrig[ée]s?|corrections?|d[ée]monstrations?|preuves?|r[ée]solution"
    r"|d[ée]tails?|étapes?|worked|proofs?|steps?|walkthrough|full working)\b",
    re.IGNORECASE,
)
"""Titles of worked parts, which people open once they have tried for themselves."""
_LONG: Final = 400
"""Characters from which such a part is folded."""
_BELOW_HEADINGS: Final = 7


class RichHtml(NamedTuple):
    html: str
    is_better: bool
    """Whether it shows something that plain text can only describe."""
    needs_picture: bool
    """Whether a formula in it still asks for a picture."""


class Block(NamedTuple):
    """A block of the outermost level."""

    tokens: Sequence[Token]
    lines: tuple[int, int]
    """The lines of the source that it is written in."""

    @property
    def level(self) -> int:
        """Its level as a title; a paragraph that is all bold is one below all headings; else 0."""
        first = self.tokens[0]
        if first.type == "heading_open":
            return int(first.tag[1])
        words = self.tokens[1].children or () if first.type == "paragraph_open" else ()
        inner = [token for token in words if token.type != "text" or token.content]
        if not inner or inner[0].type != "strong_open":
            return 0
        after = inner[_find_close(inner, 0) + 1 :]
        is_title = all(token.content.strip(" \u00a0:") == "" for token in after)
        return _BELOW_HEADINGS if is_title else 0


class _Unwritable(Exception):
    """A text has no rich form with the same content."""


def read_blocks(markdown: str) -> list[Block]:
    """Return the blocks of the outermost level of a text."""
    tokens = parse_tokens(clean(markdown))
    blocks: list[Block] = []
    start = 0
    for index, token in enumerate(tokens):
        if token.level == 0 and token.nesting <= 0:
            first, last = tokens[start].map or token.map or (0, 0)
            blocks.append(Block(tokens[start : index + 1], (first, last)))
            start = index + 1
    return blocks


def take_rows(table: Block, start: int, end: int) -> Block:
    """Return a table with its header and, of its other rows, those from `start` to before `end`."""
    places = [place for place, token in enumerate(table.tokens) if token.type == "tr_open"][1:]
    places.append(len(table.tokens) - 2)  # after the last row the body and the table are closed
    rows = table.tokens[places[start] : places[end]]
    first = table.lines[0] + 2
    tokens = [*table.tokens[: places[0]], *rows, *table.tokens[-2:]]
    return Block(tokens, (first + start, first + end))


def write_html(blocks: Sequence[Block], limits: RichLimits) -> RichHtml | None:
    """Return all blocks as one message; None: it would exceed the limits, or change the content."""
    writer = _HtmlWriter()
    try:
        html = "".join(_write_parts(writer, blocks))
    except _Unwritable:
        return None
    if not html or not _is_within(html, limits) or writer.columns > limits.columns:
        return None
    return RichHtml(html, writer.is_better, writer.needs_picture)


def _is_within(html: str, limits: RichLimits) -> bool:
    count = depth = deepest = 0
    for found in _BLOCK_TAG.finditer(html):
        closes, tag = found.groups()
        count += not closes
        if tag not in _LONE:
            depth += -1 if closes else 1
        deepest = max(deepest, depth)
    size = len(html.encode())
    return size <= limits.size and count <= limits.blocks and deepest <= limits.depth


def _write_parts(writer: _HtmlWriter, blocks: Sequence[Block]) -> Iterator[str]:
    """Write each block; long worked parts are folded under their title."""
    index = 0
    while index < len(blocks):
        end = _find_end(blocks, index)
        folded = writer.fold(blocks[index], blocks[index + 1 : end]) if index else ""
        yield folded or writer.write_blocks(blocks[index].tokens)
        index = end if folded else index + 1


def _find_end(blocks: Sequence[Block], index: int) -> int:
    """Return the index after the part that begins with the title at `index`."""
    level = blocks[index].level
    for place in range(index + 1, len(blocks)):
        if 0 < blocks[place].level <= level:
            return place
    return len(blocks)


@dataclass(slots=True)
class _HtmlWriter:
    """Writes blocks, and notes whether they have formulas, tables and other rich content."""

    sets_formulas: bool = True
    is_better: bool = False
    needs_picture: bool = False
    columns: int = 0

    def fold(self, title: Block, part: Sequence[Block]) -> str:
        """Return a part folded under its title, which opens it; empty if it is not to be folded.

        Formulas in it are lines of text: some apps crash on set formulas there
        (NousResearch/hermes-agent#46102). A part with formulas that need a picture stays open.
        """
        text = title.tokens[1].content if title.level else ""
        if not _WORKED.search(text):
            return ""
        writer = _HtmlWriter(sets_formulas=False)
        summary = writer.write_inline(title.tokens[1].children or ())
        body = "".join(writer.write_blocks(block.tokens) for block in part)
        if writer.needs_picture or len(re.sub(r"<[^>]*>", "", body)) < _LONG:
            return ""
        self.is_better = True
        self.columns = max(self.columns, writer.columns)
        return f"<details><summary>{summary}</summary>{body}</details>"

    def write_blocks(self, tokens: Sequence[Token]) -> str:
        parts: list[str] = []
        index = 0
        while index < len(tokens):
            token, end = tokens[index], _find_close(tokens, index)
            write = _BLOCKS.get(token.type)
            if write is None:
                raise _Unwritable(token.type)
            parts.append(write(self, token, tokens[index + 1 : end]))
            index = end + 1
        return "".join(parts)

    def write_paragraph(self, token: Token, inside: Sequence[Token]) -> str:
        words = self.write_inline(inside[0].children or ())
        return words if token.hidden or not words.strip() else f"<p>{words}</p>"

    def write_heading(self, token: Token, inside: Sequence[Token]) -> str:
        words = self.write_inline(inside[0].children or ())
        if not words.strip():
            return ""
        self.is_better = True
        return f"<{token.tag}>{words}</{token.tag}>"

    def write_list(self, token: Token, inside: Sequence[Token]) -> str:
        if token.markup == "+":
            raise _Unwritable("its bullets may be the signs of a sum")
        start = int(token.attrs.get("start", 1))
        number = f' start="{start}"' if token.tag == "ol" and start != 1 else ""
        return f"<{token.tag}{number}>{self.write_blocks(inside)}</{token.tag}>"

    def write_item(self, _: Token, inside: Sequence[Token]) -> str:
        words = self.write_blocks(inside)
        first = inside[1].content[:4] if inside and inside[0].type == "paragraph_open" else ""
        done = CHECKBOXES.get(first)
        if done is not None:
            box = f'<input type="checkbox"{" checked" if done else ""}>'
            words = words.replace(first, box, 1)
        return f"<li>{words}</li>"

    def write_quote(self, _: Token, inside: Sequence[Token]) -> str:
        return f"<blockquote>{self.write_blocks(inside)}</blockquote>"

    def write_code(self, token: Token, _: Sequence[Token]) -> str:
        code = _escape(token.content.rstrip("\n"))
        language = _LANGUAGE.match(token.info)
        if language:
            return f'<pre><code class="language-{language[0]}">{code}</code></pre>'
        return f"<pre>{code}</pre>"

    def write_maths(self, token: Token, _: Sequence[Token]) -> str:
        latex = self._set_formula(token.content)
        if latex:
            return f"<tg-math-block>{latex}</tg-math-block>"
        return f"<p>{_break_lines(to_line(token.content))}</p>"

    def write_rule(self, _: Token, __: Sequence[Token]) -> str:
        return "<hr/>"

    def write_table(self, _: Token, inside: Sequence[Token]) -> str:
        rows: list[str] = []
        for index, token in enumerate(inside):
            if token.type == "tr_open":
                rows.append("")
            elif token.type in ("th_open", "td_open"):
                found = _ALIGN.search(str(token.attrs.get("style", "")))
                align = f' align="{found[1]}"' if found else ""
                words = self.write_inline(inside[index + 1].children or ())
                rows[-1] += f"<{token.tag}{align}>{words}</{token.tag}>"
        self.is_better = True
        self.columns = max(self.columns, rows[0].count("</th>"))
        return "<table bordered striped>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"

    def write_inline(self, tokens: Sequence[Token]) -> str:
        parts: list[str] = []
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.type == "link_open":
                end = _find_close(tokens, index)
                label = self.write_inline(tokens[index + 1 : end])
                parts.append(_write_link(str(token.attrs.get("href", "")), label))
                index = end
            else:
                parts.append(self._write_inline_token(token))
            index += 1
        return "".join(parts)

    def _write_inline_token(self, token: Token) -> str:
        match token.type:
            case "text":
                return _escape(token.content)
            case "softbreak" | "hardbreak":
                return "<br>"
            case "code_inline":
                return f"<code>{_DOUBLE_SPACE.sub(chr(0xA0), _escape(token.content))}</code>"
            case "maths":
                latex = self._set_formula(token.content)
                line = "" if latex else _break_lines(to_line(token.content))
                return f"<tg-math>{latex}</tg-math>" if latex else line
            case _:
                tag = _STYLES[token.type.rpartition("_")[0]]
                return f"<{tag}>" if token.nesting > 0 else f"</{tag}>"

    def _set_formula(self, formula: str) -> str:
        """Return the LaTeX of a formula that apps set; empty if it goes as a line of text."""
        native = to_native(formula) if self.sets_formulas else None
        if native is None:
            self.needs_picture |= needs_picture(formula)
            return ""
        line = to_line(formula)
        self.is_better |= native.is_tall or "^" in line or "_" in line
        return _escape(native.latex)


def _find_close(tokens: Sequence[Token], index: int) -> int:
    """Return the index of the token that closes the one at `index`; the same index if that token
    has no closing one."""
    depth = 0
    for place in range(index, len(tokens)):
        depth += tokens[place].nesting
        if depth == 0:
            return place
    raise _Unwritable("something is not closed")


def _escape(text: str) -> str:
    return escape(text, quote=False)


def _break_lines(text: str) -> str:
    return _escape(text).replace("\n", "<br>")


def _write_link(url: str, label: str) -> str:
    """Return the label as a link; if it cannot be one, with the target after it in brackets."""
    target = _escape(url)
    label = label if label.strip() else target
    if url.startswith(LINKABLE):
        return f'<a href="{escape(url)}">{label}</a>'
    says_it = label.strip() in (target, target.partition(":")[2])
    return label if says_it else f"{label} ({target})"


_BLOCKS: Mapping[str, Callable[[_HtmlWriter, Token, Sequence[Token]], str]] = {
    "paragraph_open": _HtmlWriter.write_paragraph,
    "heading_open": _HtmlWriter.write_heading,
    "bullet_list_open": _HtmlWriter.write_list,
    "ordered_list_open": _HtmlWriter.write_list,
    "list_item_open": _HtmlWriter.write_item,
    "blockquote_open": _HtmlWriter.write_quote,
    "fence": _HtmlWriter.write_code,
    "code_block": _HtmlWriter.write_code,
    "maths_block": _HtmlWriter.write_maths,
    "hr": _HtmlWriter.write_rule,
    "table_open": _HtmlWriter.write_table,
}
