"""What is handed to the programs that make pages, and how it is put together from arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal

import msgspec

from bot.library.image_worker import DocumentImage
from bot.messages import Person
from bot.texts import say
from bot.zones import find_zone

Template = Literal["report", "lesson", "exercise", "letter"]
ALERTS: Final = {
    "NOTE": "Note",
    "TIP": "Tip",
    "IMPORTANT": "Important",
    "WARNING": "Warning",
    "CAUTION": "Caution",
}
"""What a quote that begins with `[!NOTE]` is headed by."""
NOT_SHOWN: Final = "Picture not shown"
NOT_DRAWN: Final = "Diagram as text"
NOTES: Final = "Notes"
BACK: Final = "Back to the text"
WORDS: Final = (
    *("Contents", "Answers", "Name", "Class", "Date", "Subject", "Page"),
    *ALERTS.values(),
    *(NOT_SHOWN, NOT_DRAWN, NOTES, BACK),
)
_SAMPLE = 20_000
"""Characters by which the language is known."""
_ENGLISH = re.compile(r"\b(?:the|and|of|is|are|to|with|for|this|that|you|from)\b", re.IGNORECASE)
_FRENCH = re.compile(r"\b(?:le|la|les|des|et|est|une|du|pour|dans|que|avec|sur)\b", re.IGNORECASE)
_FEW = 5


class Manuscript(msgspec.Struct, frozen=True):
    """A text, and how it is to look."""

    title: str
    content: str
    language: str = "fr"
    """In which it is set: `fr` or `en`."""
    date: str = ""
    """As it is printed."""
    template: Template = "report"
    words: dict[str, str] = {}
    """What the page itself says, by what it says in English."""
    images: dict[str, DocumentImage] = {}
    """By source; see `bot.library.document_images`."""

    def encode(self) -> bytes:
        return msgspec.json.encode(self)


def decode(request: bytes) -> Manuscript:
    return msgspec.json.decode(request, type=Manuscript)


def compose(
    title: str,
    content: str,
    person: Person,
    *,
    template: Template = "report",
    images: Mapping[str, DocumentImage] | None = None,
) -> Manuscript:
    """A manuscript for a person, dated today where the person lives."""
    language = guess_language(content, person.language)
    return Manuscript(
        title=" ".join(title.split()),
        content=content,
        language=language,
        date=_format_date(datetime.now(find_zone(person.timezone)), language),
        template=template,
        words={word: say(language, word) for word in WORDS},
        images=dict(images or {}),
    )


def guess_language(content: str, usual: str) -> str:
    """`en` or `fr` where the text is clearly in one of them, else `usual`."""
    sample = content[:_SAMPLE]
    english, french = len(_ENGLISH.findall(sample)), len(_FRENCH.findall(sample))
    if english > _FEW and english > 2 * french:
        return "en"
    if french > _FEW and french > 2 * english:
        return "fr"
    return usual if usual in ("fr", "en") else "fr"


def _format_date(day: datetime, language: str) -> str:
    from babel.dates import format_date  # imported on first use: babel is slow to load

    written = format_date(day, "d MMMM y", locale=language)
    return re.sub(r"^1 ", "1er ", written) if language == "fr" else written
