"""What a tutor may say while an exercise is open: leaks are found, explanations pass."""

from __future__ import annotations

import re
import time
import tomllib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from bot.learning.leaks.leak_guard import find_leak
from bot.learning.open_items import Secret
from bot.messages.value import ExerciseKind
from bot.practice.catalogue import all_generators
from bot.practice.generator import LEVELS, Item
from tests.support.perturbations import perturb
from tests.support.samples import draw_some

DATA = Path(__file__).parent / "data"
SETS = (
    "leaks.toml", "leaks_held_out.toml", "leaks_around.toml", "leaks_in_parts.toml",
    "leaks_of_sets.toml", "leaks_disguised.toml", "leaks_independent.toml",
    "leaks_of_models.toml", "leaks_of_tutors.toml", "leaks_of_chats.toml", "honest_messages.toml",
    "leaks_begged.toml", "leaks_begged_held_out.toml", "leaks_in_subjects.toml",
    "leaks_in_subjects_held_out.toml", "leaks_after_mends.toml", "leaks_of_new_authors.toml",
    "leaks_by_kinds.toml", "leaks_in_named_forms.toml", "leaks_in_all_classes.toml",
)  # fmt: skip
TIMES = Secret("number", "Combien font $7 \\times 8$ ?", ("56",))
EXPANDED = Secret("expression", "Développe $3(x + 2)$.", ("3x + 6",))
VERB = Secret(
    "choice",
    "Conjugue : « Nous … (finir) le travail. »",
    ("finissons",),
    options=("finons", "finissons", "finissez"),
)
ROOTS = Secret("set", "Résous x² - 6x + 5 = 0.", ("{1 ; 5}",))
RANGE = Secret("set", "Résous x - 2 < 0.", ("]-∞ ; 2[",))
QUARTERS = Secret("number", "Calcule 1/2 + 1/4.", ("3/4",))
HOSTILE = (
    "\\frac{", "\\frac{1}{", "\\sqrt{", "{", "^{", "*", "* a", "1", "1 ", "1-", "x+", "x + 1 ",
    "(", "=", "56 + ", '"a" ', "A ", "a\n", "réponse ", "5,", "f-i-n-", "f ", " ", "\n", ".",
    "est 56 par ", "un ", "la b ", "finissons ou finons ", "`a", "c'est a ou b, ", "-",
    "cinquante-", "dizaines ", "1 ; ", "5 et ", "- 1\n", "x < ", "x <= 2 ", "]-∞ ; ", "⁵", "1 : ",
    "5 dizaines ", "1 h ", "le 1 mai ", "{1,", "le carré de ", "x inférieur ", "5 ÷ 2 ",
    "a-", "a b ", "[4](a)", "[4]", "3 , ", "2 km ", "3 et demi ", "n°4 ", "4*", "3\n-\n", "int('",
    "ajoute un e à ", "remplace un a par un b, ", "d'abord 5 puis ", "1 de plus que ", "pas 1, ni ",
    "le double de 2 ", "la somme de 5 et ", "1 trop petit 2 trop grand ",
    "commence par fin ", "✅ a ", "remplace a par b ", "échange les chiffres ", "_", "a…",
    "ajoute 2 à ta réponse ", "trop grand de 2 ", "C puis un petit 2 puis ", "Mali, Niger, ",
    "1 | 2 | ", "avant 5 après ", "convertis 2 heures en minutes ", "ce sont des ",
    "13² = 169 √169 ", "13² = 169 ", "cette phrase dit ", "partie réelle 1 + 1 = ",
    "la lettre entre a et b ", "symbole O ", "tu as trouvé 5 ", "ajoute encore 5 et tu as ",
    "moins un ", "5 pi ", "5e-04 ", "c'est 5 de plus ", "53 < 305 < ",
)  # fmt: skip


class Said(NamedTuple):
    """One text of the tutor."""

    secret: Secret
    text: str
    pupil: str

    @property
    def leak(self) -> str | None:
        return find_leak(self.text, [self.secret], self.pupil)


def read_texts(name: str, group: str) -> Iterator[Said]:
    for each in tomllib.loads((DATA / name).read_text())["exercise"]:
        secret = Secret(
            each["kind"],
            each["statement"],
            tuple(each["solutions"]),
            each.get("unit", ""),
            tuple(each.get("options", ())),
        )
        for text in each[group]:
            yield Said(secret, text, each.get("said", ""))


