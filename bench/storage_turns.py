"""The write path of turns against a database.

    python -m bench.storage_turns URL TURNS FROM TO STEP

All that storage does for a turn, and nothing else: the update is stored, its lane claimed, the turn
opened, journalled and closed, its answer sent (to nowhere) and the lane released; 50 at once, in
lanes that hold history: every STEP-th of those numbered FROM to TO. Prints one line of JSON:
`{"cpu_ms_per_turn", "wall_ms_per_turn"}`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from typing import Any

from bench.bulk import SAID
from bot import settings as environment
from bot.accounts.people import People
from bot.agent.turn import Turn
from bot.contracts.channels import Capabilities
from bot.contracts.storage import Database, Transaction
from bot.contracts.turn import Finished
from bot.events import ignore
from bot.files.store import FileStore
from bot.gateway.deliveries import Composed
from bot.gateway.delivery.emails import EmailService
from bot.gateway.delivery.notify import Notifier
from bot.gateway.delivery.pacing import Pacer
from bot.gateway.inbound.inbox import Inbox, Pending
from bot.gateway.lanes import Claim, Lanes
from bot.gateway.turns.close import TurnEnding, close_turn
from bot.gateway.turns.journal import TurnJournal
from bot.gateway.turns.open import TurnOpener
from bot.gateway.turns.state import OpenedTurn
from bot.messages.incoming import Said, Sender, Update
from bot.messages.outgoing import Delivery, Sent, TextBody
from bot.messages.transcript import AssistantMessage, ModelReply, ToolCall, ToolResult, Usage
from bot.settings import Settings
from bot.storage.blobs import open_blobs
from bot.storage.database import open_database
from bot.storage.ephemeral import MemoryEphemeralStore
from tests.support.outbox import make_sender

AT_ONCE = 50
USAGE = Usage(210, 320, 0, 0.0001)
CALL = ToolCall("call_1", "lookup", '{"topic": "rain"}')


class Nowhere:
    """As much of an adapter as the outbox uses."""

    capabilities = Capabilities(max_text=4096)

    async def deliver(self, delivery: Delivery) -> Sent:
        return Sent(f"m{delivery.id}")


class Storage:
    """The parts of a worker that touch the database, and one turn through them."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._inbox = Inbox(database)
        adapters: Any = {"telegram": Nowhere()}
        self._lanes = Lanes(database, settings.lease_seconds, adapters)
        people, files = People(database, settings), FileStore(database, open_blobs(settings))
        emails = EmailService(database, people, Notifier(database, self._inbox, adapters), files)
        self._opening = TurnOpener(people, emails, settings, sells=lambda _person, _lane: False)
        pacer = Pacer(MemoryEphemeralStore())
        self._outbox = make_sender(database, self._lanes, adapters, pacer)

    async def run(self, lanes: list[int], key: str) -> None:
        """A turn in each of these lanes, side by side."""
        await asyncio.gather(*(self._receive(lane, key) for lane in lanes))
        claims = await self._lanes.claim(len(lanes))
        if len(claims) != len(lanes):
            raise RuntimeError(f"{len(claims)} lanes claimed, not {len(lanes)}")
        await asyncio.gather(*(self._work(claim) for claim in claims))

    async def _receive(self, lane: int, key: str) -> None:
        update = Update(
            channel="telegram",
            via="telegram",
            conversation=str(lane),
            sender=Sender(str(lane), f"P{lane}", "fr"),
            delivery_key=key,
            message_key=key,
            content=Said(SAID),
        )
        if await self._inbox.store([update]) == [None]:
            raise RuntimeError("the update counts as a duplicate")

    async def _work(self, claim: Claim) -> None:
        waiting = await self._inbox.next_or_release(claim)
        if waiting is None or waiting.pending is None:
            raise RuntimeError("nothing is pending")
        await self._turn(claim, waiting.pending)
        await self._outbox.send_due(claim)
        if await self._inbox.next_or_release(claim) is not None:
            raise RuntimeError("something is still pending")

    async def _turn(self, claim: Claim, pending: Pending) -> None:
        async def begin(tx: Transaction) -> OpenedTurn:
            return await self._opening.open(tx, claim, pending)

        opened = await self._database.write(begin)
        journal = TurnJournal(self._database, claim, pending, opened.record)
        turn = Turn(
            id=pending.seq,
            lane=claim.lane,
            person=opened.person,
            messages=opened.messages(),
            limits=opened.limits(self._settings),
            journal=journal,
            emit=ignore,
        )
        asked = ModelReply(AssistantMessage("", (CALL,)), USAGE, "gpt-4o-mini", "tool_calls")
        found = Finished(ToolResult(CALL.id, CALL.name, SAID))
        answer = ModelReply(AssistantMessage(SAID * 5), USAGE, "gpt-4o-mini", "stop")
        turn.add_reply(asked)
        await journal.replied(asked)
        turn.add_result(found)
        await journal.finished([found])
        turn.add_reply(answer)
        await journal.replied(answer)
        ending = TurnEnding(
            "answered", held=opened.held, cost=1, composed=Composed([TextBody(turn.answer)])
        )

        async def end(tx: Transaction) -> int:
            return await close_turn(tx, claim, pending, turn, ending)

        await self._database.write(end)


async def measure(url: str, turns: int, lanes: range) -> dict[str, float]:
    settings = environment.load({"DATABASE_URL": url, "RATE_LIMIT_PER_MINUTE": "100000"})
    async with open_database(settings) as database:
        storage = Storage(database, settings)
        await storage.run(_choose(lanes), f"warm-{time.time_ns()}")
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in range(turns // AT_ONCE):
            await storage.run(_choose(lanes), f"turn-{time.time_ns()}")
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {"cpu_ms_per_turn": cpu * 1000 / turns, "wall_ms_per_turn": wall * 1000 / turns}


def _choose(lanes: range) -> list[int]:
    return random.sample(lanes, AT_ONCE)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("turns", type=int)
    parser.add_argument("lanes", type=int, nargs=3)
    arguments = parser.parse_args()
    measured = asyncio.run(measure(arguments.url, arguments.turns, range(*arguments.lanes)))
    print(json.dumps(measured))


if __name__ == "__main__":
    main()
