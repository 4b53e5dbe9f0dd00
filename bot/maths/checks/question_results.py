"""Check the result that an answer gives to a standard school question, from the question's data.

`Un car parcourt 210 km en 3 h 30 min. Quelle est sa vitesse moyenne ?`, then `Sa vitesse moyenne
est de 70 km/h`. A result is wrong if no value that the answer gives for what is asked fits the
data, and the right value stands nowhere in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from bot.maths.checks.passages import Line, Passage
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.questions.figure_sizes import list_heights
from bot.maths.questions.question_measures import (
    Measure,
    Question,
    Sought,
    list_measures,
    read_measured_question,
)
from bot.maths.questions.word_problems import list_results

_HOUR: Final = 3600
_FILLER: Final = (
    r"(?:(?:de|of|a|at|to|as|an|about|approximately|around|roughly|nearly|environ|presque|donc"
    r"|alors|so|thus|bien|exactly|exactement|egale?s?|equal|only|seulement|encore|en|now|maintenant"
    r"|back|au|total|tout|in|all|le|la|un|une|the|finalement|finally|then|also|aussi|just|monnaie"
    r"|change|him|her|them|you|lui|vous|nous|te|me)\b|d'|[:≈=(,→-])"
)
_LINK: Final = (
    r"(?:[:≈=→]|\b(?:est|is|are|sont|was|were|vaut|valent|mesure|mesurent|measures?|fait|font|sera"
    r"|seront|be|s'eleve|atteint|reaches|equals?|makes?|donne|gives?|obtient|trouve|get|find|soit"
    r"|sera|comptera|aura|has|devient|becomes))"
)
_BETWEEN: Final = re.compile(rf"(?:[^?;]*{_LINK})?(?: ?{_FILLER})* ?")
_OPERATION: Final = re.compile(r"[+×÷*/·^√]|\d ?[-x:] ?\d| - ")
_OPERAND: Final = re.compile(
    r" ?[-+×*/÷^²³π√=x](?! ?$)|,? (?:moins|plus|fois|times|minus|sur|pi|divis\w+|multipl\w+|over"
    r"|par|pour|per|each|chacun\w*|chaque|de plus|de moins|more|less|squared|et demie?)\b"
)
_DOUBTED: Final = re.compile(
    r"\?|\b(?:pas|not|si|if|faux|wrong|au lieu|instead|jamais|never|sans|without|sauf|otherwise"
    r"|sinon|would|\w{2,}rai(?:t|ent)|verifi\w+|check|essa\w+|try|trop|too"
    r"|plutot|estim\w+|ordre de grandeur|roughly)\b"
)
_ABOUT: Final = re.compile(
    r"≈|\b(?:environ|about|approximately|presque|nearly|around|roughly|a peu pres|arrondi\w*"
    r"|round\w*)\b"
)
_WHOLE: Final = re.compile(
    r"\b(?:nearest (?:whole|unit|person|franc|integer)|a l'unite|entier|whole number)\b"
)
_OTHER_TASK: Final = re.compile(
    r"\b(?:exemples?|examples?|imagin\w+|suppos\w+|autre (?:exercice|probleme)|essaie|a toi"
    r"|a ton tour|your turn|now try|for instance|et si|what if)\b"
)
_STEP: Final = re.compile(
    r"\b(?:en|pour|par|dans|sur|apres|avec|au bout de|in|for|over|after|with|per|each|chaque)"
    r"(?: (?:les|the|ces|only|seulement))? (?P<one>(?:une?|an?|one|chaque) (?!tout|total))?$"
)
"""Words before a number of another case than the one that is asked about: `En 1 h`."""
_ONE: Final = re.compile(
    r"\b(?:en|pour|par|dans|apres|in|for|after|per|each|chaque|every)(?: (?:une?|an?|one))?"
    r" (?:heure|hour|an|annee|year|mois|month|minute|boite|box|part|jour|day)\b"
    r"|\b(?:chaque|each|every|d'abord|first|puis|ensuite|then|premiere?s?|deuxiemes?|second|suivant\w*"
    r"|couches?|lignes?|rangees?|layers?|rows?|petits?|small|entoure\w*|around|annuel\w*|yearly"
    r"|monthly|mensuel\w*|intermediaire)\b"
)
"""Words of a part of what is asked."""
_TASK: Final = re.compile(
    r"^\W*(?:(?:maintenant|now|puis|then|ensuite|et|and|il suffit de|il reste a|a toi de"
    r"|your turn to|you just have to),? )*(?:fais|faire|prends|prendre|compter?|count|doubler?"
    r"|recommence|repete|repeat|do the same|utilise|use|continuer|finir|terminer|calcule"
    r"|trouve|additionne|ajoute|multiplie|divise|soustrais|enleve|retire|fais|find|add|multiply|subtract|divide|compute"
    r"|calculate|take away|work out|take|termine|finis|finish|complete)[zs]?\b"
)
_ASKS: Final = re.compile(
    r"\b(?:combien|how|quel\w*|what|peux-tu|peux tu|can you|trouve\w*|calcul\w*|find|which|que)\b"
)
_ANSWER: Final = r"\b(?:reponse|answer)"


def read_question_results(passage: Passage) -> Iterator[Statement]:
    """Yield the results that an answer gives for what the question asks, where its data decide."""
    if not passage.asked or not re.search(r"\d", passage.asked):
        return
    question = read_measured_question(passage.asked)
    sought = [*list_results(question), *list_heights(question, passage.write_answer())]
    if not sought:
        return
    lines = _list_solving(passage)
    numbers = [each for line in passage.lines for each in list_measures(line.text)]
    for each in sought:
        is_only = sum(each.dimension == one.dimension for one in sought) == 1
        rest = [line for line in lines if not _names_other(line.text, each, sought)]
        if statement := _judge(question, each, rest, numbers, is_only=is_only):
            yield statement


def _names_other(text: str, one: Sought, sought: Sequence[Sought]) -> bool:
    """Return whether a sentence is about other values of the question than one of them."""
    others = [each.label for each in sought if each.label != one.label]
    is_of_others = any(re.search(each, text) for each in others)
    return is_of_others and not re.search(one.label, text)


class _Claim(NamedTuple):
    text: str
    measure: Measure
    is_about: bool
    line: int


def _list_solving(passage: Passage) -> Sequence[Line]:
    """List the sentences of the answer before those that give another task."""
    lines: list[Line] = []
    for line in passage.lines:
        if _OTHER_TASK.search(line.text) and not _TASK.search(line.text):
            break
        lines.append(line)
    return lines


def _judge(
    question: Question,
    sought: Sought,
    lines: Sequence[Line],
    numbers: Sequence[Measure],
    *,
    is_only: bool,
) -> Statement | None:
    """Return the check of one value; None: the answer does not clearly state it."""
    is_rounded = question.has(r"arrondi\w*|round\w*|environ|approx\w*|nearest|pres")
    given = {each.value for each in question.measures if each.dimension == sought.dimension}
    known = sought.others if sought.may_be_given else sought.others | given
    label = re.compile(f"{sought.label}|{_ANSWER}" if is_only else sought.label)
    claims = [
        claim
        for at, line in enumerate(lines)
        if line.is_own and _may_conclude(question, sought, line.text)
        for claim in _list_claims(sought, label, line.text, at)
        if not claim.measure.readings & known or sought.fits(claim.measure, is_about=False)
    ]
    right = [
        each for each in claims if sought.fits(each.measure, is_about=each.is_about or is_rounded)
    ]
    if right:
        return decide(right[-1].text, "")
    if not claims:
        return None
    if not sought.may_be_listed and _is_shown(sought, claims[-1].measure, numbers, given):
        return None
    later = [line.text for line in lines[claims[-1].line + 1 :]]
    if any(_goes_on(sought, text, given) for text in later):
        return None
    return decide(claims[-1].text, _write(sought, claims[-1].measure))


def _goes_on(sought: Sought, text: str, given: set[Fraction]) -> bool:
    """Return whether a sentence goes on to the result: it gives a task, or another number."""
    if _TASK.search(text) or ("?" in text and _ASKS.search(text)):
        return True
    return any(
        each.dimension in (sought.dimension, "")
        and (each.dimension or text[each.start].isdigit())
        and not each.readings & (given | sought.others)
        for each in list_measures(text)
    )


def _may_conclude(question: Question, sought: Sought, text: str) -> bool:
    """Return whether a sentence may state a result of the question."""
    is_of_other = sought.excludes and re.search(rf"\b(?:{sought.excludes})\b", text)
    is_step = _is_step(question, re.sub(sought.label, " ", text))
    return not _DOUBTED.search(text) and not is_of_other and not is_step


def _is_step(question: Question, text: str) -> bool:
    """Return whether a sentence is about other data than the question's: `En 1 h, il parcourt`."""
    if _ONE.search(text):
        return True
    given = {value for each in question.measures for value in each.readings}
    return any(
        _STEP.search(text[: each.start]) and not each.readings & given
        for each in list_measures(text)
    )


