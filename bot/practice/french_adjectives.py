"""Exercises on the agreement of French adjectives, in CM1."""

from __future__ import annotations

from typing import Final, NamedTuple

from bot.practice.generator import Draw, Item, Wrong, generates


class Adjective(NamedTuple):
    """The four forms of an adjective, and a feminine that learners make up."""

    masculine: str
    feminine: str
    masculine_plural: str
    feminine_plural: str
    made_up: str = ""

    def form(self, *, is_feminine: bool, is_plural: bool) -> str:
        if is_plural:
            return self.feminine_plural if is_feminine else self.masculine_plural
        return self.feminine if is_feminine else self.masculine


class Subject(NamedTuple):
    """The person or thing that the adjective describes."""

    text: str
    is_feminine: bool
    is_plural: bool


def _regular(*masculines: str) -> tuple[Adjective, ...]:
    """Return adjectives that take -e and -s."""
    return tuple(Adjective(each, f"{each}e", f"{each}s", f"{each}es") for each in masculines)


OF_THINGS: Final = (
    *_regular("petit", "grand", "vert", "noir", "lourd", "joli", "rond", "chaud", "bleu", "froid"),
    *_regular("brillant", "usé"),
)
OF_PEOPLE: Final = _regular("content", "fort", "grand", "petit", "prudent", "fatigué", "poli")
IRREGULAR_THINGS: Final = (
    Adjective("blanc", "blanche", "blancs", "blanches", "blance"),
    Adjective("long", "longue", "longs", "longues", "longe"),
    Adjective("neuf", "neuve", "neufs", "neuves", "neufe"),
    Adjective("sec", "sèche", "secs", "sèches", "sèce"),
    Adjective("bon", "bonne", "bons", "bonnes", "bone"),
    Adjective("ancien", "ancienne", "anciens", "anciennes", "anciene"),
    Adjective("léger", "légère", "légers", "légères", "légére"),
    Adjective("épais", "épaisse", "épais", "épaisses", "épaise"),
    Adjective("précieux", "précieuse", "précieux", "précieuses", "précieuxe"),
)
IRREGULAR_PEOPLE: Final = (
    Adjective("heureux", "heureuse", "heureux", "heureuses", "heureuxe"),
    Adjective("courageux", "courageuse", "courageux", "courageuses", "courageuxe"),
    Adjective("gentil", "gentille", "gentils", "gentilles", "gentile"),
    Adjective("actif", "active", "actifs", "actives", "actife"),
    Adjective("sportif", "sportive", "sportifs", "sportives", "sportife"),
    Adjective("attentif", "attentive", "attentifs", "attentives", "attentife"),
    Adjective("doux", "douce", "doux", "douces", "douxe"),
    Adjective("jaloux", "jalouse", "jaloux", "jalouses", "jalouxe"),
    Adjective("fier", "fière", "fiers", "fières", "fiere"),
    Adjective("inquiet", "inquiète", "inquiets", "inquiètes", "inquiette"),
    Adjective("travailleur", "travailleuse", "travailleurs", "travailleuses", "travailleure"),
    Adjective("rêveur", "rêveuse", "rêveurs", "rêveuses", "rêveure"),
    Adjective("loyal", "loyale", "loyaux", "loyales", "loyalle"),
)


def _list_subjects(texts: str, *, is_feminine: bool, is_plural: bool) -> list[Subject]:
    return [Subject(each, is_feminine, is_plural) for each in texts.split(", ")]


_THINGS: Final = (
    *_list_subjects("la corbeille, cette natte, ma valise", is_feminine=True, is_plural=False),
    *_list_subjects("les calebasses, ces pierres, les planches", is_feminine=True, is_plural=True),
    *_list_subjects("les paniers, ces murs, mes sacs", is_feminine=False, is_plural=True),
    *_list_subjects("les outils", is_feminine=False, is_plural=True),
)
_PEOPLE: Final = (
    *_list_subjects("Awa, ma sœur, la maîtresse", is_feminine=True, is_plural=False),
    *_list_subjects("les filles, mes tantes", is_feminine=True, is_plural=True),
    *_list_subjects("les garçons, mes cousins, les joueurs", is_feminine=False, is_plural=True),
)
_PAIRS: Final = (
    *_list_subjects("Awa et Fatou, ma sœur et ma cousine", is_feminine=True, is_plural=True),
    *_list_subjects("Moussa et Awa, mon père et ma mère", is_feminine=False, is_plural=True),
    *_list_subjects("Issa et Ibrahim, la fille et son frère", is_feminine=False, is_plural=True),
)


