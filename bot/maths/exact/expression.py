"""Define the tree of an expression of school mathematics, exact and small, and its JSON encoding.

A decimal is a fraction that remembers its digits. Letters are variables, names of segments (`AB`)
or of terms (`u_1`), or unknown functions that are applied (`f(3)`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final, TypeAlias

import msgspec

MAX_NODES: Final = 400
"""Most nodes of a tree that is decided."""
MAX_DEPTH: Final = 120


class Num(msgspec.Struct, frozen=True, tag="n"):
    """A number with the notation in which it is written."""

    value: Fraction
    places: int = 0
    """Digits after the decimal mark."""
    is_decimal: bool = False
    is_endless: bool = False
    """Whether dots say that more digits follow."""


class Letter(msgspec.Struct, frozen=True, tag="l"):
    """A variable, or another thing that has a name."""

    name: str


class Apply(msgspec.Struct, frozen=True, tag="a"):
    """An operation on its arguments.

    Operators are `+ - * / ^ neg ! %`, `derive` with a function and its letter, `integrate`, `sum`
    and `prod` with also two bounds (or none), `at` with the place, `limit` with the place and its
    side. Functions are `sin`, `cos`, `tan`, `asin`, `acos`, `atan`, `ln`, `log`, `exp`, `abs`,
    `sqrt`, `root`, `gcd`, `lcm` and `binom`.
    """

    op: str
    args: tuple[Expr, ...]


class Quantity(msgspec.Struct, frozen=True, tag="q"):
    """A number with a unit; `unit` is a name in `units.UNITS`, or a noun."""

    number: Expr
    unit: str


Expr: TypeAlias = Num | Letter | Apply | Quantity


class Interval(msgspec.Struct, frozen=True, tag="i"):
    """The numbers between two bounds; a bound of None is infinite."""

    low: Expr | None
    high: Expr | None
    has_low: bool
    has_high: bool


class Solutions(msgspec.Struct, frozen=True, tag="s"):
    """A set of elements (tuples of coordinates, one for a number) and intervals."""

    elements: tuple[tuple[Expr, ...], ...] = ()
    intervals: tuple[Interval, ...] = ()


CONSTANTS: Final = frozenset(("π", "e", "∞", "", "+", "-"))
"""Letters that are numbers, the empty name of an omitted letter, and the sides of a limit."""
_BINDERS: Final = {"integrate": 4, "sum": 4, "prod": 4, "limit": 4, "at": 3}
"""Operators that bind their second argument if they have so many arguments."""


def number(value: int | Fraction) -> Num:
    return Num(Fraction(value))


def apply(op: str, *args: Expr) -> Apply:
    return Apply(op, args)


_PARTS: Final = {
    "half": Fraction(1, 2), "double": Fraction(2), "triple": Fraction(3), "quadruple": Fraction(4),
    "third": Fraction(1, 3), "quarter": Fraction(1, 4), "fifth": Fraction(1, 5),
    "tenth": Fraction(1, 10),
}  # fmt: skip


def apply_phrase(meaning: str, inner: Expr) -> Expr:
    """Return the expression that a phrase such as `half of` or `the square of` makes of another."""
    if meaning in _PARTS:
        return apply("*", number(_PARTS[meaning]), inner)
    match meaning:
        case "square" | "cube":
            return apply("^", inner, number(2 if meaning == "square" else 3))
        case "cbrt":
            return apply("root", inner, number(3))
        case "inverse":
            return apply("/", number(1), inner)
        case "opposite":
            return apply("*", number(-1), inner)
        case _:
            return apply(meaning, inner)


def walk(expr: Expr) -> Iterator[Expr]:
    """Yield the expression and all its subexpressions."""
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Apply):
            waiting.extend(reversed(node.args))
        elif isinstance(node, Quantity):
            waiting.append(node.number)


def find_letters(expr: Expr) -> set[str]:
    """Find the names of all letters."""
    return {node.name for node in walk(expr) if isinstance(node, Letter)}


def free_letters(expr: Expr) -> set[str]:
    """Return the letters that are neither constants nor bound by an integral, sum or limit."""
    bound = {
        node.args[1].name
        for node in walk(expr)
        if isinstance(node, Apply)
        and len(node.args) == _BINDERS.get(node.op)
        and isinstance(node.args[1], Letter)
    }
    return find_letters(expr) - CONSTANTS - bound


def has_operation(expr: Expr) -> bool:
    """Return whether there is something to compute; a sign or percent alone is no computation."""
    return any(isinstance(node, Apply) and node.op not in ("neg", "%") for node in walk(expr))


def has_operator(expr: Expr, *operators: str) -> bool:
    """Return whether one of these operations stands anywhere in an expression."""
    return any(isinstance(node, Apply) and node.op in operators for node in walk(expr))


def has_decimal(expr: Expr) -> bool:
    """Return whether an expression has a decimal, which may be rounded."""
    return any(isinstance(node, Num) and node.is_decimal for node in walk(expr))


def drop_sign(expr: Expr | Solutions) -> Expr | Solutions:
    """Return a value without the minus sign before it."""
    return expr.args[0] if isinstance(expr, Apply) and expr.op == "neg" else expr


def has_units(expr: Expr) -> bool:
    return any(isinstance(node, Quantity) for node in walk(expr))


def is_fraction(expr: Expr | Solutions) -> bool:
    """Return whether an expression is a quotient of two numbers: `3/4`."""
    if not isinstance(expr, Apply) or expr.op != "/":
        return False
    return all(isinstance(each, Num) for each in expr.args)


def is_percent(expr: Expr | Solutions) -> bool:
    return isinstance(expr, Apply) and expr.op == "%"


def is_power_of_ten(expr: Expr) -> bool:
    """Return whether an expression is written as a power of ten: `10³`."""
    return isinstance(expr, Apply) and expr.op == "^" and expr.args[0] == number(10)


def is_mixed(expr: Expr) -> bool:
    """Return whether an expression is one measure in several units: `2 h 30 min`."""
    if not isinstance(expr, Apply) or expr.op != "+":
        return False
    first, last = expr.args
    if not isinstance(last, Quantity) or not (isinstance(first, Quantity) or is_mixed(first)):
        return False
    return last.unit not in list_units([first])


def is_small(expr: Expr) -> bool:
    """Return whether the tree is within `MAX_NODES` and `MAX_DEPTH`, and its numbers within 400
    digits."""
    count = 0
    waiting: list[tuple[Expr, int]] = [(expr, 1)]
    while waiting:
        node, depth = waiting.pop()
        count += 1
        if count > MAX_NODES or depth > MAX_DEPTH:
            return False
        if isinstance(node, Apply):
            waiting.extend((arg, depth + 1) for arg in node.args)
        elif isinstance(node, Quantity):
            waiting.append((node.number, depth + 1))
        elif isinstance(node, Num):
            size = max(node.value.numerator.bit_length(), node.value.denominator.bit_length())
            if size > 1_400:
                return False
    return True


def transform(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """Return the tree with each node replaced, from its leaves up."""
    if isinstance(expr, Apply):
        return change(Apply(expr.op, tuple(transform(arg, change) for arg in expr.args)))
    if isinstance(expr, Quantity):
        return change(Quantity(transform(expr.number, change), expr.unit))
    return change(expr)


def list_units(exprs: Iterable[Expr]) -> set[str]:
    """Return the names of all units in some expressions."""
    return {node.unit for expr in exprs for node in walk(expr) if isinstance(node, Quantity)}


def substitute(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    """Return the expression with letters replaced by their values."""

    def change(node: Expr) -> Expr:
        return values.get(node.name, node) if isinstance(node, Letter) else node

    return transform(expr, change)


def conjugate(expr: Expr) -> Expr:
    """Return the conjugate of a complex number."""
    return substitute(expr, {"i": apply("neg", Letter("i"))})


def encode(value: object) -> bytes:
    """Return trees, or structs of them, as JSON; fractions are strings."""
    return msgspec.json.encode(value, enc_hook=str)


def decode(message: bytes, kind: Any) -> Any:
    """Return the value of type `kind` that `encode` wrote. Raises `msgspec.ValidationError`."""
    return msgspec.json.decode(message, type=kind, dec_hook=_read_fraction)


def _read_fraction(_: type[Any], written: Any) -> Fraction:
    return Fraction(written)
