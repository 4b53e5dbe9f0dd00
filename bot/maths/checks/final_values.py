"""Check the value that a sentence concludes against the computation just before it.

`15 000 ÷ 5 = 3 000. Donc chacun reçoit 30 000 F` is wrong, as 30 000 is neither the result nor one
step from it with another number of the text. If the computations have used each number of the text,
no step is left, and the value has to be the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final, NamedTuple

from bot.maths.exact.algebra_questions import Known, Statement
from bot.maths.exact.arithmetic import Measure, Undecidable, evaluate
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Num,
    Quantity,
    Solutions,
    free_letters,
    has_operation,
    has_operator,
    is_fraction,
    is_mixed,
    is_percent,
    number,
    walk,
)
from bot.maths.exact.units import find_unit
from bot.maths.reading.number_words import fold
from bot.maths.reading.prose import Sentence
from bot.maths.reading.vocabulary import THEN
from bot.maths.reading.wording import Wording

_CONCLUDES: Final = re.compile(
    r"\b(?:donc|ainsi|finalement|conclusion|reponse|au final|so|therefore|answer|finally|il faut"
    r"|il y a)\b"
    r"|(?:\b(?:est|sont|vaut|mesure\w*|fait|font|coute\w*|dur\w+|pese|etait|devient|is|was|costs?|gets?"
    r"|rends?|paye\w*|paie\w*|paiera|payer|reste|gagne|recoit|compte|economise|depense|possede"
    r"|obtien\w*|rempli\w*|form\w+|parcour\w*|soit|a savoir|resultat :))"
    rf"(?: (?:{THEN}|de|d|a|egale? a|to|of|en tout))* [#%](?: (?!a )[a-z]+){{0,3}}(?: [.!])?$"
    r"|\b(?:benefice|hausse|baisse|augment|diminu|redui|reduction|remise)\w*(?: [a-z]+){0,3} %"
    r"|\b(?:(?:peu|doi|pourr|devr|v)\w+ (?:[a-z]+ ){0,2}[a-z]+re?|il y en a|can [a-z]+"
    r"|(?:lui|te|me|leur|nous|vous) reste maintenant|(?:a|as|ai|has"
    r"|have) (?:donc )?(?:maintenant|now)"
    r"|is now)"
    r" [#%](?: [a-z]+)?(?: [.!])?$"
)
_OTHER: Final = re.compile(
    r"\b(?:quand|when|si|if|imagin\w+|suppos\w+|exemple|example|essai\w*|environ|about|presque|pres"
    r"|entre|between|ions?|de (?:plus|moins)|(?:plus|moins) (?:de|d|que)"
    r"|(?:more|less|greater|smaller) than"
    r"|au (?:plus|moins)|exercice|page|chapitre|niveau|note|divisible\w*|multiple\w*|premiere?s?"
    r"|etape|step|partie|part|j ecris|\w* ?poses?|voul\w*|veu(?:t|x|lent)|want\w*|ordonnee"
    r"|chiffres?|regle"
    r"|le reste|remainder|on (?:avance|recule|arrive)"
    r"|ne|n|pas|not|bissextile|base|puissance\w*|verifi\w*|check|autres?"
    r"|other|prochain\w*|ensuite|encore|fois|times|puis|then|next"
    r"|suivant\w*|apres|after|moitie|double|triple|tiers|quart|half|twice|thirds?|avant|before"
    r"|serai\w*|aurai\w*|would|factori\w*|racines?|probabilite\w*|cote\w*|sides?|minuit|midi"
    r"|retour|repart\w*|carres?|cubes?|logarithme|millions?|milliers?|arrondi\w*|round\w*|inverse"
    r"|termes?|terms?|oppose|bonne?|vraie?|right|correct|plutot|hypotenuse|diametre|diameter|mediane?|chances?"
    r"|dizaines?|centaines?|facteurs?|factors?|retenue\w*|carry"
    r"|nombre (?:cherche|inconnu|mystere|est|donc))\b|[=≈≠<>≤≥→×÷+≡?@]"
)
"""Words and signs with which the value is another one than the result."""
_ABOUT: Final = re.compile(r"\b(?:environ|about|presque|a peu pres)\b|≈")
_ITEM: Final = re.compile(r"[^#%]*: [#%]\W*")
"""A label with a value, as in a list: `huile : 1 100 F`."""
_OF_UNIT: Final = re.compile(
    r"\b(?:une?|an?) [a-z]+(?: (?:carre|cube|metrique|square|cubic|[a-z]+))? "
    r"(?:vaut|fait|represente|equivaut a|correspond a|is|equals) $"
)
"""Words before the size of a unit: `un are vaut 100 m²`."""
_LEAST_DIGITS: Final = 2
"""Digits of a number from which one that is changed is taken for a slip."""
_IN_COLUMNS: Final = re.compile(
    r"\b(?:retien\w*|retenue\w*|carry|carries|unites|dizaines|tens|ones|reste|remainder)\b"
)
"""Words of a computation of digits, whose result is none."""
_TAIL: Final = re.compile(
    r"(?<=[=≈] [#%]) (?:[a-z²³°]+ )?(?:[.,;:→⇒] )*(?=(?:donc|so|alors|soit|a savoir|ca|cela"
    r"|il|elle|on|tu)\b[^=≈]*[#%][^=≈]*$)"
)
"""Where a conclusion begins in the sentence of its computation."""
_IMPLIED: Final = re.compile(
    r"\b(?:moitie|doubles?|triples?|tiers|quart|douzaines?|dizaines?|centaines?|paires?|ensemble"
    r"|chacun\w*|chaque|autant|isocele|equilateral\w*|rectangle|losange|semaines?|jours?|journee"
    r"|quinzaine|trimestres?|allers?|retours?|piquets?|poteaux|arbres|intervalles?|fois|totale?s?"
    r"|tous|toutes|both|together|each|every|half|twice|week|reste de|pieds?|pattes|roues?"
    r"|complement\w*|supplement\w*|adjacents?|opposee?s?|second|deuxieme|troisieme|third|interets?|\w+gones?|reguli\w+"
    r"|capital\w*|plac\w+|benefices?|haus\w+|baiss\w+|augment\w+|diminu\w+|remises?|reductions?"
    r"|nouveaux?|nouvelle|new|finale?)\b"
    r"|%"
)
"""Words of a text in which a step may be left though each number is used."""
_POSTS: Final = re.compile(
    r"\b(?:intervalles?|espaces?|piquets?|poteaux?|arbres?|plants?|bornes?|compris\w*|inclus\w*"
    r"|posts?|trees?|gaps?|inclusive\w*)\b"
)
"""Words of texts in which one is added to what a division gives."""
_TOGETHER: Final = re.compile(r"\b(?:ensemble|en tout|au total|together|altogether|in total)\b")
"""Words of a whole, to which the terms of a sum may be added again."""
_SHAPED: Final = re.compile(
    r"\b(?:\w+gones?|reguli\w+|regular|ratio|parts?|shares?|se forme|reaction|equilibr\w+)\b"
)
"""Words of things whose number divides again, though it was computed with."""
_DOUBLED: Final = re.compile(
    r"\b(?:moitie|doubl\w*|demie?s?|half|halves|twice|both|deux|two|paires?|pairs?|couples?|allers?"
    r"|retours?|isocele|isosceles|milieu|midpoint|diametre|rayon|diameter|radius|triangles?|losanges?"
    r"|rectangles?|carres?|pile|face|mediane?|mean|moyenne|symetri\w+)\b|[²√π]"
)
"""Words of texts in which a half or a double goes without saying."""
_CHANGES: Final = re.compile(
    r"\b(?:rest\w*|manque\w*|rend\w*|left|remain\w*|missing|haus\w+|baiss\w+|augment\w+|diminu\w+"
    r"|nouve\w+|new|remises?|reduc\w+|redui\w+|benefices?|pertes?|interets?|tva|plus|moins|more|less|discount"
    r"|increas\w+|decreas\w+|profits?|loss|solde\w*|monnaie|change|livraison|frais)\b|%"
)
"""Words of a text that takes a product from a whole, or adds it."""
_COMPLETED: Final = re.compile(
    r"\b(?:angles?|degres?|triangle|rend\w*|monnaie|billets?|change|reste\w*|manque\w*|autres?"
    r"|complement\w*|other)\b|[°%]"
)
"""Words of a text in which a value may be what a result lacks of a whole."""
_AGAIN: Final = re.compile(
    r"^[^#%@]*\b(?<!exact )"
    rf"(?:(?:resultat|reponse|result|answer)(?: (?:{THEN}|final|est|is|:))+|vaut"
    r"|mesure|ca fait|cela fait|chacun recoit|on obtient|tu as|il y (?:en )?a donc"
    r"|il (?:(?:lui|te|me|nous|leur|en) )*reste(?:nt)?)"
    r"(?: donc)? [#%](?: (?!a |solutions?\b)[a-z]+){0,3}(?: [.!])?$"
)
"""A conclusion of one value, which is the result though the text had the value before."""
_NAMED: Final = re.compile(
    rf"(?: (?:{THEN}|finalement|finally))?(?: ,)?"
    r"(?: (?:la|the))?(?: final)? (?:reponse|answer)(?: finale)? (?:(?:est|is|:)"
    rf"(?: {THEN})?) [#%](?: (?!a |solutions?\b)[a-z]+){{0,3}}(?: [.!])?"
)
"""A sentence that only names its value as the answer, which the text has then computed; `la bonne
réponse est 3` may be the number of an option."""
_LEAVES: Final = re.compile(r"\b(?:reste\w*|manque\w*|rend\w*|left|remain\w*|missing)\b")
_RESULT: Final = re.compile(r"(?:^|[#%]|\b[a-z]|\b[A-Z]) [=≈] (?P<value>[#%])(?! [=≈<>≤≥])")
_STATED: Final = re.compile(r"\W*(?P<name>[A-Za-z]+) [=≈] [#%]\W*")
_TRIED: Final = re.compile(r"\b(?:trop|depass\w*|too|exceeds?|mais|but)\b")
_BEGINS: Final = re.compile(r" (?:donc|so) # (?!et |and |ou )[a-z]{3}")
"""The beginning of a conclusion whose first value is the result, whatever it tells then."""
_WITH: Final = re.compile(
    r"(?:et |en )?(?:avec|ajoutant|plus|with)[^#]*[ (]# ?\)?[^#]* # ?[^#%@]*$"
)
"""A conclusion from the result and another number: `avec le transport (63 800 F), il coûte …`."""
_MOST_VALUES: Final = 60
"""Values of a text up to which its last one is looked at."""
_FACTORS: Final = (2, 12, 60)
_CONVERSIONS: Final = (*_FACTORS, 4, 7, 24, 30, 52, 365, 3600, *(10**n for n in range(1, 7)))
_LEAST_ANGLE: Final = 10
"""A result from which a number without unit may be one of degrees, and no sine or tangent."""
_ANGLES: Final = (90, 180, 360)
_WHOLES: Final = (90, 100, 180, 360, 500, 1000, 2000, 5000, 10_000)
"""Numbers to which a value and a result may add up: angles, percents, banknotes."""
_CLOSE: Final = Fraction(6, 100)
_HUNDRED: Final = 100
_MOST_PLACES: Final = 9


class _Spent(NamedTuple):
    """The numbers that a text has computed with, which the next step does not use again: a product
    is not divided by its factor, nor a term added to a sum again."""

    added: frozenset[Measure] = frozenset()
    multiplied: frozenset[Measure] = frozenset()
    may_halve: bool = True
    """Whether a half or double goes without saying."""
    adds_one: bool = True
    """Whether 1 is a term in it, as in `2x + 1`, and not only an article."""


def _find_spent(before: Sequence[Wording], last: Wording) -> _Spent:
    """Return the numbers that computations of a text have used."""
    added: set[Measure] = set()
    multiplied: set[Measure] = set()
    operations = list(_list_operations(before))
    for node in operations:
        if not free_letters(node):
            numbers = {each for arg in node.args for each in _list_measures(arg)}
            (added if node.op in ("+", "-") else multiplied).update(numbers)
    if any(_SHAPED.search(each.text) for each in (*before, last)):
        return _Spent()
    if not any(_CHANGES.search(each.text) for each in (*before, last)):
        added |= multiplied
    if _TOGETHER.search(last.text):
        added.clear()
    may_halve = any(_DOUBLED.search(each.text) for each in (*before, last))
    adds_one = any(node.op in ("+", "-") and number(1) in node.args for node in operations)
    return _Spent(frozenset(added), frozenset(multiplied), may_halve, adds_one)


def _list_operations(wordings: Sequence[Wording]) -> Iterator[Apply]:
    """Yield the sums, differences, products and quotients of sentences."""
    for value in (value for each in wordings for value in each.values):
        for node in walk(value) if not isinstance(value, Solutions) else ():
            if is_mixed(node):
                break
            if isinstance(node, Apply) and node.op in ("+", "-", "*", "/"):
                yield node


class FinalValues:
    """Remembers the values of a text, and the last result."""

    def __init__(self) -> None:
        self._wordings: list[Wording] = []
        self._results: Sequence[Expr] = ()
        self._subtracts = False
        """Whether the last result is a difference."""
        self._digits = ""
        """Those with which the last result is written."""

    def learn(self, wording: Wording) -> None:
        """Remember the values of a sentence of the question."""
        if wording.values:
            self._wordings.append(wording)

    def read(self, wording: Wording, sentence: Sentence) -> Iterator[Statement]:
        """Yield what the sentence concludes from the result before it, if this is wrong."""
        for part in _split(wording):
            if part.values:
                yield from self._read(part, sentence)

    def _read(self, wording: Wording, sentence: Sentence) -> Iterator[Statement]:
        before = list(self._wordings)
        self._wordings.append(wording)
        if _tells_unit(wording):
            return
        results, self._results = self._results, ()
        if found := _find_result(wording) or _find_stated(wording, before[-1:]):
            self._results = [found, *_list_tried(wording)]
            last = wording.values[wording.values.index(found) - 1]
            self._subtracts = not isinstance(last, Solutions) and has_operator(last, "-")
            start, end = wording.places[wording.values.index(found)]
            self._digits = _list_digits(sentence.source[start:end])
        elif results and _is_own(sentence):
            place = _find_new(wording, before, results[0])
            if place is None:
                return
            start, end = wording.places[place]
            said = _ABOUT.sub(" ", wording.text)
            is_slip = _has_slip(_list_digits(sentence.source[start:end]), self._digits)
            is_slip &= not (_ITEM.fullmatch(said) or _OTHER.search(said))
            if (is_slip or self._may_conclude(wording)) and all(
                self._is_unfounded(wording, place, each, before) for each in results
            ):
                if fold(sentence.source[start:end]) == "zero":  # `further from zero`
                    return
                why = "it does not follow from the computation before it"
                yield Statement(sentence.source[start:end], [[Known("wrong", why)]])

    def _may_conclude(self, wording: Wording) -> bool:
        is_said = _CONCLUDES.search(wording.text) and not _OTHER.search(wording.text)
        is_in_columns = any(_IN_COLUMNS.search(each.text) for each in self._wordings[-3:-1])
        return bool(is_said) and not is_in_columns

    def _is_unfounded(
        self, wording: Wording, place: int, result: Expr, before: Sequence[Wording]
    ) -> bool:
        """Return whether the value neither is the result nor one step from it."""
        values = [value for each in before for value in each.values]
        values += wording.values[:place]
        if len(values) > _MOST_VALUES:
            return False
        claimed = wording.values[place]
        known = _list_all(values)
        one, other = _measure(claimed), _measure(result)
        if isinstance(claimed, Solutions) or one is None or other is None:
            return False
        is_named = _NAMED.fullmatch(wording.text) is not None and not is_mixed(claimed)
        is_bare = is_named and not one.unit.dimensions
        is_alike = is_bare or _are_alike(claimed, one, other)
        # It may conclude the result, and tell more: `17 ans, et sa mère 42 ans`.
        states_result = any(each.number == other.number for each in _list_all(wording.values))
        added = [each.number for each in _list_all(wording.values[:place])]
        is_sum = one.number in (sum(_list_results(before)), sum(added))
        is_left = _LEAVES.search(wording.text) and _lacks_whole(before, other.number)
        if not is_alike or states_result or is_sum or is_left:
            return False
        derivation = _Derivation(one, is_percent=is_percent(claimed))
        is_last = place == len(wording.values) - 1
        is_closed = is_last and _is_closed(before, wording, place, other.number)
        is_computed = not _LEAVES.search(wording.text) or self._subtracts
        if is_named or (is_closed and is_computed):
            words = " ".join(each.text for each in (*before, wording))
            is_known = is_named and derivation.is_among(known)
            return not (is_known or derivation.restates(other, words))
        is_of_posts = any(_POSTS.search(each.text) for each in (*before, wording))
        is_next = is_of_posts and abs(one.number - other.number) == 1
        return not is_next and not derivation.follows(other, known, _find_spent(before, wording))


def _is_own(sentence: Sentence) -> bool:
    return not sentence.is_disowned and "?" not in sentence.text


def _list_digits(written: str) -> str:
    return "".join(filter(str.isdigit, written))


def _has_slip(one: str, other: str) -> bool:
    """Return whether two numbers of several digits differ in one digit, or in two that are
    swapped."""
    if len(one) != len(other) or len(one) < _LEAST_DIGITS:
        return False
    changed = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
    return len(changed) == 1 or (len(changed) == 2 and changed[0] == changed[1][::-1])


def _list_results(wordings: Sequence[Wording]) -> list[Fraction]:
    """List the last results of sentences."""
    found = (_measure(each) for each in map(_find_result, wordings) if each)
    return [each.number for each in found if each]


def _split(wording: Wording) -> Sequence[Wording]:
    """Return a computation and what the same sentence concludes from it, or the whole wording."""
    found = _TAIL.search(wording.text)
    if not found:
        return (wording,)
    at, begin = wording.find_values(0, found.start())[1], found.end() - 1
    marks = [each - begin for each in wording.marks[at:]]
    return (
        Wording(wording.text[: found.start()], wording.values[:at], wording.marks[:at],
                wording.places[:at]),
        Wording(wording.text[begin:], wording.values[at:], marks, wording.places[at:]),
    )  # fmt: skip


def _lacks_whole(before: Sequence[Wording], result: Fraction) -> bool:
    """Return whether sentences only add or multiply and have no other number, so that what remains
    is of a whole that was told earlier in the conversation."""
    for value in (value for each in before for value in each.values):
        if isinstance(value, Solutions) or not has_operation(value):
            if any(each.number != result for each in _list_measures(value)):
                return False
        elif has_operator(value, "-", "/"):
            return False
    return True


def _is_closed(before: Sequence[Wording], last: Wording, place: int, result: Fraction) -> bool:
    """Return whether computations have used each number of a text but their last result, and the
    last sentence has no other one before its value."""
    if any(_IMPLIED.search(each.text) for each in (*before, last)):
        return False
    plain, used = set[Fraction](), set[Fraction]()
    if {each.number for each in _list_all(last.values[:place])} - {1}:
        return False
    for value in (value for each in before for value in each.values):
        if not isinstance(value, Solutions) and has_operation(value) and not is_mixed(value):
            used |= {node.value for node in walk(value) if isinstance(node, Num)}
            used |= {
                each.number
                for node in walk(value)
                if is_mixed(node)
                for each in _list_measures(node)
            }
        else:
            plain |= {each.number for each in _list_measures(value)}
    return plain - {result} <= used and result not in used


def _tells_unit(wording: Wording) -> bool:
    """Return whether a sentence only tells how large a unit is: `Or 1 t = 1 000 kg`."""
    match wording.values:
        case [Quantity(Num(one), name), Quantity(Num(), other)]:
            units = find_unit(name), find_unit(other)
            is_same_kind = units[0] and units[1] and units[0].dimensions == units[1].dimensions
            return one == 1 and name != other and bool(is_same_kind)
        case _:
            return False


def _find_result(wording: Wording) -> Expr | None:
    """Return the result of the last equality of a sentence that ends with it; None: there is
    none, it is wrong or given, or it has letters on its left."""
    found = list(_RESULT.finditer(wording.text))
    if not found:
        return None
    at = wording.marks.index(found[-1].start("value"))
    rest = wording.values[at + 1 :]
    if rest and any(_measure(each) != _measure(wording.values[at]) for each in rest):
        return None
    left = wording.values[at - 1] if at and found[-1][0][0] in "#%" else None
    value = wording.values[at]
    if isinstance(value, Solutions) or isinstance(left, Solutions):
        return None
    if left is None or not (has_operation(left) or _is_converted(left, value)):
        return None
    computed, shown = _measure(left), _measure(value)
    if free_letters(left) or shown is None:
        return None
    is_right = computed is None or _Derivation(shown, is_percent=False).is_shown_by(computed)
    return value if is_right else None


def _is_converted(left: Expr, value: Expr) -> bool:
    """Return whether a quantity is written in another unit: `3 m³ = 3 000 L`."""
    return isinstance(left, Quantity) and isinstance(value, Quantity) and left.unit != value.unit


def _find_stated(wording: Wording, before: Sequence[Wording]) -> Expr | None:
    """Return the value of `V = 120 cm³` below `V = 4 × 3 × 10`; None: it is no such line."""
    stated = _STATED.fullmatch(wording.text)
    if stated is None or not before or f"{stated['name']} = " not in before[0].text:
        return None
    value = wording.values[-1]
    computed = [each for each in before[0].values if not isinstance(each, Solutions)]
    shown = _measure(value)
    is_result = any(
        has_operation(each) and (one := _measure(each)) and shown and one.number == shown.number
        for each in computed
    )
    return value if is_result and not isinstance(value, Solutions) else None


def _list_tried(wording: Wording) -> list[Expr]:
    """List the results before the last one that a sentence finds too large or too small: `6 × 8 =
    48 et 6 × 9 = 54 (trop grand)`."""
    if not _TRIED.search(wording.text):
        return []
    places = [wording.marks.index(each.start("value")) for each in _RESULT.finditer(wording.text)]
    values = [wording.values[at] for at in places[:-1]]
    return [each for each in values if not isinstance(each, Solutions)]


def _find_new(wording: Wording, before: Sequence[Wording], result: Expr) -> int | None:
    """Return the place of the only value of a sentence that no sentence before it has, or the only
    one in the unit of the result; None: there is none, or it is no plain number."""
    known = {
        each.number for one in before for value in one.values for each in _list_measures(value)
    }
    new: list[int] = []
    for place, value in enumerate(wording.values):
        measure = _measure(value)
        if measure is None:
            return None
        if _OF_UNIT.search(wording.text[: wording.marks[place]]):
            continue
        is_new = measure.number not in known or bool(_AGAIN.search(wording.text))
        if is_new and (measure.number != 1 or len(wording.values) == 1):
            new.append(place)
    unit = shown.unit if (shown := _measure(result)) else None
    if len(new) > 1 and unit and unit.dimensions:
        new = [at for at in new if (one := _measure(wording.values[at])) and one.unit == unit]
    if len(new) == 2 and new[1] == len(wording.values) - 1 and _WITH.match(wording.text):
        new = new[1:]
    if not new or (len(new) > 1 and not _BEGINS.match(wording.text)):
        return None
    value = wording.values[new[0]]
    is_plain = isinstance(value, Num | Quantity) or is_percent(value) or is_fraction(value)
    is_time = not isinstance(value, Solutions) and is_mixed(value)
    return new[0] if (is_plain and not _has_inner(value)) or is_time else None


def _has_inner(value: Expr | Solutions) -> bool:
    return isinstance(value, Quantity) and has_operation(value.number)


def _are_alike(claimed: Expr | Solutions, one: Measure, result: Measure) -> bool:
    """Return whether a value may tell a result: in like units, or as a percentage of one."""
    if is_percent(claimed):
        return not result.unit.dimensions and 0 < abs(result.number) <= _FACTORS[0]
    if one.unit.dimensions == result.unit.dimensions:
        return True
    is_time = not isinstance(claimed, Solutions) and is_mixed(claimed)
    is_sine = one.unit == find_unit("°") and abs(result.number) < _LEAST_ANGLE
    return not result.unit.dimensions and not is_time and not is_sine


class _Derivation:
    """The ways in which a value may follow from a result and one other number.

    Args:
        claimed: the value.
        is_percent: whether it is told in percent.
    """

    def __init__(self, claimed: Measure, *, is_percent: bool) -> None:
        self._unit = claimed.unit
        self._is_angle = claimed.unit == find_unit("°")
        self._value = claimed.number * (_HUNDRED if is_percent else 1)
        self._is_percent = is_percent

    def follows(self, result: Measure, known: Sequence[Measure], spent: _Spent) -> bool:
        firsts = {self._convert(result), result.number}
        if self._is_percent:
            firsts |= {result.number * _HUNDRED, (result.number - 1) * _HUNDRED}
            firsts |= {_HUNDRED - each for each in firsts}
        numbers = [self._convert(each) for each in known]
        added, multiplied = (frozenset(map(self._convert, each)) for each in spent[:2])
        is_shown = any(map(self._is_exact, firsts)) or any(map(self._is_shown, numbers))
        if is_shown or self._is_power(firsts):
            return True
        ignored = {0} if spent.adds_one else {0, 1}
        sums = (
            one + other
            for one, other in combinations({*numbers} - ignored, 2)
            if one.denominator == other.denominator
            and not (one in added and other in (added | firsts))
            and not (other in added and one in firsts)
        )
        if any(map(self._is_shown, sums)) or self._completes(result):
            return True
        return any(
            (number not in added and self._is_sum(first, number, is_like=_are_like(result, each)))
            or (number not in multiplied and self._is_product(first, number))
            for first in firsts
            for each, number in zip(known, numbers, strict=True)
        ) or any(
            self._is_multiple(first, factor)
            for first in firsts
            for factor in _FACTORS[not spent.may_halve :]
        )

    def _completes(self, result: Measure) -> bool:
        """Return whether the value is the angle that is missing beside a sum of angles, or
        half of it."""
        rests = [whole - result.number for whole in _ANGLES]
        return self._is_angle and any(self._value in (rest, rest / 2) for rest in rests)

    def restates(self, result: Measure, words: str) -> bool:
        """Return whether the value is the result, perhaps in another unit, or its complement.

        Args:
            words: the text.
        """
        firsts = {self._convert(result), result.number}
        if self._is_percent:
            firsts |= {result.number * _HUNDRED, (result.number - 1) * _HUNDRED}
        firsts |= {-each for each in firsts}
        if any(map(self._is_exact, firsts)) or (_DOUBLED.search(words) and self._is_power(firsts)):
            return True
        if self._value + result.number in _WHOLES and _COMPLETED.search(words):
            return True
        factors = _FACTORS if result.unit.dimensions else _CONVERSIONS
        return any(
            self._is_multiple(first, factor)
            for first in firsts
            for factor in factors[not _DOUBLED.search(words) :]
        )

    def is_among(self, known: Sequence[Measure]) -> bool:
        """Return whether the value is one of these, perhaps rounded, or read as `12,200`."""
        numbers = [self._convert(each) for each in known]
        return any(map(self._is_exact, (*numbers, *(1000 * each for each in numbers))))

    def _is_exact(self, number: Fraction) -> bool:
        """Return whether the value is a number, or a decimal one rounded to a whole."""
        is_whole = self._value.denominator == 1 and number.denominator != 1
        return self._is_shown(number) or (is_whole and abs(self._value - number) < 1)

    def is_shown_by(self, measure: Measure) -> bool:
        """Return whether the value is this measure, perhaps rounded."""
        return self._is_shown(self._convert(measure))

    def _convert(self, measure: Measure) -> Fraction:
        """Return a number in the value's unit, if it can be converted."""
        dimensions = measure.unit.dimensions
        if dimensions and dimensions == self._unit.dimensions:
            return measure.number * measure.unit.size / self._unit.size
        return measure.number

    def _is_power(self, firsts: set[Fraction]) -> bool:
        value = self._value
        return any(
            self._is_near(value * value, each)
            or self._is_near(value**3, each)
            or self._is_shown(each * each)
            for each in firsts
        )

    def _is_sum(self, first: Fraction, other: Fraction, *, is_like: bool) -> bool:
        are_whole = first.denominator == self._value.denominator == 1
        may_add = is_like and not self._is_percent and other not in (0, 1)
        may_add &= not are_whole or other.denominator == 1
        return may_add and any(map(self._is_shown, (first + other, first - other)))

    def _is_product(self, first: Fraction, other: Fraction) -> bool:
        if first and other not in (0, 1) and self._is_shown(other / first):
            return True
        return other > 1 and self._is_multiple(first, other)

    def _is_multiple(self, first: Fraction, factor: Fraction | int) -> bool:
        return self._is_shown(first * factor) or self._is_shown(first / factor)

    def _is_shown(self, number: Fraction) -> bool:
        """Return whether the value is a number, or one rounded or cut to its digits, of either
        sign."""
        return self._is_near(self._value, number) or self._is_near(self._value, -number)

    def _is_near(self, value: Fraction, number: Fraction) -> bool:
        if value == number:
            return True
        if not number or abs(value - number) > abs(number) * _CLOSE:
            return False
        places = next((n for n in range(_MOST_PLACES) if (value * 10**n).denominator == 1), None)
        if places is None:
            return False
        step = Fraction(1, 10**places)
        while step <= abs(number) / 10_000 and (value / (step * 10)).denominator == 1:
            step *= 10
        return abs(value - number) < step


def _list_all(values: Sequence[Expr | Solutions]) -> list[Measure]:
    return [each for value in values for each in _list_measures(value)]


def _are_like(one: Measure, other: Measure) -> bool:
    """Return whether numbers may be added: their units are alike, or one has none."""
    dimensions = (one.unit.dimensions, other.unit.dimensions)
    return dimensions[0] == dimensions[1] or not all(dimensions)


def _list_measures(value: Expr | Solutions) -> Iterator[Measure]:
    """Yield the values of an expression and of its parts."""
    if isinstance(value, Solutions):
        return
    for node in (value,) if is_mixed(value) else walk(value):
        if isinstance(node, Num | Quantity | Apply) and (found := _measure(node)):
            yield found


def _measure(value: Expr | Solutions) -> Measure | None:
    if isinstance(value, Solutions):
        return None
    try:
        return evaluate(value)
    except (Undecidable, ZeroDivisionError, ValueError):
        return None
