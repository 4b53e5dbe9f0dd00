"""What a conversation looks like: in colour on a terminal, as plain text in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, Literal, Protocol

from bot.cli.output import one_line, printable

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

_TAIL: Final = 4000
"""Characters of a growing answer that can be in view."""


class Screen(Protocol):
    """Shows a conversation; takes any text, and lets no control character through."""

    prompt: str

    def think(self, text: str) -> None:
        """A piece of what the model thinks."""
        ...

    def write(self, text: str) -> None:
        """A piece of the answer, as it comes (markdown)."""
        ...

    def rest(self) -> None:
        """Nothing grows any more; what has grown stays."""
        ...

    def say(self, markdown: str) -> None:
        """A whole text."""
        ...

    def offer(self, labels: Sequence[str]) -> None:
        """Options to choose from, by number or letter."""
        ...

    def note(self, text: str) -> None:
        """Something beside the conversation: a tool at work, what it cost."""
        ...


def open_screen() -> Screen:
    """A terminal's screen if people sit at both ends, else plain text."""
    sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return Plain()
    import_module("readline")  # gives input() its line editing
    return Terminal()


class Plain:
    """Only what was said, as it was written."""

    prompt = ""

    def __init__(self) -> None:
        self._open = False

    def think(self, text: str) -> None: ...

    def write(self, text: str) -> None:
        text = printable(text if self._open else text.lstrip("\n"))
        self._open = True
        sys.stdout.write(text)
        sys.stdout.flush()

    def rest(self) -> None:
        if self._open:
            self.write("\n")
        self._open = False

    def say(self, markdown: str) -> None:
        self.rest()
        self.write(markdown)
        self.rest()

    def offer(self, labels: Sequence[str]) -> None:
        self.say("\n".join(_numbered(labels)))

    def note(self, text: str) -> None:  # noqa: ARG002
        self.rest()


class Terminal:
    """Colours, markdown, and the answer growing in place."""

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
        """The last lines: a preview taller than the terminal could not be taken back."""
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
            self._console.print(Markdown(text))

    def say(self, markdown: str) -> None:
        self.rest()
        self._kind, self._text = "answer", printable(markdown)
        self.rest()

    def offer(self, labels: Sequence[str]) -> None:
        from rich.text import Text

        self.rest()
        for line in _numbered(labels):
            self._console.print(Text(f"  {line}", style="bold"))

    def note(self, text: str) -> None:
        from rich.text import Text

        self.rest()
        self._console.print(Text(one_line(text), style="dim"))


def _numbered(labels: Sequence[str]) -> list[str]:
    return [f"{number}) {one_line(label)}" for number, label in enumerate(labels, 1)]
