"""Write a sentence as words with marks for values: `#` a number, `%` a percentage, `@` a pair.

`La moyenne de 12, 14 et 16 est 14.` is `la moyenne de # , # et # est # .` Rules are regular
expressions over such words; their values are compared like any statement.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from bot.maths.exact.algebra_questions import Pair
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Num,
    Quantity,
    Solutions,
    apply,
    drop_sign,
    has_operation,
    is_mixed,
    is_percent,
    number,
    walk,
)
from bot.maths.exact.units import UNITS
from bot.maths.reading.chain_members import MemberReader, skip_label
from bot.maths.reading.notation import Reading
from bot.maths.reading.number_words import fold
from bot.maths.reading.prose import Sentence
from bot.maths.reading.quantities import NotReadable
from bot.maths.reading.tokens import Token

_MOST_TOKENS: Final = 250
"""Most tokens of a sentence on which rules are tried."""
_SPELLED: Final = {"à": "a", "sqrt": "racine"}
_CLOCK: Final = re.compile(r"(\d{1,2}):([0-5]\d)")
_ELIDED: Final = frozenset("CDJLMNST")
_APOSTROPHE: Final = re.compile(r"['’][a-zà-ÿ]{2}")
_PLAIN: Final = re.compile(r"[^\w°%]+")


@dataclass(slots=True)
class Wording:
    """The words of one or two sentences."""

    text: str = ""
    values: list[Expr | Solutions] = field(default_factory=list[Expr | Solutions])
    marks: list[int] = field(default_factory=list[int])
    """Where the values stand in the text, and their places in the source."""
    places: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def add(self, word: str) -> None:
        if word:
            self.text += f" {word}"

    def add_value(self, value: Expr | Solutions, start: int, end: int) -> None:
        mark = "%" if is_percent(drop_sign(value)) else "#"
        self.add("@" if isinstance(value, Solutions) else mark)
        self.marks.append(len(self.text) - 1)
        self.values.append(value)
        self.places.append((start, end))

    def find_values(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the values between two places of the text: the first index and the
        one after the last."""
        return bisect_left(self.marks, start), bisect_left(self.marks, end)


@dataclass(frozen=True, slots=True)
class Found:
    """A match of a rule in a wording."""

    wording: Wording
    match: re.Match[str]

    def __getitem__(self, group: str) -> str:
        return self.match.groupdict().get(group) or ""

    def list_values(self, group: str | int = 0) -> list[Expr]:
        """List the numbers in a group, in order."""
        return [each for each in self._list(group) if not isinstance(each, Solutions)]

    def name_values(self) -> dict[str, Expr]:
        """Return each named number, and each coordinate of a named pair."""
        named: dict[str, Expr] = {}
        for group in self.match.groupdict():
            found = self._list(group) if self.match[group] in ("#", "%", "@") else []
            for value in found:
                if isinstance(value, Solutions):
                    named |= dict(zip(group.split("_"), value.elements[0], strict=True))
                else:
                    named[group] = value
        return named

    def _list(self, group: str | int) -> list[Expr | Solutions]:
        first, last = self.wording.find_values(*self.match.span(group))
        return self.wording.values[first:last]

    def has(self, words: str) -> bool:
        """Return whether one of the words stands anywhere in the text."""
        return bool(re.search(rf"\b(?:{words})", self.wording.text))

    def has_division(self) -> bool:
        """Return whether a division and its result stand in the text: `12 ÷ 4 = 3 bonbons`."""
        text, places = self.wording.text, self.wording.marks
        return any(
            isinstance(value, Apply) and value.op == "/" and text.startswith(" =", place + 1)
            for value, place in zip(self.wording.values, places, strict=True)
        )


def join(wordings: Sequence[Wording]) -> Wording:
    """Return the wordings of sentences of one block as one."""
    joined = Wording()
    for each in wordings:
        if joined.text:
            joined.add(".")
        joined.marks += [len(joined.text) + mark for mark in each.marks]
        joined.text += each.text
        joined.values += each.values
        joined.places += each.places
    return joined


def write(sentence: Sentence, reading: Reading = frozenset()) -> Wording:
    """Return the wording of a sentence; an empty one if it is too long for a simple claim."""
    wording = Wording()
    if len(sentence.tokens) > _MOST_TOKENS:
        return wording
    tokens, at = sentence.tokens, 0
    while at < len(tokens):
        token = tokens[at]
        if _is_hyphen(tokens, at):
            at += 1
            continue
        if token.kind == "break" and (clock := _CLOCK.fullmatch(token.text)):
            wording.add_value(_read_clock(clock), token.start, token.end)
            at += 1
            continue
        may_begin = _may_begin_value(token) and not _numbers_computation(tokens, at)
        found, end = _read_value(tokens, at, reading) if may_begin else (None, at + 1)
        if found is not None:
            wording.add_value(found, token.start, tokens[end - 1].end)
            at = end
            continue
        is_read = token.is_formula or token.kind in ("word", "name", "function")
        raw = (
            _SPELLED.get(token.text, token.text)
            if is_read
            else fold(sentence.source[token.start : token.end])
        )
        is_sign = token.kind in ("separator", "relation", "operator", "open", "close", "break")
        is_plain = token.is_formula or (is_sign and not token.is_word)
        if token.text in _ELIDED and _APOSTROPHE.match(sentence.source, token.end):
            raw = raw.lower()  # `L'augmentation` is no length L
        raw = raw.replace("%", "percent").replace("#", "").replace("@", "")
        wording.add((raw if is_plain else " ".join(_PLAIN.sub(" ", raw).split())).strip("'\n.’"))
        wording.text += "'" if _is_prime(tokens, at) else ""
        at += 1
    return wording


