"""`griot serve` as an operator starts and ends it: the interpreter, all imports and all exits."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from tests.cli.terminal import GRIOT, Typist
from tests.standins.telegram import TelegramStandIn
from tests.support.ports import free_port

_PATIENCE = 60.0


def is_ready(log: Path) -> bool:
    """Whether it says so, at the port that it says."""
    lines = [json.loads(line) for line in log.read_text().splitlines(True) if line[-1] == "\n"]
    ports = [line["port"] for line in lines if line["event"] == "ready"]
    if not ports:
        return False
    with urllib.request.urlopen(f"http://127.0.0.1:{ports[0]}/readyz", timeout=5) as answer:
        return answer.status == 200


def test_it_is_ready_and_ends_in_peace_when_it_is_told_to(
    environment: dict[str, str], tmp_path: Path
) -> None:
    said = tmp_path / "said"
    with said.open("wb") as log:
        process = subprocess.Popen(
            [GRIOT, "serve"],
            env=environment | {"PORT": "0", "DRAIN_SECONDS": "1", "OPERATOR_TOKEN": "short"},
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        deadline = time.monotonic() + _PATIENCE
        while not is_ready(said):
            assert process.poll() is None, said.read_text()
            assert time.monotonic() < deadline, said.read_text()
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.wait(_PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
    lines = [json.loads(line) for line in said.read_text().splitlines()]
    assert "ready" in {line["event"] for line in lines}
    assert {line["level"] for line in lines} <= {"info", "warning"}
    weak = [line["setting"] for line in lines if line["event"] == "secret_can_be_guessed"]
    assert weak == ["SECRET_KEY", "OPERATOR_TOKEN"]


async def end(terminal: Typist) -> str:
    """Stop it as Ctrl-C does; what it said meanwhile."""
    terminal.process.send_signal(signal.SIGINT)
    assert await asyncio.to_thread(terminal.process.wait, _PATIENCE) == 0
    return terminal.rest()


async def test_on_a_terminal_it_says_where_it_listens_and_where_people_write(
    typist: Callable[..., Typist],
) -> None:
    port = str(free_port())
    async with TelegramStandIn() as telegram:
        terminal = typist(
            "serve",
            PORT=port,
            OPENAI_API_KEY="key",
            TELEGRAM_BOT_TOKEN=telegram.token,
            TELEGRAM_API_URL=telegram.url,
            TWILIO_WHATSAPP_FROM="",
            LANG="en_GB.UTF-8",
            DRAIN_SECONDS="0",
        )
        await terminal.see(f"Griot listens on http://127.0.0.1:{port}.", _PATIENCE)
        await terminal.see(f"http://127.0.0.1:{port}/chat")
        await terminal.see("People write to it here: https://t.me/griot_bot (Telegram)")
        said = await end(terminal)
    assert "{" not in said


async def test_on_a_terminal_it_says_what_is_missing(typist: Callable[..., Typist]) -> None:
    terminal = typist("serve", PORT="0", LANG="fr_CI.UTF-8", DRAIN_SECONDS="0")
    await terminal.see("Griot écoute sur http://127.0.0.1:", _PATIENCE)
    await terminal.see("OPENAI_API_KEY")
    await terminal.see("Aucun canal")
    await end(terminal)
