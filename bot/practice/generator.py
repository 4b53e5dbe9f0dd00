"""What an exercise generator is: a small function that draws numbers and writes an `Item`.

A generator is registered with `@generates(...)` on a function of the modules of this package:

    @generates("maths.add-to-100", "CE1")
    def add_to_100(draw: Draw) -> Item:
        a, b = draw.between(12, 49), draw.between(11, 50)
        return draw.choice(
            draw.say(f"Calcule ${a} + {b}$.", f"Work out ${a} + {b}$."),
            key=a + b,
            wrong=[...],
            hints=[...],
            steps=[...],
        )

All numbers come from `Draw`, whose random source is seeded, and none depends on the language: the
same seed gives the same numbers in each language.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Final, Literal, TypeVar

from bot.messages.value import Value

ItemKind = Literal["number", "expression", "set", "text", "choice"]
Grade = Literal[
    "CP", "CE1", "CE2", "CM1", "CM2", "6e", "5e", "4e", "3e", "2nde", "1re", "Terminale"
]
Number = int | Decimal | Fraction
T = TypeVar("T")
LEVELS: Final = (1, 2, 3)
"""Difficulties of a skill: easy, usual, hard."""
_NARROW_SPACE: Final = "\u202f"
MAX_OPTIONS: Final = 4


class Misconception(Value, frozen=True):
    """A wrong answer, and the mistake that leads to it."""

    option: str
    """The wrong answer, as the options spell it."""
    name: str
    """The mistake, in a few words."""
    feedback: str
    """What is said to someone who answers so: kind, short, without the right answer."""


class Item(Value, frozen=True):
    """One exercise. Texts are Markdown with maths between `$`, in one language."""

    skill: str
    difficulty: int
    """One of `LEVELS`."""
    kind: ItemKind
    statement: str
    key: str
    """The right answer; of a choice, the text of the right option."""
    hints: tuple[str, ...]
    """One to three, from a nudge to nearly the way; none holds the key."""
    steps: tuple[str, ...]
    """The worked solution, line by line; the last tells the key."""
    options: tuple[str, ...] = ()
    """Of a choice: two to four, in the order in which they are shown."""
    misconceptions: tuple[Misconception, ...] = ()
    """One for each wrong option of a choice; of other kinds, likely wrong answers."""
    unit: str = ""
    """The unit of a number, where one is asked for (`cm`)."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A likely wrong answer, before it is written in a language."""

    answer: Number | str
    name: str
    feedback: str


class Draw:
    """Draws an item's numbers, and writes them and its words in one language."""

    def __init__(self, skill: str, seed: int, difficulty: int, language: str) -> None:
        self.random = Random(f"{skill}/{difficulty}/{seed}")  # noqa: S311 (not a secret)
        self.difficulty = difficulty
        self.language = language
        self._skill = skill

    # Numbers ------------------------------------------------------------------------------------

    def between(self, least: int, most: int) -> int:
        """A whole number from `least` to `most`, both included."""
        return self.random.randint(least, most)

    def one_of(self, values: Sequence[T]) -> T:
        return self.random.choice(values)

    def by_level(self, easy: T, usual: T, hard: T) -> T:
        """The value for this difficulty."""
        return (easy, usual, hard)[self.difficulty - 1]

    # Words --------------------------------------------------------------------------------------

    def say(self, french: str, english: str) -> str:
        """One of the two, by the language."""
        return french if self.language == "fr" else english

    def write(self, value: Number | str) -> str:
        """A number as people write it in the language: `1 250`, `3,5`, `-2/3`; text as it is."""
        if isinstance(value, str):
            return value
        if isinstance(value, Fraction):
            sign = "-" if value < 0 else ""
            above, below = abs(value.numerator), value.denominator
            return f"{sign}{above}/{below}" if below > 1 else f"{sign}{self.write(above)}"
        plain = f"{value:,f}" if isinstance(value, Decimal) else f"{value:,}"
        if self.language == "fr":
            whole, _, part = plain.partition(".")
            grouped = whole.replace(",", _NARROW_SPACE if len(whole) > len("9,999") else "")
            return f"{grouped},{part}" if part else grouped
        return plain if abs(value) >= 10_000 else plain.replace(",", "")

    def maths(self, value: Number) -> str:
        """A number in LaTeX, for use between `$`: `3{,}5`, `\\frac{2}{3}`, `12\\,500`."""
        if isinstance(value, Fraction) and value.denominator > 1:
            sign = "-" if value < 0 else ""
            return f"{sign}\\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"
        written = self.write(value)
        comma = "{,}"
        return written.replace(",", comma).replace(_NARROW_SPACE, "\\,")

    def wrong(
        self, answer: Number | str, french: tuple[str, str], english: tuple[str, str]
    ) -> Wrong:
        """A likely wrong answer, with the name of the mistake and its feedback in each language."""
        name, feedback = french if self.language == "fr" else english
        return Wrong(answer, name, feedback)

    # Items --------------------------------------------------------------------------------------

    def choice(
        self,
        statement: str,
        *,
        key: Number | str,
        wrong: Sequence[Wrong],
        hints: Sequence[str],
        steps: Sequence[str],
    ) -> Item:
        """An item to tap: the key and up to three of `wrong`, in a drawn order.

        A wrong answer that is written like the key or like one before it is left out, so give more
        than three where numbers may coincide.
        """
        right = self.write(key)
        kept: dict[str, Misconception] = {}
        for each in wrong:
            option = self.write(each.answer)
            if option != right and option not in kept and len(kept) < MAX_OPTIONS - 1:
                kept[option] = Misconception(option, each.name, each.feedback)
        options = [right, *kept]
        self.random.shuffle(options)
        return Item(
            self._skill,
            self.difficulty,
            "choice",
            statement,
            right,
            tuple(hints),
            tuple(steps),
            options=tuple(options),
            misconceptions=tuple(kept[option] for option in options if option in kept),
        )

    def open(
        self,
        statement: str,
        *,
        key: Number | str,
        hints: Sequence[str],
        steps: Sequence[str],
        kind: ItemKind = "number",
        wrong: Sequence[Wrong] = (),
        unit: str = "",
    ) -> Item:
        """An item whose answer is typed."""
        right = self.write(key)
        written = [Misconception(self.write(w.answer), w.name, w.feedback) for w in wrong]
        known = {each.option: each for each in reversed(written) if each.option != right}
        return Item(
            self._skill,
            self.difficulty,
            kind,
            statement,
            right,
            tuple(hints),
            tuple(steps),
            misconceptions=tuple(known.values()),
            unit=unit,
        )


Write = Callable[[Draw], Item]


@dataclass(frozen=True, slots=True)
class Generator:
    """Makes items of one skill."""

    skill: str
    grade: Grade
    write: Write

    def make(self, seed: int, *, difficulty: int = 2, language: str = "fr") -> Item:
        """The item of this seed; the same arguments give the same item.

        Args:
            difficulty: one of `LEVELS`.
            language: `fr`, or any other for English.
        """
        return self.write(Draw(self.skill, seed, difficulty, language))


GENERATORS: Final[dict[str, Generator]] = {}
"""All generators by their skill, filled as `bot.practice.catalogue` imports their modules."""


def generates(skill: str, grade: Grade) -> Callable[[Write], Write]:
    """Register a function as the generator of a skill."""

    def register(write: Write) -> Write:
        if skill in GENERATORS:
            raise ValueError(f"{skill} has two generators")
        GENERATORS[skill] = Generator(skill, grade, write)
        return write

    return register
