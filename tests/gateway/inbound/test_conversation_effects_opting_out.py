"""After STOP on one channel of a number nothing is sent to that number unasked, until START."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from bot.contracts.services import NewTask
from bot.gateway.scheduler import reminders, scheduler
from bot.learning.tasks import Tasks
from bot.messages.incoming import OptedOut, Person, Said
from tests.support.app import TestApp
from tests.support.fakes import tool_context
from tests.support.phones import AWA, MakePhones, Phones, phones_of
from tests.support.queries import NOW, Plus, change_rows, read_row, read_rows
from tests.support.waiting import until

CHANNELS = pytest.mark.parametrize("channel", ["whatsapp", "sms"])


@pytest.fixture(autouse=True)
def _look_closely(monkeypatch: pytest.MonkeyPatch) -> None:
    # Seconds in the app; reminders made due by a change of their rows are seen at the next look.
    monkeypatch.setattr(scheduler, "LOOK_EVERY", 0.2)
    monkeypatch.setattr(reminders, "FOLLOW_EVERY", 0.05)


@pytest.fixture
async def phones(app: Callable[..., Awaitable[TestApp]]) -> MakePhones:
    return phones_of(app)


async def remind(one: Phones, title: str) -> str:
    """Have a task of Awa's fall due; what became of its reminder."""
    account = await one.account_of("whatsapp", AWA) or await one.account_of("sms", AWA)
    context = tool_context(account=account or 0, lane=f"whatsapp:{AWA}", key=title)
    database = one.app.database
    number = await Tasks(database).add(NewTask(title), context)
    await change_rows(
        database, "task", {"due_at": NOW, "wanted_at": NOW, "remind_at": NOW}, id=number
    )

    async def ended() -> bool:
        row = await read_row(one.database, "task", id=number)
        return row["reminder_state"] in {"sent", "failed"}

    await until(ended)
    row = await read_row(one.database, "task", id=number)
    return row["reminder_state"]


def sent(one: Phones) -> int:
    return len(one.whatsapp.delivered) + len(one.sms.delivered)


@CHANNELS
@pytest.mark.parametrize("silent", [False, True])
async def test_neither_reminder_nor_template_goes_to_the_number(
    phones: MakePhones, channel: str, silent: bool
) -> None:
    one = await phones("Hi", "Hi")
    one.whatsapp.capabilities = replace(one.whatsapp.capabilities, template=True)
    for each in ("whatsapp", "sms"):
        await one.say("hi", each, AWA)
    await one.say(OptedOut(), channel, AWA)
    if silent:
        await change_rows(one.app.database, "lane", {"person_wrote_at": Plus(-90000)})
    before = sent(one)
    assert await remind(one, "Revise") == "failed"
    assert sent(one) == before
    await one.say(Said("START", consents=channel == "sms"), channel, AWA)
    before = sent(one)
    assert await remind(one, "Revise more") == "sent"
    assert sent(one) == before + 1


async def test_who_never_wrote_on_the_other_channel_is_left_alone_there(phones: MakePhones) -> None:
    one = await phones("Hi")
    one.whatsapp.capabilities = replace(one.whatsapp.capabilities, template=True)
    await one.say("hi", "sms", AWA)
    await one.say(OptedOut(), "sms", AWA)
    before = sent(one)
    assert await remind(one, "Revise") == "failed"
    await one.say(f"/login {AWA}")
    assert (sent(one), one.code()) == (before, "")


async def test_what_waited_to_be_told_on_the_other_channel_is_given_up(phones: MakePhones) -> None:
    one = await phones("Hi", "Hi")
    one.whatsapp.capabilities = replace(one.whatsapp.capabilities, template=False)
    for each in ("whatsapp", "sms"):
        await one.say("hi", each, AWA)
    await change_rows(one.app.database, "lane", {"person_wrote_at": Plus(-90000)})
    await one.say(f"/login {AWA}")
    await one.say(OptedOut(), "sms", AWA)
    left = await read_rows(one.database, "outbox", state=("pending", "attempting"))
    assert left == []


@pytest.mark.parametrize(
    "word", ["STOP", "stop ", "Stop.", "ARRET", "arrêt !", "Désabonner", "unsubscribe"]
)
async def test_the_bare_word_on_whatsapp_stops_what_nobody_asked_for(
    phones: MakePhones, word: str
) -> None:
    one = await phones("Hi", "Still here", "Hi")
    for each in ("whatsapp", "sms"):
        await one.say("hi", each, AWA)
    await one.say(word, "whatsapp", AWA)
    assert "write START" in one.told("whatsapp", AWA)[-1]
    before = sent(one)
    assert await remind(one, "Revise") == "failed"
    assert sent(one) == before
    await one.say("are you there?", "whatsapp", AWA)
    assert one.told("whatsapp", AWA)[-1] == "Hi"
    await one.say("start", "whatsapp", AWA)
    assert await remind(one, "Revise more") == "sent"


