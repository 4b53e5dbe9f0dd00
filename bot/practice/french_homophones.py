"""Exercises on French homophones: a and à, et and est, son and sont, from CE2 to CM1."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from typing import Final, NamedTuple

from bot.practice.generator import Draw, Item, Wrong, generates


class Sentence(NamedTuple):
    """A sentence with a gap `{}` for each of its words."""

    text: str
    words: tuple[str, ...]


def _combine(text: str, words: Sequence[str], *parts: Sequence[str]) -> tuple[Sentence, ...]:
    """Return all sentences of a pattern, whose `<0>`, `<1>` are filled from `parts`."""
    made: list[Sentence] = []
    for chosen in product(*parts):
        filled = text
        for number, part in enumerate(chosen):
            filled = filled.replace(f"<{number}>", part)
        made.append(Sentence(filled[0].upper() + filled[1:], tuple(words)))
    return tuple(made)


_CHILDREN: Final = ("Awa", "Moussa", "mon frère")
_PEOPLE: Final = (*_CHILDREN, "la maîtresse", "le pêcheur")
_PERSON: Final = ("Fatou", "ma tante", "la voisine", "mon oncle")

A_EASY: Final = (
    *_combine("<0> {} <1>.", ["a"], _PEOPLE, ("un vélo", "faim", "une pirogue")),
    *_combine("<0> {} <1> ans.", ["a"], _CHILDREN, ("sept", "dix", "douze")),
    *_combine("<0> va {} <1>.", ["à"], _PEOPLE, ("Bamako", "la boutique", "l'école")),
    *_combine("<0> parle {} <1>.", ["à"], _PEOPLE, _PERSON),
)
A_USUAL: Final = (
    *_combine("<0> {} <1>.", ["a"], _PEOPLE, ("mangé du riz", "fini le travail", "vu un lion")),
    *_combine("Tu {} <0>.", ["as"], ("un beau pagne", "raison", "perdu la clé", "bien dormi")),
    *_combine("<0> apprend {} <1>.", ["à"], _CHILDREN, ("nager", "lire", "dessiner", "pêcher")),
    *_combine(
        "C'est une <0>.", ["à"], ("machine {} coudre", "boîte {} outils", "cuillère {} soupe")
    ),
    *_combine("Il y {} <0>.", ["a"], ("du vent", "un puits au village", "des mangues mûres")),
)
A_HARD: Final = (
    *_combine("<0> {} donné <1> {} <2>.", ["a", "à"], _PEOPLE, ("un livre", "des fruits"), _PERSON),
    *_combine("<0> {} appris {} <1>.", ["a", "à"], _PEOPLE, ("nager", "jouer du tambour")),
    *_combine("{} midi, <0> {} <1>.", ["à", "a"], _PEOPLE, ("mangé du poisson", "pris le bus")),
    *_combine("<0> {} faim et {} soif.", ["a", "a"], _PEOPLE),
    *_combine("<0> va {} pied {} <1>.", ["à", "à"], _PEOPLE, ("l'école", "la rivière")),
)

_THINGS: Final = ("le ciel", "la mer", "la route", "cette case", "le fleuve")
ET_EASY: Final = (
    *_combine("<0> {} <1>.", ["est"], _THINGS, ("calme", "immense", "magnifique")),
    *_combine("<0> {} <1>.", ["est"], _PEOPLE, ("en retard", "malade", "au marché")),
    *_combine("J'achète <0> {} <1>.", ["et"], ("du riz", "des oignons"), ("du poisson", "du sel")),
    *_combine("<0> {} <1> jouent.", ["et"], _CHILDREN, ("Issa", "Mariam", "Ousmane")),
)
ET_USUAL: Final = (
    *_combine(
        "<0> {} <1>.", ["est"], _PEOPLE[:2], ("sur la piste", "de bonne humeur", "à la pêche")
    ),
    *_combine("Tu {} <0>.", ["es"], ("en avance", "mon ami", "le plus rapide")),
    *_combine("<0> chante {} <1>.", ["et"], _PEOPLE, ("danse", "rit", "joue du tambour")),
    *_combine("C'{} <0>.", ["est"], ("une bonne idée", "le jour du marché", "mon cahier")),
    *_combine("Où {} <0> ?", ["est"], ("la clé", "ton sac", "le seau")),
)
ET_HARD: Final = (
    *_combine(
        "<0> {} <1> {} <2>.",
        ["est", "et"],
        ("la mer", "le fleuve", "cette plage", "le lac"),
        ("immense", "calme"),
        ("magnifique", "propre"),
    ),
    *_combine(
        "<0> {} <1> pensent que <2> {} loin.",
        ["et", "est"],
        ("Awa", "Moussa"),
        ("Issa", "Mariam"),
        ("la ville", "le champ"),
    ),
    *_combine("<0> {} en retard {} il court.", ["est", "et"], ("Moussa", "mon frère", "Issa")),
    *_combine("<0> {} là, mais <1> {} au champ.", ["est", "est"], _CHILDREN, _PERSON),
)

_POSSESSED: Final = ("sac", "cahier", "ballon", "chapeau", "panier", "téléphone")
"""Nouns whose plural differs, so that « ses » is wrong before them."""
_MANY: Final = ("les enfants", "mes amis", "les mangues", "Awa et Fatou", "les pirogues")
SON_EASY: Final = (
    *_combine("<0> prend {} <1>.", ["son"], _PEOPLE, _POSSESSED),
    *_combine("<0> {} <1>.", ["sont"], _MANY, ("au marché", "dans la cour", "ici")),
)
SON_USUAL: Final = (
    *_combine("<0> range {} <1>.", ["son"], _PEOPLE, ("ancien cahier", "bureau", "étagère")),
    *_combine("<0> {} <1>.", ["sont"], _MANY, ("loin", "sous l'arbre", "à l'ombre")),
    *_combine("Où {} <0> ?", ["sont"], ("les clés", "mes sandales", "les chèvres")),
    *_combine("<0> parle avec {} <1>.", ["son"], _PEOPLE, ("ami", "amie", "voisin")),
)
SON_HARD: Final = (
    *_combine(
        "<0> et {} <1> {} au champ.", ["son", "sont"], ("Awa", "Moussa"), ("frère", "père", "oncle")
    ),
    *_combine(
        "Les <0> de {} <1> {} <2>.",
        ["son", "sont"],
        ("mangues", "chèvres"),
        ("jardin", "village"),
        ("belles", "grosses"),
    ),
    *_combine("{} chien et {} chat dorment ; <0> rit.", ["son", "son"], _PEOPLE[:2]),
    *_combine("Les élèves {} fiers et {} <0>.", ["sont", "sont"], ("contents", "sages")),
    *_combine("Ils {} chez {} <0>.", ["sont", "son"], ("oncle", "ami", "voisin")),
)


_TRIED: Final = {
    "a": "avait",
    "as": "avais",
    "à": "avait",
    "est": "était",
    "es": "étais",
    "et": "et puis",
    "sont": "étaient",
    "son": "mon",
}
"""What a pupil puts in place of a word to know it; it fits but for « à »."""


def _fill_gaps(
    draw: Draw, sentences: Sequence[Sentence], choices: Sequence[str], family: str
) -> Item:
    sentence = draw.one_of(sentences)
    words = sentence.words
    first, *others = words
    second = "".join(others)
    exercise = draw.exercise(
        "fill_gaps",
        gapped=sentence.text.format(*("…" for _ in words)),
        whole=_write_whole(sentence, *(f"**{word}**" for word in words)),
        first=first,
        second=second,
        tried_first=_write_whole(sentence, _TRIED[first], second),
        tried_second=_write_whole(sentence, first, _TRIED.get(second, "")),
        verb="avoir" if family == "a" else "être",
        family=family,
    )
    if len(words) == 1:
        return exercise.choice(words[0], *[(word, f"word-{word}") for word in choices])
    return exercise.choice(" … ".join(words), *_pair_mistakes(words, choices[:2]))


def _write_whole(sentence: Sentence, *words: str) -> str:
    """Return the sentence with these words in its gaps, and a capital where it begins."""
    whole = sentence.text.format(*words)
    return re.sub(r"\w", lambda letter: letter[0].upper(), whole, count=1)


def _pair_mistakes(words: Sequence[str], choices: Sequence[str]) -> list[Wrong]:
    first, second = words
    wrong: list[Wrong] = []
    for one, other in product(choices, repeat=2):
        if one != first and other != second:
            mistake = "both-gaps"
        elif one != first:
            mistake = "first-gap"
        else:
            mistake = "second-gap"
        if (one, other) != (first, second):
            wrong.append((f"{one} … {other}", mistake))
    return wrong


@generates("french.homophones-a", "CE2")
def homophones_a(draw: Draw) -> Item:
    """Ask for a or à, then also for as, then for two gaps."""
    return _fill_gaps(draw, draw.by_level(A_EASY, A_USUAL, A_HARD), ("a", "à", "as"), "a")


@generates("french.homophones-et-est", "CE2")
def homophones_et_est(draw: Draw) -> Item:
    """Ask for et or est, then also for es, then for two gaps."""
    return _fill_gaps(draw, draw.by_level(ET_EASY, ET_USUAL, ET_HARD), ("et", "est", "es"), "et")


@generates("french.homophones-son-sont", "CM1")
def homophones_son_sont(draw: Draw) -> Item:
    """Ask for son or sont, then also for s'ont, then for two gaps."""
    choices = draw.by_level(("son", "sont", "ses"), ("son", "sont", "s'ont"), ("son", "sont"))
    return _fill_gaps(draw, draw.by_level(SON_EASY, SON_USUAL, SON_HARD), choices, "son")
