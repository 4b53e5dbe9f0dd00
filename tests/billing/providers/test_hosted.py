"""What holds for each provider of hosted pages, whatever its server does."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

import pytest

from bot.billing.providers.flutterwave import Flutterwave
from bot.billing.providers.paystack import Paystack
from bot.billing.providers.provider_client import Declined
from bot.billing.providers.stripe import Stripe
from bot.contracts.payments import PaymentProvider, PaymentState
from tests.billing.providers.orders import hasty
from tests.billing.providers.parts import ORDER, settings_of
from tests.standins import payments_flutterwave, payments_paystack, payments_stripe
from tests.standins.payments_hosted import FAULTS, Hosted, Wrong, serve

Make = Callable[[Hosted | None], PaymentProvider]
PROVIDERS: list[tuple[type[Hosted], Make]] = [
    (payments_stripe.Stripe, lambda standin: Stripe(settings_of(standin), hasty)),
    (payments_paystack.Paystack, lambda standin: Paystack(settings_of(standin), hasty)),
    (
        payments_flutterwave.Flutterwave,
        lambda standin: Flutterwave(settings_of(standin), hasty),
    ),
]
PAID = PaymentState("paid", 2500, "XOF", "17")
ASK: dict[str, Callable[[PaymentProvider], Awaitable[object]]] = {
    "open": lambda provider: provider.open(ORDER),
    "look_up": lambda provider: provider.look_up(ORDER.id, ORDER.id),
    "look_up without a reference": lambda provider: provider.look_up(ORDER.id, ""),
    "refund": lambda provider: provider.refund(ORDER.id, PAID),
}
each_provider = pytest.mark.parametrize(
    ("kind", "make"), PROVIDERS, ids=[make(None).name for _, make in PROVIDERS]
)


@each_provider
@pytest.mark.parametrize("asks", ASK)
@pytest.mark.parametrize("fault", FAULTS)
async def test_an_answer_that_is_none_is_a_connection_error(
    kind: type[Hosted], make: Make, asks: str, fault: Wrong
) -> None:
    async with serve(kind()) as standin:
        standin.misbehave(fault, fault)  # a question that is cut off is put again by itself
        with pytest.raises(ConnectionError) as caught:
            await ASK[asks](make(standin))
        if fault == "lost":
            standin.violations.clear()  # there was nothing to be given back
    said = str(caught.value)
    assert said
    assert not any(word in said for word in (Hosted.key, ORDER.id, ORDER.phone))
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@each_provider
@pytest.mark.parametrize("asks", ASK)
async def test_nobody_there_is_a_connection_error(
    kind: type[Hosted], make: Make, asks: str
) -> None:
    with pytest.raises(ConnectionError):
        await ASK[asks](make(None))


@each_provider
async def test_why_a_key_is_refused_is_told_without_the_key(kind: type[Hosted], make: Make) -> None:
    class Elsewhere(kind):  # type: ignore[misc, valid-type]
        key = "sk_test_of_somebody_else"

    async with serve(Elsewhere()) as standin:
        with pytest.raises(Declined, match="answered 401") as caught:
            await make(standin).open(ORDER)
        standin.violations.clear()
    assert re.match(r"Invalid .*\*\*\*", caught.value.reason)
    assert Hosted.key not in str(caught.value) + caught.value.reason


@each_provider
async def test_after_a_failure_the_same_is_asked_again(kind: type[Hosted], make: Make) -> None:
    async with serve(kind()) as standin:
        standin.misbehave("broken", "reset", "garbage")
        for _ in range(3):
            with pytest.raises(ConnectionError):
                await make(standin).open(ORDER)
        page = await make(standin).open(ORDER)
        assert page.url
        assert (await make(standin).look_up(ORDER.id, page.reference)).state == "waiting"


@each_provider
def test_names_are_those_of_routes_and_currencies_those_of_the_packs(
    kind: type[Hosted], make: Make
) -> None:
    provider = make(None)
    assert provider.name == type(provider).__name__.lower()
    assert set(provider.currencies) <= {"XOF", "XAF"}
    assert provider.title
