"""Blocks of a document as HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Final

from markdown_it.token import Token

from bot.library.office.text import is_leftward
from bot.library.pages.blocks import Block
from bot.library.pages.callouts import find_callout
from bot.library.pages.mathml import Formulas
from bot.library.pages.tables import read_rows, side_of

_DEEPEST = 12
"""Emphasis within emphasis."""
_WIDE = 30
"""Characters of a cell from which on its column is wide."""
_LINKABLE: Final = ("http://", "https://", "mailto:")
_TASKS: Final = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}


def write_blocks(blocks: Iterable[Block], formulas: Formulas) -> str:
    """The blocks one after another. Headings have the ids `s1`, `s2` … of `name_headings`."""
    return "\n".join(_WRITERS[block.kind](block, formulas) for block in blocks)


def name_headings(blocks: Iterable[Block]) -> list[tuple[str, Block]]:
    """The headings with the ids that they get."""
    headings = [block for block in blocks if block.level]
    for number, block in enumerate(headings, start=1):
        block.token.attrs["id"] = f"s{number}"
    return [(str(block.token.attrs["id"]), block) for block in headings]


def write_line(tokens: Iterable[Token], formulas: Formulas) -> str:
    """What stands in a line."""
    written: list[str] = []
    ends: list[str] = []
    for token in tokens:
        if token.nesting > 0:
            opening, closing = _style(token) if len(ends) < _DEEPEST else ("", "")
            written.append(opening)
            ends.append(closing)
        elif token.nesting < 0:
            written.append(ends.pop())
        else:
            written.append(_LEAVES[token.type](token, formulas))
    return "".join(written)


def _style(token: Token) -> tuple[str, str]:
    if token.type in _STYLES:
        return f"<{_STYLES[token.type]}>", f"</{_STYLES[token.type]}>"
    url = str(token.attrs.get("href", ""))
    return (f'<a href="{escape(url)}">', "</a>") if url.startswith(_LINKABLE) else ("", "")


def _write_heading(block: Block, formulas: Formulas) -> str:
    tag = f"h{min(block.level + 1, 6)}"
    anchor = escape(str(block.token.attrs.get("id", "")))
    return f'<{tag} id="{anchor}"{_direction(block)}>{write_line(block.line, formulas)}</{tag}>'


def _write_paragraph(block: Block, formulas: Formulas) -> str:
    line = write_line(block.line, formulas)
    return line if block.token.hidden else f"<p{_direction(block)}>{line}</p>"


def _direction(block: Block) -> str:
    return ' dir="rtl"' if is_leftward(block.words) else ""


def _write_list(block: Block, formulas: Formulas) -> str:
    items = [list(item.children) for item in block.children]
    if block.kind == "ordered_list":
        start = int(block.token.attrs.get("start", 1))
        opening, closing = f'<ol start="{start}">' if start != 1 else "<ol>", "</ol>"
    elif all(map(_is_task, items)):
        items = [[_check(item[0]), *item[1:]] for item in items]
        opening, closing = '<ul class="tasks">', "</ul>"
    else:
        opening, closing = "<ul>", "</ul>"
    written = (f"<li>{write_blocks(item, formulas)}</li>" for item in items)
    return f"{opening}{''.join(written)}{closing}"


def _is_task(item: Sequence[Block]) -> bool:
    line = item[0].line if item else ()
    return bool(line) and line[0].content[:4] in _TASKS


def _check(block: Block) -> Block:
    first, *others = block.line
    return block.with_line(
        [first.copy(content=_TASKS[first.content[:4]] + first.content[4:]), *others]
    )


def _write_quote(block: Block, formulas: Formulas) -> str:
    callout = find_callout(block)
    if callout is None:
        return f"<blockquote>{write_blocks(block.children, formulas)}</blockquote>"
    label = write_line(callout.label.line, formulas)
    content = write_blocks(callout.content, formulas)
    return f'<aside class="{callout.kind}"><p class="label">{label}</p>{content}</aside>'


def _write_code(block: Block, _: Formulas) -> str:
    return f"<pre><code>{escape(block.token.content)}</code></pre>"


def _write_maths(block: Block, formulas: Formulas) -> str:
    return formulas.to_html(block.token.content, displayed=True)


def _write_rule(_: Block, __: Formulas) -> str:
    return "<hr>"


def _write_table(table: Block, formulas: Formulas) -> str:
    head, *rows = read_rows(table)
    columns = [[row[index] for row in (head, *rows)] for index in range(len(head))]
    sides = [_class_of(index, cells) for index, cells in enumerate(columns)]
    body = "".join(_write_row("td", row, sides, formulas) for row in rows)
    header = _write_row("th", head, sides, formulas)
    return f'<div class="scroll"><table><thead>{header}</thead><tbody>{body}</tbody></table></div>'


def _class_of(index: int, cells: Sequence[Block]) -> str:
    """Where a column is flush; or that it is wide enough to need room on a phone."""
    side = side_of(index, cells)
    wide = side == "left" and any(len(cell.words) > _WIDE for cell in cells)
    return "wide" if wide else side


def _write_row(tag: str, row: Sequence[Block], sides: Sequence[str], formulas: Formulas) -> str:
    openings = (f"<{tag}>" if side == "left" else f'<{tag} class="{side}">' for side in sides)
    cells = (
        f"{opening}{write_line(cell.line, formulas)}</{tag}>"
        for opening, cell in zip(openings, row, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"


_STYLES: Final = {"strong_open": "strong", "em_open": "em", "s_open": "s"}
_LEAVES: Final[Mapping[str, Callable[[Token, Formulas], str]]] = {
    "text": lambda token, _: escape(token.content),
    "code_inline": lambda token, _: f"<code>{escape(token.content)}</code>",
    "maths": lambda token, formulas: formulas.to_html(
        token.content, displayed=token.markup == "$$"
    ),
    "softbreak": lambda _, __: "\n",
    "hardbreak": lambda _, __: "<br>",
    "image": lambda token, _: f"<em>{escape(token.content)}</em>",
}
_WRITERS: Final[Mapping[str, Callable[[Block, Formulas], str]]] = {
    "heading": _write_heading,
    "paragraph": _write_paragraph,
    "bullet_list": _write_list,
    "ordered_list": _write_list,
    "blockquote": _write_quote,
    "fence": _write_code,
    "code_block": _write_code,
    "maths_block": _write_maths,
    "table": _write_table,
    "hr": _write_rule,
}
