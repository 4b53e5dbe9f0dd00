"""Hold the console's side of a conversation: read lines, show events and deliveries."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import signal
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from importlib import import_module
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from bot.app import App
from bot.cli.cli_runtime import one_line, printable, terminal_language, warn
from bot.errors import BadRequest
from bot.events import Content, End, Event, Notice, Thinking, ToolEnd, ToolStart, UsageReport
from bot.formulas.line_text import replace_formulas, to_printed_line
from bot.gateway.admin import show_turn
from bot.gateway.turns.preview import decode_live, topic_of
from bot.messages.channels import CONSOLE
from bot.messages.incoming import Said, Sender, Tapped, Update
from bot.messages.outgoing import Body, Button, FileBody, TextBody
from bot.render.renderer import render_plain

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

_TAIL: Final = 4000
"""Characters of a growing answer that can be in view."""


class Screen(Protocol):
    """Shows a conversation; accepts any text, and removes control characters."""

    prompt: str

    def think(self, text: str) -> None:
        """Show a piece of the model's thinking."""
        ...

    def write(self, text: str) -> None:
        """Show a piece of the answer as it arrives (markdown)."""
        ...

    def rest(self) -> None:
        """End the growing text, which stays on the screen."""
        ...

    def say(self, markdown: str) -> None:
        """Show a whole text."""
        ...

    def offer(self, labels: Sequence[str]) -> None:
        """Show options to choose from, by number or letter."""
        ...

    def tell_path(self, name: str, path: Path) -> None:
        """Show where a file was put."""
        ...

    def note(self, text: str) -> None:
        """Show a remark about the conversation: a tool at work, or the cost."""
        ...


def open_screen() -> Screen:
    """Return a terminal's screen if input and output are a terminal, else plain text."""
    sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return Plain()
    import_module("readline")  # gives input() its line editing
    return Terminal()


class Plain:
    """A screen that prints only the texts of the conversation, whole and without markup."""

    prompt = ""

    def __init__(self) -> None:
        self._text = ""

    def think(self, text: str) -> None: ...

    def write(self, text: str) -> None:
        self._text += text

    def rest(self) -> None:
        text, self._text = self._text, ""
        if text.strip():
            self._print(render_plain(text, terminal_language()))

    def _print(self, text: str) -> None:
        sys.stdout.write(f"{printable(text)}\n")
        sys.stdout.flush()

    def say(self, markdown: str) -> None:
        self.rest()
        self.write(markdown)
        self.rest()

    def offer(self, labels: Sequence[str]) -> None:
        self.rest()
        self._print("\n".join(_numbered(labels)))

    def tell_path(self, name: str, path: Path) -> None:
        self.rest()
        self._print(f"{one_line(name)}: {path}")

    def note(self, text: str) -> None:  # noqa: ARG002
        self.rest()


class Terminal:
    """A screen with colours, formatted markdown, and the answer growing in place."""

    prompt = "› "

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console(highlight=False)
        self._live: Live | None = None
        self._kind: Literal["thought", "answer"] = "answer"
        self._text = ""

    def think(self, text: str) -> None:
        self._grow("thought", text)

    def write(self, text: str) -> None:
        self._grow("answer", text)

    def _grow(self, kind: Literal["thought", "answer"], text: str) -> None:
        from rich.live import Live

        if kind != self._kind:
            self.rest()
            self._kind = kind
        self._text += printable(text)
        if self._live is None:
            self._live = Live(console=self._console, transient=True, refresh_per_second=12)
            self._live.start()
        self._live.update(self._end_of_text())

    def _end_of_text(self) -> Text:
        """Return the last lines: a preview taller than the terminal could not be erased."""
        from rich.text import Text

        lines = Text(self._text[-_TAIL:], style=self._style).wrap(
            self._console, self._console.width
        )
        return Text("\n").join(lines[-max(1, self._console.height - 4) :])

    @property
    def _style(self) -> str:
        return "dim italic" if self._kind == "thought" else ""

    def rest(self) -> None:
        from rich.markdown import Markdown
        from rich.text import Text

        if self._live is not None:
            self._live.stop()
            self._live = None
        text, self._text = self._text.strip(), ""
        if text and self._kind == "thought":
            self._console.print(Text(text, style=self._style))
        elif text:
            self._console.print(Markdown(replace_formulas(text, to_printed_line)))

    def say(self, markdown: str) -> None:
        self.rest()
        self._kind, self._text = "answer", printable(markdown)
        self.rest()

    def offer(self, labels: Sequence[str]) -> None:
        from rich.text import Text

        self.rest()
        for line in _numbered(labels):
            self._console.print(Text(f"  {line}", style="bold"))

    def tell_path(self, name: str, path: Path) -> None:
        from rich.text import Text

        self.rest()
        self._console.print(Text(f"{one_line(name)}: {path}"))

    def note(self, text: str) -> None:
        from rich.text import Text

        self.rest()
        self._console.print(Text(one_line(text), style="dim"))


def _numbered(labels: Sequence[str]) -> list[str]:
    return [f"{number}) {one_line(label)}" for number, label in enumerate(labels, 1)]


