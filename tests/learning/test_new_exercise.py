"""The solution of an exercise as a person reads it."""

from __future__ import annotations

import pytest

from bot.learning.new_exercise import Body


@pytest.mark.parametrize(
    ("solution", "shown"),
    [
        ("20x^2-2x-4", "$20x^2 - 2x - 4$"),
        ("8x-12", "8x - 12"),
        ("8x - 12", "8x - 12"),
        ("-3x+2", "-3x + 2"),
        ("4,5×10^-4", "4,5×10^-4"),
        ("(x-5)(x+5)", "(x - 5)(x + 5)"),
    ],
)
def test_the_terms_of_an_expression_stand_apart(solution: str, shown: str) -> None:
    assert Body((solution,)).write_solution("expression", "fr") == shown


def test_a_negative_number_stays_together() -> None:
    assert Body(("-3",)).write_solution("number", "fr") == "-3"
