"""Check what sentences tell of expressions: circles, simplified forms, signs, limits, roots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from bot.maths.exact.algebra_questions import Check, Identity, Pair
from bot.maths.exact.expression import (
    Expr,
    Solutions,
    apply,
    free_letters,
    has_operation,
    number,
    substitute,
)
from bot.maths.reading.wording import Found


def _get_value(found: Found, place: int) -> Expr | None:
    """Return the number whose mark stands at a place of the text; None: it is a set."""
    value = found.wording.values[found.wording.marks.index(place)]
    return None if isinstance(value, Solutions) else value


def _find_expression(found: Found, places: Sequence[int]) -> tuple[Expr, str] | None:
    """Return the last computation with one letter at some places, and its letter."""
    for place in reversed(places):
        value = _get_value(found, place)
        letters = sorted(free_letters(value)) if value else []
        if value and len(letters) == 1 and has_operation(value):
            return value, letters[0]
    return None


def _check_identity(found: Found) -> list[Check] | None:
    """Read `(x² - 9)/(x + 3), pour x ≠ -3, donne x - 3`."""
    values = found.name_values()
    one, other = values["e"], values["c"]
    is_alike = len(free_letters(one)) == 1 and free_letters(other) <= free_letters(one)
    return [Identity(one, other, "claimed")] if is_alike and has_operation(one) else None


def _check_midpoint(found: Found) -> list[Check]:
    """Read `A(1 ; 2) et B(7 ; 10). … Le milieu est I(4 ; 6)`."""
    values = found.name_values()
    sums = [apply("+", values[one], values[other]) for one, other in ("xz", "yt")]
    twice = [apply("*", number(2), values[name]) for name in "ab"]
    return [Pair(one, "=", other) for one, other in zip(sums, twice, strict=True)]


def _check_equal(found: Found) -> list[Check]:
    """Read `L'écriture binaire de 25 est 11001. Celle de 22 est 10110`."""
    values = found.name_values()
    return [Pair(values["a"], "=", values["c"])]


def _check_through(found: Found) -> list[Check] | None:
    """Read `La droite passant par (0 ; 1) et (2 ; 5) a pour équation y = 2x + 1`."""
    values = found.name_values()
    if free_letters(values["e"]) != {"x"}:
        return None
    return [
        Pair(substitute(values["e"], {"x": values[x]}), "=", values[y]) for x, y in ("xy", "zt")
    ]


def _check_double_root(found: Found) -> list[Check] | None:
    """Read `Pour x² - 10x + 25, Δ = 0 et la racine double est 5`."""
    end = found.match.start("c")
    expression = _find_expression(found, [each for each in found.wording.marks if each < end])
    if expression is None or found.has("Δ ≠"):
        return None
    value, letter = expression
    return [Pair(substitute(value, {letter: found.name_values()["c"]}), "=", number(0))]


FUNCTION_CHECKS: Final[dict[str, Callable[[Found], Sequence[Check] | None]]] = {
    "identity": _check_identity,
    "midpoint": _check_midpoint, "equal": _check_equal,
    "double_root": _check_double_root, "through": _check_through,
}  # fmt: skip
"""Checks by their names in `claims.txt`."""
