"""Formulas of LaTeX as Typst mathematics, for pictures and documents.

    source = PREAMBLE + f"$ {to_typst(formula)} $"

Own code, though a converter exists: `\\operatorname{\\\\" #read(x)}` leaves tex2typst 0.1.7 as code
that Typst runs, and `2{,}5` as a pair of numbers. Here every character of the formula comes out
escaped or in a string, and every name that comes out is one of ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from bot.documents import latex_syntax
from bot.documents.latex_syntax import Tokens, Untypesettable
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

_DEEPEST: Final = 40
_RULES: Final = ("\\hline", "\\toprule", "\\midrule", "\\bottomrule")
_SCRIPTS: Final = {"^": "t", "_": "b"}


class LatexReader:
    """What it reads comes out as Typst.

    Args:
        structures: what reads the arguments of each command that builds something of them.
    """

    def __init__(self, latex: str, structures: Structures, depth: int = 0) -> None:
        self.tokens = Tokens(latex)
        self._structures = structures
        self._depth = depth
        self._stops: list[tuple[str, ...]] = []

    def read(self) -> list[str]:
        """All of it, in parts; several lines are one part."""
        rows, _ = self._cells("")
        if len(rows) == 1 and len(rows[0]) == 1:
            return rows[0][0]
        return [lay_out_lines(Grid([[join_math(cell) for cell in row] for row in rows]))]

    def sequence(self, *stops: str) -> list[str]:
        """What comes before one of `stops`, which is not taken; "" stands for the end."""
        self._descend()
        self._stops.append(stops)
        parts: list[str] = []
        while (part := self.tokens.peek()) and part not in stops:
            self._read(self.tokens.take(), parts)
        if part not in stops:
            raise Untypesettable("Something is not closed.")
        self._stops.pop()
        self._depth -= 1
        return parts

    def argument(self) -> str:
        """What the next braces hold, or a single token."""
        part = self.tokens.take_visible()
        if part == "{":
            return join_math(self._closed("}"))
        if not part or part in "^_'":
            raise Untypesettable("An argument is missing.")
        if part.isdigit():
            return math_symbol(part)
        self._descend()
        parts: list[str] = []
        self._read(part, parts)
        self._depth -= 1
        return join_math(parts)

    def optional(self) -> str:
        """What the next square brackets hold; "" if there are none."""
        if self.tokens.peek_visible() != "[":
            return ""
        self.tokens.expect("[")
        return join_math(self._closed("]"))

    def words(self) -> str:
        """Upright text, in which mathematics may stand between dollar signs."""
        parts: list[str] = []
        texts = re.split(r"(?<!\\)\$", self.tokens.raw_argument())
        if len(texts) % 2 == 0:
            raise Untypesettable("A dollar sign is missing.")
        for index, text in enumerate(texts):
            if index % 2:
                parts += LatexReader(text, self._structures, self._depth + 1).read()
            elif text:
                parts.append(math_text(re.sub(r"\\(.)|[{}~]", _unescape_text, text)))
        return join_math(parts) or EMPTY

    def grid(self, end: str) -> Grid:
        """Rows of cells up to and with `end`."""
        rows, rules = self._cells(end)
        return Grid([[join_math(cell) for cell in row] for row in rows], rules)

    def _descend(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Untypesettable("It is nested too deeply.")

    def _closed(self, end: str) -> list[str]:
        parts = self.sequence(end)
        self.tokens.take()
        return parts

    def _cells(self, end: str) -> tuple[list[list[list[str]]], list[int]]:
        """The parts of each cell of each row, and the rows before which a line is drawn."""
        rows: list[list[list[str]]] = []
        rules: list[int] = []
        stop = "\\\\"
        while stop != end:
            if stop == "\\\\":
                index = len(rows)
                if index:
                    self.tokens.skip_gap()
                while self.tokens.peek_visible() in _RULES:
                    self.tokens.take_visible()
                    rules.append(index)
                rows.append([])
            rows[-1].append(self.sequence("&", "\\\\", end))
            stop = self.tokens.take()
        return rows, rules

    def _read(self, part: str, parts: list[str]) -> None:
        if part in ("}", "&", "\\", "\\\\", "$"):
            raise Untypesettable(f"{part!r} stands where it means nothing.")
        if part == "{":
            parts.append(self._group())
        elif part in "^_'":
            self._scripts(part, parts)
        elif part[0] == "\\":
            self._command(part[1:], parts)
        elif _is_digit(part):
            parts.append(self._number(part))
        elif not part.isspace():
            parts.append("tie" if part == "~" else math_symbol(part))

    def _group(self) -> str:
        """What stands before the closing brace; a sign alone loses the space around it."""
        parts = self._closed("}")
        if len(parts) == 1 and parts[0][0] == "\\":
            return math_call("class", '"normal"', parts[0])
        return join_math(parts) or EMPTY

    def _number(self, digits: str) -> str:
        """A number whole, with its point or comma: `2,5` stays closed up as it was written."""
        while True:
            mark = self.tokens.peek()
            if _is_digit(mark):
                digits += self.tokens.take()
            elif mark in (".", ",") and _is_digit(self.tokens.peek(1)):
                self.tokens.take()
                digits += "." if mark == "." else math_call("class", '"normal"', math_symbol(","))
            else:
                return digits

    def _scripts(self, mark: str, parts: list[str]) -> None:
        """All that is raised and lowered at the last part; or, if there is none, at the next."""
        base = parts.pop() if parts else EMPTY
        primes, places = 0, dict[str, str]()
        while mark:
            if mark == "'":
                primes += 1
            elif _SCRIPTS[mark] in places:
                raise Untypesettable("Two scripts stand at one place.")
            else:
                places[_SCRIPTS[mark]] = self.argument()
            ahead = self.tokens.peek_visible()
            mark = self.tokens.take_visible() if ahead and ahead in "^_'" else ""
        if primes:
            places["t"] = join_math([f"primes(#{primes})", places.get("t", "")])
        if base == EMPTY and self._begins_atom():
            base = self.argument()
            places = {f"{place}l": text for place, text in places.items()}
        parts.append(math_call("attach", base, **places))

    def _begins_atom(self) -> bool:
        ahead = self.tokens.peek_visible()
        named = ahead[1:] in latex_syntax.TEXTS or ahead[1:] in latex_syntax.WRAPPERS
        return ahead.isalpha() or named

    def _command(self, name: str, parts: list[str]) -> None:
        if name in ("limits", "nolimits") and parts:
            parts.append(math_call("limits" if name == "limits" else "scripts", parts.pop()))
        elif style := latex_syntax.SWITCHES.get(name):
            parts.append(math_call(style, join_math(self.sequence(*self._stops[-1]))))
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
            return math_call(latex_syntax.WRAPPERS[name], self.argument())
        if name in latex_syntax.TEXTS:
            style = latex_syntax.TEXTS[name]
            return math_call(style, self.words()) if style else self.words()
        if name in self._structures:
            return self._structures[name](self)
        raise Untypesettable("It holds a command that is not known here.")


Structures = Mapping[str, Callable[[LatexReader], str]]


def _is_digit(part: str) -> bool:
    return part.isascii() and part.isdigit()


def _unescape_text(found: re.Match[str]) -> str:
    """What an escape in text stands for."""
    char = found[1]
    if char is None:
        return " " if found[0] == "~" else ""
    if char.isalnum():
        raise Untypesettable("It holds a command within words.")
    return " " if char in ",;: \\" else char


_BRACKETS = "()[]{}|‖/\\⟨⟩⌊⌋⌈⌉↑↓↕"


def _read_fraction(reader: LatexReader) -> str:
    return math_call("frac", reader.argument(), reader.argument())


def _read_root(reader: LatexReader) -> str:
    degree = reader.optional()
    body = reader.argument()
    return math_call("root", degree, body) if degree else math_call("sqrt", body)


def _read_between_brackets(reader: LatexReader) -> str:
    opening = _read_bracket(reader)
    body = reader.sequence("\\right")
    reader.tokens.take()
    return math_call("lr", join_math([opening, *body, _read_bracket(reader)]))


def _read_bracket(reader: LatexReader) -> str:
    """A bracket; "" for the dot that stands for none."""
    part = reader.tokens.take_visible()
    if part == ".":
        return ""
    char = {"<": "⟨", ">": "⟩"}.get(part, part)
    if part.startswith("\\"):
        char = latex_syntax.SYMBOLS.get(part[1:], "")
    if not char or char not in _BRACKETS:
        raise Untypesettable("A bracket is missing.")
    return math_symbol(char)


def _read_sized(size: str) -> Callable[[LatexReader], str]:
    return lambda reader: math_call("lr", _read_bracket(reader), size=f"#{size}")


def _read_negation(reader: LatexReader) -> str:
    part = reader.tokens.take_visible()
    char = latex_syntax.SYMBOLS.get(part[1:], "") if part.startswith("\\") else part
    if char not in latex_syntax.NEGATED:
        raise Untypesettable("This is not negated so.")
    return math_symbol(latex_syntax.NEGATED[char])


def _read_dropped(reader: LatexReader) -> str:
    """Labels, and colours: pictures are black on white."""
    reader.tokens.raw_argument()
    return EMPTY


def _read_coloured(reader: LatexReader) -> str:
    reader.tokens.raw_argument()
    return reader.argument()


def _read_gap(reader: LatexReader) -> str:
    reader.tokens.raw_argument()
    return "quad"


def _read_overset(reader: LatexReader) -> str:
    above = reader.argument()
    return math_call("over", reader.argument(), above)


def _read_underset(reader: LatexReader) -> str:
    below = reader.argument()
    return math_call("under", reader.argument(), below)


def _read_brace(name: str, mark: str) -> Callable[[LatexReader], str]:
    def read(reader: LatexReader) -> str:
        body = reader.argument()
        if reader.tokens.peek_visible() != mark:
            return math_call(name, body)
        reader.tokens.expect(mark)
        return math_call(name, body, reader.argument())

    return read


def _read_stretched(arrow: str) -> Callable[[LatexReader], str]:
    def read(reader: LatexReader) -> str:
        below = reader.optional()
        over = math_call(
            "over", math_call("stretch", arrow, size="#(100% + 1em)"), reader.argument()
        )
        return math_call("under", over, below) if below else over

    return read


def _read_stack(reader: LatexReader) -> str:
    reader.tokens.expect("{")
    return stack_lines(reader.grid("}"))


def _read_environment(reader: LatexReader) -> str:
    name = reader.tokens.raw_argument()
    plain = name.removesuffix("*")
    columns = ""
    if plain in ("array", "alignedat"):
        reader.optional()
        columns = reader.tokens.raw_argument()
    grid = reader.grid("\\end")
    if reader.tokens.raw_argument() != name:
        raise Untypesettable("Environments cross.")
    return lay_out_environment(plain, columns, grid)


MAX_LENGTH: Final = 2_000
"""Characters of one formula."""
_BLANK = frozenset((EMPTY, *latex_syntax.SPACES.values()))


def to_typst(latex: str) -> str:
    """`latex`, without dollar signs around it, as Typst mathematics.

    It holds no code but calls of Typst's functions and of `PREAMBLE`'s.

    Raises:
        Untypesettable: it is malformed, too long or too deep, or holds what is not known here.
    """
    return join_math(to_parts(latex))


def to_parts(latex: str) -> list[str]:
    """The same in parts, between which a line may be broken."""
    if len(latex) > MAX_LENGTH:
        raise Untypesettable(f"It is longer than {MAX_LENGTH} characters.")
    parts = LatexReader(latex, STRUCTURES).read()
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
        lambda reader: math_call("binom", reader.argument(), reader.argument()),
    ),
    "sqrt": _read_root,
    "left": _read_between_brackets,
    "middle": lambda reader: math_call("mid", _read_bracket(reader)),
    **{name: _read_sized(size) for name, size in latex_syntax.SIZES.items()},
    "begin": _read_environment,
    "substack": _read_stack,
    "not": _read_negation,
    "pmod": lambda reader: f'quad\\(op("mod"){reader.argument()}\\)',
    "mathbf": lambda reader: math_call("bold", math_call("upright", reader.argument())),
    "operatorname": lambda reader: math_call("op", reader.words()),
    "operatorname*": lambda reader: math_call("op", reader.words(), limits="#true"),
    "mathop": lambda reader: math_call("op", reader.argument(), limits="#true"),
    **dict.fromkeys(latex_syntax.TRANSPARENT, lambda reader: reader.argument()),
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
