from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.learning.skills.skill_map import load_skills
from bot.learning.skills.skill_matching import (
    Field,
    find_field,
    find_named_skills,
    find_skills,
    find_skills_about,
    match_skill,
    suggest_skills,
)
from bot.practice.catalogue import find_generator

SKILLS = load_skills()


@pytest.mark.parametrize(
    ("words", "skill"),
    [
        ("maths.pythagoras", "maths.pythagoras"),
        ("MATHS.PYTHAGORAS", "maths.pythagoras"),
        ("Théorème de Pythagore", "maths.pythagoras"),
        ("pythagore", "maths.pythagoras"),
        ("a ou à", "french.homophones-a"),
        ("accord participe passé", "french.participle-agreement"),
        ("équation second degré", "maths.quadratic-equation"),
        ("quadratic equations", "maths.quadratic-equation"),
        ("trigo", "maths.trigonometry"),
        ("monnaie", "maths.money-fcfa"),
        ("past simple", "english.past-simple"),
        ("PALUDISME", "science.malaria-prevention"),
        ("football", None),
        ("la révolution française", None),
        ("intérêts composés", None),
        ("fractions", "maths.add-fractions"),
        ("fractions CM1", "maths.compare-fractions-same-denominator"),
        ("équations", "maths.equation-first-degree"),
        ("tables de multiplication", "maths.multiplication-tables"),
        ("times tables", "maths.multiplication-tables"),
        ("suites arithmétiques", "maths.arithmetic-sequence"),
        ("calcul d’aires", "maths.area-rectangle"),
        ("règle de trois", "maths.proportionality-table"),
        ("géométrie", None),
        ("statistiques", None),
        ("de la", None),
        ("?!", None),
        ("", None),
    ],
)
def test_words_mean_the_nearest_skill(words: str, skill: str | None) -> None:
    found = match_skill(SKILLS, words, "fr")

    assert (found and found.id) == skill


def test_the_subject_and_the_grade_decide_between_names() -> None:
    plural = match_skill(SKILLS, "pluriel des noms", "fr", subject="english")
    early = match_skill(SKILLS, "addition de fractions", "fr", grade="CM2")
    late = match_skill(SKILLS, "addition de fractions", "fr", grade="6e")

    assert plural is not None
    assert plural.id == "english.plurals"
    assert early is not None
    assert early.id == "maths.add-fractions-same-denominator"
    assert late is not None
    assert late.id == "maths.add-fractions"


def test_physics_and_chemistry_are_parts_of_their_subject() -> None:
    physics, chemistry = (
        {each.id for each in SKILLS.by_id.values() if field.has(each)}
        for field in map(partial(find_field, SKILLS), ("physique", "chemistry"))
        if field is not None
    )
    both = {each.id for each in SKILLS.by_id.values() if each.subject == "physics_chemistry"}
    assert physics | chemistry == both
    assert not physics & chemistry
    assert {"physics-chemistry.ohm-law", "physics-chemistry.newton-second-law"} <= physics
    assert {"physics-chemistry.mole", "physics-chemistry.acid-base-equilibrium"} <= chemistry
    found = match_skill(SKILLS, "loi d'Ohm", "fr", subject="physics")
    assert found is not None
    assert found.id == "physics-chemistry.ohm-law"


def test_a_topic_suggests_skills_near_the_grade() -> None:
    found = suggest_skills(SKILLS, "fractions", "fr", grade="4e")

    assert found[0].id == "maths.divide-fractions"
    assert len(found) == 3
    assert suggest_skills(SKILLS, "football", "fr") == []


def test_every_skill_is_found_by_its_id_and_its_names() -> None:
    for skill in SKILLS.by_id.values():
        assert match_skill(SKILLS, skill.id, "en") is skill
        for language in ("fr", "en"):
            name = skill.name(language)
            assert match_skill(SKILLS, name.upper(), language, subject=skill.subject) is skill


@given(st.text(max_size=300))
def test_any_text_is_taken(text: str) -> None:
    match_skill(SKILLS, text, "fr")
    find_field(SKILLS, text)
    find_skills_about(SKILLS, text, "fr")
    suggest_skills(SKILLS, text, "en", grade="no grade")


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ("CM2", Field("", "CM2")),
        ("3e", Field("", "3e")),
        ("en sixième", Field("", "6e")),
        ("Maths", Field("maths", None)),
        ("français", Field("french", None)),
        ("English", Field("english", None)),
        ("maths 6e", Field("maths", "6e")),
        ("CM1 français", Field("french", "CM1")),
        ("physique", Field("physics_chemistry", None, "physics")),
        ("chimie 2nde", Field("physics_chemistry", "2nde", "chemistry")),
        ("physique-chimie", Field("physics_chemistry", None)),
        ("PC 3e", Field("physics_chemistry", "3e")),
        ("géométrie", None),
        ("conjugaison", None),
        ("fractions 6e", None),
        ("de la", None),
        ("", None),
    ],
)
def test_a_subject_and_a_grade_are_a_field(words: str, field: Field | None) -> None:
    assert find_field(SKILLS, words) == field


