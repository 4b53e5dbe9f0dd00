from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.practice.grades import SchoolBand, find_school_band

WRITTEN: dict[SchoolBand, str] = {
    "primary": """
        CI|CP|CP1|cp 2|CE1|Ce2 B|CM1|CM2 A|cm2a|CM2 3|Cours moyen 2e année|cours d'initiation
        Primary 1|primary six|P6|Pry 4|Class 5|Basic 6|Grade 1|grade 6A|1st grade|6th grade
        maternelle|CEPE|CEP|CFEE|5e année primaire|3ème année fondamentale|école primaire
        1re primaire
        """,
    "lower_secondary": """
        6ème|6e|6EME B|6è|6ᵉ|6e\u0300me|sixième|5eme|5 ème|4e 2|4e2|quatrieme|3eme|3ème A|3è
        troisième|JHS 1|jhs three|JSS2|JSS 3A|Junior Secondary 2|Form 1|Form three|Basic 7|Grade 9
        7th grade|7ème année|9e annee|BEPC|BFEM|collège|BECE|3e au lycée moderne|Classe de 4ème
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


@pytest.mark.parametrize(("grade", "band"), GRADES)
def test_a_grade_is_in_a_band_however_it_is_written(grade: str, band: SchoolBand) -> None:
    assert find_school_band(grade) == band


@pytest.mark.parametrize(("grade", "band"), GRADES)
def test_case_and_outer_blanks_mean_nothing(grade: str, band: SchoolBand) -> None:
    assert find_school_band(f"  {grade.upper()}\n") == find_school_band(grade.lower()) == band


@given(st.text())
def test_any_text_has_a_band(grade: str) -> None:
    assert find_school_band(grade) in WRITTEN


@pytest.mark.parametrize("unit", ["junior ", "1 ", "e", "ﷺ", "\u0301", "ci_", " "])
def test_a_megabyte_is_judged_by_its_beginning(unit: str) -> None:
    began = time.process_time()
    find_school_band(unit * (2**20 // len(unit.encode())))
    assert find_school_band("CM2 " + unit * 100_000) == "primary"
    assert time.process_time() - began < 0.5
