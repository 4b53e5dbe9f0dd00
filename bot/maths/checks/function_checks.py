"""Check what sentences tell of expressions, fractions, lines, parabolas and circles."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import gcd
from typing import Final

from bot.maths.exact.algebra_questions import Check, Identity, Known, Pair
from bot.maths.exact.arithmetic import Undecidable, write_number
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Quantity,
    Solutions,
    apply,
    free_letters,
    has_operation,
    number,
    substitute,
)
from bot.maths.reading.wording import Found, claim, get_dimensions, plain, whole


def _get_value(found: Found, place: int) -> Expr | None:
    """Return the number whose mark stands at a place of the text; None: it is a set."""
    value = found.wording.values[found.wording.marks.index(place)]
    return None if isinstance(value, Solutions) else value


def _find_expression(found: Found, places: Sequence[int]) -> tuple[Expr, str] | None:
    """Return the last computation with one letter at some places, and its letter."""
    for place in reversed(places):
        value = _get_value(found, place)
        letters = sorted(free_letters(value)) if value else []
        if value and len(letters) == 1 and has_operation(value):
            return value, letters[0]
    return None


def _check_identity(found: Found) -> list[Check] | None:
    """Read `(x² - 9)/(x + 3), pour x ≠ -3, donne x - 3`."""
    values = found.name_values()
    one, other = values["e"], values["c"]
    is_alike = len(free_letters(one)) == 1 and free_letters(other) <= free_letters(one)
    return [Identity(one, other, "claimed")] if is_alike and has_operation(one) else None


def _check_midpoint(found: Found) -> list[Check]:
    """Read `A(1 ; 2) et B(7 ; 10). … Le milieu est I(4 ; 6)`."""
    values = found.name_values()
    sums = [apply("+", values[one], values[other]) for one, other in ("xz", "yt")]
    twice = [apply("*", number(2), values[name]) for name in "ab"]
    return [Pair(one, "=", other) for one, other in zip(sums, twice, strict=True)]


def _check_equal(found: Found) -> list[Check]:
    """Read `L'écriture binaire de 25 est 11001. Celle de 22 est 10110`."""
    values = found.name_values()
    return [Pair(values["a"], "=", values["c"])]


def _check_through(found: Found) -> list[Check] | None:
    """Read `La droite passant par (0 ; 1) et (2 ; 5) a pour équation y = 2x + 1`."""
    values = found.name_values()
    if free_letters(values["e"]) != {"x"}:
        return None
    return [
        Pair(substitute(values["e"], {"x": values[x]}), "=", values[y]) for x, y in ("xy", "zt")
    ]


def _check_double_root(found: Found) -> list[Check] | None:
    """Read `Pour x² - 10x + 25, Δ = 0 et la racine double est 5`."""
    end = found.match.start("c")
    expression = _find_expression(found, [each for each in found.wording.marks if each < end])
    if expression is None or found.has("Δ ≠"):
        return None
    value, letter = expression
    return [Pair(substitute(value, {letter: found.name_values()["c"]}), "=", number(0))]


def _check_irreducible(found: Found) -> list[Check] | None:
    """Read `La fraction irréductible égale à 24/36 est 2/3`."""
    values = found.name_values()
    one, other = values["a"], values["c"]
    if not isinstance(other, Apply) or other.op != "/":
        return None
    common = gcd(*(whole(each) for each in other.args))
    is_reduced = common == 1 or plain(one) != plain(other)
    return [Pair(one, "=", other) if is_reduced else Known("wrong", f"both divide by {common}")]


def _check_binary(found: Found) -> list[Check] | None:
    """Read `Le nombre binaire 1011 vaut 11`."""
    written, claimed = (whole(found.name_values()[name]) for name in "ac")
    if set(str(written)) - {"0", "1"}:
        return None
    return [Pair(number(int(str(written), 2)), "=", number(claimed))]


def _check_groups(found: Found) -> list[Check] | None:
    """Read `4 boîtes de 12 œufs font 48 œufs`."""
    count, size, claimed = (found.name_values()[name] for name in "abc")
    if get_dimensions(size) != get_dimensions(claimed):
        return None
    return [claim(apply("*", count, size), claimed)]


def _check_greatest(found: Found) -> list[Check]:
    """Read `Entre 2/3 et 3/4, le plus grand est 3/4`. Raises `Undecidable`: it is neither."""
    values = found.name_values()
    one, other, claimed = (plain(values[name]) for name in "abc")
    if claimed not in (one, other):
        raise Undecidable("It is another number.")
    is_least = found["how"].startswith("petit") or found["en"] == "small"
    expected = min(one, other) if is_least else max(one, other)
    return [Pair(number(claimed), "=", number(expected))]


def _check_triangle(found: Found) -> list[Check]:
    """Read `Un triangle de côtés 3, 4 et 8 n'existe pas`."""
    *short, longest = sorted(plain(found.name_values()[name]) for name in "abc")
    is_possible, is_denied = longest < sum(short), bool(found["no"] or found["not"])
    why = f"{write_number(longest)} is {'less' if is_possible else 'not less'} than the other two"
    return [Known("right") if is_possible != is_denied else Known("wrong", why)]


def _check_converted_to(found: Found) -> list[Check] | None:
    """Read `Convertir 3,2 km en m : 3 200 m`."""
    values = found.name_values()
    is_alike = get_dimensions(values["a"]) == get_dimensions(values["c"]) != ()
    return [claim(values["a"], values["c"])] if is_alike else None


def _check_simple_interest(found: Found) -> list[Check] | None:
    """Read `Un capital de 100 000 F placé à 5 % pendant 2 ans rapporte 10 000 F`."""
    values = found.name_values()
    lasted = values["n"]
    if not isinstance(lasted, Quantity) or lasted.unit not in ("an", "ans", "année", "années"):
        return None
    years = number(plain(lasted.number))
    return [claim(apply("*", apply("*", values["a"], values["p"]), years), values["c"])]


# Lines, parabolas, circles ------------------------------------------------------------------------


def _find_slope(line: Expr) -> Fraction:
    """Return the slope of `y = 2x + 1`. Raises `Undecidable`: it is no line."""
    letters = free_letters(line)
    if not letters <= {"x"}:
        raise Undecidable("It is no function of x.")
    zero, one, two = (plain(substitute(line, {"x": number(x)})) for x in range(3))
    if two - one != one - zero:
        raise Undecidable("It is no line.")
    return one - zero


def _check_placed(found: Found) -> list[Check] | None:
    """Read `2x + 3 pour x = 2 vaut 7`, `a/b avec a = 12 et b = -3 vaut -4`."""
    values = found.name_values()
    names = re.findall(r"\b([a-zA-Z]) = #", found["where"])
    placed = dict(zip(names, found.list_values("where"), strict=True))
    if free_letters(values["e"]) != placed.keys() or any(map(free_letters, placed.values())):
        return None
    return [claim(substitute(values["e"], placed), values["c"])]


def _check_lines(found: Found) -> list[Check]:
    """Read `Les droites y = 2x + 1 et y = 2x - 3 sont parallèles`."""
    values = found.name_values()
    one, other = (_find_slope(values[name]) for name in "ed")
    is_so = {
        "parallel": one == other, "perpendic": one * other == -1, "secant": one != other,
        "confond": values["e"] == values["d"],
    }[found["how"]]  # fmt: skip
    why = f"their slopes are {write_number(one)} and {write_number(other)}"
    return [Known("right") if is_so else Known("wrong", why)]


def _check_slope(found: Found) -> list[Check]:
    """Read `La droite 2x + y - 4 = 0 a pour pente -2`. Raises `Undecidable`: it is no line."""
    values = found.name_values()
    sides = apply("-", values["e"], values["d"])
    if free_letters(sides) != {"x", "y"}:
        raise Undecidable("It is no equation of x and y.")
    zero, at_x, at_y, at_both, far = (
        plain(substitute(sides, {"x": number(x), "y": number(y)}))
        for x, y in ((0, 0), (1, 0), (0, 1), (1, 1), (3, 5))
    )
    along, up = at_x - zero, at_y - zero
    if at_both - zero != along + up or far - zero != 3 * along + 5 * up:
        raise Undecidable("It is no line.")
    return [Pair(number(-along / up), "=", values["c"])]


def _check_vertex(found: Found) -> list[Check]:
    """Read `Le sommet de la parabole y = x² - 6x + 5 est le point (3 ; -4)`. Raises `Undecidable`:
    it is no parabola."""
    values = found.name_values()
    before, zero, after, far = (
        plain(substitute(values["e"], {"x": number(x)})) for x in (-1, 0, 1, 3)
    )
    a, b = (after + before) / 2 - zero, (after - before) / 2
    if 9 * a + 3 * b + zero != far or not a:
        raise Undecidable("It is no parabola.")
    x = -b / (2 * a)
    y = a * x * x + b * x + zero
    return [Pair(number(x), "=", values["a"]), Pair(number(y), "=", values["b"])]


def _check_dot(found: Found) -> list[Check] | None:
    """Read `u(1 ; 2) et v(2 ; -1) : u·v = 0`."""
    values = found.name_values()
    if values["p"] != apply("*", Letter(found["u"]), Letter(found["v"])):
        return None
    products = [apply("*", values[one], values[other]) for one, other in ("xz", "yt")]
    return [Pair(apply("+", *products), "=", values["c"])]


def _check_circle(found: Found) -> list[Check] | None:
    """Read `L'équation (x - 1)² + y² = 16 est celle d'un cercle de rayon 4`."""
    values = found.name_values()
    squares = values["e"].args if isinstance(values["e"], Apply) else ()
    are_squares = len(squares) == 2 and all(
        isinstance(each, Apply) and each.op == "^" and each.args[1] == number(2) for each in squares
    )
    if not are_squares or free_letters(values["e"]) != {"x", "y"}:
        return None
    return [Pair(apply("^", values["c"], number(2)), "=", values["d"])]


FUNCTION_CHECKS: Final[dict[str, Callable[[Found], Sequence[Check] | None]]] = {
    "identity": _check_identity,
    "midpoint": _check_midpoint, "equal": _check_equal,
    "double_root": _check_double_root, "through": _check_through,
    "greatest": _check_greatest, "triangle": _check_triangle, "converted_to": _check_converted_to,
    "dot": _check_dot,
    "irreducible": _check_irreducible, "binary": _check_binary, "groups": _check_groups,
    "simple_interest": _check_simple_interest, "lines": _check_lines, "slope": _check_slope,
    "placed": _check_placed,
    "vertex": _check_vertex, "circle": _check_circle,
}  # fmt: skip
"""Checks by their names in `claims.txt`."""
