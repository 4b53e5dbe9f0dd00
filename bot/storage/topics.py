"""Who listens to what in this process: topics and the mailboxes of their subscribers."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager

MAILBOX_LIMIT = 4096
"""Payloads that one subscriber may leave unread; then the oldest give way to the newest."""


class Mailbox:
    """What one subscriber has yet to read. Iterating waits for the next payload, until closed."""

    def __init__(self) -> None:
        self._payloads: deque[bytes] = deque(maxlen=MAILBOX_LIMIT)
        self._changed = asyncio.Event()
        self._closed = False

    def put(self, payload: bytes) -> None:
        self._payloads.append(payload)
        self._changed.set()

    def close(self) -> None:
        """End the iteration once everything in it was read."""
        self._closed = True
        self._changed.set()

    def __aiter__(self) -> Mailbox:
        return self

    async def __anext__(self) -> bytes:
        while not self._payloads:
            if self._closed:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        return self._payloads.popleft()


class Topics:
    """The mailboxes of this process by topic."""

    def __init__(self) -> None:
        self._mailboxes: dict[str, list[Mailbox]] = {}

    def __contains__(self, topic: str) -> bool:
        """Whether anybody listens to it."""
        return topic in self._mailboxes

    def deliver(self, topic: str, payload: bytes) -> None:
        for mailbox in self._mailboxes.get(topic, ()):
            mailbox.put(payload)

    @contextmanager
    def listen(self, topic: str) -> Generator[Mailbox]:
        """A mailbox that gets everything delivered on `topic` while the context is open."""
        mailbox = Mailbox()
        self._mailboxes.setdefault(topic, []).append(mailbox)
        try:
            yield mailbox
        finally:
            self._forget(topic, mailbox)

    def close(self) -> None:
        """End every iteration."""
        for mailboxes in self._mailboxes.values():
            for mailbox in mailboxes:
                mailbox.close()

    def _forget(self, topic: str, mailbox: Mailbox) -> None:
        mailboxes = self._mailboxes[topic]
        mailboxes.remove(mailbox)
        if not mailboxes:
            del self._mailboxes[topic]
