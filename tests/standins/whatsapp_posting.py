"""Meta's side of a webhook: verification, signature, redelivery.

A body is signed with HMAC-SHA256 by the app secret, over the bytes that are sent. Meta escapes what
is not ASCII, in lower case, and slashes; both forms are JSON, and both are sent here.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import aiohttp

PATIENCE_SECONDS = 20
Form = Literal["escaped", "raw"]


@dataclass(frozen=True)
class Attempt:
    """A POST to the webhook, and what came back: 0 is no answer."""

    status: int
    body: bytes = field(repr=False)


class Webhook:
    """Posts to `url`. What is not answered 200 comes again after each of `pauses` (seconds)."""

    def __init__(self, secret: str, verify_token: str, pauses: Sequence[float]) -> None:
        self.url = ""
        self.attempts: list[Attempt] = []
        self._secret = secret.encode()
        self._verify_token = verify_token
        self._pauses = pauses
        self._redeliveries: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        timeout = aiohttp.ClientTimeout(total=PATIENCE_SECONDS)
        self._http = aiohttp.ClientSession(timeout=timeout)

    async def close(self) -> None:
        for task in self._redeliveries:
            task.cancel()
        await asyncio.gather(*self._redeliveries, return_exceptions=True)
        await self._http.close()

    async def subscribe(self, url: str) -> bool:
        """Verify the webhook as Meta does, and post there from now on when it agreed."""
        challenge = str(secrets.randbelow(10**10))
        query = {"hub.mode": "subscribe", "hub.challenge": challenge}
        query["hub.verify_token"] = self._verify_token
        async with self._http.get(url, params=query) as response:
            agreed = response.status == 200 and await response.text() == challenge
        self.url = url if agreed else self.url
        return agreed

    async def post(self, body: bytes, *, signature: str | None = None) -> int:
        """Post once; the status of the answer. `signature` replaces the true one."""
        told = self.sign(body) if signature is None else signature
        headers = {"Content-Type": "application/json", "X-Hub-Signature-256": told}
        try:
            async with self._http.post(self.url, data=body, headers=headers) as response:
                await response.read()
                status = response.status
        except (aiohttp.ClientError, TimeoutError):
            status = 0
        self.attempts.append(Attempt(status, body))
        return status

    async def deliver(self, body: bytes) -> int:
        """Post, and keep on posting in the background; the status of the first answer."""
        status = await self.post(body)
        if status != 200:
            task = asyncio.create_task(self._redeliver(body))
            self._redeliveries.add(task)
            task.add_done_callback(self._redeliveries.discard)
        return status

    async def settled(self) -> None:
        """Wait until nothing is to be redelivered any more."""
        while self._redeliveries:
            await asyncio.wait(self._redeliveries)

    async def _redeliver(self, body: bytes) -> None:
        for pause in self._pauses:
            await asyncio.sleep(pause)
            if await self.post(body) == 200:
                return

    def sign(self, body: bytes) -> str:
        """The value of `X-Hub-Signature-256`."""
        return f"sha256={hmac.new(self._secret, body, hashlib.sha256).hexdigest()}"


def write(payload: Any, form: Form = "escaped") -> bytes:
    """The bytes of a payload in one of Meta's forms."""
    if form == "raw":
        return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    return json.dumps(payload, separators=(",", ":")).replace("/", "\\/").encode()
