"""Several ways to one account: what comes along when one joins it, and what stays."""

from __future__ import annotations

import asyncio
import importlib
import json
import zipfile
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bot.accounts import ledger
from bot.billing import purchases, refunds
from bot.billing.purchases import PurchaseIntent
from bot.contracts.models import ModelRequest
from bot.contracts.payments import PaymentState
from bot.contracts.tools import Tool
from bot.events import Emit
from bot.gateway.admin import grant_credits
from bot.gateway.delivery.notify import Notifier
from bot.gateway.people.export import DataExport
from bot.gateway.scheduler.cleanup import Cleanup
from bot.gateway.scheduler.reminders import Reminders
from bot.learning.quiet_hours import QuietHours
from bot.messages.channels import Channel
from bot.messages.incoming import Decided, Sender, SharedContact
from bot.messages.outgoing import SendEmail
from bot.messages.transcript import ModelReply
from bot.messages.value import encode
from bot.observability import Metrics
from bot.web.sessions import Sessions
from tests.support.app import TestApp, update
from tests.support.emails import read_emails
from tests.support.fakes import FakeModel, reply
from tests.support.phones import AWA, BINTA, CELESTE, MakePhones, Phones, phones_of
from tests.support.queries import (
    NOW,
    add_row,
    change_rows,
    contains_text,
    read_every_table,
    read_row,
    read_rows,
    read_values,
    until_one_waits,
)
from tests.support.waiting import until


@pytest.fixture
async def phones(app: Callable[..., Awaitable[TestApp]]) -> MakePhones:
    return phones_of(app)


async def test_a_second_number_brings_all_that_it_has(phones: MakePhones) -> None:
    one = await phones("Hi", "Hello", welcome_credits=50)
    await one.say("hi", "whatsapp", BINTA)
    old = await one.account_of("whatsapp", BINTA)
    await add_row(one.app.database, "memory", account=old, fact="likes maths", created_at=NOW)
    await add_row(one.app.database, "card", account=old, lane="", key="maths.add-to-100")
    await add_row(one.app.database, "review", account=old, days="mon", hour=18)
    await one.say(f"/login {AWA}", "whatsapp", BINTA)
    await one.say(one.code(), "whatsapp", BINTA)
    new = await one.account_of("whatsapp", BINTA)
    assert new != old
    balances = await read_rows(one.database, "account")
    assert {row["id"]: row["balance"] for row in balances} == {old: 0, new: 99}
    for table in ("memory", "card", "review"):
        assert (await read_row(one.database, table))["account"] == new, table
    assert await ledger.check(one.app.database) == []
    await one.say("hi", "sms", BINTA)
    assert await one.account_of("sms", BINTA) == new


