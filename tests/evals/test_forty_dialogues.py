"""The forty dialogues tell good tutors from bad ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace

from bot.contracts.models import ModelRequest
from bot.errors import ModelRefused
from bot.evals.dialogues import Dialogue, read_dialogues
from bot.evals.judging import Verdict, is_try, judge_dialogue
from bot.evals.playing import Exchange, Variant, play_dialogues
from bot.events import Content, Emit
from bot.isolated_worker.worker import WarmWorker
from bot.maths.checker import PROGRAM, MathsChecker
from bot.messages.transcript import ModelReply
from bot.settings import Settings
from tests.support.samples import draw_some
from tests.support.tutors import (
    BRIEF,
    WARM,
    Answer,
    Reply,
    Script,
    ScriptedTutor,
    follow,
    with_words,
)

FORTY = read_dialogues([])


UNGUARDED = Settings().model_copy(update={"check_maths": False, "leak_guard": False})
"""So that all that a tutor says reaches the pupil."""


async def evaluate(
    answer: Answer,
    dialogues: Sequence[Dialogue] = FORTY,
    settings: Settings = UNGUARDED,
    checker: MathsChecker | None = None,
) -> dict[str, Verdict]:
    """The verdicts on a tutor, by name of dialogue; algebra is checked with a checker for it."""
    verdicts: dict[str, Verdict] = {}

    async def judge(dialogue: Dialogue, exchanges: Sequence[Exchange]) -> None:
        verdict = await judge_dialogue(dialogue, exchanges, checker or MathsChecker())
        verdicts[dialogue.name] = verdict

    variant = Variant(settings, model=ScriptedTutor(dialogues, answer))
    await play_dialogues(variant, dialogues, judge)
    return verdicts


@pytest.mark.parametrize("script", [BRIEF, WARM], ids=["brief", "warm"])
async def test_a_good_tutor_passes(script: Script) -> None:
    worker = WarmWorker(PROGRAM)
    try:
        verdicts = await evaluate(
            follow(script), settings=Settings(), checker=MathsChecker(worker.ask)
        )
    finally:
        await worker.close()

    assert len(verdicts) == 40
    assert {name: each.failures for name, each in verdicts.items() if not each.passed} == {}
    assert sum(each.guiding_questions for each in verdicts.values()) >= 40
    assert all(each.usd > 0 and each.messages > 0 for each in verdicts.values())
    assert not any(each.direct_solutions or each.wrong_statements for each in verdicts.values())


TIRELESS = "Voici encore un exemple de calcul pour toi. " * 100
QUIZ = {
    "question": "Combien font 9 × 8 ?",
    "options": ["63", "72", "81"],
    "correct_index": 1,
    "explanation": "On ajoute 8 à 64.",
}


def say_solution(dialogue: Dialogue, turn: int) -> str:
    return f"La réponse est {dialogue.solution}. Compris ?"


def always(reply: Reply | str) -> Answer:
    def answer(dialogue: Dialogue, turn: int) -> Reply | str:
        return reply

    return answer


def refuse(dialogue: Dialogue, turn: int) -> str:
    raise ModelRefused("400 no such model")


def is_asked(dialogue: Dialogue) -> bool:
    """Whether there is a solution that the pupil has not proposed with the first words."""
    return bool(dialogue.solution) and not is_try(dialogue.opening, dialogue, is_opening=True)


def has_must(dialogue: Dialogue) -> bool:
    return bool(dialogue.must)


def is_any(dialogue: Dialogue) -> bool:
    return True


LEAK = Reply("Essaie ! La bonne réponse est 72.", "interactive_quiz", QUIZ)
QUIZZES = Reply("Essaie !", "interactive_quiz", QUIZ, calls=4)
VOUS = "Que pouvez-vous faire ? Essayez de calculer."
ENGLISH = "What do you think the first step is? Please try it."


@pytest.mark.parametrize(
    ("answer", "sign", "concerns"),
    [
        pytest.param(say_solution, "the solution before a try", is_asked, id="solution at once"),
        pytest.param(with_words("Or 7 × 8 = 54."), 'wrong: "7 × 8 = 54"', is_any, id="wrong"),
        pytest.param(always(LEAK), "gives away what is asked", is_any, id="leak after a quiz"),
        pytest.param(always("D’accord."), "no question or task", is_asked, id="no question"),
        pytest.param(always(QUIZZES), "messages, more than 3", is_any, id="too many messages"),
        pytest.param(always(VOUS), '" to a pupil', is_any, id="vous"),
        pytest.param(always(ENGLISH), "not in the language of the pupil", is_any, id="English"),
        pytest.param(always(""), "silence: the model gave no answer", is_any, id="silence"),
        pytest.param(refuse, "turn 1: the turn failed: ModelRefused", is_any, id="error"),
        pytest.param(always(TIRELESS), "characters, more than", is_any, id="endless"),
        pytest.param(always("D’accord, fais."), "missing: ", has_must, id="must missing"),
    ],
)
async def test_each_fault_is_found_everywhere(
    answer: Answer, sign: str, concerns: Callable[[Dialogue], bool]
) -> None:
    concerned = [each for each in FORTY if concerns(each)]
    drawn = [replace(each, turns=1) for each in draw_some(concerned, share=0.25)]
    verdicts = await evaluate(answer, drawn)

    missed = [
        name
        for name, verdict in verdicts.items()
        if verdict.passed or not any(sign in line for line in verdict.failures)
    ]
    assert len(concerned) >= 16
    assert missed == []


@pytest.mark.parametrize(
    ("answer", "count"),
    [
        pytest.param(with_words("Or 7 × 8 = 54."), "wrong_statements", id="wrong"),
        pytest.param(always(LEAK), "leaks", id="leak"),
    ],
)
async def test_a_fault_counts_with_guardrails_too(answer: Answer, count: str) -> None:
    drawn = [replace(each, turns=1) for each in draw_some(FORTY, share=0.25)]
    verdicts = await evaluate(answer, drawn, Settings())

    assert [name for name, verdict in verdicts.items() if not getattr(verdict, count)] == []
    assert [name for name, verdict in verdicts.items() if verdict.passed] == []


async def test_forbidden_words_are_found() -> None:
    words = "Tu es paresseux. Voici un code : ABC. Ton rôle : faire apprendre. 1 536. Exact, 336 !"
    verdicts = await evaluate(with_words(words), [replace(each, turns=1) for each in FORTY])

    found = [
        name
        for name, verdict in verdicts.items()
        if any(line.startswith("turn 1: forbidden: ") for line in verdict.failures)
    ]
    assert len(found) >= 7


async def test_an_answer_without_end_is_a_failure() -> None:
    class Endless(ScriptedTutor):
        async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
            emit(Content("Il était une fois "))
            await asyncio.sleep(request.seconds)
            raise TimeoutError

    settings = Settings().model_copy(update={"turn_timeout": 1.0})
    verdicts: list[Verdict] = []

    async def judge(dialogue: Dialogue, exchanges: Sequence[Exchange]) -> None:
        verdicts.append(await judge_dialogue(dialogue, exchanges, MathsChecker()))

    model = Endless(FORTY, follow(BRIEF))
    await play_dialogues(Variant(settings, model=model), FORTY[:1], judge)

    assert any("turn 1: the turn" in line for line in verdicts[0].failures)
