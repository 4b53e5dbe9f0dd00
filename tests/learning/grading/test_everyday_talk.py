"""What people say of their day while an exercise is open is no try."""

from __future__ import annotations

import pytest

from bot.learning.grading.everyday_talk import asks_small_talk
from bot.learning.grading.exercise_grading import is_answer, is_right
from bot.messages.value import ExerciseKind

DIFFERENCE = "Calcule 8 - 6."
CAPITAL = "Quelle est la capitale du Sénégal ?"


@pytest.mark.parametrize("kind", ["number", "choice"])
@pytest.mark.parametrize(
    "text",
    [
        "j'ai 2 frères", "j’ai deux frères", "il y a 2 nuages", "J'ai 3 chats", "I have 2 brothers",
        "mon frère a 2 voitures", "j'ai mangé 2 mangues", "there are 2 clouds", "on a 2 chiens",
        "moi j'ai 2 grandes sœurs", "y a 2 filles ici",
        "on est le 2 mai", "nous sommes le 2", "aujourd'hui on est le 2", "le 2 mai", "May 2",
        "demain c'est le 2 juin", "20 h 30", "il est 2 h", "il est 2 heures du matin", "à 14h",
        "c'est à la page 2", "page 2", "je suis à la page 2", "it's on page 2", "chapitre 2",
        "les deux", "les 2", "c'est les deux", "both", "toutes", "les trois réponses",
        "fais 2 quiz", "fais une fiche 2", "fais 2 exemples", "make 2 quizzes",
    ],
)  # fmt: skip
def test_a_number_of_something_else_is_no_try(kind: ExerciseKind, text: str) -> None:
    options = ("3", "2", "18") if kind == "choice" else ()
    assert not is_answer(text, kind, options, "", DIFFERENCE)


@pytest.mark.parametrize(
    ("text", "unit", "statement"),
    [
        ("j'ai 2 frères", "", "Combien de frères a Awa ?"),
        ("j'ai 2 frères", "frères", "Combien ?"),
        ("il y a 2 nuages", "", "Compte les nuages du dessin."),
        ("j'ai 2 mangues", "", "Tu as 8 mangues, tu en manges 6. Combien en as-tu ?"),
        ("j'ai 2 fruits", "", "Tu as 8 mangues, tu en manges 6. Combien en as-tu ?"),
        ("il y a 2 personnes", "", "Sur 8 élèves, 6 partent. Combien restent ?"),
        ("il y a 2 solutions", "", "Résous x² = 9 : combien de solutions ?"),
        ("j'ai 2 comme réponse", "", DIFFERENCE), ("j'ai 2", "", DIFFERENCE),
        ("j'ai trouvé 2", "", DIFFERENCE),
        ("j'ai 8 doigts et j'en plie 6 donc 2", "", DIFFERENCE),
        ("il y a 2 cm", "cm", "Mesure AB."),
        ("il reste 2", "", DIFFERENCE), ("I have 2 left", "", DIFFERENCE),
        ("c'est 2", "", DIFFERENCE),
        ("il y en a 2", "", DIFFERENCE), ("2 h", "h", "Combien de temps dure le film ?"),
        ("page 2", "", "À quelle page es-tu si tu tournes 2 pages ?"),
        ("it is 2", "", DIFFERENCE), ("deux", "", DIFFERENCE), ("j'ai eu 2 points", "", DIFFERENCE),
    ],
)  # fmt: skip
def test_a_number_of_what_is_asked_is_a_try(text: str, unit: str, statement: str) -> None:
    assert is_answer(text, "number", (), unit, statement)
    assert is_right(text, "number", ("2",), unit=unit, statement=statement)


@pytest.mark.parametrize(
    "text",
    [
        "j'ai faim", "J’ai très soif", "j'ai sommeil", "ma mère m'appelle", "mon père arrive",
        "je suis fatigué", "je dois partir", "il pleut", "il fait chaud", "on m'appelle",
        "le prof m'attend", "mon téléphone est déchargé", "il y a plus de réseau", "I'm hungry",
        "I have to go", "my mother is calling me", "it's raining", "je mange", "j'ai fini",
        "j'ai besoin d'une pause", "c'est gentil merci", "merci pour tout",
    ],
)  # fmt: skip
def test_a_sentence_on_oneself_is_no_word_of_an_answer(text: str) -> None:
    assert not is_answer(text, "text", (), "", CAPITAL)


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("j'ai faim", "Traduis en français : I am hungry."),
        ("j'ai faim", "Complète : Je veux manger parce que … ."),
        ("ma mère m'appelle", "Réécris la phrase avec un pronom : Ma mère appelle moi."),
        ("je mange", "Conjugue manger au présent, avec « je »."),
        ("il fait chaud", "Quel temps fait-il au Sahel ?"),
        ("Dakar", CAPITAL), ("je crois Dakar", CAPITAL), ("moi je dis Dakar", CAPITAL),
        ("la mère", "Qui élève les petits du lion ?"), ("le chat", "Quel animal miaule ?"),
        ("mon père", "Qui est le mari de ta mère ?"),
    ],
)  # fmt: skip
def test_a_sentence_that_may_be_asked_is_a_try(text: str, statement: str) -> None:
    assert is_answer(text, "text", (), "", statement)


@pytest.mark.parametrize(
    "text",
    [
        "pourquoi", "Quoi", "hein", "pk", "ah", "demain", "ah ok", "comment ça", "c'est quoi",
        "plus tard", "à demain", "why", "tomorrow", "huh",
    ],
)  # fmt: skip
def test_a_bare_question_or_delay_is_no_try(text: str) -> None:
    assert not is_answer(text, "text", (), "", CAPITAL)
    assert asks_small_talk([text])


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("demain", "Comment dit-on « yesterday » en français ?"),
        ("pourquoi", "Complète : … vas-tu ?"),
        ("how", "Traduis « pourquoi » en anglais."),
    ],
)
def test_a_bare_question_or_delay_may_be_asked(text: str, statement: str) -> None:
    assert is_answer(text, "text", (), "", statement)


@pytest.mark.parametrize("text", ["2nde", "2de", "en 1ère", "x", "MD", "TF", "XF", "IV", "y = x"])
def test_a_text_without_a_number_answers_no_computation(text: str) -> None:
    assert not is_answer(text, "number", (), "", DIFFERENCE)


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("une", DIFFERENCE), ("la moitié", DIFFERENCE), ("a half", DIFFERENCE), ("π", DIFFERENCE),
        ("x = 2", DIFFERENCE), ("racine de deux", DIFFERENCE), ("½", DIFFERENCE),
        ("une douzaine", DIFFERENCE), ("une heure", "Combien de temps ?"), ("P5 = 2", DIFFERENCE),
        ("1ère", "À quelle place arrive Awa ?"),
    ],
)  # fmt: skip
def test_a_number_in_words_or_signs_is_a_try(text: str, statement: str) -> None:
    assert is_answer(text, "number", (), "", statement)


def test_a_sentence_that_is_the_solution_counts() -> None:
    assert asks_small_talk(["j'ai faim"])
    assert is_answer("j'ai faim", "text", (), "", CAPITAL, talk_counts=True)
    assert not asks_small_talk(["Dakar"])