async def test_a_user_id_and_its_number_have_one_welcome(phones: MakePhones) -> None:
    one = await phones("Hi", "Hello", welcome_credits=50)

    async def say(text: str) -> None:
        asked = one.update(text, "whatsapp", "CI.134")
        sender = Sender("CI.134", "Awa", "en", user_id="CI.134")
        await one.app.app.inbox.store([msgspec.structs.replace(asked, sender=sender)])
        await until(one.app.settled)

    await one.say("hi", "sms", AWA)
    await say("hello")
    await say(f"/login {AWA}")
    await say(one.code())
    account = await one.account_of("whatsapp", "CI.134")
    assert account == await one.account_of("sms", AWA)
    balances = await read_rows(one.database, "account", id=account)
    assert [row["balance"] for row in balances] == [49]  # each spent 1, and one welcome is left
    assert await ledger.check(one.app.database) == []


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_who_joins_one_that_joins_another_at_that_moment_comes_to_the_last(
    phones: MakePhones,
) -> None:
    one = await phones("Hi", "Hi", "Hi", welcome_credits=50)
    app = one.app.app
    for who in (AWA, BINTA, CELESTE):
        await one.say("hi", "whatsapp", who)
    awa, binta, celeste = [await one.account_of("whatsapp", who) for who in (AWA, BINTA, CELESTE)]
    await add_row(one.app.database, "memory", account=awa, fact="likes maths", created_at=NOW)
    joined, go_on = asyncio.Event(), asyncio.Event()

    async def join(tx: Any, who: str, number: str) -> None:
        asked = one.update("join", "whatsapp", who)
        person = await app.people.recognise(tx, asked.channel, asked.sender)
        await app.linking.join(tx, asked, person, number, 0)

    async def join_slowly(tx: Any) -> None:
        await join(tx, BINTA, CELESTE)
        joined.set()
        await go_on.wait()

    first = asyncio.create_task(one.app.database.write(join_slowly))
    await joined.wait()
    second = asyncio.create_task(one.app.database.write(lambda tx: join(tx, AWA, BINTA)))
    await until_one_waits(one.app.database)
    go_on.set()
    await asyncio.gather(first, second)
    rows = await read_rows(one.database, "account")
    assert {row["id"]: row["part_of"] for row in rows} == {
        awa: celeste,
        binta: celeste,
        celeste: None,
    }
    assert await read_values(one.database, "memory", "account") == [celeste]
    assert {row["id"] for row in rows if row["balance"]} == {celeste}
    assert await ledger.check(one.app.database) == []


async def test_what_a_code_ends_for_good_is_said_before_it_is_typed(phones: MakePhones) -> None:
    one = await phones("Hi", "Hello")
    await one.say("hi", "whatsapp", BINTA)
    await one.say(f"/login {AWA}", "whatsapp", BINTA)
    assert one.told("whatsapp", BINTA)[-1].endswith(
        "Then all that you have here goes to that account for good: credits, files, history."
    )
    await one.say(f"/login {AWA}")
    assert one.told()[-1].endswith("Type it here within 5 minutes.")


async def test_who_is_part_of_an_account_takes_nothing_of_it_to_another(
    phones: MakePhones,
) -> None:
    one = await phones("Hi", "Hello", welcome_credits=50)
    await one.say("hi", "whatsapp", AWA)
    awa = await one.account_of("whatsapp", AWA)
    for number in (AWA, CELESTE):
        await one.say(f"/login {number}", "sms", BINTA)
        await one.say(one.code(who=number), "sms", BINTA)
    celeste = await one.account_of("sms", BINTA)
    assert await one.account_of("whatsapp", AWA) == awa != celeste
    await one.say("/solde", "whatsapp", AWA)
    assert one.told("whatsapp", AWA)[-1].startswith("You have 99")
    await one.say("hi", "whatsapp", BINTA)
    assert await one.account_of("whatsapp", BINTA) == celeste
    assert await ledger.check(one.app.database) == []


async def test_logging_out_makes_a_guest_who_knows_nothing_of_before(phones: MakePhones) -> None:
    model = FakeModel(*(reply(f"answer {n}") for n in range(2)))
    one = await phones(model)
    await one.say(SharedContact(AWA, owner="1"))
    await one.say("my secret")
    await one.say("/logout")
    assert one.told()[-1].startswith("You are logged out here.")
    await one.say("who am I?")
    assert await one.account_of("telegram", "1") is None
    assert "my secret" not in str(model.requests[-1].messages)


async def test_a_joined_number_is_its_own_account_again_after_logging_out(
    phones: MakePhones,
) -> None:
    one = await phones("Hi", "Hello", welcome_credits=50)
    await one.say("hi", "whatsapp", BINTA)
    old = await one.account_of("whatsapp", BINTA)
    await one.say(f"/login {AWA}", "whatsapp", BINTA)
    await one.say(one.code(), "whatsapp", BINTA)
    await one.say("/logout", "whatsapp", BINTA)
    await one.say("/solde", "whatsapp", BINTA)
    assert await one.account_of("whatsapp", BINTA) == old
    assert one.told("whatsapp", BINTA)[-1].startswith("You have 0")


