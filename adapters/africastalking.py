"""SMS by Africa's Talking: send messages, and read its webhooks.

One request sends one message (developers.africastalking.com/docs/sms/sending/bulk). An answer gives
the outcome for each recipient by a special code, whatever its HTTP status. No pace is published;
ours keeps one account from flooding the service.

Receipts, messages and opt-outs are forms without a signature, so the address holds a key; the same
address may be entered for all three (developers.africastalking.com/docs/sms/notifications).
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, cast
from urllib.parse import parse_qsl, urlencode

import msgspec
import structlog

from adapters.sms_gateway import (
    ANSWER_SECONDS,
    GatewayAnswer,
    GatewayClient,
    KeyedWebhooks,
    SmsAdapter,
    make_sms_capabilities,
    make_sms_update,
    read_number,
    read_sms_text,
)
from bot.contracts.channels import Finding, Pace, Webhook
from bot.errors import BadRequest, DeliveryError, OutcomeUnknown, Undeliverable
from bot.messages.incoming import (
    OptedOut,
    Receipt,
    Received,
    Unreadable,
    Update,
)
from bot.messages.outgoing import Sent
from bot.net import get_fields
from bot.settings import Settings

VIA: Final = "africastalking_sms"
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
MAX_FIELDS: Final = 100
Form = Mapping[str, str]
Cause = Literal["", "opted_out", "dead"]
_FORM: Final = "application/x-www-form-urlencoded"
_STATES: Mapping[str, Literal["sent", "delivered", "failed"]] = {
    "Success": "delivered",
    "Rejected": "failed",
    "Failed": "failed",
    "Expired": "failed",
    "AbsentSubscriber": "failed",
    "Sent": "sent",
    "Submitted": "sent",
    "Buffered": "sent",
}
"""The state by the receipt's status; receipts with other statuses are ignored."""
_CAUSES: Mapping[str, Cause] = {
    "UserInBlackList": "opted_out",
    "UserDoesNotExist": "dead",
    "UserIsInactive": "dead",
    "UserAccountSuspended": "dead",
}
"""The cause by `failureReason`, where a failure is about the number rather than one message."""
log = structlog.get_logger()


class AfricasTalkingSms(SmsAdapter):
    """Sends SMS by Africa's Talking.

    Args:
        settings: its `africastalking_…` fields and `sms_page_segments`.
        seconds: time-out of a request to the API.
    """

    name = VIA
    title = "Africa's Talking"

    def __init__(self, settings: Settings, seconds: float = ANSWER_SECONDS) -> None:
        self._http = GatewayClient("Africa's Talking", seconds)
        self._username = settings.africastalking_username
        self._headers = {"apiKey": settings.africastalking_api_key}
        self._sender = settings.africastalking_sender
        self._url = f"{settings.africastalking_api_url}/version1/messaging"
        query = urlencode({"username": self._username})
        self._account_url = f"{settings.africastalking_api_url}/version1/user?{query}"
        # Without a sender Africa's Talking puts a name of its own: AFRICASTKNG.
        pace = Pace(PER_SECOND, 10)
        self.capabilities = make_sms_capabilities(settings, pace, self._sender)

    async def _send(self, number: str, text: str) -> Sent:
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

    async def check(self) -> Sequence[Finding]:
        """Ask for the balance (developers.africastalking.com/docs/application;
        `bot.contracts.channels.CheckedAdapter`)."""
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


# Webhooks -----------------------------------------------------------------------------------------


class AfricasTalkingWebhooks(KeyedWebhooks):
    """Implements `bot.contracts.channels.WebhookReader`."""

    name = VIA
    provider = "africastalking"

    def parse(self, webhook: Webhook) -> Sequence[Received]:
        """Read one receipt, message or opt-out; return nothing for an unknown kind.

        Raises:
            BadRequest: not a form in UTF-8, or without the id of its message.
        """
        form = _read_form(webhook)
        if "status" in form:
            receipt = _read_receipt(form)
            return [receipt] if receipt else []
        if "from" in form or "text" in form:
            return [_read_message(form)]
        if form.get("senderId") and form.get("phoneNumber"):
            return [_read_opt_out(form)]
        return []


def _read_form(webhook: Webhook) -> Form:
    kind = webhook.headers.get("Content-Type", _FORM).partition(";")[0].strip().lower()
    if kind != _FORM:
        raise BadRequest("not a form")
    try:
        pairs = parse_qsl(
            webhook.body.decode(),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MAX_FIELDS,
        )
    except ValueError:
        raise BadRequest("not a form in UTF-8") from None
    if not pairs:
        raise BadRequest("an empty form")
    return dict(pairs)


def _read_receipt(form: Form) -> Receipt | None:
    if not form.get("id") or "\0" in form["id"]:
        raise BadRequest("not a receipt: no id")
    state = _STATES.get(form["status"])
    if state is None:
        log.info("africastalking_status_unknown")
        return None
    number = read_number(form.get("phoneNumber", ""))
    recipients = (number,) if number else ()
    if state != "failed":
        return Receipt(VIA, form["id"], state, recipients=recipients)
    why = form.get("failureReason", "")
    error, cause = why if why.isalnum() else form["status"], _CAUSES.get(why, "")
    return Receipt(VIA, form["id"], state, error=error[:60], cause=cause, recipients=recipients)


def _read_message(form: Form) -> Update | Unreadable:
    if not form.get("id") or "\0" in form["id"]:
        raise BadRequest("not a message: no id")
    number, text = read_number(form.get("from", "")), form.get("text", "")
    if not number:
        return _keep_unreadable(form, "sender")
    if not text.strip():
        return _keep_unreadable(form, "shape")
    return make_sms_update(VIA, number, form["id"], read_sms_text(text))


def _read_opt_out(form: Form) -> Update | Unreadable:
    """Read an opt-out from our sender id. It has no id, so a repeated one is stored twice, which
    changes nothing."""
    number = read_number(form["phoneNumber"])
    if not number:
        return _keep_unreadable(form, "sender")
    return make_sms_update(VIA, number, f"opt-out:{secrets.token_hex(16)}", OptedOut())


def _keep_unreadable(form: Form, reason: Literal["sender", "shape"]) -> Unreadable:
    log.warning("africastalking_message_unreadable", reason=reason)
    return Unreadable("sms", VIA, reason, msgspec.json.encode(dict(form)).decode())
