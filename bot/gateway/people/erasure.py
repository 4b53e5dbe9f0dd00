"""Erase people: all that is kept of them goes in one transaction; their account stays, nameless.

Also deletes what conversations leave in the tables: all of one, or only one's own turns.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

import msgspec
import structlog

from bot.accounts.approvals import forget_approvals, forget_approvals_in
from bot.accounts.personal_data import (
    PersonalRows,
    find_personal_rows,
    find_personal_rows_of_account,
    forget_person,
)
from bot.billing.purchases import forget_buyer
from bot.contracts.storage import Database, Transaction
from bot.files.store import FileStore, forget_files, forget_files_of_guests
from bot.gateway.inbound.unreadable import forget_unreadable_of
from bot.gateway.inbox_rows import delete_updates_before, delete_updates_of_turn
from bot.gateway.lanes import (
    begin_lane_erasure,
    delete_lane,
    drop_summary,
    end_lane_erasure,
    interrupt_turn,
    open_empty_window,
)
from bot.gateway.outbox import delete_deliveries_before, delete_deliveries_of_turn
from bot.gateway.turn_rows import delete_turn_row, delete_turns_before
from bot.learning.cards import forget_cards, forget_cards_in
from bot.learning.exercises import forget_exercises, forget_exercises_in
from bot.learning.learner_model import forget_mastery
from bot.learning.memory import forget_all_facts
from bot.learning.placement import forget_placement
from bot.learning.quiz import forget_quizzes, forget_quizzes_in
from bot.learning.results import forget_results
from bot.learning.review_schedule import forget_schedule
from bot.learning.task_reminders import forget_reminders_in
from bot.learning.tasks import forget_tasks
from bot.messages.incoming import Person, Update
from bot.messages.value import decode
from bot.settings import Settings
from bot.storage.buttons import forget_buttons, forget_buttons_in

_IN_ALL = 2**62
"""More than any turn's number."""


class TurnName(NamedTuple):
    lane: str
    turn: int


async def forget_reports(tx: Transaction, account: int) -> None:
    """Delete what the account has reported, and what operators were told of it."""
    for row in await tx.fetch(_NOTIFIED_ABOUT, account=account):
        await delete_turn(tx, TurnName(row["lane"], row["turn"]))
    await tx.execute("DELETE FROM report WHERE account = :account", account=account)


async def forget_commands_in(tx: Transaction, lane: str) -> None:
    """Delete what is kept of the commands that run in the background for a conversation."""
    await tx.execute("DELETE FROM background WHERE lane = :lane", lane=lane)


async def find_lanes(tx: Transaction, named: Iterable[str]) -> list[str]:
    """These conversations, with their topics and all that share a history with one of them, there
    or not. Those that are there stay locked until the transaction ends."""
    found = set(named)
    for lane in sorted(found):
        rows = [*await tx.fetch(_TOPICS, begin=f"{lane}/"), *await tx.fetch(_THREAD, lane=lane)]
        found |= {row["id"] for row in rows}
    for lane in sorted(found):
        await tx.fetch_one("SELECT id FROM lane WHERE id = :lane {for_update}", lane=lane)
    return sorted(found)


async def delete_conversation(tx: Transaction, lane: str) -> None:
    """Delete all of it, and the lane."""
    await empty_conversation(tx, lane)
    if await delete_lane(tx, lane):
        await tx.announce(lane, urgent=True)


async def empty_conversation(
    tx: Transaction, lane: str, *, before: int = _IN_ALL, keep_signs: bool = False
) -> None:
    """Delete all that was said in the lane before the update of this number.

    Args:
        keep_signs: leave what tells the channel that a button's press has counted.
    """
    for statement in _EMPTY:
        await tx.execute(statement, lane=lane, before=before)
    await delete_turns_before(tx, lane, before)
    await delete_updates_before(tx, lane, before)
    await delete_deliveries_before(tx, lane, before, keep_acknowledgements=keep_signs)


async def keep_for_last_message(tx: Transaction, lane: str, delivery_key: str) -> bool:
    """Empty the lane but for the update that is being handled, which is to be answered there;
    False: there is no such update. `Sweeper` deletes what is left when it is answered."""
    row = await tx.fetch_one(_HANDLED, lane=lane, key=delivery_key)
    if row is None:
        return False
    await empty_conversation(tx, lane, before=row["seq"], keep_signs=True)
    await begin_lane_erasure(tx, lane, row["seq"])
    return True


async def sends_last_message(tx: Transaction, lane: str, delivery_key: str) -> bool:
    """Whether the person of this lane is erased, and this update is what they asked it by."""
    row = await tx.fetch_one(_HANDLED, lane=lane, key=delivery_key)
    first = await tx.fetch_one(_FIRST, lane=lane)
    return bool(row and first and first["erased"] and first["seq"] == row["seq"])


