"""Exercises as pupils read them: grammar, figures, and feedback that fits its mistake."""

from __future__ import annotations

import re
from fractions import Fraction
from math import gcd

import pytest

from bot.formulas.line_text import replace_formulas
from bot.practice.catalogue import all_generators, find_generator
from bot.practice.generator import Generator, Item
from tests.support.seeds import over_seeds

EVERY = pytest.mark.parametrize("generator", all_generators(), ids=lambda each: each.skill)
ONE_ARE = re.compile(r"\b(?:are|were) \$?1\$?(?![\d,.{}]| [-+])")
NEEDLESS = re.compile(r"(?<![\d.,}^_=])0 \+ \d|\\frac\{[^{}]*\}\{1\}|\\frac\{h\}\{1\}")
NUMBER = re.compile(r"-?\d+")


def make(skill: str, seed: int, difficulty: int, language: str = "fr") -> Item:
    generator = find_generator(skill)
    assert generator is not None
    return generator.make(seed, difficulty=difficulty, language=language)


def feedback_of(item: Item) -> dict[str, str]:
    return {each.option: each.feedback for each in item.misconceptions}


@EVERY
@over_seeds(150)
def test_one_thing_is_not_several(generator: Generator, seed: int, difficulty: int) -> None:
    item = generator.make(seed, difficulty=difficulty, language="en")
    for text in (item.statement, *item.hints, *item.steps):
        assert not ONE_ARE.search(text)


@EVERY
@over_seeds(60)
def test_no_formula_is_taken_for_money(
    generator: Generator, seed: int, difficulty: int, language: str
) -> None:
    item = generator.make(seed, difficulty=difficulty, language=language)
    feedback = (each.feedback for each in item.misconceptions)
    for text in (item.statement, *item.options, *item.hints, *item.steps, *feedback):
        assert "$" not in replace_formulas(text)


@over_seeds(100)
def test_an_english_line_has_an_intercept_c(seed: int, difficulty: int) -> None:
    item = make("maths.line-equation", seed, difficulty, "en")
    names = (each.name for each in item.misconceptions)
    assert not re.search(r"\bp\b", " ".join([*item.hints, *item.steps, *names]))


@pytest.mark.parametrize(
    "skill",
    ["equation-first-degree", "inequality-first-degree", "limit-rational", "divide-fractions",
     "thales"],
)  # fmt: skip
@over_seeds(300)
def test_no_line_adds_zero_or_divides_by_one(skill: str, seed: int, difficulty: int) -> None:
    item = make(f"maths.{skill}", seed, difficulty)
    for text in (item.statement, *item.hints, *item.steps):
        assert not NEEDLESS.search(text)


@over_seeds(100)
def test_steps_say_what_is_counted(seed: int) -> None:
    journeys = make("maths.divide-one-digit", seed, 3)
    found = re.search(r"il reste \$(\d+)\$ personne(s?) à transporter", " ".join(journeys.steps))
    assert found
    assert (int(found[1]) > 1) == bool(found[2])
    assert "\\times 1 =" not in " ".join(make("maths.fraction-of-quantity", seed, 3).steps)


@over_seeds(100)
def test_a_division_goes_on_to_its_end(seed: int) -> None:
    for difficulty in (2, 3):
        item = make("maths.divide-decimals", seed, difficulty)
        lines = [re.findall(r"\d+", line) for line in item.steps[:-1]]
        quotient = "".join(digit for _, _, digit, *_ in lines)
        assert quotient == item.key.replace(",", "")
        assert len(lines[-1]) == 3  # without a rest


@over_seeds(100)
def test_systems_are_solved_without_a_leap(seed: int) -> None:
    prices = make("maths.system-two-equations", seed, 3)
    by = [int(each) for each in NUMBER.findall(prices.hints[1])]
    assert gcd(*by) == 1
    steps = make("maths.system-two-equations", seed, 2).steps
    assert any(re.search(r"x [-+] \d+ [-+] \d+x =", step) for step in steps)
    assert steps[-1].count("=") == 2  # as `y = 15 - 3 × 8 = -9`


@over_seeds(300)
def test_what_is_asked_of_crossing_lines_is_not_given(seed: int) -> None:
    item = make("maths.thales", seed, 3)
    if "se coupent" in item.statement:
        assert item.key not in NUMBER.findall(item.statement)


