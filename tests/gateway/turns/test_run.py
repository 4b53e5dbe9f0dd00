"""Turns from update to delivery, over a real database, one process."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from bot.accounts import ledger
from bot.contracts.models import ModelRequest
from bot.errors import (
    ModelRefused,
    ModelUnavailable,
    OutcomeUnknown,
    RetryAt,
    StreamBroken,
    Undeliverable,
)
from bot.events import Content, Emit
from bot.messages.incoming import Reachable, Reacted, Sender, SharedContact, SharedLocation
from bot.messages.outgoing import TextBody
from bot.messages.transcript import (
    AssistantMessage,
    ModelReply,
    SystemMessage,
    ToolResult,
    UserMessage,
)
from bot.settings import Settings
from tests.support.app import MakeApp, TestApp, update
from tests.support.fakes import FakeModel, reply
from tests.support.lossy_network import lossy_network
from tests.support.payment_provider import FakeProvider
from tests.support.phones import AWA, phones_of
from tests.support.queries import (
    FromNow,
    Plus,
    add_row,
    change_rows,
    count_unfinished,
    read_row,
    read_rows,
)
from tests.support.waiting import until
from tools.generate_md import TOOL as GENERATE_MD
from tools.list_user_files import TOOL as LIST_USER_FILES
from tools.save_memory import TOOL as SAVE_MEMORY
from tools.true_false_quiz import TOOL as TRUE_FALSE_QUIZ
from tools.web_search import TOOL as WEB_SEARCH


async def test_a_message_becomes_one_turn_one_answer(app: MakeApp) -> None:
    one = await app()
    await one.start(FakeModel(reply("Bonjour !")))
    await one.send("salut")
    await until(one.settled)
    assert one.said() == ["Bonjour !"]
    turn = await read_row(one.database, "turn")
    assert (turn["state"], turn["reason"]) == ("done", "answered")


async def test_messages_of_a_conversation_are_handled_in_order(app: MakeApp) -> None:
    one = await app()
    await one.start(FakeModel(*[reply(f"answer {n}") for n in range(5)]))
    for n in range(5):
        await one.send(f"question {n}")
    await until(one.settled)
    assert one.said() == [f"answer {n}" for n in range(5)]


async def test_the_model_sees_the_earlier_turns(app: MakeApp) -> None:
    one = await app()
    model = FakeModel(reply("first answer"), reply("second answer"))
    await one.start(model)
    await one.send("first")
    await until(one.settled)
    await one.send("second")
    await until(one.settled)
    system, *messages = model.requests[1].messages
    assert isinstance(system, SystemMessage)
    told = [m.text for m in messages if isinstance(m, UserMessage | AssistantMessage)]
    assert told == ["first", "first answer", "second"]


async def test_in_a_group_a_turn_holds_nothing_private(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    await add_row(one.database, "memory", account=account, fact="Awa is ill.", created_at=0)
    model = FakeModel(reply("", ("list_user_files", "{}")), reply("Hello."))
    await one.start(model, [LIST_USER_FILES, WEB_SEARCH])
    asked = update("show her files", chat="-100")
    await one.app.inbox.store(
        [msgspec.structs.replace(asked, sender=Sender("1", "Awa", "en"), group=True)]
    )
    await until(one.settled)
    first, second = model.requests
    assert "ill" not in first.messages[0].text
    assert "This is a group" in first.messages[0].text
    assert [tool.name for tool in first.tools] == ["web_search"]
    result = second.messages[-1]
    assert isinstance(result, ToolResult)
    assert "There is no tool 'list_user_files' here" in result.text


async def test_new_forgets_the_earlier_turns(app: MakeApp) -> None:
    one = await app()
    model = FakeModel(reply("first answer"), reply("second answer"))
    await one.start(model)
    for text in ("first", "/new", "second"):
        await one.send(text)
        await until(one.settled)
    told = [m.text for m in model.requests[1].messages if isinstance(m, UserMessage)]
    assert told == ["second"]


async def test_a_turn_is_charged_once_by_what_it_used(app: MakeApp) -> None:
    one = await app(welcome_credits=50, credits_per_usd=1000)
    account = await one.log_in()
    await one.start(FakeModel(reply("dear", usd=0.0123)))
    await one.send("a question")
    await until(one.settled)
    balance, entries = await ledger.entries(one.database, account)
    assert balance == 50 - 13
    assert [entry.kind for entry in entries] == ["welcome", "reserve", "settle"]
    assert await ledger.check(one.database) == []
    turn = await read_row(one.database, "turn")
    assert turn["credits"] == 13


@pytest.mark.parametrize(("sells", "hint"), [(True, " Send /buy to get more."), (False, "")])
async def test_who_runs_low_on_credits_is_told_once_under_an_answer(
    app: MakeApp, hint: str, *, sells: bool
) -> None:
    providers = {"wave": FakeProvider()} if sells else {}
    one = await app(welcome_credits=14, credits_per_usd=1000, providers=providers)
    await one.log_in()
    await one.start(FakeModel(*[reply("Answer.", usd=0.002)] * 4))
    for _ in range(4):
        await one.send("question")
        await until(one.settled)
    low = [said for said in one.said() if "left" in said]
    assert low == [f"Answer.\n\nYou have 10 credits left.{hint}"]


async def test_without_credits_nothing_runs(app: MakeApp) -> None:
    one = await app(welcome_credits=0, providers={"wave": FakeProvider()})
    await one.log_in()
    model = FakeModel()
    await one.start(model)
    for _ in range(2):
        await one.send("a question")
        await until(one.settled)
    assert ["/buy" in said for said in one.said()] == [True, True]
    assert model.requests == []


@pytest.mark.parametrize(
    ("error", "has_traceback"), [(ModelUnavailable("503: busy"), False), (RuntimeError(), True)]
)
async def test_a_traceback_is_logged_of_faults_of_ours_alone(
    app: MakeApp, error: Exception, *, has_traceback: bool
) -> None:
    one = await app()
    with capture_logs() as logs:
        await one.start(FakeModel(error, reply("at last")))
        await one.send("a question")
        await until(one.settled)
    [line] = [line for line in logs if line["event"] == "turn_failed"]
    level = "error" if has_traceback else "warning"
    assert (line["log_level"], "exc_info" in line) == (level, has_traceback)
    assert line.get("reason", "") == str(error)


async def test_a_guest_has_so_many_messages_a_day(app: MakeApp) -> None:
    one = await app(guest_daily_messages=2)
    await one.start(FakeModel(reply("one"), reply("two")))
    await one.send("a", "b", "c")
    await until(one.settled)
    assert one.said()[:2] == ["one", "two"]
    assert "/login" in one.said()[2]


async def test_where_credits_cannot_be_bought_no_button_says_so(app: MakeApp) -> None:
    one = await app(welcome_credits=0)
    await one.log_in()
    await one.start(FakeModel())
    await one.send("a question")
    await until(one.settled)
    [delivery] = one.channel.delivered
    assert isinstance(delivery.body, TextBody)
    assert (delivery.body.buttons, "/buy" in delivery.body.text) == ((), False)
    assert "Ask whoever runs this Griot" in delivery.body.text


async def test_the_daily_cost_of_a_person_is_limited(app: MakeApp) -> None:
    one = await app(welcome_credits=5000, max_person_day_usd=0.01)
    await one.log_in()
    await one.start(FakeModel(reply("dear", usd=0.02)))
    await one.send("a")
    await until(one.settled)
    await one.send("b")
    await until(one.settled)
    assert one.said()[0] == "dear"
    assert "tomorrow" in one.said()[1]
    await one.send("c")
    await until(one.settled)
    assert len(one.said()) == 2  # that is said once a day
    a_day_ago = {"started_at": Plus(-86_500), "usd": 0.0}
    await change_rows(one.database, "turn", a_day_ago)
    await change_rows(one.database, "turn", {"started_at": FromNow(-10), "usd": 1.0}, id=1)
    await one.send("d")
    await until(one.settled)
    assert "tomorrow" in one.said()[2]


@pytest.mark.parametrize("channel", ["sms", "whatsapp"])
async def test_that_credits_are_missing_is_said_once_where_it_costs(
    app: MakeApp, channel: str
) -> None:
    one = await phones_of(app)("answer", welcome_credits=0)

    async def ask() -> int:
        await one.say("a question", channel, AWA)
        return len(one.told(channel, AWA))

    assert (await ask(), await ask()) == (1, 1)
    await change_rows(one.database, "turn", {"started_at": Plus(-3601)})
    assert await ask() == 2
    account = await one.account_of(channel, AWA) or 0

    async def give(tx: Any) -> None:
        await ledger.book(tx, account=account, amount=1, kind="grant", key="k")

    await one.database.write(give)
    before = await ask()
    assert one.told(channel, AWA)[2].startswith("answer")
    assert await ask() == before + 1  # something has changed since
    assert one.told(channel, AWA)[-1].startswith("You have no credits left.")


async def test_that_credits_are_missing_is_said_in_each_conversation(app: MakeApp) -> None:
    one = await phones_of(app)(welcome_credits=0)
    await one.app.log_in(AWA)
    written = [one.update("a question", channel, AWA) for channel in ("telegram", "whatsapp")]
    await one.app.app.inbox.store(written)
    await until(one.app.settled)
    await one.say("a question", "sms", AWA)
    for channel in ("telegram", "whatsapp", "sms"):
        [told] = one.told(channel, AWA)
        assert told.startswith("You have no credits left.")
        assert "Exercises stay free: /practice." in told


async def test_that_credits_are_held_is_said_in_each_conversation_of_its_own(app: MakeApp) -> None:
    answering, may_answer = asyncio.Event(), asyncio.Event()

    class Slow(FakeModel):
        async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
            answering.set()
            await may_answer.wait()
            return await super().ask(request, emit)

    one = await phones_of(app)(Slow(reply("answer")), welcome_credits=1)
    await one.app.log_in(AWA)
    await one.app.app.inbox.store([one.update("a question", "telegram", AWA)])
    await answering.wait()

    async def ask(channel: str) -> list[str]:
        written = one.update("a question", channel, AWA)
        await one.app.app.inbox.store([written])

        async def handled() -> bool:
            # the update that is being answered, and its lane
            return await count_unfinished(one.database) == 2

        await until(handled)
        return one.told(channel, AWA)

    for channel in ("whatsapp", "sms", "whatsapp"):
        [told] = await ask(channel)
        assert told.startswith("Your last credits are kept")
    may_answer.set()
    await until(one.app.settled)
    await one.say("a question", "whatsapp", AWA)
    assert one.told("whatsapp", AWA)[1].startswith("You have no credits left.")


async def test_a_person_who_writes_too_fast_is_asked_to_wait(app: MakeApp) -> None:
    one = await app(rate_limit_per_minute=2)
    await one.start(FakeModel(reply("one"), reply("two")))
    await one.send("a", "b", "c", "d")
    await until(one.settled)
    assert one.said()[:2] == ["one", "two"]
    assert len(one.said()) == 3  # the wait is asked for once


# When it fails ----------------------------------------------------------------------------------


async def test_a_failing_turn_is_tried_again_and_answered(
    app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "bot.gateway.turns.retry._RETRY_PAUSES", (0.01,)
    )  # or the test would wait a second
    one = await app()
    account = await one.log_in()
    await one.start(FakeModel(ModelUnavailable("down"), ModelUnavailable("down"), reply("at last")))
    await one.send("a")
    await until(one.settled)
    assert one.said() == ["at last"]
    _, entries = await ledger.entries(one.database, account)
    assert [entry.kind for entry in entries].count("reserve") == 1


async def test_a_hopeless_turn_is_buried_refunded_and_told_once(app: MakeApp) -> None:
    one = await app(welcome_credits=50)
    account = await one.log_in()
    await one.start(FakeModel(ModelRefused("bad request"), reply("next answer")))
    await one.send("poison", "next")
    await until(one.settled)
    assert one.said()[1:] == ["next answer"]
    assert "went wrong" in one.said()[0]
    assert "bad request" not in one.said()[0]
    dead = await read_row(one.database, "turn", state="dead")
    assert "bad request" in dead["error"]
    balance, _ = await ledger.entries(one.database, account)
    assert balance == 50 - 1
    assert await ledger.check(one.database) == []


async def test_a_turn_that_takes_its_process_with_it_is_buried_at_last(app: MakeApp) -> None:
    one = await app()
    [seq] = await one.send("poison")
    await add_row(
        one.database,
        "turn",
        lane="telegram:1",
        id=seq,
        attempts=8,
        deaths=7,
        worker="the dead",
        started_at=0,
    )
    await one.start(FakeModel())
    await until(one.settled)
    assert "went wrong" in one.said()[0]


async def test_a_broken_answer_is_delivered_as_far_as_it_came_and_costs_nothing(
    app: MakeApp,
) -> None:
    one = await app(welcome_credits=50)
    account = await one.log_in()
    await one.start(FakeModel(StreamBroken("reset", "The capital is")))
    await one.send("a")
    await until(one.settled)
    assert one.said()[0].startswith("The capital is")
    assert "broke off" in one.said()[0]
    balance, _ = await ledger.entries(one.database, account)
    assert balance == 50


async def test_stop_cancels_a_running_turn_at_once(app: MakeApp) -> None:
    one = await app()
    begun = asyncio.Event()

    class Slow(FakeModel):
        async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
            begun.set()
            await asyncio.sleep(60)
            raise AssertionError("never")

    await one.start(Slow())
    await one.send("a long question")
    await begun.wait()
    await one.send("/stop")
    await until(one.settled)
    assert one.said() == ["Stopped."]
    states = await read_rows(one.database, "turn", order_by="id")
    assert [row["reason"] for row in states] == ["cancelled", "answered"]


async def test_what_was_shown_of_a_stopped_answer_is_paid_for(app: MakeApp) -> None:
    one = await app(welcome_credits=50)
    account = await one.log_in()
    shown = asyncio.Event()

    class Long(FakeModel):
        async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
            emit(Content("The whole answer. " * 1000))
            shown.set()
            await asyncio.sleep(60)
            raise AssertionError("never")

    await one.start(Long())
    await one.send("a long question")
    await shown.wait()
    await one.send("/stop")
    await until(one.settled)
    [turn, _] = await read_rows(one.database, "turn", order_by="id")
    assert turn["reason"] == "cancelled"
    assert turn["credits"] > 0
    spent = await read_row(one.database, "spending")
    assert spent["output_tokens"] == 18 * 1000 // 4
    balance, _ = await ledger.entries(one.database, account)
    assert balance == 50 - turn["credits"]


async def test_after_stop_nothing_more_is_said_and_the_model_knows(app: MakeApp) -> None:
    one = await app()
    begun = asyncio.Event()

    class SlowSecond(FakeModel):
        async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
            if len(self.requests) == 1 and not begun.is_set():
                emit(Content("Here are"))
                begun.set()
                await asyncio.sleep(60)
            return await super().ask(request, emit)

    model = SlowSecond(reply("I look at your files.", ("nothing", "{}")), reply("What then?"))
    await one.start(model)
    await one.send("a long question")
    await begun.wait()
    await one.send("/stop")
    await until(one.settled)
    assert one.said() == ["Stopped."]
    await one.send("another one")
    await until(one.settled)
    assert one.said() == ["Stopped.", "What then?"]
    told = [each.text for each in model.requests[-1].messages if isinstance(each, UserMessage)]
    assert told == ["a long question", "[I stopped your answer here.]", "another one"]


async def test_what_tools_of_a_stopped_turn_made_is_not_sent(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    begun = asyncio.Event()

    class SlowSecond(FakeModel):
        async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
            if len(self.requests) == 1 and not begun.is_set():
                begun.set()
                await asyncio.sleep(60)
            return await super().ask(request, emit)

    document = '{"filename": "notes.md", "content": "What to learn"}'
    quiz = '{"statement": "The sun is a star.", "is_true": true, "explanation": "It is."}'
    calls = ("generate_md", document), ("true_false_quiz", quiz)
    model = SlowSecond(reply("I write it down.", *calls), reply("What then?"))
    await one.start(model, [GENERATE_MD, TRUE_FALSE_QUIZ])
    await one.send("notes, please")
    await begun.wait()
    await one.send("/stop")
    await until(one.settled)
    await one.send("another one")
    await until(one.settled)
    assert one.said() == ["Stopped.", "What then?"]
    assert len(one.channel.delivered) == 2
    [file] = await read_rows(one.database, "file")
    assert file["name"] == "notes.md"
    told = [each.text for each in model.requests[-1].messages if isinstance(each, UserMessage)]
    assert "nothing that your tools made in it was sent" in told[1]


@pytest.mark.parametrize("credits_given", [50, 0])
async def test_stop_ends_a_turn_that_has_not_begun(app: MakeApp, credits_given: int) -> None:
    one = await app(welcome_credits=credits_given)
    account = await one.log_in()
    await one.send(SharedLocation(5.3, -4.0), "/stop")
    await one.start(FakeModel())
    await until(one.settled)
    assert one.said() == ["Stopped."]
    turns = await read_rows(one.database, "turn", order_by="id")
    assert [row["reason"] for row in turns] == ["cancelled", "answered"]
    balance, _ = await ledger.entries(one.database, account)
    assert balance == credits_given


async def test_stop_leaves_the_messages_behind_it_alone(app: MakeApp) -> None:
    one = await app()
    begun = asyncio.Event()

    class SlowFirst(FakeModel):
        async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
            if not begun.is_set():
                begun.set()
                await asyncio.sleep(60)
            return await super().ask(request, emit)

    await one.start(SlowFirst(reply("the second")))
    await one.send("the first", "the second one")
    await begun.wait()
    await one.send("/stop")
    await until(one.settled)
    assert one.said() == ["Stopped.", "the second"]


# Delivery ---------------------------------------------------------------------------------------


async def _states(one: TestApp) -> list[str]:
    rows = await read_rows(one.database, "outbox")
    return [row["state"] for row in rows]


async def test_a_throttled_delivery_waits_and_goes_out_once(app: MakeApp) -> None:
    one = await app()
    one.channel.failures = [RetryAt("429", after=0.05), RetryAt("refused connection", after=0.01)]
    await one.start(FakeModel(reply("hello")))
    await one.send("a")
    await until(one.settled)
    assert one.said() == ["hello"]
    assert await _states(one) == ["sent"]


async def test_a_delivery_in_doubt_is_never_sent_again(app: MakeApp) -> None:
    one = await app()
    one.channel.failures = [OutcomeUnknown("time-out after the request")]
    await one.start(FakeModel(reply("one"), reply("two")))
    await one.send("a", "b")
    await until(one.settled)
    assert await _states(one) == ["unknown", "sent"]
    assert one.said() == ["two"]


async def test_a_crash_in_mid_send_leaves_a_delivery_in_doubt(app: MakeApp) -> None:
    one = await app()
    await one.send("a")
    await add_row(
        one.database,
        "outbox",
        lane="telegram:1",
        turn=0,
        part=0,
        body='{"type":"text","text":"old"}',
        state="attempting",
        attempts=1,
        due_at=0,
        created_at=0,
    )
    await one.start(FakeModel(reply("new")))
    await until(one.settled)
    assert one.said() == ["new"]
    assert await _states(one) == ["unknown", "sent"]


async def test_a_person_who_blocked_us_is_not_written_to_until_they_are_back(
    app: MakeApp,
) -> None:
    one = await app()
    one.channel.failures = [Undeliverable("blocked", dead_target=True)]
    await one.start(FakeModel(reply("one"), reply("two")))
    await one.send("a")
    await until(one.settled)
    lane = await read_row(one.database, "lane")
    assert lane["reachable"] == 0
    await one.send("I am back")
    await until(one.settled)
    assert one.said() == ["two"]


async def test_an_error_of_ours_in_a_delivery_blocks_nothing(app: MakeApp) -> None:
    one = await app()
    one.channel.failures = [KeyError("a bug")]
    await one.start(FakeModel(reply("one"), reply("two")))
    await one.send("a", "b")
    await until(one.settled)
    assert await _states(one) == ["unknown", "sent"]


async def test_one_chat_throttled_does_not_hold_up_another(app: MakeApp) -> None:
    one = await app()
    one.channel.failures = [RetryAt("429", after=30)]
    await one.start(FakeModel(reply("one"), reply("two")))
    await one.send("a", chat="1")
    await until(lambda: read_rows(one.database, "outbox", attempts=1))
    await one.send("b", chat="2")

    async def told() -> bool:
        return bool(one.said("2"))

    await until(told)
    assert one.said("1") == []


# Without a model --------------------------------------------------------------------------------


async def test_a_shared_contact_of_ones_own_logs_in_with_welcome_credits_once(
    app: MakeApp,
) -> None:
    one = await app(welcome_credits=50)
    await one.start(FakeModel())
    await one.send(SharedContact("2250701020304", owner="1"))
    await one.send(SharedContact("+2250701020304", owner="1"))
    await until(one.settled)
    await one.send("/balance")
    await until(one.settled)
    assert "50" in one.said()[-1]


@pytest.mark.parametrize(
    "contact",
    [
        SharedContact("+2250701020304", owner="999"),
        SharedContact("+2250701020304"),
        SharedContact("12", owner="1"),
    ],
)
async def test_a_forwarded_or_impossible_contact_proves_nothing(
    app: MakeApp, contact: SharedContact
) -> None:
    one = await app()
    await one.start(FakeModel())
    await one.send(contact)
    await until(one.settled)
    assert await read_rows(one.database, "account") == []
    assert len(one.said()) == 1


async def test_reactions_are_ignored_politely(app: MakeApp) -> None:
    one = await app()
    await one.start(FakeModel())
    await one.send(Reacted("👍"), Reachable(yes=True))
    await until(one.settled)
    assert one.channel.delivered == []


async def test_commands_cost_nothing_and_ask_no_model(app: MakeApp) -> None:
    one = await app(guest_daily_messages=0)
    await one.start(FakeModel())
    for command in ("/start", "/help", "/balance", "/mode pro", "/langue fr", "/AIDE"):
        await one.send(command)
        await until(one.settled)
    assert len(one.said()) == 6


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_a_turn_with_a_tool_takes_ten_transactions(app: MakeApp, settings: Settings) -> None:
    async with lossy_network(settings.database_url) as network:
        one = await app(database_url=network.url)
        await one.log_in()
        keep = reply("", ("save_memory", '{"fact": "likes cocoa"}'))
        await one.start(FakeModel(reply("Hello."), keep, reply("Noted.")), [SAVE_MEMORY])
        await one.send("hello")
        await until(one.settled)
        await asyncio.sleep(0.5)  # what follows
        before = network.transactions
        await one.send("remember that I like cocoa")
        async with asyncio.timeout(20):
            while one.said()[-1:] != ["Noted."]:
                await asyncio.sleep(0.02)
        await asyncio.sleep(0.3)
    assert network.transactions - before <= 10 + 1  # one may be the scheduler's
