"""Office documents are zips of XML: opened within limits, and read as a stream."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import IO, Any, Protocol
from xml.parsers import expat

from bot.errors import ToolFailed

MAX_PART = 200_000_000
"""Bytes of one part, unpacked."""
MAX_PARTS = 20_000
MAX_DEPTH = 500
"""Elements within elements."""
_BLOCK = 65_536
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
_BROKEN = "The file is damaged and cannot be read. Ask the person to send it again."
Attributes = dict[str, str]


class Walk(Protocol):
    """What is done with the elements of an XML stream. Names come without their namespaces;
    that of an attribute which had one begins with a colon: `:id` is another than `id`."""

    def start(self, name: str, attributes: Attributes) -> None: ...

    def end(self, name: str) -> None: ...

    def text(self, text: str) -> None: ...


class Archive:
    """A zip of a stranger, of which nothing is unpacked but what is asked for."""

    def __init__(self, content: bytes) -> None:
        """
        Raises:
            ToolFailed: it is no zip, or has too many parts.
        """
        with _damage_told():
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        self.names = self._zip.namelist()
        if len(self.names) > MAX_PARTS:
            raise ToolFailed("The file has more parts than any document needs; it is not read.")

    def has(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def first(self, start: str, end: str) -> str:
        """The first part whose name begins and ends so; empty if there is none."""
        fitting = (name for name in self.names if name.startswith(start) and name.endswith(end))
        return next(fitting, "")

    def total(self) -> int:
        """Bytes of all parts, unpacked, as the zip tells; no more ever comes out."""
        return sum(info.file_size for info in self._zip.infolist())

    @contextmanager
    def open(self, name: str) -> Generator[IO[bytes]]:
        """The unpacked bytes of a part.

        Raises:
            ToolFailed: it is missing, damaged, encrypted, or beyond `MAX_PART`.
        """
        with _damage_told():
            info = self._zip.getinfo(name)
            if info.flag_bits & _ENCRYPTED:
                raise ToolFailed("The file is protected by a password. Ask for one without.")
            if info.compress_type not in _METHODS:
                raise ToolFailed(_BROKEN)
            if info.file_size > MAX_PART:
                raise ToolFailed("The file unfolds to more than can be read. Ask for a part of it.")
            with self._zip.open(info) as part:
                yield part

    def walk(self, name: str, walk: Walk, take: Callable[[], str]) -> Iterator[str]:
        """Send the elements of a part through `walk`; what `take()` gives now and then.

        Raises:
            ToolFailed: as in `open`; or it is no XML, or has a document type, which no office
                document needs: entities are what XML bombs are made of.
        """
        parser = _parser(walk)
        with self.open(name) as part, _damage_told():
            while block := part.read(_BLOCK):
                parser.Parse(block, False)
                yield take()
            parser.Parse(b"", True)
        yield take()

    def check(self, name: str) -> None:
        """Refuse a part with a document type. Raises `ToolFailed`."""
        root = _Root()
        for _ in self.walk(name, root, lambda: ""):
            if root.seen:
                return


class _Root:
    """Only looks whether there is an element."""

    seen = False

    def start(self, name: str, attributes: Attributes) -> None:  # noqa: ARG002
        self.seen = True

    def end(self, name: str) -> None: ...

    def text(self, text: str) -> None: ...


def _parser(walk: Walk) -> Any:
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True

    depth = 0

    def start(name: str, attributes: Attributes) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise ToolFailed("The file is nested deeper than any document; it is not read.")
        walk.start(_local(name), {_marked(key): value for key, value in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        walk.end(_local(name))

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = walk.text
    parser.StartDoctypeDeclHandler = _refuse_doctype
    return parser


def _local(name: str) -> str:
    """The name without its namespace: two dialects of Open XML differ in nothing else."""
    return name.rpartition(" ")[2]


def _marked(name: str) -> str:
    namespace, _, local = name.rpartition(" ")
    return f":{local}" if namespace else local


def _refuse_doctype(*_: object) -> None:
    raise ToolFailed("The file holds declarations that no office document needs; it is not read.")


@contextmanager
def _damage_told() -> Generator[None]:
    """What zipfile, zlib and expat raise over damaged files, in words."""
    try:
        yield
    except (
        zipfile.BadZipFile,
        expat.ExpatError,
        KeyError,
        EOFError,
        OSError,
        ValueError,
        NotImplementedError,
        struct.error,
        zlib.error,
    ) as error:
        raise ToolFailed(_BROKEN) from error
