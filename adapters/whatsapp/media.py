"""Files: uploaded before they are sent, and fetched in two steps from where Meta keeps them."""

from __future__ import annotations

import re
from io import BytesIO

import msgspec
from aiohttp import FormData
from yarl import URL

from adapters.whatsapp.client import OPERATOR_SECONDS, Graph, Refusal, explain, log_operator_error
from bot.errors import DeliveryError, NotFound, OutcomeUnknown, RetryAt, TooLarge, Undeliverable

MAX_FILE_IN = 16 * 2**20
"""Of any kind; WhatsApp itself lets documents of 100 MB through."""
_META = ("facebook.com", "fbsbx.com", "whatsapp.net")
"""Their subdomains too: where Meta serves media from."""
_MEDIA_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_LINK_IS_OVER = {401, 403, 404, 410}
"""An address lives five minutes; what it answers afterwards is not documented as one status."""


class _Uploaded(msgspec.Struct):
    id: str


class _Described(msgspec.Struct):
    url: str
    file_size: int | str = 0
    """A string by Meta's specification, a number in practice."""

    @property
    def size(self) -> int:
        """In bytes; 0 where it is not described."""
        if isinstance(self.file_size, int):
            return self.file_size
        return int(self.file_size) if re.fullmatch(r"[0-9]{1,15}", self.file_size) else 0


_decode_uploaded = msgspec.json.Decoder(_Uploaded).decode
_decode_described = msgspec.json.Decoder(_Described).decode
_NO_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Media:
    """
    Args:
        graph: through which Meta is asked.
        number_id: to which uploads belong.
    """

    def __init__(self, graph: Graph, number_id: str) -> None:
        self._graph = graph
        self._number_id = number_id

    async def upload(self, content: bytes, mime_type: str) -> str:
        """Return the media id to send it by; its name goes with the message.

        People see a file only once it is sent, so nothing here is in doubt.

        Raises:
            Refusal: the API does not take it.
            RetryAt: it did not arrive, or no answer came.
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
        """Return the file, at most 16 MB; an address that has expired meanwhile is asked for once
        more.

        Raises:
            NotFound: Meta has it no longer, or `reference` is no media id.
            TooLarge: noticed at the latest while it streams.
            RetryAt: out of reach for now.
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
        """Return where the file lies for the next minutes."""
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
        """Return the address, if our token may be shown there: Meta's own, or
        `WHATSAPP_API_URL`'s."""
        try:
            url = URL(link)
            known = url.user is None and url.password is None and self._is_known(url)
        except ValueError:
            known, url = False, URL()
        if not known:
            raise NotFound("not a media address of WhatsApp")
        return url

    def _is_known(self, url: URL) -> bool:
        """Raises `ValueError` for an address without a host."""
        if url.origin() == self._graph.url.origin():
            return True
        host = url.host or ""
        metas = any(host == each or host.endswith(f".{each}") for each in _META)
        return metas and url.scheme == "https" and url.port == 443


def _explain_missing(refusal: Refusal) -> DeliveryError | NotFound:
    """Return what it means for the file that was asked for."""
    if refusal.is_unknown_object:
        return NotFound("WhatsApp no longer has the file")
    log_operator_error(refusal)
    if refusal.is_for_operator:
        return RetryAt(f"WhatsApp does not give the file: {refusal}", OPERATOR_SECONDS)
    meant = explain(refusal)
    if isinstance(meant, Undeliverable):
        return NotFound(f"WhatsApp does not give the file: {refusal}")
    return RetryAt(f"no file from WhatsApp: {refusal}", refusal.retry_after)
