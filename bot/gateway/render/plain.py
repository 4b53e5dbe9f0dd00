"""Styled text for SMS: the text alone, as its layout has spelled everything out."""

from __future__ import annotations

from bot.gateway.render.styled import Styled
from bot.messages import Entity


def to_plain(styled: Styled) -> tuple[str, tuple[Entity, ...]]:
    """The text without surrounding line ends; there are never entities."""
    return styled.text.strip("\n").rstrip(), ()
