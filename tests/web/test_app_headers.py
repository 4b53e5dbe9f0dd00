"""Headers that every answer has: they tell little of the server, and caches keep nothing."""

from __future__ import annotations

import asyncio

import pytest
from structlog.testing import capture_logs

from tests.support.fakes import FakeModel, reply
from tests.support.site import MakeSite, Site


async def _send(griot: Site, request_line: bytes, *lines: bytes) -> bytes:
    """The whole answer to these lines; those after an empty one are the body."""
    host, port = griot.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    head = b"\r\n".join([request_line, b"Host: griot", b"Connection: close", *lines])
    writer.write(head if lines[-1] else head + b"\r\n")
    async with asyncio.timeout(60):
        answer = await reader.read()
    writer.close()
    return answer


@pytest.mark.parametrize(
    "path",
    ["/api/v1/me", "/api/v1/files", "/api/v1/nothing", "/v1/models", "/healthz", "/webhooks/none"],
)
async def test_what_the_api_answers_is_not_kept_and_not_guessed(site: MakeSite, path: str) -> None:
    griot = await site(FakeModel())
    await griot.log_in()
    async with griot.session.get(griot.url + path, headers=griot.headers) as answer:
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Server"] == "griot"


async def test_a_stream_has_these_headers_as_well(site: MakeSite) -> None:
    griot = await site(FakeModel(reply("Hello.")))
    await griot.log_in()
    body, url = {"message": "hello"}, f"{griot.url}/api/v1/chat"
    async with griot.session.post(url, json=body, headers=griot.headers) as answer:
        await answer.read()
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "request_line", [b"GET / HTTP/1.1", b"GET /nowhere HTTP/1.1", b"PUT / HTTP/1.1", b"nonsense"]
)
async def test_no_answer_names_the_software(site: MakeSite, request_line: bytes) -> None:
    griot = await site(FakeModel())
    answer = await _send(griot, request_line, b"")
    assert b"\r\nServer: griot\r\n" in answer
    assert b"aiohttp" not in answer
    assert b"Python/" not in answer


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (b"Authorization: Bearer \xff\xfe", b"401"),
        (b"Accept-Language: \xff\xfe", b"200"),
    ],
)
async def test_a_header_of_odd_bytes_is_no_fault_of_ours(
    site: MakeSite, header: bytes, status: bytes
) -> None:
    griot = await site(FakeModel())
    body = b'{"message": "/help"}'
    line = b"POST /api/v1/chat HTTP/1.1"
    answer = await _send(griot, line, header, b"Content-Length: %d" % len(body), b"", body)
    assert answer.startswith(b"HTTP/1.1 %s " % status)


async def test_what_is_no_http_is_one_line_without_the_address(
    site: MakeSite, caplog: pytest.LogCaptureFixture
) -> None:
    griot = await site(FakeModel())
    with capture_logs() as logs:
        answer = await _send(griot, b"GET / HTTP/1.1", b"Content-Length: -5", b"")
    assert answer.startswith(b"HTTP/1.0 400 ")
    assert [each for each in logs if each["event"] == "request_malformed"] == [
        {"event": "request_malformed", "error": "BadHttpMessage", "log_level": "warning"}
    ]
    assert "127.0.0.1" not in caplog.text


async def _fetch(griot: Site, path: str, coding: str) -> tuple[str, str, int]:
    """Content-Encoding, Vary and length of an answer, which is read without unpacking it."""
    lines = [b"Accept: text/html", b"Accept-Encoding: " + coding.encode(), b""]
    head, _, body = (await _send(griot, b"GET " + path.encode() + b" HTTP/1.1", *lines)).partition(
        b"\r\n\r\n"
    )
    headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
    return headers.get("Content-Encoding", ""), headers.get("Vary", ""), len(body)


@pytest.mark.parametrize("path", ["/", "/nothing", "/api/v1/openapi.json"])
async def test_pages_and_json_are_compressed_for_who_can_unpack(site: MakeSite, path: str) -> None:
    griot = await site(FakeModel())
    plain, packed = await _fetch(griot, path, "identity"), await _fetch(griot, path, "br, gzip")
    assert (plain[0], packed[0]) == ("", "gzip")
    assert packed[2] < plain[2] / 2
    assert all("Accept-Encoding" in vary for _, vary, _ in (plain, packed))


@pytest.mark.parametrize("path", ["/nothing", "/chat"])
@pytest.mark.parametrize(
    ("accepted", "sent"),
    [("gzip;q=0", ""), ("GZIP; q=0.5", "gzip"), ("br, gzip;q=0.0", ""), ("xgzip", "")],
)
async def test_the_weight_of_gzip_counts(
    site: MakeSite, path: str, accepted: str, sent: str
) -> None:
    griot = await site(FakeModel())
    assert (await _fetch(griot, path, accepted))[0] == sent


@pytest.mark.parametrize("path", ["/operator", "/healthz", "/api/v1/nothing"])
async def test_pages_with_a_key_and_short_answers_are_not(site: MakeSite, path: str) -> None:
    griot = await site(FakeModel(), operator_token="a token that operators have")
    assert (await _fetch(griot, path, "gzip"))[0] == ""
