"""Decide with sympy what exact arithmetic cannot: identities, solutions, irrational numbers.

A program of `bot/isolated_worker/worker.py`. It also decides derivatives. Functions are compared at
a few points with many digits, which is fast and enough to distinguish the functions of school.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from bot.errors import ToolFailed
from bot.maths.exact.algebra_questions import (
    UNDECIDED,
    Comparison,
    Derivative,
    Equation,
    Equivalence,
    Identity,
    Question,
    Region,
    Reply,
    Solving,
)
from bot.maths.exact.expression import (
    Apply,
    Expr,
    decode,
    encode,
    find_letters,
    has_operator,
    is_small,
    walk,
)
from bot.maths.exact.laws import (
    adds_exponents,
    adds_unlike_terms,
    divides_exponents,
    reduces_angle,
    states_double_angle,
    states_law,
    states_power_of_logarithm,
    states_squared_ratio,
)
from bot.maths.exact.solutions import check_equivalence, check_region, check_solutions
from bot.maths.exact.sympy_objects import (
    DIGITS,
    EPSILON,
    SympyBuilder,
    holds,
    is_equal,
    make_builder,
    show,
    sympy,
)

_PIS: Final = ("3.14", "3.1416", "22/7", "3.142", "3.14159")
"""Values that pupils use for π."""
_ANGLES: Final = ("sin", "cos", "tan", "asin", "acos", "atan")
_CALCULUS: Final = ("integrate", "derive", "limit", "at")
_REFUSALS: Final = (
    ArithmeticError, ValueError, TypeError, NotImplementedError, AttributeError, KeyError,
    IndexError, RecursionError, MemoryError,
)  # fmt: skip
"""Exceptions that sympy raises where it has no answer."""


def serve(request: bytes) -> bytes:
    """Answer an encoded `Question` with a `Reply`."""
    try:
        return encode(decide(decode(request, Question)))
    except msgspec.ValidationError as error:
        raise ToolFailed(str(error)) from None


def decide(question: Question) -> Reply:
    """Return the verdict on a question; undecided if sympy has none."""
    try:
        match question:
            case Comparison():
                reply = _compare(question)
            case Identity():
                reply = _check_identity(question)
            case Derivative():
                reply = _check_derivative(question)
            case Solving():
                reply = check_solutions(question)
            case Equivalence():
                reply = check_equivalence(question)
            case Region():
                reply = check_region(question)
    except _REFUSALS:
        return UNDECIDED
    return reply


# Numbers ------------------------------------------------------------------------------------------


def _compare(question: Comparison) -> Reply:
    """Compare two numbers; π may be a value of `_PIS`, and angles may be in degrees."""
    if not is_small(question.left) or not is_small(question.right):
        return UNDECIDED
    replies: list[Reply] = []
    for in_degrees, pis in _list_readings(question):
        exact = SympyBuilder(has_e=True, pi=sympy.pi, in_degrees=in_degrees)
        replies.append(_compare_with(exact, question))
        if replies[-1].verdict == "right":
            break
        if question.relation == "=" and replies[-1].verdict == "undecided":
            continue  # it is rounded, as π itself is in `π = 3,14`
        for pi in pis:
            taken = SympyBuilder(has_e=True, pi=sympy.Rational(pi), in_degrees=in_degrees)
            replies.append(_compare_with(taken, question, is_pi_decimal=True))
    for verdict in ("right", "undecided"):
        if found := next((reply for reply in replies if reply.verdict == verdict), None):
            return found
    return replies[0]


def _list_readings(question: Comparison) -> list[tuple[bool, Sequence[str]]]:
    """Return the ways to read the angles and π of a question: for each, whether angles are in
    degrees, and values taken for π."""
    nodes = [node for side in (question.left, question.right) for node in walk(side)]
    applied = [node for node in nodes if isinstance(node, Apply)]
    angles = [node for node in applied if node.op in _ANGLES]
    is_calculus = any(node.op in _CALCULUS for node in applied)
    is_in_pi = any("π" in find_letters(angle) for angle in angles)
    has_pi = "π" in find_letters(question.left) | find_letters(question.right)
    pis = _PIS if has_pi else ()
    has_degrees = bool(angles) and not is_calculus and not is_in_pi
    return [(False, pis), (True, pis)] if has_degrees else [(False, pis)]


def _compare_with(
    builder: SympyBuilder, question: Comparison, *, is_pi_decimal: bool = False
) -> Reply:
    left, right = builder.build(question.left), builder.build(question.right)
    is_infinite = bool(left.is_infinite or right.is_infinite)
    if is_infinite and question.relation == "=" and left.is_number and right.is_number:
        is_same = bool(left == right)
        return Reply("right") if is_same else Reply("wrong", f"{left} is not {right}")
    difference = sympy.N(left - right, DIGITS)
    if not difference.is_real:
        return UNDECIDED
    scale = 1 + abs(sympy.N(left, 15))
    is_zero = abs(difference) < EPSILON * scale
    step = sympy.Rational(question.step.numerator, question.step.denominator)
    relation = question.relation
    if relation == "≈":
        is_true = bool(abs(difference) <= step) or bool(is_zero)
    elif relation == "=":
        # 1/2 is no 1; √2 may be written as 1, and a volume with π = 3,14 without decimals
        is_exact = bool(left.is_rational) and step >= 1 and not is_pi_decimal
        if not (is_zero or is_exact) and _is_rounding(
            difference, left, min(step, sympy.Integer(1))
        ):
            return UNDECIDED
        is_true = bool(is_zero)
    else:
        is_true = holds(difference, relation, is_zero=bool(is_zero))
    if is_true:
        return Reply("right")
    return Reply("wrong", f"the left side is about {show(left)}, the right side {show(right)}")


def _is_rounding(difference: Any, left: Any, step: Any) -> bool:
    """Return whether the right side is the left one rounded or cut off at its last digit."""
    if not step:
        return False
    cut = difference if sympy.N(left) >= 0 else -difference
    is_cut = step < 1 and bool(cut >= 0) and bool(cut < step)
    return bool(abs(difference) <= step / 2) or is_cut


# Identities ---------------------------------------------------------------------------------------


def _check_identity(question: Identity) -> Reply:
    builder = make_builder(question.left, question.right)
    left, right = builder.build(question.left), builder.build(question.right)
    letters = sorted((left - right).free_symbols | right.free_symbols, key=str)
    equal = is_equal(left, right)
    if equal is not False:
        return Reply("right") if equal else UNDECIDED
    if any(symbol.name in ("i", "j") for symbol in letters):
        names = [{symbol.name for symbol in side.free_symbols} - {"i"} for side in (left, right)]
        is_known = names[0] == names[1]  # else some letters stand for numbers not known here
        is_alone = [symbol.name for symbol in letters] == ["i"]
        left = question.left
        is_sum = isinstance(left, Apply) and left.op in ("+", "-") and _has_form(question.right)
        is_meant = is_alone and (_has_form(left) or _counts_terms(left) > 1 or is_sum)
        return _check_complex(question, is_meant=is_meant) if is_known else UNDECIDED
    if question.strength == "equation":
        return UNDECIDED
    if any(_is_form_of(left, right, each) for each in question.equations):
        return UNDECIDED
    if question.strength == "plain" and not _looks_claimed(question, left, right):
        return UNDECIDED
    return Reply("wrong", f"the left side is {_expand(left)}, the right side {_expand(right)}")


def _is_form_of(left: Any, right: Any, equation: Equation) -> bool:
    """Return whether an equality may be an equation in another form. It is none if already its left
    side is zero where the equation holds: `2x² - 2 = (x - 1)(x + 1)` after `2x² - 2 = 0`."""
    if not _is_proportional(left - right, equation):
        return False
    return not right.free_symbols or not _is_proportional(left, equation)


def _is_proportional(difference: Any, equation: Equation) -> bool:
    """Return whether an equation's sides differ by a constant multiple of `difference`, without
    denominators."""
    builder = make_builder(equation.left, equation.right)
    other = builder.build(equation.left) - builder.build(equation.right)
    one, other = (sympy.fraction(sympy.together(each))[0] for each in (difference, other))
    ratio = sympy.cancel(one / other) if sympy.expand(other) != 0 else sympy.Symbol("x")
    return bool(ratio.is_number)


def _has_form(expr: Expr) -> bool:
    """Return whether an expression has brackets, a modulus, a quotient or a power."""
    return _has_brackets(expr) or has_operator(expr, "abs", "arg", "/", "^")


def _check_complex(question: Identity, *, is_meant: bool) -> Reply:
    builder = make_builder(question.left, question.right, has_i=True)
    left, right = builder.build(question.left), builder.build(question.right)
    if isinstance(question.left, Apply) and question.left.op == "arg":
        turns = sympy.N((left - right) / (2 * sympy.pi), DIGITS)
        left, right = turns, sympy.Integer(round(turns))
    equal = is_equal(left, right)
    if equal is False and (question.strength == "claimed" or is_meant):
        return Reply("wrong", "the two sides are not equal where i² = -1")
    return Reply("right") if equal else UNDECIDED


def _expand(value: Any) -> str:
    written = str(sympy.expand(value)).replace("**", "^").replace("*", "")
    return written if len(written) <= 120 else "another"


def _looks_claimed(question: Identity, left: Any, right: Any) -> bool:
    """Return whether a false equality is meant to hold always: its sides look like two forms of one
    expression, and not like an equation to solve."""
    letters = sorted(left.free_symbols, key=str)
    if not letters or left.free_symbols != right.free_symbols:
        return not right.free_symbols and _is_constant(left - right)
    has_form = _has_brackets(question.left) or _has_brackets(question.right)
    if len(letters) > 1 or adds_unlike_terms(question):
        is_reduced = _counts_terms(question.left) > len(letters) and (left - right).is_polynomial()
        is_law = states_law(question) or adds_unlike_terms(question)
        return is_law or is_reduced or (has_form and _shares_term(left, right))
    difference = sympy.expand(left - right)
    if adds_exponents(question) or divides_exponents(question):
        return True
    if not difference.is_polynomial(letters[0]):
        return _looks_computed(question, difference)
    sides = (question.left, question.right)
    if difference.is_number and any(_has_form(each) or _counts_terms(each) > 1 for each in sides):
        return True
    return _looks_expanded(question, difference, letters[0])


def _looks_expanded(question: Identity, difference: Any, letter: Any) -> bool:
    """Return the same for polynomials: the sides are two forms of one, which differ nowhere else
    than at 0, or in their lower terms."""
    has_form = _has_brackets(question.left) or _has_brackets(question.right)
    roots = sympy.roots(sympy.Poly(difference, letter), multiple=True)
    if _is_repeated_product(question.left) or all(root == 0 for root in roots):
        return has_form or _counts_terms(question.left) > 1
    if all(root in (0, 1) or not root.is_real for root in roots):
        return has_form and not difference.has(sympy.Integer(1)) and len(difference.args) == 2
    builder = make_builder(question.left, question.right)
    one, other = (
        sympy.Poly(sympy.expand(builder.build(side)), letter)
        for side in (question.left, question.right)
    )
    is_alike = one.degree() == other.degree() and one.LC() == other.LC()
    return has_form and is_alike and one.degree() >= 2


def _looks_computed(question: Identity, difference: Any) -> bool:
    """Return the same for fractions and exponentials: the sides' difference is nowhere zero, or a
    product, quotient or power of powers is equated with a power."""
    one, other = question.left, question.right
    is_product = isinstance(one, Apply) and (
        one.op in ("*", "/") or (isinstance(one.args[0], Apply) and one.op == one.args[0].op == "^")
    )
    if (
        is_product
        and isinstance(other, Apply)
        and other.op == "^"
        and not difference.has(sympy.log)
    ):
        return True
    if _states_rule(question):
        return True
    if _is_constant(difference):
        return True
    has_form = _has_form(one) or _has_form(other)
    return has_form and _is_nowhere_zero(sympy.fraction(sympy.cancel(difference))[0])


def _is_nowhere_zero(numerator: Any) -> bool:
    """Return whether a numerator has no real root except 0, where fractions often have no value."""
    letters = sorted(numerator.free_symbols, key=str)
    if not letters:
        return True
    if len(letters) > 1 or not numerator.is_polynomial(letters[0]):
        return False
    return all(root == 0 for root in sympy.real_roots(sympy.Poly(numerator, letters[0])))


def _states_rule(question: Identity) -> bool:
    """Return whether an equality has the form of a rule of trigonometry or logarithms."""
    rules = (
        states_double_angle, states_squared_ratio, states_power_of_logarithm, reduces_angle,
    )  # fmt: skip
    return any(rule(question) for rule in rules)


def _is_constant(difference: Any) -> bool:
    """Return whether the difference of two sides is everywhere the same, so that no equation with
    them has a solution."""
    letters = sorted(difference.free_symbols, key=str)
    values = [
        difference.evalf(
            DIGITS,
            # values without a fixed difference or quotient: `uₙ₊₁ - uₙ`, `V/R`
            subs={
                letter: sympy.Rational(point) ** (at + 1) + sympy.Rational(at, 7)
                for at, letter in enumerate(letters)
            },
        )
        for point in ("0.3127", "1.4419", "2.9043", "0.6581")
    ]
    if not all(value.is_number and value.is_real for value in values):
        return False
    return all(bool(abs(value - values[0]) < EPSILON * 1000) for value in values)


def _shares_term(left: Any, right: Any) -> bool:
    one, other = (set(sympy.Add.make_args(sympy.expand(side))) for side in (left, right))
    return bool(one & other) or not left.is_polynomial()


def _has_sum(exprs: Sequence[Expr], operators: Sequence[str]) -> bool:
    return any(isinstance(each, Apply) and each.op in operators for each in exprs)


def _has_brackets(expr: Expr) -> bool:
    """Return whether an expression multiplies, negates or raises a sum, product or power, or
    subtracts a sum."""
    return any(
        isinstance(node, Apply)
        and (
            (node.op in ("*", "^", "neg") and _has_sum(node.args[:2], ("+", "-", "^", "*")))
            or (node.op == "-" and _has_sum(node.args[1:2], ("+", "-")))
        )
        for node in walk(expr)
    )


def _is_repeated_product(expr: Expr) -> bool:
    """Return whether an expression multiplies a letter by itself, without a sum: `x × 3x`."""
    if not isinstance(expr, Apply) or expr.op != "*" or has_operator(expr, "+", "-"):
        return False
    return all(map(find_letters, expr.args))


def _counts_terms(expr: Expr) -> int:
    """Count the terms of a sum, or the factors of a product, that have letters."""
    if isinstance(expr, Apply) and expr.op in ("+", "-", "*"):
        return sum(map(_counts_terms, expr.args))
    return int(bool(find_letters(expr)))


def _check_derivative(question: Derivative) -> Reply:
    builder = make_builder(question.function, question.derivative)
    function, claimed = builder.build(question.function), builder.build(question.derivative)
    derivative = builder.derive(function, question.letter, question.order)
    equal = is_equal(derivative, claimed)
    if equal is None:
        return UNDECIDED
    if equal:
        return Reply("right")
    return Reply("wrong", f"the derivative of {_expand(function)} is {_expand(derivative)}")
