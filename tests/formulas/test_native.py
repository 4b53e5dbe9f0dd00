r"""Formulas in the part of LaTeX that chat apps set themselves."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.formulas.line_text import to_line
from bot.formulas.native import to_native
from tests.support.recorded_data import DATA

SCHOOL = (DATA / "formulas" / "school-fr.txt").read_text().splitlines()
UNSAFE = re.compile(
    r"\\(?:begin|ce|boxed|fbox|cancel|color|textcolor|vec|hat|bar|over\w+|under\w+|wide\w+|d?binom"
    r"|substack|mathcal|mathscr|pmod|xrightarrow|operatorname|euro|\$)|[éèçô€<>°]"
)
COMMANDS = re.compile(r"\\([A-Za-z]+|.)")
KNOWN = frozenset(
    re.findall(
        r"\S+",
        "frac sqrt text mathrm mathbb left right times cdot div pm mp le ge ne approx equiv to"
        " Rightarrow Leftrightarrow infty in notin cup cap circ dots cdots quad sum prod int sin"
        " cos tan ln log exp lim max min alpha beta gamma delta varepsilon theta lambda mu pi rho"
        " sigma tau varphi omega Delta Sigma Omega % , { }",
    )
) | {" "}


def latex_of(formula: str) -> str:
    native = to_native(formula)
    assert native is not None
    return native.latex


def bare(formula: str) -> str:
    """The formula as a line of text, whose spaces and slanted signs do not count."""
    return to_line(formula).translate(str.maketrans("⩽⩾", "≤≥", " "))


@pytest.mark.parametrize(
    ("formula", "latex"),
    [
        (r"\dfrac{3}{4}", r"\frac{3}{4}"),
        (r"x^{2}", "x^2"),
        (r"x^{n+1}", "x^{n+1}"),
        (r"2{,}5 \times 10^{-3}", r"2{,}5 \times 10^{-3}"),
        ("3,14 × 2 ≤ 7", r"3{,}14 \times 2 \le 7"),
        (r"\displaystyle\sum_{k=1}^{n}k", r"\sum_{k=1}^n k"),
        (r"\left(\dfrac{a}{b}\right)", r"\left(\frac{a}{b}\right)"),
        (r"\left(a+b\right)", "(a+b)"),
        (r"f'(x)", "f'(x)"),
        (r"\sqrt[3]{27}", r"\sqrt[3]{27}"),
        (r"80~\text{km/h}", r"80\ \text{km/h}"),
        (r"x \geqslant 3", r"x \ge 3"),
    ],
)
def test_the_source_is_short_and_plain(formula: str, latex: str) -> None:
    assert latex_of(formula) == latex


@pytest.mark.parametrize(
    "formula",
    [
        r"\boxed{x=3}",
        r"\ce{2H2 + O2 -> 2H2O}",
        r"\begin{pmatrix}1\\2\end{pmatrix}",
        r"\vec{u}",
        r"x < 3",
        r"7 \$",
        "7 €",
        r"\text{côté}",
        r"\frac{1}{2",
        r"\left]-\infty;\frac{1}{2}\right]",
        r"\frac{\frac{\frac{\frac{1}{2}}{3}}{4}}{5}",
        "+".join(["x^2"] * 60),
        r"\color{red}{x}",
        r"\alpha\unknown",
        "",
    ],
)
def test_what_an_app_may_not_know_stays_out(formula: str) -> None:
    assert to_native(formula) is None


@pytest.mark.parametrize("formula", SCHOOL)
def test_school_formulas_are_native_only_with_what_every_app_knows(formula: str) -> None:
    native = to_native(formula)
    if native is None:
        return
    assert not UNSAFE.search(formula)
    assert native.latex.isascii()
    assert set(COMMANDS.findall(native.latex)) <= KNOWN
    assert bare(native.latex) == bare(formula)


def test_so_many_school_formulas_are_native() -> None:
    natives = [native for formula in SCHOOL if (native := to_native(formula))]
    assert len(natives) == 48
    assert sum(native.is_tall for native in natives) == 26


@given(st.text(st.sampled_from("\\{}^_$&<>fracsqtx12 +=()[]|'é") | st.characters(), max_size=80))
def test_every_text_is_judged_and_never_holds_markup(text: str) -> None:
    native = to_native(text)
    assert native is None or not re.search(r"[<>&$\n]", native.latex)
