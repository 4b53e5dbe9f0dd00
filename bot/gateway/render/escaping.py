"""Plain text as markdown."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"[\\`*_~\[\]<>#$|&!]")
_ENTITIES = {"[": "&#91;", "]": "&#93;"}
"""A backslash before a bracket would begin a formula."""


def escape(text: str) -> str:
    """The text with what markdown would read as markup escaped."""
    return _SPECIAL.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), text)
