"""What messages cost: by table or the provider's word, booked once, corrected by later reports."""

from __future__ import annotations

import asyncio
import itertools
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec
import pytest
from structlog.testing import capture_logs

from bot.contracts.storage import Database
from bot.gateway.admin import show_turn
from bot.gateway.delivery.message_costs import MessageCosts
from bot.gateway.people.erasure import empty_conversation
from bot.messages.channels import Channel
from bot.messages.incoming import Pricing, Receipt
from bot.messages.outgoing import Body, TemplateBody, TextBody
from bot.messages.value import encode
from bot.observability import Metrics
from bot.settings import loading
from tests.support.fakes import FakeChannel
from tests.support.outbox import RerunDatabase, make_receipts
from tests.support.queries import NOW, add_row, change_rows, read_row, read_rows

State = Literal["sent", "delivered", "read", "failed"]
AWA, USER_ID, KENYAN = "+2250701020304", "CI.13491208655302741918", "+254711000111"
PRICES = {
    "CI": {"service": 0.004, "utility": 0.0041, "marketing": 0.02},
    "*": {"service": 0.5, "utility": 0.6},
}
PAID, UNPAID = Pricing(billable=True, category="service"), Pricing(False, "service")
NOON = datetime(2026, 11, 24, 12, tzinfo=UTC).timestamp()
OCTOBER = datetime(2026, 10, 31, 23, 59, 59, tzinfo=UTC).timestamp()
_ids = itertools.count(1)


class Operator:
    """Messages that were sent, and what the operator reads that they cost."""

    def __init__(
        self, database: Database, *, channel: Channel = "whatsapp", fee: float = 0, **settings: Any
    ) -> None:
        self.database = database
        self.channel = channel
        adapter = FakeChannel(channel=channel)
        adapter.capabilities = replace(adapter.capabilities, receipts=True, message_fee=fee)
        given = {"whatsapp_free_messages": 0, "whatsapp_prices": PRICES, **settings}
        texts = {name.upper(): json.dumps(value) for name, value in given.items()}
        costs = MessageCosts(loading.load(texts), clock=lambda: NOON)
        self.metrics = Metrics()
        self.receipts = make_receipts(database, {"fake": adapter}, self.metrics, costs=costs)

    async def send(self, address: str = AWA, body: Body | None = None, **changes: Any) -> int:
        """Hand a message to the provider, as a turn of its own; return the turn's number."""
        lane, key = f"{self.channel}:{address}", f"k{next(_ids)}"
        if not await read_rows(self.database, "lane", id=lane):
            await add_row(self.database, "lane", id=lane)
        update = {"lane": lane, "delivery_key": key, "message_key": key, "stored_at": NOW}
        turn = (await add_row(self.database, "inbox", **update, body="{}", state="done"))["seq"]
        values = {"state": "sent", "provider_id": f"p{turn}", **changes}
        text = encode(body or TextBody("Bonjour", segments=3))
        await add_row(
            self.database, "outbox", lane=lane, turn=turn, via="fake", body=text, **values
        )
        return turn

    async def report(self, turn: int, *states: State, **fields: Any) -> None:
        for state in states:
            receipt = msgspec.structs.replace(Receipt("fake", f"p{turn}", state), **fields)
            await self.receipts.take([receipt])

    async def usd(self, *turns: int) -> list[float]:
        return [(await show_turn(self.database, turn))["usd"][self.channel] for turn in turns]

    def count(self, name: str, category: str) -> float:
        """A metric's value; 0 where it was never counted."""
        head = f'griot_{name}_total{{category="{category}",channel="{self.channel}"}} '
        lines = self.metrics.render().decode().splitlines()
        return sum(float(line.removeprefix(head)) for line in lines if line.startswith(head))


# Prices


async def test_a_delivered_message_costs_its_price_once(database: Database) -> None:
    one = Operator(database)
    turn = await one.send()
    await one.report(turn, "sent")
    assert await one.usd(turn) == [0]
    await one.report(turn, "delivered", "delivered", "read", "read")
    assert await one.usd(turn) == [0.004]
    assert one.count("messages", "service") == 1
    assert one.count("message_usd", "service") == pytest.approx(0.004)
    shown = await show_turn(database, turn)
    assert (shown["messages"], shown["usd"]) == (1, {"model": 0, "whatsapp": 0.004, "sms": 0})


