"""What is due is said once, where the person can be reached."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime
from typing import Any, get_args

import msgspec
import pytest
from structlog.testing import capture_logs

from bot.contracts.channels import Capabilities
from bot.contracts.services import NewTask, RemindBy
from bot.errors import OutcomeUnknown, RetryAt, Undeliverable
from bot.gateway.delivery.notify import Notifier
from bot.gateway.scheduler import reminders
from bot.gateway.scheduler.reminders import Reminders
from bot.i18n import find_zone
from bot.learning.quiet_hours import QuietHours
from bot.learning.tasks import ReminderState, Tasks, finish_task
from bot.messages.channels import CHANNELS
from bot.messages.incoming import OptedOut, Reachable, Receipt, Said, Sender, Tapped
from bot.messages.outgoing import TemplateBody, TextBody
from bot.observability import Metrics
from tests.support.app import MakeApp, TestApp, update
from tests.support.channels import AWA, list_texts, make_sms, make_update_elsewhere, make_whatsapp
from tests.support.emails import list_emails, make_email
from tests.support.fakes import FakeChannel, FakeModel, reply, tool_context
from tests.support.outbox import make_receipts
from tests.support.queries import (
    NOW,
    FromNow,
    Plus,
    change_rows,
    delete_rows,
    read_clock,
    read_row,
    read_rows,
    read_seconds_until,
)
from tests.support.waiting import until

MOST_SMS = CHANNELS["sms"].notices_a_day or 0

WORDS = "Reminder: Revise fractions"
NEVER = QuietHours()


@pytest.fixture(autouse=True)
def _follow_closely(monkeypatch: pytest.MonkeyPatch) -> None:
    # Two seconds in the app.
    monkeypatch.setattr(reminders, "FOLLOW_EVERY", 0.05)


def reminders_of(
    app: TestApp,
    *,
    quiet: QuietHours = NEVER,
    metrics: Metrics | None = None,
) -> Reminders:
    notifier = Notifier(app.database, app.app.inbox, app.app.context.adapters)
    return Reminders(app.database, notifier, metrics or Metrics(), quiet, app.app.emails)


async def add(
    app: TestApp,
    account: int,
    by: RemindBy | None = None,
    *,
    title: str = "Revise fractions",
    ago: float = 1.0,
) -> int:
    """A task of the person in chat 1, due since a second ago."""
    context = tool_context(account=account, lane="telegram:1", key=f"key-{by}-{title}")
    number = await Tasks(app.database).add(NewTask(title, "normal", None, (), by), context)
    await change_rows(
        app.database,
        "task",
        {"due_at": FromNow(-ago), "wanted_at": FromNow(-ago), "remind_at": FromNow(-ago)},
        id=number,
    )
    return number


async def task_of(app: TestApp, number: int) -> Any:
    rows = await read_rows(app.database, "task", id=number)
    return rows[0]


async def until_told(app: TestApp, number: int, told: ReminderState) -> Any:
    """Wait until this became of the reminder; the task."""
    assert told in get_args(ReminderState)

    async def is_so() -> bool:
        return (await task_of(app, number))["reminder_state"] == told

    await until(is_so)
    return await task_of(app, number)


async def test_what_is_due_is_said_in_the_conversation(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    await add(one, account)
    assert await reminders_of(one).remind() == 1
    await one.start(FakeModel())
    await until(one.settled)
    assert one.said() == [WORDS]


async def test_it_is_said_once_however_many_look(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    await add(one, account)
    await asyncio.gather(*(reminders_of(one).remind() for _ in range(5)))
    await reminders_of(one).remind()
    await one.start(FakeModel())
    await until(one.settled)
    assert one.said() == [WORDS]


async def test_a_worker_looks_by_itself(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    await one.start(FakeModel())
    await add(one, account)

    async def told() -> bool:
        return bool(one.said())

    await until(told)
    assert one.said() == [WORDS]


@pytest.mark.parametrize("by", ["sms", "whatsapp"])
async def test_it_comes_the_way_that_was_wished(app: MakeApp, by: RemindBy) -> None:
    others = {"sms": make_sms(), "whatsapp": make_whatsapp()}
    one = await app(FakeChannel(), *others.values())
    account = await one.log_in(phone=AWA)
    await add(one, account, by)
    await reminders_of(one).remind()
    await one.start(FakeModel())
    await until(one.settled)
    assert {name: list_texts(each) for name, each in others.items() if each.delivered} == {
        by: [(AWA, WORDS)]
    }
    assert one.said() == []


async def test_where_that_way_is_closed_it_comes_in_the_conversation(app: MakeApp) -> None:
    phone = make_sms()
    one = await app(FakeChannel(), phone)
    account = await one.log_in(phone=AWA)
    await one.app.inbox.store([make_update_elsewhere(OptedOut(), "sms", "fake_sms")])
    await add(one, account, "sms")
    await reminders_of(one).remind()
    await one.start(FakeModel())
    await until(one.settled)
    assert one.said() == [WORDS]
    assert phone.delivered == []


@pytest.mark.parametrize("by", [None, "whatsapp"])
async def test_outside_whatsapps_window_it_comes_by_sms(app: MakeApp, by: RemindBy | None) -> None:
    phone, closed = make_sms(), make_whatsapp()
    closed.capabilities = replace(closed.capabilities, window=86_400)
    one = await app(FakeChannel(), closed, phone)
    account = await one.log_in(phone=AWA)
    await delete_rows(one.database, "identity")  # only the number is known
    await add(one, account, by)
    await reminders_of(one).remind()
    await one.start(FakeModel())
    await until(one.settled)
    assert list_texts(phone) == [(AWA, WORDS)]
    assert closed.delivered == []


async def test_without_a_number_or_a_window_it_fails_for_all_to_see(app: MakeApp) -> None:
    phone, closed = make_sms(), make_whatsapp()
    closed.capabilities = replace(closed.capabilities, window=86_400)
    one = await app(closed, phone)
    sender = Sender("CI.134", "Awa", "en", user_id="CI.134")
    hidden = make_update_elsewhere(Said("hi"), "whatsapp", closed.name)
    await one.app.inbox.store([msgspec.structs.replace(hidden, sender=sender)])
    await one.start(FakeModel(reply("Hello"), reply("Here")))
    await until(one.settled)
    await change_rows(one.database, "lane", {"person_wrote_at": FromNow(-90_000)})
    [identity] = await read_rows(one.database, "identity")
    number, metrics = await add(one, identity["account"]), Metrics()
    with capture_logs() as logs:
        await reminders_of(one, metrics=metrics).remind()
    assert (await task_of(one, number))["reminder_state"] == "failed"
    assert b'griot_reminders_total{outcome="failed"} 1.0' in metrics.render()
    assert "reminder_unreachable" in [each["event"] for each in logs]
    tasks = make_update_elsewhere(Said("/tasks"), "whatsapp", closed.name)
    await one.app.inbox.store([msgspec.structs.replace(tasks, sender=sender)])
    await until(one.settled)
    assert "the reminder could not be delivered" in list_texts(closed)[-1][1]
    assert list_texts(closed)[-2][1] == WORDS  # it waited for the person's message


async def test_what_the_days_limit_of_sms_holds_back_comes_later(app: MakeApp) -> None:
    phone, more = make_sms(), 4
    one = await app(phone)
    account = await one.log_in(phone=AWA)
    await delete_rows(one.database, "identity")  # only the number is known
    titles = [f"Task {number:02d}" for number in range(MOST_SMS + more)]
    for title in titles:
        await add(one, account, title=title)
    await reminders_of(one).remind()
    await one.start(FakeModel())
    await until(one.settled)
    assert len(phone.delivered) == MOST_SMS
    waits = await read_seconds_until(one.database, "task", "remind_at", reminder_state="")
    assert len(waits) == more
    assert all(86_000 < wait <= 86_400 for wait in waits)
    for column, table in (("stored_at", "inbox"), ("remind_at", "task")):
        await change_rows(one.database, table, {column: Plus(-86401)})
    await reminders_of(one).remind()

    async def all_told() -> bool:
        return {text for _, text in list_texts(phone)} == {f"Reminder: {title}" for title in titles}

    await until(all_told)
    assert len(phone.delivered) == len(titles)


async def test_who_blocked_the_conversation_is_told_elsewhere(app: MakeApp) -> None:
    phone = make_sms()
    one = await app(FakeChannel(), phone)
    account = await one.log_in(phone=AWA)
    await one.app.inbox.store([update(Reachable(yes=False))])
    await add(one, account)
    await reminders_of(one).remind()
    await one.start(FakeModel())
    await until(one.settled)
    assert list_texts(phone) == [(AWA, WORDS)]


async def test_a_task_that_is_done_is_not_reminded_of(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    number = await add(one, account)
    await one.database.write(lambda tx: finish_task(tx, account, number))
    assert await reminders_of(one).remind() == 0
    assert await read_rows(one.database, "inbox") == []


async def test_of_somebody_out_of_reach_it_is_looked_at_once(app: MakeApp) -> None:
    one = await app()
    await add(one, 99)
    assert await reminders_of(one).remind() == 1
    assert await reminders_of(one).remind() == 0


async def test_one_that_fails_holds_up_no_other_and_is_left_alone_for_a_while(
    app: MakeApp,
) -> None:
    one = await app()
    account = await one.log_in()
    broken, whole = await add(one, account), await add(one, account, "telegram")
    assert broken < whole

    class Stumbling(Notifier):
        async def hand_over(self, *told: Any, key: str, **more: Any) -> int | None:
            if key.startswith(f"reminder:{broken}:"):
                raise ValueError("a bug")
            return await super().hand_over(*told, key=key, **more)

    notifier = Stumbling(one.database, one.app.inbox, one.app.context.adapters)
    reminders = Reminders(one.database, notifier, Metrics(), NEVER, one.app.emails)
    assert await reminders.remind() == 2
    assert await reminders.remind() == 0
    assert (await task_of(one, whole))["reminder_state"] == "handed"
    assert (await task_of(one, broken))["reminder_state"] == ""


async def test_a_title_is_said_to_the_letter(app: MakeApp) -> None:
    phone = make_sms()
    one = await app(FakeChannel(), phone)
    account = await one.log_in(phone=AWA)
    await add(one, account, "sms", title="Revise *x* and __init__ in [1]")
    await reminders_of(one).remind()
    await one.start(FakeModel())
    await until(one.settled)
    assert list_texts(phone) == [(AWA, "Reminder: Revise *x* and __init__ in [1]")]


async def test_nobody_else_is_told_of_what_somebody_unlinked_has_to_do(app: MakeApp) -> None:
    one = await app(FakeChannel(), make_sms())
    account = await one.log_in(phone=AWA)
    number = await add(one, account)
    await change_rows(one.database, "identity", {"account": None})
    await change_rows(one.database, "account", {"erased": 1, "phone": None})
    await reminders_of(one).remind()
    assert await read_rows(one.database, "inbox") == []
    assert (await task_of(one, number))["reminder_state"] == "failed"


async def test_two_that_look_at_once_tell_of_many_tasks_once_each(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    for number in range(120):
        await add(one, account, title=f"Task {number}")
    await asyncio.gather(*(reminders_of(one).remind() for _ in range(2)))
    keys = await read_rows(one.database, "inbox")
    assert len({row["message_key"] for row in keys}) == len(keys) == 120


# What became of it ------------------------------------------------------------------------------


async def test_it_is_marked_as_sent_with_the_providers_id_and_not_before(app: MakeApp) -> None:
    one = await app()
    number = await add(one, await one.log_in())
    metrics = Metrics()
    reminders = reminders_of(one, metrics=metrics)
    await reminders.remind()
    assert await reminders.follow() == 0
    assert (await task_of(one, number))["reminder_state"] == "handed"
    await one.start(FakeModel())
    await until(one.settled)
    task = await until_told(one, number, "sent")
    row = await read_row(one.database, "outbox")
    assert task["sent_id"] == row["provider_id"] == "fake-1"


@pytest.mark.parametrize("dead_target", [True, False])
async def test_one_that_is_refused_goes_the_next_way_once(app: MakeApp, dead_target: bool) -> None:
    phone = make_sms()
    one = await app(FakeChannel(), phone)
    number = await add(one, await one.log_in(phone=AWA))
    one.channel.failures.append(Undeliverable("no", dead_target=dead_target))
    await one.start(FakeModel())
    task = await until_told(one, number, "sent")
    assert task["channels_tried"] == "telegram sms"
    assert one.said() == []
    assert list_texts(phone) == [(AWA, WORDS)]


async def test_one_that_every_way_refuses_is_given_up_counted_and_shown(app: MakeApp) -> None:
    phone = make_sms()
    one = await app(FakeChannel(), phone)
    number = await add(one, await one.log_in(phone=AWA))
    one.channel.failures.append(Undeliverable("no"))
    phone.failures.append(Undeliverable("no"))
    await one.start(FakeModel())
    assert (await until_told(one, number, "failed"))["channels_tried"] == "telegram sms"
    assert b'griot_reminders_total{outcome="failed"} 1.0' in one.app.context.metrics.render()
    assert b'griot_reminders_total{outcome="refused"} 2.0' in one.app.context.metrics.render()
    await one.send("/tasks")
    await until(one.settled)
    assert "the reminder could not be delivered" in one.said()[-1]


async def test_one_that_may_have_arrived_is_not_said_again(app: MakeApp) -> None:
    phone = make_sms()
    one = await app(FakeChannel(), phone)
    number = await add(one, await one.log_in(phone=AWA))
    one.channel.failures.append(OutcomeUnknown("the answer was lost"))
    await one.start(FakeModel())
    task = await until_told(one, number, "unknown")
    assert task["sent_id"] is None
    await one.send("/tasks")
    await until(one.settled)
    assert "the reminder may not have arrived" in one.said()[-1]
    assert phone.delivered == []


async def test_one_that_is_tried_again_is_still_on_its_way(app: MakeApp) -> None:
    one = await app(FakeChannel(), make_sms())
    number = await add(one, await one.log_in(phone=AWA))
    one.channel.failures.append(RetryAt("429", after=600))
    await one.start(FakeModel())

    async def was_tried() -> bool:
        return bool(await read_rows(one.database, "outbox", attempts=1))

    await until(was_tried)
    assert await reminders_of(one).follow() == 0
    assert (await task_of(one, number))["reminder_state"] == "handed"


@pytest.mark.parametrize("cause", ["", "dead", "window"])
async def test_a_failure_reported_later_sends_it_the_next_way(app: MakeApp, cause: Any) -> None:
    phone, chat = make_sms(), make_whatsapp()
    chat.capabilities = replace(chat.capabilities, receipts=True, window=86_400)
    one = await app(FakeChannel(), chat, phone)
    account = await one.log_in(phone=AWA)
    await delete_rows(one.database, "identity")
    await one.app.inbox.store([make_update_elsewhere(Said("/new"), "whatsapp", chat.name)])
    number = await add(one, account, "whatsapp")
    await one.start(FakeModel())
    task = await until_told(one, number, "sent")
    receipt = Receipt(chat.name, task["sent_id"], "failed", "63016", cause)
    receipts = make_receipts(one.database, one.app.context.adapters)
    await receipts.take([receipt])

    async def came_by_sms() -> bool:
        return bool(list_texts(phone))

    await until(came_by_sms)
    task = await until_told(one, number, "sent")
    assert task["channels_tried"] == "whatsapp sms"
    await one.app.inbox.store([make_update_elsewhere(Said("/balance"), "whatsapp", chat.name)])
    await until(one.settled)
    assert [text for _, text in list_texts(chat)].count(WORDS) == 1  # it was not held for them too


async def test_one_that_was_dropped_because_they_opted_out_goes_the_next_way(
    app: MakeApp,
) -> None:
    phone = make_sms()
    one = await app(FakeChannel(), phone)
    number = await add(one, await one.log_in(phone=AWA), "sms")
    reminders = reminders_of(one)
    await reminders.remind()
    await one.app.inbox.store([make_update_elsewhere(OptedOut(), "sms", "fake_sms")])
    await one.start(FakeModel())
    assert (await until_told(one, number, "sent"))["channels_tried"] == "sms telegram"
    assert phone.delivered == []
    assert one.said() == [WORDS]


async def test_nobody_is_told_another_way_of_what_is_done_by_now(app: MakeApp) -> None:
    phone = make_sms()
    one = await app(FakeChannel(), phone)
    account = await one.log_in(phone=AWA)
    number = await add(one, account)
    await reminders_of(one).remind()
    await one.database.write(lambda tx: finish_task(tx, account, number))
    one.channel.failures.append(Undeliverable("no"))
    await one.start(FakeModel())
    await until_told(one, number, "failed")
    assert phone.delivered == []


# WhatsApp's window ------------------------------------------------------------------------------


async def test_a_template_says_it_outside_the_window_and_counts_as_sent(app: MakeApp) -> None:
    phone, closed = make_sms(), make_whatsapp()
    closed.capabilities = replace(closed.capabilities, window=86_400, template=True)
    one = await app(FakeChannel(), closed, phone)
    number = await add(one, await one.log_in(phone=AWA), "whatsapp")
    await one.start(FakeModel())
    await until_told(one, number, "sent")
    assert [delivery.body for delivery in closed.delivered] == [TemplateBody(WORDS)]
    assert phone.delivered == []


async def test_where_a_template_has_asked_already_the_next_comes_another_way(
    app: MakeApp,
) -> None:
    phone, closed = make_sms(), make_whatsapp()
    closed.capabilities = replace(closed.capabilities, window=86_400, template=True)
    one = await app(FakeChannel(), closed, phone)
    account = await one.log_in(phone=AWA)
    first = await add(one, account, "whatsapp")
    await one.start(FakeModel())
    await until_told(one, first, "sent")
    second = await add(one, account, "whatsapp", title="Call Awa")
    await until_told(one, second, "sent")
    assert list_texts(phone) == []
    assert one.said() == ["Reminder: Call Awa"]


async def test_a_template_that_is_refused_lets_it_go_the_next_way(app: MakeApp) -> None:
    phone, closed = make_sms(), make_whatsapp()
    closed.capabilities = replace(closed.capabilities, window=86_400, template=True)
    one = await app(FakeChannel(), closed, phone)
    account = await one.log_in(phone=AWA)
    await delete_rows(one.database, "identity")
    number = await add(one, account, "whatsapp")
    closed.failures.append(Undeliverable("the template is paused"))
    await one.start(FakeModel())
    assert (await until_told(one, number, "sent"))["channels_tried"] == "whatsapp sms"
    assert list_texts(phone) == [(AWA, WORDS)]
    await one.app.inbox.store([make_update_elsewhere(Said("/balance"), "whatsapp", closed.name)])
    await until(one.settled)
    assert WORDS not in [text for _, text in list_texts(closed)]


# Those that are due together --------------------------------------------------------------------


def make_paid_sms() -> FakeChannel:
    return FakeChannel("fake_sms", "sms", Capabilities(1600, "gsm7", page=459, joins=True))


def make_paid_whatsapp(**facts: Any) -> FakeChannel:
    able = Capabilities(4096, markup="markers", max_buttons=10, joins=True, **facts)
    return FakeChannel("fake_whatsapp", "whatsapp", able)


async def add_twelve(app: TestApp, by: RemindBy) -> list[int]:
    account = await app.log_in(phone=AWA)
    return [await add(app, account, by, title=f"Task {number:02d}") for number in range(12)]


TWELVE = "\n".join(["Reminders:", "", *(f"- Task {number:02d}" for number in range(12))])


async def states(app: TestApp) -> set[tuple[str, str]]:
    rows = await read_rows(app.database, "task")
    return {(row["reminder_state"], row["sent_id"]) for row in rows}


@pytest.mark.parametrize("by", ["sms", "whatsapp"])
async def test_where_messages_are_paid_those_due_together_are_one(
    app: MakeApp, by: RemindBy
) -> None:
    ways = {"sms": make_paid_sms(), "whatsapp": make_paid_whatsapp()}
    one = await app(FakeChannel(), *ways.values())
    numbers = await add_twelve(one, by)
    await one.start(FakeModel())
    for number in numbers:
        await until_told(one, number, "sent")
    [(_, text)] = list_texts(ways[by])
    assert text.replace("•", "-") == TWELVE
    [(state, provider_id)] = await states(one)
    assert (state, bool(provider_id)) == ("sent", True)


async def test_one_that_is_done_is_not_among_those_due_together(app: MakeApp) -> None:
    phone = make_paid_sms()
    one = await app(FakeChannel(), phone)
    numbers = await add_twelve(one, "sms")
    account = (await task_of(one, numbers[0]))["account"]
    await one.database.write(lambda tx: finish_task(tx, account, numbers[3]))
    assert await reminders_of(one).remind() == 11
    await one.start(FakeModel())
    await until(one.settled)
    [(_, text)] = list_texts(phone)
    assert text == TWELVE.replace("- Task 03\n", "")


async def test_those_that_fit_no_message_together_are_several(app: MakeApp) -> None:
    phone = make_paid_sms()
    one = await app(FakeChannel(), phone)
    account = await one.log_in(phone=AWA)
    titles = [f"{number:02d} {'x' * 180}" for number in range(5)]
    for title in titles:
        await add(one, account, "sms", title=title)
    await reminders_of(one).remind()
    await one.start(FakeModel())
    await until(one.settled)
    texts = [text for _, text in list_texts(phone)]
    assert [text.count("x" * 180) for text in texts] == [2, 2, 1]
    found = [title for text in texts for title in titles if title in text]
    assert found == titles


async def test_those_refused_together_go_the_next_way_together(app: MakeApp) -> None:
    phone, other = make_paid_sms(), make_paid_whatsapp()
    one = await app(FakeChannel(), phone, other)
    numbers = await add_twelve(one, "whatsapp")
    await delete_rows(one.database, "identity", channel="telegram")
    await change_rows(one.database, "task", {"channel": "whatsapp"})
    other.failures.append(Undeliverable("no such number"))
    await one.start(FakeModel())
    for number in numbers:
        await until_told(one, number, "sent")
    assert [text for _, text in list_texts(phone)] == [TWELVE]


async def test_a_template_says_no_more_reminders_than_it_shows(app: MakeApp) -> None:
    phone, closed = make_paid_sms(), make_paid_whatsapp(window=86_400, template=True)
    one = await app(phone, closed)
    numbers = await add_twelve(one, "whatsapp")
    await delete_rows(one.database, "identity")
    await one.start(FakeModel())
    for number in numbers:
        await until_told(one, number, "sent")
    [template] = [delivery.body for delivery in closed.delivered]
    assert isinstance(template, TemplateBody)
    rest = "\n".join(text for _, text in list_texts(phone))  # two, if they were refused apart
    assert len(list_texts(phone)) <= 2
    found = [f"Task {number:02d}" in template.text for number in range(12)]
    assert found == [f"Task {number:02d}" not in rest for number in range(12)]
    assert 1 < sum(found) < 12


async def test_those_due_together_offer_the_list_of_tasks(app: MakeApp) -> None:
    phone = make_paid_whatsapp()
    one = await app(FakeChannel(), phone)
    await add_twelve(one, "whatsapp")
    await reminders_of(one).remind()
    await one.start(FakeModel())
    await until(one.settled)
    body = phone.delivered[-1].body
    assert isinstance(body, TextBody)
    [[button]] = body.buttons
    tap = make_update_elsewhere(Tapped(button.token), "whatsapp", phone.name)
    await one.app.inbox.store([tap])
    await until(one.settled)
    assert "Task 11" in list_texts(phone)[-1][1]


async def test_where_messages_are_free_each_is_one_with_its_buttons(app: MakeApp) -> None:
    one = await app(FakeChannel())
    await add_twelve(one, "telegram")
    await reminders_of(one).remind()
    await one.start(FakeModel())
    await until(one.settled)
    assert one.said() == [f"Reminder: Task {number:02d}" for number in range(12)]


# Quiet hours ------------------------------------------------------------------------------------


async def test_at_the_moment_that_they_chose_it_is_never_too_late_in_the_day(
    app: MakeApp,
) -> None:
    one = await app()
    number = await add(one, await one.log_in())
    await reminders_of(one, quiet=now_quiet()).remind()
    assert (await task_of(one, number))["reminder_state"] == "handed"


async def test_what_comes_at_another_moment_waits_for_the_end_of_quiet_hours(
    app: MakeApp,
) -> None:
    one = await app()
    number = await add(one, await one.log_in(), ago=3600)
    reminders = reminders_of(one, quiet=now_quiet())
    assert await reminders.remind() == 1
    task = await task_of(one, number)
    assert (task["reminder_state"], task["channels_tried"]) == ("", "")
    now = await read_clock(one.database)
    assert now < task["remind_at"] <= now + 2 * 3600
    assert await reminders.remind() == 0
    await reminders_of(one).remind()  # not even by one who knows no quiet hours
    assert (await task_of(one, number))["reminder_state"] == ""


def now_quiet() -> QuietHours:
    """Two hours, of which the first has begun where tasks are made in tests."""
    hour = datetime.now(find_zone("Africa/Abidjan")).hour
    return QuietHours(hour, (hour + 2) % 24)


# E-mails ----------------------------------------------------------------------------------------


async def test_it_comes_as_an_email_where_that_was_wished(app: MakeApp) -> None:
    mail = make_email()
    one = await app(FakeChannel(), mail)
    number = await add(one, await has_address(one), "email", title="Revise *x*")
    await one.start(FakeModel())
    task = await until_told(one, number, "sent")
    [email] = list_emails(mail)
    assert (email.to, email.text) == (("awa@example.org",), "Reminder: Revise *x*")
    assert task["sent_id"] == f"fake-{mail.delivered[0].id}"
    assert one.said() == []


async def test_an_email_that_is_refused_is_followed_by_a_message(app: MakeApp) -> None:
    mail = make_email()
    one = await app(FakeChannel(), mail)
    number = await add(one, await has_address(one), "email")
    mail.failures.append(Undeliverable("550 no such user"))
    await one.start(FakeModel())
    task = await until_told(one, number, "sent")
    assert task["channels_tried"] == "email telegram"
    assert WORDS in one.said()


@pytest.mark.parametrize("has_mail", [False, True])
async def test_without_mail_or_address_it_comes_in_the_conversation(
    app: MakeApp, has_mail: bool
) -> None:
    one = await app(FakeChannel(), *([make_email()] if has_mail else []))
    account = await one.log_in() if has_mail else await has_address(one)
    number = await add(one, account, "email")
    await reminders_of(one).remind()
    assert (await task_of(one, number))["channels_tried"] == "telegram"


async def has_address(one: TestApp) -> int:
    account = await one.log_in()
    await change_rows(one.database, "account", {"email": "awa@example.org"})
    return account


# Buttons ----------------------------------------------------------------------------------------


def with_buttons() -> FakeChannel:
    channel = FakeChannel()
    channel.capabilities = replace(channel.capabilities, max_buttons=3)
    return channel


async def shown_buttons(app: TestApp) -> dict[str, str]:
    """The tokens of the last reminder's buttons, by their labels."""
    body = app.channel.delivered[-1].body
    assert isinstance(body, TextBody)
    return {button.label: button.token for row in body.buttons for button in row}


