"""Open zips of XML from untrusted senders, within limits; their XML is read as a stream.

Sources: ECMA-376, part 2 (9.3, relationships); APPNOTE.TXT.
"""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import IO
from xml.parsers import expat

from bot.errors import ToolFailed

MAX_PART = 200_000_000
"""Most bytes of one unpacked part."""
MAX_TOTAL = 200_000_000
"""Most bytes of all unpacked parts of a file of which many parts are read."""
MAX_PARTS = 20_000
MAX_DEPTH = 500
"""Most levels of nested elements."""
_BLOCK = 65_536
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
_TOO_LARGE = "The file unfolds to more than can be read. Ask for a part of it."
BROKEN = "The file is damaged and cannot be read. Ask the person to send it again."
Attributes = dict[str, str]


class ElementHandler:
    """Handles the elements of an XML stream; subclasses say how. Names come without namespaces; the
    name of an attribute that had one begins with a colon: `:id` differs from `id`."""

    def start(self, name: str, attributes: Attributes) -> None: ...

    def end(self, name: str) -> None: ...

    def text(self, text: str) -> None: ...


class Archive:
    """A zip from an untrusted sender; only the parts that are asked for are unpacked."""

    def __init__(self, content: bytes) -> None:
        """Open the zip.

        Raises:
            ToolFailed: it is no zip, or has too many parts.
        """
        with _refuse_damage():
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        self.names = self._zip.namelist()
        if len(self.names) > MAX_PARTS:
            raise ToolFailed("The file has more parts than any document needs; it is not read.")

    def has(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def first(self, start: str, end: str) -> str:
        """Return the first part with this start and end of its name; empty if there is none."""
        fitting = (name for name in self.names if name.startswith(start) and name.endswith(end))
        return next(fitting, "")

    def check_total(self) -> None:
        """Raise `ToolFailed` if all parts together unfold to more than `MAX_TOTAL` bytes, as the
        zip declares them; never more come out."""
        if sum(info.file_size for info in self._zip.infolist()) > MAX_TOTAL:
            raise ToolFailed(_TOO_LARGE)

    @contextmanager
    def open(self, name: str) -> Generator[IO[bytes]]:
        """Open a part to read its unpacked bytes.

        Raises:
            ToolFailed: the part is missing, damaged, encrypted, or larger than `MAX_PART`.
        """
        with _refuse_damage():
            info = self._zip.getinfo(name)
            if info.flag_bits & _ENCRYPTED:
                raise ToolFailed("The file is protected by a password. Ask for one without.")
            if info.compress_type not in _METHODS:
                raise ToolFailed(BROKEN)
            if info.file_size > MAX_PART:
                raise ToolFailed(_TOO_LARGE)
            with self._zip.open(info) as part:
                yield part

    def walk(self, name: str, walk: ElementHandler, take: Callable[[], str]) -> Iterator[str]:
        """Send the elements of a part through `walk`; yield `take()` after each block.

        Raises:
            ToolFailed: as in `open`; or the part is no XML, or has a document type, which no office
                document needs: XML bombs are made of its entities.
        """
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True

        depth = 0

        def start(name: str, attributes: Attributes) -> None:
            nonlocal depth
            depth += 1
            if depth > MAX_DEPTH:
                raise ToolFailed("The file is nested deeper than any document; it is not read.")
            if attributes:
                attributes = {_mark_attribute(key): value for key, value in attributes.items()}
            walk.start(_strip_namespace(name), attributes)

        def end(name: str) -> None:
            nonlocal depth
            depth -= 1
            walk.end(_strip_namespace(name))

        parser.StartElementHandler = start
        parser.EndElementHandler = end
        parser.CharacterDataHandler = walk.text
        parser.StartDoctypeDeclHandler = _refuse_doctype
        with self.open(name) as part, _refuse_damage():
            while block := part.read(_BLOCK):
                parser.Parse(block, False)
                yield take()
            parser.Parse(b"", True)
        yield take()

    def check(self, name: str) -> None:
        """Raise `ToolFailed` if a part has a document type."""
        elements = _AttributeCollector()
        for _ in self.walk(name, elements, lambda: ""):
            if elements.found:
                return


@lru_cache(maxsize=1_000)
def _strip_namespace(name: str) -> str:
    """Return the name without its namespace, the only difference of two Open XML dialects."""
    return name.rpartition(" ")[2]


@lru_cache(maxsize=1_000)
def _mark_attribute(name: str) -> str:
    namespace, _, local = name.rpartition(" ")
    return f":{local}" if namespace else local


def _refuse_doctype(*_: object) -> None:
    raise ToolFailed("The file holds declarations that no office document needs; it is not read.")


@contextmanager
def _refuse_damage() -> Generator[None]:
    """Turn errors of zipfile, zlib and expat about damaged files into `ToolFailed`."""
    try:
        yield
    except (
        zipfile.BadZipFile,
        expat.ExpatError,
        LookupError,
        EOFError,
        OSError,
        ValueError,
        NotImplementedError,
        struct.error,
        zlib.error,
    ) as error:
        raise ToolFailed(BROKEN) from error


class _AttributeCollector(ElementHandler):
    """The attributes of all elements of one name; of all elements if the name is empty."""

    def __init__(self, name: str = "") -> None:
        self._name = name
        self.found: list[Attributes] = []

    def start(self, name: str, attributes: Attributes) -> None:
        if self._name in ("", name):
            self.found.append(attributes)


def find_related(archive: Archive, part: str, kind: str) -> dict[str, str]:
    """Return the parts of that kind that a part refers to, by their ids."""
    folder, name = posixpath.split(part)
    relations = f"{folder}/_rels/{name}.rels"
    if not archive.has(relations):
        return {}
    targets = {
        each.get("Id", ""): posixpath.normpath(posixpath.join("/", folder, each.get("Target", "")))
        for each in collect_attributes(archive, relations, "Relationship")
        if each.get("Type", "").endswith(kind)
    }
    return {key: path[1:] for key, path in targets.items() if archive.has(path[1:])}


def collect_attributes(archive: Archive, part: str, name: str) -> list[Attributes]:
    references = _AttributeCollector(name)
    for _ in archive.walk(part, references, lambda: ""):
        pass
    return references.found
