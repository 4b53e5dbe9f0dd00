"""Who chose days is reminded to review when something is due, once, and never in quiet hours."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.contracts.channels import Capabilities
from bot.contracts.storage import Transaction
from bot.gateway.delivery.notify import Notifier
from bot.gateway.scheduler.review_nudges import Nudges
from bot.gateway.short_links import TOKEN_LENGTH
from bot.i18n import find_zone
from bot.learning.quiet_hours import QuietHours
from bot.learning.reviews.review_reminders import DAYS
from bot.messages.incoming import OptedOut, Said
from bot.messages.outgoing import TemplateBody, TextBody
from bot.observability import Metrics
from tests.support.app import MakeApp, TestApp, update
from tests.support.channels import AWA, list_texts, make_sms, make_update_elsewhere, make_whatsapp
from tests.support.fakes import FakeChannel, FakeModel
from tests.support.queries import (
    FromNow,
    add_row,
    change_rows,
    read_row,
    read_rows,
    read_seconds_until,
)
from tests.support.waiting import until

NEVER = QuietHours()
WORDS = "There are {number} exercises to review, before you forget them."
BUTTONS = Capabilities(max_text=4096, max_buttons=3, max_button_label=20)


def nudges_of(app: TestApp, quiet: QuietHours = NEVER, metrics: Metrics | None = None) -> Nudges:
    notifier = Notifier(app.database, app.app.inbox, app.app.context.adapters)
    return Nudges(app.database, notifier, metrics or Metrics(), quiet, a_day=10)


async def add(
    app: TestApp, account: int, *, cards: int = 2, ago: float = 1.0, **values: Any
) -> None:
    """Somebody whose moment was a second ago, with so many cards that are due."""
    chosen = {"days": " ".join(DAYS), "hour": 18, "zone": "Africa/Abidjan", "channel": "telegram"}
    row = {"account": account, "nudge_at": FromNow(-ago)} | chosen | values
    await add_row(app.database, "review", **row)
    for number in range(cards):
        card = {"account": account, "lane": "", "key": f"card {number}", "stability": 1.0}
        await add_row(app.database, "card", **card, due_at=FromNow(-5))


async def said(app: TestApp) -> list[str]:
    """What the person in chat 1 is told once a worker has looked."""
    await app.start(FakeModel())
    await until(app.settled)
    return app.said()


async def nudge_at(app: TestApp, account: int) -> datetime:
    row = await read_row(app.database, "review", account=account)
    return datetime.fromtimestamp(row["nudge_at"], find_zone(row["zone"]))


async def test_they_are_told_how_much_is_due(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=BUTTONS))
    account = await one.log_in()
    await add(one, account)
    assert await nudges_of(one).nudge_all() == 1
    assert await said(one) == [WORDS.format(number=2)]
    row = await read_row(one.database, "review")
    assert row["nudged_at"] is not None
    assert (await nudge_at(one, account)).hour == 18


async def test_no_more_is_promised_than_a_day_has(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=BUTTONS))
    await add(one, await one.log_in(), cards=14)
    await nudges_of(one).nudge_all()
    assert await said(one) == [WORDS.format(number=10)]


async def test_who_has_reviewed_enough_today_is_left_alone(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=BUTTONS))
    account = await one.log_in()
    await add(one, account, hour=1)
    for number, seconds in enumerate([*[60] * 9, 7200]):  # the last one is yesterday's
        result = {"account": account, "source": "review", "at": FromNow(-seconds)}
        await add_row(one.database, "result", key=f"held:{number}", **result)
    assert await nudges_of(one).nudge_all() == 1
    assert await said(one) == ["There is 1 exercise to review, before you forget it."]
    await add_row(one.database, "result", key="held:10", account=account, source="review")
    await change_rows(one.database, "review", {"nudge_at": FromNow(-1)})
    assert await nudges_of(one).nudge_all() == 0


async def test_a_worker_brings_forward_what_a_clock_set_back_delayed(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=BUTTONS))
    account = await one.log_in()
    await add(one, account, ago=-8 * 86_400.0, nudged_at=FromNow(7 * 86_400))
    await one.start(FakeModel())

    async def is_soon() -> bool:
        [wait] = await read_seconds_until(one.database, "review", "nudge_at", account=account)
        return wait < 2 * 86_400

    await until(is_soon)
    assert one.said() == []


async def test_several_processes_tell_it_once(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=BUTTONS))
    await add(one, await one.log_in())
    await asyncio.gather(*(nudges_of(one).nudge_all() for _ in range(5)))
    await nudges_of(one).nudge_all()
    assert await said(one) == [WORDS.format(number=2)]


async def test_a_day_has_one_nudge_whatever_the_row_says(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=BUTTONS))
    await add(one, await one.log_in())
    for _ in range(3):
        await nudges_of(one).nudge_all()
        await change_rows(one.database, "review", {"nudge_at": FromNow(-1), "nudged_at": None})
    assert await said(one) == [WORDS.format(number=2)]


async def test_one_that_raises_is_put_aside_and_stops_no_other(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=BUTTONS))
    broken = await one.log_in("2", "+2250701020399")
    await add(one, broken, ago=60.0, hour=99)  # no clock shows this hour
    await add(one, await one.log_in())
    metrics = Metrics()
    assert await nudges_of(one, metrics=metrics).nudge_all() == 1
    assert await said(one) == [WORDS.format(number=2)]
    [wait] = await read_seconds_until(one.database, "review", "nudge_at", account=broken)
    assert 800 < wait < 900
    assert b'griot_reminders_total{outcome="put_aside"} 1.0' in metrics.render()
    assert await nudges_of(one).nudge_all() == 0


async def test_nothing_due_waits_for_the_next_day_in_silence(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=BUTTONS))
    account = await one.log_in()
    await add(one, account, cards=0, ignored=1)
    assert await nudges_of(one).nudge_all() == 0
    assert await said(one) == []
    row = await read_row(one.database, "review")
    assert (row["nudged_at"], row["ignored"]) == (None, 1)
    assert (await nudge_at(one, account)).hour == 18


async def test_in_quiet_hours_the_next_chosen_day_counts(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=BUTTONS))
    account = await one.log_in()
    await add(one, account)
    now = datetime.now(find_zone("Africa/Abidjan"))
    quiet = QuietHours((now.hour - 1) % 24, (now.hour + 2) % 24)
    assert await nudges_of(one, quiet).nudge_all() == 0
    assert await said(one) == []
    assert (await nudge_at(one, account)).hour == 18


async def test_quiet_hours_are_those_of_the_persons_zone(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=BUTTONS))
    await add(one, await one.log_in(), zone="Asia/Tokyo")
    there = datetime.now(find_zone("Asia/Tokyo"))
    quiet = QuietHours((there.hour + 2) % 24, (there.hour + 20) % 24)
    assert await nudges_of(one, quiet).nudge_all() == 1


async def test_the_last_one_says_that_it_stops(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=BUTTONS))
    account = await one.log_in()
    await add(one, account, nudged_at=FromNow(-8 * 86_400), ignored=5, days="mon wed fri")
    assert await nudges_of(one).nudge_all() == 1
    assert await said(one) == [
        "I stop reminding you to review. To have my reminders again: /review 18h mon wed fri"
    ]
    row = await read_row(one.database, "review")
    assert (row["days"], row["nudge_at"]) == ("", None)


async def test_who_cannot_be_reached_now_is_counted_and_asked_the_next_day(app: MakeApp) -> None:
    closed = FakeChannel(capabilities=replace(BUTTONS, window=86_400))
    one, metrics = await app(closed), Metrics()
    account = await one.log_in()
    await add(one, account)
    before = await nudge_at(one, account)
    with capture_logs() as logs:
        assert await nudges_of(one, metrics=metrics).nudge_all() == 0
    found = [each for each in logs if each["event"] == "nudges_unreachable"]
    assert [each["accounts"] for each in found] == [1]
    assert b'griot_reminders_total{outcome="unreachable"} 1.0' in metrics.render()
    assert await nudge_at(one, account) > before
    assert await said(one) == []


async def test_it_comes_where_they_asked_for_it(app: MakeApp) -> None:
    whatsapp = make_whatsapp()
    one = await app(FakeChannel(), whatsapp)
    await add(one, await one.log_in(phone=AWA), channel="whatsapp")
    await nudges_of(one).nudge_all()
    assert await said(one) == []
    assert [chat for chat, _ in list_texts(whatsapp)] == [AWA]


async def test_a_template_ends_in_the_link_to_the_review(app: MakeApp) -> None:
    able = Capabilities(max_text=4096, max_buttons=3, window=86_400.0, template=True)
    whatsapp = FakeChannel("fake_whatsapp", "whatsapp", able)
    one = await app(FakeChannel(), whatsapp, public_url="https://griot.example")
    await add(one, await one.log_in(phone=AWA), channel="whatsapp")
    await nudges_of(one).nudge_all()
    assert await said(one) == []
    [sent] = [each.body for each in whatsapp.delivered]
    assert isinstance(sent, TemplateBody)
    words, _, path = sent.text.partition(" https://griot.example/q/")
    assert (words, len(path)) == (WORDS.format(number=2), TOKEN_LENGTH)
    assert await read_rows(one.database, "shortlink", target="review", lane=f"whatsapp:{AWA}")


async def test_what_a_template_brought_is_not_said_again(app: MakeApp) -> None:
    able = Capabilities(max_text=4096, max_buttons=3, window=86_400.0, template=True)
    whatsapp = FakeChannel("fake_whatsapp", "whatsapp", able)
    one = await app(FakeChannel(), whatsapp, public_url="https://griot.example")
    await add(one, await one.log_in(phone=AWA), channel="whatsapp")
    await nudges_of(one).nudge_all()
    await said(one)
    written = make_update_elsewhere(Said("/help"), "whatsapp", "fake_whatsapp")
    await one.app.inbox.store([written])
    await until(one.settled)
    template, answer = [each.body for each in whatsapp.delivered]
    assert isinstance(template, TemplateBody)
    assert isinstance(answer, TextBody)
    assert "to review, before" not in answer.text


async def test_where_that_way_is_closed_it_comes_another_way(app: MakeApp) -> None:
    phone = make_sms()
    one = await app(FakeChannel(), phone)
    await add(one, await one.log_in(phone=AWA), channel="sms")
    await one.app.inbox.store([make_update_elsewhere(OptedOut(), "sms", "fake_sms")])
    await nudges_of(one).nudge_all()
    assert await said(one) == [f"{WORDS.format(number=2)} Reply REVIEW."]


async def test_who_cannot_be_reached_is_no_one_who_ignores(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=BUTTONS))
    await add(one, 99, ignored=1)
    assert await nudges_of(one).nudge_all() == 0
    row = await read_row(one.database, "review")
    assert (row["nudged_at"], row["ignored"]) == (None, 1)
    assert await said(one) == []


async def test_of_many_some_cannot_be_reached_and_some_elsewhere(app: MakeApp) -> None:
    whatsapp = make_whatsapp()
    one = await app(FakeChannel(capabilities=BUTTONS), whatsapp)
    phones = [f"+22507010203{number:02d}" for number in range(5)]
    accounts = [await one.log_in(str(number), phone) for number, phone in enumerate(phones)]
    for account, channel in zip(accounts, ["telegram", "whatsapp", *["telegram"] * 3], strict=True):
        await add(one, account, channel=channel)
    await change_rows(one.database, "account", {"erased": 1}, id=accounts[2])
    await change_rows(one.database, "account", {"part_of": accounts[0]}, id=accounts[3])
    await one.app.inbox.store([update(OptedOut(), chat="4")])
    assert await nudges_of(one).nudge_all() == 4
    await said(one)
    words = WORDS.format(number=2)
    assert [one.said(str(number)).count(words) for number in range(5)] == [2, 0, 0, 0, 0]
    assert {chat for chat, _ in list_texts(whatsapp)} == {phones[1], phones[4]}


class CountingTransaction:
    """Notes the name of each call that is a statement."""

    def __init__(self, tx: Transaction, calls: list[str]) -> None:
        self._tx = tx
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        self._calls += [] if name == "announce" else [name]
        return getattr(self._tx, name)


async def test_many_cost_no_more_statements_than_few(
    app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await app(FakeChannel(capabilities=BUTTONS))
    write = one.database.write
    calls: list[str] = []

    async def count(work: Callable[[Any], Awaitable[Any]]) -> Any:
        return await write(lambda tx: work(CountingTransaction(tx, calls)))

    numbers: list[int] = []
    for people in (range(3), range(3, 15)):
        for number in people:
            await add(one, await one.log_in(str(number), f"+22507010203{number:02d}"))
        with monkeypatch.context() as patch:
            patch.setattr(one.database, "write", count)
            assert await nudges_of(one).nudge_all() == len(people)
        numbers.append(len(calls))
        calls.clear()
    assert numbers[0] == numbers[1]


@pytest.mark.parametrize("people", [45])
async def test_of_many_each_is_reminded_once(app: MakeApp, people: int) -> None:
    one = await app(FakeChannel(capabilities=BUTTONS))
    for number in range(people):
        account = await one.log_in(str(number), f"+22507010203{number:02d}")
        await add(one, account, cards=number % 3)
    await asyncio.gather(*(nudges_of(one).nudge_all() for _ in range(3)))
    await one.start(FakeModel())
    await until(one.settled)
    told = [number for number in range(people) for _ in one.said(str(number))]
    assert told == [number for number in range(people) if number % 3]
    assert all(row["nudge_at"] for row in await read_rows(one.database, "review"))
