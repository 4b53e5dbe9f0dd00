"""Chemistry of lower and upper secondary schools, in each target."""

from __future__ import annotations

import time

import pytest
import typst
from hypothesis import given
from hypothesis import strategies as st

from bot.formulas.line_text import to_line
from bot.formulas.syntax import MAX_LENGTH, Untypesettable
from bot.formulas.typst import PREAMBLE, to_typst
from bot.formulas.word import to_omml
from tests.support.office_math import sketch

COMPILER = typst.Compiler(font_paths=typst.Fonts(include_system_fonts=False))
SCHOOL = [
    ("H2O", "H₂O", 'attach("H", b: 2)"O"', "sSub(e(H)sub(2))O"),
    ("CO2", "CO₂", r""""C"attach("O", b: 2)""", "CsSub(e(O)sub(2))"),
    (
        "C6H12O6",
        "C₆H₁₂O₆",
        r"""attach("C", b: 6)attach("H", b: 12)attach("O", b: 6)""",
        "sSub(e(C)sub(6))sSub(e(H)sub(12))sSub(e(O)sub(6))",
    ),
    ("Ca(OH)2", "Ca(OH)₂", r""""Ca"\("O""H"attach(\), b: 2)""", "CasSub(e(d(e(OH)))sub(2))"),
    (
        "(NH4)2SO4",
        "(NH₄)₂SO₄",
        r"""\("N"attach("H", b: 4)attach(\), b: 2)"S"attach("O", b: 4)""",
        "sSub(e(d(e(NsSub(e(H)sub(4)))))sub(2))SsSub(e(O)sub(4))",
    ),
    (
        "Al2(SO4)3",
        "Al₂(SO₄)₃",
        r"""attach("Al", b: 2)\("S"attach("O", b: 4)attach(\), b: 3)""",
        "sSub(e(Al)sub(2))sSub(e(d(e(SsSub(e(O)sub(4)))))sub(3))",
    ),
    ("Fe", "Fe", '"Fe"', "Fe"),
    ("2H2O", "2 H₂O", '2 thin attach("H", b: 2)"O"', "2\u2009sSub(e(H)sub(2))O"),
    ("3 Fe", "3 Fe", '3 thin"Fe"', "3\u2009Fe"),
    (
        "1/2 O2",
        "1/2 O₂",
        r"""frac(1, 2)thin attach("O", b: 2)""",
        "f(num(1)den(2))\u2009sSub(e(O)sub(2))",
    ),
    ("0.5 O2", "0.5 O₂", r"""0.5 thin attach("O", b: 2)""", "0.5\u2009sSub(e(O)sub(2))"),
    ("Na+", "Na⁺", r"""attach("Na", t: \+)""", "sSup(e(Na)sup(+))"),
    ("Cl-", "Cl⁻", r"""attach("Cl", t: \−)""", "sSup(e(Cl)sup(−))"),
    ("OH-", "OH⁻", r""""O"attach("H", t: \−)""", "OsSup(e(H)sup(−))"),
    ("SO4^2-", "SO₄²⁻", r""""S"attach("O", b: 4, t: 2\−)""", "SsSubSup(e(O)sub(4)sup(2−))"),
    ("Fe^{3+}", "Fe³⁺", r"""attach("Fe", t: 3\+)""", "sSup(e(Fe)sup(3+))"),
    ("Fe^3+", "Fe³⁺", r"""attach("Fe", t: 3\+)""", "sSup(e(Fe)sup(3+))"),
    (
        "H3O+",
        "H₃O⁺",
        r"""attach("H", b: 3)attach("O", t: \+)""",
        "sSub(e(H)sub(3))sSup(e(O)sup(+))",
    ),
    ("NH4+", "NH₄⁺", r""""N"attach("H", b: 4, t: \+)""", "NsSubSup(e(H)sub(4)sup(+))"),
    ("Cu^2+ (aq)", "Cu²⁺ (aq)", r"""attach("Cu", t: 2\+)\("aq"\)""", "sSup(e(Cu)sup(2+))(aq)"),
    ("MnO4-", "MnO₄⁻", r""""Mn"attach("O", b: 4, t: \−)""", "MnsSubSup(e(O)sub(4)sup(−))"),
    (
        "Cr2O7^{2-}",
        "Cr₂O₇²⁻",
        r"""attach("Cr", b: 2)attach("O", b: 7, t: 2\−)""",
        "sSub(e(Cr)sub(2))sSubSup(e(O)sub(7)sup(2−))",
    ),
    (
        "[Fe(CN)6]^3-",
        "[Fe(CN)₆]³⁻",
        r"""\["Fe"\("C""N"attach(\), b: 6)attach(\], t: 3\−)""",
        "sSup(e(d(e(FesSub(e(d(e(CN)))sub(6)))))sup(3−))",
    ),
    (
        "CuSO4.5H2O",
        "CuSO₄·5 H₂O",
        r'"Cu""S"attach("O", b: 4)class("normal", \⋅)5 thin attach("H", b: 2)"O"',
        "CuSsSub(e(O)sub(4))⋅5\u2009sSub(e(H)sub(2))O",
    ),
    ("e-", "e⁻", r"""attach("e", t: \−)""", "sSup(e(e)sup(−))"),
    ("NaCl(s)", "NaCl(s)", r""""Na""Cl"\("s"\)""", "NaCl(s)"),
    (
        "Na+(aq) + Cl-(aq)",
        "Na⁺(aq) + Cl⁻(aq)",
        r"""attach("Na", t: \+)\("aq"\)\+attach("Cl", t: \−)\("aq"\)""",
        "sSup(e(Na)sup(+))(aq)+sSup(e(Cl)sup(−))(aq)",
    ),
    (
        "2H2 + O2 -> 2H2O",
        "2 H₂ + O₂ → 2 H₂O",
        r'''2 thin attach("H", b: 2)\+attach("O", b: 2)\→2 thin attach("H", b: 2)"''' 'O"',
        "2\u2009sSub(e(H)sub(2))+sSub(e(O)sub(2))→2\u2009sSub(e(H)sub(2))O",
    ),
    (
        "CH4 + 2O2 -> CO2 + 2H2O",
        "CH₄ + 2 O₂ → CO₂ + 2 H₂O",
        r""""C"attach("H", b: 4)\+2 thin attach("O", b: 2)\→"C"attach("O", b: 2)\+"""
        '2 thin attach("H", b: 2)"O"',
        "CsSub(e(H)sub(4))+2\u2009sSub(e(O)sub(2))→CsSub(e(O)sub(2))+2\u2009sSub(e(H)sub(2))O",
    ),
    (
        "Fe^{3+} + 3OH- -> Fe(OH)3 v",
        "Fe³⁺ + 3 OH⁻ → Fe(OH)₃ ↓",
        r"""attach("Fe", t: 3\+)\+3 thin"O"attach("H", t: \−)\→"Fe"\("O""H"attach("""
        r"""\), b: 3)thin class("normal", \↓)""",
        "sSup(e(Fe)sup(3+))+3\u2009OsSup(e(H)sup(−))→FesSub(e(d(e(OH)))sub(3))\u2009↓",
    ),
    (
        "CaCO3 + 2H+ -> Ca^2+ + CO2 ^ + H2O",
        "CaCO₃ + 2 H⁺ → Ca²⁺ + CO₂ ↑ + H₂O",
        r""""Ca""C"attach("O", b: 3)\+2 thin attach("H", t: \+)\→attach("Ca", t: 2"""
        r"""\+)\+"C"attach("O", b: 2)thin class("normal", \↑)\+attach("H", b: 2)"O"""
        '"',
        "CaCsSub(e(O)sub(3))+2\u2009sSup(e(H)sup(+))→sSup(e(Ca)sup(2+))+CsSub(e(O)su"
        "b(2))\u2009↑+sSub(e(H)sub(2))O",
    ),
    (
        r"CaCO3 ->[\Delta] CaO + CO2",
        "CaCO₃ —Δ→ CaO + CO₂",
        r'"Ca""C"attach("O", b: 3)over(stretch(\→, size: #(100% + 1em)), Δ)"Ca""'
        r"""O"\+"C"attach("O", b: 2)""",
        "CaCsSub(e(O)sub(3))limUpp(e(⟶)lim(Δ))CaO+CsSub(e(O)sub(2))",
    ),
    (
        "6CO2 + 6H2O ->[lumière] C6H12O6 + 6O2",
        "6 CO₂ + 6 H₂O —lumière→ C₆H₁₂O₆ + 6 O₂",
        r"""6 thin"C"attach("O", b: 2)\+6 thin attach("H", b: 2)"O"over(stretch(\→"""
        r""", size: #(100% + 1em)), "lumière")attach("C", b: 6)attach("H", b: 12)a"""
        r"""ttach("O", b: 6)\+6 thin attach("O", b: 2)""",
        "6\u2009CsSub(e(O)sub(2))+6\u2009sSub(e(H)sub(2))OlimUpp(e(⟶)lim(lumière))sSub(e("
        "C)sub(6))sSub(e(H)sub(12))sSub(e(O)sub(6))+6\u2009sSub(e(O)sub(2))",
    ),
    (
        "N2 + 3H2 <=>[Fe][450 °C] 2NH3",
        "N₂ + 3 H₂ ⇌(Fe, 450 °C) 2 NH₃",
        r"""attach("N", b: 2)\+3 thin attach("H", b: 2)under(over(stretch(\⇌, size"""
        r""": #(100% + 1em)), "Fe"), 450 thin\°"C")2 thin"N"attach("H", b: 3)""",
        "sSub(e(N)sub(2))+3\u2009sSub(e(H)sub(2))limUpp(e(limLow(e(⇌)lim(450\u2009°C)))li"
        "m(Fe))2\u2009NsSub(e(H)sub(3))",
    ),
    (
        "CH3COOH + H2O <=> CH3COO- + H3O+",
        "CH₃COOH + H₂O ⇌ CH₃COO⁻ + H₃O⁺",
        r""""C"attach("H", b: 3)"C""O""O""H"\+attach("H", b: 2)"O"\⇌"C"attach("H","""
        r""" b: 3)"C""O"attach("O", t: \−)\+attach("H", b: 3)attach("O", t: \+)""",
        "CsSub(e(H)sub(3))COOH+sSub(e(H)sub(2))O⇌CsSub(e(H)sub(3))COsSup(e(O)su"
        "p(−))+sSub(e(H)sub(3))sSup(e(O)sup(+))",
    ),
    ("^{14}_{6}C", "¹⁴₆C", r"""attach("C", tl: 14, bl: 6)""", "sPre(sub(6)sup(14)e(C))"),
    (
        "^{14}_{6}C -> ^{14}_{7}N + ^{0}_{-1}e",
        "¹⁴₆C → ¹⁴₇N + ⁰₋₁e",
        r"""attach("C", tl: 14, bl: 6)\→attach("N", tl: 14, bl: 7)\+attach("e", tl"""
        r": 0, bl: \−1)",
        "sPre(sub(6)sup(14)e(C))→sPre(sub(7)sup(14)e(N))+sPre(sub(−1)sup(0)e(e))",
    ),
    (
        "^235U + ^1_0n -> ^92Kr",
        "²³⁵U + ¹₀n → ⁹²Kr",
        r"""attach("U", tl: 235)\+attach("n", tl: 1, bl: 0)\→attach("Kr", tl: 92)""",
        "sPre(sub(\u200b)sup(235)e(U))+sPre(sub(0)sup(1)e(n))→sPre(sub(\u200b)sup(92)e(Kr))",
    ),
    (
        "CH3-CH2-OH",
        "CH₃–CH₂–OH",
        r""""C"attach("H", b: 3)class("normal", \–)"C"attach("H", b: 2)class("norm"""
        r'al", \–)"O""H"',
        "CsSub(e(H)sub(3))–CsSub(e(H)sub(2))–OH",
    ),
    (
        "CH2=CH2",
        "CH₂=CH₂",
        r""""C"attach("H", b: 2)class("normal", \=)"C"attach("H", b: 2)""",
        "CsSub(e(H)sub(2))=CsSub(e(H)sub(2))",
    ),
    ("HC#CH", "HC≡CH", r'"H""C"class("normal", \≡)"C""H"', "HC≡CH"),
    (
        "Zn^2+ + 2e- <=> Zn",
        "Zn²⁺ + 2 e⁻ ⇌ Zn",
        r'attach("Zn", t: 2\+)\+2 thin attach("e", t: \−)\⇌"Zn"',
        "sSup(e(Zn)sup(2+))+2\u2009sSup(e(e)sup(−))⇌Zn",
    ),
    ("$n$ CO2", "n CO₂", r"""n"C"attach("O", b: 2)""", "nCsSub(e(O)sub(2))"),
    ("A + B -> C + D", "A + B → C + D", r'"A"\+"B"\→"C"\+"D"', "A+B→C+D"),
    ("Fe^{II}", "Feᴵᴵ", r"""attach("Fe", t: "II")""", "sSup(e(Fe)sup(II))"),
]


