"""Windows, templates, moved groups: what the table of deliveries knows beside their order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.contracts.storage import Database
from bot.errors import RetryAt, Undeliverable, WindowClosed
from bot.gateway.inbound.inbox import Inbox
from bot.messages.outgoing import FileBody, Say, ShareFile, TemplateBody, TextBody
from bot.render.renderer import render_outgoing
from bot.render.whatsapp_markers import ZERO_WIDTH
from tests.support.app import update
from tests.support.outbox import ClaimedOutbox
from tests.support.queries import NOW, FromNow, Plus, change_rows, read_row

DAY = 86_400.0


class Windowed(ClaimedOutbox):
    """A channel that takes free words only within a day of the person's last message."""

    def __init__(self, database: Database, *, template: bool = True) -> None:
        super().__init__(database)
        self.channel.capabilities = replace(
            self.channel.capabilities, window=DAY, template=template, markup="markers"
        )

    @property
    def shown(self) -> list[str]:
        return [
            body.text if isinstance(body, TextBody | TemplateBody) else type(body).__name__
            for body in (delivery.body for delivery in self.channel.delivered)
        ]


async def _silent(database: Database) -> None:
    await change_rows(database, "lane", {"person_wrote_at": FromNow(-90000)})


async def test_within_the_window_nothing_waits(database: Database) -> None:
    one = Windowed(database)
    claim = await one.claim()
    await one.put("a")
    assert await one.outbox.send_due(claim) is None
    assert one.shown == ["a"]


async def test_outside_it_a_template_goes_ahead_once_and_the_rest_waits(database: Database) -> None:
    one = Windowed(database)
    claim = await one.claim()
    await one.put("The first answer", "the second")
    await _silent(database)
    assert await one.outbox.send_due(claim) is None
    assert one.shown == ["The first answer"]
    assert isinstance(one.channel.delivered[0].body, TemplateBody)
    await one.outbox.send_due(claim)
    assert len(one.shown) == 1
    assert await one.states() == ["waiting_for_window", "waiting_for_window", "sent"]


async def test_without_a_template_it_waits_for_the_person(database: Database) -> None:
    one = Windowed(database, template=False)
    claim = await one.claim()
    await one.put("a", "b")
    await _silent(database)
    await one.outbox.send_due(claim)
    assert one.shown == []
    await Inbox(database).store([update("I am back")])
    assert await one.outbox.send_due(claim) is None
    assert one.shown == ["a", "b"]


async def test_a_provider_that_says_the_window_is_closed_is_believed(database: Database) -> None:
    one = Windowed(database)
    claim = await one.claim()
    await one.put("a long answer " * 20)
    one.channel.failures = [WindowClosed("131047")]
    await one.outbox.send_due(claim)
    [template] = one.channel.delivered
    assert isinstance(template.body, TemplateBody)
    assert len(template.body.text) <= 60
    assert "\n" not in template.body.text


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("2*500 = 1000 F et x_1 > 5", "2*500 = 1000 F et x_1 > 5"),
        ("Ouvre `__init__.py`, **vite** !", "Ouvre __init__.py, vite !"),
    ],
)
async def test_a_template_quotes_every_character_of_what_waits(
    database: Database, said: str, quoted: str
) -> None:
    one = Windowed(database)
    claim = await one.claim()
    await one.put(*render_outgoing(Say(said), one.channel.capabilities))
    await _silent(database)
    await one.outbox.send_due(claim)
    assert [text.replace(ZERO_WIDTH, "") for text in one.shown] == [quoted]


async def test_a_template_that_is_refused_does_not_loop(database: Database) -> None:
    one = Windowed(database)
    claim = await one.claim()
    await one.put("a")
    await _silent(database)
    one.channel.failures = [Undeliverable("no such template")]
    await one.outbox.send_due(claim)
    await one.outbox.send_due(claim)
    assert one.shown == []
    assert await one.states() == ["waiting_for_window", "refused"]


async def test_what_waited_a_week_is_not_given_up_at_the_first_throttle(
    database: Database,
) -> None:
    one = Windowed(database, template=False)
    claim = await one.claim()
    await one.put("a")
    await _silent(database)
    await one.outbox.send_due(claim)
    await change_rows(database, "outbox", {"created_at": Plus(-7 * 86400)})
    await Inbox(database).store([update("I am back")])
    one.channel.failures = [RetryAt("429", after=1)]
    await one.outbox.send_due(claim)
    assert await one.states() == ["pending"]


