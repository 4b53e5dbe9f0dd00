"""Threads: one history for all the conversations of a person.

Each conversation is a lane, and its own thread. Those that one account has by itself with Griot, on
Telegram, WhatsApp and SMS, share the thread of the account, so that a person goes on where they
are. A thread is kept by a lane in which nothing is ever said: `account:7`.
"""

from __future__ import annotations

from typing import Final

from bot.contracts import Transaction
from bot.messages import Channel, Person, Update

SHARING: Final[frozenset[Channel]] = frozenset({"telegram", "whatsapp", "sms"})
"""Channels on which a person has one conversation, rather than a session for each matter."""


def thread_of(account: int) -> str:
    return f"account:{account}"


async def place(tx: Transaction, update: Update, person: Person, thread: str, turn: int) -> str:
    """Have the update's lane stand in the thread of the person's account, or, for a guest, in its
    own; where it stands now.

    Args:
        thread: where it stood, as `hold` gives it.
        turn: from where on a guest's own thread begins, once the account is left.
    """
    if update.group or update.channel not in SHARING:
        return thread
    if person.account is None:
        if thread != update.lane:
            await leave_thread(tx, update.lane, turn)
        return update.lane
    wanted = thread_of(person.account)
    if wanted != thread:
        await join_thread(tx, update.lane, wanted)
    return wanted


async def join_thread(tx: Transaction, lane: str, thread: str) -> None:
    """What is said in the lane is part of the thread from now on; the lane is there."""
    await tx.execute(_OPEN, lane=lane, thread=thread)
    await tx.execute(_JOIN, lane=lane, thread=thread)


async def share(tx: Transaction, lane: str, other: str) -> None:
    """What is said in one session is known in the other from now on."""
    thread = await find_thread(tx, lane)
    if thread == lane:
        thread = f"session:{lane}"
        await join_thread(tx, lane, thread)
    await tx.execute(_JOIN, lane=other, thread=thread)


async def find_thread(tx: Transaction, lane: str) -> str:
    """The lane that keeps the thread in which this one stands."""
    row = await tx.fetch_one("SELECT thread FROM lane WHERE id = :lane", lane=lane)
    return (row["thread"] if row else None) or lane


async def begin_anew(tx: Transaction, lane: str, turn: int) -> None:
    """What was said before `turn` is forgotten, in all conversations of the thread."""
    await tx.execute(_BEGIN_ANEW, lane=lane, turn=turn)


async def leave_thread(tx: Transaction, lane: str, turn: int) -> None:
    """The lane stands alone from now on, and what was said before `turn` is not known there."""
    await tx.execute(_LEAVE, lane=lane, turn=turn)


async def unite(tx: Transaction, account: int, into: int) -> None:
    """The conversations of one account go on in the thread of another; its sessions are the
    other's."""
    old, new = thread_of(account), thread_of(into)
    await tx.execute(_OPEN, lane=old, thread=new)
    await tx.execute("UPDATE lane SET thread = :new WHERE thread = :old", new=new, old=old)
    await tx.execute(
        "UPDATE session SET account = :into WHERE account = :account", account=account, into=into
    )


_OPEN = """
INSERT INTO lane (id, history_from, summarised)
SELECT CAST(:thread AS TEXT), history_from, summarised FROM lane WHERE id = :lane
ON CONFLICT (id) DO NOTHING
"""

_JOIN = """
UPDATE lane SET thread = :thread WHERE id = :lane
"""

_LEAVE = """
UPDATE lane SET thread = NULL, history_from = :turn, summarised = -1 WHERE id = :lane
"""

_BEGIN_ANEW = """
UPDATE lane SET history_from = :turn
WHERE id = :lane OR id = (SELECT thread FROM lane WHERE id = :lane)
"""
