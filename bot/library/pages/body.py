"""Blocks of a document as Typst's markup, whose functions stand in `templates/common.typ`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from markdown_it.token import Token

from bot.library.office.text import is_leftward
from bot.library.pages.blocks import Block
from bot.library.pages.figures import DIAGRAMS, language_of
from bot.library.pages.lines import Hand
from bot.library.pages.manuscript import NOT_DRAWN
from bot.library.pages.source import call, quote, soften
from bot.library.pages.tables import write_table

_LANGUAGE = re.compile(r"[A-Za-z0-9+#-]{1,20}")
_TASKS: Final = {"[ ] ": "☐\u2002", "[x] ": "☑\u2002", "[X] ": "☑\u2002"}
_DEEPEST_HEADING = 4


def write_body(blocks: Iterable[Block], hand: Hand) -> str:
    """The blocks one after another, parted as paragraphs are."""
    return "\n\n".join(filter(None, (_WRITERS[block.kind](block, hand) for block in blocks)))


def _write_heading(block: Block, hand: Hand) -> str:
    level = min(block.level, _DEEPEST_HEADING)
    return call("heading", hand.write(block.line), named=f"level: {level}") if block.words else ""


def _write_paragraph(block: Block, hand: Hand) -> str:
    line = hand.write(block.line)
    if is_leftward(block.words):
        return call("leftward", line)
    return call("lead", line) if block.words.endswith(":") else line


def _write_list(block: Block, hand: Hand) -> str:
    ordered = block.kind == "ordered_list"
    items = [list(item.children) for item in block.children]
    named = ""
    if ordered:
        named = f"start: {block.token.attrs.get('start', 1)}"
    elif any(map(_is_task, items)):
        named = "marker: []" if all(map(_is_task, items)) else ""
        items = [[_check(item[0]), *item[1:]] if _is_task(item) else item for item in items]
    bodies = [write_body(item, hand) for item in items]
    tight = all(len(item) < 2 or item[1].kind.endswith("_list") for item in items)
    arguments = ", ".join(
        [f"tight: {'true' if tight else 'false'}", *filter(None, [named])]
        + [f"[{body}]" for body in bodies]
    )
    return f"#{'enum' if ordered else 'list'}({arguments})"


def _is_task(item: Sequence[Block]) -> bool:
    line = item[0].line if item else ()
    return bool(line) and line[0].content[:4] in _TASKS


def _check(block: Block) -> Block:
    first, *others = block.line
    box = Token("text", "", 0, content=_TASKS[first.content[:4]] + first.content[4:])
    return block.with_line([box, *others])


def _write_quote(block: Block, hand: Hand) -> str:
    return call("quoted", write_body(block.children, hand))


def _write_code(block: Block, hand: Hand) -> str:
    code = soften(block.token.content.rstrip("\n"))
    language = language_of(block)
    if language in DIAGRAMS:
        return call("diagram", named=f"{quote(hand.say(NOT_DRAWN))}, {quote(code)}")
    coloured = hand.colours_code and _LANGUAGE.fullmatch(language)
    named = f", lang: {quote(language)}" if coloured else ""
    return f"#raw({quote(code)}, block: true{named})" if code.strip() else ""


def _write_figure(block: Block, hand: Hand) -> str:
    return hand.picture(block.token, hand.write(block.line))


def _write_maths(block: Block, hand: Hand) -> str:
    return hand.formula(block.token.content, displayed=True)


def _write_rule(_: Block, __: Hand) -> str:
    return "#divider()"


_WRITERS: Final[Mapping[str, Callable[[Block, Hand], str]]] = {
    "heading": _write_heading,
    "paragraph": _write_paragraph,
    "bullet_list": _write_list,
    "ordered_list": _write_list,
    "blockquote": _write_quote,
    "fence": _write_code,
    "code_block": _write_code,
    "maths_block": _write_maths,
    "table": write_table,
    "hr": _write_rule,
    "figure": _write_figure,
}
