"""Agreement of French adjectives, in CM1."""

from __future__ import annotations

from typing import Final, NamedTuple

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.misconceptions import Mistake


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
    """Who or what is described."""

    text: str
    is_feminine: bool
    is_plural: bool


def _regular(*masculines: str) -> tuple[Adjective, ...]:
    """Adjectives that take -e and -s."""
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

_THINGS: Final = (
    Subject("la corbeille", is_feminine=True, is_plural=False),
    Subject("cette natte", is_feminine=True, is_plural=False),
    Subject("ma valise", is_feminine=True, is_plural=False),
    Subject("les calebasses", is_feminine=True, is_plural=True),
    Subject("ces pierres", is_feminine=True, is_plural=True),
    Subject("les planches", is_feminine=True, is_plural=True),
    Subject("les paniers", is_feminine=False, is_plural=True),
    Subject("ces murs", is_feminine=False, is_plural=True),
    Subject("mes sacs", is_feminine=False, is_plural=True),
    Subject("les outils", is_feminine=False, is_plural=True),
)
_PEOPLE: Final = (
    Subject("Awa", is_feminine=True, is_plural=False),
    Subject("ma sœur", is_feminine=True, is_plural=False),
    Subject("la maîtresse", is_feminine=True, is_plural=False),
    Subject("les filles", is_feminine=True, is_plural=True),
    Subject("mes tantes", is_feminine=True, is_plural=True),
    Subject("les garçons", is_feminine=False, is_plural=True),
    Subject("mes cousins", is_feminine=False, is_plural=True),
    Subject("les joueurs", is_feminine=False, is_plural=True),
)
_PAIRS: Final = (
    Subject("Awa et Fatou", is_feminine=True, is_plural=True),
    Subject("ma sœur et ma cousine", is_feminine=True, is_plural=True),
    Subject("Moussa et Awa", is_feminine=False, is_plural=True),
    Subject("mon père et ma mère", is_feminine=False, is_plural=True),
    Subject("Issa et Ibrahim", is_feminine=False, is_plural=True),
    Subject("la fille et son frère", is_feminine=False, is_plural=True),
)

_AS_GIVEN: Final = Mistake(
    "accord oublié",
    "agreement forgotten",
    "L'adjectif est resté tel quel. Avec quel nom doit-il s'accorder ?",
    "The adjective stayed as it was. Which noun must it agree with?",
)
_NUMBER: Final = Mistake(
    "nombre",
    "number",
    "Le genre convient. Parle-t-on d'un seul ou de plusieurs ?",
    "The gender is right. Is it about one or about several?",
)
_GENDER: Final = Mistake(
    "genre",
    "gender",
    "Le nombre convient. De qui ou de quoi parle-t-on : masculin ou féminin ?",
    "The number is right. Who or what is it about: masculine or feminine?",
)
_BOTH: Final = Mistake(
    "genre et nombre",
    "gender and number",
    "Revois deux choses : le genre et le nombre du sujet.",
    "Check two things: the gender and the number of the subject.",
)
_MADE_UP: Final = Mistake(
    "féminin irrégulier",
    "irregular feminine",
    "Cet adjectif ne prend pas simplement un -e. Dis-le à voix haute au féminin.",
    "This adjective does not simply take -e. Say it aloud in the feminine.",
)


@generates("french.agree-adjective", "CM1")
def agree_adjective(draw: Draw) -> Item:
    """Regular adjectives, then irregular ones, then pairs, colours that stay and bel, typed."""
    if draw.difficulty > 2:
        return draw.one_of((_agree_with_pair, _agree_with_pair, _agree_colour, _agree_before_noun))(
            draw
        )
    is_person = draw.one_of((True, False))
    adjectives = (
        (OF_PEOPLE if is_person else OF_THINGS)
        if draw.difficulty == 1
        else (IRREGULAR_PEOPLE if is_person else IRREGULAR_THINGS)
    )
    return _agree_with_subject(
        draw, draw.one_of(adjectives), draw.one_of(_PEOPLE if is_person else _THINGS)
    )


