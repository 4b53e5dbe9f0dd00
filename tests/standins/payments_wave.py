"""Wave's checkout to test against, over a real socket; and its webhooks.

Rules: https://docs.wave.com/checkout (sessions, errors, refunds once), https://docs.wave.com/webhook
(events, `Wave-Signature`). A session expires 30 minutes after it was made: a test says when.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
import json
import re
from typing import Any

from aiohttp import web

from bot.standins.refusals import Refused
from tests.standins.payments_desk import Call, Desk

API_KEY = "wave_sn_prod_YhUNb9d_of_the_stand_in"
SECRET = "wave_sn_WHS_of_the_stand_in"
REQUIRED = ("amount", "currency", "success_url", "error_url")
OPTIONAL = {"client_reference", "restrict_payer_mobile", "aggregated_merchant_id"}


class WaveStandIn(Desk):
    def __init__(self) -> None:
        super().__init__()
        self.sessions: dict[str, dict[str, Any]] = {}
        """By their id, as Wave tells them."""
        self.refunds: list[str] = []
        """Ids of the sessions whose money went back, once for each time that it did."""
        self.bare_lists = False
        """Whether a search answers the list alone."""
        self._keys: dict[str, tuple[Any, str]] = {}
        self._numbers = itertools.count(1)
        base = "/v1/checkout/sessions"
        self.serve("POST", base, self._open)
        self.serve("GET", f"{base}/search", self._search)
        self.serve("GET", f"{base}/{{id}}", self._tell)
        self.serve("POST", f"{base}/{{id}}/refund", self._refund)

    @property
    def settings(self) -> dict[str, str]:
        return {
            "wave_api_key": API_KEY,
            "wave_webhook_secret": SECRET,
            "wave_api_url": self.url,
        }

    # What people do

    def pay(self, session: str, **changes: Any) -> None:
        self.sessions[session] |= {
            "checkout_status": "complete",
            "payment_status": "succeeded",
            "transaction_id": "FAH.4827.1734",
        } | changes

    def expire(self, session: str) -> None:
        self.sessions[session] |= {"checkout_status": "expired", "payment_status": "cancelled"}

    def fail(self, session: str) -> None:
        error = {"code": "insufficient-funds", "message": "The customer has not enough money."}
        self.sessions[session]["last_payment_error"] = error

    # What Wave tells

    def event(self, kind: str, told: Any, at: float) -> tuple[dict[str, str], bytes]:
        """Headers and body, signed."""
        body = json.dumps({"id": "EV_QvEZuDSQbLdI", "type": kind, "data": told}).encode()
        return {"Wave-Signature": signature(body, at)}, body

    # The server

    async def _open(self, request: web.Request, call: Call) -> Any:
        _check_bearer(call)
        question = call.content
        if not isinstance(question, dict):
            raise _refused(400, "request-validation-error")
        self._validate(question)
        key = call.headers.get("idempotency-key", "")
        if key in self._keys:
            asked, session = self._keys[key]
            if asked != question:
                raise _refused(409, "idempotency-mismatch")
            return 200, self.sessions[session]
        session = f"cos-18qq25rgr{next(self._numbers):03d}a"
        self._keys |= {key: (question, session)} if key else {}
        self.sessions[session] = {
            "id": session,
            "checkout_status": "open",
            "payment_status": "processing",
            "business_name": "Griot",
            "transaction_id": None,
            "wave_launch_url": f"https://pay.wave.com/c/{session}",
            "last_payment_error": None,
            "when_created": "2026-11-21T10:00:00Z",
            "when_expires": "2026-11-21T10:30:00Z",
            "when_completed": None,
            "client_reference": None,
        } | question
        return 200, self.sessions[session]

    def _validate(self, question: dict[str, Any]) -> None:
        wrong = [name for name in REQUIRED if not isinstance(question.get(name), str)]
        wrong += set(question) - set(REQUIRED) - OPTIONAL
        if wrong:
            raise _refused(400, "request-validation-error", wrong)
        if not re.fullmatch(r"[1-9]\d*", question["amount"]) or question["currency"] != "XOF":
            raise _refused(400, "request-validation-error", ["amount"])
        if not all(question[name].startswith("https://") for name in ("success_url", "error_url")):
            raise _refused(400, "request-validation-error", ["success_url"])
        if len(question.get("client_reference", "")) > 255:
            raise _refused(400, "request-validation-error", ["client_reference"])

    async def _tell(self, request: web.Request, call: Call) -> Any:
        _check_bearer(call)
        return 200, self._session(request.match_info["id"])

    async def _search(self, request: web.Request, call: Call) -> Any:
        _check_bearer(call)
        wanted = request.query.get("client_reference")
        if not wanted:
            raise _refused(400, "request-validation-error", ["client_reference"])
        found = [each for each in self.sessions.values() if each["client_reference"] == wanted]
        return 200, found if self.bare_lists else {"result": found}

    async def _refund(self, request: web.Request, call: Call) -> Any:
        _check_bearer(call)
        session = self._session(request.match_info["id"])
        if session["payment_status"] != "succeeded":
            raise _refused(400, "checkout-refund-failed")
        if session["id"] not in self.refunds:
            self.refunds.append(session["id"])
        return 200, None

    def _session(self, session: str) -> dict[str, Any]:
        if session not in self.sessions:
            raise _refused(404, "checkout-session-not-found")
        return self.sessions[session]


def signature(body: bytes, at: float | str, secret: str = SECRET) -> str:
    stamp = at if isinstance(at, str) else str(int(at))
    digest = hmac.new(secret.encode(), stamp.encode() + body, hashlib.sha256).hexdigest()
    return f"t={stamp},v1={digest}"


def _check_bearer(call: Call) -> None:
    if "authorization" not in call.headers:
        raise _refused(401, "missing-auth-header")
    if call.headers["authorization"] != f"Bearer {API_KEY}":
        raise _refused(401, "no-matching-api-key")


def _refused(status: int, code: str, details: Any = None) -> Refused:
    return Refused(status, {"code": code, "message": "It cannot be.", "details": details})
