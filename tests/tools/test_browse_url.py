from __future__ import annotations

import select
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from aiohttp import web

from bot.contracts.services import ToolContext
from bot.errors import ToolFailed
from bot.net import is_public
from tests.support.fakes import make_services, tool_context
from tests.support.web_servers import Names, Respond, Website, serve
from tools._web import PrivateTarget, WebFailed, WebFetcher
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
    "/json": (b'{"prix": [1, 2]}', "application/json"),
    "/empty": (b"<html><body><script>x()</script></body></html>", "text/html"),
    "/long": (b"mot " * 10_000, "text/plain"),
    "/huge": (b"<p>Un mot.</p>" * 100_000, "text/html"),
    "/harm": ("a\x1bb\u202ec\U000e0041d".encode("utf-16"), "text/plain"),
    "/film": (b"x", "video/mp4"),
}


async def answer(request: web.Request) -> web.StreamResponse:
    if "length" in request.query:
        return web.Response(text="x" * int(request.query["length"]))
    body, content_type = PAGES[request.path]
    return web.Response(body=body, headers={"Content-Type": content_type})


@pytest.fixture
async def site() -> AsyncIterator[Website]:
    async with serve(answer) as running:
        yield running


@pytest.fixture
def read(site: Website, make_context: MakeContext) -> Callable[..., Any]:
    async def read_path(path: str, part: int = 1, **settings: str) -> str:
        context = make_context(**settings)
        return await read_url(site.url + path, context, WebFetcher(site.allow), part)

    return read_path


Read = Callable[..., Any]


def jina(text: str, status: int = 200) -> Respond:
    async def respond(request: web.Request) -> web.StreamResponse:
        return web.Response(text=text, status=status)

    return respond


# Pages ------------------------------------------------------------------------------------------


async def test_the_article_is_read_without_what_surrounds_it(read: Read, site: Website) -> None:
    text = await read("/article")
    assert text.startswith("UNTRUSTED CONTENT\n")
    assert f"Page: {site.url}/article\n\nLe mil\n\n" in text
    assert "régions sèches du Sahel" in text
    assert "| Niger | 3,8 |" in text
    assert "steal" not in text
    assert "Mentions légales" not in text


async def test_json_is_shown_as_it_is(read: Read) -> None:
    assert (await read("/json")).endswith('\n\n{"prix": [1, 2]}')


async def test_what_only_does_harm_in_a_text_is_left_out(read: Read) -> None:
    assert (await read("/harm?x=\u202e")).endswith("\n\nabcd")


@pytest.mark.parametrize(("path", "reason"), [("/empty", "no text"), ("/film", "video/mp4")])
async def test_a_page_without_text_is_an_error_that_says_what_to_do(
    path: str, reason: str, read: Read
) -> None:
    with pytest.raises(ToolFailed, match=reason):
        await read(path)


async def test_a_page_that_costs_too_much_to_read_is_an_error_that_says_what_to_do(
    site: Website,
) -> None:
    class TooSlow:
        async def run(
            self, program: str, request: bytes, *, seconds: float = 30.0, online: bool = False
        ) -> bytes:
            raise ToolFailed("Take a smaller part of it.")

    context = tool_context(services=make_services(isolated_worker=TooSlow()))
    with pytest.raises(ToolFailed, match=r"page is too large .* Try another source"):
        await read_url(f"{site.url}/article", context, WebFetcher(site.allow))


@pytest.mark.parametrize("path", ["/long", "/huge"])
async def test_a_long_page_is_cut_and_says_so(path: str, read: Read) -> None:
    text = await read(path)
    assert 7_800 < len(text) <= TOOL.max_result == 8_000
    assert "truncated: this is part 1 of " in text[-150:]


async def test_the_parts_of_a_long_page_are_the_whole(read: Read) -> None:
    parts = [await read("/long", part) for part in range(1, 7)]
    assert "truncated" not in parts[-1]
    bodies = [part.split("/long\n\n", 1)[1].split("\n\n[truncated", 1)[0] for part in parts]
    assert "".join(bodies) == ("mot " * 10_000).strip()
    with pytest.raises(ToolFailed, match="6 parts; there is no part 7"):
        await read("/long", 7)


async def test_a_long_address_leaves_room_for_the_page(read: Read) -> None:
    assert (await read(f"/json?{'é' * 1_340}")).endswith('{"prix": [1, 2]}')


async def test_a_text_that_just_fits_is_whole(read: Read) -> None:
    room = TOOL.max_result - len(await read("/?length=1000")) + 1_000
    assert (await read(f"/?length={room}")).endswith("x" * room)
    assert "truncated" in (await read(f"/?length={room + 1}"))[-150:]


# Jina Reader ------------------------------------------------------------------------------------