@over_seeds(300)
def test_weights_change_a_mean_enough_to_be_seen(seed: int) -> None:
    item = make("maths.mean", seed, 3)
    if "coefficient" in item.statement:
        plain = Fraction(next(iter(feedback_of(item))))
        assert abs(plain - Fraction(item.key.replace(",", "."))) >= Fraction(1, 2)


@over_seeds(300)
def test_a_single_x_is_not_divided(seed: int) -> None:
    item = make("maths.equation-first-degree", seed, 2)
    if "1 = 1" not in item.statement and len(item.steps) == 2:  # no division is needed
        assert not any("collé" in each for each in feedback_of(item).values())


@over_seeds(150)
def test_one_part_is_no_product(seed: int) -> None:
    item = make("maths.fraction-of-quantity", seed, 1)
    total = next(number for number in NUMBER.findall(item.statement))
    assert "multiplié" not in feedback_of(item).get(total, "")


@over_seeds(150)
def test_no_made_up_plural_has_two_es(seed: int, difficulty: int) -> None:
    item = make("english.plurals", seed, difficulty)
    assert not any(each.endswith("ees") for each in feedback_of(item))


@over_seeds(150)
def test_a_needless_preposition_is_told_from_a_wrong_one(seed: int) -> None:
    item = make("english.prepositions-time", seed, 3)
    feedback = feedback_of(item).values()
    if item.key == "rien":
        assert len({*feedback}) == 1
        assert "next" in next(iter(feedback))


@over_seeds(150)
def test_a_woman_is_not_called_il(seed: int, difficulty: int) -> None:
    for skill in ("french.present-er-verbs", "french.imperfect"):
        item = make(skill, seed, difficulty)
        if re.search(r"« (?:Elle|Awa|La maîtresse) ", item.statement):
            assert "« elle »" in item.steps[0]
            assert "« il »" not in item.steps[0]


@over_seeds(150)
def test_a_participle_wrong_twice_is_told_so(seed: int) -> None:
    item = make("french.participle-agreement", seed, 1)
    is_plural = item.key.endswith("s")
    is_feminine = item.key.removesuffix("s").endswith("e")
    for wrong, feedback in feedback_of(item).items():
        is_other_number = wrong.endswith("s") != is_plural
        is_other_gender = wrong.removesuffix("s").endswith("e") != is_feminine
        if is_other_number and is_other_gender and wrong[-1] in "es":
            assert "deux choses" in feedback


@EVERY
@over_seeds(60)
def test_a_number_of_the_statement_is_no_good_start(
    generator: Generator, seed: int, difficulty: int
) -> None:
    item = generator.make(seed, difficulty=difficulty, language="fr")
    given = re.findall(r"\d+(?:,\d+)?", re.sub(r"(?<=\d)[\s\u202f](?=\d{3})", "", item.statement))
    for option, feedback in feedback_of(item).items():
        number = re.sub(r"(?<=\d)[\s\u202f](?=\d{3})", "", option).split(" ")[0]
        assert not (number in given and feedback.startswith("Bon début")), (item.statement, option)


@over_seeds(100)
def test_half_of_an_odd_number_is_no_whole_number(seed: int, difficulty: int) -> None:
    item = make("maths.double-half", seed, difficulty)
    for option, feedback in feedback_of(item).items():
        if "cherché la moitié" in feedback:
            assert 4 * int(option) == int(item.key)


@pytest.mark.parametrize("verb", ["aller", "venir", "arriver", "partir", "rester", "tomber"])
@over_seeds(60)
def test_a_wrong_auxiliary_leads_to_the_verbs_with_etre(verb: str, seed: int) -> None:
    for said in feedback_of(make("french.past-auxiliary", seed, 2)).values():
        assert "déplacement" not in said
        assert "Avec « être »" not in said or verb in said


@pytest.mark.parametrize("skill", ["circuit-series-parallel", "ohm-law"])
@over_seeds(100)
def test_feedback_names_no_battery_that_is_a_generator(
    skill: str, seed: int, difficulty: int
) -> None:
    item = make(f"physics-chemistry.{skill}", seed, difficulty)
    for said in feedback_of(item).values():
        assert "pile" not in said or "pile" in item.statement, (item.statement, said)


@EVERY
@over_seeds(40)
def test_english_texts_have_the_words_of_english_schools(
    generator: Generator, seed: int, difficulty: int
) -> None:
    item = generator.make(seed, difficulty=difficulty, language="en")
    for text in (item.statement, *item.hints, *item.steps, *feedback_of(item).values()):
        assert "orthonormal" not in text
        assert "mx + p" not in text
        assert "$p" not in text or generator.skill != "maths.line-equation"
