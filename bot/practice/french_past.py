"""The French passé composé: its auxiliary in CM2, the agreement of the participle in 6e."""

from __future__ import annotations

from typing import Final, NamedTuple

from bot.practice.generator import Draw, Item, Wrong, generates

AVOIR: Final = ("ai", "as", "a", "avons", "avez", "ont")
ETRE: Final = ("suis", "es", "est", "sommes", "êtes", "sont")


class Subject(NamedTuple):
    """Who did it: person of the verb, gender and number of the participle."""

    text: str
    person: int
    is_feminine: bool
    is_plural: bool


_NAMED: Final = (
    Subject("Awa", 2, is_feminine=True, is_plural=False),
    Subject("Moussa", 2, is_feminine=False, is_plural=False),
    Subject("ma tante", 2, is_feminine=True, is_plural=False),
    Subject("le facteur", 2, is_feminine=False, is_plural=False),
    Subject("les filles", 5, is_feminine=True, is_plural=True),
    Subject("mes cousins", 5, is_feminine=False, is_plural=True),
    Subject("Fatou et Mariam", 5, is_feminine=True, is_plural=True),
    Subject("Awa et Issa", 5, is_feminine=False, is_plural=True),
    Subject("elle", 2, is_feminine=True, is_plural=False),
    Subject("ils", 5, is_feminine=False, is_plural=True),
    Subject("elles", 5, is_feminine=True, is_plural=True),
)
_ALL: Final = (
    *_NAMED,
    Subject("tu", 1, is_feminine=False, is_plural=False),
    Subject("nous", 3, is_feminine=False, is_plural=True),
    Subject("vous", 4, is_feminine=False, is_plural=True),
)


class Action(NamedTuple):
    """A participle (masculine singular), and what follows it in the sentence."""

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
    Action("reparti", ("à pied", "avec Issa")),
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
"""Verbs with être where a place follows (the first), with avoir where an object does."""
_REFLEXIVE: Final = (
    Action("levé", ("tôt",)),
    Action("lavé", ("à la rivière",)),
    Action("couché", ("tard",)),
    Action("réveillé", ("avant l'aube",)),
    Action("promené", ("au bord du fleuve",)),
    Action("habillé", ("en blanc",)),
)


def agree(participle: str, *, is_feminine: bool, is_plural: bool) -> str:
    """The participle in this gender and number; one that ends in `s` keeps it."""
    form = participle + ("e" if is_feminine else "")
    return form if not is_plural or form.endswith("s") else f"{form}s"


def _capitalise(text: str) -> str:
    return text[0].upper() + text[1:]


@generates("french.past-auxiliary", "CM2")
def past_auxiliary(draw: Draw) -> Item:
    """With named people, then with every person, then verbs that take both, and reflexive ones."""
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
    key = auxiliary[subject.person]
    other = AVOIR if auxiliary is ETRE else ETRE
    participle = action.participle
    if auxiliary is ETRE:
        participle = agree(participle, is_feminine=subject.is_feminine, is_plural=subject.is_plural)
    end = f"{participle} {action.rest[0]}."
    start = _capitalise(subject.text) + (" s'" if mistake == "reflexive-verb" else " ")
    confused = (2, 2, 5, 5, 3, 2)[subject.person]
    exercise = draw.exercise(
        "ask_auxiliary",
        start=start,
        end=end,
        v1=_auxiliary_hints(draw, mistake),
        explain_auxiliary_auxiliary_mistake=_explain_auxiliary(draw, auxiliary, mistake),
    )
    return exercise.choice(
        key,
        (other[subject.person], mistake),
        (auxiliary[confused], "person"),
        (other[confused], "person-and-auxiliary"),
    )


def _auxiliary_hints(draw: Draw, mistake: str) -> list[str]:
    if mistake == "reflexive-verb":
        rule = draw.say(
            "Les verbes pronominaux (se laver, se lever) ont tous le même auxiliaire.",
            "Reflexive verbs (se laver, se lever) all take the same auxiliary.",
        )
    elif mistake == "look-for-object":
        rule = draw.say(
            "Pose la question « quoi ? » : avec un complément d'objet direct, ce verbe change "
            "d'auxiliaire.",
            "Ask “what?”: with direct objects, this verb changes its auxiliary.",
        )
    else:
        rule = draw.say(
            "Aller, venir, partir, arriver, naître, tomber, rester… prennent « être » ; la "
            "plupart des verbes prennent « avoir ».",
            "Aller, venir, partir, arriver, naître, tomber, rester… take « être »; most verbs take "
            "« avoir ».",
        )
    return [
        rule,
        draw.say(
            "Puis accorde l'auxiliaire avec le sujet.",
            "Then make the auxiliary agree with the subject.",
        ),
    ]


def _explain_auxiliary(draw: Draw, auxiliary: tuple[str, ...], mistake: str) -> str:
    if mistake == "reflexive-verb":
        return draw.say(
            "Un verbe pronominal se conjugue avec « être ».",
            "A reflexive verb is conjugated with « être ».",
        )
    if mistake == "look-for-object" and auxiliary is AVOIR:
        return draw.say(
            "Il y a un complément d'objet direct : l'auxiliaire est « avoir ».",
            "There is a direct object: the auxiliary is « avoir ».",
        )
    if auxiliary is AVOIR:
        return draw.say(
            "Ce verbe se conjugue avec « avoir ».", "This verb is conjugated with « avoir »."
        )
    return draw.say(
        "Ce verbe se conjugue ici avec « être ».", "Here this verb is conjugated with « être »."
    )


