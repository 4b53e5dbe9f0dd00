"""An exercise that the model gives: whole turns, from its call to the pupil's answer."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from pydantic import ValidationError

from bot.gateway.conversation_history import read_conversation_events
from bot.messages.transcript import AssistantMessage, ToolResult
from bot.typography import to_ordinary_signs
from tests.support.app import MakeApp
from tests.support.fakes import FakeModel, reply
from tests.support.queries import read_row, read_rows
from tests.support.tool_arguments import SAMPLES
from tests.support.waiting import until
from tools.give_exercise import TOOL, GiveExercise
from tools.report_exercise_result import TOOL as REPORT

SAMPLE: dict[str, Any] = SAMPLES["give_exercise"] | {
    "hints": ["Ajoute d’abord les dizaines.", "Dix et trente font quarante."],
    "steps": ["10 + 30 = 40", "40 + 2 = 42"],
}


async def test_it_is_asked_graded_without_the_model_and_counted_once(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    model = FakeModel(reply("", ("give_exercise", json.dumps(SAMPLE))), reply("À toi !"))
    await one.start(model, tools=[TOOL])
    for text in ("donne-moi un exercice", "41", "quarante-deux"):
        await one.send(text)
        await until(one.settled)
    assert any("Calcule 12 + 30." in said for said in one.said())
    exercise = await read_row(one.database, "exercise")
    assert exercise["state"] == "right"
    [result] = await read_rows(one.database, "result")
    assert (result["account"], result["correct"]) == (account, 1)


async def test_an_answer_to_a_later_question_of_the_model_is_no_try(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    model = FakeModel(
        reply("", ("give_exercise", json.dumps(SAMPLE))),
        reply("À toi !"),
        reply("Commence par les dizaines : combien font 10 + 20 ?"),
        reply("Oui, trente !"),
    )
    await one.start(model, tools=[TOOL])
    for text in ("donne-moi un exercice", "je ne comprends pas", "30", "42"):
        await one.send(text)
        await until(one.settled)
    exercise = await read_row(one.database, "exercise")
    assert (exercise["state"], exercise["tries"]) == ("right", "[]")
    assert "Oui, trente\u202f!" in one.said()  # the first message was in French


@pytest.mark.parametrize(
    ("words", "skill", "topic"),
    [("théorème de Pythagore", "maths.pythagoras", "pythagoras"), ("Samori Touré", "", None)],
)
async def test_its_skill_is_matched_or_stays_a_topic(
    app: MakeApp, words: str, skill: str, topic: str | None
) -> None:
    one = await app()
    await one.log_in()
    given = SAMPLE | {"skill": words}
    model = FakeModel(reply("", ("give_exercise", json.dumps(given))), reply("À toi !"))
    await one.start(model, tools=[TOOL])
    for text in ("donne-moi un exercice", "42"):
        await one.send(text)
        await until(one.settled)
    [result] = await read_rows(one.database, "result")
    assert (result["skill"], result["topic"]) == (skill, topic or words)
    assert [row["skill"] for row in await read_rows(one.database, "mastery")] == [skill][
        : len(skill)
    ]


@pytest.mark.parametrize(
    ("kind", "statement", "solution", "answer"),
    [
        ("set", "Résous le système $x + y = 1$ et $x - y = 13$.", "(7 ; -6)", "x=7 et y=-6"),
        ("number", "Combien font 10 mille milliards ?", "10^{13}", "10**13"),
        ("number", "Quelle est la longueur exacte ?", "\\sqrt{5}", "rac(5)"),
    ],
)
async def test_a_couple_power_or_root_can_be_the_solution(
    app: MakeApp, kind: str, statement: str, solution: str, answer: str
) -> None:
    one = await app()
    await one.log_in()
    given = SAMPLE | {"kind": kind, "statement": statement, "solution": solution}
    model = FakeModel(reply("", ("give_exercise", json.dumps(given))), reply("À toi !"))
    await one.start(model, tools=[TOOL])
    for text in ("donne-moi un exercice", answer):
        await one.send(text)
        await until(one.settled)
    exercise = await read_row(one.database, "exercise")
    assert exercise["state"] == "right"


@pytest.mark.parametrize(
    ("kind", "statement", "solution", "unit", "answer", "shown"),
    [
        ("number", "Quelle est la moitié de 5,5 ?", "2.75", "", "2,75", "2,75"),
        ("number", "Un sac pèse la moitié de 9 kg. Combien ?", "4.5 kg", "kg", "4,5", "4,5 kg"),
        ("number", "Combien de temps dure le trajet ?", "3 h 20", "h", "200 min", "3 h 20"),
        ("number", "Combien de temps dure le trajet ?", "3 h 20 min", "", "200 min", "3 h 20 min"),
        ("expression", "Développe (x+1)(x+4).", "x^2+5x+4", "", "x²+4+5x", "$x^2 + 5x + 4$"),
        (
            "text",
            "Quelle version de Python avons-nous ?",
            "Python 3.11",
            "",
            "Python 3.11",
            "Python 3.11",
        ),
    ],
)
async def test_a_solution_is_shown_as_people_write_it(
    app: MakeApp, kind: str, statement: str, solution: str, unit: str, answer: str, shown: str
) -> None:
    one = await app()
    await one.log_in()
    given = {"kind": kind, "statement": statement, "solution": solution, "unit": unit}
    given = SAMPLE | given | {"hints": ["Lis bien."], "steps": []}
    model = FakeModel(reply("", ("give_exercise", json.dumps(given))), reply("À toi !"))
    await one.start(model, tools=[TOOL])
    for text in ("donne-moi un exercice, s’il te plaît", answer):
        await one.send(text)
        await until(one.settled)
    assert f"Bonne réponse : {shown}" in to_ordinary_signs(one.said()[-1])


@pytest.mark.parametrize(
    "solution", [["3", "-3"], ["x = 3", "x = -3"], "{-3 ; 3}", ["{-3;3}", "x=3 ou x=-3"]]
)
async def test_a_set_may_be_given_by_its_elements(app: MakeApp, solution: str | list[str]) -> None:
    one = await app()
    await one.log_in()
    given = SAMPLE | {"kind": "set", "statement": "Résous x² = 9.", "solution": solution}
    given |= {"hints": ["Quels nombres ont ce carré ?"], "steps": []}
    model = FakeModel(reply("", ("give_exercise", json.dumps(given))), reply("À toi !"))
    await one.start(model, tools=[TOOL])
    for text in ("donne-moi un exercice", "3", "-3 et 3"):
        await one.send(text)
        await until(one.settled)
    exercise = await read_row(one.database, "exercise")
    assert exercise["state"] == "right"
    assert len(json.loads(exercise["tries"])) == 1


async def test_a_hostile_element_of_a_set_takes_bounded_time(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    given = SAMPLE | {"kind": "set", "unit": "", "solution": [f"1{'+π' * 24}!", "3"]}
    model = FakeModel(reply("", ("give_exercise", json.dumps(given))), reply("Bon."))
    await one.start(model, tools=[TOOL])
    start = time.process_time()
    await one.send("un exercice")
    await until(one.settled)
    assert time.process_time() - start < 2
    assert "Bon." in one.said()


async def test_later_turns_and_memory_events_hold_no_solution(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    model = FakeModel(
        reply("", ("give_exercise", json.dumps(SAMPLE))), reply("À toi !"), reply("Regarde bien.")
    )
    await one.start(model, tools=[TOOL])
    for text in ("donne-moi un exercice", "je ne comprends pas bien la consigne, aide-moi"):
        await one.send(text)
        await until(one.settled)
    [call] = [
        call
        for message in model.requests[-1].messages
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    ]
    assert "Calcule 12 + 30." in call.arguments
    assert not any(word in call.arguments for word in ("42", "dizaines", "quarante"))
    events = await read_conversation_events(one.database, "telegram:1", reader=0)
    contents = " ".join(event["content"] for event in events)
    assert not any(word in contents for word in ("42", "dizaines", "quarante"))


@pytest.mark.parametrize(
    ("change", "why"), [({"solution": "43"}, "43"), ({"tolerance": 30}, "at most 25% of the")]
)
async def test_a_wrong_key_is_refused_and_the_model_told_why(
    app: MakeApp, change: dict[str, Any], why: str
) -> None:
    one = await app()
    await one.log_in()
    wrong = SAMPLE | change
    model = FakeModel(reply("", ("give_exercise", json.dumps(wrong))), reply("Un instant."))
    await one.start(model, tools=[TOOL])
    await one.send("donne-moi un exercice")
    await until(one.settled)
    [result] = [m for m in model.requests[1].messages if isinstance(m, ToolResult)]
    assert result.is_error
    assert why in result.text
    assert await read_rows(one.database, "exercise") == []


async def test_one_message_gives_one_exercise(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    sums = ("Calcule 12 + 30.", "Calcule 30 + 12.")
    both = [("give_exercise", json.dumps(SAMPLE | {"statement": each})) for each in sums]
    model = FakeModel(reply("", *both), reply("À toi !"))
    await one.start(model, tools=[TOOL])
    await one.send("donne-moi deux exercices")
    await until(one.settled)
    results = [m for m in model.requests[1].messages if isinstance(m, ToolResult)]
    assert sorted(result.is_error for result in results) == [False, True], results
    assert [row["state"] for row in await read_rows(one.database, "exercise")] == ["open"]


async def test_what_is_reported_after_it_was_graded_counts_once(app: MakeApp) -> None:
    one = await app()
    await one.log_in()
    given = SAMPLE | {"skill": "maths.add-to-100"}
    reported = {"subject": "maths", "correct": True, "topic": "maths.add-to-100"}
    model = FakeModel(
        reply("", ("give_exercise", json.dumps(given))),
        reply("À toi !"),
        reply("", ("report_exercise_result", json.dumps(reported))),
        reply("Bravo !"),
    )
    await one.start(model, tools=[TOOL, REPORT])
    for text in ("donne-moi un exercice", "42", "j'ai réussi !"):
        await one.send(text)
        await until(one.settled)
    assert len(await read_rows(one.database, "result")) == 1


@pytest.mark.parametrize(
    ("change", "taught"),
    [
        ({"hints": []}, "at least 1 item"),
        ({"hints": list("abcd")}, "at most 3 items"),
        ({"kind": "essay"}, "Input should be"),
        ({"kind": "choice"}, "a choice needs"),
        ({"kind": "choice", "options": ["a", "a"]}, "a choice needs"),
        ({"solution": []}, "at least 1 item"),
        ({"tolerance": -1}, "greater than or equal to 0"),
    ],
)
def test_wrong_arguments_are_explained(change: dict[str, Any], taught: str) -> None:
    with pytest.raises(ValidationError, match=taught):
        GiveExercise.model_validate(SAMPLE | change)
