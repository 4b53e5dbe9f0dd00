"""Exercises on English comparatives and prepositions of time for French speakers, in 5e."""

from __future__ import annotations

from typing import Final, NamedTuple

from bot.practice.generator import Draw, Item, Wrong, generates


class Adjective(NamedTuple):
    """An adjective with its comparative and superlative, and pairs of things to compare."""

    plain: str
    comparative: str
    superlative: str
    kind: str
    """The rule of its forms: `short`, `doubled`, `y`, `long` or `irregular`."""
    pairs: tuple[tuple[str, str], ...]


_PEOPLE: Final = (("Awa", "Issa"), ("My sister", "my brother"), ("Moussa", "his cousin"))
_PLACES: Final = (
    ("The market", "the station"),
    ("This city", "our village"),
    ("My school", "your school"),
)
_THINGS: Final = (("The car", "the bus"), ("This bag", "that box"), ("My phone", "your radio"))


def _make_adjectives(kind: str, plains: str, pairs: tuple[tuple[str, str], ...]) -> list[Adjective]:
    """Return adjectives that follow the rule of this kind."""
    made: list[Adjective] = []
    for plain in plains.split():
        stems = {
            "short": plain.removesuffix("e"),
            "doubled": plain + plain[-1],
            "y": plain[:-1] + "i",
        }
        stem = stems.get(kind)
        forms = (f"{stem}er", f"{stem}est") if stem else (f"more {plain}", f"most {plain}")
        made.append(Adjective(plain, *forms, kind, pairs))
    return made


EASY: Final = (
    *_make_adjectives("short", "tall young old strong kind fast", _PEOPLE),
    *_make_adjectives("short", "small clean calm", _PLACES),
    *_make_adjectives("short", "cheap new old slow", _THINGS),
)
USUAL: Final = (
    *_make_adjectives("doubled", "big hot", _PLACES),
    *_make_adjectives("doubled", "sad fit", _PEOPLE),
    *_make_adjectives("y", "happy funny lucky", _PEOPLE),
    *_make_adjectives("y", "noisy pretty dirty", _PLACES),
    *_make_adjectives("y", "heavy", _THINGS),
    *_make_adjectives("long", "expensive useful comfortable", _THINGS),
    *_make_adjectives("long", "beautiful famous modern", _PLACES),
    *_make_adjectives("long", "patient careful intelligent", _PEOPLE),
)
IRREGULAR: Final = (
    Adjective("good", "better", "best", "irregular", _PEOPLE + _THINGS),
    Adjective("bad", "worse", "worst", "irregular", _PLACES + _THINGS),
)


@generates("english.comparatives", "5e")
def comparatives(draw: Draw) -> Item:
    """Ask to compare: short adjectives, then all regular ones, then superlatives and irregular
    ones."""
    if draw.difficulty > 2:
        adjective = draw.one_of((*IRREGULAR, *IRREGULAR, *USUAL))
        if draw.flip():
            return _ask_superlative(draw, adjective)
        return _ask_comparative(draw, adjective)
    return _ask_comparative(draw, draw.one_of(EASY if draw.difficulty == 1 else USUAL))


def _ask_comparative(draw: Draw, adjective: Adjective) -> Item:
    one, other = draw.one_of(adjective.pairs)
    key = adjective.comparative
    wrong = _comparative_mistakes(adjective)
    exercise = draw.exercise("comparative", adjective=adjective, one=one, other=other)
    if draw.difficulty > 2:
        return exercise.open(key, *wrong, kind="text")
    return exercise.choice(key, *wrong)


def _comparative_mistakes(adjective: Adjective) -> list[Wrong]:
    plain, comparative, superlative, kind, _ = adjective
    with_er = f"{plain.removesuffix('e')}er"
    wrong = {
        "short": [(f"more {plain}", "more-short")],
        "long": [(with_er, "er-long")],
        "irregular": [(with_er, "regularised"), (f"more {plain}", "regularised")],
    }.get(kind, [(with_er, "spelling"), (f"more {plain}", "more-short")])
    double = f"more {with_er if kind == 'long' else comparative}"
    return [*wrong, (double, "double"), (superlative, "superlative"), (plain, "plain")]


_GROUPS: Final = ("in the group", "of all", "in the country", "in the class", "of the three")