@pytest.mark.parametrize(
    ("words", "skill"),
    [
        ("soustraction", "maths.subtract-to-1000"),
        ("soustarction", "maths.subtract-to-1000"),
        ("mutliplication", "maths.multiply-decimals"),
        ("multiplicaton", "maths.multiply-decimals"),
        ("présent", "french.present-er-verbs"),
        ("present", "french.present-er-verbs"),
        ("conjugaison", "french.past-auxiliary"),
        ("times tables", "maths.multiplication-tables"),
        ("probas", "maths.probability-simple"),
        ("ln", "maths.logarithm-rules"),
        ("pytagore", "maths.pythagoras"),
        ("puissances", "maths.powers-of-ten"),
        ("homophones", "french.homophones-son-sont"),
        ("fractions 6e", "maths.add-fractions"),
        ("binomial low", None),
        ("banane quantique", None),
        ("maths", None),
        ("équations", "maths.equation-first-degree"),
        ("tables de multiplication", "maths.multiplication-tables"),
        ("suite arithmétique", "maths.arithmetic-sequence"),
        ("arithmétique", "maths.add-decimals"),
        ("calcul mental", "maths.add-decimals"),
        ("produit en croix", "maths.proportionality-price"),
        ("règle de 3", "maths.proportionality-price"),
        ("conversions", "maths.mass-capacity-units"),
        ("table de 7", "maths.multiplication-tables"),
        ("7 fois", "maths.multiplication-tables"),
        ("les divisions", "maths.divide-one-digit"),
        ("%", "maths.percentage-simple"),
        ("simplifier une fraction", "maths.equivalent-fractions"),
        ("stats", "maths.mean"),
        ("système", "maths.system-two-equations"),
        ("dérivées", "maths.derivative-polynomial"),
        ("complexes", "maths.complex-numbers"),
        ("moitié", "maths.double-half"),
        ("pluriel", "french.plural-nouns"),
        ("et/est", "french.homophones-et-est"),
        ("a/à", "french.homophones-a"),
        ("comparatif", "english.comparatives"),
        ("loi d’Ohm", "physics-chemistry.ohm-law"),
        ("poids physique", "physics-chemistry.weight-mass"),
        ("kWh", "physics-chemistry.electric-power-energy"),
        ("courant", "physics-chemistry.circuit-series-parallel"),
        ("équations chimiques", "physics-chemistry.balance-equation"),
        ("dilution", "physics-chemistry.concentration"),
    ],
)
def test_a_pupils_words_find_the_nearest_exercises(words: str, skill: str | None) -> None:
    found = [each.id for each in find_skills_about(SKILLS, words, "fr", "CM2")]
    assert next((each for each in found if find_generator(each)), None) == skill


@pytest.mark.parametrize(
    ("words", "grade", "skill"),
    [
        ("pourcentages", "5e", "maths.percentage-simple"),
        ("pourcentages", "4e", "maths.percentage-change"),
        ("proportionnalité", "5e", "maths.proportionality-price"),
        ("multiplication", "CM2", "maths.multiply-decimals"),
        ("multiplication", "CM1", "maths.multiply-two-digits"),
        ("division", "CM2", "maths.divide-one-digit"),
        ("fractions", "3e", "maths.divide-fractions"),
        ("fractions", "CP", "maths.compare-fractions-same-denominator"),
        ("équations", "3e", "maths.system-two-equations"),
        ("équations", "4e", "maths.equation-first-degree"),
        ("fractions 6e", "3e", "maths.add-fractions"),
    ],
)
def test_what_is_above_the_grade_comes_after_what_is_below(
    words: str, grade: str, skill: str
) -> None:
    found = [each.id for each in find_skills(SKILLS, words, "fr", grade)]
    assert next(each for each in found if find_generator(each)) == skill


def test_an_id_is_found_without_its_subject() -> None:
    [found] = find_named_skills(SKILLS, "Complex_Numbers")
    assert found.id == "maths.complex-numbers"
    assert {each.id for each in find_named_skills(SKILLS, "past-simple")} == {"english.past-simple"}
    assert list(find_named_skills(SKILLS, "unknown")) == []


@pytest.mark.parametrize(
    ("words", "grade", "skill"),
    [
        ("factoriser", "3e", "maths.factor-identities"),
        ("factorisation", "3e", "maths.factor-identities"),
        ("factorisation", "2nde", "maths.factor-identities"),
        ("facteurs premiers", "3e", "maths.prime-factors"),
        ("intégrale", "Terminale", "maths.primitive-polynomial"),
        ("intégrales", "Terminale", "maths.primitive-polynomial"),
        ("factorielle", "Terminale", None), ("factorial", "Terminale", None),
        ("électricité", "4e", "physics-chemistry.ohm-law"),
        ("électricité", "3e", "physics-chemistry.electric-power-energy"),
        ("électricité", "5e", "physics-chemistry.circuit-series-parallel"),
        ("masse", "CM2", "maths.mass-capacity-units"), ("compter", "CP", "maths.tens-and-ones"),
        ("plus", "CP", "maths.add-within-20"), ("moins", "CP", "maths.subtract-within-20"),
        ("plus", "CE1", "maths.add-to-100"), ("grammar", "6e", "english.plurals"),
        ("grammaire", "CM1", "french.agree-adjective"),
    ],
)  # fmt: skip
def test_words_of_pupils_have_exercises_of_their_class(
    words: str, grade: str, skill: str | None
) -> None:
    found = [each.id for each in find_skills(SKILLS, words, "fr", grade)]
    assert next(filter(find_generator, found), None) == skill


def test_an_alias_beside_a_name_leaves_the_skill_of_that_name_first() -> None:
    found = match_skill(SKILLS, "intégrale", "fr", grade="Terminale")
    assert found is not None
    assert found.id == "maths.integral"
