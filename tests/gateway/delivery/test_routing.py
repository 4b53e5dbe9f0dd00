"""By which adapter a number is written to, whichever adapter it wrote to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.channels import Capabilities, Pace
from bot.contracts.storage import Database
from bot.errors import ToolFailed
from bot.gateway.deliveries import Composed
from bot.gateway.delivery.notify import Notifier
from bot.gateway.delivery.pacing import Pacer
from bot.gateway.delivery.routing import NO_ROUTES, OutboundRoutes
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.lanes import Lanes
from bot.gateway.outbox_rows import store_deliveries
from bot.messages.incoming import Said
from bot.messages.outgoing import TextBody
from bot.storage.ephemeral import MemoryEphemeralStore
from tests.support.channels import AWA, make_update_elsewhere
from tests.support.fakes import Clock, FakeChannel
from tests.support.outbox import NO_HOOKS, make_sender
from tests.support.queries import read_row

ROUTES = OutboundRoutes({"sms": {"225": "orange", "22507": "near", "1": "far", "*": "rest"}})
FRENCH = "+33612345678"


@pytest.mark.parametrize(
    ("answers", "number", "one_way", "expected"),
    [
        ("by_country", AWA, {"CI"}, True),
        ("by_country", AWA, {"GN", "BF"}, False),
        ("by_country", AWA, set[str](), False),
        ("by_country", FRENCH, {"CI"}, False),
        ("by_country", "38000", {"CI"}, False),
        ("never", FRENCH, set[str](), True),
        ("always", AWA, {"CI"}, False),
    ],
)
def test_the_country_of_a_number_says_whether_it_can_answer(
    answers: Any, number: str, one_way: set[str], expected: bool
) -> None:
    routes = OutboundRoutes(one_way=frozenset(one_way))
    able = Capabilities(max_text=1530, answers=answers)
    assert routes.describe(able, number).one_way is expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("+2250501020304", "orange"),
        (AWA, "near"),
        ("+12025550123", "far"),
        (FRENCH, "rest"),
        ("CI.134912", "rest"),
    ],
)
def test_the_longest_code_wins(number: str, expected: str) -> None:
    assert ROUTES.find("sms", number, "in") == expected


def test_without_a_star_other_numbers_have_no_way() -> None:
    routes = OutboundRoutes({"sms": {"225": "orange"}})
    assert routes.find("sms", FRENCH, "in") == ""
    assert routes.find("sms", AWA, "in") == "orange"


def test_channels_without_routes_answer_as_they_were_written_to() -> None:
    assert ROUTES.find("whatsapp", AWA, "in") == "in"
    assert NO_ROUTES.find("sms", AWA, "in") == "in"


@given(
    st.dictionaries(st.from_regex(r"[1-9][0-9]{0,4}", fullmatch=True), st.sampled_from("abc")),
    st.from_regex(r"\+[1-9][0-9]{6,14}", fullmatch=True),
)
def test_what_is_found_is_the_longest_prefix(by_code: dict[str, str], number: str) -> None:
    fitting = [code for code in by_code if number[1:].startswith(code)]
    expected = by_code[max(fitting, key=len)] if fitting else ""
    assert OutboundRoutes({"sms": by_code}).find("sms", number, "in") == expected


def make_channels(*names: str) -> dict[str, FakeChannel]:
    able = replace(FakeChannel().capabilities, sender_pace=Pace(1, 1))
    return {name: FakeChannel(name, "sms", able) for name in names}


async def send(
    database: Database, channels: dict[str, FakeChannel], routes: OutboundRoutes, momentary: Any
) -> None:
    """Awa has written to `first`, and is answered."""
    lanes = Lanes(database, 15, channels, Clock())
    hooks = replace(NO_HOOKS, routes=routes)
    sender = make_sender(database, lanes, channels, Pacer(momentary), hooks=hooks)
    await Inbox(database).store([make_update_elsewhere(Said("hello"), "sms", "first")])
    [claim] = await lanes.claim(1)

    async def store(tx: Any) -> None:
        await store_deliveries(
            tx, claim.lane, 1, Composed([TextBody("answer", segments=2)]), via="first"
        )

    await database.write(store)
    await sender.send_due(claim, expected=True)


async def test_an_answer_goes_by_its_route_and_not_by_the_way_in(database: Database) -> None:
    channels = make_channels("first", "second")
    momentary = MemoryEphemeralStore(Clock())
    await send(database, channels, OutboundRoutes({"sms": {"225": "second"}}), momentary)
    assert [len(each.delivered) for each in channels.values()] == [0, 1]
    row = await read_row(database, "outbox")
    assert (row["state"], row["via"]) == ("sent", "second")
    spent = await read_row(database, "spending")
    assert (spent["name"], spent["calls"]) == ("second", 2)


async def test_it_takes_its_place_in_the_queue_of_the_way_out(database: Database) -> None:
    channels, momentary = make_channels("first", "second"), MemoryEphemeralStore(Clock())
    await send(database, channels, OutboundRoutes({"sms": {"225": "second"}}), momentary)
    waits = [
        await momentary.reserve(f"pace:{name}", rate=1, burst=1) for name in ("first", "second")
    ]
    assert waits == [0, 1]


async def test_a_number_without_a_way_is_refused(database: Database) -> None:
    channels = make_channels("first")
    routes = OutboundRoutes({"sms": {"33": "first"}})
    await send(database, channels, routes, MemoryEphemeralStore(Clock()))
    row = await read_row(database, "outbox")
    assert row["state"] == "refused"
    assert "no route there" in row["error"]
    assert channels["first"].delivered == []


async def test_notices_go_by_the_route_too(database: Database) -> None:
    channels = make_channels("first", "second")
    routes = OutboundRoutes({"sms": {"225": "second"}})
    notifier = Notifier(database, Inbox(database), channels, routes)
    place = await database.write(lambda tx: notifier.find_at(tx, "sms", AWA))
    assert (place.via, place.capabilities) == ("second", channels["second"].capabilities)
    with pytest.raises(ToolFailed, match="to this number"):
        await database.write(lambda tx: notifier.find_at(tx, "sms", FRENCH))
