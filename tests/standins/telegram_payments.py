"""Paying inside Telegram: it asks whether a payment may go on, and tells that it went through."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.standins.telegram_calls import Call, Refused
from tests.standins.telegram_updates import Updates, person

PATIENCE = 10.0
"""Seconds in which `answerPreCheckoutQuery` must come."""


@dataclass
class Checkout:
    """A payment that waits for our word. `ok` is None until that came."""

    asked_at: float
    ok: bool | None = None
    error: str = ""


class Payments(Updates):
    """`clock` (seconds) may be replaced."""

    def __init__(self) -> None:
        super().__init__()
        self.clock: Callable[[], float] = time.monotonic
        self.checkouts: dict[str, Checkout] = {}
        """By id of the query."""
        self.violations: list[str] = []
        self._charges = itertools.count(1)

    def checkout_update(
        self, user_id: int, payload: str, amount: int, *, currency: str = "XTR"
    ) -> dict[str, Any]:
        """The person is about to pay; `checkouts` tells what was answered."""
        number = next(self._update_ids)
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
        """It went through; told once more, under other ids, if `charge` is that of an earlier."""
        payment = {
            **_price(payload, amount, currency),
            "telegram_payment_charge_id": charge or f"stx{next(self._charges):06d}",
            "provider_payment_charge_id": "",
        }
        return self.message_update(chat_id, successful_payment=payment, **fields)

    def _answer_answer_pre_checkout_query(self, call: Call) -> Any:
        checkout = self.checkouts.get(call.parameters["pre_checkout_query_id"])
        late = checkout is not None and self.clock() - checkout.asked_at > PATIENCE
        if late:
            self.violations.append("answerPreCheckoutQuery: after more than 10 seconds")
        if checkout is None or checkout.ok is not None or late:
            raise Refused(
                400,
                "Bad Request: query is too old and response timeout expired or query ID is invalid",
            )
        checkout.ok = call.parameters["ok"]
        checkout.error = call.parameters.get("error_message", "")
        return True


def _price(payload: str, amount: int, currency: str) -> dict[str, Any]:
    return {"currency": currency, "total_amount": amount, "invoice_payload": payload}
