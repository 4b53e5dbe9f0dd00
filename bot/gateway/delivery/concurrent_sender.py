"""Send the deliveries of a turn while it still runs."""

from __future__ import annotations

import asyncio

from bot.asyncio_tasks import cancel_tasks
from bot.contracts.storage import Transaction
from bot.gateway.delivery.sender import DeliverySender, PreparedDelivery
from bot.gateway.lanes import Claim


class ConcurrentSender:
    """Sends a lane's deliveries while its turn runs, so that a slow one does not hold the turn up.

    `async with` it while the turn runs; nothing is sent, and no task made, before `send`.
    """

    def __init__(self, outbox: DeliverySender, claim: Claim) -> None:
        self._outbox = outbox
        self._claim = claim
        self._mail = asyncio.Event()
        self._over = False
        self._task: asyncio.Task[None] | None = None
        self._prepared: PreparedDelivery | None = None

    def send(self) -> None:
        """Have the deliveries sent that are due, if any are, unless one is prepared."""
        self._mail.set()
        if self._task is None and self._prepared is None:
            self._start()

    async def prepare(self) -> None:
        """Take a place in the channel's queue for the turn's first delivery, unless the sender runs
        already. If it is taken, nothing is sent before `send_prepared` or the turn's end."""
        if self._task is None:
            self._prepared = await self._outbox.prepare(self._claim)

    async def mark(self, tx: Transaction) -> None:
        """Mark the first delivery as attempted, in the transaction that stores it."""
        if self._prepared:
            await self._outbox.mark(tx, self._claim, self._prepared)

    def unmark(self) -> None:
        """Note that no delivery is marked, as the transaction failed."""
        if self._prepared:
            self._prepared.taken = None

    def send_prepared(self) -> None:
        """Have the deliveries sent that were stored since `prepare`, while the turn goes on."""
        self._mail.set()
        if self._task is None:
            self._start()

    def _start(self) -> None:
        self._task = asyncio.create_task(self._run(), name=f"send {self._claim.lane}")

    def take_prepared(self) -> PreparedDelivery | None:
        """Return the prepared delivery, if there is one, for the caller to send."""
        prepared, self._prepared = self._prepared, None
        return prepared

    async def _run(self) -> None:
        while not self._over:
            self._mail.clear()
            seconds = await self._outbox.send_due(self._claim, prepared=self.take_prepared())
            if not self._over:
                await self._sleep(seconds)

    async def _sleep(self, seconds: float | None) -> None:
        """Wait until there is mail, but at most so many seconds; None: however long it takes."""
        try:
            async with asyncio.timeout(seconds):
                await self._mail.wait()
        except TimeoutError:
            return

    async def __aenter__(self) -> ConcurrentSender:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Let the sending come to its end, or cancel it after an error in the block.

        Raises the error that ended the sending, if any.
        """
        if self._task is None:
            return
        self._over = True
        self._mail.set()
        if kind is not None:
            await cancel_tasks([self._task])
        else:
            await self._task
