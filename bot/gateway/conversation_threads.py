"""Decide to which thread a conversation belongs; `lanes.py` stores it."""

from __future__ import annotations

from bot.contracts.storage import Transaction
from bot.gateway.lanes import join_thread, leave_thread, thread_of
from bot.messages.channels import CHANNELS
from bot.messages.incoming import Person, Update


def shares_thread(lane: str) -> bool:
    """Return whether the lane's channel is one of those that share the thread of an account."""
    return any(
        facts.shared_thread and lane.startswith(f"{name}:") for name, facts in CHANNELS.items()
    )


async def place_in_thread(
    tx: Transaction, update: Update, person: Person, thread: str, turn: int
) -> str:
    """Put the update's lane into the thread of the person's account, or a guest's into its own.

    Groups and channels with sessions stay where they are. Returns the lane's thread.

    Args:
        thread: the lane's thread until now, as `lock_lane` returns it.
        turn: the first turn of a guest's own thread, if the lane leaves an account's.
    """
    if update.group or not CHANNELS[update.channel].shared_thread:
        return thread
    if person.account is None:
        if thread != update.lane:
            await leave_thread(tx, update.lane, turn)
        return update.lane
    wanted = thread_of(person.account)
    if wanted != thread:
        await join_thread(tx, update.lane, wanted)
    return wanted


async def share_thread(tx: Transaction, lane: str, other: str) -> None:
    """Put the session `other` into the thread of the session `lane`."""
    thread = await find_thread(tx, lane)
    if thread == lane:
        thread = f"session:{lane}"
        await join_thread(tx, lane, thread)
    await join_thread(tx, other, thread)


async def find_thread(tx: Transaction, lane: str) -> str:
    """Return the lane that keeps the thread of this one."""
    row = await tx.fetch_one("SELECT thread FROM lane WHERE id = :lane", lane=lane)
    return (row["thread"] if row else None) or lane