async def test_both_channels_of_a_number_leave_together(phones: MakePhones) -> None:
    one = await phones("Hi", "Hi")
    await one.say("hi", "whatsapp", BINTA)
    await one.say("hi", "sms", BINTA)
    await one.say(f"/login {AWA}", "sms", BINTA)
    await one.say(one.code(), "sms", BINTA)
    await one.say("/logout", "sms", BINTA)
    await one.say("solde", "sms", BINTA)
    await one.say("solde", "whatsapp", BINTA)
    assert await one.account_of("sms", BINTA) == await one.account_of("whatsapp", BINTA)


async def test_a_number_stays_its_own_account(phones: MakePhones) -> None:
    one = await phones("Hi")
    await one.say("hi", "whatsapp", AWA)
    before = await one.account_of("whatsapp", AWA)
    await one.say("/logout", "whatsapp", AWA)
    assert "stays logged in" in one.told("whatsapp", AWA)[-1]
    assert await one.account_of("whatsapp", AWA) == before


async def test_all_other_ways_can_be_ended(phones: MakePhones) -> None:
    one = await phones("Hi")
    await one.say("hi", "whatsapp", AWA)
    await one.say(SharedContact(AWA, owner="1"))
    token = await one.app.app.people.issue_token(AWA)
    await one.say("/logout tout", "whatsapp", AWA)
    assert await one.account_of("telegram", "1") is None
    assert await one.app.app.people.bearer(token) is None
    assert await one.account_of("whatsapp", AWA) is not None
    assert one.told("whatsapp", AWA)[-1].startswith("Done: ")
    await one.say("/logout tout", "whatsapp", AWA)
    assert one.told("whatsapp", AWA)[-1] == "There is no other connection."


# What was said and asked ------------------------------------------------------------------------


def known_to(model: FakeModel) -> str:
    """What the model was told last."""
    return str(model.requests[-1].messages)


def talkative() -> FakeModel:
    return FakeModel(*(reply(f"answer {number}") for number in range(6)))


async def log_in(one: Phones, number: str, channel: str = "telegram", who: str = "1") -> None:
    await one.say(f"/login {number}", channel, who)
    await one.say(one.code(who=number), channel, who)


@pytest.mark.parametrize("leaves", [True, False])
async def test_the_next_on_a_shared_phone_is_not_told_what_was_said_before(
    phones: MakePhones, leaves: bool
) -> None:
    model = talkative()
    one = await phones(model)
    await one.say("hi", "whatsapp", BINTA)
    await log_in(one, AWA)
    await one.say("a sister's secret")
    if leaves:
        await one.say("/logout")
    await log_in(one, BINTA)
    await one.say("what do you know of me?", "whatsapp", BINTA)
    assert "secret" not in known_to(model)
    await one.say("and I?", "whatsapp", AWA)
    assert "secret" not in known_to(model)


async def test_what_a_guest_said_comes_along(phones: MakePhones) -> None:
    model = talkative()
    one = await phones(model)
    await one.say("I like maths")
    await log_in(one, AWA)
    await one.say("what do I like?", "whatsapp", AWA)
    assert "I like maths" in known_to(model)


async def test_what_a_guest_answered_comes_along_once(phones: MakePhones) -> None:
    one = await phones(talkative())
    await one.say("/practice maths.add-to-100")
    [exercise] = await read_rows(one.database, "exercise")
    await one.say(json.loads(exercise["body"])["solutions"][0])
    assert await read_values(one.database, "result", "account") == [0]
    await log_in(one, AWA)
    account = await one.account_of("telegram", "1")
    for table in ("result", "card", "mastery"):
        assert await read_values(one.database, table, "account") == [account]
    assert await read_values(one.database, "mastery", "answers") == [1]
    assert set(await read_values(one.database, "exercise", "account")) == {account}


