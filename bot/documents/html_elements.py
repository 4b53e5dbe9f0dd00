"""Write blocks of a document as HTML; Typst writes their formulas as MathML Core.

Source: https://www.w3.org/TR/mathml-core/.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import Final

import typst
from markdown_it.token import Token

from bot.documents.characters import is_right_to_left
from bot.documents.document_request import (
    BACK,
    LINKABLE,
    NOT_DRAWN,
    NOT_SHOWN,
    NOTES,
    DocumentImage,
)
from bot.documents.footnotes import IS_FIRST, NUMBER
from bot.documents.formula_notes import FormulaReport
from bot.documents.markdown_blocks import (
    DIAGRAMS,
    Block,
    choose_alignment,
    draw_checkboxes,
    find_callout,
    get_code_language,
    get_image_source,
    read_rows,
)
from bot.documents.typst_compiler import open_shared_compiler
from bot.formulas.syntax import Untypesettable
from bot.formulas.typst import PREAMBLE, to_typst

_MATHML_PREAMBLE = (Path(__file__).parent / "templates" / "mathml.typ").read_text()
_BODY = re.compile(r"<math\b[^>]*>(.*)</math>", re.DOTALL)
_INNER = re.compile(r"<(/?)math\b[^>]*>")
_EMPTY: Final = '<mtable class="multiline-equation"></mtable>'
_LETTER = re.compile(r"<mi>([\U0001D434-\U0001D467\U0001D6E2-\U0001D71B\u210e])</mi>")
"""Italic letters of Unicode; a browser makes them from plain letters, which every font has."""
_WORDS_END = re.compile(r"(?<=<mtext>) | (?=</mtext>)")
"""A space that a browser would drop."""
_LEFT_OUT: Final = "was ignored during"
_BLOCK: Final = '<div class="block" tabindex="0">'
"""A formula may be wider than the page, so the keyboard can focus and scroll it."""


class MathmlFormulas:
    """Turns formulas into MathML, each by itself, so that a bad one does not affect others."""

    def __init__(self, report: FormulaReport | None = None) -> None:
        self.to_html = cache(self._to_html)
        self.report = report or FormulaReport()

    def _to_html(self, latex: str, *, displayed: bool) -> str:
        """Return the formula as an element; as it was typed if Typst cannot show all of it."""
        body = self._set(latex, displayed=displayed)
        if not body:
            self.report.unset.append(latex)
            typed = f'<code class="tex">{escape(latex)}</code>'
            return f"{_BLOCK}{typed}</div>" if displayed else typed
        kind = ' display="block"' if displayed else ""
        found = f'<math{kind} alttext="{escape(" ".join(latex.split()))}">{body}</math>'
        return f"{_BLOCK}{found}</div>" if displayed else found

    def _set(self, latex: str, *, displayed: bool) -> str:
        """Return the content of `<math>`; "" if Typst cannot show all of it."""
        try:
            source = to_typst(latex, self.report.unknown)
        except Untypesettable:
            return ""
        gap = " " if displayed else ""
        try:
            page, warnings = open_shared_compiler().compile_with_warnings(
                f"{PREAMBLE}{_MATHML_PREAMBLE}${gap}{source}{gap}$".encode(), format="html"
            )
        except typst.TypstError:
            return ""
        if not isinstance(page, bytes) or any(_LEFT_OUT in each.message for each in warnings):
            return ""
        found = _BODY.search(page.decode())
        return _simplify(found[1]) if found else ""


def _simplify(body: str) -> str:
    body = _INNER.sub(r"<\1mrow>", body).replace(_EMPTY, "<mrow></mrow>")
    body = _WORDS_END.sub("\u00a0", body)
    return _LETTER.sub(lambda found: f"<mi>{unicodedata.normalize('NFKC', found[1])}</mi>", body)


_DEEPEST = 12
"""Most levels of nested emphasis."""
_WIDE = 30
"""Characters of a cell above which its column is wide."""


@dataclass
class HtmlPage:
    """The state that the elements of one page share."""

    words: Mapping[str, str]
    """Translations of the words that the page adds, by the English ones."""
    images: Mapping[str, DocumentImage]
    """The pictures by source."""
    colon: str = ": "
    keeps_lines: bool = False
    """Whether a line of a paragraph stays one, as in chats."""
    formulas: MathmlFormulas = field(default_factory=MathmlFormulas)
    shown: list[str] = field(default_factory=list[str])
    """The elements of the pictures, which `fill_in_pictures` puts in their places."""

    def say(self, word: str) -> str:
        return self.words.get(word, word)

    def place_picture(self, token: Token) -> str:
        """Return a placeholder for a picture; "" if the picture is missing. No text of the document
        can pass for a placeholder, since it is escaped."""
        image = self.images.get(get_image_source(token))
        if image is None:
            return ""
        address = f"data:{image.mime_type};base64,{base64.b64encode(image.content).decode()}"
        size = f'width="{image.width}" height="{image.height}"'
        self.shown.append(f'<img src="{address}" alt="{escape(token.content)}" {size}>')
        return f'<span id="picture{len(self.shown)}"></span>'

    def fill_in_pictures(self, html: str) -> str:
        """Return the cleaned page with pictures in place of the placeholders."""
        for number, shown in enumerate(self.shown, start=1):
            html = html.replace(f'<span id="picture{number}"></span>', shown)
        return html


def write_blocks(blocks: Iterable[Block], page: HtmlPage) -> str:
    """Write the blocks one after another. Headings have the ids that `name_headings` gave them."""
    return "\n".join(_WRITERS[block.kind](block, page) for block in blocks)


def name_headings(blocks: Iterable[Block]) -> list[tuple[str, Block]]:
    """Give the headings the ids `s1`, `s2` …; return them with these ids."""
    headings = [block for block in blocks if block.level]
    for number, block in enumerate(headings, start=1):
        block.token.attrs["id"] = f"s{number}"
    return [(str(block.token.attrs["id"]), block) for block in headings]


def write_line(tokens: Iterable[Token], page: HtmlPage) -> str:
    """Write inline tokens as HTML."""
    written: list[str] = []
    ends: list[str] = []
    for token in tokens:
        if token.nesting > 0:
            opening, closing = _write_tags(token) if len(ends) < _DEEPEST else ("", "")
            written.append(opening)
            ends.append(closing)
        elif token.nesting < 0:
            written.append(ends.pop())
        else:
            written.append(_LEAVES[token.type](token, page))
    return "".join(written)


def _write_tags(token: Token) -> tuple[str, str]:
    if token.type in _STYLES:
        return f"<{_STYLES[token.type]}>", f"</{_STYLES[token.type]}>"
    url = str(token.attrs.get("href", ""))
    return (f'<a href="{escape(url)}">', "</a>") if url.startswith(LINKABLE) else ("", "")


def _write_heading(block: Block, page: HtmlPage) -> str:
    tag = f"h{min(block.level + 1, 6)}"
    anchor = escape(str(block.token.attrs.get("id", "")))
    return f'<{tag} id="{anchor}"{_direction(block)}>{write_line(block.line, page)}</{tag}>'


def _write_paragraph(block: Block, page: HtmlPage) -> str:
    line = write_line(block.line, page)
    return line if block.token.hidden else f"<p{_direction(block)}>{line}</p>"


def _direction(block: Block) -> str:
    return ' dir="rtl"' if is_right_to_left(block.words) else ""


def _write_list(block: Block, page: HtmlPage) -> str:
    items, tasks = draw_checkboxes(block.children, " ")
    if block.kind == "ordered_list":
        start = int(block.token.attrs.get("start", 1))
        opening, closing = f'<ol start="{start}">' if start != 1 else "<ol>", "</ol>"
    else:
        opening = '<ul class="tasks">' if tasks and tasks == len(items) else "<ul>"
        closing = "</ul>"
    written = (f"<li>{write_blocks(item, page)}</li>" for item in items)
    return f"{opening}{''.join(written)}{closing}"


def _write_quote(block: Block, page: HtmlPage) -> str:
    callout = find_callout(block, page.words)
    if callout is None:
        return f"<blockquote>{write_blocks(block.children, page)}</blockquote>"
    label = write_line(callout.label.line, page)
    content = write_blocks(callout.content, page)
    return f'<aside class="{callout.kind}"><p class="label">{label}</p>{content}</aside>'


def _write_code(block: Block, page: HtmlPage) -> str:
    """Write code; it may be wider than the page, so the keyboard can focus and scroll it."""
    code = f'<pre tabindex="0"><code>{escape(block.token.content)}</code></pre>'
    if get_code_language(block) not in DIAGRAMS:
        return code
    caption = f"<figcaption>{escape(page.say(NOT_DRAWN))}</figcaption>"
    return f'<figure class="diagram">{caption}{code}</figure>'


def _write_figure(block: Block, page: HtmlPage) -> str:
    shown = page.place_picture(block.token)
    caption = write_line(block.line, page)
    if not shown:
        colon = page.colon if caption else ""
        return f'<p class="absent"><em>{escape(page.say(NOT_SHOWN))}</em>{colon}{caption}</p>'
    caption = f"<figcaption>{caption}</figcaption>" if caption else ""
    return f"<figure>{shown}{caption}</figure>"


def _write_call(token: Token, _: HtmlPage) -> str:
    number = token.meta[NUMBER]
    anchor = f' id="call{number}"' if token.meta[IS_FIRST] else ""
    return f'<sup{anchor}><a href="#note{number}">{number}</a></sup>'


def write_notes(notes: Mapping[int, Sequence[Token]], page: HtmlPage) -> str:
    """Write the footnotes at the end, each with a link back to its call."""
    if not notes:
        return ""
    back = escape(page.say(BACK))
    items = (
        f'<li id="note{number}">{write_line(line, page)} '
        f'<a href="#call{number}" aria-label="{back}">↩</a></li>'
        for number, line in sorted(notes.items())
    )
    label = escape(page.say(NOTES))
    return f'<section class="notes" aria-label="{label}"><ol>{"".join(items)}</ol></section>'


def _write_table(table: Block, page: HtmlPage) -> str:
    head, *rows = read_rows(table)
    columns = [[row[index] for row in (head, *rows)] for index in range(len(head))]
    sides = [_class_of(index, cells) for index, cells in enumerate(columns)]
    body = "".join(_write_row("td", row, sides, page) for row in rows)
    header = _write_row("th", head, sides, page)
    rows_of_table = f"<thead>{header}</thead><tbody>{body}</tbody>"
    return f'<div class="scroll" tabindex="0"><table>{rows_of_table}</table></div>'


def _class_of(index: int, cells: Sequence[Block]) -> str:
    """Return the class of a column: its alignment, or `wide` if it is too wide for a phone."""
    side = choose_alignment(index, cells)
    wide = side == "left" and any(len(cell.words) > _WIDE for cell in cells)
    return "wide" if wide else side


def _write_row(tag: str, row: Sequence[Block], sides: Sequence[str], page: HtmlPage) -> str:
    openings = (f"<{tag}>" if side == "left" else f'<{tag} class="{side}">' for side in sides)
    cells = (
        f"{opening}{write_line(cell.line, page)}</{tag}>"
        for opening, cell in zip(openings, row, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"


_STYLES: Final = {
    "strong_open": "strong",
    "em_open": "em",
    "s_open": "s",
    "sub_open": "sub",
    "sup_open": "sup",
}

_LEAVES: Final[Mapping[str, Callable[[Token, HtmlPage], str]]] = {
    "text": lambda token, _: escape(token.content),
    "code_inline": lambda token, _: f"<code>{escape(token.content)}</code>",
    "maths": lambda token, page: page.formulas.to_html(
        token.content, displayed=token.markup == "$$"
    ),
    "softbreak": lambda _, page: "<br>" if page.keeps_lines else "\n",
    "hardbreak": lambda _, __: "<br>",
    "image": lambda token, page: page.place_picture(token) or f"<em>{escape(token.content)}</em>",
    "footnote": _write_call,
}

_WRITERS: Final[Mapping[str, Callable[[Block, HtmlPage], str]]] = {
    "heading": _write_heading,
    "paragraph": _write_paragraph,
    "bullet_list": _write_list,
    "ordered_list": _write_list,
    "blockquote": _write_quote,
    "fence": _write_code,
    "code_block": _write_code,
    "maths_block": lambda block, page: page.formulas.to_html(block.token.content, displayed=True),
    "table": _write_table,
    "page_break": lambda _, __: "",
    "hr": lambda block, _: '<hr class="write">' if block.is_writing_line else "<hr>",
    "figure": _write_figure,
}
