"""What Twilio's refusals mean. Statuses and codes are kept: its words hold people's numbers."""

from __future__ import annotations

from typing import Literal

from bot.errors import DeliveryError, OutcomeUnknown, RetryAt, Undeliverable, WindowClosed

OPERATOR_SECONDS = 60.0
"""How long to wait where the operator has to act: nothing was taken, and nothing is lost."""
Cause = Literal["", "window", "opted_out", "dead"]

_CAUSES: dict[int, Cause] = {
    21211: "dead",  # invalid 'To' phone number
    21610: "opted_out",  # the recipient has replied STOP
    21614: "dead",  # 'To' number is not a valid mobile number
    21635: "dead",  # 'To' number cannot be a landline
    30005: "dead",  # unknown destination handset: inactive, or no longer in service
    30006: "dead",  # landline or unreachable carrier: not to be tried again
    63003: "dead",  # the channel could not find the address
    63014: "dead",  # the person blocked the sender: not before they write again
    63016: "window",  # free-form message outside the 24 hours
    63024: "dead",  # invalid message recipient
}
"""Twilio's error dictionary, twilio.com/docs/api/errors. Not 30003: that phone may be off."""
_TOO_FAST = {20429, 21611}
"""Too many requests; too many messages queued for the sender. Neither was taken."""


class Refusal(Exception):
    """Twilio answered, and not with success.

    Args:
        status: of the HTTP answer.
        code: Twilio's own; 0 when it gave none.
        retry_after: seconds to wait, as Twilio asked.
    """

    def __init__(self, status: int, code: int = 0, retry_after: float | None = None) -> None:
        super().__init__(f"Twilio error {code} (HTTP {status})" if code else f"HTTP {status}")
        self.status = status
        self.code = code
        self.retry_after = retry_after

    @property
    def is_for_operator(self) -> bool:
        """The account, its token or TWILIO_API_URL is wrong, not this message."""
        known = self.code in _CAUSES or self.code in _TOO_FAST
        return not known and (self.status in {401, 403} or 300 <= self.status < 400)


def cause_of(code: int) -> Cause:
    """What the error says about the conversation rather than about one message."""
    return _CAUSES.get(code, "")


def explain(refusal: Refusal) -> DeliveryError:
    """What it means for the delivery that met it.

    A 429 was never processed; a 5xx may have been (twilio.com/docs/api/errors/20429).
    """
    reason, cause = str(refusal), cause_of(refusal.code)
    if cause == "window":
        return WindowClosed(reason)
    if cause:
        return Undeliverable(reason, dead_target=True, opted_out=cause == "opted_out")
    if refusal.status == 429 or refusal.code in _TOO_FAST:
        return RetryAt(reason, refusal.retry_after)
    if refusal.is_for_operator:
        return RetryAt(reason, OPERATOR_SECONDS)
    if refusal.status >= 500:
        return OutcomeUnknown(reason)
    return Undeliverable(reason)
