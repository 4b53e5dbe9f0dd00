"""Check results that a story tells without a computation: `60 places, 47 passagers : il reste 23`.

A result is wrong if no computation with the numbers of the story gives it. Stories with numbers
that go without saying (a circle, a percentage) are left alone, unless a word names the number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from bot.maths.checks.passages import Passage
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.questions.question_measures import ARTICLES, list_measures, read_measured_question
from bot.maths.reading.plain_words import read_values
from bot.maths.reading.vocabulary import NUMBER, THEN

_AMOUNT: Final = re.compile(
    rf"(?<![\w.,/-])(?P<n>{NUMBER})(?![\w.,]*\d)"
    r"(?: ?(?P<u>fcfa|f cfa|[a-z€$]+)(?!\d))?"
)
_CONCLUDES: Final = re.compile(
    r"\b(?:donc|soit|(?:ca|cela) fait|en tout|au total|ensemble|benefice|perte|cagnotte"
    r"|il (?:(?:lui|te|me|nous|vous|leur|m') ?)?(?:en )?reste|altogether|in all|in total|left"
    r"|on (?:te|lui|me|nous|vous|leur) rend(?:ra)?"
    r"|profit|so)\b|: (?:il|elle|on|ils|elles|tu|nous|chacun|he|she|it|they|we|you) "
)
_ENDS: Final = re.compile(r" (?:left|en tout|au total|in all|altogether|in total)\b")
_TELLS: Final = re.compile(
    r"\b(?:depense(?! d[ue]\b)|gagne|economise|rend|recoit|contien(?:t|nent)|pese(?:nt)?"
    r"|coute(?:nt)?|pa[iy]e(?! avec)"
    r"|gets?|costs?|weighs?|pays?(?! with)|spends?|earns?|saves?)\b"
    r"|, (?:(?:il|elle|on|tu|nous) (?:a|as|avons)|(?:ils|elles) ont|(?:he|she|it) has|they have)\b"
)
"""Verbs that tell a result if the sentence before gives a number of the same unit."""
_HIDDEN: Final = (
    r"\bpour cent|\b(?:remise|solde|rabais|reduction|taux|interet"
    r"|tva|percent|augment\w+|baiss\w+|diminu\w+|discount|carre|cube|rectang\w+|triang\w+|cercle"
    r"|disque|rayon|diametre|angle|aire|perimetre|volume|tour|cote|echelle|moyenne|environ|presque"
    r"|about|almost|puissance|consecuti\w+|premier|multiple|diviseur|intervalle|piquets?|poteaux"
    r"|arbres?|age|ages|fraction|fois|times|egal\w*|vaut|valent|moins de|plus de|au moins|au plus"
    r"|identi\w+|possible|at least|between|entre|si|if|imagin\w+|suppos\w+|exemple|example"
    r"|retourne|aller|vitesse|speed|niveau|rang|numero|page|exercices?|questions?|points?"
    r"|mol|moles?|rapport|ratio|proportion\w*|parts|\d \w+ pour \d|pour (?:un|une|\d)"
    r"|\w+iemes?|fifths?|sixths?|eighths?|tenths?"
    r"|grillag\w+|clotur\w+|entour\w+|barriere|barbele\w*|bordure|fenc\w+|surround\w*|autour)\b"
)
_UNSAID: Final = re.compile(
    rf"[=×÷+*/%°√π≈²³₂]|\d ?[x:] ?\d|(?:^|[\s(])-\d|{_HIDDEN}"
    r"|\b(?:autres?|others?|encore|deja|already)\b"
)
"""Signs of a computation, which others check, negative numbers, and words of numbers that are not
written."""
_ASKS: Final = re.compile(
    r"\b(?:combien|how (?:many|much)|what|which|quelle?s?|calcul\w+|trouve\w*|cherch\w+|find)\b"
)
_WEEK: Final = 7
_NAMED: Final = (
    (re.compile(r"\b(?:double|moitie|demie?|paires?|twice|half|pairs?)\b"), 2),
    (re.compile(r"\b(?:triple|tiers|third)\b"), 3),
    (re.compile(r"\b(?:quadruple|quarts?|quarter)\b"), 4),
    (re.compile(r"\b(?:dizaines?|tens?)\b"), 10),
    (re.compile(r"\b(?:douzaines?|dozens?)\b"), 12),
    (re.compile(r"(?=.*\b(?:jour|day))(?:.*\b)(?:semaines?|weeks?)\b"), _WEEK),
)
_SHARES: Final = re.compile(
    r"\b(?:en acheter|partag\w+|chacun\w*|chaque|each|egal\w*|equit\w+|meme nombre|par \d|rang\w+"
    r"|repart\w+|distribu\w+|shar\w+|equal\w*|groupes?|groups?|parts|paquets?|boites?"
    r"|(?:into|dans des|en) (?:sacs?|sachets?|bags?|cartons?|paniers?|baskets?|caisses?|crates?"
    r"|packets?|packs?|boxes)|left over)\b"
)
_CLOCK: Final = frozenset((
    "h", "heure", "hour", "min", "minute", "seconde", "second", "jour", "day", "mois", "month",
    "an", "annee", "year", "semaine", "week", "trimestre", "semestre",
))  # fmt: skip
"""Units of time, of which one has unwritten numbers of others."""
_PARTS: Final = frozenset(("demi", "tier", "quart", "half", "halve", "third", "quarter"))
"""Names of fractions, which are no units: `un demi plus un quart, cela fait trois quarts`."""
_DAYS: Final = ({"jour", "semaine"}, {"day", "week"})
"""Of these one is seven others; how many of others there are is not written."""
_SCALED: Final = re.compile(r"(?:k|h|da|d|c|m)?(?:g|m|l)|kilo|gramme|litre|metre|tonne|t|kilometre")
_SHORT_UNITS: Final = {"kilo": "kg", "gramme": "g", "litre": "l", "metre": "m", "tonne": "t"}
_MONEY: Final = frozenset(("f", "fcfa", "franc", "f cfa", "cfa"))
_PEOPLE: Final = frozenset((
    "garcon", "fille", "homme", "femme", "adulte", "enfant", "boy", "girl", "man", "woman",
    "adult", "child",
))  # fmt: skip
_FRUITS: Final = frozenset((
    "mangue", "orange", "banane", "citron", "papaye", "goyave", "avocat", "pomme", "mango", "apple",
    "banana", "lemon",
))  # fmt: skip
_KINDS: Final = {
    **dict.fromkeys(
        ("eleve", "enfant", "personne", "student", "pupil", "children", "people"), _PEOPLE
    ),
    "fruit": _FRUITS,
}
"""Units of sums, and those that they may be sums of."""
_OF_THEM: Final = re.compile(r"\ben (?:contien(?:t|nent)|compte(?:nt)?|coute(?:nt)?) $")
"""Before a number whose unit is that of the sentence before."""
_MOST_AMOUNTS: Final = 4
_MOST_LINES: Final = 4
"""Sentences before a result that may tell its story."""


class _Amount(NamedTuple):
    values: frozenset[Fraction]
    unit: str
    start: int
    end: int


def read_story_results(passage: Passage) -> Iterator[Statement]:
    """Yield the results of an answer that no computation with the numbers before them gives."""
    if passage.has_example:
        return
    yield from _read_sums(passage)
    for at, line in enumerate(passage.lines):
        amounts = _list_amounts(line.text) if line.is_own else []
        if not amounts or _UNSAID.search(line.text):
            continue
        *before, result = amounts
        between = line.text[before[-1].end if before else 0 : result.start]
        story = _find_story(passage, at)
        if not result.unit and _OF_THEM.search(between) and len(story or ()) == 1:
            result = result._replace(unit=(story or [result])[0].unit)
        is_given = any(each.values == result.values for each in _list_amounts(passage.asked))
        is_same_unit = any(each.unit == result.unit for each in story or ())
        is_said = _TELLS.search(between) and is_same_unit and not is_given
        is_concluded = _CONCLUDES.search(between) or _ENDS.match(line.text, result.end)
        if story is not None and (is_said or is_concluded):
            words = " ".join((passage.asked, *(each.text for each in passage.lines[: at + 1])))
            if fault := _find_fault([*story, *before], result, words):
                yield decide(line.text, fault)


def _find_story(passage: Passage, at: int) -> list[_Amount] | None:
    """Return the amounts of the question and of the sentences before a result; None if some are not
    for this check."""
    line = passage.lines[at]
    if any(_ASKS.search(each.text) for each in passage.lines if each.section == line.section):
        return None
    before = [each for each in passage.lines[:at] if each.section == line.section]
    if len(before) > _MOST_LINES or not all(each.is_own for each in before):
        return None
    if any(_UNSAID.search(text) for text in (passage.asked, *(each.text for each in before))):
        return None
    stated = [amount for each in before for amount in _list_amounts(each.text)]
    known = {(each.values, each.unit) for each in stated}
    asked = [each for each in _list_amounts(passage.asked) if each[:2] not in known]
    return [*asked, *stated]


def _list_amounts(text: str) -> list[_Amount]:
    """List the numbers of a sentence with the word behind them; articles are no numbers."""
    amounts: list[_Amount] = []
    for found in _AMOUNT.finditer(text):
        if found["n"] in ARTICLES:
            continue
        unit = _singular(found["u"] or "")
        unit = "f" if unit in _MONEY else unit
        amounts.append(_Amount(read_values(found["n"]), unit, found.start(), found.end()))
    return amounts


def _singular(word: str) -> str:
    return word if word == "mois" else word.rstrip("s")


def _find_fault(given: Sequence[_Amount], result: _Amount, text: str) -> str:
    """Return why no computation gives the result; empty if one does, or too much is unknown."""
    units = {each.unit for each in given}
    if units <= _KINDS.get(result.unit, frozenset()):
        given = [each._replace(unit=result.unit) for each in given]
        units = {result.unit}
    words = {_singular(word) for word in re.findall("[a-z]{2,}", text)}
    times = words & _CLOCK
    scaled = {unit for unit in units | {result.unit} | words if _SCALED.fullmatch(unit)}
    scaled = {_SHORT_UNITS.get(unit, unit) for unit in scaled}
    is_mixed = len(scaled) > 1 or (len(times) > 1 and times not in _DAYS)
    if result.unit not in units or result.unit in _CLOCK | _PARTS | {""} or is_mixed:
        return ""
    named = [Fraction(factor) for pattern, factor in _NAMED if pattern.search(text)]
    if min(named, default=_WEEK) < _WEEK:  # Awa a 5 mangues, Ali en a le double : 15 en tout
        given = [*given, *(each for each in given if each.unit == result.unit)]
    if not 2 <= len(given) + len(named) <= _MOST_AMOUNTS or any(
        len(each.values) != 1 for each in (*given, result)
    ):
        return ""
    numbers = [(min(each.values), int(each.unit == result.unit)) for each in given]
    (value,) = result.values
    known = [*numbers, *((factor, 0) for factor in named)]
    results = _list_results(known, has_rest=bool(_SHARES.search(text)))
    return "" if (value, 1) in results else "no computation with these numbers gives it"


def _list_results(
    numbers: Sequence[tuple[Fraction, int]], *, has_rest: bool
) -> set[tuple[Fraction, int]]:
    """List what one can compute with some of the numbers, each used at most once.

    Args:
        numbers: each with the exponent of the result's unit; of what is added, others may be 0 (`12
            mangues`, less `3 fruits`).
        has_rest: whether a division may leave a rest.
    """
    found = {1 << at: {each} for at, each in enumerate(numbers)}
    for chosen in range(1, 1 << len(numbers)):
        results = found.setdefault(chosen, set())
        part = (chosen - 1) & chosen
        while part:
            for one, power in found[part]:
                for other, other_power in found[chosen ^ part]:
                    if {power, other_power} <= {0, 1}:
                        highest = max(power, other_power)
                        results |= {(one + other, highest), (one - other, highest)}
                    results.add((one * other, power + other_power))
                    if other:
                        results.add((one / other, power - other_power))
                    is_whole = one.denominator == other.denominator == 1
                    if has_rest and is_whole and one > other > 1:
                        shares = Fraction(one // other)
                        results |= {(one - shares * other, power), (shares, power - other_power)}
                        results.add((shares + 1, power - other_power))
            part = (part - 1) & chosen
    return set[tuple[Fraction, int]]().union(*found.values())


# What is left after gains and losses --------------------------------------------------------------

_PRODUCTS: Final = re.compile(
    rf"[×÷*/%°√π≈²³₂]|\d ?x ?\d|{_HIDDEN}|\b(?:de plus|de moins|autant|meme|same|more|less|fewer"
    r"|par|per|every|tous les|toutes les"
    r"|(?:le|la|l'|the) ?(?:kg|kilo|metre|litre|piece|unite|un))\b"
    rf"|\b(?!une?\b|one\b){NUMBER} [a-z]+(?: (?:de |d'|of )[a-z]+)?"
    rf" (?:de|a|at|of|pour|for|contenant|holding) {NUMBER}\b"
)
"""Signs and words of stories in which not only sums are computed."""
_HAS: Final = re.compile(
    r"\b(?:a|ai|as|ont|avait|avais|avaient|possed\w+|contient|contenait|transport\w+|compte"
    rf"|(?:commence|part) avec|had|has|have|there (?:are|were)|carr\w+) {NUMBER}\b"
)
"""What there is at first."""
_LEFT: Final = re.compile(
    r"\b(?:rest\w+|(?:a|ont|as|avez|possede|sont|has|have|are)"
    r"(?= (?:donc|maintenant|encore|alors|plus|now|then|still|finalement))"
    r"|(?:now|still|then) ha(?:s|ve))"
    rf"(?: (?:{THEN}|plus|que|maintenant|encore|now|still|finalement|seulement|only))*"
    rf" (?P<n>{NUMBER})\b(?! ?[-+=]|[.,]\d)"
)
_NO_NOUNS: Final = re.compile(
    r"|le|la|l|pui|et|au|a|en|de|du|se|ce|sont|pour|dan|mai|donc|ensuite|apre|maintenant|qui"
    r"|descendent|montent|partent|arrivent|reviennent|and|then|to|of|in|from|get|are|away|left"
    r"|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche"
)
"""Words after a number that are no names of things, without their last s."""
_LABEL: Final = re.compile(
    r"\b(?:etape|step|jour|day) \d+ ?[:.)-]?|\b\d+(?:e|er|re|eme|ere|st|nd|rd|th)\b"
)
_MOST_TERMS: Final = 6


def _read_sums(passage: Passage) -> Iterator[Statement]:
    """Yield what a story says is left that no sum or difference of its numbers gives: `48 mangues,
    il en vend 19, puis 14 : il lui en reste 16`."""
    for at, line in enumerate(passage.lines):
        if not line.is_own or not _LEFT.search(line.text):
            continue
        texts = [each.text for each in passage.lines[:at] if each.section == line.section]
        *texts, text = [_LABEL.sub("", each) for each in (passage.asked, *texts, line.text)]
        found = _LEFT.search(text)
        story = " . ".join((*texts, text))
        if found is None or _PRODUCTS.search(story) or _SHARES.search(story):
            continue
        amounts = [each for before in texts for each in _list_amounts(before)]
        last = _list_amounts(text)
        given = [*amounts, *(each for each in last if each.start < found.start("n"))]
        result = next((each for each in last if each.start == found.start("n")), None)
        units = {each.unit for each in (*given, result) if each}
        nouns = {unit for unit in units if not _NO_NOUNS.fullmatch(unit)}
        is_named = any(pattern.search(story) for pattern, _ in _NAMED)
        if result is None or len(nouns) > 1 or nouns & _CLOCK or is_named:
            continue
        if _HAS.search(" . ".join((*texts, text[: found.start()]))):
            yield from _judge_sum(line.text, given, result)


def _judge_sum(text: str, given: Sequence[_Amount], result: _Amount) -> Iterator[Statement]:
    """Yield the check of a number against the sums and differences of those before it."""
    if any(len(each.values) != 1 for each in (*given, result)):
        return
    numbers = [min(each.values) for each in given]
    sums, terms = {Fraction(0)}, 0
    for number in numbers:
        if number not in sums:  # no result of those before
            terms += 1
            sums |= {each + sign * number for each in sums for sign in (1, -1)}
        if terms > _MOST_TERMS:
            return
    sums |= {one + sign * other for one in numbers for other in numbers for sign in (1, -1)}
    if terms > 1:
        is_right = min(result.values) in sums
        yield decide(text, "" if is_right else "no sum of the numbers before gives it")


# Compound interest --------------------------------------------------------------------------------

_COMPOUND: Final = re.compile(
    r"\b(?:compos\w+|compound\w*|capitalis\w+|ajoutent au capital"
    r"|added to the (?:capital|principal))"
)
_SIMPLE: Final = re.compile(
    r"\b(?:simples?|mois|months?|monthly|mensuel\w*|semestr\w+|trimestr\w+|quarter\w*|retir\w+"
    r"|withdr\w+|inflation|frais|fees|aurait|would|sans|without|environ|about|ajoute)\b|≈"
)
"""Words with which an amount is another one than the capital or its interest."""
_TARGET: Final = re.compile(
    r"\b(?:doubl\w+|tripl\w+|combien d'annees|combien de temps|quand|how long|how many years|when"
    r"|depass\w+|exceed\w*|attei\w+|reach\w*)\b"
)
"""Words of a question that seeks the years for an amount."""
_MOST_YEARS: Final = 40
_ROUNDED: Final = 3
"""By how many units of its last digit an amount may be off that is rounded each year."""


def read_compound_interest(passage: Passage) -> Iterator[Statement]:
    """Yield the amounts of an answer against the capital of the question, which bears interest on
    interest: `La deuxième année, elle possède 54 000 F`."""
    question = read_measured_question(passage.asked)
    money, rates = question.list_values("money"), question.list_values("percent")
    if len(money) != 1 or len(rates) != 1 or not _COMPOUND.search(passage.asked):
        return
    if _SIMPLE.search(passage.asked) or _TARGET.search(passage.asked):
        return
    known, capital = {money[0]}, money[0]
    for _ in range(_MOST_YEARS):
        interest = capital * rates[0]
        capital += interest
        known |= {capital, interest, capital - money[0]}
    for line in passage.lines:
        if not line.is_own or _SIMPLE.search(line.text):
            continue
        for each in list_measures(line.text):
            if each.dimension == "money" and each.value >= min(known):
                gap = min(abs(value - one) for value in each.readings for one in known)
                is_right = gap < _ROUNDED * each.step
                yield decide(
                    line.text, "" if is_right else "compound interest gives another amount"
                )
