"""Read the webhooks of Africa's Talking: receipts, messages and opt-outs.

All are forms without a signature, so the address holds a key; the same address may be entered for
all three (developers.africastalking.com/docs/sms/notifications).
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Final, Literal
from urllib.parse import parse_qsl

import msgspec
import structlog

from adapters.sms_gateway import read_number, read_sms_text, verify_webhook_key
from bot.contracts.channels import Webhook
from bot.errors import BadRequest
from bot.messages.channels import Channel
from bot.messages.incoming import OptedOut, Receipt, Received, Sender, Unreadable, Update
from bot.settings import Settings

VIA: Final = "africastalking_sms"
CHANNEL: Final[Channel] = "sms"
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


class AfricasTalkingWebhooks:
    """Implements `bot.contracts.channels.WebhookReader`.

    Args:
        settings: its `SECRET_KEY` gives the key in the address.
    """

    name = VIA

    def __init__(self, settings: Settings) -> None:
        self._keys = settings.list_webhook_keys("africastalking")

    def verify(self, webhook: Webhook) -> None:
        """Raise `Refused` unless the address holds our key."""
        verify_webhook_key(webhook, self._keys)

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
    return Update(
        channel=CHANNEL,
        via=VIA,
        conversation=number,
        sender=Sender(number),
        delivery_key=form["id"],
        message_key=form["id"],
        content=read_sms_text(text),
    )


def _read_opt_out(form: Form) -> Update | Unreadable:
    """Read an opt-out from our sender id. It has no id, so a repeated one is stored twice, which
    changes nothing."""
    number = read_number(form["phoneNumber"])
    if not number:
        return _keep_unreadable(form, "sender")
    key = f"opt-out:{secrets.token_hex(16)}"
    return Update(
        channel=CHANNEL,
        via=VIA,
        conversation=number,
        sender=Sender(number),
        delivery_key=key,
        message_key=key,
        content=OptedOut(),
    )


def _keep_unreadable(form: Form, reason: Literal["sender", "shape"]) -> Unreadable:
    log.warning("africastalking_message_unreadable", reason=reason)
    return Unreadable(CHANNEL, VIA, reason, msgspec.json.encode(dict(form)).decode())
