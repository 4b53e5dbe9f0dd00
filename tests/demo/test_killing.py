"""The demo's gateway dies in mid-answer, and its parents at any moment: nothing stays behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.support.demo_process import Demo, demo
from tests.support.waiting import until


class Watcher:
    """What the page's stream tells, as it comes."""

    def __init__(self, http: aiohttp.ClientSession) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []
        self._http = http

    async def listen(self) -> None:
        async with self._http.get("/demo/phones/events") as answer:
            name = ""
            async for line in answer.content:
                kind, _, value = line.decode().strip().partition(": ")
                if kind == "event":
                    name = value
                elif kind == "data":
                    self.events.append((name, json.loads(value)))

    def last(self, name: str) -> dict[str, Any]:
        return next((data for event, data in reversed(self.events) if event == name), {})

    def bubbles(self, phone: str) -> list[dict[str, Any]]:
        """What Griot said there, each message once."""
        shown = {
            data["id"]: data
            for event, data in self.events
            if event == "bubble" and data["phone"] == phone and not data["mine"]
        }
        return list(shown.values())

    async def until(self, holds: Callable[[], object]) -> None:
        async def met() -> bool:
            return bool(holds())

        await until(met, seconds=60)


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with demo(tmp_path_factory.mktemp("demo"), "--pause=0.05") as running:
        yield running


@asynccontextmanager
async def watching(url: str) -> AsyncIterator[tuple[aiohttp.ClientSession, Watcher]]:
    async with aiohttp.ClientSession(url) as http:
        watcher = Watcher(http)
        task = asyncio.create_task(watcher.listen())
        yield http, watcher
        task.cancel()
        with suppress(asyncio.CancelledError, aiohttp.ClientError):
            await task


async def act(http: aiohttp.ClientSession, what: str, **deed: object) -> int:
    async with http.post(f"/demo/phones/{what}", json=deed) as answer:
        return answer.status


async def test_killed_in_mid_answer_it_answers_once_and_from_another_process(
    started: Demo,
) -> None:
    async with watching(started.url) as (http, watcher):
        await watcher.until(lambda: watcher.last("gateway").get("state") == "up")
        pid = watcher.last("gateway")["pid"]
        earlier = {"sent": 0, "answered": 0} | watcher.last("tally")
        assert await act(http, "telegram", text="Explique-moi la photosynthèse") == 202
        await watcher.until(lambda: watcher.last("draft"))
        assert await act(http, "kill") == 204
        await watcher.until(lambda: watcher.last("gateway")["pid"] != pid)
        assert watcher.last("gateway")["state"] == "up"
        assert watcher.last("gateway")["ms"] > 0
        assert not is_alive(pid)
        answered = earlier["answered"] + 1
        await watcher.until(lambda: watcher.last("tally")["answered"] == answered)
        await watcher.until(lambda: watcher.bubbles("telegram"))
        [answer] = watcher.bubbles("telegram")
        assert "manguier" in answer["text"]
        told = watcher.last("tally")
        assert (told["sent"], told["doubled"], told["lost"]) == (earlier["sent"] + 1, 0, 0)


async def test_what_is_sent_while_it_is_down_waits_at_the_door(started: Demo) -> None:
    async with watching(started.url) as (http, watcher):
        await watcher.until(lambda: watcher.last("gateway").get("state") == "up")
        before = len(watcher.bubbles("sms"))
        assert await act(http, "kill") == 204
        assert await act(http, "kill") == 409
        assert await act(http, "sms", text="Bonjour", twice=True) == 202
        await watcher.until(lambda: len(watcher.bubbles("sms")) > before)
        assert len(watcher.bubbles("sms")) == before + 1
        assert await _is_reachable(http)


async def _is_reachable(http: aiohttp.ClientSession) -> bool:
    async with http.get("/readyz") as answer:
        return answer.status == 200


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
async def test_whatever_ends_the_demo_ends_its_gateway(
    tmp_path: Path, number: signal.Signals
) -> None:
    with demo(tmp_path) as running:
        async with watching(running.url) as (_, watcher):
            await watcher.until(lambda: watcher.last("gateway").get("state") == "up")
            pid = watcher.last("gateway")["pid"]
        running.process.send_signal(number)

        async def ended() -> bool:
            return not is_alive(pid)

        await until(ended, seconds=60)


def is_alive(pid: int) -> bool:
    """Whether it runs: whoever is dead, but not yet waited for by anybody, does not."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state != "Z"


@pytest.mark.parametrize(
    ("deed", "status"),
    [
        ({}, 400),
        ({"text": " "}, 400),
        ({"text": "x" * 4001}, 400),
        ({"photo": "%"}, 400),
        ({"tap": {"message": "1", "payload": "none"}}, 410),
    ],
)
async def test_what_is_no_deed_is_refused(
    started: Demo, deed: dict[str, object], status: int
) -> None:
    async with aiohttp.ClientSession(started.url) as http:
        assert await act(http, "telegram", **deed) == status
        assert await act(http, "fax", text="Bonjour") == 404


@pytest.mark.parametrize(
    "foreign", [{"Sec-Fetch-Site": "cross-site"}, {"Host": "rebound.example:8080"}]
)
async def test_other_sites_see_and_do_nothing(started: Demo, foreign: dict[str, str]) -> None:
    async with aiohttp.ClientSession(started.url, headers=foreign) as http:
        for path in ("/demo/phones/events", "/demo/phones/files/x"):
            async with http.get(path) as answer:
                assert answer.status == 403
        assert await act(http, "kill") == 403
        assert await act(http, "sms", text="Bonjour") == 403


async def test_nobody_outside_can_speak_for_a_provider(started: Demo) -> None:
    async with aiohttp.ClientSession(started.url) as http:
        for path in ("/webhooks/telegram", "/webhooks/twilio"):
            async with http.post(path, data=b"{}") as answer:
                assert answer.status == 403
