"""What a person sees in Telegram: chats, drafts and files, changed by the Bot API's methods."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tests.standins.telegram_calls import Call, Parameters, Refused
from tests.standins.telegram_limits import Doorkeeper, Limits
from tests.standins.telegram_payments import Payments
from tests.standins.telegram_rich import read_rich_message, rich_text
from tests.standins.telegram_updates import BOT, chat_of

MAX_FILE_OUT = 20 * 2**20


@dataclass
class Shown:
    """A message as the person sees it now."""

    message_id: int
    text: str
    entities: list[dict[str, Any]]
    buttons: list[list[dict[str, Any]]]
    topic: int | None = None
    photo: bytes | None = None
    document: bytes | None = None
    filename: str = ""
    invoice: Parameters | None = None
    """The call that brought it."""
    rich: dict[str, Any] | None = None
    """The RichMessage; `text` is what a person reads of it."""


class Chats(Payments):
    """`_answer_send_message` answers `sendMessage`, and so on; a call has been checked before."""

    def __init__(self, *, pace: bool | Limits = False) -> None:
        super().__init__()
        self.blocked: set[int] = set()
        """Chats that take nothing."""
        self.drafts: dict[int, list[str]] = defaultdict(list)
        """What was shown as drafts, by chat."""
        self.webhook: Parameters = {}
        self.webhook_trouble: Parameters = {}
        """Of `WebhookInfo`: what went wrong when the webhook was called."""
        limits = pace if isinstance(pace, Limits) else Limits() if pace else None
        self._door = Doorkeeper(limits, lambda: self.clock())
        self._moved: dict[int, int] = {}
        self._chats: dict[int, dict[int, Shown]] = defaultdict(dict)
        self._queue: list[dict[str, Any]] = []
        self._queued = asyncio.Event()

    def messages(self, chat_id: int) -> list[Shown]:
        """What the person sees in the chat, oldest first."""
        return list(self._chats[chat_id].values())

    def enqueue(self, *updates: dict[str, Any]) -> None:
        """Have `getUpdates` give these."""
        self._queue.extend(updates)
        self._queued.set()

    def throttle(self, chat_id: int, seconds: float) -> None:
        """Answer 429 to messages to this chat for so long; who does not wait violates."""
        self._door.throttle(chat_id, seconds)

    def block(self, chat_id: int, *, yes: bool = True) -> dict[str, Any]:
        """The person blocks the bot (or lets it write again): from now on; the update about it."""
        (self.blocked.add if yes else self.blocked.discard)(chat_id)
        return self.membership_update(chat_id, "kicked" if yes else "member")

    def migrate(self, chat_id: int, to: int, *, sender: int = 42) -> list[dict[str, Any]]:
        """The group is the supergroup `to` from now on; the two updates about it."""
        self._moved[chat_id] = to
        return self.migration_updates(chat_id, to=to, sender=sender)

    def _find_chat(self, call: Call) -> None:
        """Raise `Refused` if nothing can be sent to the chat of this call."""
        chat_id = call.parameters.get("chat_id")
        if chat_id in self._moved:
            raise Refused(
                400,
                "Bad Request: group chat was upgraded to a supergroup chat",
                migrate_to_chat_id=self._moved[chat_id],
            )
        if chat_id in self.blocked:
            raise Refused(403, "Forbidden: bot was blocked by the user")

    def _answer_get_me(self, _: Call) -> Any:
        return {**BOT, "can_join_groups": True, "can_read_all_group_messages": False}

    def _answer_send_message(self, call: Call) -> Any:
        return self._show(call, call.parameters["text"], "entities")

    def _answer_send_rich_message(self, call: Call) -> Any:
        rich = read_rich_message(call.parameters["rich_message"])
        return self._show(call, rich_text(rich["blocks"]).strip(), "entities", rich)

    def _answer_send_document(self, call: Call) -> Any:
        return self._show(call, call.parameters.get("caption", ""), "caption_entities")

    _answer_send_photo = _answer_send_document

    def _answer_send_invoice(self, call: Call) -> Any:
        self._check_invoice(call.parameters)
        return self._show(call, "", "entities")

    def _show(
        self, call: Call, text: str, entities: str, rich: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        parameters, chat_id = call.parameters, int(call.parameters["chat_id"])
        self._keep_pace(chat_id)
        filename, document = call.files.get("document", ("", None))
        shown = Shown(
            message_id=next(self._message_ids),
            text=text,
            entities=parameters.get(entities, []),
            buttons=parameters.get("reply_markup", {}).get("inline_keyboard", []),
            topic=parameters.get("message_thread_id"),
            photo=call.files.get("photo", ("", None))[1],
            document=document,
            filename=filename,
            invoice=call.parameters if call.method == "sendInvoice" else None,
            rich=rich,
        )
        self._chats[chat_id][shown.message_id] = shown
        return _as_message(chat_id, shown)

    def _keep_pace(self, chat_id: int) -> None:
        try:
            self._door.admit(chat_id)
        finally:
            self.violations += self._door.impatient
            self._door.impatient.clear()

    def _answer_edit_message_reply_markup(self, call: Call) -> Any:
        chat_id = int(call.parameters["chat_id"])
        shown = self._chats[chat_id].get(call.parameters["message_id"])
        if shown is None:
            raise Refused(400, "Bad Request: message to edit not found")
        buttons = call.parameters.get("reply_markup", {}).get("inline_keyboard", [])
        if shown.buttons == buttons:
            raise Refused(400, "Bad Request: message is not modified")
        shown.buttons = buttons
        return _as_message(chat_id, shown)

    def _answer_answer_callback_query(self, call: Call) -> Any:
        self.spinning.discard(call.parameters["callback_query_id"])
        return True

    def _answer_send_chat_action(self, _: Call) -> Any:
        return True

    def _answer_send_message_draft(self, call: Call) -> Any:
        if call.parameters["chat_id"] < 0:
            raise Refused(400, "Bad Request: drafts are for private chats")
        self.drafts[call.parameters["chat_id"]].append(call.parameters.get("text", ""))
        return True

    def _answer_get_file(self, call: Call) -> Any:
        file_id = call.parameters["file_id"]
        if file_id not in self.files:
            raise Refused(400, "Bad Request: wrong file_id or the file is temporarily unavailable")
        size = self.file_sizes.get(file_id, len(self.files[file_id]))
        if size > MAX_FILE_OUT:
            raise Refused(400, "Bad Request: file is too big")
        path = f"documents/{file_id}"
        return {
            "file_id": file_id,
            "file_unique_id": f"u{file_id}",
            "file_size": size,
            "file_path": path,
        }

    def _answer_set_webhook(self, call: Call) -> Any:
        self.webhook = call.parameters
        return True

    def _answer_get_webhook_info(self, _: Call) -> Any:
        told = {"has_custom_certificate": False, "pending_update_count": len(self._queue)}
        return {"url": self.webhook.get("url", "")} | told | self.webhook_trouble

    def _answer_delete_webhook(self, _: Call) -> Any:
        self.webhook = {}
        return True

    async def _answer_get_updates(self, call: Call) -> Any:
        if self.webhook:
            raise Refused(409, "Conflict: can't use getUpdates method while webhook is active")
        offset = call.parameters.get("offset", 0)
        self._queue = [each for each in self._queue if each["update_id"] >= offset]
        if not self._queue:
            self._queued.clear()
            seconds = call.parameters.get("timeout", 0)
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._queued.wait()
        return self._queue[: call.parameters.get("limit", 100)]


def _as_message(chat_id: int, shown: Shown) -> dict[str, Any]:
    """The Message that Telegram answers."""
    message: dict[str, Any] = {
        "message_id": shown.message_id,
        "from": BOT,
        "chat": chat_of(chat_id),
        "date": int(time.time()),
    }
    if shown.invoice is not None:
        asked = {name: shown.invoice[name] for name in ("title", "description", "currency")}
        total = shown.invoice["prices"][0]["amount"]
        return message | {"invoice": asked | {"start_parameter": "", "total_amount": total}}
    if shown.rich is not None:
        return message | {"rich_message": shown.rich}
    if shown.photo is None and shown.document is None:
        return message | {"text": shown.text, "entities": shown.entities}
    name = "photo" if shown.photo is not None else "document"
    file: dict[str, Any] = {"file_id": f"out{shown.message_id}", "file_unique_id": "u"}
    if name == "photo":
        return message | {"photo": [file | {"width": 90, "height": 90}], "caption": shown.text}
    return message | {"document": file | {"file_name": shown.filename}, "caption": shown.text}
