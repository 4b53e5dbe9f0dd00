from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.billing.providers.cinetpay import CinetPayV1
from bot.contracts.payments import PaymentProvider, PaymentState
from bot.errors import BadRequest, PersonError, Refused
from bot.settings import Settings
from tests.billing.providers.orders import ORDER, callback, hasty, settings_of, state_of
from tests.standins.payments_cinetpay_v1 import CinetPayV1StandIn


@pytest.fixture
async def desk() -> AsyncIterator[CinetPayV1StandIn]:
    async with CinetPayV1StandIn() as desk:
        yield desk


@pytest.fixture
def provider(desk: CinetPayV1StandIn) -> PaymentProvider:
    return CinetPayV1(settings_of(desk.settings))


async def test_a_page_is_made_as_cinetpay_wants_it(
    desk: CinetPayV1StandIn, provider: PaymentProvider
) -> None:
    page = await provider.open(ORDER)
    assert page.url.startswith("https://secure.cinetpay.net/checkout/")
    asked = desk.payments[ORDER.id]
    assert page.reference == asked["transaction_id"]
    assert (asked["amount"], asked["currency"], asked["lang"]) == (500, "XOF", "fr")
    assert asked["success_url"] == ORDER.return_url
    assert asked["failed_url"] == ORDER.cancel_url
    assert asked["notify_url"].startswith(ORDER.callback_url + "?key=")
    assert ORDER.phone not in str(asked)
    assert desk.violations == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"amount": 99}, "100 to 2500000"),
        ({"amount": 2_500_001}, "100 to 2500000"),
        ({"callback_url": "https://griot.example/" + "x" * 70}, "120 characters"),
    ],
)
async def test_what_cinetpay_would_refuse_is_not_asked_for(
    desk: CinetPayV1StandIn, provider: PaymentProvider, changes: dict[str, object], words: str
) -> None:
    with pytest.raises(ConnectionError, match=words):
        await provider.open(replace(ORDER, **changes))
    assert desk.calls == []


async def test_opened_twice_there_is_one_payment(
    desk: CinetPayV1StandIn, provider: PaymentProvider
) -> None:
    await provider.open(ORDER)
    with pytest.raises(ConnectionError, match="400 1200"):
        await provider.open(ORDER)
    assert list(desk.payments) == [ORDER.id]


async def test_a_payment_whose_answer_was_lost_is_not_asked_for_again(
    desk: CinetPayV1StandIn,
) -> None:
    provider = CinetPayV1(settings_of(desk.settings), hasty)
    assert await state_of(provider) == "waiting"  # has a token now
    desk.hang_next(accept=True)
    with pytest.raises(ConnectionError):
        await provider.open(ORDER)
    assert desk.count("POST", "/v1/payment") == 1
    assert await state_of(provider) == "waiting"


@pytest.mark.parametrize(
    ("country", "currency"), [("CI", "XOF"), ("SN", "XOF"), ("CM", "XAF"), ("GA", "XAF")]
)
def test_an_account_has_the_currency_of_its_country(country: str, currency: str) -> None:
    provider = CinetPayV1(Settings.model_validate({"cinetpay_country": country}))
    assert list(provider.currencies) == [currency]


# The access token


async def test_a_token_serves_until_it_ends(desk: CinetPayV1StandIn) -> None:
    now = 1000.0
    provider = CinetPayV1(settings_of(desk.settings), clock=lambda: now)
    await provider.open(ORDER)
    await state_of(provider)
    assert desk.logins == 1
    now += 86_400 - 60
    await state_of(provider)
    assert desk.logins == 2


@pytest.mark.parametrize("status", [200, 400, 401, 403])
async def test_a_token_that_is_refused_is_fetched_anew_once(
    desk: CinetPayV1StandIn, provider: PaymentProvider, status: int
) -> None:
    await state_of(provider)
    desk.error_status = status
    desk.revoke_tokens()
    await provider.open(ORDER)
    assert list(desk.payments) == [ORDER.id]
    assert desk.logins == 2


async def test_a_token_that_is_refused_twice_is_a_connection_error(
    desk: CinetPayV1StandIn, provider: PaymentProvider
) -> None:
    await provider.open(ORDER)
    desk.reply({"code": 1003, "status": "EXPIRED_TOKEN"})
    desk.reply({"code": 200, "access_token": "of nobody"})
    with pytest.raises(ConnectionError, match="401 1003"):
        await provider.look_up(ORDER.id, "")


@pytest.mark.parametrize("status", [200, 400, 401, 422])
@pytest.mark.parametrize("name", ["cinetpay_api_key", "cinetpay_api_password"])
async def test_wrong_keys_are_a_connection_error_that_does_not_tell_them(
    desk: CinetPayV1StandIn, name: str, status: int
) -> None:
    desk.error_status = status
    provider = CinetPayV1(settings_of({**desk.settings, name: "sesame"}))
    with pytest.raises(ConnectionError, match="401 1005") as failed:
        await provider.open(ORDER)
    assert "sesame" not in str(failed.value)
    assert desk.logins == 1


# Looking up


async def test_what_is_paid_is_told_without_its_amount(
    desk: CinetPayV1StandIn, provider: PaymentProvider
) -> None:
    await provider.open(ORDER)
    desk.pay(ORDER.id)
    assert await provider.look_up(ORDER.id, "") == PaymentState("paid", None)


