"""Turn an untrusted file into chunks of text to store. Runs as an isolated worker."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import msgspec

from bot.errors import ToolFailed
from bot.files.search_terms import index_words

if TYPE_CHECKING:
    from bot.files.column_totals import ColumnTotals

PROGRAM = __name__
MOST_CHARACTERS = 2_000_000
"""Characters of a file that are read."""


class FileHead(msgspec.Struct):
    """Name and claimed type of the file."""

    filename: str
    mime_type: str


class Outcome(msgspec.Struct):
    """Outcome of the extraction."""

    state: Literal["kept", "refused", "scanned"]
    """`scanned`: a PDF without text."""
    reason: str = ""
    cut: bool = False


class Piece(msgspec.Struct, array_like=True):
    """A `Chunk` with the words for the full-text search."""

    body: str
    overlap: int
    place: str
    words: str


def encode_request(filename: str, mime_type: str, content: bytes) -> bytes:
    """Encode the request for `serve`."""
    named = FileHead(filename.encode(errors="replace").decode(), mime_type)
    return msgspec.json.encode(named) + b"\n" + content


def decode_answer(given: bytes) -> tuple[Outcome, list[Piece]]:
    """Decode the answer of `serve`. It takes milliseconds, so do not call it on the event loop."""
    head, *lines = given.split(b"\n")
    return msgspec.json.decode(head, type=Outcome), [_PIECE.decode(line) for line in lines]


def serve(request: bytes) -> bytes:
    """Answer with a line of JSON for the outcome, and one for each chunk of the text."""
    head, _, content = request.partition(b"\n")
    named = msgspec.json.decode(head, type=FileHead)
    try:
        text, is_cut = _extract(named, content)
    except ToolFailed as refusal:
        return _encode(Outcome("refused", str(refusal)))
    if not text:
        return _encode(Outcome("scanned"))
    lines = [_encode(Outcome("kept", cut=is_cut)), *map(_encode, _split(named, text))]
    return b"\n".join(lines)


_TOTALS_SECONDS = 13.0
"""Seconds after which no more rows are read for totals alone; a file may take `READ_SECONDS`."""
_LEAST_WITH_TOTALS = 2_000
"""Characters from which a table begins with its totals: about thirty rows."""


def _extract(named: FileHead, content: bytes) -> tuple[str, bool]:
    from bot.files.column_totals import ColumnTotals  # here, so that only the worker loads them
    from bot.files.text_formats import read_text_of

    end, totals = time.monotonic() + _TOTALS_SECONDS, ColumnTotals()
    pieces = read_text_of(content, named.mime_type, named.filename, totals)
    text, is_cut = take_characters(pieces, MOST_CHARACTERS)
    if is_cut and totals.has_tables:
        _read_rest(pieces, totals, end)
    if len(text) > _LEAST_WITH_TOTALS and (columns := totals.describe()):
        text = f"{columns}\n\n{text}"
    text = clean_text(text)
    if not text.strip() and not content.startswith(b"%PDF-"):
        raise ToolFailed(
            "There is no text in the file: perhaps its pages are pictures (a scan). Ask for a "
            "photo of the page in question, or for the text itself."
        )
    return text, is_cut


def _read_rest(pieces: Iterator[str], totals: ColumnTotals, end: float) -> None:
    """Read the rest of a table for its totals alone, until `end` or as far as it is intact."""
    try:
        for _ in pieces:
            if time.monotonic() > end:
                totals.stop()
                break
    except ToolFailed:
        totals.stop()


def _split(named: FileHead, text: str) -> Iterator[Piece]:
    """Yield the chunks; the words of the first include the file's name."""
    name = named.filename
    for chunk in split_into_chunks(text):
        yield Piece(chunk.body, chunk.overlap, chunk.place, index_words(f"{name} {chunk.body}"))
        name = ""


CHUNK_LENGTH = 900
"""Characters of a chunk, without its overlap."""
_LEAST = 450
_OVERLAP = 150
_ENDS = (
    re.compile(r"\n\n"),
    re.compile(r"\n|[.!?…؟。！？]['\"»”’)]?\s"),
    re.compile(r"\s"),
)
"""Places to cut, the best first."""
_MARK = re.compile(r"^\[((?:page|slide) \d{1,6}|sheet [^\n]{1,60})\]$", re.MULTILINE)
"""The line that readers write at the beginning of a page, a slide or a sheet."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a text."""

    body: str
    """At most 1,050 characters."""
    overlap: int
    """Number of characters at its beginning that repeat the end of the chunk before; without them,
    all chunks together are the text."""
    place: str
    """Page, slide or sheet where it begins: `page 3`. Empty: the text names none."""


def split_into_chunks(text: str) -> Iterator[Chunk]:
    """Yield the chunks of a text, in order; none if it is empty."""
    place, begin = "", 0
    while begin < len(text):
        end = _find_end(text, begin)
        start = _find_overlap(text, begin)
        if mark := _MARK.match(text, begin):
            place = mark[1]
        yield Chunk(text[start:end], begin - start, place)
        place = find_place(text[begin:end], end - begin) or place
        begin = end


def find_place(text: str, position: int) -> str:
    """Return the page, slide or sheet of `position` in the text; empty if the text names none."""
    place = ""
    for mark in _MARK.finditer(text):
        if mark.start() > position:
            break
        place = mark[1]
    return place


def _find_end(text: str, begin: int) -> int:
    """Find the end of the chunk that begins at `begin`: the last good place in its second half."""
    if len(text) - begin <= CHUNK_LENGTH:
        return len(text)
    for ends in _ENDS:
        last = 0
        for found in ends.finditer(text, begin + _LEAST, begin + CHUNK_LENGTH):
            last = found.end()
        if last:
            return last
    return begin + CHUNK_LENGTH


def _find_overlap(text: str, begin: int) -> int:
    """Find the start of the chunk's overlap: the start of a sentence, else of a word."""
    for ends in _ENDS[1:]:
        for found in ends.finditer(text, max(0, begin - _OVERLAP), begin):
            if found.end() < begin:
                return found.end()
    return begin


_TORN = re.compile(r"[\x02\ufffe\xad]\r?\n")
"""A hyphen at the end of a line, as PDFium marks it, or a soft hyphen."""
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    r"\ufeff\ufff9-\ufffc\ufffe\uffff\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Control characters, lone surrogates, and characters that hide or reverse text."""
_BREAK = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_GAP = re.compile(r"\n{3,}")
_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\xa0": " "}
)


def clean_text(text: str) -> str:
    """Normalise `text` to NFC, with plain line breaks and no invisible characters."""
    text = _BREAK.sub("\n", _TORN.sub("", text))
    text = unicodedata.normalize("NFC", _INVISIBLE.sub("", text).translate(_LIGATURES))
    lines = "\n".join(line.rstrip() for line in text.split("\n"))
    return _GAP.sub("\n\n", lines).strip("\n")


def take_characters(pieces: Iterable[str], most: int) -> tuple[str, bool]:
    """Return the first `most` characters of the pieces, and whether there are more. Only as many
    pieces as needed are consumed."""
    taken: list[str] = []
    left = most
    for piece in pieces:
        taken.append(piece[:left])
        if len(piece) > left:
            return "".join(taken), True
        left -= len(piece)
    return "".join(taken), False


_PIECE = msgspec.json.Decoder(Piece)
_encode = msgspec.json.encode
