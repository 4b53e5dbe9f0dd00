"""Open a turn: who it is for, what it knows, and whether it may run at all."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from bot.accounts import ledger
from bot.accounts.approvals import AlreadyDecided, decide, drop_pending
from bot.accounts.people import People
from bot.agent.prompts.system_prompt import build_system_prompt
from bot.contracts.storage import Transaction
from bot.errors import AllowanceUsedUp, GriotError, LeaseLost, OutOfCredits, PersonError
from bot.gateway.context import Sells
from bot.gateway.delivery.emails import EmailService
from bot.gateway.delivery.message_costs import millionths_to_usd, read_turn_costs
from bot.gateway.inbound.first_language import adopt_first_language
from bot.gateway.inbound.inbox import ALONE_AFTER, Pending
from bot.gateway.inbox_rows import join_turn
from bot.gateway.jobs import home_lane_of, is_job
from bot.gateway.lanes import Claim, lock_lane, place_in_thread
from bot.gateway.turn_rows import begin_turn, insert_admitted_turn, take_up_turn
from bot.gateway.turns.journal import TurnRecord, append_rows, read_history, read_record
from bot.gateway.turns.model_message import replacement_text, to_model_message
from bot.gateway.turns.state import OpenedTurn, time_limit
from bot.i18n import say, say_count
from bot.learning.open_items import OpenItem, read_open_items
from bot.learning.remembered_facts import list_facts
from bot.learning.skills.learner_model import read_learner_model
from bot.learning.skills.skill_progress import summarise_for_model
from bot.messages.incoming import Decided, Person, Said, Update, Woken
from bot.messages.transcript import Text, UserMessage
from bot.messages.value import encode
from bot.settings import Settings
from bot.storage.accounts import lock_account

MAX_FAILURES = 5
"""A turn is given up after so many failed tries."""
MAX_DEATHS = ALONE_AFTER + 5
"""A turn is given up after so many deaths of its process: in the last ones no other turn ran."""
ADMITTED = "admitted"
"""`turn.reason` of a turn that was admitted when its message was stored, and has not begun."""
STOPPING = "stopping"
"""`turn.reason` of a turn that is to be cancelled when it is taken up."""
FAILED = "failed"
"""`turn.reason` of a turn whose last try failed, while it waits for the next."""
_DAY = 24 * 3600.0
_UPDATES_A_MESSAGE = 3
"""The most updates a minute that are answered without a model where that costs, in multiples of the
messages: an exercise is an answer, a tap for the next one, and what follows from the tap."""
_FEWEST_UPDATES = 20
"""The updates a minute that are always answered."""
_MOST_NOTED = 3
"""Newest open exercises that the model is shown; of older ones only the solutions are guarded."""


class TriedTooOften(GriotError):
    """The turn has failed, or its process has died, too many times."""


class TooFast(PersonError):
    """More messages in a minute than one person may send.

    Args:
        aloud: the person gets an answer, as it is the first time in a row.
    """

    code = "too_fast"

    def __init__(self, words: str, *, aloud: bool) -> None:
        super().__init__(words, after=60.0)
        self.aloud = aloud


class CreditsHeld(OutOfCredits):
    """The person's last credits are held back for a turn that runs."""


class DayLimitReached(PersonError):
    """The person has reached the limit of dollars that one person may cost in a day."""

    code = "day_limit"


