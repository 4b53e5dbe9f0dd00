"""Recognise the form of a law: an equality of letters that is meant to hold for all their values.

`√(a + b) = √a + √b` is a false law, and no equation to solve.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from bot.maths.exact.algebra_questions import Identity
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Num,
    apply,
    drop_sign,
    find_letters,
    number,
    walk,
)

_PARAMETERS: Final = frozenset("abcdkmnpquv")
"""Letters of laws, which are rarely unknowns."""
_FUNCTIONS: Final = frozenset(("ln", "log", "exp", "sqrt", "root", "sin", "cos", "tan"))


def states_law(question: Identity) -> bool:
    """Return whether both sides apply functions, powers or quotients to the same parameters, or
    one is a power of their product: `(ab)² = ab²`."""
    letters = find_letters(question.left) | find_letters(question.right)
    sides = (question.left, question.right)
    if any(map(_is_root_of_squares, sides)) and not all(map(_is_root_of_squares, sides)):
        return find_letters(question.left) == find_letters(question.right)
    if not letters <= _PARAMETERS:
        return False
    operations = [{node.op for node in walk(side) if isinstance(node, Apply)} for side in sides]
    has_functions = all(each & _FUNCTIONS for each in operations)
    has_quotients = len(letters) > 2 and all("/" in each for each in operations)
    if any(map(_is_power_of_product, sides)):
        return find_letters(question.left) == find_letters(question.right)
    return has_functions or has_quotients or all(map(_has_letter_as_exponent, sides))


def _is_power_of_product(expr: Expr) -> bool:
    match expr:
        case Apply("^", (Apply("*" | "/", (Letter(), Letter())), Num())):
            return True
        case _:
            return False


def _is_root_of_squares(expr: Expr) -> bool:
    """Return whether an expression is `√(a² + b²)` or `√(a² - b²)`."""
    match expr:
        case Apply("sqrt", (Apply("+" | "-", (one, other)),)):
            return all(map(_is_squared_letter, (one, other)))
        case _:
            return False


def _is_squared_letter(expr: Expr) -> bool:
    match expr:
        case Apply("^", (Letter(), Num(value))):
            return value == 2
        case _:
            return False


def _has_letter_as_exponent(expr: Expr) -> bool:
    return any(
        isinstance(node, Apply) and node.op == "^" and bool(find_letters(node.args[1]))
        for node in walk(expr)
    )


def states_double_angle(question: Identity) -> bool:
    """Return whether an equality gives sin 2x or cos 2x by products or squares of sin x and cos x,
    with a number beside them or not, or by twice the same function of x."""
    left = question.left
    if not isinstance(left, Apply) or left.op not in ("sin", "cos"):
        return False
    angle = left.args[0]
    if not isinstance(angle, Apply) or angle.op != "*" or not isinstance(angle.args[1], Letter):
        return False
    if not isinstance(angle.args[0], Num) or angle.args[0].value != 2:
        return False
    terms = [_list_factors(term, angle.args[1]) for term in list_terms(question.right)]
    used, counts = {op for term in terms for op in term}, {len(term) for term in terms}
    is_halved = question.right == apply("*", number(2), Apply(left.op, (angle.args[1],)))
    return is_halved or (counts == {2} and used == {"sin", "cos"}) or counts == {0, 2}


def states_squared_ratio(question: Identity) -> bool:
    """Return whether an equality gives cos² x or sin² x by cos 2x or sin 2x and numbers."""
    match question.left:
        case Apply("^", (Apply("sin" | "cos", (Letter() as angle,)), Num(exponent))):
            doubled = {
                node
                for node in walk(question.right)
                if isinstance(node, Apply) and node.op in ("sin", "cos")
            }
            is_doubled = len(doubled) == 1 and doubled.pop().args[0] == apply("*", number(2), angle)
            return exponent == number(2).value and is_doubled
        case _:
            return False


def list_terms(expr: Expr) -> Iterator[Expr]:
    """Yield the terms of a sum."""
    if isinstance(expr, Apply) and expr.op in ("+", "-"):
        for each in expr.args:
            yield from list_terms(each)
    else:
        yield expr


def _list_factors(term: Expr, letter: Letter) -> list[str]:
    """List the functions of a letter that a product multiplies; a square counts twice."""
    match term:
        case Apply("*" | "neg", args):
            return [op for each in args for op in _list_factors(each, letter)]
        case Apply("^", (base, Num(exponent))) if exponent == 2:
            return _list_factors(base, letter) * 2
        case Apply(("sin" | "cos") as op, (angle,)) if angle == letter:
            return [op]
        case _:
            return []


def states_power_of_logarithm(question: Identity) -> bool:
    """Return whether an equality has the form `ln(x^n) = (ln x)^n`."""
    match question.left, question.right:
        case (
            Apply("ln", (Apply("^", (Letter(name), power)),)),
            Apply("^", (Apply("ln", (Letter(other),)), exponent)),
        ):
            return name == other and power == exponent
        case _:
            return False


def is_about_constant(left: Expr) -> bool:
    """Return whether an expression of letters may be a law's constant: `cos² x + sin² x`, `a^0`."""
    if isinstance(left, Apply) and left.op == "^" and left.args[1] == number(0):
        return True
    operations = {node.op for node in walk(left) if isinstance(node, Apply)}
    return {"sin", "cos", "^"} <= operations


