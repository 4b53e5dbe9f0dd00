from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.billing.providers.wave import TOLERANCE, Wave
from bot.contracts.payments import Order, PaymentProvider, PaymentState
from bot.errors import BadRequest, PersonError, Refused
from tests.billing.providers.orders import ORDER, OTHER, callback, hasty, settings_of, state_of
from tests.standins import payments_wave as standin
from tests.standins.payments_wave import WaveStandIn

NOW = 1_795_000_000.0
COMPLETED = "checkout.session.completed"


@pytest.fixture
async def desk() -> AsyncIterator[WaveStandIn]:
    async with WaveStandIn() as desk:
        yield desk


@pytest.fixture
def provider(desk: WaveStandIn) -> PaymentProvider:
    return Wave(settings_of(desk.settings), clock=lambda: NOW)


async def paid_session(desk: WaveStandIn, provider: PaymentProvider, order: Order = ORDER) -> str:
    session = (await provider.open(order)).reference
    desk.pay(session)
    return session


async def test_a_session_is_made_as_wave_wants_it(
    desk: WaveStandIn, provider: PaymentProvider
) -> None:
    page = await provider.open(ORDER)
    session = desk.sessions[page.reference]
    assert page.url == session["wave_launch_url"]
    assert session["amount"] == "500"
    assert session["client_reference"] == ORDER.id
    assert session["success_url"] == ORDER.return_url
    assert session["error_url"] == ORDER.cancel_url
    assert desk.violations == []


async def test_opened_twice_it_is_the_same_page(
    desk: WaveStandIn, provider: PaymentProvider
) -> None:
    assert await provider.open(ORDER) == await provider.open(ORDER)
    desk.fail((await provider.open(ORDER)).reference)
    await provider.open(ORDER)
    assert len(desk.sessions) == 1


async def test_opened_at_once_by_two_there_is_one_session(
    desk: WaveStandIn, provider: PaymentProvider
) -> None:
    pages = await asyncio.gather(*(provider.open(ORDER) for _ in range(3)))
    assert len(desk.sessions) == len(set(pages)) == 1


async def test_an_answer_that_was_lost_does_not_make_a_second_session(desk: WaveStandIn) -> None:
    provider = Wave(settings_of(desk.settings), hasty)
    desk.answer_next(200, b'{"result": []}')
    desk.hang_next(accept=True)
    with pytest.raises(ConnectionError):
        await provider.open(ORDER)
    page = await provider.open(ORDER)
    assert [page.reference] == list(desk.sessions)


async def test_each_order_has_its_own_page(desk: WaveStandIn, provider: PaymentProvider) -> None:
    assert await provider.open(ORDER) != await provider.open(OTHER)
    assert desk.violations == []


async def test_a_refused_question_is_a_connection_error_with_waves_code(
    desk: WaveStandIn, provider: PaymentProvider
) -> None:
    with pytest.raises(ConnectionError, match="400 request-validation-error"):
        await provider.open(replace(ORDER, currency="XAF"))
    stranger = Wave(settings_of({**desk.settings, "wave_api_key": "sesame"}))
    with pytest.raises(ConnectionError, match="401 no-matching-api-key") as failed:
        await stranger.open(ORDER)
    assert "sesame" not in str(failed.value)


# Looking up


async def test_what_is_paid_is_told_with_its_amount_and_session(
    desk: WaveStandIn, provider: PaymentProvider
) -> None:
    session = await paid_session(desk, provider)
    expected = PaymentState("paid", 500, "XOF", charge=session)
    assert await provider.look_up(ORDER.id, session) == expected
    desk.pay(session, amount="100", currency="USD")
    expected = PaymentState("paid", 100, "USD", charge=session)
    assert await provider.look_up(ORDER.id, session) == expected


@pytest.mark.parametrize("bare_lists", [False, True])
async def test_a_callback_before_our_note_of_the_session_finds_it_all_the_same(
    desk: WaveStandIn, provider: PaymentProvider, bare_lists: bool
) -> None:
    desk.bare_lists = bare_lists
    session = await paid_session(desk, provider)
    await paid_session(desk, provider, OTHER)
    assert (await provider.look_up(ORDER.id, "")).charge == session


async def test_whichever_session_of_the_order_was_paid_counts(
    desk: WaveStandIn, provider: PaymentProvider
) -> None:
    first = (await provider.open(ORDER)).reference
    desk.sessions["cos-second"] = desk.sessions[first] | {"id": "cos-second"}
    desk.pay(first)
    assert (await provider.look_up(ORDER.id, "cos-second")).charge == first