class TurnAdmission:
    """Decides whether a person's turn may run, and holds back credits for it."""

    def __init__(self, people: People, settings: Settings, sells: Sells) -> None:
        self._people = people
        self._settings = settings
        self._sells = sells

    async def admit(self, tx: Transaction, update: Update, seq: int) -> None:
        """Admit the turn of a message, and hold its credits, in the transaction that stores it.

        So, of several messages sent at the same moment, only as many run as are allowed. The day's
        limit in dollars is left to the turn, which answers that it is reached.

        Raises:
            OutOfCredits, AllowanceUsedUp, TooFast: it may not run, and nothing is stored.
        """
        person = await self._people.recognise(tx, update.channel, update.sender)
        if person.account is not None:  # an account's messages are counted one at a time
            await lock_account(tx, person.account)
        usd_left, _ = await self.find_means(tx, person)
        if usd_left <= 0:
            return
        held = await self._admit(tx, update, seq, person)
        await insert_admitted_turn(tx, update.lane, seq, account=person.account, held=held)

    async def admit_today(
        self, tx: Transaction, pending: Pending, person: Person, usd_left: float
    ) -> int:
        """Admit a turn as `_admit` does. Raises `DayLimitReached` if `usd_left` is used up."""
        _check_day(person, usd_left)
        return await self._admit(tx, pending.update, pending.seq, person)

    async def _admit(self, tx: Transaction, update: Update, seq: int, person: Person) -> int:
        """Count a guest's message, or hold back credits of an account; return how many."""
        await check_pace(tx, self._settings, person, update.lane, turn=seq)
        if person.account is None:
            if not await self._people.allow_guest(tx, person):
                raise AllowanceUsedUp(
                    explain_allowance(person.language, self._settings),
                    after=_DAY - time.time() % _DAY,  # days are counted in UTC
                )
            return 0
        is_decision = isinstance(update.content, Decided)  # possible without credits as well
        try:
            return await ledger.reserve(
                tx,
                account=person.account,
                turn=f"{update.lane}/{seq}",
                least=0 if is_decision else self._settings.min_turn_credits,
            )
        except OutOfCredits:
            raise await self._find_refusal(tx, person, home_lane_of(update)) from None

    async def check_reply(self, tx: Transaction, update: Update) -> None:
        """Check an update that is answered without a model on a channel where the operator pays for
        messages: a person may not have endlessly many answers, nor messages on this channel that
        have cost as much as they may cost in a day. Other channels stay open.

        Raises:
            DayLimitReached, TooFast: it is not to be answered.
        """
        person = await self._people.look_up(tx, update.channel, update.sender)
        if person.account is None:  # their first message
            return
        if limit := self._settings.rate_limit_per_minute:
            row = await tx.fetch_one(_HANDLED_LATELY, account=person.account)
            most = max(_UPDATES_A_MESSAGE * limit, _FEWEST_UPDATES)
            _check_excess(person, (row["n"] if row else 0) - most)
        if most_usd := self._settings.max_person_day_usd:  # else only the model is not asked
            values = {"account": person.account, "channel": update.channel}
            row = await tx.fetch_one(_PAID_TODAY, **values)
            _check_day(person, most_usd - millionths_to_usd(int(row["messages"] if row else 0)))

    async def check_means(self, tx: Transaction, person: Person, lane: str) -> None:
        """Refuse now what the turn of a job, yet to be stored, would be refused for.

        Raises:
            OutOfCredits, DayLimitReached: the person has too few credits, or the day's limit is
                reached.
        """
        usd_left, balance = await self.find_means(tx, person)
        _check_day(person, usd_left)
        if balance < self._settings.min_turn_credits:
            raise await self._find_refusal(tx, person, lane)

    async def _find_refusal(self, tx: Transaction, person: Person, lane: str) -> OutOfCredits:
        """Return the error that tells a person of missing credits, and what to do about it."""
        can_buy = self._sells(person, lane)
        if await ledger.held_of(tx, person.account or 0):
            return CreditsHeld(
                _explain_held_credits(person.language, can_buy=can_buy), can_buy=can_buy
            )
        return OutOfCredits(explain_no_credits(person, can_buy=can_buy), can_buy=can_buy)

    async def find_means(self, tx: Transaction, person: Person) -> tuple[float, int]:
        """Return the dollars that a person may still cost today, and how many credits they have.

        Guests have no credits; they are limited by the number of their messages.
        """
        most = self._settings.max_person_day_usd
        if person.account is None:
            return most, 0
        row = await tx.fetch_one(_SPENT_TODAY, account=person.account)
        if row is None:
            return most, 0
        return most - row["usd"] - millionths_to_usd(int(row["messages"])), row["balance"] or 0

    def credits_to_usd(self, amount: int) -> float:
        rate = self._settings.credits_per_usd
        return amount / rate if rate else math.inf


