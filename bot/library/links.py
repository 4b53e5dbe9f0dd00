"""Signed links to files: they expire, and cannot be made or changed without the secret."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time

from bot.contracts import Clock
from bot.errors import PersonError
from bot.settings import Settings


class LinkInvalid(PersonError):
    code = "link_invalid"


class LinkExpired(PersonError):
    code = "link_expired"


class Links:
    def __init__(self, settings: Settings, clock: Clock = time.time) -> None:
        self._key = hashlib.sha256(b"links:" + settings.secret_key.encode()).digest()
        self._base = settings.base_url
        self._seconds = settings.link_seconds
        self._clock = clock

    def make(self, file_id: str) -> str:
        """A link to the file that lives for `LINK_SECONDS`."""
        claim = f"{file_id}.{int(self._clock()) + self._seconds}"
        return f"{self._base}/files/{claim}.{self._sign(claim)}"

    def read(self, token: str) -> str:
        """The file that a link's last part stands for. Raises `LinkInvalid` or `LinkExpired`."""
        claim, _, signature = token.rpartition(".")
        if not hmac.compare_digest(self._sign(claim).encode(), signature.encode()):
            raise LinkInvalid("This link is not valid.")
        file_id, _, expires = claim.rpartition(".")
        if int(expires) < self._clock():
            raise LinkExpired("This link has expired. Ask for the file again.")
        return file_id

    def _sign(self, claim: str) -> str:
        digest = hmac.new(self._key, claim.encode(), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest[:18]).decode()
