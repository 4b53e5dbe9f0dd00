"""Check the answer to a blank or a computation that was asked for: `17 + ? = 25. C'est 8.`

`Combien font 7 × 8 ?`, `54`; or the computation that a paragraph begins with: `Pour calculer 47 +
38, … Le résultat est donc 85.`
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from bot.maths.exact.algebra_questions import Pair, Statement
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Quantity,
    Solutions,
    apply,
    find_letters,
    free_letters,
    has_operation,
    number,
    substitute,
)
from bot.maths.reading.chain_members import MemberReader
from bot.maths.reading.number_words import fold
from bot.maths.reading.prose import Sentence
from bot.maths.reading.quantities import NotReadable
from bot.maths.reading.tokens import Token, read_digits
from bot.maths.reading.vocabulary import THEN
from bot.maths.reading.wording import Wording

# Bare answers -------------------------------------------------------------------------------------

_ASKS: Final = re.compile(
    r"(?:.{0,40}\b(?:combien(?: (?:font|fait|vaut|valent))?|calcul\w+|effectu\w+"
    r"|(?:que|qu est ce que) (?:vaut|valent|font|fait)|how much (?:is|are)|what (?:is|are)"
    r"|work out|compute))? # ?[?.:=]?"
)
"""A sentence that only asks for one computation."""
_ANSWERS: Final = re.compile(
    rf"(?: [a-z ]{{1,20}} !)?(?: (?:{THEN}|eh bien))?(?: ?,)?"
    r"(?: (?:(?:tu|on|nous|you|we) (?:obtiens|obtient|obtenons"
    r"|trouves?|trouvons|get|find)|(?:la|ta|the) (?:bonne )?(?:reponse|answer) (?:est|is)"
    r"|(?:le|the) (?:resultat|result) (?:est|is)|c est|(?:ca|cela) (?:fait|donne|vaut)|it is|it s"
    r"|that s|that is|egal))?(?: donc| bien)? #(?: [.!])?"
)
"""A sentence that only gives one value."""


_MOST_WORDS: Final = 3
"""Words of a sentence between the question and the answer: `Bien sûr !`."""


class BareAnswers:
    """Remembers the computation that the sentence before asked for."""

    def __init__(self) -> None:
        self._asked: Expr | None = None
        self._is_gap = False
        """Whether it is a difference that may be meant without its sign."""

    def read(self, wording: Wording, sentence: Sentence, *, is_question: bool) -> Statement | None:
        """Return what a sentence states as the answer to the one before it; None: nothing.

        Args:
            is_question: it is the person's, who may ask; else only the tutor's `Calculons` does.
        """
        asked, self._asked = self._asked, None
        if len(wording.values) != 1:
            is_short = not wording.values and len(wording.text.split()) <= _MOST_WORDS
            self._asked = asked if is_short else None
            return None
        [value] = wording.values
        if isinstance(value, Solutions) or free_letters(value):
            return None
        if has_operation(value):
            in_words = not wording.text.startswith(" #") and not sentence.is_disowned
            is_asked = (is_question or in_words) and _ASKS.fullmatch(wording.text)
            self._asked = value if is_asked else None
            self._is_gap = any(token.text == "gap" for token in sentence.tokens)
            return None
        if asked is None or is_question or sentence.is_disowned:
            return None
        if not _ANSWERS.fullmatch(wording.text):
            return None
        number = value.number if isinstance(value, Quantity) else value
        start, end = wording.places[0]
        readings = [asked, apply("abs", asked)] if self._is_gap else [asked]
        return Statement(
            sentence.source[start:end], readings=[[Pair(each, "=", number)] for each in readings]
        )


_TOPIC: Final = re.compile(
    r"^(?:[^#%@.]*\b(?:pour(?: (?:calculer|faire|trouver|additionner|soustraire|multiplier|diviser"
    r"|effectuer))?|to (?:find|compute|calculate|work out|do|add|multiply)"
    r"|let s (?:check|do|compute|calculate|add|work out)|calculons|calcule|verifions|effectuons)"
    r"(?: (?:de|le|la|the|:))*|[^#%@]{0,25}) (?P<a>#) ?(?:[,:.]|$)"
)
"""A sentence that begins the computation of one value."""
_RESULT: Final = re.compile(
    r"(?:\b(?:le (?:resultat|total)(?: final)?|the (?:result|total|final answer))"
    r"|^ (?:resultat|result|reponse|answer)(?: final\w*)?)"
    rf"(?: (?:{THEN}|est|vaut|is|=|:))+ #(?: [.!])?$"
)
_TOTAL: Final = re.compile(
    rf"^(?: (?:{THEN}|le|the))? total (?:est|:|=|is|vaut|de)(?: (?:{THEN}|de))* #(?: [.!])?$"
)
_PARTIAL: Final = re.compile(
    r"\b(?:intermediaire|partiel|provisoire|environ|about|presque|arrondi)"
)


class Conclusions:
    """Remembers the computation with which a paragraph begins."""

    def __init__(self) -> None:
        self._block = -1
        self._topic: Expr | None = None
        self._count = 0

    def read(self, wording: Wording, sentence: Sentence) -> Statement | None:
        """Return what the sentence concludes of the paragraph's computation; None: nothing."""
        if self._block != sentence.block:
            self._block, self._topic, self._count = sentence.block, None, 0
        if topic := self._find_topic(wording):
            self._count += 1
            self._topic = topic
        if self._topic is None or self._count > 1 or sentence.is_disowned:
            return None
        is_sum = isinstance(self._topic, Apply) and self._topic.op == "+"
        is_result = _RESULT.search(wording.text) or (is_sum and _TOTAL.search(wording.text))
        if not is_result or len(wording.values) != 1 or _PARTIAL.search(wording.text):
            return None
        value = wording.values[0]
        if isinstance(value, Solutions) or has_operation(value) or free_letters(value):
            return None
        start, end = wording.places[0]
        return Statement(sentence.source[start:end], [[Pair(self._topic, "=", value)]])

    def _find_topic(self, wording: Wording) -> Expr | None:
        found = _TOPIC.search(wording.text)
        if not found:
            return None
        value = wording.values[wording.find_values(*found.span("a"))[0]]
        if isinstance(value, Solutions) or free_letters(value) or not has_operation(value):
            return None
        return value


