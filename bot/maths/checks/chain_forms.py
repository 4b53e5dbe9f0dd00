"""Check the members of a chain against each other where no two neighbours can be compared.

The unit before a computation and the one after it (`45 mm = 45 ÷ 10 = 0,45 cm`), the operation of a
formula and the one of its numbers (`P = W/t = 60 × 30`), the bounds of intervals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from bot.maths.exact.algebra_questions import Check, Known, Pair
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Interval,
    Letter,
    Num,
    Quantity,
    Solutions,
    free_letters,
    list_units,
)
from bot.maths.exact.units import find_unit
from bot.maths.reading.chains import Chain
from bot.maths.reading.cues import is_scale
from bot.maths.reading.prose import Sentence

_OTHERWISE: Final = re.compile(r"\b(?:revient|inverse|reciprocal|demie?s?|moitie|half)\b")
"""Words with which a division is done as a multiplication: `d/t = 90 × 2` for half an hour."""
_SIXTIES: Final = frozenset((24, 60, 3600))
_OPPOSITE: Final = {"*": "/", "/": "*"}
_SAID: Final = {"*": "multiplies", "/": "divides"}


def check_forms(chain: Chain, sentence: Sentence) -> Iterator[Check]:
    """Yield what a chain of equalities says of its own members."""
    if chain.is_cut or not {each.text for each in chain.relations} <= {"=", "≈"}:
        return
    members = chain.members
    yield from _check_bounds(chain)
    if not is_scale(sentence):
        yield from _check_ends(members, chain.relations[-1].text)
    if not _OTHERWISE.search(sentence.text):
        yield from _check_operation(members)


def _check_ends(members: Sequence[Expr | Solutions], relation: str) -> Iterator[Check]:
    """Read `45 mm = 45 ÷ 10 = 4,5 cm`, of which the computation has no unit."""
    if len(members) != 3:
        return
    match members:
        case [
            Quantity(Num() as given, one),
            Apply("*" | "/", (Num() as first, Num(factor))) as between,
            Quantity(Num(), other) as result,
        ]:
            units = find_unit(one), find_unit(other)
            is_step = str(factor).strip("0") == "1" or factor in _SIXTIES
            is_same = units[0] and units[1] and units[0].dimensions == units[1].dimensions
            if (
                given == first
                and is_step
                and is_same
                and one != other
                and not list_units([between])
            ):
                yield Pair(Quantity(given, one), relation, result)
        case _:
            return


def _check_operation(members: Sequence[Expr | Solutions]) -> Iterator[Check]:
    """Read `P = W/t = 60 × 30`, in which the numbers are not computed as the letters are."""
    for formula, computed in pairwise(members[1:]):
        match formula, computed:
            case Apply(op, (Letter(one), Letter(other))), Apply(done, (first, second)):
                is_plain = _is_plain(first) and _is_plain(second) and one != other
                if is_plain and _OPPOSITE.get(op) == done:
                    yield Known("wrong", f"the formula {_SAID[op]}, the computation {_SAID[done]}")
            case _:
                continue


def _is_plain(expr: Expr) -> bool:
    return isinstance(expr, Num) or (isinstance(expr, Quantity) and isinstance(expr.number, Num))


def _check_bounds(chain: Chain) -> Iterator[Check]:
    """Read `[0,5 − 0,1 ; 0,5 + 0,1] = [0,4 ; 0,6]`."""
    for relation, (one, other) in zip(chain.relations, pairwise(chain.members), strict=False):
        match one, other:
            case Solutions((), (Interval() as left,)), Solutions((), (Interval() as right,)):
                for first, second in ((left.low, right.low), (left.high, right.high)):
                    if first and second and not free_letters(first) | free_letters(second):
                        yield Pair(first, relation.text, second)
            case _:
                continue
