"""Placement through the gateway: after `/grade` and by `/level`, without a model."""

from __future__ import annotations

from itertools import pairwise

import pytest

from bot.contracts.channels import Capabilities
from bot.gateway.people.erasure import Erasure
from bot.gateway.people.linking import adopt_answers
from bot.learning.new_exercise import Body
from bot.learning.skills.placement import MAX_ITEMS
from bot.learning.skills.skill_map import installed_skills
from bot.messages.incoming import Tapped
from bot.messages.outgoing import Button, TextBody
from bot.messages.value import decode
from bot.practice.catalogue import find_generator
from tests.support.app import MakeApp
from tests.support.fakes import FakeChannel, FakeModel, reply
from tests.support.pupils import PHONE, SMS, Pupil
from tests.support.queries import change_rows, read_row, read_rows
from tests.support.waiting import until

LEVEL = "Your level in maths: "


class Placed(Pupil):
    """Somebody who answers by taps."""

    async def choose(self, label: str) -> TextBody:
        return await self.tap(self.find(label))

    def find(self, label: str) -> Button:
        return next(each for each in self.last.choices if each.label == label)

    async def answer(self, *, right: bool) -> TextBody:
        """Tap the option that is right, or that one does not know."""
        row = await read_row(self.app.database, "exercise", id=self.asked.id)
        [solution] = decode(row["body"], Body).solutions
        option = solution if right else self.asked.options[-2]
        return await self.tap(self.last.choices[self.asked.options.index(option)])


@pytest.fixture
async def pupil(app: MakeApp) -> Placed:
    one = await app(FakeChannel(capabilities=PHONE))
    await one.start(FakeModel())
    await one.log_in()
    return Placed(one)


async def test_a_class_is_followed_by_a_choice_with_two_rows_more(pupil: Placed) -> None:
    said = await pupil.send("/grade CM2")
    assert said.text.startswith("Noted: CM2.")
    labels = [each.label for each in said.choices]
    assert 4 <= len(labels) <= 6
    assert labels[-2:] == ["I don’t know", "Skip"]
    assert pupil.asked.kind == "choice"


async def test_ten_taps_at_most_then_one_line_says_the_level(pupil: Placed) -> None:
    said, number = await pupil.send("/grade CM2"), 0
    while said.exercise is not None:
        number += 1
        said = await pupil.answer(right=number % 3 != 0)
    assert 1 < number <= MAX_ITEMS
    assert said.text.splitlines()[-1].startswith(LEVEL)
    [level] = await read_rows(pupil.app.database, "level")
    assert level["subject"] == "maths"
    assert level["answers"] == number
    assert await read_rows(pupil.app.database, "result") == []


@pytest.mark.parametrize(("right", "least", "most"), [(True, 4.5, 12.0), (False, -1.0, 3.5)])
async def test_the_level_follows_the_answers(
    pupil: Placed, right: bool, least: float, most: float
) -> None:
    said = await pupil.send("/grade CM2")
    while said.exercise is not None:
        said = await pupil.answer(right=right)
    [level] = await read_rows(pupil.app.database, "level")
    assert least < level["place"] < most


@pytest.mark.parametrize("word", ["Skip", "skip", "Passer"])
async def test_skipping_by_word_or_tap_ends_it(pupil: Placed, word: str) -> None:
    await pupil.send("/grade CM2")
    said = await pupil.send(word)
    assert said.text == "All right. /level finds your level whenever you like."
    assert await read_rows(pupil.app.database, "level") == []
    again = await pupil.send("/level")
    assert again.exercise is not None
    await pupil.choose("Skip")
    assert pupil.last.text.startswith("All right.")


async def test_what_was_answered_before_skipping_tells_the_level(pupil: Placed) -> None:
    await pupil.send("/grade CM2")
    await pupil.answer(right=True)
    said = await pupil.choose("Skip")
    assert said.text.startswith(LEVEL)


@pytest.mark.parametrize("leaves", ["/stop", "/practice"])
async def test_who_leaves_it_after_some_answers_is_placed_by_them(
    pupil: Placed, leaves: str
) -> None:
    await pupil.send("/grade 3e")
    for _ in range(6):
        await pupil.choose("I don’t know")
    await pupil.send(leaves)
    [level] = await read_rows(pupil.app.database, "level")
    assert level["answers"] == 6
    assert level["place"] < 3  # CM1