def _ask_superlative(draw: Draw, adjective: Adjective) -> Item:
    one, _ = draw.one_of(adjective.pairs)
    places = adjective.pairs in (_PLACES, _PLACES + _THINGS)
    group = draw.one_of(_GROUPS[1:3] if places else ("of all", "of the three"))
    with_est = f"{adjective.plain.removesuffix('e')}est"
    return draw.exercise("superlative", adjective=adjective, one=one, group=group).open(
        adjective.superlative,
        (adjective.comparative, "comparative"),
        (with_est, "er-long")
        if adjective.kind == "long"
        else (f"most {adjective.plain}", "more-short"),
        kind="text",
    )


_DAYS: Final = ("Monday", "Tuesday", "Friday", "Saturday", "Sunday")
_MONTHS: Final = ("January", "March", "June", "August", "December")
_HOURS: Final = ("seven o'clock", "noon", "midnight", "half past two", "lunchtime")
_EVENTS: Final = (
    *("The match starts", "The party begins", "My sister arrives", "The bus leaves"),
    *("We have a test", "The market opens", "I see the doctor"),
)


_NONE: Final = ""
"""No preposition."""


class When(NamedTuple):
    """A time, and the preposition that it takes."""

    time: str
    preposition: str


_LONG_TIMES: Final = ("the rainy season", "summer", "winter", "2027", "Christmas", "Easter")

EASY_TIMES: Final = (
    *(When(day, "on") for day in _DAYS),
    *(When(month, "in") for month in _MONTHS),
    *(When(hour, "at") for hour in _HOURS),
)
USUAL_TIMES: Final = (
    *(When(f"the {part}", "in") for part in ("morning", "afternoon", "evening")),
    *(When(f"{day} morning", "on") for day in _DAYS[:3]),
    *(When(season, "in") for season in _LONG_TIMES[:4]),
    *(When(time, "at") for time in ("night", "dawn", "Christmas", "Easter")),
    *(When(f"{day} afternoon", "on") for day in _DAYS[2:]),
    *(When(date, "on") for date in ("my birthday", "New Year's Day", "Independence Day")),
)
HARD_TIMES: Final = (
    *(When(f"{word} week", _NONE) for word in ("next", "last", "this")),
    *(When(f"{word} Friday", _NONE) for word in ("next", "last", "every")),
    *(When(time, "in") for time in ("two weeks", "ten minutes", "the 1990s", "the holidays")),
    *(When(time, "on") for time in ("the first of May", "the morning of the match")),
    *(When(time, "at") for time in ("the same time", "the end of the month", "sunrise")),
    *(When(f"the night of {day}", "on") for day in ("the feast", "the wedding")),
)

_FOR: Final = {
    "in": "in-misused",
    "on": "on-misused",
    "at": "at-misused",
    _NONE: "preposition-missing",
}


@generates("english.prepositions-time", "5e")
def prepositions_time(draw: Draw) -> Item:
    """Ask for the preposition: days, months, hours, then parts of the day, then times without
    one."""
    when = draw.one_of(draw.by_level(EASY_TIMES, USUAL_TIMES, HARD_TIMES))
    event = draw.one_of(_events(when, draw.difficulty))
    choices = ("in", "on", "at", _NONE) if draw.difficulty > 2 else ("in", "on", "at")
    key, nothing = when.preposition, ("rien", "nothing")
    return draw.exercise("preposition", event=event, time=when.time, preposition=key).choice(
        key or nothing,
        *[
            (other or nothing, _FOR[other] if key else "needless-preposition")
            for other in choices
            if other != key
        ],
    )


def _events(when: When, difficulty: int) -> tuple[str, ...]:
    """Return events that go with the time: past, usual or future ones."""
    if when.time.startswith("last") or when.time == "the 1990s":
        return ("The school opened", "We met", "They came here")
    if when.time.startswith("every") or when.time == "night":
        return ("My father works", "I read", "She sleeps in the village")
    if difficulty > 2:
        return ("The test is", "The party will be", "We will meet", "The match will start")
    is_long = when.time in (*_MONTHS, *_LONG_TIMES)
    return ("The school opens", "My aunt arrives", "The work begins") if is_long else _EVENTS
