from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from pydantic import ValidationError

from bot.billing.providers.mtn_momo import CURRENCIES, MtnMomo
from bot.contracts.payments import PaymentProvider, PaymentState
from bot.errors import BadRequest, NumberUnknown, PersonError, Refused, WalletUnknown
from bot.settings import Settings
from tests.billing.providers.orders import ORDER, OTHER, callback, hasty, settings_of, state_of
from tests.standins.payments_mtn_momo import MtnMomoStandIn


@pytest.fixture
async def desk() -> AsyncIterator[MtnMomoStandIn]:
    async with MtnMomoStandIn() as desk:
        yield desk


@pytest.fixture
def provider(desk: MtnMomoStandIn) -> PaymentProvider:
    return MtnMomo(settings_of(desk.settings))


async def test_the_person_is_asked_on_their_phone(
    desk: MtnMomoStandIn, provider: PaymentProvider
) -> None:
    page = await provider.open(ORDER)
    assert page.url == ""
    request = desk.requests[page.reference]
    assert request["payer"] == {"partyIdType": "MSISDN", "partyId": "2250700000001"}
    assert (request["amount"], request["currency"]) == ("500", "XOF")
    assert request["externalId"] == ORDER.id
    assert request["payerMessage"] == "120 credits Griot"
    assert desk.violations == []


async def test_a_long_title_is_cut(desk: MtnMomoStandIn, provider: PaymentProvider) -> None:
    page = await provider.open(replace(ORDER, title="é & " * 100))
    assert desk.requests[page.reference]["payerMessage"] == ("e  " * 100)[:160].strip()


async def test_opened_twice_nobody_is_asked_again(
    desk: MtnMomoStandIn, provider: PaymentProvider
) -> None:
    first = await provider.open(ORDER)
    assert await provider.open(ORDER) == first
    assert await MtnMomo(settings_of(desk.settings)).open(ORDER) == first
    assert list(desk.requests) == [first.reference]
    assert (await provider.open(OTHER)).reference != first.reference


async def test_an_answer_that_was_lost_does_not_ask_twice(desk: MtnMomoStandIn) -> None:
    provider = MtnMomo(settings_of(desk.settings), hasty)
    assert await state_of(provider) == "waiting"  # has a token now
    desk.hang_next(accept=True)
    with pytest.raises(ConnectionError):
        await provider.open(ORDER)
    assert [(await provider.open(ORDER)).reference] == list(desk.requests)


async def test_who_has_no_number_is_not_asked_to_pay_on_a_phone(
    desk: MtnMomoStandIn, provider: PaymentProvider
) -> None:
    with pytest.raises(NumberUnknown):
        await provider.open(replace(ORDER, phone=""))
    assert not desk.requests


@pytest.mark.parametrize("status", [400, 404, 500])
async def test_a_number_without_a_wallet_is_told_from_an_outage(
    desk: MtnMomoStandIn, provider: PaymentProvider, status: int
) -> None:
    await state_of(provider)  # has a token now
    desk.answer_next(status, b'{"code": "PAYER_NOT_FOUND", "message": "2250700000001"}')
    with pytest.raises(WalletUnknown) as refused:
        await provider.open(ORDER)
    assert "225" not in str(refused.value)
    desk.answer_next(status, b'{"code": "NOT_ALLOWED", "message": "no"}')
    with pytest.raises(ConnectionError, match=f"answered {status} NOT_ALLOWED"):
        await provider.open(ORDER)


async def test_an_address_that_mtn_would_refuse_is_not_given(
    desk: MtnMomoStandIn, provider: PaymentProvider
) -> None:
    page = await provider.open(replace(ORDER, callback_url="http://127.0.0.1:8080/webhooks"))
    assert desk.callbacks == {page.reference: ""}
    assert desk.violations == []


async def test_what_mtn_refuses_is_a_connection_error_with_its_code(
    desk: MtnMomoStandIn, provider: PaymentProvider
) -> None:
    with pytest.raises(ConnectionError, match="500 INVALID_CURRENCY"):
        await provider.open(replace(ORDER, currency="XAF"))
    with pytest.raises(ConnectionError, match="500 INVALID_CALLBACK_URL_HOST"):
        await provider.open(replace(ORDER, callback_url="https://elsewhere.example/x"))
    with pytest.raises(ConnectionError, match="400 BAD_REQUEST"):
        await provider.open(replace(ORDER, phone="+no"))


