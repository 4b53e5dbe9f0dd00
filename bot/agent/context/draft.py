"""A conversation while it is trimmed: what is left of each message, and what that counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from bot.agent.context.cuts import Count
from bot.agent.context.summary import is_summary
from bot.agent.context.turns import find_turns
from bot.messages import Message, SystemMessage, UserMessage


class Draft:
    """Positions are those of the whole conversation; what is dropped leaves a gap."""

    def __init__(self, messages: Sequence[Message], sizes: list[int], count: Count) -> None:
        self.messages = messages
        self.sizes = sizes
        """Tokens of what is left of each; 0 where it was dropped."""
        self.total = sum(sizes)
        self.count = count
        self._left: list[Message | None] = list(messages)

    @property
    def left(self) -> list[Message]:
        return [message for message in self._left if message is not None]

    def put(self, position: int, message: Message) -> int:
        """Replace a message by a shorter one; how many tokens that saves.

        One that is no shorter changes nothing, so that what was dropped stays dropped.
        """
        size = self.count(message)
        saved = self.sizes[position] - size
        if saved <= 0:
            return 0
        self._left[position] = message
        self.sizes[position] = size
        self.total -= saved
        return saved

    def drop(self, position: int) -> int:
        """Leave a message out; how many tokens that saves."""
        saved = self.sizes[position]
        self._left[position] = None
        self.sizes[position] = 0
        self.total -= saved
        return saved

    def drop_all(self, positions: Iterable[int]) -> int:
        return sum(map(self.drop, positions))

    @cached_property
    def head(self) -> list[int]:
        """The first system message, and the summary after it."""
        first = next(iter(self._systems), None)
        if first is None:
            return []
        after = first + 1
        has_summary = after < len(self.messages) and is_summary(self.messages[after])
        return [first, after] if has_summary else [first]

    @cached_property
    def notes(self) -> list[int]:
        """All other system messages."""
        return self._systems[len(self.head) :]

    @cached_property
    def notes_of_current(self) -> set[int]:
        """Those right before the current message."""
        found: set[int] = set()
        if self.current is not None:
            notes = set(self.notes)
            position = self.current - 1
            while position in notes:
                found.add(position)
                position -= 1
        return found

    @cached_property
    def body(self) -> list[int]:
        """What was said and done: the positions of all but system messages."""
        return [
            position
            for position, message in enumerate(self.messages)
            if not isinstance(message, SystemMessage)
        ]

    @cached_property
    def starts(self) -> list[int]:
        """The places in `body` where turns begin; what precedes the first turn counts as one."""
        starts = find_turns([self.messages[position] for position in self.body])
        return starts if starts[:1] == [0] else [0, *starts]

    @cached_property
    def current(self) -> int | None:
        """The newest message of the user."""
        positions = range(len(self.messages) - 1, -1, -1)
        return next((at for at in positions if isinstance(self.messages[at], UserMessage)), None)

    @cached_property
    def _systems(self) -> list[int]:
        return [
            position
            for position, message in enumerate(self.messages)
            if isinstance(message, SystemMessage)
        ]
