"""Exercises on English verbs for French speakers: the present with -s in 6e, the past in 5e."""

from __future__ import annotations

from typing import Final, NamedTuple

from bot.practice.generator import Draw, Item, generates


class Subject(NamedTuple):
    """A subject of a sentence, and whether its verb takes -s."""

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
    "brush": ("the horse", "the dog"),
    "fix": ("bicycles", "old radios"),
    "carry": ("water", "the bags"),
    "study": ("maths", "at night"),
    "fly": ("a kite", "to Dakar"),
    "try": ("hard", "again"),
    "cry": ("often", "at night"),
    "go": ("to school", "to the market"),
    "do": ("the dishes", "the shopping"),
    "have": ("a bicycle", "two sisters"),
    "pass": ("the shop", "the ball"),
    "mix": ("the paint", "the flour"),
    "hurry": ("to school", "home"),
}
_THIRD_FORMS: Final = {"have": "has", "go": "goes", "do": "does"}


def third_person(verb: str) -> str:
    """Return the form for he, she and it."""
    if verb in _THIRD_FORMS:
        return _THIRD_FORMS[verb]
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "x", "ch", "sh")) else f"{verb}s"


def ing_form(verb: str) -> str:
    """Return the form in -ing of one of the verbs here."""
    return f"{verb[:-1]}ing" if verb.endswith("e") else f"{verb}ing"


@generates("english.present-simple-s", "6e")
def present_simple_s(draw: Draw) -> Item:
    """Ask for a present: of regular verbs, then with a changed ending, then in questions or
    negations."""
    if draw.difficulty > 2:
        return _choose_auxiliary(draw)
    verbs = REGULAR if draw.difficulty == 1 else SPELLING
    verb = draw.one_of(tuple(verbs))
    rest = draw.one_of(verbs[verb])
    subject = draw.one_of(_THIRD[:6] if draw.between(1, 3) > 1 else _OTHERS)
    third = third_person(verb)
    key = third if subject.is_third else verb
    other = (verb if subject.is_third else third, "no-s" if subject.is_third else "needless-s")
    return draw.exercise("present_simple", subject=subject, verb=verb, rest=rest).choice(
        key,
        other,
        (f"{verb}s" if draw.difficulty > 1 else None, "spelling"),
        (ing_form(verb), "ing"),
        (f"to {verb}", "to"),
    )


def _choose_auxiliary(draw: Draw) -> Item:
    """Ask for the auxiliary and the verb of a question or a negation."""
    verb = draw.one_of((*REGULAR, "watch", "carry", "study", "go", "have"))
    rest = draw.one_of(REGULAR.get(verb) or SPELLING[verb])
    subject = draw.one_of(_NO_DOG)
    asks = draw.flip()
    do, other = ("does", "do") if subject.is_third else ("do", "does")
    third = third_person(verb)
    be = "is" if subject.is_third else "am" if subject.text == "I" else "are"
    pattern = "{} … {}" if asks else "{} not {}"
    exercise = draw.exercise(
        "choose_auxiliary", subject=subject.text, verb=verb, rest=rest, do=do, asks=asks
    )
    return exercise.choice(
        pattern.format(do, verb),
        (pattern.format(do, third), "base-after-do"),
        (pattern.format(other, verb), "other-auxiliary"),
        (pattern.format(be, verb), "be-instead"),
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
    """Return the past in -ed, with its changes of spelling."""
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ied"
    if verb in {"stop", "plan", "drop", "clap"}:
        return f"{verb}{verb[-1]}ed"
    return f"{verb}ed"


@generates("english.past-simple", "5e")
def past_simple(draw: Draw) -> Item:
    """Ask for a past in -ed, then with a change of spelling, then of an irregular verb, typed."""
    if draw.difficulty > 2:
        verb = draw.one_of(tuple(IRREGULAR_PAST))
        key, rests = IRREGULAR_PAST[verb]
    else:
        verbs = REGULAR_PAST if draw.difficulty == 1 else SPELLING_PAST
        verb = draw.one_of(tuple(verbs))
        key, rests = regular_past(verb), verbs[verb]
    subject, rest = draw.one_of(_NO_DOG), draw.one_of(rests)
    exercise = draw.exercise(
        "past_simple", when=draw.one_of(_WHEN), subject=subject.text, verb=verb, rest=rest
    )
    if draw.difficulty > 2:
        return exercise.open(
            key,
            (regular_past(verb), "regularised"),
            (verb, "present"),
            (third_person(verb), "present-s"),
            kind="text",
        )
    return exercise.choice(
        key,
        (_false_past(verb) or None, "ed-spelling"),
        (verb, "present"),
        (third_person(verb), "present-s"),
        (f"did {regular_past(verb)}", "did-and-past"),
    )


def _false_past(verb: str) -> str:
    """Return a misspelt past; empty if the verb has no trap."""
    if verb.endswith("e"):
        return f"{verb}ed"
    if verb.endswith("y"):
        return f"{verb}ed" if verb[-2] not in "aeiou" else f"{verb[:-1]}ied"
    return f"{verb}ed" if verb in {"stop", "plan", "drop", "clap"} else ""
