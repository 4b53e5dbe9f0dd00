"""What a program that makes a document answers with."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Final

import msgspec

_ZIP: Final = b"PK\x03\x04"
_START: Final = (1980, 1, 1, 0, 0, 0)
"""The first moment that a zip can tell."""
_CORE: Final = "docProps/core.xml"
_MOMENT = re.compile(rb"<dcterms:(created|modified)\b[^>]*>[^<]*</dcterms:\1>")


class Document(msgspec.Struct, frozen=True):
    """A file, and what the model should know of it before it speaks of it to the person."""

    content: bytes
    notes: tuple[str, ...] = ()
    """Plain sentences in English: what was cut, or could not be shown as meant."""

    def encode(self) -> bytes:
        """The document for the process that asked for it, without the moment of its making: the
        same request makes the same file."""
        is_zip = self.content.startswith(_ZIP)
        content = _drop_moments(self.content) if is_zip else self.content
        return msgspec.msgpack.encode(msgspec.structs.replace(self, content=content))


def decode(answer: bytes) -> Document:
    """The document that a program has encoded."""
    return msgspec.msgpack.decode(answer, type=Document)


def _drop_moments(package: bytes) -> bytes:
    """An office document (ISO/IEC 29500-2) whose parts have no date; nor has the whole."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as source, zipfile.ZipFile(out, "w") as target:
        for entry in source.infolist():
            part = zipfile.ZipInfo(entry.filename, _START)
            part.compress_type = zipfile.ZIP_DEFLATED
            part.create_system = 0
            target.writestr(part, _without_moments(part.filename, source.read(entry)))
    return out.getvalue()


def _without_moments(name: str, content: bytes) -> bytes:
    if name.endswith(".xlsx"):  # the workbook behind a chart of a slide
        return _drop_moments(content)
    return _MOMENT.sub(b"", content) if name == _CORE else content
