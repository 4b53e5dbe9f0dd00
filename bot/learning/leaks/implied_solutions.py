"""Find ways to give a solution away without saying that it is one. Pure.

The text puts the value back into the statement and says that it fits; it has an equation that the
value solves at once; or it names parts that make the value together.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from bot.learning.expression_shape import list_forms
from bot.learning.leaks.reading import read_decimal, squeeze

if TYPE_CHECKING:
    from bot.learning.leaks.reading import Literal, Reading
    from bot.learning.leaks.values import ValueSearch

_PUTS_IN: Final = re.compile(
    r"\b(?:rempla\w+|remet\w*|met\w*|verifi\w+|controle\w*|test\w+|essa\w+|prend?s?|prenant|avec"
    r"|substitu\w+|replace|put|plug|try|check|with)\b[^.!?\n]{0,30}$"
)
_FITS: Final = re.compile(
    r"^[^.!?\n]{0,60}\b(?:marche|fonctionne|vraie?|retombes?|retrouves?|tombe|egaux|egales?|juste"
    r"|donne bien|fait bien|works|holds|true)\b"
)
_SUITS: Final = re.compile(
    r" ?(?:convient|marche|fonctionne|est (?:la |une )?solution|verifie l'|works|fits"
    r"|is (?:a |the )?solution)\b[^?\n]{0,60}(?:[.!\n]|$)"
)
_DOUBTS: Final = re.compile(r"\b(?:si|est-ce|ni|pas|que|if|whether|not)\b[^.!?\n]{0,20}$")
_NUMBER: Final = r"(?<![\d.,*/÷^])(\d+(?:[.,]\d+)?)"
_QUOTIENT: Final = re.compile(
    rf"(?<![-+*/÷^:] ){_NUMBER}(?: ?÷ ?|:(?![0-5]\d(?!\d))| : (?=\d+(?! [a-z])))"
    r"(\d+)(?![.,]?\d| ?[-+*/÷^:] ?\d)"
)
"""`10:30` is a time, and what follows `étape 3 :` counts a noun."""
_PART: Final = r"(?:parts?|chances?|cas|morceaux?|tranches?|pieces?|slices?|cases?|carreaux?)\b"
_PARTS_OF: Final = re.compile(
    rf"\b(\d+|une?|one) (?:[a-z=]+ )?{_PART}(?:[ ,(]+[a-z=]+){{0,4}}[ ,)]+(?:sur|out of|of|parmi)"
    r" (?:les |the |un total de |a total of )?(\d+)(?![.,]?\d)"
    rf"|\b(\d+|une?|one) (?:des|(?:out )?of the|sur les) (\d+) (?:[a-z=]+ )?{_PART}"
    r"|\b(1|one) in (\d+)(?![.,]?\d)"
)
"""`3 parts égales sur 4`, where `=` is what stands for the adjective; `3 des 4 parts`."""
_EQUATED: Final = r"\d+(?:[.,]\d+)?"
_BLANK_OR_LETTER: Final = r"(?:[a-z?□_]|…|\.\.\.)"
_ONE_STEP: Final = (
    rf"(?:{_BLANK_OR_LETTER} ?(?P<after>[-+*/÷]) ?(?P<second>{_EQUATED})"
    rf"|(?P<first>{_EQUATED}) ?(?P<before>[-+*]?) ?{_BLANK_OR_LETTER})"
)
_SIDE_START: Final = r"(?<![\w.,)*/+^÷√(-])(?<![-+*/÷^=] )"
_SIDE_END: Final = r"(?![\w(]|[.,]\d| ?[-+*/÷^=]| [a-z] ?[=<>])"
_TRIVIAL: Final = tuple(
    re.compile(_SIDE_START + sides + _SIDE_END)
    for sides in (
        rf"{_ONE_STEP} ?= ?(?P<right>-? ?{_EQUATED})",
        rf"(?P<right>-? ?{_EQUATED}) ?= ?{_ONE_STEP}",
    )
)
"""An equation of one step with its number on either side: `7 - x = 0`, `8 = x + 1`."""
_ABOVE: Final = r"(?:numera\w+|haut|dessus|top)\b"
_BELOW: Final = r"(?:denomina\w+|bas|dessous|bottom)\b"
_BETWEEN_PART: Final = rf"(?:(?!\b(?:par|by|et|and|{_ABOVE}|{_BELOW}))[^\d.!?\n]|\n(?!\n)){{1,24}}"
_PART_END: Final = r"(?![.,/]?\d| ?[-+*/÷^])"
_PART_NUMBERS: Final = tuple(
    re.compile(
        rf"\b{name}{_BETWEEN_PART}(?:\d[\d +*-]{{1,20}}= ?)?(\d{{1,4}}){_PART_END}"
        rf"|(?<![\d.,/])(\d{{1,4}}) (?:(?:au|en|comme|for|is|est|the|on|at|a|le) ){{0,3}}{name}"
    )
    for name in (_ABOVE, _BELOW)
)
"""The number of a fraction above its bar, and the one below: `en haut, 3`, `4 au dénominateur`."""
_STACKED: Final = re.compile(
    r"(?<![\d.,/])(\d{1,4}) (?:au[- ]dessus d[eu]|above|on top of) (\d{1,4})(?![.,/]?\d)"
)
_PART_REACH: Final = 160
"""Characters between the two numbers of a fraction, at most."""
_SHARES: Final = {"moitie": 2.0, "demi": 2.0, "half": 2.0, "tiers": 3.0, "third": 3.0, "quart": 4.0}
_TO_COMPUTE: Final = re.compile(
    r"\b(?:calcul\w*|divis\w*|divid\w*|combien|pose[rsz]?|effectue\w*|operation|work out|compute"
    r"|how much|what is|que vaut|quotient)\b[^.!?\n\d]{0,20}$"
)
_ALONE: Final = re.compile(r"(?:.*\n)?\W*\d+ ?[÷:] ?\d+\W*(?:\n.*)?", re.DOTALL)
_ASKED: Final = re.compile(r"[\s$]*(?:=[\s$]*)?(?:\?|…|\.\.\.)")
_PLACE_VALUES: Final = {
    "millier": 1000, "centaine": 100, "dizaine": 10, "unite": 1, "dixieme": 0.1, "centieme": 0.01,
    "millieme": 0.001, "thousand": 1000, "hundred": 100, "ten": 10, "one": 1, "unit": 1,
    "tenth": 0.1, "hundredth": 0.01, "thousandth": 0.001,
}  # fmt: skip
_PLACE: Final = re.compile(
    r"(?<![\d.,/])(?:(\d{1,9}|\bune?|\bone) (" +
    "|".join(sorted(_PLACE_VALUES, key=len, reverse=True)) +
    r")s?( de mill(?:iers?|e))?\b|(\d{1,9})/(10{1,3})(?!\d))"
)  # fmt: skip
_BETWEEN_PLACES: Final = re.compile(r"(?:[^.!?\d:=\n]|\n(?!\n)){0,20}")
_PLACE_STEMS: Final = ("aine", "unit", "iem", "mill", "ten", "one", "hund", "thous")


class SubstitutionSearch:
    """A search for the value put in place of the unknown: said so, written into an expression of
    the equation, or with a word that it fits."""

    def __init__(self, values: ValueSearch, statement: Reading) -> None:
        self._values = values
        forms = list_forms(statement.plain) if "=" in statement.plain else ()
        letters = {min(form.letters) for _, _, form in forms if form.letters}
        self._filled = _compile_filled(statement, [values.value]) if letters else []
        self._has_unknown = bool(letters)
        names = "|".join(sorted(letters))
        self._named = re.compile(
            rf"\b(?:{names}) (?:par|avec|by|with) {{0,3}}$" if names else r"(?!)"
        )

    def find(self, reading: Reading) -> str | None:
        written = _open_brackets(reading.squeezed) if self._filled else ""
        for filled in self._filled:
            at = filled.search(written)
            if at and at[0] not in reading.known.squeezed:
                return at[0]
        for literal in reading.literals:
            before = reading.plain[max(0, literal.start - 60) : literal.start]
            after = reading.plain[literal.end : literal.end + 90]
            if (
                self._values.matches(literal, reading.plain)
                and not re.match(r"[a-z(]", after)  # it multiplies a letter
                and (self._is_put_in(literal, before, after, reading) or self._fits(before, after))
            ):
                return reading.cut(literal.start, literal.end)
        return None

    def _is_put_in(self, literal: Literal, before: str, after: str, reading: Reading) -> bool:
        is_put = _PUTS_IN.search(before) is not None
        return is_put and bool(_FITS.search(after) or self._is_new(literal, before, reading))

    def _fits(self, before: str, after: str) -> bool:
        """Return whether a number is said to be a solution, and neither asked nor denied."""
        return self._has_unknown and bool(_SUITS.match(after)) and not _DOUBTS.search(before)

    def _is_new(self, literal: Literal, before: str, reading: Reading) -> bool:
        """Return whether a number stands for the letter, and is not the pupil's."""
        named = self._named.search(before)
        return named is not None and literal.form not in reading.known.forms


