"""Check values against what the text has stated, found or tested before.

A value that is stated again for the same name: in another unit, or worked out. And `2 × 3 + 1 = 7.
Donc 3 n'est pas solution` of `2x + 1 = 7`, `so M is not on the line y = 3x + 1`; `x = 3`, then
`y = x - 1 = 4`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from bot.i18n import fold
from bot.maths.checks.letter_equalities import is_unfinished
from bot.maths.checks.stated_forms import get_unknown, has_call, has_endless, is_call
from bot.maths.exact.algebra_questions import (
    Check,
    Equation,
    Identity,
    Known,
    Pair,
    Statement,
)
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Num,
    Quantity,
    Solutions,
    free_letters,
    has_operation,
    has_units,
    list_units,
    number,
    substitute,
)
from bot.maths.exact.units import UNITS, find_unit
from bot.maths.reading.chain_members import read_values
from bot.maths.reading.chains import Chain
from bot.maths.reading.cues import (
    is_piecewise,
    is_supposed,
    is_whole,
)
from bot.maths.reading.prose import Sentence
from bot.maths.reading.vocabulary import THEN
from bot.maths.reading.wording import Wording, claim

# Values in other units ----------------------------------------------------------------------------

_LINK_WORDS: Final = """
donc alors soit or on a ainsi so then hence en in c est dire ou convertit thus therefore et and d
"""
_LINKS: Final = frozenset(_LINK_WORDS.split())
"""Words beside a value that is only repeated in another unit."""
_LONGEST_LABEL: Final = 6
"""Most tokens of the words that name a value at the beginning of a line."""
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


# Values that are written again --------------------------------------------------------------------

_FARTHEST = 2
"""Most paragraphs between two lines for one value."""


class _StatedValue(NamedTuple):
    """The last member of a chain, with its sentence, and whether the chain is a whole line."""

    value: Expr
    sentence: Sentence
    is_line: bool


class RewrittenValues:
    """The last values of names in the text, that are not reduced."""

    def __init__(self) -> None:
        self._stated: dict[Expr, _StatedValue] = {}

    def clear(self) -> None:
        self._stated = {}

    def read_labelled(self, sentence: Sentence, previous: Sentence | None) -> Statement | None:
        """Read `Aire = 45 cm²` below the line `Aire = 8 × 5`; None: it is no such line, or the line
        before names something else. Keeps it for the next line."""
        label, value = _read_labelled(sentence)
        if label is None or value is None or sentence.is_disowned:
            return None
        before, self._stated[label] = self._stated.get(label), _StatedValue(value, sentence, True)
        if before is None or before.sentence is not previous:
            return None
        check = _check_number(label, before.value, [label, value], is_next=True)
        return Statement(sentence.text, [[check]]) if check else None

    def check(self, chain: Chain, sentence: Sentence, previous: Sentence | None) -> Check | None:
        """Return the check of a chain against the one for the same name before it; None: there is
        none. Keeps the chain for those after it."""
        members = chain.sides
        if not members or not chain.is_written_with("=", "≈") or chain.phrase:
            return None
        first, value, last = members[0], members[1], members[-1]
        if not _is_name(first) or has_call(last) or is_piecewise(sentence):
            return None
        is_meant = not (chain.is_cut or chain.is_doubtful or sentence.is_disowned)
        if not is_meant or is_supposed(chain, sentence):
            self._stated.pop(first, None)
            return None
        before = self._stated.get(first)
        stated = _StatedValue(last, sentence, is_whole(chain, sentence))
        self._stated[first] = stated
        if before is None or not _is_near(before.sentence, sentence):
            return None
        if free_letters(before.value):
            is_next = before.is_line and stated.is_line and before.sentence is previous
            return _check_form(before.value, value, is_next=is_next)
        is_next = before.sentence is previous or before.sentence is sentence
        return _check_number(first, before.value, members, is_next=is_next)


def _read_labelled(sentence: Sentence) -> tuple[Letter | None, Expr | None]:
    """Return the words before the equals sign of a line as one letter, and the number after it."""
    tokens = sentence.tokens
    at = next((at for at, token in enumerate(tokens) if token.text == "="), 0)
    words = [token.text for token in tokens[:at]]
    is_label = bool(words) and all(each.kind in ("word", "power") for each in tokens[:at])
    if not is_label or at > _LONGEST_LABEL:
        return None, None
    values, end = read_values(tokens, at + 1)
    is_line = all(each.kind == "separator" for each in tokens[end:])
    value = values[0] if len(values) == 1 and is_line else None
    return Letter(fold(" ".join(words))), value


def _is_near(one: Sentence, other: Sentence) -> bool:
    return one.section == other.section and 0 <= other.block - one.block <= _FARTHEST


def _is_name(expr: Expr) -> bool:
    """Return whether an expression is a letter, its square, or a function with its argument."""
    is_square = isinstance(expr, Apply) and expr.op == "^" and expr.args[1] == number(2)
    base = expr.args[0] if is_square and isinstance(expr, Apply) else expr
    return isinstance(base, Letter) or is_call(base)


def _check_form(before: Expr, after: Expr, *, is_next: bool) -> Check | None:
    """Return the check of two expressions with letters; None: they may be two functions."""
    letters = free_letters(after)
    if not letters or not letters <= free_letters(before) or before == after:
        return None
    if not is_unfinished(before) or not is_next:
        return None
    return Identity(before, after, "claimed")


def _check_number(name: Expr, before: Expr, members: list[Expr], *, is_next: bool) -> Check | None:
    """Return the check of two numbers; None: the second may be another value."""
    after = members[1]
    if free_letters(after) or has_endless(after) or not _is_computation(before):
        return None
    if list_units([before]) - {"°"} and not (is_next and list_units([after])):
        return None
    if list_units([after]):  # it may be in another unit, which `compare` knows
        return claim(before, after) if is_next and len(members) == 2 else None
    is_small = isinstance(name, Letter) and not name.name.isupper()
    if is_small and (not is_next or has_operation(after) or len(members) > 2):
        return None
    return claim(before, after)


def _is_computation(expr: Expr) -> bool:
    """Return whether there is something left to compute: not in `3/4` or `√2`, but in `36/3`."""
    if isinstance(expr, Apply) and expr.op == "neg":
        return _is_computation(expr.args[0])
    if not isinstance(expr, Apply) or not has_operation(expr):
        return False
    match expr:
        case Apply("/", (Num(above), Num(below))):
            return below != 0 and (above / below).denominator == 1
        case _:
            pass
    are_plain = all(
        isinstance(each, Letter) or (isinstance(each, Num) and not each.is_decimal)
        for each in expr.args
    )
    return not (are_plain and expr.op in ("/", "sqrt"))


# Values that were found or tested -----------------------------------------------------------------

_NOT: Final = (
    r"(?:n est pas|n est donc pas|is not|isn t|ne (?:verifie|satisfait) pas|does not satisfy)"
)
_SOLUTION: Final = re.compile(
    rf"(?:\b(?P<name>[a-z]) = |(?<! =) )(?P<value>#) (?:(?P<not>{_NOT})|est|is|verifie|satisf\w+)"
    rf"(?: (?:{THEN}|une?|a|l|the|cette))* (?:solution|racine|root"
    r"|(?<!une )(?<!an )equation)\b(?! (?:de|of)(?: l equation)? #(?! =)| comme)"
)
_POINT: Final = re.compile(r"\b(?P<name>[A-Z]) (?P<at>@)")
_ON_LINE: Final = re.compile(
    r"\b(?:(?P<name>[A-Z])|(?P<at>@)) (?:(?P<not>n est (?:donc )?pas sur"
    r"|n appartient (?:donc )?pas a"
    r"|is not on|does not lie on|isn t on)|est (?:bien |donc )*sur|appartient (?:bien |donc )*a"
    r"|is on"
    r"|lies on) (?:la |the |l |cette )?(?:droite|line|courbe|curve|parabole|d\b)"
)
_MOST_EQUATIONS: Final = 8
_UNSURE: Final = re.compile(r"\b(?:si|if|whether|verifi\w+|que|montr\w+|cherch\w+|when|quand)\b|\?")


class TestedValues:
    """Remembers the equation, the line, the points and the values of letters in a section."""

    def __init__(self) -> None:
        self._section = -1
        self._forget()

    def _forget(self) -> None:
        self._equations: list[Equation] = []
        self._line: Expr | None = None
        self._points: dict[str, tuple[Expr, ...]] = {}
        self._values: dict[str, Expr] = {}

    def learn(self, chain: Chain, sentence: Sentence, *, supposed: bool) -> None:
        """Keep an equation of one letter, a line `y = …`, or the value of a letter."""
        if sentence.section != self._section:
            self._section = sentence.section
            self._forget()
        members = chain.sides
        is_plain = all(each.text == "=" for each in chain.relations) and not chain.is_cut
        if not members or not is_plain or any(map(has_call, members)):
            return
        first, last = members[0], members[-1]
        letters = free_letters(first) | free_letters(last)
        if first == Letter("y") and free_letters(last) == {"x"}:
            self._line = last
        elif (name := get_unknown(first)) and not free_letters(last):
            if not supposed:
                self._values[name] = last
        elif len(members) == 2 and len(letters) == 1:
            self._equations.append(Equation(first, "=", last))
            self._values = {}

    def check(self, chain: Chain) -> Pair | None:
        """Return the check of `y = x - 1 = 4` after `x = 3`; None: there is none."""
        members = chain.sides
        is_plain = all(each.text == "=" for each in chain.relations) and not chain.is_cut
        if len(members) < 3 or not is_plain:
            return None
        name, body, value = get_unknown(members[0]), members[1], members[-1]
        letters = free_letters(body)
        if not name or not letters or name in letters or free_letters(value) or has_call(body):
            return None
        is_known = letters <= self._values.keys()
        return Pair(substitute(body, self._values), "=", value) if is_known else None

    def read(self, wording: Wording, sentence: Sentence) -> Iterator[Statement]:
        """Yield the verdicts of a sentence, which may deny: `3 n'est pas solution`."""
        for match in _POINT.finditer(wording.text):
            if row := _get_row(wording, match.start("at")):
                self._points[match["name"]] = row
        if _UNSURE.search(wording.text) or "?" in sentence.text:
            return
        found = (self._judge_solution(wording), self._judge_point(wording))
        for verdict in found:
            if verdict:
                yield Statement(sentence.text.strip(), [[verdict]])

    def _judge_solution(self, wording: Wording) -> Known | None:
        said = _SOLUTION.search(wording.text)
        value = wording.values[wording.marks.index(said.start("value"))] if said else None
        if said is None or value is None or isinstance(value, Solutions) or free_letters(value):
            return None
        found = [
            _judge([substitute(each, {name: value}) for each in sides], is_denied=bool(said["not"]))
            for equation in self._equations[-_MOST_EQUATIONS:]
            for sides in ((equation.left, equation.right),)
            for name in equation.letters
            if said["name"] in (None, name)
        ]
        is_wrong = bool(found) and all(each and each.verdict == "wrong" for each in found)
        return found[0] if is_wrong else None

    def _judge_point(self, wording: Wording) -> Known | None:
        said = _ON_LINE.search(wording.text)
        if said is None or self._line is None:
            return None
        row = _get_row(wording, said.start("at")) if said["at"] else self._points.get(said["name"])
        if not row or any(map(free_letters, row)):
            return None
        return _judge([substitute(self._line, {"x": row[0]}), row[1]], is_denied=bool(said["not"]))


def _get_row(wording: Wording, place: int) -> tuple[Expr, ...]:
    """Return the two coordinates of the pair at a place of the text; empty: it has others."""
    found = wording.values[wording.marks.index(place)]
    row = found.elements[0] if isinstance(found, Solutions) and found.elements else ()
    return row if len(row) == 2 else ()


def _judge(sides: Sequence[Expr], *, is_denied: bool) -> Known | None:
    """Return the verdict on whether two numbers are said to be equal; None: one has no value."""
    try:
        left, right = (evaluate(each).number for each in sides)
    except (Undecidable, ZeroDivisionError):
        return None
    is_right = (left == right) != is_denied
    return Known("right") if is_right else Known("wrong", f"the sides are {left} and {right}")
