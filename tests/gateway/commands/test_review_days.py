"""Review through the gateway: what is due is asked, the weakest first, without a model."""

from __future__ import annotations

import json
import re

import pytest

from bot.messages.outgoing import TextBody
from tests.support.app import MakeApp
from tests.support.fakes import FakeChannel, FakeModel
from tests.support.pupils import PHONE, SKILL, SMS, Pupil
from tests.support.queries import FromNow, add_row, change_rows, read_row, read_rows
from tests.support.waiting import until

DAY = 86_400.0


@pytest.fixture
async def pupil(app: MakeApp) -> Pupil:
    one = await app(FakeChannel(capabilities=PHONE))
    await one.start(FakeModel())
    await one.log_in()
    return Pupil(one)


async def learn(pupil: Pupil, *, due: bool = True) -> None:
    """Answer one exercise of the skill rightly; its card is due."""
    await pupil.send(f"/practice {SKILL}")
    await pupil.tap(pupil.right())
    await pupil.send("/stop")
    if due:
        await make_due(pupil)


async def make_due(pupil: Pupil) -> None:
    moments = {"due_at": FromNow(-60), "reviewed_at": FromNow(-9 * DAY)}
    await change_rows(pupil.app.database, "card", moments)


async def copy_card(pupil: Pupil, number: int, *, days: float) -> None:
    """Give the pupil the card of another item, answered so many days ago."""
    database = pupil.app.database
    [row, *_] = await read_rows(database, "card")
    values = row | {
        "key": f"=other{number}",
        "statement": f"Question {number}?",
        "due_at": FromNow(-60),
        "reviewed_at": FromNow(-days * DAY),
    }
    await add_row(database, "card", **values)


async def test_a_generated_item_comes_back_as_another_instance(pupil: Pupil) -> None:
    await learn(pupil)
    first = pupil.asked.statement
    asked = await pupil.send("/review")
    assert asked.exercise
    assert asked.exercise.skill == SKILL
    assert asked.exercise.statement != first
    done = await pupil.tap(pupil.right())
    assert done.text.startswith("✅ Correct:")
    assert "Nothing more to review now. The next: " in done.text
    card = await read_row(pupil.app.database, "card")
    assert card["reviews"] == 2
    sources = [row["source"] for row in await read_rows(pupil.app.database, "result")]
    assert sorted(sources) == ["practice", "review"]


async def test_the_next_review_is_told_in_full(pupil: Pupil) -> None:
    await learn(pupil, due=False)
    database = pupil.app.database
    await pupil.send("/langue fr")
    await change_rows(database, "card", {"due_at": FromNow(5)})
    told = (await pupil.send("/reviser")).text
    assert re.search(r"aujourd’hui à \d+\u00a0h(?:\u00a0\d\d)?\.", told)
    await change_rows(database, "card", {"due_at": FromNow(364 * DAY)})
    told = (await pupil.send("/reviser")).text
    assert re.search(r" 20\d\d\.$", told)  # else it would read as this year's
    await change_rows(database, "card", {"due_at": FromNow(90 * DAY)})
    told = (await pupil.send("/reviser")).text
    assert not re.search(r" 20\d\d\.$", told)


async def test_the_weakest_comes_first_and_the_others_follow(pupil: Pupil) -> None:
    await learn(pupil)
    await copy_card(pupil, 1, days=20)
    await copy_card(pupil, 2, days=40)
    asked = await pupil.send("/reviser")
    assert "Question 2?" in asked.text
    said = await pupil.tap(pupil.last.choices[await right_place(pupil)])
    assert "Question 1?" in said.text
    said = await pupil.tap(pupil.last.choices[await right_place(pupil)])
    assert said.exercise
    assert said.exercise.skill == SKILL


async def right_place(pupil: Pupil) -> int:
    """Where the right option stands of an exercise that came back as it was."""
    body = json.loads((await read_row(pupil.app.database, "exercise", state="open"))["body"])
    return body["options"].index(body["solutions"][0])


async def test_two_wrong_answers_offer_the_worked_steps(pupil: Pupil) -> None:
    await learn(pupil)
    await pupil.send("/review")
    said = await pupil.tap(pupil.wrong())
    assert "Solution" not in [each.label for each in said.choices]
    assert (await pupil.send("/solution")).text.startswith("Try it first")
    said = await pupil.tap(pupil.wrong())
    assert "Solution" in [each.label for each in said.choices]
    shown = await pupil.send("/solution")
    assert shown.text.startswith("The solution: ")
    card = await read_row(pupil.app.database, "card")
    assert (card["reviews"], card["lapses"]) == (2, 1)


