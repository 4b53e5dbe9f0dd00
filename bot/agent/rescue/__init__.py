"""Calls that a model wrote as prose: taken out of its text, and read as the calls that were meant.

`CallFilter` does it while the text streams, `rescue` in one piece; both agree. Pure: no I/O.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from bot.agent.rescue.filter import CallFilter
from bot.messages import ToolCall

__all__ = ["CallFilter", "Rescued", "rescue"]


@dataclass(frozen=True, slots=True)
class Rescued:
    text: str
    """What may be shown."""
    calls: tuple[ToolCall, ...]
    """At most 32. Arguments that could not be read are given as written, at most 2,000 characters,
    and are then no JSON object."""


def rescue(text: str, known: Collection[str], *, native: bool) -> Rescued:
    """The text without call markup, and the calls of the first dialect that names a known tool.

    Calls of other dialects, and of tools that are not known, are only taken out. See `CallFilter`.
    """
    calls = CallFilter(known, native=native)
    shown = calls.feed(text) + calls.close()
    return Rescued(shown, calls.calls)
