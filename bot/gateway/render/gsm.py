"""What an SMS costs, and the cheapest fair spelling of a text.

Facts: 3GPP TS 23.038, 6.2.1 (the GSM 7 bit default alphabet and its extension table, whose
characters take an escape and a septet, never parted) and 3GPP TS 23.040, 9.2.3.24.1 (joined
messages: 153 septets or 67 UTF-16 units in each, alone 160 or 70). One character outside GSM-7
makes a whole message UCS-2.
"""

from __future__ import annotations

import re
import string
import unicodedata
import urllib.parse
from collections.abc import Callable
from typing import Literal, NamedTuple

from bot.gateway.render.substitutes import drop_accents, substitute

BASIC = (
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
EXTENDED = "\f^{}\\[~]|€"
"""Two septets each."""
_GSM7 = re.compile(f"[{re.escape(BASIC + EXTENDED)}]*")
_EXTENDED = re.compile(f"[{re.escape(EXTENDED)}]")
_URL = re.compile(r"(https?://[^\s<>\"“”«»]*[^\s<>\"“”«».,;:!?'*_~’…)\]])")
_HOST = re.compile(r"(?<=://)[^/?#:@]+(?=[/?#:]|$)")
_WORD = re.compile(r"(?<!(?<!\w)/)\b[A-Za-zÀ-ÖØ-öø-ſ]{4,}")
"""In the letters whose accents are left off; a command (`/taches`) is no word to tell apart."""


class Segments(NamedTuple):
    """What a text costs when it is sent as one message."""

    encoding: Literal["GSM-7", "UCS-2"]
    units: int
    """Septets, or UTF-16 code units."""
    paid: int
    """How many segments; 0 for an empty text."""


def to_gsm7(text: str) -> str:
    """`text` spelled in GSM-7 where that is fair to the whole of it, else `text` as it is.

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
    """Length in septets of a text that GSM-7 can write."""
    return len(text) + len(_EXTENDED.findall(text))


def count_cost(text: str) -> int:
    """Length in septets, or what fills the same segments: 70 UTF-16 units for 160 septets."""
    return count_septets(text) if is_gsm7(text) else -(-_count_utf16(text) * 16 // 7)


def segments(text: str) -> Segments:
    """How `text` is sent, and in how many segments."""
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


def _fill(length: int, room: int, is_within: Callable[[int], bool]) -> int:
    """Segments of `room` units that hold `length`; none ends where `is_within` a pair of units."""
    paid, at = 0, 0
    while at < length:
        at += room
        if at < length and is_within(at):
            at -= 1
        paid += 1
    return paid


def _count_utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _escape_url(url: str) -> str:
    """The same link in ASCII, where it has characters outside GSM-7; as it is if that fails."""
    if is_gsm7(url):
        return url
    try:
        url = _HOST.sub(lambda host: host[0].encode("idna").decode(), url, count=1)
    except UnicodeError:
        return url
    return urllib.parse.quote(url, safe=string.punctuation)


def _merges_words(text: str) -> bool:
    """Whether `text` tells words apart by their accents only, as a spelling lesson does."""
    words = set(_WORD.findall(unicodedata.normalize("NFC", text)))
    accented = {word for word in words if not word.isascii()}
    folded = {drop_accents(word) for word in accented}
    return len(folded) < len(accented) or not folded.isdisjoint(words - accented)
