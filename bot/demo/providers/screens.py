"""The three screens: what each holds, and everybody who watches them."""

from __future__ import annotations

import mimetypes
import time
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from bot.demo.providers.shown import (
    Bubble,
    Drafted,
    Event,
    Held,
    Line,
    Marked,
    Phone,
    Toast,
    Told,
    Writing,
)
from bot.demo.providers.tallying import Tallying
from bot.storage.topics import Mailbox, Topics

_TOPIC: Final = "screens"
_MOST_LINES: Final = 300
_MOST_FILES: Final = 50
_TYPES: Final = {".md": "text/markdown"}


class Screens:
    """Changed by the providers, watched by the page."""

    def __init__(self) -> None:
        self._topics = Topics()
        self._shown: dict[tuple[Phone, str], Bubble | Marked] = {}
        """In the order in which they came."""
        self._struck: list[Phone] = []
        """Phones that saw the last kill."""
        self._lines: deque[Line] = deque(maxlen=_MOST_LINES)
        self._files: dict[str, tuple[Held, bytes]] = {}
        self._gateway = Told(state="starting")
        self._tallying = Tallying()

    # What providers do

    def show(self, bubble: Bubble) -> Bubble:
        """Put a message on its phone, or in the place of the one with its id."""
        bubble.at = bubble.at or time.time()
        known = (bubble.phone, bubble.id) in self._shown
        self._shown[bubble.phone, bubble.id] = bubble
        if not known:
            self._tallying.note(bubble)
            self.recount()
        self._tell(bubble)
        return bubble

    def touch(self, phone: Phone) -> None:
        """A button was tapped there, which leaves no bubble."""
        self._tallying.touch(phone)

    def find(self, phone: Phone, message: str) -> Bubble | None:
        found = self._shown.get((phone, message))
        return found if isinstance(found, Bubble) else None

    def mark(
        self, phone: Phone, kind: Literal["killed", "back", "twice", "late"], ms: int = 0
    ) -> None:
        """Draw a line in the conversation, below what is there."""
        name = f"mark-{len(self._shown)}"
        mark = Marked(phone=phone, id=name, kind=kind, ms=ms, at=time.time())
        self._shown[phone, name] = mark
        self._tell(mark)

    def draft(self, phone: Phone, text: str, entities: list[dict[str, Any]]) -> None:
        self._tell(Drafted(phone=phone, text=text, entities=entities))

    def type(self, phone: Phone, seconds: float) -> None:
        self._tell(Writing(phone=phone, seconds=seconds))

    def toast(self, phone: Phone, text: str) -> None:
        self._tell(Toast(phone=phone, text=text))

    def log(
        self,
        phone: Phone | Literal["model", "gateway", "till"],
        way: Literal["in", "out", "here"],
        name: str,
        about: str = "",
    ) -> None:
        line = Line(phone=phone, way=way, name=name, about=about, at=time.time())
        self._lines.append(line)
        self._tell(line)

    def tell_gateway(self, told: Told) -> None:
        self._gateway = told
        self._tallying.is_up = told.state == "up"
        self._tell(told)
        if told.state == "killed":
            self._struck = self._tallying.waiting or list({phone for phone, _ in self._shown})
        if told.state == "killed" or told.ms:
            for phone in self._struck:
                self.mark(phone, "killed" if told.state == "killed" else "back", told.ms)

    def recount(self) -> None:
        """Tell the tally, if it has changed with the bubbles or with time."""
        if tally := self._tallying.changed(time.time()):
            self._tell(tally)

    def keep(self, key: str, name: str, content: bytes, mime_type: str) -> Held:
        """Keep a file for the page; the oldest give way. An empty type is told by the name."""
        told = mime_type or _TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or ""
        held = Held(name, len(content), told, f"/demo/phones/files/{key}")
        self._files[key] = held, content
        while len(self._files) > _MOST_FILES:
            del self._files[next(iter(self._files))]
        return held

    def file(self, key: str) -> tuple[Held, bytes] | None:
        return self._files.get(key)

    # Who watches

    @contextmanager
    def watch(self) -> Generator[tuple[list[bytes], Mailbox]]:
        """All that is there, and a mailbox of what follows, each an encoded event."""
        with self._topics.listen(_TOPIC) as mailbox:
            now = [self._gateway, self._tallying.tally, *self._shown.values(), *self._lines]
            yield [_encode(event) for event in now], mailbox

    def close(self) -> None:
        """End every watching."""
        self._topics.close()

    def _tell(self, event: Event) -> None:
        self._topics.deliver(_TOPIC, _encode(event))


def _encode(event: Event) -> bytes:
    """As a server-sent event."""
    name = str(event.__struct_config__.tag)
    return b"event: %s\ndata: %s\n\n" % (name.encode(), msgspec.json.encode(event))
