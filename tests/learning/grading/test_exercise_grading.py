"""Answers as pupils type them: what is one, and whether it is right."""

from __future__ import annotations

import time
from itertools import product

import pytest

from bot.learning.grading.answer_forms import is_pasted
from bot.learning.grading.everyday_talk import asks_small_talk
from bot.learning.grading.exercise_grading import is_answer, is_right, is_same_try
from bot.learning.grading.named_options import find_option
from bot.messages.value import ExerciseKind
from bot.practice.catalogue import all_generators
from bot.practice.generator import LEVELS, Generator, Item

RIGHT: list[tuple[ExerciseKind, str, str]] = [
    ("number", "3,5", "3.5"),
    ("number", "7/2", "3,5"),
    ("number", "1 250", "1250"),
    ("number", "1\u202f250", "1 250"),
    ("number", "x = 4", "4"),
    ("number", "-2", "\u22122"),
    ("number", "$\\frac{1}{2}$", "0,5"),
    ("number", "douze", "12"),
    ("number", "42.", "42"),
    ("expression", "6+3x", "3x + 6"),
    ("expression", "3(x+2)", "3x + 6"),
    ("expression", "6x^2+10x-4", "6x² + 10x - 4"),
    ("expression", "(x-3)(x+3)", "x^2 - 9"),
    ("expression", "x+y", "y + x"),
    ("expression", "a-b", "a - b"),
    ("expression", "2 cos(2x)", "2cos(2x)"),
    ("expression", "2 cos 2x", "2cos(2x)"),
    ("expression", "x^2 - 3 cos x", "x² - 3cos(x)"),
    ("set", "{3 ; -2}", "{-2 ; 3}"),
    ("set", "x = 3 ou x = -2", "{-2 ; 3}"),
    ("text", "Photosynthese", "photosynthèse"),
    ("text", "photosyntèse", "photosynthèse"),
]
WRONG: list[tuple[ExerciseKind, str, str]] = [
    ("number", "3,6", "3,5"),
    ("number", "35", "3,5"),
    ("number", "1/0", "1"),
    ("number", "x = 5", "4"),
    ("expression", "3x + 2", "3x + 6"),
    ("expression", "3x", "3x + 6"),
    ("set", "{2 ; 3}", "{-2 ; 3}"),
    ("text", "respiration", "photosynthèse"),
]


@pytest.mark.parametrize(("kind", "text", "solution"), RIGHT)
def test_right_answers_count(kind: ExerciseKind, text: str, solution: str) -> None:
    assert is_answer(text, kind, (), "")
    assert is_right(text, kind, (solution,))


@pytest.mark.parametrize(("kind", "text", "solution"), WRONG)
def test_wrong_answers_do_not(kind: ExerciseKind, text: str, solution: str) -> None:
    assert not is_right(text, kind, (solution,))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("number", "je ne comprends pas"),
        ("number", "pourquoi 12 ?"),
        ("number", "/help"),
        ("expression", "je ne sais pas"),
        ("expression", "vas-y"),
        ("set", "aide-moi"),
        ("text", "je pense que c'est la plante qui fait cela"),
        ("text", "un indice ?"),
        ("choice", "explique-moi d'abord"),
    ],
)
def test_what_is_no_answer_is_for_the_model(kind: ExerciseKind, text: str) -> None:
    assert not is_answer(text, kind, ("82", "92"), "")


CAPITAL = "Quelle est la capitale du Burkina Faso ?"
SMALL_TALK = (
    "bonjour", "Bonsoir monsieur", "merci", "ok", "Ok merci", "oui", "non", "trop dur",
    "C'est difficile", "je donne ma langue au chat", "attends", "une minute", "je réfléchis",
    "donne la réponse", "la réponse svp", "mdr", "hahaha", "👍", "😂😂", "...", "!!", "un autre",
    "Je ne connais pas", "j'ai oublié", "d'accord",
    "hello", "thanks", "thank you", "yes", "no", "wait", "one moment", "too hard", "I forgot",
    "give me the answer", "I give up", "lol", "next", "got it", "hmm", "ça va", "j'abandonne",
    "au revoir",
)  # fmt: skip


