"""Check claims of primary school in words, for the rules of `claims.txt`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from bot.maths.arithmetic import evaluate
from bot.maths.expression import Apply, Expr, Num, Quantity, apply, has_operation, number
from bot.maths.number_checks import is_prime
from bot.maths.questions import Check, Known, Pair
from bot.maths.units import COUNT, find_unit
from bot.maths.wording import Found, plain, whole

_TIMES: Final = {
    "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6, "sevens": 7, "eights": 8,
    "nines": 9, "elevens": 11, "twelves": 12,
}  # fmt: skip


def _say(is_right: bool, why: str) -> Check:
    return Known("right" if is_right else "wrong", why)


def _check_times_word(found: Found) -> list[Check]:
    """Read `8 nines are 72`."""
    values = found.name_values()
    return [Pair(apply("*", values["a"], number(_TIMES[found["w"]])), "=", values["c"])]


def _check_dozens(found: Found) -> list[Check] | None:
    """Read `5 douzaines d'œufs = 60 œufs`."""
    values = found.name_values()
    one, other = values["a"], values["c"]
    unit = find_unit(one.unit) if isinstance(one, Quantity) else None
    is_counted = unit is not None and unit.dimensions == COUNT and unit.size > 1
    is_plain = not has_operation(other) and not evaluate(other).unit.dimensions
    return [Pair(one, "=", number(plain(other)))] if is_counted and is_plain else None


def _split_quotient(quotient: Expr) -> tuple[int, int] | None:
    """Return the whole numbers of `47 ÷ 5`; None: it is no such quotient."""
    if not isinstance(quotient, Apply) or quotient.op != "/":
        return None
    one, other = quotient.args
    if not all(isinstance(each, Num) for each in (one, other)):
        return None
    return whole(one), whole(other)


def _check_quotient(found: Found) -> list[Check] | None:
    """Read `47 ÷ 5, on trouve un quotient de 9 et un reste de 2`."""
    values = found.name_values()
    parts = _split_quotient(values["a"])
    if parts is None or not parts[1]:
        return None
    quotient, rest = divmod(*parts)
    claimed = (whole(values["c"]), whole(values["d"]))
    why = f"the quotient is {quotient}, the remainder {rest}"
    return [_say(claimed == (quotient, rest), why)]


def _check_left_of_quotient(found: Found) -> list[Check] | None:
    """Read `38 ÷ 4 : 4 × 9 = 36, il reste 2`."""
    first, product, shown, rest = found.list_values()
    parts = _split_quotient(first)
    if parts is None or not isinstance(product, Apply) or product.op != "*":
        return None
    if number(parts[1]) not in product.args:
        return None
    left = parts[0] - whole(shown)
    return [Pair(number(left), "=", rest)]


def _check_factored(found: Found) -> list[Check] | None:
    """Read `Décomposition de 60 en facteurs premiers : 2 × 2 × 3 × 5`."""
    values = found.name_values()
    is_product = isinstance(values["c"], Apply) and values["c"].op in ("*", "^")
    if not isinstance(values["a"], Num) or not is_product:
        return None
    checks: list[Check] = [Pair(values["a"], "=", values["c"])]
    if found.has("premiers|prime"):
        factors = map(whole, _list_factors(values["c"]))
        checks += [_say(is_prime(each), f"{each} is not prime") for each in factors]
    return checks


def _list_factors(product: Expr) -> list[Expr]:
    """List the factors of a product, without their exponents."""
    if isinstance(product, Apply) and product.op == "*":
        return [each for part in product.args for each in _list_factors(part)]
    if isinstance(product, Apply) and product.op == "^":
        return [product.args[0]]
    return [product]


SCHOOL_CHECKS: Final[dict[str, Callable[[Found], Sequence[Check] | None]]] = {
    "times_word": _check_times_word, "dozens": _check_dozens, "quotient": _check_quotient,
    "left_of_quotient": _check_left_of_quotient, "factored": _check_factored,
}  # fmt: skip
"""Checks by their names in `claims.txt`."""
