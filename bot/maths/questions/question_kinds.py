"""State the answer to a question of a known kind: a blank, a rounding, a comparison, a division
with remainder, an order, a conversion, a fraction in lowest terms. Pure.

Statements are in French or in signs, which the checker of mathematics reads best.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from bot.formulas.line_text import FROM_SUPERSCRIPTS
from bot.maths.equivalence import equivalent
from bot.maths.questions.question_sentences import (
    Asked,
    add_unit,
    equate,
    is_expression,
    is_unit,
    read_question,
    relate,
)

_I: Final = re.IGNORECASE
_BLANK: Final = re.compile(r"…|\.{3,}|_{2,}|□|\\ldots|\\dots|\\square|\[ ?\]|\(\?\)")
_ASKED_BLANK: Final = re.compile(
    r"(?<=[=×+*/÷<>≤≥-] )\?(?! ?$)|(?<=[=×+*/÷<>≤≥-])\?|^\?(?= ?[×+*/÷=-])"
)
_INSTRUCTION: Final = re.compile(r"[^:=…]{0,60}[^\W\d]{3}[^:=…]{0,40} ?: ")
_ROUNDED: Final = re.compile(
    r"\b(?:arrondi\w*|round\w*|environ|pr[èe]s|approch\w*|approx\w*|nearest|decimal places?"
    r"|d\.?p\.?|about)\b|≈",
    _I,
)
_PLACES: Final = {
    "tenth": "au dixième", "hundredth": "au centième", "thousandth": "au millième",
    "whole number": "à l'unité", "unit": "à l'unité", "integer": "à l'unité", "one": "à l'unité",
    "ten": "à la dizaine", "hundred": "à la centaine", "thousand": "au millier",
}  # fmt: skip
_COUNTS: Final = {
    "1": "au dixième", "one": "au dixième", "2": "au centième", "two": "au centième",
    "3": "au millième", "three": "au millième",
}  # fmt: skip
"""Places of rounding by their English names, and by a number of decimal places."""
_FRENCH_PLACE: Final = re.compile(
    r"\b(?P<place>(?:au|à la|à l['’] ?|aux) ?(?:dixi[èe]mes?|centi[èe]mes?|milli[èe]mes?|unit[ée]s?"
    r"|dizaines?|centaines?|milliers?|entier))(?: (?:le plus |la plus )?(?:pr[èe]s|proche))?",
    _I,
)
_ENGLISH_PLACE: Final = re.compile(
    rf"\bto the nearest (?P<place>{'|'.join(sorted(_PLACES, key=len, reverse=True))})\b"
    rf"|\bto (?P<count>{'|'.join(_COUNTS)}) (?:decimal places?|d\.?p\.?)",
    _I,
)
_ROUNDED_VALUE: Final = re.compile(
    r"(?:(?:l['’]arrondi|(?:la|une) valeur (?:arrondie|approch[ée]e)|arrondi(?:e|s|r|ssez)?"
    r"|approch[ée]e?|round(?:ed|ing)?|donne|calcule|combien (?:vaut|font)|que vaut"
    r"|quel(?:le)? est|what is|what does|find|le nombre|the number|est|is|work out|calculate"
    r"|(?:de|d['’]|du|of)(?= |(?<=['’])))\s*)+",
    _I,
)
"""The words around a number to round."""
_ROUNDABLE: Final = re.compile(r"(?:la )?racine carr[ée]e de \d+|\d[\d .,]*(?: [^\W\d]+)?", _I)
_COUNTED_PLACE: Final = re.compile(
    r"\b(?:combien|nombre|how many)\b.*?\b(?P<place>dizaines?|centaines?|milliers?|unit[ée]s?"
    r"|dixi[èe]mes?|centi[èe]mes?|tens|hundreds|thousands)\b.*?\b(?:dans|de|in) (?P<a>\d[\d ,]*)$",
    _I,
)
_DIVISION: Final = re.compile(
    r"\b(?P<kind>reste|quotient(?: entier| euclidien)?"
    r"|remainder)\b.*?(?<![\d/,.^×*+-])(?P<a>\d[\d ]*?"
    r"(?:\^\{?\d+\}?|[⁰¹²³⁴-⁹]+)?)\s*(?:par|÷|:|by|is divided by|divided by|est divis[ée] par|/"
    r"|dans la division(?: euclidienne)? par)\s*(?P<b>\d[\d ]*)(?: \([^()]*\))?$",
    _I,
)
_REVERSED_DIVISION: Final = re.compile(
    r"(?:divise|divide)s? (?P<a>\d[\d ]*?) (?:par|by) (?P<b>\d[\d ]*?)\b.*"
    r"\b(?P<kind>reste|quotient|remainder)",
    _I,
)
_POWER: Final = re.compile(r"(?P<a>\d[\d ]*)(?:\^\{?(?P<n>\d+)\}?|(?P<raised>[⁰¹²³⁴-⁹]+))")
_MOST_DIGITS: Final = 8
"""Digits from which a base, an exponent or a divisor is not worked with."""
_BETWEEN: Final = re.compile(
    r"\b(?:est|vient|is|comes|se trouve)? ?(?:juste )?(?:compris )?(?:entre"
    r"|between) (?P<a>\d[\d ]*)"
    r" (?:et|and) (?P<b>\d[\d ]*)$",
    _I,
)
_NEXT_TO: Final = re.compile(
    r"\b(?:juste |just )?(?P<side>avant|apr[èe]s|before|after|suit|pr[ée]c[èe]de|follows|precedes) "
    r"(?P<a>\d+(?: \d{3})*)(?: ?[:(,].*)?$",
    _I,
)
_OF_A_KIND: Final = re.compile(
    r"\b(?:pair|impair|premier|multiple|carr[ée]|cube|dizaine|centaine|even|odd|prime|square)", _I
)
"""Words of a number whose neighbour is not the next whole number: `le nombre pair qui suit 38`."""
_WHOLE_NUMBER: Final = re.compile(
    r"^(?:c['’]est )?(?:quel(?:le)?(?: est le)?|which|what(?: is the)?) (?:whole )?(?:nombre"
    r"|number)\b",
    _I,
)
_MORE: Final = (
    r"plus (?:grand|long|lourd|haut|cher|[ée]lev[ée])|greater|greatest|bigger|biggest|larger"
    r"|largest|longest|heaviest|highest|sup[ée]rieur"
)
_LESS: Final = (
    r"plus (?:petit|court|l[ée]ger|bas)|smaller|smallest|less|least|shortest|lightest|lowest"
)
_SIZED: Final = (
    r"(?: (?:nombres?|fractions?|valeurs?|d[ée]cima(?:l|ux)|entiers?|longueurs?|masses?|dur[ée]es?"
    r"|relatifs?|numbers?|values?|decimals|lengths?|one|de tous|de ces|parmi ces|of these"
    r"|of the))*"
)
_SIZE: Final = (
    rf"(?: (?:est|is|are))?(?: (?:le|la|the))?{_SIZED} (?:(?P<more>{_MORE})|(?P<less>{_LESS}))e?"
)
_EXTREME: Final = re.compile(
    rf"^(?:lequel|laquelle|quel(?:le)?|which|what){_SIZED}{_SIZE}{_SIZED}"
    r"(?P<list>(?: ?:| parmi| entre| of| between| among|,| (?=[-−]?\d)).*)?$",
    _I,
)
_EXTREME_AFTER: Final = re.compile(
    rf"^(?:entre|parmi|between|among|of) (?P<list>.*\d.*?),? (?:lequel|laquelle|quel(?:le)?|which)"
    rf"{_SIZED}{_SIZE}$",
    _I,
)
_LIST_BEGIN: Final = re.compile(
    r"^ ?(?:[:,]|parmi|entre|of|between|among)?\s*"
    r"(?:(?:les|ces|these|the) n(?:ombres|umbers))?\s*:?\s*"
)
_ITEM: Final = re.compile(r"\s*(?:;|, |\bet\b|\bou\b|\band\b|\bor\b)\s*")
_PLAIN_VALUE: Final = re.compile(
    r"[-−\d$(√\\][^a-zà-ÿ]*(?:\\[dt]?frac[^a-z]*|\\sqrt[^a-z]*)?"
    r"(?:[kcdmh]?[mgLl][²³]?|h|min|s|F|%)?[^a-zà-ÿ]*"
)
_ORDER: Final = re.compile(
    r"\b(?:ordre|order|range\w*|classe\w*|arrange)\b.*"
    r"\b(?:(?P<up>croissant|ascending|increasing)|d[ée]croissant|descending|decreasing)\b",
    _I,
)
_LOWEST: Final = re.compile(
    r"irr[ée]ductible|lowest terms|simplest form|au maximum|le plus possible|fully|compl[èe]tement",
    _I,
)
_SIMPLIFIED: Final = re.compile(
    r"^(?!.*\b(?:par|by) \d)simplifi\w* (?:la fraction )?\$?(?:\\d?frac|\d+ ?/)", _I
)
_FRACTION: Final = re.compile(
    r"\$?(?:\\[dt]?frac\{(?P<a>\d+)\}\{(?P<b>\d+)\}|(?P<c>\d+) ?/ ?(?P<d>\d+))\$?"
)
_HOW_MANY_UNITS: Final = re.compile(
    r"^(?:(?:à )?combien (?:y a-t-il )?(?:de |d['’])(?P<unit>[^\W\d]+)"
    r"(?: y a-t-il| font| valent| correspond(?:ent)?)?(?: dans| en)?(?: une?)?"
    r"|how many (?P<english>[a-z]+)(?: are there)?"
    r"(?: (?:in|is|are|make))+(?: an?)?) (?P<asked>\d.*)$",
    _I,
)

_DURATION: Final = re.compile(r"\b\d+ ?(?:minutes|min)\b")
_IN_HOURS: Final = re.compile(
    r"^(?:combien|how (?:long|much)|what)\b.*\b(?:en|in) (?:heures et minutes|hours and minutes)$",
    _I,
)
_AND_A_HALF: Final = re.compile(
    r"^(\d+) (?:(?:and a half|et demie?) ([^\W\d]+)|([^\W\d]+) (?:and a half|et demie?))$", _I
)
"""`3 and a half hours`, `2 heures et demie`."""


def state_kind(asked: Asked, answer: str, options: Sequence[str]) -> list[str] | None:
    """Return the statements of a question of a known kind, none if they cannot be written; None:
    it is of no known kind.

    Args:
        options: the options of the question, if it has any.
    """
    whole = asked.whole
    if _ROUNDED.search(whole):
        return _state_rounding(asked, answer)
    if has_blank(asked.sentence):
        return _fill_blank(asked.sentence, answer)
    if found := _EXTREME.match(asked.sentence) or _EXTREME_AFTER.match(asked.sentence):
        return _state_extreme(found, asked, answer, options)
    if found := _DIVISION.search(asked.sentence) or _REVERSED_DIVISION.search(whole):
        return _state_division(found, answer)
    if found := _ORDER.search(asked.sentence):
        return _state_order(answer, "<" if found["up"] else ">")
    return (
        _state_neighbour(asked.sentence, answer)
        or _state_whole_time(asked, answer)
        or _state_form(asked.sentence, answer)
    )


def asks_extreme(question: str) -> bool:
    """Return whether a question only asks which of some numbers is the greatest or least."""
    sentence = read_question(question).sentence
    return bool(_EXTREME.match(sentence) or _EXTREME_AFTER.match(sentence))


def has_blank(text: str) -> bool:
    """Return whether a text has a place to fill in: `7 × … = 56`, `7 × ? = 56`."""
    return bool(_BLANK.search(text) or _ASKED_BLANK.search(text))


def _state_whole_time(asked: Asked, answer: str) -> list[str] | None:
    """Return that the only duration of a story equals one in hours and minutes."""
    stated = _DURATION.findall(" ".join(asked.before))
    is_one = len(stated) == 1 == len(re.findall(r"\d+", " ".join(asked.before)))
    return [f"{stated[0]} = {answer}"] if is_one and _IN_HOURS.search(asked.sentence) else None


def _state_neighbour(sentence: str, answer: str) -> list[str]:
    """Return the whole number just before or after one, or the only one between two."""
    if not _WHOLE_NUMBER.match(sentence):
        return []
    if found := _BETWEEN.search(sentence):
        low, high = (int(found[name].replace(" ", "")) for name in "ab")
        return [f"{low + 1} = {answer}"] if high - low == 2 else []
    if (found := _NEXT_TO.search(sentence)) and not _OF_A_KIND.search(sentence):
        is_less = found["side"].lower() in ("avant", "before", "précède", "precede", "precedes")
        return [f"{int(found['a'].replace(' ', '')) + (-1 if is_less else 1)} = {answer}"]
    return []


def _state_form(sentence: str, answer: str) -> list[str] | None:
    """Return the statements of a question for a number of tens or units, or for lowest terms."""
    if found := _COUNTED_PLACE.search(sentence):
        count = answer.lower().removesuffix("s").removesuffix(found["place"].rstrip("s").lower())
        return [f"Le nombre de {found['place']} dans {found['a']} est {count.strip()}"]
    if found := _HOW_MANY_UNITS.match(sentence):
        unit = found["unit"] or found["english"]
        amount = _AND_A_HALF.sub(r"\1,5 \2\3", found["asked"])
        return [f"{amount} = {add_unit(answer, unit)}"] if is_unit(unit) else None
    return (
        [lowest]
        if (_LOWEST.search(sentence) or _SIMPLIFIED.match(sentence))
        and (lowest := state_lowest(sentence, answer))
        else None
    )


_ONE_PERCENTAGE: Final = re.compile(r"[^\d%]*(?P<p>\d+(?:[.,]\d+)?) ?%[^\d%]*")


def state_lowest(question: str, answer: str) -> str:
    """Return that a fraction is in lowest terms and equals the one of the question; empty: the
    question is about something else."""
    fraction = _FRACTION.fullmatch(answer)
    if fraction is None or not (_LOWEST.search(question) or _SIMPLIFIED.match(question)):
        return ""
    top, bottom = (fraction[one] or fraction[other] for one, other in ("ac", "bd"))
    given = list(_FRACTION.finditer(question))
    equal = [equate(given[0][0], answer)] if len(given) == 1 else []
    if not given and (percent := _ONE_PERCENTAGE.fullmatch(question)):
        equal = [equate(f"{percent['p']} %", answer)]
    if len(given) > 1:
        computed = question[given[0].start() : given[-1].end()]
        equal = [equate(computed, answer)] if is_expression(computed) else []
    return "\n\n".join((f"{top} et {bottom} sont premiers entre eux", *equal))


def _fill_blank(sentence: str, answer: str) -> list[str]:
    """Return the sentence with the answer in its one blank."""
    line = sentence.split(":", 1)[1].strip() if _INSTRUCTION.match(sentence) else sentence
    blanks = list(_BLANK.finditer(line)) or list(_ASKED_BLANK.finditer(line))
    if len(blanks) != 1:
        return []
    before, after = line[: blanks[0].start()].rstrip(), line[blanks[0].end() :].lstrip()
    if re.search(r"\d\s*[,;–-]$", before) or re.match(r"[,;–]\s*\d", after):
        return []  # a row of numbers: `2, 4, 6, …`
    value = answer.strip("$ ") if "$" in line else answer
    if after and value.split()[-1:] == after.split()[:1]:  # `3 km = … m` and `3000 m`
        value = " ".join(value.split()[:-1]) or value
    return [answer] if "=" in value else [f"{before} {value} {after}".strip(" :")]


def _state_rounding(asked: Asked, answer: str) -> list[str]:
    """Return that a number rounded to the asked place is the answer."""
    sentence = asked.sentence
    found = _FRENCH_PLACE.search(sentence) or _ENGLISH_PLACE.search(sentence)
    if found is None or any(map(str.isdigit, "".join(asked.before))):
        return []
    named = {name: value.lower() for name, value in found.groupdict("").items()}
    place = _COUNTS.get(named.get("count", "")) or _PLACES.get(named["place"], named["place"])
    rest = f"{sentence[: found.start()]} {sentence[found.end() :]}".strip(" ,:")
    number = _ROUNDED_VALUE.sub(" ", rest).strip(" ,:")
    is_read = number and (is_expression(number) or _ROUNDABLE.fullmatch(number))
    return [f"{number} arrondi {place} est {answer}"] if is_read else []


def _state_division(found: re.Match[str], answer: str) -> list[str]:
    """Return that the remainder or quotient is the answer; a quotient may be meant either way."""
    one, other, kind = found["a"].strip(), found["b"].strip(), found["kind"].lower()
    is_rest = kind in ("reste", "remainder")
    if power := _POWER.fullmatch(one):
        return _state_rest_of_power(power, other, answer) if is_rest else []
    is_exact = kind == "quotient" and not re.search(r"euclid|entier|whole", found.string, _I)
    stated = [f"{one} / {other} = {answer}"] if is_exact else []
    if re.fullmatch(r"\d[\d ]*", answer):
        name = "reste" if is_rest else "quotient"
        stated.append(f"Le {name} de la division de {one} par {other} est {answer}")
    return stated


def _state_rest_of_power(power: re.Match[str], other: str, answer: str) -> list[str]:
    exponent = power["n"] or power["raised"].translate(FROM_SUPERSCRIPTS)
    base, modulus = int(power["a"].replace(" ", "")), int(other.replace(" ", ""))
    is_short = len(exponent) < _MOST_DIGITS > len(power["a"]) and 0 < len(other) < _MOST_DIGITS
    return [f"{pow(base, int(exponent), modulus)} = {answer}"] if is_short and modulus else []


def _state_extreme(
    found: re.Match[str], asked: Asked, answer: str, options: Sequence[str]
) -> list[str]:
    """Return that the answer is greater, or smaller, than all other numbers."""
    listed = _LIST_BEGIN.sub("", found["list"] or "")
    if not listed and any(map(str.isdigit, "".join(asked.before))):
        return []
    rivals = [each for each in _ITEM.split(listed) if each] if listed else [*options]
    if not rivals or not all(_PLAIN_VALUE.fullmatch(each) for each in (answer, *rivals)):
        return []
    sign = ">" if found["more"] else "<"
    smaller = [each for each in rivals if not equivalent(answer, each, "number")]
    if listed and len(smaller) == len(rivals) > 1:  # none of them
        return [relate(answer, "=", rivals[0])]
    return ["\n\n".join(relate(answer, sign, each) for each in smaller)]


def _state_order(answer: str, sign: str) -> list[str]:
    """Return that the numbers of the answer stand in order."""
    items = [each.strip() for each in re.split(r"[;<>≤≥]|, ", answer.replace("$", ""))]
    if len(items) < 2 or not all(_PLAIN_VALUE.fullmatch(each) for each in items):
        return []
    return ["\n\n".join(f"{one} {sign} {other}" for one, other in pairwise(items))]