async def test_a_session_waits_until_it_is_paid_or_expired(
    desk: WaveStandIn, provider: PaymentProvider
) -> None:
    assert await state_of(provider) == "waiting"
    session = (await provider.open(ORDER)).reference
    assert await state_of(provider, reference=session) == "waiting"
    desk.fail(session)
    assert await state_of(provider, reference=session) == "waiting"
    desk.sessions[session]["payment_status"] = "cancelled"
    assert await state_of(provider, reference=session) == "waiting"
    desk.sessions[session] |= {"checkout_status": "complete", "payment_status": "processing"}
    assert await state_of(provider, reference=session) == "waiting"
    desk.expire(session)
    assert await state_of(provider, reference=session) == "failed"
    assert await state_of(provider) == "failed"


async def test_an_expired_session_beside_an_open_one_has_not_failed(
    desk: WaveStandIn, provider: PaymentProvider
) -> None:
    first = (await provider.open(ORDER)).reference
    desk.sessions["cos-second"] = desk.sessions[first] | {"id": "cos-second"}
    desk.expire(first)
    assert await state_of(provider, reference=first) == "waiting"


async def test_a_search_that_answers_404_has_found_nothing(
    desk: WaveStandIn, provider: PaymentProvider
) -> None:
    desk.answer_next(404, b'{"code": "checkout-session-not-found"}')
    assert await state_of(provider) == "waiting"


@pytest.mark.parametrize(
    "body",
    [
        b'{"id": "cos-1", "amount": "x", "currency": "XOF", "checkout_status": "complete",'
        b' "payment_status": "succeeded"}',
        b'{"id": "cos-1", "amount": "500", "currency": "XOF", "checkout_status": "complete",'
        b' "payment_status": "blessed"}',
        b'{"payment_status": "succeeded"}',
        b"[]",
        b"<html>",
        b"",
    ],
)
async def test_what_wave_has_not_published_pays_nothing(
    desk: WaveStandIn, provider: PaymentProvider, body: bytes
) -> None:
    session = await paid_session(desk, provider)
    desk.answer_next(200, body)
    with pytest.raises(ConnectionError):
        await provider.look_up(ORDER.id, session)


async def test_a_search_is_not_believed_about_others(
    desk: WaveStandIn, provider: PaymentProvider
) -> None:
    session = await paid_session(desk, provider, OTHER)
    desk.sessions[session]["client_reference"] = None
    body = f'{{"result": [{{"id": "{session}", "amount": "500", "currency": "XOF",'
    body += '"checkout_status": "complete", "payment_status": "succeeded"}]}'
    desk.answer_next(200, body.encode())
    assert await state_of(provider) == "waiting"


async def test_a_session_unknown_to_wave_is_no_answer(provider: PaymentProvider) -> None:
    with pytest.raises(ConnectionError, match="404 checkout-session-not-found"):
        await provider.look_up(ORDER.id, "cos-unknown")


async def test_an_odd_session_stays_in_its_place_in_the_address(
    desk: WaveStandIn, provider: PaymentProvider
) -> None:
    with pytest.raises(ConnectionError):
        await provider.look_up(ORDER.id, "../../v1/payouts?a=1")
    assert desk.calls[0].path == "/v1/checkout/sessions/..%2F..%2Fv1%2Fpayouts%3Fa%3D1"


async def test_unreachable_in_any_way_is_a_connection_error(desk: WaveStandIn) -> None:
    provider = Wave(settings_of(desk.settings), hasty)
    state = PaymentState("paid", 500, "XOF", charge="cos-1")
    for break_next in (desk.hang_next, desk.reset_next, lambda: desk.answer_next(500, b"<html>")):
        for attempt in (
            lambda: provider.open(ORDER),
            lambda: provider.look_up(ORDER.id, "cos-1"),
            lambda: provider.look_up(ORDER.id, ""),
            lambda: provider.refund(ORDER.id, state),
        ):
            break_next()
            break_next()  # a GET whose connection was cut is asked once more
            with pytest.raises(ConnectionError):
                await attempt()
            desk.mend()


# Callbacks


def told(order: str | None = ORDER.id) -> dict[str, object]:
    return {"id": "cos-1", "client_reference": order, "payment_status": "succeeded"}


@pytest.mark.parametrize("kind", [COMPLETED, "checkout.session.payment_failed"])
def test_an_event_names_its_order(provider: PaymentProvider, desk: WaveStandIn, kind: str) -> None:
    assert provider.verify(callback(*desk.event(kind, told(), NOW))) == ORDER.id


@pytest.mark.parametrize(
    ("kind", "about"),
    [
        (COMPLETED, told("shop-7")),
        (COMPLETED, told(None)),
        (COMPLETED, {"client_reference": 7}),
        ("merchant.payment_received", {"id": "T_1"}),
        ("test.test_event", {"test_key": "test_value"}),
    ],
)
def test_an_event_about_something_else_is_about_nothing_of_ours(
    provider: PaymentProvider, desk: WaveStandIn, kind: str, about: object
) -> None:
    assert provider.verify(callback(*desk.event(kind, about, NOW))) == ""


