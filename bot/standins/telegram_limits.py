"""Limit the pace of messages as Telegram does.

Telegram publishes round numbers only (its FAQ for bots, "My bot is hitting limits"): one message a
second in a chat with short bursts over it, 20 a minute in a group, 30 a second in all.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from bot.standins.telegram_rules import TelegramRefused

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
