from __future__ import annotations

import pytest

from bot.documents.markdown_blocks import read_tokens
from bot.typography import polish
from tests.support.documents import page_request

N = "\u202f"
F = "\u00a0"


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("Oui! Non ? Si ;", f"Oui{N}! Non{N}? Si{N};"),
        ("Quoi?!", f"Quoi{N}?!"),
        ("Prix: 5", f"Prix{F}: 5"),
        ("x=\"1\" ou f('a')='b c'", "x=\"1\" ou f(‘a’)='b c'"),
        ('x = "un", <b>"deux"</b>', f"x = «{F}un{F}», <b>«{F}deux{F}»</b>"),
        ('Il dit "bonjour".', f"Il dit «{F}bonjour{F}»."),
        ("« oui » et «non»", f"«{F}oui{F}» et «{F}non{F}»"),
        ("l'eau d'Abidjan", "l’eau d’Abidjan"),
        ("10 000 F CFA", f"10{N}000{F}F{F}CFA"),
        ("1 250 000 FCFA", f"1{N}250{N}000{F}FCFA"),
        ("22 %", f"22{F}%"),
        ("50% des 10€ à 20°C, 3,5%.", f"50{F}% des 10{F}€ à 20{F}°C, 3,5{F}%."),
        ("10€50, a%20b, 5%20, 30°, 100%%", "10€50, a%20b, 5%20, 30°, 100%%"),
        ("attends... -- oui --- non", "attends… – oui — non"),
        ("M. Koffi, n° 5", f"M.{F}Koffi, n°{F}5"),
        ("12:30, a:b, 3;4", "12:30, a:b, 3;4"),
        ("en 2020 300 élèves", "en 2020 300 élèves"),
        ("07 08 12 345 678", "07 08 12 345 678"),
        ("Tél. +225 07 07 01 02 03.", f"Tél. +225{F}07{F}07{F}01{F}02{F}03."),
        ("27 20 21 22, 12 14", f"27{F}20{F}21{F}22, 12 14"),
        ("12 14 15 16 18 20", "12 14 15 16 18 20"),
        ("---- ....", "---- ...."),
        ("مثال: نعم! Oui: non!", f"مثال: نعم! Oui{F}: non{N}!"),
    ],
)
def test_french_is_set_by_its_rules(typed: str, printed: str) -> None:
    assert polish(typed, "fr") == printed


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ('He said "yes": really?', "He said “yes”: really?"),
        ("the 'old' shop's door", "the ‘old’ shop’s door"),
        ("wait... -- 10 000", "wait… – 10 000"),
    ],
)
def test_english_is_set_by_its_own(typed: str, printed: str) -> None:
    assert polish(typed, "en") == printed


def printed_line(markdown: str) -> str:
    return "".join(
        token.content for block in read_tokens(markdown, "fr") for token in block.children or ()
    )


def test_signs_keep_to_what_stands_before_them_in_another_style() -> None:
    assert printed_line("**Oui**! $x$ ; `c`: fin") == f"Oui{N}! x{N}; c{F}: fin"


def test_code_formulas_and_addresses_stay_as_they_are() -> None:
    line = '`a ? b : "c"` $f(x) ; 2 = 3$ https://a.ci/?q=x--y'
    assert printed_line(line) == 'a ? b : "c" f(x) ; 2 = 3 https://a.ci/?q=x--y'


def test_the_language_is_that_of_the_text() -> None:
    english = "The aim of this is to show that you are able to read the text from the book. " * 3
    assert page_request(english, language="fr").language == "en"
    assert (
        page_request("Les élèves et la leçon du jour dans le livre. " * 3, language="en").language
        == "fr"
    )
    assert page_request("Na wóló", language="fr").language == "fr"
    assert page_request("Na wóló", language="wo").language == "fr"
