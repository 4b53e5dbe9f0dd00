"""Twilio Verify: its codes, made and kept here, as https://www.twilio.com/docs/verify/api has it.

A number has one verification at a time; asked for again while it lives, it sends the same code. It
lives for ten minutes, and takes five sends and five checks. A request is checked by the published
specification before anything else.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bot.standins.twilio_errors import (
    INVALID_VERIFY,
    NOT_FOUND,
    TOO_MANY_CHECKS,
    TOO_MANY_SENDS,
    TwilioRefused,
)
from bot.standins.twilio_people import new_sid
from tests.standins.twilio_schema import check, form_validator

SERVICE = "VA00112233445566778899aabbccddeeff"
SECONDS = 600.0
MOST = 5
_CREATE = "/v2/Services/{ServiceSid}/Verifications"
_CHECK = "/v2/Services/{ServiceSid}/VerificationCheck"


@dataclass
class Verification:
    sid: str
    code: str
    begun: float
    sent: list[str] = field(default_factory=list[str])
    """By which channels, in order."""
    checks: int = 0


class Verify:
    """One service. `by_number` holds what lives; `unreachable` who is not on WhatsApp."""

    def __init__(self, account: str, clock: Callable[[], float]) -> None:
        self.by_number: dict[str, Verification] = {}
        self.unreachable: set[str] = set()
        self.checked: list[tuple[str, str]] = []
        """Numbers and codes that were asked about."""
        self._account = account
        self._clock = clock

    def send(self, service: str, fields: Mapping[str, str]) -> dict[str, Any]:
        self._check(_CREATE, service, fields)
        number, channel = fields["To"], fields["Channel"]
        if channel not in {"whatsapp", "sms"} or not re.fullmatch(r"\+[1-9]\d{6,14}", number):
            raise TwilioRefused(INVALID_VERIFY, "To or Channel")
        if channel == "whatsapp" and number in self.unreachable:
            raise TwilioRefused(INVALID_VERIFY, "not on WhatsApp", is_breach=False)
        known = self._living(number) or self._begin(number)
        if len(known.sent) >= MOST:
            raise TwilioRefused(TOO_MANY_SENDS, is_breach=False)
        known.sent.append(channel)
        return self._describe(known, number, "pending")

    def check(self, service: str, fields: Mapping[str, str]) -> dict[str, Any]:
        self._check(_CHECK, service, fields)
        number, code = fields.get("To", ""), fields.get("Code", "")
        self.checked.append((number, code))
        if not re.fullmatch(r"[0-9A-Za-z]{4,10}", code):
            raise TwilioRefused(INVALID_VERIFY, "Code")
        known = self._living(number)
        if known is None:
            raise TwilioRefused(NOT_FOUND, "no such verification", is_breach=False)
        known.checks += 1
        if known.checks > MOST:
            raise TwilioRefused(TOO_MANY_CHECKS, is_breach=False)
        if not secrets.compare_digest(known.code, code):
            return self._describe(known, number, "pending")
        del self.by_number[number]
        return self._describe(known, number, "approved")

    def _check(self, path: str, service: str, fields: Mapping[str, str]) -> None:
        if service != SERVICE:
            raise TwilioRefused(NOT_FOUND, "no such service")
        check(form_validator("verify_v2", path), dict(fields))

    def _living(self, number: str) -> Verification | None:
        known = self.by_number.get(number)
        return known if known and self._clock() - known.begun < SECONDS else None

    def _begin(self, number: str) -> Verification:
        code = f"{secrets.randbelow(10**6):06d}"
        made = self.by_number[number] = Verification(new_sid("VE"), code, self._clock())
        return made

    def _describe(self, known: Verification, number: str, status: str) -> dict[str, Any]:
        at = datetime.fromtimestamp(known.begun, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return {
            "sid": known.sid,
            "service_sid": SERVICE,
            "account_sid": self._account,
            "to": number,
            "channel": known.sent[-1],
            "status": status,
            "valid": status == "approved",
            "date_created": at,
            "date_updated": at,
            "amount": None,
            "payee": None,
        }
