"""A body costs no more than its bytes: it is never unpacked."""

from __future__ import annotations

import asyncio
import time
import zlib

import pytest

from tests.support.fakes import FakeModel
from tests.support.site import MakeSite, Site

MB = 1024 * 1024


def _compress_spaces(megabytes: int) -> bytes:
    """A compressed stream that unpacks to so many megabytes and has no end."""
    packer = zlib.compressobj(9)
    head = packer.compress(b" " * MB) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(b" " * MB) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + block * (megabytes - 1)  # no block refers to what is before it


BOMB = _compress_spaces(1024)


async def _post(griot: Site, path: str, head: bytes, body: bytes) -> bytes:
    """All bytes of the answer to a POST, up to the end of the connection."""
    host, port = griot.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        writer.write(b"POST %s HTTP/1.1\r\nHost: griot\r\n" % path.encode())
        writer.write(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        async with asyncio.timeout(60):
            return await reader.read()
    finally:
        writer.close()


@pytest.mark.parametrize(
    "path",
    [
        "/webhooks/telegram",
        "/webhooks/whatsapp",
        "/webhooks/twilio",
        "/webhooks/payments/wave",
        "/api/v1/chat",
        "/v1/chat/completions",
        "/healthz",
        "/nowhere",
    ],
)
async def test_a_compressed_body_is_refused_and_not_unpacked(site: MakeSite, path: str) -> None:
    griot = await site(FakeModel())
    began = time.process_time()
    answer = await _post(griot, path, b"Content-Encoding: deflate\r\n", BOMB)
    assert answer.startswith(b"HTTP/1.1 415 ")
    assert b"\r\nConnection: close\r\n" in answer
    assert b"without Content-Encoding" in answer
    assert time.process_time() - began < 0.75  # unpacking it costs seconds


@pytest.mark.parametrize("coding", ["gzip", "identity, br", "GZIP", "zstd"])
async def test_no_way_of_compressing_is_taken(site: MakeSite, coding: str) -> None:
    griot = await site(FakeModel())
    headers = {"Content-Encoding": coding}
    status, answer = await griot.request("POST", "/api/v1/chat", data=b"{}", headers=headers)
    assert (status, answer["error"]["code"]) == (415, "unsupported_encoding")


async def test_a_body_that_says_that_it_is_not_compressed_is_read(site: MakeSite) -> None:
    griot = await site(FakeModel())
    headers = {"Content-Encoding": "identity"}
    status, answer = await griot.request("POST", "/api/v1/chat", data=b"{}", headers=headers)
    assert (status, answer["error"]["code"]) == (400, "bad_request")
