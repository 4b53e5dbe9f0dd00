"""Write texts for SMS: spell them in the GSM-7 alphabet where that is fair, and count segments.

Facts: 3GPP TS 23.038, 6.2.1 (the GSM 7 bit default alphabet and its extension table, whose
characters take an escape and a septet, never parted) and 3GPP TS 23.040, 9.2.3.24.1 (joined
messages: 153 septets or 67 UTF-16 units in each, alone 160 or 70). One character outside GSM-7
makes a whole message UCS-2.

A fair spelling is one that a pupil reads without explanation: `etre`, `sqrt(2)`, `x^(n+1)`, `<=`.
Signs that would have to be guessed (other scripts, `∈`, `∫`, a hat over an angle, an emoji in a
sentence) have none.
"""

from __future__ import annotations

import re
import string
import unicodedata
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from bot.formulas.line_text import SUBSCRIPTS, SUPERSCRIPTS
from bot.formulas.symbols import pair_words
from bot.messages.outgoing import Entity
from bot.render.styled_text import Styled
from bot.typography import GSM7_ACCENTS, drop_accents

_EDGE = "\ue000"
"""Marks where a name must not touch a letter; it never leaves this module."""
_RAISED = {char: plain for plain, char in SUPERSCRIPTS.items()}
_LOWERED = {char: plain for plain, char in SUBSCRIPTS.items()}
_ORDINALS = ("er", "re")
_NAMES = """
α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu
ξ xi ο omicron π pi ρ rho ς sigma σ sigma τ tau υ upsilon φ phi χ chi ψ psi ω omega ϑ theta ϕ phi
ϵ epsilon ϱ rho ϖ pi √ sqrt ∞ infini ∪ union ∩ inter ∘ o ° deg
"""
_SIGNS = """
… ... œ oe Œ OE ¦ | ® (R) © (c) ª a º o ÷ / ⁄ / ∕ / ∶ : ± +/- ∓ -/+ ≠ != ≡ == ∼ ~ ≪ <<
≫ >> ≤ <= ⩽ <= ≥ >= ⩾ >= ≈ ~= ≃ ~= ≅ ~= ⇐ <== ⇒ => ⟹ => ⇔ <=> ⟺ <=> → -> ⟶ -> ➡ -> ➜ -> 👉 ->
↔ <-> ⟷ <-> ↦ |-> ∥ // ‖ || ∣ | ∑ Σ ∏ Π ∆ Δ ∅ Ø ⋅ * · * ∗ * ⋆ * ★ * ☆ * ⭐ * 🌟 * ✅ [OK] ✔ [OK]
✓ [OK] ❌ [X] ✗ [X] ✘ [X] ⚠ (!) ❗ ! ❓ ? ➕ + ➖ - ➗ / 🙂 :) 😊 :) 😀 :) 😃 :) 😄 :) 😁 :) ☺ :)
😉 ;) 😢 :( 😞 :( 🙁 :( 😕 :( ❤ <3
"""
_GROUPS = {
    "“”„‟«»″": '"',
    "‘’‚‛ʼ‹›′": "'",
    "‐‑‒–—―−•‣◦▪●": "-",
    "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007": " ",
    "\u2008\u2009\u200a\u202f\u205f\u3000": " ",
    "\u2028\u2029\u0085": "\n",
    "\u00ad\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f": "",
    "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069": "",
    "".join(map(chr, (*range(9), 0x0B, *range(0x0E, 0x20), 0x7F))): "",
    "\t": "  ",
    "☐": "[ ]",
    "☑": "[x]",
}