def read_items(share: float) -> Iterator[tuple[Secret, Item]]:
    """Yield a share of the exercises that generators make, with what is to be kept secret."""
    kinds = product(all_generators(), LEVELS, ("fr", "en"))
    for generator, difficulty, language in draw_some(kinds, share=share):
        item = generator.make(0, difficulty=difficulty, language=language)
        yield Secret(item.kind, item.statement, (item.key,), item.unit, item.options), item


@pytest.mark.parametrize("name", SETS)
def test_leaks_in_named_forms_never_pass(name: str) -> None:
    texts = draw_some(read_texts(name, "leaks"), share=0.25)
    assert [each.text for each in texts if each.leak is None] == []


@pytest.mark.parametrize("name", SETS)
def test_three_of_four_hidden_leaks_are_found(name: str) -> None:
    texts = list(read_texts(name, "hidden"))
    found = [each.text for each in texts if each.leak]
    assert len(found) >= 0.75 * len(texts)


@pytest.mark.parametrize("name", SETS)
def test_honest_explanations_pass(name: str) -> None:
    texts = draw_some(read_texts(name, "honest"), share=0.25)
    withheld = [(each.text, each.leak) for each in texts if each.leak]
    assert withheld == []


def test_a_leak_is_found_however_its_message_is_set() -> None:
    leaks = [each for name in SETS for each in read_texts(name, "leaks")][::18]
    settings = [
        (f"{name}: {text}", each._replace(text=text).leak)
        for each in leaks
        for name, text in (*perturb(each.text), ("quotes", _quote_numbers(each.text)))
    ]
    passed = [text for text, leak in settings if leak is None]
    assert len(passed) <= len(settings) // 200, passed


def _quote_numbers(text: str) -> str:
    return re.sub(r"(?<![\w.,/$*^_\\-])(\d+(?:,\d+)?)(?![\w/]|[.,]\d)", "« \\1 »", text)


def test_no_question_of_a_tutor_is_held() -> None:
    texts = list(read_texts("honest_messages.toml", "honest"))
    assert len(texts) >= 100
    assert [(each.text, each.leak) for each in texts if each.leak] == []


def test_what_generators_say_before_the_answer_passes() -> None:
    withheld = [
        (item.skill, text, leak)
        for secret, item in read_items(0.5)
        for text in (item.statement, *item.hints)
        if (leak := find_leak(text, [secret]))
    ]
    assert withheld == []


def test_feedback_of_wrong_answers_passes() -> None:
    withheld = [
        (item.skill, each.feedback, leak)
        for secret, item in read_items(0.5)
        for each in item.misconceptions
        if (leak := find_leak(each.feedback, [secret], each.option))
    ]
    assert withheld == []


def test_worked_solutions_of_generators_are_leaks() -> None:
    """Those whose solution stands in the statement may be none: it is not said as the result."""
    items = [each for each in read_items(1.0) if each[1].key not in each[1].statement]
    found = [item for secret, item in items if find_leak("\n".join(item.steps), [secret])]
    assert len(found) >= 0.985 * len(items)


@pytest.mark.parametrize("at", range(5))
def test_a_streamed_text_leaks_once_the_answer_is_there(at: int) -> None:
    lines = [
        "Regarde bien.",
        "7 × 7 = 49.",
        "Ajoute encore 7.",
        "Tu trouves cinquante-six.",
        "Bravo !",
    ]
    leak = find_leak("\n".join(lines[: at + 1]), [TIMES])
    assert (leak is not None) == (at >= 3)


@pytest.mark.parametrize(
    "text",
    [
        "La réponse à « Qui suis-je ? » viendra plus tard.",
        "Donne ta réponse à **cette question**.",
        "La réponse à (b) est plus longue.",
    ],
)
def test_a_preposition_names_no_option(text: str) -> None:
    capital = Secret("choice", "Capitale du Mali ?", ("Bamako",), options=("Bamako", "Dakar"))
    assert find_leak(text, [capital]) is None
    assert find_leak("La bonne réponse : a.", [capital])


def test_each_open_exercise_counts() -> None:
    assert find_leak("Nous finissons le travail.", [TIMES, VERB])
    assert find_leak("C'est 56.", [VERB, TIMES])
    assert find_leak("C'est 56.", [VERB]) is None


def test_the_words_that_give_it_away_are_named() -> None:
    leak = find_leak("Courage ! La réponse est **56**, tu vois.", [TIMES])
    assert leak is not None
    assert "56" in leak


@pytest.mark.parametrize(
    ("text", "leaks"),
    [("Tu trouves 0,75.", True), ("Cela fait 75 %.", True), ("soixante-quinze pour cent", True),
     ("9/12, c’est plus petit que 1.", False), ("On peut écrire 9/12 = 18/24.", False),
     ("Divise 9 et 12 par 3.", False)],
)  # fmt: skip
def test_the_decimal_of_a_fraction_to_simplify_is_a_leak(text: str, *, leaks: bool) -> None:
    simplify = Secret("number", "Simplifie la fraction 9/12.", ("3/4",))
    assert bool(find_leak(text, [simplify])) is leaks


