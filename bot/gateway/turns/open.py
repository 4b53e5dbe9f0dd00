"""Open a turn: who it is for, what it knows, and what earlier tries have done."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from bot.accounts import ledger
from bot.accounts.approvals import AlreadyDecided, decide, drop_pending
from bot.accounts.people import People
from bot.agent.prompts.system_prompt import build_system_prompt
from bot.contracts.storage import Transaction
from bot.errors import GriotError, LeaseLost
from bot.gateway.context import Sells
from bot.gateway.delivery.emails import EmailService
from bot.gateway.delivery.message_costs import millionths_to_usd, read_turn_costs
from bot.gateway.inbound.first_language import adopt_first_language
from bot.gateway.inbound.inbox import ALONE_AFTER, Pending
from bot.gateway.inbox_rows import join_turn
from bot.gateway.jobs import is_job
from bot.gateway.lanes import Claim, lock_lane, place_in_thread
from bot.gateway.turn_rows import begin_turn, take_up_turn
from bot.gateway.turns.admission import TurnAdmission
from bot.gateway.turns.journal import TurnRecord, append_rows, read_history, read_record
from bot.gateway.turns.model_message import replacement_text, to_model_message
from bot.gateway.turns.state import OpenedTurn, time_limit
from bot.i18n import say
from bot.learning.open_items import OpenItem, read_open_items
from bot.learning.remembered_facts import list_facts
from bot.learning.skills.learner_model import read_learner_model
from bot.learning.skills.skill_progress import summarise_for_model
from bot.messages.incoming import Decided, Person, Said, Update, Woken
from bot.messages.transcript import Text, UserMessage
from bot.messages.value import encode
from bot.settings import Settings

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
_MOST_NOTED = 3
"""Newest open exercises that the model is shown; of older ones only the solutions are guarded."""


class TriedTooOften(GriotError):
    """The turn has failed, or its process has died, too many times."""


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
            held = row["reserved"] if row["reason"] in (ADMITTED, STOPPING) else None
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
        rate = self._settings.credits_per_usd
        if person.account is None or not rate:
            return usd_left
        owned = max(balance, ledger.RESERVE) + reserved
        return min(usd_left, owned / rate)

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
        content = pending.update.content
        arriving = isinstance(content, Said) and bool(content.attachments)
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


_BEGUN = """
SELECT turn.reserved, turn.reason, {now} - turn.started_at AS age, turn.id IS NOT NULL AND EXISTS (
    SELECT 1 FROM journal WHERE lane = :lane AND turn = :turn AND step = 0
) AS begun, EXISTS (
    SELECT 1 FROM approval WHERE lane = :lane AND state = 'pending'
) AS asked
FROM inbox LEFT JOIN turn ON turn.lane = :lane AND turn.id = inbox.seq
WHERE inbox.seq = :turn
"""
