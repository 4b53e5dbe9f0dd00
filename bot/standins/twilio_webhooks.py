"""Post webhooks as Twilio does: signature, time limits, one retry.

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
from dataclasses import dataclass
from urllib.parse import urlencode

import aiohttp
from yarl import URL

CONNECT_SECONDS = 5.0
PATIENCE_SECONDS = 15.0
TOKEN_HEADER = "I-Twilio-Idempotency-Token"  # noqa: S105 (a header, no secret)


@dataclass(frozen=True)
class Answer:
    """The answer of a webhook; status 0 is none."""

    status: int
    text: str = ""
    content_type: str = ""


class Webhooks:
    """Posts to `public_url` as it stands in front of `post_to`; both are origins."""

    def __init__(self, secret: str, public_url: str, post_to: str) -> None:
        self.public_url = public_url
        self.post_to = post_to
        self.patience_seconds = PATIENCE_SECONDS
        self._secret = secret.encode()

    def reach(self, url: str) -> str:
        """Return the address where something with this public address really listens."""
        if self.public_url and url.startswith(f"{self.public_url}/"):
            return self.post_to + url.removeprefix(self.public_url)
        return url

    def sign(self, url: str, parameters: Sequence[tuple[str, str]]) -> str:
        """Return the value of `X-Twilio-Signature`."""
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
            answer, may_retry = await self.try_once(url, parameters, headers)
            if not may_retry:
                break
        return answer

    async def try_once(
        self, url: str, parameters: Sequence[tuple[str, str]], headers: dict[str, str]
    ) -> tuple[Answer, bool]:
        """Return the answer, and whether the connection failed."""
        timeout = aiohttp.ClientTimeout(total=self.patience_seconds, sock_connect=CONNECT_SECONDS)
        body, address = urlencode(parameters).encode(), URL(self.reach(url), encoded=True)
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