@pytest.mark.parametrize("states", [("sent",), ("sent", "failed"), ("failed", "failed")])
async def test_what_did_not_arrive_costs_nothing(database: Database, states: Any) -> None:
    one = Operator(database)
    turn = await one.send()
    await one.report(turn, *states, pricing=PAID)
    assert await one.usd(turn) == [0]
    assert one.count("messages", "service") == 0


async def test_what_is_read_before_it_is_delivered_is_booked_once(database: Database) -> None:
    one = Operator(database)
    turn = await one.send()
    await one.report(turn, "read", "delivered", "sent", "failed", pricing=PAID)
    assert await one.usd(turn) == [0.004]
    assert one.count("messages", "service") == 1


@pytest.mark.parametrize(
    ("address", "pricing", "usd"),
    [
        (AWA, PAID, 0.004),
        (AWA, UNPAID, 0),
        (AWA, Pricing(True, "utility"), 0.0041),
        (AWA, Pricing(False, "utility"), 0),
        (AWA, Pricing(True, "marketing"), 0.02),
        (AWA, Pricing(True, "not_known_yet"), 0.02),  # the dearest of the country
        (USER_ID, PAID, 0.004),
        ("US.ENT.13491208655302741918", PAID, 0.5),
        (KENYAN, PAID, 0.5),
        (KENYAN, Pricing(True, "utility"), 0.6),
        (KENYAN, Pricing(True, "marketing"), 0.0225),  # of Griot's own table
        ("nobody", PAID, 0.5),
    ],
)
async def test_the_price_goes_by_country_and_category(
    database: Database, address: str, pricing: Pricing, usd: float
) -> None:
    one = Operator(database)
    turn = await one.send(address)
    await one.report(turn, "delivered", pricing=pricing)
    assert await one.usd(turn) == [usd]
    known = pricing.category != "not_known_yet"
    assert one.count("messages", pricing.category if known else "other") == 1


async def test_a_category_without_a_price_is_logged_once(database: Database) -> None:
    one = Operator(database)
    with capture_logs() as logs:
        for category in ("new_one", "new_one", "service", "another"):
            await one.report(await one.send(), "delivered", pricing=Pricing(True, category))
    found = [(each["category"], each["usd"]) for each in logs if "price" in each["event"]]
    assert found == [("new_one", 0.02), ("another", 0.02)]
    assert one.count("messages", "other") == 3


async def test_the_number_goes_before_the_user_id(database: Database) -> None:
    one = Operator(database)
    address = "KE.13491208655302741918"
    for value in (AWA, address):
        await add_row(database, "alias", channel="whatsapp", value=value, address=address)
    turn = await one.send(address)
    await one.report(turn, "delivered")
    assert await one.usd(turn) == [0.004]


async def test_without_a_word_on_the_price_a_template_is_utility(database: Database) -> None:
    one = Operator(database)
    turn = await one.send(body=TemplateBody("news"))
    await one.report(turn, "delivered")
    assert await one.usd(turn) == [0.0041]
    assert one.count("messages", "utility") == 1


async def test_a_price_told_with_sent_counts_when_it_arrives(database: Database) -> None:
    one = Operator(database)
    turn = await one.send()
    await one.report(turn, "sent", pricing=Pricing(True, "marketing"))
    assert await one.usd(turn) == [0]
    await one.report(turn, "delivered")
    assert await one.usd(turn) == [0.02]


@pytest.mark.parametrize(
    "reports",
    [
        [("sent", PAID), ("delivered", UNPAID)],
        [("sent", PAID), ("read", UNPAID)],
        [("sent", PAID), ("delivered", None), ("read", UNPAID)],
        [("delivered", None), ("sent", PAID), ("delivered", UNPAID)],
        [("delivered", PAID), ("read", UNPAID)],
        [("read", UNPAID), ("delivered", PAID)],
    ],
)
async def test_what_is_free_on_delivery_costs_nothing_whatever_else_was_told(
    database: Database, reports: list[tuple[Any, Pricing | None]]
) -> None:
    one = Operator(database, whatsapp_free_messages=0)
    turn = await one.send()
    for state, pricing in [*reports, ("sent", PAID)]:
        await one.report(turn, state, pricing=pricing)
    assert await one.usd(turn) == [0]


