"""Check a bare answer by the computation that was asked for: `Combien font 7 × 8 ?`, `54`."""

from __future__ import annotations

import re
from typing import Final

from bot.maths.expression import Expr, Quantity, Solutions, free_letters, has_operation
from bot.maths.prose import Sentence
from bot.maths.questions import Pair, Statement
from bot.maths.wording import Wording

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
