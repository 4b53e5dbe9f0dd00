"""Read the claims in words about numbers, in one sentence or together with those before it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from bot.maths.checks.claims import Claim, find_claims
from bot.maths.checks.stated_facts import Facts
from bot.maths.checks.stated_forms import has_call
from bot.maths.exact.algebra_questions import Check, Pair, Statement
from bot.maths.exact.expression import free_letters
from bot.maths.reading.notation import Doubt, Reading
from bot.maths.reading.prose import Sentence
from bot.maths.reading.wording import Wording, join, write

_CONCLUDES: Final = re.compile(
    r" (?:[=≈:]|est|sont|is|are|soit|valent|vaut|fait|font|donne\w*|gives|donc|alors|so|then"
    r"|reste\w*|left|mesure\w*|dur\w+|lasts?|took|cout\w*|costs?|pai\w+|pay\w+|represente\w*|chacun\w*"
    r"|obtien\w*|trouv\w*|correspond\w*|contien\w*|faut|now|maintenant|a|y|rend\w*|parcourt"
    r"|covers?|augment\w*|baiss\w*|recoi\w*|prend\w*|etai\w*|devien\w*|consomm\w*"
    r"|rempli\w*|vid\w+|rayon) "
)
"""A word of a result; a sentence without one concludes nothing from the one before."""


class WordedSentence:
    """A sentence whose wordings are kept for the sentences after it."""

    def __init__(self, sentence: Sentence) -> None:
        self.sentence = sentence
        self._written: dict[Reading, Wording] = {}

    def write(self, reading: Reading = frozenset()) -> Wording:
        if reading not in self._written:
            self._written[reading] = write(self.sentence, reading)
        return self._written[reading]


def _has_colon(sentence: Sentence, *, is_label: bool = False) -> bool:
    """Return whether a colon with a space beside it may be punctuation.

    Args:
        is_label: whether it must be, because the space is only after it: `to 300: 50/250`.
    """
    return any(
        one.text == ":"
        and (
            other.is_spaced and not one.is_spaced if is_label else one.is_spaced or other.is_spaced
        )
        for one, other in pairwise(sentence.tokens)
    )


class WordedClaims:
    """Remembers the last two sentences of a block.

    Args:
        facts: the functions that are known.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._before: list[WordedSentence] = []

    def begin_block(self) -> None:
        """Forget the sentences before."""
        self._before = []

    def remember(self, worded: WordedSentence) -> None:
        """Note a sentence that is read."""
        self._before = [*self._before, worded][-2:]

    def read(self, worded: WordedSentence) -> Iterator[Statement]:
        """Yield claims in words about numbers, in this sentence or together with those before."""
        sentence = worded.sentence
        statements: dict[tuple[int, int], Statement] = {}
        readings: list[Reading] = [frozenset()]
        if any(token.other is not None for token in sentence.tokens):
            readings.append(frozenset(("thousands",)))
        sentences = [sentence, *(each.sentence for each in self._before)]
        if any(_has_colon(each) for each in sentences):
            as_mark = [frozenset[Doubt]((*each, "colon")) for each in readings]
            readings = as_mark if _has_colon(sentence, is_label=True) else [*readings, *as_mark]
        for reading in readings:
            for found in self._find_claims(worded, reading):
                resolved = [self._resolve_check(check) for check in found.checks]
                if None not in resolved:
                    text = sentence.source[found.start : found.end]
                    key = (found.start, found.rule)
                    statement = statements.setdefault(key, Statement(text))
                    statement.readings.append([each for each in resolved if each])
        yield from statements.values()

    def _find_claims(self, worded: WordedSentence, reading: Reading) -> list[Claim]:
        """Return the claims of the sentence, or else those of it with up to two before."""
        window = [worded.write(reading)]
        for previous in (None, *reversed(self._before)):
            if not window[-1].values or (previous and previous.sentence.is_disowned):
                return []
            if previous and not _CONCLUDES.search(window[-1].text):
                return []
            if previous:
                window.insert(0, previous.write(reading))
            wording = join(window)
            begin = len(wording.values) - len(window[-1].values)
            if found := list(find_claims(wording, begin=begin)):
                return found
        return []

    def _resolve_check(self, check: Check) -> Check | None:
        """Return the check with functions applied; None: one of them is not known."""
        if not isinstance(check, Pair):
            return check
        left, right = self._facts.resolve(check.left), self._facts.resolve(check.right)
        if has_call(left) or has_call(right) or free_letters(left) | free_letters(right):
            return None
        return Pair(left, check.relation, right)
