"""Starts the stand-in of a remote agent (`a2a_agent`) as a process of its own."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class AgentProcess:
    """A running stand-in.

    Attributes:
        card_url: for `A2A_AGENTS`.
    """

    process: subprocess.Popen[str]
    url: str

    @property
    def card_url(self) -> str:
        return f"{self.url}/.well-known/agent-card.json"

    def seen(self) -> list[str]:
        """The tasks it was given, as `MESSAGE_ID TASK`, and `cancelled` for each cancelled one."""
        with urllib.request.urlopen(f"{self.url}/seen", timeout=5) as answer:
            return json.load(answer)

    def pause(self) -> None:
        """Let it accept connections and answer nothing."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def start_agent(*options: str) -> Iterator[AgentProcess]:
    """A stand-in, gone afterwards; for the options see there."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.standins.a2a_agent", *options],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        port = process.stdout.readline().strip()
        if not port:
            raise RuntimeError("the stand-in ended before it listened")
        yield AgentProcess(process, f"http://127.0.0.1:{port}")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
