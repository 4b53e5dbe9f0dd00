"""Compute small expressions exactly, without sympy: fractions, units, and whether two sides agree.

A side is a number with one unit or none. What is undecided here (irrational numbers) `algebra.py`
may decide.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final, Literal, NamedTuple

from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Num,
    Quantity,
    has_operator,
    has_units,
    is_small,
    number,
    substitute,
    transform,
    walk,
)
from bot.maths.exact.units import (
    COUNT,
    NONE,
    Unit,
    find_unit,
    is_conversion,
    is_converted,
    is_factor,
    is_power,
    is_temperature,
    multiply,
    to_kelvins,
)

Verdict = Literal["right", "wrong", "undecided"]
MAX_BITS: Final = 20_000
"""Most bits of a computed number."""
_MOST_TERMS: Final = 200
"""Most terms of a sum that are added one by one."""


class Undecidable(Exception):
    """Raised for an expression that has no value here."""


class Unreal(Undecidable):
    """Raised for an expression that is no real number: `√(9 - 16)`."""


class Irrational(Undecidable):
    """Raised for an expression whose value is no fraction, or may be none."""


class Measure(NamedTuple):
    """A value in the unit in which it was written."""

    number: Fraction
    unit: Unit = NONE


class Decision(NamedTuple):
    verdict: Verdict
    why: str = ""
    is_open: bool = False
    """Whether `algebra.py` may decide it."""


UNDECIDED: Final = Decision("undecided")


def evaluate(expr: Expr, *, in_degrees: bool = False) -> Measure:
    """Return the exact value of an expression.

    Args:
        in_degrees: whether an angle without a unit is in degrees.

    Raises:
        Irrational: the value is no fraction, or has π in it.
        Undecidable: the expression has letters, is too large, divides by zero, or adds unlike
            units.
    """
    if not is_small(expr):
        raise Undecidable("It is too large.")
    return _evaluate(expr, in_degrees)


def _evaluate(expr: Expr, in_degrees: bool) -> Measure:
    match expr:
        case Num(value):
            return Measure(value)
        case Letter("π" | "e" | "∞") | Apply("integrate" | "derive" | "at" | "limit"):
            raise Irrational("A constant, or calculus.")
        case Apply("sum" | "prod", (body, Letter(name), low, high)):
            return _add_up(expr, body, name, (low, high))
        case Letter(name):
            raise Undecidable(f"{name} has no value.")
        case Quantity(number, name):
            return _measure(_evaluate(number, in_degrees), name)
        case Apply(op, args):
            values = [_evaluate(arg, in_degrees) for arg in args]
            return _compute(op, values, in_degrees)


def _add_up(expr: Apply, body: Expr, name: str, bounds: tuple[Expr, Expr]) -> Measure:
    """Return the value of a sum or product of few terms. Raises `Irrational`: it has too many, or
    another series inside."""
    if has_operator(body, "sum", "prod"):
        raise Irrational("A series of series.")
    low, high = (_evaluate(bound, in_degrees=False).number for bound in bounds)
    if low.denominator != 1 or high.denominator != 1 or not 0 <= high - low < _MOST_TERMS:
        raise Irrational("A series.")
    total = Fraction(expr.op == "prod")
    for place in range(int(low), int(high) + 1):
        value = _evaluate(substitute(body, {name: number(place)}), in_degrees=False).number
        total = _bound(total + value if expr.op == "sum" else total * value)
    return Measure(total)


def _measure(number: Measure, name: str) -> Measure:
    unit = find_unit(name)
    if unit is None:
        return number
    if number.unit != NONE:
        raise Undecidable("A unit of units.")
    return (
        Measure(number.number * unit.size)
        if unit.dimensions == COUNT
        else number._replace(unit=unit)
    )


def _compute(op: str, values: list[Measure], in_degrees: bool) -> Measure:
    if op in ("+", "-"):
        return _add(values[0], values[1], -1 if op == "-" else 1)
    if op == "*":
        unit = multiply(values[0].unit, values[1].unit)
        return Measure(_bound(values[0].number * values[1].number), unit)
    if op == "/":
        if not values[1].number:
            raise Undecidable("It divides by zero.")
        unit = multiply(values[0].unit, values[1].unit, -1)
        return Measure(_bound(values[0].number / values[1].number), unit)
    if op in ("neg", "%", "abs"):
        number = values[0].number
        changed = {"neg": -number, "%": number / 100, "abs": abs(number)}[op]
        return values[0]._replace(number=changed)
    if op == "^":
        return _raise(values[0], values[1])
    return _call(op, values, in_degrees)


def _bound(number: Fraction) -> Fraction:
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > MAX_BITS:
        raise Undecidable("It is too large.")
    return number


def _add(left: Measure, right: Measure, sign: int) -> Measure:
    """Return a sum in the unit of the first number; a number without a unit takes that of the
    other, if it is money or the like."""
    if NONE in (left.unit, right.unit):
        unit = right.unit if left.unit == NONE else left.unit
        if is_converted(unit):
            raise Undecidable("A unit may be a letter.")
        return Measure(left.number + sign * right.number, unit)
    if left.unit.dimensions != right.unit.dimensions:
        raise Undecidable("Unlike units are added.")
    number = left.number + sign * right.number * right.unit.size / left.unit.size
    return Measure(_bound(number), left.unit)


def _raise(base: Measure, exponent: Measure) -> Measure:
    power = exponent.number
    if exponent.unit != NONE:
        raise Undecidable("A unit in an exponent.")
    if power.denominator != 1:
        if base.unit == NONE and base.number >= 0 and power.denominator <= 3:
            root = _take_root(base.number, power.denominator)
            return _raise(Measure(root), Measure(Fraction(power.numerator)))
        raise Irrational("A root.")
    number, whole = base.number, power.numerator
    bits = max(number.numerator.bit_length(), number.denominator.bit_length())
    if bits * abs(whole) > MAX_BITS or (not number and whole <= 0):
        raise Undecidable("It is too large, or no power.")
    if base.unit != NONE and not 1 <= whole <= 3:
        raise Undecidable("A power of a unit.")
    unit = base.unit
    for _ in range(whole - 1 if base.unit != NONE else 0):
        unit = multiply(unit, base.unit)
    return Measure(number**whole, unit)


def _take_root(number: Fraction, degree: int) -> Fraction:
    above, below = (_take_whole_root(n, degree) for n in (number.numerator, number.denominator))
    return Fraction(above, below)


def _take_whole_root(number: int, degree: int) -> int:
    if degree == 2:
        root = math.isqrt(number)
    else:
        root = round(number ** (1 / 3)) if number < 10**15 else 0
    if root**degree != number:
        raise Irrational("A root.")
    return root


def _call(op: str, values: list[Measure], in_degrees: bool) -> Measure:
    if op in ("sin", "cos", "tan"):
        return _find_sine(op, values[0], in_degrees)
    if op in ("asin", "acos", "atan"):
        raise Irrational(op)
    if any(value.unit != NONE for value in values):
        return _take_root_of_area(op, values)
    numbers = [value.number for value in values]
    if op in ("sqrt", "root"):
        degree = int(numbers[1]) if len(numbers) > 1 else 2
        if numbers[0] < 0:
            raise (Undecidable if degree % 2 else Unreal)("The root of a negative number.")
        return Measure(_take_root(numbers[0], degree))
    if op in ("ln", "exp", "log"):
        return _find_logarithm(op, numbers[0])
    return _count(op, numbers)


def _take_root_of_area(op: str, values: list[Measure]) -> Measure:
    unit = values[0].unit
    if op != "sqrt" or unit.dimensions != (("length", 2),):
        raise Undecidable("A function of a unit.")
    side = Unit(_take_root(unit.size, 2), (("length", 1),))
    return Measure(_take_root(values[0].number, 2), side)


def _decide_unreal(left: Expr, relation: str, right: Expr) -> Decision:
    """Decide an equality with the root of a negative number: wrong if the other side is real."""
    if relation != "=":
        return UNDECIDED
    reals = 0
    for side in (left, right):
        try:
            evaluate(side)
            reals += 1
        except Unreal:
            pass
        except Undecidable:
            return UNDECIDED
    return Decision("wrong", "a negative number has no square root") if reals else UNDECIDED


def _find_sine(op: str, angle: Measure, in_degrees: bool) -> Measure:
    """Return a sine, cosine or tangent that is a fraction. Raises `Irrational`: it is none."""
    is_angle = angle.unit.dimensions == (("angle", 1),)
    if not is_angle and not in_degrees:
        if angle.number == 0 and angle.unit == NONE:
            return Measure(Fraction(op == "cos"))
        raise Irrational(op)
    if angle.unit != NONE and not is_angle:
        raise Undecidable("A function of a unit.")
    turned = angle.number + (90 if op == "cos" else 0)
    table = _TANGENTS if op == "tan" else _SINES
    value = table.get(turned % (180 if op == "tan" else 360))
    if value is None:
        raise Irrational(op)
    return Measure(Fraction(value))


_TANGENTS: Final[dict[Fraction | int, Fraction | int]] = {0: 0, 45: 1, 135: -1}
_SINES: Final[dict[Fraction | int, Fraction | int]] = {
    0: 0, 30: Fraction(1, 2), 90: 1, 150: Fraction(1, 2), 180: 0, 210: Fraction(-1, 2), 270: -1,
    330: Fraction(-1, 2),
}  # fmt: skip


def _find_logarithm(op: str, number: Fraction) -> Measure:
    if op == "exp" and number == 0:
        return Measure(Fraction(1))
    if op != "exp" and number == 1:
        return Measure(Fraction(0))
    if op == "log" and number > 0:
        digits = len(str(number.numerator if number > 1 else number.denominator)) - 1
        exponent = digits if number > 1 else -digits
        if Fraction(10) ** exponent == number:
            return Measure(Fraction(exponent))
    raise Irrational(op)


def _count(op: str, numbers: list[Fraction]) -> Measure:
    wholes = [int(number) for number in numbers]
    if any(number.denominator != 1 for number in numbers) or min(wholes) < 0:
        raise Undecidable("It is no whole number.")
    if op in ("gcd", "lcm") and min(wholes):
        return Measure(Fraction(math.gcd(*wholes) if op == "gcd" else math.lcm(*wholes)))
    if op == "!" and wholes[0] <= 200:
        return Measure(Fraction(math.factorial(wholes[0])))
    if op == "binom" and wholes[0] <= 500 and len(wholes) == 2:
        return Measure(Fraction(math.comb(*wholes)))
    raise Undecidable(f"{op} of this.")


_LEAST_AMOUNT: Final = 10
"""From here a number without a percent sign is no share of one."""


def compare(left: Expr, relation: str, right: Expr) -> Decision:
    """Decide `left relation right`, where both sides are numbers.

    Percentages and angles without a unit have two readings: `12/30 × 100 = 40 %`, `1 000 F + 10 % =
    1 100 F`, `sin(30) = 0,5`; the relation is right if it holds in one of them. A percentage that
    stands for the share itself is undecided: `18 % = 4 500 F`.
    """
    if relation == "=" and any(isinstance(s, Num) and s.is_endless for s in (left, right)):
        relation = "≈"
    decision = _compare(left, relation, right, in_degrees=False)
    if _has_bare_angle(left) or _has_bare_angle(right):
        in_degrees = _compare(left, relation, right, in_degrees=True)
        if "right" in (decision.verdict, in_degrees.verdict):
            return Decision("right")
        if decision.verdict != in_degrees.verdict:
            return Decision("undecided", is_open=decision.is_open or in_degrees.is_open)
    return _read_otherwise(left, relation, right, decision)


def _read_otherwise(left: Expr, relation: str, right: Expr, decision: Decision) -> Decision:
    """Return the decision of a relation whose percentage or count has another reading, if it is
    wrong in the first one."""
    if decision.verdict != "wrong":
        return decision
    if _is_percent_of_hundred(left, relation, right):
        return Decision("right")
    is_column = isinstance(left, Apply) and not has_units(left)
    if is_column and isinstance(right, Quantity) and _counts_places(right.unit):
        return _compare(left, relation, right.number, in_degrees=False)
    changed = transform(left, _change_by_percent)
    if changed != left:
        return _compare(changed, relation, right, in_degrees=False)
    return UNDECIDED if _names_share(left, right) else decision


def _counts_places(name: str) -> bool:
    """Return whether a unit may be a column of an operation: `4 - 1 = 3 dizaines`."""
    unit = find_unit(name)
    return unit is not None and unit.dimensions == COUNT


def _change_by_percent(node: Expr) -> Expr:
    """Return `1 000 × 1,1` for `1 000 + 10 %`; other nodes stay."""
    match node:
        case Apply("+" | "-" as sign, (base, Apply("%", (Num(percent),)))) if not any(
            map(_is_percent, walk(base))
        ):
            share = percent / 100
            return Apply("*", (base, Num(1 + share if sign == "+" else 1 - share)))
        case _:
            return node


def _names_share(left: Expr, right: Expr) -> bool:
    """Return whether the left side is only a percentage, and the right side an amount of a known
    whole."""
    if not isinstance(left, Apply) or left.op != "%" or any(map(_is_percent, walk(right))):
        return False
    return has_units(right) or evaluate(right).number >= _LEAST_AMOUNT


def _is_percent(node: Expr) -> bool:
    return isinstance(node, Apply) and node.op == "%"


def _has_bare_angle(expr: Expr) -> bool:
    return any(
        isinstance(node, Apply)
        and node.op in ("sin", "cos", "tan")
        and not any(isinstance(part, Quantity) for part in walk(node))
        for node in walk(expr)
    )


def _is_percent_of_hundred(left: Expr, relation: str, right: Expr) -> bool:
    """Return whether a side that multiplies by 100 agrees with the other side without its percent
    sign."""
    if not isinstance(right, Apply) or right.op != "%":
        return False
    nodes = list(walk(left))
    has_hundred = any(isinstance(node, Num) and node.value == 100 for node in nodes)
    has_hundred |= isinstance(left, Apply) and all(  # `13 sur 20, soit 13 × 5 = 65 %`
        node.op in ("+", "-", "*")
        if isinstance(node, Apply)
        else isinstance(node, Num) and not node.is_decimal and node.value.denominator == 1
        for node in nodes
    )
    bare = _compare(left, relation, right.args[0], in_degrees=False)
    return has_hundred and bare.verdict == "right"


def _compare(left: Expr, relation: str, right: Expr, *, in_degrees: bool) -> Decision:
    try:
        one = evaluate(left, in_degrees=in_degrees)
        other = evaluate(right, in_degrees=in_degrees)
    except Irrational:
        return Decision("undecided", is_open=True)
    except Unreal:
        return _decide_unreal(left, relation, right)
    except Undecidable:
        return UNDECIDED
    if one.unit.dimensions == other.unit.dimensions:
        scaled = other.number * other.unit.size / one.unit.size
        unit_step = max(_find_step(left), _find_step(right) * other.unit.size / one.unit.size)
        if relation == "≈" and is_estimated(left) and is_estimated(right):  # `398 × 21 ≈ 400 × 20`
            unit_step = max(unit_step, _ESTIMATED * abs(one.number))
        holds = holds_between(one.number, relation, scaled, step=unit_step)
        return _decide(one, other, holds=holds or _is_rewritten(left, one, other))
    if is_temperature(one.unit) and is_temperature(other.unit):
        return _compare_temperatures(one, relation, other)
    return _compare_unlike((left, right), one, relation, other)


def _compare_temperatures(one: Measure, relation: str, other: Measure) -> Decision:
    """Compare temperatures of two scales: `25 °C = 298 K`. Equal numbers may be differences."""
    if relation not in ("=", "≈") or one.number == other.number:
        return UNDECIDED
    difference = to_kelvins(*one) - to_kelvins(*other)
    return _decide(one, other, holds=abs(difference) < Fraction(1, 2))


def _is_rewritten(left: Expr, one: Measure, other: Measure) -> bool:
    """Return whether a side computes the number that its only measure has in another unit: `2,5 h ×
    60 = 150 min`."""
    measures = [node for node in walk(left) if isinstance(node, Quantity)]
    if len(measures) != 1 or measures[0] is left or one.number != other.number:
        return False
    measure = evaluate(measures[0])
    return measure.number * measure.unit.size == other.number * other.unit.size


_ESTIMATED: Final = Fraction(1, 8)
"""The part by which an estimate may be off."""


def _compare_unlike(
    sides: tuple[Expr, Expr], one: Measure, relation: str, other: Measure
) -> Decision:
    """Compare sides of which one has no unit, or whose units have different dimensions."""
    step = find_step(*sides) if relation == "≈" else Fraction(0)
    holds = holds_between(one.number, relation, other.number, step=step)
    is_bare = NONE in (one.unit, other.unit)
    if holds:
        return Decision("right" if is_bare else "undecided")
    if relation not in ("=", "≈") or not isinstance(sides[0], Apply):
        return UNDECIDED
    if not is_bare:
        is_unlike = is_power(one.unit, other.unit) or _is_price(sides)
        is_wrong = is_unlike and not is_factor(one.number, other.number)
        return _decide(one, other, holds=False) if is_wrong else UNDECIDED
    written = one.unit if other.unit == NONE else other.unit
    bare, shown = (one, other) if one.unit == NONE else (other, one)
    if is_converted(written) and is_conversion(bare.number, shown.number, written):
        return UNDECIDED
    return _decide(one, other, holds=False)


def _is_price(sides: tuple[Expr, Expr]) -> bool:
    """Return whether a measure is multiplied by the price of its unit: `12 kg × 350 F = 4 200 F`,
    where the price may be told of another unit."""
    match sides:
        case Apply("*", (Quantity(Num(), one), Quantity(Num(), other))), Quantity(Num(), unit):
            prices = [each for each in (one, other) if each == unit]
            known = find_unit(unit)
            return len(prices) == 1 and known is not None and known.dimensions in _MONEY
        case _:
            return False


_MONEY: Final = tuple(((name, 1),) for name in ("franc", "euro", "dollar"))


def find_estimated_step(left: Expr, right: Expr) -> Fraction:
    """Return by how much `left` may differ from a computation `right` that stands for it: one unit
    of the last digit of each decimal in it, or an eighth without decimals. Raises `Undecidable`."""
    nodes = [node for node in walk(right) if isinstance(node, Num)]
    if not is_estimated(right) or any(isinstance(node, Letter) for node in walk(right)):
        return find_step(left, right)
    decimals = [node for node in nodes if node.is_decimal and node.value]
    if not decimals:
        return _ESTIMATED * abs(evaluate(right).number)
    if all(each.op in ("+", "-", "neg") for each in walk(right) if isinstance(each, Apply)):
        return sum((Fraction(1, 10**node.places) for node in decimals), Fraction(0))
    parts = sum(Fraction(1, 10**node.places) / abs(node.value) for node in decimals)
    return min(parts, _ESTIMATED) * abs(evaluate(right).number)


def is_estimated(expr: Expr) -> bool:
    """Return whether an expression is a computation, which may stand for another: `20 × 0,7`."""
    return isinstance(expr, Apply) and expr.op in ("+", "-", "*", "/")


def shows_rounded(left: Expr, right: Expr) -> bool:
    """Return whether a decimal is the value of `left` rounded at its last digit."""
    shown = right.number if isinstance(right, Quantity) else right
    if not isinstance(shown, Num):
        return False
    try:
        one, other = evaluate(left), evaluate(right)
    except Undecidable:
        return False
    gap = abs(one.number * one.unit.size - other.number * other.unit.size) / other.unit.size
    return 2 * gap <= Fraction(1, 10**shown.places)


def find_step(left: Expr, right: Expr) -> Fraction:
    """Return one unit of the last digit of the side that shows fewer digits."""
    steps = [_find_step(side) for side in (left, right)]
    return max(steps)


def _find_step(expr: Expr) -> Fraction:
    if isinstance(expr, Quantity):
        return _find_step(expr.number)
    if isinstance(expr, Apply) and expr.op in ("neg", "%"):
        return _find_step(expr.args[0]) / (100 if expr.op == "%" else 1)
    if isinstance(expr, Apply) and expr.op == "*":
        return _find_step_of_power(*expr.args)
    if not isinstance(expr, Num):
        return Fraction(0)
    if expr.is_decimal:
        return Fraction(1, 10**expr.places)
    digits = str(expr.value.numerator)
    zeros = len(digits) - len(digits.rstrip("0")) if expr.value else 0
    return Fraction(10**zeros) if expr.value.denominator == 1 else Fraction(0)


def _find_step_of_power(mantissa: Expr, power: Expr) -> Fraction:
    """Return the step of `3,16 × 10^-5`; 0 for another product."""
    power = power.number if isinstance(power, Quantity) else power
    is_power = isinstance(power, Apply) and power.op == "^"
    if not isinstance(mantissa, Num) or not isinstance(power, Apply) or not is_power:
        return Fraction(0)
    if power.args[0] != Num(Fraction(10)):
        return Fraction(0)
    try:
        return _find_step(mantissa) * evaluate(power).number
    except Undecidable:
        return Fraction(0)


def holds_between(one: Fraction, relation: str, other: Fraction, *, step: Fraction) -> bool:
    """Return whether the relation holds; `≈` within `step`."""
    match relation:
        case "=":
            return one == other
        case "<":
            return one < other
        case ">":
            return one > other
        case "≤":
            return one <= other
        case "≥":
            return one >= other
        case _:
            return abs(one - other) <= step


_MOST_SHOWN = 10**15
"""The number from which no decimals are shown."""


def is_prime(value: int) -> bool:
    """Return whether a number is prime. Raises `Undecidable`: it is too large."""
    if value > 10**8:
        raise Undecidable("It is too large.")
    return value > 1 and all(value % factor for factor in range(2, math.isqrt(value) + 1))


def write_number(number: Fraction) -> str:
    """Write a number for the reason of a verdict: `3.5`, `2/3`."""
    below = number.denominator
    if below == 1 or abs(number) > _MOST_SHOWN:
        number = Fraction(round(number))
        whole = str(number.numerator)
        return whole if len(whole) <= 24 else f"{whole[:6]}… ({len(whole)} digits)"
    while below % 2 == 0:
        below //= 2
    while below % 5 == 0:
        below //= 5
    if below == 1 and number.denominator <= 10**9:
        return f"{float(number):.10f}".rstrip("0").rstrip(".")
    return f"{number.numerator}/{number.denominator}" if number.denominator < 10**9 else "another"


def _decide(one: Measure, other: Measure, *, holds: bool) -> Decision:
    if holds:
        return Decision("right")
    left, right = write_number(one.number), write_number(other.number)
    if one.unit.dimensions == other.unit.dimensions and one.unit.size != other.unit.size:
        right = f"{write_number(other.number * other.unit.size / one.unit.size)} in its unit"
    return Decision("wrong", f"the left side is {left}, the right side {right}")
