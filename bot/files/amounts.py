"""Read numbers as people write them in tables: with French or English signs, currencies and `%`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

LONGEST_AMOUNT: Final = 40
"""Most characters of a number."""
_MOST_DIGITS = 18
_SPACES = " \u00a0\u2007\u202f\u2009'’"
"""Characters between groups of digits."""
_TO_SPACES: Final = str.maketrans(dict.fromkeys(_SPACES, " "))
_CURRENCY = r"F\s?\.?\s?CFA|CFA|XOF|XAF|GNF|NGN|GHS|MAD|EUR|USD|GBP|FRS?|F|[€$£₦₵]"
_AMOUNT = re.compile(
    rf"(\()?\s*([+\-−–])?\s*(?:({_CURRENCY})\s*)?(-|−)?([0-9][0-9.,{_SPACES}]*)"
    rf"({_CURRENCY}|%)?\s*([-)])?",
    re.IGNORECASE,
)
_FACTORS: Final = {
    (): 1, ("+",): 1, ("-",): -1, ("−",): -1, ("–",): -1, ("(", ")"): -1,
}  # fmt: skip
"""What the signs and brackets around a number multiply it by."""
_FORMS: Final = {
    sign: re.compile(
        rf"(0|[1-9][0-9]*|[1-9][0-9]{{0,2}}([ {other}])[0-9]{{3}}(?:\2[0-9]{{3}})*)"
        rf"(?:\{sign}([0-9]+))?"
    )
    for sign, other in ((",", "."), (".", ","))
}
"""What a number looks like, by its decimal sign."""


class Amount(NamedTuple):
    """A number as it is written, which may be read in two ways."""

    values: Mapping[str, Decimal]
    """Its value for each decimal sign, `,` and `.`, with which it can be read."""
    unit: str = ""
    """`FCFA`, `€`, `%`."""


@lru_cache(maxsize=10_000)
def read_amount(text: str) -> Amount | None:
    """Read a number with French or English signs, a currency or `%`; None if it is none. Numbers
    that begin with zeros are none: they are codes.

    The text has at most `LONGEST_AMOUNT` characters, since it is remembered.
    """
    if not (found := _AMOUNT.fullmatch(text)):
        return None
    opening, sign, before, inner_sign, written, after, end = found.groups()
    factor = _FACTORS.get(tuple(filter(None, (opening, sign, inner_sign, end))))
    digits = written.translate(_TO_SPACES).strip()
    if factor is None or (before and after) or sum(map(str.isdigit, digits)) > _MOST_DIGITS:
        return None
    values: dict[str, Decimal] = {}
    for sign, form in _FORMS.items():
        if found := form.fullmatch(digits):
            whole = "".join(filter(str.isdigit, found[1]))
            values[sign] = factor * Decimal(f"{whole}.{found[3]}" if found[3] else whole)
    unit = re.sub(r"[\s.]", "", before or after or "").upper()
    return Amount(values, "FCFA" if unit in ("F", "FR", "FRS", "CFA") else unit) if values else None
