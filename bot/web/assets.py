"""Files that come with the code and that browsers load: few bytes, and those only once."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aiohttp import web

from bot.errors import NotFound

_REVALIDATE: Final = "no-cache"
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_SMALL: Final = 400
"""Bytes below which compressing gains nothing."""

_COMMENTS: Final = re.compile(
    rb"^[ \t]*(?://[^\n]*\n|/\*(?:(?!\*/).)*\*/[ \t]*\n)|^[ \t]+", re.MULTILINE | re.DOTALL
)
"""Comments that are lines of their own, and indentation: an eighth of what would be sent."""


@dataclass(frozen=True, slots=True)
class _Asset:
    content: bytes
    compressed: bytes
    etag: str
    kind: str

    def respond(self, request: web.Request, caching: str) -> web.Response:
        """The file, compressed where that is understood; 304 if the browser has it."""
        response = web.Response(headers={"Cache-Control": caching, "Vary": "Accept-Encoding"})
        response.etag = self.etag
        response.headers["X-Content-Type-Options"] = "nosniff"
        if any(tag.value in {self.etag, "*"} for tag in request.if_none_match or ()):
            response.set_status(304)
            return response
        response.body = self.content
        if self.compressed and "gzip" in request.headers.get("Accept-Encoding", ""):
            response.body = self.compressed
            response.headers["Content-Encoding"] = "gzip"
        response.content_type = self.kind
        response.charset = "utf-8"
        return response


class Assets:
    """The files of a folder.

    Args:
        first: by the name of a file, what is put before its content.

    `version` changes whenever one of them does: an address that holds it may be kept for ever.
    `$version` in an HTML file is filled in. Scripts and styles are sent without comments and
    indentation.
    """

    def __init__(self, folder: Path, first: Mapping[str, bytes] | None = None) -> None:
        before = first or {}
        contents = {
            path.name: before.get(path.name, b"") + path.read_bytes()
            for path in sorted(folder.iterdir())
        }
        digest = hashlib.sha256()
        for name, content in contents.items():
            digest.update(b"%s %d %s" % (name.encode(), len(content), content))
        self.version: Final = digest.hexdigest()[:12]
        self._assets = {name: self._make(name, content) for name, content in contents.items()}

    def respond(self, request: web.Request, name: str, version: str = "") -> web.Response:
        """The file of this name; one asked for by an older version is not to be kept.

        Raises:
            NotFound: there is none.
        """
        asset = self._assets.get(name)
        if asset is None:
            raise NotFound("There is no such file.")
        return asset.respond(request, _FOR_EVER if version == self.version else _REVALIDATE)

    def _make(self, name: str, content: bytes) -> _Asset:
        if name.endswith(".html"):
            content = content.replace(b"$version", self.version.encode())
        elif name.endswith((".js", ".css")):
            content = _COMMENTS.sub(b"", content)
        packed = gzip.compress(content, mtime=0) if len(content) > _SMALL else b""
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return _Asset(content, packed, hashlib.sha256(content).hexdigest()[:16], kind)
