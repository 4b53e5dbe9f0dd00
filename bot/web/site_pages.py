"""Serve the pages and files that come with the code: `/`, `/chat`, icons, robots.txt."""

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
from bot.i18n import say
from bot.settings import Settings
from bot.web.html_pages import FOLDER, NoticePage, show_notice, wants_page
from bot.web.requests import accepts_gzip, language_of, welcome

_KINDS: Final = {
    ".ico": "image/x-icon",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
}
_NAMES: Final = {"icon.svg": "favicon.svg"}
"""Names of files whose address has another name."""
_DAY: Final = "public, max-age=86400"
_HOUR: Final = "public, max-age=3600"
_PLAIN: Final = "This is Griot: a WhatsApp, Telegram and SMS gateway in front of one agent loop.\n"


class SitePages:
    """Routes: `/`, icons and robots.txt.

    Args:
        home: whether `/` is served too.
    """

    def __init__(self, *, home: bool = True) -> None:
        self._home = home
        self._files = {
            f"/{_NAMES.get(path.name, path.name)}": (path.read_bytes(), _KINDS[path.suffix])
            for path in sorted((FOLDER / "site").iterdir())
        }

    def routes(self) -> list[web.RouteDef]:
        files = [web.get(path, self.file) for path in self._files]
        return [web.get("/", self.home), *files] if self._home else files

    async def home(self, request: web.Request) -> web.Response:
        """Answer with a page about Griot for browsers, with one line for other clients."""
        if not wants_page(request):
            return web.Response(text=_PLAIN, headers={"Vary": "Accept, Accept-Language"})
        language = language_of(request)
        notice = NoticePage(
            language,
            say(language, "Learn and work by chatting"),
            say(
                language,
                "Griot answers questions, explains lessons step by step, sets exercises and "
                "writes documents. Send it a message, as to a friend.",
            ),
        )
        return await show_notice(request, notice, caching=_HOUR, listed=True)

    async def file(self, request: web.Request) -> web.Response:
        content, kind = self._files[request.path]
        response = web.Response(body=content, headers={"Cache-Control": _DAY})
        response.content_type = kind
        if kind == "image/svg+xml":
            response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
        return response


_REVALIDATE: Final = "no-cache"
_IMMUTABLE: Final = "public, max-age=31536000, immutable"
_SMALL: Final = 400
"""Bytes below which compressing gains nothing."""
_COMMENTS: Final = re.compile(
    rb"^[ \t]*(?://[^\n]*\n|/\*(?:(?!\*/).)*\*/[ \t]*\n)|^[ \t]+"
    rb"|(?<=[;,{}()\[\]]) +// [^\n\"'`/]*$",
    re.MULTILINE | re.DOTALL,
)
"""Comments and indentation: an eighth of the bytes. A comment behind code has no quotes, so that
nothing within a text is taken for one."""


@dataclass(frozen=True, slots=True)
class _Asset:
    content: bytes
    compressed: bytes
    etag: str
    kind: str

    def respond(self, request: web.Request, caching: str) -> web.Response:
        """Return the file, compressed if the client accepts that; 304 if the browser has it."""
        response = web.Response(headers={"Cache-Control": caching, "Vary": "Accept-Encoding"})
        response.etag = self.etag
        if any(tag.value in {self.etag, "*"} for tag in request.if_none_match or ()):
            response.set_status(304)
            return response
        response.body = self.content
        if self.compressed and accepts_gzip(request):
            response.body = self.compressed
            response.headers["Content-Encoding"] = "gzip"
        response.content_type = self.kind
        response.charset = "utf-8"
        return response


_IMPORT: Final = re.compile(rb'^import (\{[^}]*\}) from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT: Final = re.compile(rb"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


def join_modules(folder: Path, entry: str) -> bytes:
    """Return the module `entry` and all that it imports, as one script.

    Each module becomes a function that returns its exports. They import by name, from files of
    the folder, and not in a circle. One script has fewer bytes than twenty compressed by
    themselves, and one header.
    """
    joined: dict[bytes, bytes] = {}

    def add(name: bytes) -> None:
        source = (folder / f"{name.decode()}.js").read_bytes()
        for _, imported in _IMPORT.findall(source):
            if imported not in joined:
                add(imported)
        body = _IMPORT.sub(
            lambda found: b"const %s = $%s;\n" % (found[1].replace(b" as ", b": "), found[2]),
            source,
        )
        exports = b", ".join(_EXPORT.findall(source))
        joined[name] = b"const $%s = (() => {\n%s\nreturn { %s };\n})();\n" % (
            name, _EXPORT.sub(b"", body), exports,
        )  # fmt: skip

    add(entry.encode())
    return b"".join(joined.values())


class Assets:
    """The files of a folder.

    Args:
        made: contents that stand in place of those of files, by their names.

    `version` changes whenever a file does, so an address that holds it may be cached for ever.
    `$version` in an HTML file is filled in. Scripts and styles are sent without comments and
    indentation.
    """

    def __init__(self, folder: Path, made: Mapping[str, bytes] | None = None) -> None:
        contents = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
        contents |= made or {}
        digest = hashlib.sha256()
        for name, content in contents.items():
            digest.update(b"%s %d %s" % (name.encode(), len(content), content))
        self.version: Final = digest.hexdigest()[:12]
        self._assets = {name: self._make(name, content) for name, content in contents.items()}

    def respond(self, request: web.Request, name: str, version: str = "") -> web.Response:
        """Return the file of this name; with another version in the address it is not cached.

        Raises:
            NotFound: there is no such file.
        """
        asset = self._assets.get(name)
        if asset is None:
            raise NotFound("There is no such file.")
        return asset.respond(request, _IMMUTABLE if version == self.version else _REVALIDATE)

    def _make(self, name: str, content: bytes) -> _Asset:
        if name.endswith(".html"):
            content = content.replace(b"$version", self.version.encode())
        elif name.endswith((".js", ".css")):
            content = _COMMENTS.sub(b"", content)
        packed = gzip.compress(content, mtime=0) if len(content) > _SMALL else b""
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return _Asset(content, packed, hashlib.sha256(content).hexdigest()[:16], kind)


CHAT_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self' blob:; media-src blob:; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
"""The Content-Security-Policy of the chat: its own files, and those that the person sends."""
_CHAT_HEADERS: Final = {
    "Cache-Control": "private, no-cache",  # each guest has a cookie of their own
    "Content-Security-Policy": CHAT_POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class ChatPage:
    """Routes: `/chat`, and the files that it loads, by version."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        folder = FOLDER / "chat"
        styles = (FOLDER / "colours.css", folder / "style.css", folder / "conversation.css")
        style = b"".join(path.read_bytes() for path in styles)
        script = join_modules(folder, "chat")
        self._assets = Assets(folder, {"style.css": style, "chat.js": script})

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/chat", self.page),
            web.get("/chat/", self.leave_slash),
            web.get("/chat/{version}/{name}", self.file),
        ]

    async def leave_slash(self, request: web.Request) -> web.Response:
        """Redirect from the address with a slash at its end, as people type it."""
        raise web.HTTPPermanentRedirect(request.rel_url.with_path("/chat", keep_query=True))

    async def page(self, request: web.Request) -> web.Response:
        response = self._assets.respond(request, "index.html")
        response.headers.update(_CHAT_HEADERS)
        welcome(request, response, self._settings)
        return response

    async def file(self, request: web.Request) -> web.Response:
        wanted = request.match_info
        return self._assets.respond(request, wanted["name"], wanted["version"])
