"""Check calls of the Bot API by the rules that its OpenAPI document cannot say.

Lengths, entities and keyboards: https://core.telegram.org/bots/api.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from bot.standins.refusals import Refused
from bot.standins.telegram_rich import BadRichMessage, read_rich_message

MAX_FILE: Final = 50 * 2**20
MAX_BUTTONS: Final = 100
_MAX_RAW_TEXT: Final = 32_768
_STYLED: Final = (("text", "entities", 4096), ("caption", "caption_entities", 1024))
_LOW_SURROGATES: Final = frozenset(bytes([byte]) for byte in range(0xDC, 0xE0))
"""High bytes of the second halves of surrogate pairs."""
Parameters = dict[str, Any]


@dataclass
class Call:
    method: str
    parameters: Parameters
    files: dict[str, tuple[str, bytes]]
    """Uploads by field: file name and content."""
    at: float = field(default_factory=time.time)


Validate = Callable[[Call], None]
"""Checks a call by the Bot API's OpenAPI document. Raises `Mistake`."""


class TelegramRefused(Refused):
    """An error in the form of Telegram's answer; `parameters` are its ResponseParameters."""

    def __init__(self, status: int, description: str, **parameters: Any) -> None:
        answer: dict[str, Any] = {
            "ok": False, "error_code": status, "description": description
        }  # fmt: skip
        super().__init__(status, answer | ({"parameters": parameters} if parameters else {}))


class Mistake(Exception):
    """A call breaks a rule; the message is the description of Telegram's answer."""


def check_call(call: Call) -> None:
    """Raise `Mistake` for the first rule that a call breaks."""
    for mistake in _find_mistakes(call):
        raise Mistake(mistake)


def _find_mistakes(call: Call) -> Iterator[str]:
    parameters = call.parameters
    yield from _check_fields(parameters)
    for text_name, entities_name, limit in _STYLED:
        yield from _check_text(
            text_name, parameters.get(text_name), parameters.get(entities_name, []), limit
        )
    if "rich_message" in parameters:
        yield from _check_rich(parameters["rich_message"])
    yield from _check_keyboard(parameters.get("reply_markup", {}).get("inline_keyboard", []))
    for name, (_, content) in call.files.items():
        if not content:
            yield f"{name}: file must be non-empty"
        if len(content) > MAX_FILE:
            yield f"{name}: Request Entity Too Large"


def _check_fields(parameters: Parameters) -> Iterator[str]:
    if "parse_mode" in parameters:
        yield "parse_mode is not modelled here: send entities"
    if parameters.get("draft_id") == 0:
        yield "DRAFT_ID_INVALID"
    if parameters.get("message_thread_id") == 1:  # the General topic is no thread
        yield "message thread not found"
    if parameters.get("ok") is False and not parameters.get("error_message"):
        yield "error message must be non-empty"


def _check_text(
    name: str, text: str | None, entities: list[dict[str, Any]], limit: int
) -> Iterator[str]:
    if text is None:
        if entities:
            yield f"entities without {name}"
        return
    units = text.encode("utf-16-le", "surrogatepass")
    if len(text.encode(errors="surrogatepass")) > _MAX_RAW_TEXT or len(units) // 2 > limit:
        yield "message is too long"
    if name == "text" and text and not text.strip():
        yield "message text is empty"
    for entity in entities:
        yield from _check_entity(entity, units)


def _check_entity(entity: dict[str, Any], units: bytes) -> Iterator[str]:
    """Check an entity: offsets count UTF-16 code units and must not split a surrogate pair."""
    start: int = entity["offset"]
    end: int = start + entity["length"]
    if start < 0 or entity["length"] <= 0 or end > len(units) // 2:
        yield f"can't parse entities: {entity} is outside the text"
    elif any(units[2 * at + 1 : 2 * at + 2] in _LOW_SURROGATES for at in (start, end)):
        yield f"can't parse entities: {entity} splits a surrogate pair"
    if entity["type"] == "text_link" and not entity.get("url"):
        yield f"can't parse entities: {entity} has no url"