async def test_jina_reads_the_page_where_it_is_set(read: Read, site: Website) -> None:
    async with serve(jina("Title: Le mil\n\nPar\0 Jina")) as reader:
        text = await read("/article?a=1%202&b=é", jina_url=reader.url + "/", jina_api_key="jina-1")
        (request,) = reader.requests
        assert request.raw_path == f"/{site.url}/article?a=1%202&b=%C3%A9"
        assert request.headers["Authorization"] == "Bearer jina-1"
    assert text.startswith("UNTRUSTED CONTENT\n")
    assert text.endswith("Par Jina")
    assert site.requests == []


@pytest.mark.parametrize("broken", [jina("no", status=502), jina(" "), jina("x" * 3_000_000)])
async def test_when_jina_fails_the_page_is_fetched_here(broken: Respond, read: Read) -> None:
    async with serve(broken) as reader:
        assert "Sahel" in await read("/article", jina_url=reader.url)
        assert len(reader.requests) == 1


async def test_jina_may_know_a_name_that_is_unknown_here(make_context: MakeContext) -> None:
    async with serve(jina("Par Jina")) as reader:
        context = make_context(jina_url=reader.url)
        text = await read_url("https://unknown.example/", context, WebFetcher(resolver=Names([])))
    assert text.endswith("Par Jina")


# Private targets --------------------------------------------------------------------------------

FORMS = [
    # decimal, octal, hexadecimal, mixed, short
    "http://127.0.0.1:{port}/", "http://127.1:{port}/", "http://127.0.1:{port}/",
    "http://2130706433:{port}/", "http://017700000001:{port}/", "http://0x7f000001:{port}/",
    "http://0177.0.0.1:{port}/", "http://0x7f.1:{port}/", "http://0X7F.0x0.0x0.0x1:{port}/",
    "http://0177.0x0.0.1:{port}/", "http://0000000177.1:{port}/", "http://127.00000.0.1:{port}/",
    "http://127.0.0.2:{port}/", "http://127.255.255.254:{port}/", "http://0:{port}/",
    "http://0.0.0.0:{port}/", "http://0x0:{port}/", "http://00.0.0.0:{port}/",
    # too much for an address
    "http://4294967297:{port}/", "http://0x17f000001:{port}/", "http://127.0.0.0x101:{port}/",
    "http://383.0.0.1:{port}/", "http://0x.0.0.1:{port}/", "http://1.2.3.127.0.0.1:{port}/",
    # trailing dots, other alphabets, what is encoded
    "http://127.0.0.1.:{port}/", "http://127.0.0.1..:{port}/", "http://localhost.:{port}/",
    "http://①②⑦.⓪.⓪.①:{port}/", "http://⑴⑵⑺.0.0.1:{port}/", "http://１２７.0.0.1:{port}/",
    "http://𝟏𝟐𝟕.𝟎.𝟎.𝟏:{port}/", "http://127。0。0。1:{port}/", "http://127．0．0．1:{port}/",
    "http://127｡0｡0｡1:{port}/", "http://127\u00ad.0.0.1:{port}/", "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:{port}/",
    "http://ｌocalhost:{port}/", "http://loc\u200balhost:{port}/",
    "http://%31%32%37.0.0.1:{port}/", "http://127.0.0.%31:{port}/", "http://127%2e0%2e0%2e1:{port}/",
    "http://%6c%6f%63alhost:{port}/", "http://127.0.0.1%00.example.com:{port}/",
    "http://127.0.0.1\0.example.com:{port}/",
    # user names, backslashes, white space
    "http://example.com@127.0.0.1:{port}/", "http://example.com:80@127.0.0.1:{port}/",
    "http://a@example.com@127.0.0.1:{port}/", "http://127.0.0.1:{port}\\@example.com/",
    "http://example.com\\@127.0.0.1:{port}/", "http:\\\\127.0.0.1:{port}/",
    "http:127.0.0.1:{port}/", "http:/127.0.0.1:{port}/", "http:///127.0.0.1:{port}/",
    "//127.0.0.1:{port}/", "http://\t127.0.0.1:{port}/", "http://127.0\n.0.1:{port}/",
    "ht\ntp://127.0.0.1:{port}/", " http://127.0.0.1:{port}/ ", "http://127.0.0.1 :{port}/",
    "\0http://127.0.0.1:{port}/", "HTTP://127.0.0.1:{port}/", "https://127.0.0.1:{port}/",
    "http://127.0.0.1:0{port}/", "http://127.0.0.1,example.com:{port}/",
    # IPv6, and IPv4 in it
    "http://[::1]:{port}/", "http://[::]:{port}/", "http://[0:0:0:0:0:0:0:1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/", "http://[::ffff:7f00:1]:{port}/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]:{port}/", "http://[::127.0.0.1]:{port}/",
    "http://[::ffff:0:127.0.0.1]:{port}/", "http://[64:ff9b::127.0.0.1]:{port}/",
    "http://[64:ff9b:1::7f00:1]:{port}/", "http://[2002:7f00:1::]:{port}/",
    "http://[2001:0:7f00:1::]:{port}/", "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]:{port}/",
    "http://[::1%25lo]:{port}/", "http://[::1%lo]:{port}/", "http://[fe80::1%25eth0]:{port}/",
    "http://[2606:4700::1%25lo]:{port}/", "http://[fd00:ec2::254]:{port}/",
    "http://[fec0::1]:{port}/", "http://[ff02::1]:{port}/", "http://[::127.1]:{port}/",
    "http://::1:{port}/", "http://[::1].example.com:{port}/",
    # names of local networks and of clouds' metadata
    "http://localhost:{port}/", "http://LOCALHOST:{port}/", "http://a.localhost:{port}/",
    "http://localhost.localdomain:{port}/", "http://metadata.google.internal/", "http://metadata/",
    "http://instance-data.ec2.internal/", "http://printer.local/", "http://router.lan/",
    "http://nas.home.arpa/", "http://redis:{port}/", "http://kubernetes.default.svc.cluster.local/",
    # networks that are not the internet
    "http://169.254.169.254/latest/meta-data/", "http://2852039166/", "http://0xa9fea9fe/",
    "http://[::ffff:169.254.169.254]/", "http://168.63.129.16/", "http://100.100.100.200/",
    "http://100.64.0.1/", "http://10.0.0.1/", "http://172.16.0.1/", "http://192.168.0.1/",
    "http://192.0.0.192/", "http://192.88.99.1/", "http://198.18.0.1/", "http://224.0.0.1/",
    "http://240.0.0.1/", "http://255.255.255.255/",
    # what is no page
    "file:///etc/passwd", "file://127.0.0.1:{port}/x", "ftp://127.0.0.1:{port}/",
    "gopher://127.0.0.1:{port}/_x", "dict://127.0.0.1:{port}/stat", "data:text/html,hi",
    "javascript:fetch('http://127.0.0.1:{port}')", "ws://127.0.0.1:{port}/",
]  # fmt: skip


