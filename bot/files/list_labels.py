"""Number the lists and headings of Word and OpenDocument files: `2.`, `3.1`, `a)`, `Article IV -`.

Sources: ECMA-376, part 1, 17.9 (numbering) and 17.7 (styles); OASIS OpenDocument 1.3, part 3, 5.3
(lists), 16 (styles) and 19 (attributes). What they leave open is as LibreOffice has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from bot.errors import ToolFailed
from bot.files.archives import Archive, Attributes, ElementHandler, find_related
from bot.maths.reading.roman_numerals import write_roman

_LEVELS = 10
"""Levels of a list: nine in Word, ten in OpenDocument."""
_MOST_BLOCKS = 128
"""Most blocks of a part for styles or lists that are read: eight million bytes."""
_MOST_LISTS = 20_000
"""Most lists and styles of an OpenDocument file that are told apart."""
_LONGEST_FORMAT = 100
"""Most characters of the text around the numbers of a level."""
_LONGEST_LABEL = 200
_MOST_BASED = 20
"""Most styles that are based on each other."""
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Level:
    """How the items of one level of a list are numbered."""

    form: str = "none"
    """A number format of Word (17.18.59): `decimal`, `lowerLetter`, `bullet`; or `alphabetic`,
    which goes on with `aa`, `ab` after `z`. Numbers of any other format are decimal."""
    parts: tuple[str | int, ...] = ()
    """The label: words, and levels, from 0, whose numbers stand between them."""
    start: int = 1
    restart: int = _LEVELS
    """The deepest of the levels above it after whose items it begins anew; -1: it never does."""
    is_legal: bool = False
    """Whether all numbers of the label are decimal."""


_UNKNOWN = Level()


class ListCounter:
    """The numbers that the items of one list have reached."""

    def __init__(self) -> None:
        self._values: list[int | None] = [None] * _LEVELS

    def restart(self, at: int) -> None:
        """Begin anew with the numbers of a level, from 0, and of those below it."""
        self._values[at:] = [None] * (_LEVELS - at)

    def label(
        self,
        levels: Mapping[int, Level],
        at: int,
        start: int | None = None,
        language: str = "",
    ) -> str:
        """Count an item of level `at` and return its label with a space; empty if it has none.

        Args:
            start: the item's number, in place of the next one.
            language: of the document, for ordinal numbers.
        """
        for above in range(at):
            if self._values[above] is None:
                self._values[above] = levels.get(above, _UNKNOWN).start
        level, reached = levels.get(at, _UNKNOWN), self._values[at]
        if start is None:
            start = level.start if reached is None else reached + 1
        self._values[at] = start
        for below in range(at + 1, _LEVELS):
            if at <= levels.get(below, _UNKNOWN).restart:
                self._values[below] = None
        if level.form == "bullet":
            return f"{'  ' * at}- "
        label = " ".join("".join(self._spell(levels, level, language)).split())[:_LONGEST_LABEL]
        return f"{label} " if label else ""

    def _spell(self, levels: Mapping[int, Level], level: Level, language: str) -> Iterator[str]:
        """Yield the parts of a label; after a level without numbers, what leads on to the next one
        is left out."""
        is_left_out = False
        for at, part in enumerate(level.parts, start=1):
            if isinstance(part, str):
                yield "" if is_left_out and at < len(level.parts) else part
                is_left_out = False
                continue
            form, value = levels.get(part, _UNKNOWN).form, self._values[part]
            is_left_out = form == "none"
            if value is not None and form not in ("none", "bullet"):
                yield spell_number(value, "decimal" if level.is_legal else form, language)


_MOST_LETTERS, _MOST_ALPHABETIC = 780, 702
"""The largest numbers that are written in letters: thirty times z, as in Word, and `zz`."""
_MOST_ROMAN = 32_767


def spell_number(number: int, form: str, language: str = "") -> str:
    """Write a number in one of the formats of `Level.form`; decimal if that has none for it."""
    match form:
        case "decimalZero":
            return f"{number:02}"
        case "ordinal":
            return f"{number}{_ordinal_ending(number, language)}"
        case "lowerLetter" | "upperLetter" if 0 < number <= _MOST_LETTERS:
            text = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        case "alphabetic" | "upperAlphabetic" if 0 < number <= _MOST_ALPHABETIC:
            first = chr(ord("a") + (number - 1) // 26 - 1) if number > 26 else ""
            text = first + chr(ord("a") + (number - 1) % 26)
        case "lowerRoman" | "upperRoman" if 0 < number <= _MOST_ROMAN:
            text = write_roman(number)
        case _:
            return str(number)
    return text.upper() if form.startswith("upper") else text


def _ordinal_ending(number: int, language: str) -> str:
    if language.startswith("fr"):
        return "er" if number == 1 else "e"
    is_teen = number % 100 in (11, 12, 13)
    return "th" if is_teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def read_integer(written: str | None) -> int | None:
    """Return a small integer; None if the text is none."""
    return int(written) if written and _INTEGER.fullmatch(written) else None


def _split_format(text: str, mark: str) -> tuple[str | int, ...]:
    """Return the parts of a label; `mark` finds the levels, from 1, that stand in the text."""
    parts = re.split(mark, text[:_LONGEST_FORMAT])
    return tuple(int(part) - 1 if at % 2 else part for at, part in enumerate(parts) if part)


def _read_definitions(archive: Archive, part: str, handler: ElementHandler) -> None:
    """Send a part through `handler` as far as it can be read: without it, only numbers are
    missing."""
    with suppress(ToolFailed):
        for _ in islice(archive.walk(part, handler, lambda: ""), _MOST_BLOCKS):
            pass


# Word --------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _WordStyle:
    based_on: str = ""
    number: str | None = None
    """Its `numId`; `0` removes a number."""
    level: int | None = None


@dataclass(slots=True)
class _Description:
    """A description of lists (`abstractNum`), which share their numbers."""

    levels: dict[int, Level] = field(default_factory=dict[int, Level])
    levels_of_styles: dict[str, int] = field(default_factory=dict[str, int])
    style: str = ""
    """The numbering style whose description is meant (17.9.21)."""
    counter: ListCounter = field(default_factory=ListCounter)


@dataclass(slots=True)
class _WordList:
    """A list (`num`), with what it changes of its description."""

    described_by: str = ""
    levels: dict[int, Level] = field(default_factory=dict[int, Level])
    starts: dict[int, int] = field(default_factory=dict[int, int])
    """The first numbers of levels that begin anew when the list first comes to them."""


class WordNumbering:
    """The lists of a Word document, by its parts for styles and numbering.

    What is missing or wrong in these parts leaves paragraphs without numbers.
    """

    def __init__(self, archive: Archive, main: str) -> None:
        self._styles, lists = _WordStyles(), _WordLists()
        for part in find_related(archive, main, "/styles").values():
            _read_definitions(archive, part, self._styles)
        for part in find_related(archive, main, "/numbering").values():
            _read_definitions(archive, part, lists)
        self._lists: dict[str, tuple[_WordList, _Description]] = {}
        for name, each in lists.lists.items():
            if described := self._find_description(lists, each):
                each.levels = _merge_levels(described.levels, each)
                self._lists[name] = each, described
        self._places: dict[str, tuple[str, int]] = {}

    def _find_description(self, lists: _WordLists, each: _WordList) -> _Description | None:
        described = lists.descriptions.get(each.described_by)
        if described and described.style and not described.levels:
            style = self._styles.found.get(described.style)
            linked = lists.lists.get(style.number or "") if style else None
            return lists.descriptions.get(linked.described_by) if linked else None
        return described

    def label(self, style: str, number: str | None, level: int | None) -> str:
        """Count a paragraph and return its label with a space; empty if it has none.

        Args:
            style: the paragraph's style; empty: the default.
            number: its own `numId`; None: that of its style.
            level: its own `ilvl`; None: that of its style.
        """
        if style not in self._places:
            self._places[style] = self._find_place(style or self._styles.default)
        number_of_style, level_of_style = self._places[style]
        at = level_of_style if level is None else level
        found = self._lists.get(number_of_style if number is None else number)
        if not found or not 0 <= at < _LEVELS:
            return ""
        each, described = found
        start = each.starts.pop(at, None)
        return described.counter.label(each.levels, at, start, self._styles.language)

    def _find_place(self, style: str) -> tuple[str, int]:
        """Return the `numId` and the level of a paragraph style, its own or inherited. The level
        that names the style comes first (17.9.23)."""
        names: list[str] = []
        level: int | None = None
        while (each := self._styles.found.get(style)) and len(names) < _MOST_BASED:
            names.append(style)
            level = each.level if level is None else level
            if each.number is not None:
                found = self._lists.get(each.number)
                named = found[1].levels_of_styles if found else {}
                levels = [named[name] for name in names if name in named]
                return each.number, (levels or [level or 0])[0]
            style = each.based_on
        return "", level or 0


def _merge_levels(levels: dict[int, Level], each: _WordList) -> dict[int, Level]:
    if not each.levels and not each.starts:
        return levels
    merged = levels | each.levels
    starts = {
        at: replace(merged.get(at, _UNKNOWN), start=start) for at, start in each.starts.items()
    }
    return merged | starts


class _WordStyles(ElementHandler):
    """Handles the elements of a part for styles."""

    def __init__(self) -> None:
        self.found: dict[str, _WordStyle] = {}
        self.default = ""
        """The paragraph style of paragraphs without one."""
        self.language = ""
        self._open: _WordStyle | None = None

    def start(self, name: str, attributes: Attributes) -> None:
        value = attributes.get(":val", "")
        if name == "style":
            self._open = _WordStyle()
            style = attributes.get(":styleId", "")
            self.found[style] = self._open
            is_default = attributes.get(":default") in ("1", "true", "on")
            if is_default and attributes.get(":type") == "paragraph":
                self.default = style
        elif not self._open:
            if name == "lang":
                self.language = value
        elif name == "basedOn":
            self._open.based_on = value
        elif name == "numId":
            self._open.number = value
        elif name == "ilvl":
            self._open.level = read_integer(value)


class _WordLists(ElementHandler):
    """Handles the elements of a part for numbering."""

    def __init__(self) -> None:
        self.descriptions: dict[str, _Description] = {}
        self.lists: dict[str, _WordList] = {}
        self._open: _Description | _WordList = _Description()
        self._at = 0
        """The open level, or the one that is changed."""
        self._level: dict[str, str] | None = None
        """The values of the elements of the open level."""

    def start(self, name: str, attributes: Attributes) -> None:
        value = attributes.get(":val", "")
        if self._level is not None:
            self._level.setdefault(name, value)
        elif name == "abstractNum":
            self._open = _Description()
            self.descriptions[attributes.get(":abstractNumId", "")] = self._open
        elif name == "num":
            self._open = _WordList()
            self.lists[attributes.get(":numId", "")] = self._open
        elif name in ("lvl", "lvlOverride"):
            at = read_integer(attributes.get(":ilvl"))
            self._at = -1 if at is None else at
            self._level = {} if name == "lvl" else None
        elif isinstance(self._open, _WordList):
            self._change(self._open, name, value)
        elif name == "numStyleLink":
            self._open.style = value

    def _change(self, each: _WordList, name: str, value: str) -> None:
        if name == "abstractNumId":
            each.described_by = value
        elif name == "startOverride" and 0 <= self._at < _LEVELS:
            each.starts[self._at] = read_integer(value) or 0

    def end(self, name: str) -> None:
        if name != "lvl" or self._level is None:
            return
        values, self._level = self._level, None
        if not 0 <= self._at < _LEVELS:
            return
        self._open.levels[self._at] = _make_word_level(values, self._at)
        if isinstance(self._open, _Description) and "pStyle" in values:
            self._open.levels_of_styles.setdefault(values["pStyle"], self._at)


def _make_word_level(values: Mapping[str, str], at: int) -> Level:
    restart = read_integer(values.get("lvlRestart"))
    return Level(
        values.get("numFmt", "decimal"),
        _split_format(values.get("lvlText", ""), "%([1-9])"),
        read_integer(values.get("start")) or 0,
        at - 1 if restart is None or restart > at else restart - 1,
        values.get("isLgl", "0") not in ("0", "false", "off"),
    )


# OpenDocument ------------------------------------------------------------------------------------

_DEFINITIONS = frozenset(
    {
        "style",
        "list-style",
        "outline-style",
        "list-level-style-number",
        "list-level-style-bullet",
        "list-level-style-image",
        "outline-level-style",
    }
)
LIST_ELEMENTS = _DEFINITIONS | {"list", "list-item", "list-header"}
"""Elements of the content that `OpenDocumentNumbering` handles."""
_ODF_FORMS: Final = {"": "none", "1st": "ordinal", "i": "lowerRoman", "I": "upperRoman"}
_ODF_LETTERS: Final = {
    "a": ("alphabetic", "lowerLetter"),
    "A": ("upperAlphabetic", "upperLetter"),
}
"""Formats of letters: `aa` is followed by `ab`, or by `bb` (`num-letter-sync`)."""


class _OpenDocumentStyles(ElementHandler):
    """Handles the elements that describe lists, headings and paragraphs."""

    def __init__(self) -> None:
        self._open: dict[int, Attributes] = {}
        """The attributes of the levels of the open list style."""
        self._described: dict[str, dict[int, Attributes]] = {"": self._open}
        self._levels: dict[str, dict[int, Level]] = {}
        self._paragraphs: dict[str, tuple[str | None, str]] = {}
        """The list style of each paragraph style, and the style that it is based on."""

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "style":
            is_within = len(self._paragraphs) < _MOST_LISTS
            if attributes.get(":family") == "paragraph" and is_within:
                self._paragraphs[attributes.get(":name", "")] = (
                    attributes.get(":list-style-name"),
                    attributes.get(":parent-style-name", ""),
                )
        elif name in ("list-style", "outline-style"):
            self._open = {}
            if len(self._described) < _MOST_LISTS:
                style = _OUTLINE if name == "outline-style" else attributes.get(":name", "")
                self._described[style] = self._open
        elif name in _DEFINITIONS:
            at = read_integer(attributes.get(":level"))
            if at is not None and 1 <= at <= _LEVELS:
                kind = "•" if name.endswith(("bullet", "image")) else ""
                self._open[at - 1] = attributes | {"kind": kind}

    def find_list_style(self, paragraph_style: str) -> str | None:
        """Return the list style of a paragraph style, its own or inherited; empty if it forbids
        numbers; None if there is none."""
        for _ in range(_MOST_BASED):
            style, based_on = self._paragraphs.get(paragraph_style, (None, ""))
            if style is not None:
                return style
            paragraph_style = based_on
        return None

    def find_levels(self, style: str) -> dict[int, Level]:
        """Return the levels of a list style; none if it is not described."""
        if style not in self._levels:
            described = self._described.get(style, {}) if style else {}
            self._levels[style] = {at: _make_odf_level(described, at) for at in described}
        return self._levels[style]


def _find_odf_form(attributes: Attributes) -> str:
    if attributes.get("kind"):
        return "bullet"
    form = attributes.get(":num-format", "")
    if letters := _ODF_LETTERS.get(form):
        return letters[attributes.get(":num-letter-sync") == "true"]
    return "decimalZero" if form.startswith("0") else _ODF_FORMS.get(form, "decimal")


def _make_odf_level(described: Mapping[int, Attributes], at: int) -> Level:
    """Return a level of a list style. LibreOffice writes its label also as one format."""
    attributes = described[at]
    start = read_integer(attributes.get(":start-value"))
    count = read_integer(attributes.get(":display-levels")) or 1
    numbers: list[str | int] = []
    for above in range(max(0, at - count + 1), at + 1):
        if _find_odf_form(described.get(above, {})) not in ("none", "bullet"):
            numbers += [".", above] if numbers else [above]
    prefix = attributes.get(":num-prefix", "")[:_LONGEST_FORMAT]
    suffix = attributes.get(":num-suffix", "")[:_LONGEST_FORMAT]
    whole = attributes.get(":num-list-format", "")
    return Level(
        _find_odf_form(attributes),
        _split_format(whole, "%(10|[1-9])%") if whole else (prefix, *numbers, suffix),
        1 if start is None else start,
    )


_OUTLINE = " outline"
"""The style of headings, under a name that no list style has (names hold no space)."""


@dataclass(slots=True)
class _OpenList:
    """A list whose items are being read."""

    style: str
    item_style: str = ""
    """The style of the open item."""
    start: int | None = None
    """The number that the open item is given."""
    awaits_label: bool = False
    """Whether the first paragraph of the open item has not come."""


class OpenDocumentNumbering:
    """The lists and headings of an OpenDocument file, while its content is read.

    What is missing or wrong in its styles leaves them without numbers.
    """

    def __init__(self, archive: Archive) -> None:
        self._styles = _OpenDocumentStyles()
        if archive.has("styles.xml"):
            _read_definitions(archive, "styles.xml", self._styles)
        self._open: list[_OpenList] = []
        self._counter = ListCounter()
        """That of the last list."""
        self._last_style = ""
        self._by_id: dict[str, ListCounter] = {}
        self._headings = ListCounter()

    def start(self, name: str, attributes: Attributes) -> None:
        """Handle the start of one of `LIST_ELEMENTS`."""
        if name == "list":
            parent = self._open[-1] if self._open else None
            style = attributes.get(":style-name") or (parent.item_style if parent else "")
            if parent is None:
                self._begin(style, attributes)
            elif not parent.awaits_label and attributes.get(":continue-numbering") != "true":
                self._counter.restart(len(self._open))
            self._open.append(_OpenList(style, style))
        elif name in _DEFINITIONS:
            self._styles.start(name, attributes)
        elif self._open:
            item = self._open[-1]
            item.item_style = attributes.get(":style-override", item.style)
            item.start = read_integer(attributes.get(":start-value"))
            item.awaits_label = name == "list-item"

    def _begin(self, style: str, attributes: Attributes) -> None:
        """Begin a list that is in no other: anew, or where another one ended."""
        continued = self._by_id.get(attributes.get(":continue-list", ""))
        is_continued = attributes.get(":continue-numbering") == "true"
        if continued:
            self._counter = continued
        elif not is_continued or style != self._last_style:
            self._counter = ListCounter()
        self._last_style = style
        if (name := attributes.get(":id", "")) and len(self._by_id) < _MOST_LISTS:
            self._by_id[name] = self._counter

    def end(self, name: str) -> None:
        if name == "list" and self._open:
            self._open.pop()

    def label(self, name: str, attributes: Attributes) -> str:
        """Count a paragraph or a heading (`p`, `h`) and return its label with a space; empty if it
        has none."""
        style = self._styles.find_list_style(attributes.get(":style-name", ""))
        if not self._open:
            is_numbered = name == "h" and style != ""
            return self._label_heading(attributes) if is_numbered else ""
        item = self._open[-1]
        if not item.awaits_label:
            return ""
        item.awaits_label = False
        levels = self._styles.find_levels(item.item_style or style or "")
        at = min(len(self._open), _LEVELS) - 1
        return self._counter.label(levels, at, item.start)

    def _label_heading(self, attributes: Attributes) -> str:
        at = read_integer(attributes.get(":outline-level")) or 1
        if attributes.get(":is-list-header") == "true" or not 1 <= at <= _LEVELS:
            return ""
        levels = self._styles.find_levels(_OUTLINE)
        start = read_integer(attributes.get(":start-value"))
        if attributes.get(":restart-numbering") != "true":
            start = None
        elif start is None:
            start = levels.get(at - 1, _UNKNOWN).start
        return self._headings.label(levels, at - 1, start)