class ConversationView:
    """Shows a turn's events as they arrive, and deliveries that they have not shown."""

    read_file: Callable[[str], Awaitable[bytes]]

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.choices: tuple[Button, ...] = ()
        """The options that were offered last and not chosen yet."""
        self._shown_before = ""

    def turn_page(self) -> None:
        """Begin a new message: forget the text that was shown before it."""
        self._shown_before = ""

    def show_event(self, event: Event) -> None:
        match event:
            case Thinking(text=text):
                self.screen.think(text)
            case Content(text=text):
                self._shown_before += _strip_white_space(text)
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
        """Show a delivery; a file is stored in a new folder.

        Raises:
            NotFound: the file does not exist any more.
            OSError: the file cannot be written.
        """
        match body:
            case TextBody():
                for text in _list_texts(body):
                    if _strip_white_space(text) not in self._shown_before:
                        self.screen.say(text)
                if body.buttons:
                    self.choices = tuple(button for row in body.buttons for button in row)
                    self.screen.offer([button.label for button in self.choices])
            case FileBody(file=file):
                content = await self.read_file(file.file_id)
                path = Path(tempfile.mkdtemp(prefix="griot-")) / PurePath(file.filename).name
                await asyncio.to_thread(path.write_bytes, content)
                self.screen.tell_path(file.filename, path)
            case _:
                pass


def _list_texts(body: TextBody) -> list[str]:
    """Return the texts of a delivery, each of which may have been streamed before; without options,
    which are offered."""
    if body.quiz:
        return [body.quiz.question]
    if body.exercise:
        return [text for text in (body.exercise.lead, body.exercise.statement) if text]
    return [body.text]


def _strip_white_space(text: str) -> str:
    """Return the text without white space, which differs between streamed pieces and the whole."""
    return "".join(text.split())


CONVERSATION: Final = "local"
_LONGEST_MESSAGE: Final = 32_000
_LOOK_EVERY: Final = 0.5
"""Seconds between two looks into the database for a turn whose end event was missed."""
_DELIVERING: Final = 0.02
"""Seconds between two looks for the last delivery of a turn that has ended."""


class Conversation:
    """One person's conversation at the console: a message, its answer, the next message."""

    def __init__(self, app: App, surface: ConversationView, sender: Sender) -> None:
        self._app = app
        self._surface = surface
        self._sender = sender
        self._ended: dict[int, asyncio.Event] = {}
        self._stopping: set[asyncio.Task[int]] = set()

    async def hold(self) -> bool:
        """Talk until there are no more lines; return whether every message was answered.

        Raises:
            BadRequest: a line is too long to be a message.
        """
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        momentary = self._app.context.momentary
        try:
            async with momentary.subscribe(topic_of(f"console:{CONVERSATION}")) as payloads:
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
        """Return the offered choice that the line names, or the line as a message."""
        choices = self._surface.choices
        index = _parse_choice(line.strip())
        if 0 <= index < len(choices):
            self._surface.choices = ()
            return Tapped(choices[index].token)
        if len(line) > _LONGEST_MESSAGE:
            raise BadRequest(f"A message has at most {_LONGEST_MESSAGE} characters.")
        return Said(line)

    async def _send(self, content: Said | Tapped) -> int:
        unique = secrets.token_hex(12)
        update = Update(
            channel=CONSOLE,
            via=CONSOLE,
            conversation=CONVERSATION,
            sender=self._sender,
            delivery_key=unique,
            message_key=unique,
            content=content,
        )
        (number,) = await self._app.inbox.store([update])
        if number is None:
            raise RuntimeError("a new message was taken for one stored before")
        return number

    async def _settle(self, turn: int) -> bool:
        """Wait until the turn has ended and is delivered; return whether it ended well."""
        ended = self._ended[turn] = asyncio.Event()
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_EVERY):
                    await ended.wait()
            record = await show_turn(self._app.database, turn)
            if record["state"] in {"done", "dead"} and not _is_delivering(record):
                break
            await asyncio.sleep(_DELIVERING)
        del self._ended[turn]
        if record["error"]:
            warn(f"turn {turn}: {record['error']}")
        return record["state"] == "done" and record["reason"] != "failed"

    def _interrupt(self) -> None:
        """Stop the answer at Ctrl-C, or say how to end the conversation."""
        if not self._ended:
            self._surface.screen.note("Ctrl-D ends the conversation.")
            return
        task = asyncio.get_running_loop().create_task(self._send(Said("/stop")))
        self._stopping.add(task)
        task.add_done_callback(self._stopping.discard)


def _is_delivering(record: dict[str, Any]) -> bool:
    return any(item["state"] in {"pending", "attempting"} for item in record["deliveries"])


def _parse_choice(line: str) -> int:
    """Return the index of the option that `2` or `b` names, from 0; -1 if it names none."""
    if len(line) != 1 or not line.isascii() or not line.isalnum():
        return -1
    return int(line) - 1 if line.isdigit() else ord(line.lower()) - ord("a")


async def read_line(prompt: str) -> str | None:
    """Return the next line typed or piped in; None at the end.

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
            loop.call_soon_threadsafe(_set_line, line, text)

    threading.Thread(target=read, name="keyboard", daemon=True).start()
    return await line


def _set_line(line: asyncio.Future[str | None], text: str | None) -> None:
    if not line.done():
        line.set_result(text)
