"""A program of the workshop: a stranger's file in, its text in chunks out, ready to be kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from bot.errors import ToolFailed
from bot.library.reading.chunks import cut
from bot.library.reading.cleaning import clean, gather
from bot.library.search.words import index_words

PROGRAM = __name__
MOST = 2_000_000
"""Characters of a file that are read."""


class Named(msgspec.Struct):
    """What the file was called, and what it is said to be."""

    filename: str
    mime_type: str


class Result(msgspec.Struct):
    """How it went."""

    state: Literal["kept", "refused"]
    reason: str = ""
    cut: bool = False


class Piece(msgspec.Struct, array_like=True):
    """A chunk, as `chunks.Chunk` has it, with the words that it is found by."""

    body: str
    overlap: int
    place: str
    words: str


def ask(filename: str, mime_type: str, content: bytes) -> bytes:
    """The request."""
    named = Named(filename.encode(errors="replace").decode(), mime_type)
    return msgspec.json.encode(named) + b"\n" + content


def answer(given: bytes) -> tuple[Result, list[Piece]]:
    """What `serve` gave. Some milliseconds of work: not for the event loop."""
    head, *lines = given.split(b"\n")
    return msgspec.json.decode(head, type=Result), [_PIECE.decode(line) for line in lines]


def serve(request: bytes) -> bytes:
    """A line of JSON says how it went, one more each chunk."""
    head, _, content = request.partition(b"\n")
    named = msgspec.json.decode(head, type=Named)
    try:
        text, is_cut = _read(named, content)
    except ToolFailed as refusal:
        return _encode(Result("refused", str(refusal)))
    lines = [_encode(Result("kept", cut=is_cut)), *map(_encode, _pieces(named, text))]
    return b"\n".join(lines)


def _read(named: Named, content: bytes) -> tuple[str, bool]:
    from bot.library.reading.forms import read  # the readers' libraries, in the child only

    text, is_cut = gather(read(content, named.mime_type, named.filename), MOST)
    text = clean(text)
    if not text.strip():
        raise ToolFailed(
            "There is no text in the file: perhaps its pages are pictures (a scan). Ask for a "
            "photo of the page in question, or for the text itself."
        )
    return text, is_cut


def _pieces(named: Named, text: str) -> Iterator[Piece]:
    """The chunks; the first is found by the file's name too."""
    name = named.filename
    for chunk in cut(text):
        yield Piece(chunk.body, chunk.overlap, chunk.place, index_words(f"{name} {chunk.body}"))
        name = ""


_PIECE = msgspec.json.Decoder(Piece)
_encode = msgspec.json.encode
