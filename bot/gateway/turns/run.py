"""Run the turn of an update, and record its end whatever happens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import structlog

from bot.accounts import ledger
from bot.agent.loop import Loop
from bot.agent.turn import Turn
from bot.contracts.channels import Adapter, Capabilities
from bot.contracts.storage import Transaction
from bot.errors import LeaseLost, OutOfCredits, PersonError, StreamBroken
from bot.events import AgentPrep, Content, End, EndReason, Failure, Progress, Start, UsageReport
from bot.gateway.commands.preferences import greet_beside
from bot.gateway.commands.router import CommandRouter
from bot.gateway.context import GatewayContext
from bot.gateway.inbound.inbox import Pending, is_waited_behind
from bot.gateway.jobs import BackgroundJobs, home_lane_of, is_job
from bot.gateway.lanes import Claim
from bot.gateway.outbox import Composed
from bot.gateway.turns.close import TurnEnding, close_turn
from bot.gateway.turns.compaction import Compaction
from bot.gateway.turns.journal import TurnJournal
from bot.gateway.turns.model_message import Attachments, quote_voice_notes
from bot.gateway.turns.open import (
    DayLimitReached,
    OpenedTurn,
    TooFast,
    TurnOpener,
    warn_of_low_credits,
)
from bot.gateway.turns.preview import LivePreview
from bot.gateway.turns.retry import SetAside, TurnFailures, note_waits_alone
from bot.i18n import say
from bot.messages.channels import CHANNELS
from bot.messages.incoming import Update
from bot.messages.outgoing import AskApproval, AskQuiz, Outgoing, Say
from bot.messages.transcript import UserMessage
from bot.observability import span
from bot.periodic import cancel_tasks
from bot.storage.buttons import offer_commands


async def ask_followup(
    tx: Transaction, turn: Turn, update: Update, capabilities: Capabilities, reason: EndReason
) -> Sequence[Say]:
    """Whether to go on in the background, where the answer was cut short; how Griot is to speak
    with someone new; not beside another question, and nothing beside a job's answer."""
    if is_job(update.lane) or any(isinstance(one, AskQuiz | AskApproval) for one in turn.outgoing):
        return ()
    if reason == "limit" and turn.is_cut_short and _may_go_on(turn, update):
        return [await _offer_to_go_on(tx, turn, update, capabilities)]
    return await greet_beside(tx, turn.person, update, capabilities)


def _may_go_on(turn: Turn, update: Update) -> bool:
    return (
        turn.person.account is not None
        and CHANNELS[update.channel].shared_thread
        and not update.group
    )


async def _offer_to_go_on(
    tx: Transaction, turn: Turn, update: Update, capabilities: Capabilities
) -> Say:
    language = turn.person.language
    words = say(language, "This will take a while.")
    if not capabilities.max_buttons:
        ask = say(language, "Write /job, and I go on in the background.")
        return Say(f"{words} {ask}")
    ask = say(language, "Shall I go on in the background, and write when it is done?")
    choices = [(say(language, "Go on"), "/job")]
    buttons = await offer_commands(tx, update.lane, update.sender.address, choices)
    return Say(f"{words} {ask}", buttons)


class Stop:
    """A person's wish to cancel a turn, or ours to set it aside. It takes effect only while the
    agent works."""

    def __init__(self) -> None:
        self.requested = False
        self.sets_aside = False
        self._task: asyncio.Task[Any] | None = None

    def request(self) -> None:
        """Have the turn cancelled, now or as soon as the agent works."""
        self.requested = True
        if self._task is not None:
            self._task.cancel()

    def set_aside(self) -> None:
        """Interrupt the turn if the agent works, to be tried again later."""
        if self._task is not None and not self.requested:
            self.sets_aside = True
            self._task.cancel()

    @contextmanager
    def heeded(self) -> Generator[None]:
        """While the block runs, a request cancels it."""
        if self.requested:
            raise asyncio.CancelledError
        self._task = asyncio.current_task()
        try:
            yield
        finally:
            self._task = None


