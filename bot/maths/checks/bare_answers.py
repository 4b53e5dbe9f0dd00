"""Check an answer by the computation that was asked for: `Combien font 7 × 8 ?`, `54`; or by the
one that its paragraph begins with: `Pour calculer 47 + 38, … Le résultat est donc 85.`"""

from __future__ import annotations

import re
from typing import Final

from bot.maths.exact.algebra_questions import Pair, Statement
from bot.maths.exact.expression import Apply, Expr, Quantity, Solutions, free_letters, has_operation
from bot.maths.reading.prose import Sentence
from bot.maths.reading.wording import Wording

_ASKS: Final = re.compile(
    r"(?:.{0,40}\b(?:combien(?: (?:font|fait|vaut|valent))?|calcul\w+|effectu\w+"
    r"|(?:que|qu est ce que) (?:vaut|valent|font|fait)|how much (?:is|are)|what (?:is|are)"
    r"|work out|compute))? # ?[?.:=]?"
)
"""A sentence that only asks for one computation."""
_ANSWERS: Final = re.compile(
    r"(?: [a-z ]{1,20} !)?(?: (?:donc|alors|so|eh bien))?(?: ?,)?"
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
            return None
        if asked is None or is_question or sentence.is_disowned:
            return None
        if not _ANSWERS.fullmatch(wording.text):
            return None
        number = value.number if isinstance(value, Quantity) else value
        start, end = wording.places[0]
        return Statement(sentence.source[start:end], readings=[[Pair(asked, "=", number)]])


_TOPIC: Final = re.compile(
    r"^(?:[^#%@.]*\b(?:pour(?: (?:calculer|faire|trouver|additionner|soustraire|multiplier|diviser"
    r"|effectuer))?|to (?:find|compute|calculate|work out|do|add|multiply)"
    r"|let s (?:check|do|compute|calculate|add|work out)|calculons|calcule|verifions|effectuons)"
    r"(?: (?:de|le|la|the|:))*|[^#%@]{0,25}) (?P<a>#) ?(?:[,:.]|$)"
)
"""A sentence that begins the computation of one value."""
_RESULT: Final = re.compile(
    r"\b(?:le (?:resultat|total)(?: final)?|the (?:result|total|final answer))"
    r"(?: (?:est|vaut|is|=|:|donc|bien|so))+ #(?: [.!])?$"
)
_TOTAL: Final = re.compile(
    r"^(?: (?:le|the|so|donc))? total (?:est|:|=|is|vaut|de)(?: (?:donc|bien|de))* #(?: [.!])?$"
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
