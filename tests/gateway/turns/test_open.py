"""How a turn begins: who it is for, what it may cost, and when it may not run at all."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import pytest

from bot.accounts import ledger
from bot.accounts.approvals import Approvals
from bot.contracts.storage import Database
from bot.errors import AllowanceUsedUp, GriotError, LeaseLost, OutOfCredits
from bot.gateway.inbound.inbox import Pending
from bot.gateway.lanes import Claim
from bot.gateway.turns.journal import append_rows
from bot.gateway.turns.open import (
    MAX_DEATHS,
    MAX_FAILURES,
    STOPPING,
    DayLimitReached,
    TooFast,
    TriedTooOften,
    TurnAdmission,
    check_pace,
)
from bot.gateway.turns.state import OpenedTurn
from bot.messages.channels import Channel
from bot.messages.incoming import Attachment, Person, Said, UpdateContent, Woken
from bot.messages.transcript import SystemMessage
from bot.messages.value import encode
from tests.support.app import MakeApp, TestApp, update
from tests.support.fakes import reply, tool_context
from tests.support.payment_provider import FakeProvider
from tests.support.queries import (
    NOW,
    FromNow,
    add_row,
    change_rows,
    delete_rows,
    read_row,
    read_rows,
)
from tests.support.turns import lose_to_another, make_user_messages, store_and_claim


@dataclass
class Door:
    """A message that waits at the door, and the lane in which it does."""

    app: TestApp
    claim: Claim
    pending: Pending

    async def open(self, pending: Pending | None = None) -> OpenedTurn:
        opening = self.app.app.turn_opener

        async def work(tx: Any) -> OpenedTurn:
            return await opening.open(tx, self.claim, pending or self.pending)

        return await self.app.database.write(work)

    async def rows(self, table: str) -> list[Any]:
        return await read_rows(self.app.database, table)

    async def refuse(self, error: type[GriotError], words: str) -> None:
        """It is refused so, and leaves nothing behind."""
        with pytest.raises(error, match=words):
            await self.open()
        assert await self.rows("journal") == []


async def _knock(app: TestApp, *contents: UpdateContent | str) -> Door:
    return Door(app, *await store_and_claim(app.database, *contents))


async def _spend(database: Database, account: int, usd: float, *, ago: float) -> None:
    await add_row(
        database,
        "turn",
        lane="telegram:9",
        id=999,
        account=account,
        usd=usd,
        attempts=1,
        started_at=FromNow(-ago),
    )


async def _pay_for_message(
    database: Database, lane: str, turn: int, usd: float, provider_id: str
) -> None:
    amount = round(usd * 1_000_000)
    await add_row(
        database,
        "cost",
        lane=lane,
        turn=turn,
        provider_id=provider_id,
        amount=amount,
        channel="sms",
    )


async def test_a_guests_turn_uses_their_allowance_and_no_credits(app: MakeApp) -> None:
    door = await _knock(await app(), "my question")
    opened = await door.open()
    assert opened.person == Person("telegram", "1", name="Awa", language="en")
    assert opened.held == 0
    assert opened.record.user == make_user_messages("my question")
    assert [row["used"] for row in await door.rows("allowance")] == [1]
    [turn] = await door.rows("turn")
    assert (turn["id"], turn["state"], turn["account"]) == (door.pending.seq, "running", None)


async def test_a_persons_turn_holds_credits_back(app: MakeApp) -> None:
    site = await app(welcome_credits=50)
    account = await site.log_in()
    door = await _knock(site, "my question")
    opened = await door.open()
    assert (opened.person.account, opened.held) == (account, ledger.RESERVE)
    balance, _ = await ledger.entries(site.database, account)
    assert balance == 50 - ledger.RESERVE
    assert [row["reserved"] for row in await door.rows("turn")] == [ledger.RESERVE]


@pytest.mark.parametrize(("left", "held"), [(1, 1), (2, 1), (5, 2), (19, 9), (30, 10)])
async def test_of_a_few_credits_half_is_left_for_other_chats(
    app: MakeApp, left: int, held: int
) -> None:
    site = await app(welcome_credits=left)
    await site.log_in()
    assert (await (await _knock(site)).open()).held == held


async def test_who_cannot_ask_meanwhile_is_told_where_their_credits_are(app: MakeApp) -> None:
    site = await app(welcome_credits=1)
    account = await site.log_in()
    door = await _knock(site)
    await add_row(
        site.database,
        "turn",
        lane="telegram:9",
        id=999,
        account=account,
        state="running",
        reserved=1,
        attempts=1,
        started_at=NOW,
    )
    await change_rows(site.database, "account", {"balance": 0})
    await door.refuse(OutOfCredits, "kept for an answer on its way")


async def test_the_model_is_told_who_it_is_for_then_what_was_said(app: MakeApp) -> None:
    site = await app()
    account = await site.log_in()
    for fact in ("Likes goats.", "Has a test on Friday."):
        await add_row(site.database, "memory", account=account, fact=fact, created_at=0)
    door = await _knock(site, "my question")

    async def earlier(tx: Any) -> None:
        rows = [
            ("user", encode(make_user_messages("earlier")[0])),
            ("reply", encode(reply("I see"))),
        ]
        await append_rows(tx, door.claim.lane, 0, 0, rows)

    await site.database.write(earlier)
    opened = await door.open()
    system, *earlier, newest = opened.messages()
    assert isinstance(system, SystemMessage)
    assert system.text.index("goats") < system.text.index("Friday")
    assert earlier == [*make_user_messages("earlier"), reply("I see").message]
    assert newest == make_user_messages("my question")[0]


async def test_what_one_person_knows_is_not_told_to_another(app: MakeApp) -> None:
    site = await app()
    account = await site.log_in()
    await add_row(site.database, "memory", account=account + 1, fact="secret", created_at=0)
    door = await _knock(site)
    assert "secret" not in str((await door.open()).messages())


@pytest.mark.parametrize(("mode", "is_told"), [("child", True), ("pro", False)])
async def test_the_model_knows_the_skills_of_a_pupil(
    app: MakeApp, mode: str, is_told: bool
) -> None:
    site = await app()
    account = await site.log_in()
    await change_rows(site.database, "account", {"mode": mode, "grade": "CM2"})
    skill, same = "maths.add-to-100", {"answers": 2, "changed_at": 0}
    await add_row(site.database, "mastery", account=account, skill=skill, p=0.5, **same)
    await add_row(
        site.database, "mastery", account=account + 1, skill="maths.thales", p=0.5, **same
    )
    told = str((await (await _knock(site)).open()).messages())
    assert ("In progress: Add up to 100" in told) is is_told
    assert "Thales" not in told


async def test_attachments_are_still_to_be_brought(app: MakeApp) -> None:
    door = await _knock(await app(), Said("look", (Attachment("image", "p"),)))
    assert (await door.open()).record.arriving
    assert [row["kind"] for row in await door.rows("journal")] == ["arriving"]


async def test_what_was_said_in_one_go_is_the_turns(app: MakeApp) -> None:
    door = await _knock(await app(), "one", "two", "three")
    await door.open()
    others = [row["turn"] for row in await door.rows("inbox") if row["seq"] != door.pending.seq]
    assert others == [door.pending.seq] * 2


# Again ------------------------------------------------------------------------------------------


async def test_it_goes_on_from_what_was_done_before_the_crash(app: MakeApp) -> None:
    site = await app(welcome_credits=50)
    account = await site.log_in()
    door = await _knock(site, "my question")
    first = await door.open()

    async def act(tx: Any) -> None:
        row = ("reply", encode(reply("", ("look", "{}"))))
        await append_rows(tx, door.claim.lane, door.pending.seq, 1, [row])

    await site.database.write(act)
    again = await door.open(replace(door.pending, attempts=1))
    assert again.held == first.held
    assert again.record.messages == [
        *make_user_messages("my question"),
        reply("", ("look", "{}")).message,
    ]
    assert [row["attempts"] for row in await door.rows("turn")] == [2]
    balance, _ = await ledger.entries(site.database, account)
    assert balance == 50 - first.held


async def test_what_was_admitted_once_is_not_turned_away_later(app: MakeApp) -> None:
    site = await app(welcome_credits=10, max_person_day_usd=1, rate_limit_per_minute=1)
    account = await site.log_in()
    door = await _knock(site)
    await door.open()
    await _spend(site.database, account, 5.0, ago=30)
    opened = await door.open(replace(door.pending, attempts=1))
    assert opened.held == 5


async def test_one_that_failed_before_it_began_is_begun(app: MakeApp) -> None:
    site = await app(welcome_credits=50)
    await site.log_in()
    door = await _knock(site, "my question")
    await add_row(
        site.database, "turn", lane="telegram:1", id=door.pending.seq, attempts=1, started_at=NOW
    )
    opened = await door.open(replace(door.pending, attempts=1))
    assert opened.held == ledger.RESERVE
    assert opened.record.user == make_user_messages("my question")


async def test_it_knows_that_the_person_has_cancelled_it(app: MakeApp) -> None:
    door = await _knock(await app())
    assert not (await door.open()).stopping
    await change_rows(door.app.database, "turn", {"reason": STOPPING})
    assert (await door.open(replace(door.pending, attempts=1))).stopping


async def test_too_often_is_too_often(app: MakeApp) -> None:
    door = await _knock(await app())
    door.pending = replace(door.pending, failures=MAX_FAILURES)
    await door.refuse(TriedTooOften, "failed 5 times")
    door.pending = replace(door.pending, failures=0, deaths=MAX_DEATHS)
    await door.refuse(TriedTooOften, "its process died 8 times")
    door.pending = replace(door.pending, failures=MAX_FAILURES - 1, deaths=MAX_DEATHS - 1)
    await door.open()
    [turn] = await door.rows("turn")
    assert (turn["deaths"], turn["worker"]) == (MAX_DEATHS - 1, door.claim.owner)


async def test_earlier_tries_have_used_a_part_of_its_time(app: MakeApp) -> None:
    door = await _knock(await app(turn_timeout=180))
    opened = await door.open(replace(door.pending, seconds_used=150.0))
    assert opened.limits(door.app.app.settings).seconds == 30.0
    opened = await door.open(replace(door.pending, seconds_used=200.0))
    assert opened.limits(door.app.app.settings).seconds == 0.0


async def test_time_before_a_death_counts_but_some_is_left(app: MakeApp) -> None:
    door = await _knock(await app(turn_timeout=180))
    await door.open()
    for age, left in ((50, 130), (1000, 60)):
        await change_rows(door.app.database, "turn", {"started_at": FromNow(-age)})
        opened = await door.open(replace(door.pending, attempts=1, deaths=1))
        assert opened.limits(door.app.app.settings).seconds == pytest.approx(left, abs=5)


async def test_what_failed_before_is_not_shown_anew(app: MakeApp) -> None:
    """What was shown of an interrupted try is void; a failed one has shown what stays."""
    door = await _knock(await app())
    assert (await door.open()).is_shown_anew
    await change_rows(door.app.database, "turn", {"reason": "failed"})
    again = replace(door.pending, attempts=1, failures=1)
    assert not (await door.open(again)).is_shown_anew
    assert (await door.open(again)).is_shown_anew


# It may not run ---------------------------------------------------------------------------------


async def test_who_lost_the_lane_begins_nothing(app: MakeApp) -> None:
    door = await _knock(await app())
    await lose_to_another(door.app.database)
    await door.refuse(LeaseLost, "telegram:1")
    assert await door.rows("allowance") == []
    assert await door.rows("turn") == []


async def test_without_credits_it_says_how_to_get_some(app: MakeApp) -> None:
    site = await app(welcome_credits=4, min_turn_credits=5, providers={"wave": FakeProvider()})
    await site.log_in()
    await (await _knock(site)).refuse(OutOfCredits, "/buy")


async def test_where_credits_cannot_be_bought_it_says_whom_to_ask(app: MakeApp) -> None:
    site = await app(welcome_credits=4, min_turn_credits=5)
    await site.log_in()
    await (await _knock(site)).refuse(OutOfCredits, "left. Credits cannot be bought here yet. Ask")


async def test_a_guest_whose_allowance_is_used_is_asked_to_log_in(app: MakeApp) -> None:
    door = await _knock(await app(guest_daily_messages=0))
    await door.refuse(AllowanceUsedUp, "/login")


@pytest.mark.parametrize(("usd", "ago", "left"), [(0.75, 3600, 0.25), (0.75, 90_000, 1.0)])
async def test_a_person_may_cost_so_much_a_day(
    app: MakeApp, usd: float, ago: float, left: float
) -> None:
    site = await app(max_person_day_usd=1, max_turn_usd=0.5, welcome_credits=5000)
    await _spend(site.database, await site.log_in(), usd, ago=ago)
    opened = await (await _knock(site)).open()
    assert opened.usd_left == left
    assert opened.limits(site.app.settings).usd == min(0.5, left)


@pytest.mark.parametrize(("ago", "left"), [(3600, 0.15), (90_000, 1.0)])
async def test_what_messages_cost_counts_for_the_day(app: MakeApp, ago: float, left: float) -> None:
    site = await app(max_person_day_usd=1, welcome_credits=5000)
    await _spend(site.database, await site.log_in(), 0.25, ago=ago)
    for number in range(2):
        await _pay_for_message(site.database, "telegram:9", 999, 0.3, f"p{number}")
    opened = await (await _knock(site)).open()
    assert opened.usd_left == pytest.approx(left)


@pytest.mark.parametrize(("channel", "refused"), [("sms", DayLimitReached), ("whatsapp", None)])
async def test_paid_messages_of_one_channel_leave_commands_on_others_open(
    app: MakeApp, channel: Channel, refused: type[GriotError] | None
) -> None:
    site = await app(max_person_day_usd=1)
    account = await site.log_in()
    await _spend(site.database, account, 0, ago=3600)
    for number in range(4):
        await _pay_for_message(site.database, "telegram:9", 999, 0.3, f"p{number}")
    await add_row(
        site.database, "identity", channel=channel, address="1", account=account, created_at=NOW
    )
    admission = TurnAdmission(site.app.people, site.app.settings, site.app.context.sells)
    sent = msgspec.structs.replace(update("/help"), channel=channel)
    with pytest.raises(refused) if refused else nullcontext():
        await site.database.read(lambda tx: admission.check_reply(tx, sent))


async def test_messages_of_earlier_tries_count_for_what_the_turn_may_cost(app: MakeApp) -> None:
    site = await app(max_turn_usd=0.5, welcome_credits=5000)
    await site.log_in()
    door = await _knock(site)
    await door.open()
    lane, turn = door.claim.lane, door.pending.seq
    await _pay_for_message(site.database, lane, turn, 0.2, "p1")
    await _pay_for_message(site.database, lane, turn + 1, 0.2, "p2")
    assert (await door.open()).limits(site.app.settings).usd == pytest.approx(0.3)


@pytest.mark.parametrize(("credits", "usd"), [(200, 0.2), (3, 0.01), (5000, 0.5)])
async def test_a_turn_costs_no_more_than_the_person_has(
    app: MakeApp, credits: int, usd: float
) -> None:
    site = await app(welcome_credits=credits, max_turn_usd=0.5)
    await site.log_in()
    opened = await (await _knock(site)).open()
    assert opened.limits(site.app.settings).usd == pytest.approx(usd)


async def test_who_has_cost_that_much_goes_on_tomorrow(app: MakeApp) -> None:
    site = await app(max_person_day_usd=1)
    await _spend(site.database, await site.log_in(), 1.0, ago=3600)
    await (await _knock(site)).refuse(DayLimitReached, "tomorrow")


async def test_what_others_cost_is_theirs(app: MakeApp) -> None:
    site = await app(max_person_day_usd=1, welcome_credits=5000)
    await _spend(site.database, await site.log_in() + 1, 5.0, ago=3600)
    assert (await (await _knock(site)).open()).usd_left == 1


@pytest.mark.parametrize("logged_in", [True, False])
async def test_who_writes_too_fast_is_not_let_in(app: MakeApp, logged_in: bool) -> None:
    site = await app(rate_limit_per_minute=2)
    account = await site.log_in() if logged_in else None
    door = await _knock(site)
    await _sent(site.database, account, lane="telegram:1")
    await door.refuse(TooFast, "wait a minute")


# Pace -------------------------------------------------------------------------------------------


async def _sent(
    database: Database,
    account: int | None,
    *,
    lane: str,
    count: int = 2,
    ago: float = 5,
    attempts: int = 1,
) -> None:
    """So many earlier turns, `ago` seconds back, each begun `attempts` times."""
    for number in range(count):
        await add_row(
            database,
            "turn",
            lane=lane,
            id=900 + number,
            account=account,
            attempts=attempts,
            started_at=FromNow(-ago),
        )


async def _check(site: TestApp, account: int | None, limit: int = 2, turn: int = 0) -> None:
    person = Person("telegram", "1", account=account, language="en")
    settings = site.app.settings.model_copy(update={"rate_limit_per_minute": limit})

    async def work(tx: Any) -> None:
        await check_pace(tx, settings, person, "telegram:1", turn=turn)

    await site.database.write(work)


async def test_a_persons_messages_count_wherever_they_write(app: MakeApp) -> None:
    site = await app()
    await _sent(site.database, 7, lane="whatsapp:1")
    with pytest.raises(TooFast, match="wait a minute"):
        await _check(site, 7)
    await _check(site, 7, limit=3)
    await _check(site, 8)


async def test_a_guests_messages_count_in_their_conversation(app: MakeApp) -> None:
    site = await app()
    await _sent(site.database, None, lane="telegram:2")
    await _check(site, None)
    await _sent(site.database, None, lane="telegram:1")
    with pytest.raises(TooFast):
        await _check(site, None)


@pytest.mark.parametrize("uncounted", [{"ago": 61}, {"attempts": 0}, {"count": 1}])
@pytest.mark.parametrize("account", [7, None])
async def test_only_what_asked_the_model_in_the_last_minute_counts(
    app: MakeApp, account: int | None, uncounted: dict[str, int]
) -> None:
    site = await app()
    await _sent(site.database, account, lane="telegram:1", **uncounted)
    await _check(site, account)


async def test_the_turn_itself_does_not_count(app: MakeApp) -> None:
    site = await app()
    for account in (7, None):
        await delete_rows(site.database, "turn")
        await _sent(site.database, account, lane="telegram:1")
        await _check(site, account, turn=901)


async def test_it_is_said_once_in_a_row(app: MakeApp) -> None:
    site = await app()
    aloud: list[bool] = []
    for count in (2, 3):
        await delete_rows(site.database, "turn")
        await _sent(site.database, 7, lane="telegram:1", count=count)
        with pytest.raises(TooFast) as caught:
            await _check(site, 7)
        aloud.append(caught.value.aloud)
    assert aloud == [True, False]


async def test_a_limit_of_nothing_is_no_limit(app: MakeApp) -> None:
    site = await app()
    await _sent(site.database, 7, lane="telegram:1", count=30)
    await _check(site, 7, limit=0)


async def test_what_wakes_the_agent_leaves_a_pending_plan_alone(app: MakeApp) -> None:
    site = await app(planner_mode=True)
    account = await site.log_in()
    await add_row(site.database, "lane", id="telegram:1")
    approvals = Approvals(site.database)
    planning = tool_context(account=account, lane="telegram:1", turn=1)
    await approvals.begin_plan(planning)
    await approvals.ask_for_plan("1. Write", planning)
    for content, state in ((Woken("A command has ended."), "pending"), (Said("no"), "dropped")):
        door = await _knock(site, content)
        await door.open()
        await change_rows(site.database, "inbox", {"state": "done"})
        await change_rows(site.database, "lane", {"owner": None, "due_at": NOW})
        row = await read_row(site.database, "approval")
        assert row["state"] == state
