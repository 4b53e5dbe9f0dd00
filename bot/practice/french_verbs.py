"""Exercises on conjugating French verbs: present, imperfect and simple future, from CE2 to CM1.

Persons are numbered 0 to 5: je, tu, il, nous, vous, ils. The forms come from tables and rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from bot.practice.generator import Draw, Item, Wrong, generates

# Forms --------------------------------------------------------------------------------------------

PRONOUNS: Final = ("je", "tu", "il", "nous", "vous", "ils")
_ER_ENDINGS: Final = ("e", "es", "e", "ons", "ez", "ent")
_IMPERFECT_ENDINGS: Final = ("ais", "ais", "ait", "ions", "iez", "aient")
_FUTURE_ENDINGS: Final = ("ai", "as", "a", "ons", "ez", "ont")
_STRESSED: Final = frozenset({0, 1, 2, 5})
"""Persons whose ending is silent in the present of verbs in `-er`, so that the stem may change."""

REGULAR_ER: Final[Mapping[str, tuple[str, ...]]] = {
    "chanter": ("une chanson", "dans la cour"),
    "parler": ("à la maîtresse", "doucement"),
    "jouer": ("au ballon", "dans le jardin"),
    "danser": ("à la fête", "très bien"),
    "regarder": ("le match", "les étoiles"),
    "porter": ("un seau d'eau", "un sac"),
    "laver": ("les assiettes", "le linge"),
    "marcher": ("vers l'école", "sur la route"),
    "préparer": ("le repas", "la sauce"),
    "cultiver": ("du mil", "des tomates"),
    "raconter": ("une histoire", "un conte"),
    "écouter": ("la radio", "le griot"),
    "aimer": ("les mangues", "la lecture"),
    "aider": ("les voisins", "une amie"),
    "dessiner": ("une case", "un lion"),
    "travailler": ("au champ", "avec soin"),
}
"""Verbs without a change of spelling, with complements for a sentence."""

SPELLING_ER: Final[Mapping[str, tuple[str, ...]]] = {
    "manger": ("du riz", "une mangue"),
    "nager": ("dans le fleuve", "vite"),
    "ranger": ("les cahiers", "la chambre"),
    "partager": ("le pain", "un gâteau"),
    "voyager": ("en car", "souvent"),
    "commencer": ("la leçon", "le travail"),
    "lancer": ("le ballon", "une balle"),
    "placer": ("les chaises", "la natte"),
    "effacer": ("le tableau", "la phrase"),
    "acheter": ("du pain", "des oranges"),
    "lever": ("la main", "le drapeau"),
    "peser": ("les tomates", "un sac de riz"),
    "appeler": ("un ami", "le médecin"),
    "jeter": ("les épluchures", "le vieux papier"),
    "nettoyer": ("la classe", "la cour"),
    "essuyer": ("la table", "le tableau"),
    "employer": ("un mot nouveau", "une houe"),
    "préférer": ("les bananes", "le football"),
    "répéter": ("la phrase", "la leçon"),
    "espérer": ("une bonne récolte", "une bonne note"),
}
"""Verbs whose stem changes in writing, with complements for a sentence."""

_DOUBLED: Final = {"appeler": "appell", "jeter": "jett"}
_GRAVE: Final = {
    "acheter": "achèt",
    "lever": "lèv",
    "peser": "pès",
    "préférer": "préfèr",
    "répéter": "répèt",
    "espérer": "espèr",
}

IRREGULAR: Final[Mapping[str, tuple[str, ...]]] = {
    "être": ("suis", "es", "est", "sommes", "êtes", "sont"),
    "avoir": ("ai", "as", "a", "avons", "avez", "ont"),
    "aller": ("vais", "vas", "va", "allons", "allez", "vont"),
    "faire": ("fais", "fais", "fait", "faisons", "faites", "font"),
    "dire": ("dis", "dis", "dit", "disons", "dites", "disent"),
    "venir": ("viens", "viens", "vient", "venons", "venez", "viennent"),
    "tenir": ("tiens", "tiens", "tient", "tenons", "tenez", "tiennent"),
    "prendre": ("prends", "prends", "prend", "prenons", "prenez", "prennent"),
    "apprendre": ("apprends", "apprends", "apprend", "apprenons", "apprenez", "apprennent"),
    "pouvoir": ("peux", "peux", "peut", "pouvons", "pouvez", "peuvent"),
    "vouloir": ("veux", "veux", "veut", "voulons", "voulez", "veulent"),
    "voir": ("vois", "vois", "voit", "voyons", "voyez", "voient"),
    "savoir": ("sais", "sais", "sait", "savons", "savez", "savent"),
    "devoir": ("dois", "dois", "doit", "devons", "devez", "doivent"),
    "boire": ("bois", "bois", "boit", "buvons", "buvez", "boivent"),
    "mettre": ("mets", "mets", "met", "mettons", "mettez", "mettent"),
    "lire": ("lis", "lis", "lit", "lisons", "lisez", "lisent"),
    "écrire": ("écris", "écris", "écrit", "écrivons", "écrivez", "écrivent"),
    "partir": ("pars", "pars", "part", "partons", "partez", "partent"),
    "sortir": ("sors", "sors", "sort", "sortons", "sortez", "sortent"),
    "courir": ("cours", "cours", "court", "courons", "courez", "courent"),
    "finir": ("finis", "finis", "finit", "finissons", "finissez", "finissent"),
    "choisir": ("choisis", "choisis", "choisit", "choisissons", "choisissez", "choisissent"),
    "remplir": ("remplis", "remplis", "remplit", "remplissons", "remplissez", "remplissent"),
    "vendre": ("vends", "vends", "vend", "vendons", "vendez", "vendent"),
    "attendre": ("attends", "attends", "attend", "attendons", "attendez", "attendent"),
    "descendre": ("descends", "descends", "descend", "descendons", "descendez", "descendent"),
}

_COMPLEMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "être": ("en classe", "au marché", "en retard"),
    "avoir": ("un vélo", "faim", "un petit chien"),
    "aller": ("à l'école", "au champ", "à la boutique"),
    "faire": ("un gâteau", "du sport", "les devoirs"),
    "dire": ("la vérité", "bonjour", "un poème"),
    "venir": ("de Bamako", "du marché", "à la fête"),
    "tenir": ("une lampe", "le ballon"),
    "prendre": ("le bus", "un cahier"),
    "apprendre": ("une poésie", "le français"),
    "pouvoir": ("nager", "courir vite"),
    "vouloir": ("du thé", "un jus de gingembre"),
    "voir": ("le fleuve", "un oiseau"),
    "savoir": ("lire", "la leçon"),
    "devoir": ("partir", "ranger la classe"),
    "boire": ("de l'eau", "du thé"),
    "mettre": ("un chapeau", "la table"),
    "lire": ("un livre", "une lettre"),
    "écrire": ("une lettre", "la date"),
    "partir": ("au village", "en voyage"),
    "sortir": ("de la classe", "dans la cour"),
    "courir": ("dans la cour", "vers le stade"),
    "finir": ("le repas", "l'exercice"),
    "choisir": ("un livre", "une couleur"),
    "remplir": ("le seau", "la calebasse"),
    "vendre": ("des arachides", "du poisson"),
    "attendre": ("le bus", "la pluie"),
    "descendre": ("de la voiture", "au puits"),
    "envoyer": ("un message", "une lettre"),
}

_FUTURE_STEMS: Final = {
    "être": "ser",
    "avoir": "aur",
    "aller": "ir",
    "faire": "fer",
    "venir": "viendr",
    "tenir": "tiendr",
    "pouvoir": "pourr",
    "vouloir": "voudr",
    "voir": "verr",
    "savoir": "saur",
    "devoir": "devr",
    "courir": "courr",
    "envoyer": "enverr",
    "acheter": "achèter",
    "lever": "lèver",
    "peser": "pèser",
    "appeler": "appeller",
    "jeter": "jetter",
    "nettoyer": "nettoier",
    "essuyer": "essuier",
    "employer": "emploier",
}


def complements(verb: str) -> tuple[str, ...]:
    """Return the complements that may follow the verb in a sentence."""
    return REGULAR_ER.get(verb) or SPELLING_ER.get(verb) or _COMPLEMENTS[verb]


def present(verb: str) -> tuple[str, ...]:
    """Return the six forms of the present."""
    if verb in IRREGULAR:
        return IRREGULAR[verb]
    stem = verb[:-2]
    stressed = _DOUBLED.get(verb) or _GRAVE.get(verb) or stem
    if verb.endswith(("oyer", "uyer")):
        stressed = f"{stem[:-1]}i"
    forms = [
        (stressed if person in _STRESSED else stem) + ending
        for person, ending in enumerate(_ER_ENDINGS)
    ]
    if verb.endswith("ger"):
        forms[3] = f"{stem}eons"
    if verb.endswith("cer"):
        forms[3] = f"{stem[:-1]}çons"
    return tuple(forms)


def imperfect(verb: str) -> tuple[str, ...]:
    """Return the six forms of the imperfect, from the `nous` of the present (except être)."""
    stem = "ét" if verb == "être" else present(verb)[3].removesuffix("ons")
    before_i = stem
    if verb.endswith("ger"):
        before_i = stem.removesuffix("e")
    if verb.endswith("cer"):
        before_i = f"{stem[:-1]}c"
    return tuple(
        (before_i if ending.startswith("i") else stem) + ending for ending in _IMPERFECT_ENDINGS
    )


def future(verb: str) -> tuple[str, ...]:
    """Return the six forms of the simple future."""
    stem = _FUTURE_STEMS.get(verb) or verb.removesuffix("e")
    return tuple(stem + ending for ending in _FUTURE_ENDINGS)


def elides(word: str) -> bool:
    """Return whether `je`, `que`, `le` lose their vowel before the word (none of our words begins
    with `h`)."""
    return word[0] in "aàâeéèêiîoôuœ"


# Exercises ----------------------------------------------------------------------------------------

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
_STANDS_FOR: Final = {"Awa": "elle", "la maîtresse": "elle", "elle": "elle", "elles": "elles"}
"""The pronouns of subjects in the feminine."""
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
        pronoun=_STANDS_FOR.get(subject, PRONOUNS[person]),
        start=start[0].upper() + start[1:],
        complement=complement,
        ending=_ENDINGS.get(tense, _ER_ENDINGS)[person],
        stem=future(verb)[3].removesuffix("ons"),
        with_nous=f"nous {present(verb)[3]}",
        table=_write_table(present(verb)),
    )
    others: list[Wrong] = [
        (forms[other], "form-of-another-person", {"pronoun": PRONOUNS[other]})
        for other in _CONFUSED_WITH[person]
    ]
    wrong = [*find_wrong(verb, person), *others, (verb, "infinitive")]
    if draw.difficulty > 2:
        return exercise.open(key, *wrong, kind="text")
    return exercise.choice(key, *wrong)


_ENDINGS: Final = {"imperfect": _IMPERFECT_ENDINGS, "future": _FUTURE_ENDINGS}


def _write_table(forms: Sequence[str]) -> str:
    """Return the six forms with their pronouns: `j'ai, tu as, …`."""
    first = "j'" if elides(forms[0]) else "je "
    return ", ".join([first + forms[0], *map(" ".join, zip(PRONOUNS[1:], forms[1:], strict=True))])


@generates("french.present-er-verbs", "CE2")
def present_er_verbs(draw: Draw) -> Item:
    """Ask for the present of a regular verb, then, when hard, of one whose spelling changes."""
    is_hard = draw.difficulty > 2

    def find_wrong(verb: str, person: int) -> list[Wrong]:
        return [(verb[:-2] + _ER_ENDINGS[person], "spelling")] if is_hard else []

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

    def find_wrong(verb: str, person: int) -> list[Wrong]:
        unchanged = verb[:-2] + _IMPERFECT_ENDINGS[person] if verb in SPELLING_ER else None
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

    def find_wrong(verb: str, person: int) -> list[Wrong]:
        other_tense = (imperfect(verb)[person], "other-tense")
        stem = _MADE_UP_STEMS.get(verb, verb)
        if stem != verb or verb in _MADE_OF_INFINITIVE:
            return [(stem + _FUTURE_ENDINGS[person], "regularised"), other_tense]
        unchanged = verb + _FUTURE_ENDINGS[person] if verb in SPELLING_ER else None
        return [(unchanged, "spelling"), other_tense]

    return _conjugate(draw, "future", verbs, future, find_wrong)
