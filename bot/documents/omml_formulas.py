"""LaTeX mathematics as the native equations of Word and PowerPoint.

Reads the LaTeX that `typst_formulas` reads, as far as lessons and reports need it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.documents import latex_syntax, omml
from bot.documents.latex_syntax import Tokens, Untypesettable
from bot.documents.omml import THIN, Atom, Element, join_atoms

MAX_LENGTH: Final = 2_000
"""Characters of one formula."""
_DEEPEST: Final = 40
_MOST_CELLS: Final = 500
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
_BRACKETS: Final = {
    ".": "",
    "<": "⟨",
    ">": "⟩",
    **{char: char for char in "()[]|/"},
    **{f"\\{name}": char for name, char in _SYMBOLS.items() if char in "{}[]()|‖⟨⟩⌊⌋⌈⌉\\↑↓↕"},
}
"""How brackets are written, and what they are."""
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
    elements = _EquationReader(Tokens(latex)).read()
    if not elements:
        raise Untypesettable("It cannot be read.")
    return omml.tag("oMath", *elements)


@dataclass
class _EquationReader:
    tokens: Tokens
    style: str = ""
    depth: int = 0

    def read(self) -> list[Element]:
        """All of it; several lines are stacked."""
        rows = self._rows("")
        if len(rows) == 1 and len(rows[0]) == 1:
            return rows[0][0]
        return [_stack_lines(rows)]

    def _rows(self, end: str) -> _Rows:
        rows: _Rows = [[]]
        cells = 0
        while True:
            rows[-1].append(self.sequence("&", "\\\\", end))
            cells += 1
            stop = self.tokens.take()
            if stop == end:
                break
            if cells > _MOST_CELLS:
                raise Untypesettable("It cannot be read.")
            if stop == "\\\\":
                self.tokens.skip_gap()
                rows.append([])
        if len(rows) > 1 and not any(rows[-1]):
            rows.pop()
        return rows

    def sequence(self, *stops: str) -> list[Element]:
        """What comes before one of `stops`, which is not taken; "" stands for the end."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Untypesettable("It cannot be read.")
        style, atoms = self.style, list[Atom]()
        while (part := self.tokens.peek()) and part not in stops:
            self._step(self.tokens.take(), atoms)
        if part not in stops:
            raise Untypesettable("It cannot be read.")
        self.style = style
        self.depth -= 1
        return join_atoms(atoms)

    def argument(self) -> list[Element]:
        """What the next braces hold, or a single part."""
        part = self.tokens.take_visible()
        if part == "{":
            return self._closed("}")
        if not part or part in "^_'}&":
            raise Untypesettable("An argument is missing.")
        if part.isdecimal():
            return [omml.run(part, self.style)]
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Untypesettable("It cannot be read.")
        atoms: list[Atom] = []
        self._step(part, atoms)
        self.depth -= 1
        return join_atoms(atoms)

    def optional(self) -> list[Element]:
        """What the next square brackets hold, if there are some."""
        if self.tokens.peek_visible() != "[":
            return []
        self.tokens.take_visible()
        return self._closed("]")

    def _closed(self, end: str) -> list[Element]:
        elements = self.sequence(end)
        self.tokens.take()
        return elements

    def _step(self, part: str, atoms: list[Atom]) -> None:
        if part in ("}", "&", "\\", "\\\\", "$"):
            raise Untypesettable("It cannot be read.")
        if part == "{":
            atoms.append(Atom(self._closed("}")))
        elif part in "^_'":
            self._script(part, atoms)
        elif part[0] == "\\":
            self._command(part[1:], atoms)
        elif part.isdecimal():
            atoms.append(Atom([omml.run(self._number(part), self.style)]))
        elif not part.isspace():
            atoms.append(self._character(part))

    def _number(self, digits: str) -> str:
        while self.tokens.peek().isdecimal() or (
            self.tokens.peek() in (".", ",") and self.tokens.peek(1).isdecimal()
        ):
            digits += self.tokens.take()
        return digits

    def _character(self, char: str) -> Atom:
        if self.style == "double-struck" and char in _DOUBLED:
            return Atom([omml.run(_DOUBLED[char], "p")], _DOUBLED[char])
        char = {"-": "−", "*": "∗", "~": "\u00a0"}.get(char, char)
        if self.style == "p" and char.isalpha():
            return Atom([omml.run(char, "text")], char)
        return Atom([omml.run(char, self.style)], char)

    def _script(self, mark: str, atoms: list[Atom]) -> None:
        if not atoms or (atoms[-1].is_bare and mark == "'"):
            atoms.append(Atom([]))
        atom = atoms[-1]
        if mark == "'":
            atom.above.append(omml.run("′"))
            return
        place = atom.above if mark == "^" else atom.below
        if any("".join(element.itertext()) != "′" for element in place):
            raise Untypesettable  # two scripts at one place
        place.extend(_make_signs_text(self.argument()))

    def _command(self, name: str, atoms: list[Atom]) -> None:
        if name in ("limits", "nolimits"):
            if atoms:
                atoms[-1].has_limits = name == "limits"
        elif name in latex_syntax.SWITCHES:
            self.style = _STYLES.get(name, self.style)
        elif name in _LARGE:
            atoms.append(Atom([], _SYMBOLS[name], is_large=True))
        elif name in _SYMBOLS:
            char = _SYMBOLS[name]
            atoms.append(Atom([omml.run(char, self.style)], char))
        elif name not in latex_syntax.IGNORED:
            atoms.append(self._word(name) or Atom(self._structure(name)))

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
            return [omml.run(self._bracket())]
        reader = _STRUCTURES.get(name)
        if reader is None:
            raise Untypesettable("It cannot be read.")
        return reader(self)

    def _wrapped(self, name: str) -> list[Element]:
        if name in _STYLES:
            before, self.style = self.style, _STYLES[name]
            body = self.argument()
            self.style = before
            return body
        if name == "mathstrut":
            return []
        make = _WRAPPERS.get(name)
        if make is None:
            raise Untypesettable("It cannot be read.")
        return [make(self.argument())]

    def _words(self) -> list[Element]:
        """Upright text, in which mathematics may stand between dollar signs."""
        texts = re.split(r"(?<!\\)\$", self.tokens.raw_argument())
        if len(texts) % 2 == 0 or self.depth > _DEEPEST // 2:
            raise Untypesettable("It cannot be read.")
        made: list[Element] = []
        for index, text in enumerate(texts):
            if index % 2:
                made += _EquationReader(Tokens(text), depth=self.depth + 1).read()
            elif words := _unescape(text):
                made.append(omml.run(words, "text"))
        return made

    def _plain_words(self) -> str:
        words = _unescape(self.tokens.raw_argument())
        if "$" in words:
            raise Untypesettable("It cannot be read.")
        return words

    def _braced(self, char: str, position: str, mark: str) -> Element:
        body = [omml.braced(char, position, self.argument())]
        if self.tokens.peek_visible() != mark:
            return body[0]
        self.tokens.take_visible()
        note = self.argument()
        below, above = (note, []) if mark == "_" else ([], note)
        return omml.limits(body, below, above)

    def _arrow(self, char: str) -> Element:
        below = self.optional()
        return omml.limits([omml.run(char)], below, self.argument())

    def _bracket(self) -> str:
        """A bracket; "" for the dot that stands for none."""
        part = self.tokens.take_visible()
        char = _BRACKETS.get(part)
        if char is None:
            raise Untypesettable("It cannot be read.")
        return char

    def fraction(self, kind: str = "bar") -> list[Element]:
        return [omml.fraction(self.argument(), self.argument(), kind)]

    def binomial(self) -> list[Element]:
        return [omml.bracketed("(", ")", self.fraction("noBar"))]

    def root(self) -> list[Element]:
        degree = self.optional()
        return [omml.root(degree, self.argument())]

    def between_brackets(self) -> list[Element]:
        opening = self._bracket()
        bodies = [self.sequence("\\right", "\\middle")]
        separator = "|"
        while self.tokens.take() == "\\middle":
            separator = self._bracket()
            bodies.append(self.sequence("\\right", "\\middle"))
        return [omml.bracketed(opening, self._bracket(), *bodies, separator=separator)]

    def over(self) -> list[Element]:
        above = self.argument()
        return [omml.limits(self.argument(), [], above)]

    def under(self) -> list[Element]:
        below = self.argument()
        return [omml.limits(self.argument(), below, [])]

    def label(self) -> list[Element]:
        """The number of an equation, behind it."""
        return [omml.run(f"\u2003({self._plain_words()})", "text")]

    def dropped(self) -> list[Element]:
        """What only other equations refer to, and colours."""
        self.tokens.raw_argument()
        return []

    def coloured(self) -> list[Element]:
        self.tokens.raw_argument()
        return self.argument()

    def gap(self) -> list[Element]:
        self.tokens.raw_argument()
        return [omml.run("\u2003", "text")]

    def negation(self) -> list[Element]:
        part = self.tokens.take_visible()
        char = _SYMBOLS.get(part[1:], "") if part.startswith("\\") else part
        if char not in latex_syntax.NEGATED:
            raise Untypesettable("It cannot be read.")
        return [omml.run(latex_syntax.NEGATED[char], self.style)]

    def modulus(self) -> list[Element]:
        body = [omml.run("mod\u00a0", "text"), *self.argument()]
        return [omml.run("\u2003", "text"), omml.bracketed("(", ")", body)]

    def lines(self) -> list[Element]:
        """Several lines under or over a sum."""
        self.tokens.expect("{")
        return [_stack_lines(self._rows("}"))]

    def environment(self) -> list[Element]:
        name = self.tokens.raw_argument()
        plain = name.removesuffix("*")
        columns = ""
        if plain in ("array", "alignedat"):
            self.optional()
            columns = self.tokens.raw_argument()
        rows = self._rows("\\end")
        if self.tokens.raw_argument() != name:
            raise Untypesettable("It cannot be read.")
        return [_lay_out(plain, columns, rows)]


def _make_signs_text(script: list[Element]) -> list[Element]:
    """A script; a sign at its end, as of ions, is text: it has no right side."""
    if script and "".join(script[-1].itertext()) in _SIGNS:
        return [*script[:-1], omml.run("".join(script[-1].itertext()), "text")]
    return script


def _unescape(text: str) -> str:
    """Words as they are read. Raises `Untypesettable`: they hold a command."""

    def read(found: re.Match[str]) -> str:
        char = found[1]
        if char is None:
            return "\u00a0" if found[0] == "~" else ""
        if char.isalnum():
            raise Untypesettable("It cannot be read.")
        return " " if char in ",;: \\" else char

    return re.sub(r"\\(.|$)|[{}~]", read, text)


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
    **dict.fromkeys((*latex_syntax.TRANSPARENT, "mathop"), _EquationReader.argument),
    "tag": _EquationReader.label,
    **dict.fromkeys(("label", "color"), _EquationReader.dropped),
    "textcolor": _EquationReader.coloured,
    **dict.fromkeys(("hspace", "hskip"), _EquationReader.gap),
    "not": _EquationReader.negation,
    "pmod": _EquationReader.modulus,
    "substack": _EquationReader.lines,
    "begin": _EquationReader.environment,
}
