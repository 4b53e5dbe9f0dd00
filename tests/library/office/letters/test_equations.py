from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.library.office.letters.equations import to_omml
from bot.library.typesetting import Untypesettable

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"


def sketch(element: Any) -> str:
    """The tree in short: `f(num(1)den(2))`; runs as their text, properties left out."""
    name = element.tag.removeprefix(M)
    if name == "r":
        return "".join(element.itertext())
    inner = "".join(sketch(child) for child in element if not child.tag.endswith("Pr"))
    return inner if name == "oMath" else f"{name}({inner})"


@pytest.mark.parametrize(
    ("latex", "tree"),
    [
        (r"\frac{1}{2}", "f(num(1)den(2))"),
        (r"\frac12", "f(num(1)den(2))"),
        (r"x \tag{2}\label{eq:x}", "x\u2003(2)"),
        (r"\textcolor{red}{x}\color{blue}y", "xy"),
        (r"a\mathbin{+}b", "a+b"),
        (r"\operatorname*{max}x", "max\u2009x"),
        ("x^{n+1}", "sSup(e(x)sup(n+1))"),
        ("x_i^2", "sSubSup(e(x)sub(i)sup(2))"),
        ("f'(x)", "sSup(e(f)sup(′))(x)"),
        (r"\sqrt{x}", "rad(deg()e(x))"),
        (r"\sqrt[3]{x}", "rad(deg(3)e(x))"),
        (r"\sum_{i=1}^{n} i = 3", "nary(sub(i=1)sup(n)e(i))=3"),
        (r"\int_0^1 x\,dx", "nary(sub(0)sup(1)e(x\u2009dx))"),
        (r"\alpha \leq \Omega", "α≤Ω"),
        ("12,5", "12,5"),
        (r"\left(\frac{a}{b}\right)", "d(e(f(num(a)den(b))))"),
        (r"\lim_{x \to 0} f", "limLow(e(lim)lim(x→0))f"),
        (r"\sin x", "sin\u2009x"),
        (r"\vec{u}", "acc(e(u))"),
        (r"\overline{z}", "bar(e(z))"),
        (r"\mathbb{R}", "R"),
        (r"x \text{ si } y", "x si y"),
        (r"\underbrace{a}_{n}", "limLow(e(groupChr(e(a)))lim(n))"),
        (r"\binom{n}{k}", "d(e(f(num(n)den(k))))"),
        (r"a &= b \\ c &= d", "eqArr(e(a&=b)e(c&=d))"),
        (
            r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
            "d(e(m(mr(e(1)e(2))mr(e(3)e(4)))))",
        ),
        (r"\begin{cases} 1 & x \\ 2 \end{cases}", "d(e(m(mr(e(1)e(x))mr(e(2)e()))))"),
    ],
)
def test_a_formula_becomes_words_own(latex: str, tree: str) -> None:
    assert sketch(to_omml(latex)) == tree


def test_a_matrix_stands_in_its_brackets() -> None:
    made = to_omml(r"\begin{bmatrix}1\end{bmatrix}")
    assert made.find(f".//{M}begChr").get(f"{M}val") == "["
    assert made.find(f".//{M}endChr").get(f"{M}val") == "]"


@pytest.mark.parametrize(
    "latex",
    [
        *(
            "",
            " ",
            "{",
            "}",
            r"\frac{1}",
            r"\unknown",
            "x^2^3",
            "^",
            r"\left(x",
            "a & $",
            r"\begin{x}",
        ),
        *(
            r"\begin{matrix}1\end{cases}",
            "x" * 3_000,
            "{" * 100 + "}" * 100,
            r"\sqrt[3",
            r"\text{\x}",
        ),
    ],
)
def test_what_cannot_be_read_is_not_half_read(latex: str) -> None:
    with pytest.raises(Untypesettable):
        to_omml(latex)


PIECES = (
    r"\frac { } ^ _ x 1 \sqrt [ ] & \\ \left( \right) \sum ' \text \vec \begin{matrix} \end{matrix}"
)


@given(st.lists(st.sampled_from(PIECES.split(" ")), max_size=25))
def test_any_formula_is_either_set_or_refused(pieces: list[str]) -> None:
    try:
        made = to_omml(" ".join(pieces))
    except Untypesettable:
        return
    assert made.tag == f"{M}oMath"
