"""What `checker.py` asks `algebra.py`, and what it answers. sympy is not loaded here."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, Literal, TypeAlias

import msgspec

from bot.maths.arithmetic import Verdict
from bot.maths.expression import Expr, Solutions

Strength = Literal["claimed", "plain", "equation"]
"""How an equality of letters is meant: as one that holds always; by its looks; as an equation."""


class Equation(msgspec.Struct, frozen=True):
    """An equation or inequality; `is_linked` where it is said to follow from the one before."""

    left: Expr
    relation: str
    right: Expr
    is_linked: bool = False


class Comparison(msgspec.Struct, frozen=True, tag="compare"):
    """Whether a relation of two numbers holds; `step` is a unit of the last digit shown."""

    left: Expr
    relation: str
    right: Expr
    step: Fraction


class Identity(msgspec.Struct, frozen=True, tag="identity"):
    left: Expr
    right: Expr
    strength: Strength
    equations: tuple[Equation, ...] = ()
    """Equations that stand before it: one of them, written anew, is no identity."""


class Derivative(msgspec.Struct, frozen=True, tag="derivative"):
    """Whether `derivative` is that of `function`, `order` times."""

    function: Expr
    derivative: Expr
    letter: str
    order: int = 1


class Solving(msgspec.Struct, frozen=True, tag="solving"):
    """Whether values or a set solve the first of the equations, or how many do."""

    equations: tuple[Equation, ...]
    letters: tuple[str, ...]
    """One letter, or those of a system."""
    claim: Solutions
    is_complete: bool
    """Whether the claim is all solutions."""
    is_rounded: bool = False
    count: int | None = None
    """How many real solutions the first equation is said to have, instead of a claim."""


Question: TypeAlias = Comparison | Identity | Derivative | Solving


@dataclass(frozen=True, slots=True)
class Pair:
    """Two numbers with a relation between them."""

    left: Expr
    relation: str
    right: Expr


@dataclass(frozen=True, slots=True)
class Known:
    """What is decided already, and of a wrong one why."""

    verdict: Verdict
    why: str = ""


Check: TypeAlias = Pair | Known | Identity | Derivative | Solving


class Reply(msgspec.Struct, frozen=True):
    verdict: Verdict
    why: str = ""


UNDECIDED: Final = Reply("undecided")


@dataclass(slots=True)
class Statement:
    """One statement of a text."""

    text: str
    readings: list[list[Check]] = field(default_factory=list[list[Check]])
    """What must be right for it to be right, in each reading of its notation; none of them: it
    cannot be decided."""
    is_doubtful: bool = False
    """Whether it can be right but not wrong, because of what stands around it."""
