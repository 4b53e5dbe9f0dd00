"""The console's side of a conversation: lines in, events and deliveries out."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import signal
import threading
from collections.abc import AsyncIterator
from typing import Any, Final

from bot.assembly import House
from bot.cli.desk import warn
from bot.cli.surface import Surface
from bot.errors import BadRequest
from bot.events import End
from bot.gateway.records import show_turn
from bot.gateway.turns.live import decode_live, topic
from bot.messages import Said, Sender, Tapped, Update

CONVERSATION: Final = "local"
_LONGEST_MESSAGE: Final = 32_000
_LOOK_EVERY: Final = 0.5
"""Seconds between two looks into the database for a turn whose end was not heard."""
_DELIVERING: Final = 0.02
"""Seconds between two looks for the last delivery of a turn that has ended."""


class Conversation:
    """One person at the console: a message, its answer, the next message."""

    def __init__(self, house: House, surface: Surface, sender: Sender) -> None:
        self._house = house
        self._surface = surface
        self._sender = sender
        self._ended: dict[int, asyncio.Event] = {}
        self._stopping: set[asyncio.Task[int]] = set()

    async def hold(self) -> bool:
        """Talk until there are no more lines; whether every message was answered.

        Raises:
            BadRequest: a line is too long to be a message.
        """
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        momentary = self._house.parts.momentary
        try:
            async with momentary.subscribe(topic(f"console:{CONVERSATION}")) as payloads:
                watching = asyncio.create_task(self._watch(payloads), name="watch")
                answered = await self._talk()
                watching.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await watching
                return answered
        finally:
            loop.remove_signal_handler(signal.SIGINT)

    async def _talk(self) -> bool:
        answered = True
        while (line := await read_line(self._surface.screen.prompt)) is not None:
            if line.strip():
                self._surface.turn_page()
                answered &= await self._settle(await self._send(self._content(line)))
        return answered

    async def _watch(self, payloads: AsyncIterator[bytes]) -> None:
        async for payload in payloads:
            turn, _, event = decode_live(payload)
            self._surface.show_event(event)
            if isinstance(event, End) and turn in self._ended:
                self._ended[turn].set()

    def _content(self, line: str) -> Said | Tapped:
        """A choice among what was offered, or something to say."""
        choices = self._surface.choices
        index = _choice(line.strip())
        if 0 <= index < len(choices):
            self._surface.choices = ()
            return Tapped(choices[index].token)
        if len(line) > _LONGEST_MESSAGE:
            raise BadRequest(f"A message has at most {_LONGEST_MESSAGE} characters.")
        return Said(line)

    async def _send(self, content: Said | Tapped) -> int:
        unique = secrets.token_hex(12)
        update = Update(
            channel="console",
            via="console",
            conversation=CONVERSATION,
            sender=self._sender,
            delivery_key=unique,
            message_key=unique,
            content=content,
        )
        (number,) = await self._house.inbox.store([update])
        if number is None:
            raise RuntimeError("a new message was taken for one stored before")
        return number

    async def _settle(self, turn: int) -> bool:
        """Wait until the turn has ended and all it says is shown; whether it ended well."""
        ended = self._ended[turn] = asyncio.Event()
        while True:
            await _wait(ended, _LOOK_EVERY)
            record = await show_turn(self._house.database, turn)
            if record["state"] in {"done", "dead"} and not _has_mail(record):
                break
            await asyncio.sleep(_DELIVERING)
        del self._ended[turn]
        if record["error"]:
            warn(f"turn {turn}: {record['error']}")
        return record["state"] == "done" and record["reason"] != "failed"

    def _interrupt(self) -> None:
        """Ctrl-C: stop the answer, or say how to end."""
        if not self._ended:
            self._surface.screen.note("Ctrl-D ends the conversation.")
            return
        task = asyncio.get_running_loop().create_task(self._send(Said("/stop")))
        self._stopping.add(task)
        task.add_done_callback(self._stopping.discard)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


def _has_mail(record: dict[str, Any]) -> bool:
    return any(item["state"] in {"pending", "attempting"} for item in record["deliveries"])


def _choice(line: str) -> int:
    """Which option `2` or `b` means, from 0; -1 if it is more than one letter or digit."""
    if len(line) != 1 or not line.isascii() or not line.isalnum():
        return -1
    return int(line) - 1 if line.isdigit() else ord(line.lower()) - ord("a")


async def read_line(prompt: str) -> str | None:
    """The next line typed or piped in; None at the end.

    It is awaited in a thread that an ending process does not wait for.
    """
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str | None] = loop.create_future()

    def read() -> None:
        try:
            text = input(prompt)
        except EOFError:
            text = None
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(_tell, line, text)

    threading.Thread(target=read, name="keyboard", daemon=True).start()
    return await line


def _tell(line: asyncio.Future[str | None], text: str | None) -> None:
    if not line.done():
        line.set_result(text)
