"""Twilio's requests to us: authenticated, then read. Both routes serve both channels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

from multidict import MultiDict
from twilio.request_validator import RequestValidator

from adapters._twilio_updates import read_message, read_status
from bot.contracts import Webhook
from bot.errors import BadRequest, Refused
from bot.messages import Receipt, Update
from bot.settings import Settings

MAX_FIELDS = 500
_FORM = "application/x-www-form-urlencoded"


class Webhooks:
    """
    Args:
        settings: `public_url`, the token, and which of the two senders are configured: what comes
            for the other one is left out.
    """

    def __init__(self, settings: Settings) -> None:
        self._public_url = settings.public_url or ""
        self._token = settings.twilio_auth_token
        validator: Any = RequestValidator(settings.twilio_auth_token)
        self._is_valid: Callable[[str, MultiDict[str], str], bool] = validator.validate
        senders = {
            "twilio_whatsapp": settings.twilio_whatsapp_from,
            "twilio_sms": settings.twilio_sms_from,
        }
        self._names = {name for name, sender in senders.items() if sender}

    def verify(self, webhook: Webhook) -> None:
        """Raises `Refused` unless Twilio signed it.

        The signature is over our public address, the path as it came, and all fields, unknown ones
        too; never over what a proxy's headers say (twilio.com/docs/usage/security).
        """
        given = webhook.headers.get("X-Twilio-Signature", "")
        if not (self._public_url and self._token and given):
            raise Refused("missing signature, or PUBLIC_URL or TWILIO_AUTH_TOKEN is not set")
        try:
            form = _fields(webhook, errors="replace")
            valid = self._is_valid(self._public_url + webhook.path, form, given)
        except ValueError:  # characters that no URL holds, fields without end
            valid = False
        if not valid:
            raise Refused("wrong signature")

    def parse(self, webhook: Webhook) -> list[Update | Receipt]:
        """A message, or what became of one of ours; nothing for kinds that are not understood.

        Raises:
            BadRequest: not a form, not UTF-8, or without MessageSid.
        """
        try:
            form = _fields(webhook, errors="strict")
        except ValueError:
            raise BadRequest("not a form in UTF-8") from None
        if not form.get("MessageSid"):
            raise BadRequest("not a message of Twilio: no MessageSid")
        is_status = webhook.path.partition("?")[0].endswith("/status")
        item = read_status(form) if is_status else read_message(form)
        return [item] if item is not None and item.via in self._names else []


def _fields(webhook: Webhook, errors: str) -> MultiDict[str]:
    """Raises `ValueError` when it is not such a form, `errors` being `strict`."""
    kind = webhook.headers.get("Content-Type", _FORM).partition(";")[0].strip().lower()
    if kind != _FORM:
        if errors == "strict":
            raise ValueError(kind)
        return MultiDict()
    pairs = parse_qsl(
        webhook.body.decode(errors=errors),
        keep_blank_values=True,
        errors=errors,
        max_num_fields=MAX_FIELDS,
    )
    return MultiDict(pairs)