@pytest.mark.parametrize("text", SMALL_TALK)
def test_small_talk_is_no_try_unless_it_is_asked(text: str) -> None:
    assert not is_answer(text, "text", (), "", CAPITAL)
    assert is_answer(text, "text", (), "", CAPITAL, talk_counts=True)
    assert asks_small_talk([text])


@pytest.mark.parametrize(
    "text",
    ["Ouagadougou", "Bobo-Dioulasso", "le chat", "dur", "oublié", "attendre", "+", "Koudougou"],
)
def test_a_plausible_word_is_a_try(text: str) -> None:
    assert is_answer(text, "text", (), "", CAPITAL)
    assert not asks_small_talk([text])


@pytest.mark.parametrize("kind", ["number", "set"])
@pytest.mark.parametrize("text", ["une minute", "2 secondes", "attends 5 minutes", "deux min svp"])
def test_who_asks_to_wait_makes_no_try(kind: ExerciseKind, text: str) -> None:
    assert not is_answer(text, kind, (), "", "Combien font 4 + 5 ?")
    assert is_answer("2 minutes", "number", (), "", "Combien de temps dure la chanson ?")


@pytest.mark.parametrize(
    "text", ["Bonjour 2", "Bonjour 1", "Il est 4 heures", "2 minutes svp", "Salut, on est le 2"]
)
def test_small_talk_with_a_digit_names_no_option(text: str) -> None:
    assert not is_answer(text, "choice", ("3/4", "1/2", "2/3"), "", "Calcule 1/4 + 1/2.")


@pytest.mark.parametrize(
    "text",
    ["2", "B", "b)", "réponse 2", "la 2", "la deuxième", "the second one", "c'est la deuxième",
     "1/2", "celle du milieu", "la deuxième réponse"],
)  # fmt: skip
def test_an_option_is_named_by_its_place(text: str) -> None:
    options = ("3/4", "1/2", "2/3")
    assert is_answer(text, "choice", options, "")
    assert is_right(text, "choice", ("1/2",), options=options)
    assert not is_right(text, "choice", ("3/4",), options=options)


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("2³ × 7", "$2^3 \\times 7$"), ("2^3 x 7", "$2^3 \\times 7$"), ("2³x7", "$2^3 \\times 7$"),
        ("56 = 2^3*7", "$2^3 \\times 7$"), ("2x4x7", "$2 \\times 4 \\times 7$"),
        ("]-oo;-1[ U ]6;+oo[", "]-∞ ; -1[ ∪ ]6 ; +∞["),
        ("S=]-∞;-1[ou]6;+∞[", "]-∞ ; -1[ ∪ ]6 ; +∞["),
        ("S = R", "ℝ"), ("r", "ℝ"), ("ensemble vide", "∅"), ("]-1;6[", "]-1 ; 6["),
    ],
)  # fmt: skip
def test_an_option_is_named_as_a_phone_writes_it(text: str, option: str) -> None:
    products = (
        "$2^2 \\times 7$",
        "$2^3 \\times 7$",
        "$2 \\times 4 \\times 7$",
        "$2^2 \\times 7^2$",
    )
    sets = ("]-∞ ; -1[ ∪ ]6 ; +∞[", "]-1 ; 6[", "ℝ", "∅")
    options = products if option in products else sets
    right = [each for each in options if is_right(text, "choice", (each,), options=options)]
    assert right == [option]


