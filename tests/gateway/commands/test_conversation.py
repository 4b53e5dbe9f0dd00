"""What each command answers; none asks a model, none costs anything."""

from __future__ import annotations

from typing import Any

import pytest

from bot.accounts import ledger
from bot.accounts.approvals import AlreadyDecided, Approvals, decide
from bot.errors import ModelUnavailable
from bot.gateway.deliveries import keep_pages
from bot.gateway.inbound.command_parser import COMMANDS
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.turns.open import STOPPING
from bot.gateway.turns.retry import postpone_turn
from bot.messages.outgoing import TextBody
from tests.support.app import MakeApp, TestApp, update
from tests.support.commands import CommandDesk
from tests.support.fakes import FakeChannel, FakeModel, reply, tool_context
from tests.support.pupils import PHONE
from tests.support.queries import NOW, AtMost, FromNow, add_row, change_rows, read_row, read_rows
from tests.support.turns import store_and_claim
from tests.support.waiting import until

ERRANDS = {"buy", "delete", "export", "files", "progress"}
"""Commands that are not answered within a transaction."""


@pytest.mark.parametrize("name", sorted(COMMANDS - ERRANDS))
@pytest.mark.parametrize("logged_in", [True, False])
async def test_every_command_is_answered_and_free(app: MakeApp, name: str, logged_in: bool) -> None:
    desk = CommandDesk(await app(welcome_credits=50))
    if logged_in:
        await desk.app.log_in()
    response = await desk.send(f"/{name}")
    assert response.outgoing or response.bodies
    assert {row["balance"] for row in await _accounts(desk)} <= {50}
    assert await read_rows(desk.app.database, "allowance") == []


async def _accounts(desk: CommandDesk) -> list[Any]:
    return await read_rows(desk.app.database, "account")


async def test_help_names_what_can_be_sent_and_is_short_where_words_cost(app: MakeApp) -> None:
    site = await app()
    chat, sms = await CommandDesk(site).ask("/help"), await CommandDesk(site, "sms").ask("HELP")
    assert "/new" in chat
    assert "/balance" in chat
    assert "STOP" in sms
    assert "/" not in sms
    assert len(sms) <= 160


@pytest.mark.parametrize(("credits", "words"), [(1, "1 credit."), (50, "50 credits.")])
async def test_the_balance_is_told(app: MakeApp, credits: int, words: str) -> None:
    desk = CommandDesk(await app(welcome_credits=credits))
    assert "/login" in await desk.ask("/balance")
    await desk.app.log_in()
    told = await desk.ask("/balance")
    assert told.startswith(f"You have {words} A question costs at least 1 credit;")


async def test_what_is_kept_for_an_answer_is_told_beside_the_balance(app: MakeApp) -> None:
    desk = CommandDesk(await app(welcome_credits=4))
    account = await desk.app.log_in()
    await add_row(
        desk.app.database,
        "turn",
        lane="telegram:9",
        id=999,
        account=account,
        state="running",
        reserved=3,
        attempts=1,
        started_at=NOW,
    )
    told = await desk.ask("/balance")
    assert told.startswith("You have 4 credits. Kept for an answer on its way: 3.")


# Mode and language ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("/mode pro", "pro"),
        ("/mode PRO", "pro"),
        ("/mode child", "child"),
        ("/mode élève", "child"),
    ],
)
async def test_the_mode_is_chosen(app: MakeApp, text: str, mode: str) -> None:
    desk = CommandDesk(await app())
    await desk.app.log_in()
    other = "child" if mode == "pro" else "pro"
    await change_rows(desk.app.database, "account", {"mode": other})
    await desk.send(text)
    assert (await desk.person()).mode == mode


@pytest.mark.parametrize("text", ["/mode", "/mode boss", "/mode pro now"])
async def test_a_mode_that_does_not_exist_changes_nothing(app: MakeApp, text: str) -> None:
    desk = CommandDesk(await app())
    await desk.app.log_in()
    before = await desk.person()
    await desk.send(text)
    assert await desk.person() == before


async def test_a_guest_has_no_mode(app: MakeApp) -> None:
    desk = CommandDesk(await app())
    assert "/login" in await desk.ask("/mode pro")
    assert (await desk.person()).mode == "child"


@pytest.mark.parametrize("logged_in", [True, False])
async def test_the_language_is_changed_at_once_and_for_good(app: MakeApp, logged_in: bool) -> None:
    desk = CommandDesk(await app())
    if logged_in:
        await desk.app.log_in()
    assert await desk.ask("/language fr") == "Je parle maintenant français."
    assert (await desk.person()).language == "fr"
    assert await desk.ask("/langue EN") == "I speak English now."
    assert (await desk.person()).language == "en"


async def test_what_was_chosen_before_it_was_asked_is_not_asked(app: MakeApp) -> None:
    desk = CommandDesk(await app())
    await desk.app.log_in()
    await change_rows(desk.app.database, "account", {"greeted": 1})  # asked for the language
    assert (await desk.ask("/mode child")).startswith("I am your tutor now.\n\nWhich class")
    assert await desk.ask("/language fr") == "Je parle maintenant français."


