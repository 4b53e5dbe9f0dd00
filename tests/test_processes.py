"""What is forked behaves as what is started."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.support.processes import ForkedProcess, ProcessEnvironment, run


def tell() -> None:
    """What a process finds when it begins, and how it complains."""
    found = {"argv": sys.argv[1:], "environment": dict(os.environ), "folder": str(Path.cwd())}
    sys.stdout.write(json.dumps(found | {"typed": sys.stdin.read()}))
    sys.stderr.write("no")
    sys.exit(3)


def sleep() -> None:
    sys.stdout.write("ready")
    sys.stdout.flush()
    time.sleep(60)


def test_it_finds_what_it_was_given_and_nothing_else(tmp_path: Path) -> None:
    typed, said, complained = tmp_path / "typed", tmp_path / "said", tmp_path / "complained"
    typed.write_text("où ?")
    child = ForkedProcess(
        tell, ["a", "b"], ProcessEnvironment({"ONE": "1"}, tmp_path, said, complained, typed)
    )
    assert child.wait(20) == 3
    assert json.loads(said.read_text()) == {
        "argv": ["a", "b"],
        "environment": {"ONE": "1"},
        "folder": str(tmp_path),
        "typed": "où ?",
    }
    assert complained.read_text() == "no"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_it_is_killed_as_any_other(tmp_path: Path, number: signal.Signals) -> None:
    said = tmp_path / "said"
    child = ForkedProcess(sleep, [], ProcessEnvironment({}, tmp_path, said))
    while not said.exists() or not said.read_text():
        time.sleep(0.01)
    with pytest.raises(TimeoutError, match="still runs"):
        child.wait(0.01)
    assert child.exit_code is None
    child.send(number)
    assert child.wait(20) == (1 if number == signal.SIGINT else -number)
    child.send(number)


def test_a_command_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    environment = {"DATABASE_URL": f"sqlite:///{tmp_path}/griot.db", "SECRET_KEY": "s" * 40}
    with pytest.raises(TimeoutError):
        run(["serve"], environment | {"PORT": "0"}, tmp_path, seconds=0.5)
    assert run(["db", "upgrade"], environment, tmp_path).returncode == 0