_TABLE: Mapping[str, str] = (
    {chr(code): plain for code, plain in GSM7_ACCENTS.items()}
    | {char: f"{_EDGE}{name}{_EDGE}" for char, name in pair_words(_NAMES).items()}
    | pair_words(_SIGNS)
    | {char: plain for chars, plain in _GROUPS.items() for char in chars}
)
_CHEER = "🎉🎊✨💡📚📖📘📗📙📕📝✏🎓🏆🥇🏅👏👍💪🙌🙏👋🤝🚀🔥💯"
_DECORATIONS = _CHEER + "🔹🔸🔷🔶📌📍🔍🧠🎯🌍🌱🎈📐📏🧮🔢🤗😎😍🤩🥳📎"
"""Emoji without a meaning of their own at the beginning or the end of a line."""
_DECORATION = f"[{_DECORATIONS}][\ufe0f\U0001f3fb-\U0001f3ff]*"
_EMOJI = re.compile("(?:[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff][\u200d\ufe0f]*)+ ?")
_FRACTIONS = "".join(map(chr, (*range(0xBC, 0xBF), *range(0x2150, 0x215F))))
_COMPATIBLE = re.compile("[\ufb00-\ufb06\u2100-\u214f\U0001d400-\U0001d7ff]")
_FOREIGN = re.compile("[^\n\x20-\x5f\x61-\x7e£¥èéùòàäöüñÉ]")
"""Characters that may be in the table: scanning for these is faster than translating all."""
_GREEK_WORD = re.compile("[α-ωά-ώ][α-ωά-ώ]{2}")
_VARIABLE_X = re.compile(r"(?<![^\W\d_])[xX](?![^\W\d_])")
_PRODUCT = re.compile(r"(\d\s?)×(?=\s?\d)")
_ELEMENT = re.compile(r"[A-Z][a-z]?$|\)$")
_LABEL = re.compile(r"(?:\s*(?:\d{1,3}[.)]|[A-Za-z][.)]|[-•])?|.*:)\s*")
_TOUCHING = re.compile(
    f"{_EDGE}(?<=[^\\W\\d_]{_EDGE}){_EDGE}*(?=[^\\W_])|{_EDGE}(?<=\\){_EDGE}){_EDGE}*(?=[^\\W\\d_])"
)


def substitute(text: str) -> str:
    """Replace all signs of `text` that have a fair spelling in GSM-7."""
    if _EDGE in text or _GREEK_WORD.search(text):
        return text
    text = _COMPATIBLE.sub(_spell_compatible, unicodedata.normalize("NFC", text))
    text = _spell_products(text) if "×" in text else text
    present = set(text)
    for rule in _RULES:
        if not present.isdisjoint(rule.signs):
            text = rule.pattern.sub(rule.replacement, text)
    text = _FOREIGN.sub(_spell_foreign, text)
    return _part_names(text) if _EDGE in text else text


def _spell_foreign(found: re.Match[str]) -> str:
    char = found[0]
    return _TABLE.get(char, char)


def _spell_products(text: str) -> str:
    """Return `3 × 4` as `3 x 4` where every product is one of numbers and no `x` is a variable."""
    spelled = _PRODUCT.sub(r"\1x", text)
    if "×" not in spelled and not _VARIABLE_X.search(text):
        return spelled
    return text.replace("×", "*")


def _spell_raised(found: re.Match[str]) -> str:
    plain = "".join(_RAISED[char] for char in found[0])
    if plain in _ORDINALS and found.string[found.start() - 1 : found.start()] == "1":
        return plain
    return _spell_script("^", plain, found)


def _spell_lowered(found: re.Match[str]) -> str:
    """Spell `CO₂` as `CO2`, as is usual, and `x₂` as `x_2`."""
    plain = "".join(_LOWERED[char] for char in found[0])
    if plain.isdigit() and _ELEMENT.search(found.string[max(found.start() - 2, 0) : found.start()]):
        return plain
    return _spell_script("_", plain, found)


def _spell_script(mark: str, plain: str, found: re.Match[str]) -> str:
    """Return `^2` or `^(n+1)`; with a space before a letter, in brackets before a digit."""
    after = found.string[found.end() : found.end() + 1]
    if (len(plain) > 1 and not plain.isdigit()) or after.isdecimal():
        return f"{mark}({plain})"
    return f"{mark}{plain} " if after.isalpha() else mark + plain


def _spell_overlined(found: re.Match[str]) -> str:
    """Spell an overline as it is read aloud: `z barre`."""
    name = found[2].replace("\u0305", "") + " barre"
    return f"{found[1]}({name})" if found[1] else f"{name}{_EDGE}"


