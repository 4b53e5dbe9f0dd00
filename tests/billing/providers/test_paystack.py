from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.contracts.payments import Payment, PaymentState
from bot.errors import BadRequest, PersonError, Refused
from bot.standins.paystack import Transaction, make_event
from tests.billing.providers.parts import ORDER, OTHER, paystack, settings_of
from tests.standins.payments_hosted import Hosted, post, serve
from tests.standins.payments_paystack import Paystack, signed

PAID = Transaction(1, ORDER.id, 250_000, "XOF", "success")


@pytest.fixture
async def standin() -> AsyncIterator[Paystack]:
    async with serve(Paystack()) as running:
        yield running


async def paid(standin: Paystack) -> PaymentState:
    page = await paystack(standin).open(ORDER)
    standin.pay(page.reference)
    return await paystack(standin).look_up(ORDER.id, page.reference)


# A page


async def test_a_page_is_opened_for_the_order_in_hundredths(standin: Paystack) -> None:
    page = await paystack(standin).open(ORDER)
    assert page.url.startswith("https://checkout.paystack.com/")
    assert page.reference == ORDER.id
    (call,) = standin.calls
    assert call.fields["amount"] == 250_000
    assert call.fields["callback_url"] == ORDER.return_url
    assert json.loads(call.fields["metadata"])["cancel_action"] == ORDER.cancel_url
    assert ORDER.phone not in str(call)


async def test_pages_of_one_order_can_be_told_from_one_another(standin: Paystack) -> None:
    pages = [await paystack(standin).open(ORDER) for _ in range(3)]
    assert len({page.reference for page in pages}) == len({page.url for page in pages}) == 3
    with pytest.raises(ConnectionError, match="all the pages"):
        await paystack(standin).open(ORDER)


async def test_an_answer_that_was_lost_is_followed_by_another_page(standin: Paystack) -> None:
    standin.misbehave("lost")
    with pytest.raises(ConnectionError):
        await paystack(standin).open(ORDER)
    page = await paystack(standin).open(ORDER)
    standin.pay(page.reference)
    assert (await paystack(standin).look_up(ORDER.id, page.reference)).state == "paid"


# How it stands


@pytest.mark.parametrize(
    ("status", "state"),
    [
        *(("abandoned", "waiting"), ("ongoing", "waiting"), ("pending", "waiting")),
        *(("processing", "waiting"), ("queued", "waiting"), ("a new one", "waiting")),
        *(("failed", "waiting"), ("reversed", "failed")),
    ],
)
async def test_each_status_has_its_meaning(standin: Paystack, status: str, state: Payment) -> None:
    page = await paystack(standin).open(ORDER)
    standin.transactions[page.reference].status = status
    assert await paystack(standin).look_up(ORDER.id, page.reference) == PaymentState(state)


@pytest.mark.parametrize("reference", ["", ORDER.id, f"{ORDER.id}-2", "another's"])
async def test_what_was_paid_is_told_as_it_is(standin: Paystack, reference: str) -> None:
    await paystack(standin).open(ORDER)
    standin.pay(ORDER.id, amount=70_099, currency="NGN")
    charge = str(standin.transactions[ORDER.id].id)
    state = await paystack(standin).look_up(ORDER.id, reference)
    assert state == PaymentState("paid", 700, "NGN", charge)


@pytest.mark.parametrize("reference", ["", ORDER.id, f"{ORDER.id}-2", f"{ORDER.id}-3"])
@pytest.mark.parametrize("page", [0, 1, 2])
async def test_a_payment_on_any_page_of_the_order_counts(
    standin: Paystack, page: int, reference: str
) -> None:
    pages = [await paystack(standin).open(ORDER) for _ in range(3)]
    standin.transactions[pages[0].reference].status = "failed"
    standin.pay(pages[page].reference)
    assert (await paystack(standin).look_up(ORDER.id, reference)).state == "paid"


async def test_it_is_over_when_it_is_over_on_all_pages(standin: Paystack) -> None:
    pages = [await paystack(standin).open(ORDER) for _ in range(2)]
    standin.transactions[pages[0].reference].status = "reversed"
    assert (await paystack(standin).look_up(ORDER.id, "")).state == "waiting"
    standin.transactions[pages[1].reference].status = "reversed"
    assert (await paystack(standin).look_up(ORDER.id, "")).state == "failed"


async def test_an_order_that_paystack_does_not_know_waits(standin: Paystack) -> None:
    await paystack(standin).open(OTHER)
    standin.pay(OTHER.id)
    assert await paystack(standin).look_up(ORDER.id, "") == PaymentState("waiting")


async def test_another_transaction_tells_nothing(standin: Paystack) -> None:
    await paystack(standin).open(ORDER)
    standin.pay(ORDER.id)
    standin.transactions[ORDER.id].reference = OTHER.id
    with pytest.raises(ConnectionError, match="not this order's"):
        await paystack(standin).look_up(ORDER.id, "")