@pytest.mark.parametrize("end", ["/stop", "Skip"])
async def test_one_that_is_begun_again_changes_nothing_until_it_has_answers(
    pupil: Placed, end: str
) -> None:
    said = await pupil.send("/grade CM2")
    while said.exercise is not None:
        said = await pupil.answer(right=True)
    level = await read_row(pupil.app.database, "level")
    found = (await pupil.send("/progress")).text
    await pupil.send("/level")
    await pupil.answer(right=False)
    said = await (pupil.choose(end) if end == "Skip" else pupil.send(end))
    assert said.text.startswith("All right: nothing changes." if end == "Skip" else "Stopped.")
    assert await read_row(pupil.app.database, "level") == level
    again = (await pupil.send("/progress")).text
    assert again == found or (end == "/stop" and LEVEL in again)


async def test_who_knew_nothing_hears_where_to_begin(pupil: Placed) -> None:
    said, asked = await pupil.send("/grade Terminale"), list[int]()
    skills = installed_skills().by_id
    while said.exercise is not None:
        row = await read_row(pupil.app.database, "exercise", id=pupil.asked.id)
        asked.append(skills[row["skill"]].rank)
        said = await pupil.answer(right=False)
    assert LEVEL not in said.text
    assert "that is fine: we begin with the basics, from CP on" in said.text
    assert said.text.endswith("Too easy? /level asks again.")
    assert asked == sorted(asked, reverse=True)
    assert asked[-1] == 0
    assert all(above - below <= 2 for above, below in pairwise(asked))
    begun = await pupil.send("/practice")
    assert begun.exercise is not None
    row = await read_row(pupil.app.database, "exercise", id=begun.exercise.id)
    assert skills[row["skill"]].rank == 0


async def test_it_goes_on_where_it_was_left(pupil: Placed) -> None:
    one = pupil.app
    await pupil.send("/grade CM2")
    await pupil.answer(right=True)
    late = pupil.last
    said = await pupil.send("/level")
    assert said.text.startswith("Let us go on: question 2.")
    await one.send(Tapped(late.choices[0].token))  # of the question before: it is over
    await until(one.settled)
    [row] = await read_rows(one.database, "placement")
    assert row["answers"].count("correct") == 1


async def test_no_hint_and_no_solution_is_given(pupil: Placed) -> None:
    await pupil.send("/grade CM2")
    asked = pupil.asked
    for command in ("/hint", "/solution"):
        said = await pupil.send(command)
        assert said.text.startswith("No help this time")
        assert [each.label for each in said.choices] == [*asked.options]


async def test_a_class_that_no_school_of_ours_has_is_only_noted(pupil: Placed) -> None:
    said = await pupil.send("/grade Licence 2")
    assert said.text == "Noted: Licence 2. I will explain things the way your class needs."
    assert said.exercise is None
    assert "Which class are you in?" in (await pupil.send("/level")).text


@pytest.mark.parametrize("word", ["zzz", "bonjour", "*x*", "12345"])
async def test_a_word_that_is_no_class_is_asked_about(pupil: Placed, word: str) -> None:
    said = await pupil.send(f"/grade {word}")
    assert said.text.startswith(f"I do not know the class “{word}”. Which one is yours?")
    assert said.choices[0].label == "Primary school"
    assert (await read_row(pupil.app.database, "account"))["grade"] == ""


@pytest.mark.parametrize(
    "words", ["10e année", "L1", "Université", "BTS", "grande section", "adulte"]
)
async def test_free_words_for_a_class_are_noted(pupil: Placed, words: str) -> None:
    assert (await pupil.send(f"/grade {words}")).text.startswith(f"Noted: {words}.")


@pytest.mark.parametrize("word", ["12", "3", "10e", "CE3"])
async def test_a_number_alone_is_asked_about(pupil: Placed, word: str) -> None:
    said = await pupil.send(f"/grade {word}")
    assert said.text.startswith(f"I do not know the class “{word}”.")
    assert said.choices[0].label == "Primary school"
    assert said.exercise is None


@pytest.mark.parametrize(
    ("words", "noted"), [("cm2 stp", "CM2"), ("Year 7", "Year 7"), ("Form 3", "Form 3")]
)
async def test_a_class_in_other_words_is_placed(pupil: Placed, words: str, noted: str) -> None:
    said = await pupil.send(f"/grade {words}")
    assert said.text.startswith(f"Noted: {noted}.")
    assert said.exercise is not None


async def test_the_class_that_was_chosen_last_limits_practice(pupil: Placed) -> None:
    await pupil.send("/grade CM2")
    for _ in range(4):
        await pupil.answer(right=True)
    await pupil.choose("Skip")
    await pupil.send("/grade CP")
    await pupil.choose("Skip")
    skills = installed_skills().by_id
    for number in range(4):
        said = await pupil.send("/practice")
        assert said.exercise is not None
        row = await read_row(pupil.app.database, "exercise", id=said.exercise.id)
        assert skills[row["skill"]].grade in ("CP", "CE1"), number


