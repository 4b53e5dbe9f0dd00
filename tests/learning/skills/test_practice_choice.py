"""What a person asks to practise, in their own words."""

from __future__ import annotations

import re

import pytest

from bot.learning.skills.practice_choice import (
    draw,
    find_wanted,
    leave_request,
    propose_any,
    suggest_near,
)
from bot.learning.skills.skill_map import installed_skills
from bot.learning.skills.skill_matching import find_field
from bot.messages.incoming import Person
from bot.practice.grades import find_grade


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("je veux travailler les fractions", "les fractions"),
        ("les fractions s'il te plaît", "les fractions"), ("fractions stp merci", "fractions"),
        ("Bonjour, je voudrais m’entraîner sur les tables de 7", "les tables de 7"),
        ("donne-moi des exercices de géométrie", "géométrie"), ("je veux travailler", ""),
        ("I want to work on fractions please", "fractions"),
        ("let's practise decimals", "decimals"),
        ("on peut faire les divisions", "les divisions"), ("avoir", "avoir"), ("plus", "plus"),
        ("être et avoir", "être et avoir"), ("théorème de Pythagore", "théorème de Pythagore"),
        ("travail d'une force", "travail d'une force"), ("", ""), ("faire", "faire"),
    ],
)  # fmt: skip
def test_words_that_ask_for_practice_name_no_skill(text: str, asked: str) -> None:
    assert leave_request(text) == asked


def pupil(language: str, grade: str) -> Person:
    return Person("telegram", "1", account=1, language=language, grade=grade)


@pytest.mark.parametrize(
    ("words", "language", "grade", "skill"),
    [
        ("plus petit plus grand", "fr", "CP", "maths.compare-to-100"),
        ("le verbe être", "fr", "CE2", "french.present-irregular"),
        ("poids", "fr", "CE2", "maths.mass-capacity-units"),
        ("poids", "fr", "3e", "physics-chemistry.weight-mass"),
        ("virgule", "fr", "CM2", "maths.add-decimals"),
        ("division à virgule", "fr", "CM2", "maths.divide-decimals"),
        ("intérêt", "fr", "CM2", "maths.percentage-simple"),
        ("calcul posé", "fr", "CE2", "maths.add-to-1000"),
        ("réduire", "fr", "5e", "maths.expand-simple"),
        ("circuit électrique", "fr", "5e", "physics-chemistry.circuit-series-parallel"),
        ("logarithme népérien", "fr", "Terminale", "maths.logarithm-rules"),
        ("asymptote", "fr", "Terminale", "maths.limit-rational"),
        ("stœchiométrie", "fr", "Terminale", "physics-chemistry.balance-equation"),
        ("dosage", "fr", "Terminale", "physics-chemistry.concentration"),
        ("telling the time", "en", "CE2", "maths.read-clock"),
        ("long division", "en", "6e", "maths.euclidean-division"),
        ("BODMAS", "en", "6e", "maths.priorities"), ("HCF", "en", "3e", "maths.gcd"),
        ("averages", "en", "6e", "maths.mean"), ("spelling", "en", "6e", "english.plurals"),
        ("surds", "en", "Terminale", "maths.square-roots"),
        ("indices", "en", "Terminale", "maths.powers"),
        ("standard form", "en", "3e", "maths.scientific-notation"),
        ("gradient", "en", "Terminale", "maths.line-equation"),
        ("calculus", "en", "Terminale", "maths.derivative-polynomial"),
    ],
)  # fmt: skip
def test_ordinary_words_of_pupils_have_exercises(
    words: str, language: str, grade: str, skill: str
) -> None:
    generator = find_wanted(words, pupil(language, grade))
    assert generator is not None
    assert generator.skill == skill


@pytest.mark.parametrize(
    ("grade", "usual"), [("Grade 8", "4e"), ("Year 13", "Terminale"), ("Form 3", "3e")]
)
@pytest.mark.parametrize("words", ["fractions", "equations", "percentages"])
def test_english_names_of_classes_choose_as_french_ones_do(
    words: str, grade: str, usual: str
) -> None:
    assert find_grade(grade) == usual
    assert find_wanted(words, pupil("en", grade)) == find_wanted(words, pupil("en", usual))


@pytest.mark.parametrize(
    ("words", "language", "grade", "near"),
    [
        ("factorielle", "fr", "Terminale", "maths.binomial-law"),
        ("factorials", "en", "Terminale", "maths.binomial-law"),
        ("écart type", "fr", "Terminale", "maths.median"),
        ("congruences", "fr", "Terminale", "maths.euclidean-division"),
        ("pair impair", "fr", "CE2", "maths.double-half"),
        ("échelle", "fr", "CM2", "maths.proportionality-price"),
        ("COD", "fr", "CM2", "french.agree-adjective"),
        ("conditionnel", "fr", "5e", "french.simple-future"),
        ("parallélogramme", "fr", "5e", "maths.triangle-angles"),
        ("ions", "fr", "3e", "physics-chemistry.mole"),
        ("verb to be", "en", "6e", "english.present-simple-s"),
        ("conditionals", "en", "Terminale", "english.past-simple"),
    ],
)
def test_words_without_exercises_lead_to_the_nearest(
    words: str, language: str, grade: str, near: str
) -> None:
    person = pupil(language, grade)
    assert find_wanted(words, person) is None
    assert suggest_near(words, person)[0].id == near


@pytest.mark.parametrize(
    ("words", "table", "skill"),
    [
        ("table de 7", 7, "maths.multiplication-tables"),
        ("la table de sept", 7, "maths.multiplication-tables"),
        ("tables de multiplication par 8", 8, "maths.multiplication-tables"),
        ("the 12 times table", 12, "maths.multiplication-tables"),
        ("table du 5", 5, "maths.tables-2-5-10"), ("10 times table", 10, "maths.tables-2-5-10"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("difficulty", [1, 2, 3])
def test_a_times_table_is_asked_alone(words: str, table: int, skill: str, difficulty: int) -> None:
    generator = find_wanted(words, pupil("fr", "CM1"))
    assert generator is not None
    assert generator.skill == skill
    for number in range(30):
        new = draw(generator, str(number), difficulty, 0, "fr", wanted=words)
        factors = [int(each) for each in re.findall(r"[0-9]+", new.statement)]
        product = factors[1] if difficulty == 3 else factors[0] * factors[1]
        assert table in factors
        assert new.body.solutions == (str(product // table if difficulty == 3 else product),)


@pytest.mark.parametrize(
    "words", ["tables de multiplication", "table de 25", "table de conjugaison", "table d'addition"]
)
def test_other_tables_are_no_times_table(words: str) -> None:
    generator = find_wanted("maths.multiplication-tables", pupil("fr", "CM1"))
    assert generator is not None
    assert draw(generator, "1", 1, 0, "fr", wanted=words).body.within == ""


def test_words_that_mean_nothing_lead_nowhere() -> None:
    assert suggest_near("zzz", pupil("fr", "CM2")) == []


@pytest.mark.parametrize(
    ("words", "subject"),
    [("", "maths"), ("6e", "maths"), ("english", "english"), ("français", "french")],
)
def test_who_is_unknown_begins_with_maths_unless_another_subject_is_named(
    words: str, subject: str
) -> None:
    skills = installed_skills()
    field = find_field(skills, words)
    found = [propose_any(pupil("fr", ""), f"key {n}", field) for n in range(30)]
    assert {skills.by_id[each.skill].subject for each in found if each} == {subject}
