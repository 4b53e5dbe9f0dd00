"""What the demo's tutor can teach: lessons beside this module, each in French and in English."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

Language = Literal["fr", "en"]
FOLDER: Final = Path(__file__).parent
FIRST: Final = "fractions"
"""The lesson of somebody who has named none."""


class Question(msgspec.Struct, frozen=True):
    """A quiz's question, its fields those of the tool's arguments."""

    question: str
    options: tuple[str, ...]
    correct_index: int
    explanation: str


class Lesson(msgspec.Struct, frozen=True):
    """A topic in one language: a lesson to read, questions to ask, a sheet to keep (Markdown)."""

    title: str
    keywords: tuple[str, ...]
    """Beginnings of words that name the topic, as `fold` writes them."""
    filename: str
    lesson: str
    sheet: str
    quizzes: tuple[Question, ...]


class Phrases(msgspec.Struct, frozen=True):
    """What the tutor says beside its lessons (Markdown)."""

    intro: str
    identity: str
    unknown: str
    """To what is in no lesson; `tries` follow, as they do after the next four."""
    unseen: str
    """To a photo that is not the demo's own."""
    unheard: str
    """To a voice note without words."""
    greeting: str
    thanks: str
    tries: tuple[str, ...]
    """Three things that can be asked, word for word; the page makes buttons of them."""
    solution: str
    """The answer to the demo's own photo of an exercise."""
    reminder: str
    """What to remind of where nothing was named."""
    reminder_set: str
    quiz_asked: str
    sheet_made: str
    remembered: str
    known: str
    nothing_known: str
    failed: str
    no_tools: str
    words: tuple[str, ...]
    """By which the language is recognised, as `fold` writes them."""


@cache
def lessons() -> dict[str, dict[Language, Lesson]]:
    """All topics by name, each in every language."""
    return {path.stem: _read(path, Lesson) for path in sorted((FOLDER / "lessons").glob("*.toml"))}


@cache
def phrases(language: Language) -> Phrases:
    return _read(FOLDER / "phrases.toml", Phrases)[language]


def find_topic(text: str) -> str | None:
    """The name of the topic that `text` is about, in whatever language; None if it is none."""
    words = re.findall(r"\w+", fold(text))
    for name, versions in lessons().items():
        keywords = tuple(word for lesson in versions.values() for word in lesson.keywords)
        if any(word.startswith(keywords) for word in words):
            return name
    return None


def fold(text: str) -> str:
    """The text in lower case and without accents, as people type it on a phone."""
    decomposed = unicodedata.normalize("NFD", text.lower().replace("’", "'"))
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def _read(path: Path, kind: type[Any]) -> Any:
    return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), dict[Language, kind])
