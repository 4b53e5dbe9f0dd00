"""Define exercise generators: small functions that draw numbers and give them to texts.

A generator is registered with `@generates(...)` on a function of the modules of this package:

    @generates("maths.add-to-100", "CE1")
    def add_to_100(draw: Draw) -> Item:
        a, b = draw.between(12, 49), draw.between(11, 50)
        return draw.exercise("add_to_100", a=a, b=b).choice(
            a + b, (a + b - 10, "no-carry"), (abs(a - b), "subtracted")
        )

The first answer is the key; each wrong one has the name of the mistake that leads to it. The
docstring of a generator says what it asks at the three difficulties: easy, then usual, then hard.

All numbers come from `Draw`, whose random source is seeded, and none depends on the language: the
same seed gives the same numbers in each language.

Statement, hints, steps and mistakes are in the `.toml` file of the module's name, in both
languages, one table for each exercise:

    [taxi_fare]
    ask = ["Un taxi demande ${start}$ FCFA…", "A taxi charges ${start}$ FCFA…"]
    hints = [["Appelle $x$ …", "Call $x$ …"]]
    steps = ["${per_km}x + {start} = {paid}$", "${per_km}x = {paid - start}$"]

A text is a French and an English string, or one string for both. A field in braces is a value, or a
sum, difference or product of values; between `$` it is written in LaTeX, elsewhere as people write
it. `{n:+}` writes `+ 3` or `- 3`, to continue a sum; `{n:()}` puts a negative number in brackets. A
line that becomes empty is left out, and a line that is only the field of a list is replaced by the
list's lines. A line can depend on a value: `{ if = "is_long", say = "…" }`. Lines that several
tables share are in `[shared]`; `{ lines = "name" }` inserts them.

`[mistakes]` names mistakes, each with the feedback to a pupil who made it; mistakes that several
modules share are in `mistakes.toml`.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random
from string import Formatter
from types import CodeType
from typing import Any, Final, Required, TypedDict, TypeVar, cast

from bot.messages.value import ExerciseKind, Value
from bot.practice.grades import PRIMARY_GRADES, Grade
from bot.practice.notation import (
    Number,
    Pair,
    capitalise,
    continue_sum,
    join_plus,
    list_numbers,
    point,
    polynomial_maths,
    raise_fraction,
    raise_maths,
    set_maths,
    simplified,
    write_fraction,
    write_maths,
    write_number,
    write_polynomial,
    write_ratio,
    write_root,
    write_scientific,
    write_time,
)

Answer = Number | str | Pair
Values = Mapping[str, object]
Wrong = tuple[Answer | None, str] | tuple[Answer | None, str, Values]
"""A likely wrong answer, or None to leave it out; the name of its mistake in `[mistakes]`; and
perhaps more values for its texts."""
T = TypeVar("T")
_JOINED: Final = re.compile(r"(?<=\d)[ ,\u00a0\u202f](?=\d{3})")
"""What separates thousands."""
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
    kind: ExerciseKind
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

    def __init__(
        self, generator: Generator, seed: int, difficulty: int, language: str, table: int = 0
    ) -> None:
        self.random = Random(f"{generator.skill}/{difficulty}/{seed}")  # noqa: S311 (not a secret)
        self.generator = generator
        self.difficulty = difficulty
        self.language = language
        self.table = table
        """The times table that was asked for; 0: any."""

    # Numbers ------------------------------------------------------------------------------------

    def between(self, least: int, most: int) -> int:
        """Return a whole number from `least` to `most`, both included."""
        return self.random.randint(least, most)

    def one_of(self, values: Sequence[T]) -> T:
        return self.random.choice(values)

    def flip(self) -> bool:
        """Return whether a coin shows heads."""
        return self.one_of((True, False))

    def sign(self) -> int:
        """Return 1 or -1."""
        return self.one_of((1, -1))

    def signed(self, least: int, most: int) -> int:
        """Return a whole number from `least` to `most`, or its opposite."""
        return self.between(least, most) * self.sign()

    def by_level(self, easy: T, usual: T, hard: T) -> T:
        """Return the value for this difficulty."""
        return (easy, usual, hard)[self.difficulty - 1]

    @property
    def texts(self) -> Mapping[str, Any]:
        """The tables of texts for this generator's module."""
        return load_texts(self.generator.module)

    # Words --------------------------------------------------------------------------------------

    def write(self, value: Answer, unit: str = "") -> str:
        """Write a number as people do in the language, `12 500`, `3,5 kg`; choose a text in it.

        An English number has no comma: graders would read that as a decimal point.
        """
        if isinstance(value, tuple):
            return value[0 if self.language == "fr" else 1]
        if isinstance(value, str):
            return value
        space = "" if unit in ("", "°") or (unit == "%" and self.language != "fr") else " "
        number = write_number(value, self.language)
        return f"{number if self.language == 'fr' else number.replace(',', '')}{space}{unit}"

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

    def open(
        self, key: Answer, *wrong: Wrong, kind: ExerciseKind = "number", unit: str = ""
    ) -> Item:
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
                is_copied = mistake == "stopped-early" and self._has_number(answer, key)
                texts = self.draw.texts["mistakes"]["copied" if is_copied else mistake][language]
                name, feedback = (fill(text, values, language) for text in texts)
                found.setdefault(option, Misconception(option, name, feedback))
        return found

    def _has_number(self, answer: Answer, key: Answer) -> bool:
        """Return whether the statement has this number, of which nothing was worked out."""
        asked, number = (
            _JOINED.sub("", each) for each in (self._ask(key), self.draw.write(answer))
        )
        return re.search(rf"(?<![\d.,]){re.escape(number)}(?![.,]?\d)", asked) is not None

    def _ask(self, key: Answer) -> str:
        """Return the statement."""
        ask = self.draw.texts[self.name]["ask"]
        lines = ask if any(isinstance(each, dict) for each in ask) else [ask]
        return "".join(self._fill(lines, key))

    def _fill(self, lines: Sequence[Any], key: Answer) -> tuple[str, ...]:
        values = {"key": key, "level": self.draw.difficulty, **self.values}
        return tuple(fill_lines(lines, values, self.draw.language))

    def _write(
        self,
        kind: ExerciseKind,
        key: Answer,
        right: str,
        misconceptions: Iterable[Misconception],
        *,
        options: tuple[str, ...] = (),
        unit: str = "",
    ) -> Item:
        texts = self.draw.texts[self.name]
        hints, steps = (self._fill(texts[each], key) for each in ("hints", "steps"))
        return Item(
            self.draw.generator.skill,
            self.draw.difficulty,
            kind,
            self._ask(key),
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

    def make(self, seed: int, *, difficulty: int = 2, language: str = "fr", table: int = 0) -> Item:
        """Make the item of this seed; the same arguments give the same item.

        Args:
            difficulty: one of `LEVELS`.
            language: `fr`, or any other for English.
            table: the times table that was asked for; 0: any, as for all other skills.
        """
        return self.write(Draw(self, seed, difficulty, language, table))


def seed_of(text: str) -> int:
    """Return the seed that a text gives, the same for the same text."""
    return int.from_bytes(sha256(text.encode()).digest()[:4], "big")


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


# Texts --------------------------------------------------------------------------------------------

_Conditional = TypedDict(
    "_Conditional", {"say": Required[str | list[str]], "if": str, "unless": str}, total=False
)
_FOLDER: Final = Path(__file__).parent
_LONE_FIELD: Final = re.compile(r"\{(\w+)\}")
_MAY_STAND: Final = (
    *(
        ast.Expression,
        ast.Name,
        ast.Load,
        ast.Constant,
        ast.Attribute,
        ast.Subscript,
        ast.Starred,
        ast.Tuple,
    ),
    *(ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call),
    *(ast.operator, ast.unaryop, ast.boolop, ast.cmpop),
)


@cache
def load_texts(module: str) -> Mapping[str, Any]:
    """Return the tables of a module's file by name; the shared mistakes are added to its own."""
    tables = tomllib.loads((_FOLDER / f"{module}.toml").read_text(encoding="utf-8"))
    shared = tables.pop("shared", {})
    for table in tables.values():
        for part, lines in table.items():
            if part in ("ask", "hints", "steps") and isinstance(lines, list):
                table[part] = list(_share_lines(cast("list[Any]", lines), shared))
    if module != "mistakes":
        tables["mistakes"] = {**load_texts("mistakes")["mistakes"], **tables.get("mistakes", {})}
    return tables


@cache
def _parse(text: str) -> list[tuple[str, str | None, str | None, str | None]]:
    return list(Formatter().parse(text))


def _share_lines(lines: list[Any], shared: Mapping[str, list[Any]]) -> Iterator[Any]:
    for line in lines:
        if isinstance(line, dict) and "lines" in line:
            yield from shared[line["lines"]]
        else:
            yield line


def fill(text: str, values: Values, language: str) -> str:
    """Return the text with its fields replaced by values."""
    written, in_maths = "", False
    for literal, field, spec, _ in _parse(text):
        written += literal
        in_maths ^= literal.count("$") % 2 == 1
        if field is not None:
            value = _evaluate(field, values)
            written += _write_field(value, spec or "", language, in_maths=in_maths)
    return written


def _write_field(value: object, spec: str, language: str, *, in_maths: bool) -> str:
    if isinstance(value, tuple):
        french, english = cast("Pair", value)
        return french if language == "fr" else english
    if isinstance(value, str):
        return value
    if not isinstance(value, Number):
        raise TypeError(f"{value!r} is no text and no number")
    if spec == "+":
        sign = "-" if value < 0 else "+"
        return f"{sign} {_write_field(abs(value), '', language, in_maths=in_maths)}"
    if spec == "()" and value < 0:
        return f"({_write_field(value, '', language, in_maths=in_maths)})"
    if spec not in ("", "()"):
        return format(value, spec)
    return write_maths(value, language) if in_maths else write_number(value, language)


FUNCTIONS: Final[Mapping[str, Callable[..., object]]] = {
    "abs": abs,
    "bracketed": raise_fraction,
    "capital": capitalise,
    "len": len,
    "listed": list_numbers,
    "max": max,
    "min": min,
    "sum": sum,
    "fraction": write_fraction,
    "plus": join_plus,
    "point": point,
    "poly": write_polynomial,
    "polynomial": polynomial_maths,
    "power": raise_maths,
    "ratio": write_ratio,
    "root": write_root,
    "scientific": write_scientific,
    "sets": set_maths,
    "simplified": simplified,
    "term": continue_sum,
    "time": write_time,
}
"""Functions that a field may call."""
_GLOBALS: Final[dict[str, object]] = {"__builtins__": {}, **FUNCTIONS}


@cache
def _compile(expression: str) -> CodeType:
    tree = ast.parse(expression, mode="eval")
    for node in ast.walk(tree):
        if not isinstance(node, _MAY_STAND):
            raise TypeError(f"{ast.unparse(node)} cannot stand in a text")
    return compile(tree, "<text>", "eval")


def _evaluate(expression: str, values: Values) -> object:
    """Return the value of a field or a condition, made of names, numbers and the syntax in
    `_MAY_STAND`."""
    return eval(_compile(expression), _GLOBALS, values)  # noqa: S307 (the texts are ours)


def fill_lines(lines: Sequence[Any], values: Values, language: str) -> Iterator[str]:
    """Yield the filled lines, without empty ones and those whose condition is false."""
    for line in lines:
        text: str | list[str] | _Conditional = line
        if isinstance(text, dict):
            if not _evaluate(text.get("if", "True"), values) or (
                "unless" in text and _evaluate(text["unless"], values)
            ):
                continue
            text = text["say"]
        spoken = text if isinstance(text, str) else text[0 if language == "fr" else 1]
        alone = _LONE_FIELD.fullmatch(spoken)
        value = values[alone[1]] if alone else None
        if isinstance(value, list):
            yield from cast("list[str]", value)
        elif written := fill(spoken, values, language):
            yield written
