"""How calls written as bare JSON or as `Action:` lines begin."""

from __future__ import annotations

import re
from collections.abc import Collection

from bot.agent.rescue.openings import UNDECIDED, Opening, Sight
from bot.agent.rescue.written import Span, Written, known_name

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


def find_object(text: str, at: int, known: Collection[str], *, fenced: bool, final: bool) -> Sight:
    """The JSON at `at` if its first key says that it may be a call.

    In a code block (`fenced`) JSON that begins with a name is one only if the tool is known.
    """
    if not (head := _HEAD.match(text, at)):
        return _find_cut_object(text, at, final=final)
    opening = Opening("object", at, braces=True)
    if head[1] == _CALLS or head[1] in _ANY_VALUE:
        return opening
    if head[1] not in _NAMES:
        return None
    if text[head.end() : head.end() + 1] == "{":
        return opening
    if name := _NAME.match(text, head.end()):
        return opening if not fenced or known_name(name[1], known) else None
    return _find_cut_name(text, head.end(), known, final=final)


def find_listed(text: str, at: int, *, final: bool) -> Sight:
    """The JSON at `at` if its first key is `tool_calls`, which no ordinary JSON has, or one with
    which ReAct begins."""
    if head := _HEAD.match(text, at):
        if head[1] == _CALLS:
            return Opening("object", at, braces=True)
        return Opening("react", at, braces=True) if head[1] in _REACT else None
    cut = _HEAD_CUT.match(text, at)
    may_be = cut and any(key.startswith(cut[1] or "") for key in (_CALLS, *_REACT))
    return _find_cut_object(text, at, final=final) if may_be else None


def find_action(text: str, at: int, *, final: bool) -> Sight:
    """The lines `Action: name` and `Action Input: …` that begin at `at`."""
    if action := _ACTION.match(text, at):
        if action.end() == len(text) and not final:
            return UNDECIDED
        is_object = text[action.end() : action.end() + 1] == "{"
        closing = None if is_object else _LINE_END
        return Opening("action", action.end(), closing, braces=is_object, name=action[1])
    return UNDECIDED if not final and _may_be_action(text[at : at + 200]) else None


def is_call(span: Span, written: Collection[Written], known: Collection[str]) -> bool:
    """Whether `span`, in which `written` was read, is a call and nothing else."""
    if span.kind not in RELEASED or span.kind == "action" or span.name:
        return True
    body = span.body
    if span.kind == "react":
        return bool(_INPUT.search(body))
    if _LISTED.match(body) or _INPUT.search(body):
        return True
    if any(known_name(call.name, known) for call in written):
        return True
    return span.kind == "object" and bool(written) and bool(_SHAPE.search(body))


def _find_cut_name(text: str, at: int, known: Collection[str], *, final: bool) -> Sight:
    if not (cut := _NAME_CUT.match(text, at)):
        return None
    if not final:
        return UNDECIDED
    name = cut[1] or ""
    is_dangling = len(name) > 2 and any(one.startswith(name) for one in known)
    return Opening("stray", len(text)) if is_dangling else None


def _find_cut_object(text: str, at: int, *, final: bool) -> Sight:
    if not (cut := _HEAD_CUT.match(text, at)):
        return None
    key = cut[1] or ""
    if not any(one.startswith(key) for one in _KEYS):
        return None
    if not final:
        return UNDECIDED
    is_dangling = len(key) > 2 and (_CALLS.startswith(key) or "action".startswith(key))
    return Opening("stray", len(text)) if is_dangling else None


def _may_be_action(head: str) -> bool:
    if _ACTION_HEAD.startswith(head) or _ACTION_NAME.match(head):
        return True
    first, newline, rest = head.partition("\n")
    is_named = bool(newline) and bool(_ACTION_NAME.match(first))
    rest = rest.lstrip()
    return is_named and (_INPUT_HEAD.startswith(rest) or rest.rstrip(" \t") == _INPUT_HEAD)
