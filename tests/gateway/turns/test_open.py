"""How a turn begins: who it is for, and what it knows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.accounts import ledger
from bot.accounts.approvals import Approvals
from bot.errors import LeaseLost
from bot.gateway.turns.journal import append_rows
from bot.gateway.turns.open import MAX_DEATHS, MAX_FAILURES, STOPPING, TriedTooOften
from bot.messages.incoming import Attachment, Said, Woken
from bot.messages.transcript import SystemMessage
from bot.messages.value import encode
from tests.support.app import MakeApp
from tests.support.fakes import reply, tool_context
from tests.support.queries import (
    NOW,
    FromNow,
    add_row,
    change_rows,
    read_row,
)
from tests.support.turns import (
    lose_to_another,
    make_user_messages,
    wait_for_turn,
)


async def test_the_model_is_told_who_it_is_for_then_what_was_said(app: MakeApp) -> None:
    site = await app()
    account = await site.log_in()
    for fact in ("Likes goats.", "Has a test on Friday."):
        await add_row(site.database, "memory", account=account, fact=fact, created_at=0)
    waiting = await wait_for_turn(site, "my question")

    async def earlier(tx: Any) -> None:
        rows = [
            ("user", encode(make_user_messages("earlier")[0])),
            ("reply", encode(reply("I see"))),
        ]
        await append_rows(tx, waiting.claim.lane, 0, 0, rows)

    await site.database.write(earlier)
    opened = await waiting.open()
    system, *earlier, newest = opened.messages()
    assert isinstance(system, SystemMessage)
    assert system.text.index("goats") < system.text.index("Friday")
    assert earlier == [*make_user_messages("earlier"), reply("I see").message]
    assert newest == make_user_messages("my question")[0]


async def test_what_one_person_knows_is_not_told_to_another(app: MakeApp) -> None:
    site = await app()
    account = await site.log_in()
    await add_row(site.database, "memory", account=account + 1, fact="secret", created_at=0)
    waiting = await wait_for_turn(site)
    assert "secret" not in str((await waiting.open()).messages())


@pytest.mark.parametrize(("mode", "is_told"), [("child", True), ("pro", False)])
async def test_the_model_knows_the_skills_of_a_pupil(
    app: MakeApp, mode: str, is_told: bool
) -> None:
    site = await app()
    account = await site.log_in()
    await change_rows(site.database, "account", {"mode": mode, "grade": "CM2"})
    skill, same = "maths.add-to-100", {"answers": 2, "changed_at": 0}
    await add_row(site.database, "mastery", account=account, skill=skill, p=0.5, **same)
    await add_row(
        site.database, "mastery", account=account + 1, skill="maths.thales", p=0.5, **same
    )
    told = str((await (await wait_for_turn(site)).open()).messages())
    assert ("In progress: Add up to 100" in told) is is_told
    assert "Thales" not in told


async def test_attachments_are_still_to_be_brought(app: MakeApp) -> None:
    waiting = await wait_for_turn(await app(), Said("look", (Attachment("image", "p"),)))
    assert (await waiting.open()).record.arriving
    assert [row["kind"] for row in await waiting.rows("journal")] == ["arriving"]


async def test_what_was_said_in_one_go_is_the_turns(app: MakeApp) -> None:
    waiting = await wait_for_turn(await app(), "one", "two", "three")
    await waiting.open()
    others = [
        row["turn"] for row in await waiting.rows("inbox") if row["seq"] != waiting.pending.seq
    ]
    assert others == [waiting.pending.seq] * 2


# Again ------------------------------------------------------------------------------------------


async def test_it_goes_on_from_what_was_done_before_the_crash(app: MakeApp) -> None:
    site = await app(welcome_credits=50)
    account = await site.log_in()
    waiting = await wait_for_turn(site, "my question")
    first = await waiting.open()

    async def act(tx: Any) -> None:
        row = ("reply", encode(reply("", ("look", "{}"))))
        await append_rows(tx, waiting.claim.lane, waiting.pending.seq, 1, [row])

    await site.database.write(act)
    again = await waiting.open(replace(waiting.pending, attempts=1))
    assert again.held == first.held
    assert again.record.messages == [
        *make_user_messages("my question"),
        reply("", ("look", "{}")).message,
    ]
    assert [row["attempts"] for row in await waiting.rows("turn")] == [2]
    balance, _ = await ledger.entries(site.database, account)
    assert balance == 50 - first.held


async def test_one_that_failed_before_it_began_is_begun(app: MakeApp) -> None:
    site = await app(welcome_credits=50)
    await site.log_in()
    waiting = await wait_for_turn(site, "my question")
    await add_row(
        site.database, "turn", lane="telegram:1", id=waiting.pending.seq, attempts=1, started_at=NOW
    )
    opened = await waiting.open(replace(waiting.pending, attempts=1))
    assert opened.held == ledger.RESERVE
    assert opened.record.user == make_user_messages("my question")


async def test_it_knows_that_the_person_has_cancelled_it(app: MakeApp) -> None:
    waiting = await wait_for_turn(await app())
    assert not (await waiting.open()).stopping
    await change_rows(waiting.app.database, "turn", {"reason": STOPPING})
    assert (await waiting.open(replace(waiting.pending, attempts=1))).stopping


async def test_too_often_is_too_often(app: MakeApp) -> None:
    waiting = await wait_for_turn(await app())
    waiting.pending = replace(waiting.pending, failures=MAX_FAILURES)
    await waiting.refuse(TriedTooOften, "failed 5 times")
    waiting.pending = replace(waiting.pending, failures=0, deaths=MAX_DEATHS)
    await waiting.refuse(TriedTooOften, "its process died 8 times")
    waiting.pending = replace(waiting.pending, failures=MAX_FAILURES - 1, deaths=MAX_DEATHS - 1)
    await waiting.open()
    [turn] = await waiting.rows("turn")
    assert (turn["deaths"], turn["worker"]) == (MAX_DEATHS - 1, waiting.claim.owner)


async def test_earlier_tries_have_used_a_part_of_its_time(app: MakeApp) -> None:
    waiting = await wait_for_turn(await app(turn_timeout=180))
    opened = await waiting.open(replace(waiting.pending, seconds_used=150.0))
    assert opened.limits(waiting.app.app.settings).seconds == 30.0
    opened = await waiting.open(replace(waiting.pending, seconds_used=200.0))
    assert opened.limits(waiting.app.app.settings).seconds == 0.0


async def test_time_before_a_death_counts_but_some_is_left(app: MakeApp) -> None:
    waiting = await wait_for_turn(await app(turn_timeout=180))
    await waiting.open()
    for age, left in ((50, 130), (1000, 60)):
        await change_rows(waiting.app.database, "turn", {"started_at": FromNow(-age)})
        opened = await waiting.open(replace(waiting.pending, attempts=1, deaths=1))
        assert opened.limits(waiting.app.app.settings).seconds == pytest.approx(left, abs=5)


async def test_what_failed_before_is_not_shown_anew(app: MakeApp) -> None:
    """What was shown of an interrupted try is void; a failed one has shown what stays."""
    waiting = await wait_for_turn(await app())
    assert (await waiting.open()).is_shown_anew
    await change_rows(waiting.app.database, "turn", {"reason": "failed"})
    again = replace(waiting.pending, attempts=1, failures=1)
    assert not (await waiting.open(again)).is_shown_anew
    assert (await waiting.open(again)).is_shown_anew


# It may not run ---------------------------------------------------------------------------------


async def test_who_lost_the_lane_begins_nothing(app: MakeApp) -> None:
    waiting = await wait_for_turn(await app())
    await lose_to_another(waiting.app.database)
    await waiting.refuse(LeaseLost, "telegram:1")
    assert await waiting.rows("allowance") == []
    assert await waiting.rows("turn") == []


# Pace -------------------------------------------------------------------------------------------


async def test_what_wakes_the_agent_leaves_a_pending_plan_alone(app: MakeApp) -> None:
    site = await app(planner_mode=True)
    account = await site.log_in()
    await add_row(site.database, "lane", id="telegram:1")
    approvals = Approvals(site.database)
    planning = tool_context(account=account, lane="telegram:1", turn=1)
    await approvals.begin_plan(planning)
    await approvals.ask_for_plan("1. Write", planning)
    for content, state in ((Woken("A command has ended."), "pending"), (Said("no"), "dropped")):
        waiting = await wait_for_turn(site, content)
        await waiting.open()
        await change_rows(site.database, "inbox", {"state": "done"})
        await change_rows(site.database, "lane", {"owner": None, "due_at": NOW})
        row = await read_row(site.database, "approval")
        assert row["state"] == state
