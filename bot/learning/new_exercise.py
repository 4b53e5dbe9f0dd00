"""Describe an exercise before it is asked: its statement, and the part that stays secret."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from bot.learning.reviews.cards import CardItem
from bot.messages.value import ExerciseKind, Value, encode
from bot.practice.generator import Generator, Item

_POINT: Final = re.compile(r"(?<![\d.,])(\d+)\.(\d{1,2}|\d\d[1-9]|\d{4,})(?![\d.,])")
"""The point of a decimal number; `12.000` may be twelve thousand."""
_POWERS: Final = re.compile(r"(?!.*[A-Za-z]{3})(?=.*\^\d)(?:[\w\s+−=().,-]|\^\d(?!\d))+")
"""A formula of letters, numbers and powers that reads the same in LaTeX."""


class Body(Value, frozen=True):
    """The solution, options, help and grading rules of an exercise."""

    solutions: tuple[str, ...]
    """At least one; any of them is right. For a choice, the text of the right option."""
    options: tuple[str, ...] = ()
    feedback: dict[str, str] = {}  # noqa: RUF012 (msgspec copies it)
    """The feedback for each likely wrong answer, by that answer."""
    hints: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    unit: str = ""
    tolerance: float = 0.0
    source: Literal["exercise", "practice", "review"] = "exercise"
    turn: int = 0
    """The turn in which the model gave it; 0: the model did not."""
    card: str = ""
    """Key of the card that the exercise reviews; empty: it is no review."""
    reviews: int = 0
    """How often that card had been answered before."""
    placing: bool = False
    """Whether it belongs to a placement."""
    example: bool = False
    """Whether a worked example was shown before it."""
    again: bool = False
    """Whether it is the exercise before it once more, whose worked steps were just shown: its
    answer tells nothing of the skill."""
    seed: int = 0
    """The number that a generator made it from."""
    recent: tuple[bool, ...] | None = None
    """In a series that moves to whatever skill fits best: which exercises were right at the first
    try. None: the series stays with its skill."""
    drawn: tuple[int, ...] = ()
    """Marks of the items of the series so far, its own included: none comes twice."""
    before: tuple[str, ...] = ()
    """In a series that moves: the skills of the exercise before it, if that one went well."""
    within: str = ""
    """What the person named to which the series keeps: the subject or grade of one that moves, the
    times table of one that does not; empty: all."""

    @property
    def solution(self) -> str:
        """The solution with its unit, once: `3 h 20` names its hours itself."""
        first, unit = self.solutions[0], self.unit
        names_unit = unit and re.search(rf"\d\s?{re.escape(unit)}(?![^\W\d_])", first)
        return first if names_unit else f"{first} {unit}".strip()

    def write_solution(self, kind: ExerciseKind, language: str) -> str:
        """Return the solution as a person reads it, however a model wrote it: 2.75, `x^2 + 1`."""
        text = self.solution
        if kind in ("text", "choice"):
            return text
        if language == "fr":
            text = _POINT.sub(r"\1,\2", text)
        if kind == "expression" and " " not in text:
            text = _BETWEEN_TERMS.sub(r" \g<0> ", text)
        return f"${text.replace(',', '{,}')}$" if _POWERS.fullmatch(text) else text


_BETWEEN_TERMS: Final = re.compile(r"(?<=[\w)²³])[-+](?=[\w(])")
"""The sign of a sum that is written without spaces: `8x-12`."""


@dataclass(frozen=True, slots=True)
class NewExercise:
    """An exercise before it is asked."""

    kind: ExerciseKind
    statement: str
    body: Body
    skill: str = ""
    """Id in the map of skills, or else a model's words for what it practises."""
    difficulty: int = 2
    left_after: int = 0
    """How many exercises of its series come after it."""


def exercise_of_item(item: Item, *, left_after: int) -> NewExercise:
    """Return the exercise that asks a generated item."""
    body = Body(
        (item.key,),
        item.options,
        {each.option: each.feedback for each in item.misconceptions},
        item.hints,
        item.steps,
        item.unit,
        source="practice",
    )
    return NewExercise(item.kind, item.statement, body, item.skill, item.difficulty, left_after)


def make_skill_card(generator: Generator, seed: int, language: str) -> CardItem:
    """Return the card of a generator's skill, with one instance as its exercise."""
    item = generator.make(seed, language=language)
    new = exercise_of_item(item, left_after=0)
    return CardItem(
        item.skill, item.skill, new.kind, new.statement, new.difficulty, encode(new.body)
    )
