"""Check what an answer says of events: that they are independent, how likely a colour is that a
letter stands for (`P(V)`) or the opposite event, whether a game is favourable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from bot.maths.checks.passages import Line, Passage, is_stated, read_signed, write_number
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.reading.vocabulary import DIGITS, SIGNED, THEN


def read_events(passage: Passage) -> Iterator[Statement]:
    """Yield what an answer says of events and games."""
    yield from _read_independence(passage.lines)
    yield from _read_initials(passage)
    yield from _read_games(passage.own)
    yield from _read_opposite([line for line in passage.lines if is_stated(line)])


_PRODUCT: Final = re.compile(rf"\bp ?\(a\) ?× ?p ?\(b\) = (?:[^=]{{1,40}} = )?(?P<n>{SIGNED})")
_BOTH: Final = re.compile(rf"\bp ?\(a ?∩ ?b\) = (?:[^=]{{1,40}} = )?(?P<n>{SIGNED})")
_INDEPENDENT: Final = re.compile(
    r"\ba et b (?P<no>ne )?sont (?:donc )?(?P<not>pas )?(?:donc )?independants\b"
)


def _read_independence(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `P(A) × P(B) = 0,1 et P(A ∩ B) = 0,1, donc A et B sont indépendants`."""
    text = " ".join(line.text for line in lines)
    product, both = _PRODUCT.findall(text), _BOTH.findall(text)
    claims = list(_INDEPENDENT.finditer(text))
    if len(product) != 1 or len(both) != 1 or len(claims) != 1 or "?" in text or " si " in text:
        return
    are_equal = read_signed(product[0]) == read_signed(both[0])
    is_right = are_equal != bool(claims[0]["not"])
    yield decide(claims[0][0], "" if is_right else "compare P(A) × P(B) with P(A ∩ B)")


_CONTENT: Final = re.compile(
    rf"(?P<n>{DIGITS}) (?:boules?|jetons?|billes?|cartes?|bonbons?)? ?(?P<w>rouges?|vertes?|verts?"
    r"|bleues?|bleus?|jaunes?|noires?|noirs?|blanches?|blancs?|oranges?|violettes?|grises?)\b"
)
_INITIAL: Final = re.compile(
    rf"(?<![\w∩∪])P ?\((?P<x>[A-Z])\) = (?P<a>{DIGITS}) ?/ ?(?P<b>{DIGITS})(?![\d/]| ?[×*+])"
)
_DRAWS: Final = re.compile(
    r"\b(?:remise|successi\w+|simultan\w+|deux (?:boules|jetons|billes|tirages)|sachant|second\w*"
    r"|deuxieme|2e|puis|ajout\w*|retir\w*|evenements?|contraire)\b|\?"
)


def _read_initials(passage: Passage) -> Iterator[Statement]:
    """Read `5 rouges, 3 vertes et 2 jaunes : P(V) = 3/10`, in which V stands for a colour."""
    text = f"{passage.asked} {passage.write_answer()}"
    counts: dict[str, set[int]] = {}
    for found in _CONTENT.finditer(text):
        counts.setdefault(found["w"][:3], set()).add(int(read_signed(found["n"])))
    is_clear = len(counts) > 1 and all(len(each) == 1 for each in counts.values())
    if not is_clear or _DRAWS.search(text):
        return
    total = sum(min(each) for each in counts.values())
    for line in passage.lines:
        for found in _INITIAL.finditer(line.cased) if line.is_own else ():
            named = [min(v) for k, v in counts.items() if k.startswith(found["x"].lower())]
            if len(named) == 1 and (below := read_signed(found["b"])):
                is_right = read_signed(found["a"]) / below == Fraction(named[0], total)
                yield decide(found[0], "" if is_right else f"it is {named[0]}/{total}")


_GAIN: Final = re.compile(rf"\be ?\([xg]\) = (?:[^=]{{1,90}} = ){{0,3}}(?P<n>{SIGNED})(?! ?=)")
_FAVOURABLE: Final = re.compile(
    r"\bjeu (?:lui |nous |leur )?(?:est|lui est) (?:donc )?(?P<how>favorable|defavorable|equitable)"
    r"(?! (?:a|pour) (?:l'org|la banq|le casino|l'etab))"
)


