"""Formulas of LaTeX as Typst mathematics, for pictures and documents.

    source = PREAMBLE + f"$ {to_typst(formula)} $"

Own code, though a converter exists: `\\operatorname{\\\\" #read(x)}` leaves tex2typst 0.1.7 as code
that Typst runs, and `2{,}5` as a pair of numbers. Here every character of the formula comes out
escaped or in a string, and every name that comes out is one of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from bot.documents import latex_syntax
from bot.documents.latex_syntax import MAX_LENGTH, FormulaReader, Untypesettable
from bot.documents.typst_math import (
    EMPTY,
    Grid,
    join_math,
    lay_out_environment,
    lay_out_lines,
    math_call,
    math_symbol,
    math_text,
    stack_lines,
)

_SCRIPTS: Final = {"^": "t", "_": "b"}


class LatexReader(FormulaReader[str, str]):
    """Reads LaTeX and writes Typst."""

    def __init__(self, latex: str, depth: int = 0) -> None:
        super().__init__(latex, depth)
        self._stops: list[tuple[str, ...]] = []

    def read(self) -> list[str]:
        """All of it, in parts; several lines are one part."""
        rows, _ = self.read_rows("")
        if len(rows) == 1 and len(rows[0]) == 1:
            return rows[0][0]
        return [lay_out_lines(make_grid(rows))]

    def read_sequence(self, *stops: str) -> list[str]:
        self._stops.append(stops)
        parts = super().read_sequence(*stops)
        self._stops.pop()
        return parts

    def join(self, parts: list[str]) -> str:
        return join_math(parts)

    def write_group(self, parts: list[str]) -> str:
        """A sign alone loses the space around it."""
        if len(parts) == 1 and parts[0][0] == "\\":
            return math_call("class", '"normal"', parts[0])
        return join_math(parts) or EMPTY

    def write_number(self, digits: str) -> str:
        """`2,5` stays closed up as it was written."""
        return digits.replace(",", math_call("class", '"normal"', math_symbol(",")))

    def write_character(self, char: str) -> str:
        return "tie" if char == "~" else math_symbol(char)

    def write_words(self) -> str:
        """Upright text, in which mathematics may stand between dollar signs."""
        parts: list[str] = []
        for text, is_formula in self.read_words():
            if is_formula:
                parts += LatexReader(text, self.depth + 1).read()
            elif text:
                parts.append(math_text(text))
        return join_math(parts) or EMPTY

    def add_script(self, mark: str, parts: list[str]) -> None:
        """All that is raised and lowered at the last part; or, if there is none, at the next."""
        base = parts.pop() if parts else EMPTY
        primes, places = 0, dict[str, str]()
        while mark:
            if mark == "'":
                primes += 1
            elif _SCRIPTS[mark] in places:
                raise Untypesettable("Two scripts stand at one place.")
            else:
                places[_SCRIPTS[mark]] = self.read_argument()
            ahead = self.tokens.peek_visible()
            mark = self.tokens.take_visible() if ahead and ahead in "^_'" else ""
        if primes:
            places["t"] = join_math([f"primes(#{primes})", places.get("t", "")])
        if base == EMPTY and self._begins_atom():
            base = self.read_argument()
            places = {f"{place}l": text for place, text in places.items()}
        parts.append(math_call("attach", base, **places))

    def _begins_atom(self) -> bool:
        ahead = self.tokens.peek_visible()
        named = ahead[1:] in latex_syntax.TEXTS or ahead[1:] in latex_syntax.WRAPPERS
        return ahead.isalpha() or named

    def add_command(self, name: str, parts: list[str]) -> None:
        if name in ("limits", "nolimits") and parts:
            parts.append(math_call("limits" if name == "limits" else "scripts", parts.pop()))
        elif style := latex_syntax.SWITCHES.get(name):
            parts.append(math_call(style, join_math(self.read_sequence(*self._stops[-1]))))
        elif name not in latex_syntax.IGNORED:
            parts.append(self._word(name) or self._with_arguments(name))

    def _word(self, name: str) -> str:
        """A command without arguments; "" if it is none."""
        if name in latex_syntax.SYMBOLS:
            return math_symbol(latex_syntax.SYMBOLS[name])
        if name in latex_syntax.FUNCTIONS:
            return math_call("op", math_text(latex_syntax.FUNCTIONS[name]))
        if name in latex_syntax.LIMITS:
            return math_call("op", math_text(latex_syntax.LIMITS[name]), limits="#true")
        return latex_syntax.SPACES.get(name, "") or latex_syntax.NUMBERS.get(name, "")

    def _with_arguments(self, name: str) -> str:
        if name in latex_syntax.WRAPPERS:
            return math_call(latex_syntax.WRAPPERS[name], self.read_argument())
        if name in latex_syntax.TEXTS:
            style = latex_syntax.TEXTS[name]
            return math_call(style, self.write_words()) if style else self.write_words()
        if name in STRUCTURES:
            return STRUCTURES[name](self)
        raise Untypesettable("It holds a command that is not known here.")


Structures = Mapping[str, Callable[[LatexReader], str]]


def make_grid(rows: list[list[list[str]]], rules: Sequence[int] = ()) -> Grid:
    return Grid([[join_math(cell) for cell in row] for row in rows], rules)


def _read_fraction(reader: LatexReader) -> str:
    return math_call("frac", reader.read_argument(), reader.read_argument())


def _read_root(reader: LatexReader) -> str:
    degree = reader.read_optional()
    body = reader.read_argument()
    return math_call("root", degree, body) if degree else math_call("sqrt", body)


def _read_between_brackets(reader: LatexReader) -> str:
    opening = _read_bracket(reader)
    body = reader.read_closed("\\right")
    return math_call("lr", join_math([opening, *body, _read_bracket(reader)]))


def _read_bracket(reader: LatexReader) -> str:
    """A bracket; "" for the dot that stands for none."""
    char = reader.read_bracket()
    return math_symbol(char) if char else ""


def _read_sized(size: str) -> Callable[[LatexReader], str]:
    return lambda reader: math_call("lr", _read_bracket(reader), size=f"#{size}")


def _read_dropped(reader: LatexReader) -> str:
    """Labels, and colours: pictures are black on white."""
    reader.tokens.raw_argument()
    return EMPTY


def _read_coloured(reader: LatexReader) -> str:
    reader.tokens.raw_argument()
    return reader.read_argument()


def _read_gap(reader: LatexReader) -> str:
    reader.tokens.raw_argument()
    return "quad"


def _read_overset(reader: LatexReader) -> str:
    above = reader.read_argument()
    return math_call("over", reader.read_argument(), above)


def _read_underset(reader: LatexReader) -> str:
    below = reader.read_argument()
    return math_call("under", reader.read_argument(), below)


def _read_brace(name: str, mark: str) -> Callable[[LatexReader], str]:
    def read(reader: LatexReader) -> str:
        body = reader.read_argument()
        if reader.tokens.peek_visible() != mark:
            return math_call(name, body)
        reader.tokens.expect(mark)
        return math_call(name, body, reader.read_argument())

    return read


def _read_stretched(arrow: str) -> Callable[[LatexReader], str]:
    def read(reader: LatexReader) -> str:
        below = reader.read_optional()
        over = math_call(
            "over", math_call("stretch", arrow, size="#(100% + 1em)"), reader.read_argument()
        )
        return math_call("under", over, below) if below else over

    return read


def _read_stack(reader: LatexReader) -> str:
    reader.tokens.expect("{")
    return stack_lines(make_grid(*reader.read_rows("}")))


def _read_environment(reader: LatexReader) -> str:
    name, columns, rows, rules = reader.read_environment()
    return lay_out_environment(name, columns, make_grid(rows, rules))


_BLANK = frozenset((EMPTY, *latex_syntax.SPACES.values()))


def to_typst(latex: str) -> str:
    """`latex`, without dollar signs around it, as Typst mathematics.

    It holds no code but calls of Typst's functions and of `PREAMBLE`'s.

    Raises:
        Untypesettable: it is malformed, too long or too deep, or holds what is not known here.
    """
    return join_math(to_parts(latex))


def to_parts(latex: str) -> list[str]:
    """Write `latex` in parts, between which a line may be broken."""
    if len(latex) > MAX_LENGTH:
        raise Untypesettable(f"It is longer than {MAX_LENGTH} characters.")
    parts = LatexReader(latex).read()
    if _BLANK.issuperset(parts):
        raise Untypesettable("It is empty.")
    return parts


STRUCTURES: Final[Structures] = {
    "frac": _read_fraction,
    "dfrac": lambda reader: math_call("display", _read_fraction(reader)),
    "cfrac": lambda reader: math_call("display", _read_fraction(reader)),
    "tfrac": lambda reader: math_call("inline", _read_fraction(reader)),
    **dict.fromkeys(
        ("binom", "dbinom", "tbinom"),
        lambda reader: math_call("binom", reader.read_argument(), reader.read_argument()),
    ),
    "sqrt": _read_root,
    "left": _read_between_brackets,
    "middle": lambda reader: math_call("mid", _read_bracket(reader)),
    **{name: _read_sized(size) for name, size in latex_syntax.SIZES.items()},
    "begin": _read_environment,
    "substack": _read_stack,
    "not": lambda reader: math_symbol(reader.read_negated()),
    "pmod": lambda reader: f'quad\\(op("mod"){reader.read_argument()}\\)',
    "mathbf": lambda reader: math_call("bold", math_call("upright", reader.read_argument())),
    "operatorname": lambda reader: math_call("op", reader.write_words()),
    "operatorname*": lambda reader: math_call("op", reader.write_words(), limits="#true"),
    "mathop": lambda reader: math_call("op", reader.read_argument(), limits="#true"),
    **dict.fromkeys(latex_syntax.TRANSPARENT, lambda reader: reader.read_argument()),
    **dict.fromkeys(("overset", "stackrel"), _read_overset),
    "underset": _read_underset,
    "overbrace": _read_brace("overbrace", "^"),
    "underbrace": _read_brace("underbrace", "_"),
    **{name: _read_stretched(math_symbol(arrow)) for name, arrow in latex_syntax.STRETCHED.items()},
    "color": _read_dropped,
    "textcolor": _read_coloured,
    "tag": lambda reader: f"quad{math_text(f'({reader.tokens.raw_argument()})')}",
    "label": _read_dropped,
    "hspace": _read_gap,
}
"""Commands with arguments that are not simply a function of one."""
