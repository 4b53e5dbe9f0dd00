"""The turns of a conversation as the person saw them: what they wrote, and what they were shown."""

from __future__ import annotations

from typing import Any

import msgspec

from bot.accounts.approvals import is_pending
from bot.contracts import Transaction
from bot.events import AwaitingApproval, Event, QuizAsked, event_fields, event_name
from bot.gateway.sending.posting import Posting
from bot.learning.quiz import find_outcome
from bot.messages import Decided, MediaKind, Said, Update, decode, decode_body


class ShownAttachment(msgspec.Struct, frozen=True):
    """A file that the person sent."""

    kind: MediaKind
    filename: str
    """Empty where it has none."""
    size: int | None
    """Bytes; None where the channel did not say."""


class ShownTurn(msgspec.Struct):
    """One turn, oldest words first."""

    turn_id: str
    said: list[str] = msgspec.field(default_factory=list[str])
    """What the person wrote, to the letter."""
    attachments: list[ShownAttachment] = msgspec.field(default_factory=list[ShownAttachment])
    """What they sent beside it."""
    events: list[tuple[str, dict[str, Any]]] = msgspec.field(
        default_factory=list[tuple[str, dict[str, Any]]]
    )
    """Name and fields, as the stream of `/api/v1/chat` has them. A quiz that was answered has
    `outcome` (`{index, correct, correct_index, explanation}`) too, an approval `pending`."""
    ended: bool = True


async def shown_turns(
    tx: Transaction, posting: Posting, lane: str, *, limit: int = 50
) -> list[ShownTurn]:
    """The newest turns, oldest first; commands are among them, quizzes tapped are not."""
    turns: dict[int, ShownTurn] = {}
    for row in reversed(await tx.fetch(_HEARD, lane=lane, limit=limit)):
        turn = turns.setdefault(row["turn"], ShownTurn(str(row["turn"])))
        add_said(turn, decode(row["body"], Update), is_pending=row["state"] == "pending")
    for row in await tx.fetch(_SAID, lane=lane, oldest=min(turns, default=0)):
        turn = turns.setdefault(row["turn"], ShownTurn(str(row["turn"])))
        for event in posting.replay(decode_body(row["body"])):
            turn.events.append(await describe(tx, event))
    return [turn for turn in turns.values() if is_shown(turn)]


def add_said(turn: ShownTurn, update: Update, *, is_pending: bool) -> None:
    """Add what an update of the turn says."""
    turn.said += words_of(update)
    turn.attachments += _attachments(update)
    turn.ended = turn.ended and not is_pending


def is_shown(turn: ShownTurn) -> bool:
    """Whether there is anything of it to be seen."""
    return bool(turn.said or turn.attachments or turn.events or not turn.ended)


def words_of(update: Update) -> list[str]:
    """What the person wrote."""
    match update.content:
        case Said(text=text) | Decided(text=text) if text:
            return [text]
        case _:
            return []


def _attachments(update: Update) -> list[ShownAttachment]:
    sent = update.content.attachments if isinstance(update.content, Said) else ()
    return [ShownAttachment(each.kind, each.filename, each.size) for each in sent]


async def describe(tx: Transaction, event: Event) -> tuple[str, dict[str, Any]]:
    """Name and fields of an event that was shown, as things stand now."""
    return event_name(event), await _as_it_is_now(tx, event)


async def _as_it_is_now(tx: Transaction, event: Event) -> dict[str, Any]:
    fields = event_fields(event)
    match event:
        case QuizAsked(id=quiz_id):
            outcome = await find_outcome(tx, quiz_id)
            return fields | {"outcome": outcome} if outcome else fields
        case AwaitingApproval(id=approval_id):
            return fields | {"pending": await is_pending(tx, approval_id)}
        case _:
            return fields


_HEARD = """
SELECT coalesce(turn, seq) AS turn, body, state FROM inbox WHERE lane = :lane
ORDER BY seq DESC LIMIT :limit
"""

_SAID = """
SELECT turn, body FROM outbox WHERE lane = :lane AND turn >= :oldest ORDER BY turn, part
"""
