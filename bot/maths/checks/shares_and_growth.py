"""Check shares of a total in percent, and by what a quantity grows with another one.

`Sur 35 élèves, … 40 %, c'est-à-dire 14 élèves`; `96 % du prix initial, soit une baisse de 4 %`;
`si la vitesse double, l'énergie cinétique est multipliée par 4`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from bot.maths.checks.passages import Line, Passage, write_number
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.reading.plain_words import DIGITS, read_values


def read_shares_and_growth(passage: Passage) -> Iterator[Statement]:
    """Yield what an answer says of shares and of growth."""
    own = [line for line in passage.lines if line.is_own]
    if "%" in passage.write_answer():
        yield from _read_shares(passage)
        yield from _read_directions(own)
    yield from _read_parts(own)
    yield from _read_laws(own)


# Shares of a total --------------------------------------------------------------------------------

_TOTAL: Final = re.compile(rf"\b(?:sur|parmi)(?: les)? (?P<n>{DIGITS}) [a-z]{{3,}}")
_GROUP: Final = (
    r"(?:eleves|votants|voix|suffrages|classe|ecole|groupe|population|personnes|total|candidats"
    r"|habitants)"
)
_SHARE: Final = re.compile(
    rf"(?<![\d.,+-])(?<!environ )(?P<p>{DIGITS}) ?% ?"
    rf"(?:(?:des|de la|de l'|du) ?{_GROUP}|(?!d)[a-z]+(?: [a-z]+){{0,2}})?,? ?"
    r"(?:\(?(?:soit|c'est-a-dire|ce qui (?:fait|represente)|cela fait)(?: donc)? )"
    rf"(?P<c>{DIGITS}) (?!ont |sont |n'|ne )[a-z]{{3,}}(?! ?%)"
)
_OF_OTHERS: Final = re.compile(
    r"\b(?:rest\w*|autres?|dont|parmi (?:eux|elles|ces|ceux)|augment\w*|hausses?|baiss\w*|remises?"
    r"|dimin\w*|interets?|taux|tva|reduction|de plus|de moins|supplement\w*)\b|\?"
)


def _read_shares(passage: Passage) -> Iterator[Statement]:
    """Read `Sur 35 élèves, 60 % sont des filles. Les garçons sont 40 %, soit 14 élèves`."""
    text = passage.write_answer()
    totals = {found["n"] for found in _TOTAL.finditer(f"{passage.asked} {text}")}
    if len(totals) != 1 or _OF_OTHERS.search(text):
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


# Laws of growth -----------------------------------------------------------------------------------

_TIMES: Final = (
    r"(?:double\w*|triple\w*|quadruple\w*|est (?:donc )?(?:multipliee?|divisee?) par "
    rf"(?:{DIGITS}|deux|trois|quatre|neuf|seize))"
)
_NAMED: Final = {"deux": 2, "trois": 3, "quatre": 4, "neuf": 9, "seize": 16}
_VERBS: Final = {"double": 2, "triple": 3, "quadruple": 4}
_LAWS: Final = (
    (r"vitesse", r"energie cinetique", 2),
    (r"masse", r"energie cinetique", 1),
    (r"vitesse", r"distance de freinage", 2),
    (
        r"distance",
        r"force(?: (?:gravitationnelle|d'attraction|de gravitation|d'interaction)\w*)?",
        -2,
    ),
    (r"hauteur|altitude", r"energie potentielle(?: de pesanteur)?", 1),
)
"""What grows, what grows with it, and as which power."""
_IF: Final = r"\b(?:si|quand|lorsque|lorsqu'on) (?:on )?"


def _read_laws(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `si la vitesse double, l'énergie cinétique est multipliée par 4`."""
    text = " ".join(line.text for line in lines)
    for cause, effect, power in _LAWS:
        if power < 0 and not re.search(r"\b(?:gravit|attraction|astre|planete|terre|g ?m)", text):
            continue
        pattern = (
            rf"{_IF}(?:la |l'|sa |une )?(?:{cause}) (?P<k>{_TIMES}),? (?:alors )?"
            rf"(?:la |l'|sa |son )(?:{effect}) (?P<m>{_TIMES})"
        )
        for found in re.finditer(pattern, text):
            expected = _read_factor(found["k"]) ** power
            is_right = _read_factor(found["m"]) == expected
            why = f"it is multiplied by {write_number(expected)}"
            yield decide(found[0], "" if is_right else why)


def _read_factor(text: str) -> Fraction:
    """Return the factor of `double` or `est divisée par 4`."""
    verb = next((size for name, size in _VERBS.items() if text.startswith(name)), None)
    if verb is not None:
        return Fraction(verb)
    last = text.rsplit(" ", 1)[1]
    factor = Fraction(_NAMED[last]) if last in _NAMED else max(read_values(last))
    return 1 / factor if "divise" in text else factor