async def test_a_higher_class_keeps_the_level(pupil: Placed) -> None:
    await pupil.send("/grade CM2")
    for _ in range(4):
        await pupil.answer(right=True)
    await pupil.choose("Skip")
    [before] = await read_rows(pupil.app.database, "level")
    await pupil.send("/grade 6e")
    [after] = await read_rows(pupil.app.database, "level")
    assert after["place"] == before["place"]


async def test_by_sms_rows_have_numbers(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=SMS))
    await one.start(FakeModel())
    await one.log_in()
    pupil = Placed(one)
    said = await pupil.send("/grade CM2")
    count = len(said.choices)
    assert f"{count}) Skip" in said.text
    assert (await pupil.send(str(count))).text.startswith("All right.")


@pytest.fixture
async def guest(app: MakeApp) -> Placed:
    one = await app(FakeChannel(capabilities=PHONE))
    await one.start(FakeModel())
    return Placed(one)


async def test_by_sms_a_number_beyond_the_list_is_no_answer(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=SMS))
    await one.start(FakeModel())
    await one.log_in()
    pupil = Placed(one)
    await pupil.send("/grade CM2")
    asked = pupil.asked
    said = await pupil.send("9")
    assert f"choose from 1 to {len(asked.options)}." in said.text
    assert pupil.asked.id == asked.id
    await pupil.send("1")
    assert pupil.asked.id != asked.id


@pytest.mark.parametrize("capabilities", [PHONE, SMS])
@pytest.mark.parametrize(
    "words",
    [
        "I don't know",
        "i dont know.",
        "IDK",
        "no idea",
        "je sais pas",
        "jsp",
        "Aucune idée",
        "sais pas",
    ],
)
async def test_typed_words_for_not_knowing_go_on(
    app: MakeApp, capabilities: Capabilities, words: str
) -> None:
    one = await app(FakeChannel(capabilities=capabilities))
    await one.start(FakeModel())
    await one.log_in()
    pupil = Placed(one)
    await pupil.send("/grade CM2")
    asked = pupil.asked
    assert (await pupil.send(words)).text.startswith("The answer was: ")
    assert pupil.asked.id != asked.id


@pytest.mark.parametrize("capabilities", [PHONE, SMS])
async def test_its_progress_has_the_link(app: MakeApp, capabilities: Capabilities) -> None:
    one = await app(FakeChannel(capabilities=capabilities), public_url="https://griot.example")
    await one.start(FakeModel())
    await one.log_in()
    pupil = Placed(one)
    await pupil.send("/grade CM2")
    while await read_rows(one.database, "exercise", state="open"):
        row = await read_row(one.database, "exercise", state="open")
        [solution] = decode(row["body"], Body).solutions
        await pupil.send(str(decode(row["body"], Body).options.index(solution) + 1))
    await pupil.send("/progress")
    told = str([each.body for each in one.channel.delivered[-2:]])  # with the addresses of links
    assert "https://griot.example/progress/" in told


async def test_a_guest_is_asked_for_the_class_then_placed(guest: Placed) -> None:
    assert (await guest.send("/level")).text.startswith("Which class are you in?")
    await guest.choose("Primary school")
    said = await guest.choose("CM2")
    assert said.text.startswith("Let us see where you are, from CM2 on: ")
    while said.exercise is not None:
        said = await guest.answer(right=True)
    assert LEVEL in said.text
    [row] = await read_rows(guest.app.database, "placement")
    assert (row["account"], row["exercise"]) == (0, "")


@pytest.mark.parametrize(
    ("typed", "noted"),
    [("je suis en cm2", "CM2"), ("CM1 stp", "CM1"), ("Tle D", "Tle D"), ("en classe de 6e", "6e")],
)
async def test_a_class_may_be_typed_where_schools_are_offered(
    pupil: Placed, typed: str, noted: str
) -> None:
    assert (await pupil.send("/level")).text.startswith("Which class are you in?")
    assert (await pupil.send(typed)).text.startswith(f"Noted: {noted}.")
    assert (await read_row(pupil.app.database, "account"))["grade"] == noted


async def test_a_guest_may_type_the_class(guest: Placed) -> None:
    await guest.send("/level")
    assert (await guest.send("cm2")).text.startswith("Let us see where you are, from CM2 on: ")


