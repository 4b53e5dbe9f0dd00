"""Erase people: delete their data in one transaction; their account stays, without a name.

Also deletes conversations from the tables: a whole one, or only a person's own turns in it.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import msgspec
import structlog

from bot.accounts.personal_ids import (
    PersonalIds,
    find_personal_ids,
    find_personal_ids_of_account,
    forget_old_marks,
    pseudonymise,
)
from bot.contracts.storage import Database, Transaction
from bot.files.store import FileStore, forget_files_of_guests
from bot.gateway.lanes import (
    begin_lane_erasure,
    drop_summary,
    end_lane_erasure,
    interrupt_turn,
    open_empty_window,
)
from bot.gateway.people.personal_data import PERSONAL, ROWS_OF, Change, Delete, ErasedBy
from bot.messages.incoming import Person, Update
from bot.messages.value import decode
from bot.settings import Settings

_IN_ALL = 2**62
"""More than any turn's number."""


class TurnName(NamedTuple):
    lane: str
    turn: int


async def erase_rows(tx: Transaction, by: ErasedBy, **key: object) -> int:
    """Erase the rows that belong to one account, conversation, …, as the registry says.

    Args:
        key: parameters of the SQL. For `account` and `itself`: `account`; for `payer` also `lane`;
            for `lane` and `lane itself`: `lane`; for `turns` also `first`, `last`, `keep_signs`,
            which is 1 to leave the acknowledgements of button presses, and `keep_summary`, which is
            1 to leave a later summary; for `address`: `channel`, `address` and `hidden`, which
            takes its place; for `name`: `name` and `hidden`; for `session`: `session`.

    Returns:
        The number of rows.
    """
    return sum([await tx.execute(statement, **key) for statement in _list_statements(by)])


@cache
def _list_statements(by: ErasedBy) -> tuple[str, ...]:
    return tuple(
        _erase_statement(name, rule)
        for name, table in PERSONAL.items()
        for rule in table.erased
        if rule.by == by
    )


def _erase_statement(table: str, rule: Delete | Change) -> str:
    where = rule.where or ROWS_OF[rule.by]
    match rule:
        case Delete():
            return f"DELETE FROM {table} WHERE {where}"  # noqa: S608 (made of constants)
        case Change(values=values):
            return f"UPDATE {table} SET {values} WHERE {where}"  # noqa: S608 (made of constants)


async def hide_keys(tx: Transaction, account: int, names: Collection[str]) -> None:
    """Replace the keys of the account's rows that contain one of these names by random keys, as a
    key shows what was done.

    To be called when no more rows can be stored under such a key.
    """
    for table in (name for name, each in PERSONAL.items() if each.keyed):
        rows = await tx.fetch(f"SELECT key FROM {table} WHERE account = :account", account=account)  # noqa: S608 (a constant)
        hidden = [
            {"key": row["key"], "hidden": f"erased:{secrets.token_hex(12)}"}
            for row in rows
            if any(name in row["key"] for name in names)
        ]
        if hidden:
            await tx.execute_many(f"UPDATE {table} SET key = :hidden WHERE key = :key", hidden)  # noqa: S608 (a constant)


async def find_lanes(tx: Transaction, named: Iterable[str]) -> list[str]:
    """Return these lanes, existing or not, with their topics and all lanes in their threads; lock
    those that exist until the transaction ends."""
    found = set(named)
    for lane in sorted(found):
        rows = [*await tx.fetch(_TOPICS, begin=f"{lane}/"), *await tx.fetch(_THREAD, lane=lane)]
        found |= {row["id"] for row in rows}
    for lane in sorted(found):
        await tx.fetch_one("SELECT id FROM lane WHERE id = :lane {for_update}", lane=lane)
    return sorted(found)


async def delete_conversation(tx: Transaction, lane: str) -> None:
    """Delete a conversation and its lane."""
    await empty_conversation(tx, lane)
    if await erase_rows(tx, "lane itself", lane=lane):
        await tx.announce(lane, urgent=True)


