"""Read equalities of whole numbers that are written in another base, or computed modulo a number.

A text that speaks of binary writes `1 + 1 = 10`; one that speaks of ℤ/5ℤ writes `3 + 4 = 2`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from bot.maths.exact.algebra_questions import Check, Known, Pair, Statement
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import Expr, Num, number, transform

_BASE: Final = re.compile(
    r"\bbases? (?P<base>\d{1,2}|deux|trois|quatre|cinq|six|sept|huit|douze|two|three|five|eight)\b"
    r"|\b(?P<two>binaires?|binary)\b|\b(?P<eight>octal\w*)\b"
)
_NAMES: Final = {
    "deux": 2, "two": 2, "trois": 3, "three": 3, "quatre": 4, "cinq": 5, "five": 5, "six": 6,
    "sept": 7, "huit": 8, "eight": 8, "douze": 12,
}  # fmt: skip
_MODULUS: Final = re.compile(
    r"(?:\b|\{)z\}?\$? ?/ ?(?P<ring>\d{1,3})|ℤ ?/ ?(?P<set>\d{1,3})"
    r"|\bmod(?:ulo)?\b[ {]*(?P<mod>\d{1,3})"
    r"|≡[^.\n]*[\[(](?P<congruent>\d{1,3})[\])]"
)


def add_readings(statement: Statement, text: str) -> Statement:
    """Return the statement with its further readings in a base or modulo a number of which a text
    in small letters speaks."""
    bases, moduli = _list_bases(text), _list_moduli(text)
    for checks in list(statement.readings):
        if not all(isinstance(check, Pair) for check in checks):
            continue
        statement.readings += [
            [*_rewrite(checks, base, sides)]
            for base in bases
            for sides in ("both", "left", "right")
        ]
        if any(_is_congruent(checks, modulus) for modulus in moduli):
            statement.readings.append([Known("undecided")])
    return statement


@lru_cache(maxsize=8)  # asked for each statement of a section
def _list_bases(text: str) -> list[int]:
    bases = set[int]()
    for found in _BASE.finditer(text):
        written = found["base"] or ("2" if found["two"] else "8")
        bases.add(_NAMES.get(written) or int(written))
    return sorted(each for each in bases if 1 < each < 10)


@lru_cache(maxsize=8)
def _list_moduli(text: str) -> list[int]:
    written = ({*found.groups()} - {None} for found in _MODULUS.finditer(text))
    return sorted({int(each) for group in written for each in group if each and int(each) > 1})


def _rewrite(checks: Sequence[Check], base: int, sides: str) -> Iterator[Check]:
    """Yield pairs with the numbers of both sides, or of one, read in a base."""
    for check in checks:
        if isinstance(check, Pair):
            left = check.left if sides == "right" else _read_in_base(check.left, base)
            right = check.right if sides == "left" else _read_in_base(check.right, base)
            yield Pair(left, check.relation, right)


def _read_in_base(expr: Expr, base: int) -> Expr:
    """Return an expression with its whole numbers read in a base, as far as their digits allow."""

    def change(node: Expr) -> Expr:
        if not isinstance(node, Num) or node.value.denominator != 1 or node.value < 0:
            return node
        digits = str(node.value)
        return number(int(digits, base)) if all(int(each) < base for each in digits) else node

    return transform(expr, change)


def _is_congruent(checks: Sequence[Check], modulus: int) -> bool:
    """Return whether the sides of all pairs differ by multiples of a number."""
    try:
        gaps = [
            evaluate(check.left).number - evaluate(check.right).number
            for check in checks
            if isinstance(check, Pair) and check.relation == "="
        ]
    except Undecidable:
        return False
    return len(gaps) == len(checks) and all((gap / modulus).denominator == 1 for gap in gaps)
