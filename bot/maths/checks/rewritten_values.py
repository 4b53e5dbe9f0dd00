"""Check that a later line for the same value agrees: `f'(x) = (2x - 2 - 2x - 3)/(x - 1)²` and below
it `f'(x) = -5/(x - 1)²`; `B = 2 × 10¹`, then `B = 20`; in another unit, `λ = 6 × 10⁻⁷ m`, then `λ =
600 nm`. Also find out whether a text keeps to one unit, so that a computation without units has its
result in it.

Only a value that is not reduced yet is compared with the next one: `x = 2` and `x = -2` are two
solutions, `y = 2x + 1` and `y = 4 - x` two lines of a system. By its form, an equation rewrites the
one in the line before it: `4x + 10 = 50` and `4x = 60` have the same term with x and fewer numbers.
`2x + 3 = 7` and `5x - 1 = 9` may be two exercises.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from bot.maths.checks.stated_forms import has_call, has_endless, is_call
from bot.maths.exact.algebra_questions import Check, Equation, Identity, Pair
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Num,
    Quantity,
    Solutions,
    apply,
    free_letters,
    has_operation,
    has_units,
    list_units,
    number,
    substitute,
    walk,
)
from bot.maths.exact.units import UNITS, find_unit
from bot.maths.reading.chains import Chain
from bot.maths.reading.cues import is_supposed, is_whole
from bot.maths.reading.prose import Sentence
from bot.maths.reading.sentence_cues import is_piecewise
from bot.maths.reading.wording import claim

# Values in other units ----------------------------------------------------------------------------

_LINK_WORDS: Final = """
donc alors soit or on a ainsi so then hence en in c est dire ou convertit thus therefore et and d
"""
_LINKS: Final = frozenset(_LINK_WORDS.split())
"""Words beside a value that is only repeated in another unit."""
_MOST_SENTENCES: Final = 4
"""Most sentences between two values."""
_LENGTH: Final = "length"


class RepeatedValues:
    """The last values of letters, with the number of their sentence."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[Expr, int]] = {}
        self._count = 0

    def begin_sentence(self) -> None:
        """Count the next sentence."""
        self._count += 1

    def knows(self, name: str) -> bool:
        """Return whether the last value of a letter has a unit."""
        return name in self._values

    def check(self, chain: Chain, sentence: Sentence) -> Pair | None:
        """Return the check of a letter's value in another unit than before; None: there is none.
        Keeps the value for the sentences after it."""
        first, last = chain.members[0], chain.members[-1]
        is_plain = all(relation.text in ("=", "≈") for relation in chain.relations)
        if not isinstance(first, Letter) or isinstance(last, Solutions) or not is_plain:
            return None
        known, place = self._values.get(first.name, (None, -_MOST_SENTENCES - 1))
        if chain.is_cut or not _is_measure(last):
            self._values.pop(first.name, None)
            return None
        self._values[first.name] = (last, self._count)
        is_near = self._count - place <= _MOST_SENTENCES
        if known is None or not is_near or len(chain.members) > 2:
            return None
        one, other = evaluate(known).unit, evaluate(last).unit
        if one == other or one.dimensions != other.dimensions:
            return None
        if not _only_links(chain, sentence):
            return None
        return claim(known, last, chain.relations[-1].text)


def _is_measure(expr: Expr) -> bool:
    try:
        return has_units(expr) and bool(evaluate(expr).unit.dimensions)
    except (Undecidable, ZeroDivisionError):
        return False


def _only_links(chain: Chain, sentence: Sentence) -> bool:
    """Return whether a sentence has no words but links, units and a remark in brackets at its end,
    and before a chain no number that is in no equality."""
    ends = (at for at in range(chain.end, len(sentence.tokens)) if sentence.tokens[at].text == "(")
    said = sentence.tokens[: next(ends, None)]
    before = sentence.tokens[: chain.start]
    is_condition = any(token.kind == "number" for token in before)
    if is_condition and not any(token.text == "=" for token in before):
        return False
    words = (token.text for token in said if token.kind == "word" and not token.value)
    return all(word in _LINKS or word in UNITS for word in words)


def find_lengths(sentences: Sequence[Sentence]) -> set[str]:
    """Return the units of lengths, areas and volumes of a text, without their exponents; none if
    it has only one such measure."""
    found = [
        token.text
        for sentence in sentences
        for token in sentence.tokens
        if token.text in UNITS and [name for name, _ in UNITS[token.text].dimensions] == [_LENGTH]
    ]
    return set(found) if len(found) > 1 else set()


def drop_unit(side: Expr, other: Expr, lengths: set[str]) -> Expr:
    """Return a result without its unit, if it is a length, area or volume in the only unit of a
    text, and the other side a computation without units."""
    if not isinstance(side, Quantity) or len(lengths) != 1 or has_operation(side.number):
        return side
    unit = find_unit(side.unit)
    is_length = unit is not None and [name for name, _ in unit.dimensions] == [_LENGTH]
    is_computed = isinstance(other, Apply) and other.op in ("*", "/") and not has_units(other)
    is_only = side.unit.rstrip("²³") == next(iter(lengths))
    return side.number if is_length and is_computed and is_only else side


