"""The post: every process that runs lanes looks for letters that are due, and sends them.

A letter is one process's from the transaction that marks it `attempting`, which is before anything
is connected. What became of it is stored by whoever tried; a letter whose process died on the way
is `unknown`, and never sent blindly.
"""

from __future__ import annotations

import asyncio
import random
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from email.headerregistry import Address
from typing import Final, Protocol

import msgspec
import structlog

from bot.contracts import Database, Transaction
from bot.errors import NotFound
from bot.mail import letters
from bot.mail.letters import Ending, Kept
from bot.mail.message import Enclosure, write_message
from bot.mail.smtp import Handed, Server, hand_over
from bot.observe import Metrics
from bot.rounds import Rounds, cancel

LOOK_EVERY: Final = 0.5
"""Seconds between two looks at what is due."""
_AT_ONCE: Final = 4
"""Letters that one process sends side by side."""
_MOST_SECONDS: Final = 840.0
"""For one attempt: less than its lease."""
_LONGEST_PAUSE: Final = 1800.0
log = structlog.get_logger()

Tell = Callable[[Transaction, Kept, tuple[str, ...]], Awaitable[None]]
"""Says, in the caller's transaction, that a letter will never reach these."""


class Found(Protocol):
    """A file's name and type."""

    @property
    def name(self) -> str: ...

    @property
    def mime_type(self) -> str: ...


class Shelf(Protocol):
    """Where files lie."""

    async def find_own(self, account: int, file_id: str) -> Found: ...

    async def read(self, file_id: str) -> bytes: ...


def _as_it_is(text: str, _: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class Line:
    """Where letters are handed over, and by whom."""

    server: Server
    sender: Address
    trusted: ssl.SSLContext | None = None
    """Which certificates of the server are believed; None: the system's."""


class Post:
    """
    Args:
        tell: hears of each letter that somebody's account sent in vain.
        fill_in: puts the one-time code of an id into a text.
        jitter: a number from 0 to 1 by which pauses differ.
    """

    def __init__(
        self,
        database: Database,
        files: Shelf,
        line: Line,
        tell: Tell,
        metrics: Metrics,
        *,
        fill_in: Callable[[str, str], str] = _as_it_is,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._database = database
        self._files = files
        self._line = line
        self._tell = tell
        self._metrics = metrics
        self._fill_in = fill_in
        self._jitter = jitter
        self._rounds = Rounds("posting", self._go_round, after_failure=LOOK_EVERY)
        self._sending: set[asyncio.Task[bool]] = set()

    def start(self) -> None:
        self._rounds.start()

    async def stop(self, seconds: float) -> None:
        """Take no more letters, and let those under way end for `seconds`; the rest is in doubt."""
        await self._rounds.stop()
        if self._sending:
            await asyncio.wait(self._sending, timeout=seconds)
        await cancel(self._sending)

    async def post(self) -> bool:
        """Send the letter that is due longest; whether there was one."""
        letter = await self._database.write(letters.take)
        if letter is None:
            return False
        try:
            message = await self._write(letter)
        except NotFound:
            handed = Handed(refused=letter.left, error="a file that goes with it is gone")
        except Exception as error:  # it has surely not left, so it must not stay in doubt
            log.exception("letter_unwritten", letter=letter.id)
            handed = Handed(deferred=letter.left, error=type(error).__name__)
        else:
            handed = await self._send(letter, message)
        await self._record(letter, self._judge(letter, handed))
        return True

    async def count_lost(self) -> None:
        """Note letters whose process died while it sent them."""
        for letter in await self._database.write(letters.take_lost):
            log.warning("letter", outcome="unknown", letter=letter, code="its process ended")
            self._metrics.letters("unknown").inc()

    async def _go_round(self) -> float:
        if due := await self._database.read(letters.count_due):
            await self.count_lost()
            self._begin(min(due, _AT_ONCE - len(self._sending)))
        return LOOK_EVERY

    def _begin(self, number: int) -> None:
        for _ in range(number):
            task = asyncio.create_task(self.post(), name="letter")
            self._sending.add(task)
            task.add_done_callback(self._end)

    def _end(self, task: asyncio.Task[bool]) -> None:
        self._sending.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("letter_unrecorded", exc_info=error)

    async def _write(self, letter: Kept) -> bytes:
        """The message with its files. Raises `NotFound`: one of them is gone."""
        enclosures = [await self._fetch(letter, each) for each in letter.body.attachments]
        if code_id := letter.body.code_id:
            text = self._fill_in(letter.body.text, code_id)
            letter = replace(letter, body=msgspec.structs.replace(letter.body, text=text))
        return await asyncio.to_thread(write_message, letter, self._line.sender, enclosures)

    async def _send(self, letter: Kept, message: bytes) -> Handed:
        line = self._line
        try:
            async with asyncio.timeout(_MOST_SECONDS):
                return await hand_over(
                    line.server, line.sender.addr_spec, letter.left, message, trusted=line.trusted
                )
        except TimeoutError:
            return Handed(doubtful=letter.left, error="no end in time")

    async def _fetch(self, letter: Kept, file_id: str) -> Enclosure:
        """The file, if it is still the account's own. Raises `NotFound`."""
        file = await self._files.find_own(letter.account or 0, file_id)
        return Enclosure(file.name, file.mime_type, await self._files.read(file_id))

    def _judge(self, letter: Kept, handed: Handed) -> Ending:
        """What follows: done, once more to those who are left, or given up."""
        refused = (*letter.refused, *handed.refused)
        if handed.doubtful:
            return Ending("unknown", handed.doubtful, refused, handed.error)
        if handed.deferred and letter.age < letters.KEPT_TRYING:
            return Ending(
                "pending", handed.deferred, refused, handed.error, self._pause(letter.attempt)
            )
        refused += handed.deferred
        if len(refused) < len(letter.body.to):
            return Ending("sent", (), refused, handed.error)
        return Ending("refused", (), refused, handed.error)

    def _pause(self, attempt: int) -> float:
        """Greylisting wants some minutes; RFC 5321, 4.5.4.1 half an hour once it takes longer."""
        pause = min(15.0 * 2.0 ** min(attempt - 1, 20), _LONGEST_PAUSE)
        return pause * (0.5 + self._jitter() / 2)

    async def _record(self, letter: Kept, ending: Ending) -> None:
        async def work(tx: Transaction) -> bool:
            if not await letters.end(tx, letter, ending):
                return False
            if ending.refused and ending.state != "pending" and letter.account is not None:
                await self._tell(tx, letter, ending.refused)
            return True

        if not await self._database.write(work):
            return
        outcome = "retry" if ending.state == "pending" else ending.state
        self._metrics.letters(outcome).inc()
        if outcome != "sent":
            code = ending.error.partition(" ")[0]
            log.warning("letter", outcome=outcome, letter=letter.id, code=code)
