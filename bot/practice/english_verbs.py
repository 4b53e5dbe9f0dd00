"""English verbs for learners who speak French: the present with -s in 6e, the past in 5e."""

from __future__ import annotations

from typing import Final, NamedTuple

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.misconceptions import Mistake


class Subject(NamedTuple):
    """Who does it, and whether the verb takes -s."""

    text: str
    is_third: bool


_THIRD: Final = tuple(
    Subject(text, is_third=True)
    for text in ("Awa", "my brother", "she", "he", "the teacher", "my friend", "the dog")
)
_OTHERS: Final = tuple(
    Subject(text, is_third=False)
    for text in ("I", "you", "we", "they", "my parents", "Awa and Issa", "the children")
)
_NO_DOG: Final = tuple(each for each in (*_THIRD, *_OTHERS) if each.text != "the dog")

REGULAR: Final = {
    "play": ("football", "in the yard"),
    "work": ("on the farm", "every day"),
    "read": ("a book", "the newspaper"),
    "speak": ("three languages", "English"),
    "live": ("in Accra", "near the river"),
    "drink": ("water", "milk"),
    "like": ("mangoes", "music"),
    "walk": ("to school", "to the market"),
    "help": ("the neighbours", "at home"),
    "sell": ("yams", "fish"),
    "write": ("letters", "with a blue pen"),
    "cook": ("rice", "in the evening"),
    "enjoy": ("music", "school"),
    "buy": ("bread", "oranges"),
}
SPELLING: Final = {
    "watch": ("a film", "the match"),
    "wash": ("the plates", "the clothes"),
    "teach": ("English", "at the school"),
    "brush": ("the horse", "the floor"),
    "fix": ("bicycles", "old radios"),
    "carry": ("water", "the bags"),
    "study": ("maths", "at night"),
    "fly": ("a kite", "to Dakar"),
    "try": ("hard", "again"),
    "cry": ("often", "at night"),
    "go": ("to school", "to the market"),
    "do": ("the homework", "the shopping"),
    "have": ("a bicycle", "two sisters"),
    "pass": ("the shop", "the ball"),
    "mix": ("the paint", "the flour"),
    "hurry": ("to school", "home"),
}
_THIRD_FORMS: Final = {"have": "has", "go": "goes", "do": "does"}


def third_person(verb: str) -> str:
    """The form for he, she and it."""
    if verb in _THIRD_FORMS:
        return _THIRD_FORMS[verb]
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "x", "ch", "sh")) else f"{verb}s"


def ing_form(verb: str) -> str:
    """The form in -ing of the verbs here."""
    return f"{verb[:-1]}ing" if verb.endswith("e") else f"{verb}ing"


_NO_S: Final = Mistake(
    "-s oublié",
    "-s forgotten",
    "Qui fait l'action ? Remplace le sujet par he, she, it ou they.",
    "Who does it? Put he, she, it or they in place of the subject.",
)
_NEEDLESS_S: Final = Mistake(
    "-s sans raison",
    "needless -s",
    "Avec quels sujets met-on un -s ? Le sujet d'ici en fait-il partie ?",
    "Which subjects take -s? Is this one of them?",
)
_ING: Final = Mistake(
    "-ing sans auxiliaire",
    "-ing without auxiliary",
    "La forme en -ing a besoin de am, is ou are devant elle.",
    "The form in -ing needs am, is or are before it.",
)
_SPELLING: Final = Mistake(
    "orthographe de la terminaison",
    "spelling of the ending",
    "Regarde la fin du verbe : certaines terminaisons changent l'orthographe.",
    "Look at the end of the verb: some endings change the spelling.",
)
_TO: Final = Mistake(
    "infinitif avec to",
    "infinitive with to",
    "« to » ne se met pas devant un verbe conjugué.",
    "“to” does not go before a verb that has its own subject.",
)


def _quote(draw: Draw, sentence: str) -> str:
    return draw.say(f"« {sentence} »", f"“{sentence}”")


def _capitalise(text: str) -> str:
    return text[0].upper() + text[1:]


