"""Claim lanes with updates in them, lose lanes, and make messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from bot.contracts.storage import Database
from bot.contracts.turn import Finished
from bot.errors import GriotError
from bot.events import Event
from bot.gateway.inbound.command_parser import note_command
from bot.gateway.inbound.inbox import Inbox, Pending
from bot.gateway.lanes import Claim, Lanes
from bot.gateway.turns.preview import decode_live
from bot.gateway.turns.state import OpenedTurn
from bot.messages.incoming import Update, UpdateContent
from bot.messages.outgoing import Say
from bot.messages.transcript import Text, ToolResult, UserMessage
from bot.storage.ephemeral import MemoryEphemeralStore
from tests.support.app import TestApp, update
from tests.support.queries import Plus, change_rows, read_rows


async def store_and_claim(
    database: Database, *contents: UpdateContent | str
) -> tuple[Claim, Pending]:
    """Store what is said at once, and claim its lane."""
    return await store_updates_and_claim(
        database, *[update(content) for content in contents or ("hello",)]
    )


async def store_updates_and_claim(database: Database, *updates: Update) -> tuple[Claim, Pending]:
    """Store updates of one lane, and claim it."""
    first, *others = [number or 0 for number in await Inbox(database).store(updates)]
    [claim] = await Lanes(database, 15, ["fake"]).claim(1)
    return claim, Pending(first, note_command(updates[0]), members=tuple(others))


@dataclass
class WaitingTurn:
    """A message whose turn has not begun, and its claimed lane."""

    app: TestApp
    claim: Claim
    pending: Pending

    async def open(self, pending: Pending | None = None) -> OpenedTurn:
        opening = self.app.app.turn_opener

        async def work(tx: Any) -> OpenedTurn:
            return await opening.open(tx, self.claim, pending or self.pending)

        return await self.app.database.write(work)

    async def rows(self, table: str) -> list[Any]:
        return await read_rows(self.app.database, table)

    async def refuse(self, error: type[GriotError], words: str) -> None:
        """It is refused so, and leaves nothing behind."""
        with pytest.raises(error, match=words):
            await self.open()
        assert await self.rows("journal") == []


async def wait_for_turn(app: TestApp, *contents: UpdateContent | str) -> WaitingTurn:
    """Store what is said at once, and claim its lane, so that the turn can be opened."""
    return WaitingTurn(app, *await store_and_claim(app.database, *contents))


async def lose_to_another(database: Database) -> None:
    """Give all lanes to another process."""
    await change_rows(database, "lane", {"fence": Plus(1), "owner": "another"})


def make_user_messages(*lines: str) -> list[UserMessage]:
    """Make a message of the person from each line."""
    return [UserMessage((Text(line),)) for line in lines]


def make_finished(call: str = "c1", text: str = "found") -> Finished:
    return Finished(ToolResult(call, "look", text), (Say("here"),))


class RecordedEvents(MemoryEphemeralStore):
    """A store that keeps the events that are published."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[Event] = []

    def publish(self, topic: str, payload: bytes) -> None:
        self.events.append(decode_live(payload).event)
