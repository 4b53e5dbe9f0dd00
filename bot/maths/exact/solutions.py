"""Check claimed solutions against equations, inequalities and systems, with sympy; and a set of
numbers against conditions that hold together: the domain of a function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from bot.maths.exact.algebra_questions import (
    UNDECIDED,
    Equation,
    Equivalence,
    Region,
    Reply,
    Solving,
)
from bot.maths.exact.expression import Expr, Num, find_letters
from bot.maths.exact.sympy_objects import (
    DIGITS,
    EPSILON,
    SympyBuilder,
    holds,
    make_builder,
    show,
    sympy,
)


def check_solutions(question: Solving) -> Reply:
    solver = _Solver(question)
    if len(question.letters) > 1:
        return solver.check_system()
    if question.count is not None:
        return solver.check_count(question.count)
    if (question.is_complete and not _has_complex(question)) or question.claim.intervals:
        return solver.check_set()
    return solver.check_values()


def _has_complex(question: Solving) -> bool:
    """Return whether a claimed solution has the imaginary unit in it."""
    elements = (each for row in question.claim.elements for each in row)
    return question.letters == ("z",) and any("i" in find_letters(each) for each in elements)


def check_equivalence(question: Equivalence) -> Reply:
    """Compare two equations of polynomials: with one letter by their real solutions, with several
    by their terms, if both are of one degree."""
    equations = (question.one, question.other)
    builder = make_builder(*(side for each in equations for side in (each.left, each.right)))
    one, other = (builder.build(each.left) - builder.build(each.right) for each in equations)
    letters = sorted(one.free_symbols | other.free_symbols, key=str)
    if one.free_symbols != other.free_symbols or not one.is_polynomial(*letters):
        return UNDECIDED
    if not other.is_polynomial(*letters):
        return UNDECIDED
    if len(letters) == 1:
        roots = [sorted(_list_real_roots(each, letters[0])) for each in (one, other)]
        is_same = len(roots[0]) == len(roots[1]) and all(
            abs(first - second) < EPSILON * (1 + abs(first))
            for first, second in zip(*roots, strict=True)
        )
    elif _find_degree(one, letters) == _find_degree(other, letters):
        is_same = bool(sympy.cancel(one / other).is_number)
    else:
        return UNDECIDED
    shown = [str(sympy.expand(each)).replace("**", "^").replace("*", "") for each in (one, other)]
    return Reply("right") if is_same else Reply("wrong", f"{shown[0]} = 0 is not {shown[1]} = 0")


def _find_degree(polynomial: Any, letters: Sequence[Any]) -> int:
    return sympy.Poly(polynomial, *letters).total_degree()


class _Root(NamedTuple):
    """A point at which the difference of an equation's sides may change its sign: a zero, a pole,
    or an end of where it is defined."""

    at: Any
    kind: Literal["zero", "pole", "end"]


class _Solver:
    """A check of a claim against the equations that stand before it."""

    def __init__(self, question: Solving) -> None:
        self._question = question
        exprs = [side for each in question.equations for side in (each.left, each.right)]
        elements = [each for row in question.claim.elements for each in row]
        is_complex = question.letters == ("z",)
        self._builder = make_builder(*exprs, *elements, has_i=is_complex)
        self._letters = [sympy.Symbol(name) for name in question.letters]

    def check_values(self) -> Reply:
        """Check that each value solves the first equation; a value that solves an independent later
        one belongs to another exercise."""
        verdicts = [self._check_value(row[0]) for row in self._question.claim.elements]
        for verdict in ("wrong", "undecided"):
            if found := next((each for each in verdicts if each.verdict == verdict), None):
                return found
        return Reply("right")

    def _check_value(self, expr: Expr) -> Reply:
        value = self._builder.build(expr)
        solved = [self._is_solved(equation, value) for equation in self._question.equations]
        first = self._question.equations[0]
        if solved[0]:
            return Reply("right")
        places = expr.places if isinstance(expr, Num) and expr.is_decimal else 0
        may_be_rounded = self._question.is_rounded or places
        if None in solved or (may_be_rounded and self._is_near(first, value, places)):
            return UNDECIDED
        others = self._question.equations[1:]
        is_other = any(solved) or (
            may_be_rounded and any(self._is_near(each, value, places) for each in others)
        )
        is_candidate = not self._question.is_complete and not self._is_defined(first, value)
        if is_other and (is_candidate or not all(each.is_linked for each in others)):
            return UNDECIDED
        name = self._question.letters[0]
        shown = str(value).replace("*I", "i").replace("I", "i")
        return Reply("wrong", f"{name} = {shown} does not solve {self._write(first)}")

    def _write(self, equation: Equation) -> str:
        left, right = self._builder.build(equation.left), self._builder.build(equation.right)
        return f"{left} {equation.relation} {right}".replace("**", "^").replace("*", "")

    def _difference(self, equation: Equation) -> Any:
        return self._builder.build(equation.left) - self._builder.build(equation.right)

    def _is_solved(self, equation: Equation, *values: Any) -> bool | None:
        difference = self._difference(equation)
        placed = dict(zip(self._letters, values, strict=False))
        found = difference.subs(placed)
        if found.free_symbols:
            return None
        number = sympy.N(found, DIGITS)
        if number.has(sympy.nan, sympy.zoo, sympy.oo):
            return False
        scale = 1 + abs(sympy.N(self._builder.build(equation.left).subs(placed), 10))
        is_zero = bool(abs(number) < EPSILON * scale)
        if equation.relation == "=":
            return is_zero
        return holds(number, equation.relation, is_zero=is_zero) if number.is_real else False

    def _is_defined(self, equation: Equation, value: Any) -> bool:
        """Return whether both sides are real at a value: `x = -3` may solve what follows from an
        equation with `ln x`, and is struck out afterwards."""
        sides = (self._builder.build(equation.left), self._builder.build(equation.right))
        numbers = [sympy.N(side.subs(self._letters[0], value), DIGITS) for side in sides]
        return all(number.is_real for number in numbers)

    def _is_near(self, equation: Equation, value: Any, places: int) -> bool:
        """Return whether the equation has a solution within the last digit of a rounded value, or
        within a half of a whole number."""
        step = sympy.Rational(1, 10**places) if places else sympy.Rational(1, 2)
        difference = self._difference(equation)
        ends = [sympy.N(difference.subs(self._letters[0], value + s)) for s in (-step, step)]
        return all(end.is_real for end in ends) and bool(ends[0] * ends[1] <= 0)

    def check_set(self) -> Reply:
        """Check that the claimed set is all solutions of the first equation."""
        equation = self._question.equations[0]
        if self._question.claim.elements and not self._question.claim.intervals:
            members = self.check_values()
            if members.verdict != "right":
                return members
        roots = self._find_roots(equation)
        if roots is None:
            return UNDECIDED
        wrong_at = self._find_difference(equation, roots)
        if wrong_at is None:
            return Reply("right")
        if self._is_domain([root.at for root in roots if root.kind == "end"]):
            return UNDECIDED
        if len(self._question.equations) > 1 and self._fits_later():
            return UNDECIDED
        return Reply("wrong", f"not the solutions of {self._write(equation)}: see {wrong_at}")

    def _is_domain(self, ends: Sequence[Any]) -> bool:
        """Return whether the claimed set only tells where an equation is defined: `x > 0`."""
        bounds = [sympy.N(self._builder.build(each), DIGITS) for each in self._list_bounds()]
        return bool(bounds) and all(
            any(abs(bound - end) < EPSILON for end in ends) for bound in bounds
        )

    def check_count(self, count: int) -> Reply:
        """Check that the first equation has so many real solutions."""
        equation = self._question.equations[0]
        roots = self._find_roots(equation)
        if roots is None or sympy.simplify(self._difference(equation)) == 0:
            return UNDECIDED
        poles = {root.at for root in roots if root.kind == "pole"}
        found = len({root.at for root in roots if root.kind == "zero"} - poles)
        if found == count:
            return Reply("right")
        return Reply("wrong", f"{self._write(equation)} has {found} real solutions")

    def _fits_later(self) -> bool:
        """Return whether the set solves a later equation that does not follow from the first."""
        for equation in self._question.equations[1:]:
            roots = self._find_roots(equation)
            fits = roots is not None and self._find_difference(equation, roots) is None
            if fits and not equation.is_linked:
                return True
        return False

    def _find_roots(self, equation: Equation) -> list[_Root] | None:
        letter = self._letters[0]
        difference = self._difference(equation)
        if difference.has(sympy.Abs):
            return _find_roots_of_modulus(difference, letter)
        above, below = sympy.fraction(sympy.together(difference))
        if sympy.expand(above) == 0:  # it holds always
            return None
        if not above.is_polynomial(letter) or not below.is_polynomial(letter):
            return _find_roots_of_functions(difference, letter)
        roots = [_Root(root, "pole") for root in _list_real_roots(below, letter)]
        if above.free_symbols == {letter}:
            roots += [_Root(root, "zero") for root in _list_real_roots(above, letter)]
        elif above.free_symbols:
            return None
        return roots

    def _find_difference(self, equation: Equation, roots: Sequence[_Root]) -> str | None:
        """Find a number that is in only one of two sets: the claimed solutions and the real ones;
        None: there is none."""
        bounds = [sympy.N(self._builder.build(e), DIGITS) for e in self._list_bounds()]
        poles = [root.at for root in roots if root.kind == "pole"]
        points = sorted({*bounds, *(root.at for root in roots)})
        middles = [(one + two) / 2 for one, two in pairwise(points)]
        ends = [points[0] - 1, points[-1] + 1] if points else [sympy.Integer(0)]
        zeros = [root.at for root in roots if root.kind == "zero"]
        tried = (*points, *middles, *ends)
        for point in _list_tried(tried, self._letters[0].name, equation.relation):
            is_zero = any(abs(point - zero) < EPSILON * (1 + abs(point)) for zero in zeros)
            is_pole = any(abs(point - pole) < EPSILON * (1 + abs(point)) for pole in poles)
            number = sympy.N(self._difference(equation).subs(self._letters[0], point), DIGITS)
            is_defined = bool(number.is_real) and not is_pole
            if not number.is_real and not self._question.is_complete:
                continue  # `ln x < 2 ⟺ x < e²`, where x > 0 is known
            solves = is_defined and holds(number, equation.relation, is_zero=is_zero)
            solves = is_zero if equation.relation == "=" and not is_pole else solves
            if solves != self._is_claimed(point):
                return f"{self._question.letters[0]} = {show(point)}"
        return None

    def _list_bounds(self) -> list[Expr]:
        claim = self._question.claim
        bounds = [bound for each in claim.intervals for bound in (each.low, each.high) if bound]
        return [*bounds, *(row[0] for row in claim.elements)]

    def _is_claimed(self, point: Any) -> bool:
        def build(expr: Expr) -> Any:
            return sympy.N(self._builder.build(expr), DIGITS)

        def is_same(expr: Expr) -> bool:
            return bool(abs(build(expr) - point) < EPSILON * (1 + abs(point)))

        for each in self._question.claim.intervals:
            is_low = each.low is None or (
                each.has_low if is_same(each.low) else bool(build(each.low) < point)
            )
            is_high = each.high is None or (
                each.has_high if is_same(each.high) else bool(build(each.high) > point)
            )
            if is_low and is_high:
                return True
        return any(is_same(row[0]) for row in self._question.claim.elements)

    def check_system(self) -> Reply:
        """Check that each claimed pair of values solves every equation."""
        for row in self._question.claim.elements:
            values = [self._builder.build(each) for each in row]
            for equation in self._question.equations:
                is_solved = self._is_solved(equation, *values)
                if is_solved is None:
                    return UNDECIDED
                if not is_solved:
                    pair = ", ".join(
                        f"{name} = {value}"
                        for name, value in zip(self._question.letters, values, strict=False)
                    )
                    return Reply("wrong", f"{pair} does not solve {self._write(equation)}")
        return Reply("right")


def _list_tried(points: Sequence[Any], letter: str, relation: str) -> Sequence[Any]:
    """Return the points at which sets are compared; of inequalities for n or k, which are whole,
    the whole numbers beside them: `2n > 5 ⟺ n ≥ 3`."""
    if letter not in ("n", "k") or relation == "=":
        return points
    low, high = (sympy.floor, EPSILON), (sympy.ceiling, -EPSILON)
    return [rounded(each + slack) for each in points for rounded, slack in (low, high)]


def _find_roots_of_modulus(difference: Any, letter: Any) -> list[_Root] | None:
    """Return the points at which an expression with one modulus may change its sign: the real roots
    with either sign of the modulus; None: it is no such polynomial."""
    modules = difference.atoms(sympy.Abs)
    found: set[Any] = set()
    for modulus in modules:
        for inner in (modulus.args[0], -modulus.args[0]):
            polynomial = difference.subs(modulus, inner)
            if len(modules) > 1 or not polynomial.is_polynomial(letter):
                return None
            found |= set(_list_real_roots(polynomial, letter))
    return [
        _Root(root, "zero")
        for root in found
        if abs(sympy.N(difference.subs(letter, root), DIGITS)) < EPSILON
    ]


def _find_roots_of_functions(difference: Any, letter: Any) -> list[_Root] | None:
    """Return the points at which an expression with logarithms, roots or powers of a letter may
    change its sign; None: they are not known."""
    is_whole = letter.name in ("n", "k", "p")  # `2^n > 1000, donc n ≥ 10`
    if is_whole or difference.free_symbols != {letter}:
        return None
    if difference.has(sympy.sin, sympy.cos, sympy.tan):
        return None
    ends: list[_Root] = []
    roots = [each for each in difference.atoms(sympy.Pow) if not each.exp.is_integer]
    powers = [each for each in roots if each.base.has(letter)]
    for inner in (
        *(each.args[0] for each in difference.atoms(sympy.log)),
        *(p.base for p in powers),
    ):
        if not inner.is_polynomial(letter):
            return None
        ends += [_Root(root, "end") for root in _list_real_roots(inner, letter)]
    found = sympy.solveset(difference, letter, sympy.S.Reals)
    if not isinstance(found, sympy.FiniteSet) and found is not sympy.S.EmptySet:
        return None
    zeros = [sympy.N(each, DIGITS) for each in found]
    values = [sympy.N(difference.subs(letter, zero), DIGITS) for zero in zeros]
    if any(value.free_symbols for value in values):
        return None
    return ends + [
        _Root(zero, "zero")
        for zero, value in zip(zeros, values, strict=True)
        if zero.is_real and abs(value) < EPSILON  # a logarithm may not be defined there
    ]


def _list_real_roots(polynomial: Any, letter: Any) -> list[Any]:
    if not polynomial.has(letter):
        return []
    found = sympy.Poly(polynomial, letter)
    if found.degree() > 12:
        raise ValueError("The degree is too large.")
    return [sympy.N(root, DIGITS) for root in sorted(set(sympy.real_roots(found)), key=float)]


# Regions ------------------------------------------------------------------------------------------

_MOST_DEGREE = 12


def check_region(question: Region) -> Reply:
    """Check that the claimed intervals, without the excluded numbers, are where all conditions
    hold."""
    claim = question.claim
    bounds = [bound for each in claim.intervals for bound in (each.low, each.high) if bound]
    bounds += [row[0] for row in claim.elements]
    sides = [side for each in question.conditions for side in (each.left, each.right)]
    builder = make_builder(*sides, *bounds)
    letter = sympy.Symbol(question.letter)
    points = {sympy.N(builder.build(each), DIGITS) for each in bounds}
    differences: list[tuple[Any, str]] = []
    for each in question.conditions:
        difference = builder.build(each.left) - builder.build(each.right)
        ends = _list_ends(difference, letter)
        if ends is None:
            return UNDECIDED
        points.update(ends)
        differences.append((difference, each.relation))
    for point in _list_tried(list(_list_samples(sorted(points))), question.letter, "<"):
        is_inside = all(_holds(one, relation, letter, point) for one, relation in differences)
        if question.is_part and is_inside:
            continue
        if is_inside != _is_claimed(question, builder, point):
            where = "should be in it" if is_inside else "should not be in it"
            return Reply("wrong", f"{show(point)} {where}")
    return Reply("right")


def _list_ends(difference: Any, letter: Any) -> list[Any] | None:
    """Return the zeros and poles of a rational function; None: it is none."""
    found: list[Any] = []
    for part in sympy.fraction(sympy.together(difference)):
        if not part.is_polynomial(letter) or part.free_symbols - {letter}:
            return None
        if part.has(letter):
            polynomial = sympy.Poly(part, letter)
            if polynomial.degree() > _MOST_DEGREE:
                return None
            found += [sympy.N(root, DIGITS) for root in set(sympy.real_roots(polynomial))]
    return found


def _list_samples(points: list[Any]) -> Iterator[Any]:
    """Yield the points, and one between each two, before and after them."""
    yield from points
    yield from ((one + other) / 2 for one, other in pairwise(points))
    yield points[0] - 1 if points else sympy.Integer(0)
    yield points[-1] + 1 if points else sympy.Integer(1)


def _holds(difference: Any, relation: str, letter: Any, point: Any) -> bool:
    value = sympy.N(difference.subs(letter, point), DIGITS)
    if not value.is_real or abs(value) > 1 / EPSILON:
        return False
    is_zero = bool(abs(value) < EPSILON * (1 + abs(point)))
    return not is_zero if relation == "≠" else holds(value, relation, is_zero=is_zero)


def _is_claimed(question: Region, builder: SympyBuilder, point: Any) -> bool:
    def locate(expr: Expr) -> int:
        """Return -1, 0 or 1 for a point before, at or after a bound."""
        difference = point - sympy.N(builder.build(expr), DIGITS)
        if abs(difference) < EPSILON * (1 + abs(point)):
            return 0
        return 1 if difference > 0 else -1

    if any(locate(row[0]) == 0 for row in question.claim.elements):
        return False
    return any(
        (each.low is None or locate(each.low) >= 1 - each.has_low)
        and (each.high is None or locate(each.high) <= each.has_high - 1)
        for each in question.claim.intervals
    )
