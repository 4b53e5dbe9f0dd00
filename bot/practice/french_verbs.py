"""Conjugating French verbs: present, imperfect and simple future, from CE2 to CM1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from bot.practice.french_conjugation import (
    IRREGULAR,
    PRONOUNS,
    REGULAR_ER,
    SPELLING_ER,
    complements,
    elides,
    future,
    imperfect,
    present,
)
from bot.practice.generator import Draw, Item, Wrong, generates

Conjugate = Callable[[str], tuple[str, ...]]


class Subject(NamedTuple):
    """Who does it, and the person of the verb."""

    text: str
    person: int


_PRONOUN_SUBJECTS: Final = (
    *(Subject(pronoun, person) for person, pronoun in enumerate(PRONOUNS)),
    Subject("elle", 2),
    Subject("on", 2),
    Subject("elles", 5),
)
_NOUN_SUBJECTS: Final = (
    Subject("Awa", 2),
    Subject("mon frère", 2),
    Subject("la maîtresse", 2),
    Subject("Moussa et Fatou", 5),
    Subject("les enfants", 5),
    Subject("mes amis", 5),
    Subject("ma sœur et moi", 3),
    Subject("Issa et toi", 4),
)
_CONFUSED_WITH: Final = ((1, 5, 3), (2, 5, 4), (1, 5, 0), (5, 4, 2), (3, 1, 5), (2, 1, 3))
"""For each person, those whose forms are taken for it, the likeliest first."""


def _other_person(form: str, person: int) -> Wrong:
    """The form of another person, and whose it is."""
    return form, "form-of-another-person", {"pronoun": PRONOUNS[person]}


def _sentence(subject: Subject, form: str, gap: str, complement: str) -> str:
    """`Nous … (manger) du riz.`, with `j'` before a vowel."""
    start = f"j'{gap}" if subject.person == 0 and elides(form) else f"{subject.text} {gap}"
    return f"{start[0].upper()}{start[1:]} {complement}."


class _Exercise(NamedTuple):
    """One verb to conjugate."""

    verb: str
    subject: Subject
    complement: str
    tense: tuple[str, str]
    """In French and in English."""


def _draw_exercise(
    draw: Draw, verbs: Sequence[str], tense: tuple[str, str], *, with_nouns: bool
) -> _Exercise:
    verb = draw.one_of(verbs)
    subjects = (*_PRONOUN_SUBJECTS, *_NOUN_SUBJECTS) if with_nouns else _PRONOUN_SUBJECTS
    return _Exercise(verb, draw.one_of(subjects), draw.one_of(complements(verb)), tense)


def _write(
    draw: Draw,
    asked: _Exercise,
    forms: Sequence[str],
    wrong: Sequence[Wrong],
    hints: Sequence[str],
    *,
    typed: bool,
) -> Item:
    verb, subject, complement, (french, english) = asked
    key = forms[subject.person]
    gapped = _sentence(subject, key, f"… ({verb})", complement)

    pronoun = PRONOUNS[subject.person]
    steps = [
        draw.say(
            f"Le sujet est « {subject.text} » : le verbe prend la forme de « {pronoun} ».",
            f"The subject is « {subject.text} »: the verb takes the form of « {pronoun} ».",
        ),
        draw.say("La phrase : ", "The sentence: ")
        + f"« {_sentence(subject, key, f'**{key}**', complement)} »",
    ]
    others = [_other_person(forms[person], person) for person in _CONFUSED_WITH[subject.person]]
    answers = [*wrong, *others, (verb, "infinitive")]
    exercise = draw.exercise(
        "write", french=french, gapped=gapped, english=english, hints=hints, steps=steps
    )
    if typed:
        return exercise.open(key, *answers, kind="text")
    return exercise.choice(key, *answers)


def _subject_hint(draw: Draw) -> str:
    return draw.say(
        "Cherche le sujet : quel pronom le remplace ?",
        "Look for the subject: which pronoun stands for it?",
    )


_PRESENT: Final = ("au présent", "present")
_IMPERFECT: Final = ("à l'imparfait", "imperfect")
_FUTURE: Final = ("au futur simple", "simple future")


@generates("french.present-er-verbs", "CE2")
def present_er_verbs(draw: Draw) -> Item:
    """With pronouns, then with other subjects, then verbs whose spelling changes, typed."""
    verbs = tuple(SPELLING_ER if draw.difficulty > 2 else REGULAR_ER)
    exercise = _draw_exercise(draw, verbs, _PRESENT, with_nouns=draw.difficulty > 1)
    regular = _attach(exercise, ("e", "es", "e", "ons", "ez", "ent"))
    return _write(
        draw,
        exercise,
        present(exercise.verb),
        [(regular, "spelling")] if draw.difficulty > 2 else [],
        [
            _subject_hint(draw),
            draw.say(
                "Les verbes en -er se terminent par -e, -es, -e, -ons, -ez, -ent.",
                "Verbs in -er end in -e, -es, -e, -ons, -ez, -ent.",
            ),
        ],
        typed=draw.difficulty > 2,
    )


def _attach(exercise: _Exercise, endings: Sequence[str]) -> str:
    """The infinitive without `-er` and the ending of the person."""
    return exercise.verb[:-2] + endings[exercise.subject.person]


_FALSE_PRESENT: Final = {
    "être": {4: "étez", 3: "êtons"},
    "avoir": {5: "avent", 2: "at"},
    "aller": {0: "vas", 5: "allent", 2: "vat"},
    "faire": {4: "faisez", 5: "faisent"},
    "dire": {4: "disez"},
    "venir": {5: "venent"},
    "tenir": {5: "tenent"},
    "prendre": {3: "prendons", 4: "prendez", 5: "prendent"},
    "apprendre": {3: "apprendons", 4: "apprendez", 5: "apprendent"},
    "pouvoir": {0: "peus", 1: "peus", 5: "pouvent"},
    "vouloir": {0: "veus", 1: "veus", 5: "voulent"},
    "voir": {3: "voions", 4: "voiez", 5: "voyent"},
    "devoir": {5: "devent"},
    "boire": {3: "boivons", 4: "boivez", 5: "boient"},
    "mettre": {2: "mett"},
    "finir": {3: "finons", 4: "finez", 5: "finent"},
    "choisir": {3: "choisons", 4: "choisez", 5: "choisent"},
    "remplir": {3: "remplons", 4: "remplez", 5: "remplent"},
    "vendre": {2: "vendt"},
    "attendre": {2: "attendt"},
    "descendre": {2: "descendt"},
}
"""Forms that learners make up, by person."""


@generates("french.present-irregular", "CE2")
def present_irregular(draw: Draw) -> Item:
    """être, avoir and aller, then the commonest others, then all of them, typed."""
    verbs = draw.by_level(
        ("être", "avoir", "aller", "faire"),
        ("faire", "dire", "venir", "prendre", "pouvoir", "vouloir", "voir", "finir", "aller"),
        tuple(verb for verb in IRREGULAR if verb not in ("être", "avoir")),
    )
    exercise = _draw_exercise(draw, verbs, _PRESENT, with_nouns=draw.difficulty > 1)
    made_up = _FALSE_PRESENT.get(exercise.verb, {}).get(exercise.subject.person)
    return _write(
        draw,
        exercise,
        present(exercise.verb),
        [(made_up, "regularised")] if made_up else [],
        [
            _subject_hint(draw),
            draw.say(
                f"Récite le présent de « {exercise.verb} » depuis « je ».",
                f"Say the present of « {exercise.verb} » aloud, starting with « je ».",
            ),
        ],
        typed=draw.difficulty > 2,
    )


@generates("french.imperfect", "CM1")
def imperfect_tense(draw: Draw) -> Item:
    """Regular verbs, then irregular ones, then changes of spelling, typed."""
    verbs = draw.by_level(
        tuple(REGULAR_ER),
        ("être", "avoir", "aller", "faire", "prendre", "venir", "voir", "finir", "dire", "boire"),
        (*SPELLING_ER, "être", "faire", "choisir", "écrire", "lire", "devoir", "remplir"),
    )
    exercise = _draw_exercise(draw, verbs, _IMPERFECT, with_nouns=draw.difficulty > 1)
    person = exercise.subject.person
    wrong = [(present(exercise.verb)[person], "other-tense")]
    if draw.difficulty > 2 and exercise.verb in SPELLING_ER:
        endings = ("ais", "ais", "ait", "ions", "iez", "aient")
        wrong.append((_attach(exercise, endings), "spelling"))
    return _write(
        draw,
        exercise,
        imperfect(exercise.verb),
        wrong,
        [
            draw.say(
                "Prends le radical de « nous » au présent (« être » fait exception).",
                "Take the stem of « nous » in the present (« être » is an exception).",
            ),
            draw.say(
                "Les terminaisons : -ais, -ais, -ait, -ions, -iez, -aient.",
                "The endings: -ais, -ais, -ait, -ions, -iez, -aient.",
            ),
        ],
        typed=draw.difficulty > 2,
    )


_FALSE_FUTURE: Final = {
    "être": "êtr",
    "avoir": "avoir",
    "aller": "aller",
    "faire": "fair",
    "venir": "venir",
    "tenir": "tenir",
    "pouvoir": "pouvoir",
    "vouloir": "vouloir",
    "voir": "voir",
    "savoir": "savoir",
    "devoir": "devoir",
    "courir": "courir",
    "envoyer": "envoyer",
}
"""The stems that learners make of the infinitive."""


@generates("french.simple-future", "CM1")
def simple_future(draw: Draw) -> Item:
    """Regular verbs, then irregular stems, then changes of spelling too, typed."""
    verbs = draw.by_level(
        (*REGULAR_ER, "finir", "partir", "prendre", "lire"),
        ("être", "avoir", "aller", "faire", "venir", "pouvoir", "voir", "vouloir"),
        (
            *("acheter", "lever", "peser", "appeler", "jeter", "nettoyer", "essuyer", "employer"),
            *("courir", "envoyer", "savoir", "devoir", "tenir", "vendre", "écrire", "boire"),
        ),
    )
    exercise = _draw_exercise(draw, verbs, _FUTURE, with_nouns=draw.difficulty > 1)
    person = exercise.subject.person
    endings = ("ai", "as", "a", "ons", "ez", "ont")
    wrong = [(imperfect(exercise.verb)[person], "other-tense")]
    if stem := _FALSE_FUTURE.get(exercise.verb):
        wrong.insert(0, (stem + endings[person], "regularised"))
    elif exercise.verb in SPELLING_ER:
        wrong.insert(0, (exercise.verb + endings[person], "spelling"))
    return _write(
        draw,
        exercise,
        future(exercise.verb),
        wrong,
        [
            draw.say(
                "Au futur, le radical est souvent l'infinitif ; quelques verbes ont le leur.",
                "In the future, the stem is often the infinitive; some verbs have their own.",
            ),
            draw.say(
                "Les terminaisons : -ai, -as, -a, -ons, -ez, -ont.",
                "The endings: -ai, -as, -a, -ons, -ez, -ont.",
            ),
        ],
        typed=draw.difficulty > 2,
    )
