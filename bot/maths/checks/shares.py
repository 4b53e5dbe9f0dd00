"""Check shares of a whole, and what is left of it.

`Tu as mangé 3/8 de la pizza. Il en reste 5/8`; `64 % ont réussi, donc 36 % n'ont pas réussi`; `40 %
de filles, donc 60 % de garçons`; `Sur 35 élèves, … 40 %, c'est-à-dire 14 élèves`; `96 % du prix
initial, soit une baisse de 4 %`; the parts of an amount.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

from bot.maths.checks.passages import Line, Passage, is_stated, write_number
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.reading.number_words import PART_NAME, read_part_name
from bot.maths.reading.plain_words import find_step, read_values
from bot.maths.reading.vocabulary import DIGITS

_FRACTION: Final = r"(?<![\d/.,+×*÷-])(?<![+×*÷=-] )\d{1,3} ?/ ?\d{1,3}(?![\d/]|[.,]\d| ?[+×*÷=-])"
_PART: Final = rf"(?:{_FRACTION}|\b{PART_NAME}\b)"
_TAKEN: Final = re.compile(
    r"\b(?:mang(?!u)\w+|lus?|lit|depens\w+|utilis\w+|vend\w*|bus?|boit|parcouru\w*|donn\w+|sem\w+"
    r"|peint\w*|colori\w+|ate|eats?|eaten|used?|uses|read|spent|drunk|drank|sold|sells|gave|given"
    r"|filled|painted|shaded|coloured|walked|travelled|vide|consomm\w+|pris|perdu\w*|lost)\b"
    rf"(?: (?:deja|les?|la|already|the|exactement|about))* (?P<f>{_PART})"
    rf"|(?P<g>{_PART}) (?:du|de la|de l'|of the|of a|of his|of her|of my|de son|de sa|de mon|de ma)"
    r" ?[a-z]+ (?:is|was|has been|are|est|a ete|sont) (?:used|eaten|read|sold|spent|drunk|painted"
    r"|shaded|mange\w*|utilise\w*|vendue?s?|lue?s?|bue?s?|peinte?s?|coloriee?s?|depensee?s?)\b"
)
"""The part of a whole that is taken from it."""
_LEFT: Final = re.compile(
    r"\b(?:il (?:(?:en|lui|me|te|m'en|t'en|leur|nous|vous) )*(?:en )?reste(?:ra)?"
    r"|there (?:is|are|remains?)|(?:you|he|she|they|we|i) (?:has|have|ha[sd])|reste(?:nt)?)"
    rf"(?: (?:donc|alors|encore|a lire|a faire|a parcourir|a peindre|a payer|les?|so|then|still"
    rf"|:))* (?P<f>{_PART})(?! ?(?:du reste|des? (?:ce|son) reste))(?P<after>[^.;]*)"
    rf"|(?P<g>{_PART})(?: of (?:it|the [a-z]+|his [a-z]+|her [a-z]+|my [a-z]+))?"
    r" (?:(?:is|are) (?:still )?(?:left|unread|unused|remaining)|remains?|(?:is|are) not)\b"
)
_IS_LEFT: Final = re.compile(r"\b(?:reste\w*|left|remain\w*)\b")
_OF_OTHERS: Final = re.compile(
    r"\b(?:puis|ensuite|encore (?!les)|then|again|autres?|others?|another|du reste|de ce reste"
    r"|of (?:the|this) (?:rest|remainder)|restante?s?|remaining [a-z]+ (?:is|was)|avait|avais"
    r"|restait|contenait|had|deja plein\w*|moins|plus|ajout\w*|added)\b"
)
"""Words with which another part is taken, or with which there was less than a whole."""
_HELD: Final = re.compile(
    rf"\b(?:avait|avais|ai|a|as|restait|reste\w*|contien\w*|contenait|rempli\w*|plein\w*|had|has|have"
    rf"|was|were|is|full|left|remain\w*|contain\w*)\b[^.;\d]{{0,40}}?{_PART}"
)
_MOST_BEFORE: Final = 3
_HUNDRED: Final = 100


def read_shares(passage: Passage) -> Iterator[Statement]:
    """Yield what an answer says of the parts of a whole."""
    yield from _read_left(passage)
    yield from _read_percents(passage)
    if "%" in passage.write_answer():
        yield from _read_counts(passage)
        yield from _read_directions(passage.own)
    yield from _read_parts(passage.own)
    yield from _read_listed_parts(passage)


def _read_part(text: str) -> Fraction | None:
    """Return a fraction in digits or words; None: it is below zero or more than a whole."""
    if part := read_part_name(text):
        return part
    above, below = (int(each) for each in text.split("/"))
    return Fraction(above, below) if below and above <= below else None


# What is left -------------------------------------------------------------------------------------


def _read_left(passage: Passage) -> Iterator[Statement]:
    """Read `Elle a lu les 4/7 du livre. Il lui reste 3/7 du livre`."""
    for at, line in enumerate(passage.lines):
        if not line.is_own or not _IS_LEFT.search(line.text):
            continue
        before = passage.lines[at - 1 : at] if at else ()
        same = [each for each in before if each.is_own and each.section == line.section]
        for text in (line.text, *(f"{each.text} {line.text}" for each in same)):
            if statement := _judge_left(text, _list_before(passage, at)):
                yield statement
                break


def _list_before(passage: Passage, at: int) -> list[str]:
    """List the question and the sentences before one, which may tell what there was."""
    start = max(0, at - _MOST_BEFORE)
    return [passage.asked, *(each.text for each in passage.lines[start:at])]


def _judge_left(text: str, before: Sequence[str]) -> Statement | None:
    taken = _TAKEN.search(text)
    left = _LEFT.search(text, taken.end()) if taken else None
    if taken is None or left is None or _OF_OTHERS.search(text):
        return None
    if len(re.findall(_PART, text)) != 2 or re.search(r"\d", left["after"] or ""):
        return None
    if any(_HELD.search(each) for each in before if taken[0] not in each):
        return None
    part, rest = _read_part(taken["f"] or taken["g"]), _read_part(left["f"] or left["g"])
    if part is None or rest is None:
        return None
    return decide(left[0], "" if part + rest == 1 else f"it is {1 - part}")


# Percentages --------------------------------------------------------------------------------------

_PERCENT: Final = re.compile(rf"(?<![\d.,/])(?P<p>{DIGITS}) ?(?:%|pour ?cent\b|percent\b)")
_SO: Final = re.compile(
    r"\b(?:donc|par consequent|ainsi|alors(?! que)|so(?! did| do| are| have)|therefore|hence"
    r"|thus|ce qui (?:veut dire|signifie)"
    r"|c'est-a-dire|that means|which means)\b"
)
_NEGATION: Final = re.compile(
    r"\b(?:(?:ne |n')(?:en |y |la |le |les )?[a-z']+ (?:donc )?pas"
    r"|(?:do|did|does|are|is|were|was|have|has|will)(?: not|n't))\b"
)
_OPPOSITES: Final = (
    (r"filles?|girls?", r"garcons?|boys?"), (r"femmes?|women", r"hommes?|men"),
    (r"admis\w*|recus|reussi\w*|passed|pass", r"refuse\w*|recales?|ajournes?|echou\w+|failed|fail"),
    (r"present\w*", r"absent\w*"), (r"gagn\w+|won|win", r"perd\w*|lost|lose"),
)  # fmt: skip
_GROUP: Final = re.compile(
    r" ?(?:des|de ces|of the|of these) (?:filles|garcons|girls|boys|hommes|femmes|men|women)"
)
"""Those of whom a percentage is."""
_COMPARES: Final = re.compile(
    r"\b(?:autres?|others?|dont|among|parmi|plus|moins|more|less|moitie|half|sauf|except|soit"
    r"|seulement|only|environ|about|augment\w*|baiss\w*|dimin\w*|increas\w*|decreas\w*)\b|≈"
)


def _read_percents(passage: Passage) -> Iterator[Statement]:
    """Read `64 % ont la moyenne. Donc 36 % n'ont pas la moyenne`."""
    asked = {each for one in _PERCENT.findall(passage.asked) for each in read_values(one)}
    lines = list(passage.lines)
    windows = [("", line) for line in lines[:1]]
    windows += [(one.text if one.section == other.section and one.is_own else "", other)
                for one, other in pairwise(lines)]  # fmt: skip
    for before, line in windows:
        found = list(_PERCENT.finditer(line.text))
        text = line.text if len(found) == 2 else f"{before} . {line.text}"
        found = list(_PERCENT.finditer(text))
        if len(found) != 2 or not is_stated(line):
            continue
        one, other = (each["p"] for each in found)
        if _are_opposite(text, found[0], found[1]) and asked <= read_values(one):
            yield from _judge_percents(text[found[0].start() :], one, other)


def _are_opposite(text: str, one: re.Match[str], other: re.Match[str]) -> bool:
    """Return whether two percentages are of those who are so and of those who are not."""
    between, after = text[one.end() : other.start()], text[other.end() :]
    clause = re.split(r"[.;:]", between)[-1]
    if _COMPARES.search(text) or "?" in text or not _SO.search(clause):
        return False
    after = re.split(r"[.;:]|, (?!on|we)", after)[0]
    denied = [bool(_NEGATION.search(each)) for each in (between, after)]
    if any(denied):
        return not all(denied)
    return not _GROUP.match(between) and any(
        _is_about(between, this) and _is_about(after, that) and not _is_about(between, that)
        for pair in _OPPOSITES
        for this, that in (pair, pair[::-1])
    )


def _is_about(text: str, words: str) -> bool:
    return bool(re.search(rf"\b(?:{words})\b", text))


def _judge_percents(text: str, one: str, other: str) -> Iterator[Statement]:
    parts, rests = read_values(one), read_values(other)
    step = max(find_step(one), find_step(other))
    slack = step if step < 1 else Fraction(0)
    if min(parts) > _HUNDRED:
        return
    is_right = any(abs(_HUNDRED - part - rest) <= slack for part in parts for rest in rests)
    yield decide(text, "" if is_right else f"it is {write_number(_HUNDRED - min(parts))} %")


# Shares of a total --------------------------------------------------------------------------------

_TOTAL: Final = re.compile(rf"\b(?:sur|parmi)(?: les)? (?P<n>{DIGITS}) [a-z]{{3,}}")
_WHOLE_GROUP: Final = (
    r"(?:eleves|votants|voix|suffrages|classe|ecole|groupe|population|personnes|total|candidats"
    r"|habitants)"
)
_SHARE: Final = re.compile(
    rf"(?<![\d.,+-])(?<!environ )(?P<p>{DIGITS}) ?% ?"
    rf"(?:(?:des|de la|de l'|du) ?{_WHOLE_GROUP}|(?!d)[a-z]+(?: [a-z]+){{0,2}})?,? ?"
    r"(?:\(?(?:soit|c'est-a-dire|ce qui (?:fait|represente)|cela fait)(?: donc)? )"
    rf"(?P<c>{DIGITS}) (?!ont |sont |n'|ne )[a-z]{{3,}}(?! ?%)"
)
_OF_OTHER_WHOLES: Final = re.compile(
    r"\b(?:rest\w*|autres?|dont|parmi (?:eux|elles|ces|ceux)|augment\w*|hausses?|baiss\w*|remises?"
    r"|dimin\w*|interets?|taux|tva|reduction|de plus|de moins|supplement\w*)\b|\?"
)


def _read_counts(passage: Passage) -> Iterator[Statement]:
    """Read `Sur 35 élèves, 60 % sont des filles. Les garçons sont 40 %, soit 14 élèves`."""
    text = passage.write_answer()
    totals = {found["n"] for found in _TOTAL.finditer(f"{passage.asked} {text}")}
    if len(totals) != 1 or _OF_OTHER_WHOLES.search(text):
        return
    whole = max(read_values(totals.pop()))
    for line in passage.lines:
        for found in _SHARE.finditer(line.text) if line.is_own else ():
            part = max(read_values(found["p"])) / 100 * whole
            counts = read_values(found["c"])
            if whole - part in counts:  # `25 % sont absents, soit 30 présents`
                continue
            is_right = any(abs(each - part) < 1 for each in counts)
            is_right &= part.denominator > 1 or part in counts
            yield decide(found[0], "" if is_right else f"it is {write_number(part)}")


# More or less than before -------------------------------------------------------------------------

_CHANGE: Final = r"(?P<how>hausse|augmentation|baisse|diminution|reduction)(?: totale| globale)?"
_OF_FIRST: Final = re.compile(
    rf"(?<![\d.,+-])(?P<p>{DIGITS}) ?% (?:du|de la|de l'|de son|de sa) ?[a-z]+ (?:initiale?"
    r"|de depart|d'origine|precedente?|d'avant),? (?:soit|donc|c'est-a-dire|c'est)(?: donc)?"
    rf" (?:une? )?{_CHANGE} de (?P<q>{DIGITS}) ?%"
)


def _read_directions(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `96 % du prix initial, soit une baisse de 4 %`."""
    for line in lines:
        for found in _OF_FIRST.finditer(line.text):
            change = max(read_values(found["p"])) - 100
            shown = max(read_values(found["q"]))
            signed = shown if found["how"].startswith(("hau", "aug")) else -shown
            yield decide(found[0], "" if signed == change else f"it is {write_number(change)} %")


