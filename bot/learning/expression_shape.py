"""Compute values and shapes of small expressions in floating point: fast, and not for grading."""

from __future__ import annotations

import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from bot.maths.exact.expression import Apply, Expr, Letter, Num, Quantity, is_small, walk
from bot.maths.reading.notation import NotReadable, Reader
from bot.maths.reading.tokens import join_words, tokenize

Shape: TypeAlias = tuple[object, ...]
_LONGEST: Final = 200
"""Most characters of an expression that is read."""
POINTS: Final = (0.7310585, 1.3816927, 2.2214414)
_CONSTANTS: Final = {"π": math.pi, "e": math.e}
_ARTICLE: Final = re.compile(r"^(?:[a-z] (?![-+*/^=÷ ]))+")
_CALLS: Final[Mapping[str, Callable[[float], float]]] = {
    "sqrt": math.sqrt, "ln": math.log, "log": math.log10, "exp": math.exp, "sin": math.sin,
    "cos": math.cos, "tan": math.tan, "abs": abs, "neg": lambda x: -x, "%": lambda x: x / 100,
}  # fmt: skip
_OPERATIONS: Final[Mapping[str, Callable[[float, float], float]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": lambda one, other: one / other,
    "^": math.pow, "root": lambda one, other: math.copysign(abs(one) ** (1 / other), one),
}  # fmt: skip


class Form:
    """An expression with its values at a few points, by which equivalent forms are recognised."""

    def __init__(self, expr: Expr) -> None:
        self.letters = frozenset(
            node.name for node in walk(expr) if isinstance(node, Letter)
        ) - set(_CONSTANTS)
        self.values = tuple(_evaluate_at(expr, self.letters, point) for point in POINTS)
        self.shape = describe(expr)
        self.is_undone = _is_undone(expr)

    def equals(self, other: Form) -> bool:
        """Return whether both forms have the same letters and the same value at each point."""
        pairs = zip(self.values, other.values, strict=True)
        return self.letters == other.letters and all(
            math.isclose(one, another, rel_tol=1e-9, abs_tol=1e-11) for one, another in pairs
        )

    def equals_number(self, value: float) -> bool:
        """Return whether the expression has no letters, and this value."""
        return not self.letters and math.isclose(self.values[0], value, rel_tol=1e-9)


@lru_cache(maxsize=2_048)
def read_form(text: str) -> Form | None:
    """Return the expression at the start of a text in plain notation; None: there is none."""
    text = _ARTICLE.sub("", text.strip()).replace("÷", "/")
    if len(text) > _LONGEST:
        return None
    tokens = join_words(tokenize(text))
    reader = Reader(tokens)
    try:
        expr = reader.read_sum()
    except NotReadable:
        return None
    if not is_small(expr) or (reader.at < len(tokens) and reader.peek().kind == "operator"):
        return None
    return Form(expr)


def _evaluate_at(expr: Expr, letters: frozenset[str], point: float) -> float:
    """Return the value with a different number for each letter; nan: it has no value."""
    values = {name: point + 0.37 * place for place, name in enumerate(sorted(letters))}
    try:
        return _evaluate(expr, values)
    except (ValueError, ZeroDivisionError, OverflowError, KeyError):
        return math.nan


def _evaluate(expr: Expr, values: Mapping[str, float]) -> float:
    match expr:
        case Num(value):
            return float(value)
        case Letter(name):
            return values[name] if name in values else _CONSTANTS[name]
        case Quantity(number):
            return _evaluate(number, values)
        case Apply(op, args):
            return _apply(op, [_evaluate(arg, values) for arg in args])


def _apply(op: str, args: list[float]) -> float:
    if op in _CALLS and len(args) == 1:
        return _CALLS[op](args[0])
    one, other = args
    return _OPERATIONS[op](one, other)


def describe(expr: Expr) -> Shape:
    """Return the shape of an expression, without regard to the order of its terms and factors."""
    match expr:
        case Num(value):
            return ("n", float(value))
        case Letter(name):
            return ("l", name)
        case Quantity(number):
            return describe(number)
        case Apply("+" | "-" | "neg"):
            return ("+", *sorted(map(repr, _list_terms(expr, 1))))
        case Apply("*"):
            return _describe_product(expr)
        case Apply(op, args):
            return (op, *map(describe, args))


def _list_terms(expr: Expr, sign: int) -> list[tuple[int, Shape]]:
    match expr:
        case Apply("+", (one, other)):
            return _list_terms(one, sign) + _list_terms(other, sign)
        case Apply("-", (one, other)):
            return _list_terms(one, sign) + _list_terms(other, -sign)
        case Apply("neg", (one,)):
            return _list_terms(one, -sign)
        case _:
            return [(sign, describe(expr))]


def _describe_product(expr: Expr) -> Shape:
    """Return the shape of a product; a factor that comes twice is squared."""
    counted = Counter(map(describe, _list_factors(expr)))
    factors = [
        shape if count == 1 else ("^", shape, ("n", float(count)))
        for shape, count in counted.items()
    ]
    return factors[0] if len(factors) == 1 else ("*", *sorted(map(repr, factors)))


def _list_factors(expr: Expr) -> list[Expr]:
    if isinstance(expr, Apply) and expr.op == "*":
        return [factor for arg in expr.args for factor in _list_factors(arg)]
    return [expr]


def _is_undone(expr: Expr) -> bool:
    """Return whether numbers are left to add or multiply, or like terms to collect."""
    return any(_is_step(node) for node in walk(expr) if isinstance(node, Apply))


def _is_step(node: Apply) -> bool:
    if node.op in ("+", "-"):
        monomials = Counter(_strip_number(shape) for _, shape in _list_terms(node, 1))
        return max(monomials.values()) > 1
    if node.op == "*":
        constants = list(filter(_is_constant, _list_factors(node)))
        roots = sum(isinstance(each, Apply) and each.op == "sqrt" for each in constants)
        return roots > 1 or len(constants) - roots > 1
    is_power = node.op == "^" and all(isinstance(arg, Num) for arg in node.args)
    return is_power or (node.op == "/" and not _is_plain_fraction(node) and _is_constant(node))


def _is_plain_fraction(node: Apply) -> bool:
    """Return whether a quotient is a fraction that cannot be reduced, of numbers or roots."""
    above, below = node.args
    if isinstance(above, Num) and isinstance(below, Num):
        wholes = [int(each.value) for each in (above, below)]
        return below.value != 1 and math.gcd(*wholes) == 1
    return True


def _is_constant(expr: Expr) -> bool:
    return not any(isinstance(node, Letter) and node.name not in _CONSTANTS for node in walk(expr))


def _strip_number(shape: Shape) -> str:
    """Return the shape of a term without its number, which is the same for like terms."""
    if shape[0] == "n":
        return "1"
    if shape[0] == "*":
        rest = [factor for factor in shape[1:] if not str(factor).startswith("('n',")]
        return str(rest[0]) if len(rest) == 1 else repr(rest)
    return repr(shape)


_SPAN: Final = re.compile(
    r"(?:(?<![a-z'])[a-z](?![a-z'])|\b(?:ln|sin|cos|tan|exp|log)\b|[\d,^*/÷+()√π -]|\.(?=\d)"
    r"|'(?=\())+"
)
_FACTOR_X: Final = re.compile(r"(?<=\d) x$")
"""A letter at the end, which is no sign of a product."""
_MOST_SPANS: Final = 2_000


def list_forms(
    plain: str, letters: frozenset[str] = frozenset()
) -> Iterator[tuple[int, int, Form]]:
    """Yield the expressions of a text in plain notation that have all these letters, each side of a
    relation separately, with start and end."""
    count = 0
    for found in _SPAN.finditer(plain):
        span = _FACTOR_X.sub("x", found[0].strip(" ,"))
        if len(span) < 2 or not all(letter in span for letter in letters) or span.isdigit():
            continue
        count += 1
        if count > _MOST_SPANS:
            return
        form = read_form(span)
        if form is not None and (form.letters or not span.replace(" ", "").isdigit()):
            yield found.start(), found.end(), form
