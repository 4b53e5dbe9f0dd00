"""Send the due deliveries of a lane through its adapter, between turns or while one runs."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

import msgspec
import structlog

from bot.asyncio_tasks import cancel_tasks
from bot.contracts.channels import Adapter, Capabilities
from bot.contracts.storage import Database, Transaction
from bot.errors import DeliveryError, RetryAt, SenderRestricted, Undeliverable, WindowClosed
from bot.gateway.deliveries import ClaimedDelivery, Outcome, WhenHeld, WhenRefused
from bot.gateway.delivery.pacing import Pacer, SendTarget
from bot.gateway.delivery.receipts import Receipts
from bot.gateway.delivery.routing import OutboundRoutes
from bot.gateway.lanes import Claim, Lanes, lock_lane, note_rich_refused
from bot.gateway.open_questions import note_options_listed
from bot.gateway.outbox_rows import (
    defer_delivery,
    mark_attempted,
    next_delivery,
    note_segments,
    record_outcome,
    wait_for_sender,
)
from bot.gateway.reply_window import is_code_delivery
from bot.gateway.sender_restrictions import begin_trial, note_trial_taken, note_trial_void
from bot.messages.outgoing import (
    MESSAGES,
    Body,
    Delivery,
    FileBody,
    TextBody,
    drop_sent_part,
    link_refused_file,
)
from bot.observability import Metrics, span

log = structlog.get_logger()


_GIVE_UP_AFTER = 24 * 3600.0
_LEASE_PAUSE = 0.2
_LONGEST_PAUSE = 15 * 60.0
_PATIENCE = 1.0
"""Seconds for which a runner waits for the place in the queue; for a later one it comes back."""
_TRUSTED_RETRIES = 3
"""After so many attempts a delivery waits a second at least, whatever the provider asks for."""
_FILE_TRIES = 3
"""Attempts to hand over a file, after which a link is sent: what is behind it waits."""
_FILE_SECONDS = 5.0
"""Seconds after which no further attempt is made: this one took so long, or the next would."""
_CODE_TTL = 300.0
"""Seconds after which a one-time code has expired."""


@dataclass(frozen=True, slots=True)
class SenderHooks:
    """Functions that are called just before a delivery is sent, and after it."""

    link: Callable[[str], str]
    """Makes a signed link to a file by its id."""
    fill_in: Callable[[Body], Body]
    """Completes a body with its one-time code, which is never stored."""
    when_refused: WhenRefused
    """Called for deliveries that were refused for good, or are in doubt."""
    when_held: WhenHeld
    """Called for deliveries that have to wait, as our number is restricted."""
    routes: OutboundRoutes
    """Decide by which adapter a delivery goes, whatever was stored with it."""


AtLast = Callable[[Transaction], Awaitable[None]]


@dataclass(slots=True)
class PreparedDelivery:
    """A place in the queue for the next delivery of a lane."""

    place: SendTarget
    taken: ClaimedDelivery | None = None
    """The delivery, once it is marked as attempted: it is to be sent right after the commit."""


@dataclass(frozen=True, slots=True)
class SendResult:
    """An attempt and how it ended, not stored yet."""

    taken: ClaimedDelivery
    outcome: Outcome
    adapter: Adapter | None


class DeliverySender:
    """Sends the deliveries of lanes.

    Args:
        receipts: apply reports that came before the outcome of a delivery was stored.
    """

    def __init__(
        self,
        database: Database,
        lanes: Lanes,
        adapters: Mapping[str, Adapter],
        metrics: Metrics,
        pacer: Pacer,
        *,
        receipts: Receipts,
        hooks: SenderHooks,
    ) -> None:
        self._database = database
        self._lanes = lanes
        self._adapters = adapters
        self._metrics = metrics
        self._pacer = pacer
        self._hooks = hooks
        self._receipts = receipts

    async def send_due(
        self,
        claim: Claim,
        *,
        expected: bool = False,
        prepared: PreparedDelivery | None = None,
        at_last: AtLast | None = None,
    ) -> float | None:
        """Send the due deliveries of the lane, in order, at the channel's pace.

        Args:
            expected: a delivery is due that has no place in the queue yet; taking one before
                looking saves a transaction.
            prepared: the result of `prepare`, perhaps with a delivery marked by `mark`.
            at_last: called when none is left, in the transaction that stores the last outcome.

        Returns:
            Seconds until the next delivery is due; None when none is left.

        Raises:
            LeaseLost: the lane is another process's by now.
        """
        attempted: list[SendResult] = []
        if expected and prepared is None:
            prepared = await self.prepare(claim)
        due_in = await self._send_all(claim, prepared, attempted, at_last)
        for done in attempted:
            await self._settle_early(done)
        return due_in

    async def prepare(self, claim: Claim) -> PreparedDelivery:
        """Take a place in the queue for the lane's next delivery."""
        return PreparedDelivery(await self._place(claim, claim.via))

    async def mark(self, tx: Transaction, claim: Claim, prepared: PreparedDelivery) -> None:
        """Mark the lane's next delivery as attempted, if it may go at once, within a transaction
        that has locked the lane. `prepared` has to be given to `send_due` right after the commit.
        """
        marked = prepared.taken.delivery.id if prepared.taken else 0
        taken = await self._take_next(tx, claim, marked, has_place=prepared.place.wait == 0)
        prepared.taken = taken if taken and taken.marked else None

    async def _send_all(
        self,
        claim: Claim,
        prepared: PreparedDelivery | None,
        attempted: list[SendResult],
        at_last: AtLast | None,
    ) -> float | None:
        """Send the due deliveries; return the seconds until the next is due, None if none is left.

        A place in the queue that was not used is given back, so that it delays no other delivery.
        """
        place = prepared.place if prepared else None
        done: SendResult | None = None
        if prepared and prepared.taken:
            done = await self._attempt(claim, prepared.taken)
            attempted.append(done)
            place = place if self._is_free(prepared.taken) else None
        while True:
            has_place = place is not None and place.wait == 0
            taken = await self._take(claim, done, at_last, has_place=has_place)
            done = None
            if taken is None:
                await self._give_back(claim, place)
                return None
            if taken.marked or taken.in_doubt:
                done = await self._attempt(claim, taken)
                attempted.append(done)
                place = place if self._is_free(taken) else None
                continue
            if taken.wait > 0:
                await self._give_back(claim, place)
                return taken.wait
            if place is None:
                place = await self._place(claim, taken.via)
            if place.wait > _PATIENCE:
                await self._defer(claim, taken.delivery, place.wait)
                return place.wait
            await asyncio.sleep(place.wait)
            place = replace(place, wait=0.0)

    async def _place(self, claim: Claim, via: str) -> SendTarget:
        """Take the lane's place in the queue of the adapter `via`."""
        via = self._hooks.routes.route(claim, via)
        able = self._capabilities(via)
        wait = await self._pacer.place(replace(claim, via=via), able) if able else 0.0
        return SendTarget(via, wait)

    async def _give_back(self, claim: Claim, place: SendTarget | None) -> None:
        if place and (able := self._capabilities(place.via)):
            await self._pacer.give_back(replace(claim, via=place.via), able)

    async def _defer(self, claim: Claim, delivery: Delivery, seconds: float) -> None:
        async def work(tx: Transaction) -> None:
            await lock_lane(tx, claim)
            await defer_delivery(tx, delivery, seconds)

        await self._database.write(work)

    async def _take(
        self, claim: Claim, done: SendResult | None, at_last: AtLast | None, *, has_place: bool
    ) -> ClaimedDelivery | None:
        """Store the last outcome, and mark the next delivery as attempted if it may go at once, in
        one transaction."""
        marked = 0  # by an earlier run of `work`, whose commit may have gone through unseen

        async def work(tx: Transaction) -> ClaimedDelivery | None:
            nonlocal marked
            if done is not None:
                await self._record(tx, claim, done)
            taken = await self._take_next(tx, claim, marked, has_place=has_place)
            if taken is None and at_last:
                await at_last(tx)
            marked = taken.delivery.id if taken and taken.marked else marked
            return taken

        return await self._database.write(work)

    async def _take_next(
        self, tx: Transaction, claim: Claim, marked: int, *, has_place: bool
    ) -> ClaimedDelivery | None:
        """Return the lane's next delivery, marked as attempted if it may go at once.

        Args:
            marked: the delivery that an earlier run of the transaction has marked, or 0.
        """
        taken = await next_delivery(tx, claim, self._capabilities, self._hooks.when_held)
        if taken is None:
            return None
        taken = replace(taken, via=self._hooks.routes.route(claim, taken.via))
        if taken.in_doubt:
            ours = taken.delivery.id == marked
            return replace(taken, marked=True, in_doubt=False) if ours else taken
        if taken.wait > 0 or not (has_place or self._is_free(taken)):
            return taken
        # Codes and people who cannot be reached are refused unsent, which tries nothing.
        tries = taken.is_trial and taken.reachable and not is_code_delivery(taken.delivery.body)
        if tries and not await begin_trial(tx, taken.via, taken.delivery.id):
            await wait_for_sender(tx, claim.lane, taken.delivery.id, taken.via)
            return await self._take_next(tx, claim, marked, has_place=has_place)
        await mark_attempted(tx, taken.delivery, via=taken.via)
        return replace(taken, marked=True)

    def _is_free(self, taken: ClaimedDelivery) -> bool:
        """Return whether a delivery may go without a new place in the queue."""
        capabilities = self._capabilities(taken.via)
        paced = capabilities is not None and capabilities.is_paced
        return not paced or taken.slot_taken or not isinstance(taken.delivery.body, MESSAGES)

    def _capabilities(self, via: str) -> Capabilities | None:
        adapter = self._adapters.get(via)
        return adapter.capabilities if adapter else None

    async def _record(self, tx: Transaction, claim: Claim, done: SendResult) -> None:
        """Store how an attempt ended, once, with its segments, and call the hooks about it."""
        taken, outcome = done.taken, done.outcome
        via, delivery = taken.via, taken.delivery
        if not await record_outcome(tx, claim, delivery, outcome, self._capabilities(via)):
            return  # it was stored by an earlier run, whose commit was not seen
        if taken.is_trial:
            await _note_trial(tx, done)
        if outcome.rich_refused:
            await note_rich_refused(tx, claim.lane)
        if outcome.options_listed and isinstance(delivery.body, TextBody):
            await note_options_listed(tx, claim.lane, delivery.body)
        if outcome.restricted:
            await self._hooks.when_held(tx, claim.lane, via, outcome.error)
        if outcome.state in {"refused", "unknown"} or (outcome.state == "sent" and outcome.body):
            body = outcome.body or delivery.body
            await self._hooks.when_refused(tx, claim.lane, body, outcome.state)
        if segments := _count_segments(delivery, outcome):
            await note_segments(tx, delivery, via=via, segments=segments)

    async def _settle_early(self, done: SendResult) -> None:
        """Apply reports that came before the delivery's outcome was durable."""
        adapter, outcome = done.adapter, done.outcome
        if not (adapter and adapter.capabilities.receipts):
            return
        if outcome.provider_id:
            await self._receipts.settle_early(adapter.name, outcome.provider_id)
        elif outcome.state == "unknown":
            await self._receipts.settle_kept()

    async def _attempt(self, claim: Claim, taken: ClaimedDelivery) -> SendResult:
        adapter = self._adapters.get(taken.via)
        if adapter is None:
            outcome = Outcome("refused", error=f"no adapter {taken.via!r}, or no route there")
        elif taken.in_doubt:
            outcome = _resolve_doubt(adapter, taken.delivery.body)
        elif is_code_delivery(taken.delivery.body) and taken.age > _CODE_TTL:
            outcome = Outcome("refused", error="the code has expired")
        elif not taken.reachable:
            outcome = Outcome("refused", error="the person cannot be reached, or opted out")
        elif taken.is_trial and is_code_delivery(taken.delivery.body):
            outcome = Outcome("refused", error="our number is restricted, and a code cannot wait")
        else:
            outcome = await self._send(adapter, claim, taken)
        self._count(taken, outcome)
        return SendResult(taken, outcome, adapter)

    def _count(self, taken: ClaimedDelivery, outcome: Outcome) -> None:
        counted = "retry" if outcome.state == "pending" else outcome.state
        self._metrics.deliveries(taken.via, counted).inc()
        if segments := _count_segments(taken.delivery, outcome):
            self._metrics.segments(taken.via).inc(segments)

    async def _send(self, adapter: Adapter, claim: Claim, taken: ClaimedDelivery) -> Outcome:
        if not self._lanes.surely_ours(claim):
            # Surely not sent; if the lane is still ours, the database will say so.
            return Outcome("pending", error="the lease was in question", after=_LEASE_PAUSE)
        began = time.monotonic()
        try:
            with (
                span("delivery", via=taken.via, delivery=taken.delivery.id),
                self._metrics.stage_seconds("deliver").time(),
            ):
                sent = await adapter.deliver(self._complete(adapter, taken.delivery))
        except DeliveryError as error:
            return self._failed(error, taken, time.monotonic() - began)
        except Exception:
            log.exception("delivery_failed", lane=claim.lane, delivery=taken.delivery.id)
            return Outcome("unknown", error="internal error")
        if sent.left is not None:
            return Outcome(
                "pending", sent.provider_id, body=sent.left, rich_refused=sent.rich_refused
            )
        return Outcome(
            "sent",
            provider_id=sent.provider_id,
            body=sent.body,
            options_listed=sent.options_listed,
        )

    def _complete(self, adapter: Adapter, delivery: Delivery) -> Delivery:
        """Add what is made only now: the link by which a provider fetches a file, or a code."""
        body = delivery.body
        if is_code_delivery(body):
            body = self._hooks.fill_in(body)
        if adapter.capabilities.media_by_link and isinstance(body, FileBody):
            body = msgspec.structs.replace(body, link=self._hooks.link(body.file.file_id))
        return delivery if body is delivery.body else msgspec.structs.replace(delivery, body=body)

    def _failed(self, error: DeliveryError, taken: ClaimedDelivery, seconds: float) -> Outcome:
        """Return the outcome of an attempt that failed after so many seconds."""
        match error:
            case RetryAt():
                left = self._give_up_file(error, taken.delivery, seconds)
                return left or self._retry(error, taken.delivery.attempt, taken.age)
            case WindowClosed() if is_code_delivery(taken.delivery.body):
                return Outcome("refused", error=str(error))
            case SenderRestricted():
                state = "refused" if is_code_delivery(taken.delivery.body) else "pending"
                return Outcome(state, error=str(error), restricted=True)
            case WindowClosed():
                return Outcome("pending", error=str(error), window_closed=True)
            case Undeliverable():
                return self._refusal(error, taken.delivery)
            case _:
                return Outcome("unknown", error=str(error))

    def _give_up_file(self, error: RetryAt, delivery: Delivery, seconds: float) -> Outcome | None:
        """Have a link sent in place of a file that is not taken, soon enough for what is behind it;
        None: the file is tried again, or is not what fails."""
        is_late = max(seconds, error.after or 0.0) > _FILE_SECONDS
        if not error.only_file or not (is_late or delivery.attempt >= _FILE_TRIES):
            return None
        return self._link_file(delivery, error)

    def _link_file(self, delivery: Delivery, error: DeliveryError) -> Outcome | None:
        left = link_refused_file(delivery.body, self._hooks.link)
        if left is None:
            return None
        log.warning("file_refused", delivery=delivery.id, reason=str(error))
        return Outcome("pending", error=str(error), body=left)

    def _refusal(self, error: Undeliverable, delivery: Delivery) -> Outcome:
        if error.moved_to and error.moved_to != delivery.conversation:
            return Outcome("pending", error=str(error), moved_to=error.moved_to)
        if not error.dead_target and (linked := self._link_file(delivery, error)):
            return linked
        return Outcome(
            "refused", error=str(error), dead_target=error.dead_target, opted_out=error.opted_out
        )

    def _retry(self, error: RetryAt, attempt: int, age: float) -> Outcome:
        if age > _GIVE_UP_AFTER:
            return Outcome("refused", error=f"given up after a day: {error}", body=error.body)
        jitter = random.random()  # noqa: S311 (spreads retries, keeps no secret)
        pause = min(2.0 ** min(attempt - 1, 20), _LONGEST_PAUSE) * (0.5 + jitter)
        after = pause if error.after is None else error.after + jitter * 0.5
        if attempt > _TRUSTED_RETRIES:
            after = max(after, 1.0)
        return Outcome("pending", error=str(error), after=after, body=error.body)


