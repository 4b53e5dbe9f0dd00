"""What a program that makes a document answers with."""

from __future__ import annotations

import msgspec


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
