"""Requests come in time, and a body costs no more than its bytes: it is never unpacked."""

from __future__ import annotations

import asyncio
import re
import time
import zlib

import pytest

from tests.support.fakes import FakeModel
from tests.support.payment_provider import FakeProvider
from tests.support.site import MakeSite, Site

MB = 1024 * 1024
WHATSAPP = {
    "whatsapp_token": "t",
    "whatsapp_phone_number_id": "1",
    "whatsapp_app_secret": "s",
    "whatsapp_verify_token": "v",
}


def _compress_spaces(megabytes: int) -> bytes:
    """A compressed stream that unpacks to so many megabytes and has no end."""
    packer = zlib.compressobj(9)
    head = packer.compress(b" " * MB) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(b" " * MB) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + block * (megabytes - 1)  # no block refers to what is before it


BOMB = _compress_spaces(1024)


async def _post(
    griot: Site, path: str, head: bytes, *pieces: bytes, size: int = 0, pause: float = 0.0
) -> bytes:
    """The answer to a POST.

    Args:
        size: the number of bytes that are announced; 0: of those that are sent.
        pause: seconds between two pieces.
    """
    host, port = griot.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        size = size or sum(map(len, pieces))
        writer.write(b"POST %s HTTP/1.1\r\nHost: griot\r\n" % path.encode() + head)
        writer.write(b"Content-Length: %d\r\n\r\n" % size)
        for piece in pieces:
            writer.write(piece)
            await asyncio.sleep(pause)
        async with asyncio.timeout(60):
            answer = await reader.readuntil(b"\r\n\r\n")
            body = re.search(rb"Content-Length: (\d+)", answer)
            return answer + (await reader.readexactly(int(body[1])) if body else b"")
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
    griot = await site(FakeModel(), **WHATSAPP)
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


# In time ----------------------------------------------------------------------------------------

FORM = b"Content-Type: multipart/form-data; boundary=x\r\n"
FILE = b'--x\r\nContent-Disposition: form-data; name="attachment"; filename="a.bin"\r\n\r\n'


@pytest.mark.parametrize(
    ("path", "head", "start"),
    [
        ("/webhooks/whatsapp", b"", b"{"),
        ("/webhooks/whatsapp", b"", b""),
        ("/webhooks/payments/wave", b"", b"{"),
        ("/api/v1/chat", b"Content-Type: application/json\r\n", b"{"),
        ("/api/v1/chat", FORM, FILE),
        ("/api/v1/chat", FORM, FILE[:10]),
        ("/v1/chat/completions", b"", b"{"),
    ],
)
async def test_a_body_that_stops_is_given_up(
    site: MakeSite, monkeypatch: pytest.MonkeyPatch, path: str, head: bytes, start: bytes
) -> None:
    for module in ("requests", "files"):  # or the test would take 30 seconds
        monkeypatch.setattr(f"bot.web.{module}.BODY_SILENCE", 0.3)
    griot = await site(FakeModel(), providers={"wave": FakeProvider()}, **WHATSAPP)
    answer = await _post(griot, path, head, start, size=1000)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"\r\nConnection: close\r\n" in answer
    assert (await griot.request("GET", "/healthz"))[0] == 200


async def test_a_slow_body_is_read_while_it_goes_on(
    site: MakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.web.requests.BODY_SILENCE", 2.0)  # or the test would take longer
    griot = await site(FakeModel())
    head = b"Connection: close\r\n"
    pieces = [b'{"message": "', *[b"/help "] * 6, b'"}']
    answer = await _post(griot, "/api/v1/chat", head, *pieces, pause=0.3)
    assert answer.startswith(b"HTTP/1.1 200 ")


async def test_a_body_that_drips_has_an_end(
    site: MakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.web.requests.BODY_SECONDS", 0.5)  # or the test would take minutes
    griot = await site(FakeModel(), **WHATSAPP)
    answer = await _post(griot, "/webhooks/whatsapp", b"", *[b" "] * 8, size=1000, pause=0.1)
    assert answer.startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("start", [b"", b"GET /healthz HTTP/1.1\r\nHost:"])
async def test_a_connection_without_a_whole_head_is_closed(
    site: MakeSite, monkeypatch: pytest.MonkeyPatch, start: bytes
) -> None:
    monkeypatch.setattr("bot.server.IDLE_SECONDS", 0.5)  # or the test would take minutes
    griot = await site(FakeModel())
    host, port = griot.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(start)
    async with asyncio.timeout(20):
        assert await reader.read() == b""
    writer.close()


# In memory --------------------------------------------------------------------------------------


async def test_many_bodies_at_once_take_little_memory(site: MakeSite) -> None:
    griot = await site(FakeModel(), **WHATSAPP)
    host, port = griot.url.removeprefix("http://").split(":")
    head = b"POST /webhooks/whatsapp HTTP/1.1\r\nHost: griot\r\nContent-Length: %d\r\n\r\n" % MB
    slow = [await asyncio.open_connection(host, int(port)) for _ in range(160)]
    try:
        for _, writer in slow:
            writer.write(head + bytes(MB - 1))  # all but the last byte
        refused = await asyncio.wait_for(_count_answers([reader for reader, _ in slow]), 30)
        assert 20 < refused < 50  # the others have 128 MB
        answer = await _post(griot, "/webhooks/whatsapp", b"", b"x" * 60_000)
        assert answer.startswith(b"HTTP/1.1 403 ")  # an ordinary one is read meanwhile
    finally:
        for _, writer in slow:
            writer.close()
    async with asyncio.timeout(10):  # what they took is given back
        while b" 503 " in (await _post(griot, "/webhooks/whatsapp", b"", bytes(MB)))[:14]:
            await asyncio.sleep(0.05)


async def _count_answers(readers: list[asyncio.StreamReader]) -> int:
    """Count the refusals, until none comes for two seconds."""
    reading = {asyncio.ensure_future(reader.readline()) for reader in readers}
    answered: set[bytes] = set()
    count = 0
    while True:
        done, reading = await asyncio.wait(reading, timeout=2, return_when=asyncio.FIRST_COMPLETED)
        if not done:
            break
        count += len(done)
        answered |= {each.result() for each in done}
    for each in reading:
        each.cancel()
    assert answered == {b"HTTP/1.1 503 Service Unavailable\r\n"}
    return count