async def empty_conversation(
    tx: Transaction, lane: str, *, before: int = _IN_ALL, keep_signs: bool = False
) -> None:
    """Delete all turns of the lane before the update of this number.

    Args:
        keep_signs: leave the acknowledgements of button presses that are not sent yet.
    """
    signs = int(keep_signs)
    await _erase_turns(tx, lane, -_IN_ALL, before - 1, keep_signs=signs, keep_summary=0)
    await drop_summary(tx, lane, before)


async def delete_old_turns(tx: Transaction, lane: str, *, before: int | None) -> bool:
    """Delete the turns of a conversation that goes on, up to the update of this number (None: all),
    but not what a later summary says of them. Return whether there were any."""
    last = _IN_ALL if before is None else before - 1
    return bool(await _erase_turns(tx, lane, -_IN_ALL, last, keep_signs=0, keep_summary=1))


async def _erase_turns(tx: Transaction, lane: str, first: int, last: int, **keep: int) -> int:
    return await erase_rows(tx, "turns", lane=lane, first=first, last=last, **keep)


async def keep_for_last_message(tx: Transaction, lane: str, delivery_key: str) -> bool:
    """Empty the lane but for the update that is being handled, which is to be answered there.

    Returns False if there is no such update. `Cleanup` deletes the rest once it is answered.
    """
    row = await tx.fetch_one(_HANDLED, lane=lane, key=delivery_key)
    if row is None:
        return False
    await empty_conversation(tx, lane, before=row["seq"], keep_signs=True)
    await begin_lane_erasure(tx, lane, row["seq"])
    return True


async def sends_last_message(tx: Transaction, lane: str, delivery_key: str) -> bool:
    """Return whether the person of this lane is erased, and this update asked for it."""
    row = await tx.fetch_one(_HANDLED, lane=lane, key=delivery_key)
    first = await tx.fetch_one(_FIRST, lane=lane)
    return bool(row and first and first["erased"] and first["seq"] == row["seq"])


async def list_last_messages(tx: Transaction) -> list[str]:
    """Return the conversations of erased people that still exist."""
    rows = await tx.fetch("SELECT id FROM lane WHERE erased = 1 ORDER BY id")
    return [row["id"] for row in rows]


async def delete_after_last_message(tx: Transaction, lane: str) -> bool:
    """Delete the rest of an erased person's conversation, if its last message has been delivered or
    is a day old; return whether it is so.

    Messages that the person has written since then are a new conversation, and stay.
    """
    row = await tx.fetch_one(_CONFIRMATION_DUE, lane=lane)
    if row is None or not row["due"]:
        return False
    after = row["first"] + 1 if row["first"] is not None else _IN_ALL
    await empty_conversation(tx, lane, before=after)
    await open_empty_window(tx, lane)
    newer = await tx.fetch_one("SELECT seq FROM inbox WHERE lane = :lane LIMIT 1", lane=lane)
    if newer is None:
        await delete_conversation(tx, lane)
    else:
        await end_lane_erasure(tx, lane)
    return True


async def find_turns(tx: Transaction, account: int) -> list[TurnName]:
    """Return all turns of the account, in any conversation."""
    rows = await tx.fetch("SELECT lane, id FROM turn WHERE account = :account", account=account)
    return [TurnName(row["lane"], row["id"]) for row in rows]


async def find_notices(tx: Transaction, account: int) -> list[TurnName]:
    """Return the turns that told operators of the faults that the account has reported."""
    rows = await tx.fetch(_NOTIFIED_ABOUT, account=account)
    return [TurnName(row["lane"], row["turn"]) for row in rows]


async def find_payers(tx: Transaction, lane: str) -> list[int]:
    """Return the accounts that have turns in a conversation."""
    sql = "SELECT DISTINCT account FROM turn WHERE lane = :lane AND account IS NOT NULL"
    return [row["account"] for row in await tx.fetch(sql, lane=lane)]


async def find_said(tx: Transaction, channel: str, address: str) -> list[TurnName]:
    """Return the turns in groups of the person with this address on the channel."""
    mark = f'"address":"{address}"'
    rows = await tx.fetch(_SAID, begin=f"{channel}:", grouped='"group":true', mark=mark)
    return [
        TurnName(row["lane"], row["turn"]) for row in rows if _sender_of(row["body"]) == address
    ]


