"""Texts cut into pieces, and what must never be shown of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.agent.tool_calls.tool_call_parser import ToolCallParser

CORPUS = Path(__file__).parent.parent / "tool_call_formats"
KNOWN = frozenset({"web_search", "browse_url", "generate_md", "save_memory", "interactive_quiz"})
SIZES = (1, 2, 3, 7)
FORBIDDEN = (
    "<tool_c",
    "</tool_c",
    "<function",
    "</function",
    "<invoke",
    "</invoke",
    "<parameter",
    "</parameter",
    "<tool>",
    "<tool ",
    "<tool_use",
    "<minimax:",
    "<|",
    "<｜",
    "</｜",
    "DSML",
    "[TOOL_",
    "[/TOOL_",
    '{"tool_calls',
    '"action_input"',
    "Action Input:",
    "```web_search",
)
"""Beginnings of markup; shown only where they stay, in code and in illustrations."""


@dataclass(frozen=True, slots=True)
class Case:
    dialect: str
    name: str
    text: str
    native: bool
    known: tuple[str, ...]
    shown: str
    calls: list[tuple[str, Any]]

    def __str__(self) -> str:
        return f"{self.dialect}: {self.name}"


def corpus() -> list[Case]:
    """Every case of every file, in order."""
    return [
        Case(
            path.stem,
            entry["name"],
            entry["text"],
            entry["native"],
            tuple(entry["known"]),
            entry["shown"],
            [(call["name"], call["arguments"]) for call in entry["calls"]],
        )
        for path in sorted(CORPUS.glob("*.json"))
        for entry in json.loads(path.read_text())
    ]


def cut(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def filter_pieces(
    pieces: Iterable[str], known: Collection[str] = KNOWN, *, native: bool = True
) -> tuple[list[str], list[tuple[str, Any]]]:
    """What was shown at each step, and the calls."""
    calls = ToolCallParser(known, native=native)
    shown = [calls.feed(piece) for piece in pieces]
    shown.append(calls.close())
    return shown, [(call.name, arguments_of(call.arguments)) for call in calls.calls]


@dataclass(frozen=True, slots=True)
class Recovered:
    text: str
    calls: tuple[Any, ...]


def recover_tool_calls(text: str, known: Collection[str], *, native: bool) -> Recovered:
    """What is shown of a whole text, and its calls."""
    calls = ToolCallParser(known, native=native)
    shown = calls.feed(text) + calls.close()
    return Recovered(shown, calls.calls)


def arguments_of(written: str) -> Any:
    """The object that `written` is, or else the text itself."""
    try:
        value = json.loads(written)
    except ValueError:
        return written
    return value if isinstance(value, dict) else written


def assert_never_leaks(shown: list[str]) -> None:
    """At no step is there markup that is not in the final text as well."""
    final = "".join(shown)
    length = 0
    for piece in shown:
        length += len(piece)
        so_far = final[:length]
        for opening in FORBIDDEN:
            if opening not in final:
                assert opening not in so_far
