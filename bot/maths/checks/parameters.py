"""Check formulas in which letters have been given their values: `y = -2x + p`, `p = 2`, and then
`y = -2x + 2`; `P = 2(L + l)`, `L = 9`, `l = 4`, and then `P = 2 × 9 + 4`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from bot.maths.checks.stated_forms import has_call, is_call
from bot.maths.exact.algebra_questions import Check, Identity, Pair
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Num,
    Quantity,
    Solutions,
    find_letters,
    free_letters,
    has_operation,
    number,
    substitute,
    walk,
)
from bot.maths.reading.chains import Chain
from bot.maths.reading.cues import is_supposed
from bot.maths.reading.prose import Sentence

_PARAMETERS: Final = frozenset("mpabcdkABCDKqr")
"""Letters that may stand for numbers in a function."""
_VARIABLES: Final = frozenset("xtn")
_MOST_PARAMETERS: Final = 3


_LENGTHS: Final = frozenset(("m", "dm", "cm", "mm", "km"))
_TRIVIAL: Final = frozenset((1, 2, 3, 4))
"""Numbers that formulas have themselves."""


class _Formula(NamedTuple):
    body: Expr
    parameters: frozenset[str]
    section: int


class Parameters:
    """The formulas with parameters of a text, and the values of these."""

    def __init__(self) -> None:
        self._formulas: dict[Expr, _Formula] = {}
        self._values: dict[str, Expr] = {}
        self._measures = _MeasureFormulas()

    def check(self, chain: Chain, sentence: Sentence) -> Check | None:
        """Return the check of a formula without parameters against the one with them; None: there
        is none, or one of their values is unknown. Keeps formulas and values."""
        members = [each for each in chain.members if not isinstance(each, Solutions)]
        is_plain = all(token.text == "=" and not token.is_word for token in chain.relations)
        if len(members) < len(chain.members) or not is_plain or chain.is_cut:
            return None
        first, body, last = members[0], members[1], members[-1]
        is_named = isinstance(first, Letter) or is_call(first)
        if sentence.is_disowned or has_call(body) or not is_named:
            return None
        if isinstance(first, Letter) and (
            found := self._measures.check(first.name, members, sentence.section)
        ):
            return found
        if isinstance(first, Letter) and first.name in _PARAMETERS and not free_letters(last):
            if not is_supposed(chain, sentence):
                self._values[first.name] = last
            return None
        return self._read_formula(first, body, sentence)

    def _read_formula(self, first: Expr, body: Expr, sentence: Sentence) -> Check | None:
        """Keep a formula with parameters; return the check of one without."""
        letters = free_letters(body)
        parameters = frozenset(letters & _PARAMETERS)
        if len(letters & _VARIABLES) != 1 or letters - _VARIABLES - parameters:
            return None
        if parameters:
            if len(parameters) <= _MOST_PARAMETERS:
                self._formulas[first] = _Formula(body, parameters, sentence.section)
                for name in parameters:
                    self._values.pop(name, None)
            return None
        return self._check_formula(first, body, sentence)

    def _check_formula(self, name: Expr, body: Expr, sentence: Sentence) -> Check | None:
        formula = self._formulas.get(name)
        if formula is None or formula.section != sentence.section:
            return None
        known = {each: self._find_value(each) for each in formula.parameters}
        values = {each: value for each, value in known.items() if value}
        if len(values) < len(known):
            return None
        del self._formulas[name]  # the next one may be another function
        placed = substitute(formula.body, values)
        return Identity(placed, body, "claimed") if free_letters(placed) else None

    def _find_value(self, name: str) -> Expr | None:
        """Return the value of a parameter; a word such as `Ce` has lost its capital."""
        return self._values.get(name) or self._values.get(name.swapcase())


class _MeasureFormulas:
    """The formulas of a section whose letters are lengths or plain numbers: `V = 1/3 π r² h`."""

    def __init__(self) -> None:
        self._formulas: dict[str, Expr] = {}
        self._values: dict[str, Num] = {}
        self._units: set[str] = set()
        self._section = 0

    def check(self, name: str, members: Sequence[Expr], section: int) -> Check | None:
        """Return the check of `P = 2 × 9 + 4` against the formula for P with the values put in;
        None: there is no formula, or a value is unknown. Keeps formulas and values."""
        if section != self._section:
            self._section, self._formulas, self._values, self._units = section, {}, {}, set()
        computed = members[1]
        if free_letters(computed):
            self._formulas.pop(name, None)
            if len(members) == 2 and name.isupper() and len(name) == 1:
                self._formulas[name] = computed
            return None
        if not has_operation(computed):
            self._learn(name, computed)
            return None
        return self._compare(name, computed)

    def _learn(self, name: str, value: Expr) -> None:
        number = value.number if isinstance(value, Quantity) else value
        self._values.pop(name, None)
        if isinstance(number, Num):
            self._values[name] = number
            self._units.add(value.unit if isinstance(value, Quantity) else "")

    def _compare(self, name: str, computed: Expr) -> Check | None:
        formula = self._formulas.get(name)
        letters = free_letters(formula) if formula else set[str]()
        units = self._units - {""}
        if formula is None or not letters <= self._values.keys() or len(units) > 1:
            return None
        if not units <= _LENGTHS or find_letters(formula) - letters != find_letters(computed):
            return None
        if any(isinstance(each, Quantity) for each in walk(computed)):
            return None
        written = {each.value for each in walk(computed) if isinstance(each, Num)}
        used = {self._values[each].value for each in letters} - _TRIVIAL
        doubled = {self._values[each].value for each in _list_squared(formula)}
        is_meant = bool(written & {*used, *(2 * each for each in doubled)})
        missing = {each for each in used - written if not (each in doubled and 2 * each in written)}
        if missing or not is_meant:
            return None
        return Pair(substitute(formula, self._values), "=", computed)


def _list_squared(formula: Expr) -> set[str]:
    """List the letters that a formula squares, which are often doubled by mistake."""
    powers = (each for each in walk(formula) if isinstance(each, Apply) and each.op == "^")
    return {
        base.name
        for base, exponent in (each.args for each in powers)
        if isinstance(base, Letter) and exponent == number(2)
    }