# Steps of equations -------------------------------------------------------------------------------

_ZERO: Final = number(0)
_LEAST_MOVED: Final = 3
"""Terms of an equation that are hardly the same by chance in another one."""


class _Terms(NamedTuple):
    """The terms of an equation without their signs."""

    literal: Counter[Expr]
    constant: Counter[Expr]

    @property
    def total(self) -> int:
        return self.literal.total() + self.constant.total()


def derives(before: Equation, after: Equation) -> bool:
    """Return whether an equation has the form of a step from another one, right or wrong: terms
    that are moved, numbers that are put together, or one side that is rewritten."""
    letters = collect_letters(before)
    if not letters or letters != collect_letters(after) or _is_solved(before):
        return False
    old, new = _list_terms(before), _list_terms(after)
    if old.literal == new.literal:
        is_moved = old.constant == new.constant and old.total >= _LEAST_MOVED
        return is_moved or new.constant.total() < old.constant.total()
    is_moved = old.literal + old.constant == new.literal + new.constant
    return is_moved or _rewrites_side(before, after) or _collects(before, after)


def continues(before: Equation, after: Equation) -> bool:
    """Return whether an equation may be the next step after one that is itself a step."""
    letters = collect_letters(before)
    if (
        letters != collect_letters(after)
        or _is_solved(before)
        or _find_equation_line(before) is None
    ):
        return False
    return _list_terms(after).total <= _list_terms(before).total


def _is_solved(equation: Equation) -> bool:
    """Return whether an equation is `x = 3`."""
    return isinstance(equation.left, Letter) and not free_letters(equation.right)


def _is_unfinished(expr: Expr) -> bool:
    """Return whether an expression can be reduced: it has terms or numbers to put together, or
    multiplies a sum."""
    if isinstance(expr, Apply) and expr.op == "/" and free_letters(expr.args[1]):
        return any(map(_is_unfinished, expr.args))
    terms = list(_split(expr))
    constants = [each for each in terms if not free_letters(each)]
    parts = Counter(_drop_factor(each) for each in terms if free_letters(each))
    is_numeric = any(isinstance(each, Apply) and each.op != "/" for each in constants)
    has_like = len(constants) > 1 or is_numeric or any(count > 1 for count in parts.values())
    return has_like or _multiplies_sum(expr)


def _multiplies_sum(expr: Expr) -> bool:
    """Return whether an expression multiplies or squares a sum."""
    return any(
        isinstance(node, Apply)
        and node.op in ("*", "^")
        and any(isinstance(each, Apply) and each.op in ("+", "-") for each in node.args)
        for node in walk(expr)
    )


def collect_letters(equation: Equation) -> set[str]:
    return free_letters(equation.left) | free_letters(equation.right)


def _list_terms(equation: Equation) -> _Terms:
    found = _Terms(Counter(), Counter())
    for side in (equation.left, equation.right):
        for term in _split(side):
            if term != _ZERO:
                found[not free_letters(term)][term] += 1
    return found


def _split(expr: Expr) -> Iterator[Expr]:
    """Yield the terms of a sum without their signs."""
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Apply) and node.op in ("+", "-", "neg"):
            waiting.extend(node.args)
        else:
            yield node


def _drop_factor(term: Expr) -> Expr:
    """Return a term without the number by which it is multiplied."""
    if isinstance(term, Apply) and term.op == "*" and isinstance(term.args[0], Num):
        return term.args[1]
    return term


def _rewrites_side(before: Equation, after: Equation) -> bool:
    """Return whether one side stays and the other one is expanded, reduced or factorised; a product
    that is zero may be followed by one of its factors."""
    pairs = [(before.left, after.left), (before.right, after.right)]
    changed = [(one, other) for one, other in pairs if one != other]
    if len(changed) != 1:
        return False
    one, other = changed[0]
    if not free_letters(one) or free_letters(one) != free_letters(other):
        return False
    kept = before.right if one is before.left else before.left
    if isinstance(one, Apply) and one.op in ("*", "^") and kept == _ZERO:
        return False
    if isinstance(one, Letter) or isinstance(other, Letter) or _has_quotient(one):
        return False
    counts = [sum(bool(free_letters(term)) for term in _split(side)) for side in (one, other)]
    is_expanded = _multiplies_sum(one) and not _multiplies_sum(other)
    is_factorised = counts[0] > 1 == counts[1] and _multiplies_sum(other)
    return is_expanded or is_factorised or (counts[0] > counts[1] and _is_like(one))


def _is_like(expr: Expr) -> bool:
    """Return whether a sum has terms with the same letters and powers."""
    parts = Counter(_drop_factor(each) for each in _split(expr) if free_letters(each))
    return any(count > 1 for count in parts.values())


def _has_quotient(expr: Expr) -> bool:
    return any(
        isinstance(node, Apply) and node.op in ("/", "sqrt", "abs") and free_letters(node)
        for node in walk(expr)
    )


