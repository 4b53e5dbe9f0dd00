"""The conditions of SUMIF and its like: `">100"`, `"Dakar"`, `"A*"`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from bot.library.office.sheets.numerals import read_number
from bot.library.office.sheets.values import Value, order_key

_FORM = re.compile(r"(<=|>=|<>|<|>|=)?(.*)", re.DOTALL)
_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
    "<>": operator.ne,
}


def meets(value: Value, wanted: Value) -> bool:
    """Whether `value` meets the condition `wanted`."""
    sign, limit = "=", wanted
    if isinstance(wanted, str):
        found = _FORM.fullmatch(wanted)
        sign, text = (found[1] or "=", found[2]) if found else ("=", wanted)
        if not text and sign in ("=", "<>"):
            return (value is None or value == wanted == "") == (sign == "=")
        if isinstance(value, str) and sign in ("=", "<>") and re.search("[*?]", text):
            return bool(_pattern(text).fullmatch(value)) == (sign == "=")
        plain = read_number(text, comma=False)
        limit = text if plain is None else plain
    left, right = order_key(value, limit), order_key(limit)
    if left[0] != right[0] or value is None:
        return sign == "<>"
    return _COMPARISONS[sign](left[1], right[1])


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """`*` stands for any characters, `?` for one, `~` before them for nothing."""
    pieces: list[str] = re.findall(r"~[*?~]|.", text, re.DOTALL)
    wild = {"*": ".*", "?": "."}
    written = [wild[piece] if piece in wild else re.escape(piece[-1]) for piece in pieces]
    return re.compile("".join(written), re.IGNORECASE | re.DOTALL)
