"""Parse Markdown, finished or still being written, into styled text laid out for a phone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, zip_longest

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

from bot.formulas.line_text import to_line
from bot.markdown import CHECKBOXES, NAME, make_parser
from bot.render.styled_text import Kind, Styled, Writer

_MOST_MARKERS = 400
"""Emphasis markers in one paragraph that are still read as such."""
_TERMINATORS = re.compile(r"[\n$&*<\[\]\\_`~]|!(?=\[)|\bhttps?://")
_SCRIPT = re.compile(
    r"<sub>(?P<low>[^<>\n\\{}$]{1,30})</sub>|<sup>(?P<high>[^<>\n\\{}$]{1,30})</sup>"
)
_LINK = re.compile(
    r"\[(?P<label>(?:[^\[\]\\]|\\.|!?\[[^\[\]]*\](?:\([^()\s]*\))?)*+)\]"
    r"\([ \n]*(?:<(?P<angled>[^<>\n]*)>|(?P<bare>(?:[^\s()<]|\((?:[^\s()]|\([^\s()]*\))*\))*))"
    r"(?:[ \n]+(?:\"[^\"]*\"|'[^']*'))?[ \n]*\)"
)


@cache
def markdown_parser() -> MarkdownIt:
    """Return the one parser of the process: it holds no state between calls."""
    md = make_parser()
    md.disable("image")
    md.inline.ruler.at("emphasis", _read_emphasis)
    md.inline.ruler.at("strikethrough", _read_strike)
    md.inline.ruler.at("link", _read_link)
    md.inline.ruler.before("escape", "script", _read_script)
    md.inline.terminator_re = _TERMINATORS
    return md


def _read_script(state: StateInline, silent: bool) -> bool:
    """Read the subscript of `H<sub>2</sub>O`, and a superscript, as models write them."""
    found = _SCRIPT.match(state.src, state.pos, state.posMax)
    if found and not silent:
        mark = "_" if found["low"] else "^"
        state.push("text", "", 0).content = to_line(
            f"{{}}{mark}{{{found['low'] or found['high']}}}"
        )
    state.pos = found.end() if found else state.pos
    return found is not None


def _read_link(state: StateInline, silent: bool) -> bool:
    """Read `[label](target)`, and `![label](target)` as the same."""
    start = state.pos + (state.src[state.pos] == "!")
    if state.linkLevel or state.src[start : start + 1] != "[":
        return False
    found = _LINK.match(state.src, start, state.posMax)
    if not found:
        return False
    target = found["angled"] or found["bare"] or ""
    if not (target or found["label"]):
        return False
    if not silent:
        _push_link(state, target)
        _push_label(state, found)
        state.push("link_close", "a", -1)
    state.pos = found.end()
    return True


def _push_link(state: StateInline, url: str) -> Token:
    token = state.push("link_open", "a", 1)
    token.attrs = {"href": url}
    return token


def _push_label(state: StateInline, found: re.Match[str]) -> None:
    outer = state.posMax
    state.pos, state.posMax = found.span("label")
    state.linkLevel += 1
    state.md.inline.tokenize(state)
    state.linkLevel -= 1
    state.posMax = outer


_BOLD_IN_WORD = re.compile(r"(?<=[^\W\d_]{2})\*\*[^\W\d_]{1,30}\*\*(?![*\d])")
"""Bold letters after others of a word, as the ending in `enfant**s**`; `a**b**c` is a power."""


def _read_emphasis(state: StateInline, silent: bool) -> bool:
    """Push a run of `*` or `_` as delimiters, for the parser to pair them."""
    marker = state.src[state.pos]
    if silent or marker not in "*_":
        return False
    name = NAME.match(state.src, state.pos, state.posMax) if marker == "_" else None
    if name and not _is_word(state.src, state.pos - 1):
        state.push("text", "", 0).content = name[0]
        state.pos = name.end()
        return True
    scanned = state.scanDelims(state.pos, False)
    count, end = scanned.length, state.pos + scanned.length
    is_bold = marker == "*" and count == 2
    opens = scanned.can_open or (is_bold and _BOLD_IN_WORD.match(state.src, state.pos) is not None)
    closes = scanned.can_close or (is_bold and _in_word(state, end))
    if count > 3 or len(state.delimiters) > _MOST_MARKERS or not (opens or closes):
        state.push("text", "", 0).content = marker * count
    else:
        _push_delimiters(state, marker, count, opens=opens, closes=closes)
    state.pos = end
    return True


def _read_strike(state: StateInline, silent: bool) -> bool:
    """Push `~~` as a delimiter; any other run of tildes is text."""
    if silent or state.src[state.pos] != "~":
        return False
    opens, closes, count = state.scanDelims(state.pos, False)
    state.push("text", "", 0).content = "~" * count
    if count == 2 and len(state.delimiters) <= _MOST_MARKERS and (opens or closes):
        state.delimiters.append(
            Delimiter(ord("~"), 0, len(state.tokens) - 1, -1, open=opens, close=closes)
        )
    state.pos += count
    return True


def _in_word(state: StateInline, end: int) -> bool:
    """Return whether the two markers before `end` are between letters."""
    before, after = state.src[end - 3 : end - 2], state.src[end : end + 1]
    return before.isalpha() and after.isalpha()


def _is_word(text: str, index: int) -> bool:
    return index >= 0 and (text[index].isalnum() or text[index] == "_")


def _push_delimiters(
    state: StateInline, marker: str, count: int, *, opens: bool, closes: bool
) -> None:
    for _ in range(count):
        state.push("text", "", 0).content = marker
        state.delimiters.append(
            Delimiter(ord(marker), count, len(state.tokens) - 1, -1, opens, closes)
        )


_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_OPEN_LINK = re.compile(r"(?<!\\)!?\[([^\[\]\n]*)\](?:\([^()\s]*(?:\([^()\s]*\)?[^()\s]*)?)$")
_MARKS = ("**", "~~")


def close_open_markup(markdown: str) -> str:
    """Return `markdown` with its last paragraph's unclosed code, bold and strike-through closed.

    A link whose target is still growing is its label; a marker that has just begun is left out.
    """
    if len(_FENCE.findall(markdown)) % 2:
        return markdown
    start = markdown.rfind("\n\n") + 1
    last = _OPEN_LINK.sub(r"\1", markdown[start:].rstrip())
    if last.count("`") % 2:
        last = last[:-1] if last.endswith("`") else last + "`"
    for mark in _MARKS:
        last = _close_mark(last, mark)
    return markdown[:start] + last


def _close_mark(text: str, mark: str) -> str:
    opened: int | None = None
    for found in re.finditer(re.escape(mark), text):
        before, after = (
            text[max(found.start() - 1, 0) : found.start()],
            text[found.end() : found.end() + 1],
        )
        if opened is None and not before.isalnum() and not after.isspace():
            opened = found.start()
        elif opened is not None and not before.isspace():
            opened = None
    if opened is None:
        return text
    content = text[opened + len(mark) :].rstrip(mark[0])
    return text[:opened] + (mark + content + mark if content.strip() else "")


_STYLES: Mapping[str, Kind] = {
    "strong_open": "bold",
    "strong_close": "bold",
    "em_open": "italic",
    "em_close": "italic",
    "s_open": "strikethrough",
    "s_close": "strikethrough",
}
_UNSHOWABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
LINKABLE = ("http://", "https://", "tg://")


@dataclass(frozen=True, slots=True)
class Layout:
    """What a channel can show."""

    links: bool = True
    """A label can carry its link; else the target follows it in brackets."""
    monospace: bool = True
    """Columns can be lined up."""
    bullet: str = "•"
    boxes: tuple[str, str] = ("☐", "☑")
    rule: str = "────────"
    colon: str = ":"
    """With the space before it, if its language has one."""


def parse_markdown(markdown: str, layout: Layout) -> Styled:
    """Return `markdown` as styled text: all of its text, links included, without its markup."""
    reader = _Reader(layout)
    reader.read_blocks(parse_tokens(clean(markdown)))
    return reader.writer.finish()


@lru_cache(maxsize=8)
def parse_tokens(markdown: str) -> Sequence[Token]:
    """Return the tokens of a text, which are not to be changed: a rich message and its plain form
    read the same ones."""
    return markdown_parser().parse(markdown)


def clean(markdown: str) -> str:
    """Return `markdown` without control characters, which providers refuse or phones show as boxes;
    a lone surrogate becomes U+FFFD, which shows that something is missing."""
    return _UNSHOWABLE.sub(lambda found: "\ufffd" if found[0] > "\ud7ff" else "", markdown)


class _Reader:
    def __init__(self, layout: Layout) -> None:
        self.writer = Writer()
        self.layout = layout
        self._lists: list[int | None] = []
        """For each open list its next number, None for bullets."""
        self._link = ("", 0, False)
        self._skipped = 0
        """Characters of the next text that are left out: the box of a task."""

    def read_blocks(self, tokens: Sequence[Token]) -> None:
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.type == "list_item_open":
                self._open_item(token, tokens[index + 1 : index + 3])
            elif token.type == "table_open":
                index = self._write_table(tokens, index)
            elif handle := _BLOCKS.get(token.type):
                handle(self, token)
            index += 1

    def read_inline(self, tokens: Sequence[Token]) -> None:
        for index, token in enumerate(tokens):
            kind = token.type
            if kind == "text":
                self.writer.write(token.content[self._skipped :])
                self._skipped = 0
            elif kind in ("softbreak", "hardbreak"):
                self.writer.write("\n")
            elif kind == "code_inline":
                self.writer.write_code(token.content)
            elif kind == "maths":
                self.writer.write(to_line(token.content))
            elif style := _STYLES.get(kind):
                (self.writer.open if token.nesting > 0 else self.writer.close)(style)
            elif kind == "link_open":
                self._open_link(str(token.attrs.get("href", "")), tokens[index + 1].content)
            else:
                self._close_link(*self._link)

    def _open_link(self, url: str, first: str) -> None:
        """Begin a link; without labels that carry links only a bare URL is marked as one."""
        spanned = url.startswith(LINKABLE) if self.layout.links else first == url
        self._link = (url, self.writer.mark(), spanned)
        if spanned:
            self.writer.open("link", url)

    def _close_link(self, url: str, mark: int, spanned: bool) -> None:
        label = self.writer.text_since(mark)
        if not label.strip():
            self.writer.write(url)
        if spanned:
            self.writer.close("link")
        carried = spanned and self.layout.links
        if label.strip() and not carried and label.strip() not in (url, url.split(":", 1)[-1]):
            self._write_target(url)

    def _write_target(self, url: str) -> None:
        self.writer.write(" (")
        if self.layout.links:
            self.writer.write(url)
        else:
            self.writer.open("link", url)
            self.writer.write(url)
            self.writer.close("link")
        self.writer.write(")")

    def read_content(self, token: Token) -> None:
        self.read_inline(token.children or ())

    def open_heading(self, _: Token) -> None:
        self.writer.open("bold")

    def open_list(self, token: Token) -> None:
        ordered = token.type == "ordered_list_open"
        self._lists.append(int(token.attrs.get("start", 1)) if ordered else None)

    def open_quote(self, _: Token) -> None:
        self.writer.open("quote")

    def close_paragraph(self, token: Token) -> None:
        self.writer.part_blocks(1 if token.hidden else 2)

    def close_heading(self, _: Token) -> None:
        self.writer.close("bold")
        self.writer.part_blocks(2)

    def _open_item(self, token: Token, following: Sequence[Token]) -> None:
        number = self._lists[-1]
        if number is not None:
            label = f"{number}{token.markup} "
            self._lists[-1] = number + 1
        else:
            label = self._label_bullet(token, following)
        self.writer.label(label)
        self.writer.indent += "   " if number is not None else "  "

    def _label_bullet(self, token: Token, following: Sequence[Token]) -> str:
        """Return the mark of an item: a box for a task, whose own box is removed, else a bullet; a
        `+` stays, as it may belong to a sum."""
        first = following[-1].children if following[-1].type == "inline" else None
        done = CHECKBOXES.get(first[0].content[:4]) if first else None
        if first and done is not None:
            self._skipped = 4
            return self.layout.boxes[done] + " "
        return ("+" if token.markup == "+" else self.layout.bullet) + " "

    def close_item(self, _: Token) -> None:
        self.writer.indent = self.writer.indent[: -(2 if self._lists[-1] is None else 3)]
        self.writer.part_blocks(1)

    def close_list(self, _: Token) -> None:
        self._lists.pop()
        self.writer.part_blocks(1 if self._lists else 2)

    def close_quote(self, _: Token) -> None:
        self.writer.close("quote")
        self.writer.part_blocks(2)

    def write_code(self, token: Token) -> None:
        language = token.info.split()[0] if token.info.strip() else ""
        self.writer.write_block(token.content.rstrip("\n"), language)
        self.writer.part_blocks(2)

    def write_maths(self, token: Token) -> None:
        self.writer.write(to_line(token.content))
        self.writer.part_blocks(2)

    def write_rule(self, _: Token) -> None:
        self.writer.write(self.layout.rule)
        self.writer.part_blocks(2)

    def _write_table(self, tokens: Sequence[Token], index: int) -> int:
        """Write the table that starts at `index`; return the index of its last token."""
        rows: list[list[Styled]] = []
        aligned: list[str] = []
        while tokens[index].type != "table_close":
            token = tokens[index]
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(self._read_cell(token))
            elif token.type == "th_open":
                aligned.append(str(token.attrs.get("style", "")))
            index += 1
        right = [style.endswith("right") for style in aligned]
        _lay_out_table(
            self.writer, rows, right, monospace=self.layout.monospace, colon=self.layout.colon
        )
        self.writer.part_blocks(2)
        return index

    def _read_cell(self, token: Token) -> Styled:
        reader = _Reader(self.layout)
        reader.read_content(token)
        cell = reader.writer.finish()
        return cell.part(0, len(cell.text.rstrip()))


_BLOCKS: Mapping[str, Callable[[_Reader, Token], None]] = {
    "inline": _Reader.read_content,
    "paragraph_close": _Reader.close_paragraph,
    "heading_open": _Reader.open_heading,
    "heading_close": _Reader.close_heading,
    "bullet_list_open": _Reader.open_list,
    "ordered_list_open": _Reader.open_list,
    "bullet_list_close": _Reader.close_list,
    "ordered_list_close": _Reader.close_list,
    "list_item_close": _Reader.close_item,
    "blockquote_open": _Reader.open_quote,
    "blockquote_close": _Reader.close_quote,
    "fence": _Reader.write_code,
    "code_block": _Reader.write_code,
    "maths_block": _Reader.write_maths,
    "hr": _Reader.write_rule,
}


# Tables ----------------------------------------------------------------------------------------

_WIDEST_TABLE = 32
"""Monospace columns that a cheap phone shows without wrapping."""
_FIRST_COMBINING = "\u0300"


def _lay_out_table(
    writer: Writer,
    rows: Sequence[Sequence[Styled]],
    right: Sequence[bool],
    *,
    monospace: bool,
    colon: str,
) -> None:
    """Write a table whose first row is its head.

    A narrow table becomes a block of code. Where columns cannot be lined up, if it is wide, or if a
    cell has a link, each row becomes a block of lines, each with the name of its column.

    Args:
        right: which columns are aligned right.
        monospace: whether columns can be lined up.
        colon: stands after the name of a column, with the space before it.
    """
    has_link = any(span.kind == "link" for row in rows for c in row for span in c.spans)
    if monospace and not has_link:
        lines = [
            list(zip_longest(*(cell.text.split("\n") for cell in row), fillvalue=""))
            for row in rows
        ]
        widths = [max(map(_width, column)) for column in zip(*chain(*lines), strict=True)]
        if sum(widths) + 3 * (len(widths) - 1) <= _WIDEST_TABLE:
            writer.write_block(_line_up(lines, widths, right))
            return
    _write_rows(writer, rows, colon)


def _line_up(
    rows: Sequence[Sequence[Sequence[str]]], widths: Sequence[int], right: Sequence[bool]
) -> str:
    """Write rows, each of the lines that its cells have, the first as the head."""
    lines = [
        " | ".join(
            _pad(cell, width, leans_right)
            for cell, width, leans_right in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in chain(*rows)
    ]
    lines.insert(len(rows[0]), "-+-".join("-" * width for width in widths))
    return "\n".join(lines)


def _pad(cell: str, width: int, leans_right: bool) -> str:
    space = " " * (width - _width(cell))
    return space + cell if leans_right else cell + space


def _width(text: str) -> int:
    """Return the columns that `text` takes in a monospace font."""
    if not text or max(text) < _FIRST_COMBINING:
        return len(text)
    return sum(
        2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
        if not unicodedata.combining(char)
    )


def _write_rows(writer: Writer, rows: Sequence[Sequence[Styled]], colon: str) -> None:
    head, *body = rows
    if not body:
        _write_line(writer, None, head, colon)
    for row in body:
        for name, cell in zip(head, row, strict=True):
            if cell.text:
                _write_line(writer, name, [cell], colon)
        writer.part_blocks(2)


def _write_line(writer: Writer, name: Styled | None, cells: Sequence[Styled], colon: str) -> None:
    if name and name.text:
        writer.open("bold")
        writer.write(name.text.replace("\n", " "))
        writer.close("bold")
        writer.write(" " if name.text.endswith(":") else f"{colon} ")
    for index, cell in enumerate(cells):
        if index:
            writer.write(" | ")
        writer.append(cell)
    writer.part_blocks(1)
