"""Read the content of call markup: JSON, XML, keys and values, Python. Nothing is evaluated."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import msgspec
import regex

from bot.agent.openai_protocol.chunks import is_json_object, make_call_id
from bot.agent.tool_calls.call_markup import Marker, find_known_name
from bot.agent.tool_calls.families import NAME, Proof
from bot.agent.tool_calls.lenient_json import (
    Unreadable,
    as_object,
    read_members,
    read_value,
    read_values,
)
from bot.messages.transcript import ToolCall

MOST_RAW = 2_000
"""Characters that are kept of unreadable arguments; they only serve to say what is wrong."""
_MOST_BROKEN = 8
"""Broken objects in one markup after which reading still goes on."""
_NAMES = ("name", "tool", "tool_name", "function", "action", "recipient_name")
_ARGUMENTS = ("arguments", "parameters", "args", "params", "input", "action_input", "tool_input")
_META = frozenset({*_NAMES, *_ARGUMENTS, "id", "type", "thought", "index", "tool_call_id"})
_NO_NAMES = frozenset({"json", "function", "functools", "python", "tool_code", "print"})
_PARAMETERS = ("parameter", "param", "arg", "argument")

_NAMED = re.compile(
    r"[\"'“‘]?\b(?:name|tool|tool_name|function|action)[\"'”’]?\s{0,8}(?:=>|:|=)\s{0,8}"
    r"[\"'“‘]?([\w.:-]{1,80})"
)
_ITEM = re.compile(rf"(?<![\w.:-])(?:({NAME})\s{{0,8}})?(?<![\w.:-])?([{{\[(])")
_CALL_LIST = re.compile(r"\[\s{0,8}(?=[A-Za-z_][\w.:]{0,79}\()")
_NEXT_OBJECT = re.compile(r"\n\s{0,20}(?=[{\[])")
_WORD = re.compile(NAME)
_NAME_ELEMENT = re.compile(r"\A<(?:tool_|function_)?name>([^<>]{1,99})</[^<>]{0,99}>", re.I)
_LEADING_NAME = re.compile(rf"\s{{0,64}}({NAME})\s{{0,64}}(?=<|\Z)")
_CLOSINGS = re.compile(
    r"(?:(?:<[/|｜][^<>]{0,80}(?:>|\Z)|\[(?:/|END_)[A-Z_]{1,20}(?:\]|\Z))\s*+){1,4}\Z",
    re.IGNORECASE,
)
_MARKUP_NAMES = "tool_calls?|function_calls?|invoke|parameter|tool|tool_use|function|name"
_NAMESPACE = r"(?:\s?[|｜‖]{1,2}\s?DSML\s?[|｜‖]{1,2}\s?|[A-Za-z][\w-]{0,19}:)"
_SPELLINGS = (
    (re.compile(r"\]<\]minimax\[>\[|<tool_sep>"), ""),
    (re.compile(r"<\|open\|>([^<>]{1,200})<\|sep\|>"), r"<\1>"),
    (re.compile(r"<\|close\|>([^<>]{1,80})<\|sep\|>"), r"</\1>"),
    (re.compile(r"<(/?)longcat_"), r"<\1"),
    (re.compile(rf"<(/?){_NAMESPACE}(?=(?:{_MARKUP_NAMES})[\s>=/])", re.IGNORECASE), r"<\1"),
    (re.compile(r"<(param|function)name="), r"<\1 name="),
)
"""Spellings of markup in some families, with the `<…>` form that replaces them."""
_LISTED = re.compile(r"\s{0,64}(?:\[\s{0,20})?\{\s{0,20}[\"'“”]tool_calls[\"'“”]")
_REACT = re.compile(r"[\"'“”]action_input[\"'“”]\s{0,8}(?::|\Z)")
_SHAPE = re.compile(r"[\"'“”](?:arguments|parameters)[\"'“”]\s{0,8}:")


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as the model wrote it. `arguments` is text if it could not be read, and empty if it is
    JSON but no object."""

    name: str
    arguments: dict[str, Any] | str


class XmlText(str):
    """The text of an element; only the tool's schema says what type its value has."""

    __slots__ = ()


