"""Check conclusions that give another value than the line that names and computes the same thing.

`7 cahiers : 350 × 7 = 2 450 F … Donc 7 cahiers coûtent 2 550 F`, `Il reste : 5 000 − 1 700 = 3 300
F … il lui reste 1 700 F`, `m = 200 … une mangue coûte 150 F`, `158 = 22 × 7 + 4 … le reste est 22`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from bot.maths.checks.passages import Line, Passage, write_number
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.reading.plain_words import read_value, read_values
from bot.maths.reading.vocabulary import CLAUSE_END, DIGITS, NO_MORE_DIGITS, THEN

_SUPPOSED: Final = re.compile(
    r"[?]|\b(?:si|if|avec|with|aurait|serait|would|could|pourrait|environ|about|presque"
    r"|encore|sans|without|apres|after|avant|before|chaque|each|chacun\w*|par|per"
    r"|plus|moins|more|less|deja|already|autres?|other|maintenant|now|ensuite|then)\b"
)
"""Words with which a value may be that of another thing."""


def read_labelled_results(passage: Passage) -> Iterator[Statement]:
    """Yield the conclusions of an answer whose value a labelled line gives before."""
    lines = [line for line in passage.lines if line.text]
    yield from _read_counted(lines)
    yield from _read_kinds(lines)
    yield from _read_divisions(passage, lines)
    yield from _read_letters(lines)
    yield from _read_expressed(lines)
    yield from _read_summed(passage, lines)
    yield from _read_unordered(lines)


class _Result(NamedTuple):
    value: Fraction
    unit: str
    line: int
    section: int
    words: frozenset[str] = frozenset()


_UNIT: Final = r"(?: ?(?P<u>fcfa|f cfa|[a-z€$]+))?"
_ENDS: Final = rf"= ?(?P<n>{DIGITS}){_UNIT}[\s.;!]*$"
_MONEY: Final = frozenset(("f", "fcfa", "f cfa", "francs", "franc"))


def _name_unit(unit: str | None) -> str:
    unit = unit or ""
    return "f" if unit in _MONEY else unit.rstrip("s")


# `7 cahiers : 350 × 7 = 2 450 F` ------------------------------------------------------------------

_COUNTED: Final = re.compile(
    rf"^\W*(?:(?:pour|for|prix de|price of|cost of|cout de) )?(?P<label>\d{{1,3}} [a-z]{{3,}})"
    rf" ?(?::|->|→|=)(?P<c>[^=:?]*[×÷*/][^=:?]*){_ENDS}"
)
_RESTATED: Final = re.compile(
    rf"^\W*(?:(?:{THEN}|finalement|finally),? )?(?:(?:pour|for) )?"
    r"(?P<label>\d{1,3} [a-z]{3,}),? "
    r"(?:coutent|valent|pesent|font|mesurent|cost|weigh|measure|il faut|on (?:paie|a besoin de)"
    rf"|we need|you need|you pay)(?: {THEN})* "
    rf"(?P<n>{DIGITS}){_UNIT}(?: (?:de |d'|of )(?P<of>[a-z]+))?[\s.;!]*$"
)
_REST: Final = re.compile(r"\b(?:rest\w*|left|remain\w*|monnaie|change|rend\w*|manqu\w*)\b")
_CHANGED: Final = re.compile(
    r"\b(?:remis\w*|reduc\w*|rabais|promo\w*|tva|tax\w*|taux|transport|livraison|discount|deliver\w*"
    r"|solde\w*|hausse|baisse|augment\w*|diminu\w*|marchand\w*|offert\w*|gratuit\w*|free)\b|%"
)


def _read_counted(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read a number of things whose price or mass was computed."""
    known: dict[str, list[_Result]] = {}
    for at, line in enumerate(lines):
        if line.is_own and (said := _RESTATED.search(line.text)):
            named = [each for each in known.get(said["label"], []) if each.section == line.section]
            if len(named) == 1:
                yield from _judge_counted(said, named[0], lines[:at])
        if line.is_own and (found := _COUNTED.search(line.text)):
            value = read_value(found["n"])
            if value is not None:
                result = _Result(value, _name_unit(found["u"]), at, line.section)
                known.setdefault(found["label"], []).append(result)