async def list_last_messages(tx: Transaction) -> list[str]:
    """The conversations of erased people that are still there."""
    rows = await tx.fetch("SELECT id FROM lane WHERE erased = 1 ORDER BY id")
    return [row["id"] for row in rows]


async def delete_after_last_message(tx: Transaction, lane: str) -> bool:
    """Delete what is left of an erased person's conversation, if its last word has been delivered
    or is a day old. What they have written since then is a new one, and stays."""
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
    """All turns of the account, wherever."""
    rows = await tx.fetch("SELECT lane, id FROM turn WHERE account = :account", account=account)
    return [TurnName(row["lane"], row["id"]) for row in rows]


async def find_payers(tx: Transaction, lane: str) -> list[int]:
    """The accounts of which there are turns in a conversation."""
    sql = "SELECT DISTINCT account FROM turn WHERE lane = :lane AND account IS NOT NULL"
    return [row["account"] for row in await tx.fetch(sql, lane=lane)]


async def find_said(tx: Transaction, channel: str, address: str) -> list[TurnName]:
    """What whoever has this address on the channel has said where others speak too."""
    mark = f'"address":"{address}"'
    rows = await tx.fetch(_SAID, begin=f"{channel}:", grouped='"group":true', mark=mark)
    return [
        TurnName(row["lane"], row["turn"]) for row in rows if _sender_of(row["body"]) == address
    ]


async def delete_turn(tx: Transaction, name: TurnName) -> None:
    """Delete a turn out of a conversation that goes on: what began it, and all that came of it. If
    it runs just now, the conversation is given to whoever takes it next."""
    if await interrupt_turn(tx, name.lane, name.turn):
        await tx.announce(name.lane, urgent=True)
    for statement in _DELETE_TURN:
        await tx.execute(statement, lane=name.lane, turn=name.turn)
    await delete_deliveries_of_turn(tx, name.lane, name.turn)
    await delete_turn_row(tx, name.lane, name.turn)
    await delete_updates_of_turn(tx, name.lane, name.turn)
    await drop_summary(tx, name.lane, name.turn)
    await open_empty_window(tx, name.lane)


async def forget_old_receipts(tx: Transaction) -> None:
    """Delete reports on deliveries that nobody has known for a day."""
    await tx.execute("DELETE FROM receipt WHERE at < {now} - 86400")


def _sender_of(body: str) -> str:
    try:
        return decode(body, Update).sender.address
    except msgspec.DecodeError:
        return ""


_OF_ACCOUNT: tuple[Callable[[Transaction, int], Awaitable[None]], ...] = (
    forget_all_facts,
    forget_tasks,
    forget_results,
    forget_mastery,
    forget_placement,
    forget_quizzes,
    forget_exercises,
    forget_cards,
    forget_schedule,
    forget_approvals,
    forget_files,
    forget_reports,
    forget_buyer,
)
_OF_LANE: tuple[Callable[[Transaction, str], Awaitable[None]], ...] = (
    forget_quizzes_in,
    forget_exercises_in,
    forget_cards_in,
    forget_approvals_in,
    forget_buttons_in,
    forget_commands_in,
    forget_reminders_in,
)
_FindRows = Callable[[Transaction], Awaitable[PersonalRows]]
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Gone:
    """What a transaction has deleted, and whose bytes may have been stored meanwhile."""

    personal: PersonalRows
    pictures: tuple[str, ...]
    """Ids of files that they showed as guests."""


class Erasure:
    def __init__(self, database: Database, files: FileStore, settings: Settings) -> None:
        self._database = database
        self._files = files
        self._settings = settings

    async def erase(self, person: Person, asked: Update) -> None:
        """Erase whoever wrote `asked`, which still is to be answered: its conversation holds that
        answer until it is delivered. Done again, it changes nothing more.

        Raises:
            ConnectionError: the blob store cannot be reached; no row is deleted yet.
        """
        await self._erase(lambda tx: find_personal_rows(tx, person), asked)

    async def erase_account(self, account: int) -> None:
        """Erase the person who has this account, without a word to them. Raises as `erase`."""
        await self._erase(lambda tx: find_personal_rows_of_account(tx, account), None)

    async def _erase(self, find: _FindRows, asked: Update | None) -> None:
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
        self, tx: Transaction, find: _FindRows, said: list[TurnName], asked: Update | None
    ) -> _Gone:
        personal = await find(tx)
        lanes = await find_lanes(tx, [*personal.lanes, *([asked.lane] if asked else [])])
        for account in personal.accounts:
            for forget in _OF_ACCOUNT:
                await forget(tx, account)
        pictures = await self._delete_elsewhere(tx, personal, lanes, said)
        await _hide_from_others(tx, personal, lanes)
        for lane in lanes:
            pictures += await _delete_lane(tx, lane, asked)
        for account in personal.accounts:
            await pseudonymise_names(
                tx, account, [*(f"{lane}/" for lane in lanes), *personal.proven]
            )
        for proven in personal.proven:
            await forget_unreadable_of(tx, proven)
        await forget_person(tx, personal, self._settings)
        return _Gone(personal, tuple(pictures))

    async def _delete_elsewhere(
        self, tx: Transaction, personal: PersonalRows, lanes: list[str], said: list[TurnName]
    ) -> list[str]:
        """What they said, pressed or may press where others speak too."""
        turns = {*said}
        for account in personal.accounts:
            turns |= {*await find_turns(tx, account)}
        pictures: list[str] = []
        for turn in sorted(turns):
            if turn.lane not in lanes:
                pictures += await forget_files_of_guests(tx, f"{turn.lane}/{turn.turn}/")
                await delete_turn(tx, turn)
        for account in personal.accounts:
            await pseudonymise_names(tx, account, [f"{turn.lane}/" for turn in turns])
        for channel, address in personal.addresses:
            await forget_buttons(tx, channel, address)
        return pictures


