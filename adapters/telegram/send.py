"""Send Griot's messages by calls of the Bot API; rich ones where the server takes them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import structlog
from msgspec.structs import replace
from telegram import Bot, LabeledPrice

from adapters.base import ReadFile, read_library_file
from adapters.telegram.client import Refusal, Transport, Unanswered, explain
from bot.contracts.storage import EphemeralStore
from bot.errors import RetryAt, Undeliverable
from bot.messages.outgoing import (
    Acknowledge,
    AnswerCheckout,
    Body,
    Button,
    Draft,
    EmailBody,
    Entity,
    FileBody,
    Invoice,
    Preview,
    RetireButtons,
    RichForm,
    Sent,
    TemplateBody,
    TextBody,
    Typing,
    drop_sent_part,
)

MAX_PHOTO = 10 * 2**20
MAX_TOAST = 200
PREVIEW_SECONDS = 5.0
_PHOTOS = {"image/jpeg", "image/png", "image/webp"}
_ENTITY_TYPES = {"link": "text_link", "quote": "blockquote"}
"""Telegram's names for styles, where they differ from ours."""
log = structlog.get_logger()


class TelegramSender:
    """Sends through `bot`; `send` and `show` raise its `TelegramError`, or `Undeliverable`.

    Parameters that the library would wrap in an object each (entities, keyboards) are given to it
    in the API's own form, in `api_kwargs`: that halves the time that a message costs.
    """

    def __init__(self, bot: Bot, read_file: ReadFile, rich: RichMessages) -> None:
        self._bot = bot
        self._read_file = read_file
        self._rich = rich

    async def send(self, conversation: str, body: Body) -> Sent:
        chat, topic = _address(conversation)
        match body:
            case TextBody():
                return await self._send_text(chat, topic, body)
            case FileBody(link=""):
                return await self._send_file(chat, topic, body)
            case FileBody():
                return await self._send_text(chat, topic, _as_text(body))
            case RetireButtons():
                return await self._retire_buttons(chat, body)
            case Acknowledge() | AnswerCheckout():
                return await self._answer(body)
            case Invoice():
                return await self._send_invoice(chat, topic, body)
            case TemplateBody() | EmailBody():
                raise Undeliverable("Telegram carries neither templates nor e-mails")

    async def _send_rich(
        self, chat: int, topic: int | None, body: TextBody, form: RichForm
    ) -> Sent:
        """Send the rich form; if that is refused, the plain one: at once if it is one message, else
        message by message, each stored before the next."""
        if form.html:
            keyboard = [_row(row) for row in body.buttons]
            provider_id = await self._rich.send(chat, topic, form.html, keyboard)
            if provider_id is not None:
                return Sent(provider_id)
            if not form.plain:
                return await self._send_text(chat, topic, replace(body, rich=None))
            refused = replace(body, rich=replace(form, html=""))
            raise RetryAt("rich messages are refused", 0.0, refused)
        part = form.plain[form.sent]
        try:
            if isinstance(part, TextBody):
                sent = await self._send_text(chat, topic, part)
            else:
                sent = await self._send_file(chat, topic, part)
        except (Refusal, Undeliverable) as error:
            if not _is_lost_picture(part, error):
                raise
            log.warning("telegram_picture_refused", reason=str(error))
            sent = Sent("")
        return replace(sent, left=drop_sent_part(body))

    async def _send_text(self, chat: int, topic: int | None, body: TextBody) -> Sent:
        if body.rich is not None:
            return await self._send_rich(chat, topic, body, body.rich)
        send = partial(self._bot.send_message, chat, body.text, message_thread_id=topic)
        extras: dict[str, Any] = {"link_preview_options": {"is_disabled": True}}
        if body.buttons:
            extras["reply_markup"] = {"inline_keyboard": [_row(row) for row in body.buttons]}
        return await _send_styled(send, extras, "entities", body.entities)

    async def _send_file(self, chat: int, topic: int | None, body: FileBody) -> Sent:
        file = body.file
        content = await read_library_file(self._read_file, file.file_id)
        options = {
            "caption": file.caption or None,
            "filename": file.filename,
            "message_thread_id": topic,
        }
        if file.mime_type in _PHOTOS and len(content) <= MAX_PHOTO:
            send: Any = partial(self._bot.send_photo, chat, content, **options)
            try:
                return await _send_styled(send, {}, "caption_entities", body.entities)
            except Refusal as refusal:  # too long, too wide, not quite an image: still a file
                if refusal.status != 400 or not refusal.says("photo", "image"):
                    raise
        send = partial(self._bot.send_document, chat, content, **options)
        return await _send_styled(send, {}, "caption_entities", body.entities)

    async def _send_invoice(self, chat: int, topic: int | None, invoice: Invoice) -> Sent:
        """Send an invoice. Telegram Stars have one price and no payment provider
        (https://core.telegram.org/bots/api#sendinvoice)."""
        message = await self._bot.send_invoice(
            chat,
            invoice.title,
            invoice.description,
            invoice.payload,
            invoice.currency,
            [LabeledPrice(invoice.title, invoice.amount)],
            provider_token="",
            message_thread_id=topic,
        )
        return Sent(str(message.message_id))

    async def refund_stars(self, user: str, charge: str) -> None:
        """Refund Stars; do nothing if they were refunded before
        (https://core.telegram.org/method/payments.refundStarsCharge names the error)."""
        try:
            await self._bot.refund_star_payment(int(user), charge)
        except Refusal as refusal:
            if not refusal.says("charge_already_refunded"):
                raise

    async def _answer(self, body: Acknowledge | AnswerCheckout) -> Sent:
        """Answer a tap or a checkout; being too late is an error for a checkout only."""
        if isinstance(body, AnswerCheckout):
            await self._bot.answer_pre_checkout_query(
                body.checkout_id, not body.error, body.error or None
            )
            return Sent("")
        try:
            await self._bot.answer_callback_query(body.callback_id, body.text[:MAX_TOAST] or None)
        except Refusal as refusal:
            if not refusal.says("query is too old"):
                raise
        return Sent("")

    async def _retire_buttons(self, chat: int, body: RetireButtons) -> Sent:
        try:
            rows = [_row([body.chosen])] if body.chosen else []
            keyboard: dict[str, Any] = {"reply_markup": {"inline_keyboard": rows}} if rows else {}
            await self._bot.edit_message_reply_markup(
                chat, int(body.message_id), api_kwargs=keyboard
            )
        except ValueError:
            raise Undeliverable("not a message of Telegram") from None
        except Refusal as refusal:
            if not refusal.says(
                "message is not modified", "message can't be edited", "message to edit not found"
            ):
                raise
        return Sent(body.message_id)

    async def show(self, preview: Preview) -> None:
        chat, topic = _address(preview.conversation)
        match preview:
            case Typing():
                await self._bot.send_chat_action(
                    chat, "typing", message_thread_id=topic, read_timeout=PREVIEW_SECONDS
                )
            case Draft() if chat > 0:  # Telegram shows drafts in private chats only
                await self._bot.send_message_draft(
                    chat,
                    preview.draft_id,
                    preview.text,
                    message_thread_id=topic,
                    read_timeout=PREVIEW_SECONDS,
                    api_kwargs={"entities": [_entity(each) for each in preview.entities]},
                )
            case Draft():
                pass


