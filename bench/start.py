"""A start: how soon `griot serve` with Telegram and Twilio is ready, what it holds when idle."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from bench.processes import MEASURED, OTHERS, family_cpu_seconds, rss_kb, running
from bench.results import Result
from bench.stage import GRIOT, START_SECONDS, free_port

SAMPLES = 5
IDLE_SECONDS = 5.0
"""After which nothing that belongs to the start is going on."""
NOWHERE = "http://127.0.0.1:1"


@dataclass(frozen=True, slots=True)
class Started:
    ready_s: float
    """Until `/readyz` says so."""
    cpu_s: float
    rss_mb: float


def measure(*, quick: bool) -> list[Result]:
    """A first start makes the tables; the others find them."""
    pairs = [_start_twice() for _ in range(1 if quick else SAMPLES)]
    first, again = ([pair[place] for pair in pairs] for place in (0, 1))
    return [
        Result("start.ready_s", statistics.median(each.ready_s for each in again), "s"),
        Result("start.first_ready_s", statistics.median(each.ready_s for each in first), "s"),
        Result("start.cpu_s", statistics.median(each.cpu_s for each in again), "s"),
        Result("start.first_cpu_s", statistics.median(each.cpu_s for each in first), "s"),
        Result("start.idle_rss_mb", max(each.rss_mb for pair in pairs for each in pair), "MB"),
    ]


def _start_twice() -> tuple[Started, Started]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return _start(folder), _start(folder)


def _start(folder: Path) -> Started:
    port = free_port()
    began = time.monotonic()
    with running(
        GRIOT, "serve", cores=MEASURED | OTHERS, env=_settings(folder, port), cwd=folder
    ) as process:
        _await_ready(process, port)
        ready = time.monotonic() - began
        cpu = family_cpu_seconds(process.pid)
        time.sleep(IDLE_SECONDS)
        return Started(ready, cpu, rss_kb(process.pid) / 1024)


def _await_ready(process: subprocess.Popen[str], port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5):
                return
        except (OSError, urllib.error.HTTPError):
            if process.poll() is not None or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def _settings(folder: Path, port: int) -> dict[str, str]:
    return {
        "DATABASE_URL": f"sqlite:///{folder}/griot.db",
        "BLOB_URL": f"file:{folder}/files",
        "PORT": str(port),
        "PUBLIC_URL": "https://griot.example",
        "SECRET_KEY": "only for measuring",
        "LOG_LEVEL": "error",
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": NOWHERE,
        "TELEGRAM_BOT_TOKEN": "7000000001:AAbenchbenchbenchbenchbenchbenchben",
        "TELEGRAM_WEBHOOK_SECRET": "bench",
        "TELEGRAM_API_URL": NOWHERE,
        "TWILIO_ACCOUNT_SID": "AC" + "0" * 32,
        "TWILIO_AUTH_TOKEN": "bench",
        "TWILIO_SMS_FROM": "+15005550006",
        "TWILIO_WHATSAPP_FROM": "+14155238886",
        "TWILIO_API_URL": NOWHERE,
        "PATH": os.environ["PATH"],
    }
