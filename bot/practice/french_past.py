"""Exercises on the French passé composé: auxiliary in CM2, agreement of the participle in 6e."""

from __future__ import annotations

from typing import Final, NamedTuple

from bot.practice.generator import Draw, Item, generates

AVOIR: Final = ("ai", "as", "a", "avons", "avez", "ont")
ETRE: Final = ("suis", "es", "est", "sommes", "êtes", "sont")


class Subject(NamedTuple):
    """A subject, with the person of the verb, and gender and number of the participle."""

    text: str
    person: int
    is_feminine: bool
    is_plural: bool


def _subjects(person: int, text: str, *, is_feminine: bool = False) -> list[Subject]:
    return [Subject(each, person, is_feminine, person > 2) for each in text.split(", ")]


_NAMED: Final = (
    *_subjects(2, "Awa, ma tante, elle", is_feminine=True),
    *_subjects(2, "Moussa, le facteur"),
    *_subjects(5, "les filles, Fatou et Mariam, elles", is_feminine=True),
    *_subjects(5, "mes cousins, Awa et Issa, ils"),
)
_ALL: Final = (*_NAMED, *_subjects(1, "tu"), *_subjects(3, "nous"), *_subjects(4, "vous"))


class Action(NamedTuple):
    """A participle (masculine singular), and the words that may follow it."""

    participle: str
    rest: tuple[str, ...]


WITH_ETRE: Final = (
    Action("allé", ("au marché", "à l'école")),
    Action("arrivé", ("en retard", "ce matin")),
    Action("entré", ("dans la classe", "sans bruit")),
    Action("parti", ("en voyage", "au village")),
    Action("resté", ("à la maison", "sous l'arbre")),
    Action("revenu", ("de Dakar", "du champ")),
    Action("tombé", ("de vélo", "dans la cour")),
    Action("venu", ("à la fête", "avant midi")),
    Action("né", ("à Abidjan", "en juillet")),
    Action("reparti", ("à pied", "en taxi")),
    Action("retourné", ("à Ouagadougou", "à l'hôpital")),
)
WITH_AVOIR: Final = (
    Action("mangé", ("du riz", "des bananes")),
    Action("acheté", ("du poisson", "une natte")),
    Action("couru", ("très vite", "vers le stade")),
    Action("dormi", ("sous l'arbre", "longtemps")),
    Action("fini", ("le repas", "les devoirs")),
    Action("vendu", ("des arachides", "deux poules")),
    Action("pris", ("le bus", "un parapluie")),
    Action("vu", ("un lion", "le fleuve")),
    Action("marché", ("longtemps", "sur la piste")),
    Action("chanté", ("une chanson", "à la fête")),
    Action("préparé", ("le thé", "la sauce")),
    Action("lu", ("une histoire", "la lettre")),
)
_EITHER: Final = (
    Action("sorti", ("de la classe", "les chaises")),
    Action("monté", ("sur la colline", "les valises")),
    Action("descendu", ("du car", "les sacs de riz")),
    Action("rentré", ("à la maison", "le linge")),
    Action("retourné", ("au village", "les crêpes")),
)
"""Verbs with être if a place follows (the first complement), with avoir if an object does."""
_REFLEXIVE: Final = (
    *(Action("levé", ("tôt",)), Action("lavé", ("à la rivière",)), Action("couché", ("tard",))),
    Action("réveillé", ("avant l'aube",)),
    Action("promené", ("au bord du fleuve",)),
    Action("habillé", ("en blanc",)),
)


def agree(participle: str, *, is_feminine: bool, is_plural: bool) -> str:
    """Return the participle in this gender and number; one that ends in `s` keeps it."""
    form = participle + ("e" if is_feminine else "")
    return form if not is_plural or form.endswith("s") else f"{form}s"


@generates("french.past-auxiliary", "CM2")
def past_auxiliary(draw: Draw) -> Item:
    """Ask for the auxiliary: of named people, then any, then verbs that take both or reflexive."""
    subject = draw.one_of(_NAMED if draw.difficulty == 1 else _ALL)
    auxiliary, mistake = draw.one_of((ETRE, AVOIR)), "takes-other"
    action = draw.one_of(WITH_ETRE if auxiliary is ETRE else WITH_AVOIR)
    rest = draw.one_of(action.rest)
    if draw.difficulty > 2 and draw.between(1, 3) == 1:
        auxiliary, mistake = ETRE, "reflexive-verb"
        subject = draw.one_of([each for each in _NAMED if not each.is_plural])
        action = draw.one_of(_REFLEXIVE)
        rest = action.rest[0]
    elif draw.difficulty > 2:
        action, mistake = draw.one_of(_EITHER), "look-for-object"
        rest = action.rest[0 if auxiliary is ETRE else 1]
    return _ask_auxiliary(draw, subject, auxiliary, Action(action.participle, (rest,)), mistake)


