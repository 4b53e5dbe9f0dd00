"""Messages go once they are older than the operator wants; what does not belong to them stays."""

from __future__ import annotations

import pytest

from bot.accounts import ledger
from bot.errors import NotFound
from bot.files.store import GUESTS
from bot.gateway.scheduler.message_retention import MessageRetention
from bot.messages.incoming import Update
from bot.messages.transcript import UserMessage
from bot.messages.value import decode
from tests.support.app import MakeApp, TestApp
from tests.support.fakes import FakeModel, reply
from tests.support.queries import (
    NOW,
    FromNow,
    Plus,
    add_row,
    add_rows,
    change_rows,
    read_rows,
    read_values,
)
from tests.support.waiting import until

DAYS = 62
_OLD = -(DAYS + 1) * 86_400.0


async def _delete_old(one: TestApp) -> int:
    return await MessageRetention(one.database, one.app.files, DAYS).delete_old()


async def _age(one: TestApp, seconds: float = _OLD) -> None:
    """Make all that is stored older."""
    for table, columns in (
        ("inbox", ("stored_at", "ready_at")),
        ("outbox", ("created_at",)),
        ("file", ("created_at",)),
    ):
        await change_rows(one.database, table, dict.fromkeys(columns, Plus(seconds)))


async def _read_said(one: TestApp) -> list[str]:
    bodies = await read_values(one.database, "inbox", "body", order_by="seq")
    return [decode(body, Update).content.text for body in bodies]  # type: ignore[union-attr]


async def test_old_messages_and_answers_go_and_the_conversation_goes_on(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    model = FakeModel(reply("one"), reply("two"), reply("three"))
    await one.start(model)
    await one.send("first")
    await until(one.settled)
    await _age(one)
    await one.send("second")
    await until(one.settled)

    assert await _delete_old(one) == 1

    assert await _read_said(one) == ["second"]
    for table in ("turn", "journal", "outbox", "spending"):
        rows = await read_rows(one.database, table)
        assert len({row["id" if table == "turn" else "turn"] for row in rows}) == 1
    assert await ledger.check(one.database) == []
    assert await read_values(one.database, "account", "id") == [account]
    await one.send("third")
    await until(one.settled)
    asked = [each for each in model.requests[-1].messages if isinstance(each, UserMessage)]
    assert [message.text for message in asked] == ["second", "third"]
    assert await _delete_old(one) == 0


async def test_what_has_not_ended_stays_with_all_behind_it(app: MakeApp) -> None:
    one = await app()
    await one.send("waits")
    await _age(one)

    assert await _delete_old(one) == 0

    await one.start(FakeModel(reply("answered")))
    await until(one.settled)
    assert one.said() == ["answered"]


@pytest.mark.parametrize("state", ["waiting_for_window", "waiting_for_sender", "attempting"])
async def test_an_answer_that_still_waits_stays(app: MakeApp, state: str) -> None:
    one = await app()
    await one.start(FakeModel(reply("one")))
    await one.send("first")
    await until(one.settled)
    await _age(one)
    await change_rows(one.database, "outbox", {"state": state})

    assert await _delete_old(one) == 0

    assert await _read_said(one) == ["first"]


@pytest.mark.parametrize(("table", "column"), [("inbox", "ready_at"), ("outbox", "created_at")])
async def test_what_was_stored_long_ago_counts_from_when_it_was_due(
    app: MakeApp, table: str, column: str
) -> None:
    one = await app()
    await one.start(FakeModel(reply("one")))
    await one.send("first")
    await until(one.settled)
    await _age(one)
    await change_rows(one.database, table, {column: NOW})

    assert await _delete_old(one) == 0


async def test_the_summary_of_a_conversation_stays(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    await one.start(FakeModel(reply("one"), reply("two")))
    await one.send("first")
    await until(one.settled)
    await _age(one)
    await one.send("second")
    await until(one.settled)
    last = (await read_rows(one.database, "journal"))[-1]
    summary = {"step": 1_000_000, "kind": "summary", "body": "she asked about fractions"}
    await add_row(one.database, "journal", **(last | summary))
    await change_rows(one.database, "lane", {"summarised": last["turn"]}, id="telegram:1")

    assert await _delete_old(one) == 1

    assert "summary" in await read_values(one.database, "journal", "kind")
    assert await read_values(one.database, "lane", "summarised", id="telegram:1") == [last["turn"]]


async def test_pictures_of_guests_go_with_their_messages(app: MakeApp) -> None:
    one = await app()
    await one.start(FakeModel(reply("one")))
    await one.send("first")
    await until(one.settled)
    kinds = {"mime_type": "image/png", "source": "telegram"}
    old = await one.app.files.save(GUESTS, "a.png", b"a", key="telegram:1/1/in/0", **kinds)
    await _age(one)
    new = await one.app.files.save(GUESTS, "b.png", b"b", key="telegram:1/2/in/0", **kinds)

    assert await _delete_old(one) == 1

    with pytest.raises(NotFound):
        await one.app.files.read(old.file_id)
    assert await one.app.files.read(new.file_id) == b"b"


async def test_who_opted_out_stays_so_and_jobs_and_emails_go_whole(app: MakeApp) -> None:
    one = await app()
    await one.start(FakeModel(reply("one"), reply("two")))
    await one.send("first", chat="1")
    await one.send("second", chat="job:7")
    await until(one.settled)
    sent = {"delivery_key": "k", "message_key": "k", "body": "{}", "state": "done"}
    await add_row(one.database, "lane", id="email:1/a")
    await add_row(one.database, "inbox", lane="email:1/a", **sent, ready_at=NOW, stored_at=NOW)
    await _age(one)
    await change_rows(one.database, "lane", {"opted_out": 1}, id="telegram:1")

    assert await _delete_old(one) == 3

    lanes = await read_rows(one.database, "lane")
    assert [(row["id"], row["opted_out"]) for row in lanes] == [("telegram:1", 1)]


async def test_many_that_wait_hide_nothing_behind_them(app: MakeApp) -> None:
    one = await app()
    stored = {"delivery_key": "k", "body": "{}", "ready_at": FromNow(_OLD), "stored_at": NOW}
    await add_row(one.database, "lane", id="telegram:1")
    await add_row(one.database, "lane", id="telegram:2")
    waiting = [
        stored | {"lane": "telegram:1", "message_key": f"{n}", "delivery_key": f"{n}"}
        for n in range(1_100)
    ]
    await add_rows(one.database, "inbox", waiting)
    await add_row(one.database, "inbox", **stored, lane="telegram:2", message_key="1", state="done")
    await _age(one)

    assert await _delete_old(one) == 1

    assert set(await read_values(one.database, "inbox", "lane")) == {"telegram:1"}


async def test_nothing_is_due_where_messages_are_kept(app: MakeApp) -> None:
    one = await app()
    assert MessageRetention(one.database, one.app.files, 0).works == ()
    assert len(MessageRetention(one.database, one.app.files, DAYS).works) == 1
