"""Serve files over HTTP: uploads, signed downloads, and the list of the caller's own.

An upload is read within limits and staged until the turn of its message has it. Nothing is stored
before the whole request has arrived, so a connection that breaks off leaves nothing behind. Staged
bytes are stored as `TEMPORARY` files, under a key that begins with the lane of their conversation:
they are deleted when the turn has read them, when the person is erased, or three days later.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

import msgspec
from aiohttp import BodyPartReader, MultipartReader, web
from aiohttp.http_exceptions import HttpProcessingError

from bot.accounts.people import People
from bot.errors import BadRequest, NotFound, PersonError, TooLarge
from bot.files.links import LinkExpired, LinkInvalid, Links
from bot.files.media import sniff
from bot.files.names import clean_name
from bot.files.store import GUESTS, TEMPORARY, FileStore
from bot.i18n import best_language, say
from bot.messages.incoming import Attachment, Said, Update
from bot.web.html_pages import NoticePage, show_notice, wants_page
from bot.web.requests import (
    BODY_SECONDS,
    BODY_SILENCE,
    BodyTimeout,
    ReceivedBytes,
    TooManyBytes,
    json_response,
    language_of,
    signed_in,
)

_HOUR = 3600


class ShownFile(msgspec.Struct, frozen=True):
    id: str
    filename: str
    url: str
    """A signed link, which expires."""
    size: int
    created_at: float


class FileRoutes:
    def __init__(self, files: FileStore, links: Links, people: People) -> None:
        self._files = files
        self._links = links
        self._seconds = links.seconds
        self._people = people

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/files/{token}", self.download),
            web.get("/api/v1/files", self.listing),
        ]

    async def download(self, request: web.Request) -> web.Response:
        """Send the file of a signed link, or the range of it that is asked for; 403 tampered, 410
        expired, 404 gone."""
        try:
            return await self._send(request)
        except (LinkInvalid, LinkExpired, NotFound) as error:
            if not wants_page(request):
                raise
            return await show_notice(request, await self._explain(request, error))

    async def _send(self, request: web.Request) -> web.Response:
        file = await self._files.find(self._links.read(request.match_info["token"]))
        content = await self._files.read(file.id)
        is_text = file.mime_type.startswith("text/")
        mime_type = f"{file.mime_type}; charset=utf-8" if is_text else file.mime_type
        tag = f'"{file.id}"'
        status, part = _read_range(request, tag, len(content))
        place = f"{part.start}-{part.stop - 1}" if status == HTTPStatus.PARTIAL_CONTENT else "*"
        ranges = {"Content-Range": f"bytes {place}/{len(content)}"}
        return web.Response(
            status=status,
            body=content[part],
            headers={
                **(ranges if status != HTTPStatus.OK else {}),
                "Accept-Ranges": "bytes",
                "ETag": tag,
                "Content-Type": mime_type,
                "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.name, safe='')}",
                "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
                "Cache-Control": f"private, max-age={min(_HOUR, self._seconds)}",
            },
        )

    async def _explain(self, request: web.Request, error: Exception) -> NoticePage:
        language = language_of(request)
        if isinstance(error, LinkInvalid):
            return NoticePage(
                language,
                say(language, "This link is not complete"),
                say(
                    language,
                    "Perhaps a part of it was lost on the way. Open it again from your message, "
                    "or ask Griot for the file once more.",
                ),
                403,
            )
        if isinstance(error, LinkExpired):
            language = await self._language_of_owner(error.target) or language
            return NoticePage(
                language,
                say(language, "This link has expired"),
                say(language, "Ask Griot for the file once more: you get a new link."),
                410,
            )
        return NoticePage(
            language,
            say(language, "This file is no longer here"),
            say(language, "It was deleted. Ask Griot to make it again."),
            404,
        )

    async def _language_of_owner(self, file_id: str) -> str:
        """Return the owner's language; empty where the file or its owner is gone, or the owner is a
        guest."""
        try:
            file = await self._files.find(file_id)
            return best_language((await self._people.find(str(file.account))).language)
        except NotFound:
            return ""

    async def listing(self, request: web.Request) -> web.Response:
        """List the caller's files, newest first: `{id, filename, url, size, created_at}`."""
        person = await signed_in(request, self._people)
        owner = person.account if person else None
        files = [] if owner is None else await self._files.listing(owner)
        return json_response(
            [
                ShownFile(file.id, file.name, self._links.make(file.id), file.size, file.created_at)
                for file in files
            ]
        )


