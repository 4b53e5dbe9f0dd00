"""Check tables whose headers tell what their cells are: `x` and `f(x)`, a number and its double,
quantities and prices, and the corner sign of a table of sums or products.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from bot.maths.checks.passages import write_number
from bot.maths.checks.stated_forms import has_call
from bot.maths.checks.stated_relations import get_call
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Num,
    Quantity,
    drop_sign,
    free_letters,
    has_operation,
    has_units,
    number,
    substitute,
)
from bot.maths.reading.formula_tokens import tokenize_formula
from bot.maths.reading.notation import Reader, read_expression
from bot.maths.reading.number_words import fold
from bot.maths.reading.quantities import NotReadable

Rows = Sequence[Sequence[str]]
Functions = Mapping[str, Sequence[tuple[str, Expr]]]
"""The letters and expressions of functions by their names; they may differ."""

_MOST_CELLS: Final = 400
_LONGEST: Final = 60
"""Most characters of a cell that is read."""
_OTHERS: Final = re.compile(
    r"\b(?:remises?|reductions?|rabais|tva|taxes?|frais|livraison|discount|eleve|ta|tes|ton|erreurs?"
    r"|fau(?:x|sse)s?|precedente?s? (?:prix|nombre)|arrondi\w*|environ|avant|apres)\b"
)
"""Words of headers by which other cells count too, or the cells are not the writer's."""
_QUESTIONED: Final = re.compile(
    r"\b(?:erreurs?|fautes?|fau(?:x|sses?)|intrus|tromp\w+|mistakes?|wrong|appart\w+|test\w*)\b"
    r"|\b(?:corrige\w*|corriger) (?:ce|le|son|ton) tableau"
)
"""Words beside a table of which some cells may be wrong on purpose."""
_REMARK: Final = re.compile(r"\([^()]*\)|(?<=[a-z²³]) (?:en|in) [a-z]{1,12}[²³]?$")
_UNIT: Final = re.compile(r"(?:\(| en )([a-zA-Z]{1,3})[²³]?\)?\s*$")
_MARKUP: Final = re.compile(r"[*_`$]|\\(?:text|mathrm|textbf|mathbf)\b")
_ARTICLE: Final = re.compile(r"^(?:(?:l'|d'|le |la |les |son |sa |ses |leur |the |its )+)")
_SIGNS: Final = {"×": "*", "x": "*", "*": "*", "\\times": "*", "+": "+"}
_ROLES: Final = {
    "n": r"nombres?(?: (?:entiers?|donnes?|choisis?|de depart))?|numbers?|entiers?|n|x|valeurs?|a",
    "c": r"(?:longueur du )?cotes?(?: c)?(?: du carre| d'un carre)?|side(?: of (?:a|the) square)?",
    "r": r"rayons?(?: (?:r|du (?:cercle|disque)))?|radius",
    "l": r"longueurs?(?: l)?|length",
    "w": r"largeurs?(?: l)?|width",
    "q": r"quantites?|qtes?|nombres?|quantity|qty",
    "u": r"prix unitaires?|prix d'une? \w+|prix a l'unite|p\.? ?u\.?|unit price|prix de l'unite",
    "d": r"dividendes?|dividend",
    "v": r"diviseurs?|divisor",
    "k": r"quotients?(?: entier)?",
    "m": r"restes?|remainder",
}  # fmt: skip
"""Patterns of headers by the letters of their values."""


