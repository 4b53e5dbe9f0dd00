"""What is shown of skills: words, proposals, and the summary for the model."""

from __future__ import annotations

import pytest

from bot.agent.prompts.system_prompt import fill_template, read_prompt
from bot.learning.skills.learner_model import KnownSkill, LearnerModel
from bot.learning.skills.mastery import (
    Learner,
    estimate_mastery,
    item_noise,
    predict_success,
)
from bot.learning.skills.skill_map import load_skills
from bot.learning.skills.skill_progress import (
    NextSkill,
    SkillOverview,
    describe_next,
    describe_skills,
    list_next,
    make_skill_overview,
    propose_practice,
    summarise_for_model,
)
from bot.practice.catalogue import find_generator
from bot.practice.grades import GRADES, Grade

SKILLS = load_skills()


def make_model(grade: Grade, mastery: dict[str, float], answers: int = 2) -> LearnerModel:
    learner = Learner(grade, mastery, {"maths": 3.4, "french": 3.1})
    known = tuple(
        KnownSkill(skill, mastery[skill.id], answers)
        for skill in SKILLS.by_id.values()
        if skill.id in mastery
    )
    return LearnerModel(SKILLS, learner, known)


@pytest.mark.parametrize("language", ["fr", "en"])
@pytest.mark.parametrize("p", [0.3, 0.97])
def test_the_model_is_shown_at_most_400_characters(language: str, p: float) -> None:
    model = make_model("CM2", dict.fromkeys(SKILLS.by_id, p))
    values = summarise_for_model(language, model)
    section = fill_template(read_prompt(f"{language}/skills"), values)
    assert values["levels"]
    assert values["learning" if p < 0.95 else "mastered"]
    assert len(section) <= 400


def test_of_who_has_answered_nothing_the_model_is_shown_nothing() -> None:
    assert summarise_for_model("fr", LearnerModel(SKILLS, Learner("CM2"))) == {}
    assert summarise_for_model("fr", LearnerModel(SKILLS, None)) == {}


@pytest.mark.parametrize("grade", GRADES)
def test_what_comes_next_can_be_practised_and_will_mostly_be_right(grade: Grade) -> None:
    model = LearnerModel(SKILLS, Learner(grade))
    following = list_next(model)
    assert 2 <= len(following) <= 3  # of CE1, by the class alone, only two are ready
    assert all(find_generator(each.id) for each in following)
    proposal = propose_practice(model)
    assert proposal is not None
    assert proposal.skill == following[0]
    if grade != "CP":  # who begins school knows too little for that
        p = estimate_mastery(SKILLS, Learner(grade), proposal.skill)
        noise = item_noise("choice", difficulty=proposal.difficulty)
        assert 0.70 <= predict_success(p, noise) <= 0.85


def test_prerequisites_come_first() -> None:
    model = make_model("4e", {"maths.add-within-20": 0.1, "maths.add-to-100": 0.2})
    following = {each.id for each in list_next(model, 50)}
    assert "maths.add-to-100" not in following
    for each in list_next(model, 50):
        assert "maths.add-within-20" not in each.prerequisites


def test_words_count_states_and_name_what_comes_next() -> None:
    model = make_model("CM2", {"maths.add-to-100": 0.97, "maths.add-within-20": 0.5})
    overview = make_skill_overview("en", model)
    assert [line.state for line in overview.lines] == ["learning", "mastered"]
    first, following = describe_skills("en", overview)
    assert first == "Skills: 1 mastered, 1 in progress."
    assert following.startswith(f"Next: {overview.next[0].name}, ")


@pytest.mark.parametrize(
    ("grade", "level", "named", "expected"),
    [
        ("CM2", 7.2, "4e", "CM2"),
        ("CM2", -1.0, "CP", "CP"),
        ("CP", 3.2, "CM1", "CP"),
        ("3e", 12.0, "Terminale", "3e"),
    ],
)
def test_after_a_placement_its_subject_comes_first_at_the_level_or_in_the_class(
    grade: Grade, level: float, named: Grade, expected: Grade
) -> None:
    learner = Learner(grade, levels={"maths": level}, placed={"maths"})
    model = LearnerModel(SKILLS, learner)
    following = list_next(model)
    assert len(following) == 3
    assert {each.subject for each in following} == {"maths"}
    assert following[0].grade == expected
    for recent in ((), (True,), (True, True), (False, False)):
        proposal = propose_practice(model, recent)
        assert proposal is not None
        assert proposal.skill.subject == "maths"
    assert make_skill_overview("en", model).level == f"Your level in maths: {named}."


def test_other_subjects_come_once_the_placed_one_is_mastered() -> None:
    maths = {each.id for each in SKILLS.by_id.values() if each.subject == "maths"}
    learner = Learner("CM2", dict.fromkeys(maths, 0.97), {"maths": 4.0}, placed={"maths"})
    model = LearnerModel(SKILLS, learner)
    assert list_next(model)
    assert "maths" not in {each.subject for each in list_next(model)}


@pytest.mark.parametrize("grade", ["CP", "Terminale"])
def test_something_comes_next_until_all_is_mastered(grade: Grade) -> None:
    mastery = {each.id: 0.97 for each in SKILLS.by_id.values() if find_generator(each.id)}
    own = {name: p for name, p in mastery.items() if SKILLS.by_id[name].grade == grade}
    assert list_next(LearnerModel(SKILLS, Learner(grade, own)))
    assert list_next(LearnerModel(SKILLS, Learner(grade, mastery)))
    assert not list_next(LearnerModel(SKILLS, Learner(grade, dict.fromkeys(SKILLS.by_id, 0.97))))


def test_nothing_known_is_nothing_shown() -> None:
    overview = make_skill_overview("fr", LearnerModel(SKILLS, None))
    assert (overview.lines, overview.next) == ((), ())
    assert describe_skills("fr", overview) == []
    assert propose_practice(LearnerModel(SKILLS, None)) is None


def test_names_with_commas_are_told_apart() -> None:
    names = ("Masculin ou féminin : un, une, le, la", "Pluriel des noms")
    overview = SkillOverview(next=tuple(NextSkill(name, name) for name in names))
    assert "le, la\u202f; Pluriel" in describe_next("fr", overview)
    assert "le, la; Pluriel" in describe_next("en", overview)
    plain = SkillOverview(next=(NextSkill("a", "Angles"), NextSkill("b", "Cubes")))
    assert "Angles, Cubes" in describe_next("en", plain)