class TurnOpener:
    def __init__(
        self, people: People, emails: EmailService, settings: Settings, sells: Sells
    ) -> None:
        self._admission = TurnAdmission(people, settings, sells)
        self._people = people
        self._emails = emails
        self._settings = settings

    async def open(self, tx: Transaction, claim: Claim, pending: Pending) -> OpenedTurn:
        """Begin the turn of this update, or continue it where an earlier try left it.

        Raises:
            LeaseLost: the lane is another process's by now, or the update is erased.
            TriedTooOften: it failed `MAX_FAILURES` times, or the process died `MAX_DEATHS` times.
            OutOfCredits, AllowanceUsedUp, DayLimitReached, TooFast: it may not run.
        """
        thread = await lock_lane(tx, claim)
        _check_tries(pending)
        row = await tx.fetch_one(_BEGUN, lane=claim.lane, turn=pending.seq)
        if row is None:
            raise LeaseLost(claim.lane)
        update = pending.update
        person = await self._people.recognise(tx, update.channel, update.sender)
        person = await adopt_first_language(tx, person, claim.lane)
        person = msgspec.structs.replace(person, in_group=update.group)
        thread = await place_in_thread(tx, update, person, thread, pending.seq)
        usd_left, balance = await self._admission.find_means(tx, person)
        items = await read_open_items(tx, person.account or 0, claim.lane)
        history = (await read_history(tx, claim.lane, pending.seq, thread)).messages
        if not row["begun"]:
            is_asked = bool(row["asked"])
            held = row["reserved"] if row["reason"] == ADMITTED else None
            if held is None:
                held = await self._admission.admit_today(tx, pending, person, usd_left)
            user = await self._read_message(
                tx, claim.lane, update, person, items, is_asked=is_asked
            )
            record = await self._begin(tx, claim, pending, person, held, user)
        else:
            held, record = row["reserved"], await self._take_up(tx, claim, pending)
        costs = await read_turn_costs(tx, claim.lane, pending.seq) if row["begun"] else {}
        return OpenedTurn(
            person,
            held=held,
            is_shown_anew=row["reason"] != FAILED,
            seconds_used=self._seconds_used(pending, row["age"]),
            record=record,
            instructions=await self._instruct(tx, person),
            history=history,
            usd_left=self._limit_spending(person, usd_left, balance, row["reserved"] or 0),
            items=items,
            credits=balance + (row["reserved"] or 0),
            messages_usd=millionths_to_usd(sum(costs.values())),
            stopping=row["reason"] == STOPPING,
        )

    def _limit_spending(
        self, person: Person, usd_left: float, balance: int, reserved: int
    ) -> float:
        """Return the turn's limit in dollars: what is left of the day or what the person's credits
        are worth, whichever is less. At least `RESERVE` credits count, so that few do not cut an
        answer short."""
        if person.account is None:
            return usd_left
        owned = max(balance, ledger.RESERVE) + reserved
        return min(usd_left, self._admission.credits_to_usd(owned))

    def _seconds_used(self, pending: Pending, age: float | None) -> float:
        """Return the seconds of the turn's time limit that its earlier tries have used.

        How long a process that died had run is unknown, so all time since the turn began counts;
        but a third of the limit is left, as the machine may have been off.
        """
        if not pending.deaths or age is None:
            return pending.seconds_used
        limit = time_limit(self._settings, is_job=is_job(pending.update.lane))
        return max(pending.seconds_used, min(age, limit * 2 / 3))

    async def _instruct(self, tx: Transaction, person: Person) -> str:
        now = datetime.fromtimestamp(time.time(), UTC)
        if person.account is None or person.in_group:
            return build_system_prompt(person, [], now)
        facts = [fact for _, fact in await list_facts(tx, person.account)]
        if person.mode != "child":
            return build_system_prompt(person, facts, now)
        model = await read_learner_model(tx, person.account)
        skills = summarise_for_model(person.language, model)
        return build_system_prompt(person, facts, now, skills)

    async def _begin(
        self,
        tx: Transaction,
        claim: Claim,
        pending: Pending,
        person: Person,
        held: int,
        user: UserMessage,
    ) -> TurnRecord:
        """Store that the turn begins, with its first journal row; return its record."""
        await begin_turn(
            tx,
            lane=claim.lane,
            turn=pending.seq,
            account=person.account,
            held=held,
            attempt=pending.attempts + 1,
            deaths=pending.deaths,
            worker=claim.owner,
        )
        if pending.members:
            await join_turn(tx, claim.lane, pending.seq, pending.members)
        arriving = _has_attachments(pending.update)
        kind = "arriving" if arriving else "user"
        await append_rows(tx, claim.lane, pending.seq, 0, [(kind, encode(user))])
        return TurnRecord([user], arriving=arriving, rows=1)

    async def _read_message(
        self,
        tx: Transaction,
        lane: str,
        update: Update,
        person: Person,
        items: Sequence[OpenItem],
        *,
        is_asked: bool,
    ) -> UserMessage:
        """Return the person's message, after notes to the model about open exercises.

        A decision is stored and carried out; a message instead of one drops the pending approvals.

        Args:
            is_asked: an approval may wait for the person's decision.

        Raises:
            AlreadyDecided: in the person's language.
        """
        match update.content:
            case Decided() as decided:
                return await self._carry_out(tx, lane, update, decided, person)
            case Woken():
                return to_model_message(update)
            case _:
                dropped = await drop_pending(tx, lane) if is_asked else []
                message = to_model_message(update)
                notes = [replacement_text(kind) for kind in dict.fromkeys(dropped)]
                exercises = [item for item in items if not item.is_quiz]
                notes += [f"[{item.describe()}]" for item in exercises[:_MOST_NOTED]]
                return UserMessage((*map(Text, notes), *message.parts)) if notes else message

    async def _carry_out(
        self, tx: Transaction, lane: str, update: Update, decided: Decided, person: Person
    ) -> UserMessage:
        approval, choice = decided.approval_id, decided.choice
        try:
            kind, payload = await decide(tx, approval, choice, lane=lane, account=person.account)
        except AlreadyDecided as error:
            raise AlreadyDecided(say(person.language, str(error))) from None
        if kind == "email" and choice == "approve":
            await self._emails.send_draft(tx, approval, payload)
        return to_model_message(update, kind)

    async def _take_up(self, tx: Transaction, claim: Claim, pending: Pending) -> TurnRecord:
        """Count the attempt of a turn that was begun before; return what was done so far."""
        record = await read_record(tx, claim.lane, pending.seq)
        await take_up_turn(
            tx,
            lane=claim.lane,
            turn=pending.seq,
            attempt=pending.attempts + 1,
            deaths=pending.deaths,
            steps=record.rows,
            worker=claim.owner,
        )
        return record