_Compute = Callable[[Sequence[Fraction]], Fraction | None]


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a header tells of its cells."""

    header: re.Pattern[str]
    letters: str
    """The roles of the lines that it is computed from."""
    compute: _Compute
    is_weak: bool = False
    """Whether the cells may be other things: at least half of them have to fit."""


def _rule(header: str, letters: str, compute: _Compute, *, is_weak: bool = False) -> _Rule:
    return _Rule(re.compile(header), letters, compute, is_weak)


def _find_rest(values: Sequence[Fraction]) -> Fraction | None:
    dividend, divisor, _ = values
    is_whole = all(each.denominator == 1 for each in values)
    return dividend % divisor if divisor and is_whole else None


def _find_digit(values: Sequence[Fraction], place: int) -> Fraction | None:
    """Return the digit at a place of a number that is too small to count more of this place."""
    is_clear = values[0].denominator == 1 and 0 <= values[0] < 1000
    return Fraction(int(values[0]) // 10**place % 10) if is_clear else None


_OF: Final = r"(?: (?:du|de ce|des|de la|of (?:the|this)) (?:nombres?|number|n|x))?"
_PAID: Final = (
    r"(?:montants?|prix (?:total|a payer|paye)|prix|cout(?: total)?|total|total price|amount)"
)
_RULES: Final = (
    _rule(rf"(?:doubles?|twice|double){_OF}", "n", lambda values: 2 * values[0]),
    _rule(rf"triples?{_OF}", "n", lambda values: 3 * values[0]),
    _rule(rf"quadruples?{_OF}", "n", lambda values: 4 * values[0]),
    _rule(rf"(?:moities?|half){_OF}", "n", lambda values: values[0] / 2),
    _rule(rf"(?:tiers|third){_OF}", "n", lambda values: values[0] / 3),
    _rule(rf"quart{_OF}", "n", lambda values: values[0] / 4),
    _rule(r"(?:chiffre des )?(?:unites?|ones|units)", "n", lambda values: _find_digit(values, 0)),
    _rule(r"(?:chiffre des )?(?:dizaines?|tens)", "n", lambda values: _find_digit(values, 1)),
    _rule(r"(?:chiffre des )?(?:centaines?|hundreds)", "n", lambda values: _find_digit(values, 2)),
    _rule(rf"(?:carres?|square){_OF}", "n", lambda values: values[0] ** 2),
    _rule(rf"cubes?{_OF}", "n", lambda values: values[0] ** 3),
    _rule(rf"oppose{_OF}", "n", lambda values: -values[0]),
    _rule(r"perimetres?|perimeter", "lw", lambda values: 2 * (values[0] + values[1])),
    _rule(r"aires?|surface|area", "lw", lambda values: values[0] * values[1]),
    _rule(r"perimetres?(?: du carre)?|perimeter", "c", lambda values: 4 * values[0], is_weak=True),
    _rule(r"aires?(?: du carre)?|surface|area", "c", lambda values: values[0] ** 2, is_weak=True),
    _rule(r"diametres?|diameter", "r", lambda values: 2 * values[0]),
    _rule(_PAID, "qu", lambda values: values[0] * values[1], is_weak=True),
    _rule(_ROLES["m"], "dvk", _find_rest),
)


def read_value_tables(rows: Rows, around: str, functions: Functions) -> Iterator[Statement]:
    """Yield the statements of a table, of which the second row is its rule.

    Args:
        around: the words of the question and of the lines beside the table.
        functions: the functions that the text or the question defines.
    """
    if _QUESTIONED.search(around):
        return
    table = [rows[0], *rows[2:]]
    width = min(map(len, table))
    if width < 2 or width * len(table) > _MOST_CELLS:
        return
    sign = _SIGNS.get(_MARKUP.sub("", table[0][0]).strip())
    if sign and (sign == "+" or table[0][0].strip("* $") != "x"):
        yield from _read_corner(table, sign)
        return
    for lines in (table, [[row[place] for row in table] for place in range(width)]):
        heads = [_name(line[0]) for line in lines]
        if not any(_OTHERS.search(head) for head in heads):
            yield from _read_lines(lines, heads, functions)


def _name(header: str) -> str:
    """Return the words of a header, without its unit and article."""
    words = fold(_MARKUP.sub("", header[:_LONGEST])).replace("’", "'")
    return _ARTICLE.sub("", _REMARK.sub("", words).strip(" .:"))


# Cells --------------------------------------------------------------------------------------------


def _read(cell: str) -> Expr | None:
    """Return the expression that a whole cell is; None: it is none."""
    bare = cell.strip(" *`✅✓")
    if not bare or len(bare) > _LONGEST:
        return None
    try:
        if bare[0] == bare[-1] == "$" or "\\" in bare:
            tokens = tokenize_formula(bare.strip("$ "), 0, len(bare))
            reader = Reader(tokens)
            found = reader.read_sum()
            return found if reader.at == len(tokens) else None
        return read_expression(bare)
    except NotReadable:
        return None


def _read_number(cell: str) -> Expr | None:
    """Return the number of a cell, without its unit; None: it has none, or a computation."""
    found = _read(cell)
    inner = found.number if isinstance(found, Quantity) else found
    if inner is None or free_letters(inner) or not re.search(r"\d", cell):
        return None
    is_plain = isinstance(inner, Num) or (isinstance(inner, Apply) and inner.op in ("neg", "/"))
    return inner if is_plain and not has_units(inner) else None


def _compute(expr: Expr | None) -> Fraction | None:
    try:
        return evaluate(expr).number if expr is not None else None
    except (Undecidable, ZeroDivisionError, ValueError):
        return None


def _fits(expected: Fraction, cell: Expr) -> bool:
    """Return whether a cell shows a number, perhaps rounded or cut to its last digit."""
    value = _compute(cell)
    if value is None or value == expected:
        return True
    shown = drop_sign(cell)
    places = shown.places if isinstance(shown, Num) else 0
    is_rounded = isinstance(shown, Num) and (expected * 10**places).denominator != 1
    return is_rounded and abs(expected - value) < Fraction(1, 10**places)


# Tables of sums and products ----------------------------------------------------------------------


def _read_corner(table: Rows, sign: str) -> Iterator[Statement]:
    """Read a table with `×` or `+` in its corner."""
    heads = [_compute(_read_number(cell)) for cell in table[0]]
    fits, off = 0, list[str]()
    for row in table[1:]:
        first = _compute(_read_number(row[0]))
        for head, cell in zip(heads[1:], row[1:], strict=False):
            value = _read_number(cell)
            if first is None or head is None or value is None:
                continue
            expected = first * head if sign == "*" else first + head
            if _fits(expected, value):
                fits += 1
            else:
                shown = "×" if sign == "*" else "+"
                off.append(f"{row[0].strip()} {shown} {write_number(head)} "
                           f"is {write_number(expected)}")  # fmt: skip
    if len(off) <= fits and fits:
        yield decide(" | ".join(table[0]), off[0] if off else "")


# Probabilities ------------------------------------------------------------------------------------

_CHANCES: Final = re.compile(
    r"\W*(?:probabilite?s?|probability|p ?\(? ?x ?= ?(?:x|k|x_?i)\W*|p_?i)\W*"
)


def _read_chances(line: Sequence[str]) -> Iterator[Statement]:
    """Read `P(X = k) | 0,3 | 0,5 | 0,2`, which make 1."""
    values = [_compute(_read_number(cell)) for cell in line[1:]]
    known = [each for each in values if each is not None]
    if len(known) == len(values) > 1 and _CHANCES.fullmatch(fold(line[0])):
        is_right = sum(known) == 1
        yield decide(" | ".join(line), "" if is_right else "they do not make 1")


# Lines with a header ------------------------------------------------------------------------------


def _read_lines(lines: Rows, heads: Sequence[str], functions: Functions) -> Iterator[Statement]:
    for line in lines:
        yield from _read_chances(line)
    cells = [[_read_number(cell) for cell in line[1:]] for line in lines]
    if not any(each is not None for line in cells for each in line):
        return
    roles = {
        letter: at
        for letter, pattern in reversed(_ROLES.items())
        for at, head in reversed(list(enumerate(heads)))
        if re.fullmatch(pattern, head)
    }
    for at, head in enumerate(heads):
        rule = _find_rule(head, at, roles)
        used = [lines[roles[letter]] for letter in rule.letters] if rule else []
        if rule and _has_one_unit(rule, [*used, lines[at]]):
            sources = [cells[roles[letter]] for letter in rule.letters]
            expected = [_apply(rule, values) for values in zip(*sources, strict=False)]
            yield from _judge(lines[at], expected, cells[at], is_weak=rule.is_weak)
    yield from _read_formulas(lines, heads, cells, functions)


def _has_one_unit(rule: _Rule, lines: Rows) -> bool:
    """Return whether the lines of a rule have values in one unit, or quantities in one."""
    if rule.letters == "qu":
        return len(_list_units(lines[:1])) < 2 and not any("/" in cell for cell in lines[1])
    return len(_list_units(lines)) < 2


def _list_units(lines: Rows) -> set[str]:
    """Return the units of lengths, and other names of units, in the headers and cells of lines."""
    units: set[str] = set()
    for header, *cells in lines:
        units |= {found.lower() for found in _UNIT.findall(header)}
        found = (_read(cell) for cell in cells)
        units |= {each.unit.rstrip("²³").lower() for each in found if isinstance(each, Quantity)}
    return units


def _find_rule(head: str, at: int, roles: Mapping[str, int]) -> _Rule | None:
    for rule in _RULES:
        is_known = all(roles.get(letter, at) != at for letter in rule.letters)
        if is_known and rule.header.fullmatch(head):
            return rule
    return None


def _apply(rule: _Rule, values: Sequence[Expr | None]) -> Fraction | None:
    numbers = [_compute(value) for value in values]
    known = [each for each in numbers if each is not None]
    return rule.compute(known) if len(known) == len(numbers) else None


def _judge(
    line: Sequence[str],
    expected: Sequence[Fraction | None],
    cells: Sequence[Expr | None],
    *,
    is_weak: bool,
) -> Iterator[Statement]:
    """Yield the check of a line. If most of its cells do not fit, it is something else."""
    known = [
        (one, cell)
        for one, cell in zip(expected, cells, strict=False)
        if one is not None and cell is not None
    ]
    off = [one for one, cell in known if not _fits(one, cell)]
    fits = len(known) - len(off)
    if known and len(off) <= (fits if is_weak else max(1, fits)):
        why = f"a cell has to be {write_number(off[0])}" if off else ""
        yield decide(" | ".join(line), why)


def _read_formulas(
    lines: Rows, heads: Sequence[str], cells: Sequence[Sequence[Expr | None]], functions: Functions
) -> Iterator[Statement]:
    """Read lines whose headers are formulas of the letters of others: `2x + 3`, `f(x)`, `a + b`."""
    letters = {line[0].strip(" *$"): at for at, line in reversed(list(enumerate(lines)))}
    letters = {name: at for name, at in letters.items() if re.fullmatch("[a-z]", name)}
    if re.fullmatch(_ROLES["n"], heads[0]) and not letters:
        letters["x"] = 0
    for at, line in enumerate(lines):
        formulas = _find_formulas(line[0], letters, functions)
        if at in letters.values():
            formulas = _find_curves(line[0], letters, functions)
        names = {name for formula in formulas for name in free_letters(formula)}
        if not names or not names <= letters.keys():
            continue
        expected: list[Fraction | None] = []
        shortest = min(len(cells[letters[name]]) for name in names)
        for place in range(min(len(line) - 1, shortest)):
            values = {name: cells[letters[name]][place] for name in names}
            found = {_substitute(formula, values) for formula in formulas}
            expected.append(found.pop() if len(found) == 1 else None)
        is_variation = any(sign in cell for cell in line for sign in "↗↘→")
        yield from _judge(line, expected, cells[at], is_weak=is_variation)


def _find_curves(header: str, letters: Mapping[str, int], functions: Functions) -> list[Expr]:
    """Return the expressions of y in x, for the header y."""
    is_curve = header.strip(" *$") == "y" and "x" in letters
    return [body for _, body in functions.get("y", ())] if is_curve else []


def _find_formulas(header: str, letters: Mapping[str, int], functions: Functions) -> list[Expr]:
    """Return the expressions of a header: the right side of its equality, or its function's."""
    bare = _MARKUP.sub("", header) if "\\" not in header else header
    words = re.sub(r"(?i)\b(?:le )?(?:nombre|number)\b", "x", bare) if "x" in letters else bare
    words = words.rpartition("=")[2]
    formula = _read(f"${words.strip('$ ')}$" if "\\" in words else words)
    if formula is None or not has_operation(formula):
        return []
    name, argument = get_call(formula)
    if name:
        return [body for letter, body in functions.get(name, ()) if letter == argument]
    return [] if has_call(formula) else [formula]


def _substitute(formula: Expr, values: Mapping[str, Expr | None]) -> Fraction | None:
    known = {
        name: number(value)
        for name, each in values.items()
        if (value := _compute(each)) is not None
    }
    return _compute(substitute(formula, known)) if len(known) == len(values) else None
