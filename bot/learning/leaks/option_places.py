"""Find the right option of a choice by its letter or place, or as the only one left over. Pure."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from bot.learning.leaks.words import cut_near, cut_words, is_negated
from bot.learning.plain_notation import fold, fold_accents, fold_signs

if TYPE_CHECKING:
    from bot.learning.leaks.reading import Reading

_ORDINALS: Final = (
    ("premiere?|1er|1ere|1re|first|1st", "a"), ("deuxieme|seconde?|2e|2eme|2nde?|second|2nd", "b"),
    ("troisieme|3e|3eme|third|3rd", "c"), ("quatrieme|4e|4eme|fourth|4th", "d"),
    ("cinquieme|5e|5eme|fifth|5th", "e"), ("sixieme|6e|6eme|sixth|6th", "f"),
)  # fmt: skip
_IN_WORDS: Final = (
    "", "|deux|two", "|trois|three", "|quatre|four", "|cinq|five", "|six",
)  # fmt: skip
"""The number of an option in words; `un` is an article as well."""
_OPTION: Final = (
    r"(?:options?|reponses?|propositions?|choix|possibilites?|cases?|answers?|choices?|boutons?)"
)
_SENTENCE: Final = re.compile(r"[^.!?\n]+(?:[.,](?=\d)[^.!?\n]+)*[.!?\n]?")
_REJECTS: Final = re.compile(
    r"\b(?:pas|ni|non|faux|fausses?|elimin\w*|barr\w*|exclu\w*|ecart\w*|aussi|convien\w*|incorrect\w*"
    r"|not|nor|neither|wrong|false|rule out|cross out)\b"
)


class PlaceSearch:
    """A search for the right option named by its letter, number or place."""

    def __init__(self, options: Sequence[str], right: str) -> None:
        at = options.index(right) if right in options else -1
        ordinal, letter = _ORDINALS[at] if 0 <= at < len(_ORDINALS) else ("", "")
        self._mark = (
            re.compile(
                rf"\b(?:{letter}|{at + 1}{_IN_WORDS[at]}|{ordinal}|last|derni\w+|milieu|middle)\b"
            )
            if letter
            else None
        )
        self._right = [_compile_place(place, len(options)) for place in (at,) if 0 <= place < 6]
        self._others = [
            _compile_place(place, len(options))
            for place in range(min(len(options), 6))
            if place != at
        ]

    def find(self, reading: Reading) -> str | None:
        text = fold(_LITTLE_WORD.sub("_", reading.text))
        if not (self._mark and self._mark.search(text)):
            return None
        for right in self._right:
            for found in right.finditer(text):
                if not is_negated(text, found) and not self._names_others(text, found):
                    return cut_words(text, found)
        return None

    def _names_others(self, text: str, found: re.Match[str]) -> bool:
        near = cut_near(text, found)
        return any(
            not is_negated(near, each) for other in self._others for each in other.finditer(near)
        )


_LITTLE_WORD: Final = re.compile(
    r"\bà\b(?=\s)|\ba\b(?=\s+(?!(?:est|is|car|parce|because|et)\b)(?:[\"“«'‘*_]+\s?)?[^\W_])"
)
"""`a` before a word, also a quoted one, in small letters, names no option: “la réponse a trois
chiffres”, “the answer is a ‘city’”; nor does `à` before anything: “la réponse à « Pourquoi ? »”."""


def _compile_place(place: int, count: int) -> re.Pattern[str]:
    ordinal, letter = _ORDINALS[place]
    if place == count - 1 and count > 2:
        ordinal += "|derniere?|last"
    middle = "|(?:du |au |in the )?(?:milieu|middle)" if count % 2 and place == count // 2 else ""
    mark = rf"(?:{letter}|{place + 1}{_IN_WORDS[place]})"
    is_end = r"(?=[\"')\]\s]*(?:[.,;:!?)\n]|$|\b(?:est|is|car|parce|because|et)\b))"
    lead = (
        r"(?:c'est|choisis|prends|coche|entoure|reponds|selectionne|tape|clique sur|pick|choose"
        r"|select"
        r"|reponse (?:est|:)|reponse|it's|answer is|answer:?|est)(?: donc| bien)?"
    )
    return re.compile(
        rf"\b{_OPTION}\s?(?:correcte? |juste |exacte? |numero |n° ?|lettre )*(?:c'est |est |is "
        rf"|: ?)?(?:donc )?"
        rf"(?:la |le |l'|the )?(?:lettre |letter |option |numero |n° ?"
        rf"|reponse )?[\"'(]*{mark}(?![\w,.]*\w)(?!'| ?[=+*/÷<>-])"
        rf"|\b(?:lettre|letter|numero|n°)\s?[\"'(]*{mark}(?!\w)"
        rf"|\b{lead} (?:la |le |l'|the )?[\"'(]*(?:{letter}\b{is_end}(?!')|(?:la"
        rf"|le) {place + 1}\b{is_end})"
        rf"|\b(?:reponds|tape|choisis|coche|envoie)(?: (?:le|la))? [\"'(]*{place + 1}\b{is_end}"
        rf"|(?:^|(?<=\n))[\"'(]*{letter}[\"').]*(?=\s*(?:$|\n))"
        rf"|\b(?:la|the) [\"'(]*{letter}\b{is_end}(?!')"
        rf"|\b(?:{ordinal}) {_OPTION}\b|\b{lead} (?:la|le|the) (?:{ordinal}){is_end}"
        rf"|\b(?:la|le|the|celle|celui) (?:{ordinal}{middle})(?: one)? (?:est|is) "
        rf"(?:la |le |the )?(?:bonne?|right|correcte?|juste|exacte?){is_end}"
        rf"|\b{lead} (?:la|le|the|celle|celui) (?:{ordinal}{middle})(?: one)?{is_end}"
    )


class EliminationSearch:
    """A search for a text that rules out every option but the right one, by its text or letter."""

    def __init__(self, options: Sequence[str], solution: str) -> None:
        self._options = [_bound(each) for each in options]
        self._right = options.index(solution) if solution in options else -1
        self._letters = string.ascii_uppercase[: len(options)]

    def find(self, reading: Reading) -> str | None:
        if len(self._options) < 3 or self._right < 0:
            return None
        rejected: set[int] = set()
        for found in _SENTENCE.finditer(reading.text):
            folded = _fold(found[0])
            if "?" in folded or not _REJECTS.search(folded):
                continue
            places = {at for at, each in enumerate(self._options) if each.search(found[0].lower())}
            letters = re.findall(r"(?<![\w'’])[A-H](?![\w'’])", found[0])
            places |= {self._letters.index(each) for each in letters if each in self._letters}
            if self._right in places:
                return None
            rejected |= places
        return reading.text[:80] if len(rejected) == len(self._options) - 1 else None


def _bound(option: str) -> re.Pattern[str]:
    elided = "" if len(option) > 3 else "(?<!['’])"
    return re.compile(rf"(?<![\w,.]){elided}{re.escape(option.strip('$').lower())}(?![\w]|[,.]\d)")


def _fold(text: str) -> str:
    return fold_accents(fold_signs(text)).lower()
