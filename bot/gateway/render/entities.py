"""Styled text for Telegram: plain text and entities.

Facts: https://core.telegram.org/bots/api#messageentity (offsets in UTF-16 code units; code and pre
hold no other entity), 100 entities a message.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable

from bot.gateway.render.styled import Span, Styled
from bot.messages import Entity

MOST = 100
"""Entities that Telegram takes in one message; it ignores the others."""
_WIDE = re.compile("[\U00010000-\U0010ffff]")
"""Takes two code units."""


def to_entities(styled: Styled) -> tuple[str, tuple[Entity, ...]]:
    """The text without surrounding white space, and its entities, outer before inner."""
    text = styled.text.rstrip()
    lead = len(text) - len(text.lstrip("\n"))
    text = text[lead:]
    place = _utf16_places(text)
    entities = (_to_entity(span, text, lead, place) for span in styled.spans)
    return text, tuple(entity for entity in entities if entity.length)


def _to_entity(span: Span, text: str, lead: int, place: Callable[[int], int]) -> Entity:
    start, end = max(span.start - lead, 0), min(span.end - lead, len(text))
    covered = text[start:end]
    end -= len(covered) - len(covered.rstrip())
    if span.kind != "pre":
        start += len(covered) - len(covered.lstrip())
    if end <= start:
        return Entity(span.kind, 0, 0)
    offset = place(start)
    return Entity(span.kind, offset, place(end) - offset, span.url, span.language)


def _utf16_places(text: str) -> Callable[[int], int]:
    """From an index in code points to one in UTF-16 code units."""
    wide = [found.start() for found in _WIDE.finditer(text)]
    return (lambda index: index + bisect_left(wide, index)) if wide else int
