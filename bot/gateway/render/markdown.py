"""Markdown to styled text, laid out for a phone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from bot.gateway.render import latex, tables
from bot.gateway.render.grammar import parser
from bot.gateway.render.styled import Kind, Styled, Writer

_STYLES: Mapping[str, Kind] = {
    "strong_open": "bold",
    "strong_close": "bold",
    "em_open": "italic",
    "em_close": "italic",
    "s_open": "strikethrough",
    "s_close": "strikethrough",
}
_UNSHOWABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_TASKS = {"[ ] ": False, "[x] ": True, "[X] ": True}
_LINKABLE = ("http://", "https://", "tg://")


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


def read(markdown: str, layout: Layout) -> Styled:
    """`markdown` as styled text: all of its text, links included, nothing of its markup.

    Control characters, which providers refuse or phones show as boxes, are left out; half a
    character shows that something is missing.
    """
    reader = _Reader(layout)
    text = _UNSHOWABLE.sub(lambda found: "\ufffd" if found[0] > "\ud7ff" else "", markdown)
    reader.read_blocks(parser().parse(text))
    return reader.writer.finish()


class _Reader:
    def __init__(self, layout: Layout) -> None:
        self.writer = Writer()
        self.layout = layout
        self._lists: list[int | None] = []
        """For each open list its next number, None for bullets."""
        self._link = ("", 0, False)

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
                self.writer.write(token.content)
            elif kind in ("softbreak", "hardbreak"):
                self.writer.write("\n")
            elif kind == "code_inline":
                self.writer.write_code(token.content)
            elif kind == "maths":
                self.writer.write(latex.to_text(token.content))
            elif style := _STYLES.get(kind):
                (self.writer.open if token.nesting > 0 else self.writer.close)(style)
            elif kind == "link_open":
                self._open_link(str(token.attrs.get("href", "")), tokens[index + 1].content)
            else:
                self._close_link(*self._link)

    def _open_link(self, url: str, first: str) -> None:
        """Begin a link; without labels that carry links only a bare URL is marked as one."""
        spanned = url.startswith(_LINKABLE) if self.layout.links else first == url
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
        """A box for a task, whose own box is taken off; `+` stays, as it may be a sum's."""
        first = following[-1].children if following[-1].type == "inline" else None
        done = _TASKS.get(first[0].content[:4]) if first else None
        if first and done is not None:
            first[0].content = first[0].content[4:]
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
        self.writer.write(latex.to_text(token.content))
        self.writer.part_blocks(2)

    def write_rule(self, _: Token) -> None:
        self.writer.write(self.layout.rule)
        self.writer.part_blocks(2)

    def _write_table(self, tokens: Sequence[Token], index: int) -> int:
        """Write the table that starts at `index`; the index of its last token."""
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
        tables.write(self.writer, rows, right, monospace=self.layout.monospace)
        self.writer.part_blocks(2)
        return index

    def _read_cell(self, token: Token) -> Styled:
        reader = _Reader(self.layout)
        reader.read_content(token)
        return reader.writer.finish()


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
