"""Find where calls written as bare JSON, in code blocks or as `Action:` lines begin."""

from __future__ import annotations

import re
from collections.abc import Collection

from bot.agent.calls_in_prose import MarkupKind, MarkupSpan, WrittenCall, find_known_name
from bot.agent.calls_in_prose.markup_bounds import UNDECIDED, MarkupStart, MaybeStart, Undecided

RELEASED = ("object", "object_fence", "action", "react")
"""Kinds that may turn out to be no call."""
_CALLS = "tool_calls"
_REACT = ("action", "thought")
_ANY_VALUE = ("action", "thought", "arguments", "parameters", "type", "id")
_NAMES = ("name", "tool", "tool_name", "function")
_KEYS = (_CALLS, *_ANY_VALUE, *_NAMES)
_HEAD = re.compile(r"(?:\[\s{0,20})?\{\s{0,20}[\"'“”](\w{1,20})[\"'“”]\s{0,8}:\s{0,20}")
_HEAD_CUT = re.compile(
    r"(?:\[\s{0,20})?(?:\{\s{0,20}(?:[\"'“”](\w{0,20})(?:[\"'“”]\s{0,8}(?::\s{0,20})?)?)?)?\Z"
)
_NAME = re.compile(r"[\"'“”]([\w.:/-]{1,80})[\"'“”]")
_NAME_CUT = re.compile(r"(?:[\"'“”]([\w.:/-]{0,80}))?\Z")
_INPUT = re.compile(r"[\"'“”]action_input[\"'“”]\s{0,8}(?::|\Z)")
_SHAPE = re.compile(r"[\"'“”](?:arguments|parameters)[\"'“”]\s{0,8}:")
_LISTED = re.compile(r"\s{0,64}(?:\[\s{0,20})?\{\s{0,20}[\"'“”]tool_calls[\"'“”]")
_ACTION_LINE = r"Action:[ \t]{0,8}[\"'`\[]?([\w.:/-]{%d,64})[\"'`\]]?[ \t]{0,8}\r?"
_ACTION = re.compile(_ACTION_LINE % 1 + r"\n\s{0,8}Action Input:[ \t]{0,8}")
_ACTION_NAME = re.compile(_ACTION_LINE % 0 + r"(?:\n\s{0,8})?\Z")
_LINE_END = re.compile(r"(?=\r?\n)")
_ACTION_HEAD = "Action:"
_INPUT_HEAD = "Action Input:"


def find_object(
    text: str, at: int, known: Collection[str], *, fenced: bool, final: bool
) -> MaybeStart:
    """Return the JSON at `at` if its first key says that it may be a call.

    In a code block (`fenced`) JSON that begins with a name is one only if the tool is known.
    """
    if not (head := _HEAD.match(text, at)):
        return _find_cut_object(text, at, final=final)
    opening = MarkupStart("object", at, braces=True)
    if head[1] == _CALLS or head[1] in _ANY_VALUE:
        return opening
    if head[1] not in _NAMES:
        return None
    if text[head.end() : head.end() + 1] == "{":
        return opening
    if name := _NAME.match(text, head.end()):
        return opening if not fenced or find_known_name(name[1], known) else None
    return _find_cut_name(text, head.end(), known, final=final)


def find_listed(text: str, at: int, *, final: bool) -> MaybeStart:
    """Return the JSON at `at` if its first key is `tool_calls`, which no ordinary JSON has, or one
    with which ReAct begins."""
    if head := _HEAD.match(text, at):
        if head[1] == _CALLS:
            return MarkupStart("object", at, braces=True)
        return MarkupStart("react", at, braces=True) if head[1] in _REACT else None
    cut = _HEAD_CUT.match(text, at)
    may_be = cut and any(key.startswith(cut[1] or "") for key in (_CALLS, *_REACT))
    return _find_cut_object(text, at, final=final) if may_be else None


def find_action(text: str, at: int, *, final: bool) -> MaybeStart:
    """Return the lines `Action: name` and `Action Input: …` that begin at `at`."""
    if action := _ACTION.match(text, at):
        if action.end() == len(text) and not final:
            return UNDECIDED
        is_object = text[action.end() : action.end() + 1] == "{"
        closing = None if is_object else _LINE_END
        return MarkupStart("action", action.end(), closing, braces=is_object, name=action[1])
    return UNDECIDED if not final and _may_be_action(text[at : at + 200]) else None


def is_call(span: MarkupSpan, written: Collection[WrittenCall], known: Collection[str]) -> bool:
    """Return whether `span`, in which `written` was read, is a call and nothing else."""
    if span.kind not in RELEASED or span.kind == "action" or span.name:
        return True
    body = span.body
    if span.kind == "react":
        return bool(_INPUT.search(body))
    if _LISTED.match(body) or _INPUT.search(body):
        return True
    if any(find_known_name(call.name, known) for call in written):
        return True
    return span.kind == "object" and bool(written) and bool(_SHAPE.search(body))


def _find_cut_name(text: str, at: int, known: Collection[str], *, final: bool) -> MaybeStart:
    if not (cut := _NAME_CUT.match(text, at)):
        return None
    if not final:
        return UNDECIDED
    name = cut[1] or ""
    is_dangling = len(name) > 2 and any(one.startswith(name) for one in known)
    return MarkupStart("stray", len(text)) if is_dangling else None


