"""Check conclusions that the words before them contradict: `le prix de vente est plus grand, donc
il fait une perte`, `650 < 1 000, so the wood sinks`, `both equations hold, so it is no solution`,
`l'angle en A est droit … rectangle en B`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from bot.maths.checks.passages import Line, Passage
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.reading.disowned import disowns
from bot.maths.reading.plain_words import read_values
from bot.maths.reading.vocabulary import DIGITS, MONEY, SO, THEN


def read_word_contradictions(passage: Passage) -> Iterator[Statement]:
    """Yield the conclusions of an answer that its words before them decide."""
    text = f"{passage.asked} {passage.write_answer()}"
    is_of_water = bool(
        re.search(r"\b(?:eau|water|densit\w+|volumique)\b", text)
    ) and not _OTHER_LIQUID.search(text)
    for line in passage.lines:
        yield from _read_trade(line)
        yield from _read_systems(line)
        if is_of_water:
            yield from _read_bodies(line)
    yield from _read_marked_systems(passage.lines)
    yield from _read_vertices(passage.lines)


_DENIED: Final = re.compile(r"\b(?:pas|ne|not|no|ni|sans|aucune?|jamais|never|neither|nor)\b|\bn'")

# Buying and selling -------------------------------------------------------------------------------

_AMOUNT: Final = rf"(?: ?\(?(?:{DIGITS}) ?{MONEY}?\)?)?"
_SELLING: Final = (
    r"(?:(?:le |the |son |ce |his |her )?(?:prix de (?:re)?vente|(?:selling|sale) price|(?:montant"
    rf" des |recette des )?ventes)(?: total\w*)?{_AMOUNT})"
)
_BUYING: Final = (
    r"(?:(?:le |the |son |ce |his |her |l'|du |au |celui d'|celui de |that of )?(?:prix d'achat"
    r"|prix de revient|cout(?: d'achat| de revient)?|(?:cost|buying|purchase) price|cost)"
    rf"(?: total\w*)?{_AMOUNT})"
)
_ABOVE: Final = (
    r"(?:plus (?:grand|eleve|haut|important)|superieur|greater|higher|more|bigger|larger|above)"
)
_BELOW: Final = (
    r"(?:plus (?:petit|bas|faible)|moins (?:grand|eleve)|inferieur|lower|less|smaller|below)"
)
_COMPARED: Final = (
    rf"(?: est| is| etait| was)(?: (?:{THEN}|nettement|strictement))* (?:(?P<up>{_ABOVE})"
    rf"|(?P<down>{_BELOW}))(?: (?:que|a|au|than))? ?"
)
_TRADES: Final = (
    (re.compile(rf"{_SELLING}{_COMPARED}{_BUYING}(?P<rest>[^.;!?]*)"), False),
    (re.compile(rf"{_BUYING}{_COMPARED}{_SELLING}(?P<rest>[^.;!?]*)"), True),
)
_GAIN: Final = re.compile(
    r"\b(?:(?P<gain>benefices?|gains?|gagne|profits?)|(?P<loss>pertes?|perd|loss|loses))\b"
)


def _read_trade(line: Line) -> Iterator[Statement]:
    """Read `Comme le prix de vente est plus grand que le prix d'achat, il fait un bénéfice`."""
    for pattern, is_reversed in _TRADES:
        found = pattern.search(line.text)
        said = list(_GAIN.finditer(found["rest"])) if found else []
        if found is None or len(said) != 1 or _DENIED.search(found["rest"]):
            continue
        is_gain = bool(found["up"]) != is_reversed
        if line.is_own:
            why = "" if bool(said[0]["gain"]) == is_gain else "the prices say the opposite"
            yield decide(found[0], why)


# Bodies in water ----------------------------------------------------------------------------------

_OTHER_LIQUID: Final = re.compile(
    r"\b(?:mercure|mercury|alcool|alcohol|ethanol|miel|honey|glycerine|essence|petrol|salee?|mer"
    r"|sea|salt|bateaux?|boats?|ships?|creux|hollow|ballons?|balloons?|liquides? [a-z])\b"
)
_VALUE: Final = r"(?:\d{1,3}(?: \d{3})+|\d+(?:[.,]\d+)?)"
_UNIT: Final = r"(?: ?(?:kg ?/ ?m(?:³|3|\^3)|g ?/ ?cm(?:³|3|\^3)|kg ?/ ?l|g ?/ ?ml))?"
_DENSITIES: Final = re.compile(
    rf"(?<![\d.,=+×*/-])(?<![=+×*/-] )(?P<a>{_VALUE}){_UNIT} ?(?P<sign>[<>]) ?(?P<b>{_VALUE})"
    rf"{_UNIT}"
    r"(?![\d/]| ?[<>=])"
)
_LIGHTER: Final = re.compile(
    r"\b(?:(?P<less>moins dense|less dense|(?:plus (?:petite|faible)|inferieure|smaller|lower"
    r"|less))"
    r"|(?P<more>plus dense|denser|more dense|(?:plus grande|superieure|greater|higher|larger"
    r"|more)))"
    r" (?:que |a |than )?(?:celle de )?(?:(?:la (?:masse volumique|densite)|the density) (?:de"
    r"|of) )?"
    r"(?:l'|that of |de l')?(?:eau|water)\b"
)
_SINKS: Final = re.compile(
    r"\b(?:(?P<floats>flott\w+|floats?|surnage)|(?P<sinks>coul(?:e|era|ent)|sinks?))\b"
)
_WATER_VALUES: Final = frozenset((Fraction(1), Fraction(1000)))
_CONCLUDES: Final = re.compile(rf",|\b{SO}\b")


def _read_bodies(line: Line) -> Iterator[Statement]:
    """Read `Since 650 < 1000, the wood floats`: the density of a body and that of water."""
    compared = list(_DENSITIES.finditer(line.text)) or list(_LIGHTER.finditer(line.text))
    said = list(_SINKS.finditer(line.text))
    if len(compared) != 1 or len(said) != 1 or not line.is_own or _DENIED.search(line.text):
        return
    found, is_lighter = compared[0], _is_lighter(compared[0])
    between = line.text[found.end() : said[0].start()]
    is_other = re.search(r"\b(?:eau|water|si|if|quand|when|objet|object|corps)\b", between)
    if is_lighter is None or is_other or not _CONCLUDES.search(between):
        return
    is_right = bool(said[0]["floats"]) == is_lighter
    yield decide(line.text, "" if is_right else "the densities say the opposite")


def _is_lighter(found: re.Match[str]) -> bool | None:
    """Return whether a body is lighter than water; None: the comparison is none with water."""
    if found.re is _LIGHTER:
        return bool(found["less"])
    one, other = (min(read_values(found[group])) for group in "ab")
    if (one in _WATER_VALUES) == (other in _WATER_VALUES):
        return None
    return (found["sign"] == "<") == (other in _WATER_VALUES)


# Systems ------------------------------------------------------------------------------------------

_HOLD: Final = re.compile(
    r"\b(?:(?P<both>(?:les deux|both)(?: (?:des|the|two|of the))* ?(?:equations?|egalites"
    r"|conditions)?"
    rf"(?: (?:{THEN}|two|are|sont|toutes))* ?(?:hold|true|satisfied|verifiees|vraies|work))"
    r"|(?P<one>(?:only one|just one|une seule|seulement une)(?: (?:des|of|the|deux|two|d'entre"
    rf"|elles))* ?(?:equations?|egalites)?(?: (?:{THEN}|est|is))* ?(?:holds?|true|satisfied"
    r"|verifiee|vraie|works?)))\b(?P<rest>(?:\([^()]{0,40}\)|[^.;!?])*+)"
)
_SOLUTION: Final = re.compile(
    r"\b(?:(?P<no>n'est (?:donc )?pas|is not|isn't|is no)|est|is)(?: (?:bien|donc|indeed|une?|a|the"
    r"|la))* ?solution\b"
)


def _find_solution(text: str) -> tuple[re.Match[str], re.Match[str]] | None:
    """Return how many equations hold and what is concluded of a solution; None: it is not said."""
    found = _HOLD.search(text)
    said = _SOLUTION.search(found["rest"]) if found else None
    if found is None or said is None or re.search(r"\b(?:si|if)\b", text[: found.end()]):
        return None
    rest = _SOLUTION.sub(" ", text)
    return None if disowns(rest) else (found, said)


def _read_systems(line: Line) -> Iterator[Statement]:
    """Read `Les deux équations sont vérifiées, donc le couple est solution`."""
    if pair := _find_solution(line.text):
        found, said = pair
        is_right = bool(found["both"]) != bool(said["no"])
        yield decide(found[0], "" if is_right else "the words before say the opposite")


_TICKED: Final = re.compile(r"=[^=]*[✔✓✅☑]")
_CROSSED: Final = re.compile(r"[✗✘❌✖≠]|\b(?:pas|not|faux|false)\b")


def _read_marked_systems(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read two equations with a tick each, and then that only one of them holds."""
    ticked = 0
    for line in lines:
        pair = _find_solution(line.text)
        if pair and pair[0]["one"] and ticked == 2:
            yield decide(pair[0][0], "both equations are ticked before")
        elif _CROSSED.search(line.text):
            return
        ticked += bool(_TICKED.search(line.text))