def _collects(before: Equation, after: Equation) -> bool:
    """Return whether both put their terms together to the same number of x, or the same number
    without x: `5x - 3 = 2x + 9` and `3x = 6`."""
    old, new = _list_terms(before), _list_terms(after)
    if old.literal.total() < 2 or new.literal.total() != 1 or new.total >= old.total:
        return False
    one, other = _find_equation_line(before), _find_equation_line(after)
    if one is None or other is None:
        return False
    is_slope, is_constant = (abs(a) == abs(b) for a, b in zip(one, other, strict=True))
    return (is_slope and abs(one[0]) != 1) or (is_constant and one[1] != 0)


def _find_equation_line(equation: Equation) -> tuple[Fraction, Fraction] | None:
    """Return a and b of an equation of one letter that is ax + b = 0; None: it is no such one."""
    letters = sorted(collect_letters(equation))
    difference = apply("-", equation.left, equation.right)
    line = find_line(difference, letters[0]) if len(letters) == 1 else None
    return line if line and line[0] else None


def find_line(expr: Expr, letter: str) -> tuple[Fraction, Fraction] | None:
    """Return a and b of an expression that is ax + b; None: it is no such expression."""
    try:
        at = [evaluate(substitute(expr, {letter: number(x)})).number for x in range(3)]
    except (Undecidable, ZeroDivisionError):
        return None
    slope = at[1] - at[0]
    return (slope, at[0]) if at[2] - at[1] == slope else None


# Values that are written again --------------------------------------------------------------------

_FARTHEST = 2
"""Most paragraphs between two lines for one value."""


class _Stated(NamedTuple):
    """The last member of a chain, with its sentence, and whether the chain is a whole line."""

    value: Expr
    sentence: Sentence
    is_line: bool


class RewrittenValues:
    """The last values of names in the text, that are not reduced."""

    def __init__(self) -> None:
        self._stated: dict[Expr, _Stated] = {}

    def clear(self) -> None:
        self._stated = {}

    def check(self, chain: Chain, sentence: Sentence, previous: Sentence | None) -> Check | None:
        """Return the check of a chain against the one for the same name before it; None: there is
        none. Keeps the chain for those after it."""
        members = [each for each in chain.members if not isinstance(each, Solutions)]
        is_plain = all(token.text in ("=", "≈") and not token.is_word for token in chain.relations)
        if len(members) < len(chain.members) or not is_plain or chain.phrase:
            return None
        first, value, last = members[0], members[1], members[-1]
        if not _is_name(first) or has_call(last) or is_piecewise(sentence):
            return None
        is_meant = not (chain.is_cut or chain.is_doubtful or sentence.is_disowned)
        if not is_meant or is_supposed(chain, sentence):
            self._stated.pop(first, None)
            return None
        before = self._stated.get(first)
        stated = _Stated(last, sentence, is_whole(chain, sentence))
        self._stated[first] = stated
        if before is None or not _is_near(before.sentence, sentence):
            return None
        if free_letters(before.value):
            is_next = before.is_line and stated.is_line and before.sentence is previous
            return _check_form(first, before.value, value, is_next=is_next)
        is_next = before.sentence is previous or before.sentence is sentence
        return _check_number(first, before.value, members, is_next=is_next)


def _is_near(one: Sentence, other: Sentence) -> bool:
    return one.section == other.section and 0 <= other.block - one.block <= _FARTHEST


def _is_name(expr: Expr) -> bool:
    """Return whether an expression is a letter, its square, or a function with its argument."""
    is_square = isinstance(expr, Apply) and expr.op == "^" and expr.args[1] == number(2)
    base = expr.args[0] if is_square and isinstance(expr, Apply) else expr
    return isinstance(base, Letter) or is_call(base)


def _is_derivative(name: Expr) -> bool:
    letter = name.args[0] if isinstance(name, Apply) and name.op == "call" else None
    return isinstance(letter, Letter) and letter.name.endswith("'")


def _check_form(name: Expr, before: Expr, after: Expr, *, is_next: bool) -> Check | None:
    """Return the check of two expressions with letters; None: they may be two functions."""
    letters = free_letters(after)
    if not letters or not letters <= free_letters(before) or before == after:
        return None
    if not _is_unfinished(before) or not (is_next or _is_derivative(name)):
        return None
    return Identity(before, after, "claimed")


def _check_number(name: Expr, before: Expr, members: list[Expr], *, is_next: bool) -> Check | None:
    """Return the check of two numbers; None: the second may be another value."""
    after = members[1]
    if free_letters(after) or has_endless(after) or not _is_computation(before):
        return None
    if list_units([before]) - {"°"} or list_units([after]):
        return None
    is_small = isinstance(name, Letter) and not name.name.isupper()
    if is_small and (not is_next or has_operation(after) or len(members) > 2):
        return None
    return claim(before, after)


def _is_computation(expr: Expr) -> bool:
    """Return whether there is something left to compute: not in `3/4` or `√2`."""
    if isinstance(expr, Apply) and expr.op == "neg":
        return _is_computation(expr.args[0])
    if not isinstance(expr, Apply) or not has_operation(expr):
        return False
    are_plain = all(isinstance(each, Num | Letter) for each in expr.args)
    return not (are_plain and expr.op in ("/", "sqrt"))
