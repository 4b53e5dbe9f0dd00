"""Recognise dates, times of day and durations in texts in plain notation. Pure."""

from __future__ import annotations

import re
from typing import Final

from bot.maths.reading.number_words import DAY_NAME, MONTH_NAME

MONTH: Final = rf"(?:{MONTH_NAME})\b"
_DAY: Final = rf"(?:{DAY_NAME}),?"
_DATE_BEFORE: Final = re.compile(
    rf"\b{_DAY} (?:le |the )?$|\b{MONTH} (?:the )?$|\d{{1,2}}(?:er)? {MONTH} $"
    r"|(?<!\d)\d{1,2} ?(?:h|heures?) ?$|(?<!\d)\d{1,2}/$|(?<!\d)\d{4}-(?:\d{1,2}-)?$"
)
_CLOCK_BEFORE: Final = re.compile(r"(?<![\d:])\d{1,2}:$")
_DATE_AFTER: Final = re.compile(
    rf"(?:er|th|st|nd|rd)? (?:of )?{MONTH}(?=\W*(?:\d|[.,;!?\n]|$| a | at ))"
    r"|:[0-5]\d(?!\d)| ?h ?[0-5]\d(?!\d)|/\d{1,2}/(?:\d{2}|\d{4})(?!\d)|-\d{1,2}-\d{1,2}(?!\d)"
)
_HOUR: Final = re.compile(r" ?(?:h|heures?|am|pm|o'clock|a\.m\.|p\.m\.)(?![a-z])")
_AT_HOUR: Final = re.compile(
    r"\b(?:a|des|vers|avant|apres|jusqu'a|il (?:est|etait|sera)|rendez-vous|at|by|from|until|till"
    r"|to|before|after|it is|it's|starts|begins|de|entre|between"
    rf"|demain|aujourd'hui|matin|soir|midi|tomorrow|today|tonight|{_DAY}),?"
    r"(?: environ| deja| presque)? $"
)
_TIME_UNIT: Final = (
    r" ?(?:h|heures?|hours?|min|mn|minutes?|s|secondes?|seconds?|jours?|days?|semaines?|weeks?"
    r"|mois|months?|ans|years?)\b"
)
_LASTS: Final = re.compile(
    rf"{_TIME_UNIT} (?:pour|avant|restante?s?|de (?:pause|temps)|to|left|before)\b"
)
_LASTED: Final = re.compile(
    r"\b(?:dans|pendant|durant|en|toutes les|apres|as|avez|ai|aura[si]|prends|attends|il y a|depuis"
    r"|d'ici|sous|in|within|for|every|after|have|take|wait)(?: environ| encore| moins de| about)? $"
)
_DURATION: Final = re.compile(_TIME_UNIT)
_SAID_AS_ANSWER: Final = re.compile(
    r"\b(?:reponse|resultat|solution|answer|result|inconnue|valeur)\b[^.!?\n]{0,40}$"
)
_ASKS_TIME: Final = re.compile(
    r"\b(?:combien de temps|how long|dur(?:e|ent|era)"
    r"|heures?|horaires?|durees?|minutes?|secondes?|date|jours?|mois|annees?|siecles?|quand"
    rf"|hours?|time|days?|months?|years?|when|o'clock|{MONTH}|{_DAY})\b|\d ?h\b|\d:\d\d"
)


def asks_time(statement: str) -> bool:
    """Return whether an exercise, in plain notation, is about times or dates."""
    return bool(_ASKS_TIME.search(statement))


def is_date_or_time(plain: str, start: int, end: int) -> bool:
    """Return whether a number is part of a date, a time of day or a delay, and not said as an
    answer."""
    before, after = plain[max(0, start - 60) : start], plain[end : end + 24]
    if _SAID_AS_ANSWER.search(before):
        return False
    is_minute = end - start == 2 and _CLOCK_BEFORE.search(before)
    is_dated = is_minute or _DATE_BEFORE.search(before) or _DATE_AFTER.match(after)
    is_duration = _LASTS.match(after) or (_DURATION.match(after) and _LASTED.search(before))
    return bool(is_dated or is_duration or (_HOUR.match(after) and _AT_HOUR.search(before)))
