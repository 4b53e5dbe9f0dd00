"""Search engines are asked as the library asks them, through the tunnel and no other way."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from bot.errors import ToolFailed
from bot.files.web_search_worker import Target, Tunnel, search
from bot.files.web_worker_messages import WebQuery, WebResult
from bot.isolated_worker.worker import IsolatedWorker
from tests.files.search_engines import (
    BRAVE,
    DUCKDUCKGO,
    MOJEEK,
    NAMES,
    PAGE,
    STARTPAGE,
    Answer,
    Engines,
    serve,
)

QUERY = WebQuery("date du BEPC", "fr", strict=False)
BEPC = WebResult("Le BEPC", "https://education.example/bepc", "Le 3 juin.")


@pytest.fixture
def engines(tmp_path: Path) -> Iterator[Engines]:
    with serve(tmp_path) as running:
        yield running


def ask(engines: Engines, query: WebQuery = QUERY, most: int = 8 * 1024 * 1024) -> list[WebResult]:
    with engines.tunnel(most) as tunnel:
        return search(query, tunnel, engines.authorities, seconds=30)


def hosts(engines: Engines) -> set[str]:
    return {asked.host for asked in engines.asked}


def test_what_an_engine_finds_is_given(engines: Engines) -> None:
    engines.answers[DUCKDUCKGO] = Answer(PAGE.encode())
    assert ask(engines) == [BEPC]
    assert hosts(engines) <= {DUCKDUCKGO, BRAVE}
    (asked,) = [asked for asked in engines.asked if asked.host == DUCKDUCKGO]
    assert "q=date+du+BEPC" in asked.body
    assert "l=fr-fr" in asked.body


def test_for_children_engines_come_first_that_can_be_strict(engines: Engines) -> None:
    ask(engines, WebQuery("date du BEPC", "en", strict=True))
    first, second = sorted(engines.asked[:2], key=lambda asked: asked.host)
    assert first.host == BRAVE
    assert "safesearch=strict" in first.cookies
    assert second.host == MOJEEK
    assert "safe=1" in second.path


def test_when_no_engine_answers_well_nothing_is_found(engines: Engines) -> None:
    assert ask(engines) == []
    assert {DUCKDUCKGO, BRAVE, MOJEEK, STARTPAGE} == hosts(engines)


def test_an_engine_that_was_not_reached_is_an_error() -> None:
    def unknown(host: str, port: int) -> list[Target]:
        raise socket.gaierror("no such name")

    with Tunnel(find=unknown) as tunnel, pytest.raises(ToolFailed, match="not be reached"):
        search(QUERY, tunnel)


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_an_engine_that_leads_elsewhere_is_not_followed_into_a_private_network(
    scheme: str, status: int, engines: Engines
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        there = f"{scheme}://127.0.0.1:{listener.getsockname()[1]}/secret"
        for name in NAMES:
            engines.answers[name] = Answer(status=status, headers={"Location": there})
        with suppress(ToolFailed):
            assert ask(engines) == []
        assert not select.select([listener], [], [], 0)[0]
    assert hosts(engines) == set(NAMES)


def test_an_engine_whose_page_has_no_end_is_left(engines: Engines) -> None:
    engines.answers[DUCKDUCKGO] = Answer(PAGE.encode() * 100_000)
    with pytest.raises(ToolFailed, match="not be reached"):
        ask(engines, most=100_000)


def test_a_certificate_that_nobody_vouches_for_is_not_taken(engines: Engines) -> None:
    engines.answers[DUCKDUCKGO] = Answer(PAGE.encode())
    with engines.tunnel() as tunnel, pytest.raises(ToolFailed, match="not be reached"):
        search(QUERY, tunnel)
    assert engines.asked == []


@pytest.mark.parametrize("page", [b"", b"\0\xff", b"<html>", PAGE.replace("href", "no").encode()])
def test_an_engine_that_says_something_odd_does_no_harm(page: bytes, engines: Engines) -> None:
    engines.answers = dict.fromkeys(NAMES, Answer(page))
    assert all(found.url == "" for found in ask(engines))


async def test_it_works_within_the_limits_of_its_process(engines: Engines) -> None:
    engines.answers[DUCKDUCKGO] = Answer(PAGE.encode())
    certificates = Path(engines.authorities).read_text()  # noqa: ASYNC240
    request = msgspec.msgpack.encode((QUERY, engines.port, certificates))
    answer = await IsolatedWorker().run(
        "tests.files.search_engine_program", request, seconds=60, online=True
    )
    assert msgspec.msgpack.decode(answer, type=list[WebResult]) == [BEPC]
