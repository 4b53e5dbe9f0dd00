"""Find a word or number that is hidden in a text: spelled, misspelled, reversed, in initials, in
pieces, or told by its parts (`parti, puis un e, puis un s`). Pure.

Words that are misspelled as they sound in French (`deu san vint sis`, `Nijer`) are compared by how
they sound, roughly: silent ends are left out, and letters with one sound are written alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from bot.learning.grading.typed_words import is_slip
from bot.learning.leaks.reading import ARTICLE, read_value
from bot.learning.plain_notation import (
    fold_letters,
    fold_notation,
    spell_fraction,
    spell_number,
    write_plain,
)
from bot.maths.reading.roman_numerals import write_roman

if TYPE_CHECKING:
    from bot.learning.leaks.reading import Reading

_GAP: Final = r"[\W_\d]{0,6}"
_LETTERS: Final = re.compile(r"[a-z]+")
_PARTS: Final = re.compile(r"[a-z\d]+")
_LINE_START: Final = re.compile(r"(?:^|\n)[\W_\d]{0,9}([a-z])")
_LINE_PARTS: Final = re.compile(r"(?:^|(?<=\n))[^a-z\d\n]{0,9}(([a-z\d])[a-z\d]*)")
_ACROSTIC: Final = re.compile(
    r"initiale|acrosti|majuscule|capital|(?:premier|debut|first|start|begin)\w* (?:\w+ )?(?:\w+ )?"
    r"(?:lettre|mot|letter|word|ligne|line)|lettre par lettre|letter by letter|haut en bas"
    r"|top to bottom|down the|vertical|colonne de gauche|left column|marge|margin"
)
"""Words by which a text asks to read the beginnings of its lines."""
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:\n])[\W_\d]{0,9}([a-z])")
_WORD_REST: Final = re.compile(r"(?<=[a-z])[a-z]+")
_NO_LETTERS: Final = re.compile(r"[^a-z]+")
_AS_IN: Final = re.compile(r"\b([a-z]) (?:comme|as in|like) [a-z]")
_SENTENCE_PART: Final = re.compile(r"[^.!?\n]+")
_BACKWARDS: Final = re.compile(
    r"right to left|turn it (?:round|around)|envers|invers|rebours|renvers|retourn|backward|revers"
    r"|droite a gauche|miroir|mirror|verlan"
    r"|\b(?:echang|permut|intervert|swap|switch|flip|crois)\w*\b[^.!?\n]{0,25}\b(?:chiffres|digits)"
)
_PIECE: Final = re.compile(
    r"(?:[\"`“«]|(?<!\w)'(?=\w))\s*([^\"`“”«»\n]{1,24}?)\s*(?:[\"`”»]|(?<=\w)'(?!\w))"
    r"|\*\*([^*\n]{1,24})\*\*"
)
_BOLD: Final = re.compile(r"\*\*([^*\n]{1,12})\*\*")
_REPEATED: Final = re.compile(r"\b(\d) (?:fois (?:le chiffre |le )|chiffres )(\d)(?![\d.,]*\d)")
_THEN: Final = re.compile(r" (?:puis|et|then|and)(?: une?| an?)? (?=[a-z],)")
"""A word between letters that are said one by one: `M, puis e, r, c`."""
_CAPITAL: Final = re.compile(
    r"([A-ZÉÈÀ])(?<![\w'’].)(?![\w'’])|[\"«“'`]\s?([A-Za-zéèàê])\s?[\"»”'`]"
)
_BUILDS: Final = re.compile(
    r"\b(?:ajout|coll|puis|ensuite|suivi|derriere|commenc|finit|termine|accroch|attach|soud|assembl"
    r"|mets|ecri[st]|chiffre|join|glue|add|put|stick|then|follow|start|begin|digit|write"
    r"|dizaine|centaine|virgule|lettre|letter|tiret|hyphen|cet ordre|this order|that order)"
    r"|^\W*\w+ avec une? \w+\W*$"
)
_CHANGES: Final = re.compile(
    r"\b(?:rempla|chang|a la place|au lieu|mais avec|replac|instead|but with|rim|rhym|enlev"
    r"|retir|suppr|sans|remov|without|drop)"
)
_PART: Final = re.compile(r"(?<![a-z])[a-z]{1,20}(?![a-z'])")
_MARK: Final = re.compile(
    r"(?:^|\b(?:une?|le|par|an?|the|with|by|puis|then|ajoute[rsz]?|add|ecris|write) |[\"'-] ?)$"
)
"""What stands before a part of a word that is short, so that it is no word of its own."""
_ONE_NUMBER: Final = re.compile(
    r"(?<![\d.,/])(\d{1,4})(?![.,/]?\d|[a-z%]| ?(?:da|[hkdcm])?[mgl]\b| ?(?:min|h|s|f)\b)"
)
_DIGIT_COUNT: Final = re.compile(r"\b\d (?:chiffres?|digits?)\b")
_COUNTS: Final = re.compile(r"\d (?!puis|dizain|centain|unit|mill|tens|hund|thou|is)[a-z]{3,}s\b")
_BETWEEN_DIGITS: Final = r"(?:-|\s-\s| |\.|_|\s?\|\s?| puis |\s?[\"'`]\s?[+,&.]?\s?[\"'`]\s?)"
_ONE: Final = re.compile(r"\bun(?=,? \d,? \d\b)|(?<=\d )un(?=,? \d\b)|(?<=\d \d )un\b")
"""A word for 1 among digits that are said one by one: `un quatre cinq`."""
_TOKEN: Final = re.compile(r"[^\W\d_]+")
_SHORTEST_WORD: Final = 7
"""Letters of the shortest word that is found with a slip of typing."""
_MASK: Final = r"(?:…|\?|_{1,3}|[*•#]{1,3}|\.{1,3})"
_DOTS: Final = re.compile(r"…|\.{2,}|_+(?![a-z])")
_SHORTEST_STEM: Final = 3
_LONGEST_CHANGE: Final = 3
_LONGEST_ENDING: Final = 5
_MOST_PIECES: Final = 8
_MOST_PARTS: Final = 300
_SHORTEST_START: Final = 5
_LONGEST_GAP: Final = 12
"""Letters of the longest word that is searched with wide gaps; longer ones have small gaps."""


class HiddenWordSearch:
    """A search for words of at least three letters, or the digits of a number, in disguise."""

    def __init__(self, words: Sequence[str], digits: str = "") -> None:
        self._parts = {tuple(_PARTS.findall(word)) for word in words}
        self._joined = {"".join(parts) for parts in self._parts}
        self._words = sorted(each for each in self._joined if len(each) > 2)
        self._gaps = [_compile_gaps(word) for word in self._words]
        self._backwards = [_compile_gaps(word[::-1], "[ -]?") for word in self._words]
        self._apart_words = _compile_apart(words)
        self._digits = digits
        first, rest = digits[:1], "".join(_BETWEEN_DIGITS + digit for digit in digits[1:])
        self._apart = re.compile(
            rf"{first}(?<![\d,.^]{first})(?<!\d[-_ ]{first}){rest}(?![-_ ]?\d|[,.]\d|[a-z])"
        )
        pairs = " ".join(re.findall(r"\d\d", digits)) if len(digits) in (4, 6, 8) else ""
        self._pairs = re.compile(rf"(?<![\d,.])(?<!\d ){pairs or '(?!)'}(?![,.]?\d| ?[-+*/÷=\d])")
        self._listed = re.compile(rf"(?<![\d,.] )(?<![\d,.]){', '.join(digits)}(?!,? ?\d|[.]\d)")
        self._roman = write_roman(int(digits)).upper() if digits and len(digits) < 5 else ""

    def find(self, reading: Reading) -> str | None:
        """Return the word, or the part of the text, in which the solution is hidden."""
        folded = reading.folded
        return (
            self._find_spelled(folded)
            or self._find_roman(reading.text)
            or self._find_reversed(reading)
            or self._find_initials(folded)
            or self._find_pieces(reading.text)
            or self._find_built(reading)
            or self._find_apart(folded)
            or self._find_bold_digits(reading.text)
            or (self._find_digits(_ONE.sub("1", reading.plain)) if len(self._digits) > 1 else None)
        )

    def _find_spelled(self, folded: str) -> str | None:
        spelled = _THEN.sub(" ", folded) if self._gaps else ""
        for gaps in self._gaps:
            for found in gaps.finditer(spelled):
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
        if not self._joined:
            return None
        initials = _WORD_REST.sub("", folded)
        inner = _NO_LETTERS.sub("", initials)
        lines = "".join(_LINE_START.findall(initials))
        starts = "".join(_SENTENCE_START.findall(initials))
        spelled = "".join(_AS_IN.findall(folded))
        whole = lines, starts, spelled
        for word in self._words:
            is_inside = any(word in each for each in whole) or (
                word in inner and (len(word) > 5 or self._is_sentence(word, initials))
            )
            if word in whole or (len(word) > 3 and is_inside):
                return word
        return spelled if spelled in self._joined else self._find_line_parts(folded)

    def _find_line_parts(self, folded: str) -> str | None:
        """Find the word, or one of its parts, in the first letters or words of lines that the text
        asks to read."""
        lines = _LINE_PARTS.findall(folded) if _ACROSTIC.search(folded) else []
        words, letters = " ".join(word for word, _ in lines), "".join(first for _, first in lines)
        for parts in self._parts if lines else ():
            wanted = ["".join(parts), *(each for each in parts if len(each) > 4)]
            has_words = len(parts) > 1 and f" {' '.join(parts)} " in f" {words} "
            if has_words or any(len(each) > 2 and each in letters for each in wanted):
                return " ".join(parts)
        return None

    def _is_sentence(self, word: str, initials: str) -> bool:
        """Return whether the initials of a whole line or sentence are the word."""
        return any(_NO_LETTERS.sub("", part) == word for part in re.split(r"[.!?:\n]+", initials))

    def _find_pieces(self, text: str) -> str | None:
        """Find a word in consecutive pieces in quotes or bold, or in single capitals."""
        if not self._words:
            return None
        has_pieces = any(mark in text for mark in ('"', "`", "“", "«", "**", "' "))
        pieces = (
            [one or other for one, other in _PIECE.findall(text[:20_000])] if has_pieces else []
        )
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

    def _find_built(self, reading: Reading) -> str | None:
        """Find a word or number in a sentence that builds it from its parts (`ir` and `-ai`, `parti
        puis un e, puis un s`, `un 1 puis un 3`), or changes another word into it (`iras, mais avec
        un i à la place du s`)."""
        for passage in _list_passages(reading.folded) if self._words else ():
            is_sentence = "." not in passage
            builds = _BUILDS.search(passage) or (is_sentence and "radical" in passage)
            changes = is_sentence and _CHANGES.search(passage)
            parts = _list_parts(passage) if builds or changes else []
            whole = [word for word in self._words if word not in parts]
            if (builds and any(_is_built(word, parts) for word in whole)) or (
                changes and any(_is_changed(word, parts) for word in whole)
            ):
                return passage
        for passage in _list_passages(reading.plain) if len(self._digits) > 1 else ():
            if _BUILDS.search(passage) and self._has_all_digits(passage):
                return passage
        return None

    def _find_apart(self, folded: str) -> str | None:
        """Find all words of the solution, each at the end of its clause: `Auxiliaire : sont.
        Participe : parties.`"""
        found = self._apart_words.search(folded) if self._apart_words else None
        return found[0] if found else None

    def _find_digits(self, plain: str) -> str | None:
        """Find the digits one by one (`1-2`, `1, 7, 0`, each in its line) or in twos: `52 91`."""
        if found := self._apart.search(plain) or self._pairs.search(plain):
            return found[0]
        if len(self._digits) > 2 and (found := self._listed.search(plain)):
            return found[0]
        repeated = [found[2] * int(found[1]) for found in _REPEATED.finditer(plain)]
        if self._digits in (*repeated, *_join_digit_lines(plain)):
            return self._digits
        return None

    def _find_bold_digits(self, text: str) -> str | None:
        """Find the digits in bold, in order, in figures or words: `**6** chats, **5** chiens`."""
        bold = _BOLD.findall(text) if len(self._digits) > 1 and "**" in text else []
        digits = [write_plain(fold_notation(each)).strip() for each in bold]
        is_whole = all(len(each) == 1 for each in digits) and "".join(digits) == self._digits
        return " ".join(bold) if is_whole else None

    def _has_all_digits(self, plain: str) -> bool:
        """Return whether the only numbers of a text are the parts of the digits, in order."""
        plain = _DIGIT_COUNT.sub("", plain)
        parts = _ONE_NUMBER.findall(plain)
        is_whole = len(parts) > 1 and "".join(parts) == self._digits
        return is_whole and not _COUNTS.search(plain)


def _compile_apart(words: Sequence[str]) -> re.Pattern[str] | None:
    """Compile a pattern for the words of a solution of two or three, each said and followed by a
    mark or a line; None: it has only one, or more."""
    parts = words[0].split() if words else []
    if not 2 <= len(parts) <= 3 or not all(part.isalpha() for part in parts):
        return None
    said = [
        rf"(?:[:=,\"(] ?|\b(?:est|sont|is|c'est) \"?){part}(?=\W*(?:[.,;!\n]|$))" for part in parts
    ]
    return re.compile(r"[^?]{1,80}?".join(said))


def spell_solution(solution: str, *, is_text: bool) -> tuple[Sequence[str], str]:
    """Return the words of a solution or of its number, in French first, and a number's digits."""
    value = read_value(solution)
    if is_text or value is None or not any(map(str.isdigit, solution)):
        word = ARTICLE.sub("", fold_letters(solution))
        is_word = re.fullmatch(r"(?=[a-z])[a-z\d' -]{2,40}", word)
        return ([word] if is_word else []), ""
    size = abs(value.value)
    if value.form[0] == "/":
        above, below = (float(str(part)) for part in value.form[1:])
        is_whole = above.is_integer() and below.is_integer()
        return (spell_fraction(int(above), int(below)) if is_whole else ()), ""
    if size != int(size):
        return [], re.sub(r"\D", "", solution)
    return spell_number(int(size)), str(int(size))


