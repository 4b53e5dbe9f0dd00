"""What answers over HTTP hold, read no further than somebody wants to keep."""

from __future__ import annotations

from aiohttp import ClientResponse

from bot.errors import TooLarge

_CHUNK = 2**16


async def read_within(response: ClientResponse, limit: int) -> bytes:
    """The body, unpacked. Raises `TooLarge` as soon as it exceeds `limit` bytes, or promises to."""
    if (response.content_length or 0) > limit:
        raise TooLarge(f"more than {limit} bytes")
    content = await read_beginning(response, limit + 1)
    if len(content) > limit:
        raise TooLarge(f"more than {limit} bytes")
    return content


async def read_beginning(response: ClientResponse, size: int) -> bytes:
    """At most `size` bytes of the body, unpacked; what is left unread closes the connection."""
    content = bytearray()
    async for chunk in response.content.iter_chunked(_CHUNK):
        content += chunk
        if len(content) >= size:
            break
    return bytes(memoryview(content)[:size])
