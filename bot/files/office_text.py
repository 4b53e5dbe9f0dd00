"""Read the text of Office documents (Word, PowerPoint, Excel, OpenDocument), which are zips of XML.

Zips are opened within limits, and their XML is read as a stream. Sources: ECMA-376, parts 1 (17,
19, 21) and 2 (9.3); OASIS OpenDocument 1.3, part 3.
"""

from __future__ import annotations

import datetime
import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, Protocol
from xml.parsers import expat

from bot.errors import ToolFailed
from bot.files.formula_elements import WordFormula

MAX_PART = 200_000_000
"""Most bytes of one unpacked part."""
MAX_PARTS = 20_000
MAX_DEPTH = 500
"""Most levels of nested elements."""
_BLOCK = 65_536
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
_BROKEN = "The file is damaged and cannot be read. Ask the person to send it again."
Attributes = dict[str, str]


class ElementHandler(Protocol):
    """Handles the elements of an XML stream. Names come without their namespaces; the name of an
    attribute that had one begins with a colon: `:id` differs from `id`."""

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

    def total(self) -> int:
        """Return the bytes of all unpacked parts, as the zip declares them; never more come out."""
        return sum(info.file_size for info in self._zip.infolist())

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
                raise ToolFailed(_BROKEN)
            if info.file_size > MAX_PART:
                raise ToolFailed("The file unfolds to more than can be read. Ask for a part of it.")
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
            walk.start(
                _strip_namespace(name),
                {_mark_attribute(key): value for key, value in attributes.items()},
            )

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


def _strip_namespace(name: str) -> str:
    """Return the name without its namespace, the only difference of two Open XML dialects."""
    return name.rpartition(" ")[2]


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
        KeyError,
        EOFError,
        OSError,
        ValueError,
        NotImplementedError,
        struct.error,
        zlib.error,
    ) as error:
        raise ToolFailed(_BROKEN) from error


_MOST_SLIDES = 2_000
_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_SKIPPED_XML = frozenset({"Fallback", "tabs", "tabLst"})
"""A drawing repeated for older programs; lists of tab stops, whose elements are `tab` too."""
_NOTES = "/notesSlide"


