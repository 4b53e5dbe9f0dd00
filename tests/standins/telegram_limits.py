"""How fast Telegram may be sent to, and how it says so.

Telegram publishes round numbers only (its FAQ for bots, "My bot is hitting limits"): one message a
second in a chat with short bursts over it, 20 a minute in a group, 30 a second in all.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.standins.telegram_calls import Refused

MINUTE = 60.0


@dataclass(frozen=True)
class Limits:
    """Messages: `…_burst` at once, then `…_rate` a second."""

    chat_rate: float = 1.0
    chat_burst: int = 1
    group_a_minute: int = 20
    overall_rate: float = 30.0
    overall_burst: int = 30


LENIENT = Limits(chat_burst=8, overall_burst=40)
"""With the short bursts that Telegram lets pass."""


@dataclass
class _Bucket:
    rate: float
    burst: int
    free_at: float = -math.inf
    """When the bucket is full again."""

    def wait(self, now: float) -> float:
        return max(self.free_at, now) - (self.burst - 1) / self.rate - now

    def take(self, now: float) -> None:
        self.free_at = max(self.free_at, now) + 1 / self.rate


@dataclass
class Doorkeeper:
    """Lets messages pass at the pace of `limits`, if any, and none to a chat told to wait."""

    limits: Limits | None
    clock: Callable[[], float]
    impatient: list[str] = field(default_factory=list[str])
    """Messages that came before the time that an earlier 429 had named."""
    _overall: _Bucket = field(init=False)
    _chats: dict[int, _Bucket] = field(init=False)
    _minutes: dict[int, deque[float]] = field(init=False)
    _throttled: dict[int, float] = field(default_factory=dict[int, float])
    _told: dict[int, float] = field(default_factory=dict[int, float])

    def __post_init__(self) -> None:
        rules = self.limits or Limits()
        self._overall = _Bucket(rules.overall_rate, rules.overall_burst)
        self._chats = defaultdict(lambda: _Bucket(rules.chat_rate, rules.chat_burst))
        self._minutes = defaultdict(lambda: deque(maxlen=rules.group_a_minute))

    def throttle(self, chat_id: int, seconds: float) -> None:
        """Refuse messages to the chat for so long."""
        self._throttled[chat_id] = self.clock() + seconds

    def admit(self, chat_id: int) -> None:
        """Count a message, or raise `Refused` (429) with the seconds to wait."""
        now = self.clock()
        if self._told.get(chat_id, now) > now:
            self.impatient.append(f"429 in chat {chat_id} was not waited for")
        wait = self._throttled.get(chat_id, now) - now
        if self.limits is not None:
            wait = max(wait, self._wait(chat_id, now))
        if wait > 0:
            seconds = math.ceil(wait)
            self._told[chat_id] = now + seconds
            raise Refused(429, f"Too Many Requests: retry after {seconds}", retry_after=seconds)
        self._overall.take(now)
        self._chats[chat_id].take(now)
        self._minutes[chat_id].append(now)

    def _wait(self, chat_id: int, now: float) -> float:
        wait = max(self._overall.wait(now), self._chats[chat_id].wait(now))
        minute = self._minutes[chat_id]
        if chat_id < 0 and len(minute) == minute.maxlen:
            wait = max(wait, minute[0] + MINUTE - now)
        return wait
