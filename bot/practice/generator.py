"""Define exercise generators: small functions that draw numbers and give them to texts.

A generator is registered with `@generates(...)` on a function of the modules of this package:

    @generates("maths.add-to-100", "CE1")
    def add_to_100(draw: Draw) -> Item:
        a, b = draw.between(12, 49), draw.between(11, 50)
        return draw.exercise("add_to_100", a=a, b=b).choice(
            a + b, (a + b - 10, "no-carry"), (abs(a - b), "subtracted")
        )

The first answer is the key; each wrong one has the name of the mistake that leads to it. Statement,
hints, steps and mistakes are in the `.toml` file of the module's name, in both languages;
`bot.practice.texts` explains their form. The docstring of a generator says what it asks at the
three difficulties: easy, then usual, then hard.

All numbers come from `Draw`, whose random source is seeded, and none depends on the language: the
same seed gives the same numbers in each language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any, Final, Literal, TypeVar

from bot.messages.value import Value
from bot.practice.notation import Number, Pair, write_number
from bot.practice.texts import Values, fill, fill_lines, load_texts

ItemKind = Literal["number", "expression", "set", "text", "choice"]
Grade = Literal[
    "CP", "CE1", "CE2", "CM1", "CM2", "6e", "5e", "4e", "3e", "2nde", "1re", "Terminale"
]
Answer = Number | str | Pair
Wrong = tuple[Answer | None, str] | tuple[Answer | None, str, Values]
"""A likely wrong answer, or None to leave it out; the name of its mistake in `[mistakes]`; and
perhaps more values for its texts."""
T = TypeVar("T")
PRIMARY_GRADES: Final = frozenset({"CP", "CE1", "CE2", "CM1", "CM2"})
LEVELS: Final = (1, 2, 3)
"""Difficulties of a skill: easy, usual, hard."""
MAX_OPTIONS: Final = 4


class Misconception(Value, frozen=True):
    """A wrong answer, and the mistake that leads to it."""

    option: str
    """The wrong answer, as the options spell it."""
    name: str
    """The mistake, in a few words."""
    feedback: str
    """The reply to a pupil who answers so: kind, short, without the right answer."""


class Item(Value, frozen=True):
    """One exercise. Texts are Markdown with maths between `$`, in one language."""

    skill: str
    difficulty: int
    """One of `LEVELS`."""
    kind: ItemKind
    statement: str
    key: str
    """The right answer; for a choice, the text of the right option."""
    hints: tuple[str, ...]
    """One to three, from a small nudge to nearly the whole way; none contains the key."""
    steps: tuple[str, ...]
    """The worked solution, line by line; the last line states the key."""
    options: tuple[str, ...] = ()
    """For a choice: two to four, in the order in which they are shown."""
    misconceptions: tuple[Misconception, ...] = ()
    """One for each wrong option of a choice; for other kinds, likely wrong answers."""
    unit: str = ""
    """The unit of a number, if one is asked for (`cm`)."""


class Draw:
    """A source of an item's numbers, which also writes them in one language."""

    def __init__(self, generator: Generator, seed: int, difficulty: int, language: str) -> None:
        self.random = Random(f"{generator.skill}/{difficulty}/{seed}")  # noqa: S311 (not a secret)
        self.generator = generator
        self.difficulty = difficulty
        self.language = language

    # Numbers ------------------------------------------------------------------------------------

    def between(self, least: int, most: int) -> int:
        """Return a whole number from `least` to `most`, both included."""
        return self.random.randint(least, most)

    def one_of(self, values: Sequence[T]) -> T:
        return self.random.choice(values)

    def by_level(self, easy: T, usual: T, hard: T) -> T:
        """Return the value for this difficulty."""
        return (easy, usual, hard)[self.difficulty - 1]

    @property
    def texts(self) -> Mapping[str, Any]:
        """The tables of texts for this generator's module."""
        return load_texts(self.generator.module)

    # Words --------------------------------------------------------------------------------------

    def write(self, value: Answer, unit: str = "") -> str:
        """Write a number as people do in the language, `12 500`, `3,5 kg`; choose a text in it."""
        if isinstance(value, tuple):
            return value[0 if self.language == "fr" else 1]
        if isinstance(value, str):
            return value
        space = "" if unit in ("", "°") or (unit == "%" and self.language != "fr") else " "
        return f"{write_number(value, self.language)}{space}{unit}"

    def exercise(self, name: str, /, **values: object) -> Exercise:
        """Return the exercise of this name in the texts, with values for its fields."""
        return Exercise(self, name, values)


