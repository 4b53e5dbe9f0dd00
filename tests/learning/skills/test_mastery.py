from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.learning.skills.mastery import (
    LEVELS,
    MASTERED,
    READY,
    WANTED,
    Learner,
    Proposal,
    adjust_level,
    estimate_mastery,
    is_hard,
    item_noise,
    name_state,
    predict_success,
    propose_exercise,
    propose_skills,
    update_mastery,
    wanted_success,
)
from bot.learning.skills.skill_map import load_skills
from bot.practice.catalogue import all_generators
from bot.practice.grades import GRADES, RANKS, Grade

SKILLS = load_skills()
MATHS = frozenset(each.id for each in SKILLS.by_id.values() if each.subject == "maths")
CHOICE = item_noise("choice", options=4)
P = st.floats(0.001, 0.999)


def propose(learner: Learner, *recent: bool) -> Proposal:
    found = propose_exercise(SKILLS, learner, MATHS, recent=recent)
    assert found is not None
    return found


def answer(p: float, *answers: bool) -> float:
    for correct in answers:
        p = update_mastery(p, CHOICE, correct=correct)
    return p


@given(p=P, kind=st.sampled_from(["choice", "number", "text", "x"]), level=st.sampled_from(LEVELS))
def test_right_answers_raise_and_wrong_ones_lower(p: float, kind: str, level: int) -> None:
    noise = item_noise(kind, difficulty=level)
    right = update_mastery(p, noise, correct=True)
    wrong = update_mastery(p, noise, correct=False)

    assert 0 < wrong < right < 1
    assert noise.guess <= predict_success(p, noise) <= 1 - noise.slip


def test_the_less_is_known_of_a_level_the_flatter_are_the_chances() -> None:
    level = Learner("5e").level("maths")
    by_evidence = [
        Learner("5e"),
        *(Learner("5e", levels={"maths": level}, evidence={"maths": n}) for n in (1, 9)),
        Learner("5e", levels={"maths": level}),
    ]
    one_below, one_above = SKILLS.by_id["maths.add-decimals"], SKILLS.by_id["maths.pythagoras"]
    below = [estimate_mastery(SKILLS, each, one_below) for each in by_evidence]
    above = [estimate_mastery(SKILLS, each, one_above) for each in by_evidence]
    assert below == sorted(below)
    assert above == sorted(above, reverse=True)
    assert below[0] < below[-1]
    assert above[0] > above[-1]


def test_the_first_answers_move_a_level_most() -> None:
    moves = [
        5.5 - adjust_level(5.5, 0.8, correct=False, evidence=evidence)
        for evidence in (0, 1, 4, 20, None)
    ]
    assert moves == sorted(moves, reverse=True)
    assert moves[0] > 1 > moves[1]
    assert moves[-2] == moves[-1]


def test_mastery_takes_some_right_answers_in_a_row() -> None:
    assert answer(0.3, True, True) < MASTERED
    assert answer(0.3, True, True, True) >= MASTERED
    assert answer(0.3, True, True, True, False, False) < MASTERED


def test_a_typed_answer_tells_more_than_one_of_two_options() -> None:
    typed = update_mastery(0.3, item_noise("number"), correct=True)
    tapped = update_mastery(0.3, item_noise("choice", options=2), correct=True)
    shown = update_mastery(0.3, item_noise("number", example=True), correct=True)

    assert typed > tapped
    assert typed > shown


def test_states_need_an_answer() -> None:
    assert name_state(0.99, 0) == "new"
    assert name_state(0.01, 1) == "learning"
    assert name_state(MASTERED, 3) == "mastered"


def test_a_level_moves_by_surprise_and_stays_on_the_scale() -> None:
    assert adjust_level(4.0, 0.9, correct=False) < adjust_level(4.0, 0.5, correct=False) < 4.0
    assert adjust_level(4.0, 0.2, correct=True) > 4.0
    assert adjust_level(4.0, 0.9, correct=False, answers=4) > adjust_level(4.0, 0.9, correct=False)
    assert adjust_level(-1.0, 0.9, correct=False) == -1.0
    assert adjust_level(float(len(GRADES)), 0.1, correct=True) == len(GRADES)


def test_lower_grades_are_expected_to_be_known_better() -> None:
    learner = Learner("4e")
    estimates = [
        estimate_mastery(SKILLS, learner, SKILLS.by_id[name])
        for name in ("maths.add-to-100", "maths.priorities", "maths.pythagoras", "maths.integral")
    ]

    assert estimates == sorted(estimates, reverse=True)
    assert estimates[0] > 0.9
    assert estimates[-1] < 0.1


def test_a_weak_prerequisite_limits_and_mastered_ones_help() -> None:
    skill = SKILLS.by_id["maths.multiply-two-digits"]
    weak = Learner("6e", dict.fromkeys(skill.prerequisites, 0.2))
    strong = Learner("CM1", dict.fromkeys(skill.prerequisites, 0.97))

    assert estimate_mastery(SKILLS, weak, skill) <= 0.2
    assert estimate_mastery(SKILLS, strong, skill) > estimate_mastery(SKILLS, Learner("CM1"), skill)