def adds_exponents(question: Identity) -> bool:
    """Return whether an equality gives a sum of like terms another power: `x³ + x³ = x⁶`."""
    terms = list(list_terms(question.left))
    powers = [_find_power(term) for term in terms]
    other = _find_power(question.right)
    is_alike = len(terms) > 1 and len(set(powers)) == 1
    if not is_alike or powers[0] is None or other is None:
        return False
    return powers[0][0] == other[0] and powers[0][1] != other[1]


def divides_exponents(question: Identity) -> bool:
    """Return whether an equality gives a quotient of powers another power: `x⁶/x² = x³`."""
    if not isinstance(question.left, Apply) or question.left.op != "/":
        return False
    powers = [_find_power(each) for each in (*question.left.args, question.right)]
    known = [each for each in powers if each is not None]
    return len(known) == len(powers) and len({base for base, _ in known}) == 1


def adds_unlike_terms(question: Identity) -> bool:
    """Return whether an equality makes one term of a sum of terms with other letters or powers:
    `2a + 3b = 5ab`, `x² + x³ = x⁵`."""
    if not isinstance(question.left, Apply) or question.left.op != "+":
        return False
    parts = [_find_monomial(term) for term in list_terms(question.left)]
    other = _find_monomial(question.right)
    known = [each for each in parts if each is not None]
    if other is None or len(known) < len(parts) or len({each[1] for each in known}) < 2:
        return False
    letters = [letter for each in known for letter in each[1]]
    is_sum = other[0] == sum(each[0] for each in known) or (other[0] == 1 and len({*letters}) == 1)
    return all(each[1] for each in known) and is_sum and sorted(letters) == list(other[1])


def loses_letter(left: Expr, right: Expr) -> bool:
    """Return whether an equality leaves the first coefficient of a difference of like terms without
    its letter: `7y - y = 7`."""
    terms = [_find_monomial(term) for term in list_terms(left)]
    is_difference = isinstance(left, Apply) and left.op == "-" and len(terms) > 1
    if not is_difference or None in terms or not isinstance(right, Num):
        return False
    known = [each for each in terms if each is not None]
    is_alike = bool(known[0][1]) and len({each[1] for each in known}) == 1
    return is_alike and known[-1][0] == 1 and right.value == known[0][0]


def _find_monomial(term: Expr) -> tuple[Fraction, tuple[str, ...]] | None:
    """Return the factor and the letters of `3a²b`, each as often as it is multiplied; None: it is
    no such term."""
    match term:
        case Num(value):
            return value, ()
        case Letter(name):
            return Fraction(1), (name,)
        case Apply("^", (Letter(name), Num(exponent))) if exponent in _EXPONENTS:
            return Fraction(1), (name,) * int(exponent)
        case Apply("*", (one, other)):
            parts = (_find_monomial(one), _find_monomial(other))
            if parts[0] is None or parts[1] is None:
                return None
            return parts[0][0] * parts[1][0], tuple(sorted(parts[0][1] + parts[1][1]))
        case _:
            return None


_EXPONENTS: Final = range(1, 10)


def _find_power(term: Expr) -> tuple[str, int] | None:
    """Return the letter and the exponent of `3x²`; None: it is no such term."""
    match term:
        case Letter(name):
            return name, 1
        case Apply("^", (Letter(name), Num(exponent))) if exponent.denominator == 1:
            return name, int(exponent)
        case Apply("*", (Num(), factor)) | Apply("neg", (factor,)):
            return _find_power(factor)
        case _:
            return None


def reduces_angle(question: Identity) -> bool:
    """Return whether an equality gives the sine or cosine of a shifted angle by one of the angle:
    `sin(π + x) = sin x`."""
    one, other = (drop_sign(side) for side in (question.left, question.right))
    if not isinstance(one, Apply) or not isinstance(other, Apply):
        return False
    if not {one.op, other.op} <= {"sin", "cos", "tan"}:
        return False
    angle, letter = one.args[0], other.args[0]
    if not isinstance(letter, Letter) or not isinstance(angle, Apply):
        return False
    if angle.op == "neg":
        return angle.args[0] == letter
    is_shift = angle.op in ("+", "-") and find_letters(angle) == {"π", letter.name}
    return is_shift and letter in angle.args
