"""State the answer to a short story of one step: ages, what is left of money or things, what comes
to them, equal shares, the scale of a map. Pure.

A story is only read if all of its numbers have a part in that step.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

from bot.maths.questions.question_measures import Measure, read_question
from bot.maths.questions.question_sentences import Asked, add_unit, split_target
from bot.maths.questions.worked_results import LENGTH_UNITS
from bot.maths.reading.number_words import fold
from bot.maths.reading.plain_words import DIGITS, read_values, write_plainly

_LONGEST: Final = 400
"""Most characters of a story."""
_AMOUNT: Final = re.compile(r"-?\d[\d .,\u00a0\u202f]*(?!\s*/)")


def state_story(asked: Asked, answer: str) -> str:
    """Return that the answer equals what the story leads to; empty: it is of no known kind."""
    whole = asked.whole
    if len(whole) > _LONGEST or "=" in answer or not re.match(r"-?\d", answer.strip(" $")):
        return ""
    text, sentence = write_plainly(fold(whole)), write_plainly(fold(asked.sentence))
    if scaled := _state_scaled(text, sentence, answer):
        return scaled
    text = re.sub(r"(?<=\d) s'", " se ", text)  # no seconds
    numbers = [min(read_values(each), default=None) for each in re.findall(DIGITS, text)]
    question = read_question(text)
    if not question.has_plain_numbers or len(numbers) != len(question.measures):
        return ""
    value = (
        _find_grown(text, sentence, question.measures)
        or _find_age(text, sentence)
        or _find_money_left(text, sentence, question.measures)
        or _find_changed(text, sentence, question.measures)
        or _find_changed_often(text, sentence, question.measures)
        or _find_share(text, sentence, question.measures)
    )
    found = _AMOUNT.match(answer.strip(" $"))
    return f"{value} = {found[0].strip()}" if value is not None and found else ""


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


def _state_scaled(text: str, sentence: str, answer: str) -> str:
    """Return that a real length is the one on a map times the scale."""
    scale = _SCALE.search(text)
    if (
        scale is None
        or not _REAL.search(sentence)
        or not re.search(r"\b(?:carte|plan|map|maquette|echelle|scale)\b", text)
    ):
        return ""
    rest = f"{text[: scale.start()]} {text[scale.end() :]}"
    measures = read_question(rest).measures
    if (
        len(measures) != 1
        or measures[0].dimension != "length"
        or re.search(r"\baire|\barea|\bsurface", rest)
    ):
        return ""
    unit = LENGTH_UNITS.get(measures[0].value / measures[0].shown) if measures[0].shown else None
    length = measures[0].shown * int(re.sub("[ ,]", "", scale["n"]))
    target = split_target(sentence)[1]
    return (
        f"{length} {unit} = {add_unit(answer, target)}"
        if unit and (target or not re.fullmatch(r"[\d .,]+", answer))
        else ""
    )