@pytest.mark.parametrize("grade", GRADES[2:])
def test_what_is_proposed_will_mostly_be_right(grade: str) -> None:
    learner = Learner(GRADES[RANKS[grade]])
    found = propose(learner)

    assert WANTED[0] <= found.success <= WANTED[1]
    assert found.skill.rank <= RANKS[grade]
    assert not found.example
    for name in found.skill.prerequisites:
        assert estimate_mastery(SKILLS, learner, SKILLS.by_id[name]) >= READY


def test_a_missed_prerequisite_comes_before_what_needs_it() -> None:
    needed = SKILLS.by_id["maths.expand-double"].prerequisites
    learner = Learner("3e", dict.fromkeys(needed, 0.3), {"maths": 8.0})
    practicable = {"maths.expand-double", *needed}

    found = propose_exercise(SKILLS, learner, practicable)

    assert found is not None
    assert found.skill.id in needed


def test_misses_in_a_series_make_it_easier() -> None:
    learner = Learner("4e")
    usual, later, last = (propose(learner, *[False] * misses) for misses in (0, 2, 4))

    assert usual.success <= later.success < last.success
    assert wanted_success([True] * 9) == WANTED
    assert last.success > 0.9


def test_a_beginner_sees_a_worked_example_first() -> None:
    found = propose(Learner("CP", {}, {"maths": -1.0}))

    assert found.example
    assert found.difficulty == 1
    assert found.skill.grade == "CP"


def test_the_last_skill_is_avoided_if_there_are_others() -> None:
    learner = Learner("5e")
    first = propose(learner).skill.id
    other = propose_exercise(SKILLS, learner, MATHS, avoid={first})
    only = propose_exercise(SKILLS, learner, {first}, avoid={first})

    assert other is not None
    assert other.skill.id != first
    assert only is not None
    assert only.skill.id == first


def test_nothing_is_proposed_where_nothing_can_be_practised() -> None:
    assert propose_exercise(SKILLS, Learner("CP"), {"maths.integral", "gone.skill"}) is None


def test_next_skills_are_neither_mastered_nor_blocked() -> None:
    learner = Learner("6e", {"maths.priorities": 0.97, "gone.skill": 0.5})
    found = propose_skills(SKILLS, learner, practicable=MATHS, limit=5)

    assert len(found) == 5
    for skill in found:
        assert estimate_mastery(SKILLS, learner, skill) < MASTERED
        for name in skill.prerequisites:
            assert estimate_mastery(SKILLS, learner, SKILLS.by_id[name]) >= READY


@pytest.mark.parametrize("level", [9.0, 10.0, 12.0])
def test_the_class_comes_before_later_grades_however_high_the_level(level: float) -> None:
    learner = Learner("3e", {}, {"maths": level}, {"maths": 10}, {"maths"})
    following = propose_skills(SKILLS, learner, practicable=MATHS, limit=5)
    assert {skill.grade for skill in following} == {"3e"}
    found = propose(learner)
    assert (found.skill.grade, found.example) == ("3e", False)
    assert WANTED[0] <= found.success <= WANTED[1]


def test_later_grades_come_one_by_one_once_the_class_is_mastered() -> None:
    of_class = [each for each in MATHS if SKILLS.by_id[each].grade == "3e"]
    mastery = dict.fromkeys(of_class, 0.97)
    learner = Learner("3e", mastery, {"maths": 10.0}, {"maths": 20}, {"maths"})
    following = propose_skills(SKILLS, learner, practicable=MATHS, limit=5)
    assert {skill.grade for skill in following} == {"2nde"}
    assert propose(learner).skill.grade == "2nde"


@pytest.mark.parametrize("grade", GRADES)
def test_to_who_answered_nothing_yet_maths_are_proposed(grade: Grade) -> None:
    practicable = {each.skill for each in all_generators()}
    exercise = propose_exercise(SKILLS, Learner(grade), practicable)
    following = propose_skills(SKILLS, Learner(grade), practicable=practicable)
    assert exercise is not None
    assert {exercise.skill.subject, following[0].subject} == {"maths"}


def test_who_slips_often_does_not_sink_for_ever() -> None:
    level = 4.0
    for number in range(1000):
        level = adjust_level(level, 0.9, correct=number % 4 != 0, answers=number // 20)
    assert level > 2.0


def test_whoever_misses_much_stays_with_the_easiest_skill_and_sees_an_example() -> None:
    learner = Learner("CP", {"maths.count-to-20": 0.36}, {"maths": -0.9})
    recent = (False, False, True)
    first = propose(learner, *recent)
    again = propose_exercise(SKILLS, learner, MATHS, recent=recent, avoid={first.skill.id})
    assert again == first
    assert first.example
    twice = (first.skill.id, first.skill.id)
    other = propose_exercise(SKILLS, learner, MATHS, recent=(*recent, True), avoid=twice)
    assert other
    assert other.skill != first.skill


def test_who_recovers_goes_on_as_before_the_misses() -> None:
    assert is_hard((False, False, True, True, True))
    assert not is_hard((False, False, True, True, True, True))
    assert wanted_success((False, False, False, True, True, True, True, True)) == WANTED
