"""Keys of upper secondary skills, worked out again from the statement alone."""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Callable
from fractions import Fraction
from math import comb

import pytest

from bot.formulas.line_text import replace_formulas
from bot.practice.catalogue import find_generator
from bot.practice.generator import Item
from tests.support.seeds import over_seeds

POINTS = (-2.3, -0.7, 0.4, 1.9, 3.1)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
UPPER_SECONDARY = (
    *("inequality-first-degree", "line-equation", "vector-coordinates", "intervals"),
    *("distance-midpoint", "quadratic-equation", "quadratic-sign"),
    *("derivative-polynomial", "arithmetic-sequence"),
    *("geometric-sequence", "conditional-probability", "limit-rational", "logarithm-rules"),
    *("exponential-equation", "primitive-polynomial", "complex-numbers", "binomial-law"),
)


def make(skill: str, seed: int, difficulty: int, language: str = "en") -> Item:
    generator = find_generator(f"maths.{skill}")
    assert generator is not None
    return generator.make(seed, difficulty=difficulty, language=language)


def read_formula(latex: str) -> str:
    """LaTeX or an option's text as an expression of Python."""
    text = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda found: f"^{found[0].translate(_SUPERSCRIPTS)}", latex)
    text = re.sub(r"\^\{([^{}]*)\}", r"^(\1)", text)
    text = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))", text)
    for latex_name, name in (
        ("\\ln", "ln"),
        ("\\times", "*"),
        ("\\,", ""),
        ("{,}", "."),
        ("}", ")"),
    ):
        text = text.replace(latex_name, name)
    text = re.sub(r"(?<=[\d)x])\s*(?=[xie(]|ln)", "*", text)
    text = re.sub(r"√(\d+)", r"sqrt(\1)", text)
    return text.replace("^", "**").replace("{", "(")


def evaluate(latex: str, **values: complex) -> complex:
    names = {"ln": math.log, "e": math.e, "sqrt": math.sqrt, "i": 1j, "X": 0, **values}
    return eval(read_formula(latex), {"__builtins__": {}}, names)


def formulas(item: Item) -> list[str]:
    return item.statement.split("$")[1::2]


def number(text: str) -> Fraction:
    return Fraction(text)


def is_in(value: float, interval: str) -> bool:
    """Whether a number belongs to an interval in English notation."""
    low, high = interval[1:-1].replace("∞", "inf").split(", ")
    above = value >= float(low) if interval[0] == "[" else value > float(low)
    return above and (value <= float(high) if interval[-1] == "]" else value < float(high))


COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b - 1e-9,
    ">": lambda a, b: a > b + 1e-9,
    "\\leq": lambda a, b: a <= b + 1e-9,
    "\\geq": lambda a, b: a >= b - 1e-9,
    "≤": lambda a, b: a <= b + 1e-9,
    "≥": lambda a, b: a >= b - 1e-9,
}
HALVES = [n / 2 for n in range(-120, 121)]


def compare(relation: str, x: float) -> bool:
    """Whether a relation of one or two signs holds at `x`."""
    parts = re.split(r"(<|>|\\leq|\\geq|≤|≥)", relation)
    values = [complex(evaluate(part, x=x)).real for part in parts[::2]]
    return all(
        COMPARE[sign](a, b) for sign, a, b in zip(parts[1::2], values[:-1], values[1:], strict=True)
    )


@pytest.mark.parametrize("skill", UPPER_SECONDARY)
@over_seeds(100)
def test_no_two_options_are_equal_in_value(skill: str, seed: int, difficulty: int) -> None:
    item = make(skill, seed, difficulty)
    if item.kind != "choice":
        return
    assert len(item.options) >= 3
    if not all(re.fullmatch(r"(x = )?[-\w√/()+*² ]+", option) for option in item.options):
        return
    values = [evaluate(option.removeprefix("x = "), x=1.7) for option in item.options]
    for n, value in enumerate(values):
        assert all(abs(value - other) > 1e-9 for other in values[:n])


