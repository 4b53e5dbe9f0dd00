"""The number formats of columns: short names, what people write, and nothing that breaks a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from bot.library.office.sheets.dates import can_be_shown
from bot.library.office.sheets.request import Column
from bot.library.office.sheets.values import Value
from bot.library.office.text import clean_line

DAY: Final = "dd/mm/yyyy"
MOMENT: Final = "dd/mm/yyyy hh:mm"
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
_MOST = 80
"""Characters of a format."""
_NUMERIC = re.compile(
    r"""(?x) (?: [\#0?.,%/()\s+-] | E\+ | "[^"]*" | \\. | _. | [€$£₦₵]
      | \[(?:Red|Blue|Green|Black)\] | \[\$[^\[\];"]{0,8}(?:-[0-9A-Fa-f]{1,8})?\] )+"""
)
_DIGITS = re.compile(r"""(?x) "[^"]*" | \\. | _. | \[[^\]]*\] | (?P<body>[\#0?][\#0?.,\s]*) """)
_DATED = re.compile(r"(?i)(?:d{1,4}|m{1,5}|y{4}|yy|h{1,2}|s{1,2}|AM/PM|[ /:.,-]|\"[^\"]*\")+")
_LEADING = re.compile(r'"(?P<sign>[$£€₦₵]|GH₵)"(?P<digits>[#,0.]+)')
_PERCENT = re.compile(r"(?<=[0#])%")
_UNIT = re.compile(r"[^\W\d_][\w €$£%°²³./-]{0,15}|[^\w\s;@*\\\"\[\]#?.,]{1,4}")
_TRAILING = re.compile(
    r"(?P<body>[#0][#0?., \u00a0\u202f]*?)(?P<space>\s*)(?P<unit>[^\W\d_][^\W\d_ .]{0,15})$"
)
"""`# ##0 F CFA`, its unit not quoted."""


def choose_format(column: Column, values: Sequence[Value], language: str = "en") -> str:
    """The number format of a column that holds `values`, with signs where a language has them."""
    written = _choose_format(column, values)
    return _suit_french(written) if language == "fr" else written


def _suit_french(written: str) -> str:
    """Signs behind the figures, with a space that does not break: `12,5 %`, `1 200 $`."""
    if found := _LEADING.fullmatch(written):
        return f'{found["digits"]}\u00a0"{found["sign"]}"'
    return _PERCENT.sub("\u00a0%", written)


def _choose_format(column: Column, values: Sequence[Value]) -> str:
    numbers = [value for value in values if isinstance(value, float)]
    given = clean_line(column.format)
    if column.kind == "money":
        return money_format(given)
    kinds = {"percent": percent_format, "date": date_format, "formula": formula_format}
    return kinds.get(column.kind, number_format)(given, numbers)


def money_format(given: str) -> str:
    """The format of a money column: of a currency's name or sign, or a format of its own."""
    bare = " ".join(given.split())
    if named := _CURRENCIES.get(bare.lower()):
        return named
    return _read(bare) or (f'#,##0 "{bare}"' if _UNIT.fullmatch(bare) else _CURRENCIES[""])


def number_format(given: str, numbers: Sequence[float]) -> str:
    """The format of a number column; a word or a sign alone is the unit (`kg`)."""
    bare = given.strip()
    if not bare or re.fullmatch(r"(?i)general|standard|nombre|number", bare):
        return _usual(numbers)
    if written := _read(bare):
        return written
    if _UNIT.fullmatch(bare):
        return f'{_usual(numbers)} "{bare}"'
    return _usual(numbers)


def percent_format(given: str, numbers: Sequence[float]) -> str:
    written = _read(given.strip())
    if "%" in written:
        return written
    shares = [number * 100 for number in numbers]
    if any(abs(share - round(share, 2)) > 1e-6 for share in shares):
        return "0.0%"  # they were worked out: more digits would say nothing
    return f"{_decimals(shares, '0')}%"


def date_format(given: str, days: Sequence[float]) -> str:
    """`jj/mm/aaaa` is `dd/mm/yyyy`; without a format the hour is shown where there is one."""
    bare = given.strip()
    if bare and re.search(r"(?i)[ja]", bare) and not re.search(r"(?i)am/pm", bare):
        bare = re.sub("a", "y", re.sub("j", "d", bare, flags=re.I), flags=re.I)
    if bare and len(bare) <= _MOST and _DATED.fullmatch(bare) and re.search("(?i)[dmyh]", bare):
        return bare if re.search("(?i)am/pm", bare) else bare.lower()
    return MOMENT if any(day % 1 for day in days) else DAY


def formula_format(given: str, numbers: Sequence[float]) -> str:
    """The format of a formula column, whose results may be anything."""
    bare = " ".join(given.lower().split())
    dated = bare in ("date", "jj/mm/aaaa") or (_DATED.fullmatch(bare) and "0" not in bare)
    if dated and all(can_be_shown(number) for number in numbers):
        return date_format("" if bare == "date" else given, ())
    if bare in ("percent", "%", "pourcentage"):
        return percent_format("", numbers)
    if bare == "money" or (bare and bare in _CURRENCIES):
        return money_format("" if bare == "money" else given)
    return number_format(given, numbers)


def _usual(numbers: Sequence[float]) -> str:
    """Thousands are parted from 10,000 on, so that years stay years."""
    large = any(abs(number) >= 10_000 for number in numbers)
    return _decimals(numbers, "#,##0" if large else "0")


def _decimals(numbers: Sequence[float], whole: str) -> str:
    """With none, one or two decimals, as the numbers need."""
    places = 0
    for number in numbers:
        if number != round(number, places):
            places = 1 if places == 0 and number == round(number, 1) else 2
        if places == 2:
            return f"{whole}.00"
    return f"{whole}.0" if places else whole


def _read(given: str) -> str:
    """A format as files hold it, thousands by comma and decimals by point; "" if it is none.

    Files have English marks in every country: `# ##0,00` in a file would part the thousands once.
    """
    sections = _TRAILING.sub(r'\g<body>\g<space>"\g<unit>"', given).split(";")
    if not 0 < len(given) <= _MOST or len(sections) > 3:
        return ""
    if not all(section and _NUMERIC.fullmatch(section) for section in sections):
        return ""
    if not any(found["body"] for section in sections for found in _DIGITS.finditer(section)):
        return ""
    return ";".join(_DIGITS.sub(_point, section) for section in sections)


def _point(found: re.Match[str]) -> str:
    body = found["body"]
    if body is None:
        return found[0]
    bare = body.rstrip()
    after = body[len(bare) :]
    whole, mark, decimals = _split(bare.replace("\u00a0", " ").replace("\u202f", " "))
    grouped = "#,##0" if re.search(r"[ ,.]", whole) else whole
    return f"{grouped}{'.' if mark else ''}{decimals}{after}"


def _split(body: str) -> tuple[str, str, str]:
    """The whole digits, the decimal mark if any, the decimals."""
    found = re.fullmatch(r"(.*?)(?:([.,])([0#?]*))?", body)
    if found is None or not found[2]:
        return body, "", ""
    whole, mark, decimals = found[1], found[2], found[3]
    if mark == "," and "." not in whole and re.fullmatch(r"#?,?#?#?#?,?##0", body):
        return body, "", ""
    return whole, mark if decimals else "", decimals