def _spell_fraction(found: re.Match[str]) -> str:
    """Spell `½` as `1/2`, in brackets before a letter, digit or bracket, with a space after a
    digit."""
    plain = unicodedata.normalize("NFKC", found[0]).replace("⁄", "/")
    before = found.string[found.start() - 1 : found.start()]
    after = found.string[found.end() : found.end() + 1]
    if after.isalnum() or after == "(":
        plain = f"({plain})"
    return f" {plain}" if before.isdecimal() else plain


def _spell_compatible(found: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", found[0])


def _drop_decoration(found: re.Match[str]) -> str:
    """Drop emoji at the end of a line, unless the line has only a label before them: there they are
    an option or an answer."""
    start = found.string.rfind("\n", 0, found.start()) + 1
    return found[0] if _LABEL.fullmatch(found.string, start, found.start()) else ""


def _drop_unspelled(found: re.Match[str]) -> str:
    return found[0] if any(char in _TABLE for char in found[0].strip("\ufe0f\u200d ")) else ""


def _part_names(text: str) -> str:
    """Put spaces between names and letters next to them or digits after them, as in `2pi r`."""
    return _TOUCHING.sub(" ", text).replace(_EDGE, "")


class _Rule(NamedTuple):
    signs: str
    """The pattern matches only texts with one of these."""
    pattern: re.Pattern[str]
    replacement: str | Callable[[re.Match[str]], str]


def _rule(signs: str, pattern: str, replacement: str | Callable[[re.Match[str]], str]) -> _Rule:
    return _Rule(signs, re.compile(pattern, re.MULTILINE), replacement)


BASIC = (
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
EXTENDED = "\f^{}\\[~]|€"
"""Characters that take two septets each."""
_GSM7 = re.compile(f"[{re.escape(BASIC + EXTENDED)}]*")
_EXTENDED = re.compile(f"[{re.escape(EXTENDED)}]")
_URL = re.compile(r"(https?://[^\s<>\"“”«»]*[^\s<>\"“”«».,;:!?'*_~’…)\]])")
_HOST = re.compile(r"(?<=://)[^/?#:@]+(?=[/?#:]|$)")
_WORD = re.compile(r"(?<!(?<!\w)/)\b[A-Za-zÀ-ÖØ-öø-ſ]{4,}")
"""A word of letters whose accents may be dropped; a command (`/taches`) does not count as one."""


class Segments(NamedTuple):
    """The size of a text that is sent as one message."""

    encoding: Literal["GSM-7", "UCS-2"]
    units: int
    """Septets, or UTF-16 code units."""
    paid: int
    """How many segments; 0 for an empty text."""


def drop_emoji(text: str) -> str:
    """Return `text` without the emoji that have no spelling in GSM-7."""
    return _EMOJI.sub(_drop_unspelled, text)


def to_gsm7(text: str) -> str:
    """Return `text` spelled in GSM-7 where that is fair to the whole of it, else `text` as it is.

    Typography, accents and signs of maths are spelled out or left off; links stay links. It is not
    fair where a character has no substitute, where two different words (of four letters or more)
    would become one, or where the longer spelling costs more than it saves.
    """
    if is_gsm7(text):
        return text
    parts = _URL.split(text)
    parts[::2] = map(substitute, parts[::2])
    parts[1::2] = map(_escape_url, parts[1::2])
    spelled = "".join(parts)
    fair = is_gsm7(spelled) and count_septets(spelled) <= max(count_cost(text), 160)
    return spelled if fair and not _merges_words(text) else text


def is_gsm7(text: str) -> bool:
    return _GSM7.fullmatch(text) is not None


def count_septets(text: str) -> int:
    """Return the length in septets of a text that GSM-7 can write."""
    return len(text) + len(_EXTENDED.findall(text))


def count_cost(text: str) -> int:
    """Return the length in septets, of a UCS-2 text in proportion: 70 UTF-16 units are 160."""
    return count_septets(text) if is_gsm7(text) else -(-_utf16_units(text) * 16 // 7)


def count_segments(text: str) -> Segments:
    """Return the encoding of `text`, its length and its number of segments."""
    if is_gsm7(text):
        septets = _EXTENDED.sub("\x1b\\g<0>", text)
        length = len(septets)
        paid = (
            min(length, 1)
            if length <= 160
            else _fill(length, 153, lambda at: septets[at - 1] == "\x1b")
        )
        return Segments("GSM-7", length, paid)
    units = text.encode("utf-16-be")
    length = len(units) // 2
    paid = 1 if length <= 70 else _fill(length, 67, lambda at: units[2 * at] >> 2 == 0x37)
    return Segments("UCS-2", length, paid)


def _fill(length: int, width: int, is_within: Callable[[int], bool]) -> int:
    """Count the segments of `width` for `length` units; none ends at a place that `is_within` a
    pair."""
    paid, at = 0, 0
    while at < length:
        at += width
        if at < length and is_within(at):
            at -= 1
        paid += 1
    return paid


def _utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _escape_url(url: str) -> str:
    """Return a link in ASCII, if it has characters outside GSM-7; unchanged if that fails."""
    if is_gsm7(url):
        return url
    try:
        url = _HOST.sub(lambda host: host[0].encode("idna").decode(), url, count=1)
    except UnicodeError:
        return url
    return urllib.parse.quote(url, safe=string.punctuation)


def _merges_words(text: str) -> bool:
    """Return whether words of `text` differ by accents only, as in a spelling lesson."""
    words = set(_WORD.findall(unicodedata.normalize("NFC", text)))
    accented = {word for word in words if not word.isascii()}
    folded = {drop_accents(word) for word in accented}
    return len(folded) < len(accented) or not folded.isdisjoint(words - accented)


def to_plain(styled: Styled) -> tuple[str, tuple[Entity, ...]]:
    """Return the text without surrounding line ends, and no entities."""
    return styled.text.strip("\n").rstrip(), ()


_RAISED_SIGNS, _LOWERED_SIGNS = "".join(_RAISED), "".join(_LOWERED)

_RULES: Sequence[_Rule] = (
    # A pattern that begins with one character of a set is searched for several times faster.
    _rule("`", r"(?<=[^\W\d_])`(?=[^\W\d_])", "'"),
    _rule("«»", "«[ \u00a0\u202f]?| »|\u00a0»|\u202f»|»", '"'),
    _rule("Œ", "Œ(?=[a-zà-ÿ])", "Oe"),
    _rule(_DECORATIONS, f"^([ \\t]*(?:[-•] )?)(?:{_DECORATION} ?)+(?=\\S)", r"\1"),
    _rule(_DECORATIONS, f" ?(?:{_DECORATION} ?){{1,5}}$", _drop_decoration),
    _rule("👇", " ?👇[\U0001f3fb-\U0001f3ff]?", ""),
    _rule(_DECORATIONS, f"(?<=[.!?…]) {_DECORATION}(?= )", ""),
    _rule("\u20e3", "([0-9])\ufe0f?\u20e3", r"\1)"),
    _rule("\u20d7", r"([A-Z]{2}|[^\W\d_])([₀-₉]*)\u20d7", f"{_EDGE}vec(\\1\\2)"),
    _rule("\u0305", "([_^]?)((?:[^\\W_]\u0305)+)", _spell_overlined),
    _rule("√", r"√(\d+(?:[.,]\d+)?|[^\W\d_])", f"{_EDGE}sqrt(\\1)"),
    _rule("∛", r"∛\(", f"{_EDGE}root(3; "),
    _rule("∜", r"∜\(", f"{_EDGE}root(4; "),
    _rule(_FRACTIONS, f"[{_FRACTIONS}]", _spell_fraction),
    _rule(_RAISED_SIGNS, f"[{_RAISED_SIGNS}][{_RAISED_SIGNS}]*", _spell_raised),
    _rule(_LOWERED_SIGNS, f"[{_LOWERED_SIGNS}][{_LOWERED_SIGNS}]*", _spell_lowered),
    _rule("°", r"\b([nN])°", r"\1o"),
    _rule("°", r"(\d)[ \u00a0\u202f]?°", r"\1 °"),
    _rule("µμ", r"(\d[ \u00a0\u202f]?)[µμ](?=[mgslLAFVWHJ]\b)", r"\1u"),
    _rule("·", r"(?<=[^\W\d_]{2})(?:·[^\W\d_]+)+", lambda found: found[0].replace("·", ".")),
    _rule("·", r"^([ \t]*)·(?= )", r"\1-"),
    _rule("≠", "!≠", "! !="),
    _rule("←", " ?← ?", " <- "),
)
