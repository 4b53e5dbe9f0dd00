"""Formulas of web pages (https://www.w3.org/TR/MathML3/chapter3.html) in one line.

What is seen is read, not the TeX that `alttext` or an annotation may say it was made of.
"""

from __future__ import annotations

from typing import Final

from bot.library.reading.formula import Part, Rules
from bot.library.reading.linear import (
    Kind,
    Piece,
    Run,
    accent,
    choose,
    fence,
    fraction,
    join,
    limits,
    read_signs,
    read_words,
    root,
    row,
    script,
    table,
)

_LONGEST = 4
"""Characters of a bracket."""
_NO_LINE = frozenset({"0", "0px", "0em", "0pt"})
_DRAWN: Final = {"overlined": "¯", "underlined": "_"}
"""Lines as Griot's own pages have them: see `bot/library/pages/templates/mathml.typ`."""


def _signs(part: Part) -> Run:
    return read_signs(part.raw.strip().replace("∕", "/"))


def _words(part: Part) -> Run:
    return part.whole if part.elements else read_words(part.raw)


def _operator(part: Part) -> Run:
    return _words(part) if part.raw.strip().isalpha() else _signs(part)


def _space(_: Part) -> Run:
    return [Piece(" ", Kind.SPACE)]


def _nothing(_: Part) -> Run:
    return []


def _fraction(part: Part) -> Run:
    has_line = part.settings.get("linethickness", "").strip() not in _NO_LINE
    return [(fraction if has_line else choose)(part.at(0), part.at(1))]


def _root(part: Part) -> Run:
    return [root([], part.whole) if part.name == "msqrt" else root(part.at(1), part.at(0))]


def _power(part: Part) -> Run:
    return [script(part.at(0), [], part.at(1))]


def _script(part: Part) -> Run:
    return [script(part.at(0), part.at(1), part.at(2))]


def _over(part: Part) -> Run:
    return [_limited(part.at(0), [], part.at(1))]


def _under(part: Part) -> Run:
    return [_limited(part.at(0), part.at(1), part.at(2))]


def _limited(base: Run, below: Run, above: Run) -> Piece:
    mark = join(above or below).text
    return accent(base, mark) if mark in _OVER else limits(base, below, above)


_OVER: Final = frozenset({"⏞", "⏟", "\u20d7", "\u0302", "\u0303", "\u0304", "\u0305", "\u0307"})


def _scripts(part: Part) -> Run:
    """Scripts on both sides, as isotopes have them; only the first pair on each."""
    names = [name for name, _ in part.children if name]
    split = names.index("mprescripts") if "mprescripts" in names else len(names)
    after = script(part.at(0), *(part.at(at) if at < split else [] for at in (1, 2)))
    before = script([], part.at(split + 1), part.at(split + 2))
    return [*([before._replace(kind=Kind.LARGE)] if before.text else []), after]


def _fence(part: Part) -> Run:
    opening = part.settings.get("open", "(").strip()[:_LONGEST]
    closing = part.settings.get("close", ")").strip()[:_LONGEST]
    separator = part.settings.get("separators", ",").strip()[:1]
    return [fence(opening, part.elements, separator, closing)]


def _row(part: Part) -> Run:
    line = _DRAWN.get(part.settings.get("class", ""))
    return [accent(part.whole, line)] if line else part.whole


def _cells(part: Part) -> Run:
    return [row(part.named("mtd"))]


def _table(part: Part) -> Run:
    return [table(map(join, part.elements))]


RULES: Final[Rules] = {
    **dict.fromkeys(("mn", "ms"), _signs),
    **dict.fromkeys(("mi", "mtext"), _words),
    "mo": _operator,
    "mspace": _space,
    **dict.fromkeys(("annotation", "annotation-xml", "mphantom"), _nothing),
    "mrow": _row,
    "mfrac": _fraction,
    **dict.fromkeys(("msqrt", "mroot"), _root),
    "msup": _power,
    **dict.fromkeys(("msub", "msubsup"), _script),
    "mover": _over,
    **dict.fromkeys(("munder", "munderover"), _under),
    "mmultiscripts": _scripts,
    "mfenced": _fence,
    **dict.fromkeys(("mtr", "mlabeledtr"), _cells),
    "mtable": _table,
}