_LAST_NONE: Final = re.compile(r"\s*bytes=-0+\s*")
"""A range of the last 0 bytes."""


def _read_range(request: web.Request, tag: str, size: int) -> tuple[HTTPStatus, slice]:
    """Return the status of the answer, and the part of a file of `size` bytes that goes into it.

    A header that is no range, or several, and a range of another file are ignored, as RFC 9110
    allows.
    """
    whole = HTTPStatus.OK, slice(0, size)
    try:
        wanted = request.http_range
    except ValueError:
        return whole
    if wanted.start is None or request.headers.get("If-Range", tag) != tag:
        return whole
    start, stop, _ = wanted.indices(size)
    is_empty = _LAST_NONE.fullmatch(request.headers.get("Range", ""))  # aiohttp reads it as all
    if start >= stop or is_empty:
        return HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, slice(0, 0)
    return HTTPStatus.PARTIAL_CONTENT, slice(start, stop)


FORM: Final = "multipart/form-data"
FILE_FIELD: Final = "attachment"
MOST_FILES: Final = 5
MOST_BYTES: Final = 16 * 2**20
"""The most bytes of all files of a message together: WhatsApp's limit for one."""
_MOST_TEXT: Final = 256 * 1024
"""The most bytes of a text field."""
_MOST_PARTS: Final = 20
_MOST_IN_ALL: Final = MOST_BYTES + 1024 * 1024
"""The most bytes of a whole request, with its text fields and the delimiters of its parts."""
_MOST_COMING: Final = 256 * 2**20
"""The most bytes of all requests that this process is receiving, which it keeps in memory."""
_CHUNK: Final = 64 * 1024
_NAMELESS: Final = frozenset({"", "blob"})
"""Names that browsers give to a part made of bytes, such as a recording."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as the client sent it; its name and type are not verified."""

    content: bytes
    filename: str = ""
    mime_type: str = ""


@dataclass(slots=True)
class Form:
    """The parts of a request."""

    fields: dict[str, str] = field(default_factory=dict[str, str])
    files: list[Upload] = field(default_factory=list[Upload])


class Uploads:
    """Reads and stages the files of this process's requests."""

    def __init__(self, files: FileStore) -> None:
        self._files = files
        self._coming = ReceivedBytes(_MOST_COMING)

    async def read_form(self, request: web.Request, language: str, fields: Sequence[str]) -> Form:
        """Read the parts of a `multipart/form-data` request, within the limits.

        Args:
            language: the person's, for error messages.
            fields: names of the text fields to read; any other text is skipped.

        Raises:
            BadRequest: the request is malformed, or a part is not as described.
            BodyTimeout: the request did not come to its end in time.
            TooLarge: the request exceeds a limit.
            TooManyBytes: this process is receiving too many bytes.
        """
        reading = _FormReader(self, language, fields)
        try:
            async with asyncio.timeout(BODY_SECONDS):
                if (request.content_length or 0) > _MOST_IN_ALL:
                    raise reading.too_large()
                await reading.read(await request.multipart())
        except TimeoutError:
            raise BodyTimeout from None
        except (ValueError, RuntimeError, AssertionError, HttpProcessingError):
            raise BadRequest("The body is not valid multipart/form-data.") from None
        finally:
            self._coming.remove(reading.received)
        return reading.form

    def count_received(self, size: int, language: str) -> None:
        """Count bytes kept until their request has arrived. Raises `TooManyBytes`."""
        if not self._coming.add(size):
            raise TooManyBytes(
                say(
                    language,
                    "Many files are on their way here just now. Try again in a minute.",
                )
            )

    async def stage(self, lane: str, key: str, uploads: Sequence[Upload]) -> tuple[Attachment, ...]:
        """Store the files durably, for the message `key` of this lane; their types are detected
        from their bytes. Raises `ConnectionError`: the store cannot be reached."""
        staged: list[Attachment] = []
        for number, upload in enumerate(uploads, 1):
            found = sniff(upload.content, upload.mime_type, upload.filename)
            known = upload.filename not in _NAMELESS
            name = clean_name(upload.filename) if known else ""
            file = await self._files.save(
                GUESTS,
                name or f"upload{found.extension}",
                upload.content,
                mime_type=found.mime_type,
                source=TEMPORARY,
                key=f"{lane}/upload/{key}/{number}",
            )
            size = len(upload.content)
            staged.append(
                Attachment(found.kind, file.file_id, name, found.mime_type, size, staged=True)
            )
        return tuple(staged)

    async def attach(self, update: Update, uploads: Sequence[Upload]) -> Update:
        """Stage the files; return the update with them as attachments. Raises as `stage` does."""
        if not uploads or not isinstance(update.content, Said):
            return update
        staged = await self.stage(update.lane, update.message_key, uploads)
        content = msgspec.structs.replace(update.content, attachments=staged)
        return msgspec.structs.replace(update, content=content)

    @asynccontextmanager
    async def delete_unless_stored(self, update: Update) -> AsyncGenerator[None]:
        """Delete the staged files if the block refuses the update with a `PersonError`. After any
        other failure it may have been stored all the same."""
        try:
            yield
        except PersonError:
            said = update.content
            for attachment in said.attachments if isinstance(said, Said) else ():
                await self._files.drop_temporary(attachment.reference)
            raise


