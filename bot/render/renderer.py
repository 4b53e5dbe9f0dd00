"""Render what Griot says as the bodies of messages on one channel.

Pure: no input or output, nothing remembered. Decides by `Capabilities`, never by a channel's name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import msgspec

from bot.contracts.channels import UNLIMITED, Capabilities
from bot.formulas.line_text import replace_formulas
from bot.i18n import say
from bot.messages.outgoing import (
    Acknowledge,
    AnswerCheckout,
    AskApproval,
    AskExercise,
    AskQuiz,
    Body,
    Button,
    EmailBody,
    Entity,
    FileBody,
    Invoice,
    Outgoing,
    RetireButtons,
    Say,
    SendCode,
    SendEmail,
    ShareFile,
    TemplateBody,
    TextBody,
    sum_segments,
)
from bot.render.markdown import Layout, close_open_markup, parse_markdown
from bot.render.sms import count_cost, count_segments, substitute, to_gsm7, to_plain
from bot.render.styled_text import MAX_ENTITIES, Styled, count_utf16, to_entities
from bot.render.text_cutting import Form, Measure, Piece, cut_styled, keep_end
from bot.render.whatsapp_markers import strip_markers, write_markers
from bot.typography import FIXED, drop_accents, shorten, to_ordinary_signs, typeset

SHORT_LABEL = 16
"""Characters that fit a button of half the width of a phone."""
Rows = tuple[tuple[Button, ...], ...]


class Choices(NamedTuple):
    listing: str
    """Lines to add to the text; empty if the buttons show the whole labels."""
    rows: Rows


def lay_out_buttons(buttons: Sequence[Button], capabilities: Capabilities) -> Choices:
    """Return how a channel shows `buttons`: tappable, lettered, or numbered where it has none.

    Listed options beyond `max_buttons` have no button: people answer with their letter or text.
    """
    labels = [button.label for button in buttons]
    if capabilities.max_buttons == 0:
        return Choices(list_numbered(labels), ())
    most, longest = capabilities.max_buttons, capabilities.max_button_label
    if len(buttons) <= most and all(len(label) <= longest for label in labels):
        return Choices("", _in_rows(buttons, capabilities))
    lettered = [
        Button(option_letter(index), button.token) for index, button in enumerate(buttons[:most])
    ]
    return Choices(list_lettered(labels), _in_rows(lettered, capabilities))


def list_numbered(labels: Sequence[str]) -> str:
    """Return `1) label`, a line each."""
    return "\n".join(f"{place}) {label}" for place, label in enumerate(labels, 1))


def list_lettered(labels: Sequence[str], line_end: str = "\n") -> str:
    """Return `A) label`, a line each."""
    return line_end.join(f"{option_letter(index)}) {label}" for index, label in enumerate(labels))


def option_letter(index: int) -> str:
    """Return the letters of an option: A, B … Z, AA, AB …"""
    last = chr(ord("A") + index % 26)
    return last if index < 26 else option_letter(index // 26 - 1) + last


def labels_stay_distinct(buttons: Sequence[Button], spell: Callable[[str], str]) -> bool:
    """Return whether labels that differ (`du`, `dû`) still differ as `spell` writes them."""
    labels = {button.label for button in buttons}
    return len({spell(label) for label in labels}) == len(labels)


def add_listing(styled: Styled, listing: str) -> Styled:
    """Return `styled` with the lines of `listing` under it."""
    if not listing:
        return styled
    return Styled(f"{styled.text}\n\n{listing}" if styled.text else listing, styled.spans)


def _in_rows(buttons: Sequence[Button], capabilities: Capabilities) -> Rows:
    """Return the buttons two a row if their labels are short and the channel has rows (with
    entities), else one a row."""
    short = all(len(button.label) <= SHORT_LABEL for button in buttons)
    width = 2 if short and capabilities.markup == "entities" else 1
    return tuple(tuple(buttons[i : i + width]) for i in range(0, len(buttons), width))


MAX_ABOVE_BUTTONS = 1024
"""WhatsApp's limit for a text with buttons or a list under it."""
_LAYOUTS: Mapping[str, Layout] = {
    "entities": Layout(),
    "markers": Layout(links=False),
    "plain": Layout(
        links=False, monospace=False, bullet="-", boxes=("[ ]", "[x]"), rule="--------"
    ),
}
_FRENCH_LAYOUTS = {
    markup: replace(layout, colon=f"{FIXED}:") for markup, layout in _LAYOUTS.items()
}
_FORMS: Mapping[str, Form] = {
    "entities": to_entities,
    "markers": write_markers,
    "plain": to_plain,
}
_MEASURES: Mapping[str, Measure] = {"utf16": count_utf16, "characters": len, "gsm7": count_cost}


