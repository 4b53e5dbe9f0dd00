"""`griot demo` as a process of its own, as a newcomer starts it."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_START = """
import signal
# `nohup` and shells that run jobs in the background leave these ignored, and children inherit that.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
from bot.main import main
main()
"""
COMMAND = [sys.executable, "-c", _START, "demo"]
PATIENCE = 90.0
"""Seconds until it must be ready, or gone."""


@dataclass
class Demo:
    url: str
    line: str
    process: subprocess.Popen[str]

    def end(self) -> tuple[int, str, str]:
        """End it as Ctrl-C does; exit code, and what else it printed."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err


def environment() -> dict[str, str]:
    """This process's, without what would lead the demo to a real model."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "MODEL"))}
    return kept | {"PYTHONPATH": str(Path(__file__).parents[2])}


@contextmanager
def demo(folder: Path, *options: str, port: int = 0, **variables: str) -> Generator[Demo]:
    """A demo that runs in `folder`, with these environment variables, and is ready."""
    process = subprocess.Popen(
        [*COMMAND, f"--port={port}", *options],
        cwd=folder,
        env=environment() | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert select.select([process.stdout], [], [], PATIENCE)[0], "it is not ready"
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        if not found:
            process.kill()
            raise AssertionError(line + process.communicate()[1])
        yield Demo(found[0], line, process)
    finally:
        process.kill()
        process.communicate()
