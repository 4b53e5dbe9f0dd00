"""Define the tree of a formula: the meaning of LaTeX, without how a target writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec


class Char(msgspec.Struct, frozen=True):
    """A character of mathematics, or a command that is one; `~` is a space."""

    char: str


class Number(msgspec.Struct, frozen=True):
    """Digits, with a comma or point between them."""

    digits: str


class Text(msgspec.Struct, frozen=True):
    """Upright words."""

    text: str


class Blank(msgspec.Struct, frozen=True):
    """White space of the source, which only lines of text show."""


class Gap(msgspec.Struct, frozen=True):
    """An explicit space, by its name in `symbols.SPACES`."""

    width: str


class Remark(msgspec.Struct, frozen=True):
    """A remark apart from the formula: its number, or `(mod 3)`."""

    body: Row


class Name(msgspec.Struct, frozen=True):
    """An operator with a name, such as `sin`."""

    body: Row
    has_limits: bool
    """Whether scripts stand under and over it."""


class Negated(msgspec.Struct, frozen=True):
    """A relation that is crossed out."""

    char: str


class Group(msgspec.Struct, frozen=True):
    """The content of a pair of braces."""

    body: Row


class Wrapped(msgspec.Struct, frozen=True):
    """An accent, font, box or strike, by its name in `symbols.WRAPPERS` or `symbols.TEXTS`."""

    function: str
    body: Row


class Styled(msgspec.Struct, frozen=True):
    """The rest of a group after a change of style, by the name in `symbols.SWITCHES`."""

    function: str
    body: Row


class Scripts(msgspec.Struct, frozen=True):
    base: Node | None
    places: Mapping[str, Row]
    """The rows at `^`, `_` and `'`, in the order of the source."""
    are_before: bool = False
    """Whether they stand before their base, as in isotopes."""


class Limits(msgspec.Struct, frozen=True):
    """An operator with a command that says where its scripts stand."""

    base: Node
    has_limits: bool


class Fraction(msgspec.Struct, frozen=True):
    size: str
    """A function of `symbols.FRACTIONS`, or empty."""
    above: Row
    below: Row


class Binomial(msgspec.Struct, frozen=True):
    above: Row
    below: Row


class Root(msgspec.Struct, frozen=True):
    degree: Row
    """Empty for a square root."""
    body: Row


class Delimiter(msgspec.Struct, frozen=True):
    """A bracket sized by hand or `middle`; or a `left` or `right` without its counterpart."""

    size: str
    char: str
    """Empty for the dot, which means no bracket."""


class Fence(msgspec.Struct, frozen=True):
    """Brackets as tall as the content between them; either may be empty."""

    opening: str
    body: Row
    closing: str


class Stack(msgspec.Struct, frozen=True):
    """A row with other rows over and under it; None if there is none."""

    base: Row
    above: Row | None
    below: Row | None


class Arrow(msgspec.Struct, frozen=True):
    """An arrow as long as the rows over and under it."""

    char: str
    above: Row
    below: Row


class Brace(msgspec.Struct, frozen=True):
    """A row with a brace over (`overbrace`) or under it (`underbrace`), and a note at the brace."""

    name: str
    body: Row
    note: Row | None


class Table(msgspec.Struct, frozen=True):
    """An environment: the cells between `\\begin` and `\\end`, or lines."""

    name: str
    """The name without its star."""
    columns: str
    """For an array, its columns such as `c|cc`; else empty."""
    rows: Sequence[Sequence[Row]]
    rules: Sequence[int]
    """The indices of rows before which a line is drawn."""


class Unknown(msgspec.Struct, frozen=True):
    """The source of an unknown command with its arguments, or of a sign without a meaning there."""

    source: str


Node: TypeAlias = (
    Char | Number | Text | Blank | Gap | Remark | Name | Negated | Group | Wrapped | Styled
    | Scripts | Limits | Fraction | Binomial | Root | Delimiter | Fence | Stack | Arrow | Brace
    | Table | Unknown
)  # fmt: skip
Row: TypeAlias = Sequence[Node]