def _check_tries(pending: Pending) -> None:
    """Raise `TriedTooOften` after too many failed tries or deaths of the process."""
    if pending.failures >= MAX_FAILURES:
        raise TriedTooOften(f"failed {MAX_FAILURES} times")
    if pending.deaths >= MAX_DEATHS:
        raise TriedTooOften(f"its process died {MAX_DEATHS} times")


def warn_of_low_credits(opened: OpenedTurn, cost: int, *, can_buy: bool) -> str:
    """Return a warning if the `cost` of the turn brings the person's credits down to `ledger.LOW`
    or less; else empty."""
    left = opened.credits - cost
    if opened.person.account is None or not left <= ledger.LOW < opened.credits:
        return ""
    words = say_count(
        opened.person.language,
        "You have {number} credit left.",
        "You have {number} credits left.",
        max(left, 0),
    )
    hint = say(opened.person.language, "Send /buy to get more.")
    return f"{words} {hint}" if can_buy else words


def _check_day(person: Person, usd_left: float) -> None:
    if usd_left <= 0:
        raise DayLimitReached(
            say(person.language, "That was a lot for one day. Let us go on tomorrow.")
        )


def explain_allowance(language: str, settings: Settings) -> str:
    """Return the answer to a guest who has no message left."""
    if not settings.guest_daily_messages:
        return say(language, "I answer people with an account. Log in with /login.")
    words = say(
        language,
        "Today's free messages are used up. Log in with /login, or come back tomorrow.",
    )
    return f"{words} {_name_free_exercises(language)}"