# Corners of triangles -----------------------------------------------------------------------------

_RIGHT_ANGLE: Final = re.compile(
    r"\b(?:[Aa]ngle|[Aa]ngle at|[Aa]ngle en) (?:(?:at|en|in) )?(?:widehat)?(?P<name>[A-Z]|[A-Z]{3})"
    rf" (?:est|is)(?: (?:{THEN}|a|un))* (?:droit|right|angle droit|90 ?°|egal a 90 ?°)"
)
_SQUARES: Final = re.compile(
    r"(?<![A-Z²+-])(?<![+-] )(?P<one>[A-Z]{2})² ?\+ ?(?P<other>[A-Z]{2})² ?= ?[A-Z]{2}²(?! ?[+-])"
    r"|(?<![A-Z²+-])(?<![+-] )[A-Z]{2}² ?= ?(?P<one2>[A-Z]{2})² ?\+ ?"
    r"(?P<other2>[A-Z]{2})²(?! ?[+-])"
)
_CORNER: Final = re.compile(
    r"\b(?:(?:rectangle(?: (?:et|isocele))*|isocele (?:et )?rectangle|right[- ]angled"
    r"(?: (?:and|isosceles|triangle))*) (?:en|at|in)) (?P<name>[A-Z])\b(?!['’])"
)
_TRIANGLE: Final = re.compile(
    r"\btriangles? (?P<name>[A-Z]{3})\b|(?<![A-Z])(?P<bare>[A-Z]{3}) (?:est|is)\b"
)
_EQUAL_SIDES: Final = re.compile(
    r"(?<![\w+×*/=-] )(?<![A-Z\w+-])(?P<one>[A-Z]{2}) = (?P<other>[A-Z]{2})(?! ?[=+×*/\d-]|[A-Z])"
    r"(?P<rest>[^.;=]*?)\b(?:isocele|isosceles)(?: (?:en|at|in)) (?P<at>[A-Z])\b"
)