_LONG = 30_000
"""Characters of an answer whose rendering would hold up all others."""
_SILENCE = 12.0
"""Seconds without a sign of life after which a turn lets those go first who wait behind it."""
_MOST_TOLD = 10_000
_LOOK_AGAIN = 1.0
"""Seconds between two looks at whether somebody waits."""
log = structlog.get_logger()


@dataclass(slots=True)
class _Running:
    """A turn on its way, in this process."""

    claim: Claim
    pending: Pending
    adapter: Adapter
    live: LivePreview
    stop: Stop
    started: float
    """By `time.monotonic`."""

    @property
    def seconds(self) -> float:
        """How long this try has taken so far."""
        return time.monotonic() - self.started


class TurnRunner:
    """Runs the turns that need the agent loop."""

    def __init__(
        self,
        parts: GatewayContext,
        opening: TurnOpener,
        attachments: Attachments,
        loop: Loop,
        compaction: Compaction,
        replies: CommandRouter,
        failures: TurnFailures,
        background: BackgroundJobs,
    ) -> None:
        self._parts = parts
        self._told_of_delay: set[int] = set()
        self._background = background
        self._compaction = compaction
        self._failures = failures
        self._opening = opening
        self._attachments = attachments
        self._loop = loop
        self._replies = replies

    async def run(
        self, claim: Claim, pending: Pending, stop: Stop, on_closed: Callable[[], None]
    ) -> None:
        """Run the turn of this update to its end, or leave it to be tried again.

        Args:
            on_closed: called when the turn has ended, but something remains to be done that its
                deliveries need not wait for.
        """
        adapter = self._parts.adapter_of(pending.update)
        if len(self._told_of_delay) > _MOST_TOLD:
            self._told_of_delay.clear()
        live = LivePreview(self._parts.momentary, adapter, claim, pending, self._told_of_delay)
        running = _Running(claim, pending, adapter, live, stop, time.monotonic())
        structlog.contextvars.bind_contextvars(turn=pending.seq, lane=claim.lane)
        try:
            with span("turn", turn=pending.seq):
                async with live:
                    turn = await self._run(running)
            if turn is not None and self._compaction.is_due(turn.messages):
                on_closed()
                await self._compaction.compact(claim, turn.person.language)
        except LeaseLost:
            log.warning("lease_lost")
        except SetAside as error:
            await self._failures.fail(claim, running.pending, live, error, running.seconds)
        except Exception as error:
            log.exception("turn_failed")
            await self._failures.fail(claim, running.pending, live, error, running.seconds)

    async def _run(self, running: _Running) -> Turn | None:
        """The turn, ended; None: it was turned away."""
        started = time.perf_counter()
        try:
            opened = await self._open(running)
        except PersonError as error:
            await self._turn_away(running, error)
            return None
        running.pending = replace(running.pending, seconds_used=opened.seconds_used)
        running.live.speak(opened.person.language)
        journal = self._journal(running, opened)
        self._show_start(running, opened, prepared=time.perf_counter() - started)
        if opened.stopping:
            running.stop.request()
        turn = self._turn(running, opened, journal)

        async def begin() -> None:
            if opened.record.arriving:
                await self._bring(running, opened, journal)
                turn.messages[:] = opened.messages()
            heard = quote_voice_notes(opened.record.user)
            if heard and not turn.prose:
                running.live.emit(Content(f"{heard}\n\n"))

        reason = await self._work(running, turn, begin)
        running.pending = replace(running.pending, members=tuple(journal.members))
        await self._close(running, turn, opened, reason)
        return turn

    def _show_start(self, running: _Running, opened: OpenedTurn, *, prepared: float) -> None:
        if opened.is_shown_anew:
            running.live.emit(Start(running.claim.conversation, str(running.pending.seq)))
        if not running.pending.attempts:
            running.live.emit(AgentPrep({"open": round(prepared * 1000, 1)}))
        if is_job(running.claim.lane):
            running.live.emit(Progress(1, self._parts.settings.max_iterations, "think"))
        self._parts.metrics.stage_seconds("queue").observe(running.pending.waited)
        self._parts.metrics.stage_seconds("prepare").observe(prepared)

    async def note_waits_alone(self, claim: Claim, pending: Pending) -> None:
        """As `close.note_waits_alone`, in a transaction of its own. Raises `LeaseLost`."""
        await self._parts.database.write(lambda tx: note_waits_alone(tx, claim, pending))

    async def _open(self, running: _Running) -> OpenedTurn:
        async def work(tx: Transaction) -> OpenedTurn:
            return await self._opening.open(tx, running.claim, running.pending)

        return await self._parts.database.write(work)

    def _journal(self, running: _Running, opened: OpenedTurn) -> TurnJournal:
        return TurnJournal(
            self._parts.database,
            running.claim,
            running.pending,
            opened.record,
            steers=self._parts.settings.busy_mode == "steer",
        )

    async def _bring(self, running: _Running, opened: OpenedTurn, journal: TurnJournal) -> None:
        """Fetch what the person attached, and note it as part of their message."""
        pending = running.pending
        key = f"{running.claim.lane}/{pending.seq}"
        parts = await self._attachments.bring(pending.update, opened.person, running.adapter, key)
        said = opened.record.user[0]
        message = UserMessage((*said.parts, *parts))
        await journal.arrived(message)
        opened.record.user[:] = [message]
        await self._attachments.discard_staged(pending.update)

    def _turn(self, running: _Running, opened: OpenedTurn, journal: TurnJournal) -> Turn:
        turn = Turn(
            id=running.pending.seq,
            lane=home_lane_of(running.pending.update),
            person=opened.person,
            messages=opened.messages(),
            limits=opened.limits(self._parts.settings, is_job=is_job(running.claim.lane)),
            journal=journal,
            emit=running.live.emit,
        )
        turn.replay_journal(opened.record.steps)
        running.live.resume(len(turn.prose))
        return turn

    async def _work(
        self, running: _Running, turn: Turn, begin: Callable[[], Awaitable[None]]
    ) -> EndReason:
        """Run the loop, after what it begins with; why it ended.

        Raises:
            SetAside: it showed no sign of life, and others wait behind it.
        """
        stop = running.stop
        try:
            with stop.heeded():
                async with self._watching_silence(running):
                    await begin()
                    return await self._loop.run(turn)
        except StreamBroken as error:
            log.warning("stream_broken", error=str(error))
            words = say(
                turn.person.language, "My answer broke off. Please ask again; this one is free."
            )
            turn.prose.append(words)  # who follows it live is told by the failure
            turn.emit(Failure("stream_broken", words))
            return "failed"
        except asyncio.CancelledError:
            if stop.requested:
                return "cancelled"
            if stop.sets_aside:
                silence = round(running.live.silent_for)
                raise SetAside(f"silent for {silence} s while others wait") from None
            raise

    @asynccontextmanager
    async def _watching_silence(self, running: _Running) -> AsyncGenerator[None]:
        """Set the turn aside when it is silent while a message waits behind it. Not where the
        sender follows the stream: nobody writes behind it."""
        if running.adapter.capabilities.streams or is_job(running.claim.lane):
            yield
            return
        loop = asyncio.get_running_loop()
        watching: list[asyncio.Task[None]] = []

        def begin() -> None:
            watching.append(loop.create_task(self._watch_silence(running), name="silence"))

        timer = loop.call_later(_SILENCE, begin)
        try:
            yield
        finally:
            timer.cancel()
            await cancel_tasks(watching)

    async def _watch_silence(self, running: _Running) -> None:
        async def look(tx: Transaction) -> bool:
            return await is_waited_behind(tx, running.claim, running.pending.seq)

        while True:
            silent = running.live.silent_for
            if silent >= _SILENCE and await self._parts.database.read(look):
                log.warning("turn_set_aside", silent=round(silent))
                running.stop.set_aside()
                return
            await asyncio.sleep(max(_LOOK_AGAIN, _SILENCE - silent))

    async def _close(
        self, running: _Running, turn: Turn, opened: OpenedTurn, reason: EndReason
    ) -> None:
        capabilities = running.adapter.capabilities
        cost = 0 if turn.is_free or not turn.spending else self._price(turn)
        heard = quote_voice_notes(opened.record.user)
        warning = "" if capabilities.streams else warn_of_low_credits(opened, cost)
        outgoing = await self._what_to_say(turn, heard, warning)
        said = await self._parts.pictures.illustrate(outgoing, capabilities)
        composed = (
            await asyncio.to_thread(self._compose, running, turn, said)
            if len(turn.answer) > _LONG
            else self._compose(running, turn, said)
        )
        ending = TurnEnding(
            reason,
            held=opened.held,
            cost=0 if turn.is_free else cost,
            composed=composed,
        )

        async def work(tx: Transaction) -> int:
            update, account = running.pending.update, turn.person.account
            await self._background.bring_home(tx, update, account, said)
            question = await ask_followup(tx, turn, update, capabilities, reason)
            beside = self._parts.posting.compose(question, running.adapter, turn.person.language)
            return await close_turn(tx, running.claim, running.pending, turn, ending, beside)

        with self._parts.metrics.stage_seconds("commit").time():
            charged = await self._parts.database.write(work)
        for event in self._parts.posting.events(outgoing, turn.person.language):
            turn.emit(event)
        usage = turn.usage
        turn.emit(UsageReport(usage.input_tokens, usage.output_tokens, usage.usd, charged))
        turn.emit(End(reason))
        self._count(turn, reason)

    async def _what_to_say(self, turn: Turn, heard: str, warning: str) -> list[Outgoing]:
        """The answer, under what was heard in voice notes and over a warning, if there is one: one
        message, for each costs money."""
        key = f"{turn.lane}/{turn.id}"
        said, code = await self._parts.code_files.take_out(turn.answer, turn.person, key)
        answer = "\n\n".join(text for text in (heard, said) if text)
        answer = "\n\n".join(text for text in (answer, warning) if text and answer)
        return [*([Say(answer, shown=True)] if answer else []), *code, *turn.outgoing]

    def _compose(self, running: _Running, turn: Turn, said: Sequence[Outgoing]) -> Composed:
        """The deliveries; an answer of which nothing is left (a lone `#`) is not silence."""
        language = turn.person.language
        composed = self._parts.posting.compose(said, running.adapter, language)
        if composed.bodies or not said:
            return composed
        turn.is_free = True
        sorry = Say(say(language, "I could not find an answer. Please ask in other words."))
        return self._parts.posting.compose([sorry], running.adapter, language)

    def _price(self, turn: Turn) -> int:
        settings = self._parts.settings
        return ledger.price(
            turn.usage.usd,
            credits_per_usd=settings.credits_per_usd,
            least=settings.min_turn_credits,
        )

    async def _turn_away(self, running: _Running, error: PersonError) -> None:
        """It may not run: say why, run nothing, charge nothing."""
        running.live.emit(Start(running.claim.conversation, str(running.pending.seq)))
        words = "" if isinstance(error, TooFast) and not error.aloud else str(error)
        to_buy = isinstance(error, OutOfCredits)
        await self._replies.turn_away(running.claim, running.pending, words, to_buy=to_buy)
        running.live.emit(Failure(error.code, str(error)))
        running.live.emit(UsageReport(0, 0, 0.0, 0))
        running.live.emit(End("limit" if isinstance(error, DayLimitReached) else "failed"))
        self._parts.metrics.turns(error.code).inc()

    def _count(self, turn: Turn, reason: EndReason) -> None:
        metrics = self._parts.metrics
        metrics.turns(reason).inc()
        metrics.turn_seconds.observe(turn.limits.seconds - turn.seconds_left)
        metrics.stage_seconds("model").observe(turn.seconds_asking)
        for (kind, name), (calls, usage) in turn.spending.items():
            if kind == "model":
                metrics.model_calls(name, "answered").inc(calls)
                metrics.tokens(name, "input").inc(usage.input_tokens)
                metrics.tokens(name, "cached").inc(usage.cached_tokens)
                metrics.tokens(name, "output").inc(usage.output_tokens)
                metrics.usd(name).inc(usage.usd)