def _ask_auxiliary(
    draw: Draw, subject: Subject, auxiliary: tuple[str, ...], action: Action, mistake: str
) -> Item:
    other = AVOIR if auxiliary is ETRE else ETRE
    participle = action.participle
    if auxiliary is ETRE:
        participle = agree(participle, is_feminine=subject.is_feminine, is_plural=subject.is_plural)
    confused = (2, 2, 5, 5, 3, 2)[subject.person]
    exercise = draw.exercise(
        "choose_auxiliary",
        start=subject.text + (" s'" if mistake == "reflexive-verb" else " "),
        end=f"{participle} {action.rest[0]}.",
        mistake=mistake,
        with_avoir=auxiliary is AVOIR,
    )
    return exercise.choice(
        auxiliary[subject.person],
        (other[subject.person], mistake),
        (auxiliary[confused], "person"),
        (other[confused], "person-and-auxiliary"),
    )


OBJECTS: Final = (
    ("les mangues", "cueilli", "cueillir", True, True),
    ("la robe", "acheté", "acheter", True, False),
    ("les lettres", "reçu", "recevoir", True, True),
    ("le livre", "lu", "lire", False, False),
    ("les poissons", "vendu", "vendre", False, True),
    ("la sauce", "préparé", "préparer", True, False),
    ("les photos", "pris", "prendre", True, True),
    ("la lettre", "écrit", "écrire", True, False),
    ("les cahiers", "rangé", "ranger", False, True),
    ("la porte", "ouvert", "ouvrir", True, False),
    ("les chansons", "appris", "apprendre", True, True),
    ("le poulet", "mangé", "manger", False, False),
    ("les arbres", "planté", "planter", False, True),
    ("les histoires", "raconté", "raconter", True, True),
)
"""A thing, a participle and its verb, whether the thing is feminine, and whether it is plural."""
_AGENTS: Final = ("que Moussa a", "qu'Awa a", "que nous avons", "que j'ai", "que mes parents ont")


@generates("french.participle-agreement", "6e")
def participle_agreement(draw: Draw) -> Item:
    """Ask for the agreement with être, then with avoir too, then with an object before it,
    typed."""
    if draw.difficulty > 2:
        return _agree_with_object(draw)
    with_etre = draw.difficulty == 1 or draw.flip()
    action = draw.one_of(WITH_ETRE if with_etre else WITH_AVOIR)
    subject = draw.one_of([each for each in _NAMED if each.is_feminine or each.is_plural])
    return _agree_with_subject(draw, action, subject, with_etre=with_etre)


def _forms(participle: str) -> dict[tuple[bool, bool], str]:
    """Return the forms of the participle by (is feminine, is plural)."""
    return {
        (feminine, plural): agree(participle, is_feminine=feminine, is_plural=plural)
        for feminine in (False, True)
        for plural in (False, True)
    }


def _agree_with_subject(draw: Draw, action: Action, subject: Subject, *, with_etre: bool) -> Item:
    forms = _forms(action.participle)
    gender, number = subject.is_feminine, subject.is_plural
    plain, agreed = forms[False, False], forms[gender, number]
    exercise = draw.exercise(
        "agree_with_subject",
        subject=subject.text,
        auxiliary=(ETRE if with_etre else AVOIR)[subject.person],
        rest=draw.one_of(action.rest),
        with_etre=with_etre,
    )
    if with_etre:
        return exercise.choice(
            agreed,
            (plain, "no-agreement"),
            (forms[gender, not number], "wrong-number"),
            (forms[not gender, number], "wrong-gender"),
            (forms[not gender, not number], "wrong-twice"),
        )
    return exercise.choice(
        plain,
        (agreed, "agrees-with-subject"),
        (forms[True, False], "needless"),
        (forms[False, True], "needless"),
        (forms[True, True], "needless"),
    )


def _agree_with_object(draw: Draw) -> Item:
    thing, participle, infinitive, gender, number = draw.one_of(OBJECTS)
    agent = draw.one_of(_AGENTS)
    forms = _forms(participle)
    return draw.exercise("agree_with_object", thing=thing, agent=agent, infinitive=infinitive).open(
        forms[gender, number],
        (forms[False, False], "no-agreement"),
        (forms[gender, not number], "wrong-number"),
        (forms[not gender, number], "wrong-gender"),
        (infinitive, "infinitive"),
        kind="text",
    )
