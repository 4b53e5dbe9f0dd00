"""Two answers are compared by value, in whatever notation they are typed."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.maths.equivalence import AnswerKind, equivalent


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3,5", "7/2"),
        ("3.5", "3{,}5"),
        ("c'est sept", "7"),
        ("x = 4", "4"),
        ("La réponse est 12.", "12"),
        ("the answer is 12", "12"),
        (r"$\frac{1}{2}$", "0,5"),
        ("trois quarts", "75 %"),
        ("1 500", "1,500"),
        ("12 cm", "12"),
        ("12 cm", "0,12 m"),
        ("1 000 F", "1000 francs"),
        ("2 h 30", "150 min"),
        ("-3", "−3"),
        ("2 1/2", "2,5"),
        ("six divided by four", "1.5"),
    ],
)
def test_equal_numbers(one: str, other: str) -> None:
    assert equivalent(one, other, "number") is True
    assert equivalent(other, one, "number") is True


@pytest.mark.parametrize(
    ("one", "other"),
    [("3,5", "3,6"), ("12 cm", "13"), ("12 cm", "12 m"), ("1/3", "0,33"), ("-3", "3")],
)
def test_different_numbers(one: str, other: str) -> None:
    assert equivalent(one, other, "number") is False


@pytest.mark.parametrize(
    ("one", "other", "is_equal"),
    [
        ("x = 1 ou x = 2", "{2 ; 1}", True),
        ("S = {1 ; 2}", "1 et 2", True),
        ("les solutions sont 1 et 2", "{1 ; 2}", True),
        ("{1 ; 2}", "{1 ; 3}", False),
        ("{1}", "{1 ; 2}", False),
        ("∅", "{}", True),
        ("{(2 ; 3)}", "{(2 ; 3)}", True),
        ("]-∞ ; 2[", "x ∈ ]-∞ ; 2[", True),
        ("]-∞ ; 2[", "]-∞ ; 2]", False),
        ("[1 ; 3]", "{1 ; 3}", False),
    ],
)
def test_sets(one: str, other: str, is_equal: bool) -> None:
    assert equivalent(one, other, "set") is is_equal


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("2x + 3", "3 + 2x", True),
        ("2(x + 1)", "2x + 2", True),
        ("(x + 1)²", "x² + 1", False),
        ("√12", "2√3", None),
        ("x²/2", r"$\frac{x^2}{2}$", True),
        ("2x", "3x", False),
    ],
)
def test_expressions_are_compared_at_points(one: str, other: str, verdict: bool | None) -> None:
    assert equivalent(one, other, "expression") is verdict


@pytest.mark.parametrize("kind", ["number", "expression", "set"])
@pytest.mark.parametrize("text", ["bonjour", "", "je ne sais pas", "2 + ", "1" * 600])
def test_what_is_no_answer_is_not_compared(text: str, kind: AnswerKind) -> None:
    assert equivalent(text, "3", kind) is None


@given(st.fractions(max_denominator=60), st.fractions(max_denominator=60))
def test_fractions_are_equal_when_their_values_are(one: Fraction, other: Fraction) -> None:
    assert equivalent(str(one), str(other), "number") is (one == other)
