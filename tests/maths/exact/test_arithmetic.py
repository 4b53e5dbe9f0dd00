"""Exact arithmetic decides what it can, within bounds."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.maths.exact.arithmetic import Irrational, Undecidable, compare, evaluate, write_number
from bot.maths.reading.notation import read_expression


def decide(statement: str) -> str:
    """The verdict of a statement with one relation."""
    relation = next(sign for sign in "=≈<>≤≥" if sign in statement)
    left, right = map(read_expression, statement.split(relation))
    return compare(left, relation, right).verdict


@pytest.mark.parametrize(
    "statement",
    [
        "7 × 8 = 56",
        "1/2 + 1/3 = 5/6",
        "0,1 + 0,2 = 0,3",
        "1/3 ≈ 0,33",
        "1/3 = 0,333…",
        "12 345 ≈ 12 000",
        "20 % de 150 = 30",
        "3/4 = 75 %",
        "12/30 × 100 = 40 %",
        "1 000 F + 10 % = 1 100 F",
        "1 100 - 10 % = 990",
        "√16 = 4",
        "2^10 = 1024",
        "3 km + 200 m = 3 200 m",
        "2 h 30 = 150 min",
        "72 km/h = 20 m/s",
        "5 cm × 3 cm = 15 cm²",
        "1 ha = 10 000 m²",
        "1 L = 1 dm³",
        "3 dizaines et 4 unités = 34",
        "1 500 F × 3 = 4 500 F",
        "2 × (5 + 3) = 16 cm",
        "cos(60°) = 0,5",
        "sin(30) = 0,5",
        "log(1000) = 3",
        "5! + 0 = 120",
        "-3² = -9",
        "3/4 > 2/3",
    ],
)
def test_right_ones_are_right(statement: str) -> None:
    assert decide(statement) == "right"


@pytest.mark.parametrize(
    "statement",
    [
        "7 × 8 = 54",
        "1/2 + 1/3 = 2/5",
        "1/3 = 0,33",
        "1/3 ≈ 0,35",
        "20 % de 150 = 25",
        "1 000 F + 10 % = 1 010 F",
        "25 % + 30 % = 50 %",
        "√16 = 5",
        "3 km = 300 m",
        "2 h 30 = 230 min",
        "5 m² = 50 dm²",
        "2 dizaines = 12",
        "1 500 F × 3 = 4 000 F",
        "2 × (5 + 3) = 13 cm",
        "-3² = 9",
        "2/3 > 3/4",
    ],
)
def test_wrong_ones_are_wrong(statement: str) -> None:
    assert decide(statement) == "wrong"


@pytest.mark.parametrize(
    "statement",
    [
        "1,5 = 90 min",  # hours, which nobody wrote
        "3 kg = 3000 F",
        "5 m × 3 m = 15 m",
        "x = 4",
        "5 / 0 = 0",
        "√2 = 1,41",
        "9^9^9^9 = 1",
        "1 € = 655,957 F",
    ],
)
def test_others_are_undecided(statement: str) -> None:
    assert decide(statement) == "undecided"


def test_the_reason_tells_both_sides() -> None:
    decision = compare(read_expression("7 × 8"), "=", read_expression("54"))
    assert decision.why == "the left side is 56, the right side 54"


@pytest.mark.parametrize("bomb", ["9^9^9^9", "2^(2^64)", "999! + 1", "10^100000", "(1/3)^99999"])
def test_bombs_are_not_computed(bomb: str) -> None:
    with pytest.raises(Undecidable):
        evaluate(read_expression(bomb))


@pytest.mark.parametrize("text", ["√2", "π × 2", "2^0,5", "ln(2)", "e^2"])
def test_irrational_numbers_are_told_apart(text: str) -> None:
    with pytest.raises(Irrational):
        evaluate(read_expression(text))


NUMBERS = st.fractions(min_value=-1000, max_value=1000, max_denominator=40)


@given(NUMBERS, NUMBERS, st.sampled_from("+-×÷"))
def test_arithmetic_is_that_of_fractions(one: Fraction, other: Fraction, sign: str) -> None:
    text = f"({one}) {sign} ({other})"
    if sign == "÷" and not other:
        return
    found = evaluate(read_expression(text)).number
    expected = {"+": one + other, "-": one - other, "×": one * other}
    assert found == (expected[sign] if sign != "÷" else one / other)


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(1, 10**6))
def test_a_sum_that_is_off_is_wrong(one: int, other: int, off: int) -> None:
    right, wrong = one + other, one + other + off
    assert decide(f"{one:,} + {other:,} = {right:,}".replace(",", " ")) == "right"
    assert decide(f"{one:,} + {other:,} = {wrong:,}".replace(",", " ")) == "wrong"


def test_a_huge_number_is_written_by_its_length() -> None:
    assert write_number(Fraction(10**400, 3)) == "333333… (400 digits)"
    assert write_number(Fraction(10**400 + 1, 2)).endswith("(400 digits)")
    assert write_number(Fraction(7, 2)) == "3.5"
