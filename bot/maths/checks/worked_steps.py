"""Check what an answer concludes from the steps before it.

The number of cars after `7 reste 1`, the next term of a list, the result of `Pour 46 × 3 : …`, the
least number after `x > 12`, the rank that `25/4 = 6,25` gives, the pair of `x = 3` and `y = 4`, a
point that is written again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from bot.maths.checks.passages import Line, Passage, read_signed, write_number
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.reading.plain_words import read_values
from bot.maths.reading.vocabulary import CLAUSE_END, DIGITS, SIGNED, WHOLE


def read_worked_steps(passage: Passage) -> Iterator[Statement]:
    """Yield what an answer concludes from its own steps."""
    own = passage.own
    yield from _read_containers(own)
    yield from _read_next_terms(own)
    yield from _read_headings(passage.lines)
    yield from _read_least(own)
    yield from _read_ranks(own)
    yield from _read_pairs(own)
    yield from _read_points(own)


# Containers ---------------------------------------------------------------------------------------

_CONTAINERS: Final = re.compile(
    rf"= (?P<q>{WHOLE}),? ?(?:et il |il )?reste (?P<r>{WHOLE})(?: [a-z]+)?[,.]? ?donc il (?:en )?"
    rf"fau(?:t|dra)(?: donc)? (?P<n>{WHOLE}) (?:voitures?|cars?|bus|taxis?|pirogues?|bateaux?"
    r"|minibus|voyages?|tables?|bancs?|chambres?|tentes?|boites?|cartons?|sacs?)\b(?! plein)"
)


def _read_containers(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `29 ÷ 4 = 7 reste 1, donc il faut 8 voitures`."""
    for line in lines:
        for found in _CONTAINERS.finditer(line.text):
            needed = read_signed(found["q"]) + (read_signed(found["r"]) > 0)
            is_right = read_signed(found["n"]) == needed
            yield decide(found[0], "" if is_right else f"{write_number(needed)} are needed")


# Sequences ----------------------------------------------------------------------------------------

_NEXT: Final = re.compile(
    rf"(?<=[;,] )(?P<l>{SIGNED}) ?(?::|→|,)? ?on (?P<how>ajoute|multiplie par|enleve|retire"
    rf"|divise par) (?P<k>{SIGNED})(?: (?:a chaque fois|chaque fois|toujours))?,? ?(?:donc )?"
    r"(?:ensuite|puis|apres|le (?:nombre )?suivant)(?: donc)? "
    r"(?:vient|viennent|viendra|sera|est|c'est|on (?:a|obtient|trouve))"
    rf"(?: donc)? (?P<n>{SIGNED}){CLAUSE_END}"
)


