"""`/export`: all that is kept of a person, once an update, three times a day."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import msgspec

from bot.contracts.services import NewTask, Quiz
from bot.files.store import EXPORT
from bot.gateway.commands.account_data import PER_DAY, ExportCommand
from bot.gateway.delivery.fault_reports import FaultReports
from bot.gateway.delivery.notify import Notifier
from bot.gateway.people.export import DataExport
from bot.learning import quiz
from bot.learning.quiz import Quizzes
from bot.learning.remembered_facts import Memory
from bot.learning.results import Results
from bot.learning.tasks import Tasks
from bot.messages.incoming import Person
from bot.messages.outgoing import FileBody, Say, SendEmail, ShareFile
from tests.support.app import MakeApp, TestApp, update
from tests.support.channels import AWA, make_sms
from tests.support.emails import make_email
from tests.support.fakes import FakeChannel, FakeModel, reply, tool_context
from tests.support.queries import add_rows, count_rows, read_rows
from tests.support.waiting import until


def export_of(app: TestApp, momentary: Any = None) -> ExportCommand:
    files = app.app.files
    copies = DataExport(app.database, files)
    return ExportCommand(copies, files, momentary or app.app.context.momentary)


async def ask(app: TestApp, person: Person, key: str) -> ShareFile | Say:
    sent = update("/export", chat=person.address, key=key)
    [said] = (await export_of(app)(person, sent, "")).outgoing
    assert isinstance(said, ShareFile | Say)
    return said


async def open_zip(app: TestApp, shared: ShareFile | Say) -> dict[str, Any]:
    """What is in it: JSON read, files as bytes."""
    assert isinstance(shared, ShareFile)
    content = await app.app.files.read(shared.file_id)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    return {
        name: json.loads(content) if name.endswith(".json") else content
        for name, content in found.items()
    }


async def keep_file(app: TestApp, account: int, name: str, content: bytes, key: str) -> None:
    kinds = {"mime_type": "text/markdown", "source": "generated"}
    await app.app.files.save(account, name, content, key=key, **kinds)


async def test_it_holds_all_that_is_kept_and_nothing_of_others(app: MakeApp) -> None:
    one = await app(welcome_credits=50)
    account, other = await one.log_in(), await one.log_in("2", "+22670123456")
    await one.start(FakeModel(reply("a half"), reply("for another")))
    await one.send("what is 1/2?")
    await until(one.settled)
    await one.send("another's words", chat="2")
    await until(one.settled)
    context = tool_context(account=account, lane="telegram:1")
    await Memory(one.database).save(account, "likes fractions")
    await Memory(one.database).save(other, "another's fact")
    await Tasks(one.database).add(NewTask("Revise", "high", None, ("maths",), None), context)
    await Results(one.database).report("maths", correct=True, topic="pythagoras", context=context)
    quizzes = Quizzes(one.database)
    for number in (1, 2):
        question = Quiz("interactive_quiz", f"Question {number}", ("a", "b"), 1, "why")
        asked = await quizzes.ask(question, keyed(context, f"q{number}"))
        if number == 1:
            await one.database.write(
                lambda tx, one=asked: quiz.answer_quiz(tx, one.id, 0, account=account)
            )
    await keep_file(one, account, "notes.md", b"first", "f1")
    await keep_file(one, account, "notes.md", b"second", "f2")
    await keep_file(one, other, "theirs.md", b"theirs", "f3")

    shared = await ask(one, Person("telegram", "1", account=account, language="fr"), "e1")
    found = await open_zip(one, shared)

    assert "Griot" in found.pop("LISEZMOI.txt").decode()
    assert found["profile.json"]["phone"] == "+2250701020304"
    assert [each["channel"] for each in found["profile.json"]["identities"]] == ["telegram"]
    said = [(each["from"], each["text"]) for each in found["messages.json"]]
    assert said == [("you", "what is 1/2?"), ("griot", "a half")]
    assert [each["fact"] for each in found["memory.json"]] == ["likes fractions"]
    assert [(task["title"], task["tags"]) for task in found["tasks.json"]] == [
        ("Revise", ["maths"])
    ]
    results = found["results.json"]
    assert {each["source"] for each in results["exercises"]} == {"exercise", "quiz"}
    assert [(each["question"], each["answered"]) for each in results["quizzes"]] == [
        ("Question 1", "a")
    ]
    assert found["credits.json"]["balance"] == sum(
        entry["amount"] for entry in found["credits.json"]["entries"]
    )
    records = found["records.json"]
    assert [(row["skill"], row["answers"]) for row in records["mastery"]] == [
        ("maths.pythagoras", 1)
    ]
    assert [row["subject"] for row in records["level"]] == ["maths"]
    files = {name: content for name, content in found.items() if name.startswith("files/")}
    assert sorted(files.values()) == [b"first", b"second"]


async def test_it_holds_what_was_sent_reported_and_mailed_too(app: MakeApp) -> None:
    phone = make_sms()
    one = await app(FakeChannel(), phone, make_email())
    account = await one.log_in(phone=AWA)
    context = tool_context(account=account, lane="telegram:1", key="sent")
    notifier = Notifier(one.database, one.app.inbox, one.app.context.adapters)
    await notifier.send("sms", [Say("12 rue des Jardins")], context)
    await FaultReports(one.database, notifier, one.app.settings).file("It is slow", "low", context)
    email = SendEmail(("binta@example.org",), "The fair", "Dear Binta", account=account)
    await one.database.write(lambda tx: one.app.notifier.hand_over_email(tx, email, key="email"))
    await one.start(FakeModel())
    await until(one.settled)

    shared = await ask(one, Person("telegram", "1", account=account, language="en"), "e1")
    records = (await open_zip(one, shared))["records.json"]

    assert "12 rue des Jardins" in str(records["outbox"])
    [report] = records["report"]
    assert (report["description"], report["severity"]) == ("It is slow", "low")
    [letter] = [each["body"] for each in records["outbox"] if "email" in each["body"]]
    assert letter["email"]["subject"] == "The fair"
    assert letter["email"]["to"] == ["binta@example.org"]
    assert letter["email"]["text"] == "Dear Binta"
    assert records["account"][0]["phone"] == AWA


def keyed(context: Any, key: str) -> Any:
    return tool_context(account=context.account, lane=context.lane, key=key)


async def test_a_new_one_takes_the_place_of_the_last_and_holds_none(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    await keep_file(one, account, "a.md", b"12345", "f1")
    person = Person("telegram", "1", account=account, language="en")
    await ask(one, person, "e1")
    second = await ask(one, person, "e2")
    found = await open_zip(one, second)
    assert [name for name in found if name.startswith("files/")] == ["files/a.md"]
    rows = await read_rows(one.database, "file", source=EXPORT)
    assert isinstance(second, ShareFile)
    assert [row["id"] for row in rows] == [second.file_id]
    usage = await one.app.files.usage(account)
    assert (usage.number, usage.used) == (1, 5)


async def test_the_same_update_twice_is_one_file(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    person = Person("telegram", "1", account=account, language="en")
    made = [await ask(one, person, "e1") for _ in range(PER_DAY + 2)]
    assert len({each.file_id for each in made if isinstance(each, ShareFile)}) == 1
    assert all(isinstance(each, ShareFile) for each in made)


async def test_more_than_three_a_day_are_not_made(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    person = Person("telegram", "1", account=account, language="en")
    made = [await ask(one, person, f"e{number}") for number in range(PER_DAY + 1)]
    assert [type(each) for each in made] == [ShareFile] * PER_DAY + [Say]


class AwayStore:
    async def count(self, key: str, seconds: float) -> int:
        raise ConnectionError("away")


async def test_while_the_counters_are_away_it_is_made_all_the_same(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    person = Person("telegram", "1", account=account, language="en")
    response = await export_of(one, AwayStore())(person, update("/export"), "")
    assert isinstance(response.outgoing[0], ShareFile)


async def test_a_guest_gets_the_conversation(app: MakeApp) -> None:
    one = await app()
    await one.start(FakeModel(reply("hello"), reply("and you")))
    await one.send("hi")
    await one.send("not mine", chat="2")
    await until(one.settled)
    shared = await ask(one, Person("telegram", "1", language="en"), "e1")
    other = await ask(one, Person("telegram", "2", language="en"), "e2")
    found = await open_zip(one, shared)
    assert set(found) == {"README.txt", "profile.json", "messages.json", "records.json"}
    assert {each["conversation"] for each in found["messages.json"]} == {"telegram:1"}
    assert len((await open_zip(one, other))["messages.json"]) == 2


async def test_long_conversations_are_read_page_by_page(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()

    body = '{"type":"user","parts":[{"type":"text","text":"word"}]}'
    message = {"lane": "telegram:1", "kind": "user", "body": body, "at": 1}
    rows = [message | {"turn": n // 3, "step": n % 3} for n in range(1203)]
    await add_rows(one.database, "journal", rows)
    shared = await ask(one, Person("telegram", "1", account=account, language="en"), "e1")
    assert len((await open_zip(one, shared))["messages.json"]) == 1203


async def test_in_a_group_it_is_not_made(app: MakeApp) -> None:
    one = await app()
    await one.start(FakeModel())
    group = msgspec.structs.replace(update("/export", chat="-100"), group=True)
    await one.app.inbox.store([group])
    await until(one.settled)
    [said] = one.said("-100")
    assert "private" in said
    assert await count_rows(one.database, "file") == 0


async def test_it_is_delivered_as_a_file(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    await one.start(FakeModel())
    await one.send("/export")
    await until(one.settled)
    [body] = [each.body for each in one.channel.delivered]
    assert isinstance(body, FileBody)
    assert body.file.filename == "griot-export.zip"
