"""The tree of a formula: what LaTeX means, without how a target writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Char:
    """A character of mathematics, or a command that is one; `~` is a space."""

    char: str


@dataclass(frozen=True, slots=True)
class Number:
    """Digits, with a comma or point between them."""

    digits: str


@dataclass(frozen=True, slots=True)
class Text:
    """Upright words."""

    text: str


@dataclass(frozen=True, slots=True)
class Blank:
    """White space of the source, which only lines of text show."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A space that was asked for, by its name in `symbols.SPACES`."""

    width: str


@dataclass(frozen=True, slots=True)
class Remark:
    """What stands apart after a formula: its number, or `(mod 3)`."""

    body: Row


@dataclass(frozen=True, slots=True)
class Name:
    """An operator with a name, such as `sin`."""

    body: Row
    has_limits: bool
    """Whether scripts stand under and over it."""


@dataclass(frozen=True, slots=True)
class Negated:
    """A relation that is crossed out."""

    char: str


@dataclass(frozen=True, slots=True)
class Group:
    """What stands between braces."""

    body: Row


@dataclass(frozen=True, slots=True)
class Wrapped:
    """An accent, font, box or strike, by its name in `symbols.WRAPPERS` or `symbols.TEXTS`."""

    function: str
    body: Row


@dataclass(frozen=True, slots=True)
class Styled:
    """What a command changes up to the end of its group, by the name in `symbols.SWITCHES`."""

    function: str
    body: Row


@dataclass(frozen=True, slots=True)
class Scripts:
    base: Node | None
    places: Mapping[str, Row]
    """What stands at `^`, `_` and `'`, in the order of the source."""
    are_before: bool = False
    """Whether they stand before their base, as those of isotopes."""


@dataclass(frozen=True, slots=True)
class Limits:
    """An operator that is told where its scripts stand."""

    base: Node
    has_limits: bool


@dataclass(frozen=True, slots=True)
class Fraction:
    size: str
    """A function of `symbols.FRACTIONS`, or empty."""
    above: Row
    below: Row


@dataclass(frozen=True, slots=True)
class Binomial:
    above: Row
    below: Row


@dataclass(frozen=True, slots=True)
class Root:
    degree: Row
    """Empty for a square root."""
    body: Row


@dataclass(frozen=True, slots=True)
class Delimiter:
    """A bracket sized by hand or `middle`; or `left` or `right`, without the other one."""

    size: str
    char: str
    """Empty for the dot that stands for none."""


@dataclass(frozen=True, slots=True)
class Fence:
    """Brackets as tall as what stands between them; either may be empty."""

    opening: str
    body: Row
    closing: str


@dataclass(frozen=True, slots=True)
class Stack:
    """A row with others over and under it; these are None where there are none."""

    base: Row
    above: Row | None
    below: Row | None


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow as long as what stands over and under it."""

    char: str
    above: Row
    below: Row


@dataclass(frozen=True, slots=True)
class Brace:
    """A row with a brace over (`overbrace`) or under it (`underbrace`), and a note at the brace."""

    name: str
    body: Row
    note: Row | None


@dataclass(frozen=True, slots=True)
class Table:
    """An environment: the cells between `\\begin` and `\\end`, or lines."""

    name: str
    """The name without its star."""
    columns: str
    """Of an array, `c|cc`; else empty."""
    rows: Sequence[Sequence[Row]]
    rules: Sequence[int]
    """The rows before which a line is drawn."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A command that is not known here with its arguments, or a sign that means nothing there."""

    source: str


Node: TypeAlias = (
    Char | Number | Text | Blank | Gap | Remark | Name | Negated | Group | Wrapped | Styled
    | Scripts | Limits | Fraction | Binomial | Root | Delimiter | Fence | Stack | Arrow | Brace
    | Table | Unknown
)  # fmt: skip
Row: TypeAlias = Sequence[Node]