@pytest.mark.parametrize("skill", UPPER_SECONDARY)
@over_seeds(100)
def test_steps_tell_the_key_and_hints_do_not(
    skill: str, seed: int, difficulty: int, language: str
) -> None:
    item = make(skill, seed, difficulty, language)
    for hint in item.hints:
        assert not re.search(rf"= ?{re.escape(item.key)}\W*$", hint)
    ungrouped = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", replace_formulas(item.steps[-1]))
    told = re.sub(r"[\s\\]", "", ungrouped)
    key = replace_formulas(item.key) if "$" in item.key else item.key
    assert re.sub(r"\s", "", key) in told.replace("(ln(", "ln(").replace("))/", ")/")


@over_seeds(100)
def test_intervals_hold_the_right_numbers(seed: int, difficulty: int) -> None:
    item = make("intervals", seed, difficulty)
    found = formulas(item)
    for x in HALVES:
        if difficulty < 3:
            expected = compare(found[1], x)
        else:
            first, second = (is_in(x, each.partition(" = ")[2]) for each in found[:2])
            expected = first and second if "\\cap" in found[2] else first or second
        assert is_in(x, item.key) == expected


@over_seeds(100)
def test_inequalities_hold_where_the_key_says(seed: int, difficulty: int) -> None:
    item = make("inequality-first-degree", seed, difficulty)
    relation = formulas(item)[1]
    for x in HALVES:
        claimed = is_in(x, item.key) if difficulty > 2 else compare(item.key, x)
        assert claimed == compare(relation, x)


def points(item: Item) -> list[tuple[int, int]]:
    found = re.findall(r"\((-?\d+), (-?\d+)\)", item.statement)
    return [(int(x), int(y)) for x, y in found]


@over_seeds(100)
def test_lines_pass_through_their_points(seed: int, difficulty: int) -> None:
    item = make("line-equation", seed, difficulty)
    right = item.key.removeprefix("y = ")
    for x, y in points(item):
        assert evaluate(right, x=x) == y
    if difficulty < 3:
        assert evaluate(right, x=1) - evaluate(right, x=0) == int(formulas(item)[0])


@over_seeds(100)
def test_vectors_have_their_coordinates(seed: int, difficulty: int) -> None:
    item = make("vector-coordinates", seed, difficulty)
    (x, y), found = eval(item.key), points(item)
    if difficulty == 1:
        (xa, ya), (xb, yb) = found
        assert (xa + x, ya + y) == (xb, yb)
    elif difficulty == 2:
        m, n = map(int, re.findall(r"(\d)\\vec", formulas(item)[-1]))
        (x1, y1), (x2, y2) = found
        assert (x + n * x2, y + n * y2) == (m * x1, m * y1)
    else:
        (xa, ya), (xb, yb), (xc, yc) = found
        assert (xa + xc, ya + yc) == (xb + x, yb + y), "the diagonals share their middle"
        assert (xb - xa) * (yc - ya) != (yb - ya) * (xc - xa), "three points not in line"


@over_seeds(100)
def test_quadratic_equations_vanish_at_their_roots(seed: int, difficulty: int) -> None:
    item = make("quadratic-equation", seed, difficulty)
    left = formulas(item)[0 if difficulty == 1 else 1].removesuffix(" = 0")
    c, a_plus_b = (evaluate(left, x=x) for x in (0, 1))
    b = (a_plus_b - evaluate(left, x=-1)) / 2
    if difficulty == 1:
        assert b * b - 4 * (a_plus_b - b - c) * c == int(item.key)
        return
    roots = [number(each) for each in item.key.strip("{}").split(", ")]
    assert len(set(roots)) == 2
    assert roots == sorted(roots)
    assert all(abs(evaluate(left, x=float(root))) < 1e-6 for root in roots)


