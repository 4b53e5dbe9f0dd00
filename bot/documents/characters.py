"""Clean the characters of a document, and name those that the fonts of Typst cannot show.

Tested with the fonts in the wheel of Typst 0.15 (Libertinus Serif, New Computer Modern, DejaVu Sans
Mono) and those in `fonts`, character by character: they have every letter of African, European and
Arabic writing in Latin, Greek, Cyrillic and Arabic script, N'Ko and Tifinagh; they lack Adlam,
Ethiopic, Chinese and emoji.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from bot.formulas.line_text import SUBSCRIPTS, SUPERSCRIPTS

_UNWANTED = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u2028\u2029\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufeff"
    r"\ufff9-\ufffc\ufffe\uffff\U000e0000-\U0010ffff]"
)
"""Controls, characters that change the direction of text, private planes, non-characters."""
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_EMOJI = re.compile(
    r"(?:[\U0001F000-\U0001F77F\U0001F900-\U0001FAFF\u2614\u2615\u2690-\u2697\u26a1\u26b3-\u26ff"
    r"\u2702\u2705\u2708-\u270f\u2728\u274c\u274e\u2753-\u2757\u2763\u2764\u2795-\u2797\u27b0"
    r"\u27bf][\u200d\ufe0f]*)+ ?|[\u20e3\ufe00-\ufe0f]+"
)
"""Emoji with the space after them, and marks that turn plain signs into emoji."""
_MARKS = re.compile(r"[\u20e3\ufe00-\ufe0f]+")
_SUBSTITUTES: Final = str.maketrans(
    dict(zip("✅❌❎❓❔❗❕➕➖➗⭐🌟🔴🔵🟢🟡👉❤✖✕", "✔✘✘??!!+−÷★★●●●●→♥✘×", strict=True))
    | dict(zip("➀➁➂➃➄➅➆➇➈➉", "①②③④⑤⑥⑦⑧⑨⑩", strict=True))
    | dict(zip("➊➋➌➍➎➏➐➑➒➓", "❶❷❸❹❺❻❼❽❾❿", strict=True))
)
_SUPPORTED: Final = re.compile(
    "LATIN|GREEK|COPTIC|CYRILLIC|ARMENIAN|HEBREW|ARABIC|NKO|TIFINAGH|DEVANAGARI|CHEROKEE|GEORGIAN|HIRAGANA|"
    "MATHEMATICAL|MODIFIER|DOUBLE|SCRIPT|BLACK|FEMININE|MASCULINE|MICRO|KELVIN|ANGSTROM|OHM|"
    "SUPERSCRIPT|SUBSCRIPT|ALEF|BET|GIMEL|DALET|TURNED|EULER|PLANCK|INFORMATION"
)
"""First words of the Unicode names of letters that can be shown."""
_ORDINARY = re.compile(r"[\x00-\u024f]+")
_MOST_NAMED = 4


def clean_markdown(text: str) -> str:
    """Remove invisible characters from `text`; lines end with `\\n`."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n")
    return _UNWANTED.sub("", _LONE_SURROGATE.sub("\ufffd", text))


def replace_emoji(text: str) -> str:
    """Return `text` with emoji replaced by plain signs, or left out if there is no such sign."""
    return _EMOJI.sub("", text.translate(_SUBSTITUTES))


def name_emoji(text: str) -> list[str]:
    """Return a few of the emoji in `text` that are left out."""
    found = (each.strip() for each in _EMOJI.findall(text.translate(_SUBSTITUTES)))
    pictures = (each for each in found if each and not _MARKS.fullmatch(each))
    return list(dict.fromkeys(pictures))[:_MOST_NAMED]


def name_unsupported_scripts(text: str) -> list[str]:
    """Return a few of the scripts in `text` that the fonts cannot show, by their Unicode names."""
    letters = sorted(char for char in set(_ORDINARY.sub("", text)) if char.isalpha())
    names = (re.split("[ -]", unicodedata.name(char, "unknown"))[0] for char in letters)
    unshown = (name.title() for name in dict.fromkeys(names) if not _SUPPORTED.fullmatch(name))
    return list(unshown)[:_MOST_NAMED]


_UNFIT_FOR_XML = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]"
)
_LINE_BREAKS = re.compile(r"\r\n?|[\x85\u2028\u2029]")


def clean_text(text: str) -> str:
    """Remove characters that XML 1.0 forbids or discourages; make every line break a line feed.

    https://www.w3.org/TR/xml/#charsets. Emoji, accents and the marks of right-to-left text stay.
    """
    if text.isprintable():  # most text is, and need not be copied
        return text
    return _UNFIT_FOR_XML.sub("", _LINE_BREAKS.sub("\n", text))


def clean_line(text: str) -> str:
    """Clean `text` and put it on one line, without spaces around it."""
    return " ".join(clean_text(text).split())


SCRIPT: Final = re.compile(
    r"(?<=[\w)\]~^])~(?P<sub>[+−-]?[^\W_]{1,9}(?:[+−-][^\W_]{1,9})?[+−-]?)~(?![\d~])"
    r"|(?<=[\w)\]~])\^(?P<sup>[+−-]?[^\W_]{1,9}[+−-]?|[+−-])\^(?![\w(^])"
    r"|(?<![^\s(\[])\^(?P<mass>\d{1,3})\^(?=[A-Z])"
    r"|<sub>(?P<low>[^<>\n]{1,30})</sub>|<sup>(?P<high>[^<>\n]{1,30})</sup>"
)
"""A subscript (`H~2~O`, `H<sub>2</sub>O`) or a superscript (`m^2^`, `^14^C`) of Markdown.
`~5 km`, `5~10~20`, `x^2+y^2` and `^-^` are text."""
LOWERED: Final = frozenset({"sub", "low"})
"""The groups of `SCRIPT` that are subscripts."""


def print_scripts(text: str) -> str:
    """Return `text` with the subscripts and superscripts of Markdown as Unicode has them (`H₂O`),
    or as plain letters where it lacks one."""
    return SCRIPT.sub(_print_script, text)


def _print_script(found: re.Match[str]) -> str:
    kind = found.lastgroup or ""
    letters = SUBSCRIPTS if kind in LOWERED else SUPERSCRIPTS
    plain = found[kind].replace("−", "-")
    shown = [letters.get(char, "") for char in plain]
    return "".join(shown) if all(shown) else found[kind]


def is_right_to_left(text: str) -> bool:
    """Return whether the first letter of `text` is of a script written from right to left."""
    if text.isascii():
        return False
    for char in text:
        kind = unicodedata.bidirectional(char)
        if kind in ("R", "AL"):
            return True
        if kind == "L":
            return False
    return False
