"""What providers report later: in any order, more than once, before our own note of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import pytest

from bot.contracts.storage import Database
from bot.errors import OutcomeUnknown
from bot.gateway.inbound.inbox import Inbox
from bot.messages.incoming import Receipt
from bot.messages.outgoing import TemplateBody
from tests.support.app import update
from tests.support.outbox import ClaimedOutbox, make_receipts
from tests.support.queries import change_rows, read_row, read_rows

State = Literal["sent", "delivered", "read", "failed"]


class Reported(ClaimedOutbox):
    """A provider that reports, whose window closes, and that has a template."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.channel.capabilities = replace(
            self.channel.capabilities, receipts=True, window=86_400, template=True
        )
        self.receipts = make_receipts(database, {"fake": self.channel})

    async def report(self, *states: State, number: int = 1, cause: Any = "") -> None:
        provider_id = f"fake-{number}"
        await self.receipts.take(
            [Receipt("fake", provider_id, state, "63016", cause) for state in states]
        )

    async def report_to(self, address: str, state: State, provider_id: str = "") -> None:
        """A receipt whose id no delivery has, or that has none."""
        await self.receipts.take([Receipt("fake", provider_id, state, address=address)])

    async def row(self) -> Any:
        return await read_row(self.database, "outbox")


async def _sent(database: Database) -> Reported:
    one = Reported(database)
    claim = await one.claim()
    await one.put("hello")
    await one.outbox.send_due(claim)
    return one


@pytest.mark.parametrize(
    ("states", "kept"),
    [
        (("sent", "delivered", "read"), "read"),
        (("read", "delivered", "sent"), "read"),
        (("delivered", "failed"), "delivered"),
        (("delivered", "delivered"), "delivered"),
    ],
)
async def test_the_latest_stage_is_kept_whatever_the_order(
    database: Database, states: tuple[State, ...], kept: str
) -> None:
    one = await _sent(database)
    await one.report(*states)
    row = await one.row()
    assert (row["receipt"], row["state"]) == (kept, "sent")


async def test_a_failure_makes_it_refused_and_says_why(database: Database) -> None:
    one = await _sent(database)
    await one.report("failed")
    row = await one.row()
    assert row["state"] == "refused"
    assert "63016" in row["error"]


async def test_outside_the_window_it_waits_and_a_template_goes(database: Database) -> None:
    one = await _sent(database)
    await one.report("failed", cause="window")
    await one.report("failed", cause="window")  # reported twice
    claim = await one.reclaim()
    await one.outbox.send_due(claim)
    assert isinstance(one.channel.delivered[-1].body, TemplateBody)
    await Inbox(database).store([update("yes?")])
    await one.outbox.send_due(claim)
    assert [d.body.text for d in one.channel.delivered] == ["hello"] * 3  # type: ignore[union-attr]
    assert await one.states() == ["sent", "sent"]


async def test_who_opted_out_with_the_carrier_is_left_alone(database: Database) -> None:
    one = await _sent(database)
    await one.report("failed", cause="opted_out")
    lane = await read_row(database, "lane")
    assert (lane["opted_out"], lane["reachable"]) == (1, 0)


async def test_a_dead_address_is_remembered(database: Database) -> None:
    one = await _sent(database)
    await one.report("failed", cause="dead")
    lane = await read_row(database, "lane")
    assert (lane["opted_out"], lane["reachable"]) == (0, 0)


async def test_a_failure_that_overtakes_our_own_note_counts(database: Database) -> None:
    one = Reported(database)
    claim = await one.claim()
    await one.put("hello")
    row = await read_row(database, "outbox")
    await one.report("failed", number=row["id"])
    await one.outbox.send_due(claim)
    assert (await one.row())["state"] == "refused"
    assert await read_rows(database, "receipt") == []


async def test_what_is_reported_of_strangers_is_nothing_to_us(database: Database) -> None:
    one = await _sent(database)
    await one.report("delivered", number=999)
    assert (await one.row())["receipt"] == ""


# Receipts that name the number


@pytest.mark.parametrize("provider_id", ["", "not ours"])
async def test_a_report_without_an_id_of_ours_is_about_the_newest_delivery_there(
    database: Database, provider_id: str
) -> None:
    one = Reported(database)
    claim = await one.claim()
    await one.put("un", "deux")
    await one.outbox.send_due(claim)
    await one.report_to("1", "delivered", provider_id)
    rows = await read_rows(database, "outbox")
    assert [row["receipt"] for row in rows] == ["", "delivered"]
    await one.report_to("1", "failed", provider_id)
    rows = await read_rows(database, "outbox")
    assert [(row["state"], row["receipt"]) for row in rows] == [
        ("refused", "failed"),
        ("sent", "delivered"),
    ]


async def test_an_id_of_ours_goes_before_the_number(database: Database) -> None:
    one = Reported(database)
    claim = await one.claim()
    await one.put("un", "deux")
    await one.outbox.send_due(claim)
    first, _ = await read_rows(database, "outbox")
    await one.report_to("1", "delivered", first["provider_id"])
    rows = await read_rows(database, "outbox")
    assert [row["receipt"] for row in rows] == ["delivered", ""]


async def test_a_report_to_another_number_or_of_another_way_is_not_taken(
    database: Database,
) -> None:
    one = await _sent(database)
    await one.report_to("2", "delivered")
    await change_rows(database, "outbox", {"via": "another"})
    await one.report_to("1", "failed")
    assert (await one.row())["receipt"] == ""
    assert await read_rows(database, "receipt") == []


async def test_what_was_in_doubt_is_sent_once_it_is_reported(database: Database) -> None:
    one = Reported(database)
    one.channel.failures = [OutcomeUnknown("no answer")]
    claim = await one.claim()
    await one.put("hello")
    await one.outbox.send_due(claim)
    assert (await one.row())["state"] == "unknown"
    await one.report_to("1", "delivered", "orange-7")
    row = await one.row()
    assert (row["state"], row["receipt"], row["provider_id"]) == ("sent", "delivered", "orange-7")


async def test_a_report_while_one_is_being_sent_waits_for_its_id(database: Database) -> None:
    one = Reported(database)
    claim = await one.claim()
    await one.put("un")
    await one.outbox.send_due(claim)
    await one.put_more("deux")
    _, second = await read_rows(database, "outbox")
    await change_rows(database, "outbox", {"state": "attempting", "via": "fake"}, id=second["id"])
    await one.report_to("1", "failed", f"fake-{second['id']}")
    await change_rows(database, "outbox", {"state": "pending"}, id=second["id"])
    await one.outbox.send_due(claim)
    rows = await read_rows(database, "outbox")
    assert [row["state"] for row in rows] == ["sent", "refused"]
