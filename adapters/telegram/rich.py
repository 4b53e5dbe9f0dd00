"""Send rich messages, and remember the chats in which they are refused.

The method came with Bot API 10.1. After an older server refused it, no rich message is tried again
before the next start. A server that refuses one may refuse the next for the same reason, so none is
tried in that chat for a day.
"""

from __future__ import annotations

from typing import Any

import structlog

from adapters.telegram.client import Refusal, Transport, Unanswered
from bot.contracts.storage import EphemeralStore

_DAY = 24 * 3600.0
_UNKNOWN_METHOD = frozenset((404, 405, 501))
_OTHER_REASONS = (
    "chat not found", "user not found", "group chat was", "message thread not found", "topic_",
    "not enough rights", "have no rights", "chat_write_forbidden", "bot was kicked",
    "bot is not a member", "button_data_invalid", "reply markup",
)  # fmt: skip
"""The reasons for which Telegram would refuse the plain form as well."""
log = structlog.get_logger()


class RichMessages:
    """Sends rich messages through `transport`, where they are not known to be refused.

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