def _check_rich(rich: dict[str, Any]) -> Iterator[str]:
    try:
        read_rich_message(rich)
    except BadRichMessage as mistake:
        yield str(mistake)


def _check_keyboard(rows: list[list[dict[str, Any]]]) -> Iterator[str]:
    sizes = [len(row) for row in rows]
    if sum(sizes) > MAX_BUTTONS or not all(1 <= size <= 8 for size in sizes):
        yield "reply markup is too long: a row of the keyboard has 1 to 8 buttons"
    for button in (button for row in rows for button in row):
        if not button["text"].strip():
            yield "text buttons are not allowed to be empty"
        if not 1 <= len(button.get("callback_data", "x").encode()) <= 64:
            yield "BUTTON_DATA_INVALID"


_MINUTE: Final = 60.0


@dataclass(frozen=True)
class Limits:
    """Limits on messages: `…_burst` at once, then `…_rate` a second."""

    chat_rate: float = 1.0
    chat_burst: int = 1
    group_a_minute: int = 20
    overall_rate: float = 30.0
    overall_burst: int = 30


LENIENT: Final = Limits(chat_burst=8, overall_burst=40)
"""Allows the short bursts that Telegram allows."""


@dataclass
class _Bucket:
    rate: float
    burst: int
    free_at: float = -math.inf
    """Time at which the bucket is full again."""

    def find_wait(self, now: float) -> float:
        return max(self.free_at, now) - (self.burst - 1) / self.rate - now

    def take(self, now: float) -> None:
        self.free_at = max(self.free_at, now) + 1 / self.rate


@dataclass
class RateLimiter:
    """Allows messages at the pace of `limits`, if any, and none to a chat that is throttled."""

    limits: Limits | None
    clock: Callable[[], float]
    violations: list[str] = field(default_factory=list[str])
    """Messages that came before the time that an earlier 429 had named."""
    _overall: _Bucket = field(init=False)
    _chats: dict[int, _Bucket] = field(init=False)
    _minutes: dict[int, deque[float]] = field(init=False)
    _throttled: dict[int, float] = field(default_factory=dict[int, float])
    _named: dict[int, float] = field(default_factory=dict[int, float])

    def __post_init__(self) -> None:
        rules = self.limits or Limits()
        self._overall = _Bucket(rules.overall_rate, rules.overall_burst)
        self._chats = defaultdict(lambda: _Bucket(rules.chat_rate, rules.chat_burst))
        self._minutes = defaultdict(lambda: deque(maxlen=rules.group_a_minute))

    def throttle(self, chat_id: int, seconds: float) -> None:
        """Refuse messages to the chat for so long."""
        self._throttled[chat_id] = self.clock() + seconds

    def admit(self, chat_id: int) -> None:
        """Count a message. Raises `TelegramRefused` (429) with the seconds to wait."""
        now = self.clock()
        if self._named.get(chat_id, now) > now:
            self.violations.append(f"429 in chat {chat_id} was not waited for")
        wait = self._throttled.get(chat_id, now) - now
        if self.limits is not None:
            wait = max(wait, self._find_wait(chat_id, now))
        if wait > 0:
            seconds = math.ceil(wait)
            self._named[chat_id] = now + seconds
            raise TelegramRefused(
                429, f"Too Many Requests: retry after {seconds}", retry_after=seconds
            )
        self._overall.take(now)
        self._chats[chat_id].take(now)
        self._minutes[chat_id].append(now)

    def _find_wait(self, chat_id: int, now: float) -> float:
        wait = max(self._overall.find_wait(now), self._chats[chat_id].find_wait(now))
        minute = self._minutes[chat_id]
        if chat_id < 0 and len(minute) == minute.maxlen:
            wait = max(wait, minute[0] + _MINUTE - now)
        return wait
