"""Check tables: a total row or column, proportional rows, frequencies of counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Final

from bot.maths.checks.laid_out_sums import (
    FEWEST_LINES,
    NUMBER,
    TOTAL,
    is_quoted,
    read_number,
    split_lines,
)
from bot.maths.checks.passages import decide, write_number
from bot.maths.checks.value_tables import Functions, read_value_tables
from bot.maths.exact.algebra_questions import Statement
from bot.maths.reading.number_words import fold

_Rows = Sequence[Sequence[str]]

_CELL_TOTAL: Final = re.compile(r"\W*(?:total|somme|sum|ensemble)(?: general)?\W*")
_CELL: Final = re.compile(rf"\W*(-?{NUMBER})\s*(?:[a-zé€$²³°/]{{0,12}}(?: cfa)?|%)?[\s*✅✓.]*")
_IN_PARTS: Final = re.compile(r"\s*(\d{1,6}) ?/ ?(\d{1,6})\s*")
_PROPORTIONAL: Final = re.compile(
    r"\b(?:proportion\w*|regle de trois|produits? en croix|cross[ -]?multipl\w*"
    r"|(?:passe|passage|retour|revien\w*|ramene\w*) (?:par|a) l.?unite|unit rate|rule of three"
    r"|coefficient)\b"
)
_DOUBTED: Final = re.compile(
    r"\b(?:pas|non|not|n'est|si|if|invers\w*|est-ce|is it|sont-elles|est-il|abonnement|forfait"
    r"|remise|degressi\w*|carre|vrai|faux)\b"
)
_PRODUCT_HEADS: Final = re.compile(
    r"\b(?:prix|price|p\.? ?u|cout|cost|montant|quantite|qte|quantity|qty|nombre|number|unit\w*"
    r"|coef\w*|taux|rate|moyenne|average|mean|remise|reduction|calcul|rang|n|poids|note|heures?"
    r"|annee|year)\b"
)
"""Heads of columns whose total is no sum of the cells beside it."""
_COUNTS: Final = re.compile(
    r"\W*(?:effectifs?(?! cumul)|nombres? (?:de |d')|counts?\b|number of |frequency$).*"
)
_SHARES: Final = re.compile(
    r"\W*(?:frequences?|relative frequenc(?:y|ies)|pourcentages?|percentages?|%)"
    r"(?: ?\(?(?:en )?(?:%|pourcentages?|percent)\)?)?\W*"
)
_FREQUENCIES: Final = re.compile(r"\W*(?:frequences?|relative frequenc(?:y|ies))\b.*")
_CUMULATED: Final = re.compile(
    r"\W*(?:e\.?c\.?c\.?|effectifs? cumules? croissants?|cumulative frequenc\w+)\W*.*"
)
_ANGLES: Final = re.compile(r"\W*(?:angles?|degres)\b.*")
_HUNDRED: Final = 100
_TURN: Final = 360


def read_tables(text: str, question: str, functions: Functions) -> Iterator[Statement]:
    """Yield the statements of the tables of a text.

    Args:
        question: the words of the question, without accents and capitals.
        functions: the functions that the text or the question defines.
    """
    if "|" not in text:
        return
    lines = split_lines(text)
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].strip().startswith("|"):
            end += 1
        if end - at >= FEWEST_LINES and not is_quoted(lines, at):
            rows = [[cell.strip(" *") for cell in line.strip().strip("|").split("|")]
                    for line in lines[at:end]]  # fmt: skip
            around = fold(" ".join([question, *lines[max(0, at - 3) : at], *lines[end : end + 4]]))
            yield from _check_total_row(lines, end, rows[2:])
            yield from _check_total_column(rows)
            yield from _check_proportion(rows, around)
            yield from _check_counts([rows[0], *rows[2:]])
            yield from read_value_tables(rows, around, functions)
        at = max(end, at + 1)


# Totals -------------------------------------------------------------------------------------------


def _check_total_row(lines: Sequence[str], end: int, body: _Rows) -> Iterator[Statement]:
    """Read a last row `Total`, or the line `Total : 73` below the table."""
    after = fold(lines[end]) if end < len(lines) else ""
    total = TOTAL.fullmatch(after)
    if _CELL_TOTAL.fullmatch(fold(body[-1][0])):
        claimed = [_read_cell(cell) for cell in body[-1]]
        columns = _list_columns(body[:-1])
        for place, values in columns.items():
            if place < len(claimed) and (value := claimed[place]) is not None and len(values) > 1:
                yield _compare(sum(values, Fraction(0)), value, lines[end - 1].strip())
    elif total and (value := read_number(total[1])) is not None:
        columns = _list_columns(body)
        if len(columns) == 1 and len(body) > 1:
            expected = sum(next(iter(columns.values())), Fraction(0))
            yield _compare(expected, value, lines[end].strip())


def _compare(expected: Fraction, value: Fraction, text: str) -> Statement:
    return decide(text, "" if expected == value else f"the sum is {write_number(expected)}")


def _check_total_column(rows: _Rows) -> Iterator[Statement]:
    """Read a last column `Total`, which may also be a product of two cells beside it."""
    head = [fold(each) for each in rows[0]]
    if not _CELL_TOTAL.fullmatch(head[-1]) or len(head) < 4:
        return
    if any(_PRODUCT_HEADS.search(each) for each in head[1:-1]):
        return
    for row in rows[2:]:
        cells = [_read_cell(cell) for cell in row[1:]]
        values = [each for each in cells if each is not None]
        is_share = any("%" in cell or "/" in cell for cell in row[1:])
        if len(values) != len(head) - 1 or is_share:
            continue
        *parts, total = values
        if len(parts) > 2 or total != parts[0] * parts[1]:
            yield _compare(sum(parts, Fraction(0)), total, " | ".join(row))


def _read_cell(cell: str) -> Fraction | None:
    """Return the number of a cell; None: it has none, or more than that."""
    folded = fold(cell).replace("−", "-")
    if parts := _IN_PARTS.fullmatch(folded):
        return Fraction(int(parts[1]), int(parts[2])) if int(parts[2]) else None
    found = _CELL.fullmatch(folded)
    if found is None:
        return None
    value = read_number(found[1].lstrip("-"))
    return -value if value is not None and found[1].startswith("-") else value


def _list_columns(body: _Rows) -> dict[int, list[Fraction]]:
    """Return the columns after the first in which each cell is a number, by their places."""
    width = min(map(len, body), default=0)
    columns = {place: [_read_cell(row[place]) for row in body] for place in range(1, width)}
    return {
        place: [value for value in cells if value is not None]
        for place, cells in columns.items()
        if None not in cells
    }


# Proportional rows --------------------------------------------------------------------------------


def _check_proportion(rows: _Rows, around: str) -> Iterator[Statement]:
    """Read a table of two rows or columns whose text says that they are proportional."""
    is_wide = len(rows) == FEWEST_LINES
    if not is_wide and any(len(row) != 2 for row in rows):
        return
    if not _PROPORTIONAL.search(around) or _DOUBTED.search(around):
        return
    body = [rows[0], *rows[2:]]
    one, other = (rows[0], rows[2]) if is_wide else ([row[at] for row in body] for at in (0, 1))
    cells = [(_read_cell(a), _read_cell(b)) for a, b in zip(one[1:], other[1:], strict=False)]
    pairs = [(a, b) for a, b in cells if a and b is not None]
    if len(pairs) < 2:
        return
    ratios = [b / a for a, b in pairs]
    known = max(ratios, key=lambda ratio: sum(_fits(pair, ratio) for pair in pairs))
    is_known = len(pairs) == 2 or sum(_fits(pair, known) for pair in pairs) > 1
    if is_known:
        off = [pair for pair in pairs if not _fits(pair, known)]
        why = (
            f"{write_number(off[0][0])} goes with {write_number(off[0][0] * known)}" if off else ""
        )
        yield decide(" | ".join(other), why)


def _fits(pair: tuple[Fraction, Fraction], ratio: Fraction) -> bool:
    """Return whether a column has this ratio, if its second value may be rounded."""
    first, second = pair
    step = Fraction(1) if second.denominator == 1 else Fraction(1, 10)
    exact = first * ratio
    return exact == second or (exact.denominator > _HUNDRED and abs(exact - second) < step)


# Statistics ---------------------------------------------------------------------------------------


def _check_counts(rows: _Rows) -> Iterator[Statement]:
    """Read the frequencies, sums or angles of counts, in rows or in columns."""
    width = min(map(len, rows))
    columns = [[row[place] for row in rows] for place in range(width)]
    for table in (rows, columns):
        names = [fold(each[0]) for each in table]
        counts = [at for at, name in enumerate(names) if _COUNTS.fullmatch(name)]
        if len(counts) > 1:
            continue
        first = table[counts[0]] if counts else None
        labels = [fold(each) for each in table[0]]
        for at, name in enumerate(names):
            kind = next((kind for kind, pattern in _KINDS if pattern.fullmatch(name)), "")
            if kind and at not in counts:
                yield from _check_shares(kind, first, table[at], labels)


_KINDS: Final = (("share", _SHARES), ("cumulated", _CUMULATED), ("angle", _ANGLES))


def _check_shares(
    kind: str, counts: Sequence[str] | None, shares: Sequence[str], labels: Sequence[str]
) -> Iterator[Statement]:
    """Check a row of shares against the row of counts, or against 100 % if there is none."""
    text = " | ".join(shares)
    values = [each for each in map(_read_cell, shares[1:]) if each is not None]
    if len(values) + 1 != len(shares) or len(values) < 2:
        return
    parts = values[:-1] if _CELL_TOTAL.fullmatch(labels[-1]) else values
    if counts is None:
        if _FREQUENCIES.fullmatch(fold(shares[0])) and "%" in text:
            slack = Fraction(len(parts), 2) * _find_step(shares)
            is_right = abs(sum(parts, Fraction(0)) - _HUNDRED) <= slack
            yield decide(text, "" if is_right else "they do not make 100 %")
        return
    numbers = [each for each in map(_read_cell, counts[1:]) if each is not None]
    if len(numbers) != len(values) or any(each.denominator != 1 for each in numbers):
        return
    numbers = numbers[: len(parts)]
    if kind == "cumulated":
        is_right = list(accumulate(numbers)) == parts
        yield decide(text, "" if is_right else "a sum of the counts is wrong")
    elif sum(numbers):
        is_percent = "%" in text or max(values) > 1
        whole = Fraction(_TURN if kind == "angle" else _HUNDRED if is_percent else 1)
        yield from _compare_shares(text, whole, numbers, parts)


def _compare_shares(
    text: str, whole: Fraction, numbers: Sequence[Fraction], parts: Sequence[Fraction]
) -> Iterator[Statement]:
    """Yield the check that parts of a whole belong to these counts. If most do not, they are
    something else."""
    total, step = sum(numbers, Fraction(0)), _find_step([text])
    off: list[str] = []
    for number, part in zip(numbers, parts, strict=True):
        expected = whole * number / total
        is_shown = (expected / step).denominator == 1 or "/" in text
        if abs(part - expected) >= step or (part != expected and is_shown):
            off.append(f"{number} of {total} is {write_number(expected)}")
    if 2 * len(off) <= len(parts):
        yield decide(text, off[0] if off else "")


def _find_step(cells: Sequence[str]) -> Fraction:
    """Return a unit of the last digit that the cells show at most."""
    decimals = [len(each) for cell in cells for each in re.findall(r"\d[.,](\d+)", cell)]
    return Fraction(1, 10 ** max(decimals, default=0))
