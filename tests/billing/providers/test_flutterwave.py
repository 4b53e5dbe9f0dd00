from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Literal

import pytest

from bot.contracts.payments import Payment, PaymentState
from bot.errors import BadRequest, PersonError, Refused
from tests.billing.providers.parts import ORDER, OTHER, SECRET, flutterwave, settings_of
from tests.standins.payments_flutterwave import Flutterwave, Header, Transaction, event, signed
from tests.standins.payments_hosted import post, serve

PAID = Transaction(1, ORDER.id, 2500, "XOF", "successful")
HEADERS: list[Header] = ["verif-hash", "flutterwave-signature", "plain flutterwave-signature"]


@pytest.fixture
async def standin() -> AsyncIterator[Flutterwave]:
    async with serve(Flutterwave()) as running:
        yield running


async def paid(standin: Flutterwave) -> PaymentState:
    page = await flutterwave(standin).open(ORDER)
    standin.attempt(page.reference, "successful")
    return await flutterwave(standin).look_up(ORDER.id, page.reference)


# A page


async def test_a_page_is_opened_for_the_order(standin: Flutterwave) -> None:
    page = await flutterwave(standin).open(ORDER)
    assert page.url.startswith("https://checkout.flutterwave.com/")
    assert page.reference == ORDER.id
    asked = standin.pages[ORDER.id]
    assert (asked["amount"], asked["currency"]) == (2500, "XOF")
    assert asked["redirect_url"] == ORDER.return_url
    assert asked["customizations"]["description"] == "600 crédits Griot"


async def test_pages_of_one_order_can_be_told_from_one_another(standin: Flutterwave) -> None:
    pages = [await flutterwave(standin).open(ORDER) for _ in range(3)]
    assert len({page.reference for page in pages}) == 3
    with pytest.raises(ConnectionError, match="all the pages"):
        await flutterwave(standin).open(ORDER)


async def test_where_a_reference_may_be_used_again_it_is(standin: Flutterwave) -> None:
    standin.refuses_again = False
    pages = [await flutterwave(standin).open(ORDER) for _ in range(2)]
    assert [page.reference for page in pages] == [ORDER.id, ORDER.id]


async def test_central_africa_pays_too(standin: Flutterwave) -> None:
    await flutterwave(standin).open(replace(ORDER, currency="XAF"))
    assert standin.pages[ORDER.id]["currency"] == "XAF"


# How it stands


@pytest.mark.parametrize(
    ("status", "state"),
    [("pending", "waiting"), ("failed", "waiting"), ("a new one", "waiting")],
)
async def test_each_status_has_its_meaning(
    standin: Flutterwave, status: str, state: Payment
) -> None:
    page = await flutterwave(standin).open(ORDER)
    standin.attempt(page.reference, status)
    assert await flutterwave(standin).look_up(ORDER.id, page.reference) == PaymentState(state)


@pytest.mark.parametrize("status", ["successful", "succeeded"])
@pytest.mark.parametrize(("amount", "told"), [(700, 700), (700.0, 700), (2499.99, 2499)])
async def test_what_was_paid_is_told_as_it_is(
    standin: Flutterwave, amount: float, told: int, status: str
) -> None:
    page = await flutterwave(standin).open(ORDER)
    charge = standin.attempt(page.reference, status, amount=amount, currency="NGN")
    state = await flutterwave(standin).look_up(ORDER.id, page.reference)
    assert state == PaymentState("paid", told, "NGN", str(charge.id))


@pytest.mark.parametrize("tells", ["first", "last"])
@pytest.mark.parametrize("order", [["failed", "successful"], ["successful", "failed"]])
async def test_one_attempt_that_succeeds_is_enough(
    standin: Flutterwave, order: list[str], tells: Literal["first", "last"]
) -> None:
    page = await flutterwave(standin).open(ORDER)
    standin.tells = tells
    attempts = [standin.attempt(page.reference, status) for status in order]
    state = await flutterwave(standin).look_up(ORDER.id, page.reference)
    charge = attempts[order.index("successful")].id
    assert state == PaymentState("paid", 2500, "XOF", str(charge))


@pytest.mark.parametrize("reference", ["", ORDER.id, f"{ORDER.id}-3", "another's"])
@pytest.mark.parametrize("page", [0, 1, 2])
async def test_a_payment_on_any_page_of_the_order_counts(
    standin: Flutterwave, page: int, reference: str
) -> None:
    pages = [await flutterwave(standin).open(ORDER) for _ in range(3)]
    standin.attempt(pages[page].reference, "successful")
    assert (await flutterwave(standin).look_up(ORDER.id, reference)).state == "paid"


async def test_a_page_on_which_nobody_has_tried_waits(standin: Flutterwave) -> None:
    await flutterwave(standin).open(ORDER)
    await flutterwave(standin).open(OTHER)
    standin.attempt(OTHER.id, "successful")
    assert await flutterwave(standin).look_up(ORDER.id, ORDER.id) == PaymentState("waiting")


@pytest.mark.parametrize("amount", [-1, 1e300])
async def test_an_amount_that_nobody_pays_is_no_answer(standin: Flutterwave, amount: float) -> None:
    await flutterwave(standin).open(ORDER)
    standin.attempt(ORDER.id, "successful", amount=amount)
    with pytest.raises(ConnectionError, match="not the published answer"):
        await flutterwave(standin).look_up(ORDER.id, "")


