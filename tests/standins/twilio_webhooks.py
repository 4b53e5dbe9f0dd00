"""Twilio's side of a webhook: signature, patience, one retry, and what it makes of the answer.

The signature is HMAC-SHA1, by the auth token, over the public URL and the sorted parameters (each
value of a repeated one once); written here apart from the official library. A webhook gets 5 s to
connect and 15 s in all; after a failed connection it is tried once more, with the same token.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode
from xml.etree import ElementTree

import aiohttp
from yarl import URL

CONNECT_SECONDS = 5.0
PATIENCE_SECONDS = 15.0
TOKEN_HEADER = "I-Twilio-Idempotency-Token"


@dataclass(frozen=True)
class Answer:
    """What a webhook answered: status 0 is none."""

    status: int
    text: str = ""
    content_type: str = ""


@dataclass(frozen=True)
class Attempt:
    """A POST that was tried."""

    url: str
    token: str
    answer: Answer
    parameters: Sequence[tuple[str, str]] = field(repr=False)


class Webhooks:
    """Posts to `public_url` as it stands in front of `post_to`; both are origins."""

    def __init__(self, secret: str, public_url: str, post_to: str) -> None:
        self.public_url = public_url
        self.post_to = post_to
        self.patience_seconds = PATIENCE_SECONDS
        self.attempts: list[Attempt] = []
        self._secret = secret.encode()

    def reach(self, url: str) -> str:
        """Where something with this public address really listens."""
        if self.public_url and url.startswith(f"{self.public_url}/"):
            return self.post_to + url.removeprefix(self.public_url)
        return url

    def sign(self, url: str, parameters: Sequence[tuple[str, str]]) -> str:
        """The value of `X-Twilio-Signature`."""
        names = sorted({name for name, _ in parameters})
        values = {
            each: sorted({value for name, value in parameters if name == each}) for each in names
        }
        signed = url + "".join(each + value for each in names for value in values[each])
        digest = hmac.new(self._secret, signed.encode(), hashlib.sha1).digest()
        return base64.b64encode(digest).decode()

    async def post(
        self, url: str, parameters: Sequence[tuple[str, str]], *, signature: str | None = None
    ) -> Answer:
        """Post to a public address; `signature` replaces the true one."""
        headers = {
            "Content-Type": "application/x-www-form-urlencoded; charset=UTF-8",
            "User-Agent": "TwilioProxy/1.1",
            "X-Twilio-Signature": self.sign(url, parameters) if signature is None else signature,
            TOKEN_HEADER: secrets.token_hex(16),
        }
        answer = Answer(0)
        for _ in range(2):
            answer, may_retry = await self._try(self.reach(url), parameters, headers)
            self.attempts.append(Attempt(url, headers[TOKEN_HEADER], answer, parameters))
            if not may_retry:
                break
        return answer

    async def _try(
        self, url: str, parameters: Sequence[tuple[str, str]], headers: dict[str, str]
    ) -> tuple[Answer, bool]:
        """The answer, and whether the connection failed."""
        timeout = aiohttp.ClientTimeout(total=self.patience_seconds, sock_connect=CONNECT_SECONDS)
        body, address = urlencode(parameters).encode(), URL(url, encoded=True)
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as http,
                http.post(address, data=body, headers=headers, allow_redirects=False) as response,
            ):
                text = await response.text()
                return Answer(response.status, text, response.content_type), False
        except aiohttp.ConnectionTimeoutError:
            return Answer(0), True
        except TimeoutError:
            return Answer(0), False
        except aiohttp.ClientConnectionError:
            return Answer(0), True


def find_fault(answer: Answer) -> str:
    """What Twilio would stumble over, or send on, in a good answer; empty where there is nothing.

    Griot answers an incoming message with nothing: what it says goes by the API.
    """
    if not 200 <= answer.status < 300 or not answer.text.strip():
        return ""
    if answer.content_type not in {"text/xml", "application/xml"}:
        return f"the webhook answered {answer.content_type}, which is no TwiML"
    try:
        root = ElementTree.fromstring(answer.text)
    except ElementTree.ParseError as error:
        return f"the webhook answered TwiML that cannot be read: {error}"
    if root.tag != "Response" or len(root) or (root.text or "").strip():
        return "the webhook answered TwiML that says something"
    return ""
