"""Read the members of chains (expressions, sets, intervals, pairs) and their relations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import msgspec

from bot.maths.exact.expression import (
    Apply,
    Expr,
    Interval,
    Letter,
    Solutions,
    apply,
    find_letters,
    has_operation,
)
from bot.maths.reading.notation import Reader
from bot.maths.reading.quantities import NotReadable
from bot.maths.reading.tokens import Token

Member: TypeAlias = Expr | Solutions
ARROWS: Final = ("→", "⟶", "->")
_ADVERBS: Final = frozenset(
    ["environ", "about", "approximately", "bien", "donc", "alors", "exactement", "exactly"]
)
"""Words between a relation and the value."""


class MemberReader(Reader):
    """A reader of chain members: expressions, sets, intervals, integrals."""

    def read_phrase(self) -> str:
        """Read words such as `la dérivée de` before a function; empty: there are none."""
        token = self.peek()
        if token.kind != "phrase" or token.text not in ("derivative", "primitive"):
            return ""
        self.at += 1
        while self.peek().text in ("la", "fonction", "l", "'", "the", "function", "expression"):
            self.at += 1
        return token.text

    def find_relation(
        self, members: Sequence[Member], relations: Sequence[Token], phrase: str
    ) -> Token | None:
        """Take the next relation if the chain continues with it; else return None."""
        before = self.at
        if self.peek().text == "\n" and self.peek(1).kind == "relation":
            self.at += 1
        if phrase and self.peek().text in ("sur", "on") and self.peek(1).text in ("[", "]"):
            self._skip_domain()
        last = members[-1]
        is_computed = not relations and not isinstance(last, Solutions) and has_operation(last)
        if self.peek().text == "," and self.peek(1).is_word and is_computed:
            self.at += self.peek(1).kind == "relation"
        token = self.peek()
        is_difference = isinstance(last, Apply) and last.op == "-"
        if token.text == "rest" and (relations or not is_difference):  # a remainder, or a part
            self.at = before
            return None
        is_word_fine = not token.is_weak or phrase or self._takes_weak(members[-1], relations)
        if token.kind == "relation" and token.text != "≠" and is_word_fine:
            self.at += 1
            while self.peek().text in _ADVERBS and (token.is_word or self.peek().text == "environ"):
                self.at += 1
            return token
        self.at = before
        return self._take_arrow(last) if is_computed and not relations else None

    def _take_arrow(self, left: Member) -> Token | None:
        """Take the arrow of `4² → 16`, between a computation and a number that ends the clause;
        else return None."""
        arrow, value, after = self.peek(), self.peek(1), self.peek(2)
        if not isinstance(left, Apply) or left.op not in ("+", "-", "*", "^") or find_letters(left):
            return None
        is_number = value.kind == "number" and (not after.text or after.kind == "separator")
        if arrow.text not in ARROWS or not is_number:
            return None
        self.at += 1
        return msgspec.structs.replace(arrow, kind="relation", text="=")

    def _skip_domain(self) -> None:
        """Skip `sur ]0 ; +∞[` after a function."""
        before = self.at
        self.at += 1
        try:
            self._read_intervals()
        except NotReadable:
            self.at = before

    def _takes_weak(self, left: Member, relations: Sequence[Token]) -> bool:
        """Return whether a weak word such as `est` relates `left` to the next value: `left` is
        computed (`7 plus 8 est 15`) or the value is a part (`30 est 20 % de 150`), and no relation
        stands before."""
        if isinstance(left, Solutions) or relations:
            return False
        after, mark = self.peek(1), self.peek(2)
        is_part = after.kind == "phrase" or (after.kind == "number" and mark.text in ("%", "/"))
        return has_operation(left) or (is_part and not find_letters(left))

    def read_member(self) -> Member:
        token = self.peek()
        if token.text == "∅" or token.text == "{":
            return self._read_set()
        if token.kind in ("open", "close") and token.text in "[]" and token.text:
            before = self.at
            try:
                return self._read_intervals()
            except NotReadable:
                self.at = before
        if token.text == "(" and (pair := self._read_pair()):
            return Solutions(elements=(pair,))
        if token.text == "frac" and self._is_derivation():
            name = self.peek(7).text
            self.at += 10
            return apply("derive", self.read_sum(), Letter(name))
        return self.read_sum()

    def _read_set(self) -> Solutions:
        token = self.peek()
        self.at += 1
        if token.text == "∅":
            return Solutions()
        elements: list[tuple[Expr, ...]] = []
        while self.peek().text != "}":
            if elements and self.peek().text not in (";", ","):
                raise NotReadable("The set is not closed.")
            self.at += bool(elements)
            elements.append(self._read_element())
        self.at += 1
        return Solutions(elements=tuple(elements))

    def _read_element(self) -> tuple[Expr, ...]:
        """Read a number, or a pair in brackets."""
        pair = self._read_pair() if self.peek().text == "(" else None
        return pair or (self.read_sum(),)

    def _read_pair(self) -> tuple[Expr, ...] | None:
        """Read `(2 ; 3)`; None: no pair comes next."""
        before = self.at
        self.at += 1
        try:
            first = self.read_sum()
            if self.peek().text in (";", ","):
                self.at += 1
                second = self.read_sum()
                self.expect(")")
                return first, second
        except NotReadable:
            pass
        self.at = before
        return None

    def _read_intervals(self) -> Solutions:
        found = [self._read_interval()]
        while self.peek().text in ("∪", "U", "u") and self.peek(1).text in ("[", "]"):
            self.at += 1
            found.append(self._read_interval())
        return Solutions(intervals=tuple(found))

    def _read_interval(self) -> Interval:
        has_low = self.peek().text == "["
        self.at += 1
        low = self._read_bound()
        if self.peek().text not in (";", ","):
            raise NotReadable("This is no interval.")
        self.at += 1
        high = self._read_bound()
        closing = self.peek().text
        if closing not in ("[", "]"):
            raise NotReadable("The interval is not closed.")
        self.at += 1
        return Interval(low, high, has_low, closing == "]")

    def _read_bound(self) -> Expr | None:
        sign = 1 if self.peek().text in ("+", "-") else 0
        if self.peek(sign).text == "∞":
            self.at += sign + 1
            return None
        return self.read_sum()

    def _is_derivation(self) -> bool:
        """Return whether d/dx comes next."""
        texts = [self.peek(ahead).text for ahead in range(10)]
        return texts[:7] == ["frac", "(", "d", ")", "/", "(", "d"] and texts[8:] == [")", "end"]


def read_values(
    tokens: Sequence[Token], at: int, constants: frozenset[str] = frozenset("πe")
) -> tuple[list[Expr], int]:
    """Read constants one after another, as in `2 et 3`, `x = 2 ou x = 3` or `1 ; 2`; return them
    and the place after the last.

    Args:
        constants: letters that are numbers.
    """
    found: list[Expr] = []
    while at < len(tokens):
        reader = Reader(tokens, at=at)
        try:
            value = reader.read_sum()
            if isinstance(value, Letter) and value.name != "π" and reader.peek().text == "=":
                reader.at += 1
                value = reader.read_sum()
        except NotReadable:
            return found, at
        follows = reader.peek()
        if find_letters(value) - constants or (follows.kind == "name" and not follows.is_spaced):
            return found, at
        found.append(value)
        at = reader.at
        separators = 0
        while reader.peek(separators).text in ("et", "ou", "and", "or", ",", ";"):
            separators += 1
        if not separators:
            return found, at
        at += separators
    return found, at
