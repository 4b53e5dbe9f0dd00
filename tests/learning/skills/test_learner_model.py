"""Mastery by skill, kept from results: once each, joined and erased with the account."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.contracts.services import Quiz
from bot.contracts.storage import Database, Transaction
from bot.gateway.people.erasure import erase_rows
from bot.gateway.people.linking import adopt_answers
from bot.learning.exercises import adopt_exercises_from_guest, ask, note_right, note_wrong
from bot.learning.exercises import read as read_exercise
from bot.learning.new_exercise import Body, NewExercise
from bot.learning.quiz import Quizzes, answer_quiz
from bot.learning.results import Results, keep_result
from bot.learning.skills.learner_model import (
    LearnerModel,
    adopt_levels,
    adopt_mastery,
    count_by_skill,
    read_learner_model,
    set_level,
)
from bot.learning.skills.mastery import MASTERED, item_noise
from bot.learning.skills.placement import (
    Placement,
    adopt_placement,
    answer_placement,
    make_placement_item,
    save_placement,
)
from bot.learning.skills.skill_map import installed_skills, use_curriculum
from bot.learning.skills.skill_progress import list_next
from bot.messages.incoming import Person
from bot.practice.catalogue import all_generators
from tests.support.fakes import tool_context
from tests.support.queries import NOW, add_row, change_rows, read_row, read_rows, read_values

SKILL = "maths.add-to-100"
CHOICE = item_noise("choice")
PUPIL, OTHER = 7, 8


@pytest.fixture(autouse=True)
async def accounts(database: Database) -> None:
    for account in (PUPIL, OTHER):
        await add_row(database, "account", id=account, grade="CM2", created_at=NOW)


@pytest.fixture
def _school(tmp_path: Path) -> Iterator[None]:
    """A school's folder with one skill, which is forgotten after the test."""
    (tmp_path / "school.toml").write_text(
        'subject = "maths"\n[[skills]]\nid = "maths.market-prices"\ngrade = "CM2"\n'
        'fr = "Prix au marché"\nen = "Prices at the market"\n'
    )
    use_curriculum(str(tmp_path))
    yield
    use_curriculum("")


async def keep(
    database: Database,
    key: str,
    *,
    correct: bool = True,
    unaided: bool = True,
    skill: str = SKILL,
    account: int = PUPIL,
) -> None:
    async def work(tx: Transaction) -> None:
        await keep_result(
            tx,
            key=key,
            account=account,
            lane="telegram:1",
            correct=correct,
            source="practice",
            subject="maths",
            skill=skill,
            noise=CHOICE,
            unaided=unaided,
        )

    await database.write(work)


async def read(database: Database, account: int = PUPIL) -> LearnerModel:
    return await database.read(lambda tx: read_learner_model(tx, account))


async def test_the_first_answer_begins_and_right_ones_master(database: Database) -> None:
    await keep(database, "1", correct=False)
    [known] = (await read(database)).known
    assert (known.skill.id, known.state, known.answers) == (SKILL, "learning", 1)
    for number in range(2, 9):
        await keep(database, str(number))
    [known] = (await read(database)).known
    assert known.state == "mastered"
    assert known.p >= 0.95


async def test_the_same_result_counts_once_also_at_the_same_moment(database: Database) -> None:
    await asyncio.gather(*(keep(database, "same") for _ in range(6)))
    [row] = await read_rows(database, "mastery")
    assert row["answers"] == 1
    [level] = await read_rows(database, "level")
    assert level["answers"] == 1


async def test_answers_at_the_same_moment_all_count(database: Database) -> None:
    await asyncio.gather(*(keep(database, str(number)) for number in range(6)))
    [row] = await read_rows(database, "mastery")
    assert row["answers"] == 6


async def test_a_right_answer_with_help_is_no_proof(database: Database) -> None:
    await keep(database, "1", unaided=False)
    aided = (await read_row(database, "mastery"))["p"]
    await keep(database, "2", account=OTHER)
    [alone] = [row["p"] for row in await read_rows(database, "mastery", account=OTHER)]
    assert aided < alone
    assert (await read_row(database, "result", account=PUPIL))["correct"] == 1


async def test_the_level_moves_with_each_answer(database: Database) -> None:
    await keep(database, "1", correct=False)
    low = (await read(database)).learner
    for number in range(2, 6):
        await keep(database, str(number))
    high = (await read(database)).learner
    assert low is not None
    assert high is not None
    assert low.level("maths") < 3.5  # half a grade below CM2
    assert low.level("maths") < high.level("maths")


