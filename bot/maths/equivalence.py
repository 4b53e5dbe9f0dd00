"""Decide whether two answers are equal: numbers in any notation, expressions, sets in any order.

Used to grade answers and to check the keys of quizzes. Numbers are compared exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, Literal

from bot.maths.exact.arithmetic import Undecidable, compare, evaluate
from bot.maths.exact.expression import (
    Expr,
    Letter,
    Solutions,
    free_letters,
    has_units,
    number,
    substitute,
)
from bot.maths.reading.chain_members import MemberReader, read_values
from bot.maths.reading.formula_tokens import tokenize_formula
from bot.maths.reading.notation import Reader, Reading
from bot.maths.reading.quantities import NotReadable
from bot.maths.reading.tokens import Token, join_words, tokenize

AnswerKind = Literal["number", "expression", "set"]
MAX_ANSWER: Final = 500
"""Most characters of an answer that is read."""
_MARKS: Final = re.compile(r"^(?:\$\$?|\\\(|\\\[)|(?:\$\$?|\\\)|\\\])$")
_POINTS: Final = (
    *(Fraction(n) for n in (2, 3, 5, -3, 7, -7, 11, 13)),
    *(Fraction(n, d) for n, d in ((1, 2), (5, 3), (-4, 7), (9, 4))),
)
_ENOUGH: Final = 8
"""Points at which two expressions have to agree."""
_LEADING_WORDS = """
c est la reponse ca fait resultat solution solutions les sont je pense que trouve donc the answer is
it on s
"""
_LEAD: Final = frozenset(_LEADING_WORDS.split())
"""Words that may stand before an answer."""


def read_answer(text: str, reading: Reading = frozenset()) -> Expr:
    """Read an answer as one value: `3,5`, `x = 4`, `c'est sept`, `$\\frac{1}{2}$`, `12 cm`.

    Raises:
        NotReadable: the text is no value, or has more than the value.
    """
    tokens = _tokenize_answer(text)
    reader = Reader(tokens, reading)
    found = reader.read_sum()
    if reader.peek().text == "=" and isinstance(found, Letter):
        reader.at += 1
        found = reader.read_sum()
    if reader.at < len(tokens):
        raise NotReadable(f"{tokens[reader.at].text!r} cannot be read here.")
    return found


def _tokenize_answer(text: str) -> list[Token]:
    """Return the tokens of an answer, without the words that introduce it and the full stop. Raises
    `NotReadable`: it is too long."""
    stripped = text.strip()
    if len(stripped) > MAX_ANSWER:
        raise NotReadable("It is too long.")
    bare = _MARKS.sub("", stripped).strip()
    is_latex = bare != stripped or "\\" in bare
    tokens = tokenize_formula(bare, 0, len(bare)) if is_latex else join_words(tokenize(bare))
    while tokens and tokens[-1].text in (".", "!", ",") and tokens[-1].kind != "number":
        tokens = tokens[:-1]
    at = 0
    while at < len(tokens) - 1 and _is_lead(tokens[at], tokens[at + 1]):
        at += 1
    return tokens[at:]


def _is_lead(token: Token, after: Token) -> bool:
    if token.is_formula:
        return False
    if token.kind == "relation":
        return token.is_word or token.text == "="
    is_word = token.kind in ("word", "name") and token.text.lower() in _LEAD
    is_whole = len(token.text) > 1 or after.text == "'"
    return token.text in (":", "'") or (is_word and is_whole)


def equivalent(one: str, other: str, kind: AnswerKind) -> bool | None:
    """Return whether two answers are equal in value; None: this cannot be decided, or one answer
    cannot be read."""
    try:
        if kind == "set":
            return _are_sets_equal(read_set(one), read_set(other))
        verdicts = [_are_equal(*sides) for sides in _list_readings(one, other)]
    except NotReadable:
        return None
    if True in verdicts:
        return True
    return None if None in verdicts else False


def _list_readings(one: str, other: str) -> Iterator[tuple[Expr, Expr]]:
    """Yield both answers in the usual reading, and with one's marks separating thousands."""
    plain: Reading = frozenset()
    grouped: Reading = frozenset(("thousands",))
    for first, second in ((plain, plain), (grouped, plain), (plain, grouped)):
        yield read_answer(one, first), read_answer(other, second)