@generates("english.present-simple-s", "6e")
def present_simple_s(draw: Draw) -> Item:
    """Regular verbs, then those whose ending changes, then questions and negations."""
    if draw.difficulty > 2:
        return _ask_auxiliary(draw)
    verbs = REGULAR if draw.difficulty == 1 else SPELLING
    verb = draw.one_of(tuple(verbs))
    rest = draw.one_of(verbs[verb])
    subject = draw.one_of(_THIRD[:6] if draw.between(1, 3) > 1 else _OTHERS)
    third = third_person(verb)
    key = third if subject.is_third else verb
    other = (_NO_S if subject.is_third else _NEEDLESS_S).gives(
        draw, verb if subject.is_third else third
    )
    start = f"{_capitalise(subject.text)} "
    return draw.choice(
        draw.say("Complète au présent simple : ", "Complete in the present simple: ")
        + _quote(draw, f"{start}… ({verb}) {rest}."),
        key=key,
        wrong=[
            other,
            *([_SPELLING.gives(draw, _false_third(verb))] if draw.difficulty > 1 else []),
            _ING.gives(draw, ing_form(verb)),
            _TO.gives(draw, f"to {verb}"),
        ],
        hints=[
            draw.say(
                "Remplace le sujet par un pronom : I, you, he, she, it, we ou they.",
                "Put a pronoun in place of the subject: I, you, he, she, it, we or they.",
            ),
            draw.say(
                "Seuls he, she et it demandent un -s ; regarde alors comment le verbe se termine.",
                "Only he, she and it take -s; then look at how the verb ends.",
            ),
        ],
        steps=[
            draw.say(
                f"« {subject.text} » : {'il faut' if subject.is_third else 'pas de'} -s.",
                f"“{subject.text}”: {'with' if subject.is_third else 'without'} -s.",
            ),
            _quote(draw, f"{start}**{key}** {rest}."),
        ],
    )


def _false_third(verb: str) -> str:
    """The form that learners make without looking at the ending."""
    return f"{verb}s"


_BASE_AFTER_DO: Final = Mistake(
    "-s deux fois",
    "-s twice",
    "Combien de fois le -s apparaît-il ? L'auxiliaire le porte déjà, ou le sujet n'en veut pas.",
    "How many times does -s appear? The auxiliary has it already, or the subject takes none.",
)
_OTHER_AUXILIARY: Final = Mistake(
    "auxiliaire mal accordé",
    "auxiliary does not agree",
    "L'auxiliaire change avec he, she et it. Quel est le sujet ?",
    "The auxiliary changes with he, she and it. What is the subject?",
)
_BE_INSTEAD: Final = Mistake(
    "be à la place de do",
    "be instead of do",
    "Avec un verbe d'action au présent simple, l'auxiliaire n'est pas « be ».",
    "With an ordinary verb in the present simple, the auxiliary is not “be”.",
)


def _ask_auxiliary(draw: Draw) -> Item:
    """A question or a negation, with the auxiliary and the verb to choose."""
    verb = draw.one_of((*REGULAR, "watch", "carry", "study", "go", "have"))
    rest = draw.one_of(REGULAR.get(verb) or SPELLING[verb])
    subject = draw.one_of(_NO_DOG)
    asks = draw.one_of((True, False))
    do, other = ("does", "do") if subject.is_third else ("do", "does")
    third = third_person(verb)
    be = "is" if subject.is_third else "am" if subject.text == "I" else "are"
    if asks:
        pattern = "{} … {}"
        gapped = f"… {subject.text} … {rest}?"
        whole = f"**{do.capitalize()}** {subject.text} **{verb}** {rest}?"
    else:
        pattern = "{} not {}"
        gapped = f"{_capitalise(subject.text)} … {rest}."
        whole = f"{_capitalise(subject.text)} **{do} not {verb}** {rest}."
    say = draw.say("Complète (verbe : {}) : ", "Complete (verb: {}): ").format(verb)
    return draw.choice(
        say + _quote(draw, gapped),
        key=pattern.format(do, verb),
        wrong=[
            _BASE_AFTER_DO.gives(draw, pattern.format(do, third)),
            _OTHER_AUXILIARY.gives(draw, pattern.format(other, verb)),
            _BE_INSTEAD.gives(draw, pattern.format(be, verb)),
        ],
        hints=[
            draw.say(
                "Questions et négations du présent simple ont un auxiliaire, qui dépend du sujet.",
                "Questions and negations in the present simple take an auxiliary, which depends on "
                "the subject.",
            ),
            draw.say(
                "Après l'auxiliaire, le verbe reste à la base verbale.",
                "After the auxiliary, the verb stays in its base form.",
            ),
        ],
        steps=[
            draw.say(
                f"« {subject.text} » demande « {do} », puis le verbe sans -s.",
                f"“{subject.text}” takes “{do}”, then the verb without -s.",
            ),
            _quote(draw, whole),
        ],
    )


