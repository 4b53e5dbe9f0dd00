from __future__ import annotations

import time

import pytest

from bot.maths.checker import MathsChecker
from bot.maths.questions.final_answers import find_final_answers
from bot.maths.questions.question_statements import write_statements

MEAN = "Quelle est la moyenne de 18, 20 et 22 ?"


async def find_wrong(checker: MathsChecker, text: str, question: str) -> list[str]:
    return [each.text for each in await checker.check(text, question) if each.verdict == "wrong"]


@pytest.mark.parametrize(
    "answer",
    [
        "{}",
        "C'est {}.",
        "La réponse est {}.",
        "Réponse : **{}** 👍",
        "Bonjour ! La moyenne est de {}. On additionne les nombres et on partage.",
        "On additionne.\n\nOn obtient donc la moyenne : **{}**\n\nTu veux continuer ?",
        "The answer is ${}$.",
    ],
)
async def test_a_result_is_judged_in_any_form(checker: MathsChecker, answer: str) -> None:
    assert await find_wrong(checker, answer.format("60"), MEAN)
    assert not await find_wrong(checker, answer.format("20"), MEAN)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (MEAN, "Commence par additionner. On trouve 60."),  # a hint
        (MEAN, "On obtient 60. À toi de partager."),
        (MEAN, "C'est 60 ou 20 ?"),
        (MEAN, "La réponse n'est pas 60."),
        (MEAN, "On additionne, ce qui fait 60. On partage en 3 : 20. La réponse est 60/3."),
        ("Quelle est l'aire d'un carré de 3 cm ? Et son périmètre ?", "C'est 12 cm."),
        ("Merci, j'ai 12 ans.", "C'est 60."),
        ("Un cycliste roule 2 h 15 min à 20 km/h. Quelle distance ?", "En 2 h, il fait 40 km."),
        ("Quel est le volume d'un cube de 4 cm ?", "Un petit cube a un volume de 1 cm³."),
    ],
)
async def test_what_is_no_result_is_not_judged(
    checker: MathsChecker, question: str, answer: str
) -> None:
    assert await find_wrong(checker, answer, question) == []


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("bsr. 402 - 158 = ?? je trouve pas", "244", "356"),
        ("calcul le volume dun cube de 5 cm darete", "125 cm³", "25 cm³"),
        ("dans 583 quel est le chiffre des dizaines", "8", "5"),
        ("Aicha part a 7h15 et arrive a 7h50 elle a marché combien de temps", "35 min", "45 min"),
        (
            "Le cours commence à 10 h et dure 30 minutes. À quelle heure finit-il ?",
            "10 h 30",
            "11 h",
        ),
        ("A tap gives 15 litres in 2 minutes. How many litres in 10 minutes?", "75", "150"),
        ("A tank of 600 L loses 25 L every minute. In how many minutes is it empty?", "24", "26"),
        ("A price goes from £80 to £92. What is the percentage increase?", "15%", "12%"),
        ("30% des 40 élèves sont absents. Combien d'absents ?", "12", "13"),
        (
            "A wave has frequency 250 Hz and wavelength 1.4 m. What is its speed?",
            "350 m/s",
            "179 m/s",
        ),
        ("How many moles are there in 20 g of NaOH? (Na = 23, O = 16, H = 1)", "0.5", "2"),
        ("Find the nth term of 7, 11, 15, 19, ...", "4n + 3", "4n + 7"),
        ("Find the coefficient of x² in the expansion of (1 + 2x)⁵.", "40", "20"),
        ("Quel est le minimum de x² − 6x + 11 ?", "2", "3"),
        ("Quel est le reste de la division de 7^100 par 5 ?", "1", "2"),
        ("Combien vaut log₂(32) ?", "5", "16"),
        ("L'angle au centre mesure 110°. Combien mesure l'angle inscrit ?", "55°", "70°"),
        (
            "On réduit une figure de 54 cm² dans le rapport 1/3. Quelle est son aire ?",
            "6 cm²",
            "18 cm²",
        ),
        ("Quel nombre est entre 699 et 701 ?", "700", "690"),
    ],
)
async def test_questions_are_worked_out(
    checker: MathsChecker, question: str, right: str, wrong: str
) -> None:
    assert not await find_wrong(checker, f"C'est {right}.", question)
    assert await find_wrong(checker, f"C'est {wrong}.", question)


@pytest.mark.parametrize(
    "part", ["1 ", "(", "est ", "donc ", "**", "$a$ ", "a=", "1,", "√", "- 1\n"]
)
def test_floods_take_bounded_time(part: str) -> None:
    flood = part * (2_900 // len(part))
    begun = time.process_time()
    find_final_answers(flood, MEAN)
    find_final_answers("C'est 60.", (flood + " ?")[-600:])
    assert time.process_time() - begun < 1


@pytest.mark.parametrize("part", [", ", "je trouve ", "bonjour ", "? ", "racine de "])
def test_a_flood_in_a_question_takes_bounded_time(part: str) -> None:
    flood = part * (20_000 // len(part))
    begun = time.process_time()
    assert list(write_statements(flood, "5")) == []
    assert time.process_time() - begun < 2
