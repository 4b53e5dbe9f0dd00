"""Exercises on conjugating French verbs: present, imperfect and simple future, from CE2 to CM1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

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

_PRONOUN_SUBJECTS: Final = (
    *((pronoun, person) for person, pronoun in enumerate(PRONOUNS)),
    *(("elle", 2), ("on", 2), ("elles", 5)),
)
"""Each subject with the person of its verb."""
_SUBJECTS: Final = (
    *_PRONOUN_SUBJECTS,
    *(("Awa", 2), ("mon frère", 2), ("la maîtresse", 2), ("Moussa et Fatou", 5)),
    *(("les enfants", 5), ("mes amis", 5), ("ma sœur et moi", 3), ("Issa et toi", 4)),
)
_CONFUSED_WITH: Final = ((1, 5, 3), (2, 5, 4), (1, 5, 0), (5, 4, 2), (3, 1, 5), (2, 1, 3))
"""For each person, the persons whose forms are mistaken for its own, the likeliest first."""


def _conjugate(
    draw: Draw,
    tense: str,
    verbs: Sequence[str],
    conjugate: Callable[[str], tuple[str, ...]],
    find_wrong: Callable[[str, int], list[Wrong]],
) -> Item:
    """Ask for one form of one of the verbs: with a pronoun, then with any subject, then to type.

    Args:
        find_wrong: returns the likely wrong forms of a verb for a person.
    """
    verb = draw.one_of(verbs)
    subject, person = draw.one_of(_SUBJECTS if draw.difficulty > 1 else _PRONOUN_SUBJECTS)
    complement = draw.one_of(complements(verb))
    forms = conjugate(verb)
    key = forms[person]
    start = "j'" if person == 0 and elides(key) else f"{subject} "
    exercise = draw.exercise(
        "conjugate",
        tense=tense,
        verb=verb,
        subject=subject,
        pronoun=PRONOUNS[person],
        start=start[0].upper() + start[1:],
        complement=complement,
    )
    others: list[Wrong] = [
        (forms[other], "form-of-another-person", {"pronoun": PRONOUNS[other]})
        for other in _CONFUSED_WITH[person]
    ]
    wrong = [*find_wrong(verb, person), *others, (verb, "infinitive")]
    if draw.difficulty > 2:
        return exercise.open(key, *wrong, kind="text")
    return exercise.choice(key, *wrong)


@generates("french.present-er-verbs", "CE2")
def present_er_verbs(draw: Draw) -> Item:
    """Ask for the present of a regular verb, then, when hard, of one whose spelling changes."""
    is_hard = draw.difficulty > 2
    endings = ("e", "es", "e", "ons", "ez", "ent")

    def find_wrong(verb: str, person: int) -> list[Wrong]:
        return [(verb[:-2] + endings[person], "spelling")] if is_hard else []

    verbs = tuple(SPELLING_ER if is_hard else REGULAR_ER)
    return _conjugate(draw, "present", verbs, present, find_wrong)


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
    """Ask for être, avoir, aller and faire, then for other common verbs, then for any."""
    verbs = draw.by_level(
        ("être", "avoir", "aller", "faire"),
        ("faire", "dire", "venir", "prendre", "pouvoir", "vouloir", "voir", "finir", "aller"),
        tuple(verb for verb in IRREGULAR if verb not in ("être", "avoir")),
    )

    def find_wrong(verb: str, person: int) -> list[Wrong]:
        return [(_FALSE_PRESENT.get(verb, {}).get(person), "regularised")]

    return _conjugate(draw, "irregular", verbs, present, find_wrong)


@generates("french.imperfect", "CM1")
def imperfect_tense(draw: Draw) -> Item:
    """Ask for regular verbs, then for irregular ones, then for changes of spelling."""
    verbs = draw.by_level(
        tuple(REGULAR_ER),
        ("être", "avoir", "aller", "faire", "prendre", "venir", "voir", "finir", "dire", "boire"),
        (*SPELLING_ER, "être", "faire", "choisir", "écrire", "lire", "devoir", "remplir"),
    )
    endings = ("ais", "ais", "ait", "ions", "iez", "aient")

    def find_wrong(verb: str, person: int) -> list[Wrong]:
        unchanged = verb[:-2] + endings[person] if verb in SPELLING_ER else None
        return [(present(verb)[person], "other-tense"), (unchanged, "spelling")]

    return _conjugate(draw, "imperfect", verbs, imperfect, find_wrong)


_MADE_UP_STEMS: Final = {"être": "êtr", "faire": "fair"}
_MADE_OF_INFINITIVE: Final = (
    *("avoir", "aller", "venir", "tenir", "pouvoir", "vouloir", "voir", "savoir", "devoir"),
    *("courir", "envoyer"),
)
"""Verbs for which learners take the infinitive as the stem."""


@generates("french.simple-future", "CM1")
def simple_future(draw: Draw) -> Item:
    """Ask for regular verbs, then for irregular stems, then for changes of spelling too."""
    verbs = draw.by_level(
        (*REGULAR_ER, "finir", "partir", "prendre", "lire"),
        ("être", "avoir", "aller", "faire", "venir", "pouvoir", "voir", "vouloir"),
        (
            *("acheter", "lever", "peser", "appeler", "jeter", "nettoyer", "essuyer", "employer"),
            *("courir", "envoyer", "savoir", "devoir", "tenir", "vendre", "écrire", "boire"),
        ),
    )
    endings = ("ai", "as", "a", "ons", "ez", "ont")

    def find_wrong(verb: str, person: int) -> list[Wrong]:
        other_tense = (imperfect(verb)[person], "other-tense")
        stem = _MADE_UP_STEMS.get(verb, verb)
        if stem != verb or verb in _MADE_OF_INFINITIVE:
            return [(stem + endings[person], "regularised"), other_tense]
        unchanged = verb + endings[person] if verb in SPELLING_ER else None
        return [(unchanged, "spelling"), other_tense]

    return _conjugate(draw, "future", verbs, future, find_wrong)