def _find_cut_object(text: str, at: int, *, final: bool) -> MaybeStart:
    if not (cut := _HEAD_CUT.match(text, at)):
        return None
    key = cut[1] or ""
    if not any(one.startswith(key) for one in _KEYS):
        return None
    if not final:
        return UNDECIDED
    is_dangling = len(key) > 2 and (_CALLS.startswith(key) or "action".startswith(key))
    return MarkupStart("stray", len(text)) if is_dangling else None


def _may_be_action(head: str) -> bool:
    if _ACTION_HEAD.startswith(head) or _ACTION_NAME.match(head):
        return True
    first, newline, rest = head.partition("\n")
    is_named = bool(newline) and bool(_ACTION_NAME.match(first))
    rest = rest.lstrip()
    return is_named and (_INPUT_HEAD.startswith(rest) or rest.rstrip(" \t") == _INPUT_HEAD)


FENCE_RUNS = {"`": re.compile("`+"), "~": re.compile("~+")}
SHORTEST_FENCE = 3
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


class ShownCodeBlock:
    """A code block that is only shown, until it ends."""

    def __init__(self, mark: str, size: int) -> None:
        self.mark = mark
        """The character that it is fenced with."""
        self.in_first_line = True
        self._size = size

    def ends(self, text: str, start: int, end: int, line: str, *, final: bool) -> bool | Undecided:
        """Return whether the run of marks from `start` to `end` is its end. `line` stands before
        it."""
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


def find_code_end(text: str, at: int, ticks: int, *, final: bool) -> int | Undecided | None:
    """Return where the inline code around `at`, opened by so many `ticks`, is closed; None if it is
    not closed on its line, so that it is no code."""
    line = text.find("\n", at, at + _LONGEST_CODE)
    limit = line if line >= 0 else at + _LONGEST_CODE
    end = text.find("`" * ticks, at, limit)
    if end >= 0:
        return end
    return UNDECIDED if line < 0 and len(text) < limit and not final else None


def opens_line(line: str) -> bool:
    """Return whether a code block may begin after `line`, the text before it on its line."""
    return bool(_LIST_MARKER.match(line))


def opens_in_line(text: str, end: int, *, final: bool) -> bool | Undecided:
    """Return whether the run of backticks up to `end`, within a line, begins a code block
    nevertheless: only the name of a language stands between it and the end of the line."""
    if _LANGUAGE_LINE.match(text, end):
        return True
    if _LANGUAGE_CUT.match(text, end):
        return True if final else UNDECIDED
    return False


def find_fence(
    text: str, at: int, end: int, before: str, known: Collection[str], *, final: bool
) -> MaybeStart:
    """Return the code block that begins with the run of backticks or tildes from `at` to `end`, if
    it is a call for a model without native calls.

    Args:
        before: what was said before it.
    """
    word = _WORD.match(text, end)
    name = find_known_name(word[1], known) if word else ""
    if word and name:
        return _opening("fence", text[at:end], word.end(), name)
    info = _INFO.match(text, end)
    line = info.end() if info else end
    if line - end > _LONGEST_INFO:
        return None
    if line == len(text):
        return _cut_name(info[1] if info else "", line, known) if final else UNDECIDED
    words = info[1].split() if info else []
    if name := next(filter(None, (find_known_name(one, known) for one in words)), ""):
        return _opening("fence", text[at:end], line, name)
    if text[line] == "`":
        return None
    return _find_in_body(text, at, end, line, before, known, words, final=final)


def _cut_name(info: str, end: int, known: Collection[str]) -> MarkupStart | None:
    """Return what is left of a call if the text ends in the name of a tool."""
    name = info.strip()
    is_cut = len(name) > 2 and any(one.startswith(name) for one in known)
    return MarkupStart("stray", end) if is_cut else None


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
) -> MaybeStart:
    space = _SPACE.match(text, line)
    body = space.end() if space else line
    if body == len(text):
        return None if final else UNDECIDED
    announced = _ANNOUNCED.search(before[-100:])
    name = find_known_name(announced[1], known) if announced else ""
    if name and text[body] == "{":
        return _opening("object_fence", text[at:end], line, name)
    sight = find_object(text, body, known, fenced=True, final=final)
    if isinstance(sight, MarkupStart) and sight.kind == "object":
        return _opening("object_fence", text[at:end], line, "")
    if sight is None and words and words[0].lower() in _CODE_INFOS:
        return _find_code(text, at, end, line, body, known, final=final)
    return sight


def _find_code(
    text: str, at: int, end: int, line: int, body: int, known: Collection[str], *, final: bool
) -> MaybeStart:
    if call := _CODE_CALL.match(text, body):
        name = find_known_name(call[1], known)
        return _opening("object_fence", text[at:end], line, name) if name else None
    return UNDECIDED if not final and _CODE_CALL_CUT.match(text, body) else None


def _opening(kind: MarkupKind, run: str, end: int, name: str) -> MarkupStart:
    closing = re.compile(
        rf"(?:\n[ \t>]{{0,20}}|[}}\]][ \t]{{0,8}}){re.escape(run[0])}{{{len(run)}}}"
    )
    return MarkupStart(kind, end, closing, name=name)