@generates("french.agree-adjective", "CM1")
def agree_adjective(draw: Draw) -> Item:
    """Ask for regular adjectives, then irregular ones, then pairs, fixed colours or bel, typed."""
    if draw.difficulty > 2:
        return draw.one_of((_agree_with_pair, _agree_with_pair, _agree_colour, _agree_before_noun))(
            draw
        )
    is_person = draw.flip()
    adjectives = (
        (OF_PEOPLE if is_person else OF_THINGS)
        if draw.difficulty == 1
        else (IRREGULAR_PEOPLE if is_person else IRREGULAR_THINGS)
    )
    return _agree_with_subject(
        draw, draw.one_of(adjectives), draw.one_of(_PEOPLE if is_person else _THINGS)
    )


def _agree_with_subject(draw: Draw, adjective: Adjective, subject: Subject) -> Item:
    exercise = draw.exercise("agree", subject=subject, adjective=adjective.masculine)
    key = adjective.form(is_feminine=subject.is_feminine, is_plural=subject.is_plural)
    return exercise.choice(key, *_agreement_mistakes(adjective, subject))


def _agreement_mistakes(adjective: Adjective, subject: Subject) -> list[Wrong]:
    feminine, plural = subject.is_feminine, subject.is_plural
    made_up = adjective.made_up and adjective.made_up + ("s" if plural else "")
    return [
        *([(made_up, "made-up")] if made_up and feminine else []),
        (adjective.masculine, "as-given"),
        (adjective.form(is_feminine=feminine, is_plural=not plural), "number"),
        (adjective.form(is_feminine=not feminine, is_plural=plural), "gender"),
        (adjective.form(is_feminine=not feminine, is_plural=not plural), "both"),
    ]


def _agree_with_pair(draw: Draw) -> Item:
    """Ask for the adjective of two people: masculine if one of them is."""
    subject = draw.one_of(_PAIRS)
    changing = [
        each
        for each in (*OF_PEOPLE, *IRREGULAR_PEOPLE)
        if subject.is_feminine or each.masculine_plural != each.masculine
    ]
    adjective = draw.one_of(changing)
    exercise = draw.exercise("agree_with_pair", subject=subject, adjective=adjective.masculine)
    key = adjective.form(is_feminine=subject.is_feminine, is_plural=True)
    return exercise.open(key, *_agreement_mistakes(adjective, subject), kind="text")


_COLOURS: Final = ("marron", "orange", "kaki", "turquoise", "vert foncé", "bleu clair")
"""Colours that never change: nouns, and colours of two words."""
_COLOURED: Final = ("les chaussures", "ces robes", "les voitures", "mes chemises", "les pirogues")


def _agree_colour(draw: Draw) -> Item:
    colour, thing = draw.one_of(_COLOURS), draw.one_of(_COLOURED)
    exercise = draw.exercise("agree_colour", thing=thing, colour=colour)
    first, _, second = colour.partition(" ")
    agreed = (
        [f"{first}es {second}es", f"{first}s {second}s", f"{first}es {second}"]
        if second
        else [f"{first}s"]
    )
    return exercise.choice(colour, *[(each, "never-changes") for each in agreed])


BEFORE_NOUN: Final = (
    ("beau", "bel", "belle"),
    ("nouveau", "nouvel", "nouvelle"),
    ("vieux", "vieil", "vieille"),
)
"""The form before a consonant, the one before a masculine noun with a vowel, and the feminine."""
_NOUNS: Final = (
    *((noun, 1) for noun in ("arbre", "oiseau", "homme", "avion", "hôtel", "outil", "ami")),
    *((noun, 2) for noun in ("école", "amie", "horloge", "orange", "église")),
)


def _agree_before_noun(draw: Draw) -> Item:
    """Ask for the form of beau, nouveau or vieux before a noun."""
    forms, (noun, place) = draw.one_of(BEFORE_NOUN), draw.one_of(_NOUNS)
    exercise = draw.exercise(
        "agree_before_noun", article="une" if place == 2 else "un", noun=noun, adjective=forms[0]
    )
    return exercise.open(
        forms[place],
        (forms[0], "gender" if place == 2 else "vowel"),
        (forms[3 - place], "masculine-form" if place == 2 else "gender"),
        kind="text",
    )
