"""Read Orange's webhooks: receipts of our messages, and messages from people.

Orange signs nothing, so the address holds a key. Both addresses are given to Orange by its contact
form, "Real time SMS DR" and "SMS response" (developer.orange.com/apis/sms/getting-started). The
shapes are OneAPI's; whether `callbackData` is the id of the message is documented for some
countries only, so a receipt carries the number too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, cast

import msgspec
import structlog

from adapters.base import replace_lone_surrogates
from adapters.sms_gateway import get_fields, read_number, read_sms_text, verify_webhook_key
from bot.contracts.channels import Webhook
from bot.errors import BadRequest
from bot.messages.channels import Channel
from bot.messages.incoming import Receipt, Received, Sender, Unreadable, Update
from bot.settings import Settings

VIA: Final = "orange_sms"
CHANNEL: Final[Channel] = "sms"
_STATES: Mapping[str, Literal["sent", "delivered", "failed"]] = {
    "DeliveredToTerminal": "delivered",
    "DeliveryImpossible": "failed",
    "DeliveredToNetwork": "sent",
    "DeliveryUncertain": "sent",
    "MessageWaiting": "sent",
    "DeliveryNotificationNotSupported": "sent",
}
"""The state by Orange's status; receipts with other statuses are ignored."""
log = structlog.get_logger()


class OrangeWebhooks:
    """Implements `bot.contracts.channels.WebhookReader`.

    Args:
        settings: its `SECRET_KEY` gives the key in the address.
    """

    name = VIA

    def __init__(self, settings: Settings) -> None:
        self._keys = settings.list_webhook_keys("orange")

    def verify(self, webhook: Webhook) -> None:
        """Raise `Refused` unless the address holds our key."""
        verify_webhook_key(webhook, self._keys)

    def parse(self, webhook: Webhook) -> Sequence[Received]:
        """Read receipts or a message; return nothing for an unknown kind.

        Raises:
            BadRequest: not a JSON object, or fields of a receipt are missing or of the wrong type.
        """
        try:
            payload = msgspec.json.decode(replace_lone_surrogates(webhook.body))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise BadRequest("not JSON") from None
        if not isinstance(payload, dict):
            raise BadRequest("not a JSON object")
        fields = cast("Mapping[str, Any]", payload)
        if "deliveryInfoNotification" in fields:
            return _read_receipts(fields["deliveryInfoNotification"])
        if "inboundSMSMessageNotification" in fields:
            return [_read_message(fields["inboundSMSMessageNotification"])]
        return []


def _read_receipts(notification: object) -> list[Receipt]:
    fields = get_fields(notification)
    reported = fields.get("deliveryInfo")
    infos = cast("list[object]", reported) if isinstance(reported, list) else [reported]
    provider_id = fields.get("callbackData") or ""
    if not isinstance(provider_id, str):
        raise BadRequest("callbackData is no text")
    found = [_read_receipt(get_fields(info), provider_id.strip()) for info in infos]
    return [receipt for receipt in found if receipt is not None]


def _read_receipt(info: Mapping[str, Any], provider_id: str) -> Receipt | None:
    status, address = info.get("deliveryStatus"), info.get("address", "")
    if not isinstance(status, str) or not isinstance(address, str):
        raise BadRequest("not a receipt: no deliveryStatus, or the address is no text")
    number = read_number(address)
    if not provider_id and not number:
        raise BadRequest("not a receipt: neither callbackData nor a number")
    state = _STATES.get(status)
    if state is None:
        log.info("orange_status_unknown")
        return None
    error = status if state == "failed" else ""
    return Receipt(VIA, provider_id, state, error=error, address=number)


def _read_message(notification: object) -> Update | Unreadable:
    fields = get_fields(get_fields(notification).get("inboundSMSMessage"))
    if not fields:
        raise BadRequest("not a message: no inboundSMSMessage")
    sender, text = fields.get("senderAddress"), fields.get("message")
    number = read_number(sender) if isinstance(sender, str) else ""
    if not number or not isinstance(text, str) or not text.strip():
        reason = "shape" if number else "sender"
        log.warning("orange_message_unreadable", reason=reason)
        return Unreadable(CHANNEL, VIA, reason, msgspec.json.encode(fields).decode())
    key = _name_message(fields)
    return Update(
        channel=CHANNEL,
        via=VIA,
        conversation=number,
        sender=Sender(number),
        delivery_key=key,
        message_key=key,
        content=read_sms_text(text),
    )


def _name_message(fields: Mapping[str, Any]) -> str:
    """Return Orange's id of the message; where it gives none, a digest of sender, time and
    text."""
    if (given := fields.get("messageId")) and isinstance(given, str):
        return given
    parts = [fields.get(name) for name in ("senderAddress", "dateTime", "message")]
    return f"orange:{hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:32]}"
