"""The whole house on a stage: a real `griot serve`, and around it a model endpoint, a Telegram and
people who write, each in a process of its own."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bench.peers import FOLDER
from bench.processes import MEASURED, cpu_seconds, output_of, rss_kb, running, serving

START_SECONDS = 60
GRIOT = str(Path(sys.executable).with_name("griot"))
FACT = '{"fact": "Awa prepares the BEPC of June and finds the chapter on fractions hard."}'


@dataclass
class Sent:
    """Messages that were posted and acknowledged."""

    at: dict[int, float]
    """Number → when it was posted, by the system's monotonic clock."""
    ack_ms: list[float]
    """Ascending."""


@dataclass
class Stage:
    griot: int
    """Process id."""
    port: int
    endpoint: int
    """Port."""
    telegram: int
    """Port."""
    secret: str
    settings: Mapping[str, str]
    """Of every process of Griot."""
    _expected: int = 0
    _next_number: int = 1

    def log_in(self, first: int, people: int, rate: float = 100) -> None:
        """Have these people share their contact, and wait until all were welcomed."""
        self.send(people, kind="contact", first=first, people=people, rate=rate)
        self.await_answers(60 + people / 20)

    def send(
        self, messages: int, *, rate: float, first: int, people: int, kind: str = "text"
    ) -> Sent:
        """Post messages at this rate; returns when the last is acknowledged."""
        self._expected += messages
        arguments = {
            "first": first,
            "people": people,
            "messages": messages,
            "rate": rate,
            "first-number": self._next_number,
        }
        self._next_number += messages
        options = [word for name, value in arguments.items() for word in (f"--{name}", str(value))]
        url = f"http://127.0.0.1:{self.port}/webhooks/telegram"
        report = json.loads(
            output_of(sys.executable, "bench.load", url, self.secret, kind, *options)
        )
        at = {int(number): moment for number, moment in report["sent"].items()}
        return Sent(at, report["ack_ms"])

    def await_answers(self, seconds: float) -> None:
        """Wait until everything that was sent is answered. Raises `TimeoutError`."""
        deadline = time.monotonic() + seconds
        while (answered := self.answered()) < self._expected:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{answered} of {self._expected} answered in {seconds:.0f} s")
            time.sleep(0.1)

    def answered(self) -> int:
        counts = get_json(self.telegram, "/counts")
        return counts.get("sendMessage", 0) + counts.get("sendRichMessage", 0)

    def starts(self) -> tuple[dict[int, float], int]:
        """Since last asked: when each message's turn began, and how many the model held at once
        at most."""
        report = get_json(self.endpoint, "/starts")
        return {int(n): at for n, at in report["starts"].items()}, report["held_at_most"]

    def cpu(self) -> float:
        """Seconds that Griot has used."""
        return cpu_seconds(self.griot)

    def rss_kb(self) -> int:
        return rss_kb(self.griot)


@contextmanager
def set_up(
    database_url: str = "",
    *,
    pace: float = 0.0,
    delay: float = 0.0,
    role: str = "serve",
    more: Mapping[str, str] = MappingProxyType({}),
) -> Generator[Stage]:
    """A stage whose Griot keeps its data in `database_url`, by default a new SQLite file.

    Args:
        role: of Griot: serve, or web where workers are started apart.
        more: settings, beside those of the stage.
        pace: seconds between two writes of a model's answer.
        delay: seconds until the model's first answer of a turn.
    """
    FOLDER.mkdir(exist_ok=True)
    model = ("--tool", "save_memory", "--arguments", FACT, "--pace", str(pace))
    with (
        tempfile.TemporaryDirectory(dir=FOLDER) as name,
        serving("bench.endpoint", *model, "--delay", str(delay)) as endpoint,
        serving("bench.telegram") as telegram,
    ):
        folder = Path(name)
        port, secret = free_port(), secrets.token_hex(16)
        url = database_url or f"sqlite:///{folder}/griot.db"
        settings = {
            **_settings(folder, url, port),
            "TELEGRAM_WEBHOOK_SECRET": secret,
            "TELEGRAM_API_URL": f"http://127.0.0.1:{telegram}",
            "OPENAI_BASE_URL": f"http://127.0.0.1:{endpoint}/v1",
            **more,
        }
        command = (GRIOT, role)
        log = folder / "griot.log"
        with running(*command, cores=MEASURED, env=settings, cwd=folder, log=log) as process:
            try:
                await_listening(process, port)
                yield Stage(process.pid, port, endpoint, telegram, secret, settings)
            finally:
                _show_log(log)


def _settings(folder: Path, database_url: str, port: int) -> dict[str, str]:
    """Under which neither pace nor waiting is what is measured, and nobody runs out of anything."""
    return {
        "DATABASE_URL": database_url,
        "BLOB_URL": f"file:{folder}/files",
        "PORT": str(port),
        "PUBLIC_URL": f"http://127.0.0.1:{port}",
        "SECRET_KEY": secrets.token_hex(32),
        "LOG_LEVEL": "warning",
        "MODEL": "gpt-4o-mini",
        "TELEGRAM_BOT_TOKEN": "7000000001:AAbenchbenchbenchbenchbenchbenchben",
        "TELEGRAM_PER_SECOND": "1000000",
        "BURST_SECONDS": "0",
        "WELCOME_CREDITS": "100000",
        "RATE_LIMIT_PER_MINUTE": "0",
        "MAX_PERSON_DAY_USD": "1000000",
        "PATH": os.environ["PATH"],
    }


def await_listening(process: subprocess.Popen[str], port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                return
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _show_log(log: Path) -> None:
    """What Griot complained about makes its numbers doubtful: show it."""
    lines = log.read_text().splitlines()
    if lines:
        print(f"griot logged {len(lines)} lines; the first:", *lines[:5], sep="\n", file=sys.stderr)


def get_json(port: int, path: str) -> Any:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
        return json.load(answer)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