async def test_the_next_wait_asks_anew(database: Database) -> None:
    one = Windowed(database)
    claim = await one.claim()
    await one.put("a")
    await _silent(database)
    await one.outbox.send_due(claim)
    await Inbox(database).store([update("I am back")])
    await one.outbox.send_due(claim)
    await one.put_more("b")
    await _silent(database)
    await one.outbox.send_due(claim)
    assert one.shown == ["a", "a", "b"]


async def test_a_code_does_not_wait_behind_what_waits(database: Database) -> None:
    one = Windowed(database, template=False)
    claim = await one.claim()
    await one.put("a")
    await _silent(database)
    await one.outbox.send_due(claim)
    await one.put_more(TextBody("123456 is your code", code_id="c1"))
    await one.outbox.send_due(claim)
    assert one.shown == ["123456 is your code"]


async def test_a_file_that_waits_is_announced_by_its_name(database: Database) -> None:
    one = Windowed(database)
    claim = await one.claim()
    await one.put(FileBody(ShareFile("f1", "bilan.xlsx", "x/y", 10)))
    await _silent(database)
    await one.outbox.send_due(claim)
    assert one.shown == ["bilan.xlsx"]


async def test_a_group_that_moved_gets_its_answer_where_it_is_now(database: Database) -> None:
    one = ClaimedOutbox(database)
    claim = await one.claim()
    await one.put("a", "b")
    one.channel.failures = [Undeliverable("upgraded", moved_to="-100")]
    assert await one.outbox.send_due(claim) is None
    assert [d.conversation for d in one.channel.delivered] == ["-100", "-100"]
    row = await read_row(database, "lane")
    assert row["moved_to"] == "telegram:-100"


async def test_a_group_said_to_move_to_itself_ends(database: Database) -> None:
    one = ClaimedOutbox(database)
    claim = await one.claim()
    await one.put("a")
    moved: list[Any] = [Undeliverable("upgraded", moved_to="-100") for _ in range(2)]
    one.channel.failures = moved
    assert await one.outbox.send_due(claim) is None
    assert await one.states() == ["refused"]


async def test_who_opted_out_is_not_tried_again(database: Database) -> None:
    one = ClaimedOutbox(database)
    claim = await one.claim()
    await one.put("a", "b")
    one.channel.failures = [Undeliverable("21610", dead_target=True, opted_out=True)]
    await one.outbox.send_due(claim)
    await Inbox(database).store([update("hello?")])
    await one.put_more("c")
    await one.outbox.send_due(claim)
    assert one.channel.delivered == []
    assert await one.states() == ["refused"] * 3


async def test_segments_that_were_handed_over_are_counted_with_the_turn(
    database: Database,
) -> None:
    one = ClaimedOutbox(database)
    claim = await one.claim()
    await one.put(TextBody("a", segments=3), TextBody("b", segments=1), TextBody("free"))
    one.channel.failures = [RetryAt("429", after=0)]
    assert await one.outbox.send_due(claim) is not None
    await change_rows(database, "outbox", {"due_at": NOW})
    await one.outbox.send_due(claim)
    row = await read_row(database, "spending")
    assert (row["kind"], row["name"], row["calls"]) == ("segments", "fake", 4)
    assert row["usd"] == 0  # paid for once they arrive


async def test_a_template_that_is_itself_too_late_is_given_up(database: Database) -> None:
    one = Windowed(database)
    claim = await one.claim()
    await one.put("a")
    await _silent(database)
    one.channel.failures = [WindowClosed("63016")]
    await one.outbox.send_due(claim)
    await Inbox(database).store([update("I am back")])
    assert await one.outbox.send_due(claim) is None
    assert one.shown == ["a"]
    assert await one.states() == ["sent", "refused"]


async def test_who_is_back_needs_no_template_any_more(database: Database) -> None:
    one = Windowed(database)
    claim = await one.claim()
    await one.put("a")
    await _silent(database)
    one.channel.failures = [RetryAt("429", after=60)]
    await one.outbox.send_due(claim)
    await Inbox(database).store([update("I am back")])
    await one.outbox.send_due(claim)
    assert [type(each.body).__name__ for each in one.channel.delivered] == ["TextBody"]
