"""The dialects in which models write calls as prose, in the order in which they are believed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from bot.agent.rescue.elements import (
    NAMES,
    Element,
    arguments_in,
    elements,
    without_namespaces,
)
from bot.agent.rescue.endings import NAMING
from bot.agent.rescue.lenient import Unreadable, as_object, read, read_all, read_python_call
from bot.agent.rescue.written import Kind, Span, Written, calls_in, nearly, without_closing

_ITEM = re.compile(
    r"(?<![\w.:-])(?:([A-Za-z_][\w.:-]{0,79})\s{0,8}(?:\[ARGS\]\s{0,8})?)?(?<![\w.:-])?([{\[(])"
)
_JSON_BODY = re.compile(
    r"\s{0,64}(?:```\w{0,20}\s{0,20})?(?:[A-Za-z_][\w.:-]{0,79}\s{0,8})?[{\[(\"]"
)
_PYTHON_LIST = re.compile(r"\[\s{0,8}(?=[A-Za-z_][\w.]{0,79}\()")
_NO_NAMES = frozenset({"json", "function", "python", "tool_code", "print"})
_CONTROL = re.compile(r"<?[|｜‖]{1,2}[\w▁]{1,40}[|｜‖]{1,2}>?|```\w*")
_WORD = re.compile(r"[A-Za-z_][\w.:-]{0,79}")
_FENCE_MARKS = "`~"
_NAME_ELEMENT = re.compile(r"\s{0,64}<(?:tool_|function_)?name>[^<>]{0,99}</[^<>]{1,40}>")
_LEADING_NAME = re.compile(r"\s{0,64}([A-Za-z_][\w.:-]{0,79})\s{0,64}(?=<|\Z)")


@dataclass(frozen=True, slots=True)
class Dialect:
    name: str
    kinds: frozenset[Kind]
    """The kinds of spans that may hold it."""
    read: Callable[[Span], list[Written]]
    """The calls in a span, in order; none if it is not written in this dialect."""


def _read_fence(span: Span) -> list[Written]:
    body = _in_block(span)
    values, broken = read_all(body)
    objects = [entry for value in values if (entry := as_object(value)) is not None]
    written = [_named(span.name, value) for value in objects]
    if broken or not objects:
        written.append(Written(span.name, body.strip()) if body.strip() else Written(span.name, {}))
    return written


def _named(name: str, value: dict[str, Any]) -> Written:
    """`value` is the arguments, or names the tool once more around them."""
    call = next(calls_in(value), None)
    is_around = call is not None and call.name == name and len(value) <= 3
    return call if call and is_around and "arguments" in value else Written(name, value)


def _read_bracket(span: Span) -> list[Written]:
    body = without_closing(span.body)
    return _read_sequence(body) or nearly(body) or _bare_name(body)


def _read_tag(span: Span) -> list[Written]:
    if span.kind == "sequence":
        return _read_sequence(span.body)
    if span.kind == "invoke":
        return _read_invokes(span.text)
    head = next(elements(without_namespaces(span.text)), None)
    if head and (head.attributes.get("name") or head.own):
        return [_element_call(head, head.attributes.get("name") or head.own)]
    return _read_sequence(span.body) if _JSON_BODY.match(span.body) else []


def _read_tool_code(span: Span) -> list[Written]:
    return _read_sequence(span.body) or nearly(span.body)


def _read_dsml(span: Span) -> list[Written]:
    return _read_section(span.body) if span.kind == "section" else _read_invokes(span.text)


def _read_pseudo_xml(span: Span) -> list[Written]:
    if naming := NAMING.match(span.text):
        return [_read_beside(naming[1], span.text[naming.end() :])]
    return _read_element(span)


def _read_element(span: Span) -> list[Written]:
    head = next(elements(without_namespaces(span.text)), None)
    if head is None:
        return []
    if name := head.attributes.get("name") or head.own:
        return [_element_call(head, name)]
    if _JSON_BODY.match(head.inner):
        return _read_sequence(head.inner)
    named = next((one for one in elements(head.inner) if one.name in NAMES), None)
    if named:
        return [_element_call(replace(head, inner=_after_name(head.inner)), named.inner.strip())]
    if leading := _LEADING_NAME.match(head.inner):
        rest = head.inner[leading.end() :]
        arguments = arguments_in(rest) if rest.strip() else None
        return [Written(leading[1], head.inner.strip() if arguments is None else arguments)]
    return nearly(head.inner)


def _read_json(span: Span) -> list[Written]:
    body = _in_block(span)
    values, broken = read_all(body)
    if span.kind == "object_fence":
        values = [one for one in values if "tool_calls" in (as_object(one) or ())]
        is_meant = "tool_calls" in body
    else:
        values = [one for one in values if not _is_react(one)]
        is_meant = "action" not in body[:20]
    written = [call for value in values for call in calls_in(value)]
    return written or (nearly(broken) if broken and is_meant else [])


def final_answer(span: Span) -> str | None:
    """What ReAct says to the person as if it were a call, if `span` is that."""
    if span.kind not in ("object", "object_fence", "react"):
        return None
    values, _ = read_all(_in_block(span))
    entry = as_object(values[0]) if len(values) == 1 else None
    if entry is None or str(entry.get("action", "")).strip().lower() != "final answer":
        return None
    answer: object = entry.get("action_input")
    return answer if isinstance(answer, str) else None


def _read_react(span: Span) -> list[Written]:
    if span.kind == "action":
        return [_action_call(span)]
    body = _in_block(span)
    values, broken = read_all(body)
    written = [call for value in values if _is_react(value) for call in calls_in(value)]
    return written or (nearly(broken) if "action_input" in broken else [])


def _read_wrong_fence(span: Span) -> list[Written]:
    """JSON in a block that is no place for it: the whole block, to be refused with the reason."""
    if span.name:
        return [Written(span.name, span.text.strip())]
    values, broken = read_all(span.body)
    named = [call for value in values for call in calls_in(value)] or nearly(broken)
    return [Written(call.name, span.text.strip()) for call in named]


DIALECTS = (
    Dialect("fence", frozenset({"fence"}), _read_fence),
    Dialect("bracket", frozenset({"bracket"}), _read_bracket),
    Dialect("tag", frozenset({"call", "invoke", "sequence"}), _read_tag),
    Dialect("tool_code", frozenset({"tool_code"}), _read_tool_code),
    Dialect("dsml", frozenset({"dsml", "section"}), _read_dsml),
    Dialect("pseudo_xml", frozenset({"tool", "call"}), _read_pseudo_xml),
    Dialect("json", frozenset({"object", "object_fence"}), _read_json),
    Dialect("react", frozenset({"object", "object_fence", "react", "action"}), _read_react),
    Dialect("wrong_fence", frozenset({"object_fence"}), _read_wrong_fence),
)


def _read_sequence(body: str) -> list[Written]:
    """Calls one after another: JSON, `name{JSON}`, `name(key="value")`."""
    written: list[Written] = []
    at = 0
    while item := _ITEM.search(body, at):
        name = item[1] if item[1] and item[1].lower() not in _NO_NAMES else ""
        try:
            at, calls = _read_item(body, item, name)
        except Unreadable:
            broken = body[item.start() :]
            rest = [Written(name, without_closing(broken))] if name else nearly(broken)
            return written + rest
        written += calls
    return written or nearly(body)


def _read_item(body: str, item: re.Match[str], name: str) -> tuple[int, list[Written]]:
    if item[2] == "(":
        called, arguments, end = read_python_call(body, item.start())
        return end, [Written(called, arguments)]
    if item[2] == "[" and (listed := _PYTHON_LIST.match(body, item.start(2))):
        return listed.end(), []
    value, end = read(body, item.start(2))
    arguments = as_object(value) if name else None
    return end, list(calls_in(value)) if arguments is None else [Written(name, arguments)]


def _read_invokes(text: str) -> list[Written]:
    return [
        _element_call(element, element.attributes.get("name") or element.own)
        for element in elements(without_namespaces(text))
        if element.name == "invoke"
    ]


def _read_beside(name: str, beside: str) -> Written:
    """The call of `name` with the arguments that stand beside the element that names it."""
    arguments = arguments_in(beside) if beside.strip() else None
    return Written(name, (beside.strip() or name) if arguments is None else arguments)


def _after_name(inner: str) -> str:
    """What follows the element that names the tool, if that is JSON, else all of it."""
    rest = _NAME_ELEMENT.sub("", inner, count=1)
    return rest if rest.lstrip().startswith("{") else inner


def _element_call(element: Element, name: str) -> Written:
    arguments = arguments_in(element.inner)
    if arguments is None:
        return Written(name, without_closing(element.inner))
    extra = {key: value for key, value in element.attributes.items() if key not in ("name", "id")}
    return Written(name, extra | arguments)


def _read_section(body: str) -> list[Written]:
    header, brace, _ = body.partition("{")
    words = _WORD.findall(_CONTROL.sub(" ", header))
    names = [word for word in words if word not in ("function", "functions", "json")]
    if not names:
        return []
    if not brace:
        return [Written(names[-1], {})]
    try:
        value, _ = read(body, len(header))
    except Unreadable:
        return [Written(names[-1], without_closing(body[len(header) :]))]
    return [Written(names[-1], value)]


def _in_block(span: Span) -> str:
    """What stands in a code block, without what ends it; other spans as they are."""
    return span.body.rstrip().rstrip(_FENCE_MARKS)


def _bare_name(body: str) -> list[Written]:
    word = _WORD.search(body)
    return [Written(word[0], without_closing(body))] if word else []


def _action_call(span: Span) -> Written:
    body = span.body.strip()
    try:
        value, _ = read(body)
    except Unreadable:
        return Written(span.name, body)
    arguments = as_object(value)
    return Written(span.name, body if arguments is None else arguments)


def _is_react(value: object) -> bool:
    entry = as_object(value) or {}
    return "action" in entry and "action_input" in entry
