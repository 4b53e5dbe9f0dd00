"""A call of the Bot API, and how Telegram refuses one."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

Parameters = dict[str, Any]


@dataclass
class Call:
    method: str
    parameters: Parameters
    files: dict[str, tuple[str, bytes]]
    """Uploads by field: file name and content."""
    at: float = field(default_factory=time.time)


class Refused(Exception):
    """An error as Telegram answers it."""

    def __init__(self, status: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.status = status
        self.answer = {"ok": False, "error_code": status, "description": description}
        if parameters:
            self.answer["parameters"] = parameters
