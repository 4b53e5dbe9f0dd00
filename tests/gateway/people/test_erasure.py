"""Whoever is erased is gone: from every table, from the blob store, whatever runs meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from bot.accounts import ledger
from bot.accounts.ledger import Bonuses
from bot.contracts.services import NewTask
from bot.errors import LeaseLost, NotFound, ToolFailed
from bot.files.extracted_text import Extraction, TextStore
from bot.files.store import GUESTS
from bot.files.text_worker import Piece
from bot.gateway.delivery.fault_reports import FaultReports
from bot.gateway.delivery.notify import Notifier
from bot.gateway.lanes import Claim, Lanes, lock_lane
from bot.gateway.people.erasure import Erasure
from bot.gateway.turns.journal import TurnJournal, TurnRecord
from bot.learning.remembered_facts import Memory
from bot.learning.results import Results
from bot.learning.tasks import Tasks
from bot.messages.incoming import Person, Sender, Update
from bot.messages.outgoing import Say
from tests.adapters.conformance.stage import SlowModel
from tests.support.app import MakeApp, TestApp, update
from tests.support.channels import make_whatsapp
from tests.support.emails import make_email
from tests.support.fakes import FakeChannel, FakeModel, reply, tool_context
from tests.support.queries import (
    NOW,
    TABLES,
    Like,
    add_row,
    change_rows,
    contains_text,
    read_every_table,
    read_row,
    read_rows,
    read_values,
)
from tests.support.sample_people import AWA, MOUSSA, SamplePerson, add_sample_person
from tests.support.turns import store_updates_and_claim
from tests.support.waiting import until


def erasure_of(app: TestApp) -> Erasure:
    return Erasure(app.database, app.app.files, app.app.settings)


# Every table, whichever there will be -------------------------------------------------------------


async def test_nothing_is_left_of_one_and_all_of_the_other(app: MakeApp) -> None:
    one = await app()
    awa, moussa = SamplePerson("zena", 3, AWA), SamplePerson("moussa", 4, MOUSSA)
    await add_sample_person(one, awa)
    await add_sample_person(one, moussa)
    before = [
        entry
        for entry in await read_every_table(one.database)
        if contains_text(entry[1], moussa.mark)
    ]

    await erasure_of(one).erase_account(awa.account)

    after = await read_every_table(one.database)
    left = [(name, row) for name, row in after for trace in awa.traces if contains_text(row, trace)]
    assert left == []
    named = {name for name, row in after if row.get("account") == awa.account}
    assert named <= {"ledger", "purchase"}
    kept = [(name, row) for name, row in after if contains_text(row, moussa.mark)]
    assert kept == before
    unmarked = {"ledger", "allowance", "code", "quota", "restriction", "tally", "worker"}
    assert {name for name, _ in kept} >= {table.name for table in TABLES} - unmarked


async def test_the_account_stays_nameless_and_its_ledger_sums_to_its_balance(
    app: MakeApp,
) -> None:
    one = await app()
    await add_sample_person(one, SamplePerson("zena", 3, AWA))

    await erasure_of(one).erase_account(3)

    row = await read_row(one.database, "account")
    emptied = {"phone": None, "name": "", "email": "", "grade": "", "country": ""}
    assert {name: row[name] for name in emptied} == emptied
    assert (row["language"], row["balance"]) == ("en", 7)
    assert await ledger.check(one.database) == []


# Accounts -----------------------------------------------------------------------------------------


async def test_who_comes_back_is_new_and_gets_no_second_welcome(app: MakeApp) -> None:
    one = await app(welcome_credits=50)
    before = await one.log_in(phone=AWA)

    await erasure_of(one).erase_account(before)

    again = await one.log_in(phone=AWA)
    assert again != before
    rows = await read_rows(one.database, "account")
    assert [(row["id"], row["balance"]) for row in rows] == [(before, 50), (again, 0)]
    assert await ledger.check(one.database) == []


async def test_numbers_that_were_made_part_of_an_account_go_with_it(app: MakeApp) -> None:
    one = await app()
    whole, part = await one.log_in("1", AWA), await one.log_in("2", MOUSSA)
    await change_rows(one.database, "account", {"part_of": whole}, id=part)

    await erasure_of(one).erase_account(part)

    rows = await read_rows(one.database, "account")
    assert [row["phone"] for row in rows] == [None, None]
    assert await read_rows(one.database, "identity") == []


async def test_what_runs_for_an_erased_person_can_keep_nothing(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    await erasure_of(one).erase_account(account)
    context = tool_context(account=account, lane="telegram:1", key="telegram:1/1/c")
    notifier = Notifier(one.database, one.app.inbox, one.app.context.adapters)
    files = one.app.files

    for attempt in (
        Memory(one.database).save(account, "I like fractions"),
        Tasks(one.database).add(NewTask("Revise", "normal", None, (), None), context),
        Results(one.database).report("maths", correct=True, topic="", context=context),
        Bonuses(one.database).award(2, context),
        notifier.send("telegram", [Say("hello")], context),
        files.save(account, "a.md", b"a", mime_type="text/markdown", source="generated", key="k"),
    ):
        with pytest.raises(ToolFailed):
            await attempt

    tables = ("memory", "task", "result", "file", "inbox", "lane")
    assert [await read_rows(one.database, name) for name in tables] == [[]] * 6


async def test_bytes_go_too_and_only_theirs(app: MakeApp) -> None:
    one = await app()
    awa, moussa = await one.log_in("1", AWA), await one.log_in("2", MOUSSA)
    files = one.app.files
    kinds = {"mime_type": "text/markdown", "source": "generated"}
    hers = await files.save(awa, "a.md", b"hers", key="a", **kinds)
    his = await files.save(moussa, "b.md", b"his", key="b", **kinds)
    found = await files.find(hers.file_id)

    await erasure_of(one).erase_account(awa)

    with pytest.raises(NotFound):
        await files.find(hers.file_id)
    folder = one.app.settings.blob_url.removeprefix("file:")
    assert not await _exists(f"{folder}/{found.account}/{found.id}")
    assert await files.read(his.file_id) == b"his"


async def _exists(path: str) -> bool:
    from pathlib import Path

    return await asyncio.to_thread(Path(path).exists)


# Guests -------------------------------------------------------------------------------------------


async def test_a_guest_is_erased_too_and_gains_no_message_by_it(app: MakeApp) -> None:
    one = await app(guest_daily_messages=2)
    await one.start(FakeModel(reply("one"), reply("two")))
    await one.send("first")
    await until(one.settled)
    picture = await one.app.files.save(
        GUESTS, "p.png", b"p", mime_type="image/png", source="telegram", key="telegram:1/1/in/0"
    )
    asked = update("/delete confirm")

    await erasure_of(one).erase(Person("telegram", "1"), asked)

    for name in ("lane", "inbox", "turn", "journal", "outbox", "identity", "file"):
        assert await read_rows(one.database, name) == []
    row = await read_row(one.database, "allowance")
    assert row["address"].startswith("erased:")
    with pytest.raises(NotFound):
        await one.app.files.read(picture.file_id)
    await one.send("second")
    await one.send("third")
    await until(one.settled)
    assert one.said()[1] == "two"
    assert "used up" in one.said()[2]
    row = await read_row(one.database, "allowance")
    assert (row["address"], row["used"]) == ("1", 2)


# What runs meanwhile ------------------------------------------------------------------------------


async def test_a_turn_of_another_process_writes_nothing_more(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    claim, pending = await store_updates_and_claim(one.database, update("my words"))
    journal = TurnJournal(one.database, claim, pending, TurnRecord())

    await erasure_of(one).erase_account(account)

    with pytest.raises(LeaseLost):
        await journal.replied(reply("an answer"))
    assert not await _holds(one, claim)
    for name in ("lane", "inbox", "turn", "journal", "outbox"):
        assert await read_rows(one.database, name) == []


async def _holds(app: TestApp, claim: Claim) -> bool:
    try:
        await app.database.write(lambda tx: lock_lane(tx, claim))
    except LeaseLost:
        return False
    return True


async def test_a_claim_on_what_was_erased_is_none_on_what_begins_anew(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    await one.send("before")
    lanes = Lanes(one.database, 15, ["fake"])
    [old] = await lanes.claim(1)
    await erasure_of(one).erase_account(account)

    await one.send("after")
    [new] = await lanes.claim(1)

    assert (new.lane, new.owner) == (old.lane, old.owner)
    assert not await _holds(one, old)
    assert await _holds(one, new)


async def test_a_running_turn_ends_at_once_and_nothing_of_it_is_said(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    model = SlowModel(reply("never said"))
    await one.start(model)
    await one.send("my words")
    await model.begun.wait()

    await erasure_of(one).erase_account(account)

    async def idle() -> bool:
        return "griot_lanes_running 0.0" in one.app.context.metrics.render().decode()

    await until(idle)
    assert one.said() == []
    assert await read_rows(one.database, "journal") == []
    assert await ledger.check(one.database) == []


async def test_messages_of_theirs_that_could_not_be_read_go_too(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in("4711001", phone="+2250701020399")
    for number, (channel, payload) in enumerate(
        [
            ("telegram", '{"message": {"from": {"id": 4711001}, "text": "hers"}}'),
            ("sms", '{"From": "+2250701020399", "Body": "hers"}'),
            ("telegram", '{"message": {"from": {"id": 4711002}, "text": "another\'s"}}'),
            ("whatsapp", '{"id": 4711001, "text": "another\'s"}'),
        ]
    ):
        values = {"channel": channel, "via": "x", "reason": "shape", "at": 0}
        await add_row(one.database, "unreadable", digest=str(number), payload=payload, **values)
    await erasure_of(one).erase_account(account)
    left = await read_rows(one.database, "unreadable")
    assert ["another's" in row["payload"] for row in left] == [True, True]


# Where others speak too ---------------------------------------------------------------------------


def in_group(text: str, speaker: str, key: str) -> Update:
    one = update(text, chat="-100", key=key)
    return msgspec.structs.replace(one, sender=Sender(speaker, f"name {speaker}"), group=True)


async def test_of_a_group_only_their_own_words_go(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in("1")
    await one.start(FakeModel(reply("zena, hello"), reply("moussa, hello"), reply("zena again")))
    for text, speaker in (("zena speaks", "1"), ("moussa speaks", "2"), ("zena asks", "1")):
        await one.app.inbox.store([in_group(text, speaker, text)])
        await until(one.settled)

    await erasure_of(one).erase_account(account)

    rows = await read_every_table(one.database)
    assert [name for name, row in rows if contains_text(row, "zena")] == []
    assert {name for name, row in rows if contains_text(row, "moussa speaks")} == {
        "inbox",
        "journal",
    }
    assert {name for name, row in rows if contains_text(row, "moussa, hello")} == {
        "journal",
        "outbox",
    }


async def test_a_turn_of_theirs_that_runs_in_a_group_loses_its_claim(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in("1")
    claim, pending = await store_updates_and_claim(one.database, in_group("words of one", "1", "k"))
    await add_row(
        one.database, "turn", lane=claim.lane, id=pending.seq, account=account, started_at=NOW
    )

    await erasure_of(one).erase_account(account)

    assert not await _holds(one, claim)
    lane = await read_row(one.database, "lane")
    assert (lane["id"], lane["owner"]) == ("telegram:-100", None)
    assert await read_rows(one.database, "turn") == []


async def test_a_summary_that_tells_of_them_is_made_again(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in("1")
    await one.start(FakeModel(reply("a"), reply("b")))
    for text, speaker in (("words of one", "1"), ("words of two", "2")):
        await one.app.inbox.store([in_group(text, speaker, text)])
        await until(one.settled)
    last = (await read_rows(one.database, "journal"))[-1]
    summary = {"step": 1000000, "kind": "summary", "body": "one said"}
    await add_row(one.database, "journal", **(last | summary))
    await change_rows(one.database, "lane", {"summarised": 2})

    await erasure_of(one).erase_account(account)

    assert set(await read_values(one.database, "journal", "kind")) == {"reply", "user"}
    assert await read_values(one.database, "lane", "summarised") == [-1]


# Conversations that do not bear their address ----------------------------------------------------


async def test_sessions_topics_and_shared_histories_go(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in("1")
    lanes = ("http:s1", "telegram:1/7", "sms:+331", f"account:{account}", f"sms:{AWA}", "sms:+332")
    for lane in lanes:
        await add_row(one.database, "lane", id=lane)
    await change_rows(one.database, "lane", {"thread": f"account:{account}"}, id="sms:+331")
    await add_row(
        one.database, "session", id="s1", account=account, address="token:x", created_at=1
    )
    await change_rows(one.database, "account", {"phone": AWA})

    await erasure_of(one).erase_account(account)

    assert await read_values(one.database, "lane", "id") == ["sms:+332"]
    assert await read_rows(one.database, "session") == []


# Copies -------------------------------------------------------------------------------------------

SECRET = "zanzibarite"


async def keep_text(one: TestApp, account: int, name: str, text: str) -> None:
    """A file of the account whose text can be searched."""
    stored = await one.app.files.save(
        account,
        name,
        text.encode(),
        mime_type="text/plain",
        source="generated",
        key=f"{account}{name}",
    )
    file = await one.app.files.find(stored.file_id)
    pieces = [Piece(place="", overlap=0, body=text, words=text)]
    await TextStore(one.database).keep(file, Extraction("kept", pieces=pieces))


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_no_word_stays_in_sqlites_files_while_it_runs_on(app: MakeApp) -> None:
    """Neither in the full-text index nor in the write-ahead log."""
    one = await app()
    account = await one.log_in(phone=AWA)
    other = await one.log_in(chat="2", phone=MOUSSA)
    for owner, word in ((account, SECRET), (other, "moussaphone")):
        for number in range(3):
            await keep_text(one, owner, f"{number}.txt", f"{word} {number}")
    await one.start(FakeModel(reply("Yes")))
    await one.send(f"what is {SECRET}?")
    await until(one.settled)
    path = Path(one.app.settings.database_url.removeprefix("sqlite:///"))
    await erasure_of(one).erase_account(account)
    kept = [path, path.with_name(f"{path.name}-wal")]
    held = b"".join([each.read_bytes() for each in kept])
    assert SECRET.encode() not in held
    assert SECRET[2:].encode() not in held  # the index shortens what words have in common
    assert b"moussaphone" in held


def _operator_was_asked(one: TestApp) -> Callable[[], Awaitable[bool]]:
    async def is_so() -> bool:
        rows = await read_rows(one.database, "outbox")
        return {row["state"] for row in rows} == {"waiting_for_window", "sent"}

    return is_so


async def test_what_operators_were_told_of_a_fault_goes_too(app: MakeApp) -> None:
    closed = make_whatsapp()
    closed.capabilities = replace(closed.capabilities, window=86_400, template=True)
    operator = "+2250700000001"
    one = await app(
        FakeChannel(),
        closed,
        make_email(),
        operator_whatsapp=operator,
        operator_email="a@example.org",
    )
    account = await one.log_in(phone=AWA)
    reports = FaultReports(one.database, one.app.notifier, one.app.settings)
    await reports.file(f"{SECRET} is broken", "high", tool_context(account=account, key="k"))
    await one.start(FakeModel())
    await until(_operator_was_asked(one))
    assert [
        name for name, row in await read_every_table(one.database) if contains_text(row, SECRET)
    ] != []

    await erasure_of(one).erase_account(account)

    assert [
        name for name, row in await read_every_table(one.database) if contains_text(row, SECRET)
    ] == []
    lane = await read_row(one.database, "lane", id=Like("whatsapp:%"))
    assert lane["window_closed"] == 0  # the next one asks by template again
