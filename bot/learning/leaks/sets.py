"""Find a solution that is an interval, an inequality, a set or a couple of values. Pure.

An interval is found in any notation: brackets of either style, signs, and words. A set or couple is
found where a text lists its elements, and no others, in one breath.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Final, NamedTuple, TypeAlias

from bot.learning.leaks.reading import (
    ARTICLE,
    PARAGRAPH,
    SENTENCE,
    SENTENCE_WITH_END,
    Reading,
    list_literals,
    read_value,
    squeeze,
)
from bot.learning.leaks.translations import list_translations
from bot.learning.leaks.values import ValueSearch, counts_noun, is_label_or_operand
from bot.learning.plain_notation import fold_letters

_NUMBER: Final = r"\d+(?:[.,]\d+)?(?:\s?/\s?\d+)?"
_BOUND: Final = rf"([-+]?\s?(?:∞|{_NUMBER}|[^\s;,\[\]<>=]{{1,20}}))"
_INTERVAL: Final = re.compile(rf"([\[\](])\s?{_BOUND}\s?[;,]\s?{_BOUND}\s?([\[\])])")
_SIGN: Final = r"(<=|>=|<|>)"
_UNKNOWN: Final = (
    r"(?:[a-z]|\b(?:nombres?|reels?|valeurs?|solutions?|numbers?|values?)"
    r"(?: (?:reels?|real|x|qui|that)){0,2}|\b(?:ou|et|or|and))"
)
_IS: Final = (
    r"(?: (?:est|sont|soit|is|are|must|doit|doivent|peut|peuvent|can)(?: be| etre| valoir)?"
    r"| ?=(?= ?[<>])| (?:reste|vaut|valent))?"
)
_NO_TERM_BEFORE: Final = r"(?<![\w)\]*/^+.,'-])(?<![-+*/÷^] )"
_NO_TERM_AFTER: Final = r"(?!\d|[.,]\d|\s?[-+*/÷^]\s?[\da-z(√]|[a-z(_])"
_BELOW_OR_ABOVE: Final = re.compile(
    rf"{_NO_TERM_BEFORE}{_UNKNOWN}{_IS}\s?{_SIGN}\s?{_BOUND}{_NO_TERM_AFTER}"
)
_MIRRORED: Final = re.compile(
    rf"{_NO_TERM_BEFORE}{_BOUND}\s?{_SIGN}\s?[a-z](?![\w'(]|\s?[-+*/÷^(]\s?[\da-z(√])"
)
_UNION: Final = re.compile(r"∪|\bunion\b|\s(?:ou|or)\s")
_MOST_ELEMENTS: Final = 8
_ORDERED_FROM: Final = 4
"""Elements from which only the rising, falling and given orders are searched."""
_JOINT: Final = (
    r"(?:\s?[,;&|]\s?|\s(?:et|ou|and|or|puis|then)\s|\s?\n[\s>*•-]{0,8})"
    r"(?:(?:et|ou|and|or|bien|encore|aussi|puis|then|en|pour|at|for|a) ){0,2}"
    r"(?:(?:l'autre|the other)(?: racine| solution| root)? ?(?:en |at )?)?"
    r"(?:(?:(?:(?:son |l')?ordonnee|[a-z](?:_?\d)?) ?)?(?:(?:=|:|est|is|de) ?)?)"
)
_LIST_START: Final = (
    r"(?:(?:^|(?<=\n))[\s>*•-]{0,8}|(?<![\w.,^*/+÷√-])(?<![-+*/÷^] )"
    r"(?<!\d[,;])(?<!\d[,;] )(?<!\d (?:et|ou|or) )(?<!\d and ))"
)
_LIST_END: Final = (
    r"(?![\w(%^]|[.,]\d|\s?[,;]\s?-?[\d…]|\s?(?:…|\.\.\.)|\s?[*/÷^+]\s?[\d(a-z√]|\s-\s?\d"
    r"|\s(?:et|ou|and|or)\s-?\d)"
)
_SAID: Final = re.compile(
    r"(?:\b(?:solutions?|racines?|roots?|zeros?|reponses?|resultats?|answers?|couple|s)\b"
    r"(?:[^.!?\n=∈]{0,30}(?:\bsont\b|\best\b|\bare\b|\bis\b|:|=|∈|\bin\b))?"
    r"|(?<![a-z])[a-z](?:_?\d)?\s?(?:=|∈|\bin\b|\best\b|\bis\b)"
    r"|\b(?:annule\w*|nulle?s?|vanish\w*|zero)\b (?:en|pour|quand|si|at|for|when)"
    r"|\b(?:coupe|croise|rencontre|touche|cross\w*|cuts?|meets?)\b[^.!?\n]{0,40}"
    r" (?:en|at|aux points)"
    r"|\b(?:c'est|ce sont|trouve[sz]?|obtien[st]|donc|alors|reponds|it's|get|find))"
    r"[\s:]*(?:donc|bien|soit|either|les nombres|le couple)?[\s{(\[:\"]*$"
)
_FACTOR: Final = re.compile(
    r"(?<![\w^*/+-])(?<![*/+-] )[a-z] ?([-+]) ?(\d+(?:[.,]\d+)?(?:/\d+)?) ?(?:\)|= ?0(?![\d.,]))"
)
_EQUALS_ZERO: Final = re.compile(r"= ?0(?!\d|[.,]\d)")
_SIDES: Final = {
    True: re.compile(
        r"(?<!-)(?<!- )∞|>|\b(?:a partir|au[- ]dela|(?:a|vers la|to the) (?:droite|right)|right of"
        r"|et plus|depasse\w*|over|beyond|onwards?)\b"
    ),
    False: re.compile(
        r"- ?∞|<|\b(?:jusqu'a|(?:a|vers la|to the) (?:gauche|left)|left of|et moins|under|up to)\b"
    ),
}
"""Words, beside comparisons, for the values above and below a bound."""
_EVERY: Final = re.compile(
    r"\b(?:tou[st]e?s? les|n'importe quel|all(?: the)?|any)"
    r" (?:nombre|reel|valeur|number|real|value)"
)
_ALONE_BEFORE: Final = re.compile(r"(?:^|\n)[\s>*•\"'({\[-]*$")
_ALONE_AFTER: Final = re.compile(r"[\s\"')}\].!]*(?:\n|$)")


class _Ray(NamedTuple):
    """The values on one side of a bound."""

    is_above: bool
    bound: float | str
    is_closed: bool


Range: TypeAlias = tuple[_Ray, ...]
"""One or two rays, the one above the lower bound first."""


class RangeSearch:
    """A search for an interval or a union of intervals, in brackets, signs or words."""

    def __init__(self, ranges: Sequence[Range], statement: Reading) -> None:
        self._ranges = set(ranges)
        self._rays = {ray for each in ranges for ray in each}
        self._numbers = statement.values
        self._given = self._list_found(statement)

    def find(self, reading: Reading) -> str | None:
        given = self._given | self._list_found(reading.known)
        found = self._list_found(reading) - given
        return min(found, default=None)

    def _list_found(self, reading: Reading) -> set[str]:
        """Return in which notations a text has the solution; each by a name for an operator."""
        plain = reading.compared
        found: set[str] = set()
        if any(mark in plain for mark in "[]∞(") and self._ranges <= set(_list_ranges(plain)):
            found.add("the interval in brackets")
        if any(mark in plain for mark in "<>") and self._rays <= set(_list_rays(plain)):
            found.add("the inequality")
        if self._is_described(plain):
            found.add("the interval in words")
        return found

    def _is_described(self, plain: str) -> bool:
        """Return whether a sentence has all bounds, their sides, and no other number: `de 3 exclu
        à l'infini`, `tout ce qui est à gauche de -3`; bounds of the statement, infinity too."""
        bounds, sides = {ray.bound for ray in self._rays}, {ray.is_above for ray in self._rays}
        are_given = bounds <= self._numbers
        return any(
            {each.value for each in list_literals(sentence[0])} == bounds
            and {side for side, words in _SIDES.items() if words.search(sentence[0])} == sides
            and ("∞" in sentence[0] or not are_given or _EVERY.search(sentence[0]))
            and not plain.startswith("?", sentence.end())
            for sentence in SENTENCE.finditer(plain)
        )


def read_ranges(solution: str) -> list[Range]:
    """Return the intervals of `]-∞ ; 2[`, `x < 2`, `0 <= x < 3`, `x < 1 ou x > 5`; none for another
    solution."""
    found: list[Range] = []
    for part in _UNION.split(Reading(solution).compared.strip(" .")):
        bare = re.sub(r"^(?:s\s?=|[a-z]\s?(?:∈|in\b))\s?", "", part.strip())
        rays = tuple(sorted(_list_rays(bare), key=lambda ray: not ray.is_above))
        if whole := _INTERVAL.fullmatch(bare):
            found.append(_read_interval(whole))
        elif re.fullmatch(r"[^<>]*[<>]=?[^<>]*(?:[<>]=?[^<>]*)?", bare) and len(rays) == len(
            re.findall("[<>]", bare)
        ):
            found.append(rays)
        else:
            return []
    return found if all(found) else []


def read_half_line(ranges: Sequence[Range]) -> float | None:
    """Return the bound if the solution is all values on one side of it; else None."""
    if len(ranges) != 1 or len(ranges[0]) != 1 or isinstance(ranges[0][0].bound, str):
        return None
    return ranges[0][0].bound


def _list_ranges(plain: str) -> Iterator[Range]:
    for found in _INTERVAL.finditer(plain):
        yield _read_interval(found)


def _read_interval(found: re.Match[str]) -> Range:
    opening, low, high, closing = found.groups()
    rays = (
        _Ray(True, _read_bound(low), opening == "["),
        _Ray(False, _read_bound(high), closing == "]"),
    )
    return tuple(each for each in rays if each.bound not in (math.inf, -math.inf))


def _list_rays(plain: str) -> Iterator[_Ray]:
    for found in _BELOW_OR_ABOVE.finditer(plain):
        sign, bound = found.groups()
        yield _Ray(">" in sign, _read_bound(bound), "=" in sign)
    for found in _MIRRORED.finditer(plain):
        bound, sign = found.groups()
        yield _Ray("<" in sign, _read_bound(bound), "=" in sign)


def _read_bound(written: str) -> float | str:
    """Return a bound as a number, or squeezed as it is written."""
    bare = squeeze(written).replace(" ", "").replace(",", ".").rstrip(".")
    if "∞" in bare:
        return -math.inf if bare.startswith("-") else math.inf
    try:
        return float(Fraction(bare))
    except (ValueError, ZeroDivisionError):
        return bare


def split_set(solution: str) -> list[str]:
    """Return the elements of `{1 ; 2}`, `I(1 ; 2)`, `{(1 ; 2)}`, `x = 1 ou x = 2`; none for another
    form, or if one is neither a number nor written in numbers, roots and π."""
    bare = solution.strip().strip("$").replace("\\{", "{").replace("\\}", "}")
    bare = strip_point_name(re.sub(r"\{\s*(\([^(){}]*\))\s*\}", r"\1", bare))
    if found := re.fullmatch(r"(?:S\s*=\s*)?[{(]([^{}()\[\]]+)[)}]", bare):
        parts = re.split(r";|,(?=\s)", found[1])
    else:
        parts = re.split(r"\s(?:ou|et|or|and)\s|\s;\s", bare)
        if len(parts) < 2 or "[" in bare:
            return []
    parts = [part.strip() for part in parts]
    is_set = all(map(read_value, parts)) or (len(parts) > 1 and all(map(_is_formula, parts)))
    return parts if is_set else []


def strip_point_name(solution: str) -> str:
    """Return the coordinates of a named point or vector: `(1 ; 2)` of `I(1 ; 2)`."""
    return re.sub(
        r"^[\s$]*(?:\\(?:vec|overrightarrow) ?)?\{?[A-Za-z]{1,2}'?\}?\s?=?\s?(?=\()", "", solution
    )


def _is_formula(element: str) -> bool:
    return bool(re.fullmatch(r"[\d\s,.√π()/*+^-]+", Reading(element).plain))


class ElementSearch:
    """A search for elements of the set that is asked: one as a result, or all.

    Without an unknown in the statement, its own numbers are no results: `Les diviseurs de 12`.
    """

    def __init__(self, elements: Sequence[ValueSearch], statement: Reading) -> None:
        self._elements = elements
        self._given = frozenset[float]() if statement.has_letters else statement.values
        self._values = {each.value for each in elements}

    def find(self, reading: Reading) -> str | None:
        said = reading.known.values
        given: list[str] = []
        for element in self._elements:
            leak = element.find(reading)
            if leak is None:
                continue
            is_new = element.value not in said | self._given
            if is_new and next(element.list_results(reading), None):
                return leak
            given.append(leak)
        if len(given) == len(self._elements):
            return given[0]
        return self._find_all(reading) if len(self._elements) >= _ORDERED_FROM else None

    def _find_all(self, reading: Reading) -> str | None:
        """Return a paragraph that has all elements, and no other number but the statement's."""
        for paragraph in PARAGRAPH.finditer(reading.plain):
            if sum(map(str.isdigit, paragraph[0])) < len(self._elements):
                continue
            values = {each.value for each in list_literals(paragraph[0])}
            if self._values <= values <= self._values | self._given:
                return reading.cut(*paragraph.span())
        return None


