"""Read the words of a sentence that decide what its statements mean: a scale, a rounding, a count.

Texts here are folded: without accents and capitals.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from bot.maths.reading.number_words import fold
from bot.maths.reading.prose import Sentence

_NEW: Final = re.compile(
    r"\b(?:exemples?|exercices?|examples?|exercises?|soit l'equation|resou\w*|resol\w*|solve"
    r"|solving|on considere|considerons|consider|cas (?:plus )?simple|semblable|similaire|simpler"
    r"|similar)\b"
)
_TASK: Final = re.compile(
    r"^\W*(?:\w+ :? ?){0,3}(?:(?:comment|how (?:do|can|to|would) ?\w*) (?:peut-on |on |we |you )?"
    r"(?:resou|resol|factoris|developp|calcul|trouv|determin|deriv|etudi|simplif|solve|factor|expand"
    r"|find|differentiate|compute)"
    r"|(?:quel(?:le)?s? (?:est|sont)|what (?:is|are)|what's|find|cherchons) (?:les? |la |l'|the )?"
    r"(?:\w+ ){0,2}?(?:solution|racine|derivee|domaine|ensemble|image|antecedent|limite|primitive"
    r"|signe|variation|roots?|derivative|domain|range|limit))"
)
"""The beginning of a question that gives a task with the equation or function in it."""
_SCALE: Final = re.compile(r"\b(?:echelle|carte|plan|scale|map|represent\w*|maquette)\b")
_NEGATIVES: Final = re.compile(r"\b(?:pour|si|quand|lorsque|for|if|when) \$?[a-z] ?(?:<|≤|<=) ?0")
_SCORE: Final = re.compile(
    r"\b(?:scores?|matchs?|match|victoires?|defaites?|nul|but|buts|goals?|penalt\w+|wins?|draw)\b"
)
_GRADES: Final = re.compile(
    r"\b(?:notes?|points?|baremes?|copies?|devoirs?|interros?|bravo|obtenu|obtiens|eu|marks?|grades?"
    r"|scored?|test|quiz|total)\b"
)
_COUNT: Final = re.compile(
    r"\b(?:(?:n'(?:a|admet|possede) (?:donc |alors )?(?P<none>aucune|pas de)"
    r"|(?:a|admet|possede|has) (?:donc |alors |exactement |exactly )*"
    r"(?:(?P<one>(?:une )?seule|une? unique|pour (?:seule|unique)|exactement une|a single|a unique"
    r"|one)"
    r"|(?P<two>deux|two)|(?P<three>trois|three)|(?P<no>no)))"
    r"(?: distinct| real| reelles?| distinctes?)? solutions?)\b"
    r"(?! (?:confondu|entier|positi|negati|compl))"
)
_COUNTS: Final = {"none": 0, "no": 0, "one": 1, "two": 2, "three": 3}
_NARROWED: Final = re.compile(
    r"\b(?:complexes?|entiers?|entieres?|positi\w+|negati\w+|dans [cnz]|sur|intervalle|longueur"
    r"|distance|age|mesure|si|if|quand|lorsqu\w+|when|peut|can|may)\b|[ℕℤℚℂ<>≤≥\[\]]"
)
"""Words that exclude some real solutions, or restrict the statement to one case."""
_DONC: Final = re.compile(r"\b(?:donc|so|therefore)\b")
_CONCLUDES: Final = re.compile(r"^ *(?:l'|cette |th(?:e|is) )equation\b")
_CASES_OF: Final = re.compile(
    r"\b(?:sinon|otherwise)\b|\bcases\b|\b(?:si|if|lorsque) \$?[a-z]\$? ?(?:[<>≤≥≠=∈]|\\[lgni])"
)
_ROUNDED: Final = re.compile(
    r"\barrondi\w*|\barrondir\b|\bround\w*|\bto the nearest\b|\bto \d+ (?:d\.?p|decimal|s\.?f)"
    r"|\b(?:dixieme|centieme|millieme|unite|centime|franc|\d) pres\b|valeurs? approchees?"
)


@lru_cache(maxsize=64)
def says(pattern: re.Pattern[str], text: str) -> bool:
    """Return whether a text has these words. What was found last is kept: a sentence is asked for
    each of its equations."""
    return bool(pattern.search(text))


def asks_task(sentence: Sentence) -> bool:
    """Return whether a sentence asks to do something with what it gives: `comment résoudre 2x + 3 =
    7 ?`, `quelle est la dérivée de f(x) = x² ?`"""
    return sentence.tokens[-1].text == "?" and says(_TASK, sentence.text)


def is_piecewise(sentence: Sentence) -> bool:
    """Return whether a sentence defines a function by cases: `f(x) = 1/x si x > 0 et x² sinon`."""
    return says(_CASES_OF, sentence.text)


@lru_cache(maxsize=4)
def find_named_letters(sentence: Sentence) -> frozenset[str]:
    """Return the letters to which a sentence gives a value: h in `10h/2 = 24, h = 4,8`. What was
    found last is kept, as in `says`."""
    tokens = sentence.tokens
    return frozenset(
        token.text
        for at, token in enumerate(tokens[:-1])
        if token.kind == "name"
        and tokens[at + 1].text == "="
        and (at == 0 or tokens[at - 1].kind not in ("number", "operator", "power", "close"))
    )


def find_count(sentence: Sentence) -> tuple[int, int] | None:
    """Return how many real solutions a sentence states, and the place of this in its text; None: it
    states no number."""
    found = _COUNT.search(sentence.text)
    if not found or _NARROWED.search(sentence.text):
        return None
    if found["one"] and found["one"].startswith("pour") and _NARROWED.search(fold(sentence.source)):
        return None
    return _COUNTS[found.lastgroup or ""], found.start()


def concludes(sentence: Sentence, section: str) -> bool:
    """Return whether a sentence with a number of solutions is about the equation before it, and not
    about one of several cases of its section."""
    if _DONC.search(sentence.text):
        return True
    numbers = {found.lastgroup for found in _COUNT.finditer(section)}
    return len(numbers) == 1 and says(_CONCLUDES, sentence.text)


def is_scale(sentence: Sentence) -> bool:
    """Return whether units stand for other units, as on a map."""
    return says(_SCALE, sentence.text)


def is_rounded(sentence: Sentence, previous: Sentence | None) -> bool:
    """Return whether the words say that a result is rounded: `(arrondi au centime)`."""
    before = previous.text if previous and previous.block == sentence.block else ""
    return says(_ROUNDED, sentence.text) or says(_ROUNDED, before)


def is_of_negatives(sentence: Sentence) -> bool:
    """Return whether a sentence is about negative values of a letter: `pour x < 0`."""
    return says(_NEGATIVES, sentence.text)


def is_score(sentence: Sentence) -> bool:
    """Return whether a sentence is about a match, in which `2-0` is no difference."""
    return says(_SCORE, sentence.text)


def is_graded(sentence: Sentence) -> bool:
    """Return whether a sentence is about marks: `Ta note : 4 + 3 = 7/10`."""
    return says(_GRADES, sentence.text)


def begins_anew(sentence: Sentence) -> bool:
    """Return whether another exercise begins."""
    return says(_NEW, sentence.text)
