"""Read the notation of calculus: limits, sums, products, integrals, `[F(x)]` with bounds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from bot.maths.exact.expression import Expr, Letter, Num, apply, find_letters, number, substitute
from bot.maths.reading.quantities import NotReadable
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
    point = reader.read_product() if is_bracketed else reader.read_base()
    side = ""
    if reader.peek().text == "^" and reader.peek(2).text in ("+", "-"):  # `0^(+)`
        side = reader.peek(2).text
        reader.at += 4
    if is_bracketed:
        reader.expect(")")
    reader.descend()
    place = apply("neg", point) if sign == "-" else point
    return apply("limit", reader.read_sum(), Letter(letter.text), place, Letter(side))


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
    end = _find_differential(reader)
    inner = type(reader)(reader.tokens[:end], reader.reading, reader.at)
    body = inner.read_sum()
    if inner.at != end or len(bounds) == 1:
        raise NotReadable("What is integrated cannot be read.")
    letter = Letter(reader.tokens[end + 1].text)
    reader.at = end + 2
    return apply("integrate", body, letter, *bounds)


def _closes_bound(reader: Reader) -> bool:
    return reader.peek().is_formula and reader.peek(-1).text in ("∫", ")")


def _find_differential(reader: Reader) -> int:
    tokens = reader.tokens
    for at in range(reader.at, min(len(tokens) - 1, reader.at + 80)):
        is_d = tokens[at].kind == "name" and tokens[at].text == "d"
        if is_d and tokens[at + 1].kind == "name":
            return at
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
