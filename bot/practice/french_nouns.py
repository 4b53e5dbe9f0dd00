"""Exercises on French plurals, articles and contractions, from CE1 to CM1."""

from __future__ import annotations

from typing import Final, NamedTuple

from bot.practice.generator import Draw, Item, Wrong, generates

PLURALS: Final = {
    # -s
    **{
        noun: f"{noun}s"
        for noun in (
            *("livre", "cahier", "ballon", "arbre", "village", "stylo", "jardin", "lion", "panier"),
            *("sac", "mouton", "chien", "marché", "camion", "pagne", "tambour", "pilon", "enfant"),
        )
    },
    # unchanged
    **{
        noun: noun
        for noun in ("nez", "bras", "tapis", "repas", "mois", "puits", "ananas", "dos", "prix")
    },
    # -x
    **{
        noun: f"{noun}x"
        for noun in (
            *("bateau", "gâteau", "oiseau", "chapeau", "tableau", "couteau", "drapeau", "cadeau"),
            *("manteau", "morceau", "troupeau", "seau", "jeu", "feu", "cheveu", "neveu", "tuyau"),
            *("bijou", "caillou", "chou", "genou", "hibou", "joujou", "pou"),
        )
    },
    # -al, -ail
    **{
        noun: noun.removesuffix("il").removesuffix("l") + "ux"
        for noun in (
            *("cheval", "journal", "animal", "hôpital", "canal", "bocal", "général", "signal"),
            *("travail", "vitrail", "corail", "émail"),
        )
    },
    # exceptions
    **{
        noun: f"{noun}s"
        for noun in (
            *("bal", "carnaval", "festival", "récital", "chacal", "régal"),
            *("pneu", "bleu", "landau"),
            *("trou", "clou", "cou", "bambou", "kangourou", "verrou", "sou"),
            *("détail", "éventail", "portail", "rail", "chandail", "épouvantail"),
        )
    },
    "œil": "yeux",
}
"""Masculine nouns with their plural."""


@generates("french.plural-nouns", "CE1")
def plural_nouns(draw: Draw) -> Item:
    """Ask for plurals in -s, then of -eau, -eu, -al and unchanged ones, then exceptions, typed."""
    nouns = draw.by_level(
        [noun for noun, plural in PLURALS.items() if plural == f"{noun}s" and _is_plain(noun)],
        [
            noun
            for noun, plural in PLURALS.items()
            if noun.endswith(("eau", "jeu", "feu", "al", "s", "z", "x")) and plural != f"{noun}s"
        ],
        [noun for noun in PLURALS if noun.endswith(("ou", "ail", "al", "eu", "au", "œil"))],
    )
    noun = draw.one_of(nouns)
    plural = PLURALS[noun]
    exercise = draw.exercise("write_plural", noun=noun, plural=plural, ending=_find_ending(noun))
    if draw.difficulty > 2:
        return exercise.open(plural, *_plural_mistakes(noun), kind="text")
    return exercise.choice(plural, *_plural_mistakes(noun))


def _find_ending(noun: str) -> str:
    """Return the ending that decides the plural, or nothing."""
    return next((end for end in (*"sxz", *_ENDINGS) if noun.endswith(end)), "")


_ENDINGS: Final = ("al", "ail", "ou", "au", "eu", "œil")


def _is_plain(noun: str) -> bool:
    """Return whether nothing in the ending suggests another plural than -s."""
    return not noun.endswith(("al", "eu", "au", "ou", "ail"))


def _plural_mistakes(noun: str) -> list[Wrong]:
    wrong = [(noun, "unchanged"), (f"{noun}s", "s-everywhere")]
    if noun.endswith(("al", "ail")):
        stem = noun.removesuffix("il").removesuffix("l")
        wrong.append((f"{stem}ux", "aux-everywhere"))
    if _is_plain(noun) and noun[-1] not in "sxzoé":
        ending = "nt" if noun.endswith("e") else "ent"
        wrong.append((noun + ending, "verb-ending"))
    if noun[-1] in "sxz":
        return [*wrong, (f"{noun}es", "s-everywhere")]
    return [*wrong, (f"{noun}x", "x-everywhere")]


class Noun(NamedTuple):
    """A noun in the singular, with its gender."""

    text: str
    is_feminine: bool


def _nouns(text: str, *, is_feminine: bool) -> list[Noun]:
    return [Noun(each, is_feminine) for each in text.split()]


