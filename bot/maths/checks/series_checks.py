"""Check statistics and terms of lists of numbers, for the rules of `claims.txt`."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial, reduce
from itertools import pairwise
from typing import Final

from bot.maths.exact.algebra_questions import Check, Known, Pair
from bot.maths.exact.expression import Apply, Expr, apply, number, walk
from bot.maths.reading.wording import Found, claim, plain, whole


def _check_statistic(found: Found) -> list[Check]:
    values, claimed = found.list_values("list"), found.name_values()["c"]
    products = (node for node in walk(claimed) if isinstance(node, Apply) and node.op == "*")
    if found.has("coef|ponder|weight") or any(products):
        return []
    if found["kind"] in ("moyenne", "mean", "average", "somme", "sum", "total"):
        total = reduce(partial(apply, "+"), values)
        is_mean = found["kind"] in ("moyenne", "mean", "average")
        return [claim(apply("/", total, number(len(values))) if is_mean else total, claimed)]
    numbers = [plain(each) for each in values]
    if found["kind"] == "mode":
        return [claim(number(each), claimed) for each in statistics.multimode(numbers)[:1]]
    if found["kind"].startswith(("variance", "ecart", "standard")):
        return _check_spread(numbers, claimed, is_variance=found["kind"] == "variance")
    is_median = found["kind"].startswith("med")
    expected = statistics.median(numbers) if is_median else max(numbers) - min(numbers)
    return [claim(number(Fraction(expected)), number(plain(claimed)))]


def _check_spread(numbers: Sequence[Fraction], claimed: Expr, *, is_variance: bool) -> list[Check]:
    """Check a variance or a standard deviation, which may be that of a sample."""
    variance = statistics.pvariance(numbers)
    of_sample = variance * len(numbers) / (len(numbers) - 1)
    squared = plain(claimed) ** (1 if is_variance else 2)
    if abs(squared - of_sample) <= of_sample / 50:
        return [Known("right")]
    expected = number(variance)
    return [claim(expected if is_variance else apply("sqrt", expected), claimed)]


def _check_nth(found: Found) -> list[Check]:
    """Read `The 5th term of 3, 7, 11, … is 19`, `the next two of 3, 6, 12 are 24 and 48`."""
    terms = [plain(each) for each in found.list_values("list")]
    claimed = [plain(each) for each in found.list_values()][len(terms) :]
    first = int(found["rank"] or len(terms) + 1)
    steps = {other - one for one, other in pairwise(terms)}
    factors = {other / one for one, other in pairwise(terms)}
    if len(terms) < 3 or first > 60 or min(len(steps), len(factors)) > 1:
        return []
    step = steps.pop() if len(steps) == 1 else None
    factor = factors.pop()
    nths = (
        terms[0] + at * step if step is not None else terms[0] * factor**at
        for at in range(first - 1, first - 1 + len(claimed))
    )
    return [Pair(number(one), "=", number(each)) for one, each in zip(nths, claimed, strict=True)]


def _check_progression(found: Found) -> list[Check]:
    *terms, claimed = map(plain, found.list_values())
    are_even = len({other - one for one, other in pairwise(terms)}) == 1
    is_geometric = found["kind"].startswith("geom") or not (found["kind"] or are_even)
    steps = {other / one if is_geometric else other - one for one, other in pairwise(terms)}
    return [Pair(number(steps.pop()), "=", number(claimed))] if len(steps) == 1 else []


def _check_partial_sum(found: Found) -> list[Check] | None:
    """Read `La somme des 10 premiers termes de la suite 1, 3, 5, … est 100`."""
    terms, count = (
        [plain(each) for each in found.list_values("list")],
        whole(found.name_values()["n"]),
    )
    steps = {other - one for one, other in pairwise(terms)}
    if len(terms) < 3 or len(steps) != 1 or not 0 < count < 10_000:
        return None
    total = count * (2 * terms[0] + (count - 1) * steps.pop()) / 2
    return [Pair(number(total), "=", found.name_values()["c"])]


SERIES_CHECKS: Final[dict[str, Callable[[Found], Sequence[Check] | None]]] = {
    "statistic": _check_statistic, "nth": _check_nth, "progression": _check_progression,
    "partial_sum": _check_partial_sum,
}  # fmt: skip
"""Checks by their names in `claims.txt`."""
