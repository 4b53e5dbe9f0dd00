"""CinetPay's checkout v2 to test against, over a real socket; and its notifications.

Rules: https://docs.cinetpay.com/api/1.0-en/checkout/initialisation (fields, multiples of 5),
https://docs.cinetpay.com/api/1.0-fr/checkout/verification (the answers of a check),
https://docs.cinetpay.com/api/1.0-en/checkout/hmac (the notification and its token). A transaction
that exists is refused here: its id "must be unique". Where no code is published for an error it is
624, "an error occurred while processing the request".
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from bot.standins.refusals import Refused
from tests.standins.payments_desk import Call, Desk

API_KEY = "12912847765bc0db748fdd44.40081707"
SITE = "445160"
SECRET = "1610448689616fdc6dd87cd6.22398577"
CURRENCIES = {"XOF", "XAF", "CDF", "GNF", "USD"}
CHANNELS = {"ALL", "MOBILE_MONEY", "CREDIT_CARD", "WALLET"}
REQUIRED = {
    "transaction_id": str,
    "amount": int,
    "currency": str,
    "description": str,
    "notify_url": str,
    "return_url": str,
    "channels": str,
}
OPTIONAL = {"lang", "metadata"}


@dataclass
class Transaction:
    question: dict[str, Any]
    status: str = ""
    """Empty until somebody has tried to pay."""
    amount: int = 0
    currency: str = ""


class CinetPayStandIn(Desk):
    def __init__(self) -> None:
        super().__init__()
        self.transactions: dict[str, Transaction] = {}
        self.check_status = 200
        """Of the answer to a check of what is not paid: not published."""
        self.serve("POST", "/v2/payment", self._open)
        self.serve("POST", "/v2/payment/check", self._check)

    @property
    def settings(self) -> dict[str, str]:
        return {
            "cinetpay_api_key": API_KEY,
            "cinetpay_site_id": SITE,
            "cinetpay_secret_key": SECRET,
            "cinetpay_api_url": self.url,
        }

    # What people do

    def pay(self, transaction: str, *, amount: int | None = None, currency: str = "") -> None:
        paid = self.transactions[transaction]
        paid.status = "ACCEPTED"
        paid.amount = paid.question["amount"] if amount is None else amount
        paid.currency = currency or paid.question["currency"]

    def stand(self, transaction: str, status: str) -> None:
        self.transactions[transaction].status = status

    # What CinetPay tells

    def notification(
        self, transaction: str, *, encoding: str = "utf-8", **changes: str
    ) -> tuple[dict[str, str], bytes]:
        """Headers and body, signed."""
        fields = {
            "cpm_site_id": SITE,
            "cpm_trans_id": transaction,
            "cpm_trans_date": "2026-11-21 19:19:00",
            "cpm_amount": "500",
            "cpm_currency": "XOF",
            "signature": "9ba3cd4f",
            "payment_method": "OM",
            "cel_phone_num": "0700000001",
            "cpm_phone_prefixe": "225",
            "cpm_language": "fr",
            "cpm_version": "V4",
            "cpm_payment_config": "SINGLE",
            "cpm_page_action": "PAYMENT",
            "cpm_custom": transaction,
            "cpm_designation": "120 crédits Griot",
            "cpm_error_message": "SUCCES",
        } | changes
        body = urlencode(fields, encoding=encoding).encode()
        return {"x-token": token(fields, encoding=encoding)}, body

    # The server

    async def _open(self, request: web.Request, call: Call) -> Any:
        question = _check_keys(call)
        for name, kind in REQUIRED.items():
            if type(question.get(name)) is not kind or question[name] == "":
                raise _refused(400, "608", "MINIMUM_REQUIRED_FIELDS")
        if unknown := set(question) - set(REQUIRED) - OPTIONAL - {"apikey", "site_id"}:
            raise _refused(400, "608", f"UNKNOWN_{sorted(unknown)}")
        if question["amount"] % 5 or question["amount"] < 100:
            raise _refused(400, "624", "PROCESSING_ERROR")
        if question["currency"] not in CURRENCIES or question["channels"] not in CHANNELS:
            raise _refused(400, "608", "MINIMUM_REQUIRED_FIELDS")
        if set("#/$_&") & set(question["description"]) or question["lang"] not in {"fr", "en"}:
            raise _refused(400, "608", "MINIMUM_REQUIRED_FIELDS")
        if question["transaction_id"] in self.transactions:
            raise _refused(400, "624", "PROCESSING_ERROR")
        self.transactions[question["transaction_id"]] = Transaction(question)
        payment_token = hashlib.sha256(question["transaction_id"].encode()).hexdigest()
        return 200, {
            "code": "201",
            "message": "CREATED",
            "description": "Transaction created with success",
            "data": {
                "payment_token": payment_token,
                "payment_url": f"https://checkout.cinetpay.com/payment/{payment_token}",
            },
            "api_response_id": "1663323067.7677",
        }

    async def _check(self, request: web.Request, call: Call) -> Any:
        question = _check_keys(call)
        transaction = self.transactions.get(question.get("transaction_id", ""))
        if transaction is None:
            raise _refused(404, "624", "PROCESSING_ERROR")
        if not transaction.status:
            return self.check_status, _checked("662", "WAITING_CUSTOMER_PAYMENT", None)
        code, message = {
            "ACCEPTED": ("00", "SUCCES"),
            "REFUSED": ("627", "TRANSACTION_CANCEL"),
        }.get(transaction.status, ("662", "WAITING_CUSTOMER_PAYMENT"))
        told = {
            "amount": str(transaction.amount or transaction.question["amount"]),
            "currency": transaction.currency or transaction.question["currency"],
            "status": transaction.status,
            "payment_method": "OM",
            "description": transaction.question["description"],
            "metadata": transaction.question["metadata"],
            "operator_id": None,
            "payment_date": " ",
        }
        status = 200 if transaction.status == "ACCEPTED" else self.check_status
        return status, _checked(code, message, told)


def token(fields: dict[str, str], *, secret: str = SECRET, encoding: str = "utf-8") -> str:
    """Over the values in the order in which they are listed."""
    joined = "".join(fields.values()).encode(encoding)
    return hmac.new(secret.encode(), joined, hashlib.sha256).hexdigest()


def _check_keys(call: Call) -> dict[str, Any]:
    if "user-agent" not in call.headers or "aiohttp" in call.headers["user-agent"]:
        raise Refused(403, "error code: 1010")
    if not isinstance(call.content, dict):
        raise _refused(400, "608", "MINIMUM_REQUIRED_FIELDS")
    if call.content.get("apikey") != API_KEY:
        raise _refused(401, "609", "AUTH_NOT_FOUND")
    if call.content.get("site_id") != SITE:
        raise _refused(400, "613", "ERROR_SITE_ID_NOTVALID")
    return call.content


def _checked(code: str, message: str, told: Any) -> dict[str, Any]:
    return {"code": code, "message": message, "data": told, "api_response_id": "1663323067.7677"}


def _refused(status: int, code: str, message: str) -> Refused:
    return Refused(status, {"code": code, "message": message, "description": "…"})
