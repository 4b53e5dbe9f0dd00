from __future__ import annotations

import pytest
from msgspec.structs import replace

from bot.evals.dialogues import Dialogue
from bot.evals.judging import (
    Verdict,
    count_guiding_questions,
    find_formal_address,
    guides,
    is_other_language,
    is_try,
    judge_dialogue,
    make_secret,
)
from bot.evals.playing import Exchange
from bot.maths.checker import MathsChecker

DIALOGUE = Dialogue("one", "", "CM2", "fr", "Calcule 7 × 8, donne la réponse", (), 4, "56")


def say(pupil: str, *texts: str, stopped: tuple[tuple[str, str], ...] = ()) -> Exchange:
    return Exchange(pupil, texts, (), len(texts), 0.1, stopped=stopped)


async def judge(*exchanges: Exchange, dialogue: Dialogue = DIALOGUE) -> Verdict:
    return await judge_dialogue(dialogue, exchanges, MathsChecker())


async def test_a_solution_is_direct_until_the_pupil_has_tried() -> None:
    opening = DIALOGUE.opening
    at_once = await judge(say(opening, "C’est 56. Compris ?"), say("54", "Non, 56. Essaie 7 × 9"))
    after_a_try = await judge(say(opening, "Combien font 7 × 7 ?"), say("54", "C’est 56."))
    tried = replace(DIALOGUE, opening="7 × 8, j'ai trouvé 56")
    right_at_once = await judge(say(tried.opening, "Bravo, 56 !"), dialogue=tried)

    assert (at_once.direct_solutions, at_once.passed) == (1, False)
    [failure] = at_once.failures
    assert failure.startswith("turn 1: the solution before a try: ")
    assert "56" in failure
    assert (after_a_try.direct_solutions, after_a_try.passed) == (0, True)
    assert (right_at_once.direct_solutions, right_at_once.passed) == (0, True)


async def test_what_was_stopped_counts_for_the_model() -> None:
    stopped = (("check", "7 × 7 = 48"), ("leak", "C’est 56"))
    verdict = await judge(say(DIALOGUE.opening, "Combien font 7 × 7 ?", stopped=stopped))

    assert (verdict.wrong_statements, verdict.leaks, verdict.stopped) == (1, 1, 2)
    assert verdict.failures == (
        'turn 1: wrong, but stopped: "7 × 7 = 48"',
        'turn 1: gives away what is asked, but stopped: "C’est 56"',
    )


async def test_counts_are_sums_of_all_turns() -> None:
    verdict = await judge(
        say(DIALOGUE.opening, "Combien font 7 × 7 ?", "Et après ?"),
        say("49", "Que faut-il ajouter ? Or 2 + 2 = 5."),
    )

    assert (verdict.guiding_questions, verdict.messages, verdict.usd) == (3, 3, 0.2)
    assert verdict.wrong_statements == 1


async def test_words_that_must_come_or_not_are_looked_for_in_all_turns() -> None:
    dialogue = Dialogue("one", "", "", "fr", "Salut", (), 4, "", ("bravo", "fin"), ("zut",))

    verdict = await judge(say("Salut", "Bravo"), say("ok", "Zut alors"), dialogue=dialogue)

    assert verdict.failures == ('turn 2: forbidden: "Zut"', "missing: fin")


async def test_a_turn_that_failed_is_the_one_thing_said_of_a_dialogue() -> None:
    failed = Exchange(DIALOGUE.opening, (), (), 0, 0.0, failure="the turn failed: no model")

    verdict = await judge(failed)

    assert verdict.failures == ("turn 1: the turn failed: no model",)


def make_dialogue(opening: str, solution: str) -> Dialogue:
    return Dialogue("one", "", "", "fr", opening, (), 1, solution)


NUMBER = make_dialogue("Calcule 7 × 8. Donne la réponse", "56")
WORD = make_dialogue("Le pluriel de cheval ? Écris-le", "chevaux")


@pytest.mark.parametrize(
    "words", ["54", "je trouve 54", "7 fois 8 font 54 ?", "J’ai fait 49 + 7", "c'est 56 ?", "x = 8"]
)
def test_what_proposes_a_number_is_a_try(words: str) -> None:
    assert is_try(words, NUMBER, is_opening=False)


@pytest.mark.parametrize(
    "words",
    ["donne la réponse", "je sais pas", "il y a 7 et 8, donne", "et 12 + 3, combien ?"],
)
def test_what_asks_is_no_try(words: str) -> None:
    assert not is_try(words, NUMBER, is_opening=False)


def test_a_word_may_be_a_try() -> None:
    assert is_try("chevals", WORD, is_opening=False)
    assert is_try("je pense que le mot est chevals", WORD, is_opening=False)
    assert not is_try("donne le mot", WORD, is_opening=False)
    assert not is_try("pourquoi ?", WORD, is_opening=False)


def test_an_opening_is_a_try_if_it_claims_a_result() -> None:
    assert not is_try(NUMBER.opening, NUMBER, is_opening=True)
    assert not is_try("Résous 2x = 8", NUMBER, is_opening=True)
    assert not is_try("7 × 8 ça fait combien ?", NUMBER, is_opening=True)
    assert is_try("7 × 8, j'ai trouvé 54", NUMBER, is_opening=True)
    assert is_try("7 × 8 ça fait 54, sûr", NUMBER, is_opening=True)


@pytest.mark.parametrize(
    ("solution", "kind", "value", "unit"),
    [
        ("56", "number", "56", ""),
        ("84 m²", "number", "84", "m²"),
        ("x = -8", "number", "-8", ""),
        ("3 000 F", "number", "3 000", "F"),
        ("5/6", "number", "5/6", ""),
        ("x = 2 ou x = 7", "set", "x = 2 ou x = 7", ""),
        ("2x³ + 2x²", "expression", "2x³ + 2x²", ""),
        ("chevaux", "text", "chevaux", ""),
    ],
)
def test_a_solution_is_of_the_kind_that_it_looks_like(
    solution: str, kind: str, value: str, unit: str
) -> None:
    secret = make_secret(solution, "?")
    assert (secret.kind, secret.solutions, secret.unit) == (kind, (value,), unit)


def test_questions_that_make_the_pupil_think_are_counted() -> None:
    text = "Combien font 7 × 7 ? Et après, que fais-tu ?\nD’accord ? Tu veux continuer ? Prêt ?"
    assert count_guiding_questions(text) == 2
    assert count_guiding_questions("Bravo ! Compris ?") == 0
    assert guides("Commence par isoler x.")
    assert not guides("La réponse est 56. Compris ?")


@pytest.mark.parametrize(
    "text",
    ["Que pouvez-vous faire ?", "Essayez de calculer.", "Votre réponse est juste."],
)
def test_vous_to_a_pupil_is_found(text: str) -> None:
    assert find_formal_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "Nous finissons, vous finissez, ils finissent.",
        "La terminaison de *vous finissez* est **-ez**.",
        "Dans « vous parlez », quel est le verbe ?",
        "Toi et ta sœur, vous avez bien travaillé !",
        "Assez ! Allez, courage. Rendez-vous chez le marchand.",
        "Essaie encore.",
    ],
)
def test_vous_as_an_example_is_no_fault(text: str) -> None:
    assert not find_formal_address(text)


def test_another_language_is_found() -> None:
    assert is_other_language("What do you think the first step is?", "fr")
    assert is_other_language("Que penses-tu de la première étape ?", "en")
    assert not is_other_language("Bravo, 7 × 7 = 49 !", "fr")
    assert not is_other_language("Lis : « what do you think the first step is » est long.", "fr")
