"""What providers write as JSON, and our decoders do not take."""

from __future__ import annotations

import re

_ESCAPES = re.compile(
    rb"(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\[^u]|\\u(?![dD][89a-fA-F]))"
    rb"|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
"""JSON's escapes one by one: the first group may stay, else it is half a surrogate pair."""


def replace_half_pairs(body: bytes) -> bytes:
    """JSON without halves of surrogate pairs (a name cut in the middle of an emoji), each of which
    becomes U+FFFD: the grammar allows them (RFC 8259, 8.2), no decoder of ours does."""
    return _ESCAPES.sub(lambda found: found[1] or rb"\ufffd", body)