@pytest.mark.parametrize(
    ("kind", "text", "solution", "unit", "statement"),
    [
        ("number", "3:4", "3/4", "", "Calcule 1/2 + 1/4."),
        ("number", "3÷4", "3/4", "", "Calcule 1/2 + 1/4."),
        ("number", "- huit", "-8", "", "Calcule 2 - 10."),
        ("number", "deux heures et demie", "150", "min", "Combien de temps dure le film ?"),
        ("number", "J'ai 15 billes. Et 8 de moins ? 7", "7", "", "J'ai 15 billes. Et 8 de moins ?"),
        ("set", "x1=3 x2=-3", "{-3 ; 3}", "", "Résous x² = 9."),
        ("text", "finit", "il finit", "", "Conjugue finir au présent, avec « il »."),
        ("text", "la capitale du Burkina Faso est Ouagadougou", "Ouagadougou", "", CAPITAL),
        ("number", "x=3÷2", "3/2", "", "Résous 2x = 3."),
        ("number", "x = 3:2", "3/2", "", "Résous 2x = 3."),
        ("number", "x=3÷4", "3/4", "", "Résous 4x = 3."),
        ("number", "mille 500", "1500", "", "Combien coûte le sac ?"),
        ("number", "c'est mille 500 francs", "1500", "F", "Combien coûte le sac ?"),
        ("number", "deux mille 500", "2500", "", "Combien coûte le sac ?"),
        ("number", "2 mille 50", "2050", "", "Combien coûte le sac ?"),
        ("number", "environ 2,5 km", "2,5", "km", "Quelle distance ?"),
        ("number", "about 2.5 km", "2,5", "km", "What distance?"),
        ("number", "2 km 500", "2,5", "km", "Quelle distance ?"),
        ("set", "-3 puis 3", "{-3 ; 3}", "", "Résous x² = 9."),
        ("set", "x=-3 et puis x=3", "{-3 ; 3}", "", "Résous x² = 9."),
        ("set", "-3 then 3", "{-3 ; 3}", "", "Solve x² = 9."),
        ("set", "supérieur à 3", "]3 ; +∞[", "", "Résous 2x > 6."),
        ("set", "plus grand que 3", "]3 ; +∞[", "", "Résous 2x > 6."),
        ("set", "tous les nombres supérieurs à 3", "]3 ; +∞[", "", "Résous 2x > 6."),
        ("set", "inférieur ou égal à -2", "]-∞ ; -2]", "", "Résous 2x ≤ -4."),
        ("expression", "supérieur à 3", "x > 3", "", "Résous 2x > 6."),
        ("expression", "1/√2", "√2/2", "", "Calcule cos 45° (valeur exacte)."),
        ("expression", "2^(1/2)", "√2", "", "Quelle est la diagonale d'un carré de côté 1 ?"),
    ],
)  # fmt: skip
def test_right_answers_in_other_forms_count(
    kind: ExerciseKind, text: str, solution: str, unit: str, statement: str
) -> None:
    assert is_answer(text, kind, (), unit, statement)
    assert is_right(text, kind, (solution,), unit=unit, statement=statement)


@pytest.mark.parametrize(
    ("kind", "text", "solution"),
    [
        ("number", "c'est 3/4 merci", "3/4"), ("number", "merci, 3/4", "3/4"),
        ("number", "merci beaucoup, c'est 3/4", "3/4"), ("number", "3/4 svp merci", "3/4"),
        ("number", "3/4, thank you", "3/4"), ("number", "please 3/4", "3/4"),
        ("choice", "3/4 merci", "3/4"), ("choice", "la b merci", "3/4"),
        ("expression", "2x+1 merci", "2x + 1"), ("set", "{1 ; 2} merci", "{1 ; 2}"),
        ("text", "Yamoussoukro merci", "Yamoussoukro"), ("text", "merci, Dakar", "Dakar"),
        ("text", "le senegal svp merci", "le Sénégal"), ("text", "merci", "merci"),
        ("text", "C'est le Sénégal bien sûr", "le Sénégal"),
        ("text", "le Sénégal évidemment", "le Sénégal"), ("text", "of course Senegal", "Senegal"),
        ("text", "à mon avis c'est le Sénégal", "le Sénégal"),
    ],
)  # fmt: skip
def test_polite_words_around_an_answer_do_not_count(
    kind: ExerciseKind, text: str, solution: str
) -> None:
    options, statement = ("1/2", "3/4", "2/3") if kind == "choice" else (), "Quel est le résultat ?"
    talk_counts = solution == "merci"
    assert is_answer(text, kind, options, "", statement, talk_counts=talk_counts)
    assert is_right(text, kind, (solution,), options=options, statement=statement)


