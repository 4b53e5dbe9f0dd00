from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.formulas.line_text import print_minus, replace_formulas, to_line, to_printed_line


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
        (r"\frac{AM}{AB} = \frac{0{,}3}{0{,}62}", "AM/AB = 0,3/0,62"),
        (r"\frac{3900}{13\,000} + \frac{8^9}{8^3}", "3900/13 000 + 8⁹/8³"),
        (r"\frac{P(A \cap B)}{P(B)}", "P(A ∩ B)/P(B)"),
        (r"\frac{ab}{cd} + \frac{1}{x(x+1)}", "ab/(cd) + 1/(x(x+1))"),
        (r"\frac{\frac{a}{b}}{c}", "(a/b)/c"),
        (r"\dfrac12", "1/2"),
        (r"\frac{1}{2}x", "(1/2)x"),
        (r"3\frac{1}{2}", "3 (1/2)"),
        (r"\left(\frac{a}{b}\right)^2", "(a/b)²"),
        (r"\frac{a}{b}^2", "(a/b)²"),
        (r"x = \frac{-b \pm \sqrt{\Delta}}{2a}", "x = (-b ± √(Δ))/(2a)"),
        (r"\sqrt{x+1}", "√(x+1)"),
        (r"\sqrt[3]{8} + 4\sqrt{7} - \sqrt{25}\times\sqrt{5}", "∛8 + 4√7 - √25×√5"),
        (r"\sqrt{2}x + \sqrt{2}(x) + \sqrt{5}!", "√(2)x + √(2)(x) + √(5)!"),
        (r"\sqrt{2}\sqrt{3} + \sqrt{3}^2", "√(2)√3 + (√3)²"),
        (r"\frac{\sqrt{3}}{2} = \frac{3}{2\sqrt{3}}, \frac{1}{\sqrt{3}}", "(√3)/2 = 3/(2√3), 1/√3"),
        (r"\sqrt[n]{x}", "root(n; x)"),
        (r"2\pi r", "2πr"),
        (r"\alpha \beta", "αβ"),
        (r"\pi \approx 3{,}14", "π ≈ 3,14"),
        (r"\alpha \in A", "α ∈ A"),
        (r"\pi \times 5", "π × 5"),
        (r"x \to \infty \Rightarrow y", "x → ∞ ⇒ y"),
        (r"\pi\approx 3", "π≈3"),
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
        (r"P_{\overline{A}}(B) = 1 - P_A(B)", "P_A\u0305(B) = 1 - P_A(B)"),
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
    assert to_line(formula) == text


@pytest.mark.parametrize(
    "formula",
    [
        r"\lettre{1 m}",
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
    assert to_line(formula) == formula


@given(st.text(alphabet="ab12+-/()", max_size=30))
def test_linear_text_is_left_alone(text: str) -> None:
    assert to_line(text) == text


@given(st.text(alphabet="a1\\{}^_&$ []'frcsqt", max_size=40))
def test_no_letter_of_a_broken_formula_is_lost(formula: str) -> None:
    to_line(formula)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (r"{\bf x} + \R", "x + ℝ"),
        (r"\underbrace{a+b}_{n}", "(a+b)ₙ"),
        (r"\overset{?}{=}", "=^?"),
        (r"A \xrightarrow{\text{feu}} B \xrightarrow[h]{k t} C", "A —feu→ B —(k t, h)→ C"),
        (r"\sum_{\substack{i \\ j}} a", "∑_(i, j) a"),
        (r"\text{si $x^2$ > 1}", "si x² > 1"),
        (r"\text{CO_2}, 10\,\text{cm}^2, \mathrm{Fe}^{2+}", "CO₂, 10 cm², Fe²⁺"),
        (r"\textcolor{red}{x}\label{eq}\phantom{y}", "x"),
        (r"u_n \qquad v_n", "uₙ  vₙ"),
        (r"\begin{array}{c|c} \hline x & \\ \hline y & z \end{array}", "(x, ; y, z)"),
        (r"\vec{u}\dbinom{3}{-2}", "u⃗(3; -2)"),
        (r"{}^{0}_{-1}e^-", "⁰₋₁e⁻"),
        (r"\vec{\imath} + \mathfrak{a}", "ı⃗ + 𝔞"),
        (r"a &= b \\ c &= d", "a = b\nc = d"),
        (r"\left( a + 1", "( a + 1"),
        (r"\sum_i\limits x^\prime", "∑ᵢ x′"),
        (r"\begin{pmatrix} 1 \cr 2 \end{pmatrix}", "(1; 2)"),
        (r"2\,\AA \thickapprox \complement A \cdotp B", "2 Å ≈ ∁ A · B"),
    ],
)
def test_what_stands_apart_is_told_in_a_line(formula: str, text: str) -> None:
    assert to_line(formula) == text


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
        (r"2*x - 1", "2×x − 1"),
        (r"\unknown{x}", r"\unknown{x}"),
    ],
)
def test_a_formula_is_printed_in_a_line(latex: str, text: str) -> None:
    assert to_printed_line(latex) == text


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("de $5 à $10, et $x^2$", "de $5 à $10, et x²"),
        ("5$, 10$, $12$ ou $$x_1$$", "5$, 10$, 12 ou x₁"),
        ("$100 et $x$", "$100 et x"),
        ("entre $5 - or less - et 10$", "entre $5 - or less - et 10$"),
        ("$5, and 10$", "$5, and 10$"),
        ("$20 000$", "$20 000$"),
    ],
)
def test_money_stays_money(text: str, read: str) -> None:
    assert replace_formulas(text) == read


def test_chemistry_needs_no_dollars() -> None:
    text = r"Le \ce{CO2} : \ce{C + O2 -> CO2}, $\ce{H2O}$ et \ce{Fe^{3+}}, \ce{"
    assert replace_formulas(text) == r"Le CO₂ : C + O₂ → CO₂, H₂O et Fe³⁺, \ce{"


@pytest.mark.parametrize(
    "formula",
    ["44 + 11", "(3 + 2i)(4 - i)", "A(0 ; -8)", "]3 ; 8]", "(3, 8]", "np(1 - p)", "7 × 8", "3 : 4"],
)
def test_calculations_between_dollars_are_formulas(formula: str) -> None:
    assert replace_formulas(f"Calcule ${formula}$.") == f"Calcule {to_line(formula)}."


@given(st.text(alphabet=r"\{}^_$frac sqrt123+", max_size=200))
def test_nothing_is_too_broken_to_be_spelled(latex: str) -> None:
    shown = re.sub(r"\\[\\ ]|[ {}]", "", latex)  # a line break alone shows nothing either
    assert to_line(latex) or not shown


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("-3", "−3"),
        ("(2 ; -8)", "(2 ; −8)"),
        ("3x² - 2x", "3x² − 2x"),
        ("-x + 1", "−x + 1"),
        ("]-∞ ; 4[", "]−∞ ; 4["),
        ("-√3", "−√3"),
        ("x = -2/3", "x = −2/3"),
        ("10⁻³", "10⁻³"),
        ("-er ou -é", "-er ou -é"),
        ("arc-en-ciel", "arc-en-ciel"),
        ("2-3", "2-3"),
        ("mot - autre", "mot - autre"),
    ],
)
def test_a_minus_in_plain_text_is_printed(typed: str, printed: str) -> None:
    assert print_minus(typed) == printed
