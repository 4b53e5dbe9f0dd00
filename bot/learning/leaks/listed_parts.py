"""Find a solution that a text gives in parts, so that little is left. Pure.

`les facteurs sont x + 3 et x - 3` for `(x - 3)(x + 3)`; `2, 2, 3 et 5`, or the last column of the
successive divisions, for `2² × 3 × 5`; `la dérivée de x³ est 3x², celle de 4x est 4`. `a = 3, b =
−12, c = 4` for `3x² − 12x + 4`; `le coefficient directeur est 3 et l'ordonnée à l'origine est 1` or
`3x − y + 1 = 0` for `y = 3x + 1`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final

from bot.learning.expression_shape import POINTS, Form, list_forms, read_form
from bot.learning.grading.typed_formulas import is_same_curve
from bot.learning.leaks.reading import PARAGRAPH, SENTENCE, Literal, Reading, read_decimal
from bot.learning.plain_notation import fold_notation

_FACTOR: Final = re.compile(r"\*?(?:\(([^()]{1,40})\)(?:\^(\d))?|([a-z])(?:\^(\d))?|((?:^-)?\d+))")
_CUE: Final = re.compile(
    r"\b(?:facteurs?|parentheses?|produit|multipli\w*|fois|factors?|brackets?|product|times|premier"
    r"|premiere|second|seconde|deuxieme|first|cotes?|largeur|longueur|dimensions?|sides?|width"
    r"|length)\b"
)
_ENDS: Final = r"(?![\w^]|[.,]\d| ?[-+*/÷^(] ?[\da-z(])"
_TOGETHER: Final = re.compile(
    r"\bcote a cote|\bside by side|\bbout a bout|\bassembl\w+|\bcolle\w*|\bput them together"
)
_IS: Final = (
    r"(?:=|:|→|⇒|\b(?:est|donne|vaut|devient|reste|laisse|obtien\w{1,3}|trouve[sz]?|is|becomes"
    r"|gives?|get|leaves?|makes?)) ?(?:juste |simplement |just |donc |bien )?[-+]? ?"
)
_TERM: Final = re.compile(r"(?<![\^(*/])[-+]?[^-+()]+")
_TERMS_ARE: Final = re.compile(r"\bterm(?:e?s)\b (?:\w+ ){0,2}(?:sont|are|:)[^.!?\n]{1,80}")
_RUN: Final = re.compile(
    r"(?<![\d.,=])(?<!= )\d{1,4}"
    r"(?:(?: ?[,;|] ?| et | and | puis | then | fois )\d{1,4}){2,12}(?!\d|[.,]\d)"
)
_DIVISION: Final = re.compile(r"\d{1,6} ?[÷:/] ?(\d{1,4}) ?= ?(\d{1,6})")
_ROW: Final = re.compile(r"^\W*(\d{1,6})\W{1,8}(\d{1,4})?\W*$")
_FEWEST: Final = 2


class FactorListSearch:
    """A search for all factors of the solution in one sentence that is about factors."""

    def __init__(self, solution: str, statement: Reading) -> None:
        forms = [read_form(each) for each in _split_factors(Reading(solution).squeezed)]
        self._forms = [each for each in forms if each is not None and each.letters]
        is_given = all(_is_listed(each, statement.expressions) for each in self._forms)
        self._is_asked = len(self._forms) >= _FEWEST and not is_given

    def find(self, reading: Reading) -> str | None:
        """Return the sentence with the factors; None: there is none."""
        if not self._is_asked:
            return None
        for sentence in SENTENCE.finditer(reading.plain):
            if not _CUE.search(sentence[0]):
                continue
            listed = [found for _, _, found in list_forms(sentence[0])]
            if all(_is_listed(each, listed) for each in self._forms):
                known = reading.known.expressions
                if not all(_is_listed(each, known) for each in self._forms):
                    return reading.cut(*sentence.span())
        return None


def _is_listed(form: Form, listed: Sequence[Form]) -> bool:
    """Return whether a factor is among expressions."""
    return any(each.shape == form.shape or each.equals(form) for each in listed)


def _split_factors(squeezed: str) -> list[str]:
    """Return the factors of `2(x-3)(x+3)`, a square twice; none for another expression."""
    found = list(_FACTOR.finditer(squeezed))
    if "".join(each[0] for each in found) != squeezed:
        return []
    factors: list[str] = []
    for inner, power, letter, exponent, number in (each.groups() for each in found):
        factor = inner or letter or number
        if letter and factors and factors[-1].isdigit():
            factor = factors.pop() + letter  # `5x` of `5x(x-3)`
        factors += [factor] * int(power or exponent or 1)
    return factors


class TermSearch:
    """A search for all terms of the solution, each said as a result of its own."""

    def __init__(self, solution: str, statement: Reading) -> None:
        squeezed = Reading(solution).squeezed.rpartition("=")[2]
        terms = [each[0].lstrip("+-") for each in _TERM.finditer(squeezed)]
        is_sum = len("".join(terms)) > 1 and _FEWEST <= len(terms) <= 4 and "(" not in squeezed
        given = statement.squeezed
        has_new = is_sum and any(re.search("[a-z]", each) and each not in given for each in terms)
        written = [r"\s?".join(map(re.escape, each)) + _ENDS for each in terms if has_new]
        self._terms = [re.compile(_IS + each) for each in written]
        self._listed = [re.compile(rf"(?<![\w+*/^(-])[-+]? ?{each}") for each in written]

    def find(self, reading: Reading) -> str | None:
        """Return the words with the terms; None: one at least is left to find."""
        if not self._terms:
            return None
        for sentence in _TERMS_ARE.finditer(reading.plain):
            if all(each.search(sentence[0]) for each in self._listed):
                return sentence[0]
        if not all(each.search(reading.plain) for each in self._terms):
            return None
        parts = PARAGRAPH if _TOGETHER.search(reading.plain) else SENTENCE
        for part in parts.finditer(reading.plain):
            places = [each.search(part[0]) for each in self._terms]
            if all(places) and len({each.start() for each in places if each}) == len(places):
                return part[0]
        return None


class NumberListSearch:
    """A search for all numbers of the solution that the statement lacks, each said as a result:
    `le quotient est 12, le reste est 2` for `230 = 19 × 12 + 2`, `-3 + 7 = 4` for `10⁴`."""

    def __init__(self, solution: str, statement: Reading) -> None:
        given = {abs(each.value) for each in statement.literals}
        numbers = re.findall(r"\d+(?:[.,]\d+)?", Reading(solution).squeezed)
        new = [each for each in numbers if float(each.replace(",", ".")) not in given]
        self._said = [re.compile(_IS + re.escape(each) + _ENDS) for each in new]
        self._has_letters = bool(re.search("[a-z]", Reading(solution).squeezed))

    def find(self, reading: Reading) -> str | None:
        """Return the words that say the first number; None: one at least is left to find."""
        if not self._said or self._has_letters:
            return None
        found = [each.search(reading.plain) for each in self._said]
        return reading.cut(*found[0].span()) if found[0] and all(found) else None


class OrderSearch:
    """A search for the numbers of `2 < 5 < 7` in the order that is asked."""

    def __init__(self, solution: str, statement: Reading) -> None:
        self._numbers = [each.value for each in Reading(solution).literals]
        given = [each.value for each in statement.literals if each.value in self._numbers]
        is_asked = len(self._numbers) > _FEWEST and given != self._numbers
        self._is_asked = is_asked and sorted(given) == sorted(self._numbers)

    def find(self, reading: Reading) -> str | None:
        """Return the numbers of a paragraph in their order; None: each paragraph has them in
        another one, or not all."""
        if not self._is_asked:
            return None
        paragraphs: dict[int, list[Literal]] = {}
        for each in reading.literals:
            if each.value in self._numbers:
                at = reading.plain.count("\n\n", 0, each.start)
                paragraphs.setdefault(at, []).append(each)
        for found in paragraphs.values():
            if [each.value for each in found] == self._numbers:
                return reading.plain[found[0].start : found[-1].end]
        return None


class WrittenSearch:
    """A search for words of a pattern."""

    def __init__(self, pattern: str) -> None:
        self._pattern = re.compile(pattern)

    def find(self, reading: Reading) -> str | None:
        found = self._pattern.search(reading.plain)
        return found[0] if found else None


def make_exponent_search(value: float, statement: Reading) -> WrittenSearch:
    """Return the search for the exponent that is asked, in a product of powers:
    `576 = 2^6 * 3^2`."""
    base = re.search(r"\b(?:exposant|exponent|power) (?:de |of |d')(\d{1,4})\b", statement.plain)
    power = rf"(?<![\w.,]){base[1]} ?\^ ?\(?{value:.10g}(?![\w]|[.,]\d)" if base else r"(?!)"
    return WrittenSearch(power)


def make_divisor_search(value: float, statement: Reading) -> WrittenSearch:
    """Return the search for the greatest common divisor that is asked, as the last divisor of
    divisions one after another (`36 = 9 × 4 + 0`), or for the rest: `47 = 5 × 9 + 2`."""
    asked = re.search(r"\bpgcd\b|\bgcd\b|\bdiviseur commun\b|\bcommon divisor\b", statement.plain)
    number = f"{value:.10g}"
    last = rf"\b{number} ?\* ?\d+ ?\+ ?0\b" if asked else r"(?!)"
    rest = re.search(r"\b(?:reste|remainder)\b[^.?]*?\b(\d+) (?:par|by) (\d+)", statement.plain)
    divided = rf"\b{rest[1]} ?= ?[\d* ]+\+ ?{number}(?![\w*/]|[.,]\d)" if rest else r"(?!)"
    return WrittenSearch(f"{last}|{divided}")


class PrimeFactorSearch:
    """A search for the factors of a product of numbers: in a list, or left of successive
    divisions."""

    def __init__(self, solution: str, statement: Reading) -> None:
        squeezed = Reading(solution).squeezed.rpartition("=")[2]
        powers = re.findall(r"(\d+)(?:\^(\d+))?", squeezed)
        is_product = re.fullmatch(r"\d+(?:\^\d+)?(?:\*\d+(?:\^\d+)?)+", squeezed)
        factors = [number for number, power in powers for _ in range(min(int(power or 1), 20))]
        given = [found[0] for found in _RUN.finditer(statement.plain)]
        is_asked = is_product and len(factors) > _FEWEST and not given
        self._factors = sorted(map(int, factors)) if is_asked else []

    def find(self, reading: Reading) -> str | None:
        """Return the words that list the factors; None: none do."""
        if not self._factors:
            return None
        for found in _RUN.finditer(reading.plain):
            if sorted(map(int, re.findall(r"\d+", found[0]))) == self._factors:
                return found[0]
        for paragraph in reading.plain.split("\n\n"):
            divided = [int(below) for below, _ in _DIVISION.findall(paragraph)]
            if self._factors in (sorted(divided), sorted(_list_rows(paragraph))):
                return paragraph[:80]
        return None


def _list_rows(plain: str) -> Iterator[int]:
    """Yield the last number of each line of two numbers: `60 | 2`."""
    for line in plain.split("\n"):
        if (row := _ROW.match(line[:40])) and row[2]:
            yield int(row[2])


_ASKS_COUNT: Final = re.compile(r"\b(?:combien|how many|nombre de|number of)\b")
_ITEMS: Final = re.compile(r"[^.!?:;\n…]{8,300}(?=[.!\n]|$)")
_BETWEEN_ITEMS: Final = re.compile(r",? (?:et|and|puis|then) |, ?")
_LEAD: Final = re.compile(r"^(?:(?:les?|la|une?|des|du|the|an?|et|and) |[ld]['’])", re.IGNORECASE)
_NO_MORE: Final = re.compile(
    r"\b(?:c'est tout|that's (?:all|it|everything)|all of them|(?:les )?voila (?:tous|toutes)"
    r"|tous|toutes|no (?:others?|more)|rien d'autre|aucun autre|liste complete|full list"
    r"|et voila)\b"
)
_REACH_OF_LIST: Final = 80
_LONGEST_ITEM: Final = 30
_FEWEST_ITEMS: Final = 4
_MOST_ITEMS: Final = 30


class ItemSearch:
    """A search for a list of all things whose number is asked: `Algeria, Niger, …` for how many
    countries share a border. They are names, or the text says that there are no others."""

    def __init__(self, value: float, statement: Reading) -> None:
        is_count = _FEWEST_ITEMS <= value <= _MOST_ITEMS and value == int(value)
        self._count = int(value) if is_count and _ASKS_COUNT.search(statement.plain) else 0
        self._statement = statement.text

    def find(self, reading: Reading) -> str | None:
        """Return the list; None: there is none, or the statement has its things."""
        if not self._count or reading.text.count(",") < self._count - _FEWEST:
            return None
        for found in _ITEMS.finditer(reading.text):
            items = [_LEAD.sub("", each.strip()) for each in _BETWEEN_ITEMS.split(found[0])]
            if len(items) != self._count or not all(0 < len(x) <= _LONGEST_ITEM for x in items[1:]):
                continue
            after = fold_notation(reading.text[found.end() : found.end() + _REACH_OF_LIST])
            are_names = all(each[:1].isupper() for each in items[1:])
            are_given = all(each in self._statement for each in items[1:])
            if not are_given and (are_names or _NO_MORE.search(after)):
                return found[0]
        return None


# Coefficients -------------------------------------------------------------------------------------


_VALUE: Final = r"(-? ?\d+(?:[.,]\d+)?)(?![\d.,]*[\d/]| ?[*/÷^√])"
_NAMED: Final = re.compile(rf"(?<![a-z])([abcmp]) ?(?:=|vaut|est) ?{_VALUE}")
_SLOPE: Final = re.compile(
    rf"\b(?:coefficient directeur|pente|slope|gradient)\b[^\d.!?\n-]{{1,20}}{_VALUE}"
)
_OF_POWER: Final = re.compile(
    r"\b(?:coefficient|terme?|celui|that|one) (?:de|en|of|in|devant) [a-z](\^2)?(?![\w^])"
    rf"[^\d.!?\n-]{{1,25}}{_VALUE}"
)
_INTERCEPT: Final = re.compile(
    r"\b(?:(?:terme )?constante?|constant term|ordonnee a l'origine|(?:y-)?intercept)\b"
    rf"[^\d.!?\n-]{{1,20}}{_VALUE}"
)
_COMPLEX_PART: Final = re.compile(
    r"\b(?:partie (reelle|imaginaire)|(real|imaginary) part)\b"
    r"[^.!?;\n]{0,60}?(?:=|:|\b(?:est|vaut|is|de)) ?(?:donc |bien )?"
    r"(?:[^.!?;,\n=a-z]{1,30}= ?){0,3}"
    r"(-? ?\d+(?:[.,]\d+)?)(?![\d.,]*\d| ?[-+*/÷^√=])"
)
_SIDE: Final = r"(?:(?<![a-z'])[a-z](?![a-z'])|[-\d.²^*+() ]|,(?=\d)){1,40}"
_EQUATION: Final = re.compile(rf"{_SIDE}={_SIDE}")
_ROOT: Final = re.compile(r"(-?\d+)\*?√\(?(\d+)\)?")


class CoefficientSearch:
    """A search for all coefficients of the solution, each with its name, or for its equation in
    another form."""

    def __init__(self, solution: str, statement: Reading) -> None:
        written = Reading(solution)
        self._equation = solution if "=" in solution else ""
        self._names = dict(_list_coefficients(written.squeezed.rpartition("=")[2]))
        self._given = statement.squeezed
        form = read_form(written.squeezed.rpartition("=")[2])
        self._is_complex = form is not None and {*form.letters} == {"i"} and "b" in self._names

    def find(self, reading: Reading) -> str | None:
        """Return the words that name the coefficients or write the equation."""
        plain = reading.plain
        if self._names and self._names_all(plain):
            return "the coefficients"
        if self._is_complex and self._names_complex(plain):
            return "the real and the imaginary part"
        if not self._equation or "=" not in plain:
            return None
        for found in _EQUATION.finditer(plain):
            equation = found[0].strip(" .,(")
            is_new = Reading(equation).squeezed not in self._given + reading.known.squeezed
            if is_new and is_same_curve(equation, self._equation):
                return equation
        return None

    def _names_all(self, plain: str) -> bool:
        said = {name: read_decimal(value) for name, value in _NAMED.findall(plain)}
        names = "".join(self._names)
        last = {"^2": names[:-2], "": names[-2], "0": names[-1]}
        found = [*_OF_POWER.findall(plain), *(("", each) for each in _SLOPE.findall(plain))]
        found += [("0", each) for each in _INTERCEPT.findall(plain)]
        said |= {last[power]: read_decimal(value) for power, value in found}
        needed = {name for name, value in self._names.items() if name != "a" or value != 1}
        return len(needed) > 1 and all(
            name in said and math.isclose(said[name], self._names[name]) for name in needed
        )

    def _names_complex(self, plain: str) -> bool:
        """Return whether a text says the real part and the imaginary part of the solution."""
        parts = {
            (french or english)[0]: read_decimal(value)
            for french, english, value in _COMPLEX_PART.findall(plain)
        }
        return parts == {"r": self._names["b"], "i": self._names["a"]}


def _list_coefficients(squeezed: str) -> Iterator[tuple[str, float]]:
    """Yield the coefficients of `ax² + bx + c`, `ax + b` or `a√b`; none for another expression."""
    if root := _ROOT.fullmatch(squeezed):
        yield from (("a", float(root[1])), ("b", float(root[2])))
        return
    form = read_form(squeezed)
    if form is None or len(form.letters) != 1 or not re.fullmatch(r"[-+\da-z^*.,]+", squeezed):
        return
    one, two, three = POINTS
    first = (form.values[1] - form.values[0]) / (two - one)
    second = (form.values[2] - form.values[1]) / (three - two)
    square = (second - first) / (three - one)
    slope = first - square * (one + two)
    rest = form.values[0] - slope * one - square * one * one
    found = [square, slope, rest] if abs(square) > 1e-9 else [slope, rest]
    if all(math.isclose(each, round(each, 3), abs_tol=1e-6) for each in found):
        yield from zip("abc", (round(each, 3) for each in found), strict=False)
