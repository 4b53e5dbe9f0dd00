"""Check sets of numbers: domains of functions, solutions of two inequalities, intersections and
unions of intervals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

from bot.maths.checks.function_claims import FunctionClaims
from bot.maths.checks.stated_forms import list_letters
from bot.maths.exact.algebra_questions import Check, Equation, Known, Region, Statement
from bot.maths.exact.arithmetic import Undecidable, evaluate, write_number
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Interval,
    Letter,
    Num,
    Solutions,
    free_letters,
    number,
    walk,
)
from bot.maths.reading.chain_members import MemberReader
from bot.maths.reading.chains import Chain
from bot.maths.reading.cues import get_word_before, says
from bot.maths.reading.prose import Sentence
from bot.maths.reading.quantities import NotReadable
from bot.maths.reading.tokens import Token

_CUES: Final = re.compile(r"[∩∪]|\\c[au]p\b|\bd_?[a-z]? ?=|\bdomaine?\b|\bdefinition\b|\bs ?=")
_JOINED: Final = re.compile(
    r"\b(?:(?P<meet>intersection)|reunion|union) (?:des|de|du|of|entre)\b(?!.*(?:\b(?:pas|not"
    r"|si|if)\b|∅))"
)
_DOMAIN: Final = re.compile(r"[dD]_?([a-z])")
_SOUGHT: Final = re.compile(r"\b(?:domaine|ensemble) de definition\b|\bdomain of\b|\bil faut\b")
_WITHOUT: Final = ("\\", "∖", "-", "setminus")
_JOINS: Final = frozenset(("et", "and", ";", "{", ","))
_INEQUALITIES: Final = ("<", ">", "≤", "≥")
_LONGEST_INTERVAL: Final = 15
"""Most tokens of an interval."""
_ALL: Final = Interval(None, None, has_low=False, has_high=False)


class NumberSets:
    """The sets and inequalities that are known at one place of a text."""

    def __init__(self, functions: FunctionClaims) -> None:
        self._functions = functions
        self._sets: dict[str, Solutions] = {}
        self._asked: list[Equation] = []
        """The inequalities of the question, which hold together."""
        self._seeks_domain = False

    @property
    def has_system(self) -> bool:
        return len(self._asked) > 1

    def learn(self, chain: Chain, sentence: Sentence, *, is_question: bool) -> None:
        """Keep the interval that a capital stands for, and the inequalities of the question."""
        self._seeks_domain |= says(_SOUGHT, sentence.text)
        first, last = chain.members[0], chain.members[-1]
        before = get_word_before(chain, sentence)
        if len(chain.members) != 2 or isinstance(first, Solutions):
            return
        if isinstance(last, Solutions):
            if isinstance(first, Letter) and first.name.isupper() and before not in ("∩", "∪"):
                self._sets[first.name] = last
        elif is_question and chain.relations[0].text in _INEQUALITIES and not chain.is_cut:
            equation = Equation(first, chain.relations[0].text, last)
            is_joined = before in _JOINS or not self._asked
            is_alike = not self._asked or list_letters(self._asked[0]) == list_letters(equation)
            if is_joined and is_alike and len(list_letters(equation)) == 1:
                self._asked.append(equation)

    def check_system(self, claim: Solutions) -> Region | None:
        """Return the check of the solutions of the question's inequalities together."""
        letters = list_letters(self._asked[0]) if self._asked else []
        if len(letters) != 1 or claim.elements:
            return None
        return Region(tuple(self._asked), letters[0], claim)

    def read(self, sentence: Sentence) -> Iterator[Statement]:
        """Yield the domains, intersections and unions that a sentence states."""
        self._seeks_domain |= says(_SOUGHT, sentence.text)
        if found := _JOINED.search(sentence.text):
            yield from _read_joined(sentence, "∩" if found["meet"] else "∪")
        if not _CUES.search(sentence.text):
            return
        tokens = sentence.tokens
        for at, token in enumerate(tokens):
            if token.text != "=" and token.text != ":":
                continue
            if check := self._check(sentence, at):
                yield Statement(sentence.text, [[check]])

    def _check(self, sentence: Sentence, at: int) -> Check | None:
        tokens = sentence.tokens
        begin = max((place for place in range(at) if tokens[place].text == "="), default=0)
        joints = [place for place in range(begin, at) if tokens[place].text in ("∩", "∪")]
        name = self._find_domain(tokens, at)
        if len(joints) != 1 and name is None:
            return None
        claim = (_read_listed(tokens, at + 1) if joints else None) or read_set(tokens, at + 1)
        if claim is None:
            return None
        if len(joints) == 1 and not (claim.elements and claim.intervals):
            (joint,) = joints
            one = self._read_part(tokens, begin, joint)
            other = self._read_part(tokens, joint + 1, at)
            join = _check_join if claim.intervals else _check_listed_join
            return join(one, other, tokens[joint].text, claim) if one and other else None
        return self._check_domain(name or "", claim)

    def _read_part(self, tokens: Sequence[Token], start: int, end: int) -> Solutions | None:
        """Return the set that ends at a place: a name of one, or an interval; None: there is
        none."""
        if start < end and tokens[end - 1].text in self._sets:
            return self._sets[tokens[end - 1].text]
        for at in range(max(start, end - _LONGEST_INTERVAL), end):
            reader = MemberReader(tokens[:end], at=at)
            if tokens[at].text not in ("[", "]"):
                continue
            try:
                found = reader.read_member()
            except NotReadable:
                continue
            if isinstance(found, Solutions) and reader.at == end:
                return found
        return None

    def _find_domain(self, tokens: Sequence[Token], at: int) -> str | None:
        """Return the name of the function whose domain stands before a place, empty if it has none
        there; None: no domain stands there."""
        if not at:
            return None
        if found := _DOMAIN.fullmatch(tokens[at - 1].text):
            return found[1]
        if tokens[at - 1].text == "D" and self._seeks_domain:
            return "" if len(self._functions.list_functions()) == 1 else None
        words = [token.text for token in tokens[max(0, at - 6) : at]]
        is_named = "domaine" in words or "domain" in words or words[-3:-1] == ["ensemble", "de"]
        return (
            "" if is_named and words[-1] in ("definition", "domaine", "domain", "f", "g") else None
        )

    def _check_domain(self, name: str, claim: Solutions) -> Region | None:
        function = self._functions.find_function(name)
        conditions = list_conditions(function[1]) if function else None
        if function is None or conditions is None:
            return None
        return Region(tuple(conditions), function[0], claim)


