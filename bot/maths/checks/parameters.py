"""Check formulas in which a letter has been given its value: `y = -2x + p`, `p = 2`, and then
`y = -2x + 2`; `y = Ce^(-2x)`, `C = 5`, and then `y = 5e^(-2x)`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from bot.maths.checks.stated_forms import has_call, is_call
from bot.maths.exact.algebra_questions import Check, Identity
from bot.maths.exact.expression import (
    Expr,
    Letter,
    Solutions,
    free_letters,
    substitute,
)
from bot.maths.reading.chains import Chain
from bot.maths.reading.cues import is_supposed
from bot.maths.reading.prose import Sentence

_PARAMETERS: Final = frozenset("mpabcdkABCDKqr")
"""Letters that may stand for numbers in a function."""
_VARIABLES: Final = frozenset("xtn")
_MOST_PARAMETERS: Final = 3


class _Formula(NamedTuple):
    body: Expr
    parameters: frozenset[str]
    section: int


class Parameters:
    """The formulas with parameters of a text, and the values of these."""

    def __init__(self) -> None:
        self._formulas: dict[Expr, _Formula] = {}
        self._values: dict[str, Expr] = {}

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