async def test_no_more_than_ten_a_day_are_asked(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=PHONE), reviews_a_day=2)
    await one.start(FakeModel())
    await one.log_in()
    pupil = Pupil(one)
    await learn(pupil)
    for number in range(3):
        await copy_card(pupil, number, days=20 + number)
    await pupil.send("/review")
    await pupil.tap(pupil.last.choices[await right_place(pupil)])
    said = await pupil.tap(pupil.last.choices[await right_place(pupil)])
    assert said.exercise is None
    assert "That was today’s review: 2 wait for tomorrow." in said.text
    again = await pupil.send("/review")
    assert again.text == "That was today’s review: 2 wait for tomorrow."
    await change_rows(one.database, "result", {"at": FromNow(-DAY)})
    assert (await pupil.send("/review")).exercise


async def test_a_clock_set_back_hides_no_card_and_no_review(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=PHONE), reviews_a_day=2)
    await one.start(FakeModel())
    await one.log_in()
    pupil = Pupil(one)
    await learn(pupil)
    for _ in range(2):
        await pupil.send("/review")
        await pupil.tap(pupil.right())
        await make_due(pupil)
    moments = {"due_at": FromNow(33 * DAY), "reviewed_at": FromNow(30 * DAY)}
    await change_rows(one.database, "card", moments)
    assert (await pupil.send("/review")).exercise is None  # two were answered today
    await change_rows(one.database, "result", {"at": FromNow(30 * DAY)})
    asked = await pupil.send("/review")
    assert asked.exercise
    assert asked.exercise.skill == SKILL
    await pupil.tap(pupil.right())
    assert (await pupil.send("/review")).exercise is None


async def test_what_was_left_open_is_asked_again(pupil: Pupil) -> None:
    await learn(pupil)
    await pupil.send("/review")
    await pupil.send("/stop")
    assert (await pupil.send("/review")).exercise


async def test_nothing_due_is_said_kindly(pupil: Pupil) -> None:
    assert (await pupil.send("/review")).text.startswith("Nothing to review yet. Do some exercises")
    await learn(pupil, due=False)
    said = await pupil.send("/review")
    assert said.text.startswith("Nothing more to review now. The next: ")


async def test_the_next_day_is_called_tomorrow(pupil: Pupil) -> None:
    await pupil.send("/language fr")
    await learn(pupil, due=False)
    await change_rows(pupil.app.database, "card", {"due_at": FromNow(DAY)})
    assert (await pupil.send("/review")).text.endswith("Prochaine révision\u00a0: demain.")


@pytest.mark.parametrize("days", [30, 120, 240])
async def test_the_day_of_the_next_ends_with_one_full_stop(pupil: Pupil, days: int) -> None:
    await pupil.send("/language fr")
    await learn(pupil, due=False)
    await change_rows(pupil.app.database, "card", {"due_at": FromNow(days * DAY)})
    said = await pupil.send("/review")
    assert "Prochaine révision" in said.text
    assert said.text.endswith(".")
    assert ".." not in said.text


async def test_a_generator_that_is_gone_asks_what_was_asked_last(pupil: Pupil) -> None:
    await learn(pupil)
    [first] = await read_rows(pupil.app.database, "exercise", state="right")
    await change_rows(pupil.app.database, "card", {"key": "maths.gone", "skill": "maths.gone"})
    asked = await pupil.send("/review")
    assert asked.exercise
    assert asked.exercise.statement == first["statement"]
    await pupil.tap(pupil.right())
    card = await read_row(pupil.app.database, "card")
    assert (card["key"], card["reviews"]) == ("maths.gone", 2)


async def test_an_answer_elsewhere_since_it_was_asked_counts_once(pupil: Pupil) -> None:
    await learn(pupil)
    await pupil.send("/review")
    await change_rows(pupil.app.database, "card", {"reviews": 2})
    assert (await pupil.tap(pupil.right())).text.startswith("✅ Correct:")
    assert (await read_row(pupil.app.database, "card"))["reviews"] == 2
    assert len(await read_rows(pupil.app.database, "result")) == 1


async def test_a_double_tap_counts_once(pupil: Pupil) -> None:
    await learn(pupil)
    await pupil.send("/review")
    right = pupil.right()
    await pupil.tap(right)
    assert (await pupil.tap(right)).text == "You have answered this one already."
    assert (await read_row(pupil.app.database, "card"))["reviews"] == 2


async def test_guests_review_what_they_practised(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=PHONE))
    await one.start(FakeModel())
    pupil = Pupil(one)
    await learn(pupil)
    assert (await pupil.send("/review")).exercise
    assert (await pupil.tap(pupil.right())).text.startswith("✅ Correct:")
    said = await pupil.send("/review 18h lun")
    assert said.text == "Log in with /login first: this needs an account."  # answers are kept