def _read_next_terms(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `2 ; 4 ; 8 ; 16 : on multiplie par 2, ensuite vient 32`."""
    for line in lines:
        for found in _NEXT.finditer(line.text):
            last, step = read_signed(found["l"]), read_signed(found["k"])
            results = {"aj": last + step, "mu": last * step, "en": last - step, "re": last - step}
            expected = results.get(found["how"][:2], last / step if step else last)
            is_right = read_signed(found["n"]) == expected
            yield decide(found[0], "" if is_right else f"it is {write_number(expected)}")


# Operations that are worked out in steps ----------------------------------------------------------

_HEADING: Final = re.compile(
    r"^(?:(?:pour|posons|calculons|effectuons|on pose|on calcule|calcule|je pose|je calcule)"
    r"(?: l'operation| le produit| la somme)? )?"
    r"(?P<a>\d[\d ]*) ?(?P<op>[×x*+-]) ?(?P<b>\d[\d ]*?) ?:(?! ?\d[\d ]* ?[.;]?$)"
)
_RESULT: Final = re.compile(
    r"^(?:(?:donc|alors|au final|finalement),? )?"
    r"(?:(?:le |un )?(?:resultat|produit|total)(?: final)?(?: est)? ?:?|on (?:lit|obtient|trouve))"
    rf"(?: donc)? (?P<n>{SIGNED})(?! [a-z]{{2,}})"
)


def _read_headings(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `Pour 46 × 3 : 3 × 6 = 18, je retiens 1 … Résultat : 138`."""
    expected: Fraction | None = None
    for line in lines:
        if found := _HEADING.match(line.text):
            one, other = read_signed(found["a"].strip()), read_signed(found["b"].strip())
            products = {"+": one + other, "-": one - other}
            expected = products.get(found["op"], one * other) if line.is_own else None
        elif expected is not None and line.is_own and (found := _RESULT.match(line.text)):
            is_right = expected in read_values(found["n"].lstrip("-"))
            yield decide(found[0], "" if is_right else f"it is {write_number(expected)}")
            expected = None


# Inequalities -------------------------------------------------------------------------------------

_SOLVED: Final = re.compile(rf"\b(?P<x>[a-z]) ?(?P<sign>[>≥]) ?(?P<a>{SIGNED})[ .;,)]*$")
_LEAST: Final = re.compile(
    r"\b(?:a partir d[eu]|au moins|au minimum|from|at least)"
    rf" (?P<n>{SIGNED}) (?:[a-z]+s|mois|fois)\b"
)


def _read_least(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `x > 12. À partir de 13 séances, …`; of kilometres it may be 12 as well."""
    bound: Fraction | None = None
    for line in lines:
        if bound is not None and (found := _LEAST.search(line.text)):
            is_right = bound <= read_signed(found["n"]) <= math.floor(bound) + 1
            yield decide(found[0], "" if is_right else f"it is more than {write_number(bound)}")
        solved = _SOLVED.search(line.text)
        bound = read_signed(solved["a"]) if solved else None


# Ranks --------------------------------------------------------------------------------------------

_RANK: Final = re.compile(
    r"(?:= |^|[:;,] )(?P<x>\d+,\d+) ?(?:,|→|⇒)? ?(?:donc|soit|d'ou)?,? ?"
    r"(?:(?:c'est|q ?[13]|(?:le )?(?:premier|troisieme|1er|3e) quartile|la mediane|me)"
    r"(?: est| =| :| vaut)? )?la (?P<n>\d+)(?:e|eme|ieme|re) (?:valeur|donnee|note)"
)


def _read_ranks(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `25/4 = 6,25, donc la 7e valeur`, in which a rank is rounded up."""
    for line in lines:
        for found in _RANK.finditer(line.text):
            rank = math.ceil(read_signed(found["x"]))
            why = "" if int(found["n"]) == rank else f"it is value number {rank}"
            yield decide(found[0], why)


# Pairs --------------------------------------------------------------------------------------------

_COORDINATE: Final = re.compile(
    rf"(?<![\d²³)/=+×*-] )(?<![\w²³)=+×*/-])(?P<name>[xy]) = (?:[\d ,.+×*/÷()-]{{1,40}} = )?"
    rf"(?P<n>{SIGNED}){CLAUSE_END}"
)
_COUPLE: Final = re.compile(
    r"\b(?:(?:couples?|solutions?|s)\b[^.;\d({]{0,30}[:= ]{1,3}\{? ?)"
    rf"\((?P<x>{SIGNED}) ?[;,] ?(?P<y>{SIGNED})\)"
)


def _read_pairs(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `le couple solution est (3 ; 4)` after `x = 3` and `y = 4`."""
    values: dict[str, set[Fraction]] = {"x": set(), "y": set()}
    for line in lines:
        pair = _COUPLE.search(line.text)
        before = line.text[: pair.start()] if pair else line.text
        for found in _COORDINATE.finditer(before):
            values[found["name"]].add(read_signed(found["n"]))
        if pair and len(values["x"]) == len(values["y"]) == 1:
            claimed = ({read_signed(pair["x"])}, {read_signed(pair["y"])})
            shown = " and ".join(f"{k} = {write_number(min(v))}" for k, v in values.items())
            is_right = claimed == (values["x"], values["y"])
            yield decide(pair[0], "" if is_right else shown)


_SUM: Final = rf"-?{DIGITS}(?: ?[+-] ?\(?-?{DIGITS}\)?)*"
_POINT: Final = re.compile(
    rf"\b(?P<name>[A-Z]'?) ?\((?P<a>{_SUM}) ?; ?(?P<b>{_SUM})\),?"
    r" ?(?:=|→|⇒|c'est-a-dire|soit|donc|d'ou)(?: on obtient)? ?"
    rf"(?P=name) ?\((?P<x>-?{DIGITS}) ?; ?(?P<y>-?{DIGITS})\)"
)


def _read_points(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `A'(3 − 1 ; 2 + 2), c'est-à-dire A'(2 ; 4)`."""
    for line in lines:
        for found in _POINT.finditer(line.cased):
            expected = tuple(map(_add_up, (found["a"], found["b"])))
            is_right = (read_signed(found["x"]), read_signed(found["y"])) == expected
            shown = " ; ".join(map(write_number, expected))
            yield decide(found[0], "" if is_right else f"it is ({shown})")


def _add_up(text: str) -> Fraction:
    """Return the value of `3 - 1` or `2 - (-1)`."""
    total, sign = Fraction(0), 1
    for part in re.findall(rf"[+-]|{DIGITS}", text):
        if part in "+-":
            sign *= -1 if part == "-" else 1
        else:
            total, sign = total + sign * read_signed(part), 1
    return total
