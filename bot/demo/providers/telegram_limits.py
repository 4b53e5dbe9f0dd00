"""What Telegram refuses: the limits of the Bot API, and its pace.

Lengths and forms: https://core.telegram.org/bots/api. Pace: its FAQ for bots, "My bot is hitting
limits": 30 messages a second in all, one a second in a chat with short bursts over it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

MAX_TEXT: Final = 4096
MAX_CAPTION: Final = 1024
MAX_RAW: Final = 32_768
MAX_FILE: Final = 50 * 2**20
MAX_BUTTONS: Final = 100
_CHAT_BURST: Final = 8
_OVERALL: Final = 30

Parameters = Mapping[str, Any]


class Refused(Exception):
    """An error as Telegram answers it."""

    def __init__(self, status: int, description: str, **parameters: int) -> None:
        super().__init__(description)
        self.status = status
        self.answer: dict[str, Any] = {
            "ok": False, "error_code": status, "description": description
        }  # fmt: skip
        if parameters:
            self.answer["parameters"] = parameters


class Pace:
    """Lets messages to one chat pass, and says when the next may come."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._chat_free = self._all_free = -math.inf

    def admit(self) -> None:
        """Count a message. Raises `Refused` (429) with the seconds to wait."""
        now = self._clock()
        wait = max(
            self._chat_free - (_CHAT_BURST - 1) - now,
            self._all_free - (_OVERALL - 1) / _OVERALL - now,
        )
        if wait > 0:
            seconds = math.ceil(wait)
            raise Refused(429, f"Too Many Requests: retry after {seconds}", retry_after=seconds)
        self._chat_free = max(self._chat_free, now) + 1
        self._all_free = max(self._all_free, now) + 1 / _OVERALL


def check_text(parameters: Parameters) -> None:
    """Raise `Refused` for a `text` or its `entities`."""
    text = str(parameters.get("text", ""))
    if not text.strip():
        raise Refused(400, "Bad Request: message text is empty")
    _check_styled(text, parameters.get("entities", []), MAX_TEXT)


def check_draft(parameters: Parameters) -> None:
    """Raise `Refused`; an empty draft is allowed."""
    if not parameters.get("draft_id"):
        raise Refused(400, "Bad Request: DRAFT_ID_INVALID")
    text = str(parameters.get("text", ""))
    _check_styled(text, parameters.get("entities", []), MAX_TEXT)


def check_file(parameters: Parameters, content: bytes) -> None:
    """Raise `Refused` for a file or its `caption`."""
    if not content:
        raise Refused(400, "Bad Request: file must be non-empty")
    if len(content) > MAX_FILE:
        raise Refused(413, "Request Entity Too Large")
    caption = str(parameters.get("caption", ""))
    _check_styled(caption, parameters.get("caption_entities", []), MAX_CAPTION)


def check_keyboard(rows: Sequence[Sequence[Mapping[str, Any]]]) -> None:
    """Raise `Refused` for an inline keyboard."""
    if sum(map(len, rows)) > MAX_BUTTONS or any(not 1 <= len(row) <= 8 for row in rows):
        raise Refused(400, "Bad Request: reply markup is too long")
    for button in (button for row in rows for button in row):
        if not str(button.get("text", "")).strip():
            raise Refused(400, "Bad Request: text buttons are not allowed to be empty")
        if not 1 <= len(str(button.get("callback_data", "")).encode()) <= 64:
            raise Refused(400, "Bad Request: BUTTON_DATA_INVALID")


def _check_styled(text: str, entities: Sequence[Mapping[str, Any]], limit: int) -> None:
    units = text.encode("utf-16-le", "surrogatepass")
    if len(units) // 2 > limit or len(text.encode(errors="surrogatepass")) > MAX_RAW:
        raise Refused(400, "Bad Request: message is too long")
    for entity in entities:
        _check_entity(entity, units)


def _check_entity(entity: Mapping[str, Any], units: bytes) -> None:
    """Offsets count UTF-16 code units, and none lies within a surrogate pair."""
    start, length = int(entity["offset"]), int(entity["length"])
    end = start + length
    if start < 0 or length <= 0 or end > len(units) // 2:
        raise Refused(400, "Bad Request: can't parse entities: outside of the text")
    if any(units[2 * at + 1] >> 2 == 0x37 for at in (start, end) if 2 * at < len(units)):
        raise Refused(400, "Bad Request: can't parse entities: a surrogate pair is split")
    if entity["type"] == "text_link" and not entity.get("url"):
        raise Refused(400, "Bad Request: can't parse entities: a link has no URL")
