"""Reminders of a real `griot serve` that is killed in the middle of a minute full of them."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from bench.processes import MEASURED, OTHERS, running, serving
from bench.stage import GRIOT, START_SECONDS, free_port, get_json
from bot.contracts.storage import Database, Transaction
from bot.settings import load
from bot.storage.database import open_database
from tests.support.people_with_tasks import add_people_with_tasks

T = TypeVar("T")
BEGIN = 8.0
"""Seconds after which the first is due: the process is up by then."""


def lateness(url: str, tasks: int, seconds: float) -> list[float]:
    """Seconds by which each of so many, due within `seconds`, leaves late: from when it is due, or
    from when the second process is ready, if that is later.

    One whose request was on its way at the kill is in doubt, is not sent again, and is left out.

    Raises:
        RuntimeError: more than one in a hundred were not sent.
    """

    async def fill(database: Database) -> dict[str, float]:
        await add_people_with_tasks(database, tasks, tasks, begin=BEGIN, seconds=seconds)
        return await read_due(database)

    with tempfile.TemporaryDirectory() as name, serving("bench.telegram") as telegram:
        settings = _settings(Path(name), url, telegram)
        due = _consult(settings, fill)
        with _griot(settings, Path(name)) as first:
            time.sleep(max(0.0, min(due.values()) + seconds / 2 - time.time()))
            killed = time.time()
            first.kill()
        with _griot(settings, Path(name)):
            ready = time.time()
            _await_all(settings, seconds + 60)
            sent: dict[str, float] = get_json(telegram, "/said")
    said = {title: at for title in due if (at := sent.get(f"Reminder: {title}"))}
    if len(said) < 0.99 * tasks:
        raise RuntimeError(f"{tasks - len(said)} of {tasks} reminders were not sent")
    begun = {title: max(due[title], ready if at > killed else 0.0) for title, at in said.items()}
    return [max(0.0, at - begun[title]) for title, at in said.items()]


async def read_due(database: Database) -> dict[str, float]:
    """Title → when the task is due, by the database's clock."""

    async def work(tx: Transaction) -> dict[str, float]:
        rows = await tx.fetch("SELECT title, due_at FROM task")
        return {row["title"]: row["due_at"] for row in rows}

    return await database.read(work)


async def _count_open(database: Database) -> int:
    async def work(tx: Transaction) -> int:
        rows = await tx.fetch(
            "SELECT count(*) AS n FROM task WHERE reminder_state IN ('', 'handed')"
        )
        return rows[0]["n"]

    return await database.read(work)


def _await_all(settings: Mapping[str, str], seconds: float) -> None:
    """Until it is known of every reminder what became of it. Raises `TimeoutError`."""
    deadline = time.monotonic() + seconds
    while left := _consult(settings, _count_open):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{left} reminders are open after {seconds:.0f} s")
        time.sleep(1)


def _consult(settings: Mapping[str, str], work: Callable[[Database], Awaitable[T]]) -> T:
    async def ask() -> T:
        async with open_database(load(settings)) as database:
            return await work(database)

    return asyncio.run(ask())


@contextmanager
def _griot(settings: Mapping[str, str], folder: Path) -> Generator[subprocess.Popen[str]]:
    """A process whose lanes run as well, until the context ends: it logs that it is ready."""
    cores, log = MEASURED | OTHERS, folder / f"log-{time.time_ns()}"
    with running(GRIOT, "serve", cores=cores, env=settings, cwd=folder, log=log) as process:
        deadline = time.monotonic() + START_SECONDS
        while '"event":"ready"' not in log.read_text():
            if process.poll() is not None or time.monotonic() > deadline:
                raise TimeoutError(log.read_text())
            time.sleep(0.01)
        yield process


def _settings(folder: Path, url: str, telegram: int) -> dict[str, str]:
    return {
        "DATABASE_URL": url or f"sqlite:///{folder}/griot.db",
        "BLOB_URL": f"file:{folder}/files",
        "PORT": str(free_port()),
        "PUBLIC_URL": "https://griot.example",
        "SECRET_KEY": "only for measuring",
        "LOG_LEVEL": "info",
        "OPENAI_BASE_URL": "http://127.0.0.1:1",
        "TELEGRAM_BOT_TOKEN": "7000000001:AAbenchbenchbenchbenchbenchbenchben",
        "TELEGRAM_WEBHOOK_SECRET": "bench",
        "TELEGRAM_PER_SECOND": "1000000",  # what waited during the restart is not to queue for it
        "TELEGRAM_API_URL": f"http://127.0.0.1:{telegram}",
        "PATH": os.environ["PATH"],
    }