def _read_vertices(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `L'angle en A est droit, donc ABC est rectangle en A`: one triangle with one right
    angle."""
    text = "\n".join(line.cased for line in lines)
    names = {"".join(sorted(each["name"] or each["bare"])) for each in _TRIANGLE.finditer(text)}
    if len(names) > 1 or not all(line.is_own for line in lines if "angle" in line.text):
        return
    known = {each["name"][len(each["name"]) // 2] for each in _RIGHT_ANGLE.finditer(text)}
    known |= {
        min(corner)
        for each in _SQUARES.finditer(text)
        if len(corner := set(each["one"] or each["one2"]) & set(each["other"] or each["other2"]))
        == 1
    }
    for found in _CORNER.finditer(text) if len(known) == 1 else ():
        is_right = found["name"] in known
        if not _DENIED.search(text[max(0, found.start() - 30) : found.start()]):
            yield decide(found[0], "" if is_right else f"the right angle is at {min(known)}")
    for line in lines:
        yield from _read_isosceles(line)


def _read_isosceles(line: Line) -> Iterator[Statement]:
    """Read `AB = AC, donc ABC est isocèle en A`."""
    found = _EQUAL_SIDES.search(line.cased)
    if found is None or not line.is_own or _DENIED.search(line.text):
        return
    shared = set(found["one"]) & set(found["other"])
    if len(shared) == 1 and _CONCLUDES.search(found["rest"]):
        is_right = found["at"] in shared
        yield decide(found[0], "" if is_right else f"the equal sides meet at {min(shared)}")
