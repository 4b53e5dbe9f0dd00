"""Read what sentences deny: corrections, and conclusions that contradict what they conclude from.

The sentences around a correction are disowned, as they quote an error; the correction itself, with
the right answer that it announces, is the writer's own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Final

from bot.maths.exact.algebra_questions import Check, Known, Statement
from bot.maths.exact.arithmetic import Undecidable, evaluate, is_prime
from bot.maths.exact.expression import Expr, Solutions, free_letters, has_operation
from bot.maths.reading.disowned import disowns
from bot.maths.reading.number_words import fold
from bot.maths.reading.prose import Sentence
from bot.maths.reading.vocabulary import END, SO, THEN
from bot.maths.reading.wording import Found, Wording, claim, join, whole

_NOT: Final = (
    r"(?:(?:ne|n) (?:fait|font|vaut|valent|est|sont|donne|donnent|egale) (?:pas|jamais)"
    r"|is not|isn t|are not|aren t|does not (?:equal|make)|doesn t (?:equal|make))"
)
_CORRECTED: Final = re.compile(
    rf"(?P<a>#) {_NOT}(?: (?:egale?|a|de|equal|to))* (?P<b>#)(?: ,)? (?:mais|but|c est|it is|it s)"
    rf"(?: (?:{THEN}|plutot|c est|est|egale?|a|en fait|il fait|ca fait|it|is|it s))* (?P<c>#){END}"
)
_DENIED: Final = re.compile(rf"(?P<a>#) (?:≠|{_NOT})(?: (?:egale?|a|equal|to))* (?P<b>#){END}")
_LACKS: Final = re.compile(
    r"(?P<a>#) (?:n est pas|is not|isn t)(?: (?:un|a|an|nombre|number|even))*"
    r" (?P<kind>premier|pair|impair|prime|odd|even|multiple de|divisible par|multiple of"
    r"|divisible by|diviseur de|divisor of|factor of)\b(?: (?:number|nombre))?"
    rf"(?: (?P<b>#)|{END})"
    r"|(?P<c>#) (?:et|and) (?P<d>#) ne sont (?:donc )?pas (?P<coprime>premiers entre eux)"
)
_DENIAL: Final = re.compile(
    r"\bn(?:e |')(?:fait|font|vaut|valent|est|sont|donne|donnent|egale) (?:pas|jamais)"
    r"(?: egale?s?)?\b"
    r"|\b(?:is|are|does)(?: not|n't)\b"
)
_RIGHT: Final = re.compile(
    r"\b(?:la (?:bonne|vraie) reponse|la reponse (?:juste|correcte|exacte|attendue)"
    r"|le (?:bon|vrai) resultat|le resultat (?:juste|correct|exact|attendu)"
    r"|(?:right|correct|actual) (?:answer|result)|(?:and|so) the (?:answer|result)"
    r"|donc (?:la reponse|le resultat))"
    rf"(?: (?:{THEN}|est|etait|is|was|=|:|c est|egale?|a|en fait))* (?P<c>#){END}"
)
_OTHERWISE: Final = re.compile(
    r"\b(?:au lieu|instead|fallait|should have|enonce|problem\w*|consigne|question|plutot que)\b"
)
"""Words of an error that is not in the computation itself."""
_MOST_VALUES: Final = 2
"""Values before the right answer: the computation, and the error that is corrected."""
_UNEQUAL: Final = re.compile(
    r"\d ?\)?\$? ?(?:≠|\$?\\neq?(?![a-z])) ?\$? ?\(?(?P<to>[-−]?\d+(?:[.,/]\d+)?)"
    r"(?P<rest>[^.;:≠=<>\\]{3,110})"
)
_CLAIM: Final = re.compile(
    r"\b(?:est|sont) (?:(?:donc|bien|alors|ainsi|un triangle|des vecteurs) )*"
    r"(?P<what>rectangles?|colineaires|orthogona(?:ux|les)|paralleles|alignes|egales|egaux"
    r"|proportionnel(?:le)?s?|perpendiculaires)\b"
)
_CONCLUDES: Final = re.compile(rf"^(?:[^a-z]*,|[^a-z]*\b{SO}\b)")
_OTHER_REASON: Final = re.compile(
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
_NEGATED: Final = re.compile(r"\b(?:pas|ni|ne|non)\b|\bn'")
_SUPPOSED: Final = re.compile(r"\b(?:si|if|alors que|contrairement|et non|mais)\b")
_SLOPES: Final = re.compile(r"\b(?:coefficients?|pentes?|rapports?|quotients?|thales)\b")


class Corrections:
    """Reads sentences one after another, and remembers those of the same block."""

    def __init__(self) -> None:
        self._block = -1
        self._before: list[Wording] = []
        self._quoted: Expr | None = None
        """The computation of the last sentence that quotes a wrong result."""

    def read(self, wording: Wording, sentence: Sentence) -> Iterator[Statement]:
        """Yield what a sentence, which may be disowned, corrects or denies."""
        if self._block != sentence.block:
            self._block, self._before = sentence.block, []
        window = [*self._before, wording]
        self._before = window[-2:]
        if not wording.values or "?" in sentence.text:
            return
        if sentence.is_disowned:
            self._quoted = _find_quoted(wording) or self._quoted
        if found := _RIGHT.search(wording.text):
            yield from _check_right(window, found, sentence, self._quoted)
        if not disowns(_DENIAL.sub(" ", sentence.text)):
            yield from _check_denials(wording, sentence)


def _check_right(
    window: list[Wording], match: re.Match[str], sentence: Sentence, quoted: Expr | None
) -> Iterator[Statement]:
    """Read `Awa a écrit 7 × 9 = 64. La bonne réponse est 63`, also with steps between."""
    text = join(window).text
    last = Found(window[-1], match)
    place = window[-1].find_values(match.start("c"), match.end("c"))[0]
    before = [value for each in window[:-1] for value in each.values]
    before += window[-1].values[:place]
    given = [each for each in before if not isinstance(each, Solutions)]
    computed = [each for each in given if has_operation(each) and not free_letters(each)]
    if _OTHERWISE.search(text):
        return
    if len(computed) != 1 or len(given) > _MOST_VALUES:
        if quoted is None:
            return
        computed = [quoted]
    others = [each for each in given if each is not computed[0] and len(given) <= _MOST_VALUES]
    if any(_are_equal(each, computed[0]) for each in others):
        return  # the computation was right, and the error is another one
    value = last.name_values()["c"]
    if not has_operation(value) and not free_letters(value):
        start, end = window[-1].places[place]
        yield Statement(sentence.source[start:end], [[claim(computed[0], value)]])


def _find_quoted(wording: Wording) -> Expr | None:
    """Return the computation in a sentence that gives it one other value; None: there is none."""
    values = [each for each in wording.values if not isinstance(each, Solutions)]
    if len(values) != 2 or " # = #" not in wording.text:
        return None
    one, other = values
    is_plain = has_operation(one) and not has_operation(other)
    is_wrong = is_plain and not free_letters(one) and not _are_equal(one, other)
    return one if is_wrong else None


def _check_denials(wording: Wording, sentence: Sentence) -> Iterator[Statement]:
    """Read `67 + 25 ne fait pas 82, mais 92`; `3 + 4 ≠ 8`; `18 n'est pas premier`."""
    for match in _CORRECTED.finditer(wording.text):
        values = Found(wording, match).name_values()
        if has_operation(values["a"]) and not free_letters(values["a"]):
            yield _state(wording, match, sentence, [claim(values["a"], values["c"])])
    for match in _DENIED.finditer(wording.text):
        values = Found(wording, match).name_values()
        if _are_equal(values["a"], values["b"]):
            why = "they are equal, and the text says that they are not"
            yield _state(wording, match, sentence, [Known("wrong", why)])
    for match in _LACKS.finditer(wording.text):
        if _has_property(Found(wording, match)):
            why = "it is, and the text says that it is not"
            yield _state(wording, match, sentence, [Known("wrong", why)])


def _state(
    wording: Wording, match: re.Match[str], sentence: Sentence, checks: list[Check]
) -> Statement:
    first, last = wording.find_values(*match.span())
    start, end = wording.places[first][0], wording.places[last - 1][1]
    return Statement(sentence.source[start:end], [[*checks]])


def _are_equal(one: Expr, other: Expr) -> bool:
    try:
        left, right = evaluate(one), evaluate(other)
    except Undecidable:
        return False
    is_like = left.unit.dimensions == right.unit.dimensions
    return is_like and left.number * left.unit.size == right.number * right.unit.size


def _has_property(found: Found) -> bool:
    values = found.name_values()
    kind = found["kind"]
    try:
        if found["coprime"]:
            return math.gcd(whole(values["c"]), whole(values["d"])) == 1
        value = whole(values["a"])
        other = whole(values["b"]) if "b" in values else 0
        is_known = kind in ("premier", "prime") and is_prime(value)
    except Undecidable:
        return False
    if kind.startswith(("multiple", "divisible")):
        return bool(other) and value % other == 0
    if kind.startswith(("diviseur", "divisor", "factor")):
        return bool(value) and other % value == 0
    is_known |= kind in ("pair", "even") and value % 2 == 0
    return is_known or (kind in ("impair", "odd") and value % 2 == 1)


def read_conclusions(sentence: Sentence) -> Iterator[Statement]:
    """Yield the conclusion of `Comme 64 ≠ 61, le triangle est rectangle` and of `0 = 0, donc
    l'équation n'a aucune solution`, which are wrong."""
    text = sentence.text
    if (found := _ALWAYS.search(text)) and not _SUPPOSED.search(text):
        yield Statement(found[0], [[Known("wrong", "0 = 0 holds for all values")]])
    never = _NEVER.search(text)
    if never and not _NEGATED.search(never["rest"]) and not _SUPPOSED.search(text):
        yield Statement(never[0], [[Known("wrong", "0 is no such number: there is no solution")]])
    if "≠" not in text and "\\ne" not in text:
        return
    found = _UNEQUAL.search(text)
    claim = _CLAIM.search(found["rest"]) if found else None
    if found is None or claim is None or not _CONCLUDES.search(found["rest"]):
        return
    if _OTHER_REASON.search(text) or _UNEQUAL.search(text, found.start("rest")):
        return
    is_of_vectors = claim["what"].startswith(("colin", "orthog"))
    if found["to"] == "0" and not is_of_vectors:
        return
    if claim["what"] == "paralleles" and not _SLOPES.search(fold(sentence.source)):
        return
    said = found[0][: found[0].find(claim[0]) + len(claim[0])]
    yield Statement(said, [[Known("wrong", "the inequality before says that it is not so")]])


def read_contradictions(sentence: Sentence) -> Iterator[Statement]:
    """Yield the conclusion of `Les résultats sont égaux, donc le triangle n'est pas rectangle`,
    which is wrong, as is its opposite."""
    text = sentence.text
    if "ega" not in text and "equal" not in text and "differen" not in text:
        return
    for premise, conclusion in ((_ARE_EQUAL, _IS_NOT), (_ARE_UNEQUAL, _IS)):
        found = premise.search(text)
        said = conclusion.search(text, found.end()) if found else None
        if found is None or said is None or not _CONCLUDES.search(text[found.end() : said.end()]):
            continue
        rest = text[: found.start()] + text[said.end() :]
        if not disowns(rest) and not _SUPPOSED.search(text):
            why = "the words before say the opposite"
            yield Statement(text[found.start() : said.end()], [[Known("wrong", why)]])


_COMPARED: Final = (
    r"\b(?:resultats|quotients|rapports|produits(?: en croix)?|carres|valeurs|results|ratios"
    r"|products|values)(?: (?:obtenus|trouves|deux|en croix))*"
)
_ARE_EQUAL: Final = re.compile(
    rf"{_COMPARED} (?:sont|are)(?: (?:{THEN}|tous|toutes|all|les deux))*"
    r" (?:egaux|egales|equal)\b"
)
_ARE_UNEQUAL: Final = re.compile(
    rf"{_COMPARED} (?:(?:ne sont|are)(?: {THEN})? (?:pas|not)(?: (?:tous|toutes|all))?"
    r" (?:egaux|egales|equal)|(?:sont|are) different\w*)\b"
)
_SHAPE: Final = (
    r"(?:(?:un |a )?(?:triangle )?rectangle|(?:un )?(?:tableau (?:de )?)?proportionn\w+"
    r"|une situation de proportionnalite|paralleles|(?:a )?right[- ]angled|proportional|parallel)\b"
)
_IS: Final = re.compile(rf"\b(?:est|sont|is|are) (?:(?:bien|donc|indeed) )*{_SHAPE}")
_IS_NOT: Final = re.compile(
    rf"\b(?:(?:n'est|ne sont) (?:(?:donc|bien) )?pas|is not|are not|isn't|aren't) {_SHAPE}"
)
