"""French nouns and what agrees with them: plurals, articles, adjectives, from CE1 to CM1."""

from __future__ import annotations

from typing import Final, NamedTuple

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.misconceptions import Mistake

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

_UNCHANGED: Final = Mistake(
    "marque du pluriel oubliée",
    "plural mark forgotten",
    "« des » annonce plusieurs : comment ce nom le montre-t-il ?",
    "« des » announces several: how does this noun show it?",
)
_S_EVERYWHERE: Final = Mistake(
    "-s ajouté partout",
    "-s added everywhere",
    "Beaucoup de noms prennent un -s, mais regarde comment celui-ci se termine.",
    "Many nouns take -s, but look at how this one ends.",
)
_X_EVERYWHERE: Final = Mistake(
    "-x sans raison",
    "-x without a reason",
    "Le -x ne va qu'avec certaines terminaisons. Regarde celle de ce nom.",
    "-x only goes with certain endings. Look at how this noun ends.",
)
_VERB_ENDING: Final = Mistake(
    "terminaison de verbe",
    "ending of a verb",
    "-nt est la marque du pluriel des verbes : ici, c'est un nom.",
    "-nt is the plural mark of verbs: this is a noun.",
)
_AUX_EVERYWHERE: Final = Mistake(
    "-aux sans raison",
    "-aux without a reason",
    "Le pluriel en -aux n'est pas pour tous les noms. Pense aux exceptions.",
    "The plural in -aux is not for all nouns. Think of the exceptions.",
)


@generates("french.plural-nouns", "CE1")
def plural_nouns(draw: Draw) -> Item:
    """Nouns in -s, then those in -eau, -eu, -al and those that stay, then exceptions, typed."""
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
    wrong = _plural_mistakes(draw, noun)
    hints = [
        draw.say(
            "Comment se termine ce nom au singulier ?", "How does this noun end in the singular?"
        ),
        _plural_rule(draw, noun),
    ]
    steps = [
        _plural_rule(draw, noun),
        f"« un {noun} » → « des **{plural}** »",
    ]
    statement = draw.say("Écris au pluriel : ", "Write in the plural: ")
    statement += f"« un {noun} » → « des … »"
    if draw.difficulty > 2:
        return draw.open(statement, key=plural, kind="text", wrong=wrong, hints=hints, steps=steps)
    return draw.choice(statement, key=plural, wrong=wrong, hints=hints, steps=steps)


def _is_plain(noun: str) -> bool:
    """Whether nothing in the ending suggests another plural than -s."""
    return not noun.endswith(("al", "eu", "au", "ou", "ail"))


def _plural_mistakes(draw: Draw, noun: str) -> list[Wrong]:
    wrong = [_UNCHANGED.gives(draw, noun), _S_EVERYWHERE.gives(draw, f"{noun}s")]
    if noun.endswith(("al", "ail")):
        stem = noun.removesuffix("il").removesuffix("l")
        wrong.append(_AUX_EVERYWHERE.gives(draw, f"{stem}ux"))
    if _is_plain(noun) and noun[-1] not in "sxzoé":
        ending = "nt" if noun.endswith("e") else "ent"
        wrong.append(_VERB_ENDING.gives(draw, noun + ending))
    if noun[-1] in "sxz":
        return [*wrong, _S_EVERYWHERE.gives(draw, f"{noun}es")]
    return [*wrong, _X_EVERYWHERE.gives(draw, f"{noun}x")]


def _plural_rule(draw: Draw, noun: str) -> str:
    rules = (
        (
            ("s", "x", "z"),
            "Un nom en -s, -x ou -z ne change pas au pluriel.",
            "A noun in -s, -x or -z does not change in the plural.",
        ),
        (
            ("al",),
            "La plupart des noms en -al font -aux ; bal, carnaval, festival, chacal, récital et "
            "régal prennent un -s.",
            "Most nouns in -al become -aux; bal, carnaval, festival, chacal, récital and régal "
            "take -s.",
        ),
        (
            ("ail",),
            "Les noms en -ail prennent un -s, sauf quelques-uns qui font -aux, comme travail, "
            "vitrail, corail et émail.",
            "Nouns in -ail take -s, but for a few that become -aux, such as travail, vitrail, "
            "corail and émail.",
        ),
        (
            ("ou",),
            "Les noms en -ou prennent un -s, sauf sept : bijou, caillou, chou, genou, hibou, "
            "joujou et pou.",
            "Nouns in -ou take -s, but for seven: bijou, caillou, chou, genou, hibou, joujou and "
            "pou.",
        ),
        (
            ("au", "eu"),
            "Les noms en -au, -eau et -eu prennent un -x, sauf landau, pneu et bleu.",
            "Nouns in -au, -eau and -eu take -x, but for landau, pneu and bleu.",
        ),
        (
            ("œil",),
            "Ce nom change tout entier au pluriel.",
            "This noun changes altogether in the plural.",
        ),
    )
    for endings, french, english in rules:
        if noun.endswith(endings):
            return draw.say(french, english)
    return draw.say("Le plus souvent, le pluriel prend un -s.", "Most often, the plural takes -s.")


