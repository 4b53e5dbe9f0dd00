"""What the Cloud API's refusals mean. Statuses and codes are kept: its words hold people's numbers.

Codes: https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes
"""

from __future__ import annotations

from typing import Literal

import structlog

from adapters._http import MAX_WAIT
from bot.errors import DeliveryError, OutcomeUnknown, RetryAt, Undeliverable, WindowClosed

OPERATOR_SECONDS = 60.0
"""How long to wait where the operator has to act: nothing was taken, and nothing is lost."""
Cause = Literal["", "window", "opted_out", "dead"]

_CAUSES: dict[int, Cause] = {
    131021: "dead",  # the recipient is the sender
    131026: "dead",  # not on WhatsApp, its terms not accepted, or a version too old
    131030: "dead",  # a number in development writes to allowed recipients only
    131047: "window",  # more than 24 hours since the person wrote
}
_PAIR_RATE = 131056
_TOO_FAST = {4, 80007, 130429}
"""Too many calls of the app, of the business account, messages of the number. None was taken."""
_INVALID = 100
_NO_SUCH_OBJECT = 33
"""Subcode of 100: no such thing, or no permission to see it."""
_FORM = {_INVALID, 131008, 131009}
"""A parameter is unknown, missing, or has a value that is not valid."""
_ACCOUNT = {3, 10, 190, 368, 131005, 131031, 131042, 131045, 131057, 133010}
"""Capability, permission, token, policy, access, locked, unpaid, certificate, maintenance, not
registered."""

log = structlog.get_logger()


class Refusal(Exception):
    """The Cloud API answered, and not with success.

    Args:
        status: of the HTTP answer.
        code: Meta's own; 0 when it gave none.
        subcode: narrows the code down; 0 when there is none.
        transient: Meta says that the same request may succeed later.
        retry_after: seconds to wait, as asked.
    """

    def __init__(
        self,
        status: int,
        code: int = 0,
        subcode: int = 0,
        *,
        transient: bool = False,
        retry_after: float | None = None,
    ) -> None:
        shown = f"{code}/{subcode}" if subcode else f"{code}"
        super().__init__(f"WhatsApp error {shown} (HTTP {status})" if code else f"HTTP {status}")
        self.status = status
        self.code = code
        self.subcode = subcode
        self.transient = transient
        self.retry_after = retry_after

    @property
    def is_too_fast(self) -> bool:
        return self.status == 429 or self.code in {*_TOO_FAST, _PAIR_RATE}

    @property
    def is_unknown_object(self) -> bool:
        """What the URL names does not exist, or not for us."""
        return self.status in {404, 410} or (self.code, self.subcode) == (_INVALID, _NO_SUCH_OBJECT)

    @property
    def is_for_operator(self) -> bool:
        """The account, its token or a setting is wrong, not this message."""
        if self.code in _CAUSES or self.is_too_fast:
            return False
        misdirected = self.is_unknown_object if self.code in {0, _INVALID} else False
        permission = self.code in _ACCOUNT or 200 <= self.code <= 299
        return permission or misdirected or self.status in {401, 403} or 300 <= self.status < 400

    @property
    def is_about_form(self) -> bool:
        """This message cannot be sent in this form; in another it may."""
        return self.code in _FORM and self.status < 500 and not self.is_for_operator

    @property
    def is_about_template(self) -> bool:
        """The template is not what WHATSAPP_TEMPLATE says: missing, paused, other parameters."""
        return 132000 <= self.code <= 132999


def cause_of(code: int) -> Cause:
    """What the error says about the conversation rather than about one message."""
    return _CAUSES.get(code, "")


def explain(refusal: Refusal, attempt: int = 1) -> DeliveryError:
    """What it means for the delivery that met it, tried for the `attempt`th time.

    A 5xx may come after Meta has acted: in doubt, unless its code says that nothing was taken.
    """
    reason, cause = str(refusal), cause_of(refusal.code)
    if cause == "window":
        return WindowClosed(reason)
    if cause:
        return Undeliverable(reason, dead_target=True)
    if refusal.is_too_fast:
        return RetryAt(reason, _wait(refusal, attempt))
    if refusal.is_for_operator:
        return RetryAt(reason, OPERATOR_SECONDS)
    if refusal.status >= 500:
        return OutcomeUnknown(reason)
    return RetryAt(reason, refusal.retry_after) if refusal.transient else Undeliverable(reason)


def note_trouble(refusal: Refusal) -> None:
    """Tell the operator what only the operator can mend."""
    if refusal.is_about_template:
        log.error("whatsapp_template_refused", status=refusal.status, code=refusal.code)
    elif refusal.is_for_operator:
        log.error("whatsapp_account_refused", status=refusal.status, code=refusal.code)


def _wait(refusal: Refusal, attempt: int) -> float | None:
    """Too fast to one person: 4 seconds, then 16, 64 …, as Meta advises."""
    if refusal.code != _PAIR_RATE:
        return refusal.retry_after
    return max(min(4.0 ** min(attempt, 6), MAX_WAIT), refusal.retry_after or 0.0)
