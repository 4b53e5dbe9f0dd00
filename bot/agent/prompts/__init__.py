"""Prompts are files beside this module; here they are put together.

The stable part comes first and is the same to the byte for everyone in a mode, so that providers'
prompt caches hit; what is the person's own follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from bot.messages import Person

_FOLDER = Path(__file__).parent
_LANGUAGES = {"fr": "French", "en": "English"}


@cache
def read(name: str) -> str:
    """The prompt file `name.md`, without its outer blank lines."""
    return (_FOLDER / f"{name}.md").read_text(encoding="utf-8").strip()


def system_prompt(person: Person, facts: Sequence[str]) -> str:
    """The first message of every model call for this person."""
    mode = "guest" if person.is_guest else person.mode
    return "\n\n".join((read("identity"), read(mode), _about(person, facts)))


def _about(person: Person, facts: Sequence[str]) -> str:
    language = _LANGUAGES.get(person.language, person.language)
    lines = [f"Language: answer in {language} unless the person writes in another."]
    if person.name:
        lines.append(f"Name: {_one_line(person.name)}")
    if person.grade:
        lines.append(f"Grade: {_one_line(person.grade)}")
    if person.country:
        lines.append(f"Country: {person.country}")
    if facts:
        lines.append("What they asked you to remember:")
        lines.extend(f"- {_one_line(fact)}" for fact in facts)
    return "# The person\n" + "\n".join(lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:500]
