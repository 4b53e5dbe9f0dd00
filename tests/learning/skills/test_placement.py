from __future__ import annotations

import msgspec
import pytest

from bot.learning.skills.mastery import place_skill
from bot.learning.skills.placement import (
    MAX_ITEMS,
    Placement,
    answer_placement,
    estimate_level,
    propose_placement_item,
)
from bot.learning.skills.skill_map import load_skills
from bot.practice.grades import GRADES, RANKS, Grade

SKILLS = load_skills()
MATHS = frozenset(each.id for each in SKILLS.by_id.values() if each.subject == "maths")


def run(grade: Grade, level: float, seed: int = 1) -> Placement:
    """The placement of a pupil who knows exactly the skills below a level."""
    placement = Placement(grade, seed)
    while item := propose_placement_item(SKILLS, placement, MATHS):
        knows = place_skill(SKILLS, item.skill) <= level
        placement = answer_placement(placement, item, correct=knows)
    return placement


@pytest.mark.parametrize("level", [0.5, 2.5, 5.0, 7.5, 9.5])
@pytest.mark.parametrize("grade", ["CM2", "4e"])
def test_ten_items_find_the_level(grade: Grade, level: float) -> None:
    placement = run(grade, level)

    assert len(placement.answers) <= MAX_ITEMS
    assert len(set(placement.asked)) == len(placement.asked)
    if level < RANKS[grade] + 3:
        assert abs(estimate_level(placement).place - level) <= 0.5


@pytest.mark.parametrize("grade", GRADES)
def test_who_knows_nothing_is_asked_step_by_step_down_to_the_first_grade(grade: Grade) -> None:
    placement = Placement(grade, 1)
    lowest = RANKS[grade] - 0.5
    while item := propose_placement_item(SKILLS, placement, MATHS):
        assert item.place >= lowest - 1.3
        lowest = min(lowest, item.place)
        placement = answer_placement(placement, item, correct=False)
        assert estimate_level(placement).place <= lowest

    assert estimate_level(placement).grade == "CP"
    assert 2 <= len(placement.answers) <= MAX_ITEMS


def test_without_an_answer_the_class_is_believed() -> None:
    level = estimate_level(Placement("6e", 1))

    assert level.place == pytest.approx(RANKS["6e"] - 0.5, abs=0.2)
    assert level.deviation > 1


def test_each_answer_makes_the_level_surer_and_moves_it() -> None:
    before = Placement("6e", 1)
    item = propose_placement_item(SKILLS, before, MATHS)
    assert item is not None
    right = estimate_level(answer_placement(before, item, correct=True))
    wrong = estimate_level(answer_placement(before, item, correct=False))

    assert wrong.mean < estimate_level(before).mean < right.mean
    assert max(wrong.deviation, right.deviation) < estimate_level(before).deviation


def test_levels_stay_grades_for_the_best_and_the_weakest() -> None:
    assert estimate_level(run("Terminale", 20)).grade == "Terminale"
    assert estimate_level(run("CP", -5)).grade == "CP"


def test_another_seed_asks_other_exercises_and_the_same_the_same() -> None:
    assert run("5e", 6, seed=1) == run("5e", 6, seed=1)
    assert run("5e", 6, seed=1).asked != run("5e", 6, seed=2).asked


def test_a_placement_goes_on_after_it_was_stored() -> None:
    placement = Placement("5e", 3)
    for correct in (True, False, True):
        item = propose_placement_item(SKILLS, placement, MATHS)
        assert item is not None
        placement = answer_placement(placement, item, correct=correct)
    restored = msgspec.json.decode(msgspec.json.encode(placement), type=Placement)

    assert restored == placement
    assert propose_placement_item(SKILLS, restored, MATHS) == propose_placement_item(
        SKILLS, placement, MATHS
    )


def test_a_placement_without_exercises_is_over_at_once() -> None:
    assert propose_placement_item(SKILLS, Placement("5e", 1), frozenset()) is None