def read_calls(marker: Marker, text: str, known: Collection[str]) -> list[WrittenCall] | None:
    """Return the calls in `text`, which begins with `marker`, in order; None if it is no call."""
    family, body = marker.family, text[marker.body :]
    if marker.closing:
        body = regex.sub(rf"(?:{marker.closing})\s*+\Z", "", body, flags=regex.IGNORECASE)
    if body.lstrip()[:1] not in ("{", "["):
        body = _respell(body)
    is_wrong = "wrong" in family.traits
    if marker.name and not is_wrong:
        return _read_named(marker.name, body, _respell(text[: marker.body]))
    if family.proof == "none" and not is_wrong:
        return _read_unnamed(body)
    written = _read_sequence(body)
    if family.proof != "none" and not _is_proved(family.proof, body, written, known):
        return None
    if is_wrong:
        names = [marker.name] if marker.name else [call.name for call in written]
        return [WrittenCall(name, text.strip()) for name in names]
    return written


def _is_proved(proof: Proof, body: str, written: list[WrittenCall], known: Collection[str]) -> bool:
    if _LISTED.match(body) or is_react(body):
        return True
    is_known = any(find_known_name(call.name, known) for call in written)
    has_shape = bool(written) and _SHAPE.search(body) is not None
    return (is_known and proof != "keys") or (has_shape and proof == "shape")


def is_react(body: str) -> bool:
    """Return whether `body` is JSON in ReAct's form."""
    return bool(_REACT.search(body))


def read_final_answer(body: str) -> str:
    """Return the answer that ReAct writes in the form of a call; empty if `body` is none."""
    values, _ = read_values(body)
    entry = (as_object(values[0]) if len(values) == 1 else None) or {}
    is_final = str(entry.get("action", "")).strip().lower() == "final answer"
    answer: object = entry.get("action_input")
    return answer if is_final and isinstance(answer, str) else ""


def _respell(text: str) -> str:
    for spelling, plain in _SPELLINGS:
        text = spelling.sub(plain, text)
    return text


def _read_named(name: str, body: str, opening: str) -> list[WrittenCall]:
    """Return the calls of `name`: mostly one, but each of several objects counts as a call."""
    if body.lstrip()[:1] in ("{", "["):
        values, broken = read_values(_strip_closing_tags(body))
        objects = [entry for value in values if (entry := as_object(value)) is not None]
        if objects and not broken:
            return [_unwrap(name, value) for value in objects]
        return [WrittenCall(name, _strip_closing_tags(body))]
    attributes = _read_attributes(opening.removesuffix("/>"))
    call = _make_call(name, body)
    if isinstance(call.arguments, str):
        return [call]
    extra = {key: value for key, value in attributes.items() if key not in _META}
    return [WrittenCall(name, extra | call.arguments)]


def _unwrap(name: str, value: dict[str, Any]) -> WrittenCall:
    """Return the call of `name`; `value` is its arguments, or an object with the tool's name and
    these."""
    call = _read_entry(value)
    is_around = call is not None and call.name == name and len(value) <= 3
    return call if call and is_around and "arguments" in value else WrittenCall(name, value)


def _read_unnamed(body: str) -> list[WrittenCall]:
    inner = _NAME_ELEMENT.sub(r"\1 ", body.strip())
    if leading := _LEADING_NAME.match(inner):
        return [_make_call(leading[1], inner[leading.end() :], inner)]
    stripped = _strip_closing_tags(inner)
    if written := _read_sequence(stripped):
        return written
    word = _WORD.search(stripped)
    return [WrittenCall(word[0], stripped)] if word else []


def _make_call(name: str, body: str, raw: str = "") -> WrittenCall:
    arguments = read_arguments(body)
    return WrittenCall(name, _strip_closing_tags(raw or body) if arguments is None else arguments)


def _read_sequence(body: str) -> list[WrittenCall]:
    """Read a sequence of calls: JSON, `name{JSON}`, `name(key="value")`."""
    written: list[WrittenCall] = []
    at = broken = 0
    while item := _ITEM.search(body, at):
        name = item[1] if item[1] and item[1].lower() not in _NO_NAMES else ""
        try:
            at, calls = _read_item(body, item, name)
        except Unreadable:
            following = _NEXT_OBJECT.search(body, item.end())
            at = following.end() if following and broken < _MOST_BROKEN else len(body)
            broken += 1
            piece = body[item.start() : at].strip()
            calls = [WrittenCall(name, _strip_closing_tags(piece))] if name else _read_broken(piece)
        written += calls
    return written or _read_broken(body)