def test_one_right_signature_of_several_is_enough(
    provider: PaymentProvider, desk: WaveStandIn
) -> None:
    headers, body = desk.event(COMPLETED, told(), NOW)
    stamp, right = headers["Wave-Signature"].split(",")
    turned = {"Wave-Signature": f"{stamp}, v1={'0' * 64}, {right}"}
    assert provider.verify(callback(turned, body)) == ORDER.id
    for wrong in (stamp, f"{stamp},v1={'0' * 64},v1={'1' * 64}", f"{stamp},v0={right[3:]}"):
        with pytest.raises(Refused, match="wrong"):
            provider.verify(callback({"Wave-Signature": wrong}, body))


def test_a_tampered_body_or_time_is_refused(provider: PaymentProvider, desk: WaveStandIn) -> None:
    headers, body = desk.event(COMPLETED, told(), NOW)
    with pytest.raises(Refused):
        provider.verify(callback(headers, body.replace(ORDER.id.encode(), OTHER.id.encode())))
    later = headers["Wave-Signature"].replace(str(int(NOW)), str(int(NOW) + 1))
    with pytest.raises(Refused):
        provider.verify(callback({"Wave-Signature": later}, body))


@pytest.mark.parametrize("age", [TOLERANCE + 1, -TOLERANCE - 1])
def test_a_copy_sent_again_later_is_refused(
    provider: PaymentProvider, desk: WaveStandIn, age: float
) -> None:
    with pytest.raises(Refused, match="time"):
        provider.verify(callback(*desk.event(COMPLETED, told(), NOW - age)))
    inside = age - 1 if age > 0 else age + 1
    assert provider.verify(callback(*desk.event(COMPLETED, told(), NOW - inside))) == ORDER.id


@pytest.mark.parametrize(
    "header",
    ["", "v1=" + "0" * 64, "t=,v1=0", "t=1,t=2,v1=0", "t=x,v1=0", "t=" + "1" * 5000, "t=٥,v1=0"],
)
def test_a_header_that_is_none_of_waves_is_refused(
    provider: PaymentProvider, desk: WaveStandIn, header: str
) -> None:
    _, body = desk.event(COMPLETED, told(), NOW)
    with pytest.raises(Refused):
        provider.verify(callback({"Wave-Signature": header} if header else {}, body))


@pytest.mark.parametrize("stamp", ["1" * 5000, "\u0665", "", "-5", "5.0"])
def test_a_time_that_is_none_is_refused_though_it_is_signed(
    provider: PaymentProvider, stamp: str
) -> None:
    with pytest.raises(Refused, match="missing"):
        provider.verify(callback({"Wave-Signature": standin.signature(b"{}", stamp)}, b"{}"))


def test_without_a_secret_nothing_is_authentic(desk: WaveStandIn) -> None:
    provider = Wave(settings_of({**desk.settings, "wave_webhook_secret": ""}), clock=lambda: NOW)
    body = b"{}"
    with pytest.raises(Refused):
        provider.verify(callback({"Wave-Signature": standin.signature(body, NOW, "")}, body))


@pytest.mark.parametrize("body", [b"[]", b"<html>", b"", b'{"type": 1, "data": {}}', b"[" * 99_999])
def test_what_is_signed_but_no_event_is_a_bad_request(
    provider: PaymentProvider, body: bytes
) -> None:
    with pytest.raises(BadRequest, match="not an event as published") as error:
        provider.verify(callback({"Wave-Signature": standin.signature(body, NOW)}, body))
    assert error.value.status == 400


# Refunds


async def test_money_goes_back_once_however_often_it_is_asked(
    desk: WaveStandIn, provider: PaymentProvider
) -> None:
    session = await paid_session(desk, provider)
    state = await provider.look_up(ORDER.id, session)
    await provider.refund(ORDER.id, state)
    await provider.refund(ORDER.id, state)
    assert desk.refunds == [session]


async def test_what_is_not_paid_is_not_refunded(
    desk: WaveStandIn, provider: PaymentProvider
) -> None:
    session = (await provider.open(ORDER)).reference
    with pytest.raises(PersonError, match="checkout-refund-failed"):
        await provider.refund(ORDER.id, PaymentState("paid", 500, "XOF", charge=session))
    with pytest.raises(ConnectionError, match="none is named"):
        await provider.refund(ORDER.id, PaymentState("paid", 500, "XOF"))
    assert desk.refunds == []
