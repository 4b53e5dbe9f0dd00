"""Render as one rich message what plain messages can only describe, together with its plain form.

Pure. `rich_html.py` writes the HTML.

The plain form is sent if the rich message is refused: the text, cut where it is too long, and the
picture of its formulas.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from bot.contracts.channels import Capabilities, RichLimits
from bot.formulas.line_text import replace_formulas
from bot.formulas.native import to_native
from bot.messages.outgoing import (
    AskExercise,
    AskQuiz,
    Body,
    FileBody,
    Outgoing,
    RichForm,
    Say,
    ShareFile,
    TextBody,
)
from bot.render.formula_pictures import formulas_in
from bot.render.renderer import (
    escape_markdown,
    lay_out_buttons,
    option_letter,
    question_buttons,
    question_hint,
    question_words,
    render_outgoing,
    typeset_outgoing,
)
from bot.render.rich_html import Block, RichHtml, read_blocks, take_rows, write_html

_MAY_BE_BETTER = re.compile(r"[#|$\\]|\*\*|^[=-]+\s*$", re.MULTILINE)
"""A text without any of these has no title, table or formula."""
_LINE_END = re.compile(r"\r\n?|\n")


def render_rich(
    outgoing: Sequence[Outgoing], capabilities: Capabilities, language: str
) -> Iterator[Body]:
    """Yield the bodies of all items, on a channel with rich messages."""
    index = 0
    while index < len(outgoing):
        item, after = outgoing[index], outgoing[index + 1 : index + 2]
        index += 1
        match item, after:
            case Say(), [ShareFile(shows_formulas=True) as picture] if formulas_in(item.markdown):
                yield from _render_text(item, picture, capabilities, language)
                index += 1
            case Say(), _:
                yield from _render_text(item, None, capabilities, language)
            case ShareFile(shows_formulas=True) as picture, [AskQuiz() | AskExercise() as asked]:
                yield from _render_question(asked, picture, capabilities, language)
                index += 1
            case ((AskQuiz() | AskExercise()), _):
                yield from _render_question(item, None, capabilities, language)
            case _:
                yield from render_outgoing(item, capabilities, language)


def _render_text(
    said: Say, picture: ShareFile | None, capabilities: Capabilities, language: str
) -> Iterator[Body]:
    pictures = [FileBody(picture)] if picture else []
    words = _typeset(said, language).markdown
    if not capabilities.rich or not _MAY_BE_BETTER.search(words):
        yield from [*render_outgoing(said, capabilities, language), *pictures]
        return
    blocks = read_blocks(words)
    listing = lay_out_buttons(said.buttons, capabilities).listing
    ended = [*blocks, *_read_lines(listing.split("\n"))]
    written = write_html(ended, capabilities.rich)
    if written and written.is_better:
        plain = render_outgoing(said, capabilities, language)
        if written.needs_picture:
            yield from [_put_together(written, plain), *pictures]
        else:
            yield _put_together(written, [*plain, *pictures])
    elif written is None and len(chunks := _split(words, blocks, capabilities.rich)) > 1:
        for chunk in chunks:
            buttons = said.buttons if chunk is chunks[-1] else ()
            part = replace(said, markdown=chunk, buttons=buttons)
            yield from _render_text(part, None, capabilities, language)
        yield from pictures
    else:
        yield from [*render_outgoing(said, capabilities, language), *pictures]


def _typeset(said: Say, language: str) -> Say:
    typeset = typeset_outgoing(said, language)
    return typeset if isinstance(typeset, Say) else said


def _split(words: str, blocks: Sequence[Block], limits: RichLimits) -> list[str]:
    """Split the text into parts of whole blocks, each within the limits as far as possible; titles
    are in the part of the block after them. A table too large for one part becomes several."""
    lines = _cut_tables(_LINE_END.split(words), blocks, limits)
    blocks = read_blocks("\n".join(lines))
    firsts = [0]
    for index in range(1, len(blocks)):
        if write_html(blocks[firsts[-1] : index + 1], limits) is None:
            first = _find_first_title(blocks, index)
            if first > firsts[-1]:
                firsts.append(first)
    starts = [0, *(blocks[index].lines[0] for index in firsts[1:])]
    ends = [*starts[1:], len(lines)]
    return ["\n".join(lines[start:end]) for start, end in zip(starts, ends, strict=True)]


def _find_first_title(blocks: Sequence[Block], index: int) -> int:
    """Return the index of the first title of those right before a block; its own if there is
    none."""
    while index and blocks[index - 1].level:
        index -= 1
    return index


def _cut_tables(lines: Sequence[str], blocks: Sequence[Block], limits: RichLimits) -> list[str]:
    """Cut each table that is too large for a message into several that repeat its header, each as
    large as fits below the table's titles."""
    cut = list(lines)
    for index in reversed(range(len(blocks))):
        titles, table = blocks[_find_first_title(blocks, index) : index], blocks[index]
        if table.tokens[0].type == "table_open" and write_html([*titles, table], limits) is None:
            first, last = table.lines
            cut[first:last] = _cut_table(lines[first:last], titles, table, limits)
    return cut


