"""Bringing tables up to date: all of it or nothing, whenever it is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from bot.errors import SettingsError
from bot.settings import Settings
from bot.storage.database import head, migrate_apart, open_database, revision
from tests.support.waiting import until

_KILLED = """
import os, signal, sys
from sqlalchemy import Engine, event
from bot.storage.migrating import migrate

left = int(sys.argv[2])

@event.listens_for(Engine, "before_cursor_execute")
def count(*_):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

migrate(sys.argv[1])
"""


@pytest.mark.blank_database
@pytest.mark.parametrize("statements", [12, 40])
async def test_whoever_is_killed_in_the_midst_of_it_leaves_nothing_behind(
    settings: Settings, statements: int
) -> None:
    killed = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", _KILLED, settings.database_url, str(statements)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    async with open_database(settings) as database:
        assert await revision(database) == head()


async def test_a_migration_that_is_stopped_is_called_stopped(tmp_path: Path) -> None:
    path = tmp_path / "griot.db"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")  # the migration waits
    migration = asyncio.create_task(asyncio.to_thread(migrate_apart, f"sqlite:///{path}"))

    async def is_stopped() -> bool:
        for child in find_migrations():
            os.kill(child, signal.SIGTERM)
        return migration.done()

    await until(is_stopped)
    writer.close()
    with pytest.raises(SettingsError, match="stopped by SIGTERM while its tables were upgraded"):
        await migration


def find_migrations() -> list[int]:
    """Return our children that migrate."""
    children = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    found = [int(child) for task in children for child in task.read_text().split()]
    return [
        child
        for child in found
        if b"bot.storage.migrating" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