def _gap(subject: Subject, masculine: str) -> tuple[str, str]:
    """The start of the sentence, and the gap with the adjective to put into it."""
    verb = "sont" if subject.is_plural else "est"
    start = f"{subject.text[0].upper()}{subject.text[1:]} {verb} "
    return start, f"« {start}… ({masculine}) »"


def _ask(draw: Draw, gap: str) -> str:
    return draw.say(f"Accorde l'adjectif : {gap}", f"Make the adjective agree: {gap}")


def _agree_with_subject(draw: Draw, adjective: Adjective, subject: Subject) -> Item:
    start, gap = _gap(subject, adjective.masculine)
    key = adjective.form(is_feminine=subject.is_feminine, is_plural=subject.is_plural)
    return draw.choice(
        _ask(draw, gap),
        key=key,
        wrong=_agreement_mistakes(draw, adjective, subject),
        hints=_agreement_hints(draw, subject),
        steps=_agreement_steps(draw, subject, f"« {start}**{key}**. »"),
    )


def _agreement_mistakes(draw: Draw, adjective: Adjective, subject: Subject) -> list[Wrong]:
    feminine, plural = subject.is_feminine, subject.is_plural
    made_up = adjective.made_up and adjective.made_up + ("s" if plural else "")
    return [
        *([_MADE_UP.gives(draw, made_up)] if made_up and feminine else []),
        _AS_GIVEN.gives(draw, adjective.masculine),
        _NUMBER.gives(draw, adjective.form(is_feminine=feminine, is_plural=not plural)),
        _GENDER.gives(draw, adjective.form(is_feminine=not feminine, is_plural=plural)),
        _BOTH.gives(draw, adjective.form(is_feminine=not feminine, is_plural=not plural)),
    ]


def _agreement_hints(draw: Draw, subject: Subject) -> list[str]:
    return [
        draw.say(
            f"L'adjectif parle de « {subject.text} ».",
            f"The adjective is about « {subject.text} ».",
        ),
        draw.say(
            "Remplace le sujet par il, elle, ils ou elles.",
            "Put il, elle, ils or elles in place of the subject.",
        ),
    ]


def _agreement_steps(draw: Draw, subject: Subject, sentence: str) -> list[str]:
    feminine, masculine = draw.say("féminin", "feminine"), draw.say("masculin", "masculine")
    gender = feminine if subject.is_feminine else masculine
    number = (
        draw.say("pluriel", "plural") if subject.is_plural else draw.say("singulier", "singular")
    )
    return [
        draw.say(
            f"« {subject.text} » : {gender} {number}.", f"« {subject.text} »: {gender} {number}."
        ),
        draw.say("La phrase : ", "The sentence: ") + sentence,
    ]


def _agree_with_pair(draw: Draw) -> Item:
    """Two people: masculine as soon as one of them is."""
    subject = draw.one_of(_PAIRS)
    changing = [
        each
        for each in (*OF_PEOPLE, *IRREGULAR_PEOPLE)
        if subject.is_feminine or each.masculine_plural != each.masculine
    ]
    adjective = draw.one_of(changing)
    start, gap = _gap(subject, adjective.masculine)
    key = adjective.form(is_feminine=subject.is_feminine, is_plural=True)
    return draw.open(
        _ask(draw, gap),
        kind="text",
        key=key,
        wrong=_agreement_mistakes(draw, adjective, subject),
        hints=[
            draw.say(
                f"L'adjectif parle de deux personnes : « {subject.text} ».",
                f"The adjective is about two people: « {subject.text} ».",
            ),
            draw.say(
                "Dès qu'il y a un masculin dans le groupe, on accorde au masculin.",
                "As soon as one of the group is masculine, the agreement is masculine.",
            ),
        ],
        steps=_agreement_steps(draw, subject, f"« {start}**{key}**. »"),
    )


