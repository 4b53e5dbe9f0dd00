"""The words of Word and PowerPoint documents: ECMA-376, parts 1 (17, 19, 21) and 2 (9.3)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from bot.library.reading.archive import Archive, Attributes
from bot.library.reading.wordmath import WordFormula

_MOST_SLIDES = 2_000
_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_SKIPPED = frozenset({"Fallback", "tabs", "tabLst"})
"""A drawing once more for older programs; where tabs stop, whose elements are called `tab` too."""
_NOTES = "/notesSlide"


class _Words:
    """Paragraphs as lines, the cells of a table side by side, formulas in linear spelling."""

    def __init__(self) -> None:
        self._taken: list[str] = []
        self._in_text = False
        self._cells = 0
        self._skipped = 0
        """How deep in what is no text."""
        self._formula: WordFormula | None = None

    def start(self, name: str, attributes: Attributes) -> None:
        if self._skipped or name in _SKIPPED:
            self._skipped += 1
            return
        if name == "t":
            self._in_text = True
        if self._formula:
            self._start_in(self._formula, name, attributes)
        elif name == "oMath":
            self._formula = WordFormula()
        elif name == "tc":
            self._cells += 1
        elif name in _BREAKS:
            self._taken.append(_BREAKS[name])

    def _start_in(self, formula: WordFormula, name: str, attributes: Attributes) -> None:
        formula.begin(name, attributes)
        if name in _BREAKS:
            formula.text(_BREAKS[name])
        self._bound(formula)

    def _bound(self, formula: WordFormula) -> None:
        """What is no formula anyone writes is read as any other text."""
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
            self._end_in(self._formula)
        elif name == "p":
            self._taken.append(" " if self._cells else "\n")
        elif name == "tc":
            self._cells -= 1
            self._taken.append("\t")
        elif name == "tr":
            self._taken.append("\n")

    def _end_in(self, formula: WordFormula) -> None:
        if formula.depth:
            formula.end()
        else:
            self._taken.append(formula.spell())
            self._formula = None

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
    """The document, then its footnotes and endnotes."""
    parts = (
        archive.first("word/document", ".xml"),
        archive.first("word/footnotes", ".xml"),
        archive.first("word/endnotes", ".xml"),
    )
    for part in filter(None, parts):
        yield from _words(archive, part)
        yield "\n"


def read_pptx(archive: Archive) -> Iterator[str]:
    """The slides in the order of the show, each with its notes."""
    for number, slide in enumerate(_slides(archive)[:_MOST_SLIDES], start=1):
        yield f"\n[slide {number}]\n"
        yield from _words(archive, slide)
        for notes in _related(archive, slide, _NOTES).values():
            yield "\nNotes:\n"
            yield from _words(archive, notes)


def _words(archive: Archive, part: str) -> Iterator[str]:
    words = _Words()
    yield from archive.walk(part, words, words.take)


class _References:
    """The attributes of elements with a certain name."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.found: list[Attributes] = []

    def start(self, name: str, attributes: Attributes) -> None:
        if name == self._name:
            self.found.append(attributes)

    def end(self, name: str) -> None: ...

    def text(self, text: str) -> None: ...


def _slides(archive: Archive) -> list[str]:
    main = "ppt/presentation.xml"
    related = _related(archive, main, "/slide")
    listed = _elements(archive, main, "sldId")
    return [related[each[":id"]] for each in listed if each.get(":id", "") in related]


def _related(archive: Archive, part: str, kind: str) -> dict[str, str]:
    """The parts of that kind that a part refers to, by their ids."""
    folder, name = posixpath.split(part)
    relations = f"{folder}/_rels/{name}.rels"
    if not archive.has(relations):
        return {}
    targets = {
        each.get("Id", ""): posixpath.normpath(posixpath.join("/", folder, each.get("Target", "")))
        for each in _elements(archive, relations, "Relationship")
        if each.get("Type", "").endswith(kind)
    }
    return {key: path[1:] for key, path in targets.items() if archive.has(path[1:])}


def _elements(archive: Archive, part: str, name: str) -> list[Attributes]:
    references = _References(name)
    for _ in archive.walk(part, references, lambda: ""):
        pass
    return references.found