async def test_the_level_that_a_guest_was_placed_at_comes_along(phones: MakePhones) -> None:
    one = await phones(talkative())
    await one.say("/grade CM2")
    for _ in range(3):
        await one.say("I don’t know")
    await one.say("Skip")
    assert "we begin with the basics, from CP on" in one.told()[-1]
    assert await read_values(one.database, "level", "account") == []
    await log_in(one, AWA)
    account = await one.account_of("telegram", "1")
    for table in ("placement", "level"):
        assert await read_values(one.database, table, "account") == [account]
    assert await read_values(one.database, "level", "answers") == [3]
    assert (await read_row(one.database, "account", id=account))["grade"] == "CM2"
    await one.say("/progress")
    assert "Your level in maths: " in one.told()[-1]


async def test_a_placement_that_a_guest_began_goes_on_after_login(phones: MakePhones) -> None:
    one = await phones(talkative())
    await one.say("/grade CM2")
    await one.say("I don’t know")
    await log_in(one, AWA)
    account = await one.account_of("telegram", "1")
    assert (await read_row(one.database, "account", id=account))["grade"] == "CM2"
    await one.say("/level")
    assert "Let us go on: question 2." in one.told()[-1]


@pytest.mark.parametrize("end", ["itself", "the other"])
@pytest.mark.parametrize("channel", ["whatsapp", "sms"])
async def test_a_number_that_leaves_knows_nothing_of_what_it_said_as_part(
    phones: MakePhones, end: str, channel: str
) -> None:
    model = talkative()
    one = await phones(model)
    await one.say("hi", "whatsapp", BINTA)
    await log_in(one, AWA, "whatsapp", BINTA)
    await one.say("a secret", channel, BINTA)
    if end == "itself":
        await one.say("/logout", "whatsapp", BINTA)
    else:
        await one.say("/logout all", "whatsapp", AWA)
    await one.say("/solde", "whatsapp", BINTA)
    own = await one.account_of("whatsapp", BINTA) or 0
    await one.app.database.write(
        lambda tx: ledger.book(tx, account=own, amount=50, kind="grant", key="own")
    )
    for each in ("sms", "whatsapp"):
        await one.say(f"who am I by {each}?", each, BINTA)
        assert f"who am I by {each}?" in known_to(model)
        assert "a secret" not in known_to(model)


async def test_who_logs_out_in_a_group_takes_nothing_from_the_others(phones: MakePhones) -> None:
    model = talkative()
    one = await phones(model)
    await one.say(SharedContact(AWA, owner="1"))

    async def say_in_group(text: str) -> None:
        written = msgspec.structs.replace(
            update(text, chat="-100"), sender=Sender("1", "Awa", "en"), group=True
        )
        await one.app.app.inbox.store([written])
        await until(one.app.settled)

    await say_in_group("we read Kourouma")
    await say_in_group("/logout")
    assert await one.account_of("telegram", "1") is None
    await one.say(SharedContact(AWA, owner="1"))
    await say_in_group("whom do we read?")
    assert "we read Kourouma" in known_to(model)


async def test_where_letters_go_is_said_when_all_others_are_shown_out(phones: MakePhones) -> None:
    one = await phones("Hi")
    await one.say("hi", "whatsapp", AWA)
    await change_rows(one.app.database, "account", {"email": "thief@example.org"})
    await one.say("/logout all", "whatsapp", AWA)
    assert one.told("whatsapp", AWA)[-1].endswith("Your e-mails go to thief@example.org.")


async def draft(one: Phones) -> None:
    """An e-mail of Awa's, which waits for her consent on Telegram."""
    await one.say("hi", "whatsapp", AWA)
    await one.say(SharedContact(AWA, owner="1"))
    account = await one.account_of("telegram", "1")
    whose = {"account": account, "lane": "telegram:1"}
    asked = {"id": "abc", "turn": 1, "address": "1", "kind": "email", "state": "pending"}
    email = SendEmail(("binta@example.org",), "The fair", "Dear Binta", account=account)
    await add_row(one.database, "approval", **whose, **asked, payload=encode(email))