def render_outgoing(
    outgoing: Outgoing, capabilities: Capabilities, language: str = "en"
) -> list[Body]:
    """Return the bodies of `outgoing` on a channel, in order; each is within its limits.

    Buttons are under the last one. A blank text without buttons gives no body.

    Args:
        language: of the person, for the typography and for texts that a channel needs besides.
    """
    if capabilities.text_unit != "gsm7":  # its alphabet has neither such spaces nor apostrophes
        outgoing = typeset_outgoing(outgoing, language)
    bodies = _render_body(outgoing, capabilities, language)
    if not capabilities.opens_lists:
        return bodies
    return [_name_list(body, language) for body in bodies]


_PLAIN = Capabilities(max_text=UNLIMITED)


def render_plain(markdown: str, language: str) -> str:
    """Return markdown as one text without markup, as channels without it show it."""
    bodies = render_outgoing(Say(markdown), _PLAIN, language)
    return "\n".join(body.text for body in bodies if isinstance(body, TextBody))


def typeset_outgoing(outgoing: Outgoing, language: str) -> Outgoing:
    """Return `outgoing` with the typography of `language` in all texts that people read."""
    if language != "fr":
        return outgoing
    change = msgspec.structs.replace
    match outgoing:
        case Say():
            words = typeset(outgoing.markdown, language)
            return change(outgoing, markdown=words, buttons=_label(outgoing.buttons, language))
        case AskQuiz() | AskExercise():
            return _typeset_question(outgoing, language)
        case AskApproval():
            words = typeset(outgoing.text, language)
            return change(outgoing, text=words, buttons=_label(outgoing.buttons, language))
        case ShareFile() if outgoing.caption:
            return change(outgoing, caption=typeset(outgoing.caption, language))
        case _:
            return outgoing


def _typeset_question(asked: AskQuiz | AskExercise, language: str) -> Outgoing:
    if isinstance(asked, AskExercise):
        return typeset_exercise(asked, language)
    options = tuple(typeset(option, language) for option in asked.options)
    question = typeset(asked.question, language)
    return msgspec.structs.replace(asked, question=question, options=options)


def typeset_exercise(asked: AskExercise, language: str) -> AskExercise:
    """Return an exercise with the typography of `language` in all that people read."""
    return msgspec.structs.replace(
        asked,
        statement=typeset(asked.statement, language),
        lead=typeset(asked.lead, language),
        options=tuple(typeset(option, language) for option in asked.options),
    )


def _label(buttons: tuple[Button, ...], language: str) -> tuple[Button, ...]:
    return tuple(
        msgspec.structs.replace(each, label=typeset(each.label, language)) for each in buttons
    )


def _name_list(body: Body, language: str) -> Body:
    if not isinstance(body, TextBody) or not body.buttons:
        return body
    return msgspec.structs.replace(body, list_label=say(language, "Choose"), language=language)


def _render_body(outgoing: Outgoing, capabilities: Capabilities, language: str) -> list[Body]:
    match outgoing:
        case Say():
            return [*_say(outgoing, capabilities, language)]
        case AskQuiz() | AskExercise():
            return [*_ask(outgoing, capabilities, language)]
        case AskApproval():
            return [*_ask_consent(outgoing, capabilities, language)]
        case SendCode():
            return _send_code(outgoing, capabilities, language)
        case ShareFile():
            return _share(outgoing, capabilities, language)
        case _:
            return _pass_on(outgoing, capabilities)


def _pass_on(
    outgoing: SendEmail | Invoice | Acknowledge | RetireButtons | AnswerCheckout,
    capabilities: Capabilities,
) -> list[Body]:
    """Return the body of an item without text to be cut or styled; none for an invoice on a channel
    that has none."""
    if isinstance(outgoing, SendEmail):
        return [EmailBody(outgoing, left=outgoing.to)]
    return [] if isinstance(outgoing, Invoice) and not capabilities.invoices else [outgoing]


