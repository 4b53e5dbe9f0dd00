"""Equations as Word and PowerPoint write them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.files.sample_files import make_pptx, word_part
from tests.support.file_fakes import change_zip, read, text_of

M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
FONT = '<w:rPr><w:rFonts w:ascii="Cambria Math" w:hAnsi="Cambria Math"/><w:i/></w:rPr>'
CONTROL = f"<m:ctrlPr>{FONT}</m:ctrlPr>"
"""How a structure itself looks: Word writes it into all of them."""


def r(text: str, style: str = "") -> str:
    return f"<m:r>{style}{FONT}<m:t>{text}</m:t></m:r>"


def structure(name: str, settings: str = "", **parts: str) -> str:
    inner = "".join(f"<m:{part}>{held}{CONTROL}</m:{part}>" for part, held in parts.items())
    return f"<m:{name}><m:{name}Pr>{settings}{CONTROL}</m:{name}Pr>{inner}</m:{name}>"


def equation(*elements: str) -> bytes:
    inner = "".join(elements)
    return word_part(f"<w:p><w:r><w:t>A </w:t></w:r><m:oMath {M}>{inner}</m:oMath></w:p>")


PLAIN = '<m:rPr><m:sty m:val="p"/></m:rPr>'
WORDS = "<m:rPr><m:nor/></m:rPr>"
FRACTION = structure("f", num=r("a+b"), den=r("2c"))
EMPTY = structure("f", num="", den="")


@pytest.mark.parametrize(
    ("written", "line"),
    [
        (FRACTION, "(a+b)/(2c)"),
        (structure("f", num=r("𝑎+𝑏"), den=r("ℎ")), "(a+b)/h"),
        (structure("sSup", e=r("x"), sup=r("n+1")), "x^(n+1)"),
        (structure("sSup", e=structure("d", e=r("a+b")), sup=r("2")), "(a+b)^2"),
        (structure("sSub", e=r("x"), sub=r("12")) + r("y"), "x_12 y"),
        (structure("sPre", sub=r("6"), sup=r("14"), e=r("C", PLAIN)), "_6^14 C"),
        (structure("rad", '<m:degHide m:val="1"/>', deg=r("7"), e=r("x+1")), "√(x+1)"),
        (structure("rad", '<m:degHide m:val="0"/>', deg=r("5"), e=r("x")), "√[5]x"),
        (
            structure("nary", sub=r("0"), sup=r("1"), e=structure("sSup", e=r("x"), sup=r("2")))
            + r("dx=1/3"),
            "∫_0^1 x^2 dx=1/3",
        ),
        (
            structure("nary", '<m:chr m:val="∑"/><m:supHide m:val="on"/>', sub=r("i"), e=r("2i")),
            "∑_i 2i",
        ),
        (structure("d", '<m:sepChr m:val=";"/>', e=r("a"))[:-6] + "<m:e/></m:d>", "(a;)"),
        (structure("d", '<m:begChr m:val="["/><m:endChr m:val="["/>', e=r("0,1")), "[0,1["),
        (structure("sSub", e=r("1"), sub=r("]0,1[")), "1_(]0,1[)"),
        (structure("func", fName=r("sin", PLAIN), e=r("x")) + r("+1"), "sin x+1"),
        (structure("func", fName=r("sin"), e=structure("d", e=r("x"))), "sin(x)"),
        (
            structure(
                "func", fName=structure("limLow", e=r("lim", PLAIN), lim=r("x→0")), e=FRACTION
            ),
            "lim_(x→0) (a+b)/(2c)",
        ),
        (structure("limUpp", e=r("="), lim=r("déf", WORDS)), "=^déf"),
        (structure("limUpp", e=r("x"), lim=r("n")), "x┴n"),
        (structure("acc", e=r("x")), "x̂"),
        (structure("bar", '<m:pos m:val="top"/>', e=r("AB")), "(AB)̅"),
        (structure("groupChr", e=r("a+b")), "(a+b)⏟"),
        (r("x>0") + r(" si ", WORDS) + r("y"), "x>0 si y"),
        (structure("borderBox", e=r("x=1")), "x=1"),
        (r("a") + '<m:r><w:br w:type="textWrapping"/></m:r>' + r("b"), "a\nb"),
        (f"<m:m><m:mr><m:e>{r('1')}</m:e><m:e>{FRACTION}</m:e></m:mr></m:m>", "1, (a+b)/(2c)"),
        (r("A=") + f"<m:m><m:mr><m:e>{r('1')}</m:e></m:mr></m:m>", "A=[1]"),
        (EMPTY, "/"),
    ],
)  # fmt: skip
def test_an_equation_as_word_writes_it(written: str, line: str) -> None:
    assert text_of(equation(written)) == f"A {line}"


def test_what_follows_an_equation_is_text_again() -> None:
    para = f"<m:oMathPara {M}><m:oMath>{FRACTION}</m:oMath></m:oMathPara>"
    body = f"<w:p>{para}</w:p><w:tbl><w:tr><w:tc><w:p><w:t>x</w:t></w:p></w:tc></w:tr></w:tbl>"
    assert text_of(word_part(body)) == "(a+b)/(2c)\nx"


def test_an_equation_on_a_slide_is_read_and_its_picture_is_not() -> None:
    inner = f"<a14:m><m:oMath {M}>{FRACTION.replace('w:', 'a:')}</m:oMath></a14:m>"
    spelled = (
        f'<mc:AlternateContent xmlns:mc="mc" xmlns:a14="a14"><mc:Choice>{inner}</mc:Choice>'
        "<mc:Fallback><a:t>image</a:t></mc:Fallback></mc:AlternateContent>"
    ).encode()
    part = {
        "ppt/slides/slide1.xml": lambda xml: xml.replace(
            b"<a:r><a:t>Ici", spelled + b"<a:r><a:t>Ici"
        )
    }
    assert text_of(change_zip(make_pptx(("Un", "Ici")), **part)) == "[slide 1]\nUn\n(a+b)/(2c)Ici"


def nested(depth: int) -> str:
    return "<m:rad><m:e>" * depth + r("12") + "</m:e></m:rad>" * depth


def test_an_equation_nested_deeper_than_any_is_read_as_text() -> None:
    assert text_of(equation(nested(40), r("+x"))) == f"A {'√(' * 39}√12{')' * 39}+x"
    assert text_of(equation(nested(200), r("+x"))) == "A 12+x"


def test_an_endless_equation_is_read_as_text_from_there_on() -> None:
    text = text_of(equation(*[FRACTION] * 1_000, r("fin")))
    assert text.startswith("A ((a+b)/(2c))((a+b)/(2c))")
    assert text.endswith("a+b2cfin")


def test_hostile_equations_take_no_longer_than_text() -> None:
    deep = "<m:sSup><m:e>" * 45 + r("a" * 5_000) + "</m:e><m:sup/></m:sSup>" * 45
    wide = "<m:d><m:dPr><m:begChr m:val='" + "(" * 50_000 + "'/></m:dPr><m:e/></m:d>"
    began = time.process_time()
    result, pieces = read(equation(*[f"{deep}</m:oMath><m:oMath {M}>{wide}"] * 100))
    assert time.process_time() - began < 20
    assert result.state == "kept"
    assert "(((((" not in pieces[-1].body


NAMES = str.split(
    "f num den sSup sSub e sub sup sPre rad deg nary d func fName limLow limUpp lim acc bar m mr "
    "groupChr eqArr r t naryPr chr dPr begChr oMath br"
)


@given(
    st.recursive(
        st.sampled_from(["", r("x"), r("("), r("|"), r("1/&amp;"), r(" a", WORDS)]),
        lambda inner: st.builds(
            lambda name, parts: f"<m:{name}>{''.join(parts)}</m:{name}>",
            st.sampled_from(NAMES),
            st.lists(inner, max_size=4),
        ),
    )
)
def test_no_equation_is_too_strange_to_be_read(written: str) -> None:
    assert text_of(equation(written)).startswith("A")
