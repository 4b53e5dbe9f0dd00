"""End turns without an answer: retry one that failed or hangs, give it up, turn people away."""

from __future__ import annotations

import math

import msgspec
import structlog

from bot.accounts import ledger
from bot.accounts.people import People
from bot.billing.packs import BUY_PAGE
from bot.contracts.storage import Transaction
from bot.errors import GriotError, ModelRefused, ModelUnavailable, OutOfCredits, PersonError
from bot.events import End, Failure, UsageReport
from bot.gateway.context import GatewayContext
from bot.gateway.deliveries import Composed
from bot.gateway.inbound.inbox import Pending
from bot.gateway.inbox_rows import postpone_update
from bot.gateway.jobs import BackgroundJobs, find_chat_lane, is_job
from bot.gateway.lanes import SOON, Claim, lock_lane
from bot.gateway.turn_rows import (
    note_failure,
)
from bot.gateway.turns.admission import DayLimitReached, TooFast
from bot.gateway.turns.close import (
    close_without_turn,
    is_pending,
    mark_handled,
    shorten_error,
    store_said,
)
from bot.gateway.turns.open import MAX_FAILURES, TriedTooOften
from bot.gateway.turns.state import TurnState, time_limit
from bot.i18n import best_language, say
from bot.messages.channels import CHANNELS
from bot.messages.incoming import Person, Update
from bot.messages.outgoing import Button, Say
from bot.storage.buttons import offer_commands

_RETRY_PAUSES = (1.0, 4.0, 12.0, 30.0)
"""Seconds before the second, third, fourth and fifth try."""
_WATCHED_SHARE = 0.25
"""The share of these pauses that is taken where the person follows a stream."""
_LEAST_SECONDS = 5.0
"""Seconds that must be left of the turn's time for another try to be worth it."""
_MINUTE = 60.0
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
log = structlog.get_logger()


class SetAside(GriotError):
    """The turn is silent while messages wait behind it: it is tried again after them."""


async def postpone_turn(
    tx: Transaction,
    claim: Claim,
    pending: Pending,
    *,
    pause: float,
    seconds_used: float,
    error: str,
) -> None:
    """Have the turn tried again after `pause` seconds.

    If that is more than `SOON`, the messages behind it are handled first, in order; else they wait.
    A request to stop it that came meanwhile stays. A turn that has ended is left as it is.

    Args:
        seconds_used: of the turn's time limit, by this try and the pause.
    """
    await lock_lane(tx, claim)
    if not await is_pending(tx, claim, pending.seq):
        return
    await postpone_update(tx, claim.lane, pending.seq, pause, aside=pause > SOON)
    await note_failure(
        tx,
        lane=claim.lane,
        turn=pending.seq,
        state="running",
        error=shorten_error(error),
        failures=pending.failures + 1,
        seconds_used=seconds_used,
    )


async def give_up_turn(
    tx: Transaction, claim: Claim, pending: Pending, composed: Composed, *, error: str
) -> None:
    """Store that a turn is dead until an operator replays it, and give its held credits back.

    A turn that has ended is left as it is.
    """
    await lock_lane(tx, claim)
    seq = pending.seq
    if not await is_pending(tx, claim, seq):
        return
    row = await tx.fetch_one(_OWED, lane=claim.lane, turn=seq)
    if row and row["account"] is not None and row["reserved"]:
        await ledger.refund(
            tx, account=row["account"], turn=f"{claim.lane}/{seq}", held=row["reserved"]
        )
    await store_said(tx, claim, pending, composed, first=-1)
    await note_failure(
        tx,
        lane=claim.lane,
        turn=seq,
        state="dead",
        error=shorten_error(error),
        failures=pending.failures + 1,
        seconds_used=0.0,
    )
    await mark_handled(tx, claim, pending, state="dead")