@pytest.mark.parametrize(
    "secret",
    [TIMES, EXPANDED, VERB, ROOTS, RANGE, QUARTERS],
    ids=["number", "expression", "word", "set", "interval", "fraction"],
)
def test_hostile_texts_take_bounded_time(secret: Secret) -> None:
    for part in HOSTILE:
        text = (part * 5_000)[:5_000]
        start = time.process_time()
        find_leak(text, [secret])
        assert time.process_time() - start < 0.4, part  # half of it on a slow machine


def test_a_hostile_word_takes_bounded_time() -> None:
    """Its end sounds as nothing in many ways."""
    capital = Secret("text", "Quelle est la capitale du Sénégal ?", ("Dakar",))
    start = time.process_time()
    assert not find_leak(f"Écris b{'ez' * 24}a.", [capital])
    assert time.process_time() - start < 0.4


@pytest.mark.parametrize("name", SETS)
def test_leaks_among_honest_lines_are_found(name: str) -> None:
    honest: dict[str, list[str]] = {}
    for each in read_texts(name, "honest"):
        honest.setdefault(each.secret.statement, []).append(each.text)
    missed = [
        each.text
        for each in draw_some(read_texts(name, "leaks"), share=0.2)
        if (lines := honest[each.secret.statement])
        and not each._replace(text="\n\n".join((*lines[:3], each.text, *lines[3:5]))).leak
    ]
    assert missed == []


@pytest.mark.parametrize("joint", [" ", "\n- "])
@pytest.mark.parametrize("name", SETS)
def test_honest_lines_together_pass(name: str, joint: str) -> None:
    texts: dict[Secret, list[Said]] = {}
    for each in read_texts(name, "honest"):
        texts.setdefault(each.secret, []).append(each)
    for lines in draw_some(texts.values(), share=0.2):
        assert lines[0]._replace(text=joint.join(each.text for each in lines)).leak is None


@pytest.mark.parametrize(
    ("kind", "statement", "solution", "text"),
    [
        ("number", "Combien vaut la moitié de 1,5 ?", "0,75", "three fourths"),
        ("number", "Simplify 2/8.", "1/4", "It is a fourth."),
        ("number", "Combien vaut 1/2 × 1/2 ?", "0,25", "C'est LE QUART"),
        ("number", "Simplifie 4/8.", "1/2", "It is a half."),
        ("expression", "Développe et réduis : (x+1) + 2.", "x+3", "x plus trois"),
    ],
)
def test_a_solution_in_words_is_a_leak(
    kind: ExerciseKind, statement: str, solution: str, text: str
) -> None:
    assert find_leak(text, [Secret(kind, statement, (solution,))])


@pytest.mark.parametrize(
    ("solution", "text"),
    [
        ("2500", "La réponse est deux mille 500."),
        ("1500", "La réponse est mille 500, tu vois."),
        ("10200", "C’est 10 mille 200."),
        ("2500000", "C’est 2 millions et demi !"),
        ("30", "Il en faut 2 douzaines et demie."),
    ],
)
def test_a_number_half_in_words_is_a_leak(solution: str, text: str) -> None:
    assert find_leak(text, [Secret("number", "Combien ?", (solution,))])


@pytest.mark.parametrize("solution", ["2000001/2", "1,5/2", "3/40", "-3/4", "0/5", "1 3/4"])
def test_any_fraction_can_be_kept_secret(solution: str) -> None:
    secret = Secret("number", "Combien ?", (solution,))
    assert find_leak("Commence par le dénominateur commun.", [secret]) is None
    assert find_leak(f"La réponse est {solution}.", [secret])


@pytest.mark.parametrize("solution", ["(3 ; -2)", "{(3 ; -2)}", "x = 3 et y = -2"])
def test_any_couple_can_be_kept_secret(solution: str) -> None:
    secret = Secret("set", "Résous $x + y = 1$ et $x - y = 5$.", (solution,))
    assert find_leak("Additionne les deux équations.", [secret]) is None
    assert find_leak("Le couple est (3 ; -2).", [secret])
    assert find_leak("Donc x = 3 et y = -2.", [secret])


def test_a_solution_that_is_no_time_of_day_is_found() -> None:
    assert find_leak("C'est 10 h 75.", [Secret("text", "Quelle heure est-il ?", ("10 h 75",))])