_POWER_IS: Final = re.compile(
    r"(?<![\w.,*/÷^+-])(?<![*/÷^+-] )\(?(\d{1,6}(?:[.,]\d{1,4})?)\)?"
    r"(?: ?\^ ?[23]| ?\* ?(\d{1,6}(?:[.,]\d{1,4})?))"
    r" ?(?:=|\b(?:is|est|makes?|gives?|donne|fait)) ?(\d+)(?![\d.,]*\d| ?[-+*/÷^])"
)


class RootSearch:
    """A search for a power of the value that the text asks the root of: `√169`, and `13² = 169`."""

    def __init__(self, value: float, statement: Reading) -> None:
        self._value = abs(value)
        self._is_asked = value not in statement.values
        self._statement = statement.squeezed

    def find(self, reading: Reading) -> str | None:
        """Return the words that say the power; None: the value has none, or a pupil knows it."""
        powers = set[str]()
        for found in _POWER_IS.finditer(reading.plain) if self._is_asked else ():
            is_own = {read_decimal(each) for each in found.groups()[:2] if each} == {self._value}
            if not is_own or found[3] in powers:
                continue
            powers.add(found[3])
            rooted = (
                r"(?:√ ?\(?|\b[a-z]{1,2} ?\^ ?[23] ?= ?(?:[\d ^+*.,-]{1,40}= ?)?)"
                rf"{found[3]}(?!\d)"
            )
            given = rf"(?<![\d.,]){found[3]}(?!\d)"
            is_asked = re.search(rooted, reading.plain) or re.search(given, self._statement)
            if is_asked and squeeze(found[0]) not in reading.known.squeezed:
                return reading.cut(*found.span())
        return None


