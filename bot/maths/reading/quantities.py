"""Read the tokens after a number: units, the rest in smaller units, nouns."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from bot.maths.exact.expression import (
    Apply,
    Expr,
    Num,
    Quantity,
    apply,
    is_fraction,
    is_percent,
    is_power_of_ten,
    number,
)
from bot.maths.exact.units import COUNT, UNITS, find_unit
from bot.maths.reading.tokens import Token, is_unit

_OTHER_WORDS = """
et ou donc des du les par est car alors soit dans sur pour avec que qui and then the for with plus
moins fois font fait vaut so from per sont reste ainsi puis mais that when chaque each arrondi
arrondie arrondis rounded environ exactement tronque tronquee less more than
"""
_NO_NOUNS: Final = frozenset(_OTHER_WORDS.split())
_EACH: Final = frozenset(
    [
        "kg",
        "kilo",
        "kilogramme",
        "litre",
        "L",
        "m",
        "metre",
        "km",
        "h",
        "heure",
        "minute",
        "min",
        "seconde",
        "s",
        "hour",
        "second",
        "liter",
    ]
)
"""Units that make a rate after `par` or `le`."""
_SUBUNITS: Final = {"m": (2, "cm"), "kg": (3, "g")}
"""Units after which a number of so many digits is in a smaller one: `4 m 80`, `2 kg 500`."""
_MOST_NOUNS: Final = 4
"""Most words that say what a number counts."""
_JOINTS: Final = frozenset(("de", "d", "of", "a", "en", "in"))
"""Words between two nouns: `3 sacs de riz`."""
_ARTICLES: Final = frozenset(("le", "la", "les", "l", "un", "une", "the", "an", "ce", "cette"))
_MOST_LABELS: Final = 3
"""Most words that name one term of a sum."""
_NO_LABELS: Final = frozenset(
    ["de", "fois", "encore", "demi", "moitie", "reste", "twice", "half", "times", "par", "per"]
)
"""Words that may change the number after them."""
_END: Final = Token("separator", "", 0, 0)


class NotReadable(Exception):
    """Raised for tokens that are no expression."""


class QuantityReader:
    """Tokens with a current place, and methods that read units there."""

    def __init__(self, tokens: Sequence[Token], at: int = 0) -> None:
        self.tokens = tokens
        self.at = at

    def peek(self, ahead: int = 0) -> Token:
        """Return the next token, or the one `ahead` places later."""
        at = self.at + ahead
        return self.tokens[at] if 0 <= at < len(self.tokens) else _END

    def read_divisor(self) -> Expr | None:
        """Read the fraction after a spaced sign: `4/5` in `2/3 ÷ 4/5`; None: there is none."""
        above, slash, below = self.peek(), self.peek(1), self.peek(2)
        is_close = not slash.is_spaced and not below.is_spaced and slash.text == "/"
        if not above.is_spaced or not is_close or above.kind != "number" or below.kind != "number":
            return None
        self.at += 3
        return apply("/", number(above.value or 0), number(below.value or 0))

    def read_quantity(self, base: Expr) -> Expr | None:
        """Read the unit or noun of `base`; None: none follows."""
        token = self.peek()
        before = self.peek(-1)
        is_after_fraction = before.text == "end" and before.is_formula  # `\frac{5}{6} \text{ h}`
        is_value = before.kind == "number" or is_after_fraction or is_power_of_ten(base)
        last = before if is_value else None
        after = self.peek(1)
        is_elision = after.text == "'" and not after.is_spaced  # `6 s'il`
        is_product = token.text == "mv" and (after.kind == "power" or after.text == "^")  # `½mv²`
        is_ordinal = token.text == "second" and before.is_word and before.end - before.start == 2
        # not `one second`, but `un second robinet`
        is_no_unit = is_elision or is_product or is_ordinal
        if is_unit(token, last, is_attached=not token.is_spaced) and not is_no_unit:
            return self._read_units(base)
        if is_part(base) and (skipped := self._find_parted_unit()):
            self.at += skipped
            return self._read_units(base)
        count = self._count_nouns() if last and last.kind == "number" else 0
        if count:
            noun = self.peek(count - 1).text
            self.at += count
            return Quantity(base, noun)
        return None

    def find_label(self, left: Expr) -> int:
        """Return how many tokens name the next term of a sum of measures: 1 in `500 F + alloco 300
        F`, 2 with a colon; else 0."""
        ahead = 0
        while ahead < _MOST_LABELS and self.peek(ahead).kind == "word":
            if self.peek(ahead).text in _NO_LABELS or self.peek(ahead).is_formula:
                return 0
            ahead += 1
        ahead += bool(ahead) and self.peek(ahead).text == ":"
        is_number = self.peek(ahead).kind == "number" and not self.peek(ahead).is_word
        unit, known = self.peek(ahead + 1), left.args[-1] if isinstance(left, Apply) else left
        is_same = isinstance(known, Quantity) and known.unit == unit.text
        return ahead if ahead and is_number and is_same else 0

    def is_counted(self, ahead: int) -> bool:
        """Return whether the token names tens, ones, hundreds or the like."""
        token = self.peek(ahead)
        if token.kind == "number" and not token.is_word:  # `1 thousand` is one token
            return token.end - token.start > len(token.text)
        unit = UNITS.get(token.text)
        return unit is not None and unit.dimensions == COUNT

    def is_article(self) -> bool:
        """Return whether a noun follows `un` or `one`."""
        after = self.peek()
        return (
            after.kind in ("word", "name", "function")
            and not after.is_formula
            and (
                after.text not in UNITS
                and after.text not in ("et", "ou", "and", "or", "car", "donc")
            )
        )

    def _find_parted_unit(self) -> int:
        """Count the tokens before a part's unit: two in `d'heure`, one in `-heure`, else 0."""
        first, second, third = self.peek(), self.peek(1), self.peek(2)
        if first.text == "d" and second.text == "'" and third.text in UNITS:
            return 2
        is_joined = first.text == "-" and not second.is_spaced and second.kind == "word"
        return int(is_joined and second.text in UNITS)

    def _count_nouns(self) -> int:
        """Count the words after a number that say what is counted, before an operator or relation:
        `68 red spools + `, `945 patients/semaine × `; 0: they are no noun."""
        count = 0
        while count < _MOST_NOUNS and self._may_name(self.peek(count), is_first=not count):
            count += 1
        if not count or self.peek(count - 1).text in _JOINTS:
            return 0
        count += 2 * self._is_each(count)
        after = self.peek(count)
        is_signed = after.text in ("+", "-") and not self.peek(count + 1).is_spaced
        goes_on = after.kind == "operator" and after.text in "+-*/" and after.is_spaced
        goes_on &= count == 1 or not is_signed
        is_related = after.kind == "relation" and not after.is_weak
        is_crossed = after.text == "x" and after.is_spaced and self.peek(count + 1).kind == "number"
        return count if goes_on or is_related or is_crossed else 0

    def _may_name(self, token: Token, *, is_first: bool) -> bool:
        """Return whether a word may belong to what is counted."""
        if token.kind != "word" or not token.is_spaced or token.text in _NO_NOUNS:
            return False
        return len(token.text) >= 3 if is_first else token.text not in _ARTICLES

    def _is_each(self, ahead: int) -> bool:
        """Return whether a slash and a noun without spaces follow: `/ballon` of `15 €/ballon`."""
        slash, noun = self.peek(ahead), self.peek(ahead + 1)
        is_attached = not slash.is_spaced and not noun.is_spaced
        return slash.text == "/" and is_attached and noun.kind == "word" and not noun.is_formula

    def _read_units(self, base: Expr) -> Expr:
        name = self._take_unit()
        found: Expr = Quantity(base, name)
        if name == "h" and self.peek().kind == "number" and self._is_minutes():
            minutes = self.peek().value or Fraction(0)
            self.at += 1
            if self.peek().text in ("min", "mn", "minutes"):
                self.at += 1
                rest = self._read_smaller(Quantity(number(minutes), "min"), "min")
                return apply("+", found, rest)
            return apply("+", found, Quantity(number(minutes), "min"))
        if name in _SUBUNITS and self._is_subunit(name):
            self.at += 1
            return apply("+", found, Quantity(number(self.peek(-1).value or 0), _SUBUNITS[name][1]))
        if part := self._read_part_of_one(name):
            return apply("+", found, part)
        return self._read_smaller(found, name)

    def _is_subunit(self, name: str) -> bool:
        """Return whether the number after metres is centimetres: `4 m 80`."""
        token, after = self.peek(), self.peek(1)
        is_digits = token.kind == "number" and len(token.text) == _SUBUNITS[name][0]
        ends = after.kind in ("relation", "operator", "separator", "close") and not after.is_word
        return (
            is_digits and token.text.isdigit() and ends and after.text not in ("/", ",", "%", ":")
        )

    def _read_part_of_one(self, name: str) -> Expr | None:
        """Read the fraction after ones: `2 unités et 1/4`; None: there is none."""
        unit, first, slash, last = UNITS.get(name), self.peek(1), self.peek(2), self.peek(3)
        is_one = unit is not None and unit.dimensions == COUNT and unit.size == 1
        if not is_one or self.peek().text not in ("et", "and") or first.kind != "number":
            return None
        value = first.value or Fraction(0)
        if slash.text == "/" and not slash.is_spaced and last.kind == "number" and last.value:
            value, taken = value / last.value, 4
        else:
            taken = 2
        if not 0 < value < 1 or (taken == 2 and first.places):
            return None
        self.at += taken
        return number(value)

    def _is_minutes(self) -> bool:
        """Return whether the number after hours is minutes: below 60, without another unit."""
        token, after = self.peek(), self.peek(1)
        value = token.value or Fraction(0)
        is_free = after.text in ("min", "mn", "minutes") or after.text not in UNITS
        is_carried = value < 100 and after.kind == "relation" and not after.is_word  # `5 h 75 = `
        return (
            value.denominator == 1 and (value < 60 or is_carried) and not token.is_word and is_free
        )

    def _read_smaller(self, found: Expr, name: str) -> Expr:
        """Add the rest in a smaller unit: `3 m 25 cm`, `2 heures et demie`."""
        skipped = 1 if self.peek().text in ("et", "and") else 0
        if skipped and self.peek(1).text in ("demi", "demie", "quart"):
            part = Fraction(1, 4 if self.peek(1).text == "quart" else 2)
            self.at += 2
            return apply("+", found, Quantity(number(part), name))
        value, after = self.peek(skipped), self.peek(skipped + 1)
        unit, smaller = find_unit(name), UNITS.get(after.text)
        if unit is None or smaller is None or value.kind != "number":
            return found
        if unit.dimensions != smaller.dimensions or unit.dimensions == COUNT:
            return found
        follows = self.peek(3)
        is_next = skipped and (follows.text in _LISTS_UNITS or follows.text == "=")
        if unit.size <= smaller.size or is_next:
            return found
        self.at += skipped + 1
        return apply("+", found, self._read_units(number(value.value or 0)))

    def _take_unit(self) -> str:
        """Take the next unit and return its name: `m²`, `km/h`, `F CFA`."""
        name = " ".join(self.peek().text.split())
        self.at += 1
        name += self._take_square()
        if name == "F" and self.peek().text.upper() == "CFA":
            self.at += 1
        below = self.peek(1)
        is_rate = self.peek().text == "/" or (
            self.peek().text in ("par", "per", "le") and below.text in _EACH
        )
        if is_rate and below.kind in ("word", "name") and below.text in UNITS:
            self.at += 1
            name = f"{name}/{self._take_unit()}"
        elif self._is_each(0):
            name = f"{name}/{below.text}"
            self.at += 2
        return name

    def _take_square(self) -> str:
        """Take the exponent of a unit, if it is 2 or 3."""
        texts = [self.peek(ahead).text for ahead in range(4)]
        if self.peek().is_word:  # `5 m au cube`
            return ""
        if self.peek().kind == "power" and texts[0] in ("2", "3"):
            exponent, taken = texts[0], 1
        elif texts[0] == "^" and texts[1] in ("2", "3"):
            exponent, taken = texts[1], 2
        elif texts[:2] == ["^", "("] and texts[2] in ("2", "3") and texts[3] == ")":
            exponent, taken = texts[2], 4
        else:
            return ""
        self.at += taken
        return "²" if exponent == "2" else "³"


_LISTS_UNITS: Final = frozenset(("dans", "in", "par", "per"))
"""Words after the second of two measures that are not one: `7 jours dans une semaine et 24 heures
dans un jour`."""


def is_part(expr: Expr) -> bool:
    """Return whether `de` may follow an expression: a percentage or a fraction."""
    if isinstance(expr, Num):
        return expr.value.denominator > 1 and not expr.is_decimal
    return is_percent(expr) or is_fraction(expr)


def divide(above: Expr, below: Expr) -> Expr:
    """Return a quotient; in `1/4 h` the unit belongs to the whole fraction."""
    is_fraction = isinstance(above, Num) and isinstance(below, Quantity)
    if is_fraction and isinstance(below, Quantity) and isinstance(below.number, Num):
        return Quantity(apply("/", above, below.number), below.unit)
    return apply("/", above, below)