async def test_buttons_tick_it_off_or_put_it_off(app: MakeApp) -> None:
    one = await app(with_buttons())
    number = await add(one, await one.log_in())
    await one.start(FakeModel())
    await until_told(one, number, "sent")
    buttons = await shown_buttons(one)
    assert [*buttons] == ["Done", "In 1 hour", "Tomorrow"]
    await one.send(Tapped(buttons["In 1 hour"]))
    await until(one.settled)
    task = await task_of(one, number)
    now = await read_clock(one.database)
    assert now + 3590 < task["remind_at"] == task["wanted_at"] <= now + 3600
    assert (task["reminder_state"], task["channels_tried"], task["generation"]) == ("", "", 1)
    await one.send(Tapped(buttons["Done"]))
    await until(one.settled)
    assert one.said()[-1] == "Done: Revise fractions"
    assert (await task_of(one, number))["state"] == "done"


async def test_a_button_pressed_twice_counts_once(app: MakeApp) -> None:
    one = await app(with_buttons())
    number = await add(one, await one.log_in())
    await one.start(FakeModel())
    await until_told(one, number, "sent")
    buttons = await shown_buttons(one)
    await one.send(Tapped(buttons["Tomorrow"]), Tapped(buttons["Tomorrow"]))
    await until(one.settled)
    assert (await task_of(one, number))["generation"] == 1
    await one.send(Tapped(buttons["Done"]), Tapped(buttons["Done"]), Tapped(buttons["In 1 hour"]))
    await until(one.settled)
    assert one.said()[-1].startswith("Send /tasks to see the numbers")


async def test_what_was_put_off_is_said_again_once(app: MakeApp) -> None:
    one = await app(with_buttons())
    number = await add(one, await one.log_in())
    await one.start(FakeModel())
    await until_told(one, number, "sent")
    await one.send(Tapped((await shown_buttons(one))["In 1 hour"]))
    await until(one.settled)
    await change_rows(one.database, "task", {"wanted_at": NOW, "remind_at": NOW})
    await until_told(one, number, "sent")
    assert one.said().count(WORDS) == 2


async def test_where_options_are_lines_to_be_paid_there_are_none(app: MakeApp) -> None:
    phone = make_sms()
    one = await app(with_buttons(), phone)
    await add(one, await one.log_in(phone=AWA), "sms")
    await reminders_of(one).remind()
    assert await read_rows(one.database, "button") == []
