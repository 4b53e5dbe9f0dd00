"""Find a word that a text tells by a change of another word: one of its own, of the statement or of
the pupil. Pure.

`remplace « direc » par « ac »` beside `directrice`, `jette « carni » et mets « herbi »`, `les deux
premières lettres de natrium`, `une lettre plus loin dans l'alphabet` after `vitamine C`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from bot.learning.leaks.reading import ARTICLE, SENTENCE_WITH_END
from bot.learning.plain_notation import fold_letters

if TYPE_CHECKING:
    from bot.learning.leaks.reading import Reading

_MARKS: Final = r"[\"'`(*-]{0,3} ?"
_PART: Final = (
    r"(?:(?:juste|seulement|simplement|donc|just|only|simply) ){0,2}"
    r"(?:(?:les?|la|l'|une?|the|an?|son|sa|ton|ta|its) ?)?"
    rf"(?:(?:lettres?|letters?|debut|fin|partie|syllabe|beginning|end|ending) )?{_MARKS}"
    r"([a-z]{1,12})(?![a-z]) ?[\"'`)*-]{0,3}"
)
_REPLACES: Final = (
    re.compile(
        r"\b(?:rempla|chang|transform|substitu|replac|swap|turn)[a-z]* "
        rf"{_PART} ?(?:par|en|contre|by|with|into|for|to) {_PART}"
    ),
    re.compile(
        r"\b(?:enlev|retir|jet|suppr|ot|efface|coup|barr|remov|drop|cut|cross|delet|throw)[a-z]* "
        rf"(?:away |out |off )?{_PART}[^.!?\n]{{0,25}}?"
        r"\b(?:met|ecri|ajout|coll|put|add|writ|stick|plac)[a-z]* "
        rf"(?:(?:a la|a sa|in its) place |instead |plutot )?{_PART}"
    ),
    re.compile(
        rf"\b(?:met|ecri|put|us|utilis|writ)[a-z]* {_PART} ?"
        rf"(?:a la place d[eu']|au lieu d[eu']|instead of|in place of) ?{_PART}"
    ),
)
"""An old part and the new one for it; in the last pattern the new one comes first."""
_DROPS: Final = re.compile(
    r"\b(?:enlev|retir|jet|suppr|ot|efface|coup|barr|remov|drop|cut|cross|delet)[a-z]* "
    rf"(?:away |out |off )?{_PART}"
)
_FIRST_LETTERS: Final = re.compile(
    r"\b(?:(2|3|4|5) (premier|first|dernier|last)[a-z]* (?:lettres|letters)"
    r"|(first|last) (2|3|4|5) letters)\b"
)
_ONE_FIRST_LETTER: Final = re.compile(
    r"\b(?:gard|prend|prenez|keep|take|just|only|seul)[a-z]*\b[^.!?\n]{0,15}"
    r"\b(?:premiere lettre|first letter|initiale?)\b"
)
_WORD: Final = re.compile(r"[a-z]{2,30}")
_LETTER: Final = re.compile(r"(?<![a-z'])([a-z])(?![a-z'])")
_BETWEEN_LETTERS: Final = re.compile(
    r"\b(?:entre|between) (?:le |the |la lettre )?[\"']?([a-z])[\"']? (?:et|and) "
    r"(?:le |the |la lettre )?[\"']?([a-z])(?![a-z'])"
)
_ALPHABET: Final = re.compile(r"\balphabet\b|\b(?:lettres?|letters?)\b")
_FORWARD: Final = re.compile(
    r"\b(?:suivante?|suit|vient apres|d'apres|juste apres|plus loin|next|right after|just after"
    r"|comes after|follow\w*|forward|further|one up|avance\w*)\b"
)
_BACKWARD: Final = re.compile(
    r"\b(?:precedente?|precede|vient avant|d'avant|juste avant|plus tot|previous|right before"
    r"|just before|comes before|precedes|back|backwards?|earlier|recule\w*)\b"
)
_STEMS: Final = ("lettre", "letter", "alphabet", "initial")
_CHANGES: Final = (
    "rempla", "chang", "transf", "substit", "replac", "swap", "turn", "enlev", "retir", "jet",
    "supp", "ote", "efface", "coup", "barr", "remov", "drop", "cut", "cross", "delet", "throw",
    "place", "lieu", "instead",
)  # fmt: skip


_MOST_CHANGES: Final = 10
"""Changes that are looked at in a text."""


class EditSearch:
    """A search for a change of a word, or a step in the alphabet, that makes the solution."""

    def __init__(self, solution: str, statement: str) -> None:
        bare = fold_letters(ARTICLE.sub("", solution)).strip(" .")
        self._word = bare if re.fullmatch("[a-z]{1,30}", bare) else ""
        self._statement = fold_letters(statement)
        letters = _LETTER.findall(bare)
        self._letter = letters[0] if len(letters) == 1 else ""

    def find(self, reading: Reading) -> str | None:
        """Return the words that tell the change; None: there is none."""
        plain = reading.plain
        has_letters = any(stem in plain for stem in _STEMS)
        if self._letter and has_letters and (found := self._find_step(reading)):
            return found
        if not self._word:
            return None
        if has_letters and (found := self._find_first_letters(reading)):
            return found
        if len(self._word) > 3 and any(stem in plain for stem in _CHANGES):
            return self._find_change(reading)
        return None

    def _list_words(self, reading: Reading) -> set[str]:
        """Return the words of the text, the statement and the pupil, without the solution."""
        texts = (reading.folded, self._statement, reading.known.folded)
        return {word for text in texts for word in _WORD.findall(text)} - {self._word}

    def _find_change(self, reading: Reading) -> str | None:
        words = [each for each in self._list_words(reading) if len(each) > 3]
        for found, old, new in islice(_list_changes(reading.folded), _MOST_CHANGES):
            if any(self._word in _change(word, old, new) for word in words if old in word):
                return found
        return None

    def _find_first_letters(self, reading: Reading) -> str | None:
        """Return words that tell to keep the first or last letters of a word of the text."""
        for found in islice(_FIRST_LETTERS.finditer(reading.plain), _MOST_CHANGES):
            count, end = found[1] or found[4], found[2] or found[3]
            is_long = len(self._word) == int(count)
            if is_long and self._is_part(reading, is_first=end[0] in "pf"):
                return found[0]
        found = _ONE_FIRST_LETTER.search(reading.plain) if len(self._word) == 1 else None
        return found[0] if found and self._is_part(reading, is_first=True) else None

    def _is_part(self, reading: Reading, *, is_first: bool) -> bool:
        return any(
            each.startswith(self._word) if is_first else each.endswith(self._word)
            for each in self._list_words(reading)
        )

    def _find_step(self, reading: Reading) -> str | None:
        """Return a sentence that tells a letter by one next to it: of the sentence, or else of the
        pupil."""
        said = _LETTER.findall(reading.known.folded)
        for sentence in SENTENCE_WITH_END.finditer(reading.folded):
            if sentence[0].endswith("?") or not _ALPHABET.search(sentence[0]):
                continue
            between = _BETWEEN_LETTERS.search(sentence[0])
            steps = bool(_FORWARD.search(sentence[0])) - bool(_BACKWARD.search(sentence[0]))
            bases = between.groups()[:1] if between else _list_bases(sentence[0]) or said[-1:]
            step = 1 if between else steps
            if step and any(chr(ord(base) + step) == self._letter for base in bases):
                return sentence[0]
        return None


def _list_bases(sentence: str) -> list[str]:
    """Return the single letters of a sentence, but for words such as `a` and `y`."""
    return [each for each in _LETTER.findall(sentence) if each not in "ayi"]


def _list_changes(folded: str) -> Iterator[tuple[str, str, str]]:
    """Yield the words of each change that a text tells, what is replaced, and by what."""
    first, second, reverse = _REPLACES
    for pattern in (first, second):
        for found in pattern.finditer(folded):
            yield found[0], found[1], found[2]
    for found in reverse.finditer(folded):
        yield found[0], found[2], found[1]
    for found in _DROPS.finditer(folded):
        if len(found[1]) > 1:
            yield found[0], found[1], ""


def _change(word: str, old: str, new: str) -> tuple[str, str]:
    """Return a word with its first occurrence of a part replaced, and with its last one."""
    return word.replace(old, new, 1), new.join(word.rsplit(old, 1))
