"""LaTeX mathematics as the native equations of Word and PowerPoint.

Reads the LaTeX that `typst_formulas` reads, as far as lessons and reports need it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from bot.documents import latex_syntax, omml
from bot.documents.latex_syntax import MAX_LENGTH, FormulaReader, Untypesettable
from bot.documents.omml import THIN, Atom, Element, join_atoms

_LARGE: Final = frozenset(
    {
        *("sum", "prod", "coprod", "int", "iint", "iiint", "oint"),
        *("bigcup", "bigcap", "bigoplus", "bigotimes", "bigvee", "bigwedge"),
    }
)
"""Symbols that have a body."""
_SYMBOLS: Final = {**latex_syntax.SYMBOLS, "frown": "⌢", "smile": "⌣"}
_SIGNS: Final = frozenset("+−±∓∗×=<>")
_ACCENTS: Final = {
    **dict.fromkeys(("vec", "overrightarrow"), "\u20d7"),
    **dict.fromkeys(("hat", "widehat"), "\u0302"),
    **dict.fromkeys(("tilde", "widetilde"), "\u0303"),
    "overleftarrow": "\u20d6",
    "check": "\u030c",
    "breve": "\u0306",
    "acute": "\u0301",
    "grave": "\u0300",
    "dot": "\u0307",
    "ddot": "\u0308",
    "dddot": "\u20db",
    "mathring": "\u030a",
}
"""Combining characters."""
_STYLES: Final = {
    **dict.fromkeys(("mathbb", "mathds"), "double-struck"),
    **dict.fromkeys(("mathcal", "mathscr", "cal"), "script"),
    "mathfrak": "fraktur",
    **dict.fromkeys(("mathsf", "sf"), "sans-serif"),
    **dict.fromkeys(("mathtt", "tt"), "monospace"),
    **dict.fromkeys(("mathrm", "mathup", "rm"), "p"),
    **dict.fromkeys(("mathbf", "bf"), "b"),
    **dict.fromkeys(("boldsymbol", "bm", "pmb"), "bi"),
    **dict.fromkeys(("mathit", "mathnormal", "it"), ""),
}
"""Styles of `omml.run`."""
_DOUBLED: Final = dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True))
"""Sets of numbers as characters, which every program shows without knowing of scripts."""
_BRACES: Final = {"underbrace": ("⏟", "bot", "_"), "overbrace": ("⏞", "top", "^")}
"""Character, where it stands, and the mark that a note is written after."""
_ARCS: Final = frozenset(("overarc", "wideparen", "overparen"))
_PHANTOMS: Final = {
    "phantom": (),
    "hphantom": ("zeroAsc", "zeroDesc"),
    "vphantom": ("zeroWid",),
}
_SPACES: Final = {
    ",": THIN,
    "thinspace": THIN,
    ":": "\u2005",
    ">": "\u2005",
    "medspace": "\u2005",
    ";": "\u2004",
    "thickspace": "\u2004",
    " ": "\u00a0",
    "space": "\u00a0",
    "enspace": "\u2002",
    "enskip": "\u2002",
    "!": "",
    "negthinspace": "",
    "quad": "\u2003",
    "qquad": "\u2003\u2003",
    "hfill": "\u2003",
}
_LONG: Final = {
    "xrightarrow": "⟶",
    "xleftarrow": "⟵",
    "xleftrightarrow": "⟷",
    "xRightarrow": "⟹",
    "xLeftarrow": "⟸",
    "xLeftrightarrow": "⟺",
    "xmapsto": "⟼",
}
"""Arrows with words over and under them."""
_FENCES: Final = {
    "pmatrix": ("(", ")"),
    "bmatrix": ("[", "]"),
    "Bmatrix": ("{", "}"),
    "vmatrix": ("|", "|"),
    "Vmatrix": ("‖", "‖"),
}
_Rows = list[list[list[Element]]]


def to_omml(latex: str) -> Element:
    """`latex`, without dollar signs around it, as an `m:oMath` element.

    Raises:
        Untypesettable: it is malformed, too long or too deep, or holds what is not known here.
    """
    if len(latex) > MAX_LENGTH:
        raise Untypesettable("It cannot be read.")
    elements = _EquationReader(latex).read()
    if not elements:
        raise Untypesettable("It cannot be read.")
    return omml.tag("oMath", *elements)


class _EquationReader(FormulaReader[Atom, list[Element]]):
    """Reads LaTeX and writes Office Math."""

    def __init__(self, latex: str, depth: int = 0) -> None:
        super().__init__(latex, depth)
        self._style = ""

    def read(self) -> list[Element]:
        """All of it; several lines are stacked."""
        rows = self._join_rows(*self.read_rows(""))
        if len(rows) == 1 and len(rows[0]) == 1:
            return rows[0][0]
        return [_stack_lines(rows)]

    def _join_rows(self, rows: list[list[list[Atom]]], _: Sequence[int] = ()) -> _Rows:
        """The elements of each cell, without a blank last row."""
        if len(rows) > 1 and not any(rows[-1]):
            rows = rows[:-1]
        return [[join_atoms(cell) for cell in row] for row in rows]

    def read_sequence(self, *stops: str) -> list[Atom]:
        style = self._style
        atoms = super().read_sequence(*stops)
        self._style = style
        return atoms

    def join(self, parts: list[Atom]) -> list[Element]:
        return join_atoms(parts)

    def write_group(self, parts: list[Atom]) -> Atom:
        return Atom(join_atoms(parts))

    def write_number(self, digits: str) -> Atom:
        return Atom([omml.run(digits, self._style)])

    def write_character(self, char: str) -> Atom:
        if self._style == "double-struck" and char in _DOUBLED:
            return Atom([omml.run(_DOUBLED[char], "p")], _DOUBLED[char])
        char = {"-": "−", "*": "∗", "~": "\u00a0"}.get(char, char)
        if self._style == "p" and char.isalpha():
            return Atom([omml.run(char, "text")], char)
        return Atom([omml.run(char, self._style)], char)

    def add_script(self, mark: str, parts: list[Atom]) -> None:
        if not parts or (parts[-1].is_bare and mark == "'"):
            parts.append(Atom([]))
        atom = parts[-1]
        if mark == "'":
            atom.above.append(omml.run("′"))
            return
        place = atom.above if mark == "^" else atom.below
        if any("".join(element.itertext()) != "′" for element in place):
            raise Untypesettable  # two scripts at one place
        place.extend(_make_signs_text(self.read_argument()))

    def add_command(self, name: str, parts: list[Atom]) -> None:
        if name in ("limits", "nolimits"):
            if parts:
                parts[-1].has_limits = name == "limits"
        elif name in latex_syntax.SWITCHES:
            self._style = _STYLES.get(name, self._style)
        elif name in _LARGE:
            parts.append(Atom([], _SYMBOLS[name], is_large=True))
        elif name in _SYMBOLS:
            char = _SYMBOLS[name]
            parts.append(Atom([omml.run(char, self._style)], char))
        elif name not in latex_syntax.IGNORED:
            parts.append(self._word(name) or Atom(self._structure(name)))

    def _word(self, name: str) -> Atom | None:
        """A command without arguments; None if it is none."""
        if name in latex_syntax.FUNCTIONS:
            return Atom([omml.run(latex_syntax.FUNCTIONS[name], "text")], is_function=True)
        if name in latex_syntax.LIMITS:
            made = [omml.run(latex_syntax.LIMITS[name], "p")]
            return Atom(made, is_function=True, has_limits=True)
        if name in latex_syntax.NUMBERS:
            return Atom([omml.run(_DOUBLED[name], "p")], _DOUBLED[name])
        if name in _SPACES:
            made = [omml.run(_SPACES[name], "text")] if _SPACES[name] else []
            return Atom(made, " " if made else "")
        if name in ("operatorname", "operatorname*"):
            made = [omml.run(self._plain_words(), "text")]
            return Atom(made, is_function=True, has_limits=name.endswith("*"))
        return None

    def _structure(self, name: str) -> list[Element]:
        if name in latex_syntax.WRAPPERS or name in _STYLES:
            return self._wrapped(name)
        if name in latex_syntax.TEXTS:
            return self._words()
        if name in _BRACES:
            return [self._braced(*_BRACES[name])]
        if name in latex_syntax.STRETCHED:
            return [self._arrow(_LONG.get(name, latex_syntax.STRETCHED[name]))]
        if name in latex_syntax.SIZES:
            return [omml.run(self.read_bracket())]
        reader = _STRUCTURES.get(name)
        if reader is None:
            raise Untypesettable("It cannot be read.")
        return reader(self)

    def _wrapped(self, name: str) -> list[Element]:
        if name in _STYLES:
            before, self._style = self._style, _STYLES[name]
            body = self.read_argument()
            self._style = before
            return body
        if name == "mathstrut":
            return []
        make = _WRAPPERS.get(name)
        if make is None:
            raise Untypesettable("It cannot be read.")
        return [make(self.read_argument())]

    def _words(self) -> list[Element]:
        """Upright text, in which mathematics may stand between dollar signs."""
        made: list[Element] = []
        for text, is_formula in self.read_words():
            if is_formula:
                made += _EquationReader(text, self.depth + 1).read()
            elif text:
                made.append(omml.run(text, "text"))
        return made

    def _plain_words(self) -> str:
        [(words, _), *formulas] = self.read_words()
        if formulas:
            raise Untypesettable("It holds a formula within a name.")
        return words

    def _braced(self, char: str, position: str, mark: str) -> Element:
        body = [omml.braced(char, position, self.read_argument())]
        if self.tokens.peek_visible() != mark:
            return body[0]
        self.tokens.take_visible()
        note = self.read_argument()
        below, above = (note, []) if mark == "_" else ([], note)
        return omml.limits(body, below, above)

    def _arrow(self, char: str) -> Element:
        below = self.read_optional()
        return omml.limits([omml.run(char)], below, self.read_argument())

    def fraction(self, kind: str = "bar") -> list[Element]:
        return [omml.fraction(self.read_argument(), self.read_argument(), kind)]

    def binomial(self) -> list[Element]:
        return [omml.bracketed("(", ")", self.fraction("noBar"))]

    def root(self) -> list[Element]:
        degree = self.read_optional()
        return [omml.root(degree, self.read_argument())]

    def between_brackets(self) -> list[Element]:
        opening = self.read_bracket()
        bodies = [self.join(self.read_sequence("\\right", "\\middle"))]
        separator = "|"
        while self.tokens.take() == "\\middle":
            separator = self.read_bracket()
            bodies.append(self.join(self.read_sequence("\\right", "\\middle")))
        return [omml.bracketed(opening, self.read_bracket(), *bodies, separator=separator)]

    def over(self) -> list[Element]:
        above = self.read_argument()
        return [omml.limits(self.read_argument(), [], above)]

    def under(self) -> list[Element]:
        below = self.read_argument()
        return [omml.limits(self.read_argument(), below, [])]

    def label(self) -> list[Element]:
        """The number of an equation, behind it."""
        return [omml.run(f"\u2003({self._plain_words()})", "text")]

    def dropped(self) -> list[Element]:
        """Labels that other equations refer to, and colours."""
        self.tokens.raw_argument()
        return []

    def coloured(self) -> list[Element]:
        self.tokens.raw_argument()
        return self.read_argument()

    def gap(self) -> list[Element]:
        self.tokens.raw_argument()
        return [omml.run("\u2003", "text")]

    def negation(self) -> list[Element]:
        return [omml.run(self.read_negated(), self._style)]

    def modulus(self) -> list[Element]:
        body = [omml.run("mod\u00a0", "text"), *self.read_argument()]
        return [omml.run("\u2003", "text"), omml.bracketed("(", ")", body)]

    def lines(self) -> list[Element]:
        """Several lines under or over a sum."""
        self.tokens.expect("{")
        return [_stack_lines(self._join_rows(*self.read_rows("}")))]

    def environment(self) -> list[Element]:
        name, columns, rows, _ = self.read_environment()
        return [_lay_out(name, columns, self._join_rows(rows))]


def _make_signs_text(script: list[Element]) -> list[Element]:
    """A script; a sign at its end, as of ions, is text: it has no right side."""
    if script and "".join(script[-1].itertext()) in _SIGNS:
        return [*script[:-1], omml.run("".join(script[-1].itertext()), "text")]
    return script


def _lay_out(name: str, columns: str, rows: _Rows) -> Element:
    """Matrices, cases and aligned lines."""
    if name in latex_syntax.MATRICES:
        opening, closing = _FENCES.get(name, ("", ""))
        made = omml.matrix(rows, [char for char in columns if char in "lcr"])
        return omml.bracketed(opening, closing, [made]) if opening else made
    if name in latex_syntax.CASES:
        opening, closing = ("", "}") if name == "rcases" else ("{", "")
        return omml.bracketed(opening, closing, [omml.matrix(rows, "ll")])
    if name in latex_syntax.LINES or name in latex_syntax.CENTRED:
        return _stack_lines(rows)
    raise Untypesettable("It cannot be read.")


def _stack_lines(rows: Sequence[Sequence[Sequence[Element]]]) -> Element:
    """Lines, aligned where their cells are parted."""
    joined: list[list[Element]] = []
    for row in rows:
        line: list[Element] = []
        for index, cell in enumerate(row):
            line += [*([omml.run("&")] if index else []), *cell]
        joined.append(line)
    return omml.stacked(joined)


def _accent(char: str) -> Callable[[list[Element]], Element]:
    return lambda body: omml.accented(char, body)


def _phantom(zeroes: tuple[str, ...]) -> Callable[[list[Element]], Element]:
    return lambda body: omml.phantom(body, *zeroes)


_WRAPPERS: Final[Mapping[str, Callable[[list[Element]], Element]]] = {
    **{name: _accent(char) for name, char in _ACCENTS.items()},
    **dict.fromkeys(("overline", "bar"), lambda body: omml.lined("top", body)),
    "underline": lambda body: omml.lined("bot", body),
    **dict.fromkeys(_ARCS, lambda body: omml.braced("⏜", "top", body)),
    **dict.fromkeys(("boxed", "fbox"), omml.boxed),
    "cancel": omml.struck,
    **{name: _phantom(zeroes) for name, zeroes in _PHANTOMS.items()},
}

_STRUCTURES: Final[Mapping[str, Callable[[_EquationReader], list[Element]]]] = {
    **dict.fromkeys(("frac", "dfrac", "tfrac", "cfrac"), _EquationReader.fraction),
    **dict.fromkeys(("binom", "dbinom", "tbinom"), _EquationReader.binomial),
    "sqrt": _EquationReader.root,
    "left": _EquationReader.between_brackets,
    **dict.fromkeys(("overset", "stackrel"), _EquationReader.over),
    "underset": _EquationReader.under,
    **dict.fromkeys((*latex_syntax.TRANSPARENT, "mathop"), _EquationReader.read_argument),
    "tag": _EquationReader.label,
    **dict.fromkeys(("label", "color"), _EquationReader.dropped),
    "textcolor": _EquationReader.coloured,
    **dict.fromkeys(("hspace", "hskip"), _EquationReader.gap),
    "not": _EquationReader.negation,
    "pmod": _EquationReader.modulus,
    "substack": _EquationReader.lines,
    "begin": _EquationReader.environment,
}