@pytest.mark.parametrize(
    ("question", "typed", "column", "chosen"),
    [
        ("/mode", "je suis élève", "mode", "child"),
        ("/language", "fr", "language", "fr"),
        ("/language", "en français", "language", "fr"),
    ],
)
async def test_other_preferences_may_be_typed(
    pupil: Placed, question: str, typed: str, column: str, chosen: str
) -> None:
    await change_rows(pupil.app.database, "account", {"mode": "pro"})
    await pupil.send(question)
    await pupil.send(typed)
    assert (await read_row(pupil.app.database, "account"))[column] == chosen


async def test_a_class_that_nobody_asked_for_is_talk(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=PHONE))
    await one.start(FakeModel(reply("What about CM2?")))
    await one.log_in()
    await Placed(one).send("CM2")
    assert "What about CM2?" in str(one.channel.delivered)
    assert (await read_row(one.database, "account"))["grade"] == ""


async def test_a_guest_goes_on_where_it_was_left(guest: Placed) -> None:
    await guest.send("/grade CM2")
    await guest.answer(right=True)
    assert (await guest.send("/level")).text.startswith("Let us go on: question 2.")


async def test_a_guest_who_leaves_it_and_logs_in_is_placed_by_some_answers(guest: Placed) -> None:
    await guest.send("/grade 3e")
    for _ in range(4):
        await guest.choose("I don’t know")
    [placement] = await read_rows(guest.app.database, "placement")
    await guest.app.log_in()
    [account] = await read_rows(guest.app.database, "account")
    await guest.app.database.write(lambda tx: adopt_answers(tx, placement["lane"], account["id"]))
    [level] = await read_rows(guest.app.database, "level")
    assert level["answers"] == 4


async def test_a_guest_practises_at_the_level_that_was_found(guest: Placed) -> None:
    said = await guest.send("/grade Terminale")
    while said.exercise is not None:
        said = await guest.answer(right=False)
    level = said.text.partition("the basics, from ")[2].partition(" ")[0]
    await guest.send("/practice")
    generator = find_generator(guest.asked.skill or "")
    assert generator is not None
    assert generator.grade == level != "Terminale"


async def test_a_guest_who_begins_again_keeps_their_class(guest: Placed) -> None:
    await guest.send("/grade CM2")
    await guest.choose("Skip")
    assert "from CM2 on" in (await guest.send("/level")).text


@pytest.mark.parametrize("skips", [True, False])
@pytest.mark.parametrize("wanted", ["", "addition"])
async def test_the_class_of_a_guest_who_answered_nothing_counts(
    guest: Placed, wanted: str, *, skips: bool
) -> None:
    await guest.send("/grade CP")
    if skips:
        await guest.choose("Skip")
    await guest.send(f"/practice {wanted}")
    generator = find_generator(guest.asked.skill or "")
    assert generator is not None
    assert generator.grade == "CP"


async def test_a_guest_class_outside_of_school_needs_an_account(guest: Placed) -> None:
    assert (await guest.send("/grade Licence 2")).text.startswith("Log in with /login first")


async def test_a_skill_that_a_school_took_away_does_no_harm(pupil: Placed) -> None:
    await pupil.send("/grade CM2")
    await change_rows(pupil.app.database, "exercise", {"skill": "maths.gone"})
    said = await pupil.choose("I don’t know")
    assert said.exercise is not None


async def test_an_answer_survives_a_process_that_is_gone(app: MakeApp) -> None:
    first = await app(FakeChannel(capabilities=PHONE))
    worker = await first.start(FakeModel())
    await first.log_in()
    before = Placed(first)
    await before.send("/grade CM2")
    await before.answer(right=True)
    await worker.stop()
    second = await app(FakeChannel(capabilities=PHONE))
    await second.start(FakeModel())
    after = Placed(second)
    said = await after.send("/level")
    assert said.text.startswith("Let us go on: question 2.")
    [row] = await read_rows(second.database, "placement")
    assert row["exercise"] == after.asked.id


async def test_nothing_of_it_is_left_after_erasing(pupil: Placed) -> None:
    one = pupil.app
    await pupil.send("/grade CM2")
    await pupil.answer(right=True)
    await pupil.choose("Skip")
    await pupil.send("/practice maths.add-to-100")
    await pupil.answer(right=True)
    tables = ("placement", "level", "mastery")
    assert all([await read_rows(one.database, table) for table in tables])
    await Erasure(one.database, one.app.files, one.app.settings).erase_account(
        (await read_row(one.database, "account"))["id"]
    )
    assert [await read_rows(one.database, table) for table in tables] == [[], [], []]