async def test_who_is_shown_out_decides_nothing_any_more(phones: MakePhones) -> None:
    one = await phones("Hi", "Well")
    await draft(one)
    await one.say("/logout all", "whatsapp", AWA)
    await one.say(Decided("abc", "approve"))
    assert await read_emails(one.database) == []


async def test_a_decision_is_only_theirs_who_were_asked(phones: MakePhones) -> None:
    one = await phones("Hi", "Well")
    await draft(one)
    await change_rows(one.app.database, "identity", {"account": None}, address="1")
    await one.say(Decided("abc", "approve"))
    assert await read_emails(one.database) == []
    assert await read_values(one.database, "approval", "state") == ["pending"]
    assert one.told()[-1] == "This was decided already."


# What is booked, given and kept -----------------------------------------------------------------


class Slow(FakeModel):
    """Answers once the gate is open."""

    def __init__(self, *steps: ModelReply) -> None:
        super().__init__(*steps)
        self.gate = asyncio.Event()

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        await self.gate.wait()
        return await super().ask(request, emit)


async def join_meanwhile(one: Phones, model: Slow) -> tuple[int | None, int | None]:
    """Binta joins Awa's account while a turn of hers runs, which then goes on: her account before
    and after."""
    inbox = one.app.app.inbox
    await inbox.store([one.update("long", "sms", BINTA)])

    async def is_running() -> bool:
        return bool(await read_rows(one.database, "turn", state="running"))

    await until(is_running)
    old = await one.account_of("sms", BINTA)
    await inbox.store([one.update(f"/login {AWA}", "whatsapp", BINTA)])
    await until(lambda: _true(bool(one.code())))
    await inbox.store([one.update(one.code(), "whatsapp", BINTA)])

    async def is_joined() -> bool:
        return await one.account_of("whatsapp", BINTA) not in (None, old)

    await until(is_joined)
    model.gate.set()
    await until(one.app.settled)
    return old, await one.account_of("whatsapp", BINTA)


async def test_a_turn_that_runs_meanwhile_is_paid_by_the_account_that_has_the_credits(
    phones: MakePhones,
) -> None:
    model = Slow(reply("done"))
    one = await phones(model, welcome_credits=50)
    old, _ = await join_meanwhile(one, model)
    balances = {row["id"]: row["balance"] for row in await read_rows(one.database, "account")}
    assert balances[old] == 0
    assert sum(balances.values()) == 99
    assert await ledger.check(one.app.database) == []


_CALLS = {
    "save_memory": {"fact": "likes maths"},
    "create_task": {"title": "Learn fractions"},
    "generate_md": {"filename": "fractions.md", "content": "# Fractions"},
    "report_exercise_result": {"subject": "maths", "topic": "pythagoras", "correct": True},
    "true_false_quiz": {
        "statement": "A half is 2/4.",
        "is_true": True,
        "explanation": "Both are one divided by two.",
    },
}
KEEPING = tuple((name, json.dumps(arguments)) for name, arguments in _CALLS.items())
"""Calls of tools that keep something."""


def tools_of(calls: Iterable[tuple[str, str]]) -> list[Tool[Any]]:
    return [importlib.import_module(f"tools.{name}").TOOL for name, _ in calls]


async def test_what_a_turn_that_runs_meanwhile_keeps_is_the_account_s_that_was_joined(
    phones: MakePhones,
) -> None:
    model = Slow(
        reply("", *KEEPING),
        reply("done"),
    )
    one = await phones(model, tools=tools_of(KEEPING))
    _, new = await join_meanwhile(one, model)
    for table in ("memory", "task", "file", "result", "mastery", "level", "quiz"):
        row = await read_row(one.database, table)
        assert row["account"] == new, table
    file = await read_row(one.database, "file")
    assert await one.app.app.files.read(file["id"]) == b"# Fractions\n"