def _list_passages(text: str) -> Iterator[str]:
    """Yield each sentence of a text, and each with one and two before it in its paragraph."""
    for paragraph in text.split("\n\n"):
        sentences = _SENTENCE_PART.findall(paragraph)
        for at in range(len(sentences)):
            for first in range(at, max(-1, at - 3), -1):
                yield ".".join(sentences[first : at + 1])


def _list_parts(passage: str) -> list[str]:
    """Return the words of a passage, of the short ones only those that are marked as parts."""
    return [
        found[0]
        for found in islice(_PART.finditer(passage), _MOST_PARTS)
        if len(found[0]) > _SHORTEST_STEM - 1
        or _MARK.search(passage[max(0, found.start() - 9) : found.start()])
        or re.match(r"-(?!\w)", passage[found.end() :][:2])
    ]


def _is_built(word: str, parts: Sequence[str]) -> bool:
    """Return whether some of the parts, in order, are the word; or two in another order."""
    reached = {0}
    for part in parts:
        reached |= {at + len(part) for at in reached if word.startswith(part, at)}
    few = parts[:_MOST_PIECES]
    return len(word) in reached or any(
        word.startswith(one) and word[len(one) :] in (*few[:at], *few[at + 1 :])
        for at, one in enumerate(few)
    )


