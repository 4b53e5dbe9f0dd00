"""Find an expression or equation that is given away by its coefficients, or in another form. Pure.

`a = 3, b = −12, c = 4` for `3x² − 12x + 4`; `a = 6 et b = 2` for `6√2`; `le coefficient directeur
est 3 et l'ordonnée à l'origine est 1` or `3x − y + 1 = 0` for `y = 3x + 1`.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from bot.learning.expression_shape import POINTS, read_form
from bot.learning.grading.typed_expressions import is_same_curve
from bot.learning.leaks.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

_VALUE: Final = r"(-? ?\d+(?:[.,]\d+)?)(?![\d.,]*[\d/]| ?[*/÷^√])"
_NAMED: Final = re.compile(rf"(?<![a-z])([abcmp]) ?(?:=|vaut|est) ?{_VALUE}")
_SLOPE: Final = re.compile(
    rf"\b(?:coefficient directeur|pente|slope|gradient)\b[^\d.!?\n-]{{1,20}}{_VALUE}"
)
_INTERCEPT: Final = re.compile(
    rf"\b(?:ordonnee a l'origine|y-intercept|intercept)\b[^\d.!?\n-]{{1,20}}{_VALUE}"
)
_SIDE: Final = r"(?:(?<![a-z'])[a-z](?![a-z'])|[-\d.²^*+() ]|,(?=\d)){1,40}"
_EQUATION: Final = re.compile(rf"{_SIDE}={_SIDE}")
_ROOT: Final = re.compile(r"(-?\d+)\*?√\(?(\d+)\)?")


class CoefficientSearch:
    """A search for all coefficients of the solution, each with its name, or for its equation in
    another form."""

    def __init__(self, solution: str, statement: Reading) -> None:
        written = Reading(solution)
        self._equation = solution if "=" in solution else ""
        self._names = dict(_list_coefficients(written.squeezed.rpartition("=")[2]))
        self._is_line = self._names.keys() == {"a", "b"}
        self._given = statement.squeezed

    def find(self, reading: Reading) -> str | None:
        """Return the words that name the coefficients or write the equation."""
        plain = reading.plain
        if self._names and self._names_all(plain):
            return "the coefficients"
        if not self._equation or "=" not in plain:
            return None
        for found in _EQUATION.finditer(plain):
            equation = found[0].strip(" .,(")
            is_new = Reading(equation).squeezed not in self._given + reading.known.squeezed
            if is_new and is_same_curve(equation, self._equation):
                return equation
        return None

    def _names_all(self, plain: str) -> bool:
        said = {name: _read(value) for name, value in _NAMED.findall(plain)}
        if self._is_line and (slope := _SLOPE.search(plain)) and (rest := _INTERCEPT.search(plain)):
            said |= {"a": _read(slope[1]), "b": _read(rest[1])}
        needed = {name for name, value in self._names.items() if name != "a" or value != 1}
        return len(needed) > 1 and all(
            name in said and math.isclose(said[name], self._names[name]) for name in needed
        )


def _list_coefficients(squeezed: str) -> Iterator[tuple[str, float]]:
    """Yield the coefficients of `ax² + bx + c`, `ax + b` or `a√b`; none for another expression."""
    if root := _ROOT.fullmatch(squeezed):
        yield from (("a", float(root[1])), ("b", float(root[2])))
        return
    form = read_form(squeezed)
    if form is None or len(form.letters) != 1 or not re.fullmatch(r"[-+\da-z^*.,]+", squeezed):
        return
    one, two, three = POINTS
    first = (form.values[1] - form.values[0]) / (two - one)
    second = (form.values[2] - form.values[1]) / (three - two)
    square = (second - first) / (three - one)
    slope = first - square * (one + two)
    rest = form.values[0] - slope * one - square * one * one
    found = [square, slope, rest] if abs(square) > 1e-9 else [slope, rest]
    if all(math.isclose(each, round(each, 3), abs_tol=1e-6) for each in found):
        yield from zip("abc", (round(each, 3) for each in found), strict=False)


def _read(written: str) -> float:
    return float(written.replace(" ", "").replace(",", "."))