GENDERS: Final = (
    *_nouns(
        "cahier stylo panier ballon marché village soleil poisson lion chien chapeau bateau vélo "
        "tableau jardin champ pagne mur camion téléphone mil riz",
        is_feminine=False,
    ),
    *_nouns(
        "table chaise maison mangue banane route fleur poule chèvre lampe robe voiture lune plage "
        "rivière pluie case natte houe calebasse pirogue main",
        is_feminine=True,
    ),
)
ELIDED: Final = (
    *_nouns("arbre hôpital homme oiseau avion ananas œuf ami éléphant hiver", is_feminine=False),
    *_nouns("école orange horloge herbe île igname eau huile étoile assiette", is_feminine=True),
)
"""Nouns with a vowel or a mute h."""
_ASPIRATED: Final = (
    *_nouns("haricot hibou hérisson hangar", is_feminine=False),
    *_nouns("hache houe halte hutte", is_feminine=True),
)
_UNCOUNTED: Final = frozenset({"mil", "riz", "eau", "pluie", "huile", "herbe", "soleil", "lune"})


@generates("french.gender-article", "CE1")
def gender_article(draw: Draw) -> Item:
    """Ask for un or une, then for le, la or l', then for à or de with the article."""
    if draw.difficulty == 1:
        counted = [noun for noun in GENDERS if noun.text not in _UNCOUNTED]
        return _choose_article(draw, draw.one_of(counted), ("un", "une", "", "des"))
    if draw.difficulty > 2:
        return _contract_article(draw)
    kind = draw.between(1, 4)
    noun = draw.one_of(_ASPIRATED if kind == 1 else ELIDED if kind > 2 else GENDERS)
    return _choose_article(draw, noun, ("le", "la", "l'", "les"))


def _choose_article(draw: Draw, noun: Noun, articles: tuple[str, str, str, str]) -> Item:
    """Ask for one article before the noun.

    Args:
        articles: masculine, feminine, elided (or nothing), plural.
    """
    masculine, feminine, elided, plural = articles
    is_elided = bool(elided) and noun in ELIDED
    key = elided if is_elided else feminine if noun.is_feminine else masculine
    gendered = (feminine, masculine) if noun.is_feminine else (masculine, feminine)
    mistake = "elision" if is_elided else "other-gender"
    exercise = draw.exercise(
        "choose_article",
        noun=noun.text,
        is_elided=is_elided,
        may_elide=bool(elided),
        is_aspirated=noun in _ASPIRATED,
        gender=("féminin", "feminine") if noun.is_feminine else ("masculin", "masculine"),
    )
    return exercise.choice(
        key,
        (gendered[0], mistake),
        (gendered[1], mistake),
        (elided if elided and not is_elided else None, "needless-elision"),
        (plural, "article-number"),
    )


PLACES: Final = (
    *_nouns("marché stade village champ puits dispensaire bureau garage port", is_feminine=False),
    *_nouns("boutique mosquée maison gare plage mairie pharmacie rivière fête", is_feminine=True),
    *_nouns("hôpital atelier aéroport", is_feminine=False),
    *_nouns("école église usine ambassade", is_feminine=True),
)
_PLURAL_PLACES: Final = ("champs", "urgences", "Comores", "États-Unis")
_GOING: Final = ("Awa va", "Nous allons", "Mes amis sont", "Issa retourne", "Je reste")
_COMING: Final = ("Awa revient", "Nous venons", "Issa rentre", "Je reviens", "Elle arrive")


def _contract_article(draw: Draw) -> Item:
    """Ask for à or de joined with the article of a place."""
    goes = draw.flip()
    opening = draw.one_of(_GOING if goes else _COMING)
    if draw.between(1, 5) == 1:
        place, key = draw.one_of(_PLURAL_PLACES), "aux" if goes else "des"
    else:
        noun = draw.one_of(PLACES)
        place, key = noun.text, _contract(noun, goes=goes)
    word = "à" if goes else "de"
    space = "" if key.endswith("'") else " "
    exercise = draw.exercise(
        "contract", opening=opening, word=word, place=place, contracted=f"{key}{space}{place}"
    )
    return exercise.choice(key, *_contraction_mistakes(key, goes=goes))


def _contraction_mistakes(key: str, *, goes: bool) -> list[Wrong]:
    word, contracted, plural = ("à", "au", "aux") if goes else ("de", "du", "des")
    if key == plural:
        return [
            (f"{word} les", "contraction"),
            (f"{word} la", "article-number"),
            (contracted, "article-number"),
        ]
    gender = "elision" if key.endswith("'") else "other-gender"
    return [
        (f"{word} le", "contraction"),
        (f"{word} la", gender),
        (contracted, gender),
        (plural, "article-number"),
    ]


def _contract(noun: Noun, *, goes: bool) -> str:
    word = "à" if goes else "de"
    if noun.text[0] in "aeéiohu":
        return f"{word} l'"
    if noun.is_feminine:
        return f"{word} la"
    return "au" if goes else "du"
