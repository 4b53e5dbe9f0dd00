"""Check sums that are laid out in lines: posed operations, and lists with a total.

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

NUMBER: Final = r"\d[\d \u00a0\u202f]{0,20}(?:[.,]\d[\d ]{0,10})?"
_PLAIN: Final = re.compile(rf"\s*({NUMBER})\s*")
_SIGNED: Final = re.compile(rf"\s*([-+−–×x*])\s*({NUMBER})\s*")
_RULE: Final = re.compile(r"\s*(?:-{2,}|—{1,}|─{2,}|_{2,}|={2,}|–{2,})\s*")
TOTAL: Final = re.compile(
    r"\W*(?:(?:le |the )?(?:total|somme|sum)(?: a payer| general| :| depense)?|en tout)"
    r"(?: (?:est|is|de))?"
    rf"\W{{0,6}}({NUMBER})\s*([a-z€$]*)(?: cfa)?\W*"
)
_ENTRY: Final = re.compile(rf"(.*[=:→]|[^\d=:→]*)\W*?({NUMBER})\s*([a-z€$]*)(?: cfa)?\W*")
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
FEWEST_LINES: Final = 3
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
    lines = split_lines(text)
    if len(lines) < FEWEST_LINES:
        return
    for at, line in enumerate(lines):
        if _RULE.fullmatch(line) and (found := _read_column(lines, at)):
            yield found
        if "|" not in line and (total := TOTAL.fullmatch(fold(line))):
            yield from filter(None, (_check_total(lines, at, total),))


def split_lines(text: str) -> list[str]:
    """Return the lines of a text that are read."""
    return [each[:_LONGEST] for each in text.split("\n")[:_MOST_LINES]]


def read_number(text: str) -> Fraction | None:
    """Return the number that the whole text shows; None: none, or one with an ambiguous mark."""
    written = re.sub(r"[ \u00a0\u202f]", "", text)
    token = read_digits(written, 0, 0)
    return token.value if token.other is None else None


def is_quoted(lines: Sequence[str], at: int) -> bool:
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
        value = read_number(found[2])
        if value is None or (sign and sign != found[1]):
            return None
        terms.insert(0, value)
        sign, first = found[1], first - 1
    above = _PLAIN.fullmatch(lines[first - 1]) if first and terms else None
    start = read_number(above[1]) if above else None
    if above is None or start is None or is_quoted(lines, first - 1):
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
        number = read_number(carried[1])  # one more term, or what is carried
        expected += [expected[0] + number] if number is not None else []
    why = f"the result is {expected[0]}"
    text = "\n".join(lines[first - 1 : end + 1])
    return Statement(text, [[Known("right" if value in expected else "wrong", why)]])


def _list_results(lines: Sequence[str], rule: int) -> list[tuple[Fraction, int]]:
    """List the numbers in the lines below a rule, with their places."""
    found: list[tuple[Fraction, int]] = []
    for at, line in enumerate(lines[rule + 1 : rule + 8], rule + 1):
        match = _PLAIN.fullmatch(line)
        value = read_number(match[1]) if match else None
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
    claimed, unit = read_number(total[1]), total[2]
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
    if claimed is None or len(entries) <= 1 or not is_list or is_quoted(lines, first):
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
    value = read_number(found[2])
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
