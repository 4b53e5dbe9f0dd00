from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render.formula_pictures import formulas_in, needs_picture


@pytest.mark.parametrize(
    "formula",
    [
        r"x^{n+1}",
        r"\dfrac12",
        r"\frac{a+b}{c+d} \leq 2",
        r"\frac{\sqrt{2}}{2}",
        r"\sqrt[3]{8} + \sqrt{x+1}",
        r"x^{y^2}",
        r"e^{-\frac{x^2}{2}}",
        r"\sum u_n",
        r"\int f",
        r"\inf(A)",
        r"\vec{u} + \vec{v}",
        r"\overrightarrow{AB}",
        r"\Delta = b^2 - 4ac",
        r"\mathrm{H_2O}",
    ],
)
def test_what_reads_well_on_one_line_needs_no_picture(formula: str) -> None:
    assert not needs_picture(formula)


@pytest.mark.parametrize(
    "formula",
    [
        r"\frac{-b \pm \sqrt{b^2-4ac}}{2a}",
        r"\frac{\frac{a}{b}}{c}",
        r"\frac{1}{\sqrt[3]{x+1}}",
        r"\sqrt{1+\sqrt{2}}",
        r"\sqrt[n]{x}",
        r"2^{2^{2^n}}",
        r"\begin{pmatrix} 1 & 2 & 3 \\ 4 & 5 & 6 \\ 7 & 8 & 9 \end{pmatrix}",
        r"\begin{cases} 1 & x>0 \\ 0 & x<0 \end{cases}",
        r"\begin{aligned} a &= b \\ &= c \end{aligned}",
        r"a = b \\ c = d",
        r"\sum_{i=1}^n i",
        r"\sum\limits_{i} i",
        r"\int _0^1 f",
        r"\lim_{x \to 0} f(x)",
        r"\overrightarrow{AB} = \overrightarrow{CD}",
        r"\binom{n}{k}",
        r"\xrightarrow{\Delta}",
    ],
)
def test_what_stands_one_over_another_needs_a_picture(formula: str) -> None:
    assert needs_picture(formula)


def test_formulas_are_found_in_order_and_once_wherever_they_stand() -> None:
    text = (
        "Soit $\\sum_{i=1}^n i$, puis **$\\sqrt{\\sqrt2}$** :\n\n$$\n\\frac{\\frac12}{3}\n$$\n\n"
        "- \\(\\int_0^1 x\\)\n- $\\sum_{i=1}^n i$\n\n"
        "| a |\n|---|\n| $\\lim_{x \\to 0} x$ |\n"
    )
    assert formulas_in(text) == (
        r"\sum_{i=1}^n i",
        r"\sqrt{\sqrt2}",
        r"\frac{\frac12}{3}",
        r"\int_0^1 x",
        r"\lim_{x \to 0} x",
    )


def test_neither_code_nor_money_nor_a_simple_formula_counts() -> None:
    text = "`$\\sum_1^2$`, $5 and $6, $x^2$\n\n```\n$$\\sum_1^2$$\n```\n"
    assert formulas_in(text) == ()


@given(st.text(st.sampled_from("$\\^_{}[]&x1+ \n") | st.characters(), max_size=200))
def test_every_text_is_judged(text: str) -> None:
    assert all(needs_picture(formula) for formula in formulas_in(text))
