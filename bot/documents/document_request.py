"""Define the requests and answers of the workers that make documents and pictures."""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal

import msgspec

from bot.i18n import find_zone, say, write_day
from bot.messages.incoming import Person

Template = Literal["report", "lesson", "exercise", "letter"]
ALERTS: Final = {
    "NOTE": "Note",
    "TIP": "Tip",
    "IMPORTANT": "Important",
    "WARNING": "Warning",
    "CAUTION": "Caution",
}
"""Headings of quotes that begin with `[!NOTE]` and the like."""
LINKABLE: Final = ("http://", "https://", "mailto:")
"""Beginnings of the addresses that become links; others stay text."""
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
"""Characters from which the language is guessed."""
_ENGLISH = re.compile(r"\b(?:the|and|of|is|are|to|with|for|this|that|you|from)\b", re.IGNORECASE)
_FRENCH = re.compile(r"\b(?:le|la|les|des|et|est|une|du|pour|dans|que|avec|sur)\b", re.IGNORECASE)
_FEW = 5


class PageRequest(msgspec.Struct, frozen=True):
    """A text for a PDF, a web page or a Word document, with its layout and language."""

    title: str
    """Printed above the text; empty: none."""
    content: str
    """Markdown."""
    language: str = "fr"
    """Language of its typography: `fr` or `en`."""
    date: str = ""
    """The date in the form in which it is printed; empty: none."""
    template: Template = "report"
    words: dict[str, str] = {}
    """Translations of the words that the page adds, by the English ones."""
    images: dict[str, DocumentImage] = {}
    """Pictures by source; see `bot.documents.images`."""
    name: str = ""
    """The name of a document without a title: the file's name without its ending."""


def make_page_request(
    title: str,
    content: str,
    person: Person,
    *,
    name: str = "",
    template: Template = "report",
    dated: bool = True,
    images: Mapping[str, DocumentImage] | None = None,
) -> PageRequest:
    """Make the request for a person's document, if it is dated with the day in their time zone."""
    language = guess_language(content, person.language)
    return PageRequest(
        title=" ".join(title.split()),
        content=content,
        name=name,
        language=language,
        date=write_today(person, language) if dated else "",
        template=template,
        words={word: say(language, word) for word in WORDS},
        images=dict(images or {}),
    )


def guess_language(content: str, usual: str) -> str:
    """Return `en` or `fr` if the text is clearly in one of them, else `usual`."""
    sample = content[:_SAMPLE]
    english, french = len(_ENGLISH.findall(sample)), len(_FRENCH.findall(sample))
    if english > _FEW and english > 2 * french:
        return "en"
    if french > _FEW and french > 2 * english:
        return "fr"
    return usual if usual in ("fr", "en") else "fr"


def get_locale(language: str) -> str:
    """Return the locale by which office programs check the spelling of a document."""
    return "en-GB" if language == "en" else "fr-FR"


def write_today(person: Person, language: str) -> str:
    """Return today's date in the person's time zone: `1er mars 2027`, `1 March 2027`."""
    day = datetime.now(find_zone(person.timezone)).date()
    return write_day(language, day, whole=True, with_year=True)


MOST_SHEETS: Final = 20
MOST_SHEET_COLUMNS: Final = 100
MOST_SHEET_ROWS: Final = 20_000
"""Most rows of one sheet."""
MOST_CELLS: Final = 300_000
"""Most cells of all sheets together."""


class SheetColumn(msgspec.Struct, frozen=True):
    header: str
    kind: str = ""
    """text, number, money, percent, date, formula; empty: each cell by its own type."""
    format: str = ""


class SheetChart(msgspec.Struct, frozen=True):
    kind: str
    """bar, column, line, pie, scatter."""
    x: str
    y: tuple[str, ...]
    """Headers of the columns that are drawn."""


class Sheet(msgspec.Struct, frozen=True):
    name: str
    columns: tuple[SheetColumn, ...]
    rows: list[list[Any]]
    totals: tuple[str, ...] = ()
    """Headers of the columns that are totalled."""
    chart: SheetChart | None = None


class WorkbookRequest(msgspec.Struct, frozen=True):
    title: str
    sheets: tuple[Sheet, ...]
    language: str = "fr"
    total: str = "Total"
    """The label of totals."""


MOST_SLIDES: Final = 60
MOST_BULLETS: Final = 40
MOST_TABLE_ROWS: Final = 120
"""Most rows of a table; more belong into a spreadsheet."""
MOST_TABLE_COLUMNS: Final = 12
MOST_SIDES: Final = 3
"""Most columns of points side by side."""
MOST_SERIES: Final = 6
MOST_CATEGORIES: Final = 40


class SlideSeries(msgspec.Struct, frozen=True):
    name: str
    values: tuple[float | None, ...]


class SlideChart(msgspec.Struct, frozen=True):
    kind: str
    """bar, line or pie."""
    categories: tuple[str, ...]
    series: tuple[SlideSeries, ...]


class Slide(msgspec.Struct, frozen=True):
    title: str
    bullets: tuple[str, ...] = ()
    table: tuple[tuple[Any, ...], ...] = ()
    """The first row is the header."""
    notes: str = ""
    columns: tuple[tuple[str, ...], ...] = ()
    """Points side by side."""
    chart: SlideChart | None = None
    picture: DocumentImage | None = None
    alt: str = ""
    """Description of the picture."""