async def _send_styled(
    send: Callable[..., Awaitable[Any]],
    extras: dict[str, Any],
    field: str,
    entities: Sequence[Entity],
) -> Sent:
    """Send with `entities` under `field`; if Telegram refuses those, send once more without."""
    if entities:
        styled = {**extras, field: [_entity(each) for each in entities]}
        try:
            return Sent(str((await send(api_kwargs=styled)).message_id))
        except Refusal as refusal:
            if refusal.status != 400 or not refusal.says("entit"):
                raise
            log.warning("telegram_entities_refused", reason=str(refusal))
    return Sent(str((await send(api_kwargs=extras)).message_id))


def _is_lost_picture(part: TextBody | FileBody, error: Refusal | Undeliverable) -> bool:
    """Return whether only a picture is refused, which can be left out, as the text has the same."""
    reason = explain(error) if isinstance(error, Refusal) else error
    if isinstance(part, TextBody) or not isinstance(reason, Undeliverable):
        return False
    return not (reason.dead_target or reason.moved_to)


def _address(conversation: str) -> tuple[int, int | None]:
    """Return chat and topic of a conversation, `chat` or `chat/topic`."""
    chat, _, topic = conversation.partition("/")
    try:
        return int(chat), int(topic) if topic else None
    except ValueError:
        raise Undeliverable("not a conversation of Telegram") from None


