"""Bringing tables up to date: all of it or nothing, whenever it is killed."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys

import pytest

from bot.settings import Settings
from bot.storage.database import head, open_database, revision

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
