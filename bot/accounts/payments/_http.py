"""How a payment provider is asked: one question, bounded in time and size.

Whatever is no published answer is a `ConnectionError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import msgspec
from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar
from yarl import URL

from bot.accounts.payments._answers import fields_of
from bot.bodies import read_within
from bot.errors import TooLarge

SECONDS = 10.0
"""For a whole exchange."""
MAX_ANSWER = 256 * 1024
"""Bytes of an answer; what providers send is a thousandth of that."""
MAX_REASON = 200
"""Characters of what a provider says is wrong."""
OpenSession = Callable[[], ClientSession]
_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"
_MIN_SECRET = 8
_CODE = re.compile(r"(?!.*\d{7})[\w.-]{1,60}", re.ASCII)
"""What may be repeated of an error: a code. Anything longer could name a person or a number."""
_PERSONAL = re.compile(r"\+?\d[\d ().-]{5,}\d|\S{1,64}@\S{1,255}")
"""A number that one could call, or an address that one could write to."""


class Declined(ConnectionError):
    """The provider answered, with another status than 2xx.

    The message names the host, the status and the provider's codes, never its words: they may hold
    whose payment it is.

    Args:
        host: whose.
        status: 300 to 599.
        answer: its JSON, whatever that is; None where it is none.
        reason: in its own words, cut, without our keys, numbers and addresses.
    """

    def __init__(self, host: str, status: int, answer: Any, reason: str) -> None:
        super().__init__(" ".join([f"{host} answered {status}", *codes_of(answer)]))
        self.status = status
        self.answer = answer
        self.reason = reason


def open_session() -> ClientSession:
    """A session for one exchange or a few; its time-out is that of each request."""
    return ClientSession(
        cookie_jar=DummyCookieJar(), timeout=ClientTimeout(total=SECONDS, sock_connect=5.0)
    )


async def ask(
    session: ClientSession,
    method: str,
    url: str,
    *,
    headers: Mapping[str, str],
    json: object = None,
    form: Mapping[str, str] | None = None,
) -> Any:
    """The JSON of the answer; None when it is empty. Redirects are not followed: they would carry
    our keys elsewhere.

    Raises:
        Declined: another status than 2xx.
        ConnectionError: no answer within the session's time-out, a broken or too large one, or one
            that is no JSON. Never names more of the request than the host.
    """
    # CinetPay's front refuses clients that do not say who they are.
    sent = {"User-Agent": "Griot", "Accept": _JSON, **headers}
    body = None
    if form is not None:
        sent["Content-Type"], body = _FORM, urlencode(form).encode()
    elif json is not None:
        sent["Content-Type"], body = _JSON, msgspec.json.encode(json)
    target = URL(url, encoded=True)
    host = target.host or ""
    # `from None`: aiohttp's errors may hold the URL, and with it whose payment it is.
    try:
        async with session.request(
            method, target, headers=sent, data=body, allow_redirects=False
        ) as response:
            status, content = response.status, await read_within(response, MAX_ANSWER)
    except TooLarge:
        raise ConnectionError(f"{host} answered with more than {MAX_ANSWER} bytes") from None
    except (ClientError, OSError, ValueError) as error:
        raise ConnectionError(f"{host} gave no answer ({type(error).__name__})") from None
    answer = _decode(content)
    if not 200 <= status < 300:
        raise Declined(host, status, answer, _reason(answer, sent))
    if answer is None and content.strip():
        raise ConnectionError(f"{host} answered something that is no JSON")
    return answer


def codes_of(answer: Any) -> list[str]:
    """What an error says about itself, as far as it may be repeated."""
    told = fields_of(answer)
    error = fields_of(told.get("error")) or told
    said = (error.get("code"), error.get("message"))
    return [text for text in said if isinstance(text, str) and _CODE.fullmatch(text)]


def _decode(content: bytes) -> Any:
    """None for what is no JSON."""
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _reason(answer: Any, headers: Mapping[str, str]) -> str:
    """What the provider says is wrong; some repeat the key, or whose number it is."""
    told = fields_of(answer)
    said = fields_of(told.get("error")).get("message") or told.get("message") or ""
    words = " ".join(str(said).split())
    for value in headers.values():
        for secret in value.split():
            if len(secret) >= _MIN_SECRET:
                words = words.replace(secret, "***")
    return _PERSONAL.sub("***", words)[:MAX_REASON]
