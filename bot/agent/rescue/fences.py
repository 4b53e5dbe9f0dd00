"""Code blocks: where one begins and ends, and which of them are calls."""

from __future__ import annotations

import re
from collections.abc import Collection

from bot.agent.rescue.objects import find_object
from bot.agent.rescue.openings import UNDECIDED, Opening, Sight, Undecided
from bot.agent.rescue.written import Kind, known_name

RUNS = {"`": re.compile("`+"), "~": re.compile("~+")}
LEAST = 3
"""Backticks or tildes that make a code block."""
_LONGEST_INFO = 100
_LONGEST_CODE = 1_000
"""Characters in which inline code that holds markup must be closed."""
_INFO = re.compile(r"[ \t]*+([^\n`]*+)")
_WORD = re.compile(r"[ \t]{0,8}([\w.:/-]{1,80})(?=[\s{\[`])")
_SPACE = re.compile(r"\s{0,64}")
_LANGUAGE_LINE = re.compile(r"[ \t]{0,8}[\w.+:-]{0,40}[ \t]{0,8}\r?\n")
_LANGUAGE_CUT = re.compile(r"[ \t]{0,8}[\w.+:-]{0,40}[ \t]{0,8}\r?\Z")
_BLANK_REST = re.compile(r"[ \t]{0,40}\r?(?=\n)")
_BLANK_CUT = re.compile(r"[ \t]{0,40}\r?\Z")
_LIST_MARKER = re.compile(r"(?:[\s>*+-]|\d{1,3}[.)])*+\Z")
_ANNOUNCED = re.compile(r"([A-Za-z_][\w.-]{0,79})[*`_]{0,3}\s{0,4}:?[*`_]{0,3}\s*\Z")
_CODE_INFOS = frozenset({"tool_code", "tool_call", "tool_calls", "tool", "function_call"})
_CODE_CALL_CUT = re.compile(r"(?:print\s?\(\s?)?(?:[A-Za-z_][\w.]{0,79})?\Z")
_CODE_CALL = re.compile(r"(?:print\s?\(\s?)?(?!print\b)([A-Za-z_][\w.]{0,79})\(")


class CodeBlock:
    """A code block that is only shown, until it ends."""

    def __init__(self, mark: str, size: int) -> None:
        self.mark = mark
        """The character that it is fenced with."""
        self.in_first_line = True
        self._size = size

    def ends(self, text: str, start: int, end: int, line: str, *, final: bool) -> bool | Undecided:
        """Whether the run of marks from `start` to `end` is its end. `line` stands before it."""
        if end - start < self._size:
            return False
        if self.in_first_line:  # of a block, this has no backticks: it was inline code
            return self.mark == "`"
        if line.strip(" \t>"):
            return False
        if _BLANK_REST.match(text, end):
            return True
        if _BLANK_CUT.match(text, end):
            return True if final else UNDECIDED
        return False


def code_end(text: str, at: int, ticks: int, *, final: bool) -> int | Undecided | None:
    """Where the inline code around `at`, opened by so many `ticks`, is closed again; None if it is
    not, on its line, so that it is no code."""
    line = text.find("\n", at, at + _LONGEST_CODE)
    limit = line if line >= 0 else at + _LONGEST_CODE
    end = text.find("`" * ticks, at, limit)
    if end >= 0:
        return end
    return UNDECIDED if line < 0 and len(text) < limit and not final else None


def opens_line(line: str) -> bool:
    """Whether a code block may begin after `line`, the text before it on its line."""
    return bool(_LIST_MARKER.match(line))


def opens_in_line(text: str, end: int, *, final: bool) -> bool | Undecided:
    """Whether the run of backticks up to `end`, within a line, begins a code block nevertheless:
    only the name of a language stands between it and the end of the line."""
    if _LANGUAGE_LINE.match(text, end):
        return True
    if _LANGUAGE_CUT.match(text, end):
        return True if final else UNDECIDED
    return False


def find_fence(
    text: str, at: int, end: int, before: str, known: Collection[str], *, final: bool
) -> Sight:
    """The code block that begins with the run of backticks or tildes from `at` to `end`, if it is
    a call for a model without native calls.

    Args:
        before: what was said before it.
    """
    word = _WORD.match(text, end)
    name = known_name(word[1], known) if word else ""
    if word and name:
        return _opening("fence", text[at:end], word.end(), name)
    info = _INFO.match(text, end)
    line = info.end() if info else end
    if line - end > _LONGEST_INFO:
        return None
    if line == len(text):
        return _cut_name(info[1] if info else "", line, known) if final else UNDECIDED
    words = info[1].split() if info else []
    if name := next(filter(None, (known_name(one, known) for one in words)), ""):
        return _opening("fence", text[at:end], line, name)
    if text[line] == "`":
        return None
    return _find_in_body(text, at, end, line, before, known, words, final=final)


def _cut_name(info: str, end: int, known: Collection[str]) -> Opening | None:
    """What is left of a call if the text ends in the name of a tool."""
    name = info.strip()
    is_cut = len(name) > 2 and any(one.startswith(name) for one in known)
    return Opening("stray", end) if is_cut else None


def _find_in_body(
    text: str,
    at: int,
    end: int,
    line: int,
    before: str,
    known: Collection[str],
    words: list[str],
    *,
    final: bool,
) -> Sight:
    space = _SPACE.match(text, line)
    body = space.end() if space else line
    if body == len(text):
        return None if final else UNDECIDED
    announced = _ANNOUNCED.search(before[-100:])
    name = known_name(announced[1], known) if announced else ""
    if name and text[body] == "{":
        return _opening("object_fence", text[at:end], line, name)
    sight = find_object(text, body, known, fenced=True, final=final)
    if isinstance(sight, Opening) and sight.kind == "object":
        return _opening("object_fence", text[at:end], line, "")
    if sight is None and words and words[0].lower() in _CODE_INFOS:
        return _find_code(text, at, end, line, body, known, final=final)
    return sight


def _find_code(
    text: str, at: int, end: int, line: int, body: int, known: Collection[str], *, final: bool
) -> Sight:
    if call := _CODE_CALL.match(text, body):
        name = known_name(call[1], known)
        return _opening("object_fence", text[at:end], line, name) if name else None
    return UNDECIDED if not final and _CODE_CALL_CUT.match(text, body) else None


def _opening(kind: Kind, run: str, end: int, name: str) -> Opening:
    closing = re.compile(
        rf"(?:\n[ \t>]{{0,20}}|[}}\]][ \t]{{0,8}}){re.escape(run[0])}{{{len(run)}}}"
    )
    return Opening(kind, end, closing, name=name)