def render_preview(
    markdown: str, capabilities: Capabilities, language: str = "en"
) -> tuple[str, tuple[Entity, ...]]:
    """Return the last `max_text` units of an answer that is still being written, and their
    entities.

    Markup that is not closed yet is read as if it were.
    """
    if capabilities.markup == "markdown":
        return markdown, ()
    styled = _spell(_parse(close_open_markup(markdown), capabilities, language), capabilities)
    form, measure = _FORMS[capabilities.markup], _MEASURES[capabilities.text_unit]
    return keep_end(styled, form, measure, capabilities.max_text)


def _parse(markdown: str, capabilities: Capabilities, language: str) -> Styled:
    layouts = _FRENCH_LAYOUTS if language == "fr" else _LAYOUTS
    return parse_markdown(markdown, layouts[capabilities.markup])


def _say(say: Say, capabilities: Capabilities, language: str) -> list[TextBody]:
    if capabilities.markup == "markdown":
        rows = _one_a_row(say.buttons)
        body = TextBody(say.markdown, buttons=rows, choices=say.buttons, shown=say.shown)
        return [body] if say.markdown.strip() or say.buttons else []
    styled = _parse(say.markdown, capabilities, language)
    keeps = say.keeps_letters
    bodies = _choose(styled, say.buttons, capabilities, shown=say.shown, keeps_letters=keeps)
    if bodies and say.asks_number and capabilities.asks_number:
        bodies[-1] = msgspec.structs.replace(bodies[-1], asks_number=True)
    return bodies


def _send_code(sent: SendCode, capabilities: Capabilities, language: str) -> list[Body]:
    if sent.template:
        return [TemplateBody(sent.markdown, sent.code_id)]
    bodies = _say(Say(sent.markdown), capabilities, language)
    return [msgspec.structs.replace(body, code_id=sent.code_id) for body in bodies]


def question_words(asked: AskQuiz | AskExercise) -> str:
    """Return the question as markdown; that of an exercise under its lead."""
    if isinstance(asked, AskQuiz):
        return asked.question
    return "\n\n".join(filter(None, (asked.lead, asked.statement)))


def question_hint(asked: AskQuiz | AskExercise, capabilities: Capabilities, language: str) -> str:
    """Return the line under a question that says how to answer; empty if buttons show it."""
    if not asked.options:
        return say(language, "Write your answer.")
    return "" if capabilities.max_buttons else say(language, "Reply with the number.")


def question_buttons(asked: AskQuiz | AskExercise) -> tuple[Button, ...]:
    """Return the options as buttons, with their formulas as lines of text."""
    labels = [replace_formulas(option) for option in asked.options]
    return tuple(Button(*pair) for pair in zip(labels, asked.tokens, strict=True))


def _ask(asked: AskQuiz | AskExercise, capabilities: Capabilities, language: str) -> list[TextBody]:
    """Return a question with its options under it, in one message. The line that says how to answer
    is left out where it alone would cost a further segment of SMS."""
    buttons, words = question_buttons(asked), question_words(asked)
    quiz = asked if isinstance(asked, AskQuiz) else None
    exercise = asked if isinstance(asked, AskExercise) else None
    if capabilities.markup == "markdown":
        options = list_lettered([escape_markdown(option) for option in asked.options], "  \n")
        text = "\n\n".join(filter(None, (words, options)))
        return [
            TextBody(
                text, buttons=_one_a_row(buttons), choices=buttons, quiz=quiz, exercise=exercise
            )
        ]
    styled = _parse(words, capabilities, language)
    hint = question_hint(asked, capabilities, language)
    choose = partial(_choose, styled, buttons, capabilities, keeps_letters=asked.keeps_letters)
    bodies = choose(hint=hint)
    paid = sum_segments(bodies)
    if hint and paid > 1 and sum_segments(bare := choose()) < paid:
        bodies = bare
    return [*bodies[:-1], msgspec.structs.replace(bodies[-1], exercise=exercise)]


def _ask_consent(asked: AskApproval, capabilities: Capabilities, language: str) -> list[TextBody]:
    bodies = _say(Say(asked.text, asked.buttons), capabilities, language)
    if bodies and capabilities.markup == "markdown":
        bodies[-1] = msgspec.structs.replace(bodies[-1], approval=asked)
    return bodies


