"""CinetPay's newer API (`/v1/`) to test against, over a real socket; and its notifications.

Rules: docs/cinetpay-sandbox-contract.md in https://github.com/elinguiuriel/cinetpay-sdk (fields,
lengths, codes) and the README of https://github.com/cinetpay/cinetpay-php-sdk (one account, one
country, one currency; a notification names the transaction and is never believed). A payment's
answer holds no amount, as in the SDKs' models; which HTTP status goes with an error is not
published, and `error_status` decides.
"""

from __future__ import annotations

import itertools
import json
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from bot.standins.refusals import Refused
from tests.standins.payments_desk import Call, Desk

API_KEY = "sk_test_4f0c2a7d9b"
PASSWORD = "the password of the stand-in"
REQUIRED = {
    "currency": str,
    "merchant_transaction_id": str,
    "amount": int,
    "lang": str,
    "designation": str,
    "client_email": str,
    "client_first_name": str,
    "client_last_name": str,
    "success_url": str,
    "failed_url": str,
    "notify_url": str,
}


class CinetPayV1StandIn(Desk):
    """
    Args:
        currency: of the account's country.
    """

    def __init__(self, currency: str = "XOF") -> None:
        super().__init__()
        self.payments: dict[str, dict[str, Any]] = {}
        """By our id: what was asked, and how it stands (`status`)."""
        self.told: dict[str, Any] = {}
        """What a payment's answer holds besides."""
        self.error_status = 0
        """Of answers that are errors; 0: 401 for keys and tokens, 404 and 400 for others."""
        self._currency = currency
        self._tokens = (f"jwt-{number}" for number in itertools.count(1))
        self._valid: set[str] = set()
        self.serve("POST", "/v1/oauth/login", self._log_in)
        self.serve("POST", "/v1/payment", self._open)
        self.serve("GET", "/v1/payment/{id}", self._tell)

    @property
    def settings(self) -> dict[str, str]:
        return {
            "cinetpay_api_key": API_KEY,
            "cinetpay_api_password": PASSWORD,
            "cinetpay_api_url": self.url,
        }

    @property
    def logins(self) -> int:
        return self.count("POST", "/v1/oauth/login")

    # What people do

    def stand(self, order: str, status: str) -> None:
        self.payments[order]["status"] = status

    def pay(self, order: str, *, amount: int | None = None) -> None:
        """`amount`: told with the payment, which the SDKs do not know of."""
        self.stand(order, "SUCCESS")
        self.told = {} if amount is None else {"amount": str(amount), "currency": self._currency}

    # What CinetPay does

    def notification(self, order: str) -> tuple[str, bytes]:
        """The path with its query, and the body."""
        asked = self.payments[order]
        body = {
            "notify_token": asked["notify_token"],
            "merchant_transaction_id": order,
            "transaction_id": asked["transaction_id"],
            "status": "SUCCESS",
            "user": {"name": "Doe John", "phone_number": "+2250707000000"},
        }
        address = urlsplit(asked["notify_url"])
        return f"{address.path}?{address.query}", json.dumps(body).encode()

    def revoke_tokens(self) -> None:
        self._valid.clear()

    # The server

    async def _log_in(self, request: web.Request, call: Call) -> Any:
        _check_client(call)
        if call.content != {"api_key": API_KEY, "api_password": PASSWORD}:
            raise self._refused(401, 1005, "INVALID_CREDENTIALS")
        token = next(self._tokens)
        self._valid.add(token)
        answer = {"access_token": token, "token_type": "bearer", "expires_in": 86400}
        return 200, {"code": 200, "status": "OK", **answer}

    async def _open(self, request: web.Request, call: Call) -> Any:
        self._check_access(call)
        asked = call.content
        if not isinstance(asked, dict) or set(asked) != set(REQUIRED):
            raise self._refused(422, 1004, "INVALID_PARAMS")
        if any(type(asked[name]) is not kind or not asked[name] for name, kind in REQUIRED.items()):
            raise self._refused(422, 1004, "INVALID_PARAMS")
        if not _is_sound(asked) or asked["currency"] != self._currency:
            raise self._refused(422, 1004, "INVALID_PARAMS")
        order = asked["merchant_transaction_id"]
        if order in self.payments:
            raise self._refused(400, 1200, "TRANSACTION_EXIST")
        number = len(self.payments) + 1
        named = {"transaction_id": f"txn-{number}", "notify_token": f"notify-{number}"}
        self.payments[order] = {**asked, **named, "status": "INITIATED"}
        return 200, {
            "code": 200,
            "status": "OK",
            **named,
            "merchant_transaction_id": order,
            "payment_token": f"pay-{number}",
            "payment_url": f"https://secure.cinetpay.net/checkout/pay-{number}",
            "details": {"code": 2001, "status": "INITIATED", "must_be_redirected": True},
        }

    async def _tell(self, request: web.Request, call: Call) -> Any:
        self._check_access(call)
        order = request.match_info["id"]
        if order not in self.payments:
            raise self._refused(404, 404, "NOT_FOUND", is_breach=False)
        asked = self.payments[order]
        return 200, {
            "code": 100 if asked["status"] == "SUCCESS" else 2001,
            "status": asked["status"],
            "merchant_transaction_id": order,
            "transaction_id": asked["transaction_id"],
            "user": {"name": "Doe John", "email": asked["client_email"]},
            **self.told,
        }

    def _check_access(self, call: Call) -> None:
        _check_client(call)
        if call.headers.get("authorization", "").removeprefix("Bearer ") not in self._valid:
            raise self._refused(401, 1003, "EXPIRED_TOKEN", is_breach=False)

    def _refused(self, status: int, code: int, word: str, *, is_breach: bool = True) -> Refused:
        answer = {"code": code, "status": word, "message": "…"}
        return Refused(self.error_status or status, answer, is_breach=is_breach)


def _is_sound(asked: dict[str, Any]) -> bool:
    addresses = [asked[name] for name in ("success_url", "failed_url", "notify_url")]
    return (
        len(asked["merchant_transaction_id"]) <= 30
        and 100 <= asked["amount"] <= 2_500_000
        and asked["lang"] in {"fr", "en"}
        and "@" in asked["client_email"]
        and min(len(asked["client_first_name"]), len(asked["client_last_name"])) >= 2
        and all(len(each) <= 120 and "://" in each for each in addresses)
    )


def _check_client(call: Call) -> None:
    """Its front refuses clients that do not say who they are."""
    if "user-agent" not in call.headers or "aiohttp" in call.headers["user-agent"]:
        raise Refused(403, "error code: 1010")
