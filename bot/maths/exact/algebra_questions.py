"""Define the questions from `checker.py` to `algebra.py`, and the replies, without sympy."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, Literal, TypeAlias

import msgspec

from bot.maths.exact.arithmetic import Verdict
from bot.maths.exact.expression import Expr, Solutions, free_letters

Strength = Literal["claimed", "plain", "equation"]
"""How an equality of letters is meant: "claimed" to hold always, "plain" if only its form can tell,
or an "equation" to solve."""


class Equation(msgspec.Struct, frozen=True):
    """An equation or inequality; `is_linked` if the text says that it follows from another."""

    left: Expr
    relation: str
    right: Expr
    is_linked: bool = False

    @property
    def letters(self) -> set[str]:
        return free_letters(self.left) | free_letters(self.right)


class Comparison(msgspec.Struct, frozen=True, tag="compare"):
    """Whether a relation of numbers holds; `step` is a unit of the last digit shown."""

    left: Expr
    relation: str
    right: Expr
    step: Fraction


class Identity(msgspec.Struct, frozen=True, tag="identity"):
    left: Expr
    right: Expr
    strength: Strength
    equations: tuple[Equation, ...] = ()
    """Equations that stand before it; one of them in another form is no identity."""


class Derivative(msgspec.Struct, frozen=True, tag="derivative"):
    """Whether `derivative` is the derivative of `function` of this order."""

    function: Expr
    derivative: Expr
    letter: str
    order: int = 1


class Solving(msgspec.Struct, frozen=True, tag="solving"):
    """Whether values or a set solve the first equation, or how many solutions it has."""

    equations: tuple[Equation, ...]
    letters: tuple[str, ...]
    """One letter, or the letters of a system."""
    claim: Solutions
    is_complete: bool
    """Whether the claim is all solutions."""
    is_rounded: bool = False
    count: int | None = None
    """The claimed number of real solutions of the first equation, instead of a claim."""


class Equivalence(msgspec.Struct, frozen=True, tag="equivalence"):
    """Whether two equations with the same letters have the same solutions."""

    one: Equation
    other: Equation


class Region(msgspec.Struct, frozen=True, tag="region"):
    """Whether a set is where all conditions hold; `≠` is a relation here. The set is the intervals
    of the claim, without its elements."""

    conditions: tuple[Equation, ...]
    letter: str
    claim: Solutions
    is_part: bool = False
    """Whether the conditions may hold elsewhere too."""


Question: TypeAlias = Comparison | Identity | Derivative | Solving | Equivalence | Region


@dataclass(frozen=True, slots=True)
class Pair:
    """Two numbers with a relation between them."""

    left: Expr
    relation: str
    right: Expr


@dataclass(frozen=True, slots=True)
class Known:
    """A verdict that is decided already, and for a wrong one the reason."""

    verdict: Verdict
    why: str = ""


def judge(is_right: bool, why: str) -> Known:
    """Return a verdict, with the reason if it is wrong."""
    return Known("right" if is_right else "wrong", why)


Check: TypeAlias = Pair | Known | Identity | Derivative | Solving | Equivalence | Region


class Reply(msgspec.Struct, frozen=True):
    verdict: Verdict
    why: str = ""


UNDECIDED: Final = Reply("undecided")


@dataclass(slots=True)
class Statement:
    """One statement of a text."""

    text: str
    readings: list[list[Check]] = field(default_factory=list[list[Check]])
    """The checks that must all be right, for each reading of its notation; without checks it cannot
    be decided."""
    is_doubtful: bool = False
    """Whether it can be right but not wrong, because of the words around it."""


def decide(text: str, why: str) -> Statement:
    """Return a decided statement.

    Args:
        why: the reason why it is wrong; empty if it is right.
    """
    return Statement(text.strip(), [[Known("wrong" if why else "right", why)]])


class Checked(msgspec.Struct, frozen=True, omit_defaults=True):
    """A statement with its verdict."""

    text: str
    verdict: Verdict
    why: str = ""
    """For a wrong statement: the right result, in a few words of English, for the model."""
