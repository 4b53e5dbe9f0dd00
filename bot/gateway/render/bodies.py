"""The bodies that carry one outgoing thing on one channel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from bot.contracts import Capabilities
from bot.gateway.render.buttons import (
    Rows,
    add_listing,
    lay_out,
    list_lettered,
    stay_distinct,
)
from bot.gateway.render.chunks import Form, Measure, Piece, count_utf16, cut, keep_end
from bot.gateway.render.entities import MOST, to_entities
from bot.gateway.render.escaping import escape
from bot.gateway.render.gsm import count_cost, segments, to_gsm7
from bot.gateway.render.latex import spell_formulas
from bot.gateway.render.markdown import Layout, read
from bot.gateway.render.markers import to_markers
from bot.gateway.render.plain import to_plain
from bot.gateway.render.styled import Styled
from bot.gateway.render.substitutes import substitute
from bot.gateway.render.unfinished import complete
from bot.messages import (
    AskApproval,
    AskQuiz,
    Body,
    Button,
    Entity,
    FileBody,
    Invoice,
    Outgoing,
    Say,
    SendCode,
    ShareFile,
    TemplateBody,
    TextBody,
)
from bot.texts import say
from bot.typography import to_ordinary_signs, typeset

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
_MEASURES: Mapping[str, Measure] = {"utf16": count_utf16, "characters": len, "gsm7": count_cost}


def render(outgoing: Outgoing, capabilities: Capabilities, language: str = "en") -> list[Body]:
    """The bodies that say `outgoing` on a channel, in order; each is within its limits.

    Buttons stand under the last one. A blank text without buttons gives no body.

    Args:
        language: of the person, for the typography and for what a channel needs said beside it.
    """
    if capabilities.text_unit != "gsm7":  # its alphabet has neither such spaces nor apostrophes
        outgoing = typeset_outgoing(outgoing, language)
    bodies = _render(outgoing, capabilities, language)
    if not capabilities.opens_lists:
        return bodies
    return [_name_list(body, language) for body in bodies]


def typeset_outgoing(outgoing: Outgoing, language: str) -> Outgoing:
    """`outgoing` with the typography of `language` in all that people read of it."""
    if language != "fr":
        return outgoing
    change = msgspec.structs.replace
    match outgoing:
        case Say():
            words = typeset(outgoing.markdown, language)
            return change(outgoing, markdown=words, buttons=_label(outgoing.buttons, language))
        case AskQuiz():
            options = tuple(typeset(option, language) for option in outgoing.options)
            return change(outgoing, question=typeset(outgoing.question, language), options=options)
        case AskApproval():
            words = typeset(outgoing.text, language)
            return change(outgoing, text=words, buttons=_label(outgoing.buttons, language))
        case ShareFile() if outgoing.caption:
            return change(outgoing, caption=typeset(outgoing.caption, language))
        case _:
            return outgoing


def _label(buttons: tuple[Button, ...], language: str) -> tuple[Button, ...]:
    return tuple(Button(typeset(each.label, language), each.token) for each in buttons)


def _name_list(body: Body, language: str) -> Body:
    if not isinstance(body, TextBody) or not body.buttons:
        return body
    return msgspec.structs.replace(body, list_label=say(language, "Choose"))


def _render(outgoing: Outgoing, capabilities: Capabilities, language: str) -> list[Body]:
    match outgoing:
        case Say():
            return [*_say(outgoing, capabilities)]
        case AskQuiz():
            return [*_ask(outgoing, capabilities, language)]
        case AskApproval():
            return [*_ask_consent(outgoing, capabilities)]
        case SendCode():
            return _send_code(outgoing, capabilities)
        case ShareFile():
            return _share(outgoing, capabilities)
        case _:
            unknown = isinstance(outgoing, Invoice) and not capabilities.invoices
            return [] if unknown else [outgoing]


def draft(markdown: str, capabilities: Capabilities) -> tuple[str, tuple[Entity, ...]]:
    """The last `max_text` units of an answer that is still being written, and their entities.

    Markup that is not closed yet is read as if it were.
    """
    if capabilities.markup == "markdown":
        return markdown, ()
    styled = _spell(read(complete(markdown), _LAYOUTS[capabilities.markup]), capabilities)
    form, measure = _FORMS[capabilities.markup], _MEASURES[capabilities.text_unit]
    return keep_end(styled, form, measure, capabilities.max_text)


def _say(say: Say, capabilities: Capabilities) -> list[TextBody]:
    if capabilities.markup == "markdown":
        rows = _one_a_row(say.buttons)
        body = TextBody(say.markdown, buttons=rows, choices=say.buttons, shown=say.shown)
        return [body] if say.markdown.strip() or say.buttons else []
    styled = read(say.markdown, _LAYOUTS[capabilities.markup])
    return _choose(styled, say.buttons, capabilities, shown=say.shown)


def _send_code(sent: SendCode, capabilities: Capabilities) -> list[Body]:
    if sent.template:
        return [TemplateBody(sent.markdown, sent.code_id)]
    bodies = _say(Say(sent.markdown), capabilities)
    return [msgspec.structs.replace(body, code_id=sent.code_id) for body in bodies]


def _ask(quiz: AskQuiz, capabilities: Capabilities, language: str) -> list[TextBody]:
    labels = [spell_formulas(option) for option in quiz.options]
    buttons = tuple(Button(*pair) for pair in zip(labels, quiz.tokens, strict=True))
    if capabilities.markup == "markdown":
        options = list_lettered([escape(option) for option in quiz.options], "  \n")
        text = f"{quiz.question}\n\n{options}"
        return [TextBody(text, buttons=_one_a_row(buttons), choices=buttons, quiz=quiz)]
    styled = read(quiz.question, _LAYOUTS[capabilities.markup])
    hint = "" if capabilities.max_buttons else say(language, "Reply with the number.")
    return _choose(styled, buttons, capabilities, hint=hint)


def _ask_consent(asked: AskApproval, capabilities: Capabilities) -> list[TextBody]:
    bodies = _say(Say(asked.text, asked.buttons), capabilities)
    if bodies and capabilities.markup == "markdown":
        bodies[-1] = msgspec.structs.replace(bodies[-1], approval=asked)
    return bodies


def _share(file: ShareFile, capabilities: Capabilities) -> list[Body]:
    """The file, with as much of its caption as fits; the rest as text."""
    if capabilities.markup == "markdown" or not file.caption:
        return [FileBody(file)]
    styled = _spell(read(file.caption, _LAYOUTS[capabilities.markup]), capabilities)
    caption = Piece("", (), 0)
    if capabilities.max_caption:
        caption = next(_cut(styled, capabilities, capabilities.max_caption), caption)
    rest = styled.part(caption.end, len(styled.text))
    body = FileBody(msgspec.structs.replace(file, caption=caption.text), caption.entities)
    return [body, *_to_bodies(_cut(rest, capabilities, capabilities.max_text), capabilities)]


def _choose(
    styled: Styled,
    buttons: tuple[Button, ...],
    capabilities: Capabilities,
    *,
    shown: bool = False,
    hint: str = "",
) -> list[TextBody]:
    """
    Args:
        hint: a line under the options that says how to answer.
    """
    choices = lay_out(buttons, capabilities)
    styled = add_listing(styled, "\n".join(filter(None, (choices.listing, hint))))
    if stay_distinct(buttons, substitute):
        styled = _spell(styled, capabilities)
    elif capabilities.text_unit == "gsm7":
        styled = Styled(to_ordinary_signs(styled.text), styled.spans)
    pieces = list(_cut(styled, capabilities, capabilities.max_text))
    if choices.rows and capabilities.markup == "markers":
        pieces = _shorten_last(styled, pieces, capabilities)
    bodies = _to_bodies(pieces, capabilities, shown=shown)
    if buttons and bodies:
        bodies[-1] = msgspec.structs.replace(bodies[-1], buttons=choices.rows, choices=buttons)
    return bodies


def _spell(styled: Styled, capabilities: Capabilities) -> Styled:
    """`styled` in the alphabet that costs least, decided once for the whole of it."""
    if capabilities.text_unit != "gsm7":
        return styled
    text = to_gsm7(to_ordinary_signs(styled.text))
    return styled if text == styled.text else Styled(text)


def _shorten_last(styled: Styled, pieces: list[Piece], capabilities: Capabilities) -> list[Piece]:
    """Cut the last piece again where it is too long to have buttons."""
    if not pieces or _MEASURES[capabilities.text_unit](pieces[-1].text) <= MAX_ABOVE_BUTTONS:
        return pieces
    start = pieces[-2].end if len(pieces) > 1 else 0
    last = styled.part(start, len(styled.text))
    return [*pieces[:-1], *_cut(last, capabilities, MAX_ABOVE_BUTTONS)]


def _to_bodies(
    pieces: Iterable[Piece], capabilities: Capabilities, *, shown: bool = False
) -> list[TextBody]:
    count = segments if capabilities.text_unit == "gsm7" else None
    return [
        TextBody(text, entities, segments=count(text).paid if count else 0, shown=shown)
        for text, entities, _ in pieces
    ]


def _cut(styled: Styled, capabilities: Capabilities, limit: int) -> Iterator[Piece]:
    form, measure = _FORMS[capabilities.markup], _MEASURES[capabilities.text_unit]
    return cut(styled, form, measure, limit, MOST if form is to_entities else len(styled.spans))


def _one_a_row(buttons: Sequence[Button]) -> Rows:
    return tuple((button,) for button in buttons)