class FactorSearch:
    """A search for factors whose roots are the elements and no others: `(x - 2)(x - 3)`, `x - 2 = 0
    ou x - 3 = 0`; for a single one, `x - 2 = 0`; or for both at once: `x = (5 ± 1)/2`. Those of the
    statement and the pupil are known."""

    def __init__(self, elements: Sequence[float], statement: Reading) -> None:
        self._roots = set(elements)
        self._given = _list_roots(statement.plain)

    def find(self, reading: Reading) -> str | None:
        known = self._given | _list_roots(reading.known.plain)
        is_solved = len(self._roots) > 1 or _EQUALS_ZERO.search(reading.plain)
        if self._roots <= known or not is_solved:
            return None
        for found in SENTENCE.finditer(reading.plain):
            if _list_roots(found[0]) == self._roots:
                return reading.cut(*found.span())
        pairs = _EITHER.finditer(reading.plain) if "±" in reading.plain else ()
        return next((found[0] for found in pairs if _list_pair(found) == self._roots), None)


def _list_roots(plain: str) -> set[float]:
    return {
        float(Fraction(number.replace(",", "."))) * (1 if sign == "-" else -1)
        for sign, number in _FACTOR.findall(plain)
        if not number.endswith("/0")
    }


_EITHER: Final = re.compile(
    r"(?<![\w.,])\(? ?(-?\d{1,4}) ?± ?(\d{1,4})(?![\d.,]*\d) ?\)?(?: ?[/÷] ?(\d{1,4})(?!\d))?"
)