REGULAR_PAST: Final = {
    "play": ("football", "in the yard"),
    "work": ("on the farm", "in the garden"),
    "walk": ("to school", "to the river"),
    "cook": ("rice", "for the family"),
    "help": ("the neighbours", "the teacher"),
    "watch": ("a film", "the match"),
    "wash": ("the plates", "the car"),
    "visit": ("Kumasi", "the museum"),
    "listen": ("to the radio", "to a story"),
    "open": ("the door", "a shop"),
    "clean": ("the classroom", "the yard"),
    "paint": ("the wall", "a picture"),
}
SPELLING_PAST: Final = {
    "stop": ("at the bridge", "the car"),
    "plan": ("a trip", "the party"),
    "drop": ("the calabash", "a plate"),
    "clap": ("loudly", "for the singer"),
    "carry": ("water", "the bags"),
    "study": ("maths", "for the test"),
    "hurry": ("home", "to school"),
    "try": ("again", "the soup"),
    "cry": ("at the station", "in the bus"),
    "like": ("the film", "the soup"),
    "dance": ("at the party", "very well"),
    "use": ("a hoe", "the computer"),
    "arrive": ("late", "on foot"),
    "stay": ("at home", "in the village"),
    "enjoy": ("the film", "the feast"),
}
IRREGULAR_PAST: Final = {
    "go": ("went", ("to the market", "home")),
    "see": ("saw", ("a lion", "the sea")),
    "eat": ("ate", ("rice", "a mango")),
    "buy": ("bought", ("bread", "a radio")),
    "take": ("took", ("the bus", "a photo")),
    "give": ("gave", ("a speech", "the answer")),
    "come": ("came", ("by bus", "late")),
    "have": ("had", ("a party", "fish for dinner")),
    "make": ("made", ("a cake", "a mistake")),
    "write": ("wrote", ("a letter", "the date")),
    "speak": ("spoke", ("English", "to the teacher")),
    "drink": ("drank", ("some water", "tea")),
    "sing": ("sang", ("a song", "at the party")),
    "swim": ("swam", ("in the lake", "in the river")),
    "find": ("found", ("the key", "a coin")),
    "bring": ("brought", ("the chairs", "some fruit")),
    "teach": ("taught", ("maths", "in Bamako")),
    "leave": ("left", ("early", "the house")),
    "meet": ("met", ("a friend", "the doctor")),
    "run": ("ran", ("to school", "very fast")),
    "sleep": ("slept", ("well", "under a tree")),
    "tell": ("told", ("a story", "the truth")),
    "win": ("won", ("the match", "a prize")),
    "break": ("broke", ("a glass", "the window")),
}
_WHEN: Final = ("Yesterday", "Last week", "Last Friday", "This morning", "On Sunday")


def regular_past(verb: str) -> str:
    """The past in -ed, with its changes of spelling."""
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ied"
    if verb in {"stop", "plan", "drop", "clap"}:
        return f"{verb}{verb[-1]}ed"
    return f"{verb}ed"


