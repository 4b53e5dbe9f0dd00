"""State the answer to a story about equal parts: a rate, a number of containers, a percentage of a
count, the change from one price to another. Pure.

A story is only read if all of its numbers have a part in the result.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from bot.maths.questions.question_measures import Measure, read_question
from bot.maths.questions.question_sentences import Asked
from bot.maths.reading.number_words import fold
from bot.maths.reading.plain_words import DIGITS, read_values, write_plainly

_LONGEST: Final = 300
"""Most characters of a story."""
_AMOUNT: Final = re.compile(r"[-−+]?\d[\d .,\u00a0\u202f]*(?!\s*/)")
_SEVERAL_STEPS: Final = re.compile(
    r"\b(?:rest\w*|left|remain\w*|puis|then|ensuite|after that|de plus|de moins|more|fewer|less"
    r"|double\w*|triple\w*|moitie|half|twice|fois|times|deja|already|carre|square|cube|cubic|aire"
    r"|area|perimetre|perimeter|volume|moyen\w*|average|mean|vitesse|speed|accel\w*|premier\w*"
    r"|first|remise|reduction|discount|benefice|profit|perte|loss|taux|rate|interets?|interest"
    r"|dilu\w*|concentration|echelle|scale|ouvriers?|workers?|macons?|peintres?|painters?|machines?"
    r"|robinets|taps|pompes?|pumps?|tracteurs?|temps|temperature|croissance)\b"
)
_ASKS_COUNT: Final = re.compile(
    r"\b(?:combien(?: (?:de |d')(?P<noun>[a-z]+))?|how (?:many|much)(?: (?P<counted>[a-z]+))?)"
)


def state_proportional(asked: Asked, answer: str) -> str:
    """Return that the answer equals what the story leads to; empty: it is of no known kind."""
    whole = asked.whole
    amount = _AMOUNT.match(answer.strip(" $"))
    if len(whole) > _LONGEST or "=" in answer or amount is None:
        return ""
    text, sentence = write_plainly(fold(whole)), write_plainly(fold(asked.sentence))
    if change := _find_change(text, sentence):
        return f"{change * 100} = {amount[0].strip()}"
    question = read_question(text)
    numbers = [min(read_values(each), default=None) for each in re.findall(DIGITS, text)]
    if not question.has_plain_numbers or len(numbers) != len(question.measures):
        return ""
    measures = question.measures
    value = (
        _find_percent(text, sentence, measures)
        or _find_rate(text, sentence, measures)
        or _find_containers(text, sentence, measures)
    )
    return f"{value} = {amount[0].strip()}" if value is not None else ""


_FROM: Final = re.compile(
    r"\b(?:from|de) [£$€]?(?P<a>\d[\d ]*(?:[.,]\d+)?)(?: ?(?:f|fcfa|€|euros?|dollars?|cedis?"
    r"|nairas?))?"
    r" (?:to|a) [£$€]?(?P<b>\d[\d ]*(?:[.,]\d+)?)"
)
_RISES: Final = re.compile(r"\b(?:hausse|augment\w+|increase|rise|gain)\b")
_FALLS: Final = re.compile(r"\b(?:baisse|diminu\w+|reduction|decrease|fall|drop|discount|remise)\b")


def _find_change(text: str, sentence: str) -> Fraction | None:
    """Return by what part a value has risen or fallen: `from £80 to £92`."""
    found = _FROM.search(text)
    if found is None or not re.search(r"%|\bpercentage\b|\bpourcentage\b|\bpercent\b", sentence):
        return None
    if len(re.findall(DIGITS, text)) != 2 or _SHARED_NUMBERS.search(text):
        return None
    first, last = (read_values(found[name].strip()) for name in "ab")
    if len(first) != 1 or len(last) != 1 or not min(first):
        return None
    part = (min(last) - min(first)) / min(first)
    is_stated = _RISES.search(sentence) if part > 0 else _FALLS.search(sentence)
    return abs(part) if is_stated and part else None


_SHARED_NUMBERS: Final = re.compile(r"\b(?:par an|per year|each year|chaque annee|puis|then)\b")


def _find_percent(text: str, sentence: str, measures: Sequence[Measure]) -> Fraction | None:
    """Return how many of a count have a property: `30 % des 40 élèves sont absents`."""
    if len(measures) != 2 or measures[0].dimension != "percent" or measures[1].dimension:
        return None
    part, count = measures
    if not re.fullmatch(
        r" ?(?:des|de ses|de mes|de nos|of (?:the|his|her|my)) ", text[part.end : count.start]
    ):
        return None
    stated = text[count.end :].removesuffix("?").strip().removesuffix(sentence)
    asked = set(re.findall(r"[a-z]{4,}", sentence)) - {"combien", "many", "sont", "there"}
    of_part = {each[:6] for each in re.findall(r"[a-z]{4,}", stated)}
    is_denied = re.search(r"\b(?:ne|n'|pas|not|don't|aren't)\b", text)
    is_same = any(each[:6] in of_part for each in asked)
    noun = _ASKS_COUNT.search(sentence)
    value = part.value * count.value
    return value if noun and is_same and not is_denied and value.denominator == 1 else None


def _find_rate(text: str, sentence: str, measures: Sequence[Measure]) -> Fraction | None:
    """Return what goes with a third size by the rate of two: 15 litres in 2 minutes, so how many in
    10 minutes."""
    if len(measures) != 3 or _SEVERAL_STEPS.search(text) or not _ASKS_COUNT.search(sentence):
        return None
    one, two, third = measures
    base, other = (one, two) if _is_alike(third, one) else (two, one)
    if not _is_alike(third, base) or _is_alike(base, other) or not base.value:
        return None
    before = text.removesuffix("?").strip().removesuffix(sentence)
    if not two.end <= len(before) <= third.start + 1:
        return None
    is_linked = _LINK.search(text[one.end : two.start]) and _asks_for(sentence, other)
    is_in_unit = third.value * base.shown == base.value * third.shown
    return other.shown * third.shown / base.shown if is_linked and is_in_unit else None


_LINK: Final = re.compile(r"\b(?:en|pour|par|in|for|coutent?|costs?|avec|with|dans)\b|=")


def _is_alike(one: Measure, other: Measure) -> bool:
    """Return whether two sizes measure the same, or count the same things."""
    if one.dimension or other.dimension:
        return one.dimension == other.dimension
    return bool(one.noun) and one.noun.rstrip("sx") == other.noun.rstrip("sx")


def _asks_for(sentence: str, measure: Measure) -> bool:
    """Return whether a sentence asks for things or sizes like one."""
    found = _ASKS_COUNT.search(sentence)
    noun = (found["noun"] or found["counted"] or "") if found else ""
    if not measure.dimension:
        return bool(measure.noun) and noun.rstrip("sx") == measure.noun.rstrip("sx")
    if measure.dimension == "money":
        return bool(re.search(r"\b(?:cout\w*|costs?|pa(?:ie|ye)\w*|pay|prix|price)\b", sentence))
    units = {
        "volume": r"litres?|liters?", "length": r"kilometres?|km|metres?|kilometers?|meters?",
        "time": "",
    }.get(measure.dimension)  # fmt: skip
    return bool(units and re.fullmatch(units, noun))


_PER_ONE: Final = (
    r"(?:(?:pour|par|dans|a|per|for|every|each|chaque) (?:une?|an?|one)?|chaque|every|each|per|by)"
)


def _find_containers(text: str, sentence: str, measures: Sequence[Measure]) -> Fraction | None:
    """Return how many times one size goes into another: bottles, pieces, minutes until empty."""
    if len(measures) != 2 or _SEVERAL_STEPS.search(text.replace("temps", "")):
        return None
    big, small = sorted(measures, key=lambda each: -each.value)
    found = _ASKS_COUNT.search(sentence)
    noun = (found["noun"] or found["counted"] or "") if found else ""
    if not noun or not small.value or not big.dimension or big.dimension != small.dimension:
        return None
    if big.dimension == "percent":
        return None
    stem = re.escape(noun.rstrip("sx"))
    before, after = text[: small.start], text[small.end :]
    is_each = re.match(rf" ?(?:[a-z']+ )?{_PER_ONE} ?{stem}\b", after)
    is_of_size = re.search(rf"\b{stem}[sx]? (?:de|of|contenant|containing|mesurant) $", before)
    count = big.value / small.value
    return count if (is_each or is_of_size) and count.denominator == 1 and count > 1 else None
