"""The operators of formulas, ranked as in Excel's help ("Calculation operators and precedence"): a
sign binds more strongly than a power, so that -2^2 is 4."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from bot.library.office.sheets.values import (
    Fault,
    Node,
    Place,
    Value,
    number,
    order_key,
    to_number,
    to_text,
)


def negate(node: Node, place: Place) -> Value:
    return -number(node, place)


def percent(node: Node, place: Place) -> Value:
    return number(node, place) / 100


def _calculate(compute: Callable[[Any, Any], Any], left: Value, right: Value) -> Value:
    try:
        result = compute(to_number(left), to_number(right))
    except ZeroDivisionError:
        raise Fault("#DIV/0!") from None
    except OverflowError:
        raise Fault("#NUM!") from None
    if isinstance(result, complex) or not abs(result) < 1e300:
        raise Fault("#NUM!")
    return float(result)


def _compare(compute: Callable[[Any, Any], bool], left: Value, right: Value) -> Value:
    return compute(_round(order_key(left, right)), _round(order_key(right, left)))


def _round(key: tuple[int, Any]) -> tuple[int, Any]:
    """Numbers are compared by 15 digits: 0.1+0.2 is 0.3."""
    rank, value = key
    return (rank, float(f"{value:.15g}")) if isinstance(value, float) else key


def _join(left: Value, right: Value) -> Value:
    return to_text(left) + to_text(right)


RANKS: Final[Sequence[Mapping[str, Callable[[Value, Value], Value]]]] = (
    {
        "=": partial(_compare, operator.eq),
        "<>": partial(_compare, operator.ne),
        "<": partial(_compare, operator.lt),
        ">": partial(_compare, operator.gt),
        "<=": partial(_compare, operator.le),
        ">=": partial(_compare, operator.ge),
    },
    {"&": _join},
    {"+": partial(_calculate, operator.add), "-": partial(_calculate, operator.sub)},
    {
        "*": partial(_calculate, operator.mul),
        "/": partial(_calculate, lambda left, right: left / right),
    },
    {"^": partial(_calculate, lambda left, right: left**right)},
)
"""The weakest first; signs and `%` bind more strongly than all."""
