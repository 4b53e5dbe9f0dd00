"""Check the value that a sentence concludes against the computation just before it.

`15 000 ÷ 5 = 3 000. Donc chacun reçoit 30 000 F` is wrong, as 30 000 is neither the result nor one
step from it with another number of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from bot.maths.exact.algebra_questions import Known, Statement
from bot.maths.exact.arithmetic import Measure, Undecidable, evaluate
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Num,
    Quantity,
    Solutions,
    free_letters,
    has_operation,
    is_mixed,
    walk,
)
from bot.maths.reading.number_words import fold
from bot.maths.reading.prose import Sentence
from bot.maths.reading.wording import Wording

_CONCLUDES: Final = re.compile(
    r"\b(?:donc|ainsi|finalement|conclusion|reponse|au final|so|therefore|answer|finally|il faut"
    r"|il y a)\b"
    r"|(?:\b(?:est|vaut|mesure\w*|fait|font|coute\w*|dure|pese|etait|devient|is|was|costs?))"
    r"(?: (?:de|d|a|egale? a|donc|bien|to|of))* [#%](?: [.!])?$"
    r"|\b(?:benefice|hausse|baisse|augment|diminu|redui|reduction|remise)\w*(?: [a-z]+){0,3} %"
)
_OTHER: Final = re.compile(
    r"\b(?:quand|when|si|if|imagin\w+|suppos\w+|exemple|example|essai\w*|environ|about|presque|pres"
    r"|entre|between|(?:plus|moins) (?:de|d|que)|(?:more|less|greater|smaller) than"
    r"|au (?:plus|moins)|exercice|page|chapitre|niveau|note|divisible\w*|multiple\w*|premiere?s?"
    r"|chiffres?|angles?|regle|ne|n|pas|not|bissextile|base|puissance\w*|verifi\w*|check|autre\w*"
    r"|other|chaque|chacun\w*|each|maintenant|now|prochain\w*|ensuite|encore|fois|times|puis|then|next"
    r"|suivant\w*|apres|after|moitie|double|triple|tiers|quart|half|twice|thirds?|avant|before"
    r"|serai\w*|aurai\w*|would|factori\w*|racines?|probabilite\w*|cote\w*|sides?|minuit|midi"
    r"|retour|repart\w*|carres?|cubes?|logarithme|millions?|milliers?|arrondi\w*|round\w*|inverse"
    r"|oppose|bonne?|vraie?|right|correct|plutot)\b|[=≈≠<>≤≥→×÷+≡?@]"
)
"""Words and signs with which the value is another one than the result."""
_IN_COLUMNS: Final = re.compile(
    r"\b(?:retien\w*|retenue\w*|carry|carries|unites|dizaines|tens|ones|reste|remainder)\b"
)
"""Words of a computation of digits, whose result is none."""
_RESULT: Final = re.compile(r"(?:^|[#%]|\b[a-z]|\b[A-Z]) [=≈] (?P<value>[#%])(?! [=≈<>≤≥])")
_MOST_VALUES: Final = 60
"""Values of a text up to which its last one is looked at."""
_FACTORS: Final = (2, 12, 60)
_CLOSE: Final = Fraction(6, 100)
_HUNDRED: Final = 100
_MOST_PLACES: Final = 9


class FinalValues:
    """Remembers the values of a text, and the last result."""

    def __init__(self) -> None:
        self._wordings: list[Wording] = []
        self._result: Expr | None = None

    def learn(self, wording: Wording) -> None:
        """Remember the values of a sentence of the question."""
        if wording.values:
            self._wordings.append(wording)

    def read(self, wording: Wording, sentence: Sentence) -> Iterator[Statement]:
        """Yield what the sentence concludes from the result before it, if this is wrong."""
        if not wording.values:
            return
        result, self._result = self._result, None
        before = list(self._wordings)
        self._wordings.append(wording)
        if found := _find_result(wording):
            self._result = found
        elif result is not None and self._may_conclude(wording, sentence):
            place = _find_new(wording, before)
            if place is not None and self._is_unfounded(wording, place, result, before):
                start, end = wording.places[place]
                if fold(sentence.source[start:end]) == "zero":  # `further from zero`
                    return
                why = "it does not follow from the computation before it"
                yield Statement(sentence.source[start:end], [[Known("wrong", why)]])

    def _may_conclude(self, wording: Wording, sentence: Sentence) -> bool:
        is_said = _CONCLUDES.search(wording.text) and not _OTHER.search(wording.text)
        is_free = not sentence.is_disowned and "?" not in sentence.text
        return bool(is_said) and is_free and not _IN_COLUMNS.search(self._wordings[-2].text)

    def _is_unfounded(
        self, wording: Wording, place: int, result: Expr, before: Sequence[Wording]
    ) -> bool:
        """Return whether the value neither is the result nor one step from it."""
        values = [value for each in before for value in each.values]
        values += wording.values[:place]
        if len(values) > _MOST_VALUES:
            return False
        claimed = wording.values[place]
        known = [each for value in values for each in _list_measures(value)]
        one, other = _measure(claimed), _measure(result)
        if one is None or other is None or not _are_alike(claimed, one, other):
            return False
        return not _Derivation(one, is_percent=_is_percent(claimed)).follows(other, known)


def _find_result(wording: Wording) -> Expr | None:
    """Return the result of the last equality of a sentence that ends with it; None: there is
    none, it is wrong or given, or it has letters on its left."""
    found = list(_RESULT.finditer(wording.text))
    if not found or re.search("[#%@]", wording.text[found[-1].end() :]):
        return None
    at = wording.marks.index(found[-1].start("value"))
    left = wording.values[at - 1] if at and found[-1][0][0] in "#%" else None
    value = wording.values[at]
    if isinstance(value, Solutions) or isinstance(left, Solutions):
        return None
    if left is None or not has_operation(left):
        return None
    computed, shown = _measure(left), _measure(value)
    if free_letters(left) or shown is None:
        return None
    is_right = computed is None or _Derivation(shown, is_percent=False).is_shown_by(computed)
    return value if is_right else None


def _find_new(wording: Wording, before: Sequence[Wording]) -> int | None:
    """Return the place of the only value of a sentence that no sentence before it has; None: there
    is none, or it is no plain number."""
    known = {
        each.number for one in before for value in one.values for each in _list_measures(value)
    }
    new: list[int] = []
    for place, value in enumerate(wording.values):
        measure = _measure(value)
        if measure is None:
            return None
        if measure.number not in known:
            new.append(place)
    if len(new) != 1:
        return None
    value = wording.values[new[0]]
    is_plain = isinstance(value, Num | Quantity) or _is_percent(value)
    is_time = not isinstance(value, Solutions) and is_mixed(value)
    return new[0] if (is_plain and not _has_inner(value)) or is_time else None


def _has_inner(value: Expr | Solutions) -> bool:
    return isinstance(value, Quantity) and has_operation(value.number)


def _are_alike(claimed: Expr | Solutions, one: Measure, result: Measure) -> bool:
    """Return whether a value may tell a result: in like units, or as a percentage of one."""
    if _is_percent(claimed):
        return not result.unit.dimensions and 0 < abs(result.number) <= _FACTORS[0]
    if one.unit.dimensions == result.unit.dimensions:
        return True
    is_time = not isinstance(claimed, Solutions) and is_mixed(claimed)
    return not result.unit.dimensions and not is_time


class _Derivation:
    """The ways in which a value may follow from a result and one other number.

    Args:
        claimed: the value.
        is_percent: whether it is told in percent.
    """

    def __init__(self, claimed: Measure, *, is_percent: bool) -> None:
        self._unit = claimed.unit
        self._value = claimed.number * (_HUNDRED if is_percent else 1)
        self._is_percent = is_percent

    def follows(self, result: Measure, known: Sequence[Measure]) -> bool:
        firsts = {self._convert(result), result.number}
        if self._is_percent:
            firsts |= {result.number * _HUNDRED, (result.number - 1) * _HUNDRED}
            firsts |= {_HUNDRED - each for each in firsts}
        numbers = [self._convert(each) for each in known]
        if any(map(self._is_shown, (*firsts, *numbers))) or self._is_power(firsts):
            return True
        sums = (one + other for one, other in combinations(set(numbers), 2))
        if any(map(self._is_shown, sums)):
            return True
        return any(
            self._is_step(first, number, is_like=_are_like(result, each))
            for first in firsts
            for each, number in zip(known, numbers, strict=True)
        ) or any(self._is_multiple(first, factor) for first in firsts for factor in _FACTORS)

    def is_shown_by(self, measure: Measure) -> bool:
        """Return whether the value is this measure, perhaps rounded."""
        return self._is_shown(self._convert(measure))

    def _convert(self, measure: Measure) -> Fraction:
        """Return a number in the value's unit, if it can be converted."""
        dimensions = measure.unit.dimensions
        if dimensions and dimensions == self._unit.dimensions:
            return measure.number * measure.unit.size / self._unit.size
        return measure.number

    def _is_power(self, firsts: set[Fraction]) -> bool:
        value = self._value
        return any(
            self._is_near(value * value, each)
            or self._is_near(value**3, each)
            or self._is_shown(each * each)
            for each in firsts
        )

    def _is_step(self, first: Fraction, other: Fraction, *, is_like: bool) -> bool:
        may_add = is_like and not self._is_percent and other not in (0, 1)
        sums = (first + other, first - other) if may_add else ()
        if any(map(self._is_shown, sums)):
            return True
        if first and other not in (0, 1) and self._is_shown(other / first):
            return True
        return other > 1 and self._is_multiple(first, other)

    def _is_multiple(self, first: Fraction, factor: Fraction | int) -> bool:
        return self._is_shown(first * factor) or self._is_shown(first / factor)

    def _is_shown(self, number: Fraction) -> bool:
        """Return whether the value is a number, or one rounded or cut to its digits, of either
        sign."""
        return self._is_near(self._value, number) or self._is_near(self._value, -number)

    def _is_near(self, value: Fraction, number: Fraction) -> bool:
        if value == number:
            return True
        if not number or abs(value - number) > abs(number) * _CLOSE:
            return False
        places = next((n for n in range(_MOST_PLACES) if (value * 10**n).denominator == 1), None)
        if places is None:
            return False
        step = Fraction(1, 10**places)
        while step <= abs(number) / 10_000 and (value / (step * 10)).denominator == 1:
            step *= 10
        return abs(value - number) < step


def _are_like(one: Measure, other: Measure) -> bool:
    """Return whether numbers may be added: their units are alike, or one has none."""
    dimensions = (one.unit.dimensions, other.unit.dimensions)
    return dimensions[0] == dimensions[1] or not all(dimensions)


def _list_measures(value: Expr | Solutions) -> Iterator[Measure]:
    """Yield the values of an expression and of its parts."""
    if isinstance(value, Solutions):
        return
    for node in walk(value):
        if isinstance(node, Num | Quantity | Apply) and (found := _measure(node)):
            yield found


def _measure(value: Expr | Solutions) -> Measure | None:
    if isinstance(value, Solutions):
        return None
    try:
        return evaluate(value)
    except (Undecidable, ZeroDivisionError, ValueError):
        return None


def _is_percent(value: Expr | Solutions) -> bool:
    return isinstance(value, Apply) and value.op == "%"
