from __future__ import annotations

import pytest
from dirty_equals import IsFloat

from bot.errors import ModelRefused, NotFound
from bot.gateway.admin import NotDead, list_turns, replay_turn, show_turn
from tests.support.fakes import FakeModel, reply
from tests.support.queries import change_rows
from tests.support.waiting import until


async def test_what_waits_is_queued_and_the_newest_comes_first(app) -> None:
    site = await app()
    first, second = await site.send("one", "two")

    listed = await list_turns(site.database)

    assert [(turn["id"], turn["state"]) for turn in listed] == [
        (str(second), "queued"),
        (str(first), "queued"),
    ]
    assert listed[0]["deliveries"] == []
    assert await list_turns(site.database, limit=1) == listed[:1]


async def test_turns_are_found_by_state_and_by_lane(app) -> None:
    site = await app()
    await site.start(FakeModel(reply("yes")))
    [done] = await site.send("one", chat="1")
    await until(site.settled)

    [turn] = await list_turns(site.database, state="done", lane="telegram:1")

    assert turn == {
        "id": str(done),
        "lane": "telegram:1",
        "state": "done",
        "reason": "answered",
        "error": "",
        "attempts": 1,
        "credits": 0,
        "stored_at": IsFloat(),
        "deliveries": [{"part": 0, "state": "sent"}],
    }
    assert await list_turns(site.database, state="dead") == []
    assert await list_turns(site.database, lane="telegram:2") == []


async def test_a_turn_is_shown_with_each_delivery(app) -> None:
    site = await app()
    account = await site.log_in()
    await site.start(FakeModel(reply("yes")))
    [number] = await site.send("one")
    await until(site.settled)

    turn = await show_turn(site.database, number)

    assert (turn["id"], turn["account"], turn["input_tokens"]) == (str(number), account, 100)
    assert turn["stored_at"] <= turn["started_at"] <= turn["ended_at"]
    [delivery] = turn["deliveries"]
    assert (delivery["state"], delivery["attempts"]) == ("sent", 1)
    assert delivery["provider_id"].startswith("fake-")

    await change_rows(site.database, "outbox", {"state": "waiting_for_window"})
    [delivery] = (await show_turn(site.database, number))["deliveries"]
    assert delivery["state"] == "pending"
    assert delivery["error"] == "waits until the person writes"
    [listed] = await list_turns(site.database)
    assert listed["deliveries"] == [{"part": 0, "state": "pending"}]


async def test_a_replayed_turn_is_answered_once_more_and_costs_nothing(app) -> None:
    site = await app()
    await site.log_in()
    await site.start(FakeModel(ModelRefused("no"), reply("yes, now")))
    [number] = await site.send("one")
    await until(site.settled)
    assert (await show_turn(site.database, number))["state"] == "dead"

    await replay_turn(site.database, number)
    await until(site.settled)

    turn = await show_turn(site.database, number)
    assert (turn["state"], turn["error"], turn["credits"]) == ("done", "", 0)
    assert site.said()[-1] == "yes, now"
    assert [(item["part"], item["state"]) for item in turn["deliveries"]] == [
        (-1, "sent"),
        (0, "sent"),
    ]


async def test_a_replayed_turn_goes_on_from_its_journal(app) -> None:
    """What it did before it died is not done again: the model is asked for the next step only."""
    site = await app()
    await site.log_in()
    model = FakeModel(reply("let me see", ("nothing", "{}")), ModelRefused("no"), reply("done"))
    await site.start(model)
    [number] = await site.send("one")
    await until(site.settled)

    await replay_turn(site.database, number)
    await until(site.settled)

    assert len(model.requests) == 3
    assert len(model.requests[2].messages) == len(model.requests[1].messages)
    assert "let me see" in site.said()[-1]


async def test_only_the_dead_are_replayed(app) -> None:
    site = await app()
    [waiting] = await site.send("one")

    with pytest.raises(NotDead, match="queued"):
        await replay_turn(site.database, waiting)
    with pytest.raises(NotFound):
        await replay_turn(site.database, 999)
    with pytest.raises(NotFound):
        await show_turn(site.database, 999)
