"""WhatsApp, by Meta's Cloud API (v23.0)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec
import structlog

from adapters._numbers import address_of
from adapters._options import MAX_ROWS, to_text
from adapters.whatsapp_choices import to_interactive
from adapters.whatsapp_errors import Refusal, explain, note_trouble
from adapters.whatsapp_graph import ANSWER_SECONDS, Graph
from adapters.whatsapp_media import Media
from adapters.whatsapp_messages import (
    CARRIED,
    file_message,
    read_template,
    template_message,
    text_message,
    typing_mark,
)
from adapters.whatsapp_updates import VIA
from adapters.whatsapp_webhooks import Webhooks
from bot.contracts import Capabilities, Pace, Webhook
from bot.errors import NotFound, OutcomeUnknown, RetryAt, Undeliverable
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

Message = Mapping[str, Any]
log = structlog.get_logger()


class _Named(msgspec.Struct):
    id: str


class _Accepted(msgspec.Struct):
    messages: tuple[_Named, ...]


_decode_accepted = msgspec.json.Decoder(_Accepted).decode


class WhatsAppCloud:
    """The adapter. See `bot.contracts.Adapter` for what its methods promise.

    Limits and pace: Cloud API reference and "throughput" (80 messages a second; to one person one
    in 6 seconds, 45 of which may be borrowed). Whether an emoji counts as one character or two is
    not documented: the narrower reading is taken.

    Args:
        settings: its `whatsapp_…` fields.
        read_file: the bytes of a library file by its id; raises `NotFound`.
        seconds: for an answer of the API.

    Raises:
        SettingsError: `WHATSAPP_TEMPLATE` is not `name:language`.
    """

    name = VIA
    channel: Channel = "whatsapp"

    def __init__(
        self,
        settings: Settings,
        read_file: Callable[[str], Awaitable[bytes]],
        seconds: float = ANSWER_SECONDS,
    ) -> None:
        self._number_id = settings.whatsapp_phone_number_id
        self._webhooks = Webhooks(settings)
        self._graph = Graph(settings.whatsapp_api_url, settings.whatsapp_token, seconds)
        self._media = Media(self._graph, self._number_id)
        self._template = read_template(settings.whatsapp_template)
        self._read_file = read_file
        self.capabilities = Capabilities(
            max_text=4096,
            text_unit="utf16",
            markup="markers",
            max_caption=1024,
            max_buttons=MAX_ROWS,
            max_button_label=20,
            opens_lists=True,
            media=CARRIED,
            typing=25.0,
            resend="never",
            window=24 * 3600.0,
            template=self._template is not None,
            receipts=True,
            sender_pace=Pace(settings.whatsapp_per_second, 20),
            chat_pace=lambda _: Pace(1 / 6, 45),
        )

    def verify(self, webhook: Webhook) -> None:
        self._webhooks.verify(webhook)

    def challenge(self, webhook: Webhook) -> str:
        """The answer to a GET that `verify` has let through. Raises `BadRequest`."""
        return self._webhooks.challenge(webhook)

    def parse(self, webhook: Webhook) -> Sequence[Update | Receipt]:
        return self._webhooks.parse(webhook)

    async def fetch(self, attachment: Attachment) -> bytes:
        """At most 16 MB."""
        return await self._media.fetch(attachment.reference)

    async def deliver(self, delivery: Delivery) -> Sent:
        try:
            match delivery.body:
                case TextBody() as body:
                    return await self._say(delivery, body)
                case FileBody() as body:
                    return await self._share(delivery, body)
                case TemplateBody() as body:
                    return await self._notify(delivery, body)
                case _:  # buttons cannot be retired here, nor taps acknowledged
                    return Sent("")
        except Refusal as refusal:
            note_trouble(refusal)
            raise explain(refusal, delivery.attempt) from None

    async def show(self, preview: Preview) -> None:
        """Typing, which here also marks the message as read."""
        if not isinstance(preview, Typing) or not preview.about.startswith("wamid."):
            return
        try:
            await self._graph.post(f"{self._number_id}/messages", typing_mark(preview.about))
        except Refusal as refusal:
            if refusal.is_too_fast:
                raise explain(refusal) from None
            log.debug("whatsapp_preview_dropped", reason=str(refusal))
        except (RetryAt, OutcomeUnknown) as error:
            log.debug("whatsapp_preview_dropped", reason=str(error))

    async def close(self) -> None:
        await self._graph.close()

    async def _say(self, delivery: Delivery, body: TextBody) -> Sent:
        """With buttons; as text, once, where WhatsApp does not take those."""
        if not body.buttons:
            return await self._send(delivery, text_message(body.text))
        if interactive := to_interactive(body):
            try:
                return await self._send(
                    delivery, {"type": "interactive", "interactive": interactive}
                )
            except Refusal as refusal:
                if not refusal.is_about_form:
                    raise
                log.warning("whatsapp_buttons_refused", reason=str(refusal))
        return await self._send(delivery, text_message(to_text(body)))

    async def _share(self, delivery: Delivery, body: FileBody) -> Sent:
        """Two steps, of which only the second can be seen, or be in doubt."""
        file = body.file
        address_of(delivery.conversation)
        try:
            content = await self._read_file(file.file_id)
        except NotFound:
            raise Undeliverable("the file is no longer in the library") from None
        except OSError as error:
            raise RetryAt(f"the library cannot be reached ({type(error).__name__})") from error
        media_id = await self._media.upload(content, file.mime_type)
        return await self._send(delivery, file_message(file, media_id))

    async def _notify(self, delivery: Delivery, body: TemplateBody) -> Sent:
        if self._template is None:
            raise Undeliverable("WHATSAPP_TEMPLATE is not set")
        return await self._send(delivery, template_message(*self._template, body.text))

    async def _send(self, delivery: Delivery, message: Message) -> Sent:
        """Raises `Refusal` or `DeliveryError`."""
        whole = {
            "messaging_product": "whatsapp",
            "recipient_type": "individual",
            "to": address_of(delivery.conversation),
            **message,
        }
        answer = await self._graph.post(f"{self._number_id}/messages", whole)
        try:
            return Sent(_decode_accepted(answer).messages[0].id)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, IndexError):
            raise OutcomeUnknown("WhatsApp's answer names no message") from None
