"""Hold what the three phones show, and the log between Griot and their providers.

Each struct with a tag is an event of the page's stream; its tag is the event's name. Lost and
doubled messages are counted only by what the phones show.
"""

from __future__ import annotations

import mimetypes
import time
from collections import defaultdict, deque
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from bot.storage.ephemeral import Mailbox, Topics

_TOPIC: Final = "screens"
_MOST_LINES: Final = 300
_MOST_FILES: Final = 50
_TYPES: Final = {".md": "text/markdown"}


class PhoneScreens:
    """The contents of the three phones: changed by the providers, watched by the page."""

    def __init__(self) -> None:
        self._topics = Topics()
        self._shown: dict[tuple[Phone, str], Bubble | Mark] = {}
        """Messages and marks in the order in which they came."""
        self._phones_at_kill: list[Phone] = []
        """Phones that show the last kill."""
        self._lines: deque[LogLine] = deque(maxlen=_MOST_LINES)
        self._files: dict[str, tuple[KeptFile, bytes]] = {}
        self._gateway = GatewayState(state="starting")
        self._tally = AnswerTally()

    # What providers do

    def show(self, bubble: Bubble) -> Bubble:
        """Put a message on its phone, or replace the one with its id."""
        bubble.at = bubble.at or time.time()
        known = (bubble.phone, bubble.id) in self._shown
        self._shown[bubble.phone, bubble.id] = bubble
        if not known:
            self._tally.count_bubble(bubble)
            self.recount()
        self._publish(bubble)
        return bubble

    def note_tap(self, phone: Phone) -> None:
        """Record that a button was tapped on the phone, which leaves no bubble."""
        self._tally.note_question(phone, time.time())

    def find(self, phone: Phone, message: str) -> Bubble | None:
        found = self._shown.get((phone, message))
        return found if isinstance(found, Bubble) else None

    def mark(
        self, phone: Phone, kind: Literal["killed", "back", "twice", "late"], ms: int = 0
    ) -> None:
        """Draw a line in the conversation, below the messages so far."""
        name = f"mark-{len(self._shown)}"
        mark = Mark(phone=phone, id=name, kind=kind, ms=ms, at=time.time())
        self._shown[phone, name] = mark
        self._publish(mark)

    def draft(self, phone: Phone, text: str, entities: list[dict[str, Any]]) -> None:
        self._publish(DraftText(phone=phone, text=text, entities=entities))

    def type(self, phone: Phone, seconds: float) -> None:
        self._publish(Typing(phone=phone, seconds=seconds))

    def toast(self, phone: Phone, text: str) -> None:
        self._publish(Toast(phone=phone, text=text))

    def log(
        self,
        phone: Phone | Literal["model", "gateway", "till"],
        way: Literal["in", "out", "here"],
        name: str,
        about: str = "",
    ) -> None:
        line = LogLine(phone=phone, way=way, name=name, about=about, at=time.time())
        self._lines.append(line)
        self._publish(line)

    def set_gateway_state(self, state: GatewayState) -> None:
        self._gateway = state
        self._tally.is_up = state.state == "up"
        self._publish(state)
        if state.state == "killed":
            self._phones_at_kill = self._tally.waiting or list({phone for phone, _ in self._shown})
        if state.state == "killed" or state.ms:
            for phone in self._phones_at_kill:
                self.mark(phone, "killed" if state.state == "killed" else "back", state.ms)

    def recount(self) -> None:
        """Publish the tally, if it has changed with the bubbles or with time."""
        if tally := self._tally.update_tally(time.time()):
            self._publish(tally)

    def keep_file(self, key: str, name: str, content: bytes, mime_type: str) -> KeptFile:
        """Store a file for the page; the oldest are dropped. An empty type is guessed by the
        name."""
        kind = mime_type or _TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or ""
        held = KeptFile(name, len(content), kind, f"/demo/phones/files/{key}")
        self._files[key] = held, content
        while len(self._files) > _MOST_FILES:
            del self._files[next(iter(self._files))]
        return held

    def find_file(self, key: str) -> tuple[KeptFile, bytes] | None:
        return self._files.get(key)

    # Who watches

    @contextmanager
    def watch(self) -> Generator[tuple[list[bytes], Mailbox]]:
        """Yield all events so far, and a mailbox of those that follow, all encoded."""
        with self._topics.listen(_TOPIC) as mailbox:
            now = [self._gateway, self._tally.tally, *self._shown.values(), *self._lines]
            yield [_encode_event(event) for event in now], mailbox

    def close(self) -> None:
        """End all watching."""
        self._topics.close()

    def _publish(self, event: Event) -> None:
        self._topics.deliver(_TOPIC, _encode_event(event))


def _encode_event(event: Event) -> bytes:
    """Encode as a server-sent event."""
    name = str(event.__struct_config__.tag)
    return b"event: %s\ndata: %s\n\n" % (name.encode(), msgspec.json.encode(event))


Phone = Literal["telegram", "whatsapp", "sms"]
Tick = Literal["", "sent", "delivered", "read", "failed"]


class Option(msgspec.Struct, frozen=True):
    """A button, or a row of a list."""

    label: str
    payload: str
    description: str = ""


class KeptFile(msgspec.Struct, frozen=True):
    """A file that a phone holds; `url` is its address for the page."""

    name: str
    size: int
    mime_type: str
    url: str