def _share(file: ShareFile, capabilities: Capabilities, language: str) -> list[Body]:
    """Return the file, with as much of its caption as fits; the rest as text."""
    if capabilities.markup == "markdown" or not file.caption:
        return [FileBody(file)]
    styled = _spell(_parse(file.caption, capabilities, language), capabilities)
    caption = Piece("", (), 0)
    if limit := capabilities.find_max_caption(file.mime_type):
        caption = next(_cut(styled, capabilities, limit), caption)
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
    keeps_letters: bool = False,
) -> list[TextBody]:
    """Return a text as bodies, with buttons or a list of options under the last.

    Args:
        hint: a line under the options that says how to answer.
        keeps_letters: no letter loses its accent, whatever that costs.
    """
    if not capabilities.max_buttons:
        buttons = tuple(button for button in buttons if not button.tap_only)
    choices = lay_out_buttons(buttons, capabilities)
    styled = add_listing(styled, "\n".join(filter(None, (choices.listing, hint))))
    keeps_letters = keeps_letters and drop_accents(styled.text) != styled.text
    if labels_stay_distinct(buttons, substitute) and not keeps_letters:
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
    """Return `styled` in the alphabet that costs least, decided once for the whole of it."""
    if capabilities.text_unit != "gsm7":
        return styled
    text = to_gsm7(to_ordinary_signs(styled.text))
    return styled if text == styled.text else Styled(text)


def _shorten_last(styled: Styled, pieces: list[Piece], capabilities: Capabilities) -> list[Piece]:
    """Cut the last piece again if it is too long to have buttons under it."""
    if not pieces or _MEASURES[capabilities.text_unit](pieces[-1].text) <= MAX_ABOVE_BUTTONS:
        return pieces
    start = pieces[-2].end if len(pieces) > 1 else 0
    last = styled.part(start, len(styled.text))
    return [*pieces[:-1], *_cut(last, capabilities, MAX_ABOVE_BUTTONS)]


def _to_bodies(
    pieces: Iterable[Piece], capabilities: Capabilities, *, shown: bool = False
) -> list[TextBody]:
    count = count_segments if capabilities.text_unit == "gsm7" else None
    return [
        TextBody(text, entities, segments=count(text).paid if count else 0, shown=shown)
        for text, entities, _ in pieces
    ]


def _cut(styled: Styled, capabilities: Capabilities, limit: int) -> Iterator[Piece]:
    form, measure = _FORMS[capabilities.markup], _MEASURES[capabilities.text_unit]
    return cut_styled(
        styled, form, measure, limit, MAX_ENTITIES if form is to_entities else len(styled.spans)
    )


def _one_a_row(buttons: Sequence[Button]) -> Rows:
    return tuple((button,) for button in buttons)


_SPECIAL = re.compile(r"[\\`*_~\[\]<>#$|&!]")
_ENTITIES = {"[": "&#91;", "]": "&#93;"}
"""A backslash before a bracket would begin a formula."""


def escape_markdown(text: str) -> str:
    """Escape the characters of a text that markdown would read as markup."""
    return _SPECIAL.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), text)


_GLIMPSE = 60
_LAST_LINK = re.compile(r"\s(https?://\S{1,100})\s*\Z")


def append_footer(page: TextBody, line: str) -> TextBody:
    """Return the page with a line under it, in GSM-7 if possible where segments are paid."""
    text = f"{page.text}\n{to_gsm7(line) if page.segments else line}"
    paid = count_segments(text).paid if page.segments else 0
    return msgspec.structs.replace(page, text=text, segments=paid)


def reserve_footer(capabilities: Capabilities, line: str) -> Capabilities:
    """Return the capabilities with a shorter page, under which `line` fits in any encoding."""
    return capabilities.with_max_text(capabilities.page - (len(line) + 1) * 16 // 7 - 1)


def preview_text(body: Body, capabilities: Capabilities) -> str:
    """Return one short line about a delivery that waits: the beginning of a text or a caption, with
    the link that it ends in, or a file's name.

    It has no styles; characters that the channel would read as markers are shown as they are.
    """
    is_marked, link = capabilities.markup == "markers", ""
    match body:
        case TextBody(text=text) | FileBody(file=ShareFile(caption=text)) if text:
            if found := _LAST_LINK.search(text):
                text, link = text[: found.start()], f" {found[1]}"
            line = " ".join((strip_markers(text) if is_marked else text).split())
        case FileBody():
            line = body.file.filename
        case _:
            line = ""
    glimpse = shorten(line, _GLIMPSE)
    return (write_markers(Styled(glimpse))[0] if is_marked else glimpse) + link
