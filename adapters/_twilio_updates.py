"""What Twilio tells us, in the house's words: pure, from form fields to the vocabulary.

Fields: twilio.com/docs/messaging/guides/webhook-request. Reactions, edits and times are not told.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Literal

import structlog

from adapters._numbers import NUMBER
from adapters._twilio_errors import cause_of
from bot import carriers
from bot.errors import BadRequest
from bot.messages import (
    Attachment,
    MediaKind,
    OptedOut,
    Receipt,
    Said,
    Sender,
    SharedLocation,
    Tapped,
    Update,
    UpdateContent,
)

WHATSAPP = "whatsapp:"
MAX_MEDIA = 10
"""What one message holds."""
_TOKEN = re.compile(r"[0-9a-f]{32}")
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


def read_message(form: Form) -> Update | None:
    """What a person sent; None for what has no words for us, or comes from no phone number."""
    whatsapp = form.get("From", "").startswith(WHATSAPP)
    address = form.get("From", "").removeprefix(WHATSAPP)
    content = _content(form, whatsapp=whatsapp) if NUMBER.fullmatch(address) else None
    if content is None:
        log.debug("twilio_message_ignored", sid=form["MessageSid"], fields=sorted(form.keys()))
        return None
    return Update(
        channel="whatsapp" if whatsapp else "sms",
        via="twilio_whatsapp" if whatsapp else "twilio_sms",
        conversation=address,
        sender=Sender(address, form.get("ProfileName", "")),
        delivery_key=form["MessageSid"],
        message_key=form["MessageSid"],
        content=content,
    )


def read_status(form: Form) -> Receipt | None:
    """What became of a message of ours; None while it is still on its way out."""
    state = _STATES.get(form.get("MessageStatus", ""))
    if state is None:
        return None
    error = form.get("ErrorCode", "") if state == "failed" else ""
    whatsapp = form.get("From", "").startswith(WHATSAPP)
    return Receipt(
        via="twilio_whatsapp" if whatsapp else "twilio_sms",
        provider_id=form["MessageSid"],
        state=state,
        error=error,
        cause=cause_of(int(error)) if error.isdecimal() and len(error) < 9 else "",
    )


def _content(form: Form, *, whatsapp: bool) -> UpdateContent | None:
    if token := form.get("ButtonPayload") or form.get("ListId"):
        return _tapped(form, token)
    if form.get("Latitude") and form.get("Longitude"):
        return _place(form)
    attachments = _attachments(form, whatsapp=whatsapp)
    text, forwarded = form.get("Body", ""), _is_forwarded(form)
    if not attachments:
        return _words(form, text, forwarded=forwarded, whatsapp=whatsapp)
    if whatsapp and attachments[0].mime_type == "image/webp" and not text:
        return Said("[sticker]")  # WhatsApp has this type for stickers only
    if _is_named_by(attachments, text):
        attachments = (_named(attachments[0], text.strip()),)
        text = ""
    return Said(text, attachments, forwarded=forwarded)


def _tapped(form: Form, token: str) -> Tapped | Said:
    """A token of ours; buttons made elsewhere (a template's) say their text."""
    if _TOKEN.fullmatch(token):
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
    """Text. On SMS some words, alone, stop and start us, and the carrier acts on them too.

    `OptOutType` says that Twilio has acted, on whatever words the operator chose there.
    """
    word = "" if whatsapp else text.strip().lower()
    told = form.get("OptOutType", "").upper()
    if told == "STOP" or word in carriers.STOP:
        return OptedOut()
    if not text.strip():
        return None
    return Said(text, forwarded=forwarded, consents=told == "START" or word in carriers.START)


def _is_forwarded(form: Form) -> bool:
    return "true" in {form.get("Forwarded", ""), form.get("FrequentlyForwarded", "")}


def _attachments(form: Form, *, whatsapp: bool) -> tuple[Attachment, ...]:
    found: list[Attachment] = []
    for place in range(MAX_MEDIA):
        reference = form.get(f"MediaUrl{place}")
        if not reference:
            break
        told = form.get(f"MediaContentType{place}", "").partition(";")[0].strip().lower()
        kind = _kind(told)
        voice = whatsapp and kind == "audio"
        filename = "contact.vcf" if told in {"text/vcard", "text/x-vcard"} else ""
        found.append(Attachment(kind, reference, filename, told, voice=voice))
    return tuple(found)


def _kind(mime_type: str) -> MediaKind:
    family = mime_type.partition("/")[0]
    return "image" if family == "image" else "audio" if family == "audio" else "document"


def _is_named_by(attachments: tuple[Attachment, ...], text: str) -> bool:
    """Whether the text is the document's name: that is how WhatsApp's names come through."""
    alone = len(attachments) == 1 and attachments[0].kind == "document"
    return alone and _FILENAME.fullmatch(text.strip()) is not None


def _named(attachment: Attachment, filename: str) -> Attachment:
    return Attachment(attachment.kind, attachment.reference, filename, attachment.mime_type)
