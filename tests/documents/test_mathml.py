from __future__ import annotations

import re

import pytest

from bot.documents import html_elements
from bot.documents.html_elements import MathmlFormulas


def shown(latex: str, *, displayed: bool = False) -> str:
    return MathmlFormulas().to_html(latex, displayed=displayed)


@pytest.mark.parametrize(
    ("latex", "elements"),
    [
        (r"\frac{a}{b}", "<mfrac><mi>a</mi><mi>b</mi></mfrac>"),
        (r"x^{n+1}", "<msup><mi>x</mi><mrow><mi>n</mi><mo"),
        (r"\sqrt[3]{8}", "<mroot><mn>8</mn><mn>3</mn></mroot>"),
        (r"\mathbb{R}", "<mi>ℝ</mi>"),
        (r"\mathrm{C}", '<mi mathvariant="normal">C</mi>'),
        (r"\alpha + h", "<mi>α</mi><mo>+</mo><mi>h</mi>"),
        (r"\text{si } x", "<mtext>si\u00a0</mtext><mi>x</mi>"),
        (r"\boxed{x}", '<mrow class="boxed">'),
        (r"\overline{AB}", '<mrow class="overlined">'),
        (r"\cancel{x}", '<mrow class="cancelled">'),
        (r"\begin{array}{c|c} a & b \\ \hline c & d \end{array}", '<mrow class="ruled">'),
        (r"\begin{cases} 1 \\ 2 \end{cases}", '<mtable class="cases">'),
        (r"a < b", "<mo>&lt;</mo>"),
    ],
)
def test_a_formula_is_mathml(latex: str, elements: str) -> None:
    assert elements in shown(latex)


def test_it_says_what_it_was_where_mathml_is_not_known() -> None:
    assert (
        shown('x "<').count('alttext="x &quot;&lt;"') + shown('x "<').count("x &quot;&lt;</code>")
        == 1
    )
    assert shown(r"\frac{a}{b}").startswith(r'<math alttext="\frac{a}{b}">')


def test_a_formula_on_its_own_line_may_be_scrolled() -> None:
    assert re.fullmatch(
        r'<div class="block" tabindex="0"><math display="block" alttext="x">.*</math></div>',
        shown("x", displayed=True),
    )


@pytest.mark.parametrize("latex", [r"\foo{x}", r"\frac{1}{", "", "<script>", "x" * 5_000])
def test_what_cannot_be_set_is_shown_as_typed_or_set_as_text(latex: str) -> None:
    html = shown(latex)
    assert html.startswith(('<code class="tex">', "<math"))
    assert "<script" not in html


def test_no_part_of_a_formula_is_left_out_in_silence() -> None:
    for latex in (r"\cancel{x}", r"\underline{y}", r"\phantom{z}a", r"\underbrace{x}_{y}"):
        letters = set(re.sub(r"\\[a-z]+|[^a-z]", "", latex))
        assert letters <= set(re.sub(r"<[^>]*>", "", shown(latex)))


def test_a_formula_of_which_typst_would_leave_out_a_part_is_shown_as_typed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Of what Typst leaves out nothing is known that is not drawn; it may learn to leave out more.
    monkeypatch.setattr(html_elements, "_MATHML_PREAMBLE", "")
    assert shown(r"\cancel{x}") == r'<code class="tex">\cancel{x}</code>'
