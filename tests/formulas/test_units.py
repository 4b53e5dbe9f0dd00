from __future__ import annotations

import time

import pytest

from bot.formulas.line_text import to_line
from bot.formulas.syntax import Untypesettable, read_formula
from bot.formulas.typst import to_typst
from bot.formulas.word import to_omml
from tests.support.office_math import sketch


@pytest.mark.parametrize(
    ("latex", "line"),
    [
        (r"\SI{9.81}{m/s^2}", "9.81 m/s²"),
        (r"\qty{9,81}{m.s^{-2}}", "9,81 m·s⁻²"),
        (r"g = \SI{9.81}{\metre\per\second\squared}", "g = 9.81 m·s⁻²"),
        (r"\qty{25}{\celsius}", "25 °C"),
        (r"\qty{45}{\degree}", "45°"),
        (r"\qty{50}{\percent}", "50 %"),
        (r"\SI[per-mode=symbol]{-1,5e-3}{kg.m^{-3}}", "-1,5×10⁻³ kg·m⁻³"),
        (r"\qty{3e8}{\metre\per\second}", "3×10⁸ m·s⁻¹"),
        (r"\unit{kg}", "kg"),
        (r"\unit{\kilo\gram\metre\squared}", "kg·m²"),
        (r"\unit{\square\metre}", "m²"),
        (r"\unit{J/(kg.K)}", "J/(kg·K)"),
        (r"\unit{kWh}", "kWh"),
        (r"\si{\micro\ohm}", "μΩ"),
        (r"\SI{5}{\mathrm{m}}", "5 m"),
        (r"\SI{5}{km / h}", "5 km/h"),
        (r"\num{1234}", "1234"),
        (r"\num{12345.67}", "12 345.67"),
        (r"\num{1 000 000}", "1 000 000"),
        (r"\num{.5}", "0.5"),
        (r"\num{e5}", "10⁵"),
        (r"\num{a+b}", "a+b"),
        (r"\ang{30;15;}", "30°15′"),
        (r"\SIrange{1}{5}{km}", "1–5 km"),
        (r"\pu{123 kJ/mol}", "123 kJ/mol"),
        (r"2\,\unit{m}", "2 m"),
    ],
)
def test_numbers_and_units_are_read(latex: str, line: str) -> None:
    assert to_line(latex) == line


def test_units_are_upright_after_a_thin_space() -> None:
    assert to_typst(r"\SI{9.81}{m.s^2}") == r'9.81 thin"m"\⋅attach("s", t: 2)'
    assert sketch(to_omml(r"\SI{9.81}{m.s^2}")) == "9.81\u2009m⋅sSup(e(s)sup(2))"


@pytest.mark.parametrize("latex", [r"\SI{1}", r"\qty{1}{m", r"\num{\frac{1}}", r"\unit{^{\}}"])
def test_what_is_malformed_is_refused(latex: str) -> None:
    with pytest.raises(Untypesettable):
        to_omml(latex)


def test_a_command_of_another_package_is_unknown() -> None:
    assert to_line(r"\qty(x)") == r"\qty(x)"


def test_unknown_commands_become_words_where_they_are_collected() -> None:
    unknown: list[str] = []
    assert to_typst(r"x + \foo{y} + \bar{z} + \baz", unknown) == (
        r'x\+"\\foo{y}"\+macron(z)\+"\\baz"'
    )
    assert unknown == [r"\foo", r"\baz"]
    with pytest.raises(Untypesettable):
        to_typst(r"x + \foo{y}")


@pytest.mark.parametrize("latex", [r"\foo", r" \foo{x} \bar ", r"\foo \baz"])
def test_a_formula_of_unknown_commands_alone_is_refused(latex: str) -> None:
    unknown: list[str] = []
    with pytest.raises(Untypesettable):
        read_formula(latex.replace(r"\bar", r"\qux"), unknown=unknown)
    assert not unknown


@pytest.mark.parametrize("source", [" " * 220 + "!", "1" + " " * 1_500 + "!", "+" + " " * 1_500])
def test_a_number_of_many_spaces_takes_bounded_time(source: str) -> None:
    start = time.process_time()
    to_line(rf"\SI{{{source}}}{{m}}")
    assert time.process_time() - start < 0.5
