"""Exercises on English plurals and articles for French speakers, in 6e."""

from __future__ import annotations

from typing import Final, NamedTuple

from bot.practice.generator import Draw, Item, Wrong, generates

_REGULAR: Final = (
    *("book", "table", "school", "friend", "market", "river", "farmer", "teacher", "car"),
    *("banana", "orange", "village", "house", "goat", "chicken", "phone", "lamp"),
)
_WITH_ES: Final = ("bus", "box", "class", "dish", "watch", "church", "match", "brush", "glass")
_IN_O: Final = ("tomato", "potato", "hero")
_IN_Y: Final = ("baby", "city", "story", "lady", "country", "family", "party", "berry")
_VOWEL_Y: Final = ("boy", "day", "key", "monkey", "toy", "donkey")
_IN_F: Final = ("leaf", "knife", "wife", "life", "half", "shelf", "loaf", "wolf", "thief", "calf")
_KEEPS_F: Final = ("roof", "chief", "cliff")
_OTHERS: Final = {
    "child": "children",
    "man": "men",
    "woman": "women",
    "foot": "feet",
    "tooth": "teeth",
    "goose": "geese",
    "mouse": "mice",
    "ox": "oxen",
}


def _make_plurals() -> dict[str, str]:
    plurals = {noun: f"{noun}s" for noun in (*_REGULAR, *_VOWEL_Y, *_KEEPS_F)}
    plurals |= {noun: f"{noun}es" for noun in (*_WITH_ES, *_IN_O)}
    plurals |= {noun: f"{noun[:-1]}ies" for noun in _IN_Y}
    plurals |= {noun: f"{noun.removesuffix('e')[:-1]}ves" for noun in _IN_F}
    return plurals | _OTHERS


@generates("english.plurals", "6e")
def plurals(draw: Draw) -> Item:
    """Ask for a plural in -s or -es, then of nouns in -y or -o, then in -f or irregular, typed."""
    noun = draw.one_of(
        draw.by_level(
            (*_REGULAR, *_WITH_ES), (*_IN_Y, *_VOWEL_Y, *_IN_O), (*_OTHERS, *_IN_F, *_KEEPS_F)
        )
    )
    plural = PLURALS[noun]
    many = draw.one_of(("two", "three", "many", "some"))
    article = "an" if noun[0] in "aeiou" else "a"
    exercise = draw.exercise("plural", article=article, noun=noun, many=many, rule=_find_rule(noun))
    if draw.difficulty > 2:
        return exercise.open(plural, *_plural_mistakes(noun, plural), kind="text")
    return exercise.choice(plural, *_plural_mistakes(noun, plural))


def _plural_mistakes(noun: str, plural: str) -> list[Wrong]:
    wrong = [(f"{noun}s", "only-s"), (noun, "missing")]
    if noun in _OTHERS:
        wrong.append((f"{plural}s", "double"))
    ending = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}es"
    made_up = None if noun.endswith("e") else ending
    return [*wrong, (made_up, "needless-es"), (f"{noun}'s", "apostrophe")]


def _find_rule(noun: str) -> str:
    """Return the rule for a noun's plural: `irregular`, `f`, `y`, `es`, or nothing."""
    rules = {
        "irregular": noun in _OTHERS,
        "f": noun in _IN_F or noun in _KEEPS_F,
        "y": noun.endswith("y"),
        "es": noun in _WITH_ES or noun in _IN_O,
    }
    return next((name for name, applies in rules.items() if applies), "")


class Blank(NamedTuple):
    """The words before and after a gap, and the article that fills it; empty: none does."""

    before: str
    after: str
    article: str


