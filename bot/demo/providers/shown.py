"""What the phones show, and what passed between Griot and their providers: the page's vocabulary.

Each struct is an event of the page's stream; its tag is the event's name.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Phone = Literal["telegram", "whatsapp", "sms"]
PHONES: tuple[Phone, ...] = ("telegram", "whatsapp", "sms")
Tick = Literal["", "sent", "delivered", "read", "failed"]


class Option(msgspec.Struct, frozen=True):
    """A button, or a row of a list."""

    label: str
    payload: str
    description: str = ""


class Held(msgspec.Struct, frozen=True):
    """A file that a phone holds; `url` is where the page finds it."""

    name: str
    size: int
    mime_type: str
    url: str


class _Event(msgspec.Struct, tag_field="event", kw_only=True):
    pass


class Bubble(_Event, tag="bubble"):
    """A message on a phone; one with a known id takes the place of what was there."""

    phone: Phone
    id: str
    mine: bool = False
    text: str = ""
    entities: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])
    rows: list[list[Option]] = msgspec.field(default_factory=list[list[Option]])
    menu: str = ""
    """What opens the rows as a list; empty: they are buttons."""
    file: Held | None = None
    tick: Tick = ""
    segments: int = 0
    """Of an SMS; 0 elsewhere."""
    usd: float = 0.0
    at: float = 0.0
    """Seconds since 1970."""


class Marked(_Event, tag="mark"):
    """A thin line in a conversation, where something was done to Griot or by a provider."""

    phone: Phone
    id: str
    kind: Literal["killed", "back", "twice", "late"]
    """The process was killed or is back; a message was delivered twice, or late."""
    ms: int = 0
    """From its death until the process was back."""
    at: float = 0.0


class Drafted(_Event, tag="draft"):
    """A text that grows; the next bubble takes its place."""

    phone: Phone
    text: str
    entities: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])


class Writing(_Event, tag="typing"):
    phone: Phone
    seconds: float


class Toast(_Event, tag="toast"):
    """The answer to a tap, shown for a moment."""

    phone: Phone
    text: str


class Line(_Event, tag="line"):
    """Something passed between two of the parties; `about` is short and for engineers."""

    phone: Phone | Literal["model", "gateway", "till"]
    way: Literal["in", "out", "here"]
    """Towards Griot, from it, or neither."""
    name: str
    about: str = ""
    at: float = 0.0


class Told(_Event, tag="gateway"):
    """How the process that answers is."""

    state: Literal["starting", "up", "killed"]
    pid: int = 0
    ms: int = 0
    """From its death until it was up again; 0 for the first start."""


class Tally(_Event, tag="tally"):
    """Messages of the person, those answered, answers that came twice, messages never answered."""

    sent: int = 0
    answered: int = 0
    doubled: int = 0
    lost: int = 0


Event = Bubble | Marked | Drafted | Writing | Toast | Line | Told | Tally
