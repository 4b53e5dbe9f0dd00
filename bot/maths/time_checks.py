"""Check times of day and durations, for the rules of `claims.txt`.

A night goes on after midnight, and clocks of twelve hours begin anew at noon.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

from bot.maths.arithmetic import Undecidable, evaluate
from bot.maths.expression import Expr, apply, has_operation, number
from bot.maths.questions import Check, Known, Pair
from bot.maths.wording import Found, claim, get_dimensions

_HOUR: Final = 3600
_DAY: Final = 24
_NOON: Final = 12
_TIME: Final = (("time", 1),)


def _read_hours(*values: Expr) -> list[Fraction]:
    """Return times in hours. Raises `Undecidable`: one of them is no time."""
    hours: list[Fraction] = []
    for each in values:
        measure = evaluate(each)
        if measure.unit.dimensions != _TIME:
            raise Undecidable("It is no time.")
        hours.append(measure.number * measure.unit.size / _HOUR)
    return hours


def _compare_clock(begin: Expr, lasted: Expr, end: Expr, check: Pair) -> list[Check]:
    """Return a check of `begin + lasted = end` that is right across midnight too, and across noon
    if the clock has twelve hours."""
    start, length, stop = _read_hours(begin, lasted, end)
    gap = start + length - stop
    is_noon = max(start, stop) <= _NOON + 1 and gap == _NOON
    return [Known("right")] if gap == _DAY or is_noon else [check]


def _check_end(found: Found) -> list[Check]:
    """Read `Le film commence à 15 h 20 et dure 1 h 50. Il finit à 17 h 10`."""
    values = found.name_values()
    begin, lasted, end = (values[name] for name in "abc")
    return _compare_clock(begin, lasted, end, Pair(apply("+", begin, lasted), "=", end))


def _check_span(found: Found) -> list[Check]:
    """Read `Le train part à 20 h 40 et arrive à 5 h 10 : le voyage dure 8 h 30`."""
    values = found.name_values()
    begin, end, lasted = (values[name] for name in "abc")
    start, stop = _read_hours(begin, end)
    gap = apply("-", end, begin) if start <= stop else apply("-", begin, end)
    return _compare_clock(begin, lasted, end, Pair(gap, "=", lasted))


def _check_between(found: Found) -> list[Check] | None:
    """Read `De 8 h 45 à 10 h 15, il s'écoule 1 h 30`; `de 5 à 12, il y a 7`."""
    values = found.name_values()
    kinds = {get_dimensions(values[name]) for name in "abc"}
    if kinds == {_TIME}:
        return _check_span(found)
    gap, two = apply("-", values["b"], values["a"]), number(2)
    return [Pair(apply("^", gap, two), "=", apply("^", values["c"], two))]


def _check_converted(found: Found) -> list[Check] | None:
    """Read `Quatre semaines, ça fait 28 jours`, but no days of work in hours."""
    values = found.name_values()
    one, other = values["a"], values["c"]
    if get_dimensions(one) != get_dimensions(other) or has_operation(one):
        return None
    sizes = [evaluate(each).unit.size for each in (one, other)]
    is_work = sizes[0] == _DAY * _HOUR and sizes[1] < sizes[0]
    return None if is_work or sizes[0] == sizes[1] else [claim(one, other)]


TIME_CHECKS: Final[dict[str, Callable[[Found], Sequence[Check] | None]]] = {
    "time_end": _check_end, "time_span": _check_span, "time_between": _check_between,
    "converted": _check_converted,
}  # fmt: skip
"""Checks by their names in `claims.txt`."""
