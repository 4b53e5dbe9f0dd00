"""Build sympy objects from expression trees, within bounds, and compute their values at points.

sympy never sees text, because it evaluates text that it parses as Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sympy as _untyped

from bot.maths.exact.expression import Apply, Expr, Letter, Num, Quantity, is_small, walk

sympy: Any = _untyped
DIGITS: Final = 30
EPSILON: Final = sympy.Float("1e-18")
_MAX_EXPONENT: Final = 60
_MAX_BITS: Final = 4_000
_POINTS: Final = (
    ("1.3719", "2.2918", "0.7163", "3.1127", "1.8231", "2.7011"),
    ("2.1773", "0.5391", "1.6089", "1.2707", "3.4153", "0.8417"),
    ("0.3127", "1.4419", "2.9043", "0.6581", "1.1057", "3.7919"),
)
"""Values of the letters at which functions are compared."""


class SympyBuilder:
    """A builder of sympy objects from a tree.

    Args:
        pi: the value of π.
        in_degrees: whether angles without a unit are degrees.
        functions: letters that stand for functions, as `u` does in `(u^2)' = 2uu'`.
    """

    def __init__(
        self,
        *,
        has_e: bool,
        pi: Any = sympy.pi,
        in_degrees: bool = False,
        has_i: bool = False,
        functions: Sequence[str] = (),
    ) -> None:
        self._constants: dict[str, Any] = {"π": pi, "∞": sympy.oo}
        if has_e:
            self._constants["e"] = sympy.E
        if has_i:
            self._constants["i"] = sympy.I
        self._in_degrees = in_degrees
        self._functions = functions

    def build(self, expr: Expr) -> Any:
        """Build the sympy object of an expression. Raises `ValueError`: it is too large, or means
        nothing here."""
        match expr:
            case Num(value):
                return sympy.Rational(value.numerator, value.denominator)
            case Letter(name):
                return self._constants.get(name) or sympy.Symbol(name)
            case Quantity(number, unit):
                built = self.build(number)
                return built * sympy.pi / 180 if unit == "°" else built
            case Apply(op, args):
                return self._apply(op, [self.build(arg) for arg in args], args)

    def derive(self, function: Any, letter: str, order: int = 1) -> Any:
        """Return the derivative of a function by a letter; by the only one or x, if it is empty.

        A letter that stands for a function is derived as one: the derivative of `u^2` is `2uu'`.
        """
        if not self._functions:
            return sympy.diff(function, _choose_letter(function, letter), order)
        x = sympy.Symbol("x" if letter in self._functions else letter or "x")
        for name in self._functions:
            applied = sympy.Function(name)(x)
            function = function.subs(sympy.Symbol(f"{name}'"), applied.diff(x))
            function = function.subs(sympy.Symbol(name), applied)
        derived = sympy.diff(function, x, order)
        for name in self._functions:
            applied = sympy.Function(name)(x)
            for count in range(order + 1, 0, -1):
                derived = derived.subs(applied.diff(x, count), sympy.Symbol(name + "'" * count))
            derived = derived.subs(applied, sympy.Symbol(name))
        return derived

    def _apply(self, op: str, values: list[Any], args: Sequence[Expr]) -> Any:
        match op:
            case "+":
                return values[0] + values[1]
            case "-":
                return values[0] - values[1]
            case "*":
                return values[0] * values[1]
            case "/":
                if values[1] == 0:
                    raise ValueError("It divides by zero.")
                return values[0] / values[1]
            case "^":
                return self._raise(values[0], values[1])
            case _:
                return self._call(op, values, args)

    def _raise(self, base: Any, exponent: Any) -> Any:
        if base.is_Rational and exponent.is_Integer:
            bits = max(int(base.p).bit_length(), int(base.q).bit_length())
            if bits * abs(int(exponent)) > _MAX_BITS:
                raise ValueError("The power is too large.")
        elif exponent.is_number and abs(exponent) > _MAX_EXPONENT:
            raise ValueError("The exponent is too large.")
        elif base.is_Rational and max(int(base.p).bit_length(), int(base.q).bit_length()) > 200:
            raise ValueError("The base is too large.")
        return sympy.Pow(base, exponent)

    def _call(self, op: str, values: list[Any], args: Sequence[Expr]) -> Any:
        if op in ("sin", "cos", "tan"):
            has_unit = any(isinstance(node, Quantity) for node in walk(args[0]))
            angle = values[0] * sympy.pi / 180 if self._in_degrees and not has_unit else values[0]
            return getattr(sympy, op)(angle)
        if op in ("asin", "acos", "atan"):
            angle = getattr(sympy, op)(values[0])
            return angle * 180 / sympy.pi if self._in_degrees else angle
        if op == "!" and not (
            values[0].is_Symbol or (values[0].is_Integer and 0 <= values[0] < 99)
        ):
            raise ValueError("The factorial is too large.")
        if op == "derive":
            return self.derive(values[0], values[1].name)
        if op in ("integrate", "sum", "prod"):
            return _BOUNDED[op](values[0], tuple(values[1:]))
        return _FUNCTIONS[op](*values)


def _take_limit(function: Any, letter: Any, point: Any, side: Any) -> Any:
    found = sympy.limit(function, letter, point, str(side) or ("+" if point.is_infinite else "+-"))
    if found.has(sympy.AccumBounds, sympy.Limit, sympy.nan, sympy.zoo):
        raise ValueError("There is no limit.")
    return found


def _substitute(function: Any, letter: Any, value: Any) -> Any:
    return function.subs(letter, value)


def _negate(value: Any) -> Any:
    return -value


def _take_percent(value: Any) -> Any:
    return value / 100


def _take_decimal_logarithm(value: Any) -> Any:
    return sympy.log(value, 10)


_BOUNDED: Final[Mapping[str, Any]] = {
    "integrate": sympy.integrate,
    "sum": sympy.summation,
    "prod": sympy.product,
}
_FUNCTIONS: Final[Mapping[str, Any]] = {
    "neg": _negate,
    "at": _substitute,
    "limit": _take_limit,
    "%": _take_percent,
    "sqrt": sympy.sqrt,
    "root": sympy.real_root,
    "abs": sympy.Abs,
    "arg": sympy.arg,
    "ln": sympy.log,
    "log": _take_decimal_logarithm,
    "exp": sympy.exp,
    "gcd": sympy.gcd,
    "lcm": sympy.lcm,
    "binom": sympy.binomial,
    "!": sympy.factorial,
}


def _choose_letter(function: Any, letter: str) -> Any:
    """Return the letter of a derivative: the named one, else the function's only one, else x."""
    if letter:
        return sympy.Symbol(letter)
    letters = sorted(function.free_symbols, key=str)
    return letters[0] if len(letters) == 1 else sympy.Symbol("x")


