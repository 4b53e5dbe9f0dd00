from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.gateway.render.latex import to_text


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (r"x^{n+1}", "xⁿ⁺¹"),
        (r"\pi*r^2", "π*r²"),
        (r"x^{n/2}", "x^(n/2)"),
        (r"x^{y^2}", "x^(y²)"),
        (r"{ab}^2", "(ab)²"),
        (r"{x^2}^3", "(x²)³"),
        (r"u_{n+1} = 2u_n", "uₙ₊₁ = 2uₙ"),
        (r"v_{AB} t, v_A t", "v_(AB) t, v_A t"),
        (r"{}^{14}_6C", "¹⁴₆C"),
        (r"\frac{a}{b}", "a/b"),
        (r"\frac{a+b}{c+d}", "(a+b)/(c+d)"),
        (r"\frac{n(n+1)}{2}", "n(n+1)/2"),
        (r"\frac{1}{2x}", "1/(2x)"),
        (r"\frac{\frac{a}{b}}{c}", "(a/b)/c"),
        (r"\dfrac12", "1/2"),
        (r"\frac{1}{2}x", "(1/2)x"),
        (r"3\frac{1}{2}", "3 (1/2)"),
        (r"\left(\frac{a}{b}\right)^2", "(a/b)²"),
        (r"\frac{a}{b}^2", "(a/b)²"),
        (r"x = \frac{-b \pm \sqrt{\Delta}}{2a}", "x = (-b ± √(Δ))/(2a)"),
        (r"\sqrt{x+1}", "√(x+1)"),
        (r"\sqrt[3]{8}", "∛(8)"),
        (r"\sqrt[n]{x}", "root(n; x)"),
        (r"2\pi r", "2πr"),
        (r"\Delta = b^2-4ac", "Δ = b²-4ac"),
        (r"3\times4 \neq 3 \cdot 5", "3×4 ≠ 3 · 5"),
        (r"\sum_{i=1}^{n} i", "∑ᵢ₌₁ⁿ i"),
        (r"\int_0^1 f(x)\,dx", "∫₀¹ f(x) dx"),
        (r"\lim_{x \to 0} f'(x)", "lim_(x → 0) f′(x)"),
        (r"\cos^2\theta + 2\sin x", "cos² θ + 2 sin x"),
        (r"\log_{10} 100", "log₁₀ 100"),
        (r"x \in \mathbb{R}^+, a \not\in B", "x ∈ ℝ⁺, a ∉ B"),
        (r"90^\circ", "90°"),
        (r"\overrightarrow{AB} \cdot \vec{u}", "AB\u20d7 · u\u20d7"),
        (r"\widehat{ABC}", "AB\u0302C"),
        (r"\overline{z}", "z\u0305"),
        (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", "(a b; c d)"),
        (r"\begin{bmatrix} a + 1 & b \\ c & d \end{bmatrix}", "[a + 1, b; c, d]"),
        (r"\begin{array}{cc} 1 & 2 \end{array}", "(1 2)"),
        (r"\begin{cases} 1 & \text{si } x>0 \\ 0 & \text{sinon} \end{cases}",
         "{ 1, si x>0; 0, sinon"),
        (r"\begin{aligned} a &= b \\ &= c \end{aligned}", "a = b\n= c"),
        (r"\binom{n}{k} \equiv 1 \pmod{3}", "C(n, k) ≡ 1 (mod 3)"),
        (r"\{1\,000 \%\}", "{1 000 %}"),
        (r"\boxed{42}", "42"),
    ],
)  # fmt: skip
def test_a_formula_reads_as_it_was_meant(formula: str, text: str) -> None:
    assert to_text(formula) == text


@pytest.mark.parametrize(
    "formula",
    [
        r"\ce{H2O}",
        r"\foo{x}{y} + 1",
        r"\begin{foo}x\end{foo}",
        r"\begin{pmatrix} a",
        r"\begin{pmatrix} a \end{bmatrix}",
        r"\frac{1",
        r"a}b",
        r"x^",
        "\\",
        "{" * 100 + "}" * 100,
        r"\frac" * 1000,
    ],
)
def test_what_is_not_understood_stays_latex(formula: str) -> None:
    assert to_text(formula) == formula


@given(st.text(alphabet="ab12+-/()", max_size=30))
def test_linear_text_is_left_alone(text: str) -> None:
    assert to_text(text) == text


@given(st.text(alphabet="a1\\{}^_&$ []'frcsqt", max_size=40))
def test_no_letter_of_a_broken_formula_is_lost(formula: str) -> None:
    to_text(formula)
