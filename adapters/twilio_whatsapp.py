"""WhatsApp, by Twilio's Programmable Messaging."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
import structlog
from twilio.rest.content.v1.content import ContentList

from adapters._numbers import address_of
from adapters._options import to_text
from adapters._twilio_account import Account, note_trouble
from adapters._twilio_choices import to_content
from adapters._twilio_errors import Refusal, explain
from adapters._twilio_http import ANSWER_SECONDS
from adapters._twilio_updates import WHATSAPP
from adapters._twilio_webhooks import Webhooks
from bot.contracts import Capabilities, Pace, Webhook
from bot.errors import OutcomeUnknown, RetryAt, Undeliverable
from bot.messages import (
    Attachment,
    Channel,
    Delivery,
    FileBody,
    Preview,
    Receipt,
    Sent,
    TemplateBody,
    TextBody,
    Typing,
    Update,
)
from bot.settings import Settings

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


class TwilioWhatsapp:
    """The adapter. See `bot.contracts.Adapter` for what its methods promise.

    Limits: twilio.com/docs/whatsapp/guidance-whatsapp-media-messages (WebP is for stickers there,
    so a WebP picture goes as a link) and .../best-practices-and-faqs; Twilio queues what exceeds
    a sender's own pace. A caption beside a file is documented both ways: text goes separately.
    An emoji may count as two characters (.../api/errors/21617): the narrower reading is taken.

    Args:
        settings: its `twilio_…` fields and `public_url`.
        seconds: for an answer of Twilio's API.
    """

    name = "twilio_whatsapp"
    channel: Channel = "whatsapp"

    def __init__(self, settings: Settings, seconds: float = ANSWER_SECONDS) -> None:
        self._webhooks = Webhooks(settings)
        self._account = Account(settings, seconds)
        self._sender = WHATSAPP + settings.twilio_whatsapp_from.removeprefix(WHATSAPP)
        self._template = settings.twilio_template_sid
        self.capabilities = Capabilities(
            max_text=1600,
            text_unit="utf16",
            markup="markers",
            max_buttons=10,
            max_button_label=20,
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
            sender_pace=Pace(settings.twilio_whatsapp_per_second, 20),
        )

    def verify(self, webhook: Webhook) -> None:
        self._webhooks.verify(webhook)

    def parse(self, webhook: Webhook) -> Sequence[Update | Receipt]:
        """Also what comes for SMS: both share the routes."""
        return self._webhooks.parse(webhook)

    async def fetch(self, attachment: Attachment) -> bytes:
        """At most 16 MB."""
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
                return await self._send(delivery, media_url=body.link)
            case TemplateBody() as body:
                return await self._send_template(delivery, body)
            case _:  # buttons cannot be retired here, nor taps acknowledged
                return Sent("")

    async def show(self, preview: Preview) -> None:
        """Typing, which here also marks the message as read."""
        if not isinstance(preview, Typing) or not _MESSAGE_SID.fullmatch(preview.about):
            return
        try:
            await self._account.client.messaging.v2.typing_indicator.create_async(
                channel="whatsapp", message_id=preview.about
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
        to = WHATSAPP + address_of(delivery.conversation)
        return await self._account.send(self._sender, to, **content)

    async def _send_template(self, delivery: Delivery, body: TemplateBody) -> Sent:
        if not self._template:
            raise Undeliverable("TWILIO_TEMPLATE_SID is not set")
        variables = msgspec.json.encode({"1": body.text}).decode()
        return await self._send(delivery, content_sid=self._template, content_variables=variables)

    async def _offer(self, delivery: Delivery, body: TextBody) -> Sent:
        """With buttons; as text, once, where Twilio does not take those."""
        if sid := await self._make_content(body):
            try:
                return await self._send(delivery, content_sid=sid)
            except Undeliverable as error:
                if error.dead_target:
                    raise
                log.warning("twilio_buttons_refused", reason=str(error))
        return await self._send(delivery, body=to_text(body))

    async def _make_content(self, body: TextBody) -> str:
        """The sid of a content resource that shows `body`; empty if there can be none.

        Nobody sees it before it is sent, so nothing here is in doubt. Raises `RetryAt`.
        """
        content = to_content(body)
        if content is None:
            return ""
        request = ContentList.ContentCreateRequest(dict(content))
        try:
            return (await self._account.client.content.v1.contents.create_async(request)).sid or ""
        except Refusal as refusal:
            note_trouble(refusal)
            if isinstance(meant := explain(refusal), RetryAt):
                raise meant from None
            log.warning("twilio_content_refused", reason=str(refusal))
        except OutcomeUnknown as error:
            log.warning("twilio_content_unanswered", reason=str(error))
        return ""
