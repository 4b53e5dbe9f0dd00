"""Find a solution that is misspelled as it sounds in French: `deu san vint sis`, `Nijer`. Pure.

Words are compared by how they sound, roughly: silent ends are left out, and letters with one sound
are written alike.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from bot.learning.leaks.reading import ARTICLE
from bot.learning.plain_notation import fold_letters

if TYPE_CHECKING:
    from bot.learning.leaks.reading import Reading

_WORD: Final = re.compile(r"[a-z]+")
_SOUNDS: Final = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("c(?=[eiy])|ss|sc(?=[eiy])", "s"), ("oeu|oe|eu", "e"), ("e?au", "o"),
        ("ou(?=[aeiy])", "w"), ("ou", "U"), ("oi", "wa"), ("ph", "f"), ("sch|ch|sh", "C"),
        ("qu|q|k", "K"), ("gn", "N"), ("gu(?=[eiy])|gh", "G"), ("g(?=[eiy])|ge(?=[ao])|j", "J"),
        ("sept", "set"), ("ngts?$", "n"), ("ieme?s?$", "iEm"), ("c", "K"),
        ("(?:ai|ei|i|y|u)[nm](?![aeiouynm])", "I"), ("[ae][nm](?![aeiouynm])", "A"),
        ("o[nm](?![aeiouynm])", "O"), ("ai|ei|ay|ey", "e"), ("y", "i"), ("h", ""),
        (r"(.)\1", r"\1"), ("(?<=..)(?:e[sz]?|[stdxzp])+$", ""), ("g", "G"), ("z", "s"),
    )
)  # fmt: skip
"""Letters and what stands for their sound, in the order in which they are replaced."""
_SHORTEST: Final = 5
"""Sounds of a word or of several words together by which they are recognised."""
_SHORTEST_ODD: Final = 3
"""The same for a word in letters that are rare in French."""


class SoundSearch:
    """A search for words that sound as the solution's, but are spelled otherwise."""

    def __init__(self, solutions: Sequence[str], statement: str) -> None:
        bare = [ARTICLE.sub("", fold_letters(each)) for each in solutions]
        self._words = [_WORD.findall(each) for each in bare if re.fullmatch("[a-z '-]{3,60}", each)]
        self._given = {_write_sounds(each) for each in _WORD.findall(fold_letters(statement))}

    def find(self, reading: Reading) -> str | None:
        """Return the words of a text that sound as the solution."""
        if not self._words:
            return None
        spelled = _WORD.findall(reading.folded)
        sounds = [_write_sounds(each) for each in spelled]
        for words in self._words:
            wanted = [_write_sounds(each) for each in words]
            if set(wanted) <= self._given:
                continue
            for at in range(len(sounds) - len(wanted) + 1):
                found = spelled[at : at + len(words)]
                if sounds[at : at + len(wanted)] == wanted and self._is_misspelled(found, words):
                    return " ".join(found)
        return None

    def _is_misspelled(self, found: Sequence[str], words: Sequence[str]) -> bool:
        """Return whether words are others than those with the same sounds, and not only in another
        number or gender, and long enough."""
        pairs = zip(found, words, strict=True)
        same = sum(one.rstrip("esx") == other.rstrip("esx") for one, other in pairs)
        size = len("".join(map(_write_sounds, words)))
        is_odd = any(set(each) & {"k", "w"} for each in found)
        return same < len(words) and size >= (_SHORTEST_ODD if is_odd else _SHORTEST)


@lru_cache(maxsize=8_192)
def _write_sounds(word: str) -> str:
    for pattern, sound in _SOUNDS:
        word = pattern.sub(sound, word)
    return word
