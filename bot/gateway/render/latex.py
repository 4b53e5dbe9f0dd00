"""LaTeX formulas as linear Unicode text that cannot be misread.

`x^{n+1}` is `xⁿ⁺¹`, `x^{n/2}` is `x^(n/2)`, `\\frac{a+b}{2}` is `(a+b)/2`. Whatever is not known
stays LaTeX: nothing is dropped, nothing changes its meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from bot.gateway.render import matrices
from bot.gateway.render.symbols import (
    ACCENTS,
    FONTS,
    FUNCTIONS,
    NEGATED,
    SPACES,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    SYMBOLS,
    accent,
    letter,
    words,
)

_TOKEN = re.compile(r"\\(?:operatorname\*|[A-Za-z]+|.)?|\s+|.", re.DOTALL)
_DOLLARS = re.compile(r"\$([^\s$](?:[^$\n]*[^\s$])?)\$(?!\d)")
_DEEPEST = 40
_SINGLE = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_][²³¹⁰-ₜ′]*|[√∛∜]?\([^()]*\)")
_TERM = re.compile(r"\w[\w²³¹⁰-ₜ′]*(?:\([^()]*\))?|[√∛∜]?\([^()]*\)")
_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}
_SIZES = words("left right middle big Big bigg Bigg bigl bigr Bigl Bigr")
_TRANSPARENT = words(
    "text textbf textit textrm mbox mathrm mathbf mathit mathsf mathtt boldsymbol bm boxed "
    "operatorname operatorname*"
)


class _Malformed(Exception):
    """The formula stays as it is."""


class _Unit(NamedTuple):
    """What stands together; `kind` says what may touch it unchanged."""

    text: str
    kind: Literal["plain", "fraction", "function", "script"] = "plain"


def to_text(source: str) -> str:
    """The formula `source` (without its dollar signs) as text; as it is if it is malformed."""
    try:
        return _join(_Formula(source).read()).strip()
    except _Malformed:
        return source


def spell_formulas(text: str) -> str:
    """Plain text in which formulas between dollar signs are spelled out; prices stay."""
    return _DOLLARS.sub(lambda found: to_text(found[1]), text)


def _join(units: Sequence[_Unit]) -> str:
    """The units in a row: fractions in brackets, and names apart, where they would touch others."""
    parts: list[str] = []
    before = ""
    for index, unit in enumerate(units):
        after = units[index + 1].text[:1] if index + 1 < len(units) else ""
        text = unit.text
        follows = before.isalnum() or before == ")"
        if unit.kind == "fraction" and (follows or after.isalnum() or after in tuple("(√!")):
            text = f" ({text})" if before.isdigit() else f"({text})"
        if unit.kind == "function" and follows:
            text = " " + text
        if unit.kind in ("function", "script") and (after.isalnum() or after in tuple("√∛∜")):
            text += " "
        parts.append(text)
        before = text[-1:] or before
    return "".join(parts)


def _bracket(text: str, simple: re.Pattern[str]) -> str:
    return text if simple.fullmatch(text) else f"({text})"


class _Formula:
    """Reads one formula, token by token."""

    def __init__(self, source: str) -> None:
        self._tokens: list[str] = _TOKEN.findall(source)
        self._at = 0
        self._depth = 0
        self._structures: Mapping[str, Callable[[], _Unit]] = {
            **dict.fromkeys(("frac", "dfrac", "tfrac", "cfrac"), self._fraction),
            "sqrt": self._root,
            "binom": self._binomial,
            "begin": self._environment,
            "not": self._negation,
            "pmod": lambda: _Unit(f"(mod {self._text()})", "function"),
            "tag": lambda: _Unit(f"({self._text()})", "function"),
        }

    def read(self) -> list[_Unit]:
        return self._sequence(())

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        part = self._next()
        self._at += 1
        return part

    def _sequence(self, stops: Sequence[str]) -> list[_Unit]:
        """What comes before one of `stops` (which is not taken), or before the end."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _Malformed
        units: list[_Unit] = []
        while (part := self._next()) and part not in stops:
            self._at += 1
            self._read_token(part, units)
        if stops and not part:
            raise _Malformed
        self._depth -= 1
        return units

    def _read_token(self, part: str, units: list[_Unit]) -> None:
        if part == "}":
            raise _Malformed
        if part == "{":
            units.extend(self._group())
        elif part in "^_":
            self._script(part, units)
        elif part[0] == "\\":
            self._command(part, units)
        elif part.isspace() or part == "~":
            if units and not units[-1].text.endswith((" ", "\n")):
                units.append(_Unit(" "))
        else:
            units.append(_Unit("′" if part == "'" else part))

    def _group(self) -> list[_Unit]:
        """What stands before the closing brace; one unit in brackets if a script follows."""
        units = self._sequence("}")
        self._take()
        if self._next() in ("^", "_") and len(units) > 1:
            return [_Unit(f"({_join(units)})")]
        return units

    def _text(self) -> str:
        """The next argument: a group or a single token."""
        self._skip_spaces()
        part = self._take()
        if not part or part in "}&":
            raise _Malformed
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _Malformed
        units: list[_Unit] = []
        if part == "{":
            units = self._sequence("}")
            self._take()
        else:
            self._read_token(part, units)
        self._depth -= 1
        return _join(units).strip()

    def _script(self, part: str, units: list[_Unit]) -> None:
        letters = SUPERSCRIPTS if part == "^" else SUBSCRIPTS
        base = units.pop() if units else _Unit("")
        if base.kind == "fraction" or (part == "^" and base.text[-1:] in letters.values()):
            base = _Unit(f"({base.text})")
        text = self._text()
        bare = text.replace(" ", "")
        kind = base.kind
        if part == "^" and bare in ("∘", "°", "′", "″"):
            script = bare.replace("∘", "°")
        elif bare and all(char in letters for char in bare):
            script = "".join(letters[char] for char in bare)
        else:
            script = part + (text if len(text) == 1 else f"({text})")
            kind = "script" if len(text) == 1 and kind == "plain" else kind
        units.append(_Unit(base.text + script, kind))

    def _command(self, part: str, units: list[_Unit]) -> None:
        name = part[1:]
        if name in SYMBOLS:
            units.append(_Unit(SYMBOLS[name]))
            self._close_up(units)
        elif name in SPACES:
            units.append(_Unit(SPACES[name]))
        elif name in FUNCTIONS:
            units.append(_Unit(name, "function"))
        elif name in _SIZES:
            self._skip_spaces()
            self._at += self._next() == "."  # no bracket on this side
        elif structure := self._structures.get(name):
            units.append(structure())
        else:
            self._styled_or_unknown(part, units)

    def _styled_or_unknown(self, part: str, units: list[_Unit]) -> None:
        name = part[1:]
        if name in _TRANSPARENT and self._next() == "{":
            self._take()
            units.extend(self._group())
        elif name in FONTS:
            units.append(_Unit("".join(letter(name, char) for char in self._text())))
        elif name in ACCENTS:
            units.append(_Unit(accent(name, self._text())))
        else:
            units.append(_Unit(part + self._raw_groups()))

    def _close_up(self, units: list[_Unit]) -> None:
        """Drop the space that only ended a command's name: `2\\pi r` is `2πr`."""
        spaced = len(units) > 1 and units[-2].text.endswith((" ", "\n"))
        if spaced or not self._next().isspace():
            return
        following = self._tokens[self._at + 1 : self._at + 2]
        if following and (following[0].isalnum() or following[0][0] in "\\{"):
            self._at += 1

    def _skip_spaces(self) -> None:
        while self._next().isspace():
            self._at += 1

    def _raw_groups(self) -> str:
        """The arguments of an unknown command, as they are."""
        start, depth = self._at, 0
        while (part := self._next()) and (depth or part == "{"):
            depth += (part == "{") - (part == "}")
            self._at += 1
        if depth:
            raise _Malformed
        return "".join(self._tokens[start : self._at])

    def _fraction(self) -> _Unit:
        above, below = self._text(), self._text()
        return _Unit(f"{_bracket(above, _TERM)}/{_bracket(below, _SINGLE)}", "fraction")

    def _root(self) -> _Unit:
        degree = ""
        if self._next() == "[":
            self._take()
            degree = _join(self._sequence("]")).strip()
            self._take()
        body = self._text()
        if degree in _ROOTS:
            return _Unit(f"{_ROOTS[degree]}({body})")
        return _Unit(f"root({degree}; {body})", "function")

    def _binomial(self) -> _Unit:
        return _Unit(f"C({self._text()}, {self._text()})")

    def _negation(self) -> _Unit:
        self._skip_spaces()
        part = self._take()
        if part in ("", "{", "}"):
            raise _Malformed
        text = SYMBOLS.get(part[1:], part)
        return _Unit(NEGATED.get(text, text + "\u0338"))

    def _environment(self) -> _Unit:
        name, _, columns = self._raw_groups()[1:].partition("}")
        if columns and name != "array":
            raise _Malformed
        rows: list[list[str]] = [[]]
        while True:
            rows[-1].append(_join(self._sequence(("&", "\\\\", "\\end"))))
            stop = self._take()
            if stop == "\\\\":
                rows.append([])
            elif stop == "\\end":
                break
        if self._raw_groups()[1:-1] != name:
            raise _Malformed
        text = matrices.lay_out(name, [row for row in rows if any(map(str.strip, row))])
        if text is None:
            raise _Malformed
        return _Unit(text)
