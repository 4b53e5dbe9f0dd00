"""Files that people sent: whom we ask for them, with which credentials, and how much we take."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import ClientSession, encode_basic_auth
from yarl import URL

from adapters.base import OPERATOR_SECONDS
from adapters.twilio.account import MAX_HOPS, Media, _next
from bot.errors import NotFound, RetryAt, TooLarge
from tests.adapters.twilio_parts import Origin, running

CREDENTIALS = ("AC1", "secret")
PATH = "/2010-04-01/Accounts/AC1/Messages/MM1/Media/ME1"


@pytest.fixture
async def origin() -> AsyncIterator[Origin]:
    async with running() as server:
        yield server


@pytest.fixture
async def store() -> AsyncIterator[Origin]:
    """Where Twilio's redirects lead."""
    async with running() as server:
        yield server


@pytest.fixture
async def session() -> AsyncIterator[ClientSession]:
    async with ClientSession() as opened:
        yield opened


async def fetch(origin: Origin, session: ClientSession, limit: int = 100) -> bytes:
    return await Media(origin.url, CREDENTIALS).fetch(session, origin.url + PATH, limit)


async def test_a_file_is_asked_for_with_our_credentials(
    origin: Origin, session: ClientSession
) -> None:
    origin.answer(200, b"\x89PNG")
    assert await fetch(origin, session) == b"\x89PNG"
    [seen] = origin.seen
    assert (seen.method, seen.path) == ("GET", PATH)
    assert seen.headers["Authorization"] == encode_basic_auth(*CREDENTIALS)


async def test_a_redirect_is_followed_without_them(
    origin: Origin, store: Origin, session: ClientSession
) -> None:
    origin.answer(307, headers={"Location": f"{store.url}/signed?key=a%2Bb"})
    store.answer(302, headers={"Location": "/other"})
    store.answer(200, b"\x89PNG")
    assert await fetch(origin, session) == b"\x89PNG"
    assert [seen.path for seen in store.seen] == ["/signed?key=a%2Bb", "/other"]
    assert not any("Authorization" in seen.headers for seen in store.seen)


async def test_not_even_back_to_twilio(origin: Origin, session: ClientSession) -> None:
    origin.answer(302, headers={"Location": "/other"})
    origin.answer(200, b"\x89PNG")
    await fetch(origin, session)
    assert "Authorization" not in origin.seen[1].headers


@pytest.mark.parametrize(
    "url", ["", "http://[", "http://[]@/", "file:///etc/passwd", "ftp://127.0.0.1/x"]
)
async def test_a_redirect_to_nowhere_is_not_followed(
    origin: Origin, session: ClientSession, url: str
) -> None:
    origin.answer(302, headers={"Location": url})
    with pytest.raises(NotFound, match="nowhere"):
        await fetch(origin, session)
    assert len(origin.seen) == 1


def test_redirects_over_plain_http_are_followed_only_where_twilio_speaks_it() -> None:
    class Redirect:
        def __init__(self, location: str) -> None:
            self.headers = {"Location": location}

    def follow(url: str, location: str) -> str:
        response: Any = Redirect(location)
        return str(_next(URL(url), response))

    assert (
        follow("https://api.twilio.com/x", "https://media.example/y") == "https://media.example/y"
    )
    assert follow("http://127.0.0.1/x", "http://127.0.0.1/y") == "http://127.0.0.1/y"
    for location in ("http://media.example/y", "http://api.twilio.com/y", "//[", "data:,y"):
        with pytest.raises(NotFound, match="nowhere"):
            follow("https://api.twilio.com/x", location)


@pytest.mark.parametrize("host", ["localhost", "0.0.0.0", "[::ffff:127.0.0.1]"])
async def test_a_redirect_to_a_private_address_is_not_followed(
    origin: Origin, store: Origin, session: ClientSession, host: str
) -> None:
    port = store.url.rpartition(":")[2]
    origin.answer(302, headers={"Location": f"http://{host}:{port}/latest/meta-data"})
    with pytest.raises(NotFound, match="private"):
        await fetch(origin, session)
    assert store.seen == []


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f.1", "127.0.0.1.nip.invalid"])
async def test_nor_is_one_that_is_spelled_oddly(
    origin: Origin, store: Origin, session: ClientSession, host: str
) -> None:
    port = store.url.rpartition(":")[2]
    origin.answer(302, headers={"Location": f"http://{host}:{port}/latest"})
    with pytest.raises((NotFound, RetryAt)):
        await fetch(origin, session)
    assert store.seen == []


async def test_nor_is_one_that_comes_later(
    origin: Origin, store: Origin, session: ClientSession
) -> None:
    port = store.url.rpartition(":")[2]
    origin.answer(302, headers={"Location": f"{store.url}/signed"})
    store.answer(302, headers={"Location": f"http://localhost:{port}/latest"})
    with pytest.raises(NotFound, match="private"):
        await fetch(origin, session)
    assert [seen.path for seen in store.seen] == ["/signed"]


