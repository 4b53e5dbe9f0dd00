"""Erasure: all that is kept of a person goes, in one transaction; their account stays nameless.

What runs for them meanwhile loses its lane, and with it every way to write. What a tool adds in the
meantime is refused, since the account is nobody's. Bytes go before the rows that name them, so that
it can be done again, and once more after, for what was just being stored.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from bot.accounts.approvals import forget_approvals, forget_approvals_in
from bot.accounts.purchases import forget_buyer
from bot.accounts.traces import Traces, find_traces, find_traces_of_account, forget_person
from bot.contracts import Database, Transaction
from bot.gateway.remains import (
    TurnName,
    delete_conversation,
    delete_turn,
    find_lanes,
    find_payers,
    find_said,
    find_turns,
    forget_commands_in,
    forget_reports,
    keep_for_farewell,
)
from bot.learning.exercises import forget_results
from bot.learning.quiz import forget_quizzes, forget_quizzes_in
from bot.learning.reminding import forget_told_in
from bot.learning.tasks import forget_tasks
from bot.library.file_rows import forget_files, forget_files_of_guests
from bot.library.files import Files
from bot.library.memory import forget_all_facts
from bot.mail.letters import forget_letters, forget_letters_about
from bot.messages import Person, Update
from bot.settings import Settings
from bot.storage.buttons import forget_buttons, forget_buttons_in
from bot.storage.hiding import hide_names, hide_place

_OF_ACCOUNT: tuple[Callable[[Transaction, int], Awaitable[None]], ...] = (
    forget_all_facts,
    forget_tasks,
    forget_results,
    forget_quizzes,
    forget_approvals,
    forget_files,
    forget_letters,
    forget_reports,
    forget_buyer,
)
_OF_LANE: tuple[Callable[[Transaction, str], Awaitable[None]], ...] = (
    forget_quizzes_in,
    forget_approvals_in,
    forget_buttons_in,
    forget_letters_about,
    forget_commands_in,
    forget_told_in,
)
_Find = Callable[[Transaction], Awaitable[Traces]]
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class _Gone:
    """What a transaction has deleted, and whose bytes may have been stored meanwhile."""

    traces: Traces
    pictures: tuple[str, ...]
    """Ids of files that they showed as guests."""


class Erasure:
    def __init__(self, database: Database, files: Files, settings: Settings) -> None:
        self._database = database
        self._files = files
        self._settings = settings

    async def erase(self, person: Person, asked: Update) -> None:
        """Erase whoever wrote `asked`, which still is to be answered: its conversation holds that
        answer until it is delivered. Done again, it changes nothing more.

        Raises:
            ConnectionError: the blob store cannot be reached; no row is deleted yet.
        """
        await self._erase(lambda tx: find_traces(tx, person), asked)

    async def erase_account(self, account: int) -> None:
        """Erase the person who has this account, without a word to them. Raises as `erase`."""
        await self._erase(lambda tx: find_traces_of_account(tx, account), None)

    async def _erase(self, find: _Find, asked: Update | None) -> None:
        traces = await self._database.write(find)
        await self._files.clear_blobs(traces.accounts, [f"{lane}/" for lane in traces.lanes])
        said = await self._database.read(lambda tx: _find_all_said(tx, traces))
        gone = await self._database.write(lambda tx: self._delete(tx, find, said, asked))
        await self._files.clear_blobs(gone.traces.accounts, ())
        await self._files.clear_guest_blobs(gone.pictures)
        await self._database.scrub()
        log.info("person_erased", accounts=list(gone.traces.accounts), known=bool(traces.accounts))

    async def _delete(
        self, tx: Transaction, find: _Find, said: list[TurnName], asked: Update | None
    ) -> _Gone:
        traces = await find(tx)
        lanes = await find_lanes(tx, [*traces.lanes, *([asked.lane] if asked else [])])
        for account in traces.accounts:
            for forget in _OF_ACCOUNT:
                await forget(tx, account)
        pictures = await self._delete_elsewhere(tx, traces, lanes, said)
        await _hide_from_others(tx, traces, lanes)
        for lane in lanes:
            pictures += await _delete_lane(tx, lane, asked)
        for account in traces.accounts:
            await hide_names(tx, account, [*(f"{lane}/" for lane in lanes), *traces.proven])
        await forget_person(tx, traces, self._settings)
        return _Gone(traces, tuple(pictures))

    async def _delete_elsewhere(
        self, tx: Transaction, traces: Traces, lanes: list[str], said: list[TurnName]
    ) -> list[str]:
        """What they said, pressed or may press where others speak too."""
        turns = {*said}
        for account in traces.accounts:
            turns |= {*await find_turns(tx, account)}
        pictures: list[str] = []
        for turn in sorted(turns):
            if turn.lane not in lanes:
                pictures += await forget_files_of_guests(tx, f"{turn.lane}/{turn.turn}/")
                await delete_turn(tx, turn)
        for account in traces.accounts:
            await hide_names(tx, account, [f"{turn.lane}/" for turn in turns])
        for channel, address in traces.addresses:
            await forget_buttons(tx, channel, address)
        return pictures


async def _hide_from_others(tx: Transaction, traces: Traces, lanes: list[str]) -> None:
    """Other accounts paid for what was said here, while the person was part of them: what those
    keep of it names no conversation any more."""
    for lane in lanes:
        for account in await find_payers(tx, lane):
            if account not in traces.accounts:
                await hide_place(tx, account, lane)


async def _find_all_said(tx: Transaction, traces: Traces) -> list[TurnName]:
    found = [await find_said(tx, channel, address) for channel, address in traces.addresses]
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
    return await keep_for_farewell(tx, asked.lane, asked.delivery_key)