def _judge_counted(
    said: re.Match[str], result: _Result, before: Sequence[Line]
) -> Iterator[Statement]:
    """Yield the check of a value against its labelled line; nothing if a later line changes it."""
    value = read_value(said["n"])
    if value is None or _name_unit(said["u"]) != result.unit:
        return
    others = [each for at, each in enumerate(before) if "=" in each.text and at != result.line]
    if said["of"] and any(said["of"] in each.text for each in others):
        return  # `75 × 6 = 450 g` of rice, and `30 × 6 = 180 g` of sugar
    later = [each.text for each in before[result.line + 1 :]]
    is_changed = any(_CHANGED.search(text) for text in later)
    is_computed = any(
        value in read_values(found["n"]) and not _REST.search(text)
        for text in later
        if (found := re.search(_ENDS, text))
    )
    if value == result.value:
        yield decide(said[0], "")
    elif not is_changed and not is_computed:
        yield decide(said[0], f"it was {write_number(result.value)}")


# What is left, spent or gained --------------------------------------------------------------------

_KINDS: Final = {
    "left": r"(?:reste\w*|restants?|left|remain\w*|keeps?|garde|conserve)",
    "spent": r"(?:depens\w*|spent|spends?|total costs?|cout total|prix total)",
    "gained": r"(?:benefices?|profits?)",
    "returned": r"(?:rend|rendra|rendre|rendu|gives? back|monnaie|change)",
}
_LABELS: Final = {
    kind: re.compile(
        rf"^\W*(?:[a-z' ]{{0,30}}\b)?{words}\b[a-z' ]{{0,30}}(?: ?[:=]|est|is) ?"
        rf"(?P<c>[\d][^=:?]*[-+×*][^=:?]*){_ENDS}"
    )
    for kind, words in _KINDS.items()
}
_CLAIMS: Final = {
    kind: re.compile(
        rf"\b{words}(?: (?:{THEN}|est|is|de|d'|a|of|back|left|total\w*|en tout))*"
        rf" (?P<n>{DIGITS}){_UNIT}{CLAUSE_END}"
    )
    for kind, words in _KINDS.items()
}
_CONCLUDES: Final = re.compile(
    r"\b(?:donc|so|ainsi|finalement|therefore|finally|reponse|answer|conclusion|alors)\b"
)
_SUBJECT: Final = re.compile(r"[a-z]{3,}")
"""A word that may name whose value it is: `Moussa : 1 950 F … Moussa a donc dépensé 1 950 F`."""


