"""The command line, in processes of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.cli.terminal import Run, Typist
from tests.support import processes

_KEPT = ("PATH", "HOME", "LANG", "COVERAGE_PROCESS_START")


@pytest.fixture
def environment(tmp_path: Path, sqlite_template: Path) -> dict[str, str]:
    """What a process of the command line sees: nothing of ours, and a folder of the test's."""
    shutil.copy(sqlite_template, tmp_path / "console.db")
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {
        **kept,
        "USER": "awa",
        "TMPDIR": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{tmp_path}/console.db",
        "BLOB_URL": f"file:{tmp_path}/files",
        "SECRET_KEY": "a secret for tests only",
    }


@pytest.fixture
def griot(environment: dict[str, str], tmp_path: Path) -> Run:
    """Run `griot` with these arguments; settings as keywords, `typed` is its standard input."""

    def run(
        *arguments: str, typed: str = "", without: Sequence[str] = (), **settings: str
    ) -> subprocess.CompletedProcess[str]:
        seen = {name: value for name, value in environment.items() if name not in without}
        return processes.run(arguments, seen | settings, tmp_path, typed=typed)

    return run


@pytest.fixture
def typist(environment: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., Typist]]:
    """Start `griot` with these arguments on a terminal; settings as keywords."""
    made: list[Typist] = []

    def start(*arguments: str, **settings: str) -> Typist:
        made.append(Typist(arguments, environment | settings, tmp_path))
        return made[-1]

    yield start
    for one in made:
        one.close()


@pytest.fixture
def on_database(environment: dict[str, str], database_url: str) -> None:
    """The process uses the database of the fixture `database`: the test runs on both engines."""
    environment["DATABASE_URL"] = database_url
