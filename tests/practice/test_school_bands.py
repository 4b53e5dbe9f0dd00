from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.practice.grades import (
    Grade,
    SchoolBand,
    find_grade,
    find_school_band,
    names_class,
    trim_grade,
)

WRITTEN: dict[SchoolBand, str] = {
    "primary": """
        CI|CP|CP1|cp 2|CE1|Ce2 B|CM1|CM2 A|cm2a|CM2 3|Cours moyen 2e année|cours d'initiation
        Primary 1|primary six|P6|Pry 4|Class 5|Basic 6|Grade 1|grade 6A|1st grade|6th grade
        maternelle|CEPE|CEP|CFEE|5e année primaire|3ème année fondamentale|école primaire
        1re primaire
        """,
    "lower_secondary": """
        6ème|6e|6EME B|6è|6ᵉ|6e\u0300me|sixième|5eme|5 ème|4e 2|4e2|quatrieme|3eme|3ème A|3è
        BECE|troisième|JHS 1|jhs three
        JSS2|JSS 3A|Junior Secondary 2|Form 1|Form three|Basic 7|Grade 9
        7th grade|Year 7|7ème année|9e annee|BEPC|BFEM|collège|3e au lycée moderne|Classe de 4ème
        """,
    "upper_secondary": """
        2nde|2nde C|Seconde|2de|2nd|1ère|1ere D|1re|1ʳᵉ S|Première|Tle|Tle D|TleD1|tle s2
        Terminale|terminale A2|term|Tᵉʳ D|TS2|T D|Tl2|SHS 1|SHS3|SS1|SS 3 Science|SSS 2
        Senior Secondary 1|Form 4|Form five|Grade 10|grade 12|11th grade|11e année|12ème année
        Upper Sixth|Lower 6|lycée|Bac|WASSCE|2nde, Collège moderne|1ère au collège
        """,
    "other": """
        |   |6|10e année|1ère année|2e année de médecine|Licence 2|L1|Master|Bac+2|Bac +3|BTS
        université|Year 3|autre|adulte|professeur|🙂|Grade 13
        """,
}
GRADES = [
    (grade, band)
    for band, lines in WRITTEN.items()
    for line in lines.strip().splitlines()
    for grade in line.strip().split("|")
]


def test_a_grade_is_in_a_band_however_it_is_written() -> None:
    assert [(grade, find_school_band(grade)) for grade, _ in GRADES] == GRADES


def test_case_and_outer_blanks_mean_nothing() -> None:
    for grade, band in GRADES:
        for written in (f"  {grade.upper()}\n", grade.lower()):
            assert find_school_band(written) == band, written


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("CM2 A", "CM2"), ("cm2 stp", "CM2"), ("je suis en CM2 svp", "CM2"), ("la 4e", "4e"),
        ("6ème merci", "6e"), ("I'm in grade 6", "6e"), ("ma classe c'est 5e", "5e"),
        ("Year 7", "6e"), ("Year 13", "Terminale"), ("Form 1", "5e"), ("Form three", "3e"),
        ("Form 5", "1re"), ("upper sixth", "Terminale"), ("3rd grade", "CE2"), ("P6", "6e"),
        ("12th grade", "Terminale"), ("Basic 8", "4e"), ("class 5", "CM2"), ("JHS 2", "4e"),
        ("maternelle", "CP"), ("grande section", "CP"), ("KG 2", "CP"),
        ("12", None), ("3", None), ("10e", None), ("10e année", None), ("CE3", None),
        ("Year 3", None), ("Grade 13", None), ("s'il te plaît", None), ("Licence 2", None),
    ],
)  # fmt: skip
def test_a_grade_is_found_within_the_words_around_it(text: str, grade: Grade | None) -> None:
    assert find_grade(text) == grade


@pytest.mark.parametrize(
    ("text", "is_class"),
    [
        ("12", False), ("3", False), ("9", False), ("10e", False), ("CE3", False), ("7e", False),
        ("Grade 13", False), ("10e année", True), ("L1", True), ("Bac+2", True), ("BTS", True),
        ("Year 3", True), ("level 200", True), ("2e année de médecine", True), ("CM2", True),
        ("maternelle", True), ("lycée", True),
    ],
)  # fmt: skip
def test_a_number_alone_names_no_class(text: str, is_class: bool) -> None:
    assert names_class(text) == is_class


def test_a_class_is_written_without_the_words_around_it() -> None:
    asked = ("cm2 stp", "je suis en 6e A merci", "Year 7 please", "Licence 2", "CM2")
    assert [trim_grade(each) for each in asked] == ["CM2", "6e A", "Year 7", "Licence 2", "CM2"]


@given(st.text())
def test_any_text_has_a_band(grade: str) -> None:
    assert find_school_band(grade) in WRITTEN


@pytest.mark.parametrize("unit", ["junior ", "1 ", "e", "ﷺ", "\u0301", "ci_", " "])
def test_a_megabyte_is_judged_by_its_beginning(unit: str) -> None:
    began = time.process_time()
    find_school_band(unit * (2**20 // len(unit.encode())))
    assert find_school_band("CM2 " + unit * 100_000) == "primary"
    assert time.process_time() - began < 0.5