class Listener:
    """A port where somebody listens, and whether anybody has come."""

    def __init__(self, family: socket.AddressFamily, address: str) -> None:
        self.socket = socket.socket(family)
        self.socket.bind((address, 0))
        self.socket.listen()
        self.port: int = self.socket.getsockname()[1]

    @property
    def has_been_called(self) -> bool:
        return bool(select.select([self.socket], [], [], 0)[0])


@pytest.fixture
def listener() -> Iterator[Listener]:
    opened = Listener(socket.AF_INET, "0.0.0.0")
    yield opened
    opened.socket.close()


@pytest.fixture
def jina_listener() -> Iterator[Listener]:
    opened = Listener(socket.AF_INET, "127.0.0.1")
    yield opened
    opened.socket.close()


def public_on_any_port(address: str, port: int) -> bool:
    return is_public(address)


@pytest.mark.parametrize("form", FORMS, ids=ascii)
async def test_a_private_target_is_refused_before_anybody_is_asked(
    form: str, listener: Listener, jina_listener: Listener, make_context: MakeContext
) -> None:
    context = make_context(jina_url=f"http://127.0.0.1:{jina_listener.port}")
    names = Names(["1.1.1.1"])
    address = form.replace("{port}", str(listener.port))
    with pytest.raises(WebFailed):
        await read_url(address, context, WebFetcher(public_on_any_port, names))
    assert names.asked == []
    assert not listener.has_been_called
    assert not jina_listener.has_been_called


async def test_a_listener_knows_that_somebody_came(listener: Listener) -> None:
    with socket.create_connection(("127.0.0.1", listener.port)):
        assert listener.has_been_called


@pytest.mark.parametrize(
    "found", [["127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"], ["1.1.1.1", "10.0.0.1"]], ids=str
)
async def test_a_name_that_leads_there_is_refused_before_jina_is_asked(
    found: list[str], jina_listener: Listener, make_context: MakeContext
) -> None:
    context = make_context(jina_url=f"http://127.0.0.1:{jina_listener.port}")
    with pytest.raises(PrivateTarget):
        await read_url("https://innocent.example/", context, WebFetcher(resolver=Names(found)))
    assert not jina_listener.has_been_called


async def test_the_tool_itself_refuses_private_targets(
    listener: Listener, make_context: MakeContext
) -> None:
    with pytest.raises(PrivateTarget):
        await browse_url(BrowseUrl(url=f"http://127.0.0.1:{listener.port}/"), make_context())
    assert not listener.has_been_called


# What people see --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://fr.wikipedia.org/wiki/Mil", "fr.wikipedia.org"),
        ("http://xn--a.com/", ""),
        ("http://[", ""),
        ("http://[]@/", ""),
        ("mil", ""),
    ],
)
def test_the_person_sees_the_host(address: str, shown: str) -> None:
    assert TOOL.detail(BrowseUrl(url=address)) == shown
