"""Graded items become cards in the transaction that grades them, once each."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from bot.contracts.services import Quiz
from bot.contracts.storage import Database, Transaction
from bot.errors import PersonError
from bot.learning import exercises, quiz
from bot.learning.exercises import Exercise
from bot.learning.new_exercise import Body, NewExercise, exercise_of_item
from bot.learning.reviews.cards import (
    CardItem,
    adopt_cards,
    adopt_cards_from_guest,
    choose_cards,
    count_due,
    keep_card,
)
from bot.learning.reviews.memory_model import DAY
from bot.messages.value import ExerciseKind
from bot.practice.catalogue import find_generator
from tests.support.fakes import tool_context
from tests.support.queries import FromNow, add_rows, change_rows, count_rows, read_row, read_rows

LANE = "telegram:1"
SKILL = "maths.add-to-100"
MANY = 10_000


def generated(seed: int = 1) -> NewExercise:
    generator = find_generator(SKILL)
    assert generator
    return exercise_of_item(generator.make(seed), left_after=0)


def given(statement: str = "Capital of Mali?") -> NewExercise:
    return NewExercise("text", statement, Body(("Bamako",), hints=("On the Niger",)), "geography")


async def ask(
    database: Database, new: NewExercise, *, account: int = 7, name: str = "e1", lane: str = LANE
) -> Exercise:
    async def work(tx: Transaction) -> Exercise:
        await exercises.ask(tx, name, new, lane=lane, account=account, address="1", secret="s")
        return await exercises.read(tx, name)

    return await database.write(work)


async def answer_right(database: Database, exercise: Exercise) -> None:
    await database.write(lambda tx: exercises.note_right(tx, exercise))


async def keep(
    database: Database, key: str, *, account: int = 7, lane: str = LANE, **fields: Any
) -> bool:
    item = CardItem(key, "", "text", key, 2, "{}", fields.pop("reviews", None))
    answer = {"correct": True, "first_try": True} | fields
    return await database.write(
        lambda tx: keep_card(tx, item, account=account, lane=lane, **answer)
    )


async def test_a_generated_item_is_the_card_of_its_skill(database: Database) -> None:
    for number in range(2):
        await answer_right(database, await ask(database, generated(number), name=f"e{number}"))
    card = await read_row(database, "card")
    assert (card["account"], card["lane"], card["key"]) == (7, "", SKILL)
    assert (card["reviews"], card["lapses"]) == (2, 0)


async def test_any_other_item_is_a_card_of_its_own(database: Database) -> None:
    for number, statement in enumerate(
        ("Capital of Mali?", "Capital of Togo?", "Capital of Mali?")
    ):
        await answer_right(database, await ask(database, given(statement), name=f"e{number}"))
    cards = await read_rows(database, "card", order_by="statement")
    assert [(card["statement"], card["reviews"]) for card in cards] == [
        ("Capital of Mali?", 2),
        ("Capital of Togo?", 1),
    ]


async def test_a_quiz_is_a_card_that_asks_its_options(database: Database) -> None:
    asked = Quiz("interactive_quiz", "2 + 2?", ("3", "4"), 1, "Count on.")
    made = await quiz.Quizzes(database).ask(asked, tool_context(account=7))
    await database.write(lambda tx: quiz.answer_quiz(tx, made.id, 0, account=7))
    card = await read_row(database, "card")
    assert (card["kind"], card["statement"], card["lapses"]) == ("choice", "2 + 2?", 1)
    assert '"options":["3","4"]' in card["body"]


async def test_an_item_that_is_not_over_is_no_card(database: Database) -> None:
    exercise = await ask(database, given())
    await database.write(lambda tx: exercises.note_wrong(tx, exercise, "Lagos"))
    assert await count_rows(database, "card") == 0


@pytest.mark.parametrize(("kind", "lapses"), [("choice", 1), ("text", 0)])
async def test_an_option_found_by_elimination_is_a_miss(
    database: Database, kind: ExerciseKind, lapses: int
) -> None:
    options = ("Bamako", "Dakar", "Niamey") if kind == "choice" else ()
    new = NewExercise(kind, "Capital of Mali?", Body(("Bamako",), options=options), "geography")
    exercise = await ask(database, new)
    exercise = await database.write(lambda tx: exercises.note_wrong(tx, exercise, "Dakar"))
    await answer_right(database, exercise)
    card = await read_row(database, "card")
    assert card["lapses"] == lapses
    assert (card["due_at"] - card["reviewed_at"] < DAY) == bool(lapses)
    assert [row["correct"] for row in await read_rows(database, "result")] == [1]


async def test_right_at_first_is_due_later_than_right_after_a_hint(database: Database) -> None:
    at_first = await ask(database, given(), name="e1", account=7)
    hinted = await ask(database, given(), name="e2", account=8, lane="telegram:2")
    hinted, _ = await database.write(lambda tx: exercises.show_hint(tx, hinted))
    await answer_right(database, at_first)
    await answer_right(database, hinted)
    first, second = await read_rows(database, "card")
    assert first["due_at"] > second["due_at"] >= time.time() + DAY - 60


async def test_what_was_shown_is_due_within_a_day(database: Database) -> None:
    exercise = await ask(database, given())
    exercise, _ = await database.write(lambda tx: exercises.show_hint(tx, exercise))
    await database.write(lambda tx: exercises.show_solution(tx, exercise))
    card = await read_row(database, "card")
    assert 0 < card["due_at"] - time.time() < DAY
    assert card["lapses"] == 1


async def test_two_phones_that_answer_at_once_count_once(database: Database) -> None:
    exercise = await ask(database, given())
    told = await asyncio.gather(
        *(answer_right(database, exercise) for _ in range(4)), return_exceptions=True
    )
    assert sum(isinstance(each, PersonError) for each in told) == 3
    assert (await read_row(database, "card"))["reviews"] == 1


async def test_a_review_asked_on_two_phones_counts_once(database: Database) -> None:
    await keep(database, SKILL)
    counted = await asyncio.gather(*(keep(database, SKILL, reviews=1) for _ in range(4)))
    assert sorted(counted) == [False, False, False, True]
    assert (await read_row(database, "card"))["reviews"] == 2


async def test_answers_of_one_account_at_once_are_all_counted(database: Database) -> None:
    await add_rows(database, "account", [{"id": 7}])
    await asyncio.gather(*(keep(database, SKILL) for _ in range(6)))
    assert (await read_row(database, "card"))["reviews"] == 6


async def test_a_clock_that_goes_back_and_a_silent_year_do_no_harm(database: Database) -> None:
    await keep(database, "a")
    await keep(database, "b")
    await change_rows(database, "card", {"reviewed_at": FromNow(9 * DAY)}, key="a")
    await change_rows(database, "card", {"reviewed_at": FromNow(-365 * DAY)}, key="b")
    assert await keep(database, "a")
    assert await keep(database, "b", correct=False)
    assert all(card["due_at"] > time.time() for card in await read_rows(database, "card"))


async def test_the_weakest_comes_first(database: Database) -> None:
    for key, days in (("strong", 3), ("weak", 40), ("middle", 9), ("later", -1)):
        await keep(database, key)
        moments = {"reviewed_at": FromNow(-days * DAY), "due_at": FromNow(-days)}
        await change_rows(database, "card", moments, key=key)
    chosen = await database.read(lambda tx: choose_cards(tx, 7, LANE, 10))
    assert [card.key for card in chosen] == ["weak", "middle", "strong"]
    cards = await database.read(lambda tx: count_due(tx, 7, LANE))
    assert cards.due == 3
    assert cards.next_at is not None
    assert cards.next_at > cards.now


async def test_where_more_are_due_a_leech_waits(database: Database) -> None:
    for key, lapses, days in (("lost", 4, 40), ("known", 0, 3), ("faded", 3, 9)):
        await keep(database, key)
        values = {"reviewed_at": FromNow(-days * DAY), "due_at": FromNow(-1), "lapses": lapses}
        await change_rows(database, "card", values, key=key)
    for places, keys in ((1, ["faded"]), (2, ["faded", "known"])):
        chosen = await database.read(lambda tx, most=places: choose_cards(tx, 7, LANE, most))
        assert [card.key for card in chosen] == keys


async def test_guests_have_the_cards_of_their_conversation(database: Database) -> None:
    for lane in ("http:a", "http:b"):
        await keep(database, SKILL, account=0, lane=lane)
    await change_rows(database, "card", {"due_at": FromNow(-1)}, lane="http:a")
    due = [await database.read(lambda tx, x=x: count_due(tx, 0, x)) for x in ("http:a", "http:b")]
    assert [each.due for each in due] == [1, 0]


@pytest.mark.parametrize("missed_by", [7, 8])
async def test_of_two_accounts_the_card_answered_last_stays(
    database: Database, missed_by: int
) -> None:
    known_by = 15 - missed_by
    for _ in range(5):
        await keep(database, "a", account=known_by)
    await change_rows(database, "card", {"reviewed_at": FromNow(-DAY)})
    await keep(database, "a", account=missed_by, correct=False)
    await keep(database, "b", account=7)
    await database.write(lambda tx: adopt_cards(tx, 7, 8))
    missed, only = await read_rows(database, "card")
    assert (missed["account"], missed["key"]) == (8, "a")
    assert missed["due_at"] < time.time() + DAY
    assert (missed["reviews"], missed["lapses"]) == (6, 1)
    assert (only["account"], only["key"], only["reviews"]) == (8, "b", 1)


async def test_a_guests_cards_become_the_accounts(database: Database) -> None:
    await keep(database, "a", account=0, lane="http:a")
    await keep(database, "a", account=0, lane="http:b")
    await database.write(lambda tx: adopt_cards_from_guest(tx, "http:a", 7))
    cards = await read_rows(database, "card")
    assert [(card["account"], card["lane"]) for card in cards] == [(0, "http:b"), (7, "")]


async def add_many(database: Database, account: int, number: int, due: int) -> None:
    rows = [
        {
            "account": account,
            "lane": "",
            "key": f"card {each}",
            "kind": "text",
            "body": "{}" + " " * 1000,
            "stability": 1.0 + each % 97,
            "reviewed_at": FromNow(-DAY * (1 + each % 89)),
            "due_at": FromNow(-1 if each < due else DAY),
            "reviews": 1,
        }
        for each in range(number)
    ]
    await add_rows(database, "card", rows)


@pytest.mark.parametrize("due", [30, MANY])
async def test_what_is_due_of_many_cards_is_found_at_once(database: Database, due: int) -> None:
    await add_many(database, 7, MANY, due)

    async def look(tx: Transaction) -> tuple[int, int]:
        chosen = await choose_cards(tx, 7, LANE, 10)
        return len(chosen), (await count_due(tx, 7, LANE)).due

    assert await database.read(look) == (10, due)


async def test_cards_that_are_not_due_cost_no_look(database: Database) -> None:
    few, many = 8, 7
    await add_many(database, few, 20, 20)
    await add_many(database, many, MANY, 20)

    async def look(account: int) -> float:
        async def work(tx: Transaction) -> float:
            before = time.process_time()
            await choose_cards(tx, account, LANE, 10)
            await count_due(tx, account, LANE)
            return time.process_time() - before

        return min([await database.read(work) for _ in range(9)])

    assert await look(many) < 10 * await look(few)
