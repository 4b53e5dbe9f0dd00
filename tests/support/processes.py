"""Griot's commands as processes of their own, forked from one that has imported all they need.

They are real processes, to be killed, paused and heard like any other; but each is there in a
fraction of a second. Starting the interpreter and importing takes one or two, and the suite starts
hundreds. What is about the start itself runs the console script instead.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import connection
from pathlib import Path

from bot.main import main

Program = Callable[[], None]
"""Reads `sys.argv` and ends by returning or by `SystemExit`; importable by its name."""
_IMPORTED_LATE = (
    "adapters.telegram.adapter", "adapters.twilio.adapter",
    "bot.agent.model_endpoints",
    "bot.server", "httpcore2", "tests.chaos.process",
)  # fmt: skip
"""What a process imports only when its settings ask for it."""

_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(["tests.support.processes", *_IMPORTED_LATE])
_asking = threading.Lock()
"""An exit code can be read once; whoever starts a process reads those of the others too."""


@dataclass(frozen=True)
class ProcessEnvironment:
    """What a process finds when it begins.

    Attributes:
        environment: all of it.
        folder: where it is.
        said: the file to which stdout and stderr are added.
        complained: in its place for stderr.
        typed: the file that is stdin.
    """

    environment: Mapping[str, str]
    folder: Path
    said: Path
    complained: Path | None = None
    typed: Path = Path(os.devnull)


class ForkedProcess:
    """A process that runs `program` with these arguments."""

    def __init__(
        self, program: Program, arguments: Sequence[str], surroundings: ProcessEnvironment
    ) -> None:
        self._process = _forks.Process(
            target=_live, args=(program, arguments, surroundings), daemon=True
        )
        with _asking:
            self._process.start()

    @property
    def exit_code(self) -> int | None:
        """Negative: the signal that killed it. `None` while it runs."""
        with _asking:
            return self._process.exitcode

    def send(self, number: signal.Signals) -> None:
        """Nothing happens to one that is gone."""
        if self.exit_code is None:
            os.kill(self._process.pid or 0, number)

    def wait(self, seconds: float | None = None) -> int:
        """Its exit code. Raises `TimeoutError` if it runs for longer than this."""
        connection.wait([self._process.sentinel], seconds)
        code = self.exit_code
        if code is None:
            raise TimeoutError(f"it still runs after {seconds} s")
        return code


def run(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    *,
    typed: str = "",
    seconds: float = 60,
) -> subprocess.CompletedProcess[str]:
    """Run `griot` until it ends by itself."""
    with tempfile.TemporaryDirectory() as kept:
        files = [Path(kept, name) for name in ("typed", "said", "complained")]
        for file, text in zip(files, (typed, "", ""), strict=True):
            file.write_text(text)
        stdin, stdout, stderr = files
        child = ForkedProcess(
            main, arguments, ProcessEnvironment(environment, folder, stdout, stderr, stdin)
        )
        try:
            code = child.wait(seconds)
        finally:
            child.send(signal.SIGKILL)
        said, complained = stdout.read_text(), stderr.read_text()
    return subprocess.CompletedProcess(list(arguments), code, said, complained)


def _live(program: Program, arguments: Sequence[str], surroundings: ProcessEnvironment) -> None:
    gc.freeze()  # what was imported is shared by all as long as nobody looks through it
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started us may ignore it
    os.chdir(surroundings.folder)
    os.environ.clear()
    os.environ.update(surroundings.environment)
    said = surroundings.said
    _open(surroundings.typed, os.O_RDONLY, 0)
    _open(said, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 1)
    _open(surroundings.complained or said, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 2)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 (it lives as long as we)
    sys.argv = ["griot", *arguments]
    program()


def _open(path: Path, flags: int, number: int) -> None:
    opened = os.open(path, flags, 0o600)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
