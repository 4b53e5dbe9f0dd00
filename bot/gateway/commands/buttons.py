"""Answer button presses: find the action of the token and its owner, and carry it out."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from bot.accounts import approvals
from bot.accounts.approvals import Choice
from bot.errors import PersonError
from bot.formulas.line_text import replace_formulas
from bot.gateway.commands.practice import PracticeCommands
from bot.gateway.commands.reply import CommandRequest, Reply, offer_another
from bot.gateway.open_questions import forget_answered
from bot.i18n import say
from bot.learning import quiz
from bot.messages.channels import CHANNELS
from bot.messages.incoming import Decided, Person, Said, Tapped
from bot.messages.outgoing import (
    Acknowledge,
    Body,
    Button,
    Outgoing,
    RetireButtons,
    Say,
    TextBody,
    decode_body,
)
from bot.messages.value import decode
from bot.render.renderer import render_outgoing
from bot.typography import shorten

_LONGEST_LABEL = 40
"""Characters that a phone shows of a button."""


class _Action(msgspec.Struct, frozen=True):
    """What a button does: it answers a quiz or an exercise, decides on an approval, or sends a
    command."""

    quiz: str = ""
    exercise: str = ""
    index: int = 0
    approval: str = ""
    choice: Choice = "cancel"
    command: str = ""


async def answer_tap(request: CommandRequest, tap: Tapped, practice: PracticeCommands) -> Reply:
    """Answer a press; acknowledge it also if it is late, doubled, or another person's.

    Where each message costs money, a refusal is not said twice in a row.
    """
    reply = await _answer_tap(request, tap, practice)
    is_paid = bool(CHANNELS[request.update.channel].paid_by)
    return Reply() if is_paid and await _was_said_last(request, reply) else reply


async def _was_said_last(request: CommandRequest, reply: Reply) -> bool:
    """Return whether a refusal is the last that was said here, within the hour."""
    if reply.note or reply.follow_up or request.capabilities is None:
        return False
    match reply.outgoing:
        case (Say(buttons=()) as said,):
            last = await request.tx.fetch_one(_LAST_SAID, lane=request.update.lane)
            language = request.person.language
            bodies = render_outgoing(said, request.capabilities, language)
            return last is not None and _read_text(decode_body(last["body"])) in map(
                _read_text, bodies
            )
        case _:
            return False


def _read_text(body: Body) -> str | None:
    return body.text if isinstance(body, TextBody) else None


async def _answer_tap(request: CommandRequest, tap: Tapped, practice: PracticeCommands) -> Reply:
    tx, person, update = request.tx, request.person, request.update
    row = await tx.fetch_one(_BUTTON, token=tap.token)
    if row is None:
        return _polite(person, tap, "This button no longer works. Write me what you want.")
    if row["lane"] != update.lane or row["address"] != update.sender.address:
        return _polite(person, tap, "This one is for someone else.")
    action = decode(row["action"], _Action)
    if action.command and row["is_old"]:  # quizzes and approvals check their own end
        return _polite(person, tap, "This button no longer works. Write me what you want.")
    await forget_answered(tx, update.lane, tap.token)
    if action.command:
        return Reply(_acknowledge(tap, "👍"), follow_up=Said(action.command))
    if action.exercise:
        reply = await practice.answer_option(request, action.exercise, action.index)
        return replace(reply, outgoing=(*_acknowledge(tap, "👍"), *reply.outgoing))
    answer = _decide_approval if action.approval else _grade_answer
    return await answer(request, tap, action)


async def _decide_approval(request: CommandRequest, tap: Tapped, action: _Action) -> Reply:
    """Reply with the decision as a follow-up message, with which the agent goes on."""
    if not await approvals.is_pending(request.tx, action.approval):
        return _polite(request.person, tap, "This was decided already.")
    acknowledged = _acknowledge(tap, "👍")
    return Reply(acknowledged, follow_up=Decided(action.approval, action.choice))


async def _grade_answer(request: CommandRequest, tap: Tapped, action: _Action) -> Reply:
    person = request.person
    try:
        graded = await quiz.answer_quiz(
            request.tx, action.quiz, action.index, account=person.account or 0
        )
    except quiz.AlreadyAnswered:
        return _polite(person, tap, "You have answered this one already.")
    except quiz.Expired:
        return _polite(person, tap, "This quiz is over. Ask me for another.")
    except PersonError:
        return _polite(person, tap, "This one is for someone else.")
    verdict = await offer_another(
        request,
        verdict_of(person.language, graded),
        request.phrase("Another question"),
        request.phrase("Another question? Reply AGAIN."),
        keeps_letters=graded.keeps_letters,
    )
    sign = "✅" if graded.correct else "❌"
    label = f"{sign} {replace_formulas(graded.options[action.index])}"
    chosen = Button(shorten(label, _LONGEST_LABEL), tap.token)
    acknowledged = _acknowledge(tap, sign, chosen)
    return Reply((*acknowledged, verdict), note=describe_quiz_answer(action.index, graded))


def _polite(person: Person, tap: Tapped, sentence: str) -> Reply:
    words = say(person.language, sentence)
    if tap.callback_id:
        return Reply((Acknowledge(tap.callback_id, words),))
    return Reply((Say(words),))


def _acknowledge(tap: Tapped, sign: str, chosen: Button | None = None) -> tuple[Outgoing, ...]:
    """Acknowledge a press that counted, and retire its buttons; `chosen` takes their place."""
    outgoing: list[Outgoing] = []
    if tap.callback_id:
        outgoing.append(Acknowledge(tap.callback_id, sign))
    if tap.message_id:
        outgoing.append(RetireButtons(tap.message_id, chosen))
    return tuple(outgoing)


def verdict_of(language: str, graded: quiz.Graded) -> str:
    """Return the verdict for the person: right or not, the right option, why (markdown)."""
    right = graded.options[graded.correct_index]
    if graded.correct:
        head = say(language, "✅ Correct: {right}", right=right)
    else:
        head = say(language, "❌ Not quite. The answer is: {right}", right=right)
    return f"{head}\n\n{graded.explanation}".strip()


def describe_quiz_answer(index: int, graded: quiz.Graded) -> str:
    """Return the note about an answer that the model reads in the conversation."""
    outcome = "correct" if graded.correct else "wrong"
    return f"[Quiz: {graded.question} I answered: {graded.options[index]} ({outcome})]"


_BUTTON = """
SELECT lane, address, action, expires_at <= {now} AS is_old FROM button WHERE token = :token
"""

_LAST_SAID = """
SELECT body FROM outbox WHERE lane = :lane AND created_at > {now} - 3600
ORDER BY id DESC LIMIT 1
"""
