from __future__ import annotations

from msgspec.structs import replace

from bot.evals.dialogues import Dialogue
from bot.evals.judging import Verdict, judge_dialogue
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