_PRESENT: Final = Mistake(
    "présent",
    "present",
    "Quand cela se passe-t-il ? Regarde le début de la phrase.",
    "When does it happen? Look at the beginning of the sentence.",
)
_PRESENT_S: Final = Mistake(
    "présent avec -s",
    "present with -s",
    "Le -s est la marque du présent : quel temps demande la phrase ?",
    "-s is the mark of the present: which tense does the sentence need?",
)
_ED_SPELLING: Final = Mistake(
    "orthographe de -ed",
    "spelling of -ed",
    "Le temps est bon ; revois ce que devient la fin du verbe devant -ed.",
    "The tense is right; check what becomes of the end of the verb before -ed.",
)
_REGULARISED: Final = Mistake(
    "verbe irrégulier pris pour régulier",
    "irregular verb taken as regular",
    "Ce verbe est irrégulier : son passé ne se termine pas par -ed.",
    "This verb is irregular: its past does not end in -ed.",
)
_DID_AND_PAST: Final = Mistake(
    "auxiliaire sans raison",
    "needless auxiliary",
    "Dans une phrase affirmative, le prétérit n'a pas d'auxiliaire.",
    "In a positive sentence, the simple past takes no auxiliary.",
)


@generates("english.past-simple", "5e")
def past_simple(draw: Draw) -> Item:
    """Verbs in -ed, then changes of spelling, then irregular verbs, typed."""
    if draw.difficulty > 2:
        verb = draw.one_of(tuple(IRREGULAR_PAST))
        key, rests = IRREGULAR_PAST[verb]
    else:
        verbs = REGULAR_PAST if draw.difficulty == 1 else SPELLING_PAST
        verb = draw.one_of(tuple(verbs))
        key, rests = regular_past(verb), verbs[verb]
    subject, rest = draw.one_of(_NO_DOG), draw.one_of(rests)
    start = f"{draw.one_of(_WHEN)}, {subject.text} "
    statement = draw.say("Complète au prétérit : ", "Complete in the simple past: ")
    statement += _quote(draw, f"{start}… ({verb}) {rest}.")
    wrong = _past_mistakes(draw, verb)
    hints = [
        draw.say(
            "C'est fini : la forme est la même à toutes les personnes.",
            "It is over: the form is the same for all persons.",
        ),
        draw.say(
            "Beaucoup de verbes prennent -ed ; les irréguliers ont une forme à savoir par cœur.",
            "Many verbs take -ed; irregular ones have a form to know by heart.",
        )
        if draw.difficulty > 2
        else draw.say(
            "Ajoute -ed ; attention à un -e, à un -y ou à une seule consonne à la fin.",
            "Add -ed; mind a final -e, a -y or a single consonant.",
        ),
    ]
    steps = [
        draw.say(f"Passé de « {verb} » : « {key} ».", f"The past of “{verb}”: “{key}”."),
        _quote(draw, f"{start}**{key}** {rest}."),
    ]
    if draw.difficulty > 2:
        return draw.open(statement, key=key, kind="text", wrong=wrong, hints=hints, steps=steps)
    return draw.choice(statement, key=key, wrong=wrong, hints=hints, steps=steps)


def _past_mistakes(draw: Draw, verb: str) -> list[Wrong]:
    if draw.difficulty > 2:
        return [
            _REGULARISED.gives(draw, regular_past(verb)),
            _PRESENT.gives(draw, verb),
            _PRESENT_S.gives(draw, third_person(verb)),
        ]
    return [
        *([_ED_SPELLING.gives(draw, false)] if (false := _false_past(verb)) else []),
        _PRESENT.gives(draw, verb),
        _PRESENT_S.gives(draw, third_person(verb)),
        _DID_AND_PAST.gives(draw, f"did {regular_past(verb)}"),
    ]


def _false_past(verb: str) -> str:
    """A misspelt past; nothing where there is no trap."""
    if verb.endswith("e"):
        return f"{verb}ed"
    if verb.endswith("y"):
        return f"{verb}ed" if verb[-2] not in "aeiou" else f"{verb[:-1]}ied"
    return f"{verb}ed" if verb in {"stop", "plan", "drop", "clap"} else ""