def _read_item(body: str, item: re.Match[str], name: str) -> tuple[int, list[WrittenCall]]:
    bracket = item.start(2)
    if item[2] == "(":
        if not name:
            return bracket + 1, []
        arguments, end = read_members(body, bracket)
        return end, [WrittenCall(name, arguments)]
    if item[2] == "[" and (listed := _CALL_LIST.match(body, bracket)):
        return listed.end(), []
    value, end = read_value(body, bracket)
    arguments = as_object(value) if name else None
    return end, list(find_calls(value)) if arguments is None else [WrittenCall(name, arguments)]


def find_calls(value: Any) -> Iterator[WrittenCall]:
    """Yield the calls in a JSON value: one call, a list, or `{"tool_calls": […]}`."""
    entry = as_object(value)
    held: object = value if entry is None else entry.get("tool_calls", entry)
    for one in cast("list[Any]", held) if isinstance(held, list) else [held]:
        entry = as_object(one)
        if entry and (call := _read_entry(entry)):
            yield call


def _read_entry(entry: dict[str, Any]) -> WrittenCall | None:
    """Return the call in `{name, arguments}`, in any of its spellings, or in `{name:
    arguments}`."""
    entry = as_object(entry.get("function")) or entry
    named: object = next((entry[key] for key in _NAMES if isinstance(entry.get(key), str)), None)
    if not isinstance(named, str):
        key, value = next(iter(entry.items()), ("", None))
        is_call = len(entry) == 1 and key not in _META and isinstance(value, dict)
        return WrittenCall(key, cast("dict[str, Any]", value)) if is_call else None
    held = [entry[key] for key in _ARGUMENTS if key in entry]
    if not held:
        return WrittenCall(named, {key: entry[key] for key in entry if key not in _META})
    arguments: object = held[0]
    if isinstance(arguments, str):
        read = read_arguments(arguments) if arguments.lstrip()[:1] in ("", "{", "<") else None
        return WrittenCall(named, arguments if read is None else read)
    is_object = arguments is None or isinstance(arguments, dict)
    return WrittenCall(named, as_object(arguments) or {} if is_object else "")


def _read_broken(text: str) -> list[WrittenCall]:
    """Return the call that broken `text` was meant to be: the first name in it, with the text as
    is."""
    named = _NAMED.search(text)
    return [WrittenCall(named[1], _strip_closing_tags(text))] if named else []


def _strip_closing_tags(text: str) -> str:
    return _CLOSINGS.sub("", text).strip()


_ELEMENT = re.compile(
    r"<([A-Za-z_][\w.:-]{0,63})([=\s][^<>]{0,400}?)?(?:/>|>(.*?)"
    r"(?:</\1(?:\s[^<>]{0,400})?>|(?(2)(?=<\1[=\s][^<>]{0,400}>)|(?=<\1>))|(?:</?[A-Za-z_]?[^<>]{0,400})?\Z))",
    re.IGNORECASE | re.DOTALL,
)
"""An outermost element. It ends at its own closing tag, at the next opening tag of the same kind,
or with the text; other tags inside are its content."""
_ATTRIBUTE = re.compile(r"([\w:.-]{1,64})\s{0,8}=\s{0,8}(?:([\"'])(.*?)\2|([^\s\"'>]+))", re.DOTALL)
_KEY_AND_VALUE = re.compile(
    r"<arg_key>(.{1,200}?)\s*(?:</arg_key>|(?=<arg_value>))\s*+(?:<arg_value>)?"
    r"(.*?)(?:</arg_value>|(?=<arg_key>)|\Z)",
    re.DOTALL,
)
_CDATA = re.compile(r"\s*+<!\[CDATA\[(.*?)(?:\]\]>\s*)?\Z", re.DOTALL)
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,7}|#x[0-9a-fA-F]{1,6});")
_SCALAR = re.compile(
    r"true|True|false|False|null|Null|None"
    r"|-?(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?(?:[eE][-+]?\d{1,2})?"
)
_VALUE = re.compile(
    rf"<(/?)(?:\|open\|>|\|close\|>)?(?:{_NAMESPACE}|longcat_)?"
    r"(?:parameter|param|arg_value|argument|arg)\b[^<>]{0,400}>",
    re.IGNORECASE,
)


def ends_in_value(text: str) -> bool:
    """Return whether the last value in `text` was not closed, which means that the text broke off
    in it."""
    *_, last = "</>", *(tag[0] for tag in _VALUE.finditer(text))
    return not last.startswith("</") and not last.endswith("/>")


