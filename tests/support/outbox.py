"""An outbox with a channel behind it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from bot.contracts.channels import Adapter
from bot.contracts.storage import Database, Transaction
from bot.gateway.deliveries import Composed, State, WhenRefused
from bot.gateway.delivery.message_costs import MessageCosts
from bot.gateway.delivery.pacing import Pacer
from bot.gateway.delivery.receipts import Receipts
from bot.gateway.delivery.routing import NO_ROUTES
from bot.gateway.delivery.sender import DeliverySender, SenderHooks
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.lanes import Claim, Lanes
from bot.gateway.outbox_rows import store_deliveries
from bot.gateway.sender_restrictions import note_restricted
from bot.messages.outgoing import Body, TextBody
from bot.observability import Metrics
from bot.settings import Settings
from bot.storage.ephemeral import MemoryEphemeralStore
from tests.support.app import update
from tests.support.fakes import Clock, FakeChannel
from tests.support.queries import NOW, change_rows, read_rows


async def accept_refusal(tx: Transaction, lane: str, body: Body, state: State) -> None:
    """Do nothing about a refusal."""


async def accept_restriction(tx: Transaction, lane: str, via: str, reason: str) -> None:
    """Store the provider's reason, and do nothing else about a restriction."""
    if reason:
        await note_restricted(tx, via, reason)


def keep_as_it_is(body: Body) -> Body:
    return body


NO_HOOKS: Final = SenderHooks(
    link=str,
    fill_in=keep_as_it_is,
    when_refused=accept_refusal,
    when_held=accept_restriction,
    routes=NO_ROUTES,
)


def make_receipts(
    database: Database,
    adapters: Mapping[str, Adapter],
    metrics: Metrics | None = None,
    *,
    when_refused: WhenRefused = accept_refusal,
    costs: MessageCosts | None = None,
) -> Receipts:
    """Receipts that book costs by Griot's own table of prices, and do nothing else."""
    return Receipts(
        database,
        adapters,
        metrics or Metrics(),
        when_refused,
        accept_restriction,
        costs or MessageCosts(Settings()),
        str,
    )


def make_sender(
    database: Database,
    lanes: Lanes,
    adapters: Mapping[str, Adapter],
    pacer: Pacer,
    *,
    hooks: SenderHooks = NO_HOOKS,
) -> DeliverySender:
    receipts = make_receipts(database, adapters)
    return DeliverySender(
        database, lanes, adapters, Metrics(), pacer, receipts=receipts, hooks=hooks
    )


class ClaimedOutbox:
    """An outbox with a channel behind it, and a lane that is claimed."""

    def __init__(
        self,
        database: Database,
        *,
        writes: Database | None = None,
        channel: FakeChannel | None = None,
    ) -> None:
        self.database = database
        self.channel = channel or FakeChannel()
        self.clock = Clock()
        self.lanes = Lanes(database, 15, ["fake"], self.clock)
        self.momentary = MemoryEphemeralStore(self.clock)
        self.outbox = make_sender(
            writes or database,
            self.lanes,
            {"fake": self.channel},
            Pacer(self.momentary),
            hooks=replace(NO_HOOKS, link="https://griot.example/{}".format),
        )

    async def claim(self) -> Claim:
        await Inbox(self.database).store([update("hello")])
        [claim] = await self.lanes.claim(1)
        return claim

    async def reclaim(self) -> Claim:
        """Claim the lane again, as another process does after a crash."""
        await change_rows(self.database, "lane", {"owner": None, "due_at": NOW})
        [claim] = await self.lanes.claim(1)
        return claim

    async def put(self, *contents: str | Body, turn: int = 1) -> None:
        bodies = [TextBody(item) if isinstance(item, str) else item for item in contents]

        async def work(tx: Any) -> None:
            await store_deliveries(tx, "telegram:1", turn, Composed(bodies))

        await self.database.write(work)

    async def put_more(self, *contents: str | Body) -> None:
        await self.put(*contents, turn=2)

    async def states(self) -> list[str]:
        rows = await read_rows(self.database, "outbox")
        return [row["state"] for row in rows]


class RerunDatabase:
    """A database whose writes are run twice: rolled back, or committed unseen, the first time."""

    def __init__(self, database: Database, *, committed: bool) -> None:
        self._database = database
        self._committed = committed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    async def write(self, work: Any) -> Any:
        if self._committed:
            await self._database.write(work)
        else:

            async def undone(tx: Any) -> None:
                await work(tx)
                raise ZeroDivisionError

            with suppress(ZeroDivisionError):
                await self._database.write(undone)
        return await self._database.write(work)
