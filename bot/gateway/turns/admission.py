"""Decide whether a turn may run: credits, allowance, pace and the day's limit; say why not."""

from __future__ import annotations

import time

from bot.accounts import ledger
from bot.accounts.people import People
from bot.contracts.storage import Transaction, fetch_count
from bot.errors import AllowanceUsedUp, OutOfCredits, PersonError
from bot.gateway.context import Sells
from bot.gateway.delivery.message_costs import millionths_to_usd
from bot.gateway.inbound.inbox import Pending
from bot.gateway.jobs import find_chat_lane
from bot.gateway.turn_rows import insert_admitted_turn
from bot.gateway.turns.state import OpenedTurn
from bot.i18n import say, say_count
from bot.messages.incoming import Decided, Person, Update
from bot.settings import Settings
from bot.storage.accounts import lock_account

_DAY = 24 * 3600.0
_UPDATES_A_MESSAGE = 3
"""The most updates a minute that are answered without a model where that costs, in multiples of the
messages: an exercise is an answer, a tap for the next one, and what follows from the tap."""
_FEWEST_UPDATES = 20
"""The updates a minute that are always answered."""


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
            raise await self._find_refusal(tx, person, find_chat_lane(update)) from None

    async def check_reply(self, tx: Transaction, update: Update) -> None:
        """Check an update that is answered without a model on a channel where the operator pays for
        messages: a person may not have endlessly many answers, nor messages on this channel that
        have cost as much as they may cost in a day. Other channels stay open.

        Raises:
            DayLimitReached, TooFast: it is not to be answered.
        """
        person = await self._people.find_sender(tx, update.channel, update.sender)
        if person.account is None:  # their first message
            return
        if limit := self._settings.rate_limit_per_minute:
            handled = await fetch_count(tx, _HANDLED_LATELY, account=person.account)
            _check_excess(person, handled - max(_UPDATES_A_MESSAGE * limit, _FEWEST_UPDATES))
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
        sent = await fetch_count(tx, _SENT_LATELY_IN_LANE, lane=lane, turn=turn)
    else:
        sent = await fetch_count(tx, _SENT_LATELY, account=person.account, turn=turn)
    _check_excess(person, sent - limit)


def _check_excess(person: Person, excess: int) -> None:
    if excess >= 0:
        raise TooFast(explain_pace(person.language), aloud=excess == 0)


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