def _count_segments(delivery: Delivery, outcome: Outcome) -> int:
    body, is_paid = delivery.body, outcome.state in ("sent", "unknown")
    return body.segments if is_paid and isinstance(body, TextBody) else 0


async def _note_trial(tx: Transaction, done: SendResult) -> None:
    """Note what a trial has shown about a restricted sender; one in doubt shows nothing."""
    delivery, outcome = done.taken.delivery.id, done.outcome
    if outcome.state == "sent":
        await note_trial_taken(tx, done.taken.via, delivery)
    elif outcome.state != "unknown" and not outcome.restricted:
        await note_trial_void(tx, done.taken.via, delivery)


def _resolve_doubt(adapter: Adapter, body: Body) -> Outcome:
    """Decide about a delivery whose process died between the request and its outcome.

    It is sent again only if it cannot be shown twice; of one with several parts the rest is sent.
    """
    if adapter.capabilities.resend == "safe":
        return Outcome("pending", error="resent after a crash")
    left = drop_sent_part(body)
    if left is not None:
        return Outcome("pending", error="the process died while sending a part", body=left)
    return Outcome("unknown", error="the process died while sending")


class ConcurrentSender:
    """Sends a lane's deliveries while its turn runs, so that a slow one does not hold the turn up.

    `async with` it while the turn runs; nothing is sent, and no task made, before `send`.
    """

    def __init__(self, sender: DeliverySender, claim: Claim) -> None:
        self._sender = sender
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
            self._prepared = await self._sender.prepare(self._claim)

    async def mark(self, tx: Transaction) -> None:
        """Mark the first delivery as attempted, in the transaction that stores it."""
        if self._prepared:
            await self._sender.mark(tx, self._claim, self._prepared)

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
            seconds = await self._sender.send_due(self._claim, prepared=self.take_prepared())
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
