"""Equations of Word and PowerPoint (Office Math: ECMA-376, part 1, 22.1) in one line."""

from __future__ import annotations

from typing import Final

from bot.library.reading.archive import Attributes
from bot.library.reading.formula import Formula, Part, Rules
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

_SETTINGS: Final = frozenset(
    {"chr", "begChr", "endChr", "sepChr", "type", "pos", "sty", "nor"}
    | {"degHide", "subHide", "supHide"}
)
_OFF = frozenset({"0", "off", "false"})
_LONGEST = 4
"""Characters of a bracket or a sign."""


class WordFormula(Formula):
    """Is told of what stands in an `m:oMath`."""

    def __init__(self) -> None:
        super().__init__(_RULES)

    def begin(self, name: str, attributes: Attributes) -> None:
        if name in _SETTINGS and self.is_within("Pr"):
            self.set(name, attributes.get(":val", ""))
        self.start(name, {})


def _sign(part: Part, name: str, usual: str) -> str:
    return part.settings.get(name, usual)[:_LONGEST]


def _shown(part: Part, name: str) -> Run:
    is_hidden = part.settings.get(f"{name}Hide", "0") not in _OFF
    return [] if is_hidden else part.first(name)


def _text(part: Part) -> Run:
    return [Piece(part.raw, Kind.WORD)]


def _letters(part: Part) -> Run:
    text = "".join(piece.text for piece in part.whole)
    is_upright = "nor" in part.settings or part.settings.get("sty") == "p"
    return read_words(text) if is_upright else read_signs(text)


def _fraction(part: Part) -> Run:
    has_line = part.settings.get("type") != "noBar"
    return [(fraction if has_line else choose)(part.first("num"), part.first("den"))]


def _script(part: Part) -> Run:
    return [script(part.first("e"), part.first("sub"), part.first("sup"))]


def _before(part: Part) -> Run:
    marks = script([], part.first("sub"), part.first("sup"))
    return [marks._replace(kind=Kind.LARGE), *part.first("e")]


def _root(part: Part) -> Run:
    return [root(_shown(part, "deg"), part.first("e"))]


def _large(part: Part) -> Run:
    sign = Piece(_sign(part, "chr", "∫"), Kind.LARGE)
    return [script([sign], _shown(part, "sub"), _shown(part, "sup")), *part.first("e")]


def _fence(part: Part) -> Run:
    opening, closing = _sign(part, "begChr", "("), _sign(part, "endChr", ")")
    return [fence(opening, part.named("e"), _sign(part, "sepChr", "|"), closing)]


def _function(part: Part) -> Run:
    name = join(part.first("fName"))
    kind = name.kind if name.kind is Kind.LARGE else Kind.WORD
    return [name._replace(kind=kind), *part.first("e")]


def _limits(part: Part) -> Run:
    limit = part.first("lim")
    below, above = ([], limit) if part.name == "limUpp" else (limit, [])
    return [limits(part.first("e"), below, above)]


def _accent(part: Part) -> Run:
    return [accent(part.first("e"), _sign(part, "chr", "\u0302"))]


def _line(part: Part) -> Run:
    return [accent(part.first("e"), "¯" if part.settings.get("pos") == "top" else "_")]


def _brace(part: Part) -> Run:
    return [accent(part.first("e"), _sign(part, "chr", "⏟"))]


def _cells(part: Part) -> Run:
    return [row(part.named("e"))]


def _matrix(part: Part) -> Run:
    return [table(join(run) for run in part.named("mr"))]


def _lines(part: Part) -> Run:
    """Where lines are aligned there are ampersands."""
    lines = ([piece for piece in run if piece.text != "&"] for run in part.named("e"))
    return [table(map(join, lines))]


_RULES: Final[Rules] = {
    **dict.fromkeys(("t", "tab", "br", "cr", "noBreakHyphen"), _text),
    "r": _letters,
    "f": _fraction,
    **dict.fromkeys(("sSub", "sSup", "sSubSup"), _script),
    "sPre": _before,
    "rad": _root,
    "nary": _large,
    "d": _fence,
    "func": _function,
    **dict.fromkeys(("limLow", "limUpp"), _limits),
    "acc": _accent,
    "bar": _line,
    "groupChr": _brace,
    "mr": _cells,
    "m": _matrix,
    "eqArr": _lines,
}
