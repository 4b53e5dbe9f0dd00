"""Calls as they were written, and the JSON objects that stand for them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Literal, cast

import msgspec

from bot.agent.rescue.elements import arguments_in
from bot.agent.rescue.lenient import as_object, read_object
from bot.agent.wire.calls import is_object, make_id
from bot.messages import ToolCall

MOST_RAW = 2_000
"""Characters of arguments that cannot be read; they only serve to say what is wrong."""
Kind = Literal[
    "stray",  # markup that holds nothing: a closing tag, a control token
    "fence",  # a code block named after a tool
    "bracket",  # [TOOL_CALL]…
    "call",  # <tool_call>…, <function_call>…
    "invoke",
    "sequence",  # JSON after a token: <|python_tag|>, [TOOL_CALLS]
    "tool_code",
    "dsml",  # an <invoke> with pipes
    "section",  # <｜tool▁call▁begin｜>…, <|tool_call_begin|>…
    "tool",  # <tool>, <tool_use>, <function>
    "object",  # bare JSON
    "react",  # {"action": …} within a line, a call only with its input
    "object_fence",  # JSON in a code block
    "action",  # Action: …, Action Input: …
    "result",  # what a model makes up as the result of a call
]
NAMES = ("name", "tool", "tool_name", "function", "action", "recipient_name")
ARGUMENTS = ("arguments", "parameters", "args", "params", "input", "action_input", "tool_input")
_META = frozenset({*NAMES, *ARGUMENTS, "id", "type", "thought", "index"})
_PREFIX = re.compile(r"(?:functions?|tools?|default_api)[.:/]")
_ORDINAL = re.compile(r":\d{1,4}\Z")
_NAMED = re.compile(
    r"[\"'“‘]?\b(?:name|tool|tool_name|function|action)[\"'”’]?\s{0,8}(?:=>|:|=)\s{0,8}"
    r"[\"'“‘]?([\w.:-]{1,80})"
)
_CLOSING = re.compile(
    r"(?:<[/|｜][^<>]{0,80}(?:>|\Z)|\[(?:/|END_)[A-Z_]{1,20}(?:\]|\Z))\s*+\Z", re.IGNORECASE
)
_MOST_CLOSINGS = 4


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text that is call markup."""

    kind: Kind
    text: str
    opening: int
    """How many characters of `text` are the opening."""
    name: str = ""
    """A tool's name known from around it."""

    @property
    def body(self) -> str:
        return self.text[self.opening :]


@dataclass(frozen=True, slots=True)
class Written:
    """A call as written, to whatever name; `arguments` is text where it could not be read, empty
    where it is JSON but no object."""

    name: str
    arguments: dict[str, Any] | str


def known_name(written: str, known: Collection[str]) -> str:
    """The known tool that `written` names (`functions.web_search:0` is web_search), or ""."""
    short = _ORDINAL.sub("", _PREFIX.sub("", written.strip(), count=1))
    return next((name for name in (written, short, short.lower()) if name in known), "")


def calls_in(value: Any) -> Iterator[Written]:
    """The calls that a JSON value stands for: one, a list, or `{"tool_calls": […]}`."""
    entry = as_object(value)
    held: object = value if entry is None else entry.get("tool_calls", entry)
    for one in cast("list[Any]", held) if isinstance(held, list) else [held]:
        entry = as_object(one)
        if entry and (call := call_in(entry)):
            yield call


def call_in(entry: dict[str, Any]) -> Written | None:
    """The call that `{name, arguments}` in any of its spellings stands for."""
    entry = as_object(entry.get("function")) or entry
    named: object = next((entry[key] for key in NAMES if isinstance(entry.get(key), str)), None)
    if not isinstance(named, str):
        return None
    held = [entry[key] for key in ARGUMENTS if key in entry]
    if held:
        return Written(named, _arguments(held[0]))
    return Written(named, {key: value for key, value in entry.items() if key not in _META})


def nearly(text: str) -> list[Written]:
    """The call that broken `text` was meant to be: the first name in it, and the text as is."""
    named = _NAMED.search(text)
    return [Written(named[1], without_closing(text))] if named else []


def without_closing(text: str) -> str:
    """`text` without the tags that close it."""
    for _ in range(_MOST_CLOSINGS):
        text = _CLOSING.sub("", text)
    return text.strip()


def tool_call(name: str, arguments: dict[str, Any] | str, span: str) -> ToolCall:
    """The call of the known tool `name`.

    Arguments that could not be read are given as written, never as a JSON object: rather the whole
    `span` then, so that nothing runs by accident.
    """
    if isinstance(arguments, dict):
        try:
            return ToolCall(make_id(), name, msgspec.json.encode(arguments).decode())
        except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError):
            arguments = span
    candidates = (one[:MOST_RAW].encode(errors="replace").decode() for one in (arguments, span))
    raw = next((one for one in candidates if one and not is_object(one)), "[]")
    return ToolCall(make_id(), name, raw)


def _arguments(held: Any) -> dict[str, Any] | str:
    if (values := as_object(held)) is not None:
        return values
    if held is None or held == "":
        return {}
    if not isinstance(held, str):
        return ""
    values = read_object(held)
    if values is None and held.lstrip().startswith("<"):
        values = arguments_in(held)
    return held if values is None else values
