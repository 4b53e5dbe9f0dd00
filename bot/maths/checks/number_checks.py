"""Check claims about numbers, functions and what primary school counts, for `claims.txt`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

from bot.maths.exact.algebra_questions import (
    Check,
    Derivative,
    Equation,
    Identity,
    Known,
    Pair,
    Solving,
    judge,
)
from bot.maths.exact.arithmetic import Undecidable, evaluate, is_prime
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Num,
    Quantity,
    Solutions,
    apply,
    find_letters,
    free_letters,
    has_operation,
    has_operator,
    number,
    substitute,
)
from bot.maths.reading.wording import Found, claim, get_dimensions, is_computed, plain, whole

_PLACES: Final = {
    "millieme": -3, "thousandth": -3, "centieme": -2, "hundredth": -2, "dixieme": -1, "tenth": -1,
    "unite de mille": 3, "unite": 0, "entier": 0, "one": 0, "unit": 0, "integer": 0,
    "whole number": 0, "dizaine": 1, "centaine": 2, "millier": 3,
}  # fmt: skip
PLACE: Final = f"(?P<place>{'|'.join(_PLACES)})s?"
"""A pattern for a decimal place in words."""


# Whole numbers ------------------------------------------------------------------------------------


def _check_kind(found: Found) -> list[Check]:
    """Read `91 est premier`, `12 et 14 sont pairs`."""
    kind, checks = found["kind"], list[Check]()
    if _counts(found):
        return []
    for value in map(whole, found.list_values("of")):
        if kind in ("premier", "prime"):
            is_right = is_prime(value)
        elif kind in ("compose", "composite"):
            is_right = value > 1 and not is_prime(value)
        else:
            is_right = value % 2 == (kind in ("impair", "odd"))
        checks.append(judge(is_right, f"{value} is not {kind}"))
    return checks


def _check_sign(found: Found) -> list[Check]:
    """Read `ln(0,5) est négatif`; in French 0 is positive and negative."""
    [value] = found.list_values("of")
    if _counts(found):
        return []
    relation = ">" if found["sign"].startswith("posi") else "<"
    if not found["strictly"]:
        relation = {">": "≥", "<": "≤"}[relation]
    return [Pair(value, relation, number(0))]


def _counts(found: Found) -> bool:
    """Return whether the number before a verb in the plural counts things: `3 sont pairs`, `de 1 à
    10, 4 sont premiers`."""
    start, end = found.match.span("of")
    verb = _PLURAL.match(found.wording.text, end)
    listed = found.wording.text[max(0, start - 8) : end]
    return verb is not None and not _JOINED_LAST.search(listed)


_PLURAL: Final = re.compile(r" (?:sont|are)\b")
_JOINED_LAST: Final = re.compile(r"# (?:et|and|ou|or|, et|, and) #$|# , # , #$")


def _check_division(found: Found) -> list[Check]:
    """Read `12 est un multiple de 5`, `7 divise 84`."""
    is_multiple = found["how"].startswith(("multiple", "divisible"))
    is_spelled = found.wording.text[: found.match.start("of")].endswith("# ")  # `5 2 8`
    if _counts(found) or is_spelled:
        return []
    return _divide(found, "of", "by") if is_multiple else _divide(found, "by", "of")


def _divide(found: Found, above: str, below: str) -> list[Check]:
    return [
        judge(one % other == 0, f"{one} is no multiple of {other}")
        for one in map(whole, found.list_values(above))
        for other in map(whole, found.list_values(below))
    ]


def _check_division_list(found: Found) -> list[Check]:
    """Read `24 a pour diviseurs 1, 2 et 3`, `les multiples de 7 sont 7, 14, 21 et 28`."""
    primes = map(whole, found.list_values("by") if found["prime"] else ())
    checks = [judge(is_prime(each), f"{each} is not prime") for each in primes]
    of, by = ("by", "of") if found["how"] == "multiple" else ("of", "by")
    return checks + _divide(found, of, by)


def _check_all_divisors(found: Found) -> list[Check]:
    value, *listed = map(whole, found.list_values())
    if not 0 < value <= 10_000:
        return []
    divisors = [each for each in range(1, value + 1) if value % each == 0]
    return [judge(sorted(listed) == divisors, f"the divisors of {value} are {divisors}")]


def _check_congruence(found: Found) -> list[Check]:
    one, other, modulus = map(whole, found.list_values())
    return [judge((one - other) % modulus == 0, f"{one} is {one % modulus} modulo {modulus}")]


def _check_euclid(found: Found) -> list[Check]:
    """Check the quotient and the remainder of a division."""
    values = found.list_values()
    if "b" not in found.name_values():  # `45 ÷ 6 : le quotient est 7`
        quotient = values[0]
        if not isinstance(quotient, Apply) or quotient.op != "/":
            return []
        values = [*quotient.args, *values[1:]]
    if any(map(has_operation, values[2:])):
        return []
    one, other, *claimed = map(whole, values)
    expected = list(divmod(one, other))
    if found["kind"] == "reste":
        expected.reverse()
    why = f"the quotient is {one // other}, the remainder {one % other}"
    return [judge(claimed == expected[: len(claimed)], why)]


def _check_digit(found: Found) -> list[Check]:
    """Read `Le chiffre des dizaines de 274 est 7`, but not `des dizaines de mille`."""
    values = found.name_values()
    is_place = plain(values["a"]) == 1000 and re.search(
        r"(?:unite|[zt]aine)s? de #", found.match[0]
    )
    if has_operation(values["c"]) or is_place:
        return []
    shifted = math.floor(abs(plain(values["a"])) / Fraction(10) ** _PLACES[found["place"]])
    return [Pair(number(shifted if found["count"] else shifted % 10), "=", values["c"])]


def _check_rounding(found: Found) -> list[Check] | None:
    """Check that a claim is within half a step of the value, or just below or above it if the text
    says so; None: the claim is a digit, or the value is itself a rounding."""
    values = found.name_values()
    text = found.wording.text
    before, between = text[: found.match.start("a")], text[found.match.end("a") :]
    between = between[: found.match.start("c") - found.match.end("a")]
    is_rounded = _TO_PLACE.search(before) and _TO_PLACE.search(between)
    if is_rounded or re.search(r"\b(?:chiffre|digit|regarde\w*|look|milli(?:on|ard)s?)\b", between):
        return None
    value, claimed = values["a"], values["c"]
    step = plain(values["step"]) if "step" in values else Fraction(10) ** _PLACES[found["place"]]
    if isinstance(claimed, Num) and claimed.is_endless:
        return None
    if plain(claimed) % step:
        return [judge(False, f"{float(plain(claimed)):g} shows more digits than asked")]
    if sides := _BOTH_SIDES.search(before + "#" + between):
        low, high = (value, claimed) if sides[1] == "defaut" else (claimed, value)
        return [Pair(apply("-", high, low), "=", number(step))]
    if found.has(f"par defaut|par exces|tron[cq]|{PLACE} (?:superi|inferi)eur"):
        is_above = found.has(f"par exces|{PLACE} superieur")
        low, high = (value, claimed) if is_above else (claimed, value)
        return [Pair(low, "≤", high), Pair(apply("-", high, low), "<", number(step))]
    gap = apply("abs", apply("-", value, claimed))
    return [Pair(apply("*", gap, number(2)), "≤", number(step))]


_BOTH_SIDES: Final = re.compile(
    r"\bpar (?:(defaut)\b[^#]*#[^#]*\bpar exces|(exces)\b[^#]*#[^#]*\bpar defaut)\b"
)
"""Words of two neighbours: `par défaut : 3,14 ; par excès : 3,15`."""
_TO_PLACE: Final = re.compile(rf"\b(?:au|a la|a l|aux|nearest) {PLACE}\b")


def _check_left_over(found: Found) -> list[Check] | None:
    """Read `On divise 95 par 7 : 7 × 13 = 91, il reste 4`."""
    values = found.name_values()
    product = found.list_values()[-3]
    if not isinstance(product, Apply) or product.op != "*":
        return None
    rest = Pair(apply("-", values["a"], values["m"]), "=", values["r"])
    is_part = any(plain(each) % 10 == 0 for each in product.args)  # `6 × 10 = 60, il reste 24`
    return [rest] if is_part else [rest, Pair(values["r"], "<", values["b"])]


def _check_root(found: Found) -> list[Check]:
    """Read `hypoténuse² = 5² + 12² = 169, donc hypoténuse = 13 cm`."""
    values = found.name_values()
    root = values["c"].number if isinstance(values["c"], Quantity) else values["c"]
    relation = "≈" if re.search(r"≈|environ|about", found.match[0]) else "="
    return [claim(apply("sqrt", number(plain(values["v"]))), root, relation)]


# Forms and series ---------------------------------------------------------------------------------


def _check_announced(found: Found) -> list[Check] | None:
    """Read `(−2) × (−4) × (−5). Trois facteurs négatifs, donc le résultat vaut −40`."""
    values = found.name_values()
    one, other = values["a"], values["c"]
    wanted = {"produit": "*", "quotient": "/"}.get(found["name"], getattr(one, "op", ""))
    if not isinstance(one, Apply) or one.op != wanted or _list_letters(one, other):
        return None
    return [claim(one, other)] if not has_operation(other) else None


def _check_computed(found: Found) -> list[Check] | None:
    """Read `75 % de 400 élèves, c'est 300 élèves`: a computation with its noun, and its result."""
    one, other = found.list_values()[0], found.name_values()["c"]
    is_plain = has_operation(one) and not has_operation(other) and not _list_letters(one, other)
    return [claim(one, other)] if is_plain and found["noun"] not in _NO_NOUNS else None


_NO_NOUNS: Final = frozenset(
    ("chacun", "chaque", "reste", "restent", "par", "donc", "plus", "moins")
)


def _check_both(found: Found) -> list[Check] | None:
    """Read `3 + 6 et 6 + 3, c'est pareil : les deux font 9`."""
    values = found.name_values()
    if not all(has_operation(values[name]) for name in "ab") or _list_letters(*values.values()):
        return None
    return [Pair(values[name], "=", values["c"]) for name in "ab"]


def _check_named_value(found: Found) -> list[Check] | None:
    """Read `PGCD(126 ; 90) : … Donc PGCD = 18`, `PPCM(6 ; 8) : … Le plus petit commun est 24`."""
    value, name = found.list_values("of")[0], found["name"] or "lcm"
    is_named = isinstance(value, Apply) and value.op == name and len(value.args) > 1
    others = [each for each in found.list_values()[1:-1] if isinstance(each, Apply)]
    is_only = not any(each.op == name for each in others)
    return [Pair(value, "=", found.name_values()["c"])] if is_named and is_only else None


def _check_two_numbers(found: Found) -> list[Check]:
    """Read `Deux nombres ont pour somme 50 et pour différence 12. Ce sont 31 et 19`."""
    values = found.name_values()
    one, other = values["a"], values["b"]
    is_product = found["kind"] == "produit"
    second = apply("*", one, other) if is_product else apply("abs", apply("-", one, other))
    return [Pair(apply("+", one, other), "=", values["s"]), Pair(second, "=", values["d"])]


def _check_decomposed(found: Found) -> list[Check] | None:
    """Read `608, c'est 600 + 8`."""
    values = found.name_values()
    one, other = values["a"], values["c"]
    is_sum = isinstance(other, Apply) and other.op == "+" and not has_operator(other, "/")
    is_whole = isinstance(one, Num) and one.value >= _LEAST_DECOMPOSED
    return [Pair(one, "=", other)] if is_sum and is_whole and not _list_letters(other) else None


_LEAST_DECOMPOSED: Final = 11
"""The least number of which `c'est` gives a decomposition; a smaller one may count things."""


def _check_mixed(found: Found) -> list[Check] | None:
    """Read `1 et 1/2, c'est 1,5`: a whole number and a part of one."""
    values = found.name_values()
    if any(get_dimensions(each) for each in values.values()):
        return None
    one, part = (plain(values[name]) for name in "ab")
    is_mixed = one.denominator == 1 and 0 < part < 1 and has_operation(values["b"])
    return [claim(number(one + part), values["c"])] if is_mixed else None


def _check_scientific(found: Found) -> list[Check]:
    value, claimed = found.list_values()
    mantissa = claimed.args[0] if isinstance(claimed, Apply) and claimed.op == "*" else claimed
    size = apply("abs", mantissa)
    return [Pair(value, "=", claimed), Pair(number(1), "≤", size), Pair(size, "<", number(10))]


# Functions ----------------------------------------------------------------------------------------


def _list_letters(*exprs: Expr) -> list[str]:
    return sorted({name for expr in exprs for name in find_letters(expr)} - {"e", "π"})


def _place(function: Expr, value: Expr) -> Expr:
    """Return a function of one letter at a value. Raises `Undecidable`: it has no letter or
    several."""
    letters = _list_letters(function)
    if len(letters) != 1:
        raise Undecidable("It is no function of one letter.")
    return substitute(function, {letters[0]: value})


def _check_solution(found: Found) -> list[Check]:
    values = found.name_values()
    value, left, right = values["a"], values["l"], values["r"]
    letters = _list_letters(left, right)
    if len(letters) != 1 or _list_letters(value):
        return []
    equation = Equation(left, found["relation"], right)
    return [Solving((equation,), (letters[0],), Solutions(elements=((value,),)), is_complete=False)]


def _check_trinomial(found: Found) -> list[Check]:
    """Check a claim about ax² + bx + c: its discriminant, vertex, or the sum or product of its
    roots."""
    values = found.name_values()
    at = [evaluate(_place(values["e"], number(x))).number for x in (-1, 0, 1, 3)]
    a, b, c = (at[2] + at[0]) / 2 - at[1], (at[2] - at[0]) / 2, at[1]
    if 9 * a + 3 * b + c != at[3]:
        raise Undecidable("It is not of the second degree.")
    expected = {
        "discriminant": b * b - 4 * a * c, "sommet": -b / (2 * a), "som": -b / a, "sum": -b / a,
        "pro": c / a,
    }  # fmt: skip
    kind = found["kind"]
    return [Pair(number(expected.get(kind, expected.get(kind[:3], a))), "=", values["c"])]


def _check_complex(found: Found) -> list[Check]:
    """Check the modulus, the conjugate, a part or the argument of a complex number."""
    value, claimed, *_ = found.list_values()
    kind, unit = found["kind"], Letter("i")
    if find_letters(claimed) - {"i", "π"} or (
        "i" not in find_letters(value) and (kind == "conjugue" or find_letters(value))
    ):
        return []
    conjugate = substitute(value, {"i": apply("neg", unit)})
    if kind == "argument":
        direction = apply("+", apply("cos", claimed), apply("*", unit, apply("sin", claimed)))
        return [Identity(value, apply("*", apply("abs", value), direction), "claimed")]
    if kind.startswith(("partie r", "real")):
        expected = apply("/", apply("+", value, conjugate), number(2))
    elif kind.startswith(("partie i", "imaginary")):
        expected = apply("/", apply("-", value, conjugate), apply("*", number(2), unit))
    else:
        expected = conjugate if kind == "conjugue" else apply("abs", value)
    return [Identity(expected, claimed, "claimed")]


def _check_image(found: Found) -> list[Check]:
    """Check the same for a function in the sentence itself."""
    values = found.name_values()
    return [Pair(_place(values["e"], values["a"]), "=", values.get("c", number(0)))]


def _check_of_two(found: Found) -> list[Check]:
    """Read `3 et 5, leur somme est 8 et leur produit 15`."""
    values, signs = found.name_values(), {"s": "+", "p": "*", "d": "-"}
    stated = ((found["kind"], values["c"]), (found["other"], values.get("d", number(0))))
    return [
        Pair(apply(signs[kind[0]], values["a"], values["b"]), "=", value)
        if kind[0] != "d"
        else Pair(apply("abs", apply("-", values["a"], values["b"])), "=", value)
        for kind, value in stated
        if kind
    ]


def _check_zeros(found: Found) -> list[Check]:
    """Check that a function is zero at each of some places."""
    values, zero = found.name_values(), number(0)
    if "slope" in values and not _is_derivative(values["slope"]):
        return []
    places = found.list_values("at")
    if "e" in values:
        return [Pair(_place(values["e"], each), "=", zero) for each in places]
    return [Pair(apply("call", Letter(found["f"]), each), "=", zero) for each in places]


def _is_derivative(expr: Expr) -> bool:
    """Return whether an expression is `f'(x)` or `y'`."""
    return any(each.endswith("'") for each in free_letters(expr))


def _differentiate(function: Expr, place: Expr) -> Expr:
    _place(function, place)
    letter = Letter(_list_letters(function)[0])
    return apply("at", apply("derive", function, letter), letter, place)


def _check_derivative(found: Found) -> list[Check]:
    values = found.name_values()
    return [Pair(_differentiate(values["e"], values["a"]), "=", values["c"])]


def _check_tangent(found: Found) -> list[Check]:
    """Read `La tangente à la courbe de f(x) = x² en 1 a pour équation y = 2x - 1`."""
    values = found.name_values()
    function, place = values["e"], values["a"]
    way = apply("-", Letter("x"), place)
    rise = apply("*", _differentiate(function, place), way)
    return [Identity(apply("+", rise, _place(function, place)), values["c"], "claimed")]


def _check_on_line(found: Found) -> list[Check]:
    """Check that a point lies on the line `y = …` of the same sentence, or of one before."""
    values = found.name_values()
    if line := re.search(r"\by = #", found.wording.text):
        body = found.wording.values[found.wording.find_values(*line.span())[0]]
        return (
            []
            if isinstance(body, Solutions)
            else [Pair(_place(body, values["x"]), "=", values["y"])]
        )
    return [Pair(apply("call", Letter("y"), values["x"]), "=", values["y"])]


def _check_derived(found: Found) -> list[Check]:
    """Read `f(x) = x² a pour dérivée 2x`, `la dérivée de x ↦ x² est x ↦ 2x`."""
    values = found.name_values()
    letters = _list_letters(values["e"])
    if len(letters) != 1:
        return []
    one, other = values["e"], values["d"]
    if found["kind"] == "primitive":
        one, other = other, one
    return [Derivative(one, other, letters[0])]


def _check_primitive_at(found: Found) -> list[Check]:
    """Read `la primitive de 2x qui vaut 3 en 0 est x² + 3`, or the same with `F(0) = 3`."""
    values, given = found.name_values(), found.list_values("at")
    letter, *_ = _list_letters(values["e"])
    value, place = (number(0), *given) if len(given) == 1 else given
    if isinstance(value, Apply) and value.op == "call":
        value, place = place, value.args[1]
    at_place = substitute(values["d"], {letter: place})
    checks: list[Check] = [Derivative(values["d"], values["e"], letter)]
    return [*checks, Pair(at_place, "=", value)]


def _check_line(found: Found) -> list[Check]:
    values = found.name_values()
    start, after = (evaluate(_place(values["e"], number(x))).number for x in (0, 1))
    expected = start if found["kind"].startswith("ordonnee") else after - start
    return [Pair(number(expected), "=", values["c"])]


NUMBER_CHECKS: Final[dict[str, Callable[[Found], Sequence[Check] | None]]] = {
    "kind": _check_kind, "sign": _check_sign, "division": _check_division,
    "division_list": _check_division_list,
    "all_divisors": _check_all_divisors, "congruence": _check_congruence, "euclid": _check_euclid,
    "digit": _check_digit, "rounding": _check_rounding,
    "scientific": _check_scientific,
    "solution": _check_solution,
    "trinomial": _check_trinomial, "complex": _check_complex,
    "image": _check_image, "derivative": _check_derivative,
    "root": _check_root, "left_over": _check_left_over, "computed": _check_computed,
    "both": _check_both, "announced": _check_announced,
    "decomposed": _check_decomposed, "derived": _check_derived, "zeros": _check_zeros,
    "primitive_at": _check_primitive_at, "of_two": _check_of_two,
    "named_value": _check_named_value, "two_numbers": _check_two_numbers,

    "tangent": _check_tangent, "mixed": _check_mixed,
    "on_line": _check_on_line, "line": _check_line,
}  # fmt: skip
"""Checks by their names in `claims.txt`."""


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
    """Read `47 ÷ 5, on trouve un quotient de 9 et un reste de 2`, or the same after `5 × 9 + 2`."""
    values = found.name_values()
    claimed = (whole(values["c"]), whole(values["d"]))
    match values["a"]:
        case Apply("+", (Apply("*", (Num(one), Num(other))), Num(rest))):
            is_right = claimed[0] in (one, other) and claimed[1] == rest
            return [judge(is_right, f"the remainder is {rest}")]
        case _:
            parts = _split_quotient(values["a"])
    if parts is None or not parts[1]:
        return None
    quotient, rest = divmod(*parts)
    why = f"the quotient is {quotient}, the remainder {rest}"
    return [judge(claimed == (quotient, rest), why)]


def _check_not_of_digits(found: Found) -> list[Check] | None:
    """Read `La somme de ses chiffres est 9, donc il est divisible par 3 mais pas par 9`."""
    total, divisor = (whole(found.name_values()[name]) for name in "sk")
    if divisor not in (3, 9) or total % divisor:
        return None
    return [Known("wrong", f"{total} is a multiple of {divisor}")]


def _check_limit_of_powers(found: Found) -> list[Check] | None:
    """Read `La suite (0,5)ⁿ converge vers 0`."""
    power, limit = (found.name_values()[name] for name in "qc")
    if not isinstance(power, Apply) or power.op != "^" or not isinstance(power.args[1], Letter):
        return None
    return [Pair(number(0), "=", limit)] if abs(plain(power.args[0])) < 1 else None


def _check_mean_slope(found: Found) -> list[Check]:
    """Read `Le taux de variation de f(x) = x² entre 1 et 3 est 4`."""
    values = found.name_values()
    rise = apply("-", _place(values["e"], values["b"]), _place(values["e"], values["a"]))
    return [claim(apply("/", rise, apply("-", values["b"], values["a"])), values["c"])]


def _check_orders(found: Found) -> list[Check] | None:
    """Read `Il y a 120 façons de ranger 5 livres`."""
    values = found.name_values()
    count = whole(values["n"])
    return [Pair(number(math.factorial(count)), "=", values["c"])] if 1 < count < 20 else None


def _check_axis(found: Found) -> list[Check]:
    """Read `L'axe de symétrie de la parabole y = x² − 6x + 5 est x = 3`."""
    values = found.name_values()
    sides = (apply(sign, values["c"], number(1)) for sign in "+-")
    return [Pair(_place(values["e"], next(sides)), "=", _place(values["e"], next(sides)))]


def _check_bend(found: Found) -> list[Check] | None:
    """Read `f(x) = −x² + 4x admet un maximum`: a quadratic function, by its second difference."""
    at = [plain(_place(found.name_values()["e"], number(x))) for x in (0, 1, 2, 3)]
    bends = {at[2] - 2 * at[1] + at[0], at[3] - 2 * at[2] + at[1]}
    if len(bends) > 1 or not (bend := bends.pop()):
        return None
    is_right = (bend > 0) == (found["what"] == "minimum")
    return [Known("right" if is_right else "wrong", "its parabola opens the other way")]


def _check_extreme(found: Found) -> list[Check]:
    """Read `Le plus petit des nombres 0,7 ; 0,65 et 0,09 est 0,09`."""
    pick = min if found["kind"] == "petit" else max
    return [Pair(pick(found.list_values("list"), key=plain), "=", found.name_values()["c"])]


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
    """Read `Les nombres premiers plus petits que 20 sont 2, 3, 5, …`, or those from 10 to 20;
    whether a limit counts is left open."""
    named, listed = found.name_values(), set(map(whole, found.list_values("by")))
    least, limit = whole(named["a"]) if "a" in named else 1, whole(named["n"])
    if not least < limit <= _MOST_LISTED:
        return None
    primes = {each for each in range(least, limit + 1) if is_prime(each)}
    is_right = primes - {least, limit} <= listed <= primes
    return [judge(is_right, f"they are {sorted(primes)}")]


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


def _check_equal_fractions(found: Found) -> list[Check] | None:
    """Read `Simplifie 12/16 : on divise par 4, on trouve 3/4`."""
    values = found.name_values()
    one, other = values["a"], values["c"]
    is_result = isinstance(other, Apply) and other.op == "/" and has_operation(one)
    return [Pair(one, "=", other)] if is_result and not find_letters(one) else None


SCHOOL_CHECKS: Final[dict[str, Callable[[Found], Sequence[Check] | None]]] = {
    "times_word": _check_times_word, "quotient": _check_quotient,
    "not_of_digits": _check_not_of_digits, "limit_of_powers": _check_limit_of_powers,
    "orders": _check_orders, "axis": _check_axis, "mean_slope": _check_mean_slope,
    "bend": _check_bend, "extreme": _check_extreme, "factored": _check_factored,
    "primes_below": _check_primes_below, "inside": _check_inside,
    "then_value": _check_then_value, "equal_fractions": _check_equal_fractions,
    "found": _check_found, "part_of_fraction": _check_part_of_fraction,
}  # fmt: skip
"""Checks by their names in `claims.txt`."""
