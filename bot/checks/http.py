"""One question to a provider over HTTP. Nothing of the request is ever named: URLs hold tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlencode

import msgspec
from aiohttp import ClientError, ClientSession, DummyCookieJar

from bot.errors import TooLarge
from bot.net import read_within

_MAX_ANSWER = 4 * 2**20
"""Bytes; the longest are lists of models."""


class Unanswered(Exception):
    """Nobody answered, or not as published; the message says what was seen."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    content: Any
    """Its JSON; None where it is none."""

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300

    @property
    def fields(self) -> Mapping[str, Any]:
        """Of its JSON object; empty where it is none."""
        return get_fields(self.content)

    def unexpected(self) -> Unanswered:
        return Unanswered(f"it answered {self.status}")


def get_fields(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


async def ask_provider(
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    question: object = None,
    form: Mapping[str, str] | None = None,
) -> Answer:
    """GET, or POST with `question` as JSON or with a form. Redirects are answers like others: they
    would carry keys elsewhere. How long it may take is the caller's business.

    Raises:
        Unanswered: no connection, or a broken or too long answer.
    """
    sent = {"User-Agent": "Griot", "Accept": "application/json", **(headers or {})}
    body = None if question is None else msgspec.json.encode(question)
    if body is not None:
        sent["Content-Type"] = "application/json"
    if form is not None:
        sent["Content-Type"] = "application/x-www-form-urlencoded"
        body = urlencode(form).encode()
    # `from None`: aiohttp's errors hold the URL.
    try:
        async with (
            ClientSession(cookie_jar=DummyCookieJar()) as session,
            session.request(
                "GET" if body is None else "POST",
                url,
                headers=sent,
                data=body,
                allow_redirects=False,
            ) as response,
        ):
            return Answer(response.status, _decode(await read_within(response, _MAX_ANSWER)))
    except TooLarge:
        raise Unanswered(f"it answered more than {_MAX_ANSWER} bytes") from None
    except (ClientError, OSError, ValueError) as error:
        raise Unanswered(f"no connection ({type(error).__name__})") from None


def _decode(content: bytes) -> Any:
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
