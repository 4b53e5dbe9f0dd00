"""Make and read signed links: they expire, and cannot be forged without the secret."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from collections.abc import Mapping
from typing import Final, Literal

from bot.contracts.storage import Clock
from bot.errors import PersonError
from bot.settings import Settings

LinkPlace = Literal["files", "progress"]
_PURPOSES: Final[Mapping[LinkPlace, bytes]] = {"files": b"links:", "progress": b"progress links:"}
"""Prefixes of the keys, so that a token for one place is not valid at another."""


class LinkInvalid(PersonError):
    code = "link_invalid"


class LinkExpired(PersonError):
    """The link is authentic, but too old.

    Args:
        target: the file id or account number that it named.
    """

    code = "link_expired"

    def __init__(self, words: str, target: str = "") -> None:
        super().__init__(words)
        self.target = target


class Links:
    """Makes and reads signed links to paths under `/files/` or another place.

    Args:
        place: the place where its tokens are valid.
    """

    def __init__(
        self, settings: Settings, clock: Clock = time.time, *, place: LinkPlace = "files"
    ) -> None:
        keys = settings.secret_keys or ("",)
        self._keys = [hashlib.sha256(_PURPOSES[place] + key.encode()).digest() for key in keys]
        self._start = f"{settings.base_url}/{place}/"
        self.seconds = settings.link_seconds
        self._clock = clock

    def make(self, target: str) -> str:
        """Return a link to `target` (a file's id, an account's number) that is valid for
        `LINK_SECONDS`."""
        claim = f"{target}.{int(self._clock()) + self.seconds}"
        return f"{self._start}{claim}.{_sign(self._keys[0], claim).decode()}"

    def read(self, token: str) -> str:
        """Return the target named by `token`, the last part of a link. Raises `LinkInvalid` or
        `LinkExpired`."""
        claim, _, signature = token.rpartition(".")
        given = signature.encode(errors="replace")
        if not any(hmac.compare_digest(_sign(key, claim), given) for key in self._keys):
            raise LinkInvalid("This link is not valid.")
        target, _, expires = claim.rpartition(".")
        if int(expires) < self._clock():
            raise LinkExpired("This link has expired. Ask for a new one.", target)
        return target


def _sign(key: bytes, claim: str) -> bytes:
    digest = hmac.new(key, claim.encode(errors="replace"), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest[:18])