async def test_an_amount_that_is_told_counts(
    desk: CinetPayV1StandIn, provider: PaymentProvider
) -> None:
    await provider.open(ORDER)
    desk.pay(ORDER.id, amount=100)
    assert await provider.look_up(ORDER.id, "") == PaymentState("paid", 100, "XOF")
    desk.told = {"amount": 100, "currency": None}
    assert await provider.look_up(ORDER.id, "") == PaymentState("paid", 100, "XOF")


async def test_until_it_is_paid_or_refused_it_waits(
    desk: CinetPayV1StandIn, provider: PaymentProvider
) -> None:
    assert await state_of(provider) == "waiting"  # never opened
    await provider.open(ORDER)
    for status in ("INITIATED", "PENDING", "EXPIRED", "INSUFFICIENT_BALANCE", "OTP_ERROR"):
        desk.stand(ORDER.id, status)
        assert await state_of(provider) == "waiting"
    desk.stand(ORDER.id, "FAILED")
    assert await state_of(provider) == "failed"


@pytest.mark.parametrize(
    "body",
    [
        b'{"code": 100, "status": "BLESSED", "merchant_transaction_id": "%s"}',
        b'{"code": 100, "status": "SUCCESS", "merchant_transaction_id": "another"}',
        b'{"code": 100, "status": "SUCCESS"}',
        b'{"code": 100, "status": "SUCCESS", "merchant_transaction_id": "%s", "amount": "much"}',
        b'{"code": 100, "merchant_transaction_id": "%s"}',
        b"[]",
        b"<html>",
        b"",
    ],
)
async def test_what_cinetpay_has_not_published_pays_nothing(
    desk: CinetPayV1StandIn, provider: PaymentProvider, body: bytes
) -> None:
    await provider.open(ORDER)
    desk.pay(ORDER.id)
    desk.answer_next(200, body.replace(b"%s", ORDER.id.encode()))
    with pytest.raises(ConnectionError):
        await provider.look_up(ORDER.id, "")
    assert await state_of(provider) == "paid"


async def test_unreachable_in_any_way_is_a_connection_error(desk: CinetPayV1StandIn) -> None:
    provider = CinetPayV1(settings_of(desk.settings), hasty)
    for break_next in (desk.hang_next, desk.reset_next, lambda: desk.answer_next(500, b"<html>")):
        break_next()
        with pytest.raises(ConnectionError):
            await provider.open(ORDER)
        break_next()
        with pytest.raises(ConnectionError):
            await provider.look_up(ORDER.id, "")
    await state_of(provider)
    desk.reply({"code": 200, "payment_url": "javascript:alert(1)"})
    with pytest.raises(ConnectionError):
        await provider.open(ORDER)


# Callbacks


async def test_a_notification_names_its_order(
    desk: CinetPayV1StandIn, provider: PaymentProvider
) -> None:
    await provider.open(ORDER)
    path, body = desk.notification(ORDER.id)
    assert provider.verify(callback({}, body, path=path)) == ORDER.id


async def test_a_notification_to_another_address_is_refused(
    desk: CinetPayV1StandIn, provider: PaymentProvider
) -> None:
    await provider.open(ORDER)
    path, body = desk.notification(ORDER.id)
    bare = path.partition("?")[0]
    keyless = CinetPayV1(Settings.model_validate(desk.settings))
    for judge, given in (
        (provider, bare),
        (provider, f"{bare}?key="),
        (provider, path[:-1]),
        (provider, f"{bare}?" + "&".join(["key=x"] * 21)),
        (keyless, f"{bare}?key="),
    ):
        with pytest.raises(Refused):
            judge.verify(callback({}, body, path=given))


async def test_a_notification_is_good_after_the_secret_key_was_changed(
    desk: CinetPayV1StandIn, provider: PaymentProvider
) -> None:
    await provider.open(ORDER)
    path, body = desk.notification(ORDER.id)
    keys = {"secret_key": "a newer one", "secret_key_previous": "a secret for tests only"}
    assert (
        CinetPayV1(settings_of({**desk.settings, **keys})).verify(callback({}, body, path=path))
        == ORDER.id
    )


async def test_a_notification_about_nothing_of_ours_or_a_ping_is_about_nothing(
    desk: CinetPayV1StandIn, provider: PaymentProvider
) -> None:
    await provider.open(ORDER)
    path, _ = desk.notification(ORDER.id)
    for body in (b'{"merchant_transaction_id": "shop-7"}', b"{}"):
        assert provider.verify(callback({}, body, path=path)) == ""
    assert provider.verify(callback({}, b"", method="GET")) == ""


@pytest.mark.parametrize("body", [b"", b"[]", b"\xff", b'{"merchant_transaction_id": 7}'])
async def test_what_is_no_notification_is_a_bad_request(
    desk: CinetPayV1StandIn, provider: PaymentProvider, body: bytes
) -> None:
    await provider.open(ORDER)
    path, _ = desk.notification(ORDER.id)
    with pytest.raises(BadRequest) as error:
        provider.verify(callback({}, body, path=path))
    assert error.value.status == 400


async def test_a_refund_says_where_it_is_made(
    desk: CinetPayV1StandIn, provider: PaymentProvider
) -> None:
    with pytest.raises(PersonError, match=ORDER.id):
        await provider.refund(ORDER.id, PaymentState("paid", 500, "XOF"))
    assert desk.calls == []
