"""Check what a text says of an equation or formula in hand.

In words: the sum and product of its roots, the smallest whole number of an inequality, the result
of a computation with letters. And formulas in which letters have been given their values: `y = -2x
+ p`, `p = 2`, and then `y = -2x + 2`; `P = 2(L + l)`, `L = 9`, `l = 4`, and then `P = 2 × 9 + 4`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from bot.maths.checks.stated_forms import has_call, is_call
from bot.maths.exact.algebra_questions import Check, Identity, Known, Pair, Statement
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Num,
    Quantity,
    Solutions,
    apply,
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
from bot.maths.reading.wording import Found, Wording, claim

# Parameters ---------------------------------------------------------------------------------------

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


# Equations ----------------------------------------------------------------------------------------

_END: Final = r"(?= [.,;:!)]| et| and|$)"
_SUMS: Final = re.compile(r"\b(?:sommes?|sum)\b.*\b(?:racines|solutions|roots)\b")
_SUM: Final = re.compile(
    r"\b(?P<kind>S|P|somme|produit|sum|product)(?: (?:des|of|the|leur|racines|solutions|roots))*"
    rf"(?: (?:=|est|vaut|is|donc|:))+ (?P<c>#){_END}"
)
_RESULT: Final = re.compile(
    r"^[^#@]*\b(?:resultat|reponse|result|answer|finalement|finally|(?:il )?reste|conclusion)"
    r"(?: (?:est|final|finale|donc|is|the|:))* (?P<c>#)(?= [.!]|$)"
)
_SMALLEST: Final = re.compile(
    r"\b(?:plus petit|premier|smallest|first|least|partir d[eu])\b[^#@=]*(?: n =| est| is| :)?"
    rf" (?P<k>#){_END}"
)
_ROOTS: Final = re.compile(r"\b(?:racines? carrees?|square roots?) (?:de|of) (?P<e>#)(?! [=<>])")
_ARE_ROOTS: Final = re.compile(
    r"\b(?:racines|roots)(?: [a-z]+){0,2} (?:sont|are|:)(?: (?:donc|:))* (?P<a>#) (?:et|and|ou|or)"
    rf" (?P<b>#){_END}"
)
_PRIMES: Final = (2, 3, 5, 7)


class EquationClaims:
    """The equation, computation and inequality that a text has in hand."""

    def __init__(self) -> None:
        self._wants_sums = False
        self._squares: Expr | None = None
        """The complex number whose square roots the question asks for."""
        self._roots: tuple[Fraction, Fraction] | None = None
        """The sum and the product of the roots of the question's equation."""
        self._computed: dict[int, set[Expr]] = {}
        """The first members of the computations, by their sections."""
        self._bound: tuple[int, str, Expr] | None = None
        """The last bound of n: its section, relation and value."""

    def learn_question(self, wording: Wording) -> None:
        self._wants_sums |= bool(_SUMS.search(wording.text))
        found = _ROOTS.search(wording.text)
        if found and free_letters(value := Found(wording, found).name_values()["e"]) == {"i"}:
            self._squares = value

    def learn(self, chain: Chain, sentence: Sentence, *, is_question: bool) -> None:
        """Keep the parts of a chain that later claims may be about."""
        members = [each for each in chain.members if not isinstance(each, Solutions)]
        if len(members) < len(chain.members):
            return
        first, second, last = members[0], members[1], members[-1]
        relation = chain.relations[0].text
        if first == Letter("n") and relation in (">", "≥") and not free_letters(last):
            self._bound = (sentence.section, relation, last)
        if relation != "=" or chain.is_cut or chain.relations[0].is_word:
            return
        is_meant = is_question or _SUMS.search(sentence.text)
        if is_meant and self._roots is None and len(members) == 2:
            self._roots = _find_sums(first, second)
        is_form = free_letters(first) == free_letters(second) and _has_sum(first)
        is_clear = not chain.readings and not chain.is_doubtful
        if is_form and is_clear and _is_same(first, second):
            self._computed.setdefault(sentence.section, set()).add(first)

    def read(self, wording: Wording, sentence: Sentence) -> Iterator[Statement]:
        """Yield the claims of a sentence."""
        text = wording.text
        self._wants_sums |= bool(_SUMS.search(text))
        checks: list[Check | None] = []
        if self._wants_sums and self._roots:
            checks += [
                _check_sum(Found(wording, each), self._roots) for each in _SUM.finditer(text)
            ]
        computed = self._computed.get(sentence.section, set())
        if len(computed) == 1 and (result := _RESULT.search(text)):
            with_letters = filter(free_letters, computed)
            checks += [_check_result(Found(wording, result), each) for each in with_letters]
        if self._bound and self._bound[0] == sentence.section and (m := _SMALLEST.search(text)):
            checks.append(_check_smallest(Found(wording, m), self._bound[1], self._bound[2]))
        if self._squares and (found := _ARE_ROOTS.search(text)):
            values = Found(wording, found).name_values().values()
            checks += [
                Identity(apply("^", each, number(2)), self._squares, "claimed") for each in values
            ]
        yield from (Statement(sentence.text, [[check]]) for check in checks if check)


