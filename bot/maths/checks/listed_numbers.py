"""Check what answers say of numbers that are listed: median, mode, range and other statistics,
terms of sequences, divisibility, numbers between two others; and lists that a sentence counts: `de
10 en 10`, a table, even numbers, backwards.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial, reduce
from itertools import pairwise
from typing import Final

from bot.maths.checks.passages import Passage, write_number
from bot.maths.exact.algebra_questions import Check, Identity, Known, Pair, Statement, decide
from bot.maths.exact.arithmetic import Undecidable
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Solutions,
    apply,
    free_letters,
    has_operation,
    number,
    substitute,
    walk,
)
from bot.maths.reading.plain_words import find_step, read_value, read_values
from bot.maths.reading.prose import Sentence
from bot.maths.reading.vocabulary import NO_MORE_DIGITS, THEN
from bot.maths.reading.wording import Found, Wording, claim, plain, whole

_DECIMAL: Final = r"-?\d+(?:[.,]\d+)?"
_SEPARATOR: Final = r" ?(?:;|, |- |et|and|, et|, and|≤|<|/ ) ?"
_LIST: Final = re.compile(
    rf"(?<![\w.,/])(?P<list>{_DECIMAL}"
    rf"(?:(?: ?; ?|, | ?≤ ?| et | and | ?- (?=\d)){_DECIMAL}){{3,60}})"
    r"(?![\w/%=]|[.,]\d)"
)
_SPLIT: Final = re.compile(r" ?; ?|, | ?≤ ?| et | and | - ")
_STATISTIC: Final = (
    (r"mediane?", "median"), (r"modes?", "mode"), (r"etendue|range", "range"),
    (r"moyenne|mean|average", "mean"),
)  # fmt: skip
_NAMED: Final = re.compile(
    r"\b(?P<kind>mediane?|mode|etendue|range|moyenne|mean|average)\b"
    r"(?: (?:de (?:la |cette )?serie|des notes|de tes notes|of the (?:series|data|list)"
    r"|de (?:ces|ses|tes) (?:notes|valeurs|nombres)))?"
    rf"(?: {THEN})* ?(?:est|vaut|=|is|:|equals|fait)"
    r"(?: (?:donc )?(?:la|the) \d+ ?(?:e|eme|ᵉ|er|re|th|nd|rd|st)"
    r"(?: (?:valeur|note|nombre|terme|value|number|mark))?,?(?: (?:qui|which|soit|:|that))*)?"
    r"(?: (?:est|is|vaut))?"
    rf"(?: (?:{THEN}|egale?|a|de))* "
    rf"(?P<c>{_DECIMAL})(?! ?(?:e|eme|ieme|er|re|th|nd|rd|st|valeur|fois)\b|[\d.,]*\d)"
    r"(?! ?[×*+÷(^-] ?\d)"
    r"(?! ?(?:[,;]|et|ou|or|and) -?\d)"
)
_REPEATED: Final = re.compile(
    r"\b(?:(?<!meme )effectifs?|coefficients?|coef|pondere\w*|weight\w*|cumul\w*|classes?"
    r"|quartiles?|premiere"
    r"|deuxieme|nouvelle|ajout\w*|enlev\w*|remplac\w*|retir\w*|new|second|first|semaine|filles"
    r"|garcons|ecart\w*|si)\b"
)


def read_listed_numbers(passage: Passage) -> Iterator[Statement]:
    """Yield what an answer says of the numbers listed before."""
    answer = passage.write_answer()
    if re.search(r"\b(?:median|mode\b|etendue|range|moyenne|mean|average)", answer):
        yield from _read_statistics(passage)
    if re.search(r"\b(?:oui|non|yes|no|divisible)\b", answer) and re.search(
        r"\b(?:par|by) \d", answer
    ):
        yield from _read_divisibility(passage)
    if re.search(r"\b(?:entre|between)\b", answer):
        yield from _read_between(passage)
    if _ORDER.search(f"{passage.asked} . {answer}"):
        yield from _read_ordered(passage)
    if _FRIENDS.search(answer):
        yield from _read_pairs(passage)
    if _COUNTS.search(answer):
        yield from _read_uneven(passage)


# Series -------------------------------------------------------------------------------------------


def _list_series(text: str) -> list[list[Fraction]]:
    found: list[list[Fraction]] = []
    for match in _LIST.finditer(text):
        parts = [read_values(each.lstrip("-")) for each in _SPLIT.split(match["list"])]
        if all(len(each) == 1 for each in parts):
            signs = [-1 if each.startswith("-") else 1 for each in _SPLIT.split(match["list"])]
            found.append([sign * min(each) for sign, each in zip(signs, parts, strict=True)])
    return found


def _read_statistics(passage: Passage) -> Iterator[Statement]:
    """Read `On range : 4 ; 5 ; 7 ; 8 ; 12. … La médiane est donc 7`."""
    if _REPEATED.search(passage.asked) or passage.has_example:
        return
    series = _list_series(passage.asked)
    for line in passage.lines:
        if _REPEATED.search(line.text):
            return
        series += _list_series(line.text)
        found = _NAMED.search(line.text)
        kinds = {sorted(each) == sorted(series[0]) for each in series}
        if not found or not line.is_own or kinds != {True} or "=" in line.text[found.end() :]:
            continue
        kind = next(name for pattern, name in _STATISTIC if re.fullmatch(pattern, found["kind"]))
        expected = _compute(kind, series[0])
        sign = -1 if found["c"].startswith("-") else 1
        claimed = {sign * each for each in read_values(found["c"].lstrip("-"))}
        step = find_step(found["c"]) % 1
        is_right = not expected or any(
            abs(one - other) < step or one == other for one in expected for other in claimed
        )
        why = "" if is_right else f"it is {', '.join(map(write_number, expected))}"
        yield decide(found[0], why)


def _compute(kind: str, series: Sequence[Fraction]) -> list[Fraction]:
    """Return the values of a series that may be called so."""
    ordered = sorted(series)
    half = len(ordered) // 2
    if kind == "median":
        middle = ordered[half]
        return [middle if len(ordered) % 2 else (ordered[half - 1] + middle) / 2]
    if kind == "mode":
        counts = Counter(ordered)
        return [each for each, count in counts.items() if count == max(counts.values())]
    if kind == "range":
        return [ordered[-1] - ordered[0]]
    return [sum(ordered, Fraction(0)) / len(ordered)]


# Divisibility and order ---------------------------------------------------------------------------

_BY: Final = re.compile(
    r"(?:^|[-•*,;:.(] ?|\bdivisible )(?:divisible )?(?:par|by) (?P<d>\d{1,3})\b ?(?:[:→=,?(]|->)? ?"
    r"(?P<said>oui|non|yes|no)\b(?! (?:si|plus|seulement|if))"
)
_IT_IS: Final = re.compile(
    rf"\b(?:il|it|ce nombre) (?:est|is)(?: (?:{THEN}|aussi|also))* divisible"
    rf" (?:par|by) (?P<d>\d{{1,3}}){NO_MORE_DIGITS}(?! (?:et|and|,))"
)
_GENERAL: Final = re.compile(
    r"\b(?:si|s'il|if|quand|lorsqu\w*|when|un nombre|tout|a number|any|ne|pas|not)\b"
)
_OF_NUMBER: Final = re.compile(rf"(?<![\d.,])(\d{{1,3}}(?: \d{{3}})+|\d{{2,7}}){NO_MORE_DIGITS}")


def _read_divisibility(passage: Passage) -> Iterator[Statement]:
    """Read `Critères de divisibilité de 234`, `- par 5 : non`."""
    numbers = {each.replace(" ", "") for each in _OF_NUMBER.findall(passage.asked)}
    numbers -= set(re.findall(r"\b(?:par|by) (\d{2,3})\b", passage.asked))
    if not numbers:
        first = passage.lines[0].text if passage.lines else ""
        numbers = {each.replace(" ", "") for each in _OF_NUMBER.findall(first)}
    if len(numbers) != 1 or passage.has_example:
        return
    value = int(numbers.pop())
    for line in passage.lines:
        for found in _BY.finditer(line.text):
            divisor = int(found["d"])
            if divisor and line.is_own:
                is_right = (value % divisor == 0) == (found["said"] in ("oui", "yes"))
                yield decide(found[0], "" if is_right else f"the rest is {value % divisor}")
        others = {each.replace(" ", "") for each in _OF_NUMBER.findall(line.text)} - {str(value)}
        found = _IT_IS.search(line.text)
        if found and line.is_own and not others - {found["d"]} and not _GENERAL.search(line.text):
            rest = value % (int(found["d"]) or 1)
            yield decide(found[0], f"the rest is {rest}" if rest else "")


_BETWEEN: Final = re.compile(
    r"(?:^|[.,;:!?(] |\b(?:exemple|example|comme|nombres|numbers|donc|so|que|that) )"
    rf"(?P<list>{_DECIMAL}(?:{_SEPARATOR}{_DECIMAL}){{1,12}}) "
    rf"(?:est|sont|is|are|se trouve\w*|lies?)(?: (?:{THEN}|tous|toutes|all|both|aussi))*"
    r"(?: comprise?s?| situee?s?)? (?:entre|between) "
    rf"(?P<a>{_DECIMAL}) (?:et|and) (?P<b>{_DECIMAL})"
    r"(?! ?(?:[×*+/÷^]|-\d)|[\d.,]*\d)"
)


def _read_between(passage: Passage) -> Iterator[Statement]:
    """Read `7,25 ; 7,21 et 7,28 sont compris entre 7,2 et 7,3`."""
    for line in passage.lines:
        for found in _BETWEEN.finditer(line.text) if line.is_own else ():
            listed = re.findall(_DECIMAL, found["list"].replace(" - ", " "))
            values = [_read_signed(each) for each in (*listed, found["a"], found["b"])]
            known = [each for each in values if each is not None]
            if len(known) < len(values) or re.search(r"\b(?:ne|pas|not|n')", found[0]):
                continue
            *inner, low, high = known
            off = [each for each in inner if not min(low, high) <= each <= max(low, high)]
            why = f"{write_number(off[0])} is not between them" if off else ""
            yield decide(found[0], why)


def _read_signed(text: str) -> Fraction | None:
    """Return a number with its sign; None: it has an ambiguous mark."""
    value = read_value(text.lstrip("-"))
    return -value if value is not None and text.startswith("-") else value


# Counted lists ------------------------------------------------------------------------------------

_FRIENDS: Final = re.compile(
    r"\b(?:amis de|complements? a|paires? (?:de nombres )?(?:de|qui font)|nombres qui font"
    r"|bonds (?:to|of)"
    rf"|pairs? (?:of numbers )?(?:that )?(?:for|to|make|making)) (?P<n>\d{{1,4}}){NO_MORE_DIGITS}"
)
_PAIR: Final = re.compile(r"^\W*(?P<a>\d{1,4}) ?(?:et|and|\+|avec) ?(?P<b>\d{1,4})[\s.;,!]*$")


def _read_pairs(passage: Passage) -> Iterator[Statement]:
    """Read `Les amis de 10 : 1 et 9, 2 et 8`, which have one sum."""
    total = 0
    for line in passage.lines:
        if found := _FRIENDS.search(line.text):
            total = int(found["n"])
        pair = _PAIR.match(line.text)
        if pair and total and line.is_own:
            made = int(pair["a"]) + int(pair["b"])
            yield decide(line.text, "" if made == total else f"they make {made}")


_ORDER: Final = re.compile(
    r"\b(?:(?P<up>ordre croissant|ascending|increasing order|du plus petit au plus grand"
    r"|(?:from )?(?:the )?(?:smallest|least|lowest) to (?:the )?(?:largest|biggest|greatest"
    r"|highest))"
    r"|(?P<down>ordre decroissant|descending|decreasing order|du plus grand au plus petit"
    r"|(?:from )?(?:the )?(?:largest|biggest|greatest|highest) to (?:the )?(?:smallest|least"
    r"|lowest)))\b"
)


def _read_ordered(passage: Passage) -> Iterator[Statement]:
    """Read `Range du plus petit au plus grand : 12, 5, 18. … Voici l'ordre : 5, 12, 18`."""
    named = {
        bool(each["up"]) for each in _ORDER.finditer(f"{passage.asked} . {passage.write_answer()}")
    }
    given = _list_series(passage.asked)
    for line in passage.lines if len(named) == 1 else ():
        for terms in _list_series(line.text):
            is_again = any(sorted(each) == sorted(terms) for each in given)
            given.append(terms)
            if is_again and line.is_own:
                is_right = terms == sorted(terms, reverse=True not in named)
                yield decide(line.text, "" if is_right else "they are in another order")


_COUNTS: Final = re.compile(
    r"\b(?:compt(?:e|es|ons|er|ez|age)|count\w*|suite|sequence|bonds?|sauts?|saute\w*|pas de|skip"
    r"|rebours|envers|backwards?|de (?P<step>\d+) en (?P=step))\b"
)
_LEAST_TERMS: Final = 5
"""The fewest terms of a list in which one term off its step is seen without a stated step."""


def _read_uneven(passage: Passage) -> Iterator[Statement]:
    """Read `Comptons à l'envers : 10, 9, 8, 7, 5, 5, 4`, where one term is off the step of all the
    others."""
    for at, line in enumerate(passage.lines):
        around = [each.text for each in passage.lines[max(0, at - 1) : at + 2]]
        is_counted = any(map(_COUNTS.search, around)) and not any(map(_OTHER.search, around))
        for terms in _list_series(line.text) if is_counted and line.is_own else ():
            if len(terms) >= _LEAST_TERMS and (expected := _find_uneven(terms)) is not None:
                yield decide(line.text, f"{write_number(expected)} is missing")


def _find_uneven(terms: Sequence[Fraction]) -> Fraction | None:
    """Return the term that makes equal steps of a list in the place of another; None: its steps
    are equal, or more than one term is off."""
    steps = Counter(other - one for one, other in pairwise(terms))
    step, _ = steps.most_common(1)[0]
    starts = Counter(term - at * step for at, term in enumerate(terms))
    start, count = starts.most_common(1)[0]
    if not step or count != len(terms) - 1:
        return None
    return next(start + at * step for at, term in enumerate(terms) if term != start + at * step)


_RUN: Final = re.compile(r"#(?:(?: → #)+|(?: (?:,|;|puis|et|and|then|, puis|, et) #)+)")
"""A list; an arrow after commas leads to how many there are: `2, 4, 6 → 3 issues`."""
_WORDS: Final = {
    "ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6, "sevens": 7,
    "eights": 8, "nines": 9, "tens": 10, "twenties": 20, "hundreds": 100,
}  # fmt: skip
_CUE: Final = re.compile(
    r"\bde (?P<step>#) en #|\bby (?P<word>[a-z]+s)\b|\b(?P<back>(?:a |compte a )rebours)\b"
    r"|\btable (?:de |du |of )?(?P<table>#)(?! (?:,|et|and|→))"
    r"|\b(?:nombres|numbers|chiffres) (?P<parity>pairs|impairs)\b|\b(?P<english>even|odd) numbers\b"
)
_EACH_TIME: Final = re.compile(
    r"\b(?:descen|recul|avanc|mont|augment|ajout|add|saut|diminu|enlev)\w* (?:de )?#"
    r" (?:a chaque fois|chaque fois|each time|a chaque pas)"
)
_OTHER: Final = re.compile(
    r"\b(?:puis (?:on|tu|j|je|de)|then (?:you|we|by)|intrus|sauf|trou|manqu\w*|complet\w*|except"
    r"|entour\w*|soulign\w*|trouv\w*|cherch\w*|colori\w*|barr\w*|choisi\w*|parmi|coch\w*|circle"
    r"|find|which|quels?|among|classe|range|trie|sort|melang\w*|ordre)\b"
)
"""Words of an exercise, or of a list that changes its step."""
_FEWEST: Final = 3
"""The fewest terms of a list in which a step can be seen."""


def read_counting(wording: Wording, sentence: Sentence) -> Iterator[Statement]:
    """Yield the check of each list in a sentence that says how it counts."""
    cues = list(_CUE.finditer(wording.text))
    is_stated = len(cues) == 1 and "?" not in sentence.text and not _OTHER.search(wording.text)
    if not is_stated:
        return
    taken = cues[0].end() if cues[0].lastgroup in ("step", "table") else 0
    for match in _RUN.finditer(wording.text, taken):
        first, last = wording.find_values(*match.span())
        terms = _read_terms(wording, first, last)
        if len(terms) < _FEWEST:
            continue
        why = _find_fault(terms, cues[0], wording)
        if why is not None:
            start, end = wording.places[first][0], wording.places[last - 1][1]
            yield decide(sentence.source[start:end], why)


def _read_terms(wording: Wording, first: int, last: int) -> list[Fraction]:
    """Return the terms of a list; empty: one is computed, or has no value."""
    found: list[Fraction] = []
    for value in wording.values[first:last]:
        if isinstance(value, Solutions) or has_operation(value):
            return []
        try:
            found.append(plain(value))
        except Undecidable:
            return []
    return found


def _find_fault(terms: Sequence[Fraction], cue: re.Match[str], wording: Wording) -> str | None:
    """Return what is wrong with a list; empty: nothing; None: the sentence does not tell."""
    steps = [other - one for one, other in pairwise(terms)]
    parity = cue["parity"] or cue["english"]
    if parity:
        rest = int(parity in ("impairs", "odd"))
        odd = [each for each in terms if each % 2 != rest]
        return f"{odd[0]} is not {parity}" if odd else ""
    step = _read_step(cue, wording)
    if step is None or not step:
        return None
    if cue["table"] and terms[0] % step:
        return f"{terms[0]} is no multiple of {step}"
    direction = -step if steps[0] < 0 else step
    wrong = next((at for at, each in enumerate(steps) if each != direction), None)
    return "" if wrong is None else f"after {terms[wrong]} comes {terms[wrong] + direction}"


def _read_step(cue: re.Match[str], wording: Wording) -> Fraction | None:
    if cue["word"]:
        return Fraction(_WORDS[cue["word"]]) if cue["word"] in _WORDS else None
    if cue["back"]:
        return (
            None if not (found := _EACH_TIME.search(wording.text)) else _get(wording, found.start())
        )
    group = "step" if cue["step"] else "table"
    return _get(wording, cue.start(group))


def _get(wording: Wording, start: int) -> Fraction | None:
    """Return the first number from a place of the text on."""
    at = wording.find_values(start, len(wording.text))[0]
    terms = _read_terms(wording, at, at + 1)
    return abs(terms[0]) if terms else None


def _check_statistic(found: Found) -> list[Check]:
    values, claimed = found.list_values("list"), found.name_values()["c"]
    products = (node for node in walk(claimed) if isinstance(node, Apply) and node.op == "*")
    if found.has("coef|ponder|weight") or any(products):
        return []
    if found["kind"] in ("moyenne", "mean", "average", "somme", "sum", "total"):
        total = reduce(partial(apply, "+"), values)
        is_mean = found["kind"] in ("moyenne", "mean", "average")
        return [claim(apply("/", total, number(len(values))) if is_mean else total, claimed)]
    numbers = [plain(each) for each in values]
    if found["kind"] == "mode":
        return [claim(number(each), claimed) for each in statistics.multimode(numbers)[:1]]
    if found["kind"].startswith(("variance", "ecart", "standard")):
        return _check_spread(numbers, claimed, is_variance=found["kind"] == "variance")
    is_median = found["kind"].startswith("med")
    expected = statistics.median(numbers) if is_median else max(numbers) - min(numbers)
    return [claim(number(Fraction(expected)), number(plain(claimed)))]


def _check_spread(numbers: Sequence[Fraction], claimed: Expr, *, is_variance: bool) -> list[Check]:
    """Check a variance or a standard deviation, which may be that of a sample."""
    variance = statistics.pvariance(numbers)
    of_sample = variance * len(numbers) / (len(numbers) - 1)
    squared = plain(claimed) ** (1 if is_variance else 2)
    if abs(squared - of_sample) <= of_sample / 50:
        return [Known("right")]
    expected = number(variance)
    return [claim(expected if is_variance else apply("sqrt", expected), claimed)]


def _check_nth(found: Found) -> list[Check]:
    """Read `The 5th term of 3, 7, 11, … is 19`, `the next two of 3, 6, 12 are 24 and 48`."""
    terms = [plain(each) for each in found.list_values("list")]
    claimed = [plain(each) for each in found.list_values()][len(terms) :]
    first = int(found["rank"] or len(terms) + 1)
    steps = {other - one for one, other in pairwise(terms)}
    factors = {other / one for one, other in pairwise(terms)}
    if len(terms) < 3 or first > 60 or min(len(steps), len(factors)) > 1:
        return []
    step = steps.pop() if len(steps) == 1 else None
    factor = factors.pop()
    nths = (
        terms[0] + at * step if step is not None else terms[0] * factor**at
        for at in range(first - 1, first - 1 + len(claimed))
    )
    return [Pair(number(one), "=", number(each)) for one, each in zip(nths, claimed, strict=True)]


def _check_progression(found: Found) -> list[Check]:
    *terms, claimed = map(plain, found.list_values())
    are_even = len({other - one for one, other in pairwise(terms)}) == 1
    is_geometric = found["kind"].startswith("geom") or not (found["kind"] or are_even)
    steps = {other / one if is_geometric else other - one for one, other in pairwise(terms)}
    return [Pair(number(steps.pop()), "=", number(claimed))] if len(steps) == 1 else []


def _check_partial_sum(found: Found) -> list[Check] | None:
    """Read `La somme des 10 premiers termes de la suite 1, 3, 5, … est 100`."""
    terms, count = (
        [plain(each) for each in found.list_values("list")],
        whole(found.name_values()["n"]),
    )
    steps = {other - one for one, other in pairwise(terms)}
    if len(terms) < 3 or len(steps) != 1 or not 0 < count < 10_000:
        return None
    total = count * (2 * terms[0] + (count - 1) * steps.pop()) / 2
    return [Pair(number(total), "=", found.name_values()["c"])]


def _check_term(found: Found) -> list[Check] | None:
    """Read `La suite géométrique de premier terme 3 et de raison 2 a pour 4e terme 24`."""
    first, step = (plain(found.name_values()[name]) for name in "ar")
    steps = int(found["rank"]) - 1
    if not 0 <= steps < _MOST_STEPS:
        return None
    value = first * step**steps if found["kind"] == "geom" else first + step * steps
    return [Pair(number(value), "=", found.name_values()["c"])]


def _check_terms(found: Found) -> list[Check]:
    """Read `La suite géométrique de premier terme 3 et de raison 2 commence par 3, 6, 12, 24`."""
    named, listed = found.name_values(), found.list_values("list")
    sign = "*" if found["kind"] == "geom" else "+"
    following = (apply(sign, each, named["r"]) for each in listed[:-1])
    expected = (named["a"], *following)
    return [Pair(one, "=", other) for one, other in zip(expected, listed, strict=True)]


def _check_term_ratio(found: Found) -> list[Check]:
    """Read `u_n = 7 - 2n est une suite arithmétique de raison -2`."""
    named, place = found.name_values(), Letter("n")
    term = named["e"]
    if free_letters(term) != {"n"} or free_letters(named["c"]):
        return []
    following = substitute(term, {"n": apply("+", place, number(1))})
    sign = "*" if found["kind"] == "geom" else "+"
    return [Identity(following, apply(sign, term, named["c"]), "claimed")]


def _check_nth_term(found: Found) -> list[Check]:
    """Read `u_3 = 11 et r = 4, donc u_5 = 19`; the ratio of a geometric sequence is called q."""
    named, steps = found.name_values(), number(int(found["last"]) - int(found["first"]))
    if found["step"] == "r":
        return [claim(apply("+", named["a"], apply("*", steps, named["r"])), named["c"])]
    return [claim(apply("*", named["a"], apply("^", named["r"], steps)), named["c"])]


def _check_constant_step(found: Found) -> list[Check]:
    """Read `u_{n+1} - u_n = 2n + 3 - (2n + 1) = 2. La raison est 2`."""
    named = found.name_values()
    steps, shown = named["steps"], named["a"]
    are_terms = isinstance(steps, Apply) and steps.op in ("-", "/")
    names = sorted(free_letters(steps))
    is_step = are_terms and len(names) == 2 and all("_n" in each for each in names)
    return [claim(shown, named["r"])] if is_step and not free_letters(shown) else []


def _check_progresses(found: Found) -> list[Check] | None:
    """Read `La suite 5, 10, 20, 40 est géométrique`, `u_n = 2 × 3^n est géométrique`."""
    terms = [plain(each) for each in found.list_values("list")] if found["list"] else []
    if formula := found.name_values().get("term"):
        if free_letters(formula) != {"n"}:
            return None
        terms = [plain(substitute(formula, {"n": number(rank)})) for rank in range(1, 5)]
    if len(terms) < 3 or 0 in terms:
        return None
    is_geometric = found["kind"] == "geom"
    steps = {other / one if is_geometric else other - one for one, other in pairwise(terms)}
    return [Known("right" if len(steps) == 1 else "wrong", "its steps differ")]


def _check_step_sign(found: Found) -> list[Check]:
    """Read `u_{n+1} - u_n = 3 > 0, donc la suite est croissante`."""
    named = found.name_values()
    steps, names = named["steps"], sorted(free_letters(named["steps"]))
    if not isinstance(steps, Apply) or steps.op != "-" or len(names) != 2:
        return []
    if names[1] != names[0].replace("_n", "_n+1") or plain(named["z"]):
        return []
    is_up = (found["sign"] == ">") == (steps.args[0] == Letter(names[1]))
    is_right = is_up != found["is"].startswith("de")
    return [Known("right" if is_right else "wrong", "its terms go the other way")]


_MOST_STEPS: Final = 100


SERIES_CHECKS: Final[dict[str, Callable[[Found], Sequence[Check] | None]]] = {
    "statistic": _check_statistic, "nth": _check_nth, "progression": _check_progression,
    "partial_sum": _check_partial_sum, "term": _check_term,
    "terms": _check_terms, "term_ratio": _check_term_ratio,
    "nth_term": _check_nth_term, "constant_step": _check_constant_step,
    "step_sign": _check_step_sign, "progresses": _check_progresses,
}  # fmt: skip
"""Checks by their names in `claims.txt`."""