async def test_an_allowed_host_elsewhere_gives_the_file_and_sees_no_credentials(
    origin: Origin, store: Origin, session: ClientSession
) -> None:
    port = store.url.rpartition(":")[2]
    origin.answer(307, headers={"Location": f"http://localhost:{port}/signed"})
    store.answer(200, b"\x89PNG")
    media = Media(origin.url, CREDENTIALS, allows=lambda _: True)
    assert await media.fetch(session, origin.url + PATH, 100) == b"\x89PNG"
    [seen] = store.seen
    assert seen.path == "/signed"
    assert "Authorization" not in seen.headers
    assert "Cookie" not in seen.headers


@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.254", "192.88.99.1", "168.63.129.16", "192.31.196.1", "100.100.100.200",
        "[fd00:ec2::254]", "[2002:7f00:1::1]", "[64:ff9b::7f00:1]", "[2620:4f:8000::1]",
    ],
)  # fmt: skip
async def test_what_is_private_is_the_same_for_all_of_griot(
    origin: Origin, session: ClientSession, host: str
) -> None:
    origin.answer(302, headers={"Location": f"http://{host}/latest"})
    with pytest.raises(NotFound, match="private"):
        await fetch(origin, session)


def test_redirects_are_at_most_five() -> None:
    assert MAX_HOPS == 5


async def test_redirects_have_an_end(origin: Origin, session: ClientSession) -> None:
    for place in range(MAX_HOPS + 3):
        origin.answer(302, headers={"Location": f"/{place}"})
    with pytest.raises(NotFound, match="do not end"):
        await fetch(origin, session)
    assert len(origin.seen) == MAX_HOPS + 1


async def test_a_forged_media_url_is_not_asked_for(
    origin: Origin, store: Origin, session: ClientSession
) -> None:
    media, host = Media(origin.url, CREDENTIALS), origin.url.removeprefix("http://")
    for reference in [
        f"{store.url}/x",
        f"http://{host}@{store.url.removeprefix('http://')}/x",
        f"http://user:password@{host}/x",
        f"https://{host}/x",
        f"//{host}/x",
        f"http://{host.partition(':')[0]}/x",
        "http://api.twilio.com/x",
        "https://api.twilio.com.evil.example/x",
        "https://api.twilio.com:8443/x",
        "https://api.twilio.com\\@127.0.0.1/x",
        "http://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        "http://[",
        "http://[]@/",
        "/etc/passwd",
        "",
    ]:
        with pytest.raises(NotFound, match="not a media URL"):
            await media.fetch(session, reference, 100)
    assert origin.seen == store.seen == []


@pytest.mark.parametrize("api_url", ["https://api.twilio.com", "http://127.0.0.1:9"])
def test_twilios_own_host_is_known_whichever_base_is_set(api_url: str) -> None:
    url = "https://api.twilio.com" + PATH
    assert str(Media(api_url, CREDENTIALS)._own(url)) == url


async def test_a_file_that_says_it_is_too_large_is_not_taken(
    origin: Origin, session: ClientSession
) -> None:
    origin.answer(200, b"x" * 100)
    assert await fetch(origin, session, 100) == b"x" * 100
    origin.promise(101)
    with pytest.raises(TooLarge):
        await Media(origin.url, CREDENTIALS, 0.3).fetch(session, origin.url + PATH, 100)


async def test_a_file_is_dropped_as_soon_as_it_proves_too_large(
    origin: Origin, session: ClientSession
) -> None:
    origin.stream(b"x" * 60, b"x" * 40)
    assert await fetch(origin, session, 100) == b"x" * 100
    origin.stream(b"x" * 60, b"x" * 41)
    with pytest.raises(TooLarge):
        await fetch(origin, session, 100)


@pytest.mark.parametrize("status", [400, 404, 410])
async def test_a_file_that_is_gone_is_not_found(
    origin: Origin, session: ClientSession, status: int
) -> None:
    origin.answer(status)
    with pytest.raises(NotFound):
        await fetch(origin, session)


@pytest.mark.parametrize(
    ("status", "after"), [(401, OPERATOR_SECONDS), (403, OPERATOR_SECONDS), (429, 7.0), (503, 7.0)]
)
async def test_a_file_out_of_reach_may_be_asked_for_again(
    origin: Origin, session: ClientSession, status: int, after: float
) -> None:
    origin.answer(status, headers={"Retry-After": "7"})
    with pytest.raises(RetryAt) as caught:
        await fetch(origin, session)
    assert caught.value.after == after


async def test_a_cut_connection_may_be_tried_again_and_names_no_url(
    origin: Origin, session: ClientSession
) -> None:
    for _ in range(3):  # aiohttp asks for a file twice, which is safe
        origin.cut()
    with pytest.raises(RetryAt) as caught:
        await fetch(origin, session)
    assert "AC1" not in str(caught.value)


async def test_a_file_that_does_not_come_may_be_asked_for_again(
    origin: Origin, session: ClientSession
) -> None:
    origin.hang()
    with pytest.raises(RetryAt):
        await Media(origin.url, CREDENTIALS, 0.1).fetch(session, origin.url + PATH, 100)