class CoupleSubstitutionSearch:
    """A search for both values put in place of the unknowns of a system, in each equation."""

    def __init__(self, values: Sequence[float], statement: Reading) -> None:
        self._filled = _compile_filled(statement, values)

    def find(self, reading: Reading) -> str | None:
        """Return the first computation with the values; None: they are not in each equation."""
        if len(self._filled) < 2:
            return None
        written = _open_brackets(reading.squeezed)
        found = [each.search(written) for each in self._filled]
        return found[0][0] if found[0] and all(found) else None


def _compile_filled(statement: Reading, values: Sequence[float]) -> list[re.Pattern[str]]:
    """Compile a pattern for each expression of a statement that has as many letters as there are
    values, with these in place of the letters and without spaces."""
    filled: list[str] = []
    for start, end, form in list_forms(statement.plain):
        span = squeeze(statement.plain[start:end])
        for letter, value in zip(sorted(form.letters), values, strict=False):
            product = re.sub(rf"(?<=[\d)]){letter}", f"*{value:.10g}", span)
            span = re.sub(rf"(?<!\w){letter}(?!\w)", f"{value:.10g}", product)
        is_filled = len(form.letters) == len(values) and not re.search("[a-z]", span)
        filled += [re.escape(span)] if is_filled else []
    return [re.compile(rf"(?<![\d.,)*/^+-]){each}(?![\d(*/^+-]|[.,]\d)") for each in filled]