def _is_changed(word: str, parts: Sequence[str]) -> bool:
    """Return whether one of the parts is the word but for a few letters, which others are."""
    short = {"", *(part for part in parts if len(part) <= _LONGEST_ENDING)}
    for other in parts:
        is_alike = other[0] == word[0] or other[-1] == word[-1]
        for new in short if is_alike and len(other) >= _SHORTEST_STEM else ():
            for at in range(len(word) - len(new) + 1 if len(word) - len(new) > 1 else 0):
                rest = word[at + len(new) :]
                old = other[at : len(other) - len(rest)]
                is_same = other[:at] == word[:at] and other.endswith(rest)
                is_other = 0 < len(old) <= _LONGEST_CHANGE and (new or old in parts)
                if word.startswith(new, at) and is_same and is_other:
                    return True
    return False


class MisspelledWordSearch:
    """A search for a word with one slip of typing, which counts as an answer, or with a mark for a
    single letter (`av_re`); and for the beginning of a name by which it is known: `Ouaga`.

    Another ending makes another word (`biologue` for `biologie`), but not of a name.
    """

    def __init__(self, solution: str, statement: str) -> None:
        word = ARTICLE.sub("", solution.strip())
        is_single = _TOKEN.fullmatch(word) and len(word) >= _SHORTEST_WORD
        self._word = fold_letters(word) if is_single else ""
        self._is_name = word[:1].isupper()
        self._given = {fold_letters(each) for each in _TOKEN.findall(statement)}
        written = fold_letters(word)
        self._masked = _compile_masked(written, fold_letters(statement))
        self._beginnings = _list_beginnings(written)

    def find(self, reading: Reading) -> str | None:
        if self._masked and (found := self._masked.search(reading.folded)):
            return found[0]
        if self._beginnings and (cut := self._find_cut(reading.folded)):
            return cut
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

    def _find_cut(self, folded: str) -> str | None:
        """Return the name without its end, and with dots in place of it."""
        for dots in _DOTS.finditer(folded):
            before = folded[max(0, dots.start() - 41) : dots.start()]
            for each in self._beginnings:
                if before.endswith(each) and not before[: -len(each)][-1:].isalpha():
                    return each
        return None

    def _is_misspelled(self, word: str) -> bool:
        right = self._word
        if word[:3] != right[:3] or word.startswith(right) or right.startswith(word):
            return False
        return is_slip(word, right) and (self._is_name or word[-3:] == right[-3:])

    def _is_beginning(self, word: str) -> bool:
        is_part = _SHORTEST_START <= len(word) <= len(self._word) - 3
        return self._is_name and is_part and self._word.startswith(word)


