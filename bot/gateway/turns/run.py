"""Run the turn of an update, and record its end whatever happens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import msgspec
import structlog

from bot.accounts import ledger
from bot.agent.loop import Loop
from bot.agent.turn import Turn
from bot.asyncio_tasks import cancel_tasks
from bot.contracts.channels import Capabilities
from bot.contracts.storage import Transaction
from bot.errors import LeaseLost, ModelUnavailable, PersonError, StreamBroken
from bot.events import AgentPrep, Content, End, EndReason, Failure, Progress, Start, UsageReport
from bot.gateway.context import GatewayContext
from bot.gateway.deliveries import Composed
from bot.gateway.delivery.compose import can_add_buttons
from bot.gateway.delivery.sender import ConcurrentSender, PreparedDelivery
from bot.gateway.inbound.conversation_effects import read_spoken_answer
from bot.gateway.inbound.inbox import WAITS_ALONE, Inbox, Pending, is_waited_behind
from bot.gateway.jobs import BackgroundJobs, find_chat_lane, is_from_chat, is_job
from bot.gateway.lanes import Claim, lock_lane
from bot.gateway.sender_restrictions import is_restricted
from bot.gateway.turn_rows import note_turn_waits
from bot.gateway.turns.admission import DayLimitReached, warn_of_low_credits
from bot.gateway.turns.close import TurnEnding, close_turn
from bot.gateway.turns.compaction import Compaction
from bot.gateway.turns.guardrail import TurnGuardrail
from bot.gateway.turns.journal import TurnJournal
from bot.gateway.turns.model_message import Attachments, quote_voice_notes, to_model_message
from bot.gateway.turns.open import TurnOpener
from bot.gateway.turns.preview import LivePreview
from bot.gateway.turns.retry import SetAside, TurnFailures
from bot.gateway.turns.state import OpenedTurn, Stop, TurnState
from bot.i18n import say
from bot.messages.channels import CHANNELS
from bot.messages.incoming import Person, Said, Update
from bot.messages.outgoing import AskApproval, AskExercise, AskQuiz, Body, Outgoing, Say
from bot.messages.transcript import AssistantMessage, Media, ModelReply
from bot.observability import span
from bot.storage.buttons import offer_commands

Greet = Callable[[Transaction, Person, Update, Capabilities], Awaitable[Sequence[Say]]]
"""Returns the first question to a new person, which follows their first answer."""


async def ask_followup(
    tx: Transaction,
    turn: Turn,
    update: Update,
    capabilities: Capabilities,
    reason: EndReason,
    said: Sequence[Body],
    greet: Greet,
) -> Sequence[Say]:
    """Return the question that follows the answer, if any.

    After an answer that was cut short, it is whether to go on in the background; after the first
    answer to a new person, how Griot is to speak with them. No question follows another question,
    or the answer of a job; the first one waits for an answer under which it costs no message.

    Args:
        said: the messages of the answer.
    """
    asks = AskQuiz | AskExercise | AskApproval
    if is_job(update.lane) or any(isinstance(one, asks) for one in turn.outgoing):
        return ()
    if reason == "limit" and _may_go_on(turn, update, capabilities):
        return [await _offer_to_go_on(tx, turn, update, capabilities)]
    is_first = reason == "answered" and turn.person.is_new
    if not is_first or not can_add_buttons(said, capabilities):
        return ()
    return await greet(tx, turn.person, update, capabilities)


def _may_go_on(turn: Turn, update: Update, capabilities: Capabilities) -> bool:
    """Return whether the person may be asked to have a turn that a limit ended go on as a job;
    where they cannot answer they are not."""
    return (
        turn.is_cut_short
        and not capabilities.one_way
        and turn.person.account is not None
        and CHANNELS[update.channel].shared_thread
        and not update.group
        and not is_job(update.lane)
    )


async def _keep_stopped(turn: Turn, journal: TurnJournal, *, is_followed: bool) -> None:
    """Keep of an answer that the person stopped what they saw of it, and note for the model that
    they did. Nothing that tools made is sent, and where they followed no stream, nothing is said
    after “Stopped.”.

    Raises:
        LeaseLost: the turn belongs to another process by now.
    """
    is_unsent = bool(turn.outgoing)
    turn.outgoing.clear()
    if not is_followed:
        turn.prose.clear()
    elif turn.broken_off:
        turn.prose.append(turn.broken_off)
        if not isinstance(turn.messages[-1], AssistantMessage):  # else it is stored whole
            await journal.replied(ModelReply(AssistantMessage(turn.broken_off)))
    await journal.stopped(is_unsent=is_unsent)


def _say_what_to_do(turn: Turn, update: Update, capabilities: Capabilities) -> None:
    """Tell the person what to do about a limit that left no answer or only a part of one, where no
    question whether to go on follows (`ask_followup`)."""
    language = turn.person.language
    if _may_go_on(turn, update, capabilities) or turn.is_stalled:
        return
    if turn.is_free:
        turn.say(say(language, "Try again, or ask a shorter question."))
    elif turn.prose and turn.is_out_of_time and not is_job(update.lane):
        turn.say(say(language, "My time was over before the end. Write “continue”: I go on."))


async def _offer_to_go_on(
    tx: Transaction, turn: Turn, update: Update, capabilities: Capabilities
) -> Say:
    language = turn.person.language
    words = "" if turn.is_free else say(language, "This will take a while.") + " "
    if not capabilities.max_buttons:
        ask = say(language, "Write /job, and I go on in the background.")
        return Say(words + ask)
    ask = say(language, "Shall I go on in the background, and write when it is done?")
    choices = [(say(language, "Go on"), "/job")]
    buttons = await offer_commands(tx, update.lane, update.sender.address, choices)
    return Say(words + ask, buttons)


_LONG = 30_000
"""Characters from which an answer is rendered in a thread, so as not to hold up other turns."""
_SILENCE = 12.0
"""Seconds without a sign of life after which a turn lets the messages behind it go first."""
_MOST_NOTIFIED = 10_000
_LOOK_AGAIN = 1.0
"""Seconds between two looks at whether a message waits."""
log = structlog.get_logger()


class TurnRunner:
    """Runs the turns that need the agent loop."""

    def __init__(  # noqa: PLR0913 (each is another part of a turn)
        self,
        parts: GatewayContext,
        opening: TurnOpener,
        attachments: Attachments,
        loop: Loop,
        compaction: Compaction,
        failures: TurnFailures,
        background: BackgroundJobs,
        inbox: Inbox,
        greet: Greet,
    ) -> None:
        self._parts = parts
        self._inbox = inbox
        self._greet = greet
        self._notified_of_delay: set[int] = set()
        self._background = background
        self._compaction = compaction
        self._failures = failures
        self._opening = opening
        self._attachments = attachments
        self._loop = loop

    async def run(
        self, claim: Claim, pending: Pending, stop: Stop, sender: ConcurrentSender
    ) -> PreparedDelivery | None:
        """Run the turn of this update to its end, or leave it to be tried again.

        Args:
            sender: sends the answer before the summary is made, which it need not wait for.

        Returns:
            The delivery to be sent first, if one is marked as attempted and not sent yet.
        """
        adapter = self._parts.find_answering_adapter(pending.update)
        if len(self._notified_of_delay) > _MOST_NOTIFIED:
            self._notified_of_delay.clear()
        preview = LivePreview(
            self._parts.momentary, adapter, claim, pending, self._notified_of_delay
        )
        state = TurnState(claim, pending, adapter, preview, stop)
        structlog.contextvars.bind_contextvars(turn=pending.seq, lane=claim.lane)
        try:
            with span("turn", turn=pending.seq):
                async with preview:
                    turn = await self._run(state, sender)
            if turn is not None and self._compaction.is_due(turn.messages):
                sender.send_prepared()
                await self._compaction.compact(claim, turn.person.language)
        except LeaseLost:
            log.warning("lease_lost")
        except Exception as error:
            if isinstance(error, ModelUnavailable):
                log.warning("turn_failed", reason=str(error))
            elif not isinstance(error, SetAside):
                log.exception("turn_failed")
            await self._failures.fail(state, error)
        return sender.take_prepared()

    async def _run(self, state: TurnState, sender: ConcurrentSender) -> Turn | None:
        """Open the turn, have the agent work on it, close it; return None if it was turned away."""
        started = time.perf_counter()
        try:
            opened, is_mute = await self._parts.database.write(lambda tx: self._open(tx, state))
        except PersonError as error:
            await self._turn_away(state, error)
            return None
        if is_mute:
            state.preview.mute()
        state.opened = opened
        state.pending = replace(state.pending, seconds_used=opened.seconds_used)
        state.preview.speak(opened.person.language)
        self._show_start(state, opened, prepared=time.perf_counter() - started)
        if opened.stopping:
            state.stop.request()
        state.journal = journal = TurnJournal(
            self._parts.database,
            state.claim,
            state.pending,
            opened.record,
            steers=self._parts.settings.busy_mode == "steer",
            holds_back=not self._parts.settings.verify,
        )
        lane = find_chat_lane(state.pending.update)
        request = to_model_message(state.pending.update).text
        state.guardrail = guardrail = TurnGuardrail(
            self._parts, opened.person, lane, request, opened.items
        )
        turn = Turn(
            id=state.pending.seq,
            lane=lane,
            person=opened.person,
            messages=opened.messages(),
            limits=opened.limits(self._parts.settings, is_job=is_job(state.claim.lane)),
            journal=journal,
            emit=state.preview.emit,
            guardrail=guardrail,
            is_previewed=state.preview.is_visible,
        )
        turn.replay_journal([*opened.record.user, *opened.record.steps])
        state.preview.resume(len(turn.prose))
        reason = await self._work(state, opened, turn, journal)
        if reason == "limit":
            able = self._parts.find_capabilities(state.pending.update)
            _say_what_to_do(turn, state.pending.update, able)
        state.pending = replace(state.pending, members=tuple(journal.members))
        await self._close(state, opened, turn, reason, sender)
        return turn

    async def _open(self, tx: Transaction, state: TurnState) -> tuple[OpenedTurn, bool]:
        """Open the turn; return it, and whether our number on that channel is restricted."""
        opened = await self._opening.open(tx, state.claim, state.pending)
        has_window = state.adapter.capabilities.window > 0
        return opened, has_window and await is_restricted(tx, state.adapter.name)

    def _show_start(self, state: TurnState, opened: OpenedTurn, *, prepared: float) -> None:
        if opened.is_shown_anew:
            state.preview.emit(Start(state.claim.conversation, str(state.pending.seq)))
        if not state.pending.attempts:
            state.preview.emit(AgentPrep({"open": round(prepared * 1000, 1)}))
        if is_job(state.claim.lane):
            state.preview.emit(Progress(1, self._parts.settings.max_iterations, "think"))
        self._parts.metrics.stage_seconds("queue").observe(state.pending.waited)
        self._parts.metrics.stage_seconds("prepare").observe(prepared)

    async def note_waits_alone(self, claim: Claim, pending: Pending) -> None:
        """Note that the turn waits to run alone, so that a death of its process does not count for
        it. Raises `LeaseLost`."""

        async def work(tx: Transaction) -> None:
            await lock_lane(tx, claim)
            await note_turn_waits(
                tx,
                lane=claim.lane,
                turn=pending.seq,
                deaths=pending.deaths,
                worker=WAITS_ALONE + claim.owner,
            )

        await self._parts.database.write(work)

    async def _work(
        self, state: TurnState, opened: OpenedTurn, turn: Turn, journal: TurnJournal
    ) -> EndReason:
        """Fetch what the person attached, then run the loop; return why it ended.

        Raises:
            SetAside: it showed no sign of life while a message waited behind it.
        """
        stop = state.stop
        try:
            with stop.cancelling():
                async with self._watching_silence(state):
                    return await self._answer(state, opened, turn, journal)
        except StreamBroken as error:
            log.warning("stream_broken", error=str(error))
            words = say(
                turn.person.language, "My answer broke off. Please ask again; this one is free."
            )
            turn.prose.append(words)  # the followers of a stream get the failure event
            turn.emit(Failure("stream_broken", words))
            return "failed"
        except asyncio.CancelledError:
            if stop.requested:
                await _keep_stopped(turn, journal, is_followed=state.adapter.capabilities.streams)
                return "cancelled"
            if stop.sets_aside:
                silence = round(state.preview.silent_for)
                raise SetAside(f"silent for {silence} s while others wait") from None
            raise

    async def _answer(
        self, state: TurnState, opened: OpenedTurn, turn: Turn, journal: TurnJournal
    ) -> EndReason:
        if opened.record.arriving:
            await self._fetch_attachments(state, opened, turn, journal)
            turn.messages[:] = opened.messages()
        if not opened.record.steps:
            state.spoken = await self._read_spoken_answer(state, opened)
        if state.spoken:
            return "answered"
        quoted = quote_voice_notes(opened.record.user)
        if quoted and not turn.prose:
            state.preview.emit(Content(f"{quoted}\n\n"))
        return await self._loop.run(turn)

    async def _read_spoken_answer(self, state: TurnState, opened: OpenedTurn) -> Update | None:
        """Return the answer to an open exercise or quiz that a lone voice note is; None: it is for
        the agent. A page that follows the stream waits for this turn's words, so it gets these."""
        update, content = state.pending.update, state.pending.update.content
        if not opened.items or state.adapter.capabilities.streams or is_job(state.claim.lane):
            return None
        if not isinstance(content, Said) or content.text.strip() or state.pending.members:
            return None
        parts = [part for message in opened.record.user for part in message.parts]
        heard = [part.transcript for part in parts if isinstance(part, Media)]
        if len(heard) != 1 or not heard[0]:
            return None
        words = heard[0]
        return await self._parts.database.read(lambda tx: read_spoken_answer(tx, update, words))

    async def _fetch_attachments(
        self, state: TurnState, opened: OpenedTurn, turn: Turn, journal: TurnJournal
    ) -> None:
        """Fetch what the person attached, and store it as part of their message."""
        update = state.pending.update
        key = f"{state.claim.lane}/{state.pending.seq}"
        receiver = self._parts.adapters[update.via]
        brought = await self._attachments.bring(
            update, opened.person, receiver, key, most_usd=turn.limits.usd
        )
        parts = (*opened.record.user[0].parts, *brought.parts)
        message = msgspec.structs.replace(brought, parts=parts)
        turn.count_transcription(message)
        await journal.arrived(message)
        opened.record.user[:] = [message]
        await self._attachments.discard_staged(update)

    @asynccontextmanager
    async def _watching_silence(self, state: TurnState) -> AsyncGenerator[None]:
        """Set the turn aside when it is silent while a message waits behind it.

        Not a job, nor a turn whose sender follows the stream: no message waits behind these.
        """
        if state.adapter.capabilities.streams or is_job(state.claim.lane):
            yield
            return
        loop = asyncio.get_running_loop()
        watching: list[asyncio.Task[None]] = []

        def begin() -> None:
            watching.append(loop.create_task(self._watch_silence(state), name="silence"))

        timer = loop.call_later(_SILENCE, begin)
        try:
            yield
        finally:
            timer.cancel()
            await cancel_tasks(watching)

    async def _watch_silence(self, state: TurnState) -> None:
        async def look(tx: Transaction) -> bool:
            await lock_lane(tx, state.claim)  # behind what the turn itself is writing
            return await is_waited_behind(tx, state.claim, state.pending.seq)

        while True:
            pause = _SILENCE - state.preview.silent_for
            if pause <= 0:
                began = time.monotonic()
                try:
                    is_waited = await self._parts.database.write(look)
                except LeaseLost:
                    return
                if time.monotonic() - began > _LOOK_AGAIN:
                    pause = _SILENCE  # the turn waited for the database, not for the model
                elif is_waited:
                    log.warning("turn_set_aside", silent=round(state.preview.silent_for))
                    state.stop.set_aside()
                    return
            await asyncio.sleep(max(_LOOK_AGAIN, pause))

    async def _close(
        self,
        state: TurnState,
        opened: OpenedTurn,
        turn: Turn,
        reason: EndReason,
        sender: ConcurrentSender,
    ) -> None:
        """Store the answer and what it cost; publish the turn's end to the followers."""
        cost = 0 if state.spoken else self._price(turn)
        outgoing = await self._collect_outgoing(state, opened, turn, cost)
        drawn = await self._parts.pictures.illustrate(outgoing, state.adapter.capabilities)
        composed = (
            await asyncio.to_thread(self._compose, state, turn, drawn)
            if len(turn.answer) > _LONG
            else self._compose(state, turn, drawn)
        )
        cost = 0 if turn.is_free else cost
        is_in_vain = turn.is_free and is_job(state.claim.lane)
        error = "It ended without an answer." if is_in_vain else ""
        ending = TurnEnding(reason, held=opened.held, cost=cost, composed=composed, error=error)
        with self._parts.metrics.stage_seconds("commit").time():
            charged = await self._write_end(state, turn, ending, drawn, sender)
        for event in self._parts.composer.events(outgoing, turn.person.language):
            turn.emit(event)
        usage = turn.usage
        turn.emit(UsageReport(usage.input_tokens, usage.output_tokens, usage.usd, charged))
        turn.emit(End(reason))
        self._count(turn, reason)

    def _price(self, turn: Turn) -> int:
        """Return the credits that the turn costs."""
        if not turn.spending or turn.is_free:
            return 0
        settings = self._parts.settings
        rate, least = settings.credits_per_usd, settings.min_turn_credits
        return ledger.price(turn.usage.usd, credits_per_usd=rate, least=least)

    async def _write_end(
        self,
        state: TurnState,
        turn: Turn,
        ending: TurnEnding,
        drawn: Sequence[Outgoing],
        sender: ConcurrentSender,
    ) -> int:
        """Store the end of the turn in one transaction, and mark its first delivery as attempted in
        it; return the credits charged."""
        update, said = state.pending.update, ending.composed
        able = self._parts.find_capabilities(update)
        is_chat_job = is_from_chat(state.claim.lane)
        if said.bodies and not is_chat_job:
            await sender.prepare()

        async def work(tx: Transaction) -> int:
            whole = ending
            if is_chat_job:
                await self._background.send_to_chat(tx, update, turn.person.account, drawn)
            if question := await self._follow_up(tx, state, turn, ending):
                whole = replace(ending, composed=self._append(question, turn, ending, drawn, able))
            charged = await close_turn(tx, state.claim, state.pending, turn, whole)
            if state.journal:
                await state.journal.write_rest(tx)
            if state.guardrail:
                await state.guardrail.note_hints(tx, turn.answer)
            await sender.mark(tx)
            return charged

        try:
            return await self._parts.database.write(work)
        except BaseException:
            sender.unmark()
            raise

    async def _follow_up(
        self, tx: Transaction, state: TurnState, turn: Turn, ending: TurnEnding
    ) -> Sequence[Say]:
        """Return what is asked after the answer; a spoken answer is stored to be handled next."""
        update = state.pending.update
        if state.spoken:
            await self._inbox.put(tx, state.spoken)
            return ()
        able, said = self._parts.find_capabilities(update), ending.composed.bodies
        return await ask_followup(tx, turn, update, able, ending.reason, said, self._greet)

    def _append(
        self,
        question: Sequence[Say],
        turn: Turn,
        ending: TurnEnding,
        drawn: Sequence[Outgoing],
        able: Capabilities,
    ) -> Composed:
        """Append a question to what a turn says; to an apology for a limit in the same message."""
        composer, language = self._parts.composer, turn.person.language
        if turn.is_free and ending.reason == "limit":
            words = [each.markdown for each in (*drawn, *question) if isinstance(each, Say)]
            whole = msgspec.structs.replace(question[-1], markdown="\n\n".join(words))
            return composer.compose([whole], able, language)
        return composer.join(ending.composed, composer.compose(question, able, language), able)

    async def _collect_outgoing(
        self, state: TurnState, opened: OpenedTurn, turn: Turn, cost: int
    ) -> list[Outgoing]:
        """Return the answer, then its code files, then the items that tools send.

        The transcripts of voice notes go before the answer, and a warning of low credits after it,
        in the same message, as each message costs money.
        """
        if state.spoken:
            return []
        heard = quote_voice_notes(opened.record.user)
        warning = ""
        if not state.adapter.capabilities.streams:
            can_buy = self._parts.sells(opened.person, find_chat_lane(state.pending.update))
            warning = warn_of_low_credits(opened, cost, can_buy=can_buy)
        key = f"{turn.lane}/{turn.id}"
        said, code = await self._parts.code_files.take_out(turn.answer, turn.person, key)
        answer = "\n\n".join(text for text in (heard, said) if text)
        answer = "\n\n".join(text for text in (answer, warning) if text and answer)
        asked = turn.outgoing
        if state.guardrail:
            asked = state.guardrail.count_hints(asked, turn.answer)
        return [*([Say(answer, shown=True)] if answer else []), *code, *asked]

    def _compose(self, state: TurnState, turn: Turn, outgoing: Sequence[Outgoing]) -> Composed:
        """Compose the deliveries; if nothing is left of an answer (a lone `#`), compose an apology
        and charge nothing."""
        language = turn.person.language
        able = self._parts.find_capabilities(state.pending.update)
        composed = self._parts.composer.compose(outgoing, able, language)
        if composed.bodies or not outgoing:
            return composed
        turn.is_free = True
        sorry = Say(say(language, "I could not find an answer. Please ask in other words."))
        return self._parts.composer.compose([sorry], able, language)

    async def _turn_away(self, state: TurnState, error: PersonError) -> None:
        """Refuse a turn that may not run: tell the person why, and charge nothing."""
        state.preview.emit(Start(state.claim.conversation, str(state.pending.seq)))
        await self._failures.turn_away(state.claim, state.pending, error)
        state.preview.emit(Failure(error.code, str(error)))
        state.preview.emit(UsageReport(0, 0, 0.0, 0))
        state.preview.emit(End("limit" if isinstance(error, DayLimitReached) else "failed"))
        self._parts.metrics.turns(error.code).inc()

    def _count(self, turn: Turn, reason: EndReason) -> None:
        metrics = self._parts.metrics
        metrics.turns(reason).inc()
        for kind in turn.corrections:
            metrics.answers_corrected(kind).inc()
        metrics.turn_seconds.observe(turn.limits.seconds - turn.seconds_left)
        metrics.stage_seconds("model").observe(turn.seconds_asking)
        for (kind, name), (calls, usage) in turn.spending.items():
            if kind == "model":
                metrics.model_calls(name, "answered").inc(calls)
                metrics.tokens(name, "input").inc(usage.input_tokens)
                metrics.tokens(name, "cached").inc(usage.cached_tokens)
                metrics.tokens(name, "output").inc(usage.output_tokens)
                metrics.usd(name).inc(usage.usd)