def _list_pair(found: re.Match[str]) -> set[float]:
    """Return both values of `(6 ± 4)/2`; none for a division by zero."""
    centre, gap, below = (int(each or 1) for each in found.groups())
    return {(centre - gap) / below, (centre + gap) / below} if below else set()


class ListSearch:
    """A search for all elements of a set or couple, listed together and with no other."""

    def __init__(self, elements: Sequence[str], statement: Reading, *, is_couple: bool) -> None:
        literals = [read_value(each) for each in elements[:_MOST_ELEMENTS]]
        values = [literal.value for literal in literals if literal]
        written = [
            _spell_value(literal.value) if literal else _spell_formula(each)
            for literal, each in zip(literals, elements, strict=False)
        ]
        orders = [_JOINT.join(each) for each in _list_orders(values, written, is_couple)]
        listed = f"{_LIST_START}(?:{'|'.join(orders)})"
        if len(written) == 2 and not is_couple and (either := _spell_opposites(*written)):
            listed = rf"(?:{listed}|(?<![\w.,^*/+√-])(?:{either}))"
        self._pattern = re.compile(listed + _LIST_END)
        self._values = set(values)
        self._has_formulas = len(values) < len(literals)
        self._brackets = "()" if is_couple else "{}"
        self._statement = statement
        self._is_given = bool(self._pattern.search(statement.plain))

    def find(self, reading: Reading) -> str | None:
        for found in self._pattern.finditer(reading.plain):
            if squeeze(found[0]) not in reading.known.squeezed and self._gives_away(found, reading):
                return reading.cut(*found.span())
        return None

    def _gives_away(self, found: re.Match[str], reading: Reading) -> bool:
        """Return whether a list of the elements is said as the solution, or has a new value."""
        plain = reading.plain
        before, after = plain[max(0, found.start() - 60) : found.start()], plain[found.end() :][:60]
        opening, closing = self._brackets
        is_enclosed = before.rstrip().endswith(opening) and after.lstrip().startswith(closing)
        if _SAID.search(before) or (is_enclosed and not self._is_given):
            return True
        if _ALONE_AFTER.match(after) and _ALONE_BEFORE.search(before):
            return True
        if self._is_given or is_label_or_operand(before) or counts_noun(after):
            return False
        known = self._statement.values | reading.known.values
        return self._has_formulas or not self._values <= known


