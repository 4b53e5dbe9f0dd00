"""Recognise equalities whose sides stand for each other and are not equal: prices, marks, maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.maths.exact.arithmetic import Undecidable, compare, evaluate
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Num,
    Quantity,
    apply,
    has_operation,
    has_operator,
    is_percent,
    list_units,
    number,
    walk,
)
from bot.maths.exact.units import COUNT, find_unit
from bot.maths.reading.cues import is_graded, is_scale, is_score
from bot.maths.reading.prose import Sentence
from bot.maths.reading.tokens import Token

_LONGEST_ON_MAP: Final = 1_000
"""The least number of millimetres or centimetres that is no length on a map."""
_DAY: Final = 24 * 3_600
"""Seconds of a day."""
_MARKS: Final = frozenset(map(number, (5, 10, 20, 30, 40, 50, 60, 100)))
"""Numbers of points that a paper may have."""
_USUAL_MARKS: Final = 20


def is_exchange(left: Expr, right: Expr, sentence: Sentence, *, is_word: bool) -> bool:
    """Return whether two sides stand for each other and are not equal: `1 sachet = 12 bonbons`,
    units of a map, the score of a match and its points, things and their price, a part of
    something unsaid, what a computer shows.

    Args:
        is_word: whether a word relates the sides.
    """
    is_count = is_word and _counts_alone(left) and not list_units([right])
    if is_count or _is_price(left, right) or _is_part_of(left, right):
        return True
    is_fraction = is_word and _is_fraction_alone(left, right)
    if is_fraction or _is_part_alone(left, right) or _is_floating(left, right):
        return True
    if has_operation(right):
        return False
    if has_operation(left):
        return isinstance(left, Apply) and left.op == "-" and is_score(sentence)
    if not isinstance(left, Quantity):
        return False
    return find_unit(left.unit) is None or (is_scale(sentence) and not _is_on_ground(left))


def is_next_day(left: Expr, right: Expr) -> bool:
    """Return whether a sum of hours is told as a time of the next day: `22 h + 5 h = 3 h`."""
    if not isinstance(left, Apply) or left.op != "+" or list_units([left]) - {"h", "min"}:
        return False
    try:
        gap, time = evaluate(apply("-", left, right)), evaluate(right)
    except Undecidable:
        return False
    return gap.number * gap.unit.size == _DAY > time.number * time.unit.size >= 0


def ends_span(left: Expr, before: Sequence[Token]) -> bool:
    """Return whether a time ends a span, and what follows is how long that is: `8 h → 10 h, c'est
    120 min`."""
    return bool(before) and before[-1].text in ("→", "->") and "h" in list_units([left])


def join_parts(left: Expr, relation: str, right: Expr, before: Sequence[Token]) -> Expr:
    """Return the whole measure of `2 kg et 50 g = 2 050 g`, if not its last part alone is meant.

    Args:
        before: the tokens before the equality.
    """
    if len(before) < 3 or before[-1].text not in ("et", "and") or before[-3].value is None:
        return left
    above = find_unit(before[-2].text)
    below = find_unit(left.unit) if isinstance(left, Quantity) else None
    if above is None or below is None or above.size <= below.size:
        return left
    is_alone = compare(left, relation, right).verdict == "right"
    if above.dimensions != below.dimensions or not above.dimensions or is_alone:
        return left
    return apply("+", Quantity(number(before[-3].value), before[-2].text), left)


def is_mark(left: Expr, right: Expr, sentence: Sentence) -> bool:
    """Return whether a sum of points is followed by the most there are: `4 + 3,5 + 6 = 13,5/20`;
    only 20 needs no word of marks beside it."""
    if not isinstance(right, Apply) or right.op != "/" or right.args[1] not in _MARKS:
        return False
    if right.args[1] != number(_USUAL_MARKS) and not is_graded(sentence):
        return False
    is_sum = isinstance(left, Apply) and left.op == "+"
    return is_sum and not has_operator(left, "/")


def _counts_alone(expr: Expr) -> bool:
    """Return whether a side is a number of things, which a word may give a value: `Two hands make
    5 + 5`."""
    return isinstance(expr, Quantity) and find_unit(expr.unit) is None


def counts_other_things(left: Expr, right: Expr) -> bool:
    """Return whether a number of things stands for another number: `5 boîtes = 60 crayons`, of
    which the last noun may be left out."""
    if not isinstance(left, Quantity) or find_unit(left.unit) is not None:
        return False
    return isinstance(right, Num) or (isinstance(right, Quantity) and right.unit != left.unit)


def _is_on_ground(expr: Expr) -> bool:
    """Return whether a length is too large for a map: `200 000 cm`."""
    if not isinstance(expr, Quantity) or not isinstance(expr.number, Num):
        return False
    return expr.unit in ("mm", "cm") and expr.number.value >= _LONGEST_ON_MAP


def _is_price(left: Expr, right: Expr) -> bool:
    """Return whether one side counts things and the other is a measure: `3 cahiers + 2 stylos =
    1 300 F`, `2 pains = 2 × 150 F`."""
    return _counts_things(left) and _is_measured(right)


def _counts_things(expr: Expr) -> bool:
    """Return whether all terms of an expression are numbers of things."""
    if isinstance(expr, Apply) and expr.op in ("+", "-"):
        return all(map(_counts_things, expr.args))
    return isinstance(expr, Quantity) and find_unit(expr.unit) is None


def _is_measured(expr: Expr) -> bool:
    """Return whether an expression has a unit of measurement in it."""
    units = (find_unit(node.unit) for node in walk(expr) if isinstance(node, Quantity))
    return any(unit is not None and unit.dimensions != COUNT for unit in units)


def _is_part_of(left: Expr, right: Expr) -> bool:
    """Return whether a percentage of a number is said to consist of percentages: `15 % de 2 400,
    c'est 10 % plus 5 %`."""
    parts = left.args if isinstance(left, Apply) and left.op == "*" else ()
    amounts = [each for each in parts if not is_percent(each)]
    is_below_one = any(isinstance(each, Num) and each.value <= 1 for each in amounts)
    return 0 < len(amounts) < len(parts) and is_percent(right) and not is_below_one


def _is_part_alone(left: Expr, right: Expr) -> bool:
    """Return whether a part of something that is not said is a number above 1 or a measure: `10 %
    valent 300 F`, `un tiers vaut 12`."""
    value = left.args[0] if isinstance(left, Apply) and left.op == "%" else left
    if not isinstance(value, Num) or value.is_decimal or has_operation(right):
        return False
    is_part = value.value <= _WHOLE if value is not left else value.value.denominator > 1
    shown = right.number if isinstance(right, Quantity) else right
    return is_part and isinstance(shown, Num) and (shown is not right or shown.value > 1)


_WHOLE: Final = 100
"""The whole in percent."""


def _is_fraction_alone(left: Expr, right: Expr) -> bool:
    """Return whether a fraction of something that is not said is a number, and not one of its own
    terms or their quotient: `1/3 vaut 12`, `1/6 vaut 200 F`."""
    match left, right:
        case Apply("/", (Num(above), Num(below))), Num(value) | Quantity(Num(value)):
            is_part = 0 < above < below <= _LARGEST_PART
            return is_part and value > 1 and value not in (above, below, below / above)
        case _:
            return False


_LARGEST_PART: Final = 12
"""The largest denominator of a part that a word names without its whole."""


def _is_floating(left: Expr, right: Expr) -> bool:
    """Return whether a decimal has the digits that a computer shows, which computes with about 16
    of them: `0,1 + 0,2 = 0.30000000000000004`."""
    if not isinstance(right, Num) or right.places < _FLOATING:
        return False
    try:
        value = evaluate(left)
    except (Undecidable, ZeroDivisionError):
        return False
    gap = abs(value.number - right.value)
    return not value.unit.dimensions and gap * 10 ** (_FLOATING - 1) < 1 + abs(right.value)


_FLOATING: Final = 14
"""The least decimals that a computer shows of a result that it cannot hold exactly."""