async def test_a_class_that_is_known_is_not_asked_for(app: MakeApp) -> None:
    desk = CommandDesk(await app())
    await desk.app.log_in()
    await change_rows(desk.app.database, "account", {"greeted": 2, "grade": "CM2"})
    assert await desk.ask("/mode child") == "I am your tutor now."


@pytest.mark.parametrize("text", ["/language", "/language wolof", "/language ../fr"])
async def test_a_language_that_griot_does_not_speak_changes_nothing(
    app: MakeApp, text: str
) -> None:
    desk = CommandDesk(await app())
    await desk.send(text)
    assert (await desk.person()).language == "en"


# The conversation -------------------------------------------------------------------------------


async def _lane(desk: CommandDesk) -> Any:
    return await read_row(desk.app.database, "lane", id="telegram:1")


async def test_a_new_conversation_forgets_what_came_before_it_and_only_here(
    app: MakeApp,
) -> None:
    desk = CommandDesk(await app())
    await Inbox(desk.app.database).store([update("one"), update("two", chat="2")])
    await desk.send("/new", seq=5)
    assert (await _lane(desk))["history_from"] == 5
    others = await read_rows(desk.app.database, "lane", history_from=0)
    assert [row["id"] for row in others] == ["telegram:2"]


async def test_the_rest_of_an_answer_follows_page_by_page(app: MakeApp) -> None:
    desk = CommandDesk(await app())

    async def keep(tx: Any) -> None:
        await keep_pages(tx, "telegram:1", 1, [TextBody("page two"), TextBody("page three")])

    await desk.app.database.write(keep)
    assert (await desk.send("/more")).bodies == (TextBody("page two\nReply MORE for the rest."),)
    assert (await desk.send("/suite")).bodies == (TextBody("page three"),)
    assert await desk.ask("/more") == "That was all."


async def test_stop_asks_for_the_running_turn_to_end_and_marks_it(app: MakeApp) -> None:
    desk = CommandDesk(await app())
    for lane, turn, state in (
        ("telegram:1", 1, "done"),
        ("telegram:1", 2, "running"),
        ("telegram:2", 3, "running"),
    ):
        await add_row(desk.app.database, "turn", lane=lane, id=turn, state=state, started_at=0)
    response = await desk.send("/stop")
    assert response.stop
    rows = await read_rows(desk.app.database, "turn", reason="stopping")
    assert [row["id"] for row in rows] == [2]


async def test_stop_does_not_wait_for_a_later_attempt(app: MakeApp) -> None:
    desk = CommandDesk(await app())
    database = desk.app.database
    inbox = Inbox(database)
    [failed, _, _] = await inbox.store([update("one"), update("later"), update("two", chat="2")])
    await change_rows(database, "inbox", {"ready_at": FromNow(60)})
    await add_row(database, "turn", lane="telegram:1", id=failed, started_at=NOW)
    await desk.send("/stop")
    due = await read_rows(database, "inbox", ready_at=AtMost(NOW))
    assert [row["seq"] for row in due] == [failed]  # not what waits behind it, nor other people's


async def _wait_a_minute(app: TestApp) -> None:
    """The turn that failed is to be tried again a minute from now."""
    await until(lambda: read_rows(app.database, "turn", reason="failed"))
    await until(lambda: read_rows(app.database, "lane", owner=None))
    await change_rows(app.database, "inbox", {"ready_at": FromNow(60)}, state="pending")
    await change_rows(app.database, "lane", {"due_at": FromNow(60)})


async def _was_cancelled(app: TestApp) -> None:
    """At once, aloud, once, for nothing."""
    await until(app.settled)
    assert app.said() == ["Stopped."]
    turns = await read_rows(app.database, "turn", order_by="id")
    assert [(row["state"], row["reason"]) for row in turns] == [
        ("done", "cancelled"),
        ("done", "answered"),
    ]
    assert turns[0]["credits"] == 0
    assert {row["balance"] for row in await _accounts(CommandDesk(app))} <= {50}
    assert await ledger.check(app.database) == []


@pytest.mark.parametrize("logged_in", [True, False])
async def test_stop_cancels_a_turn_that_waits_for_its_retry(app: MakeApp, logged_in: bool) -> None:
    opened = await app(welcome_credits=50)
    if logged_in:
        await opened.log_in()
    model = FakeModel(ModelUnavailable("down"))
    await opened.start(model)
    await opened.send("a question")
    await _wait_a_minute(opened)
    await opened.send("/stop")
    await _was_cancelled(opened)
    assert len(model.requests) == 1


async def test_who_is_new_and_stops_an_answer_is_asked_nothing(app: MakeApp) -> None:
    opened = await app(FakeChannel(capabilities=PHONE))
    await opened.log_in()
    await opened.start(FakeModel(ModelUnavailable("down"), reply("Hi")))
    await opened.send("a question")
    await _wait_a_minute(opened)
    await opened.send("/stop")
    await until(opened.settled)
    assert not any("Which language" in each for each in opened.said())
    await opened.send("2+2")
    await until(opened.settled)
    assert "Which language" in opened.said()[-1]


