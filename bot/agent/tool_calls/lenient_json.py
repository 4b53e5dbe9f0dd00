"""Read text that is meant to be JSON, as models write it. Nothing is ever evaluated.

The reader accepts JSON and also: single, smart and triple quotes, Gemma's tokens for quotes, raw
line breaks in strings, trailing and missing commas, bare keys, `=>` and `=` for the colon, `--key
value`, `True`, `None`, and the keyword arguments of a Python call. It does not add missing
brackets, since that would be guessing.
"""

from __future__ import annotations

import json
import re
from typing import Any, cast

DEEPEST = 64
"""Levels of nesting that the tolerant reader accepts."""
_STRICT = json.JSONDecoder(strict=False, parse_constant=lambda _: None)
_VALUE_START = re.compile(r"[{\[]")
_SPACE = re.compile(r"\s*+")
_SEPARATOR = re.compile(r"\s*+(?:=>|:=|:|=)\s*+")
_BARE_KEY = re.compile(r"(-{0,2})([A-Za-z_$][\w$.-]{0,127})")
_NUMBER = re.compile(
    r"[-+]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][-+]?\d{1,3})?(?![\w.])"
)
_WORD = re.compile(r"[A-Za-z_][\w.-]{0,127}(?=\s{0,40}(?:[,;})\]]|\Z))")
_CLOSED = re.compile(r"\s{0,8}\)")
_CONSTANTS = {"true": True, "false": False, **dict.fromkeys(("null", "none", "undefined", "nan"))}
_STRING = re.compile(
    r'"""(.*?)"""'
    r'|"(?!"")((?:[^"\\]|\\.)*+)"'
    # An apostrophe ends the string only where a string can end: `'l'eau'` is one.
    r"|'((?:[^'\\]|\\.|'(?!\s{0,40}(?:[,;:})\]]|=>|\Z)))*+)'"
    r"|[“”]([^”“\"]*+)[”“\"]"
    r"|‘(.*?)’(?=\s{0,40}(?:[,;:})\]]|\Z))"
    r"|`([^`]*+)`"
    r'|(?P<token><\|"\|>|<escape>)(.*?)(?P=token)',
    re.DOTALL,
)
_ESCAPE = re.compile(
    r"\\(?:(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U(00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4}))|(.))",
    re.DOTALL,
)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class Unreadable(ValueError):
    """The text cannot be read, not even leniently."""


def read_value(text: str, at: int = 0) -> tuple[Any, int]:
    """Return the value that begins at `at`, and the position where it ends. Takes linear time.

    Raises:
        Unreadable: no value begins there, or it is broken or nested too deep.
    """
    try:
        return _STRICT.raw_decode(text, at)
    except (ValueError, RecursionError):
        reader = _Reader(text, at)
        return reader.value(0), reader.at


def read_values(text: str) -> tuple[list[Any], str]:
    """Return the objects and arrays in `text`, and the rest of it from the first unreadable one."""
    values: list[Any] = []
    at = 0
    while start := _VALUE_START.search(text, at):
        try:
            value, at = read_value(text, start.start())
        except Unreadable:
            return values, text[start.start() :]
        values.append(value)
    return values, ""


def as_object(value: Any) -> dict[str, Any] | None:
    """Return `value` if it is a JSON object, else None."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def read_members(text: str, at: int) -> tuple[dict[str, Any], int]:
    """Return the keyword arguments of a Python call, in brackets that open at `at`, and their end.

    Raises:
        Unreadable: it has arguments without a keyword, other than a single object.
    """
    reader = _Reader(text, at + 1)
    try:
        return reader.members(")", 0), reader.at
    except Unreadable:
        value, end = read_value(text, at + 1)
        closed = _CLOSED.match(text, end)
        if not isinstance(value, dict) or not closed:
            raise
        return cast("dict[str, Any]", value), closed.end()


class _Reader:
    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at

    def value(self, depth: int) -> Any:
        self._skip(_SPACE)
        char = self._text[self.at : self.at + 1]
        if char in ("{", "["):
            if depth == DEEPEST:
                raise Unreadable
            self.at += 1
            return self.members("}", depth) if char == "{" else self._items(depth)
        string = self._string()
        return self._scalar() if string is None else string

    def members(self, closing: str, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not self._takes(closing):
            key = self._key()
            found[key] = self.value(depth + 1)
            self._takes(",;")
        return found

    def _items(self, depth: int) -> list[Any]:
        found: list[Any] = []
        while not self._takes("]"):
            found.append(self.value(depth + 1))
            self._takes(",;")
        return found

    def _key(self) -> str:
        key, dashes = self._string(), ""
        if key is None:
            bare = self._skip(_BARE_KEY)
            if not bare:
                raise Unreadable
            dashes, key = bare.groups()
        if not self._skip(_SEPARATOR) and not dashes:
            raise Unreadable
        return key

    def _string(self) -> str | None:
        found = self._skip(_STRING)
        if not found or not found.lastindex:
            return None
        text = found[found.lastindex]
        return text if found["token"] else _unescape(text)

    def _scalar(self) -> object:
        if number := self._skip(_NUMBER):
            written = number[0]
            is_whole = written.lstrip("+-").isdecimal()
            return int(written) if is_whole else float(written)
        if word := self._skip(_WORD):
            return _CONSTANTS.get(word[0].lower(), word[0])
        raise Unreadable

    def _takes(self, chars: str) -> bool:
        self._skip(_SPACE)
        char = self._text[self.at : self.at + 1]
        if taken := bool(char) and char in chars:
            self.at += 1
        return taken

    def _skip(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        if match := pattern.match(self._text, self.at):
            self.at = match.end()
        return match


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    text = _ESCAPE.sub(_escaped, text)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _escaped(match: re.Match[str]) -> str:
    if code := match[1] or match[2] or match[3]:
        return chr(int(code, 16))
    return _ESCAPED.get(match[4], match[4])