# Blanks -------------------------------------------------------------------------------------------

_BLANK: Final = re.compile(r"[?…□▢◻☐]|_{1,12}|\.{3,12}")
_NAME: Final = "blank"
"""The letter that stands for a blank."""
_ANSWER: Final = re.compile(
    r"(?P<lead>\W*(?:donc|alors|so|then|ainsi)?\W*)"
    r"(?P<cue>(?:(?:et )?(?:la|the) (?:bonne )?(?:reponse|answer)"
    r"|(?:le|the) (?:nombre|terme|facteur|missing|hidden)"
    r"(?: (?:manquant|cache|cherche|mystere|number|inconnu))?"
    r"|il (?:manque|faut)(?: mettre| ecrire)?|c'est|on (?:trouve|ecrit|met)|it's|it is|that's"
    rf"|we get)(?: (?:{THEN}|est|is|c'est))*[ :=]*)?"
    r"(?P<value>-?\d[\d\u00a0\u202f ]{0,12}(?:[.,]\d{1,6})?)\W*"
)
_FILLED: Final = re.compile(
    r"(?:^|[^\w+×÷*/=−-]) ?\*{0,2}[?□▢◻☐] ?= ?"
    r"(?P<value>-?\d[\d\u00a0\u202f ]{0,12}(?:[.,]\d{1,6})?)(?! ?[\d+×÷*/=−-])"
)
"""A sentence that names the number for the blank of the question: `? = 8`."""
_NAMED: Final = re.compile(
    r"\b(?:(?:nombre|terme|facteur) (?:manquant|qui manque|cache|cherche|mystere|inconnu)"
    r"|(?:missing|hidden|unknown) (?:number|factor|term))"
    rf"(?: (?:{THEN}|est|c'est|is|=|:))+ \**"
    r"(?P<value>-?\d[\d\u00a0\u202f ]{0,12}(?:[.,]\d{1,6})?)(?=\W*$)"
)
"""A sentence that names it in words: `Le nombre qui manque est 17`."""
_TRIED: Final = re.compile(r"\b(?:si|essa\w+|avec|quand|suppos\w+|if|try|with|pas)\W*$")
_KINDS: Final = frozenset(("number", "operator", "open", "close", "power"))


