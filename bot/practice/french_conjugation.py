"""Conjugate common French verbs from tables: present, imperfect and simple future.

Persons are numbered 0 to 5: je, tu, il, nous, vous, ils.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

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