async def _true(value: bool) -> bool:
    return value


async def test_an_operator_who_names_the_number_means_the_account_that_it_is_part_of(
    phones: MakePhones,
) -> None:
    one = await phones("Hi", "Hi", welcome_credits=50)
    await one.say("hi", "whatsapp", BINTA)
    await log_in(one, AWA, "whatsapp", BINTA)
    people = one.app.app.people
    found = await people.find(BINTA)
    assert found.phone == AWA
    booked = await grant_credits(one.app.database, people, found.id, 100, key="k")
    assert booked == (True, found.balance + 100)
    await one.say("/solde", "whatsapp", BINTA)
    assert one.told("whatsapp", BINTA)[-1].startswith(f"You have {found.balance + 100}")


@pytest.mark.parametrize("greeted", [0, 2])
async def test_how_to_speak_with_them_comes_along_where_the_other_was_not_asked(
    phones: MakePhones, greeted: int
) -> None:
    one = await phones("Hi", "Hi")
    await one.say("hi", "whatsapp", AWA)
    await change_rows(one.app.database, "account", {"greeted": greeted})
    await one.say("hi", "whatsapp", BINTA)
    await change_rows(
        one.app.database,
        "account",
        {"mode": "pro", "grade": "CM2", "email": "binta@example.org", "greeted": 2},
        phone=BINTA,
    )
    await log_in(one, AWA, "whatsapp", BINTA)
    found = await one.app.app.people.find(AWA)
    assert found.mode == ("child" if greeted else "pro")
    row = await read_row(one.database, "account", phone=AWA)
    assert (row["email"], row["grade"]) == ("binta@example.org", "" if greeted else "CM2")


@pytest.mark.parametrize("other", ["", "CM2"])
async def test_a_class_that_was_chosen_is_kept(phones: MakePhones, other: str) -> None:
    one = await phones("Hi", "Hi")
    await one.say("hi", "whatsapp", AWA)
    await one.say("hi", "whatsapp", BINTA)
    for phone, grade in ((AWA, "4e"), (BINTA, other)):
        await change_rows(one.app.database, "account", {"greeted": 0, "grade": grade}, phone=phone)
    await log_in(one, AWA, "whatsapp", BINTA)
    assert (await read_row(one.database, "account", phone=AWA))["grade"] == "4e"


async def test_sessions_on_the_web_come_along(phones: MakePhones) -> None:
    one = await phones("Hi", "Hi")
    await one.say("hi", "whatsapp", BINTA)
    people, sessions = one.app.app.people, Sessions(one.app.database)
    token = await people.issue_token(BINTA)
    person: Any = await people.bearer(token)
    await sessions.open(person, "mine")
    await log_in(one, AWA, "whatsapp", BINTA)
    assert await sessions.open(await people.bearer(token), "mine") == "mine"


# Copies and erasure -----------------------------------------------------------------------------


async def copy_of(one: Phones, channel: Channel, who: str, folder: Path) -> dict[str, Any]:
    """What `/export` gives to whoever writes from there."""
    people = one.app.app.people
    person = await one.app.database.read(
        lambda tx: people.find_sender(tx, channel, Sender(who, "", "en"))
    )
    path = folder / f"{channel}{who}.zip"
    await DataExport(one.app.database, one.app.app.files).write(person, path)
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".json")]
        return {name: json.loads(archive.read(name)) for name in names}


async def test_a_copy_holds_nothing_that_somebody_else_said_on_the_phone(
    phones: MakePhones, tmp_path: Path
) -> None:
    one = await phones(talkative())
    await log_in(one, AWA)
    await one.say("a sister's secret")
    await one.say("/logout")
    guests = await copy_of(one, "telegram", "1", tmp_path)
    assert "a sister's secret" not in str(guests)
    await log_in(one, BINTA)
    await one.say("a brother's word")
    brothers = str(await copy_of(one, "telegram", "1", tmp_path))
    assert "a sister's secret" not in brothers
    assert "a brother's word" in brothers
    await one.say("/balance", "whatsapp", AWA)
    sisters = str(await copy_of(one, "whatsapp", AWA, tmp_path))
    assert "a sister's secret" in sisters
    assert "a brother's word" not in sisters


