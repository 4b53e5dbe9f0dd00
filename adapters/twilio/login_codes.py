"""Send and check login codes by Twilio Verify.

Verify makes the codes, sends them and checks them: https://www.twilio.com/docs/verify/api. A
verification lives for ten minutes, takes five checks and five sends; a second request sends the
same code once more.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

import structlog

from adapters.twilio.account import log_operator_error
from adapters.twilio.client import ANSWER_SECONDS, Refusal, TwilioClient
from bot.errors import CodeUnsent, OutcomeUnknown, RetryAt
from bot.messages.channels import CODE_CHANNELS, Channel
from bot.settings import Settings

_SENT_TOO_OFTEN: Final = 60203
_NO_MATCH: Final = frozenset({20404, 60200, 60202})
"""Codes for a missing or ended verification, a malformed code, and too many checks."""
log = structlog.get_logger()


class TwilioVerify:
    """Implements `bot.contracts.channels.CodeService`.

    Args:
        settings: its `twilio_…` fields.
        seconds: time-out of a request to Twilio's API.
    """

    def __init__(self, settings: Settings, seconds: float = ANSWER_SECONDS) -> None:
        self._client = TwilioClient(settings, seconds)
        service = quote(settings.twilio_verify_service_sid, safe="")
        self._url = f"https://verify.twilio.com/v2/Services/{service}"

    async def send(self, number: str, *, again: bool) -> Channel:
        """Send a code (`CodeService.send`). If one channel fails, or is in doubt, the other sends
        the same code."""
        failure: Exception = CodeUnsent("there is no way")
        for channel in reversed(CODE_CHANNELS) if again else CODE_CHANNELS:
            try:
                await self._send(number, channel)
            except (CodeUnsent, ConnectionError) as error:
                log.warning("code_unsent", channel=channel, reason=str(error))
                failure = error
                if isinstance(error, CodeUnsent) and error.too_many:
                    break
            else:
                return channel
        raise failure

    async def check(self, number: str, typed: str) -> bool:
        """Check a code (`CodeService.check`)."""
        try:
            checked = await self._client.post(
                f"{self._url}/VerificationCheck", {"To": number, "Code": typed}
            )
        except Refusal as refusal:
            if refusal.code in _NO_MATCH or refusal.status == 404:
                return False
            log_operator_error(refusal)
            raise ConnectionError(str(refusal)) from None
        except (RetryAt, OutcomeUnknown) as error:
            raise ConnectionError(str(error)) from None
        return checked.status == "approved"

    async def close(self) -> None:
        await self._client.close()

    async def _send(self, number: str, channel: Channel) -> None:
        try:
            await self._client.post(
                f"{self._url}/Verifications", {"To": number, "Channel": channel}
            )
        except Refusal as refusal:
            log_operator_error(refusal)
            if refusal.code == _SENT_TOO_OFTEN or refusal.status == 429:
                raise CodeUnsent(str(refusal), too_many=True) from None
            if refusal.is_for_operator or refusal.status >= 500 or refusal.status == 404:
                raise ConnectionError(str(refusal)) from None
            raise CodeUnsent(str(refusal)) from None
        except (RetryAt, OutcomeUnknown) as error:
            raise ConnectionError(str(error)) from None
