"""Check tables (totals, proportional rows, measures in other units, frequencies of counts) and sums
that are laid out in lines (posed operations, lists with a total), which Markdown may take for code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, product
from typing import Final, NamedTuple

from bot.maths.checks.passages import write_number
from bot.maths.checks.value_tables import Functions, read_value_tables
from bot.maths.exact.algebra_questions import Statement, decide, judge
from bot.maths.exact.units import Unit, find_unit
from bot.maths.reading.disowned import disowns
from bot.maths.reading.number_words import fold
from bot.maths.reading.plain_words import write_plainly
from bot.maths.reading.tokens import read_digits

# Sums laid out in columns -------------------------------------------------------------------------

_NUMBER: Final = r"\d[\d \u00a0\u202f]{0,20}(?:[.,]\d[\d ]{0,10})?"
_PLAIN: Final = re.compile(rf"\s*({_NUMBER})\s*")
_SIGNED: Final = re.compile(rf"\s*([-+−–×x*])\s*({_NUMBER})\s*")
_RULE: Final = re.compile(r"\s*(?:-{2,}|—{1,}|─{2,}|_{2,}|={2,}|–{2,})\s*")
_TOTAL: Final = re.compile(
    r"\W*(?:(?:le |the )?(?:total|somme|sum)(?: a payer| general| :| depense)?|en tout)"
    r"(?: (?:est|is|de))?"
    rf"\W{{0,6}}({_NUMBER})\s*([a-z€$]*)(?: cfa)?\W*"
)
_ENTRY: Final = re.compile(rf"(.*[=:→]|[^\d=:→]*)\W*?({_NUMBER})\s*([a-z€$]*)(?: cfa)?\W*")
_REMARK: Final = re.compile(r"\s*\([^()]*\)\W*$")
"""A remark after an amount: `200 kg (1 quintal = 100 kg)`."""
_OTHER: Final = re.compile(
    r"\b(?:etape|step|total|somme|donc|ensemble|en tout|reste|remise|reduction|rabais|rendu|avance"
    r"|acompte|moins|tva|monnaie|billet|moyenne|discount|off|change|average|deja|dont|sur)\b|%"
)
"""Words of lines that are no parts of a sum."""
_OWN: Final = re.compile(
    r"\b(?:tu as|tu avais|vous avez|ta|ton|tes|son|sa|il a|elle a|you|your|his|her|she|he|a pose"
    r"|regarde|attention|retenue|verifi\w*|presque|mais|oubli\w*|carry|borrow)\b"
)
"""Words beside an operation that a pupil may have posed."""
_FEWEST_LINES: Final = 3
"""The fewest lines of a layout."""
_MOST_LINES: Final = 400
_LONGEST: Final = 160
"""Most characters of a line that is read."""
_MOST_MIXED: Final = 6


class _Entry(NamedTuple):
    value: Fraction
    times: Fraction
    """The number before the name, which may multiply the value."""
    unit: str


def read_layouts(text: str) -> Iterator[Statement]:
    """Yield the statements of posed operations and totals in the lines of a text."""
    lines = _split_lines(text)
    if len(lines) < _FEWEST_LINES:
        return
    for at, line in enumerate(lines):
        if _RULE.fullmatch(line) and (found := _read_column(lines, at)):
            yield found
        if "|" not in line and (total := _TOTAL.fullmatch(fold(line))):
            yield from filter(None, (_check_total(lines, at, total),))


def _split_lines(text: str) -> list[str]:
    """Return the lines of a text that are read."""
    return [each[:_LONGEST] for each in text.split("\n")[:_MOST_LINES]]


def _read_number(text: str) -> Fraction | None:
    """Return the number that the whole text shows; None: none, or one with an ambiguous mark."""
    written = re.sub(r"[ \u00a0\u202f]", "", text)
    token = read_digits(written, 0, 0)
    return token.value if token.other is None else None


def _is_quoted(lines: Sequence[str], at: int) -> bool:
    """Return whether the lines just before a place quote or speak of a mistake."""
    before = [each for each in lines[max(0, at - 3) : at] if each.strip("` ")]
    return any(disowns(fold(each)) or each.startswith(">") for each in before)


# Posed operations ---------------------------------------------------------------------------------


def _read_column(lines: Sequence[str], rule: int) -> Statement | None:
    """Read an operation above a rule, and its result below."""
    first = rule
    terms: list[Fraction] = []
    sign = ""
    while first and (found := _SIGNED.fullmatch(lines[first - 1])):
        value = _read_number(found[2])
        if value is None or (sign and sign != found[1]):
            return None
        terms.insert(0, value)
        sign, first = found[1], first - 1
    above = _PLAIN.fullmatch(lines[first - 1]) if first and terms else None
    start = _read_number(above[1]) if above else None
    if above is None or start is None or _is_quoted(lines, first - 1):
        return None
    around = fold(" ".join([*lines[max(0, first - 4) : first - 1], *lines[rule + 2 : rule + 6]]))
    if _OWN.search(around):
        return None
    results = _list_results(lines, rule)
    if (
        len(results) != 1
        or (sign in "−–-" and len(terms) > 1)
        or (sign in "×x*" and len(terms) > 1)
    ):
        return None
    value, end = results[0]
    expected = [_compute(start, sign, terms)]
    if sign == "+" and first > 1 and (carried := _PLAIN.fullmatch(lines[first - 2])):
        number = _read_number(carried[1])  # one more term, or what is carried
        expected += [expected[0] + number] if number is not None else []
    why = f"the result is {expected[0]}"
    text = "\n".join(lines[first - 1 : end + 1])
    return Statement(text, [[judge(value in expected, why)]])


def _list_results(lines: Sequence[str], rule: int) -> list[tuple[Fraction, int]]:
    """List the numbers in the lines below a rule, with their places."""
    found: list[tuple[Fraction, int]] = []
    for at, line in enumerate(lines[rule + 1 : rule + 8], rule + 1):
        match = _PLAIN.fullmatch(line)
        value = _read_number(match[1]) if match else None
        if value is None:
            is_more = _RULE.fullmatch(line) or _SIGNED.fullmatch(line)
            return [*found, *found] if is_more else found
        found.append((value, at))
    return found


def _compute(start: Fraction, sign: str, terms: Sequence[Fraction]) -> Fraction:
    for each in terms:
        if sign == "+":
            start += each
        elif sign in "×x*":
            start *= each
        else:
            start -= each
    return start


# Lists with a total -------------------------------------------------------------------------------


def _check_total(lines: Sequence[str], at: int, total: re.Match[str]) -> Statement | None:
    """Check `Total : 4 500 F` below lines that each end with an amount."""
    claimed, unit = _read_number(total[1]), total[2]
    entries: list[_Entry] = []
    first = at
    while first and lines[first - 1].strip() and "|" not in lines[first - 1]:
        entry = _read_entry(lines[first - 1])
        if entry is None:
            break
        entries.insert(0, entry)
        first -= 1
    is_whole = (
        first == 0
        or lines[first - 1].rstrip(" *🛒👇").endswith(":")
        or not lines[first - 1].strip()
    )
    is_list = is_whole or re.search(r"[^\d\s]\W*$", lines[first - 1]) is not None
    if claimed is None or len(entries) <= 1 or not is_list or _is_quoted(lines, first):
        return None
    values = [each.value for each in entries]
    if {each.unit for each in entries} != {unit} or claimed in values or not unit:
        return None
    sums = _list_sums(entries)
    if not sums:
        return None
    why = f"the sum is {sum(values)}"
    return Statement(lines[at].strip(), [[judge(claimed in sums, why)]])


def _read_entry(line: str) -> _Entry | None:
    """Read a line that ends with an amount: `- Riz : 2 500 F`; None: it is no such line."""
    folded = _REMARK.sub("", fold(line).strip())
    found = _ENTRY.fullmatch(folded)
    if found is None or _OTHER.search(folded) or "?" in folded:
        return None
    value = _read_number(found[2])
    count = re.match(r"(?:[-*•]\s+)?(\d+) ", found[1])
    is_computed = "=" in found[1]
    if value is None or (is_computed and "+" in found[1]):
        return None
    return _Entry(
        value, Fraction(int(count[1])) if count and not is_computed else Fraction(1), found[3]
    )


def _list_sums(entries: Sequence[_Entry]) -> set[Fraction]:
    """List the sums of the amounts, each of which may be multiplied by its count."""
    choices = [{each.value, each.value * each.times} for each in entries]
    if sum(len(each) > 1 for each in choices) > _MOST_MIXED:
        return set()
    return {sum(each, Fraction(0)) for each in product(*choices)}


# Tables -------------------------------------------------------------------------------------------

_Rows = Sequence[Sequence[str]]

_CELL_TOTAL: Final = re.compile(r"\W*(?:total|somme|sum|ensemble)(?: general)?\W*")
_CELL: Final = re.compile(rf"\W*(-?{_NUMBER})\s*(?:[a-zé€$²³°/]{{0,12}}(?: cfa)?|%)?[\s*✅✓.]*")
_IN_PARTS: Final = re.compile(r"\s*(\d{1,6}) ?/ ?(\d{1,6})\s*")
_PROPORTIONAL: Final = re.compile(
    r"\b(?:proportion\w*|regle de trois|produits? en croix|cross[ -]?multipl\w*"
    r"|(?:passe|passage|retour|revien\w*|ramene\w*) (?:par|a) l.?unite|unit rate|rule of three"
    r"|coefficient|vitesse (?:est )?constante|constant speed)\b"
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
    r"\W*(?:e\.?c\.?c\.?|effectifs? cumules?(?: croissants?)?|cumulative frequenc\w+)\W*.*"
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
    lines = _split_lines(text)
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].strip().startswith("|"):
            end += 1
        if end - at >= _FEWEST_LINES and not _is_quoted(lines, at):
            rows = [[cell.strip(" *") for cell in line.strip().strip("|").split("|")]
                    for line in lines[at:end]]  # fmt: skip
            around = fold(" ".join([question, *lines[max(0, at - 3) : at], *lines[end : end + 4]]))
            yield from _check_total_row(lines, end, rows[2:])
            yield from _check_total_column(rows)
            yield from _check_proportion(rows, around)
            yield from _check_counts([rows[0], *rows[2:]])
            yield from _check_units([rows[0], *rows[2:]], around)
            yield from read_value_tables(rows, around, functions)
        at = max(end, at + 1)


# Totals -------------------------------------------------------------------------------------------


def _check_total_row(lines: Sequence[str], end: int, body: _Rows) -> Iterator[Statement]:
    """Read a last row `Total`, or the line `Total : 73` below the table."""
    after = fold(lines[end]) if end < len(lines) else ""
    total = _TOTAL.fullmatch(after)
    if _CELL_TOTAL.fullmatch(fold(body[-1][0])):
        claimed = [_read_cell(cell) for cell in body[-1]]
        columns = _list_columns(body[:-1])
        for place, values in columns.items():
            if place < len(claimed) and (value := claimed[place]) is not None and len(values) > 1:
                yield _compare(sum(values, Fraction(0)), value, lines[end - 1].strip())
    elif total and (value := _read_number(total[1])) is not None:
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
    value = _read_number(found[1].lstrip("-"))
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
    is_wide = len(rows) == _FEWEST_LINES
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


# Units ------------------------------------------------------------------------------------------

_MEASURE: Final = re.compile(rf"\W*({_NUMBER})\s*([^\W\d_]+[²³23]?(?:/[a-z]+)?)?[\s.*✅✓]*")
_HEAD_UNIT: Final = re.compile(r"(?:.*[( ])?([^\W\d_]{1,3}[²³23]?(?:/[a-z]+)?)\)?")
_ANSWERS: Final = re.compile(
    r"\b(?:ta|ton|tes|reponses?|eleves?|erreurs?|faux|your|answers?|pupils?|wrong|mistakes?)\b"
)
_CONVERTS: Final = re.compile(r"\b(?:conver\w+|equival\w+|unites?|units?)\b")


def _check_units(table: _Rows, around: str) -> Iterator[Statement]:
    """Read rows or columns that write one measure in several units, as most of them do."""
    if any(_ANSWERS.search(fold(cell)) for cell in table[0]):
        return  # a pupil's
    for head, *rows in (table, [list(each) for each in zip(*table, strict=False)]):
        named = [_HEAD_UNIT.fullmatch(write_plainly(cell)) for cell in head]
        units = [_find_unit(found[1]) if found else None for found in named]
        faults = [_find_fault(row, units) for row in rows]
        off = [at for at, fault in enumerate(faults) if fault]
        right = faults.count("")
        is_clear = right > max(len(off), 1) or (right >= len(off) and _CONVERTS.search(around))
        if right and is_clear:
            at = off[0] if off else faults.index("")
            yield decide(" | ".join(rows[at]), faults[at] or "")


def _find_fault(row: Sequence[str], units: Sequence[Unit | None]) -> str | None:
    """Return why the measures of a row differ, empty if they do not; None: there are no two of
    one kind."""
    fault: str | None = None
    first: tuple[Fraction, Unit] | None = None
    for cell, head in zip(row, units, strict=False):
        found = _MEASURE.fullmatch(write_plainly(cell))
        value = _read_number(found[1]) if found else None
        unit = (_find_unit(found[2]) if found[2] else head) if found else None
        if value is None or unit is None:
            continue
        if first is None:
            first = value, unit
        elif unit.dimensions == first[1].dimensions and unit.size != first[1].size:
            expected = first[0] * first[1].size / unit.size
            step = _find_step([cell])
            is_rounded = (expected / step).denominator > 1 and abs(expected - value) < step
            fault = fault or (
                ""
                if expected == value or is_rounded
                else f"it is {write_number(expected)}, not {cell}"
            )
    return fault


def _find_unit(name: str) -> Unit | None:
    return find_unit("are" if name == "a" else name)


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