@CHANNELS
async def test_who_comes_back_is_told_that_reminders_do_too(
    phones: MakePhones, channel: str
) -> None:
    one = await phones("Hi")
    await one.say("hi", channel, AWA)
    await one.say(Said("start", consents=channel == "sms"), channel, AWA)
    assert "come again" not in one.told(channel, AWA)[-1]
    await one.say(OptedOut() if channel == "sms" else "stop", channel, AWA)
    await one.say(Said("start", consents=channel == "sms"), channel, AWA)
    assert one.told(channel, AWA)[-1].startswith("Hello again! Reminders and other messages come")
    await one.say(Said("start", consents=channel == "sms"), channel, AWA)
    assert "come again" not in one.told(channel, AWA)[-1]


@CHANNELS
async def test_who_comes_back_is_not_asked_for_their_language(
    phones: MakePhones, channel: str
) -> None:
    one = await phones("Four.")
    await one.say("2+2", channel, AWA)
    await one.say(OptedOut() if channel == "sms" else "stop", channel, AWA)
    await one.say(Said("START", consents=channel == "sms"), channel, AWA)
    back = "Hello again! Reminders and other messages come again from now on."
    assert one.told(channel, AWA)[-1] == back


async def test_the_bare_word_on_whatsapp_ends_a_series_first(phones: MakePhones) -> None:
    one = await phones("Hi")
    await one.say("hi", "whatsapp", AWA)
    await one.say("/practice maths.add-to-100", "whatsapp", AWA)
    await one.say("stop", "whatsapp", AWA)
    assert one.told("whatsapp", AWA)[-1].startswith("Stopped. To get no more messages")
    assert (await read_row(one.database, "exercise"))["state"] == "dropped"
    assert await one.app.app.notifier.accepts_notices(Person("whatsapp", AWA))
    await one.say("stop", "whatsapp", AWA)
    assert not await one.app.app.notifier.accepts_notices(Person("whatsapp", AWA))


@CHANNELS
async def test_a_word_of_unsubscribing_counts_in_a_series_too(
    phones: MakePhones, channel: str
) -> None:
    one = await phones("Hi")
    await one.say("hi", channel, AWA)
    await one.say("/practice maths.add-to-100", channel, AWA)
    await one.say("Désabonner", channel, AWA)
    assert not await one.app.app.notifier.accepts_notices(Person("whatsapp", AWA))


async def test_a_reminder_that_was_turned_off_is_not_promised(phones: MakePhones) -> None:
    one = await phones("Hi")
    await one.say("hi", "whatsapp", AWA)
    person = Person("whatsapp", AWA)
    assert await one.app.app.notifier.accepts_notices(person)
    await one.say("stop", "whatsapp", AWA)
    assert not await one.app.app.notifier.accepts_notices(person)
    await one.say("/review 18h mon wed fri", "whatsapp", AWA)
    assert one.told("whatsapp", AWA)[-1].endswith("write START to get them again.")
    await one.say("start", "whatsapp", AWA)
    await one.say("/review 18h mon wed fri", "whatsapp", AWA)
    assert "START" not in one.told("whatsapp", AWA)[-1]


async def test_a_command_to_stop_turns_nothing_off(phones: MakePhones) -> None:
    one = await phones("Hi")
    await one.say("hi", "whatsapp", AWA)
    await one.say("/stop", "whatsapp", AWA)
    assert one.told("whatsapp", AWA)[-1] == "Nothing was running."
    assert await remind(one, "Revise") == "sent"


async def test_the_french_word_by_sms_opts_out_though_no_carrier_acts_on_it(
    phones: MakePhones,
) -> None:
    one = await phones("Hi")
    await one.say("hi", "sms", AWA)
    await one.say("Arrêt", "sms", AWA)
    assert one.told("sms", AWA)[-1].endswith("To get them again, write START.")
    assert await remind(one, "Revise") == "failed"
    await one.say(Said("START", consents=True), "sms", AWA)
    assert await remind(one, "Revise more") == "sent"


async def test_the_command_by_sms_says_how_to_opt_out(phones: MakePhones) -> None:
    one = await phones("Hi")
    await one.say("hi", "sms", AWA)
    await one.say("/arret", "sms", AWA)
    words = "Nothing was running. To get no more SMS, reply STOP."
    assert one.told("sms", AWA)[-1] == words
    assert await remind(one, "Revise") == "sent"