def list_conditions(function: Expr) -> list[Equation] | None:
    """Return the conditions under which a function has a value; None: they are not known."""
    found: list[Equation] = []
    for node in walk(function):
        if not isinstance(node, Apply) or not free_letters(node):
            continue
        if node.op in _UNKNOWN or (node.op == "^" and not _has_whole_exponent(node)):
            return None
        if condition := _find_condition(node):
            found.append(condition)
    return found


_UNKNOWN: Final = (
    "tan", "asin", "acos", "!", "root", "call", "limit", "integrate", "derive",
)  # fmt: skip
"""Operators that may lack a value where no simple condition says so."""


def _has_whole_exponent(power: Apply) -> bool:
    """Return whether a power of a letter has a whole exponent; one of a number may have any."""
    base, exponent = power.args
    is_whole = isinstance(exponent, Num) and exponent.value.denominator == 1
    return is_whole or not free_letters(base)


def _find_condition(node: Apply) -> Equation | None:
    """Return the condition under which one operation has a value; None: it always has one."""
    zero = number(0)
    if node.op in ("ln", "log", "sqrt"):
        return Equation(node.args[0], "≥" if node.op == "sqrt" else ">", zero)
    if node.op == "/" and free_letters(node.args[1]):
        return Equation(node.args[1], "≠", zero)
    is_power = node.op == "^" and isinstance(node.args[1], Num) and node.args[1].value < 0
    return Equation(node.args[0], "≠", zero) if is_power and free_letters(node.args[0]) else None


