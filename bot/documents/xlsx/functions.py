"""Define the values, conditions, operators and functions of spreadsheet formulas.

Operators are ranked as in Excel's help ("Calculation operators and precedence"): a sign binds more
strongly than a power, so that -2^2 is 4. A function that is not listed is refused: some reach out
of the workbook (WEBSERVICE, HYPERLINK, RTD, CALL, INDIRECT …), and a wrong number of arguments
makes programs reject the file.
"""

from __future__ import annotations

import math
import operator
import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final, Protocol, TypeAlias

from bot.documents.xlsx.numerals import read_number


class FormulaError(Exception):
    """A formula's result is an error, such as `#DIV/0!`; it spreads to dependent formulas."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Uncomputed(Exception):
    """The result is not known here; the spreadsheet program will compute it."""


class Circular(Uncomputed):
    """The formula depends on itself."""


@dataclass(frozen=True, slots=True)
class Area:
    """Cells of one sheet; rows and columns count from 1, and both ends are included."""

    sheet: int
    top: int
    left: int
    bottom: int
    right: int

    @property
    def is_single(self) -> bool:
        return self.top == self.bottom and self.left == self.right


Value: TypeAlias = "float | str | bool | None"


class Cells(Protocol):
    """Returns the values of other cells to formulas; an error in one cell is raised."""

    aggregates: dict[tuple[str, Area], float]
    """Results of functions of whole areas: every row of a column may ask for the same sum."""

    def value(self, sheet: int, row: int, column: int) -> Value: ...

    def values(self, area: Area) -> Iterator[Value]:
        """Yield the values row by row, up to the last row and column of the sheet with content."""
        ...

    def clip(self, area: Area) -> Area:
        """Return `area` without the rows and columns after the last ones with content."""
        ...


@dataclass(frozen=True, slots=True)
class FormulaPlace:
    """The place of a formula, and the cells that it may read."""

    cells: Cells
    sheet: int
    row: int


Node: TypeAlias = "Callable[[FormulaPlace], Value | Area]"


def scalar(node: Node, place: FormulaPlace) -> Value:
    """Return the single value of `node`. Raises `Uncomputed`: it has several."""
    look = getattr(node, "scalar", None)
    if look is not None:
        return look(place)
    result = node(place)
    if not isinstance(result, Area):
        return result
    if not result.is_single:
        raise Uncomputed
    return place.cells.value(result.sheet, result.top, result.left)


def number(node: Node, place: FormulaPlace) -> float:
    """Return the argument as a number: empty is 0, a number as text is that number."""
    return to_number(scalar(node, place))


def to_number(value: Value) -> float:
    if isinstance(value, str):
        read = read_number(value, comma=False)
        if read is None:
            raise FormulaError("#VALUE!")
        return read
    return float(value or 0)


def to_text(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return value if isinstance(value, str) else f"{value:.15g}"


def to_truth(value: Value) -> bool:
    if isinstance(value, str):
        if value.upper() in ("TRUE", "FALSE"):
            return value.upper() == "TRUE"
        raise FormulaError("#VALUE!")
    return bool(value)


def order_key(value: Value, like: Value = None) -> tuple[int, float | str]:
    """Return the sort key as in a spreadsheet: numbers, then text in any case, then truth values.

    An empty cell counts as 0 or as empty text, depending on the value it is compared with.
    """
    if value is None:
        return (1, "") if isinstance(like, str) else (0, 0.0)
    if isinstance(value, bool):
        return 2, float(value)
    if isinstance(value, str):
        return 1, value.casefold()
    return 0, value


_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)?(.*)", re.DOTALL)
_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
    "<>": operator.ne,
}


def meets_condition(value: Value, wanted: Value) -> bool:
    """Return whether `value` meets the condition `wanted`."""
    sign, limit = "=", wanted
    if isinstance(wanted, str):
        found = _CONDITION.fullmatch(wanted)
        sign, text = (found[1] or "=", found[2]) if found else ("=", wanted)
        if not text and sign in ("=", "<>"):
            return (value is None or value == wanted == "") == (sign == "=")
        if isinstance(value, str) and sign in ("=", "<>") and re.search("[*?]", text):
            return matches_pattern(value, text) == (sign == "=")
        plain = read_number(text, comma=False)
        limit = text if plain is None else plain
    left, right = order_key(value, limit), order_key(limit)
    if left[0] != right[0] or value is None:
        return sign == "<>"
    return _COMPARISONS[sign](left[1], right[1])


def matches_pattern(value: Value, pattern: Value) -> bool:
    """Return whether a text has the form of another, where `*` and `?` stand for any characters."""
    if not isinstance(value, str) or not isinstance(pattern, str):
        return False
    return _compile_wildcards(pattern).fullmatch(value) is not None


@cache
def _compile_wildcards(text: str) -> re.Pattern[str]:
    """Compile a pattern: `*` matches any characters, `?` one; `~` before them escapes."""
    pieces: list[str] = re.findall(r"~[*?~]|.", text, re.DOTALL)
    wild = {"*": ".*", "?": "."}
    written = [wild[piece] if piece in wild else re.escape(piece[-1]) for piece in pieces]
    return re.compile("".join(written), re.IGNORECASE | re.DOTALL)


def negate(node: Node, place: FormulaPlace) -> Value:
    return -number(node, place)


def percent(node: Node, place: FormulaPlace) -> Value:
    return number(node, place) / 100


def _calculate(compute: Callable[[Any, Any], Any], left: Value, right: Value) -> Value:
    try:
        result = compute(to_number(left), to_number(right))
    except ZeroDivisionError:
        raise FormulaError("#DIV/0!") from None
    except OverflowError:
        raise FormulaError("#NUM!") from None
    if isinstance(result, complex) or not abs(result) < 1e300:
        raise FormulaError("#NUM!")
    return float(result)


def _compare(compute: Callable[[Any, Any], bool], left: Value, right: Value) -> Value:
    return compute(_round_key(order_key(left, right)), _round_key(order_key(right, left)))


def _round_key(key: tuple[int, Any]) -> tuple[int, Any]:
    """Round numbers to 15 digits for comparison, so that 0.1+0.2 is 0.3."""
    rank, value = key
    return (rank, float(f"{value:.15g}")) if isinstance(value, float) else key


Computed: TypeAlias = "Callable[[Sequence[Node], FormulaPlace], Value]"
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
VLOOKUP 3-4 HLOOKUP 3-4 XLOOKUP 3-6 LOOKUP 2-3 INDEX 2-3 MATCH 2-3
ROW 0-1 COLUMN 0-1 ROWS 1 COLUMNS 1
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
RECHERCHEH HLOOKUP RECHERCHEX XLOOKUP RECHERCHE LOOKUP EQUIV MATCH LIGNE ROW COLONNE COLUMN
LIGNES ROWS COLONNES COLUMNS
CONCATENER CONCATENATE JOINDRE.TEXTE TEXTJOIN GAUCHE LEFT DROITE RIGHT STXT MID NBCAR LEN
MAJUSCULE UPPER MINUSCULE LOWER NOMPROPRE PROPER SUPPRESPACE TRIM SUBSTITUE SUBSTITUTE
REMPLACER REPLACE TROUVE FIND CHERCHE SEARCH TEXTE TEXT CNUM VALUE
ANNEE YEAR MOIS MONTH JOUR DAY HEURE HOUR AUJOURDHUI TODAY MAINTENANT NOW JOURSEM WEEKDAY
MOIS.DECALER EDATE FIN.MOIS EOMONTH JOURS DAYS NB.JOURS.OUVRES NETWORKDAYS VPM PMT VA PV VC FV
VAN NPV TRI IRR TAUX RATE NPM NPER AMORLIN SLN INTPER IPMT PRINCPER PPMT
STDEV.S STDEV STDEV.P STDEVP VAR.S VAR VAR.P VARP MODE.SNGL MODE RANK.EQ RANK
PERCENTILE.INC PERCENTILE QUARTILE.INC QUARTILE ECARTYPE.STANDARD STDEV ECARTYPE.PEARSON STDEVP
"""
"""French names, and later English ones, of functions."""
_LATER: Final = frozenset(
    ["IFNA", "IFS", "CONCAT", "TEXTJOIN", "MAXIFS", "MINIFS", "DAYS", "XLOOKUP"]
)
"""Functions newer than the file format, which are written with a prefix (XlsxWriter's
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


_LISTS: Final = dict(
    _pairs(
        """SUM only AVERAGE only MIN only MAX only COUNT only COUNTA only COUNTBLANK only
        PRODUCT only MEDIAN only SUMSQ only STDEV only STDEVP only VAR only VARP only MODE only
        ROWS only IRR only SUMIF 02 COUNTIF 0 AVERAGEIF 02 RANK 1 LARGE 0 SMALL 0
        QUARTILE 0 PERCENTILE 0 CORREL 01
        SLOPE 01 INTERCEPT 01 FORECAST 12 MATCH 1 XLOOKUP 12 LOOKUP 12 INDEX 0 SUBTOTAL 1"""
    )
)
"""Functions with the indices of their arguments that are lists, not single values; `only`: the
argument of a call that has no other, while of several each is a value."""


def takes_column(name: str, index: int, *, is_only: bool) -> bool:
    """Return whether a function reads a whole column where its argument at `index` is a header.

    `is_only`: it has no other argument. In `[Sales]/SUM([Sales])` the second `[Sales]` is the
    column; in `SUM([May],[June])` both are cells of the row.
    """
    if name in ("SUMIFS", "AVERAGEIFS", "MAXIFS", "MINIFS"):
        return index == 0 or index % 2 == 1
    if name == "COUNTIFS":
        return index % 2 == 0
    lists = _LISTS.get(name, "")
    return is_only if lists == "only" else str(index) in lists


def to_english(name: str) -> str:
    """Return the English name of a function, as in files: `SUM` for `somme`."""
    return _ENGLISH.get(name.upper(), name.upper())


def spell_function(name: str) -> str:
    """Return the name of a function in a file: newer ones have a prefix."""
    return f"_xlfn.{name}" if name in _LATER else name


def _values(nodes: Sequence[Node], place: FormulaPlace) -> Iterator[Value]:
    for node in nodes:
        result = node(place)
        if isinstance(result, Area):
            yield from place.cells.values(result)
        else:
            yield result


def read_numbers(nodes: Sequence[Node], place: FormulaPlace) -> list[float]:
    """Return the numbers in cells, and every argument in the formula itself as a number."""
    found: list[float] = []
    for node in nodes:
        result = node(place)
        if isinstance(result, Area):
            cells = place.cells.values(result)
            found += [cell for cell in cells if isinstance(cell, float)]
        else:
            found.append(to_number(result))
    return found


def _truths(nodes: Sequence[Node], place: FormulaPlace) -> list[bool]:
    """Return the truth values in cells, where text counts as little as an empty cell, and every
    argument in the formula itself as a truth value."""
    found: list[bool] = []
    for node in nodes:
        result = node(place)
        if isinstance(result, Area):
            cells = place.cells.values(result)
            found += [bool(cell) for cell in cells if isinstance(cell, float | bool)]
        elif result is not None:
            found.append(to_truth(result))
    if not found:
        raise FormulaError("#VALUE!")
    return found


def average(numbers: Sequence[float]) -> float:
    """Return the mean. Raises `FormulaError`: there is no number."""
    if not numbers:
        raise FormulaError("#DIV/0!")
    return math.fsum(numbers) / len(numbers)


def _compute_statistic(compute: Callable[[list[float]], float], numbers: list[float]) -> float:
    try:
        return compute(numbers)
    except statistics.StatisticsError:
        raise FormulaError("#NUM!" if not numbers else "#DIV/0!") from None


_AGGREGATES: Final[Mapping[str, Callable[[list[float]], float]]] = {
    "SUM": math.fsum,
    "AVERAGE": average,
    "MIN": lambda numbers: min(numbers, default=0.0),
    "MAX": lambda numbers: max(numbers, default=0.0),
    "COUNT": lambda numbers: float(len(numbers)),
    "PRODUCT": lambda numbers: math.prod(numbers) if numbers else 0.0,
    "MEDIAN": lambda numbers: _compute_statistic(statistics.median, numbers),
    "STDEV": lambda numbers: _compute_statistic(statistics.stdev, numbers),
}
_SUBTOTALS = {1: "AVERAGE", 2: "COUNT", 4: "MAX", 5: "MIN", 6: "PRODUCT", 9: "SUM"}


def _aggregate(name: str) -> Computed:
    compute = _AGGREGATES[name]

    def aggregate(nodes: Sequence[Node], place: FormulaPlace) -> Value:
        area = nodes[0](place) if len(nodes) == 1 else None
        if not isinstance(area, Area):
            return compute(read_numbers(nodes, place))
        known = place.cells.aggregates
        if (name, area) not in known:
            known[name, area] = compute(read_numbers(nodes, place))
        return known[name, area]

    return aggregate


def _subtotal(nodes: Sequence[Node], place: FormulaPlace) -> Value:
    kind = _SUBTOTALS.get(int(number(nodes[0], place)) % 100)
    if kind is None:
        raise Uncomputed
    return _AGGREGATES[kind](read_numbers(nodes[1:], place))


def _choose(nodes: Sequence[Node], place: FormulaPlace) -> Value:
    if to_truth(scalar(nodes[0], place)):
        return scalar(nodes[1], place)
    return scalar(nodes[2], place) if len(nodes) > 2 else False


def _catch_error(nodes: Sequence[Node], place: FormulaPlace) -> Value:
    try:
        return scalar(nodes[0], place)
    except FormulaError:
        return scalar(nodes[1], place)


def _rounded(nodes: Sequence[Node], place: FormulaPlace, how: Callable[[float], float]) -> float:
    value, scale = number(nodes[0], place), 10.0 ** int(number(nodes[1], place))
    scaled = float(f"{abs(value) * scale:.15g}")  # 2.675 × 100 is 267.49999999999994
    return math.copysign(how(scaled) / scale, value)


def _modulo(nodes: Sequence[Node], place: FormulaPlace) -> float:
    value, divisor = number(nodes[0], place), number(nodes[1], place)
    if not divisor:
        raise FormulaError("#DIV/0!")
    return value - divisor * math.floor(value / divisor)


def _root(nodes: Sequence[Node], place: FormulaPlace) -> float:
    value = number(nodes[0], place)
    if value < 0:
        raise FormulaError("#NUM!")
    return math.sqrt(value)


def _join_texts(nodes: Sequence[Node], place: FormulaPlace) -> str:
    return "".join(map(to_text, _values(nodes, place)))


OPERATORS: Final[Sequence[Mapping[str, Callable[[Value, Value], Value]]]] = (
    {
        "=": partial(_compare, operator.eq),
        "<>": partial(_compare, operator.ne),
        "<": partial(_compare, operator.lt),
        ">": partial(_compare, operator.gt),
        "<=": partial(_compare, operator.le),
        ">=": partial(_compare, operator.ge),
    },
    {"&": lambda left, right: to_text(left) + to_text(right)},
    {"+": partial(_calculate, operator.add), "-": partial(_calculate, operator.sub)},
    {
        "*": partial(_calculate, operator.mul),
        "/": partial(_calculate, lambda left, right: left / right),
    },
    {"^": partial(_calculate, lambda left, right: left**right)},
)
"""The weakest first; signs and `%` bind more strongly than all."""

COMPUTED: Final[Mapping[str, Computed]] = {
    **{name: _aggregate(name) for name in _AGGREGATES},
    "SUBTOTAL": _subtotal,
    "COUNTA": lambda nodes, place: float(sum(v is not None for v in _values(nodes, place))),
    "ABS": lambda nodes, place: abs(number(nodes[0], place)),
    "INT": lambda nodes, place: float(math.floor(number(nodes[0], place))),
    "SQRT": _root,
    "MOD": _modulo,
    "ROUND": lambda nodes, place: _rounded(nodes, place, lambda value: math.floor(value + 0.5)),
    "ROUNDUP": lambda nodes, place: _rounded(nodes, place, math.ceil),
    "ROUNDDOWN": lambda nodes, place: _rounded(nodes, place, math.floor),
    "IF": _choose,
    "IFERROR": _catch_error,
    "AND": lambda nodes, place: all(_truths(nodes, place)),
    "OR": lambda nodes, place: any(_truths(nodes, place)),
    "NOT": lambda nodes, place: not to_truth(scalar(nodes[0], place)),
    "TRUE": lambda _nodes, _place: True,
    "FALSE": lambda _nodes, _place: False,
    "CONCATENATE": _join_texts,
    "CONCAT": _join_texts,
}
"""Functions that are computed here, for phones, which show the results stored in a file."""
