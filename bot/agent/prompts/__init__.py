"""Prompts are files, a folder for each language; here their layers are put together.

What is the same for everyone comes first, then what is the same for a mode, a band of school and
a channel, then the person, and last the day and the hour. So it stays the same to the byte between
the turns of a conversation, and providers' prompt caches hit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Literal

from bot.agent.prompts.bands import Band, band_of
from bot.agent.prompts.files import LANGUAGES, fill, folder_of, one_line, read
from bot.messages import Channel, Mode, Person
from bot.zones import find_zone

__all__ = [
    "MAX_FACT",
    "MAX_FACTS",
    "Band",
    "band_of",
    "one_line",
    "read",
    "system_prompt",
]

MAX_FACT = 500
"""Characters of one remembered fact that the model is shown."""
MAX_FACTS = 4_000
"""Characters of all of them together."""
_MAX_NAME = 80
_MAX_OTHER = 40
_HOME = "Africa/Abidjan"
_Role = Mode | Literal["guest"]


def system_prompt(person: Person, facts: Sequence[str], now: datetime) -> str:
    """The first message of every model call for this person, on `person.channel`.

    It changes with the hour, the profile and the facts only. Nothing in the profile or the facts
    can add a line or a section to it. Of the facts it holds the newest, at most `MAX_FACT`
    characters of each and `MAX_FACTS` in all, in the order given, each on one line. The hour is
    that of where the person is (Abidjan's if `person.timezone` is not a zone).

    Args:
        facts: what they asked to be remembered, oldest first.
        now: with a time zone.
    """
    folder = folder_of(person.language)
    role = "guest" if person.is_guest else person.mode
    band = band_of(person.grade) if role == "child" else "other"
    shared = _shared(folder, role, band, person.channel)
    about, hour = _about(folder, person), _hour(folder, person, now)
    return "\n\n".join((shared, about, *_memory(folder, facts), hour))


@cache
def _shared(folder: str, role: _Role, band: Band, channel: Channel) -> str:
    """What everyone in the same role, band and channel is told in a language."""
    school = ("subjects", band) if role == "child" else ()
    names = ("identity", "safety", role, *school, channel)
    return "\n\n".join(read(f"{folder}/{name}") for name in names)


def _about(folder: str, person: Person) -> str:
    values = {
        "language": LANGUAGES.get(person.language) or one_line(person.language, _MAX_OTHER),
        "name": one_line(person.name, _MAX_NAME),
        "grade": one_line(person.grade, _MAX_OTHER),
        "country": one_line(person.country, _MAX_OTHER),
    }
    return fill(read(f"{folder}/person"), values)


def _hour(folder: str, person: Person, now: datetime) -> str:
    zone = find_zone(person.timezone)
    name = _HOME if zone is UTC else person.timezone  # it has kept UTC since 1912
    local = now.astimezone(zone)
    values = {"day": _format_day(local, folder), "hour": f"{local:%H}", "zone": name}
    return fill(read(f"{folder}/hour"), values)


def _memory(folder: str, facts: Sequence[str]) -> tuple[str, ...]:
    """The section of remembered facts; none where there are none."""
    lines = [f"- {fact}" for fact in _newest(facts)]
    if not lines:
        return ()
    return (fill(read(f"{folder}/memory"), {"facts": "\n".join(reversed(lines))}),)


def _newest(facts: Sequence[str]) -> Iterator[str]:
    """Facts from the newest back, while they fit."""
    left = MAX_FACTS
    for fact in reversed(facts):
        line = one_line(fact, MAX_FACT)
        left -= len(line)
        if left < 0:
            return
        if line:
            yield line


def _format_day(moment: datetime, language: str) -> str:
    from babel.dates import format_datetime  # imported on first use: babel is slow to load

    return format_datetime(moment, "EEEE d MMMM y", locale=language)
