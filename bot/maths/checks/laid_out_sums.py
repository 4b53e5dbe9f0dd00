"""Check sums that are laid out in lines: posed operations, tables and lists with a total.

They are read from the lines of the text, since Markdown takes some of them for lists or code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Final, NamedTuple

from bot.maths.exact.algebra_questions import Known, Statement
from bot.maths.reading.disowned import disowns
from bot.maths.reading.number_words import fold
from bot.maths.reading.tokens import read_digits

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
_CELL_TOTAL: Final = re.compile(r"\W*(?:total|somme|sum)\W*")
_PROPORTIONAL: Final = re.compile(r"\b(?:tableau|table) (?:de )?proportion\w*")
_FEWEST_LINES: Final = 3
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
    """Yield the statements of posed operations, tables and totals in the lines of a text."""
    lines = [each[:_LONGEST] for each in text.split("\n")[:_MOST_LINES]]
    if len(lines) < _FEWEST_LINES:
        return
    for at, line in enumerate(lines):
        if _RULE.fullmatch(line) and (found := _read_column(lines, at)):
            yield found
        if "|" not in line and (total := _TOTAL.fullmatch(fold(line))):
            yield from filter(None, (_check_total(lines, at, total),))
    yield from _read_tables(lines)


def _read_number(text: str) -> Fraction | None:
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
    return Statement(text, [[Known("right" if value in expected else "wrong", why)]])


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
    return Statement(lines[at].strip(), [[Known("right" if claimed in sums else "wrong", why)]])


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


def _read_tables(lines: Sequence[str]) -> Iterator[Statement]:
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].strip().startswith("|"):
            end += 1
        if end - at >= _FEWEST_LINES and not _is_quoted(lines, at):
            rows = [[cell.strip(" *") for cell in line.strip().strip("|").split("|")]
                    for line in lines[at:end]]  # fmt: skip
            yield from _check_table(lines, at, end, rows)
        at = max(end, at + 1)


def _check_table(
    lines: Sequence[str], at: int, end: int, rows: Sequence[Sequence[str]]
) -> Iterator[Statement]:
    body = rows[2:]
    before = fold(" ".join(lines[max(0, at - 2) : at]))
    if _PROPORTIONAL.search(before) and len(body) == 1 and "?" not in before:
        yield from filter(None, (_check_ratios(rows[0], body[0], lines[end - 1]),))
        return
    after = fold(lines[end]) if end < len(lines) else ""
    total = _TOTAL.fullmatch(after)
    is_row = bool(_CELL_TOTAL.fullmatch(fold(body[-1][0])))
    if is_row:
        claimed = [_read_cell(cell) for cell in body[-1]]
        columns = _list_columns(body[:-1])
        for place, values in columns.items():
            if place < len(claimed) and (value := claimed[place]) is not None and len(values) > 1:
                yield _compare(sum(values), value, lines[end - 1].strip())
    elif total and (value := _read_number(total[1])) is not None:
        columns = _list_columns(body)
        if len(columns) == 1 and len(body) > 1:
            yield _compare(sum(next(iter(columns.values()))), value, lines[end].strip())


def _compare(expected: Fraction | int, value: Fraction, text: str) -> Statement:
    is_right = expected == value
    return Statement(text, [[Known("right" if is_right else "wrong", f"the sum is {expected}")]])


def _read_cell(cell: str) -> Fraction | None:
    found = re.fullmatch(rf"({_NUMBER})\s*[a-zé€$]*(?: cfa)?", fold(cell))
    return _read_number(found[1]) if found else None


def _list_columns(body: Sequence[Sequence[str]]) -> dict[int, list[Fraction]]:
    """Return the columns after the first in which each cell is a number, by their places."""
    width = min(map(len, body), default=0)
    columns = {place: [_read_cell(row[place]) for row in body] for place in range(1, width)}
    return {
        place: [value for value in cells if value is not None]
        for place, cells in columns.items()
        if None not in cells
    }


def _check_ratios(one: Sequence[str], other: Sequence[str], text: str) -> Statement | None:
    """Check that the quotients of the columns are equal; empty cells are left out."""
    pairs = [(_read_cell(a), _read_cell(b)) for a, b in zip(one[1:], other[1:], strict=False)]
    ratios = {b / a for a, b in pairs if a and b is not None}
    if sum(bool(a) and b is not None for a, b in pairs) <= 1:
        return None
    is_right = len(ratios) == 1
    return Statement(
        text.strip(), [[Known("right" if is_right else "wrong", "the quotients differ")]]
    )
