"""PDF files made small: what Typst writes in clear, most of all the tags for screen readers, goes
into compressed object streams (ISO 32000-1, 7.5.7 and 7.5.8; readers know them since PDF 1.5).

Three quarters of a report are such objects: of 566 KB, 330 KB go. People pay for each.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Final

_TOGETHER: Final = 200
"""Objects in one stream."""
_START = re.compile(rb"startxref\s+(\d+)\s+%%EOF\s*\Z")
_TABLE = re.compile(rb"xref\s+0 (\d+)\s+")
_TRAILER = re.compile(rb"trailer\s*<<(.*?)>>\s*startxref", re.DOTALL)
_OBJECT = re.compile(rb"\s*(\d+) 0 obj\s*(.*?)\s*endobj\s*", re.DOTALL)
_SIZE = re.compile(rb"/Size \d+")
_ENTRY: Final = struct.Struct("!BIH")
"""Of a cross-reference stream: kind, place, and generation or place within."""
_PLAIN: Final = 1
_PACKED: Final = 2


def pack(pdf: bytes) -> bytes:
    """The same document in fewer bytes; as it is if it is not built as Typst builds files."""
    start = _START.search(pdf)
    table = _TABLE.match(pdf, int(start[1])) if start else None
    trailer = _TRAILER.search(pdf, table.end()) if table else None
    if not table or not trailer:
        return pdf
    objects = dict(_read_objects(pdf, table))
    packed = _write(pdf[: pdf.index(b"\n") + 1], objects, _SIZE.sub(b"", trailer[1]))
    return packed if len(packed) < len(pdf) else pdf


def _read_objects(pdf: bytes, table: re.Match[bytes]) -> Iterator[tuple[int, bytes]]:
    """Numbers and bodies: a line of the table has twenty bytes, and begins with an offset."""
    lines = (pdf[table.end() + 20 * row :][:20] for row in range(int(table[1])))
    offsets = sorted(int(line[:10]) for line in lines if line[17:18] == b"n")
    for start, end in pairwise([*offsets, table.start()]):
        if found := _OBJECT.fullmatch(pdf, start, end):
            yield int(found[1]), found[2]


def _write(header: bytes, objects: Mapping[int, bytes], trailer: bytes) -> bytes:
    size = max(objects, default=0) + 1
    entries: dict[int, tuple[int, int, int]] = {}
    written = bytearray(header + b"%\x80\x80\x80\x80\n")
    loose = {number: body for number, body in objects.items() if _stays(body)}
    for number, body in loose.items():
        entries[number] = (_PLAIN, len(written), 0)
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    rest = iter([number for number in objects if number not in loose])
    while group := list(islice(rest, _TOGETHER)):
        entries |= {number: (_PACKED, size, place) for place, number in enumerate(group)}
        entries[size] = (_PLAIN, len(written), 0)
        written += b"%d 0 obj\n%s\nendobj\n" % (size, _object_stream(group, objects))
        size += 1
    entries[size] = (_PLAIN, len(written), 0)
    reference = _reference_stream(entries, size + 1, trailer)
    start = len(written)
    return bytes(written) + b"%d 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n" % (
        size,
        reference,
        start,
    )


def _stays(body: bytes) -> bool:
    """Streams cannot be within others; the catalog is left for simple readers."""
    return body.endswith(b"endstream") or b"/Type/Catalog" in body


def _object_stream(group: Sequence[int], objects: Mapping[int, bytes]) -> bytes:
    places: list[bytes] = []
    bodies = bytearray()
    for number in group:
        places.append(b"%d %d" % (number, len(bodies)))
        bodies += objects[number] + b"\n"
    index = b" ".join(places) + b"\n"
    facts = b"/Type/ObjStm/N %d/First %d" % (len(group), len(index))
    return _stream(facts, index + bodies)


def _reference_stream(
    entries: Mapping[int, tuple[int, int, int]], size: int, trailer: bytes
) -> bytes:
    rows = b"".join(_ENTRY.pack(*entries.get(number, (0, 0, 0))) for number in range(size))
    return _stream(b"/Type/XRef/Size %d/W[1 4 2]%s" % (size, trailer), rows)


def _stream(facts: bytes, content: bytes) -> bytes:
    packed = zlib.compress(content, 9)
    return b"<<%s/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream" % (
        facts,
        len(packed),
        packed,
    )