def belongs(value: float, found: str) -> bool:
    """Whether a number belongs to an interval, a union of intervals, ℝ or ∅."""
    if found in ("ℝ", "∅"):
        return found == "ℝ"
    return any(is_in(value, each) for each in found.split(" ∪ "))


@over_seeds(100)
def test_quadratics_have_the_sign_where_the_key_says(seed: int, difficulty: int) -> None:
    item = make("quadratic-sign", seed, difficulty)
    asked = formulas(item)[0 if difficulty == 1 else 1]
    if difficulty == 1:
        product = asked.removeprefix("f(x) = ").replace(")(", ")*(")
        asked = f"{product} {'<' if 'negative' in item.statement else '>'} 0"
    for option in item.options:
        agrees = all(belongs(x, option) == compare(asked, x) for x in HALVES)
        assert agrees == (option == item.key)


@over_seeds(100)
def test_distances_and_midpoints_are_right(seed: int, difficulty: int) -> None:
    item = make("distance-midpoint", seed, difficulty)
    (xa, ya), (x, y) = points(item)
    if "distance" in item.statement:
        root = re.sub(r"(\d?)\\sqrt\{(\d+)\}", r"\1 * √\2", item.key.strip("$")).removeprefix(" * ")
        assert evaluate(root) == pytest.approx(math.hypot(x - xa, y - ya))
        inside = re.search(r"√(\d+)", root)
        assert not inside or all(int(inside[1]) % (n * n) for n in range(2, 9))
    elif difficulty == 1:
        assert eval(item.key) == ((xa + x) / 2, (ya + y) / 2)
    else:
        xb, yb = eval(item.key)
        assert (xa + xb, ya + yb) == (2 * x, 2 * y)


def slope(function: str, x: float) -> float:
    step = 1e-5
    rise = evaluate(function, x=x + step) - evaluate(function, x=x - step)
    return complex(rise).real / (2 * step)


@over_seeds(100)
def test_derivatives_are_slopes(seed: int, difficulty: int) -> None:
    item = make("derivative-polynomial", seed, difficulty)
    function = formulas(item)[0].removeprefix("f(x) = ")
    for x in POINTS:
        assert evaluate(item.key, x=x) == pytest.approx(slope(function, x), rel=1e-5, abs=1e-4)


@over_seeds(100)
def test_primitives_have_the_function_as_slope(seed: int, difficulty: int) -> None:
    item = make("primitive-polynomial", seed, difficulty)
    (function,) = (each for each in formulas(item) if each.startswith("f(x) = "))
    for x in POINTS:
        expected = evaluate(function.removeprefix("f(x) = "), x=x)
        assert slope(item.key, x) == pytest.approx(expected, rel=1e-5, abs=1e-4)
    if difficulty > 2:
        at, value = re.findall(r"F\((-?\d+)\) = (-?\d+)", item.statement)[0]
        assert evaluate(item.key, x=int(at)) == int(value)
    else:
        function = function.removeprefix("f(x) = ")
        for wrong in item.misconceptions:
            off = [abs(slope(wrong.option, x) - evaluate(function, x=x)) for x in POINTS]
            assert max(off) > 1e-3, f"{wrong.option} is a primitive too"


@over_seeds(100)
def test_arithmetic_sequences_step_by_step(seed: int, difficulty: int) -> None:
    item = make("arithmetic-sequence", seed, difficulty)
    terms = {int(n): int(u) for n, u in re.findall(r"u_\{?(\d+)\}? = (-?\d+)", item.statement)}
    if difficulty == 2:
        (low, first), (high, last) = terms.items()
        assert first + (high - low) * int(item.key) == last
        return
    difference = int(re.findall(r"r = (-?\d+)", item.statement)[0])
    rank = int(re.findall(r"u_\{(\d+)\}\$[.?]", item.statement)[0])
    ((start, term),) = terms.items()
    total = term
    for _ in range(rank - start):
        term += difference
        total += term
    assert int(item.key) == (term if difficulty == 1 else total)