async def test_a_copy_holds_what_the_joined_number_had(phones: MakePhones, tmp_path: Path) -> None:
    one = await phones("Hi", welcome_credits=50)
    await one.say("hi", "whatsapp", BINTA)
    await change_rows(one.app.database, "account", {"email": "binta@example.org"})
    await log_in(one, AWA, "whatsapp", BINTA)
    copy = await copy_of(one, "whatsapp", BINTA, tmp_path)
    assert copy["profile.json"]["phone"] == AWA
    [joined] = copy["profile.json"]["joined"]
    assert (joined["phone"], joined["email"]) == (BINTA, "binta@example.org")
    entries = await read_rows(one.database, "ledger")
    assert len(copy["credits.json"]["entries"]) == len(entries)
    assert copy["credits.json"]["balance"] == 99


async def test_what_a_joined_number_bought_is_given_back_by_the_account_that_has_it(
    phones: MakePhones,
) -> None:
    one = await phones("Hi", welcome_credits=50)
    await one.say("hi", "whatsapp", BINTA)
    old = await one.account_of("whatsapp", BINTA)
    wish = PurchaseIntent(
        old or 0, f"whatsapp:{BINTA}", BINTA, "500", 100, "wave", "XOF", 500, "en"
    )
    paid = PaymentState("paid", 500, "XOF", "c")

    async def buy(tx: Any) -> None:
        await purchases.begin_purchase(tx, wish, order="a1" * 12, key="k")
        await purchases.credit_purchase(tx, "a1" * 12, paid)

    await one.app.database.write(buy)
    await log_in(one, AWA, "whatsapp", BINTA)
    await one.say("/logout", "whatsapp", BINTA)
    taken = await one.app.database.write(lambda tx: refunds.book_refund(tx, "a1" * 12))
    assert taken == 100
    balances = await read_rows(one.database, "account")
    assert [row["balance"] for row in balances] == [0, 99]
    assert await ledger.check(one.app.database) == []


async def test_who_is_erased_after_leaving_is_named_nowhere(phones: MakePhones) -> None:
    model = FakeModel(reply("Hi"), reply("", *KEEPING), reply("Done"))
    one = await phones(model, tools=tools_of(KEEPING))
    await one.say("hi", "whatsapp", BINTA)
    await log_in(one, AWA, "whatsapp", BINTA)
    await one.say("keep it", "whatsapp", BINTA)
    tasks = await read_rows(one.database, "task")
    await one.say(f"/tasks later {tasks[0]['id']} 1h", "whatsapp", BINTA)
    await change_rows(one.app.database, "task", {"remind_at": NOW, "remind_by": "whatsapp"})
    notifier = Notifier(one.app.database, one.app.app.inbox, one.app.app.context.adapters)
    emails, quiet = one.app.app.emails, QuietHours()
    assert await Reminders(one.app.database, notifier, Metrics(), quiet, emails).remind() == 1
    await until(one.app.settled)
    assert "Reminder" in one.told("whatsapp", BINTA)[-1]
    for words in ("/logout", "/delete", "/delete confirm"):
        await one.say(words, "whatsapp", BINTA)

    async def is_swept() -> bool:
        return bool(await Cleanup(one.app.database, one.app.app.files).sweep())

    await until(is_swept)
    rows = await read_every_table(one.database)
    assert [(name, row) for name, row in rows if contains_text(row, BINTA[1:])] == []
    awa = await read_row(one.database, "account", phone=AWA)
    kept = {name for name, row in rows if row.get("account") == awa["id"]}
    assert kept >= {"memory", "task", "file", "result", "mastery", "level", "ledger"}
    assert await ledger.check(one.app.database) == []
