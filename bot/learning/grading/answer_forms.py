"""Check the form of an answer: computed, reduced, expanded, factored, in the asked unit. Pure.

Equal value is not enough if the exercise asks for a form: `2x90` is no result, `4/6` is not
simplified, `6 m 90 cm` is not in centimetres.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Literal

from bot.i18n import fold
from bot.learning.expression_shape import read_form
from bot.learning.plain_notation import write_plain
from bot.maths.equivalence import equivalent, read_answer
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import Apply, Expr, Letter, Num, Quantity, walk
from bot.maths.reading.quantities import NotReadable

_LOWEST: Final = re.compile(
    r"\b(?:simplifi|irreductible|lowest terms|simplest|simplify"
    r"|(?:redui\w*|reduce) (?:\w+ )?fraction|(?:redui\w*|reduced?) .{0,40}au maximum)"
)
_EXPANDED: Final = re.compile(r"\b(?:developp|reduis|expand|simplify)")
_REDUCED: Final = re.compile(r"\bsimplifi")
_PRIMES: Final = re.compile(r"facteurs premiers|prime factors|nombres premiers")
_EXPONENT: Final = re.compile(r"\^ ?[{(]?\d+[)}]?|[⁰¹²³⁴-⁹]+|(?:puissance|exposant) ?\d+")
_FACTORED: Final = re.compile(r"\bfactoris|\bfactor\b")
_ROOT: Final = re.compile(r"(?:√|\\sqrt|racine(?: carree)? de|square root of|sqrt) ?[({]?(\d+)")
_AS_POWER: Final = re.compile(
    r"\b(?:seule|single|forme d['’]une|as an?|as one) (?:puissance|power)"
)
_POWER: Final = re.compile(r"\^|\*\*|[⁻⁰¹²³⁴-⁹]|puissance|exposant|power")
_SIMPLE_ROOT: Final = re.compile(
    r"sous la forme \$?a ?(?:\\sqrt|√)|(?:as|in the form) \$?a ?(?:\\sqrt|√)"
)
_REWRITES: Final = re.compile(
    r"\b(?:ecri\w+|mets|mettre|convert\w+|transform\w+|exprime\w*|sous (?:la )?forme|en fraction"
    r"|write|express|as an?)\b"
)
_WRITTEN: Final = re.compile(r"[-\u2212]?\d(?:[\d ,./]*\d)?(?: ?%)?")
_IN_DIGITS: Final = re.compile(r"\ben chiffres\b|\bin (?:figures|digits)\b")
_IN_DECIMALS: Final = re.compile(r"\b(?:en|ecriture|nombre|forme|valeur|as a) decimale?\b")
_OPERATORS: Final = (
    ("$", ""), ("\\times", "*"), ("\u2212", "-"), ("×", "*"),
    ("\\leq", "≤"), ("\\geq", "≥"), ("<=", "≤"), ("=<", "≤"), (">=", "≥"),
)  # fmt: skip
_HOURS: Final = re.compile(r"\d+ ?h ?\d\d")
_QUANTITY: Final = re.compile(r"\d[\d,.]*\s?[^\W\d_]{1,6}[²³]?(?:\s\d+\s[^\W\d_]{1,4})?")


def squeeze(text: str) -> str:
    """Return a formula without spaces and marks, to be compared as it is written."""
    return "".join(write_operators(text).split()).casefold()


def write_operators(text: str) -> str:
    """Return a formula without `$`, with the operators of a keyboard."""
    for written, sign in _OPERATORS:
        text = text.replace(written, sign)
    return text


def is_pasted(text: str, statement: str) -> bool:
    """Return whether an answer only repeats a formula of the statement, which is no answer though
    it has the same value."""
    if not re.search(r"[^\d\s.,]", text):
        return False
    formulas = (each.rpartition("=")[2] for each in statement.split("$")[1::2])
    return squeeze(text) in map(squeeze, formulas)


def repeats_number(text: str, solution: str, statement: str) -> bool:
    """Return whether an answer is the number that the statement asks to write in another form:
    `0,75` for `Écris 0,75 sous forme de fraction`, words where digits are asked, or a fraction
    where decimals are."""
    asked = fold(statement)
    if _IN_DIGITS.search(asked):
        return not re.search(r"\d", text)
    if _IN_DECIMALS.search(asked) and re.fullmatch(r"[-\u2212]?\d+ ?/ ?\d+", text):
        return True
    if not _REWRITES.search(asked) or squeeze(text) == squeeze(solution):
        return False
    return squeeze(text) in map(squeeze, _WRITTEN.findall(asked))


def is_computed(text: str) -> bool:
    """Return whether a number is a result, not a sum, product, quotient, power or root that is left
    to compute. A mixed number is one, and so is a power of ten."""
    if re.search(r"[:÷]|\d\s*\+", text):
        return False
    try:
        return not any(map(_is_operation, walk(read_answer(text))))
    except NotReadable:
        return True


def _is_operation(node: Expr) -> bool:
    match node:
        case Apply("-", _):
            return True
        case Apply("+", (one, other)):
            return not isinstance(one, Quantity) and not _is_part(other)
        case Apply("*", args):
            return all(isinstance(each, Num) or _is_rational(each) for each in args)
        case Apply("/", args):
            return not all(isinstance(each, Num) and each.value.denominator == 1 for each in args)
        case Apply("sqrt" | "root" | "^"):
            return not _is_power_of_ten(node) and _is_exact(node)
        case _:
            return False


def _is_power_of_ten(expr: Apply) -> bool:
    base = expr.args[0]
    return expr.op == "^" and isinstance(base, Num) and base.value == 10


def _is_exact(expr: Expr) -> bool:
    """Return whether a power or root of numbers is a whole number or a fraction."""
    try:
        evaluate(expr)
    except Undecidable:
        return False
    return True


def _is_part(expr: Expr) -> bool:
    """Return whether an expression is the fraction of a mixed number."""
    return isinstance(expr, Apply) and expr.op == "/"


def _is_rational(expr: Expr) -> bool:
    """Return whether an expression has only numbers, and no letter, power or root."""
    nodes = list(walk(expr))
    return not any(
        isinstance(each, Letter) or (isinstance(each, Apply) and each.op in ("sqrt", "root", "^"))
        for each in nodes
    )


def wants_lowest_terms(statement: str) -> bool:
    return bool(_LOWEST.search(fold(statement)))


def is_lowest(text: str) -> bool:
    """Return whether a text has no fraction that can be reduced, in digits or words."""
    found = re.search(r"(\d+)\s?(?:[/:÷]|sur )\s?(\d+)", write_plain(fold(text)))
    return found is None or math.gcd(int(found[1]), int(found[2])) == 1


def has_square_under_root(text: str) -> bool:
    """Return whether a square can be taken out of a root, as in `√12`."""
    return any(
        number % (side * side) == 0
        for number in map(int, _ROOT.findall(write_plain(fold(text))))
        for side in range(2, min(math.isqrt(number), 1_000) + 1)
    )


def asks_prime_factors(statement: str) -> bool:
    return bool(_PRIMES.search(fold(statement)))


def wants_simple_root(statement: str) -> bool:
    asked = fold(statement)
    return bool(_LOWEST.search(asked) or _SIMPLE_ROOT.search(asked))


def lacks_single_power(text: str, solution: str, statement: str) -> bool:
    """Return whether an answer is no power, where the statement asks for one: `0,01`."""
    is_asked = _AS_POWER.search(fold(statement)) and _POWER.search(solution)
    return bool(is_asked) and not _POWER.search(text.casefold())


def lacks_simple_root(text: str, solution: str, statement: str) -> bool:
    """Return whether a square is left under a root, where the statement asks for the simplest
    form."""
    is_asked = wants_simple_root(statement) and not has_square_under_root(solution)
    return is_asked and has_square_under_root(text)


def find_form_left(text: str, statement: str) -> Literal["factor", "expand", "reduce"] | None:
    """Return what is left to do to an expression for the form that the statement asks for; None:
    nothing, or it asks for none."""
    asked = fold(statement)
    if asks_prime_factors(statement):
        numbers = map(int, re.findall(r"\d+", _EXPONENT.sub(" ", text)))
        return None if all(map(_is_prime, numbers)) else "factor"
    try:
        expr = read_answer(text)
    except NotReadable:
        return None
    if _FACTORED.search(asked) and "puis" not in asked:
        return "factor" if _is_sum(expr) or _has_common_factor(expr) else None
    is_expanded = _EXPANDED.search(asked)
    if is_expanded and any(map(_is_product_of_sums, walk(expr))):
        return "expand"
    form = read_form(text) if is_expanded or _REDUCED.search(asked) else None
    return "reduce" if form is not None and form.is_undone else None


def _is_prime(number: int) -> bool:
    return 1 < number < 10**6 and all(number % each for each in range(2, math.isqrt(number) + 1))


def _is_product_of_sums(node: Expr) -> bool:
    if not isinstance(node, Apply) or node.op not in ("*", "^"):
        return False
    return any(map(_is_sum, node.args))


def _is_sum(expr: Expr) -> bool:
    return isinstance(expr, Apply) and expr.op in ("+", "-")


def _has_common_factor(expr: Expr) -> bool:
    """Return whether the only sum of a product has a number or letter in all its terms, as in
    `x(6x - 9)`; squares are often factored with a number left: `(2x - 4)(2x + 4)`."""
    sums = list(filter(_is_sum, _list_args(expr, ("*", "neg"))))
    if len(sums) != 1:
        return False
    terms = [_list_args(each, ("*", "neg")) for each in _list_args(sums[0], ("+", "-", "neg"))]
    numbers = [math.prod(each.value for each in term if isinstance(each, Num)) for term in terms]
    letters = [{each.name for each in map(_strip_power, term) if isinstance(each, Letter)}
               for term in terms]  # fmt: skip
    is_whole = all(Fraction(each).denominator == 1 for each in numbers)
    return bool(set[str].intersection(*letters)) or (is_whole and math.gcd(*map(int, numbers)) > 1)


def _list_args(expr: Expr, operators: Sequence[str]) -> list[Expr]:
    """Return the terms of a sum, or the factors of a product."""
    if isinstance(expr, Apply) and expr.op in operators:
        return [part for arg in expr.args for part in _list_args(arg, operators)]
    return [expr]


def _strip_power(expr: Expr) -> Expr:
    return expr.args[0] if isinstance(expr, Apply) and expr.op == "^" else expr


def is_conversion(statement: str, value: Fraction, unit: str) -> bool:
    """Return whether the statement itself has the asked quantity, in another unit."""
    wanted = f"{float(value):.15g} {unit}"
    found = [each[0] for each in _QUANTITY.finditer(statement[:2_000])]
    found += _HOURS.findall(statement[:2_000])
    return any(equivalent(each, wanted, "number") for each in found)
