"""What the person at the console has seen: a turn's events, and what was delivered."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path, PurePath

from bot.cli.screen import Screen
from bot.events import Content, End, Event, Notice, Thinking, ToolEnd, ToolStart, UsageReport
from bot.messages import Body, Button, FileBody, TextBody


class Surface:
    """Shows a turn's events as they come, and what is delivered unless they have shown it."""

    read_file: Callable[[str], Awaitable[bytes]]

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.choices: tuple[Button, ...] = ()
        """What was offered last and not chosen yet."""
        self._seen = ""

    def turn_page(self) -> None:
        """A new message begins: what was seen before it does not matter any more."""
        self._seen = ""

    def show_event(self, event: Event) -> None:
        match event:
            case Thinking(text=text):
                self.screen.think(text)
            case Content(text=text):
                self._seen += _squeeze(text)
                self.screen.write(text)
            case ToolStart(detail=detail):
                self.screen.note(f"→ {detail}")
            case ToolEnd(name=name, is_error=is_error):
                self.screen.note(f"{'✗' if is_error else '✓'} {name}")
            case Notice(text=text):
                self.screen.note(text)
            case UsageReport(input_tokens=tokens_in, output_tokens=tokens_out, credits=credits):
                self.screen.note(f"{credits} credits · {tokens_in} + {tokens_out} tokens")
            case End():
                self.screen.rest()
            case _:
                pass

    async def show_body(self, body: Body) -> None:
        """Show a delivery; a file is kept in a folder of its own.

        Raises:
            NotFound: the file is not there any more.
            OSError: it cannot be written.
        """
        match body:
            case TextBody():
                self._show_text(body)
            case FileBody(file=file):
                content = await self.read_file(file.file_id)
                path = Path(tempfile.mkdtemp(prefix="griot-")) / PurePath(file.filename).name
                await asyncio.to_thread(path.write_bytes, content)
                self.screen.say(f"{file.filename}: {path}")
            case _:
                pass

    def _show_text(self, body: TextBody) -> None:
        text = body.quiz.question if body.quiz else body.text
        if _squeeze(text) not in self._seen:
            self.screen.say(text)
        if body.buttons:
            self.choices = tuple(button for row in body.buttons for button in row)
            self.screen.offer([button.label for button in self.choices])


def _squeeze(text: str) -> str:
    """The text without its white space, which differs between pieces shown and the whole."""
    return "".join(text.split())