def _is_shown(
    sought: Sought, claim: Measure, numbers: Sequence[Measure], given: set[Fraction]
) -> bool:
    """Return whether the right value stands anywhere in the answer, in the unit of a claim if it
    has none."""
    scale = claim.value / claim.shown if claim.shown else Fraction(1)
    for each in numbers:
        if each.dimension not in (sought.dimension, "") or each.readings & given:
            continue
        unit = Fraction(1) if each.dimension else scale
        slack = min(each.step * unit / 2, sought.high / 50)
        if any(
            sought.low - slack <= value * unit <= sought.high + slack for value in each.readings
        ):
            return True
    return False


def _list_claims(sought: Sought, label: re.Pattern[str], text: str, at: int) -> Iterator[_Claim]:
    """List the values that a sentence gives for what is sought."""
    labels = list(label.finditer(text))
    measures = list_measures(text)
    follows = re.compile(rf" ?(?:{sought.follows})\b") if sought.follows else None
    is_about = bool(_ABOUT.search(text)) and not _WHOLE.search(text)
    for measure in measures:
        if measure.dimension != sought.dimension or _OPERAND.match(text, measure.end):
            continue
        if sought.noun and not re.fullmatch(sought.noun, measure.noun):
            continue
        named = [each for each in labels if each.end() <= measure.start]
        between = text[named[-1].end() : measure.start] if named else ""
        is_stated = named and _may_link(between, sought)
        if not is_stated and follows:
            before = text[: measure.start]
            is_stated = follows.match(text, measure.end) and not _OPERATION.search(before[-6:])
        if is_stated:
            start = named[-1].start() if named else measure.start
            yield _Claim(text[start : measure.end], measure, is_about, at)


def _may_link(between: str, sought: Sought) -> bool:
    """Return whether the words between a name and a number say that it has this value."""
    if sought.rivals and re.search(rf"\b(?:{sought.rivals})", between):
        return False
    return bool(_BETWEEN.fullmatch(between)) and not _OPERATION.search(between)


def _write(sought: Sought, measure: Measure) -> str:
    """Return the value as a reason shows it, in the unit of a claim."""
    scale = measure.value / measure.shown if measure.shown else Fraction(1)
    if sought.dimension == "time":
        return f"it is {float(sought.low / _HOUR):.6g} h"
    return f"it is {float((sought.low + sought.high) / 2 / scale):.6g}"