class _OpenXmlText:
    """Text with a line for each paragraph, table cells side by side, and formulas in one line."""

    def __init__(self) -> None:
        self._taken: list[str] = []
        self._in_text = False
        self._cells = 0
        self._skipped = 0
        """Number of open elements within one that is skipped."""
        self._formula: WordFormula | None = None

    def start(self, name: str, attributes: Attributes) -> None:
        if self._skipped or name in _SKIPPED_XML:
            self._skipped += 1
            return
        if name == "t":
            self._in_text = True
        if self._formula:
            self._formula.begin(name, attributes)
            if name in _BREAKS:
                self._formula.text(_BREAKS[name])
            self._bound(self._formula)
        elif name == "oMath":
            self._formula = WordFormula()
        elif name == "tc":
            self._cells += 1
        elif name in _BREAKS:
            self._taken.append(_BREAKS[name])

    def _bound(self, formula: WordFormula) -> None:
        """Write a formula that is too large or too deep as ordinary text."""
        if formula.is_beyond_bounds:
            self._taken.append(formula.spell())
            self._formula = None

    def end(self, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
            return
        if name == "t":
            self._in_text = False
        if self._formula:
            if self._formula.depth:
                self._formula.end()
            else:
                self._taken.append(self._formula.spell())
                self._formula = None
        elif name == "p":
            self._taken.append(" " if self._cells else "\n")
        elif name == "tc":
            self._cells -= 1
            self._taken.append("\t")
        elif name == "tr":
            self._taken.append("\n")

    def text(self, text: str) -> None:
        if not self._in_text or self._skipped:
            return
        if self._formula:
            self._formula.text(text)
            self._bound(self._formula)
        else:
            self._taken.append(text)

    def take(self) -> str:
        taken = "".join(self._taken).replace(" \t", "\t")
        self._taken.clear()
        return taken


def read_docx(archive: Archive) -> Iterator[str]:
    """Yield the document, then its footnotes and endnotes."""
    parts = (
        archive.first("word/document", ".xml"),
        archive.first("word/footnotes", ".xml"),
        archive.first("word/endnotes", ".xml"),
    )
    for part in filter(None, parts):
        yield from _read_part(archive, part)
        yield "\n"


def read_pptx(archive: Archive) -> Iterator[str]:
    """Yield the slides in the order of the show, each with its notes."""
    main = "ppt/presentation.xml"
    related = _find_related(archive, main, "/slide")
    listed = _collect_attributes(archive, main, "sldId")
    for number, slide in enumerate(
        [related[each[":id"]] for each in listed if each.get(":id", "") in related][:_MOST_SLIDES],
        start=1,
    ):
        yield f"\n[slide {number}]\n"
        yield from _read_part(archive, slide)
        for notes in _find_related(archive, slide, _NOTES).values():
            yield "\nNotes:\n"
            yield from _read_part(archive, notes)


def _read_part(archive: Archive, part: str) -> Iterator[str]:
    words = _OpenXmlText()
    yield from archive.walk(part, words, words.take)


class _AttributeCollector:
    """The attributes of all elements of one name; of all elements if the name is empty."""

    def __init__(self, name: str = "") -> None:
        self._name = name
        self.found: list[Attributes] = []

    def start(self, name: str, attributes: Attributes) -> None:
        if self._name in ("", name):
            self.found.append(attributes)

    def end(self, name: str) -> None: ...

    def text(self, text: str) -> None: ...


def _find_related(archive: Archive, part: str, kind: str) -> dict[str, str]:
    """Return the parts of that kind that a part refers to, by their ids."""
    folder, name = posixpath.split(part)
    relations = f"{folder}/_rels/{name}.rels"
    if not archive.has(relations):
        return {}
    targets = {
        each.get("Id", ""): posixpath.normpath(posixpath.join("/", folder, each.get("Target", "")))
        for each in _collect_attributes(archive, relations, "Relationship")
        if each.get("Type", "").endswith(kind)
    }
    return {key: path[1:] for key, path in targets.items() if archive.has(path[1:])}


def _collect_attributes(archive: Archive, part: str, name: str) -> list[Attributes]:
    references = _AttributeCollector(name)
    for _ in archive.walk(part, references, lambda: ""):
        pass
    return references.found


_MOST_REPEATED = 50
"""Most spaces or cells that one element may stand for; a file may claim a billion."""
_SKIPPED_ODF = frozenset(
    {"tracked-changes", "annotation", "annotation-end", "forms", "font-face-decls"}
)
_PARAGRAPHS = frozenset({"p", "h"})


class _OpenDocumentText:
    """Text with a line for each paragraph, and cells side by side."""

    def __init__(self) -> None:
        self._taken: list[str] = []
        self._paragraphs = 0
        self._cells: list[int] = []
        """The number of repetitions of each open cell."""
        self._skipped = 0
        self._pages = 0
        self._has_sheets = False

    def start(self, name: str, attributes: Attributes) -> None:
        if self._skipped or name in _SKIPPED_ODF:
            self._skipped += 1
        elif name in _PARAGRAPHS:
            self._paragraphs += 1
        elif name == "table-cell":
            self._cells.append(_read_count(attributes.get(":number-columns-repeated")))
        elif self._paragraphs:
            if name == "s":
                self._taken.append(" " * _read_count(attributes.get(":c")))
            elif name == "tab":
                self._taken.append("\t")
            elif name == "line-break":
                self._taken.append("\n")
        else:
            self._begin(name, attributes)

    def _begin(self, name: str, attributes: Attributes) -> None:
        if name == "page":
            self._pages += 1
            self._taken.append(f"\n[slide {self._pages}]\n")
        elif name == "spreadsheet":
            self._has_sheets = True
        elif name == "table" and self._has_sheets and not self._cells:
            self._taken.append(f"\n[sheet {attributes.get(':name', '')[:60]}]\n")

    def end(self, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
        elif name in _PARAGRAPHS:
            self._paragraphs -= 1
            self._taken.append(" " if self._cells else "\n")
        elif name == "table-cell" and self._cells:
            self._taken.append("\t" * self._cells.pop())
        elif name == "table-row":
            self._taken.append("\n")

    def text(self, text: str) -> None:
        if self._paragraphs and not self._skipped:
            self._taken.append(text)

    def take(self) -> str:
        taken = "".join(self._taken).replace(" \t", "\t")
        self._taken.clear()
        return taken


def read_opendocument(archive: Archive) -> Iterator[str]:
    """Yield all text of the document, in order."""
    words = _OpenDocumentText()
    yield from archive.walk("content.xml", words, words.take)


def _read_count(written: str | None) -> int:
    with suppress(ValueError):
        return max(1, min(int(written or 1), _MOST_REPEATED))
    return 1


_MAX_UNPACKED = 200_000_000
_MOST_ROWS = 200_000
"""Most rows of a sheet; empty ones before the last count too."""
_MOST_CELLS = 500
"""Most cells of a row."""
_MOST_SHEETS = 200
_MIDNIGHT = datetime.time()


def read_xlsx(content: bytes, archive: Archive) -> Iterator[str]:
    """Yield each sheet after its name, its last computed cells separated by tabs."""
    if archive.total() > _MAX_UNPACKED:
        raise ToolFailed("The workbook unfolds to more than can be read. Ask for a part of it.")
    for name in archive.names:
        if name.endswith((".xml", ".rels")):
            archive.check(name)
    try:
        import openpyxl  # only when there is a workbook: slow to load

        library: Any = openpyxl
        book = library.load_workbook(
            io.BytesIO(content), read_only=True, data_only=True, keep_links=False
        )
        for sheet in book.worksheets[:_MOST_SHEETS]:
            yield f"\n[sheet {' '.join(sheet.title.split())[:60]}]\n"
            sheet.reset_dimensions()  # the size that the file declares may be wrong
            rows = sheet.iter_rows(max_row=_MOST_ROWS, values_only=True)
            for row in rows:
                line = "\t".join(map(_write_cell, list(row)[:_MOST_CELLS])).rstrip("\t")
                if line:
                    yield f"{line}\n"
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, OSError) as error:
        # openpyxl raises these for workbooks with missing or wrong content.
        raise ToolFailed(
            "The workbook cannot be read. Ask the person to save it anew, or as CSV."
        ) from error


def _write_cell(value: object) -> str:
    """Write a cell's value as short as possible without losing anything."""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case float():
            return f"{value:.15g}"
        case datetime.datetime():
            return str(value.date() if value.time() == _MIDNIGHT else value)
        case _:
            return " ".join(str(value).split())