def _cut_table(
    lines: Sequence[str], titles: Sequence[Block], table: Block, limits: RichLimits
) -> Sequence[str]:
    """Return a table's lines as those of several tables; unchanged if a row fits in no message."""
    header, rows = lines[:2], lines[2:]
    tables: list[str] = []
    start = 0
    while start < len(rows):
        most = min(len(rows), start + limits.blocks)  # each row is a block
        is_too_large = partial(_is_too_large, titles, table, limits, start)
        end = start + bisect_left(range(start + 1, most + 1), x=True, key=is_too_large)
        if end == start:
            return lines
        tables += [*header, *rows[start:end], ""]
        start = end
    return tables[:-1] or lines


def _is_too_large(
    titles: Sequence[Block], table: Block, limits: RichLimits, start: int, end: int
) -> bool:
    """Return whether these rows of a table, below its titles, exceed the limits of a message."""
    return write_html([*titles, take_rows(table, start, end)], limits) is None


def _render_question(
    asked: AskQuiz | AskExercise,
    picture: ShareFile | None,
    capabilities: Capabilities,
    language: str,
) -> Iterator[Body]:
    """Yield a question with its options under it; the picture of its formulas comes before it."""
    plain = render_outgoing(asked, capabilities, language)
    pictures = [FileBody(picture)] if picture else []
    written = _write_question(asked, capabilities, language)
    if written is None or not written.is_better:
        yield from [*pictures, *plain]
    elif written.needs_picture:
        yield from [*pictures, _put_together(written, plain)]
    else:
        yield _put_together(written, [*pictures, *plain])


def _write_question(
    asked: AskQuiz | AskExercise, capabilities: Capabilities, language: str
) -> RichHtml | None:
    typeset = typeset_outgoing(asked, language)
    if not capabilities.rich or not isinstance(typeset, AskQuiz | AskExercise):
        return None
    listing = lay_out_buttons(question_buttons(typeset), capabilities).listing
    lines: list[str] = []
    if listing or any(map(_needs_setting, typeset.options)):
        lines = [
            f"{option_letter(index)}) {_keep_formulas(option)}"
            for index, option in enumerate(typeset.options)
        ]
    hint = question_hint(asked, capabilities, language)
    blocks = [
        *read_blocks(question_words(typeset)),
        *read_blocks("  \n".join(lines)),
        *_read_lines([hint]),
    ]
    return write_html(blocks, capabilities.rich)


def _needs_setting(option: str) -> bool:
    """Return whether a formula of the option needs more than the line of text on its button."""
    return any(to_native(formula) for formula in formulas_in(option))


def _keep_formulas(option: str) -> str:
    """Return an option as markdown: formulas stay, the rest is escaped."""
    parts = replace_formulas(option, lambda formula: f"\0{formula}\0").split("\0")
    return "".join(
        f"${part}$" if index % 2 else escape_markdown(part) for index, part in enumerate(parts)
    )


def _read_lines(lines: Sequence[str]) -> list[Block]:
    """Return lines without markup as one paragraph."""
    return read_blocks("  \n".join(escape_markdown(line) for line in lines if line))


def _put_together(written: RichHtml, plain: Sequence[Body]) -> Body:
    """Return the rich message with its plain form, which is sent if it is refused."""
    texts = [body for body in plain if isinstance(body, TextBody)]
    whole = texts[-1]
    if len(texts) > 1:
        whole = replace(whole, text="\n\n".join(body.text for body in texts), entities=())
    parts = tuple(body for body in plain if isinstance(body, TextBody | FileBody))
    return replace(whole, rich=RichForm(written.html, parts if len(parts) > 1 else ()))
