"""Words in both languages and mistakes that several generators share.

A pair of texts is always the French one, then the English one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from bot.practice.generator import Draw, Number, Wrong

Pair = tuple[str, str]


def say_each(draw: Draw, *texts: Pair | str) -> list[str]:
    """The texts in the language of the item; one that is no pair is the same in both."""
    return [text if isinstance(text, str) else draw.say(*text) for text in texts]


@dataclass(frozen=True, slots=True)
class MistakeKind:
    """A mistake that pupils make, whatever the numbers."""

    name: Pair
    feedback: Pair
    """What is said to someone who made it; never the right answer."""


def mistake(draw: Draw, answer: Number | str, kind: MistakeKind) -> Wrong:
    """A wrong answer to which a mistake of this kind leads."""
    return Wrong(answer, draw.say(*kind.name), draw.say(*kind.feedback))


def choose_mistakes(key: Number, candidates: Sequence[Wrong]) -> list[Wrong]:
    """Those of the candidates that a pupil could believe: positive, and not the key."""
    return [each for each in candidates if isinstance(each.answer, str) or 0 < each.answer != key]


def by_column(first: int, second: int, combine: Callable[[int, int], int]) -> int:
    """Join two numbers digit by digit, without carrying: each column keeps its ones digit."""
    result, place = 0, 1
    while first or second:
        result += place * (combine(first % 10, second % 10) % 10)
        first, second, place = first // 10, second // 10, place * 10
    return result


ADDED: Final = MistakeKind(
    ("addition à la place", "added instead"),
    ("Tu as additionné : relis bien ce qu'on demande.", "You added: read the question again."),
)
SUBTRACTED: Final = MistakeKind(
    ("soustraction à la place", "subtracted instead"),
    (
        "Tu as soustrait : relis bien ce qu'on demande.",
        "You subtracted: read the question again.",
    ),
)
MULTIPLIED: Final = MistakeKind(
    ("multiplication à la place", "multiplied instead"),
    ("Tu as multiplié : relis bien ce qu'on demande.", "You multiplied: read the question again."),
)
MISCOUNTED: Final = MistakeKind(
    ("erreur d'une unité", "off by one"),
    ("Tu es tout près : recompte.", "You are very close: count again."),
)
NO_CARRY: Final = MistakeKind(
    ("retenue oubliée", "forgotten carry"),
    (
        "Tu as oublié une retenue : note-la en haut de la colonne suivante.",
        "You forgot to carry: write it at the top of the next column.",
    ),
)
STOPPED_EARLY: Final = MistakeKind(
    ("étape oubliée", "stopped too early"),
    (
        "Bon début, mais ce n'est pas fini : relis la question.",
        "A good start, but you are not done: read the question again.",
    ),
)
"""A result on the way is given as the answer."""
MISPLACED_COMMA: Final = MistakeKind(
    ("virgule mal placée", "misplaced decimal point"),
    ("Vérifie la place de la virgule.", "Check the place of the decimal point."),
)
