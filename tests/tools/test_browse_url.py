from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest
from aiohttp import web

from bot.contracts import ToolContext
from bot.errors import ToolFailed
from bot.settings import Settings
from tests.tools.servers import Respond, Website, serve
from tools._web import Door, PrivateTarget
from tools.browse_url import TOOL, BrowseUrl, browse_url, read_url

MakeContext = Callable[..., ToolContext]
ARTICLE = """<!doctype html><html><head><title>Le  mil</title><style>p {color: red}</style></head>
<body><nav><a href="/">Accueil</a></nav><script>steal()</script><article><h1>La culture du mil</h1>
<p>Le mil pousse dans les régions sèches du Sahel, où il nourrit des millions de personnes.</p>
<p>On le sème au début de la saison des pluies et on le récolte à l'automne.</p>
<table><tr><th>Pays</th><th>Tonnes</th></tr><tr><td>Niger</td><td>3,8</td></tr></table>
</article><footer>Mentions légales</footer></body></html>"""


PAGES = {
    "/article": (ARTICLE.encode(), "text/html"),
    "/old-charset": (
        "<html><body><p>Un café noir</p></body></html>".encode("cp850"),
        "text/html; charset=cp850",
    ),
    "/odd-charset": ("café".encode(), "text/plain; charset=nobody-knows"),
    "/json": (b'{"prix": [1, 2]}', "application/json"),
    "/empty": (b"<html><body><script>x()</script></body></html>", "text/html"),
    "/long": (b"mot " * 10_000, "text/plain"),
    "/huge": (b"<p>Un mot.</p>" * 100_000, "text/html"),
    "/file": (b"%PDF", "application/pdf"),
}


async def answer(request: web.Request) -> web.StreamResponse:
    body, content_type = PAGES[request.path]
    return web.Response(body=body, headers={"Content-Type": content_type})


@pytest.fixture
async def site() -> AsyncIterator[Website]:
    async with serve(answer) as running:
        yield running


def jina(text: str, status: int = 200) -> Respond:
    async def respond(request: web.Request) -> web.StreamResponse:
        return web.Response(text=text, status=status)

    return respond


async def read(site: Website, path: str, **settings: str) -> str:
    return await read_url(site.url + path, Settings.model_validate(settings), Door(site.allow))


async def test_the_article_is_read_without_what_surrounds_it(site: Website) -> None:
    text = await read(site, "/article")
    assert text.startswith("UNTRUSTED CONTENT\n")
    assert f"Page: {site.url}/article\n\nLe mil\n\n" in text
    assert "régions sèches du Sahel" in text
    assert "| Niger | 3,8 |" in text
    assert "steal" not in text
    assert "Mentions légales" not in text


async def test_a_page_is_read_in_the_charset_that_the_server_names(site: Website) -> None:
    assert (await read(site, "/old-charset")).endswith("Un café noir")


@pytest.mark.parametrize(
    ("path", "shown"), [("/json", '{"prix": [1, 2]}'), ("/odd-charset", "café")]
)
async def test_plain_text_and_json_are_shown_as_they_are(
    path: str, shown: str, site: Website
) -> None:
    assert (await read(site, path)).endswith(f"\n\n{shown}")


@pytest.mark.parametrize(("path", "reason"), [("/empty", "no text"), ("/file", "application/pdf")])
async def test_a_page_without_text_is_an_error_that_says_what_to_do(
    path: str, reason: str, site: Website
) -> None:
    with pytest.raises(ToolFailed, match=reason):
        await read(site, path)


@pytest.mark.parametrize("path", ["/long", "/huge"])
async def test_a_long_page_is_cut_and_says_so(path: str, site: Website) -> None:
    text = await read(site, path)
    assert len(text) == TOOL.max_result == 8_000
    assert "truncated" in text[-100:]


async def test_jina_reads_the_page_where_it_is_set(site: Website) -> None:
    async with serve(jina("Title: Le mil\n\nPar Jina")) as reader:
        text = await read(
            site, "/article?a=1%202&b=é", jina_url=reader.url + "/", jina_api_key="jina-1"
        )
        (request,) = reader.requests
        assert request.raw_path == f"/{site.url}/article?a=1%202&b=%C3%A9"
        assert request.headers["Authorization"] == "Bearer jina-1"
    assert text.startswith("UNTRUSTED CONTENT\n")
    assert text.endswith("Par Jina")
    assert site.requests == []


@pytest.mark.parametrize("broken", [jina("no", status=502), jina(" ")])
async def test_when_jina_fails_the_page_is_fetched_here(broken: Respond, site: Website) -> None:
    async with serve(broken) as reader:
        assert "Sahel" in await read(site, "/article", jina_url=reader.url)
        assert len(reader.requests) == 1


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:{port}/article",
        "http://2130706433/",
        "http://localhost:{port}/",
        "http://[::1]/",
    ],
)
async def test_a_private_target_is_refused_before_jina_is_asked(
    address: str, site: Website, make_context: MakeContext
) -> None:
    async with serve(jina("secret")) as reader:
        context = make_context(jina_url=reader.url)
        with pytest.raises(PrivateTarget):
            await browse_url(BrowseUrl(url=address.format(port=site.port)), context)
        assert reader.requests == []
    assert site.requests == []


@pytest.mark.parametrize(
    ("address", "shown"),
    [("https://fr.wikipedia.org/wiki/Mil", "fr.wikipedia.org"), ("http://[", ""), ("mil", "")],
)
def test_the_person_sees_the_host(address: str, shown: str) -> None:
    assert TOOL.detail(BrowseUrl(url=address)) == shown