@pytest.mark.parametrize(
    ("pricing", "usd"), [(UNPAID, 0), (Pricing(True, "marketing"), 0.02), (PAID, 0.004)]
)
async def test_a_price_told_later_corrects_what_is_booked(
    database: Database, pricing: Pricing, usd: float
) -> None:
    one = Operator(database, whatsapp_free_messages=0)
    turn = await one.send()
    await one.report(turn, "delivered")
    await one.report(turn, "read", pricing=pricing)
    await one.report(turn, "sent", pricing=Pricing(True, "utility"))  # the first word stays
    assert await one.usd(turn) == [usd]
    assert one.count("messages", "service") == 1
    assert one.count("messages", "marketing") == 0


async def test_a_provider_adds_its_fee_also_to_free_messages(database: Database) -> None:
    one = Operator(database, fee=0.005, whatsapp_free_messages=1)
    free, paid = await one.send(), await one.send()
    await one.report(free, "delivered")
    await one.report(paid, "delivered")
    assert await one.usd(free, paid) == [0.005, 0.009]


@pytest.mark.parametrize(("number", "usd"), [(AWA, 0.24), (KENYAN, 0.3), ("+33612345678", 0.3)])
async def test_sms_is_paid_by_segment_and_country(
    database: Database, number: str, usd: float
) -> None:
    one = Operator(database, channel="sms", sms_prices={"CI": 0.08, "*": 0.1})
    turn = await one.send(number)
    await one.report(turn, "sent")
    assert await one.usd(turn) == [0]
    await one.report(turn, "delivered", "delivered")
    assert await one.usd(turn) == [usd]
    assert one.count("messages", "text") == 1
    assert one.count("message_usd", "text") == pytest.approx(usd)


async def test_an_sms_that_arrived_is_one_segment_at_least(database: Database) -> None:
    one = Operator(database, channel="sms", sms_prices={"*": 0.1})
    turn = await one.send(body=TextBody("Bonjour"))
    await one.report(turn, "delivered")
    assert await one.usd(turn) == [0.1]


async def test_a_channel_that_costs_nothing_is_not_counted(database: Database) -> None:
    one = Operator(database, channel="telegram")
    turn = await one.send("1")
    await one.report(turn, "delivered", pricing=PAID)
    shown = await show_turn(database, turn)
    assert (shown["messages"], shown["usd"]) == (1, {"model": 0, "whatsapp": 0, "sms": 0})
    assert await read_rows(database, "cost") == []


async def test_sums_are_exact_to_six_decimals(database: Database) -> None:
    one = Operator(database, whatsapp_prices={"*": {"service": 0.000001, "utility": 0.1}})
    turn = await one.send()
    await one.report(turn, "delivered")
    for number in range(3):
        values = {"lane": f"whatsapp:{AWA}", "turn": turn, "part": number + 1, "via": "fake"}
        body = encode(TemplateBody("news"))
        await add_row(database, "outbox", **values, body=body, provider_id=f"t{number}")
        await one.receipts.take([Receipt("fake", f"t{number}", "delivered")])
    assert await one.usd(turn) == [0.300001]


# Free messages


async def test_the_first_messages_of_a_month_are_free(database: Database) -> None:
    one = Operator(database, whatsapp_free_messages=2)
    turns = [await one.send() for _ in range(4)]
    template = await one.send(body=TemplateBody("news"))
    unpaid = await one.send()
    await one.report(template, "delivered")
    await one.report(unpaid, "delivered", pricing=UNPAID)
    for turn in turns:
        await one.report(turn, "delivered", "read")
    assert await one.usd(*turns) == [0, 0, 0.004, 0.004]
    assert await one.usd(template, unpaid) == [0.0041, 0]


async def test_each_month_and_each_sender_has_its_own(database: Database) -> None:
    one = Operator(database, whatsapp_free_messages=1)
    turns = [await one.send() for _ in range(4)]
    places = [(NOON, "a"), (NOON, "b"), (OCTOBER, "a"), (OCTOBER + 1, "a")]
    for turn, (at, sender) in zip(turns, places, strict=True):
        await one.report(turn, "delivered", at=at, sender=sender)
    # The last is of November too, and was delivered before the first.
    assert await one.usd(*turns) == [0.004, 0, 0, 0]


async def test_a_report_that_comes_late_takes_its_place(database: Database) -> None:
    one = Operator(database, whatsapp_free_messages=2)
    turns = [await one.send(address) for address in (AWA, KENYAN, AWA)]
    for turn, minute in zip(turns, (30, 20, 10), strict=True):
        await one.report(turn, "delivered", at=NOON - 3600 + minute)
    assert await one.usd(*turns) == [0.004, 0, 0]
    await one.report(turns[0], "sent", "read", at=NOON - 3590 + 60)
    assert await one.usd(*turns) == [0.004, 0, 0]