async def delete_turn(tx: Transaction, name: TurnName) -> None:
    """Delete a turn from a conversation that goes on: its updates, and all that came of them.

    If it runs just now, its lane is taken from the worker.
    """
    if await interrupt_turn(tx, name.lane, name.turn):
        await tx.announce(name.lane, urgent=True)
    await _erase_turns(tx, name.lane, name.turn, name.turn, keep_signs=0, keep_summary=0)
    await drop_summary(tx, name.lane, name.turn)
    await open_empty_window(tx, name.lane)


async def forget_old_receipts(tx: Transaction) -> None:
    """Delete reports whose delivery is still unknown after a day."""
    await tx.execute("DELETE FROM receipt WHERE at < {now} - 86400")


def _sender_of(body: str) -> str:
    try:
        return decode(body, Update).sender.address
    except msgspec.DecodeError:
        return ""


_FindIds = Callable[[Transaction], Awaitable[PersonalIds]]
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Gone:
    """The data that a transaction has deleted; their bytes may have been stored meanwhile."""

    personal: PersonalIds
    pictures: tuple[str, ...]
    """Ids of files that the person sent as a guest."""


class Erasure:
    def __init__(self, database: Database, files: FileStore, settings: Settings) -> None:
        self._database = database
        self._files = files
        self._settings = settings

    async def erase(self, person: Person, asked: Update) -> None:
        """Erase the person who sent `asked`, an update that is still to be answered.

        Its conversation stays until the answer is delivered. Done again, this changes nothing more.

        Raises:
            ConnectionError: the blob store cannot be reached; no row is deleted yet.
        """
        await self._erase(lambda tx: find_personal_ids(tx, person), asked)

    async def erase_account(self, account: int) -> None:
        """Erase the person who has this account, without a message to them. Raises as `erase`."""
        await self._erase(lambda tx: find_personal_ids_of_account(tx, account), None)

    async def _erase(self, find: _FindIds, asked: Update | None) -> None:
        personal = await self._database.write(find)
        await self._files.clear_blobs(personal.accounts, [f"{lane}/" for lane in personal.lanes])
        said = await self._database.read(lambda tx: _find_all_said(tx, personal))
        gone = await self._database.write(lambda tx: self._delete(tx, find, said, asked))
        await self._files.clear_blobs(gone.personal.accounts, ())
        await self._files.clear_guest_blobs(gone.pictures)
        await self._database.scrub()
        log.info(
            "person_erased", accounts=list(gone.personal.accounts), known=bool(personal.accounts)
        )

    async def _delete(
        self, tx: Transaction, find: _FindIds, said: list[TurnName], asked: Update | None
    ) -> _Gone:
        personal = await find(tx)
        lanes = await find_lanes(tx, [*personal.lanes, *([asked.lane] if asked else [])])
        for account in personal.accounts:
            for notice in await find_notices(tx, account):
                await delete_turn(tx, notice)
            await erase_rows(tx, "account", account=account)
        pictures = await self._delete_elsewhere(tx, personal, lanes, said)
        await _hide_from_others(tx, personal, lanes)
        for lane in lanes:
            pictures += await _delete_lane(tx, lane, asked)
        for account in personal.accounts:
            await hide_keys(tx, account, [*(f"{lane}/" for lane in lanes), *personal.proven])
        await erase_names(tx, personal, self._settings)
        return _Gone(personal, tuple(pictures))

    async def _delete_elsewhere(
        self, tx: Transaction, personal: PersonalIds, lanes: list[str], said: list[TurnName]
    ) -> list[str]:
        """Delete the person's turns in groups; return the ids of pictures that they sent there."""
        turns = {*said}
        for account in personal.accounts:
            turns |= {*await find_turns(tx, account)}
        pictures: list[str] = []
        for turn in sorted(turns):
            if turn.lane not in lanes:
                pictures += await forget_files_of_guests(tx, f"{turn.lane}/{turn.turn}/")
                await delete_turn(tx, turn)
        for account in personal.accounts:
            await hide_keys(tx, account, [f"{turn.lane}/" for turn in turns])
        return pictures