@pytest.mark.parametrize(("source", "line", "code", "tree"), SCHOOL)
def test_chemistry_is_written_for_each_target(source: str, line: str, code: str, tree: str) -> None:
    latex = f"\\ce{{{source}}}"
    assert to_line(latex) == line
    assert to_typst(latex) == code
    assert sketch(to_omml(latex)) == tree
    COMPILER.compile(f"{PREAMBLE}$ {code} $".encode(), format="pdf")


def test_chemistry_stands_within_mathematics() -> None:
    assert to_line(r"[\ce{H3O+}] = 10^{-\text{pH}}") == "[H₃O⁺] = 10⁻ᵖᴴ"
    assert to_line(r"\ce{NaOH {(solide)} ->[$t$ = 2 h] $\frac{a}{2}$ X}") == (
        "NaOH (solide) —(t = 2 h)→ a/2 X"
    )


@pytest.mark.parametrize("latex", [r"\ce{$\frac{1}$}", r"\ce{", r"\ce{H2O", r"\ce H", r"\ce{}"])
def test_broken_chemistry_is_refused(latex: str) -> None:
    with pytest.raises(Untypesettable):
        to_typst(latex)


@pytest.mark.parametrize(
    "bomb", ["H^2", "->[a", "^2", "2", "\\ce{$", "{", "[", "->[[", "v ", "$x$"]
)
def test_hostile_chemistry_is_read_or_refused_at_once(bomb: str) -> None:
    started = time.process_time()
    for length in (MAX_LENGTH - 10, 9_000):
        latex = f"\\ce{{{(bomb * length)[:length]}}}"
        to_line(latex)
        try:
            to_omml(latex)
        except Untypesettable:
            continue
    assert time.process_time() - started < 2.0


@given(st.text(alphabet="HOCa2^_{}[]()+-<>=v $\\.", max_size=60))
def test_any_chemistry_is_either_set_or_refused(source: str) -> None:
    latex = f"\\ce{{{source}}}"
    to_line(latex)
    try:
        code = to_typst(latex)
        to_omml(latex)
    except Untypesettable:
        return
    COMPILER.compile(f"{PREAMBLE}$ {code} $".encode(), format="pdf")