OBJECTS: Final = (
    ("les mangues", "cueilli", True, True),
    ("la robe", "acheté", True, False),
    ("les lettres", "reçu", True, True),
    ("le livre", "lu", False, False),
    ("les poissons", "vendu", False, True),
    ("la sauce", "préparé", True, False),
    ("les photos", "pris", True, True),
    ("la lettre", "écrit", True, False),
    ("les cahiers", "rangé", False, True),
    ("la porte", "ouvert", True, False),
    ("les chansons", "appris", True, True),
    ("le poulet", "mangé", False, False),
    ("les arbres", "planté", False, True),
    ("les histoires", "raconté", True, True),
)
"""A thing, the participle of what was done with it, whether it is feminine, and plural."""
_AGENTS: Final = ("que Moussa a", "qu'Awa a", "que nous avons", "que j'ai", "que mes parents ont")


@generates("french.participle-agreement", "6e")
def participle_agreement(draw: Draw) -> Item:
    """With être, then with être or avoir, then with an object before avoir, typed."""
    if draw.difficulty > 2:
        return _agree_with_object(draw)
    with_etre = draw.difficulty == 1 or draw.one_of((True, False))
    action = draw.one_of(WITH_ETRE if with_etre else WITH_AVOIR)
    subject = draw.one_of([each for each in _NAMED if each.is_feminine or each.is_plural])
    return _agree_with_subject(draw, action, subject, with_etre=with_etre)


def _forms(participle: str) -> dict[tuple[bool, bool], str]:
    """The participle by gender and number: feminine? plural?"""
    return {
        (feminine, plural): agree(participle, is_feminine=feminine, is_plural=plural)
        for feminine in (False, True)
        for plural in (False, True)
    }


def _agree_with_subject(draw: Draw, action: Action, subject: Subject, *, with_etre: bool) -> Item:
    forms = _forms(action.participle)
    gender, number = subject.is_feminine, subject.is_plural
    plain, agreed = forms[False, False], forms[gender, number]
    if with_etre:
        key = agreed
        wrong = [
            (plain, "no-agreement"),
            (forms[gender, not number], "wrong-number"),
            (forms[not gender, number], "wrong-gender"),
            (forms[not gender, not number], "wrong-gender"),
        ]
    else:
        key = plain
        wrong = [
            (agreed, "agrees-with-subject"),
            (forms[True, False], "needless"),
            (forms[False, True], "needless"),
            (forms[True, True], "needless"),
        ]
    auxiliary = (ETRE if with_etre else AVOIR)[subject.person]

    end = f" {draw.one_of(action.rest)}."
    exercise = draw.exercise(
        "agree_with_subject",
        capitalise_subject_text=_capitalise(subject.text),
        auxiliary=auxiliary,
        end=end,
        v1=_agreement_hints(draw),
        with_etre=with_etre,
        subject=subject,
    )
    return exercise.choice(key, *wrong)


def _agreement_hints(draw: Draw) -> list[str]:
    return [
        draw.say(
            "Quel est l'auxiliaire : « être » ou « avoir » ?",
            "Which auxiliary is it: « être » or « avoir »?",
        ),
        draw.say(
            "Avec « être », on accorde avec le sujet ; avec « avoir », seulement avec un "
            "complément d'objet direct placé avant.",
            "With « être », agree with the subject; with « avoir », only with a direct object that "
            "comes before.",
        ),
    ]


def _agree_with_object(draw: Draw) -> Item:
    thing, participle, gender, number = draw.one_of(OBJECTS)
    who = draw.one_of(_AGENTS)
    forms = _forms(participle)
    key = forms[gender, number]

    infinitive = _INFINITIVES[participle]
    exercise = draw.exercise(
        "agree_with_object",
        capitalise_thing=_capitalise(thing),
        who=who,
        infinitive=infinitive,
        v1=_agreement_hints(draw),
        thing=thing,
    )
    return exercise.open(
        key, *_object_mistakes(forms, infinitive, gender=gender, number=number), kind="text"
    )


def _object_mistakes(
    forms: dict[tuple[bool, bool], str], infinitive: str, *, gender: bool, number: bool
) -> list[Wrong]:
    return [
        (forms[False, False], "no-agreement"),
        (forms[gender, not number], "wrong-number"),
        (forms[not gender, number], "wrong-gender"),
        (infinitive, "infinitive"),
    ]


_INFINITIVES: Final = {
    "cueilli": "cueillir",
    "acheté": "acheter",
    "reçu": "recevoir",
    "lu": "lire",
    "vendu": "vendre",
    "préparé": "préparer",
    "pris": "prendre",
    "écrit": "écrire",
    "rangé": "ranger",
    "ouvert": "ouvrir",
    "appris": "apprendre",
    "mangé": "manger",
    "planté": "planter",
    "raconté": "raconter",
}
