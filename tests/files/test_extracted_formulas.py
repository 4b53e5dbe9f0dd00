"""Formulas come out of our own documents in one line that can be read in one way only."""

from __future__ import annotations

import pytest

from bot.documents.document_request import PageRequest
from bot.documents.docx_worker import make_docx
from bot.documents.html_worker import make_html
from tests.support.file_fakes import text_of

FORMULAS = {
    r"\frac{1}{2}": "1/2",
    r"\frac{a+b}{c}": "(a+b)/c",
    r"\frac{2x}{3y}": "2x/(3y)",
    r"\frac{\frac{a}{b}}{c}": "(a/b)/c",
    r"\frac{1}{2}x": "(1/2)x",
    r"2\frac{1}{2}": "2 1/2",
    r"\frac{a}{b}+\frac{c}{d}": "a/b+c/d",
    r"-\frac{\pi}{2}": "−π/2",
    r"x^{n+1}": "x^(n+1)",
    r"x^2": "x^2",
    r"x^{2n}": "x^(2n)",
    r"x^2y": "x^2 y",
    r"x_i^2": "x_i^2",
    r"e^{-x^2}": "e^(−x^2)",
    r"2^{\frac{1}{2}}": "2^(1/2)",
    r"f'": "f′",
    r"f^{(n)}": "f^((n))",
    r"90^\circ": "90°",
    r"\left(\frac{a}{b}\right)^2": "(a/b)^2",
    r"\sqrt{x+1}": "√(x+1)",
    r"\sqrt{2}x": "√2 x",
    r"\sqrt{\frac{a}{b}}": "√(a/b)",
    r"\sqrt[3]{x}": "∛x",
    r"\sqrt[n]{x}": "√[n]x",
    r"\frac{-b\pm\sqrt{b^2-4ac}}{2a}": "(−b±√(b^2−4ac))/(2a)",
    r"\int_0^1 x^2 dx=1/3": "∫_0^1 x^2 dx=1/3",
    r"\sum_{i=1}^{n} i=\frac{n(n+1)}{2}": "∑_(i=1)^n i=n(n+1)/2",
    r"\lim_{x\to 0}\frac{\sin x}{x}=1": "lim_(x→0) (sin x)/x=1",
    r"\begin{pmatrix}1&-2\\3&4\end{pmatrix}": "(1, −2; 3, 4)",
    r"\begin{vmatrix}a&b\\c&d\end{vmatrix}": "|a, b; c, d|",
    r"f(x)=\begin{cases}1&x>0\\0&\text{sinon}\end{cases}": "f(x)={1, x>0; 0, sinon",
    r"\begin{aligned}a&=b\\c&=d\end{aligned}": "a=b; c=d",
    r"\binom{n}{k}": "(n choose k)",
    r"\vec{AB}": "(AB)⃗",
    r"\vec{u}": "u⃗",
    r"\overline{z}": "z̅",
    r"\hat{x}": "x̂",
    r"\overbrace{a+b}^{n}": "(a+b)⏞^n",
    r"\max_{x} f": "max_x f",
    r"\frac{|x|}{2}": "|x|/2",
}


@pytest.mark.parametrize(("latex", "line"), FORMULAS.items())
def test_a_formula_of_a_word_document_is_read_in_one_line(latex: str, line: str) -> None:
    content = make_docx(PageRequest("", f"Soit ${latex}$.", "fr")).content
    assert text_of(content) == f"Soit {line}."


def test_formulas_of_a_page_are_read_in_one_line_too() -> None:
    typed = "\n\n".join(f"Soit ${latex}$." for latex in FORMULAS)
    page = make_html(PageRequest("T", typed, "fr")).encode()
    read = text_of(page, "a.html").split("\n\n")[2:]
    assert read == [f"Soit {line}." for line in FORMULAS.values()]
