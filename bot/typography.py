"""Apply French and English typography, the same in chats, documents and pages.

French rules (Lexique des règles typographiques en usage à l'Imprimerie nationale): a narrow space
that does not break before `;`, `!` and `?` and between groups of digits, a full one before `:` and
inside « ».

`typeset` is for text that has its spaces: it replaces single characters, one for one, and reads
Markdown, whose code, formulas and addresses stay. `polish` also adds missing spaces, and makes
quotes and dashes from a keyboard's characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from markdown_it.token import Token

NARROW: Final = "\u202f"
FIXED: Final = "\u00a0"
_JOINERS: Final = frozenset("\u200c\u200d")
"""Invisible characters that are part of the text, in some emoji and scripts."""
_PLAIN: Final = str.maketrans({NARROW: " ", FIXED: " ", "’": "'"})

_SPACE = "[ \u00a0\u202f]"
_LETTER = r"[^\W\d_]"
_CLOSING = r"[\w)\]}»”’…%°€∞′″*~$`]"
"""A character that punctuation may follow; the last four close a word in Markdown."""
_AFTER = f"(?<={_CLOSING})"
_END = r"(?=[\s)\]»”’\"*_~|…]|$)"
_END_OF_COLON = r"(?=[\s\]»”’\"*_~|…]|$)"
"""The end of a word, without the bracket of `:)`."""
_GROUPS = re.compile(r"\d(?<![\d.,+]\d)(?<!\d \d)\d{0,2}(?: \d{3})+(?! ?\d)")
_UNITS = r"%|€|\$|F\b|FCFA\b|XOF\b|[KMG]o\b|octets?\b|k?g\b|[kcm]?m\b|min\b|ms\b|s\b|°C|h\b|[Ll]\b"
_RULES: Final = (
    ("'", re.compile(f"(')(?<={_LETTER}')(?={_LETTER}{{2}})"), "’"),
    (
        "'",
        re.compile(
            r"(')(?:(?<=(?<!\w)[cdjlmnst]')|(?<=(?<!\w)qu')|(?<=[is]qu'))(?=[\w*_`$«“\[…])",
            re.IGNORECASE,
        ),
        "’",
    ),
    ("«", re.compile(f"«({_SPACE})(?=\\S)"), FIXED),
    ("»", re.compile(f"({_SPACE})»(?<=\\S.»)"), FIXED),
    ("!?", re.compile(f"({_SPACE})(?<={_CLOSING}.)[;!?]*[!?]{_END}"), NARROW),
    (";", re.compile(f"({_SPACE});(?<={_CLOSING}.;){_END_OF_COLON}"), NARROW),
    (":", re.compile(f"({_SPACE}):(?<={_CLOSING}.:)(?<!\\d.:){_END_OF_COLON}"), FIXED),
    (":", re.compile(f"({_SPACE}):(?<=\\d.:){_END_OF_COLON}(?!{_SPACE}\\d)"), FIXED),
    ("0123456789", re.compile(f"( )(?<=\\d )(?={_UNITS})"), FIXED),
    ("F", re.compile(r"F(?<!\wF)( )CFA\b"), FIXED),
    (
        ".°er",
        re.compile(
            r"( )(?:(?<=\bn° )|(?<=\bM\. )|(?<=\bMM\. )|(?<=\bMme )|(?<=\bMlle )|(?<=\bDr )"
            r"|(?<=\bp\. ))(?=\S)"
        ),
        FIXED,
    ),
)
"""Characters of which a match has one, a pattern, whose group is the character to replace, and the
replacement. The patterns begin with a sign, for which a text is searched ten times as fast as for
what stands before it."""

_PROTECTED = re.compile(
    r"^[ >\t]*(?P<fence>`{3,}(?=[^\n`]*(?:\n|\Z))|~{3,})[^\n]*"
    r"(?:\n(?:(?![ >\t]*(?P=fence))[^\n]*(?:\n|\Z))*(?:[ >\t]*(?P=fence)[`~]*)?|\Z)"
    r"|(?P<ticks>`+)(?:(?!\n[ \t]*\n)[^`]|(?!(?<!`)(?P=ticks)(?!`))`)*(?P=ticks)?"
    r"|\$\$[^$]*(?:\$\$)?"
    r"|\$(?!\s)(?:[^$\\\n]|\\.)*(?:\$|$|\\\Z)"
    r"|\\\((?:(?!\\\)).)*|\\\[(?:(?!\\\]|\n[ \t]*\n)[\s\S])*"
    r"|(?:https?://|www\.)[^\s<>]*|\]\([^\s)]*|[\w.+-]+@[\w.-]+",
    re.MULTILINE,
)
"""Code, formulas and addresses in Markdown. One that is not closed reaches to the last place where
it could be, so that later text does not change earlier matches."""

_PROTECTING: Final = ("`", "~", "$", "\\", "://", "www.", "](", "@")
"""What stands in every match of `_PROTECTED`."""


@lru_cache(maxsize=8)
def typeset(markdown: str, language: str) -> str:
    """Return `markdown` with the spaces and apostrophes of its language, of the same length.

    Only ordinary spaces where French has special ones and straight apostrophes between letters are
    replaced. Code, formulas, addresses, times (`12:30`), ratios (`3 : 4`) and emoticons stay.
    Applied to its own result, it changes nothing.
    """
    return markdown if language != "fr" else _typeset_part(markdown, 0, len(markdown))


def _typeset_part(markdown: str, start: int, end: int) -> str:
    """Return the part of `markdown` from `start` to `end` as French."""
    signs: list[str] = []
    done = start
    for place, sign in _replacements(markdown, start):
        if place < end:
            signs += (markdown[done:place], sign)
            done = place + 1
    return "".join((*signs, markdown[done:end]))


def to_one_line(text: str, most: int) -> str:
    """Return `text` on one line of at most `most` characters, perhaps empty, without control
    characters, lone surrogates and marks that change the direction of writing."""
    known = "".join(c if c.isprintable() or c in _JOINERS else " " for c in text)
    return " ".join(known.split())[:most].strip(" \u200c\u200d")


def shorten(text: str, most: int) -> str:
    """Return `text` in at most `most` characters, with an ellipsis for what is left out."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def to_ordinary_signs(text: str) -> str:
    """Return `text` with the spaces and apostrophes of a keyboard, of the same length."""
    return text.translate(_PLAIN)


