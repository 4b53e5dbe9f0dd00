"""Send Griot's messages by calls of the Bot API; rich ones where the server takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import structlog
from msgspec.structs import replace

from adapters.base import read_library_file
from adapters.telegram.client import BotApi, Refusal, Upload, explain
from bot.contracts.storage import ReadFile
from bot.errors import Undeliverable
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
    Sent,
    TemplateBody,
    TextBody,
    Typing,
    drop_rich_form,
    drop_sent_part,
)

MAX_TEXT = 4096
MAX_CAPTION = 1024
"""UTF-16 code units of a text, and of the words under a file."""
MAX_PHOTO = 10 * 2**20
MAX_TOAST = 200
PREVIEW_SECONDS = 5.0
_PHOTOS = {"image/jpeg", "image/png", "image/webp"}
_ENTITY_TYPES = {"link": "text_link", "quote": "blockquote"}
"""Telegram's names for styles, where they differ from ours."""
_UNKNOWN_METHOD = frozenset((404, 405, 501))
_OTHER_REASONS = (
    "chat not found", "user not found", "group chat was", "message thread not found", "topic_",
    "not enough rights", "have no rights", "chat_write_forbidden", "bot was kicked",
    "bot is not a member", "button_data_invalid", "reply markup",
)  # fmt: skip
"""The reasons for which Telegram would refuse the plain form of a rich message as well."""
log = structlog.get_logger()


class TelegramSender:
    """Sends by calls of the Bot API; `send` and `show` raise `TelegramError` or `Undeliverable`."""

    def __init__(self, api: BotApi, read_file: ReadFile) -> None:
        self._api = api
        self._read_file = read_file
        self.knows_rich = True
        """Whether the server knows rich messages (Bot API 10.1); True until it says otherwise."""

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

    async def _send_rich(self, chat: int, topic: int | None, body: TextBody, html: str) -> Sent:
        """Send the rich form, where the server knows the method. If it is refused, the plain form
        is left; it is stored before it is sent."""
        left = drop_rich_form(body)
        if not self.knows_rich:
            return Sent("", left=left)
        parameters: dict[str, Any] = {**_target(chat, topic), "rich_message": {"html": html}}
        if body.buttons:
            parameters["reply_markup"] = {"inline_keyboard": [_row(row) for row in body.buttons]}
        try:
            return Sent(await self._api.send("sendRichMessage", parameters))
        except Refusal as refusal:
            self.knows_rich = refusal.status not in _UNKNOWN_METHOD
            is_refused = refusal.status == 400 and not refusal.says(*_OTHER_REASONS)
            if self.knows_rich and not is_refused:
                raise
            log.warning("telegram_rich_refused", reason=str(refusal))
            return Sent("", left=left, rich_refused=self.knows_rich)

    async def _send_part(
        self, chat: int, topic: int | None, body: TextBody, part: TextBody | FileBody
    ) -> Sent:
        """Send the next of the plain messages of a body; the others are left."""
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
        if body.rich is not None and body.rich.html:
            return await self._send_rich(chat, topic, body, body.rich.html)
        if body.rich is not None:
            return await self._send_part(chat, topic, body, body.rich.plain[body.rich.sent])
        parameters: dict[str, Any] = {
            **_target(chat, topic),
            "text": body.text,
            "link_preview_options": {"is_disabled": True},
        }
        if body.buttons:
            parameters["reply_markup"] = {"inline_keyboard": [_row(row) for row in body.buttons]}
        return await self._send_styled("sendMessage", parameters, "entities", body.entities)

    async def _send_file(self, chat: int, topic: int | None, body: FileBody) -> Sent:
        file = body.file
        content = await read_library_file(self._read_file, file.file_id)
        parameters: dict[str, Any] = dict(_target(chat, topic))
        if file.caption:
            parameters["caption"] = file.caption
        if file.mime_type in _PHOTOS and len(content) <= MAX_PHOTO:
            photo = Upload("photo", file.filename, content)
            try:
                return await self._send_styled(
                    "sendPhoto", parameters, "caption_entities", body.entities, photo
                )
            except Refusal as refusal:  # too long, too wide, not quite an image: still a file
                if refusal.status != 400 or not refusal.says("photo", "image"):
                    raise
        document = Upload("document", file.filename, content)
        return await self._send_styled(
            "sendDocument", parameters, "caption_entities", body.entities, document
        )

    async def _send_styled(
        self,
        method: str,
        parameters: Mapping[str, Any],
        field: str,
        entities: Sequence[Entity],
        file: Upload | None = None,
    ) -> Sent:
        """Send with `entities` under `field`; if Telegram refuses those, send once more without,
        with the addresses of links in the text."""
        if entities:
            styled = {**parameters, field: [_entity(each) for each in entities]}
            try:
                return Sent(await self._api.send(method, styled, file))
            except Refusal as refusal:
                if refusal.status != 400 or not refusal.says("entit"):
                    raise
                log.warning("telegram_entities_refused", reason=str(refusal))
            words, limit = ("text", MAX_TEXT) if field == "entities" else ("caption", MAX_CAPTION)
            plain = _write_addresses(parameters[words], entities, limit)
            parameters = {**parameters, words: plain}
        return Sent(await self._api.send(method, parameters, file))

    async def _send_invoice(self, chat: int, topic: int | None, invoice: Invoice) -> Sent:
        """Send an invoice. Telegram Stars have one price and no payment provider
        (https://core.telegram.org/bots/api#sendinvoice)."""
        parameters = {
            **_target(chat, topic),
            "title": invoice.title,
            "description": invoice.description,
            "payload": invoice.payload,
            "currency": invoice.currency,
            "prices": [{"label": invoice.title, "amount": invoice.amount}],
            "provider_token": "",
        }
        return Sent(await self._api.send("sendInvoice", parameters))

    async def refund_stars(self, user: str, charge: str) -> None:
        """Refund Stars; do nothing if they were refunded before
        (https://core.telegram.org/method/payments.refundStarsCharge names the error)."""
        try:
            await self._api.call(
                "refundStarPayment", {"user_id": int(user), "telegram_payment_charge_id": charge}
            )
        except Refusal as refusal:
            if not refusal.says("charge_already_refunded"):
                raise

    async def _answer(self, body: Acknowledge | AnswerCheckout) -> Sent:
        """Answer a tap or a checkout; being too late is an error for a checkout only."""
        if isinstance(body, AnswerCheckout):
            answer: dict[str, Any] = {
                "pre_checkout_query_id": body.checkout_id,
                "ok": not body.error,
            }
            if body.error:
                answer["error_message"] = body.error
            await self._api.call("answerPreCheckoutQuery", answer)
            return Sent("")
        answer = {"callback_query_id": body.callback_id}
        if body.text:
            answer["text"] = body.text[:MAX_TOAST]
        try:
            await self._api.call("answerCallbackQuery", answer)
        except Refusal as refusal:
            if not refusal.says("query is too old"):
                raise
        return Sent("")

    async def _retire_buttons(self, chat: int, body: RetireButtons) -> Sent:
        try:
            parameters: dict[str, Any] = {"chat_id": chat, "message_id": int(body.message_id)}
            if body.chosen:
                parameters["reply_markup"] = {"inline_keyboard": [_row([body.chosen])]}
            await self._api.call("editMessageReplyMarkup", parameters)
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
                action = {**_target(chat, topic), "action": "typing"}
                await self._api.call("sendChatAction", action, PREVIEW_SECONDS)
            case Draft() if chat > 0:  # Telegram shows drafts in private chats only
                draft = {
                    **_target(chat, topic),
                    "draft_id": preview.draft_id,
                    "text": preview.text,
                    "entities": [_entity(each) for each in preview.entities],
                }
                await self._api.call("sendMessageDraft", draft, PREVIEW_SECONDS)
            case Draft():
                pass


