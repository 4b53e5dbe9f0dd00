"""Pages that a browser is shown in place of errors, and what browsers ask of every site."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from jinja2 import UndefinedError

from bot.files.links import Links
from bot.settings import load
from bot.web.app import make_app
from bot.web.html_pages import TEMPLATES, render_page
from bot.web.site_pages import ChatPage
from tests.support.queries import change_rows, delete_rows, read_row
from tests.support.site import MakeSite, Site

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
MOST_BYTES = 5_000


async def browse(
    site: Site, path: str, *, accept: str = BROWSER, language: str = "en", method: str = "GET"
) -> tuple[int, str, Any]:
    headers = {"Accept": accept, "Accept-Language": language}
    async with site.session.request(method, site.url + path, headers=headers) as answer:
        return answer.status, await answer.text(), answer.headers


async def file_link(site: Site, *, age: float = 0, language: str = "fr") -> str:
    """The path of a link to a file of an account that speaks `language`."""
    await site.log_in()
    row = await read_row(site.app.database, "account")
    await change_rows(site.app.database, "account", {"language": language})
    file = await site.app.files.save(
        row["id"], "a.txt", b"a", mime_type="text/plain", source="upload", key=f"{language}{age}"
    )
    links = Links(site.app.settings, lambda: time.time() - age)
    return links.make(file.file_id).removeprefix(site.app.settings.base_url)


def test_no_template_turns_escaping_off() -> None:
    for path in TEMPLATES.rglob("*.html"):
        assert not re.search(r"\|\s*safe|autoescape|Markup", path.read_text()), path


async def test_a_value_that_a_template_lacks_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        await render_page("page.html", "en", style=object())


async def test_a_bad_file_link_is_a_page_that_says_what_to_do(site: MakeSite) -> None:
    one = await site()
    good = await file_link(one)
    old = await file_link(one, age=one.app.settings.link_seconds + 1)
    for path, status, words in (
        (f"{good}x", 403, "ask Griot for the file once more"),
        (old, 410, "Redemande le fichier à Griot"),
        ("/files/é", 403, "ask Griot for the file once more"),
    ):
        answered, page, headers = await browse(one, path)
        assert (answered, headers["Content-Type"]) == (status, "text/html; charset=utf-8")
        assert words in page
        assert '<a href="/chat">' in page
        assert headers["Cache-Control"] == "no-store"
        answered, body, _ = await browse(one, path, accept="*/*")
        assert answered == status
        assert json.loads(body)["error"]["code"] in {"link_invalid", "link_expired"}


async def test_a_deleted_file_is_said_to_be_gone(site: MakeSite) -> None:
    one = await site()
    path = await file_link(one)
    await delete_rows(one.app.database, "file")
    status, page, _ = await browse(one, path)
    assert status == 404
    assert "Ask Griot to make it again" in page


async def test_an_expired_link_speaks_its_owners_language(site: MakeSite) -> None:
    one = await site()
    late = one.app.settings.link_seconds + 1
    for language, head in (("fr", "Ce lien a expiré"), ("en", "This link has expired")):
        path = await file_link(one, age=late, language=language)
        _, page, _ = await browse(one, path, language="de")
        assert f"<h1>{head}</h1>" in page
        assert f'<html lang="{language}">' in page


@pytest.mark.parametrize(
    ("wanted", "language"),
    [
        ("fr-CI,en", "fr"),
        ("en", "en"),
        ("de, en;q=0.8, fr;q=0.5", "en"),
        ("en;q=0.3,fr;q=0.9", "fr"),
        ("en;q=0", "fr"),
        ("", "fr"),
        ("en;q=2,;;,é", "fr"),
    ],
)
async def test_a_page_is_in_the_language_that_is_wanted_most(
    site: MakeSite, wanted: str, language: str
) -> None:
    _, page, _ = await browse(await site(), "/nothing", language=wanted)
    assert f'<html lang="{language}">' in page


async def test_a_browser_gets_a_page_where_nothing_is(site: MakeSite) -> None:
    one = await site()
    for path in ("/nothing", "/files", "/chat/x/nothing.js"):
        status, page, _ = await browse(one, path)
        assert status == 404
        assert "This page does not exist" in page
    for path in ("/api/v1/nothing", "/v1/models/nothing", "/webhooks/nothing"):
        status, body, _ = await browse(one, path)
        assert status == 404
        assert "error" in json.loads(body)
    status, page, headers = await browse(one, "/chat", method="DELETE")
    assert status == 405
    assert "GET" in headers["Allow"]
    assert "<h1>" in page


@pytest.mark.parametrize(
    "accept",
    ["*/*", "application/json", "text/html;q=0", "text/plain, text/html; q=0.0", "text/htmlx"],
)
async def test_programs_keep_json(site: MakeSite, accept: str) -> None:
    status, body, _ = await browse(await site(), "/nothing", accept=accept)
    assert (status, json.loads(body)["error"]["code"]) == (404, "not_found")


async def test_the_home_page_says_what_this_is(site: MakeSite) -> None:
    one = await site()
    status, page, headers = await browse(one, "/", language="fr")
    assert status == 200
    assert "Apprendre et travailler en discutant" in page
    assert '<a href="/chat">Ouvrir le chat</a>' in page
    assert "noindex" not in page
    assert headers["Vary"] == "Accept, Accept-Language, Accept-Encoding"
    _, line, headers = await browse(one, "/", accept="*/*")
    assert line.startswith("This is Griot")
    assert headers["Content-Type"].startswith("text/plain")


async def test_back_from_a_payment_there_is_a_page(site: MakeSite) -> None:
    one = await site()
    for method in ("GET", "POST"):
        status, page, _ = await browse(one, "/payments/done", method=method)
        assert status == 200
        assert "Griot writes to you" in page
        assert '<a href="/chat">' in page


@pytest.mark.parametrize(
    "path",
    [
        "/payments/cancelled",
        "/payments/done?status=cancelled&tx_ref=1",
        "/payments/done?status=failed",
    ],
)
async def test_back_from_no_payment_one_reads_how_to_try_again(site: MakeSite, path: str) -> None:
    one = await site()
    for method in ("GET", "POST"):
        status, page, _ = await browse(one, path, method=method)
        assert status == 200
        assert "Thank" not in page
        assert "nothing was paid" in page
        assert "/buy" in page
    _, page, _ = await browse(one, path, language="fr")
    assert "rien n’a été payé" in page
    assert "/acheter" in page


async def test_every_such_page_is_small_private_and_runs_nothing(site: MakeSite) -> None:
    one = await site(
        twilio_account_sid="AC1", twilio_auth_token="t", twilio_whatsapp_from="+15550100"
    )
    for path in ("/", "/nothing", "/payments/done", "/files/bad", "/progress/bad"):
        _, page, headers = await browse(one, path, language="fr")
        assert len(page.encode()) < MOST_BYTES
        assert "<script" not in page
        assert " style=" not in page
        assert 'class="logo"' in page
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; style-src 'sha256-")
        assert "unsafe" not in policy
        assert "script" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "Cache-Control" in headers
        assert '<a href="https://wa.me/15550100">Écrire sur WhatsApp</a>' in page


async def _find() -> list[tuple[str, str]]:
    return [("Telegram", "https://t.me/griot"), ("SMS", "+225"), ("X", "javascript:x"), ("Y", "")]


async def _fail() -> list[tuple[str, str]]:
    raise ConnectionError


async def test_a_page_leads_to_the_channels_that_are_known() -> None:
    app = make_app([], addresses=_find)
    async with TestClient(TestServer(app)) as client:
        answer = await client.get("/", headers={"Accept": BROWSER, "Accept-Language": "en"})
        page = await answer.text()
    assert '<a href="https://t.me/griot">Write on Telegram</a>' in page
    assert '<a href="sms:+225">Write by SMS</a>' in page
    assert "javascript" not in page
    assert "/chat" not in page


async def test_a_page_comes_without_links_that_cannot_be_found() -> None:
    async with TestClient(TestServer(make_app([ChatPage(load({}))], addresses=_fail))) as client:
        for _ in range(2):
            answer = await client.get("/x", headers={"Accept": BROWSER})
            assert answer.status == 404
            assert '<a href="/chat">' in await answer.text()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/favicon.ico", "image/x-icon"),
        ("/favicon.svg", "image/svg+xml"),
        ("/icon-192.png", "image/png"),
        ("/apple-touch-icon.png", "image/png"),
        ("/robots.txt", "text/plain"),
    ],
)
async def test_what_browsers_ask_of_every_site_is_there(path: str, kind: str) -> None:
    async with TestClient(TestServer(make_app([]))) as client:
        answer = await client.get(path)
        assert (answer.status, answer.content_type) == (200, kind)
        assert "max-age" in answer.headers["Cache-Control"]


async def test_private_routes_are_not_for_search_engines() -> None:
    async with TestClient(TestServer(make_app([]))) as client:
        lines = (await (await client.get("/robots.txt")).text()).splitlines()
    for private in ("/files/", "/progress/", "/operator", "/api/"):
        assert f"Disallow: {private}" in lines


async def test_the_chat_can_be_installed_as_an_app(site: MakeSite) -> None:
    one = await site()
    _, page, _ = await browse(one, "/chat")
    address = page.partition('rel="manifest" href="')[2].partition('"')[0]
    status, body, headers = await browse(one, address)
    assert status == 200
    assert headers["Content-Type"].startswith("application/manifest+json")
    manifest = json.loads(body)
    assert manifest["display"] == "standalone"
    for icon in manifest["icons"]:
        async with one.session.get(one.url + icon["src"]) as answer:
            assert answer.status == 200
            assert answer.content_type == icon["type"]


async def test_an_error_that_is_no_json_stays_as_it_is() -> None:
    class Part:
        def routes(self) -> list[web.RouteDef]:
            return [web.get("/broken", self.answer)]

        async def answer(self, _: web.Request) -> web.Response:
            return web.Response(status=503, text="<p>mine</p>", content_type="text/html")

    async with TestClient(TestServer(make_app([Part()]))) as client:
        answer = await client.get("/broken", headers={"Accept": BROWSER})
        assert await answer.text() == "<p>mine</p>"
