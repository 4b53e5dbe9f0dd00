"""The characters of a document: what may stand in it, and what the fonts of Typst can show.

Tried with the fonts in the wheel of Typst 0.15 (Libertinus Serif, New Computer Modern, DejaVu Sans
Mono), character by character: every letter of African, European and Arabic writing in Latin,
Greek, Cyrillic and Arabic script is there; N'Ko, Adlam, Ethiopic, Chinese and colour pictures are
not.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_UNWANTED = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u2028\u2029\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufeff"
    r"\ufff9-\ufffc\ufffe\uffff\U000e0000-\U0010ffff]"
)
"""Controls, what turns the direction of other text, private planes, and no characters at all."""
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_PICTURES = re.compile(
    r"(?:[\U0001F000-\U0001F77F\U0001F900-\U0001FAFF\u2614\u2615\u2690-\u2697\u26a1\u26b3-\u26ff"
    r"\u2702\u2705\u2708-\u270f\u2728\u274c\u274e\u2753-\u2757\u2763\u2764\u2795-\u2797\u27b0"
    r"\u27bf][\u200d\ufe0f]*)+ ?|[\u20e3\ufe00-\ufe0f]+"
)
"""With the space after them; and the marks that make pictures of plain signs."""
_MARKS = re.compile(r"[\u20e3\ufe00-\ufe0f]+")
_SUBSTITUTES: Final = str.maketrans(
    {
        "✅": "✔",
        "❌": "✘",
        "❎": "✘",
        "❓": "?",
        "❔": "?",
        "❗": "!",
        "❕": "!",
        "➕": "+",
        "➖": "−",
        "➗": "÷",
        "⭐": "★",
        "🌟": "★",
        "🔴": "●",
        "🔵": "●",
        "🟢": "●",
        "🟡": "●",
        "👉": "→",
        "❤": "♥",
        "✖": "✘",
        "✕": "×",
    }
    | dict(zip("➀➁➂➃➄➅➆➇➈➉", "①②③④⑤⑥⑦⑧⑨⑩", strict=True))
    | dict(zip("➊➋➌➍➎➏➐➑➒➓", "❶❷❸❹❺❻❼❽❾❿", strict=True))
)
_SHOWN: Final = re.compile(
    "LATIN|GREEK|COPTIC|CYRILLIC|ARMENIAN|HEBREW|ARABIC|DEVANAGARI|CHEROKEE|GEORGIAN|HIRAGANA|"
    "MATHEMATICAL|MODIFIER|DOUBLE|SCRIPT|BLACK|FEMININE|MASCULINE|MICRO|KELVIN|ANGSTROM|OHM|"
    "SUPERSCRIPT|SUBSCRIPT|ALEF|BET|GIMEL|DALET|TURNED|EULER|PLANCK|INFORMATION"
)
"""How the names of letters begin that can be shown."""
_ORDINARY = re.compile(r"[\x00-\u024f]+")
_MOST_NAMED = 4


def clean(text: str) -> str:
    """`text` without what nobody can see; lines end with `\\n`."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n")
    return _UNWANTED.sub("", _LONE_SURROGATE.sub("\ufffd", text))


def replace_pictures(text: str) -> str:
    """`text` with colour pictures as plain signs, or without them where there is none."""
    return _PICTURES.sub("", text.translate(_SUBSTITUTES))


def name_pictures(text: str) -> list[str]:
    """The colour pictures of `text` that are left out, a few of them."""
    found = (each.strip() for each in _PICTURES.findall(text.translate(_SUBSTITUTES)))
    pictures = (each for each in found if each and not _MARKS.fullmatch(each))
    return list(dict.fromkeys(pictures))[:_MOST_NAMED]


def name_unshown(text: str) -> list[str]:
    """The scripts of `text` that the fonts cannot show, a few of them, as Unicode names them."""
    letters = sorted(char for char in set(_ORDINARY.sub("", text)) if char.isalpha())
    names = (re.split("[ -]", unicodedata.name(char, "unknown"))[0] for char in letters)
    unshown = (name.title() for name in dict.fromkeys(names) if not _SHOWN.fullmatch(name))
    return list(unshown)[:_MOST_NAMED]