def _compile_masked(word: str, statement: str) -> re.Pattern[str] | None:
    """Compile a pattern for a word with a mark in place of one of its letters; None: it is short,
    more than one word, or so written in the statement."""
    if not re.fullmatch("[a-z]{5,20}", word):
        return None
    each = [rf"{word[:at]}{_MASK}{word[at + 1 :]}" for at in range(len(word))]
    masked = re.compile(rf"(?<![a-z])(?:{'|'.join(each)})(?![a-z])")
    return None if masked.search(statement) else masked


def _list_beginnings(word: str) -> tuple[str, ...]:
    """Return a word or name without its end: at least the beginning of the last word of several,
    or two thirds of a single one: `felix houphouet-b`, `houphouet-b`."""
    if not re.fullmatch("[a-z' -]{6,40}", word):
        return ()
    last = max(word.rfind(" "), word.rfind("-"), word.rfind("'"))
    least = last + 2 if last > 1 else max(4, -(-2 * len(word) // 3))
    name = word.rfind(" ") + 1 if word.rfind("-") > word.rfind(" ") else 0
    return tuple(word[name:end] for end in range(least, len(word)))


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


# Words that sound alike ---------------------------------------------------------------------------

_SOUNDS: Final = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("c(?=[eiy])|ss|sc(?=[eiy])", "s"), ("oeu|oe|eu", "e"), ("e?au", "o"),
        ("ou(?=[aeiy])", "w"), ("ou", "U"), ("oi", "wa"), ("ph", "f"), ("sch|ch|sh", "C"),
        ("qu|q|k", "K"), ("gn", "N"), ("gu(?=[eiy])|gh", "G"), ("g(?=[eiy])|ge(?=[ao])|j", "J"),
        ("sept", "set"), ("ngts?$", "n"), ("ieme?s?$", "iEm"), ("c", "K"),
        ("(?:ai|ei|i|y|u)[nm](?![aeiouynm])", "I"), ("[ae][nm](?![aeiouynm])", "A"),
        ("o[nm](?![aeiouynm])", "O"), ("ai|ei|ay|ey", "e"), ("y", "i"), ("h", ""),
        (r"(.)\1", r"\1"), ("(?<=..)[estdxzp]+$", ""), ("g", "G"), ("z", "s"),
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
        self._words = [
            _LETTERS.findall(each) for each in bare if re.fullmatch("[a-z '-]{3,60}", each)
        ]
        self._given = {_write_sounds(each) for each in _LETTERS.findall(fold_letters(statement))}

    def find(self, reading: Reading) -> str | None:
        """Return the words of a text that sound as the solution."""
        if not self._words:
            return None
        spelled = _LETTERS.findall(reading.folded)
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
