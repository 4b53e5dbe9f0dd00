"""The findings of `griot doctor`, and the providers that it asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    level: Literal["ok", "warning", "error"]
    name: str
    message: str
    advice: str = ""
    """What to do; empty when all is well."""
    reason: Literal["", "unanswered"] = ""
    """Why it is not ok, where that matters: a provider gave no answer."""
    missing: Sequence[str] = ()
    """The settings that are not set, by name, if that is what is not ok."""


class CheckedProvider(Protocol):
    """A provider that can be asked whether it accepts our settings."""

    title: str
    """The provider's name as people know it: `Telegram`."""

    async def check(self) -> Sequence[Finding]:
        """Ask the provider whether our settings are right. Nothing is sent, bought or changed.

        Raises `ConnectionError` or `DeliveryError`: the provider gave no answer, or one that says
        nothing about our settings; the message describes the answer, and nothing of the request.
        """
        ...