class Noun(NamedTuple):
    """A noun in the singular, with its gender."""

    text: str
    is_feminine: bool


def _nouns(text: str, *, is_feminine: bool) -> list[Noun]:
    return [Noun(each, is_feminine) for each in text.split()]


GENDERS: Final = (
    *_nouns(
        "livre cahier stylo ballon marché village soleil poisson lion chien chapeau bateau vélo "
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

_OTHER_GENDER: Final = Mistake(
    "autre genre",
    "other gender",
    "Ce nom est-il masculin ou féminin ? Essaie « un petit » ou « une petite » devant lui.",
    "Is this noun masculine or feminine? Try « un petit » or « une petite » before it.",
)
_ARTICLE_NUMBER: Final = Mistake(
    "pluriel à la place",
    "plural instead",
    "Ce nom est-il au singulier ou au pluriel ?",
    "Is this noun singular or plural?",
)
_ELISION: Final = Mistake(
    "élision",
    "elision",
    "Dis l'article et le nom à voix haute : par quel son le nom commence-t-il ?",
    "Say the article and the noun aloud: which sound does the noun begin with?",
)
_NEEDLESS_ELISION: Final = Mistake(
    "élision sans raison",
    "needless elision",
    "L'apostrophe ne se met que devant une voyelle ou un h muet.",
    "The apostrophe only comes before a vowel or a mute h.",
)
_CONTRACTION: Final = Mistake(
    "contraction oubliée",
    "contraction forgotten",
    "« à le » et « de le » ne se disent pas : les deux mots se contractent en un seul.",
    "« à le » and « de le » are not said: the two words contract into one.",
)


@generates("french.gender-article", "CE1")
def gender_article(draw: Draw) -> Item:
    """un or une, then le, la or l', then à or de with the article."""
    if draw.difficulty == 1:
        counted = [noun for noun in GENDERS if noun.text not in _UNCOUNTED]
        return _ask_article(draw, draw.one_of(counted), ("un", "une", "", "des"))
    if draw.difficulty > 2:
        return _ask_contraction(draw)
    kind = draw.between(1, 4)
    noun = draw.one_of(_ASPIRATED if kind == 1 else ELIDED if kind > 2 else GENDERS)
    return _ask_article(draw, noun, ("le", "la", "l'", "les"))


def _ask_article(draw: Draw, noun: Noun, articles: tuple[str, str, str, str]) -> Item:
    """One article before the noun.

    Args:
        articles: masculine, feminine, elided (or nothing), plural.
    """
    masculine, feminine, elided, plural = articles
    is_elided = bool(elided) and noun in ELIDED
    key = elided if is_elided else feminine if noun.is_feminine else masculine
    gendered = (feminine, masculine) if noun.is_feminine else (masculine, feminine)
    wrong = [
        (_ELISION if is_elided else _OTHER_GENDER).gives(draw, gendered[0]),
        (_ELISION if is_elided else _OTHER_GENDER).gives(draw, gendered[1]),
        *([_NEEDLESS_ELISION.gives(draw, elided)] if elided and not is_elided else []),
        _ARTICLE_NUMBER.gives(draw, plural),
    ]
    written = f"{key}{noun.text}" if is_elided else f"{key} {noun.text}"
    return draw.choice(
        draw.say(
            f"Quel article va devant ce nom ? « … {noun.text} »",
            f"Which article goes before this noun? « … {noun.text} »",
        ),
        key=key,
        wrong=wrong,
        hints=[
            draw.say(
                "Essaie avec « petit » et « petite » : que dit-on ?",
                "Try « petit » and « petite »: which one does one say?",
            ),
            draw.say(
                "Par quel son commence-t-il ?",
                "Which sound does it begin with?",
            ),
        ],
        steps=[
            _explain_gender(draw, noun, is_elided=is_elided),
            draw.say(f"On écrit « {written} ».", f"We write « {written} »."),
        ],
    )


def _explain_gender(draw: Draw, noun: Noun, *, is_elided: bool) -> str:
    if is_elided:
        return draw.say(
            f"« {noun.text} » commence par le son d'une voyelle : l'article devient « l' ».",
            f"« {noun.text} » begins with the sound of a vowel: the article becomes « l' ».",
        )
    gender = draw.say("masculin", "masculine")
    if noun.is_feminine:
        gender = draw.say("féminin", "feminine")
    aspirated = draw.say(", et son h est aspiré", ", and its h is aspirated")
    end = aspirated if noun in _ASPIRATED else ""
    return draw.say(
        f"« {noun.text} » est un nom {gender}{end}.", f"« {noun.text} » is a {gender} noun{end}."
    )


PLACES: Final = (
    *_nouns("marché stade village champ puits dispensaire bureau garage port", is_feminine=False),
    *_nouns("boutique mosquée maison gare plage mairie pharmacie rivière fête", is_feminine=True),
    *_nouns("hôpital atelier aéroport", is_feminine=False),
    *_nouns("école église usine ambassade", is_feminine=True),
)
_PLURAL_PLACES: Final = ("champs", "urgences", "toilettes", "Comores", "États-Unis")
_GOING: Final = ("Awa va …", "Nous allons …", "Mes amis sont …", "Issa retourne …", "Je reste …")
_COMING: Final = (
    "Awa revient …",
    "Nous venons …",
    "Issa rentre …",
    "Je reviens …",
    "Elle arrive …",
)


def _ask_contraction(draw: Draw) -> Item:
    """à or de with the article of a place."""
    goes = draw.one_of((True, False))
    opening = draw.one_of(_GOING if goes else _COMING)
    if draw.between(1, 5) == 1:
        place, key = draw.one_of(_PLURAL_PLACES), "aux" if goes else "des"
    else:
        noun = draw.one_of(PLACES)
        place, key = noun.text, _contract(noun, goes=goes)
    word = "à" if goes else "de"
    wrong = _contraction_mistakes(draw, key, goes=goes)
    written = f"{key}{place}" if key.endswith("'") else f"{key} {place}"
    return draw.choice(
        draw.say(f"Complète : « {opening} {place}. »", f"Complete: « {opening} {place}. »"),
        key=key,
        wrong=wrong,
        hints=[
            draw.say(
                f"« {place} » : masculin ou féminin, singulier ou pluriel ?",
                f"« {place} »: masculine or feminine, singular or plural?",
            ),
            draw.say(
                "Devant un masculin ou un pluriel, le petit mot et l'article se contractent ; "
                "devant une voyelle, il y a une apostrophe.",
                "Before a masculine or plural noun, the preposition and the article contract; "
                "before a vowel there is an apostrophe.",
            ),
        ],
        steps=[
            draw.say(
                f"Il faut « {word} » et l'article de « {place} ».",
                f"It takes « {word} » and the article of « {place} ».",
            ),
            f"« {opening.removesuffix('…')}**{written}**. »",
        ],
    )


def _contraction_mistakes(draw: Draw, key: str, *, goes: bool) -> list[Wrong]:
    word, contracted, plural = ("à", "au", "aux") if goes else ("de", "du", "des")
    if key == plural:
        return [
            _CONTRACTION.gives(draw, f"{word} les"),
            _ARTICLE_NUMBER.gives(draw, f"{word} la"),
            _ARTICLE_NUMBER.gives(draw, contracted),
        ]
    gender = _ELISION if key.endswith("'") else _OTHER_GENDER
    return [
        _CONTRACTION.gives(draw, f"{word} le"),
        gender.gives(draw, f"{word} la"),
        gender.gives(draw, contracted),
        _ARTICLE_NUMBER.gives(draw, plural),
    ]


def _contract(noun: Noun, *, goes: bool) -> str:
    word = "à" if goes else "de"
    if noun.text[0] in "aeéiohu":
        return f"{word} l'"
    if noun.is_feminine:
        return f"{word} la"
    return "au" if goes else "du"
