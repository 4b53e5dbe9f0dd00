"""Where a text may be cut without breaking what people see as one character.

A small reading of Unicode's UAX #29: combining marks, variation selectors, emoji modifiers, tags
and joiners stay with what they follow, flags stay in pairs, Hangul syllables stay whole.
"""

from __future__ import annotations

import re
import unicodedata

_JOINER = "\u200d"
_PLAIN = re.compile(r"[\x20-\x7e\u00a0-\u02ff]")
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")
_EXTENDS = re.compile(
    "[\u200c\u200d\ufe00-\ufe0f\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
_HANGUL = re.compile("[\u1100-\u11ff\ua960-\ua97c\uac00-\ud7fb]")
_AFTER: dict[str, str] = {"L": "L V LV LVT", "LV": "V T", "V": "V T", "LVT": "T", "T": "T", "": ""}


def boundary_before(text: str, index: int, start: int = 0) -> int:
    """The last place at or before `index` where `text` may be cut; `start` if there is none."""
    while index > start and not is_boundary(text, index):
        index -= 1
    return index


def boundary_after(text: str, index: int) -> int:
    """The first place at or after `index` where `text` may be cut."""
    while not is_boundary(text, index):
        index += 1
    return index


def is_boundary(text: str, index: int) -> bool:
    """Whether `text` may be cut between `index - 1` and `index`."""
    if index <= 0 or index >= len(text):
        return True
    before, after = text[index - 1], text[index]
    if _PLAIN.match(after):
        return before != _JOINER
    if before == _JOINER or _extends(after) or (before == "\r" and after == "\n"):
        return False
    if _FLAG.match(after):
        return _flags_before(text, index) % 2 == 0
    return _syllable(after) not in _AFTER[_syllable(before)].split()


def _extends(char: str) -> bool:
    return unicodedata.category(char).startswith("M") or _EXTENDS.match(char) is not None


def _flags_before(text: str, index: int) -> int:
    first = index
    while first > 0 and _FLAG.match(text[first - 1]):
        first -= 1
    return index - first


def _syllable(char: str) -> str:
    """The Hangul syllable type of UAX #29, empty for everything else."""
    if not _HANGUL.match(char):
        return ""
    if "\uac00" <= char <= "\ud7a3":
        return "LV" if (ord(char) - 0xAC00) % 28 == 0 else "LVT"
    if char <= "\u115f" or "\ua960" <= char <= "\ua97c":
        return "L"
    return "V" if char <= "\u11a7" or "\ud7b0" <= char <= "\ud7c6" else "T"
