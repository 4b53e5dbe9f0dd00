"""Whether anything was lost or doubled, judged by nothing but what the phones show."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from bot.demo.providers.shown import Bubble, Phone, Tally

PATIENCE: Final = 30.0
"""Seconds, while the gateway is up, after which a message without an answer counts as lost."""


class Tallying:
    """Counts bubbles.

    A message is answered by the next thing that its phone is told: the lane of a conversation is
    served in order, and messages that come in one burst are answered together. An answer is
    doubled when the same is said again though the person has said nothing in between.
    """

    def __init__(self) -> None:
        self.tally = Tally()
        self.is_up = False
        self._waiting: dict[Phone, list[float]] = defaultdict(list[float])
        self._said: dict[Phone, list[tuple[str, ...]]] = defaultdict(list[tuple[str, ...]])
        self._doubled = self._sent = self._answered = 0

    def note(self, bubble: Bubble) -> None:
        """Count a new bubble."""
        if bubble.mine:
            self._sent += 1
            self._waiting[bubble.phone].append(bubble.at)
            self._said[bubble.phone].clear()
            return
        self._answered += len(self._waiting.pop(bubble.phone, []))
        said = _content(bubble)
        self._doubled += said in self._said[bubble.phone]
        self._said[bubble.phone].append(said)

    def touch(self, phone: Phone) -> None:
        """A button was tapped: what follows may well be what was said before."""
        self._said[phone].clear()

    @property
    def waiting(self) -> list[Phone]:
        """Phones on which a message has no answer yet."""
        return [phone for phone, times in self._waiting.items() if times]

    def changed(self, now: float) -> Tally | None:
        """The tally if it is not what it was. `now` is in seconds since 1970."""
        waits = [at for phone in self._waiting.values() for at in phone]
        lost = sum(now - at > PATIENCE for at in waits) if self.is_up else self.tally.lost
        tally = Tally(sent=self._sent, answered=self._answered, doubled=self._doubled, lost=lost)
        if tally == self.tally:
            return None
        self.tally = tally
        return tally


def _content(bubble: Bubble) -> tuple[str, ...]:
    labels = [option.label for row in bubble.rows for option in row]
    return (bubble.text, bubble.file.name if bubble.file else "", *labels)