async def test_only_that_no_transaction_is_found_means_that_nobody_paid(
    standin: Flutterwave,
) -> None:
    standin.reply({"status": "error", "message": "Invalid currency"}, status=400)
    with pytest.raises(ConnectionError, match="answered 400") as caught:
        await flutterwave(standin).look_up(ORDER.id, "")
    assert getattr(caught.value, "reason", "") == "Invalid currency"


async def test_an_answer_that_says_it_is_none_is_none(standin: Flutterwave) -> None:
    standin.reply({"status": "error", "data": PAID.describe()})
    with pytest.raises(ConnectionError, match="not the published answer"):
        await flutterwave(standin).look_up(ORDER.id, "")


async def test_another_transaction_tells_nothing(standin: Flutterwave) -> None:
    standin.reply({"status": "success", "data": replace(PAID, tx_ref=OTHER.id).describe()})
    with pytest.raises(ConnectionError, match="not this order's"):
        await flutterwave(standin).look_up(ORDER.id, "")


async def test_another_transaction_in_the_list_does_not_count(standin: Flutterwave) -> None:
    failed = replace(PAID, status="failed").describe()
    standin.reply({"status": "success", "data": failed})
    listed = [failed, replace(PAID, tx_ref=OTHER.id).describe()]
    standin.reply({"status": "success", "data": listed})
    assert (await flutterwave(standin).look_up(ORDER.id, "")).state == "waiting"


# A refund


async def test_money_is_given_back_once(standin: Flutterwave) -> None:
    state = await paid(standin)
    await flutterwave(standin).refund(ORDER.id, state)
    await flutterwave(standin).refund(ORDER.id, state)
    (refund,) = standin.refunds
    assert (str(refund["transaction_id"]), refund["amount_refunded"]) == (state.charge, 2500)
    assert sum(call.method == "POST" and "refund" in call.path for call in standin.calls) == 1


async def test_a_refund_that_fails_is_a_matter_for_a_person(standin: Flutterwave) -> None:
    state = await paid(standin)
    standin.refusal = (400, "Insufficient balance")
    with pytest.raises(PersonError, match=r"Insufficient balance.*dashboard"):
        await flutterwave(standin).refund(ORDER.id, state)
    standin.refusal, standin.refund_status = None, "failed"
    with pytest.raises(PersonError, match="dashboard"):
        await flutterwave(standin).refund(ORDER.id, state)
    with pytest.raises(PersonError, match="not known"):
        await flutterwave(standin).refund(ORDER.id, replace(state, charge=""))


async def test_a_refund_that_failed_before_is_asked_anew(standin: Flutterwave) -> None:
    state = await paid(standin)
    standin.refund_status = "failed"
    with pytest.raises(PersonError):
        await flutterwave(standin).refund(ORDER.id, state)
    standin.refund_status = "completed"
    await flutterwave(standin).refund(ORDER.id, state)
    assert [refund["status"] for refund in standin.refunds] == ["failed", "completed"]


# A callback


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("reference", [ORDER.id, f"{ORDER.id}-2"])
def test_an_authentic_event_names_the_order(reference: str, header: Header) -> None:
    told = event(replace(PAID, tx_ref=reference))
    assert flutterwave().verify(signed(SECRET, told, header)) == ORDER.id


def test_an_event_of_version_4_names_the_order() -> None:
    told = {"type": "charge.completed", "data": {"id": "chg_1", "reference": ORDER.id}}
    assert flutterwave().verify(signed(SECRET, told, "flutterwave-signature")) == ORDER.id


@pytest.mark.parametrize(
    ("kind", "reference"),
    [("transfer.completed", ORDER.id), ("charge.completed", "T17")],
)
def test_an_event_about_nothing_of_ours_names_none(kind: str, reference: str) -> None:
    told = event(replace(PAID, tx_ref=reference), kind)
    assert flutterwave().verify(signed(SECRET, told)) == ""


def test_a_body_that_was_changed_is_refused_where_it_is_signed() -> None:
    webhook = signed(SECRET, event(PAID), "flutterwave-signature")
    with pytest.raises(Refused):
        flutterwave().verify(replace(webhook, body=webhook.body + b" "))


@pytest.mark.parametrize("name", ["verif-hash", "flutterwave-signature", "X-Hash"])
@pytest.mark.parametrize("given", ["", "wrong", SECRET[:-1], "\udcff"])
def test_a_missing_or_wrong_hash_is_refused(given: str, name: str) -> None:
    with pytest.raises(Refused):
        flutterwave().verify(post("/", event(PAID), {name: given}))


@pytest.mark.parametrize("header", HEADERS)
def test_without_a_hash_nothing_is_authentic(header: Header) -> None:
    provider = type(flutterwave())(settings_of(None, secret=""))
    with pytest.raises(Refused, match="FLUTTERWAVE_HASH"):
        provider.verify(signed("", event(PAID), header))


@pytest.mark.parametrize(
    "body",
    [*(b"", b"[]", b"{}", b"\xff", b'{"event": "charge.completed", "data": {"tx_ref": 1}}')],
)
def test_an_authentic_event_of_another_form_is_a_bad_request(body: bytes) -> None:
    with pytest.raises(BadRequest) as caught:
        flutterwave().verify(signed(SECRET, body))
    assert not isinstance(caught.value, Refused)
