"""Through how many files and functions a message goes: what a reader of its way has to open."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from bench.results import Result
from bench.stage import FACT
from bot.settings import Settings
from tests.support.fakes import FakeModel, reply
from tests.support.telegram_scene import MakeScene, open_scenes
from tests.support.waiting import until

_ROOT = f"{Path(__file__).parents[1]}/"
_ROOMS = ("bot/", "adapters/", "tools/")
_DOUBLES = "bot/standins/"
_TURNS = 3
"""The least of so many turns counts: what the idle worker does meanwhile is called too."""
_SETTLING = 0.5
"""Seconds within which a lane is released after its answer was sent."""
Function = tuple[str, str, int]
"""File, qualified name, line."""


class Tracer:
    """Notes the functions of Griot that are called, in all threads that start after it."""

    def __init__(self) -> None:
        self.called: set[Function] | None = None
        """None: nothing is noted."""

    def note(self, frame: FrameType, event: str, _: object) -> None:
        if self.called is None or event != "call":
            return
        code = frame.f_code
        name = code.co_filename.removeprefix(_ROOT)
        is_nameless = code.co_name.startswith("<")  # a lambda, or a comprehension
        if name.startswith(_ROOMS) and not name.startswith(_DOUBLES) and not is_nameless:
            self.called.add((name, code.co_qualname, code.co_firstlineno))

    @contextmanager
    def installed(self) -> Generator[None]:
        threading.setprofile(self.note)
        sys.setprofile(self.note)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)


def measure(*, quick: bool) -> list[Result]:
    """Measure a turn with one tool, of somebody who is logged in on Telegram, on SQLite.

    The model is a double. Another turn has gone before, so that nothing is loaded for the first
    time.
    """
    tracer = Tracer()
    with tempfile.TemporaryDirectory() as folder, tracer.installed():
        turns = asyncio.run(_trace(tracer, folder, 1 if quick else _TURNS))
    called = min(turns, key=len)
    return [
        Result("hops.functions", len(called), "functions"),
        Result("hops.files", len({file for file, _, _ in called}), "files"),
    ]


async def _trace(tracer: Tracer, folder: str, turns: int) -> list[set[Function]]:
    """Return the functions called in each turn."""

    def make_settings(**values: object) -> Settings:
        defaults = {
            "database_url": f"sqlite:///{folder}/griot.db",
            "blob_url": f"file:{folder}/files",
            "secret_key": "a secret for benchmarks only",
            "burst_seconds": 0,
        }
        return Settings.model_validate(defaults | values)

    replies = [reply("", ("save_memory", FACT)), reply("I shall remember that.")] * (turns + 1)
    async with open_scenes(make_settings) as make:
        return await _talk(tracer, make, FakeModel(*replies), turns)


async def _talk(
    tracer: Tracer, make: MakeScene, model: FakeModel, turns: int
) -> list[set[Function]]:
    found: list[set[Function]] = []
    scene = await make(model)
    await scene.log_in()
    for number in range(turns + 1):
        await until(scene.settled)
        tracer.called = called = set[Function]()
        await scene.say("Remember that I prepare the BEPC.")
        await scene.told(number + 2)
        await asyncio.sleep(_SETTLING)  # asking the database would be traced
        tracer.called = None
        found.append(called)
    return found[1:]