def _are_equal(one: Expr, other: Expr) -> bool | None:
    if one == other:
        return True
    if free_letters(one) or free_letters(other):
        return _agree_at_points(one, other)
    if has_units(one) != has_units(other):
        return _are_numbers_equal(one, other)
    decision = compare(one, "=", other)
    return None if decision.verdict == "undecided" else decision.verdict == "right"


def _agree_at_points(one: Expr, other: Expr) -> bool | None:
    """Return whether expressions with letters have the same exact value at all points; None: they
    can be evaluated at too few.

    Polynomials that agree at more points than their degree are equal; those of school have at most
    degree 4.
    """
    letters = sorted(free_letters(one) | free_letters(other))
    agreed = 0
    for first in range(len(_POINTS)):
        values = {
            letter: number(_POINTS[(first + 3 * place) % len(_POINTS)])
            for place, letter in enumerate(letters)
        }
        try:
            left, right = evaluate(substitute(one, values)), evaluate(substitute(other, values))
        except Undecidable:
            continue  # a root, a logarithm, or a division by zero
        if left != right:
            return False
        agreed += 1
    return True if agreed >= _ENOUGH else None


def _are_numbers_equal(one: Expr, other: Expr) -> bool | None:
    """Return whether two numbers are equal without their units; None: one has no exact value."""
    try:
        left, right = evaluate(one), evaluate(other)
    except Undecidable:
        return None
    return left.number == right.number


def read_set(text: str) -> Solutions:
    """Read a set of solutions: `{1 ; 2}`, `x = 1 ou x = 2`, `1 et 2`, `]-∞ ; 2[`, `∅`.

    Raises:
        NotReadable: the text is no set.
    """
    tokens = _tokenize_answer(text)
    if len(tokens) > 2 and tokens[0].kind == "name" and tokens[1].text in ("=", "∈"):
        is_braced = tokens[2].text in ("{", "[", "]", "∅")
        tokens = tokens[2:] if is_braced else tokens
    first = tokens[0].text if tokens else ""
    if first in ("{", "[", "]", "∅"):
        reader = MemberReader(tokens)
        found = reader.read_member()
        if reader.at == len(tokens) and isinstance(found, Solutions):
            return found
        raise NotReadable("Something stands after the set.")
    values, end = read_values(tokens, 0)
    if not values or end < len(tokens):
        raise NotReadable("This is no set.")
    return Solutions(elements=tuple((value,) for value in values))


def _are_sets_equal(one: Solutions, other: Solutions) -> bool | None:
    """Return whether two sets have the same elements in any order, or intervals with the same
    bounds; None: an element has no exact value."""
    if one.intervals or other.intervals:
        return _are_intervals_equal(one, other)
    left, right = _list_elements(one), _list_elements(other)
    if left is None or right is None:
        return None
    return left == right


def _list_elements(found: Solutions) -> set[tuple[Fraction, ...]] | None:
    try:
        return {tuple(evaluate(each).number for each in row) for row in found.elements}
    except Undecidable:
        return None


def _are_intervals_equal(one: Solutions, other: Solutions) -> bool | None:
    if one.elements or other.elements or len(one.intervals) != len(other.intervals):
        return False

    def describe(found: Solutions) -> list[tuple[Fraction | None, Fraction | None, bool, bool]]:
        return [
            (_find_bound(each.low), _find_bound(each.high), each.has_low, each.has_high)
            for each in found.intervals
        ]

    try:
        left, right = describe(one), describe(other)
    except Undecidable:
        return None
    return all(each in right for each in left)


def _find_bound(bound: Expr | None) -> Fraction | None:
    return None if bound is None else evaluate(bound).number