def strip_accents(text: str) -> str:
    """Return `text` without accents, and with plain letters for ligatures and raised ones."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def _bare(char: str) -> str:
    """Return `char` without its accents; unchanged if no plain letter is left."""
    plain = strip_accents(char)
    return plain if plain.isascii() and plain.isalpha() else char


GSM7_ACCENTS: Final = str.maketrans(
    {chr(code): _bare(chr(code)) for code in range(0xC0, 0x180)}
    | {char: char for char in "àäåéèìñòöùüÄÅÉÑÖÜÇ"}  # GSM-7 has these
    | dict(zip("đĐłŁıĸ", "dDlLik", strict=True))
)
"""What becomes of each accented letter where a text is written in GSM-7, the alphabet of SMS."""


def drop_accents(text: str) -> str:
    """Return `text` without the accents that GSM-7 lacks."""
    return text.translate(GSM7_ACCENTS)


class StreamTypesetter:
    """Typesets Markdown that comes in pieces, with the same result as `typeset` for the whole.

    A sign, a space or a number at the end is held back until the text after it is known.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._text = ""
        """The current paragraph, or piece of code."""
        self._given = 0

    def feed(self, piece: str) -> str:
        """Take a piece and return the text that no later character can change."""
        if self._language != "fr":
            return piece
        self._text += piece
        return self._give(_find_uncertain(self._text, self._given))

    def close(self) -> str:
        """Return the text that was held back, and begin anew."""
        rest = self._give(len(self._text))
        self._text, self._given = "", 0
        return rest

    def _give(self, end: int) -> str:
        if end <= self._given:
            return ""
        if _CHANGING.search(self._text, max(0, self._given - _LONGEST_SIGN)):
            given = _typeset_part(self._text, self._given, end)
        else:
            given = self._text[self._given : end]
        self._given = end
        # Only the current paragraph is kept, unless it may be within code or a formula.
        place = self._text.rfind("\n\n", 0, self._given) + 2
        if place > 1 and not any(
            found.start() < place < found.end() or found.end() == len(self._text)
            for found in _PROTECTED.finditer(self._text)
        ):
            self._text, self._given = self._text[place:], self._given - place
        return given


_CHANGING = re.compile(r"['«»;!?:]|\d |F CFA|(?:n°|M\.|Mme|Mlle|Dr|p\.) ")
"""Signs without which `typeset` changes nothing."""
_LONGEST_SIGN: Final = 5
"""The most characters of such a sign."""
_UNCERTAIN_BACKWARDS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"[^\S\n]*+[^\s\d]{0,8}+[\d ]*\d",  # a number, perhaps with a unit
        r"[;:!?»\"”’*_)|\]~…]*+[^\S\n]++",
        r"[A-Z]{0,3}+ F(?!\w)",
        r"[^\S\n]*+[^\s'`$\\\[\]<>/@~«]*+['`$\\\[\]<>/@~«]\S*+[^\S\n]*+",
    )
)
"""The end of a text that later characters may change, read from its last character to its first:
searching for it forwards would take a time that grows with the square or cube of a line."""


def _find_uncertain(text: str, start: int) -> int:
    """Return the first place, from `start` on, that later characters may change."""
    backwards = text[max(0, start - 1) :][::-1]  # the F of `F CFA` may be given already
    length = 0
    for pattern in _UNCERTAIN_BACKWARDS:
        match = pattern.match(backwards)
        if match and match.end() > length:
            length = match.end()
    return max(start, len(text) - length)


