from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.contracts.payments import PaymentState
from bot.errors import BadRequest, PersonError, Refused
from tests.billing.providers.parts import NOW, ORDER, OTHER, SECRET, settings_of, stripe
from tests.standins.payments_hosted import post, serve
from tests.standins.payments_stripe import Session, Stripe, event, signature, signed

SESSION = Session("cs_test_1", ORDER.id, 2500, "xof", "https://checkout.stripe.com/c", {})
COMPLETED = "checkout.session.completed"


@pytest.fixture
async def standin() -> AsyncIterator[Stripe]:
    async with serve(Stripe()) as running:
        yield running


# A page


async def test_a_page_is_opened_for_the_order(standin: Stripe) -> None:
    page = await stripe(standin).open(ORDER)
    session = standin.session(ORDER.id)
    assert (page.url, page.reference) == (session.url, session.id)
    assert (session.amount, session.currency) == (2500, "xof")
    (call,) = standin.calls
    assert call.fields["line_items[0][price_data][product_data][name]"] == "600 crédits Griot"
    assert call.fields["success_url"] == ORDER.return_url
    assert call.fields["cancel_url"] == ORDER.cancel_url
    assert call.fields["locale"] == "fr"
    assert ORDER.phone not in str(call)


async def test_an_order_opened_twice_has_one_page(standin: Stripe) -> None:
    provider = stripe(standin)
    assert await provider.open(ORDER) == await provider.open(ORDER)
    assert len(standin.sessions) == 1
    assert await provider.open(OTHER) != await provider.open(ORDER)


async def test_an_answer_that_was_lost_is_given_again(standin: Stripe) -> None:
    standin.misbehave("lost")
    with pytest.raises(ConnectionError):
        await stripe(standin).open(ORDER)
    page = await stripe(standin).open(ORDER)
    assert page.reference == standin.session(ORDER.id).id


async def test_a_language_that_stripe_may_not_know_is_left_to_it(standin: Stripe) -> None:
    await stripe(standin).open(replace(ORDER, language="dyu"))
    assert standin.calls[0].fields["locale"] == "auto"


# How it stands


async def test_nobody_has_paid_yet(standin: Stripe) -> None:
    page = await stripe(standin).open(ORDER)
    assert await stripe(standin).look_up(ORDER.id, page.reference) == PaymentState("waiting")


@pytest.mark.parametrize("is_known", [True, False], ids=["by its session", "by the order"])
async def test_what_was_paid_is_told_as_it_is(standin: Stripe, is_known: bool) -> None:
    page = await stripe(standin).open(ORDER)
    await stripe(standin).open(OTHER)
    standin.pay(OTHER.id)
    standin.pay(ORDER.id, amount=700, currency="xaf")
    charge = standin.session(ORDER.id).intent
    assert charge is not None
    state = await stripe(standin).look_up(ORDER.id, page.reference if is_known else "")
    assert state == PaymentState("paid", 700, "XAF", charge["id"])


async def test_a_payment_that_is_told_by_its_id_alone_counts(standin: Stripe) -> None:
    standin.expands_nothing = True
    page = await stripe(standin).open(ORDER)
    standin.begin_delayed(ORDER.id)
    assert (await stripe(standin).look_up(ORDER.id, page.reference)).state == "waiting"
    standin.pay(ORDER.id)
    charge = standin.session(ORDER.id).intent
    assert charge is not None
    state = await stripe(standin).look_up(ORDER.id, page.reference)
    assert state == PaymentState("paid", 2500, "XOF", charge["id"])


async def test_a_session_that_is_not_known_yet_waits(standin: Stripe) -> None:
    await stripe(standin).open(ORDER)
    assert (await stripe(standin).look_up(ORDER.id, "")).state == "waiting"


async def test_the_payment_of_another_order_is_not_found(standin: Stripe) -> None:
    standin.searches_badly = True
    for order in (OTHER, ORDER):
        await stripe(standin).open(order)
    standin.pay(OTHER.id)
    standin.begin_delayed(ORDER.id)
    assert (await stripe(standin).look_up(ORDER.id, "")).state == "waiting"
    standin.pay(ORDER.id, amount=700)
    assert (await stripe(standin).look_up(ORDER.id, "")).amount == 700


async def test_an_expired_page_is_the_end(standin: Stripe) -> None:
    page = await stripe(standin).open(ORDER)
    standin.expire(ORDER.id)
    assert await stripe(standin).look_up(ORDER.id, page.reference) == PaymentState("failed")


async def test_money_that_comes_later_is_waited_for(standin: Stripe) -> None:
    page = await stripe(standin).open(ORDER)
    standin.begin_delayed(ORDER.id)
    assert (await stripe(standin).look_up(ORDER.id, page.reference)).state == "waiting"
    standin.give_up_delayed(ORDER.id)
    assert (await stripe(standin).look_up(ORDER.id, page.reference)).state == "failed"


async def test_the_session_of_another_order_tells_nothing(standin: Stripe) -> None:
    page = await stripe(standin).open(OTHER)
    standin.pay(OTHER.id)
    with pytest.raises(ConnectionError, match="not this order's"):
        await stripe(standin).look_up(ORDER.id, page.reference)


async def test_a_session_that_stripe_does_not_know_is_no_answer(standin: Stripe) -> None:
    with pytest.raises(ConnectionError, match="404"):
        await stripe(standin).look_up(ORDER.id, "cs_test_/../none")


# A refund