@pytest.mark.parametrize(
    ("text", "solution", "statement"),
    [
        ("12:4", "3", "Calcule 12 : 4."),
        ("3:4", "3/4", "Écris 3:4 en fraction."),
        ("6:8", "3/4", "Calcule et simplifie 1/2 + 1/4."),
        ("- huit", "8", "Calcule 10 - 2."),
    ],
)
def test_other_forms_that_are_no_result_do_not(text: str, solution: str, statement: str) -> None:
    assert not is_right(text, "number", (solution,), statement=statement)


@pytest.mark.parametrize(
    ("kind", "one", "others"),
    [
        ("number", "4", ("4,0", "8/2", "x=4", "je trouve 4", "quatre", "4 cm", "3+1=4")),
        ("number", "1 000", ("1000",)),
        ("expression", "x² + 8", ("8+x^2", "x^2+8")),
        ("set", "{1 ; 2}", ("x=2 ou x=1", "1 et 2")),
        ("text", "Bobo-Dioulasso", ("bobo dioulasso", "Bobo Dioulaso", "c'est Bobo-Dioulasso")),
    ],
)  # fmt: skip
def test_a_try_in_another_spelling_is_the_same(
    kind: ExerciseKind, one: str, others: tuple[str, ...]
) -> None:
    for other in others:
        assert is_same_try(other, one, kind, "cm", "Combien ?"), other


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("number", "4", "5"),
        ("number", "4", "-4"),
        ("number", "1/2", "2"),
        ("expression", "x + 8", "x + 9"),
        ("set", "{1 ; 2}", "{1 ; 3}"),
        ("text", "Bobo", "Koudougou"),
        ("choice", "82", "92"),
    ],
)
def test_another_value_is_another_try(kind: ExerciseKind, one: str, other: str) -> None:
    assert not is_same_try(other, one, kind, "", "Combien ?")


@pytest.mark.parametrize("text", ["B", "b)", "2", "92", " 92 ."])
def test_a_choice_is_named_by_text_letter_or_number(text: str) -> None:
    assert is_answer(text, "choice", ("82", "92"), "")
    assert is_right(text, "choice", ("92",), options=("82", "92"))


def test_units_may_be_written_or_not() -> None:
    assert is_right("12 cm", "number", ("12",), unit="cm")
    assert is_right("500 francs", "number", ("500",), unit="FCFA")
    assert is_right("0,12 m", "number", ("12",), unit="cm")
    assert not is_right("12 kg", "number", ("12",), unit="cm")
    assert is_right("38°", "number", ("38",), unit="°")


@pytest.mark.parametrize(
    ("text", "solution", "unit"),
    [
        ("12 v", "12", "V"), ("U=12V", "12", "V"), ("0,3a", "0,3", "A"), ("I=0,3A", "0,3", "A"),
        ("20 n", "20", "N"), ("20 newtons", "20", "N"), ("60 ohms", "60", "Ω"),
        ("300 mA", "0,3", "A"), ("4200 Wh", "4,2", "kWh"), ("2 kJ", "2000", "J"),
        ("5 g par litre", "5", "g/L"), ("5 grammes par litre", "5", "g/L"),
        ("8,5 g par cm3", "8,5", "g/cm³"), ("2700 kg par mètre cube", "2700", "kg/m³"),
    ],
)  # fmt: skip
def test_units_of_physics_are_read_as_phones_write_them(
    text: str, solution: str, unit: str
) -> None:
    assert is_answer(text, "number", (), unit, "x")
    assert is_right(text, "number", (solution,), unit=unit, statement="x")
    assert not is_right(text, "number", ("9",), unit=unit, statement="x")


