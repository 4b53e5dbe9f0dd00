"""What people keep: files, what is written in them, facts to remember."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bot.contracts.journal import Spent
from bot.messages.outgoing import ShareFile


class MemoryStore(Protocol):
    async def save(self, account: int, fact: str) -> None:
        """Remember a fact (a fact known already is not kept twice). Raises `ToolFailed`: full."""
        ...


class FileStore(Protocol):
    async def save(
        self, account: int, filename: str, content: bytes, *, mime_type: str, source: str, key: str
    ) -> ShareFile:
        """Keep a file; the same `key` keeps it once. Raises `ToolFailed`: quota."""
        ...

    async def read(self, file_id: str) -> bytes:
        """Raises `NotFound`."""
        ...

    async def share(self, account: int, file_id: str) -> ShareFile:
        """Return a file of this account, to be delivered. Raises `ToolFailed`: it has none of this
        id."""
        ...


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a person's library, as a list shows it."""

    file_id: str
    filename: str
    kind: str
    """`image`, `pdf`, `document`, `spreadsheet`, `presentation`, `text`, `audio`, `other`."""
    size: int
    """Bytes."""
    created_at: float
    """Unix seconds."""


@dataclass(frozen=True, slots=True)
class FileText:
    """A part of what is written in a file."""

    filename: str
    text: str
    """At most 7,500 characters."""
    part: int
    """From 1."""
    parts: int
    is_cut: bool
    """The file is longer than all parts together."""


@dataclass(frozen=True, slots=True)
class FileHit:
    """Where in a person's files something is written."""

    file_id: str
    filename: str
    place: str
    """`page 3`; empty where the file has no such parts."""
    part: int
    """Of the file's text, where more stands around it."""
    snippet: str
    """At most 500 characters."""


@dataclass(frozen=True, slots=True)
class FileHits:
    """What a search found, the best first."""

    hits: tuple[FileHit, ...]
    unsearched: int
    """Files whose text is not searched yet, or cannot be for want of room."""


class Library(FileStore, Protocol):
    """A person's files and what is written in them. Another account's files are as unknown as
    those that nobody has."""

    async def listing(self, account: int, kind: str, limit: int) -> list[StoredFile]:
        """Return the newest files, newest first; an empty `kind` is any."""
        ...

    async def text(
        self, account: int, file_id: str, part: int, spend: Callable[[Spent], None]
    ) -> FileText:
        """Return a part of a file's text. Raises `ToolFailed`: no such file, or it cannot be
        read."""
        ...

    async def search(
        self, account: int, query: str, limit: int, spend: Callable[[Spent], None]
    ) -> FileHits:
        """Return where the files say what is asked for. Some that were never read are read
        first."""
        ...