async def _hide_from_others(tx: Transaction, personal: PersonalIds, lanes: list[str]) -> None:
    """Remove these conversations from the rows of other accounts that paid for turns there, while
    the person was part of those accounts."""
    for lane in lanes:
        for account in await find_payers(tx, lane):
            if account not in personal.accounts:
                await hide_keys(tx, account, [f"{lane}/"])
                await erase_rows(tx, "payer", account=account, lane=lane)


async def _find_all_said(tx: Transaction, personal: PersonalIds) -> list[TurnName]:
    found = [await find_said(tx, channel, address) for channel, address in personal.addresses]
    return [name for names in found for name in names]


async def _delete_lane(tx: Transaction, lane: str, asked: Update | None) -> list[str]:
    """Delete a conversation, but keep the update that asked for it; return the ids of pictures."""
    await erase_rows(tx, "lane", lane=lane)
    pictures = await forget_files_of_guests(tx, f"{lane}/")
    if asked is None or lane != asked.lane or not await _stays(tx, asked):
        await delete_conversation(tx, lane)
    return pictures


async def _stays(tx: Transaction, asked: Update) -> bool:
    return await keep_for_last_message(tx, asked.lane, asked.delivery_key)


async def erase_names(tx: Transaction, personal: PersonalIds, settings: Settings) -> None:
    """Leave only data that cannot be traced to the person: accounts without a name, and, under
    keyed hashes, how many messages a guest has used today and how many codes were asked for."""
    for account in personal.accounts:
        await erase_rows(tx, "itself", account=account)
    for name in personal.proven:
        await erase_rows(tx, "name", name=name, hidden=pseudonymise(settings, name))
    for channel, address in personal.addresses:
        hidden = pseudonymise(settings, f"{channel}:{address}")
        await erase_rows(tx, "address", channel=channel, address=address, hidden=hidden)
    for session in personal.sessions:
        await erase_rows(tx, "session", session=session)
    await forget_old_marks(tx)


_NOTIFIED_ABOUT = """
SELECT inbox.lane, coalesce(inbox.turn, inbox.seq) AS turn FROM inbox
JOIN report ON inbox.message_key = 'report:' || report.key
WHERE report.account = :account
"""

_TOPICS = """
SELECT id FROM lane
WHERE substr(id, 1, length(CAST(:begin AS TEXT))) = CAST(:begin AS TEXT)
"""

_THREAD = """
SELECT id FROM lane WHERE thread = :lane
"""

_HANDLED = """
SELECT seq FROM inbox WHERE lane = :lane AND delivery_key = :key
"""

_FIRST = """
SELECT erased, (SELECT min(seq) FROM inbox WHERE lane = :lane) AS seq FROM lane WHERE id = :lane
"""

_CONFIRMATION_DUE = """
SELECT first.seq AS first, lane.owner IS NULL AND NOT EXISTS (
    SELECT 1 FROM outbox
    WHERE outbox.lane = :lane AND turn <= first.seq
        AND state IN ('pending', 'attempting', 'waiting_for_window', 'waiting_for_sender')
) AND NOT EXISTS (
    SELECT 1 FROM inbox WHERE inbox.seq = first.seq AND state = 'pending'
) OR coalesce(first.stored_at, 0) < {now} - 86400 AS due
FROM lane LEFT JOIN inbox AS first ON first.seq = (
    SELECT min(seq) FROM inbox WHERE inbox.lane = :lane
)
WHERE lane.id = :lane AND lane.erased = 1 {lock_lane}
"""

_SAID = """
SELECT lane, coalesce(turn, seq) AS turn, body FROM inbox
WHERE substr(lane, 1, length(CAST(:begin AS TEXT))) = CAST(:begin AS TEXT)
    AND body LIKE '%' || CAST(:grouped AS TEXT) || '%'
    AND body LIKE '%' || CAST(:mark AS TEXT) || '%'
"""