@pytest.mark.parametrize("logged_in", [True, False])
async def test_stop_cancels_a_turn_that_failed_before_it_began(
    app: MakeApp, logged_in: bool
) -> None:
    opened = await app(welcome_credits=50)
    if logged_in:
        await opened.log_in()
    claim, pending = await store_and_claim(opened.database, "a question")

    async def fail(tx: Any) -> None:
        await postpone_turn(tx, claim, pending, pause=60, seconds_used=60, error="no memory")

    await opened.database.write(fail)
    await change_rows(opened.database, "lane", {"owner": None})
    model = FakeModel()
    await opened.start(model)
    await _wait_a_minute(opened)
    await opened.send("/stop")
    await _was_cancelled(opened)
    assert model.requests == []


async def test_stop_drops_what_still_waits_for_the_rest_of_its_burst(app: MakeApp) -> None:
    opened = await app(burst_seconds=30)
    model = FakeModel()
    await opened.start(model)
    await opened.send("a question", "in two pieces")
    await opened.send("/stop")
    await until(opened.settled)
    assert opened.said() == ["Stopped."]
    assert model.requests == []


async def test_stop_drops_a_message_that_is_due_and_whose_turn_has_not_begun(
    app: MakeApp,
) -> None:
    """As where workers are busy: the burst is over, and nobody has taken it up yet."""
    opened = await app(burst_seconds=30)
    await opened.send("a question", "in two pieces")
    await change_rows(opened.database, "inbox", {"ready_at": NOW})
    await opened.send("/stop")
    model = FakeModel()
    await opened.start(model)
    await until(opened.settled)
    assert opened.said() == ["Stopped."]
    assert model.requests == []


async def test_what_was_written_after_a_stopped_turn_is_answered(app: MakeApp) -> None:
    opened = await app()
    model = FakeModel(ModelUnavailable("down"), reply("the second"))
    await opened.start(model)
    await opened.send("a question")
    await _wait_a_minute(opened)
    await opened.send("/stop", "another")
    await until(opened.settled)
    assert opened.said() == ["Stopped.", "the second"]


async def test_stop_is_not_forgotten_when_the_turn_fails_at_that_moment(
    app: MakeApp,
) -> None:
    """The wish is stored, then the failure: whoever takes the turn up knows both."""
    opened = await app()
    claim, pending = await store_and_claim(opened.database, "a question")
    await add_row(opened.database, "turn", lane="telegram:1", id=pending.seq, started_at=NOW)
    await CommandDesk(opened).send("/stop")

    async def fail(tx: Any) -> None:
        await postpone_turn(tx, claim, pending, pause=60, seconds_used=60, error="no model")

    await opened.database.write(fail)
    turn = await read_row(opened.database, "turn")
    assert turn["reason"] == STOPPING


@pytest.mark.parametrize("name", sorted(COMMANDS - ERRANDS - {"stop"}))
async def test_no_other_command_stops_a_turn(app: MakeApp, name: str) -> None:
    assert not (await CommandDesk(await app()).send(f"/{name}")).stop


@pytest.mark.parametrize("command", ["/new", "/stop"])
async def test_a_plan_does_not_outlive_what_ends_it(app: MakeApp, command: str) -> None:
    one = await app(planner_mode=True)
    account = await one.log_in()
    await one.app.inbox.store([update("hello")])
    approvals = Approvals(one.database)
    waiting = tool_context(account=account, lane="telegram:1", turn=1, key="waiting")
    await approvals.begin_plan(waiting)
    asked = await approvals.ask_for_plan("1. Write", waiting)
    await CommandDesk(one).send(command)

    async def approve(tx: Any) -> None:
        await decide(tx, asked.id, "approve", lane="telegram:1", account=account)

    assert not await approvals.is_planning("telegram:1")
    with pytest.raises(AlreadyDecided):
        await one.database.write(approve)


@pytest.mark.parametrize(
    ("limits", "words"),
    [({"welcome_credits": 0}, "no credits left"), ({"max_person_day_usd": 0}, "for one day")],
)
async def test_a_job_that_could_not_run_is_not_begun(
    app: MakeApp, limits: dict[str, Any], words: str
) -> None:
    one = await app(**limits)
    await one.log_in()
    assert words in await CommandDesk(one).ask("/job a summary of my notes")
    assert await read_rows(one.database, "inbox") == []


async def test_a_job_is_begun_with_the_credits_of_one_turn(app: MakeApp) -> None:
    one = await app(welcome_credits=5, min_turn_credits=5)
    await one.log_in()
    assert "in the background" in await CommandDesk(one).ask("/job a summary of my notes")
    assert [row["state"] for row in await read_rows(one.database, "inbox")] == ["pending"]