def _read_kinds(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read what is left, spent, gained or given back, after the lines that compute it."""
    known: dict[str, list[_Result]] = {}
    results: list[_Result] = []
    for at, line in enumerate(lines):
        if not line.is_own or "=" in line.text:
            for kind, pattern in _LABELS.items():
                found = pattern.search(line.text)
                value = read_value(found["n"]) if found and line.is_own else None
                if found and value is not None:
                    words = frozenset(_SUBJECT.findall(line.text))
                    result = _Result(value, _name_unit(found["u"]), at, line.section, words)
                    known.setdefault(kind, []).append(result)
            if found := re.search(_ENDS, line.text):
                values = read_values(found["n"])
                words = frozenset(_SUBJECT.findall(line.text))
                unit = _name_unit(found["u"])
                results.append(_Result(min(values), unit, at, line.section, words))
            continue
        if _CONCLUDES.search(line.text) and not _SUPPOSED.search(line.text):
            yield from _judge_kinds(line, known, results)


def _judge_kinds(
    line: Line, known: dict[str, list[_Result]], results: Sequence[_Result]
) -> Iterator[Statement]:
    """Yield the check of each claim whose kind one line computes; another value is wrong if it is
    the result of another line."""
    computed = [each for one in known.values() for each in one]
    for kind, pattern in _CLAIMS.items():
        said = list(pattern.finditer(line.text))
        named = [each for each in known.get(kind, []) if each.section == line.section]
        if len(said) != 1 or len(named) != 1:
            continue
        (claim,), (result,) = said, named
        value = read_value(claim["n"])
        if value is None or _name_unit(claim["u"]) != result.unit:
            continue
        if value == result.value:
            yield decide(claim[0], "")
            continue
        others = [
            each
            for each in (*(one for one in results if one.line < result.line), *computed)
            if each.value == value and each.unit == result.unit
        ]
        is_last = result.line >= max(each.line for each in results) - 1
        subject = set(_SUBJECT.findall(line.text[: claim.start()]))
        if others and is_last and not any(subject & each.words for each in others):
            yield decide(claim[0], f"it was {write_number(result.value)}")


# Quotient and remainder ---------------------------------------------------------------------------

_DIVIDED: Final = re.compile(
    rf"(?<![\w.,÷/])(?<![÷/×+*=-] )(?<!par )(?<!by )(?P<n>{DIGITS})"
    r" (?:÷|:|divise par|divided by) (?P<d>\d{1,6})"
    rf"{NO_MORE_DIGITS}"
    rf"|\bdivi\w+ (?:posee |euclidienne )?(?:de |of )?(?P<m>{DIGITS}) (?:par|by) (?P<e>\d{{1,6}})\b"
)
_EUCLID: Final = re.compile(
    rf"(?<![\w.,+×*/÷-])(?<![+×*/÷-] )(?:(?P<n>{DIGITS}) ?= ?)?\(?(?P<d>\d{{1,6}}) ?[×*]"
    rf" ?(?P<q>\d{{1,6}})\)? ?\+ ?(?P<r>\d{{1,6}}){NO_MORE_DIGITS}(?: = (?P<m>{DIGITS}))?"
    r"(?! ?[×*÷+-])"
)
"""`1 475 = 46 × 32 + 3` or `46 × 32 + 3 = 1 475`."""
_QUOTIENT: Final = re.compile(
    rf"\bquotient\b(?: (?:{THEN}|est|is|vaut|entier|=|:|de))* (?P<q>{DIGITS})\b[^.;\d]{{0,25}}"
    rf"\b(?:reste|remainder)\b(?: (?:{THEN}|est|is|vaut|=|:|de))* (?P<r>{DIGITS}){NO_MORE_DIGITS}"
)


def _read_divisions(passage: Passage, lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `le quotient est 22 et le reste est 4` after the division of which they are."""
    text = "\n".join((passage.asked, *(line.text for line in lines)))
    divided = {
        (number, int(found["d"] or found["e"]))
        for found in _DIVIDED.finditer(text)
        for number in read_values(found["n"] or found["m"])
    }
    divisors = {
        (number, int(found[group]))
        for found in _EUCLID.finditer(text)
        for number in read_values(found["n"] or found["m"] or "")
        for group in ("d", "q")
    }
    for line in lines:
        said = _QUOTIENT.search(line.text)
        quotient = read_value(said["q"]) if said else None
        rest = read_value(said["r"]) if said else None
        if said is None or quotient is None or rest is None or not line.is_own:
            continue
        known = divided | divisors
        if any(_divides(each, quotient, rest) for each in known):
            yield decide(said[0], "")
        elif (
            any(_divides(each, rest, quotient) for each in known)
            or (len(divided) == 1 and not divisors)
            or len({number for number, _ in divisors}) == 1
        ):
            yield decide(said[0], "no division of the text gives these")


def _divides(division: tuple[Fraction, int], quotient: Fraction, rest: Fraction) -> bool:
    number, divisor = division
    return number == divisor * quotient + rest and 0 <= rest < divisor


# Letters for prices -------------------------------------------------------------------------------

_MEANING: Final = re.compile(
    r"\b(?P<letter>[a-z]) ?(?:,|:|=|est|is|be|represente|denote)? ?(?:le |la |the )?"
    r"(?:prix|price|cost|celui|that|masse|mass)"
    r" (?:(?:d'une?|of (?:one|an?)|de la|du|de l'|de|of) ?)?(?P<noun>[a-z]{3,})\b"
)
_BOUND: Final = re.compile(
    rf"(?<![\d)×+*/^-] )(?<![\w)×+*/^.,-])(?P<letter>[a-z]) ?= ?(?:[^=a-z]*= ?)?(?P<n>{DIGITS})"
    rf"(?: f)?{CLAUSE_END}"
)
_COSTS: Final = r"(?: (?:coute|costs?|vaut|pese|weighs|a|est|is|:|=))* "


def _read_letters(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `Une mangue coûte 200 F` after `m le prix d'une mangue` and `m = 200`."""
    nouns: dict[str, str] = {}
    values: dict[str, set[Fraction]] = {}
    for line in lines:
        if re.search(r"\b(?:soit|soient|let|on note|notons|appelons|on appelle|call)\b", line.text):
            nouns |= {found["letter"]: found["noun"] for found in _MEANING.finditer(line.text)}
        if not nouns or not line.is_own:
            continue
        for found in _BOUND.finditer(line.text):
            value = read_value(found["n"])
            if value is not None and found["letter"] in nouns:
                values.setdefault(found["letter"], set()).add(value)
        if "=" not in line.text and not _SUPPOSED.search(line.text):
            for letter, noun in nouns.items():
                yield from _judge_letter(line.text, noun, values.get(letter, set()))


def _judge_letter(text: str, noun: str, values: set[Fraction]) -> Iterator[Statement]:
    said = re.search(
        rf"\b(?:une?|la|le|the|a|an|l'|one) ?{noun}{_COSTS}(?P<n>{DIGITS})"
        rf"(?: (?:f|fcfa|francs?|k?g|euros?|€))?{CLAUSE_END}",
        text,
    )
    value = read_value(said["n"]) if said else None
    if said and value is not None and len(values) == 1:
        (known,) = values
        yield decide(said[0], "" if value == known else f"it was {write_number(known)}")


_EXPRESSED: Final = re.compile(
    r"\b(?P<who>[a-z]{3,}) (?P<verb>a|coute|mesure|pese|recoit|has|is|costs|gets)"
    r" (?P<k>\d{1,3})? ?(?P<letter>[b-z])(?: ?(?P<sign>[-+]) ?(?P<n>\d{1,6}))?"
    r" (?P<u>ans|f|fcfa|francs|k?g|c?m|years old|years|cedis|naira)\b"
)


_OTHER_TIME: Final = re.compile(r"\b(?:dans|in|il y a|ago|hier|demain|tomorrow|yesterday)\b")


def _read_expressed(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `Awa a 11 ans` after `Awa a x + 3 ans` and `x = 9`."""
    values: dict[str, set[Fraction]] = {}
    expressed: dict[str, re.Match[str]] = {}
    for line in lines:
        expressed |= {found["who"]: found for found in _EXPRESSED.finditer(line.text)}
        for found in _BOUND.finditer(line.text):
            values.setdefault(found["letter"], set()).update(read_values(found["n"]))
        for who, form in expressed.items():
            said = re.search(
                rf"\b{who} {form['verb']}(?: {THEN})* (?P<n>{DIGITS}) {form['u']}"
                rf"{CLAUSE_END}",
                line.text,
            )
            known = values.get(form["letter"], set())
            is_now = not (_SUPPOSED.search(line.text) or _OTHER_TIME.search(line.text))
            if said and line.is_own and len(known) == 1 and is_now:
                expected = min(known) * int(form["k"] or 1) + int(
                    f"{form['sign'] or '+'}{form['n'] or 0}"
                )
                is_right = expected in read_values(said["n"])
                yield decide(said[0], "" if is_right else f"it is {write_number(expected)}")


# Numbers with a known sum -------------------------------------------------------------------------

_COUNTS: Final = {
    "deux": 2, "two": 2, "2": 2, "trois": 3, "three": 3, "3": 3, "quatre": 4, "four": 4, "4": 4,
    "cinq": 5, "five": 5, "5": 5,
}  # fmt: skip
_SUM: Final = re.compile(
    rf"\b(?:somme|sum) (?:de|of) (?P<k>{'|'.join(_COUNTS)}) "
    r"(?:(?:nombres?|entiers?|numbers?|integers?|whole|naturels?|natural|consecuti\w+|pairs|impairs"
    r"|even|odd|positi\w+|differents?) )+"
    rf"(?:est|is|vaut|egale?(?: a)?|=|fait)(?: (?:de|egale? a))? (?P<s>{DIGITS}){NO_MORE_DIGITS}"
)
_ARE: Final = re.compile(
    r"\b(?:nombres?|numbers|entiers|integers)(?: (?:cherches|consecutifs|pairs|impairs|demandes"
    r"|donc|alors|then))*"
    rf" (?:sont|are)(?: (?:{THEN}|:))* "
    rf"(?P<list>{DIGITS}(?:(?:[,;] |,? (?:et|and) ){DIGITS})+)(?![.,]?\d|[a-z])"
)


def _read_summed(passage: Passage, lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `Les nombres sont 23, 24 et 25` of which the sum is stated."""
    text = "\n".join((passage.asked, *(line.text for line in lines)))
    stated = {(found["k"], found["s"]) for found in _SUM.finditer(text)}
    if len(stated) != 1:
        return
    ((count, total),) = stated
    for line in lines:
        said = _ARE.search(line.text)
        if said is None or not line.is_own:
            continue
        shown = re.findall(r"\d+", said["list"])
        expected = read_value(total)
        if len(shown) != _COUNTS[count] or expected is None:
            continue
        is_right = sum(map(int, shown)) == expected
        yield decide(said[0], "" if is_right else f"their sum is {sum(map(int, shown))}")


# Choices without order ----------------------------------------------------------------------------

_UNORDERED: Final = re.compile(
    r"\bl'ordre (?:ne compte|n'a|n'intervient) pas|\border (?:does not|doesn't) (?:matter|count)"
    r"|\bcombinaisons?\b|\bcombinations?\b"
)
_IF_ORDERED: Final = re.compile(
    r"^\W*(?:si|if)\b.*\b(?:comptait|avait|importait|etaient|intervenait|mattered|were|counted)\b"
)
_CHOICES: Final = re.compile(
    r"\b(?:il y a(?: donc)?|there are|on a(?: donc)?|donc)(?: (?:ici|here))? "
    rf"(?P<n>{DIGITS}) (?:choix|choices|facons|ways|possibilit\w+|groupes|equipes|teams)"
)
_BINOMIAL: Final = re.compile(rf"(?:\\d?t?binom|\bc ?\(|\bc_).*= ?(?P<n>{DIGITS})(?![\d.,/])")


def _read_unordered(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `L'ordre ne compte pas … Si l'ordre comptait : 720 … Il y a donc 720 choix`."""
    is_unordered, counted, other = False, None, None
    is_case = False
    for line in lines:
        is_unordered |= bool(_UNORDERED.search(line.text))
        if found := list(_BINOMIAL.finditer(line.text)):
            counted = read_value(found[-1]["n"])
        elif is_case or _IF_ORDERED.search(line.text):
            is_case = True
            if last := re.search(rf"= ?(?P<n>{DIGITS})[^=\d]*$", line.text):
                other, is_case = read_value(last["n"]), False
        said = _CHOICES.search(line.text)
        if said is None or not is_unordered or _IF_ORDERED.search(line.text):
            continue
        if counted is None or other is None:
            continue
        value = read_value(said["n"])
        if value in (counted, other) and counted != other and line.is_own:
            yield decide(said[0], "" if value == counted else "this counts with order")
