"""Find a word that is hidden in a text: spelled, misspelled, reversed, in initials, or in pieces.

Also one that is misspelled as it sounds in French: `deu san vint sis`, `Nijer`. Words are compared
by how they sound, roughly: silent ends are left out, and letters with one sound are written alike.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from typing import TYPE_CHECKING, Final

from bot.learning.grading.typed_words import is_slip
from bot.learning.plain_notation import fold, fold_letters, write_plain

if TYPE_CHECKING:
    from bot.learning.leaks.reading import Reading

_GAP: Final = r"[\W_\d]{0,6}"
_LETTERS: Final = re.compile(r"[a-z]+")
_LINE_START: Final = re.compile(r"(?:^|\n)[\W_\d]{0,9}([a-z])")
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:\n])[\W_\d]{0,9}([a-z])")
_WORD_REST: Final = re.compile(r"(?<=[a-z])[a-z]+")
_NO_LETTERS: Final = re.compile(r"[^a-z]+")
_AS_IN: Final = re.compile(r"\b([a-z]) (?:comme|as in|like) [a-z]")
_SAID_LETTER: Final = re.compile(
    r"\b(?:une?|le|la|the|an?|lettres?|letters?) ([a-z])(?![\w'])|\bpuis ([a-z])(?![\w'])"
)
_DASHED: Final = re.compile(r"(?<![\w-])[a-z](?:-[a-z])+(?![\w-])")
_SENTENCE_PART: Final = re.compile(r"[^.!?\n]+")
_BACKWARDS: Final = re.compile(
    r"right to left|turn it (?:round|around)|envers|invers|rebours|renvers|retourn|backward|revers"
    r"|droite a gauche|miroir|mirror|verlan"
)
_PIECE: Final = re.compile(r"[\"`“«]\s*([^\"`“”«»\n]{1,24}?)\s*[\"`”»]|\*\*([^*\n]{1,24})\*\*")
_BOLD: Final = re.compile(r"\*\*([^*\n]{1,12})\*\*")
_JOINS: Final = re.compile(
    r"\b(?:ajout|coll|remplac|accroch|attach|mets|soud|assembl|join|glue|add|put|stick)"
)
_REPEATED: Final = re.compile(r"\b(\d) fois (?:le chiffre |le )(\d)(?![\d.,]*\d)")
_CAPITAL: Final = re.compile(
    r"([A-ZÉÈÀ])(?<![\w'’].)(?![\w'’])|[\"«“'`]\s?([A-Za-zéèàê])\s?[\"»”'`]"
)
_DIGIT_CUE: Final = re.compile(
    r"(?:ecris|mets|pose|tape|write|type) (?:d'abord )?(?:un |une |a )?\d|chiffre|digit|dizaine"
    r"|centaine|unite|millier|ones|tens|hundreds|virgule"
)
_DIGIT_CUES: Final = (
    "chiffre",
    "digit",
    "dizaine",
    "centaine",
    "unite",
    "millier",
    "ones",
    "virgule",
)
_DIGIT: Final = re.compile(r"(?<![\d.,])(\d)(?![\d.,]\d|\d)")
_ENDS: Final = re.compile(
    r"\b(?:commenc|debut|start|begin)\w* (?:par|avec|with|by) \W{0,3}(\w+)[^\n]{0,60}?"
    r"\b(?:fini|termin|achev|end)\w* (?:par|avec|with|in|by) \W{0,3}(\w+)"
)
"""The beginning and the end of a word or number: `elle commence par 10 et finit par 2`."""
_IN_ORDER: Final = re.compile(
    r"(\d(?<![\d.,]\d)(?:(?:, ?| et | puis | and | then )\d){1,9}),? "
    r"(?:dans|in) (?:cet|this|that) (?:ordre|order)\b"
)
_STEM: Final = re.compile(r"(?<![\w-])([a-z]{1,15})-(?![\w-])")
_ENDING: Final = re.compile(r"(?<![\w-])-([a-z]{1,8})(?![\w-])")
_CHANGED: Final = re.compile(
    r"\b(?:rempla\w+|chang\w+|replace|change) (?:le |la |l'|les |the |final )*"
    r"[\"'-]*([a-z]{1,6})\b[\"' ]*"
    r"(?:final\w* )?(?:de|du|dans|of|in) (?:la fin de )?(?:[\"' ]|d')*([a-z]{3,20})\b[\"' ]*"
    r"(?:par|en|by|with|into) (?:un |une |le |la |a |an |the )?[\"' -]*([a-z]{1,6})\b"
)
"""An ending of a word that is replaced by another one."""
_BETWEEN_DIGITS: Final = r"(?:-|\s-\s| |\.|_|\s?\|\s?| puis |\s?[\"'`]\s?[+,&.]?\s?[\"'`]\s?)"
_ROMAN: Final = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"),
    (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_TOKEN: Final = re.compile(r"[^\W\d_]+")
_ARTICLE: Final = re.compile(r"^(?:(?:le|la|les|un|une|des|the|an?) |l['’])", re.IGNORECASE)
_SHORTEST_WORD: Final = 7
"""Letters of the shortest word that is found with a slip of typing."""
_SHORTEST_STEM: Final = 3
_MOST_PIECES: Final = 8
_SHORTEST_START: Final = 5
_FEWEST_PARTS: Final = 2
_LONGEST_GAP: Final = 12
"""Letters of the longest word that is searched with wide gaps; longer ones have small gaps."""


class HiddenWordSearch:
    """A search for words of at least three letters, or the digits of a number, in disguise."""

    def __init__(self, words: Sequence[str], digits: str = "") -> None:
        self._parts = {tuple(_LETTERS.findall(word)) for word in words}
        self._words = sorted({"".join(parts) for parts in self._parts if sum(map(len, parts)) >= 3})
        self._gaps = [_compile_gaps(word) for word in self._words]
        self._backwards = [_compile_gaps(word[::-1], "[ -]?") for word in self._words]
        self._letters = {"".join(parts) for parts in self._parts}
        self._compounds = [
            (parts, _compile_parts(parts)) for parts in self._parts if len(parts) > _FEWEST_PARTS
        ]
        self._digits = digits
        first, rest = digits[:1], "".join(_BETWEEN_DIGITS + digit for digit in digits[1:])
        self._apart = re.compile(
            rf"{first}(?<![\d,.^]{first})(?<!\d[-_ ]{first}){rest}(?![-_ ]?\d|[,.]\d|[a-z])"
        )
        self._listed = re.compile(rf"(?<![\d,.] )(?<![\d,.]){', '.join(digits)}(?!,? ?\d|[.]\d)")
        self._roman = _write_roman(int(digits)) if digits and len(digits) < 5 else ""

    def find(self, reading: Reading) -> str | None:
        """Return the word, or the part of the text, in which the solution is hidden."""
        folded = reading.folded
        return (
            self._find_spelled(folded)
            or self._find_roman(reading.text)
            or self._find_reversed(reading)
            or self._find_initials(folded)
            or self._find_letters(folded)
            or self._find_parts(folded)
            or self._find_pieces(reading.text)
            or self._find_stem(folded)
            or self._find_ends(reading)
            or self._find_bold_digits(reading.text)
            or (self._find_digits(reading.plain) if len(self._digits) > 1 else None)
        )

    def _find_spelled(self, folded: str) -> str | None:
        for gaps in self._gaps:
            for found in gaps.finditer(folded):
                parts = tuple(_LETTERS.findall(found[0]))
                is_elided = len(parts) == 2 and "'" in found[0]
                if parts not in self._parts and not is_elided:
                    return found[0]
        return None

    def _find_roman(self, text: str) -> str | None:
        """Find the number in Roman numerals; a single one does not count: it may be a letter."""
        if len(self._roman) < 2 or self._roman not in text:
            return None
        return self._roman if re.search(rf"(?<!\w){self._roman}(?!\w)", text) else None

    def _find_reversed(self, reading: Reading) -> str | None:
        for word, backwards in zip(self._words, self._backwards, strict=True):
            if word != word[::-1] and (len(word) > 3 or _BACKWARDS.search(reading.folded)):
                found = backwards.search(reading.folded)
                if found:
                    return found[0]
        digits = self._digits[::-1]
        if len(digits) > 1 and digits != self._digits and _BACKWARDS.search(reading.folded):
            apart = ",? ?".join(digits)
            found = re.search(rf"(?<!\d){apart}(?!\d)", reading.plain)
            return found[0] if found else None
        return None

    def _find_initials(self, folded: str) -> str | None:
        """Find a word in initials; one of up to five letters must be all initials of a sentence."""
        if not self._words:
            return None
        initials = _WORD_REST.sub("", folded)
        inner = _NO_LETTERS.sub("", initials)
        lines = "".join(_LINE_START.findall(initials))
        starts = "".join(_SENTENCE_START.findall(initials))
        spelled = (
            "".join(_AS_IN.findall(folded))
            if any(each in folded for each in (" comme ", " as in ", " like "))
            else ""
        )
        for word in self._words:
            if word in (lines, starts, spelled) or (len(word) > 5 and word in inner):
                return word
            if len(word) > 3 and (word in lines or word in starts or word in spelled):
                return word
            if len(word) > 3 and word in inner and self._is_sentence(word, initials):
                return word
        return None

    def _find_letters(self, folded: str) -> str | None:
        """Find a word whose letters one sentence says in order: `un c, un o, puis un u`."""
        for sentence in _SENTENCE_PART.findall(folded) if self._letters else ():
            said = "".join(one or other for one, other in _SAID_LETTER.findall(sentence))
            spelled = [each.replace("-", "") for each in _DASHED.findall(sentence)]
            if self._letters & {said, *spelled}:
                return sentence.strip()
        return None

    def _find_parts(self, folded: str) -> str | None:
        """Find a compound word by its parts, in order and apart: `arc, puis en, puis ciel`; or one
        word by its two halves that are to be joined."""
        for parts, pattern in self._compounds:
            for found in pattern.finditer(folded):
                if tuple(_LETTERS.findall(found[0])) != parts or "," in found[0]:
                    return found[0]
        if self._words and _JOINS.search(folded):
            tokens = {*_LETTERS.findall(folded)}
            for word in self._words:
                for at in range(_SHORTEST_STEM, len(word) - _SHORTEST_STEM + 1):
                    if word[:at] in tokens and word[at:] in tokens and word not in tokens:
                        return f"{word[:at]} + {word[at:]}"
        return None

    def _is_sentence(self, word: str, initials: str) -> bool:
        """Return whether the initials of a whole line or sentence are the word."""
        return any(_NO_LETTERS.sub("", part) == word for part in re.split(r"[.!?:\n]+", initials))

    def _find_pieces(self, text: str) -> str | None:
        """Find a word in consecutive pieces in quotes or bold, or in single capitals."""
        if not self._words:
            return None
        has_pieces = any(mark in text for mark in ('"', "`", "“", "«", "**"))
        pieces = (
            [one or other for one, other in _PIECE.findall(text[:20_000])] if has_pieces else []
        )
        if found := self._find_joined(pieces, text):
            return found
        plain = [
            "".join(_LETTERS.findall(fold_letters(piece))) for piece in pieces if "-" not in piece
        ]
        for start in range(len(plain)):
            joined = plain[start]
            for piece in plain[start + 1 : start + 8]:
                joined += piece
                if joined in self._words:
                    return " + ".join(plain[start : start + 8])
        letters = "".join(fold_letters(one or other) for one, other in _CAPITAL.findall(text))
        return next((word for word in self._words if len(word) > 3 and word in letters), None)

    def _find_joined(self, pieces: Sequence[str], text: str) -> str | None:
        """Find two pieces that are to be joined: `colle « aux » à « chev »`."""
        if len(pieces) < 2 or not _JOINS.search(fold_letters(text)):
            return None
        plain = ["".join(_LETTERS.findall(fold_letters(piece))) for piece in pieces[:_MOST_PIECES]]
        for one, other in permutations(plain, 2):
            if len(one) >= _SHORTEST_STEM and one + other in self._words:
                return f"{one} + {other}"
        return None

    def _find_stem(self, folded: str) -> str | None:
        """Find a word by its stem and its ending (`ir-` and `-ai`), or by what is changed in
        another one (`remplace le -s de « iras » par -i`)."""
        if not self._words or not ("-" in folded or "rempla" in folded or "replac" in folded):
            return None
        for sentence in re.split(r"[.!?\n]", folded) if _ENDING.search(folded) else ():
            stems = {found[1] for found in _STEM.finditer(sentence)}
            endings = {found[1] for found in _ENDING.finditer(sentence)} if stems else ()
            if any(stem + ending in self._words for stem in stems for ending in endings):
                return sentence
        for found in _CHANGED.finditer(folded):
            old, other, new = found.groups()
            if other.endswith(old) and other.removesuffix(old) + new in self._words:
                return found[0]
            if other.startswith(old) and new + other.removeprefix(old) in self._words:
                return found[0]
        return None

    def _find_ends(self, reading: Reading) -> str | None:
        """Find the word or number by its beginning and its end, which are all of it."""
        for text, wanted in ((reading.plain, [self._digits]), (reading.folded, self._words)):
            for found in _ENDS.finditer(text):
                if found[1] + found[2] in wanted:
                    return found[0]
        return None

    def _find_digits(self, plain: str) -> str | None:
        """Find the digits one by one: `1-2`, `1, 7, 0`, each in its line, or in a sentence about
        digits."""
        if found := self._apart.search(plain):
            return found[0]
        if len(self._digits) > 2 and (found := self._listed.search(plain)):
            return found[0]
        repeated = [found[2] * int(found[1]) for found in _REPEATED.finditer(plain)]
        if self._digits in (*repeated, *_join_digit_lines(plain)):
            return self._digits
        if " ordre" in plain or " order" in plain:
            for found in _IN_ORDER.finditer(plain):
                if re.sub(r"\D", "", found[1]) == self._digits:
                    return found[0]
        is_about = any(cue in plain for cue in _DIGIT_CUES)
        parts = {plain, *plain.split("\n\n")} if is_about else ()
        return next(filter(None, map(self._find_digits_said, sorted(parts))), None)

    def _find_bold_digits(self, text: str) -> str | None:
        """Find the digits in bold, in order, in figures or words: `**6** chats, **5** chiens`."""
        bold = _BOLD.findall(text) if len(self._digits) > 1 and "**" in text else []
        digits = [write_plain(fold(each)).strip() for each in bold]
        is_whole = all(len(each) == 1 for each in digits) and "".join(digits) == self._digits
        return " ".join(bold) if is_whole else None

    def _find_digits_said(self, plain: str) -> str | None:
        """Find the digits that sentences about digits name in order, in all or a paragraph of a
        text."""
        said = ""
        for sentence in re.split(r"[.!?;\n](?!\d)|, (?=[a-z])| (?:et|and) (?=[a-z])", plain):
            digits = _DIGIT.findall(sentence)
            if (len(digits) == 1 and _DIGIT_CUE.search(sentence)) or (said and len(digits) == 1):
                said += digits[0]
        return said if said == self._digits else None


class MisspelledWordSearch:
    """A search for a word with one slip of typing, which counts as an answer, and for the beginning
    of a name by which it is known: `Ouaga`.

    Another ending makes another word (`biologue` for `biologie`), but not of a name.
    """

    def __init__(self, solution: str, statement: str) -> None:
        word = _ARTICLE.sub("", solution.strip())
        is_single = _TOKEN.fullmatch(word) and len(word) >= _SHORTEST_WORD
        self._word = fold_letters(word) if is_single else ""
        self._is_name = word[:1].isupper()
        self._given = {fold_letters(each) for each in _TOKEN.findall(statement)}

    def find(self, reading: Reading) -> str | None:
        if not self._word:
            return None
        said = reading.known.folded
        for token in {*_TOKEN.findall(reading.text)}:
            word = fold_letters(token)
            if word in self._given or word in said or abs(len(word) - len(self._word)) > 6:
                continue
            if self._is_misspelled(word) or (token[0].isupper() and self._is_beginning(word)):
                return token
        return None

    def _is_misspelled(self, word: str) -> bool:
        right = self._word
        if word[:3] != right[:3] or word.startswith(right) or right.startswith(word):
            return False
        return is_slip(word, right) and (self._is_name or word[-3:] == right[-3:])

    def _is_beginning(self, word: str) -> bool:
        is_part = _SHORTEST_START <= len(word) <= len(self._word) - 3
        return self._is_name and is_part and self._word.startswith(word)


def _join_digit_lines(plain: str) -> list[str]:
    """Return the digits of consecutive lines that have nothing but one digit each."""
    runs = [""]
    for line in plain.split("\n"):
        bare = line[:12].strip(" >*•-.,")
        if len(bare) == 1 and bare.isdigit() and len(line) < 12:
            runs[-1] += bare
        elif bare:
            runs.append("")
    return runs


def _compile_gaps(word: str, gap: str = "") -> re.Pattern[str]:
    gap = gap or (_GAP if len(word) <= _LONGEST_GAP else r"[\W_]{0,3}")
    rest = "".join(gap + letter for letter in word[1:])
    return re.compile(rf"{word[0]}(?<![a-z]{word[0]}){rest}(?![a-z])")


def _compile_parts(parts: Sequence[str]) -> re.Pattern[str]:
    between = r"[\W_]{1,4}(?:(?:puis|et|ensuite|then|and)[\W_]{1,3})?"
    return re.compile(rf"\b{between.join(parts)}\b")


def _write_roman(number: int) -> str:
    written = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        written += letters * count
    return written


# Words that sound alike ---------------------------------------------------------------------------

if TYPE_CHECKING:
    from bot.learning.leaks.reading import Reading

_WORD: Final = re.compile(r"[a-z]+")
_FRENCH_ARTICLE: Final = re.compile(r"^(?:les?|la|une?|des|du) |^l'")
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
        bare = [_FRENCH_ARTICLE.sub("", fold_letters(each)) for each in solutions]
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
