"""Check computations with values that the text states before: `F(3) = 21`, `u_2 = 7`, and then
`F(3) - F(1) = 21 - 1`, `u_5 - u_2 = 12`; and the affine function that has two stated values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from bot.maths.checks.stated_forms import has_call, is_call
from bot.maths.checks.stated_relations import get_call
from bot.maths.exact.algebra_questions import Check, Known, Pair
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Num,
    Solutions,
    free_letters,
    has_units,
    substitute,
    transform,
    walk,
)
from bot.maths.reading.chains import Chain
from bot.maths.reading.prose import Sentence

_TERM: Final = re.compile(r"[a-zA-Z]_\d{1,3}")
_AFFINE: Final = re.compile(r"\b(?:affines?|lineaires?|linear|telle? que|such that|verifiant)\b")
_SUPPOSED: Final = re.compile(r"\b(?:si|if|suppos\w*|imagin\w*|exemple|example)\b")
"""Words that a function is sought which has the values beside them."""


class StatedValues:
    """Values of functions at numbers, and of numbered letters; None: a text gives several."""

    def __init__(self) -> None:
        self._values: dict[Expr, Expr | None] = {}
        self._given: dict[str, list[tuple[Expr, Expr]]] = {}
        """Places and values that a sought function has."""

    def learn(self, chain: Chain, sentence: Sentence) -> None:
        """Keep the value in `F(3) = 27 - 6 = 21`."""
        first, last = chain.members[0], chain.members[-1]
        if isinstance(first, Solutions) or isinstance(last, Solutions) or not _is_key(first):
            return
        is_plain = all(each.text == "=" for each in chain.relations) and not chain.is_cut
        if not is_plain or not _is_number(last) or _SUPPOSED.search(sentence.text):
            self._values[first] = None
            return
        known = self._values.get(first, last)
        self._values[first] = last if known is not None and _agrees(known, last) else None
        name, _ = get_call(first)
        is_given = len(chain.members) == 2 and "'" not in name and _AFFINE.search(sentence.text)
        if isinstance(first, Apply) and is_given:
            self._given.setdefault(name, []).append((first.args[1], last))

    def check(self, chain: Chain) -> Check | None:
        """Return the check of a computation with stated values; None: there is none."""
        if chain.is_cut or chain.phrase:
            return None
        for at, relation in enumerate(chain.relations):
            left, right = chain.members[at], chain.members[at + 1]
            if relation.text != "=" or isinstance(left, Solutions) or isinstance(right, Solutions):
                continue
            placed = self._place(left)
            if placed is not None and _is_number(placed) and _is_number(right):
                return None if _has_decimals((placed, right)) else Pair(placed, "=", right)
        return None

    def check_affine(self, first: Expr, body: Expr) -> Known | None:
        """Return the verdict on `f(x) = 3x + 2` if the text gives two values of f before; None: it
        does not."""
        name, letter = get_call(first)
        given = self._given.get(name, ())
        if len(given) != 2 or not letter or free_letters(body) != {letter} or has_call(body):
            return None
        for place, value in given:
            try:
                is_met = evaluate(substitute(body, {letter: place})) == evaluate(value)
            except Undecidable:
                return None
            if not is_met:
                return Known("wrong", f"{name} has another value at a given place")
        return Known("right")

    def _place(self, expr: Expr) -> Expr | None:
        """Return an expression with the known values put in; None: it is a value by itself, or has
        none in it."""
        if _is_key(expr) or not isinstance(expr, Apply):
            return None

        def put(node: Expr) -> Expr:
            return self._values.get(node) or node

        placed = transform(expr, put)
        return None if placed == expr else placed


def _is_key(expr: Expr) -> bool:
    if isinstance(expr, Letter):
        return bool(_TERM.fullmatch(expr.name))
    return is_call(expr) and isinstance(expr, Apply) and not _find_letters(expr.args[1:])


def _find_letters(exprs: Sequence[Expr]) -> set[str]:
    return {name for each in exprs for name in free_letters(each)}


def _is_number(expr: Expr) -> bool:
    is_finite = not any(each == Letter("∞") for each in walk(expr))
    return is_finite and not (free_letters(expr) or has_call(expr) or has_units(expr))


def _has_decimals(exprs: Sequence[Expr]) -> bool:
    """Return whether a number may be rounded."""
    nodes = (node for each in exprs for node in walk(each))
    return any(isinstance(node, Num) and node.is_decimal for node in nodes)


def _agrees(one: Expr, other: Expr) -> bool:
    try:
        return one == other or evaluate(one) == evaluate(other)
    except Undecidable:
        return False
