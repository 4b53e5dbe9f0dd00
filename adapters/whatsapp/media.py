"""Transfer files to and from WhatsApp's Cloud API."""

from __future__ import annotations

import re
from io import BytesIO

import msgspec
from aiohttp import FormData
from yarl import URL

from adapters.base import OPERATOR_SECONDS, find_own_url
from adapters.whatsapp.client import Graph, Refusal, explain, log_operator_error
from bot.errors import DeliveryError, NotFound, OutcomeUnknown, RetryAt, TooLarge, Undeliverable

MAX_FILE_IN = 16 * 2**20
"""The most bytes of a person's file of any kind; WhatsApp itself allows documents of 100 MB."""
_META = ("facebook.com", "fbsbx.com", "whatsapp.net")
"""The domains, with their subdomains, from which Meta serves media."""
_MEDIA_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_LINK_IS_OVER = {401, 403, 404, 410}
"""The statuses of an address after its five minutes; Meta does not document one status for that."""


class _Uploaded(msgspec.Struct):
    id: str


class _Described(msgspec.Struct):
    url: str
    file_size: int | str = 0
    """A string by Meta's specification, a number in practice."""

    @property
    def size(self) -> int:
        """The size in bytes; 0 where it is not given."""
        if isinstance(self.file_size, int):
            return self.file_size
        return int(self.file_size) if re.fullmatch(r"[0-9]{1,15}", self.file_size) else 0


_decode_uploaded = msgspec.json.Decoder(_Uploaded).decode
_decode_described = msgspec.json.Decoder(_Described).decode
_NO_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Media:
    """Uploads and downloads files at Meta.

    Args:
        graph: the client of Meta's API.
        number_id: the id of our number, to which uploads belong.
    """

    def __init__(self, graph: Graph, number_id: str) -> None:
        self._graph = graph
        self._number_id = number_id

    async def upload(self, content: bytes, mime_type: str) -> str:
        """Upload a file and return its media id; the file's name goes with the message.

        People see a file only once it is sent, so no outcome here is in doubt.

        Raises:
            Refusal: the API does not take the file.
            RetryAt: the file did not arrive, or no answer came.
        """
        form = FormData({"messaging_product": "whatsapp", "type": mime_type})
        form.add_field("file", BytesIO(content), filename="file", content_type=mime_type)
        try:
            return _decode_uploaded(
                await self._graph.post_form(f"{self._number_id}/media", form)
            ).id
        except Refusal as refusal:
            if refusal.status >= 500:
                raise RetryAt(f"the upload failed: {refusal}", refusal.retry_after) from None
            raise
        except OutcomeUnknown as error:
            raise RetryAt(f"the upload failed: {error}") from None
        except _NO_JSON:
            raise RetryAt("the upload's answer is not one of the API") from None

    async def fetch(self, reference: str) -> bytes:
        """Return the file, at most 16 MB; an expired address is looked up once more.

        Raises:
            NotFound: Meta no longer has the file, or `reference` is no media id.
            TooLarge: the file is larger, noticed at the latest while it streams.
            RetryAt: the file cannot be reached now.
        """
        if not _MEDIA_ID.fullmatch(reference):
            raise NotFound("not a media id of WhatsApp")
        try:
            return await self._download(await self._look_up(reference))
        except Refusal as refusal:
            if refusal.status not in _LINK_IS_OVER:
                raise _explain_missing(refusal) from None
        try:
            return await self._download(await self._look_up(reference))
        except Refusal as refusal:
            raise _explain_missing(refusal) from None

    async def _look_up(self, media_id: str) -> URL:
        """Return the file's address, which is valid for five minutes."""
        try:
            described = _decode_described(await self._graph.get(media_id))
        except Refusal as refusal:
            raise _explain_missing(refusal) from None
        except OutcomeUnknown as error:
            raise RetryAt(f"no address of the file: {error}") from None
        except _NO_JSON:
            raise RetryAt("the file's address is not one of the API") from None
        if described.size > MAX_FILE_IN:
            raise TooLarge(f"more than {MAX_FILE_IN} bytes")
        return self._own(described.url)

    async def _download(self, url: URL) -> bytes:
        try:
            return await self._graph.download(url, MAX_FILE_IN)
        except OutcomeUnknown as error:
            raise RetryAt(f"the file did not come: {error}") from None

    def _own(self, link: str) -> URL:
        """Return the address, if our token may be sent there: Meta's own, or `WHATSAPP_API_URL`'s.
        Raises `NotFound` for any other."""
        url = find_own_url(link, self._is_known)
        if url is None:
            raise NotFound("not a media address of WhatsApp")
        return url

    def _is_known(self, url: URL) -> bool:
        """Return whether an address is Meta's or the API's. Raises `ValueError` without a host."""
        if url.origin() == self._graph.url.origin():
            return True
        host = url.host or ""
        metas = any(host == each or host.endswith(f".{each}") for each in _META)
        return metas and url.scheme == "https" and url.port == 443


def _explain_missing(refusal: Refusal) -> DeliveryError | NotFound:
    """Return the error that a refusal means for the file that was requested."""
    if refusal.is_unknown_object:
        return NotFound("WhatsApp no longer has the file")
    log_operator_error(refusal)
    if refusal.is_for_operator:
        return RetryAt(f"WhatsApp does not give the file: {refusal}", OPERATOR_SECONDS)
    meant = explain(refusal)
    if isinstance(meant, Undeliverable):
        return NotFound(f"WhatsApp does not give the file: {refusal}")
    return RetryAt(f"no file from WhatsApp: {refusal}", refusal.retry_after)
