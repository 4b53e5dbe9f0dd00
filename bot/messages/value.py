"""The base of all messages: immutable values that can be stored as JSON."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

import msgspec

Mode = Literal["child", "pro"]
MediaKind = Literal["image", "audio", "document"]
QuizKind = Literal["interactive_quiz", "true_false_quiz"]
ExerciseKind = Literal["number", "expression", "set", "text", "choice"]

T = TypeVar("T")
_ENCODER = msgspec.json.Encoder()
_DECODERS: dict[Any, msgspec.json.Decoder[Any]] = {}


def encode(value: object) -> str:
    """Return `value` (any type of this package, or a tuple of them) as JSON text."""
    return _ENCODER.encode(value).decode()


def decode(text: str | bytes, kind: type[T]) -> T:
    """Return the value of type `kind` that `encode` wrote.

    Raises:
        msgspec.ValidationError: the text is not such a value.
    """
    decoder = _DECODERS.get(kind)
    if decoder is None:
        decoder = _DECODERS[kind] = msgspec.json.Decoder(kind)
    return decoder.decode(text)


class Value(msgspec.Struct, frozen=True, omit_defaults=True):
    """Base of the vocabulary: immutable, compared by value, unset fields are not stored."""
