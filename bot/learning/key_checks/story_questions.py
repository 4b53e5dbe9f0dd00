"""Decide which word problems can be read with their answer as one text, without a
misreading. Pure.

The checker of mathematics takes a text's numbers for those of its claim. A question with numbers of
another meaning (a time of day, a part that is not asked for, workers who share work) stays
undecided.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from bot.learning.key_checks.question_sentences import Asked

_I: Final = re.IGNORECASE
_LONGEST: Final = 500
"""Most characters of a story."""
_MOST_NUMBERS: Final = 6
_NUMBER: Final = re.compile(r"\d+(?:[ .,:/]\d+)*")
_CLOCK: Final = re.compile(r"\bà \d+ ?h\b|\d ?h ?\d\d|\d:\d\d|\b\d+ ?(?:[ap]\.?m\b|o'clock)")
_CLOCK_HOUR: Final = re.compile(r"\b(?:à|at|de|from|to|until|entre|et) (\d+) ?[h:]")
_TIMED: Final = re.compile(r"\dh|\d ?(?:h|min)\b|:")
_DIE: Final = re.compile(
    r"\b(?:un|a) (?:seul |fair |six-sided |balanced |normal )*(?P<die>dé|die)\b"
    r"(?: [ée]quilibré| non truqué| cubique| normal| à (?:six|6) faces)*",
    _I,
)
_SEVERAL_DICE: Final = re.compile(
    r"\b(?:fois|twice|times|deux|two|trois|three|pip[ée]|loaded|biased)\b", _I
)
_MORE_THAN: Final = re.compile(r"\bde (?:plus|moins)\b|\b(?:more|less|fewer)\b", _I)
_TOGETHER: Final = re.compile(
    r"\b(?:ensemble|en tout|au total|à eux|total|together|altogether|in all)\b", _I
)
_SHAPE: Final = re.compile(
    r"\b(?:(?<!triangle )rectang(?:le|ulaire)|square|cercle|circ|disque|triang|losange|cube|cylind"
    r"|c[ôo]ne|sph[èe]re|boule|trap[èe]ze|carr[ée]e?s?(?= d[e'’]| |$))",
    _I,
)
_LEFT: Final = re.compile(r"\breste\w*|\bleft\b|\bremain\w*", _I)
_PART: Final = re.compile(r"\d ?/ ?\d|\\[dt]?frac|%")
_NEGATED: Final = re.compile(
    r"\bn['’]|\b(?:ne|pas|sans|sauf|not|without|except|contraire|autre que)\b", _I
)
_UNKNOWN: Final = re.compile(
    r"\b(?:ce nombre|l['’]autre|this number|the number|the other|initial\w*"
    r"|d[ée]part|origin\w*|avant|before|at first)\b",
    _I,
)
"""Words for what a story began with."""
_SHARED_WORK: Final = re.compile(
    r"\b(?:ouvri(?:er|[èe]re)|ma[çc]on|peintre|machine|robinet|pompe|tracteur|imprimante|worker"
    r"|builder|painter|pump|tap|tractor|printer)s?\b",
    _I,
)
"""Those that take less time when they are more."""
_PHYSICS: Final = re.compile(
    r"\b[ée]chos?\b|\bechoes\b|\b(?:en d[ée]rivation|en parall[èe]le|in parallel)\b|\bk?Wh\b", _I
)
"""Words of laws that no product or quotient of a story tells: a way there and back, a voltage that
each branch has in full, energies and their price."""
_LAST_VALUE: Final = re.compile(
    r"(?P<noun>.*[^\W\d].*\b(?:de|du|des|d'|entre|et|à|dans|par|of|and|in|between) ?)"
    r"(?P<rest>[^a-zà-ÿ]*\d.* est .*)$",
    _I,
)
_SAME: Final = re.compile(
    r"\b(?:valeurs?|[ée]critures?|formes?|fractions?|r[ée]sultat|notation|d[ée]cimale?s?"
    r"|[ée]quivalente?|value|result|form|decimal|percentage|pourcentage)\b",
    _I,
)
"""Nouns that name the same number: `l'écriture décimale de 3/4`."""


def is_unclear(asked: Asked) -> bool:
    """Return whether a question denies something, or is about work that is shared."""
    whole = " ".join((*asked.before, asked.sentence))
    return bool(_NEGATED.search(asked.sentence) or _SHARED_WORK.search(whole))


def is_readable(asked: Asked, answer: str) -> bool:
    """Return whether what a question tells can stand before the statement of its answer."""
    story, sentence = " ".join(asked.before), asked.sentence
    numbers = len(_NUMBER.findall(story))
    hours = [int(each) for each in _CLOCK_HOUR.findall(story)]
    shapes = {each[:4].lower() for each in _SHAPE.findall(f"{story} {sentence}")}
    is_part = numbers > 2 or len(_PART.findall(story)) > 1
    misread = (
        _CLOCK.search(story) and not _TIMED.search(answer),
        hours != sorted(hours),  # until the next day
        _UNKNOWN.search(sentence),
        _PHYSICS.search(f"{story} {sentence}"),
        "hypot" in story and "hypot" not in sentence,  # a leg is asked
        len(shapes) > 1,
        is_part and _LEFT.search(sentence),
        _MORE_THAN.search(story) and _TOGETHER.search(sentence),
    )
    return 0 < numbers <= _MOST_NUMBERS and len(story) <= _LONGEST and not any(misread)


def name_die(asked: Asked) -> Asked:
    """Return a question about chance with its one fair die as the checker knows it."""
    whole = " ".join((*asked.before, asked.sentence))
    die = _DIE.search(whole)
    if die is None or "probab" not in asked.sentence or _SEVERAL_DICE.search(whole):
        return asked
    name = "un dé" if die["die"] == "dé" else "a die"
    sentence = _DIE.sub(name, asked.sentence)
    return replace(asked, sentence=sentence if name in sentence else f"{sentence} avec {name}")


def leave_noun(said: str) -> str:
    """Return `3/5 est 3` of `le numérateur de 3/5 est 3`; empty: there is no noun, or it may be
    left out like `valeur`."""
    found = _LAST_VALUE.match(said)
    return "" if found is None or _SAME.search(found["noun"]) else found["rest"]