def _entity(entity: Entity) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "type": _ENTITY_TYPES.get(entity.kind, entity.kind),
        "offset": entity.offset,
        "length": entity.length,
    }
    if entity.url:
        fields["url"] = entity.url
    if entity.language:
        fields["language"] = entity.language
    return fields


def _row(buttons: Sequence[Button]) -> list[dict[str, str]]:
    return [{"text": button.label, "callback_data": button.token} for button in buttons]


def _as_text(body: FileBody) -> TextBody:
    """Write the caption with the link below it, so that the caption's entities stay valid."""
    line = f"{body.file.filename}: {body.link}"
    return TextBody(f"{body.file.caption}\n{line}" if body.file.caption else line, body.entities)


# Rich messages ------------------------------------------------------------------------------------

_DAY = 24 * 3600.0
_UNKNOWN_METHOD = frozenset((404, 405, 501))
_OTHER_REASONS = (
    "chat not found", "user not found", "group chat was", "message thread not found", "topic_",
    "not enough rights", "have no rights", "chat_write_forbidden", "bot was kicked",
    "bot is not a member", "button_data_invalid", "reply markup",
)  # fmt: skip
"""The reasons for which Telegram would refuse the plain form as well."""


class RichMessages:
    """Sends rich messages through `transport`, where they are not known to be refused.

    The method came with Bot API 10.1. After an older server refused it, no rich message is tried
    again before the next start. A server that refuses one may refuse the next for the same reason,
    so none is tried in that chat for a day.

    Args:
        bot: its id; refusals are remembered for this bot.
    """

    def __init__(self, transport: Transport, momentary: EphemeralStore, bot: str) -> None:
        self._transport = transport
        self._momentary = momentary
        self._bot = bot
        self.is_known = True
        """Whether the server knows the method; True until it refuses it."""

    async def send(
        self, chat: int, topic: int | None, html: str, keyboard: list[list[dict[str, str]]]
    ) -> str | None:
        """Send a rich message and return its id; None: rich messages are refused, now or before.

        Raises:
            TelegramError: it was not sent for another reason, or its outcome is in doubt.
        """
        if not self.is_known or await self._is_refused(chat):
            return None
        parameters: dict[str, Any] = {"chat_id": chat, "rich_message": {"html": html}}
        if topic is not None:
            parameters["message_thread_id"] = topic
        if keyboard:
            parameters["reply_markup"] = {"inline_keyboard": keyboard}
        try:
            answer = await self._transport.call("sendRichMessage", parameters)
        except Refusal as refusal:
            if refusal.status in _UNKNOWN_METHOD:
                self.is_known = False
            elif refusal.status == 400 and not refusal.says(*_OTHER_REASONS):
                await self._note_refusal(chat)
            else:
                raise
            log.warning("telegram_rich_refused", reason=str(refusal))
            return None
        try:
            return str(self._transport.parse_json_payload(answer)["result"]["message_id"])
        except (KeyError, TypeError):
            raise Unanswered("the answer is not what sendRichMessage answers") from None

    async def _is_refused(self, chat: int) -> bool:
        try:
            return await self._momentary.get(self._key(chat)) is not None
        except ConnectionError as error:
            log.warning("telegram_rich_refusals_unknown", error=type(error).__name__)
            return False

    async def _note_refusal(self, chat: int) -> None:
        try:
            await self._momentary.put(self._key(chat), b"1", _DAY)
        except ConnectionError as error:
            log.warning("telegram_rich_refusals_unknown", error=type(error).__name__)

    def _key(self, chat: int) -> str:
        return f"telegram_rich_refused:{self._bot}:{chat}"
