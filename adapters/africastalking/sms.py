"""SMS, by Africa's Talking (developers.africastalking.com/docs/sms/sending/bulk).

One request sends one message. An answer gives the outcome for each recipient by a special code,
whatever its HTTP status. No pace is published; ours keeps one account from flooding the service.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast
from urllib.parse import urlencode

from adapters.sms_gateway import (
    ANSWER_SECONDS,
    GatewayAnswer,
    GatewayClient,
    get_fields,
    make_sms_capabilities,
    write_sms,
)
from bot.contracts.channels import Pace
from bot.contracts.findings import Finding
from bot.errors import DeliveryError, NotFound, OutcomeUnknown, Undeliverable
from bot.messages.channels import Channel
from bot.messages.incoming import Attachment
from bot.messages.outgoing import Delivery, Preview, Sent
from bot.settings import Settings

PER_SECOND: Final = 10.0
_ACCEPTED: Final = (100, 101, 102)
"""Processed, sent, queued."""
_FOR_OPERATOR: Final = {402: "InvalidSenderId", 405: "InsufficientBalance"}
"""Codes by which the account is wrong, not this message. An answer without recipients has the name
alone."""
_DEAD: Final = (403, 404)
"""Invalid phone number; unsupported kind of number."""
_BLACKLISTED: Final = 406
"""The person has opted out at Africa's Talking."""
_NO_ID: Final = ("", "None")


class AfricasTalkingSms:
    """Implements `bot.contracts.channels.Adapter`.

    Args:
        settings: its `africastalking_…` fields.
        page_segments: segments of a long answer that are sent at once.
        seconds: time-out of a request to the API.
    """

    name = "africastalking_sms"
    title = "Africa's Talking"
    channel: Channel = "sms"

    def __init__(
        self, settings: Settings, page_segments: int = 4, seconds: float = ANSWER_SECONDS
    ) -> None:
        self._http = GatewayClient("Africa's Talking", seconds)
        self._username = settings.africastalking_username
        self._headers = {"apiKey": settings.africastalking_api_key}
        self._sender = settings.africastalking_sender
        self._url = f"{settings.africastalking_api_url}/version1/messaging"
        query = urlencode({"username": self._username})
        self._account_url = f"{settings.africastalking_api_url}/version1/user?{query}"
        # Without a sender Africa's Talking puts a name of its own: AFRICASTKNG.
        pace = Pace(PER_SECOND, 10)
        self.capabilities = make_sms_capabilities(page_segments, pace, self._sender)

    async def fetch(self, attachment: Attachment) -> bytes:
        """Raise `NotFound`: Africa's Talking delivers only texts."""
        raise NotFound(f"No attachment {attachment.reference!r}.")

    async def deliver(self, delivery: Delivery) -> Sent:
        message = write_sms(delivery)
        if message is None:  # nothing to retire or to acknowledge
            return Sent("")
        number, text = message
        form = {"username": self._username, "to": number, "message": text}
        if self._sender:
            form["from"] = self._sender
        answer = await self._http.post(self._url, self._headers, form=form)
        recipient, summary = _find_recipient(answer)
        code = recipient.get("statusCode")
        if not recipient:
            raise self._explain_without_recipient(answer, summary)
        if isinstance(code, int) and code in _ACCEPTED:
            return Sent(_read_id(recipient))
        raise self._explain_code(code)

    async def show(self, preview: Preview) -> None:
        """Do nothing: SMS has no previews."""

    async def check(self) -> Sequence[Finding]:
        """Ask for the balance (developers.africastalking.com/docs/application;
        `bot.contracts.findings.CheckedProvider`)."""
        answer = await self._http.get(self._account_url, self._headers)
        if answer.status in {401, 403}:
            advice = (
                "copy the key again; a new one works after some minutes, and a sandbox has its own"
            )
            problem = f"Africa's Talking refuses it: {answer.status}"
            return [Finding("error", "AFRICASTALKING_API_KEY", problem, advice)]
        balance = str(get_fields(answer.fields.get("UserData")).get("balance", ""))[:30]
        if not answer.is_good or not balance:
            raise ConnectionError(f"it answered {answer.status}")
        return [Finding("ok", self.title, f"knows the account, which has {balance}")]

    async def close(self) -> None:
        await self._http.close()

    def _explain_code(self, code: object) -> DeliveryError:
        """Return the error that a recipient's code means. By every code but those of success, the
        message was not taken."""
        if not isinstance(code, int):
            return OutcomeUnknown("Africa's Talking does not say what became of the message")
        reason = f"Africa's Talking status {code}"
        if code in _FOR_OPERATOR:
            return self._http.wait_for_operator(f"{reason} {_FOR_OPERATOR[code]}")
        opted_out = code == _BLACKLISTED
        return Undeliverable(reason, dead_target=opted_out or code in _DEAD, opted_out=opted_out)

    def _explain_without_recipient(self, answer: GatewayAnswer, summary: str) -> DeliveryError:
        """Return the error that an answer without recipient means: an HTTP error, or a refusal of
        the whole request."""
        if not answer.is_good:
            return self._http.explain(answer, f"HTTP {answer.status}")
        if summary in _FOR_OPERATOR.values():
            return self._http.wait_for_operator(f"Africa's Talking: {summary}")
        if summary:
            return Undeliverable("Africa's Talking took the message for nobody")
        return OutcomeUnknown("Africa's Talking's answer is not one of its API")


def _find_recipient(answer: GatewayAnswer) -> tuple[Mapping[str, Any], str]:
    """Return the fields of the one recipient, empty if there are none, and the summary of the whole
    request."""
    sms = get_fields(answer.fields.get("SMSMessageData"))
    recipients, summary = sms.get("Recipients"), sms.get("Message")
    if not isinstance(recipients, list) or not isinstance(summary, str):
        return {}, ""
    listed = cast("list[object]", recipients)
    return get_fields(listed[0] if listed else None), summary


def _read_id(recipient: Mapping[str, Any]) -> str:
    """Return the message's id. Raises `OutcomeUnknown` where there is none."""
    message_id = recipient.get("messageId")
    if not isinstance(message_id, str) or message_id in _NO_ID:
        raise OutcomeUnknown("Africa's Talking's answer names no message")
    return message_id
