"""Recover tool calls that a model wrote as prose: take them out of its text and read them."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

MarkupKind = Literal[
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
    "message",  # of gpt-oss to a function
    "thought",  # a tag that opens a thought
    "answer",  # a tag that closes it
]
_PREFIX = re.compile(r"(?:functions?|tools?|default_api)[.:/]")
_ORDINAL = re.compile(r":\d{1,4}\Z")


@dataclass(frozen=True, slots=True)
class MarkupSpan:
    """A piece of text that is call markup."""

    kind: MarkupKind
    text: str
    opening: int
    """How many characters of `text` are the opening."""
    name: str = ""
    """A tool's name known from the text around it."""

    @property
    def body(self) -> str:
        return self.text[self.opening :]


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as the model wrote it; `arguments` is text where it could not be read, empty where it
    is JSON but no object."""

    name: str
    arguments: dict[str, Any] | str


def find_known_name(written: str, known: Collection[str]) -> str:
    """Return the known tool that `written` names (`functions.web_search:0` is web_search), or
    ""."""
    short = _ORDINAL.sub("", _PREFIX.sub("", written.strip(), count=1))
    return next((name for name in (written, short, short.lower()) if name in known), "")
