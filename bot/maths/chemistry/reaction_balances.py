"""Check that equations of reactions are balanced.

A text may lead to a balanced equation by steps: an equation is decided only if none after it has
its species, and if the text does not say that it is to be completed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from bot.maths.chemistry.chemical_formulas import Reaction, find_reactions
from bot.maths.exact.algebra_questions import Known, Statement
from bot.maths.reading.prose import Sentence

_BALANCED: Final = re.compile(
    r"(?<!pas )(?<!plus )(?<!non )(?<!not )(?<!encore )(?<!si elle est )"
    r"\b(?:equilibree?|balanced|ajustee?)\b(?! (?:si|if|par|with|avec)\b)"
)
"""Words that call an equation balanced."""
_NOT_BALANCED: Final = (
    r"\b(?:non|pas|plus|n est|not|isn t|aren t|never)"
    r"(?: encore| bien| tout a fait| yet| correctement| du tout)* (?:equilibr|balanc|ajust|conserv)"
    r"|\bdesequilibr|\bunbalanced"
)
_DENIED: Final = re.compile(
    rf"{_NOT_BALANCED}|\b(?:squelette|skeleton|brute|incomplete?|provisoire|sans coefficients?"
    r"|without coefficients?|(?:ton|ta|votre|your|sa|his|her) (?:equation|reponse|proposition|bilan"
    r"|essai|answer|attempt)|tu (?:as|proposes|ecris)|you (?:wrote|have))\b"
)
"""Words beside an equation that is not balanced on purpose, or that is another person's."""
_TO_BALANCE: Final = re.compile(
    r"\b(?:a|pour|afin d|de|faut|reste|to|comment|how to|essaie d) ?(?:l |les? )?"
    r"(?:equilibrer|ajuster|balance|completer|complete)\b|\b(?:equilibre|balance) (?:l|the|cette)\b"
)
"""Words beside an equation that is still to be balanced."""
_LEFT_OPEN: Final = re.compile(
    rf"{_NOT_BALANCED}|\b(?:a toi|your turn|a ton tour|continue|termine|complete|finis|finish"
    r"|corrige|recommence|trop d\w*|too many|too few|pas assez|not enough|erreur|mistake|faux"
    r"|fausse|wrong|oups|oops)\b"
)
"""Words after an equation that leave its balance to the reader, or deny it."""
_OPEN_STEP: Final = re.compile(
    r"\b(?:reste|manque|faut|faudrait|besoin|needs?|essaie|essaye|try|combien|how many"
    r"|quels?|quelles?|which|compte"
    r"|trouve|passe|maintenant|now|ensuite|next|still|remain\w*|left to|equilibre|balance)\b"
)
_STEP_WORDS: Final = re.compile(
    r"\b(?:atomes?|atoms?|coefficients?|oxygene|hydrogene|carbone|oxygen|hydrogen|carbon|elements?"
    r"|charges?|cotes?|gauche|droite|left|right|equilibr\w+|balanc\w+)\b"
)
"""Words of a step that is still to be done; both kinds stand in one sentence."""
_PLAIN: Final = re.compile(r"[^\w?:]+")
_ITSELF: Final = re.compile(r"\b(?:elle|equation|cette|celle ci|it|this)\b")


def read_reactions(answered: Sequence[Sentence]) -> Iterator[Statement]:
    """Yield the checks of the reactions in the sentences of an answer."""
    found = [
        (at, reaction)
        for at, sentence in enumerate(answered)
        for reaction in find_reactions(get_source(sentence))
    ]
    words = [write_words(sentence) for sentence in answered] if found else []
    for place, (at, reaction) in enumerate(found):
        later = found[place + 1 :]
        is_step = any(_leads_to(reaction, other) for _, other in later)
        if answered[at].is_disowned or is_step:
            continue
        fault = reaction.find_fault()
        end = next((each for each, _ in later if each > at), len(words))
        if fault and _is_open(reaction, words[:end], at):
            continue
        source = get_source(answered[at])
        text = reaction.text if reaction.text in source else source.strip()
        yield Statement(text, [[Known("wrong" if fault else "right", fault)]])


def get_source(sentence: Sentence) -> str:
    """Return a sentence as it is written."""
    return sentence.source[sentence.tokens[0].start : sentence.tokens[-1].end]


def write_words(sentence: Sentence) -> str:
    """Return the words of a sentence without accents and marks, but for colons and `?`."""
    return _PLAIN.sub(" ", sentence.text).strip()


def _leads_to(step: Reaction, later: Reaction) -> bool:
    """Return whether a later equation has all species of a step."""
    left, right = step.names()
    more_left, more_right = later.names()
    return left <= more_left and right <= more_right


def _is_open(reaction: Reaction, words: Sequence[str], at: int) -> bool:
    """Return whether an equation that is not balanced may be meant so: only species are named, or
    it is a step, or the task of the reader."""
    is_announced = at > 0 and words[at - 1].endswith(":")
    before = " ".join(words[at - is_announced : at + 1])
    if _DENIED.search(before) or any(map(_leaves_open, words[at + 1 :])):
        return True
    is_plain = reaction.is_bare and not reaction.has_electrons
    return is_plain and (bool(_TO_BALANCE.search(before)) or not _claims_balance(words, at))


def _leaves_open(words: str) -> bool:
    """Return whether a sentence after an equation leaves its balance to the reader."""
    is_step = _STEP_WORDS.search(words) and (_OPEN_STEP.search(words) or "?" in words)
    return bool(is_step or _LEFT_OPEN.search(words))


def _claims_balance(words: Sequence[str], at: int) -> bool:
    """Return whether the sentence of an equation, its announcement or the one after says that it is
    balanced."""
    after = words[at + 1] if at + 1 < len(words) else ""
    before = words[at - 1] if at else ""
    named = (before if before.endswith(":") else "", words[at], after)
    is_same = _ITSELF.search(after) or not after
    return any(_BALANCED.search(each) for each in (named if is_same else named[:2]))
