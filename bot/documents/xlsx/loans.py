"""Compute the functions of loans and savings, by the formulas of Excel's help for `PV`.

Money that is paid is negative, money that is received positive.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from bot.documents.xlsx.functions import (
    Computed,
    FormulaError,
    FormulaPlace,
    Node,
    Uncomputed,
    number,
    read_numbers,
)


def _lend(compute: Callable[..., float]) -> Computed:
    """Return a function of a loan, whose arguments are numbers."""
    return lambda nodes, place: _settle(lambda: compute(*(number(node, place) for node in nodes)))


def _settle(compute: Callable[[], float]) -> float:
    """Return the result. Raises `FormulaError`: there is none, or it is too large."""
    try:
        result = compute()
    except (ZeroDivisionError, OverflowError):
        raise FormulaError("#NUM!") from None
    if isinstance(result, complex) or not math.isfinite(result):
        raise FormulaError("#NUM!")
    return result


def _sum_payments(rate: float, periods: float, due: float) -> float:
    """Return what payments of 1 are worth at the end; `due` is 1 where each begins its period."""
    return (1 + rate * due) * ((1 + rate) ** periods - 1) / rate if rate else periods


def _pay(
    rate: float, periods: float, present: float, future: float = 0.0, due: float = 0.0
) -> float:
    worth = present * (1 + rate) ** periods + future
    return -worth / _sum_payments(rate, periods, due)


def _find_future(
    rate: float, periods: float, payment: float, present: float = 0.0, due: float = 0.0
) -> float:
    return -(present * (1 + rate) ** periods + payment * _sum_payments(rate, periods, due))


def _find_present(
    rate: float, periods: float, payment: float, future: float = 0.0, due: float = 0.0
) -> float:
    return -(future + payment * _sum_payments(rate, periods, due)) / (1 + rate) ** periods


def _pay_interest(
    rate: float, period: float, periods: float, present: float, future: float = 0.0, due: float = 0
) -> float:
    if due:
        raise Uncomputed
    payment = _pay(rate, periods, present, future)
    return _find_future(rate, period - 1, payment, present) * rate


def _pay_back(
    rate: float, period: float, periods: float, present: float, future: float = 0.0, due: float = 0
) -> float:
    interest = _pay_interest(rate, period, periods, present, future, due)
    return _pay(rate, periods, present, future) - interest


def _discount(nodes: Sequence[Node], place: FormulaPlace) -> float:
    growth = 1 + number(nodes[0], place)
    if not growth:
        raise FormulaError("#DIV/0!")
    payments = read_numbers(nodes[1:], place)
    return _settle(
        lambda: math.fsum(value / growth**period for period, value in enumerate(payments, 1))
    )


LOANS: Final[Mapping[str, Computed]] = {
    "PMT": _lend(_pay),
    "FV": _lend(_find_future),
    "PV": _lend(_find_present),
    "IPMT": _lend(_pay_interest),
    "PPMT": _lend(_pay_back),
    "NPV": _discount,
}
"""Functions of `functions.ARITY` that are computed here."""
