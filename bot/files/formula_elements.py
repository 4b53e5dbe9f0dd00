"""Write formulas of web pages (MathML) and of Word and PowerPoint (Office Math) in one line.

Sources: https://www.w3.org/TR/MathML3/chapter3.html; ECMA-376, part 1, 22.1. In MathML the visible
elements are read, not the TeX source in `alttext` or an annotation.
"""

from __future__ import annotations

from typing import Final

from bot.files.extracted_formulas import (
    Formula,
    Kind,
    Part,
    Piece,
    Rules,
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
"""Most characters of a bracket."""
_NO_LINE = frozenset({"0", "0px", "0em", "0pt"})
_WEB_LINES: Final = {"overlined": "¯", "underlined": "_"}
"""Lines as Griot's own pages draw them: see `bot/documents/templates/mathml.typ`."""


def _web_signs(part: Part) -> Run:
    return read_signs(part.raw.strip().replace("∕", "/"))


def _web_words(part: Part) -> Run:
    return part.whole if part.elements else read_words(part.raw)


def _web_fraction(part: Part) -> Run:
    has_line = part.settings.get("linethickness", "").strip() not in _NO_LINE
    return [(fraction if has_line else choose)(part.at(0), part.at(1))]


def _web_root(part: Part) -> Run:
    return [root([], part.whole) if part.name == "msqrt" else root(part.at(1), part.at(0))]


def _web_limited(base: Run, below: Run, above: Run) -> Piece:
    mark = join(above or below).text
    return accent(base, mark) if mark in _WEB_ACCENTS else limits(base, below, above)


_WEB_ACCENTS: Final = frozenset(
    {"⏞", "⏟", "\u20d7", "\u0302", "\u0303", "\u0304", "\u0305", "\u0307"}
)


def _web_scripts(part: Part) -> Run:
    """Write scripts on both sides, as for isotopes; only the first pair on each side."""
    names = [name for name, _ in part.children if name]
    split = names.index("mprescripts") if "mprescripts" in names else len(names)
    after = script(part.at(0), *(part.at(at) if at < split else [] for at in (1, 2)))
    before = script([], part.at(split + 1), part.at(split + 2))
    return [*([before._replace(kind=Kind.LARGE)] if before.text else []), after]


def _web_fence(part: Part) -> Run:
    opening = part.settings.get("open", "(").strip()[:_LONGEST]
    closing = part.settings.get("close", ")").strip()[:_LONGEST]
    separator = part.settings.get("separators", ",").strip()[:1]
    return [fence(opening, part.elements, separator, closing)]


def _web_row(part: Part) -> Run:
    line = _WEB_LINES.get(part.settings.get("class", ""))
    return [accent(part.whole, line)] if line else part.whole


_WORD_SETTINGS: Final = frozenset(
    {"chr", "begChr", "endChr", "sepChr", "type", "pos", "sty", "nor"}
    | {"degHide", "subHide", "supHide"}
)
_OFF = frozenset({"0", "off", "false"})
_LONGEST_SIGN = 4
"""Most characters of a bracket or a sign."""


class WordFormula(Formula):
    """A formula made of the elements of an `m:oMath`."""

    def __init__(self) -> None:
        super().__init__(_WORD_RULES)

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name in _WORD_SETTINGS and self.is_within("Pr"):
            self.set(name, attributes.get(":val", ""))
        self.start(name, {})


def _word_sign(part: Part, name: str, usual: str) -> str:
    return part.settings.get(name, usual)[:_LONGEST_SIGN]


def _word_shown(part: Part, name: str) -> Run:
    is_hidden = part.settings.get(f"{name}Hide", "0") not in _OFF
    return [] if is_hidden else part.first(name)


def _word_letters(part: Part) -> Run:
    text = "".join(piece.text for piece in part.whole)
    is_upright = "nor" in part.settings or part.settings.get("sty") == "p"
    return read_words(text) if is_upright else read_signs(text)


def _word_fraction(part: Part) -> Run:
    has_line = part.settings.get("type") != "noBar"
    return [(fraction if has_line else choose)(part.first("num"), part.first("den"))]


def _word_before(part: Part) -> Run:
    marks = script([], part.first("sub"), part.first("sup"))
    return [marks._replace(kind=Kind.LARGE), *part.first("e")]


def _word_large(part: Part) -> Run:
    sign = Piece(_word_sign(part, "chr", "∫"), Kind.LARGE)
    return [script([sign], _word_shown(part, "sub"), _word_shown(part, "sup")), *part.first("e")]


def _word_fence(part: Part) -> Run:
    opening, closing = _word_sign(part, "begChr", "("), _word_sign(part, "endChr", ")")
    return [fence(opening, part.named("e"), _word_sign(part, "sepChr", "|"), closing)]


def _word_function(part: Part) -> Run:
    name = join(part.first("fName"))
    kind = name.kind if name.kind is Kind.LARGE else Kind.WORD
    return [name._replace(kind=kind), *part.first("e")]


def _word_limits(part: Part) -> Run:
    limit = part.first("lim")
    below, above = ([], limit) if part.name == "limUpp" else (limit, [])
    return [limits(part.first("e"), below, above)]


def _word_lines(part: Part) -> Run:
    """Write aligned lines, without their ampersands."""
    lines = ([piece for piece in run if piece.text != "&"] for run in part.named("e"))
    return [table(map(join, lines))]


WEB_RULES: Final[Rules] = {
    **dict.fromkeys(("mn", "ms"), _web_signs),
    **dict.fromkeys(("mi", "mtext"), _web_words),
    "mo": lambda part: _web_words(part) if part.raw.strip().isalpha() else _web_signs(part),
    "mspace": lambda _: [Piece(" ", Kind.SPACE)],
    **dict.fromkeys(("annotation", "annotation-xml", "mphantom"), lambda _: []),
    "mrow": _web_row,
    "mfrac": _web_fraction,
    **dict.fromkeys(("msqrt", "mroot"), _web_root),
    "msup": lambda part: [script(part.at(0), [], part.at(1))],
    **dict.fromkeys(("msub", "msubsup"), lambda part: [script(part.at(0), part.at(1), part.at(2))]),
    "mover": lambda part: [_web_limited(part.at(0), [], part.at(1))],
    **dict.fromkeys(
        ("munder", "munderover"), lambda part: [_web_limited(part.at(0), part.at(1), part.at(2))]
    ),
    "mmultiscripts": _web_scripts,
    "mfenced": _web_fence,
    **dict.fromkeys(("mtr", "mlabeledtr"), lambda part: [row(part.named("mtd"))]),
    "mtable": lambda part: [table(map(join, part.elements))],
}

_WORD_RULES: Final[Rules] = {
    **dict.fromkeys(
        ("t", "tab", "br", "cr", "noBreakHyphen"), lambda part: [Piece(part.raw, Kind.WORD)]
    ),
    "r": _word_letters,
    "f": _word_fraction,
    **dict.fromkeys(
        ("sSub", "sSup", "sSubSup"),
        lambda part: [script(part.first("e"), part.first("sub"), part.first("sup"))],
    ),
    "sPre": _word_before,
    "rad": lambda part: [root(_word_shown(part, "deg"), part.first("e"))],
    "nary": _word_large,
    "d": _word_fence,
    "func": _word_function,
    **dict.fromkeys(("limLow", "limUpp"), _word_limits),
    "acc": lambda part: [accent(part.first("e"), _word_sign(part, "chr", "\u0302"))],
    "bar": lambda part: [
        accent(part.first("e"), "¯" if part.settings.get("pos") == "top" else "_")
    ],
    "groupChr": lambda part: [accent(part.first("e"), _word_sign(part, "chr", "⏟"))],
    "mr": lambda part: [row(part.named("e"))],
    "m": lambda part: [table(join(run) for run in part.named("mr"))],
    "eqArr": _word_lines,
}