class _Event(msgspec.Struct, tag_field="event", kw_only=True):
    pass


class Bubble(_Event, tag="bubble"):
    """A message on a phone; one with a known id replaces the earlier one."""

    phone: Phone
    id: str
    mine: bool = False
    text: str = ""
    entities: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])
    rich: list[Any] = msgspec.field(default_factory=list[Any])
    """RichBlocks of a rich message, whose plain text is `text`."""
    rows: list[list[Option]] = msgspec.field(default_factory=list[list[Option]])
    menu: str = ""
    """Label of the button that opens the rows as a list; empty: they are buttons."""
    file: KeptFile | None = None
    tick: Tick = ""
    segments: int = 0
    """Segments of an SMS; 0 for other channels."""
    usd: float = 0.0
    at: float = 0.0
    """Seconds since 1970."""


class Mark(_Event, tag="mark"):
    """A thin line in a conversation at the moment of a kill or of a provider's fault."""

    phone: Phone
    id: str
    kind: Literal["killed", "back", "twice", "late"]
    """The process was killed or is back; a message was delivered twice, or late."""
    ms: int = 0
    """Milliseconds from its death until the process was back."""
    at: float = 0.0


class DraftText(_Event, tag="draft"):
    """A text that grows; the next bubble replaces it."""

    phone: Phone
    text: str
    entities: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])


class Typing(_Event, tag="typing"):
    phone: Phone
    seconds: float


class Toast(_Event, tag="toast"):
    """The answer to a tap, shown for a moment."""

    phone: Phone
    text: str


class LogLine(_Event, tag="line"):
    """A line of the log about two parties; `about` is short and for engineers."""

    phone: Phone | Literal["model", "gateway", "till"]
    way: Literal["in", "out", "here"]
    """Towards Griot, from it, or neither."""
    name: str
    about: str = ""
    at: float = 0.0


class GatewayState(_Event, tag="gateway"):
    """State of the gateway's process."""

    state: Literal["starting", "up", "killed"]
    pid: int = 0
    ms: int = 0
    """Milliseconds from its death until it was up again; 0 for the first start."""


class Tally(_Event, tag="tally"):
    """Number of the person's messages, those answered, answers that came twice, and messages
    lost."""

    sent: int = 0
    answered: int = 0
    doubled: int = 0
    lost: int = 0


LOST_AFTER_SECONDS: Final = 30.0
"""Seconds, while the gateway is up, after which a message without an answer counts as lost."""


PHONE_RESTS_AFTER_SECONDS: Final = 5.0
"""Seconds without a bubble after which all parts of an answer count as shown."""


@dataclass(slots=True)
class _Exchange:
    """The questions and answers on a phone since it was last at rest."""

    asked: int = 0
    said: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    last: float = 0.0
    """Time of the last bubble or tap, in seconds since 1970."""


class AnswerTally:
    """Counts bubbles.

    A message is answered by the next bubble on its phone: the lane of a conversation is served in
    order, and messages of one burst are answered together. An answer is doubled if the same text
    appears more often than the person asked since the phone was at rest: a person who asks the same
    twice in a row may well get the same text twice, in parts that arrive while they write.
    """

    def __init__(self) -> None:
        self.tally = Tally()
        self.is_up = False
        self._waiting: dict[Phone, list[float]] = defaultdict(list[float])
        self._exchanges: dict[Phone, _Exchange] = defaultdict(_Exchange)
        self._doubled = self._sent = self._answered = 0

    def count_bubble(self, bubble: Bubble) -> None:
        """Count a new bubble."""
        if bubble.mine:
            self.note_question(bubble.phone, bubble.at)
            self._sent += 1
            self._waiting[bubble.phone].append(bubble.at)
            return
        self._answered += len(self._waiting.pop(bubble.phone, []))
        exchange = self._exchanges[bubble.phone]
        said = _describe_bubble(bubble)
        self._doubled += exchange.said.count(said) >= max(exchange.asked, 1)
        exchange.said.append(said)
        exchange.asked = max(exchange.asked, 1)
        exchange.last = bubble.at

    def note_question(self, phone: Phone, at: float) -> None:
        """Record a message of the person, or a tapped button. `at` is in seconds since 1970."""
        exchange = self._exchanges[phone]
        is_answered = not self._waiting.get(phone)
        if is_answered and at - exchange.last > PHONE_RESTS_AFTER_SECONDS:
            exchange = self._exchanges[phone] = _Exchange()
        exchange.asked += 1
        exchange.last = at

    @property
    def waiting(self) -> list[Phone]:
        """Phones on which a message has no answer yet."""
        return [phone for phone, times in self._waiting.items() if times]

    def update_tally(self, now: float) -> Tally | None:
        """Return the tally if it has changed. `now` is in seconds since 1970."""
        waits = [at for phone in self._waiting.values() for at in phone]
        lost = sum(now - at > LOST_AFTER_SECONDS for at in waits) if self.is_up else self.tally.lost
        tally = Tally(sent=self._sent, answered=self._answered, doubled=self._doubled, lost=lost)
        if tally == self.tally:
            return None
        self.tally = tally
        return tally


def _describe_bubble(bubble: Bubble) -> tuple[str, ...]:
    labels = [option.label for row in bubble.rows for option in row]
    return (bubble.text, bubble.file.name if bubble.file else "", *labels)


Event = Bubble | Mark | DraftText | Typing | Toast | LogLine | GatewayState | Tally