@dataclass(frozen=True, slots=True)
class Exercise:
    """The texts of an exercise in one language, to which the key is still to be added.

    Wrong answers are given with the likeliest first. One that is written like the key or like one
    before it is left out, and so is a negative one in primary school.
    """

    draw: Draw
    name: str
    values: Mapping[str, object]

    def choice(self, key: Answer, *wrong: Wrong, unit: str = "") -> Item:
        """Make a choice item: the key and the first three wrong answers, in a random order.

        Args:
            unit: written after each number.
        """
        likely = dict(islice(self._find_mistakes(key, wrong, unit).items(), MAX_OPTIONS - 1))
        right = self.draw.write(key, unit)
        options = [right, *likely]
        self.draw.random.shuffle(options)
        shown = [likely[option] for option in options if option in likely]
        return self._write("choice", key, right, shown, options=tuple(options))

    def open(self, key: Answer, *wrong: Wrong, kind: ItemKind = "number", unit: str = "") -> Item:
        """Make an item whose answer is typed, without its unit."""
        likely = self._find_mistakes(key, wrong).values()
        return self._write(kind, key, self.draw.write(key), likely, unit=unit)

    def _find_mistakes(
        self, key: Answer, wrong: Sequence[Wrong], unit: str = ""
    ) -> dict[str, Misconception]:
        """Return the wrong answers that can be used, by how they are written."""
        found: dict[str, Misconception] = {}
        can_be_negative = self.draw.generator.grade not in PRIMARY_GRADES
        language: Final = "fr" if self.draw.language == "fr" else "en"
        for answer, mistake, *more in wrong:
            if answer is None or self.draw.write(answer) == self.draw.write(key):
                continue
            if isinstance(answer, str | tuple) or can_be_negative or answer >= 0:
                option = self.draw.write(answer, unit)
                values = {**self.values, **(more[0] if more else {})}
                texts = self.draw.texts["mistakes"][mistake][language]
                name, feedback = (fill(text, values, language) for text in texts)
                found.setdefault(option, Misconception(option, name, feedback))
        return found

    def _write(
        self,
        kind: ItemKind,
        key: Answer,
        right: str,
        misconceptions: Iterable[Misconception],
        *,
        options: tuple[str, ...] = (),
        unit: str = "",
    ) -> Item:
        texts = self.draw.texts[self.name]
        ask = (
            texts["ask"] if any(isinstance(each, dict) for each in texts["ask"]) else [texts["ask"]]
        )
        asked, hints, steps = (
            tuple(
                fill_lines(
                    lines,
                    {"key": key, "level": self.draw.difficulty, **self.values},
                    self.draw.language,
                )
            )
            for lines in (ask, texts["hints"], texts["steps"])
        )
        return Item(
            self.draw.generator.skill,
            self.draw.difficulty,
            kind,
            "".join(asked),
            right,
            hints,
            steps,
            options,
            tuple(misconceptions),
            unit,
        )


Write = Callable[[Draw], Item]


@dataclass(frozen=True, slots=True)
class Generator:
    """A function that makes items of one skill, with the skill's data."""

    skill: str
    grade: Grade
    write: Write
    module: str
    """The module that defines it; the file of its texts has the same name."""

    def make(self, seed: int, *, difficulty: int = 2, language: str = "fr") -> Item:
        """Make the item of this seed; the same arguments give the same item.

        Args:
            difficulty: one of `LEVELS`.
            language: `fr`, or any other for English.
        """
        return self.write(Draw(self, seed, difficulty, language))


GENERATORS: Final[dict[str, Generator]] = {}
"""All generators by their skill, filled when `bot.practice.catalogue` imports their modules."""


def generates(skill: str, grade: Grade) -> Callable[[Write], Write]:
    """Register a function as the generator of a skill."""

    def register(write: Write) -> Write:
        if skill in GENERATORS:
            raise ValueError(f"{skill} has two generators")
        GENERATORS[skill] = Generator(skill, grade, write, write.__module__.rpartition(".")[2])
        return write

    return register