A_NOUNS: Final = (
    *("book", "table", "mango", "teacher", "river", "house", "bicycle", "pen", "goat", "car"),
    *("phone", "big egg", "red apple", "new umbrella"),
)
AN_NOUNS: Final = (
    *("apple", "egg", "orange", "umbrella", "elephant", "island", "animal", "old car", "ant"),
    *("interesting book", "English teacher", "empty box"),
)
_SOUNDS: Final = (
    Blank("We waited", "hour.", "an"),
    Blank("I waited for half", "hour.", "an"),
    Blank("He is", "honest man.", "an"),
    Blank("She is", "MP.", "an"),
    Blank("The doctor took", "X-ray.", "an"),
    Blank("It is", "unusual name.", "an"),
    Blank("There is", "university here.", "a"),
    Blank("She wears", "uniform.", "a"),
    Blank("Lisbon is", "European city.", "a"),
    Blank("It is", "one-way street.", "a"),
    Blank("A hoe is", "useful tool.", "a"),
    Blank("They built", "hospital.", "a"),
    Blank("The workers have", "union.", "a"),
    Blank("He rode", "horse.", "a"),
)
"""Words whose first sound differs from their first letter."""
_FRAMES: Final = ("This is", "I can see", "I am drawing", "Look, it is")
USUAL: Final = (
    *(Blank("Close", f"{thing}, please.", "the") for thing in ("door", "window", "gate")),
    *(Blank("", f"{thing} is very hot today.", "the") for thing in ("sun", "weather")),
    *(Blank("My sister wants to be", f"{job}.", "a") for job in ("doctor", "farmer", "nurse")),
    *(Blank("My cousin wants to be", f"{job}.", "an") for job in ("engineer", "artist", "actor")),
    Blank("I have a cat and a dog.", "cat is black.", "the"),
    Blank("We bought a radio.", "radio does not work.", "the"),
    Blank("Who is", "captain of your team?", "the"),
    Blank("What", "good idea!", "a"),
    Blank("What", "interesting story!", "an"),
    Blank("What", "easy question!", "an"),
    Blank("Accra is", "capital of Ghana.", "the"),
    Blank("There is", "orange in the basket.", "an"),
    Blank("He has", "brother in Lagos.", "a"),
    Blank("She is", "best player in the team.", "the"),
    Blank("The Niger is", "long river.", "a"),
)
HARD: Final = (
    *(Blank("Children like", f"{things}.", "") for things in ("music", "football", "mangoes")),
    *(Blank("We are learning", f"{school}.", "") for school in ("English", "history", "maths")),
    *(Blank("They live in", f"{place}.", "") for place in ("Senegal", "Mali", "Dakar")),
    *(Blank("She goes to school by", f"{way}.", "") for way in ("bus", "bicycle", "car")),
    *(Blank("We have", f"{meal} at seven.", "") for meal in ("breakfast", "dinner")),
    *_SOUNDS,
    Blank("The sun rises in", "east.", "the"),
    *(Blank("They live in", f"{side} of the country.", "the") for side in ("north", "south")),
    *(Blank("We swam in", f"{water}.", "the") for water in ("Atlantic", "Niger")),
)


@generates("english.articles", "6e")
def articles(draw: Draw) -> Item:
    """Ask for a or an, then also the, then before names, meals and words with a deceptive
    letter."""
    if draw.difficulty == 1:
        article = draw.one_of(("a", "an"))
        noun = draw.one_of(A_NOUNS if article == "a" else AN_NOUNS)
        blank = Blank(draw.one_of(_FRAMES), f"{noun}.", article)
        return _choose_article(draw, blank, ("a", "an", "some"))
    if draw.difficulty == 2:
        return _choose_article(draw, draw.one_of(USUAL), ("a", "an", "the"))
    blank = draw.one_of(HARD)
    if blank.article in ("a", "an"):
        return _choose_article(draw, blank, ("a", "an", "some"))
    return _choose_article(draw, blank, ("a", "an", "the", ""))


def _choose_article(draw: Draw, blank: Blank, choices: tuple[str, ...]) -> Item:
    before, after, key = blank
    article = key.capitalize() if before.endswith(".") or not before else key
    exercise = draw.exercise(
        "article",
        gapped=f"{before} … {after}".strip(),
        whole=f"{before} {f'**{article}** ' if key else ''}{after}".strip(),
        article=key,
    )
    nothing = ("pas d'article", "no article")
    return exercise.choice(
        key or nothing,
        *[(other or nothing, _article_mistake(key, other)) for other in choices if other != key],
    )


def _article_mistake(key: str, other: str) -> str:
    if {key, other} == {"a", "an"}:
        return "vowel"
    return {"the": "definite", "": "no-article", "some": "plain"}.get(other, "indefinite")


PLURALS: Final = _make_plurals()
"""Nouns with their plural."""
