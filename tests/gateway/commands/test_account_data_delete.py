"""`/delete`: asked twice, then nothing is left but a farewell, and soon not even that."""

from __future__ import annotations

import msgspec
import pytest

from bot.accounts import ledger
from bot.contracts.channels import Capabilities
from bot.errors import RetryAt
from bot.gateway.commands.account_data import DeleteCommand
from bot.gateway.people.erasure import Erasure
from bot.gateway.scheduler.cleanup import Cleanup
from bot.messages.incoming import Person, Tapped, Update
from bot.messages.outgoing import Acknowledge, Say, TextBody
from tests.adapters.conformance.stage import SlowModel
from tests.support.app import MakeApp, TestApp, update
from tests.support.fakes import FakeChannel, FakeModel, reply
from tests.support.pupils import PHONE, SMS
from tests.support.queries import (
    Above,
    FromNow,
    Not,
    Plus,
    change_rows,
    count_rows,
    read_row,
    read_rows,
    read_values,
)
from tests.support.waiting import until

GONE = "It is done"
LEFT = ("lane", "inbox", "turn", "journal", "outbox", "button", "identity", "session")


async def rows_of(app: TestApp, *tables: str) -> dict[str, int]:
    """How many rows each of these has, if any."""
    counted = {name: await count_rows(app.database, name) for name in tables}
    return {name: number for name, number in counted.items() if number}


async def sweep(app: TestApp) -> int:
    await until(app.settled)
    return await Cleanup(app.database, app.app.files).sweep()


async def swept(app: TestApp) -> None:
    """Until nothing is left of the conversation, by whoever sweeps."""

    async def is_empty() -> bool:
        await Cleanup(app.database, app.app.files).sweep()
        return await rows_of(app, *LEFT) == {}

    await until(is_empty)


async def test_what_will_be_lost_is_said_first(app: MakeApp) -> None:
    one = await app(welcome_credits=50)
    await one.log_in()
    await one.start(FakeModel())
    await one.send("/delete")
    await until(one.settled)
    [warning] = one.said()
    assert "50 credits" in warning
    assert "/export" in warning
    assert "/delete confirm" in warning
    account = await read_row(one.database, "account")
    assert account["phone"] == "+2250701020304"


@pytest.mark.parametrize("able", [PHONE, SMS])
async def test_a_digit_never_confirms(app: MakeApp, able: Capabilities) -> None:
    """Where options are numbers, the next exercise is answered by one too."""
    one = await app(FakeChannel(capabilities=able))
    await one.log_in()
    await one.start(FakeModel(reply("One what?")))
    for text in ("/delete", "1"):
        await one.send(text)
        await until(one.settled)
    assert "1)" not in one.said()[0]
    assert one.said()[1] == "One what?"


