"""Practice through the gateway: series, hints, solutions, and what is counted, without a model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import msgspec
import pytest

from bot.contracts.channels import Capabilities
from bot.contracts.storage import Database
from bot.learning.new_exercise import Body
from bot.learning.skills.learner_model import read_learner_model
from bot.learning.skills.skill_map import installed_skills
from bot.learning.skills.skill_matching import find_skills_about
from bot.learning.skills.skill_progress import list_next
from bot.messages.channels import Channel
from bot.messages.incoming import Sender
from bot.messages.outgoing import TextBody
from bot.messages.value import decode
from tests.support.app import MakeApp, TestApp, update
from tests.support.fakes import FakeChannel, FakeModel, reply
from tests.support.pupils import PHONE, SKILL, SMS, Pupil
from tests.support.queries import change_rows, read_row, read_rows
from tests.support.waiting import until
from tools.give_exercise import TOOL as GIVE_EXERCISE
from tools.interactive_quiz import TOOL as INTERACTIVE_QUIZ
from tools.true_false_quiz import TOOL as TRUE_FALSE_QUIZ


@pytest.fixture
async def pupil(app: MakeApp) -> Pupil:
    one = await app(FakeChannel(capabilities=PHONE))
    await one.start(FakeModel())
    await one.log_in()
    return Pupil(one)


async def test_ten_exercises_follow_each_other_without_a_model(pupil: Pupil) -> None:
    await pupil.send(f"/practice {SKILL}")
    for number in range(10):
        said = await pupil.tap(pupil.right())
        assert said.text.startswith("✅ Correct:")
        assert bool(said.exercise) is (number < 9)
    assert await pupil.results() == [(SKILL, 1)] * 10
    assert [each.label for each in pupil.last.choices] == ["Another series"]


async def test_a_wrong_answer_says_why_and_leaves_the_other_options(pupil: Pupil) -> None:
    asked = await pupil.send(f"/practice {SKILL}")
    wrong = pupil.wrong()
    said = await pupil.tap(wrong)
    assert said.text.startswith("❌ Not quite: try again. ")
    assert len(said.text) > len("❌ Not quite: try again. ")
    labels = [each.label for each in said.choices]
    assert labels == [b.label for b in asked.choices if b.label != wrong.label] + ["Hint"]
    assert await pupil.results() == []


async def test_an_answer_typed_counts_as_one_tapped(pupil: Pupil) -> None:
    await pupil.send(f"/practice {SKILL}")
    right = pupil.right().label
    said = await pupil.send(f" {right}. ")
    assert said.text.startswith("✅ Correct:")
    assert await pupil.results() == [(SKILL, 1)]


async def test_where_no_buttons_are_shown_the_words_for_help_are_named(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=replace(PHONE, streams=True)))
    await one.start(FakeModel())
    await one.log_in()
    pupil = Pupil(one)
    await pupil.send(f"/practice {SKILL}")
    said = await pupil.send(pupil.wrong().label)
    assert said.text.endswith("\n\nHelp: reply HINT.")
    hint = await pupil.send("HINT")
    assert "💡" in hint.text


@pytest.mark.parametrize("spell", [str, "réponse {}".format, " {},0 ".format])
async def test_a_mistake_that_is_typed_is_answered_as_one_tapped(
    pupil: Pupil, spell: Callable[[str], str]
) -> None:
    await pupil.send(f"/practice {SKILL}")
    wrong = pupil.wrong()
    tapped = await pupil.tap(wrong)
    typed = await pupil.send(spell(wrong.label))
    feedback = tapped.text.removeprefix("❌ Not quite: try again. ")
    assert typed.text == f"❌ You gave that answer before: look for another one. {feedback}"
    assert len(feedback) > 10


RIGHT_VALUE = json.dumps(
    {
        "statement": "Calcule $\\frac{1}{2} + \\frac{1}{4}$. Donne le résultat simplifié.",
        "kind": "number", "solution": "3/4", "skill": "maths.add-fractions",
        "hints": ["Cherche un dénominateur commun."], "steps": ["$\\frac{2}{4}$", "$\\frac{3}{4}$"],
    }
)  # fmt: skip


async def test_a_right_value_in_another_form_is_no_try(app: MakeApp) -> None:
    model = FakeModel(reply("", ("give_exercise", RIGHT_VALUE)), reply("Go!"))
    one = await app(FakeChannel(capabilities=PHONE))
    await one.start(model, [GIVE_EXERCISE])
    await one.log_in()
    pupil = Pupil(one)
    await pupil.send("an exercise, please")
    for answer in ("6/8", "12/16", "6:8", "6/8"):
        said = await pupil.send(answer)
        assert said.text == "That is the right value! Now simplify your fraction."
        assert [each.label for each in said.choices] == ["Hint"]
    assert (await pupil.send("/solution")).text.startswith("Try it first")
    assert (await read_row(one.database, "exercise"))["tries"] == "[]"
    await pupil.send("3/4")
    assert [row["correct"] for row in await read_rows(one.database, "result")] == [1]


async def test_hints_come_in_order_then_the_solution(pupil: Pupil) -> None:
    await pupil.send(f"/practice {SKILL}")
    early = await pupil.send("/solution")
    assert early.text.startswith("Try it first")
    assert (await pupil.send("/hint")).text == "💡 Start with the ones."
    last = await pupil.send("/hint")
    assert "Solution" in [each.label for each in last.choices]
    assert (await pupil.send("/hint")).text == "That was all I had."
    shown = await pupil.send("/solution")
    assert shown.text.startswith("The solution: ")
    assert shown.exercise  # the next one stands below
    assert await pupil.results() == [(SKILL, 0)]


@pytest.mark.parametrize(
    "words",
    [
        "Je ne sais pas",
        "jsp",
        "I don’t know.",
        "un indice svp",
        "J’en sais rien",
        "je c pas",
        "je ne sais vraiment pas, madame",
        "je suis bloquée",
        "je veux un indice",
        "donne un indice",
        "encore un indice",
    ],
)
async def test_not_knowing_is_answered_by_a_hint(pupil: Pupil, words: str) -> None:
    await pupil.send(f"/practice {SKILL}")
    assert (await pupil.send(words)).text == "💡 Start with the ones."


@pytest.mark.parametrize("words", ["Suivante", "passer", "/skip", "autre exercice", "next"])
async def test_an_exercise_is_skipped_for_the_next_and_not_counted(
    pupil: Pupil, words: str
) -> None:
    first = await pupil.send(f"/practice {SKILL}")
    said = await pupil.send(words)
    assert said.text.startswith("Skipped.")
    assert said.exercise
    assert first.exercise
    assert said.exercise.id != first.exercise.id
    assert await pupil.results() == []
    for asked in ("la réponse", "je veux la solution", "Donne la réponse !", "j’abandonne"):
        assert (await pupil.send(asked)).text.startswith("Try it first")


async def test_two_wrong_tries_open_the_solution_and_a_doubled_one_does_not(pupil: Pupil) -> None:
    await pupil.send(f"/practice {SKILL}")
    wrong = pupil.wrong().label
    await pupil.send(wrong)
    await pupil.send(wrong)
    assert (await pupil.send("/solution")).text.startswith("Try it first")
    await pupil.tap(pupil.wrong())
    assert (await pupil.send("/solution")).text.startswith("The solution: ")


async def test_stop_ends_the_series(pupil: Pupil) -> None:
    await pupil.send(f"/practice {SKILL}")
    await pupil.send("/stop")
    assert (await pupil.send("/hint")).text == "No exercise is open. Write /practice for one."
    assert await pupil.results() == []


async def test_an_option_of_an_exercise_that_was_stopped_says_so(pupil: Pupil) -> None:
    await pupil.send(f"/practice {SKILL}")
    right = pupil.right()
    await pupil.send("/stop")
    said = await pupil.tap(right)
    assert said.text == "This exercise is over. Write /practice for another."
    assert await pupil.results() == []


async def test_a_button_of_an_exercise_that_is_over_does_no_harm(pupil: Pupil) -> None:
    await pupil.send(f"/practice {SKILL}")
    right, wrong = pupil.right(), pupil.wrong()
    await pupil.tap(right)
    assert (await pupil.tap(wrong)).text == "You have answered this one already."
    assert await pupil.results() == [(SKILL, 1)]


async def test_a_question_goes_to_the_model_while_an_exercise_is_open(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=PHONE))
    await one.start(FakeModel(reply("Think of tens and ones.")))
    await one.log_in()
    pupil = Pupil(one)
    await pupil.send(f"/practice {SKILL}")
    await pupil.send("Why do I have to carry?")
    assert "Think of tens and ones." in one.said()
    await pupil.send("/hint")


async def test_by_sms_options_have_numbers_and_words_ask_for_help(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=SMS))
    await one.start(FakeModel())
    await one.log_in()
    pupil = Pupil(one)
    asked = await pupil.send(f"/practice {SKILL}")
    place = [each.label for each in asked.choices].index(pupil.right().label) + 1
    assert f"{place}) {pupil.right().label}" in asked.text
    assert (await pupil.send(str(place))).text.startswith("[OK] Correct:")


async def test_by_sms_a_wrong_choice_is_told_how_to_answer(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=SMS))
    await one.start(FakeModel())
    await one.log_in()
    pupil = Pupil(one)
    asked = await pupil.send(f"/practice {SKILL}")
    labels = [each.label for each in asked.choices]
    said = await pupil.send(str(labels.index(pupil.wrong().label) + 1))
    assert "Reply with the number or HINT." in said.text
    left = [each.label for each in said.choices]
    assert set(left) < set(labels)
    assert f"{len(left)}) {left[-1]}" in said.text
    said = await pupil.send(str(left.index(pupil.wrong().label) + 1))
    assert "Reply with the number, HINT or SOLUTION." in said.text
    assert said.segments == 1
    assert (await pupil.send("/solution")).text.startswith("The solution:")


async def test_by_sms_a_number_beyond_the_list_is_no_try(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=SMS))
    await one.start(FakeModel())
    await one.log_in()
    pupil = Pupil(one)
    asked = await pupil.send(f"/practice {SKILL}")
    for number in ("9", "0"):
        said = await pupil.send(number)
        assert f"choose from 1 to {len(asked.choices)}." in said.text
    place = [each.label for each in asked.choices].index(pupil.right().label) + 1
    assert (await pupil.send(str(place))).text.startswith("[OK] Correct:")
    assert await pupil.results() == [(SKILL, 1)]


async def test_by_sms_a_chemical_equation_is_plain_text(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=SMS))
    await one.start(FakeModel())
    await one.log_in()
    pupil = Pupil(one)
    asked = await pupil.send("/practice physics-chemistry.balance-equation")
    assert "->" in asked.text
    assert "\\" not in asked.text
    assert asked.exercise is not None
    row = await read_row(one.database, "exercise", id=asked.exercise.id)
    [solution] = decode(row["body"], Body).solutions
    assert (await pupil.send(solution)).text.startswith("[OK] Correct:")


async def test_by_sms_each_wrong_answer_is_graded(app: MakeApp) -> None:
    model = FakeModel(reply("", ("give_exercise", GIVEN)), reply("Go!"))
    one = await app(FakeChannel(capabilities=SMS))
    await one.start(model, [GIVE_EXERCISE])
    await one.log_in()
    pupil = Pupil(one)
    await pupil.send("/language fr")
    await pupil.send("un exercice")
    for wrong in ("54", "55"):
        assert "Pas tout à fait" in (await pupil.send(wrong)).text
    assert (await pupil.send("/solution")).text.startswith("La solution")


CHOICE = {
    "statement": "Capital of Mali?", "kind": "choice", "options": ["Dakar", "Bamako", "Lome"],
    "solution": "Bamako", "hints": ["On the Niger."], "steps": ["It is Bamako."],
}  # fmt: skip


@pytest.mark.parametrize("able", [SMS, PHONE])
async def test_a_choice_that_is_over_is_not_answered_again(
    app: MakeApp, able: Capabilities
) -> None:
    model = FakeModel(reply("", ("give_exercise", json.dumps(CHOICE))), reply("Go!"))
    one = await app(FakeChannel(capabilities=able))
    await one.start(model, [GIVE_EXERCISE])
    await one.log_in()
    pupil = Pupil(one)
    await pupil.send("an exercise, please")
    assert "Not quite: try again." in (await pupil.send("Dakar")).text
    assert "Correct: Bamako" in (await pupil.send("Bamako")).text
    again = await pupil.send("Lome")
    assert again.text == "You have answered this one already."
    model.add(reply("Choose A or B."), reply("B it is."))
    await pupil.send("something else now")
    assert (await pupil.send("B")).text == "B it is."


async def test_by_sms_the_letters_that_an_exercise_is_about_stay(app: MakeApp) -> None:
    given = {
        "skill": "french.present-er-verbs",
        "kind": "text",
        "statement": "Conjugue au présent : « Nous … (lancer) la balle. »",
        "solution": "lançons",
        "hints": ["Le c de lancer prend une cédille : ç.", "Nous lanç…"],
        "steps": ["Devant o, c prend une cédille."],
    }
    model = FakeModel(
        reply("", ("give_exercise", json.dumps(given))), reply("Un arrêt, puis à toi !")
    )
    one = await app(FakeChannel(capabilities=SMS))
    await one.start(model, [GIVE_EXERCISE])
    await one.log_in()
    pupil = Pupil(one)
    await pupil.send("/language fr")
    await pupil.send("un exercice")
    assert "Un arret, puis à toi !" in one.said()
    assert "Pas tout à fait" in (await pupil.send("lancons")).text
    assert "une cédille : ç." in (await pupil.send("/indice")).text
    await pupil.send("lansons")
    assert "La solution : lançons" in (await pupil.send("/solution")).text


@pytest.mark.parametrize(("words", "verdict"), [("V", "Correct"), ("non", "Not quite")])
async def test_by_sms_a_quiz_takes_the_words_of_an_exercise(
    app: MakeApp, words: str, verdict: str
) -> None:
    asked = {"statement": "Dakar is in Senegal.", "is_true": True, "explanation": "Its capital."}
    model = FakeModel(reply("", ("true_false_quiz", json.dumps(asked))), reply("Your turn."))
    one = await app(FakeChannel(capabilities=SMS))
    await one.start(model, [TRUE_FALSE_QUIZ])
    await one.log_in()
    pupil = Pupil(one)
    await pupil.send("a quiz")
    assert verdict in (await pupil.send(words)).text


async def test_formulas_on_buttons_are_readable_after_a_wrong_answer(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=PHONE))
    await one.start(FakeModel())
    await one.log_in()
    pupil = Pupil(one)
    again = await pupil.send("/practice maths.equation-first-degree")
    while "try again" not in again.text:
        again = await pupil.tap(again.choices[0])
    assert again.choices
    assert not any("$" in each.label or "\\" in each.label for each in again.choices)


async def test_guests_practise_too(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=PHONE))
    await one.start(FakeModel())
    pupil = Pupil(one)
    await pupil.send(f"/practice {SKILL}")
    assert (await pupil.tap(pupil.right())).text.startswith("✅ Correct:")


async def test_what_was_practised_is_on_record(pupil: Pupil, database: Database) -> None:
    await pupil.send(f"/practice {SKILL}")
    await pupil.tap(pupil.right())
    states = [row["state"] for row in await read_rows(database, "exercise")]
    assert sorted(states) == ["open", "right"]


async def test_an_exercise_goes_on_after_logging_in(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=PHONE))
    await one.start(FakeModel())
    pupil = Pupil(one)
    await pupil.send(f"/practice {SKILL}")
    await one.log_in()
    assert (await pupil.send(pupil.right().label)).text.startswith("✅ Correct:")


async def test_another_account_in_the_conversation_sees_nothing_of_it(pupil: Pupil) -> None:
    await pupil.send(f"/practice {SKILL}")
    right = pupil.right().label
    await pupil.app.log_in(phone="+2250701020305")
    for command in ("/hint", "/solution"):
        assert (await pupil.send(command)).text.startswith("No exercise is open.")
    assert (await pupil.send(right)).text == "This one is for someone else."
    assert await pupil.results() == []


async def test_alone_it_goes_on_with_what_comes_next(pupil: Pupil) -> None:
    database = pupil.app.database
    await change_rows(database, "account", {"grade": "CM1"})
    account = (await read_row(database, "account"))["id"]
    model = await database.read(lambda tx: read_learner_model(tx, account))
    [first] = list_next(model, 1)
    asked = await pupil.send("/practice")
    assert asked.exercise is not None
    assert asked.exercise.skill == first.id


async def test_a_series_alone_changes_skills_as_it_goes(pupil: Pupil) -> None:
    database = pupil.app.database
    await change_rows(database, "account", {"grade": "CM1"})
    said = await pupil.send("/practice")
    skills: set[str] = set()
    for _ in range(10):
        assert said.exercise is not None
        skills.add(said.exercise.skill)
        row = await read_row(database, "exercise", id=said.exercise.id)
        [solution, *_] = decode(row["body"], Body).solutions
        said = await pupil.send(solution)
        assert "✅ Correct:" in said.text
    assert said.exercise is None
    assert len(skills) > 1
    rows = await read_rows(database, "mastery")
    assert {row["skill"] for row in rows} == skills


async def see_solution(pupil: Pupil) -> TextBody:
    """See all hints and then the solution, below which the next exercise stands."""
    for _ in range(3):
        await pupil.send("/hint")
    return await pupil.send("/solution")


async def test_in_a_series_that_goes_badly_a_lost_exercise_is_asked_once_more(
    pupil: Pupil, database: Database
) -> None:
    await change_rows(database, "account", {"grade": "CM1"})
    first = (await pupil.send("/practice")).exercise
    second = (await see_solution(pupil)).exercise
    said = await see_solution(pupil)
    assert first
    assert second
    assert said.exercise
    assert first.statement not in second.statement
    assert said.exercise.statement == f"The same once more, on your own: {second.statement}"
    row = await read_row(database, "exercise", id=said.exercise.id)
    [solution, *_] = decode(row["body"], Body).solutions
    other = await pupil.send(solution)
    assert "✅ Correct:" in other.text
    assert other.exercise
    assert second.statement not in other.exercise.statement
    assert await pupil.results() == [(first.skill, 0), (second.skill, 0)]
    cards = await read_rows(database, "card")
    assert {card["skill"] for card in cards} == {first.skill, second.skill}
    assert all(card["due_at"] < card["reviewed_at"] + 86_400 for card in cards)


async def test_one_that_is_lost_again_is_not_asked_a_third_time(pupil: Pupil) -> None:
    await change_rows(pupil.app.database, "account", {"grade": "CM1"})
    await pupil.send("/practice")
    for _ in range(3):
        said = await see_solution(pupil)
    assert "once more" not in said.text


async def test_a_skill_is_found_by_its_name(pupil: Pupil) -> None:
    said = await pupil.send("/practice théorème de pythagore")
    assert said.exercise is not None
    assert said.exercise.skill == "maths.pythagoras"


async def test_progress_offers_a_button_that_begins_what_comes_next(pupil: Pupil) -> None:
    await pupil.send(f"/practice {SKILL}")
    await pupil.tap(pupil.right())
    said = await pupil.send("/progress")
    assert "Skills: 0 mastered, 1 in progress." in said.text
    assert "Next: " in said.text
    [button] = [each for each in said.choices if each.label == "Practise"]
    asked = await pupil.tap(button)
    assert asked.exercise is not None


@pytest.mark.parametrize(
    ("wanted", "skill"),
    [
        ("pythagore", "maths.pythagoras"),
        ("théorème de Pythagore", "maths.pythagoras"),
        ("je veux travailler le théorème de Pythagore s'il te plaît", "maths.pythagoras"),
    ],
)
async def test_a_skill_is_found_by_a_word_of_its_name(
    pupil: Pupil, wanted: str, skill: str
) -> None:
    await pupil.send(f"/practice {wanted}")
    assert (await read_row(pupil.app.database, "exercise"))["skill"] == skill


async def test_a_series_stays_with_the_times_table_that_was_named(pupil: Pupil) -> None:
    await pupil.send("/practice la table de 7")
    for _ in range(9):
        await pupil.send("next")
    rows = await read_rows(pupil.app.database, "exercise")
    assert len(rows) == 10
    assert all("7" in re.findall(r"[0-9]+", row["statement"]) for row in rows)
    await pupil.send("next")
    [again] = pupil.last.choices
    asked = await pupil.tap(again)
    assert asked.exercise is not None
    assert "7" in re.findall(r"[0-9]+", asked.exercise.statement)


@pytest.mark.parametrize("grade", ["6e", "3e"])
async def test_of_skills_with_one_word_the_nearest_to_the_grade_is_asked(
    pupil: Pupil, grade: str
) -> None:
    await change_rows(pupil.app.database, "account", {"grade": grade})
    await pupil.send("/practice fractions")
    skill = (await read_row(pupil.app.database, "exercise"))["skill"]
    grades = [
        each.grade for each in find_skills_about(installed_skills(), "fractions", "en", grade)
    ]
    assert "fraction" in skill
    assert installed_skills().by_id[skill].grade == grades[0]


@pytest.mark.parametrize(
    ("wanted", "grade", "field"),
    [
        ("français", "CM2", "french"),
        ("3e", "CM2", "3e"),
        ("anglais", "CP", "english"),
        ("physique", "3e", "physics_chemistry"),
        ("chimie 2nde", "3e", "physics_chemistry"),
    ],
)
async def test_a_subject_or_a_grade_is_practised_by_what_fits(
    pupil: Pupil, wanted: str, grade: str, field: str
) -> None:
    database = pupil.app.database
    await change_rows(database, "account", {"grade": grade})
    said = await pupil.send(f"/practice {wanted}")
    for _ in range(4):
        assert said.exercise is not None
        skill = installed_skills().by_id[said.exercise.skill]
        assert field in (skill.subject, skill.grade)
        row = await read_row(database, "exercise", id=said.exercise.id)
        [solution, *_] = decode(row["body"], Body).solutions
        said = await pupil.send(solution)
    await pupil.send("/stop")


async def test_a_guest_practises_a_grade(app: MakeApp) -> None:
    one = await app(FakeChannel(capabilities=PHONE))
    await one.start(FakeModel())
    said = await Pupil(one).send("/practice Terminale")
    assert said.exercise is not None
    assert installed_skills().by_id[said.exercise.skill].grade == "Terminale"


async def test_what_has_no_exercises_leads_to_what_is_near_by_its_name(pupil: Pupil) -> None:
    said = await pupil.send("/practice composition de fonctions")
    assert said.text.startswith("I have no exercises on “composition de fonctions”.")
    assert said.choices
    assert not any("." in each.label for each in said.choices)


async def test_what_has_no_exercises_is_quoted_shortly_and_as_text(pupil: Pupil) -> None:
    said = await pupil.send("/practice *zz*\u202e\x07 " + "q" * 3500)
    assert "“*zz* qqq" in said.text
    assert "…”" in said.text
    assert len(said.text) < 150
    assert not any(span.kind == "italic" for span in said.entities)


async def test_without_buttons_in_a_stream_the_words_name_what_is_near(app: MakeApp) -> None:
    stream = Capabilities(max_text=4096, markup="markdown", max_buttons=100, streams=True)
    one = await app(FakeChannel(capabilities=stream))
    await one.start(FakeModel())
    await one.log_in()
    pupil = Pupil(one)
    said = await pupil.send("/practice composition de fonctions")
    [_, first, *_] = said.text.split("- ")
    assert first.startswith("/practice ")
    asked = await pupil.send(first.strip())
    assert asked.exercise is not None
    assert "- /practice" in (await pupil.send("/practice zzzz")).text


async def test_what_is_near_to_nothing_leads_to_what_fits(pupil: Pupil) -> None:
    said = await pupil.send("/practice zzzz")
    assert [each.label for each in said.choices] == ["What fits me"]
    asked = await pupil.tap(said.choices[0])
    assert asked.exercise


async def test_whose_grade_is_unknown_begins_in_lower_secondary(pupil: Pupil) -> None:
    await change_rows(pupil.app.database, "account", {"grade": ""})
    await pupil.send("/practice")
    skill = (await read_row(pupil.app.database, "exercise"))["skill"]
    assert installed_skills().by_id[skill].grade == "6e"


GIVEN = json.dumps(
    {
        "statement": "Combien font 7 × 8 ?",
        "kind": "number",
        "solution": "56",
        "hints": ["Pense à 7 × 7."],
        "steps": ["7 × 7 + 7 = 49 + 7 = 56"],
    }
)


@pytest.mark.parametrize(
    ("channel", "end", "buttons"),
    [(PHONE, "56", ["Another exercise"]), (SMS, "Another exercise? Reply AGAIN.", [])],
)
async def test_after_an_exercise_of_the_model_another_is_asked_for_with_a_tap(
    app: MakeApp, channel: Capabilities, end: str, buttons: list[str]
) -> None:
    model = FakeModel(reply("", ("give_exercise", GIVEN)), reply("Go!"), reply("Here it is."))
    one = await app(FakeChannel(capabilities=channel))
    await one.start(model, [GIVE_EXERCISE])
    await one.log_in()
    pupil = Pupil(one)
    await pupil.send("an exercise, please")
    graded = await pupil.send("56")
    assert graded.text.endswith(end)
    assert [each.label for each in graded.choices] == buttons
    await (pupil.tap(graded.choices[0]) if buttons else pupil.send("again"))
    assert "Here it is." in one.said()


async def test_not_knowing_the_exercise_of_the_model_is_for_the_model(app: MakeApp) -> None:
    model = FakeModel(reply("", ("give_exercise", GIVEN)), reply("Go!"), reply("Think of 7 × 7."))
    one = await app(FakeChannel(capabilities=PHONE))
    await one.start(model, [GIVE_EXERCISE])
    await one.log_in()
    pupil = Pupil(one)
    await pupil.send("an exercise, please")
    await pupil.send("je sais pas")
    assert "Think of 7 × 7." in one.said()


@pytest.mark.parametrize("skill", ["maths.pythagoras", "maths.times-tables", SKILL])
async def test_no_exercise_comes_twice_in_a_series(pupil: Pupil, skill: str) -> None:
    await pupil.send(f"/practice {skill}")
    for _ in range(9):
        await pupil.send("next")
    rows = await read_rows(pupil.app.database, "exercise")
    asked = {(row["statement"], tuple(sorted(decode(row["body"], Body).options))) for row in rows}
    assert len(asked) == len(rows) == 10


@pytest.mark.parametrize("skill", ["maths.money-fcfa", "maths.limit-rational", "maths.gcd", SKILL])
async def test_no_number_is_the_answer_twice_in_a_row(pupil: Pupil, skill: str) -> None:
    await pupil.send(f"/practice {skill}")
    answers: list[str] = []
    for _ in range(10):
        row = await read_row(pupil.app.database, "exercise", state="open")
        answers.append(decode(row["body"], Body).solution)
        await pupil.send("next")
    assert all(one != other for one, other in pairwise(answers))


async def test_a_series_that_goes_well_moves_among_three_skills(pupil: Pupil) -> None:
    await pupil.send("/classe 6e")
    await pupil.send("/stop")
    await pupil.send("/practice")
    skills: list[str] = []
    for _ in range(10):
        row = await read_row(pupil.app.database, "exercise", state="open")
        skills.append(row["skill"])
        await pupil.send(decode(row["body"], Body).solution)
    assert all(len({*skills[at : at + 3]}) == 3 for at in range(8))


@pytest.mark.parametrize("answer", ["2", "b", "réponse 2", "Lomé"])
@pytest.mark.parametrize("channel", [PHONE, SMS])
async def test_a_quiz_after_an_exercise_gets_the_answer(
    app: MakeApp, channel: Capabilities, answer: str
) -> None:
    quiz = {
        "question": "Quelle est la capitale du Togo ?",
        "options": ["Kara", "Lomé", "Sokodé"],
        "correct_index": 1,
        "explanation": "Lomé est au bord de la mer.",
    }
    model = FakeModel(
        reply("", ("give_exercise", GIVEN)),
        reply("Go!"),
        reply("", ("interactive_quiz", json.dumps(quiz))),
        reply("And this?"),
    )
    one = await app(FakeChannel(capabilities=channel))
    await one.start(model, [GIVE_EXERCISE, INTERACTIVE_QUIZ])
    await one.log_in()
    pupil = Pupil(one)
    await pupil.send("an exercise, please")
    await pupil.send("now a quiz")
    await pupil.send(answer)
    assert [row["correct"] for row in await read_rows(one.database, "result")] == [1]
    assert (await read_row(one.database, "exercise"))["tries"] == "[]"
    await pupil.send("56")
    assert (await read_row(one.database, "exercise"))["state"] == "right"


async def test_a_wrong_value_in_another_spelling_is_no_second_try(app: MakeApp) -> None:
    model = FakeModel(reply("", ("give_exercise", GIVEN)), reply("Go!"))
    one = await app(FakeChannel(capabilities=PHONE))
    await one.start(model, [GIVE_EXERCISE])
    await one.log_in()
    pupil = Pupil(one)
    await pupil.send("an exercise, please")
    for same in ("54", "54,0", "108/2", "x = 54", "je trouve 54"):
        await pupil.send(same)
    assert (await pupil.send("/solution")).text.startswith("Try it first")
    await pupil.send("55")
    assert (await pupil.send("/solution")).text.startswith("The solution: ")


YES_OR_NO = '{"statement": "Un carré est-il un rectangle ?", "kind": "text", "solution": "oui"'
CAPITAL = '{"statement": "La capitale du Burkina Faso ?", "kind": "text", "solution": "Ouagadougou"'
STEPS = ', "hints": ["Regarde bien."], "steps": ["Voilà."]}'


@pytest.mark.parametrize(
    ("exercise", "words", "is_try"),
    [(CAPITAL, "merci", False), (CAPITAL, "non", False), (CAPITAL, "Bobo-Dioulasso", True),
     (YES_OR_NO, "non", True)],
)  # fmt: skip
async def test_small_talk_is_for_the_model_unless_it_is_asked(
    app: MakeApp, exercise: str, words: str, is_try: bool
) -> None:
    given = reply("", ("give_exercise", exercise + STEPS))
    one = await app(FakeChannel(capabilities=PHONE))
    await one.start(FakeModel(given, reply("Go!"), reply("With pleasure.")), [GIVE_EXERCISE])
    await one.log_in()
    pupil = Pupil(one)
    await pupil.send("an exercise, please")
    await pupil.send(words)
    assert ("With pleasure." in one.said()) is not is_try
    tries = (await read_row(one.database, "exercise"))["tries"]
    assert tries == (json.dumps([words], ensure_ascii=False) if is_try else "[]")


async def send_words(one: TestApp, channel: Channel, *words: str) -> None:
    """Log in on a channel where bare words are commands, and send each text once all is done."""
    phone = "+2250701020304"
    sender = Sender(phone, "Awa", "en")
    await one.database.write(lambda tx: one.app.people.log_in(tx, channel, sender, phone))
    for text in words:
        await one.app.inbox.store(
            [msgspec.structs.replace(update(text, chat=phone), channel=channel)]
        )
        await until(one.settled)


@pytest.mark.parametrize("channel", ["whatsapp", "sms"])
@pytest.mark.parametrize(
    ("solution", "word", "is_right"),
    [("révision", "révision", True), ("pratique", "Pratique.", True),
     ("crédits", "crédits", True), ("révision", "crédits", False),
     ("révision", "/revision", False), ("stop", "stop", False)],
)  # fmt: skip
async def test_a_word_that_solves_the_exercise_is_no_command(
    app: MakeApp, channel: Channel, solution: str, word: str, is_right: bool
) -> None:
    asked = {"statement": "Quel mot convient ?", "kind": "text", "solution": solution}
    given = reply("", ("give_exercise", json.dumps(asked)[:-1] + STEPS))
    one = await app(FakeChannel(channel=channel, capabilities=PHONE))
    await one.start(FakeModel(given, reply("Go!")), [GIVE_EXERCISE])
    await send_words(one, channel, "an exercise, please", word)
    row = await read_row(one.database, "exercise")
    assert (row["state"] == "right") is is_right
    assert row["tries"] == "[]"