def read_set(tokens: Sequence[Token], at: int) -> Solutions | None:
    """Read `]-2 ; 2[` or `ℝ \\ {3}`, in which the elements are left out; None: no set that ends
    its clause stands there."""
    reader = MemberReader(tokens, at=at)
    intervals: tuple[Interval, ...] = (_ALL,)
    elements: tuple[tuple[Expr, ...], ...] = ()
    is_all = reader.peek().text in ("ℝ", "R", "bb")
    try:
        if is_all:
            reader.at += 1
        else:
            found = reader.read_member()
            if not isinstance(found, Solutions) or found.elements:
                return None
            intervals = found.intervals
        if reader.peek().text in _WITHOUT and reader.peek(1).text == "{":
            reader.at += 1
            found = reader.read_member()
            elements = found.elements if isinstance(found, Solutions) else ()
        elif is_all and reader.peek().text in ("*", "+", "-", "_", "^"):
            return None
    except NotReadable:
        return None
    after = reader.peek()
    is_remark = after.text == "(" and after.is_spaced
    is_end = after.kind == "separator" or not after.text or after.text in ("et", "and", "car")
    return Solutions(elements, intervals) if is_end or is_remark else None


def _read_listed(tokens: Sequence[Token], at: int) -> Solutions | None:
    """Read a set whose numbers are listed: `{1 ; 2 ; 3}`; None: none stands there."""
    try:
        found = MemberReader(tokens, at=at).read_member() if tokens[at].text == "{" else None
    except (IndexError, NotReadable):
        return None
    return found if isinstance(found, Solutions) and not found.intervals else None


def _check_listed_join(
    one: Solutions, other: Solutions, sign: str, claim: Solutions
) -> Known | None:
    """Return the verdict on an intersection or union of sets whose numbers are listed."""
    if one.intervals or other.intervals:
        return None
    try:
        first, second, claimed = (
            {evaluate(number).number for (number,) in each.elements} for each in (one, other, claim)
        )
    except (Undecidable, ValueError):  # a pair, or a letter
        return None
    expected = first & second if sign == "∩" else first | second
    listed = " ; ".join(map(write_number, sorted(expected)))
    return Known("right") if claimed == expected else Known("wrong", f"it is {{{listed}}}")


def _check_join(one: Solutions, other: Solutions, sign: str, claim: Solutions) -> Known | None:
    """Return the verdict on an intersection or union of sets with exact bounds."""
    try:
        bounds = {
            evaluate(bound).number
            for each in (one, other, claim)
            for interval in each.intervals
            for bound in (interval.low, interval.high)
            if bound
        }
        points = sorted(bounds) or [Fraction(0)]
        middles = [(low + high) / 2 for low, high in pairwise(points)]
        for point in (*points, *middles, points[0] - 1, points[-1] + 1):
            parts = (_contains(one, point), _contains(other, point))
            is_inside = all(parts) if sign == "∩" else any(parts)
            if is_inside != _contains(claim, point):
                where = "should be in it" if is_inside else "should not be in it"
                return Known("wrong", f"{point} {where}")
    except Undecidable:
        return None
    return Known("right")


def _read_joined(sentence: Sentence, sign: str) -> Iterator[Statement]:
    """Yield the check of `l'intersection de [-2 ; 5] et [1 ; 8] est [1 ; 5]`."""
    tokens, found, at = sentence.tokens, list[Solutions](), 0
    while at < len(tokens):
        reader = MemberReader(tokens, at=at)
        at += 1
        if tokens[at - 1].text not in ("[", "]"):
            continue
        try:
            member = reader.read_member()
        except NotReadable:
            continue
        if isinstance(member, Solutions) and member.intervals:
            found.append(member)
            at = reader.at
    if len(found) == 3 and (verdict := _check_join(found[0], found[1], sign, found[2])):
        yield Statement(sentence.text, [[verdict]])


def _contains(numbers: Solutions, point: Fraction) -> bool:
    """Return whether a point is in one of the intervals. Raises `Undecidable`."""
    for each in numbers.intervals:
        low = evaluate(each.low).number if each.low else point - 1
        high = evaluate(each.high).number if each.high else point + 1
        if (
            low < point < high
            or (point == low and each.has_low)
            or (point == high and each.has_high)
        ):
            return True
    return False