_WORDS: Final = re.compile(r"[^\W\d_](?:[^\W\d_]|['’ -]){2,40}")


class WordSetSearch:
    """A search for all words of a set, each by its name or formula, in what a text says and does
    not ask: `le glucose, et O₂`."""

    def __init__(self, words: Sequence[str], statement: Reading) -> None:
        bare = [ARTICLE.sub("", fold_letters(each)) for each in words]
        self._words = [
            _compile_names(each) for each in bare if each and each not in statement.folded
        ]

    def find(self, reading: Reading) -> str | None:
        """Return the first of the words; None: one is missing, or the pupil knows all of them."""
        if not self._words or all(each.search(reading.known.plain) for each in self._words):
            return None
        said = (each[0] for each in SENTENCE_WITH_END.finditer(reading.plain))
        stated = " ".join(each for each in said if not each.endswith("?"))
        found = [each.search(stated) for each in self._words]
        return found[0][0] if found[0] and all(found) else None


def split_words(solution: str) -> list[str]:
    """Return the words of `{glucose; dioxygène}`; none for another form."""
    bare = solution.strip().strip("{}")
    parts = [each.strip() for each in re.split(r"[;,]|\s(?:et|and)\s", bare)]
    is_list = len(parts) > 1 and all(map(_WORDS.fullmatch, parts))
    return parts if is_list else []


