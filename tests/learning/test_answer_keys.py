"""Answer keys: what is wrong is refused with its reason, what cannot be decided passes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import product

import pytest
import pytest_asyncio

from bot.contracts.services import GivenExercise
from bot.isolated_worker.worker import WarmWorker
from bot.learning.answer_keys import AnswerKeys
from bot.maths.checker import PROGRAM, MathsChecker
from bot.maths.questions.question_statements import write_statements
from bot.practice.catalogue import all_generators
from bot.practice.generator import LEVELS
from tests.support.samples import draw_some


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def keys() -> AsyncIterator[AnswerKeys]:
    worker = WarmWorker(PROGRAM)
    yield AnswerKeys(MathsChecker(worker.ask))
    await worker.close()


RIGHT_QUIZZES = [
    ("Le cours finit à quelle heure ?", ["5 h du soir", "5 h du matin", "17"], 0),
    ("f(x) = x² sur ℝ⁺ est…", ["croissante", "décroissante"], 0),
    ("La fonction f(x) = x² sur [0 ; +∞[ est…", ["croissante", "décroissante", "constante"], 0),
    ("Solutions de x² = 25 ?", ["-5 et 5", "5", "12,5"], 0),
    ("Combien 12 a-t-il de diviseurs ?", ["6", "5", "12"], 0),
    (
        "Un prix augmente de 20 % puis baisse de 20 %. Quelle est l’évolution globale ?",
        ["une baisse de 4 %", "une hausse de 4 %", "0 %"],
        0,
    ),
    ("Combien font 7 × 8 ?", ["54", "56", "63"], 1),
    ("7 × 8 = ?", ["54", "56"], 1),
    ("Complète : $3 + … = 10$", ["7", "13"], 0),
    ("Calcule $\\frac{3}{4} + \\frac{1}{4}$.", ["$1$", "$\\frac{4}{8}$"], 0),
    ("Que vaut 20 % de 350 ?", ["70", "75", "17,5"], 0),
    ("Résous 2x + 3 = 11.", ["x = 4", "x = 7", "x = 5"], 0),
    ("Quelle est la solution de l’équation 2x + 3 = 11 ?", ["4", "7"], 0),
    ("Quelle est la dérivée de f(x) = x² ?", ["2x", "x", "x³/3"], 0),
    ("Développe (x + 1)².", ["x² + 2x + 1", "x² + 1"], 0),
    ("Convertis 2,5 km en m.", ["2500", "250", "25 000"], 0),
    ("Quelle fraction est la forme simplifiée de 4/8 ?", ["1/2", "2/4"], 0),
    ("Quelle est la capitale du Sénégal ?", ["Dakar", "Bamako"], 0),
    ("What is 12 ÷ 4?", ["3", "4", "8"], 0),
    ("Quel mot est un verbe ?", ["manger", "maison"], 0),
    ("Awa a 12 mangues et en donne 5. Combien lui en reste-t-il ?", ["7", "17"], 0),
    ("Résous x² = 9.", ["3", "3 et -3", "9"], 1),
    ("Résous l’équation 2x + 1 = 7.", ["3", "x = 4"], 0),
    ("Donne une solution de x² = 9.", ["3", "9"], 0),
    ("25 % de 80 ?", ["20", "25"], 0),
    ("Quel est le PGCD de 12 et 18 ?", ["6", "4"], 0),
    ("Quel nombre est premier ?", ["9", "7", "15"], 1),
    ("Quelle est l’aire d’un carré de côté 5 cm ?", ["20 cm²", "25 cm²"], 1),
    ("Quel nombre est le plus grand ?", ["9", "7", "15"], 2),
    ("Combien de mètres dans 3 km ?", ["3000", "300"], 0),
    ("Combien d’élèves dans la classe de 4e ?", ["30", "40"], 0),
]
WRONG_QUIZZES = [
    ("Combien font 7 × 8 ?", ["54", "56", "63"], 0, "56"),
    ("Quel nombre est premier ?", ["9", "7", "15"], 0, "7"),
    ("Lequel de ces nombres est divisible par 3 ?", ["10", "12", "20"], 0, "12"),
    ("Which number is even?", ["7", "8"], 0, "8"),
    ("Quelle est l’aire d’un carré de côté 5 cm ?", ["20 cm²", "25 cm²"], 0, "25 cm²"),
    ("Combien font 7 × 8 ?", ["54", "55", "63"], 0, "None of the options"),
    ("Que vaut 20 % de 350 ?", ["75", "70"], 0, "70"),
    ("Combien font 1 ÷ 2 ?", ["0,5", "1/2", "2"], 0, "equal in value"),
    ("Quelle est la moitié de 7 ?", ["3,5", "7/2"], 0, "equal in value"),
    ("Le cours finit à quelle heure ?", ["17 h", "5 h de l’après-midi"], 0, "equal in value"),
    ("Le cours finit à quelle heure ?", ["17 h", "13 h", "17:00"], 0, "equal in value"),
    ("Solutions de x² = 25 ?", ["5", "-5 et 5"], 0, "-5 et 5"),
    ("Combien de diviseurs a 12 ?", ["5", "6"], 0, "6"),
    ("How many factors does 36 have?", ["8", "9"], 0, "9"),
    (
        "Un prix augmente de 20 % puis baisse de 20 %. Quelle est l’évolution globale ?",
        ["0 %", "-4 %"],
        0,
        "-4 %",
    ),
    (
        "Un salaire diminue de 10 % puis de 10 %. Quelle est la baisse totale ?",
        ["20 %", "19 %"],
        0,
        "19 %",
    ),
    ("Résous 2x + 3 = 11.", ["x = 4", "x = 7"], 1, "x = 4"),
    ("Quelle est la dérivée de f(x) = x² ?", ["x", "2x"], 0, "2x"),
    ("Développe (x + 1)².", ["x² + 1", "x² + 2x + 1"], 0, "x² + 2x + 1"),
    ("Convertis 2,5 km en m.", ["250", "2500"], 0, "2500"),
    ("Résous x² = 9.", ["3", "3 et -3", "9"], 0, "3 et -3"),
    ("25 % de 80 ?", ["25", "20"], 0, "20"),
    ("Quel est le PGCD de 12 et 18 ?", ["4", "6"], 0, "6"),
    ("Quelle est la dérivée de x² ?", ["x", "2x"], 0, "2x"),
    ("Combien de mètres dans 3 km ?", ["300", "3000"], 0, "3000"),
    ("Calcule $\\frac{3}{4} + \\frac{1}{4}$.", ["$\\frac{4}{8}$", "$1$"], 0, "$1$"),
]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("question", "options", "right"), RIGHT_QUIZZES)
async def test_a_right_key_passes(
    keys: AnswerKeys, question: str, options: list[str], right: int
) -> None:
    assert await keys.find_quiz_fault(question, options, right) == ""


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("question", "options", "right", "said"), WRONG_QUIZZES)
async def test_a_wrong_key_is_refused(
    keys: AnswerKeys, question: str, options: list[str], right: int, said: str
) -> None:
    assert said in await keys.find_quiz_fault(question, options, right)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("statement", "is_true", "is_fault"),
    [
        ("7 × 8 = 54", True, True),
        ("7 × 8 = 54", False, False),
        ("7 × 8 = 56", False, True),
        ("7 × 8 = 56", True, False),
        ("Le Sénégal est en Afrique.", False, False),
        ("2 + 2 ≠ 4", True, True),
        ("2 + 2 ≠ 4", False, False),
        ("2 + 2 ≠ 5", False, True),
        ("7 n’est pas premier.", True, True),
        ("9 is not prime.", False, True),
        ("Dakar n’est pas au Mali.", True, False),
    ],
)
async def test_the_key_of_a_statement(
    keys: AnswerKeys, statement: str, is_true: bool, is_fault: bool
) -> None:
    assert bool(await keys.find_statement_fault(statement, is_true=is_true)) == is_fault


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("exercise", "said"),
    [
        (GivenExercise("Calcule 12 × 12.", "number", ("144",)), ""),
        (GivenExercise("Calcule 12 × 12.", "number", ("124",)), "wrong"),
        (GivenExercise("3 + 4 = ?", "number", ("7",)), ""),
        (GivenExercise("3 + 4 = ?", "number", ("8",)), "wrong"),
        (GivenExercise("100 - 37 = …", "number", ("63",)), ""),
        (GivenExercise("8 plus 5 ?", "number", ("13",)), ""),
        (GivenExercise("8 + 5 = 13 ?", "number", ("13",)), "already"),
        (GivenExercise("Écris 2×2×2×2×2 sous forme de puissance.", "expression", ("2^5",)), ""),
        (GivenExercise("Écris a × a × a avec une puissance.", "expression", ("a^3",)), ""),
        (GivenExercise("Écris la puissance a^3.", "expression", ("a^3",)), "already"),
        (GivenExercise("Calcule 12 × 12.", "number", ("144",), hints=("Pense à 12 × 10.",)), ""),
        (GivenExercise("Calcule 12 × 12.", "number", ("144",), hints=("C’est 144.",)), "A hint"),
        (
            GivenExercise(
                "Calcule 12 + 30.", "number", ("42",), hints=("12 + 30, c’est 10 + 30 et 2.",)
            ),
            "",
        ),
        (
            GivenExercise(
                "Calcule 12 + 30.", "number", ("42",), hints=("12 + 30, c’est 10 + 20.",)
            ),
            "explains is wrong",
        ),
        (
            GivenExercise(
                "Combien de minutes y a-t-il dans 2 heures ?", "number", ("120",), unit="min"
            ),
            "",
        ),
        (
            GivenExercise(
                "Il y a 24 passagers. 12 descendent. Combien de passagers reste-t-il ?",
                "number",
                ("12",),
                unit="passagers",
            ),
            "",
        ),
        (
            GivenExercise(
                "ABC est isocèle en A, AB = 5 cm et BC = 6 cm. Calcule AC.",
                "number",
                ("5",),
                unit="cm",
            ),
            "",
        ),
        (GivenExercise("Combien font 2 + 2 × 2 − 4 ?", "number", ("2",)), ""),
        (GivenExercise("AC = 5 cm. Calcule AC.", "number", ("5",), unit="cm"), "already"),
        (
            GivenExercise(
                "Une mangue coûte 150 F. Combien coûtent 3 mangues, si 150 × 3 = 450 ?",
                "number",
                ("450",),
                unit="F",
            ),
            "already",
        ),
        (
            GivenExercise("Calcule 7 × 8.", "number", ("56",), hints=("7 × 7 = 48 : ajoute 7.",)),
            "explains is wrong",
        ),
        (
            GivenExercise("Calcule 7 × 8.", "number", ("56",), steps=("7 × 8 = 54",)),
            "explains is wrong",
        ),
        (
            GivenExercise(
                "Le son va à 340 m/s. L'écho revient après 3 s. À quelle distance est la falaise ?",
                "number",
                ("510",),
                unit="m",
            ),
            "",
        ),
        (GivenExercise("Dérive x³.", "expression", ("2x^2",)), "wrong"),
        (GivenExercise("Dérive x³.", "expression", ("3x^2",)), ""),
        (GivenExercise("Calcule 12 × 12 (réponse : 144).", "number", ("144",)), "already"),
        (GivenExercise("Écris « trois cent douze » en chiffres.", "number", ("312",)), ""),
        (GivenExercise("Écris 85 en lettres.", "text", ("quatre-vingt-cinq",)), ""),
        (
            GivenExercise("Dakar est la capitale. La capitale est Dakar.", "text", ("Dakar",)),
            "already",
        ),
        (GivenExercise("Quelle est la capitale du Sénégal ?", "text", ("Dakar",)), ""),
        (GivenExercise("Quelle est la capitale du Mali ? Bamako", "text", ("Bamako",)), "already"),
        (
            GivenExercise(
                "La ville d’Ouagadougou grandit. Quelle est la capitale du Burkina ?",
                "text",
                ("Ouagadougou",),
            ),
            "already",
        ),
        (
            GivenExercise(
                "Kofi va de Bobo à Ouagadougou. Quelle est sa destination ?",
                "text",
                ("Ouagadougou",),
            ),
            "",
        ),
        (
            GivenExercise(
                "Il va à Ouagadougou. Quel est le nom propre de la phrase ?",
                "text",
                ("Ouagadougou",),
            ),
            "",
        ),
        (GivenExercise("Combien font 7 × 6 ? (42)", "number", ("42",)), "already"),
        (GivenExercise("Combien font 7 × 6 ? quarante-deux", "number", ("42",)), "already"),
        (GivenExercise("Écris 3,5 × 10⁴ sous forme décimale.", "number", ("35 000",)), ""),
        (GivenExercise("Écris 7 km 250 m en mètres.", "number", ("7250",), unit="m"), ""),
        (GivenExercise("Calcule lim 1/x quand x tend vers +∞.", "number", ("0",)), ""),
        (GivenExercise("Calcule la limite de 1/x en +∞.", "number", ("0",)), ""),
        (GivenExercise("Résous x² = 9.", "set", ("{-3 ; 3}",)), ""),
        (GivenExercise("Résous x² = 9.", "set", ("{3 ; 4}",)), "wrong"),
        (GivenExercise("Résous l’équation x² - 3x + 2 = 0.", "set", ("1",)), "wrong"),
        (GivenExercise("Résous l’équation x² - 3x + 2 = 0.", "set", ("x = 1", "x = 2")), "wrong"),
        (GivenExercise("Résous l’équation x² - 3x + 2 = 0.", "set", ("{1 ; 2}",)), ""),
        (GivenExercise("Résous l’équation x² - 3x + 2 = 0.", "set", ("x = 1 ou x = 2",)), ""),
        (GivenExercise("Résous 5x + 6 ≥ 26.", "set", ("[4 ; +∞[",)), ""),
        (GivenExercise("Résous 5x + 6 ≥ 26.", "set", ("]4 ; +∞[",)), "wrong"),
        (GivenExercise("Factorise x² - 9.", "expression", ("(x-3)(x+3)",)), ""),
        (GivenExercise("Factorise x² - 9.", "expression", ("(x-3)²",)), "wrong"),
        (GivenExercise("Développe (x + 3)(x - 5).", "expression", ("x² - 2x - 15",)), ""),
        (GivenExercise("Développe 2(x + 3).", "expression", ("2x + 6",)), ""),
        (GivenExercise("Factorise x² - 2x - 15.", "expression", ("(x + 3)(x - 5)",)), ""),
        (GivenExercise("Réduis 3(x + 2) - 2(x - 1).", "expression", ("x + 8",)), ""),
        (
            GivenExercise(
                "Développe (x + 3)(x - 5).",
                "expression",
                ("x² - 2x - 15",),
                hints=("Dans (x + 3)(x - 5), commence par x × x.",),
            ),
            "",
        ),
        (
            GivenExercise(
                "Développe (x + 3)(x - 5).",
                "expression",
                ("x² - 2x - 15",),
                hints=("Tu dois trouver x² - 2x - 15.",),
            ),
            "A hint",
        ),
        (
            GivenExercise(
                "Développe $(x + 3)(x - 8)$.",
                "choice",
                ("$x^2 - 5x - 24$",),
                options=("$x^2 - 5x - 24$", "$x^2 - 24$"),
            ),
            "",
        ),
        (
            GivenExercise(
                "Choisis (réponse : chevaux).",
                "choice",
                ("chevaux",),
                options=("chevals", "chevaux"),
            ),
            "already",
        ),
        (
            GivenExercise(
                "Quel est le plus grand nombre : 29, 40 ou 35 ?",
                "choice",
                ("40",),
                options=("29", "40", "35"),
            ),
            "",
        ),
        (GivenExercise("Quel nombre a 9 dizaines et 7 unités ?", "number", ("97",)), ""),
        (GivenExercise("Écris √216 + √24 sous la forme a√6.", "expression", ("8√6",)), ""),
        (GivenExercise("Mets au futur : on … (parler).", "text", ("parlera",)), ""),
        (
            GivenExercise(
                "Quel article va devant « mur » ?", "choice", ("un",), options=("un", "une")
            ),
            "",
        ),
        (
            GivenExercise(
                "What is the discriminant of 2x² + 4x - 4 = 0?",
                "choice",
                ("48",),
                options=("48", "-16"),
            ),
            "",
        ),
        (GivenExercise("Montre que 2(x + 3) = 2x + 6.", "expression", ("2x + 6",)), "already"),
        (GivenExercise("Réduis $2x + 3x$, soit $5x$.", "expression", ("5x",)), "already"),
        (
            GivenExercise("Choisis.", "choice", ("oui",), options=("non", "si")),
            "one of the options",
        ),
    ],
)
async def test_the_solution_of_an_exercise(
    keys: AnswerKeys, exercise: GivenExercise, said: str
) -> None:
    fault = await keys.find_exercise_fault(exercise)
    assert said in fault
    assert bool(fault) == bool(said)


@pytest.mark.timeout(600)  # more than a thousand exercises
@pytest.mark.asyncio(loop_scope="module")
async def test_exercises_of_every_generator_could_be_given(keys: AnswerKeys) -> None:
    faults: list[str] = []
    every = product(all_generators(), LEVELS, ("fr", "en"))
    for generator, difficulty, language in draw_some(every, share=0.15):
        item = generator.make(1, difficulty=difficulty, language=language)
        given = GivenExercise(
            item.statement,
            item.kind,
            (item.key,),
            unit=item.unit,
            options=item.options,
            hints=item.hints,
            steps=item.steps,
        )
        if fault := await keys.find_exercise_fault(given):
            faults.append(f"{item.skill} {difficulty} {language}: {fault}")
    assert faults == []


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Un rectangle de 24 cm² a une longueur de 0,0 cm. Quelle est sa largeur ?", "3 cm"),
        ("Une tension de 12 V alimente une résistance de 0 Ω. Quelle est l'intensité ?", "2 A"),
        ("On donne P(A) = 0,3. Que vaut P(  ) ?", "0,7"),
        ("Complète la suite : 2, 3/00, 4, 5, …", "6"),
    ],
)
def test_a_question_that_has_no_result_states_nothing_wrong(question: str, answer: str) -> None:
    assert all(each.text for each in write_statements(question, answer))
