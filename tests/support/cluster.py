"""Griot's processes: real ones, to be killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import aiohttp

from bot import main as griot
from tests.chaos import process as with_notes
from tests.support.ports import free_port
from tests.support.processes import ForkedProcess, ProcessEnvironment, Program

Role = Literal["serve", "web", "worker"]
REPOSITORY = Path(__file__).resolve().parents[2]
COMMAND = Path(sys.executable).with_name("griot")
GRIOT: Program = griot.main
WITH_NOTES: Program = with_notes.main
"""The same with the tool `note_once` in place of those shipped."""
START_SECONDS = 40.0
"""On a machine that does a lot else."""
LEASE = 2.0
IN_TIME = LEASE + 18.0
"""Seconds within which another process goes on with what a dead one had in hand, on a machine that
does a lot else."""


class Node:
    """One process on a port that it keeps over restarts; what it logs is added to one file."""

    def __init__(
        self, program: Program, role: Role, environment: Mapping[str, str], log: Path
    ) -> None:
        self._program = program
        self._role = role
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self._environment = {"PUBLIC_URL": self.url, **environment, "PORT": str(self._port)}
        self._log = log
        self._launch()

    @property
    def log(self) -> str:
        return self._log.read_text()

    async def ready(self) -> None:
        """Wait until it says that it is. Raises `RuntimeError` if it ends before."""
        deadline = time.monotonic() + START_SECONDS
        async with aiohttp.ClientSession() as session:
            while not await self._answers(session):
                if self._process.exit_code is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"it did not become ready:\n{self.log[-4000:]}")
                await asyncio.sleep(0.05)

    async def restart(self) -> None:
        """Start it again after its end, and wait until it is ready."""
        self._launch()
        await self.ready()

    def kill(self) -> None:
        """`kill -9`, and wait until it is gone; killing it twice is fine."""
        self._process.send(signal.SIGKILL)
        self._process.wait()

    def pause(self) -> None:
        self._process.send(signal.SIGSTOP)

    def resume(self) -> None:
        self._process.send(signal.SIGCONT)

    def terminate(self) -> None:
        self._process.send(signal.SIGTERM)

    async def ended(self, seconds: float) -> int:
        """Its exit code. Raises `TimeoutError` if it runs for longer than this."""
        return await asyncio.to_thread(self._process.wait, seconds)

    def _launch(self) -> None:
        surroundings = ProcessEnvironment(self._environment, self._log.parent, self._log)
        self._process = ForkedProcess(self._program, [self._role], surroundings)

    async def _answers(self, session: aiohttp.ClientSession) -> bool:
        try:
            async with session.get(f"{self.url}/readyz") as response:
                return response.status == 200
        except aiohttp.ClientError:
            return False


@dataclass
class Cluster:
    """Processes that share their settings and a folder."""

    folder: Path
    settings: dict[str, str]
    nodes: list[Node] = field(default_factory=list[Node])

    def noted(self) -> list[str]:
        """What `note_once` was told to write down, once for each time that it ran."""
        return [line.split()[0] for line in self._notes.read_text().splitlines()]

    async def start(self, role: Role, *, program: Program = GRIOT, **settings: object) -> Node:
        """A process of this role, ready. `settings` are its own, beside the shared ones."""
        own = {name: str(value) for name, value in settings.items()}
        log = self.folder / f"{role}-{len(self.nodes)}.log"
        node = Node(program, role, self.environment | own, log)
        self.nodes.append(node)
        await node.ready()
        return node

    def run(self, role: Role, *, without: str = "", seconds: float = 30) -> tuple[int, str]:
        """Run a process that is expected to end by itself: its exit code and what it said."""
        environment = self.environment | {"PORT": str(free_port())}
        environment.pop(without, None)
        done = subprocess.run(
            [COMMAND, role],
            check=False,
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=seconds,
        )
        return done.returncode, done.stdout + done.stderr

    def end(self) -> None:
        for node in self.nodes:
            node.kill()

    @property
    def _notes(self) -> Path:
        return self.folder / "notes"

    @property
    def environment(self) -> dict[str, str]:
        shared = {"PATH": os.environ["PATH"]}
        return {**shared, "CHAOS_NOTES": str(self._notes), **self.settings}
