"""The functions that a formula may call, and those whose results are computed here.

What is not listed is refused: some functions reach out of the workbook (WEBSERVICE, HYPERLINK,
RTD, CALL, INDIRECT …), and a wrong number of arguments makes programs call the file broken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from bot.library.office.sheets.criteria import meets
from bot.library.office.sheets.values import (
    Area,
    Fault,
    Node,
    Place,
    Uncomputed,
    Value,
    number,
    scalar,
    to_number,
    to_text,
    to_truth,
)

Computed: TypeAlias = "Callable[[Sequence[Node], Place], Value]"
_MANY = 255
_ARITY = """
SUM 1+ AVERAGE 1+ MIN 1+ MAX 1+ COUNT 1+ COUNTA 1+ COUNTBLANK 1 PRODUCT 1+ MEDIAN 1+ SUMSQ 1+
SUBTOTAL 2+ SUMPRODUCT 1+ LARGE 2 SMALL 2 RANK 2-3 STDEV 1+ STDEVP 1+ VAR 1+ VARP 1+ MODE 1+
QUARTILE 2 PERCENTILE 2 CORREL 2 SLOPE 2 INTERCEPT 2 FORECAST 3
SUMIF 2-3 COUNTIF 2 AVERAGEIF 2-3 SUMIFS 3+ COUNTIFS 2+ AVERAGEIFS 3+ MAXIFS 3+ MINIFS 3+
ABS 1 INT 1 SIGN 1 SQRT 1 EXP 1 LN 1 LOG 1-2 LOG10 1 PI 0 POWER 2 MOD 2 QUOTIENT 2 TRUNC 1-2
ROUND 2 ROUNDUP 2 ROUNDDOWN 2 MROUND 2 CEILING 2 FLOOR 2 EVEN 1 ODD 1 FACT 1 GCD 1+ LCM 1+
SIN 1 COS 1 TAN 1 ASIN 1 ACOS 1 ATAN 1 ATAN2 2 RADIANS 1 DEGREES 1
IF 2-3 IFERROR 2 IFNA 2 IFS 2+ AND 1+ OR 1+ NOT 1 TRUE 0 FALSE 0 CHOOSE 2+
ISBLANK 1 ISNUMBER 1 ISTEXT 1 ISERROR 1 ISNA 1 NA 0
VLOOKUP 3-4 HLOOKUP 3-4 LOOKUP 2-3 INDEX 2-3 MATCH 2-3 ROW 0-1 COLUMN 0-1 ROWS 1 COLUMNS 1
CONCATENATE 1+ CONCAT 1+ TEXTJOIN 3+ LEFT 1-2 RIGHT 1-2 MID 3 LEN 1 UPPER 1 LOWER 1 PROPER 1 TRIM 1
SUBSTITUTE 3-4 REPLACE 4 FIND 2-3 SEARCH 2-3 TEXT 2 VALUE 1 REPT 2 EXACT 2 CHAR 1
DATE 3 YEAR 1 MONTH 1 DAY 1 HOUR 1 MINUTE 1 SECOND 1 TIME 3 TODAY 0 NOW 0 WEEKDAY 1-2 WEEKNUM 1-2
EDATE 2 EOMONTH 2 DAYS 2 DATEDIF 3 DATEVALUE 1 NETWORKDAYS 2-3 WORKDAY 2-3 YEARFRAC 2-3 DAYS360 2-3
PMT 3-5 IPMT 4-6 PPMT 4-6 PV 3-5 FV 3-5 NPV 2+ IRR 1-2 RATE 3-6 NPER 3-5 SLN 3 DB 4-5 DDB 4-5
"""
_FRENCH = """
SOMME SUM MOYENNE AVERAGE NB COUNT NBVAL COUNTA NB.VIDE COUNTBLANK PRODUIT PRODUCT MEDIANE MEDIAN
MÉDIANE MEDIAN SOUS.TOTAL SUBTOTAL SOMMEPROD SUMPRODUCT GRANDE.VALEUR LARGE PETITE.VALEUR SMALL
RANG RANK ECARTYPE STDEV SOMME.SI SUMIF NB.SI COUNTIF MOYENNE.SI AVERAGEIF SOMME.SI.ENS SUMIFS
NB.SI.ENS COUNTIFS MOYENNE.SI.ENS AVERAGEIFS ENT INT SIGNE SIGN RACINE SQRT PUISSANCE POWER
TRONQUE TRUNC ARRONDI ROUND ARRONDI.SUP ROUNDUP ARRONDI.INF ROUNDDOWN PLAFOND CEILING PLANCHER FLOOR
SI IF SIERREUR IFERROR SI.NON.DISP IFNA SI.CONDITIONS IFS ET AND OU OR NON NOT VRAI TRUE FAUX FALSE
CHOISIR CHOOSE ESTVIDE ISBLANK ESTNUM ISNUMBER ESTTEXTE ISTEXT ESTERREUR ISERROR RECHERCHEV VLOOKUP
RECHERCHEH HLOOKUP RECHERCHE LOOKUP EQUIV MATCH LIGNE ROW COLONNE COLUMN LIGNES ROWS
COLONNES COLUMNS
CONCATENER CONCATENATE JOINDRE.TEXTE TEXTJOIN GAUCHE LEFT DROITE RIGHT STXT MID NBCAR LEN
MAJUSCULE UPPER MINUSCULE LOWER NOMPROPRE PROPER SUPPRESPACE TRIM SUBSTITUE SUBSTITUTE
REMPLACER REPLACE TROUVE FIND CHERCHE SEARCH TEXTE TEXT CNUM VALUE
ANNEE YEAR MOIS MONTH JOUR DAY HEURE HOUR AUJOURDHUI TODAY MAINTENANT NOW JOURSEM WEEKDAY
MOIS.DECALER EDATE FIN.MOIS EOMONTH JOURS DAYS NB.JOURS.OUVRES NETWORKDAYS VPM PMT VA PV VC FV
VAN NPV TRI IRR TAUX RATE NPM NPER AMORLIN SLN
"""
_LATER: Final = frozenset(["IFNA", "IFS", "CONCAT", "TEXTJOIN", "MAXIFS", "MINIFS", "DAYS"])
"""Newer than the file format, and so written with a prefix (XlsxWriter's
`Worksheet._prepare_formula` has the whole list)."""


def _read_arity(form: str) -> tuple[int, int]:
    if form.endswith("+"):
        return int(form[:-1]), _MANY
    least, _, most = form.partition("-")
    return int(least), int(most or least)


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    words = text.split()
    return zip(words[::2], words[1::2], strict=True)


ARITY: Final = {name: _read_arity(form) for name, form in _pairs(_ARITY)}
"""The least and the most arguments of each function that is allowed."""
_ENGLISH: Final = dict(_pairs(_FRENCH))


def english(name: str) -> str:
    """`somme` as `SUM`: files hold English names only."""
    return _ENGLISH.get(name.upper(), name.upper())


def spelled(name: str) -> str:
    """How a file spells the function `name`."""
    return f"_xlfn.{name}" if name in _LATER else name


def _values(nodes: Sequence[Node], place: Place) -> Iterator[Value]:
    for node in nodes:
        result = node(place)
        if isinstance(result, Area):
            yield from place.cells.values(result)
        else:
            yield result


def _numbers(nodes: Sequence[Node], place: Place) -> list[float]:
    """Of cells the numbers alone, of what is written into the formula whatever says a number."""
    found: list[float] = []
    for node in nodes:
        result = node(place)
        if isinstance(result, Area):
            cells = place.cells.values(result)
            found += [cell for cell in cells if isinstance(cell, float)]
        else:
            found.append(to_number(result))
    return found


def _average(numbers: Sequence[float]) -> float:
    if not numbers:
        raise Fault("#DIV/0!")
    return math.fsum(numbers) / len(numbers)


_AGGREGATES: Final[Mapping[str, Callable[[list[float]], float]]] = {
    "SUM": math.fsum,
    "AVERAGE": _average,
    "MIN": lambda numbers: min(numbers, default=0.0),
    "MAX": lambda numbers: max(numbers, default=0.0),
    "COUNT": lambda numbers: float(len(numbers)),
    "PRODUCT": lambda numbers: math.prod(numbers) if numbers else 0.0,
}
_SUBTOTALS = {1: "AVERAGE", 2: "COUNT", 4: "MAX", 5: "MIN", 6: "PRODUCT", 9: "SUM"}


def _aggregate(name: str) -> Computed:
    compute = _AGGREGATES[name]
    return lambda nodes, place: compute(_numbers(nodes, place))


def _subtotal(nodes: Sequence[Node], place: Place) -> Value:
    kind = _SUBTOTALS.get(int(number(nodes[0], place)) % 100)
    if kind is None:
        raise Uncomputed
    return _AGGREGATES[kind](_numbers(nodes[1:], place))


def _if(nodes: Sequence[Node], place: Place) -> Value:
    if to_truth(scalar(nodes[0], place)):
        return scalar(nodes[1], place)
    return scalar(nodes[2], place) if len(nodes) > 2 else False


def _iferror(nodes: Sequence[Node], place: Place) -> Value:
    try:
        return scalar(nodes[0], place)
    except Fault:
        return scalar(nodes[1], place)


def _matching(nodes: Sequence[Node], place: Place) -> Iterator[Value]:
    """Of `SUMIF(range; criterion; [summed])` the values summed."""
    area, summed = nodes[0](place), nodes[-1](place) if len(nodes) > 2 else nodes[0](place)
    if not isinstance(area, Area) or not isinstance(summed, Area):
        raise Uncomputed
    wanted, whole = scalar(nodes[1], place), area
    area = place.cells.clip(area)
    if area != whole and meets(None, wanted):
        raise Uncomputed  # of a whole column the empty cells count as well
    for row in range(area.top, area.bottom + 1):
        for column in range(area.left, area.right + 1):
            if meets(place.cells.value(area.sheet, row, column), wanted):
                down, across = row - area.top, column - area.left
                yield place.cells.value(summed.sheet, summed.top + down, summed.left + across)


def _matching_numbers(nodes: Sequence[Node], place: Place) -> list[float]:
    return [value for value in _matching(nodes, place) if isinstance(value, float)]


def _rounded(nodes: Sequence[Node], place: Place, how: Callable[[float], float]) -> float:
    value, scale = number(nodes[0], place), 10.0 ** int(number(nodes[1], place))
    scaled = float(f"{abs(value) * scale:.15g}")  # 2.675 × 100 is 267.49999999999994
    return math.copysign(how(scaled) / scale, value)


def _modulo(nodes: Sequence[Node], place: Place) -> float:
    value, divisor = number(nodes[0], place), number(nodes[1], place)
    if not divisor:
        raise Fault("#DIV/0!")
    return value - divisor * math.floor(value / divisor)


def _root(nodes: Sequence[Node], place: Place) -> float:
    value = number(nodes[0], place)
    if value < 0:
        raise Fault("#NUM!")
    return math.sqrt(value)


def _join(nodes: Sequence[Node], place: Place) -> str:
    return "".join(map(to_text, _values(nodes, place)))


COMPUTED: Final[Mapping[str, Computed]] = {
    **{name: _aggregate(name) for name in _AGGREGATES},
    "SUBTOTAL": _subtotal,
    "COUNTA": lambda nodes, place: float(sum(v is not None for v in _values(nodes, place))),
    "SUMIF": lambda nodes, place: math.fsum(_matching_numbers(nodes, place)),
    "COUNTIF": lambda nodes, place: float(sum(1 for _ in _matching(nodes, place))),
    "AVERAGEIF": lambda nodes, place: _average(_matching_numbers(nodes, place)),
    "ABS": lambda nodes, place: abs(number(nodes[0], place)),
    "INT": lambda nodes, place: float(math.floor(number(nodes[0], place))),
    "SQRT": _root,
    "MOD": _modulo,
    "ROUND": lambda nodes, place: _rounded(nodes, place, lambda value: math.floor(value + 0.5)),
    "ROUNDUP": lambda nodes, place: _rounded(nodes, place, math.ceil),
    "ROUNDDOWN": lambda nodes, place: _rounded(nodes, place, math.floor),
    "IF": _if,
    "IFERROR": _iferror,
    "AND": lambda nodes, place: all(to_truth(v) for v in _values(nodes, place) if v is not None),
    "OR": lambda nodes, place: any(to_truth(v) for v in _values(nodes, place) if v is not None),
    "NOT": lambda nodes, place: not to_truth(scalar(nodes[0], place)),
    "TRUE": lambda _nodes, _place: True,
    "FALSE": lambda _nodes, _place: False,
    "CONCATENATE": _join,
    "CONCAT": _join,
}
"""Functions whose results are computed here, for the phones that show a file as it was saved."""
