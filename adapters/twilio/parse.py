"""Authenticate and read Twilio's requests: from form fields to `Update`s and `Receipt`s."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal
from urllib.parse import parse_qsl

import msgspec
import structlog
from multidict import MultiDict
from twilio.request_validator import RequestValidator

from adapters.base import BUTTON_TOKEN, PHONE_NUMBER
from adapters.sms_gateway import read_sms_text
from adapters.twilio.client import classify_code
from bot.contracts.channels import Webhook
from bot.errors import BadRequest, Refused
from bot.messages.channels import USER_ID
from bot.messages.incoming import (
    Attachment,
    OptedOut,
    Receipt,
    Received,
    Said,
    Sender,
    SharedLocation,
    Tapped,
    Unreadable,
    Update,
    UpdateContent,
)
from bot.messages.value import MediaKind
from bot.settings import Settings

MAX_FIELDS = 500
_FORM = "application/x-www-form-urlencoded"


class TwilioWebhooks:
    """Implements `bot.contracts.channels.WebhookReader`; both routes serve both channels.

    Args:
        settings: `public_url`, the token, and which of the two senders are configured: updates for
            the other one are left out.
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
        self._senders = {
            name: sender.removeprefix(WHATSAPP) for name, sender in senders.items() if sender
        }
        self._names = [*self._senders]
        self.name = self._names[0]

    def verify(self, webhook: Webhook) -> None:
        """Check Twilio's signature. Raises `Refused`.

        The signature is over our public address, the path as it came, and all fields, unknown ones
        too; a proxy's headers never count (twilio.com/docs/usage/security).
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

    def parse(self, webhook: Webhook) -> list[Received]:
        """Return a message, or a receipt of one of ours; nothing for states that are not new.
        A message to another number of the account is kept as `Unreadable`.

        Raises:
            BadRequest: not a form, not UTF-8, or without a MessageSid that can be stored.
        """
        try:
            form = _fields(webhook, errors="strict")
        except ValueError:
            raise BadRequest("not a form in UTF-8") from None
        if not form.get("MessageSid") or "\0" in form["MessageSid"]:
            raise BadRequest("not a message of Twilio: no MessageSid")
        is_status = webhook.path.partition("?")[0].endswith("/status")
        item = read_status(form, self.name) if is_status else self._read_message(form)
        return [item] if item is not None and item.via in self._names else []

    def _read_message(self, form: Form) -> Update | Unreadable:
        item = read_message(form)
        to, ours = form.get("To", "").removeprefix(WHATSAPP), self._senders.get(item.via, "")
        may_be_ours = form.get("MessagingServiceSid") or not PHONE_NUMBER.fullmatch(ours)
        if not to or to == ours or may_be_ours or isinstance(item, Unreadable):
            return item
        log.warning("twilio_other_number_ignored", via=item.via)
        payload = msgspec.json.encode(dict(form)).decode()
        return Unreadable(item.channel, item.via, "recipient", payload)


def _fields(webhook: Webhook, errors: str) -> MultiDict[str]:
    """Return the fields of a form. Raises `ValueError` when it is none and `errors` is `strict`."""
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


WHATSAPP = "whatsapp:"
MAX_MEDIA = 10
"""The most files of one message."""
_FILENAME = re.compile(r"[^\s/\\][^/\\\r\n]{0,120}\.[A-Za-z0-9]{2,5}")
_STATES: Mapping[str, Literal["sent", "delivered", "read", "failed"]] = {
    "sent": "sent",
    "delivered": "delivered",
    "read": "read",
    "failed": "failed",
    "undelivered": "failed",
}
Form = Mapping[str, str]
log = structlog.get_logger()


def read_message(form: Form) -> Update | Unreadable:
    """Read a person's message from a form."""
    is_whatsapp = form.get("From", "").startswith(WHATSAPP)
    channel, via = ("whatsapp", "twilio_whatsapp") if is_whatsapp else ("sms", "twilio_sms")
    sender = _find_sender(form)
    content = _content(form, whatsapp=is_whatsapp) if sender else None
    if sender is None or content is None:
        reason = "shape" if sender else "sender"
        log.warning("twilio_message_unreadable", sid=form["MessageSid"], reason=reason)
        return Unreadable(channel, via, reason, msgspec.json.encode(dict(form)).decode())
    return Update(
        channel=channel,
        via=via,
        conversation=sender.address,
        sender=sender,
        delivery_key=form["MessageSid"],
        message_key=form["MessageSid"],
        content=content,
    )