def explain_no_credits(person: Person, *, can_buy: bool) -> str:
    """Return the answer to a person who has no credits left."""
    language = person.language
    words = say(language, "You have no credits left. Send /buy to get more.")
    if not can_buy:
        words = say(language, "You have no credits left.")
        words += " " + say(
            language, "Credits cannot be bought here yet. Ask whoever runs this Griot."
        )
    return f"{words} {_name_free_exercises(language)}" if person.mode == "child" else words


def _name_free_exercises(language: str) -> str:
    return say(language, "Exercises stay free: /practice.")


def _explain_held_credits(language: str, *, can_buy: bool) -> str:
    if can_buy:
        return say(
            language,
            "Your last credits are kept for an answer on its way. Wait for it, or send /buy to get "
            "more.",
        )
    return say(language, "Your last credits are kept for an answer on its way. Wait for it.")


def explain_pace(language: str) -> str:
    """Return the answer to a person who writes too fast."""
    return say(language, "That is very fast. Please wait a minute, then go on.")


async def check_pace(
    tx: Transaction, settings: Settings, person: Person, lane: str, *, turn: int = 0
) -> None:
    """Raise `TooFast` if the person's messages of the last minute, without `turn`, reach the limit.

    Updates that need no model (commands, taps, reactions) do not count: see `check_reply`.
    """
    limit = settings.rate_limit_per_minute
    if limit == 0:
        return
    if person.account is None:
        row = await tx.fetch_one(_SENT_LATELY_IN_LANE, lane=lane, turn=turn)
    else:
        row = await tx.fetch_one(_SENT_LATELY, account=person.account, turn=turn)
    _check_excess(person, (row["n"] if row else 0) - limit)


def _check_excess(person: Person, excess: int) -> None:
    if excess >= 0:
        raise TooFast(explain_pace(person.language), aloud=excess == 0)


def _has_attachments(update: Update) -> bool:
    return isinstance(update.content, Said) and bool(update.content.attachments)


_BEGUN = """
SELECT turn.reserved, turn.reason, {now} - turn.started_at AS age, turn.id IS NOT NULL AND EXISTS (
    SELECT 1 FROM journal WHERE lane = :lane AND turn = :turn AND step = 0
) AS begun, EXISTS (
    SELECT 1 FROM approval WHERE lane = :lane AND state = 'pending'
) AS asked
FROM inbox LEFT JOIN turn ON turn.lane = :lane AND turn.id = inbox.seq
WHERE inbox.seq = :turn
"""

_SENT_LATELY = """
SELECT count(*) AS n FROM turn
WHERE account = :account AND started_at >= {now} - 60
    AND (attempts > 0 OR reason = 'admitted') AND id <> :turn
"""

_SENT_LATELY_IN_LANE = """
SELECT count(*) AS n FROM turn
WHERE lane = :lane AND started_at >= {now} - 60
    AND (attempts > 0 OR reason = 'admitted') AND id <> :turn
"""

_HANDLED_LATELY = """
SELECT count(*) AS n FROM turn WHERE account = :account AND started_at >= {now} - 60
"""

_PAID_TODAY = """
SELECT coalesce(sum(cost.amount), 0) AS messages
FROM turn JOIN cost ON cost.lane = turn.lane AND cost.turn = turn.id AND cost.channel = :channel
WHERE turn.account = :account AND turn.started_at >= {now} - 86400
"""

_SPENT_TODAY = """
SELECT coalesce(sum(usd), 0) AS usd, coalesce(sum((
    SELECT sum(amount) FROM cost WHERE cost.lane = turn.lane AND cost.turn = turn.id
)), 0) AS messages,
    (SELECT balance FROM account WHERE id = :account) AS balance
FROM turn WHERE account = :account AND started_at >= {now} - 86400
"""