def _open_brackets(squeezed: str) -> str:
    """Return a text with `3*7` for `3(7)`, and with `+-7` for `+(-7)`."""
    written = re.sub(r"(?<=[\d)])\*?\((-?[\d.,]+)\)", r"*\1", squeezed)
    return re.sub(r"(?<=[+-])\((-[\d.,]+)\)", r"\1", written)


class EquationSearch:
    """A search for an equation of one step that the value solves: `7 - x = 0`, `x + 1 = 8`.

    One that computes with numbers of the statement, or leads on from its equation, is a step,
    unless it has the value itself: `x - 7 = 0`.
    """

    def __init__(self, value: float, statement: Reading) -> None:
        self._value = value
        self._statement = statement
        self._given = {abs(each.value) for each in statement.literals}
        self._has_letters = statement.has_letters
        self._is_computation = any(form.equals_number(value) for form in statement.expressions)

    def find(self, reading: Reading) -> str | None:
        if "=" not in reading.plain:
            return None
        for pattern in _TRIVIAL:
            for found in pattern.finditer(reading.plain):
                if self._gives_away(found) and not self._is_known(found[0], reading):
                    return reading.cut(*found.span())
        return None

    def _gives_away(self, found: re.Match[str]) -> bool:
        sign = found["after"] or found["before"] or "*"
        number = read_decimal(found["second"] or found["first"])
        right = read_decimal(found["right"])
        if not math.isclose(
            _solve(sign, number, right, is_first=bool(found["first"])), self._value, rel_tol=1e-9
        ):
            return False
        neutral = 0.0 if sign in "+-" else 1.0
        if neutral in (number, right) and abs(self._value) in (number, abs(right)):
            return True
        is_own = not {number, abs(right)} & self._given and not self._has_letters
        return is_own and (sign != "*" or self._is_computation)

    def _is_known(self, equation: str, reading: Reading) -> bool:
        written = squeeze(equation)
        return written in self._statement.squeezed or written in reading.known.squeezed


def _solve(sign: str, number: float, right: float, *, is_first: bool) -> float:
    """Return the unknown of `x + 3 = 10`, or with the number first, as in `7 - x = 0`; nan: it has
    no single value."""
    if sign == "+":
        return right - number
    if sign == "-":
        return number - right if is_first else right + number
    if sign == "*":
        return right / number if number else math.nan
    return right * number


class FractionPartsSearch:
    """A search for the two numbers of a fraction, each with its place: `en haut, 3 ; en bas, 4`."""

    def __init__(self, solution: Literal, statement: Reading) -> None:
        self._parts = solution.form[1:]
        self._is_given = self._list_places(statement) != []

    def find(self, reading: Reading) -> str | None:
        if self._is_given:
            return None
        return next((reading.cut(*each) for each in self._list_places(reading)), None)

    def _list_places(self, reading: Reading) -> list[tuple[int, int]]:
        plain = reading.plain
        if not any(
            stem in plain for stem in ("enomina", "bas", "dessous", "dessus", "bottom", "top")
        ):
            return []
        pairs = [
            found.span()
            for found in _STACKED.finditer(plain)
            if (float(found[1]), float(found[2])) == self._parts
        ]
        above, below = (
            [found for found in numbers.finditer(plain) if float(found[1] or found[2]) == part]
            for numbers, part in zip(_PART_NUMBERS, self._parts, strict=True)
        )
        return pairs + [
            (min(one.start(), other.start()), max(one.end(), other.end()))
            for one in above
            for other in below
            if abs(one.start() - other.start()) < _PART_REACH
        ]


