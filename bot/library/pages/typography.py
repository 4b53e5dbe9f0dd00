"""What a good typesetter does to text that was typed: quotes, dashes, spaces that do not break.

French rules (Lexique des règles typographiques en usage à l'Imprimerie nationale): a narrow space
that does not break before `;`, `!` and `?`, a full one before `:`, narrow ones inside « » and
between groups of digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from markdown_it.token import Token

NARROW: Final = "\u202f"
FIXED: Final = "\u00a0"
_SPACES = "[ \u00a0\u202f]*"
_AFTER = r"(?<=[\w)\]»”’…%°€])"
_END = r"(?=[\s)\]»”’\"*…]|$)"
_DASHES = (
    (re.compile(r"(?<!\.)\.\.\.(?!\.)"), "…"),
    (re.compile(r"(?<!-)---(?!-)"), "—"),
    (re.compile(r"(?<!-)--(?!-)"), "–"),
)
_FRENCH = (
    (re.compile(f"«{_SPACES}(?=\\S)"), f"«{NARROW}"),
    (re.compile(f"(?<=\\S){_SPACES}»"), f"{NARROW}»"),
    (re.compile(f"{_AFTER}{_SPACES}([;!?]+){_END}"), rf"{NARROW}\1"),
    (re.compile(f"{_AFTER}{_SPACES}:{_END}"), f"{FIXED}:"),
    (re.compile(r"(?<=\d) (?=(?:%|€|\$|F\b|FCFA\b|XOF\b|k?g\b|[kcm]?m\b|°C|h\b|[Ll]\b))"), FIXED),
    (re.compile(r"\bF CFA\b"), f"F{FIXED}CFA"),
    (re.compile(r"\b(n°|M\.|MM\.|Mme|Mlle|Dr|p\.) (?=\S)"), rf"\1{FIXED}"),
)
_GROUPED = re.compile(r"(?<![\d.,])(?<!\d )\d{1,3}(?: \d{3})+(?! ?\d)")
_QUOTES: Final = {
    "fr": {'"': (f"«{NARROW}", f"{NARROW}»"), "'": ("‘", "’")},
    "en": {'"': ("“", "”"), "'": ("‘", "’")},
}
_OPENS = re.compile(r"[\s(\[{«“‘/>—–-]|^$")
_QUOTED = re.compile(r"(?<==)([\"'])[^\"'\n]*\1|[\"']")
"""A quote; or a value as it is given to a name in programs (`x="1"`), which stays."""


def polish(text: str, language: str, before: str = "") -> str:
    """`text` as it should be printed.

    Args:
        before: the character that stands before it in the same paragraph, if any.
    """
    for pattern, sign in _DASHES:
        text = pattern.sub(sign, text)
    text = before + text
    if language == "fr":
        text = _GROUPED.sub(lambda found: found[0].replace(" ", NARROW), text)
    text = _QUOTED.sub(_curl(text, _QUOTES.get(language, _QUOTES["en"]), len(before)), text)
    if language == "fr":
        for pattern, sign in _FRENCH:
            text = pattern.sub(sign, text)
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
