"""SMS and WhatsApp, by Twilio's Programmable Messaging.

Texts and limits of SMS are those of every provider of SMS (`adapters/sms_gateway.py`), so that an
answer may go by any of them. Only Twilio delivers files (MMS), and none are sent: outside the
United States and Canada only a link arrives. Errors are in `client.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
import structlog

from adapters.base import (
    MAX_BODY,
    MAX_REPLIES,
    MAX_ROWS,
    describe_row,
    get_list_label,
    list_buttons,
    require_contact_id,
    write_options_as_text,
)
from adapters.sms_gateway import SmsAdapter, make_sms_capabilities
from adapters.twilio.account import Account, log_operator_error
from adapters.twilio.client import ANSWER_SECONDS, Refusal, explain
from adapters.twilio.parse import WHATSAPP
from bot.contracts.channels import Adapter, Capabilities, Pace
from bot.errors import OutcomeUnknown, RetryAt, SenderRestricted, Undeliverable
from bot.messages.channels import Channel
from bot.messages.incoming import Attachment
from bot.messages.outgoing import (
    Button,
    Delivery,
    FileBody,
    Preview,
    Sent,
    TemplateBody,
    TextBody,
    Typing,
)
from bot.settings import Settings

MAX_MMS_FILE = 5 * 2**20
"""The most bytes of a file in an MMS."""


class TwilioSms(SmsAdapter):
    """Sends SMS by Twilio.

    Pace: Twilio queues what exceeds a sender's own pace (up to ten hours of it); ours keeps the
    account below its limit of requests at once (twilio.com/docs/api/errors/21611, 20429).

    Args:
        settings: its `twilio_…` fields, `public_url` and `sms_page_segments`.
        seconds: time-out of a request to Twilio's API.
    """

    name = "twilio_sms"

    def __init__(self, settings: Settings, seconds: float = ANSWER_SECONDS) -> None:
        self._account = Account(settings, seconds)
        self._sender = settings.twilio_sms_from
        pace = Pace(settings.twilio_sms_per_second, 20)
        self.capabilities = make_sms_capabilities(settings, pace, self._sender)

    async def fetch(self, attachment: Attachment) -> bytes:
        """Download a file of at most 5 MB, the limit of an MMS."""
        return await self._account.fetch(attachment, MAX_MMS_FILE)

    async def _send(self, number: str, text: str) -> Sent:
        return await self._account.send(self._sender, number, body=text)

    async def close(self) -> None:
        await self._account.close()


CONTENT_URL = "https://content.twilio.com/v1/Content"
TYPING_URL = "https://messaging.twilio.com/v2/Indicators/Typing.json"
MAX_FILE = 16 * 2**20
MAX_IMAGE = 5 * 2**20
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_AUDIO = ("audio/ogg", "audio/amr", "audio/3gpp", "audio/aac", "audio/mpeg")
_DOCUMENTS = ("application/pdf", "application/msword", DOCX, PPTX, XLSX)
_FILES = (*_AUDIO, *_DOCUMENTS, "video/mp4", "text/vcard")
_MESSAGE_SID = re.compile(r"(?:SM|MM)[0-9a-f]{32}")
log = structlog.get_logger()


class TwilioWhatsapp(Adapter):
    """Sends WhatsApp messages by Twilio.

    Limits: twilio.com/docs/whatsapp/guidance-whatsapp-media-messages (WebP is for stickers there,
    so a WebP picture goes as a link; a document can have no caption) and
    .../best-practices-and-faqs; Twilio queues what exceeds a sender's own pace. A picture above
    buttons would be a card, which only an approved template may show (.../docs/content/whatsappcard
    and .../twiliocard), so a picture and a quiz are two messages. An emoji may count as two
    characters (.../api/errors/21617), so it counts as two.

    Args:
        settings: its `twilio_…` fields and `public_url`.
        seconds: time-out of a request to Twilio's API.
    """

    name = "twilio_whatsapp"
    channel: Channel = "whatsapp"

    def __init__(self, settings: Settings, seconds: float = ANSWER_SECONDS) -> None:
        self._account = Account(settings, seconds)
        self._sender = WHATSAPP + settings.twilio_whatsapp_from.removeprefix(WHATSAPP)
        self._template = settings.twilio_template_sid
        self.capabilities = Capabilities(
            max_text=1600,
            text_unit="utf16",
            markup="markers",
            max_caption=1024,
            captioned=("image/",),
            max_buttons=10,
            max_button_label=20,
            joins=True,
            opens_lists=True,
            media=(
                ("image/jpeg", MAX_IMAGE),
                ("image/png", MAX_IMAGE),
                *((mime_type, MAX_FILE) for mime_type in _FILES),
            ),
            media_by_link=True,
            typing=25.0,
            window=24 * 3600.0,
            template=bool(settings.twilio_template_sid),
            receipts=True,
            message_fee=settings.twilio_message_usd,
            sender_pace=Pace(settings.twilio_whatsapp_per_second, 20),
        )

    async def fetch(self, attachment: Attachment) -> bytes:
        """Download a file of at most 16 MB."""
        return await self._account.fetch(attachment, MAX_FILE)

    async def deliver(self, delivery: Delivery) -> Sent:
        match delivery.body:
            case TextBody(buttons=()) as body:
                return await self._send(delivery, body=body.text)
            case TextBody() as body:
                return await self._offer(delivery, body)
            case FileBody(link=""):
                raise Undeliverable("the file has no link: is PUBLIC_URL set?")
            case FileBody() as body:
                return await self._send(delivery, body=body.file.caption, media_url=body.link)
            case TemplateBody() as body:
                return await self._send_template(delivery, body)
            case _:  # buttons cannot be retired here, nor taps acknowledged
                return Sent("")

    async def show(self, preview: Preview) -> None:
        """Show typing, which also marks the message as read."""
        if not isinstance(preview, Typing) or not _MESSAGE_SID.fullmatch(preview.about):
            return
        try:
            await self._account.client.post(
                TYPING_URL, {"channel": "whatsapp", "messageId": preview.about}
            )
        except Refusal as refusal:
            if refusal.status == 429:
                raise explain(refusal) from None
            log.debug("twilio_preview_dropped", reason=str(refusal))
        except (RetryAt, OutcomeUnknown) as error:
            log.debug("twilio_preview_dropped", reason=str(error))

    async def close(self) -> None:
        await self._account.close()

    async def _send(self, delivery: Delivery, **content: str) -> Sent:
        to = WHATSAPP + require_contact_id(delivery.conversation)
        return await self._account.send(self._sender, to, **content)

    async def _send_template(self, delivery: Delivery, body: TemplateBody) -> Sent:
        if not self._template:
            raise Undeliverable("TWILIO_TEMPLATE_SID is not set")
        variables = msgspec.json.encode({"1": body.text}).decode()
        return await self._send(delivery, content_sid=self._template, content_variables=variables)

    async def _offer(self, delivery: Delivery, body: TextBody) -> Sent:
        """Send a text with its buttons; if Twilio refuses those, once more with a line for each."""
        if sid := await self._make_content(body):
            try:
                return await self._send(delivery, content_sid=sid)
            except Undeliverable as error:
                if error.dead_target:
                    raise
                log.warning("twilio_buttons_refused", reason=str(error))
        sent = await self._send(delivery, body=write_options_as_text(body))
        return msgspec.structs.replace(sent, options_listed=True)

    async def _make_content(self, body: TextBody) -> str:
        """Create a content resource that shows `body`; return its sid, or "" where it cannot be.

        People see it only once it is sent, so no outcome here is in doubt. Raises `RetryAt` or
        `SenderRestricted`.
        """
        content = to_content(body)
        if content is None:
            return ""
        try:
            return (await self._account.client.post_json(CONTENT_URL, content)).sid or ""
        except Refusal as refusal:
            log_operator_error(refusal)
            if isinstance(meant := explain(refusal), RetryAt | SenderRestricted):
                raise meant from None
            log.warning("twilio_content_refused", reason=str(refusal))
        except OutcomeUnknown as error:
            log.warning("twilio_content_unanswered", reason=str(error))
        return ""


LANGUAGE = "fr"
"""The language of the content, which must have one; it is not shown."""
Content = Mapping[str, Any]


def to_content(body: TextBody) -> Content | None:
    """Build the request for a content resource; return None where Twilio cannot show `body` so.

    Limits: three replies in a session, a list of ten, 1024 characters above them
    (twilio.com/docs/content: twilio/quick-reply, twilio/list-picker). Braces would be read as a
    variable, and there is no way to quote them.
    """
    buttons = list_buttons(body)
    said = [body.text, *(button.label for button in (*buttons, *body.choices))]
    if any("{{" in text for text in said) or len(body.text) > MAX_BODY or not body.text:
        return None
    if len(buttons) <= MAX_REPLIES:
        actions = [
            {"type": "QUICK_REPLY", "title": each.label, "id": each.token} for each in buttons
        ]
        return _request("twilio/quick-reply", body, actions=actions)
    if len(buttons) <= MAX_ROWS:
        items = [_item(each, describe_row(each, body)) for each in buttons]
        return _request("twilio/list-picker", body, button=get_list_label(body), items=items)
    return None


def _request(kind: str, body: TextBody, **parts: object) -> Content:
    return {"language": LANGUAGE, "types": {kind: {"body": body.text, **parts}}}


def _item(button: Button, description: str) -> dict[str, str]:
    item = {"item": button.label, "id": button.token}
    return item | {"description": description} if description else item