@pytest.mark.parametrize("name", ["mtn_momo_user", "mtn_momo_key", "mtn_momo_subscription_key"])
async def test_wrong_keys_are_a_connection_error_that_does_not_tell_them(
    desk: MtnMomoStandIn, name: str
) -> None:
    provider = MtnMomo(settings_of({**desk.settings, name: "sesame"}))
    with pytest.raises(ConnectionError, match="answered 401") as failed:
        await provider.open(ORDER)
    assert "sesame" not in str(failed.value)


# The access token


async def test_a_token_serves_until_it_ends(desk: MtnMomoStandIn) -> None:
    now = 1000.0
    provider = MtnMomo(settings_of(desk.settings), clock=lambda: now)
    await provider.open(ORDER)
    await state_of(provider)
    assert desk.tokens_given == 1
    now += 3600 - 60
    await state_of(provider)
    assert desk.tokens_given == 2


async def test_a_token_that_is_refused_is_not_kept(
    desk: MtnMomoStandIn, provider: PaymentProvider
) -> None:
    await provider.open(ORDER)
    desk.revoke_tokens()
    with pytest.raises(ConnectionError, match="answered 401"):
        await provider.look_up(ORDER.id, "")
    assert await state_of(provider) == "waiting"


@pytest.mark.parametrize(
    "body", [b"{}", b'{"access_token": 1, "expires_in": 3600}', b"", b"<html>"]
)
async def test_a_token_that_is_none_is_no_answer(
    desk: MtnMomoStandIn, provider: PaymentProvider, body: bytes
) -> None:
    desk.answer_next(200, body)
    with pytest.raises(ConnectionError):
        await provider.open(ORDER)
    assert desk.requests == {}


# The environment


async def test_in_the_sandbox_euros_stand_for_francs() -> None:
    async with MtnMomoStandIn("sandbox", "EUR") as desk:
        provider = MtnMomo(settings_of(desk.settings))
        assert provider.currencies == ("XOF",)
        page = await provider.open(ORDER)
        desk.pay(page.reference)
        assert await provider.look_up(ORDER.id, "") == PaymentState("paid", 500, "XOF")
        assert desk.violations == []


async def test_outside_the_sandbox_euros_are_euros(
    desk: MtnMomoStandIn, provider: PaymentProvider
) -> None:
    page = await provider.open(ORDER)
    desk.pay(page.reference, currency="EUR")
    assert (await provider.look_up(ORDER.id, "")).currency == "EUR"


async def test_cameroon_pays_in_its_own_francs() -> None:
    async with MtnMomoStandIn("mtncameroon", "XAF") as desk:
        provider = MtnMomo(settings_of(desk.settings))
        assert provider.currencies == ("XAF",)
        await provider.open(replace(ORDER, currency="XAF", phone="+237670000001"))
        assert desk.violations == []


def test_the_sandboxs_address_is_the_sandbox() -> None:
    url = "https://sandbox.momodeveloper.mtn.com"
    settings = {"mtn_momo_environment": "mtncameroon"}
    assert MtnMomo(settings_of(settings)).currencies == ("XAF",)
    assert MtnMomo(settings_of({**settings, "mtn_momo_api_url": url})).currencies == ("XOF",)


def test_every_environment_that_can_be_set_has_a_currency() -> None:
    annotation = Settings.model_fields["mtn_momo_environment"].annotation
    assert set(re.findall(r"'(\w+)'", str(annotation))) == set(CURRENCIES)


