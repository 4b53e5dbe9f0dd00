"""Read the notation of calculus (limits, sums, products, integrals, `[F(x)]` with bounds), and
numbers with marks: the index of a base, the bar of a conjugate, an exponent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Num,
    apply,
    conjugate,
    find_letters,
    number,
    substitute,
)
from bot.maths.reading.quantities import NotReadable, QuantityReader
from bot.maths.reading.tokens import Token

_MOST_TERMS: Final = 2_000
"""Most terms of a sum with an ellipsis."""
if TYPE_CHECKING:
    from bot.maths.reading.notation import Reader


def read_calculus(reader: Reader, token: Token) -> Expr | None:
    """Read the notation that begins with `token`, which is taken already; None: the token begins
    none.

    Raises:
        NotReadable: the rest of the notation cannot be read.
    """
    if token.text == "∞":
        return Letter("∞")
    if token.text == "lim" and token.kind in ("operator", "word"):
        return _read_limit(reader)
    if token.kind == "operator" and token.text in ("∑", "∏"):
        return _read_series(reader, token.text)
    return _read_integral(reader) if token.text == "∫" else None


def _read_limit(reader: Reader) -> Expr:
    """Read the letter with the point that it tends to, such as `x → 0⁺`, and then the function."""
    is_bracketed = reader.peek().text == "("
    reader.at += is_bracketed
    letter = reader.peek()
    if letter.kind != "name" or reader.peek(1).text not in ("→", "->"):
        raise NotReadable("The limit of nothing.")
    reader.at += 2
    sign = reader.peek().text if reader.peek().text in ("+", "-") else ""
    reader.at += bool(sign)
    mark, sign_of_side = reader.peek(1), reader.peek(3).text
    is_sided = mark.text == "^" and sign_of_side in ("+", "-") and reader.peek(4).text == ")"
    is_base = is_sided or mark.kind == "power" or not is_bracketed
    point = reader.read_base() if is_base else reader.read_product()
    side = _read_side(reader, letter.text)
    if is_bracketed:
        reader.expect(")")
    reader.at += reader.peek().text in ("de", "of") and not is_bracketed
    reader.descend()
    place = apply("neg", point) if sign == "-" else point
    return apply("limit", reader.read_sum(), Letter(letter.text), place, Letter(side))


def _read_side(reader: Reader, letter: str) -> str:
    """Read the side of a point, `⁺` or `, x > 0`; empty: there is none."""
    mark = reader.peek()
    if mark.kind == "power" and mark.text in ("+", "-"):
        reader.at += 1
        return mark.text
    if mark.text == "^" and reader.peek(2).text in ("+", "-"):  # `0^(+)`
        reader.at += 4
        return reader.peek(-2).text
    if mark.text in (",", ";") and reader.peek(1).text == letter:
        relation = reader.peek(2).text
        reader.at += 3
        reader.read_sum()
        return {">": "+", "<": "-"}.get(relation, "")
    return ""


def _read_series(reader: Reader, sign: str) -> Expr:
    """Read a sum or product with its bounds in brackets."""
    reader.expect("(")
    letter = reader.peek()
    reader.at += 1
    reader.expect("=")
    low = reader.read_sum()
    reader.expect(")")
    reader.expect("(")
    high = reader.read_sum()
    reader.expect(")")
    reader.descend()
    op = "sum" if sign == "∑" else "prod"
    return apply(op, reader.read_product(), Letter(letter.text), low, high)


def read_between(reader: Reader, function: Expr) -> Expr:
    """Read the bounds after `[F(x)]`; return F at the upper bound minus F at the lower one."""
    reader.expect("_")
    low = reader.read_base()
    high = reader.read_exponent() if reader.peek().text == "^" else None
    letters = sorted(find_letters(function) - {"e", "π"})
    if high is None or len(letters) != 1:
        raise NotReadable("The bounds are missing.")
    one, other = (substitute(function, {letters[0]: each}) for each in (high, low))
    return apply("-", one, other)


def _read_integral(reader: Reader) -> Expr:
    """Read `∫ f(x) dx`, with two bounds or none; bounds are in brackets without a space before
    them."""
    bounds: list[Expr] = []
    while len(bounds) < 2 and reader.peek().text == "(" and _closes_bound(reader):
        reader.expect("(")
        bounds.append(reader.read_sum())
        reader.expect(")")
    end, name = _find_differential(reader)
    inner = type(reader)(reader.tokens[:end], reader.reading, reader.at)
    body = inner.read_sum()
    if inner.at != end or len(bounds) == 1:
        raise NotReadable("What is integrated cannot be read.")
    reader.at = end + (1 if reader.tokens[end].text == f"d{name}" else 2)
    return apply("integrate", body, Letter(name), *bounds)


def _closes_bound(reader: Reader) -> bool:
    token = reader.peek()
    return token.is_formula and not token.is_spaced and reader.peek(-1).text in ("∫", ")")


def _find_differential(reader: Reader) -> tuple[int, str]:
    """Return the place of `dx`, one token or two, and the letter in it."""
    tokens = reader.tokens
    for at in range(reader.at, min(len(tokens), reader.at + 80)):
        text = tokens[at].text
        if len(text) == 2 and text[0] == "d" and not tokens[at].is_formula:
            return at, text[1]
        if text == "d" and at + 1 < len(tokens) and tokens[at + 1].kind == "name":
            return at, tokens[at + 1].text
    raise NotReadable("There is no differential.")


def add_left_out(terms: Sequence[Expr], last: Expr) -> Expr:
    """Return the sum of all terms before `last` in `1 + 2 + … + 10`, which grow by equal steps or
    by a factor. Raises `NotReadable`: they do not."""
    values = [each.value for each in terms if isinstance(each, Num)]
    if len(values) < max(2, len(terms)) or not isinstance(last, Num) or not values[0]:
        raise NotReadable("It is not known what is left out.")
    step, factor = values[1] - values[0], values[1] / values[0]
    found = list(values)
    is_even = all(other - one == step for one, other in pairwise(values))
    while len(found) < _MOST_TERMS:
        following = found[-1] + step if is_even else found[-1] * factor
        if following == last.value:
            return number(sum(found))
        found.append(following)
    raise NotReadable("The last term does not belong to the others.")


# Marks of numbers ---------------------------------------------------------------------------------

_LARGEST_BASE: Final = 9
"""The largest base whose digits are read."""


_TERM: Final = re.compile(r"([+-]?)(\d*)([a-z]?)")
"""A term of an exponent: its sign, number and letter."""


def _has_base(reader: QuantityReader) -> bool:
    """Return whether an index comes next: `101101_2`, `1101₂`."""
    after = reader.peek()
    is_subscript = after.kind == "break" and after.text in "₀₁₂₃₄₅₆₇₈₉" and not after.is_spaced
    return after.text == "_" or is_subscript


def read_in_base(reader: QuantityReader, token: Token) -> Expr | None:
    """Read a number with the index of its base; None: no index comes next. Raises `NotReadable`: it
    has no such digits."""
    if not _has_base(reader):
        return None
    base = reader.peek(2).value or 0
    is_index = reader.peek().text == "_" and reader.peek(3).text == ")"
    if not is_index or not token.text.isdigit() or not 2 <= base <= _LARGEST_BASE:
        raise NotReadable("A number in another base than ten.")
    if int(max(token.text)) >= base:
        raise NotReadable("The base has no such digit.")
    reader.at += 4
    return number(int(token.text, int(base)))


def refuse_base(reader: QuantityReader) -> None:
    """Raise `NotReadable` if the index of a base comes next: `(1101)_2`."""
    if _has_base(reader):
        raise NotReadable("A number in another base than ten.")


def ends_instruction(reader: QuantityReader) -> bool:
    """Return whether the number before ends an instruction: `on divise par 3,6 : 54 km/h`."""
    operator, before = reader.peek(-2), reader.peek(-3)
    is_by = operator.text in ("par", "by") or (operator.is_word and operator.text in "*/")
    return is_by and before.kind not in ("number", "close", "unit") and reader.at > 1


def read_conjugate(found: Apply) -> Expr:
    """Return the conjugate of a complex number. Raises `NotReadable`: it has other letters."""
    if not find_letters(found.args[0]) <= {"i", "π", "e"}:
        raise NotReadable("The conjugate of letters.")
    return conjugate(found.args[0])


def read_superscript(text: str) -> Expr:
    """Read an exponent that is written in small figures and letters, `2x` of `e²ˣ` or `n+1` of
    `2ⁿ⁺¹`. Raises `NotReadable`."""
    if text.lstrip("-").isdigit():
        return number(int(text))
    exponent: Expr | None = None
    for sign, digits, letter in _TERM.findall(text)[:-1]:  # the last one is empty
        if not digits and not letter:
            raise NotReadable(f"The exponent {text!r}.")
        term = number(int(digits)) if digits else Letter(letter)
        if digits and letter:
            term = apply("*", term, Letter(letter))
        if exponent is None:
            exponent = apply("neg", term) if sign == "-" else term
        else:
            exponent = apply(sign or "*", exponent, term)
    if exponent is None:
        raise NotReadable(f"The exponent {text!r}.")
    return exponent
