"""Choose the formats of cells, columns and printed sheets: numbers, styles, widths, pages."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from xlsxwriter.format import Format

from bot.documents import theme
from bot.documents.characters import clean_line
from bot.documents.document_request import SheetColumn
from bot.documents.xlsx.charts import ChartPlace
from bot.documents.xlsx.contents import SheetContents
from bot.documents.xlsx.dates import DAY, MOMENT, read_date_format
from bot.documents.xlsx.functions import Value
from bot.documents.xlsx.numerals import is_shown_as_day

_CURRENCIES: Final = {
    **dict.fromkeys(("", "fcfa", "f cfa", "cfa", "xof", "xaf", "f", "francs cfa"), '#,##0 "F CFA"'),
    **dict.fromkeys(("eur", "€", "euro", "euros"), "#,##0.00 €"),
    **dict.fromkeys(("usd", "$", "dollar", "dollars"), '"$"#,##0.00'),
    **dict.fromkeys(("gbp", "£"), '"£"#,##0.00'),
    **dict.fromkeys(("gnf", "fg"), '#,##0 "GNF"'),
    **dict.fromkeys(("ngn", "₦"), '"₦"#,##0.00'),
    **dict.fromkeys(("ghs", "₵"), '"GH₵"#,##0.00'),
    "mad": '#,##0.00 "MAD"',
}
_CODES = re.compile(
    r"(?i)n°|(?:num[ée]ro|code|id|identifiant|matricule|r[ée]f(?:[ée]rence)?|t[ée]l(?:[ée]phone)?"
    r"|phone|contact|isbn)\b|(?:compte|account)$"
)
"""Headers of numbers that count nothing, such as codes and telephone numbers."""
_MOST_DECIMALS = 4
_LONGEST_FORMAT = 80
"""Most characters of a format."""
_NUMERIC = re.compile(
    r"""(?x) (?: [\#0?.,%/()\s+-] | E\+ | "[^"]*" | \\. | _. | [€$£₦₵]
      | \[(?:Red|Blue|Green|Black)\] | \[\$[^\[\];"-]{0,8}(?:-[0-9A-Fa-f]{1,8})?\] )+"""
)
_DIGITS = re.compile(r"""(?x) "[^"]*" | \\. | _. | \[[^\]]*\] | (?P<body>[\#0?][\#0?.,\s]*) """)
_LEADING = re.compile(r'"(?P<sign>[$£€₦₵]|GH₵)"(?P<digits>[#,0.]+)')
_PERCENT = re.compile(r"(?<=[0#])%")
_UNIT = re.compile(r"[°%‰]?[^\W\d_][\w €$£%°²³./·-]{0,15}|[^\w\s;@*\\\"\[\]#?.,]{1,4}")
_TRAILING = re.compile(
    r"(?P<body>[#0][#0?., \u00a0\u202f]*?)(?P<space>\s*)"
    r"(?P<unit>[°‰]?[^\W\d_][^\W\d_ .]{0,15}(?:/[^\W\d_ .]{1,9})?|[°‰])$"
)
"""`# ##0 F CFA`, with a unit that is not quoted."""


_GENERAL: Final = "General"
"""The format that shows a number with all its digits: the only one for results that are not known
here."""
_PARTED: Final = 10_000.0
"""The least number whose thousands are parted, unlike those of years."""
_PARTED_WITH_MONEY: Final = 1_000.0
_YEARS: Final = (1_500, 2_100)


def choose_format(
    column: SheetColumn,
    values: Sequence[Value],
    language: str = "en",
    *,
    is_known: bool = True,
    holds_sums: bool = False,
) -> str:
    """Choose the number format of a column that holds `values`.

    In French the signs follow the figures, after a non-breaking space: `12,5 %`, `1 200 $`.

    Args:
        is_known: whether `values` are all, without results that are not computed here.
        holds_sums: whether the thousands of sums in the sheet are parted.
    """
    numbers = [value for value in values if isinstance(value, float)]
    given = clean_line(column.format)
    if not given and column.kind in ("", "number") and _CODES.match(clean_line(column.header)):
        return "0"
    is_parted = holds_sums and not all(
        abs(number) < _PARTED_WITH_MONEY or _YEARS[0] <= number <= _YEARS[1] for number in numbers
    )
    parted = _PARTED_WITH_MONEY if is_parted else _PARTED
    if column.kind == "money":
        written = choose_money_format(given)
    elif column.kind == "percent":
        written = choose_percent_format(given, numbers)
    elif column.kind == "date":
        written = choose_date_format(given, numbers)
    elif column.kind == "formula":
        written = choose_formula_format(given, numbers, is_known=is_known, parted=parted)
    else:
        written = choose_number_format(given, numbers, parted=parted)
    if language != "fr":
        return written
    if found := _LEADING.fullmatch(written):
        return f'{found["digits"]}\u00a0"{found["sign"]}"'
    return _PERCENT.sub("\u00a0%", written)


_SHARE = re.compile(
    r"(?i)%|\b(?:taux|parts?|pourcentages?|proportions?|rates?|shares?|percentages?)\b"
)


def choose_result_format(label: str, value: float, language: str) -> str:
    """Choose the format of a single result from the text that stands before it, `Taux de
    réussite`: a share is a percent."""
    is_share = abs(value) <= 1 and _SHARE.search(label)
    return choose_format(SheetColumn("", "percent" if is_share else "formula"), [value], language)


def holds_money(column: SheetColumn) -> bool:
    """Return whether a column holds sums of money, with their thousands parted."""
    bare = " ".join(clean_line(column.format).lower().split())
    is_named = bare == "money" or (bare != "" and bare in _CURRENCIES)
    return column.kind == "money" or (column.kind == "formula" and is_named)


def choose_money_format(given: str) -> str:
    """Return the format of a money column, for a currency's name or sign or for a format."""
    bare = " ".join(given.split())
    if named := _CURRENCIES.get(bare.lower()):
        return named
    return _read_format(bare) or (f'#,##0 "{bare}"' if _UNIT.fullmatch(bare) else _CURRENCIES[""])


def choose_number_format(
    given: str, numbers: Sequence[float], *, is_known: bool = True, parted: float = _PARTED
) -> str:
    """Return the format of a number column; a single word or sign is taken for the unit (`kg`).

    Args:
        parted: the least number whose thousands are parted.
    """
    bare = given.strip()
    plain = _plain_format(numbers, parted) if is_known else _GENERAL
    if not bare or re.fullmatch(r"(?i)general|standard|nombre|number", bare):
        return plain
    if written := _read_format(bare):
        return written
    return f'{plain} "{bare}"' if _UNIT.fullmatch(bare) else plain


def choose_percent_format(given: str, numbers: Sequence[float], *, is_known: bool = True) -> str:
    written = _read_format(given.strip())
    if "%" in written:
        return written
    if not is_known:
        return "0.0%"
    shares = [number * 100 for number in numbers]
    if any(abs(share - round(share, 2)) > 1e-6 for share in shares):
        return "0.0%"  # computed numbers: more digits would say nothing
    return f"{_choose_decimals(shares, '0')}%"


def choose_date_format(given: str, days: Sequence[float]) -> str:
    """Return the format, `jj/mm/aaaa` as `dd/mm/yyyy`; without one, the hour is shown if any."""
    return read_date_format(given) or (MOMENT if any(day % 1 for day in days) else DAY)


def choose_formula_format(
    given: str, numbers: Sequence[float], *, is_known: bool = True, parted: float = _PARTED
) -> str:
    """Return the format of a formula column, whose results may be of any kind."""
    bare = " ".join(given.lower().split())
    dated = DAY if bare == "date" else read_date_format(given, is_unit=True)
    if dated and all(is_shown_as_day(number) for number in numbers):
        return dated
    if bare in ("percent", "%", "pourcentage"):
        return choose_percent_format("", numbers, is_known=is_known)
    if bare == "money" or (bare and bare in _CURRENCIES):
        return choose_money_format("" if bare == "money" else given)
    # More decimals of a result say nothing, unless it is very small.
    rounded = [round(number, 2) for number in numbers]
    shown = rounded if any(rounded) else numbers
    return choose_number_format(given, shown, is_known=is_known, parted=parted)


def _plain_format(numbers: Sequence[float], parted: float) -> str:
    """Return the format of plain numbers."""
    largest = max(map(abs, numbers), default=0.0)
    if 0 < largest < 10**-_MOST_DECIMALS:
        return "0.00E+00"
    return _choose_decimals(numbers, "#,##0" if largest >= parted else "0")


def _choose_decimals(numbers: Sequence[float], whole: str) -> str:
    """Return a format with as many decimals as the numbers need. Those that need more than
    `_MOST_DECIMALS` are computed, and have two, or all of these if they are small."""
    places = 0
    for number in numbers:
        places = max(places, _count_decimals(number))
        if places > _MOST_DECIMALS:
            break
    if places > _MOST_DECIMALS:
        places = 2 if max(map(abs, numbers)) >= 0.1 else _MOST_DECIMALS
    return f"{whole}.{'0' * places}" if places else whole


def _count_decimals(number: float) -> int:
    """Count the decimals of a number, at most one more than `_MOST_DECIMALS`."""
    slack = 1e-12 * max(abs(number), 1e-3)
    for places in range(_MOST_DECIMALS + 1):
        if abs(number - round(number, places)) <= slack:
            return places
    return _MOST_DECIMALS + 1


def _read_format(given: str) -> str:
    """Return a format as files store it, with `,` for thousands and `.` for decimals; "" if none.

    Files use English marks in every country: `# ##0,00` in a file would mean thousands once.
    """
    sections = _TRAILING.sub(r'\g<body>\g<space>"\g<unit>"', given).split(";")
    if not 0 < len(given) <= _LONGEST_FORMAT or len(sections) > 3:
        return ""
    if not all(section and _NUMERIC.fullmatch(section) for section in sections):
        return ""
    if not any(found["body"] for section in sections for found in _DIGITS.finditer(section)):
        return ""
    return ";".join(_DIGITS.sub(_rewrite_digits, section) for section in sections)


def _rewrite_digits(found: re.Match[str]) -> str:
    body = found["body"]
    if body is None:
        return found[0]
    bare = body.rstrip()
    after = body[len(bare) :]
    whole, mark, decimals = _split_decimals(bare.replace("\u00a0", " ").replace("\u202f", " "))
    grouped = "#,##0" if re.search(r"[ ,.]", whole) else whole
    return f"{grouped}{'.' if mark else ''}{decimals}{after}"


def _split_decimals(body: str) -> tuple[str, str, str]:
    """Return the whole digits, the decimal mark if any, and the decimals."""
    found = re.fullmatch(r"(.*?)(?:([.,])([0#?]*))?", body)
    if found is None or not found[2]:
        return body, "", ""
    whole, mark, decimals = found[1], found[2], found[3]
    if mark == "," and "." not in whole and re.fullmatch(r"#?,?#?#?#?,?##0", body):
        return body, "", ""
    return whole, mark if decimals else "", decimals


_CELL: Final = {
    "font_name": theme.FONT,
    "font_size": 11,
    "font_color": f"#{theme.INK}",
    "valign": "top",
    "indent": 1,
    "bottom": 1,
    "bottom_color": f"#{theme.LINE}",
}
_HEADER: Final = {
    "font_name": theme.FONT,
    "font_size": 11,
    "bold": True,
    "font_color": "#FFFFFF",
    "bg_color": f"#{theme.DEEP}",
    "valign": "vcenter",
    "indent": 1,
    "text_wrap": True,
}
_TOTAL: Final = {
    "bold": True,
    "bg_color": f"#{theme.PALE}",
    "top": 1,
    "top_color": f"#{theme.DEEP}",
    "bottom": 1,
    "bottom_color": f"#{theme.DEEP}",
}
_RIGHT: Final = {"align": "right", "indent": 0}
"""For figures and their headers: programs differ in how they show an indent at the right."""
_CLEAR_OF_ARROW: Final = {"indent": 2}
"""For headers, whose last letters Excel would cover with the arrow of the filter."""
_MOST_FORMATS: Final = 150
"""Most number formats of a workbook: Excel accepts 200
(https://support.microsoft.com/office/1672b34d-7043-467e-8e27-269d656771c3)."""


@dataclass
class Styles:
    """The formats of a workbook, each made once."""

    book: Any
    _properties: dict[Format, dict[str, Any]] = field(default_factory=dict[Format, dict[str, Any]])
    _formats: set[str] = field(default_factory=set[str])
    _made: dict[tuple[tuple[str, Any], ...], Format] = field(
        default_factory=dict[tuple[tuple[str, Any], ...], Format]
    )

    def header(self, *, right: bool) -> Format:
        return self._make(_HEADER | (_RIGHT | _CLEAR_OF_ARROW if right else {"align": "left"}))

    def cell(self, num_format: str) -> Format:
        return self._make(_CELL | {"num_format": self._allow(num_format)} | _RIGHT)

    def text(self, *, wrapped: bool = False) -> Format:
        return self._make(_CELL | {"align": "left"} | ({"text_wrap": True} if wrapped else {}))

    def literal(self, style: Format) -> Format:
        """Return `style` for text that begins like a formula, but stays text when it is edited."""
        return self._make(self._properties[style] | {"quote_prefix": True})

    def total(self, num_format: str = "") -> Format:
        number = {"num_format": self._allow(num_format)} | _RIGHT
        shown = number if num_format else {"align": "left"}
        return self._make(_CELL | _TOTAL | shown)

    def _allow(self, num_format: str) -> str:
        """Return `num_format`, or `General` if the workbook has too many formats already."""
        if len(self._formats) < _MOST_FORMATS:
            self._formats.add(num_format)
        return num_format if num_format in self._formats else "General"

    def _make(self, properties: dict[str, Any]) -> Format:
        key = tuple(sorted(properties.items()))
        if key not in self._made:
            self._made[key] = self.book.add_format(properties)
            self._properties[self._made[key]] = properties
        return self._made[key]


LEAST_WIDTH: Final = 8.0
MOST_WIDTH: Final = 48.0
"""Most characters of a column; longer text is wrapped."""
_LOOKED_AT: Final = 2_000
"""Rows that are measured."""
_LONGEST_WORD: Final = 24
"""Characters of a header's word; longer words are wrapped."""


def measure_column(header: str, values: Sequence[Value], number_format: str) -> float:
    """Return the width of a column in characters."""
    extra = _count_signs(number_format)
    longest = max(map(len, header.split()), default=0)
    filter_arrow = 3
    widest = max(longest, min(len(header), _LONGEST_WORD)) + filter_arrow
    for value in values[:_LOOKED_AT]:
        if isinstance(value, float):
            widest = max(widest, _count_digits(value, number_format) + extra)
        elif isinstance(value, str):
            widest = max(widest, max(map(len, value.split("\n")), default=0))
    return min(max(widest + 3.0, LEAST_WIDTH), MOST_WIDTH)


_DIGIT: Final = 0.51
"""Width of a digit, in which columns are measured, in ems."""
_FILLED: Final = 0.88
"""Share of a line that is counted on, because letters of other fonts are wider."""


def count_lines(text: str, width: float) -> int:
    """Count the lines that `text` fills in a column of that width."""
    ems = (width - 2) * _DIGIT * _FILLED
    return sum(theme.count_lines(line, ems) for line in text.split("\n"))


def _count_digits(value: float, number_format: str) -> int:
    if number_format.endswith("%"):
        value *= 100
    if "yy" in number_format:
        return len(number_format.replace("mmmm", "september"))
    whole = f"{abs(value):,.0f}" if "," in number_format else f"{abs(value):.0f}"
    return len(whole) + (value < 0)


def _count_signs(number_format: str) -> int:
    """Return the number of characters that a format adds to the digits."""
    section = number_format.split(";")[0]
    if "yy" in section:
        return 0
    shown = section.replace('"', "").replace(_GENERAL, "0").replace("#,##0", "0").replace("\\", "")
    return max(len(shown) - 1, 0)


_PORTRAIT: Final = 95
"""Characters across that fit on a portrait page."""
_LANDSCAPE: Final = 240
"""Characters across of which a landscape page makes legible letters, of about six points."""
_WIDEST_NAMES: Final = 30
"""Most characters of a first column that stays in sight beside many others."""
_ONE_PAGE: Final = 70
"""Rows of a table and its chart that are made to fit on one page."""
_A4: Final = 9
_LINE: Final = 15.75
"""Height of a line in points."""
_TALLEST: Final = 408.75
"""Excel's limit for the height of a row, in points."""


def set_up_printing(
    sheet: Any, page: SheetContents, widths: Sequence[float], chart: ChartPlace | None
) -> None:
    """Freeze and filter the header, and set up printing of table and chart: one page across, as
    many down as needed. The names of a very wide table stay in sight, and stand on each page."""
    last_column = len(widths) - 1
    across = 1 if chart else math.ceil(sum(widths) / _LANDSCAPE)
    has_names = across > 1 and widths[0] <= _WIDEST_NAMES
    sheet.freeze_panes(1, int(has_names))
    if has_names:
        sheet.repeat_columns(0)
    sheet.autofilter(0, 0, max(page.rows, 1), last_column)
    headers = zip(page.headers, widths, strict=True)
    high = max(count_lines(header, width) for header, width in headers)
    sheet.set_row(0, _LINE * min(high, 6) + 6)
    sheet.hide_gridlines(2)
    sheet.set_paper(_A4)
    is_adjacent = chart is not None and chart.column > 0
    if sum(widths) > _PORTRAIT or is_adjacent:
        sheet.set_landscape()
    last_row = page.rows + page.has_totals
    if chart:
        last_row, last_column = (
            max(last_row, chart.last_row),
            max(last_column, chart.last_column),
        )
    sheet.print_area(0, 0, last_row, last_column)
    is_short = last_row <= _ONE_PAGE
    sheet.fit_to_pages(across, int(chart is not None and not is_adjacent and is_short))
    if chart and not is_adjacent and not is_short:
        sheet.set_h_pagebreaks([chart.row])  # not in the middle of the chart
    sheet.repeat_rows(0)
    sheet.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.7)
    sheet.set_footer("&L&A&R&P / &N")


def raise_rows(sheet: Any, lines: Mapping[int, int]) -> None:
    """Make rows as high as their text. Excel does it by itself, but LibreOffice and programs on
    phones would print one line over another.

    Args:
        lines: the number of lines of each row that has more than one.
    """
    for row, number in lines.items():
        sheet.set_row(row, min(_LINE * number, _TALLEST))