async def test_guests_too_have_a_limit_a_day(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=PHONE), reviews_a_day=1)
    await one.start(FakeModel())
    pupil = Pupil(one)
    await learn(pupil)
    await copy_card(pupil, 1, days=3)
    await pupil.send("/review")
    said = await pupil.tap(pupil.right())
    assert said.text.endswith("That was today’s review: 1 waits for tomorrow.")
    assert (await pupil.send("/review")).exercise is None


async def test_by_sms_a_review_is_answered_by_its_number(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=SMS))
    await one.start(FakeModel())
    await one.log_in()
    pupil = Pupil(one)
    await pupil.send(f"/practice {SKILL}")
    labels = [each.label for each in pupil.last.choices]
    await pupil.send(str(labels.index(pupil.right().label) + 1))
    await make_due(pupil)
    await pupil.send("/review")
    labels = [each.label for each in pupil.last.choices]
    said = await pupil.send(str(labels.index(pupil.right().label) + 1))
    assert said.text.startswith("[OK] Correct:")
    assert (await read_row(one.database, "card"))["reviews"] == 2


async def test_days_and_hour_are_chosen_and_ended(pupil: Pupil) -> None:
    said = await pupil.send("/review 18h lun mer ven")
    assert said.text == (
        "When something is due, I write to you: Monday, Wednesday, Friday, 18:00. "
        "/review off ends it."
    )
    row = await read_row(pupil.app.database, "review")
    assert (row["days"], row["hour"], row["channel"]) == ("mon wed fri", 18, "telegram")
    said = await pupil.send("/review 18h")
    assert "I write to you: every day, 18:00." in said.text
    said = await pupil.send("/review off")
    assert said.text == "I no longer remind you to review. /review works at any time."
    assert (await read_row(pupil.app.database, "review"))["nudge_at"] is None


@pytest.mark.parametrize("word", ["non", "arrêt", "Arrête", "stop", "jamais"])
async def test_reminders_are_ended_in_french(pupil: Pupil, word: str) -> None:
    await pupil.send("/langue fr")
    said = await pupil.send("/reviser 18h")
    assert "/reviser non y met fin." in said.text
    assert "/reviser non" in (await pupil.send("/reviser un jour")).text
    said = await pupil.send(f"/reviser {word}")
    assert said.text.startswith("Je ne te rappelle plus de réviser")
    assert (await read_row(pupil.app.database, "review"))["nudge_at"] is None


async def test_a_quiet_hour_is_refused(pupil: Pupil) -> None:
    await pupil.send("/review 18h")
    said = await pupil.send("/review 22h mon")
    assert said.text.startswith("From 21:00 to 7:00 I write to nobody. Choose another hour")
    assert (await read_row(pupil.app.database, "review"))["hour"] == 18


async def test_what_cannot_be_read_is_explained(pupil: Pupil) -> None:
    said = await pupil.send("/review some day")
    assert said.text.startswith("Write an hour and days: /review 18h mon wed fri.")


@pytest.mark.parametrize("words", ["18:30 mon", "18h30 sam", "6:30 pm", "mon 18 h 30", "18.30"])
async def test_minutes_are_refused_with_the_reason(pupil: Pupil, words: str) -> None:
    said = await pupil.send(f"/review {words}")
    assert said.text.startswith("I remind at full hours only: /review 18h mon wed fri")


@pytest.mark.parametrize("hour", ["25h", "24", "13pm", "99h"])
async def test_an_hour_that_does_not_exist_is_named(pupil: Pupil, hour: str) -> None:
    said = await pupil.send(f"/review {hour} mon wed")
    assert said.text == f"There is no hour {hour}: choose one from 0 to 23, such as /review 18h."


async def test_deleting_everything_deletes_cards_and_days(pupil: Pupil) -> None:
    await learn(pupil)
    await pupil.send("/review 18h lun")
    await pupil.send("/delete")
    await pupil.app.send("/delete confirm")

    async def is_empty() -> bool:
        tables = [await read_rows(pupil.app.database, name) for name in ("card", "review")]
        return not any(tables)

    await until(is_empty)


async def test_the_button_of_a_nudge_begins_the_review(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=PHONE), quiet_hours="0-0")
    await one.start(FakeModel())
    await one.log_in()
    pupil = Pupil(one)
    await learn(pupil)
    await pupil.send("/review 18h lun")
    await change_rows(pupil.app.database, "review", {"nudge_at": FromNow(-1)})

    async def is_nudged() -> bool:
        body = pupil.app.channel.delivered[-1].body
        return isinstance(body, TextBody) and body.text.startswith("There is 1 exercise to review")

    await until(is_nudged)
    [button] = pupil.last.choices
    await pupil.tap(button)

    async def is_asked() -> bool:
        return pupil.last.exercise is not None

    await until(is_asked)
