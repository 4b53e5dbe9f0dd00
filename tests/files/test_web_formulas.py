"""Formulas as web pages of other programs hold them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.files.formula_elements import WEB_RULES
from tests.support.file_fakes import read, text_of

ROW = "<mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>"
TEX = r'<annotation encoding="application/x-tex">\frac{a+b}{c}</annotation>'


def page(written: str) -> bytes:
    return f"<!doctype html><p>Soit <math alttext='x'>{written}</math> ici</p>".encode()


@pytest.mark.parametrize(
    ("written", "line"),
    [
        (f"<semantics><mfrac>{ROW}<mi>c</mi></mfrac>{TEX}</semantics>", "(a+b)/c"),
        (f"\n <mfrac>\n {ROW}\n <mn>2</mn>\n</mfrac>\n", "(a+b)/2"),
        (f"<mfrac linethickness='0'>{ROW}<mi>c</mi></mfrac>", "(a+b) choose c"),
        (f"<msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt><msqrt>{ROW}</msqrt>", "√(a+b)√(a+b)"),
        (f"<mroot>{ROW}<mn>4</mn></mroot>", "∜(a+b)"),
        (f"<mo>(</mo>{ROW}<msup><mo>)</mo><mn>2</mn></msup><mi>x</mi>", "(a+b)^2 x"),
        (f"<msup><mfenced>{ROW}</mfenced><mn>2</mn></msup>", "(a+b)^2"),
        ("<mfenced open='[' close='[' separators=';'><mn>0</mn><mn>1</mn></mfenced>", "[0;1["),
        ("<mi>sin</mi><mo>&#x2061;</mo><mi>x</mi><mo>&#x2062;</mo><mi>y</mi>", "sin xy"),
        ("<mi>sin</mi><mfrac><mi>x</mi><mn>2</mn></mfrac>", "sin(x/2)"),
        ("<mi>f</mi><mo>&#x2061;</mo><mrow><mo>(</mo><mi>x</mi><mo>)</mo></mrow>", "f(x)"),
        ("<munder><mi>lim</mi><mrow><mi>n</mi><mo>→</mo><mi>∞</mi></mrow></munder><mi>u</mi>",
         "lim_(n→∞) u"),
        ("<mover><mi>v</mi><mo>→</mo></mover>", "v⃗"),
        ("<mover><mrow><mi>A</mi><mi>B</mi></mrow><mo>¯</mo></mover>", "(AB)̅"),
        ("<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><msub><mi>u</mi><mi>i</mi></msub>",
         "∑_i^n u_i"),
        ("<mmultiscripts><mi>C</mi><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>", "_6^14 C"),
        ("<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable>", "1, 2"),
        ("<mtable><mtr><mtd/><mtd><mi>a</mi></mtd><mtd><mo>=</mo></mtd></mtr></mtable>", ", a="),
        ("<mi>x</mi><mspace width='1em'/><mtext>si vrai</mtext><mi>y</mi>", "x si vrai y"),
        ("<mtext>si <b>x</b> est</mtext>", "si x est"),
        ("<mi>x</mi><unknown><mi>y</mi></unknown>z", "xyz"),
        ("<msup><mi>x</mi></msup>", "x"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_formula_of_a_page(written: str, line: str) -> None:
    assert text_of(page(written), "p.html").split() == f"Soit {line} ici".split()


def test_a_formula_whose_elements_have_a_prefix_is_one_too() -> None:
    content = (
        b"<html><mml:math><mml:mfrac><mml:mn>1</mml:mn><mml:mn>2</mml:mn></mml:mfrac></mml:math>"
    )
    assert text_of(content) == "1/2"


def test_a_formula_that_is_drawn_beside_its_mathml_is_read_once() -> None:
    drawn = '<span class="katex-html" aria-hidden="true"><span>1</span><br><span>2</span></span>'
    maths = f"<span class='katex'><math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>{drawn}</span>"
    assert text_of(f"<html><p>Soit {maths} ici <span>là</span>".encode()) == "Soit 1/2 ici là"
    assert text_of(f"<html><p>Soit {drawn} ici".encode()).split() == ["Soit", "1", "2", "ici"]


def test_a_formula_that_is_never_closed_swallows_nothing() -> None:
    assert text_of(b"<html><p>a<math><mfrac><mn>1<p>b<p>c") == "a1\nb\n\nc"
    assert text_of(b"<html><p>a<math><mfrac><mn>1") == "a1/"


def test_an_endless_formula_is_read_as_text_from_there_on() -> None:
    text = text_of(page("<mfrac><mi>a</mi><mn>2</mn></mfrac>" * 5_000 + "<mi>z</mi>"), "p.html")
    assert text.startswith("Soit (a/2)(a/2)")
    assert text.endswith("a2a2z ici")


def test_hostile_formulas_take_no_longer_than_text() -> None:
    deep = "<msup><mrow>" * 45 + "<mi>a</mi>" * 1_000 + "</mrow><mn>2</mn></msup>" * 45
    began = time.process_time()
    result, _ = read(page(f"{deep}</math><math>" * 100), "p.html")
    assert result.state == "kept"
    endless, _ = read(page("<mrow>" * 200_000), "p.html")
    assert endless.state == "kept"
    assert time.process_time() - began < 20


@given(st.lists(st.sampled_from(["</", "x", "(", "|", "1/", " ", *sorted(WEB_RULES)]), max_size=40))
def test_no_formula_is_too_strange_to_be_read(parts: list[str]) -> None:
    written = "".join(
        f"<{part}>" if part in WEB_RULES else part.replace("</", "</mrow>") for part in parts
    )
    assert text_of(page(f"<mrow>{written}"), "p.html").startswith("Soit")