async def test_to_confirm_what_was_not_asked_erases_nothing(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    await one.start(FakeModel(reply("hello")))
    await one.send("my words")
    await until(one.settled)
    await one.send("/delete confirm")
    await until(one.settled)
    assert "/delete confirm" in one.said()[1]
    assert (await rows_of(one, "journal", "identity")) == {"journal": 2, "identity": 1}


async def test_what_was_asked_elsewhere_or_by_another_is_not_confirmed(app: MakeApp) -> None:
    one = await app()
    await one.log_in("1")
    await one.start(FakeModel())
    await one.send("/delete", chat="2")
    await until(one.settled)
    await one.send("/delete confirm", chat="1")
    await until(one.settled)
    assert GONE not in "".join(one.said("1"))


async def test_a_day_after_it_is_asked_again(app: MakeApp) -> None:
    one = await app()
    await one.start(FakeModel())
    await one.send("/delete")
    await until(one.settled)
    await change_rows(one.database, "button", {"expires_at": Plus(-86401)})
    await one.send("/delete confirm")
    await until(one.settled)
    assert GONE not in "".join(one.said())


async def test_once_confirmed_nothing_is_left_but_the_ledger(app: MakeApp) -> None:
    one = await app(welcome_credits=50)
    await one.log_in()
    await one.start(FakeModel(reply("hello")))
    for text in ("my words", "/delete", "/delete confirm"):
        await one.send(text)
        await until(one.settled)
    assert one.said()[-1].startswith(GONE)
    await swept(one)
    names = await read_values(one.database, "account", "name")
    assert names == [""]
    keys = await read_values(one.database, "ledger", "key")
    assert not [key for key in keys if "telegram:1" in key]
    assert await ledger.check(one.database) == []


async def test_the_button_does_it_too_and_is_acknowledged(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    await one.start(FakeModel())
    await one.send("/delete")
    await until(one.settled)
    [body] = [each.body for each in one.channel.delivered]
    assert isinstance(body, TextBody)
    [[button]] = body.buttons
    await one.send(Tapped(button.token, callback_id="c1"))

    async def told() -> bool:
        return one.said()[-1].startswith(GONE)

    await until(told)
    await swept(one)
    signs = [d.body for d in one.channel.delivered if isinstance(d.body, Acknowledge)]
    assert [sign.callback_id for sign in signs] == ["c1"]
    await one.send(Tapped(button.token))
    await until(one.settled)
    assert one.said()[-1] == "This button no longer works. Write me what you want."


async def test_a_turn_that_runs_here_is_cancelled_and_says_nothing(app: MakeApp) -> None:
    one = await app(welcome_credits=50)
    await one.log_in()
    model = SlowModel(reply("never said"))
    await one.start(model)
    await one.send("my words")
    await model.begun.wait()
    await one.send("/delete")

    async def asked() -> bool:
        return len(one.said()) == 1

    await until(asked)
    await one.send("/delete confirm")
    await until(one.settled)
    assert len(one.said()) == 2
    assert one.said()[1].startswith(GONE)
    await swept(one)
    keys = await read_values(one.database, "ledger", "key")
    assert not [key for key in keys if "telegram:1" in key]
    assert await ledger.check(one.database) == []


async def test_a_farewell_that_cannot_go_yet_is_waited_for(app: MakeApp) -> None:
    channel = FakeChannel()
    one = await app(channel)
    await one.start(FakeModel())
    await one.send("/delete")
    await until(one.settled)
    channel.failures = [RetryAt("later", 3600)]
    await one.send("/delete confirm")

    async def put_off() -> bool:
        return bool(
            await read_rows(one.database, "outbox", state="pending", due_at=Above(FromNow(60)))
        ) and not await read_rows(one.database, "lane", owner=Not(None))

    await until(put_off)
    assert await Cleanup(one.database, one.app.files).sweep() == 0
    assert (await rows_of(one, "outbox")) == {"outbox": 1}
    await change_rows(one.database, "inbox", {"stored_at": Plus(-90000)})
    assert await Cleanup(one.database, one.app.files).sweep() == 1
    assert await rows_of(one, *LEFT) == {}


async def test_who_writes_again_at_once_begins_anew_and_keeps_it(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    model = FakeModel(reply("before"), reply("after"), reply("third"))
    await one.start(model)
    for text in ("my old words", "/delete", "/delete confirm", "my new words"):
        await one.send(text)
        await until(one.settled)
    assert one.said()[-1] == "after"
    assert "my old words" not in str(model.requests[1].messages)
    await Cleanup(one.database, one.app.files).sweep()
    await one.send("and then")
    await until(one.settled)
    assert "my new words" in str(model.requests[2].messages)
    rows = await read_rows(one.database, "inbox")
    assert ["new" in rows[0]["body"], "then" in rows[1]["body"], len(rows)] == [True, True, 2]
    lane = await read_row(one.database, "lane")
    assert lane["erased"] == 0


def farewell(app: TestApp) -> DeleteCommand:
    erasure = Erasure(app.database, app.app.files, app.app.settings)
    return DeleteCommand(app.database, erasure)


async def ask(app: TestApp, one: Update, person: Person, argument: str) -> str:
    response = await farewell(app)(person, one, argument)
    [said] = response.outgoing
    assert isinstance(said, Say)
    return said.markdown


async def test_run_again_after_a_crash_it_says_farewell_again(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    person = Person("telegram", "1", account=account, language="en")
    await ask(one, update("/delete"), person, "")
    confirmed = update("/delete confirm", key="c")
    await one.app.inbox.store([confirmed])
    first = await ask(one, confirmed, person, "confirm")
    again = await ask(one, confirmed, Person("telegram", "1", language="en"), "confirm")
    assert first == again
    assert first.startswith(GONE)
    other = await ask(one, update("/delete confirm", key="d"), person, "confirm")
    assert not other.startswith(GONE)


async def test_in_a_group_nothing_is_asked_or_erased(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    await one.start(FakeModel())
    group = msgspec.structs.replace(update("/delete", chat="-100"), group=True)
    await one.app.inbox.store([group])
    await until(one.settled)
    [said] = one.said("-100")
    assert "in private" in said
    assert await rows_of(one, "button") == {}
