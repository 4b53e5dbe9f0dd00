"""The stand-ins of hosted checkouts refuse what their providers refuse."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest

from tests.standins.payments_flutterwave import Flutterwave
from tests.standins.payments_hosted import Hosted, serve
from tests.standins.payments_paystack import Paystack
from tests.standins.payments_stripe import Stripe

SESSION = {
    "mode": "payment",
    "success_url": "https://griot.example/",
    "client_reference_id": "order",
    "line_items[0][quantity]": "1",
    "line_items[0][price_data][currency]": "xof",
    "line_items[0][price_data][unit_amount]": "500",
    "line_items[0][price_data][product_data][name]": "credits",
    "payment_intent_data[metadata][order]": "order",
}
TRANSACTION: dict[str, Any] = {
    "email": "a@example.com",
    "amount": 50_000,
    "currency": "XOF",
    "reference": "order",
    "callback_url": "https://griot.example/",
    "channels": ["card"],
    "metadata": "{}",
}
PAYMENT: dict[str, Any] = {
    "tx_ref": "order",
    "amount": 500,
    "currency": "XOF",
    "redirect_url": "https://griot.example/",
    "customer": {"email": "a@example.com"},
}


async def ask(
    standin: Hosted, path: str, key: str = Hosted.key, **body: Any
) -> tuple[int, dict[str, Any]]:
    headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": "k"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(standin.url + path, headers=headers, **body) as answer,
    ):
        return answer.status, await answer.json()


async def breach(standin: Hosted, path: str, key: str = Hosted.key, **body: Any) -> dict[str, Any]:
    """The provider's own error, which must have been noted."""
    status, answer = await ask(standin, path, key, **body)
    assert status >= 400
    assert standin.violations
    standin.violations.clear()
    return answer


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("mode", "subscription", "parameter_invalid"),
        ("success_url", "griot", "url_invalid"),
        ("locale", "klingon", "parameter_invalid"),
        ("line_items[0][price_data][currency]", "XOF", "parameter_invalid"),
        ("line_items[0][price_data][unit_amount]", "5.00", "amount_too_small"),
        ("line_items[0][price_data][unit_amount]", "1", "amount_too_small"),
        ("customer_phone", "1", "parameter_unknown"),
        ("mode", None, "parameter_missing"),
    ],
)
async def test_stripe_refuses(field: str, value: str | None, code: str) -> None:
    form = {name: text for name, text in (SESSION | {field: value}).items() if text is not None}
    async with serve(Stripe()) as standin:
        assert (await ask(standin, "/v1/checkout/sessions", data=SESSION))[0] == 200
        other = await breach(standin, "/v1/checkout/sessions", data=form)
        assert other["error"]["type"] == "idempotency_error"
        standin.forget_keys()
        answer = await breach(standin, "/v1/checkout/sessions", data=form)
        assert answer["error"]["code"] == code


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("email", ""), ("email", "nobody"), ("amount", "50000"), ("amount", 500.5)),
        *(("amount", 50_050), ("currency", "XAF"), ("reference", "a/b"), ("callback_url", "x")),
        *(("channels", []), ("channels", ["cash"]), ("metadata", "[]"), ("phone", "1")),
    ],
)
async def test_paystack_refuses(field: str, value: object) -> None:
    async with serve(Paystack()) as standin:
        path = "/transaction/initialize"
        assert (await ask(standin, path, json=TRANSACTION))[0] == 200
        answer = await breach(standin, path, json=TRANSACTION | {field: value})
        assert answer["status"] is False
        assert (await ask(standin, path, json=TRANSACTION))[1]["message"].startswith("Duplicate")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("tx_ref", ""), ("amount", "500"), ("amount", 0), ("currency", "NGN")),
        *(("redirect_url", "x"), ("session_duration", 1441), ("customer", {}), ("phone", "1")),
    ],
)
async def test_flutterwave_refuses(field: str, value: object) -> None:
    async with serve(Flutterwave()) as standin:
        assert (await ask(standin, "/v3/payments", json=PAYMENT))[0] == 200
        answer = await breach(standin, "/v3/payments", json=PAYMENT | {field: value})
        assert answer["status"] == "error"


@pytest.mark.parametrize(
    ("standin", "path"),
    [
        (Stripe(), "/v1/checkout/sessions"),
        (Paystack(), "/transaction/initialize"),
        (Flutterwave(), "/v3/payments"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_each_wants_its_key(standin: Hosted, path: str) -> None:
    async with serve(standin):
        await breach(standin, path, key="another", json={})
