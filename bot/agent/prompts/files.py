"""The prompt files beside this module, and how their gaps are filled."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from bot.texts import DEFAULT_LANGUAGE

_FOLDER = Path(__file__).parent
LANGUAGES: Mapping[str, str] = {"fr": "français", "en": "English"}
"""Languages that have a folder of prompts, each by its own name."""


@cache
def read(name: str) -> str:
    """The prompt file `name.md` (`fr/child`, say), without its outer blank lines."""
    return (_FOLDER / f"{name}.md").read_text(encoding="utf-8").strip()


def folder_of(language: str) -> str:
    """The folder with the prompts for `language`: the default one's where it has none."""
    return language if language in LANGUAGES else DEFAULT_LANGUAGE


def fill(template: str, values: Mapping[str, str]) -> str:
    """`template` with its `{gaps}` filled; a line whose gap has nothing to hold is left out.

    Values are taken as they are: braces in them are text.
    """
    empty = tuple(f"{{{name}}}" for name, value in values.items() if not value)
    lines = (line for line in template.splitlines() if not any(gap in line for gap in empty))
    return "\n".join(lines).format_map(values)


def one_line(text: str, most: int) -> str:
    """`text` as at most `most` characters on one line, without what cannot be seen or encoded."""
    words = " ".join(text.split())[:most]
    return "".join(char for char in words if char.isprintable()).strip()