@dataclass(frozen=True, slots=True)
class _Equation:
    left: Expr
    right: Expr
    end: int
    """The place after it in the source."""


class Blanks:
    """Remembers the equation with a blank in the sentence before."""

    def __init__(self) -> None:
        self._asked: _Equation | None = None
        self._block = -1
        self._question: _Equation | None = None

    def read_question(self, sentence: Sentence) -> None:
        """Keep the blank of the question, which any sentence of the answer may fill."""
        self._question = _find_equation(sentence.tokens) or self._question

    def read(self, sentence: Sentence) -> Statement | None:
        """Return the answer that a sentence gives for its blank or that of the sentence before."""
        asked = self._asked if self._block == sentence.block else None
        self._asked, self._block = None, sentence.block
        found = _find_equation(sentence.tokens)
        end = sentence.tokens[-1].end
        if found:
            self._asked = found
            return _answer(found, sentence, found.end, end, is_same=True)
        if asked is None:
            return self._fill(sentence)
        return _answer(asked, sentence, sentence.tokens[0].start, end, is_same=False)

    def _fill(self, sentence: Sentence) -> Statement | None:
        """Return the answer to the question's blank: `on arrive à ? = 270`."""
        said = sentence.quote()
        found = _FILLED.search(said) or _NAMED.search(fold(said)) if self._question else None
        if found is None or self._question is None or _TRIED.search(fold(said[: found.start()])):
            return None
        if sentence.is_disowned:
            return None
        return _substitute(self._question, found["value"], found[0].strip())


def _answer(
    asked: _Equation, sentence: Sentence, start: int, end: int, *, is_same: bool
) -> Statement | None:
    said = fold(sentence.source[start:end])
    said = re.sub(r"^\W*[?…_□▢◻☐] ?=", "→", said) if is_same else said
    found = _ANSWER.fullmatch(said)
    is_stated = found is not None and (
        found["cue"] or re.search(r"[→⇒]|->|=>|donc|so", found["lead"])
    )
    if found is None or not is_stated or "?" in said:
        return None
    return _substitute(asked, found["value"], sentence.source[start:end].strip())


def _substitute(asked: _Equation, digits: str, said: str) -> Statement | None:
    token = read_digits(digits.strip().lstrip("-"), 0, 0)
    if token.value is None:
        return None
    value = number(token.value)
    value = apply("neg", value) if digits.startswith("-") else value
    sides = [substitute(side, {_NAME: value}) for side in (asked.left, asked.right)]
    return Statement(said, [[Pair(sides[0], "=", sides[1])]])


def _find_equation(tokens: Sequence[Token]) -> _Equation | None:
    """Return the equation around the first blank of a sentence; None: there is none, or several."""
    blanks = [at for at, token in enumerate(tokens) if _is_blank(token)]
    if not blanks:
        return None
    first = last = blanks[0]
    while first and _may_belong(tokens[first - 1]):
        first -= 1
    while last + 1 < len(tokens) and _may_belong(tokens[last + 1]):
        last += 1
    rest = [at for at in blanks[1:] if at <= last or tokens[at - 1].text not in ("→", "donc", "so")]
    if rest or sum(token.text == "=" for token in tokens[first : last + 1]) != 1:
        return None
    return _read_equation(tokens, first, last, blanks[0])


def _read_equation(tokens: Sequence[Token], first: int, last: int, blank: int) -> _Equation | None:
    while first <= last and tokens[first].text in (":", ")"):
        first += 1
    named = [
        msgspec.structs.replace(token, kind="name", text=_NAME, is_formula=True)
        if at == blank
        else token
        for at, token in enumerate(tokens[first : last + 1], first)
    ]
    reader = MemberReader(named)
    try:
        left = reader.read_sum()
        reader.expect("=")
        right = reader.read_sum()
    except NotReadable:
        return None
    letters = [*find_letters(left), *find_letters(right)]
    is_whole = reader.at == len(named) and letters == [_NAME]
    return _Equation(left, right, tokens[last].end) if is_whole else None


def _is_blank(token: Token) -> bool:
    return token.kind == "break" and bool(_BLANK.fullmatch(token.text))


def _may_belong(token: Token) -> bool:
    return token.kind in _KINDS or (token.text == "=" and token.kind == "relation")