_COLOURS: Final = ("marron", "orange", "kaki", "turquoise", "vert foncé", "bleu clair")
"""Colours that never change: nouns, and colours of two words."""
_COLOURED: Final = ("les chaussures", "ces robes", "les voitures", "mes chemises", "les pirogues")
_NEVER_CHANGES: Final = Mistake(
    "couleur accordée",
    "colour made to agree",
    "D'où vient ce mot de couleur ? Toutes les couleurs s'accordent-elles ?",
    "Where does this colour word come from? Do all colours agree?",
)


def _agree_colour(draw: Draw) -> Item:
    colour, thing = draw.one_of(_COLOURS), draw.one_of(_COLOURED)
    subject = Subject(thing, is_feminine=True, is_plural=True)
    start, gap = _gap(subject, colour)
    first, _, second = colour.partition(" ")
    agreed = (
        [f"{first}es {second}es", f"{first}s {second}s", f"{first}es {second}"]
        if second
        else [f"{first}s"]
    )
    return draw.choice(
        _ask(draw, gap),
        key=colour,
        wrong=[_NEVER_CHANGES.gives(draw, each) for each in agreed],
        hints=[
            draw.say(
                "Attention : certains mots de couleur sont des noms, ou font deux mots.",
                "Careful: some colour words are nouns, or are made of two words.",
            ),
            draw.say("Ceux-là sont invariables.", "Those never change."),
        ],
        steps=[
            draw.say(
                "Un nom employé comme couleur, ou une couleur de deux mots, est invariable.",
                "A noun used as a colour, or a colour of two words, never changes.",
            ),
            draw.say("La phrase : ", "The sentence: ") + f"« {start}**{colour}**. »",
        ],
    )


BEFORE_NOUN: Final = (
    ("beau", "bel", "belle"),
    ("nouveau", "nouvel", "nouvelle"),
    ("vieux", "vieil", "vieille"),
)
"""Before a consonant, before a masculine noun with a vowel, feminine."""
_NOUNS: Final = (
    *((noun, 1) for noun in ("arbre", "oiseau", "homme", "avion", "hôtel", "outil", "ami")),
    *((noun, 2) for noun in ("école", "amie", "horloge", "orange", "église")),
)
_VOWEL: Final = Mistake(
    "forme devant une voyelle",
    "form before a vowel",
    "Dis l'adjectif et le nom d'un trait : la liaison sonne-t-elle bien ?",
    "Say the adjective and the noun in one breath: does the link sound right?",
)


def _agree_before_noun(draw: Draw) -> Item:
    """beau, nouveau, vieux in front of a noun."""
    forms, (noun, place) = draw.one_of(BEFORE_NOUN), draw.one_of(_NOUNS)
    article = "une" if place == 2 else "un"
    key = forms[place]
    return draw.open(
        _ask(draw, f"« C'est {article} … {noun}. ({forms[0]}) »"),
        kind="text",
        key=key,
        wrong=[
            (_GENDER if place == 2 else _VOWEL).gives(draw, forms[0]),
            (_VOWEL if place == 2 else _GENDER).gives(draw, forms[3 - place]),
        ],
        hints=[
            draw.say(
                f"« {noun} » est-il masculin ou féminin ? Par quel son commence-t-il ?",
                f"Is « {noun} » masculine or feminine? Which sound does it begin with?",
            ),
            draw.say(
                "Devant un nom masculin qui commence par une voyelle, cet adjectif a une forme "
                "à part.",
                "Before a masculine noun that begins with a vowel, this adjective has a form of "
                "its own.",
            ),
        ],
        steps=[
            draw.say(
                f"On dit « {key} » devant « {noun} ».", f"One says « {key} » before « {noun} »."
            ),
            f"« C'est {article} **{key}** {noun}. »",
        ],
    )
