from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from urllib.parse import parse_qsl

import pytest

from bot.billing.providers.cinetpay import CinetPay
from bot.contracts.payments import PaymentProvider, PaymentState
from bot.errors import BadRequest, PersonError, Refused
from tests.billing.providers.orders import ORDER, OTHER, callback, hasty, settings_of, state_of
from tests.standins import payments_cinetpay as standin
from tests.standins.payments_cinetpay import CinetPayStandIn


@pytest.fixture
async def desk() -> AsyncIterator[CinetPayStandIn]:
    async with CinetPayStandIn() as desk:
        yield desk


@pytest.fixture
def provider(desk: CinetPayStandIn) -> PaymentProvider:
    return CinetPay(settings_of(desk.settings))


async def test_a_page_is_made_as_cinetpay_wants_it(
    desk: CinetPayStandIn, provider: PaymentProvider
) -> None:
    page = await provider.open(ORDER)
    assert page.url.startswith("https://checkout.cinetpay.com/payment/")
    assert page.reference == ""
    question = desk.transactions[ORDER.id].question
    assert question["amount"] == 500
    assert question["channels"] == "ALL"
    assert question["notify_url"] == ORDER.callback_url
    assert question["return_url"] == ORDER.return_url
    assert question["lang"] == "fr"
    assert desk.violations == []


async def test_what_cinetpay_does_not_want_in_a_description_is_left_out(
    desk: CinetPayStandIn, provider: PaymentProvider
) -> None:
    await provider.open(replace(ORDER, title="120 crédits & #1_Griot/$"))
    assert desk.transactions[ORDER.id].question["description"] == "120 crédits 1 Griot"
    assert desk.violations == []


async def test_an_amount_that_is_no_multiple_of_five_is_not_asked_for(
    desk: CinetPayStandIn, provider: PaymentProvider
) -> None:
    with pytest.raises(ConnectionError, match="multiples of 5"):
        await provider.open(replace(ORDER, amount=502))
    assert desk.calls == []


async def test_opened_twice_there_is_one_transaction_to_pay(
    desk: CinetPayStandIn, provider: PaymentProvider
) -> None:
    await provider.open(ORDER)
    with pytest.raises(ConnectionError, match="400 624"):
        await provider.open(ORDER)
    assert list(desk.transactions) == [ORDER.id]


async def test_wrong_keys_are_a_connection_error_that_does_not_tell_them(
    desk: CinetPayStandIn,
) -> None:
    for name in ("cinetpay_api_key", "cinetpay_site_id"):
        provider = CinetPay(settings_of({**desk.settings, name: "sesame"}))
        with pytest.raises(ConnectionError, match="answered 40") as failed:
            await provider.open(ORDER)
        assert "sesame" not in str(failed.value)


# Looking up


async def test_what_is_paid_is_told_with_its_amount(
    desk: CinetPayStandIn, provider: PaymentProvider
) -> None:
    await provider.open(ORDER)
    desk.pay(ORDER.id)
    assert await provider.look_up(ORDER.id, "") == PaymentState("paid", 500, "XOF")
    desk.pay(ORDER.id, amount=100, currency="XAF")
    assert await provider.look_up(ORDER.id, "") == PaymentState("paid", 100, "XAF")


@pytest.mark.parametrize("check_status", [200, 400, 404])
async def test_until_it_is_paid_or_refused_it_waits(
    desk: CinetPayStandIn, provider: PaymentProvider, check_status: int
) -> None:
    desk.check_status = check_status
    await provider.open(ORDER)
    assert await state_of(provider) == "waiting"
    for status in ("PENDING", "WAITING_FOR_CUSTOMER", "WAITING_CUSTOMER_OTP_CODE"):
        desk.stand(ORDER.id, status)
        assert await state_of(provider) == "waiting"
    desk.stand(ORDER.id, "REFUSED")
    assert await state_of(provider) == "failed"


@pytest.mark.parametrize(
    "body",
    [
        b'{"code": "00", "message": "SUCCES", "data": {"status": "BLESSED", "amount": "500"}}',
        b'{"code": "662", "message": "SUCCES", "data": {"status": "ACCEPTED", "amount": "500"}}',
        b'{"code": "00", "message": "SUCCES", "data": {"status": "ACCEPTED", "amount": "much"}}',
        b'{"code": "00", "message": "SUCCES", "data": {"status": "ACCEPTED", "amount": null}}',
        b'{"code": "00", "message": "SUCCES", "data": {"amount": "500"}}',
        b'{"code": "00", "message": "SUCCES"}',
        b'{"code": "00", "message": "SUCCES", "data": "ACCEPTED"}',
        b"[]",
        b"<html>",
        b"",
    ],
)
async def test_what_cinetpay_has_not_published_pays_nothing(
    desk: CinetPayStandIn, provider: PaymentProvider, body: bytes
) -> None:
    await provider.open(ORDER)
    desk.pay(ORDER.id)
    desk.answer_next(200, body)
    with pytest.raises(ConnectionError):
        await provider.look_up(ORDER.id, "")
    assert await state_of(provider) == "paid"


async def test_an_unknown_transaction_is_no_answer(provider: PaymentProvider) -> None:
    with pytest.raises(ConnectionError, match="404 624"):
        await provider.look_up(ORDER.id, "")


