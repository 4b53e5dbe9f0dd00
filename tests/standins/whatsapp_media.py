"""Media that Meta holds: uploaded by the business, sent by people, or fetched from a link."""

from __future__ import annotations

import base64
import hashlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from tests.standins.whatsapp_errors import INVALID, MEDIA, NOT_FOUND, Refused
from tests.standins.whatsapp_limits import check_media

LINK_SECONDS = 300
FETCH_SECONDS = 5


@dataclass(frozen=True)
class Held:
    """A file that Meta keeps."""

    content: bytes = field(repr=False)
    mime_type: str
    filename: str = ""

    @property
    def digest(self) -> bytes:
        return hashlib.sha256(self.content).digest()


class Media:
    """Keeps files by id. A download address lives five minutes by `clock` (seconds since 1970)."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.told_sizes: dict[str, int] = {}
        """The size that is told of a media id, where it is not the true one."""
        self.sizes_as_numbers = False
        """`file_size` is a string by the specification, a number in what people have seen."""
        self._clock = clock
        self._held: dict[str, Held] = {}
        self._links: dict[str, tuple[str, float]] = {}
        self._ids = itertools.count(1_003_383_421_387_256)

    def keep(self, held: Held) -> str:
        """The media id."""
        media_id = str(next(self._ids))
        self._held[media_id] = held
        return media_id

    def upload(self, held: Held) -> str:
        """Like `keep`, for what the business sends: raises `Refused`."""
        check_media(held.mime_type, len(held.content), held.content[:8])
        return self.keep(held)

    def find(self, media_id: str) -> Held:
        """Raises `Refused`."""
        if media_id not in self._held:
            raise Refused(NOT_FOUND, f"Object with ID '{media_id}' does not exist")
        return self._held[media_id]

    def forget(self, media_id: str) -> None:
        """As Meta does after days."""
        del self._held[media_id]

    def describe(self, media_id: str, origin: str) -> dict[str, Any]:
        """The answer that holds the download address. Raises `Refused`."""
        held = self.find(media_id)
        size = self.told_sizes.get(media_id, len(held.content))
        expires = int(self._clock()) + LINK_SECONDS
        token = hashlib.sha256(f"{media_id} {expires} {len(self._links)}".encode()).hexdigest()[:32]
        self._links[token] = (media_id, expires)
        return {
            "messaging_product": "whatsapp",
            "url": f"{origin}/whatsapp_business/attachments/"
            f"?mid={media_id}&ext={expires}&hash={token}",
            "mime_type": held.mime_type,
            "sha256": held.digest.hex(),
            "file_size": size if self.sizes_as_numbers else str(size),
            "id": media_id,
        }

    def open_link(self, media_id: str, token: str) -> Held | None:
        """What lies at a download address; None when it expired or was tampered with."""
        known, expires = self._links.get(token, ("", 0.0))
        return self._held.get(media_id) if known == media_id and self._clock() < expires else None

    def expire_links(self) -> None:
        """Every download address given so far ends now."""
        self._links.clear()


async def fetch_link(link: str) -> Held:
    """The file behind a link, as Meta fetches it: without credentials. Raises `Refused`."""
    timeout = aiohttp.ClientTimeout(total=FETCH_SECONDS)
    try:
        async with aiohttp.ClientSession(timeout=timeout) as http, http.get(link) as response:
            if response.status != 200:
                raise Refused(MEDIA, f"the link answered {response.status}")
            held = Held(await response.read(), response.content_type)
    except (aiohttp.ClientError, TimeoutError) as error:
        raise Refused(MEDIA, f"the link could not be fetched: {error!r}") from error
    check_media(held.mime_type, len(held.content), held.content[:8])
    return held


def told_media(media_id: str, held: Held) -> dict[str, str]:
    """Media as a webhook tells it: the digest is in base64 here, in hexadecimal in `describe`."""
    digest = base64.b64encode(held.digest).decode()
    return {"mime_type": held.mime_type, "sha256": digest, "id": media_id}


def read_upload(form: Any) -> Held:
    """The file of a multipart upload. Raises `Refused`."""
    file = form.get("file")
    if form.get("messaging_product") != "whatsapp":
        raise Refused(INVALID, "messaging_product is not whatsapp")
    if not hasattr(file, "file"):
        raise Refused(INVALID, "file: there is no file")
    if "type" not in form:
        raise Refused(INVALID, "type is required")
    return Held(file.file.read(), file.content_type, file.filename)
