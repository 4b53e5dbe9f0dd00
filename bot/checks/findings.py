"""What was looked at, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at, and what came of it."""

    level: Literal["ok", "warning", "error"]
    name: str
    message: str
    advice: str = ""
    """What to do; empty when all is well."""
