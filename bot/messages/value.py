"""The base of all messages: immutable values that can be stored as JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeVar

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


_EXPECTED: Final = re.compile(r"Expected `([\w |]+)`, got `(\w+)`")
_ODD_CHOICE: Final = re.compile(r"Invalid enum value (.+?)(?: - at |$)", re.DOTALL)
_MISSING: Final = re.compile(r"Object missing required field `(\w+)`")
_PLACE: Final = re.compile(r" - at `\$\.?(.*)`$")
_NAMES: Mapping[str, str] = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "object": "an object",
    "array": "a list",
}
"""What msgspec's types of JSON are called in plain words."""


def explain_decode_error(error: Exception) -> str:
    """Return in plain words, without a full stop, why msgspec could not read a JSON text: `message
    must be a text, not a whole number`."""
    if not isinstance(error, msgspec.ValidationError):
        return "it is not valid JSON in UTF-8"
    words = str(error)
    place = found[1] if (found := _PLACE.search(words)) else ""
    if found := _MISSING.match(words):
        return f"{'.'.join(filter(None, (place, found[1])))} is missing"
    place = place or "it"
    if found := _EXPECTED.match(words):
        wanted = " or ".join(_NAMES.get(each, each) for each in found[1].split(" | "))
        return f"{place} must be {wanted}, not {_NAMES.get(found[2], found[2])}"
    if found := _ODD_CHOICE.match(words):
        return f"{place} cannot be {found[1]}"
    return f"{place} is not of the form that is expected"