def _has_sum(expr: Expr) -> bool:
    """Return whether an expression has a sum in it, and is no mere step such as `-2 × x`."""
    return any(isinstance(node, Apply) and node.op in ("+", "-") for node in walk(expr))


def _find_sums(left: Expr, right: Expr) -> tuple[Fraction, Fraction] | None:
    """Return the sum and the product of the roots of a quadratic equation; None: it is none."""
    letters = sorted(free_letters(left) | free_letters(right))
    if len(letters) != 1:
        return None
    difference = apply("-", left, right)
    try:
        at = [evaluate(substitute(difference, {letters[0]: number(x)})).number for x in range(4)]
    except (Undecidable, ZeroDivisionError):
        return None
    square = (at[2] - 2 * at[1] + at[0]) / 2
    if not square or at[3] - 3 * at[2] + 3 * at[1] - at[0]:
        return None
    slope = at[1] - at[0] - square
    return -slope / square, at[0] / square


def _is_same(one: Expr, other: Expr) -> bool:
    """Return whether two expressions have the same value at one point."""
    letters = sorted(free_letters(one) | free_letters(other))
    if len(letters) > len(_PRIMES):
        return False
    values = {each: number(value) for each, value in zip(letters, _PRIMES, strict=False)}
    try:
        return (
            evaluate(substitute(one, values)).number == evaluate(substitute(other, values)).number
        )
    except (Undecidable, ZeroDivisionError):
        return False


def _check_sum(found: Found, roots: tuple[Fraction, Fraction]) -> Check | None:
    value = found.name_values()["c"]
    is_product = found["kind"].lower().startswith("p")
    return None if free_letters(value) else claim(number(roots[is_product]), value)


def _check_result(found: Found, computed: Expr) -> Check | None:
    value = found.name_values()["c"]
    is_form = free_letters(value) == free_letters(computed) and has_operation(value)
    return Identity(computed, value, "claimed") if is_form else None


def _check_smallest(found: Found, relation: str, bound: Expr) -> Check | None:
    """Return the verdict on `Le plus petit entier est 15` after `n > 14,2`."""
    value = found.name_values()["k"]
    try:
        least, claimed = evaluate(bound).number, evaluate(value).number
    except Undecidable:
        return None
    is_rounded = isinstance(bound, Num) and bound.is_decimal
    is_whole = least.denominator == 1
    if claimed.denominator != 1 or (is_rounded and is_whole):
        return None
    smallest = -(-least.numerator // least.denominator) + (is_whole and relation == ">")
    if claimed == smallest:
        return Known("right")
    return Known("wrong", f"the smallest whole number is {smallest}")