# Parts of an amount -------------------------------------------------------------------------------

_SHARED: Final = re.compile(
    rf"\bpartag\w* (?:(?:donc|la somme de|une somme de|un heritage de|de) )?(?P<n>{DIGITS})"
    r"(?P<u> ?(?:f|francs?|f ?cfa|euros?|€|billes|bonbons|ha|kg))\b"
)
_PARTS: Final = re.compile(
    rf"\bparts\b[^.;\d]{{0,40}}\b(?:sont|valent|:)[^.;\d]{{0,30}}"
    rf"(?P<list>{DIGITS}[^.;\d]{{0,10}}(?:,|et) (?:{DIGITS}[^.;\d]{{0,10}}(?:,|et) )?{DIGITS})"
)


def _read_parts(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `On partage 90 000 F … Les trois parts sont 20 000 F, 30 000 F et 40 000 F`."""
    text = " ".join(line.text for line in lines)
    totals = {found["n"] for found in _SHARED.finditer(text)}
    if len(totals) != 1 or re.search(r"\b(?:reste|d'abord|rapport|ratio)\b|\?", text):
        return
    total = max(read_values(totals.pop()))
    for found in _PARTS.finditer(text):
        parts = [max(read_values(each)) for each in re.findall(DIGITS, found["list"])]
        is_all = min(parts) * 20 > total  # not `les parts sont 2, 3 et 4`
        if is_all:
            made = sum(parts, Fraction(0))
            why = "" if made == total else f"the parts make {write_number(made)}"
            yield decide(found[0], why)


_SHARED_OUT: Final = re.compile(
    rf"\b(?:partag\w*|repart\w*|total|share\w*|somme)\b[^.]{{0,60}}? (?P<n>{DIGITS}) (?P<u>fcfa"
    rf"|f cfa|f|francs)\b"
)
_ITS_SHARE: Final = re.compile(
    rf"^\W*(?:part d[e'] ?)?[a-z]{{2,15}}(?: (?:recoit|a|gets))? ?: ?(?:[^=:]*= ?)?(?P<n>{DIGITS})"
    r" (?P<u>fcfa|f cfa|f|francs)[\s.;!]*$"
)
_NO_SHARE: Final = re.compile(
    r"\b(?:total|reste|remise|part|somme|prix|depense|benefice|une|left|monnaie|change)\b"
)


def _read_listed_parts(passage: Passage) -> Iterator[Statement]:
    """Read `total 25 000 F`, `Ali : 15 000 F`, `Binta : 10 000 F`."""
    text = " . ".join((passage.asked, *(line.text for line in passage.lines)))
    wholes = {min(read_values(found["n"])) for found in _SHARED_OUT.finditer(text)}
    shares = [
        found
        for line in passage.own
        if not _NO_SHARE.search(line.text) and (found := _ITS_SHARE.match(line.text))
    ]
    if len(wholes) != 1 or len(shares) < 2:
        return
    made = sum((min(read_values(found["n"])) for found in shares), Fraction(0))
    is_right = made == min(wholes)
    yield decide(shares[-1][0], "" if is_right else f"the shares make {write_number(made)}")
