"""MTN MoMo's collections to test against, over a real socket; and its callbacks.

Rules: https://momodeveloper.mtn.com/docs/services/collection (requesttopay, its status, token),
https://momodeveloper.mtn.com/api-documentation/common-error (409 for an id that is known, 404 for
one that is not, UUIDs of version 4, logical errors as 500), …/callback (sent once, unsigned).
"""

from __future__ import annotations

import base64
import itertools
import json
from typing import Any
from uuid import UUID

from aiohttp import web

from bot.standins.refusals import Refused
from tests.standins.payments_desk import Call, Desk

USER = "c72025f5-5cd1-4630-99e4-8ba4722fad56"
KEY = "f1db798c98df4bcf83b538175893bbf0"
SUBSCRIPTION = "d484a1f0d34f4301916d0f2c9e9106a2"
REQUIRED = {"amount", "currency", "externalId", "payer", "payerMessage", "payeeNote"}


class MtnMomoStandIn(Desk):
    """
    Args:
        environment: the one that it serves, with its currency.
        callback_host: the one that was registered.
    """

    def __init__(
        self,
        environment: str = "mtnivorycoast",
        currency: str = "XOF",
        callback_host: str = "griot.example",
    ) -> None:
        super().__init__()
        self.requests: dict[str, dict[str, Any]] = {}
        """By their reference, as MTN tells them."""
        self.callbacks: dict[str, str] = {}
        """Where each is to be told."""
        self._environment = environment
        self._currency = currency
        self._callback_host = callback_host
        self._tokens = (f"token-{number}" for number in itertools.count(1))
        self._valid: set[str] = set()
        base = "/collection/v1_0/requesttopay"
        self.serve("POST", "/collection/token/", self._token)
        self.serve("POST", base, self._open)
        self.serve("GET", f"{base}/{{id}}", self._tell)

    @property
    def settings(self) -> dict[str, str]:
        return {
            "mtn_momo_user": USER,
            "mtn_momo_key": KEY,
            "mtn_momo_subscription_key": SUBSCRIPTION,
            "mtn_momo_api_url": self.url,
            "mtn_momo_environment": self._environment,
        }

    @property
    def tokens_given(self) -> int:
        return sum(call.path == "/collection/token/" for call in self.calls)

    # What people do

    def pay(self, reference: str, **changes: Any) -> None:
        paid = {"status": "SUCCESSFUL", "financialTransactionId": "23503452"}
        self.requests[reference] |= paid | changes

    def fail(self, reference: str, reason: str = "APPROVAL_REJECTED") -> None:
        self.requests[reference] |= {"status": "FAILED", "reason": reason}

    # What MTN does

    def callback(self, reference: str) -> tuple[str, bytes]:
        """The path with its query, and the body."""
        path = "/" + self.callbacks[reference].split("/", 3)[3]
        return path, json.dumps(self.requests[reference]).encode()

    def revoke_tokens(self) -> None:
        self._valid.clear()

    # The server

    async def _token(self, request: web.Request, call: Call) -> Any:
        _check_subscription(call)
        login = base64.b64encode(f"{USER}:{KEY}".encode()).decode()
        if call.headers.get("authorization") != f"Basic {login}" or call.content is not None:
            raise Refused(401, {"error": "login_failed"})
        token = next(self._tokens)
        self._valid.add(token)
        return 200, {"access_token": token, "token_type": "access_token", "expires_in": 3600}

    async def _open(self, request: web.Request, call: Call) -> Any:
        self._check_access(call)
        reference = _read_uuid(call.headers.get("x-reference-id", ""))
        question = call.content
        if not isinstance(question, dict) or set(question) != REQUIRED:
            raise _refused(400, "BAD_REQUEST", "not the fields of RequestToPay")
        payer = question["payer"]
        if payer.get("partyIdType") != "MSISDN" or not payer.get("partyId", "").isdigit():
            raise _refused(400, "BAD_REQUEST", "payer")
        if not (isinstance(question["amount"], str) and question["amount"].isdigit()):
            raise _refused(400, "BAD_REQUEST", "amount")
        if not question["payerMessage"].isascii():
            raise _refused(400, "BAD_REQUEST", "payerMessage")
        if question["currency"] != self._currency:
            raise _refused(500, "INVALID_CURRENCY", "Currency not supported.")
        callback = call.headers.get("x-callback-url")
        if callback is not None and not callback.startswith(f"https://{self._callback_host}/"):
            raise _refused(500, "INVALID_CALLBACK_URL_HOST", "Callback URL with wrong host")
        if reference in self.requests:
            return 409, {"code": "RESOURCE_ALREADY_EXIST", "message": "Duplicated reference id."}
        self.requests[reference] = {**question, "status": "PENDING"}
        self.callbacks[reference] = callback or ""
        return 202, None

    async def _tell(self, request: web.Request, call: Call) -> Any:
        self._check_access(call)
        reference = _read_uuid(request.match_info["id"])
        if reference not in self.requests:
            return 404, {"code": "RESOURCE_NOT_FOUND", "message": "Requested resource not found."}
        return 200, self.requests[reference]

    def _check_access(self, call: Call) -> None:
        _check_subscription(call)
        if call.headers.get("authorization", "").removeprefix("Bearer ") not in self._valid:
            raise Refused(401, {"error": "invalid_token"})
        if call.headers.get("x-target-environment") != self._environment:
            raise _refused(500, "NOT_ALLOWED_TARGET_ENVIRONMENT", "Access to target is forbidden")


def _check_subscription(call: Call) -> None:
    if call.headers.get("ocp-apim-subscription-key") != SUBSCRIPTION:
        raise Refused(401, {"statusCode": 401, "message": "Access denied"})


def _read_uuid(text: str) -> str:
    try:
        reference = UUID(text)
    except ValueError:
        raise _refused(400, "BAD_REQUEST", "X-Reference-Id") from None
    if reference.version != 4 or str(reference) != text:
        raise _refused(400, "BAD_REQUEST", "X-Reference-Id")
    return text


def _refused(status: int, code: str, message: str) -> Refused:
    return Refused(status, {"code": code, "message": message})
