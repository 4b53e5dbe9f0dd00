"""The chat page as bytes: what it may load, how often it is loaded, and how few bytes that is."""

from __future__ import annotations

import gzip
import re
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from aiohttp.test_utils import TestClient, TestServer, make_mocked_request

from bot.settings import load
from bot.web.app import make_app
from bot.web.requests import GUEST_COOKIE
from bot.web.site_pages import Assets, ChatPage, join_modules
from tests.support.fakes import FakeModel
from tests.support.site import MakeSite

MOST_BYTES = 47 * 1024
"""Of all that the page needs for the first message, compressed: a second and a half at the edge of
a village."""
LOADED = {"chat.js", "icon.svg", "manifest.webmanifest", "style.css"}
"""Each file is a request, and a line to a village has few at a time."""


@pytest.fixture
async def http() -> AsyncIterator[TestClient]:
    server = TestServer(make_app([ChatPage(load({"SECRET_KEY": "key of a test"}))]))
    async with TestClient(server, auto_decompress=False) as client:
        yield client


async def read_page(http: TestClient) -> tuple[str, list[str]]:
    """The page, and the addresses of all that it loads."""
    async with http.get("/chat", headers={"Accept-Encoding": "identity"}) as answer:
        assert answer.status == 200
        page = await answer.text()
    return page, sorted(set(re.findall(r'(?:src|href)="([^"]+)"', page)))


async def test_it_runs_and_shows_nothing_but_its_own_files(http: TestClient) -> None:
    async with http.get("/chat") as answer:
        policy = answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "default-src 'none'; script-src 'self'" in policy
    assert "unsafe" not in policy
    page, loaded = await read_page(http)
    assert not re.search(r"<style|<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=", page)
    assert all(path.startswith("/chat/") for path in loaded)


async def test_a_slash_too_many_is_left_out(http: TestClient) -> None:
    response = await http.get("/chat/?lang=fr", allow_redirects=False)
    assert (response.status, response.headers["Location"]) == (308, "/chat?lang=fr")


async def test_every_file_of_the_page_is_there_and_may_be_kept_for_ever(http: TestClient) -> None:
    _, loaded = await read_page(http)
    kinds = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
    kinds[".webmanifest"] = "application/manifest+json"
    for path in loaded:
        async with http.get(path) as answer:
            assert answer.status == 200, path
            assert answer.content_type == kinds[Path(path).suffix]
            assert "immutable" in answer.headers["Cache-Control"]
            assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_all_scripts_come_as_one_and_all_styles(http: TestClient) -> None:
    _, loaded = await read_page(http)
    assert {path.rpartition("/")[2] for path in loaded} == LOADED
    for kind in (".js", ".css"):
        [path] = [path for path in loaded if path.endswith(kind)]
        async with http.get(path, headers={"Accept-Encoding": "identity"}) as answer:
            assert not re.search(r"^(im|ex)port |@import", await answer.text(), re.MULTILINE)


def test_joined_modules_keep_their_names_apart(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text(
        'import { one as first } from "./b.js";\nimport {\n  two,\n} from "./c.js";\n'
        "const mine = first + two();\n"
    )
    (tmp_path / "b.js").write_text('import { two } from "./c.js";\nexport const one = two();\n')
    (tmp_path / "c.js").write_text("const mine = 2;\nexport async function two() {}\n")
    assert join_modules(tmp_path, "a").decode() == (
        "const $c = (() => {\nconst mine = 2;\nasync function two() {}\n\nreturn { two };\n})();\n"
        "const $b = (() => {\nconst { two } = $c;\nconst one = two();\n\nreturn { one };\n})();\n"
        "const $a = (() => {\nconst { one: first } = $b;\nconst {\n  two,\n} = $c;\n"
        "const mine = first + two();\n\nreturn {  };\n})();\n"
    )


async def test_the_whole_page_is_few_bytes(http: TestClient) -> None:
    _, loaded = await read_page(http)
    total = 0
    for path in ("/chat", *loaded):
        async with http.get(path, headers={"Accept-Encoding": "gzip"}) as answer:
            total += len(await answer.read())
    assert total < MOST_BYTES


def test_comments_are_not_sent_and_what_runs_is(tmp_path: Path) -> None:
    comments = ("// Why.\n/** What. */\n", "  /* x\n   */\n  ")
    kept = "const url = `https://a.org`;\ngo(/\\/\\*/);\nsay('a; // b');\n"
    script = comments[0] + kept.replace("\ngo", f" // why\n{comments[1]}go")
    (tmp_path / "a.js").write_text(script)
    request = make_mocked_request("GET", "/a.js")
    answer = Assets(tmp_path).respond(request, "a.js")
    assert answer.body == kept.encode()


async def test_what_the_browser_has_is_not_sent_again(http: TestClient) -> None:
    async with http.get("/chat") as answer:
        tag = answer.headers["ETag"]
        assert answer.headers["Cache-Control"] == "private, no-cache"
    async with http.get("/chat", headers={"If-None-Match": tag}) as answer:
        assert (answer.status, await answer.read()) == (304, b"")
        assert "Content-Security-Policy" in answer.headers
    async with http.get("/chat", headers={"If-None-Match": '"older"'}) as answer:
        assert answer.status == 200


async def test_whoever_opens_it_is_one_guest(http: TestClient) -> None:
    async with http.get("/chat") as answer:
        given = answer.cookies[GUEST_COOKIE]
        assert given["httponly"]
    async with http.get("/chat") as answer:
        assert GUEST_COOKIE not in answer.cookies
    http.session.cookie_jar.clear()
    async with http.get("/chat", headers={"Cookie": f"{GUEST_COOKIE}=made.up"}) as answer:
        assert answer.cookies[GUEST_COOKIE].value not in {given.value, "made.up"}


async def test_compressed_only_for_who_understands(http: TestClient) -> None:
    plain, packed = {"Accept-Encoding": "identity"}, {"Accept-Encoding": "gzip, br"}
    async with http.get("/chat", headers=plain) as answer:
        assert "Content-Encoding" not in answer.headers
        page = await answer.read()
    async with http.get("/chat", headers=packed) as answer:
        assert answer.headers["Vary"] == "Accept-Encoding"
        assert gzip.decompress(await answer.read()) == page


async def test_a_page_of_an_older_version_still_works_and_keeps_nothing(http: TestClient) -> None:
    async with http.get("/chat/000000000000/chat.js") as answer:
        assert (answer.status, answer.headers["Cache-Control"]) == (200, "no-cache")


@pytest.mark.parametrize("name", ["nothing.js", "..%2F..%2Fchat.py", "%2Fetc%2Fhosts", ""])
async def test_no_other_file_is_served(http: TestClient, name: str) -> None:
    async with http.get(f"/chat/x/{name}") as answer:
        assert answer.status == 404


def test_the_version_changes_with_any_file(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("1")
    (tmp_path / "b.html").write_text("$version")
    before = Assets(tmp_path).version
    assert Assets(tmp_path).version == before
    (tmp_path / "a.js").write_text("2")
    assert Assets(tmp_path).version != before


async def test_every_process_of_the_web_serves_it(site: MakeSite) -> None:
    griot = await site(FakeModel())
    async with aiohttp.ClientSession() as session, session.get(f"{griot.url}/chat") as answer:
        assert (answer.status, answer.content_type) == (200, "text/html")