async def test_unreachable_in_any_way_is_a_connection_error(desk: CinetPayStandIn) -> None:
    provider = CinetPay(settings_of(desk.settings), hasty)
    for break_next in (desk.hang_next, desk.reset_next, lambda: desk.answer_next(500, b"<html>")):
        break_next()
        with pytest.raises(ConnectionError):
            await provider.open(ORDER)
        break_next()
        with pytest.raises(ConnectionError):
            await provider.look_up(ORDER.id, "")
    desk.answer_next(200, b'{"code": "201", "data": {"payment_url": "javascript:alert(1)"}}')
    with pytest.raises(ConnectionError):
        await provider.open(ORDER)


# Callbacks


def test_a_notification_names_its_order(provider: PaymentProvider, desk: CinetPayStandIn) -> None:
    assert provider.verify(callback(*desk.notification(ORDER.id))) == ORDER.id


def test_the_token_of_the_older_documentation_counts_too(
    provider: PaymentProvider, desk: CinetPayStandIn
) -> None:
    headers, body = desk.notification(ORDER.id, cpm_error_message="")
    assert provider.verify(callback(headers, body + b"SUCCES")) == ORDER.id


def test_a_notification_of_bytes_that_are_no_utf_8_is_compared_as_it_came(
    provider: PaymentProvider, desk: CinetPayStandIn
) -> None:
    headers, body = desk.notification(ORDER.id, encoding="latin-1")
    assert b"cr%E9dits" in body
    assert provider.verify(callback(headers, body)) == ORDER.id
    for odd in (body.replace(b"%E9", b"%C3%A9"), body.replace(b"%E9", b"\xe9")):
        with pytest.raises(Refused):
            provider.verify(callback(headers, odd))
    with pytest.raises(Refused):
        provider.verify(callback({"x-token": "\udce9"}, body))


@pytest.mark.parametrize("name", ["cpm_trans_id", "cpm_amount", "cpm_custom", "payment_method"])
def test_a_changed_field_is_refused(
    provider: PaymentProvider, desk: CinetPayStandIn, name: str
) -> None:
    headers, _ = desk.notification(ORDER.id)
    _, body = desk.notification(ORDER.id, **{name: "changed"})
    with pytest.raises(Refused, match="token"):
        provider.verify(callback(headers, body))


def test_another_orders_token_none_or_another_key_is_refused(
    provider: PaymentProvider, desk: CinetPayStandIn
) -> None:
    headers, body = desk.notification(ORDER.id)
    fields = dict(parse_qsl(body.decode()))
    first_three = {name: fields[name] for name in list(fields)[:3]}
    keyless = CinetPay(settings_of({**desk.settings, "cinetpay_secret_key": ""}))
    other_key = CinetPay(settings_of({**desk.settings, "cinetpay_secret_key": "another"}))
    for judge, given in (
        (provider, {"x-token": desk.notification(OTHER.id)[0]["x-token"]}),
        (provider, {"x-token": ""}),
        (provider, {}),
        (provider, {"x-token": standin.token(first_three)}),
        (keyless, {"x-token": standin.token(fields, secret="")}),
        (other_key, headers),
    ):
        with pytest.raises(Refused):
            judge.verify(callback(given, body))


def test_another_sites_notification_is_refused(
    provider: PaymentProvider, desk: CinetPayStandIn
) -> None:
    with pytest.raises(Refused, match="site"):
        provider.verify(callback(*desk.notification(ORDER.id, cpm_site_id="445161")))


def test_fields_whose_ends_are_moved_are_refused(
    provider: PaymentProvider, desk: CinetPayStandIn
) -> None:
    headers, body = desk.notification(ORDER.id)
    moved = body.replace(
        f"cpm_site_id={standin.SITE}&cpm_trans_id={ORDER.id[0]}".encode(),
        f"cpm_site_id={standin.SITE}{ORDER.id[0]}&cpm_trans_id=".encode(),
    )
    assert moved != body
    with pytest.raises(Refused, match="site"):
        provider.verify(callback(headers, moved))


def test_a_notification_without_a_transaction_is_a_bad_request(
    provider: PaymentProvider, desk: CinetPayStandIn
) -> None:
    with pytest.raises(BadRequest, match="cpm_trans_id") as error:
        provider.verify(callback(*desk.notification("")))
    assert error.value.status == 400


def test_a_transaction_of_another_shop_on_our_site_is_about_nothing_of_ours(
    provider: PaymentProvider, desk: CinetPayStandIn
) -> None:
    assert provider.verify(callback(*desk.notification("shop-7"))) == ""


def test_a_ping_is_about_nothing(provider: PaymentProvider) -> None:
    assert provider.verify(callback({}, b"", method="GET")) == ""


@pytest.mark.parametrize(
    "body", [b"", b"\xff\xfe", b"&".join([b"a=1"] * 101), b"{}", "cpm_site_id=é".encode()]
)
def test_what_is_no_notification_is_refused(provider: PaymentProvider, body: bytes) -> None:
    with pytest.raises(Refused):
        provider.verify(callback({"x-token": "0" * 64}, body))


async def test_a_refund_says_where_it_is_made(
    desk: CinetPayStandIn, provider: PaymentProvider
) -> None:
    with pytest.raises(PersonError, match=ORDER.id):
        await provider.refund(ORDER.id, PaymentState("paid", 500, "XOF"))
    assert desk.calls == []
