"""Load the pictures of documents: from `![alt](source)` or a list of sources to embeddable copies.

    loader = ImageLoader(account, files, isolated_worker, fetch)
    images = await loader.load_from_markdown(text)          # or loader.load([ImageReference(…)])
    copy = images.copies.get(token.attrs["src"])            # None: show the alt text instead
    images.notes                                            # for the result of the tool

A source is a file of the person's own library (`file:ID`, `file:NAME`, or either without `file:`)
or a picture on the web (`https://…`, `http://…`). Tools make the loader with
`tools._documents.make_image_loader`, pass `images.copies` to the program that makes the document
and `images.notes` to `deliver_document`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

import msgspec

from bot.contracts.services import IsolatedWorker, Library, StoredFile
from bot.documents.document_request import DocumentImage, ImageReference, quote_text
from bot.documents.image_worker import PROGRAM, FindImages, ShrinkImage
from bot.errors import NotFound, ToolFailed
from bot.files.media import sniff
from bot.files.names import clean_name

MAX_IMAGES: Final = 12
"""Most different pictures of one document."""
MAX_WEB_BYTES: Final = 5_000_000
MAX_OWN_BYTES: Final = 20_000_000
_AT_A_TIME: Final = 4
_LISTED: Final = 500
"""Number of the newest pictures that are searched for a name."""
_SHOWN: Final = 80
"""Characters of a source or an alt text that a note repeats."""
_FETCHED: Final = ("http://", "https://")
_OWN: Final = "file:"
Fetch = Callable[[str, int], Awaitable[bytes]]
"""Returns the bytes at an address on the public internet, up to a limit. Raises `ToolFailed`."""


@dataclass(frozen=True, slots=True)
class DocumentImages:
    """The pictures of a document."""

    copies: dict[str, DocumentImage] = field(default_factory=dict[str, DocumentImage])
    """By source. A picture whose source is missing cannot be shown; its alt text replaces it."""
    notes: tuple[str, ...] = ()
    """Sentences for the model: which pictures are not shown, and why."""


@dataclass(frozen=True, slots=True)
class ImageLoader:
    """Loads the pictures of one person's document."""

    account: int
    """The only account whose files are read."""
    files: Library
    isolated_worker: IsolatedWorker
    fetch: Fetch
    seconds: float = 20.0
    """Time limit for all pictures of a document together."""

    async def load_from_markdown(self, text: str) -> DocumentImages:
        """Return the pictures that a Markdown text shows. Never fails: see the notes."""
        if "![" not in text:
            return DocumentImages()
        request = msgspec.msgpack.encode(FindImages(text))
        try:
            answer = await self.isolated_worker.run(PROGRAM, request, seconds=self.seconds)
        except ToolFailed:
            return DocumentImages(notes=("The pictures are not shown: the text is too long.",))
        return await self.load(msgspec.msgpack.decode(answer, type=list[ImageReference]))

    async def load(self, references: Sequence[ImageReference]) -> DocumentImages:
        """Return these pictures, each source once. Never raises: failures are in the notes."""
        wanted = list({each.source: each for each in reversed(references)}.values())[::-1]
        deadline = asyncio.get_running_loop().time() + self.seconds
        places = asyncio.Semaphore(_AT_A_TIME)
        taken, left = wanted[:MAX_IMAGES], wanted[MAX_IMAGES:]
        found = await asyncio.gather(*(self._load(each, deadline, places) for each in taken))
        copies: dict[str, DocumentImage] = {}
        notes: list[str] = []
        for reference, copy in zip(taken, found, strict=True):
            if isinstance(copy, DocumentImage):
                copies[reference.source] = copy
            else:
                named = f"{quote_text(reference.alt[:_SHOWN])} ({reference.source[:_SHOWN]})"
                notes.append(f"The picture {named} is not shown, only its description: {copy}.")
        if left:
            notes.append(
                f"A document shows at most {MAX_IMAGES} pictures: the last {len(left)} are not "
                "shown. Leave some out, or make two documents."
            )
        return DocumentImages(copies, tuple(notes))

    async def _load(
        self, reference: ImageReference, deadline: float, places: asyncio.Semaphore
    ) -> DocumentImage | str:
        """Return a copy, or the reason why there is none."""
        try:
            async with asyncio.timeout_at(deadline), places:
                return await self._shrink(await self._read(reference.source))
        except TimeoutError:
            return f"it was not there within {self.seconds:g} seconds"
        except ToolFailed as refusal:
            return str(refusal).rstrip(".")

    async def _read(self, source: str) -> bytes:
        if source.lower().startswith(_FETCHED):
            return await self.fetch(source, MAX_WEB_BYTES)
        name = unquote(source[len(_OWN) :] if source.startswith(_OWN) else source).strip()
        if not name or ":" in name:
            raise ToolFailed(
                "only a file of the person's library (file:ID) or a picture on the web (https://…) "
                "can be shown"
            )
        file_id, size = await self._find(name)
        if size > MAX_OWN_BYTES:
            raise ToolFailed(f"it has more than {MAX_OWN_BYTES // 1_000_000} MB")
        try:
            return await self.files.read(file_id)
        except NotFound:
            raise _unknown() from None

    async def _find(self, name: str) -> tuple[str, int]:
        """Return id and size of one of the person's own files, by its id or its name."""
        try:
            file = await self.files.share(self.account, name)
        except ToolFailed:
            listed = await self.files.listing(self.account, "image", _LISTED)
            found = find_by_name(listed, name)
            if found is None:
                raise _unknown() from None
            return found.file_id, found.size
        return file.file_id, file.size

    async def _shrink(self, content: bytes) -> DocumentImage:
        if sniff(content, "", "").kind != "image":
            raise ToolFailed("it is no PNG, JPEG, WebP or GIF picture")
        request = msgspec.msgpack.encode(ShrinkImage(content))
        try:
            answer = await self.isolated_worker.run(PROGRAM, request, seconds=self.seconds)
        except ToolFailed:
            raise ToolFailed("it is damaged, or has too many pixels") from None
        return msgspec.msgpack.decode(answer, type=DocumentImage)


def find_by_name(files: Sequence[StoredFile], name: str) -> StoredFile | None:
    """Return the first of `files` with this name, with or without its extension, in any case."""
    wanted = {name.casefold(), clean_name(name).casefold()}
    exact = (file for file in files if file.filename.casefold() in wanted)
    loose = (file for file in files if file.filename.rpartition(".")[0].casefold() in wanted)
    return next(exact, None) or next(loose, None)


def _unknown() -> ToolFailed:
    return ToolFailed(
        "the person's library has no such picture; list_user_files shows ids and names"
    )
