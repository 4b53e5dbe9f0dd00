"""State the answer to a question about times of day: when something ends, how long it lasts, what
time it will be. Pure.
"""

from __future__ import annotations

import re
from typing import Final

from bot.maths.questions.question_sentences import Asked
from bot.maths.reading.number_words import fold
from bot.maths.reading.plain_words import write_plainly

_CLOCK: Final = r"(?P<{0}h>\d{{1,2}}) ?(?:h(?:eures?)?|:) ?(?P<{0}m>\d{{2}})?(?! ?[ap]\.?m)\b"
_LENGTH: Final = (
    r"(?:(?P<h>\d{1,2}) ?(?:heures?|hours?|h)(?: (?:et|and))? ?)?"
    r"(?:(?P<m>\d{1,3}) ?(?:minutes?|min|mn)?\b)?"
)
_IT_IS: Final = re.compile(
    rf"\b(?:il est|it is) {_CLOCK.format('a')}[^\d]*"
    r"\b(?:quelle heure sera-t-il|what time will it be)\b"
)
_FROM_CLOCK: Final = re.compile(
    rf"\b(?:quelle heure (?:est|sera|etait)-il|what time (?:is|was|will) it(?: be)?) {_LENGTH} ?"
    rf"(?P<side>apres|avant|after|before) {_CLOCK.format('a')}"
)
_LATER: Final = re.compile(rf"\b(?:dans|apres|in|after) {_LENGTH}$")
_BEGINS: Final = (
    r"\b(?:commen\w+|debut\w+|part(?:ent|ons)?|quitte\w*|sort(?:ent)?|starts?|begins?|leaves?)"
    r"\b[^\d.?!]{0,40}?(?:a|at) "
)
_LASTS: Final = re.compile(
    rf"{_BEGINS}{_CLOCK.format('a')}[^\d]{{0,40}}?\b(?:dure\w*|lasts?|pendant|for|met|takes?) "
    rf"(?P<length>{_LENGTH})"
)
_ENDS: Final = re.compile(
    r"\b(?:fini\w*|termin\w*|arriv\w*|ends?|finish\w*|over)\b.*\b(?:quelle heure|what time)\b"
    r"|\b(?:quelle heure|what time)\b.*\b(?:fini\w*|termin\w*|arriv\w*|ends?|finish\w*|over)\b"
)
_FROM_TO: Final = re.compile(
    rf"{_BEGINS}{_CLOCK.format('a')}[^\d]{{0,60}}?\b(?:arriv\w*|fini\w*|termin\w*|revien\w*|rentr\w*"
    rf"|ends?|finish\w*)\b[^\d.?!]{{0,40}}?(?:a|at) {_CLOCK.format('b')}"
)
_HOW_LONG: Final = re.compile(r"\bcombien de temps\b|\bduree\b|\bhow long\b|\bcombien de minutes\b")
_TIME: Final = re.compile(r"(?P<h>\d{1,2}) ?(?:h(?:eures?)?|:) ?(?P<m>\d{2})?(?: ?min)?")
_SHOWN_LENGTH: Final = re.compile(
    r"(?:(?P<h>\d{1,2}) ?(?:heures?|hours?|h)(?: (?:et|and))? ?)?"
    r"(?:(?P<m>\d{1,3}) ?(?:minutes?|min|mn)?)?"
)
_UNCLEAR: Final = re.compile(
    r"\b(?:midi|soir|matin|nuit|afternoon|evening|morning|night|pause|arret\w*|lendemain|demain"
    r"|retard|late|demie?|quart|half|quarter)\b|[ap]\.?m\b"
)
_WEEKDAY: Final = re.compile(
    r"\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)day)\b|\b\d{4}-\d\d-\d\d\b"
)
_DAY: Final = 24 * 60


def state_time(asked: Asked, answer: str) -> str:
    """Return that a time of day, or a length of time, is the answer; empty: none is asked."""
    text, sentence = write_plainly(fold(asked.whole)), write_plainly(fold(asked.sentence))
    if _UNCLEAR.search(text) or len({*_WEEKDAY.findall(text)}) > 1:
        return ""
    shown = fold(answer.strip())
    if (spans := _FROM_TO.search(text)) and _HOW_LONG.search(sentence):
        minutes = _count(spans["bh"], spans["bm"]) - _count(spans["ah"], spans["am"])
        return _state(minutes, _SHOWN_LENGTH.fullmatch(shown)) if minutes > 0 else ""
    if (lasts := _LASTS.search(text)) and _ENDS.search(sentence):
        minutes = _count(lasts["ah"], lasts["am"]) + _count(lasts["h"], lasts["m"])
        return _state(minutes % _DAY, _TIME.fullmatch(shown)) if lasts["length"] else ""
    if (found := _FROM_CLOCK.search(sentence)) and (found["h"] or found["m"]):
        length = _count(found["h"], found["m"])
        is_after = found["side"] in ("apres", "after")
        minutes = _count(found["ah"], found["am"]) + (length if is_after else -length)
        return _state(minutes % _DAY, _TIME.fullmatch(shown))
    now, later = _IT_IS.search(text), _LATER.search(sentence)
    if now is None or later is None or not (later["h"] or later["m"]):
        return ""
    minutes = _count(now["ah"], now["am"]) + _count(later["h"], later["m"])
    return _state(minutes % _DAY, _TIME.fullmatch(shown))


def _state(minutes: int, shown: re.Match[str] | None) -> str:
    if (
        shown is None
        or not (shown["h"] or shown["m"])
        or (shown["h"] and int(shown["m"] or 0) >= 60)
    ):
        return ""
    return f"{minutes} min = {_count(shown['h'], shown['m'])} min"


def _count(hours: str | None, minutes: str | None) -> int:
    return int(hours or 0) * 60 + int(minutes or 0)
