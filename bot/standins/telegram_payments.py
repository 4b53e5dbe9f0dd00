"""Pay inside Telegram: it asks whether a payment may go on, and reports that it went through."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from bot.standins.telegram_rules import Call, Mistake, Parameters, TelegramRefused
from bot.standins.telegram_updates import Updates, person

_ANSWER_SECONDS: Final = 10.0
"""Seconds in which `answerPreCheckoutQuery` must come."""


@dataclass
class Checkout:
    """A payment that waits for the bot's answer; `ok` is None until it comes."""

    asked_at: float
    ok: bool | None = None
    error: str = ""


class Payments(Updates):
    """Asks and reports. `clock` (seconds) may be replaced."""

    def __init__(self) -> None:
        super().__init__()
        self.clock: Callable[[], float] = time.monotonic
        self.checkouts: dict[str, Checkout] = {}
        """Payments by the id of their query."""
        self.violations: list[str] = []
        """Rules that the bot has broken."""
        self.charges: dict[str, int] = {}
        """Payers by the ids of their charges."""
        self.refunded: list[str] = []
        self._charges = itertools.count(1)

    def checkout_update(
        self, user_id: int, payload: str, amount: int, *, currency: str = "XTR"
    ) -> dict[str, Any]:
        """Ask, before the person pays; `checkouts` has the answer."""
        number = next(self.update_ids)
        query_id = str(5_000_000_000_000_000 + number)
        self.checkouts[query_id] = Checkout(self.clock())
        query = {"id": query_id, "from": person(user_id), **_price(payload, amount, currency)}
        return {"update_id": number, "pre_checkout_query": query}

    def payment_update(
        self,
        chat_id: int,
        payload: str,
        amount: int,
        *,
        currency: str = "XTR",
        charge: str = "",
        **fields: Any,
    ) -> dict[str, Any]:
        """Report a payment; once more, under other ids, if `charge` is that of an earlier one."""
        charge = charge or f"stx{next(self._charges):06d}"
        self.charges.setdefault(charge, abs(fields.get("sender") or chat_id))
        payment = {
            **_price(payload, amount, currency),
            "telegram_payment_charge_id": charge,
            "provider_payment_charge_id": "",
        }
        return self.message_update(chat_id, successful_payment=payment, **fields)

    def check_invoice(self, parameters: Parameters) -> None:
        """Raise `Mistake` by the rules of Telegram Stars that the OpenAPI document cannot say.

        https://core.telegram.org/bots/api#sendinvoice
        """
        if parameters["currency"] != "XTR":
            raise Mistake("CURRENCY_INVALID")
        if parameters.get("provider_token"):
            raise Mistake("PAYMENT_PROVIDER_INVALID")
        if len(parameters["prices"]) != 1 or parameters["prices"][0]["amount"] < 1:
            raise Mistake("CURRENCY_TOTAL_AMOUNT_INVALID")
        if len(parameters["payload"].encode()) > 128:
            raise Mistake("INVOICE_PAYLOAD_INVALID")

    def answer_refund_star_payment(self, call: Call) -> Any:
        charge = call.parameters["telegram_payment_charge_id"]
        if self.charges.get(charge) != call.parameters["user_id"]:
            raise TelegramRefused(400, "Bad Request: CHARGE_ID_INVALID")
        if charge in self.refunded:
            raise TelegramRefused(400, "Bad Request: CHARGE_ALREADY_REFUNDED")
        self.refunded.append(charge)
        return True

    def answer_answer_pre_checkout_query(self, call: Call) -> Any:
        checkout = self.checkouts.get(call.parameters["pre_checkout_query_id"])
        late = checkout is not None and self.clock() - checkout.asked_at > _ANSWER_SECONDS
        if late:
            self.violations.append("answerPreCheckoutQuery: after more than 10 seconds")
        if checkout is None or checkout.ok is not None or late:
            raise TelegramRefused(
                400,
                "Bad Request: query is too old and response timeout expired or query ID is invalid",
            )
        checkout.ok = call.parameters["ok"]
        checkout.error = call.parameters.get("error_message", "")
        return True


def _price(payload: str, amount: int, currency: str) -> dict[str, Any]:
    return {"currency": currency, "total_amount": amount, "invoice_payload": payload}