@pytest.mark.parametrize(
    "values", [{"mtn_momo_user": "user:key"}, {"mtn_momo_environment": "mtnmars"}], ids=str
)
def test_a_setting_that_cannot_work_is_refused_at_start(values: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        settings_of(values)


# Looking up


async def test_what_is_paid_is_told_with_its_amount(
    desk: MtnMomoStandIn, provider: PaymentProvider
) -> None:
    reference = (await provider.open(ORDER)).reference
    desk.pay(reference)
    assert await provider.look_up(ORDER.id, reference) == PaymentState("paid", 500, "XOF")
    desk.pay(reference, amount=100)
    assert await provider.look_up(ORDER.id, "") == PaymentState("paid", 100, "XOF")


async def test_a_request_waits_until_it_is_answered_on_the_phone(
    desk: MtnMomoStandIn, provider: PaymentProvider
) -> None:
    assert await state_of(provider) == "waiting"
    reference = (await provider.open(ORDER)).reference
    assert await state_of(provider, reference=reference) == "waiting"
    desk.fail(reference, "EXPIRED")
    assert await state_of(provider, reference=reference) == "failed"


@pytest.mark.parametrize(
    "body",
    [
        b'{"status": "BLESSED", "amount": "500", "currency": "XOF"}',
        b'{"status": "SUCCESSFUL", "amount": "much", "currency": "XOF"}',
        b'{"status": "SUCCESSFUL", "amount": null, "currency": "XOF"}',
        b'{"amount": "500", "currency": "XOF"}',
        b"[]",
        b"<html>",
        b"",
    ],
)
async def test_what_mtn_has_not_published_pays_nothing(
    desk: MtnMomoStandIn, provider: PaymentProvider, body: bytes
) -> None:
    desk.pay((await provider.open(ORDER)).reference)
    desk.answer_next(200, body)
    with pytest.raises(ConnectionError):
        await provider.look_up(ORDER.id, "")


async def test_unreachable_in_any_way_is_a_connection_error(desk: MtnMomoStandIn) -> None:
    provider = MtnMomo(settings_of(desk.settings), hasty)
    for break_next in (desk.hang_next, desk.reset_next, lambda: desk.answer_next(500, b"<html>")):
        break_next()
        with pytest.raises(ConnectionError):
            await provider.open(ORDER)
        break_next()
        with pytest.raises(ConnectionError):
            await provider.look_up(ORDER.id, "")


# Callbacks


async def test_a_callback_to_the_address_we_gave_names_its_order(
    desk: MtnMomoStandIn, provider: PaymentProvider
) -> None:
    reference = (await provider.open(ORDER)).reference
    desk.pay(reference)
    path, body = desk.callback(reference)
    for method in ("POST", "PUT"):
        assert provider.verify(callback({}, body, method=method, path=path)) == ORDER.id


async def test_an_address_with_a_query_of_its_own_is_extended(
    desk: MtnMomoStandIn, provider: PaymentProvider
) -> None:
    page = await provider.open(replace(ORDER, callback_url=f"{ORDER.callback_url}?a=1"))
    path, body = desk.callback(page.reference)
    assert "?a=1&order=" in path
    assert provider.verify(callback({}, body, path=path)) == ORDER.id


async def test_another_address_is_refused(desk: MtnMomoStandIn, provider: PaymentProvider) -> None:
    path, body = desk.callback((await provider.open(ORDER)).reference)
    token = path.partition("token=")[2]
    assert len(token) == 32
    for wrong in (
        path.replace(ORDER.id, OTHER.id),
        path.replace(token, ""),
        path.replace(token, "é"),
        path.replace(token, "%ed%b3%a9"),
        path.replace(token, token[:-1]),
        path.partition("?")[0],
        path + "&a=1" * 30,
    ):
        with pytest.raises(Refused):
            provider.verify(callback({}, body, path=wrong))


async def test_the_token_hangs_on_our_secret(desk: MtnMomoStandIn) -> None:
    ours = MtnMomo(settings_of(desk.settings))
    path, body = desk.callback((await ours.open(ORDER)).reference)
    theirs = MtnMomo(settings_of({**desk.settings, "secret_key": "another secret"}))
    with pytest.raises(Refused):
        theirs.verify(callback({}, body, path=path))
    changed = {"secret_key": "another secret", "secret_key_previous": settings_of({}).secret_key}
    assert MtnMomo(settings_of({**desk.settings, **changed})).verify(callback({}, body, path=path))
    none = MtnMomo(settings_of({**desk.settings, "secret_key": ""}))
    path, body = desk.callback((await none.open(OTHER)).reference)
    with pytest.raises(Refused, match="SECRET_KEY"):
        none.verify(callback({}, body, path=path))


async def test_a_body_about_another_order_is_a_bad_request(
    desk: MtnMomoStandIn, provider: PaymentProvider
) -> None:
    path, body = desk.callback((await provider.open(ORDER)).reference)
    other = body.replace(ORDER.id.encode(), OTHER.id.encode())
    for wrong in (other, b"[]", b"<html>", b"", b'{"externalId": []}', b"[" * 99_999):
        with pytest.raises(BadRequest) as error:
            provider.verify(callback({}, wrong, path=path))
        assert error.value.status == 400


async def test_a_refund_says_where_it_is_made(
    desk: MtnMomoStandIn, provider: PaymentProvider
) -> None:
    with pytest.raises(PersonError, match=ORDER.id):
        await provider.refund(ORDER.id, PaymentState("paid", 500, "XOF"))
    assert desk.calls == []
