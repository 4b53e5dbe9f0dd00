"""Check calls by the rules of Telegram's Bot API, and read its rich messages.

Lengths and tags: https://core.telegram.org/bots/api. Pace: its FAQ for bots, "My bot is hitting
limits": 30 messages a second in all, one a second in a chat with short bursts over it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any, Final

MAX_TEXT: Final = 4096
MAX_CAPTION: Final = 1024
MAX_RAW: Final = 32_768
MAX_FILE: Final = 50 * 2**20
MAX_BUTTONS: Final = 100
_CHAT_BURST: Final = 8
_OVERALL: Final = 30
Parameters = Mapping[str, Any]


class TelegramRefused(Exception):
    """An error in the form of Telegram's answer."""

    def __init__(self, status: int, description: str, **parameters: int) -> None:
        super().__init__(description)
        self.status = status
        self.answer: dict[str, Any] = {
            "ok": False, "error_code": status, "description": description
        }  # fmt: skip
        if parameters:
            self.answer["parameters"] = parameters


class MessagePace:
    """Limits messages to one chat and in all, and says when the next one is allowed."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._chat_free = self._all_free = -math.inf

    def admit(self) -> None:
        """Count a message. Raises `TelegramRefused` (429) with the seconds to wait."""
        now = self._clock()
        wait = max(
            self._chat_free - (_CHAT_BURST - 1) - now,
            self._all_free - (_OVERALL - 1) / _OVERALL - now,
        )
        if wait > 0:
            seconds = math.ceil(wait)
            raise TelegramRefused(
                429, f"Too Many Requests: retry after {seconds}", retry_after=seconds
            )
        self._chat_free = max(self._chat_free, now) + 1
        self._all_free = max(self._all_free, now) + 1 / _OVERALL


def check_text(parameters: Parameters) -> None:
    """Check a `text` and its `entities`. Raises `TelegramRefused`."""
    text = str(parameters.get("text", ""))
    if not text.strip():
        raise TelegramRefused(400, "Bad Request: message text is empty")
    _check_styled(text, parameters.get("entities", []), MAX_TEXT)


def check_draft(parameters: Parameters) -> None:
    """Check a draft, which may be empty. Raises `TelegramRefused`."""
    if not parameters.get("draft_id"):
        raise TelegramRefused(400, "Bad Request: DRAFT_ID_INVALID")
    text = str(parameters.get("text", ""))
    _check_styled(text, parameters.get("entities", []), MAX_TEXT)


def check_file(parameters: Parameters, content: bytes) -> None:
    """Check a file and its `caption`. Raises `TelegramRefused`."""
    if not content:
        raise TelegramRefused(400, "Bad Request: file must be non-empty")
    if len(content) > MAX_FILE:
        raise TelegramRefused(413, "Request Entity Too Large")
    caption = str(parameters.get("caption", ""))
    _check_styled(caption, parameters.get("caption_entities", []), MAX_CAPTION)


def check_keyboard(rows: Sequence[Sequence[Mapping[str, Any]]]) -> None:
    """Check an inline keyboard. Raises `TelegramRefused`."""
    if sum(map(len, rows)) > MAX_BUTTONS or any(not 1 <= len(row) <= 8 for row in rows):
        raise TelegramRefused(400, "Bad Request: reply markup is too long")
    for button in (button for row in rows for button in row):
        if not str(button.get("text", "")).strip():
            raise TelegramRefused(400, "Bad Request: text buttons are not allowed to be empty")
        if not 1 <= len(str(button.get("callback_data", "")).encode()) <= 64:
            raise TelegramRefused(400, "Bad Request: BUTTON_DATA_INVALID")


def _check_styled(text: str, entities: Sequence[Mapping[str, Any]], limit: int) -> None:
    units = text.encode("utf-16-le", "surrogatepass")
    if len(units) // 2 > limit or len(text.encode(errors="surrogatepass")) > MAX_RAW:
        raise TelegramRefused(400, "Bad Request: message is too long")
    for entity in entities:
        _check_entity(entity, units)


def _check_entity(entity: Mapping[str, Any], units: bytes) -> None:
    """Check an entity: offsets count UTF-16 code units and must not split a surrogate pair."""
    start, length = int(entity["offset"]), int(entity["length"])
    end = start + length
    if start < 0 or length <= 0 or end > len(units) // 2:
        raise TelegramRefused(400, "Bad Request: can't parse entities: outside of the text")
    if any(units[2 * at + 1] >> 2 == 0x37 for at in (start, end) if 2 * at < len(units)):
        raise TelegramRefused(400, "Bad Request: can't parse entities: a surrogate pair is split")
    if entity["type"] == "text_link" and not entity.get("url"):
        raise TelegramRefused(400, "Bad Request: can't parse entities: a link has no URL")


_INLINE: Final = frozenset(("b", "i", "u", "s", "code", "a", "br", "input", "tg-math"))
_BLOCKS: Final = frozenset((
    "h1", "h2", "h3", "h4", "h5", "h6", "p", "pre", "hr", "ul", "ol", "li", "blockquote", "table",
    "tr", "th", "td", "details", "summary", "tg-math-block",
))  # fmt: skip
_VOID: Final = frozenset(("br", "hr", "input"))
_LINES: Final = _BLOCKS - {"ul", "ol", "table", "td", "th", "details", "blockquote"}
RichNode = str | list[Any]
"""A text, or `[tag, attributes, nodes]`."""


def read_rich(parameters: Parameters) -> tuple[str, list[RichNode]]:
    """Read a rich message given as HTML; return its plain text and its nodes.

    Raises:
        TelegramRefused: it is empty or too long, or a tag is unknown or not closed.
    """
    html = str(parameters.get("rich_message", {}).get("html", ""))
    if not html.strip():
        raise TelegramRefused(400, "Bad Request: rich message must be non-empty")
    if len(html.encode(errors="surrogatepass")) > MAX_RAW:
        raise TelegramRefused(400, "Bad Request: message is too long")
    reader = _RichReader()
    reader.feed(html)
    reader.close()
    return "".join(reader.text).strip(), reader.finish()


class _RichReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self._open: list[tuple[str, list[RichNode]]] = [("", [])]

    def finish(self) -> list[RichNode]:
        if len(self._open) > 1:
            raise TelegramRefused(400, f"Bad Request: <{self._open[-1][0]}> is not closed")
        return self._open[0][1]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _INLINE | _BLOCKS:
            raise TelegramRefused(400, f"Bad Request: tag <{tag}> is not supported")
        inside: list[RichNode] = []
        self._open[-1][1].append([tag, {name: value or "" for name, value in attrs}, inside])
        if tag not in _VOID:
            self._open.append((tag, inside))
        elif tag == "br":
            self.text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        opened, _ = self._open.pop() if len(self._open) > 1 else ("", [])
        if opened != tag:
            raise TelegramRefused(400, f"Bad Request: unexpected </{tag}>")
        if tag in _LINES:
            self.text.append("\n")
        elif tag in ("td", "th"):
            self.text.append(" ")

    def handle_data(self, data: str) -> None:
        self._open[-1][1].append(data)
        self.text.append(data)
