"""Check values against what the text found or tested before.

`2 × 3 + 1 = 7. Donc 3 n'est pas solution` of `2x + 1 = 7`, `so M is not on the line y = 3x + 1`;
and `x = 3`, then `y = x - 1 = 4`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from bot.maths.checks.stated_forms import get_unknown, has_call
from bot.maths.exact.algebra_questions import Equation, Known, Pair, Statement
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import Expr, Letter, Solutions, free_letters, substitute
from bot.maths.reading.chains import Chain
from bot.maths.reading.prose import Sentence
from bot.maths.reading.wording import Wording

_NOT: Final = (
    r"(?:n est pas|n est donc pas|is not|isn t|ne (?:verifie|satisfait) pas|does not satisfy)"
)
_SOLUTION: Final = re.compile(
    rf"(?:\b(?P<name>[a-z]) = )?(?P<value>#) (?:(?P<not>{_NOT})|est|is|verifie|satisf\w+)"
    r"(?: (?:donc|bien|so|indeed|une?|a|l|the|cette))* (?:solution|racine|root"
    r"|equation)\b(?! (?:de|of) #| comme)"
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
        members = [each for each in chain.members if not isinstance(each, Solutions)]
        is_plain = all(each.text == "=" for each in chain.relations) and not chain.is_cut
        if len(members) < len(chain.members) or not is_plain or any(map(has_call, members)):
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
        members = [each for each in chain.members if not isinstance(each, Solutions)]
        is_plain = all(each.text == "=" for each in chain.relations) and not chain.is_cut
        if len(members) < max(3, len(chain.members)) or not is_plain:
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
            for name in free_letters(equation.left) | free_letters(equation.right)
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