async def _hide_from_others(tx: Transaction, personal: PersonalRows, lanes: list[str]) -> None:
    """Other accounts paid for what was said here, while the person was part of them: what those
    keep of it names no conversation any more."""
    for lane in lanes:
        for account in await find_payers(tx, lane):
            if account not in personal.accounts:
                await pseudonymise_place(tx, account, lane)


async def _find_all_said(tx: Transaction, personal: PersonalRows) -> list[TurnName]:
    found = [await find_said(tx, channel, address) for channel, address in personal.addresses]
    return [name for names in found for name in names]


async def _delete_lane(tx: Transaction, lane: str, asked: Update | None) -> list[str]:
    """Delete the conversation, but for the one where it was asked for; ids of pictures in it."""
    for forget in _OF_LANE:
        await forget(tx, lane)
    pictures = await forget_files_of_guests(tx, f"{lane}/")
    if asked is None or lane != asked.lane or not await _stays(tx, asked):
        await delete_conversation(tx, lane)
    return pictures


async def _stays(tx: Transaction, asked: Update) -> bool:
    return await keep_for_last_message(tx, asked.lane, asked.delivery_key)


_KEYED: Final = ("ledger", "task", "file", "result", "report", "purchase")
"""Tables whose keys tell in which conversation, or for whom, something was done."""
_KEYS: Final = "SELECT key FROM {table} WHERE account = :account"
_RENAME: Final = "UPDATE {table} SET key = :blank WHERE key = :key"
_PLACED_KEYS: Final = (
    "UPDATE report SET lane = '' WHERE account = :account AND lane = :lane",
    "UPDATE purchase SET lane = '', address = '' WHERE account = :account AND lane = :lane",
)


async def pseudonymise_names(tx: Transaction, account: int, names: Collection[str]) -> None:
    """Give each row of the account whose key holds one of these names a key that says nothing.

    To be called when nothing can be kept under such a key any more: a key tells what was done.
    """
    for table in _KEYED:
        rows = await tx.fetch(_KEYS.format(table=table), account=account)
        renamed = [
            {"key": row["key"], "blank": f"erased:{secrets.token_hex(12)}"}
            for row in rows
            if any(name in row["key"] for name in names)
        ]
        if renamed:
            await tx.execute_many(_RENAME.format(table=table), renamed)


async def pseudonymise_place(tx: Transaction, account: int, lane: str) -> None:
    """What the account has done in this conversation names it no more."""
    await pseudonymise_names(tx, account, [f"{lane}/"])
    for statement in _PLACED_KEYS:
        await tx.execute(statement, account=account, lane=lane)


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

_RECEIPTS = """
DELETE FROM receipt WHERE provider_id IN (
    SELECT provider_id FROM outbox
    WHERE lane = :lane AND {turns} AND provider_id IS NOT NULL
)
"""

_EMPTY = (
    _RECEIPTS.replace("{turns}", "turn < :before"),
    "DELETE FROM rest WHERE lane = :lane AND turn < :before",
    "DELETE FROM shortlink WHERE lane = :lane AND turn < :before",
    "DELETE FROM spending WHERE lane = :lane AND turn < :before",
    "DELETE FROM journal WHERE lane = :lane AND turn < :before",
)

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
        AND state IN ('pending', 'attempting', 'waiting_for_window')
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

_DELETE_TURN = (
    _RECEIPTS.replace("{turns}", "turn = :turn"),
    "DELETE FROM rest WHERE lane = :lane AND turn = :turn",
    "DELETE FROM shortlink WHERE lane = :lane AND turn = :turn",
    "DELETE FROM spending WHERE lane = :lane AND turn = :turn",
    """
DELETE FROM journal
WHERE lane = :lane AND (turn = :turn OR (kind = 'summary' AND turn > :turn))
""",
)
"""A summary of what was said up to a later turn tells of this one: it is made again."""