def test_the_letter_of_an_option_is_no_zero_of_its_unit() -> None:
    options = ("1,6 A", "0,8 A", "0 A")
    assert [find_option(text, options) for text in ("A", "a", "B", "C", "0 A", "0,8")] == [
        0, 0, 1, 2, 2, 1,
    ]  # fmt: skip


def test_no_slip_counts_where_spelling_is_asked() -> None:
    assert is_right("finis", "text", ("finis",), skill="french.present-er-verbs")
    assert not is_right("finit", "text", ("finis",), skill="french.present-er-verbs")
    assert not is_right("a", "text", ("à",), skill="french.homophones-a")


def test_a_statement_pasted_back_is_no_answer() -> None:
    assert is_pasted("3(x+2)", "Développe $3(x + 2)$.")
    assert not is_pasted("3x+6", "Développe $3(x + 2)$.")


@pytest.mark.parametrize("text", ["Δ = 1", "delta=25", "Le discriminant vaut 1"])
def test_a_discriminant_is_a_step_and_no_wrong_solution(text: str) -> None:
    assert not is_answer(text, "set", (), "", "Résous $x^2 - 5x + 6 = 0$.")
    assert is_answer(text, "number", (), "", "Calcule le discriminant Δ de $x^2 - 5x + 6$.")


@pytest.mark.parametrize("generator", all_generators(), ids=lambda each: each.skill)
def test_keys_of_every_generator_are_right_and_likely_mistakes_wrong(generator: Generator) -> None:
    for seed, difficulty, language in product(range(6), LEVELS, ("fr", "en")):
        item = generator.make(seed, difficulty=difficulty, language=language)
        options, unit, skill = item.options, item.unit, item.skill

        def right(text: str, item: Item = item) -> bool:
            keys = (item.key,)
            return is_right(
                text,
                item.kind,
                keys,
                options=item.options,
                unit=item.unit,
                skill=item.skill,
                statement=item.statement,
            )

        assert is_answer(item.key, item.kind, options, unit), (skill, item.key)
        assert right(item.key), (skill, item.key)
        assert not any(right(each.option) for each in item.misconceptions), (skill, item.key)
        assert item.kind != "expression" or not is_pasted(item.key, item.statement)


@pytest.mark.parametrize(
    ("text", "solution", "verdict"),
    [
        ("±√7", "{-√7 ; √7}", True),
        ("x = - racine de 7 ou x = racine de 7", "{-√7 ; √7}", True),
        ("√7", "{-√7 ; √7}", False),
        ("-7 et 7", "{-√7 ; √7}", False),
        ("1+√2 et 1-√2", "{1-√2 ; 1+√2}", True),
        ("0 et pi", "{0 ; π}", True),
        ("{0 ; 2π}", "{0 ; π}", False),
        ("x = ln(3)", "{ln(3)}", True),
        ("x > √2", "]√2 ; +∞[", True),
        ("[√2 ; +∞[", "]√2 ; +∞[", False),
        ("x > 2,5", "]2,5 ; +∞[", True),
        ("2, 3 et 7", "{2 ; 3 ; 5}", False),
        ("deux moins trois", "{-3 ; 2}", True),
    ],
)
def test_sets_of_any_numbers_are_compared(text: str, solution: str, *, verdict: bool) -> None:
    assert is_answer(text, "set", (), "")
    assert is_right(text, "set", (solution,)) is verdict


def test_a_long_formula_as_another_name_takes_bounded_time() -> None:
    start = time.process_time()
    assert not is_right("eau", "text", (f"le sel ({'A1' * 26}!)",))
    assert time.process_time() - start < 1
