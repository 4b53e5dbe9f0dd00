"""The adapter of the HTTP API, which streams a turn while it runs, so it sends nothing later.

A delivery of this channel is sent as soon as it is stored; clients read it as events or by polling.
Uploaded files are staged in our own store before their update is stored (`bot/web/files.py`).
"""

from __future__ import annotations

from adapters.base import STREAMED
from bot.contracts.channels import Adapter
from bot.contracts.storage import ReadFile
from bot.errors import RetryAt
from bot.messages.channels import Channel
from bot.messages.incoming import Attachment
from bot.messages.outgoing import Delivery, Sent


class HttpApi(Adapter):
    """Shows answers to the web's own clients, whose stream is also the preview.

    Args:
        read_file: returns the bytes of a file by its id.
    """

    name = "http"
    channel: Channel = "http"
    capabilities = STREAMED

    def __init__(self, read_file: ReadFile) -> None:
        self._read_file = read_file

    async def fetch(self, attachment: Attachment) -> bytes:
        """Read the staged bytes. Raises `NotFound` (gone) or `RetryAt` (the store is down)."""
        try:
            return await self._read_file(attachment.reference)
        except ConnectionError as error:
            raise RetryAt(str(error)) from error

    async def deliver(self, delivery: Delivery) -> Sent:
        return Sent(f"http:{delivery.id}")