async def test_a_read_that_overtook_its_delivery_takes_the_earlier_moment(
    database: Database,
) -> None:
    one = Operator(database, whatsapp_free_messages=1)
    first, second = await one.send(), await one.send()
    await one.report(second, "delivered", at=NOON - 50)
    await one.report(first, "read", at=NOON - 10)
    assert await one.usd(first, second) == [0.004, 0]
    await one.report(first, "delivered", at=NOON - 60)
    assert await one.usd(first, second) == [0, 0.004]


async def test_a_place_that_becomes_free_goes_to_the_next(database: Database) -> None:
    one = Operator(database, whatsapp_free_messages=1)
    turns = [await one.send() for _ in range(3)]
    for turn in turns:
        await one.report(turn, "delivered")
    await one.report(turns[0], "read", pricing=UNPAID)
    assert await one.usd(*turns) == [0, 0, 0.004]
    await one.report(turns[1], "read", pricing=Pricing(True, "utility"))
    assert await one.usd(*turns) == [0, 0.0041, 0]
    last = await one.send()
    await one.report(last, "delivered")
    assert await one.usd(last) == [0.004]


@pytest.mark.parametrize("at", [NOON + 86_400, 1.0, 99_999_999_999.0])
async def test_a_clock_that_cannot_be_is_not_believed(database: Database, at: float) -> None:
    one = Operator(database, whatsapp_free_messages=1)
    turn, later = await one.send(), await one.send()
    await one.report(turn, "delivered", at=at)
    await one.report(later, "delivered", at=NOON + 1)
    assert await one.usd(turn, later) == [0, 0.004]


async def test_what_was_free_stays_used_when_its_person_is_erased(database: Database) -> None:
    one = Operator(database, whatsapp_free_messages=1)
    await one.report(await one.send(), "delivered")
    await database.write(lambda tx: empty_conversation(tx, f"whatsapp:{AWA}"))
    assert await read_rows(database, "cost") == []
    turn = await one.send(USER_ID)
    await one.report(turn, "delivered")
    assert await one.usd(turn) == [0.004]


async def test_no_more_are_free_than_may_be_however_many_come_at_once(
    database: Database,
) -> None:
    one = Operator(database, whatsapp_free_messages=5)
    turns = [await one.send() for _ in range(12)]
    reports = [one.report(turn, "delivered", "read") for turn in turns for _ in range(2)]
    await asyncio.gather(*reports)
    assert sorted(await one.usd(*turns)) == [0] * 5 + [0.004] * 7
    assert one.count("messages", "service") == 12


async def test_reports_of_one_message_that_come_at_once_are_all_heeded(
    database: Database,
) -> None:
    one = Operator(database, whatsapp_free_messages=3)
    turns = [await one.send() for _ in range(20)]
    for turn in turns[:10]:
        await one.report(turn, "read", at=NOON - 10)
    told: list[tuple[State, dict[str, Any]]] = [
        ("sent", {"pricing": UNPAID}),
        ("delivered", {"at": NOON - 20}),
        ("delivered", {"at": NOON - 30}),
        ("read", {}),
    ]
    reports = [one.report(turn, state, **fields) for turn in turns for state, fields in told]
    await asyncio.gather(*reports)
    assert await one.usd(*turns) == [0] * 20
    assert [row["used"] for row in await read_rows(database, "quota")] == [0]
    rows = await read_rows(database, "cost")
    assert {row["delivered_at"] for row in rows} == {NOON - 30}
    assert one.count("messages", "service") == 20


# Reports of what is not known


async def test_a_report_of_a_message_that_was_never_sent_books_nothing(
    database: Database,
) -> None:
    one = Operator(database)
    await one.report(999_999, "sent", "delivered", "read", pricing=PAID)
    assert await read_rows(database, "cost") == []
    assert one.count("messages", "service") == 0


async def test_what_is_reported_before_our_own_note_is_booked_after_it(
    database: Database,
) -> None:
    one = Operator(database)
    turn = await one.send(state="attempting", provider_id=None)
    await one.report(turn, "sent", "delivered", pricing=Pricing(True, "marketing"))
    await one.report(turn, "read")
    await change_rows(database, "outbox", {"state": "sent", "provider_id": f"p{turn}"})
    await one.receipts.settle_early("fake", f"p{turn}")
    await one.receipts.settle_early("fake", f"p{turn}")
    assert await one.usd(turn) == [0.02]
    assert one.count("messages", "marketing") == 1
    assert (await read_row(database, "outbox"))["receipt"] == "read"
    assert await read_rows(database, "receipt") == []


