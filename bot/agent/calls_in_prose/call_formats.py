"""The formats in which models write calls as prose, in the order in which they are believed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import msgspec

from bot.agent.calls_in_prose import MarkupKind, MarkupSpan, WrittenCall
from bot.agent.calls_in_prose.lenient_json import (
    Unreadable,
    as_object,
    read_object,
    read_python_call,
    read_value,
    read_values,
)
from bot.agent.calls_in_prose.lenient_xml import (
    NAME_ELEMENTS,
    Element,
    find_elements,
    parse_arguments,
    strip_namespaces,
)
from bot.agent.calls_in_prose.markup_bounds import NAMING
from bot.agent.openai_protocol.call_fragments import is_json_object, make_call_id
from bot.messages.transcript import ToolCall

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
class Format:
    name: str
    kinds: frozenset[MarkupKind]
    """The kinds of spans that may hold it."""
    read: Callable[[MarkupSpan], list[WrittenCall]]
    """Returns the calls in a span, in order; none if it is not written in this format."""


def _read_fence(span: MarkupSpan) -> list[WrittenCall]:
    body = _in_block(span)
    values, broken = read_values(body)
    objects = [entry for value in values if (entry := as_object(value)) is not None]
    written = [_named(span.name, value) for value in objects]
    if broken or not objects:
        written.append(
            WrittenCall(span.name, body.strip()) if body.strip() else WrittenCall(span.name, {})
        )
    return written


def _named(name: str, value: dict[str, Any]) -> WrittenCall:
    """Return the call of `name`; `value` is its arguments, or names the tool once more around
    them."""
    call = next(find_calls(value), None)
    is_around = call is not None and call.name == name and len(value) <= 3
    return call if call and is_around and "arguments" in value else WrittenCall(name, value)


def _read_bracket(span: MarkupSpan) -> list[WrittenCall]:
    body = strip_closing_tags(span.body)
    return _read_sequence(body) or read_broken_call(body) or _bare_name(body)


def _read_tag(span: MarkupSpan) -> list[WrittenCall]:
    if span.kind == "sequence":
        return _read_sequence(span.body)
    if span.kind == "invoke":
        return _read_invokes(span.text)
    head = next(find_elements(strip_namespaces(span.text)), None)
    if head and (head.attributes.get("name") or head.own):
        return [_element_call(head, head.attributes.get("name") or head.own)]
    return _read_sequence(span.body) if _JSON_BODY.match(span.body) else []


def _read_tool_code(span: MarkupSpan) -> list[WrittenCall]:
    return _read_sequence(span.body) or read_broken_call(span.body)


def _read_dsml(span: MarkupSpan) -> list[WrittenCall]:
    return _read_section(span.body) if span.kind == "section" else _read_invokes(span.text)


def _read_pseudo_xml(span: MarkupSpan) -> list[WrittenCall]:
    if naming := NAMING.match(span.text):
        return [_read_following(naming[1], span.text[naming.end() :])]
    return _read_element(span)


def _read_element(span: MarkupSpan) -> list[WrittenCall]:
    head = next(find_elements(strip_namespaces(span.text)), None)
    if head is None:
        return []
    if name := head.attributes.get("name") or head.own:
        return [_element_call(head, name)]
    if _JSON_BODY.match(head.inner):
        return _read_sequence(head.inner)
    named = next((one for one in find_elements(head.inner) if one.name in NAME_ELEMENTS), None)
    if named:
        return [_element_call(replace(head, inner=_after_name(head.inner)), named.inner.strip())]
    if leading := _LEADING_NAME.match(head.inner):
        rest = head.inner[leading.end() :]
        arguments = parse_arguments(rest) if rest.strip() else None
        return [WrittenCall(leading[1], head.inner.strip() if arguments is None else arguments)]
    return read_broken_call(head.inner)


def _read_json(span: MarkupSpan) -> list[WrittenCall]:
    body = _in_block(span)
    values, broken = read_values(body)
    if span.kind == "object_fence":
        values = [one for one in values if "tool_calls" in (as_object(one) or ())]
        is_meant = "tool_calls" in body
    else:
        values = [one for one in values if not _is_react(one)]
        is_meant = "action" not in body[:20]
    written = [call for value in values for call in find_calls(value)]
    return written or (read_broken_call(broken) if broken and is_meant else [])


def read_final_answer(span: MarkupSpan) -> str | None:
    """Return what ReAct says to the person in the form of a call, if `span` is that."""
    if span.kind not in ("object", "object_fence", "react"):
        return None
    values, _ = read_values(_in_block(span))
    entry = as_object(values[0]) if len(values) == 1 else None
    if entry is None or str(entry.get("action", "")).strip().lower() != "final answer":
        return None
    answer: object = entry.get("action_input")
    return answer if isinstance(answer, str) else None


def _read_react(span: MarkupSpan) -> list[WrittenCall]:
    if span.kind == "action":
        return [_action_call(span)]
    body = _in_block(span)
    values, broken = read_values(body)
    written = [call for value in values if _is_react(value) for call in find_calls(value)]
    return written or (read_broken_call(broken) if "action_input" in broken else [])


def _read_wrong_fence(span: MarkupSpan) -> list[WrittenCall]:
    """Return the whole block as broken arguments: JSON in a block that is no place for calls."""
    if span.name:
        return [WrittenCall(span.name, span.text.strip())]
    values, broken = read_values(span.body)
    named = [call for value in values for call in find_calls(value)] or read_broken_call(broken)
    return [WrittenCall(call.name, span.text.strip()) for call in named]


FORMATS = (
    Format("fence", frozenset({"fence"}), _read_fence),
    Format("bracket", frozenset({"bracket"}), _read_bracket),
    Format("tag", frozenset({"call", "invoke", "sequence"}), _read_tag),
    Format("harmony", frozenset({"message"}), _read_fence),
    Format("tool_code", frozenset({"tool_code"}), _read_tool_code),
    Format("dsml", frozenset({"dsml", "section"}), _read_dsml),
    Format("pseudo_xml", frozenset({"tool", "call"}), _read_pseudo_xml),
    Format("json", frozenset({"object", "object_fence"}), _read_json),
    Format("react", frozenset({"object", "object_fence", "react", "action"}), _read_react),
    Format("wrong_fence", frozenset({"object_fence"}), _read_wrong_fence),
)


def _read_sequence(body: str) -> list[WrittenCall]:
    """Read calls one after another: JSON, `name{JSON}`, `name(key="value")`."""
    written: list[WrittenCall] = []
    at = 0
    while item := _ITEM.search(body, at):
        name = item[1] if item[1] and item[1].lower() not in _NO_NAMES else ""
        try:
            at, calls = _read_item(body, item, name)
        except Unreadable:
            broken = body[item.start() :]
            rest = (
                [WrittenCall(name, strip_closing_tags(broken))]
                if name
                else read_broken_call(broken)
            )
            return written + rest
        written += calls
    return written or read_broken_call(body)


def _read_item(body: str, item: re.Match[str], name: str) -> tuple[int, list[WrittenCall]]:
    if item[2] == "(":
        called, arguments, end = read_python_call(body, item.start())
        return end, [WrittenCall(called, arguments)]
    if item[2] == "[" and (listed := _PYTHON_LIST.match(body, item.start(2))):
        return listed.end(), []
    value, end = read_value(body, item.start(2))
    arguments = as_object(value) if name else None
    return end, list(find_calls(value)) if arguments is None else [WrittenCall(name, arguments)]


def _read_invokes(text: str) -> list[WrittenCall]:
    return [
        _element_call(element, element.attributes.get("name") or element.own)
        for element in find_elements(strip_namespaces(text))
        if element.name == "invoke"
    ]


def _read_following(name: str, following: str) -> WrittenCall:
    """Return the call of `name` with the arguments that follow the element that names it."""
    arguments = parse_arguments(following) if following.strip() else None
    return WrittenCall(name, (following.strip() or name) if arguments is None else arguments)


def _after_name(inner: str) -> str:
    """Return what follows the element that names the tool, if that is JSON, else all of it."""
    rest = _NAME_ELEMENT.sub("", inner, count=1)
    return rest if rest.lstrip().startswith("{") else inner


def _element_call(element: Element, name: str) -> WrittenCall:
    arguments = parse_arguments(element.inner)
    if arguments is None:
        return WrittenCall(name, strip_closing_tags(element.inner))
    extra = {key: value for key, value in element.attributes.items() if key not in ("name", "id")}
    return WrittenCall(name, extra | arguments)


def _read_section(body: str) -> list[WrittenCall]:
    header, brace, _ = body.partition("{")
    words = _WORD.findall(_CONTROL.sub(" ", header))
    names = [word for word in words if word not in ("function", "functions", "json")]
    if not names:
        return []
    if not brace:
        return [WrittenCall(names[-1], {})]
    try:
        value, _ = read_value(body, len(header))
    except Unreadable:
        return [WrittenCall(names[-1], strip_closing_tags(body[len(header) :]))]
    return [WrittenCall(names[-1], value)]


def _in_block(span: MarkupSpan) -> str:
    """Return the content of a code block without its end; other spans as they are."""
    return span.body.rstrip().rstrip(_FENCE_MARKS)


def _bare_name(body: str) -> list[WrittenCall]:
    word = _WORD.search(body)
    return [WrittenCall(word[0], strip_closing_tags(body))] if word else []


def _action_call(span: MarkupSpan) -> WrittenCall:
    body = span.body.strip()
    try:
        value, _ = read_value(body)
    except Unreadable:
        return WrittenCall(span.name, body)
    arguments = as_object(value)
    return WrittenCall(span.name, body if arguments is None else arguments)


def _is_react(value: object) -> bool:
    entry = as_object(value) or {}
    return "action" in entry and "action_input" in entry


MOST_RAW = 2_000
"""Characters of arguments that cannot be read; they only serve to say what is wrong."""
NAMES = ("name", "tool", "tool_name", "function", "action", "recipient_name")
ARGUMENTS = ("arguments", "parameters", "args", "params", "input", "action_input", "tool_input")
_META = frozenset({*NAMES, *ARGUMENTS, "id", "type", "thought", "index"})
_NAMED = re.compile(
    r"[\"'“‘]?\b(?:name|tool|tool_name|function|action)[\"'”’]?\s{0,8}(?:=>|:|=)\s{0,8}"
    r"[\"'“‘]?([\w.:-]{1,80})"
)
_CLOSING = re.compile(
    r"(?:<[/|｜][^<>]{0,80}(?:>|\Z)|\[(?:/|END_)[A-Z_]{1,20}(?:\]|\Z))\s*+\Z", re.IGNORECASE
)
_MOST_CLOSINGS = 4


def find_calls(value: Any) -> Iterator[WrittenCall]:
    """Yield the calls that a JSON value stands for: one, a list, or `{"tool_calls": […]}`."""
    entry = as_object(value)
    held: object = value if entry is None else entry.get("tool_calls", entry)
    for one in cast("list[Any]", held) if isinstance(held, list) else [held]:
        entry = as_object(one)
        if entry and (call := read_call(entry)):
            yield call


def read_call(entry: dict[str, Any]) -> WrittenCall | None:
    """Return the call that `{name, arguments}` in any of its spellings stands for."""
    entry = as_object(entry.get("function")) or entry
    named: object = next((entry[key] for key in NAMES if isinstance(entry.get(key), str)), None)
    if not isinstance(named, str):
        return None
    held = [entry[key] for key in ARGUMENTS if key in entry]
    if held:
        return WrittenCall(named, _arguments(held[0]))
    return WrittenCall(named, {key: value for key, value in entry.items() if key not in _META})


def read_broken_call(text: str) -> list[WrittenCall]:
    """Return the call that broken `text` was meant to be: the first name in it, and the text as
    is."""
    named = _NAMED.search(text)
    return [WrittenCall(named[1], strip_closing_tags(text))] if named else []


def strip_closing_tags(text: str) -> str:
    """Return `text` without the tags that close it."""
    for _ in range(_MOST_CLOSINGS):
        text = _CLOSING.sub("", text)
    return text.strip()


def make_tool_call(name: str, arguments: dict[str, Any] | str, span: str) -> ToolCall:
    """Make the call of the known tool `name`.

    Arguments that could not be read are given as written, never as a JSON object: rather the whole
    `span` then, so that nothing runs by accident.
    """
    if isinstance(arguments, dict):
        try:
            return ToolCall(make_call_id(), name, msgspec.json.encode(arguments).decode())
        except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError):
            arguments = span
    candidates = (one[:MOST_RAW].encode(errors="replace").decode() for one in (arguments, span))
    raw = next((one for one in candidates if one and not is_json_object(one)), "[]")
    return ToolCall(make_call_id(), name, raw)


def _arguments(held: Any) -> dict[str, Any] | str:
    if (values := as_object(held)) is not None:
        return values
    if held is None or held == "":
        return {}
    if not isinstance(held, str):
        return ""
    values = read_object(held)
    if values is None and held.lstrip().startswith("<"):
        values = parse_arguments(held)
    return held if values is None else values