def read_arguments(inner: str, *, nested: bool = False) -> dict[str, Any] | None:
    """Return the arguments written as JSON, as elements or in Python's brackets; None in any other
    form."""
    start = inner.lstrip()[:1]
    if not start or start in "{[`":
        values, broken = read_values(inner)
        is_one = len(values) == 1 and not broken
        return {} if not start else as_object(values[0]) if is_one else None
    if start == "(":
        try:
            return read_members(inner, inner.index("("))[0]
        except Unreadable:
            return None
    if "<arg_key>" in inner:
        return {pair[1].strip(): XmlText(pair[2]) for pair in _KEY_AND_VALUE.finditer(inner)}
    found: dict[str, Any] = {}
    for element in _ELEMENT.finditer(inner):
        if element[1].lower() in _ARGUMENTS and not nested:
            found |= read_arguments(element[3] or "", nested=True) or {}
        else:
            found |= _read_parameter(element[1], element[2] or "", element[3] or "")
    return found or None


def _read_parameter(name: str, rest: str, inner: str) -> dict[str, str]:
    """Read an element that is an argument; `rest` is the text after its name in the tag."""
    attributes = _read_attributes(rest)
    if rest.startswith("="):
        name = rest[1:].strip().strip("\"'")
    elif name.lower() in _PARAMETERS:
        name = attributes.get("name") or attributes.get("key") or name
    if attributes.get("string") == "true" or attributes.get("type") == "string":
        return {name: inner}
    if cdata := _CDATA.match(inner):
        return {name: cdata[1]}
    text = inner.removeprefix("\n").removesuffix("\n")
    return {name: XmlText(_ENTITY.sub(_decode_entity, text))}


def _read_attributes(text: str) -> dict[str, str]:
    return {one[1].lower(): one[3] or one[4] or "" for one in _ATTRIBUTE.finditer(text)}


def _decode_entity(match: re.Match[str]) -> str:
    return html.unescape(match[0]).replace("\N{REPLACEMENT CHARACTER}", match[0])


def make_tool_call(call: WrittenCall, markup: str, schema: Mapping[str, Any]) -> ToolCall:
    """Make the call of a known tool, whose arguments `schema` describes.

    Arguments that could not be read are passed on as written, unless they are a JSON object: then
    `markup` is passed on instead, so that nothing runs by accident.
    """
    written = call.arguments
    if isinstance(written, dict):
        values = _fit_to_schema(written, schema)
        try:
            return ToolCall(make_call_id(), call.name, msgspec.json.encode(values).decode())
        except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError):
            written = markup
    candidates = (one[:MOST_RAW].encode(errors="replace").decode() for one in (written, markup))
    raw = next((one for one in candidates if one and not is_json_object(one)), "[]")
    return ToolCall(make_call_id(), call.name, raw)


def _fit_to_schema(arguments: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return `arguments` with values of the schema's types, taken out of an object around them."""
    properties: Mapping[str, Any] = schema.get("properties") or {}
    key, value = next(iter(arguments.items()), ("", None))
    around = _ARGUMENTS if properties else _ARGUMENTS[:2]
    if len(arguments) == 1 and key in around and key not in properties:
        inner = (
            read_arguments(value) if isinstance(value, str) and value.strip()[:1] == "{" else value
        )
        arguments = as_object(inner) or arguments
    return {
        key: _type_value(value, properties.get(key) or {}) if isinstance(value, XmlText) else value
        for key, value in arguments.items()
    }


def _type_value(text: str, schema: Mapping[str, Any]) -> Any:
    """Return the JSON value of an element's text; text that is no JSON stays a string."""
    types = _find_types(schema)
    written = text.strip()
    if "string" in types and not (written == "null" and "null" in types):
        return str(text)
    if types and written.isalpha():
        written = written.capitalize()
    if _SCALAR.fullmatch(written) or written[:1] in ("{", "["):
        try:
            value, end = read_value(written)
        except Unreadable:
            return str(text)
        return value if end == len(written) else str(text)
    return str(text)


def _find_types(schema: Mapping[str, Any]) -> set[str]:
    kinds: str | list[str] = schema.get("type", [])
    found = {kinds} if isinstance(kinds, str) else set(kinds)
    found |= {"string" for value in schema.get("enum", ()) if isinstance(value, str)}
    return found.union(*map(_find_types, schema.get("anyOf", ())))
