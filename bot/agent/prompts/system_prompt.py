"""Read the prompt files, which have a folder for each language, and join their layers.

The text that is the same for everyone comes first, then that for a mode, a band of school and a
channel, then the person, and last the day and the hour. So the beginning stays the same to the byte
between the turns of a conversation, and providers' prompt caches hit.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from bot.i18n import DEFAULT_LANGUAGE, find_zone
from bot.messages.channels import Channel
from bot.messages.incoming import Person
from bot.messages.value import Mode
from bot.practice.grades import SchoolBand, find_school_band

MAX_FACT = 500
"""Characters of one remembered fact that are shown to the model."""
MAX_FACTS = 4_000
"""Characters of all facts together that are shown to the model."""
_MAX_NAME = 80
_MAX_OTHER = 40
_HOME = "Africa/Abidjan"
_Role = Mode | Literal["guest"]


def build_system_prompt(
    person: Person,
    facts: Sequence[str],
    now: datetime,
    skills: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Build the first message of every model call for this person, on `person.channel`.

    It changes only with the hour, the profile, the facts and the skills. Nothing in the profile or
    the facts can add a line or a section to it. It holds the newest facts, at most `MAX_FACT`
    characters of each and `MAX_FACTS` in all, in the order given, each on one line. The hour is
    local to the person (Abidjan's if `person.timezone` is not a zone).

    Args:
        facts: facts that the person asked us to remember, oldest first.
        now: with a time zone.
        skills: the skills of a pupil, by the gaps of the file `skills.md`; empty: not known.
    """
    folder = choose_folder(person.language)
    role = "guest" if person.is_guest else person.mode
    band = find_school_band(person.grade) if role == "child" else "other"
    sections = [_shared(folder, role, band, person.channel), _about(folder, person)]
    if person.in_group:
        sections.append(read_prompt(f"{folder}/group"))
    if newest := list(_newest(facts)):
        listed = "\n".join(f"- {fact}" for fact in reversed(newest))
        sections.append(fill_template(read_prompt(f"{folder}/memory"), {"facts": listed}))
    if any(skills.values()):
        sections.append(fill_template(read_prompt(f"{folder}/skills"), skills))
    sections.append(_hour(folder, person, now))
    return "\n\n".join(sections)


@cache
def _shared(folder: str, role: _Role, band: SchoolBand, channel: Channel) -> str:
    """Build the part of the prompt that all people of the same role, band and channel share."""
    school = ("subjects", band) if role == "child" else ()
    names = ("identity", "safety", role, *school, channel)
    return "\n\n".join(read_prompt(f"{folder}/{name}") for name in names)


def _about(folder: str, person: Person) -> str:
    values = {
        "language": LANGUAGES.get(person.language) or to_prompt_line(person.language, _MAX_OTHER),
        "name": to_prompt_line(person.name, _MAX_NAME),
        "grade": to_prompt_line(person.grade, _MAX_OTHER),
        "country": to_prompt_line(person.country, _MAX_OTHER),
    }
    return fill_template(read_prompt(f"{folder}/person"), values)


def _hour(folder: str, person: Person, now: datetime) -> str:
    from babel.dates import format_datetime  # imported on first use: babel is slow to load

    zone = find_zone(person.timezone)
    name = _HOME if zone is UTC else person.timezone  # Abidjan has kept UTC since 1912
    local = now.astimezone(zone)
    day = format_datetime(local, "EEEE d MMMM y", locale=folder)
    values = {"day": day, "hour": f"{local:%H}", "zone": name}
    return fill_template(read_prompt(f"{folder}/hour"), values)


def _newest(facts: Sequence[str]) -> Iterator[str]:
    """Yield facts, newest first, as long as they fit into `MAX_FACTS`."""
    left = MAX_FACTS
    for fact in reversed(facts):
        line = to_prompt_line(fact, MAX_FACT)
        left -= len(line)
        if left < 0:
            return
        if line:
            yield line


_folders = [Path(__file__).parent]
"""Folders that are searched for prompt files, in this order."""
LANGUAGES: Mapping[str, str] = {"fr": "français", "en": "English"}
"""Languages that have a folder of prompts, and each language's own name."""


@cache
def read_prompt(name: str) -> str:
    """Read the prompt file `name.md` (`fr/child`, say), without its outer blank lines."""
    paths = [folder / f"{name}.md" for folder in _folders]
    path = next((each for each in paths if each.is_file()), paths[-1])
    return path.read_text(encoding="utf-8").strip()


@contextmanager
def use_prompts(folder: Path) -> Generator[None]:
    """Use the files of `folder` in place of our own in this process while the context is open.

    The folder holds only those that differ, such as `fr/child.md`.
    """
    _folders.insert(0, folder)
    _forget_prompts()
    try:
        yield
    finally:
        _folders.remove(folder)
        _forget_prompts()


def list_prompts(folder: Path) -> list[str]:
    """Return the names of the files in `folder` that replace built-in ones."""
    own = _folders[-1]
    return [
        name.removesuffix(".md")
        for path in sorted(own.rglob("*.md"))
        if (folder / (name := path.relative_to(own).as_posix())).is_file()
    ]


def _forget_prompts() -> None:
    read_prompt.cache_clear()
    _shared.cache_clear()


def choose_folder(language: str) -> str:
    """Return the folder with the prompts for `language`, or the default one."""
    return language if language in LANGUAGES else DEFAULT_LANGUAGE


def fill_template(template: str, values: Mapping[str, str]) -> str:
    """Fill the `{gaps}` of `template`; a line whose gap has no value is left out.

    Braces in values are plain text.
    """
    empty = tuple(f"{{{name}}}" for name, value in values.items() if not value)
    lines = (line for line in template.splitlines() if not any(gap in line for gap in empty))
    return "\n".join(lines).format_map(values)


def to_prompt_line(text: str, most: int) -> str:
    """Return at most `most` characters on one line, without unprintable ones."""
    words = " ".join(text.split())[:most]
    return "".join(char for char in words if char.isprintable()).strip()
