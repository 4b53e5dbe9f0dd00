"""The bodies that carry one outgoing thing on one channel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from bot.contracts import Capabilities
from bot.gateway.render.buttons import Rows, add_listing, lay_out, list_lettered
from bot.gateway.render.chunks import Form, Measure, Piece, count_utf16, cut, keep_end
from bot.gateway.render.entities import MOST, to_entities
from bot.gateway.render.markdown import Layout, read
from bot.gateway.render.markers import to_markers
from bot.gateway.render.plain import to_plain
from bot.gateway.render.styled import Styled
from bot.gateway.render.unfinished import complete
from bot.messages import (
    AskQuiz,
    Body,
    Button,
    Entity,
    FileBody,
    Outgoing,
    Say,
    ShareFile,
    TextBody,
)

MAX_ABOVE_BUTTONS = 1024
"""WhatsApp's limit for a text with buttons or a list under it."""
_LAYOUTS: Mapping[str, Layout] = {
    "entities": Layout(),
    "markers": Layout(links=False),
    "plain": Layout(
        links=False, monospace=False, bullet="-", boxes=("[ ]", "[x]"), rule="--------"
    ),
}
_FORMS: Mapping[str, Form] = {
    "entities": to_entities,
    "markers": to_markers,
    "plain": to_plain,
}
_SPECIAL = re.compile(r"[\\`*_~\[\]<>#$|&!]")


def render(outgoing: Outgoing, capabilities: Capabilities) -> list[Body]:
    """The bodies that say `outgoing` on a channel, in order; each is within its limits.

    Buttons stand under the last one. A blank text without buttons gives no body.
    """
    match outgoing:
        case Say():
            return [*_say(outgoing, capabilities)]
        case AskQuiz():
            return [*_ask(outgoing, capabilities)]
        case ShareFile():
            return _share(outgoing, capabilities)
        case _:
            return [outgoing]


def draft(markdown: str, capabilities: Capabilities) -> tuple[str, tuple[Entity, ...]]:
    """The last `max_text` units of an answer that is still being written, and their entities.

    Markup that is not closed yet is read as if it were.
    """
    if capabilities.markup == "markdown":
        return markdown, ()
    styled = read(complete(markdown), _LAYOUTS[capabilities.markup])
    return keep_end(
        styled, _FORMS[capabilities.markup], _measure(capabilities), capabilities.max_text
    )


def _say(say: Say, capabilities: Capabilities) -> list[TextBody]:
    if capabilities.markup == "markdown":
        body = TextBody(say.markdown, buttons=_one_a_row(say.buttons), shown=say.shown)
        return [body] if say.markdown.strip() or say.buttons else []
    styled = read(say.markdown, _LAYOUTS[capabilities.markup])
    return _choose(styled, say.buttons, capabilities, shown=say.shown)


def _ask(quiz: AskQuiz, capabilities: Capabilities) -> list[TextBody]:
    buttons = [Button(*pair) for pair in zip(quiz.options, quiz.tokens, strict=True)]
    if capabilities.markup == "markdown":
        options = list_lettered([_escape(option) for option in quiz.options], "  \n")
        text = f"{quiz.question}\n\n{options}"
        return [TextBody(text, buttons=_one_a_row(buttons), quiz=quiz)]
    styled = read(quiz.question, _LAYOUTS[capabilities.markup])
    return _choose(styled, buttons, capabilities)


def _share(file: ShareFile, capabilities: Capabilities) -> list[Body]:
    """The file, with as much of its caption as fits; the rest as text."""
    if capabilities.markup == "markdown" or not file.caption:
        return [FileBody(file)]
    styled = read(file.caption, _LAYOUTS[capabilities.markup])
    caption = Piece("", (), 0)
    if capabilities.max_caption:
        caption = next(_cut(styled, capabilities, capabilities.max_caption), caption)
    rest = styled.part(caption.end, len(styled.text))
    body = FileBody(msgspec.structs.replace(file, caption=caption.text), caption.entities)
    return [body, *_to_bodies(_cut(rest, capabilities, capabilities.max_text))]


def _choose(
    styled: Styled, buttons: Sequence[Button], capabilities: Capabilities, *, shown: bool = False
) -> list[TextBody]:
    choices = lay_out(buttons, capabilities)
    styled = add_listing(styled, choices.listing)
    pieces = list(_cut(styled, capabilities, capabilities.max_text))
    if choices.rows and capabilities.markup == "markers":
        pieces = _shorten_last(styled, pieces, capabilities)
    return _to_bodies(pieces, choices.rows, shown=shown)


def _shorten_last(styled: Styled, pieces: list[Piece], capabilities: Capabilities) -> list[Piece]:
    """Cut the last piece again where it is too long to have buttons."""
    if not pieces or _measure(capabilities)(pieces[-1].text) <= MAX_ABOVE_BUTTONS:
        return pieces
    start = pieces[-2].end if len(pieces) > 1 else 0
    last = styled.part(start, len(styled.text))
    return [*pieces[:-1], *_cut(last, capabilities, MAX_ABOVE_BUTTONS)]


def _to_bodies(pieces: Iterable[Piece], rows: Rows = (), *, shown: bool = False) -> list[TextBody]:
    bodies = [TextBody(piece.text, piece.entities, shown=shown) for piece in pieces]
    if rows and bodies:
        bodies[-1] = msgspec.structs.replace(bodies[-1], buttons=rows)
    return bodies


def _cut(styled: Styled, capabilities: Capabilities, limit: int) -> Iterator[Piece]:
    form, measure = _FORMS[capabilities.markup], _measure(capabilities)
    return cut(styled, form, measure, limit, MOST if form is to_entities else len(styled.spans))


def _measure(capabilities: Capabilities) -> Measure:
    return count_utf16 if capabilities.text_unit == "utf16" else len


def _one_a_row(buttons: Sequence[Button]) -> Rows:
    return tuple((button,) for button in buttons)


def _escape(text: str) -> str:
    """Plain text as markdown."""
    return _SPECIAL.sub(r"\\\g<0>", text)
