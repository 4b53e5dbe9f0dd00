"""When a turn may not run: credits, allowance, pace, the day's limit."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from bot.accounts import ledger
from bot.contracts.storage import Database
from bot.errors import AllowanceUsedUp, GriotError, OutOfCredits
from bot.gateway.turns.admission import DayLimitReached, TooFast, TurnAdmission, check_pace
from bot.messages.channels import Channel
from bot.messages.incoming import Person
from tests.support.app import MakeApp, TestApp, update
from tests.support.payment_provider import FakeProvider
from tests.support.queries import (
    NOW,
    FromNow,
    add_row,
    change_rows,
    delete_rows,
)
from tests.support.turns import (
    make_user_messages,
    wait_for_turn,
)


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
    waiting = await wait_for_turn(await app(), "my question")
    opened = await waiting.open()
    assert opened.person == Person("telegram", "1", name="Awa", language="en")
    assert opened.held == 0
    assert opened.record.user == make_user_messages("my question")
    assert [row["used"] for row in await waiting.rows("allowance")] == [1]
    [turn] = await waiting.rows("turn")
    assert (turn["id"], turn["state"], turn["account"]) == (waiting.pending.seq, "running", None)


async def test_a_persons_turn_holds_credits_back(app: MakeApp) -> None:
    site = await app(welcome_credits=50)
    account = await site.log_in()
    waiting = await wait_for_turn(site, "my question")
    opened = await waiting.open()
    assert (opened.person.account, opened.held) == (account, ledger.RESERVE)
    balance, _ = await ledger.entries(site.database, account)
    assert balance == 50 - ledger.RESERVE
    assert [row["reserved"] for row in await waiting.rows("turn")] == [ledger.RESERVE]


@pytest.mark.parametrize(("left", "held"), [(1, 1), (2, 1), (5, 2), (19, 9), (30, 10)])
async def test_of_a_few_credits_half_is_left_for_other_chats(
    app: MakeApp, left: int, held: int
) -> None:
    site = await app(welcome_credits=left)
    await site.log_in()
    assert (await (await wait_for_turn(site)).open()).held == held


async def test_who_cannot_ask_meanwhile_is_told_where_their_credits_are(app: MakeApp) -> None:
    site = await app(welcome_credits=1)
    account = await site.log_in()
    waiting = await wait_for_turn(site)
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
    await waiting.refuse(OutOfCredits, "kept for an answer on its way")


async def test_what_was_admitted_once_is_not_turned_away_later(app: MakeApp) -> None:
    site = await app(welcome_credits=10, max_person_day_usd=1, rate_limit_per_minute=1)
    account = await site.log_in()
    waiting = await wait_for_turn(site)
    await waiting.open()
    await _spend(site.database, account, 5.0, ago=30)
    opened = await waiting.open(replace(waiting.pending, attempts=1))
    assert opened.held == 5


async def test_without_credits_it_says_how_to_get_some(app: MakeApp) -> None:
    site = await app(welcome_credits=4, min_turn_credits=5, providers={"wave": FakeProvider()})
    await site.log_in()
    await (await wait_for_turn(site)).refuse(OutOfCredits, "/buy")


async def test_where_credits_cannot_be_bought_it_says_whom_to_ask(app: MakeApp) -> None:
    site = await app(welcome_credits=4, min_turn_credits=5)
    await site.log_in()
    await (await wait_for_turn(site)).refuse(
        OutOfCredits, "left. Credits cannot be bought here yet. Ask"
    )


async def test_a_guest_whose_allowance_is_used_is_asked_to_log_in(app: MakeApp) -> None:
    waiting = await wait_for_turn(await app(guest_daily_messages=0))
    await waiting.refuse(AllowanceUsedUp, "/login")


@pytest.mark.parametrize(("usd", "ago", "left"), [(0.75, 3600, 0.25), (0.75, 90_000, 1.0)])
async def test_a_person_may_cost_so_much_a_day(
    app: MakeApp, usd: float, ago: float, left: float
) -> None:
    site = await app(max_person_day_usd=1, max_turn_usd=0.5, welcome_credits=5000)
    await _spend(site.database, await site.log_in(), usd, ago=ago)
    opened = await (await wait_for_turn(site)).open()
    assert opened.usd_left == left
    assert opened.limits(site.app.settings).usd == min(0.5, left)


@pytest.mark.parametrize(("ago", "left"), [(3600, 0.15), (90_000, 1.0)])
async def test_what_messages_cost_counts_for_the_day(app: MakeApp, ago: float, left: float) -> None:
    site = await app(max_person_day_usd=1, welcome_credits=5000)
    await _spend(site.database, await site.log_in(), 0.25, ago=ago)
    for number in range(2):
        await _pay_for_message(site.database, "telegram:9", 999, 0.3, f"p{number}")
    opened = await (await wait_for_turn(site)).open()
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
    waiting = await wait_for_turn(site)
    await waiting.open()
    lane, turn = waiting.claim.lane, waiting.pending.seq
    await _pay_for_message(site.database, lane, turn, 0.2, "p1")
    await _pay_for_message(site.database, lane, turn + 1, 0.2, "p2")
    assert (await waiting.open()).limits(site.app.settings).usd == pytest.approx(0.3)


@pytest.mark.parametrize(("credits", "usd"), [(200, 0.2), (3, 0.01), (5000, 0.5)])
async def test_a_turn_costs_no_more_than_the_person_has(
    app: MakeApp, credits: int, usd: float
) -> None:
    site = await app(welcome_credits=credits, max_turn_usd=0.5)
    await site.log_in()
    opened = await (await wait_for_turn(site)).open()
    assert opened.limits(site.app.settings).usd == pytest.approx(usd)


async def test_who_has_cost_that_much_goes_on_tomorrow(app: MakeApp) -> None:
    site = await app(max_person_day_usd=1)
    await _spend(site.database, await site.log_in(), 1.0, ago=3600)
    await (await wait_for_turn(site)).refuse(DayLimitReached, "tomorrow")


async def test_what_others_cost_is_theirs(app: MakeApp) -> None:
    site = await app(max_person_day_usd=1, welcome_credits=5000)
    await _spend(site.database, await site.log_in() + 1, 5.0, ago=3600)
    assert (await (await wait_for_turn(site)).open()).usd_left == 1


@pytest.mark.parametrize("logged_in", [True, False])
async def test_who_writes_too_fast_is_not_let_in(app: MakeApp, logged_in: bool) -> None:
    site = await app(rate_limit_per_minute=2)
    account = await site.log_in() if logged_in else None
    waiting = await wait_for_turn(site)
    await _sent(site.database, account, lane="telegram:1")
    await waiting.refuse(TooFast, "wait a minute")


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
