"""Vectors as small as they can be, compared without any library. Pure.

Each number is one signed byte, so that a thousand chunks are a quarter of a megabyte. To compare
all of them whole takes Python some ten milliseconds for each thousand; their signs, as one long
integer each, take less than one, and only those that are best by their signs are compared whole.
"""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Iterable, Sequence

_RECHECKED = 200
_SIGN = bytes(b"1"[0] if number >= 128 else b"0"[0] for number in range(256))
"""For `bytes.translate`: whether a signed byte is negative, as a digit."""


def pack(vector: Sequence[float]) -> bytes:
    """The direction of a vector: first all signs, a bit each, then a byte for each number."""
    most = max(map(abs, vector)) or 1.0
    scaled = [round(number / most * 127) for number in vector]
    numbers = array("b", scaled + [0] * (-len(scaled) % 8)).tobytes()
    return int(numbers.translate(_SIGN), 2).to_bytes(len(numbers) // 8, "big") + numbers


def nearest(asked: bytes, kept: Iterable[tuple[int, bytes]], most: int) -> list[int]:
    """The ids of those `kept` whose packed vectors point most nearly where `asked` does, the best
    first. Those of other lengths are left out."""
    bits, size = len(asked) // 9, len(asked)
    signs = int.from_bytes(asked[:bits], "big")
    apart = (
        ((signs ^ int.from_bytes(vector[:bits], "big")).bit_count(), key, vector)
        for key, vector in kept
        if len(vector) == size
    )
    near = heapq.nsmallest(_RECHECKED, apart)
    numbers = array("b", asked[bits:])
    square = math.hypot(*numbers) ** 2
    scored = (
        (_cosine(numbers, square, array("b", vector[bits:])), -key) for _, key, vector in near
    )
    return [-key for _, key in heapq.nlargest(most, scored)]


def _cosine(one: array[int], square: float, other: array[int]) -> float:
    """The cosine, times the length of `one`, whose `square` is given.

    By the law of cosines: C computes lengths and distances, but no sums of products before
    Python 3.12.
    """
    length, distance = math.hypot(*other), math.dist(one, other)
    return (square + length * length - distance * distance) / (2 * length or 1.0)
