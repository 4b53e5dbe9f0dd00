"""Check claims of primary school in words, for the rules of `claims.txt`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from bot.maths.checks.number_checks import is_prime
from bot.maths.exact.algebra_questions import Check, Pair, judge
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Num,
    Quantity,
    apply,
    find_letters,
    has_operation,
    number,
)
from bot.maths.reading.wording import Found, claim, get_dimensions, is_computed, plain, whole

_TIMES: Final = {
    "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6, "sevens": 7, "eights": 8,
    "nines": 9, "elevens": 11, "twelves": 12,
}  # fmt: skip


def _check_times_word(found: Found) -> list[Check]:
    """Read `8 nines are 72`."""
    values = found.name_values()
    return [Pair(apply("*", values["a"], number(_TIMES[found["w"]])), "=", values["c"])]


def _check_found(found: Found) -> list[Check] | None:
    """Read `On trouve 56 pour 7 × 8`."""
    values = found.name_values()
    is_result = has_operation(values["a"]) and not has_operation(values["c"])
    is_general = find_letters(values["a"]) | find_letters(values["c"])
    return [claim(values["a"], values["c"])] if is_result and not is_general else None


def _check_part_of_fraction(found: Found) -> list[Check] | None:
    """Read `Le numérateur de 3/5 est 3`."""
    values = found.name_values()
    fraction = values["a"]
    if not isinstance(fraction, Apply) or fraction.op != "/":
        return None
    part = fraction.args[0 if found["part"].startswith("num") else 1]
    return [Pair(part, "=", values["c"])]


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
    return [judge(claimed == (quotient, rest), why)]


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
        checks += [judge(is_prime(each), f"{each} is not prime") for each in factors]
    return checks


def _list_factors(product: Expr) -> list[Expr]:
    """List the factors of a product, without their exponents."""
    if isinstance(product, Apply) and product.op == "*":
        return [each for part in product.args for each in _list_factors(part)]
    if isinstance(product, Apply) and product.op == "^":
        return [product.args[0]]
    return [product]


def _check_primes_below(found: Found) -> list[Check] | None:
    """Read `Les nombres premiers plus petits que 20 sont 2, 3, 5, …`."""
    limit, listed = whole(found.name_values()["n"]), sorted(map(whole, found.list_values("by")))
    if not 1 < limit <= _MOST_LISTED:
        return None
    primes = [each for each in range(2, limit) if is_prime(each)]
    is_right = listed in (primes, [*primes, limit] if is_prime(limit) else primes)
    return [judge(is_right, f"they are {primes}")]


_MOST_LISTED: Final = 200


def _check_inside(found: Found) -> list[Check] | None:
    """Read `Entre 45 et 47, il y a 46`: a number between, or how many there are."""
    low, high, claimed = (plain(found.name_values()[name]) for name in "abc")
    gap = high - low
    is_right = low < claimed < high or claimed in (gap - 1, gap, gap + 1)
    return [judge(is_right, f"{claimed} is not between {low} and {high}")] if low < high else None


def _check_then_value(found: Found) -> list[Check] | None:
    """Read `50 % de 60, c'est la moitié de 60, donc 30`."""
    values = found.name_values()
    one, other = values["y"], values["c"]
    if not is_computed(one) and not _is_part_of(one):
        return None
    is_plain = not has_operation(other) and not find_letters(one)
    is_same = get_dimensions(other) in ((), get_dimensions(one))
    return [claim(one, other)] if is_plain and is_same else None


def _is_part_of(expr: Expr) -> bool:
    """Return whether an expression is a part of a number: `la moitié de 60`."""
    return (
        isinstance(expr, Apply) and expr.op in ("*", "/") and not isinstance(expr.args[0], Quantity)
    )


def _check_parts_of(found: Found) -> list[Check] | None:
    """Read `To find 15% of 200: 10% is 20, 5% is 10, so 15% is 30`."""
    whole_part = found.name_values()["a"]
    if not isinstance(whole_part, Apply) or whole_part.op != "*":
        return None
    first, base = whole_part.args
    if not isinstance(first, Apply) or first.op != "%" or has_operation(base):
        return None
    parts = found.list_values("parts")
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [claim(apply("*", percent, base), value) for percent, value in pairs]


def _check_equal_fractions(found: Found) -> list[Check] | None:
    """Read `Simplifie 12/16 : on divise par 4, on trouve 3/4`."""
    values = found.name_values()
    one, other = values["a"], values["c"]
    is_result = isinstance(other, Apply) and other.op == "/" and has_operation(one)
    return [Pair(one, "=", other)] if is_result and not find_letters(one) else None


SCHOOL_CHECKS: Final[dict[str, Callable[[Found], Sequence[Check] | None]]] = {
    "times_word": _check_times_word, "quotient": _check_quotient,
    "left_of_quotient": _check_left_of_quotient, "factored": _check_factored,
    "primes_below": _check_primes_below, "inside": _check_inside,
    "then_value": _check_then_value, "parts_of": _check_parts_of,
    "equal_fractions": _check_equal_fractions, "found": _check_found,
    "part_of_fraction": _check_part_of_fraction,
}  # fmt: skip
"""Checks by their names in `claims.txt`."""
