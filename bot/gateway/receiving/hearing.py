"""What an update changes about its conversation the moment it is stored.

The person can be reached again, or wants to be left alone; deliveries that waited for them may go;
the conversation has moved; a typed "B" was the answer to a question.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from bot.accounts.people import VOUCHED
from bot.contracts import Row, Transaction
from bot.gateway.receiving.command_words import find_command
from bot.gateway.receiving.expectations import read_expected
from bot.gateway.receiving.questions import read_answer
from bot.messages import (
    Channel,
    Checkout,
    Edited,
    Migrated,
    Notice,
    OptedOut,
    Paid,
    Reachable,
    Reacted,
    Said,
    SharedContact,
    SharedLocation,
    Tapped,
    TypedCode,
    Update,
    Woken,
)

HELD = 10.0 * 365 * 86_400
"""Seconds from now at which a delivery is due that waits for the person's next message."""
_FINE = 60.0
"""Seconds to which it is noted when the person was heard last: one write a minute, not one each."""
_ANSWERED = (Said, Tapped, SharedContact, SharedLocation, TypedCode, Edited, Reacted, Notice, Woken)
"""What we would answer, or act upon for the person."""


async def locate(tx: Transaction, update: Update) -> Update:
    """The update under its conversation's first id, by which its lane is named for ever."""
    if not update.group:
        return update
    row = await tx.fetch_one("SELECT id FROM lane WHERE moved_to = :lane", lane=update.lane)
    if row is None:
        return update
    return msgspec.structs.replace(update, conversation=row["id"].partition(":")[2])


def interpret(update: Update, lane: Row, seal: Callable[[str], str]) -> Update:
    """What was typed may be the number or the code that was asked for, or stand for a button.

    Args:
        seal: makes of a code what may be kept of it.
    """
    if lane["opted_out"] or update.group or not isinstance(update.content, Said):
        return update  # after opting out a word like YES consents, whatever was asked before
    is_command = find_command(update.channel, update.content) is not None
    awaits = "" if is_command else lane["awaits"]
    if awaits and (expected := read_expected(update.content, awaits, seal)):
        return msgspec.structs.replace(update, content=expected)
    if not lane["question"]:
        return update
    token = read_answer(update.content, lane["question"])
    return msgspec.structs.replace(update, content=Tapped(token)) if token else update


def is_silenced(update: Update, lane: Row) -> bool:
    """Whether the person has opted out, and this does not change it: nothing may be sent."""
    if not lane["opted_out"] or not isinstance(update.content, _ANSWERED):
        return False
    return not _consents(update)


async def turn_off_notices(tx: Transaction, channel: Channel, address: str) -> None:
    """Send this number only answers to what it writes, on every channel that it is an address of.

    Reminders and other notices that are on their way to it are given up.
    """
    for each in _channels_of(channel):
        lane = f"{each}:{address}"
        await tx.execute(_NOTICES_OFF, lane=lane)
        await tx.execute(_REFUSE_NOTICES, lane=lane)
        await tx.execute(_DROP_NOTICES, lane=lane)


async def hear(tx: Transaction, update: Update, lane: Row) -> None:
    """Note in the lane what the update says about it."""
    await _heed_consent(tx, update)
    match update.content:
        case OptedOut():
            await _opt_out(tx, update)
        case Reachable(yes=yes):
            await tx.execute(_REACHABLE, lane=update.lane, yes=int(yes))
        case Migrated(to=to):
            moved_to = f"{update.channel}:{to}"
            await tx.execute(_MOVE, lane=update.lane, moved_to=moved_to)
        case Checkout() | Paid() | Edited() | Notice() | Woken():
            pass
        case _ if lane["held"] or not lane["reachable"] or lane["silence"] > _FINE:
            await tx.execute(_HEARD, lane=update.lane)
            if lane["held"]:
                await tx.execute(_NO_TEMPLATE, lane=update.lane)
                await tx.execute(_RELEASE, lane=update.lane, via=update.via, far=HELD / 2)
        case _:
            pass


async def _opt_out(tx: Transaction, update: Update) -> None:
    await tx.execute(_OPT_OUT, lane=update.lane)
    await tx.execute(_DROP_QUEUED, lane=update.lane)
    if not update.group:
        await turn_off_notices(tx, update.channel, update.conversation)


async def _heed_consent(tx: Transaction, update: Update) -> None:
    if _consents(update):
        for channel in _channels_of(update.channel):
            await tx.execute(_NOTICES_ON, lane=f"{channel}:{update.conversation}")


def _consents(update: Update) -> bool:
    """Whether the person wants to be written to again: the carrier's word START, or `/start`."""
    if not isinstance(update.content, Said) or update.group:
        return False
    if update.content.consents:
        return True
    command = find_command(update.channel, update.content)
    return update.channel in VOUCHED and command is not None and command.name == "start"


def _channels_of(channel: Channel) -> list[Channel]:
    """The channels on which an address of this one is the same person's."""
    return sorted(VOUCHED) if channel in VOUCHED else [channel]


_NOTICES_OFF = """
INSERT INTO lane (id, notices_off, fence) VALUES (:lane, 1, CAST({now} * 1000 AS BIGINT))
ON CONFLICT (id) DO UPDATE SET notices_off = 1
"""

_NOTICES_ON = """
UPDATE lane SET notices_off = 0 WHERE id = :lane AND notices_off = 1
"""

_REFUSE_NOTICES = """
UPDATE outbox SET state = 'refused', error = 'the person opted out', ended_at = {now}
WHERE lane = :lane AND state = 'pending' AND (part < -1 OR turn IN (
    SELECT seq FROM inbox WHERE inbox.lane = :lane AND body LIKE '%"type":"notice"%'
))
"""

_DROP_NOTICES = """
UPDATE inbox SET state = 'done'
WHERE lane = :lane AND state = 'pending' AND body LIKE '%"type":"notice"%'
"""

_OPT_OUT = """
UPDATE lane SET opted_out = 1, reachable = 0 WHERE id = :lane
"""

_NO_TEMPLATE = """
UPDATE outbox SET state = 'refused', error = 'no longer needed', ended_at = {now}
WHERE lane = :lane AND state = 'pending' AND ahead = 1 AND part < -1
"""

_DROP_QUEUED = """
UPDATE inbox SET state = 'done'
WHERE lane = :lane AND state = 'pending' AND express = 0 AND turn IS NULL
    AND NOT EXISTS (SELECT 1 FROM turn WHERE turn.lane = :lane AND turn.id = inbox.seq)
"""

_REACHABLE = """
UPDATE lane SET reachable = :yes WHERE id = :lane
"""

_MOVE = """
UPDATE lane SET moved_to = :moved_to WHERE id = :lane
"""

_HEARD = """
UPDATE lane SET heard_at = {now}, reachable = 1, opted_out = 0, held = 0 WHERE id = :lane
"""

_RELEASE = """
UPDATE outbox SET due_at = {now}, tried_from = {now}, via = :via
WHERE lane = :lane AND state = 'pending' AND due_at > {now} + :far
"""
