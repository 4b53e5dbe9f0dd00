"""What tools send by e-mail, and how bad a fault is that they tell of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["low", "normal", "high"]


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter as a tool writes it; it is cleaned and limited when it is kept."""

    subject: str
    text: str
    """Plain, or Markdown."""
    html: str = ""
    """Empty: made of `text`."""
    attachments: tuple[str, ...] = ()
    """Ids of the person's own files."""