class SlidesRequest(msgspec.Struct, frozen=True):
    title: str
    slides: tuple[Slide, ...]
    language: str = "fr"
    continued: str = "(suite)"
    """Added to the title of a slide that continues the one before."""


_ZIP: Final = b"PK\x03\x04"
_START: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip can store."""
_CORE: Final = "docProps/core.xml"
_DATE = re.compile(rb"<dcterms:(created|modified)\b[^>]*>[^<]*</dcterms:\1>")


class Document(msgspec.Struct, frozen=True):
    """A file, with notes for the model before it tells the person about the file."""

    content: bytes
    notes: tuple[str, ...] = ()
    """Plain sentences in English: what was cut, or could not be shown as intended."""

    def encode(self) -> bytes:
        """Encode the document for the process that asked for it, without its creation time, so that
        the same request makes the same file."""
        is_zip = self.content.startswith(_ZIP)
        content = _remove_dates(self.content) if is_zip else self.content
        return msgspec.msgpack.encode(msgspec.structs.replace(self, content=content))


def write_count(number: int, thing: str) -> str:
    """Return `1 formula` or `2 formulas`, for a note."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def quote_text(text: str) -> str:
    """Return `text` in quotes for a note, with its backslashes as they are."""
    mark = '"' if "'" in text else "'"
    return f"{mark}{text}{mark}"


def decode_document(answer: bytes) -> Document:
    """Decode the document that a worker has encoded."""
    return msgspec.msgpack.decode(answer, type=Document)


def _remove_dates(package: bytes) -> bytes:
    """Remove the dates of an office document (ISO/IEC 29500-2) and of its parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as source, zipfile.ZipFile(out, "w") as target:
        for entry in source.infolist():
            part = zipfile.ZipInfo(entry.filename, _START)
            part.compress_type = zipfile.ZIP_DEFLATED
            part.create_system = 0
            target.writestr(part, _remove_date(part.filename, source.read(entry)))
    return out.getvalue()


def _remove_date(name: str, content: bytes) -> bytes:
    if name.endswith(".xlsx"):  # the workbook behind a chart of a slide
        return _remove_dates(content)
    return _DATE.sub(b"", content) if name == _CORE else content


class ImageReference(msgspec.Struct, frozen=True):
    """A reference to a picture in a text."""

    source: str
    """The `src` of the parser's token."""
    alt: str = ""


LEAST_WIDTH: Final = 90.0
"""Least width of a picture in points."""


class DocumentImage(msgspec.Struct, frozen=True):
    """A picture for any kind of document: PNG or JPEG, upright, on white, without metadata, at most
    `MAX_SIDE` pixels wide and high and `MAX_COPY` bytes long."""

    content: bytes
    mime_type: str
    """`image/png` or `image/jpeg`."""
    width: int
    """Pixels."""
    height: int

    def fit(self, widest: float, tallest: float, *, dots_per_inch: int) -> tuple[float, float]:
        """Return width and height on paper in points, in the picture's proportions.

        Small pictures are enlarged to `LEAST_WIDTH`.
        """
        width = min(max(self.width * 72 / dots_per_inch, LEAST_WIDTH), widest)
        width = min(width, tallest * self.width / self.height)
        return width, width * self.height / self.width


# Protocol of the process that draws formulas and charts. Each message is a frame: four bytes with
# the length in network order, then as many bytes. A request is a JSON list of formulas or the JSON
# object of a chart; the answer is a PNG, or no bytes if nothing could be shown. The words of a
# chart are passed as JSON through `sys.inputs`, which Typst reads as text, so that nothing in them
# is code (https://typst.app/docs/reference/foundations/sys/).
LENGTH: Final = struct.Struct("!I")
READY: Final = b"ready\n"
"""Written by the process once its fonts are loaded and its limits are set."""


class Figure(msgspec.Struct, frozen=True):
    """A number in large letters, and what it counts."""

    number: str
    words: str


class ChartRow(msgspec.Struct, frozen=True):
    """One subject, or one skill."""

    name: str
    count: str
    percent: str
    share: int
    """Share of right answers, in percent."""


class Chart(msgspec.Struct, frozen=True):
    """All text and numbers of a progress chart, in the person's language."""

    language: str
    title: str
    figures: tuple[Figure, ...]
    """Two at most."""
    month: str
    most: str
    """Label of the highest bar."""
    empty: str
    """Text in place of bars, if there are none; else empty."""
    right: str
    wrong: str
    days: tuple[tuple[int, int], ...]
    """Right and wrong answers of each day, the oldest first."""
    dates: tuple[str, ...]
    """Labels under the bars, from left to right."""
    by_subject: str
    subjects: tuple[ChartRow, ...]
    by_skill: str = ""
    skill_summary: str = ""
    skills: tuple[ChartRow, ...] = ()
    """For each skill `percent` is its state in words, and `share` how well it is known."""
    following: str = ""
    """Heading of the skills to learn next."""
    next: tuple[str, ...] = ()
    """Names of skills to learn."""