class _FormReader:
    """Reads the parts of one request."""

    def __init__(self, uploads: Uploads, language: str, fields: Sequence[str]) -> None:
        self._uploads = uploads
        self._language = best_language(language)
        self._fields = fields
        self.form = Form()
        self.received = 0

    async def read(self, parts: MultipartReader) -> None:
        for _ in range(_MOST_PARTS):
            async with asyncio.timeout(BODY_SILENCE):
                part = await parts.next()
            if part is None:
                return
            if not isinstance(part, BodyPartReader) or not part.name:
                raise BadRequest("A part of the request has no name, or parts of its own.")
            await self._take(part, part.name)
        raise BadRequest(f"At most {_MOST_PARTS} parts.")

    async def _take(self, part: BodyPartReader, name: str) -> None:
        if name == FILE_FIELD:
            await self._take_file(part)
            return
        if part.filename and name not in self._fields:
            raise BadRequest(f"{name}: send each file as a part named {FILE_FIELD}.")
        content = await self._receive(part, _MOST_TEXT)
        if name not in self._fields:
            return
        if name in self.form.fields:
            raise BadRequest(f"{name}: send it once.")
        try:
            self.form.fields[name] = content.decode()
        except UnicodeDecodeError:
            raise BadRequest(f"{name}: write it in UTF-8.") from None

    async def _take_file(self, part: BodyPartReader) -> None:
        if len(self.form.files) == MOST_FILES:
            words = say(self._language, "At most {number} files at once.", number=MOST_FILES)
            raise BadRequest(words)
        content = await self._receive(part, MOST_BYTES)
        if content:
            filename, mime_type = part.filename or "", part.headers.get("Content-Type", "")
            self.form.files.append(Upload(content, filename, mime_type))
        elif part.filename:
            raise BadRequest(say(self._language, "This file is empty. Choose another one."))
        # else: a form on a page in which no file was chosen

    async def _receive(self, part: BodyPartReader, most: int) -> bytes:
        """Read the bytes of a part. Raises `TooLarge` as soon as this part, or all parts together,
        exceed a limit."""
        chunks: list[bytes] = []
        size = 0
        while not part.at_eof():
            async with asyncio.timeout(BODY_SILENCE):
                chunk = await part.read_chunk(_CHUNK)
            chunks.append(chunk)
            size += len(chunk)
            self.received += len(chunk)
            self._uploads.count_received(len(chunk), self._language)
            if (
                size > most
                or self.received > _MOST_IN_ALL
                or self._of_files(part, size) > MOST_BYTES
            ):
                raise self.too_large()
        return b"".join(chunks)

    def _of_files(self, part: BodyPartReader, size: int) -> int:
        """Return how many bytes all files have, with this part if it is a file."""
        here = size if part.name == FILE_FIELD else 0
        return here + sum(len(upload.content) for upload in self.form.files)

    def too_large(self) -> TooLarge:
        words = say(
            self._language,
            "That is too much at once: {number} MB together at most.",
            number=MOST_BYTES // 2**20,
        )
        return TooLarge(words)


def is_form(headers: Mapping[str, str]) -> bool:
    """Return whether the body is a form with files, by its content type."""
    return headers.get("Content-Type", "").partition(";")[0].strip().lower() == FORM
