"""LaTeX formulas as linear Unicode text that cannot be misread.

`x^{n+1}` is `xⁿ⁺¹`, `x^{n/2}` is `x^(n/2)`, `\\frac{a+b}{2}` is `(a+b)/2`. Whatever is not known
stays LaTeX: nothing is dropped, nothing changes its meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

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
from bot.gateway.render.units import Unit, fraction, join

_TOKEN = re.compile(r"\\(?:operatorname\*|[A-Za-z]+|.)?|\s+|.", re.DOTALL)
_DOLLARS = re.compile(r"\$([^\s$](?:[^$\n]*[^\s$])?)\$(?!\d)")
_DEEPEST = 40
_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}
_SIZES = words("left right middle big Big bigg Bigg bigl bigr Bigl Bigr")
_TRANSPARENT = words(
    "text textbf textit textrm mbox mathrm mathbf mathit mathsf mathtt boldsymbol bm boxed "
    "operatorname operatorname*"
)


class _Malformed(Exception):
    """The formula stays as it is."""


@lru_cache(maxsize=1024)
def to_text(source: str) -> str:
    """The formula `source` (without its dollar signs) as text; as it is if it is malformed.

    Remembered, because drafts show the same formulas again and again while an answer grows.
    """
    try:
        return join(_Formula(source).read()).strip()
    except _Malformed:
        return source


def spell_formulas(text: str) -> str:
    """Plain text in which formulas between dollar signs are spelled out; prices stay."""
    return _DOLLARS.sub(lambda found: to_text(found[1]), text)


class _Formula:
    """Reads one formula, token by token."""

    def __init__(self, source: str) -> None:
        self._tokens: list[str] = _TOKEN.findall(source)
        self._at = 0
        self._depth = 0

    def read(self) -> list[Unit]:
        return self._sequence(())

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        part = self._next()
        self._at += 1
        return part

    def _sequence(self, stops: Sequence[str]) -> list[Unit]:
        """What comes before one of `stops` (which is not taken), or before the end."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _Malformed
        units: list[Unit] = []
        while (part := self._next()) and part not in stops:
            self._at += 1
            self._read_token(part, units)
        if stops and not part:
            raise _Malformed
        self._depth -= 1
        return units

    def _read_token(self, part: str, units: list[Unit]) -> None:
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
                units.append(Unit(" "))
        else:
            units.append(Unit("′" if part == "'" else part))

    def _group(self) -> list[Unit]:
        """What stands before the closing brace; one unit in brackets if a script follows."""
        units = self._sequence("}")
        self._take()
        if self._next() in ("^", "_") and len(units) > 1:
            return [Unit(f"({join(units)})")]
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
        units: list[Unit] = []
        if part == "{":
            units = self._sequence("}")
            self._take()
        else:
            self._read_token(part, units)
        self._depth -= 1
        return join(units).strip()

    def _script(self, part: str, units: list[Unit]) -> None:
        letters = SUPERSCRIPTS if part == "^" else SUBSCRIPTS
        base = units.pop() if units else Unit("")
        if base.kind == "fraction" or (part == "^" and base.text[-1:] in letters.values()):
            base = Unit(f"({base.text})")
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
        units.append(Unit(base.text + script, kind))

    def _command(self, part: str, units: list[Unit]) -> None:
        name = part[1:]
        if name in SYMBOLS:
            units.append(Unit(SYMBOLS[name]))
            self._close_up(units)
        elif name in SPACES:
            units.append(Unit(SPACES[name]))
        elif name in FUNCTIONS:
            units.append(Unit(name, "function"))
        elif name in _SIZES:
            self._skip_spaces()
            self._at += self._next() == "."  # no bracket on this side
        elif structure := self._STRUCTURES.get(name):
            units.append(structure(self))
        else:
            self._styled_or_unknown(part, units)

    def _styled_or_unknown(self, part: str, units: list[Unit]) -> None:
        name = part[1:]
        if name in _TRANSPARENT and self._next() == "{":
            self._take()
            units.extend(self._group())
        elif name in FONTS:
            units.append(Unit("".join(letter(name, char) for char in self._text())))
        elif name in ACCENTS:
            units.append(Unit(accent(name, self._text())))
        else:
            units.append(Unit(part + self._raw_groups()))

    def _close_up(self, units: list[Unit]) -> None:
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

    def _fraction(self) -> Unit:
        above, below = self._text(), self._text()
        return fraction(above, below)

    def _root(self) -> Unit:
        degree = ""
        if self._next() == "[":
            self._take()
            degree = join(self._sequence("]")).strip()
            self._take()
        body = self._text()
        if degree in _ROOTS:
            return Unit(f"{_ROOTS[degree]}({body})")
        return Unit(f"root({degree}; {body})", "function")

    def _binomial(self) -> Unit:
        return Unit(f"C({self._text()}, {self._text()})")

    def _negation(self) -> Unit:
        self._skip_spaces()
        part = self._take()
        if part in ("", "{", "}"):
            raise _Malformed
        text = SYMBOLS.get(part[1:], part)
        return Unit(NEGATED.get(text, text + "\u0338"))

    def _modulus(self) -> Unit:
        return Unit(f"(mod {self._text()})", "function")

    def _tag(self) -> Unit:
        return Unit(f"({self._text()})", "function")

    def _environment(self) -> Unit:
        name, _, columns = self._raw_groups()[1:].partition("}")
        if columns and name != "array":
            raise _Malformed
        rows: list[list[str]] = [[]]
        while True:
            rows[-1].append(join(self._sequence(("&", "\\\\", "\\end"))))
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
        return Unit(text)

    _STRUCTURES: ClassVar[Mapping[str, Callable[[Any], Unit]]] = {
        "frac": _fraction,
        "dfrac": _fraction,
        "tfrac": _fraction,
        "cfrac": _fraction,
        "sqrt": _root,
        "binom": _binomial,
        "begin": _environment,
        "not": _negation,
        "pmod": _modulus,
        "tag": _tag,
    }