@pytest.mark.usefixtures("_school")
async def test_a_skill_that_was_removed_from_the_map_is_left_out(database: Database) -> None:
    await keep(database, "1", skill="maths.market-prices")
    assert [each.skill.id for each in (await read(database)).known] == ["maths.market-prices"]
    use_curriculum("")
    model = await read(database)
    assert model.known == ()
    assert list_next(model)
    await keep(database, "2", skill="maths.market-prices")
    assert len(await read_rows(database, "result")) == 2
    assert (await read_row(database, "mastery"))["answers"] == 1
    assert await database.read(count_by_skill) == []


async def test_guests_and_unknown_accounts_have_none(database: Database) -> None:
    await keep(database, "1", account=0)
    assert await read_rows(database, "mastery") == []
    assert (await read(database, 0)).learner is None


async def test_without_a_class_the_answers_tell_one(database: Database) -> None:
    await change_rows(database, "account", {"grade": ""})
    assert (await read(database)).learner is None
    await keep(database, "1", skill="maths.pythagoras")
    learner = (await read(database)).learner
    assert learner is not None
    assert learner.grade in {"5e", "4e", "3e"}


async def test_answers_of_both_accounts_count_where_they_are_merged(database: Database) -> None:
    for number in range(3):
        await keep(database, f"a{number}", account=PUPIL)
    await keep(database, "b", correct=False, account=OTHER)
    await keep(database, "c", skill="maths.double-half", account=PUPIL)
    best = (await read(database)).known
    [one] = await read_rows(database, "mastery", account=PUPIL, skill=SKILL)
    [other] = await read_rows(database, "mastery", account=OTHER, skill=SKILL)
    places = await read_values(database, "level", "place", subject="maths")

    async def merge(tx: Transaction) -> None:
        await adopt_mastery(tx, PUPIL, OTHER)
        await adopt_levels(tx, PUPIL, OTHER)

    await database.write(merge)
    joined = {each.skill.id: each for each in (await read(database, OTHER)).known}
    assert joined[SKILL].answers == 4
    assert joined[SKILL].p == pytest.approx((3 * one["p"] + other["p"]) / 4)
    [place] = await read_values(database, "level", "place", subject="maths")
    assert min(places) < place < max(places)
    assert len(joined) == len(best)
    assert await read_rows(database, "mastery", account=PUPIL) == []
    assert await read_rows(database, "level", account=PUPIL) == []


async def test_a_skill_that_the_placement_found_missed_is_not_mastered(database: Database) -> None:
    skills = installed_skills()
    item = make_placement_item(skills, skills.by_id[SKILL])
    placement = answer_placement(Placement("Terminale", 1), item, correct=False)

    async def place(tx: Transaction) -> None:
        await save_placement(tx, PUPIL, placement, "")
        await set_level(tx, PUPIL, "maths", 9.0, answers=10)

    await database.write(place)
    [known] = (await read(database)).known
    assert (known.state, known.answers) == ("learning", 1)
    assert known.p < MASTERED
    assert await database.read(count_by_skill) == [(skills.by_id[SKILL], 1, 0)]
    await keep(database, "1")
    [known] = (await read(database)).known
    assert known.state == "mastered"


async def test_placed_skills_are_being_learnt(database: Database) -> None:
    skills = installed_skills()
    item = make_placement_item(skills, skills.by_id[SKILL])
    placement = answer_placement(Placement("CM2", 1), item, correct=True)

    async def place(tx: Transaction) -> None:
        await save_placement(tx, PUPIL, placement, "")
        await set_level(tx, PUPIL, "maths", 4.2, answers=1)

    await database.write(place)
    model = await read(database)
    [known] = model.known
    assert (known.skill.id, known.answers) == (SKILL, 1)
    assert known.state == ("mastered" if known.p >= MASTERED else "learning")
    assert model.learner is not None
    assert model.learner.placed == {"maths"}

    async def merge(tx: Transaction) -> None:
        await adopt_placement(tx, PUPIL, OTHER)

    await database.write(merge)
    assert [row["account"] for row in await read_rows(database, "placement")] == [OTHER]


async def test_it_is_forgotten_with_the_account(database: Database) -> None:
    await keep(database, "1")
    await keep(database, "1b", account=OTHER)
    await database.write(lambda tx: erase_rows(tx, "account", account=PUPIL))
    assert [row["account"] for row in await read_rows(database, "mastery")] == [OTHER]
    assert [row["account"] for row in await read_rows(database, "level")] == [OTHER]


# Topics in a model's own words


