"""Recognise words with one slip of typing, and mend those of a number. Pure."""

from __future__ import annotations

import re
from typing import Final

from bot.maths.reading.number_words import NUMBER_STARTS, fold, read_number

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_NUMBER_WORD: Final = re.compile("|".join(sorted(NUMBER_STARTS, key=len, reverse=True)))
_GLUED: Final = re.compile(rf"(?:{_NUMBER_WORD.pattern}){{2,}}")
_MOST_NUMBER_WORDS: Final = 8
_AS_HEARD: Final = {
    "uit": "huit", "wit": "huit", "katr": "quatre", "katre": "quatre", "sinq": "cinq",
    "sink": "cinq", "cink": "cinq", "dis": "dix", "nef": "neuf", "katorz": "quatorze",
    "katorze": "quatorze", "kinz": "quinze", "kinze": "quinze", "vin": "vingt",
}  # fmt: skip
"""Numbers in words as messages spell them, further than a slip from the right spelling."""
_SOUNDS: Final = tuple(
    (re.compile(written), sound)
    for written, sound in (
        ("ph", "f"), ("qu|ck|c(?=[aou]|$)", "k"), ("e?au", "o"), ("ai|ei", "e"), ("y", "i"),
        (r"\bou(?=[aei])", "w"), (r"(?<=k)e\b", ""), (r"(.)\1", r"\1"),
    )
)  # fmt: skip
"""Letters of French that sound alike, and one spelling for each."""
_FEWEST_LETTERS: Final = 5
"""Letters of a word that is recognised by its sound."""


def mend_number_words(text: str, statement: str) -> str:
    """Return the text with `vingt huit` for `vint huit` or `vingthuit`, where all its words are
    those of a number up to one slip each, and none is of the statement; else the text."""
    words = [fold(word) for word in _LETTERS.findall(text)]
    if not 0 < len(words) <= _MOST_NUMBER_WORDS or re.search(r"\d", text):
        return text
    words = words[words[:1] == ["c"] :]  # `c uit`
    words = ["tiers" if each == "tier" else each for each in words]
    asked = set(_LETTERS.findall(fold(statement)))
    mended = [
        each for word in words for each in ([word] if word in asked else _mend_number_word(word))
    ]
    found = read_number(mended) if mended != words or "tiers" in words else None
    return " ".join(mended) if found and found.length == len(mended) else text


def _mend_number_word(word: str) -> list[str]:
    """Return the words of a number that a word is with one slip, or written as one; else itself."""
    if word in _AS_HEARD:
        return [_AS_HEARD[word]]
    if word in NUMBER_STARTS or len(word) < 4:
        return [word]
    if _GLUED.fullmatch(word):
        return _NUMBER_WORD.findall(word)
    near = [each for each in NUMBER_STARTS if len(each) >= 4 and is_one_slip(word, each)]
    return near if len(near) == 1 else [word]


def is_one_slip(given: str, right: str) -> bool:
    """Return whether one letter is missing, too many, wrong, or swapped with the next."""
    if abs(len(given) - len(right)) > 1:
        return False
    start = next(
        (i for i, pair in enumerate(zip(given, right, strict=False)) if pair[0] != pair[1]),
        min(len(given), len(right)),
    )
    rest, wanted = given[start:], right[start:]
    swapped = rest[:2] == wanted[:2][::-1] and rest[2:] == wanted[2:]
    return rest[1:] == wanted[1:] or rest[1:] == wanted or rest == wanted[1:] or swapped


def sounds_like(given: str, right: str) -> bool:
    """Return whether a word is the other one as messages spell it: `carbonik`, `fotosintese`."""
    if given == right:
        return True
    is_long = len(right) >= _FEWEST_LETTERS
    return is_long and _write_sound(given) == _write_sound(right)


def _write_sound(word: str) -> str:
    for written, sound in _SOUNDS:
        word = written.sub(sound, word)
    return word
