"""Leave out what a text explains with numbers of its own, which may have the solution by chance.

`Exemple : 52 - 25 = 27` gives nothing away where 45 - 18 is asked. An example begins with a word
that says so, has at least two numbers that the statement lacks beside the solution, and none that
makes the statement's task. It ends with its line, or where the text turns to the pupil again.
Pure.
"""

from __future__ import annotations

import re
from typing import Final

from bot.learning.leaks.reading import Reading
from bot.learning.plain_notation import fold

_MARK: Final = re.compile(
    r"exemples?\b|\bexamples?\b|\b(?:for|par) instance|\be\.g|\bimagin\w+|\bsuppos\w+|\bprenons\b"
    r"|\bautres? (?:\w+ ){0,2}?(?:calculs?|nombres?|cas|exercices?|questions?|problemes?|\w+ ?:)"
    r"|\b(?:with )?(?:an)?other (?:\w+ )?(?:numbers?|case|sum|one|problem|\w+ ?:)"
    r"|\bsi (?:tu avais|j'avais|on avait|c'etait)\b|\bif (?:you|it|we) (?:had|were)\b"
    r"|(?:^|[.!?\n] ?)\W{0,3}si (?!(?:tu|on|je|nous|vous|[a-z]|ca|la|le)\b|[jcl]')[^.!?\n]{1,120}="
    r"|(?:^|[.!?\n] ?)\W{0,3}(?:pour|for) [^.!?\n:]{3,60}=[^.!?\n:]{1,30}:"
    r"|\bsimilaire|\banalogue|\bressembl\w+|\bsimilar\b"
)
_ENDS_FIRST: Final = re.compile(
    r"\b(?:reponse|ton (?:exercice|calcul|resultat)|ta (?:question|solution)|answer|your)\b"
)
_ENDS: Final = re.compile(
    r"\b(?:reponse|resultat|solution|toi|ton|ta|tes|tu|vous|votre|notre|nos|ici|maintenant|meme"
    r"|aussi|egalement|pareil\w*|enonce|exercice|answer|you|yours?|our|here|now|same|also)\b"
)
"""Words by which a sentence behind an example is no longer about it."""
_SENTENCE: Final = re.compile(r"(?:[^.!?\n]|[.](?=\d))+(?:[.!?]+|\n|$)")
_TRIVIAL: Final = frozenset((0, 1, 2, 10, 90, 100, 180, 360, 1000))
"""Numbers that an example may share with any statement."""
_FUNCTION: Final = re.compile(r"(?<![a-z])([a-z])(?:_?\(?[nxt]\)?) ?=")
_FEWEST_OWN: Final = 2
_MOST: Final = 20
"""Examples that are looked for in a text."""


def leave_out_examples(text: str, statement: Reading, solutions: frozenset[float]) -> str:
    """Return a text with an ellipsis in place of each example with numbers of its own.

    Args:
        text: a text of the tutor.
        statement: the statement of the open exercise; without numbers it has no such examples.
        solutions: the values of the solution, which an example may have by chance.
    """
    given = {abs(each.value) for each in statement.literals}
    functions = {*_FUNCTION.findall(statement.plain)}
    if not given or not _MARK.search(fold(text)):
        return text
    shown: list[str] = []
    at = count = 0
    is_inside = False
    for found in _SENTENCE.finditer(text):
        sentence = found[0]
        is_inside = is_inside and "\n" not in text[at : found.start()]
        folded = fold(sentence)
        begins = bool(_MARK.search(folded)) and count < _MOST
        count += begins
        is_inside = (
            not _ENDS_FIRST.search(folded)
            and (
                _has_own_numbers(sentence, given, solutions)
                or _has_own_function(sentence, functions)
            )
            if begins
            else is_inside and not _ENDS.search(folded) and _continues(sentence, given - solutions)
        )
        shown += [text[at : found.start()], " … " if is_inside else sentence]
        is_inside = is_inside and not sentence.endswith("\n")
        at = found.end()
    return "".join((*shown, text[at:]))


def _has_own_numbers(sentence: str, given: set[float], solutions: frozenset[float]) -> bool:
    values = [abs(each.value) for each in Reading(sentence).literals]
    own = given - _TRIVIAL - solutions
    is_other = not own & {*values} if own else not given <= {*values}
    return is_other and sum(each not in given | solutions for each in values) >= _FEWEST_OWN


def _has_own_function(sentence: str, functions: set[str]) -> bool:
    """Return whether a sentence is about another function than the statement: `g(x) = 3x + 2`."""
    named = {*_FUNCTION.findall(Reading(sentence).plain)} if functions else set[str]()
    return bool(named) and not named & functions


def _continues(sentence: str, given: set[float]) -> bool:
    """Return whether a sentence has numbers, and none that only the statement has."""
    values = {abs(each.value) for each in Reading(sentence).literals}
    return bool(values) and not values & (given - _TRIVIAL)