def _compile_names(word: str) -> re.Pattern[str]:
    """Compile a pattern for a word, its plural, and what else it is called."""
    names = [word, *sorted(list_translations(word))]
    written = "|".join(re.sub(r"(?<=[a-z])(\d)", r"_?\1", re.escape(each)) for each in names)
    return re.compile(rf"(?<![a-z\d])(?:{written})s?(?![a-z\d])")


def _list_orders(
    values: Sequence[float], written: Sequence[str], is_couple: bool
) -> list[tuple[str, ...]]:
    """Return the orders in which the elements may be listed."""
    if is_couple:
        return [tuple(written)]
    if len(written) < _ORDERED_FROM:
        return sorted(set(permutations(written)))
    if len(values) < len(written):
        return [tuple(written), tuple(reversed(written))]
    rising = [each for _, each in sorted(zip(values, written, strict=False))]
    return [tuple(written), tuple(rising), tuple(reversed(rising))]


def _spell_value(value: float) -> str:
    """Return a pattern for a value in its usual notations: decimal, fraction, the root of a square;
    1 also as a word."""
    sign, size = (r"-\s?" if value < 0 else ""), Fraction(abs(value)).limit_denominator(10_000)
    spellings = [rf"{size.numerator}\s?/\s?{size.denominator}"] if size.denominator > 1 else []
    whole, _, decimals = f"{abs(value):.6f}".rstrip("0").rstrip(".").partition(".")
    if decimals:
        spellings.append(rf"{whole}[.,]{decimals}0*")
    else:
        spellings += [rf"{whole}(?:[.]0*|,0+)?", rf"√\(?{int(whole) ** 2}\)?"]
    if value == 1:
        spellings.append("une?|one")
    return f"{sign}(?:{'|'.join(spellings)})"


def _spell_formula(element: str) -> str:
    """Return a pattern for an element that is no number, such as `√2`, whatever its spaces."""
    bare = re.sub(r"√\((\w+)\)", r"√\1", Reading(element).squeezed)
    spelled = r"\s?".join(map(re.escape, bare))
    return re.sub(r"√\\s\?(\w+)", r"√\\(?\1\\)?", spelled)


def _spell_opposites(one: str, other: str) -> str:
    """Return a pattern for `±2` or `2 et son opposé` if the elements are that; else nothing."""
    bare = [re.sub(r"^\\?-\\s\?", "", each) for each in (one, other)]
    either = (
        rf"(?:±|\+/-|plus (?:ou|or) -)\s?{bare[0]}|{bare[0]} (?:et son oppose|and its opposite)\b"
    )
    return either if bare[0] == bare[1] else ""
