"""The outbox under a claim: order, fences, and what cannot be read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.contracts.storage import Database
from bot.errors import LeaseLost, RetryAt, Undeliverable
from bot.messages.outgoing import Body, Delivery, FileBody, Sent, ShareFile, TextBody
from tests.support.fakes import FakeChannel
from tests.support.outbox import ClaimedOutbox, RerunDatabase
from tests.support.queries import NOW, Plus, change_rows, read_row, read_values


async def test_deliveries_go_out_in_order(database: Database) -> None:
    one = ClaimedOutbox(database)
    claim = await one.claim()
    await one.put("a", "b", "c")
    assert await one.outbox.send_due(claim) is None
    assert [d.body.text for d in one.channel.delivered] == ["a", "b", "c"]  # type: ignore[union-attr]
    assert await one.states() == ["sent"] * 3


async def test_what_is_done_at_last_is_one_with_the_last_outcome(database: Database) -> None:
    one = ClaimedOutbox(database)
    claim = await one.claim()
    await one.put("a", "b")
    seen: list[list[str]] = []

    async def look(tx: Any) -> None:
        seen.append(await read_values(tx, "outbox", "state"))

    async def lose(tx: Any) -> None:
        raise LeaseLost(claim.lane)

    assert await one.outbox.send_due(claim, at_last=look) is None
    assert seen == [["sent", "sent"]]
    await one.put_more("c")
    with pytest.raises(LeaseLost):
        await one.outbox.send_due(claim, at_last=lose)
    assert await one.states() == ["sent", "sent", "attempting"]


async def test_nothing_is_done_at_last_while_something_is_due_later(database: Database) -> None:
    one = ClaimedOutbox(database)
    claim = await one.claim()
    await one.put("a")
    one.channel.failures = [RetryAt("slow down", after=60)]

    async def fail(tx: Any) -> None:
        raise AssertionError("something is left")

    assert (await one.outbox.send_due(claim, at_last=fail) or 0) > 50
    assert await one.states() == ["pending"]


async def test_the_same_part_is_put_once(database: Database) -> None:
    one = ClaimedOutbox(database)
    claim = await one.claim()
    await one.put("a")
    await one.put("a")
    await one.outbox.send_due(claim)
    assert len(one.channel.delivered) == 1


async def test_who_lost_the_lane_sends_nothing(database: Database) -> None:
    one = ClaimedOutbox(database)
    claim = await one.claim()
    await one.put("a")
    await change_rows(database, "lane", {"fence": Plus(1)})
    with pytest.raises(LeaseLost):
        await one.outbox.send_due(claim)
    assert one.channel.delivered == []
    assert await one.states() == ["pending"]


async def test_whose_lease_may_be_over_sends_nothing(database: Database) -> None:
    """Between the mark in the database and the request, our own clock has the last word."""
    one = ClaimedOutbox(database)
    claim = await one.claim()
    await one.put("a")
    one.clock.advance(15)
    assert (await one.outbox.send_due(claim) or 0) > 0
    assert one.channel.delivered == []
    assert await one.states() == ["pending"]  # surely not sent: it is not in doubt


async def test_a_delivery_that_cannot_be_read_is_refused_and_blocks_nothing(
    database: Database,
) -> None:
    one = ClaimedOutbox(database)
    claim = await one.claim()
    await one.put("a", "b")
    await change_rows(database, "outbox", {"body": "{}"}, part=0)
    assert await one.outbox.send_due(claim) is None
    assert await one.states() == ["refused", "sent"]


@pytest.mark.parametrize("by_link", [True, False])
async def test_a_provider_that_fetches_files_gets_a_link_made_when_it_is_sent(
    database: Database, by_link: bool
) -> None:
    one = ClaimedOutbox(database)
    one.channel.capabilities = replace(one.channel.capabilities, media_by_link=by_link)
    claim = await one.claim()
    await one.put(FileBody(ShareFile("f1", "a.pdf", "application/pdf", 10)))
    await one.outbox.send_due(claim)
    body = one.channel.delivered[0].body
    assert isinstance(body, FileBody)
    assert body.link == ("https://griot.example/f1" if by_link else "")


_FILE = ShareFile("f1", "a.pdf", "application/pdf", 10)
_FORMULA = ShareFile("f2", "formula.png", "image/png", 10, "x² = 2", shows_formulas=True)


@pytest.mark.parametrize(
    ("body", "left"),
    [
        (FileBody(_FILE), "a.pdf (https://griot.example/f1)"),
        (
            FileBody(ShareFile("f1", "a.pdf", "application/pdf", 10, "Here")),
            "Here\n\na.pdf (https://griot.example/f1)",
        ),
        (TextBody("Which?", header=_FILE), "Which?\n\na.pdf (https://griot.example/f1)"),
        (TextBody("Which?", header=_FORMULA), "Which?"),
        (FileBody(_FORMULA), "x² = 2"),
    ],
)
async def test_a_file_that_is_refused_comes_as_a_link(
    database: Database, body: FileBody | TextBody, left: str
) -> None:
    one = ClaimedOutbox(database)
    one.channel.failures.append(Undeliverable("unsupported file"))
    claim = await one.claim()
    await one.put(body)
    await one.outbox.send_due(claim)
    assert [each.body for each in one.channel.delivered] == [TextBody(left)]
    assert await one.states() == ["sent"]


async def _fail_until_sent(one: ClaimedOutbox, *failures: RetryAt) -> list[Body]:
    """Send a file, which fails so, and a text behind it; what arrived. The pauses are skipped."""
    one.channel.failures.extend(failures)
    claim = await one.claim()
    await one.put(FileBody(_FILE), "behind it")
    pauses: list[float] = []
    while (seconds := await one.outbox.send_due(claim)) is not None:
        pauses.append(seconds)
        await change_rows(one.database, "outbox", {"due_at": NOW})
    assert sum(pauses) < 6
    return [each.body for each in one.channel.delivered]


async def test_a_file_that_is_not_taken_holds_up_nothing_for_long(database: Database) -> None:
    failures = [RetryAt("the upload failed", only_file=True) for _ in range(3)]
    arrived = await _fail_until_sent(ClaimedOutbox(database), *failures)
    assert arrived == [TextBody("a.pdf (https://griot.example/f1)"), TextBody("behind it")]


async def test_a_file_that_would_wait_long_goes_as_a_link_at_once(database: Database) -> None:
    failure = RetryAt("the upload failed", 3600.0, only_file=True)
    arrived = await _fail_until_sent(ClaimedOutbox(database), failure)
    assert arrived == [TextBody("a.pdf (https://griot.example/f1)"), TextBody("behind it")]


async def test_a_file_that_fails_twice_still_comes_as_a_file(database: Database) -> None:
    failures = [RetryAt("the upload failed", only_file=True) for _ in range(2)]
    arrived = await _fail_until_sent(ClaimedOutbox(database), *failures)
    assert arrived == [FileBody(_FILE), TextBody("behind it")]


async def test_a_message_that_is_not_taken_keeps_its_file(database: Database) -> None:
    failures = [RetryAt("no connection", 0.1) for _ in range(4)]
    arrived = await _fail_until_sent(ClaimedOutbox(database), *failures)
    assert arrived == [FileBody(_FILE), TextBody("behind it")]


@pytest.mark.parametrize("committed", [True, False])
async def test_run_again_it_is_marked_before_it_is_sent_and_counts_once(
    database: Database, committed: bool
) -> None:
    seen: list[str] = []

    class Watching(FakeChannel):
        async def deliver(self, delivery: Delivery) -> Sent:
            seen.extend(await one.states())
            return await super().deliver(delivery)

    rerun: Any = RerunDatabase(database, committed=committed)
    one = ClaimedOutbox(database, writes=rerun, channel=Watching())
    claim = await one.claim()
    await one.put(TextBody("a", segments=2))
    await one.outbox.send_due(claim)
    assert seen == ["attempting"]
    assert await one.states() == ["sent"]
    row = await read_row(database, "spending")
    assert row["calls"] == 2


async def test_a_thousand_retries_do_not_break_it(database: Database) -> None:
    one = ClaimedOutbox(database)
    claim = await one.claim()
    await one.put("a")
    await change_rows(database, "outbox", {"attempts": 2000})
    one.channel.failures = [RetryAt("expired token")]
    assert (await one.outbox.send_due(claim) or 0) > 60
    await change_rows(database, "outbox", {"due_at": NOW})
    one.channel.failures = [RetryAt("again at once", after=0)]
    assert (await one.outbox.send_due(claim) or 0) >= 0.9
    assert await one.states() == ["pending"]
