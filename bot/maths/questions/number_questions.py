"""State the answer to a question about how a number is written, or about a row of numbers: in
words, in digits, the next term, the ratio. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

from bot.maths.questions.question_sentences import Asked
from bot.maths.reading.number_words import ORDINALS, fold, words_to_number
from bot.maths.reading.plain_words import read_value, read_values, write_plainly
from bot.maths.reading.vocabulary import DIGITS

_I: Final = re.IGNORECASE
_LONGEST: Final = 400
"""Most characters of a question that is read."""


def state_number(asked: Asked, answer: str) -> str:
    """Return that the answer equals the number that is asked; empty: the question is of no such
    kind, or a number is spelled in words that may be right."""
    whole = asked.whole
    if len(whole) > _LONGEST or "=" in answer:
        return ""
    if _IN_WORDS.search(whole):
        return _state_spelled(whole, answer)
    if (quoted := _QUOTED.search(whole)) and _IN_DIGITS.search(whole):
        value = words_to_number(next(filter(None, quoted.groups())).strip())
        return f"{value} = {answer}" if value is not None else ""
    text = write_plainly(fold(whole))
    if stated := _state_general_term(text, answer) or _state_overall_change(text, answer):
        return stated
    value = (
        _find_sum(text)
        or _find_factor(text)
        or _find_operand(text)
        or _count_divisors(text)
        or _find_term(text, write_plainly(fold(asked.sentence)))
    )
    is_single = _SINGLE.fullmatch(answer.strip(" $"))
    return f"{value} = {answer}" if value is not None and is_single else ""


_SINGLE: Final = re.compile(r"[-−+]?\d[\d .,]*(?:[/]\d+)?|\\[dt]?frac\{\d+\}\{\d+\}")

# Words and digits ---------------------------------------------------------------------------------

_IN_WORDS: Final = re.compile(r"\ben (?:toutes )?lettres\b|\bin words\b", _I)
_IN_DIGITS: Final = re.compile(
    r"\ben chiffres\b|\bin (?:digits|figures|numbers)\b|\bquel nombre (?:s['’][ée]crit|est)\b"
    r"|\bs['’][ée]crit\b",
    _I,
)
_QUOTED: Final = re.compile(
    r"«([^«»]{3,80})»|\"([^\"]{3,80})\"|“([^“”]{3,80})”|: ([^\W\d][^:?.]{3,80})$"
)
_SHOWN: Final = re.compile(r"(?<![\w.,])\d[\d \u00a0\u202f]*(?:[.,]\d+)?")


def _state_spelled(whole: str, answer: str) -> str:
    """Return that a number is spelled by words of another one; empty: the words may be right."""
    shown = [each.strip() for each in _SHOWN.findall(whole)]
    value = words_to_number(answer)
    if len(shown) != 1 or value is None or any(map(str.isdigit, answer)):
        return ""
    readings = read_values(re.sub("[\u00a0\u202f]", " ", shown[0]))
    return "" if value in readings else f"{shown[0]} = {value}"


# Rows of numbers ----------------------------------------------------------------------------------

_VALUE: Final = r"-?\d+(?:\.\d+|,\d+(?=\s*[;…]))?(?:/\d+)?"
_BLANK: Final = r"(?:…|\.{3}|_{2,}|\?|□)"
_ROW: Final = re.compile(rf"(?:(?:{_VALUE}|{_BLANK})\s?[;,]\s?){{3,}}+(?:{_VALUE}|{_BLANK})?")
_ITEM: Final = re.compile(rf"{_VALUE}|{_BLANK}")
_NEXT: Final = re.compile(
    r"\bsuivant\w*|\bcomplet\w*|\bcontinu\w*|\bnext\b|\bvient apres\b|\bmanqu\w*|\bmissing\b"
    r"|\bfill\b"
)
_OTHER_TERM: Final = re.compile(
    r"\b(?:somme|sum|rang|rank|general\w*|formule|formula|expression|deux|two|trois|three|moyenne"
    r"|mean"
    r"|mediane|median|mode|etendue|range|nature|ordre|order|plus (?:grand|petit)|pair\w*"
    r"|premier\w*(?! terme)|prime)\b"
)
_RATIO: Final = re.compile(r"\braison\b|\bcommon (?:ratio|difference)\b")
_MOST: Final = 50
"""The greatest place of a term that is worked out."""
_LEAST: Final = 4
"""Terms of a row that tell its rule."""
_PLACES: Final = {name: place for name, place in ORDINALS.items() if place > 1}
"""Places of terms by name; the first term is told beside the rule."""
_NTH: Final = re.compile(
    rf"\b(?:(?P<n>\d{{1,3}}) ?(?:e|eme|ieme|th|rd|nd)|(?P<w>{'|'.join(_PLACES)})) (?:terme|term"
    rf"|nombre|number)\b"
)
_BEGINS: Final = re.compile(
    r"\b(?:commence (?:a|par|avec)|commencant par|premier terme (?:est|vaut"
    r"|egal a)?(?:[a-z][0_₁1]? ?= ?)?|de premier terme|first term (?:is|of)?"
    r"|starts? (?:at|with|from)|begins? (?:at|with)|part de)\s?(?P<a>-?\d+(?:[.,]\d+)?)(?![\d/])"
)
_SIZE: Final = r"(?P<s>\d+(?:[.,]\d+)?)"
_STEPS: Final = (
    ("+", rf"\b(?:ajout\w+|additionn\w+|add(?:s|ing)?|augment\w+ de|increases? by) {_SIZE}"),
    ("-", rf"\b(?:retir\w+|enlev\w+|soustr\w+|subtract(?:s|ing)?|diminu\w+ de) {_SIZE}"),
    ("*", rf"\bmultipli\w+ (?:(?:le precedent|chaque terme|each term|it) )?(?:par|by) {_SIZE}"),
    ("+", rf"\b(?:each term is|chaque terme vaut) {_SIZE} (?:more than|de plus)"),
    ("*2", r"\b(?:on |we )?doubl(?:e|es|ing|ant)\b"),
    ("/2", r"\b(?:on )?prend la moitie\b|\bhalv(?:e|es|ing)\b"),
    ("*3", r"\b(?:on )?triple\b"),
)
_NAMED_RATIO: Final = re.compile(
    r"\b(?:raison|common (?:ratio|difference))(?: (?:est|is|of|egale a"
    r"|de))?(?: ?[rq] ?=)? ?(?P<s>-?\d+(?:[.,]\d+)?)(?![\d/])"
)


_GENERAL: Final = re.compile(r"\b(?:the )?(?:nth|n-th|general) term\b|\bterme general\b")


_IN_N: Final = re.compile(r"[\d\s+()×*n−-]{1,30}")
_PLACE: Final = 17
"""The n with which a general term is tried."""


def _state_general_term(text: str, answer: str) -> str:
    """Return that the nth term of a row with equal steps, whose first term has n = 1, is the
    answer."""
    rows = list(_ROW.finditer(text))
    if len(rows) != 1 or not _GENERAL.search(text) or re.search(r"\b[a-z]_?0\b|n ?= ?0", text):
        return ""
    known = [_read_term(each) for each in _ITEM.findall(rows[0][0]) if each[-1].isdigit()]
    terms = _drop_blanks(known)
    steps = {later - earlier for earlier, later in pairwise(terms)}
    if len(terms) < _LEAST or len(steps) != 1:
        return ""
    step = steps.pop()
    bare = answer.strip(" $")
    if not _IN_N.fullmatch(bare):
        return ""
    value = re.sub(r"n", f"({_PLACE})", re.sub(r"(?<=\d) ?n", f" × {_PLACE}", bare))
    return f"{terms[0] + (_PLACE - 1) * step} = {value}"


def _find_term(text: str, sentence: str) -> Fraction | None:
    """Return the term or the ratio of a row of numbers; None: its rule is not clear."""
    rows = list(_ROW.finditer(text))
    if len(rows) != 1:
        return None if rows else _find_described_term(text)
    terms = [_read_term(each) for each in _ITEM.findall(rows[0][0])]
    has_blank = terms[-1] is None
    if has_blank:
        terms.pop()
    if None in terms:
        return None if has_blank else _fill_row(terms)
    rest = f"{text[: rows[0].start()]} {text[rows[0].end() :]}"
    return _continue_row(_drop_blanks(terms), rest, sentence, has_blank=has_blank)


def _continue_row(
    terms: Sequence[Fraction], rest: str, sentence: str, *, has_blank: bool
) -> Fraction | None:
    """Return what the words beside a row ask: a term with its place, the ratio, or the next one."""
    rule = None if _OTHER_TERM.search(rest) else _find_rule(terms, rest)
    if rule is None:
        return None
    sign, step = rule
    if found := _NTH.search(rest):
        place = int(found["n"] or _PLACES[found["w"]]) - 1
        ways = {"+": terms[0] + place * step, "*": terms[0] * step ** min(place, _MOST)}
        return ways.get(sign)
    if re.search(r"\d", rest) and not any(re.search(each, rest) for _, each in _STEPS):
        return None
    if _RATIO.search(sentence):
        return step if sign in "+*" else None
    is_next = has_blank or _NEXT.search(rest)
    return (terms[-1] * step if sign == "*" else terms[-1] + step) if is_next else None


def _fill_row(terms: Sequence[Fraction | None]) -> Fraction | None:
    """Return the only blank within a row of equal steps."""
    known = _drop_blanks(terms)
    if len(known) != len(terms) - 1 or len(known) < _LEAST or terms[0] is None:
        return None
    at = terms.index(None)
    before, after = terms[at - 1], terms[at + 1]
    if before is None or after is None:
        return None
    filled = [*known[:at], (before + after) / 2, *known[at:]]
    steps = {later - earlier for earlier, later in pairwise(filled)}
    return filled[at] if len(steps) == 1 else None


def _drop_blanks(terms: Sequence[Fraction | None]) -> list[Fraction]:
    return [each for each in terms if each is not None]


def _read_term(text: str) -> Fraction | None:
    is_number = text[-1].isdigit() and not re.search(r"/0+$", text)
    return Fraction(text.replace(",", ".")) if is_number else None


def _find_rule(known: Sequence[Fraction], rest: str) -> tuple[str, Fraction] | None:
    """Return the difference or the ratio of all neighbours, or the `next` difference if they grow
    evenly; None: there is none, or the terms are too few to tell."""
    has_rule = bool(re.search(r"\b(?:arithmet|geometr|doubl|tripl|ajout|multipli|add)", rest))
    if len(known) < (_LEAST if not has_rule else 3) or 0 in known[:-1]:
        return None
    differences = {after - before for before, after in pairwise(known)}
    steps = [after - before for before, after in pairwise(known)]
    growths = {after - before for before, after in pairwise(steps)}
    if len(known) > _LEAST and len(growths) == 1 and growths != {0}:
        return "next", steps[-1] + growths.pop()
    ratios = {after / before for before, after in pairwise(known)}
    if len(differences) == 1 and (step := differences.pop()):
        return "+", step
    return ("*", ratios.pop()) if len(ratios) == 1 else None


def _find_described_term(text: str) -> Fraction | None:
    """Return a term of a sequence that is told by its first term and its rule."""
    first, nth = _BEGINS.search(text), _NTH.search(text)
    if first is None or nth is None or _OTHER_TERM.search(_NTH.sub(" ", text)):
        return None
    place = int(nth["n"] or _PLACES[nth["w"]]) - 1
    start = Fraction(first["a"].replace(",", "."))
    found = _read_step(text)
    if found is None or place > _MOST or len(re.findall(r"\d+(?:[.,]\d+)?", text)) > 3:
        return None
    sign, step = found
    return start + place * step if sign == "+" else start * step**place


def _read_step(text: str) -> tuple[str, Fraction] | None:
    """Return the one rule that leads from a term to the next; None: there is none, or several."""
    if ratio := _NAMED_RATIO.search(text):
        is_sum = "arithm" in text
        if is_sum == ("geom" in text):
            return None
        return "+" if is_sum else "*", Fraction(ratio["s"].replace(",", "."))
    steps = [(sign, found) for sign, each in _STEPS if (found := re.search(each, text))]
    if len(steps) != 1:
        return None
    sign, found = steps[0]
    if len(sign) > 1:
        return "*", Fraction(int(sign[1])) if sign[0] == "*" else Fraction(1, 2)
    size = Fraction(found["s"].replace(",", "."))
    return ("*", size) if sign == "*" else ("+", size if sign == "+" else -size)


# Single formulas ----------------------------------------------------------------------------------

_SUM: Final = re.compile(
    r"\b(?:somme|sum)\b[^\d]{0,40}\b(?:de|from) 1 (?:a|to) (?P<n>\d{1,4})(?: inclus)?$"
    r"|\b(?:somme|sum) (?:des|of the) (?P<m>\d{1,4}) (?:premiers (?:entiers"
    r"|nombres entiers)(?: naturels)? non nuls|first positive integers)$"
)
_NOT_SUM: Final = re.compile(
    r"\b(?:pairs?|impairs?|even|odd|carres?|squares?|cubes?|multiples?|inverses?"
    r"|premiers nombres premiers)\b"
)
_CHANGED: Final = re.compile(
    r"\b(?:(?P<up>augment\w*|hausse|increas\w*)|(?P<down>diminu\w*|baiss\w*|redu\w*|remise"
    r"|decreas\w*))\b[^%]{0,40}?"
    r"\b(?P<p>\d{1,2}(?:[.,]\d+)?) ?%[^%\d]{0,60}\bmultipli\w*[^%\d]{0,20}$"
    r"|\bmultipli\w*[^%\d]{0,50}\b(?:(?P<up2>augment\w*|hausse|increas\w*)|(?P<down2>diminu\w*"
    r"|baiss\w*|redu\w*|remise|decreas\w*))\b[^%]{0,40}?"
    r"\b(?P<p2>\d{1,2}(?:[.,]\d+)?) ?%$"
)


def _find_sum(text: str) -> Fraction | None:
    """Return the sum of the whole numbers from 1."""
    found = _SUM.search(text.rstrip(" ?.:"))
    if found is None or _NOT_SUM.search(text):
        return None
    count = int(found["n"] or found["m"])
    return Fraction(count * (count + 1), 2)


def _find_factor(text: str) -> Fraction | None:
    """Return the factor of an increase or decrease in percent."""
    found = _CHANGED.search(text.rstrip(" ?.:"))
    if found is None or len(re.findall(r"\d+", text)) > 2:
        return None
    rate = Fraction((found["p"] or found["p2"]).replace(",", ".")) / 100
    return 1 + rate if found["up"] or found["up2"] else 1 - rate


_COUNTED_DIVISORS: Final = re.compile(
    r"\bcombien (?:de diviseurs (?:positifs )?(?:a|possede|admet) (?:le nombre )?(?P<a>\d{1,4})"
    r"|(?P<b>\d{1,4}) a-t-il de diviseurs(?: positifs)?)$"
    r"|\bhow many (?:factors|divisors) does (?P<c>\d{1,4}) have$"
    r"|\b(?:nombre de diviseurs(?: positifs)? de|number of (?:factors|divisors) of) (?P<d>\d{1,4})$"
)


def _count_divisors(text: str) -> Fraction | None:
    """Return how many divisors the number has of which a question asks this."""
    found = _COUNTED_DIVISORS.search(text.rstrip(" ?.:"))
    number = int(next(filter(None, found.groups()))) if found else 0
    return Fraction(sum(not number % each for each in range(1, number + 1))) if number else None


_GROWS: Final = r"(?:augment\w*|hausse|increas\w*)"
_FALLS: Final = r"(?:diminu\w*|baiss\w*|redu\w*|decreas\w*|falls?)"
_RATE: Final = r"(?P<{0}>\d{{1,2}}(?:[.,]\d+)?) ?%"
_TWO_CHANGES: Final = re.compile(
    rf"\b(?:(?P<up>{_GROWS})|{_FALLS}) (?:de |by |of )?{_RATE.format('p')}"
    r"(?:,? (?:puis|et|suivie|suivi|and|then|followed))+(?: (?:encore|ensuite|apres|d'une|de|by|an?"
    rf"|again|il|elle|it)(?!\w))*(?: (?:(?P<up2>{_GROWS})|(?P<down2>{_FALLS})))?"
    rf"(?: (?:encore|ensuite|again))? (?:de |by |of )?{_RATE.format('p2')}"
)
_OVERALL: Final = re.compile(
    rf"\b(?:{_GROWS}|(?P<down>{_FALLS})|evolution|variation|change)\b[^%.?]*"
    r"\b(?:total|global|en tout|overall)|\b(?:total|overall) (?:increase|(?P<fall>decrease)|change)"
)
_CHANGE: Final = re.compile(
    rf"(?:(?:une? |an? )?(?:{_GROWS}|(?P<down>{_FALLS})) (?:de |of )?)?"
    r"(?P<size>(?P<sign>[-+\u2212])?\d+(?:[.,]\d+)?) ?%"
)


def _state_overall_change(text: str, answer: str) -> str:
    """Return that the answer is the change in percent of two changes one after another; empty: no
    such is asked."""
    changes, said = _TWO_CHANGES.search(text), _CHANGE.fullmatch(fold(answer.strip(" $.")))
    asked = _OVERALL.search(text)
    if not changes or not said or not asked or text.count("%") != 2:
        return ""
    first, second = (Fraction(changes[each].replace(",", ".")) / 100 for each in ("p", "p2"))
    grows = (bool(changes["up"]), bool(changes["up2"] or (changes["up"] and not changes["down2"])))
    factor = (1 + first if grows[0] else 1 - first) * (1 + second if grows[1] else 1 - second)
    is_bare = said[0] == f"{said['size']} %" and not said["sign"]
    is_fall = said["down"] or (is_bare and (asked["down"] or asked["fall"]))
    change, size = 100 * (factor - 1), said["size"]
    if is_bare and not is_fall and change < 0 and Fraction(size.replace(",", ".")) == -change:
        return ""
    return f"{change} = {'-' if is_fall else ''}{size}"


_OPERAND: Final = re.compile(
    r"\b(?:quel nombre|what number|which number)(?: est| is)?,? "
    r"(?:(?P<added>ajoute a|augmente de|added to)|(?P<taken>diminue de|decreased by)"
    r"|(?P<times>multiplie par|multiplied by)|(?P<over>divise par|divided by)) "
    rf"(?P<a>-?{DIGITS}),? (?:donne|fait|vaut|=|gives|makes|equals) (?P<b>-?{DIGITS})$"
    r"|\b(?:par combien|par quel nombre|by what(?: number)?) (?P<factor>.{0,12}multipli\w* |.{0,20}"
    rf"\bmultiply )(?P<c>-?{DIGITS}) (?:pour (?:obtenir|trouver|avoir)|to get) (?P<d>-?{DIGITS})$"
)


def _find_operand(text: str) -> Fraction | None:
    """Return the number that an operation with one number turns into another: `quel nombre ajouté à
    26 donne 50`."""
    found = _OPERAND.search(text.rstrip(" ?.:"))
    if found is None:
        return None
    one, other = (read_value(found[name]) for name in ("cd" if found["factor"] else "ab"))
    if one is None or other is None or (not one and (found["factor"] or found["times"])):
        return None
    if found["added"]:
        return other - one
    if found["taken"]:
        return other + one
    return other * one if found["over"] else other / one