def _read_games(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `E(X) = −40, le jeu est défavorable au joueur`."""
    text = " ".join(line.text for line in lines)
    gains = {read_signed(found["n"]) for found in _GAIN.finditer(text)}
    claims = list(_FAVOURABLE.finditer(text))
    if len(gains) == len(claims) == 1 and not re.search(r"\b(?:si|mise|organisateur)\b|\?", text):
        gain = gains.pop()
        how = "equitable" if not gain else "favorable" if gain > 0 else "defavorable"
        is_right = claims[0]["how"] == how
        yield decide(claims[0][0], "" if is_right else f"the gain is {write_number(gain)}")


# The opposite event -------------------------------------------------------------------------------

_PART: Final = r"\d{1,4} ?/ ?\d{1,4}(?![\d/])|0[.,]\d+|\d{1,2}(?:[.,]\d+)? ?%"
_OPPOSITE: Final = re.compile(
    r"\b(?:probabilit\w*|chances?)\b[^.;=\d]*?"
    r"\b(?:ne pas|n'en pas|(?P<clause>ne [a-z' ]{2,25} pas|n'[a-z ]{2,25} pas|(?:does|do|is) not"
    r"|no (?=rain|win|prize))|not|contraire"
    r"|complement\w*|opposite)\b"
    rf"[^.;=\d]*?(?:est|vaut|is|=|:)(?: (?:{THEN}|de|egale a))* "
    rf"(?P<p>{_PART})(?![\d/]| ?[-+×/])"
)


_WINS: Final = re.compile(r"\b(?:gagner|reussir|winning|win)\b")
_LOSES: Final = re.compile(
    r"\b(?:probabilit\w*|chances?|celle)\b[^.;=\d]*?\b(?:perdre|echouer|losing|lose)\b"
    rf"[^.;=\d]*?(?:est|vaut|is|=|:)(?: (?:{THEN}|de))* (?P<p>{_PART})(?![\d/]| ?[-+×/])"
)
_OTHER_EVENT: Final = re.compile(
    r"\b(?:nuls?|draws?|premiere?|seconde?|deuxieme|autres?|first|second|other|deux|two|fois|times|sachant|given"
    r"|both|ni)\b"
)


def _read_opposite(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `P(as) = 1/13. La probabilité de ne pas en avoir est 12/13`."""
    known: list[Fraction] = []
    said = ""
    is_won = False
    for line in lines:
        if _OTHER_EVENT.search(line.text):
            return
        is_won |= bool(_WINS.search(line.text))
        found = _OPPOSITE.search(line.text) or (is_won and _LOSES.search(line.text)) or None
        before = line.text[: found.start()] if found else line.text
        known += [_read_part(each) for each in re.findall(_PART, before)]
        said = f"{said}\n{before}"
        if found and known and _is_of_same_event(said, found):
            shown = _read_part(found["p"])
            slack = Fraction(1, 100) if "/" not in found["p"] else Fraction(0)
            is_right = any(abs(1 - each - shown) <= slack for each in known)
            yield decide(found[0], "" if is_right else f"it is {1 - known[0]}")


_EVENT_NAME: Final = re.compile(
    r"\b(?:que|that|non) (?P<name>[a-z])(?= (?:ne\b|n'|does|is\b|soit|ait|occurs|happens))"
)
_EVENT_WORD: Final = re.compile(
    r"\b(?!proba|chanc|that|does|donc|ther|avoir|elle|cell|real|prod|happ|occu|arri"
    r"|(?:the|que|qui|une|est|les|des|pas|not|for|its|she|son|ses|vaut)\b)[a-z]{3,}"
)


def _is_of_same_event(before: str, found: re.Match[str]) -> bool:
    """Return whether the words of an opposite event, or its name, stand before it."""
    if named := _EVENT_NAME.search(found[0]):
        return bool(re.search(rf"\b{named['name']}\b", before))
    if not found.groupdict().get("clause"):
        return True
    words = _EVENT_WORD.findall(found[0][: found.start("p") - found.start()])
    return all(re.search(rf"\b{word[:3]}", before) for word in words)


def _read_part(text: str) -> Fraction:
    if "/" in text:
        above, below = (int(each) for each in text.split("/"))
        return Fraction(above, below or 1)
    value = Fraction(text.rstrip(" %").replace(",", "."))
    return value / 100 if text.endswith("%") else value