async def test_what_nobody_settled_before_the_process_died_is_settled_later(
    database: Database,
) -> None:
    one = Operator(database)
    turn = await one.send(state="attempting", provider_id=None)
    await one.report(turn, "delivered")
    await change_rows(database, "outbox", {"state": "sent", "provider_id": f"p{turn}"})
    another = Operator(database)  # after kill -9, with nothing but the database
    await another.receipts.settle_kept()
    await another.receipts.settle_kept()
    assert await another.usd(turn) == [0.004]
    assert another.count("messages", "service") == 1


async def test_a_report_about_a_channel_that_is_switched_off_books_nothing(
    database: Database,
) -> None:
    one = Operator(database)
    turn = await one.send()
    await change_rows(database, "outbox", {"via": "switched_off"})
    await one.report(turn, "delivered")
    assert await one.usd(turn) == [0]


@pytest.mark.parametrize("recipients", [(AWA,), (USER_ID, AWA)])
async def test_a_delivery_in_doubt_is_known_by_its_recipient(
    database: Database, recipients: tuple[str, ...]
) -> None:
    one = Operator(database)
    turn = await one.send(state="attempting", provider_id=None)
    for state in ("delivered", "read"):
        await one.receipts.take([Receipt("fake", "new", state, recipients=recipients)])
    assert await one.usd(turn) == [0]  # the answer may still come
    await change_rows(database, "outbox", {"state": "unknown", "ended_at": NOW})
    await one.receipts.settle_kept()
    row = await read_row(database, "outbox")
    assert (row["state"], row["receipt"], row["provider_id"]) == ("sent", "read", "new")
    assert await one.usd(turn) == [0.004]


async def test_a_report_resolves_no_doubt_while_another_delivery_is_being_sent(
    database: Database,
) -> None:
    one = Operator(database)
    doubt = await one.send(state="unknown", provider_id=None, ended_at=NOW)
    next_one = await one.send(state="attempting", provider_id=None)
    early = [Receipt("fake", name, "delivered", recipients=(AWA,)) for name in ("z", "a")]
    for receipt in early:  # of both, in the order in which they were sent
        await one.receipts.take([receipt])
    assert await one.usd(doubt, next_one) == [0, 0]
    changed = {"state": "sent", "provider_id": "a"}
    await change_rows(database, "outbox", changed, turn=next_one)
    await one.receipts.settle_kept()
    rows = await read_rows(database, "outbox")
    assert [(row["provider_id"], row["receipt"]) for row in rows] == [
        ("z", "delivered"),
        ("a", "delivered"),
    ]
    assert await one.usd(doubt, next_one) == [0.004, 0.004]


async def test_doubts_are_resolved_in_the_order_in_which_they_were_sent(
    database: Database,
) -> None:
    one = Operator(database)
    turns = [await one.send(state="attempting", provider_id=None) for _ in range(2)]
    for name in ("z", "a"):
        await one.receipts.take([Receipt("fake", name, "delivered", recipients=(AWA,))])
    await change_rows(database, "outbox", {"state": "unknown", "ended_at": NOW})
    await one.receipts.settle_kept()
    rows = await read_rows(database, "outbox")
    assert [(row["turn"], row["provider_id"]) for row in rows] == list(
        zip(turns, ("z", "a"), strict=True)
    )


async def test_a_report_to_somebody_else_resolves_no_doubt(database: Database) -> None:
    one = Operator(database)
    turn = await one.send(state="unknown", provider_id=None)
    other = await one.send(KENYAN)
    await one.receipts.take([Receipt("fake", "new", "delivered", recipients=(KENYAN,))])
    assert await one.usd(turn, other) == [0, 0]
    assert (await show_turn(database, turn))["messages"] == 1


@pytest.mark.parametrize("committed", [True, False])
async def test_a_transaction_that_is_run_again_books_once(
    database: Database, committed: bool
) -> None:
    one = Operator(database, whatsapp_free_messages=1)
    free, paid = await one.send(), await one.send()
    rerun: Any = RerunDatabase(database, committed=committed)
    again = Operator(rerun, whatsapp_free_messages=1)
    for turn in (free, paid):
        await again.report(turn, "delivered")
    assert await one.usd(free, paid) == [0, 0.004]
    assert again.count("messages", "service") == 2
    assert again.count("message_usd", "service") == pytest.approx(0.004)