async def test_money_is_given_back_once(standin: Stripe) -> None:
    page = await stripe(standin).open(ORDER)
    standin.pay(ORDER.id)
    state = await stripe(standin).look_up(ORDER.id, page.reference)
    await stripe(standin).refund(ORDER.id, state)
    await stripe(standin).refund(ORDER.id, state)
    standin.forget_keys()
    await stripe(standin).refund(ORDER.id, state)
    assert [refund["payment_intent"] for refund in standin.refunds] == [state.charge]


async def test_a_refund_that_fails_is_a_matter_for_a_person(standin: Stripe) -> None:
    page = await stripe(standin).open(ORDER)
    standin.pay(ORDER.id)
    state = await stripe(standin).look_up(ORDER.id, page.reference)
    standin.refusal = (400, "insufficient_funds", "You have insufficient funds")
    with pytest.raises(PersonError, match=r"insufficient funds.*dashboard"):
        await stripe(standin).refund(ORDER.id, state)
    standin.refusal, standin.refund_status = None, "failed"
    with pytest.raises(PersonError, match="dashboard"):
        await stripe(standin).refund(ORDER.id, state)


async def test_a_refund_that_stripe_is_too_busy_for_may_be_asked_again(standin: Stripe) -> None:
    standin.refusal = (409, "lock_timeout", "Try again")
    with pytest.raises(ConnectionError, match="409"):
        await stripe(standin).refund(ORDER.id, PaymentState("paid", 1, "XOF", "pi_1"))


# A callback


@pytest.mark.parametrize(
    "kind",
    [
        COMPLETED,
        "checkout.session.async_payment_succeeded",
        "checkout.session.async_payment_failed",
        "checkout.session.expired",
    ],
)
def test_an_authentic_event_names_the_order(kind: str) -> None:
    assert stripe().verify(signed(SECRET, event(kind, SESSION), NOW)) == ORDER.id


@pytest.mark.parametrize(
    ("kind", "order"),
    [("payment_intent.created", ORDER.id), (COMPLETED, "cart-17"), (COMPLETED, "")],
)
def test_an_event_about_nothing_of_ours_names_none(kind: str, order: str) -> None:
    assert stripe().verify(signed(SECRET, event(kind, replace(SESSION, order=order)), NOW)) == ""


def test_while_the_secret_is_changed_either_signature_counts() -> None:
    webhook = signed("whsec_older", event(COMPLETED, SESSION), NOW)
    new = signature(SECRET, webhook.body, NOW)
    old = webhook.headers["Stripe-Signature"]
    both = post(webhook.path, webhook.body, {"stripe-signature": f"{old}, v1={new}"})
    assert stripe().verify(both) == ORDER.id


@pytest.mark.parametrize("late", [301, -301], ids=["stale", "from the future"])
def test_a_signature_counts_for_five_minutes(late: int) -> None:
    webhook = signed(SECRET, event(COMPLETED, SESSION), NOW)
    nearly = late - 1 if late > 0 else late + 1
    assert stripe(now=NOW + nearly).verify(webhook) == ORDER.id
    with pytest.raises(Refused):
        stripe(now=NOW + late).verify(webhook)


def test_a_body_that_was_changed_is_refused() -> None:
    webhook = signed(SECRET, event(COMPLETED, SESSION), NOW)
    with pytest.raises(Refused):
        stripe().verify(replace(webhook, body=webhook.body.replace(b"2500", b"2501")))


def test_the_time_is_signed_too() -> None:
    webhook = signed(SECRET, event(COMPLETED, SESSION), NOW - 1000)
    later = webhook.headers["Stripe-Signature"].replace(str(NOW - 1000), str(NOW))
    with pytest.raises(Refused):
        stripe().verify(post(webhook.path, webhook.body, {"Stripe-Signature": later}))


_GOOD = signature(SECRET, b"{}", NOW)


@pytest.mark.parametrize(
    "header",
    [
        *("", "t=", f"t={NOW}", f"v1={_GOOD}", f"t=x,v1={_GOOD}", f"t={NOW},v1="),
        *(f"t={NOW},v0={_GOOD}", f"t={NOW},v1={_GOOD[:-1]}", f"t={NOW},v1=\udcff"),
        *(f"t={NOW},t={NOW},v1={_GOOD}", f"t={'9' * 5000},v1={_GOOD}", f"t=-{NOW},v1={_GOOD}"),
        *(f"t=²,v1={_GOOD}", f"t={NOW}" + ",v1=0" * 16 + f",v1={_GOOD}"),
    ],
)
def test_a_missing_or_odd_signature_is_refused(header: str) -> None:
    with pytest.raises(Refused):
        stripe().verify(post("/", b"{}", {"Stripe-Signature": header} if header else {}))


@pytest.mark.parametrize("at", ["x", "²", "-5", "9" * 4000, ""])
def test_a_time_that_is_none_is_refused_even_where_it_is_signed(at: str) -> None:
    with pytest.raises(Refused):
        stripe().verify(signed(SECRET, event(COMPLETED, SESSION), at))


def test_without_a_secret_nothing_is_authentic() -> None:
    provider = type(stripe())(settings_of(None, secret=""), clock=lambda: NOW)
    with pytest.raises(Refused, match="STRIPE_WEBHOOK_SECRET"):
        provider.verify(signed("", event(COMPLETED, SESSION), NOW))


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"[]", b"{}", b'"x"', b"\xff", b'{"type": 1}', b"[" * 100_000),
        b'{"type": "checkout.session.completed", "data": {"object": {"client_reference_id": 1}}}',
    ],
)
def test_an_authentic_event_of_another_form_is_a_bad_request(body: bytes) -> None:
    with pytest.raises(BadRequest) as caught:
        stripe().verify(signed(SECRET, body, NOW))
    assert not isinstance(caught.value, Refused)
