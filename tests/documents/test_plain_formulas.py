from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.documents.plain_formulas import replace_formulas, to_plain_text


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        ("x^2", "x²"),
        ("x^{n+1}", "xⁿ⁺¹"),
        ("x_1 + x_{12}", "x₁ + x₁₂"),
        (r"\frac{a+b}{2}", "(a+b)/2"),
        (r"\sqrt{x+1}", "√(x+1)"),
        (r"x^{\alpha}", "x^α"),
        (r"2 \times 3 \leq 7", "2 × 3 ≤ 7"),
        (r"\text{aire} = \pi r^2", "aire = π r²"),
        (r"x \in \mathbb{R}", "x ∈ ℝ"),
        (r"\unknown{x}", "unknown x"),
    ],
)
def test_a_formula_is_readable_in_a_line(latex: str, text: str) -> None:
    assert to_plain_text(latex) == text


def test_money_stays_money() -> None:
    assert replace_formulas("de $5 à $10, et $x^2$") == "de $5 à $10, et x²"


@given(st.text(alphabet=r"\{}^_$frac sqrt123+", max_size=200))
def test_nothing_is_too_broken_to_be_spelled(latex: str) -> None:
    assert to_plain_text(latex) or not latex.strip()
