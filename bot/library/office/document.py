"""What a program that makes a document answers with."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import UTC, datetime
from typing import Final

import msgspec

EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""When all documents are said to be made: the same request gives the same bytes."""

_EPOCH: Final = f"{EPOCH:%Y-%m-%dT%H:%M:%SZ}".encode()
_HOUR = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class Document(msgspec.Struct, frozen=True):
    """A file, and what the model should know of it before it speaks of it to the person."""

    content: bytes
    notes: tuple[str, ...] = ()
    """Plain sentences in English: what was cut, or could not be shown as meant."""

    def encode(self) -> bytes:
        return msgspec.msgpack.encode(self)


def decode(answer: bytes) -> Document:
    """The document that a program has encoded."""
    return msgspec.msgpack.decode(answer, type=Document)


def fix_dates(package: bytes) -> bytes:
    """A file of Office Open XML without the hour at which it was made, also of workbooks in it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            entry = zipfile.ZipInfo(name, EPOCH.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, _fix_part(name, source.read(name)))
    return out.getvalue()


def _fix_part(name: str, content: bytes) -> bytes:
    if name.endswith(".xlsx"):
        return fix_dates(content)
    return _HOUR.sub(_EPOCH, content) if name == "docProps/core.xml" else content
