"""Errors of model endpoints, summarised for logs and operators.

Endpoints repeat in their errors what they were sent, and that is what a learner wrote. So their
words are never passed on: only codes, and phrases out of a list of ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec

MOST_READ: Final = 16_384
"""Bytes of an error that are looked at."""
_CODE = re.compile(r"(?!.*\d{7})[A-Za-z][A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+)*", re.ASCII)
"""`context_length_exceeded`, `BadRequestError`; never a sentence, never a number one could call."""
_LONGEST_CODE = 60
_PHRASES: Final = (
    "api key", "authentication", "unauthorized", "permission", "forbidden",
    "quota", "billing", "insufficient", "rate limit", "too many requests", "overloaded", "busy",
    "slow down", "capacity",
    "context length", "context window", "too many tokens", "max_tokens", "max_completion_tokens",
    "maximum allowed", "too long", "too large", "too short", "timed out", "timeout",
    "does not exist", "not found", "no such model", "deprecated", "decommissioned",
    "not supported", "unsupported", "not available", "unknown parameter", "unrecognized",
    "tool_choice", "tool_calls", "tool calls", "tools", "function", "response_format",
    "stream_options", "temperature", "reasoning_content", "reasoning_effort", "dimensions",
    "encoding_format", "image_url", "image", "file format", "could not be decoded", "corrupt",
    "content policy", "content filter", "content management policy", "moderation", "guardrail",
    "invalid json", "json", "schema", "template", "role", "invalid", "missing", "required",
    "internal", "maintenance", "upstream", "bad gateway", "country", "region",
)  # fmt: skip
_MOST_PHRASES = 4


def summarize_error(answer: object, *, secret: str = "") -> str:
    """What an endpoint's error says: its codes, then the known phrases in its words.

    Args:
        answer: the body, as bytes, text or decoded JSON.
        secret: our key, which some endpoints repeat.
    """
    if isinstance(answer, bytes | str):
        answer = _decode(answer)
    said = str(answer)[:MOST_READ].lower()
    codes = [code for code in _codes(answer) if not secret or secret not in code]
    phrases = [phrase for phrase in _PHRASES if phrase in said]
    found = [*dict.fromkeys(codes), *phrases[:_MOST_PHRASES]]
    return ", ".join(found) or "no known reason"


def _decode(body: bytes | str) -> object:
    """The JSON of a body; the text itself where it is none."""
    body = body[:MOST_READ]
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return body.decode(errors="replace") if isinstance(body, bytes) else body


def _codes(answer: object) -> list[str]:
    told = _fields(answer)
    error = _fields(told.get("error")) or told
    said = [error.get(key) for key in ("type", "code", "param")]
    return [
        str(code)
        for code in said
        if (isinstance(code, int) and not isinstance(code, bool) and 0 < code < 1_000_000)
        or (isinstance(code, str) and len(code) <= _LONGEST_CODE and _CODE.fullmatch(code))
    ]


def _fields(value: object) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
