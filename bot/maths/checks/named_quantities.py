"""Check formulas of quantities that the text has given: `AC = 15 cm`, `AN = 6 cm`, and then
`NC = AC - AN = 9 cm`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from bot.maths.checks.stated_forms import get_segment
from bot.maths.exact.algebra_questions import Check
from bot.maths.exact.expression import (
    Expr,
    Quantity,
    Solutions,
    free_letters,
    has_operation,
    has_units,
    list_units,
    substitute,
)
from bot.maths.reading.chains import Chain
from bot.maths.reading.cues import is_supposed
from bot.maths.reading.prose import Sentence
from bot.maths.reading.wording import claim

_COHERENT: Final = (
    frozenset(("V", "A", "W", "Ω", "s", "J", "C", "N", "kg", "m", "m/s", "Hz")),
    frozenset(("g", "mol", "L", "g/mol", "mol/L")),
)
"""Units whose products and quotients are units of the same set."""


class NamedQuantities:
    """The values of quantities with names in capitals, as far as a section gives one value each."""

    def __init__(self) -> None:
        self._values: dict[str, Expr | None] = {}
        self._section = 0

    def check(self, chain: Chain, sentence: Sentence) -> Check | None:
        """Return the check of a formula against its result; None: it is none, or a quantity in it
        is unknown. Keeps the value that the chain gives."""
        if sentence.section != self._section:
            self._section, self._values = sentence.section, {}
        members = [each for each in chain.members if not isinstance(each, Solutions)]
        is_plain = all(token.text in ("=", "≈") and not token.is_word for token in chain.relations)
        if len(members) < len(chain.members) or not is_plain or chain.is_cut or chain.is_doubtful:
            return None
        found = self._check_members(chain, members)
        self._learn(chain, members, sentence)
        return None if sentence.is_disowned else found

    def _check_members(self, chain: Chain, members: Sequence[Expr]) -> Check | None:
        if not get_segment(members[0]):
            return None
        for (formula, result), relation in zip(
            pairwise(members[1:]), chain.relations[1:], strict=True
        ):
            letters = free_letters(formula)
            known = {name: value for name in letters if (value := self._values.get(name))}
            if not letters or len(known) < len(letters) or not has_operation(formula):
                continue
            if free_letters(result) or not _are_coherent([*known.values(), result]):
                continue
            values = {name: _drop_unit(value) for name, value in known.items()}
            return claim(substitute(formula, values), _drop_unit(result), relation.text)
        return None

    def _learn(self, chain: Chain, members: Sequence[Expr], sentence: Sentence) -> None:
        """Keep the value of a quantity; a rounded one, or another one than before, is unknown."""
        name, value = get_segment(members[0]), members[-1]
        if not name or free_letters(value):
            return
        is_exact = chain.relations[-1].text == "=" and not is_supposed(chain, sentence)
        is_same = self._values.get(name, value) == value
        self._values[name] = value if is_exact and is_same else None


def _are_coherent(values: Sequence[Expr]) -> bool:
    """Return whether the values have one unit, none, or units of one system, so that a formula
    holds for their numbers."""
    units = list_units(values)
    are_plain = all(isinstance(each, Quantity) or not has_units(each) for each in values)
    return are_plain and (len(units) <= 1 or any(units <= each for each in _COHERENT))


def _drop_unit(value: Expr) -> Expr:
    return value.number if isinstance(value, Quantity) else value
