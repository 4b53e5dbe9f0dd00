"""Read conclusions in words that contradict the inequality of numbers before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bot.maths.exact.algebra_questions import Known, Statement
from bot.maths.reading.number_words import fold
from bot.maths.reading.prose import Sentence

_UNEQUAL: Final = re.compile(
    r"\d ?\)?\$? ?(?:≠|\$?\\neq?(?![a-z])) ?\$? ?\(?(?P<to>[-−]?\d+(?:[.,/]\d+)?)"
    r"(?P<rest>[^.;:≠=<>\\]{3,110})"
)
_CLAIM: Final = re.compile(
    r"\b(?:est|sont) (?:(?:donc|bien|alors|ainsi|un triangle|des vecteurs) )*"
    r"(?P<what>rectangles?|colineaires|orthogona(?:ux|les)|paralleles|alignes|egales|egaux"
    r"|proportionnel(?:le)?s?|perpendiculaires)\b"
)
_CONCLUDES: Final = re.compile(r"^(?:[^a-z]*,|[^a-z]*\b(?:donc|alors|ainsi|d'ou|so)\b)")
_OTHERWISE: Final = re.compile(
    r"(?<!\\)\b(?:si|non|pas|ni|jamais|ne|sauf|contrairement|serai\w*|seulement|hypothese|distincts?"
    r"|ordonnees?|origine|strictement|mais|pourtant|cependant|normes?|longueurs?)\b|\bn'"
)
"""Words with which the conclusion is another one, or has another reason."""
_ALWAYS: Final = re.compile(
    r"(?<![\d,.(+*/^x×-])(?<![+*/^×-] )0\$? ?= ?\$?0(?!\d|[.,]\d)[^.;≠=<>]{0,60}?"
    r"(?:aucune|pas de|no) solution"
)
_NEVER: Final = re.compile(
    r"(?<![\d,.(+*/^x×-])(?<![+*/^×-] )0\$? ?= ?\$?[-−]?[1-9]\d{0,9}\$?(?!\d|[.,]\d)"
    r"(?P<rest>[^.;≠=<>]{0,60}?)(?:infinite de solutions|tout (?:nombre )?reel est solution)"
)
_DENIED: Final = re.compile(r"\b(?:pas|ni|ne|non)\b|\bn'")
_SUPPOSED: Final = re.compile(r"\b(?:si|if|alors que|contrairement|et non|mais)\b")
_SLOPES: Final = re.compile(r"\b(?:coefficients?|pentes?|rapports?|quotients?|thales)\b")


def read_conclusions(sentence: Sentence) -> Iterator[Statement]:
    """Yield the conclusion of `Comme 64 ≠ 61, le triangle est rectangle` and of `0 = 0, donc
    l'équation n'a aucune solution`, which are wrong."""
    text = sentence.text
    if (found := _ALWAYS.search(text)) and not _SUPPOSED.search(text):
        yield Statement(found[0], [[Known("wrong", "0 = 0 holds for all values")]])
    never = _NEVER.search(text)
    if never and not _DENIED.search(never["rest"]) and not _SUPPOSED.search(text):
        yield Statement(never[0], [[Known("wrong", "0 is no such number: there is no solution")]])
    if "≠" not in text and "\\ne" not in text:
        return
    found = _UNEQUAL.search(text)
    claim = _CLAIM.search(found["rest"]) if found else None
    if found is None or claim is None or not _CONCLUDES.search(found["rest"]):
        return
    if _OTHERWISE.search(text) or _UNEQUAL.search(text, found.start("rest")):
        return
    is_of_vectors = claim["what"].startswith(("colin", "orthog"))
    if found["to"] == "0" and not is_of_vectors:
        return
    if claim["what"] == "paralleles" and not _SLOPES.search(fold(sentence.source)):
        return
    said = found[0][: found[0].find(claim[0]) + len(claim[0])]
    yield Statement(said, [[Known("wrong", "the inequality before says that it is not so")]])