def _find_sender(form: Form) -> Sender | None:
    """Return the sender, by number, user id or both; None: neither can be read.

    The user id is in `From` where the number is hidden, else in another field, for which Twilio has
    published two names.
    """
    address = form.get("From", "").removeprefix(WHATSAPP)
    extra = form.get("ExternalUserId") or form.get("ExternalUserIdentifier") or ""
    user_id = next(
        (each for each in (address, extra.removeprefix(WHATSAPP)) if USER_ID.fullmatch(each)), ""
    )
    if not PHONE_NUMBER.fullmatch(address):
        address = user_id
    return Sender(address, form.get("ProfileName", ""), user_id=user_id) if address else None


def read_status(form: Form, via: str) -> Receipt | None:
    """Return the receipt of a message of ours; None while it is still on its way out.

    Args:
        via: the adapter that is named where the form has no sender: the delivery knows its own.
    """
    state = _STATES.get(form.get("MessageStatus", ""))
    if state is None:
        return None
    error = form.get("ErrorCode", "") if state == "failed" else ""
    if known := form.get("From") or form.get("To"):
        via = "twilio_whatsapp" if known.startswith(WHATSAPP) else "twilio_sms"
    sender, to = (form.get(name, "").removeprefix(WHATSAPP) for name in ("From", "To"))
    return Receipt(
        via=via,
        provider_id=form["MessageSid"],
        state=state,
        error=error,
        cause=classify_code(int(error)) if error.isdecimal() and len(error) < 9 else "",
        recipients=(to,) if PHONE_NUMBER.fullmatch(to) or USER_ID.fullmatch(to) else (),
        sender=sender if PHONE_NUMBER.fullmatch(sender) else "",
    )


def _content(form: Form, *, whatsapp: bool) -> UpdateContent | None:
    if token := form.get("ButtonPayload") or form.get("ListId"):
        return _tapped(form, token)
    if form.get("Latitude") and form.get("Longitude"):
        return _place(form)
    attachments = _attachments(form, whatsapp=whatsapp)
    text = form.get("Body", "")
    forwarded = "true" in {form.get("Forwarded", ""), form.get("FrequentlyForwarded", "")}
    if not attachments:
        return _words(form, text, forwarded=forwarded, whatsapp=whatsapp)
    if whatsapp and attachments[0].mime_type == "image/webp" and not text:
        return Said("[sticker]")  # WhatsApp has this type for stickers only
    is_document = len(attachments) == 1 and attachments[0].kind == "document"
    if is_document and _FILENAME.fullmatch(text.strip()):  # WhatsApp's file name comes as the text
        attachments = (msgspec.structs.replace(attachments[0], filename=text.strip()),)
        text = ""
    return Said(text, attachments, forwarded=forwarded)


def _tapped(form: Form, token: str) -> Tapped | Said:
    """Return the tap of one of our tokens; for other buttons (a template's), their text."""
    if BUTTON_TOKEN.fullmatch(token):
        return Tapped(token)
    return Said(form.get("ButtonText") or form.get("ListTitle") or form.get("Body") or token)


def _place(form: Form) -> SharedLocation:
    try:
        latitude, longitude = float(form["Latitude"]), float(form["Longitude"])
    except ValueError:
        latitude = longitude = math.nan
    if not (abs(latitude) <= 90 and abs(longitude) <= 180):
        raise BadRequest("Latitude and Longitude are no place on Earth")
    return SharedLocation(latitude, longitude, form.get("Label") or form.get("Address") or "")


def _words(form: Form, text: str, *, forwarded: bool, whatsapp: bool) -> Said | OptedOut | None:
    """Read a text. `OptOutType` means that Twilio has acted on it, by the words that the operator
    chose there."""
    opt_out = form.get("OptOutType", "").upper()
    if not text.strip() and opt_out != "STOP":
        return None
    if not whatsapp:
        return read_sms_text(text, opt_out, forwarded=forwarded)
    if opt_out == "STOP":
        return OptedOut()
    return Said(text, forwarded=forwarded, consents=opt_out == "START")


def _attachments(form: Form, *, whatsapp: bool) -> tuple[Attachment, ...]:
    found: list[Attachment] = []
    for place in range(MAX_MEDIA):
        reference = form.get(f"MediaUrl{place}")
        if not reference:
            break
        mime_type = form.get(f"MediaContentType{place}", "").partition(";")[0].strip().lower()
        kind = _kind(mime_type)
        voice = whatsapp and kind == "audio"
        filename = "contact.vcf" if mime_type in {"text/vcard", "text/x-vcard"} else ""
        found.append(Attachment(kind, reference, filename, mime_type, voice=voice))
    return tuple(found)


def _kind(mime_type: str) -> MediaKind:
    family = mime_type.partition("/")[0]
    return "image" if family == "image" else "audio" if family == "audio" else "document"