class TurnFailures:
    """Ends turns that have no answer: they are tried again, given up, or turned away."""

    def __init__(self, parts: GatewayContext, people: People, background: BackgroundJobs) -> None:
        self._parts = parts
        self._people = people
        self._background = background

    async def fail(self, state: TurnState, error: Exception) -> None:
        """Have the turn tried again after a pause; give it up if another try cannot help, or if it
        has failed too often.

        Raises:
            LeaseLost: the lane is another process's by now.
        """
        claim, pending, seconds = state.claim, state.pending, state.seconds
        pause = self._pause_before_next_try(pending, error, seconds)
        if pause is None:
            await self.give_up(state, error)
            return
        used, cause = seconds + pause, _name_cause(error)

        async def work(tx: Transaction) -> None:
            await _write_rest(tx, state)
            await postpone_turn(tx, claim, pending, pause=pause, seconds_used=used, error=cause)

        await self._parts.database.write(work)
        log.info("turn_postponed", pause=round(pause, 1), failures=pending.failures + 1)
        self._parts.metrics.turn_retries(type(error).__name__).inc()
        if pause > SOON:
            await state.preview.announce_delay()

    def _pause_before_next_try(
        self, pending: Pending, error: Exception, seconds: float
    ) -> float | None:
        """Return for how many seconds to wait; None: another try cannot help, or there is no time
        left for one."""
        failures = pending.failures + 1
        if isinstance(error, ModelRefused | TriedTooOften) or failures >= MAX_FAILURES:
            return None
        pause = _RETRY_PAUSES[min(failures, len(_RETRY_PAUSES)) - 1]
        if self._parts.find_answering_adapter(pending.update).capabilities.streams:
            pause *= _WATCHED_SHARE
        if isinstance(error, ModelUnavailable):
            pause = max(pause, error.after)
        if isinstance(error, SetAside):
            pause = max(pause, 2 * SOON)  # so that the messages behind it are handled first
        limit = time_limit(self._parts.settings, is_job=is_job(pending.update.lane))
        left = limit - pending.seconds_used - seconds - pause
        return pause if left > min(_LEAST_SECONDS, limit / 2) else None

    async def give_up(self, state: TurnState, error: Exception) -> None:
        """Give a turn up: tell the person once, and keep the update for an operator to replay."""
        claim, pending = state.claim, state.pending
        language = best_language(pending.update.sender.language)
        if state.opened is not None:
            language = state.opened.person.language
        words = _apologise(language, error)
        update, sorry = pending.update, [Say(words)]
        able = self._parts.find_capabilities(update)
        composed = self._parts.composer.compose(sorry, able, language)

        async def work(tx: Transaction) -> None:
            await _write_rest(tx, state)
            await give_up_turn(tx, claim, pending, composed, error=_name_cause(error))
            await self._background.send_to_chat(tx, update, None, sorry, sign=":failed")

        await self._parts.database.write(work)
        state.preview.emit(Failure("turn_failed", words))
        state.preview.emit(UsageReport(0, 0, 0.0, 0))
        state.preview.emit(End("failed"))
        self._parts.metrics.turns("failed").inc()

    async def turn_away(self, claim: Claim, pending: Pending, error: PersonError) -> None:
        """Tell the person why the agent does not run, and mark the update as handled.

        Nothing is said where they were told so lately (`_was_notified`), nor of an update that was
        erased meanwhile. Where credits are missing and can be bought, a button sends `/buy`.

        Raises:
            LeaseLost: the lane is another process's by now.
        """
        update, able = pending.update, self._parts.find_capabilities(pending.update)
        is_aloud = not isinstance(error, TooFast) or error.aloud

        async def work(tx: Transaction) -> None:
            await lock_lane(tx, claim)
            if not await is_pending(tx, claim, pending.seq):
                return
            person = await self._people.recognise(tx, update.channel, update.sender)
            said: list[Say] = []
            if is_aloud and (able.streams or not await _was_notified(tx, update, person, error)):
                buttons = await self._offer_to_buy(tx, update, person, error)
                refusal = Say(str(error), buttons)
                if buttons:  # in their place, where no answer can come, a link
                    refusal = msgspec.structs.replace(refusal, link="question", target=BUY_PAGE)
                said = [refusal]
            composed = self._parts.composer.compose(said, able, person.language)
            refusal = type(error).__name__ if said else ""
            await close_without_turn(
                tx, claim, pending, person.account, composed, refused=True, refusal=refusal
            )
            await self._background.send_to_chat(tx, update, person.account, said)

        await self._parts.database.write(work)

    async def _offer_to_buy(
        self, tx: Transaction, update: Update, person: Person, error: PersonError
    ) -> tuple[Button, ...]:
        lane = find_chat_lane(update)
        if not isinstance(error, OutOfCredits) or not self._parts.sells(person, lane):
            return ()
        choices = [(say(person.language, "Buy credits"), "/buy")]
        return await offer_commands(tx, lane, person.address, choices)


def _name_cause(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _apologise(language: str, error: Exception) -> str:
    """Return what a person reads of a turn that failed with this error."""
    if isinstance(error, ModelUnavailable) and math.isinf(error.after):  # for an operator to mend
        return say(
            language,
            "I cannot answer at the moment. It is not your fault: something has to be repaired on "
            "my side, and it is being seen to. Please try again later; this message is free.",
        )
    if isinstance(error, ModelUnavailable) and error.after >= _MINUTE:
        return say(
            language,
            "I cannot answer for the moment. Write to me again in {minutes} minutes; this message "
            "is free. Exercises work meanwhile: /practice.",
            minutes=math.ceil(error.after / _MINUTE) + 1,
        )
    return say(
        language,
        "Something went wrong on my side. Please send your message again; this one is free.",
    )


async def _was_notified(
    tx: Transaction, update: Update, person: Person, error: PersonError
) -> bool:
    """Return whether this refusal was announced lately in this conversation: the day's limit within
    the day; where each message costs money, that credits are missing, or held, within the hour and
    since the person's last turn."""
    if isinstance(error, DayLimitReached):
        seconds, until_one_ran = _DAY, 0
    elif isinstance(error, OutOfCredits) and CHANNELS[update.channel].paid_by:
        seconds, until_one_ran = _HOUR, 1
    else:
        return False
    row = await tx.fetch_one(
        _NOTIFIED,
        lane=update.lane,
        account=person.account or 0,
        error=type(error).__name__,
        seconds=seconds,
        until_one_ran=until_one_ran,
    )
    return row is not None


async def _write_rest(tx: Transaction, state: TurnState) -> None:
    """Write the reply that was held back, so that the model is not asked for it again."""
    if state.journal is not None and state.journal.has_rest:
        await lock_lane(tx, state.claim)
        await state.journal.write_rest(tx)


_OWED = """
SELECT account, reserved FROM turn WHERE lane = :lane AND id = :turn
"""

_NOTIFIED = """
SELECT notified.id FROM turn AS notified
WHERE notified.lane = :lane AND COALESCE(notified.account, 0) = :account
    AND notified.reason = 'refused' AND notified.error = :error
    AND notified.started_at >= {now} - :seconds
    AND (:until_one_ran = 0 OR NOT EXISTS (
        SELECT 1 FROM turn AS later
        WHERE later.account = :account AND later.started_at > notified.started_at
            AND later.attempts > 0 AND later.reason <> 'refused'
    ))
"""
"""By lane, since a person who was told on one channel was told nothing on the others; by account as
well, since several people write in a group."""
