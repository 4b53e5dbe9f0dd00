"""The stores of what people keep: files, the text in them, and facts to remember."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bot.contracts.turn import Spent
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
        """Return the bytes of a file. Raises `NotFound`."""
        ...

    async def share(self, account: int, file_id: str) -> ShareFile:
        """Return a file of this account, to be delivered. Raises `ToolFailed`: the account has no
        file of this id."""
        ...


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a person's library, in a list."""

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
    """One part of the text of a file."""

    filename: str
    text: str
    """At most 7,500 characters."""
    part: int
    """From 1."""
    parts: int
    is_cut: bool
    """The file's text is longer than all parts together."""


@dataclass(frozen=True, slots=True)
class FileHit:
    """A passage in one of a person's files that matches a search."""

    file_id: str
    filename: str
    place: str
    """`page 3`; empty where the file has no such parts."""
    part: int
    """The part of the file's text (`FileText.part`) that holds the passage."""
    snippet: str
    """At most 500 characters."""


@dataclass(frozen=True, slots=True)
class FileHits:
    """The results of a search, the best first."""

    hits: tuple[FileHit, ...]
    unsearched: int
    """How many files are not searched: their text is not read yet, or there is no space for it."""


class Library(FileStore, Protocol):
    """A person's files and the text in them. Another account's files are treated like files that do
    not exist."""

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
        """Return the passages that match a query. Some of the files never read are read first."""
        ...
