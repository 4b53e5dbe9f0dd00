"""Read what models write when they mean XML: unclosed and unescaped elements, with names in odd
places, in one pass. Nothing is ever evaluated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bot.agent.calls_in_prose.lenient_json import Unreadable, as_object, read_value, read_values

_NAMESPACE = re.compile(
    r"<(/?)(?:[|｜‖]{1,2}DSML[|｜‖]{1,2}|[A-Za-z][\w-]{0,19}:)"
    r"(?=(?:tool_calls?|function_calls?|invoke|parameter|tool|tool_use|function)[\s>=/])",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(/?)([A-Za-z_][\w.-]{0,63})((?:[=\s/][^<>]{0,400})?)>")
_ATTRIBUTE = re.compile(r"([\w:.-]{1,64})\s{0,8}=\s{0,8}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"']+))")
_DANGLING = re.compile(r"</?[A-Za-z_]?[^<>]{0,400}\Z")
_CDATA = re.compile(r"\s*+<!\[CDATA\[(.*?)(?:\]\]>\s*)?\Z", re.DOTALL)
_ENTITY = re.compile(r"&(?:(lt|gt|amp|quot|apos|nbsp)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": "\N{NBSP}"}
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?(?:[eE][-+]?\d{1,2})?")
_PYTHON_CONSTANTS = {"True": "true", "False": "false", "None": "null"}
_VALUE = re.compile(
    r"<(/?)(?:[|｜‖]{1,2}DSML[|｜‖]{1,2}|[A-Za-z][\w-]{0,19}:)?"
    r"(?:parameter|param|arg_value|argument|arg)\b[^<>]{0,400}>",
    re.IGNORECASE,
)
NAME_ELEMENTS = ("name", "tool_name", "function_name")
"""Children that name the tool."""
ARGUMENT_ELEMENTS = ("arguments", "parameters", "args", "params", "input", "tool_input")
"""Children that hold all arguments."""
_PARAMETERS = ("parameter", "param", "arg", "argument")
_MOST_ATTRIBUTES = 16


@dataclass(frozen=True, slots=True)
class Element:
    """An XML element, wherever it was closed."""

    name: str
    """In small letters."""
    written: str
    """The name as written."""
    inner: str = ""
    attributes: dict[str, str] = field(default_factory=dict[str, str])
    own: str = ""
    """What follows the name directly: `web_search` of `<function=web_search>`."""


def ends_in_value(text: str) -> bool:
    """Return whether the last value in `text` was not closed: where the text broke off, so did
    it."""
    *_, last = "</>", *(tag[0] for tag in _VALUE.finditer(text))
    return not last.startswith("</") and not last.endswith("/>")


def strip_namespaces(text: str) -> str:
    """Return `text` with `<minimax:invoke …>` and `<｜DSML｜invoke …>` as `<invoke …>`."""
    return _NAMESPACE.sub(r"<\1", text)


def find_elements(text: str) -> Iterator[Element]:
    """Yield the outermost elements of `text`.

    One ends at its own closing tag, at the next opening one that is alike, or with the text; other
    tags inside are its content.
    """
    opened: re.Match[str] | None = None
    for tag in _TAG.finditer(text):
        if opened:
            if tag[2].lower() != opened[2].lower() or _is_content(tag, opened):
                continue
            yield _element(opened, text[opened.end() : tag.start()])
            opened = None
        if tag[1]:
            continue
        if tag[3].endswith("/"):
            yield _element(tag, "")
        else:
            opened = tag
    if opened:
        yield _element(opened, _DANGLING.sub("", text[opened.end() :]))


def _is_content(tag: re.Match[str], opened: re.Match[str]) -> bool:
    """Return whether `tag`, of the same name as `opened`, only stands in its text."""
    return not tag[1] and bool(tag[3].strip()) != bool(opened[3].strip())


def parse_arguments(inner: str, *, nested: bool = False) -> dict[str, Any] | None:
    """Return the arguments written inside an element, as JSON or as elements; None if neither."""
    if not inner.strip():
        return {}
    if inner.lstrip()[0] in "{[`":
        values, broken = read_values(inner)
        return as_object(values[0]) if len(values) == 1 and not broken else None
    found: dict[str, Any] = {}
    key = ""
    for element in find_elements(inner):
        if element.name == "arg_key":
            key = element.inner.strip()
        elif element.name == "arg_value":
            found[key] = parse_value(element.inner)
        elif element.name in ARGUMENT_ELEMENTS and not nested:
            found |= parse_arguments(element.inner, nested=True) or {}
        elif nested or element.name not in NAME_ELEMENTS:
            found[_key(element)] = _value(element)
    return found or None


def parse_value(written: str) -> Any:
    """Return the JSON value that an element's text stands for; what is no JSON is a string."""
    if cdata := _CDATA.match(written):
        return cdata[1]
    text = _ENTITY.sub(_entity, written).strip()
    if _SCALAR.fullmatch(_PYTHON_CONSTANTS.get(text, text)) or text[:1] in ("{", "["):
        try:
            value, end = read_value(text)
        except Unreadable:
            return text
        return value if end == len(text) else text
    return text


def _element(tag: re.Match[str], inner: str) -> Element:
    written, rest = tag[2], tag[3].removesuffix("/")
    if rest.startswith("="):
        own = rest[1:].strip().strip("\"'")
        return Element(written.lower(), written, inner, own=own)
    attributes: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(rest):
        attributes[match[1].lower()] = match[2] or match[3] or match[4] or ""
        if len(attributes) == _MOST_ATTRIBUTES:
            break
    return Element(written.lower(), written, inner, attributes)


def _key(element: Element) -> str:
    if element.name in _PARAMETERS:
        return element.own or element.attributes.get("name") or element.name
    return element.written


def _value(element: Element) -> Any:
    if element.attributes.get("string") == "true":
        return element.inner
    return parse_value(element.inner)


def _entity(match: re.Match[str]) -> str:
    if match[1]:
        return _ENTITIES[match[1]]
    number = int(match[2]) if match[2] else int(match[3], 16)
    is_character = 0 < number < 0xD800 or 0xDFFF < number <= 0x10FFFF
    return chr(number) if is_character else match[0]
