"""LaTeX mathematics as Word's native equations.

Reads what `bot.library.typesetting` reads, with its words, as far as lessons and reports need it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bot.library.office.letters import omml
from bot.library.office.letters.atoms import Atom, join
from bot.library.office.letters.environments import lay_out, stack_lines
from bot.library.office.letters.notation import ACCENTS, BRACES, BRACKETS, LARGE, SPACES, STYLES
from bot.library.office.xml import Element
from bot.library.typesetting import notation
from bot.library.typesetting.source import Untypesettable
from bot.library.typesetting.tokens import Tokens

MAX_LENGTH: Final = 2_000
"""Characters of one formula."""
_DEEPEST = 40
_MOST_CELLS = 500


def to_omml(latex: str) -> Element:
    """`latex`, without dollar signs around it, as an `m:oMath` element.

    Raises:
        Untypesettable: it is malformed, too long or too deep, or holds what is not known here.
    """
    if len(latex) > MAX_LENGTH:
        raise Untypesettable("It cannot be read.")
    elements = _Reader(Tokens(latex)).read()
    if not elements:
        raise Untypesettable("It cannot be read.")
    return omml.tag("oMath", *elements)


@dataclass
class _Reader:
    tokens: Tokens
    style: str = ""
    depth: int = 0

    def read(self) -> list[Element]:
        """All of it; several lines are stacked."""
        rows = self._rows("")
        if len(rows) == 1 and len(rows[0]) == 1:
            return rows[0][0]
        return [stack_lines(rows)]

    def _rows(self, end: str) -> list[list[list[Element]]]:
        rows: list[list[list[Element]]] = [[]]
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
        return join(atoms)

    def argument(self) -> list[Element]:
        """What the next braces hold, or a single part."""
        part = self.tokens.take_visible()
        if part == "{":
            return self._closed("}")
        if not part or part in "^_'}&":
            raise Untypesettable("An argument is missing.")
        if part.isdecimal():
            return [omml.run(part, self.style)]
        atoms: list[Atom] = []
        self._step(part, atoms)
        return join(atoms)

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
        char = {"-": "−", "*": "∗", "~": " "}.get(char, char)
        return Atom([omml.run(char, self.style)], char)

    def _script(self, mark: str, atoms: list[Atom]) -> None:
        if not atoms:
            atoms.append(Atom([]))
        atom = atoms[-1]
        if mark == "'":
            atom.above.append(omml.run("′"))
            return
        place = atom.above if mark == "^" else atom.below
        if any("".join(element.itertext()) != "′" for element in place):
            raise Untypesettable  # two scripts at one place
        place.extend(self.argument())

    def _command(self, name: str, atoms: list[Atom]) -> None:
        if name in ("limits", "nolimits"):
            if atoms:
                atoms[-1].has_limits = name == "limits"
        elif name in notation.SWITCHES:
            self.style = STYLES.get(name, self.style)
        elif name in LARGE:
            atoms.append(Atom([], notation.SYMBOLS[name], is_large=True))
        elif name in notation.SYMBOLS:
            char = notation.SYMBOLS[name]
            atoms.append(Atom([omml.run(char, self.style)], char))
        elif name not in notation.IGNORED:
            atoms.append(self._word(name) or Atom(self._structure(name)))

    def _word(self, name: str) -> Atom | None:
        """A command without arguments; None if it is none."""
        if name in notation.FUNCTIONS:
            return Atom([omml.run(notation.FUNCTIONS[name], "p"), *self._gap()])
        if name in notation.LIMITS:
            return Atom([omml.run(notation.LIMITS[name], "p")], has_limits=True)
        if name in notation.NUMBERS:
            return Atom([omml.run(name, "double-struck")])
        if name in SPACES:
            return Atom([omml.run(SPACES[name])] if SPACES[name] else [])
        return None

    def _gap(self) -> list[Element]:
        """A narrow space between a function's name and a letter."""
        ahead = self.tokens.peek_visible()
        return [omml.run("\u2009")] if ahead.isalnum() or ahead[:1] == "\\" else []

    def _structure(self, name: str) -> list[Element]:
        if name in notation.WRAPPERS or name in STYLES:
            return self._wrapped(name)
        if name in notation.TEXTS:
            return [omml.run(self._words(), "text")]
        if name in BRACES:
            return [self._braced(*BRACES[name])]
        if name in notation.SIZES:
            return [omml.run(self._bracket())]
        reader = _STRUCTURES.get(name)
        if reader is None:
            raise Untypesettable("It cannot be read.")
        return reader(self)

    def _wrapped(self, name: str) -> list[Element]:
        if name in STYLES:
            before, self.style = self.style, STYLES[name]
            body = self.argument()
            self.style = before
            return body
        body = self.argument()
        if name in ACCENTS:
            return [omml.accented(ACCENTS[name], body)]
        if name in ("overline", "bar", "underline"):
            return [omml.lined("bot" if name == "underline" else "top", body)]
        if name in ("boxed", "fbox"):
            return [omml.boxed(body)]
        raise Untypesettable("It cannot be read.")

    def _words(self) -> str:
        words = self.tokens.raw_argument().replace("~", " ").replace("\\ ", " ")
        if "\\" in words or "$" in words:
            raise Untypesettable("It cannot be read.")
        return words.replace("{", "").replace("}", "")

    def _braced(self, char: str, position: str, mark: str) -> Element:
        body = [omml.braced(char, position, self.argument())]
        if self.tokens.peek_visible() != mark:
            return body[0]
        self.tokens.take_visible()
        note = self.argument()
        below, above = (note, []) if mark == "_" else ([], note)
        return omml.limits(body, below, above)

    def _bracket(self) -> str:
        """A bracket; "" for the dot that stands for none."""
        part = self.tokens.take_visible()
        char = BRACKETS.get(part)
        if char is None:
            raise Untypesettable("It cannot be read.")
        return char

    def fraction(self, kind: str = "bar") -> list[Element]:
        return [omml.fraction(self.argument(), self.argument(), kind)]

    def binomial(self) -> list[Element]:
        return [omml.bracketed("(", ")", self.fraction("noBar"))]

    def root(self) -> list[Element]:
        degree: list[Element] = []
        if self.tokens.peek_visible() == "[":
            self.tokens.take_visible()
            degree = self._closed("]")
        return [omml.root(degree, self.argument())]

    def between_brackets(self) -> list[Element]:
        opening = self._bracket()
        body = self.sequence("\\right")
        self.tokens.take()
        return [omml.bracketed(opening, self._bracket(), body)]

    def over(self) -> list[Element]:
        above = self.argument()
        return [omml.limits(self.argument(), [], above)]

    def under(self) -> list[Element]:
        below = self.argument()
        return [omml.limits(self.argument(), below, [])]

    def label(self) -> list[Element]:
        """The number of an equation, behind it."""
        return [omml.run(f"\u2003({self._words()})", "text")]

    def dropped(self) -> list[Element]:
        """What only other equations refer to, and colours."""
        self.tokens.raw_argument()
        return []

    def coloured(self) -> list[Element]:
        self.tokens.raw_argument()
        return self.argument()

    def operator(self) -> list[Element]:
        return [omml.run(self._words(), "p"), *self._gap()]

    def environment(self) -> list[Element]:
        name = self.tokens.raw_argument()
        plain = name.removesuffix("*")
        columns = self.tokens.raw_argument() if plain in ("array", "alignedat") else ""
        rows = self._rows("\\end")
        if self.tokens.raw_argument() != name:
            raise Untypesettable("It cannot be read.")
        return [lay_out(plain, columns, rows)]


_STRUCTURES: Final = {
    **dict.fromkeys(("frac", "dfrac", "tfrac", "cfrac"), _Reader.fraction),
    **dict.fromkeys(("binom", "dbinom", "tbinom"), _Reader.binomial),
    "sqrt": _Reader.root,
    "left": _Reader.between_brackets,
    **dict.fromkeys(("overset", "stackrel"), _Reader.over),
    "underset": _Reader.under,
    **dict.fromkeys(("operatorname", "operatorname*"), _Reader.operator),
    **dict.fromkeys((*notation.TRANSPARENT, "mathop"), _Reader.argument),
    "tag": _Reader.label,
    **dict.fromkeys(("label", "color"), _Reader.dropped),
    "textcolor": _Reader.coloured,
    "begin": _Reader.environment,
}
