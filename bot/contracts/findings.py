"""The findings of `griot doctor`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


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