def _target(chat: int, topic: int | None) -> dict[str, int]:
    return {"chat_id": chat} if topic is None else {"chat_id": chat, "message_thread_id": topic}


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


def _write_addresses(text: str, entities: Sequence[Entity], limit: int) -> str:
    """Write the address of each link after its label, as `label (address)`, unless the label is the
    address, or the text would be over the limit (UTF-16 code units)."""
    units = text.encode("utf-16-le")
    links = [each for each in entities if each.kind == "link"]
    for link in reversed(links):  # what was written does not move the links before it
        start, end = 2 * link.offset, 2 * (link.offset + link.length)
        label = units[start:end].decode("utf-16-le", errors="ignore").strip()
        added = f" ({link.url})".encode("utf-16-le")
        is_shown = label in ("", link.url, link.url.partition(":")[2])
        if not is_shown and len(units) + len(added) <= 2 * limit:
            units = units[:end] + added + units[end:]
    return units.decode("utf-16-le", errors="ignore")


def _row(buttons: Sequence[Button]) -> list[dict[str, str]]:
    return [{"text": button.label, "callback_data": button.token} for button in buttons]


def _as_text(body: FileBody) -> TextBody:
    """Write the caption with the link below it, so that the caption's entities stay valid."""
    line = f"{body.file.filename}: {body.link}"
    return TextBody(f"{body.file.caption}\n{line}" if body.file.caption else line, body.entities)
