"""Which session a conversation belongs to that a client tells anew with each request.

A client of OpenAI's API keeps the conversation itself and sends all of it, without a name. So after
each answer it is noted by what the client will send back next time: a keyed hash of all that was
said. Found again, the conversation goes on in its session; not found (a new one, one of which
something was changed or taken back, or one that is long past), a new session begins, and is told
what was said before. These notes are momentary: without them a conversation is told once more, and
nothing is lost.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import structlog

from bot.contracts import Momentary
from bot.messages import Person
from bot.web.completions.asking import Asked, Line

REMEMBERED: Final = 24 * 3600.0
"""Seconds for which an idle conversation is found again."""
REPEATABLE: Final = 600.0
"""Seconds for which a request that is sent once more finds the turn that it began: as long as
clients of OpenAI wait by default."""
_AT_ONCE: Final = 30.0
"""Seconds in which a turn is begun, at most: as long as the database is waited for."""
_LOOK_AGAIN: Final = 0.05
_MOST_TOLD: Final = 48_000
"""Characters of what was said before that a new session is told; the newest are kept."""
_MOST_WISHES: Final = 8_000
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Begun:
    """A turn that a request began."""

    session: str
    turn: int

    @property
    def lane(self) -> str:
        return f"http:{self.session}"


class Continuing:
    """
    Args:
        last_handled: number of the newest turn that has ended in a lane.
        key: a secret; what people say is kept nowhere in a form that could be guessed.
    """

    def __init__(
        self, momentary: Momentary, last_handled: Callable[[str], Awaitable[int]], key: str
    ) -> None:
        self._momentary = momentary
        self._last_handled = last_handled
        self._key = key.encode()

    async def find(self, person: Person, asked: Asked) -> tuple[str | None, str]:
        """The session in which it goes on, None for a new one, and what is to be told with it."""
        known = await self._momentary.get(self._name("said", person, asked.before))
        session, turn, wishes = known.decode().split(" ") if known else ("", "0", "")
        if not session or await self._last_handled(f"http:{session}") != int(turn):
            return None, _tell(asked.wishes, asked.before)
        is_new = asked.wishes and wishes != self._hash(asked.wishes)
        return session, _tell(asked.wishes, ()) if is_new else ""

    async def note_answer(self, person: Person, asked: Asked, answer: str, begun: Begun) -> None:
        """The client will send this answer back with what is said next."""
        said = [*asked.before, *asked.latest, Line("assistant", answer)]
        value = f"{begun.session} {begun.turn} {self._hash(asked.wishes)}"
        await self._note(self._name("said", person, said), value, REMEMBERED)

    @asynccontextmanager
    async def alone(self, person: Person, asked: Asked, mark: str) -> AsyncGenerator[None]:
        """While the same request, by its own key, is looked for and begun nowhere else.

        A process that dies meanwhile keeps others waiting for `_AT_ONCE` seconds.
        """
        name, owner = f"{self._request(person, asked, mark)}:lock", secrets.token_hex(8)
        while not await self._momentary.lock(name, owner, _AT_ONCE):  # noqa: ASYNC110 (elsewhere)
            await asyncio.sleep(_LOOK_AGAIN)
        try:
            yield
        finally:
            await self._momentary.unlock(name, owner)

    async def find_begun(self, person: Person, asked: Asked, mark: str) -> Begun | None:
        """The turn that this very request began when it was sent before.

        Args:
            mark: the request's own key, where it has one.
        """
        known = await self._momentary.get(self._request(person, asked, mark))
        if known is None:
            return None
        session, _, turn = known.decode().partition(" ")
        return Begun(session, int(turn))

    async def note_begun(self, person: Person, asked: Asked, mark: str, begun: Begun) -> None:
        value = f"{begun.session} {begun.turn}"
        await self._note(self._request(person, asked, mark), value, REPEATABLE)

    async def _note(self, name: str, value: str, seconds: float) -> None:
        """That it cannot be noted is no reason to withhold an answer."""
        try:
            await self._momentary.put(name, value.encode(), seconds)
        except ConnectionError as error:
            log.warning("completion_not_noted", reason=str(error))

    def _request(self, person: Person, asked: Asked, mark: str) -> str:
        said = [Line("system", f"{mark}\n{asked.wishes}"), *asked.before, *asked.latest]
        return self._name("asked", person, said)

    def _name(self, kind: str, person: Person, said: Sequence[Line]) -> str:
        owner = person.address if person.account is None else f"account:{person.account}"
        words = [self._identify(line) for line in said]
        said_hash = self._hash("\0".join([owner, *words]))
        return f"completion:{kind}:{said_hash}"

    def _identify(self, line: Line) -> str:
        """What a line says, white space aside; each picture by a hash of what was sent."""
        shown = [self._hash(url) for url in line.pictures]
        return " ".join([f"{line.role}:{' '.join(line.text.split())}", *shown])

    def _hash(self, text: str) -> str:
        words = text.encode(errors="replace")
        return hmac.new(self._key, words, hashlib.sha256).hexdigest()[:32]


def _tell(wishes: str, before: Sequence[Line]) -> str:
    """In words: what the client wishes, and what was said before; the newest of it, if it is
    long."""
    lines = [f"{_SPEAKERS.get(line.role, line.role)}: {line.text}" for line in before]
    kept: list[str] = []
    room = _MOST_TOLD
    for line in reversed(lines):
        room -= len(line)
        if room < 0:
            break
        kept.append(line)
    missing = len(lines) - len(kept)
    if missing:
        kept.append(f"[{missing} earlier messages, left out here for their length]")
    if len(wishes) > _MOST_WISHES:
        wishes = f"{wishes[:_MOST_WISHES]}\n[truncated]"
    said = ["What was said before, oldest first:", *reversed(kept)] if kept else []
    return "\n".join([*([f"Its wishes: {wishes}"] if wishes else []), *said])


_SPEAKERS: Final = {"user": "I", "assistant": "You", "tool": "A tool", "function": "A tool"}
