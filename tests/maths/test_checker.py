"""The whole checker, with its algebra in a shut-in process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import ToolFailed
from bot.isolated_worker.worker import WarmWorker
from bot.maths.checker import CHECKED_CHARACTERS, MAX_CHARACTERS, PROGRAM, MathsChecker, has_maths
from bot.maths.exact import algebra


@pytest.fixture
async def shut_in() -> AsyncIterator[MathsChecker]:
    worker = WarmWorker(PROGRAM)
    await worker.start()
    yield MathsChecker(worker.ask)
    await worker.close()


async def _decide(checker: MathsChecker, text: str, question: str = "") -> list[str]:
    return [each.verdict for each in await checker.check(text, question)]


async def test_algebra_is_decided_in_its_process(shut_in: MathsChecker) -> None:
    text = "(x+1)² = x² + 2x + 1. La dérivée de x³ est 2x². √2 ≈ 1,41. cos(60°) = 0,5"
    assert await _decide(shut_in, text) == ["right", "wrong", "right", "right"]
    assert await _decide(shut_in, "Donc x = 5.", "Résous 2x + 3 = 11") == ["wrong"]


@pytest.mark.parametrize("end", ["54", "56"])
@pytest.mark.parametrize(
    "text",
    [
        "7 × 8 = <b>{}</b>",
        "<p>7 × 8 = {}</p>",
        '<ul><li class="x">7 × 8 = {}</li></ul>',
        "\uff17×\uff18\uff1d{}",
        "7\u200b × 8 = {}",
    ],
)
async def test_tags_and_unusual_signs_hide_nothing(
    checker: MathsChecker, text: str, end: str
) -> None:
    verdict = "right" if end == "56" else "wrong"
    assert await _decide(checker, text.format(end)) == [verdict]


@pytest.mark.parametrize(
    "question",
    [
        "combien font 7 × 8 stp",
        "Exercice 1 : combien font 7 × 8 ?",
        "Ex n° 2) combien font 7 × 8 ? s'il te plaît merci",
        "Bonjour monsieur, combien font 7 × 8 ? 🙏",
    ],
)
async def test_an_answer_is_held_against_a_question_with_other_words_around_it(
    checker: MathsChecker, question: str
) -> None:
    assert await _decide(checker, "54", question) == ["wrong"]
    assert await _decide(checker, "56", question) == ["right"]


@pytest.mark.parametrize("part", [" stp", ", ", "merci ", "ex ", "😊 ", "👍🏽"])
async def test_a_flood_in_a_question_takes_bounded_time(checker: MathsChecker, part: str) -> None:
    begun = time.process_time()
    await _decide(checker, "7 × 8 = 56", f"Combien ? {part * 9_000}x")
    assert time.process_time() - begun < 3  # a tenth of a second on an idle machine


async def test_a_name_that_is_repeated_in_a_question_takes_bounded_time(
    checker: MathsChecker,
) -> None:
    begun = time.process_time()
    await _decide(checker, "12", f"Quel{' decimal' * 30} est là ?")
    assert time.process_time() - begun < 3


@pytest.mark.parametrize(
    "bomb",
    [
        "9^9^9^9 = 1",
        "√(9^9^9^9) = 3",
        "$\\sqrt{2}^{99999999} = 1$",
        "(x+y+z+t+u)^59 = 1 + x + y + z + t + u",
        "$\\int_0^1 \\sin(\\cos(x^{17}))^{19}\\,dx = 1$",
        "x^59 + x^31 + 7x^3 + 11 = 0 donc S = {1}",
        "1000000! = 3",
    ],
)
async def test_a_bomb_costs_about_a_second_and_nothing_else(
    shut_in: MathsChecker, bomb: str
) -> None:
    begun = time.monotonic()
    assert "right" not in await _decide(shut_in, bomb)
    assert time.monotonic() - begun < 15  # a new process may have to be started
    assert await _decide(shut_in, "(x+1)² = x² + 2x + 1") == ["right"]


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000 + " = 3",
        "1 + " * 2_500 + "1 = 2501",
        "x = " * 2_500 + "1",
        "$" + r"\frac{1}{" * 900 + "}" * 900 + " = 1$",
        "√" * 10_000 + "4 = 2",
        "- " * 5_000 + "3 = 3",
        "3 : " * 2_500 + "= 2",
        "la moitié de " * 700 + "4 = 2",
        "2^" * 5_000 + "2 = 2",
        "1 + " * 1_500 + "1 = 1501",
        "f(" * 3_000 + "x = 2",
        "|" * 10_000 + " = 2",
        "$" + r"\lim_{x \to 0} " * 500 + "x = 2$",
        "$" + r"\sum_{k=1}^{200} " * 400 + "k = 1$",
        "Dans 3, 4, " * 900 + "donc 6",
        "la moyenne de " + "1, " * 3_300 + "1",
        "triangle de 3 cm " * 600,
        "l'" * 5_000 + "3 est 4",
        "7" + "\n" * 9_998 + "7",
        "7" * 10_000,
        "7" * 3_000 + " × " + "7" * 3_000 + " = 5",
        "3 ?\n" * 2_500,
        "AB = 3 cm " * 1_000,
        "7 × 8 = 56 " + "😊 " * 4_900 + "x",
        "7 × 8 = 56 " + "🏃♂" * 25 + " oui",
        "Sa masse volumique est 0,8 g/cm³, sa densité " + "d = " * 30 + "donc il flotte.",
        "cos A " + "= aaaa / zzzz " * 14 + "!",
        "Les diviseurs de 6 sont 1, 2, 3, 6. Il y en a 4 diviseurs" + " favorable" * 30 + " x",
        "Elle a lu les 4/7 du livre. Il lui reste" + " encore les" * 22 + " pages.",
        "On écrit → " + "(Mn1)₉" * 27 + " x",
        "On écrit → H₂O" + " + H₂ · H2O(s)" * 30 + "!",
        "Le triangle ABC est rectangle" + " et isocele" * 35 + ".",
    ],
)
async def test_ten_thousand_characters_end_within_their_limits(
    checker: MathsChecker, text: str
) -> None:
    begun = time.process_time()
    assert "wrong" not in await _decide(checker, text)
    assert time.process_time() - begun < 6  # half a second on an idle machine


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("π = 3,14", "undecided"),
        ("π = 3,1", "undecided"),
        ("2π = 6,28", "undecided"),
        ("e = 2,718", "undecided"),
        ("√2 = 1,41", "undecided"),
        ("π = 3,15", "wrong"),
        ("π ≈ 3,14", "right"),
        ("π × 4² = 50,24", "right"),  # with 3,14 for π
        ("cos 90 = 0", "right"),  # in degrees
    ],
)
async def test_an_irrational_equal_to_its_rounding_is_undecided(
    checker: MathsChecker, text: str, verdict: str
) -> None:
    assert await _decide(checker, text) == [verdict]


async def test_of_a_text_that_is_too_long_the_beginning_is_checked(checker: MathsChecker) -> None:
    lines = [f"On a {n} + 4 = {n + 5} ici.\n\n" for n in range(1000, 5000)]
    text = "".join(lines)
    assert len(text) > MAX_CHARACTERS
    verdicts = await _decide(checker, text)
    assert set(verdicts[:-1]) == {"wrong"}
    assert verdicts[-1] == "undecided"
    assert abs(len(verdicts) - 1 - CHECKED_CHARACTERS // len(lines[0])) <= 1


async def test_without_a_process_algebra_is_undecided() -> None:
    async def fail(_: bytes) -> bytes:
        raise ToolFailed("no process")

    for checker in (MathsChecker(), MathsChecker(fail)):
        assert await _decide(checker, "(x+1)² = x² + 1. 3 + 4 = 8") == ["undecided", "wrong"]


async def test_two_failures_are_the_most_that_a_text_may_cost() -> None:
    asked: list[bytes] = []

    async def fail(request: bytes) -> bytes:
        asked.append(request)
        raise ToolFailed("It took too long.")

    text = " ".join(f"(1+x)^{n} = (1+x)^{n + 1}." for n in range(40, 50))
    assert set(await _decide(MathsChecker(fail), f"{text} 3 + 4 = 8")) == {"undecided", "wrong"}
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("seconds", "decided"),
    [
        ([30.0, 0.1, 0.1, 0.1], 4),  # the process starts with the first question
        ([0.1, 3.0, 3.0, 3.0], 3),
    ],
)
async def test_time_counts_from_the_first_answer_on(seconds: list[float], decided: int) -> None:
    now = 0.0

    async def answer(request: bytes) -> bytes:
        nonlocal now
        now += seconds.pop(0)
        return algebra.serve(request)

    text = "√2 ≈ 1,51. √3 ≈ 1,83. √5 ≈ 2,33. √6 ≈ 2,55."
    verdicts = await _decide(MathsChecker(answer, clock=lambda: now), text)
    assert verdicts == ["wrong"] * decided + ["undecided"] * (4 - decided)


async def test_the_reason_is_short_and_names_what_is_so(checker: MathsChecker) -> None:
    (found,) = await checker.check("On a 7 × 8 = 54.")
    assert (found.text, found.why) == ("7 × 8 = 54", "the left side is 56, the right side 54")


async def test_no_text_reaches_what_evaluates_it(checker: MathsChecker) -> None:
    for text in (
        "__import__('os').getcwd() = 3",
        "x.__class__ = 2",
        "exec(1) = 2",
        "f(x) = lambda",
    ):
        assert "right" not in await _decide(checker, text)


MATHS = "0123456789xyab+-×÷:/=<>≈≤()[]{}^²³√%,. \n$\\!?'∞;∪∫πefd"


@given(st.text(alphabet=MATHS, max_size=80))
def test_any_text_is_checked(text: str) -> None:
    verdicts = asyncio.run(_decide(MathsChecker(), text))
    assert set(verdicts) <= {"right", "wrong", "undecided"}


@given(st.text(max_size=200))
def test_any_text_at_all_is_checked(text: str) -> None:
    asyncio.run(_decide(MathsChecker(), text))


async def test_others_have_their_turn_while_a_long_text_is_read() -> None:
    text = "Il y a 12 sacs de 50 kg, donc 600 kg ; 45 clients paient 350 F chacun. " * 60
    checking = asyncio.create_task(MathsChecker().check(text))
    turns = 0
    while not checking.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 3
    assert await checking == await MathsChecker().check(text)


async def test_others_have_their_turn_while_many_statements_are_decided() -> None:
    text = " ".join(f"{each} + 1 = {each + 1} ;" for each in range(60))
    await MathsChecker().check(text)  # loads what reads statements
    checking = asyncio.create_task(MathsChecker().check(text))
    turns = 0
    while not checking.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 3
    assert len(await checking) == 60


@pytest.mark.parametrize(
    ("question", "is_expected"),
    [
        ("Résous 2x + 3 = 11 stp", True),
        ("c'est quoi la dérivée d'un produit", True),
        ("Calcule 1/2 + 1/3", True),
        ("bonjour, j'ai 12 ans", False),
        ("Raconte-moi l'histoire de Soundiata", False),
    ],
)
def test_algebra_is_loaded_once_somebody_asks_for_it(question: str, is_expected: bool) -> None:
    started: list[bool] = []
    MathsChecker(None, lambda: started.append(True)).expect(question)
    assert bool(started) == is_expected


@pytest.mark.parametrize(
    "text",
    [
        "Le **6 mars 1957**, la Gold Coast devient le **Ghana**.",
        "- **1935–1947** : il étudie aux États-Unis ; en 1945, il rentre.",
        "Né à Nkroful (1909), il meurt en avril 1972.",
        "En **1960** il est élu, en 1966 renversé. Qui tenait le pouvoir ?",
        "On 27 April he spoke; in 1961 the country was independent since 1960.",
    ],
)
def test_dates_that_are_only_told_are_not_read(text: str) -> None:
    assert not has_maths(text)


@pytest.mark.parametrize(
    "text",
    [
        "En 1960 il avait 25 ans, car il est né en 1935.",
        "Né en 1906, mort en 2001 : il a vécu quatre-vingt-quinze ans.",
        "2000 est impair.",
        "De 1960 à 1972, cela fait 12 ans.",
        "En 1789, au XIXe siècle, la Bastille est prise.",
        "En 2023, année bissextile.",
        "en 1957 + 3",
        "Dans l'ordre croissant : 1960, 1957, 1945.",
        "Le lundi 6 mars, donc le lendemain est mercredi.",
    ],
)
def test_dates_of_which_something_is_claimed_are_read(text: str) -> None:
    assert has_maths(text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Un rectangle de 24 cm² a une longueur de 0 cm. Quelle est sa largeur ?", "C'est 3 cm."),
        ("", "La troncature à l'unité de 8,97 est -8 et son arrondi à l'unité est 9."),
    ],
)
async def test_sizes_and_roundings_without_meaning_are_undecided(
    checker: MathsChecker, question: str, text: str
) -> None:
    assert all(each.verdict != "wrong" for each in await checker.check(text, question))


@pytest.mark.parametrize("text", ["5 km/h = 5 m/s", "1 h 45 + 2 h 30 = 4 h 20"])
async def test_a_statement_is_told_once(checker: MathsChecker, text: str) -> None:
    assert [each.text for each in await checker.check(text)] == [text]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("E(X) = 1,234,567. Le jeu est donc favorable au joueur.", "right"),
        ("E(X) = 1,234,567. Le jeu est donc défavorable au joueur.", "wrong"),
    ],
)
async def test_commas_may_group_the_digits_of_a_conclusion(
    checker: MathsChecker, text: str, verdict: str
) -> None:
    assert verdict in {each.verdict for each in await checker.check(text)}
