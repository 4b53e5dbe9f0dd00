"""Recognise forms of stated expressions and equations: unknowns, segments, functions, intervals."""

from __future__ import annotations

from typing import Final

from bot.maths.exact.algebra_questions import Equation
from bot.maths.exact.expression import (
    CONSTANTS,
    Apply,
    Expr,
    Interval,
    Letter,
    Num,
    Solutions,
    apply,
    find_letters,
    free_letters,
    has_operator,
    number,
    walk,
)
from bot.maths.reading.chain_members import Member


def list_letters(equation: Equation) -> list[str]:
    """List the letters of an equation in order; beside z, i is the imaginary unit."""
    letters = equation.letters
    return sorted(letters - {"i"} if "z" in letters else letters)


def unite(one: Equation, other: Equation) -> Equation:
    """Return the equation that the solutions of two others solve."""
    differences = (apply("-", each.left, each.right) for each in (one, other))
    return Equation(apply("*", *differences), one.relation, number(0), is_linked=one.is_linked)


def list_names(member: Member) -> list[str]:
    """List the letters of a pair: x and y in `(x ; y)`."""
    row = member.elements[0] if isinstance(member, Solutions) and member.elements else ()
    return [each.name for each in row if isinstance(each, Letter)]


def get_segment(expr: Expr) -> str:
    """Return the name of a length or angle in capitals, such as `AB`; else empty."""
    is_segment = isinstance(expr, Letter) and len(expr.name) <= 2 and expr.name.isupper()
    return expr.name if isinstance(expr, Letter) and is_segment else ""


def get_unknown(expr: Expr) -> str:
    """Return the unknown that a small letter names, without its number: x for `x_1`; else empty."""
    if not isinstance(expr, Letter):
        return ""
    base = expr.name.partition("_")[0] if expr.name[-1].isdigit() else expr.name
    return base if len(base) == 1 and base.islower() and base not in CONSTANTS else ""


def is_call(expr: Member) -> bool:
    """Return whether an expression is a function with an argument: `f(x)`."""
    return isinstance(expr, Apply) and expr.op == "call"


def has_call(expr: Expr) -> bool:
    """Return whether an expression has a function with an argument in it."""
    return any(is_call(node) for node in walk(expr))


def is_discriminant(equation: Equation) -> bool:
    """Return whether an equation is about a discriminant, which is no unknown: `√Δ = 3`."""
    letters, left = list_letters(equation), equation.left
    is_root = isinstance(left, Apply) and left.op == "sqrt"
    return letters == ["Δ"] or (is_root and letters == ["D"])


def has_derivation(expr: Expr) -> bool:
    """Return whether an expression has `(…)'` or d/dx in it."""
    return has_operator(expr, "derive")


def has_endless(expr: Expr) -> bool:
    """Return whether an expression has a decimal that goes on: `0,333…`."""
    return any(isinstance(node, Num) and node.is_endless for node in walk(expr))


_OF_LINES: Final = frozenset(("+", "-", "*", "/", "neg", "%"))
"""Operations of a function whose derivative may be a number."""


def may_derive(claimed: Expr, function: Expr) -> bool:
    """Return whether `f'(x) = …` gives the derivative, and is no equation such as `f'(x) = 0` nor a
    rule such as `u'v + uv'`."""
    operations = {node.op for node in walk(function) if isinstance(node, Apply)}
    is_rule = bool(free_letters(claimed) - free_letters(function))
    return not is_rule and (bool(find_letters(claimed)) or operations <= _OF_LINES)


def make_interval(relation: str, bound: Expr) -> Solutions:
    """Return the numbers that are less or greater than a bound."""
    if relation in ("<", "≤"):
        return Solutions(intervals=(Interval(None, bound, False, relation == "≤"),))
    return Solutions(intervals=(Interval(bound, None, relation == "≥", False),))