def _replacements(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Yield the places in `text`, from `start` on, to change, in order, each with its new
    character."""
    found: dict[int, str] = {}
    begin = max(0, start - _LONGEST_SIGN)
    signs = set(text[begin:])
    rules = (rule for rule in _RULES if not signs.isdisjoint(rule[0]))
    for _, pattern, sign in rules:
        for match in pattern.finditer(text, begin):
            found[match.start(1)] = sign
    begin = min(begin, len(text[:start].rstrip("0123456789 ")))  # the whole of a number
    for match in _GROUPS.finditer(text, begin):
        gaps = range(match.start(), match.end())
        found.update((place, NARROW) for place in gaps if text[place] == " ")
    found = {place: sign for place, sign in found.items() if place >= start}
    if not found:
        return
    may_protect = any(sign in text for sign in _PROTECTING)
    protected = [match.span() for match in _PROTECTED.finditer(text)] if may_protect else []
    for place in sorted(found):
        while protected and protected[0][1] <= place:
            protected.pop(0)
        if not (protected and protected[0][0] <= place):
            yield place, found[place]


_DASHES = (
    (re.compile(r"(?<!\.)\.\.\.(?!\.)"), "…"),
    (re.compile(r"(?<!-)---(?!-)"), "—"),
    (re.compile(r"(?<!-)--(?!-)"), "–"),
)
_NOT_ARABIC = "(?<![\u0590-\u08ff])"
"""Arabic and Hebrew have no space before a sign, also in a French text."""
_MISSING_SPACES = (
    (re.compile(f"«{_SPACE}*(?=\\S)"), "« "),
    (re.compile(f"(?<=\\S){_SPACE}*»"), " »"),
    (re.compile(f"{_AFTER}{_NOT_ARABIC}{_SPACE}*([;!?]+){_END}"), r" \1"),
    (re.compile(f"{_AFTER}{_NOT_ARABIC}{_SPACE}*:{_END}"), " :"),
    (re.compile(r"(?<=\d)(%|€|°[CF])(?![\w%])"), r" \1"),
)
_QUOTES: Final = {
    "fr": {'"': ("« ", " »"), "'": ("‘", "’")},
    "en": {'"': ("“", "”"), "'": ("‘", "’")},
}
_OPENS = re.compile(r"[\s(\[{«“‘/>—–-]|^$")
_QUOTED = re.compile(r"(?<==)([\"'])[^\"'\n]*\1|[\"']")
"""A quote; or a quoted value after `=` as in programs (`x="1"`), which stays."""


PHONE: Final = re.compile(
    r"(?<![\d+,.])(?<!\d )(?:\+\d{1,3}[ \u00a0])?\d\d(?:[ \u00a0]\d\d){3,4}(?![,.]?\d| \d)"
)
"""A telephone number in pairs of digits, as in Côte d’Ivoire: `+225 07 07 01 02 03`."""


def polish(text: str, language: str, before: str = "") -> str:
    """Return plain `text` with the quotes, dashes and spaces of its language. No line ends within a
    telephone number.

    Args:
        before: the character before it in the same paragraph, if any.
    """
    for pattern, sign in _DASHES:
        text = pattern.sub(sign, text)
    text = before + text
    text = _QUOTED.sub(_curl(text, _QUOTES.get(language, _QUOTES["en"]), len(before)), text)
    if language == "fr":
        for pattern, sign in _MISSING_SPACES:
            text = pattern.sub(sign, text)
        text = typeset(text, language)
    text = PHONE.sub(lambda found: found[0].replace(" ", FIXED), text)
    return text[len(before) :] if before else text


def _curl(
    text: str, quotes: dict[str, tuple[str, str]], start: int
) -> Callable[[re.Match[str]], str]:
    def curled(found: re.Match[str]) -> str:
        at = found.start()
        if at < start or len(found[0]) > 1:
            return found[0]
        opening, closing = quotes[found[0]]
        following = text[at + 1 : at + 2]
        opens = _OPENS.fullmatch(text[at - 1 : at] if at else "") and not following.isspace()
        return opening if opens else closing

    return curled


def polish_tokens(tokens: Sequence[Token], language: str) -> None:
    """Polish the text within the tokens of a document; code, maths and addresses stay."""
    for token in tokens:
        if token.type == "inline" and token.children:
            _polish_line(token.children, language)


def _polish_line(tokens: Sequence[Token], language: str) -> None:
    before = ""
    address = ""
    for token in tokens:
        if token.type == "text":
            if token.content != address:
                token.content = polish(token.content, language, before)
            before = token.content[-1:] or before
        elif token.type == "link_open":
            address = str(token.attrs.get("href", ""))
        elif token.type in ("softbreak", "hardbreak"):
            before = " "
        elif token.type in ("maths", "code_inline"):
            before = "x"
        elif token.type == "image":
            token.content = polish(token.content, language)
            before = "x"
