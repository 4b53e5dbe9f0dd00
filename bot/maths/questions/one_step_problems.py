"""State the answer to a short word problem of one step. Pure.

Ages, what is left of money or things, what comes to them, equal shares, the scale of a map; and
what is proportional: a rate, a number of containers, a percentage of a count, the change from one
price to another. A problem is only read if all of its numbers have a part in that step.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Final

from bot.maths.questions.question_measures import Measure, read_measured_question
from bot.maths.questions.question_sentences import Asked, add_unit, split_target
from bot.maths.questions.worked_results import LENGTH_UNITS
from bot.maths.reading.number_words import fold
from bot.maths.reading.plain_words import read_value, write_plainly
from bot.maths.reading.vocabulary import DIGITS

_LONGEST: Final = 400
"""Most characters of a problem."""
_LONGEST_PROPORTIONAL: Final = 300
_AMOUNT: Final = re.compile(r"[-−+]?\d[\d .,\u00a0\u202f]*(?!\s*/)")


def state_story(asked: Asked, answer: str) -> str:
    """Return that the answer equals what a problem of one step leads to; empty: it is of no known
    kind."""
    whole = asked.whole
    if len(whole) > _LONGEST or "=" in answer or not re.match(r"-?\d", answer.strip(" $")):
        return ""
    text, sentence = write_plainly(fold(whole)), write_plainly(fold(asked.sentence))
    if scaled := _state_scaled(text, sentence, answer):
        return scaled
    text = re.sub(r"(?<=\d) s'", " se ", text)  # no seconds
    measures = _list_measures(text)
    value = (
        _find_grown(text, sentence, measures)
        or _find_age(text, sentence)
        or _find_money_left(text, sentence, measures)
        or _find_changed(text, sentence, measures)
        or _find_changed_often(text, sentence, measures)
        or _find_share(text, sentence, measures)
        if measures
        else None
    )
    found = _AMOUNT.match(answer.strip(" $"))
    return f"{value} = {found[0].strip()}" if value is not None and found else ""


def state_proportional(asked: Asked, answer: str) -> str:
    """Return that the answer equals what a problem of equal parts leads to; empty: it is of no
    known kind."""
    whole = asked.whole
    amount = _AMOUNT.match(answer.strip(" $"))
    if len(whole) > _LONGEST_PROPORTIONAL or "=" in answer or amount is None:
        return ""
    text, sentence = write_plainly(fold(whole)), write_plainly(fold(asked.sentence))
    measures = _list_measures(text)
    value = (
        _find_before_tax(text, sentence)
        or _find_shared_work(text)
        or _find_price_of_several(text, sentence)
        or _find_vehicles(text, sentence)
        or _find_percent(text, sentence, measures)
        or _find_rate(text, sentence, measures)
        or _find_containers(text, sentence, measures)
    )
    return f"{value} = {amount[0].strip()}" if value is not None else ""


def _list_measures(text: str) -> Sequence[Measure]:
    """Return the numbers of a problem; none if some are in words, or stand in no measure."""
    question = read_measured_question(text)
    numbers = re.findall(DIGITS, text)
    is_whole = question.has_plain_numbers and len(numbers) == len(question.measures)
    return question.measures if is_whole else ()


# Ages ---------------------------------------------------------------------------------------------

_OLDER: Final = re.compile(
    r"\b(?P<who>[a-z]+) a (?P<d>\d{1,2}) ans de (?P<s>plus|moins) que (?P<other>[a-z' ]{2,30}?),? ?"
    r"(?:qui (?:en )?a|qui est age d[e']|\. (?P<same>[a-z' ]{2,30}) a) (?P<m>\d{1,3}) ans\b"
)
_OLDER_ENGLISH: Final = re.compile(
    r"\b(?P<who>[a-z]+) is (?P<d>\d{1,2}) years (?P<s>older"
    r"|younger) than (?P<other>[a-z' ]{2,30}?),? ?"
    r"(?:who is|\. (?P<same>[a-z' ]{2,30}) is) (?P<m>\d{1,3})\b"
)
_THAN: Final = re.compile(
    r"\b(?:a|est age de|is) (?P<m>\d{1,3}) (?:ans|years old)\b[.,;]? (?:et )?(?:il|elle|he|she)"
    r" (?:a|is) (?P<d>\d{1,2}) (?:ans de|years) (?P<s>plus|moins|older|younger) (?:que|than) (?:sa"
    r"|son|his|her) (?P<other>[a-z]+)\b"
)
_THAN_HIM: Final = re.compile(
    r"\b(?:a|est age de|is) (?P<m>\d{1,3}) (?:ans|years old)\b[.,;]? (?:et )?(?:sa|son|his"
    r"|her) (?P<who>[a-z]+)"
    r" (?:a|is) (?P<d>\d{1,2}) (?:ans de|years) (?P<s>plus|moins|older|younger)(?: (?:que"
    r"|than) (?:lui|elle|him|her))?\b"
)


def _find_age(text: str, sentence: str) -> Fraction | None:
    """Return an age that is told by another one and the difference."""
    if len(re.findall(r"\d+", text)) != 2:
        return None
    if found := _OLDER.search(text) or _OLDER_ENGLISH.search(text):
        is_same = not found["same"] or found["same"].strip() == found["other"].strip()
        asks = re.search(rf"\b(?:quel age a|age de|how old is) {found['who']}$", sentence)
        is_more = found["s"] in ("plus", "older")
        return _shift(found, is_more=is_more) if asks and is_same else None
    if found := _THAN_HIM.search(text):
        asks = re.search(rf"\b(?:a|is|de) (?:sa|son|his|her) {found['who']}$", sentence)
        return _shift(found, is_more=found["s"] in ("plus", "older")) if asks else None
    found = _THAN.search(text)
    if found and re.search(rf"\b(?:a|is|de) (?:sa |son |his |her )?{found['other']}$", sentence):
        return _shift(found, is_more=found["s"] in ("moins", "younger"))
    return None


def _shift(found: re.Match[str], *, is_more: bool) -> Fraction | None:
    age = int(found["m"]) + int(found["d"]) * (1 if is_more else -1)
    return Fraction(age) if age > 0 else None


# Money and things ---------------------------------------------------------------------------------

_LEFT: Final = r"\b(?:rest\w*|left|remain\w*)\b"
_CHANGE: Final = r"\b(?:rend\w*|monnaie|change)\b"
_BUYS: Final = re.compile(r"\b(?:achet\w*|buys?|bought|depens\w*|spends?|spent)\b")
_MORE_STEPS: Final = re.compile(
    r"\b(?:chaque|each (?:day|week|month)|par (?:jour|semaine|mois)|per|jours?|semaines?|days?"
    r"|weeks?|remise|reduction|discount|puis|then"
    r"|ensuite|de plus|de moins|more than|fewer|less than|fois|times|lots?|paquets?|packs?"
    r"|packets?|boites?|boxes|groupes?|groups?|dont|parmi|of which"
    r"|pourcent\w*|percent|autres?|others?|doubl\w*|au debut|at first|avant|before|avait|had|deja"
    r"|already|personnes|rangees?|rows?|pour \d|for \d)\b"
)
_ONE_PRICE: Final = re.compile(r"^ ?[a-z][a-z ]{1,40}? (?:a|at|coutant|costing) (?:seulement )?$")


def _find_money_left(text: str, sentence: str, measures: Sequence[Measure]) -> Fraction | None:
    """Return what is left of a sum after one purchase of things at a price each."""
    if [each.dimension for each in measures] != ["money", "", "money"] or not _BUYS.search(text):
        return None
    has, count, price = measures
    if not re.search(f"{_LEFT}|{_CHANGE}", sentence) or _MORE_STEPS.search(text):
        return None
    if not _ONE_PRICE.match(text[count.end : price.start]) or not has.end < count.start:
        return None
    left = has.value - count.value * price.value
    return left if left >= 0 and count.value > 1 else None


_LOSES: Final = re.compile(
    r"\b(?:(?:(?:s'|se )(?:en vont|envolent|en va|echappent)|partent|descendent|sortent|meurent"
    r"|tombent|disparaissent)"
    r"|(?:en )?(?:perd|mange|donne|offre|casse|vend|utilise|depense|enleve|retire|jette|prete"
    r"|consomme|lit)"
    r"|loses?|eats?|gives? (?:away )?|sells?|breaks?|uses?|spends?|fly away|leave|run away|lost"
    r"|ate|gave|sold|broke|spent)\b"
)
_GAINS: Final = re.compile(
    r"\b(?:(?:lui|leur|me|te|m'en|t'en) (?:en )?(?:donne|offre)"
    r"|(?:en )?(?:trouve|gagne|recoit|achete|ajoute|cueille)"
    r"|(?:arrivent|montent|viennent)|finds?|wins?|gets?|receives?|buys?|found|won|got|bought"
    r"|received|gives? (?:him|her|them))\b"
)
_HAS: Final = re.compile(
    r"^(?:[^.;,?]{0,40}\b)?(?:a|ai|as|avons|il y a|ont|possede|has|have"
    r"|there (?:are|is)|compte|contient|contains?) $"
)
_NOW: Final = re.compile(
    r"\b(?:combien|how many|how much)\b.*\b(?:maintenant|now|en tout|au total|a-t-il|a-t-elle|have"
    r"|has|altogether|y a-t-il)\b"
)


def _find_changed(text: str, sentence: str, measures: Sequence[Measure]) -> Fraction | None:
    """Return what there is after one loss or gain."""
    if (
        len(measures) != 2
        or _MORE_STEPS.search(text)
        or len({each.dimension for each in measures}) != 1
    ):
        return None
    first, second = measures
    if first.dimension not in ("", "money"):
        return None
    stated = text[first.end :].removesuffix("?").strip().removesuffix(sentence)
    if not _HAS.match(text[: first.start]) or re.search(
        r"\bprix|\bcout\w*|\bcosts?\b|\bage\b", text
    ):
        return None
    is_gain = bool(_GAINS.search(stated))
    if is_gain and _NOW.search(sentence) and not re.search(_LEFT, sentence):
        return first.value + second.value
    is_loss = bool(_LOSES.search(stated)) and not is_gain
    if is_loss and re.search(_LEFT, sentence) and first.value > second.value:
        return first.value - second.value
    return None


_MOST_CHANGES: Final = 3
_NEXT: Final = re.compile(r"\b(?:puis|ensuite|then)\b")


def _find_changed_often(text: str, sentence: str, measures: Sequence[Measure]) -> Fraction | None:
    """Return what there is after two or three losses and gains, each told before its number: `il
    en gagne 7 et en perd 5`."""
    story = _NEXT.sub(" ", text)
    if not 2 < len(measures) <= _MOST_CHANGES + 1 or _MORE_STEPS.search(story):
        return None
    is_asked = _NOW.search(sentence) or re.search(_LEFT, sentence)
    is_of_things = {each.dimension for each in measures} in ({""}, {"money"})
    if not is_asked or not is_of_things or not _HAS.match(text[: measures[0].start]):
        return None
    value = measures[0].value
    for before, each in pairwise(measures):
        verb = text[before.end : each.start]
        is_gain, is_loss = bool(_GAINS.search(verb)), bool(_LOSES.search(verb))
        if is_gain == is_loss:
            return None
        value += each.value if is_gain else -each.value
    return value if value >= 0 else None


_SHARES: Final = re.compile(r"\b(?:partag\w*|repart\w*|distribu\w*|shar\w*|divide\w*)\b")
_GROUPS: Final = re.compile(r"\b(?:groupes?|groups?|teams?)\b")
_EQUALLY: Final = re.compile(
    r"\b(?:chacune?|chaque|each)\b|\bpar (?:equipe|groupe|enfant|eleve|personne|classe|sac|table)$"
)


def _find_share(text: str, sentence: str, measures: Sequence[Measure]) -> Fraction | None:
    """Return what each gets of things that are shared without a rest."""
    if len(measures) != 2 or not _SHARES.search(text) or not _EQUALLY.search(sentence):
        return None
    whole, people = measures
    between = text[whole.end : people.start]
    if not re.search(r"\b(?:entre|among|between|a|en|into)\b", between) or re.search(_LEFT, text):
        return None
    if (
        people.dimension
        or whole.dimension not in ("", "money")
        or people.value < 2
        or _MORE_STEPS.search(_GROUPS.sub(" ", text))
    ):
        return None
    share = whole.value / people.value
    return share if share.denominator == 1 else None


_GROWS: Final = re.compile(
    r"\b(?:grandi\w*|pousse\w*|augmente|economise\w*|grows?|saves?)\b[^.;]*? (?:chaque|par|each"
    r"|every|per|a) (?P<u>[a-z]{3,})\b"
)


def _find_grown(text: str, sentence: str, measures: Sequence[Measure]) -> Fraction | None:
    """Return a size in the unit it is told in, after it has grown by the same for some time."""
    found = _GROWS.search(text)
    if found is None or len(measures) != 3 or not measures[0].dimension:
        return None
    size, step, count = measures
    is_read = step.dimension == size.dimension and size.shown and step.shown
    if (
        not is_read
        or size.value * step.shown != step.value * size.shown
        or size.dimension == "percent"
    ):
        return None
    unit = found["u"].rstrip("s")
    is_after = re.search(rf"\b(?:apres|dans|au bout de|in|after) (\d+) {unit}s?\b", text)
    if (
        not is_after
        or not re.search(r"\b(?:quelle|combien|what|how)\b", sentence)
        or found.end() > count.start
    ):
        return None
    return size.shown + step.shown * int(is_after[1])


# Maps ---------------------------------------------------------------------------------------------

_SCALE: Final = re.compile(
    r"(?<![\d/])1 ?(?:/|:|pour) ?(?P<n>\d{1,3}(?:[ ,]\d{3})+|\d+)(?! ?\d)(?![.,]\d)"
)
_REAL: Final = re.compile(
    r"\breelle?(?:ment)?\b|\brealite\b|\breal\b|\bactual\b|\bsur le terrain\b|\bon the ground\b"
)
_STANDS_FOR: Final = re.compile(r"\b(?:represente\w*|correspond\w*|mesure\w*|stands? for)\b")


def _state_scaled(text: str, sentence: str, answer: str) -> str:
    """Return that a real length is the one on a map times the scale; a length in metres or more for
    which none is told to be real is so itself, and divided by the scale."""
    scale, is_real = _SCALE.search(text), _REAL.search(sentence) is not None
    if (
        scale is None
        or not (is_real or _STANDS_FOR.search(sentence))
        or not re.search(r"\b(?:carte|plan|map|maquette|echelle|scale)\b", text)
    ):
        return ""
    rest = f"{text[: scale.start()]} {text[scale.end() :]}"
    measures = read_measured_question(rest).measures
    if (
        len(measures) != 1
        or measures[0].dimension != "length"
        or re.search(r"\baire|\barea|\bsurface", rest)
    ):
        return ""
    unit = LENGTH_UNITS.get(measures[0].value / measures[0].shown) if measures[0].shown else None
    times = int(re.sub("[ ,]", "", scale["n"]))
    is_on_map = is_real or measures[0].value < measures[0].shown
    length = measures[0].shown * times if is_on_map else measures[0].shown / times
    target = split_target(sentence)[1]
    return (
        f"{length} {unit} = {add_unit(answer, target)}"
        if unit and (target or not re.fullmatch(r"[\d .,]+", answer))
        else ""
    )


# Equal parts --------------------------------------------------------------------------------------

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


_TAX_RATE: Final = re.compile(rf"\b(?:tva|vat)\b[^%]{{0,12}}?(?P<rate>{DIGITS}) ?%")
_WITH_TAX: Final = r"\b(?:ttc|toutes taxes comprises|including (?:vat|tax))\b"
_WITHOUT_TAX: Final = r"\b(?:ht|hors taxes?|excluding (?:vat|tax)|before (?:vat|tax))\b"


def _find_before_tax(text: str, sentence: str) -> Fraction | None:
    """Return a price before tax from the one with it, or the other way round."""
    found = _TAX_RATE.search(text)
    numbers = re.findall(DIGITS, text)
    rate = read_value(found["rate"]) if found else None
    if found is None or rate is None or len(numbers) != 2:
        return None
    price = read_value(next((each for each in numbers if each != found["rate"]), ""))
    given, factor = text.removesuffix("?").strip().removesuffix(sentence), 1 + rate / 100
    if price is None or re.search(r"\bmontant\b|\bamount\b", sentence):
        return None
    if re.search(_WITHOUT_TAX, sentence) and re.search(_WITH_TAX, given):
        return price / factor
    is_with_tax = re.search(_WITH_TAX, sentence) and re.search(_WITHOUT_TAX, given)
    return price * factor if is_with_tax else None


_WORKERS: Final = r"(?:ouvriers?|macons?|peintres?|workers?|painters?|builders?)"
_WORKED_FOR: Final = re.compile(
    rf"\b(?P<a>\d+) (?P<who>{_WORKERS}) (?:mettent|font|terminent|take|need)(?: [a-z' ]{{1,30}}?)?"
    rf"(?: en)? (?P<t>{DIGITS}) (?P<unit>jours?|heures?|h|days?|hours?)\b"
)


def _find_shared_work(text: str) -> Fraction | None:
    """Return the time of more or fewer workers for the same work."""
    found = _WORKED_FOR.search(text)
    if found is None or len(re.findall(DIGITS, text)) != 3:
        return None
    stem, asked = found["unit"].rstrip("s"), text[found.end() :]
    asks = re.search(rf"\b(?:combien de|how many) {stem}s?\b", asked)
    other = re.search(rf"\b(\d+) {found['who'].rstrip('s')}s?\b", asked)
    time = read_value(found["t"])
    if not asks or not other or time is None or not int(other[1]):
        return None
    return int(found["a"]) * time / int(other[1])


_PRICE_OF_ONE: Final = re.compile(
    rf"\b(?:an?|one|each|une?|chaque) (?P<what>[a-z]+) (?:costs?|is|coute|vaut) (?:[$£€] ?)?"
    rf"(?P<p>{DIGITS}) ?(?:dollars?|euros?|pounds?|francs?|cedis?|nairas?|fcfa|f|[$£€])?(?= ?[.,;])"
)


def _find_price_of_several(text: str, sentence: str) -> Fraction | None:
    """Return the price of several things from that of one."""
    found = _PRICE_OF_ONE.search(text)
    if found is None or len(re.findall(DIGITS, text)) != 2 or _SEVERAL_STEPS.search(text):
        return None
    stem = re.escape(found["what"].rstrip("sx"))
    asks = re.search(
        rf"\b(?:how much (?:do|are|would|will)|combien coutent|quel est le prix de|what is the"
        rf" (?:price|cost) of) (\d+) {stem}[a-z]{{0,2}}(?: costs?| cost| be)?$",
        sentence,
    )
    price = read_value(found["p"])
    return price * int(asks[1]) if asks and price is not None else None


_SEATS: Final = re.compile(
    r"\b(?P<what>[a-z]+?)[sx]? (?:de|a|with|of|has|have) (?P<a>\d+) (?:places|personnes|seats)\b"
)


def _find_vehicles(text: str, sentence: str) -> Fraction | None:
    """Return how many vehicles or tables with so many seats hold a number of people."""
    found = _SEATS.search(text)
    numbers = re.findall(DIGITS, text)
    if found is None or len(numbers) != 2 or not int(found["a"]) or _SEVERAL_STEPS.search(text):
        return None
    stem = re.escape(found["what"].rstrip("sx"))
    asks = re.search(
        rf"\b(?:combien de|how many) {stem}[a-z]{{0,2}}\b.*(?:\bfaut|\bneed)", sentence
    )
    people = re.search(
        rf"\b(?P<b>{DIGITS}) (?:eleves|personnes|passagers|enfants|invites|students|people|pupils"
        r"|children|guests)\b",
        text.replace(found[0], " "),
    )
    count = read_value(people["b"]) if people else None
    return Fraction(ceil(count / int(found["a"]))) if asks and count else None
