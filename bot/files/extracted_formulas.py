"""Write mathematics in one line: `(a+b)/c`, `x^(n+1)`, `√(x+1)`, with brackets where needed.

`formula_elements.py` maps the elements of a file to these structures.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import chain, pairwise
from typing import NamedTuple


class Kind(Enum):
    """The role of a piece next to its neighbours."""

    ATOM = auto()
    """A letter, a number, or anything between brackets."""
    WORD = auto()
    """A name such as `sin`, or words between formulas."""
    INDEX = auto()
    POWER = auto()
    """A power or a root."""
    PRODUCT = auto()
    FRACTION = auto()
    TABLE = auto()
    LARGE = auto()
    """A sum, an integral or a limit, followed by its argument."""
    OPERATOR = auto()
    OPEN = auto()
    CLOSE = auto()
    SPACE = auto()
    SEQUENCE = auto()
    """A run with operators in it: needs brackets wherever it is a part of something."""


class Piece(NamedTuple):
    text: str
    kind: Kind


Run = list[Piece]
"""Pieces side by side."""
_OPENING, _CLOSING, _BARS = "([{⟨⌈⌊⟦", ")]}⟩⌉⌋⟧", "|‖∣∥"
_LARGE = "∑∏∐∫∬∭∮⋃⋂⨁⨂⋁⋀"
_AFTER = "!%‰°′″‴"
"""Signs that belong to the piece before them."""
_PRIMES = frozenset("'′″‴")
_RELATIONS = frozenset("=<>≤≥≠≈≡∼≃→⇒⇔∈⊂∝")
_LIMITS = frozenset({"lim", "max", "min", "sup", "inf"})
_ROOTS = {"": "√", "3": "∛", "4": "∜"}
_ACCENTS = {
    "→": "\u20d7", "¯": "\u0305", "‾": "\u0305", "ˉ": "\u0305", "―": "\u0305", "_": "\u0332",
    "^": "\u0302", "ˆ": "\u0302", "~": "\u0303", "˜": "\u0303", "˙": "\u0307", "¨": "\u0308",
    "ˇ": "\u030c",
}  # fmt: skip
"""Combining marks for signs over or under a letter."""
_MARKS = "\u0300-\u036f\u20d0-\u20ff"
_SIGN = re.compile(rf"\d+(?:\.\d+)?|\s+|[\s\S][{_MARKS}]*")
_INVISIBLE = re.compile("[\u200b\u2061-\u2064]")
_ITALIC = re.compile("[\U0001d434-\U0001d467\U0001d6e2-\U0001d71b\u210e]")
"""Letters whose slant has no meaning."""
_FACTORS = frozenset({Kind.ATOM, Kind.WORD, Kind.INDEX, Kind.POWER, Kind.PRODUCT, Kind.FRACTION})
_NUMERATORS = frozenset({Kind.ATOM, Kind.WORD, Kind.INDEX, Kind.POWER, Kind.PRODUCT})
_DENOMINATORS = _NUMERATORS - {Kind.PRODUCT}
_SIGNS = frozenset({Kind.OPERATOR, Kind.OPEN, Kind.CLOSE, Kind.LARGE})
_SINGLE = _SIGNS | {Kind.ATOM, Kind.WORD}
_LOOSE = frozenset({Kind.OPERATOR, Kind.WORD, Kind.LARGE, Kind.SPACE, Kind.TABLE, Kind.FRACTION})
_ENDED = frozenset({Kind.INDEX, Kind.POWER, Kind.FRACTION, Kind.CLOSE})


def read_signs(text: str) -> Run:
    """Return the characters of a formula as single pieces; the digits of a number are one piece."""
    plain = _ITALIC.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    return [Piece(sign, _kind(sign)) for sign in _SIGN.findall(_INVISIBLE.sub("", plain))]


def read_words(text: str) -> Run:
    """Return a name of several letters, or words, as one piece; other text is read as signs."""
    line = " ".join(text.split())
    return [Piece(line, Kind.WORD)] if line[:1].isalpha() and line[1:] else read_signs(line)


def _kind(sign: str) -> Kind:
    if sign[0].isalnum() or sign in _AFTER:
        return Kind.ATOM
    if sign.isspace():
        return Kind.SPACE
    if sign in _LARGE:
        return Kind.LARGE
    if sign in _OPENING:
        return Kind.OPEN
    return Kind.CLOSE if sign in _CLOSING else Kind.OPERATOR


def join(run: Sequence[Piece]) -> Piece:
    """Return the run as one piece."""
    if len(run) == 1:
        return run[0]
    tidy = _bracket_parts([piece for piece in run if piece.text])
    gaps = ("", *(" " * _needs_gap(left, right) for left, right in pairwise(tidy)))
    text = "".join(chain.from_iterable(zip(gaps, map(_spell_piece, tidy), strict=False)))
    return Piece(text.strip(" "), _kind_of(tidy))


def _spell_piece(piece: Piece) -> str:
    if piece.kind is Kind.SPACE:
        return "\n" if "\n" in piece.text else " "
    return piece.text


def _bracket_parts(run: Sequence[Piece]) -> Run:
    """Return the run, with brackets around fractions and tables that would merge with their
    neighbours."""
    tidy = list(run)
    visible = [at for at, piece in enumerate(run) if piece.kind is not Kind.SPACE]
    nothing = Piece("", Kind.OPERATOR)
    for place, at in enumerate(visible):
        before = run[visible[place - 1]] if place else nothing
        after = run[visible[place + 1]] if place + 1 < len(visible) else nothing
        if run[at].kind is Kind.FRACTION and _touches(before, run[at], after):
            tidy[at] = _bracketed(run[at])
        elif run[at].kind is Kind.TABLE and before.kind is not Kind.OPEN:
            tidy[at] = run[at] if before.text in _BARS and place else _bracketed(run[at])
    return tidy


def _touches(before: Piece, fraction: Piece, after: Piece) -> bool:
    if after.kind in _FACTORS | {Kind.OPEN, Kind.LARGE} or "/" in (before.text, after.text):
        return True
    is_mixed = before.text.isdecimal() and fraction.text.replace("/", "").isdecimal()
    return before.kind in _FACTORS | {Kind.CLOSE} and not is_mixed


def _needs_gap(left: Piece, right: Piece) -> bool:
    if Kind.SPACE in (left.kind, right.kind) or not (left.text and right.text):
        return False
    first, last = right.text[0], left.text[-1]
    if left.kind is Kind.LARGE:
        return right.kind is not Kind.CLOSE
    if left.kind is Kind.WORD and first in _OPENING:
        return not left.text.isalpha()
    if Kind.WORD in (left.kind, right.kind) or right.kind in (Kind.LARGE, Kind.FRACTION):
        return (last.isalnum() or last in _CLOSING) and (first.isalnum() or right.kind in _SHOWN)
    if left.kind not in _ENDED or not last.isalnum():
        return False
    return first.isalnum() or first == "√" or (first in _OPENING and left.kind is not Kind.INDEX)


_SHOWN = _FACTORS | {Kind.LARGE}


def _kind_of(run: Sequence[Piece]) -> Kind:
    """Return the kind of several pieces together."""
    depth, is_loose, is_group = 0, False, bool(run)
    for at, piece in enumerate(run):
        depth += (piece.kind is Kind.OPEN) - (piece.kind is Kind.CLOSE)
        if depth < 0:
            return Kind.SEQUENCE
        is_loose = is_loose or (not depth and piece.kind in _LOOSE)
        is_group = is_group and (depth > 0) == (at < len(run) - 1)
    bars = [at for at, piece in enumerate(run) if piece.text in _BARS]
    if (bool(run) and bars == [0, len(run) - 1]) or (is_group and run[-1].text in _CLOSING):
        return Kind.ATOM
    return Kind.SEQUENCE if depth or is_loose else Kind.PRODUCT if run else Kind.ATOM


def _bracketed(piece: Piece) -> Piece:
    marks = "[]" if piece.kind is Kind.TABLE else "()"
    return Piece(f"{marks[0]}{piece.text}{marks[1]}", Kind.ATOM)


def _part(run: Sequence[Piece], bare: Iterable[Kind]) -> Piece:
    """Return the run as a part of something: in brackets unless its kind is one of `bare`."""
    piece = join(run)
    is_words = piece.kind is Kind.WORD and " " in piece.text
    if not piece.text or (piece.kind in bare and not is_words):
        return piece
    return _bracketed(piece)


def fraction(above: Run, below: Run) -> Piece:
    parts = _part(above, _NUMERATORS).text, _part(below, _DENOMINATORS).text
    return Piece("/".join(parts), Kind.FRACTION)


def choose(above: Run, below: Run) -> Piece:
    """Write one expression over another without a line, as in binomial coefficients."""
    parts = _part(above, _NUMERATORS).text, _part(below, _NUMERATORS).text
    return Piece(" choose ".join(parts), Kind.SEQUENCE)


def script(base: Run, below: Run, above: Run) -> Piece:
    """Write the base with an index (`below`) and a power (`above`)."""
    bare = _SINGLE | {Kind.INDEX} if above else _SINGLE
    held, under, over = _part(base, bare), _script("_", below), _script("^", above)
    kind = Kind.POWER if over else Kind.INDEX if under else held.kind
    raised = join(above).text
    if raised and _PRIMES.issuperset(raised):
        over, kind = raised, Kind.INDEX if under else held.kind
    elif raised in ("∘", "°"):
        over, kind = "°", Kind.ATOM
    if held.kind in _SIGNS or held.kind is Kind.WORD:
        kind = Kind.LARGE if held.text in _LIMITS else held.kind
    return Piece(f"{held.text}{under}{over}", kind)


def _script(mark: str, run: Run) -> str:
    piece = _part(run, _SINGLE)
    if piece.text.startswith("(") and join(run).text == piece.text != "(":
        piece = _bracketed(piece)  # f^((n)) is a derivative, f^(n+1) a power
    return f"{mark}{piece.text}" if piece.text else ""


def limits(base: Run, below: Run, above: Run) -> Piece:
    """Write `below` and `above` right under and over the base."""
    held = join(base)
    mark = _ACCENTS.get(join(above or below).text, "")
    if mark and not (above and below):
        return accent(base, mark)
    if held.kind is Kind.WORD:
        return Piece(script([held], below, above).text, Kind.LARGE)
    if held.kind in _SIGNS or held.text.endswith(("⏞", "⏟")):
        return script([held._replace(kind=Kind.OPERATOR)], below, above)._replace(kind=held.kind)
    over = f"┴{_part(above, _SINGLE).text}" if above else ""
    return Piece(f"{script(base, below, []).text}{over}", Kind.INDEX)


def accent(base: Run, mark: str) -> Piece:
    """Write the base with an arrow, a line or a brace over or under it."""
    piece = join(base)
    letters = sum(not unicodedata.combining(sign) for sign in piece.text)
    is_held = piece.kind is Kind.ATOM and piece.text[:1] in _OPENING
    held = piece if letters < 2 or is_held else _bracketed(piece)
    return Piece(f"{held.text}{_ACCENTS.get(mark, mark)}", Kind.ATOM)


def root(degree: Run, body: Run) -> Piece:
    number, piece = join(degree).text, join(body)
    is_bare = piece.kind is Kind.ATOM or not piece.text
    held = piece if is_bare else _bracketed(piece)
    return Piece(f"{_ROOTS.get(number) or f'√[{number}]'}{held.text}", Kind.POWER)


def fence(opening: str, parts: Sequence[Run], separator: str, closing: str) -> Piece:
    """Write the parts between brackets, of which one or both may be missing."""
    within = separator.join(join(part).text for part in parts)
    kind = Kind.ATOM if opening and closing else Kind.SEQUENCE
    return Piece(f"{opening}{within}{closing}", kind)


def row(cells: Sequence[Run]) -> Piece:
    """Return one line of a table; cells are separated by commas, except next to a relation."""
    text = ""
    for number, cell in enumerate(cells):
        said = _part(cell, frozenset(Kind) - {Kind.TABLE}).text
        is_joined = not number or said[:1] in _RELATIONS or text[-1:] in _RELATIONS
        text += said if is_joined else f", {said}"
    return Piece(text, Kind.SEQUENCE)


def table(rows: Iterable[Piece]) -> Piece:
    return Piece("; ".join(each.text for each in rows if each.text), Kind.TABLE)


_MOST = 10_000
"""Most characters and elements of one formula."""
_DEEPEST = 100
"""Most levels of nested elements in a formula."""


@dataclass(slots=True)
class Part:
    """An element of a formula, and the pieces that its children were written as."""

    name: str
    settings: dict[str, str]
    children: list[tuple[str, Run]] = field(default_factory=list[tuple[str, Run]])
    """The results of its children, with their names; text has an empty name."""

    @property
    def raw(self) -> str:
        """The text directly in the element."""
        return "".join(piece.text for name, run in self.children if not name for piece in run)

    @property
    def elements(self) -> list[Run]:
        return [run for name, run in self.children if name]

    @property
    def whole(self) -> Run:
        """All its pieces side by side."""
        return list(chain.from_iterable(_read(name, run) for name, run in self.children))

    def named(self, name: str) -> list[Run]:
        return [run for child, run in self.children if child == name]

    def first(self, name: str) -> Run:
        """Return the first child of that name; empty if there is none."""
        named = self.named(name)
        return named[0] if named else []

    def at(self, place: int) -> Run:
        """Return the element at a position, from 0; empty if there are fewer."""
        elements = self.elements
        return elements[place] if place < len(elements) else []


Rules = Mapping[str, Callable[[Part], Run]]
"""Functions that write elements, by name; any other element becomes its children side by side."""


def _read(name: str, run: Run) -> Run:
    return run if name else list(chain.from_iterable(read_words(piece.text) for piece in run))


class Formula:
    """A formula, built from its elements and text in their order."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._open = [Part("", {})]
        self._size = 0

    @property
    def depth(self) -> int:
        """The number of open elements, without the formula itself."""
        return len(self._open) - 1

    @property
    def is_beyond_bounds(self) -> bool:
        """Whether it is larger or deeper than any real formula, so that it is given up."""
        return self._size > _MOST or self.depth > _DEEPEST

    def start(self, name: str, settings: Mapping[str, str]) -> None:
        self._size += 1
        self._open.append(Part(name, dict(settings)))

    def end(self) -> None:
        part = self._open.pop()
        spell = self._rules.get(part.name)
        self._open[-1].children.append((part.name, spell(part) if spell else part.whole))

    def set(self, name: str, value: str) -> None:
        """Set a setting of the parent of the open element, which only holds settings."""
        if self.depth > 1:
            self._open[-2].settings[name] = value

    def is_within(self, end: str) -> bool:
        """Return whether the name of the open element ends with `end`."""
        return self._open[-1].name.endswith(end)

    def text(self, text: str) -> None:
        self._size += len(text)
        self._open[-1].children.append(("", [Piece(text, Kind.WORD)]))

    def spell(self) -> str:
        """Return the formula in one line; if it was given up, its parts so far."""
        return " ".join(filter(None, (join(part.whole).text for part in self._open)))