def _numbers_computation(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a number only counts the computation behind its colon: `étape 2 : 3 × 600`."""
    return skip_label(tokens, at) == 2 and tokens[at + 3].kind == "operator"


def _read_clock(found: re.Match[str]) -> Expr:
    """Return the time of day of `9:40`."""
    hours, minutes = (number(int(each)) for each in found.groups())
    return apply("+", Quantity(hours, "h"), Quantity(minutes, "min"))


def _is_prime(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a token ends with the prime of a function, or is one: no word follows."""
    token, before = tokens[at], tokens[at - 1] if at else None
    if token.kind == "name" or before is None or before.kind != "name":
        return token.kind == "name" and token.text.endswith("'")
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    is_end = after is None or after.is_spaced or after.kind not in ("word", "name", "function")
    return token.text == "'" and before.text in "fghFGH" and not token.is_spaced and is_end


def _is_hyphen(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a token is the hyphen of a name: `alternes-internes`."""
    if not 0 < at < len(tokens) - 1:
        return False
    before, token, after = tokens[at - 1 : at + 2]
    is_joined = not token.is_spaced and not after.is_spaced and not token.is_formula
    is_word = after.kind == "name" and before.kind != "number"
    return token.text == "-" and is_joined and is_word


def _read_value(
    tokens: Sequence[Token], at: int, reading: Reading
) -> tuple[Expr | Solutions | None, int]:
    """Read the value that begins at `at`; return it (or None) and the place after it."""
    token, before = tokens[at], tokens[at - 1] if at else None
    reader = MemberReader(tokens, reading, at)
    after = reader.peek(1)
    is_pair_next = token.kind == "name" and after.text == "("
    is_one = token.is_word and token.kind == "number" and token.value == 1
    is_article = is_one and after.text not in UNITS
    is_word = token.kind == "name" and not token.is_formula and token.text in "àÀyaA"
    is_sign = after.text in ("+", "-") and not reader.peek(2).is_spaced
    is_bound = token.is_word and token.text == "-" and before is not None and before.text == "au"
    if is_article or (is_word and is_sign) or token.text == "à" or is_bound:
        return None, at + 1
    try:
        if token.text == "(" and token.kind == "open":
            pair = reader.read_member()
            if isinstance(pair, Solutions):
                return pair, reader.at
            reader.at = at
        if is_pair_next:
            pair = MemberReader(tokens, at=at + 1).read_member()
            if isinstance(pair, Solutions):
                return None, at + 1
        is_signed = token.text in ("-", "+") and (after.kind == "number" or after.text == "∞")
        if is_signed and before and before.kind in ("number", "close", "unit"):
            return None, at + 1
        found = reader.read_sum()
    except NotReadable:
        return None, at + 1
    is_bare = isinstance(found, Letter) and found.name != "∞"
    is_word = token.kind == "name" and not token.is_formula and not has_operation(found)
    return (None, at + 1) if is_bare or is_word else (found, reader.at)


def _may_begin_value(token: Token) -> bool:
    if token.kind == "word":  # `ab` and `xyz` are products, `lim` a sign
        return len(token.text) <= 3
    return token.kind not in _NO_BEGINNINGS or token.text == "∞"


_NO_BEGINNINGS: Final = frozenset(("separator", "relation", "close", "break", "unit", "power"))


# Values -------------------------------------------------------------------------------------------


def claim(expected: Expr, claimed: Expr, relation: str = "=") -> Pair:
    """Return the check that `expected` is `claimed`, which may be rounded to its decimals."""
    if isinstance(claimed, Apply) and claimed.op == "%":
        return claim(apply("*", expected, number(100)), claimed.args[0], relation)
    shown = claimed.number if isinstance(claimed, Quantity) else claimed
    if relation == "=" and isinstance(shown, Num) and shown.is_decimal:
        try:
            relation = "=" if _is_shown(expected, claimed, shown.places) else "≈"
        except Undecidable:
            relation = "≈"
    return Pair(expected, relation, claimed)


def _is_shown(expected: Expr, claimed: Expr, places: int) -> bool:
    one, other = evaluate(expected), evaluate(claimed)
    ratio = one.unit.size / other.unit.size if one.unit.dimensions == other.unit.dimensions else 1
    return (one.number * ratio * 10**places).denominator == 1


def is_computed(expr: Expr) -> bool:
    """Return whether an expression is a difference, product or power, a quotient of a quotient, or
    a sum that is no measure such as `2 h 30 min`."""
    return any(
        isinstance(node, Apply)
        and (
            node.op in ("-", "^", "*")
            or (node.op == "+" and not is_mixed(node))
            or (node.op == "/" and isinstance(node.args[0], Apply) and node.args[0].op == "/")
        )
        and Letter("π") not in walk(node)
        for node in walk(expr)
    )


def whole(expr: Expr) -> int:
    """Return a value as a whole number, without its unit. Raises `Undecidable`: it is none."""
    value = plain(expr)
    if value.denominator != 1:
        raise Undecidable("It is no whole number.")
    return int(value)


def plain(expr: Expr) -> Fraction:
    """Return the value of an expression without its unit. Raises `Undecidable`."""
    return evaluate(expr).number


def get_dimensions(expr: Expr) -> tuple[tuple[str, int], ...]:
    """Return the dimensions of a value's unit; empty: it has none. Raises `Undecidable`."""
    return evaluate(expr).unit.dimensions