class QuotientSearch:
    """A search for the value as a quotient in lowest terms: `5 ÷ 2`, `3:4`, `3 parts sur 4`.

    A quotient of the statement's numbers, and one that the text asks to compute, is a step.
    """

    def __init__(self, solution: Literal, statement: Reading) -> None:
        self._value = solution.value
        self._given = statement.values | {
            part for word, part in _SHARES.items() if word in statement.plain
        }
        self._is_converted = solution.form[0] != "/" and any(
            math.isclose(each.value, solution.value, rel_tol=1e-9) for each in statement.literals
        )
        self._forms = statement.forms

    def find(self, reading: Reading) -> str | None:
        for pattern in (_QUOTIENT, _PARTS_OF):
            for found in pattern.finditer(reading.plain):
                if self._is_value(found) and self._gives_away(found, reading):
                    return reading.cut(*found.span())
        return None

    def _gives_away(self, found: re.Match[str], reading: Reading) -> bool:
        plain, parts = reading.plain, _read_quotient(found)
        if self._is_converted or set(parts) <= self._given:
            return False
        if ("/", *parts) in self._forms:
            return bool(_ALONE.fullmatch(plain[max(0, found.start() - 8) : found.end() + 8]))
        before = plain[max(0, found.start() - 60) : found.start()]
        is_known = squeeze(found[0]) in reading.known.squeezed
        return not (is_known or _TO_COMPUTE.search(before) or _ASKED.match(plain, found.end()))

    def _is_value(self, found: re.Match[str]) -> bool:
        above, below = _read_quotient(found)
        if below <= 1 or not math.isclose(above / below, self._value, rel_tol=1e-9):
            return False
        return above.is_integer() and math.gcd(int(above), int(below)) == 1


def _read_quotient(found: re.Match[str]) -> tuple[float, float]:
    above, below = filter(None, found.groups())
    return float(above.replace(",", ".")) if above[0].isdigit() else 1.0, float(below)


class PlaceValueSearch:
    """A search for the value by its places: `5 dizaines et 6 unités`, `25 dixièmes`.

    Places of which one is to be carried over (`7 dizaines et 12 unités`) are a step.
    """

    def __init__(self, solution: Literal, statement: Reading) -> None:
        self._value = solution.value
        given = _list_place_values(statement.plain)
        self._is_given = any(self._is_value(run) for run in given)
        self._is_converted = any(each.value == solution.value for each in statement.literals)

    def find(self, reading: Reading) -> str | None:
        if self._is_given or not any(stem in reading.plain for stem in _PLACE_STEMS):
            return None
        for run in _list_place_values(reading.plain):
            if self._is_value(run) and self._is_written_out(run):
                return reading.cut(run[0].start, run[-1].end)
        return None

    def _is_value(self, run: Sequence[_Places]) -> bool:
        total = sum(each.amount * each.place for each in run)
        return math.isclose(total, self._value, rel_tol=1e-9)

    def _is_written_out(self, run: Sequence[_Places]) -> bool:
        """Return whether nothing is left to carry over, or to convert, in the places."""
        if len(run) == 1:
            return run[0].amount not in (1, 10) and run[0].place != 1 and not self._is_converted
        falling = sorted(run, key=lambda each: -each.place)
        return all(
            below.amount * below.place < above.place * (1 - 1e-9)
            for above, below in pairwise(falling)
        )


class _Places(NamedTuple):
    """How many of one place: 5 tens."""

    start: int
    end: int
    amount: int
    place: float


def _list_place_values(plain: str) -> list[list[_Places]]:
    """Return the numbers of places that stand together, each place once."""
    runs: list[list[_Places]] = []
    for found in _PLACE.finditer(plain):
        count, name, multiple, part_count, part = found.groups()
        place = 1 / float(part) if part else _PLACE_VALUES[name] * (1000 if multiple else 1)
        amount = int(count or part_count) if (count or part_count).isdigit() else 1
        each = _Places(*found.span(), amount, place)
        last = runs[-1] if runs else []
        is_next = (
            last
            and _BETWEEN_PLACES.fullmatch(plain, last[-1].end, each.start)
            and place not in {other.place for other in last}
        )
        if is_next:
            last.append(each)
        elif not part:
            runs.append([each])
    return runs