def make_builder(*exprs: Expr, has_i: bool = False) -> SympyBuilder:
    if not all(map(is_small, exprs)):
        raise ValueError("It is too large.")
    has_e = any(
        isinstance(node, Apply)
        and (
            node.op in ("ln", "exp", "limit")
            or (node.op == "^" and isinstance(node.args[0], Letter) and node.args[0].name == "e")
        )
        for expr in exprs
        for node in walk(expr)
    )
    return SympyBuilder(has_e=has_e, has_i=has_i, functions=_list_functions(exprs))


def _list_functions(exprs: Sequence[Expr]) -> list[str]:
    """Return the letters that stand for functions: those whose derivatives are named, as `u'`."""
    names = {node.name for expr in exprs for node in walk(expr) if isinstance(node, Letter)}
    return sorted({name.rstrip("'") for name in names if name.endswith("'")})


def is_equal(left: Any, right: Any) -> bool | None:
    """Return whether two functions are equal at a few points; None: it cannot be decided."""
    difference = left - right
    if difference == 0:
        return True
    letters = sorted(left.free_symbols | right.free_symbols, key=str)
    if len(letters) > len(_POINTS[0]):
        return None
    known = 0
    for signs in (1, -1):
        for point in _POINTS:
            values = {
                letter: sympy.Rational(value) * signs
                for letter, value in zip(letters, point, strict=False)
            }
            is_zero = _is_zero_at(difference, left, values)
            if is_zero is False:
                return False if signs > 0 else None
            known += bool(is_zero)
            if not letters:
                return is_zero
    return True if known >= 3 else None


def _is_zero_at(difference: Any, left: Any, values: Mapping[Any, Any]) -> bool | None:
    found = difference.evalf(DIGITS, subs=values)
    scale = abs(left.evalf(10, subs=values))
    if not found.is_number or found.has(sympy.nan, sympy.zoo, sympy.oo):
        return None
    if not scale.is_finite:
        return None
    return bool(abs(found) < EPSILON * (1 + scale))


def holds(difference: Any, relation: str, *, is_zero: bool) -> bool:
    if is_zero:
        return relation in ("≤", "≥", "=")
    return relation in ("<", "≤") if difference < 0 else relation in (">", "≥")


def show(value: Any) -> str:
    return f"{float(sympy.N(value, 15)):.6g}"
