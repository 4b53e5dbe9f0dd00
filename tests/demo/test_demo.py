"""The demo as a newcomer meets it: one command, one line, a page, and all of Griot behind it."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import subprocess
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.support.demo_process import COMMAND, Demo, demo, environment
from tests.support.site import Events, parse_sse


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def started(folder: Path) -> Iterator[Demo]:
    with demo(folder, "--pause=0.005") as running:
        yield running


@pytest.fixture
async def http(started: Demo) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(started.url) as session:
        yield session


@pytest.fixture
async def headers(http: aiohttp.ClientSession) -> dict[str, str]:
    async with http.get("/demo/session") as answer:
        return {"Authorization": f"Bearer {(await answer.json())['token']}"}


async def chat(http: aiohttp.ClientSession, headers: dict[str, str], message: str) -> Events:
    async with http.post("/api/v1/chat", json={"message": message}, headers=headers) as answer:
        assert answer.status == 200
        return parse_sse(await answer.text())


def first(events: Events, name: str) -> dict[str, Any]:
    return next(data for event, data in events if event == name)


def test_it_prints_one_line_and_ends_in_peace(tmp_path: Path) -> None:
    with demo(tmp_path) as running:
        assert running.line.startswith("Griot is ready: open http://127.0.0.1:")
        assert running.end() == (0, "", "")
    assert (tmp_path / ".demo" / "griot.db").exists()


def test_another_port_is_found_where_the_wanted_one_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with demo(tmp_path, port=port) as running:
            assert not running.url.endswith(f":{port}")


def test_each_start_is_fresh_unless_the_last_is_kept(tmp_path: Path) -> None:
    secret = tmp_path / ".demo" / "secret"
    secrets: list[str] = []
    for options in ((), ("--keep",), ()):
        with demo(tmp_path, *options) as running:
            secrets.append(secret.read_text())
            running.end()
    assert secrets[0] == secrets[1] != secrets[2]


async def test_a_second_demo_in_the_same_folder_leaves_the_first_alone(
    http: aiohttp.ClientSession, headers: dict[str, str], folder: Path
) -> None:
    def start() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            COMMAND, cwd=folder, env=environment(), capture_output=True, text=True, timeout=90
        )

    second = await asyncio.to_thread(start)
    assert second.returncode == 1
    assert "A demo runs in " in second.stderr
    assert len(second.stderr.splitlines()) == 1
    assert (folder / ".demo" / "griot.db").exists()
    assert first(await chat(http, headers, "/help"), "end")


def test_with_a_key_the_real_model_is_asked(tmp_path: Path) -> None:
    with (
        demo(tmp_path, OPENAI_API_KEY="sk-invented", MODEL="gpt-4o") as running,
        urllib.request.urlopen(f"{running.url}/demo/session") as answer,
    ):
        session = json.load(answer)
    assert (session["model"], session["scripted"]) == ("gpt-4o", False)


async def test_whoever_tries_it_out_may_be_quick(
    http: aiohttp.ClientSession, headers: dict[str, str]
) -> None:
    for _ in range(50):
        await chat(http, headers, "/help")


async def test_the_page_runs_nothing_but_its_own_files(http: aiohttp.ClientSession) -> None:
    async with http.get("/") as answer:
        assert answer.content_type == "text/html"
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
        page = await answer.text()
    assert "<style" not in page
    assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=", page)
    loaded = set(re.findall(r'(?:src|href)="([^"]+)"', page))
    assert "/demo/phones/phones.js" in loaded
    for path in loaded:
        async with http.get(path) as answer:
            assert answer.status == 200
            assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_modules_are_served_as_scripts(http: aiohttp.ClientSession) -> None:
    async with http.get("/demo/phones/phones.js") as answer:
        assert answer.content_type == "text/javascript"


@pytest.mark.parametrize(
    "path",
    [
        "/demo/nothing.js",
        "/demo/phones/nothing.js",
        "/demo/phones/..%2Fpage.py",
        "/demo/phones/%2Fetc%2Fhosts",
        "/demo/phones/files/nothing",
    ],
)
async def test_no_other_file_is_served(http: aiohttp.ClientSession, path: str) -> None:
    async with http.get(path) as answer:
        assert answer.status == 404


async def test_it_leads_to_the_chat_as_the_demos_person(http: aiohttp.ClientSession) -> None:
    async with http.get("/demo/chat") as answer:
        assert (answer.status, answer.content_type) == (200, "text/html")
        assert "/demo/chat.js" in await answer.text()
    async with http.get("/demo/chat.js") as answer:
        assert answer.content_type == "text/javascript"
        assert 'location.replace("/chat")' in await answer.text()
    async with http.get("/chat") as answer:
        assert (answer.status, answer.content_type) == (200, "text/html")


async def test_the_gateway_compresses_only_for_clients_that_accept_it(started: Demo) -> None:
    async with aiohttp.ClientSession(skip_auto_headers=["Accept-Encoding"]) as plain:
        async with plain.get(f"{started.url}/chat") as answer:
            assert "Content-Encoding" not in answer.headers
        async with plain.get(f"{started.url}/chat", headers={"Accept-Encoding": "gzip"}) as answer:
            assert answer.headers["Content-Encoding"] == "gzip"


async def test_a_strangers_name_for_this_machine_leads_nowhere(
    http: aiohttp.ClientSession,
) -> None:
    async with http.get(
        "/demo/chat", headers={"Host": "rebound.example:8080"}, allow_redirects=False
    ) as answer:
        assert answer.status == 403


@pytest.mark.parametrize(
    "foreign", [{"Sec-Fetch-Site": "cross-site"}, {"Host": "rebound.example:8080"}]
)
async def test_other_sites_get_no_session(
    http: aiohttp.ClientSession, foreign: dict[str, str]
) -> None:
    async with http.get("/demo/session", headers=foreign) as answer:
        assert answer.status == 403
        assert "token" not in await answer.text()


async def test_a_lesson_streams_and_costs_credits(
    http: aiohttp.ClientSession, headers: dict[str, str]
) -> None:
    async with http.get("/api/v1/me", headers=headers) as answer:
        before = (await answer.json())["balance"]
    events = await chat(http, headers, "Explique-moi les fractions")
    assert sum(name == "content" for name, _ in events) > 2  # as far as it was checked, each time
    assert events[-1] == ("end", {"reason": "answered"})
    async with http.get("/api/v1/me", headers=headers) as answer:
        assert (await answer.json())["balance"] == before - first(events, "usage")["credits"]
    assert first(events, "usage")["credits"] > 0


async def test_a_quiz_is_asked_and_graded(
    http: aiohttp.ClientSession, headers: dict[str, str]
) -> None:
    events = await chat(http, headers, "Fais-moi un quiz sur Pythagore")
    assert first(events, "tool_end")["is_error"] is False
    quiz = first(events, "quiz")
    body = {"index": quiz["options"].index("10")}
    path = f"/api/v1/quizzes/{quiz['id']}/answer"
    async with http.post(path, json=body, headers=headers) as answer:
        graded = await answer.json()
    assert graded["correct"] is True
    assert "100" in graded["explanation"]


async def test_a_sheet_is_made_and_downloaded(
    http: aiohttp.ClientSession, headers: dict[str, str]
) -> None:
    file = first(await chat(http, headers, "Fais une fiche sur Nkrumah"), "file")
    assert file["filename"] == "fiche-nkrumah.pdf"
    async with http.get(file["url"]) as answer:
        assert answer.status == 200
        assert (await answer.read()).startswith(b"%PDF-")


async def test_what_it_was_told_to_remember_it_knows_in_the_next_conversation(
    http: aiohttp.ClientSession, headers: dict[str, str]
) -> None:
    await chat(http, headers, "Retiens que je joue au football")
    events = await chat(http, headers, "Que sais-tu de moi ?")
    said = "".join(data["text"] for name, data in events if name == "content")
    assert "Je joue au football" in said


async def test_the_session_says_that_the_tutor_is_scripted(http: aiohttp.ClientSession) -> None:
    async with http.get("/demo/session") as answer:
        session = json.loads(await answer.text())
    assert session["scripted"] is True
    assert session["model"] == "griot-demo-tutor"