async def test_a_reported_topic_is_matched_to_the_nearest_skill(database: Database) -> None:
    context = tool_context(person=Person("telegram", "42", account=PUPIL, grade="4e"))
    await Results(database).report(
        "maths", correct=True, topic="Théorème de Pythagore", context=context
    )
    row = await read_row(database, "result")
    assert row["skill"].startswith("maths.pythagor")
    assert row["topic"] == "Théorème de Pythagore"
    assert [row["skill"] for row in await read_rows(database, "mastery")] == [row["skill"]]


async def test_words_that_mean_no_skill_stay_a_topic(database: Database) -> None:
    context = tool_context(account=PUPIL)
    await Results(database).report("histoire", correct=True, topic="Samori Touré", context=context)
    row = await read_row(database, "result")
    assert (row["skill"], row["topic"]) == ("", "Samori Touré")
    assert await read_rows(database, "mastery") == []


async def test_a_quiz_counts_for_the_skill_that_it_names(database: Database) -> None:
    quiz = Quiz("interactive_quiz", "23 + 45 ?", ("68", "67"), 0, "", skill=SKILL)
    asked = await Quizzes(database).ask(quiz, tool_context(account=PUPIL))
    await database.write(lambda tx: answer_quiz(tx, asked.id, 0, account=PUPIL))
    [known] = (await read(database)).known
    assert known.skill.id == SKILL
    assert (await read_row(database, "result"))["subject"] == "maths"


# Guests


async def test_what_a_guest_answered_counts_once_they_are_known(database: Database) -> None:
    body = Body(("5",), source="practice")

    async def practise(tx: Transaction) -> None:
        new = NewExercise("number", "2 + 3", body, SKILL)
        await ask(tx, "e1", new, lane="http:s1", account=0, address="guest", secret="secret")
        await note_right(tx, await read_exercise(tx, "e1"))

    await database.write(practise)
    assert await read_rows(database, "mastery") == []
    for _ in range(2):
        await database.write(lambda tx: adopt_exercises_from_guest(tx, "http:s1", PUPIL))
    [known] = (await read(database)).known
    assert (known.skill.id, known.answers) == (SKILL, 1)


async def test_a_guests_second_try_counts_as_everybody_elses(database: Database) -> None:
    async def practise(tx: Transaction, key: str, lane: str, account: int) -> None:
        new = NewExercise("number", "2 + 3", Body(("5",), source="practice"), SKILL)
        await ask(tx, key, new, lane=lane, account=account, address="a", secret="secret")
        await note_wrong(tx, await read_exercise(tx, key), "4")
        await note_right(tx, await read_exercise(tx, key))

    await database.write(lambda tx: practise(tx, "e1", "http:s1", 0))
    await database.write(lambda tx: adopt_answers(tx, "http:s1", PUPIL))
    await database.write(lambda tx: practise(tx, "e2", "telegram:42", PUPIL + 1))
    guest, other = await read_rows(database, "mastery")
    assert (guest["p"], guest["answers"]) == (other["p"], other["answers"])


async def test_a_quiz_that_a_guest_answered_counts_once_they_are_known(database: Database) -> None:
    quiz = Quiz("interactive_quiz", "23 + 45 ?", ("68", "67"), 0, "", skill=SKILL)
    asked = await Quizzes(database).ask(quiz, tool_context(account=0, lane="http:s1"))
    await database.write(lambda tx: answer_quiz(tx, asked.id, 0, account=0))
    for _ in range(2):
        await database.write(lambda tx: adopt_answers(tx, "http:s1", PUPIL))
    [known] = (await read(database)).known
    assert (known.skill.id, known.answers) == (SKILL, 1)
    [card] = await read_rows(database, "card")
    assert (card["account"], card["lane"], card["reviews"]) == (PUPIL, "", 1)


# Cards


async def test_a_missed_exercise_of_a_skill_that_can_be_asked_again_has_a_card(
    database: Database,
) -> None:
    context = tool_context(account=PUPIL, lane="telegram:42")
    for _ in range(2):  # the same call
        await Results(database).report("maths", correct=False, topic=SKILL, context=context)
    [card] = await read_rows(database, "card")
    assert (card["key"], card["account"], card["lane"]) == (SKILL, PUPIL, "")
    assert (card["reviews"], card["lapses"]) == (1, 1)
    assert card["due_at"] - card["reviewed_at"] < 86_400
    generators = {each.skill for each in all_generators()}
    bare = next(name for name in installed_skills().by_id if name not in generators)
    other = replace(context, key="another call")
    subject = installed_skills().by_id[bare].subject
    await Results(database).report(subject, correct=False, topic=bare, context=other)
    assert len(await read_rows(database, "card")) == 1