async def test_only_that_a_reference_is_not_found_means_that_nobody_paid(
    standin: Paystack,
) -> None:
    standin.reply({"status": False, "message": "Currency not supported"}, status=400)
    with pytest.raises(ConnectionError, match="answered 400") as caught:
        await paystack(standin).look_up(ORDER.id, "")
    assert getattr(caught.value, "reason", "") == "Currency not supported"


async def test_an_answer_that_says_it_is_none_is_none(standin: Paystack) -> None:
    await paystack(standin).open(ORDER)
    standin.pay(ORDER.id)
    standin.reply({"status": False, "data": standin.transactions[ORDER.id].describe()})
    with pytest.raises(ConnectionError, match="not the published answer"):
        await paystack(standin).look_up(ORDER.id, "")


async def test_the_page_of_another_order_is_not_given(standin: Paystack) -> None:
    page = {"authorization_url": "https://checkout.paystack.com/x", "reference": OTHER.id}
    standin.reply({"status": True, "data": page})
    with pytest.raises(ConnectionError, match="not this order's"):
        await paystack(standin).open(ORDER)


@pytest.mark.parametrize("url", ["", "javascript:alert(1)", "https://x y", "https://" + "x" * 4000])
async def test_a_page_that_is_none_is_not_given(standin: Paystack, url: str) -> None:
    page = {"authorization_url": url, "reference": ORDER.id}
    standin.reply({"status": True, "data": page})
    with pytest.raises(ConnectionError, match="not the published answer"):
        await paystack(standin).open(ORDER)


# A refund


async def test_money_is_given_back_once(standin: Paystack) -> None:
    state = await paid(standin)
    await paystack(standin).refund(ORDER.id, state)
    await paystack(standin).refund(ORDER.id, state)
    assert standin.count("POST", "/refund") == 1
    standin.hides_refunds = True
    await paystack(standin).refund(ORDER.id, state)
    assert [str(refund["transaction"]) for refund in standin.refunds] == [state.charge]


async def test_a_refund_that_fails_is_a_matter_for_a_person(standin: Paystack) -> None:
    state = await paid(standin)
    standin.refusal = (400, "Your balance is not enough to fulfill this request")
    with pytest.raises(PersonError, match=r"balance is not enough.*dashboard"):
        await paystack(standin).refund(ORDER.id, state)
    standin.refusal, standin.refund_status = None, "failed"
    with pytest.raises(PersonError, match="dashboard"):
        await paystack(standin).refund(ORDER.id, state)


async def test_a_refund_that_failed_before_is_asked_anew(standin: Paystack) -> None:
    state = await paid(standin)
    standin.refund_status = "failed"
    with pytest.raises(PersonError):
        await paystack(standin).refund(ORDER.id, state)
    standin.refund_status = "pending"
    await paystack(standin).refund(ORDER.id, state)
    assert [refund["status"] for refund in standin.refunds] == ["failed", "pending"]


async def test_a_refund_that_paystack_is_too_busy_for_may_be_asked_again(
    standin: Paystack,
) -> None:
    state = await paid(standin)
    standin.refusal = (503, "try later")
    with pytest.raises(ConnectionError):
        await paystack(standin).refund(ORDER.id, state)


# A callback


@pytest.mark.parametrize("reference", [ORDER.id, f"{ORDER.id}-2", f"{ORDER.id}-3"])
def test_an_authentic_event_names_the_order(reference: str) -> None:
    told = make_event("charge.success", replace(PAID, reference=reference))
    assert paystack().verify(signed(Hosted.key, told)) == ORDER.id


@pytest.mark.parametrize(
    ("kind", "reference"),
    [
        *(("refund.processed", ORDER.id), ("charge.success", "T17")),
        *(("charge.success", f"{ORDER.id}-4"), ("charge.success", f"x{ORDER.id}")),
    ],
)
def test_an_event_about_nothing_of_ours_names_none(kind: str, reference: str) -> None:
    told = make_event(kind, replace(PAID, reference=reference))
    assert paystack().verify(signed(Hosted.key, told)) == ""


def test_a_body_that_was_changed_is_refused() -> None:
    webhook = signed(Hosted.key, make_event("charge.success", PAID))
    with pytest.raises(Refused):
        paystack().verify(replace(webhook, body=webhook.body + b" "))


@pytest.mark.parametrize("given", ["", "0" * 128, "\udcff"])
def test_a_missing_or_wrong_signature_is_refused(given: str) -> None:
    headers = {"x-paystack-signature": given} if given else {}
    with pytest.raises(Refused):
        paystack().verify(post("/", make_event("charge.success", PAID), headers))


def test_without_a_key_nothing_is_authentic() -> None:
    provider = type(paystack())(settings_of(None, secret=""))
    with pytest.raises(Refused, match="PAYSTACK_SECRET_KEY"):
        provider.verify(signed("", make_event("charge.success", PAID)))


@pytest.mark.parametrize(
    "body",
    [*(b"", b"[]", b"{}", b"\xff", b'{"event": "charge.success", "data": {"reference": 1}}')],
)
def test_an_authentic_event_of_another_form_is_a_bad_request(body: bytes) -> None:
    with pytest.raises(BadRequest) as caught:
        paystack().verify(signed(Hosted.key, body))
    assert not isinstance(caught.value, Refused)