@over_seeds(100)
def test_geometric_sequences_step_by_step(seed: int, difficulty: int) -> None:
    item = make("geometric-sequence", seed, difficulty)
    ((start, first),) = re.findall(r"u_\{?(\d+)\}? = (-?\d+)", item.statement)
    ratio = int(re.findall(r"q = (-?\d+)", item.statement)[0])
    rank = int(re.findall(r"u_\{(\d+)\}\$[.?]", item.statement)[0])
    term = total = int(first)
    for _ in range(rank - int(start)):
        term *= ratio
        total += term
    assert int(item.key.replace(",", "")) == (term if difficulty < 3 else total)


@over_seeds(100)
def test_conditional_probabilities_by_counting(seed: int, difficulty: int) -> None:
    item = make("conditional-probability", seed, difficulty)
    a, given_a, given_other = map(Fraction, re.findall(r" = (0\.\d+)", item.statement))
    both, other = a * given_a, (1 - a) * given_other
    expected = (both, both + other, both / (both + other))[difficulty - 1]
    assert Fraction(item.key) == expected
    assert all(0 < Fraction(option) < 1 for option in item.options)


@over_seeds(100)
def test_binomial_law_by_its_sum(seed: int, difficulty: int) -> None:
    item = make("binomial-law", seed, difficulty)
    n = int(re.findall(r"\d+", item.statement)[0])
    above, below = re.findall(r"\\frac\{(\d+)\}\{(\d+)\}", item.statement)[0]
    p = Fraction(int(above), int(below))
    law = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    assert sum(law) == 1
    if difficulty == 1:
        expected = sum((k * each for k, each in enumerate(law)), Fraction(0))
    elif difficulty == 2:
        expected = law[int(re.findall(r"X = (\d)", item.statement)[0])]
    else:
        expected = sum(law[1:], Fraction(0))
    assert Fraction(item.key) == expected


@over_seeds(100)
def test_limits_are_approached(seed: int, difficulty: int) -> None:
    item = make("limit-rational", seed, difficulty)
    function, where = formulas(item)[0].removeprefix("f(x) = "), formulas(item)[2]
    if difficulty < 3:
        near = complex(evaluate(function, x=1e7)).real
    else:
        near = complex(evaluate(function, x=int(where) + 1e-6)).real
    if item.key in ("+∞", "-∞"):
        assert abs(near) > 1e5
        assert (near > 0) == (item.key == "+∞")
    else:
        assert near == pytest.approx(float(Fraction(item.key)), abs=1e-4)


@over_seeds(100)
def test_logarithms_have_their_value(seed: int, difficulty: int) -> None:
    item = make("logarithm-rules", seed, difficulty)
    value = evaluate(formulas(item)[0])
    assert evaluate(item.key) == pytest.approx(value)
    for wrong in item.misconceptions:
        assert evaluate(wrong.option) != pytest.approx(value)


@over_seeds(100)
def test_exponential_equations_are_solved(seed: int, difficulty: int) -> None:
    item = make("exponential-equation", seed, difficulty)
    left, right = formulas(item)[1].split(" = ")
    solutions = [each for each in item.key.removeprefix("x = ").strip("{}").split(", ") if each]
    values = [complex(evaluate(each)).real for each in solutions]
    for x in values:
        assert evaluate(left, x=x) == pytest.approx(evaluate(right, x=x), abs=1e-7)
    if difficulty > 2:
        middle = (evaluate(left, x=0) - 1) if len(values) == 1 else 0
        assert len(values) == 2 or evaluate(left, x=-50).real < 0 or middle == 0


@over_seeds(100)
def test_complex_numbers_have_their_value(seed: int, difficulty: int) -> None:
    item = make("complex-numbers", seed, difficulty)
    value = evaluate(formulas(item)[0].removeprefix("z = "))
    if difficulty == 2:
        value = abs(value)
    assert cmath.isclose(evaluate(item.key), value)
    for wrong in item.misconceptions:
        assert not cmath.isclose(evaluate(wrong.option), value)
