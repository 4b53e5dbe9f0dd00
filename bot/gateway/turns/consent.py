"""What the person says as a turn begins, and what follows from it for that which they are asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from bot.accounts.approvals import AlreadyDecided, Choice, Kind, decide, drop_all, drop_pending
from bot.contracts import Transaction
from bot.gateway.turns.seen import instead_of, to_message
from bot.mail.letters import discard_draft, dispatch_draft
from bot.messages import Decided, Person, Text, Update, UserMessage, Woken
from bot.texts import say

_Follow = Callable[[Transaction, str], Awaitable[None]]
_FOLLOWS: Final[Mapping[tuple[Kind, Choice], _Follow]] = {
    ("email", "approve"): dispatch_draft,
    ("email", "edit"): discard_draft,
    ("email", "cancel"): discard_draft,
}
"""What is done about it in the very transaction in which it is decided."""


async def hear(
    tx: Transaction, lane: str, update: Update, person: Person, *, is_asked: bool
) -> UserMessage:
    """The person's message; a decision is noted and carried out, words instead of one drop what
    waits.

    Args:
        is_asked: something may wait for their consent.

    Raises:
        AlreadyDecided: in the person's language.
    """
    match update.content:
        case Decided() as decided:
            return to_message(update, await _decide(tx, lane, decided, person))
        case Woken():
            return to_message(update)
        case _:
            dropped = await _drop(tx, lane) if is_asked else []
            message = to_message(update)
            notes = [Text(instead_of(kind)) for kind in dict.fromkeys(dropped)]
            return UserMessage((*notes, *message.parts)) if notes else message


async def _decide(tx: Transaction, lane: str, decided: Decided, person: Person) -> Kind:
    try:
        kind = await decide(
            tx, decided.approval_id, decided.choice, lane=lane, account=person.account
        )
    except AlreadyDecided as error:
        raise AlreadyDecided(say(person.language, str(error))) from None
    if follow := _FOLLOWS.get((kind, decided.choice)):
        await follow(tx, decided.approval_id)
    return kind


async def forget_all(tx: Transaction, lane: str) -> None:
    """Nothing is planned or waits for consent in this conversation any more."""
    await _cancel(tx, await drop_all(tx, lane))


async def _drop(tx: Transaction, lane: str) -> list[Kind]:
    """Drop what waits; the kinds of it."""
    dropped = await drop_pending(tx, lane)
    await _cancel(tx, dropped)
    return [kind for _, kind in dropped]


async def _cancel(tx: Transaction, dropped: Sequence[tuple[str, Kind]]) -> None:
    for approval, kind in dropped:
        if follow := _FOLLOWS.get((kind, "cancel")):
            await follow(tx, approval)
