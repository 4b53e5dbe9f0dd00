"""Check positions, velocities and accelerations of one motion against each other."""

from __future__ import annotations

import re
from typing import Final

from bot.maths.exact.algebra_questions import Derivative
from bot.maths.exact.expression import Apply, Expr, Num, Quantity, Solutions, free_letters, walk
from bot.maths.reading.chains import Chain
from bot.maths.reading.cues import is_supposed
from bot.maths.reading.prose import Sentence
from bot.maths.reading.sentence_cues import begins_anew

_MOTION: Final = re.compile(
    r"\b(?:vitesses?|velocity|speed|accelerations?|mobile|mouvement|positions?|motion|particle)\b"
)
_POSITIONS: Final = frozenset("xyzdsh")
_TIME: Final = "t"
_SPEED: Final = "v"
_ACCELERATION: Final = "a"


class Motions:
    """The functions of time of the motion that a text speaks of."""

    def __init__(self) -> None:
        self._known: dict[str, Expr] = {}

    def check(self, chain: Chain, sentence: Sentence, section: str) -> Derivative | None:
        """Return the check of `v(t) = 6t - 2` after `x(t) = 3t² - 2t`, or of x after v; None: there
        is none. Keeps the function for those after it.

        Args:
            section: the words around, which have to speak of a motion.
        """
        name = _find_name(chain, sentence)
        body = chain.members[-1]
        if not name or isinstance(body, Solutions) or not _MOTION.search(section):
            return None
        if free_letters(body) - {_TIME} or chain.is_cut or is_supposed(chain, sentence):
            return None
        if begins_anew(sentence) or (name in self._known and self._known[name] != body):
            self._known = {}
        check = self._find(name, body)
        if free_letters(body) and not sentence.is_disowned:
            self._known.setdefault(name, body)
        return check

    def _find(self, name: str, body: Expr) -> Derivative | None:
        places = [each for each in self._known if each in _POSITIONS]
        if name in _POSITIONS:
            before, after = (body, self._known.get(_SPEED)) if not places else (None, None)
        elif name == _SPEED:
            before = self._known[places[0]] if len(places) == 1 else None
            after = body
            if not places and _ACCELERATION in self._known:
                before, after = body, self._known[_ACCELERATION]
        else:
            before, after = self._known.get(_SPEED), body
        if before is None or after is None or not _may_derive(after, before):
            return None
        return Derivative(before, after, _TIME)


def _find_name(chain: Chain, sentence: Sentence) -> str:
    """Return the name of the function of time that a chain begins with; empty: it begins with
    none."""
    tokens = sentence.tokens[chain.start : chain.start + 5]
    texts = [token.text for token in tokens]
    if texts[1:] != ["(", _TIME, ")", "="] or tokens[-1].is_word:
        return ""
    is_known = texts[0] in _POSITIONS or texts[0] in (_SPEED, _ACCELERATION)
    return texts[0] if is_known else ""


def _may_derive(claimed: Expr, function: Expr) -> bool:
    """Return whether `v(t) = …` gives a derivative, and is no equation such as `v(t) = 4`."""
    if free_letters(claimed):
        return True
    value = claimed.number if isinstance(claimed, Quantity) else claimed
    is_zero = isinstance(value, Num) and not value.value
    is_bent = any(isinstance(node, Apply) and node.op not in ("+", "-", "*", "neg", "/")
                  for node in walk(function))  # fmt: skip
    return not is_zero and not is_bent
